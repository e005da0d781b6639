use super::*;
use crate::evidence::{FindError, find};
use bytes::Bytes;
use remisd_game::{Judgement, Stamped};
use remisd_journal::Reader;

/// Entries as the daemon writes them, for a board with earlier games.
fn entries(inputs: Vec<Input>) -> Vec<Entry> {
    let mut game = Game::new(Rules::default());
    game.skip_to(EntrySeq::new(40));
    let entries = inputs.into_iter().map(|input| {
        let seq = game.seq() + 1;
        let time = Timestamp::UNIX_EPOCH;
        let written = serde_json::to_value(&input).unwrap();
        let facts = game.apply(&Stamped { seq, time, input });
        let carried = matches!(facts[0], Fact::GameStarted { .. }).then(|| game.carried());
        let time = "1970-01-01T00:00:00.000Z";
        let body = serde_json::json!({
            "seq": seq, "time": time, "input": written, "carried": carried, "facts": facts,
            "judgement": Judgement::CURRENT,
        });
        let body = Bytes::from(body.to_string());
        Entry { seq, body }
    });
    entries.collect()
}

fn newest(entries: &[Entry]) -> Result<Record, RecallError> {
    let passed = PassedOver::default();
    recall(entries, &passed, Wanted::Newest, "b1", None, None)
}

fn begun_with(if_seq: Option<u64>) -> Vec<Entry> {
    let new_game = serde_json::json!({
        "type": "command", "id": "1", "role": "arbiter", "if_seq": if_seq, "verb": "new_game",
        "arguments": {"start_fen": "4k3/8/8/8/8/8/8/4K2R w - - 99 80"},
    });
    let claim = serde_json::json!({
        "type": "command", "id": "2", "role": "white", "verb": "claim",
        "arguments": {"kind": "fifty_move", "move": "Rh2"},
    });
    let inputs = [new_game, claim].map(|input| serde_json::from_value(input).unwrap());
    entries(inputs.to_vec())
}

#[test]
fn a_game_that_began_with_if_seq_is_recalled() {
    for if_seq in [None, Some(40)] {
        let record = newest(&begun_with(if_seq)).unwrap();
        let claim = record.claim.expect("a claim");
        assert_eq!(claim.id, Some(EntrySeq::new(42)));
        let strange = |doubt: &Doubt| matches!(doubt, Doubt::StrangeEntries(_));
        assert!(!record.doubts.iter().any(strange), "{:?}", record.doubts);
    }
}

#[test]
fn a_ruling_is_kept_when_the_game_does_not_keep_its_claim() {
    let claim = |id: u32| {
        serde_json::json!({
            "type": "command", "id": format!("c{id}"), "role": "white", "verb": "claim",
            "arguments": {"kind": "threefold"},
        })
    };
    let ruling = |id: u32| {
        serde_json::json!({
            "type": "command", "id": format!("r{id}"), "role": "arbiter", "verb": "ruling",
            "arguments": {"on": "claim", "correct": false},
        })
    };
    let begin = serde_json::json!({
        "type": "command", "id": "n", "role": "arbiter", "verb": "new_game", "arguments": {},
    });
    let more = (0..300).flat_map(|id| [claim(id), ruling(id)]);
    let inputs = std::iter::once(begin).chain(more);
    let inputs = inputs.map(|input| serde_json::from_value(input).unwrap());
    let entries = entries(inputs.collect());
    let passed = PassedOver::default();
    let record = recall(
        &entries,
        &passed,
        Wanted::Claim(EntrySeq::new(42)),
        "b1",
        None,
        None,
    )
    .unwrap();
    let ruling = record.claim.unwrap().ruling.expect("it was ruled on");
    assert!(!ruling.correct);
}

#[test]
fn what_the_disk_does_not_have_yet_is_found_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, board) = (Reader::new(folder.path()), "b1".parse().unwrap());
    let waiting = begun_with(None);
    for wanted in [
        Wanted::Newest,
        Wanted::Game(EntrySeq::new(41)),
        Wanted::Claim(EntrySeq::new(42)),
    ] {
        let record = find(
            &journal,
            &board,
            &waiting,
            wanted,
            EntrySeq::ZERO,
            None,
            None,
        )
        .unwrap();
        assert_eq!(record.claim.unwrap().id, Some(EntrySeq::new(42)));
        let unwritten = Doubt::NotRecorded {
            from: EntrySeq::new(41),
            to: EntrySeq::new(42),
        };
        assert!(record.doubts.contains(&unwritten), "{:?}", record.doubts);
    }
    for wanted in [
        Wanted::Game(EntrySeq::new(40)),
        Wanted::Claim(EntrySeq::new(40)),
        Wanted::Claim(EntrySeq::new(43)),
    ] {
        let error = find(
            &journal,
            &board,
            &waiting,
            wanted,
            EntrySeq::ZERO,
            None,
            None,
        )
        .unwrap_err();
        assert!(
            matches!(error, FindError::Missing(_)),
            "{wanted:?}: {error}"
        );
    }
    let error = find(
        &journal,
        &board,
        &[],
        Wanted::Newest,
        EntrySeq::ZERO,
        None,
        None,
    )
    .unwrap_err();
    assert!(matches!(error, FindError::Missing(RecallError::Empty)));
}

