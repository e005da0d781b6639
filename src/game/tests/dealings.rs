//! How players and arbiter deal with each other at a board: what other tests build on.

use super::*;
use crate::laws::{Edition, Regulations};

pub(super) const WHITE: Role = Role::White;
pub(super) const BLACK: Role = Role::Black;
pub(super) const ARBITER: Role = Role::Arbiter;

pub(super) fn under(edition: &'static Edition, confirm: Confirm) -> Table {
    Table::under(Rules {
        regulations: Regulations::new(edition, Rate::Standard),
        confirm,
        ..Rules::default()
    })
}

impl Table {
    /// Does what `verb` asks for and gives the refusal, if it is refused.
    pub(super) fn ask(&mut self, role: Role, verb: Verb) -> Option<RefusalCode> {
        let id = format!("command-{}", self.game.seq());
        self.command(&id, role, verb).code
    }

    pub(super) fn clock(&mut self, white_ms: u64, black_ms: u64, running: Option<Side>) {
        let clock = Some(ClockState {
            white_ms,
            black_ms,
            running,
            flag: None,
        });
        self.input(Input::Clock { clock });
    }

    pub(super) fn touch(&mut self, by: Side, square: &str) {
        self.lift(by, square, true);
    }

    pub(super) fn lift(&mut self, by: Side, square: &str, sure: bool) {
        let square = square.to_owned();
        self.input(Input::Touched { by, square, sure });
    }
}

/// A board after a restart, with what the entry that began its newest game has carried.
pub(super) fn restarted(carried: &Carried) -> Table {
    let mut game = Game::new(Rules::default());
    let input = Input::NewGame {
        start_fen: None,
        laws: carried.regulations.edition.id.to_owned(),
        rate: carried.regulations.rate,
        headers: BTreeMap::new(),
        cause: Cause::StartArray,
    };
    let entry = Remembered {
        time: Timestamp::UNIX_EPOCH,
        input,
        carried: Some(carried.clone()),
        facts: serde_json::Value::Null,
    };
    let facts = game.replay(1, &entry).facts;
    Table { game, facts }
}

pub(super) fn offer() -> Verb {
    Verb::Offer {
        player: None,
        condition: None,
    }
}

pub(super) fn claim(kind: Claimed, announced: Option<&str>) -> Verb {
    Verb::Claim {
        player: None,
        kind,
        announced: announced.map(str::to_owned),
        written: true,
    }
}

pub(super) const ACCEPT: Verb = Verb::Accept { player: None };
pub(super) const DECLINE: Verb = Verb::Decline { player: None };
pub(super) const CORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: true,
    admissible: true,
});
pub(super) const INCORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: false,
    admissible: true,
});

#[test]
fn a_correction_rewrites_the_moves_or_changes_nothing() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    let correct = |to_ply, moves: &[&str]| Verb::Correct {
        to_ply,
        moves: moves.iter().map(|m| (*m).to_owned()).collect(),
    };
    assert_eq!(
        table.ask(ARBITER, correct(1, &["c5", "Qxh7"])),
        Some(RefusalCode::BadValue)
    );
    assert_eq!(table.game.ply(), 3);
    assert_eq!(table.ask(ARBITER, correct(1, &["c5", "b1c3"])), None);
    let san: Vec<&str> = table
        .game
        .moves()
        .iter()
        .map(|m| m.text.san.as_str())
        .collect();
    assert_eq!(san, ["e4", "c5", "Nc3"]);
}

#[test]
fn nobody_speaks_for_the_other() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let for_black = Verb::Offer {
        player: Some(Side::Black),
        condition: None,
    };
    assert_eq!(
        table.ask(WHITE, for_black.clone()),
        Some(RefusalCode::RoleMayNot)
    );
    assert_eq!(table.ask(Role::Clock, offer()), Some(RefusalCode::BadValue));
    assert_eq!(table.ask(Role::Clock, for_black), None);
    let rules_for_himself = table.command_at("x", WHITE, CORRECT, None);
    assert_eq!(rules_for_himself.code, Some(RefusalCode::WrongState));
}

#[test]
fn ids_belong_to_roles() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert!(table.command("1", WHITE, offer()).ok);
    assert_eq!(table.game.answer(BLACK, "1"), None);
    assert!(
        table
            .game
            .answer(WHITE, "1")
            .is_some_and(|answer| answer.ok)
    );
}

#[test]
fn a_correction_is_not_a_move_of_the_players() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(ARBITER, Verb::Pause {}), None);
    table.ask(WHITE, offer());
    let correct = Verb::Correct {
        to_ply: 1,
        moves: vec!["c5".to_owned(), "Nf3".to_owned()],
    };
    assert_eq!(table.ask(ARBITER, correct), None);
    assert!(table.game.pause_state().is_some());
    assert!(table.game.standing_offer().is_some());
}
