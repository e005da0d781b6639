//! The section `[livechess]`: an API for programs that were written for `LiveChess`.

use std::net::SocketAddr;

use remisd_livechess::{Origin, PAGES};

use super::{
    choices::{LiveChessAudience, Profile},
    problem::Problem,
    raw, valid,
    validate::{Check, span},
};

/// The allowed listen addresses, as an error message lists them.
const LISTEN: &str = "allowed: an address and a port, such as 127.0.0.1:1982 or [::1]:1982";
/// The allowed origins, as an error message lists them.
const ORIGIN: &str =
    "allowed: a scheme, a host and perhaps a port, such as https://chess.example.org";

impl Check<'_> {
    pub(super) fn livechess(
        &mut self,
        livechess: &raw::LiveChess,
        audience: &raw::Audience,
    ) -> Option<valid::LiveChess> {
        let listen = self.text("livechess.listen", &livechess.listen);
        let listen = listen.and_then(|text| {
            if let Ok(address) = text.parse::<SocketAddr>() {
                return Some(address);
            }
            let message = format!("\"{text}\" is not an address with its port");
            self.refuse("livechess.listen", &livechess.listen, message, LISTEN)
        });
        let shown = self.choice("livechess.audience", &livechess.audience);
        let enabled = livechess.enabled.value?;
        let profile = audience
            .profile
            .value
            .as_ref()
            .and_then(super::value::Choice::meaning);
        let competition = profile == Some(Profile::Competition);
        if enabled && competition {
            self.fits_competition(livechess, audience, listen, shown);
        }
        // What an arbiter sees of a competition goes to no page that no one has listed.
        let known = !(competition && shown == Some(LiveChessAudience::Arbiter));
        let mut origins: Vec<Origin> = if known {
            PAGES.iter().filter_map(|page| page.parse().ok()).collect()
        } else {
            Vec::new()
        };
        for text in livechess.origins.value.iter().flatten() {
            if let Ok(origin) = text.parse() {
                origins.push(origin);
            } else {
                let message = format!("\"{text}\" is not the origin of a page");
                self.refuse::<_, ()>("livechess.origins", &livechess.origins, message, ORIGIN);
            }
        }
        let user = self.text("livechess.username", &livechess.username);
        Some(valid::LiveChess {
            enabled,
            listen: listen?,
            audience: shown?,
            origins,
            username: user.map(str::to_owned),
            password: self.password(
                ("livechess.username", &livechess.username),
                ("livechess.password_file", &livechess.password_file),
                (
                    "livechess.password_credential",
                    &livechess.password_credential,
                ),
            ),
        })
    }

    /// In a competition no one but the arbiter sees a board without delay.
    fn fits_competition(
        &mut self,
        livechess: &raw::LiveChess,
        audience: &raw::Audience,
        listen: Option<SocketAddr>,
        shown: Option<LiveChessAudience>,
    ) {
        let (key, origin, message, allowed) = match (shown, listen) {
            (Some(LiveChessAudience::Operator), _) => (
                "livechess.audience",
                &livechess.audience.origin,
                "shows live boards to whoever can connect, and this is a competition".to_owned(),
                "allowed: audience = \"arbiter\" on the arbiter's computer, audience = \"public\" \
                 for the delayed game, or enabled = false",
            ),
            (Some(LiveChessAudience::Arbiter), Some(address)) if !address.ip().is_loopback() => (
                "livechess.listen",
                &livechess.listen.origin,
                format!(
                    "{} can be reached from other computers, and this shows live boards of a \
                     competition without a password",
                    address.ip()
                ),
                "allowed: an address of this computer alone, such as 127.0.0.1:1982",
            ),
            _ => return,
        };
        self.problems.push(Problem {
            key: key.to_owned(),
            origin: origin.clone(),
            message,
            allowed: allowed.to_owned(),
            beside: span(&audience.profile.origin).map(|span| (span, "the profile")),
        });
    }
}
