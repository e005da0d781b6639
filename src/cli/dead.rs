//! `remisd dead`: can either side still mate?

use remisd_vocabulary::notation::parse_position;
use std::{
    borrow::Cow,
    io::{self, BufRead as _, Write},
};

use shakmaty::{Chess, Color, Position as _};

use super::Outcome;
use crate::publish::payload::{self, Helpmates, SideVerdict};
use remisd_dead::{self as dead, Proof, Refuted, Winnability};
use remisd_vocabulary::{
    notation,
    time::{Clock, SystemClock},
};

/// Decide for each position whether either side can still mate.
///
/// Prints one JSON object per position, in the given order.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Decide both sides; without it the search stops at the first side that can mate.
    #[arg(long)]
    both: bool,
    /// Show a mating line for each side that can mate.
    #[arg(long)]
    witness: bool,
    /// Check every answer again with simpler code, which takes longer; an answer that fails is an
    /// error.
    #[arg(long)]
    verify: bool,
    /// Positions in FEN; with `-` or none, reads one per line from standard input.
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
}

/// Answers for every position.
///
/// # Errors
///
/// Standard input cannot be read, or standard output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let mut out = io::stdout().lock();
    let clock = SystemClock::new();
    let mut outcome = Outcome::Fine;
    let mut answer = |fen: &str, out: &mut dyn Write| -> anyhow::Result<()> {
        match parse_position(fen) {
            Ok(position) => {
                let (verdict, refuted) = verdict(fen, &position, arguments, &clock);
                if let Some((side, refuted)) = refuted {
                    outcome = Outcome::Failed;
                    let side = notation::color(side);
                    let error = format!("the answer for {side} does not stand: {refuted}");
                    serde_json::to_writer(&mut *out, &failure(fen, error))?;
                } else {
                    serde_json::to_writer(&mut *out, &verdict)?;
                }
            }
            Err(error) => {
                outcome = Outcome::Failed;
                serde_json::to_writer(&mut *out, &failure(fen, error.to_string()))?;
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

fn failure(fen: &str, error: String) -> payload::Error {
    payload::Error {
        schema: Cow::Borrowed(payload::Error::SCHEMA),
        game: None,
        ply: None,
        fen: Some(fen.to_owned()),
        error,
    }
}

/// The answer for a position and, if it was verified, the refuted part.
fn verdict(
    fen: &str,
    position: &Chess,
    arguments: &Arguments,
    clock: &dyn Clock,
) -> (payload::Dead, Option<(Color, Refuted)>) {
    let before = clock.monotonic_us();
    let analysis = dead::analyse(position, arguments.both);
    let micros = clock.monotonic_us() - before;
    let verify = || dead::verify(position, &analysis).err();
    let refuted = arguments.verify.then(verify).flatten();
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
    let answer = payload::Dead {
        schema: Cow::Borrowed(payload::Dead::SCHEMA),
        fen: fen.to_owned(),
        verdict: analysis.verdict(),
        white: side(&analysis.white),
        black: side(&analysis.black),
        proof: proof(&analysis),
        proofs: analysis.proofs(),
        micros,
        helpmate: arguments.witness.then(|| Helpmates {
            white: line(&analysis.white),
            black: line(&analysis.black),
        }),
        verified: arguments.verify.then_some(refuted.is_none()),
    };
    (answer, refuted)
}

/// The kind of proof behind the verdict: the strongest of both sides' proofs.
fn proof(analysis: &dead::Analysis) -> Option<Cow<'static, str>> {
    let sides = [&analysis.white, &analysis.black];
    let sides = sides.into_iter().flatten();
    let mut weightiest: Option<&Proof> = None;
    for side in sides {
        match side {
            Winnability::Winnable { .. } => return Some(Cow::Borrowed("helpmate")),
            Winnability::Unwinnable(proof) => {
                if weightiest.is_none_or(|so_far| rank(proof) > rank(so_far)) {
                    weightiest = Some(proof);
                }
            }
            Winnability::Unknown => return None,
        }
    }
    weightiest.map(|proof| Cow::Borrowed(proof.as_str()))
}

const fn rank(proof: &Proof) -> u8 {
    match proof {
        Proof::GameOver => 0,
        Proof::Material { .. } => 1,
        Proof::Mobility(_) => 2,
        Proof::Sketches(_) => 3,
        Proof::Closure { .. } => 4,
    }
}
