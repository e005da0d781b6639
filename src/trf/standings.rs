//! The standings of a round robin or a Swiss tournament, with the crosstable.

use serde::Serialize;
use shakmaty::Color;

use crate::{
    Code, Points, Report,
    published::Published,
    tie_break::{Scores, TieBreak},
};

/// How a tournament is paired, as far as a crosstable needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// Everyone meets everyone: the crosstable has a column per opponent.
    RoundRobin,
    /// The crosstable has a column per round.
    Swiss,
}

impl System {
    /// The system that records 192 or 092 name; a tournament that names none is a Swiss.
    ///
    /// Uncertain: FIDE's table of codes for record 192 was not read. Texts are recognised by their
    /// words.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let texts = ["192", "092"].map(|number| report.record(number).unwrap_or_default());
        let text = texts.join(" ").to_lowercase();
        let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let words = ["roundrobin", "berger", "rundenturnier", "alltoall"];
        let found = words.iter().any(|word| letters.contains(word));
        if found && !letters.contains("swiss") {
            Self::RoundRobin
        } else {
            Self::Swiss
        }
    }
}

/// The standings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The tournament's name.
    pub name: String,
    /// How it is paired.
    pub system: System,
    /// The last round of which the public knows something.
    pub rounds: u16,
    /// The tie-breaks in their order.
    pub tie_breaks: Vec<TieBreak>,
    /// The codes of tie-breaks that the file asks for and that are not computed.
    pub not_computed: Vec<String>,
    /// The players, the first one first.
    pub rows: Vec<Row>,
}

/// A player in the standings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The rank, from 1; tied players share one.
    pub rank: u32,
    /// The starting rank.
    pub start: u16,
    /// The title; may be empty.
    pub title: String,
    /// The name.
    pub name: String,
    /// The rating.
    pub rating: Option<u16>,
    /// The federation; may be empty.
    pub federation: String,
    /// The points.
    pub points: Points,
    /// The values of the tie-breaks; none for direct encounter, which orders a group.
    pub tie_breaks: Vec<Option<Points>>,
    /// Whether FIDE's adjustment of unplayed rounds could not change the tie-breaks.
    pub exact: bool,
    /// The rounds, the first one first.
    pub encounters: Vec<Option<Encounter>>,
}

/// A player's colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl Side {
    const fn of(color: Color) -> Self {
        match color {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }
}

/// A round of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Encounter {
    /// The starting rank of the opponent; none for a bye.
    pub opponent: Option<u16>,
    /// The player's colour.
    pub color: Option<Side>,
    /// The letter of the result's code; none while the game is running.
    pub code: Option<char>,
    /// The points; none while the game is running.
    pub points: Option<Points>,
}

/// Computes the standings.
#[must_use]
pub fn standings(published: &Published) -> Table {
    let scores = Scores::of(published);
    let mut groups = vec![(0..published.players.len()).collect::<Vec<usize>>()];
    groups = split(groups, |at| scores.points(at));
    for tie_break in &published.tie_breaks {
        groups = match tie_break {
            TieBreak::DirectEncounter => groups
                .iter()
                .flat_map(|group| scores.by_direct_encounter(group))
                .collect(),
            other => split(groups, |at| scores.value(*other, at)),
        };
    }
    let mut rows = Vec::with_capacity(published.players.len());
    for mut group in groups {
        let rank = u32::try_from(rows.len() + 1).unwrap_or(u32::MAX);
        group.sort_by_key(|at| published.players[*at].start);
        rows.extend(
            group
                .into_iter()
                .map(|at| row(published, &scores, at, rank)),
        );
    }
    Table {
        name: published.name.clone(),
        system: published.system,
        rounds: published.rounds(),
        tie_breaks: published.tie_breaks.clone(),
        not_computed: published.not_computed.clone(),
        rows,
    }
}

/// Splits each group by a value, the highest first.
fn split<K: Ord>(groups: Vec<Vec<usize>>, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut result = Vec::new();
    for mut group in groups {
        group.sort_by_cached_key(|at| std::cmp::Reverse(key(*at)));
        let parts = group.chunk_by(|a, b| key(*a) == key(*b));
        result.extend(parts.map(<[usize]>::to_vec));
    }
    result
}

fn row(published: &Published, scores: &Scores<'_>, at: usize, rank: u32) -> Row {
    let player = &published.players[at];
    let encounters = (1..=published.rounds()).map(|round| {
        player.cells.get(&round).map(|cell| Encounter {
            opponent: cell.opponent,
            color: cell.color.map(Side::of),
            code: cell.code.map(Code::letter),
            points: cell.code.map(|code| code.points(&published.scoring)),
        })
    });
    let tie_breaks = published.tie_breaks.iter();
    Row {
        rank,
        start: player.start,
        title: player.title.clone(),
        name: player.name.clone(),
        rating: player.rating,
        federation: player.federation.clone(),
        points: scores.points(at),
        tie_breaks: tie_breaks.map(|one| scores.value(*one, at)).collect(),
        exact: scores.is_exact(at),
        encounters: encounters.collect(),
    }
}
