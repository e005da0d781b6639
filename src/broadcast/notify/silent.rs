//! Phones that do not take messages, for the boards that the messages are about.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use remisd_vocabulary::{name::BoardId, text::OneLine};
use tokio::{sync::watch, time::Instant};

/// After so many failures in a row nothing reaches a phone. A shorter outage is not reported.
const FAILURES: u32 = 3;
/// Nor does anything after a failure for so long.
const LONGEST: Duration = Duration::from_mins(1);
/// The most characters of a reason.
const REASON: usize = 200;

/// The phones that do not take the messages about a board, by name, with the first reason.
pub type SilentPhones = BTreeMap<String, OneLine>;

/// The silent phones of all boards; a handle. Boards without any are left out.
#[derive(Debug, Clone, Default)]
pub struct SilentByBoard(watch::Sender<BTreeMap<BoardId, SilentPhones>>);

impl SilentByBoard {
    /// A receiver that is notified of each change.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<BTreeMap<BoardId, SilentPhones>> {
        self.0.subscribe()
    }

    /// Shows the boards of which this phone does not take messages. A board for which that is known
    /// keeps its reason: each attempt may fail for another one.
    fn show(&self, phone: &str, lacking: &BTreeSet<BoardId>, reason: &OneLine) {
        self.0.send_if_modified(|boards| {
            let before = boards.clone();
            for board in lacking {
                let phones = boards.entry(board.clone()).or_default();
                phones
                    .entry(phone.to_owned())
                    .or_insert_with(|| reason.clone());
            }
            boards.retain(|board, phones| {
                if !lacking.contains(board) {
                    phones.remove(phone);
                }
                !phones.is_empty()
            });
            *boards != before
        });
    }
}

/// How the messages to one phone fare.
#[derive(Debug)]
pub(super) struct Reach {
    phone: String,
    shown: SilentByBoard,
    /// Failures in a row, and when the first of these attempts began.
    failures: Option<(u32, Instant)>,
    /// The next attempt comes so late that it is not waited for.
    waits_long: bool,
    /// Why the last message was not taken.
    reason: OneLine,
}

impl Reach {
    pub(super) fn new(phone: String, shown: SilentByBoard) -> Self {
        Self {
            phone,
            shown,
            failures: None,
            waits_long: false,
            reason: OneLine::new("a message was refused before the daemon started"),
        }
    }

    /// That of a phone to which nothing can be sent, for this reason.
    pub(super) fn never(phone: String, shown: SilentByBoard, reason: &str) -> Self {
        Self {
            waits_long: true,
            reason: OneLine::bounded(reason, REASON),
            ..Self::new(phone, shown)
        }
    }

    /// The server has answered: it has taken a message, or will never take it.
    pub(super) fn answered(&mut self) {
        self.failures = None;
        self.waits_long = false;
    }

    /// Notes why the last message was not taken.
    pub(super) fn note_reason(&mut self, reason: &str) {
        self.reason = OneLine::bounded(reason, REASON);
    }

    /// An attempt that began at `began` has failed, and the next one is made after `wait`.
    pub(super) fn failed(&mut self, reason: &str, began: Instant, wait: Duration) {
        self.note_reason(reason);
        let (before, first) = self.failures.unwrap_or((0, began));
        self.failures = Some((before.saturating_add(1), first));
        self.waits_long = wait >= LONGEST;
    }

    /// Whether nothing reaches the phone now.
    pub(super) fn is_down(&self, now: Instant) -> bool {
        let is_down = |(failures, first): (u32, Instant)| {
            failures >= FAILURES || now.duration_since(first) >= LONGEST
        };
        self.waits_long || self.failures.is_some_and(is_down)
    }

    /// Shows the boards about which urgent messages are lacking.
    pub(super) fn show(&self, lacking: &BTreeSet<BoardId>) {
        self.shown.show(&self.phone, lacking, &self.reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(id: &str) -> BoardId {
        id.parse().unwrap()
    }

    fn boards(ids: &[&str]) -> BTreeSet<BoardId> {
        ids.iter().map(|id| board(id)).collect()
    }

    fn silent(shown: &SilentByBoard, id: &str) -> Vec<String> {
        let boards = shown.subscribe();
        let phones = boards.borrow().get(&board(id)).cloned().unwrap_or_default();
        let phones = phones.iter();
        phones
            .map(|(name, reason)| format!("{name}: {reason}"))
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_phone_is_down_after_three_failures_a_minute_or_a_long_wait() {
        let reach = || Reach::new("notify.0".to_owned(), SilentByBoard::default());
        let (now, wait) = (Instant::now(), Duration::from_secs(5));
        let mut thrice = reach();
        for fails in [false, false, true] {
            thrice.failed("no route", now, wait);
            assert_eq!(thrice.is_down(now), fails);
        }
        thrice.answered();
        assert!(!thrice.is_down(now));
        let mut slow = reach();
        slow.failed("no route", now, wait);
        assert!(!slow.is_down(now + LONGEST - wait));
        assert!(slow.is_down(now + LONGEST));
        let mut asked = reach();
        asked.failed("429", now, Duration::from_hours(1));
        assert!(asked.is_down(now));
        let never = Reach::never("notify.0".to_owned(), SilentByBoard::default(), "no token");
        assert!(never.is_down(now));
    }

    #[test]
    fn each_phone_shows_its_boards_and_only_changes_are_news() {
        let shown = SilentByBoard::default();
        let mut news = shown.subscribe();
        let mut first = Reach::new("notify.0".to_owned(), shown.clone());
        let mut second = Reach::new("notify.1".to_owned(), shown.clone());
        first.note_reason("400: no");
        first.show(&boards(&["b1", "b2"]));
        second.note_reason("413: too long");
        second.show(&boards(&["b1"]));
        assert_eq!(
            silent(&shown, "b1"),
            ["notify.0: 400: no", "notify.1: 413: too long"]
        );
        news.mark_unchanged();
        first.note_reason("500: another reason each time");
        first.show(&boards(&["b1", "b2"]));
        assert!(!news.has_changed().unwrap());
        first.show(&boards(&["b2"]));
        assert_eq!(silent(&shown, "b1"), ["notify.1: 413: too long"]);
        assert_eq!(silent(&shown, "b2"), ["notify.0: 400: no"]);
        assert!(news.has_changed().unwrap());
    }
}
