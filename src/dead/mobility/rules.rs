//! The rules of mobility. Each one adds squares; none removes any.
//!
//! The numbers are those of `protocol/dead.md`, which proves each rule.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{super::state::last_rank, Man, Mobility};

/// The limits on the men of one colour, given the mobility so far.
struct Bounds {
    /// Homes of own men that never leave, which no man of this colour can enter. (M1)
    own: Bitboard,
    /// The same plus the homes of such enemy men, where no pawn can be pushed. (M3)
    any: Bitboard,
    /// The home of an enemy king that never moves. (M2)
    king: Bitboard,
    /// Squares on which enemy men may be captured. (M4)
    victims: Bitboard,
    /// Squares that the enemy always attacks, which the king cannot enter. (M6)
    held: Bitboard,
}

impl Mobility {
    /// Applies every rule once. Returns false if nothing changed.
    pub(super) fn grow(&mut self) -> bool {
        let mut grew = false;
        for color in [Color::White, Color::Black] {
            let bounds = self.bounds(color);
            let mut captures = Bitboard::EMPTY;
            for index in 0..self.men.len() {
                let man = self.men[index];
                if man.color != color || self.stays(&man) {
                    continue;
                }
                let (next, hits) = self.moved(&man, &bounds);
                grew |= next != man;
                captures |= hits;
                self.men[index] = next;
            }
            grew |= self.capture(color.other(), captures);
        }
        grew
    }

    /// M7: a man may be captured on a square where it may be and an enemy man may arrive.
    fn capture(&mut self, color: Color, captures: Bitboard) -> bool {
        let mut grew = false;
        let passed = self.en_passant.filter(|passed| captures.contains(*passed));
        let victim = passed.and_then(|passed| passed.offset(-forward(color.other())));
        for man in &mut self.men {
            let is_hit = (captures & man.mobility()).any() || Some(man.home) == victim;
            let is_hit = is_hit && self.kept != Some(man.home);
            if man.color == color && man.role != Role::King && !man.capturable && is_hit {
                man.capturable = true;
                grew = true;
            }
        }
        grew
    }

    fn bounds(&self, color: Color) -> Bounds {
        let mut bounds = Bounds {
            own: Bitboard::EMPTY,
            any: Bitboard::EMPTY,
            king: Bitboard::EMPTY,
            victims: self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from),
            held: self.held(color.other()),
        };
        for man in &self.men {
            let home = Bitboard::from(man.home);
            if !man.may_leave() {
                bounds.any |= home;
                if man.color == color {
                    bounds.own |= home;
                } else if man.role == Role::King {
                    bounds.king = home;
                }
            }
            if man.color != color && man.role != Role::King {
                bounds.victims |= man.mobility();
            }
        }
        bounds
    }

    /// The squares that a colour attacks in every position: those attacked by one of its
    /// uncapturable men from each of its possible squares.
    pub(super) fn held(&self, by: Color) -> Bitboard {
        // A line may be blocked wherever any man may be, except by the king in question.
        let others = self
            .men
            .iter()
            .filter(|man| !man.is(by.other(), Role::King));
        let occupied = others.fold(Bitboard::EMPTY, |sum, man| sum | man.mobility());
        self.of_color(by)
            .filter(|man| !man.capturable && man.promoted.is_empty())
            .map(|man| {
                let piece = man.role.of(man.color);
                let from = man.squares.into_iter();
                from.map(|square| attacks::attacks(square, piece, occupied))
                    .fold(Bitboard::FULL, |all, squares| all & squares)
            })
            .fold(Bitboard::EMPTY, |sum, squares| sum | squares)
    }

    /// Whether a rule moves a man from its possible squares to another one.
    pub(super) fn can_move(&self, man: &Man) -> bool {
        let (next, _) = self.moved(man, &self.bounds(man.color));
        next != *man
    }

    /// A man after all its moves within the bounds, and the squares where it may capture.
    fn moved(&self, man: &Man, bounds: &Bounds) -> (Man, Bitboard) {
        let mut man = *man;
        let free = !bounds.own & !bounds.king;
        match man.role {
            Role::Pawn => {
                let hits = self.pawn(&mut man, bounds);
                man.promoted = flood(man.promoted, free, officer);
                (man, hits | (officer(man.promoted) & free))
            }
            Role::King => {
                man.squares = flood(man.squares, free & !bounds.held, king);
                (man, king(man.squares) & free & !bounds.held)
            }
            role => {
                let step = match role {
                    Role::Knight => knight,
                    Role::Bishop => bishop,
                    Role::Rook => rook,
                    _ => king,
                };
                man.squares = flood(man.squares, free, step);
                (man, step(man.squares) & free)
            }
        }
    }

    /// M3 to M5: pushes, captures and promotion of a pawn. Returns where it may capture.
    fn pawn(&self, man: &mut Man, bounds: &Bounds) -> Bitboard {
        let limit = self.file_mates(man);
        let ahead = forward(man.color);
        loop {
            let pushes = man.squares.shift(ahead) & !bounds.any & limit;
            let hits = pawn_hits(man.color, man.squares) & bounds.victims & !bounds.own;
            let squares = man.squares | pushes | hits;
            if squares == man.squares {
                man.promoted |= squares & last_rank(man.color);
                return hits;
            }
            man.squares = squares;
        }
    }

    /// M3b: a pawn that never leaves its file stays in front of each opposing pawn there that never
    /// leaves the file and is never captured.
    fn file_mates(&self, man: &Man) -> Bitboard {
        let file = Bitboard::from_file(man.home.file());
        if !man.mobility().is_subset(file) {
            return Bitboard::FULL;
        }
        let faces = |other: &&Man| {
            other.role == Role::Pawn
                && !other.capturable
                && other.mobility().is_subset(file)
                && is_before(man.color, man.home, other.home)
        };
        let mut limit = Bitboard::FULL;
        for other in self.of_color(man.color.other()).filter(faces) {
            let before = file.into_iter();
            let before = before.filter(|square| is_before(man.color, *square, other.home));
            let before = before.fold(Bitboard::EMPTY, Bitboard::with);
            limit &= before | !file;
        }
        limit
    }
}

