//! One board's retained topics. Changes are published to each audience in its own form, and to the
//! public after the broadcast delay.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use bytes::Bytes;
use jiff::Timestamp;

use super::{
    delay_board::{DelayBoard, Queue},
    earlier_games::EarlierGames,
    held_output::HeldOutput,
    past_draws::PastDraws,
    ply_delay::{PlyDelay, PublicViews},
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
    seq::{AudienceSeq, EntrySeq},
    time::{Moment, Span, rfc3339},
};

/// The resolution of the delay line: the public may be this much later than the delay.
const STEP: Span = Span::from_millis(250);
/// The leaves that the public gets after the delay. A result follows its moves.
const DELAYED: [Leaf; 4] = [Leaf::Game, Leaf::Offer, Leaf::Result, Leaf::Draw];

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
    output: HeldOutput,
    delay: PublicDelay,
    delayed: DelayLine<Option<Bytes>>,
    /// The game that was put last into the delay line, and its slot.
    last_due: Option<(EntrySeq, Moment)>,
    /// The games before the one that the public sees.
    earlier: EarlierGames,
    /// What is due and not published yet, in its order.
    ready: Vec<(String, Option<Bytes>)>,
    public_seq: PublicSeq,
    ply_delay: PlyDelay,
    retained: HashMap<(Audience, Leaf), RetainedTopic>,
    /// Reports how far the public is behind.
    queue: Queue,
    /// The draw states that the public of a competition may see.
    passed: PastDraws,
}

/// How far the public has counted. A topic without delay must not say how many entries wait in the
/// delay line.
#[derive(Debug)]
struct PublicSeq {
    shown: AudienceSeq,
    waiting: DelayLine<AudienceSeq>,
}

impl PublicSeq {
    fn new() -> Self {
        Self {
            shown: AudienceSeq::ZERO,
            waiting: DelayLine::new(STEP),
        }
    }

    /// Takes the number of what the public sees from `due` on.
    fn push(&mut self, seq: AudienceSeq, due: Moment, now: Moment) {
        // What is due makes room.
        self.at(now);
        if due > now {
            self.waiting.push("seq", due, seq);
        } else {
            self.waiting.forget("seq");
            self.shown = seq;
        }
    }

    fn at(&mut self, now: Moment) -> AudienceSeq {
        if let [(_, seq)] = self.waiting.take_due(now)[..] {
            self.shown = seq;
        }
        self.shown
    }
}

/// One of the board's retained topics.
#[derive(Debug)]
struct RetainedTopic {
    topic: String,
    last: LastValue,
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
    const fn payload(&self) -> Option<&Bytes> {
        match self {
            Self::Says(published) => Some(&published.payload),
            Self::Nothing | Self::Empty => None,
        }
    }

