//! Commands to the daemon: the built daemon, a real Mosquitto and the Lichess for tests.

use std::net::Ipv4Addr;

use remisd_broadcast::lichess::fake::{Breaches, Fake};
use remisd_testkit::{
    DEADLINE, by_hand::ByHand, mosquitto::Mosquitto, poll::poll, remisd::Home, schemas,
    witness::Witness,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{TUNING, token_in};

const STATE: &str = "chess/v1/hall/node/remisd/broadcast";

/// A venue with a Lichess on this computer.
struct Venue {
    fake: Fake,
    broker: Mosquitto,
    home: Home,
    witness: Witness,
    _place: tempfile::TempDir,
}

impl Venue {
    async fn open(more: &str) -> Self {
        let fake = Fake::default();
        let lichess = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let host = lichess.local_addr().unwrap();
        let router = fake.router();
        tokio::spawn(async move { axum::serve(lichess, router).await });
        let place = tempfile::tempdir().unwrap();
        let token = token_in(place.path());
        let sections = format!(
            "[broadcast.lichess]\nhost = \"http://{host}\"\ntournament = \"TourName\"\n\
             token_file = \"{}\"\n{more}",
            token.display()
        );
        let broker = Mosquitto::start().await;
        let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
        let witness = Witness::watch(broker.address(), &["chess/v1/#"]).await;
        Self {
            fake,
            broker,
            home,
            witness,
            _place: place,
        }
    }

    /// Sends a command and waits for the given answer to it; there may be one before.
    async fn ask(&self, role: &str, verb: &str, mut payload: Value, answers: usize) -> Value {
        let id = payload["id"].as_str().unwrap().to_owned();
        let name = format!("command-{verb}");
        assert_eq!(schemas::faults(&name, &payload), Vec::<String>::new());
        let reply = format!("chess/v1/hall/reply/{role}/x");
        payload["reply_to"] = reply.clone().into();
        let topic = format!("chess/v1/hall/cmd/{role}/remisd/{verb}");
        self.witness.publish(&topic, payload.to_string()).await;
        let found = self.witness.until(&id, |messages| {
            let replies = messages.iter().filter(|message| message.topic == reply);
            let mut replies = replies.map(remisd_testkit::witness::Message::json);
            replies.rfind(|one| one["id"] == id).filter(|_| {
                let of = messages.iter().filter(|message| message.topic == reply);
                of.filter(|message| message.json()["id"] == id).count() >= answers
            })
        });
        found.await
    }

    /// Waits until the state of the broadcast is so.
    async fn state<T>(&self, find: impl FnMut(&Value) -> Option<T>) -> T {
        self.witness.retained(STATE, find).await
    }

    async fn order(&self, id: &str, state: &str) -> Value {
        let of = |all: &Value| {
            let orders = all["lichess"]["orders"].as_array()?;
            let order = orders.iter().find(|order| order["id"] == id)?;
            (order["state"] == state).then(|| order.clone())
        };
        self.state(of).await
    }

    /// A command to the board.
    async fn arbiter(&self, verb: &str, payload: Value) {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        self.witness.publish(&topic, payload.to_string()).await;
    }

    /// Waits for the daemon, names the players, and plays three plies.
    async fn begin(&self, board: &mut ByHand) {
        self.state(|state| state["lichess"]["creates"].as_bool())
            .await;
        let topic = "chess/v1/hall/public/b1/game";
        let begun = |game: &Value| game["moves"].as_array().map(|_| ());
        self.witness.retained(topic, begun).await;
        let tags = json!({"Event": "Open", "Round": "1", "White": "White, A", "Black": "Black, B"});
        self.arbiter("headers", json!({"id": "h", "headers": tags}))
            .await;
        for (count, uci) in (1..).zip(["e2e4", "e7e5", "g1f3"]) {
            self.play(board, uci, count).await;
        }
    }

    async fn play(&self, board: &mut ByHand, uci: &str, count: usize) {
        board.play(uci).await;
        let topic = "chess/v1/hall/public/b1/game";
        let has = |game: &Value| (game["moves"].as_array()?.len() == count).then_some(());
        self.witness.retained(topic, has).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_is_created_reset_after_a_correction_and_closed_by_commands() {
    let venue = Venue::open("").await;
    let daemon = venue.home.start();
    let mut board = ByHand::start(&venue.home.port("b1"));
    venue.begin(&mut board).await;

    // Players may not, and nothing is reset that is not there.
    let refused = venue
        .ask("white", "lichess_reset", json!({"id": "w"}), 1)
        .await;
    assert_eq!(refused["code"], "role_may_not");
    let refused = venue
        .ask("operator", "lichess_reset", json!({"id": "0"}), 1)
        .await;
    assert_eq!(refused["code"], "wrong_state", "{refused}");

    // Twice the same command: one round, two answers.
    let create = json!({"id": "c", "round": 1, "name": "Round 1", "rated": false});
    for count in 1..=2 {
        let reply = venue
            .ask("operator", "lichess_create", create.clone(), count)
            .await;
        assert_eq!(reply["ok"], true, "{reply}");
    }
    let order = venue.order("c", "done").await;
    let id = order["made"].as_str().unwrap().to_owned();
    let line = async |moves: &str| {
        let what = || format!("{moves} is not in {:?}", venue.fake.chapters(&id));
        poll(DEADLINE, what, async || {
            let chapters = venue.fake.chapters(&id);
            (chapters.first()?.line() == moves).then_some(chapters)
        })
        .await
    };
    line("e4 e5 Nf3").await;
    let more = json!({"id": "c2", "round": 1, "name": "Round 1"});
    let refused = venue.ask("operator", "lichess_create", more, 1).await;
    assert_eq!(refused["code"], "wrong_state");

    // A correction leaves a variation, which the state names until the round is reset.
    let moves = json!({"id": "k", "to_ply": 1, "moves": ["c5", "Nf3"]});
    venue.arbiter("correct", moves).await;
    assert_eq!(line("e4 c5 Nf3").await[0].variations.len(), 1);
    let replaced = |state: &Value| {
        let game = &state["lichess"]["boards"]["b1"]["games"][0];
        game["replaced"].as_array().cloned()
    };
    let named = venue.state(replaced).await;
    assert_eq!(named, [json!({"from_ply": 2, "moves": "e5 Nf3"})]);

    // What Lichess shows, the round's id and the answers survive a kill.
    let session = |state: &Value| state["session"].as_str().map(str::to_owned);
    let before = venue.state(session).await;
    daemon.kill().await;
    let daemon = venue.home.start();
    // A daemon that has pushed knows the games.
    let again = |state: &Value| {
        let pushed = state["lichess"]["rounds"][0]["taken_at"].as_str();
        (session(state)? != before).then_some(())?;
        pushed.map(|_| ())
    };
    venue.state(again).await;
    let reply = venue.ask("operator", "lichess_create", create, 3).await;
    assert_eq!(reply["ok"], true);
    let reset = venue
        .ask(
            "arbiter",
            "lichess_reset",
            json!({"id": "r", "round": 1}),
            1,
        )
        .await;
    assert_eq!(reset["ok"], true, "{reset}");
    venue.order("r", "done").await;
    assert!(line("e4 c5 Nf3").await[0].variations.is_empty());
    let clean = |state: &Value| {
        let games = state["lichess"]["boards"]["b1"]["games"].as_array()?;
        games[0].get("replaced").is_none().then_some(())
    };
    venue.state(clean).await;

    // It is closed once the public has the result.
    let close = venue
        .ask("operator", "lichess_close", json!({"id": "x"}), 1)
        .await;
    assert_eq!(close["code"], "wrong_state", "{close}");
    let result = json!({"id": "1", "score": "1/2-1/2"});
    venue.arbiter("result", result).await;
    poll(
        DEADLINE,
        || format!("{:?}", venue.fake.chapters(&id)),
        async || (venue.fake.chapters(&id)[0].tag("Result") == Some("1/2-1/2")).then_some(()),
    )
    .await;
    let close = venue
        .ask("operator", "lichess_close", json!({"id": "y"}), 1)
        .await;
    assert_eq!(close["ok"], true, "{close}");
    venue.order("y", "done").await;
    assert!(venue.fake.is_finished(&id));

    assert_eq!((venue.fake.created(), venue.fake.resets()), (1, 1));
    assert_eq!(venue.fake.breaches(), Breaches::default());
    let states = venue.witness.messages();
    let states = states.iter().filter(|message| message.topic == STATE);
    for state in states {
        let faults = schemas::faults("broadcast", &state.json());
        assert!(faults.is_empty(), "{faults:#?}");
    }
    drop(daemon);
    drop(venue.broker);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_message_goes_to_every_phone_and_its_answer_is_shown() {
    let phones = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = phones.local_addr().unwrap().port();
    let takes = axum::Router::new().route("/takes", axum::routing::post(async || ""));
    tokio::spawn(async move { axum::serve(phones, takes).await });
    let mut notify = String::new();
    for path in ["takes", "refuses"] {
        let section =
            format!("[[notify]]\nkind = \"webhook\"\nurl = \"http://127.0.0.1:{port}/{path}\"\n");
        notify.push_str(&section);
    }
    let venue = Venue::open(&notify).await;
    let _daemon = venue.home.start();
    venue
        .state(|state| state["phones"].as_array().map(|_| ()))
        .await;
    let reply = venue
        .ask("operator", "notify_test", json!({"id": "t"}), 1)
        .await;
    assert_eq!(reply["ok"], true, "{reply}");
    let tested = |state: &Value| {
        let phones = state["phones"].as_array()?.iter();
        phones.map(|phone| phone["test"]["ok"].as_bool()).collect()
    };
    let tested: Vec<bool> = venue.state(tested).await;
    assert_eq!(tested, [true, false]);
    let refused = venue
        .ask("clock", "notify_test", json!({"id": "t"}), 1)
        .await;
    assert_eq!(refused["code"], "role_may_not");
}
