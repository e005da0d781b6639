//! Second accounts of the game: what they say is compared with the record.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::future::select_all;
use shakmaty::Chess;
use tokio::sync::watch;

use super::BoardActor;
use remisd_feed::{Sighting, SourceGame, livechess::Reconstruction};
use remisd_game::{
    Account, AccountKind, AccountReport, AccountStanding, AccountVersion, AccountWatch, Command,
    Input, RefusalCode, Verb, VerbName,
};
use remisd_vocabulary::{seq::EntrySeq, time::Moment};

/// The longest word of an account that is no legal move, in characters.
const WORD: usize = 80;
/// The name of a `LiveChess` as an account.
const LIVE_CHESS: &str = "LiveChess";
/// Why the game of another board or of a `LiveChess` is lost.
const NOT_READ: &str = "the source is no longer read";

/// What another board has of the game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Line {
    /// Nothing is known yet.
    #[default]
    Unread,
    /// The game.
    Game(Arc<Account>),
}

/// Shows the game to boards that are compared with it.
#[derive(Debug)]
pub struct ShownLine {
    line: watch::Sender<Line>,
    /// The entry that was shown last.
    shown: Option<EntrySeq>,
}

impl ShownLine {
    /// Shows the game as `line`.
    #[must_use]
    pub const fn new(line: watch::Sender<Line>) -> Self {
        Self { line, shown: None }
    }
}

/// Shows a `LiveChess` whether the game awaits its first move from the usual starting position.
#[derive(Debug)]
pub struct AwaitsFirstMove {
    /// The board's serial number.
    pub serial: String,
    /// The boards whose game does.
    pub boards: watch::Sender<BTreeSet<String>>,
}

/// What a board is compared with, and what is compared with it.
#[derive(Debug, Default)]
pub struct ComparedBoard {
    /// The second accounts of its game.
    pub accounts: Vec<SecondAccount>,
    /// Shows its game to boards that are compared with it.
    pub shown_line: Option<ShownLine>,
    /// Shows the `LiveChess` that reads the board when a game begins.
    pub awaits_first_move: Option<AwaitsFirstMove>,
}

/// What the record knows of the pairing of its game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct KnownPairing {
    /// The id of the pairing of a `LiveChess` that it has taken.
    taken: Option<String>,
    /// Whether it names both players.
    has_names: bool,
}

/// A second account of a board's game.
#[derive(Debug)]
pub struct SecondAccount {
    origin: Origin,
    watch: AccountWatch,
    /// Nothing writes it any more.
    has_ended: bool,
}

#[derive(Debug)]
enum Origin {
    Feed(watch::Receiver<Sighting>),
    Board(String, watch::Receiver<Line>),
    LiveChess(Reconstructed),
}

/// The game as a `LiveChess` reconstructs it.
#[derive(Debug)]
struct Reconstructed {
    shown: watch::Receiver<Reconstruction>,
    /// Of which pairing the game is that was seen last.
    pairing: Option<String>,
    /// What the record had at the last look.
    known: KnownPairing,
}

impl SecondAccount {
    /// The games that another program writes at `place`.
    #[must_use]
    pub fn of_feed(place: &str, mut sightings: watch::Receiver<Sighting>) -> Self {
        sightings.mark_changed();
        Self {
            watch: AccountWatch::new(AccountKind::Pgn, place),
            origin: Origin::Feed(sightings),
            has_ended: false,
        }
    }

    /// The game at another board.
    #[must_use]
    pub fn of_board(board: String, mut line: watch::Receiver<Line>) -> Self {
        line.mark_changed();
        Self {
            watch: AccountWatch::new(AccountKind::Board, &board),
            origin: Origin::Board(board, line),
            has_ended: false,
        }
    }

    /// The game as the `LiveChess` reconstructs it that reads the board.
    #[must_use]
    pub fn of_live_chess(mut reconstruction: watch::Receiver<Reconstruction>) -> Self {
        reconstruction.mark_changed();
        Self {
            watch: AccountWatch::new(AccountKind::LiveChess, LIVE_CHESS),
            origin: Origin::LiveChess(Reconstructed {
                shown: reconstruction,
                pairing: None,
                known: KnownPairing::default(),
            }),
            has_ended: false,
        }
    }

