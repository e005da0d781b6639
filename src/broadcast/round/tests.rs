use remisd_laws::Score;

use super::{board_games::UNFINISHED, *};
use crate::testing::{Sheet, board, with_earlier_result};

fn rounds(boards: u32) -> Rounds {
    let order = (1..=boards).map(board).collect();
    Rounds::new("open".parse().unwrap(), order)
}

fn numbers(rounds: &Rounds, round: u32) -> Vec<(u32, Vec<u64>)> {
    let places = rounds.places(round).into_iter();
    let shown = places.map(|place| {
        let games = place.shown().map(|game| game.shown.game.get());
        (place.number, games.collect())
    });
    shown.collect()
}

#[test]
fn boards_stand_in_the_order_of_the_configuration_with_or_without_a_game() {
    let mut rounds = rounds(3);
    rounds.take(&board(3), Sheet::new(40).tag("Round", "2").game());
    rounds.take(&board(1), Sheet::new(7).tag("Round", "2").game());
    assert_eq!(
        numbers(&rounds, 2),
        [(1, vec![7]), (2, vec![]), (3, vec![40])]
    );
    let foreign = rounds.take(&board(9), Sheet::new(1).game());
    assert!(foreign.is_empty(), "not one of ours");
}

#[test]
fn the_number_of_a_board_is_that_of_the_pairing_and_unique() {
    let mut rounds = rounds(4);
    rounds.take(&board(1), Sheet::new(1).tag("Round", "1.3").game());
    rounds.take(
        &board(2),
        Sheet::new(1).tag("Board", "12").tag("Round", "1").game(),
    );
    rounds.take(
        &board(3),
        Sheet::new(1).tag("Board", "3").tag("Round", "1").game(),
    );
    let numbers: Vec<u32> = rounds.places(1).iter().map(|place| place.number).collect();
    assert_eq!(
        numbers,
        [3, 12, 1, 4],
        "board 3 has claimed a number that is taken"
    );
    let too_great = Sheet::new(1)
        .tag("Board", "4294967295")
        .tag("Round", "1.77");
    rounds.take(&board(4), too_great.game());
    assert_eq!(rounds.places(1)[3].number, 4, "no hall has such a number");
}

#[test]
fn a_name_that_is_corrected_changes_the_game_and_not_its_id() {
    let mut rounds = rounds(1);
    let sheet = Sheet::new(5).tag("Round", "1").moves("e4 e5");
    rounds.take(&board(1), sheet.clone().game());
    let id = |rounds: &Rounds| {
        let place = rounds.places(1)[0];
        rounds.id(1, place.board, &place.games[0])
    };
    let before = id(&rounds);
    assert_eq!(before, "remisd-open-1-b1-5");
    let changed = rounds.take(&board(1), sheet.clone().tag("White", "Smith, A").game());
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
    assert_eq!(id(&rounds), before);
    let same = rounds.take(&board(1), sheet.tag("White", "Smith, A").game());
    assert!(same.is_empty(), "nothing has changed");
}

/// The id of a board's newest game.
fn id_of(rounds: &Rounds, round: u32, number: u32) -> String {
    let places = rounds.places(round).into_iter();
    let mut places = places.filter(|place| *place.board == board(number));
    let place = places.next().unwrap();
    rounds.id(round, place.board, place.games.last().unwrap())
}

#[test]
fn other_people_get_another_id_and_the_same_people_theirs_again() {
    let mut rounds = rounds(2);
    for (number, game, white, black, id) in [
        (1, 5, "Smith, A", "Jansen, P", "remisd-open-1-b1-5"),
        (2, 5, "Berg, O", "Kok, L", "remisd-open-1-b2-5"),
        // The colours were swapped, then White was another person.
        (1, 5, "Jansen, P", "Smith, A", "remisd-open-1-b1-5.2"),
        (1, 5, "Berg, O", "Smith, A", "remisd-open-1-b1-5.3"),
        // The first two again, then one of them corrected.
        (1, 5, "Smith, A", "Jansen, P", "remisd-open-1-b1-5"),
        (1, 5, "SMITH, Anna", "Jansen, P", "remisd-open-1-b1-5"),
        // The game is replayed.
        (1, 8, "Smith, Anna", "Jansen, P", "remisd-open-1-b1-8"),
        (2, 5, "Berg, Otto", "Kok, L", "remisd-open-1-b2-5"),
    ] {
        let sheet = Sheet::new(game).paired(1, white, black).moves("e4");
        rounds.take(&board(number), sheet.game());
        assert_eq!(id_of(&rounds, 1, number), id, "{white} - {black}");
    }
}

