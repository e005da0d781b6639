//! What the public may know of a report.

use std::collections::BTreeMap;

use shakmaty::Color;

use crate::{
    Code, Outcome, Points, Report, Scoring,
    player::{Cell, Player},
    standings::System,
    tie_break::TieBreak,
};

/// A report as the public may see it.
///
/// Of the file it holds only the players and the rounds that are public. Points and ranks in the
/// file are left out, because a program may have counted the running round in them. So is every
/// pairing of a later round: a pairing tells results. Later results come from [`Published::add`]
/// alone. Nothing in here depends on what the file says about later rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub(crate) players: Vec<Entrant>,
    pub(crate) scoring: Scoring,
    pub(crate) system: System,
    pub(crate) tie_breaks: Vec<TieBreak>,
    pub(crate) not_computed: Vec<String>,
    pub(crate) name: String,
    by_start: BTreeMap<u16, usize>,
    from_file: u16,
    rounds: u16,
}

/// A player, and the rounds that are public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entrant {
    pub(crate) start: u16,
    pub(crate) title: String,
    pub(crate) name: String,
    pub(crate) rating: Option<u16>,
    pub(crate) federation: String,
    fide_id: Option<u64>,
    /// The rounds by number. A player can have two games in a round of the public, if it was
    /// replayed; the later one counts.
    pub(crate) cells: BTreeMap<u16, Cell>,
}

/// Why a game of the public is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// The file counts for this round, and has a result of one of the players.
    #[error("round {0} is taken from the file")]
    FromFile(u16),
    /// The round cannot be.
    #[error("there is no round {0}")]
    Round(u16),
    /// No player has this starting rank, or both players are the same.
    #[error("player {0} cannot have this game")]
    Player(u16),
}

impl Published {
    /// The report up to and including round `through`; 0 for the players alone.
    #[must_use]
    pub fn of(report: &Report, through: u16) -> Self {
        let players: Vec<Entrant> = report
            .players()
            .iter()
            .map(|player| Entrant::of(player, through))
            .collect();
        let by_start = (0..).zip(&players).map(|(at, player)| (player.start, at));
        let (tie_breaks, not_computed) = TieBreak::of(report);
        Self {
            by_start: by_start.collect(),
            scoring: *report.scoring(),
            system: System::of(report),
            tie_breaks,
            not_computed,
            name: report.record("012").unwrap_or_default().to_owned(),
            from_file: through,
            rounds: through.min(report.rounds()),
            players,
        }
    }

    /// Adds a game that the public sees; without an outcome it is running.
    ///
    /// # Errors
    ///
    /// The game cannot be counted.
    pub fn add(
        &mut self,
        round: u16,
        white: u16,
        black: u16,
        outcome: Option<Outcome>,
    ) -> Result<(), AddError> {
        if round == 0 || round > crate::MAX_ROUNDS {
            return Err(AddError::Round(round));
        }
        if white == black {
            return Err(AddError::Player(black));
        }
        let place = |start| (self.by_start.get(&start).copied()).ok_or(AddError::Player(start));
        let places = [place(white)?, place(black)?];
        let has_code = |at: usize| {
            let cell = self.players[at].cells.get(&round);
            cell.is_some_and(|cell| cell.code.is_some())
        };
        if round <= self.from_file && places.into_iter().any(has_code) {
            return Err(AddError::FromFile(round));
        }
        self.rounds = self.rounds.max(round);
        let sides = [(Color::White, black), (Color::Black, white)];
        for (at, (color, opponent)) in places.into_iter().zip(sides) {
            let cell = Cell {
                opponent: Some(opponent),
                color: Some(color),
                code: outcome.map(|outcome| outcome.code(color, false)),
            };
            self.players[at].cells.insert(round, cell);
        }
        Ok(())
    }

    /// The starting rank of a player: by FIDE id, or else by the name, if only one player has it.
    #[must_use]
    pub fn find(&self, fide_id: Option<u64>, name: &str) -> Option<u16> {
        let by_id = fide_id.and_then(|id| {
            let found = self
                .players
                .iter()
                .find(|player| player.fide_id == Some(id));
            found.map(|player| player.start)
        });
        by_id.or_else(|| {
            let wanted = plain(name);
            // A player with another id is another player.
            let is_other = |player: &&Entrant| match (fide_id, player.fide_id) {
                (Some(wanted), Some(id)) => wanted != id,
                _ => false,
            };
            let mut named = self.players.iter();
            let mut named = named
                .by_ref()
                .filter(|player| plain(&player.name) == wanted && !is_other(player));
            match (named.next(), named.next()) {
                (Some(player), None) if !wanted.is_empty() => Some(player.start),
                _ => None,
            }
        })
    }

    /// The number of the last round of which the public knows something.
    #[must_use]
    pub const fn rounds(&self) -> u16 {
        self.rounds
    }

    /// The last round that is taken from the file.
    #[must_use]
    pub const fn from_file(&self) -> u16 {
        self.from_file
    }

    pub(crate) fn place(&self, start: u16) -> Option<usize> {
        self.by_start.get(&start).copied()
    }
}

impl Entrant {
    fn of(player: &Player, through: u16) -> Self {
        let cells = (1..=through).map(|round| (round, player.cell(round)));
        Self {
            start: player.start,
            title: player.title.clone(),
            name: player.name.clone(),
            rating: player.rating,
            federation: player.federation.clone(),
            fide_id: player.fide_id,
            cells: cells.filter(|(_, cell)| !cell.is_empty()).collect(),
        }
    }

    pub(crate) fn codes(&self) -> impl Iterator<Item = Code> {
        self.cells.values().filter_map(|cell| cell.code)
    }

    pub(crate) fn points(&self, scoring: &Scoring) -> Points {
        self.codes().map(|code| code.points(scoring)).sum()
    }
}

/// A name for comparison: without case, spaces and points.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !c.is_whitespace() && *c != '.');
    letters.flat_map(char::to_lowercase).collect()
}
