//! A token: one account of all that was told, with what it costs.

use std::{ops::Range, sync::Arc};

use shakmaty::Color;

use super::{
    cost::{Cost, IMPOSSIBLE, either},
    interpret::is_adjacent,
    model::{Chance, Duration, Model},
    regime,
    tree::{Content, EMPTY, Node, Squares},
};

/// Plies that can be under way at once: the one being made and two that began early.
pub(crate) const MAX_GESTURES: usize = 3;
/// The home of a piece that is still in a hand.
pub(crate) const NOWHERE: u8 = 64;
/// The home of a piece that has left it.
pub(crate) const GONE: u8 = 65;
/// Things that can wait for their end at once.
const MAX_ITEMS: usize = 7;

/// What is done with the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regime {
    /// The game is played.
    Play,
    /// The kings are being put in the centre.
    ResultSign,
    /// The pieces are being cleared away, or set up for the next game.
    Clearing,
    /// The clock stands, and positions are looked at.
    Paused,
    /// Plies are taken back: the pieces return to the position of the node.
    TakeBack,
    /// Nothing is understood.
    Lost,
}

/// What the hand of a ply does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing yet.
    Idle,
    /// It is between two of its squares.
    Moving,
    /// Its piece stands on this square for a moment, and goes on.
    Resting(u8, Duration),
    /// A pawn stands on this square of the last rank and waits for its piece.
    AwaitsPiece(u8),
    /// It has put its piece down, before the ply that it answers was told to stand.
    Placed,
}

/// The hand of one ply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gesture {
    pub(crate) stage: Stage,
    /// The squares of its move that it has changed.
    pub(crate) touched: u64,
    /// Where it lifted the piece that it carries, and which.
    pub(crate) carried: Option<(u8, Content)>,
    /// When it touched a square for the first and for the last time.
    pub(crate) first_touch: u64,
    pub(crate) last_touch: u64,
    /// When it put its piece down, if it has.
    pub(crate) placed_at: Option<u64>,
    /// The piece that it took off.
    pub(crate) captured: Content,
    /// What has been paid for the choice of the move so far.
    pub(crate) choice_cost: Cost,
}

impl Gesture {
    pub(crate) const IDLE: Self = Self {
        stage: Stage::Idle,
        touched: 0,
        carried: None,
        first_touch: 0,
        last_touch: 0,
        placed_at: None,
        captured: EMPTY,
        choice_cost: 0,
    };

    pub(crate) fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// What it costs that it has done nothing since its last touch.
    pub(crate) fn survival_cost(&self, now: u64, model: &Model) -> Cost {
        let since = now.saturating_sub(self.last_touch);
        match self.stage {
            Stage::Idle | Stage::Placed => 0,
            Stage::Moving => model.survival(Duration::Hold, since),
            Stage::Resting(_, clock) => model.survival(clock, since),
            Stage::AwaitsPiece(_) => model.survival(Duration::PromotionSwap, since),
        }
    }

    /// What it costs that it touches its next square now.
    pub(crate) fn continue_cost(&self, now: u64, model: &Model) -> Cost {
        let since = now.saturating_sub(self.last_touch);
        match self.stage {
            Stage::Idle => IMPOSSIBLE,
            Stage::Moving | Stage::Placed => model.density(Duration::Hold, since),
            Stage::Resting(_, clock) => model.density(clock, since),
            Stage::AwaitsPiece(_) => model.density(Duration::PromotionSwap, since),
        }
    }
}

/// Why a square waits for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Its piece is away and will come back.
    Away,
    /// A piece stands there that does not belong there.
    Aside,
    /// It has changed, and the board has not told it.
    Unreported,
    /// The board has told what is not so.
    Misreading,
    /// A piece stands badly: its own square feels it now and then, or this one beside it does.
    Leaning,
}

