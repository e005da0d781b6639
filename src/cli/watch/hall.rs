//! The boards of a site, as far as their topics say, and whether they are up to date.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde::Deserialize;
use tokio::time::Instant;

use crate::{
    cli::screen::{self, Account, News, Row, Style},
    publish::{
        payload::{AvailabilityState, NodeState, TrackerState},
        topic::Audience,
    },
};
use remisd_vocabulary::{
    name::{BoardId, NodeId, SiteId},
    text::OneLine,
};

/// The most boards and daemons that are shown. A broker may have more topics than that.
const MAX_BOARDS: usize = 2_000;
const MAX_NODES: usize = 200;
/// Retained values count as complete when none has come for so long.
const QUIET: Duration = Duration::from_millis(200);
/// The retained topics of a board that are shown.
const LEAVES: [&str; 6] = ["draw", "game", "alerts", "result", "link", "availability"];

/// The line of a log when no board has any value.
const NOTHING: &str = "boards  nothing arrives that this user may read";

/// The boards of a site.
#[derive(Debug)]
pub struct WatchedHall {
    /// `chess/v1/<site>/<audience>/`.
    boards_below: String,
    /// `chess/v1/<site>/node/`.
    nodes_below: String,
    boards: BTreeMap<BoardId, WatchedBoard>,
    /// Whether boards that are not here yet are added.
    takes_others: bool,
    nodes: BTreeMap<NodeId, Node>,
    /// Whether boards are those of an audience with counters and claims.
    has_draw: bool,
    /// Why there is no connection to the broker.
    disconnected: Option<String>,
    /// Why the broker refuses subscriptions, if it does.
    refused: Option<String>,
    /// While retained values arrive: when they count as complete.
    settled_at: Option<Instant>,
}

/// A board.
#[derive(Debug)]
struct WatchedBoard {
    account: Account,
    /// The run of the daemon that published it, in this connection.
    session: Option<String>,
    /// The leaves that were received in this connection.
    received: BTreeSet<String>,
}

/// A daemon.
#[derive(Debug, PartialEq, Eq)]
struct Node {
    session: String,
    state: String,
}

/// The part of a payload that names the run of the daemon.
#[derive(Deserialize)]
struct Publisher {
    session: String,
}

impl WatchedHall {
    /// A hall with these boards, or with all that appear.
    pub fn new(site: &SiteId, audience: Audience, boards: &[BoardId]) -> Self {
        let boards_below = format!("chess/v1/{site}/{}/", audience.as_str());
        let has_draw = audience == Audience::Arbiter;
        let known = boards.iter().map(|board| {
            let watched = WatchedBoard::new(&format!("{boards_below}{board}/"), has_draw);
            (board.clone(), watched)
        });
        Self {
            boards: known.collect(),
            has_draw,
            settled_at: None,
            takes_others: boards.is_empty(),
            boards_below,
            nodes_below: format!("chess/v1/{site}/node/"),
            nodes: BTreeMap::new(),
            disconnected: Some("not connected yet".to_owned()),
            refused: None,
        }
    }

    /// The broker is connected, and its retained values will arrive. Returns the lines for a log.
    pub fn connected(&mut self) -> Vec<String> {
        self.disconnected = None;
        self.settled_at = Some(Instant::now() + QUIET);
        vec!["broker  connected".to_owned()]
    }

    /// The broker refuses subscriptions. Returns the lines for a log.
    pub fn refused(&mut self, count: usize, why: &str) -> Vec<String> {
        self.refused = Some(why.to_owned());
        vec![format!("broker  refuses subscriptions ({count}): {why}")]
    }

    /// There is no connection to the broker. Returns the lines for a log.
    ///
    /// What was known may change meanwhile. So it is out of date until it is received again.
    pub fn disconnected(&mut self, why: &str) -> Vec<String> {
        self.settled_at = None;
        self.refused = None;
        self.nodes.clear();
        for board in self.boards.values_mut() {
            board.session = None;
            board.received.clear();
        }
        if self.disconnected.as_deref() == Some(why) {
            return Vec::new();
        }
        self.disconnected = Some(why.to_owned());
        vec![format!("broker  lost: {why}")]
    }

    /// When all retained values count as received; `None` if they do.
    pub const fn settled_at(&self) -> Option<Instant> {
        self.settled_at
    }

