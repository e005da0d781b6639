//! A game whose journal was damaged between two starts.

use std::{fs, path::PathBuf};

use super::*;
use remisd_game::{AlertCode, Level, SettledBy};
use remisd_journal::{Contradiction, Given};

/// A quiet opening, and the entry of its first move: the start array takes entry 1.
const MOVES: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7";
const FIRST_MOVE: u64 = 2;

fn house() -> House {
    House {
        clock: Arc::new(ManualClock::default()),
        directory: tempfile::tempdir().unwrap(),
    }
}

async fn play(house: &House) {
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    for uci in MOVES.split(' ') {
        let (uci, by) = (uci.into(), SettledBy::Reply);
        record
            .write(Input::Move {
                uci,
                by,
                clock: None,
            })
            .await;
    }
    record.close().await;
    drop(record);
    thread.join().unwrap();
}

/// Changes lines of the only segment; line 0 is the header.
fn damage(house: &House, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let path: PathBuf = house.directory.path().join("b1/000000000001.jsonl");
    let bytes = fs::read(&path).unwrap();
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    change(&mut lines);
    fs::write(&path, lines.join(&b'\n')).unwrap();
}

/// Flips one bit in the body of an entry.
fn flip(seq: u64) -> impl FnOnce(&mut Vec<Vec<u8>>) {
    move |lines| {
        let line = &mut lines[usize::try_from(seq).unwrap()];
        let at = line.len() - 4;
        line[at] ^= 1;
    }
}

fn moves(game: &Game) -> String {
    let moves: Vec<&str> = game
        .moves()
        .iter()
        .map(|made| made.text.uci.as_str())
        .collect();
    moves.join(" ")
}

/// Returns what an arbiter sees of it after the start.
fn red(game: &Game) -> Option<serde_json::Map<String, serde_json::Value>> {
    let alerts = game.alerts().open();
    let alert = alerts
        .iter()
        .find(|alert| alert.code == AlertCode::EntriesLost)?;
    assert_eq!(alert.level, Level::Red);
    Some(alert.arguments.clone())
}

/// Opens the record and writes the loss, as the board actor does.
async fn opened(house: &House) -> (Record, std::thread::JoinHandle<()>, bool) {
    let (mut record, thread) = house.open().await;
    let losses = record.take_unreported_losses();
    let told = !losses.is_empty();
    for lost in losses {
        let written = record.write(lost).await;
        let says = |fact: &Fact| matches!(fact, Fact::EntriesLost { .. });
        assert!(written.facts.iter().any(says), "as an event");
    }
    (record, thread, told)
}

#[tokio::test]
async fn a_flipped_bit_loses_one_ply_which_is_found_again_and_the_arbiter_is_told() {
    for ply in [1, 5, 9] {
        let house = house();
        play(&house).await;
        let seq = FIRST_MOVE + u64::from(ply) - 1;
        damage(&house, flip(seq));
        let (mut record, thread, told) = opened(&house).await;
        assert!(told);
        let game = record.game();
        assert_eq!(moves(game), MOVES, "ply {ply} is the only one that fits");
        assert!(game.moves()[usize::try_from(ply).unwrap() - 1].is_reconstructed());
        assert_eq!(game.uncertain_since(), Some(ply));
        let arguments = red(game).expect("a red alert");
        assert_eq!(arguments["from"], seq);
        assert_eq!(
            (&arguments["count"], &arguments["since"]),
            (&1.into(), &ply.into())
        );
        let before = game.clone();
        record.close().await;
        drop(record);
        thread.join().unwrap();

        let (again, _, told) = opened(&house).await;
        assert!(!told, "once");
        assert_eq!(again.game().seq(), before.seq());
        assert_eq!(
            again.game().uncertain_since(),
            Some(ply),
            "as long as nobody corrects it"
        );
        assert_eq!(red(again.game()), Some(arguments));
        assert_eq!(moves(again.game()), MOVES);
    }
}

