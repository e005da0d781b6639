//! Other daemons with our name, detected on our own state topic.
//!
//! Each daemon subscribes to its own state topic. A daemon that starts publishes `online` there, so
//! a running daemon with the same name learns of it. That daemon repeats its own `online`, so the
//! new one learns of it too. A retained state proves nothing: its daemon may be gone.

use serde::Deserialize;

/// The maximum number of namesakes that are remembered.
const MOST: usize = 8;
/// The longest host name that is repeated, in characters.
const HOST: usize = 64;

/// The parts of a state payload that are read.
#[derive(Debug, Deserialize)]
pub(super) struct PeerState {
    #[serde(default)]
    session: String,
    #[serde(default)]
    host: String,
    #[serde(rename = "state")]
    availability: String,
}

impl PeerState {
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice(payload).ok()
    }

    pub(super) fn is_online(&self) -> bool {
        self.availability == "online"
    }
}

/// What a state reveals about the daemons with our name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PeerChange {
    /// Another daemon, on this host, is online.
    Came(String),
    /// A daemon that was online has gone.
    Left,
}

/// The other daemons with our name: session and host.
#[derive(Debug, Default)]
pub(super) struct DuplicateNodes(Vec<(String, String)>);

impl DuplicateNodes {
    /// Handles a live state published on our state topic.
    pub(super) fn observe(&mut self, own: &str, state: &PeerState) -> Option<PeerChange> {
        if state.session.is_empty() || state.session == own {
            return None;
        }
        if !state.is_online() {
            let before = self.0.len();
            self.0.retain(|(session, _)| *session != state.session);
            return (self.0.len() < before).then_some(PeerChange::Left);
        }
        let known = self.0.iter().any(|(session, _)| *session == state.session);
        if known || self.0.len() == MOST {
            return None;
        }
        let host: String = (state.host.chars())
            .filter(char::is_ascii_graphic)
            .take(HOST)
            .collect();
        let host = if host.is_empty() {
            "unknown".to_owned()
        } else {
            host
        };
        self.0.push((state.session.clone(), host.clone()));
        Some(PeerChange::Came(host))
    }

    /// Whether the state belongs to another daemon that is online.
    pub(super) fn is_other(own: &str, state: &PeerState) -> bool {
        state.is_online() && !state.session.is_empty() && state.session != own
    }

    pub(super) fn hosts(&self) -> Vec<String> {
        self.0.iter().map(|(_, host)| host.clone()).collect()
    }

    /// Forgets all of them: after a lost connection the survivors announce themselves again.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(session: &str, host: &str, state: &str) -> PeerState {
        let json = serde_json::json!({"session": session, "host": host, "state": state});
        PeerState::read(json.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn another_daemon_of_our_name_is_known_until_it_goes() {
        let mut namesakes = DuplicateNodes::default();
        assert_eq!(namesakes.observe("a", &state("a", "pi-1", "online")), None);
        let other = state("b", "pi-2\u{202e}", "online");
        let came = Some(PeerChange::Came("pi-2".to_owned()));
        assert_eq!(namesakes.observe("a", &other), came);
        assert_eq!(namesakes.observe("a", &other), None, "once");
        assert_eq!(namesakes.hosts(), ["pi-2"]);
        assert_eq!(namesakes.observe("a", &state("c", "pi-3", "lost")), None);
        assert_eq!(namesakes.hosts(), ["pi-2"]);
        let left = namesakes.observe("a", &state("b", "pi-2", "lost"));
        assert_eq!(left, Some(PeerChange::Left));
        assert!(namesakes.hosts().is_empty());
    }

    #[test]
    fn a_flood_of_names_has_a_bound() {
        let mut namesakes = DuplicateNodes::default();
        for n in 0..1_000 {
            namesakes.observe("a", &state(&n.to_string(), &"x".repeat(500), "online"));
        }
        assert_eq!(namesakes.hosts().len(), MOST);
        assert!(namesakes.hosts().iter().all(|host| host.len() == HOST));
    }
}
