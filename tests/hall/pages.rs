//! What everyone may load: pages and their policies.

use super::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_served_and_loads_nothing_from_other_sites() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    for page in [
        "/",
        "/overlay?board=b1",
        "/display",
        "/clock?board=b1",
        "/arbiter",
    ] {
        let answer = browser.get(page).await;
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{page}"
        );
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"));
        // A broadcaster's own style sheet is allowed in the overlay only.
        let styled = policy.contains("style-src 'self' 'unsafe-inline';");
        assert_eq!(styled, page.starts_with("/overlay"), "{page}: {policy}");
        assert_eq!(policy.matches("unsafe").count(), usize::from(styled));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let text = String::from_utf8(answer.body).unwrap();
        for named in text.split('"').filter(|part| part.starts_with("assets/")) {
            let asset = browser.get(&format!("/{named}")).await;
            assert_eq!(asset.status, 200, "{page} names {named}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_changed_is_not_sent_again() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    let whole = browser.get("/").await;
    let etag = whole.header("etag").unwrap().to_owned();
    let again = browser
        .ask("GET", "/", &format!("If-None-Match: {etag}\r\n"), b"")
        .await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let packed = browser
        .ask("GET", "/", "Accept-Encoding: br, gzip\r\n", b"")
        .await;
    if packed.header("content-encoding") == Some("gzip") {
        assert!(packed.body.len() < whole.body.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_and_other_names_are_refused() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    for path in [
        "/nothing",
        "/assets/nothing.js",
        "/assets/..%2f..%2fCargo.toml",
        "/healthz",
    ] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
    browser.host = "evil.example".to_owned();
    let answer = browser.get("/").await;
    assert_eq!(answer.status, 421);
    assert_eq!(answer.json()["code"], "foreign_host");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_gets_a_page_where_a_program_gets_json() {
    const BROWSER: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    for (path, status, code, up) in [
        ("/nothing", 404, "not_found", "./"),
        ("/no/such/page", 404, "not_found", "./../../"),
        ("/assets/nothing.js", 404, "not_found", "./../"),
    ] {
        let page = browser.ask("GET", path, BROWSER, b"").await;
        assert_eq!(page.status, status, "{path}");
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert_eq!(page.header("vary"), Some("accept"), "{path}");
        let policy = page.header("content-security-policy").unwrap().to_owned();
        assert!(!policy.contains("unsafe"), "{policy}");
        let text = String::from_utf8(page.body).unwrap();
        assert!(text.contains(&format!("data-code=\"{code}\" data-up=\"{up}\"")));
        assert!(
            text.contains(&format!("\"{up}assets/refused.js\"")),
            "{text}"
        );
        let program = browser.get(path).await;
        assert_eq!(program.status, status, "{path}");
        assert_eq!(program.json()["code"], code);
    }
    let posted = browser.ask("POST", "/nothing", BROWSER, b"{}").await;
    assert_eq!(posted.json()["code"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arbiter_reads_alarms_in_every_language() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    let signed_in = browser.sign_in("arbiter", None, super::PASSWORD).await;
    assert_eq!(signed_in.status, 200);
    let alerts = r#"{"schema":"remisd/alerts/1","site":"hall","board":"b1","session":"s","seq":1,
        "time":"2026-11-22T12:00:00.000Z",
        "alerts":[{"id":"board_lost","level":"grey","code":"board_lost",
        "arguments":{"reason":"unplugged"},"article":null,"text":{"en":"original text"},
        "since":"2026-11-22T12:00:00.000Z","acknowledged_by":null}]}"#;
    stage.publish("arbiter/b1/alerts", alerts, true).await;
    let mut feed = browser.feed("audience=arbiter").await.unwrap();
    let frame_of_alerts = feed.until(|frame| frame["topic"] == "b1/alerts").await;
    let text = &frame_of_alerts["payload"]["alerts"][0]["text"];
    assert_eq!(text["en"], "original text");
    for language in ["de", "de-ch", "nl"] {
        assert!(
            text[language].as_str().is_some_and(|text| text.len() > 10),
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_lists_its_boards_and_holds_no_secret() {
    let stage = Stage::set().await;
    stage.publish("public/b1/availability", "{}", true).await;
    stage.publish("arbiter/b2/draw", "{}", true).await;
    let mut browser = stage.browser().await;
    browser
        .feed("audience=public")
        .await
        .unwrap()
        .snapshot()
        .await;
    let site = browser.get("/api/site").await.json();
    assert_eq!(site["site"], "hall");
    assert_eq!(site["boards"], serde_json::json!(["b1"]));
    assert_eq!(site["broker"], true);
    assert!(!site.to_string().contains(super::PASSWORD));
}
