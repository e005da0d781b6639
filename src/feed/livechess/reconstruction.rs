//! The game as `LiveChess` itself reconstructs it from the board.
//!
//! ```text
//! ours    {"call":"call","id":101,"param":{"id":100,"method":"setup","param":{"fen":"rnbq…"}}}
//! theirs  {"response":"feed","id":100,"param":{"serialnr":"23946","start":"rnbq…","san":["e4"],…},…}
//! ```
//!
//! After a `setup`, the messages of a subscription have all moves since that position. `setup` is
//! called when the game on the board awaits its first move and the pieces are in the starting
//! position.
//!
//! Uncertain: whether a `setup` of one client disturbs others, or the game of a tournament. So it is
//! not called for a board of a tournament, and it can be switched off. For the pairing of such a
//! board, `LiveChess` has a game without being asked. Two clients read `start` and `san`; no capture
//! shows them.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use shakmaty::{Chess, Position as _};

use super::{Client, Connection, Feed, Lost, wire::BoardMessage};
use remisd_game::Account;
use remisd_vocabulary::{
    notation::{fen, parse_position, read_move},
    sensor::Placement,
    text::OneLine,
};

/// The most plies that are read. The longest games on record have fewer than 600.
const MAX_PLIES: usize = 2048;
/// The longest word of an unreadable move that is kept, in characters.
const MAX_WORD: usize = 80;
/// Why there are no moves when `setup` was not called for this game.
const NOT_SET_UP: &str = "LiveChess was not asked for the moves of this game: that is done before \
                          the first move, with the pieces in the starting position";
/// Why there are none if it is never called.
const NOT_LISTED: &str = "LiveChess lists no moves of this board";

/// The game at a board as `LiveChess` itself reconstructs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconstruction {
    /// The moves since a `setup` on this connection; `None` if there are none.
    pub since_setup: Option<Arc<Account>>,
    /// The game of the pairing that was read last.
    pub paired: Option<PairedGame>,
    /// Why there are no moves since a `setup`.
    pub lost: Option<String>,
}

/// The game that `LiveChess` has for a pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedGame {
    /// The id of the pairing.
    pub pairing: String,
    /// Its moves, as far as the last two readings have them in common, and its players.
    pub game: Arc<Account>,
}

impl Reconstruction {
    /// The game of the pairing, if the record has taken this pairing or names its players. In the
    /// second case the players' names show whether it is the same game.
    #[must_use]
    pub fn paired_with(&self, pairing: Option<&str>, has_names: bool) -> Option<&PairedGame> {
        let paired = self.paired.as_ref();
        paired.filter(|paired| has_names || pairing == Some(&paired.pairing))
    }
}

/// Reads moves that begin from `start`. The first word that is no legal move ends them, and so does
/// an empty one.
pub(super) fn read_moves<'w>(start: Chess, words: impl IntoIterator<Item = &'w str>) -> Account {
    let mut position = start.clone();
    let (mut moves, mut unreadable) = (Vec::new(), None);
    for word in words.into_iter().take(MAX_PLIES) {
        let Ok(m) = read_move(word, &position) else {
            let word = OneLine::bounded(word, MAX_WORD).as_str().to_owned();
            unreadable = Some(word).filter(|word| !word.is_empty());
            break;
        };
        position.play_unchecked(m);
        moves.push(m);
    }
    Account {
        start,
        moves,
        signs: Vec::new(),
        unreadable,
        result: None,
        doubted_since: None,
        tags: BTreeMap::new(),
    }
}

/// What two readings of a game in a row have in common: the newest move may be taken back.
pub(super) fn common(before: &Account, now: &Account) -> Account {
    let both = before.moves.iter().zip(&now.moves);
    let plies = both.take_while(|(before, now)| before == now).count();
    let is_whole = plies == now.moves.len() && before.unreadable == now.unreadable;
    Account {
        moves: now.moves[..plies].to_vec(),
        unreadable: now.unreadable.clone().filter(|_| is_whole),
        ..now.clone()
    }
}

/// The moves that a subscription brings.
#[derive(Debug, Default)]
pub(super) struct ListedMoves {
    /// The id of the `setup` call since the pieces are in the starting position.
    setup_call: Option<u64>,
    /// Whether `setup` was ever called.
    was_set_up: bool,
    /// Whether the pieces are in the starting position, as `LiveChess` sees the board.
    on_start_array: bool,
    /// Where the moves begin; `None` if that is not known.
    start: Option<Chess>,
    moves: Option<Arc<Account>>,
}

impl ListedMoves {
    /// Takes in the squares as `LiveChess` sees them.
    pub(super) fn on_squares(&mut self, squares: &Placement) {
        self.on_start_array = *squares == Placement::start();
        if !self.on_start_array {
            self.setup_call = None;
        }
    }

