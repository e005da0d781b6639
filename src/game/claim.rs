//! Claims of a draw at a board, and what the arbiter rules on them (9.2 to 9.5, 10.2).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};

use super::{
    Fact, Game, RefusalCode, ResultReason, Side, Touched,
    apply::Refused,
    clock::{AdjustmentReason, PauseReason},
    state::Confirm,
};
use crate::{
    laws::{
        self, ClaimBasis, ClaimKind, DrawClaim, Finding, LostBy, Ply, QuickplayDecision, Remark,
        Score,
    },
    notation::{self, MoveText},
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
}

impl Claimed {
    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threefold => "threefold",
            Self::FiftyMove => "fifty_move",
            Self::Quickplay => "quickplay",
        }
    }
}

/// On what a claim rests.
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

/// A claim that a player has made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRecord {
    /// Its number: the `seq` of the entry that made it.
    pub id: u64,
    /// Who claims.
    pub by: Side,
    /// What.
    pub kind: Claimed,
    /// On what it rests.
    pub basis: BasisKind,
    /// The article under which it is made.
    pub article: String,
    /// After which ply.
    pub ply: Ply,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// The announced move, if there is one; the text as announced where it is not legal.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<MoveText>,
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
    /// What the arbiter should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The piece that was touched before the claim, as far as the sensors tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contested: Option<Touched>,
    /// The decision on a claim in the last two minutes was postponed: play goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub postponed: bool,
    /// What was ruled; null while nobody has.
    pub ruling: Option<ClaimRuling>,
}

/// What was ruled on a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRuling {
    /// Whether the claim stands.
    pub correct: bool,
    /// Who ruled; `remisd` where nobody has to confirm.
    pub by: String,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
}

/// A move that must be made now, because it was announced for an incorrect claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MustPlay {
    /// Who must make it.
    pub by: Side,
    /// The announced move.
    #[serde(rename = "move")]
    pub announced: MoveText,
    /// Whether it is legal. If not, another legal move with that piece must be made.
    pub legal: bool,
    /// The ply that it must be.
    pub ply: Ply,
}

/// A claim as a command brings it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) by: Color,
    pub(super) kind: Claimed,
    pub(super) announced: Option<&'a str>,
    pub(super) written: bool,
}

/// Claims that are kept for the record of one game, the newest ones.
const CLAIMS: usize = 256;

impl Game {
    pub(super) fn claim(&mut self, asked: &Asked<'_>) -> Result<Vec<Fact>, Refused> {
        self.must_be_in_progress()?;
        if self.open_claim().is_some() {
            let text = "a claim is being checked already; it cannot be withdrawn or repeated";
            return Err((RefusalCode::WrongState, text.to_owned()));
        }
        if self.claims.len() == CLAIMS {
            self.claims.remove(0);
        }
        let record = match asked.kind {
            Claimed::Quickplay => self.quickplay_claim(asked)?,
            Claimed::Threefold => self.draw_claim(asked, ClaimKind::Threefold)?,
            Claimed::FiftyMove => self.draw_claim(asked, ClaimKind::FiftyMove)?,
        };
        let mut facts = vec![Fact::ClaimMade(record.clone())];
        let defective = record.finding == Some(Finding::DefectiveNotWritten);
        let counts_as_offer = if record.kind == Claimed::Quickplay {
            self.regulations.quickplay().is_offer
        } else {
            self.regulations.edition.offers.claim_is_offer
        };
        let (contested, finding) = (record.contested.is_some(), record.finding);
        self.claims.push(record);
        if defective {
            return Ok(facts);
        }
        facts.extend(self.pause_for(PauseReason::Claim));
        if counts_as_offer {
            facts.extend(self.offer(asked.by, None, true)?);
        }
        if self.rules.confirm == Confirm::Automatic && !contested {
            match finding {
                Some(Finding::Correct) => facts.extend(self.rule_on_claim(true, None)?),
                Some(Finding::Incorrect) => facts.extend(self.rule_on_claim(false, None)?),
                _ => {}
            }
        }
        Ok(facts)
    }

    fn quickplay_claim(&self, asked: &Asked<'_>) -> Result<ClaimRecord, Refused> {
        let remaining = self.remaining_ms(asked.by);
        laws::quickplay_admissible(&self.regulations, self.turn() == asked.by, remaining)
            .map_err(|error| (RefusalCode::NotAdmissible, error.to_string()))?;
        Ok(ClaimRecord {
            id: self.seq,
            by: asked.by.into(),
            kind: asked.kind,
            basis: BasisKind::None,
            article: self.regulations.edition.articles.quickplay.to_owned(),
            ply: self.ply(),
            time: self.time,
            announced: None,
            finding: None,
            plies: Vec::new(),
            disputed_plies: Vec::new(),
            halfmove_clock: self.draw.halfmove_clock,
            last_zeroing: None,
            remarks: Vec::new(),
            contested: None,
            postponed: false,
            ruling: None,
        })
    }

