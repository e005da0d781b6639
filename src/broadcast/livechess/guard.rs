//! Who may connect: programs on this computer, and the web pages that are listed.
//!
//! Every page that a browser shows may open a connection to this computer. The browser says which
//! page it was (`Origin`), and no page can change that. A program sends none. Neither does a page
//! whose site's name was pointed at this computer (DNS rebinding): it has the same origin. The name
//! under which it asks (`Host`) gives it away.
//!
//! Unknown: which origins the original refuses.

use std::{fmt, net::IpAddr, str::FromStr};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

/// The pages that play on boards.
pub const PAGES: [&str; 2] = ["https://lichess.org", "https://www.chess.com"];

/// The origin of a page: a scheme, a host and perhaps a port; or `null`, for a page in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// The error for a text that is not an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginError;

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an origin")
    }
}

impl std::error::Error for OriginError {}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let text = text.to_ascii_lowercase();
        if text == "null" {
            return Ok(Self(text));
        }
        let (scheme, authority) = text.split_once("://").ok_or(OriginError)?;
        let uri: Uri = text.parse().map_err(|_| OriginError)?;
        let is_whole = uri.authority().is_some_and(|whole| whole == authority);
        let is_plain = !authority.contains(['@', '/', '*']);
        if matches!(scheme, "http" | "https") && is_whole && is_plain {
            Ok(Self(text))
        } else {
            Err(OriginError)
        }
    }
}

/// The pages and names that are admitted.
#[derive(Debug, Clone)]
pub struct Guard {
    origins: Vec<Origin>,
    names: Vec<String>,
}

/// A request that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It comes from a page that is not listed.
    Page,
    /// The request is for another host.
    Host,
}

impl Guard {
    /// Admits these pages, and requests for these host names besides addresses and `localhost`.
    #[must_use]
    pub fn new(origins: Vec<Origin>, names: &[String]) -> Self {
        let names = names.iter().map(|name| name.to_ascii_lowercase());
        Self {
            origins,
            names: names.collect(),
        }
    }

    /// Checks a request. Returns the origin of the page that sent it; `None` for a program.
    ///
    /// # Errors
    ///
    /// Returns why the request is refused.
    pub fn check(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        if !self.is_ours(headers) {
            return Err(Refusal::Host);
        }
        let Some(origin) = headers.get(header::ORIGIN) else {
            return Ok(None);
        };
        let known = origin.to_str().ok().and_then(|text| text.parse().ok());
        match known {
            Some(known) if self.origins.contains(&known) => Ok(Some(origin.clone())),
            _ => Err(Refusal::Page),
        }
    }

    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let Some(host) = host.and_then(|host| host.parse::<Uri>().ok()) else {
            return false;
        };
        let name = host.host().unwrap_or_default();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// The headers with which a browser lets a page read an answer.
#[must_use]
pub fn permission(origin: HeaderValue) -> [(HeaderName, HeaderValue); 2] {
    [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        (header::VARY, HeaderValue::from_static("Origin")),
    ]
}

/// The further headers for a browser that sends a preflight request before a page's request to this computer.
#[must_use]
pub fn preflight() -> [(HeaderName, HeaderValue); 2] {
    [
        (
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET"),
        ),
        (
            HeaderName::from_static("access-control-allow-private-network"),
            HeaderValue::from_static("true"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> Result<bool, Refusal> {
        let origins = PAGES.into_iter().chain(["http://192.0.2.7:8080"]);
        let origins = origins.map(|origin| origin.parse().unwrap()).collect();
        let guard = Guard::new(origins, &["pi-1".to_owned()]);
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        guard.check(&headers).map(|page| page.is_some())
    }

    #[test]
    fn listed_pages_and_programs_are_admitted() {
        let host = "127.0.0.1:1982";
        for origin in [
            "https://lichess.org",
            "https://www.chess.com",
            "http://192.0.2.7:8080",
        ] {
            assert_eq!(check(host, Some(origin)), Ok(true), "{origin}");
        }
        for host in [
            host,
            "localhost:1982",
            "[::1]:1982",
            "192.0.2.1:1982",
            "PI-1:1982",
        ] {
            assert_eq!(check(host, None), Ok(false), "{host}");
        }
    }

    #[test]
    fn other_pages_are_refused() {
        for origin in [
            "https://example.org",
            "http://lichess.org",
            "https://lichess.org.example.org",
            "https://lichess.org:8443",
            "https://evil.lichess.org",
            "null",
            "",
        ] {
            let refused = check("localhost:1982", Some(origin));
            assert_eq!(refused, Err(Refusal::Page), "{origin}");
        }
    }

    #[test]
    fn a_name_that_was_pointed_here_is_refused() {
        for host in ["example.org:1982", "example.org", ""] {
            assert_eq!(check(host, None), Err(Refusal::Host), "{host}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        for good in [
            "https://lichess.org",
            "http://localhost:3000",
            "null",
            "https://[::1]:8",
        ] {
            assert!(good.parse::<Origin>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "*",
            "lichess.org",
            "https://",
            "https://a/b",
            "https://a/",
            "ftp://a",
            "https://a@b",
        ] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
    }
}
