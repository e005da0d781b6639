//! A `LiveChess` that behaves as its clients report, and one that sends rubbish.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http::{Request, Response};
use remisd_board::orientation::OrientationSetting;
use remisd_transport::{Transport, TransportError};
use remisd_vocabulary::{
    sensor::{BoardEvent, DownCode, LinkReport, Placement, Sensed},
    time::SystemClock,
};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_tungstenite::{WebSocketStream, accept_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;

use super::super::livechess::{LiveChess, LiveChessBoard, read};

const PATIENCE: Duration = Duration::from_mins(1);
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A `LiveChess` that answers nothing over HTTP.
struct NoRecords;

impl Transport for NoRecords {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        Err(TransportError::Timeout)
    }
}

struct Hall {
    listener: TcpListener,
    events: mpsc::Receiver<BoardEvent>,
    cancel: CancellationToken,
}

impl Hall {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let (sender, events) = mpsc::channel(64);
        let board = LiveChessBoard {
            serial: "23946".to_owned(),
            orientation: OrientationSetting::Auto,
            known_orientation: None,
            events: sender,
            pairing: watch::channel(None).0,
        };
        let host = LiveChess {
            url,
            boards: vec![board],
        };
        let cancel = CancellationToken::new();
        let clock = Arc::new(SystemClock::new());
        tokio::spawn(read(host, Some(NoRecords), clock, cancel.clone()));
        Self {
            listener,
            events,
            cancel,
        }
    }

    async fn accept(&self) -> Server {
        let (stream, _) = timeout(PATIENCE, self.listener.accept())
            .await
            .unwrap()
            .unwrap();
        Server(accept_async(stream).await.unwrap(), 0)
    }

    async fn next(&mut self) -> Sensed {
        timeout(PATIENCE, self.events.recv())
            .await
            .unwrap()
            .unwrap()
            .sensed
    }

    async fn is_lost(&mut self, text: &str) {
        let sensed = self.next().await;
        let Sensed::Link(LinkReport::Down {
            code: found,
            reason,
        }) = sensed
        else {
            panic!("{sensed:?}");
        };
        assert_eq!(found, DownCode::Source, "{reason}");
        assert!(reason.contains(text), "{reason}");
    }

    async fn is_found(&mut self) {
        let sensed = self.next().await;
        let Sensed::Link(LinkReport::Up(device)) = sensed else {
            panic!("{sensed:?}");
        };
        assert_eq!(device.serial.as_deref(), Some("23946"));
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The socket, and the id of the newest subscription.
struct Server(WebSocketStream<TcpStream>, u64);

impl Server {
    /// Waits for a call and returns it.
    async fn called(&mut self, name: &str) -> Value {
        loop {
            let message = timeout(PATIENCE, self.0.next())
                .await
                .unwrap()
                .unwrap()
                .unwrap();
            if let Message::Text(text) = message {
                let call: Value = serde_json::from_str(&text).unwrap();
                if call["call"] == name {
                    if name == "subscribe" {
                        self.1 = call["param"]["id"].as_u64().unwrap();
                    }
                    return call;
                }
            }
        }
    }

    async fn sends(&mut self, message: &Value) {
        self.sends_text(&message.to_string()).await;
    }

    async fn sends_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    /// Answers the next call for the list with these boards.
    async fn lists(&mut self, boards: Value) {
        let call = self.called("eboards").await;
        let answer = json!({"response": "call", "id": call["id"], "param": boards, "time": 1});
        self.sends(&answer).await;
    }

    async fn feeds(&mut self, param: Value) {
        self.sends(&json!({"response": "feed", "id": self.1, "param": param, "time": 1}))
            .await;
    }
}

fn listed(serial: &str, state: Option<&str>) -> Value {
    json!({
        "serialnr": serial, "source": "COM3", "state": state, "battery": null, "comment": null,
        "board": START, "flipped": false, "clock": null,
    })
}

#[tokio::test]
async fn squares_and_clock_of_a_board_become_events() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server
        .lists(json!([
            listed("7425", None),
            listed("23946", Some("ACTIVE"))
        ]))
        .await;
    let call = server.called("subscribe").await;
    assert_eq!(call["param"]["param"]["serialnr"], "23946");
    let clock = json!({"white": 5400, "black": 5395, "run": true, "time": 1_700_000_000_000_u64});
    server
        .feeds(json!({"serialnr": "23946", "flipped": false, "board": START, "clock": clock}))
        .await;
    hall.is_found().await;
    assert_eq!(hall.next().await, Sensed::Placement(Placement::start()));
    let Sensed::Clock(reading) = hall.next().await else {
        panic!()
    };
    assert_eq!((reading.white_ms, reading.black_ms), (5_400_000, 5_395_000));
    assert_eq!(reading.running, Some(shakmaty::Color::White));
    // Only what changed is sent.
    let lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    server
        .feeds(json!({"serialnr": "23946", "board": lifted}))
        .await;
    assert_eq!(
        hall.next().await,
        Sensed::Placement(lifted.parse().unwrap())
    );
}