    /// Takes in a message. Returns the moves if the message has some.
    fn on_message(&mut self, message: &BoardMessage) -> Option<Arc<Account>> {
        let words = match (message.start(), message.moves()) {
            (None, None) => return None,
            (Some(start), words) => {
                self.start = read_start(start);
                words.unwrap_or_default()
            }
            (None, Some(words)) => words,
        };
        let start = self.start.clone()?;
        self.moves = Some(Arc::new(read_moves(start, words)));
        self.moves.clone()
    }

    /// Whether to call `setup`, for a game that awaits its first move.
    fn needs_setup(&self) -> bool {
        let moves = self.moves.as_deref();
        let is_at_start = moves.is_none_or(|moves| moves.start == Chess::default());
        let is_new =
            moves.is_some_and(|moves| moves.moves.is_empty() && moves.unreadable.is_none());
        let is_ready = self.was_set_up && is_at_start && is_new;
        // Moves from another position belong to another client.
        let is_of_other = !self.was_set_up && !is_at_start;
        self.on_start_array && self.setup_call.is_none() && !is_ready && !is_of_other
    }

    /// The call of `setup`, with these ids of the call and the subscription.
    fn setup(&mut self, id: u64, subscription: u64) -> Value {
        (self.setup_call, self.was_set_up) = (Some(id), true);
        self.start = Some(Chess::default());
        json!({
            "call": "call", "id": id, "param": {
                "id": subscription, "method": "setup", "param": { "fen": fen(&Chess::default()) },
            },
        })
    }
}

/// Reads where moves begin. A placement alone may be the usual starting position.
fn read_start(text: &str) -> Option<Chess> {
    let usual = fen(&Chess::default());
    let is_usual = usual.split(' ').next() == Some(text.trim());
    if is_usual {
        return Some(Chess::default());
    }
    parse_position(text).ok()
}

impl Client {
    /// Calls `setup` wherever it is needed, and reports boards without moves.
    pub(super) async fn call_setups(&mut self, connection: &mut Connection) -> Result<(), Lost> {
        let awaiting = self.awaiting_first_move.borrow().clone();
        // Until the tournaments were read, the board may be in one.
        let Some(in_tournaments) = self.in_tournaments.borrow().clone() else {
            return Ok(());
        };
        for at in 0..self.feeds.len() {
            let feed = &mut self.feeds[at];
            let serial = &feed.board.serial;
            let known = feed.subscription.as_mut();
            let Some(subscription) = known.filter(|known| known.has_squares) else {
                continue;
            };
            let may_call = feed.board.calls_setup && !in_tournaments.contains(serial);
            let awaits = awaiting.contains(serial);
            if may_call && awaits && subscription.moves.needs_setup() {
                let id = self.next_id;
                self.next_id += 1;
                let call = subscription.moves.setup(id, subscription.id);
                connection.call(&call).await?;
            } else if subscription.moves.moves.is_none() && !awaits {
                let reason = if may_call { NOT_SET_UP } else { NOT_LISTED };
                self.show(at, |shown| {
                    shown.lost.get_or_insert_with(|| reason.to_owned());
                });
            }
        }
        Ok(())
    }

    /// Shows the moves of a message, if it has some.
    pub(super) fn take_moves(&mut self, at: usize, message: &BoardMessage) {
        let known = self.feeds[at].subscription.as_mut();
        if let Some(moves) = known.and_then(|known| known.moves.on_message(message)) {
            self.show(at, |shown| {
                (shown.since_setup, shown.lost) = (Some(moves), None);
            });
        }
    }

    /// Takes in an error. Returns whether it refuses a `setup`.
    pub(super) fn refuse_setup(&mut self, id: u64, message: &str) -> bool {
        let has_called = |feed: &Feed| {
            let known = feed.subscription.as_ref();
            known.is_some_and(|known| known.moves.setup_call == Some(id))
        };
        let Some(at) = self.feeds.iter().position(has_called) else {
            return false;
        };
        self.drop_moves(at, format!("LiveChess does not list its moves: {message}"));
        true
    }

    /// Shows that there are no moves since a `setup`, and why.
    pub(super) fn drop_moves(&self, at: usize, reason: String) {
        self.show(at, |shown| {
            (shown.since_setup, shown.lost) = (None, Some(reason));
        });
    }

    /// Forgets why there were no moves: the board is read again.
    pub(super) fn forget_loss(&self, at: usize) {
        self.show(at, |shown| shown.lost = None);
    }

    fn show(&self, at: usize, change: impl FnOnce(&mut Reconstruction)) {
        self.feeds[at]
            .board
            .reconstruction
            .send_if_modified(|shown| {
                let before = shown.clone();
                change(shown);
                *shown != before
            });
    }
}
