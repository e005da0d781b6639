//! The daemon survives any input on the line or from the broker.

use std::time::Duration;

use remisd::simulate::pty::Pty;
use serde_json::{Value, json};
use shakmaty::{EnPassantMode, Position, fen::Fen};

use super::{Stage, id, moves};
use fastrand::Rng;
use remisd_testkit::{PATIENCE, by_hand::ByHand};

/// Inputs on the line.
const ON_THE_LINE: usize = 1_500;
/// The time on both clocks after the noise: four minutes.
const LAST_WORD_MS: u64 = 4 * 60 * 1_000;
/// How long to wait for an echo before repeating.
const SAID_AGAIN: Duration = Duration::from_secs(2);
/// Inputs from the broker.
const FROM_THE_BROKER: usize = 1_500;

fn bytes(random: &mut Rng, most: usize) -> Vec<u8> {
    let count = random.usize(..=most);
    let byte = |_| random.u8(..);
    (0..count).map(byte).collect()
}

/// Data that a broken board might send.
fn noise(random: &mut Rng) -> Vec<u8> {
    let frame = |id: u8, payload: Vec<u8>| {
        let length = payload.len() + 3;
        let mut frame = vec![id];
        frame.push(u8::try_from(length >> 7).unwrap());
        frame.push(u8::try_from(length & 0x7F).unwrap());
        frame.extend(payload);
        frame
    };
    let low = |random: &mut Rng, end: u8| random.u8(..end);
    match random.usize(..6) {
        0 => bytes(random, 40),
        // A field update with arbitrary content.
        1 => frame(0x8E, vec![low(random, 128), low(random, 128)]),
        // A dump with arbitrary squares.
        2 => frame(0x86, (0..64).map(|_| low(random, 16)).collect()),
        // A clock message with arbitrary content.
        3 => frame(0x8D, (0..7).map(|_| low(random, 128)).collect()),
        // Any message of any length, truncated or not.
        4 => {
            let count = random.usize(..80);
            let payload = (0..count).map(|_| low(random, 128)).collect();
            let mut frame = frame(0x80 | low(random, 128), payload);
            frame.truncate(random.usize(..100));
            frame
        }
        // A header that declares a long message.
        _ => vec![0x80 | low(random, 128), low(random, 128), low(random, 128)],
    }
}

/// Checks that the daemon answers and follows the board from here on.
async fn is_well(stage: &mut Stage, board: &mut ByHand, name: &str) {
    let log = stage.daemon.log();
    assert!(stage.daemon.is_running(), "{log}");
    assert!(!log.contains("panicked"), "{log}");
    let fen = Fen::from_position(board.position(), EnPassantMode::Legal).to_string();
    let setup = json!({ "id": name, "fen": fen });
    let answer = stage.command("arbiter", "b1", "setup", &setup).await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.sees("b1").await;
    let topic = "chess/v1/hall/arbiter/b1/game";
    stage
        .witness
        .retained(topic, |game| {
            let set = moves(game).is_empty() && game["fen"] == fen;
            (set && game["tracker"]["state"] == "following").then_some(())
        })
        .await;
    let uci = board.position().legal_moves()[0]
        .to_uci(shakmaty::CastlingMode::Standard)
        .to_string();
    board.play(&uci).await;
    let game = stage.has_moves("b1", 1).await;
    assert_eq!(game["moves"][0]["uci"], uci);
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_the_line_does_no_lasting_harm() {
    let mut stage = Stage::set("", &["b1"]).await;
    let mut random = Rng::with_seed(1);
    // First a device that is not a board at all.
    let device = Pty::open(Some(&stage.home.port("b1"))).unwrap();
    for _ in 0..ON_THE_LINE / 3 {
        let noise = noise(&mut random);
        flood(&device, &noise).await;
    }
    flood(&device, &vec![0x86; 100_000]).await;
    drop(device);
    // Then a board on a line that adds noise.
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    for _ in 0..ON_THE_LINE / 3 * 2 {
        board.noise(noise(&mut random)).await;
    }
    board.noise(bytes(&mut random, 100_000)).await;
    hears_the_last_words(&stage, &board).await;
    is_well(&mut stage, &mut board, "after the noise").await;
}

/// Sends clock times until the last one is recorded. By then everything sent before has been read,
/// and no noise follows the next act.
async fn hears_the_last_words(stage: &Stage, board: &ByHand) {
    let shows = |minutes| [0x8D, 0, 10, 0, minutes, 0, 0, minutes, 0, 0];
    // The first may be an increase, which counts only when repeated.
    let words = [shows(5), shows(5), shows(4)].concat();
    let last = format!("\"white_ms\":{LAST_WORD_MS}");
    let finished = async {
        loop {
            board.noise(words.clone()).await;
            let recorded = stage.home.has_recorded("b1", &last);
            // A reopened line has lost its pending bytes.
            if tokio::time::timeout(SAID_AGAIN, recorded).await.is_ok() {
                return;
            }
        }
    };
    let finished = tokio::time::timeout(PATIENCE, finished).await;
    finished.expect("the last words are finished");
}

/// Writes as fast as the daemon reads, until all is written.
async fn flood(device: &Pty, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match device.try_write(bytes).unwrap() {
            0 => {
                // Nothing reads between two attempts to open the port.
                let room = tokio::time::timeout(PATIENCE, device.writable()).await;
                room.expect("the board is not read").unwrap();
            }
            written => bytes = &bytes[written..],
        }
    }
}

