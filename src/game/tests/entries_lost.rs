//! What the journal has lost, until the arbiter has seen it.

use super::{table::ARBITER, *};
use remisd_laws::Ply;
use remisd_vocabulary::seq::EntrySeq;
use serde_json::Value;

fn range(from: u64, to: u64) -> LostEntries {
    LostEntries::new(EntrySeq::new(from), EntrySeq::new(to))
}

fn of(game: EntrySeq) -> EarlierGame {
    let (left, more) = (Remains::Part, 0);
    EarlierGame { game, left, more }
}

fn lose(table: &mut Table, lost: &[LostEntries], since: Option<Ply>, earlier: Option<EarlierGame>) {
    let lost = lost.to_vec();
    table.input(Input::EntriesLost {
        lost,
        since,
        earlier,
    });
}

/// What the open alerts say, in the order of the games.
fn loss_alerts(game: &Game, wanted: &[&str]) -> Vec<Vec<Value>> {
    let open = game.alerts().open().iter();
    let lost = open.filter(|alert| alert.code == AlertCode::EntriesLost);
    let mut loss_alerts: Vec<Vec<Value>> = lost
        .map(|alert| (wanted.iter().map(|name| alert.arguments[*name].clone())).collect())
        .collect();
    loss_alerts.sort_by_key(|values| values[0].as_u64());
    loss_alerts
}

fn acknowledge(table: &mut Table, alert: &str) {
    let alert = alert.to_owned();
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
}

#[test]
fn losses_of_the_running_game_add_up() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3 b8c6");
    let number = table.game.number();
    lose(&mut table, &[range(40, 41)], Some(3), None);
    lose(&mut table, &[range(50, 50)], Some(4), None);
    lose(&mut table, &[range(42, 43)], None, None);
    let names = ["game", "from", "to", "count", "since"];
    let expected = [number.get(), 40, 50, 5, 3].map(Value::from).to_vec();
    assert_eq!(loss_alerts(&table.game, &names), [expected]);
    let carried = table.game.carried().loss.expect("it is carried on");
    assert_eq!(carried.lost, [range(40, 43), range(50, 50)]);
}

#[test]
fn a_loss_of_the_game_before_is_kept_beside_one_of_the_running_game() {
    let mut table = Table::new(Confirm::Arbiter);
    let before = table.game.number();
    lose(&mut table, &[range(40, 41)], Some(1), None);
    table.start_array();
    let running = table.game.number();
    lose(&mut table, &[range(60, 60)], None, None);
    let expected = [
        vec![Value::from(before.get()), "around".into(), 2.into()],
        vec![Value::from(running.get()), Value::Null, 1.into()],
    ];
    assert_eq!(
        loss_alerts(&table.game, &["game", "left", "count"]),
        expected
    );
}

#[test]
fn very_many_ranges_are_bounded_and_none_is_left_out() {
    let mut table = Table::new(Confirm::Arbiter);
    let lost: Vec<_> = (1..=500).map(|n| range(n * 10, n * 10 + n % 3)).collect();
    lose(&mut table, &lost, None, None);
    let kept = table.game.carried().loss.unwrap().lost;
    assert!(kept.len() <= 64, "{}", kept.len());
    let covered = |one: &LostEntries| kept.iter().any(|k| k.from <= one.from && one.to <= k.to);
    assert!(lost.iter().all(covered));
}

