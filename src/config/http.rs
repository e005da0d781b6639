//! The section `[http]`: where pages are served, and the broker's user behind the public pages.

use std::net::SocketAddr;

use super::{network::Network, raw, valid, validate::Check, value::Key};

/// The allowed listen addresses, as an error message lists them.
const LISTEN: &str = "allowed: an address and a port, as 127.0.0.1:9120 or [::1]:9120";
/// The allowed proxy addresses, as an error message lists them.
const PROXY: &str = "allowed: an address, or a range of addresses as 192.0.2.0/24";
/// The allowed host names, as an error message lists them.
const NAME: &str = "allowed: a name without port and path, as chess.example.org";

impl Check<'_> {
    pub(super) fn http(&mut self, http: &raw::Http) -> Option<valid::Http> {
        let pages = http.pages.value?;
        let listen = self.text("http.listen", &http.listen);
        let listen = listen.and_then(|text| match text.parse::<SocketAddr>() {
            Ok(address) if pages || address.ip().is_loopback() => Some(address),
            Ok(address) => {
                let message = format!(
                    "{} can be reached from other computers, and health and metrics are for \
                     this one alone",
                    address.ip()
                );
                self.refuse("http.listen", &http.listen, message, LISTEN)
            }
            Err(_) => {
                let message = format!("\"{text}\" is not an address with its port");
                self.refuse("http.listen", &http.listen, message, LISTEN)
            }
        });
        let names = http.names.value.clone().unwrap_or_default();
        if let Some(wrong) = names.iter().find(|name| !is_host(name)) {
            let message = format!("\"{wrong}\" is not the name of a computer");
            self.refuse::<_, ()>("http.names", &http.names, message, NAME);
        }
        let trusted_proxies = self.trusted_proxies(&http.trusted_proxies);
        let user = self.text("http.public_username", &http.public_username);
        Some(valid::Http {
            listen,
            pages,
            names,
            trusted_proxies,
            public_username: user.map(str::to_owned),
            public_password: self.password(
                ("http.public_username", &http.public_username),
                ("http.public_password_file", &http.public_password_file),
                (
                    "http.public_password_credential",
                    &http.public_password_credential,
                ),
            ),
        })
    }

    fn trusted_proxies(&mut self, key: &Key<Vec<String>>) -> Vec<Network> {
        let mut networks = Vec::new();
        for text in key.value.clone().unwrap_or_default() {
            if let Ok(network) = text.parse() {
                networks.push(network);
            } else {
                let message = format!("\"{text}\" is neither an address nor a range of addresses");
                self.refuse::<_, ()>("http.trusted_proxies", key, message, PROXY);
            }
        }
        networks
    }
}

fn is_host(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    (1..=253).contains(&name.len()) && name.bytes().all(is_part)
}
