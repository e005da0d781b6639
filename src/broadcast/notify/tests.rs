//! Outboxes against a server without a network.

mod due;
mod silent;

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::http::{Request, Response, StatusCode, header};
use bytes::Bytes;
use remisd_game::{Alert, AlertCode, Level};
use serde_json::{Map, Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{Due, Kind, Message, Next, Outbox, Phrase, Rates, Receiver, Scope, SilentByBoard, run};
use crate::{
    disk::StatePlace,
    lichess::Token,
    testing::{board, file_with, poll},
};
use remisd_transport::{Transport, TransportError};

const OPEN: Scope = Scope {
    least: Level::Red,
    content: true,
};
const COMPETITION: Scope = Scope {
    content: false,
    ..OPEN
};
const RATES: Rates = Rates { board: 4, all: 12 };

fn alert(code: AlertCode, level: Level, number: u64) -> Alert {
    Alert {
        id: format!("{}-{number}", code.as_str()),
        level,
        code,
        arguments: Map::new(),
        article: None,
        since: "2026-11-28T12:00:00Z".parse().unwrap(),
        acknowledged_by: None,
        acknowledged_at: None,
        escalated: false,
        subject: String::new(),
    }
}

fn claim(number: u64) -> Alert {
    alert(AlertCode::ClaimMade, Level::Red, number)
}

fn acknowledged(alert: Alert) -> Alert {
    Alert {
        acknowledged_by: Some("arbiter".to_owned()),
        ..alert
    }
}

/// A server that notes what it gets and when.
#[derive(Clone, Default)]
struct Phone(Arc<Mutex<Noted>>);

#[derive(Default)]
struct Noted {
    bodies: Vec<(Instant, Value)>,
    busy: bool,
    overlaps: u32,
    attempts: Vec<Instant>,
    /// The status of the answers to come, with the header `Retry-After`.
    answers: Vec<(u16, Option<&'static str>)>,
    down: bool,
}

impl Phone {
    fn texts(&self) -> Vec<String> {
        let noted = self.0.lock().unwrap();
        let texts = noted.bodies.iter().map(|(_, body)| &body["title"]);
        texts
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    }

    fn attempts(&self) -> usize {
        self.0.lock().unwrap().attempts.len()
    }
}

impl Transport for Phone {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        {
            let mut noted = self.0.lock().unwrap();
            noted.overlaps += u32::from(noted.busy);
            noted.busy = true;
            noted.attempts.push(Instant::now());
        }
        sleep(Duration::from_millis(50)).await;
        let mut noted = self.0.lock().unwrap();
        noted.busy = false;
        if noted.down {
            return Err(TransportError::Timeout);
        }
        assert_eq!(request.headers()[header::AUTHORIZATION], "Bearer tk_x");
        let mut answer = Response::new(Bytes::from_static(b"{}"));
        if !noted.answers.is_empty() {
            let (status, wait) = noted.answers.remove(0);
            *answer.status_mut() = StatusCode::from_u16(status).unwrap();
            if let Some(wait) = wait {
                let wait = header::HeaderValue::from_static(wait);
                answer.headers_mut().insert(header::RETRY_AFTER, wait);
            }
        }
        if answer.status().is_success() {
            let body = serde_json::from_slice(request.body()).unwrap();
            noted.bodies.push((Instant::now(), body));
        }
        Ok(answer)
    }
}

fn phrase() -> Phrase {
    Arc::new(|notice| Message {
        title: format!(
            "{} {} {} +{}",
            notice.board,
            notice.number.map_or_else(String::new, |n| n.to_string()),
            notice.state.as_str(),
            notice.left_out
        ),
        text: (notice.alert.as_ref()).map_or_else(String::new, |alert| alert.id.clone()),
        urgent: notice.state.is_urgent(),
        fields: Map::new(),
    })
}

fn receiver(kind: Kind) -> Receiver {
    Receiver {
        name: "phones".to_owned(),
        url: "https://ntfy.example/".to_owned(),
        kind,
        token: Some(Token::new("tk_x").unwrap()),
    }
}

struct Fixture {
    outbox: Outbox,
    phone: Phone,
    silent: SilentByBoard,
    _task: JoinSet<()>,
}

impl Fixture {
    fn open(scope: Scope, file: Option<StatePlace>) -> Self {
        let phone = Phone::default();
        let due = Due::new(scope, RATES);
        let outbox = Outbox::new(due, file);
        let silent = SilentByBoard::default();
        let mut task = JoinSet::new();
        task.spawn(run(
            receiver(Kind::Webhook),
            outbox.clone(),
            phrase(),
            phone.clone(),
            silent.clone(),
            1,
        ));
        Self {
            outbox,
            phone,
            silent,
            _task: task,
        }
    }

    fn take(&self, number: u32, open: &[Alert]) {
        self.outbox.take(&board(number), open);
    }
}

async fn pass(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn an_alert_is_reported_until_it_is_closed() {
    let line = Fixture::open(OPEN, None);
    let amber = alert(AlertCode::ClockStopped, Level::Amber, 3);
    let lost = alert(AlertCode::BoardLost, Level::Grey, 4);
    line.take(1, &[claim(7), amber.clone(), lost]);
    pass(1).await;
    line.take(
        1,
        &[
            Alert {
                escalated: true,
                ..claim(7)
            },
            amber.clone(),
        ],
    );
    pass(60).await;
    line.take(1, &[acknowledged(claim(7)), amber.clone()]);
    pass(1).await;
    line.take(1, &[acknowledged(claim(7)), amber]);
    pass(1).await;
    line.take(1, &[]);
    pass(60).await;
    let expected = [
        "b1 7 raised +0",
        "b1 4 raised +0",
        "b1 7 escalated +0",
        "b1 4 closed +0",
        "b1 7 acknowledged +0",
        "b1 7 closed +0",
    ];
    assert_eq!(line.phone.texts(), expected);
    assert_eq!(line.phone.0.lock().unwrap().overlaps, 0);
    assert_eq!(
        line.phone.0.lock().unwrap().bodies[0].1["text"],
        "claim_made-7"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_gets_the_newest_state_and_the_number_of_what_is_left_out() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().down = true;
    line.take(1, &[claim(7)]);
    line.take(2, &[claim(9)]);
    pass(3_600).await;
    assert!(
        line.phone.attempts() < 30,
        "{} in an hour",
        line.phone.attempts()
    );
    line.take(1, &[acknowledged(claim(7))]);
    line.take(2, &[]);
    line.phone.0.lock().unwrap().down = false;
    pass(600).await;
    assert_eq!(
        line.phone.texts(),
        ["b1 7 acknowledged +2", "b2 9 closed +0"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_board_that_flickers_fills_neither_the_phone_nor_the_memory() {
    let line = Fixture::open(OPEN, None);
    for number in 0..1_000 {
        line.take(1, &[alert(AlertCode::BoardLost, Level::Grey, number)]);
        line.take(2, &[]);
        sleep(Duration::from_millis(100)).await;
    }
    line.take(2, &[claim(1)]);
    pass(1).await;
    let texts = line.phone.texts();
    assert!(texts.len() <= 12, "{texts:?}");
    let last = texts.last().unwrap();
    assert!(
        last.starts_with("b2 1 raised"),
        "another board is not held up: {last}"
    );
    line.take(1, &[]);
    pass(600).await;
    let texts = line.phone.texts();
    assert!(texts.len() < 25, "{texts:?}");
    // Of every change there was a message, or a later message counts it.
    let counted = texts.iter().map(|text| text.rsplit_once('+').unwrap().1);
    let left_out: usize = counted.map(|count| count.parse::<usize>().unwrap()).sum();
    assert_eq!(texts.len() + left_out, 2_001);
}

#[tokio::test(start_paused = true)]
async fn all_boards_together_have_a_limit_too() {
    let line = Fixture::open(OPEN, None);
    for number in 1..=40 {
        line.take(number, &[claim(7)]);
    }
    pass(5).await;
    assert_eq!(line.phone.texts().len(), 12);
    pass(300).await;
    assert_eq!(line.phone.texts().len(), 40, "none is lost");
    let noted = line.phone.0.lock().unwrap();
    for minute in noted.attempts.windows(25) {
        let took = *minute.last().unwrap() - minute[0];
        assert!(took >= Duration::from_mins(1), "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_fewer_messages_gets_them() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().answers = vec![(429, Some("900")), (429, None), (503, None)];
    line.take(1, &[claim(7)]);
    pass(899).await;
    assert_eq!(line.phone.attempts(), 1);
    pass(30).await;
    assert_eq!(line.phone.attempts(), 2);
    pass(1_200).await;
    assert_eq!(line.phone.texts(), ["b1 7 raised +0"]);
    let noted = line.phone.0.lock().unwrap();
    assert!(noted.attempts[2] - noted.attempts[1] >= Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_refused_holds_up_no_other() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().answers = vec![(400, None)];
    line.take(1, &[claim(7)]);
    line.take(2, &[claim(8)]);
    pass(10).await;
    assert_eq!(line.phone.texts(), ["b2 8 raised +1"]);
}

#[tokio::test]
async fn a_restart_repeats_nothing_and_reports_alerts_closed_since() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("phones.json");
    let line = Fixture::open(OPEN, Some(file.clone().into()));
    line.take(1, &[claim(7), claim(8)]);
    file_with(&file, "claim_made-8").await;
    drop(line);
    let line = Fixture::open(OPEN, Some(file.clone().into()));
    line.take(1, &[claim(7)]);
    let texts = poll(|| Some(line.phone.texts()).filter(|texts| !texts.is_empty()));
    assert_eq!(texts.await.unwrap(), ["b1 8 closed +0"]);
}

#[tokio::test]
async fn a_disk_that_is_away_holds_up_no_message_and_is_written_when_it_is_back() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("phones.json");
    let line = Fixture::open(OPEN, Some(file.clone().into()));
    line.take(1, &[claim(7)]);
    let known = file_with(&file, "claim_made-7").await;
    drop(line);
    let is_there = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_there);
    let away = StatePlace::new(file.clone(), move || {
        let there = asked.load(Ordering::Relaxed);
        there
            .then_some(())
            .ok_or_else(|| io::Error::other("no disk"))
    });
    let line = Fixture::open(OPEN, Some(away));
    line.take(1, &[claim(9)]);
    let texts = poll(|| Some(line.phone.texts()).filter(|texts| !texts.is_empty()));
    assert_eq!(texts.await.unwrap(), ["b1 9 raised +0"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), known);
    is_there.store(true, Ordering::Relaxed);
    // The alert that was open before the disk was away is known again, and was closed since.
    let closed = |texts: &Vec<String>| texts.len() > 1;
    let texts = poll(|| Some(line.phone.texts()).filter(closed)).await;
    assert_eq!(texts.unwrap()[1], "b1 7 closed +0");
    file_with(&file, "claim_made-9").await;
}

#[tokio::test(start_paused = true)]
async fn ntfy_gets_its_own_json() {
    let phone = Phone::default();
    let kind = Kind::Ntfy {
        topic: "hall-x7".to_owned(),
        priority: 5,
        quiet_priority: 2,
        tags: vec!["warning".to_owned()],
    };
    let message = |urgent| Message {
        title: "Board b1".to_owned(),
        text: "Come.".to_owned(),
        urgent,
        fields: Map::new(),
    };
    for urgent in [true, false] {
        let sent = receiver(kind.clone()).send(&phone, &message(urgent)).await;
        assert_eq!(sent.unwrap(), "200 OK: {}");
    }
    let noted = phone.0.lock().unwrap();
    let expected = json!({
        "topic": "hall-x7", "title": "Board b1", "message": "Come.", "priority": 5,
        "tags": ["warning"],
    });
    assert_eq!(noted.bodies[0].1, expected);
    let expected =
        json!({"topic": "hall-x7", "title": "Board b1", "message": "Come.", "priority": 2});
    assert_eq!(noted.bodies[1].1, expected);
}

#[tokio::test]
async fn an_error_repeats_no_secret() {
    let receiver = Receiver {
        name: "receiver 1".to_owned(),
        url: "https://phone.example/hooks/s3cr3t-path".to_owned(),
        kind: Kind::Webhook,
        token: None,
    };
    let answer = "Cannot POST /hooks/s3cr3t-path at https://phone.example";
    let shown = receiver.without_secrets(answer);
    assert!(!shown.contains("s3cr3t"), "{shown}");
    assert!(shown.starts_with("Cannot POST"), "{shown}");
}
