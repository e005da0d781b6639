//! Reads comments, and the clock times in them.

use super::{MAX_COMMENT, PartialGame};
use crate::{
    TimeControl,
    comment::{ClockTime, PairOf, clock_time},
};

impl PartialGame {
    /// Continues a comment and returns what follows it on the line.
    pub(super) fn after_comment<'a>(&mut self, line: &'a str) -> &'a str {
        let Some(comment) = &mut self.comment else {
            return line;
        };
        let (part, rest) = match line.split_once('}') {
            Some((part, rest)) => (part, Some(rest)),
            None => (line, None),
        };
        let room = MAX_COMMENT.saturating_sub(comment.text.len());
        let end = (0..=room.min(part.len()))
            .rev()
            .find(|end| part.is_char_boundary(*end));
        comment.text.push_str(&part[..end.unwrap_or(0)]);
        let Some(rest) = rest else { return "" };
        if let Some(comment) = self.comment.take() {
            self.commented(&comment.text);
        }
        rest
    }

    /// Takes the clock time in a comment, for the move before it.
    pub(super) fn commented(&mut self, comment: &str) {
        if self.depth > 0 || self.game.unreadable.is_some() {
            return;
        }
        let Some(time) = clock_time(comment) else {
            return;
        };
        // A clock time after `0-0` belongs to a castling move, since a result has none.
        self.castle_by_zeros();
        let ms = match time {
            ClockTime::Exact(ms) => ms,
            ClockTime::Pair(first, second) => self.pair_of(first, second).ms(first, second),
        };
        match self.game.moves.last_mut() {
            Some(last) => last.clock_ms = Some(ms),
            None => self.game.start_clock_ms = Some(ms),
        }
    }

    /// The meaning of two numbers in this game; the first such pair decides.
    pub(super) fn pair_of(&mut self, first: u64, second: u64) -> PairOf {
        let moves = self.game.moves.iter();
        let shown = moves
            .filter_map(|m| m.clock_ms)
            .max()
            .or(self.game.start_clock_ms);
        let limit = shown.or_else(|| {
            let control: TimeControl = self.game.tag("TimeControl")?.parse().ok()?;
            Some(control.start_ms())
        });
        *self
            .pair_of
            .get_or_insert_with(|| PairOf::of(first, second, limit))
    }
}
