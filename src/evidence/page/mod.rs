//! The sheet: one self-contained HTML file, to be printed on A4.
//!
//! It has no scripts, no external resources and no fonts but the reader's own. Every text in a
//! record (names, an announced move, the arbiter's name) is escaped by the template. The same
//! record always makes the same sheet.

mod diagrams;
mod foot;
mod head;
mod score;

use jiff::{Timestamp, tz::TimeZone};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Map, Value};
use shakmaty::{Color, Position as _};

use super::{Evidence, PositionAtPly, Record, Verdict, pieces};
use crate::words::{Language, Words};
use remisd_laws::{Ply, TimeChange};

const STYLE: &str = include_str!("style.css");

/// The content policy: nothing but the file itself is loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Maximum length of a text from outside, in characters.
const LONGEST: usize = 120;

/// The style of a sheet.
#[derive(Debug, Clone)]
pub struct Style {
    /// The language.
    pub language: Language,
    /// The time zone of the venue.
    pub zone: TimeZone,
}

/// Makes the sheet for a record.
#[must_use]
pub fn page(record: &Record, evidence: &Evidence, style: &Style) -> String {
    let sheet = Sheet {
        record,
        evidence,
        words: Words::of(style.language),
        zone: &style.zone,
    };
    sheet.document().into_string()
}

struct Sheet<'a> {
    record: &'a Record,
    evidence: &'a Evidence,
    words: &'static Words,
    zone: &'a TimeZone,
}

impl Sheet<'_> {
    fn document(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(self.words.language().tag()) {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width";
                    title { (self.window_title()) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (pieces::definitions())
                    main {
                        (self.head())
                        (self.claim())
                        (self.doubts())
                        (self.dead())
                        (self.repetition())
                        (self.fifty())
                        (self.score())
                        (self.incidents())
                    }
                    footer { (self.foot()) }
                }
            }
        }
    }

    fn window_title(&self) -> String {
        let title = self.text(self.title(), &[]);
        match self.board() {
            Some(board) => {
                let board = self.text("evidence-board", &[("board", board.into())]);
                format!("{title} · {board}")
            }
            None => title,
        }
    }

    const fn title(&self) -> &'static str {
        match self.evidence.verdict {
            Verdict::NoClaim(_) => "evidence-title-position",
            _ => "evidence-title",
        }
    }

    fn board(&self) -> Option<String> {
        let board = self.record.board.as_deref();
        board.or_else(|| self.record.tag("Board")).map(shortened)
    }

    /// A message with its arguments.
    fn text(&self, id: &str, arguments: &[(&str, Value)]) -> String {
        let arguments: Map<String, Value> = arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        self.words.text(id, &arguments)
    }

    /// A move with its number: `26.Nb5`, `25…Ra8`.
    fn numbered(&self, ply: Ply, san: &str) -> String {
        let (number, color) = self.number(ply);
        let dots = color.fold_wb(".", "…");
        format!("{number}{dots}{}", self.words.san(san))
    }

    /// The move number of a ply and who makes it.
    fn number(&self, ply: Ply) -> (Ply, Color) {
        let start = &self.record.start;
        let before = start.turn().fold_wb(0, 1) + ply.saturating_sub(1);
        let number = start.fullmoves().get().saturating_add(before / 2);
        let color = if before.is_multiple_of(2) {
            Color::White
        } else {
            Color::Black
        };
        (number, color)
    }

    /// The name of a position: the move that led to it.
    fn place(&self, place: &PositionAtPly) -> String {
        match &place.made {
            Some(made) => self.numbered(place.ply, &made.text.san),
            None => self.text("evidence-start-position", &[]),
        }
    }

    /// The name of a ply: its move.
    fn ply(&self, ply: Ply) -> String {
        let at = usize::try_from(ply).unwrap_or(usize::MAX).checked_sub(1);
        match at.and_then(|at| self.record.moves.get(at)) {
            Some(made) => self.numbered(ply, &made.text.san),
            None => self.text("evidence-start-position", &[]),
        }
    }

    fn time(&self, time: Timestamp) -> String {
        let zoned = time.to_zoned(self.zone.clone());
        zoned.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
    }

    /// A remaining time, or a dash if it is unknown.
    fn clock(&self, ms: Option<u64>) -> String {
        ms.map_or_else(|| "–".to_owned(), |ms| self.words.clock_time(ms))
    }

    /// The changes of both clocks; `None` if there are none.
    fn changes(&self, white: TimeChange, black: TimeChange) -> Option<String> {
        let both = [("white", white), ("black", black)];
        let changes: Vec<String> = both
            .into_iter()
            .filter_map(|(player, change)| {
                let player = ("player", Value::from(player));
                let (id, time) = match change {
                    TimeChange::None => return None,
                    TimeChange::Unknown => {
                        return Some(self.text("evidence-clock-unknown", &[player]));
                    }
                    TimeChange::SetMs(ms) => ("clock-to", self.words.clock_time(ms)),
                    TimeChange::AddMs(ms) => {
                        let sign = if ms < 0 { '−' } else { '+' };
                        let time = self.words.added_time(ms.unsigned_abs());
                        ("clock-by", format!("{sign}{time}"))
                    }
                };
                Some(self.text(id, &[player, ("time", time.into())]))
            })
            .collect();
        (!changes.is_empty()).then(|| changes.join(", "))
    }
}

/// A text from outside, cut to a line or two.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// A heading with the given text.
fn heading(text: &str) -> Markup {
    html! { h2 { (text) } }
}
