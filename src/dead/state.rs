//! A position as the solver moves it: bitboards, copied for every move.
//!
//! `shakmaty` is the reference for the rules; this type does the same faster, because
//! a closure makes hundreds of millions of moves. Counters are left out: neither the
//! 75-move rule nor repetition has a say in whether a mate can be reached (5.2.2).
//! The en-passant square stands only where such a capture is legal, so that equal
//! states are equal positions. Perft against `shakmaty` is in the tests.

use shakmaty::{
    Bitboard, Chess, Color, EnPassantMode, File, Move, Position as _, Role, Square, attacks,
};

/// A move of a [`State`]. Castling goes to the square of the rook, as in Chess960.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub from: Square,
    pub to: Square,
    /// What moves.
    pub role: Role,
    /// What stands on `to` afterwards; differs from `role` in a promotion only.
    pub becomes: Role,
    pub kind: Kind,
}

/// What a move does besides carrying a piece from one square to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Quiet,
    Capture,
    /// A pawn's first move of two squares.
    Double,
    EnPassant,
    Castle,
}

impl Step {
    /// Whether a piece leaves the board.
    pub const fn captures(self) -> bool {
        matches!(self.kind, Kind::Capture | Kind::EnPassant)
    }

    /// Whether no series of moves takes it back.
    pub fn is_irreversible(self) -> bool {
        self.role == Role::Pawn || self.captures() || self.kind == Kind::Castle
    }

    /// Whether a pawn becomes a piece.
    pub fn promotes(self) -> bool {
        self.role != self.becomes
    }

    /// The same move among the legal moves of `shakmaty`.
    pub fn find_in(self, position: &Chess) -> Option<Move> {
        let promotion = self.promotes().then_some(self.becomes);
        let is_castle = self.kind == Kind::Castle;
        position.legal_moves().into_iter().find(|m| {
            m.from() == Some(self.from)
                && m.to() == self.to
                && m.promotion() == promotion
                && m.is_castle() == is_castle
        })
    }
}

/// A legal position without its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct State {
    by_role: [Bitboard; 6],
    by_color: [Bitboard; 2],
    /// Rooks that may still castle.
    rights: Bitboard,
    /// Where a pawn can legally be captured in passing.
    en_passant: Option<Square>,
    turn: Color,
}

const ROLES: [Role; 6] = Role::ALL;

const fn role_index(role: Role) -> usize {
    role as usize - 1
}

const fn color_index(color: Color) -> usize {
    color as usize
}

/// The rank a colour's pawns promote on.
pub(crate) const fn last_rank(color: Color) -> Bitboard {
    match color {
        Color::White => Bitboard(0xff << 56),
        Color::Black => Bitboard(0xff),
    }
}

/// The rank a colour's pieces begin on.
const fn first_rank(color: Color) -> Bitboard {
    last_rank(color.other())
}

const fn forward(color: Color) -> i32 {
    match color {
        Color::White => 8,
        Color::Black => -8,
    }
}

impl From<&Chess> for State {
    fn from(position: &Chess) -> Self {
        let board = position.board();
        Self {
            by_role: ROLES.map(|role| board.by_role(role)),
            by_color: [board.by_color(Color::Black), board.by_color(Color::White)],
            rights: position.castles().castling_rights(),
            en_passant: position.ep_square(EnPassantMode::Legal),
            turn: position.turn(),
        }
    }
}

impl State {
    /// A state from its parts, which the caller vouches for.
    pub(super) const fn from_parts(
        by_role: [Bitboard; 6],
        by_color: [Bitboard; 2],
        rights: Bitboard,
        en_passant: Option<Square>,
        turn: Color,
    ) -> Self {
        Self {
            by_role,
            by_color,
            rights,
            en_passant,
            turn,
        }
    }

    pub const fn turn(&self) -> Color {
        self.turn
    }

    pub const fn of(&self, color: Color) -> Bitboard {
        self.by_color[color_index(color)]
    }

