//! The bottom of the sheet: other incidents, the source of the record, the signatures.

use maud::{Markup, html};
use serde_json::json;
use shakmaty::Color;

use super::{Sheet, heading, shortened};
use crate::evidence::{Happened, Incident, Source};
use remisd_vocabulary::notation::color;

/// Maximum number of incidents shown; the newest are kept.
const INCIDENTS: usize = 12;

impl Sheet<'_> {
    pub(super) fn incidents(&self) -> Markup {
        let (white, black) = self.record.illegal_moves;
        let all = &self.record.incidents;
        let newest = &all[all.len().saturating_sub(INCIDENTS)..];
        let journal = matches!(self.record.source, Some(Source::Journal { .. }));
        html! {
            // A PGN score has no incidents. A journal does, and can also show that there were none.
            @if journal {
                section.incidents {
                    (heading(&self.text("evidence-incidents", &[])))
                    @if newest.is_empty() {
                        p { (self.text("evidence-nothing", &[])) }
                    } @else {
                        ul {
                            @for incident in newest {
                                li { (self.incident(incident)) }
                            }
                        }
                    }
                    @if white > 0 || black > 0 {
                        p { (self.text("evidence-illegal-moves", &[("white", json!(white)), ("black", json!(black))])) }
                    }
                }
            }
        }
    }

    fn incident(&self, incident: &Incident) -> String {
        let player = |by: &Color| ("player", json!(color(*by)));
        let what = match &incident.what {
            Happened::IllegalMove { by, nth } => {
                self.text("evidence-illegal", &[player(by), ("nth", json!(nth))])
            }
            Happened::Adjustment {
                white,
                black,
                reason,
            } => {
                let changes = self.changes(*white, *black);
                let arguments = [("changes", json!(changes)), ("reason", json!(reason))];
                self.text("evidence-adjusted", &arguments)
            }
            Happened::Claimed { id, by, kind } => {
                let arguments = [("id", json!(id)), player(by), ("kind", json!(kind))];
                self.text("evidence-earlier-claim", &arguments)
            }
            Happened::Ruled { id, decision } => {
                let arguments = [("id", json!(id)), ("decision", json!(decision))];
                self.text("evidence-earlier-ruling", &arguments)
            }
            Happened::NotPlayed {
                by,
                announced,
                played,
            } => {
                let arguments = [
                    ("by", json!(color(*by))),
                    ("announced", json!(shortened(announced.san()))),
                    ("played", json!(played.san)),
                ];
                self.text("evidence-not-played", &arguments)
            }
            Happened::VersionChosen {
                source,
                from,
                version,
                by,
            } => {
                let arguments = [
                    ("source", json!(shortened(source))),
                    ("ply", json!(from)),
                    ("version", json!(version)),
                    ("who", json!(shortened(by))),
                ];
                self.text("evidence-version-chosen", &arguments)
            }
            Happened::Corrected { to_ply, by } => {
                let arguments = [("ply", json!(to_ply)), ("who", json!(shortened(by)))];
                self.text("evidence-corrected", &arguments)
            }
        };
        let ply = self.text("evidence-after-ply", &[("ply", json!(incident.ply))]);
        format!("{}, {ply}: {what}", self.time(incident.time))
    }

    pub(super) fn foot(&self) -> Markup {
        let signatures = [
            "evidence-arbiter-name",
            "evidence-signature-white",
            "evidence-signature-black",
            "evidence-signature-time",
        ];
        html! {
            div.signatures {
                @for id in signatures {
                    p { (self.text(id, &[])) }
                }
            }
            (self.source())
            p.aid { (self.text("evidence-footer", &[])) }
        }
    }

    fn source(&self) -> Markup {
        let (text, what, sha256) = match &self.record.source {
            None => return html! {},
            Some(Source::Journal {
                file,
                first,
                last,
                entries,
                sha256,
            }) => {
                let arguments = [
                    ("file", json!(shortened(file))),
                    ("from", json!(first)),
                    ("to", json!(last)),
                    ("count", json!(entries)),
                ];
                (
                    self.text("evidence-source-journal", &arguments),
                    "journal",
                    sha256,
                )
            }
            Some(Source::Pgn { file, game, sha256 }) => {
                let arguments = [("file", json!(shortened(file))), ("game", json!(game))];
                (self.text("evidence-source-pgn", &arguments), "pgn", sha256)
            }
        };
        let version = env!("CARGO_PKG_VERSION");
        html! {
            p.source {
                (self.text("evidence-source", &[])) ": " bdi { (text) } " "
                (self.text("evidence-sha", &[("what", what.into())])) " " code { (sha256) } " "
                (self.text("evidence-program", &[("version", version.into())]))
            }
        }
    }
}
