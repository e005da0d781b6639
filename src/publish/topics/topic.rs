//! The topic tree: `chess/v1/<site>/<audience>/<board>/<leaf>` and the topics beside it.

use remisd_vocabulary::name::{BoardId, NodeId, SiteId};

/// The audience that may see a topic.
///
/// The audience precedes the board in the topic, so one line of a broker's access list serves a
/// role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// The arbiter: everything, without delay.
    Arbiter,
    /// The staff who look after boards and broadcast: no draw state unless it is opened to them.
    Operator,
    /// The public, after the broadcast delay.
    Public,
    /// Screens in the playing hall, which players can read.
    Hall,
    /// The players' own devices and clocks.
    Player,
}

impl Audience {
    /// Every audience.
    pub const ALL: [Self; 5] = [
        Self::Arbiter,
        Self::Operator,
        Self::Public,
        Self::Hall,
        Self::Player,
    ];

    /// The audience's level in a topic.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Operator => "operator",
            Self::Public => "public",
            Self::Hall => "hall",
            Self::Player => "player",
        }
    }
}

/// The last level of a board's topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// The game: moves, position, clocks, result.
    Game,
    /// The games before the one in `game`.
    Earlier,
    /// The state of the position under the draw rules.
    Draw,
    /// The standing draw offer.
    Offer,
    /// The state of the clock and what the Laws require of it now.
    Clock,
    /// The result, once it may be published.
    Result,
    /// The open alerts.
    Alerts,
    /// The device and its connection.
    Link,
    /// What the sensors see on the squares.
    Squares,
    /// Whether the board is connected.
    Availability,
}

impl Leaf {
    /// Every retained leaf.
    pub const ALL: [Self; 10] = [
        Self::Game,
        Self::Earlier,
        Self::Draw,
        Self::Offer,
        Self::Clock,
        Self::Result,
        Self::Alerts,
        Self::Link,
        Self::Squares,
        Self::Availability,
    ];

    /// The leaf's level in a topic.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Earlier => "earlier",
            Self::Draw => "draw",
            Self::Offer => "offer",
            Self::Clock => "clock",
            Self::Result => "result",
            Self::Alerts => "alerts",
            Self::Link => "link",
            Self::Squares => "squares",
            Self::Availability => "availability",
        }
    }
}

/// The topic of a leaf.
#[must_use]
pub fn board(site: &SiteId, audience: Audience, board: &BoardId, leaf: Leaf) -> String {
    let (audience, leaf) = (audience.as_str(), leaf.as_str());
    format!("chess/v1/{site}/{audience}/{board}/{leaf}")
}

/// The topic of the daemon's own state, which is also the topic of its will.
#[must_use]
pub fn node_state(site: &SiteId, node: &NodeId) -> String {
    format!("chess/v1/{site}/node/{node}/state")
}

/// The topic on which the daemon publishes its health.
#[must_use]
pub fn node_health(site: &SiteId, node: &NodeId) -> String {
    format!("chess/v1/{site}/node/{node}/health")
}

/// The topic on which the daemon publishes its version and configuration.
#[must_use]
pub fn node_info(site: &SiteId, node: &NodeId) -> String {
    format!("chess/v1/{site}/node/{node}/info")
}

/// The topic on which the daemon publishes its list of boards.
#[must_use]
pub fn node_boards(site: &SiteId, node: &NodeId) -> String {
    format!("chess/v1/{site}/node/{node}/boards")
}

/// The topic on which the daemon publishes how the broadcast is.
#[must_use]
pub fn node_broadcast(site: &SiteId, node: &NodeId) -> String {
    format!("chess/v1/{site}/node/{node}/broadcast")
}

/// The topic filter for the commands to a daemon with this verb.
#[must_use]
pub fn node_commands(site: &SiteId, node: &NodeId, verb: &str) -> String {
    format!("chess/v1/{site}/cmd/+/{node}/{verb}")
}

/// The topic filter for a board's commands.
#[must_use]
pub fn commands(site: &SiteId, board: &BoardId) -> String {
    format!("chess/v1/{site}/cmd/+/{board}/+")
}

/// The topic filter for the commands to all boards and daemons of a site.
#[must_use]
pub fn all_commands(site: &SiteId) -> String {
    format!("chess/v1/{site}/cmd/+/+/+")
}

/// The payload of a sign-in message.
///
/// A page server publishes one to find out whether the broker lets its user write commands. It is
/// not a command itself.
pub const SIGN_IN_PAYLOAD: &[u8] = b"{}";

/// The topic of a sign-in message: at the board or, for roles that cover all boards, at `-`.
#[must_use]
pub fn sign_in(site: &SiteId, role: &str, board: Option<&BoardId>) -> String {
    let board = board.map_or("-", BoardId::as_str);
    format!("chess/v1/{site}/cmd/{role}/{board}/sign_in")
}

/// Whether a message is only a sign-in message, which must not be answered.
#[must_use]
pub fn is_sign_in(topic: &str, payload: &[u8]) -> bool {
    payload == SIGN_IN_PAYLOAD && parse_command(topic).is_some_and(|(_, _, verb)| verb == "sign_in")
}

/// The role, board and verb of a command topic, as raw words that are not yet validated.
#[must_use]
pub fn parse_command(topic: &str) -> Option<(&str, &str, &str)> {
    let mut levels = topic.split('/');
    let fixed = [levels.next()?, levels.next()?];
    let _site = levels.next()?;
    let kind = levels.next()?;
    let words = (levels.next()?, levels.next()?, levels.next()?);
    (fixed == ["chess", "v1"] && kind == "cmd" && levels.next().is_none()).then_some(words)
}