#[test]
fn a_disk_that_comes_late_brings_its_losses_along() {
    let mut on_disk = Table::new(Confirm::Arbiter);
    lose(
        &mut on_disk,
        &[range(20, 22)],
        None,
        Some(of(EntrySeq::new(11))),
    );
    lose(
        &mut on_disk,
        &[range(5, 6)],
        None,
        Some(of(EntrySeq::new(3))),
    );
    acknowledge(&mut on_disk, "entries_lost-3");
    on_disk.moves("e2e4 e7e5");
    let number = on_disk.game.number();
    lose(&mut on_disk, &[range(40, 41)], Some(2), None);
    let left = on_disk.game.what_it_leaves(Timestamp::UNIX_EPOCH);
    let left = Box::new(serde_json::from_value(serde_json::to_value(left).unwrap()).unwrap());

    let mut table = Table::new(Confirm::Arbiter);
    table.moves("d2d4");
    table.input(Input::MergedWithDisk { left });
    let mut expected = vec![
        vec![Value::from(11), "part".into(), 3.into()],
        vec![Value::from(number.get()), "around".into(), 2.into()],
    ];
    expected.sort_by_key(|values| values[0].as_u64());
    assert_eq!(
        loss_alerts(&table.game, &["game", "left", "count"]),
        expected
    );
    let known = table.game.earlier_losses();
    let seen = known.iter().find(|loss| loss.of.game == EntrySeq::new(3));
    assert!(seen.is_some_and(|loss| loss.seen), "not reported again");
    acknowledge(&mut table, "entries_lost-11");
    table.start_array();
    assert_eq!(
        loss_alerts(&table.game, &["game"]),
        [[Value::from(number.get())]]
    );
}

#[test]
fn a_game_without_losses_leaves_none() {
    let mut table = Table::new(Confirm::Arbiter);
    lose(&mut table, &[range(40, 41)], Some(1), None);
    let alert = table.alert(AlertCode::EntriesLost).unwrap().id;
    acknowledge(&mut table, &alert);
    let left = table.game.what_it_leaves(Timestamp::UNIX_EPOCH);
    assert_eq!(left.losses, [], "the arbiter has seen it");
}

#[test]
fn the_oldest_of_very_many_losses_are_summed_up() {
    let mut table = Table::new(Confirm::Arbiter);
    for game in 1..=40 {
        lose(
            &mut table,
            &[range(game * 10, game * 10 + 1)],
            None,
            Some(of(EntrySeq::new(game * 10))),
        );
    }
    let loss_alerts = loss_alerts(&table.game, &["game", "more", "count", "left"]);
    assert_eq!(loss_alerts.len(), EARLIER_LOSSES);
    let oldest: [Value; 4] = [10.into(), 24.into(), 50.into(), "unknown".into()];
    assert_eq!(loss_alerts[0], oldest);
    let newest: [Value; 4] = [400.into(), Value::Null, 2.into(), "part".into()];
    assert_eq!(loss_alerts[EARLIER_LOSSES - 1], newest);
    let known = |one| {
        table
            .game
            .earlier_losses()
            .iter()
            .any(|loss| loss.covers(one))
    };
    assert!((1..=40).all(|game| known(range(game * 10, game * 10 + 1))));
}

#[test]
fn what_was_acknowledged_is_summed_up_first_and_stays_known() {
    let mut table = Table::new(Confirm::Arbiter);
    for game in 1..=16 {
        lose(
            &mut table,
            &[range(game * 10, game * 10)],
            None,
            Some(of(EntrySeq::new(game * 10))),
        );
    }
    for seen in ["entries_lost-50", "entries_lost-70"] {
        acknowledge(&mut table, seen);
    }
    lose(
        &mut table,
        &[range(170, 170)],
        None,
        Some(of(EntrySeq::new(170))),
    );
    let loss_alerts = loss_alerts(&table.game, &["game", "more"]);
    assert_eq!(loss_alerts.len(), 15);
    assert!(
        loss_alerts.iter().all(|values| values[1].is_null()),
        "{loss_alerts:?}"
    );
    let losses = table.game.earlier_losses();
    for seen in [50, 70] {
        let known = losses.iter().find(|loss| loss.covers(range(seen, seen)));
        assert!(known.is_some_and(|loss| loss.seen), "{seen}");
    }
}

