//! Who has lifted what: for the articles on touched pieces.

use remisd_vocabulary::{reading::Reading, time::Millis};
use shakmaty::{Color, Square};

use super::{
    decoder::Decoder,
    told::Told,
    tree::{EMPTY, color},
};

/// Pieces that two players can hold at once.
const HANDS: usize = 2;

/// The pieces that the player having the move has lifted since the last announced ply.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    /// The position that they were lifted from, by its depth.
    depth: u32,
    told: u64,
    sure: u64,
    up: Vec<(u8, Color, Millis)>,
}

impl Touches {
    /// Tells each piece once that is missing while nothing else differs.
    pub(crate) fn notice(
        &mut self,
        decoder: &Decoder,
        told: &Told,
        now: Millis,
        readings: &mut Vec<Reading>,
    ) {
        let node = told.last();
        if node.depth != self.depth {
            *self = Self {
                depth: node.depth,
                ..Self::default()
            };
        }
        let differing = decoder.differing(node);
        self.up.retain(|(square, ..)| differing.contains(square));
        let missing = differing.iter().all(|&at| decoder.seen(at) == EMPTY);
        if !missing || differing.len() > HANDS {
            return;
        }
        for at in differing {
            let by = node.turn();
            let own = color(node.board[usize::from(at)]) == Some(by);
            if own && !self.up.iter().any(|(square, ..)| *square == at) {
                self.up.push((at, by, now));
            }
            if self.told & (1 << at) == 0 {
                self.told |= 1 << at;
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
    pub(crate) fn last(&mut self, now: Millis, touch_ms: Millis, readings: &mut Vec<Reading>) {
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
