//! Bodies and heads that are sent to exhaust the server: in pieces, without an end, too long.

use std::fs;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::Stage;

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
const JSON: &str = "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n";
/// A piece of a body: one byte.
const CHUNK: &[u8] = b"1\r\nx\r\n";

impl Stage {
    /// The most memory that the server has had, in KiB.
    fn peak_kib(&self) -> u64 {
        let process = self.hall.id().unwrap();
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let peak = status.split_once("VmHWM:").unwrap().1;
        peak.split_whitespace().next().unwrap().parse().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_send_a_body_is_answered_before_its_end() {
    let stage = Stage::set().await;
    let nobody = stage.browser().await;
    let mut foreign = stage.signed_in("arbiter", None).await;
    foreign.origin = Some("http://evil.example".to_owned());
    let white = stage.signed_in("white", Some("b1")).await;
    let (pairings, session) = ("/api/pairings?boards=b1", "/api/session");
    let (ruling, offer) = ("/api/command/arbiter/b1/ack", "/api/command/white/b2/offer");
    for (browser, path, headers, refused) in [
        (&nobody, pairings, CHUNKED, "not_signed_in"),
        (&white, pairings, CHUNKED, "not_signed_in"),
        (&foreign, pairings, CHUNKED, "foreign_origin"),
        (&nobody, ruling, JSON, "not_signed_in"),
        (&white, ruling, JSON, "not_signed_in"),
        (&white, offer, JSON, "not_signed_in"),
        (&foreign, ruling, JSON, "foreign_origin"),
        (&foreign, session, JSON, "foreign_origin"),
        (&nobody, session, CHUNKED, "bad_request"),
    ] {
        let mut stream = browser.begin("POST", path, headers).await;
        // The server may have hung up already.
        stream.write_all(&CHUNK.repeat(10)).await.ok();
        // The body goes on, so that a server that waits for its end does not answer.
        let answer = browser.clone().finish(stream).await;
        assert_eq!(answer.json()["code"], refused, "{path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_in_single_bytes_takes_no_more_memory_than_another() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let before = stage.peak_kib();
    let path = "/api/pairings?boards=b1";
    let mut stream = arbiter.begin("POST", path, CHUNKED).await;
    let mut body = CHUNK.repeat(1 << 18);
    // The rest is one byte too much for a file.
    let rest = (1 << 20) - (1 << 18) + 1;
    body.extend(format!("{rest:x}\r\n{}\r\n", "x".repeat(rest)).as_bytes());
    stream.write_all(&body).await.unwrap();
    let answer = arbiter.finish(stream).await;
    assert_eq!(answer.json()["code"], "oversized", "{answer:?}");
    assert_eq!(answer.status, 413);
    // Kept apart, the single bytes would take 8 MiB, and 4 MiB more while their list grows.
    let grown = stage.peak_kib() - before;
    assert!(grown < 6 * 1024, "{grown} KiB");

    for path in ["/api/session", "/api/command/arbiter/b1/ack"] {
        let mut stream = arbiter.begin("POST", path, JSON).await;
        let body = CHUNK.repeat(16 * 1024 + 1);
        stream.write_all(&body).await.unwrap();
        let answer = arbiter.finish(stream).await;
        assert_eq!(answer.status, 413, "{path}: {answer:?}");
    }
    // In pieces, but otherwise as it should be.
    let mut stream = arbiter.begin("POST", "/api/session", JSON).await;
    let who = json!({"role": "hall", "user": "hall", "password": super::PASSWORD});
    let who = who.to_string();
    let chunks = who.chars().map(|byte| format!("1\r\n{byte}\r\n"));
    let body = chunks.collect::<String>() + "0\r\n\r\n";
    stream.write_all(body.as_bytes()).await.unwrap();
    let answer = arbiter.finish(stream).await;
    assert_eq!(answer.json()["grants"][1]["role"], "hall", "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_may_have_many_cookies_but_has_an_end() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    // Those of other servers on the same host.
    let others = |count: usize| format!("Cookie: {}\r\n", "theme=dark; ".repeat(count));
    for (count, status) in [(1300, 200), (10_000, 431)] {
        let headers = others(count);
        let answer = arbiter.ask("GET", "/api/session", &headers, b"").await;
        assert_eq!(answer.status, status, "{count}: {answer:?}");
        if status == 200 {
            assert_eq!(answer.json()["grants"][0]["role"], "arbiter");
        }
    }
}
