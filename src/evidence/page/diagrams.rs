//! The middle of the sheet: the positions that count, and those that do not.

use maud::{Markup, html};
use serde_json::json;
use shakmaty::{Chess, Color, Position as _, Square, uci::UciMove};

use super::{Sheet, heading};
use crate::{
    evidence::{
        Difference, Occurrence, PositionAtPly, Unlike, Verdict, castling_rooks,
        diagram::{Marks, diagram},
    },
    words,
};
use remisd_dead::Grounds;
use remisd_game::Claimed;
use remisd_laws::{AutomaticKind, Ply};
use remisd_vocabulary::notation::color;

/// Maximum number of occurrences with a diagram; further ones are listed by move.
const OCCURRENCES: usize = 6;
/// Maximum number of diagrams for positions that look the same.
const UNLIKE_DRAWN: usize = 3;
/// Maximum number of such positions listed by move; further ones are only counted.
const UNLIKE_NAMED: usize = 8;

impl Sheet<'_> {
    /// The occurrences of the position, and the positions that look like it.
    pub(super) fn repetition(&self) -> Markup {
        let kind = self.record.claim.as_ref().map(|claim| claim.kind);
        if kind == Some(Claimed::FiftyMove) {
            return html! {};
        }
        let evidence = self.evidence;
        // Draw the oldest and the newest; those between show the same position.
        let (drawn, named) = if evidence.occurrences.len() > OCCURRENCES {
            let newest = evidence.occurrences.len() - OCCURRENCES / 2;
            let (old, rest) = evidence.occurrences.split_at(OCCURRENCES / 2);
            let (between, new) = rest.split_at(newest - OCCURRENCES / 2);
            (old.iter().chain(new).collect(), between)
        } else {
            let all: Vec<&Occurrence> = evidence.occurrences.iter().collect();
            (all, &evidence.occurrences[..0])
        };
        let claimed_alone = evidence.occurrences.is_empty();
        let beside = drawn.len().max(1) + self.unlike_drawn();
        // Side by side if they fit into one row.
        let (class, size) = match beside {
            0..=5 if self.unlike_drawn() > 0 => ("pair", beside),
            _ => ("stack", drawn.len().max(1)),
        };
        html! {
          div class=(class) {
            section.repetition style=(share(drawn.len().max(1))) {
                (heading(&self.occurred()))
                div class=(figures(size)) {
                    @for occurrence in &drawn {
                        (self.occurrence(occurrence))
                    }
                    @if claimed_alone {
                        (self.figure(&evidence.claimed, "", &[], &[]))
                    }
                }
                @if !named.is_empty() {
                    @let places: Vec<String> = named.iter().map(|o| self.place(&o.place)).collect();
                    p { (self.text("evidence-more-occurrences", &[("places", places.into())])) }
                }
            }
            (self.unlike(size))
          }
        }
    }

    /// How often the position occurred, and how often it must.
    pub(super) fn occurred(&self) -> String {
        let claim = self.record.claim.as_ref();
        let needed = claim.map(|_| self.record.regulations.edition.claimable_occurrences);
        let occurrences = &self.evidence.occurrences;
        let count = occurrences.iter().filter(|o| !o.disputed).count();
        // A position on the board occurs at least once; one after an illegal move never does.
        let illegal = claim.and_then(|claim| claim.announced.as_ref());
        let illegal = illegal.is_some_and(|announced| !announced.legal);
        let count = count.max(usize::from(occurrences.is_empty() && !illegal));
        let arguments = [
            ("count", json!(count)),
            ("needed", json!(needed.map(|needed| needed.to_string()))),
        ];
        self.text("evidence-occurrences", &arguments)
    }

    /// The halfmoves without a pawn move or capture, and the number required.
    pub(super) fn counted(&self) -> String {
        let fifty = &self.evidence.fifty;
        let arguments = [
            ("halfmoves", json!(fifty.halfmoves)),
            ("needed", json!(fifty.needed)),
        ];
        self.text("evidence-finding-fifty", &arguments)
    }

    /// Why neither side could mate in the position that ended the game.
    pub(super) fn dead(&self) -> Markup {
        let over = self.evidence.over;
        let is_reported = |(ply, _): &&(Ply, Grounds)| {
            over.is_some_and(|(at, end)| (at, end.kind) == (*ply, AutomaticKind::DeadPosition))
        };
        let Some((ply, grounds)) = self.record.grounds.as_ref().filter(is_reported) else {
            return html! {};
        };
        let blocked: Vec<Square> = grounds.white.blocked.into_iter().collect();
        let places = self.record.places();
        let place = places.iter().find(|place| place.ply == *ply);
        html! {
            section.dead {
                (heading(&self.text("dead-grounds", &[])))
                @if let Some(place) = place {
                    div class=(figures(1)) { (self.figure(place, "", &blocked, &[])) }
                }
                ul { @for line in self.words.grounds(grounds) { li { (line) } } }
            }
        }
    }

    /// How many positions that look the same get a diagram.
    fn unlike_drawn(&self) -> usize {
        if self.evidence.verdict == Verdict::Correct {
            0
        } else {
            UNLIKE_DRAWN.min(self.evidence.unlike.len())
        }
    }

    fn occurrence(&self, occurrence: &Occurrence) -> Markup {
        let nth = self.nth(occurrence);
        let title = match nth {
            Some(n) => self.text("evidence-nth", &[("n", json!(n))]),
            None => "≠".to_owned(),
        };
        let mut notes = Vec::new();
        if occurrence.announced {
            notes.push(self.text("evidence-would-be", &[]));
        }
        if occurrence.disputed {
            notes.push(self.text("evidence-counts-if", &[]));
        }
        self.figure(&occurrence.place, &title, &[], &notes)
    }

    /// The number of the occurrence, from 1; `None` for a disputed one.
    pub(super) fn nth(&self, occurrence: &Occurrence) -> Option<usize> {
        let counted = self.evidence.occurrences.iter().filter(|o| !o.disputed);
        let at = counted
            .map(|o| o.place.ply)
            .position(|ply| ply == occurrence.place.ply);
        at.map(|at| at + 1)
    }

    fn unlike(&self, size: usize) -> Markup {
        let all = &self.evidence.unlike;
        let article = self.record.regulations.edition.articles.same_position;
        let title = self.text("evidence-unlike", &[("article", article.into())]);
        let claimed = self.record.claim.is_some();
        if all.is_empty() {
            return html! {
                @if claimed && self.evidence.verdict != Verdict::Correct {
                    p.none { (self.text("evidence-unlike-none", &[])) }
                }
            };
        }
        let drawn = self.unlike_drawn();
        let named = &all[drawn..UNLIKE_NAMED.min(all.len()).max(drawn)];
        let rest = all.len() - drawn - named.len();
        html! {
            section.unlike style=(share(drawn)) {
                (heading(&title))
                @if drawn > 0 {
                    div class=(figures(size.max(drawn))) {
                        @for unlike in &all[..drawn] {
                            @let ringed: Vec<Square> = unlike.differences.iter().flat_map(Difference::squares).collect();
                            (self.figure(&unlike.place, "≠", &ringed, &[self.reasons(unlike)]))
                        }
                    }
                }
                @if !named.is_empty() {
                    ul {
                        @for unlike in named {
                            li { b { (self.place(&unlike.place)) } ": " (self.reasons(unlike)) }
                        }
                    }
                }
                @if rest > 0 {
                    p { (self.text("evidence-unlike-more", &[("count", json!(rest))])) }
                }
            }
        }
    }

    fn reasons(&self, unlike: &Unlike) -> String {
        let reasons: Vec<String> = unlike
            .differences
            .iter()
            .map(|difference| match difference {
                Difference::Turn(by) => {
                    self.text("evidence-unlike-turn", &[("by", json!(color(*by)))])
                }
                Difference::CastlingThen(by, rooks) => {
                    self.rooks("evidence-unlike-castling-then", *by, rooks)
                }
                Difference::CastlingNow(by, rooks) => {
                    self.rooks("evidence-unlike-castling-now", *by, rooks)
                }
                Difference::EnPassantThen(square) => self.text(
                    "evidence-unlike-ep-then",
                    &[("square", json!(square.to_string()))],
                ),
                Difference::EnPassantNow(square) => self.text(
                    "evidence-unlike-ep-now",
                    &[("square", json!(square.to_string()))],
                ),
            })
            .collect();
        reasons.join("; ")
    }

    fn rooks(&self, id: &str, by: Color, rooks: &[Square]) -> String {
        let rooks = words::squares(rooks.iter().copied());
        self.text(id, &[("player", json!(color(by))), ("rooks", rooks.into())])
    }

    /// The last pawn move or capture, and the count since then.
    pub(super) fn fifty(&self) -> Markup {
        let kind = self.record.claim.as_ref().map(|claim| claim.kind);
        let fifty = &self.evidence.fifty;
        let claimed = kind == Some(Claimed::FiftyMove);
        let halves = fifty.halfmoves.div_ceil(2);
        // An odd halfmove was made by the player who has just moved.
        let (white, black) = self.evidence.claimed.position.turn().fold_wb(
            (fifty.halfmoves - halves, halves),
            (halves, fifty.halfmoves - halves),
        );
        let count = [
            ("halfmoves", json!(fifty.halfmoves)),
            ("needed", json!(fifty.needed)),
            ("white", json!(white)),
            ("black", json!(black)),
        ];
        let missing = fifty.needed.saturating_sub(fifty.halfmoves);
        html! {
            section.fifty {
                (heading(&self.text("evidence-fifty", &[])))
                p {
                    (self.text("evidence-fifty-count", &count))
                    @if claimed && missing > 0 {
                        " " b { (self.text("evidence-fifty-missing", &[("halfmoves", json!(missing))])) }
                    }
                    " " (self.counted_from())
                }
                @if claimed {
                    div class=(figures(3)) {
                        @if let Some(since) = &fifty.since {
                            @let made = self.place(&since.place);
                            @let before = PositionAtPly { ply: since.place.ply - 1, position: since.before.clone(), made: None };
                            (self.figure_titled(&before, &self.text("evidence-before", &[("made", made.clone().into())])))
                            (self.figure_titled(&since.place, &self.text("evidence-then", &[("made", made.into())])))
                        } @else {
                            @let start = PositionAtPly { ply: 0, position: self.record.start.clone(), made: None };
                            (self.figure_titled(&start, &self.text("evidence-start-position", &[])))
                        }
                        (self.figure_titled(&self.evidence.claimed, &format!("{}: {}", self.text("evidence-claimed", &[]), self.place(&self.evidence.claimed))))
                    }
                }
            }
        }
    }

    fn counted_from(&self) -> String {
        let Some(since) = &self.evidence.fifty.since else {
            return self.text("evidence-fifty-start", &[]);
        };
        let made = since.place.made.as_ref();
        let pawn = made.is_some_and(|made| !made.text.san.starts_with(char::is_uppercase));
        let what = match (pawn, since.capture) {
            (false, _) => "capture",
            (true, false) => "pawn",
            (true, true) => "both",
        };
        let arguments = [
            ("made", json!(self.place(&since.place))),
            ("what", json!(what)),
        ];
        format!("{}.", self.text("evidence-fifty-since", &arguments))
    }

    fn figure(
        &self,
        place: &PositionAtPly,
        title: &str,
        ringed: &[Square],
        notes: &[String],
    ) -> Markup {
        let name = self.place(place);
        let title = if title.is_empty() {
            name
        } else {
            format!("{title} · {name}")
        };
        self.figure_noted(place, &title, ringed, notes)
    }

    fn figure_titled(&self, place: &PositionAtPly, title: &str) -> Markup {
        self.figure_noted(place, title, &[], &[])
    }

    fn figure_noted(
        &self,
        place: &PositionAtPly,
        title: &str,
        ringed: &[Square],
        notes: &[String],
    ) -> Markup {
        let position = &place.position;
        let by = ("by", json!(color(position.turn())));
        let label = self.text("evidence-diagram", &[("ply", json!(place.ply)), by.clone()]);
        let marks = Marks {
            moved: place
                .made
                .as_ref()
                .and_then(|made| squares_of(&made.text.uci)),
            ringed: ringed.to_vec(),
        };
        let gap = place.made.as_ref().is_some_and(|made| made.after_gap);
        html! {
            figure {
                (diagram(position, &marks, &format!("{title}. {label}")))
                figcaption {
                    b { (title) @if gap { " ?" } }
                    span { (self.text("evidence-to-move", &[by])) ", " (self.text("evidence-after-ply", &[("ply", json!(place.ply))])) }
                    span { (self.castling(position)) }
                    span { (self.en_passant(position)) }
                    @for note in notes {
                        em { (note) }
                    }
                }
            }
        }
    }

    fn castling(&self, position: &Chess) -> String {
        let rights: Vec<String> = Color::ALL
            .into_iter()
            .filter_map(|side| {
                let rooks = castling_rooks(position, side);
                (!rooks.is_empty()).then(|| self.rooks("evidence-castling-of", side, &rooks))
            })
            .collect();
        let rights = if rights.is_empty() {
            self.text("evidence-castling-none", &[])
        } else {
            rights.join("; ")
        };
        self.text("evidence-castling", &[("rights", rights.into())])
    }

    fn en_passant(&self, position: &Chess) -> String {
        let square = match position.legal_ep_square() {
            Some(square) => square.to_string(),
            None => self.text("evidence-en-passant-none", &[]),
        };
        self.text("evidence-en-passant", &[("square", square.into())])
    }
}

/// The share of a row that a section takes, by its number of figures.
fn share(figures: usize) -> String {
    format!("--figures: {figures}")
}

/// The class of a row of figures, which sets their size by their number.
const fn figures(count: usize) -> &'static str {
    match count {
        0..=3 => "figures large",
        4 => "figures medium",
        _ => "figures small",
    }
}

/// The origin and destination squares of a move.
fn squares_of(uci: &str) -> Option<(Square, Square)> {
    match uci.parse::<UciMove>().ok()? {
        UciMove::Normal { from, to, .. } => Some((from, to)),
        UciMove::Put { .. } | UciMove::Null => None,
    }
}
