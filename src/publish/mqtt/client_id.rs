//! The name of a client at the broker.

use std::io;

/// The client id: whoever connects under the same one takes the session over.
#[derive(Debug, Clone)]
pub enum ClientId {
    /// Always this one, as the configuration has it. Whoever knows it can throw us out.
    Fixed(String),
    /// A prefix with a random part, which nobody can guess.
    Random {
        /// What stands before the random part.
        prefix: String,
        /// The source of randomness.
        draw: fn() -> io::Result<u64>,
    },
}

impl ClientId {
    /// A random part by the operating system.
    #[must_use]
    pub fn random(prefix: impl Into<String>) -> Self {
        Self::Random {
            prefix: prefix.into(),
            draw: || Ok(getrandom::u64()?),
        }
    }

    /// A name for the connections from now on: another one each time, unless it is fixed.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness.
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
    fn nobody_can_guess_a_name_that_is_not_fixed() {
        let id = ClientId::random("remisd-hall-remisd");
        let [one, other] = [id.draw().unwrap(), id.draw().unwrap()];
        assert_ne!(one, other);
        let part = one.strip_prefix("remisd-hall-remisd-").unwrap();
        assert_eq!(part.len(), 16);
        assert_eq!(ClientId::Fixed("a".into()).draw().unwrap(), "a");
    }
}
