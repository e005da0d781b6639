//! A game that another program writes: what that program says of it, beyond its moves.
//!
//! The moves themselves come as [`Input::Move`] and [`Input::Rewrite`], or as commands. Nobody at this daemon has
//! seen them made, so whatever is doubtful about them is kept here and raises an alert.
//!
//! [`Input::Move`]: super::Input::Move
//! [`Input::Rewrite`]: super::Input::Rewrite

mod entered;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use super::{ClockState, Fact, Game, claim_shift::AppendedPlies};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::{reading::Sign, seq::EntrySeq, written::Written};

/// The most rewritings that are kept until the arbiter has seen them. Later ones extend the newest.
const REWRITINGS: usize = 16;
/// The longest line of moves in an alert, in bytes.
const LINE: usize = 80;

/// What the program that writes the game says of it, beyond its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SourceReport {
    /// The program or the file, as it calls itself: `LiveChess 2.2.6`.
    pub name: String,
    /// The PGN tags of the game.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The result; absent while the source has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Score>,
    /// Plies that the program may have guessed: they have no clock time although others have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<Ply>,
    /// The last plies, if they are king moves to the centre that may only show the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub king_moves: Vec<Ply>,
    /// Where the moves of the source cannot be read any further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<UnreadablePly>,
    /// How the source differs from the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The first ply that is missing, since a device has entered a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Ply>,
    /// Other games of the source have the same number: this may be another board's game, or one
    /// that was left behind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_number: bool,
}

/// How a source differs from the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The first ply that differs.
    pub from: Ply,
    /// The source's moves from that ply on, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Written<UciMove>>,
    /// How many plies the source has.
    pub plies: Ply,
}

/// A ply with which the source replaces recorded ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RewrittenPly {
    /// The move in UCI.
    pub uci: Written<UciMove>,
    /// What the clock showed then, as far as the source says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockState>,
}

/// A word in the source that is not a legal move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadablePly {
    /// The ply that it should have been.
    pub ply: Ply,
    /// The word, cut to a printable length.
    pub text: String,
    /// Why it is not a legal move, in English.
    pub reason: String,
}

/// A correction of the record by a person, against the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The plies of the source that stayed.
    pub kept: Ply,
    /// What the source had after them, as far as it was known.
    pub rejected: Vec<UciMove>,
    /// How many plies the source had.
    pub source_plies: Ply,
    /// The plies of the record after it.
    pub record_plies: Ply,
    /// The record begins anew from a position that was set up.
    pub is_set_up: bool,
}

/// Recorded moves that the source has taken back or replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rewriting {
    /// The entry that did it.
    pub seq: EntrySeq,
    /// The source's name.
    pub source: String,
    /// The first ply that changed.
    pub from: Ply,
    /// The moves before, numbered.
    pub was: String,
    /// The moves after, numbered; empty if they were taken back.
    pub now: String,
    /// Whether a claim had been made, or the game had ended, at one of these plies.
    pub decided: bool,
}

/// A game of the source that a command has replaced by another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAside {
    /// Its PGN tags in the source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// How many plies of it were recorded.
    pub plies: Ply,
}

/// What is remembered of a source beyond a game.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CarriedSource {
    /// What the arbiter has not seen, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritings: Vec<Rewriting>,
    /// The game that a command has replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<SetAside>,
}

impl CarriedSource {
    /// Whether nothing is remembered.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.rewritings.is_empty() && self.set_aside.is_none()
    }
}

/// What is known of the program that writes the game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Source {
    report: Option<SourceReport>,
    correction: Option<Correction>,
    /// How many plies the record had when a person last corrected it, if the game was decided then.
    completed: Option<Ply>,
    /// The result that was proposed, and after which ply.
    proposed: Option<(Score, Ply)>,
    /// Up to which ply the arbiter has seen what the source may have guessed, and king moves that
    /// may only show the result.
    guessed_seen: Ply,
    kings_seen: Ply,
    /// The arbiter has seen that other games have the same number.
    number_seen: bool,
    carried: CarriedSource,
    /// A device enters the moves by commands.
    is_device: bool,
    /// The recorded plies for which the device has another move.
    differing: BTreeMap<Ply, UciMove>,
}

impl Source {
    /// The first ply that the source leaves in doubt.
    pub(super) fn uncertain_since(&self) -> Option<Ply> {
        let report = self.report.as_ref()?;
        let guessed = self.unseen_guessed(report).first().copied();
        let kings = self.unseen_kings(report).first().copied();
        let unreadable = report.unreadable.as_ref().map(|word| word.ply);
        let differs = report.difference.as_ref().map(|difference| difference.from);
        let whole = self.unseen_number(report).then_some(1);
        [guessed, kings, unreadable, differs, report.missing, whole]
            .into_iter()
            .flatten()
            .min()
    }

    /// The guessed plies that the arbiter has not seen.
    pub(super) fn unseen_guessed(&self, report: &SourceReport) -> Vec<Ply> {
        let plies = report.guessed.iter().copied();
        plies.filter(|ply| *ply > self.guessed_seen).collect()
    }

