//! Compares a second account with the record, ply by ply. Pure: nothing is remembered here.

use std::collections::BTreeMap;

use shakmaty::{Chess, Move, Position as _, uci::UciMove};

use super::{AccountDifference, KeptRecord, OtherGame};
use crate::{Game, Score, correct::MOVES};
use remisd_laws::Ply;
use remisd_vocabulary::written::Written;

/// After a difference in which the arbiter has kept the record, so many plies in a row must be alike
/// before another difference counts. A line that is shifted by a move is one difference.
const ALIKE: usize = 2;

/// A game as a second account has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Where its moves begin.
    pub start: Chess,
    /// Its moves; each is legal after those before it.
    pub moves: Vec<Move>,
    /// King moves after them that may only show the result. They count if the record has them.
    pub signs: Vec<Move>,
    /// The word after them that is no legal move.
    pub unreadable: Option<String>,
    /// Its result; `None` while it has none.
    pub result: Option<Score>,
    /// The first ply that the account itself does not know yet: another board is contradicted there.
    pub doubted_since: Option<Ply>,
    /// Its PGN tags.
    pub tags: BTreeMap<String, String>,
}

/// What an account has at a ply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// A move.
    Move(UciMove),
    /// A word that is no legal move.
    Word(String),
    /// Nothing: its game is over before that ply.
    Over,
    /// The result, where only the results differ.
    Result(Score),
}

impl Account {
    /// What another board has of its game.
    #[must_use]
    pub fn of_record(game: &Game) -> Self {
        Self {
            start: game.start().clone(),
            moves: game.moves().iter().map(|played| played.m).collect(),
            signs: Vec::new(),
            unreadable: None,
            result: game.result().map(|result| result.score),
            doubted_since: game.contradicted_since(),
            tags: game.headers().clone(),
        }
    }

    /// All its moves, also those that may only show the result.
    pub(super) fn all_moves(&self) -> impl Iterator<Item = &Move> {
        self.moves.iter().chain(&self.signs)
    }

    /// The account with those of its last king moves as moves that the record has.
    fn with_signs_of(&self, record: &Game) -> Self {
        let ours = record.moves().iter().skip(self.moves.len());
        let both = ours.zip(&self.signs);
        let both = both.take_while(|(ours, theirs)| ours.m == **theirs);
        let count = both.count();
        let mut account = self.clone();
        account.moves.extend(account.signs.drain(..count));
        account
    }

    /// Whether all its moves are certain. The next one may not be.
    pub(super) fn is_certain(&self) -> bool {
        let is_next = |since: Ply| since as usize > self.moves.len();
        self.doubted_since.is_none_or(is_next)
    }

    fn version_at(&self, ply: Ply) -> Option<Version> {
        let mode = self.start.castles().mode();
        let at = ply.checked_sub(1)? as usize;
        if let Some(m) = self.moves.get(at) {
            return Some(Version::Move(m.to_uci(mode)));
        }
        let is_next = at == self.moves.len();
        match &self.unreadable {
            Some(word) => is_next.then(|| Version::Word(word.clone())),
            None => (is_next && self.result.is_some()).then_some(Version::Over),
        }
    }
}

impl Game {
    /// What the record has at a ply; `None` if the game has not come there yet.
    pub(super) fn version_at(&self, ply: Ply) -> Option<Version> {
        let at = ply.checked_sub(1)? as usize;
        if let Some(played) = self.moves().get(at) {
            return Some(Version::Move(self.record.uci(played.m)));
        }
        let is_over = at == self.moves().len() && self.result().is_some();
        is_over.then_some(Version::Over)
    }
}

/// How record and account stand to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// One is the beginning of the other, apart from what the arbiter has chosen.
    Agrees,
    /// They differ.
    Differs(AccountDifference),
    /// They are different games, as position or tags show.
    OtherGame(OtherGame),
}

