//! One board's retained topics. Changes are published to each audience in its own form, and to the
//! public after the broadcast delay.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{
    delay_board::{DelayBoard, Queue},
    held_plies::{HeldPlies, PublicViews},
    outlet::Outlet,
    past_draws::{Due, Gate, PastDraws, Positions},
};
use crate::publish::{
    Publisher,
    delay::DelayLine,
    home_assistant,
    numbering::Seqs,
    payload::Envelope,
    topic::{self, Audience, Leaf},
    views::{BoardConnection, BoardSnapshot, Published, View, Views},
};
use remisd_game::Game;
use remisd_laws::Ply;
use remisd_vocabulary::{
    name::{BoardId, NodeId, PrefixId, SiteId},
    time::{Moment, Span, rfc3339},
};

/// The resolution of the delay line: the public may be this much later than the delay.
const STEP: Span = Span::from_millis(250);
/// The leaves that the public gets after the delay, besides `draw`. A result follows its moves.
const DELAYED: [Leaf; 3] = [Leaf::Game, Leaf::Offer, Leaf::Result];

/// The broadcast delay.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublicDelay {
    /// In time.
    pub time: Span,
    /// In plies of a running game.
    pub plies: Ply,
}

/// Publishes the views of one board.
#[derive(Debug)]
pub struct TopicPublisher {
    site: SiteId,
    board: BoardId,
    session: String,
    views: Views,
    outlet: Outlet,
    delay: Span,
    delayed: DelayLine<Due>,
    public_seq: PublicSeq,
    held: HeldPlies,
    places: HashMap<(Audience, Leaf), Place>,
    /// Reports how far the public is behind.
    queue: Queue,
    /// The draw states that the public of a competition may see.
    passed: PastDraws,
    /// Holds them back while they can still help a player.
    gate: Gate,
}

/// How far the public has counted. A topic without delay must not say how many entries wait in the
/// delay line.
#[derive(Debug)]
struct PublicSeq {
    shown: u64,
    waiting: DelayLine<u64>,
}

impl PublicSeq {
    fn new() -> Self {
        Self {
            shown: 0,
            waiting: DelayLine::new(STEP),
        }
    }

    /// Takes the number of what the public sees from `due` on.
    fn push(&mut self, seq: u64, due: Moment, now: Moment) {
        // What is due makes room.
        self.at(now);
        if due > now {
            self.waiting.push("seq", due, seq);
        } else {
            self.waiting.forget("seq");
            self.shown = seq;
        }
    }

    fn at(&mut self, now: Moment) -> u64 {
        if let [(_, seq)] = self.waiting.take_due(now)[..] {
            self.shown = seq;
        }
        self.shown
    }
}

/// One of the board's retained topics.
#[derive(Debug)]
struct Place {
    topic: String,
    shown: LastValue,
}

/// The last value of a topic.
#[derive(Debug)]
enum LastValue {
    /// Nothing was published yet.
    Nothing,
    /// It was cleared.
    Empty,
    Says(Published),
}

impl LastValue {
    fn is(&self, view: Option<&View>) -> bool {
        match (self, view) {
            (Self::Says(told), Some(view)) => view.is_in(told),
            (Self::Empty, None) => true,
            _ => false,
        }
    }
}

/// When something became true.
#[derive(Debug, Clone)]
pub struct EntryTime {
    /// The newest journal entry, in each audience's own numbering.
    pub seqs: Seqs,
    /// Its wall-clock time.
    pub time: Timestamp,
    /// The current time of the daemon's monotonic clock.
    pub at: Moment,
    /// Its minimum age: zero except during replay from the journal.
    pub age: Span,
}

