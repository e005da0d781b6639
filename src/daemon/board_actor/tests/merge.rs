//! A daemon that starts without the disk of its journal.

use std::path::{Path, PathBuf};

use super::{super::super::journal_queue::QUEUE_CAPACITY, *};
use remisd_game::{JournalFault, Score};
use remisd_journal::{Reader, disk::System};
use remisd_vocabulary::seq::EntrySeq;

/// A removable disk: the journal is behind a symbolic link.
struct Removable {
    folder: tempfile::TempDir,
}

impl Removable {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path().join("disk"), folder.path().join("link")).unwrap();
        Self { folder }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("link/journal")
    }

    /// Inserts or removes the disk.
    fn is_in(&self, is_in: bool) {
        let [disk, away] = ["disk", "away"].map(|name| self.folder.path().join(name));
        match (is_in, away.exists()) {
            (true, true) => std::fs::rename(away, disk),
            (true, false) => std::fs::create_dir(disk),
            (false, _) => std::fs::rename(disk, away),
        }
        .unwrap();
    }

    async fn seat(&self) -> Seat {
        let place = JournalLocation::from(self.journal().as_path());
        Seat::at(&laws::FIDE_2023, place, System, None).await
    }
}

impl Seat {
    /// Lets the arbiter enter these moves.
    async fn plays(&mut self, moves: &str) {
        let moves: Vec<&str> = moves.split(' ').collect();
        let ply = self.game().ply();
        let arguments = format!("\"to_ply\":{ply},\"moves\":{}", serde_json::json!(moves));
        assert!(self.asks(Role::Arbiter, "correct", &arguments).await);
    }

    fn is_red(&self) -> bool {
        let mut open = self.game().alerts().open().iter();
        open.any(|alert| alert.code == AlertCode::JournalDown)
    }

    /// Returns the sequence number and the number of moves in the public's view of the game.
    fn public(&self) -> (u64, usize) {
        let topic = topic::board(
            &self.actor.site,
            Outside::Public,
            &self.actor.board,
            Leaf::Game,
        );
        let messages = self.actor.publisher.full_snapshot();
        let message = messages
            .into_iter()
            .find(|message| *message.topic == *topic);
        let game: serde_json::Value = serde_json::from_slice(&message.unwrap().payload).unwrap();
        let moves = game["moves"].as_array().unwrap();
        (game["seq"].as_u64().unwrap(), moves.len())
    }

    /// Waits until everything is on the disk.
    async fn is_recorded(&mut self) {
        while self.actor.record.is_offline() || self.is_red() {
            self.actor.record.changed().await;
            self.actor.merge_with_disk(&self.answer).await;
            self.actor.record_journal_state().await;
        }
        self.rest().await;
        assert_eq!(self.actor.record.durable(), self.game().seq());
    }

    async fn stops(mut self) {
        self.actor.record.close().await;
        drop(self.actor);
        drop(self.journal);
        self.writer.join().unwrap();
    }
}

/// Returns the entries on the disk, game by game, after checking that the whole record is intact.
fn on_disk(journal: &Path) -> Vec<Vec<u64>> {
    let board: BoardId = "b1".parse().unwrap();
    let reader = Reader::new(journal);
    assert_eq!(reader.verify(&board).unwrap().first_break(), None);
    let segments = reader.segments(&board).unwrap().into_iter();
    let numbers = |first| {
        let entries = reader.segment(&board, first).unwrap().into_iter();
        entries.map(|entry| entry.seq.get()).collect()
    };
    segments.map(numbers).collect()
}

#[tokio::test]
async fn a_board_without_a_disk_plays_and_is_recorded_when_there_is_one() {
    let disk = Removable::new();
    let mut seat = disk.seat().await;
    assert!(seat.is_red());
    let down = seat.game().journal_down().unwrap();
    assert_eq!(down.code, JournalFault::Other);
    assert!(down.reason.contains("leads nowhere"), "{}", down.reason);
    seat.plays("e4 e5").await;
    let before = seat.game().seq().get();
    assert!(
        seat.actor.record.durable().get() < before - 3,
        "nothing is recorded"
    );

    disk.is_in(true);
    seat.is_recorded().await;
    assert_eq!(seat.game().ply(), 2);
    seat.plays("Nf3").await;
    let last = seat.game().seq().get();
    assert_eq!(seat.actor.record.durable().get(), last);
    seat.stops().await;
    let games = on_disk(&disk.journal());
    assert_eq!(games.len(), 1);
    let all: Vec<u64> = (games[0][0]..=last).collect();
    assert_eq!(games[0], all, "every entry, in order");

    let seat = disk.seat().await;
    assert_eq!(seat.game().ply(), 3);
    assert!(!seat.is_red());
}

