//! Files of another record beside the board's own.

use super::*;

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
        let (house, other) = (House::new(), House::new());
        play_opening(&house).await;
        share_id(&house, &other);
        for _ in 0..3 {
            play_opening(&other).await;
        }
        for _ in 0..2 {
            play_opening(&house).await;
        }
        let (from, to) = if newest { (23, 23) } else { (1, 1) };
        fs::remove_file(path_of(&house, to)).unwrap();
        fs::copy(path_of(&other, from), path_of(&house, to)).unwrap();
        let (mut record, thread, reported) = opened_with_any(&house).await;
        assert!(reported);
        assert_eq!(of_another_record(record.game()), [(to, newest)]);
        let kept = fs::read(path_of(&house, to)).unwrap();
        assert!(kept.starts_with(&fs::read(path_of(&other, from)).unwrap()));
        assert_eq!(segments(&house), [1, 12, 23]);
        record.write(start_array()).await;
        close(record, thread).await;

        let (mut record, thread, reported) = opened_with_any(&house).await;
        assert!(!reported, "once");
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
        close(record, thread).await;
        let (record, _, reported) = opened_with_any(&house).await;
        assert!(!reported, "acknowledged");
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
async fn a_file_with_another_id_is_set_aside_with_the_red_alert_and_our_game_continues() {
    let (house, other) = (House::new(), House::new());
    for _ in 0..3 {
        play_opening(&other).await;
    }
    for _ in 0..2 {
        play_opening(&house).await;
    }
    let foreign = path_of(&house, 23);
    fs::copy(path_of(&other, 23), &foreign).unwrap();
    let (mut record, thread, reported) = opened_with_any(&house).await;
    assert!(reported);
    assert_eq!(of_another_record(record.game()), [(23, false)]);
    let mut open = record.game().alerts().open().iter();
    let alert = open.find(|alert| alert.code == AlertCode::OtherRecord);
    let alert = alert.unwrap().clone();
    assert_eq!(alert.arguments["file"], "000000000023.jsonl.other");
    assert_eq!(alert.arguments["other"], serde_json::Value::Null);
    assert_eq!(
        (record.game().number().get(), moves(record.game()).as_str()),
        (12, MOVES)
    );
    assert_eq!(record.game().seq().get(), 23, "one entry reports it");
    let aside = foreign.with_added_extension("other");
    let bytes = [path_of(&other, 23), aside.clone()].map(|path| fs::read(path).unwrap());
    assert_eq!(bytes[0], bytes[1]);
    // The next game gets a number that the file has had; both stay.
    record.write(start_array()).await;
    close(record, thread).await;
    assert_eq!(segments(&house), [1, 12, 24]);

    let (mut record, thread, reported) = opened_with_any(&house).await;
    assert!(!reported, "once");
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
    close(record, thread).await;
    let (record, thread, reported) = opened_with_any(&house).await;
    assert!(!reported, "acknowledged");
    close(record, thread).await;

    // Somebody moves the file to where it belongs.
    fs::remove_file(aside).unwrap();
    let (record, ..) = opened_with_any(&house).await;
    assert_eq!(record.game().other_record(), []);
}

#[tokio::test]
async fn of_five_thousand_files_of_another_record_an_entry_has_room() {
    let house = House::new();
    play_opening(&house).await;
    let (mut record, thread) = house.open().await;
    let found = |first: u64| Contradiction {
        file: format!("{first:012}.jsonl"),
        first: EntrySeq::new(first),
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
async fn opened_with_any(house: &House) -> (Record, JoinHandle<()>, bool) {
    let (mut record, thread) = house.open().await;
    let found = record.take_unreported_losses();
    let reported = !found.is_empty();
    for input in found {
        record.write(input).await;
    }
    (record, thread, reported)
}