#[test]
fn a_later_loss_in_the_hole_of_a_joined_range_is_reported() {
    let first: Vec<_> = (0..65).map(|n| range(n * 10, n * 10 + 2)).collect();
    let reported = merged(first.clone());
    assert_eq!(reported.len(), 1, "holes of the same length are joined");
    let count: u64 = reported.iter().map(LostEntries::count).sum();
    assert_eq!(count, 65 * 3, "only what is lost is counted");
    assert_eq!(not_yet_reported(&first, &reported), []);

    let mut all = first.clone();
    all.push(range(105, 106));
    let news = not_yet_reported(&all, &reported);
    assert_eq!(news.len(), 1);
    let total = news[0].count();
    assert_eq!(
        (news[0].from.get(), news[0].to.get(), total),
        (0, 642, 65 * 3 + 2)
    );
    let both = reported.into_iter().chain(news).collect::<Vec<_>>();
    assert_eq!(not_yet_reported(&all, &both), [], "once");
    let again = merged(both);
    assert_eq!(again[0].count(), 65 * 3 + 2);

    // The alert that was acknowledged opens again and counts both.
    let mut table = Table::new(Confirm::Arbiter);
    lose(&mut table, &merged(first), None, Some(of(EntrySeq::new(3))));
    acknowledge(&mut table, "entries_lost-3");
    assert_eq!(loss_alerts(&table.game, &["count"]).len(), 0);
    let known = table.game.earlier_losses()[0].clone();
    let news = not_yet_reported(&all, &known.lost);
    lose(&mut table, &news, None, Some(known.of));
    let expected = [vec![Value::from(3), 197.into(), 0.into(), 642.into()]];
    assert_eq!(
        loss_alerts(&table.game, &["game", "count", "from", "to"]),
        expected
    );
}

fn other_record_file(first: u64, newest: bool) -> OtherRecordFile {
    OtherRecordFile {
        file: format!("{first:012}.jsonl"),
        game: EntrySeq::new(first),
        other: Some("000000000001.jsonl".to_owned()),
        newest,
        more: 0,
        raised_again: 0,
        seen: false,
    }
}

fn find_other_record(table: &mut Table, files: &[OtherRecordFile]) {
    let files = files.to_vec();
    table.input(Input::OtherRecord { files });
}

/// The games in the open alerts about files of another record, and whether each is the newest.
fn other_records(table: &Table) -> Vec<(u64, bool)> {
    let alerts = table.game.alerts().open().iter();
    let alerts = alerts.filter(|alert| alert.code == AlertCode::OtherRecord);
    let files = alerts.map(|alert| {
        let game = alert.arguments["game"].as_u64().unwrap();
        (game, alert.arguments["newest"] == "yes")
    });
    let mut files: Vec<_> = files.collect();
    files.sort_unstable();
    files
}

#[test]
fn a_file_of_another_record_is_named_until_the_arbiter_has_seen_it() {
    let files = vec![other_record_file(13, false), other_record_file(20, true)];
    let mut table = Table::new(Confirm::Arbiter);
    assert!(names_others(&files, table.game.other_record()));
    find_other_record(&mut table, &files);
    assert!(!names_others(&files, table.game.other_record()));
    assert_eq!(other_records(&table), [(13, false), (20, true)]);
    acknowledge(&mut table, "other_record-13");
    assert_eq!(other_records(&table), [(20, true)]);
    table.start_array();
    let carried = table.game.carried().other_record;
    let now = [other_record_file(13, false), other_record_file(20, false)];
    assert!(!names_others(&now, &carried), "carried into the next game");
    assert_eq!(
        other_records(&table),
        [(20, false)],
        "another game is on the board"
    );

    // Another one is found, and one is gone.
    let files = [other_record_file(13, false), other_record_file(30, true)];
    assert!(names_others(&files, table.game.other_record()));
    find_other_record(&mut table, &files);
    assert_eq!(
        other_records(&table),
        [(30, true)],
        "what was seen stays seen"
    );
}

#[test]
fn an_acknowledged_file_is_raised_again_only_if_it_becomes_the_newest() {
    let mut table = Table::new(Confirm::Arbiter);
    find_other_record(&mut table, &[other_record_file(20, false)]);
    acknowledge(&mut table, "other_record-20");
    // The file that it contradicted is removed for its age; it contradicts another one.
    let mut file = other_record_file(20, false);
    file.other = Some("000000000009.jsonl".to_owned());
    assert!(names_others(
        std::slice::from_ref(&file),
        table.game.other_record()
    ));
    find_other_record(&mut table, &[file.clone()]);
    assert_eq!(other_records(&table), []);
    // Of the two the other one is named.
    let swapped = OtherRecordFile {
        file: file.other.clone().unwrap(),
        game: EntrySeq::new(9),
        other: Some(file.file.clone()),
        ..file.clone()
    };
    assert!(!names_others(&[swapped], table.game.other_record()));
    file.newest = true;
    assert!(names_others(
        std::slice::from_ref(&file),
        table.game.other_record()
    ));
    find_other_record(&mut table, &[file]);
    assert_eq!(other_records(&table), [(20, true)]);
    find_other_record(&mut table, &[]);
    assert_eq!(other_records(&table), []);
}

