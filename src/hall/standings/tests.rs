use super::*;

pub(super) fn report(rounds: &[&str; 4]) -> Arc<Report> {
    let lines = (1..).zip(["A", "B", "C", "D"]).zip(rounds);
    let lines = lines.map(|((start, name), rounds)| {
        format!(
            "001 {start:>4}      {name:<33}                                            {rounds}\n"
        )
    });
    let text: String = lines.collect();
    Arc::new(Report::read(text.as_bytes()).unwrap())
}

fn kept(published_rounds: Option<u16>) -> Kept {
    Kept::new(Tournament {
        id: "open".to_owned(),
        file: "/none".into(),
        published_rounds,
    })
}

fn game(
    board: &str,
    number: u64,
    round: &str,
    players: [&str; 2],
    score: &str,
) -> (BoardId, PublicGame) {
    let result = format!("{{\"score\":\"{score}\",\"reason\":\"arbiter\",\"confirmed\":true}}");
    let result = if score.is_empty() {
        "null".to_owned()
    } else {
        result
    };
    let [white, black] = players;
    let text = format!(
        "{{\"game\":{number},\"headers\":{{\"White\":\"{white}\",\"Black\":\"{black}\",\
         \"Round\":\"{round}\"}},\"result\":{result}}}"
    );
    (board.parse().unwrap(), serde_json::from_str(&text).unwrap())
}

fn points(table: &Table) -> Vec<(u16, String)> {
    table
        .rows
        .iter()
        .map(|row| (row.start, row.points.to_string()))
        .collect()
}

pub(super) const FIRST: [&str; 4] = ["   2 w 1", "   1 b 0", "   4 w 1", "   3 b 0"];
/// Round 2 is running, and the file has its results already.
pub(super) const SECOND: [&str; 4] = [
    "   2 w 1     3 b 0     4 w",
    "   1 b 0     4 w =     3 b",
    "   4 w 1     1 w 1     2 w",
    "   3 b 0     2 b =     1 b",
];

#[test]
fn a_report_with_the_running_rounds_results_shows_what_one_without_them_does() {
    let public = [
        game("b1", 1, "2.1", ["C", "A"], ""),
        game("b2", 1, "2.2", ["B", "D"], "1/2-1/2"),
    ];
    let early = kept(None).table(&report(&FIRST), &public);
    let late = kept(None).table(&report(&SECOND), &public);
    assert_eq!(early, late);
    assert_eq!(late.1, 1);
    let points = points(&late.0);
    for (start, expected) in [(1, "1"), (2, "0.5"), (3, "1"), (4, "0.5")] {
        assert!(points.contains(&(start, expected.to_owned())), "{points:?}");
    }
}

#[test]
fn nothing_of_the_report_is_public_before_the_public_sees_a_game() {
    let none = kept(None).table(&report(&SECOND), &[]);
    assert_eq!(none.1, 0);
    assert!(none.0.rows.iter().all(|row| row.points.to_string() == "0"));
    let said = kept(Some(1)).table(&report(&SECOND), &[]);
    assert_eq!(said.0.rounds, 1);
    assert_eq!(said.0.rows[0].points.to_string(), "1");
}

#[test]
fn a_finished_game_counts_until_its_round_is_taken_from_the_report() {
    let mut kept = kept(None);
    let before = [
        game("b1", 1, "2", ["C", "A"], ""),
        game("b2", 1, "2", ["B", "D"], "1-0"),
    ];
    let before = kept.table(&report(&FIRST), &before);
    // The other board is in the next round already.
    let next = [
        game("b1", 1, "2", ["C", "A"], "0-1"),
        game("b2", 9, "3", ["C", "B"], ""),
    ];
    let after = kept.table(&report(&SECOND), &next);
    assert_eq!((before.1, after.1), (1, 1));
    assert!(points(&after.0).contains(&(2, "1".to_owned())), "{after:?}");
    assert!(points(&after.0).contains(&(1, "2".to_owned())), "{after:?}");
    // All are in the next round: now the report counts, where 2 drew and 3 won.
    let all = [
        game("b1", 12, "3", ["A", "D"], ""),
        game("b2", 9, "3", ["C", "B"], ""),
    ];
    let all = kept.table(&report(&SECOND), &all);
    assert_eq!(all.1, 2);
    assert!(points(&all.0).contains(&(2, "0.5".to_owned())), "{all:?}");
    assert!(points(&all.0).contains(&(3, "2".to_owned())), "{all:?}");
}

