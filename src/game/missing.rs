//! Entries that a damaged journal has lost, and the game on both sides of the gap.
//!
//! Each entry of a move names the position after it. From the position before the gap a short line
//! of legal moves is looked for that leads there. What is found is the game's record, marked as
//! reconstructed. What cannot be found is taken up from the position behind the gap.

use remisd_vocabulary::notation::parse_position;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shakmaty::{Board, Chess, Color, Position as _, uci::UciMove};

use super::{
    Fact, Game, Input, Remembered, SettledBy,
    alert::{AlertCode, Condition},
};
use remisd_laws::Ply;
use remisd_vocabulary::notation::{self, Counters};

/// The longest line of moves that is looked for.
const MOST_PLIES: Ply = 8;
/// Earlier games whose losses are remembered, the newest ones.
pub const EARLIER_LOSSES: usize = 16;
/// Positions that are looked at for one gap.
const BUDGET: u32 = 100_000;

/// Consecutive numbers whose entries the journal has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostEntries {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl LostEntries {
    /// How many entries they are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.to.saturating_sub(self.from).saturating_add(1)
    }
}

/// What the journal has lost, until the arbiter has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loss {
    /// The number of the game.
    pub game: u64,
    /// Its entries that are lost.
    pub lost: Vec<LostEntries>,
    /// The first ply that is not certain; absent if no ply is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Ply>,
}

/// An earlier game of which entries are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierGame {
    /// Its number, which is that of its first entry.
    pub game: u64,
    /// What is left of it.
    pub left: Left,
}

/// What is left of an earlier game of which entries are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// Its beginning.
    Part,
    /// Nothing.
    Nothing,
    /// The lost entries are the end of this game, or games behind it: nothing proves which.
    Unknown,
}

/// What the journal has lost of an earlier game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierLoss {
    /// The game.
    #[serde(flatten)]
    pub of: EarlierGame,
    /// Its entries that are lost.
    pub lost: Vec<LostEntries>,
    /// Whether the arbiter has acknowledged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
}

impl EarlierLoss {
    fn subject(&self) -> String {
        self.of.game.to_string()
    }

    fn condition(&self) -> Option<Condition> {
        let arguments = loss_arguments(self.of.game, &self.lost, None, Some(self.of.left))?;
        Some(Condition::new(AlertCode::EntriesLost, None, arguments).about(self.subject()))
    }
}

/// What the alert says of lost entries; `None` where there are none.
fn loss_arguments(
    game: u64,
    lost: &[LostEntries],
    since: Option<Ply>,
    left: Option<Left>,
) -> Option<[(&'static str, Value); 6]> {
    let (from, to) = (lost.first()?.from, lost.last()?.to);
    let count: u64 = lost.iter().map(LostEntries::count).sum();
    Some([
        ("game", json!(game)),
        ("from", json!(from)),
        ("to", json!(to)),
        ("count", json!(count)),
        ("since", json!(since)),
        ("left", json!(left)),
    ])
}

/// Where a game goes on behind a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Landing {
    /// The ply of the move.
    ply: Ply,
    /// The move.
    uci: String,
    /// The position after it.
    fen: String,
}

impl Landing {
    /// The move that an entry made, if that is all it did to the record.
    fn of(entry: &Remembered) -> Option<Self> {
        let Input::Move { uci, .. } = &entry.input else {
            return None;
        };
        let made = facts(entry).find(|fact| fact["type"] == "move_made")?;
        Some(Self {
            ply: made["ply"].as_u64()?.try_into().ok()?,
            uci: uci.clone(),
            fen: made["fen"].as_str()?.to_owned(),
        })
    }
}

