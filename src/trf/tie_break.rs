//! Tie-breaks of FIDE's C.07 (2024), for games that were played over the board.
//!
//! FIDE adjusts rounds without a game (article 16); this crate does not. Such a round adds nothing
//! to Buchholz and Sonneborn-Berger, and a value that it could change is marked as not exact.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use serde::Serialize;

use crate::{Points, Report, published::Published, standings::System};

/// A tie-break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum TieBreak {
    /// Buchholz: the sum of the opponents' scores (article 8.1).
    #[serde(rename = "BH")]
    Buchholz,
    /// Buchholz without the lowest of the opponents' scores (articles 8.1 and 14.1).
    #[serde(rename = "BH/C1")]
    BuchholzCut1,
    /// Sonneborn-Berger: the opponents' scores, each times the points scored against him (9.1).
    #[serde(rename = "SB")]
    SonnebornBerger,
    /// Direct encounter (article 6).
    #[serde(rename = "DE")]
    DirectEncounter,
    /// The number of rounds with as many points as a win gives, played or not (7.1).
    #[serde(rename = "WIN")]
    Wins,
}

impl TieBreak {
    /// The code in FIDE's list.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Buchholz => "BH",
            Self::BuchholzCut1 => "BH/C1",
            Self::SonnebornBerger => "SB",
            Self::DirectEncounter => "DE",
            Self::Wins => "WIN",
        }
    }

    /// The tie-breaks of a report (records 202 or 212, in their order), and the codes of those that
    /// are not computed. A report without them has the usual ones of its system.
    pub(crate) fn of(report: &Report) -> (Vec<Self>, Vec<String>) {
        let record = report.record("212").filter(|text| !text.is_empty());
        let record = record.or_else(|| report.record("202"));
        let codes = record.unwrap_or_default().split(',').map(str::trim);
        let codes = codes.filter(|code| !code.is_empty() && *code != "PTS");
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for code in codes.take(16) {
            match code {
                "BH" => known.push(Self::Buchholz),
                // [uncertain] TRF26 names the cut by `/C1`; `#C1` and `-C1` are met in programs.
                "BH/C1" | "BH#C1" | "BH-C1" | "BH:C1" => known.push(Self::BuchholzCut1),
                "SB" => known.push(Self::SonnebornBerger),
                "DE" => known.push(Self::DirectEncounter),
                "WIN" => known.push(Self::Wins),
                other => unknown.push(other.chars().take(16).collect()),
            }
        }
        if known.is_empty() && unknown.is_empty() {
            known = match System::of(report) {
                System::RoundRobin => {
                    vec![Self::DirectEncounter, Self::Wins, Self::SonnebornBerger]
                }
                System::Swiss => vec![
                    Self::BuchholzCut1,
                    Self::Buchholz,
                    Self::SonnebornBerger,
                    Self::Wins,
                ],
            };
        }
        (known, unknown)
    }
}

/// The scores of all players, and the values that depend on them.
pub(crate) struct Scores<'a> {
    published: &'a Published,
    points: Vec<Points>,
}

impl<'a> Scores<'a> {
    pub(crate) fn of(published: &'a Published) -> Self {
        let players = published.players.iter();
        let points = players.map(|player| player.points(&published.scoring));
        Self {
            points: points.collect(),
            published,
        }
    }

    pub(crate) fn points(&self, at: usize) -> Points {
        self.points[at]
    }

    /// The value of a tie-break for a player; `None` for direct encounter, which needs a group.
    pub(crate) fn value(&self, tie_break: TieBreak, at: usize) -> Option<Points> {
        match tie_break {
            TieBreak::Buchholz => Some(self.opponents(at).map(|(score, _)| score).sum()),
            TieBreak::BuchholzCut1 => {
                let scores: Vec<Points> = self.opponents(at).map(|(score, _)| score).collect();
                let lowest = scores.iter().min().copied().unwrap_or_default();
                Some(scores.into_iter().sum::<Points>() - lowest)
            }
            TieBreak::SonnebornBerger => {
                let products = self.opponents(at).map(|(score, own)| score.times(own));
                Some(products.sum())
            }
            TieBreak::Wins => {
                let scoring = &self.published.scoring;
                let codes = self.published.players[at].codes();
                let wins = codes
                    .filter(|code| code.points(scoring) == scoring.win)
                    .count();
                let wins = i32::try_from(wins).unwrap_or(i32::MAX / 100);
                Some(Points::hundredths(wins * 100))
            }
            TieBreak::DirectEncounter => None,
        }
    }

