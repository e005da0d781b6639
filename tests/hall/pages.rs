//! What anybody gets: pages and their rules.

use super::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_there_and_speaks_to_nobody_else() {
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
        assert!(!policy.contains("unsafe"), "{policy}");
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
async fn the_site_tells_of_its_boards_and_holds_no_secret() {
    let stage = Stage::set().await;
    stage.tell("public/b1/availability", "{}", true).await;
    stage.tell("arbiter/b2/draw", "{}", true).await;
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
