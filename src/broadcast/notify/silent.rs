//! Phones that do not take messages, for the boards that the messages are about.

use std::collections::{BTreeMap, BTreeSet};

use remisd_vocabulary::{name::BoardId, text::OneLine};
use tokio::sync::watch;

/// After so many failures in a row a phone counts as silent. A shorter outage is not reported.
const FAILURES: u32 = 3;
/// The most characters of a reason.
const REASON: usize = 200;

/// The phones that do not take the messages about a board, by name, with the reason.
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

    /// Shows the boards of which this phone does not take messages.
    fn show(&self, phone: &str, lacking: &BTreeMap<BoardId, OneLine>) {
        self.0.send_if_modified(|boards| {
            let before = boards.clone();
            for (board, reason) in lacking {
                let phones = boards.entry(board.clone()).or_default();
                phones.insert(phone.to_owned(), reason.clone());
            }
            boards.retain(|board, phones| {
                if !lacking.contains_key(board) {
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
    /// Failures in a row.
    failures: u32,
    /// The boards of which the server has refused a message, and taken none since.
    refused: BTreeMap<BoardId, OneLine>,
}

impl Reach {
    pub(super) const fn new(phone: String, shown: SilentByBoard) -> Self {
        Self {
            phone,
            shown,
            failures: 0,
            refused: BTreeMap::new(),
        }
    }

    /// A message about `board` was taken.
    pub(super) fn taken(&mut self, board: &BoardId) {
        self.failures = 0;
        self.refused.remove(board);
        self.shown.show(&self.phone, &self.refused);
    }

    /// The server will never take a message about `board`.
    pub(super) fn refused(&mut self, board: &BoardId, reason: &str) {
        self.failures = 0;
        let reason = OneLine::bounded(reason, REASON);
        self.refused.insert(board.clone(), reason);
        self.shown.show(&self.phone, &self.refused);
    }

    /// The server was not reached, or takes no message now. Urgent messages about `waiting` wait.
    pub(super) fn failed(&mut self, waiting: &BTreeSet<BoardId>, reason: &str) {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES {
            return;
        }
        let reason = OneLine::bounded(reason, REASON);
        let waiting = waiting.iter().map(|board| (board.clone(), reason.clone()));
        let mut lacking = self.refused.clone();
        lacking.extend(waiting);
        self.shown.show(&self.phone, &lacking);
    }

    /// No message waits any more.
    pub(super) fn none_waits(&self) {
        self.shown.show(&self.phone, &self.refused);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(id: &str) -> BoardId {
        id.parse().unwrap()
    }

    fn silent(shown: &SilentByBoard, id: &str) -> Vec<String> {
        let boards = shown.subscribe();
        let phones = boards.borrow().get(&board(id)).cloned().unwrap_or_default();
        let phones = phones.iter();
        phones
            .map(|(name, reason)| format!("{name}: {reason}"))
            .collect()
    }

    #[test]
    fn a_phone_is_silent_after_three_failures_until_it_takes_a_message_or_none_waits() {
        let shown = SilentByBoard::default();
        let mut reach = Reach::new("notify.0".to_owned(), shown.clone());
        let waiting = BTreeSet::from([board("b1"), board("b2")]);
        let ends: [fn(&mut Reach); 2] = [
            |reach| reach.taken(&board("b9")),
            |reach| reach.none_waits(),
        ];
        for end in ends {
            reach.taken(&board("b1"));
            reach.failed(&waiting, "no route");
            reach.failed(&waiting, "no route");
            assert!(silent(&shown, "b1").is_empty());
            reach.failed(&waiting, "no route");
            assert_eq!(silent(&shown, "b1"), ["notify.0: no route"]);
            assert_eq!(silent(&shown, "b2"), ["notify.0: no route"]);
            reach.failed(&BTreeSet::from([board("b2")]), "no route");
            assert!(silent(&shown, "b1").is_empty(), "nothing about it waits");
            end(&mut reach);
            assert!(silent(&shown, "b2").is_empty());
        }
    }

    #[test]
    fn a_refused_message_makes_a_phone_silent_for_its_board_until_it_takes_another() {
        let shown = SilentByBoard::default();
        let mut first = Reach::new("notify.0".to_owned(), shown.clone());
        let mut second = Reach::new("notify.1".to_owned(), shown.clone());
        first.refused(&board("b1"), "400: no");
        second.refused(&board("b1"), "413: too long");
        assert_eq!(
            silent(&shown, "b1"),
            ["notify.0: 400: no", "notify.1: 413: too long"]
        );
        first.taken(&board("b2"));
        assert_eq!(
            silent(&shown, "b1").len(),
            2,
            "a message about another board"
        );
        first.taken(&board("b1"));
        assert_eq!(silent(&shown, "b1"), ["notify.1: 413: too long"]);
    }

    #[test]
    fn only_changes_are_news() {
        let shown = SilentByBoard::default();
        let mut news = shown.subscribe();
        let mut reach = Reach::new("notify.0".to_owned(), shown);
        reach.taken(&board("b1"));
        assert!(!news.has_changed().unwrap());
        reach.refused(&board("b1"), "400");
        assert!(news.has_changed().unwrap());
        news.mark_unchanged();
        reach.refused(&board("b1"), "400");
        assert!(!news.has_changed().unwrap());
    }
}
