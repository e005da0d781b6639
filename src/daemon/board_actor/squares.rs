//! What the sensors see, as it is published: on change, and not too often.

use jiff::Timestamp;

use crate::publish::views::SeenSquares;
use remisd_vocabulary::{
    sensor::{LinkReport, Placement, Sensed},
    time::{Moment, Span},
};

/// The shortest interval between two publications of the squares.
const SQUARES_INTERVAL: Span = Span::from_millis(100);

/// The squares as they are, beside those that were published.
#[derive(Debug, Default)]
pub struct SquaresWatch {
    seen: Option<SeenSquares>,
    published: Option<Placement>,
    published_at: Option<Moment>,
}

impl SquaresWatch {
    /// Takes a report of the board, which came at `time`.
    pub fn sense(&mut self, sensed: &Sensed, time: Timestamp) {
        let placement = match (sensed, &self.seen) {
            (Sensed::Placement(placement), _) => placement.clone(),
            // A change before the first placement says nothing about the other squares.
            (Sensed::Square(square, seen), Some(before)) => {
                let mut placement = before.placement.clone();
                placement.set(*square, *seen);
                placement
            }
            (Sensed::Link(LinkReport::Down { .. }), _) => {
                self.seen = None;
                return;
            }
            _ => return,
        };
        let is_known = |seen: &SeenSquares| seen.placement == placement;
        if !self.seen.as_ref().is_some_and(is_known) {
            self.seen = Some(SeenSquares {
                placement,
                at: time,
            });
        }
    }

    /// When squares other than the published ones may be published; `None` if there are none.
    pub fn due(&self) -> Option<Moment> {
        let seen = self.seen.as_ref().map(|seen| &seen.placement);
        let is_news = seen != self.published.as_ref();
        is_news.then(|| {
            self.published_at
                .map_or(Moment::START, |at| at + SQUARES_INTERVAL)
        })
    }

    /// Takes the squares to publish at `now`.
    pub fn publish(&mut self, now: Moment) -> Option<SeenSquares> {
        self.published = self.seen.as_ref().map(|seen| seen.placement.clone());
        self.published_at = Some(now);
        self.seen.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::sensor::{DownCode, Seen};
    use shakmaty::Square;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn the_last_squares_always_come_out_and_others_at_most_ten_times_a_second() {
        let mut watch = SquaresWatch::default();
        assert_eq!(watch.due(), None);
        watch.sense(&Sensed::Square(Square::E2, Seen::Empty), NOW);
        assert_eq!(watch.due(), None, "nothing is known of the other squares");
        watch.sense(&Sensed::Placement(Placement::start()), NOW);
        assert_eq!(watch.due(), Some(Moment::START));
        watch.publish(Moment::from_millis(1_000));
        watch.sense(&Sensed::Placement(Placement::start()), NOW);
        assert_eq!(watch.due(), None, "nothing has changed");
        for square in [Square::E2, Square::D2] {
            watch.sense(&Sensed::Square(square, Seen::Empty), NOW);
            assert_eq!(watch.due(), Some(Moment::from_millis(1_100)));
        }
        let seen = watch.publish(Moment::from_millis(1_100)).unwrap().placement;
        assert_eq!(
            (seen.get(Square::E2), seen.get(Square::D2)),
            (Seen::Empty, Seen::Empty)
        );
        assert_eq!(watch.due(), None);
    }

    #[test]
    fn a_lost_board_is_not_seen() {
        let mut watch = SquaresWatch::default();
        watch.sense(&Sensed::Placement(Placement::start()), NOW);
        watch.publish(Moment::START);
        let down = LinkReport::Down {
            code: DownCode::Silent,
            reason: String::new(),
        };
        watch.sense(&Sensed::Link(down), NOW);
        assert_eq!(watch.due(), Some(Moment::from_millis(100)));
        assert_eq!(watch.publish(Moment::from_millis(100)), None);
        assert_eq!(watch.due(), None);
    }
}
