//! The state of a game, to be read; [`super::apply`] changes it.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Position as _};

use super::{
    Adjustment, AgreementPending, Alerts, Answer, BrokenAnnouncement, CanMate, ClaimRecord,
    ClockState, GameResult, MustPlay, Pause, PendingLoss, Role, SeenSquare, SettledBy, Side,
    StandingOffer, Touched, Unconfirmed, offer::OfferBook,
};
use crate::{
    board::event::Orientation,
    dead::Verdict,
    hand::MismatchReason,
    laws::{
        AutomaticEnd, AutomaticKind, DrawState, Edition, History, LostBy, Ply, Rate, Regulations,
    },
    notation::MoveText,
};

/// Answers that are remembered, so that a command sent twice is done once.
pub(super) const ANSWERS: usize = 1024;

/// Under which rules the games at a board are played, unless a command says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rules {
    /// The event's regulations.
    pub regulations: Regulations,
    /// Who makes the end of a game public.
    pub confirm: Confirm,
    /// How long a red alert may stay unacknowledged before it is escalated, in
    /// milliseconds; 0 for ever.
    pub escalate_ms: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            regulations: Regulations::default(),
            confirm: Confirm::Arbiter,
            escalate_ms: 20_000,
        }
    }
}

/// Who makes the end of a game public. In law the game is over either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// The arbiter, by acknowledging the alert. He also rules on every claim.
    Arbiter,
    /// Nobody: it is published at once, and a claim is ruled on as the moves show it.
    Automatic,
}

/// What is to be remembered of a board beyond one game; written down again whenever a
/// new segment of the journal begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carried {
    /// The rules of the event.
    pub rules: Rules,
    /// The regulations of the game that has begun.
    pub regulations: Regulations,
    /// What the clock shows, without a flag: that was the last game's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockState>,
    /// How the board was found to lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// Ends of earlier games that nobody has confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<Unconfirmed>,
}

/// A move that has been made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Both notations.
    pub text: MoveText,
    /// What put it beyond doubt; `None` when it was revised.
    pub by: Option<SettledBy>,
    /// What the clock showed then.
    pub clock: Option<ClockState>,
}

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracking {
    /// Every square agrees with the game, as far as is known.
    Following,
    /// No legal move explains the squares.
    Mismatch {
        /// Why.
        reason: MismatchReason,
        /// The squares.
        squares: Vec<SeenSquare>,
        /// The last ply before that.
        since_ply: Ply,
    },
    /// The game is over and the board is not watched for moves.
    Resting,
}

/// Claims that could have been made and cannot any more (9.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostClaims {
    /// The position in which they could be made.
    pub position: Chess,
    /// After which ply.
    pub ply: Ply,
    /// What could have been claimed.
    pub claims: Vec<crate::laws::Claim>,
    /// What lost them.
    pub by: LostBy,
    /// The piece that was touched; `None` when a move lost them.
    pub touched: Option<Touched>,
}

/// The game at one board.
#[derive(Debug, Clone)]
pub struct Game {
    pub(super) rules: Rules,
    /// The number of the last input.
    pub(super) seq: u64,
    /// The number of the input that brought the position on the board.
    pub(super) position_seq: u64,
    /// The number of the last input that was more than a touch, a look or a clock.
    pub(super) changed_seq: u64,
    /// When the last input came.
    pub(super) time: Timestamp,
    pub(super) number: u64,
    pub(super) regulations: Regulations,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) start: Chess,
    pub(super) history: History,
    pub(super) moves: Vec<Played>,
    pub(super) draw: DrawState,
    /// The first automatic end; kept even if play goes on.
    pub(super) ended: Option<(Ply, AutomaticEnd)>,
    pub(super) result: Option<GameResult>,
    pub(super) unconfirmed: Vec<Unconfirmed>,
    pub(super) dead: Option<Verdict>,
    pub(super) can_mate: Option<CanMate>,
    pub(super) pending_loss: Option<PendingLoss>,
    pub(super) offers: OfferBook,
    pub(super) claims: Vec<ClaimRecord>,
    pub(super) lost: Vec<LostClaims>,
    pub(super) must_play: Option<MustPlay>,
    pub(super) broken_announcement: Option<BrokenAnnouncement>,
    pub(super) touched: Vec<Touched>,
    pub(super) adjusting: Option<Side>,
    pub(super) pause: Option<Pause>,
    pub(super) adjustments: Vec<Adjustment>,
    /// Illegal moves of White and of Black.
    pub(super) illegal_moves: (u32, u32),
    /// The position was set up in mid-game, so earlier repetitions are not counted.
    pub(super) counts_restarted: bool,
    /// The same, for as long as the game lasts.
    pub(super) earlier_unknown: bool,
    /// The end that the arbiter has overruled, until the run of moves is broken.
    pub(super) overruled: Option<AutomaticKind>,
    /// The position was set up, and its move number tells how many moves were made.
    pub(super) taken_up: bool,
    pub(super) clock: Option<ClockState>,
    pub(super) mismatch: Option<(MismatchReason, Vec<SeenSquare>, Ply)>,
    pub(super) link: Option<Result<(), String>>,
    pub(super) orientation: Option<Orientation>,
    pub(super) alerts: Alerts,
    pub(super) answers: VecDeque<(Role, Answer)>,
}

