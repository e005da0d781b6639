//! What can be read of a game; [`super::apply`] changes it.

use std::collections::BTreeMap;

use shakmaty::{Chess, Color, Position as _};

use super::{
    Alerts, Answer, BrokerConflict, Carried, CarriedLink, Game, Played, Role, Rules, SilentPhone,
    Tracking,
};
use remisd_laws::{AutomaticKind, DrawState, Edition, Ply, Rate, Regulations};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

impl Game {
    /// The game's number: the `seq` of the input that began it.
    #[must_use]
    pub const fn number(&self) -> EntrySeq {
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
            clock_reversed: self.clock_is_reversed(),
            unconfirmed: self.unconfirmed().to_vec(),
            left_undecided: self.unresolved_matters().to_vec(),
            left_out: self.left_out(),
            earlier: self.earlier_games().to_vec(),
            loss: self.journal.losses().newest().cloned(),
            earlier_losses: self.earlier_losses().to_vec(),
            other_record: self.other_record().to_vec(),
            answers: self.answers.to_carry(),
            alerts: self.alerts.open().to_vec(),
            link: self.link().map(CarriedLink::from),
            source: self.source.carried(),
            faulty: self.faulty_squares().to_vec(),
            journal_down: self.journal_down().cloned(),
            broker_conflict: self.broker_conflict.clone(),
            silent_phones: self.silent_phones.clone(),
            pairing: self.pairing.clone(),
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

    /// Whether moves were made, or may have been: the record begins with a position, or the journal
    /// has lost plies.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.record.has_begun() || self.missing_since().is_some()
    }

    /// What the edition says about the position on the board.
    #[must_use]
    pub const fn draw(&self) -> &DrawState {
        self.record.draw()
    }

    /// The end that is on the board and that the arbiter has overruled: play continues
    /// in spite of it.
    #[must_use]
    pub fn overruled(&self) -> Option<AutomaticKind> {
        let kind = self.draw().automatic?.kind;
        let overruled = self.ends.is_overruled(kind, self.ply(), self.draw());
        overruled.then_some(kind)
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

    /// The first ply that is only assumed, until the arbiter has seen it.
    #[must_use]
    pub fn assumed_since(&self) -> Option<Ply> {
        self.record.assumed().next().map(|(ply, _)| ply)
    }

    /// The first ply that is not certain. The reasons:
    ///
    /// - The board contradicts the game, and perhaps settled plies. Or it did so when the result was
    ///   decided, or before the daemon started again.
    /// - The board was out of sight, and had not agreed with the game when the result was decided.
    /// - A move was perhaps on the board when the game was decided or left.
    /// - A promotion is only assumed.
    /// - The journal has lost plies.
    /// - The program that writes the game leaves plies in doubt.
    #[must_use]
    pub fn uncertain_since(&self) -> Option<Ply> {
        // Plies may have been taken back since.
        let kept = self.outcome.uncertain_since();
        let kept = kept.map(|since| since.min(self.ply() + 1));
        let in_game = |since: &Ply| !self.is_after_end(*since);
        let unsure = [
            self.contradicted_since().filter(in_game),
            kept.filter(in_game),
            self.unsettled_move().map(|_| self.ply() + 1),
            self.source.uncertain_since(),
            self.assumed_since(),
            self.missing_since(),
        ];
        unsure.into_iter().flatten().min()
    }

    /// Whether the board is compared with the game: it is on, or over without an announcement.
    pub(super) fn is_compared(&self) -> bool {
        self.status().is_in_progress() || self.is_secretly_over()
    }

    /// Whether there is a doubt about the moves, or would be if the game were decided, that ends when
    /// the board agrees with the game.
    #[must_use]
    pub fn awaits_agreement(&self) -> bool {
        let doubted = self.outcome.uncertain_since().is_some();
        self.is_compared() && (doubted || self.outcome.unseen_since().is_some())
    }

    /// The first ply that may be wrong or missing. The board was out of sight, or the daemon started
    /// again during a mismatch, and the board has not agreed with the game since.
    #[must_use]
    pub fn not_agreed_since(&self) -> Option<Ply> {
        let (kept, unseen) = (self.outcome.uncertain_since(), self.outcome.unseen_since());
        // Plies may have been taken back since.
        let since = kept.into_iter().chain(unseen).min()?.min(self.ply() + 1);
        (!self.is_after_end(since)).then_some(since)
    }

    /// Whether what is counted since the last pawn move or capture may lack moves, or have wrong ones:
    /// not all were seen, or the board contradicts them.
    pub(super) fn counts_unseen(&self) -> bool {
        let lost = |since: Ply| since.saturating_add(self.draw().halfmove_clock) >= self.ply();
        let doubted =
            || self.outcome.uncertain_since().is_some() || self.missing_since().is_some_and(lost);
        self.record.unseen_in_run()
            || self.sensors.mismatch().is_some()
            || (self.judgement.doubts_the_record() && doubted())
    }

    /// The first ply that the board contradicts now, or may contradict.
    pub(super) fn contradicted_since(&self) -> Option<Ply> {
        // Plies may have been taken back since.
        let next = self.ply() + 1;
        let mismatch = self.sensors.mismatch()?;
        let since = mismatch.doubted_since.unwrap_or(mismatch.since_ply);
        Some(since.min(next))
    }

    /// The same, or the first ply from which a second account of the game differs. For arbiter and
    /// operator alone.
    #[must_use]
    pub fn doubted_since(&self) -> Option<Ply> {
        let differs = self.account_differs_since();
        self.uncertain_since().into_iter().chain(differs).min()
    }

    /// The same for a game that is left now: the first ply that may be missing since the board was out
    /// of sight counts, too.
    #[must_use]
    pub fn doubted_if_left(&self) -> Option<Ply> {
        let doubted = self.doubted_since().into_iter();
        doubted.chain(self.not_agreed_since()).min()
    }

    /// Who interferes with the daemon at the broker, as last reported.
    #[must_use]
    pub const fn broker_conflict(&self) -> &BrokerConflict {
        &self.broker_conflict
    }

    /// The phones that do not take the messages about this board, as last reported.
    #[must_use]
    pub fn silent_phones(&self) -> &[SilentPhone] {
        &self.silent_phones
    }

    /// The answer that a command of this role with this id has already had.
    #[must_use]
    pub fn answer(&self, role: Role, id: &str) -> Option<&Answer> {
        self.answers.find(role, id).map(|known| &known.answer)
    }

    /// The `seq` of that answer, as the role counts.
    #[must_use]
    pub fn answer_seq(&self, role: Role, id: &str) -> Option<AudienceSeq> {
        let known = self.answers.find(role, id)?;
        let entry = AudienceSeq::of_entry(known.answer.seq);
        Some(known.number.unwrap_or(entry))
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
    pub fn skip_to(&mut self, seq: EntrySeq) {
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
