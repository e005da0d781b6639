//! `remisd dead`: can either side still mate?

use std::{
    borrow::Cow,
    io::{self, BufRead as _, Write},
};

use shakmaty::{Chess, Position as _};

use super::Outcome;
use crate::{
    dead::{self, Proof, Winnability},
    laws,
    publish::payload::{self, Helpmates, SideVerdict},
    time::{Clock, SystemClock},
};

/// Tell for each position whether either side can still mate.
///
/// Answers come in the order of the positions, one JSON object each.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Decide both sides; without it the search stops at the first that can mate.
    #[arg(long)]
    both: bool,
    /// Show a mating line for each side that can mate.
    #[arg(long)]
    witness: bool,
    /// Positions; `-` or nothing reads one a line from standard input.
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
}

/// Answers for every position.
///
/// # Errors
///
/// A stdin that cannot be read or a stdout that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let mut out = io::stdout().lock();
    let clock = SystemClock::new();
    let mut outcome = Outcome::Fine;
    let mut answer = |fen: &str, out: &mut dyn Write| -> anyhow::Result<()> {
        match laws::parse_position(fen) {
            Ok(position) => {
                let verdict = verdict(fen, &position, arguments, &clock);
                serde_json::to_writer(&mut *out, &verdict)?;
            }
            Err(error) => {
                outcome = Outcome::Failed;
                let error = payload::Error {
                    schema: Cow::Borrowed(payload::Error::SCHEMA),
                    game: None,
                    ply: None,
                    fen: Some(fen.to_owned()),
                    error: error.to_string(),
                };
                serde_json::to_writer(&mut *out, &error)?;
            }
        }
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    };
    if arguments.fens.is_empty() || arguments.fens == ["-"] {
        for line in io::stdin().lock().split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                answer(line.trim(), &mut out)?;
            }
        }
    } else {
        for fen in &arguments.fens {
            answer(fen, &mut out)?;
        }
    }
    Ok(outcome)
}

fn verdict(fen: &str, position: &Chess, arguments: &Arguments, clock: &dyn Clock) -> payload::Dead {
    let before = clock.monotonic_us();
    let analysis = dead::analyse(position, arguments.both);
    let micros = clock.monotonic_us() - before;
    let side = |answer: &Option<Winnability>| {
        answer.as_ref().map(|answer| match answer {
            Winnability::Winnable { .. } => SideVerdict::Winnable,
            Winnability::Unwinnable(_) => SideVerdict::Unwinnable,
            Winnability::Unknown => SideVerdict::Unknown,
        })
    };
    let line = |answer: &Option<Winnability>| match answer {
        Some(Winnability::Winnable { helpmate }) => {
            let mode = position.castles().mode();
            Some(
                helpmate
                    .iter()
                    .map(|m| m.to_uci(mode).to_string())
                    .collect(),
            )
        }
        _ => None,
    };
    payload::Dead {
        schema: Cow::Borrowed(payload::Dead::SCHEMA),
        fen: fen.to_owned(),
        verdict: analysis.verdict(),
        white: side(&analysis.white),
        black: side(&analysis.black),
        proof: proof(&analysis),
        micros,
        helpmate: arguments.witness.then(|| Helpmates {
            white: line(&analysis.white),
            black: line(&analysis.black),
        }),
    }
}

/// What the verdict rests on: the weakest proof of the two sides.
fn proof(analysis: &dead::Analysis) -> Option<Cow<'static, str>> {
    let sides = [&analysis.white, &analysis.black];
    let sides = sides.into_iter().flatten();
    let mut weakest = None;
    for side in sides {
        match side {
            Winnability::Winnable { .. } => return Some(Cow::Borrowed("helpmate")),
            Winnability::Unwinnable(proof) => {
                if weakest.is_none_or(|so_far| rank(*proof) > rank(so_far)) {
                    weakest = Some(*proof);
                }
            }
            Winnability::Unknown => return None,
        }
    }
    weakest.map(|proof| Cow::Borrowed(proof.as_str()))
}

const fn rank(proof: Proof) -> u8 {
    match proof {
        Proof::GameOver => 0,
        Proof::Material => 1,
        Proof::Solver => 2,
    }
}
