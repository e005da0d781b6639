//! Which messages are due to a receiver.

use std::collections::{BTreeMap, BTreeSet};

use remisd_game::{Alert, AlertCode, Level};
use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::bucket::Bucket;

/// The most open alerts of a board that are followed. A board lists far fewer.
pub(super) const MOST_OPEN: usize = 128;
/// The most closed alerts of a board whose message waits. The oldest are left out and counted.
const MOST_CLOSED: usize = 4;

/// What has become of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is open.
    Raised,
    /// It was not acknowledged in time.
    Escalated,
    /// Somebody has acknowledged it.
    Acknowledged,
    /// Its cause is gone.
    Closed,
}

impl State {
    /// The word in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Escalated => "escalated",
            Self::Acknowledged => "acknowledged",
            Self::Closed => "closed",
        }
    }

    /// Whether the alert requires action.
    #[must_use]
    pub const fn is_urgent(self) -> bool {
        matches!(self, Self::Raised | Self::Escalated)
    }

    const fn of(alert: &Alert) -> Self {
        match alert {
            Alert {
                acknowledged_by: Some(_),
                ..
            } => Self::Acknowledged,
            Alert {
                escalated: true, ..
            } => Self::Escalated,
            _ => Self::Raised,
        }
    }
}

/// A message about an alert.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The board.
    pub board: BoardId,
    /// The number at the end of the alert's id, if it has one. In a competition it is a count of
    /// this receiver's alerts of the board. The arbiter's numbers would reveal that hidden alerts
    /// exist.
    pub number: Option<u64>,
    /// What has become of it.
    pub state: State,
    /// How many messages were left out before this one.
    pub left_out: u64,
    /// The alert; `None` where its content must not leave.
    pub alert: Option<Alert>,
    id: String,
}

/// Which alerts a receiver gets, and how much of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The least urgent level. A lost board is reported whatever its level.
    pub least: Level,
    /// Whether the content of alerts may leave.
    pub content: bool,
}

impl Scope {
    fn has(self, alert: &Alert) -> bool {
        let urgency = |level| match level {
            Level::Red => 2,
            Level::Amber => 1,
            Level::Grey => 0,
        };
        // Even the moment of an alert about claims would be a hint.
        let may_leave = self.content || !alert.code.reveals_claims();
        let is_urgent =
            alert.code == AlertCode::BoardLost || urgency(alert.level) >= urgency(self.least);
        // A phone cannot report that it is silent.
        may_leave && is_urgent && alert.code != AlertCode::PhoneSilent
    }
}

/// The most messages a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// About one board.
    pub board: u32,
    /// Overall.
    pub all: u32,
}

/// What to do next.
#[derive(Debug)]
pub enum Next {
    /// Send this.
    Send(Box<Notice>),
    /// Look again then: the rate allows nothing before.
    Wait(Instant),
    /// Wait for news.
    Nothing,
}

/// The newest state of every alert, and what the receiver knows of it.
#[derive(Debug)]
pub struct Due {
    scope: Scope,
    rates: Rates,
    boards: BTreeMap<BoardId, BoardAlerts>,
    all: Bucket,
    /// Numbers the changes, so that the oldest is sent first.
    changes: u64,
    left_out: u64,
}

#[derive(Debug)]
struct BoardAlerts {
    bucket: Bucket,
    /// The last number that was given to an alert whose content must not leave.
    last_number: u64,
    alerts: Vec<Followed>,
}

#[derive(Debug)]
struct Followed {
    id: String,
    state: State,
    /// The state in the last message that was taken.
    sent: Option<State>,
    /// The state in the message that is on its way.
    in_flight: Option<State>,
    change: u64,
    /// The number in its messages; `None` before the first one.
    number: Option<u64>,
    /// The receiver has refused the last message about it, and will never take that.
    refused: bool,
    alert: Option<Alert>,
}

/// What is kept over a restart: the alerts that the receiver knows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Known {
    board: BoardId,
    id: String,
    state: State,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alert: Option<Alert>,
}

