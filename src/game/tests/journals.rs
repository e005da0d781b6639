//! Journals of earlier versions: they are read, written again and replayed to the same bytes.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{table::correct, *};
use remisd_vocabulary::seq::EntrySeq;

/// Entries as earlier versions have written them, also of inputs that made no sense. Each game
/// begins with number 1.
const ENTRIES: &str = include_str!("journals.jsonl");

/// The parts of an entry whose bytes are compared.
#[derive(Deserialize)]
struct Raw<'a> {
    seq: EntrySeq,
    #[serde(borrow)]
    input: &'a RawValue,
    #[serde(borrow)]
    facts: &'a RawValue,
}

#[test]
fn journals_of_earlier_versions_replay_to_the_same_bytes() {
    let mut game = Game::new(Rules::default());
    for line in ENTRIES.lines() {
        let raw: Raw<'_> = serde_json::from_str(line).unwrap();
        if raw.seq == EntrySeq::new(1) {
            game = Game::new(Rules::default());
        }
        let entry: Remembered = serde_json::from_str(line).unwrap();
        let input = serde_json::to_string(&entry.input).unwrap();
        assert_eq!(input, raw.input.get(), "{line}");
        let replayed = game.replay(raw.seq, &entry);
        let facts = serde_json::to_string(&replayed.facts).unwrap();
        assert_eq!(facts, raw.facts.get(), "{line}");
        assert_eq!(replayed.likeness, Likeness::Same, "{line}");
        assert_eq!(Some(game.numbers()), entry.numbers.as_ref(), "{line}");
    }
}

#[test]
fn facts_in_another_form_are_the_same_facts() {
    let mut game = Game::new(Rules::default());
    let (mut rearranged, mut others) = (0, 0);
    for line in ENTRIES.lines() {
        let raw: Raw<'_> = serde_json::from_str(line).unwrap();
        if raw.seq == EntrySeq::new(1) {
            game = Game::new(Rules::default());
        }
        // A `Value` sorts its keys.
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let sorted = value["facts"].to_string();
        rearranged += usize::from(sorted != raw.facts.get());
        let mut other = value.clone();
        let facts = other["facts"].as_array_mut().unwrap();
        facts.push(serde_json::json!({"type": "move_made"}));
        let mut again = game.clone();
        let other: Remembered = serde_json::from_value(other).unwrap();
        others += usize::from(again.replay(raw.seq, &other).likeness == Likeness::Other);
        let entry: Remembered = serde_json::from_value(value).unwrap();
        assert_eq!(game.replay(raw.seq, &entry).likeness, Likeness::Same);
    }
    assert!(rearranged > 100, "{rearranged}");
    assert_eq!(others, ENTRIES.lines().count());
}

/// Replays a correction from a journal in which only the facts of these kinds were written.
fn replay_correction(game: &mut Game, verb: &Verb, is_written: fn(&str) -> bool) -> Likeness {
    let input = Input::Command(Command {
        id: "old".to_owned(),
        role: ARBITER,
        by: None,
        if_seq: None,
        unsettled: None,
        verb: verb.clone(),
    });
    let seq = game.seq() + 1;
    let time = Timestamp::from_second(i64::try_from(seq.get()).unwrap()).unwrap();
    let stamped = Stamped {
        seq,
        time,
        input: input.clone(),
    };
    let mut live = game.clone();
    let facts = serde_json::to_value(live.apply(&stamped)).unwrap();
    let mut facts = facts.as_array().unwrap().clone();
    facts.retain(|fact| is_written(fact["type"].as_str().unwrap()));
    let entry = serde_json::json!({
        "time": time, "input": input, "numbers": live.numbers(), "facts": facts,
    });
    let entry: Remembered = serde_json::from_value(entry).unwrap();
    game.replay(seq, &entry).likeness
}

/// What an earlier version wrote of a correction after the end of a game.
fn moves_alone(kind: &str) -> bool {
    ["corrected", "move_retracted", "move_made", "answered"].contains(&kind)
}

#[test]
fn a_loss_that_an_earlier_version_did_not_decide_again_stands() {
    let mut table = Table::new(Confirm::Automatic);
    let rook_en_prise = setup("8/8/8/3k4/7P/8/Kr6/8 w - - 0 1");
    assert_eq!(table.ask(ARBITER, rook_en_prise), None);
    assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
    let (white, black) = (Some(true), Some(true));
    table.input(Input::Winnability {
        ply: table.game.ply(),
        position: table.game.position_seq(),
        can_mate: CanMate { white, black },
    });
    let captures = correct(0, &["Kxb2"]);
    let mut now = table.game.clone();
    let likeness = replay_correction(&mut now, &captures, |_| true);
    assert_eq!(likeness, Likeness::Same);
    assert_eq!(now.result(), None);

    let likeness = replay_correction(&mut table.game, &captures, moves_alone);
    assert_ne!(likeness, Likeness::Other);
    let result = table.game.result().unwrap();
    assert_eq!((result.score, result.confirmed), (Score::BlackWins, true));
    // The next correction is one of this version.
    assert_eq!(table.ask(ARBITER, correct(0, &["Ka3"])), None);
    assert_eq!(table.game.result(), None);
}

#[test]
fn a_draw_that_an_earlier_version_did_not_ask_for_again_stands() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    let claims = table.game.claims().to_vec();
    let contradicts = correct(7, &["Nd5"]);
    let mut now = table.game.clone();
    let likeness = replay_correction(&mut now, &contradicts, |_| true);
    assert_eq!(likeness, Likeness::Same);
    assert!(!now.result().unwrap().confirmed);

    let likeness = replay_correction(&mut table.game, &contradicts, moves_alone);
    assert_ne!(likeness, Likeness::Other);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.claims(), claims);
}
