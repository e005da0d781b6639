mod damage;

use std::thread::JoinHandle;

use super::*;
use remisd_game::{Cause, Judgement, Likeness, Remembered, SettledBy};
use remisd_journal::{DaemonSession, FindLastSeq, JournalLocation};
use remisd_vocabulary::{seq::EntrySeq, time::ManualClock};

struct House {
    clock: Arc<ManualClock>,
    directory: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        Self {
            clock: Arc::new(ManualClock::default()),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    async fn open(&self) -> (Record, JoinHandle<()>) {
        self.open_given(|_, _| EntrySeq::ZERO).await
    }

    async fn open_given(&self, given: FindLastSeq) -> (Record, JoinHandle<()>) {
        let public = PublicReplay {
            delay: PublicDelay::default(),
            show: |_: &Game, _, _| {},
        };
        self.open_public(given, public).await
    }

    async fn open_public(
        &self,
        given: FindLastSeq,
        public: PublicReplay<impl FnMut(&Game, Timestamp, Span)>,
    ) -> (Record, JoinHandle<()>) {
        let clock: Arc<dyn Clock> = self.clock.clone();
        let session = DaemonSession::begin().unwrap();
        let place = JournalLocation {
            given,
            ..JournalLocation::from(self.directory.path())
        };
        let (journal, thread, _) = Journal::open_at(place, session, clock.clone()).unwrap();
        let record = Record::recover(
            "hall".parse().unwrap(),
            "b1".parse().unwrap(),
            "session".to_owned(),
            journal,
            clock,
            Rules::default(),
            public,
        );
        (record.await.unwrap(), thread)
    }
}

/// Closes a record, as a daemon that stops.
async fn close(mut record: Record, thread: JoinHandle<()>) {
    record.close().await;
    drop(record);
    thread.join().unwrap();
}

/// Records a move.
async fn play(record: &mut Record, uci: &str, by: SettledBy) {
    let uci = uci.into();
    let clock = None;
    record.write(Input::Move { uci, by, clock }).await;
}

/// Reopens a record, and returns what the public is shown: games and plies.
async fn shown(house: &House, delay_ms: u64) -> Vec<(u64, u32)> {
    let mut shown = Vec::new();
    let public = PublicReplay {
        delay: PublicDelay {
            time: Span::from_millis(delay_ms),
            plies: 0,
        },
        show: |game: &Game, _, _| shown.push((game.number().get(), game.ply())),
    };
    let (record, thread) = house.open_public(|_, _| EntrySeq::ZERO, public).await;
    close(record, thread).await;
    shown
}

#[tokio::test]
async fn the_public_is_shown_the_ends_of_earlier_games_that_wait_and_how_those_before_were_left() {
    let house = House::new();
    let (mut record, thread) = house.open().await;
    let mut expected = Vec::new();
    for moves in [&["e2e4", "e7e5"][..], &["d2d4"], &[], &["c2c4"]] {
        let number = record.write(start_array()).await.seq.get();
        expected.push((number, 0));
        for (uci, ply) in moves.iter().zip(1..) {
            play(&mut record, uci, SettledBy::Clock).await;
            expected.push((number, ply));
        }
    }
    close(record, thread).await;
    // Of the games before the newest one, the last states.
    let last_states = [2, 4, 5, 6, 7].map(|at: usize| expected[at]);
    assert_eq!(shown(&house, 0).await, last_states);
    // Nothing proves that anything is as old as the delay.
    assert_eq!(shown(&house, 900_000).await, expected);
}

fn start_array() -> Input {
    Input::NewGame {
        start_fen: None,
        laws: "fide-2023".into(),
        rate: remisd_laws::Rate::Standard,
        headers: std::collections::BTreeMap::new(),
        cause: Cause::StartArray,
    }
}

#[tokio::test]
async fn a_power_cut_right_after_a_game_has_begun_loses_nothing_of_the_board() {
    let house = House::new();
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    let orientation = remisd_vocabulary::sensor::Orientation::default();
    record
        .write(Input::Orientation {
            orientation,
            clock_reversed: false,
        })
        .await;
    let resign = Verb::Resign { player: None };
    record.write(Input::Command(of_white(resign))).await;
    let entry = record.write(start_array()).await;
    let before = record.game().carried();
    assert_eq!(before.unconfirmed.len(), 1);
    assert!(record.game().answer(Role::White, "1").is_some());
    close(record, thread).await;

    let (again, _) = house.open().await;
    assert_eq!(again.game().seq(), entry.seq, "it was the last entry");
    assert_eq!(again.game().carried(), before);
    assert_eq!(again.game().alerts().open().len(), 1);
    assert_eq!(again.game().number(), entry.seq);
}

#[tokio::test]
async fn where_names_are_masked_the_disk_has_none_and_the_game_has_them_until_it_ends() {
    let house = House::new();
    let (mut record, thread) = house.open().await;
    record.mask_names(true);
    let headers = |tags: &[(&str, &str)]| {
        let tags = tags.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        tags.collect::<std::collections::BTreeMap<_, _>>()
    };
    let named = headers(&[
        ("White", "Zsofia"),
        ("WhiteFideId", "70071"),
        ("Black", "Yasser"),
        ("Event", "Open"),
    ]);
    let command = |id: &str, role, by: &str, verb| {
        Input::Command(Command {
            id: id.to_owned(),
            role,
            by: Some(by.to_owned()),
            if_seq: None,
            unsettled: None,
            verb,
        })
    };
    let new_game = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: named.clone(),
    };
    let heard = [
        record
            .write(command("1", Role::Arbiter, "arbiter", new_game))
            .await,
        record
            .write(command(
                "2",
                Role::Operator,
                "desk",
                Verb::Headers {
                    headers: headers(&[("BlackElo", "2710"), ("BlackTeam", "Yasserites")]),
                },
            ))
            .await,
        record
            .write(command(
                "3",
                Role::White,
                "Zsofia",
                Verb::Offer {
                    player: None,
                    condition: None,
                },
            ))
            .await,
    ];
    assert_eq!(record.game().headers()["White"], "Zsofia", "for the topics");
    assert_eq!(record.game().headers()["BlackElo"], "2710");
    close(record, thread).await;