    pub const fn all(&self, role: Role) -> Bitboard {
        self.by_role[role_index(role)]
    }

    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.of(color) & self.all(role)
    }

    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    pub const fn rights(&self) -> Bitboard {
        self.rights
    }

    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    pub fn role_at(&self, square: Square) -> Option<Role> {
        ROLES
            .into_iter()
            .find(|role| self.all(*role).contains(square))
    }

    /// The king of a colour; every legal position has one.
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// The pieces of `by` that attack a square.
    fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let straight = self.all(Role::Rook) | self.all(Role::Queen);
        let slanted = self.all(Role::Bishop) | self.all(Role::Queen);
        self.of(by)
            & ((attacks::pawn_attacks(by.other(), square) & self.all(Role::Pawn))
                | (attacks::knight_attacks(square) & self.all(Role::Knight))
                | (attacks::king_attacks(square) & self.all(Role::King))
                | (attacks::rook_attacks(square, occupied) & straight)
                | (attacks::bishop_attacks(square, occupied) & slanted))
    }

    /// Whether `by` attacks a square.
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.attackers(square, by, self.occupied()).any()
    }

    pub fn is_check(&self) -> bool {
        self.is_attacked(self.king(self.turn), self.turn.other())
    }

    /// The position after a pseudo-legal move.
    pub fn after(&self, step: Step) -> Self {
        let mut next = *self;
        let us = self.turn;
        next.en_passant = None;
        next.turn = us.other();
        if step.role == Role::King {
            next.rights &= !first_rank(us);
        } else {
            next.rights.discard(step.from);
        }
        match step.kind {
            Kind::Castle => {
                next.castle(step, us);
                return next;
            }
            Kind::Capture => next.discard(step.to, us.other()),
            Kind::EnPassant => {
                if let Some(victim) = step.to.offset(-forward(us)) {
                    next.discard(victim, us.other());
                }
            }
            Kind::Quiet | Kind::Double => {}
        }
        let there = Bitboard::from(step.to);
        let way = there | step.from;
        next.by_color[color_index(us)] ^= way;
        next.by_role[role_index(step.role)].discard(step.from);
        next.by_role[role_index(step.becomes)] |= there;
        if step.kind == Kind::Double {
            next.en_passant = next.legal_en_passant(step.from, step.to);
        }
        next
    }

    fn discard(&mut self, square: Square, color: Color) {
        self.by_color[color_index(color)].discard(square);
        self.rights.discard(square);
        for board in &mut self.by_role {
            board.discard(square);
        }
    }

    fn castle(&mut self, step: Step, us: Color) {
        let (king_to, rook_to) = castled(step.from, step.to);
        let own = &mut self.by_color[color_index(us)];
        own.discard(step.from);
        own.discard(step.to);
        own.add(king_to);
        own.add(rook_to);
        let kings = &mut self.by_role[role_index(Role::King)];
        kings.discard(step.from);
        kings.add(king_to);
        let rooks = &mut self.by_role[role_index(Role::Rook)];
        rooks.discard(step.to);
        rooks.add(rook_to);
    }

    /// The square that a pawn has passed, if it can legally be captured there.
    fn legal_en_passant(&self, from: Square, to: Square) -> Option<Square> {
        let passed = attacks::between(from, to).first()?;
        let capturers =
            attacks::pawn_attacks(self.turn.other(), passed) & self.pieces(self.turn, Role::Pawn);
        capturers
            .into_iter()
            .any(|capturer| self.is_legal(en_passant(capturer, passed)))
            .then_some(passed)
    }

    /// Whether a pseudo-legal move leaves the own king out of check.
    fn is_legal(&self, step: Step) -> bool {
        let us = self.turn;
        let after = self.after(step);
        !after.is_attacked(after.king(us), us.other())
    }

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

    /// Calls `found` for every legal move until it returns true; tells whether it did.
    pub fn each_step(&self, mut found: impl FnMut(Step) -> bool) -> bool {
        let us = self.turn;
        let king = self.king(us);
        let occupied = self.occupied();
        let checkers = self.attackers(king, us.other(), occupied);
        // A piece that does not stand in a line with its king cannot uncover it.
        let exposing = if checkers.any() {
            Bitboard::FULL
        } else {
            attacks::queen_attacks(king, occupied)
        };
        // What answers a single check other than the king: capture or interposition.
        let targets = match checkers.single_square() {
            Some(checker) => attacks::between(king, checker) | checker,
            None if checkers.any() => Bitboard::EMPTY,
            None => Bitboard::FULL,
        } & !self.of(us);
        let mut offer = |step: Step| {
            let safe = step.role != Role::King
                && step.kind != Kind::EnPassant
                && !exposing.contains(step.from);
            (safe || self.is_legal(step)) && found(step)
        };
        self.pawn_steps(targets, occupied, &mut offer)
            || self.piece_steps(targets, occupied, &mut offer)
            || (checkers.is_empty() && self.castling_steps(king, occupied, &mut offer))
    }

    fn pawn_steps(
        &self,
        targets: Bitboard,
        occupied: Bitboard,
        offer: &mut impl FnMut(Step) -> bool,
    ) -> bool {
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

    fn piece_steps(
        &self,
        targets: Bitboard,
        occupied: Bitboard,
        offer: &mut impl FnMut(Step) -> bool,
    ) -> bool {
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

    /// Castling by 3.8.2: nothing between, and the king crosses no attacked square.
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

const fn en_passant(from: Square, to: Square) -> Step {
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

/// Where king and rook stand after castling (3.8.2).
pub(super) fn castled(king: Square, rook: Square) -> (Square, Square) {
    let rank = king.rank();
    let (king_to, rook_to) = if rook > king {
        (File::G, File::F)
    } else {
        (File::C, File::D)
    };
    (
        Square::from_coords(king_to, rank),
        Square::from_coords(rook_to, rank),
    )
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn perft(state: &State, depth: u32) -> u64 {
        let steps = state.steps();
        if depth <= 1 {
            return steps.len() as u64;
        }
        steps
            .iter()
            .map(|step| perft(&state.after(*step), depth - 1))
            .sum()
    }

    /// Walks both trees side by side and compares every position.
    fn compare(position: &Chess, state: &State, depth: u32) {
        assert_eq!(&State::from(position), state);
        let steps = state.steps();
        assert_eq!(steps.len(), position.legal_moves().len());
        assert_eq!(state.is_check(), position.is_check());
        assert_eq!(state.is_over(), steps.is_empty());
        if depth == 0 {
            return;
        }
        for step in steps {
            let mut next = position.clone();
            next.play_unchecked(step.find_in(position).unwrap());
            compare(&next, &state.after(step), depth - 1);
        }
    }

    fn position(fen: &str) -> Chess {
        let setup = fen.parse::<Fen>().unwrap();
        let mode = CastlingMode::detect(setup.as_setup());
        setup.into_position(mode).unwrap()
    }

    #[test]
    fn every_position_of_short_lines_is_that_of_shakmaty() {
        for (fen, depth) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                3,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                3,
            ),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
            (
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                3,
            ),
            (
                "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
                3,
            ),
            (
                "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
                3,
            ),
            ("4k3/8/8/8/8/8/8/1K5R w H - 0 1", 4),
            ("rk5r/8/8/8/8/8/8/RK5R b HAha - 0 1", 3),
            ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", 4),
            ("8/8/3k4/8/2pP4/8/B7/3K4 b - d3 0 1", 4),
        ] {
            let position = position(fen);
            compare(&position, &State::from(&position), depth);
        }
    }

    #[test]
    fn perft_of_the_array() {
        let start = State::from(&Chess::default());
        assert_eq!(perft(&start, 4), 197_281);
    }
}
