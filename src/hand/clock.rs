//! The chess clock. A press belongs to a ply. Its report comes late, but sometimes before that of
//! the piece.

use remisd_vocabulary::{sensor::ClockReading, time::Span};
use shakmaty::{Color, Position as _, Role};

use super::{
    completion,
    content::{Content, piece},
    cost::Cost,
    gesture::Stage,
    hypothesis::{Hypothesis, Regime},
    interpret::Context,
    model::{Chance, Duration},
};

/// What the last report said of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Motion {
    /// There is no clock, or nothing is known of its lever.
    #[default]
    Unknown,
    Still,
    Running,
}

/// What the clock has done in this game.
#[derive(Debug, Default)]
pub(crate) struct ClockState {
    motion: Motion,
    ran: bool,
    pressed: bool,
    /// `ran` and `pressed` of the game before, which may be continued.
    before: (bool, bool),
}

impl ClockState {
    /// Takes in a report of the clock. Before it, the lever lay at `before`.
    pub(crate) fn update(&mut self, before: Option<Color>, reading: &ClockReading) {
        self.motion = match (reading.running, reading.lever) {
            (Some(_), _) => Motion::Running,
            (None, Some(_)) => Motion::Still,
            (None, None) => Motion::Unknown,
        };
        self.ran |= self.motion == Motion::Running;
        self.pressed |= before.is_some_and(|before| reading.lever == Some(before.other()));
    }

    /// Whether it has run in this game.
    pub(crate) const fn ran(&self) -> bool {
        self.ran
    }

    /// Whether it was stopped. Before the first press, a clock that does not run has not been
    /// started.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.ran && self.pressed && matches!(self.motion, Motion::Still)
    }

    /// Another game begins: the clock is set for it, and not started yet.
    pub(crate) fn begin_game(&mut self) {
        self.before = (self.ran, self.pressed);
        self.ran = self.motion == Motion::Running;
        self.pressed = false;
    }

    /// The game before is continued.
    pub(crate) fn continue_game(&mut self) {
        self.ran |= self.before.0;
        self.pressed |= self.before.1;
    }
}

/// Every interpretation of a press.
pub(crate) fn interpret_press(
    context: &Context,
    hypothesis: &Hypothesis,
    by: Color,
    out: &mut Vec<Hypothesis>,
) {
    let model = context.model;
    let side = usize::from(by.is_black());
    // Players who take a ply back also press the clock.
    let chance = if hypothesis.regime == Regime::TakeBack {
        Chance::EarlyPress
    } else {
        Chance::WrongPress
    };
    let mut other = hypothesis.clone();
    other.cost += context.cost(chance) + model.cost(Chance::UntimedRate);
    if hypothesis.regime != Regime::Play {
        out.push(other);
        return;
    }
    if let Some(since) = hypothesis.awaited_press[side] {
        let mut pressed = hypothesis.clone();
        pressed.awaited_press[side] = None;
        // A press confirms the last ply of that player.
        let last = u8::from(hypothesis.node.turn() == by);
        pressed.unseen_ends &= !(1 << last);
        pressed.cost += model.density(Duration::Press, context.now - since)
            + model.cost_of_not(Chance::ForgottenPress);
        out.push(pressed);
        return;
    }
    out.push(other);
    if hypothesis.early_press[side] {
        return;
    }
    let Some(ply) = (0..2).find(|&ply| hypothesis.side(ply) == by) else {
        return;
    };
    let gesture = hypothesis.gestures[ply];
    let early: Cost = match gesture.stage {
        Stage::Moving | Stage::Placed | Stage::Resting(..) => 0,
        Stage::Idle => model.cost(Chance::UnseenEnd),
        Stage::AwaitsPiece(_) => model.cost(Chance::EarlyPress),
    };
    let mut first = hypothesis.clone();
    first.early_press[side] = true;
    first.cost +=
        early + model.cost(Chance::EarlyPress) + model.density(Duration::Press, Span::ZERO);
    if ply == 0 && context.deep && gesture.carried.is_some() && gesture.stage == Stage::Moving {
        // A player who presses has moved.
        completion::complete_unseen(context, &first, None, out);
    }
    out.push(first);
}

/// The clock was stopped, so no press is expected any more. A player who needs a piece for a
/// promotion stops it before the ply is complete. After a ply that ends the game, it is stopped in
/// any case.
pub(crate) fn interpret_stop(context: &Context, hypothesis: &mut Hypothesis) {
    let gesture = hypothesis.gestures[0];
    let promotes = matches!(gesture.stage, Stage::AwaitsPiece(_));
    let needs_piece = match gesture.stage {
        Stage::AwaitsPiece(square) => is_pawn(hypothesis.content_at(square)),
        _ => false,
    };
    let over = gesture.is_idle() && hypothesis.node.position.is_game_over();
    if context.clock_stopped && !needs_piece && !over && hypothesis.regime == Regime::Play {
        hypothesis.cost += context.cost(Chance::ClockStop);
        if !gesture.is_idle() && !promotes {
            // Any other ply is complete when the clock is stopped.
            hypothesis.cost += context.cost(Chance::WrongPress);
        }
    }
    hypothesis.cost += hypothesis.missing_press_cost(context.now, context.model);
    hypothesis.awaited_press = [None; 2];
}

fn is_pawn(content: Content) -> bool {
    piece(content).is_some_and(|piece| piece.role == Role::Pawn)
}
