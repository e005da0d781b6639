//! Losses in games that another game has followed.

use super::*;

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
        let house = House::new();
        for _ in 0..3 {
            play_opening(&house).await;
        }
        assert_eq!(segments(&house), [1, 12, 23]);
        harm(&house, 12);
        let (mut record, thread, reported) = opened(&house).await;
        assert!(reported, "{left}");
        let expected = [(game, from, to, left.to_owned())];
        assert_eq!(losses(record.game()), expected);
        assert_eq!(moves(record.game()), MOVES, "the newest game is whole");
        assert_eq!(record.game().uncertain_since(), None);
        // It stays over the next game and over a restart, until the arbiter has seen it.
        record.write(start_array()).await;
        close(record, thread).await;
        let (mut record, thread, reported) = opened(&house).await;
        assert!(!reported, "once: {left}");
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
        close(record, thread).await;
        let (record, _, reported) = opened(&house).await;
        assert!(!reported, "acknowledged: {left}");
        assert_eq!(losses(record.game()), []);
    }
}

#[tokio::test]
async fn a_newest_game_of_which_nothing_is_left_is_named_by_its_number() {
    let house = House::new();
    play_opening(&house).await;
    play_opening(&house).await;
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
    // As the actor does where no game is found.
    assert_eq!(record.game().number().get(), 0);
    let begun = record.write(start_array()).await.seq.get();
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
    close(record, thread).await;
}

#[tokio::test]
async fn a_loss_that_a_power_cut_left_unreported_is_reported_at_the_next_start() {
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
        let house = House::new();
        play_opening(&house).await;
        harm(&house);
        // A new game begins, and the power fails before the entry that reports the loss.
        cut_short(&house, [start_array()]).await;
        let expected = [(1, from, to, left.to_owned())];
        let (record, thread, reported) = opened(&house).await;
        assert!(reported, "{left}");
        assert_eq!(losses(record.game()), expected);
        assert_eq!(record.game().uncertain_since(), None);
        close(record, thread).await;
        let (record, _, reported) = opened(&house).await;
        assert!(!reported, "once: {left}");
        assert_eq!(losses(record.game()), expected);
    }
}

#[tokio::test]
async fn a_loss_that_its_own_game_has_reported_is_not_reported_again() {
    let house = House::new();
    play_opening(&house).await;
    damage(&house, flip(FIRST_MOVE + 3));
    let (mut record, thread, reported) = opened(&house).await;
    assert!(reported);
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
    close(record, thread).await;
    let (record, _, reported) = opened(&house).await;
    assert!(!reported, "the arbiter has acknowledged it");
    assert_eq!(losses(record.game()), []);
}

#[tokio::test]
async fn of_very_many_gaps_none_is_left_out_and_all_are_reported_once() {
    const GAPS: u64 = 21;
    let house = House::new();
    for _ in 0..=2 * GAPS {
        play_opening(&house).await;
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
    let reported = losses(record.game());
    let count: u64 = reported
        .iter()
        .map(|(_, from, to, _)| (to - from + 1).min(11))
        .sum();
    assert_eq!(
        reported.len() as u64,
        count / 11,
        "each of the newest by itself"
    );
    let alerts = record.game().alerts().open().iter();
    let more: u64 = alerts
        .filter(|alert| alert.code == AlertCode::EntriesLost)
        .filter_map(|alert| alert.arguments["more"].as_u64())
        .sum();
    assert_eq!(reported.len() as u64 + more, GAPS, "none is left out");
    close(record, thread).await;
    let (_, _, reported) = opened(&house).await;
    assert!(!reported, "once");
}

#[tokio::test]
async fn a_loss_in_the_hole_of_losses_that_were_joined_is_reported_too() {
    // 66 single lost plies of one game, with two good ones between them.
    const LOSSES: u64 = 66;
    let house = House::new();
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for uci in shuffle
        .iter()
        .cycle()
        .take(4 * usize::try_from(LOSSES).unwrap())
    {
        play(&mut record, uci, SettledBy::Reply).await;
    }
    close(record, thread).await;
    damage(&house, |lines| {
        for n in 1..=LOSSES {
            flip(4 * n)(lines);
        }
    });
    let (record, thread, reported) = opened(&house).await;
    assert!(reported);
    assert_eq!(red(record.game()).unwrap()["count"], LOSSES);
    close(record, thread).await;

    damage(&house, flip(90));
    let (record, thread, reported) = opened(&house).await;
    assert!(reported, "the later loss is not swallowed");
    assert_eq!(red(record.game()).unwrap()["count"], LOSSES + 1);
    close(record, thread).await;
    let (_, _, reported) = opened(&house).await;
    assert!(!reported, "once");
}
