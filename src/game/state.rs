//! The state of a game, and how inputs change it.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use shakmaty::{Chess, Color, Position as _, uci::UciMove};

use super::{
    Alerts, Answer, ClockState, Command, Fact, GameResult, Input, RefusalCode, ResultReason, Score,
    SeenSquare, SettledBy, Stamped, Verb,
    alert::{AlertCode, Condition},
};
use crate::{
    board::event::Orientation,
    dead::Verdict,
    hand::MismatchReason,
    laws::{self, AutomaticEnd, AutomaticKind, ClaimKind, DrawState, Edition, History, Ply, Rate},
    notation::{MoveText, color, fen},
};

/// Answers that are remembered, so that a command sent twice is done once.
const ANSWERS: usize = 1024;

/// Under which rules the games at a board are played, unless a command says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The edition of the Laws.
    pub edition: &'static Edition,
    /// The rate of play.
    pub rate: Rate,
    /// Who makes an automatic end public.
    pub confirm: Confirm,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            edition: laws::newest(),
            rate: Rate::Standard,
            confirm: Confirm::Arbiter,
        }
    }
}

/// Who makes the end of a game public. In law the game is over either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// The arbiter, by acknowledging the alert.
    Arbiter,
    /// Nobody: it is published at once.
    Automatic,
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

/// The game at one board.
#[derive(Debug, Clone)]
pub struct Game {
    rules: Rules,
    /// The number of the last input.
    seq: u64,
    number: u64,
    edition: &'static Edition,
    rate: Rate,
    headers: BTreeMap<String, String>,
    start: Chess,
    history: History,
    moves: Vec<Played>,
    draw: DrawState,
    /// The first automatic end; kept even if play goes on.
    ended: Option<(Ply, AutomaticEnd)>,
    result: Option<GameResult>,
    dead: Option<Verdict>,
    clock: Option<ClockState>,
    mismatch: Option<(MismatchReason, Vec<SeenSquare>, Ply)>,
    link: Option<Result<(), String>>,
    orientation: Option<Orientation>,
    alerts: Alerts,
    answers: VecDeque<Answer>,
}

impl Game {
    /// A board at which nothing has happened yet: the start array, number 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let start = Chess::default();
        let history = History::new(start.clone());
        let draw = history.draw_state(rules.edition);
        Self {
            rules,
            seq: 0,
            number: 0,
            edition: rules.edition,
            rate: rules.rate,
            headers: BTreeMap::new(),
            start,
            history,
            moves: Vec::new(),
            draw,
            ended: None,
            result: None,
            dead: None,
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

    /// The game's number: the `seq` of the input that began it.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The edition this game is played under.
    #[must_use]
    pub const fn edition(&self) -> &'static Edition {
        self.edition
    }

    /// The rate this game is played at.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
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

