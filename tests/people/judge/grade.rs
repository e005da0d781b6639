//! One stream, one engine, one grade. The rules are in the crate's documentation.

use crate::Millis;
use shakmaty::Chess;

use super::{
    Engine, Report,
    desk::{Desk, PlyIndex},
};
use crate::{
    stream::Stream,
    truth::{Happened, Record, What},
};

/// A ply that was wrong for longer than this without a doubt is a silent error.
pub const PATIENCE: Millis = 60_000;

/// No engine is woken more often than this between two events.
const MOST_WAKES: usize = 400;

/// How well a game was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// Rightly.
    Exact,
    /// Wrongly or in part, with a flag at the place.
    Flagged,
    /// Wrongly, without a flag.
    Silent,
}

/// How an engine read one stream.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The grade.
    pub grade: Grade,
    /// The first wrong ply, where there is one.
    pub wrong: Option<PlyIndex>,
    /// A reader could know that ply.
    pub knowable: bool,
    /// It was right at the end, but wrong for too long.
    pub late: bool,
    /// A doubt was open at the end, but did not reach back to the first wrong ply.
    pub short: bool,
    /// What was played there, and what was reported, in that order.
    pub moves: [Option<shakmaty::Move>; 2],
    /// From release to report, of each ply that was reported correctly and after its release.
    pub latencies: Vec<Millis>,
    /// Plies withdrawn or replaced after they were reported.
    pub taken_back: usize,
    /// Alarms that were raised while a game was in progress.
    pub alarms: usize,
    /// Plies that were played.
    pub plies: usize,
    /// Reported moves that were not legal.
    pub impossible: usize,
    /// All reports, with their times.
    pub log: Vec<(Millis, Report)>,
}

/// Lets the engine read the stream, and grades it.
pub fn grade(stream: &Stream, engine: &mut dyn Engine) -> Verdict {
    let mut desk = Desk::default();
    let mut watch = Watch::of(stream);
    engine.follow(&Chess::default(), 0);
    desk.take_readings(engine, 0);
    for (at, sensed) in &stream.events {
        wake(engine, &mut desk, &mut watch, *at);
        engine.sense(sensed, *at);
        let changed = desk.take_readings(engine, *at);
        watch.look(&desk, *at, changed);
    }
    wake(engine, &mut desk, &mut watch, stream.end);
    watch.look(&desk, stream.end, true);
    watch.verdict(stream, &desk)
}

/// Wakes the engine at its deadlines until `until`.
fn wake(engine: &mut dyn Engine, desk: &mut Desk, watch: &mut Watch<'_>, until: Millis) {
    let mut last = 0;
    for _ in 0..MOST_WAKES {
        let Some(due) = engine.deadline().filter(|&due| due < until) else {
            return;
        };
        // A deadline in the past is one for now.
        let now = due.max(last).max(watch.now);
        last = now + 1;
        if now >= until {
            return;
        }
        engine.tick(now);
        let changed = desk.take_readings(engine, now);
        watch.look(desk, now, changed);
    }
}

/// Compares the record with the truth as time passes.
struct Watch<'a> {
    stream: &'a Stream,
    now: Millis,
    next: usize,
    truth: Record,
    last: Record,
    /// The first wrong ply that no doubt covers, and since when.
    silent: Option<(PlyIndex, Millis)>,
    /// Any wrong ply, and since when.
    wrong: Option<(PlyIndex, Millis)>,
    /// The first that was wrong for too long.
    too_long: Option<PlyIndex>,
    /// A ply was wrong for too long, under a doubt.
    long_doubt: Option<PlyIndex>,
    /// When each ply of the last record was first reported correctly.
    reported: Vec<Vec<Option<Millis>>>,
}

impl<'a> Watch<'a> {
    fn of(stream: &'a Stream) -> Self {
        let last = stream.truth.last();
        let reported = last
            .games
            .iter()
            .map(|game| vec![None; game.len()])
            .collect();
        Self {
            stream,
            now: 0,
            next: 0,
            truth: Record::default(),
            last,
            silent: None,
            wrong: None,
            too_long: None,
            long_doubt: None,
            reported,
        }
    }

    fn look(&mut self, desk: &Desk, now: Millis, changed: bool) {
        // What happened up to now is taken in at its own time.
        let mut changed = changed;
        while let Some(happened) = self
            .stream
            .truth
            .happened
            .get(self.next)
            .filter(|h| h.at <= now)
        {
            self.patience(happened.at);
            self.truth.apply(happened);
            self.next += 1;
            changed = true;
        }
        self.patience(now);
        self.now = now;
        if !changed {
            return;
        }
        let next = self.stream.truth.happened.get(self.next);
        let place = wrong_now(desk, &self.truth, next);
        self.wrong = since(self.wrong, place, now);
        let uncovered = place.filter(|&place| !desk.covers(place));
        self.silent = since(self.silent, uncovered, now);
        for (game, (reported, right)) in self.reported.iter_mut().zip(&self.last.games).enumerate()
        {
            let Some(noted) = desk.games.get(game) else {
                break;
            };
            for (ply, (reported, right)) in reported.iter_mut().zip(right).enumerate() {
                if reported.is_none() && noted.get(ply).is_some_and(|noted| noted.m == right.m) {
                    *reported = Some(now);
                }
            }
        }
    }