/// A square that waits for something to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) cause: Cause,
    pub(crate) square: u8,
    /// The piece that is away; of a debt, what the board shows instead.
    pub(crate) piece: Content,
    pub(crate) since: u64,
    /// Where the piece stands that leans over here.
    pub(crate) home: u8,
    /// A full look has contradicted it; of a piece that leans, this square shows it.
    pub(crate) contradicted: bool,
}

impl Item {
    const fn duration(&self) -> Duration {
        match self.cause {
            Cause::Away => Duration::PieceAway,
            Cause::Aside => Duration::PieceAside,
            Cause::Unreported => Duration::ReportDelay,
            Cause::Misreading | Cause::Leaning => Duration::Misreading,
        }
    }

    pub(crate) fn survival_cost(&self, now: u64, model: &Model) -> Cost {
        model.survival(self.duration(), now.saturating_sub(self.since))
    }

    pub(crate) fn end_cost(&self, now: u64, model: &Model) -> Cost {
        model.density(self.duration(), now.saturating_sub(self.since))
    }
}

/// The squares that wait for something, few of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items {
    list: [Item; MAX_ITEMS],
    len: usize,
}

impl Items {
    pub(crate) const NONE: Self = Self {
        list: [Item {
            cause: Cause::Away,
            square: 0,
            piece: EMPTY,
            since: 0,
            home: 0,
            contradicted: false,
        }; MAX_ITEMS],
        len: 0,
    };

    pub(crate) fn all(&self) -> &[Item] {
        &self.list[..self.len]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Item] {
        &mut self.list[..self.len]
    }

    /// The one on a square, if there is one.
    pub(crate) fn find(&self, square: u8, cause: Cause) -> Option<usize> {
        (self.all().iter()).position(|item| item.square == square && item.cause == cause)
    }

    /// Whether there is room for one more.
    pub(crate) fn add(&mut self, cause: Cause, square: u8, piece: Content, since: u64) -> bool {
        let Some(place) = self.list.get_mut(self.len) else {
            return false;
        };
        *place = Item {
            cause,
            square,
            piece,
            since,
            home: square,
            contradicted: false,
        };
        self.len += 1;
        true
    }

    /// The piece of the newest one stands here.
    pub(crate) fn set_last_home(&mut self, home: u8) {
        if let Some(item) = self.all_mut().last_mut() {
            item.home = home;
            item.contradicted = home != item.square;
        }
    }

    /// The piece that stands badly on this square, or leans over it.
    pub(crate) fn find_leaning(&self, square: u8) -> Option<usize> {
        (self.all().iter()).position(|item| {
            item.cause == Cause::Leaning && (item.square == square || item.home == square)
        })
    }

    pub(crate) fn remove(&mut self, index: usize) -> Item {
        let item = self.list[index];
        self.len -= 1;
        self.list[index] = self.list[self.len];
        item
    }
}

/// One account of all that was told.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// What it has paid so far; what is still running is in [`Token::silence`].
    pub(crate) cost: Cost,
    pub(crate) regime: Regime,
    pub(crate) node: Arc<Node>,
    /// What stands on the board in its opinion.
    pub(crate) physical: Squares,
    pub(crate) gestures: [Gesture; MAX_GESTURES],
    pub(crate) items: Items,
    /// When its last ply stood, or what else happened last where nothing is played.
    pub(crate) completed_at: u64,
    /// Since when a press of White, of Black is awaited.
    pub(crate) awaited_press: [Option<u64>; 2],
    /// Who has pressed before the ply was told to stand.
    pub(crate) early_press: [bool; 2],
    /// What speaks against a fast, a middling and a slow game.
    pub(crate) tempo: [Cost; 3],
    /// The piece that the last ply took.
    pub(crate) captured: Content,
    /// The plies of the last ones that nobody saw end, the newest in the lowest bit.
    pub(crate) unseen_ends: u8,
    /// The same of those whose end the board still owes.
    pub(crate) pending_ends: u8,
    /// The depths of the plies that were made out of sight last.
    pub(crate) missed_plies: Range<u32>,
}

