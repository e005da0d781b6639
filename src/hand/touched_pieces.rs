//! The pieces that a player has touched, for Article 4.

use remisd_vocabulary::{
    reading::Reading,
    time::{Moment, Span},
};
use shakmaty::{Color, Square};

use super::{
    announcements::Announcements,
    content::{EMPTY, color},
    decoder::Decoder,
};

/// Two players can hold one piece each.
const MAX_HELD: usize = 2;

/// The pieces that the player having the move has lifted since the last announced ply.
#[derive(Debug, Default)]
pub(crate) struct TouchedPieces {
    /// The depth of the position from which they were lifted.
    depth: u32,
    announced: u64,
    sure: u64,
    lifted: Vec<(u8, Color, Moment)>,
}

impl TouchedPieces {
    /// Announces each missing piece once, if no other square differs.
    pub(crate) fn announce_lifts(
        &mut self,
        decoder: &Decoder,
        announced: &Announcements,
        now: Moment,
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
        self.lifted
            .retain(|(square, ..)| differing.contains(square));
        let missing = differing.iter().all(|&at| decoder.seen(at) == EMPTY);
        if !missing || differing.len() > MAX_HELD {
            return;
        }
        for at in differing {
            let by = node.turn();
            let own = color(node.board[usize::from(at)]) == Some(by);
            if own && !self.lifted.iter().any(|(square, ..)| *square == at) {
                self.lifted.push((at, by, now));
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

    /// Announces that a piece was touched beyond doubt, because it was lifted for long.
    pub(crate) fn announce_sure(
        &mut self,
        now: Moment,
        touch_after: Span,
        readings: &mut Vec<Reading>,
    ) {
        for &(at, by, since) in &self.lifted {
            if now >= since + touch_after && self.sure & (1 << at) == 0 {
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
