//! Searches for legal lines to what the board shows: after an outage, a pause, or when play was
//! lost.

use std::sync::Arc;

use shakmaty::{Color, Position as _};

use super::{
    content::{EMPTY, Squares, agrees, bit, color},
    cost::{Cost, ln_of},
    gesture::Stage,
    hypothesis::Hypothesis,
    interpret::Context,
    item::Cause,
    model::Chance,
    tree::{Effect, Node},
};

/// Bounds on time: the plies of a line, and the positions that one search visits.
const MAX_PLIES: u32 = 3;
const MAX_POSITIONS: usize = 1_500;

/// A search for lines to what the board shows.
struct Search<'a> {
    context: &'a Context,
    shown: &'a Squares,
    positions: usize,
    found: Vec<Hypothesis>,
}

/// Finds lines of a few plies from the hypothesis's node to what is shown, with at most one square
/// left.
pub(crate) fn search(
    context: &Context,
    hypothesis: &Hypothesis,
    shown: &Squares,
    out: &mut Vec<Hypothesis>,
) {
    let mut search = Search {
        context,
        shown,
        positions: 0,
        found: Vec::new(),
    };
    for plies in 0..=MAX_PLIES {
        search.descend(
            hypothesis,
            &hypothesis.node,
            plies,
            hypothesis.total_cost(context.now, context.model),
        );
        // A bound on time: each longer line costs as much as another missed ply.
        if search.found.len() > 1 && plies >= 1 {
            break;
        }
    }
    out.append(&mut search.found);
}

impl Search<'_> {
    fn descend(&mut self, seed: &Hypothesis, node: &Arc<Node>, plies: u32, cost: Cost) {
        self.positions += 1;
        let differing = (0..64_u8)
            .filter(|&at| !agrees(self.shown[usize::from(at)], node.board[usize::from(at)]));
        // More than any line of so few plies can explain.
        let differing: Vec<u8> = differing.take(14).collect();
        if plies == 0 {
            self.accept(seed, node, &differing, cost);
            return;
        }
        // A ply changes two squares, castling four, en passant three; and one square may differ.
        let castles = node.position.castles();
        let castling = Color::ALL
            .into_iter()
            .filter(|&color| castles.has_color(color));
        let most = 2 * plies as usize + 2 * castling.count().min(plies as usize) + 2;
        if differing.len() > most || self.positions > MAX_POSITIONS {
            return;
        }
        let effects = node.effects();
        let choice = ln_of(u32::try_from(effects.len()).unwrap_or(1).max(1));
        let cost = cost + self.context.cost(Chance::MissedPly) + choice;
        let right = |e: &Effect| {
            plies > 1
                || e.after
                    .iter()
                    .all(|&(at, end)| agrees(self.shown[usize::from(at)], end))
                || differing.len() <= 3
        };
        let indices: Vec<usize> = (0..effects.len()).filter(|&i| right(&effects[i])).collect();
        for index in indices {
            let child = node.child(index);
            self.descend(seed, &child, plies - 1, cost);
        }
    }

    fn accept(&mut self, before: &Hypothesis, node: &Arc<Node>, differing: &[u8], cost: Cost) {
        let now = self.context.now;
        let mut hypothesis = Hypothesis::new(node.clone(), now);
        hypothesis.tempo = before.tempo;
        hypothesis.cost = cost;
        // What an earlier outage hid may not be announced yet.
        let mut first = before.node.depth + 1;
        if !before.missed_plies.is_empty() {
            first = first.min(before.missed_plies.start);
        }
        hypothesis.missed_plies = first..node.depth + 1;
        match *differing {
            [] => {}
            [square] => {
                let (seen, was) = (
                    self.shown[usize::from(square)],
                    node.board[usize::from(square)],
                );
                if seen == EMPTY && color(was) == Some(node.turn()) {
                    let touched = bit(square);
                    let Some(choice_cost) = node.choice_cost(|e| touched & !e.changed == 0) else {
                        return;
                    };
                    hypothesis.pay_thought(now, self.context.model);
                    hypothesis.cost += choice_cost;
                    let hand = &mut hypothesis.gestures[0];
                    (hand.stage, hand.touched, hand.choice_cost) =
                        (Stage::Moving, touched, choice_cost);
                    (hand.first_touch, hand.last_touch, hand.carried) =
                        (now, now, Some((square, was)));
                    hypothesis.set_content(square, EMPTY);
                } else if seen == EMPTY {
                    hypothesis.cost += self.context.cost(Chance::PieceAwayRate);
                    hypothesis.items.add(Cause::Away, square, was, now);
                    hypothesis.set_content(square, EMPTY);
                } else {
                    hypothesis.cost += self.context.cost(Chance::MisreadingRate);
                    hypothesis.items.add(Cause::Misreading, square, seen, now);
                }
            }
            _ => return,
        }
        self.found.push(hypothesis);
    }
}
