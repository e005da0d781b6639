//! Restores a game from a board's journal, up to a claim.
//!
//! It applies the entries of one segment to a [`Game`], as a restart of the daemon does. The record
//! shows the game at the time of the claim: later corrections, moves and set-ups do not change what
//! was claimed.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use shakmaty::{Color, Position as _};

use super::{Announced, Claim, Doubt, Happened, Incident, Record, Source};
use remisd_game::{
    ClaimDecision, ClaimRecord, Fact, Game, Input, Likeness, Remembered, Rules, Side, Tracking,
    Verb, began,
};
use remisd_journal::{Entry, PassedOver};
use remisd_laws::{Edition, Finding, Ply, Rate, Remark};
use remisd_vocabulary::seq::EntrySeq;

/// The claim that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The newest claim of the newest game, or its position if there is none.
    Newest,
    /// The newest claim of the game with this number, or its last position.
    Game(EntrySeq),
    /// The claim with this number.
    Claim(EntrySeq),
}

/// Why a segment does not yield the wanted record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecallError {
    /// There are no entries.
    #[error("the journal holds no entry of this board")]
    Empty,
    /// No game has this number.
    #[error("there is no game {0}")]
    NoSuchGame(EntrySeq),
    /// No claim has this number.
    #[error("there is no claim {wanted}; {}", known(.claims))]
    NoSuchClaim {
        /// The number.
        wanted: EntrySeq,
        /// The numbers of the existing claims.
        claims: Vec<EntrySeq>,
    },
}

fn known(claims: &[EntrySeq]) -> String {
    if claims.is_empty() {
        return "the game of that entry has no claims".to_owned();
    }
    let claims: Vec<String> = claims.iter().map(ToString::to_string).collect();
    format!("the claims of that game are {}", claims.join(", "))
}

/// Maximum number of incidents in a record; the newest are kept. A sheet shows fewer.
const INCIDENTS: usize = 256;
/// Maximum number of gaps, and of entries that cannot be interpreted, in a record.
const MISSING: usize = 64;
const STRANGE: usize = 64;

/// The game at one moment, and what was known then.
struct GameAtClaim {
    game: Game,
    claim: Option<ClaimRecord>,
    /// The last entry that belongs to it.
    last: EntrySeq,
    incidents: Vec<Incident>,
    doubts: Vec<Doubt>,
}

/// Makes the record from the entries of one segment, stored in `file`. No entry has the numbers in
/// `passed`. With `edition` or `rate`, the claim is examined under these instead of the game's own.
///
/// # Errors
///
/// [`RecallError`] if the entries do not contain what is wanted.
pub fn recall(
    entries: &[Entry],
    passed: &PassedOver,
    wanted: Wanted,
    file: &str,
    edition: Option<&'static Edition>,
    rate: Option<Rate>,
) -> Result<Record, RecallError> {
    let first = entries.first().ok_or(RecallError::Empty)?.seq;
    let mut replay = Replay::new(passed);
    let mut moment = None;
    for (at, entry) in entries.iter().enumerate() {
        let made = replay.entry(entry, &entries[at..]);
        let made = made.filter(|(_, claim)| !matches!(wanted, Wanted::Claim(id) if id != claim.id));
        if let Some((before, claim)) = made {
            moment = Some(GameAtClaim {
                game: before,
                last: claim.id,
                incidents: replay.incidents.clone(),
                doubts: replay.doubts(),
                claim: Some(claim),
            });
        }
        // A game keeps a limited number of claims, so keep the state of this one here.
        if let Some(claim) = moment
            .as_mut()
            .and_then(|moment: &mut GameAtClaim| moment.claim.as_mut())
        {
            replay.update(claim);
        }
    }
    let claims: Vec<EntrySeq> = replay.game.claims().iter().map(|claim| claim.id).collect();
    let mut moment = match (moment, wanted) {
        (Some(moment), _) => moment,
        (None, Wanted::Claim(wanted)) => return Err(RecallError::NoSuchClaim { wanted, claims }),
        (None, Wanted::Newest | Wanted::Game(_)) => GameAtClaim {
            last: replay.game.seq(),
            incidents: replay.incidents.clone(),
            doubts: replay.doubts(),
            claim: None,
            game: replay.game.clone(),
        },
    };
    if let Some(claim) = &moment.claim {
        let own = claim.id;
        moment.doubts.extend(replay.corrected_since(own, claim.ply));
        moment
            .incidents
            .retain(|incident| !matches!(incident.what, Happened::Claimed { id, .. } if id == own));
    }
    let used: Vec<&Entry> = entries.iter().filter(|e| e.seq <= moment.last).collect();
    let source = Source::Journal {
        file: file.to_owned(),
        first,
        last: moment.last,
        entries: used.len(),
        sha256: sha256_of(&used),
    };
    let began = began(used.iter().map(|entry| &entry.body[..]));
    let mut record = record(moment, source, edition, rate);
    record.began = began;
    Ok(record)
}