#[test]
fn a_pairing_that_was_changed_is_still_known_when_the_game_moves_to_its_round() {
    let mut rounds = rounds(1);
    let sheet = |round, white| Sheet::new(5).paired(round, white, "Jansen, P").moves("e4");
    for (round, white, id) in [
        (1, "Smith, A", "remisd-open-1-b1-5"),
        (1, "Berg, O", "remisd-open-1-b1-5.2"),
        (2, "Berg, O", "remisd-open-2-b1-5.2"),
        (2, "Smith, A", "remisd-open-2-b1-5"),
    ] {
        rounds.take(&board(1), sheet(round, white).game());
        assert_eq!(id_of(&rounds, round, 1), id);
    }
    assert!(rounds.places(1)[0].games.is_empty());
}

#[test]
fn a_second_game_of_a_round_follows_a_finished_first_and_replaces_an_unfinished_one() {
    let mut rounds = rounds(1);
    let sheet = |game| Sheet::new(game).tag("Round", "1").moves("e4");
    rounds.take(&board(1), sheet(5).game());
    rounds.take(&board(1), sheet(9).game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![9])]);
    rounds.take(&board(1), sheet(9).result(Score::Draw).game());
    rounds.take(&board(1), sheet(20).game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![9, 20])]);
}

#[test]
fn a_round_goes_on_at_some_boards_while_the_next_begins_at_others() {
    let mut rounds = rounds(2);
    for n in [1, 2] {
        rounds.take(&board(n), Sheet::new(1).tag("Round", "1").game());
    }
    rounds.take(&board(1), Sheet::new(8).tag("Round", "2").game());
    let late = Sheet::new(1).tag("Round", "1").result(Score::Draw).game();
    assert_eq!(
        rounds.take(&board(2), late).into_iter().collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(numbers(&rounds, 1), [(1, vec![1]), (2, vec![1])]);
    assert_eq!(numbers(&rounds, 2), [(1, vec![8]), (2, vec![])]);
    // A game whose tags arrive after its first moves moves to its round.
    rounds.take(&board(2), Sheet::new(8).moves("e4").game());
    let changed = rounds.take(&board(2), Sheet::new(8).tag("Round", "2").game());
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(numbers(&rounds, 2)[1], (2, vec![8]));
    rounds.take(&board(1), Sheet::new(30).tag("Round", "3").game());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn what_is_restored_late_neither_replaces_nor_repeats_what_has_come_since() {
    let sheet = |game: u64, round: &str| Sheet::new(game).tag("Round", round).moves("e4");
    let mut earlier = rounds(1);
    earlier.take(&board(1), sheet(5, "1").result(Score::Draw).game());
    earlier.take(&board(1), sheet(7, "1").game());
    let kept = earlier.places(1)[0].games.to_vec();
    // Game 7 was never finished before game 9 began.
    let mut rounds = rounds(1);
    rounds.take(&board(1), sheet(9, "1").game());
    rounds.restore(1, Age::default(), &board(1), kept.clone());
    assert_eq!(numbers(&rounds, 1), [(1, vec![5, 9])]);
    // Game 7 was moved to another round.
    let mut rounds = self::rounds(1);
    rounds.take(&board(1), sheet(7, "2").game());
    rounds.restore(1, Age::default(), &board(1), kept);
    assert_eq!(numbers(&rounds, 1), [(1, vec![5])]);
    assert_eq!(numbers(&rounds, 2), [(1, vec![7])]);
}

#[test]
fn a_new_event_begins_with_round_1_while_the_last_rounds_of_another_are_kept() {
    let sheet = |game: u64, round: &str| Sheet::new(game).tag("Round", round).moves("e4");
    let mut earlier = rounds(1);
    earlier.take(&board(1), sheet(5, "8").result(Score::Draw).game());
    earlier.take(&board(1), sheet(7, "9").result(Score::Draw).game());
    let mut rounds = rounds(1).starting();
    for round in [8, 9] {
        let kept = earlier.places(round)[0].games.to_vec();
        rounds.restore(round, earlier.age(round), &board(1), kept);
    }
    rounds.complete();
    rounds.take(&board(1), sheet(9, "1").game());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [1, 9]);
    rounds.take(&board(1), sheet(9, "1").result(Score::Draw).game());
    // Without a tag, a game belongs to the newest round.
    rounds.take(&board(1), Sheet::new(10).moves("d4").game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![9, 10])]);
    rounds.take(&board(1), sheet(12, "2").game());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_round_that_was_mistyped_is_forgotten_once_it_has_no_game() {
    let sheet = |game: u64, round: &str| Sheet::new(game).tag("Round", round).moves("e4");
    let mut rounds = rounds(2);
    rounds.take(&board(1), sheet(5, "3").game());
    rounds.take(&board(2), sheet(5, "33").game());
    let changed = rounds.take(&board(2), sheet(5, "3").game());
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [3, 33]);
    // It was not published yet, and is forgotten before a round that is played.
    rounds.take(&board(1), sheet(8, "4").game());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [3, 4]);
    assert_eq!(numbers(&rounds, 3)[1], (2, vec![5]));
    // After it was published it is gone.
    rounds.take(&board(1), sheet(8, "44").game());
    rounds.take(&board(1), sheet(8, "4").game());
    rounds.forget_empty();
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn a_change_in_a_round_that_was_forgotten_does_not_bring_it_back() {
    let sheet = |game: u64, round: &str| Sheet::new(game).tag("Round", round).moves("e4");
    let mut rounds = rounds(2);
    rounds.take(&board(2), sheet(5, "1").game());
    rounds.take(&board(1), sheet(8, "2").game());
    rounds.take(&board(1), sheet(9, "3").game());
    let corrected = rounds.take(&board(2), sheet(5, "1").result(Score::Draw).game());
    assert!(corrected.is_empty());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [2, 3]);
    // A new game of round 1 is one of the next event.
    rounds.take(&board(2), sheet(6, "1").game());
    assert_eq!(rounds.numbers().collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn at_a_start_a_board_that_is_no_longer_used_brings_back_no_old_round() {
    let sheet = |game: u64, round: &str| Sheet::new(game).tag("Round", round).moves("e4");
    let mut earlier = rounds(2);
    earlier.take(&board(1), sheet(8, "2").game());
    earlier.take(&board(1), sheet(9, "3").result(Score::Draw).game());
    for next in ["4", "1"] {
        let mut rounds = rounds(3).starting();
        for round in [2, 3] {
            let kept = earlier.places(round)[0].games.to_vec();
            if !kept.is_empty() {
                rounds.restore(round, earlier.age(round), &board(1), kept);
            }
        }
        // Its last game was in round 7 of an earlier event.
        rounds.take(&board(2), sheet(5, "7").game());
        // A round has begun while the daemon was away, also at a board that was not used before.
        rounds.take(&board(3), sheet(2, next).game());
        rounds.take(&board(1), sheet(12, next).game());
        rounds.complete();
        let mut expected = vec![3, next.parse().unwrap()];
        expected.sort_unstable();
        assert_eq!(rounds.numbers().collect::<Vec<_>>(), expected);
        let of_next = numbers(&rounds, next.parse().unwrap());
        assert_eq!((&of_next[0].1, &of_next[2].1), (&vec![12], &vec![2]));
    }
}

/// What the arbiter has entered for a game after it was left.
fn decided(now: Game, game: u64) -> Game {
    with_earlier_result(now, Sheet::new(game).result(Score::Draw))
}

#[test]
fn an_empty_new_game_replaces_no_game_with_moves_until_it_has_a_move_or_other_players() {
    let players = |sheet: Sheet| sheet.paired(1, "Smith, John", "Jansen, Piet");
    for (next, replaces) in [
        (Sheet::new(9), false),
        (players(Sheet::new(9)), false),
        (Sheet::new(9).moves("d4"), true),
        (Sheet::new(9).paired(1, "Meyer, Eva", "Jansen, Piet"), true),
    ] {
        let mut rounds = rounds(1);
        rounds.take(&board(1), players(Sheet::new(5)).moves("e4 e5").game());
        let next = next.game();
        rounds.take(&board(1), next.clone());
        let shown = if replaces { 9 } else { 5 };
        assert_eq!(numbers(&rounds, 1), [(1, vec![shown])], "{next:?}");
        // Its result brings it back before the next one.
        let changed = rounds.take(&board(1), decided(next, 5));
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
        assert_eq!(numbers(&rounds, 1), [(1, vec![5, 9])]);
    }
}

#[test]
fn a_game_that_other_players_have_replaced_does_not_come_back() {
    let mut rounds = rounds(1);
    let paired = |game, white| Sheet::new(game).paired(1, white, "Jansen, Piet");
    rounds.take(&board(1), paired(5, "Smith, John").moves("e4").game());
    rounds.take(&board(1), paired(8, "Meyer, Eva").game());
    rounds.take(&board(1), Sheet::new(9).tag("Round", "1").game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![9])]);
}

