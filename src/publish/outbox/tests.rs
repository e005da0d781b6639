//! The outbox against a model of a broker, under every disorder that the session can see.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use remisd_vocabulary::seq::EntrySeq;

/// Accepts everything that its access list admits in the order sent, whether or not it gets to
/// acknowledge it.
#[derive(Default)]
struct Broker {
    retained: HashMap<Arc<str>, Bytes>,
    events: BTreeMap<Arc<str>, Vec<u64>>,
    /// Whether a message is accepted or refused is decided when it arrives.
    unconfirmed: Vec<(MessageId, bool)>,
    /// No topic with this text is admitted.
    forbidden: Option<&'static str>,
}

impl Broker {
    fn receive(&mut self, message: Message) {
        let topic = &message.topic;
        let is_accepted = self.forbidden.is_none_or(|text| !topic.contains(text));
        self.unconfirmed.push((message.id, is_accepted));
        if !is_accepted {
            return;
        }
        if message.retain {
            self.retained.insert(message.topic, message.payload);
        } else {
            let seq = std::str::from_utf8(&message.payload).unwrap();
            let log = self.events.entry(message.topic).or_default();
            log.push(seq.parse().unwrap());
        }
    }
}

struct World {
    outbox: Outbox,
    broker: Broker,
    store: BTreeMap<BoardId, u64>,
    wanted: BTreeMap<Arc<str>, Bytes>,
    read: Option<ReadRequest>,
    connected: bool,
    /// The maximum number of unacknowledged events; they are queued again when the connection is
    /// lost.
    most_sent: usize,
}

const LIMITS: Limits = Limits {
    events: 6,
    read_batch: 3,
    replies: 2,
};

fn site() -> SiteId {
    "hall".parse().unwrap()
}

fn board(n: u8) -> BoardId {
    format!("b{n}").parse().unwrap()
}

const fn entry(seq: u64) -> EntrySeq {
    EntrySeq::new(seq)
}

fn payload(seq: u64) -> Bytes {
    seq.to_string().into()
}

#[derive(Debug, Clone)]
enum Step {
    Event(u8),
    Retain(u8, Option<u8>),
    Send(u8),
    /// Acknowledges one of the unacknowledged messages, in any order.
    Confirm(u8),
    /// Mends or spoils the broker's access list.
    Forbid(Option<&'static str>),
    RetryRefused,
    Connect,
    Lose,
    /// The lost node has passed on nothing of what it acknowledged since the last age but one.
    LoseNode,
    Age,
    AskStore,
    AnswerStore(bool),
    /// Kills the daemon; only the cursors and the store survive.
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3u8).prop_map(Step::Event),
        4 => (0..3u8, proptest::option::of(any::<u8>())).prop_map(|(t, v)| Step::Retain(t, v)),
        4 => (1..8u8).prop_map(Step::Send),
        8 => any::<u8>().prop_map(Step::Confirm),
        2 => proptest::option::of(proptest::sample::select(&["operator", "arbiter/b1", "t"]))
            .prop_map(Step::Forbid),
        2 => Just(Step::RetryRefused),
        2 => Just(Step::Connect),
        1 => Just(Step::Lose),
        1 => Just(Step::LoseNode),
        1 => Just(Step::Age),
        3 => Just(Step::AskStore),
        3 => any::<bool>().prop_map(Step::AnswerStore),
        1 => Just(Step::Kill),
    ]
}