impl Due {
    /// Nothing is due.
    #[must_use]
    pub const fn new(scope: Scope, rates: Rates) -> Self {
        Self {
            scope,
            rates,
            boards: BTreeMap::new(),
            all: Bucket::new(rates.all),
            changes: 0,
            left_out: 0,
        }
    }

    /// Takes up what an earlier run has sent. What this one has sent is newer.
    pub(super) fn restore(&mut self, known: Vec<Known>) {
        for Known {
            board,
            id,
            state,
            number,
            refused,
            alert,
        } in known
        {
            let content = self.scope.content;
            let board = self.board(&board);
            let number = number.filter(|_| !content);
            board.last_number = board.last_number.max(number.unwrap_or(0));
            if let Some(alert) = board.alerts.iter_mut().find(|alert| alert.id == id) {
                if alert.sent.is_none() {
                    alert.sent = Some(state);
                    alert.refused = refused;
                    alert.number = number.or(alert.number);
                }
                continue;
            }
            board.alerts.push(Followed {
                number,
                id,
                state,
                sent: Some(state),
                in_flight: None,
                change: 0,
                refused,
                alert: alert.filter(|_| content),
            });
        }
    }

    /// The alerts that the receiver knows and that are not closed for it.
    pub(super) fn known(&self) -> Vec<Known> {
        let boards = self.boards.iter();
        let known = boards.flat_map(|(board, followed)| {
            followed.alerts.iter().filter_map(|alert| {
                Some(Known {
                    board: board.clone(),
                    id: alert.id.clone(),
                    state: alert.sent?,
                    number: alert.number,
                    refused: alert.refused,
                    alert: alert.alert.clone(),
                })
            })
        });
        known.collect()
    }

    fn board(&mut self, board: &BoardId) -> &mut BoardAlerts {
        let per_board = self.rates.board;
        self.boards
            .entry(board.clone())
            .or_insert_with(|| BoardAlerts {
                bucket: Bucket::new(per_board),
                last_number: 0,
                alerts: Vec::new(),
            })
    }

    /// Takes all open alerts of a board.
    pub fn take(&mut self, board: &BoardId, open: &[Alert]) {
        let (scope, mut changes) = (self.scope, self.changes);
        let mut left_out = 0;
        let followed = &mut self.board(board).alerts;
        for alert in open.iter().take(MOST_OPEN) {
            let state = State::of(alert);
            let content = || scope.content.then(|| alert.clone());
            if let Some(known) = followed.iter_mut().find(|known| known.id == alert.id) {
                known.alert = content();
                left_out += known.advance(state, &mut changes);
            } else if scope.has(alert) {
                changes += 1;
                followed.push(Followed {
                    number: None,
                    id: alert.id.clone(),
                    state,
                    sent: None,
                    in_flight: None,
                    change: changes,
                    refused: false,
                    alert: content(),
                });
            }
        }
        // Without its record, a board does not know of the alerts from before.
        let is_recorded = !(open.iter()).any(|alert| alert.code == AlertCode::JournalDown);
        for gone in followed.iter_mut().filter(|_| is_recorded) {
            if !open.iter().any(|alert| alert.id == gone.id) {
                left_out += gone.advance(State::Closed, &mut changes);
            }
        }
        let is_closed = |alert: &Followed| alert.state == State::Closed;
        while followed.iter().filter(|alert| is_closed(alert)).count() > MOST_CLOSED {
            let closed = followed.iter().enumerate().filter(|(_, a)| is_closed(a));
            let Some((oldest, _)) = closed.min_by_key(|(_, alert)| alert.change) else {
                break;
            };
            followed.remove(oldest);
            left_out += 1;
        }
        self.changes = changes;
        self.left_out += left_out;
    }

