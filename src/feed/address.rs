//! Where the games of a source are: the key `source` of a board.

use std::{
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    str::FromStr,
    sync::Arc,
};

use http::{Uri, uri::Scheme};

use super::request::Failure;

/// How many streams of broadcasts Lichess allows for each IP address.
pub const LICHESS_STREAMS: usize = 8;

/// The server whose pages name rounds of broadcasts.
const LICHESS: &str = "lichess.org";

/// Where the games of a source are.
///
/// ```
/// use remisd_feed::Location;
///
/// let page = "https://lichess.org/broadcast/open-2026/round-3/AbCd1234";
/// let stream = "https://lichess.org/api/stream/broadcast/round/AbCd1234.pgn";
/// assert_eq!(page.parse::<Location>(), stream.parse());
/// let text = "https://user@example.org/round.pgn".parse::<Location>();
/// assert_eq!(text.unwrap_err().to_string(), "an address without a user and a password");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// A file, or a folder of files.
    Files(PathBuf),
    /// A PGN text that is requested again and again.
    Text(Address),
    /// A round of a Lichess broadcast: a stream that has each game again when it changes.
    LichessRound(Address),
}

/// An address that begins with `https://` or `http://`.
///
/// Its query may be a secret, as in the links of file services, so `Display` and `Debug` hide it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(String);

/// Why a text is no address of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Its scheme is another one, or it is not an address at all.
    #[error(
        "an address that begins with https:// or http://, such as https://example.org/round.pgn"
    )]
    Scheme,
    /// It has a user or a password. What is sent with every request may end in logs.
    #[error("an address without a user and a password")]
    User,
    /// It names a tournament on Lichess.
    #[error("the address of a round: open the round on Lichess and copy the address")]
    Tournament,
}

impl Location {
    /// The name of the source for everybody: the file or the server.
    #[must_use]
    pub fn name(&self) -> Arc<str> {
        match self {
            // The whole path may say more than everybody may know.
            Self::Files(path) => path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into(),
            Self::Text(address) | Self::LichessRound(address) => address.host().into(),
        }
    }

    /// Whether it is a round on Lichess itself: one of [`LICHESS_STREAMS`].
    #[must_use]
    pub fn is_stream_of_lichess(&self) -> bool {
        matches!(self, Self::LichessRound(address) if address.host() == LICHESS)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(path) => path.display().fmt(f),
            Self::Text(address) | Self::LichessRound(address) => address.fmt(f),
        }
    }
}

impl FromStr for Location {
    type Err = AddressError;

    /// Reads an address. Every other text is refused, also a path.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let (whole, _) = text.split_once('#').unwrap_or((text, ""));
        let uri: Uri = whole.parse().map_err(|_| AddressError::Scheme)?;
        let is_web = |scheme: &Scheme| *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS;
        if !uri.scheme().is_some_and(is_web) {
            return Err(AddressError::Scheme);
        }
        let authority = uri.authority().ok_or(AddressError::Scheme)?;
        if authority.as_str().contains('@') {
            return Err(AddressError::User);
        }
        let segments: Vec<&str> = uri
            .path()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let is_lichess = authority.host().eq_ignore_ascii_case(LICHESS);
        let round = match segments[..] {
            ["api", "stream", "broadcast", "round", file] => round_of_file(file),
            ["api", "broadcast", "round", file] if is_lichess => round_of_file(file),
            // The address of a page may end with the id of a game.
            ["broadcast", _, _, round] | ["broadcast", _, _, round, _] if is_lichess => {
                Some(round.strip_suffix(".pgn").unwrap_or(round)).filter(|id| is_id(id))
            }
            _ => None,
        };
        if round.is_none() && is_lichess && segments.first() == Some(&"broadcast") {
            return Err(AddressError::Tournament);
        }
        Ok(match round {
            Some(round) => {
                let server = if is_lichess {
                    format!("https://{LICHESS}")
                } else {
                    let scheme = uri.scheme_str().unwrap_or("https");
                    format!("{scheme}://{authority}")
                };
                let path = format!("/api/stream/broadcast/round/{round}.pgn");
                // On Lichess it only says what the page shows.
                let query = uri.query().filter(|_| !is_lichess);
                let query = query.map_or_else(String::new, |query| format!("?{query}"));
                Self::LichessRound(Address(format!("{server}{path}{query}")))
            }
            None => Self::Text(Address(whole.to_owned())),
        })
    }
}