impl World {
    fn new() -> Self {
        Self {
            outbox: Outbox::new(&site(), Cursors::default(), LIMITS),
            broker: Broker::default(),
            store: BTreeMap::new(),
            wanted: BTreeMap::new(),
            read: None,
            connected: false,
            most_sent: 0,
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Event(n) => {
                let seq = self.store.entry(board(*n)).or_default();
                *seq += 1;
                self.outbox.event(&board(*n), entry(*seq), payload(*seq));
            }
            Step::Retain(n, value) => {
                let topic: Arc<str> = format!("t{n}").into();
                let value = value.map(|v| Bytes::from(vec![v]));
                self.wanted
                    .insert(topic.clone(), value.clone().unwrap_or_default());
                self.outbox.retain(topic, value, Delivery::AtLeastOnce);
            }
            Step::Send(count) if self.connected => {
                for _ in 0..*count {
                    if let Some(message) = self.outbox.next_message() {
                        self.broker.receive(message);
                        self.most_sent = self.most_sent.max(self.broker.unconfirmed.len());
                    }
                }
            }
            Step::Confirm(n) if !self.broker.unconfirmed.is_empty() => {
                let at = usize::from(*n) % self.broker.unconfirmed.len();
                match self.broker.unconfirmed.remove(at) {
                    (id, true) => self.outbox.acknowledged(id),
                    (id, false) => assert!(self.outbox.refused(id)),
                }
            }
            // Messages in flight may be accepted before earlier ones that were refused are sent again,
            // and `without_gaps` does not expect that.
            Step::Forbid(text) if self.broker.unconfirmed.is_empty() => {
                self.broker.forbidden = *text;
            }
            Step::RetryRefused => self.outbox.retry_refused(),
            Step::Connect if !self.connected => {
                self.connected = true;
                self.outbox.connected(Some("t1"));
            }
            Step::Lose => self.lose(),
            Step::LoseNode => {
                self.lose();
                self.outbox.distrust();
            }
            Step::Age => self.outbox.age(),
            Step::AskStore if self.read.is_none() => self.read = self.outbox.next_read(),
            Step::AnswerStore(well) => self.answer(*well),
            Step::Kill => self.kill(),
            Step::Send(_) | Step::Confirm(_) | Step::Forbid(_) | Step::Connect | Step::AskStore => {
            }
        }
    }

    fn lose(&mut self) {
        self.connected = false;
        self.broker.unconfirmed.clear();
        self.outbox.disconnected();
    }

    fn answer(&mut self, well: bool) {
        let Some(request) = self.read.take() else {
            return;
        };
        if !well {
            return self.outbox.read_failed();
        }
        let last = self.store[&request.board];
        let events = (request.after.get() + 1..=last)
            .take(request.limit)
            .map(|seq| StoredEvent {
                seq: entry(seq),
                payload: payload(seq),
            });
        self.outbox.refill(&request, events.collect());
    }

    fn kill(&mut self) {
        self.lose();
        self.read = None;
        let cursors = self.outbox.events.cursors().clone();
        self.outbox = Outbox::new(&site(), cursors, LIMITS);
        for (board, last) in &self.store {
            self.outbox
                .board(board.clone(), entry(0), entry(*last), Vec::new());
        }
        for (topic, value) in &self.wanted {
            let value = Some(value.clone()).filter(|value| !value.is_empty());
            self.outbox
                .retain(topic.clone(), value, Delivery::AtLeastOnce);
        }
    }

    /// Drains everything over a good connection to a broker that admits it.
    fn settle(&mut self) {
        self.take(&Step::Connect);
        while !self.broker.unconfirmed.is_empty() {
            self.take(&Step::Confirm(0));
        }
        self.take(&Step::Forbid(None));
        self.take(&Step::RetryRefused);
        for _ in 0..10_000 {
            if self.outbox.is_idle() {
                return;
            }
            for step in [
                Step::RetryRefused,
                Step::Send(3),
                Step::Confirm(0),
                Step::AskStore,
                Step::AnswerStore(true),
            ] {
                self.take(&step);
            }
        }
        panic!("the outbox does not come to rest: {:?}", self.outbox);
    }
}

/// Each new number must follow its predecessor; repetitions may only go back.
fn without_gaps(log: &[u64], last: u64) {
    let mut newest = 0;
    for seq in log {
        assert!(*seq <= newest + 1, "a gap before {seq} in {log:?}");
        newest = newest.max(*seq);
    }
    assert_eq!(newest, last, "{log:?}");
}

