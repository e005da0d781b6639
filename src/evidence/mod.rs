//! The evidence for a draw claim, and the sheet on which it is printed.
//!
//! Arbiter and players check a claim together (9.5). [`Evidence`] holds what they need, derived
//! only from the record of the game. It shows when the position occurred and why similar positions
//! do not count. It also shows the last pawn move or capture, and what follows under the event's
//! edition. Every uncertainty of the record is a [`Doubt`], which is always shown.
//!
//! [`Record`] is the record of the game. [`find()`] extracts it from a board's journal, and
//! [`page`] makes the sheet. The daemon sends a record to the console as a [`Form`]; the command
//! line reads it from the same journal. Both therefore make the same sheet.
//!
//! The evidence decides nothing: the ruling is the arbiter's.
//!
//! ```
//! use remisd::evidence::{Evidence, Record, Verdict};
//! use remisd_game::Claimed;
//! use remisd_laws::Regulations;
//!
//! let mut record = Record::new(shakmaty::Chess::default(), Regulations::default());
//! for san in ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"] {
//!     record.play(san)?;
//! }
//! record.claim(Claimed::Threefold, Some("Ng8"))?;
//! let evidence = Evidence::of(&record);
//! assert_eq!(evidence.verdict, Verdict::Correct);
//! let plies: Vec<u32> = evidence.occurrences.iter().map(|o| o.place.ply).collect();
//! assert_eq!(plies, [0, 4, 8]);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod diagram;
mod find;
mod form;
pub mod page;
mod pieces;
pub mod recall;
mod record;
#[cfg(test)]
mod tests;
mod unlike;

use shakmaty::{Chess, Color, Position as _};

pub use find::{FindError, find};
pub use form::Form;
pub use record::{
    Announced, Claim, Doubt, Happened, Incident, MoveRefused, Record, RecordedMove, Source, Times,
};
pub use unlike::{Difference, Unlike};

use remisd_game::Claimed;
use remisd_laws::{
    self as laws, AutomaticEnd, AutomaticKind, ClaimBasis, ClaimKind, DrawClaim, Examination,
    Finding, History, Ply, Remark, TimeChange,
};
use remisd_vocabulary::notation::MoveText;

/// A position of the game and the move that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionAtPly {
    /// The ply after which the position is on the board.
    pub ply: Ply,
    /// The position.
    pub position: Chess,
    /// The move; `None` in the starting position.
    pub made: Option<RecordedMove>,
}

/// One occurrence of the claimed position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The place in the game.
    pub place: PositionAtPly,
    /// The move that leads to it was announced, not made.
    pub announced: bool,
    /// It counts only if a castling right that could not be kept is ignored.
    pub disputed: bool,
}

/// The last pawn move or capture before the claimed position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zeroing {
    /// The position before the move.
    pub before: Chess,
    /// The move and the position after it.
    pub place: PositionAtPly,
    /// The move was a capture.
    pub capture: bool,
}

/// The count of moves without a pawn move or capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fifty {
    /// Halfmove clock of the claimed position.
    pub halfmoves: u32,
    /// Number of halfmoves from which a draw can be claimed.
    pub needed: u32,
    /// The move at which the count began; `None` for the starting position.
    pub since: Option<Zeroing>,
}

/// The verdict on the claim by the moves of the game, whatever the ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// There is no claim; the listed ones would succeed.
    NoClaim(Vec<laws::Claim>),
    /// The claim is correct.
    Correct,
    /// The claim is incorrect.
    Incorrect,
    /// The announced move was not written down.
    NotWritten,
    /// The arbiter has to decide, for these reasons.
    ArbiterDecides(Vec<Why>),
}

/// Why the arbiter has to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A castling right that could not be kept: the edition can be read both ways.
    CastlingRight,
    /// The last move was made, but the clock was not pressed.
    NotCompleted,
    /// A piece was touched before a claim that is otherwise correct.
    Touched,
    /// The clock already showed a fallen flag when the claim was made.
    AfterFlag,
    /// A claim in the last two minutes is a matter of judgement.
    Quickplay,
}

/// The penalty for an incorrect claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Penalty {
    /// The change of White's clock.
    pub white: TimeChange,
    /// The change of Black's clock.
    pub black: TimeChange,
}

