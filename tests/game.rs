//! Edge cases of the game's state machine, each as a story of a few inputs.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use jiff::Timestamp;
use remisd_game::{
    AlertCode, Command, Confirm, Fact, Game, Input, Role, Rules, Score, SettledBy, Stamped, Verb,
};
use remisd_laws::AutomaticKind;

/// A game, with the facts of the last input.
struct Story {
    game: Game,
    facts: Vec<Fact>,
}

impl Story {
    fn begin() -> Self {
        let rules = Rules {
            confirm: Confirm::Arbiter,
            ..Rules::default()
        };
        Self {
            game: Game::new(rules),
            facts: Vec::new(),
        }
    }

    fn apply(&mut self, input: Input) {
        let seq = self.game.seq() + 1;
        let time = Timestamp::UNIX_EPOCH;
        self.facts = self.game.apply(&Stamped { seq, time, input });
    }

    fn moves(&mut self, moves: &str) {
        for uci in moves.split_whitespace().map(Into::into) {
            let by = SettledBy::StoodStill;
            let clock = None;
            self.apply(Input::Move { uci, by, clock });
        }
    }

    fn revise(&mut self, uci: &str) {
        let (uci, clock) = (uci.into(), None);
        self.apply(Input::Revise { uci, clock });
    }

    fn arbiter(&mut self, verb: Verb) {
        self.apply(Input::Command(Command {
            id: self.game.seq().to_string(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        }));
    }

    fn ended(&self) -> Option<(u32, AutomaticKind)> {
        self.game.ended().map(|(ply, end)| (ply, end.kind))
    }

    fn alerts(&self) -> Vec<AlertCode> {
        let open = self.game.alerts().open();
        open.iter().map(|alert| alert.code).collect()
    }
}

const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

#[test]
fn a_revision_to_an_illegal_move_leaves_the_draw_state_of_the_position_before() {
    let mut story = Story::begin();
    story.moves("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert_eq!(story.game.draw().repetition.plies, [0, 4, 8]);
    story.revise("a1a8");
    assert!(matches!(
        story.facts[..2],
        [Fact::MoveRetracted { ply: 8, .. }, Fact::Refused { .. }]
    ));
    assert_eq!(story.game.ply(), 7);
    assert_eq!(story.game.draw().repetition.plies, [3, 7]);
}

#[test]
fn a_game_that_begins_with_its_end_is_over_at_ply_0() {
    let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    let mut story = Story::begin();
    story.arbiter(Verb::Setup {
        fen: stalemate.to_owned(),
    });
    assert_eq!(story.ended(), Some((0, AutomaticKind::Stalemate)));
    assert_eq!(story.alerts(), [AlertCode::GameOver]);
    story.arbiter(Verb::NewGame {
        start_fen: Some("4k3/8/8/8/8/8/8/4K2R w - - 150 99".to_owned()),
        laws: None,
        rate: None,
        headers: [].into(),
    });
    assert_eq!(story.ended(), Some((0, AutomaticKind::SeventyFiveMove)));
    let counted = [AlertCode::SeventyFiveMove, AlertCode::CountsRestarted];
    assert_eq!(story.alerts(), counted, "the FEN has counted the moves");
}

#[test]
fn a_revised_move_takes_its_end_and_the_result_of_it_back() {
    let mut story = Story::begin();
    story.moves(MATE);
    assert_eq!(story.ended(), Some((4, AutomaticKind::Checkmate)));
    story.revise("d8g5");
    assert_eq!(story.ended(), None);
    assert_eq!(story.game.result(), None);
    assert_eq!(story.alerts(), []);
}

#[test]
fn a_revised_move_does_not_take_back_what_the_arbiter_has_entered() {
    let mut story = Story::begin();
    story.moves(MATE);
    let score = Score::BlackWins;
    story.arbiter(Verb::Result { score, game: None });
    story.revise("d8g5");
    assert_eq!(story.game.result().map(|result| result.score), Some(score));
}
