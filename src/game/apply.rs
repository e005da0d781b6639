//! How inputs change a game.

use std::collections::BTreeMap;

use shakmaty::{Chess, Position as _, uci::UciMove};

use super::{
    Answer, Cause, ClockState, Command, Confirm, Fact, Game, GameResult, Input, Played,
    RefusalCode, ResultReason, Score, SettledBy, Stamped, Verb, alert::AlertCode, state::ANSWERS,
};
use crate::{
    dead::Verdict,
    laws::{self, AutomaticEnd, AutomaticKind, History, Ply, Rate},
    notation::{MoveText, fen},
};

impl Game {
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
            Input::Start { version } => {
                self.link = None;
                // The board has not been looked at yet; what differs will be told anew.
                self.mismatch = None;
                let version = version.clone();
                vec![Fact::DaemonStarted { version }]
            }
            Input::Link { up, reason } => self.link_changed(*up, reason.clone()),
            Input::Orientation { orientation } => {
                self.orientation = Some(*orientation);
                let orientation = *orientation;
                vec![Fact::OrientationChanged { orientation }]
            }
            Input::Dead {
                ply,
                position,
                verdict,
            } => self.dead_verdict(*ply, *position, *verdict),
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
        check_headers(headers.iter())?;
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
        self.position_seq = self.seq;
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
        self.position_seq = self.seq;
        self.clock = clock.or(self.clock);
        self.dead = None;
        self.draw = self.history.draw_state(self.edition);
        let mut facts = vec![Fact::MoveMade {
            ply: self.ply(),
            uci: text.uci.clone(),
            san: text.san.clone(),
            fen: fen(self.position()),
            by,
            after_end: self.ended.is_some(),
        }];
        self.moves.push(Played { text, by, clock });
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
        let Some(was) = self.moves.pop() else {
            let reason = "there is no move to take back".to_owned();
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
        let mut history = History::new(self.start.clone());
        for played in &self.moves {
            // These moves were legal when they were made from the same start.
            let m = played.text.uci.parse::<UciMove>().ok();
            if let Some(m) = m.and_then(|m| m.to_move(history.position()).ok()) {
                history.play(m).ok();
            }
        }
        self.history = history;
        self.position_seq = self.seq;
        self.dead = None;
        self.draw = self.history.draw_state(self.edition);
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
                let kept = self
                    .headers
                    .iter()
                    .filter(|(name, _)| !headers.contains_key(*name));
                check_headers(kept.chain(headers)).map_err(bad)?;
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
            Verb::Result { score, game } => {
                if game.is_some_and(|game| game != self.number) {
                    let message = format!("the game on the board is {}", self.number);
                    return Err((RefusalCode::Stale, message));
                }
                Ok(self.enter_result(*score))
            }
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
