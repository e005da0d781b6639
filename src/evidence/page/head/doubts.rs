//! The doubts about the record, in words.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::evidence::{
    Doubt,
    page::{Sheet, heading, shortened},
};
use remisd_game::SeenSquare;
use remisd_laws::Ply;
use remisd_vocabulary::{reading::MismatchReason, seq::EntrySeq};

impl Sheet<'_> {
    /// The doubts, and the notes that are not doubts.
    pub(in crate::evidence::page) fn doubts(&self) -> Markup {
        let (serious, notes): (Vec<&Doubt>, Vec<&Doubt>) = self
            .record
            .doubts
            .iter()
            .partition(|doubt| doubt.is_serious());
        let list = |class: &str, id: &str, doubts: &[&Doubt]| {
            html! {
                @if !doubts.is_empty() {
                    section class=(class) {
                        (heading(&self.text(id, &[])))
                        ul { @for doubt in doubts { li { (self.doubt(doubt)) } } }
                    }
                }
            }
        };
        html! {
            (list("doubts", "evidence-doubts", &serious))
            (list("notes", "evidence-notes", &notes))
        }
    }

    fn doubt(&self, doubt: &Doubt) -> String {
        let (id, arguments): (&str, Vec<(&str, Value)>) = match doubt {
            Doubt::SetUp => ("evidence-doubt-set-up", vec![]),
            Doubt::AfterGap(plies) => ("evidence-doubt-gap", vec![self.plies(plies)]),
            Doubt::Assumed(plies) => {
                let count = ("count", json!(plies.len()));
                ("evidence-doubt-assumed", vec![count, self.plies(plies)])
            }
            Doubt::NotAgreed(since) => {
                // The last ply without doubt.
                let when = json!(self.when(since.saturating_sub(1)));
                ("evidence-doubt-not-agreed", vec![("when", when)])
            }
            Doubt::SourceUncertain(since) => (
                "evidence-doubt-source",
                vec![("since", json!(self.ply(*since)))],
            ),
            Doubt::AccountDiffers {
                source,
                from,
                record,
                other,
            } => {
                let version = |line: &String| match &line[..] {
                    "" => Value::Null,
                    line => json!(shortened(&self.words.numbered_line(line))),
                };
                let arguments = vec![
                    ("source", json!(shortened(source))),
                    ("since", json!(self.ply(*from))),
                    ("record", version(record)),
                    ("other", version(other)),
                ];
                ("evidence-doubt-account", arguments)
            }
            Doubt::WrittenBy(source) => (
                "evidence-doubt-written-by",
                vec![("source", shortened(source).into())],
            ),
            Doubt::Mismatch {
                reason,
                squares,
                since_ply,
                doubted_since,
            } => return self.mismatch(*reason, squares, *since_ply, *doubted_since),
            Doubt::MissingEntries { from, to } => (
                "evidence-doubt-missing",
                vec![("from", json!(from)), ("to", json!(to))],
            ),
            Doubt::StrangeEntries(entries) => {
                let entries: Vec<EntrySeq> = entries.iter().take(20).copied().collect();
                ("evidence-doubt-strange", vec![("entries", json!(entries))])
            }
            Doubt::CorrectedSince { to_ply, by } => {
                let arguments = vec![
                    ("when", json!(self.when(*to_ply))),
                    ("who", json!(shortened(by))),
                ];
                ("evidence-doubt-corrected", arguments)
            }
            Doubt::NotRecorded { from, to } => (
                "evidence-doubt-not-recorded",
                vec![("from", json!(from)), ("to", json!(to))],
            ),
            Doubt::Unreadable(text) => (
                "evidence-doubt-unreadable",
                vec![("text", shortened(text).into())],
            ),
            Doubt::StartGiven { halfmoves } => (
                "evidence-doubt-start",
                vec![("halfmoves", json!(halfmoves))],
            ),
            Doubt::OtherLaws { edition, rate } => (
                "evidence-doubt-laws",
                vec![("edition", json!(edition.id)), ("rate", json!(rate))],
            ),
        };
        self.text(id, &arguments)
    }

    /// A list of plies, named by their moves, as the argument of a doubt.
    fn plies(&self, plies: &[Ply]) -> (&'static str, Value) {
        let places: Vec<String> = plies.iter().map(|ply| self.ply(*ply)).collect();
        ("places", places.into())
    }

    fn mismatch(
        &self,
        reason: MismatchReason,
        squares: &[SeenSquare],
        since: Ply,
        doubted: Option<Ply>,
    ) -> String {
        let piece = |piece: Option<char>| {
            let piece = piece.and_then(shakmaty::Piece::from_char);
            piece.map_or_else(
                || self.text("evidence-doubt-square-empty", &[]),
                |piece| {
                    let color = self.words.color_name(piece.color);
                    format!("{} ({color})", self.words.piece_name(piece.role))
                },
            )
        };
        let squares: Vec<String> = squares
            .iter()
            .map(|seen| {
                let arguments = [
                    ("square", json!(seen.square.to_string())),
                    ("expected", json!(piece(seen.expected))),
                    ("seen", json!(piece(seen.seen))),
                ];
                self.text("evidence-doubt-square", &arguments)
            })
            .collect();
        // The last ply without doubt.
        let when = self.when(since.saturating_sub(1));
        let arguments = [
            ("when", json!(when)),
            ("doubted_since", json!(doubted.map(|ply| self.ply(ply)))),
            ("reason", json!(reason)),
            ("squares", json!(squares.join("; "))),
        ];
        self.text("evidence-doubt-mismatch", &arguments)
    }
}