    fn draw_claim(&self, asked: &Asked<'_>, kind: ClaimKind) -> Result<ClaimRecord, Refused> {
        let (basis, announced) = self.basis(asked)?;
        let claim = DrawClaim {
            by: asked.by,
            kind,
            basis,
        };
        let running = self.clock.and_then(|clock| clock.running);
        let completed = running.map(|running| running == Side::from(asked.by));
        let found = laws::examine(&self.history, &self.regulations, claim, completed)
            .map_err(|error| (RefusalCode::NotAdmissible, error.to_string()))?;
        let mut finding = found.finding;
        let mut remarks = found.remarks;
        let board_lost = matches!(self.link, Some(Err(_)));
        if self.earlier_unknown || self.mismatch.is_some() || board_lost {
            remarks.push(Remark::RecordIncomplete);
            if finding != Finding::DefectiveNotWritten {
                finding = Finding::ArbiterDecides;
            }
        }
        let contested = self.touched_before(asked.by);
        if contested.is_some() {
            remarks.push(Remark::PieceTouchedBefore);
        }
        let shall_stop = self.regulations.edition.claims.clock == laws::StopsClock::PlayerShall;
        if shall_stop && running.is_some() {
            remarks.push(Remark::ClockNotStopped);
        }
        Ok(ClaimRecord {
            id: self.seq,
            by: asked.by.into(),
            kind: asked.kind,
            basis: if announced.is_some() {
                BasisKind::Intended
            } else {
                BasisKind::Appeared
            },
            article: found.article.to_owned(),
            ply: self.ply(),
            time: self.time,
            announced,
            finding: Some(finding),
            plies: found.plies,
            disputed_plies: found.disputed_plies,
            halfmove_clock: found.halfmove_clock,
            last_zeroing: found.last_zeroing,
            remarks,
            contested,
            postponed: false,
            ruling: None,
        })
    }

    /// What an announced move means in the position on the board.
    fn basis(&self, asked: &Asked<'_>) -> Result<(ClaimBasis, Option<MoveText>), Refused> {
        let Some(text) = asked.announced else {
            return Ok((ClaimBasis::Appeared, None));
        };
        let written = asked.written;
        match notation::parse_move(text, self.position()) {
            Ok(m) => {
                let announced = MoveText::new(m, self.position());
                Ok((ClaimBasis::Intended { m, written }, Some(announced)))
            }
            Err(notation::MoveError::Illegal) => {
                let announced = MoveText {
                    uci: text.to_owned(),
                    san: text.to_owned(),
                };
                Ok((ClaimBasis::IntendedIllegal { written }, Some(announced)))
            }
            Err(error @ (notation::MoveError::NoMove | notation::MoveError::Ambiguous)) => {
                Err((RefusalCode::BadValue, format!("\"{text}\": {error}")))
            }
        }
    }

    /// The touch that may have lost this player the right to claim at this move (9.4).
    fn touched_before(&self, by: Color) -> Option<Touched> {
        let lost_by_touch = self.regulations.edition.claims.lost_by == LostBy::Touch;
        let mut touches = self.touched.iter();
        let first = touches.find(|touch| touch.by == Side::from(by) && !touch.adjusting);
        first.filter(|_| lost_by_touch).cloned()
    }

    /// The claim that waits for a ruling.
    #[must_use]
    pub fn open_claim(&self) -> Option<&ClaimRecord> {
        let newest = self.claims.last()?;
        let waits = newest.ruling.is_none()
            && !newest.postponed
            && newest.finding != Some(Finding::DefectiveNotWritten)
            && self.result.is_none();
        waits.then_some(newest)
    }

    /// The ruling on the claim that is being checked (9.5).
    ///
    /// Without `by` nobody rules: it follows from the moves of the game.
    pub(super) fn rule_on_claim(
        &mut self,
        correct: bool,
        by: Option<&str>,
    ) -> Result<Vec<Fact>, Refused> {
        let arbiter = by.is_some();
        let by = by.unwrap_or("remisd");
        let Some(claim) = self.open_claim().cloned() else {
            return Err((
                RefusalCode::WrongState,
                "no claim is being checked".to_owned(),
            ));
        };
        if claim.kind == Claimed::Quickplay {
            let text = "this claim is decided with {\"on\":\"quickplay\"}".to_owned();
            return Err((RefusalCode::BadValue, text));
        }
        self.note_ruling(claim.id, correct, by);
        let mut facts = vec![Fact::ClaimRuled {
            claim: claim.id,
            correct,
            by: by.to_owned(),
        }];
        facts.extend(self.end_offer_of_claim(claim.by));
        if correct {
            let reason = match claim.kind {
                Claimed::FiftyMove => ResultReason::FiftyMoveClaim,
                _ => ResultReason::ThreefoldClaim,
            };
            let announced = claim.announced;
            facts.extend(self.conclude_with(
                announced,
                Score::Draw,
                reason,
                &claim.article,
                arbiter,
            ));
            return Ok(facts);
        }
        let claimant = Color::from(claim.by);
        let (own, opponent) = laws::incorrect_claim(&self.regulations, self.remaining_ms(claimant));
        let (white, black) = claimant.fold_wb((own, opponent), (opponent, own));
        facts.extend(self.order_adjustment(white, black, AdjustmentReason::IncorrectClaim));
        if let Some(announced) = claim.announced
            && claim.ply == self.ply()
        {
            let legal = !claim.remarks.contains(&Remark::AnnouncedMoveIllegal);
            let must = MustPlay {
                by: claim.by,
                announced,
                legal,
                ply: self.ply() + 1,
            };
            self.must_play = Some(must.clone());
            facts.push(Fact::MustPlay(must));
        }
        Ok(facts)
    }

