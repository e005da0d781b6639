//! Mismatches between the board and the game: announced when they have lasted, and when they end.

use remisd_vocabulary::{
    reading::{DifferingSquare, Mismatch, MismatchReason, Promotion, Reading, Settings, Sign},
    sensor::Seen,
    time::{Moment, Span},
};
use shakmaty::{Bitboard, Move, Square};

use super::{
    announcements::{self, Announcements, ONE},
    content::{Content, EMPTY, OCCUPIED, piece},
    decoder::Decoder,
    gesture::Stage,
    hypothesis::{Hypothesis, Regime},
    item::{Cause, Item},
    model::{CONTRADICTION_DELAY, Chance},
    regime,
    tree::Node,
};

/// The most lines that a mismatch names.
const MAX_LINES: usize = 6;
/// What is unexplained at a moment, and how long it may last before it is announced.
struct Unexplained {
    reason: MismatchReason,
    patience: Span,
    /// The longest wait while the board keeps changing.
    moves: Option<Span>,
}

/// Watches for mismatches, and announces them.
#[derive(Debug, Default)]
pub(crate) struct MismatchMonitor {
    /// Since when something has been unexplained.
    since: Option<Moment>,
    current: Option<Mismatch>,
    /// The last change, reason and number of doubted plies that were announced.
    last_announced: (Moment, Option<MismatchReason>, usize),
    /// The depth of the earliest announced position that the board has shown again since something
    /// has been unexplained.
    returned_to: Option<u32>,
    faulty: Bitboard,
}

impl MismatchMonitor {
    pub(crate) const fn mismatch(&self) -> Option<&Mismatch> {
        self.current.as_ref()
    }

    /// The squares whose sensors contradict the game.
    pub(crate) const fn faulty(&self) -> Bitboard {
        self.faulty
    }

    /// Whether nothing is unexplained, however short.
    pub(crate) const fn is_calm(&self) -> bool {
        self.since.is_none()
    }

    /// Another game begins, or the game is over.
    pub(crate) fn forget(&mut self) -> Option<Mismatch> {
        self.since = None;
        self.returned_to = None;
        self.current.take()
    }

    /// Announces a mismatch that has lasted, or its end. The starting position of the next game is
    /// explained if `begins_anew`, but it removes no doubt about this game.
    pub(crate) fn update(
        &mut self,
        (decoder, announced, settings): (&Decoder, &Announcements, &Settings),
        begins_anew: bool,
        now: Moment,
        readings: &mut Vec<Reading>,
    ) {
        let faulty = faulty(decoder, settings, now);
        if faulty != self.faulty {
            self.faulty = faulty;
            readings.push(Reading::Faulty(faulty));
        }
        let Some(unexplained) =
            unexplained((decoder, announced, settings), begins_anew, faulty, now)
        else {
            self.since = None;
            self.returned_to = None;
            if !begins_anew && self.current.take().is_some() {
                readings.push(Reading::Agreed);
            }
            return;
        };
        if let Some(depth) = earlier_position(decoder, announced) {
            self.returned_to = Some(self.returned_to.map_or(depth, |known| known.min(depth)));
        }
        // The plies after a position that came back were undone, or are no part of the game.
        let last = announced.last().depth;
        let undone = (self.returned_to).map_or(0, |depth| last.saturating_sub(depth) as usize);
        let undone = undone.min(announced.nodes().len() - 1);
        let since = *self.since.get_or_insert(decoder.last_change());
        let quiet = now - decoder.last_change();
        let long = (unexplained.moves).is_some_and(|patience| now >= since + patience);
        if quiet < unexplained.patience && !long {
            return;
        }
        let last_announced = (
            decoder.last_change(),
            Some(unexplained.reason),
            announced.doubted(decoder, now).max(undone),
        );
        if self.current.is_some()
            && std::mem::replace(&mut self.last_announced, last_announced) == last_announced
        {
            return;
        }
        self.last_announced = last_announced;
        let mut mismatch = describe(decoder, announced, settings, unexplained.reason, now);
        mismatch.doubted = mismatch.doubted.max(undone);
        if self.current.as_ref() != Some(&mismatch) {
            readings.push(Reading::Mismatch(mismatch.clone()));
            self.current = Some(mismatch);
        }
    }
}