#[test]
fn a_result_that_is_withdrawn_and_a_pairing_that_is_changed_do_not_stay() {
    let mut kept = kept(None);
    let won = [game("b1", 1, "2", ["C", "A"], "1-0")];
    kept.table(&report(&FIRST), &won);
    let other = [game("b1", 1, "2", ["C", "B"], "*")];
    let after = kept.table(&report(&FIRST), &other);
    assert!(points(&after.0).contains(&(3, "1".to_owned())), "{after:?}");
    assert!(points(&after.0).contains(&(1, "1".to_owned())), "{after:?}");
}

#[test]
fn games_that_cannot_be_counted_are_named() {
    let games = [
        game("b1", 1, "2", ["C", "Nobody"], ""),
        game("b2", 1, "?", ["A", "B"], ""),
        game("b3", 1, "2", ["X", "Y"], ""),
    ];
    let table = kept(None).table(&report(&FIRST), &games);
    assert_eq!(
        table.2,
        ["b1".parse().unwrap(), "b2".parse::<BoardId>().unwrap()]
    );
}

/// The rounds that are taken from the report while the public sees these games.
fn through(published_rounds: Option<u16>, games: &[(BoardId, PublicGame)]) -> u16 {
    kept(published_rounds).table(&report(&FIRST), games).1
}

#[test]
fn a_running_game_that_may_be_of_any_round_holds_every_round_back() {
    let running = game("b1", 1, "3", ["A", "B"], "");
    for (other, expected) in [
        // Of the tournament, of another one, over.
        (game("b2", 1, "3", ["C", "D"], ""), 2),
        (game("b2", 1, "?", ["C", "D"], ""), 0),
        (game("b2", 1, "0", ["C", "D"], ""), 0),
        (game("b2", 1, "3", ["C", "Nobody"], ""), 0),
        (game("b2", 1, "3", ["", ""], ""), 0),
        (game("b2", 1, "3", ["C", "C"], ""), 0),
        (game("b2", 1, "?", ["C", "D"], "1-0"), 2),
        (game("b2", 1, "3", ["X", "Y"], "*"), 2),
    ] {
        let games = [running.clone(), other];
        assert_eq!(through(None, &games), expected, "{games:?}");
        for rounds in [0, 2, 9] {
            assert_eq!(
                through(Some(rounds), &games),
                rounds,
                "the configuration decides"
            );
        }
    }
}

#[test]
fn the_rounds_before_the_earliest_one_that_is_played_are_taken_from_the_report() {
    let played = |board: &str, round: &str, score| game(board, 1, round, ["A", "B"], score);
    let other = |board: &str, round: &str, score| game(board, 1, round, ["C", "D"], score);
    for (games, expected) in [
        (vec![], 0),
        (vec![played("b1", "1", "")], 0),
        (vec![played("b1", "4", ""), other("b2", "4", "1-0")], 3),
        (vec![played("b1", "4", ""), other("b2", "3", "")], 2),
        // All are over: the newest round may still have others.
        (vec![played("b1", "4", "1-0"), other("b2", "4", "1-0")], 3),
        // A finished game of the first round is still on a board that is no longer used.
        (vec![played("b1", "4", ""), other("b9", "1", "1-0")], 3),
        (vec![played("b1", "4", "1-0"), other("b9", "1", "1-0")], 3),
        // An annulled one.
        (vec![played("b1", "4", ""), other("b9", "1", "*")], 3),
        // An unfinished one, whose players play a later round.
        (
            vec![played("b1", "4", ""), game("b9", 1, "1", ["B", "D"], "")],
            3,
        ),
        // An unfinished one that may still be played.
        (vec![played("b1", "4", ""), other("b9", "1", "")], 0),
    ] {
        assert_eq!(through(None, &games), expected, "{games:?}");
    }
}