/// The ids of the open alerts about files of another record.
fn other_record_ids(table: &Table) -> Vec<&str> {
    let alerts = table.game.alerts().open().iter();
    let alerts = alerts.filter(|alert| alert.code == AlertCode::OtherRecord);
    alerts.map(|alert| alert.id.as_str()).collect()
}

#[test]
fn an_open_alert_is_raised_anew_each_time_its_file_becomes_the_newest() {
    let mut table = Table::new(Confirm::Arbiter);
    for (newest, id) in [
        (false, "other_record-20"),
        (true, "other_record-20-1"),
        (true, "other_record-20-1"),
    ] {
        find_other_record(&mut table, &[other_record_file(20, newest)]);
        assert_eq!(other_record_ids(&table), [id]);
    }
    // The next game makes it less urgent, which is no news.
    table.start_array();
    assert_eq!(other_records(&table), [(20, false)]);
    assert_eq!(other_record_ids(&table), ["other_record-20-1"]);
    // The files after it are gone.
    find_other_record(&mut table, &[other_record_file(20, true)]);
    assert_eq!(other_record_ids(&table), ["other_record-20-2"]);
    acknowledge(&mut table, "other_record-20-2");
    assert_eq!(other_record_ids(&table), Vec::<&str>::new());
    assert!(!names_others(
        &[other_record_file(20, true)],
        table.game.other_record()
    ));
}

#[test]
fn a_file_that_is_the_newest_when_it_is_first_named_keeps_its_alert() {
    let mut table = Table::new(Confirm::Arbiter);
    for newest in [true, true, false] {
        find_other_record(&mut table, &[other_record_file(20, newest)]);
        assert_eq!(other_record_ids(&table), ["other_record-20"]);
    }
}

#[test]
fn of_very_many_files_of_another_record_the_newest_are_named_and_the_others_counted() {
    let files: Vec<_> = (1..=5_000)
        .map(|n| other_record_file(n, n == 5_000))
        .collect();
    let files = newest_of_other_record(files);
    let mut table = Table::new(Confirm::Arbiter);
    find_other_record(&mut table, &files);
    let named: Vec<u64> = other_records(&table).iter().map(|file| file.0).collect();
    assert_eq!(named, (4_985..=5_000).collect::<Vec<_>>());
    let alerts = table.game.alerts().open().iter();
    let mut more = alerts.filter_map(|alert| alert.arguments.get("more")?.as_u64());
    assert_eq!((more.next(), more.next()), (Some(4_984), None));
    table.start_array();
    assert_eq!(table.game.carried().other_record.len(), OTHER_RECORD_FILES);
}

#[test]
fn a_disk_that_comes_late_brings_its_files_of_another_record_along() {
    let files = [other_record_file(13, false), other_record_file(20, true)];
    let mut on_disk = Table::new(Confirm::Arbiter);
    find_other_record(&mut on_disk, &files);
    acknowledge(&mut on_disk, "other_record-20");
    let left = on_disk.game.what_it_leaves(Timestamp::UNIX_EPOCH);
    let left: Box<UnresolvedGame> =
        Box::new(serde_json::from_value(serde_json::to_value(left).unwrap()).unwrap());
    // Whether the search is reported before or after that, or not at all.
    let now = [other_record_file(13, false), other_record_file(20, false)];
    for (before, after) in [(false, false), (true, false), (false, true)] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("d2d4");
        if before {
            find_other_record(&mut table, &now);
        }
        let left = left.clone();
        table.input(Input::MergedWithDisk { left });
        if after {
            find_other_record(&mut table, &now);
        }
        assert_eq!(other_records(&table), [(13, false)], "{before} {after}");
    }
}
