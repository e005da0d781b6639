//! Entries of a journal, applied again: how a restart and the evidence make a game again.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{AnnouncedMove, Carried, Fact, Game, Input, Judgement, Numbers, Stamped};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// The parts of an entry that make the game again.
#[derive(Debug, Clone, Deserialize)]
pub struct Remembered {
    /// When it came.
    pub time: Timestamp,
    /// What came.
    pub input: Input,
    /// What was remembered of the board, if the entry begins a segment.
    #[serde(default)]
    pub carried: Option<Carried>,
    /// How far each audience had counted; missing in journals of versions that did not count.
    #[serde(default)]
    pub numbers: Option<Numbers>,
    /// How it was judged.
    #[serde(default)]
    pub judgement: Judgement,
    /// The facts that followed from it when it was written.
    #[serde(default)]
    pub facts: WrittenFacts,
}

impl Remembered {
    /// Whether a game began with it when it was written.
    #[must_use]
    pub fn begins_game(&self) -> bool {
        let facts = self.facts.parsed();
        facts.iter().any(|fact| fact["type"] == "game_started")
    }
}

/// The facts of an entry, as they were written.
///
/// They are parsed on demand. Nearly always the same facts follow again, in the same bytes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct WrittenFacts(Option<Box<RawValue>>);

impl WrittenFacts {
    /// The facts, one value each; empty if they are not a list.
    pub(super) fn parsed(&self) -> Vec<Value> {
        let text = self.0.as_ref().map_or("[]", |facts| facts.get());
        serde_json::from_str(text).unwrap_or_default()
    }

    /// How much of `facts` was written.
    fn likeness(&self, facts: &[Fact]) -> Likeness {
        let text = serde_json::to_string(facts).unwrap_or_default();
        if self.0.as_ref().is_some_and(|facts| facts.get() == text) {
            return Likeness::Same;
        }
        let now: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        let written = as_written_now(self.parsed());
        if now == written {
            Likeness::Same
        } else if essence(&now).eq(essence(&written)) {
            Likeness::Essence
        } else {
            Likeness::Other
        }
    }
}

/// What follows from an entry that is applied again.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The facts.
    pub facts: Vec<Fact>,
    /// Whether they are those of the entry.
    pub likeness: Likeness,
}

/// Whether the same follows from an entry again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// Everything.
    Same,
    /// What the record of the game rests on: its beginning, moves, positions, claims.
    Essence,
    /// Not even that.
    Other,
}

impl Game {
    /// Applies an entry of a journal again. The one that begins a segment holds what was
    /// remembered of the board before it, which its input cannot know.
    pub fn replay(&mut self, seq: EntrySeq, entry: &Remembered) -> Replayed {
        let time = entry.time;
        let input = keep_judgement(entry.input.clone(), &entry.facts);
        let stamped = Stamped { seq, time, input };
        self.numbering.give(seq, entry.numbers.clone());
        self.judgement = entry.judgement;
        let facts = match &entry.carried {
            None => self.apply_behind_gap(&stamped, entry),
            Some(carried) => {
                self.rules = carried.rules.clone();
                let mut facts = self.apply(&stamped);
                self.carry(carried);
                self.note_wrong_clock();
                facts.extend(self.reconcile_alerts());
                facts
            }
        };
        self.judgement = Judgement::CURRENT;
        // What follows from lost entries is missing in what follows from these.
        let likeness = if self.journal.has_gap() {
            Likeness::Same
        } else {
            entry.facts.likeness(&facts)
        };
        Replayed { facts, likeness }
    }

    fn apply_behind_gap(&mut self, stamped: &Stamped, entry: &Remembered) -> Vec<Fact> {
        let Some(mut facts) = self.find_the_way(entry) else {
            return self.apply(stamped);
        };
        self.sequence.enter(stamped.seq, stamped.time);
        facts.extend(self.reconcile_alerts());
        facts
    }

    /// Takes up what is remembered of the board beyond one game.
    fn carry(&mut self, carried: &Carried) {
        self.regulations = carried.regulations.clone();
        self.record.judge_under(self.regulations.edition);
        self.backlog.take_up(carried);
        self.journal.take_up(carried);
        self.clock
            .take_up(carried.clock, carried.clock_at, carried.flag);
        let link = carried.link.as_ref().map(Into::into);
        self.sensors.take_up(
            link,
            carried.orientation,
            carried.clock_reversed,
            &carried.faulty,
        );
        self.source.take_up(&carried.source);
        self.broker_conflict.clone_from(&carried.broker_conflict);
        self.silent_phones.clone_from(&carried.silent_phones);
        self.pairing.clone_from(&carried.pairing);
        self.alerts.take_up(&carried.alerts);
        self.answers.take_up(&carried.answers);
    }
}

/// A command of the journal as it was judged when it came: where earlier entries are not
/// replayed, the number that it names says nothing. One that was refused as stale stays so.
fn keep_judgement(mut input: Input, facts: &WrittenFacts) -> Input {
    if let Input::Command(command) = &mut input
        && command.if_seq.is_some()
    {
        let stale = facts.parsed().iter().any(|fact| fact["code"] == "stale");
        command.if_seq = stale.then_some(AudienceSeq::MAX);
    }
    input
}

/// Facts in the form in which this version writes them. Earlier versions repeated the text of an
/// announced move that is not legal in `uci`.
fn as_written_now(mut facts: Vec<Value>) -> Vec<Value> {
    for fact in &mut facts {
        let key = match fact["type"].as_str() {
            Some("claim_made" | "must_play") => "move",
            Some("announced_move_not_played" | "result_set") => "announced",
            _ => continue,
        };
        let Some(announced) = fact.get_mut(key) else {
            continue;
        };
        let now = AnnouncedMove::deserialize(&*announced).ok();
        if let Some(Ok(now)) = now.map(serde_json::to_value) {
            *announced = now;
        }
    }
    facts
}

/// The facts that the record of a game rests on. Others may differ: what the daemon was
/// configured to do is not all in the segment, nor is what a new game does to the one before.
fn essence(facts: &[Value]) -> impl Iterator<Item = &Value> {
    let kinds = [
        "game_started",
        "move_made",
        "move_retracted",
        "position_set",
        "claim_made",
    ];
    facts.iter().filter(move |fact| {
        fact["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    })
}
