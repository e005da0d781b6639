//! Verifies the mobility argument, premise by premise.
//!
//! A certificate must be *closed*. Take each man, each of its possible squares and each step from
//! there: either a premise of the step's rule fails, or the certificate contains the target square.
//! The rules are those of `protocol/dead.md`.

use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Position as _, Rank, Role, Square, attacks};

use super::{
    super::{Certificate, Man},
    Refuted,
};

/// A consequence of the rules that a mobility lacks.
enum Missing {
    /// This man may also be on this square.
    Square(usize, Square),
    /// This pawn may be on this square after promotion.
    Promoted(usize, Square),
    /// This man may be captured.
    Capture(usize),
}

/// Verifies a certificate for `winner` in a position.
pub(super) fn check(
    position: &Chess,
    winner: Color,
    certificate: &Certificate,
) -> Result<(), Refuted> {
    let men = &certificate.men;
    let given = men.iter().map(|man| (man.home, man.color, man.role));
    let mut given: Vec<_> = given.collect();
    given.sort_unstable_by_key(|(square, ..)| *square);
    let board = position.board().clone().into_iter();
    let mut real: Vec<_> = board
        .map(|(square, piece)| (square, piece.color, piece.role))
        .collect();
    real.sort_unstable_by_key(|(square, ..)| *square);
    if given != real || !men.iter().all(|man| man.squares.contains(man.home)) {
        return Err(Refuted::OtherMen);
    }
    let anchors = Stays {
        anchored: certificate.anchored,
        kept: None,
    };
    if !all_are_anchored(position, certificate.anchored) {
        return Err(Refuted::NotAnchored);
    }
    if let Some(missing) = missing(position, men, anchors) {
        return Err(Refuted::NotClosed(match missing {
            Missing::Square(man, square) | Missing::Promoted(man, square) => {
                format!("{} may reach {square}", men[man].home)
            }
            Missing::Capture(man) => format!("{} may be captured", men[man].home),
        }));
    }
    let fences: Vec<(Square, Vec<Man>)> = certificate
        .anchored
        .into_iter()
        .map(|home| {
            let kept = Some(home);
            (home, least(position, Stays { kept, ..anchors }))
        })
        .collect();
    let square = mating_square(men, &fences, winner);
    square.map_or(Ok(()), |square| Err(Refuted::NoRefuge(square)))
}

/// Men assumed not to move.
#[derive(Clone, Copy)]
struct Stays {
    /// Anchored men, which never move.
    anchored: Bitboard,
    /// A man that is also assumed not to be captured.
    kept: Option<Square>,
}

const NOBODY_STAYS: Stays = Stays {
    anchored: Bitboard::EMPTY,
    kept: None,
};

impl Stays {
    fn contains(self, man: &Man) -> bool {
        self.anchored.contains(man.home) || self.kept == Some(man.home)
    }
}

/// Whether the argument holds for a position without a certificate.
pub(super) fn closes(position: &Chess, winner: Color) -> bool {
    mating_square(&least(position, NOBODY_STAYS), &[], winner).is_none()
}

/// The least mobility that the rules allow.
fn least(position: &Chess, stays: Stays) -> Vec<Man> {
    let board = position.board().clone().into_iter();
    let mut men: Vec<Man> = board
        .map(|(home, piece)| Man {
            color: piece.color,
            role: piece.role,
            home,
            squares: Bitboard::from(home),
            promoted: Bitboard::EMPTY,
            capturable: false,
        })
        .collect();
    while let Some(missing) = missing(position, &men, stays) {
        match missing {
            Missing::Square(man, square) => men[man].squares.add(square),
            Missing::Promoted(man, square) => men[man].promoted.add(square),
            Missing::Capture(man) => men[man].capturable = true,
        }
    }
    men
}

/// Whether each of these men never moves, by M9. The argument for one may rely on others.
fn all_are_anchored(position: &Chess, anchored: Bitboard) -> bool {
    let mut shown = Bitboard::EMPTY;
    while shown != anchored {
        let next = (anchored & !shown).into_iter().find(|home| {
            let stays = Stays {
                anchored: shown,
                kept: Some(*home),
            };
            !position.castles().castling_rights().contains(*home)
                && position.board().role_at(*home) != Some(Role::King)
                && never_moves(position, stays, *home)
        });
        match next {
            Some(home) => shown.add(home),
            None => return false,
        }
    }
    true
}

/// Whether a man has no step from its home while it stays there uncaptured.
fn never_moves(position: &Chess, stays: Stays, home: Square) -> bool {
    let men = least(position, stays);
    let passed = position.ep_square(EnPassantMode::Legal);
    let man = men.iter().find(|man| man.home == home);
    man.is_some_and(|man| {
        let mut arrivals = near(home).into_iter();
        arrivals.all(|to| step(&men, man, home, to, passed).is_none())
    })
}