    fn is(&self, view: Option<&View>) -> bool {
        match (self, view) {
            (Self::Says(published), Some(view)) => view.is_in(published),
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
    /// Creates the topics of a board; nothing is published yet.
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
        let retained_topic = |audience, leaf| RetainedTopic {
            topic: topic::board(&site, audience, &board, leaf),
            last: LastValue::Nothing,
        };
        let keys = Audience::ALL
            .into_iter()
            .flat_map(|audience| Leaf::ALL.map(|leaf| (audience, leaf)));
        let output = HeldOutput::new(publisher, board.clone());
        Self {
            queue: Queue::new(board.clone(), delays),
            retained: keys
                .map(|key| (key, retained_topic(key.0, key.1)))
                .collect(),
            site,
            board,
            session,
            views,
            output,
            delay,
            delayed: DelayLine::new(STEP),
            last_due: None,
            earlier: EarlierGames::default(),
            ready: Vec::new(),
            public_seq: PublicSeq::new(),
            ply_delay: PlyDelay::new(delay.plies),
            passed: PastDraws::default(),
        }
    }

    /// Returns the views of the audiences.
    #[must_use]
    pub const fn views(&self) -> &Views {
        &self.views
    }

    /// Returns the broadcast delay.
    pub const fn public_delay(&self) -> PublicDelay {
        self.delay
    }

    /// Clears the topics that this profile does not have: an earlier run under a more open profile
    /// may have left values there.
    ///
    /// No list of left-over topics is stored. If it were lost, or on a missing disk, a player could
    /// read what the profile forbids.
    pub fn clear_forbidden_topics(&mut self) {
        for (&(audience, leaf), retained_topic) in &self.retained {
            if !self.views.has(audience, leaf) {
                self.output.retain(&retained_topic.topic, None);
            }
        }
    }

    /// Announces this board to Home Assistant, which discovers it below `prefix`.
    pub fn announce(&mut self, prefix: &PrefixId, node: &NodeId) {
        let topic = home_assistant::discovery_topic(prefix.as_str(), &self.site, &self.board);
        let discovery = home_assistant::discovery(&self.site, node, &self.board);
        self.output.retain(&topic, Some(discovery));
    }

    /// Publishes what has changed since the last call.
    pub fn show(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        let scene = BoardSnapshot::of(game, line);
        // First what the public sees from now on: it decides how far the public has counted.
        self.show_delayed(game, &scene, moment);
        self.publish_ready();
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
                let delayed = audience == Audience::Public
                    && (DELAYED.contains(&leaf) || leaf == Leaf::Earlier);
                if self.views.has(audience, leaf) && !delayed {
                    let view = self.views.view(audience, leaf, scene);
                    self.publish((audience, leaf), view.as_ref(), moment);
                }
            }
        }
    }

    /// Adds what the public may see of an earlier moment: the replay of the journal refills the
    /// delay line. Nothing is published before the next [`release`](Self::release).
    pub fn replay(&mut self, game: &Game, line: &BoardConnection, moment: &EntryTime) {
        self.show_delayed(game, &BoardSnapshot::of(game, line), moment);
    }

    fn show_delayed(&mut self, game: &Game, scene: &BoardSnapshot<'_>, moment: &EntryTime) {
        let due = moment.at + self.delay.time - moment.age;
        let leaves = DELAYED.map(|leaf| {
            let is_past = leaf == Leaf::Draw && !self.views.is_open(Audience::Public);
            let view = if is_past {
                self.passed.next(game, &self.views)
            } else {
                self.views.view(Audience::Public, leaf, scene)
            };
            (leaf, view)
        });
        let step = (game.number(), game.ply());
        self.queue.at_board(step, moment.at);
        let now = PublicViews {
            moment: moment.clone(),
            due,
            step,
            leaves,
        };
        for shown in self.ply_delay.pass(game, now) {
            self.show_passed(shown, moment.at);
        }
    }

    /// Adds what no longer waits for plies to the delay line.
    fn show_passed(&mut self, shown: PublicViews, at: Moment) {
        let moment = EntryTime { at, ..shown.moment };
        let due = self.after_other_games(shown.step.0, shown.due, moment.at);
        self.queue.push(shown.step, due, moment.at);
        let seq = moment.seqs.seq(Audience::Public);
        self.public_seq.push(seq, due, moment.at);
        let [_, _, (_, result), _] = &shown.leaves;
        let has_content = shown.step.1 > 0 || result.is_some();
        let last = self.retained[&(Audience::Public, Leaf::Game)]
            .last
            .payload();
        if self.earlier.follow(shown.step.0, has_content, last) {
            let earlier = self.earlier.view();
            self.delay(Leaf::Earlier, earlier.as_ref(), &moment, due);
        }
        for (leaf, view) in &shown.leaves {
            self.delay(*leaf, view.as_ref(), &moment, due);
        }
    }

    /// When a state of `game` is due: in another slot than the game before it, whose last state would
    /// never be seen otherwise.
    fn after_other_games(&mut self, game: EntrySeq, due: Moment, now: Moment) -> Moment {
        let mut slot = self.delayed.slot(due);
        let before = self.last_due.filter(|(other, _)| *other != game);
        if let Some((_, last)) = before.filter(|(_, last)| *last >= slot && *last > now) {
            slot = self.delayed.slot(last + Span::from_millis(1));
        }
        self.last_due = Some((game, slot));
        // A state that is due already is not put off.
        if slot > self.delayed.slot(due) {
            slot
        } else {
            due
        }
    }

    /// Publishes a view that has no delay.
    fn publish(&mut self, key: (Audience, Leaf), view: Option<&View>, moment: &EntryTime) {
        if let Some((topic, payload)) = self.take_change(key, view, moment) {
            self.output.retain(&topic, payload);
        }
    }

    /// Adds a view of the public to the delay line, for `due`.
    ///
    /// What is due already waits for [`publish_ready`](Self::publish_ready): a replay publishes the
    /// last value, and none of those before it.
    fn delay(&mut self, leaf: Leaf, view: Option<&View>, moment: &EntryTime, due: Moment) {
        let Some((topic, payload)) = self.take_change((Audience::Public, leaf), view, moment)
        else {
            return;
        };
        if due > moment.at {
            self.delayed.push(topic, due, payload);
        } else {
            // Values still in the delay line are older, although they would be published later.
            self.delayed.forget(&topic);
            self.make_ready(topic, payload);
        }
    }

    /// The topic and the new value, if the topic does not say it already.
    fn take_change(
        &mut self,
        key: (Audience, Leaf),
        view: Option<&View>,
        moment: &EntryTime,
    ) -> Option<(String, Option<Bytes>)> {
        if self.retained[&key].last.is(view) {
            return None;
        }
        let seq = if key == (Audience::Public, Leaf::Availability) {
            self.public_seq.at(moment.at)
        } else {
            moment.seqs.seq(key.0)
        };
        let published = view.map(|view| self.envelope(seq, view, moment));
        let payload = published
            .as_ref()
            .map(|published| published.payload.clone());
        let retained_topic = self.retained.get_mut(&key)?;
        retained_topic.last = published.map_or(LastValue::Empty, LastValue::Says);
        Some((retained_topic.topic.clone(), payload))
    }

    fn make_ready(&mut self, topic: String, payload: Option<Bytes>) {
        match self.ready.iter_mut().find(|(of, _)| *of == topic) {
            Some((_, older)) => *older = payload,
            None => self.ready.push((topic, payload)),
        }
    }

    fn publish_ready(&mut self) {
        for (topic, payload) in std::mem::take(&mut self.ready) {
            self.output.retain(&topic, payload);
        }
    }

    fn envelope(&self, seq: AudienceSeq, view: &View, moment: &EntryTime) -> Published {
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

    /// Returns the held output, for messages other than the retained topics.
    pub const fn output(&mut self) -> &mut HeldOutput {
        &mut self.output
    }

    /// Returns the held output, read-only.
    #[must_use]
    pub const fn waiting(&self) -> &HeldOutput {
        &self.output
    }

    /// Returns when the next delayed value is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Moment> {
        if self.ready.is_empty() {
            self.delayed.next_due()
        } else {
            Some(Moment::START)
        }
    }

    /// Publishes what has become due.
    pub fn release(&mut self, now: Moment) {
        self.queue.release(now);
        for (topic, payload) in self.delayed.take_due(now) {
            self.make_ready(topic.to_string(), payload);
        }
        self.publish_ready();
    }
}
