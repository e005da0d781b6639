//! When a difference between the record and a second account counts, and when it is closed. Time is
//! passed in.

use std::sync::Arc;

use super::{
    Account, AccountDifference, AccountKind, AccountReport, AccountStanding, Comparison, OtherGame,
    compare,
    compare::{agrees_at, common},
    texts::{RESTLESS, Texts},
};
use crate::{Game, Input};
use remisd_vocabulary::{
    seq::EntrySeq,
    time::{Moment, Span},
};

/// How long both must stand to each other in the same way before it counts, and how long an account
/// must be lost.
const LASTING: Span = Span::from_millis(5_000);
/// Moves of a difference that people see. The others may change with the account.
const SHOWN: usize = 16;
/// An account that keeps a game with fewer plies than this is compared with the next one.
const SHORT: usize = 4;
/// An account with so many plies fewer than the record is lost. A file may be written late, and games
/// of a `LiveChess` are read every ten seconds.
const MAX_LAG_BOARD: usize = 8;
const MAX_LAG_LIVECHESS: usize = 16;
const MAX_LAG_FILE: usize = 40;
/// How soon a difference counts when the game is left.
const SOON: Span = Span::from_millis(2_000);
/// How long a `LiveChess` must be lost: its games are shown after the second reading.
const LIVECHESS_LOST: Span = Span::from_millis(30_000);
/// The longest name of an account, in characters.
const LONGEST_NAME: usize = 128;

/// Compares a second account with the record over time, and returns what to enter.
///
/// Only what the account surely says is compared. The standing goes from one state to another as
/// follows. Each change must last five seconds.
///
/// ```text
/// unread ──▶ agrees ◀──▶ waits ──▶ differs
///              ▲ ▲                   │ both have the same at that very ply,
///              │ └───────────────────┘ or the arbiter chooses
///              ▼
///         other game
/// ```
///
/// A difference stays open whatever else the account says: if it has fewer moves, is lost, or names
/// other players. When the record leaves the game, the difference stays in view with it.
#[derive(Debug)]
pub struct AccountWatch {
    account: AccountKind,
    name: String,
    texts: Texts,
    /// Why the account cannot be read now.
    lost: Option<String>,
    /// Since when this differs from what is recorded.
    lost_since: Option<Moment>,
    /// The record's game.
    game: Option<EntrySeq>,
    /// How many plies of this game both have had in common, at most.
    shared: usize,
    /// What the account had when it was compared last, if both had plies in common.
    compared: Option<Arc<Account>>,
    /// The same, of the game before this one.
    earlier: Option<Arc<Account>>,
    pending: Option<Pending>,
    /// Since when the standing was another one than the recorded one, if with interruptions.
    restless_since: Option<Moment>,
    /// Since when it was the recorded one.
    calm_since: Option<Moment>,
    /// What was checked last.
    checked: Option<(EntrySeq, Option<Arc<Account>>, Option<String>)>,
}

/// A standing that is not entered yet.
#[derive(Debug)]
struct Pending {
    standing: AccountStanding,
    since: Moment,
}

/// The account does not say any more what the arbiter wants to take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the account has changed or is being written: look again")]
pub struct Changed;

impl AccountWatch {
    /// Watches an account of which nothing is known yet. It has this name until it names itself.
    #[must_use]
    pub fn new(account: AccountKind, name: &str) -> Self {
        Self {
            account,
            name: cut(name),
            texts: Texts::default(),
            lost: None,
            lost_since: None,
            game: None,
            shared: 0,
            compared: None,
            earlier: None,
            pending: None,
            restless_since: None,
            calm_since: None,
            checked: None,
        }
    }

    /// What the account comes from.
    #[must_use]
    pub const fn account(&self) -> AccountKind {
        self.account
    }

    /// Takes in what the account says. `is_settled` means that it has said so for long enough, or
    /// that it is never half written.
    pub fn see(&mut self, name: &str, account: Arc<Account>, is_settled: bool) {
        self.name = cut(name);
        self.lost = None;
        self.texts.see(account, is_settled);
    }

    /// Forgets what the account said: it was of another game.
    pub fn forget(&mut self) {
        self.texts = Texts::default();
        self.pending = None;
    }

    /// The account cannot be read.
    pub fn lose(&mut self, reason: String) {
        self.lost = Some(reason);
    }

    /// Compares with the record, and returns what to enter.
    pub fn check(&mut self, record: &Game, now: Moment) -> Option<Input> {
        self.texts.wait(now);
        let account = self.texts.account().cloned();
        let checking = (record.seq(), account, self.lost.clone());
        if self.checked.as_ref() == Some(&checking) && self.due().is_none_or(|due| now < due) {
            return None;
        }
        self.checked = Some(checking);
        self.note_game(record);
        let known = record.account(self.account);
        let standing = self.texts.account().cloned().map_or_else(
            || known.map_or(AccountStanding::Unread, |known| known.standing.clone()),
            |account| self.standing(record, &account),
        );
        let Some(known) = known else {
            // Only a difference must last.
            let first = match standing {
                AccountStanding::Differs(_) => AccountStanding::Unread,
                first => first,
            };
            return Some(self.enter(first, None));
        };
        let lost = self.lost_now(self.lost_or_behind(record, &standing), known, now);
        if self.is_shown_alike(&known.standing, &standing) {
            self.pending = None;
            self.calm_since.get_or_insert(now);
        } else {
            let is_first = known.standing == AccountStanding::Unread
                && !matches!(standing, AccountStanding::Differs(_));
            if is_first || self.has_lasted(&standing, now) {
                return Some(self.enter(standing, lost));
            }
        }
        (lost != known.lost).then(|| self.input(known.standing.clone(), lost))
    }

