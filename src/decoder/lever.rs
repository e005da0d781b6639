//! The presses of the clock: each stands for a ply, told late, sometimes before the ply is.

use shakmaty::Color;

use super::{
    complete,
    explain::Scene,
    fixed::Cost,
    model::{Clock, Odds},
    token::{Regime, Stage, Token},
};

/// Everything that a token can take a press for.
pub(crate) fn presses(scene: &Scene, token: &Token, by: Color, out: &mut Vec<Token>) {
    let model = scene.model;
    let side = usize::from(by.is_black());
    let stray = scene.odds(Odds::WrongPress) + model.ends(Clock::Early, 100);
    let mut other = token.clone();
    other.cost += stray;
    if token.regime != Regime::Play {
        out.push(other);
        return;
    }
    if let Some(since) = token.awaited[side] {
        let mut pressed = token.clone();
        pressed.awaited[side] = None;
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

/// The clock was stopped, or is gone: no press is awaited any more.
pub(crate) fn stops(scene: &Scene, token: &mut Token) {
    let model = scene.model;
    for since in &mut token.awaited {
        if let Some(since) = since.take() {
            token.cost += model.lasts(Clock::Press, scene.now.saturating_sub(since));
        }
    }
    // Who stops it for want of a piece has not finished his promotion (6.11.2).
    let midway = matches!(token.hands[0].stage, Stage::Active | Stage::Rests(..));
    if scene.stands && token.regime == Regime::Play && midway {
        token.cost += model.odds(Odds::WrongPress);
    }
}
