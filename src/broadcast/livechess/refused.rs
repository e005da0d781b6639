//! How often the log has a line about refused requests, and what it quotes of them.
//!
//! Everyone who can reach a listener can be refused thousands of times a second, with headers of
//! any length. The log has at most one line of a kind in ten seconds, and few characters of the
//! client.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use remisd_vocabulary::{
    text::OneLine,
    time::{Moment, Span},
};

/// The shortest time between two lines of one kind.
const BETWEEN: Span = Span::from_millis(10_000);
/// The most characters of a client that a line quotes.
const QUOTED: usize = 80;
/// The most bytes of a client that are looked at for a line.
const LOOKED_AT: usize = 4 * QUOTED;

/// The lines about one kind of refused requests.
#[derive(Debug, Default)]
pub(super) struct RefusedRequests(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// When the last line was due.
    last: Option<Moment>,
    /// The requests since then that have no line.
    without_line: u64,
}

impl RefusedRequests {
    /// Counts a refused request. Returns what its line says about it; `None` if it gets no line.
    pub(super) fn count(&self, from_client: &[u8], now: Moment) -> Option<RefusedLine> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.last.is_some_and(|last| now < last + BETWEEN) {
            counted.without_line += 1;
            return None;
        }
        counted.last = Some(now);
        let before = std::mem::take(&mut counted.without_line);
        let looked_at = &from_client[..from_client.len().min(LOOKED_AT)];
        let text = String::from_utf8_lossy(looked_at);
        let quoted = OneLine::bounded(&text, QUOTED);
        Some(RefusedLine {
            is_cut: looked_at.len() < from_client.len() || OneLine::new(&text) != quoted,
            quoted,
            before,
        })
    }
}

/// What a line says: the start of what the client has sent, and how many requests had no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedLine {
    quoted: OneLine,
    is_cut: bool,
    before: u64,
}

impl fmt::Display for RefusedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.quoted.as_str())?;
        if self.is_cut {
            f.write_str("…")?;
        }
        match self.before {
            0 => Ok(()),
            1 => f.write_str(" (and 1 request before it)"),
            before => write!(f, " (and {before} requests before it)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_has_one_line_in_ten_seconds_and_is_counted() {
        let refused = RefusedRequests::default();
        let lines = (0..30_000).filter_map(|ms| refused.count(b"x", Moment::from_millis(ms)));
        let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
        let counted = "\"x\" (and 9999 requests before it)";
        assert_eq!(lines, ["\"x\"", counted, counted]);
    }

    #[test]
    fn a_line_is_short_whatever_the_client_sends() {
        for sent in [
            "e".repeat(60_000).into_bytes(),
            "\n\u{202e}\u{1b}[31m".repeat(10_000).into_bytes(),
            "ü".repeat(30_000).into_bytes(),
            vec![0xff; 60_000],
            "\"\\".repeat(30_000).into_bytes(),
        ] {
            let line = RefusedRequests::default().count(&sent, Moment::START);
            let line = line.unwrap().to_string();
            assert!(line.chars().count() <= 2 * QUOTED + 3, "{line}");
            assert!(line.ends_with("\"…"), "{line}");
            assert!(!line.chars().any(char::is_control), "{line}");
        }
    }
}