#[tokio::test]
async fn the_game_on_a_disk_that_comes_late_is_taken_up_if_nothing_has_happened() {
    let disk = Removable::new();
    disk.is_in(true);
    let mut seat = disk.seat().await;
    seat.plays("d4 d5 c4").await;
    let (number, last) = (seat.game().number().get(), seat.game().seq().get());
    seat.stops().await;

    disk.is_in(false);
    let mut seat = disk.seat().await;
    assert_eq!(seat.game().ply(), 0);
    let published = seat.game().seq().get();
    assert!(seat.is_red() && published > last);
    let (before, moves) = seat.public();
    assert!(before > last && moves == 0);
    disk.is_in(true);
    seat.is_recorded().await;
    let (after, moves) = seat.public();
    assert_eq!(moves, 3);
    assert!(after >= before, "what is newer has the greater number");
    assert_eq!((seat.game().ply(), seat.game().number().get()), (3, number));
    assert_eq!(seat.game().link(), Some(&Ok(())), "the board still answers");
    assert!(seat.actor.tracker.follows(seat.game().position()));
    seat.plays("e6").await;
    let now = seat.game().seq().get();
    seat.stops().await;
    let games = on_disk(&disk.journal());
    assert_eq!(games.len(), 1);
    let numbers: Vec<u64> = (1..=last).chain(published + 1..=now).collect();
    assert_eq!(games[0], numbers, "no number is given twice");

    let seat = disk.seat().await;
    assert_eq!(seat.game().ply(), 4);
}

#[tokio::test]
async fn two_games_are_both_kept_if_one_was_begun_without_the_disk() {
    let disk = Removable::new();
    disk.is_in(true);
    let mut seat = disk.seat().await;
    // A mate that the arbiter has not confirmed yet.
    seat.plays("f3 e5 g4 Qh4").await;
    let (old, last) = (seat.game().number().get(), seat.game().seq().get());
    assert!(!seat.game().result().unwrap().confirmed);
    seat.stops().await;

    disk.is_in(false);
    let mut seat = disk.seat().await;
    let first = seat.game().number().get();
    assert!(first > last);
    seat.plays("e4 c5").await;
    disk.is_in(true);
    seat.is_recorded().await;
    assert_eq!((seat.game().ply(), seat.game().number().get()), (2, first));
    let left = |seat: &Seat| {
        let unconfirmed = seat.game().carried().unconfirmed;
        unconfirmed
            .into_iter()
            .map(|end| (end.game, end.result.score))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        left(&seat),
        [(EntrySeq::new(old), Score::BlackWins)],
        "what it left is in view"
    );
    let now = seat.game().seq().get();
    seat.stops().await;
    let games = on_disk(&disk.journal());
    assert_eq!(games.len(), 2);
    assert_eq!(games[0], (1..=last).collect::<Vec<_>>());
    assert_eq!(games[1], (first..=now).collect::<Vec<_>>());

    let seat = disk.seat().await;
    assert_eq!((seat.game().ply(), seat.game().number().get()), (2, first));
    assert_eq!(left(&seat), [(EntrySeq::new(old), Score::BlackWins)]);
}

/// A game without the disk, which is in again. Its numbers are those of the record on the disk: the
/// computer's clock was in the future when that record began, and is not now.
async fn after_a_wrong_clock(disk: &Removable) -> (Seat, Vec<Vec<u64>>) {
    let mut seat = disk.seat().await;
    seat.plays("d4 d5").await;
    disk.is_in(true);
    seat.is_recorded().await;
    seat.stops().await;
    let before = on_disk(&disk.journal());
    disk.is_in(false);
    let mut seat = disk.seat().await;
    seat.plays("e4 c5").await;
    disk.is_in(true);
    (seat, before)
}

#[tokio::test]
async fn numbers_that_a_wrong_clock_has_given_twice_are_not_written() {
    let disk = Removable::new();
    let (mut seat, before) = after_a_wrong_clock(&disk).await;
    let is_reported = |seat: &Seat| {
        let mut open = seat.game().alerts().open().iter();
        open.any(|alert| {
            let reason = alert
                .arguments
                .get("reason")
                .and_then(|reason| reason.as_str());
            reason.is_some_and(|reason| reason.contains("clock was wrong"))
        })
    };
    while !is_reported(&seat) {
        seat.actor.record.changed().await;
        seat.actor.merge_with_disk(&seat.answer).await;
        seat.actor.record_journal_state().await;
    }
    assert!(seat.is_red());
    assert_eq!(seat.game().ply(), 2, "the game goes on");
    assert_eq!(on_disk(&disk.journal()), before, "the record is untouched");
}