    /// All retained values were received: what did not come again is gone. Returns the lines for a
    /// log.
    pub fn settle(&mut self) -> Vec<String> {
        self.settled_at = None;
        let mut lines = Vec::new();
        let takes_others = self.takes_others;
        self.boards
            .retain(|_, board| !takes_others || !board.received.is_empty());
        let is_single = self.is_single();
        if self.boards.is_empty() {
            lines.push(NOTHING.to_owned());
        }
        for (id, board) in &mut self.boards {
            if board.session.is_none() {
                lines.push(format!("{:<8}nothing arrives for this board", id.as_str()));
            }
            for leaf in LEAVES {
                if !board.received.contains(leaf) {
                    let topic = format!("{}{id}/{leaf}", self.boards_below);
                    lines.extend(labelled(id, is_single, &board.account.take(&topic, &[])));
                }
            }
        }
        lines
    }

    /// Whether lines need no name of a board.
    fn is_single(&self) -> bool {
        self.boards.len() == 1 && !self.takes_others
    }

    /// Takes in a message; `retained` if the broker had kept it. Returns the lines for a log.
    pub fn take(&mut self, topic: &str, payload: &[u8], retained: bool) -> Vec<String> {
        if retained && self.settled_at.is_some() {
            self.settled_at = Some(Instant::now() + QUIET);
        }
        if let Some(below) = topic.strip_prefix(&self.nodes_below) {
            return self.node(below, payload).into_iter().collect();
        }
        let below = topic.strip_prefix(&self.boards_below);
        let Some((board, leaf)) = below.and_then(|below| below.split_once('/')) else {
            return Vec::new();
        };
        let Ok(id) = board.parse::<BoardId>() else {
            return Vec::new();
        };
        if !self.boards.contains_key(&id) {
            let has_room = self.takes_others && self.boards.len() < MAX_BOARDS;
            if !has_room || payload.is_empty() {
                return Vec::new();
            }
            let prefix = format!("{}{id}/", self.boards_below);
            let watched = WatchedBoard::new(&prefix, self.has_draw);
            self.boards.insert(id.clone(), watched);
        }
        let is_single = self.is_single();
        let Some(watched) = self.boards.get_mut(&id) else {
            return Vec::new();
        };
        if let Ok(publisher) = serde_json::from_slice::<Publisher>(payload) {
            watched.session = Some(publisher.session);
        }
        if LEAVES.contains(&leaf) {
            watched.received.insert(leaf.to_owned());
        }
        let news = watched.account.take(topic, payload);
        labelled(&id, is_single, &news)
    }

    /// Takes in the state of a daemon.
    fn node(&mut self, below: &str, payload: &[u8]) -> Option<String> {
        let id: NodeId = below.strip_suffix("/state")?.parse().ok()?;
        let Ok(now) = serde_json::from_slice::<NodeState>(payload) else {
            self.nodes.remove(&id);
            return None;
        };
        let has_room = self.nodes.contains_key(&id) || self.nodes.len() < MAX_NODES;
        if !has_room {
            return None;
        }
        let node = Node {
            session: now.session,
            state: now.state.into_owned(),
        };
        let is_news = self.nodes.get(&id) != Some(&node);
        let line = format!("{id} {}", node.state);
        self.nodes.insert(id, node);
        let mut lines = screen::lines(&News::Daemon(line));
        lines.pop().filter(|_| is_news)
    }

    /// Why what is shown of a board may be out of date; empty if it is not.
    fn warning(&self, board: &WatchedBoard) -> String {
        if let Some(why) = &self.disconnected {
            return format!("Out of date: {why}");
        }
        let Some(session) = &board.session else {
            let why = match self.settled_at {
                Some(_) => "Loading: waiting for the broker's retained values",
                None => "Nothing arrives for this board",
            };
            return match &self.refused {
                Some(reason) => format!("The broker refuses subscriptions: {reason}"),
                None => why.to_owned(),
            };
        };
        let node = self.nodes.iter().find(|(_, node)| node.session == *session);
        match node {
            None => return "Out of date: its daemon has ended".to_owned(),
            Some((id, node)) if node.state != "online" => {
                return format!("Out of date: the daemon {id} is {}", node.state);
            }
            Some(_) => {}
        }
        let why = match board.account.availability {
            Some(AvailabilityState::Online) => board.doubt(),
            Some(AvailabilityState::Offline) => "Out of date: the board does not answer",
            Some(AvailabilityState::Unconfigured) => "The board has not been contacted yet",
            Some(AvailabilityState::Fault) => "The daemon cannot keep the board's record",
            None => "It is not known whether the board answers",
        };
        why.to_owned()
    }

