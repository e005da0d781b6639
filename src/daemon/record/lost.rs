//! What the journal has lost of a board's newest game.

use remisd_game::{Input, LostEntries, Remembered};
use remisd_journal::{Entry, Gap, Lost, LostCause, Recovered};

/// Returns where entries are missing in a recovered record.
pub(super) fn gaps(recovered: &Recovered) -> Vec<Gap> {
    let damage = recovered
        .lost
        .iter()
        .filter(|lost| lost.cause != Some(LostCause::NoDisk));
    let gap = |lost: &Lost| Gap {
        from: lost.from,
        to: lost.to,
        at: recovered
            .entries
            .partition_point(|entry| entry.seq < lost.from),
    };
    let mut gaps: Vec<Gap> = damage.map(gap).collect();
    gaps.sort_by_key(|gap| gap.from);
    gaps
}

/// Returns the losses that no later entry states.
pub(super) fn untold(recovered: &Recovered) -> Vec<LostEntries> {
    let lost = gaps(recovered);
    if lost.is_empty() {
        return Vec::new();
    }
    let told: Vec<LostEntries> = understood(&recovered.entries)
        .filter_map(|entry| match entry.input {
            Input::EntriesLost { lost, .. } => Some(lost),
            _ => None,
        })
        .flatten()
        .collect();
    let lost = lost.into_iter().map(|gap| LostEntries {
        from: gap.from,
        to: gap.to,
    });
    lost.filter(|lost| !told.contains(lost)).collect()
}

/// Returns the entries that this version can parse.
pub(super) fn understood(entries: &[Entry]) -> impl Iterator<Item = Remembered> {
    entries
        .iter()
        .filter_map(|entry| serde_json::from_slice(&entry.body).ok())
}
