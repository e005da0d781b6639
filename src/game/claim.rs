//! Claims of a draw at a board (9.2 to 9.4, 10.2).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{
    AnnouncedMove, ClaimDecision, ClaimRuling, Confirm, Fact, Game, LostClaims, Refusal, Side,
    Touched, refusal::truncated, unsettled::Unsettled,
};
use remisd_laws::{self as laws, ClaimBasis, ClaimKind, DrawClaim, Finding, LostBy, Ply, Remark};
use remisd_vocabulary::{
    notation::{self, MoveText},
    seq::EntrySeq,
    time::as_rfc3339,
};

/// What a player claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claimed {
    /// The same position for at least the third time (9.2).
    Threefold,
    /// Fifty moves by each player without pawn move and capture (9.3).
    FiftyMove,
    /// That the opponent makes no effort to win, or cannot, in the last two minutes
    /// (10.2, Appendix G, Guidelines III).
    Quickplay,
    /// No draw, but an increment of five seconds a move for both in the last two minutes;
    /// it is an offer of a draw, too (G.4, Guidelines III.4).
    Increment,
}

impl Claimed {
    /// Whether it belongs to the last two minutes, where only the arbiter can judge.
    #[must_use]
    pub const fn is_quickplay(self) -> bool {
        matches!(self, Self::Quickplay | Self::Increment)
    }

    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threefold => "threefold",
            Self::FiftyMove => "fifty_move",
            Self::Quickplay => "quickplay",
            Self::Increment => "increment",
        }
    }
}

/// What a claim is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BasisKind {
    /// The position on the board.
    Appeared,
    /// A move that was announced.
    Intended,
    /// Neither: a claim in the last two minutes.
    None,
}

/// A claim that a player has made. What the moves of the game say about it (`finding`, `plies`,
/// `halfmove_clock` and the like) is absent for operators who do not see the draw state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = may_lack_the_finding)]
pub struct ClaimRecord {
    /// Its number: the `seq` of the entry that made it.
    pub id: EntrySeq,
    /// The claimant.
    pub by: Side,
    /// What.
    pub kind: Claimed,
    /// What it is based on.
    pub basis: BasisKind,
    /// The article under which it is made.
    pub article: String,
    /// After which ply.
    pub ply: Ply,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// The announced move, if there is one; it need not be legal.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<AnnouncedMove>,
    /// What the moves of the game say; null for a claim that only the arbiter can judge.
    pub finding: Option<Finding>,
    /// The plies at which the claimed position occurred; an intended one's own ply last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plies: Vec<Ply>,
    /// The same if a castling right that could not be kept is ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed_plies: Vec<Ply>,
    /// Halfmoves without pawn move and capture in the claimed position.
    pub halfmove_clock: u32,
    /// The last pawn move or capture; null when there was none since the start.
    pub last_zeroing: Option<Ply>,
    /// Further remarks for the arbiter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The piece that was touched before the claim, according to the sensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contested: Option<Touched>,
    /// The decision on a claim in the last two minutes was postponed: play continues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub postponed: bool,
    /// The ruling; null until there is one.
    pub ruling: Option<ClaimRuling>,
    /// The ruling before the record was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled_before: Option<ClaimRuling>,
}

impl ClaimRecord {
    /// The fields that are always there, but for those who must not know what the moves of the
    /// game say.
    pub const HIDDEN: [&str; 3] = ["finding", "halfmove_clock", "last_zeroing"];
}

/// There is one schema for all audiences of a claim.
fn may_lack_the_finding(schema: &mut schemars::Schema) {
    let required = schema.get_mut("required");
    if let Some(required) = required.and_then(serde_json::Value::as_array_mut) {
        required.retain(|key| !ClaimRecord::HIDDEN.iter().any(|hidden| key == hidden));
    }
}

/// A claim as a command brings it.
#[derive(Debug)]
pub(super) struct ClaimRequest<'a> {
    pub(super) by: Color,
    pub(super) kind: Claimed,
    pub(super) announced: Option<&'a str>,
    pub(super) written: bool,
    /// The move that was on the board already.
    pub(super) unsettled: Option<&'a Unsettled>,
}

