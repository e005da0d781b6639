//! `remisd setup --web`: who may use its page, and what it writes.

use std::{collections::BTreeMap, fs, net::SocketAddr, path::Path, process::Stdio};

use remisd_testkit::{
    PATIENCE,
    browser::{Browser, Response},
    by_hand::ByHand,
    remisd::{output, remisd, word},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdout},
    time::timeout,
};

use super::{Club, everything, runs};

/// A running `remisd setup --web`.
struct Page {
    child: Child,
    out: BufReader<ChildStdout>,
    address: SocketAddr,
    /// The first lines that it printed.
    printed: String,
    code: String,
}

impl Page {
    /// Starts it with these further options. It logs everything.
    async fn start(dir: &Path, more: &[&str]) -> Self {
        let words = [&["setup", "--web", "-vv", "--dir", word(dir)], more].concat();
        let mut child = remisd(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        // An empty line ends the announcement.
        while !printed.ends_with("\n\n") {
            let read = timeout(PATIENCE, out.read_line(&mut printed)).await;
            assert_ne!(read.expect("it prints nothing").unwrap(), 0, "{printed}");
        }
        let address = after(&printed, "Open http://");
        let address = address.split('/').next().unwrap().parse().unwrap();
        let fragment = printed.contains("#code=");
        let code = after(&printed, if fragment { "#code=" } else { "Code " });
        Self {
            address,
            code: code.to_owned(),
            child,
            out,
            printed,
        }
    }

    async fn browser(&self) -> Browser {
        Browser::of(self.address).await
    }

    /// A browser that has typed the code.
    async fn session(&self) -> Browser {
        let mut browser = self.browser().await;
        let answer = open(&mut browser, &self.code).await;
        assert_eq!(answer.status, 204, "{answer:?}");
        browser
    }

    /// Waits for its end: the exit code, and what else it has printed and logged.
    async fn ended(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut log) = (String::new(), String::new());
        let mut err = self.child.stderr.take().unwrap();
        let all = async {
            self.out.read_to_string(&mut out).await.unwrap();
            err.read_to_string(&mut log).await.unwrap();
            self.child.wait().await.unwrap().code()
        };
        let code = timeout(PATIENCE, all).await.expect("it does not end");
        (code, out, log)
    }
}

fn after<'a>(text: &'a str, words: &str) -> &'a str {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("{text}"));
    rest.split_whitespace().next().unwrap()
}

async fn open(browser: &mut Browser, code: &str) -> Response {
    browser.post("/api/session", &json!({ "code": code })).await
}

/// The answers of a club that differ from the usual ones.
fn answers(club: &Club) -> Value {
    json!({
        "site": "club",
        "language": "de",
        "profile": "club",
        "open": ["player", "hall"],
        "boards": [
            { "id": "left", "port": word(&club.board()) },
            { "id": "right", "port": "" },
        ],
        "mqtt": club.mqtt.to_string(),
        "http": club.http.to_string(),
    })
}

impl Club {
    /// The same set-up as by [`Club::set_up`], in a browser.
    async fn set_up_in_browser() -> Self {
        let mut club = Self::new();
        let (mqtt, http) = (club.mqtt.to_string(), club.http.to_string());
        let more = ["--boards", "2", "--mqtt", &mqtt, "--http", &http];
        let board = club.board();
        let page = Page::start(
            &club.dir(),
            &[&more[..], &["--port", word(&board)]].concat(),
        )
        .await;
        let mut browser = page.session().await;
        let form = browser.get("/api/setup").await.json()["form"].take();
        let answer = browser.post("/api/write", &form).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        browser.post("/api/end", &json!({})).await;
        let (code, out, _) = page.ended().await;
        assert_eq!(code, Some(0));
        club.output = out;
        club
    }
}

