//! The plan that prices the moves of the helpmate search.
//!
//! The plan is that of the paper. The loser's king goes into a corner of the right colour, with a
//! piece of its own beside it. The winner's king stops in front of it, and the remaining men give
//! mate. The plan only orders and prices moves; no conclusion is drawn from it.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::state::{State, Step};

/// The depth that a move costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Price {
    /// Free: the move helps.
    Reward,
    /// One ply.
    Normal,
    /// Three plies: the move harms.
    Punish,
}

impl Price {
    pub const fn plies(self) -> i32 {
        match self {
            Self::Reward => 0,
            Self::Normal => 1,
            Self::Punish => 3,
        }
    }
}

/// The plan to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Into the corner that suits the bishops.
    Corner,
    /// The winner's king first captures the men in its way.
    Hunt,
    /// Into a corner of the other colour.
    OtherCorner,
}

/// The target squares of the pieces.
pub(super) struct Plan {
    winner: Color,
    /// The square beside the corner, where a piece of the loser blocks a flight square.
    beside: Square,
    /// The distance of each square from a piece's target.
    losers_king: Distances,
    losers_knight: Distances,
    winners_king: Distances,
    winners_knight: Distances,
    /// Whether the winner's king hunts the loser's men instead.
    hunts: bool,
    /// Whether the winner has only knights and bishops: then only the corner works.
    minor: bool,
    /// Whether the loser must promote to a piece that blocks its own king.
    needs_promotion: bool,
}

/// The number of moves from each square to a target, or back.
pub(super) type Distances = [u8; 64];

impl Plan {
    pub fn new(state: &State, winner: Color, variant: Variant) -> Self {
        let bishops = state.all(Role::Bishop);
        let own = state.of(winner) & bishops;
        let theirs = state.of(winner.other()) & bishops;
        let dark = (own & Bitboard::DARK_SQUARES).any()
            || (own.is_empty() && (theirs & Bitboard::LIGHT_SQUARES).any());
        let dark = dark ^ (variant == Variant::OtherCorner);
        // As seen by White: h8 is dark, a8 is light.
        let place = |square: Square| {
            let square = if dark {
                square
            } else {
                square.flip_horizontal()
            };
            // Rotating the board keeps the square colours; flipping does not.
            winner.fold_wb(square, square.rotate_180())
        };
        let beside = place(Square::G8);
        // The king covers the flight squares from either square. But a knight beside the corner
        // gives check to one of them, and a bishop there guards the knight's way.
        let before = if own.any() { Square::G6 } else { Square::H6 };
        Self {
            winner,
            beside,
            losers_king: distances(place(Square::H8), attacks::king_attacks),
            losers_knight: distances(beside, attacks::knight_attacks),
            winners_king: distances(place(before), attacks::king_attacks),
            // One move away from both squares that give check to the corner.
            winners_knight: distances(place(Square::E5), attacks::knight_attacks),
            minor: has_minor_pieces_only(state, winner),
            hunts: variant == Variant::Hunt,
            needs_promotion: needs_promotion(state, winner),
        }
    }

    /// Whether the winner has only knights and bishops.
    pub const fn is_for_minor_pieces(&self) -> bool {
        self.minor
    }

    /// How near a position is to the corner net; larger is nearer.
    pub fn nearness(&self, state: &State) -> u8 {
        let loser = self.winner.other();
        let at = |distances: &Distances, square: Square| u32::from(distances[usize::from(square)]);
        let kings = at(&self.losers_king, state.king(loser))
            + at(&self.winners_king, state.king(self.winner));
        let men = state.of(loser) & !state.all(Role::King) & !state.all(Role::Queen);
        let knights = state.pieces(loser, Role::Knight).into_iter();
        let blocker = if men.contains(self.beside) {
            0
        } else {
            let nearest = knights.map(|knight| at(&self.losers_knight, knight)).min();
            nearest.map_or(2, |moves| moves.min(6))
        };
        let ranks = state.pieces(loser, Role::Pawn).into_iter().map(|pawn| {
            let rank = u32::from(pawn.rank());
            loser.fold_wb(7 - rank, rank)
        });
        let promotion = if self.needs_promotion && needs_promotion(state, self.winner) {
            20 + ranks.min().unwrap_or(0) * 4
        } else {
            0
        };
        let far = kings * 6 + blocker * 4 + promotion;
        u8::try_from(250_u32.saturating_sub(far)).unwrap_or(0)
    }

