//! The moves between sketches: all that may be legal for some placement of the loose men.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Edge, Mover, Sketcher};
use crate::state::{State, last_rank};

impl Sketcher {
    /// All sketches that a move leads to. Returns `None` if an en passant capture may arise, which
    /// sketches cannot represent.
    pub(super) fn moves(&mut self, sketch: &State, edges: &mut Vec<Edge>) -> Option<()> {
        let us = sketch.turn();
        for from in sketch.of(us) {
            match sketch.role_at(from)? {
                Role::Pawn => self.pawn(sketch, from, edges)?,
                role => {
                    let barred = sketch.of(us) | sketch.king(us.other());
                    let way = attacks::attacks(from, role.of(us), sketch.occupied());
                    for to in way & !barred {
                        self.offer(sketch, from, to, edges);
                    }
                }
            }
        }
        for index in 0..self.loose.len() {
            if self.loose[index].color == us {
                self.loose_moves(sketch, index, edges);
            }
        }
        Some(())
    }

    fn pawn(&mut self, sketch: &State, from: Square, edges: &mut Vec<Edge>) -> Option<()> {
        let us = sketch.turn();
        let ahead = us.fold_wb(8, -8);
        let occupied = sketch.occupied();
        let enemies = sketch.of(us.other()).without(sketch.king(us.other()));
        let victims = enemies | self.places_of(us.other(), sketch);
        for to in attacks::pawn_attacks(us, from) & victims {
            self.offer(sketch, from, to, edges);
        }
        let Some(one) = from.offset(ahead).filter(|to| !occupied.contains(*to)) else {
            return Some(());
        };
        self.offer(sketch, from, one, edges);
        let second = last_rank(us.other()).shift(ahead);
        let Some(two) = one
            .offset(ahead)
            .filter(|to| second.contains(from) && !occupied.contains(*to))
        else {
            return Some(());
        };
        let capturers = attacks::pawn_attacks(us, one) & sketch.pieces(us.other(), Role::Pawn);
        if capturers.any() {
            return None;
        }
        self.offer(sketch, from, two, edges);
        Some(())
    }

    /// Adds a move of a tracked man, unless it certainly leaves its king in check.
    fn offer(&mut self, sketch: &State, from: Square, to: Square, edges: &mut Vec<Edge>) {
        let us = sketch.turn();
        let is_pawn = sketch.all(Role::Pawn).contains(from);
        let is_last = is_pawn && last_rank(us).contains(to);
        let next = sketch.carried(from, to, !is_last);
        if is_last {
            let officer = |man: &super::Loose| man.color == us && man.role == Role::Pawn;
            if let Some(index) = self.loose.iter().position(officer) {
                self.add(index, Bitboard::from(to));
            }
        }
        let blockers = next.occupied() | self.places(&next);
        if next.attackers(next.king(us), us.other(), blockers).any() {
            return;
        }
        let promoted = is_last.then_some(to);
        edges.push(Edge {
            next,
            by: Mover::Tracked { from, promoted },
        });
    }

    /// The moves of a loose man from all its possible squares.
    fn loose_moves(&mut self, sketch: &State, index: usize, edges: &mut Vec<Edge>) {
        let us = sketch.turn();
        let man = self.loose[index];
        let occupied = sketch.occupied();
        let arrivals = man
            .places(occupied)
            .into_iter()
            .fold(Bitboard::EMPTY, |sum, from| {
                sum | man.attacks(from, occupied)
            });
        let barred = sketch.of(us) | sketch.king(us.other());
        let arrivals = arrivals & !barred;
        for to in arrivals & occupied {
            let next = sketch.without(Bitboard::from(to)).passed();
            let blockers = next.occupied() | self.places(&next) | to;
            if is_safe(&next, us, blockers) {
                self.add(index, Bitboard::from(to));
                edges.push(Edge {
                    next,
                    by: Mover::Loose,
                });
            }
        }
        let quiet = arrivals & !occupied;
        let blockers = occupied | self.places(sketch) | quiet;
        if quiet.any() && is_safe(sketch, us, blockers) {
            self.add(index, quiet);
            edges.push(Edge {
                next: sketch.passed(),
                by: Mover::Loose,
            });
        }
    }

    fn add(&mut self, index: usize, squares: Bitboard) {
        let man = &mut self.loose[index];
        self.grew |= !squares.is_subset(man.squares);
        man.squares |= squares;
    }
}

/// Whether a king may be out of check if these squares block lines.
fn is_safe(sketch: &State, us: Color, blockers: Bitboard) -> bool {
    let king = sketch.king(us);
    sketch.attackers(king, us.other(), blockers).is_empty()
}
