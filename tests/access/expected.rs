//! Who may read and write which topic, written down a second time from what the topics are
//! for. Nothing here comes from the access list.

/// Every user of the shipped access list, somebody who is not on it, and nobody.
pub const USERS: [&str; 10] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
    STRANGER, NOBODY,
];
/// Has a password and stands nowhere in the list.
pub const STRANGER: &str = "stranger";
/// Comes without a name.
pub const NOBODY: &str = "nobody";

pub const LEAVES: [&str; 9] = [
    "game",
    "draw",
    "offer",
    "clock",
    "result",
    "alerts",
    "event",
    "link",
    "availability",
];
const NODE_LEAVES: [&str; 5] = ["state", "info", "health", "boards", "event"];
pub const ROLES: [&str; 5] = ["arbiter", "operator", "white", "black", "clock"];
/// Every verb that some role has, and one that nobody has.
pub const VERBS: [&str; 19] = [
    "offer",
    "accept",
    "decline",
    "claim",
    "ruling",
    "resign",
    "result",
    "correct",
    "touch",
    "adjust",
    "new_game",
    "setup",
    "headers",
    "pause",
    "resume",
    "ack",
    "clock_state",
    "evidence",
    "explode",
];
/// How a page's server asks whether somebody has a role; no command.
const SIGN_IN: &str = "sign_in";
/// Whether a role may use a verb; `None` for one that does not exist. Players and their clock
/// say what is said at the board, the arbiter enters it for them and alone decides, the
/// operator looks after the record.
pub fn may_use(role: &str, verb: &str) -> Option<bool> {
    let roles: &[&str] = match verb {
        "offer" | "accept" | "decline" | "claim" | "resign" | "adjust" | "pause" => {
            &["arbiter", "white", "black", "clock"]
        }
        "ruling" | "result" | "correct" | "touch" | "resume" | "ack" | "evidence" => &["arbiter"],
        "new_game" | "setup" | "headers" => &["arbiter", "operator"],
        "clock_state" => &["clock"],
        _ => return None,
    };
    Some(roles.contains(&role))
}

/// The players of b1 and its clock; nobody is anybody at b2.
const AT_B1: [&str; 3] = ["b1-white", "b1-black", "b1-clock"];
const EVERYBODY: [&str; 8] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
];

/// A topic, and who may read and write it.
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

/// Who an audience is at a board. The arbiter sees what everybody sees.
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

/// Who has a role at a board.
fn holder(role: &str, board: &str) -> Vec<&'static str> {
    match (role, board) {
        ("arbiter", _) => vec!["arbiter"],
        ("operator", _) => vec!["operator"],
        ("white", "b1") => vec!["b1-white"],
        ("black", "b1") => vec!["b1-black"],
        ("clock", "b1") => vec!["b1-clock"],
        _ => Vec::new(),
    }
}

/// The topics of a site: a broker's users are the same on all of its sites.
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
        // Who sees a board has to know whether the daemon lives. The rest is for those who look
        // after it. The daemon itself has to notice a will that comes late.
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
                let has = verb == SIGN_IN || may_use(role, verb) == Some(true);
                // The list names its site where something is written.
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

/// Every topic that is looked at.
pub fn rows() -> Vec<Row> {
    let mut rows = site("hall");
    rows.extend(site("elsewhere"));
    for topic in [
        // No command: one level too few, and one too many.
        "chess/v1/hall/cmd/arbiter/b1",
        "chess/v1/hall/cmd/white/b1",
        // No role, and no audience.
        "chess/v1/hall/cmd/referee/b1/result",
        "chess/v1/hall/spectator/b1/game",
        // Another version of the tree, and what is no tree.
        "chess/v2/hall/public/b1/game",
        "chess/v1",
        "elsewhere/b1",
        // Nothing is told to Home Assistant until somebody takes a # away.
        "homeassistant/device/remisd-hall-b1/config",
        "homeassistant/status",
        "$SYS/broker/version",
        "$SYS/broker/clients/connected",
    ] {
        rows.push(Row::new(topic.to_owned(), &[], &[]));
    }
    // The daemon hears whatever is said below cmd/.
    for row in &mut rows {
        if row.topic.starts_with("chess/v1/hall/cmd/") {
            row.readers = vec!["remisd"];
        }
    }
    let below = "chess/v1/hall/cmd/arbiter/b1/result/more";
    rows.push(Row::new(below.to_owned(), &["remisd"], &[]));
    rows
}
