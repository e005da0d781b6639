//! The presses of the clock: each stands for a ply, told late, sometimes before the ply is.

use remisd_vocabulary::sensor::ClockReading;
use shakmaty::Color;

use super::{
    complete,
    explain::Scene,
    fixed::Cost,
    model::{Clock, Odds},
    token::{Regime, Stage, Token},
};

/// Whether the clock runs.
#[derive(Debug, Default)]
pub(crate) struct Running {
    pub(crate) ran: bool,
    pressed: bool,
    /// It has run, and stands.
    pub(crate) stands: bool,
}

impl Running {
    /// The clock was told, whose lever lay like this before.
    pub(crate) fn hear(&mut self, before: Option<Color>, reading: &ClockReading) {
        self.ran |= reading.running.is_some();
        // Until then it is set before the game, and not started yet.
        self.pressed |= before.is_some_and(|before| reading.lever == Some(before.other()));
        let stands = reading.running.is_none() && reading.lever.is_some();
        self.stands = self.ran && self.pressed && stands;
    }
}

/// Everything that a token can take a press for.
pub(crate) fn presses(scene: &Scene, token: &Token, by: Color, out: &mut Vec<Token>) {
    let model = scene.model;
    let side = usize::from(by.is_black());
    // Who takes a ply back sets the clock right.
    let odds = if token.regime == Regime::Back {
        Odds::PressedFirst
    } else {
        Odds::WrongPress
    };
    let mut other = token.clone();
    other.cost += scene.odds(odds) + model.ends(Clock::Early, 100);
    if token.regime != Regime::Play {
        out.push(other);
        return;
    }
    if let Some(since) = token.awaited[side] {
        let mut pressed = token.clone();
        pressed.awaited[side] = None;
        // Who has pressed has moved there.
        let last = u8::from(token.node.turn() == by);
        pressed.blind &= !(1 << last);
        pressed.cost += model.ends(Clock::Press, scene.now.saturating_sub(since))
            + model.against(Odds::Unpressed);
        out.push(pressed);
        return;
    }
    out.push(other);
    if token.pressed[side] {
        return;
    }
    let Some(ply) = (0..2).find(|&ply| token.side(ply) == by) else {
        return;
    };
    let gesture = token.hands[ply];
    let early: Cost = match gesture.stage {
        Stage::Active | Stage::Stands | Stage::Rests(..) => 0,
        Stage::Idle => model.odds(Odds::Unseen),
        Stage::Pawn(_) => model.odds(Odds::PressedFirst),
    };
    let mut first = token.clone();
    first.pressed[side] = true;
    first.cost += early + model.odds(Odds::PressedFirst) + model.ends(Clock::Press, 0);
    if ply == 0 && scene.deep && gesture.held.is_some() && gesture.stage == Stage::Active {
        // Who has pressed has moved.
        complete::complete_unseen(scene, &first, None, out);
    }
    out.push(first);
}

/// The clock was stopped: no press is awaited any more. Whoever lacks a piece for a pawn stops it.
pub(crate) fn stops(scene: &Scene, token: &mut Token) {
    let waits = matches!(token.hands[0].stage, Stage::Pawn(_));
    if scene.stands && !waits && token.regime == Regime::Play {
        token.cost += scene.odds(Odds::Stops);
        if !token.hands[0].is_idle() {
            // And not in the middle of a ply.
            token.cost += scene.odds(Odds::WrongPress);
        }
    }
    for since in &mut token.awaited {
        if let Some(since) = since.take() {
            token.cost += scene
                .model
                .lasts(Clock::Press, scene.now.saturating_sub(since));
        }
    }
}