/// Everything on the sheet besides the record itself.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The result of the examination.
    pub verdict: Verdict,
    /// The article of the claim, if there is one.
    pub article: Option<&'static str>,
    /// Further remarks for the arbiter.
    pub remarks: Vec<Remark>,
    /// The claimed position; after a legal announced move, the position that it leads to.
    pub claimed: PositionAtPly,
    /// The occurrences of the claimed position, in order.
    pub occurrences: Vec<Occurrence>,
    /// Positions that look the same but do not count, in order.
    pub unlike: Vec<Unlike>,
    /// The count for the fifty-move rule.
    pub fifty: Fifty,
    /// For a move that was not written down: whether the claim would be correct if it were.
    pub correct_if_written: bool,
    /// The penalty for an incorrect claim; `None` without a claim under 9.2 or 9.3.
    pub penalty: Option<Penalty>,
    /// The first end by the Laws alone, at or before the claim.
    pub over: Option<(Ply, AutomaticEnd)>,
}

impl Evidence {
    /// Derives the evidence from a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let places = record.places();
        let mut history = History::new(record.start.clone());
        let mut over = None;
        let edition = record.regulations.edition;
        for (at, made) in record.moves.iter().enumerate() {
            over = over.or_else(|| end(&history, record));
            if let Some(m) = places.get(at).and_then(|place| made.on(&place.position)) {
                history.play(m).ok();
            }
        }
        over = over.or_else(|| end(&history, record));
        // A dead position does not follow from the moves alone, but may have ended the game
        // earlier.
        let dead = (record.ended.into_iter())
            .filter(|(_, end)| end.kind == AutomaticKind::DeadPosition)
            .map(|(ply, end)| (ply, end.kind.under(edition)));
        let over = dead.chain(over).min_by_key(|(ply, _)| *ply);
        let claim = record.claim.as_ref();
        let found = claim.and_then(|claim| examine(claim, record, &history));
        let board = places.last().cloned().unwrap_or_else(|| PositionAtPly {
            ply: 0,
            position: record.start.clone(),
            made: None,
        });
        let announced = claim.and_then(|claim| announced_place(claim, &board));
        let claimed = announced.clone().unwrap_or_else(|| board.clone());
        let all: Vec<PositionAtPly> = places.iter().cloned().chain(announced.clone()).collect();

        let (plies, disputed) = match &found {
            Some(found) => (found.plies.clone(), found.disputed_plies.clone()),
            None => (history.occurrences().plies, Vec::new()),
        };
        let occurrences: Vec<Occurrence> = all
            .iter()
            .filter(|place| plies.contains(&place.ply) || disputed.contains(&place.ply))
            .map(|place| Occurrence {
                place: place.clone(),
                announced: announced.as_ref().is_some_and(|a| a.ply == place.ply),
                disputed: !plies.contains(&place.ply),
            })
            .collect();
        let unlike = unlike::find(&all, &claimed, &occurrences);
        let claimant = claim.map(|claim| claim.by);
        let penalty = found.as_ref().zip(claimant).map(|(_, by)| {
            let remaining = record.times.and_then(|times| times.of(by));
            let (own, opponent) = laws::incorrect_claim(&record.regulations, remaining);
            let (white, black) = by.fold_wb((own, opponent), (opponent, own));
            Penalty { white, black }
        });
        let correct_if_written = claim.is_some_and(|claim| {
            let written = Claim {
                written: true,
                ..claim.clone()
            };
            let found = examine(&written, record, &history);
            found.is_some_and(|found| found.finding == Finding::Correct)
        });
        Self {
            correct_if_written,
            verdict: verdict(claim, found.as_ref(), &history, record),
            article: match claim.map(|claim| claim.kind) {
                Some(Claimed::Quickplay) => Some(edition.articles.quickplay),
                Some(Claimed::Increment) => Some(edition.articles.quickplay_increment),
                _ => found.as_ref().map(|found| found.article),
            },
            remarks: found.map_or_else(Vec::new, |found| found.remarks),
            fifty: fifty(&all, &claimed, edition.claimable_halfmoves),
            claimed,
            occurrences,
            unlike,
            penalty,
            over,
        }
    }

    /// The announced move, which must be made if the claim is incorrect.
    #[must_use]
    pub fn must_play<'a>(&self, record: &'a Record) -> Option<&'a Announced> {
        record.claim.as_ref()?.announced.as_ref()
    }
}

