//! Prints how well engines read people's games.
//!
//! ```text
//! remisd-people [--games N] [--category C] [--seed S] [--clock yes|no]
//!               [--sensing identity|occupancy] [--engine NAME] [--list wrong|trace]
//! ```
//!
//! Without options it plays 20 games of every category with and without a clock. A game's seed is
//! the first one plus its number, so that `--games 1 --seed S` plays a listed game again.
//! `--list trace` also prints what happened about the first wrong ply.

use std::process::ExitCode;

use remisd_people::Millis;
use remisd_people::{
    category::Category,
    engines::ENGINES,
    games::Library,
    judge::{
        grade::{Grade, Verdict, grade},
        table::Table,
    },
    stream::{Sensing, Stream},
};
use remisd_vocabulary::sensor::Sensed;

/// The command-line arguments.
struct Wanted {
    games: u64,
    categories: Vec<Category>,
    seed: u64,
    clocks: Vec<bool>,
    sensing: Sensing,
    engine: Option<String>,
    list: bool,
    trace: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            games: 20,
            categories: Category::ALL.to_vec(),
            seed: 1,
            clocks: vec![true, false],
            sensing: Sensing::Identity,
            engine: None,
            list: false,
            trace: false,
        }
    }
}

impl Wanted {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self::default();
        let mut arguments = arguments;
        while let Some(option) = arguments.next() {
            let value = arguments.next().ok_or(format!("{option} wants a value"))?;
            let number = || {
                value
                    .parse()
                    .map_err(|_| format!("{option} wants a number"))
            };
            match (option.as_str(), value.as_str()) {
                ("--games", _) => wanted.games = number()?,
                ("--seed", _) => wanted.seed = number()?,
                ("--category", name) => {
                    let category = Category::named(name).ok_or(format!("no category {name}"))?;
                    wanted.categories = vec![category];
                }
                ("--clock", "yes") => wanted.clocks = vec![true],
                ("--clock", "no") => wanted.clocks = vec![false],
                ("--sensing", "identity") => wanted.sensing = Sensing::Identity,
                ("--sensing", "occupancy") => wanted.sensing = Sensing::Occupancy,
                ("--engine", name) if ENGINES.iter().any(|(known, _)| *known == name) => {
                    wanted.engine = Some(name.to_owned());
                }
                ("--list", "wrong") => wanted.list = true,
                ("--list", "trace") => (wanted.list, wanted.trace) = (true, true),
                _ => return Err(format!("{option} {value} is not understood")),
            }
        }
        Ok(wanted)
    }
}

fn main() -> ExitCode {
    let wanted = match Wanted::read(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let library = match Library::load() {
        Ok(library) => library,
        Err(error) => {
            eprintln!("the games cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let engines: Vec<_> = ENGINES
        .iter()
        .filter(|(name, _)| wanted.engine.as_deref().is_none_or(|only| only == *name))
        .collect();
    let mut tables = vec![Table::default(); engines.len()];
    for &category in &wanted.categories {
        for &clock in &wanted.clocks {
            for seed in wanted.seed..wanted.seed + wanted.games {
                let stream = Stream::play(&library, category, clock, wanted.sensing, seed);
                for ((name, make), table) in engines.iter().zip(&mut tables) {
                    let verdict = grade(&stream, make().as_mut());
                    table.add(category, clock, &verdict);
                    if wanted.trace && verdict.grade != Grade::Exact {
                        trace(&stream, &verdict);
                    }
                    if wanted.list && verdict.grade != Grade::Exact {
                        println!("{}", line(name, category, clock, seed, &stream, &verdict));
                    }
                }
            }
        }
    }
    for ((name, _), table) in engines.iter().zip(&tables) {
        println!("\n{name}\n\n{table}");
    }
    ExitCode::SUCCESS
}

/// The time about the first wrong ply.
fn window(stream: &Stream, verdict: &Verdict) -> [Millis; 2] {
    let (game, ply) = verdict.wrong.unwrap_or_default();
    let last = stream.truth.last();
    let plies = last.games.get(game).map_or(&[][..], Vec::as_slice);
    let at = |ply: usize| plies.get(ply).map(|ply| ply.released);
    let begin = ply.checked_sub(1).and_then(at).unwrap_or(0);
    let end = at(ply + 1).map_or(stream.end, |at| at + 2_000);
    [begin.saturating_sub(3_000), end]
}

/// Everything that happened about the first wrong ply, in the order of time.
fn trace(stream: &Stream, verdict: &Verdict) {
    let [begin, end] = window(stream, verdict);
    let mut lines: Vec<(Millis, String)> = Vec::new();
    let mut add = |at: Millis, text: String| lines.push((at, text));
    for act in &stream.script.acts {
        let piece = act
            .stood
            .map(|stood| (stood.piece.char(), stood.own, stood.over));
        add(act.at, format!("hand   {} {piece:?}", act.square));
    }
    for (at, deed) in &stream.script.clock {
        add(*at, format!("clock  {deed:?}"));
    }
    for (at, note) in &stream.notes {
        add(*at, format!("note   {note:?}"));
    }
    for happened in &stream.truth.happened {
        add(happened.at, format!("truth  {:?}", happened.what));
    }
    let mut lever = None;
    for (at, sensed) in &stream.events {
        match sensed {
            Sensed::Square(square, seen) => add(*at, format!("board  {square} {seen:?}")),
            Sensed::Clock(reading) if lever != Some((reading.lever, reading.running)) => {
                lever = Some((reading.lever, reading.running));
                add(
                    *at,
                    format!(
                        "clock  lever {:?} running {:?}",
                        reading.lever, reading.running
                    ),
                );
            }
            Sensed::Link(link) => add(*at, format!("line   {link:?}")),
            _ => {}
        }
    }
    for (at, reported) in &verdict.log {
        add(*at, format!("engine {reported:?}"));
    }
    lines.retain(|(at, _)| (begin..=end).contains(at));
    lines.sort_by_key(|(at, _)| *at);
    for (at, text) in lines {
        println!("{at:>9} {text}");
    }
}

/// One wrong game: where, what, and which gestures were near.
fn line(
    engine: &str,
    category: Category,
    clock: bool,
    seed: u64,
    stream: &Stream,
    verdict: &Verdict,
) -> String {
    let (game, ply) = verdict.wrong.unwrap_or_default();
    let last = stream.truth.last();
    let plies = last.games.get(game).map_or(&[][..], Vec::as_slice);
    let [begin, end] = window(stream, verdict);
    let released = plies.get(ply).map_or(end, |ply| ply.released);
    let mut near: Vec<_> = (stream.notes.iter())
        .filter(|(at, _)| (begin..=end).contains(at))
        .map(|(_, note)| *note)
        .collect();
    near.sort_unstable();
    near.dedup();
    let reported = |m: Option<shakmaty::Move>| m.map_or("–".to_owned(), |m| m.to_string());
    format!(
        "{engine} {} clock={clock} seed={seed} {:?}{}{} game {game} ply {ply} of {} at {} ms: played {}, \
         reported {}, near {near:?}",
        category.name(),
        verdict.grade,
        if verdict.late {
            " (right in the end)"
        } else if verdict.short {
            " (doubt too short)"
        } else {
            ""
        },
        if verdict.knowable {
            ""
        } else {
            " (unknowable)"
        },
        plies.len(),
        released,
        reported(verdict.moves[0]),
        reported(verdict.moves[1]),
    )
}
