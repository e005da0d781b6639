//! The game as `LiveChess` itself reconstructs it, beside the one that the daemon reads there.

use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use remisd_testkit::{mosquitto::Mosquitto, remisd::Home, witness::Witness};
use serde_json::{Value, json};
use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen, san::San};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};
use tokio_tungstenite::{accept_async, tungstenite::Message};

/// What a `LiveChess` shows of its only board.
#[derive(Clone, Default)]
struct Shown {
    squares: String,
    /// The moves that it reconstructs.
    sans: Vec<&'static str>,
}

/// A `LiveChess` with one board and without tournaments.
struct LiveChess {
    address: SocketAddr,
    shown: watch::Sender<Shown>,
    _serving: JoinSet<()>,
}

impl LiveChess {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shown = watch::Sender::new(Shown {
            squares: squares_after(&[]),
            sans: Vec::new(),
        });
        let mut serving = JoinSet::new();
        let receiver = shown.subscribe();
        serving.spawn(async move {
            let mut sessions = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                sessions.spawn(serve(stream, receiver.clone()));
            }
        });
        Self {
            address,
            shown,
            _serving: serving,
        }
    }

    /// The board has these moves, and `LiveChess` reconstructs `sans`.
    fn shows(&self, played: &[&str], sans: &[&'static str]) {
        self.shown.send_replace(Shown {
            squares: squares_after(played),
            sans: sans.to_vec(),
        });
    }
}

fn squares_after(sans: &[&str]) -> String {
    let mut position = Chess::default();
    for san in sans {
        let m = san.parse::<San>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
    }
    let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
    fen.split(' ').next().unwrap().to_owned()
}

/// Serves a client until it leaves. What is no WebSocket is refused.
async fn serve(stream: TcpStream, mut shown: watch::Receiver<Shown>) {
    let Ok(mut socket) = accept_async(stream).await else {
        return;
    };
    let (mut feed, mut lists) = (None, false);
    let answer = |call: &Value, param: Value| json!({"response": "call", "id": call["id"], "param": param, "time": 1});
    loop {
        let mut messages = Vec::new();
        tokio::select! {
            Ok(()) = shown.changed() => {}
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    let call: Value = serde_json::from_str(&text).unwrap();
                    messages.push(match call["call"].as_str().unwrap() {
                        "eboards" => answer(&call, json!([{
                            "serialnr": "23946", "source": "COM3", "state": "ACTIVE",
                            "battery": null, "comment": null, "board": null, "flipped": false,
                            "clock": null,
                        }])),
                        "subscribe" => {
                            feed = Some(call["param"]["id"].clone());
                            answer(&call, Value::Null)
                        }
                        "call" => {
                            assert_eq!(call["param"]["method"], "setup");
                            lists = true;
                            answer(&call, Value::Null)
                        }
                        other => panic!("{other}"),
                    });
                }
                Some(Ok(_)) => continue,
                _ => return,
            },
        }
        if let Some(feed) = &feed {
            let now = shown.borrow_and_update().clone();
            let mut param = json!({
                "serialnr": "23946", "flipped": false, "board": now.squares, "clock": null,
            });
            if lists {
                param["san"] = json!(now.sans);
            }
            messages.push(json!({"response": "feed", "id": feed, "param": param, "time": 1}));
        }
        for message in messages {
            if socket
                .send(Message::text(message.to_string()))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

struct Compared {
    host: LiveChess,
    witness: Witness,
}

impl Compared {
    async fn of_arbiter<T>(&self, leaf: &str, find: impl FnMut(&Value) -> Option<T>) -> T {
        let topic = format!("chess/v1/hall/arbiter/b1/{leaf}");
        self.witness.retained(&topic, find).await
    }

    /// Waits until the record has so many moves and the account stands to it like that.
    async fn has(&self, count: usize, state: &str) {
        let all = |game: &Value| (game["moves"].as_array()?.len() == count).then_some(());
        self.of_arbiter("game", all).await;
        let stands = |link: &Value| {
            let account = link["accounts"].as_array()?.first()?;
            (account["state"] == state && account["account"] == "livechess").then_some(())
        };
        self.of_arbiter("link", stands).await;
    }

    /// The alert that they differ, if it is there; waits until it is there or not.
    async fn differs(&self, differs: bool) -> Option<Value> {
        let found = |alerts: &Value| {
            let mut open = alerts["alerts"].as_array()?.iter();
            let alert = open
                .find(|alert| alert["code"] == "accounts_differ")
                .cloned();
            (alert.is_some() == differs).then_some(alert)
        };
        self.of_arbiter("alerts", found).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_that_live_chess_reconstructs_otherwise_are_shown_to_the_arbiter() {
    let broker = Mosquitto::start().await;
    let host = LiveChess::start().await;
    let sections = format!(
        "[[board]]\nid = \"b1\"\nkind = \"livechess\"\nsource = \"ws://{}\"\n\
         serial = \"23946\"\n[board.hand]\nspeed = 4\n",
        host.address
    );
    let home = Home::new(&broker.url(), &sections, &[], "");
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let witness = witness.checking();
    let hall = Compared { host, witness };
    let _daemon = home.start();
    hall.has(0, "agrees").await;
    hall.host.shows(&["e4"], &["e4"]);
    hall.has(1, "agrees").await;
    hall.host.shows(&["e4", "e5"], &["e4", "e5"]);
    hall.has(2, "agrees").await;
    hall.host.shows(&["e4", "e5", "Nf3"], &["e4", "e5", "Nc3"]);
    hall.has(3, "differs").await;
    let alert = hall.differs(true).await.unwrap();
    let arguments = &alert["arguments"];
    assert_eq!(arguments["source"], "LiveChess", "{alert}");
    assert_eq!(
        (&arguments["record"], &arguments["other"]),
        (&json!("2.Nf3"), &json!("2.Nc3"))
    );
    hall.host.shows(&["e4", "e5", "Nf3"], &["e4", "e5", "Nf3"]);
    hall.has(3, "agrees").await;
    hall.differs(false).await;
}
