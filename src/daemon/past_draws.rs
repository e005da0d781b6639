//! The draw states that the public of a competition may see: those of past positions.
//!
//! The draw state of a position waits for the next move, then for the broadcast delay. It is left out
//! if that move leads to a position in which a claim of this state can be made: players may think
//! longer than any delay.
//!
//! Only the moves decide, and never the position that is on the board when the delay has passed. A
//! state that was missing because of that position would reveal it.

use crate::publish::{
    payload::DrawPosition,
    views::{View, Views},
};
use remisd_game::Game;
use remisd_laws::{Basis, Ply};
use remisd_vocabulary::{notation::fen_without_counters, seq::EntrySeq};

/// The draw states of a game's positions, as they become past.
#[derive(Debug, Default)]
pub(super) struct PastDraws {
    /// The one on the board, to be shown after the next move.
    passing: Option<PastDraw>,
    /// The newest one of a past position that cannot help in the next position.
    passed: Option<PastDraw>,
}

/// The draw state of a position, as the public of a competition may see it.
#[derive(Debug, Clone)]
struct PastDraw {
    game: EntrySeq,
    ply: Ply,
    shown: ShownDraw,
    /// The positions in which its claims can be made, without counters.
    claimable_in: Vec<String>,
}

#[derive(Debug, Clone)]
enum ShownDraw {
    State(View),
    Position(Box<DrawPosition>),
}

impl PastDraw {
    fn of(game: &Game, views: &Views) -> Self {
        let shown = views.delayed_draw(game).map_or_else(
            || ShownDraw::Position(Box::new(Views::delayed_position(game))),
            ShownDraw::State,
        );
        let claimable_in = match shown {
            ShownDraw::State(_) => claimable_in(game),
            ShownDraw::Position(_) => Vec::new(),
        };
        Self {
            game: game.number(),
            ply: game.ply(),
            shown,
            claimable_in,
        }
    }

    /// Whether one of its claims can be made in the position on the board.
    fn can_help_in(&self, game: &Game) -> bool {
        self.claimable_in
            .contains(&fen_without_counters(game.position()))
    }

    fn view(&self, game: &Game, views: &Views) -> Option<View> {
        match &self.shown {
            ShownDraw::State(view) => Some(view.clone()),
            ShownDraw::Position(position) => views.position_and_offer(position, game),
        }
    }
}

impl PastDraws {
    /// Returns the draw state of the last past position, or the final one once the arbiter has
    /// confirmed the result.
    pub(super) fn next(&mut self, game: &Game, views: &Views) -> Option<View> {
        let now = PastDraw::of(game, views);
        if let Some(before) = self.passing.replace(now.clone())
            && before.ply < now.ply
            && !before.can_help_in(game)
        {
            self.passed = Some(before);
        }
        // A position that was taken back or belongs to another game does not count as past.
        self.passed
            .take_if(|passed| passed.game != now.game || passed.ply >= now.ply);
        if game.result().is_some_and(|result| result.confirmed) {
            return now.view(game, views);
        }
        self.passed.as_ref()?.view(game, views)
    }
}

/// The positions in which the claims of the draw state can be made: the one on the board, and those
/// after each announced move, in which the opponent could claim.
fn claimable_in(game: &Game) -> Vec<String> {
    use shakmaty::Position as _;

    let position = game.position();
    let draw = game.draw();
    let announced = draw.claims.iter().chain(&draw.disputed);
    let after = announced.filter_map(|claim| match &claim.basis {
        Basis::Appeared => None,
        Basis::Intended(intended) => {
            let mut after = position.clone();
            after.play_unchecked(intended.m);
            Some(fen_without_counters(&after))
        }
    });
    std::iter::once(fen_without_counters(position))
        .chain(after)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Audience, Profile};
    use remisd_game::{Cause, Input, Rules, Stamped};
    use remisd_vocabulary::reading::SettledBy;
    use std::collections::{BTreeMap, BTreeSet};

    fn views(delay_ms: u64) -> Views {
        Views::new(Audience {
            profile: Profile::Competition,
            delay_ms,
            delay_plies: 0,
            public_draw_after_ms: 900_000,
            operator_draw: false,
            open: BTreeSet::new(),
            languages: Vec::new(),
        })
    }

    struct Board {
        game: Game,
        passed: PastDraws,
        views: Views,
    }

    impl Board {
        fn new(delay_ms: u64) -> Self {
            let mut board = Self {
                game: Game::new(Rules::default()),
                passed: PastDraws::default(),
                views: views(delay_ms),
            };
            board.apply(Input::NewGame {
                start_fen: None,
                laws: "fide-2023".into(),
                rate: remisd_laws::Rate::Standard,
                headers: BTreeMap::new(),
                cause: Cause::Startup,
            });
            board
        }

        /// Returns the draw state that the public may see.
        fn apply(&mut self, input: Input) -> serde_json::Value {
            let (seq, time) = (self.game.seq().next(), jiff::Timestamp::UNIX_EPOCH);
            self.game.apply(&Stamped { seq, time, input });
            let view = self.passed.next(&self.game, &self.views);
            view.map_or(serde_json::Value::Null, |view| view.content())
        }

        fn play(&mut self, uci: &str) -> serde_json::Value {
            self.apply(Input::Move {
                uci: uci.into(),
                by: SettledBy::Clock,
                clock: None,
            })
        }
    }

    const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

    #[test]
    fn a_state_is_left_out_if_a_move_is_played_that_it_says_could_be_announced() {
        let mut board = Board::new(900_000);
        let mut before = serde_json::Value::Null;
        for uci in SHUFFLE.iter().chain(&SHUFFLE[..3]) {
            before = board.play(uci);
        }
        assert_eq!(before["ply"], 6);
        // Black, who could have claimed with ...Ng8, plays it: now White can claim.
        assert_eq!(board.play("f6g8"), before);
        let third = board.play("e2e4");
        assert_eq!(
            (&third["ply"], &third["repetition"]["count"]),
            (&8.into(), &3.into())
        );
    }

    #[test]
    fn with_a_short_delay_there_are_position_and_offer_alone() {
        for delay_ms in [0, 899_999] {
            let mut board = Board::new(delay_ms);
            for uci in SHUFFLE.iter().chain(&SHUFFLE) {
                board.play(uci);
            }
            let draw = board.play("g1f3");
            let mut keys: Vec<&String> = draw.as_object().unwrap().keys().collect();
            keys.sort();
            let allowed = ["fen", "game", "laws", "move", "offer", "ply", "turn"];
            assert_eq!(keys, allowed, "{draw}");
            assert_eq!(draw["fen"].as_str().unwrap().split(' ').count(), 4);
        }
    }
}
