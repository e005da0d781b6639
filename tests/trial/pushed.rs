//! A limit of any reader without piece identities. The capturing piece pushes the captured one off
//! its square, another capture was possible as well, and so is every later move after that one.
//!
//! Only certain cases count: a ply with any other report than that a piece has left its square
//! counts as readable.

use std::collections::BTreeSet;

use remisd::simulate::score::Score;
use remisd_vocabulary::sensor::{LinkReport, Placement, Sensed};
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position, Rank, Square};

/// The most positions followed beside the true one.
const MOST: usize = 64;

/// Tracks the reports of the board during each ply.
#[derive(Debug, Clone, Default)]
pub struct Pushed {
    /// The number of plies made at each reported change, with its square.
    reported: BTreeSet<(usize, Square)>,
    shown: Option<Placement>,
    made: usize,
    /// Plies during an outage.
    unseen: BTreeSet<usize>,
}

/// A position that may be on the board, and the ply since which it differs from the true one.
#[derive(Clone)]
struct Possible {
    position: Chess,
    since: Option<usize>,
}

impl Pushed {
    pub fn made(&mut self, ply: usize) {
        self.made = ply + 1;
    }

    pub fn sensed(&mut self, sensed: &Sensed) {
        match sensed {
            Sensed::Link(LinkReport::Down { .. }) => {
                self.unseen.insert(self.made);
                self.shown = None;
            }
            Sensed::Square(square, seen) => {
                self.reported.insert((self.made, *square));
                if let Some(shown) = &mut self.shown {
                    shown.set(*square, *seen);
                }
            }
            Sensed::Placement(placement) => {
                self.unseen
                    .extend(self.shown.is_none().then_some(self.made));
                for square in Square::ALL {
                    let before = self.shown.as_ref().map(|shown| shown.get(square));
                    if before.is_some_and(|before| before != placement.get(square)) {
                        self.reported.insert((self.made, square));
                    }
                }
                self.shown = Some(placement.clone());
            }
            _ => {}
        }
    }

    /// The first ply that no reader could determine.
    pub fn first(&self, score: &Score) -> Option<usize> {
        let truth = Possible {
            position: score.start.clone(),
            since: None,
        };
        let mut possible = vec![truth];
        for (ply, played) in score.plies.iter().enumerate() {
            // The board may still be reporting the previous plies.
            let before = &score.plies[ply.saturating_sub(2)..ply];
            let before =
                (before.iter()).fold(Bitboard::EMPTY, |all, ply| all | squares(ply.played));
            let unseen = self.is_unseen(ply, played.played, before);
            let mut next: Vec<Possible> = Vec::new();
            for one in possible {
                let moves = one.position.legal_moves();
                let like = moves.iter().filter(|&&m| {
                    let same = is_alike(m, played.played);
                    same || (unseen && self.may_be(ply, m, played.played))
                });
                for &m in like {
                    let mut position = one.position.clone();
                    position.play_unchecked(m);
                    let since = one.since.or((m != played.played).then_some(ply));
                    add(&mut next, Possible { position, since });
                }
            }
            possible = next;
        }
        possible.iter().filter_map(|one| one.since).min()
    }

    /// Whether the only report of a capture is that its piece left.
    fn is_unseen(&self, ply: usize, m: Move, before: Bitboard) -> bool {
        let reported = |made: usize, square: Square| self.reported.contains(&(made, square));
        let Some(from) = m.from().filter(|_| m.is_capture() && !m.is_en_passant()) else {
            return false;
        };
        let others = !(before | Bitboard::from(from));
        let outage = (ply..=ply + 2).any(|made| self.unseen.contains(&made));
        !outage
            && !reported(ply, m.to())
            && !reported(ply + 1, m.to())
            && !others.into_iter().any(|square| reported(ply, square))
    }

    /// Whether a capture with the same piece would have looked like the actual one.
    fn may_be(&self, ply: usize, m: Move, played: Move) -> bool {
        let reported = |made: usize| self.reported.contains(&(made, m.to()));
        let same = m.from() == played.from() && m.promotion() == played.promotion();
        m.is_capture() && !m.is_en_passant() && same && !reported(ply) && !reported(ply + 1)
    }
}

/// The squares that a move changes.
fn squares(m: Move) -> Bitboard {
    let castle = m.castling_side().map(|side| {
        let color = Color::from_white(m.to().rank() == Rank::First);
        Bitboard::from(side.king_to(color)) | Bitboard::from(side.rook_to(color))
    });
    let from = m.from().map_or(Bitboard::EMPTY, Bitboard::from);
    from | Bitboard::from(m.to()) | castle.unwrap_or(Bitboard::EMPTY)
}

/// Whether a move changes the same squares as the actual one.
fn is_alike(m: Move, played: Move) -> bool {
    (m.from(), m.to(), m.is_en_passant()) == (played.from(), played.to(), played.is_en_passant())
        && m.is_capture() == played.is_capture()
        && m.promotion() == played.promotion()
}

fn add(possible: &mut Vec<Possible>, one: Possible) {
    let rights = |position: &Chess| {
        let castles = position.castles().castling_rights();
        (castles, position.ep_square(EnPassantMode::Legal))
    };
    let known = possible.iter().any(|known| {
        let (known, one) = (&known.position, &one.position);
        known.board() == one.board() && rights(known) == rights(one)
    } && known.since.is_some() == one.since.is_some());
    if !known && possible.len() < MOST {
        possible.push(one);
    }
}