    /// Waits until it says something new; forever once nothing writes it any more.
    async fn changed(&mut self) {
        if self.has_ended {
            return std::future::pending().await;
        }
        // It is news until it is looked at.
        let changed = match &mut self.origin {
            Origin::Feed(sightings) => {
                let changed = sightings.changed().await;
                changed.map(|()| sightings.mark_changed())
            }
            Origin::Board(_, line) => {
                let changed = line.changed().await;
                changed.map(|()| line.mark_changed())
            }
            Origin::LiveChess(Reconstructed { shown, .. }) => {
                let changed = shown.changed().await;
                changed.map(|()| shown.mark_changed())
            }
        };
        self.has_ended = changed.is_err();
    }

    /// Takes in what it says now.
    fn look(&mut self, known: &KnownPairing) {
        let has_news = match &self.origin {
            Origin::Feed(sightings) => sightings.has_changed(),
            Origin::Board(_, line) => line.has_changed(),
            // What counts of it depends on the record, too.
            Origin::LiveChess(of) if of.known != *known => Ok(true),
            Origin::LiveChess(of) => of.shown.has_changed(),
        };
        if matches!(has_news, Ok(false)) {
            return;
        }
        match &mut self.origin {
            Origin::Feed(sightings) => match sightings.borrow_and_update().clone() {
                Sighting::Unread => {}
                Sighting::Game {
                    source,
                    game,
                    is_settled,
                    ..
                } => {
                    let name = game.program.as_deref().unwrap_or(&source);
                    self.watch.see(name, account_of(&game), is_settled);
                }
                Sighting::Lost(lost) => self.watch.lose(lost.to_string()),
            },
            Origin::Board(board, line) => match line.borrow_and_update().clone() {
                Line::Unread => {}
                Line::Game(account) => self.watch.see(board, account, true),
            },
            Origin::LiveChess(of) => {
                of.known.clone_from(known);
                let shown = of.shown.borrow_and_update().clone();
                let paired = shown.paired_with(known.taken.as_deref(), known.has_names);
                let pairing = paired.map(|paired| paired.pairing.clone());
                if of.pairing != pairing {
                    // The game that was seen last is not of this one.
                    self.watch.forget();
                    of.pairing = pairing;
                }
                let game = paired.map(|paired| &paired.game);
                if let Some(game) = game.or(shown.since_setup.as_ref()) {
                    self.watch.see(LIVE_CHESS, game.clone(), true);
                } else if let Some(reason) = shown.lost {
                    self.watch.lose(reason);
                }
            }
        }
        if self.has_ended && !matches!(self.origin, Origin::Feed(_)) {
            self.watch.lose(NOT_READ.to_owned());
        }
    }
}

/// Waits until one of the accounts says something new; forever if there is none.
pub(super) async fn changed(accounts: &mut [SecondAccount]) {
    if accounts.is_empty() {
        return std::future::pending().await;
    }
    let all = accounts
        .iter_mut()
        .map(|account| Box::pin(account.changed()));
    select_all(all).await;
}

/// A game of a source as a second account. King moves at the end may only show the result.
fn account_of(game: &SourceGame) -> Arc<Account> {
    let plies = u32::try_from(game.plies.len()).unwrap_or(u32::MAX);
    let signs = game.king_moves(plies).len();
    let played = game.plies.len().saturating_sub(signs);
    let word = game.unreadable.as_ref().filter(|_| signs == 0);
    Arc::new(Account {
        start: game.start.clone(),
        moves: game.plies.iter().take(played).map(|ply| ply.m).collect(),
        signs: game.plies.iter().skip(played).map(|ply| ply.m).collect(),
        unreadable: word.map(|word| word.text.chars().take(WORD).collect()),
        result: game.result,
        doubted_since: None,
        tags: game.tags.clone(),
    })
}

impl BoardActor {
    /// Takes in what the accounts say now.
    pub(super) fn look_at_accounts(&mut self) {
        let game = self.record.game();
        let known = KnownPairing {
            taken: game.taken_pairing().map(str::to_owned),
            has_names: game.names_both_players(),
        };
        for account in &mut self.compared.accounts {
            account.look(&known);
        }
    }