    let mut written = String::new();
    for file in std::fs::read_dir(house.directory.path().join("b1")).unwrap() {
        written += &std::fs::read_to_string(file.unwrap().path()).unwrap();
    }
    for entry in &heard {
        written += std::str::from_utf8(&entry.body).unwrap();
    }
    for name in ["Zsofia", "70071", "Yasser", "2710"] {
        assert!(!written.contains(name), "{name}: {written}");
    }
    assert!(written.contains("Open"), "{written}");

    let (again, _) = house.open().await;
    assert!(again.game().standing_offer().is_some());
    let known = headers(&[("White", "?"), ("Black", "?"), ("Event", "Open")]);
    assert_eq!(*again.game().headers(), known);
    let reader = Reader::new(house.directory.path());
    let board = "b1".parse().unwrap();
    let mut game = Game::new(Rules::default());
    for entry in reader.read_after(&board, EntrySeq::ZERO, 99).unwrap() {
        let remembered: Remembered = serde_json::from_slice(&entry.body).unwrap();
        let likeness = game.replay(entry.seq, &remembered).likeness;
        let begins = remembered.carried.is_some();
        assert!(
            likeness == Likeness::Same || begins && likeness == Likeness::Essence,
            "entry {}",
            entry.seq
        );
    }
}

/// The game of a source whose tags are these.
fn sourced(tags: &str, moves: &str) -> Arc<remisd_feed::SourceGame> {
    let text = format!("{tags}\n\n{moves} *\n");
    let game = crate::pgn::Games::new(text.as_bytes())
        .next()
        .unwrap()
        .unwrap();
    Arc::new(remisd_feed::SourceGame::read(&game).unwrap())
}

