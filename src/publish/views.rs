//! Who sees what: the retained topics of a board, one view for each audience.
//!
//! Each audience has its own serialiser, so that what it must not know is never put
//! into its payload, rather than taken out again. In the profile `competition` nothing
//! that reaches `player` or `hall` holds eligibility, counters or hints (FIDE 11.3.1,
//! 12.6): no draw state, no ply, no halfmove clock, no move number.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;

use crate::{
    board::event::{Device, LinkCounters},
    config::{Audience as Settings, Opened, Profile},
    game::{Confirm, Fact, Game, Input, Tracking, Verb},
    notation::{color, fen},
    publish::{
        payload::{
            self, AlertText, Alerts, AutomaticIn, Availability, AvailabilityState, Clock,
            Confidence, Content, Draw, DrawNow, GameMove, GameResult, Link, Tracker, TrackerState,
        },
        text,
        topic::{Audience, Leaf},
    },
    time::rfc3339,
};

/// What is known of a board beside the game.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// What the board said of itself.
    pub device: Device,
    /// How clean the line is.
    pub counters: LinkCounters,
    /// When the counters were told.
    pub last_frame: Option<jiff::Timestamp>,
}

/// The content of one retained topic: a schema and a JSON object, without the envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The schema's name.
    pub schema: &'static str,
    /// The content as a JSON object.
    pub content: serde_json::Value,
}

impl View {
    fn of<T: Content>(content: &T) -> Option<Self> {
        Self::named(T::SCHEMA, content)
    }

    /// Every payload type is a struct of plain fields, which always has a JSON form;
    /// should one ever not have, its topic is left empty rather than wrong.
    fn named(schema: &'static str, content: &impl serde::Serialize) -> Option<Self> {
        let content = serde_json::to_value(content).ok()?;
        Some(Self { schema, content })
    }
}

/// Decides what each audience sees.
#[derive(Debug, Clone)]
pub struct Views {
    settings: Settings,
}

impl Views {
    /// Views under the configured profile.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Whether an audience may know counters, eligibility and hints.
    #[must_use]
    pub fn is_open(&self, audience: Audience) -> bool {
        let opened = match audience {
            Audience::Arbiter => return true,
            Audience::Operator if self.settings.operator_draw => return true,
            Audience::Operator => Opened::Operator,
            Audience::Public => Opened::Public,
            Audience::Hall => Opened::Hall,
            Audience::Player => Opened::Player,
        };
        match self.settings.profile {
            Profile::Competition => false,
            Profile::Club => self.settings.open.contains(&opened),
            Profile::Casual => true,
        }
    }

    /// Whether an audience has this leaf at all: the table of the interface, and the
    /// draw state for whomever the profile opens it to.
    #[must_use]
    pub fn has(&self, audience: Audience, leaf: Leaf) -> bool {
        use Audience::{Arbiter, Hall, Operator, Player, Public};
        match leaf {
            Leaf::Game => audience != Player,
            Leaf::Draw => matches!(audience, Arbiter | Operator | Public) || self.is_open(audience),
            Leaf::Clock => !matches!(audience, Public | Hall),
            Leaf::Result | Leaf::Availability => true,
            Leaf::Alerts | Leaf::Link => matches!(audience, Arbiter | Operator),
        }
    }

    /// The content of a leaf for an audience now; `None` when there is none.
    #[must_use]
    pub fn view(&self, audience: Audience, leaf: Leaf, game: &Game, line: &Line) -> Option<View> {
        use Audience::{Arbiter, Operator};
        if !self.has(audience, leaf) {
            return None;
        }
        match (leaf, audience) {
            (Leaf::Game, _) => View::of(&self.game(audience, game)),
            // For the public of a competition see `passed_draw`.
            (Leaf::Draw, _) if self.is_open(audience) => draw(game),
            (Leaf::Clock, _) => game.clock().and_then(|state| View::of(&Clock { state })),
            (Leaf::Result, _) => self.result(audience, game).as_ref().and_then(View::of),
            (Leaf::Alerts, Arbiter) => View::of(&alerts(game, |_| true)),
            // Operators look after the equipment; claims are the arbiter's alone.
            (Leaf::Alerts, Operator) => {
                let open = self.is_open(Operator);
                View::of(&alerts(game, |code| open || !tells_draws(code)))
            }
            (Leaf::Link, _) => View::of(&link(game, line)),
            (Leaf::Availability, _) => View::of(&availability(audience, game)),
            _ => None,
        }
    }

    /// The draw state of a position for the public of a competition: to be shown only
    /// after its turn has passed, when no claim can rest on it any more.
    #[must_use]
    pub fn passed_draw(game: &Game) -> Option<View> {
        draw(game)
    }

