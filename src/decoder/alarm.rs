//! What is not understood, in squares: told when it has lasted, and when it is over.

use remisd_hand::{DifferingSquare, Mismatch, MismatchReason, Settings};
use remisd_vocabulary::{sensor::Seen, time::Millis};
use shakmaty::Square;

use super::{
    decoder::Decoder,
    regime,
    token::{Cause, Item, Regime, Stage},
    told::{ONE, Told},
    tree::{Content, EMPTY, Node, OCCUPIED, piece},
};

/// Lines that are named at most.
const MOST_LINES: usize = 6;
/// Lines below this part of the weight are not named.
const LEAST: u64 = ONE / 100;

/// What is amiss at `now`, if it has been for long enough.
pub(crate) fn amiss(
    decoder: &Decoder,
    told: &Told,
    settings: &Settings,
    now: Millis,
) -> Option<Mismatch> {
    decoder.shown()?;
    let quiet = now.saturating_sub(decoder.changed());
    let token = decoder.beam().tokens().first()?;
    let play = decoder.part(now, |token| token.regime == Regime::Play);
    let lost = decoder.part(now, |token| token.regime == Regime::Lost);
    let patience = settings.mismatch_ms;
    if lost > ONE / 2 && quiet >= patience {
        return Some(describe(
            decoder,
            told,
            settings,
            reason(decoder, told),
            now,
        ));
    }
    if quiet >= 2 * patience && told.doubted(decoder, now) > 0 {
        return Some(describe(
            decoder,
            told,
            settings,
            MismatchReason::Ambiguous,
            now,
        ));
    }
    if play < ONE / 2 {
        // A sign and a new array are understood; whatever else is done with the pieces is not.
        let understood = decoder.sign().is_some() || decoder.shows_start() || decoder.stands();
        let long = now >= decoder.played() + 2 * patience;
        return (!understood && (quiet >= 2 * patience || long))
            .then(|| describe(decoder, told, settings, reason(decoder, told), now));
    }
    let overdue = token
        .items
        .all()
        .iter()
        .any(|item| is_overdue(item, settings, now));
    let held = match token.hands[0].stage {
        Stage::Idle => false,
        Stage::Pawn(_) => quiet >= settings.fault_ms,
        Stage::Active | Stage::Rests(..) | Stage::Stands => quiet >= settings.in_hand_ms,
    };
    // Nobody presses, and nobody answers: the piece may still be moved on.
    let mover = token.node.turn().other();
    let unpressed = quiet >= settings.in_hand_ms
        && token.awaited[usize::from(mover.is_black())].is_some()
        && decoder.lever() == Some(mover);
    let open = token.node.depth != told.last().depth && quiet >= 2 * patience;
    if overdue || held || open || unpressed {
        let reason = if open || unpressed {
            MismatchReason::Ambiguous
        } else {
            reason(decoder, told)
        };
        return Some(describe(decoder, told, settings, reason, now));
    }
    None
}

fn is_overdue(item: &Item, settings: &Settings, now: Millis) -> bool {
    let patience = match item.cause {
        Cause::Away => settings.in_hand_ms,
        Cause::Aside | Cause::Noise | Cause::Debt => settings.fault_ms,
    };
    now >= item.since + patience
}

fn reason(decoder: &Decoder, told: &Told) -> MismatchReason {
    let Some(shown) = decoder.shown() else {
        return MismatchReason::NoLegalMove;
    };
    let earlier = told.nodes().iter().rev().skip(1);
    let mut earlier = earlier.filter(|node| regime::shows(shown, &node.board));
    if earlier.next().is_some() {
        return MismatchReason::EarlierPosition;
    }
    let pawn = |at: u8| {
        let role = piece(shown[usize::from(at)]).map(|piece| piece.role);
        role == Some(shakmaty::Role::Pawn)
    };
    if (0..8).chain(56..64).any(pawn) {
        return MismatchReason::PawnNotPromoted;
    }
    let differing = decoder.differing(told.last());
    if differing.iter().all(|&at| decoder.seen(at) == EMPTY) {
        return MismatchReason::PieceMissing;
    }
    MismatchReason::NoLegalMove
}

fn describe(
    decoder: &Decoder,
    told: &Told,
    settings: &Settings,
    reason: MismatchReason,
    now: Millis,
) -> Mismatch {
    let node: &Node = decoder
        .beam()
        .tokens()
        .first()
        .map_or(told.last(), |token| &token.node);
    let squares = (decoder.differing(node).into_iter())
        .map(|at| DifferingSquare {
            square: Square::new(u32::from(at)),
            expected: piece(node.board[usize::from(at)]),
            seen: seen(decoder.seen(at)),
        })
        .collect();
    let candidates = if reason == MismatchReason::Ambiguous {
        let lines = told.lines(decoder, now).into_iter();
        lines
            .filter(|(part, _)| *part >= LEAST)
            .map(|(_, line)| line)
            .take(MOST_LINES)
            .collect()
    } else {
        Vec::new()
    };
    let lost = decoder.part(now, |token| token.regime != Regime::Play) > ONE / 2;
    let doubted = told.doubted(decoder, now);
    // What cannot be explained may have begun before: the last ply of each player is in doubt,
    // and all that was announced since a square began to contradict the game.
    let items = decoder
        .beam()
        .tokens()
        .first()
        .map_or(&[][..], |token| token.items.all());
    let contradicts = |item: &Item| item.cause != Cause::Away && is_overdue(item, settings, now);
    let since = decoder
        .contradicted_since(node)
        .filter(|_| lost || items.iter().any(contradicts));
    let since = since.map_or(0, |since| {
        told.since(since.saturating_sub(settings.settle_ms))
    });
    let least = if lost {
        (told.nodes().len() - 1).min(2)
    } else {
        0
    }
    .max(since);
    let least = least.max(usize::from(reason == MismatchReason::Ambiguous));
    Mismatch {
        reason,
        squares,
        candidates,
        doubted: doubted.max(least).min(told.nodes().len() - 1),
    }
}

fn seen(content: Content) -> Seen {
    match content {
        EMPTY => Seen::Empty,
        OCCUPIED => Seen::Occupied,
        other => piece(other).map_or(Seen::Empty, Seen::Piece),
    }
}
