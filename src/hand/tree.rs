//! The tree of legal lines. All hypotheses share its nodes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use super::{
    content::{Content, EMPTY, INVERTED, Squares, bit, content, piece},
    cost::{Cost, ln_of},
    model::{PIECE_VALUES, SOUND, UNDERPROMOTED, UNSOUND, UPSIDE_DOWN, USUAL},
};

/// The changes that one legal move makes.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) m: Move,
    /// The squares that it changes.
    pub(crate) changed: u64,
    /// Their contents afterwards. Unused entries repeat the first.
    pub(crate) after: [(u8, Content); 4],
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// The square of the captured piece.
    pub(crate) capture_square: Option<u8>,
    /// Its weight among all legal moves.
    pub(crate) weight: u32,
}

impl Effect {
    /// The content of `square` afterwards, if the move changes it.
    pub(crate) fn content_after(&self, square: u8) -> Option<Content> {
        (self.after.iter()).find_map(|&(at, end)| (at == square).then_some(end))
    }

    /// The square from which the piece with this content comes.
    pub(crate) fn origin(&self, end: Content) -> u8 {
        let rook = piece(end).is_some_and(|piece| piece.role == Role::Rook);
        if rook && self.m.is_castle() {
            self.after[1].0
        } else {
            self.from
        }
    }

    /// Its squares that do not hold their final content yet.
    pub(crate) fn missing(&self, physical: &Squares) -> u64 {
        (self.after.iter())
            .filter(|&&(square, end)| physical[usize::from(square)] != end)
            .fold(0, |set, &(square, _)| set | bit(square))
    }
}

/// A position of a legal line.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) depth: u32,
    pub(crate) parent: Option<Arc<Self>>,
    pub(crate) m: Option<Move>,
    pub(crate) position: Chess,
    /// The content of each square.
    pub(crate) board: Squares,
    effects: OnceLock<Box<[Effect]>>,
    children: Mutex<Vec<(u16, Weak<Self>)>>,
}

impl Node {
    pub(crate) fn root(position: Chess) -> Arc<Self> {
        let mut board = [EMPTY; 64];
        for (square, piece) in position.board() {
            board[square as usize] = content(piece);
        }
        Arc::new(Self::new(position, board, None, None))
    }

    fn new(position: Chess, board: Squares, parent: Option<Arc<Self>>, m: Option<Move>) -> Self {
        Self {
            depth: parent.as_ref().map_or(0, |parent| parent.depth + 1),
            parent,
            m,
            position,
            board,
            effects: OnceLock::new(),
            children: Mutex::default(),
        }
    }

    pub(crate) fn turn(&self) -> Color {
        self.position.turn()
    }

