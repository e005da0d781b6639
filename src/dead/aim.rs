//! Where everybody would have to stand for a mate: what a best-first search steers for.
//!
//! Mobility says on which squares the loser's king might be mated, and which squares beside it
//! no man of the winner's can ever attack: its own men have to take those. How far king and
//! men are from there orders the positions of a closure. Nothing is concluded from it.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{mobility::Mobility, state::State};

/// At most so many are tried, the nearest first.
const MOST: usize = 4;
const FAR: u32 = 12;

/// How many moves it takes from each square.
type Distances = [u8; 64];

/// A square to mate a king on, and what has to be where.
pub(super) struct Aim {
    winner: Color,
    square: Square,
    losers_king: Distances,
    /// Where the winner's king has to go, if it is needed.
    winners_king: Option<Distances>,
    /// Squares that the loser's men have to take: for each the ways of knight, bishop, rook.
    taken: Vec<(Square, [Distances; 3])>,
}

const BLOCKERS: [Role; 3] = [Role::Knight, Role::Bishop, Role::Rook];

/// The aims of a side, the nearest first.
pub(super) fn aims(root: &State, winner: Color) -> Vec<Aim> {
    let nets = Mobility::of(root).chances(winner);
    let aims = nets.into_iter().map(|net| {
        let pawns = root.all(Role::Pawn);
        let way = |to: Square, role: Role, color: Color| {
            let guarded = match role {
                Role::King => pawn_attacks(root, color.other()),
                _ => Bitboard::EMPTY,
            };
            distances(to, role, color, pawns, guarded)
        };
        let loser = winner.other();
        let taken = net.taken.into_iter();
        Aim {
            winner,
            square: net.square,
            losers_king: way(net.square, Role::King, loser),
            winners_king: net.king.map(|to| way(to, Role::King, winner)),
            taken: taken
                .map(|to| (to, BLOCKERS.map(|role| way(to, role, loser))))
                .collect(),
        }
    });
    let mut aims: Vec<Aim> = aims.collect();
    aims.sort_by_key(|aim| aim.far(root));
    aims.truncate(MOST);
    aims
}

impl Aim {
    /// How near a position is: the larger the nearer.
    pub fn nearness(&self, state: &State) -> u8 {
        u8::try_from(250_u32.saturating_sub(self.far(state))).unwrap_or(0)
    }

    fn far(&self, state: &State) -> u32 {
        let loser = self.winner.other();
        let at = |distances: &Distances, square: Square| {
            u32::from(distances[usize::from(square)]).min(FAR)
        };
        let king = state.king(loser);
        let winners = self.winners_king.as_ref();
        let kings =
            at(&self.losers_king, king) + winners.map_or(0, |way| at(way, state.king(self.winner)));
        let mut men: Vec<(usize, Square)> = Vec::new();
        for (index, role) in BLOCKERS.into_iter().enumerate() {
            let squares = state.pieces(loser, role).into_iter();
            men.extend(squares.map(|square| (index, square)));
        }
        let pawns = state.pieces(loser, Role::Pawn);
        let open = self.taken.iter().filter(|(to, _)| !pawns.contains(*to));
        let open: Vec<&[Distances; 3]> = open.map(|(_, ways)| ways).collect();
        let men = cheapest(&open, &mut men, &at);
        let free = if king == self.square {
            self.uncovered(state)
        } else {
            8
        };
        kings * 5 + men * 5 + free
    }

    /// How many squares beside the king are free.
    fn uncovered(&self, state: &State) -> u32 {
        let occupied = state.occupied().without(self.square);
        let around = attacks::king_attacks(self.square) & !state.of(self.winner.other());
        let free = around
            .into_iter()
            .filter(|to| state.attackers(*to, self.winner, occupied).is_empty());
        u32::try_from(free.count()).unwrap_or(8)
    }
}

/// The fewest moves in which different men take all these squares.
fn cheapest(
    open: &[&[Distances; 3]],
    men: &mut Vec<(usize, Square)>,
    at: &impl Fn(&Distances, Square) -> u32,
) -> u32 {
    let Some((ways, rest)) = open.split_first() else {
        return 0;
    };
    let choices = (0..men.len()).map(|index| {
        let man = men.swap_remove(index);
        let moves = at(&ways[man.0], man.1) + cheapest(rest, men, at);
        men.push(man);
        let last = men.len() - 1;
        men.swap(index, last);
        moves
    });
    let none = FAR * u32::try_from(open.len()).unwrap_or(8);
    choices.min().unwrap_or(none).min(none)
}

fn pawn_attacks(state: &State, color: Color) -> Bitboard {
    let pawns = state.pieces(color, Role::Pawn).into_iter();
    let attacked = pawns.map(|pawn| attacks::pawn_attacks(color, pawn));
    attacked.fold(Bitboard::EMPTY, |sum, squares| sum | squares)
}

/// How many moves a piece takes to a square between the pawns, from wherever it stands.
fn distances(
    to: Square,
    role: Role,
    color: Color,
    pawns: Bitboard,
    guarded: Bitboard,
) -> Distances {
    let mut distances = [u8::MAX; 64];
    let mut newest = Bitboard::from(to);
    let mut reached = newest;
    let mut moves = 0;
    while newest.any() {
        let mut next = Bitboard::EMPTY;
        for square in newest {
            distances[usize::from(square)] = moves;
            next |= attacks::attacks(square, role.of(color), pawns);
        }
        newest = next & !pawns & !guarded & !reached;
        reached |= newest;
        moves += 1;
    }
    distances
}
