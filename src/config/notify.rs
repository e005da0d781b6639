//! The sections `[[notify]]`: servers that pass alerts on to phones.

use remisd_broadcast::notify::{Kind, Rates};
use remisd_game::Level;

use super::{
    choices::{NotifyKind, Severity},
    raw,
    secret::Secret,
    valid,
    validate::Check,
    value::Key,
};
use crate::words::Language;

/// The allowed addresses, as an error message lists them.
const URL: &str = "allowed: an address that begins with https:// or http://";
/// The allowed topics, as an error message lists them.
const TOPIC: &str = "allowed: 1 to 64 letters, digits, - and _";

impl Check<'_> {
    pub(super) fn notify(&mut self, file: &raw::File) -> Vec<valid::Notify> {
        let mut languages = file.audience.languages.value.iter().flatten();
        let first = languages.find_map(super::value::Choice::meaning);
        let mut receivers = Vec::new();
        for (number, notify) in file.notify.iter().enumerate() {
            let path = format!("notify.{number}");
            receivers.extend(self.receiver(&path, notify.get_ref(), first));
        }
        receivers
    }

    fn receiver(
        &mut self,
        path: &str,
        notify: &raw::Notify,
        first: Option<Language>,
    ) -> Option<valid::Notify> {
        let at = |key: &str| format!("{path}.{key}");
        let kind = self.is_set(&at("kind"), &notify.kind);
        let kind = kind.and_then(|()| self.choice(&at("kind"), &notify.kind));
        let url = self.is_set(&at("url"), &notify.url);
        let url = url.and_then(|()| self.address(&at("url"), &notify.url));
        let topic = self.topic(&at("topic"), &notify.topic, kind);
        let (token_file, token_credential) = (at("token_file"), at("token_credential"));
        let token = self.secret(
            "the token",
            (&token_file, &notify.token_file),
            (&token_credential, &notify.token_credential),
        );
        let address = url.as_ref().map(Secret::reveal);
        let token = self.over_tls_to(&at("url"), &notify.url, address, token);
        let severity = self.choice(&at("min_severity"), &notify.min_severity);
        let language = match notify.language.value {
            Some(_) => self.choice(&at("language"), &notify.language),
            None => first,
        };
        let priority = self.number(&at("priority"), &notify.priority);
        let quiet_priority = self.number(&at("quiet_priority"), &notify.quiet_priority);
        let board = self.number(&at("board_per_minute"), &notify.board_per_minute);
        let all = self.number(&at("per_minute"), &notify.per_minute);
        let kind = match kind? {
            NotifyKind::Webhook => Kind::Webhook,
            NotifyKind::Ntfy => Kind::Ntfy {
                topic: topic?,
                priority: u8::try_from(priority?).ok()?,
                quiet_priority: u8::try_from(quiet_priority?).ok()?,
                tags: notify.tags.value.clone().unwrap_or_default(),
            },
        };
        Some(valid::Notify {
            url: url?,
            kind,
            token,
            least: match severity? {
                Severity::Red => Level::Red,
                Severity::Amber => Level::Amber,
                Severity::Grey => Level::Grey,
            },
            language: language?,
            rates: Rates {
                board: u32::try_from(board?).ok()?,
                all: u32::try_from(all?).ok()?,
            },
        })
    }

    /// Refuses a key without a default that is not set.
    fn is_set<T>(&mut self, path: &str, key: &Key<T>) -> Option<()> {
        if key.value.is_some() {
            return Some(());
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        let allowed = format!("this receiver has no `{name}`");
        self.refuse(path, key, "must be set".to_owned(), &allowed)
    }

    fn address(&mut self, path: &str, key: &Key<Secret>) -> Option<Secret> {
        let url = key.value.as_ref()?;
        let text = url.reveal();
        let has_host = ["https://", "http://"].iter().any(|scheme| {
            let rest = text.strip_prefix(scheme);
            rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        });
        if has_host && text.parse::<axum::http::Uri>().is_ok() && !text.contains('@') {
            return Some(url.clone());
        }
        self.refuse(path, key, "this is not a valid address".to_owned(), URL)
    }

    fn topic(&mut self, path: &str, key: &Key<Secret>, kind: Option<NotifyKind>) -> Option<String> {
        let topic = key.value.as_ref().map(Secret::reveal);
        let (message, allowed) = match (kind?, topic) {
            (NotifyKind::Webhook, None) => return None,
            (NotifyKind::Webhook, Some(_)) => ("a webhook has no topic", "leave the key out"),
            (NotifyKind::Ntfy, None) => ("must be set", "this ntfy server has no `topic`"),
            (NotifyKind::Ntfy, Some(topic)) => {
                let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
                if (1..=64).contains(&topic.len()) && topic.chars().all(fits) {
                    return Some(topic.to_owned());
                }
                ("this is not a topic", TOPIC)
            }
        };
        self.refuse(path, key, message.to_owned(), allowed)
    }
}
