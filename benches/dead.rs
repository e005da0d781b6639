//! How often the solver is right, wrong or silent, and how long it takes.
//!
//! `cargo bench --bench dead` analyses both sides of every position of the sets in
//! `tests/data/dead`, and does the same with `chasolver` 3.0 in the same run. A row gives the numbers of
//! sides decided rightly, wrongly and not at all, and the processor time of the verdict for both
//! sides of a position.
//!
//! Names after `--` select sets; a name with a slash is a file of the same form. `--show` prints
//! the verdicts that are not right; `--alone` leaves out chasolver.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by a panic")]

use std::{hint::black_box, str::FromStr as _, sync::atomic::AtomicBool};

use remisd::pgn::Games;
use remisd_dead::{self as dead, Analysis, Budget, Verdict, Watch, Winnability};
use rustix::time::{ClockId, clock_gettime};
use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen};

const SETS: [&str; 13] = [
    "lichess_flagged",
    "lichess_unfair",
    "constructed",
    "closure",
    "ep_rights_pairs",
    "castling_rights_pairs",
    "problems_dead",
    "problems_alive",
    "forum_issues_compositions",
    "soundness_counterexamples",
    "chasolver_wrong",
    "hard",
    "uncertified",
];

/// Returns the processor time of this thread in microseconds, so other load does not count.
fn cpu_micros() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let whole = f64::from(u32::try_from(time.tv_sec).unwrap());
    whole * 1e6 + f64::from(u32::try_from(time.tv_nsec).unwrap()) / 1e3
}

/// Whether each side can mate: yes, no, or unknown.
type Sides = [Option<bool>; 2];

struct Question {
    position: Chess,
    expected: Expected,
}

enum Expected {
    Sides(Sides),
    /// At least one side can mate.
    Alive,
}

/// Reads a set by its name, or from a file.
fn set(name: &str) -> Vec<Question> {
    let path = if name.contains('/') {
        name.to_owned()
    } else {
        format!("{}/tests/data/dead/{name}.tsv", env!("CARGO_MANIFEST_DIR"))
    };
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().count();
    let questions: Vec<Question> = text.lines().filter_map(question).collect();
    if questions.len() < lines {
        println!(
            "{name}: {} not legal positions left out",
            lines - questions.len()
        );
    }
    questions
}

fn question(line: &str) -> Option<Question> {
    let (fen, expected) = line.split_once('\t').unwrap();
    let side = |mark| match mark {
        '+' => Some(true),
        '-' => Some(false),
        _ => None,
    };
    let expected = if expected == "alive" {
        Expected::Alive
    } else {
        let mut marks = expected.chars().map(side);
        Expected::Sides([marks.next().unwrap(), marks.next().unwrap()])
    };
    let position = remisd_vocabulary::notation::parse_position(fen).ok()?;
    Some(Question { position, expected })
}

fn ours(position: &Chess) -> Sides {
    let side = |answer: Option<Winnability>| match answer? {
        Winnability::Winnable { .. } => Some(true),
        Winnability::Unwinnable(_) => Some(false),
        Winnability::Unknown => None,
    };
    let Analysis { white, black } = dead::analyse(position, true);
    [side(white), side(black)]
}

fn theirs(position: &Chess) -> Sides {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    let board = chess::Board::from_str(&fen).unwrap();
    [chess::Color::White, chess::Color::Black].map(|side| {
        // It panics on some positions, which counts as no answer.
        let answer = std::panic::catch_unwind(|| chasolver::winnability(&board, side)).ok()??;
        Some(matches!(answer, chasolver::Winnability::Winnable { .. }))
    })
}

#[derive(Default)]
struct Row {
    right: u32,
    wrong: u32,
    unknown: u32,
    micros: Vec<f64>,
    failures: Vec<String>,
}

impl Row {
    fn ask(questions: &[Question], solve: impl Fn(&Chess) -> Sides) -> Self {
        let mut row = Self::default();
        for question in questions {
            let begun = cpu_micros();
            let sides = solve(&question.position);
            row.micros.push(cpu_micros() - begun);
            row.judge(question, sides);
        }
        row.micros.sort_by(f64::total_cmp);
        row
    }

    fn judge(&mut self, question: &Question, sides: Sides) {
        let before = (self.wrong, self.unknown);
        match question.expected {
            Expected::Sides(expected) => {
                for (expected, found) in expected.into_iter().zip(sides) {
                    self.count(expected, found);
                }
            }
            Expected::Alive => {
                let alive = sides.contains(&Some(true));
                let dead = sides == [Some(false); 2];
                self.count(
                    Some(true),
                    if alive {
                        Some(true)
                    } else {
                        dead.then_some(false)
                    },
                );
            }
        }
        if before != (self.wrong, self.unknown) {
            let fen = Fen::from_position(&question.position, EnPassantMode::Legal);
            self.failures.push(format!("{fen} {sides:?}"));
        }
    }

    fn count(&mut self, expected: Option<bool>, found: Option<bool>) {
        match (expected, found) {
            (None, _) => {}
            (_, None) => self.unknown += 1,
            (Some(expected), Some(found)) if expected == found => self.right += 1,
            _ => self.wrong += 1,
        }
    }