impl TopicPublisher {
    /// Creates a topics that has published nothing.
    #[must_use]
    pub fn new(
        site: SiteId,
        board: BoardId,
        session: String,
        views: Views,
        publisher: Publisher,
        delay: PublicDelay,
        delays: DelayBoard,
    ) -> Self {
        let place = |audience, leaf| Place {
            topic: topic::board(&site, audience, &board, leaf),
            shown: LastValue::Nothing,
        };
        let keys = Audience::ALL
            .into_iter()
            .flat_map(|audience| Leaf::ALL.map(|leaf| (audience, leaf)));
        let outlet = Outlet::new(publisher, board.clone());
        Self {
            queue: Queue::new(board.clone(), delays),
            places: keys.map(|key| (key, place(key.0, key.1))).collect(),
            site,
            board,
            session,
            views,
            outlet,
            delay: delay.time,
            delayed: DelayLine::new(STEP),
            public_seq: PublicSeq::new(),
            held: HeldPlies::new(delay.plies),
            passed: PastDraws::default(),
            gate: Gate::default(),
        }
    }

    /// Returns the views of the audiences.
    #[must_use]
    pub const fn views(&self) -> &Views {
        &self.views
    }

    /// Clears the topics that this profile does not have: an earlier run under a more open profile
    /// may have left values there.
    ///
    /// No list of left-over topics is stored. If it were lost, or on a missing disk, a player could
    /// read what the profile forbids.
    pub fn clear_forbidden_topics(&mut self) {
        for (&(audience, leaf), place) in &self.places {
            if !self.views.has(audience, leaf) {
                self.outlet.retain(&place.topic, None);
            }
        }
    }

    /// Announces this board to Home Assistant, which discovers it below `prefix`.
    pub fn announce(&mut self, prefix: &PrefixId, node: &NodeId) {
        let topic = home_assistant::discovery_topic(prefix.as_str(), &self.site, &self.board);
        let discovery = home_assistant::discovery(&self.site, node, &self.board);
        self.outlet.retain(&topic, Some(discovery));
    }

    /// Publishes what has changed since the last call.
    pub fn show(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        let scene = BoardSnapshot::of(game, line);
        // First what the public sees from now on: it decides how far the public has counted.
        self.show_delayed(game, &scene, moment);
        self.show_leaves(&Leaf::ALL, &scene, moment);
    }

    /// Publishes a touch, which changes only the draw state of the audiences without delay. Every
    /// move has one, so the other leaves are not rebuilt for it.
    pub fn show_touch(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        self.show_leaves(&[Leaf::Draw], &BoardSnapshot::of(game, line), moment);
    }

    /// Publishes the state of the line and the device, and nothing else.
    pub fn show_link(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        self.show_leaves(&[Leaf::Link], &BoardSnapshot::of(game, line), moment);
    }

    /// Publishes what the sensors see, and nothing else.
    pub fn show_squares(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        self.show_leaves(&[Leaf::Squares], &BoardSnapshot::of(game, line), moment);
    }

    fn show_leaves(&mut self, leaves: &[Leaf], scene: &BoardSnapshot<'_>, moment: &EntryTime) {
        for audience in Audience::ALL {
            for &leaf in leaves {
                let delayed =
                    audience == Audience::Public && (leaf == Leaf::Draw || DELAYED.contains(&leaf));
                if self.views.has(audience, leaf) && !delayed {
                    let view = self.views.view(audience, leaf, scene);
                    self.publish(audience, leaf, view.as_ref(), moment, Moment::START);
                }
            }
        }
    }

    /// Adds what the public may see of an earlier moment: the replay of the journal refills the
    /// delay line.
    pub fn show_public(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        self.show_delayed(game, &BoardSnapshot::of(game, line), moment);
    }

    fn show_delayed(&mut self, game: &Game, scene: &BoardSnapshot<'_>, moment: &EntryTime) {
        if let Some(due) = self.gate.stands(game) {
            let topic = self.draw_topic();
            self.outlet.retain(&topic, due.payload);
        }
        let due = moment.at + self.delay - moment.age;
        let view = |leaf| self.views.view(Audience::Public, leaf, scene);
        let leaves = DELAYED.map(|leaf| (leaf, view(leaf)));
        // Under an open profile, the current draw state.
        let draw = if self.views.is_open(Audience::Public) {
            (view(Leaf::Draw), Positions::default())
        } else {
            self.passed.next(game, &self.views)
        };
        let step = (game.number(), game.ply());
        self.queue.at_board(step, moment.at);
        let now = PublicViews {
            moment: moment.clone(),
            due,
            step,
            leaves,
            draw,
        };
        let Some(shown) = self.held.pass(game, now) else {
            return;
        };
        let moment = EntryTime {
            at: moment.at,
            ..shown.moment
        };
        self.queue.push(shown.step, shown.due, moment.at);
        let seq = moment.seqs.seq(Audience::Public);
        self.public_seq.push(seq, shown.due, moment.at);
        for (leaf, view) in &shown.leaves {
            self.publish(Audience::Public, *leaf, view.as_ref(), &moment, shown.due);
        }
        let key = (Audience::Public, Leaf::Draw);
        let (draw, positions) = shown.draw;
        self.publish_kept(key, draw.as_ref(), &moment, shown.due, positions);
    }