const THINKS: [Duration; 3] = [Duration::ThinkFast, Duration::Think, Duration::ThinkSlow];
const EARLIES: [Chance; 3] = [Chance::EarlyFast, Chance::EarlyMiddle, Chance::EarlySlow];

impl Token {
    /// The game stands at `node`, and so does the board.
    pub(crate) fn new(node: Arc<Node>, now: u64) -> Self {
        Self {
            cost: 0,
            regime: Regime::Play,
            physical: node.board,
            node,
            gestures: [Gesture::IDLE; MAX_GESTURES],
            items: Items::NONE,
            completed_at: now,
            awaited_press: [None; 2],
            early_press: [false; 2],
            tempo: [1_125; 3],
            captured: EMPTY,
            unseen_ends: 0,
            pending_ends: 0,
            missed_plies: 0..0,
        }
    }

    /// What it costs that nothing has ended until `now` of all that is under way.
    pub(crate) fn survival_cost(&self, now: u64, model: &Model) -> Cost {
        match self.regime {
            Regime::Play => {}
            Regime::Clearing | Regime::Paused | Regime::TakeBack => {
                return model.survival(
                    Duration::ClearingStep,
                    now.saturating_sub(self.completed_at),
                );
            }
            // A sign that is complete stands for as long as it likes.
            Regime::ResultSign if regime::king_sign(&self.physical).is_none() => {
                return model.survival(Duration::SignStep, now.saturating_sub(self.completed_at));
            }
            Regime::ResultSign => return 0,
            // Nobody does anything, whatever is played.
            Regime::Lost => {
                let since = now.saturating_sub(self.completed_at);
                return self.mixed(&THINKS.map(|clock| model.survival(clock, since)));
            }
        }
        let items = self
            .items
            .all()
            .iter()
            .map(|item| item.survival_cost(now, model));
        let hands = self
            .gestures
            .iter()
            .map(|hand| hand.survival_cost(now, model));
        // Of two that are missing the lever did not turn for the first, nor then for the second.
        let presses = self.awaited_press.iter().flatten().min().map(|since| {
            let lasts = model.survival(Duration::Press, now.saturating_sub(*since));
            either(lasts, model.cost(Chance::ForgottenPress))
        });
        // What was answered must be told within a scan.
        let replied = match self.gestures[1] {
            Gesture {
                stage: Stage::Idle, ..
            } => None,
            // Neither of its squares is.
            hand if self.gestures[0].is_idle() => Some((hand.first_touch, 2)),
            hand => hand.placed_at.map(|placed_at| (placed_at, 1)),
        };
        let thinks = if let Some((since, squares)) = replied {
            squares * model.survival(Duration::ReportDelay, now.saturating_sub(since))
        } else if self.gestures[0].is_idle() {
            let since = now.saturating_sub(self.completed_at);
            self.mixed(&THINKS.map(|clock| model.survival(clock, since)))
        } else {
            0
        };
        items.chain(hands).chain(presses).sum::<Cost>() + thinks
    }

    /// What it costs in all, at `now`.
    pub(crate) fn total_cost(&self, now: u64, model: &Model) -> Cost {
        self.cost + self.survival_cost(now, model)
    }

    /// The mean over the tempos of what depends on them.
    fn mixed(&self, costs: &[Cost; 3]) -> Cost {
        let of = |i: usize| self.tempo[i] + costs[i];
        either(either(of(0), of(1)), of(2))
    }

    /// Pays what depends on the tempo, and learns of it.
    fn pay_tempo(&mut self, costs: &[Cost; 3]) {
        let mean = self.mixed(costs);
        self.cost += mean;
        for (tempo, cost) in self.tempo.iter_mut().zip(costs) {
            // It changes slowly: no tempo is ever ruled out.
            *tempo = (*tempo + cost - mean).min(4_096);
        }
    }

    /// A ply is begun after the one before stood.
    pub(crate) fn pay_thought(&mut self, now: u64, model: &Model) {
        let since = now.saturating_sub(self.completed_at);
        self.pay_tempo(&THINKS.map(|clock| model.density(clock, since)));
    }