    /// Whether the arbiter has closed the game: moves on the board are no longer its.
    /// An automatic end alone does not close it: if it is overlooked, play goes on.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.result.as_ref().is_some_and(|result| {
            result.confirmed
                && (result.reason == ResultReason::Arbiter
                    || self.rules.confirm == Confirm::Arbiter)
        })
    }

    /// The answer that a command with this id has already had.
    #[must_use]
    pub fn answer(&self, id: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.id == id)
    }

    /// Takes in one input and says what follows from it.
    pub fn apply(&mut self, stamped: &Stamped) -> Vec<Fact> {
        let last_seq = std::mem::replace(&mut self.seq, stamped.seq);
        let mut facts = match &stamped.input {
            Input::NewGame {
                start_fen,
                laws,
                rate,
                headers,
                cause,
            } => match self.new_game(start_fen.as_deref(), Some(laws), *rate, headers) {
                Ok(facts) => with_cause(facts, *cause),
                Err(message) => vec![Fact::Refused { reason: message }],
            },
            Input::Move { uci, by, clock } => self.make(uci, Some(*by), *clock),
            Input::Revise { uci, clock } => self.revise(uci, *clock),
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
            Input::Link { up, reason } => self.link_changed(*up, reason.clone()),
            Input::Orientation { orientation } => {
                self.orientation = Some(*orientation);
                let orientation = *orientation;
                vec![Fact::OrientationChanged { orientation }]
            }
            Input::Dead { ply, verdict } => self.dead_verdict(*ply, *verdict),
            Input::Command(command) => self.command(command, last_seq),
        };
        facts.extend(self.reconcile_alerts(stamped.time));
        facts
    }

    fn new_game(
        &mut self,
        start_fen: Option<&str>,
        laws: Option<&str>,
        rate: Rate,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, String> {
        let start = match start_fen {
            Some(text) => laws::parse_position(text).map_err(|error| error.to_string())?,
            None => Chess::default(),
        };
        let edition = match laws {
            Some(id) => laws::find(id).map_err(|error| error.to_string())?,
            None => self.rules.edition,
        };
        let mut facts = Vec::new();
        if self.result.is_none() && self.ply() > 0 {
            facts.push(Fact::GameLeft {
                game: self.number,
                ply: self.ply(),
            });
        }
        self.number = self.seq;
        self.edition = edition;
        self.rate = rate;
        self.headers = headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.begin_at(start);
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

    /// Empties the record: the game begins with `start`.
    fn begin_at(&mut self, start: Chess) {
        self.history = History::new(start.clone());
        self.start = start;
        self.moves.clear();
        self.ended = None;
        self.result = None;
        self.dead = None;
        self.mismatch = None;
        self.draw = self.history.draw_state(self.edition);
    }

    fn make(&mut self, uci: &str, by: Option<SettledBy>, clock: Option<ClockState>) -> Vec<Fact> {
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
        if let Err(error) = self.history.play(m) {
            let reason = format!("{uci} cannot be made here: {error}");
            return vec![Fact::Refused { reason }];
        }
        self.clock = clock.or(self.clock);
        self.dead = None;
        self.draw = self.history.draw_state(self.edition);
        let mut facts = vec![Fact::MoveMade {
            ply: self.ply(),
            uci: text.uci.clone(),
            san: text.san.clone(),
            fen: fen(self.position()),
            by: by.unwrap_or(SettledBy::StoodStill),
            after_end: self.ended.is_some(),
        }];
        self.moves.push(Played { text, by, clock });
        facts.extend(self.end_on_the_board());
        facts
    }

    fn revise(&mut self, uci: &str, clock: Option<ClockState>) -> Vec<Fact> {
        let Some(was) = self.moves.pop() else {
            let reason = "there is no move to revise".to_owned();
            return vec![Fact::Refused { reason }];
        };
        let ply = self.ply();
        let mut facts = vec![Fact::MoveRetracted {
            ply,
            uci: was.text.uci,
        }];
        if self.ended.is_some_and(|(ended_at, _)| ended_at == ply) {
            self.ended = None;
            // What the arbiter has entered is not the board's to take back.
            self.result
                .take_if(|result| result.reason != ResultReason::Arbiter);
            facts.push(Fact::EndRetracted { ply });
        }
        let kept = std::mem::take(&mut self.moves);
        let mut history = History::new(self.start.clone());
        for played in &kept {
            // These moves were legal when they were made from the same start.
            let m = played.text.uci.parse::<UciMove>().ok();
            if let Some(m) = m.and_then(|m| m.to_move(history.position()).ok()) {
                history.play(m).ok();
            }
        }
        self.history = history;
        self.moves = kept;
        // Also for the case that the new move is refused.
        self.dead = None;
        self.draw = self.history.draw_state(self.edition);
        facts.extend(self.make(uci, None, clock));
        facts
    }

    /// The end that the Laws see in the position on the board, if it is the first one.
    fn end_on_the_board(&mut self) -> Vec<Fact> {
        self.draw
            .automatic
            .map_or_else(Vec::new, |end| self.end(end))
    }

    fn end(&mut self, end: AutomaticEnd) -> Vec<Fact> {
        if self.ended.is_some() {
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
            let result = GameResult {
                score,
                reason: end.kind.into(),
                article: Some(end.article.to_owned()),
                ply,
                confirmed: self.rules.confirm == Confirm::Automatic,
            };
            self.result = Some(result.clone());
            facts.push(Fact::ResultSet(result));
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

    fn dead_verdict(&mut self, ply: Ply, verdict: Verdict) -> Vec<Fact> {
        if ply != self.ply() {
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
            facts.extend(self.end(AutomaticKind::DeadPosition.under(self.edition)));
        }
        facts
    }

    fn command(&mut self, command: &Command, last_seq: u64) -> Vec<Fact> {
        let done = if command.if_seq.is_some_and(|seq| seq != last_seq) {
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
        self.answers.push_back(answer.clone());
        facts.push(Fact::Answered(answer));
        facts
    }

    fn answered(&self, command: &Command, refusal: Option<(RefusalCode, String)>) -> Answer {
        let (code, message) = refusal.unzip();
        Answer {
            id: command.id.clone(),
            ok: code.is_none(),
            seq: self.seq,
            code,
            message,
        }
    }

    fn obey(&mut self, command: &Command) -> Result<Vec<Fact>, (RefusalCode, String)> {
        let bad = |message: String| (RefusalCode::BadValue, message);
        match &command.verb {
            Verb::NewGame {
                start_fen,
                laws,
                rate,
                headers,
            } => self
                .new_game(
                    start_fen.as_deref(),
                    laws.as_deref(),
                    rate.unwrap_or(self.rules.rate),
                    headers,
                )
                .map_err(bad),
            Verb::Setup { fen: text } => {
                let start = laws::parse_position(text).map_err(|error| bad(error.to_string()))?;
                self.begin_at(start);
                let mut facts = vec![Fact::PositionSet {
                    fen: fen(&self.start),
                }];
                facts.extend(self.end_on_the_board());
                Ok(facts)
            }
            Verb::Headers { headers } => {
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
            Verb::Result { score } => Ok(self.enter_result(*score)),
            Verb::Ack { alert } => self.acknowledge(alert, command),
        }
    }

    fn enter_result(&mut self, score: Score) -> Vec<Fact> {
        let result = GameResult {
            score,
            reason: ResultReason::Arbiter,
            article: None,
            ply: self.ply(),
            confirmed: true,
        };
        self.result = (score != Score::None).then(|| result.clone());
        self.mismatch = None;
        vec![Fact::ResultSet(result)]
    }

    fn acknowledge(
        &mut self,
        alert: &str,
        command: &Command,
    ) -> Result<Vec<Fact>, (RefusalCode, String)> {
        let by = command
            .by
            .clone()
            .unwrap_or_else(|| command.role.as_str().to_owned());
        let Some(code) = self.alerts.acknowledge(alert, &by) else {
            let message = format!("no alert \"{alert}\" is open");
            return Err((RefusalCode::NotFound, message));
        };
        let mut facts = vec![Fact::AlertAcknowledged {
            id: alert.to_owned(),
            by: by.clone(),
        }];
        let confirms = matches!(
            code,
            AlertCode::Fivefold
                | AlertCode::SeventyFiveMove
                | AlertCode::DeadPosition
                | AlertCode::GameOver
        );
        if confirms
            && let Some(result) = &mut self.result
            && !result.confirmed
        {
            result.confirmed = true;
            facts.push(Fact::ResultConfirmed { by });
        }
        Ok(facts)
    }

    fn reconcile_alerts(&mut self, now: Timestamp) -> Vec<Fact> {
        let conditions = self.conditions();
        self.alerts.reconcile(conditions, self.seq, now)
    }

    /// What is so at the moment and deserves an alert.
    fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let mut add = |code, article: Option<&str>, arguments: serde_json::Value| {
            let serde_json::Value::Object(arguments) = arguments else {
                unreachable!("arguments are written as objects right here");
            };
            let article = article.map(str::to_owned);
            conditions.push(Condition {
                code,
                arguments,
                article,
            });
        };
        if let Some((ply, end)) = self.ended {
            let code = match end.kind {
                AutomaticKind::Fivefold => AlertCode::Fivefold,
                AutomaticKind::SeventyFiveMove => AlertCode::SeventyFiveMove,
                AutomaticKind::DeadPosition => AlertCode::DeadPosition,
                AutomaticKind::Checkmate | AutomaticKind::Stalemate => AlertCode::GameOver,
            };
            let arguments = serde_json::json!({ "ply": ply, "kind": end.kind });
            add(code, Some(end.article), arguments);
        }
        if self.result.is_none() {
            for (code, kind) in [
                (AlertCode::ThreefoldClaimable, ClaimKind::Threefold),
                (AlertCode::FiftyMoveClaimable, ClaimKind::FiftyMove),
            ] {
                if let Some(claim) = self.draw.claims.iter().find(|claim| claim.kind == kind) {
                    let by = color(claim.by);
                    add(
                        code,
                        Some(claim.article),
                        serde_json::json!({ "by": by, "ply": self.ply() }),
                    );
                }
            }
            if let Some((reason, squares, since_ply)) = &self.mismatch {
                let squares: Vec<&str> = squares.iter().map(|s| s.square.as_str()).collect();
                add(
                    AlertCode::BoardMismatch,
                    None,
                    serde_json::json!({
                        "reason": reason, "squares": squares, "since_ply": since_ply,
                    }),
                );
            }
        }
        if let Some(Err(reason)) = &self.link {
            let arguments = serde_json::json!({ "reason": reason });
            add(AlertCode::BoardLost, None, arguments);
        }
        conditions
    }

    /// Plies until 75 moves end the game, if the edition has such a rule.
    #[must_use]
    pub fn plies_to_seventy_five(&self) -> Option<u32> {
        self.edition
            .automatic_halfmoves
            .map(|limit| limit.saturating_sub(self.draw.halfmove_clock))
    }

    /// The player having the move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}

fn with_cause(mut facts: Vec<Fact>, why: super::Cause) -> Vec<Fact> {
    for fact in &mut facts {
        if let Fact::GameStarted { cause, .. } = fact {
            *cause = Some(why);
        }
    }
    facts
}
