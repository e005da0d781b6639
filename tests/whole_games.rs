//! Plays 600 games of 2025 move by move: simulated boards on pseudo-terminals, one daemon, a real
//! broker. The `event` topic must contain exactly the moves. On a computer that stands still meanwhile,
//! a last ply and the next set-up may come together: the daemon must then name the ply. Every payload
//! for the arbiter, and on some boards for every audience, is valid against the published schemas.
//!
//! `REMISD_TEST_SPEED` sets the speed of the simulated world. It multiplies the delays of the
//! computer for the simulated hands, so a slow computer needs a lower one.
#![allow(clippy::unwrap_used, missing_docs)]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex},
    time::Duration,
};

use remisd::simulate::{Options, score};
use remisd_testkit::{
    PATIENCE, mosquitto::Mosquitto, remisd::Home, table::SimulatedTable, witness::Message,
    witness::Witness,
};
use serde_json::Value;
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};
use tokio_util::task::AbortOnDropHandle;

const GAMES: &str = include_str!("data/games/otb-2025.pgn");
const BOARDS: usize = 48;
/// Boards whose payloads are checked for every audience.
const WHOLLY_CHECKED: [&str; 4] = ["b1", "b2", "b3", "b4"];
const SPEED: f64 = 4.0;
/// The pause between the last ply of a game and the next set-up, in the time of the simulated world.
const AFTER_GAME: Duration = Duration::from_secs(3);
/// How many games may end with a last ply that is named and not recorded, if the computer stood still
/// for a good part of that pause. Otherwise there is none.
const NAMED_IF_LATE: usize = 1;
/// How often it is looked whether the computer is late.
const LATENESS_TICK: Duration = Duration::from_millis(20);
/// The time allowed after the last ply on the last board.
const LAST_WORDS: Duration = Duration::from_secs(30);

/// A game as it was played.
struct Played {
    /// Its place in the file, from 1.
    number: usize,
    pgn: &'static str,
    moves: Vec<(String, String)>,
}

/// A game as it was published.
#[derive(Debug, Default)]
struct PublishedGame {
    game: u64,
    moves: Vec<(String, String)>,
    /// The move that was named as perhaps on the board when the game was left.
    named: Option<(String, String)>,
    notes: Vec<String>,
}

impl PublishedGame {
    /// Whether only the last ply is missing, and the daemon has named it.
    fn names_the_last_ply(&self, played: &[(String, String)]) -> bool {
        let named = self.named.iter();
        self.named.is_some() && self.moves.iter().chain(named).eq(played)
    }
}

