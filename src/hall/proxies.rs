//! The client behind a proxy: only trusted web servers are believed.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, header};

use crate::config::Network;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The web servers that are trusted to report a request's origin.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Vec<Network>);

impl Proxies {
    /// The configured proxies.
    #[must_use]
    pub fn new(trusted: &[Network]) -> Self {
        Self(trusted.to_vec())
    }

    /// Whether there are none.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address that a request comes from: the last one in its headers that is not a trusted
    /// proxy.
    ///
    /// Each proxy appends the address that it has seen, so anything before the first foreign
    /// address may be forged. Without trusted proxies, this is the remote end of the connection.
    #[must_use]
    pub fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.ip().to_canonical();
        let mut hops = hops(headers);
        while self.are_ours(client)
            && let Some(hop) = hops.pop()
        {
            let Some(address) = hop else {
                break;
            };
            client = address.to_canonical();
        }
        client
    }

    /// Whether the address of a request's client is known: no proxy has sent it that is not trusted.
    #[must_use]
    pub(super) fn know_client(&self, peer: SocketAddr, headers: &HeaderMap) -> bool {
        !is_forwarded(headers) || self.are_ours(peer.ip().to_canonical())
    }

    fn are_ours(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// Whether a proxy has added the address of a client.
pub(super) fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(header::FORWARDED)
}

/// The addresses in the headers, in order; `None` for an entry that is not an address.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let list = |name| {
        let lines = headers.get_all(name).iter();
        lines.flat_map(|line| line.to_str().unwrap_or("?").split(','))
    };
    if headers.contains_key(X_FORWARDED_FOR) {
        return list(X_FORWARDED_FOR).map(address).collect();
    }
    let elements = list(header::FORWARDED);
    let of = elements.map(|element| {
        let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
        address(value.trim().trim_matches('"'))
    });
    of.collect()
}

/// An address, optionally with a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let with_port = text.parse::<SocketAddr>().map(|address| address.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    with_port.or_else(|_| bare.parse()).ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(trusted: &[&str], peer: &str, headers: &[(&'static str, &'static str)]) -> String {
        let trusted: Vec<Network> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let peer = SocketAddr::new(peer.parse().unwrap(), 4000);
        Proxies::new(&trusted).client(peer, &map).to_string()
    }

    #[test]
    fn only_a_trusted_server_is_believed() {
        let spoofed = [("x-forwarded-for", "198.51.100.9")];
        assert_eq!(client(&[], "192.0.2.1", &spoofed), "192.0.2.1");
        assert_eq!(client(&[], "127.0.0.1", &spoofed), "127.0.0.1");
        assert_eq!(client(&["127.0.0.1"], "192.0.2.1", &spoofed), "192.0.2.1");
        assert_eq!(
            client(&["127.0.0.1"], "127.0.0.1", &spoofed),
            "198.51.100.9"
        );
        assert_eq!(client(&["127.0.0.1"], "127.0.0.1", &[]), "127.0.0.1");
    }

    #[test]
    fn the_last_address_that_is_not_ours_counts() {
        let trusted = ["127.0.0.1", "10.0.0.0/8", "::1"];
        for (headers, expected) in [
            // The client itself wrote what precedes it.
            (
                vec![("x-forwarded-for", "10.0.0.7, 198.51.100.9, 10.0.0.2")],
                "198.51.100.9",
            ),
            (
                vec![
                    ("x-forwarded-for", "198.51.100.1"),
                    ("x-forwarded-for", "198.51.100.2"),
                ],
                "198.51.100.2",
            ),
            (
                vec![("x-forwarded-for", "198.51.100.9:1234")],
                "198.51.100.9",
            ),
            (vec![("x-forwarded-for", "2001:db8::7")], "2001:db8::7"),
            (
                vec![("x-forwarded-for", "198.51.100.9, nonsense")],
                "127.0.0.1",
            ),
            (
                vec![(
                    "forwarded",
                    "for=198.51.100.1, for=\"[2001:db8::7]:80\";proto=https",
                )],
                "2001:db8::7",
            ),
            (
                vec![("forwarded", "proto=https;For=198.51.100.9")],
                "198.51.100.9",
            ),
            (vec![("forwarded", "for=_hidden")], "127.0.0.1"),
        ] {
            assert_eq!(
                client(&trusted, "127.0.0.1", &headers),
                expected,
                "{headers:?}"
            );
        }
    }
}
