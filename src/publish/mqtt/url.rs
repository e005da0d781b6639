//! The broker's address, validated before a connection is opened.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

/// The default ports of MQTT without TLS and with TLS.
const DEFAULT_PORT: u16 = 1883;
const DEFAULT_TLS_PORT: u16 = 8883;

/// The address of a broker: `mqtt://host`, `mqtt://host:port` or `mqtt://[::1]:port`, or the same
/// with `mqtts://` for TLS.
///
/// ```
/// use remisd::publish::mqtt::BrokerUrl;
/// let url: BrokerUrl = "mqtt://localhost".parse()?;
/// assert_eq!((url.host(), url.port()), ("localhost", 1883));
/// # Ok::<_, remisd::publish::mqtt::UrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerUrl {
    host: String,
    port: u16,
    tls: bool,
}

/// Why a text is not the address of a broker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// There is no `scheme://`.
    #[error("a broker address begins with mqtt://, as in mqtt://localhost:1883")]
    NoScheme,
    /// The scheme is not MQTT over TCP.
    #[error("{0}:// is not a way to reach a broker: use mqtt://host:port, or mqtts:// for TLS")]
    Scheme(String),
    /// The address contains credentials, as in `user:password@host`.
    #[error("a broker address holds no user name: user and password have keys of their own")]
    Credentials,
    /// The host is missing or contains invalid characters.
    #[error("\"{0}\" is not the name or the address of a computer")]
    Host(String),
    /// The port is not a number from 1 to 65535.
    #[error("\"{0}\" is not a port: use a number from 1 to 65535")]
    Port(String),
    /// The address has a path, as in `mqtt://host/path`.
    #[error("a broker address ends after the port: remove \"{0}\"")]
    Path(String),
}

impl BrokerUrl {
    /// The host; an IPv6 address is enclosed in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the broker speaks TLS.
    #[must_use]
    pub const fn is_tls(&self) -> bool {
        self.tls
    }

    /// Whether the broker is on this computer.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let address = self.server_name().parse::<IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The name that the broker's certificate must be valid for: the host without brackets.
    #[must_use]
    pub fn server_name(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

impl From<SocketAddr> for BrokerUrl {
    /// A broker without TLS.
    fn from(address: SocketAddr) -> Self {
        let host = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self {
            host,
            port: address.port(),
            tls: false,
        }
    }
}

impl fmt::Display for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "mqtts" } else { "mqtt" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl FromStr for BrokerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(UrlError::NoScheme)?;
        let tls = match scheme {
            "mqtt" | "tcp" => false,
            "mqtts" | "ssl" | "tls" => true,
            _ => return Err(UrlError::Scheme(scheme.to_owned())),
        };
        if rest.contains('@') {
            return Err(UrlError::Credentials);
        }
        let (address, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if !matches!(path, "" | "/") {
            return Err(UrlError::Path(path.to_owned()));
        }
        let (host, port) = split_port(address);
        let port = match port {
            None if tls => DEFAULT_TLS_PORT,
            None => DEFAULT_PORT,
            Some(port) => match port.parse() {
                Ok(number) if number > 0 => number,
                _ => return Err(UrlError::Port(port.to_owned())),
            },
        };
        if !is_host(host) {
            return Err(UrlError::Host(host.to_owned()));
        }
        Ok(Self {
            host: host.to_owned(),
            port,
            tls,
        })
    }
}

/// Splits at the colon before the port, ignoring colons inside `[…]`.
fn split_port(address: &str) -> (&str, Option<&str>) {
    let after_brackets = address.rfind(']').map_or(0, |at| at + 1);
    match address[after_brackets..].find(':') {
        Some(at) => {
            let at = after_brackets + at;
            (&address[..at], Some(&address[at + 1..]))
        }
        None => (address, None),
    }
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']');
        return address.is_some_and(|a| a.parse::<std::net::Ipv6Addr>().is_ok());
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    (1..=253).contains(&host.len()) && host.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_brokers() {
        for (text, host, port) in [
            ("mqtt://localhost", "localhost", 1883),
            ("mqtt://localhost/", "localhost", 1883),
            ("mqtt://10.0.0.1:2000", "10.0.0.1", 2000),
            ("tcp://hall-broker.local:1883", "hall-broker.local", 1883),
            ("mqtt://[::1]", "[::1]", 1883),
            ("mqtt://[::1]:99", "[::1]", 99),
            ("mqtts://hall-broker.local", "hall-broker.local", 8883),
            ("mqtts://[::1]:1", "[::1]", 1),
        ] {
            let url: BrokerUrl = text.parse().unwrap();
            assert_eq!((url.host(), url.port()), (host, port), "{text}");
            assert_eq!(url.is_tls(), text.starts_with("mqtts"), "{text}");
            assert_eq!(url.to_string().parse(), Ok(url), "{text}");
        }
    }

    #[test]
    fn a_broker_is_local_only_if_its_address_says_so() {
        for (host, local) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("127.1.2.3", true),
            ("[::1]", true),
            ("localhost.example", false),
            ("hall-broker.local", false),
            ("10.0.0.1", false),
            ("[::2]", false),
        ] {
            let url: BrokerUrl = format!("mqtt://{host}").parse().unwrap();
            assert_eq!(url.is_local(), local, "{host}");
        }
    }

    #[test]
    fn each_mistake_is_named() {
        let text = str::to_owned;
        for (bad, why) in [
            ("localhost:1883", UrlError::NoScheme),
            ("ws://a", UrlError::Scheme(text("ws"))),
            ("mqtt://me:secret@a", UrlError::Credentials),
            ("mqtt://", UrlError::Host(text(""))),
            ("mqtt://a b", UrlError::Host(text("a b"))),
            ("mqtt://[a]", UrlError::Host(text("[a]"))),
            ("mqtt://a:", UrlError::Port(text(""))),
            ("mqtt://a:0", UrlError::Port(text("0"))),
            ("mqtt://a:65536", UrlError::Port(text("65536"))),
            ("mqtt://::1", UrlError::Port(text(":1"))),
            ("mqtt://a:1/x", UrlError::Path(text("/x"))),
            ("mqtt://a?b", UrlError::Path(text("?b"))),
        ] {
            assert_eq!(bad.parse::<BrokerUrl>(), Err(why), "{bad}");
        }
    }
}
