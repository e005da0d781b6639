//! A second account that says anything at any time: what contradicts the record is seen, and an open
//! difference is not forgotten.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use proptest::{collection::vec, prelude::*};
use remisd_game::{
    Account, AccountKind, AccountStanding, AccountWatch, Cause, Game, Input, OtherGame, Played,
    Rules, Score, SettledBy, Stamped,
};
use remisd_laws::{Ply, Rate};
use remisd_vocabulary::time::{Moment, Span};
use shakmaty::{Chess, Move, Position as _, uci::UciMove};

/// What happens to the account or the record.
#[derive(Debug, Clone)]
enum Step {
    /// The account says this: one of two moves at each ply. It may share the record's first plies.
    Text {
        shared: usize,
        line: Vec<bool>,
        is_settled: bool,
        round: Option<u8>,
        is_over: bool,
        doubted: Option<Ply>,
    },
    /// The account says the same, and it has stood still.
    Settles,
    /// The account is lost.
    Lost,
    /// Time passes, in milliseconds.
    Waits(u64),
    /// The record has one of two moves.
    Moves(bool),
    /// The record begins another game.
    NewGame,
    /// The daemon starts again.
    Restarts,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = (
        0..12_usize,
        vec(any::<bool>(), 0..6),
        any::<bool>(),
        proptest::option::weighted(0.1, 0..3_u8),
        proptest::bool::weighted(0.1),
        proptest::option::weighted(0.1, 1..6_u32),
    );
    let text = text.prop_map(
        |(shared, line, is_settled, round, is_over, doubted)| Step::Text {
            shared,
            line,
            is_settled,
            round,
            is_over,
            doubted,
        },
    );
    let step = prop_oneof![
        6 => text,
        3 => Just(Step::Settles),
        1 => Just(Step::Lost),
        6 => (0..20_000_u64).prop_map(Step::Waits),
        6 => any::<bool>().prop_map(Step::Moves),
        1 => Just(Step::NewGame),
        1 => Just(Step::Restarts),
    ];
    vec(step, 0..60)
}

/// One of two moves.
fn pick(position: &Chess, first: bool) -> Option<Move> {
    let legal = position.legal_moves();
    let last = legal.len().checked_sub(1)?;
    legal.get(if first { 0 } else { last }).copied()
}

struct Hall {
    game: Game,
    watch: AccountWatch,
    now: Moment,
    /// The texts, the newest last, and the newest one that has stood still.
    texts: Vec<Arc<Account>>,
    settled: Option<Arc<Account>>,
}

impl Hall {
    fn new() -> Self {
        let mut hall = Self {
            game: Game::new(Rules::default()),
            watch: AccountWatch::new(AccountKind::Pgn, "games.pgn"),
            now: Moment::from_millis(1),
            texts: Vec::new(),
            settled: None,
        };
        hall.new_game();
        hall
    }

    fn input(&mut self, input: Input) {
        let seq = self.game.seq().next();
        let time = Timestamp::UNIX_EPOCH;
        self.game.apply(&Stamped { seq, time, input });
    }

    fn new_game(&mut self) {
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::from([("Round".to_owned(), "1".to_owned())]),
            cause: Cause::StartArray,
        });
    }

    fn check(&mut self) {
        for _ in 0..20 {
            let Some(input) = self.watch.check(&self.game, self.now) else {
                let due = self.watch.due();
                assert!(
                    due.is_none_or(|due| due > self.now),
                    "it would be checked for ever"
                );
                return;
            };
            self.input(input);
        }
        panic!("it does not come to rest");
    }

    fn sees(&mut self, text: Arc<Account>, is_settled: bool) {
        if is_settled {
            self.settled = Some(text.clone());
        }
        self.texts.push(text.clone());
        self.watch.see("games.pgn", text, is_settled);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Text {
                shared,
                line,
                is_settled,
                round,
                is_over,
                doubted,
            } => {
                let mut position = Chess::default();
                let ours = self.game.moves().iter().take(*shared);
                let mut moves: Vec<Move> = ours.map(Played::played).collect();
                for m in &moves {
                    position.play_unchecked(*m);
                }
                for first in line {
                    if let Some(m) = pick(&position, *first) {
                        position.play_unchecked(m);
                        moves.push(m);
                    }
                }
                let round = round.map(|round| ("Round".to_owned(), round.to_string()));
                let text = Account {
                    start: Chess::default(),
                    moves,
                    signs: Vec::new(),
                    unreadable: None,
                    result: is_over.then_some(Score::Draw),
                    doubted_since: *doubted,
                    tags: round.into_iter().collect(),
                };
                self.sees(Arc::new(text), *is_settled);
            }
            Step::Settles => {
                if let Some(text) = self.texts.last().cloned() {
                    self.sees(text, true);
                }
            }
            Step::Lost => self.watch.lose("it does not exist".to_owned()),
            Step::Waits(ms) => self.now += Span::from_millis(*ms),
            Step::Moves(first) => {
                if let Some(m) = pick(self.game.position(), *first) {
                    let uci: UciMove = m.to_uci(shakmaty::CastlingMode::Standard);
                    self.input(Input::Move {
                        uci: uci.to_string().as_str().into(),
                        by: SettledBy::Reply,
                        clock: None,
                    });
                }
            }
            Step::NewGame => self.new_game(),
            Step::Restarts => {
                self.watch = AccountWatch::new(AccountKind::Pgn, "games.pgn");
                self.settled = None;
                self.texts.clear();
            }
        }
        self.check();
    }

    /// The ply of the open difference, if it is about a move.
    fn open(&self) -> Option<Ply> {
        let open = self.game.open_difference(AccountKind::Pgn);
        open.filter(|open| !open.moves.is_empty())
            .map(|open| open.from)
    }

    /// Whether a text that counts has the record's move at a ply.
    fn agrees_at(&self, ply: Ply) -> bool {
        let at = ply as usize - 1;
        let ours = self.game.moves().get(at).map(Played::played);
        let mut texts = self.texts.iter().rev().take(4).chain(&self.settled);
        ours.is_some() && texts.any(|text| text.moves.get(at).copied() == ours)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_difference_is_seen_and_not_forgotten(steps in steps()) {
        let mut hall = Hall::new();
        for step in &steps {
            let before = hall.open();
            hall.take(step);
            let is_of_account = !matches!(step, Step::Moves(_) | Step::NewGame);
            if let (Some(ply), true, None) = (before, is_of_account, hall.open()) {
                prop_assert!(hall.agrees_at(ply), "ply {ply} was forgotten at {step:?}");
            }
        }
        // In the end the account stands still, and contradicts the record at the last ply.
        let Some(last) = hall.game.moves().len().checked_sub(1) else {
            return Ok(());
        };
        let text = Step::Text {
            shared: last,
            line: vec![true],
            is_settled: true,
            round: None,
            is_over: false,
            doubted: None,
        };
        hall.take(&text);
        for _ in 0..8 {
            hall.take(&Step::Waits(5_000));
        }
        let ply = hall.game.ply();
        let ours = hall.game.moves().last().map(Played::played);
        let theirs = hall.settled.as_ref().and_then(|text| text.moves.get(last).copied());
        let contradicts = ours != theirs;
        let known = hall.game.account(AccountKind::Pgn).map(|known| &known.standing);
        let earlier = AccountStanding::OtherGame { why: OtherGame::Earlier };
        if contradicts && hall.game.result().is_none() && known != Some(&earlier) {
            prop_assert!(hall.open().is_some_and(|from| from <= ply), "{known:?}");
        }
    }
}