    /// The price of a move made in `state`.
    pub fn price(&self, state: &State, step: Step) -> Price {
        if state.turn() == self.winner {
            self.winners(state, step)
        } else {
            self.losers(state, step)
        }
    }

    fn winners(&self, state: &State, step: Step) -> Price {
        if step.captures() {
            return Price::Reward;
        }
        match step.role {
            Role::Pawn => Price::Reward,
            Role::King if self.hunts => hunt(state, step),
            Role::King => self.king(&self.winners_king, step),
            Role::Knight => closer(&self.winners_knight, step),
            _ => Price::Normal,
        }
    }

    fn losers(&self, state: &State, step: Step) -> Price {
        if step.captures() {
            return Price::Punish;
        }
        // One promotion may be enough; then normal prices apply again.
        let needs_promotion = self.needs_promotion && needs_promotion(state, self.winner);
        match step.role {
            Role::Pawn if needs_promotion => match step.becomes {
                Role::Queen | Role::Rook => Price::Punish,
                _ => Price::Reward,
            },
            Role::Pawn => Price::Punish,
            _ if needs_promotion && state.pieces(state.turn(), Role::Pawn).any() => Price::Normal,
            Role::King => self.king(&self.losers_king, step),
            Role::Knight => closer(&self.losers_knight, step),
            Role::Bishop | Role::Rook if step.to == self.beside => Price::Reward,
            _ => Price::Normal,
        }
    }

    fn king(&self, distances: &Distances, step: Step) -> Price {
        let [from, to] = [step.from, step.to].map(|square| distances[usize::from(square)]);
        if to > from && self.minor {
            Price::Punish
        } else {
            closer(distances, step)
        }
    }
}

fn has_minor_pieces_only(state: &State, winner: Color) -> bool {
    let strong = state.all(Role::Pawn) | state.all(Role::Rook) | state.all(Role::Queen);
    (state.of(winner) & strong).is_empty()
}

/// Rewards a king that approaches the nearest of the enemy's men.
fn hunt(state: &State, step: Step) -> Price {
    let men = state.of(state.turn().other()) & !state.all(Role::King);
    let nearest = |square: Square| men.into_iter().map(|man| square.distance(man)).min();
    if nearest(step.to) < nearest(step.from) {
        Price::Reward
    } else {
        Price::Normal
    }
}

fn closer(distances: &Distances, step: Step) -> Price {
    if distances[usize::from(step.to)] < distances[usize::from(step.from)] {
        Price::Reward
    } else {
        Price::Normal
    }
}

/// Whether the winner could not mate if the loser had no pawns. Then a pawn must become a piece
/// that blocks its own king.
fn needs_promotion(state: &State, winner: Color) -> bool {
    let own = state.of(winner);
    let all = |role| state.all(role);
    if !has_minor_pieces_only(state, winner) {
        return false;
    }
    let loser = state.of(winner.other());
    if (own & all(Role::Knight)).any() {
        let pieces = all(Role::Rook) | all(Role::Knight) | all(Role::Bishop);
        return own.count() == 2 && (loser & pieces).is_empty();
    }
    let bishops = all(Role::Bishop);
    let one_colour = (bishops & Bitboard::DARK_SQUARES).is_empty()
        || (bishops & Bitboard::LIGHT_SQUARES).is_empty();
    one_colour && all(Role::Knight).is_empty()
}

/// Distances on an empty board.
fn distances(target: Square, moves: fn(Square) -> Bitboard) -> Distances {
    let mut distances = [u8::MAX; 64];
    let mut reached = Bitboard::EMPTY;
    let mut newest = Bitboard::from(target);
    let mut distance = 0;
    while newest.any() {
        for square in newest {
            distances[usize::from(square)] = distance;
        }
        reached |= newest;
        let next = newest.into_iter().map(moves);
        newest = next.fold(Bitboard::EMPTY, |sum, squares| sum | squares) & !reached;
        distance += 1;
    }
    distances
}
