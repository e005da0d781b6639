//! The top of the sheet: the finding and the ruling side by side, their consequences, the game, the
//! claim and the doubts.

mod doubts;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Sheet, heading, shortened};
use crate::evidence::{Claim, Doubt, Verdict, Why};
use remisd_game::{ClaimDecision, ClaimRuling, Claimed};
use remisd_laws::{ClaimKind, Ply, Remark};

impl Sheet<'_> {
    pub(super) fn head(&self) -> Markup {
        let record = self.record;
        let uncertain = record.doubts.iter().any(Doubt::is_serious);
        let player = |name: &str| {
            let known = record.tag(name).map(shortened);
            known.unwrap_or_else(|| self.text("evidence-unknown", &[]))
        };
        html! {
            header {
                h1.kind {
                    (self.text(self.title(), &[]))
                    @if let Some(board) = self.board() {
                        " · " bdi { (self.text("evidence-board", &[("board", board.into())])) }
                    }
                }
                div.findings {
                    div.record {
                        @if record.claim.is_some() {
                            h2 { (self.text("evidence-record", &[])) }
                        }
                        p.large { (self.finding()) }
                        @for line in self.by_the_record() { p.follows { (line) } }
                    }
                    @if let Some(claim) = &record.claim {
                        div.ruling {
                            h2 { (self.text("evidence-ruling", &[])) }
                            p.large { (self.decision(claim.ruling.as_ref())) }
                            @for line in self.by_the_ruling(claim) { p.follows { (line) } }
                        }
                    }
                }
                @for line in self.besides() { p.follows { (line) } }
                @if uncertain {
                    p.uncertain role="alert" { "⚠ " (self.text("evidence-uncertain", &[])) }
                }
            }
            section.game {
                h2.hidden { (self.text("evidence-game", &[])) }
                p.players {
                    span.white { (self.words.color_name(shakmaty::Color::White)) " " b { bdi { (player("White")) } } }
                    span.black { (self.words.color_name(shakmaty::Color::Black)) " " b { bdi { (player("Black")) } } }
                }
                dl.facts { (self.tags()) }
            }
        }
    }

    /// The finding on the claim, as the record shows it.
    fn finding(&self) -> String {
        let Some(claim) = &self.record.claim else {
            return self.text("evidence-no-claim", &[]);
        };
        let announced = claim.announced.as_ref();
        if self.evidence.verdict == Verdict::NotWritten {
            return self.text("evidence-not-written", &[]);
        }
        if let Some(illegal) = announced.filter(|announced| !announced.legal) {
            return self.with_move("evidence-finding-illegal", illegal.text.san());
        }
        match claim.kind {
            Claimed::Threefold => self.occurred(),
            Claimed::FiftyMove => self.counted(),
            Claimed::Quickplay | Claimed::Increment => self.text("evidence-finding-none", &[]),
        }
    }

    /// What follows from the finding as long as there is no ruling.
    fn by_the_record(&self) -> Vec<String> {
        let articles = &self.record.regulations.edition.articles;
        let ruled = (self.record.claim.as_ref()).is_some_and(|claim| claim.ruling.is_some());
        let mut lines = Vec::new();
        match &self.evidence.verdict {
            Verdict::NoClaim(claims) if self.record.result.is_none() => {
                lines.push(self.available(claims));
            }
            Verdict::NoClaim(_) => {}
            Verdict::Correct => {
                lines.push(self.verdict("correct"));
                if !ruled {
                    lines.push(self.with_article("evidence-drawn", articles.claim_correct));
                }
            }
            Verdict::Incorrect => {
                lines.push(self.verdict("incorrect"));
                if !ruled {
                    lines.push(self.continues());
                    lines.extend(self.cost());
                }
            }
            Verdict::NotWritten => lines.extend(self.write_first()),
            Verdict::ArbiterDecides(reasons) => {
                lines.extend(reasons.iter().map(|why| self.why(*why)));
                if !ruled {
                    lines.extend(self.if_rejected(reasons));
                }
            }
        }
        lines
    }

    /// Whether the claim is correct by the moves of the record.
    fn verdict(&self, verdict: &str) -> String {
        self.text("evidence-by-record", &[("verdict", verdict.into())])
    }

    fn if_rejected(&self, reasons: &[Why]) -> Vec<String> {
        let mut lines = Vec::new();
        if reasons.contains(&Why::Touched) {
            lines.push(self.text("evidence-if-right-lost", &[]));
        }
        let doubtful = reasons.iter().any(|why| *why != Why::Touched)
            || self.record.doubts.iter().any(Doubt::is_serious);
        if doubtful && self.evidence.penalty.is_some() {
            let rejected = self.text("evidence-if-rejected", &[]);
            let continues = std::iter::once(self.continues()).chain(self.cost());
            let continues: Vec<String> = continues.collect();
            lines.push(format!("{rejected} {}", continues.join(" ")));
        }
        lines
    }

    /// The arbiter's ruling.
    fn decision(&self, ruling: Option<&ClaimRuling>) -> String {
        let decision = json!(ruling.map(ClaimRuling::decision));
        self.text("evidence-decision", &[("decision", decision)])
    }

    /// Who ruled and when, and what follows from the ruling.
    fn by_the_ruling(&self, claim: &Claim) -> Vec<String> {
        let articles = &self.record.regulations.edition.articles;
        let mut lines = Vec::new();
        if let Some(ruling) = &claim.ruling {
            lines.push(format!(
                "{}, {}",
                shortened(&ruling.by),
                self.time(ruling.time)
            ));
            match (ruling.decision(), claim.kind) {
                (ClaimDecision::Correct, Claimed::Increment) => {
                    lines.push(self.text("evidence-increment", &[]));
                }
                (ClaimDecision::Correct, Claimed::Quickplay) => {
                    lines.push(self.with_article("evidence-drawn", articles.quickplay));
                }
                (ClaimDecision::Correct, _) => {
                    lines.push(self.with_article("evidence-drawn", articles.claim_correct));
                }
                (ClaimDecision::Incorrect, Claimed::Quickplay | Claimed::Increment) => {
                    lines.push(self.text("evidence-goes-on", &[("article", Value::Null)]));
                }
                (ClaimDecision::Incorrect, _) => {
                    lines.push(self.continues());
                    lines.extend(self.cost());
                }
                (ClaimDecision::NotAdmissible, _) => {
                    lines.push(self.with_article("evidence-right-lost", articles.right_lost));
                }
            }
        }
        if let Some(before) = &claim.ruled_before {
            let arguments = [
                ("decision", json!(before.decision())),
                ("who", json!(shortened(&before.by))),
                ("time", json!(self.time(before.time))),
            ];
            lines.push(self.text("evidence-ruled-before", &arguments));
        }
        lines
    }

    /// Further remarks besides finding and ruling.
    fn besides(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let remarks = &self.evidence.remarks;
        if remarks.contains(&Remark::AnnouncedMoveEndsGame) {
            lines.push(self.text("evidence-announced-ends", &[]));
        }
        if let Some((ply, end)) = self.evidence.over
            && self.record.claim.is_some()
        {
            let arguments = [
                ("when", json!(self.when(ply))),
                ("kind", json!(end.kind)),
                ("article", json!(end.article)),
            ];
            lines.push(self.text("evidence-over", &arguments));
        }
        if let Some(result) = &self.record.result {
            let arguments = [
                ("score", json!(result.score)),
                ("kind", json!(result.reason)),
            ];
            lines.push(self.text("evidence-result", &arguments));
        }
        lines
    }

    fn with_article(&self, id: &str, article: &str) -> String {
        self.text(id, &[("article", article.into())])
    }

    fn available(&self, claims: &[remisd_laws::Claim]) -> String {
        let mut kinds: Vec<String> = Vec::new();
        for kind in [ClaimKind::Threefold, ClaimKind::FiftyMove] {
            if let Some(claim) = claims.iter().find(|claim| claim.kind == kind) {
                let arguments = [("kind", json!(kind)), ("article", json!(claim.article))];
                kinds.push(self.text("evidence-ground", &arguments));
            }
        }
        if kinds.is_empty() {
            return self.text("evidence-available-none", &[]);
        }
        self.text("evidence-available", &[("claims", kinds.join("; ").into())])
    }

    fn continues(&self) -> String {
        let article = self.record.regulations.edition.articles.claim_incorrect;
        self.with_article("evidence-goes-on", article)
    }

    /// The penalty for an incorrect claim: time, and the announced move.
    fn cost(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(penalty) = self.evidence.penalty {
            lines.push(match self.changes(penalty.white, penalty.black) {
                Some(changes) => self.text("evidence-set-clock", &[("changes", changes.into())]),
                None => self.text("evidence-clock-stays", &[]),
            });
        }
        if let Some(announced) = self.evidence.must_play(self.record) {
            let san = announced.text.san();
            lines.push(if announced.legal {
                let next = u32::try_from(self.record.moves.len() + 1).unwrap_or(u32::MAX);
                self.with_move("evidence-must-play", &self.numbered(next, san))
            } else {
                self.with_move("evidence-other-move", san)
            });
        }
        lines
    }

    fn write_first(&self) -> Vec<String> {
        let claim = self.record.claim.as_ref();
        let announced = claim.and_then(|claim| claim.announced.as_ref());
        let san = announced.map_or("", |announced| announced.text.san());
        let verdict = if self.evidence.correct_if_written {
            "correct"
        } else {
            "incorrect"
        };
        vec![
            self.with_move("evidence-write-first", san),
            self.text("evidence-if-written", &[("verdict", verdict.into())]),
        ]
    }

    pub(super) fn with_move(&self, id: &str, san: &str) -> String {
        self.text(id, &[("move", shortened(san).into())])
    }

    fn why(&self, why: Why) -> String {
        let articles = &self.record.regulations.edition.articles;
        let (id, article) = match why {
            Why::CastlingRight => ("evidence-why-castling", articles.same_position),
            Why::NotCompleted => ("evidence-why-not-completed", articles.fifty_appeared),
            Why::Touched => ("evidence-why-touched", articles.right_lost),
            Why::AfterFlag => ("evidence-why-flag", articles.flag_fall),
            Why::Quickplay => ("evidence-why-quickplay", articles.quickplay),
        };
        self.with_article(id, article)
    }

    fn tags(&self) -> Markup {
        let tags = [
            ("evidence-event", "Event"),
            ("evidence-site", "Site"),
            ("evidence-round", "Round"),
            ("evidence-date", "Date"),
        ];
        let edition = self.record.regulations.edition;
        let laws = [
            ("year", json!(edition.in_force_from)),
            ("edition", json!(edition.id)),
            ("rate", json!(self.record.regulations.rate)),
        ];
        html! {
            @for (id, name) in tags {
                @if let Some(value) = self.record.tag(name) {
                    (self.fact(id, &shortened(value)))
                }
            }
            @if let (None, Some(began)) = (self.record.tag("Date"), self.record.began) {
                @let date = began.to_zoned(self.zone.clone()).strftime("%Y.%m.%d").to_string();
                (self.fact("evidence-date", &date))
            }
            @if let Some(board) = self.board() {
                (self.fact("evidence-table", &board))
            }
            (self.fact("evidence-laws", &self.text("evidence-laws-of", &laws)))
        }
    }

    fn fact(&self, label: &str, value: &str) -> Markup {
        html! { div { dt { (self.text(label, &[])) } dd { bdi { (value) } } } }
    }

    pub(super) fn claim(&self) -> Markup {
        let Some(claim) = &self.record.claim else {
            return html! {};
        };
        let ground = [
            ("kind", json!(claim.kind)),
            ("article", json!(self.evidence.article)),
        ];
        let basis = match &claim.announced {
            Some(announced) => self.with_move("evidence-intended", announced.text.san()),
            None => self.text("evidence-on-board", &[]),
        };
        html! {
            section.claim {
                (heading(&self.text("evidence-claim", &[])))
                dl.facts {
                    (self.fact("evidence-by", &self.claimant(claim)))
                    (self.fact("evidence-what", &self.text("evidence-ground", &ground)))
                    @if !claim.kind.is_quickplay() {
                        (self.fact("evidence-basis", &basis))
                    }
                    (self.fact("evidence-when", &self.made_when(claim)))
                    @if let Some(times) = self.record.times {
                        @let pair = [("white", json!(self.clock(times.white_ms))), ("black", json!(self.clock(times.black_ms)))];
                        (self.fact("evidence-clocks", &self.text("evidence-clock-pair", &pair)))
                    }
                    @if let Some(touched) = &claim.touched {
                        @let source = if touched.by_arbiter { "arbiter" } else if touched.sure { "sensors" } else { "unsure" };
                        @let piece = [("square", json!(touched.square.to_string())), ("time", json!(self.time(touched.time))), ("source", json!(source))];
                        (self.fact("evidence-touched", &self.text("evidence-touched-piece", &piece)))
                    }
                }
                @if claim.clock_ran {
                    p { (self.text("evidence-clock-ran", &[])) }
                }
            }
        }
    }

    fn claimant(&self, claim: &Claim) -> String {
        let color = self.words.color_name(claim.by);
        match self.record.tag(claim.by.fold_wb("White", "Black")) {
            Some(name) => format!("{color} ({})", shortened(name)),
            None => color,
        }
    }

    fn made_when(&self, claim: &Claim) -> String {
        let ply = u32::try_from(self.record.moves.len()).unwrap_or(u32::MAX);
        match claim.time {
            Some(time) => format!("{}, {}", self.when(ply), self.time(time)),
            None => self.when(ply),
        }
    }

    /// A moment of the game, named by the last move made.
    fn when(&self, ply: Ply) -> String {
        if ply == 0 {
            return self.text("evidence-at-start", &[]);
        }
        self.text("evidence-after", &[("made", self.ply(ply).into())])
    }
}
