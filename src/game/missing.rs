//! Entries that a damaged journal has lost, and the game on both sides of the gap.
//!
//! Each entry of a move names the position after it. From the position before the gap a short line
//! of legal moves is looked for that leads there. What is found is the game's record, marked as
//! reconstructed. What cannot be found is taken up from the position after the gap.

use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};
use shakmaty::{Board, Chess, Color, Move, Position as _, uci::UciMove};

use super::{
    Carried, EarlierGame, EarlierLoss, Fact, Game, Input, JournalDown, LostEntries,
    OtherRecordFile, Remembered, SettledBy, Verb,
    alert::Condition,
    losses::{Losses, merged},
    other_record,
};
use remisd_laws::Ply;
use remisd_vocabulary::notation::{self, Counters};

/// The longest line of moves that is looked for.
const MOST_PLIES: Ply = 8;
/// Positions that are looked at for one gap.
const BUDGET: u32 = 100_000;

/// Where a game continues after a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Landing {
    /// The ply of the move.
    ply: Ply,
    /// The move.
    uci: UciMove,
    /// The position after it.
    fen: String,
}

impl Landing {
    /// The move that an entry made, if that is all it did to the record.
    fn of(entry: &Remembered) -> Option<Self> {
        let is_move = match &entry.input {
            Input::Move { .. } => true,
            Input::Command(command) => matches!(command.verb, Verb::Move { .. }),
            _ => false,
        };
        let facts = entry.facts.parsed();
        let made = facts.iter().filter(|_| is_move);
        let made = made.into_iter().find(|fact| fact["type"] == "move_made")?;
        Some(Self {
            ply: made["ply"].as_u64()?.try_into().ok()?,
            uci: made["uci"].as_str()?.parse().ok()?,
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
    entry.facts.parsed().iter().any(|fact| {
        fact["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    })
}

/// What is known of the journal: whether it is written, and what it has lost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct JournalState {
    /// Why the disk does not take entries.
    down: Option<JournalDown>,
    /// What was lost.
    losses: Losses,
    /// Files that contradict the rest of the record.
    other_record: Vec<OtherRecordFile>,
    /// The first ply that may be lost.
    missing_since: Option<Ply>,
    /// Entries are lost, and what the ones after them hold may not follow again.
    has_gap: bool,
    /// No line of moves bridges a gap: the position after it is to be taken up.
    has_lost_its_way: bool,
}

impl JournalState {
    pub(super) const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The open alerts about the journal.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let files = self.other_record.iter().filter(|file| !file.seen);
        (self.losses.conditions()).chain(files.map(OtherRecordFile::condition))
    }

    /// A start of the daemon has found these files to contradict the rest of the record.
    pub(super) fn find_other_record(&mut self, found: &[OtherRecordFile]) -> Vec<Fact> {
        other_record::update(&mut self.other_record, found);
        Vec::new()
    }

    /// What a disk that has come late is known to hold of another record.
    pub(super) fn join_other_record(&mut self, left: &[OtherRecordFile]) {
        other_record::join(&mut self.other_record, left);
    }

    /// The files of another record.
    pub(super) fn other_record(&self) -> &[OtherRecordFile] {
        &self.other_record
    }

    /// A game begins, and with it the newest file of the journal.
    pub(super) fn begin_game(&mut self) {
        for file in &mut self.other_record {
            file.newest = false;
        }
    }

    /// The arbiter has seen a file of another record.
    pub(super) fn acknowledge_other_record(&mut self, subject: &str) {
        let mut files = self.other_record.iter_mut();
        if let Some(file) = files.find(|file| file.subject() == subject) {
            file.seen = true;
        }
    }

    /// The arbiter has seen a loss.
    pub(super) fn acknowledge_loss(&mut self, subject: &str) {
        self.losses.acknowledge(subject);
    }

    /// A game on a disk that has come late has losses.
    pub(super) fn lose_with(&mut self, losses: &[EarlierLoss]) {
        for loss in losses {
            self.losses.add_earlier(loss.clone());
        }
    }

    pub(super) const fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// The disk takes entries, or does not.
    pub(super) fn set_down(&mut self, down: Option<&JournalDown>) {
        self.down = down.cloned();
    }

    /// Another record of moves begins: no ply of it is lost.
    pub(super) const fn begin_record(&mut self) {
        self.missing_since = None;
    }

    /// The arbiter has corrected the record from after `to_ply`.
    pub(super) fn correct_from(&mut self, to_ply: Ply) {
        self.missing_since.take_if(|since| *since > to_ply);
    }

    fn miss_from(&mut self, ply: Ply) {
        let since = self.missing_since.map_or(ply, |since| since.min(ply));
        self.missing_since = Some(since);
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(&mut self, carried: &Carried) {
        self.losses
            .take_up(carried.loss.as_ref(), &carried.earlier_losses);
        self.down.clone_from(&carried.journal_down);
        self.other_record.clone_from(&carried.other_record);
    }
}

impl Game {
    /// The entries from number `from` on are lost up to the first of `behind`, the entries after
    /// the gap. If no game was begun before the lost entries, they began one.
    pub fn bridge(&mut self, from: EntrySeq, mut behind: impl Iterator<Item = Remembered>) {
        self.journal.has_gap = true;
        if self.number == EntrySeq::ZERO {
            self.sequence.enter(from, self.now());
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
                for m in line {
                    self.make(m, Some(SettledBy::Reconstructed), None);
                }
            }
            None => self.journal.has_lost_its_way = true,
        }
        self.journal.miss_from(first);
    }

    /// Why the disk does not take the journal; `None` if it does.
    #[must_use]
    pub const fn journal_down(&self) -> Option<&JournalDown> {
        self.journal.down.as_ref()
    }

    /// The first ply that the journal may have lost, until the arbiter corrects the record.
    #[must_use]
    pub const fn missing_since(&self) -> Option<Ply> {
        self.journal.missing_since
    }

    /// The arbiter learns what the journal has lost.
    pub(super) fn entries_lost(
        &mut self,
        lost: &[LostEntries],
        since: Option<Ply>,
        earlier: Option<EarlierGame>,
    ) -> Vec<Fact> {
        if let Some(of) = earlier {
            let (lost, seen) = (merged(lost.iter().copied()), false);
            self.journal
                .losses
                .add_earlier(EarlierLoss { of, lost, seen });
        } else {
            if let Some(since) = since {
                self.journal.miss_from(since);
            }
            self.journal.losses.add(self.number, lost, since);
        }
        vec![Fact::EntriesLost {
            lost: lost.to_vec(),
            since: since.filter(|_| earlier.is_none()),
            earlier,
        }]
    }

    /// The files that are known to contradict the rest of the record.
    #[must_use]
    pub fn other_record(&self) -> &[OtherRecordFile] {
        &self.journal.other_record
    }

    /// The reported losses of earlier games.
    #[must_use]
    pub fn earlier_losses(&self) -> &[EarlierLoss] {
        self.journal.losses.earlier()
    }

    /// Takes up the position of an entry that cannot follow from the position before a gap.
    /// Returns what that does, or nothing if the entry follows anyway.
    pub(super) fn find_the_way(&mut self, entry: &Remembered) -> Option<Vec<Fact>> {
        if !self.journal.has_lost_its_way || !changed_the_record(entry) {
            return None;
        }
        let Some(landing) = Landing::of(entry) else {
            // A correction or a position that was set up: whatever follows from it.
            return None;
        };
        self.journal.has_lost_its_way = false;
        if landing.ply == self.ply() + 1 && Self::leads(self.position(), &landing) {
            return None;
        }
        let start = parse_position(&landing.fen).ok()?;
        let facts = self.set_up(start, Counters::given_in(&landing.fen));
        self.source.landed(landing.ply);
        self.journal.missing_since = Some(1);
        Some(facts)
    }

    /// The moves that were made between the position on the board and the move at `landing`.
    fn line_to(&self, landing: &Landing) -> Option<Vec<Move>> {
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
        let Ok(m) = landing.uci.to_move(position) else {
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
    line: Vec<Move>,
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
        // The move at the landing is one of the remaining ones.
        let remaining = plies + 1;
        let turn = position.turn();
        if !self.can_reach(position, turn, remaining.div_ceil(2))
            || !self.can_reach(position, turn.other(), remaining / 2)
        {
            return false;
        }
        for m in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(m);
            self.line.push(m);
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