    /// An identifier, valid while the node is alive.
    pub(crate) fn id(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self) as usize
    }

    /// Whether its legal moves have been asked for.
    #[cfg(test)]
    pub(crate) fn is_expanded(&self) -> bool {
        self.effects.get().is_some()
    }

    /// The changes of each legal move.
    pub(crate) fn effects(&self) -> &[Effect] {
        self.effects.get_or_init(|| {
            let moves = self.position.legal_moves();
            let inverted = |m: &&Move| m.promotion() == Some(Role::Queen);
            let upside_down = moves.iter().filter(inverted).map(|&m| self.inverted(m));
            (moves.iter().map(|&m| self.effect(m)))
                .chain(upside_down)
                .collect()
        })
    }

    /// A promotion to a queen with an inverted rook.
    fn inverted(&self, m: Move) -> Effect {
        let mut effect = self.effect(m);
        effect.after[1].1 = INVERTED[usize::from(self.turn().is_black())];
        effect.weight = UPSIDE_DOWN;
        effect
    }

    fn effect(&self, m: Move) -> Effect {
        let us = self.turn();
        let to = m.to() as u8;
        let from = m.from().map_or(to, |from| from as u8);
        let (mut ends, mut capture_square, mut weight) = (Vec::with_capacity(4), None, USUAL);
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                ends.push((from as u8, EMPTY));
                let carried = self.board[from as usize];
                ends.push((
                    to as u8,
                    promotion.map_or(carried, |role| content(role.of(us))),
                ));
                capture_square = capture.map(|_| to as u8);
                if let Some(victim) = capture {
                    weight = self.plausible(role, victim, to);
                }
                if promotion.is_some_and(|role| role != Role::Queen) {
                    weight = UNDERPROMOTED;
                }
            }
            Move::EnPassant { from, to } => {
                let victim = Square::from_coords(to.file(), from.rank());
                ends.push((from as u8, EMPTY));
                ends.push((to as u8, content(Role::Pawn.of(us))));
                ends.push((victim as u8, EMPTY));
                capture_square = Some(victim as u8);
            }
            Move::Castle { king, rook } => {
                let side = m.castling_side().expect("it castles");
                ends.push((king as u8, EMPTY));
                ends.push((rook as u8, EMPTY));
                ends.push((side.king_to(us) as u8, content(Role::King.of(us))));
                ends.push((side.rook_to(us) as u8, content(Role::Rook.of(us))));
            }
            Move::Put { role, to } => ends.push((to as u8, content(role.of(us)))),
        }
        let changed = ends.iter().fold(0, |set, &(square, _)| set | bit(square));
        while ends.len() < 4 {
            ends.push(ends[0]);
        }
        let to = if m.is_castle() { ends[2].0 } else { to };
        Effect {
            m,
            changed,
            after: [ends[0], ends[1], ends[2], ends[3]],
            from,
            to,
            capture_square,
            weight,
        }
    }

    /// The weight of a capture. One that loses material is rare.
    fn plausible(&self, role: Role, victim: Role, to: Square) -> u32 {
        let value = |role: Role| PIECE_VALUES[role as usize - 1];
        let board = self.position.board();
        let defenders = board.attacks_to(to, self.turn().other(), board.occupied());
        if value(victim) >= value(role) || defenders.is_empty() {
            SOUND
        } else {
            UNSOUND
        }
    }

    /// The position after the move with this index.
    pub(crate) fn child(self: &Arc<Self>, index: usize) -> Arc<Self> {
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        let known = children.iter().position(|(at, _)| *at == number);
        if let Some(child) = known.and_then(|at| children[at].1.upgrade()) {
            return child;
        }
        let m = self.effects()[index].m;
        let mut after = self.position.clone();
        after.play_unchecked(m);
        let mut board = self.board;
        for (square, end) in self.effects()[index].after {
            board[usize::from(square)] = end;
        }
        let child = Arc::new(Self::new(after, board, Some(self.clone()), Some(m)));
        match known {
            Some(at) => children[at].1 = Arc::downgrade(&child),
            None => children.push((number, Arc::downgrade(&child))),
        }
        child
    }

    /// The cost of choosing a move that fits, among all legal moves.
    pub(crate) fn choice_cost(&self, fits: impl Fn(&Effect) -> bool) -> Option<Cost> {
        let effects = self.effects();
        let all: u32 = effects.iter().map(|e| e.weight).sum();
        let fit: u32 = effects.iter().filter(|e| fits(e)).map(|e| e.weight).sum();
        (fit > 0).then(|| ln_of(all) - ln_of(fit))
    }

    /// The node of this line at a depth, if the line is that long.
    pub(crate) fn at(self: &Arc<Self>, depth: u32) -> Option<&Arc<Self>> {
        let mut node = self;
        while node.depth > depth {
            node = node.parent.as_ref()?;
        }
        (node.depth == depth).then_some(node)
    }
}

impl Drop for Node {
    /// Drops the ancestors one by one: recursion would overflow the stack after a long game.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_line_is_dropped_without_recursion() {
        let mut last = Node::root(Chess::default());
        for _ in 0..200_000 {
            let (position, board) = (last.position.clone(), last.board);
            last = Arc::new(Node::new(position, board, Some(last), None));
        }
        assert_eq!(last.depth, 200_000);
        drop(last);
    }

    #[test]
    fn a_castling_changes_four_squares_and_contents_are_pieces() {
        let fen: shakmaty::fen::Fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().expect("FEN");
        let position = fen
            .into_position(shakmaty::CastlingMode::Standard)
            .expect("legal");
        let node = Node::root(position);
        let castles = node
            .effects()
            .iter()
            .find(|e| e.m.is_castle())
            .expect("it may");
        assert_eq!(castles.changed.count_ones(), 4);
        assert_eq!(castles.to, Square::G1 as u8);
        let child = node.child(0);
        assert!(Arc::ptr_eq(&child, &node.child(0)), "shared while it lives");
        for (square, piece) in node.position.board() {
            assert_eq!(super::piece(node.board[square as usize]), Some(piece));
        }
    }
}