#[test]
fn nameless_moves_are_replaced_by_a_pairing() {
    let mut rounds = rounds(1);
    rounds.take(
        &board(1),
        Sheet::new(5).tag("Round", "1").moves("e4").game(),
    );
    let paired = Sheet::new(9).paired(1, "Smith, John", "Jansen, Piet");
    rounds.take(&board(1), paired.game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![9])]);
}

#[test]
fn a_result_that_comes_before_its_game_is_restored_is_not_lost() {
    let mut rounds = rounds(1);
    let left = RoundGame {
        shown: Sheet::new(5).tag("Round", "1").moves("e4").game(),
        opponents: Opponents::default(),
        entry: EntryRef::default(),
        is_decided_later: Some(false),
    };
    let now = Sheet::new(9).tag("Round", "1").moves("d4").game();
    rounds.take(&board(1), decided(now, 5));
    rounds.restore(1, Age::default(), &board(1), vec![left]);
    assert_eq!(numbers(&rounds, 1), [(1, vec![5, 9])]);
    let games = rounds.places(1)[0].games;
    assert!(
        games
            .iter()
            .all(|game| game.shown.earlier_results.is_empty())
    );
}

#[test]
fn replaced_games_are_bounded() {
    let mut rounds = rounds(1);
    for game in 1..=40 {
        rounds.take(
            &board(1),
            Sheet::new(game).tag("Round", "1").moves("e4").game(),
        );
    }
    assert_eq!(rounds.places(1)[0].games.len(), UNFINISHED);
    assert_eq!(numbers(&rounds, 1), [(1, vec![40])]);
}

