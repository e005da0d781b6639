//! Verifies sketches one by one, with the squares of the loose men given in the album.
//!
//! Nothing grows here: a loose man that may reach any other square refutes the album. The rules are
//! those of `protocol/dead.md`.

use std::collections::HashSet;

use shakmaty::{
    Bitboard, Board, ByColor, Chess, Color, EnPassantMode, Piece, Position as _, Rank, Role,
    Square, attacks,
};

use super::{
    super::{Album, Loose},
    Refuted,
};

/// A sketch: the tracked men and the side to move.
type Sketch = (Board, Color);

/// Verifies an album for `winner` in a position.
pub(super) fn check(position: &Chess, winner: Color, album: &Album) -> Result<(), Refuted> {
    let root = (tracked(position, album)?, position.turn());
    let is_special = position.castles().castling_rights().any()
        || position.ep_square(EnPassantMode::Legal).is_some();
    if position.is_checkmate() && position.turn() != winner {
        return Err(Refuted::MateReached);
    }
    if is_special {
        return Err(Refuted::HasRights);
    }
    let checker = Checker { winner, album };
    let visited = |seen: &HashSet<Sketch>| u32::try_from(seen.len()).unwrap_or(u32::MAX);
    let mut seen = HashSet::from([root.clone()]);
    let mut waiting = vec![root];
    while let Some(sketch) = waiting.pop() {
        for (next, opened) in checker.moves(&sketch)? {
            if checker.is_bare(&next.0) {
                continue;
            }
            if next.1 != winner && checker.may_be_mate(&next.0, &opened) {
                return Err(Refuted::MateReached);
            }
            if seen.insert(next.clone()) {
                waiting.push(next);
            }
            // An album that claims too few sketches could otherwise run forever.
            if seen.len() > album.sketches as usize {
                let sketches = visited(&seen);
                return Err(Refuted::OtherSketches { sketches });
            }
        }
    }
    let sketches = visited(&seen);
    if sketches == album.sketches {
        Ok(())
    } else {
        Err(Refuted::OtherSketches { sketches })
    }
}

/// The board without the loose men, if these are men of the position.
fn tracked(position: &Chess, album: &Album) -> Result<Board, Refuted> {
    let mut board = position.board().clone();
    let mut has_officers = ByColor::default();
    for man in &album.loose {
        let is_sound = match man.role {
            Role::King => false,
            Role::Pawn => {
                let pawns = position.board().by_piece(Role::Pawn.of(man.color));
                let is_second = std::mem::replace(has_officers.get_mut(man.color), true);
                !is_second && man.home.is_empty() && man.count as usize >= pawns.count()
            }
            role => {
                let home = man.home.single_square();
                let there = home.and_then(|home| board.remove_piece_at(home));
                there == Some(role.of(man.color))
                    && man.home.is_subset(man.squares)
                    && man.count == 1
            }
        };
        if !is_sound {
            return Err(Refuted::OtherMen);
        }
    }
    Ok(board)
}

/// The lines along which a move may have given check.
enum Opened {
    /// Lines through the square that a tracked man has left, and lines from the square on which it
    /// promoted.
    Through(Square, Option<Square>),
    /// All lines.
    All,
}

struct Checker<'a> {
    winner: Color,
    album: &'a Album,
}

