//! The judge is strict.

use crate::Millis;
use remisd_vocabulary::sensor::Sensed;
use shakmaty::{Chess, Move, Position as _};

use super::{
    Engine, Report,
    grade::{Grade, grade},
};
use crate::{category::Category, stream::Stream, tests::play};

/// An engine that reports what it was given to report.
#[derive(Default)]
struct Parrot {
    reports: Vec<(Millis, Report)>,
    now: Vec<Report>,
}

impl Parrot {
    /// Reports each ply 300 ms after its release, except where `change` replaces the report.
    fn of(stream: &Stream, change: impl Fn(usize, Move) -> Option<Vec<(Millis, Report)>>) -> Self {
        let mut reports = Vec::new();
        for (ply, right) in stream.truth.last().games[0].iter().enumerate() {
            let reported = Report::Move {
                m: right.m,
                doubtful: false,
            };
            let reported = change(ply, right.m).unwrap_or(vec![(300, reported)]);
            reports.extend(
                reported
                    .into_iter()
                    .map(|(after, reported)| (right.released + after, reported)),
            );
        }
        reports.sort_by_key(|(at, _)| *at);
        Self {
            reports,
            now: Vec::new(),
        }
    }
}

impl Engine for Parrot {
    fn follow(&mut self, _: &Chess, _: Millis) {}
    fn rest(&mut self, _: Millis) {}
    fn sense(&mut self, _: &Sensed, now: Millis) {
        self.tick(now);
    }
    fn tick(&mut self, now: Millis) {
        let due = self.reports.partition_point(|(at, _)| *at <= now);
        self.now
            .extend(self.reports.drain(..due).map(|(_, reported)| reported));
    }
    fn deadline(&self) -> Option<Millis> {
        self.reports.first().map(|(at, _)| *at)
    }
    fn readings(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.now)
    }
}

#[test]
fn the_judge_is_strict() {
    let stream = play(Category::Plain, true, 5);
    let plies = stream.truth.last().games[0].len();
    let judge = |change: &dyn Fn(usize, Move) -> Option<Vec<(Millis, Report)>>| {
        grade(&stream, &mut Parrot::of(&stream, change))
    };
    let reported = |m| Report::Move { m, doubtful: false };

    let exact = judge(&|_, _| None);
    assert_eq!((exact.grade, exact.latencies.len()), (Grade::Exact, plies));
    assert!(exact.latencies.iter().all(|&ms| ms == 300));

    // Nothing is reported from ply 20 on: silent without a doubt, flagged with one.
    let cut = judge(&|ply, _| (ply >= 20).then(Vec::new));
    assert_eq!((cut.grade, cut.wrong), (Grade::Silent, Some((0, 20))));
    let doubt = |plies| (3_000, Report::Doubt { plies, why: "" });
    let alarmed =
        judge(&|ply, _| (ply >= 20).then(|| if ply == 20 { vec![doubt(0)] } else { vec![] }));
    assert_eq!(alarmed.grade, Grade::Flagged);

    // A doubt that was closed again covers nothing.
    let closed = judge(&|ply, _| {
        let reports = vec![doubt(0), (4_000, Report::Certain)];
        (ply >= 20).then_some(if ply == 20 { reports } else { vec![] })
    });
    assert_eq!(closed.grade, Grade::Silent);

    // A wrong first move, and a doubt that does not reach back to it.
    let other = Chess::default()
        .legal_moves()
        .into_iter()
        .find(|m| *m != exact_first(&stream))
        .unwrap();
    let wrong = |plies| {
        judge(&|ply, _| {
            Some(if ply == 0 {
                vec![
                    (300, reported(other)),
                    (900, Report::Doubt { plies, why: "" }),
                ]
            } else {
                vec![]
            })
        })
    };
    assert_eq!(
        (wrong(1).grade, wrong(0).grade),
        (Grade::Flagged, Grade::Silent)
    );
    assert!(wrong(0).short);

    // A wrong last move, replaced in time or too late: the stream continues for 75 s.
    let mut before = Chess::default();
    for ply in &stream.truth.last().games[0][..plies - 1] {
        before.play_unchecked(ply.m);
    }
    let repaired = |after| {
        judge(&|ply, m| {
            let moves = before.legal_moves();
            let wrong = moves
                .into_iter()
                .find(|other| *other != m && !leads_to_end(&before, *other));
            let reports = vec![
                (300, reported(wrong.unwrap())),
                (after, Report::Replaced(m)),
            ];
            (ply == plies - 1).then_some(reports)
        })
    };
    assert_eq!(repaired(40_000).grade, Grade::Exact);
    assert_eq!(repaired(40_000).taken_back, 1);
    assert!(repaired(70_000).grade == Grade::Silent && repaired(70_000).late);

    // An array that is set up after the end may be reported, but not while the game continues.
    let array = |at: usize| {
        judge(&|ply, m| (ply == at).then(|| vec![(300, reported(m)), (70_000, Report::NewGame)]))
    };
    assert_eq!(array(plies - 1).grade, Grade::Exact);
    assert_eq!(array(3).grade, Grade::Silent);
}

fn leads_to_end(before: &Chess, m: Move) -> bool {
    let mut after = before.clone();
    after.play_unchecked(m);
    after.is_game_over()
}

fn exact_first(stream: &Stream) -> Move {
    stream.truth.last().games[0][0].m
}
