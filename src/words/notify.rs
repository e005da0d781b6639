//! The texts of messages to phones.

use serde_json::{Map, Value, json};

use super::Words;
use remisd_broadcast::notify::{Message, Notice};
use remisd_vocabulary::name::SiteId;

impl Words {
    /// A message about an alert. Its content is in it only if the notice has it.
    #[must_use]
    pub fn notice(&self, site: &SiteId, notice: &Notice) -> Message {
        let title = self.with(
            "notify-title",
            json!({
                "state": notice.state.as_str(), "board": notice.board,
            }),
        );
        let number = json!({"site": site, "number": notice.number});
        let mut lines = vec![self.with("notify-number", number)];
        lines.extend(notice.alert.as_ref().map(|alert| self.alert(alert)));
        if notice.left_out > 0 {
            let count = json!({"count": notice.left_out});
            lines.push(self.with("notify-left_out", count));
        }
        let mut fields = json!({
            "site": site,
            "board": notice.board,
            "number": notice.number,
            "state": notice.state.as_str(),
            "left_out": notice.left_out,
        });
        if let Some(alert) = &notice.alert {
            fields["alert"] = json!({"id": alert.id, "code": alert.code, "level": alert.level});
        }
        Message {
            title,
            text: lines.join("\n"),
            urgent: notice.state.is_urgent(),
            fields: object(fields),
        }
    }

    /// A message to see whether messages arrive.
    #[must_use]
    pub fn test_notice(&self, site: &SiteId) -> Message {
        Message {
            title: self.with("notify-test", json!({})),
            text: self.with("notify-test-text", json!({"site": site})),
            urgent: true,
            fields: object(json!({
                "site": site, "board": null, "number": null, "state": "test", "left_out": 0,
            })),
        }
    }

    fn with(&self, id: &str, arguments: Value) -> String {
        self.text(id, &object(arguments))
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use remisd_broadcast::notify::{Due, Next, Rates, Scope, State};
    use remisd_game::{Alert, AlertCode, Level};
    use tokio::time::Instant;

    use super::*;
    use crate::{
        protocol::specimens,
        words::{Language, tests::fault},
    };

    const RATES: Rates = Rates {
        board: 60,
        all: 600,
    };

    /// Everything that leaves about an alert: when it is raised, acknowledged and closed.
    fn messages(alert: &Alert, content: bool, language: Language) -> Vec<Message> {
        let (site, board) = ("open".parse().unwrap(), "b7".parse().unwrap());
        let mut due = Due::new(
            Scope {
                least: Level::Grey,
                content,
            },
            RATES,
        );
        let acknowledged = Alert {
            acknowledged_by: Some("arbiter".to_owned()),
            ..alert.clone()
        };
        let steps: [&[Alert]; 3] = [std::slice::from_ref(alert), &[acknowledged], &[]];
        let messages = steps.map(|open| {
            due.take(&board, open);
            let Next::Send(notice) = due.next(Instant::now()) else {
                panic!("{} is due", alert.id);
            };
            due.sent(&notice);
            Words::of(language).notice(&site, &notice)
        });
        messages.to_vec()
    }

    #[test]
    fn in_a_competition_all_alerts_look_the_same() {
        for language in Language::ALL {
            let mut seen = Vec::new();
            // A phone cannot report that it is silent.
            let sent = |code: &AlertCode| *code != AlertCode::PhoneSilent;
            for code in AlertCode::ALL.into_iter().filter(sent) {
                for specimen in specimens(code) {
                    let alert = Alert {
                        id: format!("{}-12", code.as_str()),
                        acknowledged_by: None,
                        escalated: false,
                        ..specimen.alert
                    };
                    if !code.reveals_claims() {
                        seen.push(messages(&alert, false, language));
                    }
                    let open = messages(&alert, true, language).remove(0);
                    assert!(open.text.contains(&Words::of(language).alert(&alert)));
                    assert_eq!(open.fields["alert"]["code"], code.as_str());
                }
            }
            assert!(seen.windows(2).all(|two| two[0] == two[1]), "{language}");
            for message in &seen[0] {
                assert!(
                    message.title.contains("b7")
                        && message.text.contains('1')
                        && !message.text.contains("12")
                );
                assert_eq!(fault(&message.title).or(fault(&message.text)), None);
            }
        }
        let english = messages(
            &specimens(AlertCode::ClaimMade)[0].alert,
            false,
            Language::En,
        );
        assert_eq!(english[0].title, "Board b7: the arbiter is needed");
        assert_eq!(english[1].title, "Board b7: acknowledged");
        assert_eq!(english[2].title, "Board b7: closed");
    }

    #[test]
    fn omissions_are_mentioned() {
        let alert = &specimens(AlertCode::ClaimMade)[0].alert;
        let (site, board) = ("open".parse().unwrap(), "b7".parse().unwrap());
        for (left_out, english) in [(1, "One message before"), (7, "7 messages before")] {
            let scope = Scope {
                least: Level::Red,
                content: false,
            };
            let mut due = Due::new(scope, RATES);
            due.take(&board, std::slice::from_ref(alert));
            let Next::Send(mut notice) = due.next(Instant::now()) else {
                panic!("a claim is due");
            };
            notice.left_out = left_out;
            assert_eq!(notice.state, State::Raised);
            let text = |language| Words::of(language).notice(&site, &notice).text;
            assert!(
                text(Language::En).contains(english),
                "{}",
                text(Language::En)
            );
            for language in Language::ALL {
                assert_eq!(fault(&text(language).replace('\n', " ")), None);
            }
        }
    }

    #[test]
    fn a_test_message_names_the_site() {
        for language in Language::ALL {
            let message = Words::of(language).test_notice(&"open".parse().unwrap());
            assert!(message.text.starts_with("open: "), "{message:?}");
            assert_eq!(fault(&message.title).or(fault(&message.text)), None);
        }
    }
}
