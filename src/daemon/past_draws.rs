//! The draw states that the public of a competition may see: those of past positions, and only
//! while they cannot help at the board.
//!
//! Two things hold back the draw state of a position. It waits for the next move, then for the
//! broadcast delay. After that it waits while the position, or one that a claim in it announces, is
//! on the board: players may think longer than any delay.

use std::sync::Arc;

use bytes::Bytes;

use crate::publish::{
    payload::DrawPosition,
    views::{View, Views},
};
use remisd_game::Game;
use remisd_laws::{Basis, Ply};
use remisd_vocabulary::{notation::fen_without_counters, seq::EntrySeq};

/// Positions during which a draw state must not be published.
pub(super) type Positions = Arc<[String]>;

/// The draw states of a game's positions, as they become past.
#[derive(Debug, Default)]
pub(super) struct PastDraws {
    /// The one on the board, to be shown after the next move.
    passing: Option<PastDraw>,
    /// The newest one of a past position.
    passed: Option<PastDraw>,
}

/// The draw state of a position, as the public of a competition may see it.
#[derive(Debug, Clone)]
struct PastDraw {
    game: EntrySeq,
    ply: Ply,
    shown: ShownDraw,
    positions: Positions,
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
        let positions = match shown {
            ShownDraw::State(_) => claimable_in(game),
            ShownDraw::Position(_) => Vec::new(),
        };
        Self {
            game: game.number(),
            ply: game.ply(),
            shown,
            positions: positions.into(),
        }
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
    /// confirmed the result, with the positions that hold it back.
    pub(super) fn next(&mut self, game: &Game, views: &Views) -> (Option<View>, Positions) {
        let now = PastDraw::of(game, views);
        if let Some(before) = self.passing.replace(now.clone())
            && before.ply < now.ply
        {
            self.passed = Some(before);
        }
        // A position that was taken back or belongs to another game does not count as past.
        self.passed
            .take_if(|passed| passed.game != now.game || passed.ply >= now.ply);
        if game.result().is_some_and(|result| result.confirmed) {
            return (now.view(game, views), Positions::default());
        }
        match &self.passed {
            Some(passed) => (passed.view(game, views), passed.positions.clone()),
            None => (None, Positions::default()),
        }
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

/// The next content of the public topic `draw`, with the positions that hold it back.
#[derive(Debug, Clone)]
pub(super) struct DueView {
    pub(super) payload: Option<Bytes>,
    pub(super) positions: Positions,
}

/// Holds back what would reveal a claim in the position on the board.
#[derive(Debug, Default)]
pub(super) struct HoldBack {
    on_board: String,
    held: Option<DueView>,
}

impl HoldBack {
    /// Updates the position on the board; returns what no longer needs to be held back.
    pub(super) fn stands(&mut self, game: &Game) -> Option<DueView> {
        self.on_board = fen_without_counters(game.position());
        let on_board = &self.on_board;
        self.held.take_if(|due| !due.positions.contains(on_board))
    }

    /// Returns a state that has passed, unless its position is on the board again. It is then held
    /// if no newer one is.
    pub(super) fn check(&mut self, due: DueView) -> Option<DueView> {
        if due.positions.contains(&self.on_board) {
            self.held.get_or_insert(due);
            return None;
        }
        Some(due)
    }

    /// Passes a due state on, or holds it in place of the one held before.
    pub(super) fn pass(&mut self, due: DueView) -> Option<DueView> {
        if due.positions.contains(&self.on_board) {
            self.held = Some(due);
            return None;
        }
        self.held = None;
        Some(due)
    }
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
        hold_back: HoldBack,
        views: Views,
    }

    impl Board {
        fn new(delay_ms: u64) -> Self {
            let mut board = Self {
                game: Game::new(Rules::default()),
                passed: PastDraws::default(),
                hold_back: HoldBack::default(),
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

        /// Returns what has been released, and what must pass next.
        fn apply(&mut self, input: Input) -> (Option<DueView>, DueView) {
            let (seq, time) = (self.game.seq().next(), jiff::Timestamp::UNIX_EPOCH);
            self.game.apply(&Stamped { seq, time, input });
            let freed = self.hold_back.stands(&self.game);
            let (view, positions) = self.passed.next(&self.game, &self.views);
            let payload = view.map(|view| Bytes::from(view.content().to_string()));
            (freed, DueView { payload, positions })
        }

        fn play(&mut self, uci: &str) -> (Option<DueView>, DueView) {
            self.apply(Input::Move {
                uci: uci.into(),
                by: SettledBy::Clock,
                clock: None,
            })
        }
    }

    fn json(due: &DueView) -> serde_json::Value {
        serde_json::from_slice(due.payload.as_ref().unwrap()).unwrap()
    }

    const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

    #[test]
    fn an_announced_move_that_was_played_is_held_back_while_its_position_stands() {
        let mut board = Board::new(900_000);
        for uci in SHUFFLE.iter().chain(&SHUFFLE[..3]) {
            board.play(uci);
        }
        // Black, who could have claimed with ...Ng8, plays it: now White can claim.
        let (_, due) = board.play("f6g8");
        let claims = json(&due)["claims"].clone();
        assert_eq!(claims[0]["move"]["uci"], "f6g8", "{claims}");
        assert!(
            board.hold_back.pass(due).is_none(),
            "White can claim it still"
        );
        let (freed, _) = board.play("e2e4");
        assert_eq!(json(&freed.unwrap())["claims"], claims, "it is history");
    }

    #[test]
    fn a_position_that_stands_again_is_held_back() {
        let mut board = Board::new(900_000);
        for uci in SHUFFLE.iter().chain(&SHUFFLE) {
            board.play(uci);
        }
        let (_, third) = board.play("g1f3");
        assert_eq!(json(&third)["repetition"]["count"], 3);
        for uci in &SHUFFLE[1..] {
            board.play(uci);
        }
        assert!(
            board.hold_back.pass(third).is_none(),
            "the array stands again"
        );
        let (freed, _) = board.play("e2e4");
        assert_eq!(json(&freed.unwrap())["repetition"]["count"], 3);
    }

    #[test]
    fn with_a_short_delay_there_are_position_and_offer_alone() {
        for delay_ms in [0, 899_999] {
            let mut board = Board::new(delay_ms);
            for uci in SHUFFLE.iter().chain(&SHUFFLE) {
                board.play(uci);
            }
            let (_, due) = board.play("g1f3");
            let draw = json(&due);
            let mut keys: Vec<&String> = draw.as_object().unwrap().keys().collect();
            keys.sort();
            let allowed = ["fen", "game", "laws", "move", "offer", "ply", "turn"];
            assert_eq!(keys, allowed, "{draw}");
            assert_eq!(draw["fen"].as_str().unwrap().split(' ').count(), 4);
            assert!(board.hold_back.pass(due).is_some());
        }
    }
}