    /// When to check again although nothing new has come.
    #[must_use]
    pub fn due(&self) -> Option<Moment> {
        let lost = self.lost_since.map(|since| since + self.lost_lasting());
        let pending = self.pending.as_ref();
        let lasting = pending.map(|pending| pending.since + LASTING);
        let is_difference =
            pending.is_some_and(|pending| matches!(pending.standing, AccountStanding::Differs(_)));
        let restless = self.restless_since.filter(|_| is_difference);
        let restless = restless.map(|since| since + RESTLESS);
        let all = [lost, lasting, restless, self.texts.due()];
        all.into_iter().flatten().min()
    }

    /// What to enter before the record leaves its game: a difference that does not count yet. It must
    /// have stood for two seconds.
    #[must_use]
    pub fn pending_difference(&self, record: &Game, now: Moment) -> Option<Input> {
        let pending = self.pending.as_ref()?;
        let known = record.account(self.account)?;
        let counts =
            matches!(pending.standing, AccountStanding::Differs(_)) && now >= pending.since + SOON;
        counts.then(|| self.input(pending.standing.clone(), known.lost.clone()))
    }

    /// What to enter before the arbiter takes the account's version: all moves that it has now.
    ///
    /// # Errors
    ///
    /// [`Changed`] if it does not surely begin with the moves any more that the arbiter has seen.
    pub fn before_choice(&self, record: &Game) -> Result<Option<Input>, Changed> {
        let Some(known) = record.open_difference(self.account) else {
            return Ok(None);
        };
        let Some(newest) = self.texts.account() else {
            // Nothing was read since the daemon started: what it said before is all that there is.
            return Ok(None);
        };
        // What a lost account said last is all that there is, too.
        let newest = self.lost.as_ref().map(|_| newest);
        let account = self.texts.settled().or(newest).ok_or(Changed)?;
        let now = match compare(record, account, record.kept_against(self.account)) {
            Comparison::Differs(now) if account.is_certain() => now,
            _ => return Err(Changed),
        };
        let seen = &known.moves[..known.moves.len().min(SHOWN)];
        let is_same = (now.from, &now.word, now.result) == (known.from, &known.word, known.result)
            && now.moves.starts_with(seen)
            && now.moves.is_empty() == seen.is_empty();
        if !is_same {
            return Err(Changed);
        }
        let lost = record
            .account(self.account)
            .and_then(|known| known.lost.clone());
        let is_news = now != *known;
        Ok(is_news.then(|| self.input(AccountStanding::Differs(now), lost)))
    }

    /// Whether a standing counts: it has been the same for some seconds, or it is a difference that
    /// comes and goes.
    fn has_lasted(&mut self, standing: &AccountStanding, now: Moment) -> bool {
        if (self.calm_since.take()).is_some_and(|calm| now >= calm + LASTING) {
            self.restless_since = None;
        }
        let restless_since = *self.restless_since.get_or_insert(now);
        let account = self.account;
        match &mut self.pending {
            Some(pending) if is_alike(account, &pending.standing, standing) => {
                pending.standing.clone_from(standing);
            }
            pending => {
                *pending = Some(Pending {
                    standing: standing.clone(),
                    since: now,
                });
            }
        }
        let differs = matches!(standing, AccountStanding::Differs(_));
        let lasts = (self.pending.as_ref()).is_some_and(|pending| now >= pending.since + LASTING);
        lasts || (differs && now >= restless_since + RESTLESS)
    }

    /// Why the account cannot be read, or that it is too far behind: it would agree for ever.
    fn lost_or_behind(&self, record: &Game, standing: &AccountStanding) -> Option<String> {
        let bound = match self.account {
            AccountKind::Pgn => MAX_LAG_FILE,
            AccountKind::Board => MAX_LAG_BOARD,
            AccountKind::LiveChess => MAX_LAG_LIVECHESS,
        };
        let account = self.texts.account();
        let plies = account.map(|account| account.all_moves().count());
        let is_behind = *standing == AccountStanding::Agrees
            && plies.is_some_and(|plies| plies + bound <= record.moves().len());
        let behind = || is_behind.then(|| format!("{bound} or more plies behind"));
        self.lost.clone().or_else(behind)
    }

    /// How long the account must be lost before that counts.
    const fn lost_lasting(&self) -> Span {
        match self.account {
            AccountKind::LiveChess => LIVECHESS_LOST,
            AccountKind::Pgn | AccountKind::Board => LASTING,
        }
    }

