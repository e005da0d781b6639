//! The texts of alerts in every language.
//!
//! A daemon publishes alerts in the languages of its own configuration. An arbiter may read another
//! one, so the server adds the missing texts from the code and arguments of each alert. The
//! messages are those of [`crate::words`], so no page needs a second copy.

use bytes::Bytes;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::words::{Language, Words};
use remisd_game::Alert;

/// The leaf with alerts.
pub(super) const LEAF: &str = "alerts";

/// The payload with every alert's text in every language. An alert unknown to this version keeps
/// the texts that it came with.
pub(super) fn completed(payload: &[u8]) -> Option<Bytes> {
    let mut payload: Value = serde_json::from_slice(payload).ok()?;
    for alert in payload.get_mut("alerts")?.as_array_mut()? {
        complete(alert);
    }
    serde_json::to_vec(&payload).ok().map(Bytes::from)
}

fn complete(alert_json: &mut Value) {
    let Ok(alert) = Alert::deserialize(&*alert_json) else {
        return;
    };
    let Some(fields) = alert_json.as_object_mut() else {
        return;
    };
    let texts = fields.entry("text").or_insert_with(|| Map::new().into());
    let Some(texts) = texts.as_object_mut() else {
        return;
    };
    for language in Language::ALL {
        let text = texts.entry(language.code());
        text.or_insert_with(|| Words::of(language).alert(&alert).into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::specimens;
    use remisd_game::AlertCode;

    fn alerts(alerts: &Value) -> Value {
        let payload = json!({ "schema": "remisd/alerts/1", "seq": 3, "alerts": alerts });
        let completed = completed(payload.to_string().as_bytes()).unwrap();
        serde_json::from_slice(&completed).unwrap()
    }

    #[test]
    fn an_alert_is_read_in_every_language_whatever_the_daemon_speaks() {
        let alert = json!({
            "id": "offer_restricted-7", "level": "amber", "code": "offer_restricted",
            "arguments": {"by": "white", "move": 30, "reason": "before_move"},
            "article": "9.1.1", "text": {"nl": "zoals de daemon het zegt"},
            "since": "2026-11-22T12:00:00.000Z", "acknowledged_by": null,
        });
        let completed = alerts(&json!([alert]));
        assert_eq!(completed["seq"], 3);
        let text = &completed["alerts"][0]["text"];
        assert_eq!(text["nl"], "zoals de daemon het zegt");
        for language in [Language::En, Language::De, Language::DeCh] {
            let known = Alert::deserialize(&alert).unwrap();
            assert_eq!(text[language.code()], Words::of(language).alert(&known));
        }
        assert!(text["de"].as_str().unwrap().contains("Weiß"));
        assert!(text["de-ch"].as_str().unwrap().contains("Weiss"));
    }

    #[test]
    fn every_alert_that_there_is_has_a_text_in_every_language() {
        for code in AlertCode::ALL {
            for specimen in specimens(code) {
                let mut alert = serde_json::to_value(&specimen.alert).unwrap();
                alert["text"] = json!({});
                let completed = alerts(&json!([alert]));
                let texts = completed["alerts"][0]["text"].as_object().unwrap();
                assert_eq!(texts.len(), Language::ALL.len(), "{code:?}");
                for language in Language::ALL {
                    let text = Words::of(language).alert(&specimen.alert);
                    assert_eq!(texts[language.code()], text, "{code:?}");
                }
            }
        }
    }

    #[test]
    fn an_alert_of_a_later_version_keeps_its_texts() {
        let alert = json!({
            "id": "x-1", "level": "red", "code": "of_a_later_version", "arguments": {},
            "text": {"en": "Do something."}, "since": "2026-11-22T12:00:00.000Z",
        });
        assert_eq!(
            alerts(&json!([alert, 7, null, {"text": 1}]))["alerts"][0],
            alert
        );
    }

    #[test]
    fn what_holds_no_alerts_is_left_alone() {
        for payload in ["", "null", "[]", "{}", r#"{"alerts":7}"#] {
            assert_eq!(completed(payload.as_bytes()), None, "{payload}");
        }
    }
}