/// JSON of any shape, some of it nearly a command.
fn value(random: &mut Rng, depth: u64) -> Value {
    let texts = [
        "",
        "id",
        "1-0",
        "b1",
        "\u{0}",
        "♔",
        "e2e4",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "{",
    ];
    let text = texts[random.usize(..texts.len())];
    match random.u8(..if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(random.bool()),
        2 => json!(random.u64(..)),
        3 => json!(-1.5e300),
        4 => json!(text),
        5 => (0..random.usize(..5))
            .map(|_| value(random, depth - 1))
            .collect(),
        _ => {
            let keys = [
                "id",
                "by",
                "if_seq",
                "reply_to",
                "fen",
                "score",
                "headers",
                "start_fen",
                "laws",
                "rate",
                "alert",
                "verb",
                "arguments",
                "role",
                "x",
            ];
            let count = random.usize(..6);
            let entries = (0..count).map(|_| {
                let key = keys[random.usize(..keys.len())];
                (key.to_owned(), value(random, depth - 1))
            });
            Value::Object(entries.collect())
        }
    }
}

fn payload(random: &mut Rng, number: usize) -> Vec<u8> {
    match random.usize(..6) {
        0 => bytes(random, 300),
        1 => bytes(
            random,
            if number.is_multiple_of(10) {
                70_000
            } else {
                2_000
            },
        ),
        2 => {
            let depth = random.usize(..30_000);
            "[".repeat(depth).into_bytes()
        }
        3 => {
            let mut text = serde_json::to_vec(&value(random, 4)).unwrap();
            text.truncate(random.usize(..=text.len()));
            text
        }
        _ => {
            let mut command = value(random, 3);
            if let Value::Object(command) = &mut command {
                command.insert("id".to_owned(), json!(format!("random {number}")));
            }
            serde_json::to_vec(&command).unwrap()
        }
    }
}

/// This test is about content, so the rate limits are high.
const LIMITS: &str = "[limits]\narbiter = 1000\noperator = 1000\nplayer = 1000\nclock = 1000\n";

#[tokio::test(flavor = "multi_thread")]
async fn no_payload_brings_the_daemon_down() {
    let mut stage = Stage::set(LIMITS, &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let mut random = Rng::with_seed(2);
    let roles = [
        "arbiter", "operator", "white", "black", "clock", "board", "nobody", "ARBITER", "♔",
    ];
    let verbs = [
        "offer",
        "accept",
        "decline",
        "claim",
        "ruling",
        "resign",
        "result",
        "correct",
        "choose",
        "touch",
        "adjust",
        "new_game",
        "setup",
        "headers",
        "pause",
        "resume",
        "ack",
        "clock_state",
        "move",
        "undo",
        "evidence",
        "x",
        "",
    ];
    for number in 0..FROM_THE_BROKER {
        let role = roles[number % roles.len()];
        let verb = verbs[number / roles.len() % verbs.len()];
        let topic = format!("chess/v1/hall/cmd/{role}/b1/{verb}");
        let payload = payload(&mut random, number);
        stage.witness.publish(&topic, payload).await;
        if number % 100 == 99 {
            // The daemon keeps up, so that nothing is dropped unseen.
            let alive = id(&format!("alive {number}"));
            let answer = stage.command("arbiter", "b1", "result", &alive).await;
            assert_eq!(answer["code"], "bad_payload");
        }
    }
    is_well(&mut stage, &mut board, "after the rubbish").await;
}