proptest! {
    #[test]
    fn nothing_is_lost_or_reordered_whatever_happens(
        steps in proptest::collection::vec(step(), 0..200)
    ) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
            prop_assert_eq!(world.outbox.events.waiting(), world.outbox.events.recount_waiting());
            let memory = world.outbox.events.in_memory();
            prop_assert!(memory <= LIMITS.events + world.most_sent, "{memory}");
        }
        world.settle();
        for (board, last) in &world.store {
            for audience in ["arbiter", "operator"] {
                let topic = format!("chess/v1/hall/{audience}/{board}/event");
                without_gaps(&world.broker.events[topic.as_str()], *last);
            }
            prop_assert_eq!(world.outbox.events.cursors().get(board), Some(entry(*last)));
        }
        for (topic, value) in &world.wanted {
            prop_assert_eq!(&world.broker.retained[topic], value);
        }
    }
}

fn drain(outbox: &mut Outbox) -> Vec<Message> {
    std::iter::from_fn(|| {
        let message = outbox.next_message()?;
        outbox.acknowledged(message.id);
        Some(message)
    })
    .collect()
}

#[test]
fn a_topic_that_changes_all_the_time_still_goes_out() {
    let mut world = World::new();
    world.connected = true;
    world.outbox.connected(None);
    for value in 0..50 {
        world.take(&Step::Retain(0, Some(value)));
        world.take(&Step::Retain(1, Some(value)));
        world.take(&Step::Send(1));
        world.take(&Step::Confirm(0));
    }
    assert_eq!(world.broker.retained["t0"], vec![48]);
    assert_eq!(world.broker.retained["t1"], vec![49]);
}

#[test]
fn a_newer_value_waits_for_the_older_one_and_ends_up_last() {
    let mut world = World::new();
    world.take(&Step::Connect);
    world.take(&Step::Retain(0, Some(1)));
    let old = world.outbox.next_message().unwrap();
    world.take(&Step::Retain(0, Some(2)));
    world.take(&Step::Retain(0, Some(3)));
    assert_eq!(world.outbox.next_message(), None);
    world.outbox.acknowledged(old.id);
    let sent = drain(&mut world.outbox);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].payload, vec![3]);
}

#[test]
fn a_cleared_topic_is_emptied_again_at_a_broker_that_comes_back() {
    let mut world = World::new();
    world.take(&Step::Connect);
    world.take(&Step::Retain(0, Some(1)));
    drain(&mut world.outbox);
    world.take(&Step::Retain(0, None));
    let sent = drain(&mut world.outbox);
    assert!(sent[0].retain && sent[0].payload.is_empty());
    world.lose();
    world.take(&Step::Connect);
    let sent = drain(&mut world.outbox);
    assert!(sent.len() == 1 && sent[0].retain && sent[0].payload.is_empty());
}

#[test]
fn the_snapshot_goes_before_events_and_begins_with_the_named_topic() {
    let mut world = World::new();
    world.take(&Step::Event(0));
    world
        .outbox
        .reply("r".into(), payload(7), Some(payload(9)), Lane::Others);
    for topic in 0..3 {
        world.take(&Step::Retain(topic, Some(topic)));
    }
    world.outbox.connected(Some("t1"));
    let topics: Vec<_> = drain(&mut world.outbox)
        .into_iter()
        .map(|message| message.topic.to_string())
        .collect();
    assert_eq!(topics[..4], ["t1", "t0", "t2", "r"]);
    assert_eq!(topics.len(), 6);
}

#[test]
fn replies_are_bounded_kept_in_order_and_sent_again() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    for n in 0..3 {
        outbox.reply("r".into(), payload(n), None, Lane::Others);
    }
    assert_eq!(outbox.dropped(), 1);
    outbox.connected(None);
    outbox.next_message().unwrap();
    outbox.next_message().unwrap();
    outbox.disconnected();
    outbox.connected(None);
    let sent: Vec<_> = drain(&mut outbox).into_iter().map(|m| m.payload).collect();
    assert_eq!(sent, [payload(1), payload(2)]);
}