#[tokio::test]
async fn a_masked_name_that_an_operator_removes_returns_in_a_replay_as_it_did() {
    let house = House::new();
    let (mut record, thread) = house.open().await;
    record.mask_names(true);
    let mut follower = remisd_feed::Follower::default();
    let texts = [
        "[White \"Anna\"]\n[Black \"Bea\"]\n[Round \"1\"]",
        // Only another tag changes, and then the name that was removed.
        "[White \"Anna\"]\n[Black \"Bea\"]\n[Round \"1\"]\n[Board \"4\"]",
        "[White \"Annika\"]\n[Black \"Bea\"]\n[Round \"1\"]\n[Board \"4\"]",
    ];
    for (number, tags) in texts.into_iter().enumerate() {
        follower.see("games.pgn".into(), sourced(tags, "1. e4"), true, false);
        while let Some(input) = follower.next(record.game()) {
            record.write(input).await;
        }
        assert_eq!(record.game().headers().contains_key("White"), number != 1);
        if number == 0 {
            let headers = serde_json::json!({ "headers": { "White": "" } });
            let json = serde_json::json!({
                "type": "command", "id": "1", "role": "operator", "verb": "headers",
                "arguments": headers,
            });
            record.write(serde_json::from_value(json).unwrap()).await;
            assert!(!record.game().headers().contains_key("White"));
        }
    }
    let headers = names::masked_tags(record.game().headers());
    close(record, thread).await;
    let mut game = Game::new(Rules::default());
    let reader = Reader::new(house.directory.path());
    let board = "b1".parse().unwrap();
    for entry in reader.read_after(&board, EntrySeq::ZERO, 99).unwrap() {
        let remembered: Remembered = serde_json::from_slice(&entry.body).unwrap();
        let replayed = game.replay(entry.seq, &remembered);
        let is_begin = remembered.carried.is_some();
        assert!(
            replayed.likeness == Likeness::Same || is_begin,
            "{replayed:?}"
        );
    }
    assert_eq!(*game.headers(), headers);
}

#[tokio::test]
async fn a_source_with_masked_names_gives_the_same_record_again_after_every_restart() {
    let house = House::new();
    let anna = "[White \"Anna\"]\n[WhiteElo \"2400\"]\n[Black \"Bea\"]\n[Round \"1\"]";
    let corrected = "[White \"Annika\"]\n[WhiteElo \"2410\"]\n[Black \"Bea\"]\n[Round \"1\"]";
    let runs = [
        vec![(anna, "1. e4"), (corrected, "1. e4 e5")],
        vec![(corrected, "1. e4 e5 2. Nf3"), (anna, "1. e4 e5 2. Nf3")],
        vec![(anna, "1. e4 e5 2. Nf3 Nc6")],
    ];
    let mut headers = std::collections::BTreeMap::new();
    for run in &runs {
        let (mut record, thread) = house.open().await;
        record.mask_names(true);
        let mut follower = remisd_feed::Follower::default();
        for (tags, moves) in run {
            follower.see("games.pgn".into(), sourced(tags, moves), true, false);
            for entered in 0.. {
                assert!(entered < 20, "the follower does not come to rest");
                let Some(input) = follower.next(record.game()) else {
                    break;
                };
                record.write(input).await;
            }
        }
        let (tags, moves) = run.last().unwrap();
        assert_eq!(*record.game().headers(), sourced(tags, moves).tags);
        headers = names::masked_tags(record.game().headers());
        close(record, thread).await;
    }
    let mut game = Game::new(Rules::default());
    let reader = Reader::new(house.directory.path());
    let board = "b1".parse().unwrap();
    let mut sets = 0;
    for entry in reader.read_after(&board, EntrySeq::ZERO, 99).unwrap() {
        let text = std::str::from_utf8(&entry.body).unwrap();
        for name in ["Ann", "Bea", "\"2400\"", "\"2410\""] {
            assert!(!text.contains(name), "{text}");
        }
        let remembered: Remembered = serde_json::from_slice(&entry.body).unwrap();
        let replayed = game.replay(entry.seq, &remembered);
        let is_begin = remembered.carried.is_some();
        assert!(replayed.likeness == Likeness::Same || is_begin, "{text}");
        let set = |fact: &&Fact| matches!(fact, Fact::HeadersSet { .. });
        sets += replayed.facts.iter().filter(set).count();
    }
    assert!(sets >= 5, "{sets}");
    assert_eq!(*game.headers(), headers);
    assert_eq!(game.ply(), 4);
}

