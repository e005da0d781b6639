//! Target placements for a mate, which steer a best-first search.
//!
//! The distances of kings and men from their target squares order the positions of a closure. No
//! conclusion is drawn from them. The targets come from a possible mate on the board (the `net`
//! module). Behind a wall they come from mobility. There they are the squares beside the loser's
//! king that no man of the winner can ever attack: the loser's own men must occupy them.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{mobility::Mobility, plan::Distances, state::State};

/// The number of aims tried, nearest first.
pub(super) const MOST: usize = 4;
/// The cap on each distance.
const FAR: u32 = 12;

/// A square to mate a king on, with the target squares of the other men.
pub(super) struct Aim {
    winner: Color,
    square: Square,
    losers_king: Distances,
    /// The distances to the target of the winner's king, if it is needed.
    winners_king: Option<Distances>,
    posts: Vec<Post>,
}

/// A square to be occupied, with the distances of each role that may occupy it.
pub(super) struct Post {
    pub color: Color,
    pub ways: Vec<(Role, Distances)>,
}

const BLOCKERS: [Role; 3] = [Role::Knight, Role::Bishop, Role::Rook];

/// The possible aims of a side by its mobility, nearest first.
pub(super) fn aims(root: &State, winner: Color) -> Vec<Aim> {
    let loser = winner.other();
    let pawns = root.pieces(loser, Role::Pawn);
    let chances = Mobility::of(root).chances(winner);
    let aims = chances.into_iter().map(|chance| {
        let taken = (chance.taken & !pawns).into_iter();
        let post = |to| Post {
            color: loser,
            ways: BLOCKERS
                .map(|role| (role, way(root, to, role, loser)))
                .to_vec(),
        };
        Aim::new(
            root,
            winner,
            chance.square,
            chance.king,
            taken.map(post).collect(),
        )
    });
    let mut aims: Vec<Aim> = aims.collect();
    aims.sort_by_key(|aim| aim.far(root));
    aims.truncate(MOST);
    aims
}

impl Aim {
    pub fn new(
        root: &State,
        winner: Color,
        square: Square,
        king: Option<Square>,
        posts: Vec<Post>,
    ) -> Self {
        Self {
            winner,
            square,
            losers_king: way(root, square, Role::King, winner.other()),
            winners_king: king.map(|to| way(root, to, Role::King, winner)),
            posts,
        }
    }

    /// How near a position is to the aim; larger is nearer.
    pub fn nearness(&self, state: &State) -> u8 {
        u8::try_from(250_u32.saturating_sub(self.far(state))).unwrap_or(0)
    }

    fn far(&self, state: &State) -> u32 {
        let king = state.king(self.winner.other());
        let winners = self.winners_king.as_ref();
        let kings =
            at(&self.losers_king, king) + winners.map_or(0, |way| at(way, state.king(self.winner)));
        let mut posted = Bitboard::EMPTY;
        let men: u32 = self
            .posts
            .iter()
            .map(|post| post.far(state, &mut posted))
            .sum();
        let free = if king == self.square {
            self.uncovered(state)
        } else {
            8
        };
        kings * 5 + men * 5 + free
    }

    /// The number of squares beside the king that are neither attacked nor occupied by its own men.
    fn uncovered(&self, state: &State) -> u32 {
        let occupied = state.occupied().without(self.square);
        let around = attacks::king_attacks(self.square) & !state.of(self.winner.other());
        let free = around
            .into_iter()
            .filter(|to| state.attackers(*to, self.winner, occupied).is_empty());
        u32::try_from(free.count()).unwrap_or(8)
    }
}

impl Post {
    /// The distance of the nearest man without another post.
    fn far(&self, state: &State, posted: &mut Bitboard) -> u32 {
        let men = self.ways.iter().flat_map(|(role, way)| {
            let men = state.pieces(self.color, *role) & !*posted;
            men.into_iter().map(move |man| (at(way, man), man))
        });
        let Some((far, man)) = men.min_by_key(|(far, _)| *far) else {
            return FAR;
        };
        posted.add(man);
        far
    }
}

fn at(distances: &Distances, square: Square) -> u32 {
    u32::from(distances[usize::from(square)]).min(FAR)
}

/// The number of moves a piece needs from each square to `to`, moving around the pawns.
pub(super) fn way(root: &State, to: Square, role: Role, color: Color) -> Distances {
    let pawns = root.all(Role::Pawn);
    let guarded = match role {
        Role::King => pawn_attacks(root, color.other()),
        _ => Bitboard::EMPTY,
    };
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

/// The squares attacked by a side's pawns.
pub(super) fn pawn_attacks(state: &State, color: Color) -> Bitboard {
    let pawns = state.pieces(color, Role::Pawn).into_iter();
    let attacked = pawns.map(|pawn| attacks::pawn_attacks(color, pawn));
    attacked.fold(Bitboard::EMPTY, |sum, squares| sum | squares)
}