#[test]
fn a_cursor_beyond_the_journal_does_not_silence_the_board() {
    let mut cursors = Cursors::default();
    cursors.set(&board(1), entry(500), entry(500));
    let mut outbox = Outbox::new(&site(), cursors, LIMITS);
    outbox.board(board(1), entry(0), entry(3), Vec::new());
    outbox.event(&board(1), entry(4), payload(4));
    outbox.connected(None);
    assert_eq!(drain(&mut outbox).len(), 2);
    assert_eq!(outbox.events.cursors().get(&board(1)), Some(entry(4)));
}

#[test]
fn numbers_that_no_event_has_do_not_wait() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.connected(None);
    outbox.board(board(1), entry(0), entry(2), Vec::new());
    let far = 1_700_000_000_000;
    outbox.event(&board(1), entry(far), payload(far));
    outbox.event(&board(1), entry(far + 1), payload(far + 1));
    let waiting = outbox.depth();
    assert!((4..=8).contains(&waiting), "{waiting}");
    outbox.event(&board(1), entry(far + 2), payload(far + 2));
    outbox.event(&board(1), entry(far + 3), payload(far + 3));
    for (numbers, left) in [
        (&[1, 2, far][..], 3),
        (&[far + 1], 2),
        (&[far + 2, far + 3], 0),
    ] {
        let request = outbox.next_read().unwrap();
        let stored = numbers.iter().map(|seq| StoredEvent {
            seq: entry(*seq),
            payload: payload(*seq),
        });
        outbox.refill(&request, stored.collect());
        assert_eq!(drain(&mut outbox).len(), 2 * numbers.len());
        assert_eq!(outbox.depth(), 2 * left, "after {numbers:?}");
    }
    assert_eq!(outbox.events.cursors().get(&board(1)), Some(entry(far + 3)));
}

#[test]
fn numbers_that_no_event_has_do_not_wait_after_a_restart() {
    let far = 1_700_000_000_000;
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    let passed_over = vec![entry(4)..=entry(far), entry(far + 6)..=entry(2 * far)];
    outbox.board(board(1), entry(3), entry(2 * far + 5), passed_over);
    assert_eq!(outbox.depth(), 20, "ten events for two audiences");
    assert_eq!(outbox.events.recount_waiting(), 20);
    let ahead = 2 * far + 6;
    outbox.event(&board(1), entry(ahead), payload(ahead));
    assert_eq!((outbox.depth(), outbox.events.recount_waiting()), (22, 22));
    // If only unused numbers remain, nothing is read.
    outbox.board(board(2), entry(3), entry(far), vec![entry(4)..=entry(far)]);
    assert_eq!(outbox.depth(), 22);
    outbox.connected(None);
    let stored = |range: RangeInclusive<u64>| {
        let stored = range.map(|seq| StoredEvent {
            seq: entry(seq),
            payload: payload(seq),
        });
        stored.collect::<Vec<_>>()
    };
    for (range, left) in [
        (far + 1..=far + 3, 8),
        (far + 4..=far + 5, 6),
        (2 * far + 1..=2 * far + 3, 3),
        (2 * far + 4..=ahead, 0),
    ] {
        let request = outbox.next_read().unwrap();
        assert_eq!(request.board, board(1));
        outbox.refill(&request, stored(range));
        drain(&mut outbox);
        assert_eq!(outbox.depth(), 2 * left);
    }
}

#[test]
fn a_store_with_too_few_events_does_not_stop_the_board() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.board(board(1), entry(0), entry(2), Vec::new());
    let request = outbox.next_read().unwrap();
    assert_eq!((request.after, request.limit), (EntrySeq::ZERO, 3));
    assert_eq!(outbox.next_read(), None, "one read at a time");
    outbox.refill(&request, Vec::new());
    outbox.event(&board(1), entry(3), payload(3));
    outbox.connected(None);
    assert_eq!(drain(&mut outbox).len(), 2);
    assert!(outbox.is_idle());
}