#[tokio::test]
async fn a_board_that_lies_the_other_way_round_is_turned() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    server.called("subscribe").await;
    let turned = Placement::start().rotated().to_string();
    server
        .feeds(json!({"serialnr": "23946", "board": turned}))
        .await;
    hall.is_found().await;
    assert!(matches!(hall.next().await, Sensed::Orientation(_)));
    assert_eq!(hall.next().await, Sensed::Placement(Placement::start()));
}

#[tokio::test]
async fn each_reason_for_a_lost_board_is_named() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("7425", Some("ACTIVE"))])).await;
    hall.is_lost("no board 23946; it has 7425").await;
    server
        .lists(json!([listed("23946", Some("INACTIVE"))]))
        .await;
    hall.is_lost("switched off").await;
    drop(server);
    hall.is_lost("LiveChess at ws://127.0.0.1").await;
    let mut server = hall.accept().await;
    server
        .lists(json!([listed("23946", Some("NOTRESPONDING"))]))
        .await;
    hall.is_lost("no answer from board 23946").await;
}

#[tokio::test]
async fn a_refused_subscription_is_asked_for_again() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    let call = server.called("subscribe").await;
    let refused =
        json!({"response": "error", "id": call["id"], "param": {"message": "busy"}, "time": 1});
    server.sends(&refused).await;
    hall.is_lost("refuses the board: busy").await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    server.called("subscribe").await;
    server
        .feeds(json!({"serialnr": "23946", "board": START}))
        .await;
    hall.is_found().await;
}

#[tokio::test]
async fn rubbish_changes_nothing_and_the_next_message_is_read() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    server.called("subscribe").await;
    for rubbish in [
        "",
        "[]",
        "null",
        "{\"response\":\"feed\"}",
        "{\"response\":\"feed\",\"id\":-1,\"param\":{}}",
        "{\"response\":\"feed\",\"id\":\"100\",\"param\":{}}",
        "{\"response\":\"feed\",\"id\":100,\"param\":5}",
        "{\"response\":\"error\",\"id\":0,\"param\":null}",
        "{\"response\":\"error\",\"id\":null}",
        "{\"response\":\"call\",\"id\":1,\"param\":[null,{\"serialnr\":null},{\"serialnr\":\"23946\",\"state\":\"ACTIVE\"}]}",
        "{\"response\":\"feed\",\"id\":18446744073709551615,\"param\":{\"serialnr\":\"23946\"}}",
    ] {
        server.sends_text(rubbish).await;
    }
    for param in [
        json!({"serialnr": "23946", "board": "9/8"}),
        json!({"serialnr": "23946", "board": null}),
        json!({"serialnr": "7425", "board": START}),
        json!({"serialnr": "23946", "clock": null}),
        json!({"serialnr": "23946", "clock": {"white": "x"}}),
        json!({"serialnr": "23946", "board": START}),
    ] {
        server.feeds(param).await;
    }
    hall.is_found().await;
    assert_eq!(hall.next().await, Sensed::Placement(Placement::start()));
}

#[tokio::test]
async fn a_live_chess_whose_list_is_none_is_lost_with_the_reason() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.called("eboards").await;
    server
        .sends(&json!({"response": "call", "id": 1, "param": {}}))
        .await;
    hall.is_lost("it does not list its boards").await;
    let mut server = hall.accept().await;
    server.lists(json!([])).await;
    hall.is_lost("LiveChess has no boards").await;
}

#[tokio::test]
async fn an_error_to_one_call_for_the_list_loses_no_board() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    server.called("subscribe").await;
    server
        .sends(&json!({"response": "error", "id": 1, "param": {"message": "busy"}}))
        .await;
    server
        .feeds(json!({"serialnr": "23946", "board": START, "clock": {"white": null}}))
        .await;
    hall.is_found().await;
    assert_eq!(hall.next().await, Sensed::Placement(Placement::start()));
}