    /// Why the account is lost, as far as that has lasted.
    fn lost_now(
        &mut self,
        lost: Option<String>,
        known: &AccountReport,
        now: Moment,
    ) -> Option<String> {
        if lost == known.lost {
            self.lost_since = None;
            return lost;
        }
        let since = *self.lost_since.get_or_insert(now);
        if now >= since + self.lost_lasting() {
            lost
        } else {
            known.lost.clone()
        }
    }

    fn enter(&mut self, standing: AccountStanding, lost: Option<String>) -> Input {
        self.pending = None;
        self.restless_since = None;
        self.input(standing, lost)
    }

    fn input(&self, standing: AccountStanding, lost: Option<String>) -> Input {
        Input::Account {
            report: Box::new(AccountReport {
                account: self.account,
                name: self.name.clone(),
                standing,
                lost,
            }),
        }
    }

    /// Notes whether the record has begun another game. The account may still have the one before.
    fn note_game(&mut self, record: &Game) {
        let game = record.number();
        if self.game.replace(game).is_some_and(|before| before != game) {
            // A game without moves has nothing that could be taken for another game's.
            if let Some(left) = self.compared.take() {
                self.earlier = Some(left);
            }
            self.shared = 0;
            self.pending = None;
        }
        let account = self.texts.account();
        let common = account.map_or(0, |account| common(record, account));
        self.compared = account.filter(|_| common > 0).cloned();
        self.shared = self.shared.max(common);
    }

    /// How the account stands to the record. An open difference stays until both have the same there.
    fn standing(&self, record: &Game, account: &Account) -> AccountStanding {
        let doubted = [record.contradicted_since(), account.doubted_since];
        let doubted = doubted.into_iter().flatten().min();
        let in_doubt = |ply| doubted.filter(|since| *since <= ply);
        let comparison = compare(record, account, record.kept_against(self.account));
        let difference = match &comparison {
            Comparison::Differs(difference) => Some(difference),
            _ => None,
        };
        let inferred = self.inferred(record, account, difference);
        let found = match (comparison, inferred) {
            (Comparison::OtherGame(why), _) | (_, Some(why)) => AccountStanding::OtherGame { why },
            (Comparison::Agrees, None) => AccountStanding::Agrees,
            (Comparison::Differs(found), None) => match in_doubt(found.from) {
                Some(since) => AccountStanding::Waits { since },
                None => AccountStanding::Differs(found),
            },
        };
        let Some(open) = record.open_difference(self.account) else {
            return found;
        };
        let is_newer = matches!(&found, AccountStanding::Differs(newer) if newer.from <= open.from);
        let is_closed = is_newer || agrees_at(record, account, open);
        if is_closed && in_doubt(open.from).is_none() {
            found
        } else {
            AccountStanding::Differs(open.clone())
        }
    }

    /// Whether an account whose tags do not show another game has the moves of one. Whatever else it
    /// has is compared: a false alert is better than a difference that nobody sees.
    fn inferred(
        &self,
        record: &Game,
        account: &Account,
        difference: Option<&AccountDifference>,
    ) -> Option<OtherGame> {
        if let Some(earlier) = &self.earlier {
            // The last king moves may have become signs of the result meanwhile.
            let (old, ours) = (earlier.all_moves().count(), common(record, account));
            let has_old = account.all_moves().take(old).eq(earlier.all_moves());
            if old >= SHORT && has_old && ours < old {
                return Some(OtherGame::Earlier);
            }
        }
        let from = difference?.from as usize;
        let is_over = record.result().is_some() && account.result.is_none();
        let has_restarted = account.moves.len() * 2 < record.moves().len();
        let known = record.account(self.account).map(|known| &known.standing);
        let is_known = matches!(
            known,
            Some(AccountStanding::OtherGame {
                why: OtherGame::Next
            })
        );
        let had_that_ply = self.shared >= from || is_known;
        (is_over && has_restarted && had_that_ply).then_some(OtherGame::Next)
    }

    /// Whether two standings show the same to a person.
    fn is_shown_alike(&self, one: &AccountStanding, other: &AccountStanding) -> bool {
        match (one, other) {
            (AccountStanding::Differs(one), AccountStanding::Differs(other)) => {
                let shown = |difference: &AccountDifference| {
                    let moves = difference.moves.iter().take(SHOWN).cloned();
                    moves.collect::<Vec<_>>()
                };
                one.subject(self.account) == other.subject(self.account)
                    && one.word == other.word
                    && shown(one) == shown(other)
            }
            (one, other) => one == other,
        }
    }
}

/// Whether two standings are the same, however far a difference has grown.
fn is_alike(account: AccountKind, one: &AccountStanding, other: &AccountStanding) -> bool {
    match (one, other) {
        (AccountStanding::Differs(one), AccountStanding::Differs(other)) => {
            one.subject(account) == other.subject(account)
        }
        (one, other) => one == other,
    }
}

fn cut(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}