/// Whether an entry changed the record of moves.
fn changed_the_record(entry: &Remembered) -> bool {
    let kinds = [
        "move_made",
        "move_retracted",
        "position_set",
        "game_started",
    ];
    let mut facts = facts(entry);
    facts.any(|fact| {
        fact["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    })
}

fn facts(entry: &Remembered) -> impl Iterator<Item = &Value> {
    entry.facts.as_array().into_iter().flatten()
}

impl Game {
    /// The entries from number `from` on are lost up to the first of `behind`. If no game was
    /// begun before them, they began one.
    pub fn bridge(&mut self, from: u64, mut behind: impl Iterator<Item = Remembered>) {
        self.has_gap = true;
        if self.number == 0 {
            self.seq = from;
            // The usual array and the event's rules have no fault that could be refused.
            self.new_game(None, None, None, &std::collections::BTreeMap::new())
                .ok();
        }
        let first = self.ply() + 1;
        let changes = behind.find(changed_the_record);
        let landing = changes.as_ref().and_then(Landing::of);
        match landing.and_then(|landing| self.line_to(&landing)) {
            Some(line) if line.is_empty() => return,
            Some(line) => {
                for uci in line {
                    self.make(&uci, Some(SettledBy::Reconstructed), None);
                }
            }
            None => self.has_lost_its_way = true,
        }
        self.missing_since = Some(self.missing_since.map_or(first, |since| since.min(first)));
    }

    /// The first ply that the journal may have lost, until the arbiter corrects the record.
    #[must_use]
    pub const fn missing_since(&self) -> Option<Ply> {
        self.missing_since
    }

    /// The arbiter is told what the journal has lost.
    pub(super) fn entries_lost(
        &mut self,
        lost: &[LostEntries],
        since: Option<Ply>,
        earlier: Option<EarlierGame>,
    ) -> Vec<Fact> {
        if let Some(of) = earlier {
            return self.earlier_entries_lost(of, lost);
        }
        self.missing_since = match (self.missing_since, since) {
            (Some(known), Some(since)) => Some(known.min(since)),
            (known, since) => known.or(since),
        };
        self.loss = Some(Loss {
            game: self.number,
            lost: lost.to_vec(),
            since,
        });
        vec![Fact::EntriesLost {
            lost: lost.to_vec(),
            since,
            earlier: None,
        }]
    }

    pub(super) fn loss_of_entries(&self) -> Option<Condition> {
        let loss = self.loss.as_ref()?;
        let arguments = loss_arguments(loss.game, &loss.lost, loss.since, None)?;
        Some(Condition::new(AlertCode::EntriesLost, None, arguments))
    }

    /// The journal has lost entries of an earlier game.
    fn earlier_entries_lost(&mut self, of: EarlierGame, lost: &[LostEntries]) -> Vec<Fact> {
        self.earlier_losses.retain(|known| known.of.game != of.game);
        let surplus = (self.earlier_losses.len() + 1).saturating_sub(EARLIER_LOSSES);
        self.earlier_losses.drain(..surplus);
        self.earlier_losses.push(EarlierLoss {
            of,
            lost: lost.to_vec(),
            seen: false,
        });
        vec![Fact::EntriesLost {
            lost: lost.to_vec(),
            since: None,
            earlier: Some(of),
        }]
    }

    /// What the journal has lost of earlier games, as far as it was reported.
    #[must_use]
    pub fn earlier_losses(&self) -> &[EarlierLoss] {
        &self.earlier_losses
    }

    pub(super) fn earlier_losses_to_see(&self) -> impl Iterator<Item = Condition> {
        let unseen = self.earlier_losses.iter().filter(|loss| !loss.seen);
        unseen.filter_map(EarlierLoss::condition)
    }

    /// The arbiter has acknowledged a loss: of this game without a subject, else of an earlier one.
    pub(super) fn loss_seen(&mut self, subject: &str) {
        if subject.is_empty() {
            self.loss = None;
        }
        let mut earlier = self.earlier_losses.iter_mut();
        if let Some(loss) = earlier.find(|loss| loss.subject() == subject) {
            loss.seen = true;
        }
    }

    /// Takes up the position of an entry that cannot follow from the position before a gap.
    /// Returns what that does, or nothing if the entry follows all the same.
    pub(super) fn find_the_way(&mut self, entry: &Remembered) -> Option<Vec<Fact>> {
        if !self.has_lost_its_way || !changed_the_record(entry) {
            return None;
        }
        let Some(landing) = Landing::of(entry) else {
            // A correction or a position that was set up: whatever follows from it.
            return None;
        };
        self.has_lost_its_way = false;
        if landing.ply == self.ply() + 1 && Self::leads(self.position(), &landing) {
            return None;
        }
        let start = parse_position(&landing.fen).ok()?;
        let facts = self.set_up(start, Counters::given_in(&landing.fen));
        self.missing_since = Some(1);
        Some(facts)
    }

    /// The moves that were made between the position on the board and the move at `landing`.
    fn line_to(&self, landing: &Landing) -> Option<Vec<String>> {
        let plies = landing.ply.checked_sub(self.ply() + 1)?;
        if plies > MOST_PLIES {
            return None;
        }
        let target = parse_position(&landing.fen).ok()?;
        let mut search = Search {
            landing,
            target: target.board().clone(),
            budget: BUDGET,
            line: Vec::new(),
        };
        search.find(self.position(), plies).then_some(search.line)
    }

    /// Whether the move at `landing` leads from `position` to the position after it.
    fn leads(position: &Chess, landing: &Landing) -> bool {
        let parsed = landing.uci.parse::<UciMove>();
        let Some(m) = parsed.ok().and_then(|uci| uci.to_move(position).ok()) else {
            return false;
        };
        let mut after = position.clone();
        after.play_unchecked(m);
        notation::fen(&after) == landing.fen
    }
}

/// A search for the moves of a gap.
struct Search<'a> {
    landing: &'a Landing,
    /// The pieces after the move at the landing.
    target: Board,
    /// Positions that may still be looked at.
    budget: u32,
    line: Vec<String>,
}

impl Search<'_> {
    fn find(&mut self, position: &Chess, plies: Ply) -> bool {
        let Some(budget) = self.budget.checked_sub(1) else {
            return false;
        };
        self.budget = budget;
        if plies == 0 {
            return Game::leads(position, self.landing);
        }
        // The move at the landing is one of those that are left.
        let left = plies + 1;
        let turn = position.turn();
        if !self.can_reach(position, turn, left.div_ceil(2))
            || !self.can_reach(position, turn.other(), left / 2)
        {
            return false;
        }
        for m in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(m);
            let mode = position.castles().mode();
            self.line.push(m.to_uci(mode).to_string());
            if self.find(&after, plies - 1) {
                return true;
            }
            self.line.pop();
        }
        false
    }

    /// Whether `moves` moves of a colour can put its pieces on their squares: each puts one there,
    /// castling two.
    fn can_reach(&self, position: &Chess, color: Color, moves: Ply) -> bool {
        let (now, then) = (position.board(), &self.target);
        let wanting = then
            .by_color(color)
            .into_iter()
            .filter(|square| now.piece_at(*square) != then.piece_at(*square));
        let castles = u32::from(position.castles().has_color(color));
        wanting.count() <= (moves + castles) as usize
    }
}
