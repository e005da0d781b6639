//! `mqtt://HOST[:PORT]`.

/// What [`parse`] takes, as an error tells it.
pub const ALLOWED: &str = "allowed: mqtt://HOST[:PORT], an IPv6 address in brackets";

const SCHEME: &str = "mqtt://";
const DEFAULT_PORT: u16 = 1883;

/// The host and the port of a broker's URL.
///
/// # Errors
///
/// What is wrong with it; a password in it is not repeated.
pub fn parse(url: &str) -> Result<(String, u16), String> {
    let Some(authority) = url.strip_prefix(SCHEME) else {
        return Err(match url.split_once("://") {
            Some((scheme @ ("mqtts" | "ssl" | "tls" | "ws" | "wss"), _)) => {
                format!("{scheme}:// is not supported")
            }
            _ => "is not the URL of an MQTT broker".to_owned(),
        });
    };
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    if authority.contains('@') {
        return Err("user and password have keys of their own".to_owned());
    }
    if authority.contains(['/', '?', '#']) || authority.contains(char::is_whitespace) {
        return Err("has something after its host and port".to_owned());
    }
    let (host, port) = split(authority)?;
    if host.is_empty() {
        return Err("has no host".to_owned());
    }
    let port = match port {
        None => DEFAULT_PORT,
        Some(port) => match port.parse() {
            Ok(port) if port != 0 => port,
            _ => return Err(format!("\"{port}\" is not a port: 1 to 65535")),
        },
    };
    Ok((host.to_owned(), port))
}

fn split(authority: &str) -> Result<(&str, Option<&str>), String> {
    if let Some(rest) = authority.strip_prefix('[') {
        let unclosed = || "has a bracket that is not closed".to_owned();
        let (host, rest) = rest.split_once(']').ok_or_else(unclosed)?;
        if host.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(format!("\"{host}\" is not an IPv6 address"));
        }
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err("has something after its host and port".to_owned()),
        };
    }
    match authority.split_once(':') {
        Some((_, port)) if port.contains(':') => {
            Err("has an IPv6 address without brackets".to_owned())
        }
        Some((host, port)) => Ok((host, Some(port))),
        None => Ok((authority, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_host_and_a_port() {
        for (url, host, port) in [
            ("mqtt://localhost", "localhost", 1883),
            ("mqtt://broker.example:1884/", "broker.example", 1884),
            ("mqtt://10.0.0.1:1", "10.0.0.1", 1),
            ("mqtt://[::1]", "::1", 1883),
            ("mqtt://[fe80::1]:65535", "fe80::1", 65_535),
        ] {
            assert_eq!(parse(url), Ok((host.to_owned(), port)), "{url}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for url in [
            "",
            "localhost",
            "mqtts://a",
            "http://a",
            "mqtt://",
            "mqtt://:1883",
            "mqtt://a:0",
            "mqtt://a:65536",
            "mqtt://a:",
            "mqtt://u:hunter2@a",
            "mqtt://a/b",
            "mqtt://a?b",
            "mqtt://::1",
            "mqtt://[::1",
            "mqtt://[x]",
            "mqtt://[::1]x",
            "mqtt://a b",
        ] {
            let wrong = parse(url).unwrap_err();
            assert!(!wrong.contains("hunter2"), "{wrong}");
        }
    }
}