/// Whether the answer to `command` may be published on `topic`.
///
/// It must be below this site's `reply/`; otherwise a sender could make the daemon write where only
/// others may. It must not go to the user of another role, who requested nothing and must not learn
/// of the command. The shipped access list names these users `arbiter`, `operator`, `public`,
/// `hall` and `<board>-white`, `-black`, `-clock`, `-board`.
#[must_use]
pub fn is_reply(site: &SiteId, command: &str, topic: &str) -> bool {
    let below = topic
        .strip_prefix("chess/v1/")
        .and_then(|rest| rest.strip_prefix(site.as_str()))
        .and_then(|rest| rest.strip_prefix("/reply/"));
    below.is_some_and(|below| {
        let fits = !below.is_empty() && below.len() <= 256 && !below.contains(['+', '#', '\0']);
        let user = below.split('/').next().unwrap_or_default();
        fits && (!is_role_user(user)
            || parse_command(command).is_some_and(|asked| is_user(user, asked)))
    })
}

/// Whether anyone but the arbiter may know that a message was published on a topic.
///
/// This holds for all topics except the arbiter's and the reply topics.
#[must_use]
pub fn is_open(topic: &str) -> bool {
    let audience = topic.split('/').nth(3);
    !topic.starts_with("chess/v1/") || !matches!(audience, Some("arbiter" | "reply"))
}

/// Whether the shipped access list assigns this user name to a role.
fn is_role_user(user: &str) -> bool {
    matches!(user, "arbiter" | "operator" | "public" | "hall")
        || matches!(
            user.rsplit_once('-'),
            Some((_, "white" | "black" | "clock" | "board"))
        )
}

/// Whether this is the user name of this role at this board.
fn is_user(user: &str, (role, board, _): (&str, &str, &str)) -> bool {
    match role {
        "arbiter" | "operator" => user == role,
        _ => user.rsplit_once('-') == Some((board, role)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_below_reply_and_nowhere_else() {
        let site: SiteId = "hall".parse().unwrap();
        let command = "chess/v1/hall/cmd/white/b1/offer";
        assert!(is_reply(&site, command, "chess/v1/hall/reply/b1-white/x"));
        for bad in [
            "chess/v1/hall/cmd/arbiter/b1/result",
            "chess/v1/hall/reply/",
            "chess/v1/hall2/reply/x",
            "chess/v1/hall/reply/#",
            "",
        ] {
            assert!(!is_reply(&site, command, bad), "{bad}");
        }
    }

    #[test]
    fn answers_go_to_no_other_role() {
        let site: SiteId = "hall".parse().unwrap();
        let users = [
            "arbiter",
            "operator",
            "public",
            "hall",
            "b1-white",
            "b1-black",
            "b1-clock",
            "b1-board",
            "b2-white",
            "b-1-black",
        ];
        for (command, own) in [
            ("arbiter/b1/ack", "arbiter"),
            ("operator/b1/setup", "operator"),
            ("white/b1/offer", "b1-white"),
            ("black/b1/offer", "b1-black"),
            ("clock/b1/offer", "b1-clock"),
            ("board/b1/move", "b1-board"),
            ("black/b-1/offer", "b-1-black"),
            ("hall/b1/offer", "nobody"),
        ] {
            let command = format!("chess/v1/hall/cmd/{command}");
            for user in users {
                for topic in ["", "/x", "/x/y"] {
                    let topic = format!("chess/v1/hall/reply/{user}{topic}");
                    assert_eq!(
                        is_reply(&site, &command, &topic),
                        user == own,
                        "{command} {topic}"
                    );
                }
            }
            // A user name that the organiser chose says nothing about a role.
            assert!(is_reply(&site, &command, "chess/v1/hall/reply/ia-smith/x"));
        }
    }

    #[test]
    fn a_command_topic_has_role_board_and_verb() {
        assert_eq!(
            parse_command("chess/v1/hall/cmd/arbiter/b1/ack"),
            Some(("arbiter", "b1", "ack"))
        );
        assert_eq!(parse_command("chess/v1/hall/cmd/arbiter/b1"), None);
        assert_eq!(parse_command("chess/v1/hall/cmd/arbiter/b1/ack/x"), None);
    }

    #[test]
    fn what_only_the_arbiter_receives_is_not_open() {
        for closed in ["arbiter/b1/alerts", "reply/arbiter/1", "reply/b1-white/1"] {
            assert!(!is_open(&format!("chess/v1/hall/{closed}")), "{closed}");
        }
        for open in ["operator/b1/event", "hall/b1/game", "node/remisd/health"] {
            assert!(is_open(&format!("chess/v1/hall/{open}")), "{open}");
        }
        assert!(is_open("homeassistant/device/arbiter/config"));
    }

    #[test]
    fn to_sign_in_is_no_command() {
        let site: SiteId = "hall".parse().unwrap();
        let board = "b1".parse().unwrap();
        let topic = sign_in(&site, "white", Some(&board));
        assert!(is_sign_in(&topic, SIGN_IN_PAYLOAD));
        assert!(!is_sign_in(&topic, br#"{"id":"1"}"#), "to be refused");
        assert!(!is_sign_in("chess/v1/hall/cmd/white/b1/offer", b"{}"));
    }
}