impl Checker<'_> {
    /// Whether the winner can have only its king.
    fn is_bare(&self, board: &Board) -> bool {
        let has_loose = self.album.loose.iter().any(|man| man.color == self.winner);
        board.by_color(self.winner).count() == 1 && !has_loose
    }

    fn moves(&self, sketch: &Sketch) -> Result<Vec<(Sketch, Opened)>, Refuted> {
        let (board, us) = sketch;
        let mut moves = Vec::new();
        for (from, piece) in board.clone() {
            if piece.color != *us {
                continue;
            }
            for to in Square::ALL {
                if self.reaches(board, piece, from, to)? {
                    self.carry(board, piece, from, to, &mut moves)?;
                }
            }
        }
        for man in self.album.loose.iter().filter(|man| man.color == *us) {
            for from in man.squares & !board.occupied() {
                for to in Square::ALL {
                    if reaches(man, from, to, board.occupied()) {
                        self.roam(board, man, to, &mut moves)?;
                    }
                }
            }
        }
        Ok(moves)
    }

    /// Whether a tracked man may go to a square, legal or not.
    fn reaches(
        &self,
        board: &Board,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> Result<bool, Refuted> {
        let there = board.piece_at(to);
        if there.is_some_and(|there| there.color == piece.color || there.role == Role::King) {
            return Ok(false);
        }
        let enemy = piece.color.other();
        let hits = attacks::attacks(from, piece, board.occupied()).contains(to);
        if piece.role != Role::Pawn {
            return Ok(hits);
        }
        if hits {
            return Ok(there.is_some() || self.may_stand(enemy, to, board));
        }
        let (home, step) = piece.color.fold_wb((Rank::Second, 8), (Rank::Seventh, -8));
        let one = from.offset(step);
        if there.is_some() || one.is_some_and(|one| board.piece_at(one).is_some()) {
            return Ok(false);
        }
        if one == Some(to) {
            return Ok(true);
        }
        let is_double = from.rank() == home && one.and_then(|one| one.offset(step)) == Some(to);
        let neighbours = attacks::king_attacks(to) & Bitboard::from_rank(to.rank());
        if is_double && (neighbours & board.by_piece(Role::Pawn.of(enemy))).any() {
            return Err(Refuted::NotClosed(format!(
                "{to} may be captured in passing"
            )));
        }
        Ok(is_double)
    }

    fn carry(
        &self,
        board: &Board,
        piece: Piece,
        from: Square,
        to: Square,
        moves: &mut Vec<(Sketch, Opened)>,
    ) -> Result<(), Refuted> {
        let mut next = board.clone();
        next.discard_piece_at(from);
        next.discard_piece_at(to);
        let is_last = to.rank() == piece.color.fold_wb(Rank::Eighth, Rank::First);
        let promotes = piece.role == Role::Pawn && is_last;
        if promotes {
            let mut officers = self.album.loose.iter();
            let is_there = officers.any(|man| {
                man.color == piece.color && man.role == Role::Pawn && man.squares.contains(to)
            });
            if !is_there {
                return Err(Refuted::NotClosed(format!("a pawn may promote on {to}")));
            }
        } else {
            next.set_piece_at(to, piece);
        }
        if !self.is_surely_in_check(&next, piece.color) {
            let opened = Opened::Through(from, promotes.then_some(to));
            moves.push(((next, piece.color.other()), opened));
        }
        Ok(())
    }

    /// Handles a loose man going to a square.
    fn roam(
        &self,
        board: &Board,
        man: &Loose,
        to: Square,
        moves: &mut Vec<(Sketch, Opened)>,
    ) -> Result<(), Refuted> {
        let mut next = board.clone();
        match next.remove_piece_at(to) {
            Some(there) if there.color == man.color || there.role == Role::King => return Ok(()),
            _ => {}
        }
        // It may have interposed, so a line through its possible squares is not certain.
        if self.is_surely_in_check(&next, man.color) && !self.comes_between(&next, man, to) {
            return Ok(());
        }
        if !man.squares.contains(to) {
            let from = man
                .home
                .first()
                .map_or(String::new(), |home| home.to_string());
            return Err(Refuted::NotClosed(format!(
                "{}{from} may reach {to}",
                man.role.char()
            )));
        }
        moves.push(((next, man.color.other()), Opened::All));
        Ok(())
    }

    /// Whether a king would be out of check with a man on this square.
    fn comes_between(&self, board: &Board, man: &Loose, to: Square) -> bool {
        let king = board.king_of(man.color);
        king.is_some_and(|king| {
            let lines = board.occupied() | self.places(board) | to;
            board.attacks_to(king, man.color.other(), lines).is_empty()
        })
    }

    /// Whether tracked men attack a king wherever the loose men are.
    fn is_surely_in_check(&self, board: &Board, color: Color) -> bool {
        let lines = board.occupied() | self.places(board);
        let king = board.king_of(color);
        king.is_none_or(|king| board.attacks_to(king, color.other(), lines).any())
    }

    fn places(&self, board: &Board) -> Bitboard {
        let men = self.album.loose.iter();
        men.fold(Bitboard::EMPTY, |sum, man| sum | man.squares) & !board.occupied()
    }

    fn may_stand(&self, color: Color, square: Square, board: &Board) -> bool {
        let mut men = self.album.loose.iter().filter(|man| man.color == color);
        board.piece_at(square).is_none() && men.any(|man| man.squares.contains(square))
    }

    fn may_be_mate(&self, board: &Board, opened: &Opened) -> bool {
        let loser = self.winner.other();
        board.king_of(loser).is_some_and(|king| {
            self.may_give_check(board, king, opened)
                && self.is_shut_in(board, king)
                && !self.has_sure_reply(board, king)
        })
    }

    fn may_give_check(&self, board: &Board, king: Square, opened: &Opened) -> bool {
        let occupied = board.occupied();
        let officer = |at: Square| {
            attacks::queen_attacks(at, occupied).contains(king)
                || attacks::knight_attacks(at).contains(king)
        };
        board.attacks_to(king, self.winner, occupied).any()
            || match *opened {
                Opened::All => self.may_attack(board, king, occupied, |_| true),
                Opened::Through(from, became) => {
                    became.is_some_and(officer)
                        || self.may_attack(board, king, occupied, |at| {
                            attacks::between(at, king).contains(from)
                        })
                }
            }
    }

    /// Whether a loose man of the winner may attack a square from one of the chosen squares.
    fn may_attack(
        &self,
        board: &Board,
        to: Square,
        lines: Bitboard,
        chosen: impl Fn(Square) -> bool,
    ) -> bool {
        let mut men = self
            .album
            .loose
            .iter()
            .filter(|man| man.color == self.winner);
        men.any(|man| {
            let mut places = (man.squares & !board.occupied()).into_iter();
            places.any(|at| chosen(at) && reaches(man, at, to, lines))
        })
    }

    /// Whether each square beside a king is attacked or occupied, as far as possible.
    fn is_shut_in(&self, board: &Board, king: Square) -> bool {
        let loser = self.winner.other();
        let lines = board.occupied().without(king);
        let is_flight = |to: &Square| {
            board.color_at(*to) != Some(loser)
                && board.attacks_to(*to, self.winner, lines).is_empty()
                && !self.may_attack(board, *to, lines, |_| true)
        };
        let flights: Vec<Square> = attacks::king_attacks(king)
            .into_iter()
            .filter(is_flight)
            .collect();
        let blockers = self.album.loose.iter().filter(|man| man.color == loser);
        let blockers: Vec<&Loose> = blockers
            .flat_map(|man| (0..man.count.min(8)).map(move |_| man))
            .collect();
        flights
            .iter()
            .all(|flight| board.piece_at(*flight).is_none())
            && can_all_be_taken(&flights, &blockers)
    }

    /// Whether a tracked man other than the king has a certainly legal move.
    fn has_sure_reply(&self, board: &Board, king: Square) -> bool {
        let loser = self.winner.other();
        let lines = board.occupied() | self.places(board);
        let men = board.by_color(loser).without(king);
        men.into_iter().any(|from| {
            let piece = board.piece_at(from);
            Square::ALL.into_iter().any(|to| {
                let Some(piece) = piece else {
                    return false;
                };
                let there = board.piece_at(to);
                let is_victim = there
                    .is_some_and(|there| there.color == self.winner && there.role != Role::King);
                let is_free = there.is_none() && !self.may_stand(loser, to, board);
                let is_open = match piece.role {
                    Role::Pawn => is_victim && !Bitboard::BACKRANKS.contains(to),
                    _ => is_victim || is_free,
                };
                if !is_open || !attacks::attacks(from, piece, lines).contains(to) {
                    return false;
                }
                let mut next = board.clone();
                next.discard_piece_at(from);
                next.set_piece_at(to, piece);
                let occupied = next.occupied();
                next.attacks_to(king, self.winner, occupied).is_empty()
                    && !self.may_attack(&next, king, occupied, |_| true)
            })
        })
    }
}

