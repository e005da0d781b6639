use remisd_laws::{Ply, Score};
use remisd_topics::Uncertain;

use super::*;
use crate::testing::{Sheet, board, seen, with_earlier_result};

const AT: &str = "2026-11-22T12:00:30.000Z";

fn rounds() -> Rounds {
    Rounds::new("open".parse().unwrap(), vec![board(1)])
}

fn paired(game: u64, round: u32) -> Sheet {
    Sheet::new(game).paired(round, "Smith, John", "Jansen, Piet")
}

/// The games that are broadcast in a round, each with its plies and its result.
fn shown(rounds: &Rounds, round: u32) -> Vec<(u64, usize, Option<Score>)> {
    let places = rounds.places(round).into_iter();
    let games = places.flat_map(|place| place.shown().cloned().collect::<Vec<_>>());
    games
        .map(|game| {
            let result = game.shown.result.map(|result| result.score);
            (game.shown.game.get(), game.shown.moves.len(), result)
        })
        .collect()
}

/// The games of the board in round 1, as they come back from the disk.
fn stored(rounds: &Rounds) -> Vec<RoundGame> {
    let text = serde_json::to_string(rounds.places(1)[0].games).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The same, from an earlier version: it did not note which results had come later.
fn stored_without_note(rounds: &Rounds) -> Vec<RoundGame> {
    let mut stored = serde_json::to_value(rounds.places(1)[0].games).unwrap();
    for game in stored.as_array_mut().unwrap() {
        let note = game.as_object_mut().unwrap().remove("is_decided_later");
        assert!(note.is_some(), "this version notes it");
    }
    serde_json::from_str(&stored.to_string()).unwrap()
}

/// The oldest game of the board in round 1.
fn oldest(rounds: &Rounds) -> &Game {
    &rounds.places(1)[0].games[0].shown
}

/// The game on a sheet, uncertain from this ply on.
fn uncertain_since(sheet: Sheet, ply: Ply) -> Game {
    Game {
        uncertain: Some(Uncertain {
            since_ply: Some(ply),
        }),
        ..sheet.game()
    }
}

#[test]
fn a_game_whose_end_was_missed_is_whole_with_the_next_one() {
    let mut rounds = rounds();
    let end = paired(5, 1).moves("e4 e5").result(Score::Draw);
    rounds.take(&board(1), seen(paired(5, 1).moves("e4").game(), 7, AT));
    let next = paired(9, 2).moves("d4");
    rounds.take(&board(1), seen(next.clone().game(), 12, AT));
    assert_eq!(shown(&rounds, 1), [(5, 1, None)]);
    // Names are masked on the disk from which it was read again.
    let masked = Sheet::new(5).moves("e4 e5").result(Score::Draw);
    let changed = rounds.take_earlier(&board(1), vec![seen(masked.game(), 9, AT)]);
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
    assert_eq!(shown(&rounds, 1), [(5, 2, Some(Score::Draw))]);
    assert_eq!(shown(&rounds, 2), [(9, 1, None)]);
    let game = &rounds.places(1)[0].games[0];
    assert_eq!(game.shown.headers["White"], "Smith, John");
    let again = rounds.take_earlier(&board(1), vec![seen(end.game(), 9, AT)]);
    assert_eq!(again, BTreeSet::new(), "it is known");
    let older = paired(5, 1).moves("e4").result(Score::WhiteWins);
    let again = rounds.take_earlier(&board(1), vec![seen(older.game(), 8, AT)]);
    assert_eq!(again, BTreeSet::new(), "an older state");
}

#[test]
fn a_result_that_came_after_the_game_was_left_stays_with_the_moves_that_were_missed() {
    let mut rounds = rounds();
    rounds.take(&board(1), seen(paired(5, 1).moves("e4").game(), 7, AT));
    let whole = paired(5, 1).moves("e4 e5 Nf3");
    let result = whole.clone().result(Score::WhiteWins);
    let next = with_earlier_result(paired(9, 1).game(), result);
    rounds.take(&board(1), seen(next, 12, AT));
    assert!(oldest(&rounds).uncertain.is_some(), "moves are missing");
    rounds.take_earlier(&board(1), vec![seen(whole.game(), 9, AT)]);
    assert_eq!(shown(&rounds, 1)[0], (5, 3, Some(Score::WhiteWins)));
    assert_eq!(oldest(&rounds).uncertain, None);
}

#[test]
fn a_doubt_that_came_meanwhile_stays_with_the_result_that_comes_later() {
    let left = || paired(5, 1).moves("e4 e5");
    for ply in [3, 1] {
        let mut rounds = rounds();
        rounds.take(&board(1), seen(left().game(), 7, AT));
        rounds.take(&board(1), seen(paired(9, 1).game(), 12, AT));
        let doubted = uncertain_since(left(), ply);
        let changed = rounds.take_earlier(&board(1), vec![seen(doubted.clone(), 9, AT)]);
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
        let next = with_earlier_result(paired(9, 1).game(), left().result(Score::WhiteWins));
        rounds.take(&board(1), seen(next, 13, AT));
        assert_eq!(shown(&rounds, 1)[0], (5, 2, Some(Score::WhiteWins)));
        assert_eq!(oldest(&rounds).uncertain, doubted.uncertain);
    }
}

#[test]
fn a_doubt_that_ended_meanwhile_is_gone() {
    let left = || paired(5, 1).moves("e4 e5");
    let mut rounds = rounds();
    rounds.take(&board(1), seen(uncertain_since(left(), 2), 7, AT));
    rounds.take_earlier(&board(1), vec![seen(left().game(), 8, AT)]);
    assert_eq!(oldest(&rounds).uncertain, None);
}

#[test]
fn a_result_that_was_withdrawn_meanwhile_is_gone_and_the_game_has_all_its_moves() {
    let decided = || paired(5, 1).moves("e4 e5").result(Score::WhiteWins);
    let left = || vec![seen(paired(5, 1).moves("e4 e5 Nf3").game(), 9, AT)];
    let mut rounds = rounds();
    rounds.take(&board(1), seen(decided().game(), 7, AT));
    let mut again = self::rounds();
    again.restore(1, rounds.age(1), &board(1), stored(&rounds));
    let mut upgraded = self::rounds();
    upgraded.restore(1, rounds.age(1), &board(1), stored_without_note(&rounds));
    for rounds in [&mut rounds, &mut again] {
        let changed = rounds.take_earlier(&board(1), left());
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
        assert_eq!(shown(rounds, 1), [(5, 3, None)]);
    }
    // Of what an earlier version has kept, the result may have come later.
    upgraded.take_earlier(&board(1), left());
    assert_eq!(shown(&upgraded, 1), [(5, 3, Some(Score::WhiteWins))]);
}

#[test]
fn a_result_that_came_later_stays_with_the_moves_that_come_after_a_restart() {
    let whole = || paired(5, 1).moves("e4 e5 Nf3 Nc6");
    let mut before = rounds();
    before.take(&board(1), seen(paired(5, 1).moves("e4 e5").game(), 7, AT));
    let corrected = whole().result(Score::BlackWins);
    let next = with_earlier_result(paired(9, 1).moves("d4").game(), corrected);
    before.take(&board(1), seen(next, 12, AT));
    assert!(oldest(&before).uncertain.is_some(), "moves are missing");
    let mut rounds = rounds();
    rounds.restore(1, before.age(1), &board(1), stored(&before));
    // The game that runs has not said yet what came later.
    let left = whole().result(Score::WhiteWins);
    rounds.take_earlier(&board(1), vec![seen(left.game(), 9, AT)]);
    assert_eq!(shown(&rounds, 1)[0], (5, 4, Some(Score::BlackWins)));
    assert_eq!(oldest(&rounds).uncertain, None);
    let kept = &rounds.places(1)[0].games[0];
    assert_eq!(kept.is_decided_later, Some(true));
}

#[test]
fn that_a_known_result_came_later_is_kept_too() {
    let end = || paired(5, 1).moves("e4 e5").result(Score::Draw);
    let mut before = rounds();
    before.take(&board(1), seen(end().game(), 7, AT));
    let mut rounds = rounds();
    rounds.restore(1, before.age(1), &board(1), stored_without_note(&before));
    let next = with_earlier_result(paired(9, 2).game(), end());
    let changed = rounds.take(&board(1), seen(next.clone(), 12, AT));
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(stored(&rounds)[0].is_decided_later, Some(true));
    let again = rounds.take(&board(1), seen(next, 13, AT));
    assert_eq!(again, BTreeSet::new(), "once");
}

#[test]
fn a_result_that_came_after_the_game_was_left_outlasts_a_restart() {
    let left = || paired(5, 1).moves("e4 e5").result(Score::WhiteWins);
    let corrected = paired(5, 1).moves("e4 e5").result(Score::BlackWins);
    let mut before = rounds();
    before.take(&board(1), seen(left().game(), 7, AT));
    let next = with_earlier_result(paired(9, 1).moves("d4").game(), corrected);
    before.take(&board(1), seen(next, 12, AT));
    let mut rounds = rounds().starting();
    // The daemon that has started gives the last state of a game the number of its last entry.
    rounds.take_earlier(&board(1), vec![seen(left().game(), 8, AT)]);
    rounds.restore(1, before.age(1), &board(1), stored(&before));
    let whole = [(5, 2, Some(Score::BlackWins)), (9, 1, None)];
    assert_eq!(shown(&rounds, 1), whole);
    // The delay begins again, so the public sees an older state of the next game.
    rounds.take(&board(1), seen(paired(9, 1).game(), 10, AT));
    rounds.complete();
    assert_eq!(shown(&rounds, 1), whole);
}

#[test]
fn tags_that_were_corrected_meanwhile_come_with_the_next_game() {
    let mut rounds = rounds();
    let wrong = Sheet::new(5).paired(1, "Smyth, John", "Jansen, Piet");
    rounds.take(&board(1), seen(wrong.moves("e4").game(), 7, AT));
    let id = |rounds: &Rounds| {
        let place = rounds.places(1)[0];
        rounds.id(1, place.board, &place.games[0])
    };
    let before = id(&rounds);
    let renamed = paired(5, 1).moves("e4");
    let changed = rounds.take_earlier(&board(1), vec![seen(renamed.game(), 8, AT)]);
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
    let headers = &rounds.places(1)[0].games[0].shown.headers;
    assert_eq!(headers["White"], "Smith, John");
    assert_eq!(id(&rounds), before);
    let moved = paired(5, 2).moves("e4").result(Score::Draw);
    let changed = rounds.take_earlier(&board(1), vec![seen(moved.game(), 9, AT)]);
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1, 2]);
    assert!(shown(&rounds, 1).is_empty());
    assert_eq!(shown(&rounds, 2), [(5, 1, Some(Score::Draw))]);
}

