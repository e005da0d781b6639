//! Calls a reader and notices panics on any thread.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::Target;

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Counts every panic from now on, including those caught in a server's task.
pub fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            before(info);
        }));
    });
}

/// Whether the reader survives these bytes.
pub fn survives((_, target): Target, bytes: &[u8]) -> bool {
    let before = PANICS.load(Ordering::SeqCst);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| target(bytes)));
    ended.is_ok() && PANICS.load(Ordering::SeqCst) == before
}
