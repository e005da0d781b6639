//! The record that an engine's readings add up to, and the doubts about it.

use crate::Millis;
use shakmaty::{Chess, Move, Position as _};

use super::{Engine, Report};

/// A ply as it was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// The move.
    pub m: Move,
    /// The engine reported that it may be another one.
    pub doubtful: bool,
    /// When it was reported.
    pub at: Millis,
}

/// A ply of a game: the game's number and the ply's, both from 0.
pub type PlyIndex = (usize, usize);

/// The record that the reports add up to.
#[derive(Debug)]
pub struct Desk {
    /// The plies of each game.
    pub games: Vec<Vec<Noted>>,
    /// From which ply each game is in doubt. An open doubt stays with its game when the next
    /// begins.
    doubts: Vec<Option<usize>>,
    line: Vec<Chess>,
    /// Plies that were withdrawn or replaced after they were reported.
    pub taken_back: usize,
    /// When alarms were raised: doubts reported while none was open.
    pub alarms: Vec<Millis>,
    /// Reported moves that were not legal in the record.
    pub impossible: usize,
    /// All reports, with their times.
    pub log: Vec<(Millis, Report)>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            games: vec![Vec::new()],
            doubts: vec![None],
            line: vec![Chess::default()],
            taken_back: 0,
            alarms: Vec::new(),
            impossible: 0,
            log: Vec::new(),
        }
    }
}

impl Desk {
    /// Takes in the engine's reports, and calls it back where they start or end a game.
    pub fn take_readings(&mut self, engine: &mut dyn Engine, now: Millis) -> bool {
        let reported = engine.readings();
        let changed = !reported.is_empty();
        for reported in reported {
            self.log.push((now, reported.clone()));
            match reported {
                Report::Move { m, doubtful } => self.note(engine, m, doubtful, now),
                Report::Replaced(m) => {
                    let doubtful = self.take_back();
                    self.note(engine, m, doubtful, now);
                }
                Report::Withdrawn => {
                    self.take_back();
                }
                Report::Doubt { plies, .. } => self.doubt(plies, now),
                Report::Certain => {
                    if let Some(doubt) = self.doubts.last_mut() {
                        *doubt = None;
                    }
                }
                Report::NewGame => {
                    self.games.push(Vec::new());
                    self.doubts.push(None);
                    self.line = vec![Chess::default()];
                    engine.follow(&Chess::default(), now);
                }
                // An arbiter decides about a proposed result, so the game may continue.
                Report::Result => {}
            }
        }
        changed
    }

    fn note(&mut self, engine: &mut dyn Engine, m: Move, doubtful: bool, now: Millis) {
        let mut position = self.line.last().cloned().unwrap_or_default();
        if !position.is_legal(m) {
            self.impossible += 1;
            return;
        }
        position.play_unchecked(m);
        if let Some(game) = self.games.last_mut() {
            game.push(Noted {
                m,
                doubtful,
                at: now,
            });
        }
        if position.is_game_over() {
            engine.rest(now);
        }
        self.line.push(position);
    }

    fn take_back(&mut self) -> bool {
        let Some(noted) = self.games.last_mut().and_then(Vec::pop) else {
            return false;
        };
        self.line.pop();
        self.taken_back += 1;
        noted.doubtful
    }

    fn doubt(&mut self, plies: usize, now: Millis) {
        let length = self.games.last().map_or(0, Vec::len);
        let since = length.saturating_sub(plies);
        if let Some(doubt) = self.doubts.last_mut() {
            if doubt.is_none() {
                self.alarms.push(now);
            }
            *doubt = Some(doubt.map_or(since, |old| old.min(since)));
        }
    }

    /// Whether a doubt covers the ply.
    #[must_use]
    pub fn covers(&self, (game, ply): PlyIndex) -> bool {
        let open = self.doubts.get(game).copied().flatten();
        let marked = self.games.get(game).and_then(|game| game.get(ply));
        open.is_some_and(|since| since <= ply) || marked.is_some_and(|noted| noted.doubtful)
    }

    /// Whether a doubt about the game is open.
    #[must_use]
    pub fn doubts(&self, game: usize) -> bool {
        self.doubts.get(game).is_some_and(Option::is_some)
    }

    /// How many games were reported, without empty ones at the end.
    #[must_use]
    pub fn played(&self) -> usize {
        self.games
            .iter()
            .rposition(|game| !game.is_empty())
            .map_or(0, |last| last + 1)
    }
}