/// SHA-256 of the entries, each followed by a line feed.
fn sha256_of(entries: &[&Entry]) -> String {
    let mut hash = Sha256::new();
    for entry in entries {
        hash.update(&entry.body);
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

/// Formats bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The replay of entries into a game.
struct Replay<'a> {
    passed: &'a PassedOver,
    game: Game,
    incidents: Vec<Incident>,
    set_up: bool,
    /// Changes of the record: the entry, the ply to which it went back, the person. Without a ply,
    /// another position was set up.
    changes: Vec<(EntrySeq, Option<Ply>, String)>,
    missing: Vec<Doubt>,
    strange: Vec<EntrySeq>,
}

impl<'a> Replay<'a> {
    fn new(passed: &'a PassedOver) -> Self {
        Self {
            passed,
            game: Game::new(Rules::default()),
            incidents: Vec::new(),
            set_up: false,
            changes: Vec::new(),
            missing: Vec::new(),
            strange: Vec::new(),
        }
    }

    /// Applies an entry; `behind` are the entries from this one on, for bridging a gap. If the
    /// entry makes a claim, returns the game before it and the claim.
    fn entry(&mut self, entry: &Entry, behind: &[Entry]) -> Option<(Game, ClaimRecord)> {
        let next = self.passed.due(self.game.seq().next());
        if self.game.seq() > EntrySeq::ZERO && entry.seq > next {
            let (from, to) = (next, entry.seq.previous());
            if self.missing.len() < MISSING {
                self.missing.push(Doubt::MissingEntries { from, to });
            }
            let behind = behind.iter();
            self.game.bridge(
                from,
                behind.filter_map(|entry| serde_json::from_slice(&entry.body).ok()),
            );
        }
        let Ok(remembered) = serde_json::from_slice::<Remembered>(&entry.body) else {
            self.strange.push(entry.seq);
            self.game.skip_to(entry.seq);
            return None;
        };
        let claims = matches!(&remembered.input, Input::Command(command)
            if matches!(command.verb, Verb::Claim { .. }));
        let before = claims.then(|| self.game.clone());
        let (seq, time) = (entry.seq, remembered.time);
        let replayed = self.game.replay(seq, &remembered);
        if replayed.likeness == Likeness::Other {
            self.strange.push(seq);
        }
        let mut claim = None;
        for fact in replayed.facts {
            self.note(&fact, time);
            if let Fact::ClaimMade(made) = fact {
                claim = Some(made);
            }
        }
        before.zip(claim)
    }

    /// Updates a claim with what has happened to it since it was made.
    fn update(&self, claim: &mut ClaimRecord) {
        let Some(now) = self.game.claims().iter().find(|now| now.id == claim.id) else {
            return;
        };
        claim.ruling.clone_from(&now.ruling);
        claim.ruled_before.clone_from(&now.ruled_before);
        // The arbiter may have found that a touch had no meaning.
        claim.contested.clone_from(&now.contested);
    }

    fn note(&mut self, fact: &Fact, time: Timestamp) {
        let what = match fact {
            Fact::GameStarted { .. } => {
                self.incidents.clear();
                self.set_up = false;
                return;
            }
            Fact::PositionSet { .. } => {
                self.set_up = true;
                let change = (self.game.seq(), None, String::new());
                self.changes.push(change);
                return;
            }
            Fact::IllegalMove { by, nth } => Happened::IllegalMove {
                by: (*by).into(),
                nth: *nth,
            },
            Fact::AdjustmentOrdered(ordered) => Happened::Adjustment {
                white: ordered.white,
                black: ordered.black,
                reason: ordered.reason,
            },
            Fact::ClaimMade(claim) => Happened::Claimed {
                id: claim.id,
                by: claim.by.into(),
                kind: claim.kind,
            },
            Fact::ClaimRuled {
                claim,
                correct,
                admissible,
                ..
            } => Happened::Ruled {
                id: *claim,
                decision: ClaimDecision::new(*correct, *admissible),
            },
            Fact::AnnouncedMoveNotPlayed(broken) => Happened::NotPlayed {
                by: broken.by.into(),
                announced: broken.announced.clone(),
                played: broken.played.clone(),
            },
            Fact::VersionChosen {
                name,
                ply,
                version,
                by,
                ..
            } => Happened::VersionChosen {
                source: name.clone(),
                from: *ply,
                version: *version,
                by: by.clone(),
            },
            Fact::Corrected { to_ply, by } => {
                let change = (self.game.seq(), Some(*to_ply), by.clone());
                self.changes.push(change);
                Happened::Corrected {
                    to_ply: *to_ply,
                    by: by.clone(),
                }
            }
            _ => return,
        };
        let ply = self.game.ply();
        if self.incidents.len() == INCIDENTS {
            self.incidents.remove(0);
        }
        self.incidents.push(Incident { ply, time, what });
    }

    /// The correction after a claim that went back furthest before the claim's ply.
    fn corrected_since(&self, claim: EntrySeq, at: Ply) -> Option<Doubt> {
        let since = self.changes.iter().filter(|(seq, _, _)| *seq > claim);
        // After a position is set up, plies are counted anew.
        let same = since.map_while(|(_, to_ply, by)| to_ply.map(|to_ply| (to_ply, by)));
        let (to_ply, by) = same
            .filter(|(to_ply, _)| *to_ply < at)
            .min_by_key(|(to_ply, _)| *to_ply)?;
        let by = by.clone();
        Some(Doubt::CorrectedSince { to_ply, by })
    }

    fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = self.missing.clone();
        if !self.strange.is_empty() {
            let strange = self.strange.iter().take(STRANGE).copied();
            doubts.push(Doubt::StrangeEntries(strange.collect()));
        }
        if self.set_up {
            doubts.push(Doubt::SetUp);
        }
        doubts
    }
}