#[test]
fn a_left_game_of_which_the_public_lacks_moves_is_uncertain_from_there() {
    let mut rounds = rounds(1);
    let sheet = || Sheet::new(5).paired(1, "Smith, John", "Jansen, Piet");
    let whole = sheet().moves("e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#");
    rounds.take(&board(1), sheet().moves("e4 e5 Qh5 Nc6").game());
    let now = with_earlier_result(Sheet::new(9).game(), whole.result(Score::WhiteWins));
    let changed = rounds.take(&board(1), now.clone());
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1]);
    let left = &rounds.places(1)[0].games[0].shown;
    assert_eq!(left.result, now.earlier_results[0].result.clone().into());
    assert_eq!(left.uncertain.unwrap().since_ply, Some(5));
    assert!(rounds.take(&board(1), now.clone()).is_empty(), "once");
    let text = crate::text::RoundText::of(&rounds, 1, None, &[]);
    let archive = text.joined(|texts| &texts.archive);
    assert!(archive.contains("[Result \"1-0\"]"), "{archive}");
    assert!(archive.contains("{not certain from ply 5 on}"), "{archive}");
    // A run that did not know of it has kept the game as certain.
    let mut kept = rounds.places(1)[0].games.to_vec();
    kept[0].shown.uncertain = None;
    let mut again = self::rounds(1);
    again.take(&board(1), now);
    again.restore(1, Age::default(), &board(1), kept);
    let left = &again.places(1)[0].games[0].shown;
    assert_eq!(left.uncertain.unwrap().since_ply, Some(5));
}

