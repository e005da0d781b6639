//! How accurately and how fast hands are read. Each profile of the simulated hand plays every game
//! of `tests/data/games` in virtual time, on piece-identifying and on occupancy-only boards.
//!
//! ```text
//! cargo bench --bench hand -- [--games N] [--profile P] [--sensing S] [--lever yes|no]
//!     [--seed N] [--show GAME] [--wrong] [--flagged]
//! ```
//!
//! `--show GAME` prints the acts, reports and readings of one game, for the first profile, sensing
//! and clock that the other arguments leave. `--wrong` lists the games with an unflagged error,
//! each with its first wrong ply. `--flagged` lists the flagged games, each with its first unread
//! ply. Both add "hidden" if the game has a ply that no reader can know. Either one skips the
//! measurement of a board's memory.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by a panic")]

use std::{
    collections::BTreeMap,
    env, fmt, process,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use remisd::simulate::{Profile, score::Score};
use remisd_hand::Tracker;
use remisd_trial::{self as trial, Grade, Outcome, Sensing, Setting, grade::Sign};
use remisd_vocabulary::{
    reading::Settings,
    sensor::{Placement, Sensed},
    time::Moment,
};
use rustix::time::{ClockId, clock_gettime};
use shakmaty::Position as _;

const THREADS: usize = 2;
/// Boards whose memory is measured together, and the events that each has received before.
const BOARDS: usize = 4_000;
const EVENTS: usize = 150;

/// Returns the processor time of this thread in nanoseconds, so other load does not count.
fn stopwatch() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap()
}

struct Arguments {
    games: usize,
    profiles: Vec<Profile>,
    sensings: Vec<Sensing>,
    levers: Vec<bool>,
    seed: u64,
    show: Option<usize>,
    wrong: bool,
    flagged: bool,
}

fn parse_arguments() -> Arguments {
    let mut found = Arguments {
        games: usize::MAX,
        profiles: Profile::ALL.to_vec(),
        sensings: Sensing::ALL.to_vec(),
        levers: vec![true, false],
        seed: 1,
        show: None,
        wrong: false,
        flagged: false,
    };
    let mut words = env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        if word == "--wrong" || word == "--flagged" {
            found.wrong |= word == "--wrong";
            found.flagged |= word == "--flagged";
            continue;
        }
        let value = words.next().unwrap_or_default();
        let number = || value.parse().unwrap_or_else(|_| refuse(&word, &value));
        match &word[..] {
            "--games" => found.games = number(),
            "--seed" => found.seed = number() as u64,
            "--show" => found.show = Some(number()),
            "--profile" => {
                found.profiles = vec![value.parse().unwrap_or_else(|_| refuse(&word, &value))];
            }
            "--sensing" => {
                found
                    .sensings
                    .retain(|sensing| sensing.name().starts_with(&value));
            }
            "--lever" => found.levers.retain(|lever| *lever == (value == "yes")),
            _ => refuse(&word, &value),
        }
    }
    found
}

fn refuse(word: &str, value: &str) -> ! {
    eprintln!("cannot read {word} {value}; see the head of benches/hand.rs for the arguments");
    process::exit(2);
}

/// The totals over many games.
#[derive(Default)]
struct Sum {
    games: usize,
    plies: usize,
    outcomes: BTreeMap<&'static str, usize>,
    signs: [usize; 3],
    /// Games with a ply that no reader can know.
    hidden: usize,
    corrections: usize,
    /// Games that were read exactly but in which a mismatch was reported.
    alarmed: usize,
    settling: Vec<u64>,
    after: Vec<u64>,
    costs: Vec<u64>,
    /// Games with an unflagged error.
    wrong: Vec<Listed>,
    /// Games with a flagged error.
    flagged: Vec<Listed>,
}

/// A game that was not read exactly.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    game: usize,
    /// The first ply that was read differently, counted from 1.
    ply: usize,
    /// Whether the game has a ply that no reader can know.
    hidden: bool,
}

impl fmt::Display for Listed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, ply, hidden } = self;
        let hidden = if *hidden { ", hidden" } else { "" };
        write!(out, "{game} (ply {ply}{hidden})")
    }
}

impl Sum {
    fn add(&mut self, game: usize, score: &Score, account: trial::Account) {
        let grade = Grade::of(score, &account);
        self.games += 1;
        self.plies += score.plies.len();
        let (own, naive) = match (grade.outcome, grade.naive) {
            (own, Outcome::Exact) => (own, "naive exact"),
            (own, Outcome::Flagged) => (own, "naive stuck"),
            (own, Outcome::Wrong) => (own, "naive wrong"),
        };
        let listed = Listed {
            game,
            ply: grade.differs.unwrap_or(0) + 1,
            hidden: account.hidden.is_some(),
        };
        let own = match own {
            Outcome::Exact => "exact",
            Outcome::Flagged => {
                self.flagged.push(listed);
                "flagged"
            }
            Outcome::Wrong => {
                self.wrong.push(listed);
                "wrong"
            }
        };
        self.alarmed += usize::from(own == "exact" && account.alarms > 0);
        *self.outcomes.entry(own).or_default() += 1;
        *self.outcomes.entry(naive).or_default() += 1;
        match grade.sign {
            Sign::None => {}
            Sign::Right => self.signs[0] += 1,
            Sign::Wrong => self.signs[1] += 1,
            Sign::Missing => self.signs[2] += 1,
        }
        self.hidden += usize::from(account.hidden.is_some());
        self.corrections += account.corrections;
        self.settling.extend(grade.settling);
        self.after.extend(grade.after);
        self.costs.extend(account.costs);
    }