    /// Records how the accounts stand to the game, if that has changed.
    pub(super) async fn compare_accounts(&mut self) {
        // Without its disk, the record does not know yet what was played before.
        if self.compared.accounts.is_empty() || self.record.is_offline() {
            return;
        }
        self.look_at_accounts();
        for at in 0..self.compared.accounts.len() {
            let now = self.clock.monotonic();
            let input = self.compared.accounts[at]
                .watch
                .check(self.record.game(), now);
            if let Some(input) = input {
                self.write(input).await;
            }
        }
    }

    /// Records differences that do not count yet, before the game is left.
    pub(super) async fn record_pending_differences(&mut self) {
        self.compare_accounts().await;
        let now = self.clock.monotonic();
        for at in 0..self.compared.accounts.len() {
            let watch = &self.compared.accounts[at].watch;
            if let Some(input) = watch.pending_difference(self.record.game(), now) {
                self.write(input).await;
            }
        }
    }

    /// Forgets that accounts wait or are lost which are not compared any more. A difference stays,
    /// as the arbiter can still choose.
    pub(super) async fn forget_accounts(&mut self) {
        if self.record.is_offline() {
            return;
        }
        let is_compared = |kind| {
            let mut accounts = self.compared.accounts.iter();
            accounts.any(|account| account.watch.account() == kind)
        };
        let stale = self.record.game().accounts().filter(|report| {
            let is_open = matches!(report.standing, AccountStanding::Differs(_));
            let is_unread = report.standing == AccountStanding::Unread && report.lost.is_none();
            !is_compared(report.account) && !is_open && !is_unread
        });
        let stale: Vec<AccountReport> = stale.cloned().collect();
        for report in stale {
            let report = Box::new(AccountReport {
                standing: AccountStanding::Unread,
                lost: None,
                ..report
            });
            self.write(Input::Account { report }).await;
        }
    }

    /// Records all moves of an account that the arbiter wants to take over. Returns the refusal to
    /// record if it does not say any more what the arbiter has seen.
    pub(super) async fn prepare_choice(&mut self, command: &Command) -> Option<Input> {
        let Verb::Choose {
            alert,
            version: AccountVersion::Account,
            ..
        } = &command.verb
        else {
            return None;
        };
        self.look_at_accounts();
        let game = self.record.game();
        let kind = game.account_of_alert(alert)?;
        let mut accounts = self.compared.accounts.iter();
        let account = accounts.find(|account| account.watch.account() == kind)?;
        match account.watch.before_choice(game) {
            Ok(input) => {
                if let Some(input) = input {
                    self.write(input).await;
                }
                None
            }
            Err(changed) => Some(Input::CommandRefused {
                role: command.role,
                verb: VerbName::of(&command.verb),
                id: command.id.clone(),
                code: RefusalCode::Stale,
                message: changed.to_string(),
            }),
        }
    }

    /// Returns when an account must be compared again although nothing new has come.
    pub(super) fn compare_due(&self) -> Option<Moment> {
        if self.record.is_offline() {
            return None;
        }
        let due = self
            .compared
            .accounts
            .iter()
            .filter_map(|account| account.watch.due());
        due.min()
    }

    /// Shows the `LiveChess` that reads the board whether the game awaits its first move.
    pub(super) fn show_awaits_first_move(&self) {
        let Some(shown) = &self.compared.awaits_first_move else {
            return;
        };
        let game = self.record.game();
        let awaits = !self.record.is_offline()
            && game.ply() == 0
            && game.result().is_none()
            && *game.start() == Chess::default();
        shown.boards.send_if_modified(|boards| {
            if awaits {
                boards.insert(shown.serial.clone())
            } else {
                boards.remove(&shown.serial)
            }
        });
    }

    /// Shows the game to the boards that are compared with it, if there is news.
    pub(super) fn show_line(&mut self) {
        let Some(shown) = self.compared.shown_line.as_mut() else {
            return;
        };
        let game = self.record.game();
        // Without its disk, the record does not know yet what was played before.
        if self.record.is_offline() || shown.shown.replace(game.seq()) == Some(game.seq()) {
            return;
        }
        let line = Line::Game(Arc::new(Account::of_record(game)));
        shown.line.send_if_modified(|known| {
            let is_news = *known != line;
            if is_news {
                *known = line;
            }
            is_news
        });
    }
}
