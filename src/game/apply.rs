//! How inputs change a game.

use shakmaty::{Chess, Position as _, uci::UciMove};

use super::{
    ClockState, Fact, Game, GameResult, Input, Intrusion, LinkDown, LostClaims, Mismatch, Played,
    Rules, SeenSquare, Stamped, Verb, begin::with_cause, obey::shown, proposal::ends_proposal,
    touch::Seen,
};
use remisd_hand::{MismatchReason, SettledBy};
use remisd_laws::{self as laws, AutomaticEnd, AutomaticKind, LostBy, Ply};
use remisd_vocabulary::{
    notation::{MoveText, fen},
    sensor::DownCode,
};

impl Game {
    /// Takes in one input and says what follows from it.
    pub fn apply(&mut self, stamped: &Stamped) -> Vec<Fact> {
        let last_seq = std::mem::replace(&mut self.seq, stamped.seq);
        self.time = stamped.time;
        let before = self.outlook();
        let mut facts = match &stamped.input {
            Input::NewGame {
                start_fen,
                laws,
                rate,
                headers,
                cause,
            } => match self.new_game(start_fen.as_deref(), Some(laws), Some(*rate), headers) {
                Ok(facts) => with_cause(facts, *cause),
                Err(message) => vec![Fact::Refused { reason: message }],
            },
            Input::Move { uci, .. } if self.is_at_rest() => {
                let reason = format!("{}: the game is over", shown(uci));
                vec![Fact::Refused { reason }]
            }
            Input::Move { uci, by, clock } => self.make(uci, Some(*by), *clock),
            Input::Revise { uci, clock } => self.revise(uci, *clock),
            Input::Withdraw => self.withdraw(),
            Input::Mismatch {
                reason,
                squares,
                candidates,
                doubted,
            } => self.tracking_lost(*reason, squares, candidates, *doubted),
            Input::Agreed => {
                self.mismatch = None;
                self.sign_shown = false;
                vec![Fact::TrackingRestored]
            }
            Input::Clock { clock } => {
                self.clock_shows(*clock);
                Vec::new()
            }
            Input::Start { version, rules } => self.daemon_started(version, rules.as_deref()),
            Input::Link { up, code, reason } => self.link_changed(*up, *code, reason.clone()),
            Input::Orientation { orientation } => {
                self.orientation = Some(*orientation);
                let orientation = *orientation;
                vec![Fact::OrientationChanged { orientation }]
            }
            Input::Touched { by, square, sure } => {
                let seen = if *sure { Seen::Lifted } else { Seen::Missing };
                self.touch((*by).into(), square, seen)
            }
            Input::ResultProposed { winner, sign } => self.result_proposed(*winner, *sign),
            Input::Faulty { squares } => self.sensors_faulty(squares),
            Input::Journal { down } => {
                self.journal_down.clone_from(down);
                vec![Fact::JournalChanged { down: down.clone() }]
            }
            Input::Broker { intrusion } => {
                self.intrusion = intrusion.clone();
                Vec::new()
            }
            Input::Reunited { left } => self.reunited(left),
            Input::EntriesLost {
                lost,
                since,
                earlier,
            } => self.entries_lost(lost, *since, *earlier),
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
            } => self.command_refused(*role, id, *code, message),
        };
        if facts.iter().any(ends_proposal) {
            self.proposed = None;
        }
        let has_changed = changes_the_game(&stamped.input, &facts);
        if has_changed {
            self.changed_seq = stamped.seq;
        }
        self.note_wrong_clock(stamped.time);
        facts.extend(self.reconcile_alerts(stamped.time));
        self.count_entry(&stamped.input, &facts, &before, has_changed);
        facts
    }

    /// Takes the last settled ply back.
    fn withdraw(&mut self) -> Vec<Fact> {
        let mut facts = self.retract();
        facts.extend(self.end_that_was_hidden());
        facts.extend(self.offers_after_taking_back());
        facts.extend(self.take_up_decided());
        self.prune_marks();
        facts
    }

    /// Forgets what only the daemon that ran before could know.
    fn daemon_started(&mut self, version: &str, rules: Option<&Rules>) -> Vec<Fact> {
        self.link = None;
        // The board has not been looked at yet; what differs will be reported again.
        self.mismatch = None;
        self.faulty.clear();
        self.journal_down = None;
        self.intrusion = Intrusion::default();
        if let Some(rules) = rules {
            self.rules = rules.clone();
        }
        let version = version.to_owned();
        vec![Fact::DaemonStarted { version }]
    }

    pub(super) fn make(
        &mut self,
        uci: &str,
        by: Option<SettledBy>,
        clock: Option<ClockState>,
    ) -> Vec<Fact> {
        let position = self.history.position();
        let legal = uci
            .parse::<UciMove>()
            .map_err(|error| error.to_string())
            .and_then(|uci| uci.to_move(position).map_err(|error| error.to_string()));
        let m = match legal {
            Ok(m) => m,
            Err(error) => {
                let reason = format!("{} cannot be made here: {error}", shown(uci));
                return vec![Fact::Refused { reason }];
            }
        };
        let text = MoveText::new(m, position);
        let before = position.clone();
        let mut history = self.history.clone();
        if let Err(error) = history.play(m) {
            let reason = format!("{} cannot be made here: {error}", shown(uci));
            return vec![Fact::Refused { reason }];
        }
        let mover = before.turn();
        let announced = self.check_announced(mover, &text);
        self.lost = lost_by_move(before, self.ply(), std::mem::take(&mut self.draw.claims));
        self.history = history;
        self.sign_shown = false;
        self.unwritten = None;
        self.position_seq = self.seq;
        if clock.is_some() {
            self.clock_shows(clock);
        }
        self.dead = None;
        self.can_mate = None;
        self.draw = self.history.draw_state(self.regulations.edition);
        let mut facts = vec![Fact::MoveMade {
            ply: self.ply(),
            uci: text.uci.clone(),
            san: text.san.clone(),
            fen: fen(self.position()),
            by,
            after_end: self.ended.is_some(),
        }];
        let seen =
            by.is_some_and(|by| !matches!(by, SettledBy::Reconstructed | SettledBy::Assumed));
        let touched = self.touched_with(m, mover, seen);
        self.moves.push(Played {
            text,
            by,
            clock,
            touched,
        });
        facts.extend(announced);
        self.adjusting = None;
        // A move that only corrects the record has none of the effects of making one.
        if by.is_some() {
            facts.extend(self.offers_after_move(mover));
            facts.extend(self.go_on_by_move());
        }
        // A resignation waits for the move that stood on the board, not for a corrected one.
        let resigned = self.resigned_before_move(by.is_some());
        self.claim_reached();
        facts.extend(self.end_on_the_board());
        if let Some(held) = resigned {
            facts.extend(self.resigned_after_move(&held));
        }
        facts
    }

    fn revise(&mut self, uci: &str, clock: Option<ClockState>) -> Vec<Fact> {
        let mut facts = self.retract();
        if matches!(facts.first(), Some(Fact::MoveRetracted { .. })) {
            facts.extend(self.make(uci, None, clock));
            facts.extend(self.end_that_was_hidden());
            facts.extend(self.take_up_decided());
            self.prune_marks();
        }
        facts
    }

    /// Takes the last ply back, and with it an end that it made.
    fn retract(&mut self) -> Vec<Fact> {
        let Some(to_ply) = self.ply().checked_sub(1) else {
            let reason = "there is no move to take back".to_owned();
            return vec![Fact::Refused { reason }];
        };
        self.take_back_to(to_ply)
    }

    /// The end that the Laws see in the position on the board, if it is the first one.
    pub(super) fn end_on_the_board(&mut self) -> Vec<Fact> {
        let Some(end) = self.draw.automatic else {
            return Vec::new();
        };
        let facts = self.end(end);
        // Behind a repetition that the arbiter has overruled the 75 moves may be full.
        let limit = self.regulations.edition.automatic_halfmoves;
        let full = limit.is_some_and(|limit| self.draw.halfmove_clock >= limit);
        if facts.is_empty() && end.kind == AutomaticKind::Fivefold && full {
            let end = AutomaticKind::SeventyFiveMove.under(self.regulations.edition);
            return self.end(end);
        }
        facts
    }

    /// The end on the board that another one had hidden, which has fallen.
    pub(super) fn end_that_was_hidden(&mut self) -> Vec<Fact> {
        if self.ended.is_some() {
            return Vec::new();
        }
        let facts = self.end_on_the_board();
        // What they did after the one came after the other, too.
        self.acted_after_end |= self.ended.is_some() && self.decided_after_end.is_some();
        facts
    }

    /// Whether the arbiter has overruled this end: mate and stalemate where they stood, a
    /// repetition in its position, 75 moves for as long as they last, dead for good.
    pub(super) fn is_overruled(&self, kind: AutomaticKind) -> bool {
        let ply = self.ply();
        self.overruled.iter().any(|(at, overruled)| {
            let lasts = match kind {
                AutomaticKind::Checkmate | AutomaticKind::Stalemate => *at == ply,
                AutomaticKind::Fivefold => self.draw.repetition.plies.contains(at),
                AutomaticKind::SeventyFiveMove => {
                    at.saturating_add(self.draw.halfmove_clock) >= ply
                }
                AutomaticKind::DeadPosition => true,
            };
            *overruled == kind && lasts
        })
    }

    fn end(&mut self, end: AutomaticEnd) -> Vec<Fact> {
        self.end_after(self.ply(), end)
    }

    /// The Laws have ended the game after a ply of this record. An end that is found later
    /// takes the place of one that it goes before, unless the arbiter has confirmed that.
    pub(super) fn end_after(&mut self, ply: Ply, end: AutomaticEnd) -> Vec<Fact> {
        let is_first = |(at, other): (Ply, AutomaticEnd)| goes_before((ply, end), (at, other));
        if self.is_overruled(end.kind) || !self.ended.is_none_or(is_first) {
            return Vec::new();
        }
        if self.first_end.is_none_or(is_first) {
            self.first_end = Some((ply, end));
        }
        if self.is_drawn_by_claim_before(ply) {
            self.end_behind_claim.get_or_insert((ply, end));
            return Vec::new();
        }
        let mut facts = Vec::new();
        if let Some((before, _)) = self.ended {
            let by_laws = |result: &GameResult| result.reason.is_automatic();
            if self.status().is_closed() && self.result.as_ref().is_some_and(by_laws) {
                return facts;
            }
            self.result.take_if(|result| by_laws(result));
            facts.push(Fact::EndRetracted { ply: before });
        }
        self.ended = Some((ply, end));
        facts.push(Fact::Ended {
            ply,
            kind: end.kind,
            article: end.article.to_owned(),
        });
        let overtaken = self.overtaken_by(self.score_of_end(end));
        if self.status().result().is_none() || overtaken.is_some() {
            facts.extend(self.conclude_end(end));
        }
        if let Some(decided) = overtaken {
            self.decided_after_end = Some(decided);
            self.acted_after_end = true;
            facts.push(Fact::DecidedAfterEnd(decided));
        }
        facts
    }

    fn tracking_lost(
        &mut self,
        reason: MismatchReason,
        squares: &[SeenSquare],
        candidates: &[Vec<String>],
        doubted: Ply,
    ) -> Vec<Fact> {
        let lines = candidates.iter().map(|line| self.texts(line));
        let next = self.ply() + 1;
        let doubted = doubted.min(self.ply());
        self.mismatch = Some(Mismatch {
            reason,
            squares: squares.to_vec(),
            since_ply: next,
            doubted_since: (doubted > 0).then(|| next - doubted),
            candidates: lines.collect(),
        });
        let squares = squares.to_vec();
        vec![Fact::TrackingLost { reason, squares }]
    }

    /// A line of moves from the position on the board in both notations, as far as it is
    /// legal.
    fn texts(&self, line: &[String]) -> Vec<MoveText> {
        let mut position = self.position().clone();
        let moves = line.iter().map_while(|uci| {
            let m = uci.parse::<UciMove>().ok()?.to_move(&position).ok()?;
            let text = MoveText::new(m, &position);
            position.play_unchecked(m);
            Some(text)
        });
        moves.collect()
    }

    fn link_changed(
        &mut self,
        up: bool,
        code: Option<DownCode>,
        reason: Option<String>,
    ) -> Vec<Fact> {
        self.link = Some(if up {
            Ok(())
        } else {
            let reason = reason.clone().unwrap_or_default();
            Err(LinkDown { code, reason })
        });
        vec![Fact::LinkChanged { up, reason }]
    }
}

