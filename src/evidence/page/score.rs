//! The score of the game in columns, with marks for what matters to the claim.

use maud::{Markup, html};
use serde_json::json;
use shakmaty::Color;

use super::{Sheet, heading};
use crate::evidence::{Happened, RecordedMove};
use remisd_laws::Ply;

/// Columns of moves on a sheet, without and with clock times.
const COLUMNS: usize = 6;
const COLUMNS_WITH_CLOCKS: usize = 4;
/// Maximum number of rows in a block of columns; a page break never splits a block.
const ROWS: usize = 15;
/// Minimum number of rows in a column.
const SHORTEST: usize = 8;

/// A move number with the moves of both players.
struct Row {
    number: Ply,
    white: Option<Ply>,
    black: Option<Ply>,
}

impl Sheet<'_> {
    pub(super) fn score(&self) -> Markup {
        let rows = self.rows();
        let clocks = self.record.moves.iter().any(|made| made.clock_ms.is_some());
        // In a game that fits into one block, columns keep the minimum length.
        let shortest =
            |rows: usize, columns: usize| if rows > columns * ROWS { 1 } else { SHORTEST };
        let columns = if clocks { COLUMNS_WITH_CLOCKS } else { COLUMNS };
        html! {
            section.score {
                (heading(&self.text("evidence-score", &[])))
                @if rows.is_empty() {
                    p { (self.text("evidence-no-moves", &[])) }
                }
                @for block in rows.chunks(columns * ROWS) {
                    div.columns style=(format!("--columns: {columns}")) {
                        @for column in block.chunks(block.len().div_ceil(columns).max(shortest(rows.len(), columns))) {
                            (self.column(column))
                        }
                    }
                }
                (self.legend(clocks))
            }
        }
    }

    /// The moves by number; an announced move comes last, in brackets.
    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let made = Ply::try_from(self.record.moves.len()).unwrap_or(Ply::MAX);
        let announced = self.announced().is_some();
        for ply in 1..=made + Ply::from(announced) {
            let (number, color) = self.number(ply);
            match (color, rows.last_mut()) {
                (Color::Black, Some(row)) => row.black = Some(ply),
                (Color::Black, None) => rows.push(Row {
                    number,
                    white: None,
                    black: Some(ply),
                }),
                (Color::White, _) => rows.push(Row {
                    number,
                    white: Some(ply),
                    black: None,
                }),
            }
        }
        rows
    }

    fn announced(&self) -> Option<&str> {
        let announced = self.record.claim.as_ref()?.announced.as_ref()?;
        Some(announced.text.san())
    }

    fn column(&self, rows: &[Row]) -> Markup {
        html! {
            table {
                thead {
                    tr {
                        th scope="col" { (self.text("evidence-number", &[])) }
                        th scope="col" { (self.words.color_name(Color::White)) }
                        th scope="col" { (self.words.color_name(Color::Black)) }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { (row.number) "." }
                            td { @match row.white { Some(ply) => (self.cell(ply)), None => "…" } }
                            td { @if let Some(ply) = row.black { (self.cell(ply)) } }
                        }
                    }
                }
            }
        }
    }

    fn cell(&self, ply: Ply) -> Markup {
        let at = usize::try_from(ply).unwrap_or(usize::MAX) - 1;
        let Some(made) = self.record.moves.get(at) else {
            let san = self.words.san(self.announced().unwrap_or_default());
            return self.boxed(ply, &html! { "[" (super::shortened(&san)) "]" });
        };
        let san = html! { (self.words.san(&made.text.san)) };
        html! {
            (self.boxed(ply, &san))
            @for mark in self.marks(ply, made) { span.sign { (mark) } }
            @if let Some(ms) = made.clock_ms { small { (self.words.clock_time(ms)) } }
        }
    }

    /// A move; in a box with the occurrence's number if the position occurred after it.
    fn boxed(&self, ply: Ply, san: &Markup) -> Markup {
        let mut occurrences = self.evidence.occurrences.iter();
        let nth = occurrences
            .find(|o| o.place.ply == ply && self.shows_repetition())
            .and_then(|o| self.nth(o));
        html! {
            @match nth {
                Some(n) => mark { (san) sup { (n) } },
                None => span.move { (san) },
            }
        }
    }

    fn shows_repetition(&self) -> bool {
        let claim = self.record.claim.as_ref();
        claim.is_none_or(|claim| claim.kind == remisd_game::Claimed::Threefold)
    }

    fn marks(&self, ply: Ply, made: &RecordedMove) -> Vec<&'static str> {
        let unlike = |ply: Ply| self.evidence.unlike.iter().any(|u| u.place.ply == ply);
        let offered = self.record.offers.iter().any(|(at, _)| *at == ply);
        let claimed = self.record.incidents.iter().any(|incident| {
            incident.ply == ply && matches!(incident.what, Happened::Claimed { .. })
        });
        let now = self.record.claim.is_some() && self.record.moves.len() == ply as usize;
        let marks = [
            (made.after_gap, "?"),
            (self.shows_repetition() && unlike(ply), "≠"),
            (offered, "(=)"),
            (claimed || now, "◆"),
        ];
        marks
            .into_iter()
            .filter_map(|(there, mark)| there.then_some(mark))
            .collect()
    }

    /// The legend for the signs in this score.
    fn legend(&self, clocks: bool) -> Markup {
        let moves = || (1..).zip(&self.record.moves);
        let has = |sign: &str| moves().any(|(ply, made)| self.marks(ply, made).contains(&sign));
        let repeated = self.shows_repetition() && !self.evidence.occurrences.is_empty();
        let signs = [
            (repeated, "evidence-legend-boxed"),
            (has("≠"), "evidence-legend-unlike"),
            (has("(=)"), "evidence-legend-offer"),
            (has("◆"), "evidence-legend-claim"),
            (has("?"), "evidence-legend-gap"),
            (self.announced().is_some(), "evidence-legend-announced"),
            (clocks, "evidence-legend-clock"),
        ];
        let signs: Vec<String> = signs
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, id)| self.text(id, &[("count", json!(1))]))
            .collect();
        html! { @if !signs.is_empty() { p.legend { (signs.join(" · ")) } } }
    }
}
