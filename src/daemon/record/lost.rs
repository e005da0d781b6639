//! What the journal has lost of a board's newest game and of earlier ones, and what it holds of
//! another record.

use std::collections::BTreeSet;

use remisd_game::{
    EARLIER_LOSSES, EarlierGame, Game, Input, LostEntries, OtherRecordFile, Remains, Remembered,
    merged, names_others, newest_of_other_record, not_yet_reported,
};
use remisd_journal::{
    Contradiction, Entry, Gap, Missing, OtherRecord, Reader, Recovered, RetiredNumbers,
    RetirementCause,
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Returns where entries are missing in a recovered record.
pub(super) fn gaps(recovered: &Recovered) -> Vec<Gap> {
    let damage = recovered
        .lost
        .iter()
        .filter(|lost| lost.cause != Some(RetirementCause::NoDisk));
    let gap = |lost: &RetiredNumbers| Gap {
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
/// of earlier games; and the files of another record. With `is_over` another game than `game` is
/// being played.
pub(super) fn unreported(
    reader: &Reader,
    board: &BoardId,
    recovered: &Recovered,
    game: &Game,
    is_over: bool,
) -> Vec<Input> {
    let mut earlier = of_earlier_games(reader, board, recovered, game);
    earlier.extend(of_another_record(recovered, game, is_over));
    let lost = pending(recovered);
    let (Some(first), Some(end)) = (lost.first(), lost.last()) else {
        return earlier;
    };
    let goes_on = |entry: &Entry| entry.seq > end.to;
    let left = if recovered.entries.is_empty() {
        Remains::Nothing
    } else if recovered.entries.last().is_some_and(goes_on) {
        Remains::Around
    } else {
        Remains::Part
    };
    let of = match left {
        // The lost numbers begin the segment, and the first number of a segment is its game's.
        Remains::Nothing => Some(first.from),
        _ => is_over.then_some(game.number()),
    };
    earlier.push(Input::EntriesLost {
        since: game.missing_since().filter(|_| of.is_none()),
        earlier: of.map(|game| EarlierGame {
            game,
            left,
            more: 0,
        }),
        lost,
    });
    earlier
}

/// Returns which files are of another record or contradict the rest of ours, if the game does not
/// know that.
fn of_another_record(recovered: &Recovered, game: &Game, is_over: bool) -> Option<Input> {
    let contradicting = |found: &Contradiction| OtherRecordFile {
        file: found.file.clone(),
        game: found.first,
        other: Some(found.other.clone()),
        newest: found.is_newest && !is_over,
        more: 0,
        raised_again: 0,
        seen: false,
    };
    let set_aside = |found: &OtherRecord| OtherRecordFile {
        file: found.file.clone(),
        game: found.first,
        other: None,
        newest: false,
        more: 0,
        raised_again: 0,
        seen: false,
    };
    let mut known = game.other_record().to_vec();
    for file in &mut known {
        file.newest &= !is_over;
    }
    let mut files: Vec<OtherRecordFile> = match &recovered.contradictions {
        Some(found) => found.iter().map(contradicting).collect(),
        // A file could not be read: of contradictions nothing is raised and nothing is closed.
        None => (known.iter())
            .filter(|file| file.other.is_some())
            .cloned()
            .collect(),
    };
    files.extend(recovered.other_record.iter().map(set_aside));
    files.sort_by_key(|file| file.game);
    let files = newest_of_other_record(files);
    names_others(&files, &known).then_some(Input::OtherRecord { files })
}

/// Returns the losses of earlier games that neither `game` nor their own entries report. The newest
/// ones have an input of their own, the others one input together.
fn of_earlier_games(
    reader: &Reader,
    board: &BoardId,
    recovered: &Recovered,
    game: &Game,
) -> Vec<Input> {
    let known = game.earlier_losses();
    let is_known = |missing: &&Missing| known.iter().any(|loss| loss.is_exact(range(missing)));
    let missing = recovered.missing.iter().filter(|one| !is_known(one));
    let retired = recovered.retired.iter().filter(|one| !is_known(one));
    let retired = retired.filter(|one| !is_reported_there(reader, board, one, &recovered.retired));
    let mut unknown: Vec<&Missing> = missing.chain(retired).collect();
    unknown.sort_by_key(|missing| missing.from);
    let candidates: Vec<LostEntries> = unknown.iter().map(|missing| range(missing)).collect();
    unknown.retain(|missing| !known.iter().any(|loss| loss.covers(range(missing))));
    // What a joined range of a known loss covers is counted, as nothing names it.
    let grown = known.iter().filter_map(|loss| {
        let within = candidates.iter().copied().filter(|one| loss.covers(*one));
        let lost = not_yet_reported(&within.collect::<Vec<_>>(), &loss.lost);
        (!lost.is_empty()).then_some(Input::EntriesLost {
            lost,
            since: None,
            earlier: Some(loss.of),
        })
    });
    // The newest games have an input each, however many gaps they have.
    let games: BTreeSet<EntrySeq> = unknown.iter().map(|missing| missing.segment).collect();
    let newest = games.iter().rev().take(EARLIER_LOSSES - 1).next_back();
    let first = newest.copied().unwrap_or_default();
    let own = unknown.split_off(unknown.partition_point(|missing| missing.segment < first));
    let together = unknown.first().map(|oldest| {
        let all = unknown.iter();
        let games: BTreeSet<EntrySeq> = all.clone().map(|missing| missing.segment).collect();
        let alike = all.clone().all(|missing| missing.left == oldest.left);
        let left = if games.len() == 1 && alike {
            remains(oldest)
        } else {
            Remains::Unknown
        };
        Input::EntriesLost {
            lost: merged(unknown.iter().map(|missing| range(missing))),
            since: None,
            earlier: Some(EarlierGame {
                game: oldest.segment,
                left,
                more: games.len() as u64 - 1,
            }),
        }
    });
    let own = own.into_iter().map(|missing| Input::EntriesLost {
        lost: vec![range(missing)],
        since: None,
        earlier: Some(EarlierGame {
            game: missing.segment,
            left: remains(missing),
            more: 0,
        }),
    });
    grown.chain(together).chain(own).collect()
}

fn range(missing: &Missing) -> LostEntries {
    LostEntries::new(missing.from, missing.to)
}

fn remains(missing: &Missing) -> Remains {
    match missing.left {
        remisd_journal::SegmentRemains::Part => Remains::Part,
        remisd_journal::SegmentRemains::Nothing => Remains::Nothing,
        remisd_journal::SegmentRemains::Unknown => Remains::Unknown,
        remisd_journal::SegmentRemains::Around => Remains::Around,
    }
}

/// Returns whether an entry of the game itself reports the numbers that a repair has retired. `all`
/// are the retired numbers of all games.
fn is_reported_there(reader: &Reader, board: &BoardId, retired: &Missing, all: &[Missing]) -> bool {
    match reader.segment(board, retired.segment) {
        Ok(entries) => {
            let of_game = all.iter().filter(|one| one.segment == retired.segment);
            let lost: Vec<LostEntries> = of_game.map(range).collect();
            !range(retired).is_within(&not_yet_reported(&lost, &reported(&entries)))
        }
        Err(error) => {
            let game = retired.segment.get();
            tracing::warn!(%board, game, "whether a loss was reported is not known: {error}");
            false
        }
    }
}

/// Returns the losses that no later entry reports.
fn pending(recovered: &Recovered) -> Vec<LostEntries> {
    let lost = gaps(recovered);
    if lost.is_empty() {
        return Vec::new();
    }
    let lost = lost.iter().map(|gap| LostEntries::new(gap.from, gap.to));
    let lost: Vec<LostEntries> = lost.collect();
    not_yet_reported(&lost, &reported(&recovered.entries))
}

/// Returns what entries report as lost from the game that they belong to.
fn reported(entries: &[Entry]) -> Vec<LostEntries> {
    let lost = parsed(entries).filter_map(|entry| match entry.input {
        Input::EntriesLost {
            lost,
            earlier: None,
            ..
        } => Some(lost),
        _ => None,
    });
    lost.flatten().collect()
}

/// Returns the entries that this version can parse.
pub(super) fn parsed(entries: &[Entry]) -> impl Iterator<Item = Remembered> {
    entries
        .iter()
        .filter_map(|entry| serde_json::from_slice(&entry.body).ok())
}
