//! How commands are obeyed and answered.

use jiff::Timestamp;
use remisd_vocabulary::notation::parse_position;
use shakmaty::Color;

use super::{
    Answer, Command, Fact, Game, Input, RefusalCode, Role, RoleAnswer, Side, Stamped, Verb,
    alert::AlertCode, claim, state::ANSWERS,
};
use remisd_vocabulary::notation::Counters;

/// The longest text of a sender that is repeated to him or to others, in characters.
const SHOWN: usize = 64;

/// Why a command was not obeyed.
pub(super) type Refused = (RefusalCode, String);

/// What would become of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// It would be obeyed.
    Obeyed,
    /// It would be refused.
    Refused {
        /// Why.
        code: RefusalCode,
        /// The same in words.
        message: String,
        /// The game would be what it is now. To repeat an offer is refused, too, but counted.
        changes_nothing: bool,
    },
}

impl Game {
    pub(super) fn command(&mut self, command: &Command, last_seq: u64) -> Vec<Fact> {
        let done = if self.was_current_at(command, last_seq) {
            let done = self.obey(command);
            self.acted_after_end |= done.is_ok() && self.is_act_after_end(&command.verb);
            done
        } else {
            let current = self.current_for(command.role, last_seq);
            let text = format!("the board is at seq {}", current.end());
            Err((RefusalCode::Stale, text))
        };
        let (mut facts, answer) = match done {
            Ok(facts) => (facts, self.answered(command, None)),
            Err(refusal) => (Vec::new(), self.answered(command, Some(refusal))),
        };
        self.remember(command.role, answer.clone());
        facts.push(Fact::Answered(answer));
        facts
    }

    /// What a refused command leaves, which is its answer alone.
    pub(super) fn command_refused(
        &mut self,
        role: Role,
        id: &str,
        code: RefusalCode,
        message: &str,
    ) -> Vec<Fact> {
        let answer = Answer {
            id: id.to_owned(),
            ok: false,
            seq: self.seq,
            code: Some(code),
            message: Some(message.to_owned()),
        };
        self.remember(role, answer.clone());
        vec![Fact::Answered(answer)]
    }

    /// Remembers an answer. Where there are too many, the oldest goes of the role that has most:
    /// none makes the daemon forget what it has answered to another.
    fn remember(&mut self, role: Role, answer: Answer) {
        if self.answers.len() >= ANSWERS {
            let count = |role| self.answers.iter().filter(|one| one.role == role).count();
            let most = Role::ALL.into_iter().max_by_key(|role| count(*role));
            let oldest = (self.answers.iter()).position(|one| Some(one.role) == most);
            self.answers.remove(oldest.unwrap_or(0));
        }
        self.answers.push_back(RoleAnswer {
            role,
            answer,
            number: None,
        });
    }

    /// What would become of a command that came now, as the entry `seq`.
    #[must_use]
    pub fn trial(&self, command: &Command, seq: u64, time: Timestamp) -> Trial {
        let mut after = self.clone();
        let input = Input::Command(command.clone());
        let facts = after.apply(&Stamped { seq, time, input });
        let answered = facts.into_iter().find_map(|fact| match fact {
            Fact::Answered(answer) => Some(answer),
            _ => None,
        });
        let Some((code, message)) = answered.and_then(|answer| answer.code.zip(answer.message))
        else {
            return Trial::Obeyed;
        };
        // These change with every input.
        after.answers.clone_from(&self.answers);
        after.numbering.clone_from(&self.numbering);
        (after.seq, after.time) = (self.seq, self.time);
        Trial::Refused {
            code,
            message,
            changes_nothing: after == *self,
        }
    }

    /// Whether nothing has changed since the `seq` that a command names, if it comes now.
    #[must_use]
    pub fn is_current(&self, command: &Command) -> bool {
        self.was_current_at(command, self.seq)
    }

