//! The PGN tags of a game.

use std::collections::BTreeMap;

use super::{Fact, Game, refusal::truncated};

/// The most PGN tags of a game.
const MAX_HEADERS: usize = 64;
/// The longest name and value of a PGN tag, in bytes; export format allows 255.
const MAX_HEADER: usize = 255;

/// Why PGN tags are refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum HeaderError {
    #[error("a game has at most {MAX_HEADERS} headers")]
    TooMany,
    #[error("the header \"{}\": names and values have 1 to {MAX_HEADER} bytes", truncated(.0))]
    Length(String),
}

impl Game {
    pub(super) fn set_headers(
        &mut self,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, HeaderError> {
        let kept = self
            .headers
            .iter()
            .filter(|(name, _)| !headers.contains_key(*name));
        check_headers(kept.chain(headers))?;
        for (name, value) in headers {
            if value.is_empty() {
                self.headers.remove(name);
            } else {
                self.headers.insert(name.clone(), value.clone());
            }
        }
        let headers = self.headers.clone();
        Ok(vec![Fact::HeadersSet { headers }])
    }
}

/// Whether these PGN tags may be on a retained topic.
pub(super) fn check_headers<'a>(
    headers: impl Iterator<Item = (&'a String, &'a String)>,
) -> Result<(), HeaderError> {
    let mut count = 0;
    for (name, value) in headers.filter(|(_, value)| !value.is_empty()) {
        count += 1;
        if count > MAX_HEADERS {
            return Err(HeaderError::TooMany);
        }
        if name.is_empty() || name.len() > MAX_HEADER || value.len() > MAX_HEADER {
            return Err(HeaderError::Length(name.clone()));
        }
    }
    Ok(())
}