/// Whether an end goes before another: the earlier ply, and after the same ply what the
/// position itself says before what was counted (5.1.1, 5.2 before 9.6).
fn goes_before(one: (Ply, AutomaticEnd), other: (Ply, AutomaticEnd)) -> bool {
    let rank = |(ply, end): (Ply, AutomaticEnd)| {
        let is_counted = matches!(
            end.kind,
            AutomaticKind::Fivefold | AutomaticKind::SeventyFiveMove
        );
        (ply, is_counted)
    };
    rank(one) < rank(other)
}

/// Whether somebody who looked at the board before this input should look again.
fn changes_the_game(input: &Input, facts: &[Fact]) -> bool {
    let told = facts.iter().any(|fact| {
        matches!(
            fact,
            Fact::Ended { .. } | Fact::ResultSet(_) | Fact::OfferEnded { .. }
        )
    });
    let quiet = match input {
        Input::Touched { .. }
        | Input::ResultProposed { .. }
        | Input::Faulty { .. }
        | Input::Clock { .. }
        | Input::Link { .. }
        | Input::Orientation { .. }
        | Input::Start { .. }
        | Input::Dead { .. }
        | Input::Winnability { .. }
        | Input::Journal { .. }
        | Input::Broker { .. }
        | Input::Reunited { .. }
        | Input::CommandRefused { .. }
        | Input::EntriesLost { .. }
        | Input::Overdue => true,
        Input::Command(command) => {
            let elsewhere = |fact: &Fact| match fact {
                Fact::Answered(answer) => !answer.ok,
                Fact::ResultRecorded { .. } => true,
                _ => false,
            };
            matches!(command.verb, Verb::ClockState { .. } | Verb::Ack { .. })
                || facts.iter().any(elsewhere)
        }
        _ => false,
    };
    told || !quiet
}

/// The claims that the move just made has lost (9.4).
fn lost_by_move(position: Chess, ply: Ply, claims: Vec<laws::Claim>) -> Vec<LostClaims> {
    if claims.is_empty() {
        return Vec::new();
    }
    vec![LostClaims {
        position,
        ply,
        claims,
        by: LostBy::Move,
        touched: None,
    }]
}