    /// The message that may leave now; it counts as an attempt.
    pub fn next(&mut self, now: Instant) -> Next {
        let waiting = |board: &BoardAlerts| {
            let waiting = board.alerts.iter().filter(|a| a.sent != Some(a.state));
            waiting.map(|a| (!a.state.is_urgent(), a.change)).min()
        };
        let boards = self.boards.iter();
        let waiting: Vec<_> = boards
            .filter_map(|(name, board)| Some((waiting(board)?, board.bucket.ready(now), name)))
            .collect();
        let Some(soonest) = waiting.iter().map(|(_, ready, _)| *ready).min() else {
            return Next::Nothing;
        };
        let soonest = soonest.max(self.all.ready(now));
        if soonest > now {
            return Next::Wait(soonest);
        }
        let ready = waiting.iter().filter(|(_, ready, _)| *ready <= now);
        let Some(((_, change), _, name)) = ready.min_by_key(|(first, ..)| *first) else {
            return Next::Wait(soonest);
        };
        let (change, name) = (*change, (*name).clone());
        let (left_out, content) = (self.left_out, self.scope.content);
        let BoardAlerts {
            bucket,
            last_number,
            alerts,
        } = self.board(&name);
        let Some(alert) =
            (alerts.iter_mut()).find(|a| a.change == change && a.sent != Some(a.state))
        else {
            return Next::Nothing;
        };
        if content {
            alert.number = alert.id.rsplit('-').next().and_then(|n| n.parse().ok());
        } else if alert.number.is_none() {
            *last_number += 1;
            alert.number = Some(*last_number);
        }
        alert.in_flight = Some(alert.state);
        let notice = Notice {
            board: name,
            number: alert.number,
            state: alert.state,
            left_out,
            alert: alert.alert.clone(),
            id: alert.id.clone(),
        };
        bucket.take(now);
        self.all.take(now);
        Next::Send(Box::new(notice))
    }

    /// The boards about which the receiver lacks an urgent message: it has refused that, or nothing
    /// reaches it (`is_down`).
    pub(super) fn lacking(&self, is_down: bool) -> BTreeSet<BoardId> {
        let lacks = |alert: &Followed| {
            let waits = alert.sent != Some(alert.state);
            alert.state.is_urgent() && (alert.refused || (is_down && waits))
        };
        let lacking = self.boards.iter();
        let lacking = lacking.filter(|(_, board)| board.alerts.iter().any(lacks));
        lacking.map(|(board, _)| board.clone()).collect()
    }

    /// The receiver has taken a message.
    pub fn sent(&mut self, notice: &Notice) {
        self.left_out = self.left_out.saturating_sub(notice.left_out);
        self.done(notice, false);
    }

    /// The receiver has not taken a message. A newer state replaces it.
    pub fn failed(&mut self, notice: &Notice) {
        let alerts = &mut self.board(&notice.board).alerts;
        if let Some(alert) = alerts.iter_mut().find(|alert| alert.id == notice.id) {
            alert.in_flight = None;
            let replaced = alert.state != notice.state;
            self.left_out += u64::from(replaced);
        }
    }

    /// The receiver will never take this message: it is left out.
    pub fn refused(&mut self, notice: &Notice) {
        self.left_out += 1;
        self.done(notice, true);
    }

    fn done(&mut self, notice: &Notice, refused: bool) {
        let alerts = &mut self.board(&notice.board).alerts;
        if let Some(alert) = alerts.iter_mut().find(|alert| alert.id == notice.id) {
            (alert.sent, alert.in_flight) = (Some(notice.state), None);
            alert.refused = refused;
        }
        let is_over = |a: &Followed| a.state == State::Closed && a.sent == Some(State::Closed);
        alerts.retain(|alert| !is_over(alert));
    }
}

impl Followed {
    /// Notes a state; returns how many messages it replaces.
    fn advance(&mut self, state: State, changes: &mut u64) -> u64 {
        if self.state == state {
            return 0;
        }
        let replaces = ![self.sent, self.in_flight].contains(&Some(self.state));
        self.state = state;
        if !replaces {
            *changes += 1;
            self.change = *changes;
        }
        u64::from(replaces)
    }
}
