//! What can be read of a game; [`super::apply`] changes it.

use std::collections::BTreeMap;

use shakmaty::{ByColor, Chess, Color, Position as _, Square};

use super::{
    Alerts, Answer, Carried, CarriedLink, Game, GameResult, HeldResignation, Intrusion,
    JournalDown, LinkDown, PendingLoss, Played, Role, Rules, Touched, Tracking,
};
use remisd_laws::{AutomaticEnd, AutomaticKind, DrawState, Edition, Ply, Rate, Regulations};
use remisd_vocabulary::sensor::Orientation;

impl Game {
    /// The number of the last input; 0 when there was none.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.sequence.last()
    }

    /// The number of the input that brought the position on the board. The ply alone
    /// does not name a position: a set-up begins at 0 again, a revised ply keeps its number.
    #[must_use]
    pub const fn position_seq(&self) -> u64 {
        self.sequence.position()
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
            clock: self.clock(),
            clock_at: self.clock_at(),
            flag: self.clock.known_flag(),
            orientation: self.orientation(),
            unconfirmed: self.unconfirmed().to_vec(),
            left_undecided: self.left_undecided().to_vec(),
            loss: self.journal.loss().cloned(),
            answers: self.answers.to_carry(),
            alerts: self.alerts.open().to_vec(),
            link: self.link().map(CarriedLink::from),
            faulty: self.faulty_squares().to_vec(),
            journal_down: self.journal_down().cloned(),
            intrusion: self.intrusion.clone(),
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
        self.record.start()
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        self.record.position()
    }

    /// Halfmoves made.
    #[must_use]
    pub const fn ply(&self) -> Ply {
        self.record.ply()
    }

    /// The moves made.
    #[must_use]
    pub fn moves(&self) -> &[Played] {
        self.record.moves()
    }

    /// What the edition says about the position on the board.
    #[must_use]
    pub const fn draw(&self) -> &DrawState {
        self.record.draw()
    }

    /// The automatic end that stands, and its ply.
    #[must_use]
    pub const fn ended(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.standing()
    }

    /// The first automatic end of this record and its ply, also when it was overruled or play
    /// has gone on since.
    #[must_use]
    pub const fn first_end(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.first()
    }

    /// The first end by the Laws alone before a position was set up in this game: its ply is
    /// that of an earlier record.
    #[must_use]
    pub const fn end_before_setup(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.before_setup()
    }

    /// The end that stands on the board and that the arbiter has overruled: play goes on
    /// in spite of it.
    #[must_use]
    pub fn overruled(&self) -> Option<AutomaticKind> {
        let kind = self.draw().automatic?.kind;
        let overruled = self.ends.is_overruled(kind, self.ply(), self.draw());
        overruled.then_some(kind)
    }

    /// The result, if there is one.
    #[must_use]
    pub const fn result(&self) -> Option<&GameResult> {
        self.outcome.result()
    }

    /// The pieces that the player having the move has touched since the last move.
    #[must_use]
    pub fn touched(&self) -> &[Touched] {
        self.touches.all()
    }

    /// Illegal moves that the arbiter has found.
    #[must_use]
    pub const fn illegal_moves(&self) -> ByColor<u32> {
        self.illegal_moves.counts()
    }

    /// A loss that depends on whether the opponent can mate.
    #[must_use]
    pub const fn pending_loss(&self) -> Option<PendingLoss> {
        self.outcome.pending_loss()
    }

    /// A resignation that waits for what came before it.
    #[must_use]
    pub const fn held_resignation(&self) -> Option<&HeldResignation> {
        self.outcome.held()
    }

    /// Whether the board answers; `None` before it was tried. The error is the reason.
    #[must_use]
    pub const fn link(&self) -> Option<&Result<(), LinkDown>> {
        self.sensors.link()
    }

    /// How the board was found to lie.
    #[must_use]
    pub const fn orientation(&self) -> Option<Orientation> {
        self.sensors.orientation()
    }

    /// The open alerts.
    #[must_use]
    pub const fn alerts(&self) -> &Alerts {
        &self.alerts
    }

    /// Whether the board is understood.
    #[must_use]
    pub fn tracking(&self) -> Tracking {
        if self.is_at_rest() || self.proposed_result().is_some() {
            return Tracking::Resting;
        }
        match self.sensors.mismatch() {
            Some(mismatch) => Tracking::Mismatch(mismatch.clone()),
            None => Tracking::Following,
        }
    }

    /// Squares whose sensors are ignored.
    #[must_use]
    pub fn faulty_squares(&self) -> &[Square] {
        self.sensors.faulty()
    }

    /// The first ply that is only assumed, until the arbiter has seen it.
    #[must_use]
    pub fn assumed_since(&self) -> Option<Ply> {
        self.record.assumed().next().map(|(ply, _)| ply)
    }

    /// The first ply that is not certain: the board contradicts the game and may contradict settled
    /// plies, a promotion is only assumed, or the journal has lost plies.
    #[must_use]
    pub fn uncertain_since(&self) -> Option<Ply> {
        // Plies may have been taken back since.
        let next = self.ply() + 1;
        let mismatch = self.sensors.mismatch().map(|mismatch| {
            mismatch
                .doubted_since
                .unwrap_or(mismatch.since_ply)
                .min(next)
        });
        let unsure = [mismatch, self.assumed_since(), self.missing_since()];
        unsure.into_iter().flatten().min()
    }

    /// Who interferes with the daemon at the broker, as last reported.
    #[must_use]
    pub const fn intrusion(&self) -> &Intrusion {
        &self.intrusion
    }

    /// Why the disk does not take the journal; `None` if it does.
    #[must_use]
    pub const fn journal_down(&self) -> Option<&JournalDown> {
        self.journal.down()
    }

    /// The answer that a command of this role with this id has already had.
    #[must_use]
    pub fn answer(&self, role: Role, id: &str) -> Option<&Answer> {
        self.answers.find(role, id).map(|known| &known.answer)
    }

    /// The `seq` of that answer, as the role counts.
    #[must_use]
    pub fn answer_seq(&self, role: Role, id: &str) -> Option<u64> {
        let known = self.answers.find(role, id)?;
        Some(known.number.unwrap_or(known.answer.seq))
    }

    /// Plies until 75 moves end the game, if the edition has such a rule.
    #[must_use]
    pub fn plies_to_seventy_five(&self) -> Option<u32> {
        self.regulations
            .edition
            .automatic_halfmoves
            .map(|limit| limit.saturating_sub(self.draw().halfmove_clock))
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
            .so_far(&self.draw().repetition.plies);
        Some(needed.saturating_sub(so_far))
    }

    /// Takes up the numbering after `seq` where earlier entries are not replayed.
    pub fn skip_to(&mut self, seq: u64) {
        if self.sequence.skip_to(seq) {
            self.numbering.skip_to(seq);
        }
    }

    /// The player having the move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}