    fn publish(
        &mut self,
        audience: Audience,
        leaf: Leaf,
        view: Option<&View>,
        moment: &EntryTime,
        due: Moment,
    ) {
        let key = (audience, leaf);
        self.publish_kept(key, view, moment, due, Positions::default());
    }

    /// Publishes a view at `due`, but not while any of `positions` is on the board.
    fn publish_kept(
        &mut self,
        key: (Audience, Leaf),
        view: Option<&View>,
        moment: &EntryTime,
        due: Moment,
        positions: Positions,
    ) {
        let place = &self.places[&key];
        if place.shown.is(view) {
            return;
        }
        let seq = if key == (Audience::Public, Leaf::Availability) {
            self.public_seq.at(moment.at)
        } else {
            moment.seqs.seq(key.0)
        };
        let place = &self.places[&key];
        let told = view.map(|view| self.envelope(seq, view, moment));
        let payload = told.as_ref().map(|told| told.payload.clone());
        let value = Due { payload, positions };
        let topic = place.topic.clone();
        if due > moment.at {
            self.delayed.push(topic, due, value);
        } else {
            // Values still in the delay line are older, although they would be published later.
            self.delayed.forget(&topic);
            self.publish_due(&topic, value);
        }
        if let Some(place) = self.places.get_mut(&key) {
            place.shown = told.map_or(LastValue::Empty, LastValue::Says);
        }
    }

    fn draw_topic(&self) -> String {
        self.places[&(Audience::Public, Leaf::Draw)].topic.clone()
    }

    /// Publishes what is due, unless the position on the board holds it back.
    fn publish_due(&mut self, topic: &str, due: Due) {
        let due = if topic == self.draw_topic() {
            self.gate.pass(due)
        } else {
            Some(due)
        };
        if let Some(due) = due {
            self.outlet.retain(topic, due.payload);
        }
    }

    fn envelope(&self, seq: u64, view: &View, moment: &EntryTime) -> Published {
        let envelope = Envelope {
            schema: view.schema.into(),
            site: self.site.to_string(),
            board: self.board.to_string(),
            session: self.session.clone(),
            seq,
            time: rfc3339(moment.time),
            content: (),
        };
        view.within(&envelope)
    }

    /// Returns the outlet, for messages other than the retained topics.
    pub const fn outlet(&mut self) -> &mut Outlet {
        &mut self.outlet
    }

    /// Returns the outlet, read-only.
    #[must_use]
    pub const fn waiting(&self) -> &Outlet {
        &self.outlet
    }