    /// The decision on a claim in the last two minutes.
    pub(super) fn rule_on_quickplay(
        &mut self,
        decision: QuickplayDecision,
        generous: bool,
        by: &str,
    ) -> Result<Vec<Fact>, Refused> {
        let newest = self
            .claims
            .iter()
            .rfind(|claim| claim.kind == Claimed::Quickplay);
        let open = newest.filter(|claim| claim.ruling.is_none() && self.result.is_none());
        let Some(claim) = open.cloned() else {
            let text = "no claim in the last two minutes is open".to_owned();
            return Err((RefusalCode::WrongState, text));
        };
        let article = self.regulations.edition.articles.quickplay;
        let Some(opponent) = laws::quickplay(&self.regulations, decision, generous) else {
            let text = format!("this edition does not know that decision ({article})");
            return Err((RefusalCode::NotAdmissible, text));
        };
        // A postponed decision is still to be made.
        let mut facts = vec![Fact::QuickplayRuled {
            claim: claim.id,
            decision,
            by: by.to_owned(),
        }];
        let claimant = Color::from(claim.by);
        let (white, black) = claimant.fold_wb(
            (laws::TimeChange::None, opponent),
            (opponent, laws::TimeChange::None),
        );
        facts.extend(self.order_adjustment(white, black, AdjustmentReason::Quickplay));
        match decision {
            QuickplayDecision::Draw => {
                self.note_ruling(claim.id, true, by);
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.conclude(Score::Draw, ResultReason::Quickplay, article, true));
            }
            QuickplayDecision::Postpone => {
                if let Some(postponed) = self.claims.iter_mut().find(|c| c.id == claim.id) {
                    postponed.postponed = true;
                }
                if self.pause.take().is_some() {
                    let running = Side::from(self.turn());
                    facts.push(Fact::Resumed { running });
                }
            }
            QuickplayDecision::Reject | QuickplayDecision::Increment => {
                self.note_ruling(claim.id, false, by);
                facts.extend(self.end_offer_of_claim(claim.by));
            }
        }
        Ok(facts)
    }

    fn note_ruling(&mut self, claim: u64, correct: bool, by: &str) {
        let time = self.time;
        if let Some(claim) = self.claims.iter_mut().find(|made| made.id == claim) {
            claim.ruling = Some(ClaimRuling {
                correct,
                by: by.to_owned(),
                time,
            });
        }
    }

    /// The record has changed under a claim that is being checked: what was found no
    /// longer rests on it.
    pub(super) fn reconsider_claim(&mut self) {
        if self.open_claim().is_none() {
            return;
        }
        if let Some(claim) = self.claims.last_mut()
            && claim.finding.is_some()
        {
            claim.finding = Some(Finding::ArbiterDecides);
            claim.remarks.push(Remark::RecordChanged);
            claim.remarks.dedup();
        }
    }

    /// What a move does to an announced one: it was made, or another alert is due.
    pub(super) fn check_announced(
        &mut self,
        mover: Color,
        m: Move,
        played: &MoveText,
    ) -> Vec<Fact> {
        let Some(must) = self.must_play().filter(|must| must.by == Side::from(mover)) else {
            return Vec::new();
        };
        let kept = if must.legal {
            must.announced.uci == played.uci
        } else {
            self.keeps_to_piece(must, m)
        };
        if kept {
            return Vec::new();
        }
        let broken = BrokenAnnouncement {
            by: must.by,
            announced: must.announced.clone(),
            played: played.clone(),
            ply: must.ply,
        };
        self.broken_announcement = Some(broken.clone());
        vec![Fact::AnnouncedMoveNotPlayed(broken)]
    }

    /// An illegal announced move binds to its piece, if that has a legal move (4.3).
    fn keeps_to_piece(&self, must: &MustPlay, m: Move) -> bool {
        let Some(from) = notation::origin(&must.announced.uci) else {
            return true;
        };
        let legal = self.position().legal_moves();
        m.from() == Some(from) || !legal.iter().any(|other| other.from() == Some(from))
    }
}

/// Another move was made than the one that was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenAnnouncement {
    /// By whom.
    pub by: Side,
    /// What was announced.
    pub announced: MoveText,
    /// What was played.
    pub played: MoveText,
    /// At which ply.
    pub ply: Ply,
}