    /// The same of king moves that may only show the result.
    pub(super) fn unseen_kings(&self, report: &SourceReport) -> Vec<Ply> {
        let plies = report.king_moves.iter().copied();
        plies.filter(|ply| *ply > self.kings_seen).collect()
    }

    /// Whether other games have the same number and the arbiter has not seen it.
    pub(super) const fn unseen_number(&self, report: &SourceReport) -> bool {
        report.shares_number && !self.number_seen
    }

    /// Another game begins. A source that has one is left with it, unless it begins this game too.
    pub(super) fn next_game(&mut self, plies: Ply) {
        let mut carried = std::mem::take(&mut self.carried);
        if let Some(report) = self.report.take().filter(|_| plies > 0 && !self.is_device) {
            carried.set_aside = Some(SetAside {
                headers: report.headers,
                plies,
            });
        }
        *self = Self {
            carried,
            ..Self::default()
        };
    }

    /// The source itself has begun the game.
    pub(super) fn begins(&mut self) {
        self.carried.set_aside = None;
    }

    /// What the source has changed and the arbiter has not seen, the oldest first.
    pub(super) fn rewritings(&self) -> &[Rewriting] {
        &self.carried.rewritings
    }

    pub(super) fn carried(&self) -> CarriedSource {
        self.carried.clone()
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(&mut self, carried: &CarriedSource) {
        self.carried = carried.clone();
    }

    /// A result was proposed after a ply.
    pub(super) fn note_proposal(&mut self, score: Score, ply: Ply) {
        self.proposed = Some((score, ply));
    }

    /// Plies were taken back: what comes in their place has not been seen, and a result may be
    /// proposed again.
    pub(super) fn take_back_to(&mut self, to_ply: Ply) {
        self.proposed = None;
        self.guessed_seen = self.guessed_seen.min(to_ply);
        self.kings_seen = self.kings_seen.min(to_ply);
    }

    /// After a gap of the journal, the record continues after this ply of the source.
    pub(super) const fn landed(&mut self, ply: Ply) {
        if let Some(correction) = &mut self.correction {
            correction.source_plies = ply;
        }
    }

    /// The arbiter has seen one of the source's alerts.
    pub(super) fn acknowledge(&mut self, subject: &str) {
        self.carried
            .rewritings
            .retain(|known| known.seq.to_string() != subject);
        let Some(report) = &self.report else {
            return;
        };
        let last = |plies: &[Ply]| plies.last().copied().unwrap_or(0);
        if subject.starts_with(KINGS) {
            self.kings_seen = last(&report.king_moves);
        } else if subject.starts_with(GUESSED) {
            self.guessed_seen = last(&report.guessed);
        } else if subject == NUMBER {
            self.number_seen = report.shares_number;
        }
    }
}

/// The subjects of alerts about plies, or a whole game, that are in doubt.
pub(super) const NUMBER: &str = "number";
pub(super) const GUESSED: &str = "guessed";
pub(super) const KINGS: &str = "king_moves";

impl Game {
    /// The newest report of the program that writes the game; `None` if sensors read it.
    #[must_use]
    pub const fn source(&self) -> Option<&SourceReport> {
        self.source.report.as_ref()
    }

    /// The first ply that the program that writes the game leaves in doubt.
    #[must_use]
    pub fn source_uncertain_since(&self) -> Option<Ply> {
        self.source.uncertain_since()
    }

    /// The newest correction by a person, while the source differs from it.
    #[must_use]
    pub const fn correction(&self) -> Option<&Correction> {
        self.source.correction.as_ref()
    }

    /// Whether a person has corrected the record since the game was decided: it has all plies, and
    /// what the source has beyond them is not of the game.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.is_at_rest() && self.source.completed == Some(self.ply())
    }

    /// The game of the source that a command has replaced by this one.
    #[must_use]
    pub const fn set_aside(&self) -> Option<&SetAside> {
        self.source.carried.set_aside.as_ref()
    }

    /// The source's result that was proposed, and after which ply.
    #[must_use]
    pub const fn source_proposal(&self) -> Option<(Score, Ply)> {
        self.source.proposed
    }

    /// The source's line and its length, as far as the record and the newest report say.
    fn line_of_source(&self) -> (Vec<UciMove>, Ply) {
        let record: Vec<UciMove> = self
            .record
            .moves()
            .iter()
            .map(|played| self.record.uci(played.m))
            .collect();
        if let Some(earlier) = &self.source.correction {
            let mut line: Vec<UciMove> = if earlier.is_set_up {
                Vec::new()
            } else {
                record.iter().take(earlier.kept as usize).copied().collect()
            };
            line.extend(earlier.rejected.iter().copied());
            let added = record.iter().skip(earlier.record_plies as usize);
            let plies = self.ply().saturating_sub(earlier.record_plies);
            let plies = earlier.source_plies.saturating_add(plies);
            line.extend(added.copied());
            return (line, plies);
        }
        let report = self.source.report.as_ref();
        let Some(difference) = report.and_then(|report| report.difference.as_ref()) else {
            let plies = self.ply();
            return (record, plies);
        };
        let mut line: Vec<UciMove> = record
            .into_iter()
            .take(difference.from.saturating_sub(1) as usize)
            .collect();
        line.extend(difference.moves.iter().map_while(|uci| uci.read().ok()));
        (line, difference.plies)
    }