#[test]
fn an_annulled_game_is_not_counted_and_its_replay_is_wherever_it_is_played() {
    let mut kept = kept(None);
    let won = game("b9", 1, "2", ["C", "A"], "1-0");
    kept.table(&report(&FIRST), std::slice::from_ref(&won));
    let annulled = game("b9", 1, "2", ["C", "A"], "*");
    let (table, _, not_counted) = kept.table(&report(&FIRST), std::slice::from_ref(&annulled));
    assert!(points(&table).contains(&(3, "1".to_owned())), "{table:?}");
    assert!(not_counted.is_empty(), "{not_counted:?}");
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.encounters.get(1).is_none_or(Option::is_none))
    );
    // First over, then played again at another board.
    kept.table(&report(&FIRST), std::slice::from_ref(&won));
    let mut replayed = [won, game("b1", 7, "2", ["C", "A"], "0-1")];
    // In any order of the boards, and in each further answer.
    for _ in 0..3 {
        let (table, ..) = kept.table(&report(&FIRST), &replayed);
        assert!(points(&table).contains(&(1, "2".to_owned())), "{table:?}");
        assert!(points(&table).contains(&(3, "1".to_owned())), "{table:?}");
        replayed.reverse();
    }
}

#[test]
fn a_report_that_ranks_its_players_anew_gives_each_his_own_games() {
    let mut kept = kept(None);
    let won = game("b1", 1, "2", ["C", "A"], "1-0");
    let running = game("b2", 1, "2", ["B", "D"], "");
    kept.table(&report(&FIRST), &[won, running.clone()]);
    // The board is used for something else, and the report begins with D.
    let lines = (1..).zip(["D", "C", "B", "A"]).map(|(start, name)| {
        format!("001 {start:>4}      {name:<33}                                            \n")
    });
    let again = Arc::new(Report::read(lines.collect::<String>().as_bytes()).unwrap());
    let (table, ..) = kept.table(&again, &[game("b1", 9, "", ["X", "Y"], "1-0"), running]);
    let points = points(&table);
    assert!(
        points.contains(&(2, "1".to_owned())),
        "C has won: {points:?}"
    );
    assert!(points.contains(&(4, "0".to_owned())), "{points:?}");
}

#[test]
fn a_game_that_was_left_counts_once_its_result_is_entered() {
    let report = report(&FIRST);
    let mut kept = kept(None);
    let left = game("b1", 1, "2", ["A", "C"], "");
    let next = |number, results: &str| {
        let (board, mut next) = game("b1", number, "2", ["B", "D"], "");
        next.earlier_results = serde_json::from_str(results).unwrap();
        (board, next)
    };
    let before = points(&kept.table(&report, &[left]).0);
    assert_eq!(points(&kept.table(&report, &[next(9, "[]")]).0), before);
    let entered = next(9, "[{\"game\":1,\"result\":{\"score\":\"1-0\"}}]");
    let after = points(&kept.table(&report, std::slice::from_ref(&entered)).0);
    // Its end was missed.
    let mut missed = self::kept(None);
    missed.table(&report, &[game("b1", 1, "2", ["A", "C"], "")]);
    let (board, mut ended) = next(9, "[]");
    ended.left = entered.1.earlier_results.clone();
    assert_eq!(points(&missed.table(&report, &[(board, ended)]).0), after);
    assert!(before.contains(&(1, "1".to_owned())), "{before:?}");
    assert!(after.contains(&(1, "2".to_owned())), "{after:?}");
    let seen = &kept.games[&("b1".parse().unwrap(), 1)];
    assert!(
        seen.is_over && !seen.is_left && seen.outcome.is_some(),
        "{seen:?}"
    );
    for number in 20..40 {
        kept.table(&report, &[game("b1", number, "2", ["A", "C"], "")]);
    }
    // The current one, those that were left, and the finished one.
    assert_eq!(kept.games.len(), 1 + LEFT + 1, "{:?}", kept.games.keys());
}