/// Whether square `a` comes before `b` in the direction of a colour's pawns.
fn is_before(color: Color, a: Square, b: Square) -> bool {
    match color {
        Color::White => a.rank() < b.rank(),
        Color::Black => a.rank() > b.rank(),
    }
}

const fn forward(color: Color) -> i32 {
    match color {
        Color::White => 8,
        Color::Black => -8,
    }
}

/// The squares reached from `from` by repeated steps of one kind over free squares.
fn flood(from: Bitboard, free: Bitboard, step: fn(Bitboard) -> Bitboard) -> Bitboard {
    let mut reached = from;
    loop {
        let next = reached | (step(reached) & free);
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

const NOT_A: Bitboard = Bitboard(0xfefe_fefe_fefe_fefe);
const NOT_H: Bitboard = Bitboard(0x7f7f_7f7f_7f7f_7f7f);

/// One step of a rook. A long move is many steps: the rook could have stopped on each square on the
/// way.
fn rook(squares: Bitboard) -> Bitboard {
    squares.shift(8) | squares.shift(-8) | east(squares) | west(squares)
}

fn bishop(squares: Bitboard) -> Bitboard {
    let sides = east(squares) | west(squares);
    sides.shift(8) | sides.shift(-8)
}

fn king(squares: Bitboard) -> Bitboard {
    rook(squares) | bishop(squares)
}

fn knight(squares: Bitboard) -> Bitboard {
    let near = east(squares) | west(squares);
    let far = east(east(squares)) | west(west(squares));
    near.shift(16) | near.shift(-16) | far.shift(8) | far.shift(-8)
}

/// One step of a piece of unknown role.
fn officer(squares: Bitboard) -> Bitboard {
    king(squares) | knight(squares)
}

fn east(squares: Bitboard) -> Bitboard {
    (squares & NOT_H).shift(1)
}

fn west(squares: Bitboard) -> Bitboard {
    (squares & NOT_A).shift(-1)
}

fn pawn_hits(color: Color, squares: Bitboard) -> Bitboard {
    (east(squares) | west(squares)).shift(forward(color))
}