    fn game(&self, audience: Audience, game: &Game) -> payload::Game {
        let counters = audience == Audience::Operator
            || audience == Audience::Public
            || self.is_open(audience);
        let position = |position| {
            let full = fen(position);
            if counters {
                full
            } else {
                without_counters(&full)
            }
        };
        let white_begins = game.start();
        let first = shakmaty::Position::turn(white_begins);
        let moves = game.moves().iter().enumerate().map(|(i, played)| {
            let mover = if i % 2 == 0 { first } else { first.other() };
            GameMove {
                uci: played.text.uci.clone(),
                san: played.text.san.clone(),
                clock_ms: played
                    .clock
                    .map(|clock| mover.fold_wb(clock.white_ms, clock.black_ms)),
            }
        });
        payload::Game {
            game: game.number(),
            headers: game.headers().clone(),
            laws: Cow::Borrowed(game.edition().id),
            rate: game.rate(),
            start_fen: position(game.start()),
            fen: position(game.position()),
            ply: counters.then(|| game.ply()),
            turn: Cow::Borrowed(color(game.turn())),
            moves: moves.collect(),
            clocks: game.clock(),
            tracker: tracker(game, counters),
            result: self.result(audience, game),
        }
    }

    /// The result as far as the audience may know it: the arbiter and the operator at
    /// once, the others when it is confirmed.
    fn result(&self, audience: Audience, game: &Game) -> Option<GameResult> {
        let result = game.result()?;
        let insider = matches!(audience, Audience::Arbiter | Audience::Operator);
        if !result.confirmed && !insider {
            return None;
        }
        let counters = insider || audience == Audience::Public || self.is_open(audience);
        Some(GameResult {
            score: result.score,
            reason: result.reason,
            article: result.article.clone(),
            ply: counters.then_some(result.ply),
            confirmed: result.confirmed,
        })
    }
}

