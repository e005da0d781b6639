//! Who plays at the board, as the `LiveChess` says that reads it.

use super::{BoardActor, MoveSource};
use remisd_feed::livechess::Pairing;
use remisd_game::Input;

impl BoardActor {
    /// Records the pairing if the game on the board takes it.
    pub(super) async fn take_pairing(&mut self) {
        let MoveSource::LiveChess(pairing) = &self.moves else {
            return;
        };
        let shown = pairing.borrow().clone();
        let Some(Pairing { id, tags: headers }) = shown else {
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
