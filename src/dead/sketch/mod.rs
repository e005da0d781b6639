//! Sketches: exact places for the men that matter, any place for the others.
//!
//! If bishops roam behind a locked wall, a closure has far too many positions. Mobility alone
//! misses that a pawn cannot be captured because that would be stalemate. A *sketch* is a position
//! with only the *tracked* men on the board: the kings, the pawns and pieces that can hardly move.
//! Each of the *loose* men may be on any square that it can reach between the tracked men.
//!
//! All reachable sketches are visited, as in a closure. A move of a loose man only passes the turn,
//! unless it captures. Whatever a loose man might do is assumed possible: a move is omitted only if
//! it is illegal wherever the loose men are.
//!
//! `protocol/dead.md` has the proof.

mod mate;
mod moves;

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{
    packed::Packed,
    state::State,
    table::{MOST, PositionTable},
    text,
};

/// A loose man, with all squares where it may ever be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loose {
    /// The man's colour.
    #[serde(with = "text::color")]
    #[schemars(with = "String")]
    pub color: Color,
    /// The man's role; a pawn stands for all pieces that pawns of its colour may become.
    #[serde(with = "text::role")]
    #[schemars(with = "String")]
    pub role: Role,
    /// The man's current square; empty if it has yet to promote.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub home: Bitboard,
    /// The squares where it may ever be.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub squares: Bitboard,
    /// The number of men it stands for.
    pub count: u32,
}

/// A set of sketches closed under legal moves, none of them a mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Album {
    /// The loose men.
    pub loose: Vec<Loose>,
    /// The number of sketches of the other men.
    pub sketches: u32,
}

/// With fewer men or pawns nothing stays locked for long, and a closure works as well.
const FEWEST_MEN: usize = 10;
const FEWEST_PAWNS: usize = 4;
/// Up to this budget only the first choice of loose men is tried, and a promotion ends the attempt.
const FIRST_CHOICE: u32 = 2_000;
/// A piece with fewer squares than this is tracked.
const ROOM: usize = 9;

impl Loose {
    /// Whether this entry stands for promoted pawns, of which at least one may exist.
    fn has_promoted(&self) -> bool {
        self.role == Role::Pawn && self.squares.any()
    }

    /// The squares where it may be, without those occupied by tracked men.
    fn places(&self, tracked: Bitboard) -> Bitboard {
        self.squares & !tracked
    }

    /// The squares it may attack from a square.
    fn attacks(&self, from: Square, occupied: Bitboard) -> Bitboard {
        match self.role {
            Role::Pawn => attacks::queen_attacks(from, occupied) | attacks::knight_attacks(from),
            role => attacks::attacks(from, role.of(self.color), occupied),
        }
    }
}

/// Proves that `winner` never mates, with at most `budget` sketches for each choice of loose men in
/// turn.
pub(super) fn album(root: &State, winner: Color, budget: u32, stop: &AtomicBool) -> Option<Album> {
    if is_open(root) || root.rights().any() || root.en_passant().is_some() {
        return None;
    }
    let free = free(root);
    let others = [free & root.of(winner.other()), free & root.of(winner)];
    let is_first_only = budget <= FIRST_CHOICE;
    let others = others
        .into_iter()
        .filter(|loose| *loose != free && !is_first_only);
    std::iter::once(free)
        .chain(others)
        .find_map(|loose| Sketcher::new(root, winner, loose, budget).album(stop))
}

/// Whether there are too few men for a position to stay locked.
pub(super) fn is_open(root: &State) -> bool {
    root.occupied().count() < FEWEST_MEN || root.all(Role::Pawn).count() < FEWEST_PAWNS
}

/// The pieces that have room between pawns, kings and immobile pieces.
fn free(root: &State) -> Bitboard {
    let mut fixed = root.all(Role::Pawn) | root.all(Role::King);
    loop {
        let stuck = (root.occupied() & !fixed).into_iter().filter(|square| {
            let Some(role) = root.role_at(*square) else {
                return false;
            };
            room(*square, role, fixed).count() < ROOM
        });
        let stuck: Bitboard = stuck.collect();
        if stuck.is_empty() {
            return root.occupied() & !fixed;
        }
        fixed |= stuck;
    }
}

