//! What the pusher reports.

use std::collections::BTreeMap;

use remisd_vocabulary::name::BoardId;

use super::ShownGame;

/// How the broadcast is. Without faults, `games` and `rounds` are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// What Lichess says about single games.
    pub games: BTreeMap<BoardId, String>,
    /// Why whole rounds are not taken, by the id of the Lichess round.
    pub rounds: BTreeMap<String, String>,
    /// The number of pushes that Lichess has taken.
    pub pushes: u64,
    /// What Lichess shows of each board, by the id of the Lichess round.
    pub shown: BTreeMap<BoardId, BTreeMap<String, Vec<ShownGame>>>,
    /// When each Lichess round has taken the last push, or a dry run has written it, RFC 3339.
    pub taken: BTreeMap<String, String>,
    /// The Lichess rounds.
    pub all: Vec<RoundReport>,
    /// The newest round with games, if it has no Lichess round.
    pub unassigned: Option<u32>,
    /// Why it is not kept what Lichess shows.
    pub fault: Option<String>,
    /// Until when nothing is sent after a failure, RFC 3339.
    pub halted_until: Option<String>,
}

/// A Lichess round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundReport {
    /// The number of our round.
    pub round: u32,
    /// Its id on Lichess.
    pub id: String,
    /// Whether it was closed: nothing is pushed to it.
    pub closed: bool,
    /// Whether the public has seen more than Lichess has taken.
    pub behind: bool,
}
