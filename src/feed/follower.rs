//! Compares the source's game with the record, and returns what to enter next.

use std::{collections::BTreeMap, sync::Arc};

use shakmaty::{Color, Position as _};

use super::game::{SourceGame, SourcePly, count};
use remisd_game::{
    Cause, ClockState, Correction, Difference, Game, Input, Played, RewrittenPly, Score, SettledBy,
    Side, Sign, SourceReport,
};
use remisd_laws::Ply;
use remisd_vocabulary::written::Written;

/// The most moves of the source that a report shows.
const SHOWN: usize = 16;

/// Follows the game of a source. It remembers only what the source says now.
#[derive(Debug, Default)]
pub struct Follower(Option<Seen>);

/// What the source says.
#[derive(Debug)]
struct Seen {
    source: Arc<str>,
    game: Arc<SourceGame>,
    /// It has said so for long enough to change what is recorded.
    is_settled: bool,
    /// Other games of the source have the same number.
    shares_number: bool,
    /// The record has refused what follows from it.
    is_refused: bool,
    /// The last ply whose time was passed on after its move.
    timed: Ply,
}

/// How source and record stand to each other.
enum Standing {
    /// The record is the beginning of the source's game.
    Agrees,
    /// A person has corrected the record.
    Corrected {
        /// The first ply that differs.
        from: Ply,
        /// The source's ply that comes next, from 0.
        next: Ply,
        /// After which ply of the record the source has changed since.
        changed: Option<Ply>,
    },
    /// The source has changed since.
    Differs {
        /// The first ply that differs.
        from: Ply,
    },
}

impl Follower {
    /// Takes in what the source says. `source` is the name for a program that does not name itself.
    /// `is_settled` means that it has said so for long enough, and `shares_number` that other games
    /// of the source have the same number.
    pub fn see(
        &mut self,
        source: Arc<str>,
        game: Arc<SourceGame>,
        is_settled: bool,
        shares_number: bool,
    ) {
        match &mut self.0 {
            Some(seen) if *seen.game == *game => {
                (seen.is_settled, seen.shares_number) = (is_settled, shares_number);
            }
            _ => {
                self.0 = Some(Seen {
                    source,
                    game,
                    is_settled,
                    shares_number,
                    is_refused: false,
                    timed: 0,
                });
            }
        }
    }

    /// The source is lost: what it said last is not settled any more.
    pub fn lose(&mut self) {
        if let Some(seen) = &mut self.0 {
            seen.is_settled = false;
        }
    }

    /// The record has refused the last input. Nothing follows until the source changes.
    pub fn refuse(&mut self) {
        if let Some(seen) = &mut self.0 {
            seen.is_refused = true;
        }
    }

    /// Whether the source's game is not followed although it is there: a command has begun another
    /// game, or the record has refused what the source plays.
    #[must_use]
    pub fn is_ignored(&self, record: &Game) -> bool {
        let is_ignored = |seen: &Seen| seen.is_refused || seen.was_set_aside(record);
        self.0.as_ref().is_some_and(is_ignored)
    }

    /// The next input that brings the record nearer to the source; `None` if there is none now.
    /// After it was entered, ask again.
    pub fn next(&mut self, record: &Game) -> Option<Input> {
        let seen = self.0.as_mut().filter(|seen| !seen.is_refused)?;
        if seen.was_set_aside(record) {
            return None;
        }
        if seen.is_other_game(record) {
            return seen.is_settled.then(|| seen.new_game(record));
        }
        let standing = seen.standing(record);
        let report = seen.report(record, &standing);
        let is_news = record.source() != Some(&report);
        let before = record.source().map(|before| &before.headers);
        let is_known = |name: &str, value| before.is_some_and(|tags| tags.get(name) == Some(value));
        let changed = report
            .headers
            .iter()
            .filter(|(name, value)| !is_known(name, value));
        let new_tags = changed.map(|(name, _)| name.clone()).collect();
        let enter_report = || Input::Source {
            report: Box::new(report),
            new_tags,
        };
        if is_news && (record.source().is_none() || !matches!(standing, Standing::Agrees)) {
            return Some(enter_report());
        }
        if !record.is_at_rest() {
            let next = match standing {
                Standing::Agrees => seen.next_ply(record, record.ply()),
                Standing::Corrected {
                    next,
                    changed: Some(to_ply),
                    ..
                } => seen.is_settled.then(|| seen.rewrite(to_ply, next)),
                Standing::Corrected { next, .. } => seen.next_ply(record, next),
                Standing::Differs { from } => {
                    seen.is_settled.then(|| seen.rewrite(from - 1, from - 1))
                }
            };
            if next.is_some() {
                return next;
            }
        }
        if is_news {
            return Some(enter_report());
        }
        match standing {
            Standing::Agrees => seen.late_time(record).or_else(|| seen.end(record)),
            Standing::Corrected {
                next,
                changed: None,
                ..
            } if next as usize >= seen.game.plies.len() => seen.end(record),
            _ => None,
        }
    }
}

