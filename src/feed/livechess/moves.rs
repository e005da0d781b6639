//! The moves that `LiveChess` itself makes of a board.
//!
//! ```text
//! ours    {"call":"call","id":101,"param":{"id":100,"method":"setup","param":{"fen":"rnbq…"}}}
//! theirs  {"response":"feed","id":100,"param":{"serialnr":"23946","start":"rnbq…","san":["e4"],…},…}
//! ```
//!
//! `LiveChess` lists its moves from the position of the last `setup` on, always the whole list. A
//! list is asked for when the game on the board waits for its first move and the pieces stand on
//! their first squares. Whether other clients of `LiveChess` see that call is not known: it can be
//! switched off. For a pairing of a tournament, `LiveChess` has a game without being asked.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use shakmaty::{Chess, Position as _};

use super::{Client, Feed, Lost, Socket, send, wire::BoardMessage};
use remisd_game::Account;
use remisd_vocabulary::{
    notation::{fen, parse_position, read_move},
    sensor::Placement,
};

/// The most plies that are read. The longest games on record have fewer than 600.
const MOST: usize = 2048;
/// Why there is no list of a game whose first move was made before it was asked for.
const LATE: &str = "LiveChess lists its moves from the next game on";
/// Why there is none that nobody has asked for.
const UNASKED: &str = "LiveChess lists no moves of this board";
/// The longest word that is kept of an unreadable list, in characters.
const WORD: usize = 80;

/// What `LiveChess` itself has of the game at a board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnMoves {
    /// The list that it makes since a `setup`; `None` if it makes none on this connection.
    pub list: Option<Arc<Account>>,
    /// The game that it has for the pairing that is being played.
    pub paired: Option<Arc<Account>>,
    /// Why there is no list.
    pub lost: Option<String>,
}

impl OwnMoves {
    /// What counts: the list, or else the game of the pairing.
    #[must_use]
    pub fn game(&self) -> Option<&Arc<Account>> {
        self.list.as_ref().or(self.paired.as_ref())
    }
}

/// Reads moves that begin from `start`, a FEN, or from the usual starting position. `None` if the
/// position cannot be read. The first word that is no legal move ends them.
pub(super) fn read_moves<'w>(
    start: Option<&str>,
    words: impl IntoIterator<Item = &'w str>,
) -> Option<Account> {
    let start = match start {
        Some(text) => parse_position(text).ok()?,
        None => Chess::default(),
    };
    let mut position = start.clone();
    let (mut moves, mut unreadable) = (Vec::new(), None);
    for word in words.into_iter().take(MOST) {
        let Ok(m) = read_move(word, &position) else {
            unreadable = Some(word.chars().take(WORD).collect());
            break;
        };
        position.play_unchecked(m);
        moves.push(m);
    }
    Some(Account {
        start,
        moves,
        signs: Vec::new(),
        unreadable,
        result: None,
        doubted_since: None,
        tags: BTreeMap::new(),
    })
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

/// The list of moves of one subscription.
#[derive(Debug, Default)]
pub(super) struct MoveList {
    /// The id of the call that has asked for it since the pieces stand on their first squares.
    asked: Option<u64>,
    /// Whether one was ever asked for.
    was_asked: bool,
    /// Whether the pieces stand there, as `LiveChess` sees the board.
    stands: bool,
    start: Option<String>,
    list: Option<Arc<Account>>,
}

impl MoveList {
    /// Takes in the squares as `LiveChess` sees them.
    pub(super) fn see(&mut self, squares: &Placement) {
        self.stands = *squares == Placement::start();
        if !self.stands {
            self.asked = None;
        }
    }

    /// Takes in a message. Returns the list if the message has one.
    pub(super) fn take(&mut self, message: &BoardMessage) -> Option<Arc<Account>> {
        let (start, words) = (message.start(), message.moves());
        let words = match (start, words) {
            (None, None) => return None,
            (Some(_), None) => Vec::new(),
            (_, Some(words)) => words,
        };
        if let Some(start) = start {
            self.start = Some(start.to_owned());
        }
        let list = read_moves(self.start.as_deref(), words)?;
        self.list = Some(Arc::new(list));
        self.list.clone()
    }

    /// Whether to ask for a list, while the game on the board waits for its first move or not.
    pub(super) fn is_needed(&self, waits: bool) -> bool {
        let is_new = self.list.as_ref().is_some_and(|list| {
            list.start == Chess::default() && list.moves.is_empty() && list.unreadable.is_none()
        });
        waits && self.stands && self.asked.is_none() && !(self.was_asked && is_new)
    }

    /// The call that asks for it, with these ids of the call and the subscription.
    pub(super) fn ask(&mut self, id: u64, subscription: u64) -> Value {
        (self.asked, self.was_asked) = (Some(id), true);
        json!({
            "call": "call", "id": id, "param": {
                "id": subscription, "method": "setup", "param": { "fen": fen(&Chess::default()) },
            },
        })
    }
}

impl Client {
    /// Asks for a list of moves wherever one is needed, and says where there is none.
    pub(super) async fn ask_for_lists(&mut self, socket: &mut Socket) -> Result<(), Lost> {
        let waiting = self.waiting.borrow().clone();
        for at in 0..self.feeds.len() {
            let feed = &mut self.feeds[at];
            let Some(subscription) = feed.subscription.as_mut().filter(|known| known.has_squares)
            else {
                continue;
            };
            let waits = waiting.contains(&feed.board.serial);
            let list = &mut subscription.moves;
            if feed.board.asks_for_moves && list.is_needed(waits) {
                let id = self.next_id;
                self.next_id += 1;
                let call = list.ask(id, subscription.id);
                send(socket, &call).await?;
            } else if list.list.is_none() && !waits {
                let reason = if feed.board.asks_for_moves {
                    LATE
                } else {
                    UNASKED
                };
                self.lose_list(at, reason.to_owned());
            }
        }
        Ok(())
    }

    /// Passes on the list of a message, if it has one.
    pub(super) fn take_moves(&mut self, at: usize, message: &BoardMessage) {
        let subscription = self.feeds[at].subscription.as_mut();
        if let Some(list) = subscription.and_then(|known| known.moves.take(message)) {
            self.show_moves(at, |own| {
                (own.list, own.lost) = (Some(list), None);
            });
        }
    }

    /// Takes in an error that answers this call, if it has asked for a list.
    pub(super) fn refuse_list(&mut self, id: u64, message: &str) -> bool {
        let has_asked = |feed: &Feed| {
            let known = feed.subscription.as_ref();
            known.is_some_and(|known| known.moves.asked == Some(id))
        };
        let Some(at) = self.feeds.iter().position(has_asked) else {
            return false;
        };
        self.lose_list(at, format!("LiveChess does not list its moves: {message}"));
        true
    }

    /// Says that there is no list, and why.
    pub(super) fn lose_list(&self, at: usize, reason: String) {
        self.show_moves(at, |own| {
            (own.list, own.lost) = (None, Some(reason));
        });
    }

    fn show_moves(&self, at: usize, change: impl FnOnce(&mut OwnMoves)) {
        self.feeds[at].board.moves.send_if_modified(|own| {
            let before = own.clone();
            change(own);
            *own != before
        });
    }
}
