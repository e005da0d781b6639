//! The keys `upload_…` of `[broadcast]`: where PGN files are pushed to, and how both sides prove who
//! they are.

use std::path::PathBuf;

use remisd_broadcast::upload::{Address, AddressError, Fingerprint, Protocol};

use super::{
    masked::without_user,
    password::Given,
    problem::Problem,
    raw,
    valid::{HostKeySource, SshLogin, Upload},
    validate::Check,
    value::{Key, Value},
};

const URL: &str = "broadcast.upload_url";
/// The allowed addresses, as an error message lists them.
const URLS: &str = "allowed: an address that begins with https://, http://, sftp:// or ftps://";

/// What to do with a key that the address has no use for.
const LEAVE: &str = "leave the key out, or change broadcast.upload_url";

/// The keys besides the address, each as it was given.
struct Keys<'a> {
    authorization: Option<Given<'a>>,
    password: Option<Given<'a>>,
    key: Option<Given<'a>>,
    fingerprints: Vec<Fingerprint>,
    known_hosts: Option<PathBuf>,
    ca_file: Option<PathBuf>,
}

impl Check<'_> {
    pub(super) fn upload(&mut self, broadcast: &raw::Broadcast) -> Option<Upload> {
        let keys = self.upload_keys(broadcast);
        let url = &broadcast.upload_url;
        let Some(text) = self.text(URL, url) else {
            if url.value.is_none() {
                let allowed = format!("set {URL} as well");
                self.refuse_others(broadcast, &[], "it has no effect alone", &allowed);
            }
            return None;
        };
        if text.starts_with("https://") || text.starts_with("http://") {
            const TAKEN: [&str; 2] = ["authorization_file", "authorization_credential"];
            self.refuse_others(broadcast, &TAKEN, "it does not apply to https://", LEAVE);
            let address = self.url(URL, url);
            let authorization = self.over_tls(URL, url, keys.authorization);
            let url = address?;
            return Some(Upload::Http { url, authorization });
        }
        let address: Address = match text.parse() {
            Ok(address) => address,
            Err(error) => {
                let shown = without_user(text);
                let message = match error {
                    AddressError::Scheme => format!("\"{shown}\" is not a valid address"),
                    error => format!("\"{shown}\" is not {error}"),
                };
                return self.refuse(URL, url, message, URLS);
            }
        };
        match address.protocol() {
            Protocol::Sftp => self.sftp(broadcast, address, keys),
            Protocol::Ftps | Protocol::ImplicitFtps => {
                const TAKEN: [&str; 3] = ["password_file", "password_credential", "ca_file"];
                self.refuse_others(broadcast, &TAKEN, "it does not apply to ftps://", LEAVE);
                let Some((.., password)) = keys.password else {
                    let message = "the server needs a password".to_owned();
                    let allowed =
                        "set broadcast.upload_password_file or upload_password_credential as well";
                    return self.refuse(URL, url, message, allowed);
                };
                Some(Upload::Ftps {
                    address,
                    password: password?,
                    ca_file: keys.ca_file,
                })
            }
        }
    }

    fn sftp(
        &mut self,
        broadcast: &raw::Broadcast,
        address: Address,
        keys: Keys<'_>,
    ) -> Option<Upload> {
        const TAKEN: [&str; 6] = [
            "password_file",
            "password_credential",
            "key_file",
            "key_credential",
            "host_keys",
            "known_hosts",
        ];
        self.refuse_others(broadcast, &TAKEN, "it does not apply to sftp://", LEAVE);
        let url = &broadcast.upload_url;
        let login = match (keys.password, keys.key) {
            (Some((.., password)), None) => password.map(SshLogin::Password),
            (None, Some((.., key))) => key.map(SshLogin::Key),
            (given, _) => {
                let message = match given {
                    Some(_) => "there are a password and a private key",
                    None => "the server needs a password or a private key",
                };
                let allowed = "set one of broadcast.upload_key_file, upload_key_credential, \
                    upload_password_file and upload_password_credential";
                self.refuse(URL, url, message.to_owned(), allowed)
            }
        };
        let host_keys = match (keys.fingerprints, keys.known_hosts) {
            (list, None) if !list.is_empty() => Some(HostKeySource::Fingerprints(list)),
            (list, Some(file)) if list.is_empty() => Some(HostKeySource::KnownHosts(file)),
            (list, _) => {
                let message = if list.is_empty() {
                    "anyone could pretend to be the server"
                } else {
                    "the server's keys are given twice"
                };
                let allowed = "set broadcast.upload_host_keys or broadcast.upload_known_hosts";
                self.refuse(URL, url, message.to_owned(), allowed)
            }
        };
        Some(Upload::Sftp {
            address,
            login: login?,
            host_keys: host_keys?,
        })
    }

    fn upload_keys<'a>(&mut self, broadcast: &'a raw::Broadcast) -> Keys<'a> {
        Keys {
            authorization: self.secret(
                "the secret",
                (
                    "broadcast.upload_authorization_file",
                    &broadcast.upload_authorization_file,
                ),
                (
                    "broadcast.upload_authorization_credential",
                    &broadcast.upload_authorization_credential,
                ),
            ),
            password: self.secret(
                "the password",
                (
                    "broadcast.upload_password_file",
                    &broadcast.upload_password_file,
                ),
                (
                    "broadcast.upload_password_credential",
                    &broadcast.upload_password_credential,
                ),
            ),
            key: self.secret(
                "the private key",
                ("broadcast.upload_key_file", &broadcast.upload_key_file),
                (
                    "broadcast.upload_key_credential",
                    &broadcast.upload_key_credential,
                ),
            ),
            fingerprints: self.fingerprints(&broadcast.upload_host_keys),
            known_hosts: self
                .path(
                    "broadcast.upload_known_hosts",
                    &broadcast.upload_known_hosts,
                )
                .map(PathBuf::from),
            ca_file: self
                .path("broadcast.upload_ca_file", &broadcast.upload_ca_file)
                .map(PathBuf::from),
        }
    }

    fn fingerprints(&mut self, key: &Key<Vec<String>>) -> Vec<Fingerprint> {
        let mut fingerprints = Vec::new();
        for text in key.value.iter().flatten() {
            match text.trim().parse() {
                Ok(fingerprint) => fingerprints.push(fingerprint),
                Err(error) => {
                    let path = "broadcast.upload_host_keys";
                    let message = format!("\"{text}\" is not the fingerprint of a host key");
                    self.refuse::<_, ()>(path, key, message, &format!("allowed: {error}"));
                }
            }
        }
        fingerprints
    }

    /// Refuses the keys that are set although the address has no use for them.
    fn refuse_others(
        &mut self,
        broadcast: &raw::Broadcast,
        taken: &[&str],
        message: &str,
        allowed: &str,
    ) {
        let keys: [(&str, &dyn Value, bool); 9] = [
            entry("authorization_file", &broadcast.upload_authorization_file),
            entry(
                "authorization_credential",
                &broadcast.upload_authorization_credential,
            ),
            entry("password_file", &broadcast.upload_password_file),
            entry("password_credential", &broadcast.upload_password_credential),
            entry("key_file", &broadcast.upload_key_file),
            entry("key_credential", &broadcast.upload_key_credential),
            (
                "host_keys",
                &broadcast.upload_host_keys,
                broadcast
                    .upload_host_keys
                    .value
                    .as_ref()
                    .is_some_and(|list| !list.is_empty()),
            ),
            entry("known_hosts", &broadcast.upload_known_hosts),
            entry("ca_file", &broadcast.upload_ca_file),
        ];
        for (name, key, is_set) in keys {
            if is_set && !taken.contains(&name) {
                self.problems.push(Problem {
                    key: format!("broadcast.upload_{name}"),
                    origin: key.origin().clone(),
                    message: message.to_owned(),
                    allowed: allowed.to_owned(),
                    beside: None,
                });
            }
        }
    }
}

fn entry<'a>(name: &'a str, key: &'a Key<String>) -> (&'a str, &'a dyn Value, bool) {
    (name, key, key.value.is_some())
}