    /// A ply is begun before the one before stands, or is not.
    pub(crate) fn pay_early(&mut self, early: bool, model: &Model) {
        self.pay_tempo(&EARLIES.map(|odds| {
            if early {
                model.cost(odds)
            } else {
                model.cost_of_not(odds)
            }
        }));
    }

    /// Whether something has changed that was not told yet.
    pub(crate) fn has_unreported(&self) -> bool {
        (self.items.all().iter()).any(|item| item.cause == Cause::Unreported)
    }

    /// Whether nobody saw the ply end that led to this depth, so that it may have been another.
    pub(crate) fn ended_unseen(&self, depth: u32) -> bool {
        let behind = self.node.depth.saturating_sub(depth);
        // Three plies that go on from it confirm it.
        behind < 4 && (self.unseen_ends | self.pending_ends) >> behind & 1 == 1
    }

    /// Whose ply a hand makes.
    pub(crate) fn side(&self, hand: usize) -> Color {
        if hand.is_multiple_of(2) {
            self.node.turn()
        } else {
            self.node.turn().other()
        }
    }

    /// Puts something on a square.
    pub(crate) fn set_content(&mut self, square: u8, content: Content) {
        self.physical[usize::from(square)] = content;
        for item in self.items.all_mut() {
            let comes =
                item.cause == Cause::Leaning && item.home == NOWHERE && item.piece == content;
            if comes && is_adjacent(item.square, square) {
                item.home = square;
            }
        }
        // It stands there no more.
        let gone = |item: &Item| {
            item.cause == Cause::Leaning && item.home == square && item.piece != content
        };
        if let Some(index) = self.items.all().iter().position(gone) {
            let item = &mut self.items.all_mut()[index];
            if item.contradicted {
                // The square beside it does not show that yet.
                item.home = GONE;
            } else {
                self.items.remove(index);
            }
        }
    }

    pub(crate) fn content_at(&self, square: u8) -> Content {
        self.physical[usize::from(square)]
    }

    /// Whether nothing is under way: the board shows the position.
    pub(crate) fn is_quiet(&self) -> bool {
        self.gestures.iter().all(Gesture::is_idle)
            && self
                .items
                .all()
                .iter()
                .all(|item| item.cause == Cause::Leaning)
    }

    /// What all tokens have in common that have the same future.
    pub(crate) fn merge_key(&self) -> u64 {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        hash.add(self.node.id() as u64);
        hash.add(self.regime as u64);
        if self.regime != Regime::Play {
            return hash.0;
        }
        for eight in self.physical.as_chunks::<8>().0 {
            hash.add(u64::from_le_bytes(*eight));
        }
        for hand in &self.gestures {
            let stage = match hand.stage {
                Stage::Idle => 0,
                Stage::Moving => 1,
                Stage::Placed => 4,
                Stage::Resting(square, clock) => {
                    2 + (u64::from(square) << 8) + ((clock as u64) << 16)
                }
                Stage::AwaitsPiece(square) => 3 + (u64::from(square) << 8),
            };
            hash.add(hand.touched);
            hash.add(stage + (hand.carried.map_or(0, |(from, _)| u64::from(from) + 1) << 32));
        }
        // Their order means nothing.
        let items = self.items.all().iter().map(|item| {
            let mut one = Hash(u64::from(item.square));
            one.add((item.cause as u64) << 8 | u64::from(item.piece));
            one.0
        });
        hash.add(items.fold(0, u64::wrapping_add));
        let flag = |at: usize| {
            u64::from(self.awaited_press[at].is_some()) + 2 * u64::from(self.early_press[at])
        };
        hash.add(flag(0) + 4 * flag(1));
        hash.0
    }
}

struct Hash(u64);

impl Hash {
    const fn add(&mut self, more: u64) {
        self.0 = (self.0.rotate_left(5) ^ more).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.0 ^= self.0 >> 29;
    }
}
