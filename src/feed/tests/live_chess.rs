//! A `LiveChess` that behaves as its clients report, and one that sends rubbish.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

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

use super::super::livechess::{LiveChess, LiveChessBoard, Reconstruction, read};

const PATIENCE: Duration = Duration::from_mins(1);
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// What `LiveChess` answers over HTTP.
enum Records {
    None,
    /// Nothing: it does not answer.
    Silence,
    /// A tournament with a pairing at the board that is not played yet.
    Tournament,
}

impl Transport for Records {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let answer = match (self, request.uri().path()) {
            (Self::None, _) => json!("nothing is here"),
            (Self::Silence, _) => return Err(TransportError::Timeout),
            (Self::Tournament, "/api/v1.0/tournaments") => json!([{"uuid": "a1", "rounds": 1}]),
            (Self::Tournament, "/api/v1.0/tournament/a1") => json!({"eboards": ["23946"]}),
            (Self::Tournament, path) => {
                assert_eq!(path, "/api/v1.0/round/a1/0");
                let player = |name| json!({"lname": name});
                json!({"pairings": [{
                    "nr": 1, "uuid": "ab", "white": player("Smit"), "black": player("Bos"),
                    "live": false, "result": null,
                }]})
            }
        };
        Ok(Response::new(answer.to_string().into()))
    }
}

struct Hall {
    listener: TcpListener,
    events: mpsc::Receiver<BoardEvent>,
    /// The boards whose game awaits its first move.
    awaiting_first_move: watch::Sender<BTreeSet<String>>,
    reconstruction: watch::Receiver<Reconstruction>,
    cancel: CancellationToken,
}

impl Hall {
    async fn new() -> Self {
        Self::with(true, Records::None).await
    }

