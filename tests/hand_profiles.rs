//! Human hands, read in virtual time: the number of exactly read games has a lower bound, and that
//! of silently wrong ones an upper bound. `cargo bench --bench hand` plays all games and measures
//! the times. `REMISD_TEST_GAMES` is how many games are played with a clock that must not be taken
//! to be the other way round.

use remisd::simulate::Profile;
use remisd_trial::{self as trial, Grade, Outcome, Sensing, Setting};

const GAMES: usize = 20;

/// Plays the first games and checks how many are exactly right, and how many silently wrong.
fn check(profile: Profile, sensing: Sensing, lever: bool, at_least: usize, wrong_at_most: usize) {
    let setting = Setting {
        profile,
        sensing,
        lever,
        reversed: false,
        seed: 1,
    };
    let mut exact = 0;
    let mut wrong = 0;
    for (game, score) in trial::games().iter().take(GAMES).enumerate() {
        let setting = setting.of(game);
        let account = trial::play(score, setting, || 0, false);
        let grade = Grade::of(score, &account);
        wrong += usize::from(grade.outcome == Outcome::Wrong);
        if wrong > wrong_at_most {
            let account = trial::play(score, setting, || 0, true);
            let shown = trial::show::show(score, setting, &account);
            panic!("game {game} was read wrongly and not flagged:\n{shown}");
        }
        exact += usize::from(grade.outcome == Outcome::Exact);
    }
    assert!(
        exact >= at_least,
        "{exact} of {GAMES} games are exactly right"
    );
}

/// One test for each profile, sensing and clock, with the least number of exact games and the
/// largest number of silently wrong ones. Boards that do not identify their pieces are not read
/// well enough yet.
macro_rules! checks {
    ($($name:ident: $profile:ident $sensing:ident $lever:literal $least:literal $wrong:literal;)*) => {
        $(
            #[test]
            fn $name() {
                check(Profile::$profile, Sensing::$sensing, $lever, $least, $wrong);
            }
        )*
    };
}

checks! {
    plain: Plain Identity true 20 0;
    plain_without_a_lever: Plain Identity false 20 0;
    tournament: Tournament Identity true 20 0;
    tournament_without_a_lever: Tournament Identity false 20 0;
    scramble: Scramble Identity true 17 0;
    scramble_without_a_lever: Scramble Identity false 16 0;
    faulty: Faulty Identity true 20 0;
    faulty_without_a_lever: Faulty Identity false 19 0;
    endings: Endings Identity true 20 0;
    endings_without_a_lever: Endings Identity false 20 0;
    occupancy_plain: Plain Occupancy true 20 0;
    occupancy_plain_without_a_lever: Plain Occupancy false 20 0;
    occupancy_tournament: Tournament Occupancy true 19 0;
    occupancy_tournament_without_a_lever: Tournament Occupancy false 18 0;
    occupancy_endings: Endings Occupancy true 18 0;
    occupancy_endings_without_a_lever: Endings Occupancy false 18 0;
    occupancy_scramble: Scramble Occupancy true 13 0;
    occupancy_scramble_without_a_lever: Scramble Occupancy false 8 0;
    occupancy_faulty: Faulty Occupancy true 18 0;
    occupancy_faulty_without_a_lever: Faulty Occupancy false 18 0;
}

#[test]
fn the_same_seed_gives_the_same_account() {
    let score = trial::games().remove(0);
    for profile in Profile::ALL {
        let setting = Setting {
            profile,
            sensing: Sensing::Identity,
            lever: true,
            reversed: false,
            seed: 7,
        };
        let shown = |setting| {
            let account = trial::play(&score, setting, || 0, true);
            trial::show::show(&score, setting, &account)
        };
        assert_eq!(shown(setting), shown(setting));
    }
}

/// Reads this many games with a clock, on a board that identifies its pieces. Returns how each game
/// was read, and after how many plies the clock was found to be the other way round.
fn with_a_clock(
    profile: Profile,
    reversed: bool,
    games: usize,
) -> impl Iterator<Item = (Grade, Vec<usize>)> {
    let setting = Setting {
        profile,
        sensing: Sensing::Identity,
        lever: true,
        reversed,
        seed: 1,
    };
    let all = trial::games().into_iter().take(games).enumerate();
    all.map(move |(game, score)| {
        let account = trial::play(&score, setting.of(game), || 0, false);
        (Grade::of(&score, &account), account.turned)
    })
}

#[test]
fn a_clock_placed_as_assumed_is_never_taken_for_a_reversed_one() {
    let games = std::env::var("REMISD_TEST_GAMES").map_or(GAMES, |games| games.parse().unwrap());
    for profile in Profile::ALL {
        for (game, (_, turned)) in with_a_clock(profile, false, games).enumerate() {
            assert!(turned.is_empty(), "{profile}, game {game}: {turned:?}");
        }
    }
}

#[test]
fn a_clock_the_other_way_round_is_found_out_and_moves_are_settled_by_it() {
    for profile in [Profile::Tournament, Profile::Faulty] {
        let mut after = Vec::new();
        for (game, (grade, turned)) in with_a_clock(profile, true, GAMES).enumerate() {
            assert_eq!(grade.outcome, Outcome::Exact, "{profile}, game {game}");
            let [found] = turned[..] else {
                panic!("{profile}, game {game}: {turned:?}");
            };
            assert!(found <= 12, "{profile}, game {game}: after {found} plies");
            after.extend(grade.after.into_iter().skip(found));
        }
        after.sort_unstable();
        let median = after[after.len() / 2];
        assert!(median <= 300, "{profile}: {median} ms");
    }
}

/// Presses on the wrong side count for forgotten ones, which is evidence against what was played.
#[test]
fn where_a_clock_the_other_way_round_is_not_found_out_few_games_are_read_wrongly() {
    let wrong = with_a_clock(Profile::Scramble, true, GAMES)
        .filter(|(grade, _)| grade.outcome == Outcome::Wrong)
        .count();
    assert!(wrong <= 2, "{wrong} of {GAMES} games");
}
