//! A reader that copies every byte it reads to a [`Tap`].

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use remisd_vocabulary::tap::{Speaker, Tap};
use tokio::io::{AsyncRead, ReadBuf};

/// A line with an optional tap.
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