/// Splits a file into its games.
fn cut(text: &'static str) -> Vec<&'static str> {
    let mut starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.windows(2).map(|two| &text[two[0]..two[1]]).collect()
}

/// Distributes the games so that all boards have about as many plies.
fn deal() -> Vec<Vec<Played>> {
    let mut boards: Vec<Vec<Played>> = (0..BOARDS).map(|_| Vec::new()).collect();
    let mut plies = [0; BOARDS];
    for (number, pgn) in (1..).zip(cut(GAMES)) {
        let score = score::read(pgn).unwrap().remove(0).unwrap();
        let moves = score.plies.into_iter().map(|ply| (ply.uci, ply.san));
        let moves: Vec<_> = moves.collect();
        let board = (0..BOARDS).min_by_key(|board| plies[*board]).unwrap();
        plies[board] += moves.len() + 15; // setting up takes time, too
        boards[board].push(Played { number, pgn, moves });
    }
    boards
}

/// The `event` topic of one board, as received.
#[derive(Default)]
struct Account {
    seq: u64,
    games: Vec<PublishedGame>,
    /// The last moves of each game on the retained topic.
    shown: BTreeMap<u64, Vec<(String, String)>>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn notation(value: &Value) -> (String, String) {
    (text(&value["uci"]), text(&value["san"]))
}

impl Account {
    fn event(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap();
        if seq <= self.seq {
            return; // at least once
        }
        assert_eq!(seq, self.seq + 1, "an event is missing: {event}");
        self.seq = seq;
        for fact in event["facts"].as_array().unwrap() {
            self.fact(fact);
        }
    }

    fn fact(&mut self, fact: &Value) {
        if fact["type"] == "game_started" {
            self.games.push(PublishedGame {
                game: fact["game"].as_u64().unwrap(),
                ..PublishedGame::default()
            });
            return;
        }
        let Some(game) = self.games.last_mut() else {
            return;
        };
        let ply = usize::try_from(fact["ply"].as_u64().unwrap_or(0)).unwrap();
        match fact["type"].as_str().unwrap() {
            "move_made" => {
                game.moves.push(notation(fact));
                assert_eq!(game.moves.len(), ply, "{fact}");
            }
            "move_retracted" => {
                assert_eq!(game.moves.len(), ply, "{fact}");
                let (uci, san) = game.moves.pop().unwrap();
                game.notes
                    .push(format!("after {ply}: {san} ({uci}) retracted"));
            }
            "move_unsettled" => game.named = Some(notation(&fact["move"])),
            "tracking_lost" | "tracking_restored" | "refused" | "link_changed" => {
                game.notes
                    .push(format!("after {}: {fact}", game.moves.len()));
            }
            _ => {}
        }
    }

    fn show(&mut self, game: &Value) {
        let moves = game["moves"].as_array().unwrap().iter().map(notation);
        let number = game["game"].as_u64().unwrap();
        self.shown.insert(number, moves.collect());
    }

    fn take(&mut self, message: &Message) {
        let content = message.json();
        if message.topic.ends_with("/event") {
            self.event(&content);
        } else if !content.is_null() {
            self.show(&content);
        }
    }
}

/// The first difference between two accounts, as text.
fn difference(played: &[(String, String)], published: &[(String, String)]) -> String {
    let same = played
        .iter()
        .zip(published)
        .take_while(|(a, b)| a == b)
        .count();
    let word = |moves: &[(String, String)]| match moves.get(same) {
        Some((uci, san)) => format!("{san} ({uci})"),
        None => "nothing".to_owned(),
    };
    format!(
        "ply {}: played {}, published {}",
        same + 1,
        word(played),
        word(published)
    )
}

/// The audience of a message.
fn audience(message: &Message) -> String {
    message.topic.split('/').nth(3).unwrap().to_owned()
}

/// Notes for how long the computer stood still at most. Hands and boards live in this process.
struct Lateness {
    worst: Arc<Mutex<Duration>>,
    watching: AbortOnDropHandle<()>,
}

impl Lateness {
    fn watch() -> Self {
        let worst = Arc::new(Mutex::new(Duration::ZERO));
        let noted = worst.clone();
        let watching = tokio::spawn(async move {
            let mut ticks = interval(LATENESS_TICK);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                let last = ticks.tick().await;
                let late = last.elapsed();
                let mut noted = noted.lock().unwrap();
                *noted = late.max(*noted);
            }
        });
        let watching = AbortOnDropHandle::new(watching);
        Self { worst, watching }
    }

    fn end(self) -> Duration {
        drop(self.watching);
        *self.worst.lock().unwrap()
    }
}

/// How many games may end with a last ply that is named and not recorded.
fn may_be_named(late: Duration, speed: f64) -> usize {
    let is_late = late.as_secs_f64() > AFTER_GAME.as_secs_f64() / speed / 4.0;
    if is_late { NAMED_IF_LATE } else { 0 }
}

fn speed() -> f64 {
    let set = std::env::var("REMISD_TEST_SPEED").ok();
    set.map_or(SPEED, |speed| speed.parse().unwrap())
}

/// The time limits of hand and board, in the time of the simulated world. Limits that may be longer
/// keep their values, which makes the test more robust on a slow computer.
fn tuning(speed: f64) -> String {
    let ms = |simulated: f64| (simulated / speed).ceil();
    format!(
        "[board.hand]\nspeed = {}\n\
         [board.dgt]\ncommand_gap_ms = {}\nquiet_ms = {}\nburst_ms = {}\n",
        speed.round().max(1.0),
        ms(100.0),
        ms(250.0),
        ms(1_500.0),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_hundred_games_come_back_as_they_were_played() {
    let speed = speed();
    let dealt = deal();
    let names: Vec<String> = (1..=BOARDS).map(|n| format!("b{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let broker = "allow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n";
    let broker = Mosquitto::start_with(broker, None).await;
    let home = Home::new(&broker.url(), "", &names, &tuning(speed));
    let filters = [
        "chess/v1/hall/arbiter/+/event",
        "chess/v1/hall/arbiter/+/game",
    ];
    let witness = Witness::watch(broker.address(), &filters).await;
    let mut witness = witness.checking();
    let everything = WHOLLY_CHECKED.map(|board| format!("chess/v1/hall/+/{board}/+"));
    let everything: Vec<&str> = everything.iter().map(String::as_str).collect();
    let everything = Witness::watch(broker.address(), &everything).await;
    let everything = everything.checking();

    let (lateness, begun) = (Lateness::watch(), Instant::now());
    let mut playing = JoinSet::new();
    for (seed, (name, games)) in (1..).zip(names.iter().zip(&dealt)) {
        let pgn: Vec<&str> = games.iter().map(|game| game.pgn).collect();
        let pgn = pgn.join("\n\n");
        let options = Options {
            speed,
            seed,
            longest_thought: Duration::from_millis(300),
            ..Options::default()
        };
        let mut table = SimulatedTable::start(&home.port(name), &pgn, options);
        playing.spawn(async move {
            table.finished().await;
            table
        });
    }
    let mut daemon = home.start();
    let mut accounts: HashMap<String, Account> = HashMap::new();
    let mut tables = Vec::new();
    let mut last_words: Option<Instant> = None;
    let mut checked = BTreeSet::new();
    loop {
        let patience = if last_words.is_some() {
            LAST_WORDS
        } else {
            PATIENCE
        };
        let end = last_words.unwrap_or_else(Instant::now) + patience;
        tokio::select! {
            Some(table) = playing.join_next() => tables.push(table.unwrap()),
            () = witness.news() => {}
            () = sleep_until(end) => {}
        }
        checked.extend(everything.take().iter().map(audience));
        for message in witness.take() {
            let board = message.topic.split('/').nth(4).unwrap().to_owned();
            accounts.entry(board).or_default().take(&message);
        }
        assert!(
            daemon.is_running(),
            "the daemon has ended:\n{}",
            daemon.log()
        );
        if playing.is_empty() {
            let since = *last_words.get_or_insert_with(Instant::now);
            let whole = names.iter().zip(&dealt).all(|(name, games)| {
                let account = &accounts[*name];
                let shown = account.shown.last_key_value().map(|(_, moves)| moves);
                let published = account.games.last().map(|game| &game.moves);
                let last = games.iter().rfind(|game| !game.moves.is_empty());
                let last = last.map(|game| &game.moves);
                published == last && shown == last
            });
            if whole || since.elapsed() >= LAST_WORDS {
                break;
            }
        }
    }
    let late = lateness.end();
    let (exact, in_doubt, shown, wrong) = compare(&names, &dealt, &accounts);
    let plies: usize = dealt.iter().flatten().map(|game| game.moves.len()).sum();
    println!(
        "{exact} of {} and {in_doubt} with a named last ply ({plies} plies, {BOARDS} boards, {:.0} s at \
         speed {speed}, at most {late:?} late); {shown} seen whole on the retained topic",
        dealt.iter().flatten().count(),
        begun.elapsed().as_secs_f64()
    );
    assert!(
        wrong.is_empty(),
        "{}\nlog:\n{}",
        wrong.join("\n"),
        daemon.log()
    );
    assert_eq!(exact + in_doubt, 600);
    assert!(in_doubt <= may_be_named(late, speed), "{in_doubt} in doubt");
    let audiences = ["arbiter", "hall", "operator", "player", "public"];
    assert!(checked.iter().eq(audiences), "{checked:?}");
    assert!(daemon.terminate().await.success());
}

/// How many games were published exactly, how many with a named last ply, how many of them were
/// complete on the retained topic, and what is wrong with the others.
fn compare(
    names: &[&str],
    dealt: &[Vec<Played>],
    accounts: &HashMap<String, Account>,
) -> (usize, usize, usize, Vec<String>) {
    let (mut exact, mut in_doubt, mut shown) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (name, games) in names.iter().zip(dealt) {
        let account = &accounts[*name];
        // A game without moves leaves no trace: its start position serves the next game.
        let published: Vec<&PublishedGame> = account
            .games
            .iter()
            .filter(|t| !t.moves.is_empty())
            .collect();
        let (games, empty): (Vec<&Played>, Vec<&Played>) =
            games.iter().partition(|game| !game.moves.is_empty());
        if published.len() == games.len() {
            exact += empty.len();
            shown += empty.len();
        } else {
            let (games, published) = (games.len(), published.len());
            wrong.push(format!(
                "{name}: {games} games played, {published} published"
            ));
        }
        for (at, game) in games.iter().enumerate() {
            let Some(published) = published.get(at) else {
                continue;
            };
            let seen = account.shown.get(&published.game);
            if published.moves == game.moves {
                exact += 1;
            } else if published.names_the_last_ply(&game.moves) {
                in_doubt += 1;
            } else {
                let difference = difference(&game.moves, &published.moves);
                wrong.push(format!(
                    "{name}, game {} of the file, no. {at} of the board, {difference}; {:#?}",
                    game.number, published.notes
                ));
            }
            // A retained topic has only the newest state, so earlier states may be skipped.
            match seen {
                Some(seen) if *seen == published.moves => shown += 1,
                Some(seen) if !published.moves.starts_with(seen) => {
                    let difference = difference(&published.moves, seen);
                    wrong.push(format!(
                        "{name}: game topic and events differ: {difference}"
                    ));
                }
                _ => {}
            }
        }
    }
    (exact, in_doubt, shown, wrong)
}
