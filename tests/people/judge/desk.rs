//! The record that an engine's readings add up to, and the doubts about it.

use remisd_vocabulary::time::Millis;
use shakmaty::{Chess, Move, Position as _};

use super::{Engine, Told};

/// A ply as it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// The move.
    pub m: Move,
    /// The engine said that it may be another one.
    pub doubtful: bool,
    /// When it was told.
    pub at: Millis,
}

/// A ply of a game: the game's number and the ply's, both from 0.
pub type Place = (usize, usize);

/// The record of what was told.
#[derive(Debug)]
pub struct Desk {
    /// The plies of each game.
    pub games: Vec<Vec<Noted>>,
    /// From which ply each game is in doubt; an open doubt stays with its game when the next begins.
    doubts: Vec<Option<usize>>,
    line: Vec<Chess>,
    /// Plies that were taken back after they were told.
    pub taken_back: usize,
    /// When doubts were told while none was open.
    pub alarms: Vec<Millis>,
    /// Moves that were told and are not legal where they were told.
    pub impossible: usize,
    /// All that was told, with its time.
    pub log: Vec<(Millis, Told)>,
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
    /// Takes in what the engine has told, and lets it know what has become true.
    pub fn heed(&mut self, engine: &mut dyn Engine, now: Millis) -> bool {
        let told = engine.readings();
        let changed = !told.is_empty();
        for told in told {
            self.log.push((now, told.clone()));
            match told {
                Told::Move { m, doubtful } => self.note(engine, m, doubtful, now),
                Told::Replaced(m) => {
                    let doubtful = self.take_back();
                    self.note(engine, m, doubtful, now);
                }
                Told::Withdrawn => {
                    self.take_back();
                }
                Told::Doubt { plies, .. } => self.doubt(plies, now),
                Told::Certain => {
                    if let Some(doubt) = self.doubts.last_mut() {
                        *doubt = None;
                    }
                }
                Told::NewGame => {
                    self.games.push(Vec::new());
                    self.doubts.push(None);
                    self.line = vec![Chess::default()];
                    engine.follow(&Chess::default(), now);
                }
                Told::Result => engine.rest(now),
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
    pub fn covers(&self, (game, ply): Place) -> bool {
        let open = self.doubts.get(game).copied().flatten();
        let marked = self.games.get(game).and_then(|game| game.get(ply));
        open.is_some_and(|since| since <= ply) || marked.is_some_and(|noted| noted.doubtful)
    }

    /// Whether a doubt about the game is open.
    #[must_use]
    pub fn doubts(&self, game: usize) -> bool {
        self.doubts.get(game).is_some_and(Option::is_some)
    }

    /// How many games were told, without empty ones at the end.
    #[must_use]
    pub fn played(&self) -> usize {
        self.games
            .iter()
            .rposition(|game| !game.is_empty())
            .map_or(0, |last| last + 1)
    }
}