#[test]
fn a_left_game_of_which_the_public_has_all_moves_is_certain() {
    let mut rounds = rounds(1);
    let sheet = Sheet::new(5).tag("Round", "1").moves("e4 e5");
    rounds.take(&board(1), sheet.clone().game());
    let now = with_earlier_result(Sheet::new(9).game(), sheet.result(Score::Draw));
    rounds.take(&board(1), now);
    assert_eq!(rounds.places(1)[0].games[0].shown.uncertain, None);
}

#[test]
fn an_earlier_result_changes_neither_the_number_of_the_board_nor_its_file() {
    let mut rounds = rounds(3);
    let paired = Sheet::new(5).paired(1, "Smith, John", "Jansen, Piet");
    rounds.take(&board(1), paired.tag("Board", "3").moves("e4 e5").game());
    rounds.take(&board(2), Sheet::new(4).tag("Round", "1").game());
    let before = rounds
        .places(1)
        .iter()
        .map(|place| place.number)
        .collect::<Vec<_>>();
    assert_eq!(before, [3, 2, 1]);
    let untagged = Sheet::new(9);
    for now in [untagged.clone(), untagged.moves("d4")] {
        rounds.take(&board(1), decided(now.game(), 5));
        let numbers = rounds
            .places(1)
            .iter()
            .map(|place| place.number)
            .collect::<Vec<_>>();
        assert_eq!(numbers, before);
    }
}

#[test]
fn moves_of_nobody_behind_a_finished_game_have_no_place_once_the_next_game_begins() {
    let mut rounds = rounds(1);
    let named = |game, round| Sheet::new(game).paired(round, "Smith, John", "Jansen, Piet");
    rounds.take(&board(1), named(5, 1).result(Score::Draw).game());
    rounds.take(&board(1), Sheet::new(7).moves("e4 e5").game());
    assert_eq!(
        numbers(&rounds, 1),
        [(1, vec![5, 7])],
        "it may be a second game"
    );
    // The array, then the pairing of the next round begins another game.
    rounds.take(&board(1), Sheet::new(8).game());
    assert_eq!(numbers(&rounds, 1), [(1, vec![5, 8])]);
    let changed = rounds.take(&board(1), named(9, 2).game());
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(numbers(&rounds, 1), [(1, vec![5])]);
    let text = crate::text::RoundText::of(&rounds, 1, None, &[]);
    assert!(text.games[0].finished);
    // It was a game after all.
    rounds.take(&board(1), decided(named(9, 2).game(), 7));
    assert_eq!(numbers(&rounds, 1), [(1, vec![5, 7])]);
}

#[test]
fn empty_games_push_out_no_game_with_moves() {
    let mut rounds = rounds(1);
    let sheet = |game| Sheet::new(game).tag("Round", "1");
    rounds.take(&board(1), sheet(1).moves("e4").game());
    for game in 2..=40 {
        rounds.take(&board(1), sheet(game).game());
    }
    assert_eq!(rounds.places(1)[0].games.len(), UNFINISHED);
    assert_eq!(numbers(&rounds, 1), [(1, vec![1])]);
    rounds.take(&board(1), decided(sheet(40).game(), 1));
    assert_eq!(numbers(&rounds, 1), [(1, vec![1, 40])]);
}
