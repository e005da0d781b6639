//! A game whose journal was damaged between two starts.

mod earlier_games;
mod other_record;

use std::{fs, path::PathBuf};

use super::*;
use remisd_game::{AlertCode, Level};
use remisd_journal::{Contradiction, FindLastSeq, Recovered};
use remisd_vocabulary::seq::EntrySeq;

/// A quiet opening, and the entry of its first move: the starting position takes entry 1.
const MOVES: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7";
const FIRST_MOVE: u64 = 2;

/// Plays the opening in a new record.
async fn play_opening(house: &House) {
    let (mut record, thread) = house.open().await;
    record.write(start_array()).await;
    for uci in MOVES.split(' ') {
        play(&mut record, uci, SettledBy::Reply).await;
    }
    close(record, thread).await;
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
async fn opened(house: &House) -> (Record, JoinHandle<()>, bool) {
    let (mut record, thread) = house.open().await;
    let losses = record.take_unreported_losses();
    let reported = !losses.is_empty();
    for lost in losses {
        let written = record.write(lost).await;
        let says = |fact: &Fact| matches!(fact, Fact::EntriesLost { .. });
        assert!(written.facts.iter().any(says), "as an event");
    }
    (record, thread, reported)
}

#[tokio::test]
async fn a_flipped_bit_loses_one_ply_which_is_reconstructed_and_raises_an_alert() {
    for ply in [1, 5, 9] {
        let house = House::new();
        play_opening(&house).await;
        let seq = FIRST_MOVE + u64::from(ply) - 1;
        damage(&house, flip(seq));
        let (record, thread, reported) = opened(&house).await;
        assert!(reported);
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
        close(record, thread).await;

        let (again, _, reported) = opened(&house).await;
        assert!(!reported, "once");
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
    let house = House::new();
    play_opening(&house).await;
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
async fn several_plies_in_a_block_of_zeros_are_reconstructed_or_reported_missing() {
    let house = House::new();
    play_opening(&house).await;
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
    let house = House::new();
    play_opening(&house).await;
    damage(&house, flip(1));
    let (record, ..) = opened(&house).await;
    assert_eq!(moves(record.game()), MOVES);
    assert_eq!(record.game().number().get(), 1);
    assert_eq!(
        red(record.game()).unwrap()["since"],
        serde_json::Value::Null
    );
}

#[tokio::test]
async fn a_game_that_was_cut_off_is_not_certain_any_more_and_no_number_is_given_twice() {
    const CONFIRMED: FindLastSeq = |_, _| EntrySeq::new(71);
    let house = House::new();
    play_opening(&house).await;
    let (mut record, thread) = house.open_given(CONFIRMED).await;
    let mut losses = record.take_unreported_losses();
    let lost = losses.pop().expect("the numbers up to 71");
    let entry = record.write(lost).await;
    assert_eq!(entry.seq.get(), 72);
    let plies = record.game().ply();
    assert_eq!(record.game().uncertain_since(), Some(plies + 1));
    let arguments = red(record.game()).expect("a red alert");
    assert_eq!(
        (&arguments["from"], &arguments["to"]),
        (&12.into(), &71.into())
    );
    close(record, thread).await;
    let (mut again, _) = house.open_given(CONFIRMED).await;
    assert_eq!(again.take_unreported_losses(), []);
    assert_eq!(again.game().seq().get(), 72);
    assert_eq!(red(again.game()), Some(arguments));
}

#[tokio::test]
async fn an_unseen_loss_keeps_its_alert_in_the_next_game() {
    let house = House::new();
    play_opening(&house).await;
    damage(&house, flip(FIRST_MOVE + 2));
    let (mut record, thread, _) = opened(&house).await;
    record.write(start_array()).await;
    assert!(red(record.game()).is_some());
    assert_eq!(
        record.game().uncertain_since(),
        None,
        "this game has lost nothing"
    );
    close(record, thread).await;
    let (again, ..) = opened(&house).await;
    assert!(red(again.game()).is_some());
}

/// The numbers with which the segments begin.
fn segments(house: &House) -> Vec<u64> {
    let reader = Reader::new(house.directory.path());
    let segments = reader.segments(&"b1".parse().unwrap()).unwrap();
    segments.into_iter().map(EntrySeq::get).collect()
}

fn path_of(house: &House, segment: u64) -> PathBuf {
    let name = format!("b1/{segment:012}.jsonl");
    house.directory.path().join(name)
}