impl Seen {
    /// Whether a command has replaced this game of the source by the record's.
    fn was_set_aside(&self, record: &Game) -> bool {
        let Some(aside) = record.set_aside() else {
            return false;
        };
        // A source that has fewer plies may have begun another game.
        let has_restarted = self.is_settled && count(self.game.plies.len()) < aside.plies;
        !self.names_another(&aside.headers) && !has_restarted
    }

    /// Whether the tags name another game than those of `before`. A tag that is missing, or a name
    /// that is masked, says nothing.
    ///
    /// One player's name may be corrected while the game is played; two changed names are other
    /// players.
    fn names_another(&self, before: &BTreeMap<String, String>) -> bool {
        let known = |name: &str| {
            let value = before.get(name).filter(|value| value.as_str() != "?");
            value.zip(self.game.tag(name))
        };
        let differs = |name: &str| known(name).is_some_and(|(old, new)| old != new);
        if known("GameId").is_some() {
            return differs("GameId");
        }
        differs("Round") || (differs("White") && differs("Black"))
    }

    /// Whether the source has another game than the record.
    ///
    /// What the source said before counts, since an operator may have changed the tags of the
    /// record.
    fn is_other_game(&self, record: &Game) -> bool {
        let correction = record.correction();
        let is_set_up = correction.is_some_and(|correction| correction.is_set_up);
        if !is_set_up && *record.start() != self.game.start {
            return true;
        }
        let Some(before) = record.source() else {
            // Sensors have read other moves, or nothing was recorded yet.
            return self.diverges(record).is_some();
        };
        if self.names_another(&before.headers) {
            return true;
        }
        // A file without names has its next game.
        let is_named = (["GameId", "Round", "White", "Black"].into_iter())
            .any(|name| before.headers.contains_key(name) && self.game.tag(name).is_some());
        let plies = count(self.game.plies.len());
        let has_restarted = (1..record.ply()).contains(&plies);
        !is_named && correction.is_none() && has_restarted && self.diverges(record) == Some(1)
    }

    /// The first recorded ply that the source has otherwise, or has not.
    fn diverges(&self, record: &Game) -> Option<Ply> {
        let common = common(record.moves(), &self.game.plies);
        (common < record.ply()).then(|| common + 1)
    }

    fn standing(&self, record: &Game) -> Standing {
        let diverges = self.diverges(record);
        if let Some(correction) = record.correction() {
            let from = match diverges {
                _ if correction.is_set_up => Some(1),
                Some(from) => Some(from),
                None if self.still_has_more(record, correction) => Some(correction.kept + 1),
                None => None,
            };
            if let Some(from) = from
                && (correction.is_set_up || self.has_known_part(record, correction))
            {
                return self.corrected(record, correction, from);
            }
        }
        match diverges {
            Some(from) => Standing::Differs { from },
            None => Standing::Agrees,
        }
    }

    /// How the plies after a correction stand to those of the source.
    fn corrected(&self, record: &Game, correction: &Correction, from: Ply) -> Standing {
        let after = record.moves().get(correction.record_plies as usize..);
        let source = self.game.plies.get(correction.source_plies as usize..);
        let after = after.unwrap_or_default();
        let common = common(after, source.unwrap_or_default());
        let changed = (common < count(after.len())).then(|| correction.record_plies + common);
        Standing::Corrected {
            from: changed.map_or(from, |changed| changed + 1),
            next: correction.source_plies.saturating_add(common),
            changed,
        }
    }

    /// Whether the source still has what a person has taken out of the record, and the record has
    /// nothing in its place.
    fn still_has_more(&self, record: &Game, correction: &Correction) -> bool {
        let rejected = count(correction.rejected.len());
        record.ply() < correction.kept.saturating_add(rejected)
            && self.has_known_part(record, correction)
    }

    /// Whether the source's plies up to the correction are as they were then.
    fn has_known_part(&self, record: &Game, correction: &Correction) -> bool {
        let mode = self.game.start.castles().mode();
        let kept = correction.kept as usize;
        let (Some(recorded), Some(source)) =
            (record.moves().get(..kept), self.game.plies.get(kept..))
        else {
            return false;
        };
        let has_kept = common(recorded, &self.game.plies) == correction.kept;
        let mut source = source.iter().map(|ply| ply.m.to_uci(mode));
        let mut rejected = correction.rejected.iter();
        has_kept && rejected.all(|uci| source.next().as_ref() == Some(uci))
    }

    fn new_game(&self, record: &Game) -> Input {
        let regulations = &record.rules().regulations;
        Input::NewGame {
            start_fen: self.game.start_fen.clone(),
            laws: Written::new(regulations.edition),
            rate: regulations.rate,
            headers: self.game.tags.clone(),
            cause: Cause::Source,
        }
    }

    /// The source's ply after `plies` of its own, if it is legal in the record.
    fn next_ply(&self, record: &Game, plies: Ply) -> Option<Input> {
        let ply = self.game.plies.get(plies as usize)?;
        let position = record.position();
        if !position.is_legal(ply.m) {
            return None;
        }
        Some(Input::Move {
            uci: Written::new(ply.m.to_uci(position.castles().mode())),
            by: SettledBy::Source,
            clock: self.clock_after(plies + 1),
        })
    }

