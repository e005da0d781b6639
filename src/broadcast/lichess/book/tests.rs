//! The book on a disk that is damaged, away or back.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use super::*;

fn close(page: &mut Page) {
    page.closed.insert("AbCdEfGh".to_owned());
}

fn fault(book: &Book) -> Option<String> {
    book.page().borrow().fault.clone()
}

async fn open(file: &Path) -> Book {
    let book = Book::kept_in(file.to_owned().into(), None);
    book.load().await.unwrap();
    book
}

#[tokio::test]
async fn a_damaged_book_is_set_aside_and_named_until_it_is_taken_away() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let aside = |number| -> PathBuf {
        let name = format!("lichess.json.damaged-{number}");
        place.path().join(name)
    };
    for (number, text) in [(1, "{\"orders\": ["), (2, "nothing")] {
        fs::write(&file, text).unwrap();
        let fault = fault(&open(&file).await).unwrap();
        let aside = aside(number);
        assert!(fault.contains(aside.to_str().unwrap()), "{fault}");
        assert_eq!(fs::read_to_string(aside).unwrap(), text);
        assert!(!file.exists());
    }
    // It works, and the damaged files stay named over a restart.
    open(&file).await.change(close).await.unwrap();
    let book = open(&file).await;
    assert!(fault(&book).is_some());
    assert_eq!(book.page().borrow().closed.len(), 1);
    for number in 1..=2 {
        fs::remove_file(aside(number)).unwrap();
    }
    assert_eq!(fault(&open(&file).await), None);
}

#[tokio::test]
async fn nothing_is_written_without_the_disk_and_nothing_is_forgotten() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let is_there = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_there);
    let on_disk = StatePlace::new(file.clone(), move || {
        let there = asked.load(Ordering::Relaxed);
        there
            .then_some(())
            .ok_or_else(|| io::Error::other("no disk"))
    });
    let book = Book::kept_in(on_disk, None);
    assert!(book.load().await.is_err());
    assert!(fault(&book).unwrap().contains("no disk"));
    is_there.store(true, Ordering::Relaxed);
    book.load().await.unwrap();
    assert_eq!(fault(&book), None);

    is_there.store(false, Ordering::Relaxed);
    assert!(book.change(close).await.is_err());
    assert!(book.page().borrow().closed.is_empty());
    // What Lichess has done is done, and is written when the disk is back.
    book.note(close).await;
    assert_eq!(book.page().borrow().closed.len(), 1);
    assert!(!file.exists());
    is_there.store(true, Ordering::Relaxed);
    book.load().await.unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("AbCdEfGh"));
}

#[tokio::test]
async fn a_disk_that_does_not_answer_holds_up_no_one_for_long() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let hang = Arc::new(std::sync::Mutex::new(None::<std::sync::mpsc::Receiver<()>>));
    let gate = Arc::clone(&hang);
    let state = StatePlace::new(file.clone(), move || {
        // It hangs until the test drops the sender.
        if let Some(released) = &*gate.lock().unwrap() {
            released.recv().ok();
        }
        Ok(())
    });
    let hold = || {
        let (release, released) = std::sync::mpsc::channel();
        *hang.lock().unwrap() = Some(released);
        release
    };
    let book = Book::kept_in(state, None);
    let open = |page: &mut Page| page.closed.clear();

    let release = hold();
    let (one, other) = tokio::join!(book.load(), book.change(close));
    for error in [one, other] {
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
    assert!(fault(&book).unwrap().contains("does not answer"));
    drop(release);
    book.change(close).await.unwrap();
    assert!(fault(&book).is_none());

    let release = hold();
    let error = book.change(open).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert_eq!(book.page().borrow().closed.len(), 1, "nothing has changed");
    drop(release);
    // What the disk has taken late is made good.
    book.load().await.unwrap();
    let read = fs::read_to_string(&file).unwrap();
    assert!(read.contains("AbCdEfGh"), "{read}");
}
