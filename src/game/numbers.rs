//! How each audience numbers what it may know.
//!
//! The journal numbers its entries for the arbiter, who may know them all. To others a step of two
//! would reveal that something happened which they must not know. So each other audience counts the
//! entries that it may know of. Every entry holds these numbers, so a restart repeats none, and a
//! later version that judges an entry differently changes none.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Adjustment, AlertCode, ClockState, Command, Fact, Game, GameResult, Input, LeftGame, Pause,
    Role, Side, Verb,
};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// Entries that are remembered as unknown to operators, the newest ones.
const UNKNOWN: usize = 32;

/// How far each audience but the arbiter's has counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Numbers {
    /// For operators.
    pub operator: AudienceSeq,
    /// For the public.
    pub public: AudienceSeq,
    /// For screens in the hall.
    pub hall: AudienceSeq,
    /// For the players, their clock and a device that enters their moves.
    pub player: AudienceSeq,
    /// The newest entries that operators do not know of, by their numbers in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_to_operator: Vec<EntrySeq>,
}

impl Numbers {
    /// The numbers of an entry that every audience may know, such as all entries of versions
    /// before numbers per audience.
    #[must_use]
    pub const fn all(seq: EntrySeq) -> Self {
        let number = AudienceSeq::of_entry(seq);
        Self {
            operator: number,
            public: number,
            hall: number,
            player: number,
            unknown_to_operator: Vec::new(),
        }
    }

    /// The greater ones of each audience.
    #[must_use]
    pub fn max(mut self, other: &Self) -> Self {
        self.operator = self.operator.max(other.operator);
        self.public = self.public.max(other.public);
        self.hall = self.hall.max(other.hall);
        self.player = self.player.max(other.player);
        self
    }

    /// What operators call an earlier entry, or something that has its number: `seq` is the
    /// journal's number of the entry that these numbers belong to, `of` that of the other.
    #[must_use]
    pub fn to_operator(&self, seq: EntrySeq, of: EntrySeq) -> AudienceSeq {
        let unknown = AudienceSeq::of_entry(seq).since(self.operator);
        let later = self.unknown_to_operator.iter().filter(|at| **at > of);
        let before = unknown.saturating_sub(later.count() as u64);
        AudienceSeq::of_entry(of) - before
    }

    /// What operators call an alert: a number in its id is that of an entry, but for a change of
    /// the clock, which players number.
    #[must_use]
    pub fn alert_to_operator(&self, seq: EntrySeq, id: &str) -> String {
        let parts = id.split('-').map(|part| match part.parse::<EntrySeq>() {
            Ok(of) => self.to_operator(seq, of).to_string(),
            Err(_) => part.to_owned(),
        });
        if id.starts_with(AlertCode::ClockAdjustment.as_str()) {
            return id.to_owned();
        }
        parts.collect::<Vec<_>>().join("-")
    }

    fn count(&mut self, seq: EntrySeq, known: KnownTo) {
        self.operator += u64::from(known.to_operator);
        self.public += u64::from(known.to_public);
        self.hall += u64::from(known.to_hall);
        self.player += u64::from(known.to_player);
        if !known.to_operator {
            let surplus = (self.unknown_to_operator.len() + 1).saturating_sub(UNKNOWN);
            self.unknown_to_operator.drain(..surplus);
            self.unknown_to_operator.push(seq);
        }
    }
}

/// The audiences that know of an entry, besides the arbiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each audience knows of it or not"
)]
struct KnownTo {
    to_operator: bool,
    to_public: bool,
    to_hall: bool,
    to_player: bool,
}

/// What players, hall and public are shown beside the moves, as far as it changes by itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outlook {
    everywhere: Everywhere,
    offer: Option<(Side, bool)>,
    paused: Option<Pause>,
    adjustments: Vec<Adjustment>,
    /// Results of earlier games.
    earlier: Vec<LeftGame>,
}

#[derive(Debug, PartialEq, Eq)]
struct Everywhere {
    result: Option<GameResult>,
    clock: (Option<ClockState>, Option<Timestamp>),
    up: Option<bool>,
}

/// Numbers of the last entry that was more than a touch, a look or a clock reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Changed {
    player: AudienceSeq,
    operator: AudienceSeq,
}

/// How far the entries of this game have been counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Numbering {
    /// The numbers of the last entry.
    now: Numbers,
    /// The numbers of the entry with which the game began.
    began: Numbers,
    /// The recorded numbers of the entry that is being replayed.
    given: Option<Numbers>,
    /// The last entry that changed something, as far as they know of it.
    changed: Changed,
    /// The draw state is open to operators: they know of every entry.
    operators_know_all: bool,
}

impl Numbering {
    /// Gives the next entry the numbers that it had.
    pub(super) fn give(&mut self, seq: EntrySeq, numbers: Option<Numbers>) {
        self.given = Some(numbers.unwrap_or_else(|| Numbers::all(seq)));
    }

    /// The number that this entry has for players if they know of it.
    pub(super) fn players_next(&self) -> AudienceSeq {
        let given = self.given.as_ref().map(|given| given.player);
        given.unwrap_or(self.now.player.next())
    }

    /// Numbers up to this one were passed over.
    pub(super) fn skip_to(&mut self, seq: EntrySeq) {
        self.now = std::mem::take(&mut self.now).max(&Numbers::all(seq));
        self.now.unknown_to_operator.clear();
    }
}

impl Game {
    /// How far each audience has counted.
    #[must_use]
    pub const fn numbers(&self) -> &Numbers {
        &self.numbering.now
    }

