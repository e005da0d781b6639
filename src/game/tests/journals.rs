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

/// Replays a command from a journal, as a version judged it that wrote this `judgement`, or none.
fn replay_command(game: &mut Game, verb: Verb, judgement: Option<Judgement>) {
    replay_command_of(ARBITER, game, verb, judgement);
}

fn replay_command_of(role: Role, game: &mut Game, verb: Verb, judgement: Option<Judgement>) {
    let input = Input::Command(Command {
        id: "old".to_owned(),
        role,
        by: None,
        if_seq: None,
        unsettled: None,
        verb,
    });
    replay_input(game, &input, judgement);
}

fn replay_input(game: &mut Game, input: &Input, judgement: Option<Judgement>) {
    let seq = game.seq() + 1;
    let time = Timestamp::from_second(i64::try_from(seq.get()).unwrap()).unwrap();
    let mut entry = serde_json::json!({ "time": time, "input": input });
    if let Some(judgement) = judgement {
        entry["judgement"] = serde_json::to_value(judgement).unwrap();
    }
    game.replay(seq, &serde_json::from_value(entry).unwrap());
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
    replay_command(&mut now, captures.clone(), Some(Judgement::CURRENT));
    assert_eq!(now.result(), None);

    replay_command(&mut table.game, captures, None);
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
    replay_command(&mut now, contradicts.clone(), Some(Judgement::CURRENT));
    assert!(!now.result().unwrap().confirmed);

    replay_command(&mut table.game, contradicts, None);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.claims(), claims);
}

#[test]
fn an_outage_of_an_earlier_version_leaves_no_doubt() {
    for (judgement, uncertain_since) in [(None, None), (Some(Judgement::CURRENT), Some(5))] {
        let mut table = Table::new(Confirm::Arbiter);
        table.shuffle(1);
        let down = Input::Link {
            up: false,
            code: None,
            reason: None,
        };
        replay_input(&mut table.game, &down, judgement);
        let game = None;
        let score = Score::WhiteWins;
        replay_command(&mut table.game, Verb::Result { score, game }, judgement);
        assert_eq!(table.game.uncertain_since(), uncertain_since);
    }
}

#[test]
fn a_claim_that_an_earlier_version_took_for_correct_stays_so() {
    let arbiters = (Finding::ArbiterDecides, None);
    let granted = (Finding::Correct, Some(true));
    for (judgement, expected) in [(Some(Judgement::CURRENT), arbiters), (None, granted)] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(2);
        let mismatch = Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: Vec::new(),
            candidates: Vec::new(),
            doubted: 0,
        };
        let start = Input::Start {
            version: "1".to_owned(),
            rules: None,
        };
        let up = Input::Link {
            up: true,
            code: None,
            reason: None,
        };
        for input in [mismatch, start, up] {
            replay_input(&mut table.game, &input, judgement);
        }
        replay_command_of(WHITE, &mut table.game, THREEFOLD, judgement);
        let finding = table.game.claims()[0].finding.unwrap();
        let confirmed = table.game.result().map(|result| result.confirmed);
        assert_eq!((finding, confirmed), expected);
    }
}

#[test]
fn a_count_that_an_earlier_version_confirmed_stays_so() {
    for (judgement, confirmed) in [(Some(Judgement::CURRENT), false), (None, true)] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(3);
        table.moves("g1f3 g8f6 f3g1");
        let last = Input::Move {
            uci: "f6g8".into(),
            by: SettledBy::Reconstructed,
            clock: None,
        };
        replay_input(&mut table.game, &last, judgement);
        assert_eq!(table.game.result().unwrap().confirmed, confirmed);
    }
}

#[test]
fn a_set_up_of_an_earlier_version_leaves_no_fallen_flag() {
    for (judgement, left) in [(Some(Judgement::CURRENT), 1), (None, 0)] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4");
        let player = Side::White;
        let fallen = Verb::Ruling(Ruling::Flag { player });
        assert_eq!(table.ask(ARBITER, fallen), None);
        assert!(table.game.pending_loss().is_some());
        let rook = setup("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        replay_command(&mut table.game, rook, judgement);
        assert_eq!(table.game.unresolved_matters().len(), left);
    }
}
