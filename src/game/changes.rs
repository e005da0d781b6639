//! Which inputs change the game for a client that has seen it before.

use super::{Fact, Input, Verb};
use remisd_vocabulary::reading::MismatchReason;

/// Whether a client that saw the board before this input should look again.
pub(super) fn changes_the_game(input: &Input, facts: &[Fact]) -> bool {
    let decided = facts.iter().any(|fact| {
        matches!(
            fact,
            Fact::Ended { .. } | Fact::ResultSet(_) | Fact::OfferEnded { .. }
        )
    });
    let quiet = match input {
        Input::Touched { .. }
        | Input::Unsettled { .. }
        | Input::ResultProposed { .. }
        | Input::Faulty { .. }
        | Input::Clock { .. }
        | Input::Link { .. }
        | Input::Orientation { .. }
        | Input::Start { .. }
        | Input::Dead { .. }
        | Input::Winnability { .. }
        | Input::Journal { .. }
        | Input::Broker { .. }
        | Input::Pairing { .. }
        | Input::Phones { .. }
        | Input::MergedWithDisk { .. }
        | Input::CommandRefused { .. }
        | Input::EntriesLost { .. }
        | Input::OtherRecord { .. }
        | Input::Source { .. }
        | Input::Account { .. }
        | Input::Mismatch {
            reason: MismatchReason::StartArray,
            ..
        }
        | Input::Overdue => true,
        Input::Command(command) => {
            let elsewhere = |fact: &Fact| match fact {
                Fact::Answered(answer) => !answer.ok,
                Fact::ResultRecorded { .. } => true,
                _ => false,
            };
            let is_made = |fact: &Fact| matches!(fact, Fact::MoveMade { .. });
            match &command.verb {
                verb if verb.is_quiet() => true,
                // A device enters a recorded move again when it has lost the answer.
                Verb::Move { .. } => !facts.iter().any(is_made),
                _ => facts.iter().any(elsewhere),
            }
        }
        _ => false,
    };
    decided || !quiet
}