/// The first four fields: no halfmove clock, no move number.
fn without_counters(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

fn draw(game: &Game) -> Option<View> {
    let last = game.moves().last().map(|played| played.text.clone());
    let mut draw = Draw::new(
        game.number(),
        game.ply(),
        game.position(),
        last,
        game.draw(),
        game.edition(),
    );
    let ended = game.ended();
    draw.automatic = ended
        .filter(|(ply, _)| *ply == game.ply())
        .map(|(_, end)| end.into());
    draw.after_end = ended.is_some_and(|(ply, _)| ply < game.ply());
    draw.dead = game.dead();
    let now = DrawNow {
        automatic_in: AutomaticIn {
            plies: game.plies_to_seventy_five(),
            occurrences: game.occurrences_to_fivefold(),
        },
        draw,
    };
    View::named(Draw::SCHEMA, &now)
}

fn tracker(game: &Game, counters: bool) -> Tracker {
    let blind = !matches!(game.link(), Some(Ok(())));
    let plain = |state| Tracker {
        state,
        reason: None,
        squares: Vec::new(),
        since_ply: None,
    };
    match game.tracking() {
        Tracking::Resting => plain(TrackerState::Resting),
        Tracking::Mismatch {
            reason,
            squares,
            since_ply,
        } => Tracker {
            state: TrackerState::Mismatch,
            reason: Some(reason),
            squares,
            since_ply: counters.then_some(since_ply),
        },
        Tracking::Following if blind => plain(TrackerState::Blind),
        Tracking::Following => plain(TrackerState::Following),
    }
}

fn alerts(game: &Game, include: impl Fn(crate::game::AlertCode) -> bool) -> Alerts {
    let open = game.alerts().open().iter().filter(|a| include(a.code));
    let alerts = open.map(|alert| AlertText {
        id: alert.id.clone(),
        level: alert.level,
        code: alert.code,
        arguments: alert.arguments.clone(),
        article: alert.article.clone(),
        text: BTreeMap::from([(Cow::Borrowed("en"), text::english(alert))]),
        since: rfc3339(alert.since),
        acknowledged_by: alert.acknowledged_by.clone(),
    });
    Alerts {
        alerts: alerts.collect(),
    }
}

/// Whether an alert tells that a draw could be claimed.
const fn tells_draws(code: crate::game::AlertCode) -> bool {
    use crate::game::AlertCode::{FiftyMoveClaimable, ThreefoldClaimable};
    matches!(code, ThreefoldClaimable | FiftyMoveClaimable)
}

/// An event without what tells that a draw could be claimed, for operators who must not
/// know. What cannot be understood is left out.
#[must_use]
pub fn event_without_claims(payload: &Bytes) -> Bytes {
    let tells = |text: &str| {
        use crate::game::AlertCode::{FiftyMoveClaimable, ThreefoldClaimable};
        [ThreefoldClaimable, FiftyMoveClaimable]
            .iter()
            .any(|code| text.contains(code.as_str()))
    };
    let is_clean = std::str::from_utf8(payload).is_ok_and(|text| !tells(text));
    if is_clean {
        return payload.clone();
    }
    let Ok(mut event) = serde_json::from_slice::<payload::Event>(payload) else {
        return Bytes::from_static(b"{}");
    };
    event.facts.retain(|fact| match fact {
        Fact::AlertRaised(alert) => !tells_draws(alert.code),
        Fact::AlertCleared { id } | Fact::AlertAcknowledged { id, .. } => !tells(id),
        Fact::Answered(answer) => !answer.message.as_deref().is_some_and(tells),
        _ => true,
    });
    if let Input::Command(command) = &mut event.input
        && let Verb::Ack { alert } = &mut command.verb
        && tells(alert)
    {
        "withheld".clone_into(alert);
    }
    Bytes::from(serde_json::to_vec(&event).unwrap_or_default())
}

fn link(game: &Game, line: &Line) -> Link {
    let up = matches!(game.link(), Some(Ok(())));
    let confidence = match game.tracking() {
        _ if !up => Confidence::None,
        Tracking::Mismatch { .. } => Confidence::Uncertain,
        Tracking::Following | Tracking::Resting => Confidence::Full,
    };
    Link {
        up,
        reason: match game.link() {
            Some(Err(reason)) => Some(reason.clone()),
            _ => None,
        },
        kind: Cow::Borrowed(line.device.kind),
        port: line.device.port.clone(),
        serial: line.device.serial.clone(),
        version: line.device.version.clone(),
        battery: line.device.battery,
        orientation: game.orientation().unwrap_or_default(),
        last_frame: line.last_frame.map(rfc3339),
        counters: line.counters,
        confidence,
    }
}

fn availability(audience: Audience, game: &Game) -> Availability {
    let insider = matches!(audience, Audience::Arbiter | Audience::Operator);
    match game.link() {
        None => Availability {
            state: AvailabilityState::Unconfigured,
            reason: None,
        },
        Some(Ok(())) => Availability {
            state: AvailabilityState::Online,
            reason: None,
        },
        Some(Err(reason)) => Availability {
            state: AvailabilityState::Offline,
            reason: insider.then(|| reason.clone()),
        },
    }
}

impl From<crate::config::Confirm> for Confirm {
    fn from(confirm: crate::config::Confirm) -> Self {
        match confirm {
            crate::config::Confirm::Arbiter => Self::Arbiter,
            crate::config::Confirm::Automatic => Self::Automatic,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn for_operators(input: &Value, facts: &Value) -> Value {
        let event = json!({
            "schema": "remisd/event/1", "site": "hall", "board": "b1", "session": "s", "seq": 9,
            "time": "2026-01-02T03:04:05.678Z", "monotonic_ms": 1, "input": input, "facts": facts,
        });
        let seen = event_without_claims(&Bytes::from(event.to_string()));
        serde_json::from_slice(&seen).unwrap()
    }

    #[test]
    fn operators_do_not_hear_of_claims_and_hear_the_rest() {
        let raised = |code: &str| {
            json!({
                "type": "alert_raised", "id": format!("{code}-9"), "level": "amber", "code": code,
                "arguments": {}, "since": "2026-01-02T03:04:05.678Z",
            })
        };
        let rest = json!([{"type": "tracking_restored"}, raised("fivefold")]);
        let told = json!([
            raised("threefold_claimable"),
            rest[0],
            raised("fifty_move_claimable"),
            {"type": "alert_cleared", "id": "fifty_move_claimable-3"},
            {"type": "alert_acknowledged", "id": "threefold_claimable-9", "by": "x"},
            rest[1],
        ]);
        let ack = |alert: &str| {
            json!({
                "type": "command", "id": "1", "role": "arbiter", "verb": "ack",
                "arguments": {"alert": alert},
            })
        };
        let seen = for_operators(&ack("threefold_claimable-9"), &told);
        assert_eq!((&seen["seq"], &seen["facts"]), (&json!(9), &rest));
        assert_eq!(seen["input"], ack("withheld"));
        let seen = for_operators(&ack("fivefold-9"), &rest);
        assert_eq!(
            (&seen["input"], &seen["facts"]),
            (&ack("fivefold-9"), &rest)
        );
    }
}
