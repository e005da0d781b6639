//! Records the raw bytes on one board's line until they are written.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::RawSeal;
use remisd_vocabulary::tap::{Speaker, Tap};
use remisd_vocabulary::time::{Clock, Moment, Span};

/// A block is due once its text reaches this many bytes.
const BLOCK: usize = 16 << 10;
/// A block is due once its first line reaches this age.
const AGE: Span = Span::from_millis(60_000);
/// Maximum pending text, in bytes; data beyond this is only counted.
const WAITING: usize = 256 << 10;

/// The recorder of one board. Its text has one line per read or write:
///
/// ```text
///    1.771 board> 8e 00 05 34 00
/// ```
///
/// The time is the daemon's own, in seconds since its start, like `monotonic_ms` in the entries.
#[derive(Debug)]
pub struct Recorder {
    clock: Arc<dyn Clock>,
    heard: Mutex<RecordedBytes>,
}

#[derive(Debug, Default)]
struct RecordedBytes {
    text: String,
    since: Moment,
    /// Number of bytes dropped for lack of room.
    missed: u64,
    seal: Option<RawSeal>,
}

impl Recorder {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            heard: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, RecordedBytes> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the block if it is due, or all pending text.
    pub(super) fn take(&self, all: bool) -> Option<String> {
        let now = self.clock.monotonic();
        let mut heard = self.lock();
        let due = all || heard.text.len() >= BLOCK || now >= heard.since + AGE;
        if heard.text.is_empty() || !due {
            return None;
        }
        heard.note_missed(now);
        Some(std::mem::take(&mut heard.text))
    }

    pub(super) fn sealed(&self, seal: Option<RawSeal>) {
        if seal.is_some() {
            self.lock().seal = seal;
        }
    }

    /// The seal of the data written so far.
    #[must_use]
    pub fn seal(&self) -> Option<RawSeal> {
        self.lock().seal.clone()
    }

    fn line(&self, who: &str, write: impl FnOnce(&mut String), size: usize) {
        let now = self.clock.monotonic();
        let mut heard = self.lock();
        if heard.text.is_empty() {
            heard.since = now;
        }
        if heard.text.len() + 3 * size > WAITING {
            heard.missed += size as u64;
            return;
        }
        heard.note_missed(now);
        let text = &mut heard.text;
        put_time(text, now);
        text.push_str(who);
        write(text);
        text.push('\n');
    }
}

impl RecordedBytes {
    fn note_missed(&mut self, now: Moment) {
        let missed = std::mem::take(&mut self.missed);
        if missed > 0 {
            put_time(&mut self.text, now);
            writeln!(self.text, "# {missed} bytes were not kept").ok();
        }
    }
}

fn put_time(text: &mut String, now: Moment) {
    // Writing to a `String` does not fail.
    let ms = now.as_millis();
    write!(text, "{:>4}.{:03} ", ms / 1_000, ms % 1_000).ok();
}

impl Tap for Recorder {
    fn opened(&self, port: &str) {
        self.line("# opened ", |text| text.push_str(port), port.len());
    }

    fn heard(&self, speaker: Speaker, bytes: &[u8]) {
        let who = match speaker {
            Speaker::Board => "board>",
            Speaker::Host => "host >",
        };
        let hex = |text: &mut String| {
            for byte in bytes {
                write!(text, " {byte:02x}").ok();
            }
        };
        self.line(who, hex, bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::time::ManualClock;

    #[test]
    fn it_records_speaker_bytes_and_time_within_a_bound() {
        let clock = Arc::new(ManualClock::default());
        let recorder = Recorder::new(clock.clone());
        recorder.opened("/dev/ttyUSB0");
        clock.advance(1_771);
        recorder.heard(Speaker::Host, &[0x42]);
        recorder.heard(Speaker::Board, &[0x8e, 0x00, 0x05, 0x34, 0x00]);
        assert_eq!(recorder.take(false), None, "not due yet");
        clock.advance(AGE.as_millis());
        let text =
            "   0.000 # opened /dev/ttyUSB0\n   1.771 host > 42\n   1.771 board> 8e 00 05 34 00\n";
        assert_eq!(recorder.take(false).as_deref(), Some(text));
        assert_eq!(recorder.take(true), None);

        let much = [0x41; 4096];
        for _ in 0..1_000 {
            recorder.heard(Speaker::Board, &much);
        }
        let text = recorder.take(false).expect("it is long enough");
        assert!(text.len() < WAITING + 4096, "{}", text.len());
        let kept = 4096 * (text.matches("board>").count() as u64);
        let missed = format!("# {} bytes were not kept\n", 4_096_000 - kept);
        assert!(text.ends_with(&missed), "{missed}");
    }
}
