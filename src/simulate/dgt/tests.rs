use super::*;

const SCAN_US: u64 = SCAN_SQUARE_US * 64;

fn board() -> SimulatedBoard {
    SimulatedBoard::new([0; 64], SimulatedClock::new(true, 60_000))
}

/// Returns everything that the board answers to `bytes`, given unlimited time.
fn answer(board: &mut SimulatedBoard, bytes: &[u8]) -> Vec<u8> {
    board.receive(bytes, 0);
    board.carried(u64::MAX / 2)
}

#[test]
fn it_answers_each_query() {
    let mut board = board();
    assert!(answer(&mut board, &[0x40]).is_empty());
    let dump = answer(&mut board, &[0x42]);
    assert_eq!((dump.len(), &dump[..3]), (67, &[0x86, 0x00, 0x43][..]));
    assert_eq!(answer(&mut board, &[0x4D]), [0x93, 0, 5, 3, 1]);
    assert_eq!(answer(&mut board, &[0x45])[..3], [0x91, 0, 8]);
    assert_eq!(answer(&mut board, &[0x46]), [0x90, 0, 5, 0, 42]);
    assert_eq!(answer(&mut board, &[0x4C])[..3], [0xA0, 0, 12]);
    assert_eq!(answer(&mut board, &[0x55])[..3], [0xA2, 0, 13]);
    assert_eq!(answer(&mut board, &[0x41])[..3], [0x8D, 0, 10]);
    assert_eq!(
        answer(&mut board, &[0x49]),
        [0x8F, 0, 8, 0x7F, 0x7F, 0x7F, 0x6A, 0x6B]
    );
    assert!(answer(&mut board, &[0x48, 0x7E, 0x00, 0x4E, 0xFF]).is_empty());
}

#[test]
fn its_notice_is_its_own() {
    let mut board = board();
    let notice = answer(&mut board, &[0x47]);
    let text = String::from_utf8_lossy(&notice[3..]).to_lowercase();
    assert!(text.contains("simulated"));
    assert!(!text.contains("digital game") && !text.contains("copyright"));
}

#[test]
fn clock_commands_are_answered_in_update_modes_only() {
    let mut board = board();
    let version = [0x2B, 0x03, 0x03, 0x09, 0x00];
    assert!(answer(&mut board, &version).is_empty());
    board.receive(&[0x4B], 0);
    assert_eq!(
        answer(&mut board, &version),
        [0x8D, 0, 10, 0x0A, 0x10, 0x09, 0, 0x20, 0, 0]
    );
}

#[test]
fn changes_are_reported_in_the_order_of_the_scan() {
    let mut board = board();
    board.put(0x34, 1, 0);
    board.advance(SCAN_US);
    board.receive(&[0x42, 0x44], SCAN_US);
    board.carried(u64::MAX / 2);
    assert!(board.is_watched());
    // Lifted from e2 and placed on e4 within one scan: the higher rank is reported first.
    let now = 10 * SCAN_US;
    board.put(0x34, 0, now);
    board.put(0x24, 1, now + 1000);
    let mut scanned = Vec::new();
    while board.due.iter().any(Option::is_some) {
        let next = board.due.iter().flatten().min().copied().unwrap();
        board.advance(next);
        scanned.push(next);
    }
    assert_eq!(
        scanned,
        [now + 0x24 * SCAN_SQUARE_US, now + 0x34 * SCAN_SQUARE_US]
    );
    assert_eq!(
        board.carried(u64::MAX / 2),
        [0x8E, 0, 5, 0x24, 1, 0x8E, 0, 5, 0x34, 0]
    );
}

/// Advances a board that reports changes, and returns the reported changes.
fn reported(board: &mut SimulatedBoard, until: u64) -> Vec<(u8, u8)> {
    while board.next_event() <= until {
        board.advance(board.next_event());
    }
    let bytes = board.carried(u64::MAX / 2);
    let updates = bytes.chunks(5).filter(|bytes| bytes[0] == 0x8E);
    updates.map(|bytes| (bytes[3], bytes[4])).collect()
}

#[test]
fn a_dead_square_reports_late_and_dumps_its_old_value() {
    let mut board = board();
    board.receive(&[0x44], 0);
    board.deaden(0x34, 5 * SECOND_US);
    board.put(0x34, 1, 0);
    assert_eq!(reported(&mut board, 4 * SECOND_US), []);
    assert_eq!(answer(&mut board, &[0x42])[3 + 0x34], 0);
    assert_eq!(reported(&mut board, 6 * SECOND_US), [(0x34, 1)]);
}

#[test]
fn a_misread_square_is_right_again_after_a_scan() {
    let mut board = board();
    board.receive(&[0x44], 0);
    board.misread(0x10, 9, 0);
    assert_eq!(reported(&mut board, 2 * SCAN_US), [(0x10, 9), (0x10, 0)]);
}

#[test]
fn a_lost_update_is_in_the_next_dump() {
    let mut board = board().with_quirks(Quirks {
        lost: 10_000,
        ..Quirks::default()
    });
    board.receive(&[0x44], 0);
    board.put(0x34, 1, 0);
    assert_eq!(reported(&mut board, SECOND_US), []);
    assert_eq!(answer(&mut board, &[0x42])[3 + 0x34], 1);
}

#[test]
fn bits_are_turned_on_the_line_only() {
    let flipping = Quirks {
        flipped_per_million: 1_000_000,
        ..Quirks::default()
    };
    let mut board = board().with_quirks(flipping);
    let dump = answer(&mut board, &[0x42]);
    assert!(dump[3..].iter().all(|code| code.is_power_of_two()));
    board.quirks.flipped_per_million = 0;
    assert_eq!(answer(&mut board, &[0x42])[3..], [0; 64]);
}

#[test]
fn the_line_takes_its_time() {
    let mut board = board();
    board.receive(&[0x4D], 5_000);
    assert!(board.carried(5_000 + BYTE_US - 1).is_empty());
    assert_eq!(board.carried(5_000 + 2 * BYTE_US), [0x93, 0]);
    assert_eq!(board.carried(5_000 + 9 * BYTE_US), [5, 3, 1]);
    assert_eq!(board.next_byte(), None);
}

#[test]
fn the_clock_is_sent_every_second_or_when_it_has_changed() {
    let mut board = board();
    board.receive(&[0x4B], 0);
    board.advance(SECOND_US);
    assert_eq!(board.carried(u64::MAX / 2).len(), 10);
    board.advance(2 * SECOND_US);
    assert!(board.carried(u64::MAX / 2).is_empty());
    board.receive(&[0x43], 0);
    for second in 3..6 {
        board.advance(second * SECOND_US);
    }
    assert_eq!(board.carried(u64::MAX / 2).len(), 30);
}