    fn was_current_at(&self, command: &Command, last_seq: u64) -> bool {
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

    fn answered(&self, command: &Command, refusal: Option<Refused>) -> Answer {
        let (code, message) = refusal.unzip();
        Answer {
            id: command.id.clone(),
            ok: code.is_none(),
            seq: self.seq,
            code,
            message,
        }
    }

    fn obey(&mut self, command: &Command) -> Result<Vec<Fact>, Refused> {
        let bad = |message: String| (RefusalCode::BadValue, message);
        let player = |named: &Option<Side>| player(command.role, *named);
        let unsettled = self.unsettled(command);
        let unsettled = unsettled.as_ref();
        match &command.verb {
            // The arbiter may begin anew whatever is open; it stays in view.
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
                .new_game(start_fen.as_deref(), laws.as_deref(), *rate, headers)
                .map_err(bad),
            Verb::Setup { fen: text } => {
                let start = parse_position(text).map_err(|error| bad(error.to_string()))?;
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
            Verb::Headers { headers } => self.set_headers(headers).map_err(bad),
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
            } => self.claim(&claim::Asked {
                by: player(named)?,
                kind: *kind,
                announced: announced.as_deref(),
                written: *written,
                unsettled,
            }),
            Verb::Ruling(ruling) => self.rule(ruling, &by(command)),
            Verb::Resign { player: named } => self.resign(player(named)?, unsettled),
            Verb::Correct { to_ply, moves } => self.correct(*to_ply, moves, &by(command)),
            Verb::Touch { player, square } => self.touch_seen((*player).into(), square),
            Verb::Adjust { player: named } if command.role == Role::Arbiter => {
                self.void_touches(player(named)?)
            }
            Verb::Adjust { player: named } => self.adjust(player(named)?),
            Verb::Pause {} => self.pause(command.role, unsettled),
            Verb::Resume { running } => self.resume(*running),
            Verb::ClockState { clock, adjusted } => {
                self.clock_shows(Some(*clock));
                let made = adjusted.as_ref().and_then(|id| self.adjustment_made(id));
                Ok(made.into_iter().collect())
            }
            Verb::Ack { alert } => self.acknowledge(alert, command),
        }
    }

    fn acknowledge(&mut self, alert: &str, command: &Command) -> Result<Vec<Fact>, Refused> {
        self.end_may_be_confirmed(alert)?;
        let by = by(command);
        let Some((code, subject)) = self.alerts.acknowledge(alert, &by, self.time) else {
            let message = format!("no alert \"{}\" is open", shown(alert));
            return Err((RefusalCode::NotFound, message));
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
            | AlertCode::ResultToConfirm => {
                if let Some(result) = &mut self.result
                    && !result.confirmed
                {
                    result.confirmed = true;
                    facts.push(Fact::ResultConfirmed { by, game: None });
                    facts.extend(self.end_offer_with_game());
                }
            }
            AlertCode::ResultUnconfirmed => {
                self.unconfirmed
                    .retain(|left| left.game.to_string() != subject);
                let game = subject.parse().ok();
                facts.push(Fact::ResultConfirmed { by, game });
            }
            AlertCode::LeftUndecided => {
                self.left_undecided.retain(|left| left.subject() != subject);
            }
            AlertCode::ClockAdjustment => {
                facts.extend(self.adjustment_made(&format!("adjustment-{subject}")));
            }
            AlertCode::AnnouncedMoveNotPlayed => {
                self.announcement_seen = self.broken_announcement.take();
            }
            AlertCode::ResultProposed => facts.extend(self.decline_proposal(by)),
            // He knows; it stays in view, and alarms no more for the same end.
            AlertCode::PlayAfterEnd => self.play_after_end_seen = self.ended.map(|(ply, _)| ply),
            AlertCode::ClaimMade => self.unwritten = None,
            AlertCode::ClaimsRepeated => self.groundless_claims_seen(&subject),
            AlertCode::PliesReconstructed => self.reconstructed_seen = self.ply(),
            AlertCode::PromotionAssumed => self.assumed_seen = self.ply(),
            AlertCode::SessionTakenOver => self.intrusion.taken_over = false,
            AlertCode::EntriesLost => self.loss_seen(&subject),
            AlertCode::CountsRestarted => self.counts_restarted = false,
            _ => {}
        }
        Ok(facts)
    }
}

/// The beginning of a text that somebody has sent, as far as an answer repeats it.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn arbiter_only() -> Refused {
    let text = "only the arbiter can go on from here".to_owned();
    (RefusalCode::WrongState, text)
}

/// Whose command it is: the role's own side, or the one that the clock or the arbiter names.
fn player(role: Role, named: Option<Side>) -> Result<Color, Refused> {
    let own = match role {
        Role::White => Some(Side::White),
        Role::Black => Some(Side::Black),
        Role::Arbiter | Role::Operator | Role::Clock => None,
    };
    match (own, named) {
        (Some(own), Some(named)) if own != named => Err((
            RefusalCode::RoleMayNot,
            format!("{} cannot speak for {}", own.as_str(), named.as_str()),
        )),
        (Some(side), _) | (None, Some(side)) => Ok(side.into()),
        (None, None) => Err((
            RefusalCode::BadValue,
            "\"player\" must be \"white\" or \"black\"".to_owned(),
        )),
    }
}

fn by(command: &Command) -> String {
    let by = command.by.clone();
    by.unwrap_or_else(|| command.role.as_str().to_owned())
}