#[test]
fn an_event_that_comes_while_the_store_is_read_is_not_forgotten() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.board(board(1), entry(0), entry(2), Vec::new());
    let early = outbox.next_read().unwrap();
    outbox.event(&board(1), entry(3), payload(3));
    outbox.refill(&early, Vec::new());
    let again = outbox.next_read().expect("the store must be asked again");
    let (seq, payload) = (3, payload(3));
    outbox.refill(
        &again,
        vec![StoredEvent {
            seq: entry(seq),
            payload,
        }],
    );
    outbox.connected(None);
    assert_eq!(drain(&mut outbox).len(), 2);
    assert!(outbox.is_idle());
}

#[test]
fn an_event_that_the_store_has_before_it_is_announced_is_sent_once() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.board(board(1), entry(0), entry(2), Vec::new());
    let request = outbox.next_read().unwrap();
    let stored = |seq| StoredEvent {
        seq: entry(seq),
        payload: payload(seq),
    };
    outbox.refill(&request, (1..=3).map(stored).collect());
    outbox.event(&board(1), entry(3), payload(3));
    outbox.connected(None);
    assert_eq!(
        drain(&mut outbox).len(),
        6,
        "three events for two audiences"
    );
    assert!(outbox.is_idle());
    assert_eq!(outbox.confirmed(&board(1)), Some(entry(3)));
}

#[test]
fn what_is_sent_again_is_doubted_as_long_as_what_is_new() {
    let mut world = World::new();
    world.take(&Step::Connect);
    for _ in 0..3 {
        world.take(&Step::Event(1));
        drain(&mut world.outbox);
        world.take(&Step::Age);
    }
    world.take(&Step::LoseNode);
    let first = world.outbox.depth();
    world.settle();
    world.take(&Step::Age);
    world.take(&Step::LoseNode);
    assert_eq!(world.outbox.depth(), first, "by two nodes in a row");
}

#[test]
fn what_a_lost_node_may_not_have_passed_on_is_sent_again() {
    let mut world = World::new();
    world.take(&Step::Connect);
    let send = |world: &mut World| {
        world.take(&Step::Event(1));
        drain(&mut world.outbox)
    };
    for _ in 0..3 {
        send(&mut world);
        send(&mut world);
        world.take(&Step::Age);
    }
    send(&mut world);
    world.take(&Step::LoseNode);
    assert_eq!(world.outbox.depth(), 6, "three events for two audiences");
    let cursors = world.outbox.events.cursors();
    assert_eq!(cursors.get(&board(1)), Some(entry(7)));
    assert_eq!(cursors.resume(&board(1)), Some(entry(4)));
    world.settle();
    let topic = "chess/v1/hall/arbiter/b1/event";
    assert_eq!(world.broker.events[topic], [5, 6, 7]);
    // An older node's acknowledgement is not doubted any more.
    world.take(&Step::Age);
    world.take(&Step::Age);
    world.take(&Step::LoseNode);
    assert!(world.outbox.is_idle());
}

#[test]
fn what_a_node_may_not_have_passed_on_is_sent_again_after_a_restart() {
    let mut world = World::new();
    world.outbox.doubt_acknowledgements();
    world.take(&Step::Connect);
    for _ in 0..3 {
        world.take(&Step::Event(1));
        drain(&mut world.outbox);
        world.take(&Step::Age);
    }
    let cursors = world.outbox.events.cursors();
    assert_eq!(cursors.get(&board(1)), Some(entry(3)));
    assert_eq!(cursors.resume(&board(1)), Some(entry(2)));
    world.kill();
    assert_eq!(world.outbox.confirmed(&board(1)), Some(entry(2)));
    let cursors = world.outbox.events.cursors();
    assert_eq!(cursors.get(&board(1)), Some(entry(3)), "for a lost end");
    world.settle();
    assert_eq!(world.broker.events["chess/v1/hall/arbiter/b1/event"], [3]);
}