impl Game {
    pub(super) fn claim(&mut self, request: &ClaimRequest<'_>) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        if self.unruled_claim().is_some() {
            let text = "a claim is being checked already; it cannot be withdrawn or repeated";
            return Err(Refusal::wrong_state(text));
        }
        let record = match request.kind {
            Claimed::Quickplay | Claimed::Increment => self.quickplay_claim(request)?,
            Claimed::Threefold => self.draw_claim(request, ClaimKind::Threefold)?,
            Claimed::FiftyMove => self.draw_claim(request, ClaimKind::FiftyMove)?,
        };
        let mut facts = vec![Fact::ClaimMade(record.clone())];
        let defective = record.finding == Some(Finding::DefectiveNotWritten);
        let counts_as_offer = match record.kind {
            Claimed::Quickplay => self.regulations.quickplay().is_offer,
            Claimed::Increment => true,
            Claimed::Threefold | Claimed::FiftyMove => {
                self.regulations.edition.offers.claim_is_offer
            }
        };
        let (contested, finding) = (record.contested.is_some(), record.finding);
        self.claims.make(record, self.record.position());
        if defective {
            return Ok(facts);
        }
        facts.extend(self.pause_for_claim(Some(request.by)));
        if counts_as_offer {
            facts.extend(self.offer(request.by, None, true, request.unsettled)?);
        }
        if self.rules.confirm == Confirm::Automatic && !contested && !self.is_secretly_over() {
            match finding {
                Some(Finding::Correct) => {
                    facts.extend(self.rule_on_claim(ClaimDecision::Correct, None)?);
                }
                Some(Finding::Incorrect) => {
                    facts.extend(self.rule_on_claim(ClaimDecision::Incorrect, None)?);
                }
                _ => {}
            }
        }
        Ok(facts)
    }

    fn quickplay_claim(&self, request: &ClaimRequest<'_>) -> Result<ClaimRecord, Refusal> {
        let player = laws::ShortOfTime {
            has_the_move: self.turn() == request.by,
            remaining_ms: self.clock.remaining_ms(request.by),
            flag_fallen: self.clock.fallen_flag() == Some(request.by.into()),
        };
        let articles = &self.regulations.edition.articles;
        let (admissible, article) = if request.kind == Claimed::Increment {
            let admissible = laws::increment_admissible(&self.regulations, player);
            (admissible, articles.quickplay_increment)
        } else {
            let admissible = laws::quickplay_admissible(&self.regulations, player);
            (admissible, articles.quickplay)
        };
        admissible.map_err(Refusal::not_admissible)?;
        Ok(self.new_claim(request, article))
    }

    /// A claim of which nothing is found yet: it rests on nothing.
    fn new_claim(&self, request: &ClaimRequest<'_>, article: &str) -> ClaimRecord {
        ClaimRecord {
            id: self.seq(),
            by: request.by.into(),
            kind: request.kind,
            basis: BasisKind::None,
            article: article.to_owned(),
            ply: self.ply(),
            time: self.now(),
            announced: None,
            finding: None,
            plies: Vec::new(),
            disputed_plies: Vec::new(),
            halfmove_clock: self.draw().halfmove_clock,
            last_zeroing: None,
            remarks: self.flag_remark().into_iter().collect(),
            contested: None,
            postponed: false,
            ruling: None,
            ruled_before: None,
        }
    }

    fn draw_claim(
        &self,
        request: &ClaimRequest<'_>,
        kind: ClaimKind,
    ) -> Result<ClaimRecord, Refusal> {
        let (basis, announced) = self.basis(request)?;
        // What is not written down binds to nothing and changes nothing.
        if let Some(announced) = announced.as_ref().filter(|_| request.written) {
            self.may_announce(request.by, announced)?;
        }
        let claim = DrawClaim {
            by: request.by,
            kind,
            basis,
        };
        let running = self.clock.running();
        let completed = running.map(|running| running == Side::from(request.by));
        let found = laws::examine(self.record.history(), &self.regulations, claim, completed)
            .map_err(Refusal::not_admissible)?;
        let mut finding = found.finding;
        let mut remarks = found.remarks;
        let unknown = self.record.began_too_late_for(kind) || self.counts_unseen();
        // The board does not answer, or has not agreed with the record since it was out of sight.
        let unread = self.sensors.is_lost()
            || self.outcome.unseen_since().is_some()
            || self.source_uncertain_since().is_some()
            || self.account_differs_since().is_some();
        let incomplete = unknown || unread;
        let doubts = incomplete.then_some(Remark::RecordIncomplete);
        let doubts: Vec<Remark> = doubts.into_iter().chain(self.flag_remark()).collect();
        if !doubts.is_empty() && finding != Finding::DefectiveNotWritten {
            finding = Finding::ArbiterDecides;
        }
        remarks.extend(doubts);
        let moved = request.unsettled.filter(|last| last.by == request.by);
        let moved = moved.and_then(|last| self.touched_by_moving(last));
        let contested = moved.or_else(|| self.touched_before(request.by));
        remarks.extend(contested.as_ref().map(|touched| {
            if touched.made.is_some() {
                Remark::MoveMadeBefore
            } else if touched.sure {
                Remark::PieceTouchedBefore
            } else {
                Remark::TouchUnsure
            }
        }));
        let shall_stop = self.regulations.edition.claims.clock == laws::StopsClock::PlayerShall;
        if shall_stop && running.is_some() && self.pause_state().is_none() {
            remarks.push(Remark::ClockNotStopped);
        }
        Ok(ClaimRecord {
            basis: if announced.is_some() {
                BasisKind::Intended
            } else {
                BasisKind::Appeared
            },
            announced,
            finding: Some(finding),
            plies: found.plies,
            disputed_plies: found.disputed_plies,
            halfmove_clock: found.halfmove_clock,
            last_zeroing: found.last_zeroing,
            remarks,
            contested,
            ..self.new_claim(request, found.article)
        })
    }

    /// A claim that comes when a flag is down already is not made before the flag fell, unless the
    /// flag was not noticed. Only the arbiter knows.
    fn flag_remark(&self) -> Option<Remark> {
        self.clock.fallen_flag().map(|_| Remark::FlagFallen)
    }

    /// What an announced move means in the position on the board.
    fn basis(
        &self,
        request: &ClaimRequest<'_>,
    ) -> Result<(ClaimBasis, Option<AnnouncedMove>), Refusal> {
        let Some(text) = request.announced else {
            return Ok((ClaimBasis::Appeared, None));
        };
        let written = request.written;
        match notation::parse_move(text, self.position()) {
            Ok(m) => {
                let announced = MoveText::new(m, self.position());
                Ok((ClaimBasis::Intended { m, written }, Some(announced.into())))
            }
            Err(notation::MoveError::Illegal) => {
                let announced = AnnouncedMove::illegal(text);
                Ok((ClaimBasis::IntendedIllegal { written }, Some(announced)))
            }
            Err(error @ (notation::MoveError::NoMove | notation::MoveError::Ambiguous)) => {
                let text = format!("\"{}\": {error}", truncated(text));
                Err(Refusal::bad_value(text))
            }
        }
    }

    /// The touch that may have lost this player the right to claim at this move (9.4).
    fn touched_before(&self, by: Color) -> Option<Touched> {
        let lost_by_touch = self.regulations.edition.claims.lost_by == LostBy::Touch;
        let decisive = self.touches.decisive(by.into());
        decisive.filter(|_| lost_by_touch).cloned()
    }

    /// Claims that were lost by the last move, or may be by a touch since.
    #[must_use]
    pub fn lost_claims(&self) -> Vec<LostClaims> {
        let mut lost = self.claims.lost().to_vec();
        let claims = &self.draw().claims;
        let touched = self.touched_before(self.turn());
        lost.extend(
            touched
                .filter(|_| !claims.is_empty())
                .map(|touched| LostClaims {
                    position: self.position().clone(),
                    ply: self.ply(),
                    claims: claims.clone(),
                    by: LostBy::Touch,
                    touched: Some(touched),
                }),
        );
        lost
    }

    /// The claims in the last two minutes on which the decision was postponed: the newest
    /// of each player, the oldest first.
    pub(super) fn postponed_claims(&self) -> Vec<&ClaimRecord> {
        if self.status().result().is_some() {
            return Vec::new();
        }
        self.claims.postponed()
    }
}
