//! The section `[private_rounds]`: access to private rounds of Lichess broadcasts.

use remisd_feed::Servers;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    part::{Part, section},
    secret::SecretSource,
    validate::Check,
    value::{Key, Value},
};

section! {
    /// Access to private rounds of Lichess broadcasts, for boards of the kind `pgn`.
    PrivateRounds {
        /// A file that holds an access token with the scope `study:read` and that only its owner
        /// may read.
        token_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that token.
        token_credential: Key<String> = Key::unset(),
        /// The server that gets the token, and no other: `https://HOST[:PORT]`.
        host: Key<String> = Key::default("https://lichess.org"),
    }
}

/// Access to the private rounds of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundsAccess {
    /// The server: `https://HOST[:PORT]`.
    pub host: String,
    /// The place of the token.
    pub token: SecretSource,
}

impl Check<'_> {
    pub(super) fn private_rounds(&mut self, rounds: &PrivateRounds) -> Option<RoundsAccess> {
        let host = self.url("private_rounds.host", &rounds.host);
        let (_, _, token) = self.secret(
            "the token",
            ("private_rounds.token_file", &rounds.token_file),
            ("private_rounds.token_credential", &rounds.token_credential),
        )?;
        let host = host?;
        if !Servers::takes_token(&host) {
            let message = format!("\"{host}\" is not a server that a token can be sent to");
            let allowed = "allowed: https://HOST[:PORT], without a path";
            return self.refuse("private_rounds.host", &rounds.host, message, allowed);
        }
        Some(RoundsAccess {
            host,
            token: token?,
        })
    }
}