    /// Notes that a person corrects the record, before it is done. `kept` plies stay.
    pub(super) fn correct_source(&mut self, kept: Ply, is_set_up: bool) {
        if self.source.is_device {
            self.source.device_forgets(kept.saturating_add(1));
        }
        if self.source.report.is_none() || self.source.is_device {
            return;
        }
        let (line, source_plies) = self.line_of_source();
        let before = self.source.correction.as_ref();
        let is_set_up = is_set_up || before.is_some_and(|earlier| earlier.is_set_up);
        let kept = before.map_or(kept, |earlier| earlier.kept.min(kept));
        let kept = if is_set_up { 0 } else { kept };
        self.source.correction = Some(Correction {
            kept,
            rejected: line.into_iter().skip(kept as usize).collect(),
            source_plies,
            record_plies: 0,
            is_set_up,
        });
    }

    /// Completes the note of a correction after it was done.
    pub(super) fn source_corrected(&mut self) {
        let plies = self.ply();
        self.source.completed = self.is_at_rest().then_some(plies);
        if let Some(correction) = &mut self.source.correction {
            correction.record_plies = plies;
        }
    }

    /// Takes in a report of the program that writes the game. `new_tags` are its tags that have
    /// changed, even if they look alike with masked names.
    pub(super) fn source_reported(
        &mut self,
        report: &SourceReport,
        new_tags: &[String],
    ) -> Vec<Fact> {
        let mut facts = Vec::new();
        let before = self.source.report.replace(report.clone());
        // The source has come to this game.
        self.source.carried.set_aside = None;
        self.source.is_device = false;
        self.source.differing.clear();
        if report.difference.is_none() {
            self.source.correction = None;
        }
        self.source.number_seen &= report.shares_number;
        if report.result.is_none() {
            self.source.proposed = None;
            let from_source = |proposed: super::ProposedResult| proposed.sign == Sign::Source;
            if self.proposed_result().is_some_and(from_source) {
                facts.extend(self.decline_proposal(report.name.clone()));
            }
        }
        let before = before.unwrap_or_default().headers;
        if before == report.headers && new_tags.is_empty() {
            return facts;
        }
        let gone = before
            .keys()
            .filter(|name| !report.headers.contains_key(*name));
        let gone = gone.map(|name| (name.clone(), String::new()));
        let changed = report
            .headers
            .iter()
            .filter(|(name, value)| before.get(*name) != Some(value) || new_tags.contains(name));
        let changed = changed.map(|(name, value)| (name.clone(), value.clone()));
        let headers = changed.chain(gone).collect();
        facts.extend(self.set_headers(&headers).unwrap_or_else(|error| {
            let reason = error.to_string();
            vec![Fact::Refused { reason }]
        }));
        facts
    }

    /// The source has taken the game back to after `to_ply` and goes on with `plies`.
    pub(super) fn rewrite(&mut self, to_ply: Ply, plies: &[RewrittenPly]) -> Vec<Fact> {
        let was = self.record.line_after(to_ply);
        let claim = self.claims.newest().is_some_and(|claim| claim.ply > to_ply);
        let ended = self.ended().is_some_and(|(ply, _)| ply > to_ply);
        let decided = claim || ended || self.result().is_some();
        let source = self.source.report.as_ref();
        let source = source.map_or_else(String::new, |report| report.name.clone());
        let plies = plies.iter().map(|ply| (ply.uci.to_string(), ply.clock));
        let facts = match self.correct(to_ply, plies, &source, AppendedPlies::AfterClaim) {
            Ok(facts) => facts,
            Err(refusal) => {
                let reason = refusal.message;
                return vec![Fact::Refused { reason }];
            }
        };
        if was.is_empty() {
            return facts;
        }
        let rewriting = Rewriting {
            seq: self.seq(),
            source,
            from: to_ply + 1,
            was: shortened(&was),
            now: shortened(&self.record.line_after(to_ply)),
            decided,
        };
        let rewritings = &mut self.source.carried.rewritings;
        if rewritings.len() == REWRITINGS
            && let Some(newest) = rewritings.last_mut()
        {
            if rewriting.from < newest.from {
                newest.from = rewriting.from;
                newest.was = rewriting.was;
            }
            newest.now = shortened(&self.record.line_after(newest.from - 1));
            newest.decided |= rewriting.decided;
        } else {
            rewritings.push(rewriting);
        }
        facts
    }
}

/// A line of moves, cut between two of them if it is long.
pub(super) fn shortened(line: &str) -> String {
    if line.len() <= LINE {
        return line.to_owned();
    }
    let end = line.floor_char_boundary(LINE);
    let end = line[..end].rfind(' ').unwrap_or(0);
    format!("{} …", &line[..end])
}
