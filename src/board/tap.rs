//! A second ear on a board's line: every byte, before anybody has made sense of it.

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, ReadBuf};

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

/// A line that is listened to.
pub(super) struct Tapped<R> {
    pub(super) line: R,
    pub(super) tap: Option<Arc<dyn Tap>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Tapped<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.line).poll_read(context, buffer);
        if let (Poll::Ready(Ok(())), Some(tap)) = (&polled, &this.tap)
            && let Some(bytes @ [_, ..]) = buffer.filled().get(before..)
        {
            tap.heard(Speaker::Board, bytes);
        }
        polled
    }
}
