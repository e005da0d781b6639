//! The game, input by input.

mod agreements;
mod alerts;
mod claims;
mod dealings;
mod effects;
mod ends;
mod hand;
mod last_minutes;
mod left;
mod losses;
mod offers;
mod record;
mod rulings;
mod segments;
mod setup;
mod standing;
mod unaware;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::*;
use crate::{
    dead::Verdict,
    laws::{AutomaticKind, Finding, Rate},
};

struct Table {
    game: Game,
    facts: Vec<Fact>,
}

impl Table {
    fn new(confirm: Confirm) -> Self {
        Self::under(Rules {
            confirm,
            ..Rules::default()
        })
    }

    fn under(rules: Rules) -> Self {
        let (laws, rate) = (rules.regulations.edition.id, rules.regulations.rate);
        let mut table = Self {
            game: Game::new(rules),
            facts: vec![],
        };
        table.input(Input::NewGame {
            start_fen: None,
            laws: laws.into(),
            rate,
            headers: BTreeMap::new(),
            cause: Cause::Startup,
        });
        table
    }

    fn input(&mut self, input: Input) -> Vec<Fact> {
        let seq = self.game.seq() + 1;
        let time = Timestamp::from_second(i64::try_from(seq).unwrap()).unwrap();
        let facts = self.game.apply(&Stamped { seq, time, input });
        self.facts.extend(facts.clone());
        facts
    }

    fn moves(&mut self, moves: &str) {
        for uci in moves.split(' ') {
            let facts = self.input(Input::Move {
                uci: uci.into(),
                by: SettledBy::Reply,
                clock: None,
            });
            assert!(
                matches!(facts[0], Fact::MoveMade { .. }),
                "{uci}: {facts:?}"
            );
        }
    }

    fn command(&mut self, id: &str, role: Role, verb: Verb) -> Answer {
        self.command_at(id, role, verb, None)
    }

    fn command_at(&mut self, id: &str, role: Role, verb: Verb, if_seq: Option<u64>) -> Answer {
        let id = id.to_owned();
        let facts = self.input(Input::Command(Command {
            id,
            role,
            by: None,
            if_seq,
            verb,
        }));
        let answered = facts.into_iter().find_map(|fact| match fact {
            Fact::Answered(answer) => Some(answer),
            _ => None,
        });
        answered.expect("every command is answered")
    }

    fn codes(&self) -> Vec<AlertCode> {
        let open = self.game.alerts().open().iter();
        open.map(|alert| alert.code).collect()
    }

    /// The open alert with this code.
    fn alert(&self, code: AlertCode) -> Option<Alert> {
        let mut open = self.game.alerts().open().iter();
        open.find(|alert| alert.code == code).cloned()
    }

    /// The array of the next game is set up.
    fn start_array(&mut self) -> Vec<Fact> {
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::new(),
            cause: Cause::StartArray,
        })
    }

    fn count(&self, wanted: impl Fn(&Fact) -> bool) -> usize {
        self.facts.iter().filter(|fact| wanted(fact)).count()
    }
}

const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn one_alert_for_a_claim_however_long_the_shuffle() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves(&[SHUFFLE; 3].join(" "));
    let raised = table
        .count(|f| matches!(f, Fact::AlertRaised(a) if a.code == AlertCode::ThreefoldClaimable));
    assert_eq!(raised, 1);
    table.moves("e2e4");
    assert!(table.game.alerts().open().is_empty(), "no claim is left");
}

#[test]
fn fivefold_ends_the_game_and_waits_for_the_arbiters_word() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves(&[SHUFFLE; 4].join(" "));
    let (ply, end) = table.game.ended().unwrap();
    assert_eq!(
        (ply, end.kind, end.article),
        (16, AutomaticKind::Fivefold, "9.6.1")
    );
    assert!(!table.game.result().unwrap().confirmed);
    let alert = table.game.alerts().open()[0].clone();
    assert_eq!((alert.code, alert.level), (AlertCode::Fivefold, Level::Red));

    let answer = table.command("1", Role::Arbiter, Verb::Ack { alert: alert.id });
    assert!(answer.ok);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.tracking(), Tracking::Resting);
}

#[test]
fn an_overlooked_end_is_kept_while_play_goes_on() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves(&[SHUFFLE; 4].join(" "));
    table.moves("e2e4 e7e5");
    assert_eq!(table.game.ended().unwrap().0, 16);
    let after = table.count(|f| {
        matches!(
            f,
            Fact::MoveMade {
                after_end: true,
                ..
            }
        )
    });
    assert_eq!(after, 2);
    assert_eq!(table.count(|f| matches!(f, Fact::Ended { .. })), 1);
}

#[test]
fn an_end_goes_with_the_ply_that_was_misread() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.game.result().unwrap().score, Score::BlackWins);
    table.input(Input::Revise {
        uci: "d8g5".into(),
        clock: None,
    });
    assert_eq!(table.game.ended(), None);
    assert_eq!(table.game.result(), None);
    assert_eq!(table.game.moves()[3].text.san, "Qg5");
}