    /// The picture: everything about a single board, or a list of several.
    pub fn picture(&self, style: Style) -> Vec<String> {
        let hint = match &self.disconnected {
            Some(why) => format!("Press Ctrl-C to quit. No broker: {why}"),
            None if self.boards.is_empty() && self.settled_at.is_none() => match &self.refused {
                Some(why) => {
                    format!("Press Ctrl-C to quit. The broker refuses subscriptions: {why}")
                }
                None => "Press Ctrl-C to quit. Nothing arrives that this user may read.".to_owned(),
            },
            None => {
                let warned = self
                    .boards
                    .values()
                    .filter(|board| !self.warning(board).is_empty());
                let (boards, warned) = (self.boards.len(), warned.count());
                format!("Press Ctrl-C to quit. Boards: {boards}, with a warning: {warned}.")
            }
        };
        let described: Vec<(&BoardId, &WatchedBoard, String, String)> = self
            .boards
            .iter()
            .map(|(id, board)| (id, board, title(&board.account), self.warning(board)))
            .collect();
        if let [(id, board, title, warning)] = &described[..] {
            let title = format!("{id}  {title}");
            return screen::picture(&board.account, &title, warning, &hint, style);
        }
        let rows: Vec<Row<'_>> = described
            .iter()
            .map(|(id, board, title, warning)| Row {
                id: id.as_str(),
                title,
                warning,
                account: &board.account,
            })
            .collect();
        screen::overview(&rows, &hint, style)
    }
}

impl WatchedBoard {
    /// A board whose topics begin with `prefix`.
    fn new(prefix: &str, has_draw: bool) -> Self {
        let account = if has_draw {
            Account::below(prefix)
        } else {
            Account::without_draw(prefix)
        };
        Self {
            account,
            session: None,
            received: BTreeSet::new(),
        }
    }

    /// Why the game of a board that answers may be wrong; empty if nothing is known against it.
    fn doubt(&self) -> &'static str {
        let Some(game) = &self.account.game else {
            return "";
        };
        match game.tracker.state {
            TrackerState::Mismatch => "The pieces do not agree with the game",
            TrackerState::Blind => "Out of date: the board is not seen",
            TrackerState::Following | TrackerState::Resting if game.uncertain.is_some() => {
                "The last moves are uncertain"
            }
            TrackerState::Following | TrackerState::Resting => "",
        }
    }
}

/// The lines of news about a board; its name is left out if it is the only one.
fn labelled(id: &BoardId, is_single: bool, news: &[News]) -> Vec<String> {
    let lines = news.iter().flat_map(screen::lines);
    let label = |line| {
        if is_single {
            line
        } else {
            format!("{:<8}{line}", id.as_str())
        }
    };
    lines.map(label).collect()
}

