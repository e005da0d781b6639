//! How inputs change a game.

use std::collections::BTreeMap;

use shakmaty::{Chess, Color, Position as _, uci::UciMove};

use super::{
    Answer, Carried, Cause, ClockState, Command, Fact, Game, GameResult, Input, LostClaims, Played,
    RefusalCode, ResultReason, Role, Ruling, Side, Stamped, Verb, alert::AlertCode, claim,
    clock::AdjustmentReason, offer::OfferBook, state::ANSWERS,
};
use crate::{
    dead::Verdict,
    hand::SettledBy,
    laws::{self, AutomaticEnd, AutomaticKind, History, LostBy, Ply, Rate, Score},
    notation::{MoveText, fen},
};

/// Why a command was not obeyed.
pub(super) type Refused = (RefusalCode, String);

impl Game {
    /// Takes in one input and says what follows from it.
    pub fn apply(&mut self, stamped: &Stamped) -> Vec<Fact> {
        let last_seq = std::mem::replace(&mut self.seq, stamped.seq);
        self.time = stamped.time;
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
            Input::Move { uci, .. } if self.is_closed() => {
                let reason = format!("{uci}: the game is over");
                vec![Fact::Refused { reason }]
            }
            Input::Move { uci, by, clock } => self.make(uci, Some(*by), *clock),
            Input::Revise { uci, clock } => self.revise(uci, *clock),
            Input::Withdraw => self.retract(),
            Input::Mismatch {
                reason, squares, ..
            } => {
                self.mismatch = Some((*reason, squares.clone(), self.ply()));
                let (reason, squares) = (*reason, squares.clone());
                vec![Fact::TrackingLost { reason, squares }]
            }
            Input::Agreed => {
                self.mismatch = None;
                vec![Fact::TrackingRestored]
            }
            Input::Clock { clock } => {
                self.clock = *clock;
                Vec::new()
            }
            Input::Start { version, rules } => {
                self.link = None;
                // The board has not been looked at yet; what differs will be told anew.
                self.mismatch = None;
                if let Some(rules) = rules {
                    self.rules = (**rules).clone();
                }
                let version = version.clone();
                vec![Fact::DaemonStarted { version }]
            }
            Input::Carried(carried) => self.carry(carried),
            Input::Link { up, reason } => self.link_changed(*up, reason.clone()),
            Input::Orientation { orientation } => {
                self.orientation = Some(*orientation);
                let orientation = *orientation;
                vec![Fact::OrientationChanged { orientation }]
            }
            Input::Touched { by, square } => self.touch((*by).into(), square, false),
            Input::Dead {
                ply,
                position,
                verdict,
            } => self.dead_verdict(*ply, *position, *verdict),
            Input::Winnability {
                ply,
                position,
                can_mate,
            } => self.winnability_known(*ply, *position, *can_mate),
            Input::Overdue => self.alerts.escalate(stamped.time, self.rules.escalate_ms),
            Input::Command(command) => self.command(command, last_seq),
        };
        if changes_the_game(&stamped.input, &facts) {
            self.changed_seq = stamped.seq;
        }
        facts.extend(self.reconcile_alerts(stamped.time));
        facts
    }

    /// Takes up what is remembered of the board beyond one game.
    fn carry(&mut self, carried: &Carried) -> Vec<Fact> {
        self.rules = carried.rules.clone();
        self.regulations = carried.regulations.clone();
        self.unconfirmed.clone_from(&carried.unconfirmed);
        self.clock = carried.clock.or(self.clock);
        self.draw = self.history.draw_state(self.regulations.edition);
        let Some(orientation) = carried.orientation else {
            return Vec::new();
        };
        self.orientation = Some(orientation);
        vec![Fact::OrientationChanged { orientation }]
    }

    fn new_game(
        &mut self,
        start_fen: Option<&str>,
        laws: Option<&str>,
        rate: Option<Rate>,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, String> {
        let start = match start_fen {
            Some(text) => laws::parse_position(text).map_err(|error| error.to_string())?,
            None => Chess::default(),
        };
        let event = &self.rules.regulations;
        let edition = match laws {
            Some(id) => laws::find(id).map_err(|error| error.to_string())?,
            None => event.edition,
        };
        let rate = rate.unwrap_or(event.rate);
        check_headers(headers.iter())?;
        let regulations = event.under(edition, rate);
        let mut facts = Vec::new();
        if self.result.is_none() && self.ply() > 0 {
            facts.push(Fact::GameLeft {
                game: self.number,
                ply: self.ply(),
            });
        }
        self.keep_unconfirmed();
        self.number = self.seq;
        self.regulations = regulations;
        self.headers = headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.offers = OfferBook::default();
        self.claims.clear();
        self.adjustments.clear();
        self.illegal_moves = (0, 0);
        self.begin_at(start);
        self.counts_restarted = false;
        self.earlier_unknown = false;
        if let Some(clock) = &mut self.clock {
            clock.flag = None;
        }
        self.taken_up = false;
        facts.push(Fact::GameStarted {
            game: self.number,
            start_fen: fen(&self.start),
            laws: edition.id.to_owned(),
            rate,
            cause: None,
        });
        facts.extend(self.end_on_the_board());
        Ok(facts)
    }

    /// Empties the record of moves: the game begins, or goes on, with `start`.
    pub(super) fn begin_at(&mut self, start: Chess) {
        self.position_seq = self.seq;
        self.history = History::new(start.clone());
        self.start = start;
        self.moves.clear();
        self.ended = None;
        self.overruled = None;
        self.result = None;
        self.dead = None;
        self.can_mate = None;
        self.pending_loss = None;
        self.mismatch = None;
        self.offers.standing = None;
        self.offers.pending = None;
        self.lost.clear();
        self.must_play = None;
        self.broken_announcement = None;
        self.touched.clear();
        self.adjusting = None;
        self.pause = None;
        self.draw = self.history.draw_state(self.regulations.edition);
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
                let reason = format!("{uci} cannot be made here: {error}");
                return vec![Fact::Refused { reason }];
            }
        };
        let text = MoveText::new(m, position);
        let before = position.clone();
        let mut history = self.history.clone();
        if let Err(error) = history.play(m) {
            let reason = format!("{uci} cannot be made here: {error}");
            return vec![Fact::Refused { reason }];
        }
        let mover = before.turn();
        let announced = self.check_announced(mover, m, &text);
        self.lost = lost_by_move(before, self.ply(), std::mem::take(&mut self.draw.claims));
        self.history = history;
        self.position_seq = self.seq;
        self.clock = clock.or(self.clock);
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
        self.moves.push(Played { text, by, clock });
        facts.extend(announced);
        self.touched.clear();
        self.adjusting = None;
        if self.draw.halfmove_clock == 0 {
            self.overruled
                .take_if(|kind| *kind != AutomaticKind::DeadPosition);
        }
        // A move that only corrects the record has none of the effects of making one.
        if by.is_some() {
            facts.extend(self.offers_after_move(mover));
        }
        if by.is_some() && self.open_claim().is_none() && self.pause.take().is_some() {
            let running = Side::from(self.turn());
            facts.push(Fact::Resumed { running });
        }
        facts.extend(self.end_on_the_board());
        facts
    }

    fn revise(&mut self, uci: &str, clock: Option<ClockState>) -> Vec<Fact> {
        let mut facts = self.retract();
        if matches!(facts.first(), Some(Fact::MoveRetracted { .. })) {
            facts.extend(self.make(uci, None, clock));
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
    fn end_on_the_board(&mut self) -> Vec<Fact> {
        self.draw
            .automatic
            .map_or_else(Vec::new, |end| self.end(end))
    }

    fn end(&mut self, end: AutomaticEnd) -> Vec<Fact> {
        if self.ended.is_some() || self.overruled == Some(end.kind) {
            return Vec::new();
        }
        let ply = self.ply();
        self.ended = Some((ply, end));
        let mut facts = vec![Fact::Ended {
            ply,
            kind: end.kind,
            article: end.article.to_owned(),
        }];
        if self.result.is_none() {
            let score = match end.kind {
                AutomaticKind::Checkmate => Score::won_by(self.position().turn().other()),
                _ => Score::Draw,
            };
            facts.extend(self.conclude(score, end.kind.into(), end.article, false));
        }
        facts
    }

    fn link_changed(&mut self, up: bool, reason: Option<String>) -> Vec<Fact> {
        self.link = Some(if up {
            Ok(())
        } else {
            Err(reason.clone().unwrap_or_default())
        });
        vec![Fact::LinkChanged { up, reason }]
    }

    fn dead_verdict(&mut self, ply: Ply, position: u64, verdict: Verdict) -> Vec<Fact> {
        if (ply, position) != (self.ply(), self.position_seq) {
            return Vec::new();
        }
        self.dead = Some(verdict);
        let mut facts = vec![Fact::DeadVerdict { ply, verdict }];
        let over = self.draw.automatic.map(|end| end.kind);
        let natural = matches!(
            over,
            Some(AutomaticKind::Checkmate | AutomaticKind::Stalemate)
        );
        if verdict == Verdict::Dead && !natural {
            let end = AutomaticKind::DeadPosition.under(self.regulations.edition);
            facts.extend(self.end(end));
        }
        facts
    }

    fn command(&mut self, command: &Command, last_seq: u64) -> Vec<Fact> {
        let current = self.changed_seq..=last_seq;
        let done = if command.if_seq.is_some_and(|seq| !current.contains(&seq)) {
            Err((
                RefusalCode::Stale,
                format!("the board is at seq {last_seq}"),
            ))
        } else {
            self.obey(command)
        };
        let (mut facts, answer) = match done {
            Ok(facts) => (facts, self.answered(command, None)),
            Err(refusal) => (Vec::new(), self.answered(command, Some(refusal))),
        };
        if self.answers.len() == ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back((command.role, answer.clone()));
        facts.push(Fact::Answered(answer));
        facts
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
        match &command.verb {
            Verb::NewGame {
                start_fen,
                laws,
                rate,
                headers,
            } => self
                .new_game(start_fen.as_deref(), laws.as_deref(), *rate, headers)
                .map_err(bad),
            Verb::Setup { fen: text } => {
                let start = laws::parse_position(text).map_err(|error| bad(error.to_string()))?;
                let decided = self.result.is_some() || self.pending_loss.is_some();
                if command.role != Role::Arbiter && (decided || self.open_claim().is_some()) {
                    let text = "only the arbiter can go on from here".to_owned();
                    return Err((RefusalCode::WrongState, text));
                }
                let mut facts = Vec::new();
                if self.result.is_some() {
                    facts.extend(self.enter_result(Score::None));
                }
                facts.extend(self.set_up(start));
                facts.extend(self.end_on_the_board());
                Ok(facts)
            }
            Verb::Headers { headers } => self.set_headers(headers).map_err(bad),
            Verb::Result { score, game } => {
                if game.is_some_and(|game| game != self.number) {
                    let message = format!("the game on the board is {}", self.number);
                    return Err((RefusalCode::Stale, message));
                }
                Ok(self.enter_result(*score))
            }
            Verb::Offer {
                player: named,
                condition,
            } => self.offer(player(named)?, condition.as_deref(), false),
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
            }),
            Verb::Ruling(ruling) => self.rule(ruling, &by(command)),
            Verb::Resign { player: named } => self.resign(player(named)?),
            Verb::Correct { to_ply, moves } => self.correct(*to_ply, moves, &by(command)),
            Verb::Touch { player, square } => self.touch_seen((*player).into(), square),
            Verb::Adjust { player: named } if command.role == Role::Arbiter => {
                self.void_touches(player(named)?)
            }
            Verb::Adjust { player: named } => self.adjust(player(named)?),
            Verb::Pause {} => self.pause(),
            Verb::Resume { running } => self.resume(*running),
            Verb::ClockState { clock, adjusted } => {
                self.clock = Some(*clock);
                let made = adjusted.as_ref().and_then(|id| self.adjustment_made(id));
                Ok(made.into_iter().collect())
            }
            Verb::Ack { alert } => self.acknowledge(alert, command),
        }
    }

    fn rule(&mut self, ruling: &Ruling, by: &str) -> Result<Vec<Fact>, Refused> {
        match ruling {
            Ruling::Claim { correct } => self.rule_on_claim(*correct, Some(by)),
            Ruling::Agreement { consent } => self.rule_on_agreement(*consent),
            Ruling::Quickplay { decision, bonus } => self.rule_on_quickplay(*decision, *bonus, by),
            Ruling::IllegalMove { player } => self.rule_on_illegal_move((*player).into()),
            Ruling::IllegalPosition {} => self.rule_on_illegal_position(),
            Ruling::Flag { player } => self.rule_on_flag((*player).into()),
            Ruling::Clock { white, black } => {
                let ordered = self.order_adjustment(*white, *black, AdjustmentReason::Arbiter);
                if ordered.is_empty() {
                    let text = "neither clock would change".to_owned();
                    return Err((RefusalCode::BadValue, text));
                }
                Ok(ordered)
            }
        }
    }

    fn set_headers(&mut self, headers: &BTreeMap<String, String>) -> Result<Vec<Fact>, String> {
        let kept = self
            .headers
            .iter()
            .filter(|(name, _)| !headers.contains_key(*name));
        check_headers(kept.chain(headers))?;
        for (name, value) in headers {
            if value.is_empty() {
                self.headers.remove(name);
            } else {
                self.headers.insert(name.clone(), value.clone());
            }
        }
        let headers = self.headers.clone();
        Ok(vec![Fact::HeadersSet { headers }])
    }

    fn enter_result(&mut self, score: Score) -> Vec<Fact> {
        if score != Score::None {
            self.pending_loss = None;
            return self.conclude(score, ResultReason::Arbiter, "", true);
        }
        let result = GameResult {
            score,
            reason: ResultReason::Arbiter,
            article: None,
            ply: self.ply(),
            announced: None,
            confirmed: true,
        };
        self.result = None;
        self.pending_loss = None;
        self.mismatch = None;
        let mut facts = vec![Fact::ResultSet(result)];
        if let Some((ply, end)) = self.ended.take() {
            self.overruled = Some(end.kind);
            facts.push(Fact::EndRetracted { ply });
        }
        facts
    }

    fn acknowledge(&mut self, alert: &str, command: &Command) -> Result<Vec<Fact>, Refused> {
        let by = by(command);
        let Some((code, subject)) = self.alerts.acknowledge(alert, &by, self.time) else {
            let message = format!("no alert \"{alert}\" is open");
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
                }
            }
            AlertCode::ResultUnconfirmed => {
                self.unconfirmed
                    .retain(|left| left.game.to_string() != subject);
                let game = subject.parse().ok();
                facts.push(Fact::ResultConfirmed { by, game });
            }
            AlertCode::ClockAdjustment => {
                facts.extend(self.adjustment_made(&format!("adjustment-{subject}")));
            }
            AlertCode::AnnouncedMoveNotPlayed => self.broken_announcement = None,
            AlertCode::CountsRestarted => self.counts_restarted = false,
            _ => {}
        }
        Ok(facts)
    }
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
        | Input::Clock { .. }
        | Input::Link { .. }
        | Input::Orientation { .. }
        | Input::Start { .. }
        | Input::Carried(_)
        | Input::Dead { .. }
        | Input::Winnability { .. }
        | Input::Overdue => true,
        Input::Command(command) => {
            matches!(command.verb, Verb::ClockState { .. } | Verb::Ack { .. })
                || facts
                    .iter()
                    .any(|f| matches!(f, Fact::Answered(answer) if !answer.ok))
        }
        _ => false,
    };
    told || !quiet
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

/// The most PGN tags of a game.
const MAX_HEADERS: usize = 64;
/// The longest name and value of a PGN tag, in bytes; export format allows 255.
const MAX_HEADER: usize = 255;

/// Whether these PGN tags may stand on a retained topic.
fn check_headers<'a>(
    headers: impl Iterator<Item = (&'a String, &'a String)>,
) -> Result<(), String> {
    let mut count = 0;
    for (name, value) in headers.filter(|(_, value)| !value.is_empty()) {
        count += 1;
        if count > MAX_HEADERS {
            return Err(format!("a game has at most {MAX_HEADERS} headers"));
        }
        if name.is_empty() || name.len() > MAX_HEADER || value.len() > MAX_HEADER {
            let name: String = name.chars().take(32).collect();
            return Err(format!(
                "the header \"{name}\": names and values have 1 to {MAX_HEADER} bytes"
            ));
        }
    }
    Ok(())
}

fn with_cause(mut facts: Vec<Fact>, why: Cause) -> Vec<Fact> {
    for fact in &mut facts {
        if let Fact::GameStarted { cause, .. } = fact {
            *cause = Some(why);
        }
    }
    facts
}
