//! Who may read and write which topic, derived a second time from the purpose of the topics.
//! Nothing here is taken from the access list.

/// All users of the shipped access list, a user missing from it, and an anonymous client.
pub const USERS: [&str; 11] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
    "b1-board", STRANGER, NOBODY,
];
/// Has a password but is not in the list.
pub const STRANGER: &str = "stranger";
/// Connects without a user name.
pub const NOBODY: &str = "nobody";

pub const LEAVES: [&str; 11] = [
    "game",
    "earlier",
    "draw",
    "offer",
    "clock",
    "result",
    "alerts",
    "event",
    "link",
    "squares",
    "availability",
];
const NODE_LEAVES: [&str; 6] = ["state", "info", "health", "boards", "broadcast", "event"];
pub const ROLES: [&str; 6] = ["arbiter", "operator", "white", "black", "clock", "board"];
/// All verbs of all roles, and one that no role has.
pub const VERBS: [&str; 26] = [
    "offer",
    "accept",
    "decline",
    "claim",
    "ruling",
    "resign",
    "result",
    "correct",
    "choose",
    "touch",
    "adjust",
    "new_game",
    "setup",
    "headers",
    "pause",
    "resume",
    "ack",
    "clock_state",
    "move",
    "undo",
    "evidence",
    "lichess_reset",
    "lichess_create",
    "lichess_close",
    "notify_test",
    "explode",
];
/// The page server's query whether a user has a role; not a command.
const SIGN_IN: &str = "sign_in";
/// Whether a role may use a verb; `None` for an unknown verb. Players and their clock may say what
/// is spoken at the board. The arbiter may enter the same for them and alone makes rulings. The
/// operator maintains the record. A device enters moves.
pub fn may_use(role: &str, verb: &str) -> Option<bool> {
    let roles: &[&str] = match verb {
        "offer" | "accept" | "decline" | "claim" | "resign" | "adjust" | "pause" => {
            &["arbiter", "white", "black", "clock"]
        }
        "ruling" | "result" | "correct" | "choose" | "touch" | "resume" | "ack" | "evidence" => {
            &["arbiter"]
        }
        "new_game" | "setup" | "headers" => &["arbiter", "operator"],
        // To the daemon itself: the operator looks after the broadcast.
        "lichess_reset" | "lichess_create" | "lichess_close" | "notify_test" => {
            &["arbiter", "operator"]
        }
        "clock_state" => &["clock"],
        "move" | "undo" => &["board"],
        _ => return None,
    };
    Some(roles.contains(&role))
}

/// The players of b1, their clock and their device. No user has a role at b2.
const AT_B1: [&str; 4] = ["b1-white", "b1-black", "b1-clock", "b1-board"];
const EVERYBODY: [&str; 9] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
    "b1-board",
];

/// A topic with its readers and writers.
pub struct Row {
    pub topic: String,
    pub readers: Vec<&'static str>,
    pub writers: Vec<&'static str>,
}

impl Row {
    fn new(topic: String, readers: &[&'static str], writers: &[&'static str]) -> Self {
        Self {
            topic,
            readers: readers.to_vec(),
            writers: writers.to_vec(),
        }
    }
}

/// The users in an audience at a board. The arbiter sees everything that others see.
fn audience(name: &str, board: &str) -> Vec<&'static str> {
    let mut readers = vec!["arbiter"];
    match (name, board) {
        ("operator", _) => readers.push("operator"),
        ("public", _) => readers.push("public"),
        ("hall", _) => readers.push("hall"),
        ("player", "b1") => readers.extend(AT_B1),
        _ => {}
    }
    readers
}

/// The users with a role at a board.
fn holder(role: &str, board: &str) -> Vec<&'static str> {
    match (role, board) {
        ("arbiter", _) => vec!["arbiter"],
        ("operator", _) => vec!["operator"],
        ("white", "b1") => vec!["b1-white"],
        ("black", "b1") => vec!["b1-black"],
        ("clock", "b1") => vec!["b1-clock"],
        ("board", "b1") => vec!["b1-board"],
        _ => Vec::new(),
    }
}

/// The topics of a site. A broker has the same users on all of its sites.
fn site(site: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let base = format!("chess/v1/{site}");
    for name in ["arbiter", "operator", "public", "hall", "player"] {
        for board in ["b1", "b2"] {
            for leaf in LEAVES {
                let topic = format!("{base}/{name}/{board}/{leaf}");
                rows.push(Row::new(topic, &audience(name, board), &["remisd"]));
            }
        }
    }
    for leaf in NODE_LEAVES {
        // Everyone who sees a board must know whether the daemon is alive. The rest is for arbiter
        // and operator. The daemon itself must notice a late will.
        let readers: &[&str] = match leaf {
            "state" => &EVERYBODY,
            _ => &["arbiter", "operator"],
        };
        rows.push(Row::new(
            format!("{base}/node/remisd/{leaf}"),
            readers,
            &["remisd"],
        ));
    }
    for role in ROLES {
        for board in ["b1", "b2"] {
            for verb in VERBS.into_iter().chain([SIGN_IN]) {
                let topic = format!("{base}/cmd/{role}/{board}/{verb}");
                // A device has no page.
                let signs_in = verb == SIGN_IN && role != "board";
                let has = signs_in || may_use(role, verb) == Some(true);
                // For writing, the list names its site.
                let writers = if has && site == "hall" {
                    holder(role, board)
                } else {
                    Vec::new()
                };
                rows.push(Row::new(topic, &["remisd"], &writers));
            }
        }
    }
    for user in USERS.into_iter().filter(|user| *user != NOBODY) {
        rows.push(Row::new(
            format!("{base}/reply/{user}/1"),
            &[user],
            &["remisd"],
        ));
    }
    rows
}

/// All topics that are tested.
pub fn rows() -> Vec<Row> {
    let mut rows = site("hall");
    rows.extend(site("elsewhere"));
    for topic in [
        // No commands: one level too few, and one too many.
        "chess/v1/hall/cmd/arbiter/b1",
        "chess/v1/hall/cmd/white/b1",
        // An unknown role and an unknown audience.
        "chess/v1/hall/cmd/referee/b1/result",
        "chess/v1/hall/spectator/b1/game",
        // Another version of the topic tree, and topics outside of it.
        "chess/v2/hall/public/b1/game",
        "chess/v1",
        "elsewhere/b1",
        // Home Assistant discovery is off until its line in the list is uncommented.
        "homeassistant/device/remisd-hall-b1/config",
        "homeassistant/status",
        "$SYS/broker/version",
        "$SYS/broker/clients/connected",
    ] {
        rows.push(Row::new(topic.to_owned(), &[], &[]));
    }
    // The daemon reads everything below cmd/.
    for row in &mut rows {
        if row.topic.starts_with("chess/v1/hall/cmd/") {
            row.readers = vec!["remisd"];
        }
    }
    let below = "chess/v1/hall/cmd/arbiter/b1/result/more";
    rows.push(Row::new(below.to_owned(), &["remisd"], &[]));
    rows
}
