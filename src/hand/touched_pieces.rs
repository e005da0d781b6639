//! Who has lifted what: for the articles on touched pieces.

use remisd_vocabulary::{reading::Reading, time::Millis};
use shakmaty::{Color, Square};

use super::{
    announcements::Announcements,
    decoder::Decoder,
    tree::{EMPTY, color},
};

/// Pieces that two players can hold at once.
const MAX_GESTURES: usize = 2;

/// The pieces that the player having the move has lifted since the last announced ply.
#[derive(Debug, Default)]
pub(crate) struct TouchedPieces {
    /// The position that they were lifted from, by its depth.
    depth: u32,
    announced: u64,
    sure: u64,
    up: Vec<(u8, Color, Millis)>,
}

impl TouchedPieces {
    /// Tells each piece once that is missing while nothing else differs.
    pub(crate) fn announce_lifts(
        &mut self,
        decoder: &Decoder,
        announced: &Announcements,
        now: Millis,
        readings: &mut Vec<Reading>,
    ) {
        let node = announced.last();
        if node.depth != self.depth {
            *self = Self {
                depth: node.depth,
                ..Self::default()
            };
        }
        let differing = decoder.differing_squares(node);
        self.up.retain(|(square, ..)| differing.contains(square));
        let missing = differing.iter().all(|&at| decoder.seen(at) == EMPTY);
        if !missing || differing.len() > MAX_GESTURES {
            return;
        }
        for at in differing {
            let by = node.turn();
            let own = color(node.board[usize::from(at)]) == Some(by);
            if own && !self.up.iter().any(|(square, ..)| *square == at) {
                self.up.push((at, by, now));
            }
            if self.announced & (1 << at) == 0 {
                self.announced |= 1 << at;
                let square = Square::new(u32::from(at));
                readings.push(Reading::Touched {
                    square,
                    by,
                    sure: false,
                });
            }
        }
    }

    /// A piece that has been up for long was touched beyond doubt.
    pub(crate) fn announce_sure(
        &mut self,
        now: Millis,
        touch_ms: Millis,
        readings: &mut Vec<Reading>,
    ) {
        for &(at, by, since) in &self.up {
            if now >= since + touch_ms && self.sure & (1 << at) == 0 {
                self.sure |= 1 << at;
                let square = Square::new(u32::from(at));
                readings.push(Reading::Touched {
                    square,
                    by,
                    sure: true,
                });
            }
        }
    }
}
