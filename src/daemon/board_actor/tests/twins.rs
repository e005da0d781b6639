//! Two games that differ only in hidden information.
//!
//! An audience from which it is hidden cannot distinguish them by any byte, number or time.

use std::collections::BTreeMap;

use super::*;
use crate::publish::{operator, payload::BoardHealth};
use remisd_vocabulary::reading::SettledBy;

const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
const PLAYERS: [&str; 5] = ["public", "hall", "player", "b1-white", "b1-black"];

/// A board, and everything that each audience but the arbiter has received.
struct Twin {
    seat: Seat,
    received: BTreeMap<String, Vec<String>>,
    asked: u32,
}

impl Twin {
    async fn new() -> Self {
        let seat = Seat::under(&laws::FIDE_2023).await;
        seat.actor.publisher.filter_operator_events(operator::event);
        let mut twin = Self {
            seat,
            received: BTreeMap::new(),
            asked: 0,
        };
        let messages = twin.seat.actor.publisher.full_snapshot();
        twin.note(messages);
        twin
    }

    fn note(&mut self, messages: Vec<publish::outbox::Message>) {
        let at = self.seat.clock.monotonic();
        for message in messages {
            let mut levels = message.topic.split('/').skip(3);
            let to = match (levels.next(), levels.next()) {
                (Some("reply"), Some(user)) => user,
                (Some(audience), _) => audience,
                _ => continue,
            };
            if matches!(to, "arbiter" | "node") {
                continue;
            }
            let payload = String::from_utf8(message.payload.to_vec()).unwrap();
            let line = format!("{at} {} {payload}", message.topic);
            self.received.entry(to.to_owned()).or_default().push(line);
        }
    }

    /// Notes what each audience has received, and the board's health at that time.
    fn receive_published(&mut self) {
        let messages = self.seat.actor.publisher.drain_messages();
        self.note(messages);
        let health: BoardHealth = self.seat.actor.health();
        let health = serde_json::to_string(&health).unwrap();
        let operator = self.received.entry("operator".to_owned()).or_default();
        operator.push(health);
    }

    /// Writes, a second later, an input that everybody may know.
    async fn comes(&mut self, input: Input) {
        self.seat.clock.advance(1_000);
        self.seat.actor.write(input).await;
        self.seat.rest().await;
        self.receive_published();
    }

    async fn plays(&mut self, moves: &[&str]) {
        for uci in moves {
            self.comes(Input::Move {
                uci: (*uci).into(),
                by: SettledBy::StoodStill,
                clock: None,
            })
            .await;
        }
    }

    async fn asks(&mut self, role: Role, verb: &str, arguments: &str) {
        self.seat.clock.advance(1_000);
        self.asked += 1;
        let id = format!("{verb}-{}", self.asked);
        self.ask(role, verb, &id, arguments).await;
        self.receive_published();
    }

    async fn ask(&mut self, role: Role, verb: &str, id: &str, arguments: &str) {
        let user = match role {
            Role::White | Role::Black => format!("b1-{}", role.as_str()),
            _ => role.as_str().to_owned(),
        };
        let comma = if arguments.is_empty() { "" } else { "," };
        let message = CommandMessage {
            topic: format!("chess/v1/hall/cmd/{}/b1/{verb}", role.as_str()),
            payload: format!("{{\"id\":\"{id}\"{comma}{arguments}}}").into(),
            retain: false,
            response_topic: Some(format!("chess/v1/hall/reply/{user}/1")),
            correlation: None,
            at: None,
        };
        self.seat.actor.command(&message, &self.seat.answer).await;
        self.seat.rest().await;
    }

    /// Lets the arbiter acknowledge an alert.
    async fn sees(&mut self, code: AlertCode) {
        let mut open = self.seat.game().alerts().open().iter();
        let alert = open.find(|alert| alert.code == code);
        let alert = format!("\"alert\":\"{}\"", alert.unwrap().id);
        self.ask(Role::Arbiter, "ack", code.as_str(), &alert).await;
    }

    /// Offers, moves and link changes, which reach everyone who may see them.
    async fn plays_on(&mut self) {
        let white = self.seat.game().seq_for(Role::White);
        let seen = format!("\"if_seq\":{white}");
        self.asks(Role::White, "offer", &seen).await;
        // A sequence number that White has passed, and one that does not exist yet.
        for wrong in [white - 3, white + 40] {
            let wrong = format!("\"if_seq\":{wrong}");
            self.asks(Role::White, "pause", &wrong).await;
        }
        self.asks(Role::Black, "decline", "").await;
        self.plays(&["d2d4", "d7d5", "c2c4"]).await;
        let link = |up: bool| Input::Link {
            up,
            code: None,
            reason: (!up).then(|| "pulled".to_owned()),
        };
        self.comes(link(false)).await;
        self.comes(link(true)).await;
    }