/// What is unexplained, however short.
fn unexplained(
    (decoder, announced, settings): (&Decoder, &Announcements, &Settings),
    begins_anew: bool,
    faulty: Bitboard,
    now: Moment,
) -> Option<Unexplained> {
    let hypothesis = decoder.beam().hypotheses().first()?;
    let seen = |patience, moves| {
        Some(Unexplained {
            reason: reason(decoder, announced),
            patience,
            moves,
        })
    };
    let on = hypothesis.regime == Regime::Play && hypothesis.node.depth > announced.last().depth;
    let several = Unexplained {
        reason: if !on && shows_earlier_position(decoder, announced) {
            MismatchReason::EarlierPosition
        } else {
            MismatchReason::Ambiguous
        },
        patience: settings.mismatch_after * 2,
        // A leaning piece is reported again and again.
        moves: (announced.leaning() > 0).then_some(settings.mismatch_after * 2),
    };
    let is_open = announced.doubted(decoder, now) > 0 || announced.is_open(decoder, now);
    let play = decoder.posterior(now, |hypothesis| hypothesis.regime == Regime::Play);
    if play < ONE / 2 {
        // A result sign and a new starting position are explained. Other uses of the pieces are
        // not.
        let sign = decoder.result_sign().is_some() && hypothesis.regime == Regime::ResultSign;
        let shown =
            (decoder.shown()).is_some_and(|shown| regime::matches(shown, &hypothesis.node.board));
        let understood = sign || begins_anew || (shown && decoder.clock_stopped());
        if understood {
            return is_open.then_some(several);
        }
        let long = settings.mismatch_after * 2;
        return if decoder.clock_stopped() {
            // No one waits for it.
            seen(long, None)
        } else {
            seen(settings.mismatch_after, Some(long))
        };
    }
    if (decoder.result_sign()).is_some_and(|shown| shown.sign == Sign::ResultPiece) {
        return is_open.then_some(several);
    }
    if announced.is_taken_back(decoder) {
        return seen(settings.mismatch_after, None);
    }
    if is_open {
        return Some(several);
    }
    // No one presses and no one replies: the piece may still move on.
    let mover = hypothesis.node.turn().other();
    let awaited = hypothesis.awaited_press[usize::from(mover.is_black())].is_some();
    if awaited && decoder.lever() == Some(mover) {
        let patience = settings.in_hand_after;
        return Some(Unexplained {
            patience,
            ..several
        });
    }
    // A piece on another square is not a sensor fault.
    let (missing, occupied) = (decoder.differing_squares(&hypothesis.node).into_iter())
        .filter(|&at| !faulty.contains(Square::new(u32::from(at))))
        .partition::<Vec<u8>, _>(|&at| decoder.seen(at) == EMPTY);
    let pawn = matches!(hypothesis.gestures[0].stage, Stage::AwaitsPiece(_));
    match (missing.len(), occupied.len()) {
        (0, 0) => None,
        (1.., 1..) if pawn => seen(settings.fault_after, None),
        (1.., 1..) => seen(settings.mismatch_after, Some(settings.motion_after)),
        (_, 0) => seen(settings.in_hand_after, None),
        (0, _) => seen(settings.fault_after, None),
    }
}

/// The squares that have contradicted the game for long, while play continued.
fn faulty(decoder: &Decoder, settings: &Settings, now: Moment) -> Bitboard {
    let Some(hypothesis) =
        (decoder.beam().hypotheses().first()).filter(|best| best.regime == Regime::Play)
    else {
        return Bitboard::EMPTY;
    };
    let sensor = |item: &&Item| matches!(item.cause, Cause::Misreading | Cause::Unreported);
    let long = |item: &&Item| {
        hypothesis.completed_at > item.since && now >= item.since + settings.fault_after
    };
    // If another square explains as much, neither is called faulty.
    let certain_here = |item: &&Item| {
        decoder.posterior(now, |hypothesis| {
            let mut items = hypothesis.items.all().iter().filter(sensor);
            items.any(|other| other.square == item.square)
        }) >= announcements::threshold(decoder, Chance::Doubt)
    };
    let items = hypothesis.items.all().iter().filter(sensor);
    items
        .filter(long)
        .filter(certain_here)
        .fold(Bitboard::EMPTY, |squares, item| {
            squares.with(Square::new(u32::from(item.square)))
        })
}

/// Whether the board shows an earlier announced position.
fn shows_earlier_position(decoder: &Decoder, announced: &Announcements) -> bool {
    earlier_position(decoder, announced).is_some()
}

/// The depth of the announced position that the board shows, if it is not the last one.
fn earlier_position(decoder: &Decoder, announced: &Announcements) -> Option<u32> {
    let shown = decoder.shown()?;
    let mut nodes = announced.nodes().iter().rev();
    let node = nodes.find(|node| regime::matches(shown, &node.board))?;
    (node.depth < announced.last().depth).then_some(node.depth)
}

