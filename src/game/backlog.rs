//! What earlier games at a board have left to the arbiter. It is bounded.

use super::{
    Carried, LeftGame, LeftOut, Unconfirmed, Unresolved, UnresolvedGame, UnresolvedKind,
    earlier::LeftGames,
};
use remisd_laws::Score;
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// Unconfirmed ends that are kept.
const UNCONFIRMED: usize = 16;
/// Undecided matters that are kept.
const UNDECIDED: usize = 16;

/// What earlier games at the board have left to the arbiter, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Backlog {
    unconfirmed: Vec<Unconfirmed>,
    undecided: Vec<Unresolved>,
    left_out: LeftOut,
    /// The games themselves.
    earlier: LeftGames,
}

/// Whether something of a game is open.
fn is_open(undecided: &[Unresolved], unconfirmed: &[Unconfirmed]) -> impl Fn(EntrySeq) -> bool {
    |game| {
        undecided.iter().any(|left| left.game == game)
            || unconfirmed.iter().any(|ended| ended.game == game)
    }
}

/// Leaves out the oldest of more than `most`; returns how many that are.
fn leave_out<T>(kept: &mut Vec<T>, most: usize) -> u64 {
    let surplus = kept.len().saturating_sub(most);
    kept.drain(..surplus);
    surplus as u64
}

impl Backlog {
    /// What is undecided.
    pub(super) fn undecided(&self) -> &[Unresolved] {
        &self.undecided
    }

    /// Ends that were never confirmed.
    pub(super) fn unconfirmed(&self) -> &[Unconfirmed] {
        &self.unconfirmed
    }

    /// How many matters are not listed any more.
    pub(super) const fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Keeps an end that was never confirmed.
    pub(super) fn keep_unconfirmed(&mut self, ended: Unconfirmed) {
        self.unconfirmed.push(ended);
        self.bound();
    }

    /// Leaves out the oldest matters if there are too many.
    fn bound(&mut self) {
        let Self {
            unconfirmed,
            undecided,
            left_out,
            ..
        } = self;
        left_out.unconfirmed += leave_out(unconfirmed, UNCONFIRMED);
        // A claim must not fall out behind games that were only left, or that an account differs
        // from.
        while undecided.len() > UNDECIDED {
            let is_minor = |matter: &Unresolved| {
                matches!(matter.what, UnresolvedKind::Game | UnresolvedKind::Accounts)
            };
            undecided.remove(undecided.iter().position(is_minor).unwrap_or(0));
            left_out.undecided += 1;
        }
    }

    /// Once nothing of a kind is left, the arbiter has seen the alert that counts what is left out.
    fn forget_left_out(&mut self) {
        if self.unconfirmed.is_empty() {
            self.left_out.unconfirmed = 0;
        }
        if self.undecided.is_empty() {
            self.left_out.undecided = 0;
        }
    }

    /// Keeps what is undecided. If a position is set up twice in one game, the newer matter takes
    /// the place of the older.
    pub(super) fn keep_undecided(&mut self, newer: &[Unresolved]) {
        self.undecided
            .retain(|old| newer.iter().all(|new| new.subject() != old.subject()));
        self.undecided.extend_from_slice(newer);
        self.bound();
    }

    /// Keeps what a game on a disk that has come late has left, as older than all the rest.
    pub(super) fn keep_before(&mut self, left: &UnresolvedGame) {
        let before = left.unconfirmed.iter().cloned();
        self.unconfirmed.splice(0..0, before);
        self.left_out.unconfirmed += left.left_out.unconfirmed;
        self.left_out.undecided += left.left_out.undecided;
        let newer = std::mem::take(&mut self.undecided);
        self.keep_undecided(&left.undecided);
        self.keep_undecided(&newer);
        let is_open = is_open(&self.undecided, &self.unconfirmed);
        self.earlier.join(&left.earlier, is_open);
    }

    /// Keeps a game of which only what is open is known, so that its result has a place. Its number
    /// for the public is not known.
    pub(super) fn place(&mut self, game: EntrySeq, operator: AudienceSeq) {
        let undecided = self.undecided.iter().filter(|left| left.game == game);
        let undecided = undecided.map(|left| left.ply);
        let unconfirmed = self.unconfirmed.iter().filter(|ended| ended.game == game);
        let unconfirmed = unconfirmed.map(|ended| ended.result.ply);
        if let Some(ply) = undecided.chain(unconfirmed).max() {
            self.earlier.add(LeftGame {
                game,
                operator,
                public: None,
                ply,
                has_begun: true,
                is_named: false,
                result: None,
            });
        }
    }

    /// The arbiter has entered the result of an earlier game.
    pub(super) fn resolve(&mut self, game: EntrySeq, score: Score) {
        self.earlier.record(game, score);
        self.undecided.retain(|left| left.game != game);
        self.unconfirmed.retain(|ended| ended.game != game);
        self.forget_left_out();
    }

    /// Whether something that is open of this game asks for its result.
    pub(super) fn asks_result_of(&self, game: EntrySeq) -> bool {
        let asks =
            |matter: &Unresolved| matter.game == game && matter.what != UnresolvedKind::Accounts;
        self.undecided.iter().any(asks) || self.unconfirmed.iter().any(|ended| ended.game == game)
    }

    pub(super) fn has(&self, game: EntrySeq) -> bool {
        is_open(&self.undecided, &self.unconfirmed)(game)
    }

    /// Keeps a game that is left. What it leaves open is kept already.
    pub(super) fn keep_game(&mut self, left: &LeftGame) {
        let is_open = is_open(&self.undecided, &self.unconfirmed);
        self.earlier.join(std::slice::from_ref(left), is_open);
    }

    /// The games before the one on the board.
    pub(super) const fn earlier(&self) -> &LeftGames {
        &self.earlier
    }

    /// The arbiter has confirmed the end of an earlier game.
    pub(super) fn confirm(&mut self, game: EntrySeq) {
        for left in self.unconfirmed.extract_if(.., |left| left.game == game) {
            self.earlier.confirm(left.game, &left.result);
        }
        self.forget_left_out();
    }

    /// The arbiter has seen what was undecided.
    pub(super) fn acknowledge(&mut self, subject: &str) {
        self.undecided.retain(|left| left.subject() != subject);
        self.forget_left_out();
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(&mut self, carried: &Carried) {
        self.unconfirmed.clone_from(&carried.unconfirmed);
        self.undecided.clone_from(&carried.left_undecided);
        self.left_out = carried.left_out;
        self.earlier.take_up(&carried.earlier);
    }
}
