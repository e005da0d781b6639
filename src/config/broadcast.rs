//! The section `[broadcast]`: PGN files, PGN over HTTP, uploads, Lichess.

use std::{collections::BTreeMap, net::IpAddr};

use axum::http::{Uri, uri::Scheme};

use super::{
    masked::without_user, password::Given, raw, secret::SecretSource, valid, validate::Check,
    value::Key,
};

/// The allowed Lichess rounds, as an error message lists them.
const ROUNDS: &str = "allowed: the 8 letters and digits at the end of a round's address; for more \
    than 100 boards several, with + between them";
/// The allowed addresses, as an error message lists them.
const URL: &str = "allowed: an address that begins with https:// or http://";
/// The most boards in a Lichess round.
const MOST_GAMES: usize = 100;

impl Check<'_> {
    pub(super) fn broadcast(
        &mut self,
        broadcast: &raw::Broadcast,
        http: &raw::Http,
        boards: usize,
    ) -> Option<valid::Broadcast> {
        let folder = self.path("broadcast.folder", &broadcast.folder);
        let dialect = self.choice("broadcast.dialect", &broadcast.dialect);
        let upload = self.upload(broadcast);
        let lichess = self.lichess(&broadcast.lichess, boards);
        let has_pages = http.listen.value.is_some() && http.pages.value == Some(true);
        if broadcast.http.value == Some(true) && !has_pages {
            let message = "the pages that would serve the games are off".to_owned();
            let allowed = "set http.listen and http.pages as well";
            self.refuse::<_, ()>("broadcast.http", &broadcast.http, message, allowed);
        }
        Some(valid::Broadcast {
            folder: folder.map(Into::into),
            dialect: dialect?,
            http: broadcast.http.value?,
            upload,
            lichess,
        })
    }

    fn lichess(&mut self, lichess: &raw::Lichess, boards: usize) -> Option<valid::Lichess> {
        let host = self.url("broadcast.lichess.host", &lichess.host);
        let token = self.secret(
            "the token",
            ("broadcast.lichess.token_file", &lichess.token_file),
            (
                "broadcast.lichess.token_credential",
                &lichess.token_credential,
            ),
        );
        let user = self.text("broadcast.lichess.user", &lichess.user);
        let dry_run = self.path("broadcast.lichess.dry_run", &lichess.dry_run);
        let path = "broadcast.lichess.rounds";
        let mut rounds: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (text, number) in lichess.rounds.value.iter().flatten().zip(1..) {
            let ids: Vec<String> = text.split('+').map(|id| id.trim().to_owned()).collect();
            if text.trim().is_empty() {
                rounds.insert(number, Vec::new());
                continue;
            }
            if let Some(wrong) = ids.iter().find(|id| !is_round(id)) {
                let message = format!("\"{wrong}\" is not the id of a Lichess round");
                self.refuse::<_, ()>(path, &lichess.rounds, message, ROUNDS);
            }
            if boards > MOST_GAMES * ids.len() {
                let message = format!(
                    "\"{text}\" takes {} of {boards} boards",
                    MOST_GAMES * ids.len()
                );
                self.refuse::<_, ()>(path, &lichess.rounds, message, ROUNDS);
            }
            let is_given = |id| rounds.values().flatten().any(|other| other == id);
            let twice = (ids.iter().enumerate())
                .find(|(place, id)| ids[..*place].contains(id) || is_given(*id));
            if let Some((_, id)) = twice {
                let message = format!("\"{id}\" is given twice");
                self.refuse::<_, ()>(path, &lichess.rounds, message, ROUNDS);
            }
            rounds.insert(number, ids);
        }
        let tournament = self.text("broadcast.lichess.tournament", &lichess.tournament);
        if let Some(id) = tournament.filter(|id| !is_round(id)) {
            let message = format!("\"{id}\" is not the id of a tournament");
            let allowed = "allowed: the 8 letters and digits at the end of its address";
            let key = "broadcast.lichess.tournament";
            self.refuse::<_, ()>(key, &lichess.tournament, message, allowed);
        }
        let tournament = tournament.map(str::to_owned);
        if rounds.values().all(Vec::is_empty) && tournament.is_none() {
            if let Some((key, origin, _)) = token {
                self.lacks(key, origin, path);
            }
            return None;
        }
        let token = self.over_tls("broadcast.lichess.host", &lichess.host, token);
        if token.is_none() && dry_run.is_none() {
            let message = "needs a token".to_owned();
            let allowed = "set broadcast.lichess.token_file or token_credential, or dry_run";
            return self.refuse(path, &lichess.rounds, message, allowed);
        }
        Some(valid::Lichess {
            host: host?,
            rounds,
            tournament,
            token,
            user: user.unwrap_or_default().to_owned(),
            dry_run: dry_run.map(Into::into),
        })
    }

    /// Returns the source of a secret. Refuses an address that would carry it over a network in
    /// clear.
    pub(super) fn over_tls(
        &mut self,
        path: &str,
        url: &Key<String>,
        secret: Option<Given<'_>>,
    ) -> Option<SecretSource> {
        self.over_tls_to(path, url, url.value.as_deref(), secret)
    }

    /// The same for an address in a key of any type.
    pub(super) fn over_tls_to<T>(
        &mut self,
        path: &str,
        key: &Key<T>,
        url: Option<&str>,
        secret: Option<Given<'_>>,
    ) -> Option<SecretSource> {
        let (_, _, source) = secret?;
        let address = url.and_then(|url| url.parse::<Uri>().ok());
        let clear = address.filter(|address| address.scheme() == Some(&Scheme::HTTP));
        if clear.is_some_and(|address| !address.host().is_some_and(is_own_host)) {
            let message = "a secret would cross the network unencrypted".to_owned();
            let allowed = "allowed: https://; http:// only to this computer (127.0.0.1, localhost)";
            self.refuse::<_, ()>(path, key, message, allowed);
        }
        source
    }

    pub(super) fn url(&mut self, path: &str, key: &Key<String>) -> Option<String> {
        let text = self.text(path, key)?;
        let plain = !text.contains([' ', '?', '#', '@']);
        if plain && (text.starts_with("https://") || text.starts_with("http://")) {
            return Some(text.trim_end_matches('/').to_owned());
        }
        let message = format!("\"{}\" is not a valid address", without_user(text));
        self.refuse(path, key, message, URL)
    }
}

/// Whether a host of an address is this computer.
fn is_own_host(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn is_round(id: &str) -> bool {
    id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
