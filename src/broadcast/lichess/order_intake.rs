//! Takes orders for Lichess: checks them, and keeps them before they are answered.

use std::{fmt, io, sync::Arc};

use remisd_game::{RefusalCode, Role};
use remisd_vocabulary::{
    text::OneLine,
    time::{Clock, rfc3339},
};
use tokio::sync::watch;

use super::{
    Rounds, Settings,
    body::{MOST_GAMES, is_round},
    order_store::{MOST_WAITING, Order, OrderStore, PlacedOrder, Progress, StoredOrders},
};
use crate::{RoundText, http::Published};

/// What a command asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Reset and push our round; the newest one by default.
    Reset {
        /// The number of our round.
        round: Option<u32>,
    },
    /// Make a Lichess round for our round.
    Create {
        /// The number of our round.
        round: u32,
        /// The name of the Lichess round, 3 to 80 characters.
        name: String,
        /// Whether its games are rated for FIDE.
        rated: bool,
        /// Whether another one is made after a lost answer.
        again: bool,
    },
    /// Use a Lichess round that is there for our round.
    Adopt {
        /// The number of our round.
        round: u32,
        /// The id of the Lichess round.
        id: String,
    },
    /// Close our round; the newest one by default.
    Close {
        /// The number of our round.
        round: Option<u32>,
        /// Even if games have no result yet.
        unfinished: bool,
    },
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRefusal {
    /// The reason as a code.
    pub code: RefusalCode,
    /// The reason in words.
    pub message: String,
}

fn refused(code: RefusalCode, message: impl Into<String>) -> OrderRefusal {
    let message = message.into();
    OrderRefusal { code, message }
}

/// Takes orders; a handle.
#[derive(Clone)]
pub struct OrderIntake {
    settings: Arc<Settings>,
    orders: OrderStore,
    texts: watch::Receiver<Published>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for OrderIntake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderIntake")
            .field("orders", &self.orders)
            .finish_non_exhaustive()
    }
}

