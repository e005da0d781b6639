//! How commands are executed and answered.

use jiff::Timestamp;
use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};
use shakmaty::Color;

use super::{
    Adjustment, Answer, Command, Fact, Game, Input, Refusal, RefusalCode, Role, Side, Stamped,
    Verb, alert::AlertCode, claim, refusal::truncated,
};
use remisd_vocabulary::notation::Counters;

/// What would become of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// It would be executed.
    Executed,
    /// It would be refused.
    Refused {
        /// Why.
        code: RefusalCode,
        /// The reason in words.
        message: String,
        /// The game would be what it is now. To repeat an offer is refused, too, but counted.
        changes_nothing: bool,
    },
}

impl Game {
    pub(super) fn command(&mut self, command: &Command, last_seq: EntrySeq) -> Vec<Fact> {
        let done = if self.was_current_at(command, last_seq) {
            let done = self.execute(command);
            if done.is_ok() && self.is_act_after_end(&command.verb) {
                self.ends.note_act();
            }
            done
        } else {
            let current = self.current_for(command.role, last_seq);
            let text = format!("the board is at seq {}", current.end());
            Err(Refusal::new(RefusalCode::Stale, text))
        };
        let (mut facts, refusal) = match done {
            Ok(facts) => (facts, None),
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        facts.push(self.answer_with(command.role, &command.id, refusal));
        facts
    }

    /// Answers a command, and remembers the answer.
    pub(super) fn answer_with(&mut self, role: Role, id: &str, refusal: Option<Refusal>) -> Fact {
        let (code, message) = refusal.map(|r| (r.code, r.message)).unzip();
        let answer = Answer {
            id: id.to_owned(),
            ok: code.is_none(),
            seq: self.seq(),
            code,
            message,
        };
        self.answers.remember(role, answer.clone());
        Fact::Answered(answer)
    }

    /// What would become of a command that came now, as the entry `seq`.
    #[must_use]
    pub fn trial(&self, command: &Command, seq: EntrySeq, time: Timestamp) -> Trial {
        let mut after = self.clone();
        let input = Input::Command(command.clone());
        let facts = after.apply(&Stamped { seq, time, input });
        let answered = facts.into_iter().find_map(|fact| match fact {
            Fact::Answered(answer) => Some(answer),
            _ => None,
        });
        let Some((code, message)) = answered.and_then(|answer| answer.code.zip(answer.message))
        else {
            return Trial::Executed;
        };
        // These change with every input.
        after.answers.clone_from(&self.answers);
        after.numbering.clone_from(&self.numbering);
        after.sequence.rewind(&self.sequence);
        Trial::Refused {
            code,
            message,
            changes_nothing: after == *self,
        }
    }

    /// Whether nothing has changed since the `seq` that a command names, if it comes now.
    #[must_use]
    pub fn is_current(&self, command: &Command) -> bool {
        self.was_current_at(command, self.seq())
    }

    fn was_current_at(&self, command: &Command, last_seq: EntrySeq) -> bool {
        let current = self.current_for(command.role, last_seq);
        command.if_seq.is_none_or(|seq| current.contains(&seq))
    }

    /// Whether a player does something that has no place in a game that is over.
    fn is_act_after_end(&self, verb: &Verb) -> bool {
        let act = matches!(
            verb,
            Verb::Offer { .. }
                | Verb::Accept { .. }
                | Verb::Decline { .. }
                | Verb::Claim { .. }
                | Verb::Resign { .. }
        );
        act && self.is_secretly_over()
    }

    fn execute(&mut self, command: &Command) -> Result<Vec<Fact>, Refusal> {
        let player = |named: &Option<Side>| player(command.role, *named);
        let unsettled = self.unsettled(command);
        let unsettled = unsettled.as_ref();
        match &command.verb {
            // The arbiter may begin another game whatever is open; it stays in view.
            Verb::NewGame { .. }
                if command.role != Role::Arbiter && !self.undecided().is_empty() =>
            {
                Err(arbiter_only())
            }
            Verb::NewGame {
                start_fen,
                laws,
                rate,
                headers,
            } => self
                .new_game(start_fen.as_deref(), laws.as_ref(), *rate, headers)
                .map_err(Refusal::bad_value),
            Verb::Setup { fen: text } => {
                let start = parse_position(text).map_err(Refusal::bad_value)?;
                let settled = !self.status().is_in_progress() || !self.undecided().is_empty();
                if command.role != Role::Arbiter && settled {
                    return Err(arbiter_only());
                }
                let mut facts = Vec::new();
                if self.status().result().is_some() {
                    facts.extend(self.withdraw_result());
                    facts.extend(self.offers_behind_end());
                } else if self.held_resignation().is_some() {
                    facts.extend(self.offers_behind_end());
                }
                facts.extend(self.leave_to_setup());
                facts.extend(self.set_up(start, Counters::given_in(text)));
                facts.extend(self.end_on_the_board());
                Ok(facts)
            }
            Verb::Headers { headers } => self.set_headers(headers).map_err(Refusal::bad_value),
            Verb::Result { score, game } => match game.filter(|game| *game != self.number) {
                Some(earlier) => self.result_of_earlier(earlier, *score, by(command)),
                None => Ok(self.enter_result(*score)),
            },
            Verb::Offer {
                player: named,
                condition,
            } => self.offer(player(named)?, condition.as_deref(), false, unsettled),
            Verb::Accept { player: named } => self.accept(player(named)?),
            Verb::Decline { player: named } => self.decline(player(named)?),
            Verb::Claim {
                player: named,
                kind,
                announced,
                written,
            } => self.claim(&claim::ClaimRequest {
                by: player(named)?,
                kind: *kind,
                announced: announced.as_deref(),
                written: *written,
                unsettled,
            }),
            Verb::Ruling(ruling) => self.rule(ruling, &by(command)),
            Verb::Resign { player: named } => self.resign(player(named)?, unsettled),
            Verb::Correct { to_ply, moves } => self.corrected_by(*to_ply, moves, &by(command)),
            Verb::Choose {
                alert,
                version,
                dropped,
            } => self.choose_version(alert, *version, *dropped, &by(command)),
            Verb::Touch { player, square } => self.touch_seen((*player).into(), square),
            Verb::Adjust { player: named } if command.role == Role::Arbiter => {
                self.void_touches(player(named)?)
            }
            Verb::Adjust { player: named } => self.adjust(player(named)?),
            Verb::Pause {} => self.pause(command.role, unsettled),
            Verb::Resume { running } => self.resume(*running),
            Verb::ClockState {
                clock,
                adjusted: None,
            } => {
                self.clock_read(Some(*clock));
                Ok(Vec::new())
            }
            Verb::ClockState {
                clock,
                adjusted: Some(id),
            } => {
                self.clock.show(Some(*clock), self.now());
                Ok(self.clock.made(id).into_iter().collect())
            }
            Verb::Move { ply, text, clock } => self.enter_move(*ply, text, *clock, &by(command)),
            Verb::Undo { ply } => self.undo_entered(*ply, &by(command)),
            Verb::Ack { alert } => self.acknowledge(alert, command),
        }
    }

    fn acknowledge(&mut self, alert: &str, command: &Command) -> Result<Vec<Fact>, Refusal> {
        self.end_may_be_confirmed(alert)?;
        let by = by(command);
        let Some((code, subject)) = self.alerts.acknowledge(alert, &by, self.now()) else {
            let text = format!("no alert \"{}\" is open", truncated(alert));
            return Err(Refusal::new(RefusalCode::NotFound, text));
        };
        let mut facts = vec![Fact::AlertAcknowledged {
            id: alert.to_owned(),
            by: by.clone(),
        }];
        match code {
            AlertCode::Fivefold
            | AlertCode::SeventyFiveMove
            | AlertCode::DeadPosition
            | AlertCode::GameOver
            | AlertCode::ResultToConfirm
                if self.outcome.confirm() =>
            {
                if self.status().is_closed() {
                    self.stop_comparing();
                }
                facts.push(Fact::ResultConfirmed { by, game: None });
                facts.extend(self.end_offer_with_game());
            }
            AlertCode::ResultUnconfirmed => {
                let game = subject.parse().ok();
                if let Some(game) = game {
                    self.confirm_earlier(game);
                }
                facts.push(Fact::ResultConfirmed { by, game });
            }
            AlertCode::LeftUndecided => self.backlog.acknowledge(&subject),
            AlertCode::ClockAdjustment => {
                let id = format!("{}{subject}", Adjustment::PREFIX);
                facts.extend(self.clock.made(&id));
            }
            AlertCode::AnnouncedMoveNotPlayed => self.announced.acknowledge(),
            AlertCode::ResultProposed => facts.extend(self.decline_proposal(by)),
            // It stays in view, but no longer as an alarm for the same end.
            AlertCode::PlayAfterEnd => self.ends.acknowledge_play(),
            AlertCode::ClaimMade => self.claims.acknowledge_unwritten(),
            AlertCode::ClaimsRepeated => {
                let sides = [Side::White, Side::Black].into_iter();
                for by in sides.filter(|side| side.as_str() == subject) {
                    self.claims.acknowledge_groundless(by);
                }
            }
            AlertCode::PliesReconstructed => self.record.acknowledge_reconstructed(),
            AlertCode::PromotionAssumed => self.record.acknowledge_assumed(),
            AlertCode::SessionTakenOver => self.broker_conflict.taken_over = false,
            AlertCode::EntriesLost => self.journal.acknowledge_loss(&subject),
            AlertCode::OtherRecord => self.journal.acknowledge_other_record(&subject),
            AlertCode::SourceUncertain | AlertCode::SourceRewritten => {
                self.source.acknowledge(&subject);
            }
            AlertCode::CountsRestarted => self.record.acknowledge_restart(),
            _ => {}
        }
        Ok(facts)
    }
}

fn arbiter_only() -> Refusal {
    Refusal::wrong_state("only the arbiter can go on from here")
}

/// Whose command it is: the role's own side, or the one that the clock or the arbiter names.
fn player(role: Role, named: Option<Side>) -> Result<Color, Refusal> {
    let own = match role {
        Role::White => Some(Side::White),
        Role::Black => Some(Side::Black),
        Role::Arbiter | Role::Operator | Role::Clock | Role::Board => None,
    };
    match (own, named) {
        (Some(own), Some(named)) if own != named => Err(Refusal::new(
            RefusalCode::RoleMayNot,
            format!("{} cannot speak for {}", own.as_str(), named.as_str()),
        )),
        (Some(side), _) | (None, Some(side)) => Ok(side.into()),
        (None, None) => Err(Refusal::bad_value(
            "\"player\" must be \"white\" or \"black\"",
        )),
    }
}

fn by(command: &Command) -> String {
    let by = command.by.clone();
    by.unwrap_or_else(|| command.role.as_str().to_owned())
}
