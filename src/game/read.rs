//! What can be read of a game; [`super::apply`] changes it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use shakmaty::{Chess, Color, Position as _};

use super::state::ANSWERS_CARRIED;
use super::{
    Adjustment, AgreementPending, Alerts, Answer, CanMate, Carried, CarriedLink, ClaimRecord,
    ClockState, Game, GameResult, Intrusion, JournalDown, LinkDown, LostClaims, MustPlay, Pause,
    PendingLoss, Played, Role, RoleAnswer, Rules, Side, StandingOffer, Touched, Tracking,
    Unconfirmed,
};
use remisd_dead::Verdict;
use remisd_laws::{
    AutomaticEnd, AutomaticKind, DrawState, Edition, LostBy, Ply, Rate, Regulations,
};
use remisd_vocabulary::sensor::Orientation;

impl Game {
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
            clock_at: self.clock_at,
            flag: self.known_flag,
            orientation: self.orientation,
            unconfirmed: self.unconfirmed.clone(),
            left_undecided: self.left_undecided.clone(),
            loss: self.loss.clone(),
            earlier_losses: self.earlier_losses.clone(),
            answers: self.answers_to_carry(),
            alerts: self.alerts.open().to_vec(),
            link: self.link.as_ref().map(CarriedLink::from),
            faulty: self.faulty.clone(),
            journal_down: self.journal_down.clone(),
            intrusion: self.intrusion.clone(),
        }
    }

    /// The newest answers, as many as may be carried.
    fn answers_to_carry(&self) -> Vec<RoleAnswer> {
        let mut bytes = 0;
        let fits = |answer: &&RoleAnswer| {
            bytes += answer.size();
            bytes <= ANSWERS_CARRIED
        };
        let newest = self.answers.iter().rev().take_while(fits).cloned();
        let mut answers: Vec<RoleAnswer> = newest.collect();
        answers.reverse();
        answers
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

    /// The automatic end that stands, and its ply.
    #[must_use]
    pub const fn ended(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ended
    }

    /// The first automatic end of this record and its ply, also when it was overruled or play
    /// has gone on since.
    #[must_use]
    pub const fn first_end(&self) -> Option<(Ply, AutomaticEnd)> {
        self.first_end
    }

    /// The first end by the Laws alone before a position was set up in this game: its ply is
    /// that of an earlier record.
    #[must_use]
    pub const fn end_before_setup(&self) -> Option<(Ply, AutomaticEnd)> {
        self.end_before_setup
    }

    /// The end that stands on the board and that the arbiter has overruled: play goes on
    /// in spite of it.
    #[must_use]
    pub fn overruled(&self) -> Option<AutomaticKind> {
        let kind = self.draw.automatic?.kind;
        self.is_overruled(kind).then_some(kind)
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
    pub fn standing_offer(&self) -> Option<&StandingOffer> {
        self.offer_at_the_board().filter(|_| self.result.is_none())
    }

    /// The offer that stands for all that the players know: the game may be over in law
    /// without anybody having told them.
    #[must_use]
    pub const fn offer_at_the_board(&self) -> Option<&StandingOffer> {
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
        let told = self.telling_touch(self.turn().into());
        if let Some(touched) = told.filter(|_| by_touch)
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

    /// When the clock showed that: the running side has less since.
    #[must_use]
    pub fn clock_at(&self) -> Option<Timestamp> {
        self.clock.and(self.clock_at)
    }

    /// Whether the board answers; `None` before it was tried. The error is the reason.
    #[must_use]
    pub const fn link(&self) -> Option<&Result<(), LinkDown>> {
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
        if self.is_at_rest() || self.proposed.is_some() {
            return Tracking::Resting;
        }
        match &self.mismatch {
            Some(mismatch) => Tracking::Mismatch(mismatch.clone()),
            None => Tracking::Following,
        }
    }

    /// Squares whose sensors are not listened to.
    #[must_use]
    pub fn faulty_squares(&self) -> &[String] {
        &self.faulty
    }

    /// Who gets into the daemon's way at the broker, as it was told last.
    #[must_use]
    pub const fn intrusion(&self) -> &Intrusion {
        &self.intrusion
    }

    /// Why the disk does not take the journal; `None` if it does.
    #[must_use]
    pub const fn journal_down(&self) -> Option<&JournalDown> {
        self.journal_down.as_ref()
    }

    /// The answer that a command of this role with this id has already had.
    #[must_use]
    pub fn answer(&self, role: Role, id: &str) -> Option<&Answer> {
        self.role_answer(role, id).map(|known| &known.answer)
    }

    /// The `seq` of that answer, as the role counts.
    #[must_use]
    pub fn answer_seq(&self, role: Role, id: &str) -> Option<u64> {
        let known = self.role_answer(role, id)?;
        Some(known.number.unwrap_or(known.answer.seq))
    }

    fn role_answer(&self, role: Role, id: &str) -> Option<&RoleAnswer> {
        let mut answers = self.answers.iter();
        answers.find(|known| known.role == role && known.answer.id == id)
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
        if seq > self.seq {
            self.seq = seq;
            self.numbering.skip_to(seq);
        }
    }

    /// The player having the move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}