impl OrderIntake {
    /// An intake for the pusher with the same settings, store and texts.
    #[must_use]
    pub fn new(
        settings: Settings,
        orders: OrderStore,
        texts: watch::Receiver<Published>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            settings: Arc::new(settings),
            orders,
            texts,
            clock,
        }
    }

    /// Takes a request. When this returns, it is kept and will be carried out. The same id of the
    /// same role is taken once.
    ///
    /// # Errors
    ///
    /// It is refused; nothing has changed.
    pub async fn take(
        &self,
        role: Role,
        id: &str,
        by: Option<&str>,
        request: Request,
    ) -> Result<(), OrderRefusal> {
        let no_disk = |error: io::Error| refused(RefusalCode::Unavailable, error.to_string());
        self.orders.load().await.map_err(no_disk)?;
        let stored = self.orders.stored().borrow().clone();
        if stored.find(role, id).is_some() {
            return Ok(());
        }
        if stored.waiting().count() >= MOST_WAITING {
            return Err(refused(RefusalCode::Busy, "too many orders wait"));
        }
        if self.settings.dry_run.is_some() {
            let why = "broadcast.lichess.dry_run is set: nothing is sent to Lichess";
            return Err(refused(RefusalCode::WrongState, why));
        }
        let (order, adopted) = self.order(&stored, request)?;
        let placed = PlacedOrder {
            role,
            id: id.to_owned(),
            by: by.map(str::to_owned),
            at: rfc3339(self.clock.now()),
            progress: if adopted.is_some() {
                Progress::Done
            } else {
                Progress::Waiting
            },
            reason: None,
            made: adopted,
            order,
        };
        let change = |stored: &mut StoredOrders| {
            if let Some(made) = &placed.made {
                let rounds = stored.made.entry(placed.order.round()).or_default();
                rounds.push(made.clone());
            }
            if let Order::LichessReset { round } = placed.order {
                stored.end_closing(round);
            }
            stored.add(placed);
        };
        self.orders.change(change).await.map_err(no_disk)
    }

    /// The order in a request, with the Lichess round that it adopts.
    fn order(
        &self,
        stored: &StoredOrders,
        request: Request,
    ) -> Result<(Order, Option<String>), OrderRefusal> {
        let rounds = Rounds::of(&self.settings, stored);
        let texts = self.texts.borrow().clone();
        let asks_for_games = matches!(request, Request::Reset { .. } | Request::Close { .. });
        if asks_for_games && texts.is_empty() && !rounds.0.is_empty() {
            // At a start the games come later than commands.
            let why = "no games have arrived yet: try again";
            return Err(refused(RefusalCode::Busy, why));
        }
        // The newest round that has games and a round on Lichess.
        let newest = || {
            let newest = RoundText::newest_first(&texts).into_iter();
            let mut numbers = newest.map(|text| text.number);
            let found = numbers.find(|number| !rounds.ids(*number).is_empty());
            found.ok_or_else(|| {
                let why = "no round with games has a round on Lichess";
                refused(RefusalCode::WrongState, why)
            })
        };
        let known = |round: u32| {
            if rounds.ids(round).is_empty() {
                let why = format!("round {round} has no round on Lichess");
                return Err(refused(RefusalCode::NotFound, why));
            }
            texts.get(&round).ok_or_else(|| {
                let why = format!("round {round} has no games that the public has seen");
                refused(RefusalCode::WrongState, why)
            })
        };
        match request {
            Request::Reset { round } => {
                let round = round.map_or_else(newest, Ok)?;
                known(round)?;
                let order = Order::LichessReset { round };
                if stored.waiting().any(|placed| placed.order == order) {
                    let why = format!("round {round} is being sent anew already");
                    return Err(refused(RefusalCode::WrongState, why));
                }
                Ok((order, None))
            }
            Request::Close { round, unfinished } => {
                let round = round.map_or_else(newest, Ok)?;
                let games = known(round)?.games.iter();
                let open = games.filter(|game| game.count > 0 && !game.finished);
                let open: Vec<&str> = open.map(|game| game.board.as_str()).collect();
                if !open.is_empty() && !unfinished {
                    let why = format!(
                        "the public has no result yet of {}; with \"unfinished\":true it is \
                         closed nevertheless",
                        open.join(", ")
                    );
                    return Err(refused(RefusalCode::WrongState, why));
                }
                Ok((Order::LichessClose { round }, None))
            }
            Request::Adopt { round, id } => {
                if !is_round(&id) {
                    let why = "an id of a Lichess round has 8 letters and digits";
                    return Err(refused(RefusalCode::BadValue, why));
                }
                if rounds.has(&id) {
                    let why = format!("{id} is in use already");
                    return Err(refused(RefusalCode::WrongState, why));
                }
                self.has_room(&rounds, round)?;
                // A creation that waits would make a second round for the same boards.
                not_doubted(stored, round, true)?;
                let name = String::new();
                let rated = false;
                Ok((Order::LichessCreate { round, name, rated }, Some(id)))
            }
            Request::Create {
                round,
                name,
                rated,
                again,
            } => {
                let name: String = OneLine::new(&name).into();
                let name = name.trim().to_owned();
                if !(3..=80).contains(&name.chars().count()) {
                    let why = "a name has 3 to 80 characters";
                    return Err(refused(RefusalCode::BadValue, why));
                }
                if self.settings.tournament.is_none() {
                    let why = "broadcast.lichess.tournament is not set";
                    return Err(refused(RefusalCode::WrongState, why));
                }
                self.has_room(&rounds, round)?;
                not_doubted(stored, round, again)?;
                Ok((Order::LichessCreate { round, name, rated }, None))
            }
        }
    }

    /// Whether our round needs another Lichess round.
    fn has_room(&self, rounds: &Rounds, round: u32) -> Result<(), OrderRefusal> {
        let ids = rounds.ids(round);
        if ids.is_empty() || self.settings.boards > ids.len() * MOST_GAMES {
            return Ok(());
        }
        let why = format!("round {round} has {} on Lichess already", ids.join(", "));
        Err(refused(RefusalCode::WrongState, why))
    }
}

/// Whether no earlier creation of this round is under way or may have been done.
fn not_doubted(stored: &StoredOrders, round: u32, again: bool) -> Result<(), OrderRefusal> {
    let creates = |placed: &&PlacedOrder| matches!(&placed.order, Order::LichessCreate { round: of, .. } if *of == round);
    let mut orders = stored.orders.iter().rev().filter(creates);
    match orders.next().map(|placed| placed.progress) {
        Some(Progress::Waiting | Progress::Sent) => {
            let why = format!("round {round} is being created");
            Err(refused(RefusalCode::WrongState, why))
        }
        Some(Progress::Unknown) if !again => {
            let why = format!(
                "Lichess may have created round {round}: its answer was lost. Look at the \
                 tournament's page. Give its id with \"adopt\", or create another one with \
                 \"again\":true"
            );
            Err(refused(RefusalCode::WrongState, why))
        }
        _ => Ok(()),
    }
}