    /// Notes what has been wrong for too long by `now`.
    fn patience(&mut self, now: Millis) {
        let long = |open: Option<(PlyIndex, Millis)>| {
            open.filter(|(_, since)| now.saturating_sub(*since) > PATIENCE)
                .map(|(place, _)| place)
        };
        self.too_long = self.too_long.or(long(self.silent));
        self.long_doubt = self.long_doubt.or(long(self.wrong));
    }

    fn verdict(self, stream: &Stream, desk: &Desk) -> Verdict {
        let end = wrong_at_end(desk, &self.last);
        let (grade, wrong) = match (end, self.too_long, self.long_doubt) {
            (Some(place), _, _) if !desk.covers(place) => (Grade::Silent, Some(place)),
            (_, Some(place), _) => (Grade::Silent, Some(place)),
            (Some(place), None, _) | (None, None, Some(place)) => (Grade::Flagged, Some(place)),
            (None, None, None) => (Grade::Exact, None),
        };
        let latencies = (self
            .reported
            .iter()
            .flatten()
            .zip(self.last.games.iter().flatten()))
        .filter_map(|(reported, ply)| {
            reported.and_then(|reported| reported.checked_sub(ply.released))
        })
        .collect();
        let knowable = wrong.is_none_or(|place| is_knowable(stream, place));
        let moves = wrong.map_or([None, None], |(game, ply)| {
            let played = self.last.games.get(game).and_then(|game| game.get(ply));
            let reported = desk.games.get(game).and_then(|game| game.get(ply));
            [played.map(|ply| ply.m), reported.map(|noted| noted.m)]
        });
        Verdict {
            grade,
            wrong,
            knowable,
            late: grade == Grade::Silent && end.is_none(),
            short: grade == Grade::Silent && end.is_some_and(|(game, _)| desk.doubts(game)),
            moves,
            latencies,
            taken_back: desk.taken_back,
            alarms: (desk.alarms.iter())
                .filter(|&&at| !stream.truth.at(at).over)
                .count(),
            plies: self.last.games.iter().map(Vec::len).sum(),
            impossible: desk.impossible,
            log: desk.log.clone(),
        }
    }
}

/// Keeps the time from which a ply is wrong, as long as it is the same one.
fn since(
    open: Option<(PlyIndex, Millis)>,
    place: Option<PlyIndex>,
    now: Millis,
) -> Option<(PlyIndex, Millis)> {
    let place = place?;
    match open {
        Some((old, since)) if old == place => Some((old, since)),
        _ => Some((place, now)),
    }
}

/// The first reported ply that is wrong at this moment; `next` is what happens next.
fn wrong_now(desk: &Desk, truth: &Record, next: Option<&Happened>) -> Option<PlyIndex> {
    for (game, reported) in desk.games.iter().enumerate() {
        let Some(right) = truth.games.get(game) else {
            // A game that has not begun: wrong while the old one is in progress, or if it has
            // moves.
            return (!reported.is_empty() || !truth.over).then_some((game, 0));
        };
        let wrong = (0..reported.len()).find(|&ply| {
            right
                .get(ply)
                .is_none_or(|right| right.m != reported[ply].m)
        });
        if let Some(ply) = wrong {
            // The move is already on the board, only its piece is not released.
            let stands = next.is_some_and(
                |next| matches!(next.what, What::Played { m, .. } if m == reported[ply].m),
            );
            if stands && ply == right.len() && ply + 1 == reported.len() {
                continue;
            }
            return Some((game, ply));
        }
        // The next game was reported before this one was read to its end.
        if game + 1 < desk.games.len() && reported.len() < right.len() {
            return Some((game, reported.len()));
        }
    }
    None
}

/// The first ply that is wrong, missing or too many at the end.
fn wrong_at_end(desk: &Desk, last: &Record) -> Option<PlyIndex> {
    let played = last
        .games
        .iter()
        .rposition(|game| !game.is_empty())
        .map_or(0, |last| last + 1);
    for game in 0..played.max(desk.played()) {
        let right = last.games.get(game).map_or(&[][..], Vec::as_slice);
        let reported = desk.games.get(game).map_or(&[][..], Vec::as_slice);
        let same = right
            .iter()
            .zip(reported)
            .take_while(|(right, reported)| right.m == reported.m)
            .count();
        if same < right.len().max(reported.len()) {
            return Some((game, same));
        }
    }
    None
}

/// Whether a reader could know this ply.
fn is_knowable(stream: &Stream, (game, ply): PlyIndex) -> bool {
    let last = stream.truth.last();
    let plies = last.games.get(game).map_or(&[][..], Vec::as_slice);
    // Those before it were read rightly, knowable or not.
    let known = plies.get(ply).is_none_or(|ply| ply.knowable);
    // A ply too many comes after the end, which has to be knowable itself.
    known && (ply < plies.len() || game + 1 < last.games.len() || last.over_knowable)
}