    /// Replaces the record's plies after `to_ply` by those of the source from index `next`.
    fn rewrite(&self, to_ply: Ply, next: Ply) -> Input {
        let mode = self.game.start.castles().mode();
        let plies = self.game.plies.iter().zip(1..).skip(next as usize);
        Input::Rewrite {
            to_ply,
            plies: plies
                .map(|(ply, at)| RewrittenPly {
                    uci: Written::new(ply.m.to_uci(mode)),
                    clock: self.clock_after(at),
                })
                .collect(),
        }
    }

    /// The clock after the newest ply, if the source has added its time since.
    fn late_time(&mut self, record: &Game) -> Option<Input> {
        let ply = record.ply();
        let is_late = record
            .moves()
            .last()
            .is_some_and(|played| played.clock.is_none());
        if !is_late || ply <= self.timed {
            return None;
        }
        let clock = Some(self.clock_after(ply)?);
        self.timed = ply;
        (record.clock() != clock).then_some(Input::Clock { clock })
    }

    /// What the source's result means for a record that has all of its plies.
    fn end(&self, record: &Game) -> Option<Input> {
        let score = self.game.result?;
        if let Some(clock) = record.clock().filter(|clock| clock.running.is_some()) {
            let clock = Some(ClockState {
                running: None,
                ..clock
            });
            return Some(Input::Clock { clock });
        }
        let winner = match score {
            Score::WhiteWins => Some(Side::White),
            Score::BlackWins => Some(Side::Black),
            Score::Draw => None,
            // The arbiter alone can enter it.
            Score::BothLose | Score::None => return None,
        };
        let is_known = record.result().is_some_and(|known| known.score == score);
        if is_known || record.source_proposal() == Some((score, record.ply())) {
            return None;
        }
        let sign = Sign::Source;
        Some(Input::ResultProposed { winner, sign })
    }

    /// What the clock shows after a ply, as far as the source says: the opponent's time runs,
    /// unless that was the last ply of a game that is over.
    fn clock_after(&self, ply: Ply) -> Option<ClockState> {
        let [white_ms, black_ms] = self.game.times_after(ply)?;
        let is_over = self.game.result.is_some() && ply as usize == self.game.plies.len();
        let first = self.game.start.turn();
        let turn: Color = if ply.is_multiple_of(2) {
            first
        } else {
            first.other()
        };
        Some(ClockState {
            white_ms,
            black_ms,
            running: (!is_over).then(|| turn.into()),
            flag: None,
        })
    }

    fn report(&self, record: &Game, standing: &Standing) -> SourceReport {
        let mode = self.game.start.castles().mode();
        let plies = count(self.game.plies.len());
        let from = match standing {
            Standing::Agrees => self.missed_by(record),
            // The source only has more than a record that has all plies.
            Standing::Corrected {
                from,
                changed: None,
                ..
            } if *from > record.ply() && record.is_completed() => None,
            Standing::Corrected { from, .. } | Standing::Differs { from } => Some(*from),
        };
        let difference = from.map(|from| Difference {
            from,
            moves: {
                let shown = self.game.plies.iter().skip(from as usize - 1).take(SHOWN);
                shown.map(|ply| Written::new(ply.m.to_uci(mode))).collect()
            },
            plies,
        });
        let is_read = plies <= record.ply() || difference.is_some();
        SourceReport {
            name: self.name(),
            headers: self.game.tags.clone(),
            result: self.game.result,
            guessed: self.game.guessed(record.ply()),
            king_moves: self.game.king_moves(record.ply()),
            unreadable: self.game.unreadable.clone().filter(|_| is_read),
            difference,
            missing: None,
            shares_number: self.shares_number,
        }
    }

    /// The first ply of the source that is not recorded, because it came after the game was decided
    /// here. After an end by the Laws no ply belongs to the game, and king moves that only show the
    /// result never do. A record that a person has corrected since has all plies.
    fn missed_by(&self, record: &Game) -> Option<Ply> {
        let ends_by_law = (record.result()).is_some_and(|result| result.reason.is_automatic());
        let plies = count(self.game.plies.len());
        let signs = count(self.game.king_moves(plies).len());
        let has_more = plies > record.ply().saturating_add(signs);
        let may_lack = record.is_at_rest() && !ends_by_law && !record.is_completed();
        (may_lack && has_more).then(|| record.ply() + 1)
    }

    fn name(&self) -> String {
        let program = self.game.program.as_deref();
        program.unwrap_or(&self.source).chars().take(128).collect()
    }
}

/// How many plies both have in common from their beginnings.
fn common(record: &[Played], source: &[SourcePly]) -> Ply {
    let both = record.iter().zip(source);
    count(
        both.take_while(|(recorded, ply)| recorded.played() == ply.m)
            .count(),
    )
}
