//! What is doubtful about the program that writes the game, and deserves an alert.

use serde_json::{Value, json};

use crate::{
    Difference, Game, SourceReport,
    alert::{AlertCode, Condition, Level},
    refusal::truncated,
    source::{GUESSED, KINGS, NUMBER},
};
use remisd_laws::Ply;

impl Game {
    /// What is doubtful about the source.
    pub(super) fn source_conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        if let Some(report) = self.source() {
            conditions.extend(self.doubts_of_source(report));
        }
        let rewritings = self.source.rewritings().iter();
        conditions.extend(rewritings.map(|rewriting| {
            let arguments = [
                ("source", json!(rewriting.source)),
                ("ply", json!(rewriting.from)),
                ("was", json!(rewriting.was)),
                ("now", json!(rewriting.now)),
                (
                    "decided",
                    json!(if rewriting.decided { "yes" } else { "no" }),
                ),
            ];
            let condition = Condition::new(AlertCode::SourceRewritten, None, arguments);
            let condition = condition.about(rewriting.seq.to_string());
            if rewriting.decided {
                condition.at(Level::Red)
            } else {
                condition
            }
        }));
        conditions
    }

    /// A condition for each kind of doubt. A later doubt of the same kind is another condition, so
    /// that acknowledging one does not hide the next.
    fn doubts_of_source(&self, report: &SourceReport) -> Vec<Condition> {
        let source = || ("source", json!(report.name));
        let condition = |subject: String, arguments: Vec<(&'static str, Value)>| {
            // A text may ask for every argument.
            let none = [("word", Value::Null), ("line", Value::Null)];
            let arguments = std::iter::once(source()).chain(none).chain(arguments);
            Condition::new(AlertCode::SourceUncertain, None, arguments).about(subject)
        };
        let mut conditions = Vec::new();
        for (kind, plies) in [
            (GUESSED, self.source.unseen_guessed(report)),
            (KINGS, self.source.unseen_kings(report)),
        ] {
            if let Some(last) = plies.last() {
                let arguments = vec![
                    ("doubt", json!(kind)),
                    ("plies", json!(plies)),
                    ("after", self.record.all_numbered(&plies)),
                ];
                conditions.push(condition(format!("{kind}-{last}"), arguments));
            }
        }
        let before = |ply: Ply| self.record.numbered(ply.saturating_sub(1));
        if self.source.unseen_number(report) {
            let arguments = vec![
                ("doubt", json!(NUMBER)),
                ("plies", json!([1])),
                ("after", before(1)),
            ];
            conditions.push(condition(NUMBER.to_owned(), arguments));
        }
        if let Some(word) = &report.unreadable {
            let arguments = vec![
                ("doubt", json!("unreadable")),
                ("plies", json!([word.ply])),
                ("word", json!(truncated(&word.text))),
                ("after", before(word.ply)),
            ];
            conditions.push(condition(format!("unreadable-{}", word.ply), arguments));
        }
        if let Some(missing) = report.missing {
            let arguments = vec![
                ("doubt", json!("missing")),
                ("plies", json!([missing])),
                ("after", before(missing)),
            ];
            conditions.push(condition(format!("missing-{missing}"), arguments));
        }
        if let Some(difference) = &report.difference {
            let arguments = vec![
                ("doubt", json!("differs")),
                ("plies", json!([difference.from])),
                ("after", before(difference.from)),
                ("line", json!(self.line_in_source(difference))),
            ];
            conditions.push(condition(format!("differs-{}", difference.from), arguments));
        }
        conditions
    }

    /// The source's moves from where it differs; empty if it has none there.
    fn line_in_source(&self, difference: &Difference) -> String {
        let mut line = self
            .record
            .replayed(difference.from.saturating_sub(1).min(self.ply()));
        let mut sans = Vec::new();
        for uci in &difference.moves {
            let legal = uci
                .read()
                .ok()
                .and_then(|uci| uci.to_move(line.position()).ok());
            let Some(m) = legal else { break };
            sans.push(shakmaty::san::SanPlus::from_move(line.position().clone(), m).to_string());
            if line.play(m).is_err() {
                break;
            }
        }
        sans.join(" ")
    }
}
