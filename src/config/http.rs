//! The section `[http]`: where pages are served, and the broker's user behind the public pages.

use std::net::SocketAddr;

use remisd_vocabulary::name::SiteId;

use super::{network::Network, raw, valid, validate::Check, value::Key};

/// The maximum number of further sites: the page of all sites holds a connection for each.
const MAX_SITES: usize = 31;

/// The allowed listen addresses, as an error message lists them.
const LISTEN: &str = "allowed: an address and a port, such as 127.0.0.1:9120 or [::1]:9120";
/// The allowed proxy addresses, as an error message lists them.
const PROXY: &str = "allowed: an address, or a range of addresses such as 192.0.2.0/24";
/// The allowed host names, as an error message lists them.
const NAME: &str = "allowed: a name without port and path, such as chess.example.org";

impl Check<'_> {
    pub(super) fn http(
        &mut self,
        http: &raw::Http,
        own_site: Option<&SiteId>,
    ) -> Option<valid::Http> {
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
        let sites = self.sites(&http.sites, own_site);
        let trusted_proxies = self.trusted_proxies(&http.trusted_proxies);
        let user = self.text("http.public_username", &http.public_username);
        Some(valid::Http {
            listen,
            pages,
            names,
            sites,
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

    fn sites(&mut self, key: &Key<Vec<String>>, own_site: Option<&SiteId>) -> Vec<SiteId> {
        let mut sites: Vec<SiteId> = Vec::new();
        for text in key.value.clone().unwrap_or_default() {
            let Ok(site) = text.parse() else {
                let message = format!("\"{text}\" cannot be a level of a topic");
                let allowed = "allowed: 1 to 32 of a-z, 0-9 and -";
                self.refuse::<_, ()>("http.sites", key, message, allowed);
                continue;
            };
            if own_site == Some(&site) || sites.contains(&site) {
                let message = format!("\"{site}\" is listed twice");
                let allowed = "allowed: each site once, and not site.id, which is served anyway";
                self.refuse::<_, ()>("http.sites", key, message, allowed);
            }
            sites.push(site);
        }
        if sites.len() > MAX_SITES {
            let message = format!("has {} sites", sites.len());
            let allowed = format!("allowed: at most {MAX_SITES} sites");
            self.refuse::<_, ()>("http.sites", key, message, &allowed);
        }
        sites
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

#[cfg(test)]
mod tests {
    use super::MAX_SITES;
    use crate::config::{Configuration, Environment, editions};

    #[test]
    fn the_number_of_sites_is_bounded() {
        let sites = |count: usize| {
            let names: Vec<String> = (0..count).map(|n| format!("\"s{n}\"")).collect();
            let text = format!("[http]\nsites = [{}]\n", names.join(", "));
            let nothing = Environment::default();
            Configuration::parse(&text, "remisd.toml", &nothing, &editions())
        };
        assert_eq!(sites(MAX_SITES).unwrap().config.http.sites.len(), MAX_SITES);
        let refused = sites(MAX_SITES + 1).unwrap_err().to_string();
        assert!(refused.contains("http.sites: has 32 sites"), "{refused}");
    }
}