#[tokio::test]
async fn the_arbiter_acknowledges_a_loss_and_corrects_the_record() {
    let house = house();
    play(&house).await;
    damage(&house, flip(FIRST_MOVE + 4));
    let (mut record, ..) = opened(&house).await;
    let command = |id: &str, verb| {
        Input::Command(Command {
            id: id.to_owned(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        })
    };
    let alerts = record.game().alerts().open();
    let alert = alerts
        .iter()
        .find(|alert| alert.code == AlertCode::EntriesLost);
    let alert = alert.unwrap().id.clone();
    record.write(command("1", Verb::Ack { alert })).await;
    assert_eq!(red(record.game()), None);
    assert_eq!(
        record.game().uncertain_since(),
        Some(5),
        "seen is not put right"
    );
    let moves = MOVES.split(' ').skip(4).map(str::to_owned).collect();
    record
        .write(command("2", Verb::Correct { to_ply: 4, moves }))
        .await;
    assert_eq!(record.game().uncertain_since(), None);
}

#[tokio::test]
async fn several_plies_in_a_block_of_zeros_are_found_again_or_said_to_be_missing() {
    let house = house();
    play(&house).await;
    let seq = FIRST_MOVE + 3;
    damage(&house, |lines| {
        for line in &mut lines[usize::try_from(seq).unwrap()..][..2] {
            line.fill(0);
        }
    });
    let (record, ..) = opened(&house).await;
    // The line after them counts as well: without its predecessor nothing proves it.
    assert_eq!(red(record.game()).unwrap()["count"], 3);
    assert_eq!(moves(record.game()), MOVES);
    assert_eq!(record.game().uncertain_since(), Some(4));
}

#[tokio::test]
async fn a_game_whose_first_entry_is_lost_is_begun_again() {
    let house = house();
    play(&house).await;
    damage(&house, flip(1));
    let (record, ..) = opened(&house).await;
    assert_eq!(moves(record.game()), MOVES);
    assert_eq!(record.game().number(), 1);
    assert_eq!(
        red(record.game()).unwrap()["since"],
        serde_json::Value::Null
    );
}

#[tokio::test]
async fn a_game_that_was_cut_off_is_not_certain_any_more_and_no_number_is_given_twice() {
    const TOLD: Given = |_, _| 71;
    let house = house();
    play(&house).await;
    let (mut record, thread) = house.open_given(TOLD).await;
    let mut losses = record.take_unreported_losses();
    let lost = losses.pop().expect("the numbers up to 71");
    let entry = record.write(lost).await;
    assert_eq!(entry.seq, 72);
    let plies = record.game().ply();
    assert_eq!(record.game().uncertain_since(), Some(plies + 1));
    let arguments = red(record.game()).expect("a red alert");
    assert_eq!(
        (&arguments["from"], &arguments["to"]),
        (&12.into(), &71.into())
    );
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (mut again, _) = house.open_given(TOLD).await;
    assert_eq!(again.take_unreported_losses(), []);
    assert_eq!(again.game().seq(), 72);
    assert_eq!(red(again.game()), Some(arguments));
}

#[tokio::test]
async fn a_loss_that_nobody_has_seen_is_told_in_the_next_game_too() {
    let house = house();
    play(&house).await;
    damage(&house, flip(FIRST_MOVE + 2));
    let (mut record, thread, _) = opened(&house).await;
    record.write(start_array()).await;
    assert!(red(record.game()).is_some());
    assert_eq!(
        record.game().uncertain_since(),
        None,
        "this game has lost nothing"
    );
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (again, ..) = opened(&house).await;
    assert!(red(again.game()).is_some());
}

/// The numbers with which the segments begin.
fn segments(house: &House) -> Vec<u64> {
    let reader = Reader::new(house.directory.path());
    reader.segments(&"b1".parse().unwrap()).unwrap()
}

fn path_of(house: &House, segment: u64) -> PathBuf {
    let name = format!("b1/{segment:012}.jsonl");
    house.directory.path().join(name)
}

/// What the red alerts say of lost entries: game, first, last, what is left.
fn losses(game: &Game) -> Vec<(u64, u64, u64, String)> {
    let alerts = game.alerts().open().iter();
    let lost = alerts.filter(|alert| alert.code == AlertCode::EntriesLost);
    lost.map(|alert| {
        assert_eq!(alert.level, Level::Red);
        let number = |name: &str| alert.arguments[name].as_u64().unwrap();
        let left = alert.arguments["left"].as_str().unwrap_or_default();
        (
            number("game"),
            number("from"),
            number("to"),
            left.to_owned(),
        )
    })
    .collect()
}

/// Does something to the file of a game.
type Harm<'a> = &'a dyn Fn(&House, u64);

#[tokio::test]
async fn a_loss_in_an_older_game_raises_the_red_alert_with_its_number_once() {
    let remove = |house: &House, segment| fs::remove_file(path_of(house, segment)).unwrap();
    let empty = |house: &House, segment| fs::write(path_of(house, segment), "").unwrap();
    let cut = |house: &House, segment| {
        let bytes = fs::read(path_of(house, segment)).unwrap();
        fs::write(path_of(house, segment), &bytes[..bytes.len() - 9]).unwrap();
    };
    let prove_and_remove = |house: &House, segment| {
        let raw = path_of(house, segment).with_extension("");
        fs::write(format!("{}-1.raw", raw.display()), "").unwrap();
        remove(house, segment);
    };
    let cases: [(Harm, [u64; 3], &str); 4] = [
        (&empty, [12, 12, 22], "nothing"),
        (&prove_and_remove, [12, 12, 22], "nothing"),
        (&remove, [1, 12, 22], "unknown"),
        (&cut, [12, 22, 22], "part"),
    ];
    for (harm, [game, from, to], left) in cases {
        let house = house();
        for _ in 0..3 {
            play(&house).await;
        }
        assert_eq!(segments(&house), [1, 12, 23]);
        harm(&house, 12);
        let (mut record, thread, told) = opened(&house).await;
        assert!(told, "{left}");
        let expected = [(game, from, to, left.to_owned())];
        assert_eq!(losses(record.game()), expected);
        assert_eq!(moves(record.game()), MOVES, "the newest game is whole");
        assert_eq!(record.game().uncertain_since(), None);
        // It stays over the next game and over a restart, until the arbiter has seen it.
        record.write(start_array()).await;
        record.close().await;
        drop(record);
        thread.join().unwrap();
        let (mut record, thread, told) = opened(&house).await;
        assert!(!told, "once: {left}");
        assert_eq!(losses(record.game()), expected);
        let alert = format!("entries_lost-{game}");
        let ack = Command {
            id: "1".to_owned(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb: Verb::Ack { alert },
        };
        record.write(Input::Command(ack)).await;
        assert_eq!(losses(record.game()), []);
        record.write(start_array()).await;
        record.close().await;
        drop(record);
        thread.join().unwrap();
        let (record, _, told) = opened(&house).await;
        assert!(!told, "acknowledged: {left}");
        assert_eq!(losses(record.game()), []);
    }
}

#[tokio::test]
async fn a_newest_game_of_which_nothing_is_left_is_named_by_its_number() {
    let house = house();
    play(&house).await;
    play(&house).await;
    let path = path_of(&house, 12);
    let length = fs::read(&path).unwrap().len();
    let line_feeds = fs::read(&path).unwrap();
    // Only the line feeds are left of its eleven entries.
    let zeros = line_feeds
        .iter()
        .map(|&byte| if byte == b'\n' { byte } else { 0 });
    fs::write(&path, zeros.collect::<Vec<u8>>()).unwrap();
    let (mut record, _) = house.open().await;
    assert_eq!(
        length,
        fs::read(path.with_extension("jsonl.damaged"))
            .unwrap()
            .len()
    );
    // As the table does where no game is found.
    assert_eq!(record.game().number(), 0);
    let begun = record.write(start_array()).await.seq;
    for lost in record.take_unreported_losses() {
        record.write(lost).await;
    }
    let expected = [(12, 12, begun - 1, "nothing".to_owned())];
    assert_eq!(
        losses(record.game()),
        expected,
        "not of the game that is played"
    );
    assert_eq!(record.game().uncertain_since(), None);
}

/// Does something to the only file.
type Damage<'a> = &'a dyn Fn(&House);

/// Ends the daemon without a report of what was lost, after `then` was written.
async fn cut_short(house: &House, then: impl IntoIterator<Item = Input>) {
    let (mut record, thread) = house.open().await;
    for input in then {
        record.write(input).await;
    }
    record.close().await;
    drop(record);
    thread.join().unwrap();
}

#[tokio::test]
async fn a_loss_that_a_power_cut_kept_from_being_told_is_told_at_the_next_start() {
    let flip_middle = |house: &House| damage(house, flip(FIRST_MOVE + 3));
    let zero_end = |house: &House| {
        damage(house, |lines| {
            let last = lines.len() - 2;
            lines[last].fill(0);
        });
    };
    let zero_all = |house: &House| {
        damage(house, |lines| {
            for line in lines {
                line.fill(0);
            }
        });
    };
    let cases: [(Damage<'_>, u64, u64, &str); 3] = [
        (&flip_middle, 5, 5, "around"),
        (&zero_end, 11, 11, "unknown"),
        (&zero_all, 1, 11, "nothing"),
    ];
    for (harm, from, to, left) in cases {
        let house = house();
        play(&house).await;
        harm(&house);
        // A new game begins, and the power fails before the entry that reports the loss.
        cut_short(&house, [start_array()]).await;
        let expected = [(1, from, to, left.to_owned())];
        let (mut record, thread, told) = opened(&house).await;
        assert!(told, "{left}");
        assert_eq!(losses(record.game()), expected);
        assert_eq!(record.game().uncertain_since(), None);
        record.close().await;
        drop(record);
        thread.join().unwrap();
        let (record, _, told) = opened(&house).await;
        assert!(!told, "once: {left}");
        assert_eq!(losses(record.game()), expected);
    }
}

#[tokio::test]
async fn a_loss_that_its_own_game_has_told_is_not_told_again_after_it() {
    let house = house();
    play(&house).await;
    damage(&house, flip(FIRST_MOVE + 3));
    let (mut record, thread, told) = opened(&house).await;
    assert!(told);
    let alert = record.game().alerts().open().iter();
    let alert = alert.map(|alert| alert.id.clone()).collect::<Vec<_>>();
    for (id, alert) in (1..).zip(alert) {
        let ack = Command {
            id: format!("{id}"),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb: Verb::Ack { alert },
        };
        record.write(Input::Command(ack)).await;
    }
    record.write(start_array()).await;
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (record, _, told) = opened(&house).await;
    assert!(!told, "the arbiter has acknowledged it");
    assert_eq!(losses(record.game()), []);
}

#[tokio::test]
async fn of_very_many_gaps_none_is_left_out_and_all_are_told_once() {
    const GAPS: u64 = 21;
    let house = house();
    for _ in 0..=2 * GAPS {
        play(&house).await;
    }
    let removed: Vec<u64> = segments(&house).into_iter().skip(1).step_by(2).collect();
    let removed = &removed[..usize::try_from(GAPS).unwrap()];
    for segment in removed {
        fs::remove_file(path_of(&house, *segment)).unwrap();
    }
    let (mut record, thread) = house.open().await;
    let reports = record.take_unreported_losses();
    assert!(reports.len() <= remisd_game::EARLIER_LOSSES);
    for report in reports {
        record.write(report).await;
    }
    let told = losses(record.game());
    let count: u64 = told
        .iter()
        .map(|(_, from, to, _)| (to - from + 1).min(11))
        .sum();
    assert_eq!(
        told.len() as u64,
        count / 11,
        "each of the newest by itself"
    );
    let alerts = record.game().alerts().open().iter();
    let more: u64 = alerts
        .filter_map(|alert| alert.arguments["more"].as_u64())
        .sum();
    assert_eq!(told.len() as u64 + more, GAPS, "none is left out");
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (_, _, told) = opened(&house).await;
    assert!(!told, "once");
}

#[tokio::test]
async fn a_loss_in_the_hole_of_losses_that_were_joined_is_reported_too() {
    // 66 single lost plies of one game, with two good ones between them.
    const LOSSES: u64 = 66;
    let house = house();
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for uci in shuffle
        .iter()
        .cycle()
        .take(4 * usize::try_from(LOSSES).unwrap())
    {
        let (uci, by) = ((*uci).into(), SettledBy::Reply);
        let clock = None;
        record.write(Input::Move { uci, by, clock }).await;
    }
    record.close().await;
    drop(record);
    thread.join().unwrap();
    damage(&house, |lines| {
        for n in 1..=LOSSES {
            flip(4 * n)(lines);
        }
    });
    let (mut record, thread, told) = opened(&house).await;
    assert!(told);
    assert_eq!(red(record.game()).unwrap()["count"], LOSSES);
    record.close().await;
    drop(record);
    thread.join().unwrap();

    damage(&house, flip(90));
    let (mut record, thread, told) = opened(&house).await;
    assert!(told, "the later loss is not swallowed");
    assert_eq!(red(record.game()).unwrap()["count"], LOSSES + 1);
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (_, _, told) = opened(&house).await;
    assert!(!told, "once");
}

/// The open alerts about files of another record: game, whether it is the newest file.
fn of_another_record(game: &Game) -> Vec<(u64, bool)> {
    let alerts = game.alerts().open().iter();
    let alerts = alerts.filter(|alert| alert.code == AlertCode::OtherRecord);
    alerts
        .map(|alert| {
            assert_eq!(alert.level, Level::Red);
            let game = alert.arguments["game"].as_u64().unwrap();
            (game, alert.arguments["newest"] == "yes")
        })
        .collect()
}

#[tokio::test]
async fn a_file_of_another_record_raises_the_red_alert_once_and_nothing_is_removed() {
    for newest in [true, false] {
        let (house, other) = (house(), house());
        play(&house).await;
        share_id(&house, &other);
        for _ in 0..3 {
            play(&other).await;
        }
        for _ in 0..2 {
            play(&house).await;
        }
        let (from, to) = if newest { (23, 23) } else { (1, 1) };
        fs::remove_file(path_of(&house, to)).unwrap();
        fs::copy(path_of(&other, from), path_of(&house, to)).unwrap();
        let (mut record, thread, told) = opened_with_any(&house).await;
        assert!(told);
        assert_eq!(of_another_record(record.game()), [(to, newest)]);
        let kept = fs::read(path_of(&house, to)).unwrap();
        assert!(kept.starts_with(&fs::read(path_of(&other, from)).unwrap()));
        assert_eq!(segments(&house), [1, 12, 23]);
        record.write(start_array()).await;
        record.close().await;
        drop(record);
        thread.join().unwrap();

        let (mut record, thread, told) = opened_with_any(&house).await;
        assert!(!told, "once");
        assert_eq!(
            of_another_record(record.game()).len(),
            1,
            "over the next game"
        );
        let ack = Command {
            id: "1".to_owned(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb: Verb::Ack {
                alert: format!("other_record-{to}"),
            },
        };
        record.write(Input::Command(ack)).await;
        assert_eq!(of_another_record(record.game()), []);
        record.close().await;
        drop(record);
        thread.join().unwrap();
        let (record, _, told) = opened_with_any(&house).await;
        assert!(!told, "acknowledged");
        assert_eq!(of_another_record(record.game()), []);
    }
}

/// Makes both one record, as if one were a backup of the other. What they play differs in time.
fn share_id(from: &House, to: &House) {
    to.clock.advance(3_600_000);
    fs::create_dir(to.directory.path().join("b1")).unwrap();
    let [from, to] = [from, to].map(|house| house.directory.path().join("b1/record.json"));
    fs::copy(from, to).unwrap();
}

#[tokio::test]
async fn a_file_with_another_id_is_set_aside_with_the_red_alert_and_our_game_goes_on() {
    let (house, other) = (house(), house());
    for _ in 0..3 {
        play(&other).await;
    }
    for _ in 0..2 {
        play(&house).await;
    }
    let foreign = path_of(&house, 23);
    fs::copy(path_of(&other, 23), &foreign).unwrap();
    let (mut record, thread, told) = opened_with_any(&house).await;
    assert!(told);
    assert_eq!(of_another_record(record.game()), [(23, false)]);
    let alert = record.game().alerts().open()[0].clone();
    assert_eq!(alert.arguments["file"], "000000000023.jsonl.other");
    assert_eq!(alert.arguments["other"], serde_json::Value::Null);
    assert_eq!(
        (record.game().number(), moves(record.game()).as_str()),
        (12, MOVES)
    );
    assert_eq!(record.game().seq(), 23, "one entry reports it");
    let aside = foreign.with_added_extension("other");
    let bytes = [path_of(&other, 23), aside.clone()].map(|path| fs::read(path).unwrap());
    assert_eq!(bytes[0], bytes[1]);
    // The next game gets a number that the file has had; both stay.
    record.write(start_array()).await;
    record.close().await;
    drop(record);
    thread.join().unwrap();
    assert_eq!(segments(&house), [1, 12, 24]);

    let (mut record, thread, told) = opened_with_any(&house).await;
    assert!(!told, "once");
    assert_eq!(of_another_record(record.game()), [(23, false)]);
    let id = alert.id;
    let ack = Command {
        id: "1".to_owned(),
        role: Role::Arbiter,
        by: None,
        if_seq: None,
        unsettled: None,
        verb: Verb::Ack { alert: id },
    };
    record.write(Input::Command(ack)).await;
    assert_eq!(of_another_record(record.game()), []);
    record.close().await;
    drop(record);
    thread.join().unwrap();
    let (mut record, thread, told) = opened_with_any(&house).await;
    assert!(!told, "acknowledged");
    record.close().await;
    drop(record);
    thread.join().unwrap();

    // Somebody moves the file to where it belongs.
    fs::remove_file(aside).unwrap();
    let (record, ..) = opened_with_any(&house).await;
    assert_eq!(record.game().other_record(), []);
}

#[tokio::test]
async fn of_five_thousand_files_of_another_record_an_entry_has_room() {
    let house = house();
    play(&house).await;
    let (mut record, thread) = house.open().await;
    let found = |first: u64| Contradiction {
        file: format!("{first:012}.jsonl"),
        first,
        other: format!("{:012}.jsonl", first + 1),
        is_newest: false,
    };
    let recovered = |contradictions| Recovered {
        contradictions,
        ..Recovered::default()
    };
    let unreported = |recovered: &Recovered, record: &Record| {
        let (reader, board) = (record.reader(), "b1".parse().unwrap());
        lost::unreported(reader, &board, recovered, record.game(), false)
    };
    let all = recovered(Some((1..=5_000).map(found).collect()));
    let inputs = unreported(&all, &record);
    assert_eq!(inputs.len(), 1);
    for input in inputs {
        record.write(input).await;
    }
    record.write(start_array()).await;
    assert_eq!(of_another_record(record.game()).len(), 16);
    assert_eq!(unreported(&all, &record), [], "once");
    // What is not known neither raises nor closes an alert.
    assert_eq!(unreported(&recovered(None), &record), []);
    assert_eq!(unreported(&recovered(Some(Vec::new())), &record).len(), 1);
    record.close().await;
    assert_eq!(record.waiting(), 0, "the disk has taken all");
    drop(record);
    thread.join().unwrap();
}

/// Opens the record and writes what was found, as the board actor does.
async fn opened_with_any(house: &House) -> (Record, std::thread::JoinHandle<()>, bool) {
    let (mut record, thread) = house.open().await;
    let found = record.take_unreported_losses();
    let told = !found.is_empty();
    for input in found {
        record.write(input).await;
    }
    (record, thread, told)
}