#[test]
fn a_game_whose_corrected_tags_name_a_round_that_is_not_kept_stays_in_its_round() {
    let mut rounds = rounds();
    let wrong = Sheet::new(5).paired(4, "Smyth, John", "Jansen, Piet");
    rounds.take(&board(1), seen(wrong.moves("e4").game(), 7, AT));
    rounds.take(&board(1), seen(paired(9, 5).moves("d4").game(), 12, AT));
    let corrected = |round| paired(5, round).moves("e4 e5").result(Score::Draw);
    let left = |round, seq| vec![seen(corrected(round).game(), seq, AT)];
    let changed = rounds.take_earlier(&board(1), left(3, 9));
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [4]);
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [4, 5]);
    assert_eq!(shown(&rounds, 4), [(5, 2, Some(Score::Draw))]);
    let headers = &rounds.places(4)[0].games[0].shown.headers;
    assert_eq!(headers["White"], "Smith, John");
    // A round that is kept takes it.
    let changed = rounds.take_earlier(&board(1), left(5, 10));
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [4, 5]);
    let both = [(5, 2, Some(Score::Draw)), (9, 1, None)];
    assert_eq!(shown(&rounds, 5), both);
}

#[test]
fn an_end_that_comes_before_its_game_is_restored_is_not_lost() {
    let mut before = rounds();
    before.take(&board(1), seen(paired(5, 1).moves("e4").game(), 7, AT));
    let kept = before.places(1)[0].games.to_vec();
    let mut rounds = rounds().starting();
    let end = paired(5, 1).moves("e4 e5").result(Score::Draw);
    rounds.take_earlier(&board(1), vec![seen(end.game(), 9, AT)]);
    rounds.take(&board(1), seen(paired(9, 2).game(), 12, AT));
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [2]);
    rounds.restore(1, before.age(1), &board(1), kept);
    rounds.complete();
    assert_eq!(shown(&rounds, 1), [(5, 2, Some(Score::Draw))]);
}

