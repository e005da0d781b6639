//! The games that the public saw before the one that it sees now.
//!
//! A retained topic has one value. A reader that was away when a game ended, or a broker that was,
//! gets the next game instead, and the end of the last one never again. So the topic `earlier` says
//! how the newest games were left: by the payload that `game` had last. That payload has passed the
//! delay before its successor, so nothing comes out earlier than before.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::publish::views::View;
use remisd_vocabulary::seq::EntrySeq;

/// The most games that are kept: in a blitz event, several may end during one outage.
pub(super) const KEPT: usize = 4;
/// The most bytes of their payloads. A broker may refuse greater messages.
const BYTES: usize = 128 * 1024;

/// The newest games before the one that the public sees.
#[derive(Debug, Default)]
pub(super) struct EarlierGames {
    /// The game that the public sees.
    game: Option<EntrySeq>,
    /// It has a move or a result.
    has_content: bool,
    /// The last payloads of those before it, oldest first.
    payloads: VecDeque<Bytes>,
}

impl EarlierGames {
    /// Notes that the public sees a state of `game` next, which has a move or a result or neither.
    /// `last` is what it saw before. Returns whether this is another game than before.
    pub(super) fn follow(
        &mut self,
        game: EntrySeq,
        has_content: bool,
        last: Option<&Bytes>,
    ) -> bool {
        let is_other = self.game != Some(game);
        if is_other && self.has_content {
            self.payloads.extend(last.cloned());
            self.bound();
        }
        (self.game, self.has_content) = (Some(game), has_content);
        is_other
    }

    /// Drops the oldest games, and never the newest one.
    fn bound(&mut self) {
        let bytes = |payloads: &VecDeque<Bytes>| payloads.iter().map(Bytes::len).sum::<usize>();
        while self.payloads.len() > 1
            && (self.payloads.len() > KEPT || bytes(&self.payloads) > BYTES)
        {
            self.payloads.pop_front();
        }
    }

    /// The content of the topic; `None` if there is no such game.
    pub(super) fn view(&self) -> Option<View> {
        View::of_earlier(self.payloads.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_games_with_content_are_kept_within_bounds() {
        let mut earlier = EarlierGames::default();
        let mut last: Option<Bytes> = None;
        for number in 1..=12_u64 {
            let is_other = earlier.follow(EntrySeq::new(number), number % 2 == 0, last.as_ref());
            assert!(is_other);
            assert!(!earlier.follow(EntrySeq::new(number), number % 2 == 0, last.as_ref()));
            last = Some(number.to_string().into());
        }
        // 12 is the game that is played; the odd ones are empty.
        assert_eq!(earlier.payloads, ["4", "6", "8", "10"]);
        let games = earlier.view().unwrap().content()["games"].to_string();
        assert_eq!(games, "[4,6,8,10]");
        let large = Bytes::from(vec![b'1'; BYTES + 1]);
        earlier.follow(EntrySeq::new(13), true, Some(&large));
        assert_eq!(earlier.payloads, [large]);
    }
}