/// Makes a record of the game at a moment.
fn record(
    moment: GameAtClaim,
    source: Source,
    edition: Option<&'static Edition>,
    rate: Option<Rate>,
) -> Record {
    let GameAtClaim {
        game,
        claim,
        incidents,
        mut doubts,
        ..
    } = moment;
    let own = game.regulations();
    let edition = edition.unwrap_or(own.edition);
    let rate = rate.unwrap_or(own.rate);
    if (edition.id, rate) != (own.edition.id, own.rate) {
        let (edition, rate) = (own.edition, own.rate);
        doubts.push(Doubt::OtherLaws { edition, rate });
    }
    let mut record = Record::new(game.start().clone(), own.under(edition, rate));
    let mut gaps: Vec<Ply> = Vec::new();
    let mut assumed: Vec<Ply> = Vec::new();
    for (ply, played) in (1..).zip(game.moves()) {
        let mover = record.position().turn();
        // These moves are legal, because the game has made them.
        let Ok(made) = record.play(&played.text.uci) else {
            break;
        };
        made.clock_ms = played
            .clock
            .map(|clock| mover.fold_wb(clock.white_ms, clock.black_ms));
        made.after_gap = played.is_reconstructed();
        if made.after_gap {
            gaps.push(ply);
        }
        if played.is_assumed() {
            assumed.push(ply);
        }
    }
    if !gaps.is_empty() {
        doubts.push(Doubt::AfterGap(gaps));
    }
    if !assumed.is_empty() {
        doubts.push(Doubt::Assumed(assumed));
    }
    if let Some(report) = game.source() {
        doubts.push(Doubt::WrittenBy(report.name.clone()));
        if let Some(since) = game.source_uncertain_since() {
            doubts.push(Doubt::SourceUncertain(since));
        }
    }
    if let Tracking::Mismatch(mismatch) = game.tracking() {
        doubts.push(Doubt::Mismatch {
            reason: mismatch.reason,
            squares: mismatch.squares,
            since_ply: mismatch.since_ply,
            doubted_since: mismatch.doubted_since,
        });
    } else if let Some(since) = game.not_agreed_since() {
        doubts.push(Doubt::NotAgreed(since));
    }
    for (report, difference) in game.open_differences() {
        let (ours, theirs) = game.versions(difference);
        doubts.push(Doubt::AccountDiffers {
            source: report.name.clone(),
            from: difference.from,
            record: ours,
            other: theirs,
        });
    }
    let usual = shakmaty::Chess::default();
    if *game.start() != usual && !doubts.contains(&Doubt::SetUp) {
        let halfmoves = game.start().halfmoves();
        doubts.push(Doubt::StartGiven { halfmoves });
    }
    let headers = game.headers().iter();
    record.tags = headers.map(|(n, v)| (n.clone(), v.clone())).collect();
    record.times = game.clock().map(Into::into);
    let running = game.clock().and_then(|clock| clock.running);
    record.completed = running.map(|running| running == Side::from(game.turn()));
    let offers = game.offer_marks().iter();
    record.offers = offers.map(|(ply, by)| (*ply, (*by).into())).collect();
    let illegal = game.illegal_moves();
    record.illegal_moves = (illegal.white, illegal.black);
    record.incidents = incidents;
    record.ended = game.first_end();
    record.grounds = game.grounds().map(|(ply, grounds)| (ply, grounds.clone()));
    record.result = game.result().filter(|_| claim.is_none()).cloned();
    record.claim = claim.map(Claim::from);
    record.doubts = doubts;
    record.source = Some(source);
    record
}

impl From<ClaimRecord> for Claim {
    fn from(claim: ClaimRecord) -> Self {
        Self {
            id: Some(claim.id),
            by: Color::from(claim.by),
            kind: claim.kind,
            announced: claim.announced.map(|text| Announced {
                text,
                legal: !claim.remarks.contains(&Remark::AnnouncedMoveIllegal),
            }),
            written: claim.finding != Some(Finding::DefectiveNotWritten),
            time: Some(claim.time),
            clock_ran: claim.remarks.contains(&Remark::ClockNotStopped),
            after_flag: claim.remarks.contains(&Remark::FlagFallen),
            touched: claim.contested,
            ruling: claim.ruling,
            ruled_before: claim.ruled_before,
        }
    }
}