/// Whether a loose man may go from one square to another in one move.
fn reaches(man: &Loose, from: Square, to: Square, lines: Bitboard) -> bool {
    match man.role {
        Role::Pawn => {
            attacks::queen_attacks(from, lines).contains(to)
                || attacks::knight_attacks(from).contains(to)
        }
        role => attacks::attacks(from, role.of(man.color), lines).contains(to),
    }
}

/// Whether a different man can be put on each square. By P. Hall's theorem (1935) this holds
/// exactly if every subset of the squares has at least as many suitable men. There are at most
/// eight squares, so this ends soon whatever an album claims.
fn can_all_be_taken(squares: &[Square], men: &[&Loose]) -> bool {
    let all: Bitboard = squares.iter().copied().collect();
    all.carry_rippler().all(|some| {
        let fit = men.iter().filter(|man| (man.squares & some).any());
        fit.count() >= some.count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every assignment of different men to the squares.
    fn tried(squares: &[Square], men: &[&Loose]) -> bool {
        let Some((square, rest)) = squares.split_first() else {
            return true;
        };
        (0..men.len()).any(|index| {
            let mut others = men.to_vec();
            let man = others.swap_remove(index);
            man.squares.contains(*square) && tried(rest, &others)
        })
    }

    #[test]
    fn men_are_counted_as_if_every_way_were_tried() {
        let squares = &Square::ALL[..5];
        let mut random = fastrand::Rng::with_seed(1);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..20_000 {
            let men: Vec<Loose> = (0..=random.u8(..7))
                .map(|_| Loose {
                    color: Color::White,
                    role: Role::Bishop,
                    home: Bitboard::EMPTY,
                    squares: Bitboard(u64::from(random.u32(..) & random.u32(..))),
                    count: 1,
                })
                .collect();
            let men: Vec<&Loose> = men.iter().collect();
            let squares = &squares[..random.usize(..6)];
            let can = can_all_be_taken(squares, &men);
            assert_eq!(can, tried(squares, &men), "{men:?}");
            yes += usize::from(can);
            no += usize::from(!can);
        }
        assert!(yes > 1_000 && no > 1_000, "{yes} and {no}");
    }
}