/// The first missing consequence of a rule.
fn missing(position: &Chess, men: &[Man], stays: Stays) -> Option<Missing> {
    if let Some(missing) = castling(position, men) {
        return Some(missing);
    }
    let passed = position.ep_square(EnPassantMode::Legal);
    for (index, man) in men.iter().enumerate() {
        if stays.contains(man) {
            continue;
        }
        for from in man.squares {
            for to in near(from) {
                let Some(captures) = step(men, man, from, to, passed) else {
                    continue;
                };
                if !man.squares.contains(to) {
                    return Some(Missing::Square(index, to));
                }
                if let Some(victim) = victim(men, man, to, passed, stays).filter(|_| captures) {
                    return Some(Missing::Capture(victim));
                }
            }
            let last = man.color.fold_wb(Rank::Eighth, Rank::First);
            if man.role == Role::Pawn && from.rank() == last && !man.promoted.contains(from) {
                return Some(Missing::Promoted(index, from));
            }
        }
        for from in man.promoted {
            let arrivals = attacks::king_attacks(from) | attacks::knight_attacks(from);
            for to in arrivals.into_iter().filter(|to| may_enter(men, man, *to)) {
                if !man.promoted.contains(to) {
                    return Some(Missing::Promoted(index, to));
                }
                if let Some(victim) = victim(men, man, to, None, stays) {
                    return Some(Missing::Capture(victim));
                }
            }
        }
    }
    None
}

/// The squares of king and rook after castling.
fn castling(position: &Chess, men: &[Man]) -> Option<Missing> {
    for rook in position.castles().castling_rights() {
        let color = position.board().color_at(rook)?;
        let index = |wanted: Square| men.iter().position(|man| man.home == wanted);
        let king = position.board().king_of(color)?;
        let files = if rook > king { (6, 5) } else { (2, 3) };
        let on = |file| Square::from_coords(shakmaty::File::new(file), king.rank());
        for (home, to) in [(king, on(files.0)), (rook, on(files.1))] {
            let index = index(home)?;
            if !men[index].squares.contains(to) {
                return Some(Missing::Square(index, to));
            }
        }
    }
    None
}

/// The squares that a single step of any man may reach.
fn near(from: Square) -> Bitboard {
    attacks::king_attacks(from) | attacks::knight_attacks(from)
}

/// Whether a man may make a step and, if so, whether it may capture with it.
fn step(men: &[Man], man: &Man, from: Square, to: Square, passed: Option<Square>) -> Option<bool> {
    let is_straight = from.file() == to.file() || from.rank() == to.rank();
    let is_knights = attacks::knight_attacks(from).contains(to);
    let has_shape = match man.role {
        Role::Pawn => return pawn_step(men, man, from, to, passed),
        Role::Knight => is_knights,
        Role::Bishop => !is_knights && !is_straight,
        Role::Rook => is_straight,
        Role::Queen | Role::King => !is_knights,
    };
    let is_held = man.role == Role::King
        && men
            .iter()
            .any(|other| other.color != man.color && holds(men, other, to));
    (has_shape && may_enter(men, man, to) && !is_held).then_some(true)
}

fn pawn_step(
    men: &[Man],
    man: &Man,
    from: Square,
    to: Square,
    passed: Option<Square>,
) -> Option<bool> {
    let rise = i32::from(to.rank()) - i32::from(from.rank());
    if rise != man.color.fold_wb(1, -1) || from.file().distance(to.file()) > 1 {
        return None;
    }
    if from.file() == to.file() {
        let is_free = !men.iter().any(|other| other.home == to && !leaves(other));
        let is_faced = men.iter().any(|other| faces(man, other, to));
        return (is_free && !is_faced).then_some(false);
    }
    let enemies = men
        .iter()
        .filter(|other| other.color != man.color && other.role != Role::King);
    let can_be_there = enemies.into_iter().any(|other| stands(other, to));
    ((can_be_there || passed == Some(to)) && may_enter(men, man, to)).then_some(true)
}

/// Whether an enemy pawn always stays in front of a square of the file.
fn faces(man: &Man, other: &Man, to: Square) -> bool {
    let file = man.home.file();
    let confined = |man: &Man| {
        (man.squares | man.promoted)
            .into_iter()
            .all(|square| square.file() == file)
    };
    let ahead = |a: Square, b: Square| match man.color {
        Color::White => a.rank() < b.rank(),
        Color::Black => a.rank() > b.rank(),
    };
    other.color != man.color
        && other.role == Role::Pawn
        && !other.capturable
        && confined(man)
        && confined(other)
        && ahead(man.home, other.home)
        && !ahead(to, other.home)
}