/// The files of a club with their modes; its folder and its secrets are replaced.
fn without_secrets(club: &Club) -> BTreeMap<String, (u32, String)> {
    let folder = word(club.folder.path());
    let mut secrets: Vec<String> = club.passwords().into_values().collect();
    secrets.push(fs::read_to_string(club.file("mqtt-password")).unwrap());
    let files = everything(&club.dir()).into_iter();
    files
        .map(|(path, (mode, content))| {
            let mut text = String::from_utf8(content).unwrap();
            for secret in &secrets {
                text = text.replace(secret.trim(), "SECRET");
            }
            if path.ends_with("mosquitto.passwd") {
                let users = text.lines().map(|line| line.split_once(':').unwrap().0);
                text = users.collect::<Vec<_>>().join("\n");
            }
            let path = word(&path).replace(folder, "FOLDER");
            (path, (mode, text.replace(folder, "FOLDER")))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_writes_the_same_files_as_the_command_line() {
    let by_words = Club::new();
    let (mqtt, http) = (by_words.mqtt.to_string(), by_words.http.to_string());
    let (dir, board) = (by_words.dir(), by_words.board());
    let words = [
        &[
            "setup",
            "--dir",
            word(&dir),
            "--site",
            "club",
            "--language",
            "de",
        ][..],
        &["--profile", "club", "--open", "hall", "--open", "player"],
        &["--boards", "2", "--name", "left", "--name", "right"],
        &["--port", word(&board), "--mqtt", &mqtt, "--http", &http],
    ];
    let done = output(&words.concat()).await;
    assert!(done.status.success(), "{done:?}");

    let by_page = Club {
        mqtt: by_words.mqtt,
        http: by_words.http,
        ..Club::new()
    };
    let page = Page::start(&by_page.dir(), &[]).await;
    let mut browser = page.session().await;
    let form = answers(&by_page);
    let plan = browser.post("/api/plan", &form).await;
    assert_eq!(plan.status, 200, "{plan:?}");
    assert!(!by_page.dir().exists(), "a plan writes nothing");
    let result = browser.post("/api/write", &form).await;
    assert_eq!(result.status, 200, "{result:?}");
    let result = result.json();
    assert_eq!(result["files"], plan.json()["files"]);
    assert_eq!(result["without_port"], json!(["right"]));
    let users = result["users"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let users: BTreeMap<_, _> = users
        .map(|user| (text(&user["user"]), text(&user["password"])))
        .collect();
    assert_eq!(users, by_page.passwords());
    // The passwords are shown once.
    assert_eq!(browser.post("/api/write", &form).await.status, 404);
    browser.post("/api/end", &json!({})).await;
    let (code, out, log) = page.ended().await;
    assert_eq!(code, Some(0), "{log}");

    let (one, other) = (without_secrets(&by_words), without_secrets(&by_page));
    assert_eq!(one.len(), 7);
    assert_eq!(one, other);
    let folder = |club: &Club| word(club.folder.path()).to_owned();
    let steps = String::from_utf8(done.stdout).unwrap();
    let steps = steps.replace(&folder(&by_words), "FOLDER");
    assert_eq!(out.replace(&folder(&by_page), "FOLDER"), steps);
    for password in users.values() {
        assert!(!out.contains(password) && !log.contains(password));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broker_daemon_and_pages_run_with_what_the_page_has_written() {
    runs(&Club::set_up_in_browser().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_browser_with_the_code_may_use_the_page() {
    let club = Club::new();
    let page = Page::start(&club.dir(), &[]).await;
    let mut stranger = page.browser().await;
    for name in ["ports", "plan", "write", "end"] {
        let refused = stranger
            .post(&format!("/api/{name}"), &answers(&club))
            .await;
        assert_eq!(refused.status, 401, "{name}");
    }
    assert_eq!(stranger.get("/api/setup").await.status, 401);
    let wrong = open(&mut stranger, "aaaa-aaaa-aaaa").await;
    assert_eq!(
        (wrong.status, &wrong.json()["code"]),
        (401, &json!("wrong_code"))
    );

    // Another site, under its own name or in a page of its own.
    let mut foreign = page.browser().await;
    foreign.origin = Some("http://example.org".to_owned());
    assert_eq!(open(&mut foreign, &page.code).await.status, 403);
    foreign.origin = None;
    assert_eq!(open(&mut foreign, &page.code).await.status, 403);
    foreign.host = format!("example.org:{}", page.address.port());
    foreign.origin = Some(format!("http://{}", foreign.host));
    assert_eq!(open(&mut foreign, &page.code).await.status, 421);
    assert_eq!(foreign.get("/").await.status, 421);

    let mut own = page.browser().await;
    let opened = open(&mut own, &page.code.to_uppercase()).await;
    let cookie = opened.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(&page.code), "{cookie}");
    let html = own.get("/").await;
    assert_eq!(html.status, 200);
    assert!(
        !String::from_utf8(html.body.clone())
            .unwrap()
            .contains(&page.code)
    );
    assert!(html.header("content-security-policy").is_some());
    assert_eq!(
        open(&mut stranger, &page.code).await.status,
        401,
        "it is void"
    );
    assert_eq!(stranger.get("/api/setup").await.status, 401);
    // A page of another site has no use of the cookie.
    let mut forged = own.clone();
    forged.origin = Some("http://example.org".to_owned());
    assert_eq!(forged.post("/api/write", &answers(&club)).await.status, 403);
    assert!(!club.dir().exists());
    let first = own.get("/api/setup").await.json();
    assert_eq!(first["form"]["site"], "hall");
    let code = page.code.clone();
    let Page { mut child, .. } = page;
    child.start_kill().unwrap();
    let mut log = String::new();
    let mut err = child.stderr.take().unwrap();
    err.read_to_string(&mut log).await.unwrap();
    assert!(!log.contains(&code), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_codes_are_limited() {
    let club = Club::new();
    let page = Page::start(&club.dir(), &[]).await;
    let mut browser = page.browser().await;
    for _ in 0..10 {
        assert_eq!(open(&mut browser, "aaaa-aaaa-aaaa").await.status, 401);
    }
    let refused = open(&mut browser, &page.code).await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_network_the_address_does_not_carry_the_code() {
    let club = Club::new();
    let page = Page::start(&club.dir(), &["--listen", "0.0.0.0:0"]).await;
    assert!(!page.printed.contains('#'), "{}", page.printed);
    assert!(page.printed.contains("not encrypted"), "{}", page.printed);
    assert_eq!(page.code.replace('-', "").len(), 12);
    page.session().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_named_at_their_answers_and_nothing_is_written() {
    let club = Club::new();
    // A directory cannot be made below a file.
    fs::write(club.folder.path().join("file"), "").unwrap();
    let page = Page::start(&club.folder.path().join("file/club"), &[]).await;
    let mut browser = page.session().await;
    let mut form = answers(&club);
    let problems = async |browser: &mut Browser, form: &Value| {
        let mut fields = Vec::new();
        for name in ["plan", "write"] {
            let refused = browser.post(&format!("/api/{name}"), form).await;
            assert_eq!(refused.status, 422, "{refused:?}");
            let problems = refused.json()["problems"].take();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let problems = problems.as_array().unwrap().iter();
            fields = problems
                .map(|p| (text(&p["field"]), text(&p["code"])))
                .collect();
        }
        fields
    };
    let pair = |field: &str, code: &str| (field.to_owned(), code.to_owned());
    let closed = problems(&mut browser, &form).await;
    assert_eq!(closed, vec![pair("files", "not_written"); 7]);

    let _other = std::net::TcpListener::bind(club.http).unwrap();
    let taken = problems(&mut browser, &form).await;
    assert_eq!(taken[0], pair("http", "in_use"));

    form["boards"][1]["id"] = json!("left");
    form["site"] = json!("My club");
    assert_eq!(
        problems(&mut browser, &form).await,
        [pair("site", "name"), pair("boards.1.id", "twice")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn boards_are_found() {
    let club = Club::new();
    let port = club.board();
    let _board = ByHand::start(&port);
    let page = Page::start(&club.dir(), &[]).await;
    let mut browser = page.session().await;
    let missing = club.folder.path().join("missing");
    let asked = json!({ "ports": [word(&port), word(&missing)] });
    let found = browser.post("/api/ports", &asked).await.json();
    let at = |path: &Path| {
        let ports = found.as_array().unwrap().iter();
        let mut here = ports.filter(|one| one["name"] == word(path));
        here.next().unwrap().clone()
    };
    assert_eq!(at(&port)["board"]["kind"], "dgt");
    assert!(at(&port)["board"]["serial"].is_string(), "{found}");
    assert!(at(&missing)["problem"].is_string(), "{found}");
}

#[tokio::test]
async fn an_address_that_another_program_has_is_named() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("club");
    let words = ["setup", "--web", "--listen", &address, "--dir", word(&dir)];
    let refused = output(&words).await;
    assert_eq!(refused.status.code(), Some(1));
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(
        words.contains(&format!("--listen: cannot listen on {address}")),
        "{words}"
    );
    assert!(refused.stdout.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_no_session_sends_no_more_than_a_code() {
    let club = Club::new();
    let page = Page::start(&club.dir(), &[]).await;
    let mut stranger = page.browser().await;
    let long = "x".repeat(1024);
    assert_eq!(open(&mut stranger, &long).await.status, 413);
    for name in ["ports", "plan", "write"] {
        let headers = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
        let path = format!("/api/{name}");
        let mut stream = stranger.begin("POST", &path, headers).await;
        // The body goes on, so that a server that waits for its end does not answer.
        stream.write_all(b"1\r\n{\r\n").await.ok();
        let refused = stranger.finish(stream).await;
        assert_eq!(refused.status, 401, "{name}");
    }
    page.session().await;
}
