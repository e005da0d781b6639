//! How inputs change a game.

use std::{collections::BTreeMap, fmt::Display};

use shakmaty::{Move, Position as _, uci::UciMove};

use super::{
    BrokerConflict, Cause, ClockState, Fact, Game, Input, LostClaims, Mismatch, Played, Refusal,
    Rules, SeenSquare, Side, Stamped,
    begin::{NewGameError, with_cause},
    changes::changes_the_game,
    numbers::Outlook,
    proposal::ends_proposal,
    refusal::truncated,
    touch::TouchSource,
};
use remisd_laws::{AutomaticEnd, AutomaticKind, Edition, LostBy, Ply, Rate};
use remisd_vocabulary::{
    notation::{MoveText, fen},
    reading::{MismatchReason, SettledBy},
    written::Written,
};

/// Why an input changes nothing.
#[derive(Debug, thiserror::Error)]
enum InputError {
    #[error("{}: the game is over", truncated(&.uci.to_string()))]
    GameOver { uci: Written<UciMove> },
    #[error("{} cannot be made here: {reason}", truncated(&.uci.to_string()))]
    Illegal {
        uci: Written<UciMove>,
        reason: String,
    },
    #[error("there is no move to take back")]
    NothingToTakeBack,
    #[error(transparent)]
    NewGame(#[from] NewGameError),
}

impl From<InputError> for Fact {
    fn from(error: InputError) -> Self {
        Self::Refused {
            reason: error.to_string(),
        }
    }
}

impl Game {
    /// Takes in one input; returns what follows from it.
    pub fn apply(&mut self, stamped: &Stamped) -> Vec<Fact> {
        let last_seq = self.sequence.enter(stamped.seq, stamped.time);
        let before = self.outlook();
        let mut facts = match &stamped.input {
            Input::NewGame {
                start_fen,
                laws,
                rate,
                headers,
                cause,
            } => self.game_begins(start_fen.as_deref(), (laws, *rate), headers, *cause),
            Input::Move { uci, .. } if self.is_at_rest() => {
                vec![InputError::GameOver { uci: uci.clone() }.into()]
            }
            Input::Move { uci, by, clock } => self.play(uci, Some(*by), *clock),
            Input::Revise { uci, clock } => self.revise(uci, *clock),
            Input::Withdraw => self.withdraw(),
            Input::Rewrite { to_ply, plies } => self.rewrite(*to_ply, plies),
            Input::Source { report, new_tags } => self.source_reported(report, new_tags),
            Input::Account { report } => self.accounts.reported(report),
            Input::Mismatch {
                reason,
                squares,
                candidates,
                doubted,
            } => self.tracking_lost(*reason, squares, candidates, *doubted),
            Input::Unsettled { uci } => self.leave_unsettled(uci).into_iter().collect(),
            Input::Agreed => self.tracking_restored(),
            Input::Clock { clock } => {
                self.clock_read(*clock);
                Vec::new()
            }
            Input::Start { version, rules } => self.daemon_started(version, rules.as_deref()),
            Input::Link { up, code, reason } => {
                vec![self.line_changed(*up, *code, reason.clone())]
            }
            Input::Orientation {
                orientation,
                clock_reversed,
            } => self.turned(*orientation, *clock_reversed),
            Input::Touched { by, square, sure } => {
                self.touch((*by).into(), *square, TouchSource::of_sensors(*sure))
            }
            Input::ResultProposed { winner, sign } => self.result_proposed(*winner, *sign),
            Input::Faulty { squares } => self.sensors.ignore(squares).into_iter().collect(),
            Input::Journal { down } => {
                self.journal.set_down(down.as_ref());
                vec![Fact::JournalChanged { down: down.clone() }]
            }
            Input::Broker { conflict } => {
                self.broker_conflict = conflict.clone();
                Vec::new()
            }
            Input::Pairing { id, headers, set } => self.take_pairing(id, headers, set),
            Input::Phones { silent } => {
                self.silent_phones.clone_from(silent);
                Vec::new()
            }
            Input::MergedWithDisk { left } => self.merged_with_disk(left),
            Input::EntriesLost {
                lost,
                since,
                earlier,
            } => self.entries_lost(lost, *since, *earlier),
            Input::OtherRecord { files } => self.journal.find_other_record(files),
            Input::Dead {
                ply,
                position,
                verdict,
                since,
                proofs,
            } => {
                let since = since.unwrap_or(*ply);
                self.dead_verdict((*ply, *position), *verdict, since, proofs.as_deref())
            }
            Input::Winnability {
                ply,
                position,
                can_mate,
            } => self.winnability_known(*ply, *position, *can_mate),
            Input::Overdue => self.alerts.escalate(stamped.time, self.rules.escalate_ms),
            Input::Command(command) => self.command(command, last_seq),
            Input::CommandRefused {
                role,
                id,
                code,
                message,
                ..
            } => {
                let refusal = Refusal::new(*code, message);
                vec![self.answer_with(*role, id, Some(refusal))]
            }
        };
        self.follow_up(&stamped.input, &mut facts, &before);
        facts
    }

