//! Client ids, the names under which clients connect to the broker.

use std::io;

/// A client id. A client that connects with an id in use takes over the session.
#[derive(Debug, Clone)]
pub enum ClientId {
    /// The configured id. Anyone who knows it can disconnect this client.
    Fixed(String),
    /// A prefix followed by a random part that cannot be guessed.
    Random {
        /// The part before the random number.
        prefix: String,
        /// The source of randomness.
        draw: fn() -> io::Result<u64>,
    },
}

impl ClientId {
    /// A random id with randomness from the operating system.
    #[must_use]
    pub fn random(prefix: impl Into<String>) -> Self {
        Self::Random {
            prefix: prefix.into(),
            draw: || Ok(getrandom::u64()?),
        }
    }

    /// A client id for the next connections: a new one on each call, unless it is fixed.
    ///
    /// # Errors
    ///
    /// Fails when the operating system provides no randomness.
    pub fn draw(&self) -> io::Result<String> {
        match self {
            Self::Fixed(name) => Ok(name.clone()),
            Self::Random { prefix, draw } => Ok(format!("{prefix}-{:016x}", draw()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_client_id_cannot_be_guessed() {
        let id = ClientId::random("remisd-hall-remisd");
        let [one, other] = [id.draw().unwrap(), id.draw().unwrap()];
        assert_ne!(one, other);
        let part = one.strip_prefix("remisd-hall-remisd-").unwrap();
        assert_eq!(part.len(), 16);
        assert_eq!(ClientId::Fixed("a".into()).draw().unwrap(), "a");
    }
}