    fn count(&self, outcome: &str) -> usize {
        self.outcomes.get(outcome).copied().unwrap_or(0)
    }

    fn print(&mut self, setting: Setting) {
        self.settling.sort_unstable();
        self.after.sort_unstable();
        self.costs.sort_unstable();
        let at = |sorted: &[u64], per_1000: usize| {
            let last = sorted.len().saturating_sub(1);
            sorted.get(last * per_1000 / 1000).copied().unwrap_or(0)
        };
        let exact = self.count("exact");
        let signs = self.signs;
        println!(
            "{:<11}{:<10}{:<6}{:>6}{:>7}{:>7}{:>7.2}{:>6}{:>6}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>8.1}{:>8.0}{:>9}  {:>4}/{}/{:<6}{:>6}{:>7}{:>7}",
            setting.profile.name(),
            setting.sensing.name(),
            if setting.lever { "yes" } else { "no" },
            self.games,
            self.plies,
            exact,
            percent(exact, self.games),
            self.count("flagged"),
            self.count("wrong"),
            self.hidden,
            self.corrections,
            self.alarmed,
            at(&self.settling, 500),
            at(&self.settling, 990),
            at(&self.after, 500),
            at(&self.after, 990),
            micros(at(&self.costs, 500)),
            micros(at(&self.costs, 990)),
            micros(at(&self.costs, 1000)).round(),
            signs[0],
            signs[1],
            signs[2],
            self.count("naive exact"),
            self.count("naive wrong"),
            self.count("naive stuck"),
        );
    }
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn micros(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

/// Plays the games with one setting on two threads.
fn run(games: &[Score], setting: Setting) -> Sum {
    let next = AtomicUsize::new(0);
    let sum = Mutex::new(Sum::default());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    let Some(score) = games.get(game) else { break };
                    let account = trial::play(score, setting.of(game), stopwatch, false);
                    sum.lock().unwrap().add(game, score, account);
                }
            });
        }
    });
    sum.into_inner().unwrap()
}

/// Returns the resident memory of this process in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Returns the memory of one board's tracker in the middle of a game, averaged over many boards.
fn memory(score: &Score, setting: Setting) -> usize {
    let account = trial::play(score, setting, stopwatch, true);
    let events: Vec<(u64, Sensed)> = account
        .log
        .into_iter()
        .filter_map(|(at, entry)| match entry {
            trial::Entry::Sensed(sensed) => Some((at / 1_000, sensed)),
            _ => None,
        })
        .collect();
    let before = resident();
    let trackers: Vec<Tracker> = (0..BOARDS)
        .map(|_| {
            let mut tracker = Tracker::new(Settings::default(), score.start.clone());
            let shown = Placement::from(score.start.board());
            tracker.sense(&Sensed::Placement(shown), Moment::START);
            for (at, sensed) in events.iter().take(EVENTS) {
                tracker.sense(sensed, Moment::from_millis(*at));
            }
            tracker.readings();
            tracker
        })
        .collect();
    let grown = resident().saturating_sub(before);
    drop(trackers);
    grown / BOARDS
}

fn main() {
    let arguments = parse_arguments();
    let mut games = trial::games();
    if let Some(game) = arguments.show {
        let setting = settings(&arguments)[0].of(game);
        let account = trial::play(&games[game], setting, stopwatch, true);
        print!("{}", trial::show::show(&games[game], setting, &account));
        return;
    }
    games.truncate(arguments.games);
    if !arguments.wrong && !arguments.flagged {
        let bytes = (games.first()).map_or(0, |score| memory(score, settings(&arguments)[0].of(0)));
        println!("memory of one board's tracker: {bytes} bytes");
    }
    println!(
        "hidden: games with a ply whose target or capture the board never reported, so that it could have been another\n\
         alarm: games read exactly, but with a mismatch reported during play\n\
         settling: from the release of a ply's last piece to its reading, ms of the board's time; after: the same from its last event, a square's change or the press\n\
         cpu: µs for one square or placement; signs: results shown by the kings, right/wrong/missing\n"
    );
    println!(
        "{:<11}{:<10}{:<6}{:>6}{:>7}{:>7}{:>7}{:>6}{:>6}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>8}{:>8}{:>9}  {:<12}{:>8}{:>7}{:>7}",
        "profile",
        "sensing",
        "lever",
        "games",
        "plies",
        "exact",
        "%",
        "flag",
        "WRONG",
        "hidden",
        "corr",
        "alarm",
        "p50",
        "p99",
        "after",
        "p99",
        "cpu p50",
        "p99",
        "worst",
        "signs r/w/m",
        "n.exact",
        "wrong",
        "stuck"
    );
    for setting in settings(&arguments) {
        let mut sum = run(&games, setting);
        sum.print(setting);
        let lists = [
            ("wrong", arguments.wrong, &mut sum.wrong),
            ("flagged", arguments.flagged, &mut sum.flagged),
        ];
        for (name, wanted, games) in lists {
            if wanted {
                games.sort_unstable();
                let listed: Vec<String> = games.iter().map(Listed::to_string).collect();
                println!("  {name}: {}", listed.join(", "));
            }
        }
    }
}

fn settings(arguments: &Arguments) -> Vec<Setting> {
    let mut all = Vec::new();
    for &profile in &arguments.profiles {
        for &sensing in &arguments.sensings {
            for &lever in &arguments.levers {
                all.push(Setting {
                    profile,
                    sensing,
                    lever,
                    reversed: false,
                    seed: arguments.seed,
                });
            }
        }
    }
    all
}
