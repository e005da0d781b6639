//! What the journal has lost of a board's newest game, and of earlier ones.

use remisd_game::{EARLIER_LOSSES, EarlierGame, Game, Input, LostEntries, Remains, Remembered};
use remisd_journal::{Entry, Gap, Lost, LostCause, Missing, Recovered};

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

/// Returns the losses that no entry reports yet, as inputs: those of the recovered `game` and those
/// of earlier games. With `is_over` another game than `game` is being played.
pub(super) fn unreported(recovered: &Recovered, game: &Game, is_over: bool) -> Vec<Input> {
    let mut earlier = of_earlier_games(recovered, game);
    let lost = pending(recovered);
    let Some(first) = lost.first() else {
        return earlier;
    };
    let of = if recovered.entries.is_empty() {
        // The lost numbers begin the segment, and the first number of a segment is its game's.
        Some(EarlierGame {
            game: first.from,
            left: Remains::Nothing,
        })
    } else {
        is_over.then_some(EarlierGame {
            game: game.number(),
            left: Remains::Part,
        })
    };
    earlier.push(Input::EntriesLost {
        since: game.missing_since().filter(|_| of.is_none()),
        earlier: of,
        lost,
    });
    earlier
}

/// Returns the newest losses of earlier games that `game` has not reported.
fn of_earlier_games(recovered: &Recovered, game: &Game) -> Vec<Input> {
    let surplus = recovered.missing.len().saturating_sub(EARLIER_LOSSES);
    let missing = recovered.missing[surplus..].iter();
    let inputs = missing.filter_map(|missing| {
        let Missing { from, to, .. } = *missing;
        let lost = LostEntries { from, to };
        let left = match missing.left {
            remisd_journal::Remains::Part => Remains::Part,
            remisd_journal::Remains::Nothing => Remains::Nothing,
            remisd_journal::Remains::Unknown => Remains::Unknown,
        };
        let is_known = (game.earlier_losses().iter()).any(|known| known.covers(lost));
        (!is_known).then_some(Input::EntriesLost {
            lost: vec![lost],
            since: None,
            earlier: Some(EarlierGame {
                game: missing.segment,
                left,
            }),
        })
    });
    inputs.collect()
}

/// Returns the losses that no later entry reports.
fn pending(recovered: &Recovered) -> Vec<LostEntries> {
    let lost = gaps(recovered);
    if lost.is_empty() {
        return Vec::new();
    }
    let told: Vec<LostEntries> = parsed(&recovered.entries)
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
pub(super) fn parsed(entries: &[Entry]) -> impl Iterator<Item = Remembered> {
    entries
        .iter()
        .filter_map(|entry| serde_json::from_slice(&entry.body).ok())
}
