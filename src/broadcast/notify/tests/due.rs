//! What a receiver is due, without a server.

use super::*;
use crate::notify::Notice;

/// The message that is due.
fn next_of(due: &mut Due) -> Notice {
    let Next::Send(notice) = due.next(Instant::now()) else {
        panic!("a message is due");
    };
    *notice
}

#[tokio::test(start_paused = true)]
async fn in_a_competition_no_content_is_there_to_be_sent_or_kept() {
    let mut due = Due::new(COMPETITION, RATES);
    due.take(&board(1), &[claim(7), acknowledged(claim(9))]);
    for _ in 0..2 {
        let notice = next_of(&mut due);
        assert!(notice.alert.is_none());
        due.sent(&notice);
    }
    let kept = serde_json::to_string(&due.known()).unwrap();
    assert!(!kept.contains("arguments"), "{kept}");
}

#[tokio::test]
async fn in_a_competition_no_message_follows_an_alert_about_claims() {
    for (content, expected) in [(true, true), (false, false)] {
        let least = Level::Amber;
        let mut due = Due::new(Scope { least, content }, RATES);
        let claimable = alert(AlertCode::ThreefoldClaimable, Level::Amber, 3);
        due.take(&board(1), &[claimable]);
        let is_sent = matches!(due.next(Instant::now()), Next::Send(_));
        assert_eq!(is_sent, expected);
    }
}

#[tokio::test]
async fn a_message_that_is_on_its_way_is_not_left_out() {
    for (arrives, left_out) in [(true, 0), (false, 1)] {
        let mut due = Due::new(OPEN, RATES);
        due.take(&board(1), &[claim(4)]);
        let raised = next_of(&mut due);
        due.take(&board(1), &[acknowledged(claim(4))]);
        if arrives {
            due.sent(&raised);
        } else {
            due.failed(&raised);
        }
        let next = next_of(&mut due);
        assert_eq!(next.left_out, left_out);
    }
}

#[tokio::test]
async fn no_alert_is_closed_while_the_record_is_not_there() {
    let mut due = Due::new(OPEN, RATES);
    due.take(&board(1), &[claim(4)]);
    let raised = next_of(&mut due);
    due.sent(&raised);
    let mut open = vec![alert(AlertCode::JournalDown, Level::Grey, 5)];
    due.take(&board(1), &open);
    assert!(matches!(due.next(Instant::now()), Next::Nothing));
    open.clear();
    due.take(&board(1), &open);
    let closed = next_of(&mut due);
    assert_eq!(closed.number, Some(4));
}

#[tokio::test]
async fn in_a_competition_the_numbers_of_messages_do_not_depend_on_alerts_that_stay_inside() {
    let lost = |number| alert(AlertCode::BoardLost, Level::Red, number);
    let numbers = |hidden: bool| {
        let mut due = Due::new(COMPETITION, RATES);
        let mut numbers = Vec::new();
        let mut next = |due: &mut Due| {
            while let Next::Send(notice) = due.next(Instant::now()) {
                due.sent(&notice);
                numbers.push((notice.state, notice.number));
            }
        };
        // The arbiter's numbers count hidden facts, too.
        let later = 13 + u64::from(hidden);
        let threefold = hidden.then(|| alert(AlertCode::ThreefoldClaimable, Level::Red, 13));
        let open = |alerts: &[Alert]| [alerts, threefold.as_slice()].concat();
        due.take(&board(1), &open(&[lost(later)]));
        next(&mut due);
        due.take(
            &board(1),
            &open(&[
                lost(later),
                alert(AlertCode::BoardMismatch, Level::Red, later + 1),
            ]),
        );
        next(&mut due);
        due.take(&board(1), &open(&[]));
        next(&mut due);
        numbers
    };
    let seen = numbers(false);
    assert_eq!(seen, numbers(true));
    let seen: Vec<_> = seen.into_iter().map(|(_, number)| number).collect();
    assert_eq!(seen, [Some(1), Some(2), Some(1), Some(2)]);
    let mut due = Due::new(COMPETITION, RATES);
    due.take(&board(1), &[claim(13)]);
    let first = next_of(&mut due);
    due.sent(&first);
    let mut again = Due::new(COMPETITION, RATES);
    again.restore(due.known());
    again.take(&board(1), &[claim(13), claim(14)]);
    let second = next_of(&mut again);
    assert_eq!(
        second.number,
        Some(2),
        "a restart does not repeat the number of an open alert"
    );
}

#[tokio::test]
async fn numbers_stay_when_alerts_come_before_it_is_known_what_was_sent() {
    let mut earlier = Due::new(COMPETITION, RATES);
    for id in [13, 14] {
        earlier.take(&board(1), &[claim(id)]);
        let raised = next_of(&mut earlier);
        earlier.sent(&raised);
    }
    // 13 was closed meanwhile; the phone knows 14 as its second.
    let mut due = Due::new(COMPETITION, RATES);
    due.take(&board(1), &[claim(14), claim(15)]);
    due.restore(earlier.known());
    let mut numbers = Vec::new();
    let mut send = |due: &mut Due| {
        let notice = next_of(due);
        due.sent(&notice);
        numbers.push(notice.number);
    };
    send(&mut due);
    due.take(&board(1), &[]);
    send(&mut due);
    assert_eq!(numbers, [Some(3), Some(2)], "15 is new, and 14 is closed");
}
