//! Phones that do not take the messages about the board.

use super::BoardActor;
use remisd_broadcast::notify::SilentPhones;
use remisd_game::{Input, SilentPhone};

impl BoardActor {
    /// Records which phones take no messages about this board, if that is news.
    pub(super) async fn phones(&mut self, silent: SilentPhones) {
        let silent: Vec<SilentPhone> = silent
            .into_iter()
            .map(|(name, reason)| SilentPhone {
                name,
                reason: reason.as_str().to_owned(),
            })
            .collect();
        // Each attempt may fail for another reason, which is no news.
        let known = self.record.game().silent_phones().iter();
        if !known
            .map(|phone| &phone.name)
            .eq(silent.iter().map(|phone| &phone.name))
        {
            self.write(Input::Phones { silent }).await;
        }
    }
}