fn reason(decoder: &Decoder, announced: &Announcements) -> MismatchReason {
    let Some(shown) = decoder.shown() else {
        return MismatchReason::NoLegalMove;
    };
    if shows_earlier_position(decoder, announced) {
        return MismatchReason::EarlierPosition;
    }
    let pawn = |at: u8| {
        let role = piece(shown[usize::from(at)]).map(|piece| piece.role);
        role == Some(shakmaty::Role::Pawn)
    };
    if (0..8).chain(56..64).any(pawn) {
        return MismatchReason::PawnNotPromoted;
    }
    let differing = decoder.differing_squares(announced.last());
    if differing.iter().all(|&at| decoder.seen(at) == EMPTY) {
        return MismatchReason::PieceMissing;
    }
    MismatchReason::NoLegalMove
}

fn describe(
    decoder: &Decoder,
    announced: &Announcements,
    settings: &Settings,
    mut reason: MismatchReason,
    now: Moment,
) -> Mismatch {
    let named = announcements::threshold(decoder, Chance::Named);
    let paused = decoder.lines_since_pause(now);
    if reason == MismatchReason::NoLegalMove && paused.len() > 1 {
        reason = MismatchReason::Ambiguous;
    }
    let best = decoder.beam().hypotheses().first();
    let node: &Node = best.map_or(announced.last(), |hypothesis| &hypothesis.node);
    let squares = differences(decoder, node);
    let candidates = if paused.len() > 1 {
        let lines = paused.iter().take(MAX_LINES);
        lines.map(|node| announced.line(node)).collect()
    } else if reason == MismatchReason::Ambiguous {
        let asked = !decoder.identifies_pieces() && settings.promotion == Promotion::Ask;
        let promotes = |line: &[Move]| asked && line.iter().any(|m| m.is_promotion());
        let lines = announced.lines(decoder, now);
        // For a promotion, all possible roles are named, with the plies that followed.
        let plies = lines.first().map_or(0, |(_, line)| line.len());
        let asks = lines.first().is_some_and(|(_, line)| promotes(line));
        (lines.into_iter())
            .filter(|(posterior, line)| {
                if asks {
                    promotes(line) && line.len() == plies
                } else {
                    *posterior >= named
                }
            })
            .map(|(_, line)| line)
            .take(MAX_LINES)
            .collect()
    } else {
        Vec::new()
    };
    let lost = decoder.posterior(now, |hypothesis| hypothesis.regime != Regime::Play) > ONE / 2;
    // The cause may be older. The last ply of each player is in doubt, and all plies announced
    // since a square began to contradict the game.
    let contradicts = |item: &Item| {
        let patience = settings.fault_after;
        !matches!(item.cause, Cause::Away | Cause::Leaning) && now >= item.since + patience
    };
    let items = best.map_or(&[][..], |hypothesis: &Hypothesis| hypothesis.items.all());
    let since = decoder
        .contradicted_since(node)
        .filter(|_| lost || items.iter().any(contradicts));
    let since = since.map_or(0, |since| announced.since(since - CONTRADICTION_DELAY));
    let least = if lost {
        (announced.nodes().len() - 1).min(2)
    } else {
        0
    }
    .max(since);
    // Some of the lines may lack the last announced ply. Unexplained squares may belong to it as
    // well.
    let all_have_it = announced.last_posterior(decoder, now) >= ONE - named;
    let certain = all_have_it && best.is_some_and(Hypothesis::is_quiet);
    let least = least.max(usize::from(reason == MismatchReason::Ambiguous && !certain));
    Mismatch {
        reason,
        squares,
        candidates,
        doubted: (announced.doubted(decoder, now).max(least)).min(announced.nodes().len() - 1),
    }
}

/// The squares on which the sensors differ from a position.
pub(crate) fn differences(decoder: &Decoder, node: &Node) -> Vec<DifferingSquare> {
    (decoder.differing_squares(node).into_iter())
        .map(|at| DifferingSquare {
            square: Square::new(u32::from(at)),
            expected: piece(node.board[usize::from(at)]),
            seen: seen(decoder.seen(at)),
        })
        .collect()
}

fn seen(content: Content) -> Seen {
    match content {
        EMPTY => Seen::Empty,
        OCCUPIED => Seen::Occupied,
        other => piece(other).map_or(Seen::Empty, Seen::Piece),
    }
}