#[test]
fn a_game_that_was_missed_is_taken_up_and_one_of_a_forgotten_round_is_not() {
    let left = |game, round| {
        seen(
            paired(game, round).moves("e4").result(Score::Draw).game(),
            game,
            AT,
        )
    };
    let mut rounds = rounds();
    rounds.take(&board(1), seen(paired(20, 3).moves("d4").game(), 20, AT));
    let earlier = vec![left(5, 1), left(9, 2), left(24, 3)];
    rounds.take_earlier(&board(1), earlier);
    rounds.take(&board(1), seen(paired(30, 4).game(), 30, AT));
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [3, 4]);
    assert_eq!(shown(&rounds, 3), [(24, 1, Some(Score::Draw))]);
    // Nothing is kept: the games of today's rounds are not told from those of another day.
    let mut new = self::rounds();
    assert_eq!(
        new.take_earlier(&board(1), vec![left(5, 1)]),
        BTreeSet::new()
    );
}

#[test]
fn a_broker_that_comes_back_with_an_older_state_takes_nothing_back() {
    let mut rounds = rounds();
    let at = |second: u32| format!("2026-11-22T12:00:{second:02}.000Z");
    // Each test payload's session is its time: these are of different runs of the daemon.
    let end = || {
        seen(
            paired(5, 1).moves("e4 e5").result(Score::Draw).game(),
            9,
            &at(30),
        )
    };
    rounds.take(&board(1), end());
    rounds.take(
        &board(1),
        seen(paired(12, 1).moves("d4").game(), 12, &at(50)),
    );
    let older = seen(paired(5, 1).moves("e4").game(), 7, &at(0));
    assert_eq!(rounds.take(&board(1), older), BTreeSet::new());
    let whole = [(5, 2, Some(Score::Draw)), (12, 1, None)];
    assert_eq!(shown(&rounds, 1), whole);
    // It is the same after a restart of the broadcast.
    let mut again = self::rounds();
    again.restore(1, rounds.age(1), &board(1), stored(&rounds));
    let older = seen(paired(5, 1).moves("e4").game(), 7, &at(0));
    assert_eq!(again.take(&board(1), older), BTreeSet::new());
    assert_eq!(shown(&again, 1), whole);
    // The journal was lost or restored, and its numbers begin again at smaller ones.
    let new = seen(paired(12, 1).moves("d4 d5").game(), 3, &at(59));
    rounds.take(&board(1), new);
    assert_eq!(shown(&rounds, 1)[1], (12, 2, None));
}
