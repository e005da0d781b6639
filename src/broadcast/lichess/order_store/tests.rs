//! The store on a disk that is damaged, away or back.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use super::*;

fn close(stored: &mut StoredOrders) {
    stored.closed.insert("AbCdEfGh".to_owned());
}

fn fault(store: &OrderStore) -> Option<String> {
    store.stored().borrow().fault.clone()
}

async fn open(file: &Path) -> OrderStore {
    let store = OrderStore::kept_in(file.to_owned().into(), None);
    store.load().await.unwrap();
    store
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
    let store = open(&file).await;
    assert!(fault(&store).is_some());
    assert_eq!(store.stored().borrow().closed.len(), 1);
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
    let store = OrderStore::kept_in(on_disk, None);
    assert!(store.load().await.is_err());
    assert!(fault(&store).unwrap().contains("no disk"));
    is_there.store(true, Ordering::Relaxed);
    store.load().await.unwrap();
    assert_eq!(fault(&store), None);

    is_there.store(false, Ordering::Relaxed);
    assert!(store.change(close).await.is_err());
    assert!(store.stored().borrow().closed.is_empty());
    // What Lichess has done is done, and is written when the disk is back.
    store.note(close).await;
    assert_eq!(store.stored().borrow().closed.len(), 1);
    assert!(!file.exists());
    is_there.store(true, Ordering::Relaxed);
    store.load().await.unwrap();
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
    let store = OrderStore::kept_in(state, None);
    let open = |stored: &mut StoredOrders| stored.closed.clear();

    let release = hold();
    let (one, other) = tokio::join!(store.load(), store.change(close));
    for error in [one, other] {
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
    assert!(fault(&store).unwrap().contains("does not answer"));
    drop(release);
    store.change(close).await.unwrap();
    assert!(fault(&store).is_none());

    let release = hold();
    let error = store.change(open).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert_eq!(
        store.stored().borrow().closed.len(),
        1,
        "nothing has changed"
    );
    drop(release);
    // What the disk has taken late is made good.
    store.load().await.unwrap();
    let read = fs::read_to_string(&file).unwrap();
    assert!(read.contains("AbCdEfGh"), "{read}");
}
