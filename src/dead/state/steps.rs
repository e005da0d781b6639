//! The legal moves of a position, in a fixed order.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Kind, State, Step, castled, first_rank, forward, last_rank};

/// The squares where men other than the king may go, and those that block them.
#[derive(Clone, Copy)]
struct Way {
    targets: Bitboard,
    occupied: Bitboard,
}

impl State {
    /// All legal moves, in a fixed order.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::with_capacity(48);
        self.steps_into(&mut steps);
        steps
    }

    /// Appends all legal moves, in a fixed order.
    pub fn steps_into(&self, steps: &mut Vec<Step>) {
        self.each_step(|step| {
            steps.push(step);
            false
        });
    }

    /// Whether there is no legal move.
    pub fn is_over(&self) -> bool {
        !self.each_step(|_| true)
    }

    /// Whether the side to move is mated.
    pub fn is_mate(&self) -> bool {
        self.is_check() && self.is_over()
    }

    /// Calls `found` for each legal move until it returns true. Returns whether it did.
    pub fn each_step(&self, mut found: impl FnMut(Step) -> bool) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let occupied = self.occupied();
        let checkers = self.attackers(king, us.other(), occupied);
        // A man that is not in line with its king cannot expose it.
        let exposing = if checkers.any() {
            Bitboard::FULL
        } else {
            attacks::queen_attacks(king, occupied)
        };
        // The answers to a single check other than king moves: capture or interposition.
        let targets = match checkers.single_square() {
            Some(checker) => attacks::between(king, checker) | checker,
            None if checkers.any() => Bitboard::EMPTY,
            None => Bitboard::FULL,
        } & !self.of(us);
        let way = Way { targets, occupied };
        let mut offer = |step: Step| {
            let safe = step.role != Role::King
                && step.kind != Kind::EnPassant
                && !exposing.contains(step.from);
            (safe || self.is_legal(step)) && found(step)
        };
        self.pawn_steps(way, &mut offer)
            || self.piece_steps(way, &mut offer)
            || (checkers.is_empty() && self.castling_steps(king, occupied, &mut offer))
    }

    fn pawn_steps(&self, way: Way, offer: &mut impl FnMut(Step) -> bool) -> bool {
        let Way { targets, occupied } = way;
        let us = self.turn;
        let enemies = self.of(us.other());
        let second = first_rank(us).shift(forward(us));
        for from in self.pieces(us, Role::Pawn) {
            let hits = attacks::pawn_attacks(us, from);
            for to in hits & enemies & targets {
                if promotions(from, to, Kind::Capture, us, offer) {
                    return true;
                }
            }
            if let Some(passed) = self.en_passant.filter(|to| hits.contains(*to))
                && offer(en_passant(from, passed))
            {
                return true;
            }
            let Some(one) = from
                .offset(forward(us))
                .filter(|to| !occupied.contains(*to))
            else {
                continue;
            };
            if targets.contains(one) && promotions(from, one, Kind::Quiet, us, offer) {
                return true;
            }
            let two = one.offset(forward(us)).filter(|to| {
                second.contains(from) && targets.contains(*to) && !occupied.contains(*to)
            });
            if let Some(two) = two
                && offer(plain(from, two, Role::Pawn, Kind::Double))
            {
                return true;
            }
        }
        false
    }

    fn piece_steps(&self, way: Way, offer: &mut impl FnMut(Step) -> bool) -> bool {
        let Way { targets, occupied } = way;
        let us = self.turn;
        let own = self.of(us);
        for role in [
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::King,
        ] {
            let allowed = if role == Role::King { !own } else { targets };
            for from in self.pieces(us, role) {
                for to in attacks::attacks(from, role.of(us), occupied) & allowed {
                    let kind = if occupied.contains(to) {
                        Kind::Capture
                    } else {
                        Kind::Quiet
                    };
                    if offer(plain(from, to, role, kind)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Castling by 3.8.2: nothing in between, and the king crosses no attacked square.
    fn castling_steps(
        &self,
        king: Square,
        occupied: Bitboard,
        offer: &mut impl FnMut(Step) -> bool,
    ) -> bool {
        for rook in self.rights & self.of(self.turn) {
            let step = plain(king, rook, Role::King, Kind::Castle);
            let (king_to, rook_to) = castled(king, rook);
            let others = occupied.without(king).without(rook);
            let way = attacks::between(king, king_to).with(king_to);
            let rooks_way = attacks::between(rook, rook_to).with(rook_to);
            let them = self.turn.other();
            let is_attacked = |square| self.attackers(square, them, others).any();
            if (others & (way | rooks_way)).is_empty()
                && !way.into_iter().any(is_attacked)
                && offer(step)
            {
                return true;
            }
        }
        false
    }
}

const fn plain(from: Square, to: Square, role: Role, kind: Kind) -> Step {
    Step {
        from,
        to,
        role,
        becomes: role,
        kind,
    }
}

pub(super) const fn en_passant(from: Square, to: Square) -> Step {
    plain(from, to, Role::Pawn, Kind::EnPassant)
}

/// A pawn's step, once for each piece that it can become.
fn promotions(
    from: Square,
    to: Square,
    kind: Kind,
    color: Color,
    offer: &mut impl FnMut(Step) -> bool,
) -> bool {
    let step = plain(from, to, Role::Pawn, kind);
    if !last_rank(color).contains(to) {
        return offer(step);
    }
    [Role::Queen, Role::Knight, Role::Rook, Role::Bishop]
        .into_iter()
        .any(|becomes| offer(Step { becomes, ..step }))
}