/// The players of a board's game.
fn title(account: &Account) -> String {
    let name = |tag: &str| {
        let headers = account.game.as_ref().map(|game| &game.headers);
        let name = headers.and_then(|headers| headers.get(tag));
        OneLine::new(name.map_or("?", String::as_str))
    };
    format!("{} – {}", name("White").as_str(), name("Black").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style {
        colour: false,
        columns: 80,
    };

    fn hall(boards: &[&str]) -> WatchedHall {
        let boards: Vec<BoardId> = boards.iter().map(|id| id.parse().unwrap()).collect();
        WatchedHall::new(&"hall".parse().unwrap(), Audience::Arbiter, &boards)
    }

    fn node(hall: &mut WatchedHall, session: &str, state: &str) -> Vec<String> {
        let payload = format!(
            r#"{{"schema":"remisd/state/1","site":"hall","node":"n1","session":"{session}","time":"x","state":"{state}"}}"#
        );
        hall.take("chess/v1/hall/node/n1/state", payload.as_bytes(), true)
    }

    fn board(hall: &mut WatchedHall, id: &str, session: &str, state: &str) -> Vec<String> {
        let payload = format!(
            r#"{{"schema":"remisd/availability/1","site":"hall","board":"{id}","session":"{session}","seq":1,"time":"x","state":"{state}"}}"#
        );
        let topic = format!("chess/v1/hall/arbiter/{id}/availability");
        hall.take(&topic, payload.as_bytes(), true)
    }

    fn shows(hall: &WatchedHall, wanted: &str) -> bool {
        let picture = hall.picture(STYLE);
        picture.iter().any(|line| line.contains(wanted))
    }

    #[test]
    fn a_picture_says_when_and_why_it_is_out_of_date() {
        let mut hall = hall(&["b1"]);
        assert!(shows(&hall, "Out of date: not connected yet"));
        assert_eq!(hall.connected(), ["broker  connected"]);
        assert!(shows(&hall, "waiting for the broker"));
        assert_eq!(hall.settle(), ["b1      nothing arrives for this board"]);
        assert!(shows(&hall, "Nothing arrives for this board"));
        let lines = hall.refused(1, "not authorised");
        assert_eq!(lines, ["broker  refuses subscriptions (1): not authorised"]);
        assert!(shows(
            &hall,
            "The broker refuses subscriptions: not authorised"
        ));
        assert_eq!(node(&mut hall, "s1", "online"), ["daemon  n1 online"]);
        assert_eq!(node(&mut hall, "s1", "online"), [] as [&str; 0]);
        assert_eq!(board(&mut hall, "b1", "s1", "online"), ["  board  online"]);
        assert!(!shows(&hall, "Out of date"));
        board(&mut hall, "b1", "s1", "offline");
        assert!(shows(&hall, "Out of date: the board does not answer"));
        board(&mut hall, "b1", "s1", "online");
        node(&mut hall, "s1", "lost");
        assert!(shows(&hall, "Out of date: the daemon n1 is lost"));
        // Another run of the daemon that has not published this board.
        node(&mut hall, "s2", "online");
        assert!(shows(&hall, "Out of date: its daemon has ended"));
        board(&mut hall, "b1", "s2", "online");
        assert!(!shows(&hall, "Out of date"));
        assert_eq!(hall.disconnected("no route"), ["broker  lost: no route"]);
        assert_eq!(hall.disconnected("no route"), [] as [&str; 0]);
        assert!(shows(&hall, "Out of date: no route"));
    }

    #[test]
    fn what_does_not_come_again_after_a_reconnection_is_gone() {
        let mut hall = hall(&[]);
        hall.connected();
        node(&mut hall, "s1", "online");
        for id in ["b1", "b2"] {
            board(&mut hall, id, "s1", "online");
        }
        hall.settle();
        hall.disconnected("gone");
        hall.connected();
        assert!(shows(&hall, "Boards: 2, with a warning: 2"));
        node(&mut hall, "s1", "online");
        board(&mut hall, "b2", "s1", "online");
        assert!(shows(&hall, "Boards: 2, with a warning: 1"));
        hall.settle();
        assert!(!shows(&hall, "b1") && shows(&hall, "Boards: 1, with a warning: 0"));
        hall.disconnected("gone");
        hall.connected();
        assert_eq!(hall.settle(), [NOTHING]);
        hall.refused(2, "not authorised");
        assert!(shows(
            &hall,
            "The broker refuses subscriptions: not authorised"
        ));
    }

    #[test]
    fn a_board_that_contradicts_its_game_has_a_warning() {
        for (state, warning) in [
            ("offline", "does not answer"),
            ("fault", "cannot keep"),
            ("unconfigured", "not been contacted yet"),
        ] {
            let mut hall = hall(&["b1"]);
            hall.connected();
            node(&mut hall, "s1", "online");
            board(&mut hall, "b1", "s1", state);
            assert!(shows(&hall, warning), "{state}");
        }
    }

    #[test]
    fn all_boards_of_a_site_appear_unless_some_are_named() {
        let mut all = hall(&[]);
        all.connected();
        for id in ["b2", "b1"] {
            let lines = board(&mut all, id, "s1", "online");
            assert_eq!(lines, [format!("{id:<8}  board  online")]);
        }
        assert!(shows(&all, "b1") && shows(&all, "b2"));
        let mut named = hall(&["b1", "b9"]);
        board(&mut named, "b2", "s1", "online");
        assert!(shows(&named, "b9") && !shows(&named, "b2"));
        // Other sites and names that are none.
        for topic in [
            "chess/v1/other/arbiter/b1/game",
            "chess/v1/hall/arbiter/B1/game",
            "",
        ] {
            assert_eq!(all.take(topic, b"{}", true), [] as [&str; 0]);
        }
        assert_eq!(all.boards.len(), 2);
    }

    #[test]
    fn no_more_boards_are_kept_than_a_hall_can_have() {
        let mut all = hall(&[]);
        for number in 0..MAX_BOARDS + 10 {
            board(&mut all, &format!("b{number}"), "s1", "online");
        }
        assert_eq!(all.boards.len(), MAX_BOARDS);
    }
}