#[test]
fn a_withdrawn_move_leaves_no_trace_in_the_score() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let facts = table.input(Input::Withdraw);
    assert!(matches!(&facts[0], Fact::MoveRetracted { ply: 2, uci } if uci == "e7e5"));
    assert_eq!(table.game.ply(), 1);
    table.input(Input::Withdraw);
    let refused = table.input(Input::Withdraw);
    assert!(matches!(refused[0], Fact::Refused { .. }));
}

#[test]
fn a_verdict_counts_only_for_the_position_it_was_asked_for() {
    let mut table = Table::new(Confirm::Automatic);
    let verdict = |game: &Game, verdict| Input::Dead {
        ply: game.ply(),
        position: game.position_seq(),
        verdict,
    };
    let kings = Verb::Setup {
        fen: "8/8/4k3/8/8/3K4/8/8 w - - 0 1".into(),
    };
    assert!(table.command("1", Role::Arbiter, kings).ok);
    let late = verdict(&table.game, Verdict::Dead);
    let array = Verb::Setup {
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
    };
    assert!(table.command("2", Role::Arbiter, array).ok);
    assert!(table.input(late).is_empty(), "both stand at ply 0");
    assert_eq!(table.game.ended(), None);

    table.moves("e2e4");
    let unknown = verdict(&table.game, Verdict::Unknown);
    table.input(unknown);
    assert_eq!(table.game.ended(), None, "unknown ends nothing");
    let dead = verdict(&table.game, Verdict::Dead);
    table.input(dead);
    assert_eq!(table.game.ended().unwrap().1.article, "5.2.2");
}

#[test]
fn headers_are_bounded() {
    let mut table = Table::new(Confirm::Arbiter);
    let many = |from: usize, to: usize| Verb::Headers {
        headers: (from..to)
            .map(|i| (format!("Tag{i}"), "x".to_owned()))
            .collect(),
    };
    assert!(table.command("1", Role::Operator, many(0, 60)).ok);
    let refused = table.command("2", Role::Operator, many(60, 70));
    assert_eq!(refused.code, Some(RefusalCode::BadValue));
    assert_eq!(table.game.headers().len(), 60);
    let long = Verb::Headers {
        headers: BTreeMap::from([("White".to_owned(), "x".repeat(256))]),
    };
    assert_eq!(
        table.command("3", Role::Operator, long).code,
        Some(RefusalCode::BadValue)
    );
}

#[test]
fn a_result_for_another_game_is_refused() {
    let mut table = Table::new(Confirm::Arbiter);
    let before = table.game.number();
    let new_game = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    assert!(table.command("1", Role::Arbiter, new_game).ok);
    let late = Verb::Result {
        score: Score::WhiteWins,
        game: Some(before),
    };
    assert_eq!(
        table.command("2", Role::Arbiter, late).code,
        Some(RefusalCode::Stale)
    );
    assert_eq!(table.game.result(), None);
}

#[test]
fn a_command_is_refused_when_the_board_has_moved_on() {
    let mut table = Table::new(Confirm::Arbiter);
    let seen = table.game.seq();
    table.moves("e2e4");
    let result = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    let answer = table.command_at("1", Role::Arbiter, result.clone(), Some(seen));
    assert_eq!(answer.code, Some(RefusalCode::Stale));
    assert_eq!(table.game.result(), None);
    let seen = table.game.seq();
    assert!(table.command_at("2", Role::Arbiter, result, Some(seen)).ok);
    assert_eq!(
        table.game.answer(Role::Arbiter, "1").unwrap().code,
        Some(RefusalCode::Stale)
    );
}

#[test]
fn a_new_game_leaves_the_unfinished_one_and_numbers_itself() {
    let mut table = Table::new(Confirm::Arbiter);
    let first = table.game.number();
    table.moves("e2e4");
    let verb = Verb::NewGame {
        start_fen: Some("nonsense".into()),
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    let refused = table.command("1", Role::Arbiter, verb);
    assert_eq!(refused.code, Some(RefusalCode::BadValue));
    assert_eq!(table.game.ply(), 1, "nothing has changed");

    let verb = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: Some(Rate::Blitz),
        headers: BTreeMap::from([("White".to_owned(), "A".to_owned())]),
    };
    assert!(table.command("2", Role::Operator, verb).ok);
    assert_eq!(
        table.count(|f| matches!(f, Fact::GameLeft { ply: 1, .. })),
        1
    );
    assert!(table.game.number() > first);
    assert_eq!((table.game.ply(), table.game.rate()), (0, Rate::Blitz));
}

#[test]
fn a_withdrawn_result_lets_the_game_go_on() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let draw = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert!(table.command("1", Role::Arbiter, draw).ok);
    assert!(table.game.status().is_closed());
    let none = Verb::Result {
        score: Score::None,
        game: None,
    };
    assert!(table.command("2", Role::Arbiter, none).ok);
    assert!(!table.game.status().is_closed());
    table.moves("e7e5");
}

#[test]
fn the_same_inputs_make_the_same_facts() {
    let play = || {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves(&[SHUFFLE; 4].join(" "));
        table.facts
    };
    assert_eq!(play(), play());
}