    async fn with(calls_setup: bool, records: Records) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let (sender, events) = mpsc::channel(64);
        let (shown, reconstruction) = watch::channel(Reconstruction::default());
        let awaiting_first_move = watch::Sender::default();
        let board = LiveChessBoard {
            serial: "23946".to_owned(),
            orientation: OrientationSetting::Auto,
            known_orientation: None,
            events: sender,
            pairing: watch::channel(None).0,
            reconstruction: shown,
            calls_setup,
        };
        let host = LiveChess {
            url,
            boards: vec![board],
            awaiting_first_move: awaiting_first_move.subscribe(),
        };
        let cancel = CancellationToken::new();
        let clock = Arc::new(SystemClock::new());
        tokio::spawn(read(host, Some(records), clock, cancel.clone()));
        Self {
            listener,
            events,
            awaiting_first_move,
            reconstruction,
            cancel,
        }
    }

    /// The game on the board awaits its first move, or does not.
    fn awaits(&self, awaits: bool) {
        let boards = awaits.then(|| "23946".to_owned());
        self.awaiting_first_move
            .send_replace(boards.into_iter().collect());
    }

    /// Waits until `LiveChess` has these moves since a `setup`, in UCI.
    async fn has_moves(&mut self, ucis: &[&str]) {
        let is_it = |shown: &Reconstruction| {
            let moves = shown.since_setup.as_ref().map(|game| &game.moves);
            let moves = moves.map(|moves| moves.iter().copied().map(uci).collect::<Vec<_>>());
            moves.is_some_and(|moves| moves == ucis)
        };
        let found = timeout(PATIENCE, self.reconstruction.wait_for(is_it)).await;
        found.unwrap().unwrap();
    }

    /// Waits until there are none, for this reason.
    async fn has_no_moves(&mut self, reason: &str) {
        let is_it = |shown: &Reconstruction| {
            let lost = shown.lost.as_ref();
            shown.since_setup.is_none() && lost.is_some_and(|lost| lost.contains(reason))
        };
        let found = timeout(PATIENCE, self.reconstruction.wait_for(is_it)).await;
        found.unwrap().unwrap();
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

fn uci(m: shakmaty::Move) -> String {
    m.to_uci(shakmaty::CastlingMode::Standard).to_string()
}

/// The socket, and the id of the newest subscription.
struct Server(WebSocketStream<TcpStream>, u64);

impl Server {
    /// Waits for a call and returns it.
    async fn called(&mut self, name: &str) -> Value {
        loop {
            let call = self.next_call().await;
            if call["call"] == name {
                return call;
            }
        }
    }

    async fn next_call(&mut self) -> Value {
        loop {
            let message = timeout(PATIENCE, self.0.next())
                .await
                .unwrap()
                .unwrap()
                .unwrap();
            if let Message::Text(text) = message {
                let call: Value = serde_json::from_str(&text).unwrap();
                if call["call"] == "subscribe" {
                    self.1 = call["param"]["id"].as_u64().unwrap();
                }
                return call;
            }
        }
    }

    /// Waits for a call of `setup`, and returns its id.
    async fn is_set_up(&mut self) -> Value {
        let call = self.called("call").await;
        assert_eq!(call["param"]["id"].as_u64(), Some(self.1), "{call}");
        assert_eq!(call["param"]["method"], "setup");
        assert_eq!(
            call["param"]["param"]["fen"],
            format!("{START} w KQkq - 0 1")
        );
        call["id"].clone()
    }

    /// Nothing but the list of boards is asked for. The first call may have been on its way before.
    async fn is_not_set_up(&mut self) {
        for _ in 0..2 {
            assert_eq!(self.next_call().await["call"], "eboards");
        }
    }

    /// Lists the board, waits for the subscription, and shows the squares.
    async fn shows(&mut self, hall: &mut Hall, squares: &str) {
        self.lists(json!([listed("23946", Some("ACTIVE"))])).await;
        self.called("subscribe").await;
        self.feeds(json!({"serialnr": "23946", "board": squares}))
            .await;
        hall.is_found().await;
    }

    /// Shows moves after a `setup` of another client.
    async fn feeds_moves_of_other(&mut self, sans: &[&str]) {
        let start = format!("{START} w KQkq - 0 1");
        self.feeds(json!({"serialnr": "23946", "start": start, "san": sans, "match": true}))
            .await;
    }

    async fn feeds_moves(&mut self, sans: &[&str]) {
        self.feeds(json!({"serialnr": "23946", "san": sans, "match": true}))
            .await;
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
    hall.is_lost("the server does not list its boards").await;
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

#[tokio::test]
async fn live_chess_is_asked_for_its_moves_when_a_game_begins() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.has_no_moves("was not asked for the moves of this game")
        .await;
    hall.awaits(true);
    let id = server.is_set_up().await;
    server
        .sends(&json!({"response": "call", "id": id, "param": null, "time": 1}))
        .await;
    let begun = json!({
        "serialnr": "23946", "start": format!("{START} w KQkq - 0 1"), "san": [], "match": true,
    });
    server.feeds(begun).await;
    hall.has_moves(&[]).await;
    hall.awaits(false);
    server.feeds_moves(&["e4", "e5", "Nf3"]).await;
    hall.has_moves(&["e2e4", "e7e5", "g1f3"]).await;
    // The whole list comes each time, and a move may be taken back.
    server.feeds_moves(&["e4", "e5"]).await;
    hall.has_moves(&["e2e4", "e7e5"]).await;
}

#[tokio::test]
async fn live_chess_is_not_asked_in_the_middle_of_a_game() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.awaits(true);
    server.is_set_up().await;
    server.feeds_moves(&["Nf3", "Nf6", "Ng1"]).await;
    hall.has_moves(&["g1f3", "g8f6", "f3g1"]).await;
    hall.awaits(false);
    // The pieces leave their first squares and come back to them in the game.
    let away = "rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR";
    for squares in [away, START] {
        server
            .feeds(json!({"serialnr": "23946", "board": squares}))
            .await;
    }
    server.is_not_set_up().await;
    // The next game begins, with the pieces where they are.
    hall.awaits(true);
    server.is_set_up().await;
}

#[tokio::test]
async fn a_list_that_has_not_begun_is_not_asked_for_again() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    // Where these moves begin is not known.
    server.feeds_moves(&["e4"]).await;
    server.feeds_moves_of_other(&[]).await;
    hall.has_moves(&[]).await;
    hall.awaits(true);
    server.is_set_up().await;
    server.feeds_moves(&[]).await;
    // A piece is adjusted.
    let lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    for squares in [lifted, START] {
        server
            .feeds(json!({"serialnr": "23946", "board": squares}))
            .await;
    }
    server.is_not_set_up().await;
}

