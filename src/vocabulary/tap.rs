//! Access to the raw bytes of a board's line, before decoding.

use std::fmt;

/// The side that sent some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The board.
    Board,
    /// This daemon.
    Host,
}

/// A listener on a line. It is called while reading and must not block.
pub trait Tap: Send + Sync + fmt::Debug {
    /// The port was opened. Bytes from now on are unrelated to earlier ones.
    fn opened(&self, port: &str);

    /// These bytes were read or written in one go.
    fn heard(&self, speaker: Speaker, bytes: &[u8]);
}