/// Compares an account with the record. `kept` are the differences in which the arbiter has chosen
/// the record.
///
/// That one of them has fewer plies is a difference only if both have a result. Otherwise either may
/// be late.
#[must_use]
pub fn compare(record: &Game, account: &Account, kept: &[KeptRecord]) -> Comparison {
    let account = &account.with_signs_of(record);
    if names_other_players(record.headers(), &account.tags) {
        return Comparison::OtherGame(OtherGame::Players);
    }
    if names_other_round(record.headers(), &account.tags) {
        return Comparison::OtherGame(OtherGame::Round);
    }
    if *record.start() != account.start {
        return Comparison::OtherGame(OtherGame::Start);
    }
    if let Some((from, theirs)) = first_difference(record, account, kept) {
        let mode = account.start.castles().mode();
        let moves = account.moves.iter().skip(from.saturating_sub(1) as usize);
        let moves = moves.take(MOVES);
        return Comparison::Differs(AccountDifference {
            from,
            moves: moves.map(|m| Written::new(m.to_uci(mode))).collect(),
            word: match theirs {
                Version::Word(word) => Some(word),
                _ => None,
            },
            result: None,
        });
    }
    let ours = record.result().map(|result| result.score);
    let choice = ours.zip(account.result).map(|(ours, theirs)| KeptRecord {
        ply: record.ply(),
        ours: Version::Result(ours),
        theirs: Version::Result(theirs),
    });
    match choice {
        Some(choice) if choice.ours != choice.theirs && !kept.contains(&choice) => {
            Comparison::Differs(AccountDifference {
                from: record.ply(),
                moves: Vec::new(),
                word: None,
                result: account.result,
            })
        }
        _ => Comparison::Agrees,
    }
}

/// Whether both have come to agree where they differed before.
pub(super) fn agrees_at(record: &Game, account: &Account, difference: &AccountDifference) -> bool {
    if difference.result.is_some() {
        let ours = record.result().map(|result| result.score);
        return ours.is_some() && ours == account.result;
    }
    let ours = record.version_at(difference.from);
    let theirs = account.with_signs_of(record).version_at(difference.from);
    ours.is_some() && ours == theirs
}

/// How many plies both have in common from the game's start.
pub(super) fn common(record: &Game, account: &Account) -> usize {
    let ours = record.moves().iter().map(|played| played.m);
    let both = ours.zip(&account.moves);
    let both = both.take_while(|(ours, theirs)| ours == *theirs);
    if *record.start() == account.start {
        both.count()
    } else {
        0
    }
}

/// The first ply at which both have something else, and what the account has there.
fn first_difference(
    record: &Game,
    account: &Account,
    kept: &[KeptRecord],
) -> Option<(Ply, Version)> {
    // How many plies in a row are alike since a difference that was kept.
    let mut alike: Option<usize> = None;
    for ply in 1.. {
        let ours = record.version_at(ply)?;
        let theirs = account.version_at(ply)?;
        let is_over = ours == Version::Over || theirs == Version::Over;
        if is_over && (record.result().is_none() || account.result.is_none()) {
            return None;
        }
        if let Some(since) = alike {
            let since = if ours == theirs { since + 1 } else { 0 };
            alike = (since < ALIKE).then_some(since);
        } else if ours != theirs {
            let choice = KeptRecord { ply, ours, theirs };
            if !kept.contains(&choice) {
                return Some((ply, choice.theirs));
            }
            alike = Some(0);
        }
        if is_over {
            return None;
        }
    }
    None
}

/// Whether both name the players, and neither of them is the same.
fn names_other_players(ours: &BTreeMap<String, String>, theirs: &BTreeMap<String, String>) -> bool {
    let differs = |name: &str| alike(ours, theirs, name) == Some(false);
    differs("White") && differs("Black")
}

/// Whether two spellings of a name have a word in common; `None` if one is unknown.
fn alike(
    ours: &BTreeMap<String, String>,
    theirs: &BTreeMap<String, String>,
    name: &str,
) -> Option<bool> {
    let words = |tags: &BTreeMap<String, String>| {
        let words = tags.get(name)?.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        let words: Vec<String> = words
            .filter(|word| word.chars().count() > 1)
            .map(str::to_owned)
            .collect();
        (!words.is_empty()).then_some(words)
    };
    let (ours, theirs) = (words(ours)?, words(theirs)?);
    Some(ours.iter().any(|word| theirs.contains(word)))
}

/// Whether both name a round, and it is another one.
fn names_other_round(ours: &BTreeMap<String, String>, theirs: &BTreeMap<String, String>) -> bool {
    let round = |tags: &BTreeMap<String, String>| {
        let round: Option<u32> = tags.get("Round")?.split('.').next()?.trim().parse().ok();
        round
    };
    round(ours).zip(round(theirs)).is_some_and(|(a, b)| a != b)
}
