//! Listening to a board's line: every byte, before it is decoded.

use std::fmt;

/// Who has said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The board.
    Board,
    /// We.
    Host,
}

/// Who listens. It is called in the middle of reading and must not wait.
pub trait Tap: Send + Sync + fmt::Debug {
    /// The port was opened: what comes now has nothing to do with what came before.
    fn opened(&self, port: &str);

    /// So many bytes were read or written at once.
    fn heard(&self, speaker: Speaker, bytes: &[u8]);
}
