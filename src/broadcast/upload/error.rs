//! Why a file is not on the server.

use std::fmt;

use remisd_vocabulary::text::OneLine;

use crate::ExitCause;

/// How much of a server's text is shown.
const SHOWN: usize = 160;

/// What a server or a library says: one line, and not a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(OneLine);

impl Reason {
    /// The reason in a text.
    #[must_use]
    pub fn new(text: impl fmt::Display) -> Self {
        Self(OneLine::bounded(&text.to_string(), SHOWN))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a file was not uploaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// There is no connection.
    #[error("the server cannot be reached: {0}")]
    Unreachable(Reason),
    /// The server has another host key. Nothing was sent, not even the login.
    #[error("the server is not the configured one: {0}")]
    HostKey(Reason),
    /// The server's certificate is not trusted. Nothing was sent, not even the login.
    #[error("the server is not the configured one: {0}")]
    Certificate(Reason),
    /// The server does not take the user, the password or the key.
    #[error("the server refuses the login: {0}")]
    Login(Reason),
    /// The server takes no files now.
    #[error("the server takes no files: {0}")]
    Closed(Reason),
    /// The connection was lost during the transfer.
    #[error("the connection was lost: {0}")]
    Lost(Reason),
    /// There was no answer in time.
    #[error("no answer within {0} s")]
    Timeout(u64),
    /// The server does not take this file.
    #[error("the server refuses it: {0}")]
    Refused(Reason),
}

impl UploadError {
    /// What a person would look at.
    #[must_use]
    pub const fn cause(&self) -> ExitCause {
        match self {
            Self::HostKey(_) => ExitCause::HostKey,
            Self::Certificate(_) => ExitCause::Certificate,
            Self::Login(_) => ExitCause::Login,
            Self::Unreachable(_) | Self::Lost(_) | Self::Timeout(_) => ExitCause::Network,
            Self::Closed(_) | Self::Refused(_) => ExitCause::Server,
        }
    }

    /// Whether the server may take other files although it has not taken this one.
    #[must_use]
    pub const fn is_of_the_file(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    /// Whether the file itself may be the cause, so that the others should go first next time.
    #[must_use]
    pub const fn may_be_of_the_file(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Lost(_) | Self::Timeout(_))
    }

    /// Whether a new connection may help.
    pub(super) const fn is_of_the_connection(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Timeout(_))
    }
}