impl Game {
    /// A board at which nothing has happened yet: the start array, number 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let start = Chess::default();
        let history = History::new(start.clone());
        let draw = history.draw_state(rules.regulations.edition);
        Self {
            regulations: rules.regulations.clone(),
            rules,
            seq: 0,
            position_seq: 0,
            changed_seq: 0,
            time: Timestamp::UNIX_EPOCH,
            number: 0,
            headers: BTreeMap::new(),
            start,
            history,
            moves: Vec::new(),
            draw,
            ended: None,
            result: None,
            unconfirmed: Vec::new(),
            dead: None,
            can_mate: None,
            pending_loss: None,
            offers: OfferBook::default(),
            claims: Vec::new(),
            lost: Vec::new(),
            must_play: None,
            broken_announcement: None,
            touched: Vec::new(),
            adjusting: None,
            pause: None,
            adjustments: Vec::new(),
            illegal_moves: (0, 0),
            counts_restarted: false,
            earlier_unknown: false,
            overruled: None,
            taken_up: false,
            clock: None,
            mismatch: None,
            link: None,
            orientation: None,
            alerts: Alerts::default(),
            answers: VecDeque::new(),
        }
    }

    /// The number of the last input; 0 when there was none.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The number of the input that brought the position on the board. The ply alone
    /// does not name a position: a set-up begins at 0 again, a revised ply keeps its number.
    #[must_use]
    pub const fn position_seq(&self) -> u64 {
        self.position_seq
    }

    /// The game's number: the `seq` of the input that began it.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The edition this game is played under.
    #[must_use]
    pub const fn edition(&self) -> &'static Edition {
        self.regulations.edition
    }

    /// The rate this game is played at.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.regulations.rate
    }

    /// The regulations this game is played under.
    #[must_use]
    pub const fn regulations(&self) -> &Regulations {
        &self.regulations
    }

    /// The rules of the event, under which the next game begins.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What is to be remembered of the board beyond this game.
    #[must_use]
    pub fn carried(&self) -> Carried {
        Carried {
            rules: self.rules.clone(),
            regulations: self.regulations.clone(),
            clock: self.clock,
            orientation: self.orientation,
            unconfirmed: self.unconfirmed.clone(),
        }
    }

    /// PGN tags.
    #[must_use]
    pub const fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// The starting position.
    #[must_use]
    pub const fn start(&self) -> &Chess {
        &self.start
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        self.history.position()
    }

    /// Halfmoves made.
    #[must_use]
    pub const fn ply(&self) -> Ply {
        self.history.ply()
    }

    /// The moves made.
    #[must_use]
    pub fn moves(&self) -> &[Played] {
        &self.moves
    }

    /// What the edition says about the position on the board.
    #[must_use]
    pub const fn draw(&self) -> &DrawState {
        &self.draw
    }

    /// The first automatic end and its ply.
    #[must_use]
    pub const fn ended(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ended
    }

    /// The end that the arbiter has overruled: play goes on in spite of it.
    #[must_use]
    pub const fn overruled(&self) -> Option<AutomaticKind> {
        self.overruled
    }

    /// The result, if there is one.
    #[must_use]
    pub const fn result(&self) -> Option<&GameResult> {
        self.result.as_ref()
    }

    /// Whether either side can still mate; `None` while nobody has found out.
    #[must_use]
    pub const fn dead(&self) -> Option<Verdict> {
        self.dead
    }

    /// Which side can still mate; `None` while nobody has asked.
    #[must_use]
    pub const fn can_mate(&self) -> Option<CanMate> {
        self.can_mate
    }

    /// The offer that stands.
    #[must_use]
    pub const fn standing_offer(&self) -> Option<&StandingOffer> {
        self.offers.standing.as_ref()
    }

    /// Where the mark (=) stands in the score: after which ply, by whom.
    #[must_use]
    pub fn offer_marks(&self) -> &[(Ply, Side)] {
        &self.offers.marks
    }

    /// An agreement that waits for the arbiter's consent.
    #[must_use]
    pub const fn pending_agreement(&self) -> Option<AgreementPending> {
        self.offers.pending
    }

    /// Every claim of this game, oldest first.
    #[must_use]
    pub fn claims(&self) -> &[ClaimRecord] {
        &self.claims
    }

    /// Claims that were lost by the last move, or may be by a touch since.
    #[must_use]
    pub fn lost_claims(&self) -> Vec<LostClaims> {
        let mut lost = self.lost.clone();
        let by_touch = self.regulations.edition.claims.lost_by == LostBy::Touch;
        let meant = |touch: &&Touched| !touch.adjusting && by_touch;
        if let Some(touched) = self.touched.iter().find(meant)
            && !self.draw.claims.is_empty()
        {
            lost.push(LostClaims {
                position: self.position().clone(),
                ply: self.ply(),
                claims: self.draw.claims.clone(),
                by: LostBy::Touch,
                touched: Some(touched.clone()),
            });
        }
        lost
    }

    /// The move that must be made because it was announced.
    #[must_use]
    pub fn must_play(&self) -> Option<&MustPlay> {
        let next = self.ply() + 1;
        self.must_play.as_ref().filter(|must| must.ply == next)
    }

    /// The pieces that the player having the move has touched since the last move.
    #[must_use]
    pub fn touched(&self) -> &[Touched] {
        &self.touched
    }

    /// Whether the clock is to be stopped.
    #[must_use]
    pub const fn pause_state(&self) -> Option<Pause> {
        self.pause
    }

    /// Changes of the remaining times that the clock has not made yet, oldest first.
    #[must_use]
    pub fn adjustments(&self) -> &[Adjustment] {
        &self.adjustments
    }

    /// Illegal moves that the arbiter has found: White's and Black's.
    #[must_use]
    pub const fn illegal_moves(&self) -> (u32, u32) {
        self.illegal_moves
    }

    /// Ends of earlier games at this board that nobody has confirmed.
    #[must_use]
    pub fn unconfirmed(&self) -> &[Unconfirmed] {
        &self.unconfirmed
    }

    /// A loss that depends on whether the opponent can mate.
    #[must_use]
    pub const fn pending_loss(&self) -> Option<PendingLoss> {
        self.pending_loss
    }

    /// What the clock shows.
    #[must_use]
    pub const fn clock(&self) -> Option<ClockState> {
        self.clock
    }

    /// Whether the board answers; `None` before it was tried. The error is the reason.
    #[must_use]
    pub const fn link(&self) -> Option<&Result<(), String>> {
        self.link.as_ref()
    }

    /// How the board was found to lie.
    #[must_use]
    pub const fn orientation(&self) -> Option<Orientation> {
        self.orientation
    }

    /// The open alerts.
    #[must_use]
    pub const fn alerts(&self) -> &Alerts {
        &self.alerts
    }

    /// Whether the board is understood.
    #[must_use]
    pub fn tracking(&self) -> Tracking {
        if self.is_closed() {
            return Tracking::Resting;
        }
        match &self.mismatch {
            Some((reason, squares, since_ply)) => Tracking::Mismatch {
                reason: *reason,
                squares: squares.clone(),
                since_ply: *since_ply,
            },
            None => Tracking::Following,
        }
    }

    /// Whether the players or the arbiter have closed the game: moves on the board are no
    /// longer its. An automatic end alone does not close it: if it is overlooked, play
    /// goes on.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.result.as_ref().is_some_and(|result| {
            !result.reason.is_automatic()
                || (result.confirmed && self.rules.confirm == Confirm::Arbiter)
        }) || self.pending_loss.is_some()
    }

    /// The answer that a command of this role with this id has already had.
    #[must_use]
    pub fn answer(&self, role: Role, id: &str) -> Option<&Answer> {
        let mut answers = self.answers.iter();
        let known = answers.find(|(by, answer)| *by == role && answer.id == id);
        known.map(|(_, answer)| answer)
    }

    /// Plies until 75 moves end the game, if the edition has such a rule.
    #[must_use]
    pub fn plies_to_seventy_five(&self) -> Option<u32> {
        self.regulations
            .edition
            .automatic_halfmoves
            .map(|limit| limit.saturating_sub(self.draw.halfmove_clock))
    }

    /// Further occurrences of this position until fivefold repetition ends the game,
    /// if the edition has such a rule.
    #[must_use]
    pub fn occurrences_to_fivefold(&self) -> Option<u32> {
        let needed = self.regulations.edition.fivefold?.occurrences();
        let so_far = self
            .regulations
            .edition
            .fivefold?
            .so_far(&self.draw.repetition.plies);
        Some(needed.saturating_sub(so_far))
    }

    /// Takes up the numbering after `seq` where earlier entries are not replayed.
    pub fn skip_to(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
    }

    /// The player having the move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}