impl Address {
    /// The address as it is requested.
    pub(crate) fn uri(&self) -> Result<Uri, Failure> {
        self.0.parse().map_err(|_| Failure::NoAddress)
    }

    /// A number of this address: sources that fail together do not all ask again together.
    pub(crate) fn seed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn host(&self) -> String {
        let uri = self.0.parse::<Uri>().ok();
        uri.and_then(|uri| uri.host().map(str::to_owned))
            .unwrap_or_default()
    }

    /// The id of the round that a stream has.
    pub(crate) fn round(&self) -> &str {
        let path = self.0.split('?').next().unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or_default();
        round_of_file(file).unwrap_or_default()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_once('?') {
            Some((path, _)) => write!(f, "{path}?…"),
            None => f.write_str(&self.0),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

fn round_of_file(file: &str) -> Option<&str> {
    file.strip_suffix(".pgn").filter(|id| is_id(id))
}

/// Whether a text is an id as Lichess gives them to rounds.
fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use remisd_vocabulary::retry::Backoff;

    use super::{AddressError, Location};

    #[test]
    fn a_round_on_lichess_is_known_by_every_address_that_people_copy() {
        let stream = "https://lichess.org/api/stream/broadcast/round/AbCd1234.pgn";
        let round: Location = stream.parse().unwrap();
        assert!(matches!(&round, Location::LichessRound(address) if address.round() == "AbCd1234"));
        assert_eq!(&*round.name(), "lichess.org");
        for text in [
            "https://lichess.org/broadcast/open/round-3/AbCd1234",
            "https://lichess.org/broadcast/open/round-3/AbCd1234/",
            "https://lichess.org/broadcast/open/round-3/AbCd1234#boards",
            "https://lichess.org/broadcast/open/round-3/AbCd1234/xYz98765",
            "https://lichess.org/broadcast/open/round-3/AbCd1234.pgn",
            "https://lichess.org/api/broadcast/round/AbCd1234.pgn",
            "http://lichess.org/broadcast/-/-/AbCd1234",
        ] {
            assert_eq!(text.parse(), Ok(round.clone()), "{text}");
        }
        assert!(round.is_stream_of_lichess());
        let own = "http://127.0.0.1:9663/api/stream/broadcast/round/AbCd1234.pgn";
        let location: Location = own.parse().unwrap();
        assert!(matches!(location, Location::LichessRound(_)));
        assert!(!location.is_stream_of_lichess());
        assert_eq!(location.to_string(), own);
    }

    #[test]
    fn two_addresses_have_different_waits() {
        let waits = ["https://example.org/1.pgn", "https://example.org/2.pgn"].map(|text| {
            let Ok(Location::Text(address)) = text.parse() else {
                panic!("{text}");
            };
            let second = std::time::Duration::from_secs(1);
            Backoff::new(second, second, address.seed()).wait()
        });
        assert_ne!(waits[0], waits[1]);
    }

    #[test]
    fn what_names_no_games_is_refused() {
        for (text, error) in [
            ("ftp://example.org/round.pgn", AddressError::Scheme),
            ("example.org/round.pgn", AddressError::Scheme),
            ("/srv/round.pgn", AddressError::Scheme),
            ("https://", AddressError::Scheme),
            ("https://a:b@example.org/round.pgn", AddressError::User),
            (
                "https://lichess.org/broadcast/open/AbCd1234",
                AddressError::Tournament,
            ),
        ] {
            assert_eq!(text.parse::<Location>(), Err(error), "{text}");
        }
    }

    #[test]
    fn a_query_is_kept_and_never_shown() {
        let text = "https://example.org:8080/round.pgn?key=secret";
        let location: Location = text.parse().unwrap();
        assert_eq!(location.to_string(), "https://example.org:8080/round.pgn?…");
        assert!(!format!("{location:?}").contains("secret"));
        assert_eq!(&*location.name(), "example.org");
        let path = "/api/stream/broadcast/round/AbCd1234.pgn";
        let text = format!("https://example.org{path}?key=secret/x");
        let location: Location = text.parse().unwrap();
        assert!(!location.to_string().contains("secret"));
        let Location::LichessRound(address) = location else {
            panic!("{location}");
        };
        let whole = address.uri().unwrap().to_string();
        assert_eq!((&*whole, address.round()), (&*text, "AbCd1234"));
    }
}