#[test]
fn a_refused_audience_holds_up_nobody_and_gets_everything_later() {
    let mut world = World::new();
    let of = |world: &World, audience: &str, n: u8| {
        let topic = format!("chess/v1/hall/{audience}/b{n}/event");
        let events = world.broker.events.get(topic.as_str());
        events.cloned().unwrap_or_default()
    };
    let work = |world: &mut World| {
        for _ in 0..30 {
            world.take(&Step::Send(3));
            world.take(&Step::Confirm(0));
            world.take(&Step::AskStore);
            world.take(&Step::AnswerStore(true));
        }
    };
    world.take(&Step::Forbid(Some("operator/b1")));
    world.take(&Step::Connect);
    // More than fit into memory.
    for _ in 0..9 {
        world.take(&Step::Event(1));
        world.take(&Step::Event(2));
        work(&mut world);
    }
    let all: Vec<u64> = (1..=9).collect();
    for (audience, n) in [("arbiter", 1), ("arbiter", 2), ("operator", 2)] {
        assert_eq!(of(&world, audience, n), all, "{audience} {n}");
    }
    assert_eq!(world.outbox.events.in_memory(), 0);
    assert_eq!(world.outbox.depth(), 9);
    world.take(&Step::RetryRefused);
    let sent = |world: &mut World| std::iter::from_fn(|| world.outbox.next_message()).count();
    world.take(&Step::AskStore);
    world.take(&Step::AnswerStore(true));
    assert_eq!(sent(&mut world), 1, "only one event tries it");
    // The daemon is killed: the record knows what nobody has got.
    assert_eq!(world.outbox.confirmed(&board(1)), Some(entry(0)));
    world.broker.forbidden = None;
    world.kill();
    world.settle();
    assert_eq!(of(&world, "operator", 1), all);
    assert_eq!(world.outbox.confirmed(&board(1)), Some(entry(9)));
}

#[test]
fn an_event_that_no_broker_takes_is_passed_over() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.connected(None);
    for seq in 1..=2 {
        outbox.event(&board(1), entry(seq), payload(seq));
    }
    let large = outbox.next_message().unwrap();
    outbox.give_up(large.id);
    assert_eq!(drain(&mut outbox).len(), 3);
    assert_eq!(outbox.confirmed(&board(1)), Some(entry(2)));
}

#[test]
fn refreshes_repeat_every_topic_in_turn() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    let topics: Vec<Arc<str>> = (0..700).map(|n| format!("t{n:03}").into()).collect();
    for topic in &topics {
        outbox.retain(topic.clone(), Some(payload(1)), Delivery::AtLeastOnce);
    }
    drain(&mut outbox);
    let mut repeated = Vec::new();
    for _ in 0..7 {
        outbox.refresh();
        let sent = drain(&mut outbox);
        assert_eq!(sent.len(), 300);
        assert!(sent.iter().all(|message| message.payload == payload(1)));
        repeated.extend(sent.into_iter().map(|message| message.topic));
    }
    let three_times: Vec<Arc<str>> = [&topics[..]; 3].concat();
    assert_eq!(repeated, three_times);
}

#[test]
fn a_refresh_of_few_topics_repeats_each_once() {
    let mut outbox = Outbox::new(&site(), Cursors::default(), LIMITS);
    outbox.refresh();
    assert!(drain(&mut outbox).is_empty());
    for topic in ["a", "b"] {
        outbox.retain(topic.into(), Some(payload(1)), Delivery::AtLeastOnce);
    }
    drain(&mut outbox);
    for _ in 0..3 {
        outbox.refresh();
        assert_eq!(drain(&mut outbox).len(), 2);
    }
}
