//! The texts of alerts.

use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::Words;
use remisd_dead::{Ground, Grounds};
use remisd_game::{Alert, AlertCode};

/// Maximum number of lines of moves in a text; the arguments contain all.
const MOST_LINES: usize = 4;

impl Words {
    /// The text of an alert for the arbiter.
    #[must_use]
    pub fn alert(&self, alert: &Alert) -> String {
        self.text(&id(alert.code), &self.of_alert(alert))
    }

    /// The arguments of an alert, plus those that only its text needs.
    pub(super) fn of_alert(&self, alert: &Alert) -> Map<String, Value> {
        let mut arguments = alert.arguments.clone();
        arguments.insert("article".to_owned(), alert.article.clone().into());
        if let Some(Value::Array(lines)) = arguments.get("candidates") {
            let lines = self.lines(lines);
            arguments.insert("candidates".to_owned(), lines.into());
        }
        // Arguments that older journals lack, or that are present only if they apply.
        for name in [
            "after",
            "now_after",
            "doubted_since",
            "doubted_from",
            "legal",
            "more",
            "move",
            "other",
            "record",
            "source",
        ] {
            arguments.entry(name.to_owned()).or_insert(Value::Null);
        }
        for name in ["after", "now_after", "doubted_from"] {
            if let Some(moves) = arguments.get_mut(name) {
                *moves = self.numbered(moves);
            }
        }
        let versions: &[&str] = match alert.code {
            AlertCode::AccountsDiffer | AlertCode::LeftUndecided => &["record", "other"],
            _ => &[],
        };
        for name in ["line", "was", "now"].iter().chain(versions) {
            if let Some(Value::String(line)) = arguments.get_mut(*name) {
                *line = self.numbered_line(line);
            }
        }
        if alert.code == AlertCode::DeadPosition {
            let side = |name: &str| Ground::deserialize(alert.arguments.get(name)?).ok();
            let grounds = side("white").zip(side("black"));
            let why =
                grounds.map(|(white, black)| self.grounds_in_short(&Grounds { white, black }));
            arguments.insert("why".to_owned(), why.into());
        }
        let changes = self.clock_changes(&alert.arguments);
        let changes = match alert.code {
            AlertCode::ClockAdjustment => changes,
            AlertCode::ClaimMade | AlertCode::ClaimReconsidered => changes.or(Some(String::new())),
            _ => None,
        };
        if let Some(changes) = changes {
            arguments.insert("changes".to_owned(), changes.into());
        }
        arguments
    }

    /// Localises a numbered move: `25…Ra8`.
    fn numbered_move(&self, text: &str) -> String {
        let at = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '…'));
        let (number, san) = text.split_at(at.unwrap_or(0));
        format!("{number}{}", self.san(san))
    }

    /// Localises a line as on a scoresheet: `25…Ra8 26.Nb5 Qd7`.
    pub(crate) fn numbered_line(&self, line: &str) -> String {
        let moves: Vec<String> = line
            .split(' ')
            .map(|text| self.numbered_move(text))
            .collect();
        moves.join(" ")
    }

    /// Localises numbered moves. A single `start` stays as it is, for a selector.
    fn numbered(&self, moves: &Value) -> Value {
        let one = |text: &str| self.numbered_move(text);
        match moves {
            Value::String(text) => one(text).into(),
            Value::Array(all) => {
                let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
                if let [text] = texts[..] {
                    return one(text).into();
                }
                let start =
                    |text: &str| (text == "start").then(|| self.text("after-start", &Map::new()));
                let texts = texts
                    .into_iter()
                    .map(|text| start(text).unwrap_or_else(|| one(text)));
                texts.collect::<Vec<_>>().join(", ").into()
            }
            _ => Value::Null,
        }
    }

    /// Localises lines of moves, only as many as a tired arbiter will read.
    fn lines(&self, lines: &[Value]) -> String {
        let shown = lines.iter().take(MOST_LINES).filter_map(Value::as_str);
        let mut shown: Vec<String> = shown
            .map(|line| {
                if line.is_empty() {
                    return self.text("mismatch-no-move", &Map::new());
                }
                let moves: Vec<String> = line.split(' ').map(|m| self.san(m)).collect();
                moves.join(" ")
            })
            .collect();
        if lines.len() > MOST_LINES {
            shown.push("…".to_owned());
        }
        shown.join("; ")
    }

    /// The settings of both clocks: `White +2:00, Black to 0:01:00`; `None` if neither is given.
    fn clock_changes(&self, arguments: &Map<String, Value>) -> Option<String> {
        let clock = |player: &str| {
            let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
            // If both are given, the time to be shown takes precedence over the difference.
            let (id, time) = match number(&format!("{player}_set_ms")) {
                Some(shown) => ("clock-to", self.clock_time(shown.unsigned_abs())),
                None => match number(&format!("{player}_ms"))? {
                    0 => return Some(None),
                    added => {
                        let sign = if added < 0 { '−' } else { '+' };
                        let time = self.added_time(added.unsigned_abs());
                        ("clock-by", format!("{sign}{time}"))
                    }
                },
            };
            let arguments = [("player", player.to_owned()), ("time", time)];
            let arguments = arguments.map(|(name, value)| (name.to_owned(), value.into()));
            Some(Some(self.text(id, &arguments.into_iter().collect())))
        };
        let (white, black) = (clock("white"), clock("black"));
        if white.is_none() && black.is_none() {
            return None;
        }
        let changes: Vec<String> = [white, black].into_iter().flatten().flatten().collect();
        Some(match changes.as_slice() {
            [] => self.text("clock-as-it-is", &Map::new()),
            changes => changes.join(", "),
        })
    }
}

/// The id of an alert's message.
pub(super) fn id(code: AlertCode) -> String {
    format!("alert-{}", code.as_str())
}