#[tokio::test]
async fn a_live_chess_that_is_not_to_be_asked_is_only_listened_to() {
    let mut hall = Hall::with(false, Records::None).await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.has_no_moves("lists no moves of this board").await;
    hall.awaits(true);
    server.is_not_set_up().await;
    server.feeds_moves_of_other(&["d4"]).await;
    hall.has_moves(&["d2d4"]).await;
}

#[tokio::test]
async fn a_board_of_a_tournament_is_never_set_up() {
    let mut hall = Hall::with(true, Records::Tournament).await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.awaits(true);
    server.is_not_set_up().await;
    hall.awaits(false);
    hall.has_no_moves("lists no moves of this board").await;
}

#[tokio::test]
async fn while_it_is_not_known_whether_a_board_is_in_a_tournament_it_is_not_set_up() {
    let mut hall = Hall::with(true, Records::Silence).await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.awaits(true);
    server.is_not_set_up().await;
}

#[tokio::test]
async fn a_refused_list_is_named_and_the_squares_are_read_on() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    assert!(matches!(hall.next().await, Sensed::Placement(_)));
    hall.awaits(true);
    let id = server.is_set_up().await;
    server
        .sends(&json!({"response": "error", "id": id, "param": {"message": "in\nuse"}, "time": 1}))
        .await;
    hall.has_no_moves("does not list its moves: in use").await;
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
async fn a_list_ends_with_its_connection() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    hall.awaits(true);
    server.is_set_up().await;
    server.feeds_moves(&["e4"]).await;
    hall.has_moves(&["e2e4"]).await;
    hall.awaits(false);
    drop(server);
    hall.has_no_moves("LiveChess at ws://127.0.0.1").await;
    let mut server = hall.accept().await;
    server.lists(json!([listed("23946", Some("ACTIVE"))])).await;
    server.called("subscribe").await;
    let moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    server
        .feeds(json!({"serialnr": "23946", "board": moved}))
        .await;
    hall.has_no_moves("was not asked for the moves of this game")
        .await;
}

#[tokio::test]
async fn moves_that_cannot_be_read_are_named_and_take_nothing_with_them() {
    let mut hall = Hall::new().await;
    let mut server = hall.accept().await;
    server.shows(&mut hall, START).await;
    server.feeds_moves_of_other(&["e4", "e5"]).await;
    hall.has_moves(&["e2e4", "e7e5"]).await;
    for rubbish in [
        json!({"serialnr": "23946", "san": "e4"}),
        json!({"serialnr": "23946", "san": [null]}),
        json!({"serialnr": "23946", "san": ["d4"], "start": "8/8"}),
        json!({"serialnr": "23946", "san": ["c4"]}),
    ] {
        server.feeds(rubbish).await;
    }
    // What castles, promotes or gives check is written as usual.
    server
        .feeds(json!({
            "serialnr": "23946", "start": "4k3/P7/8/8/8/8/8/4K2R w K - 0 1",
            "san": ["O-O", "Kd7", "a8=Q", "Qh4"],
        }))
        .await;
    hall.has_moves(&["e1g1", "e8d7", "a7a8q"]).await;
    let list = hall.reconstruction.borrow().since_setup.clone().unwrap();
    assert_eq!(list.unreadable.as_deref(), Some("Qh4"));
}