/// Returns a record whose second game was started without the disk and, after its start, received
/// the inputs `then`.
async fn apart_from_its_disk(then: impl IntoIterator<Item = Input>) -> Record {
    const PASSED_OVER: u64 = 10_000;
    let house = House::new();
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    let resign = Verb::Resign { player: None };
    record.write(Input::Command(of_white(resign))).await;
    close(record, thread).await;

    let board: BoardId = "b1".parse().unwrap();
    let clock: Arc<dyn Clock> = house.clock.clone();
    let session = DaemonSession::begin().unwrap();
    let (journal, thread) = Journal::open(house.directory.path(), session, clock.clone()).unwrap();
    journal.recover(&board).await.unwrap();
    journal
        .skip(&board, EntrySeq::new(PASSED_OVER))
        .await
        .unwrap();
    let mut game = Game::new(Rules::default());
    for (seq, input) in (PASSED_OVER + 1..)
        .map(EntrySeq::new)
        .zip([start_array()].into_iter().chain(then))
    {
        let begins_segment = matches!(input, Input::NewGame { .. });
        let (time, monotonic_ms) = (clock.now(), clock.monotonic().as_millis());
        let stamped = Stamped { seq, time, input };
        let facts = game.apply(&stamped);
        let event = Event {
            schema: Event::SCHEMA.into(),
            site: "hall".to_owned(),
            board: board.to_string(),
            session: "apart".to_owned(),
            seq,
            time: rfc3339(time),
            monotonic_ms,
            input: stamped.input,
            carried: begins_segment.then(|| Box::new(game.carried())),
            numbers: None,
            judgement: Judgement::CURRENT,
            facts,
            raw: None,
        };
        let entry = Append {
            board: board.clone(),
            seq,
            body: serde_json::to_vec(&event).unwrap().into(),
            begins_segment,
        };
        journal.append(entry).await.unwrap();
    }
    drop(journal);
    thread.join().unwrap();
    house.open().await.0
}

fn of_white(verb: Verb) -> Command {
    Command {
        id: "1".to_owned(),
        role: Role::White,
        by: None,
        if_seq: None,
        unsettled: None,
        verb,
    }
}

#[tokio::test]
async fn unresolved_matters_are_handed_over_although_the_daemon_was_killed() {
    let mut record = apart_from_its_disk([]).await;
    let left = record
        .take_pending_handover()
        .expect("nothing has stated it");
    assert_eq!(left.game.get(), 1);
    assert_eq!(record.take_pending_handover(), None, "once");

    let statement = || Input::MergedWithDisk { left: left.clone() };
    let mut record = apart_from_its_disk([statement()]).await;
    assert_eq!(record.take_pending_handover(), None, "it was stated");

    let mut record = apart_from_its_disk([start_array(), start_array()]).await;
    let of = record
        .take_pending_handover()
        .expect("nothing has stated it");
    assert_eq!(
        of.game.get(),
        1,
        "of three games that were begun without the disk"
    );
    for then in [[start_array(), statement()], [statement(), start_array()]] {
        let mut record = apart_from_its_disk(then).await;
        assert_eq!(record.take_pending_handover(), None, "it was stated");
    }
}
