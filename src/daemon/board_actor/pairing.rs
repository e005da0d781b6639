//! Who plays at the board, as the `LiveChess` says that reads it.

use tokio::sync::watch;

use super::BoardActor;
use remisd_feed::livechess::Pairing;
use remisd_game::Input;

/// Waits until the pairing of a board has changed; forever if `LiveChess` does not read it.
pub(super) async fn changed(pairing: &mut Option<watch::Receiver<Option<Pairing>>>) -> Option<()> {
    match pairing {
        Some(pairing) => pairing.changed().await.ok(),
        None => std::future::pending().await,
    }
}

impl BoardActor {
    /// Records the pairing if the game on the board takes it.
    pub(super) async fn take_pairing(&mut self) {
        let shown = self
            .pairing
            .as_ref()
            .map(|pairing| pairing.borrow().clone());
        let Some(Pairing { id, tags: headers }) = shown.flatten() else {
            return;
        };
        // Without its disk, the record does not know yet which pairing it has.
        if !self.record.is_offline()
            && let Some(set) = self.record.game().takes_pairing(&id, &headers)
        {
            self.write(Input::Pairing { id, headers, set }).await;
        }
    }
}
