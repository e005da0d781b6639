//! Prints the hypotheses of a moment as a table, to find what the model lacks.

use std::fmt::Write as _;

use remisd_vocabulary::time::Moment;
use shakmaty::{CastlingMode, Square};

use super::{
    content::{piece, squares},
    cost::Cost,
    decoder::Decoder,
    gesture::{Gesture, Stage},
    hypothesis::Hypothesis,
};

/// The best hypotheses, one per line: cost, last plies, gestures and items.
pub(crate) fn table(decoder: &Decoder, now: Moment, most: usize) -> String {
    let mut text = String::new();
    let mut hypotheses: Vec<&Hypothesis> = decoder.beam().hypotheses().iter().collect();
    hypotheses.sort_by_key(|hypothesis| hypothesis.total_cost(now, decoder.model()));
    let best = hypotheses
        .first()
        .map_or(0, |hypothesis| hypothesis.total_cost(now, decoder.model()));
    for hypothesis in hypotheses.into_iter().take(most) {
        let total = nats(hypothesis.total_cost(now, decoder.model()) - best);
        let pending = nats(hypothesis.survival_cost(now, decoder.model()));
        let _ = write!(
            text,
            "{total:>7} (pending {pending:>6}) {:?} {} ",
            hypothesis.regime, hypothesis.node.depth
        );
        let mut line = Vec::new();
        let mut node = Some(&hypothesis.node);
        while let Some(at) = node.filter(|_| line.len() < 4) {
            line.extend(at.m.map(|m| m.to_uci(CastlingMode::Standard).to_string()));
            node = at.parent.as_ref();
        }
        line.reverse();
        let _ = write!(text, "{}", line.join(" "));
        for gesture in &hypothesis.gestures {
            if !gesture.is_idle() {
                let _ = write!(text, " | {}", describe(gesture));
            }
        }
        for item in hypothesis.items.all() {
            let what = piece(item.piece).map_or('-', shakmaty::Piece::char);
            let square = Square::new(u32::from(item.square));
            let since = now - item.since;
            let _ = write!(text, " {:?} {what}{square} {since}", item.cause);
        }
        let tempo = hypothesis.tempo.map(nats).join("/");
        let _ = writeln!(
            text,
            " [{tempo}] {:?}{:?}",
            hypothesis.awaited_press, hypothesis.early_press
        );
    }
    text
}

fn describe(gesture: &Gesture) -> String {
    let touched: Vec<String> = squares(gesture.touched)
        .map(|at| Square::new(u32::from(at)).to_string())
        .collect();
    let stage = match gesture.stage {
        Stage::Resting(at, duration) => format!("{duration:?} on {}", Square::new(u32::from(at))),
        Stage::AwaitsPiece(at) => format!("pawn on {}", Square::new(u32::from(at))),
        other => format!("{other:?}"),
    };
    format!("{stage} {}", touched.join(","))
}

fn nats(cost: Cost) -> String {
    format!("{:.1}", f64::from(cost) / 1024.0)
}
