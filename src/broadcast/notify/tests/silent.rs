//! Boards about which a receiver lacks urgent messages.

use super::*;
use crate::notify::report_without_sending;

fn silent(fixture: &Fixture) -> Vec<String> {
    let boards = fixture.silent.subscribe();
    let boards = boards.borrow();
    boards.keys().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_reported_after_three_attempts() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().down = true;
    line.take(1, &[claim(7)]);
    pass(1).await;
    assert_eq!(line.phone.attempts(), 1);
    assert!(silent(&line).is_empty(), "a short outage");
    pass(30).await;
    assert!(line.phone.attempts() >= 3);
    assert_eq!(silent(&line), ["b1"]);
    // What changes while it waits for the next attempt is reported.
    let attempts = line.phone.attempts();
    line.take(2, &[claim(9)]);
    line.take(1, &[acknowledged(claim(7))]);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(line.phone.attempts(), attempts);
    assert_eq!(silent(&line), ["b2"]);
    line.phone.0.lock().unwrap().down = false;
    pass(600).await;
    assert!(silent(&line).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_for_a_long_wait_is_reported_immediately() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().answers = vec![(429, Some("3600"))];
    line.take(1, &[claim(7)]);
    pass(1).await;
    assert_eq!(silent(&line), ["b1"]);
    pass(3_700).await;
    assert!(silent(&line).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refused_message_is_lacking_until_its_alert_is_no_longer_urgent() {
    let line = Fixture::open(OPEN, None);
    line.phone.0.lock().unwrap().answers = vec![(400, None)];
    line.take(1, &[claim(7)]);
    pass(10).await;
    assert_eq!(silent(&line), ["b1"]);
    // A message about another alert of the board does not bring it.
    line.take(1, &[claim(7), claim(8)]);
    pass(60).await;
    assert_eq!(line.phone.texts(), ["b1 8 raised +1"]);
    assert_eq!(silent(&line), ["b1"]);
    line.take(1, &[acknowledged(claim(7)), claim(8)]);
    pass(60).await;
    assert!(silent(&line).is_empty());
}

#[tokio::test]
async fn what_was_refused_is_lacking_after_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("phones.json");
    let line = Fixture::open(OPEN, Some(file.clone().into()));
    line.phone.0.lock().unwrap().answers = vec![(400, None)];
    line.take(1, &[claim(7)]);
    file_with(&file, "\"refused\":true").await;
    drop(line);
    let line = Fixture::open(OPEN, Some(file.into()));
    line.take(1, &[claim(7)]);
    let shown = poll(|| Some(silent(&line)).filter(|boards| !boards.is_empty()));
    assert_eq!(shown.await.unwrap(), ["b1"]);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_without_its_token_lacks_every_urgent_message() {
    let shown = SilentByBoard::default();
    let outbox = Outbox::new(Due::new(OPEN, RATES), None);
    let (name, reason) = ("notify.0".to_owned(), "no token".to_owned());
    let mut tasks = JoinSet::new();
    tasks.spawn(report_without_sending(
        name,
        outbox.clone(),
        shown.clone(),
        reason,
    ));
    let silent = || shown.subscribe().borrow().len();
    outbox.take(&board(1), &[claim(7)]);
    pass(1).await;
    assert_eq!(silent(), 1);
    outbox.take(&board(1), &[]);
    pass(1).await;
    assert_eq!(silent(), 0);
}