/// Whether no immobile man bars a square to a man other than a pawn.
fn may_enter(men: &[Man], man: &Man, to: Square) -> bool {
    let bars = |other: &Man| other.color == man.color || other.role == Role::King;
    !men.iter()
        .any(|other| other.home == to && bars(other) && !leaves(other) && other.home != man.home)
}

/// The next enemy on a square that is not yet marked capturable.
fn victim(
    men: &[Man],
    man: &Man,
    to: Square,
    passed: Option<Square>,
    stays: Stays,
) -> Option<usize> {
    let behind = man.color.fold_wb(-8, 8);
    let in_passing = passed.filter(|passed| *passed == to && man.role == Role::Pawn);
    let in_passing = in_passing.and_then(|passed| passed.offset(behind));
    men.iter().position(|other| {
        other.color != man.color
            && other.role != Role::King
            && !other.capturable
            && stays.kept != Some(other.home)
            && (stands(other, to) || in_passing == Some(other.home))
    })
}

fn stands(man: &Man, square: Square) -> bool {
    man.squares.contains(square) || man.promoted.contains(square)
}

fn leaves(man: &Man) -> bool {
    man.capturable || (man.squares | man.promoted).count() > 1
}

/// Whether a man is never captured and attacks a square from all its possible squares.
fn holds(men: &[Man], man: &Man, square: Square) -> bool {
    let others = men
        .iter()
        .filter(|other| !(other.role == Role::King && other.color != man.color));
    let occupied = others.fold(Bitboard::EMPTY, |sum, other| {
        sum | other.squares | other.promoted
    });
    !man.capturable
        && man.promoted.is_empty()
        && man
            .squares
            .into_iter()
            .all(|from| attacks::attacks(from, man.role.of(man.color), occupied).contains(square))
}

/// A square on which `winner` might mate the other king. While an anchored man is on the board, the
/// others are where `fences` says for its home.
fn mating_square(men: &[Man], fences: &[(Square, Vec<Man>)], winner: Color) -> Option<Square> {
    let king_of = |color| {
        let is_king = |man: &&Man| man.color == color && man.role == Role::King;
        men.iter().find(is_king)
    };
    let (king, other) = (king_of(winner)?, king_of(winner.other())?);
    other.squares.into_iter().find(|square| {
        let around = attacks::king_attacks(*square);
        let is_attacked = |to: Square| {
            men.iter().any(|man| {
                let fence = fences.iter().find(|(home, _)| *home == man.home);
                let others = fence.map_or(men, |(_, others)| others);
                man.color == winner && attacks_ever(others, man, to)
            })
        };
        let flights: Vec<Square> = around.into_iter().filter(|to| !is_attacked(*to)).collect();
        is_attacked(*square)
            && king.squares.into_iter().any(|from| {
                let near = attacks::king_attacks(from);
                let open = |to: &&Square| !near.contains(**to);
                let open: Vec<Square> = flights.iter().filter(open).copied().collect();
                let blockers = men.iter().filter(|man| man.color != winner);
                let blockers = blockers.filter(|man| man.role != Role::King);
                from != *square
                    && !near.contains(*square)
                    && can_all_be_taken(&open, &blockers.collect::<Vec<_>>())
            })
    })
}

/// Whether a man other than a king may ever attack a square.
fn attacks_ever(men: &[Man], man: &Man, to: Square) -> bool {
    let is_other_king = |other: &Man| other.role == Role::King && other.color != man.color;
    let is_steady = |other: &&Man| !is_other_king(other) && !leaves(other);
    let steady = men.iter().filter(is_steady);
    let occupied = steady.fold(Bitboard::EMPTY, |sum, other| sum.with(other.home));
    let hits = |from: Square, role: Role| {
        attacks::attacks(from, role.of(man.color), occupied).contains(to)
    };
    let promoted = |from| hits(from, Role::Queen) || hits(from, Role::Knight);
    man.role != Role::King
        && (man.squares.into_iter().any(|from| hits(from, man.role))
            || man.promoted.into_iter().any(promoted))
}

/// Tries every assignment of different men to the squares.
fn can_all_be_taken(squares: &[Square], men: &[&Man]) -> bool {
    let Some((square, rest)) = squares.split_first() else {
        return true;
    };
    (0..men.len()).any(|index| {
        let mut others = men.to_vec();
        let man = others.swap_remove(index);
        stands(man, *square) && can_all_be_taken(rest, &others)
    })
}