/// The squares that a piece can reach between fixed men.
fn room(home: Square, role: Role, fixed: Bitboard) -> Bitboard {
    let mut reached = Bitboard::from(home);
    loop {
        let next = reached.into_iter().fold(reached, |sum, square| {
            sum | (attacks::attacks(square, role.of(Color::White), fixed) & !fixed)
        });
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// Visits the sketches for one choice of loose men.
struct Sketcher {
    winner: Color,
    root: State,
    loose: Vec<Loose>,
    budget: u32,
    /// Whether a loose man gained squares in this round.
    grew: bool,
}

/// A move from one sketch to another.
struct Edge {
    next: State,
    by: Mover,
}

/// The man that moved.
#[derive(Clone, Copy)]
enum Mover {
    /// A tracked man from this square; if it promoted on another, it has become a loose man there.
    Tracked {
        from: Square,
        promoted: Option<Square>,
    },
    Loose,
}

impl Sketcher {
    fn new(root: &State, winner: Color, loose: Bitboard, budget: u32) -> Self {
        let mut men: Vec<Loose> = Vec::new();
        for home in loose {
            men.push(Loose {
                color: Color::from_white(root.of(Color::White).contains(home)),
                role: root.role_at(home).unwrap_or(Role::Pawn),
                home: Bitboard::from(home),
                squares: Bitboard::from(home),
                count: 1,
            });
        }
        for color in [Color::White, Color::Black] {
            let pawns = root.pieces(color, Role::Pawn).count();
            men.push(Loose {
                color,
                role: Role::Pawn,
                home: Bitboard::EMPTY,
                squares: Bitboard::EMPTY,
                count: u32::try_from(pawns).unwrap_or(u32::MAX),
            });
        }
        Self {
            winner,
            root: root.without(loose),
            loose: men,
            budget: budget.min(MOST),
            grew: false,
        }
    }

    /// Returns the album if no sketch is a mate. A round in which no loose man gains squares is
    /// complete.
    fn album(mut self, stop: &AtomicBool) -> Option<Album> {
        let mut budget = self.budget;
        loop {
            self.grew = false;
            let sketches = self.round(budget, stop)?;
            if !self.grew {
                let loose = self.loose.into_iter();
                return Some(Album {
                    loose: loose.filter(|man| man.squares.any()).collect(),
                    sketches,
                });
            }
            budget = budget.checked_sub(sketches)?;
        }
    }

    /// Visits all sketches from the root. Returns `None` if there may be a mate, or if there are
    /// too many.
    fn round(&mut self, budget: u32, stop: &AtomicBool) -> Option<u32> {
        let mut table = PositionTable::new();
        table.insert(Packed::new(&self.root));
        let (mut edges, mut keys) = (Vec::new(), Vec::new());
        let mut number = 0;
        while let Some(key) = table.get(number) {
            let sketch = key.unpack();
            edges.clear();
            self.moves(&sketch, &mut edges)?;
            if self.budget <= FIRST_CHOICE && self.loose.iter().any(Loose::has_promoted) {
                return None;
            }
            keys.clear();
            for edge in &edges {
                if self.is_bare(&edge.next) {
                    continue;
                }
                if edge.next.turn() != self.winner && self.may_be_mate(edge) {
                    return None;
                }
                let key = Packed::new(&edge.next);
                keys.push((key, key.mix()));
            }
            table.prepare(&keys);
            for (key, hash) in &keys {
                table.insert_hashed(*key, *hash);
            }
            number += 1;
            let is_stopped = number.is_multiple_of(1024) && stop.load(Ordering::Relaxed);
            if table.len() > budget || is_stopped {
                return None;
            }
        }
        Some(table.len())
    }

    /// Whether the winner has only its king.
    fn is_bare(&self, sketch: &State) -> bool {
        let is_winners = |man: &&Loose| man.color == self.winner && man.squares.any();
        sketch.of(self.winner).count() == 1 && !self.loose.iter().any(|man| is_winners(&man))
    }

    /// The squares where any loose man may be.
    fn places(&self, sketch: &State) -> Bitboard {
        let all = self.loose.iter().map(|man| man.squares);
        all.fold(Bitboard::EMPTY, |sum, squares| sum | squares) & !sketch.occupied()
    }

    fn places_of(&self, color: Color, sketch: &State) -> Bitboard {
        let own = self.loose.iter().filter(|man| man.color == color);
        let own = own.map(|man| man.squares);
        own.fold(Bitboard::EMPTY, |sum, squares| sum | squares) & !sketch.occupied()
    }
}

#[cfg(test)]
mod tests;
