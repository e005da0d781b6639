//! Decides whether a move to a sketch may be mate for some placement of the loose men.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Edge, Loose, Mover, Sketcher};
use crate::state::{State, last_rank};

impl Sketcher {
    /// Whether the move may be mate; the loser is to move in the resulting sketch.
    pub(super) fn may_be_mate(&self, edge: &Edge) -> bool {
        let sketch = &edge.next;
        let king = sketch.king(sketch.turn());
        self.may_check(edge, king) && self.may_be_shut_in(sketch, king) && !self.can_reply(sketch)
    }

    /// Whether the move may give check, by a man that has arrived or along an opened line.
    fn may_check(&self, edge: &Edge, king: Square) -> bool {
        let sketch = &edge.next;
        let occupied = sketch.occupied();
        if sketch.attackers(king, self.winner, occupied).any() {
            return true;
        }
        match edge.by {
            Mover::Loose => self.may_attack(self.winner, king, occupied),
            Mover::Tracked { from, promoted } => {
                let officer =
                    attacks::queen_attacks(king, occupied) | attacks::knight_attacks(king);
                promoted.is_some_and(|square| officer.contains(square))
                    || self.winners().any(|man| {
                        let mut places = man.places(occupied).into_iter();
                        places.any(|at| {
                            attacks::between(at, king).contains(from)
                                && man.attacks(at, occupied).contains(king)
                        })
                    })
            }
        }
    }

    fn winners(&self) -> impl Iterator<Item = &Loose> {
        self.loose.iter().filter(|man| man.color == self.winner)
    }

    /// Whether a loose man of a colour may attack a square.
    fn may_attack(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        let mut men = self.loose.iter().filter(|man| man.color == color);
        men.any(|man| {
            let mut places = man.places(occupied).into_iter();
            places.any(|at| man.attacks(at, occupied).contains(square))
        })
    }

    /// Whether every square beside the king may be attacked, or occupied by one of its own men.
    fn may_be_shut_in(&self, sketch: &State, king: Square) -> bool {
        let loser = sketch.turn();
        let lines = sketch.occupied().without(king);
        let around = attacks::king_attacks(king) & !sketch.of(loser);
        let flights = around.into_iter().filter(|to| {
            sketch.attackers(*to, self.winner, lines).is_empty()
                && !self.may_attack(self.winner, *to, lines)
        });
        let mut flights: Vec<Bitboard> = flights
            .map(|to| {
                let men = self.loose.iter().zip(0..);
                let blocks = men.filter(|(man, _)| {
                    man.color == loser && man.places(sketch.occupied()).contains(to)
                });
                let blocks = blocks.map(|(_, number)| Square::new(number));
                blocks.fold(Bitboard::EMPTY, Bitboard::with)
            })
            .collect();
        flights.sort_unstable_by_key(|men| men.count());
        let mut left: Vec<u32> = self.loose.iter().map(|man| man.count).collect();
        all_taken(&flights, &mut left)
    }

    /// Whether a tracked man of the loser certainly has a move after which its king is certainly
    /// not in check.
    fn can_reply(&self, sketch: &State) -> bool {
        let loser = sketch.turn();
        let own = sketch.of(loser) | self.places_of(loser, sketch);
        let anybody = sketch.occupied() | self.places(sketch);
        let king = sketch.king(loser);
        let enemies = sketch.of(self.winner).without(sketch.king(self.winner));
        sketch.of(loser).without(king).into_iter().any(|from| {
            let Some(role) = sketch.role_at(from) else {
                return false;
            };
            let reach = attacks::attacks(from, role.of(loser), anybody);
            let arrivals = match role {
                Role::Pawn => reach & enemies & !last_rank(loser),
                _ => reach & !own & !Bitboard::from(sketch.king(self.winner)),
            };
            arrivals.into_iter().any(|to| {
                let after = sketch.carried(from, to, true);
                let occupied = after.occupied();
                after.attackers(king, self.winner, occupied).is_empty()
                    && !self.may_attack(self.winner, king, occupied)
            })
        })
    }
}

/// Whether a different man can occupy each square, with a limited number of each kind.
fn all_taken(flights: &[Bitboard], left: &mut [u32]) -> bool {
    let Some((men, rest)) = flights.split_first() else {
        return true;
    };
    men.into_iter().any(|man| {
        let man = usize::from(man);
        if left[man] == 0 {
            return false;
        }
        left[man] -= 1;
        let taken = all_taken(rest, left);
        left[man] += 1;
        taken
    })
}