    /// Returns when the next delayed value is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Moment> {
        self.delayed.next_due()
    }

    /// Publishes what has become due.
    pub fn release(&mut self, now: Moment) {
        self.queue.release(now);
        for (topic, due) in self.delayed.take_due(now) {
            self.publish_due(&topic, due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Audience as AudienceSettings, Profile};
    use remisd_game::{Cause, Input, Rules, Stamped};
    use remisd_vocabulary::reading::SettledBy;

    const DELAY_MS: u64 = 900_000;
    const DELAY: PublicDelay = PublicDelay {
        time: Span::from_millis(DELAY_MS),
        plies: 0,
    };

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Rules::default());
        let begins = Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: remisd_laws::Rate::Standard,
            headers: std::collections::BTreeMap::new(),
            cause: Cause::Startup,
        };
        let moves = moves.split_whitespace().map(|uci| Input::Move {
            uci: uci.into(),
            by: SettledBy::Clock,
            clock: None,
        });
        for (seq, input) in (1..).zip(std::iter::once(begins).chain(moves)) {
            let time = Timestamp::UNIX_EPOCH;
            game.apply(&Stamped { seq, time, input });
        }
        game
    }

    #[test]
    fn what_the_public_sees_at_once_is_not_followed_by_what_was_shown_before() {
        let site: SiteId = "hall".parse().unwrap();
        let board: BoardId = "b1".parse().unwrap();
        let mut topics = TopicPublisher::new(
            site.clone(),
            board.clone(),
            "session".to_owned(),
            Views::under(Profile::Competition),
            Publisher::detached(&site),
            DELAY,
            DelayBoard::default(),
        );
        let line = BoardConnection::default();
        let moment = |at_ms, age_ms| EntryTime {
            seqs: Seqs::of(&game("")),
            time: Timestamp::UNIX_EPOCH,
            at: Moment::from_millis(at_ms),
            age: Span::from_millis(age_ms),
        };
        // The start without a disk, then the record: a game from the night before.
        topics.show_public(&game(""), &line, &moment(0, 0));
        topics.show_public(&game("f2f3 e7e5"), &line, &moment(60_000, 40_000_000));
        let mate = "f2f3 e7e5 g2g4 d8h4";
        topics.show_public(&game(mate), &line, &moment(60_000, 39_000_000));
        let topic = topic::board(&site, Audience::Public, &board, Leaf::Game);
        let place = &topics.places[&(Audience::Public, Leaf::Game)];
        assert_eq!(place.topic, topic);
        assert!(matches!(place.shown, LastValue::Says(_)));
        let released = topics.delayed.take_due(Moment::MAX);
        assert!(!released.iter().any(|(of, _)| **of == *topic));
    }

    #[test]
    fn the_public_of_a_competition_gets_counters_when_a_long_delay_has_passed() {
        const STEP_MS: u64 = 10_000;
        let site: SiteId = "hall".parse().unwrap();
        let board: BoardId = "b1".parse().unwrap();
        let publisher = Publisher::detached(&site);
        let views = Views::new(AudienceSettings {
            profile: Profile::Competition,
            delay_ms: DELAY_MS,
            delay_plies: 0,
            public_draw_after_ms: DELAY_MS,
            operator_draw: false,
            open: std::collections::BTreeSet::new(),
            languages: Vec::new(),
        });
        let mut topics = TopicPublisher::new(
            site.clone(),
            board.clone(),
            "session".to_owned(),
            views,
            publisher.clone(),
            DELAY,
            DelayBoard::default(),
        );
        // The start array for the third time after ply 8; then it is left.
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let moves = [&shuffle[..], &shuffle[..], &["e2e4", "e7e5"]].concat();
        for ply in 0..=moves.len() {
            let game = game(&moves[..ply].join(" "));
            let moment = EntryTime {
                seqs: Seqs::of(&game),
                time: Timestamp::UNIX_EPOCH,
                at: Moment::from_millis(STEP_MS * ply as u64),
                age: Span::ZERO,
            };
            topics.show(&game, &BoardConnection::default(), &moment);
        }
        let seen = |leaf| {
            let topic = topic::board(&site, Audience::Public, &board, leaf);
            let told = publisher.full_snapshot();
            let told = told.into_iter().find(|message| *message.topic == *topic)?;
            (!told.payload.is_empty())
                .then(|| serde_json::from_slice::<serde_json::Value>(&told.payload).unwrap())
        };
        topics.release(Moment::from_millis(DELAY_MS - 1));
        assert_eq!((seen(Leaf::Game), seen(Leaf::Draw)), (None, None));
        // A draw state comes when its player's turn has passed: with the ninth ply.
        let ninth = DELAY_MS + 9 * STEP_MS;
        topics.release(Moment::from_millis(ninth - 1));
        assert_eq!(seen(Leaf::Draw).unwrap()["halfmove_clock"], 7);
        topics.release(Moment::from_millis(ninth) + STEP);
        let draw = seen(Leaf::Draw).unwrap();
        assert_eq!(
            (&draw["ply"], &draw["halfmove_clock"]),
            (&8.into(), &8.into())
        );
        assert_eq!(draw["repetition"]["count"], 3, "{draw}");
        assert_eq!(draw["fen"].as_str().unwrap().split(' ').count(), 6);
        let game = seen(Leaf::Game).unwrap();
        assert_eq!(game["ply"], 9);
        assert_eq!(game["fen"].as_str().unwrap().split(' ').count(), 6);
    }

    /// What the broker shows the public: the plies of `game`, and whether there is a `result`.
    fn seen(publisher: &Publisher) -> (Option<u64>, bool) {
        let told = publisher.full_snapshot();
        let payload = |leaf: &str| {
            let topic = format!("chess/v1/hall/public/b1/{leaf}");
            let told = told.iter().find(|message| *message.topic == *topic)?;
            (!told.payload.is_empty())
                .then(|| serde_json::from_slice::<serde_json::Value>(&told.payload).unwrap())
        };
        let game = payload("game");
        let plies = game.as_ref().and_then(|game| game["ply"].as_u64());
        let result = payload("result");
        let in_game = game.is_some_and(|game| !game["result"].is_null());
        assert_eq!(
            result.is_some(),
            in_game,
            "the result and its moves come together"
        );
        (plies, result.is_some())
    }

    fn hall(delay: PublicDelay) -> (TopicPublisher, Publisher) {
        let site: SiteId = "hall".parse().unwrap();
        let publisher = Publisher::detached(&site);
        let views = Views::under(Profile::Casual);
        let board = "b1".parse().unwrap();
        let topics = TopicPublisher::new(
            site,
            board,
            "session".into(),
            views,
            publisher.clone(),
            delay,
            DelayBoard::default(),
        );
        (topics, publisher)
    }

    fn at(game: &Game, at_ms: u64, age_ms: u64) -> EntryTime {
        EntryTime {
            seqs: Seqs::of(game),
            time: Timestamp::UNIX_EPOCH,
            at: Moment::from_millis(at_ms),
            age: Span::from_millis(age_ms),
        }
    }

    /// A move every ten seconds up to a mate, which is confirmed a minute later.
    const STEP_MS: u64 = 10_000;
    const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

    fn mated(confirmed: bool) -> Game {
        let mut game = game(MATE);
        if confirmed {
            game.apply(&Stamped {
                seq: 6,
                time: Timestamp::UNIX_EPOCH,
                input: Input::Command(remisd_game::Command {
                    id: "1".into(),
                    role: remisd_game::Role::Arbiter,
                    by: None,
                    if_seq: None,
                    unsettled: None,
                    verb: remisd_game::Verb::Result {
                        score: remisd_laws::Score::BlackWins,
                        game: None,
                    },
                }),
            });
            assert!(game.result().is_some_and(|result| result.confirmed));
        }
        game
    }

    /// The states of that game with their times.
    fn course() -> Vec<(u64, Game)> {
        let moves: Vec<&str> = MATE.split(' ').collect();
        let states = (0..=4).map(|ply| (STEP_MS * ply as u64, game(&moves[..ply].join(" "))));
        states.chain([(100_000, mated(true))]).collect()
    }

    #[test]
    fn a_result_waits_for_the_delay_behind_its_moves() {
        let (mut topics, publisher) = hall(DELAY);
        for (time, game) in course() {
            topics.show(&game, &BoardConnection::default(), &at(&game, time, 0));
        }
        topics.release(Moment::from_millis(DELAY_MS + 99_999));
        assert_eq!(seen(&publisher), (Some(4), false));
        topics.release(Moment::from_millis(DELAY_MS + 100_000));
        assert_eq!(seen(&publisher), (Some(4), true));
    }

    #[test]
    fn a_topic_without_delay_counts_no_entry_that_waits() {
        let (mut topics, publisher) = hall(DELAY);
        let availability = || {
            let told = publisher.full_snapshot();
            let topic = "chess/v1/hall/public/b1/availability";
            let told = told
                .iter()
                .find(|message| *message.topic == *topic)
                .unwrap();
            let told: serde_json::Value = serde_json::from_slice(&told.payload).unwrap();
            told["seq"].as_u64().unwrap()
        };
        let states = course();
        for (time, game) in &states {
            topics.show_public(game, &BoardConnection::default(), &at(game, *time, 0));
        }
        let (newest, ended) = states.last().unwrap();
        let (_, before_it) = &states[4];
        let line = BoardConnection::default();
        topics.show(ended, &line, &at(ended, *newest, 0));
        assert_eq!(availability(), 0, "nothing is public yet");
        for (due, sees) in [
            (DELAY_MS + newest - 1, before_it),
            (DELAY_MS + newest, ended),
        ] {
            topics
                .places
                .get_mut(&(Audience::Public, Leaf::Availability))
                .unwrap()
                .shown = LastValue::Nothing;
            topics.show_leaves(
                &[Leaf::Availability],
                &BoardSnapshot::of(ended, &line),
                &at(ended, due, 0),
            );
            assert_eq!(availability(), Seqs::of(sees).seq(Audience::Public));
        }
    }

    #[test]
    fn the_last_plies_wait_for_further_ones_or_the_confirmed_result() {
        let delay = PublicDelay {
            time: Span::ZERO,
            plies: 3,
        };
        let (mut topics, publisher) = hall(delay);
        let expected = [Some(0), Some(0), Some(0), Some(0), Some(1), Some(4)];
        for ((time, game), plies) in course().into_iter().zip(expected) {
            let plies = plies.filter(|_| time > 0 || game.ply() > 0).or(plies);
            topics.show(&game, &BoardConnection::default(), &at(&game, time, 0));
            assert_eq!(seen(&publisher).0, plies, "after {} plies", game.ply());
        }
        assert!(seen(&publisher).1);
    }

    #[test]
    fn a_corrected_line_is_not_shown_any_longer_than_it_stood() {
        let delay = PublicDelay {
            time: Span::ZERO,
            plies: 2,
        };
        let (mut topics, publisher) = hall(delay);
        for moves in [
            "e2e4",
            "e2e4 e7e5",
            "e2e4 e7e5 g1f3",
            "e2e4 c7c5 g1f3",
            "e2e4 c7c5 g1f3 d7d6",
        ] {
            let game = game(moves);
            topics.show(&game, &BoardConnection::default(), &at(&game, 0, 0));
            let told = publisher.full_snapshot();
            let leaked = told.iter().any(|message| {
                let public = message.topic.contains("/public/");
                public && String::from_utf8_lossy(&message.payload).contains("e7e5")
            });
            assert!(!leaked, "{moves}");
        }
        assert_eq!(seen(&publisher).0, Some(1), "the ply before was corrected");
    }

    #[test]
    fn a_restart_releases_nothing_early() {
        for plies in [0, 3] {
            let delay = PublicDelay {
                time: Span::from_millis(DELAY_MS),
                plies,
            };
            // What a daemon that never stops shows, second by second.
            let shown = |stops: Option<u64>| {
                let (mut topics, publisher) = hall(delay);
                let line = BoardConnection::default();
                let states = course();
                let mut since = 0;
                let mut seconds = Vec::new();
                let mut publisher = publisher;
                for second in 0..1_100 {
                    let now = second * 1_000;
                    if stops == Some(now) {
                        // Its clock begins anew; the journal has the least age of each entry.
                        (topics, publisher) = hall(delay);
                        since = now;
                        let last = states.iter().rfind(|(time, _)| *time < now).unwrap().0;
                        for (time, game) in states.iter().filter(|(time, _)| *time < now) {
                            topics.show_public(game, &line, &at(game, 0, last - time));
                        }
                    }
                    for (_, game) in states.iter().filter(|(time, _)| *time == now) {
                        topics.show(game, &line, &at(game, now - since, 0));
                    }
                    topics.release(Moment::from_millis(now - since));
                    seconds.push(seen(&publisher));
                }
                seconds
            };
            let steady = shown(None);
            assert_eq!(steady.last(), Some(&(Some(4), true)));
            for stops in [15_000, 45_000, 101_000, 910_000, 990_000] {
                let restarted = shown(Some(stops));
                for (second, (late, steady)) in restarted.iter().zip(&steady).enumerate() {
                    assert!(
                        late.0 <= steady.0 && late.1 <= steady.1,
                        "{plies} plies, stopped at {stops}: {late:?} at second {second}"
                    );
                }
            }
        }
    }
}