    fn print(&self, set: &str, solver: &str) {
        let count = self.micros.len();
        let mean = self.micros.iter().sum::<f64>() / f64::from(u32::try_from(count).unwrap());
        let at = |thousandths: usize| self.micros[(count * thousandths / 1000).min(count - 1)];
        println!(
            "{set:26} {solver:9} {:>6} {:>5} {:>7} {mean:>10.1} {:>8.1} {:>10.1} {:>10.1} {:>10.0}",
            self.right,
            self.wrong,
            self.unknown,
            at(500),
            at(990),
            at(999),
            at(1000),
        );
    }
}

/// Measures the games of `tests/data/games` ply by ply.
///
/// `replay` is the question of `remisd replay --dead`: a game known to its end, decided in one
/// call, whose time counts for its first ply. `carried` is the question of the daemon: one ply
/// after the other, both sides, helpmates carried from ply to ply. For comparison, chasolver is
/// asked about both sides at every ply.
fn games(alone: bool) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games/");
    let never = AtomicBool::new(false);
    let (mut replay, mut carried, mut anew) = (Vec::new(), Vec::new(), Vec::new());
    let (mut open, mut open_sides) = (0, 0);
    for file in ["otb-2025.pgn", "online-draws.pgn"] {
        let text = std::fs::read(format!("{folder}{file}")).unwrap();
        for game in Games::new(&text[..]) {
            let game = game.unwrap();
            let start = game.start().unwrap();
            let mut position = start.clone();
            let mut moves = Vec::new();
            let mut positions = vec![position.clone()];
            for written in &game.moves {
                let m = written.to_move(&position).unwrap();
                position.play_unchecked(m);
                moves.push(m);
                positions.push(position.clone());
            }
            let begun = cpu_micros();
            let verdicts = dead::course(&start, &moves, Budget::INTERACTIVE, &never);
            replay.push(cpu_micros() - begun);
            replay.extend(moves.iter().map(|_| 0.0));
            let unknown = |verdict: &&Verdict| **verdict == Verdict::Unknown;
            open += verdicts.iter().filter(unknown).count();
            let mut watch = Watch::new();
            for (position, verdict) in positions.iter().zip(verdicts) {
                let begun = cpu_micros();
                let analysis = watch.look(position, true, Budget::INTERACTIVE, &never);
                carried.push(cpu_micros() - begun);
                assert_eq!(analysis.verdict(), verdict);
                let sides = [analysis.white, analysis.black];
                let unknown = |side: &&Option<_>| **side == Some(Winnability::Unknown);
                open_sides += sides.iter().filter(unknown).count();
                if !alone {
                    let begun = cpu_micros();
                    black_box(theirs(position));
                    anew.push(cpu_micros() - begun);
                }
            }
        }
    }
    println!("every ply of the games; {open} plies unknown, {open_sides} sides");
    for (name, mut micros) in [
        ("replay", replay),
        ("carried", carried),
        ("chasolver", anew),
    ] {
        if micros.is_empty() {
            continue;
        }
        micros.sort_by(f64::total_cmp);
        let count = micros.len();
        let mean = micros.iter().sum::<f64>() / f64::from(u32::try_from(count).unwrap());
        let at = |thousandths: usize| micros[(count * thousandths / 1000).min(count - 1)];
        println!(
            "{count} plies {name:9} mean {mean:.2} us, p50 {:.2}, p99 {:.1}, p99.9 {:.1}, max {:.0}",
            at(500),
            at(990),
            at(999),
            at(1000)
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let show = arguments.iter().any(|argument| argument == "--show");
    let alone = arguments.iter().any(|argument| argument == "--alone");
    let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let selects = |set: &&str| names.contains(set);
    let files = names.iter().filter(|name| name.contains('/'));
    let all = !SETS.iter().any(selects) && !names.contains(&"games") && files.clone().count() == 0;
    let Budget {
        nodes,
        positions,
        sketches,
    } = Budget::INTERACTIVE;
    println!(
        "budget for a side: {nodes} nodes of search, {positions} positions of a closure, {sketches} sketches"
    );
    let purse = Budget::INTERACTIVE.purse();
    let (closures, sum) = Budget::INTERACTIVE.closures();
    println!(
        "at most {closures} closures, {sum} positions in all, each with up to {purse} nodes of search"
    );
    println!(
        "{:26} {:9} {:>6} {:>5} {:>7} {:>10} {:>8} {:>10} {:>10} {:>10}",
        "set, both sides",
        "solver",
        "right",
        "wrong",
        "unknown",
        "mean us",
        "p50",
        "p99",
        "p99.9",
        "max"
    );
    if all || names.contains(&"games") {
        games(alone);
    }
    let sets = SETS.into_iter().filter(|set| all || selects(set));
    for name in sets.chain(files.copied()) {
        let questions = set(name);
        let row = Row::ask(&questions, ours);
        row.print(name, "remisd");
        if show {
            for failure in &row.failures {
                println!("    {failure}");
            }
        }
        if !alone {
            Row::ask(&questions, theirs).print(name, "chasolver");
        }
    }
}