    /// Whether every round that counts for a player's tie-breaks was played.
    pub(crate) fn is_exact(&self, at: usize) -> bool {
        let rounds = self.published.rounds();
        let all_played = |at: usize| {
            let player = &self.published.players[at];
            // A running game is not finished, but it is not unplayed either.
            (1..=rounds).all(|round| {
                player.cells.get(&round).is_some_and(|cell| {
                    cell.opponent.is_some() && cell.code.is_none_or(crate::Code::is_played)
                })
            })
        };
        let cells = self.published.players[at].cells.values();
        let opponents = cells.filter_map(|cell| cell.opponent);
        let mut places = opponents.filter_map(|start| self.published.place(start));
        all_played(at) && places.all(all_played)
    }

    /// The scores of the opponents in played games, each with the points scored against him.
    fn opponents(&self, at: usize) -> impl Iterator<Item = (Points, Points)> + '_ {
        let scoring = &self.published.scoring;
        self.games(at)
            .map(|(opponent, code)| (self.points[opponent], code.points(scoring)))
    }

    fn games(&self, at: usize) -> impl Iterator<Item = (usize, crate::Code)> + '_ {
        let cells = self.published.players[at].cells.values();
        cells.filter_map(move |cell| {
            let code = cell.code.filter(|code| code.is_played())?;
            let opponent = self.published.place(cell.opponent?)?;
            // A damaged file can pair a player with himself.
            (opponent != at).then_some((opponent, code))
        })
    }

    /// Splits a group of tied players by direct encounter into groups in their order (article 6).
    ///
    /// If all have met, their scores against one another decide. If not, a player is placed first
    /// who is alone at the top whatever the missing games would have been (6.3). Both are applied
    /// again to who is left.
    pub(crate) fn by_direct_encounter(&self, group: &[usize]) -> Vec<Vec<usize>> {
        if group.len() < 2 {
            return vec![group.to_vec()];
        }
        let members: HashSet<usize> = group.iter().copied().collect();
        let scores: Vec<(usize, Points, usize)> =
            group.iter().map(|at| self.among(*at, &members)).collect();
        let missing = scores.iter().any(|(_, _, missing)| *missing > 0);
        let mut split: BTreeMap<Reverse<Points>, Vec<usize>> = BTreeMap::new();
        if !missing {
            for (at, points, _) in &scores {
                split.entry(Reverse(*points)).or_default().push(*at);
            }
            if split.len() == 1 {
                return vec![group.to_vec()];
            }
            let groups = split.into_values();
            return groups
                .flat_map(|group| self.by_direct_encounter(&group))
                .collect();
        }
        // [uncertain] A player can lose what he would score in a missing game to his opponent, so
        // the most that another one can reach is counted for each player apart.
        let win = self.published.scoring.win;
        let most = |points: Points, missing: usize| (0..missing).fold(points, |sum, _| sum + win);
        let first = scores.iter().find(|(at, points, _)| {
            let others = scores.iter().filter(|(other, _, _)| other != at);
            others
                .into_iter()
                .all(|(_, other, missing)| most(*other, *missing) < *points)
        });
        let Some((first, _, _)) = first else {
            return vec![group.to_vec()];
        };
        let rest: Vec<usize> = group.iter().copied().filter(|at| at != first).collect();
        let mut groups = vec![vec![*first]];
        groups.extend(self.by_direct_encounter(&rest));
        groups
    }

    /// A player's score against the others of a group, and how many of them he has not met. Of
    /// several games against the same opponent the average counts (6.1.2).
    fn among(&self, at: usize, group: &HashSet<usize>) -> (usize, Points, usize) {
        let scoring = &self.published.scoring;
        let mut met: BTreeMap<usize, Vec<Points>> = BTreeMap::new();
        for (opponent, code) in self.games(at) {
            if group.contains(&opponent) {
                met.entry(opponent).or_default().push(code.points(scoring));
            }
        }
        let missing = group.len() - 1 - met.len();
        let averages = met.into_values().map(|games| {
            let count = i32::try_from(games.len()).unwrap_or(i32::MAX);
            games.into_iter().sum::<Points>().divided(count)
        });
        (at, averages.sum(), missing)
    }
}