#[tokio::test]
async fn a_board_that_waits_for_room_continues_when_the_disk_appears() {
    for plays in [true, false] {
        let disk = Removable::new();
        disk.is_in(true);
        let mut seat = disk.seat().await;
        seat.plays("d4 d5").await;
        let last = seat.game().seq().get();
        seat.stops().await;

        disk.is_in(false);
        let mut seat = disk.seat().await;
        let first = seat.game().number().get();
        if plays {
            seat.plays("e4 c5 Nf3").await;
        }
        let blocked = seat.actor.record.blocked();
        let plugging = async {
            while !blocked.is_so() {
                tokio::task::yield_now().await;
            }
            disk.is_in(true);
        };
        let writing = async {
            for _ in 0..QUEUE_CAPACITY + 2 {
                let orientation = remisd_vocabulary::sensor::Orientation::default();
                seat.actor
                    .put(Input::Orientation {
                        orientation,
                        clock_reversed: false,
                    })
                    .await;
            }
        };
        tokio::join!(plugging, writing);
        let published = seat.game().seq().get();
        seat.is_recorded().await;
        let (ply, now) = (seat.game().ply(), seat.game().seq().get());
        seat.stops().await;
        let games = on_disk(&disk.journal());
        let old = 1..=last;
        if plays {
            let games_due: [Vec<u64>; 2] = [old.collect(), (first..=now).collect()];
            assert_eq!((ply, games), (3, games_due.into()), "every entry, in order");
        } else {
            let numbers: Vec<u64> = old.chain(published + 1..=now).collect();
            assert_eq!((ply, games), (2, vec![numbers]), "the game is taken up");
        }
    }
}

#[tokio::test]
async fn what_was_played_is_written_if_the_disk_comes_before_the_daemon_stops() {
    let disk = Removable::new();
    let mut seat = disk.seat().await;
    seat.plays("e4 e5").await;
    disk.is_in(true);
    let (_events, events) = mpsc::channel(1);
    let (_commands, commands) = publish::commands(crate::daemon::intake::ROOM);
    let (_questions, inbox) = inbox(events, commands);
    let cancel = CancellationToken::new();
    cancel.cancel();
    Box::pin(seat.actor.run(inbox, cancel)).await;
    drop(seat.journal);
    seat.writer.join().unwrap();
    let seat = disk.seat().await;
    assert_eq!(seat.game().ply(), 2);
}

#[tokio::test]
async fn a_record_that_has_the_numbers_already_does_not_stop_the_board() {
    let disk = Removable::new();
    let (mut seat, before) = after_a_wrong_clock(&disk).await;
    for _ in 0..QUEUE_CAPACITY + 2 {
        let orientation = remisd_vocabulary::sensor::Orientation::default();
        seat.actor
            .write(Input::Orientation {
                orientation,
                clock_reversed: false,
            })
            .await;
        seat.actor.merge_with_disk(&seat.answer).await;
    }
    seat.plays("Nf3").await;
    assert_eq!(seat.game().ply(), 3, "the game goes on");
    assert!(seat.is_red());
    assert!(
        seat.actor.topics.output().no_events_pending(),
        "nothing waits for ever"
    );
    assert_eq!(on_disk(&disk.journal()), before, "the record is untouched");
}

#[tokio::test]
async fn a_clock_that_ran_while_the_disk_was_away_gets_no_time_back() {
    let disk = Removable::new();
    disk.is_in(true);
    let mut seat = disk.seat().await;
    seat.plays("d4 d5").await;
    seat.stops().await;

    disk.is_in(false);
    let mut seat = disk.seat().await;
    seat.clock_shows(600_000, Some(Color::White)).await;
    seat.clock.advance(120_000);
    // A running clock alone is not recorded.
    seat.clock_shows(480_000, Some(Color::White)).await;
    seat.clock.advance(1_000);
    disk.is_in(true);
    seat.is_recorded().await;
    let clock = seat.game().clock().unwrap();
    assert_eq!((clock.white_ms, clock.black_ms), (479_000, 300_000));
}

#[tokio::test]
async fn what_the_board_shows_differently_is_reported_in_the_continued_game_too() {
    let disk = Removable::new();
    disk.is_in(true);
    disk.seat().await.stops().await;

    disk.is_in(false);
    let mut seat = disk.seat().await;
    let mut board = Board::new();
    seat.shows(&board).await;
    for square in [Square::A1, Square::H8, Square::D8] {
        board.remove_piece_at(square).unwrap();
    }
    seat.shows(&board).await;
    let differs = |seat: &Seat| matches!(seat.game().tracking(), Tracking::Mismatch(_));
    assert!(differs(&seat));
    disk.is_in(true);
    seat.is_recorded().await;
    assert_eq!(seat.game().number().get(), 1, "it was taken up");
    seat.shows(&board).await;
    assert!(differs(&seat));
}