#[test]
fn an_assumed_promotion_is_a_doubt() {
    let new_game = serde_json::json!({
        "type": "command", "id": "1", "role": "arbiter", "verb": "new_game",
        "arguments": {"start_fen": "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"},
    });
    let promotion = serde_json::json!({"type": "move", "uci": "a7a8q", "by": "assumed"});
    let inputs = [new_game, promotion].map(|input| serde_json::from_value(input).unwrap());
    let entries = entries(inputs.to_vec());
    let record = newest(&entries).unwrap();
    assert!(record.doubts.contains(&Doubt::Assumed(vec![1])));
    assert!(!record.moves[0].after_gap);
}

#[test]
fn a_board_that_has_not_agreed_since_a_restart_is_a_doubt() {
    let new_game = serde_json::json!({
        "type": "command", "id": "1", "role": "arbiter", "verb": "new_game",
        "arguments": {"headers": {}},
    });
    let played = serde_json::json!({"type": "move", "uci": "e2e4", "by": "reply"});
    let mismatch = serde_json::json!({
        "type": "mismatch", "reason": "no_legal_move", "squares": [], "doubted": 1,
    });
    let start = serde_json::json!({"type": "start", "version": "1"});
    let agreed = serde_json::json!({"type": "agreed"});
    let doubts = |inputs: &[&serde_json::Value]| {
        let inputs = inputs.iter().map(|&input| input.clone());
        let inputs = inputs.map(|input| serde_json::from_value(input).unwrap());
        newest(&entries(inputs.collect())).unwrap().doubts
    };
    let unseen = doubts(&[&new_game, &played, &start]);
    assert!(unseen.contains(&Doubt::NotAgreed(2)), "{unseen:?}");
    let contradicted = doubts(&[&new_game, &played, &mismatch, &start]);
    assert!(
        contradicted.contains(&Doubt::NotAgreed(1)),
        "{contradicted:?}"
    );
    assert_eq!(
        doubts(&[&new_game, &played, &mismatch, &start, &agreed]),
        []
    );
}

#[test]
fn a_game_that_begins_differently_is_a_doubt() {
    let mut entries = begun_with(None);
    let body = String::from_utf8(entries[0].body.to_vec()).unwrap();
    let other = body.replace("\"laws\":\"fide-2023\"", "\"laws\":\"fide-1997\"");
    assert_ne!(other, body);
    entries[0].body = other.into();
    let record = newest(&entries).unwrap();
    let strange = Doubt::StrangeEntries(vec![EntrySeq::new(41)]);
    assert!(record.doubts.contains(&strange), "{:?}", record.doubts);
}

#[test]
fn an_account_that_differs_is_a_doubt_and_the_choice_an_incident() {
    let mut inputs: Vec<_> = begun_with(None)
        .iter()
        .map(|entry| {
            serde_json::from_slice::<serde_json::Value>(&entry.body).unwrap()["input"].clone()
        })
        .collect();
    let claim = inputs.pop().unwrap();
    let made = serde_json::json!({"type": "move", "uci": "h1h3", "by": "reply"});
    let differs = serde_json::json!({
        "type": "account",
        "report": {
            "account": "pgn", "name": "games.pgn",
            "standing": {"state": "differs", "from": 1, "moves": ["h1h4"]},
        },
    });
    let chosen = serde_json::json!({
        "type": "command", "id": "9", "role": "arbiter", "verb": "choose", "by": "IA Smith",
        "arguments": {"alert": "accounts_differ-pgn.1.h1h4", "version": "record"},
    });
    inputs.extend([made, differs]);
    let read = |inputs: &[serde_json::Value]| {
        let inputs = inputs
            .iter()
            .cloned()
            .map(|input| serde_json::from_value(input).unwrap());
        newest(&entries(inputs.collect())).unwrap()
    };
    let open = read(&[inputs.clone(), vec![claim.clone()]].concat());
    let doubt = Doubt::AccountDiffers {
        source: "games.pgn".to_owned(),
        from: 1,
        record: "80.Rh3".to_owned(),
        other: "80.Rh4".to_owned(),
    };
    assert!(open.doubts.contains(&doubt), "{:?}", open.doubts);
    inputs.extend([chosen, claim]);
    let record = read(&inputs);
    assert!(!record.doubts.contains(&doubt));
    let is_choice = |incident: &Incident| matches!(incident.what, Happened::VersionChosen { .. });
    assert!(
        record.incidents.iter().any(is_choice),
        "{:?}",
        record.incidents
    );
}