    /// Takes the consequences of an input that is applied: alerts, and the numbers of the entry.
    fn follow_up(&mut self, input: &Input, facts: &mut Vec<Fact>, before: &Outlook) {
        if facts.iter().any(ends_proposal) {
            self.shown.settle();
            // The game goes on, perhaps out of sight. A new one has not been out of sight yet.
            if self.ply() > 0 {
                self.note_outage();
            }
        }
        let has_changed = changes_the_game(input, facts);
        if has_changed {
            self.sequence.game_changed();
        }
        self.note_wrong_clock();
        facts.extend(self.reconcile_alerts());
        self.count_entry(input, facts, before, has_changed);
    }

    /// Begins a game that no command asked for.
    fn game_begins(
        &mut self,
        start_fen: Option<&str>,
        (laws, rate): (&Written<&'static Edition>, Rate),
        headers: &BTreeMap<String, String>,
        cause: Cause,
    ) -> Vec<Fact> {
        match self.new_game(start_fen, Some(laws), Some(rate), headers) {
            Ok(facts) => {
                if cause == Cause::Source {
                    self.source.begins();
                }
                with_cause(facts, cause)
            }
            Err(error) => vec![InputError::from(error).into()],
        }
    }

    /// The board agrees with the game again. After the end it may have been set up anew.
    fn tracking_restored(&mut self) -> Vec<Fact> {
        if self.sensors.forget_wrong_start() {
            // It said nothing of this game.
            return Vec::new();
        }
        self.sensors.forget_mismatch();
        self.shown.forget_known();
        if self.is_compared() {
            self.outcome.board_agrees();
        }
        vec![Fact::TrackingRestored]
    }

    /// Takes the last settled ply back.
    fn withdraw(&mut self) -> Vec<Fact> {
        let announced = self.announced_before();
        let mut facts = self.retract();
        if self.judgement.doubts_the_record() {
            self.announced.wait_for_position(announced);
        }
        facts.extend(self.end_that_was_hidden());
        facts.extend(self.offers_after_taking_back());
        facts.extend(self.take_up_decided());
        self.prune_marks();
        facts
    }

    /// Forgets what only the previous run of the daemon could know.
    fn daemon_started(&mut self, version: &str, rules: Option<&Rules>) -> Vec<Fact> {
        self.keep_doubt();
        self.lose_sight();
        self.sensors.restart();
        self.journal.set_down(None);
        self.broker_conflict = BrokerConflict::default();
        self.silent_phones.clear();
        if let Some(rules) = rules {
            self.rules = rules.clone();
        }
        let version = version.to_owned();
        vec![Fact::DaemonStarted { version }]
    }

    /// Makes a move if it is legal.
    fn play(
        &mut self,
        uci: &Written<UciMove>,
        by: Option<SettledBy>,
        clock: Option<ClockState>,
    ) -> Vec<Fact> {
        let refused = |reason: &dyn Display| InputError::Illegal {
            uci: uci.clone(),
            reason: reason.to_string(),
        };
        let read = uci.read().map_err(|error| refused(&error));
        let legal = read.and_then(|uci| {
            let legal = uci.to_move(self.position());
            legal.map_err(|error| refused(&error))
        });
        match legal {
            Ok(m) => self.make(m, by, clock),
            Err(error) => vec![error.into()],
        }
    }

    /// Makes a legal move. Without `by` it only corrects the record, and has none of the other
    /// effects of a move.
    pub(super) fn make(
        &mut self,
        m: Move,
        by: Option<SettledBy>,
        clock: Option<ClockState>,
    ) -> Vec<Fact> {
        let before = self.position().clone();
        let text = MoveText::new(m, &before);
        let history = match self.record.after(m) {
            Ok(history) => history,
            Err(error) => {
                let uci = Written::new(self.record.uci(m));
                let reason = error.to_string();
                return vec![InputError::Illegal { uci, reason }.into()];
            }
        };
        let (mover, ply) = (before.turn(), self.ply());
        if clock.is_some() {
            // It may show the press of the ply before.
            self.clock_read(clock);
        }
        let announced = self.check_announced(m, &text);
        let seen = by.is_some_and(SettledBy::is_seen);
        let from = m.from().filter(|_| seen);
        let lifted = from.map(|from| self.touched_now(mover.into(), from));
        let made = Fact::MoveMade {
            ply: history.ply(),
            uci: self.record.uci(m),
            san: text.san.clone(),
            fen: fen(history.position()),
            by,
            after_end: self.ended().is_some(),
        };
        let played = Played {
            text,
            by,
            clock,
            m,
            touched: self.touches.end_with_move(lifted),
        };
        let claims = self
            .record
            .advance(played, history, self.regulations.edition);
        let lost = (!claims.is_empty()).then_some(LostClaims {
            position: before,
            ply,
            claims,
            by: LostBy::Move,
            touched: None,
        });
        self.claims.lose(lost.into_iter().collect());
        self.shown.forget_known();
        self.sequence.position_changed();
        self.solved.position_changed();
        self.outcome.forget_unsettled();
        let is_from_source = by == Some(SettledBy::Source) && self.judgement.doubts_the_record();
        if seen || is_from_source {
            self.outcome.board_agrees();
        }
        let mut facts = vec![made];
        facts.extend(announced);
        if by.is_some() {
            facts.extend(self.offers_after_move(mover));
            facts.extend(self.go_on_by_move());
        }
        // A resignation waits for the move that was on the board, not for a corrected one.
        let resigned = by.and_then(|_| self.outcome.release_for_move());
        self.claim_reached();
        if by.is_some() && self.judgement.doubts_the_record() {
            self.duty_reached();
            facts.extend(self.ruling_reached());
        }
        facts.extend(self.end_on_the_board());
        if let Some(held) = resigned {
            facts.extend(self.resigned_after_move(&held));
        }
        facts
    }

    fn revise(&mut self, uci: &Written<UciMove>, clock: Option<ClockState>) -> Vec<Fact> {
        let announced = self.announced_before();
        let mut facts = self.retract();
        if matches!(facts.first(), Some(Fact::MoveRetracted { .. })) {
            facts.extend(self.play(uci, None, clock));
            facts.extend(self.end_that_was_hidden());
            if self.judgement.doubts_the_record() {
                let released = announced.filter(|_| self.announced.must_play().is_none());
                facts.extend(self.keep_announced(released));
                self.duty_reached();
                facts.extend(self.reconsider_ruling());
                self.reconsider_draw();
            }
            facts.extend(self.take_up_decided());
            self.prune_marks();
        }
        facts
    }

    /// Takes the last ply back, and with it an end that it made.
    fn retract(&mut self) -> Vec<Fact> {
        let Some(to_ply) = self.ply().checked_sub(1) else {
            return vec![InputError::NothingToTakeBack.into()];
        };
        self.take_back_to(to_ply)
    }

    /// The end that the Laws see in the position on the board, if it is the first one.
    pub(super) fn end_on_the_board(&mut self) -> Vec<Fact> {
        let Some(end) = self.draw().automatic else {
            return Vec::new();
        };
        let facts = self.end_after(self.ply(), end);
        // After a repetition that the arbiter has overruled the 75 moves may be full.
        if facts.is_empty() && end.kind == AutomaticKind::Fivefold && self.has_full_75_moves() {
            let end = AutomaticKind::SeventyFiveMove.under(self.regulations.edition);
            return self.end_after(self.ply(), end);
        }
        facts
    }

    /// Whether 75 moves by each player without pawn move and capture are on the board.
    pub(super) fn has_full_75_moves(&self) -> bool {
        let limit = self.regulations.edition.automatic_halfmoves;
        limit.is_some_and(|limit| self.draw().halfmove_clock >= limit)
    }

    /// The end on the board that another one had hidden, which has fallen.
    pub(super) fn end_that_was_hidden(&mut self) -> Vec<Fact> {
        if self.ended().is_some() {
            return Vec::new();
        }
        let facts = self.end_on_the_board();
        // What the players did after the one end came after the other, too.
        if self.ended().is_some() && self.decided_after_end().is_some() {
            self.ends.note_act();
        }
        facts
    }

    /// The Laws have ended the game after a ply of this record. An end that is found later
    /// takes the place of one that it goes before, unless the arbiter has confirmed that.
    pub(super) fn end_after(&mut self, ply: Ply, end: AutomaticEnd) -> Vec<Fact> {
        let overruled = self.ends.is_overruled(end.kind, self.ply(), self.draw());
        if overruled || !self.ends.precedes_standing((ply, end)) {
            return Vec::new();
        }
        self.ends.note((ply, end));
        let drawn = self.outcome.drawn_by_claim();
        if drawn.is_some_and(|result| result.ply < ply) {
            self.ends.note_behind_claim((ply, end));
            return Vec::new();
        }
        let mut facts = Vec::new();
        if let Some((before, _)) = self.ended() {
            let status = self.status();
            let result = status.result().filter(|_| status.is_closed());
            if result.is_some_and(|result| result.reason.is_automatic()) {
                return facts;
            }
            self.outcome.drop_automatic();
            facts.push(Fact::EndRetracted { ply: before });
        }
        self.ends.stand((ply, end));
        facts.push(Fact::ended(ply, end));
        let score = self.score_of_end(end);
        let overtaken = (self.outcome).overtaken_by(score, self.ply(), self.rules.confirm);
        if self.status().result().is_none() || overtaken.is_some() {
            facts.extend(self.conclude_end(end));
        }
        if let Some(decided) = overtaken {
            self.outcome.decide_late(decided);
            self.ends.note_act();
            if self.is_at_rest() {
                self.stop_comparing();
            }
            facts.push(Fact::DecidedAfterEnd(decided));
        }
        facts
    }

    fn tracking_lost(
        &mut self,
        reason: MismatchReason,
        squares: &[SeenSquare],
        candidates: &[Vec<Written<UciMove>>],
        doubted: Ply,
    ) -> Vec<Fact> {
        let lines = candidates.iter().map(|line| self.texts(line));
        let next = self.ply() + 1;
        let is_of_game = reason != MismatchReason::StartArray;
        let doubted = doubted.min(if is_of_game { self.ply() } else { 0 });
        let mismatch = Mismatch {
            reason,
            squares: squares.to_vec(),
            since_ply: next,
            doubted_since: (doubted > 0).then(|| next - doubted),
            candidates: lines.collect(),
        };
        if !is_of_game {
            self.sensors.note_wrong_start(mismatch);
            return Vec::new();
        }
        vec![self.sensors.differ(mismatch)]
    }

    /// A line of moves from the position on the board in both notations, as far as it is
    /// legal.
    fn texts(&self, line: &[Written<UciMove>]) -> Vec<MoveText> {
        let mut position = self.position().clone();
        let moves = line.iter().map_while(|uci| {
            let m = uci.read().ok()?.to_move(&position).ok()?;
            let text = MoveText::new(m, &position);
            position.play_unchecked(m);
            Some(text)
        });
        moves.collect()
    }

    /// Notes whether the clock runs for the player who does not have the move.
    pub(super) fn note_wrong_clock(&mut self) {
        let wrong = self.wrongly_running().is_some();
        self.clock.note_wrong(wrong, self.now());
    }

    /// Whose clock runs although the other player has the move; `None` if the game is not on.
    pub(super) fn wrongly_running(&self) -> Option<Side> {
        let turn = Side::from(self.turn());
        let running = self.clock.wrongly_running(turn);
        running.filter(|_| self.status().is_in_progress())
    }
}
