//! The chess clock. A press belongs to a ply. Its report comes late, but sometimes before that of
//! the piece.

use remisd_vocabulary::sensor::ClockReading;
use shakmaty::Color;

use super::{
    completion,
    cost::Cost,
    interpret::Context,
    model::{Chance, Duration},
    token::{Regime, Stage, Token},
};

/// Whether the clock runs.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "four facts of one clock")]
pub(crate) struct ClockState {
    runs: bool,
    /// It has run in this game.
    pub(crate) ran: bool,
    /// It was pressed in this game.
    turned: bool,
    /// It has run, and does not run now.
    pub(crate) stopped: bool,
}

impl ClockState {
    /// Takes in a report of the clock. Before it, the lever lay at `before`.
    pub(crate) fn update(&mut self, before: Option<Color>, reading: &ClockReading) {
        self.runs = reading.running.is_some();
        self.ran |= self.runs;
        // Before the first press, a clock that does not run has not been started.
        self.turned |= before.is_some_and(|before| reading.lever == Some(before.other()));
        let stopped = !self.runs && reading.lever.is_some();
        self.stopped = self.ran && self.turned && stopped;
    }

    /// Another game begins: the clock is set for it, and not started yet.
    pub(crate) fn reset(&mut self) {
        *self = Self {
            runs: self.runs,
            ran: self.runs,
            ..Self::default()
        };
    }
}

/// Every interpretation of a press.
pub(crate) fn interpret_press(context: &Context, token: &Token, by: Color, out: &mut Vec<Token>) {
    let model = context.model;
    let side = usize::from(by.is_black());
    // Players who take a ply back also press the clock.
    let chance = if token.regime == Regime::TakeBack {
        Chance::EarlyPress
    } else {
        Chance::WrongPress
    };
    let mut other = token.clone();
    other.cost += context.cost(chance) + model.density(Duration::EarlyReply, 100);
    if token.regime != Regime::Play {
        out.push(other);
        return;
    }
    if let Some(since) = token.awaited_press[side] {
        let mut pressed = token.clone();
        pressed.awaited_press[side] = None;
        // A press confirms the last ply of that player.
        let last = u8::from(token.node.turn() == by);
        pressed.unseen_ends &= !(1 << last);
        pressed.cost += model.density(Duration::Press, context.now.saturating_sub(since))
            + model.cost_of_not(Chance::ForgottenPress);
        out.push(pressed);
        return;
    }
    out.push(other);
    if token.early_press[side] {
        return;
    }
    let Some(ply) = (0..2).find(|&ply| token.side(ply) == by) else {
        return;
    };
    let gesture = token.gestures[ply];
    let early: Cost = match gesture.stage {
        Stage::Moving | Stage::Placed | Stage::Resting(..) => 0,
        Stage::Idle => model.cost(Chance::UnseenEnd),
        Stage::AwaitsPiece(_) => model.cost(Chance::EarlyPress),
    };
    let mut first = token.clone();
    first.early_press[side] = true;
    first.cost += early + model.cost(Chance::EarlyPress) + model.density(Duration::Press, 0);
    if ply == 0 && context.deep && gesture.carried.is_some() && gesture.stage == Stage::Moving {
        // A player who presses has moved.
        completion::complete_unseen(context, &first, None, out);
    }
    out.push(first);
}

/// The clock was stopped, so no press is expected any more. A player who needs a piece for a
/// promotion stops it before the ply is complete.
pub(crate) fn interpret_stop(context: &Context, token: &mut Token) {
    let waits = matches!(token.gestures[0].stage, Stage::AwaitsPiece(_));
    if context.clock_stopped && !waits && token.regime == Regime::Play {
        token.cost += context.cost(Chance::ClockStop);
        if !token.gestures[0].is_idle() {
            // Any other ply is complete when the clock is stopped.
            token.cost += context.cost(Chance::WrongPress);
        }
    }
    for since in &mut token.awaited_press {
        if let Some(since) = since.take() {
            token.cost += context
                .model
                .survival(Duration::Press, context.now.saturating_sub(since));
        }
    }
}
