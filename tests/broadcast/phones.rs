//! Alerts on phones: an ntfy server and a webhook on this computer, in a competition.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
};
use remisd_testkit::{
    DEADLINE,
    by_hand::ByHand,
    mosquitto::Mosquitto,
    poll::poll,
    remisd::{Home, output, word},
    witness::Witness,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, time::Duration, time::sleep};

use super::{TUNING, token_in};

/// What a player who reads the phone could use.
const SECRETS: [&str; 8] = [
    "claim",
    "threefold",
    "fivefold",
    "Nf3",
    "g1f3",
    "code",
    "ply",
    "White",
];

/// A message as a server got it.
#[derive(Debug, Clone)]
struct Got {
    path: String,
    authorization: Option<String>,
    body: Value,
    text: String,
}

#[derive(Clone, Default)]
struct Server {
    got: Arc<Mutex<Vec<Got>>>,
    /// Paths of requests being served.
    serving: Arc<Mutex<Vec<String>>>,
    /// Number of requests that came while one to the same path was being served.
    overlaps: Arc<AtomicU32>,
    /// Whether it refuses messages.
    refuses: Arc<AtomicBool>,
}

impl Server {
    async fn start(&self) -> u16 {
        let router = Router::new().fallback(answer).with_state(self.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        port
    }

    fn to(&self, path: &str) -> Vec<Got> {
        let got = self.got.lock().unwrap().clone();
        got.into_iter().filter(|got| got.path == path).collect()
    }

    /// Waits until the webhook has this number of messages in this state, and returns the last one.
    async fn hook(&self, state: &str, count: usize) -> Value {
        let what = || format!("{state} {count} is not in {:#?}", self.to("/hook"));
        poll(DEADLINE, what, async || {
            let got = self.to("/hook").into_iter();
            let of: Vec<Value> = got
                .map(|got| got.body)
                .filter(|b| b["state"] == state)
                .collect();
            (of.len() >= count).then(|| of.last().unwrap().clone())
        })
        .await
    }

    /// No message says what an alert is about, and requests to one receiver do not overlap.
    fn has_got_no_secret(&self) {
        for got in self.got.lock().unwrap().iter() {
            let secret = SECRETS.iter().find(|secret| got.text.contains(**secret));
            assert_eq!(secret, None, "{}", got.text);
            let bearer = (got.path == "/").then(|| "Bearer lip_known".to_owned());
            assert_eq!(got.authorization, bearer);
            if got.path == "/" {
                assert_eq!(got.body["topic"], "hall-x7");
            }
        }
        let overlaps = self.overlaps.load(Ordering::SeqCst);
        assert_eq!(overlaps, 0, "requests to one receiver overlap");
    }
}

/// A request being served. It ends when it is answered, or when its sender closes the connection.
struct Request {
    server: Server,
    path: String,
}

impl Request {
    fn begin(server: &Server, path: &str) -> Self {
        let mut serving = server.serving.lock().unwrap();
        if serving.iter().any(|other| other == path) {
            server.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        serving.push(path.to_owned());
        Self {
            server: server.clone(),
            path: path.to_owned(),
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut serving = self.server.serving.lock().unwrap();
        let place = serving.iter().position(|other| *other == self.path);
        place.map(|place| serving.swap_remove(place));
    }
}

async fn answer(
    State(server): State<Server>,
    uri: Uri,
    head: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let path = uri.path().to_owned();
    let request = Request::begin(&server, &path);
    // The time that a request takes.
    sleep(Duration::from_millis(20)).await;
    drop(request);
    let authorization = head.get("authorization");
    server.got.lock().unwrap().push(Got {
        path,
        authorization: authorization.map(|value| value.to_str().unwrap().to_owned()),
        body: serde_json::from_slice(&body).unwrap(),
        text: String::from_utf8(body.to_vec()).unwrap(),
    });
    if server.refuses.load(Ordering::SeqCst) {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    }
}

#[tokio::test(flavor = "multi_thread")]
#[allow(
    clippy::too_many_lines,
    reason = "it follows one alert from step to step"
)]
async fn phones_say_which_board_needs_the_arbiter_and_nothing_else() {
    let server = Server::default();
    let port = server.start().await;
    let place = tempfile::tempdir().unwrap();
    let token = token_in(place.path());
    let sections = format!(
        "[laws]\nescalate_ms = 0\n\
         [[notify]]\nkind = \"ntfy\"\nurl = \"http://127.0.0.1:{port}/\"\ntopic = \"hall-x7\"\n\
         token_file = \"{}\"\nlanguage = \"de\"\nboard_per_minute = 60\n\
         [[notify]]\nkind = \"webhook\"\nurl = \"http://127.0.0.1:{port}/hook\"\n\
         board_per_minute = 60\n",
        token.display()
    );
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    let config = home.config();
    let tested = output(&["notify", "--test", "--config", word(&config)]).await;
    assert!(tested.status.success(), "{tested:?}");
    let report = String::from_utf8(tested.stdout).unwrap();
    assert!(
        report.contains("notify.0: 200 OK") && report.contains("notify.1: 200 OK"),
        "{report}"
    );
    server.hook("test", 1).await;
    assert_eq!(server.to("/")[0].body["title"], "Testnachricht von remisd");

    // The board is there first: its absence would be the first alert.
    let board = ByHand::start(&home.port("b1"));
    let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let daemon = home.start();
    let is_open = |game: &Value| game["moves"].is_array().then_some(());
    arbiter
        .retained("chess/v1/hall/arbiter/b1/game", is_open)
        .await;
    let send = async |who: &str, verb: &str, command: Value| {
        let topic = format!("chess/v1/hall/cmd/{who}/b1/{verb}");
        arbiter.publish(&topic, command.to_string()).await;
    };
    let open = async |code: &str| {
        let id = |alerts: &Value| {
            let mut alerts = alerts["alerts"].as_array()?.iter();
            let alert = alerts.find(|alert| alert["code"] == code)?;
            Some(alert["id"].as_str()?.to_owned())
        };
        arbiter
            .retained("chess/v1/hall/arbiter/b1/alerts", id)
            .await
    };
    let raised = async |number: u64| {
        let what = || format!("{number} is not in {:#?}", server.to("/hook"));
        let is = |body: &Value| body["number"] == number && body["state"] == "raised";
        poll(DEADLINE, what, async || {
            let mut got = server.to("/hook").into_iter().map(|got| got.body);
            got.find(|body| is(body))
        })
        .await
    };
    let sees = |link: &Value| (link["confidence"] == "certain").then_some(());
    let link = "chess/v1/hall/arbiter/b1/link";
    arbiter.retained(link, sees).await;
    let claim = json!({"id": "c", "kind": "threefold", "move": "Nf3"});
    send("white", "claim", claim).await;
    let id = open("claim_made").await;
    let number = 1;
    let is_claim = |message: &Value| message["number"] == number;
    assert_eq!(
        raised(number).await["title"],
        "Board b1: the arbiter is needed"
    );
    send("arbiter", "ack", json!({"id": "a", "alert": id})).await;
    let acknowledged = server.hook("acknowledged", 1).await;
    assert!(is_claim(&acknowledged), "{acknowledged}");

    // What the phones know of is neither repeated nor forgotten.
    let game = "chess/v1/hall/arbiter/b1/game";
    let session = |game: &Value| Some(game["session"].as_str()?.to_owned());
    let killed = arbiter.retained(game, session).await;
    daemon.kill().await;
    let what = || format!("{:?} is still being served", server.serving.lock().unwrap());
    let is_quiet = async || server.serving.lock().unwrap().is_empty().then_some(());
    poll(DEADLINE, what, is_quiet).await;
    let daemon = home.start();
    let is_back = |game: &Value| (session(game)? != killed).then_some(());
    arbiter.retained(game, is_back).await;
    let ruling = json!({"id": "r", "on": "claim", "correct": false});
    send("arbiter", "ruling", ruling).await;
    let what = || format!("{:#?}", server.to("/hook"));
    poll(DEADLINE, what, async || {
        let closed = |got: &Got| got.body["state"] == "closed" && is_claim(&got.body);
        server.to("/hook").iter().any(closed).then_some(())
    })
    .await;
    let rung = server.to("/hook").into_iter();
    let rung = rung.filter(|got| got.body["state"] == "raised" && is_claim(&got.body));
    assert_eq!(rung.count(), 1);

    arbiter.retained(link, sees).await;
    board.cable().unplug();
    open("board_lost").await;
    // The phone counts what it gets: the claim was the first.
    let number = 2;
    let lost = raised(number).await;
    assert_eq!(lost["title"], "Board b1: the arbiter is needed");

    let what = || format!("{:#?}", server.to("/"));
    // A message whose delivery the kill has left unknown may come twice, so none are counted.
    let message = format!("hall, Alarm {number}");
    poll(DEADLINE, what, async || {
        let mut got = server.to("/").into_iter();
        got.find(|got| got.body["message"] == message)
    })
    .await;
    server.has_got_no_secret();
    let log = daemon.log();
    assert!(
        !log.contains("lip_known") && !log.contains("hall-x7"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_arbiter_alone_sees_that_a_phone_takes_no_messages_about_a_board() {
    let server = Server::default();
    server.refuses.store(true, Ordering::SeqCst);
    let port = server.start().await;
    let sections =
        format!("[[notify]]\nkind = \"webhook\"\nurl = \"http://127.0.0.1:{port}/hook\"\n");
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    let _board = ByHand::start(&home.port("b1"));
    let _daemon = home.start();
    let all = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let send = async |who: &str, verb: &str, command: Value| {
        let topic = format!("chess/v1/hall/cmd/{who}/b1/{verb}");
        all.publish(&topic, command.to_string()).await;
    };
    let alerts = "chess/v1/hall/arbiter/b1/alerts";
    let silent = |alerts: &Value| {
        let mut alerts = alerts["alerts"].as_array()?.iter();
        Some(
            alerts
                .find(|alert| alert["code"] == "phone_silent")
                .cloned(),
        )
    };
    all.retained(alerts, |alerts| alerts["alerts"].is_array().then_some(()))
        .await;
    send("white", "claim", json!({"id": "c", "kind": "threefold"})).await;
    let raised = all.retained(alerts, |alerts| silent(alerts)?).await;
    assert_eq!(raised["arguments"]["phone"], "notify.0");
    assert_eq!(raised["level"], "amber");

    server.refuses.store(false, Ordering::SeqCst);
    let ruling = json!({"id": "r", "on": "claim", "correct": false});
    send("arbiter", "ruling", ruling).await;
    server.hook("closed", 1).await;
    let gone = |alerts: &Value| silent(alerts)?.is_none().then_some(());
    all.retained(alerts, gone).await;
    let names = |text: &str| text.contains("phone_silent") || text.contains("\"type\":\"phones\"");
    let others: Vec<String> = all
        .messages()
        .into_iter()
        .filter(|message| !message.topic.contains("/arbiter/"))
        .filter(|message| names(&String::from_utf8_lossy(&message.payload)))
        .map(|message| message.topic.clone())
        .collect();
    assert_eq!(others, Vec::<String>::new());
}