fn end(history: &History, record: &Record) -> Option<(Ply, AutomaticEnd)> {
    let end = history.draw_state(record.regulations.edition).automatic?;
    Some((history.ply(), end))
}

/// The position after a legal announced move.
fn announced_place(claim: &Claim, board: &PositionAtPly) -> Option<PositionAtPly> {
    let announced = claim.announced.as_ref()?;
    let m = announced.on(&board.position)?;
    let made = RecordedMove::new(MoveText::new(m, &board.position));
    let mut position = board.position.clone();
    position.play_unchecked(m);
    Some(PositionAtPly {
        ply: board.ply + 1,
        position,
        made: Some(made),
    })
}

/// Examines a claim under 9.2 or 9.3. Claims in the last two minutes are not examined.
fn examine(claim: &Claim, record: &Record, history: &History) -> Option<Examination> {
    let kind = match claim.kind {
        Claimed::Threefold => ClaimKind::Threefold,
        Claimed::FiftyMove => ClaimKind::FiftyMove,
        Claimed::Quickplay | Claimed::Increment => return None,
    };
    let written = claim.written;
    let basis = match &claim.announced {
        None => ClaimBasis::Appeared,
        Some(announced) => match announced.on(history.position()) {
            Some(m) => ClaimBasis::Intended { m, written },
            None => ClaimBasis::IntendedIllegal { written },
        },
    };
    let claim = DrawClaim {
        by: claim.by,
        kind,
        basis,
    };
    laws::examine(history, &record.regulations, claim, record.completed).ok()
}

fn verdict(
    claim: Option<&Claim>,
    found: Option<&Examination>,
    history: &History,
    record: &Record,
) -> Verdict {
    let Some(claim) = claim else {
        // Nothing can be claimed once the game is over.
        let open = record.result.is_none();
        let state = history.draw_state(record.regulations.edition);
        return Verdict::NoClaim(state.claims.into_iter().filter(|_| open).collect());
    };
    let after_flag = claim.after_flag.then_some(Why::AfterFlag);
    let Some(found) = found else {
        let why = std::iter::once(Why::Quickplay).chain(after_flag);
        return Verdict::ArbiterDecides(why.collect());
    };
    let lost_by = record.regulations.edition.claims.lost_by;
    let touched = claim.touched.is_some() && lost_by == laws::LostBy::Touch;
    match found.finding {
        Finding::Correct | Finding::Incorrect if claim.after_flag => {
            Verdict::ArbiterDecides(vec![Why::AfterFlag])
        }
        Finding::Correct if touched => Verdict::ArbiterDecides(vec![Why::Touched]),
        Finding::Correct => Verdict::Correct,
        Finding::Incorrect => Verdict::Incorrect,
        Finding::DefectiveNotWritten => Verdict::NotWritten,
        Finding::ArbiterDecides => {
            let not_completed = found.remarks.contains(&Remark::LastMoveNotCompleted);
            let why = if not_completed {
                Why::NotCompleted
            } else {
                Why::CastlingRight
            };
            let touched = touched.then_some(Why::Touched);
            let why = std::iter::once(why).chain(touched).chain(after_flag);
            Verdict::ArbiterDecides(why.collect())
        }
    }
}

fn fifty(all: &[PositionAtPly], claimed: &PositionAtPly, needed: u32) -> Fifty {
    let halfmoves = claimed.position.halfmoves();
    let since = claimed.ply.checked_sub(halfmoves).and_then(|ply| {
        let at = usize::try_from(ply).ok()?;
        let before = &all.get(at.checked_sub(1)?)?.position;
        let place = all.get(at)?.clone();
        let m = place.made.as_ref()?.on(before)?;
        Some(Zeroing {
            before: before.clone(),
            capture: m.is_capture(),
            place,
        })
    });
    Fifty {
        halfmoves,
        needed,
        since,
    }
}

/// The rooks with which a side may still castle.
#[must_use]
pub fn castling_rooks(position: &Chess, color: Color) -> Vec<shakmaty::Square> {
    let own = position.board().by_color(color);
    let rooks = position.castles().castling_rights() & own;
    rooks.into_iter().collect()
}
