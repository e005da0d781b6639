//! The game of a segment, replayed from its entries.

use remisd_game::{Game, Likeness, Remembered, Rules};
use remisd_journal::{Entry, Gap, SegmentRead};
use remisd_vocabulary::seq::EntrySeq;

/// A replayed game.
pub(super) struct Played {
    /// The game; `None` if none was begun.
    pub(super) game: Option<Game>,
    /// The reasons to doubt it.
    pub(super) doubts: Vec<Doubt>,
}

/// A reason to doubt a game.
pub(super) struct Doubt {
    /// The number of the entry.
    pub(super) seq: EntrySeq,
    /// The number of the last entry to which the same applies.
    pub(super) to: EntrySeq,
    /// The reason, in words.
    pub(super) what: &'static str,
}

impl Doubt {
    const fn at(seq: EntrySeq, what: &'static str) -> Self {
        Self { seq, to: seq, what }
    }

    fn of(gap: &Gap, segment: &SegmentRead) -> Self {
        let what = if gap.at < segment.entries.len() {
            "is missing: what follows may not be what was played"
        } else if segment.entries.is_empty() {
            "is missing: nothing is left of its game"
        } else {
            "is missing: the game may have gone on"
        };
        Self {
            seq: gap.from,
            to: gap.to,
            what,
        }
    }
}

/// The gaps in a segment, as doubts.
pub(super) fn doubts_of(segment: &SegmentRead) -> Vec<Doubt> {
    let gaps = segment.gaps();
    gaps.iter().map(|gap| Doubt::of(gap, segment)).collect()
}

/// Replays the entries of a segment.
pub(super) fn played(segment: &SegmentRead) -> Played {
    let mut game = Game::new(Rules::default());
    let mut doubts = Vec::new();
    let entries = &segment.entries;
    let mut gaps = segment.gaps().into_iter().peekable();
    for (at, entry) in entries.iter().enumerate() {
        let seq = entry.seq;
        if let Some(gap) = gaps.next_if(|gap| gap.at == at) {
            doubts.push(Doubt::of(&gap, segment));
            let behind = entries[at..].iter();
            game.bridge(gap.from, behind.filter_map(|entry| remembered(entry).ok()));
        }
        let Ok(remembered) = remembered(entry) else {
            let what = "cannot be read by this version";
            doubts.push(Doubt::at(seq, what));
            game.skip_to(seq);
            continue;
        };
        let begins = remembered.carried.is_some();
        match game.replay(seq, &remembered).likeness {
            Likeness::Same => {}
            Likeness::Essence if begins => {}
            _ => {
                let what = "does not lead to what is written in it";
                doubts.push(Doubt::at(seq, what));
            }
        }
    }
    if let Some(gap) = gaps.next() {
        doubts.push(Doubt::of(&gap, segment));
        // A game without any readable entry is unknown, but is still reported.
        if game.number() > EntrySeq::ZERO || entries.is_empty() {
            game.bridge(gap.from, std::iter::empty());
        }
    }
    if game.number() == EntrySeq::ZERO
        && let Some(last) = entries.last()
    {
        doubts.push(Doubt::at(last.seq, "no game was begun before it"));
    }
    let game = Some(game).filter(|game| game.number() > EntrySeq::ZERO);
    Played { game, doubts }
}

fn remembered(entry: &Entry) -> serde_json::Result<Remembered> {
    serde_json::from_slice(&entry.body)
}
