//! Conditions, and the alerts that they raise.

use jiff::Timestamp;

use super::{Alert, AlertCode, Level};
use crate::Fact;
use remisd_vocabulary::seq::EntrySeq;

/// A condition, true now, that deserves an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) code: AlertCode,
    pub(crate) arguments: serde_json::Map<String, serde_json::Value>,
    pub(crate) article: Option<String>,
    /// Distinguishes conditions of the same code: a game, an adjustment.
    pub(crate) subject: String,
    pub(crate) level: Level,
}

impl Condition {
    pub(crate) fn new(
        code: AlertCode,
        article: Option<&str>,
        arguments: impl IntoIterator<Item = (&'static str, serde_json::Value)>,
    ) -> Self {
        let arguments = arguments.into_iter();
        Self {
            code,
            arguments: arguments
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            article: article.filter(|a| !a.is_empty()).map(str::to_owned),
            subject: String::new(),
            level: code.level(),
        }
    }

    pub(crate) fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    fn is_of(&self, alert: &Alert) -> bool {
        self.code == alert.code && self.subject == alert.subject
    }
}

/// The open alerts of one board: one for each condition, however long it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alerts(Vec<Alert>);

impl Alerts {
    /// Takes up the alerts that were open when a segment of the journal began.
    pub(crate) fn take_up(&mut self, open: &[Alert]) {
        self.0 = open.to_vec();
    }

    /// The open alerts, oldest first.
    #[must_use]
    pub fn open(&self) -> &[Alert] {
        &self.0
    }

    /// Opens an alert for each new condition and closes those whose condition is
    /// gone. A condition that continues keeps its alert, with the newest arguments.
    pub(crate) fn reconcile(
        &mut self,
        conditions: Vec<Condition>,
        seq: EntrySeq,
        now: Timestamp,
    ) -> Vec<Fact> {
        let mut facts = Vec::new();
        self.0.retain(|alert| {
            let lasts = conditions.iter().any(|c| c.is_of(alert));
            if !lasts {
                let id = alert.id.clone();
                facts.push(Fact::AlertCleared { id });
            }
            lasts
        });
        for condition in conditions {
            if let Some(alert) = self.0.iter_mut().find(|a| condition.is_of(a)) {
                alert.arguments = condition.arguments;
                alert.article = condition.article;
                alert.level = condition.level;
                continue;
            }
            let (code, subject) = (condition.code.as_str(), condition.subject);
            let alert = Alert {
                id: if subject.is_empty() {
                    format!("{code}-{seq}")
                } else {
                    format!("{code}-{subject}")
                },
                level: condition.level,
                code: condition.code,
                arguments: condition.arguments,
                article: condition.article,
                since: now,
                acknowledged_by: None,
                acknowledged_at: None,
                escalated: false,
                subject,
            };
            facts.push(Fact::AlertRaised(alert.clone()));
            self.0.push(alert);
        }
        facts
    }

    /// Notes who has seen an alert and when; `None` when there is no such alert, else
    /// what it was about.
    pub(crate) fn acknowledge(
        &mut self,
        id: &str,
        by: &str,
        now: Timestamp,
    ) -> Option<(AlertCode, String)> {
        let alert = self.0.iter_mut().find(|alert| alert.id == id)?;
        alert.acknowledged_by = Some(by.to_owned());
        alert.acknowledged_at = Some(now);
        alert.escalated = false;
        Some((alert.code, alert.subject.clone()))
    }

    /// When the next red alert has been unacknowledged for `after_ms`; `None` when no
    /// alert waits, or when `after_ms` is 0.
    #[must_use]
    pub fn overdue_at(&self, after_ms: u64) -> Option<Timestamp> {
        let waiting = self.0.iter().filter(|alert| alert.waits());
        waiting.filter_map(|alert| alert.overdue(after_ms)).min()
    }

    /// Escalates the red alerts that have been unacknowledged for `after_ms`.
    pub(crate) fn escalate(&mut self, now: Timestamp, after_ms: u64) -> Vec<Fact> {
        let mut facts = Vec::new();
        for alert in self.0.iter_mut().filter(|alert| alert.waits()) {
            if alert.overdue(after_ms).is_some_and(|at| at <= now) {
                alert.escalated = true;
                let id = alert.id.clone();
                facts.push(Fact::AlertEscalated { id });
            }
        }
        facts
    }
}

impl Alert {
    /// Whether it is red and neither acknowledged nor escalated.
    fn waits(&self) -> bool {
        self.level == Level::Red && self.acknowledged_by.is_none() && !self.escalated
    }

    fn overdue(&self, after_ms: u64) -> Option<Timestamp> {
        let after = i64::try_from(after_ms).ok().filter(|ms| *ms > 0)?;
        let at = self.since.as_millisecond().checked_add(after)?;
        Timestamp::from_millisecond(at).ok()
    }
}
