//! The solver's position type: bitboards, copied for every move.
//!
//! `shakmaty` is the reference for the rules. This type does the same faster, because a closure
//! makes hundreds of millions of moves. Counters are omitted: neither the 75-move rule nor
//! repetition affects whether a mate can be reached (5.2.2). The en passant square is set only if
//! such a capture is legal, so that equal states are equal positions. The tests compare perft with
//! `shakmaty`.

mod steps;

use shakmaty::{
    Bitboard, Chess, Color, EnPassantMode, File, Move, Position as _, Role, Square, attacks,
};

use steps::en_passant;

/// A move of a [`State`]. Castling is encoded as king takes rook, as in Chess960.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub from: Square,
    pub to: Square,
    /// The role of the moving man.
    pub role: Role,
    /// The role on `to` afterwards; it differs from `role` only in a promotion.
    pub becomes: Role,
    pub kind: Kind,
}

/// The side effect of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Quiet,
    Capture,
    /// A pawn's double step.
    Double,
    EnPassant,
    Castle,
}

impl Step {
    /// Whether a man is captured.
    pub const fn captures(self) -> bool {
        matches!(self.kind, Kind::Capture | Kind::EnPassant)
    }

    /// Whether no series of moves can undo it.
    pub fn is_irreversible(self) -> bool {
        self.role == Role::Pawn || self.captures() || self.kind == Kind::Castle
    }

    /// Whether a pawn is promoted.
    pub fn promotes(self) -> bool {
        self.role != self.becomes
    }

    /// The corresponding `shakmaty` move.
    pub fn to_move(self, state: &State) -> Move {
        let Self { from, to, .. } = self;
        match self.kind {
            Kind::Castle => Move::Castle {
                king: from,
                rook: to,
            },
            Kind::EnPassant => Move::EnPassant { from, to },
            Kind::Quiet | Kind::Capture | Kind::Double => Move::Normal {
                role: self.role,
                from,
                capture: state.role_at(to),
                to,
                promotion: self.promotes().then_some(self.becomes),
            },
        }
    }

    /// The step that corresponds to a `shakmaty` move.
    pub fn of(m: Move) -> Option<Self> {
        let (from, to, role) = (m.from()?, m.to(), m.role());
        let kind = match m {
            Move::Castle { .. } => Kind::Castle,
            Move::EnPassant { .. } => Kind::EnPassant,
            _ if m.is_capture() => Kind::Capture,
            _ if role == Role::Pawn && from.rank().distance(to.rank()) == 2 => Kind::Double,
            _ => Kind::Quiet,
        };
        let becomes = m.promotion().unwrap_or(role);
        Some(Self {
            from,
            to,
            role,
            becomes,
            kind,
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
    /// The en passant square, if a capture there is legal.
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

/// The promotion rank of a colour.
pub(crate) const fn last_rank(color: Color) -> Bitboard {
    match color {
        Color::White => Bitboard(0xff << 56),
        Color::Black => Bitboard(0xff),
    }
}

/// The back rank of a colour.
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
    /// A state from its parts; the caller guarantees that they are consistent.
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

    /// The men of `by` that attack a square, with lines blocked by the occupied squares.
    pub(super) fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
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

    /// The position without some men.
    pub(super) fn without(&self, men: Bitboard) -> Self {
        let mut next = *self;
        for board in next.by_role.iter_mut().chain(&mut next.by_color) {
            *board &= !men;
        }
        next
    }

    /// The position without some men and with others added, replacing whatever is there; castling
    /// rights are dropped.
    pub(super) fn arranged(
        &self,
        gone: Bitboard,
        men: impl Iterator<Item = (Color, Role, Square)>,
        turn: Color,
    ) -> Self {
        let mut next = self.without(gone);
        for (color, role, square) in men {
            next = next.without(Bitboard::from(square));
            next.by_color[color_index(color)].add(square);
            next.by_role[role_index(role)].add(square);
        }
        next.rights = Bitboard::EMPTY;
        next.en_passant = None;
        next.turn = turn;
        next
    }

    /// The position with the other side to move.
    pub(super) fn passed(&self) -> Self {
        let mut next = *self;
        next.turn = self.turn.other();
        next.en_passant = None;
        next
    }

    /// The position after a man of the side to move goes from one square to another, replacing
    /// whatever is there, or leaves the board. The other side is to move.
    pub(super) fn carried(&self, from: Square, to: Square, is_kept: bool) -> Self {
        let there = Bitboard::from(to);
        let mut next = self.without(there).passed();
        let own = &mut next.by_color[color_index(self.turn)];
        for board in next.by_role.iter_mut().chain([own]) {
            if board.contains(from) {
                board.discard(from);
                if is_kept {
                    *board |= there;
                }
            }
        }
        next
    }

    fn discard(&mut self, square: Square, color: Color) {
        let others = !Bitboard::from(square);
        self.by_color[color_index(color)] &= others;
        self.rights &= others;
        for board in &mut self.by_role {
            *board &= others;
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

    /// The square that a pawn has passed, if a capture there is legal.
    fn legal_en_passant(&self, from: Square, to: Square) -> Option<Square> {
        let passed = attacks::between(from, to).first()?;
        let capturers =
            attacks::pawn_attacks(self.turn.other(), passed) & self.pieces(self.turn, Role::Pawn);
        capturers
            .into_iter()
            .any(|capturer| self.is_legal(en_passant(capturer, passed)))
            .then_some(passed)
    }

    /// Whether a pseudo-legal move leaves its own king out of check.
    pub(super) fn is_legal(&self, step: Step) -> bool {
        let us = self.turn;
        if matches!(step.kind, Kind::EnPassant | Kind::Castle) {
            let after = self.after(step);
            return !after.is_attacked(after.king(us), us.other());
        }
        let king = if step.role == Role::King {
            step.to
        } else {
            self.king(us)
        };
        let occupied = self.occupied().without(step.from).with(step.to);
        self.attackers(king, us.other(), occupied)
            .is_subset(Bitboard::from(step.to))
    }
}

/// The squares of king and rook after castling (3.8.2).
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
mod tests;