    /// How far each had counted when this game began.
    #[must_use]
    pub const fn numbers_at_start(&self) -> &Numbers {
        &self.numbering.began
    }

    /// The number of the newest entry that a role knows of.
    #[must_use]
    pub const fn seq_for(&self, role: Role) -> AudienceSeq {
        match role {
            Role::Arbiter => AudienceSeq::of_entry(self.seq()),
            Role::Operator => self.numbering.now.operator,
            Role::White | Role::Black | Role::Clock | Role::Board => self.numbering.now.player,
        }
    }

    /// Sets whether operators know of every entry, because the draw state is open to them.
    pub const fn show_operators_all(&mut self, all: bool) {
        self.numbering.operators_know_all = all;
    }

    /// The numbers, in the role's own counting, that a command may name as the newest one.
    pub(super) fn current_for(
        &self,
        role: Role,
        last_seq: EntrySeq,
    ) -> std::ops::RangeInclusive<AudienceSeq> {
        let Changed { player, operator } = self.numbering.changed;
        match role {
            Role::Arbiter => {
                AudienceSeq::of_entry(self.sequence.changed())..=AudienceSeq::of_entry(last_seq)
            }
            Role::Operator => operator..=self.seq_for(role),
            Role::White | Role::Black | Role::Clock | Role::Board => player..=self.seq_for(role),
        }
    }

    pub(super) fn outlook(&self) -> Outlook {
        let offer = self.offer_at_the_board();
        Outlook {
            everywhere: Everywhere {
                result: self.result().filter(|result| result.confirmed).cloned(),
                clock: (self.clock(), self.clock_at()),
                up: self.link().map(Result::is_ok),
            },
            offer: offer.map(|offer| (offer.by, offer.by_claim)),
            paused: self.pause_state(),
            adjustments: self.adjustments().to_vec(),
            earlier: self.earlier_results().cloned().collect(),
        }
    }

    /// Counts an entry for each audience that knows of it.
    pub(super) fn count_entry(
        &mut self,
        input: &Input,
        facts: &[Fact],
        before: &Outlook,
        has_changed: bool,
    ) {
        let mut known = known_by(facts, before, &self.outlook());
        known.to_operator = self.numbering.operators_know_all || !is_arbiters_own(input, facts);
        match self.numbering.given.take() {
            Some(given) => self.numbering.now = given,
            None => self.numbering.now.count(self.seq(), known),
        }
        let numbering = &mut self.numbering;
        if facts
            .iter()
            .any(|fact| matches!(fact, Fact::GameStarted { .. }))
        {
            numbering.began = numbering.now.clone();
        }
        if has_changed && known.to_player {
            numbering.changed.player = numbering.now.player;
        }
        if has_changed && known.to_operator {
            numbering.changed.operator = numbering.now.operator;
        }
        let (seq, player, operator) = (
            self.seq(),
            self.seq_for(Role::Clock),
            self.seq_for(Role::Operator),
        );
        if let Some(answered) = self.answers.of_entry(seq) {
            answered.number = match answered.role {
                Role::Arbiter => answered.number,
                Role::Operator => Some(operator),
                Role::White | Role::Black | Role::Clock | Role::Board => Some(player),
            };
        }
    }
}

/// The audiences that know of what follows from an entry; operators are decided elsewhere.
fn known_by(facts: &[Fact], before: &Outlook, after: &Outlook) -> KnownTo {
    let on_the_board = facts.iter().any(|fact| {
        matches!(
            fact,
            Fact::GameStarted { .. }
                | Fact::PositionSet { .. }
                | Fact::MoveMade { .. }
                | Fact::MoveRetracted { .. }
                | Fact::DaemonStarted { .. }
        )
    });
    let headers = (facts.iter()).any(|fact| matches!(fact, Fact::HeadersSet { .. }));
    let marked = (facts.iter()).any(|fact| matches!(fact, Fact::OfferMade(_)));
    let everywhere = on_the_board || before.everywhere != after.everywhere;
    let offer = marked || before.offer != after.offer;
    KnownTo {
        to_operator: true,
        to_public: everywhere || headers || offer || before.earlier != after.earlier,
        to_hall: everywhere || headers,
        to_player: everywhere
            || offer
            || before.paused != after.paused
            || before.adjustments != after.adjustments,
    }
}

/// Whether an entry is only about alerts for the arbiter alone. The arbiter acknowledges one, or
/// tries to. Or a phone does not take a message, which may be about one.
fn is_arbiters_own(input: &Input, facts: &[Fact]) -> bool {
    let is_own = match input {
        Input::Command(Command {
            verb: Verb::Ack { alert },
            ..
        }) => reveals_claims(alert),
        Input::Phones { .. } => true,
        _ => false,
    };
    is_own
        && facts.iter().all(|fact| match fact {
            Fact::Answered(_) => true,
            Fact::AlertRaised(alert) => alert.code.reveals_claims(),
            Fact::AlertCleared { id }
            | Fact::AlertAcknowledged { id, .. }
            | Fact::AlertEscalated { id } => reveals_claims(id),
            _ => false,
        })
}

/// Whether an alert of this id is the arbiter's alone.
fn reveals_claims(id: &str) -> bool {
    let codes = AlertCode::ALL.into_iter();
    codes.filter(|code| code.reveals_claims()).any(|code| {
        id.strip_prefix(code.as_str())
            .is_some_and(|rest| rest.starts_with('-'))
    })
}