    /// A claim, its ruling, and the change of the clock that it orders.
    async fn claims_in_vain(&mut self) {
        self.asks(Role::White, "claim", "\"kind\":\"fifty_move\"")
            .await;
        let ruling = "\"on\":\"claim\",\"correct\":false";
        self.asks(Role::Arbiter, "ruling", ruling).await;
        assert_eq!(self.seat.game().adjustments().len(), 1);
    }

    async fn ends(&mut self) {
        self.asks(Role::Arbiter, "result", "\"score\":\"1/2-1/2\"")
            .await;
        assert!(
            self.seat
                .game()
                .result()
                .is_some_and(|result| result.confirmed)
        );
    }

    async fn begins_anew(&mut self) {
        self.asks(Role::Arbiter, "new_game", "").await;
        self.plays(&["e2e4"]).await;
        let white = "\"headers\":{\"White\":\"A\"}";
        self.asks(Role::Operator, "headers", white).await;
    }

    fn differs(&self, other: &Self, whom: &[&str]) {
        for who in whom {
            let (one, other) = (&self.received[*who], &other.received[*who]);
            assert!(!one.is_empty(), "{who} received nothing");
            let first = one.iter().zip(other).find(|(one, other)| one != other);
            assert_eq!(first, None, "{who}");
            assert_eq!(one.len(), other.len(), "{who}");
        }
    }
}

/// Plays both games, one with hidden information and one without, and compares what is received.
macro_rules! twins {
    ($play:expr, $whom:expr) => {{
        let (mut with, mut without) = (Twin::new().await, Twin::new().await);
        for (twin, hidden) in [(&mut with, true), (&mut without, false)] {
            let play = $play;
            play(twin, hidden).await;
            twin.begins_anew().await;
        }
        assert!(
            with.seat.game().seq() > without.seat.game().seq(),
            "there was something to hide"
        );
        with.differs(&without, $whom);
    }};
}

fn everybody() -> Vec<&'static str> {
    let mut everybody = PLAYERS.to_vec();
    everybody.push("operator");
    everybody
}

#[tokio::test]
async fn no_audience_learns_that_the_arbiter_has_seen_what_can_be_claimed() {
    async fn play(twin: &mut Twin, hidden: bool) {
        twin.plays(&[SHUFFLE, SHUFFLE].concat()).await;
        if hidden {
            twin.sees(AlertCode::ThreefoldClaimable).await;
            // A refused command reveals nothing either.
            twin.ask(
                Role::Arbiter,
                "ack",
                "again",
                "\"alert\":\"threefold_claimable-1\"",
            )
            .await;
        }
        twin.asks(Role::Operator, "headers", "\"headers\":{\"Round\":\"1\"}")
            .await;
        twin.plays(&SHUFFLE).await;
        if hidden {
            twin.sees(AlertCode::FourthOccurrence).await;
        }
        twin.plays_on().await;
        twin.plays(&["g8f6"]).await;
        twin.claims_in_vain().await;
        twin.ends().await;
    }
    twins!(play, &everybody());
}

#[tokio::test]
async fn players_do_not_learn_that_an_alert_of_a_hidden_end_is_overdue() {
    async fn play(twin: &mut Twin, hidden: bool) {
        twin.plays(&SHUFFLE.repeat(4)).await;
        assert!(twin.seat.game().ended().is_some());
        twin.seat.clock.advance(20_000);
        if hidden {
            twin.seat.actor.write(Input::Overdue).await;
            twin.seat.rest().await;
        }
        twin.plays(&["g1f3", "g8f6"]).await;
        if hidden {
            twin.sees(AlertCode::PlayAfterEnd).await;
        }
        twin.plays_on().await;
        twin.ends().await;
    }
    twins!(play, &PLAYERS);
}

#[tokio::test]
async fn players_do_not_learn_that_the_position_is_dead() {
    async fn play(twin: &mut Twin, hidden: bool) {
        if hidden {
            let position = twin.seat.game().position_seq();
            let input = Input::Dead {
                ply: 0,
                position,
                verdict: Verdict::Dead,
                since: None,
                proofs: None,
            };
            twin.seat.actor.write(input).await;
            twin.seat.rest().await;
            assert!(twin.seat.game().ended().is_some());
        }
        twin.plays_on().await;
    }
    twins!(play, &PLAYERS);
}

#[tokio::test]
async fn players_do_not_learn_what_the_board_and_the_arbiter_note() {
    async fn play(twin: &mut Twin, hidden: bool) {
        twin.plays(&SHUFFLE).await;
        if hidden {
            let touched = Input::Touched {
                by: remisd_game::Side::White,
                square: Square::G1,
                sure: true,
            };
            twin.seat.actor.write(touched).await;
            let touch = "\"player\":\"white\",\"square\":\"b1\"";
            twin.ask(Role::Arbiter, "touch", "seen", touch).await;
            let faulty = Input::Faulty {
                squares: vec![Square::H8],
            };
            twin.seat.actor.write(faulty).await;
        }
        twin.plays_on().await;
        twin.ends().await;
    }
    twins!(play, &PLAYERS);
}
