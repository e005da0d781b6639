//! The connection to a `LiveChess`: a WebSocket on which each message is a JSON text.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::{net::TcpStream, time::sleep};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{self, Message, Utf8Bytes, protocol::WebSocketConfig},
};
use tokio_util::sync::CancellationToken;

use super::SILENCE;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest message that is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Why the connection ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum Lost {
    #[error("cannot connect: {0}")]
    NotConnected(Box<tungstenite::Error>),
    #[error("no connection within {} s", CONNECT.as_secs())]
    Timeout,
    #[error("the connection broke: {0}")]
    Broken(Box<tungstenite::Error>),
    #[error("the server closed the connection")]
    Closed,
    #[error("the server has been silent for {} s", SILENCE.as_secs())]
    Silent,
    #[error("the server does not list its boards")]
    NoList,
    #[error("the daemon stops")]
    Stopped,
}

/// An open connection.
pub(super) struct Connection(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Connection {
    /// Connects to a `LiveChess`. `url` has no path.
    pub(super) async fn open(url: &str, cancel: &CancellationToken) -> Result<Self, Lost> {
        let address = format!("{url}/api/v1.0");
        let limits = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let connecting = connect_async_with_config(address, Some(limits), true);
        tokio::select! {
            () = cancel.cancelled() => Err(Lost::Stopped),
            () = sleep(CONNECT) => Err(Lost::Timeout),
            connected = connecting => match connected {
                Ok((socket, _)) => Ok(Self(socket)),
                Err(error) => Err(Lost::NotConnected(Box::new(error))),
            },
        }
    }

    /// Sends a call.
    pub(super) async fn call(&mut self, call: &Value) -> Result<(), Lost> {
        let message = Message::text(call.to_string());
        let sent = self.0.send(message).await;
        sent.map_err(|error| Lost::Broken(Box::new(error)))
    }

    /// Waits for the next text. If the wait is given up, none is lost.
    pub(super) async fn text(&mut self) -> Result<Utf8Bytes, Lost> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => return Err(Lost::Closed),
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Lost::Broken(Box::new(error))),
            }
        }
    }
}
