//! A token: one account of all that was told, with what it costs.

use std::{ops::Range, sync::Arc};

use shakmaty::Color;

use super::{
    explain::is_beside,
    fixed::{Cost, NEVER, either},
    model::{Clock, Model, Odds},
    regime,
    tree::{Content, EMPTY, Node, Squares},
};

/// Plies that can be under way at once: the one being made and two that began early.
pub(crate) const HANDS: usize = 3;
/// The home of a piece that is still in a hand.
pub(crate) const NOWHERE: u8 = 64;
/// The home of a piece that has left it.
pub(crate) const GONE: u8 = 65;
/// Things that can wait for their end at once.
const ITEMS: usize = 7;

/// What is done with the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regime {
    /// The game is played.
    Play,
    /// The kings are being put in the centre.
    Sign,
    /// The pieces are being cleared away, or set up for the next game.
    Clear,
    /// The clock stands, and positions are looked at.
    Paused,
    /// Plies are taken back: the pieces return to the position of the node.
    Back,
    /// Nothing is understood.
    Lost,
}

/// What the hand of a ply does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing yet.
    Idle,
    /// It is between two of its squares.
    Active,
    /// Its piece stands on this square for a moment, and goes on.
    Rests(u8, Clock),
    /// A pawn stands on this square of the last rank and waits for its piece.
    Pawn(u8),
    /// It has put its piece down, before the ply that it answers was told to stand.
    Stands,
}

/// The hand of one ply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gesture {
    pub(crate) stage: Stage,
    /// The squares of its move that it has changed.
    pub(crate) touched: u64,
    /// Where it lifted the piece that it carries, and which.
    pub(crate) held: Option<(u8, Content)>,
    /// When it touched a square for the first and for the last time.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// When it put its piece down, if it has.
    pub(crate) landed: Option<u64>,
    /// The piece that it took off.
    pub(crate) taken: Content,
    /// What has been paid for the choice of the move so far.
    pub(crate) mass: Cost,
}

impl Gesture {
    pub(crate) const IDLE: Self = Self {
        stage: Stage::Idle,
        touched: 0,
        held: None,
        first: 0,
        last: 0,
        landed: None,
        taken: EMPTY,
        mass: 0,
    };

    pub(crate) fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// What it costs that it has done nothing since its last touch.
    pub(crate) fn silence(&self, now: u64, model: &Model) -> Cost {
        let since = now.saturating_sub(self.last);
        match self.stage {
            Stage::Idle | Stage::Stands => 0,
            Stage::Active => model.lasts(Clock::Hold, since),
            Stage::Rests(_, clock) => model.lasts(clock, since),
            Stage::Pawn(_) => model.lasts(Clock::Swap, since),
        }
    }

    /// What it costs that it touches its next square now.
    pub(crate) fn goes_on(&self, now: u64, model: &Model) -> Cost {
        let since = now.saturating_sub(self.last);
        match self.stage {
            Stage::Idle => NEVER,
            Stage::Active | Stage::Stands => model.ends(Clock::Hold, since),
            Stage::Rests(_, clock) => model.ends(clock, since),
            Stage::Pawn(_) => model.ends(Clock::Swap, since),
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
    Debt,
    /// The board has told what is not so.
    Noise,
    /// A piece stands badly: its own square feels it now and then, or this one beside it does.
    Lean,
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
    const fn clock(&self) -> Clock {
        match self.cause {
            Cause::Away => Clock::Away,
            Cause::Aside => Clock::Aside,
            Cause::Debt => Clock::Told,
            Cause::Noise | Cause::Lean => Clock::Noise,
        }
    }

    pub(crate) fn silence(&self, now: u64, model: &Model) -> Cost {
        model.lasts(self.clock(), now.saturating_sub(self.since))
    }

    pub(crate) fn ends(&self, now: u64, model: &Model) -> Cost {
        model.ends(self.clock(), now.saturating_sub(self.since))
    }
}

/// The squares that wait for something, few of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items {
    list: [Item; ITEMS],
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
        }; ITEMS],
        len: 0,
    };

    pub(crate) fn all(&self) -> &[Item] {
        &self.list[..self.len]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Item] {
        &mut self.list[..self.len]
    }

    /// The one on a square, if there is one.
    pub(crate) fn on(&self, square: u8, cause: Cause) -> Option<usize> {
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
    pub(crate) fn last_leans_from(&mut self, home: u8) {
        if let Some(item) = self.all_mut().last_mut() {
            item.home = home;
            item.contradicted = home != item.square;
        }
    }

    /// The piece that stands badly on this square, or leans over it.
    pub(crate) fn leaning(&self, square: u8) -> Option<usize> {
        (self.all().iter()).position(|item| {
            item.cause == Cause::Lean && (item.square == square || item.home == square)
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
    pub(crate) phys: Squares,
    pub(crate) hands: [Gesture; HANDS],
    pub(crate) items: Items,
    /// When its last ply stood, or what else happened last where nothing is played.
    pub(crate) done: u64,
    /// Since when a press of White, of Black is awaited.
    pub(crate) awaited: [Option<u64>; 2],
    /// Who has pressed before the ply was told to stand.
    pub(crate) pressed: [bool; 2],
    /// What speaks against a fast, a middling and a slow game.
    pub(crate) tempo: [Cost; 3],
    /// The piece that the last ply took.
    pub(crate) taken: Content,
    /// The plies of the last ones that nobody saw end, the newest in the lowest bit.
    pub(crate) blind: u8,
    /// The same of those whose end the board still owes.
    pub(crate) owed: u8,
    /// The depths of the plies that were made out of sight last.
    pub(crate) unseen: Range<u32>,
}

const THINKS: [Clock; 3] = [Clock::ThinkFast, Clock::Think, Clock::ThinkSlow];
const EARLIES: [Odds; 3] = [Odds::EarlyFast, Odds::EarlyMiddle, Odds::EarlySlow];

impl Token {
    /// The game stands at `node`, and so does the board.
    pub(crate) fn new(node: Arc<Node>, now: u64) -> Self {
        Self {
            cost: 0,
            regime: Regime::Play,
            phys: node.board,
            node,
            hands: [Gesture::IDLE; HANDS],
            items: Items::NONE,
            done: now,
            awaited: [None; 2],
            pressed: [false; 2],
            tempo: [1_125; 3],
            taken: EMPTY,
            blind: 0,
            owed: 0,
            unseen: 0..0,
        }
    }

    /// What it costs that nothing has ended until `now` of all that is under way.
    pub(crate) fn silence(&self, now: u64, model: &Model) -> Cost {
        match self.regime {
            Regime::Play => {}
            Regime::Clear | Regime::Paused | Regime::Back => {
                return model.lasts(Clock::Step, now.saturating_sub(self.done));
            }
            // A sign that is complete stands for as long as it likes.
            Regime::Sign if regime::kings_show(&self.phys).is_none() => {
                return model.lasts(Clock::Sign, now.saturating_sub(self.done));
            }
            Regime::Sign => return 0,
            // Nobody does anything, whatever is played.
            Regime::Lost => {
                let since = now.saturating_sub(self.done);
                return self.mixed(&THINKS.map(|clock| model.lasts(clock, since)));
            }
        }
        let items = self.items.all().iter().map(|item| item.silence(now, model));
        let hands = self.hands.iter().map(|hand| hand.silence(now, model));
        // Of two that are missing the lever did not turn for the first, nor then for the second.
        let presses = self.awaited.iter().flatten().min().map(|since| {
            let lasts = model.lasts(Clock::Press, now.saturating_sub(*since));
            either(lasts, model.odds(Odds::Unpressed))
        });
        // What was answered must be told within a scan.
        let replied = match self.hands[1] {
            Gesture {
                stage: Stage::Idle, ..
            } => None,
            // Neither of its squares is.
            hand if self.hands[0].is_idle() => Some((hand.first, 2)),
            hand => hand.landed.map(|landed| (landed, 1)),
        };
        let thinks = if let Some((since, squares)) = replied {
            squares * model.lasts(Clock::Told, now.saturating_sub(since))
        } else if self.hands[0].is_idle() {
            let since = now.saturating_sub(self.done);
            self.mixed(&THINKS.map(|clock| model.lasts(clock, since)))
        } else {
            0
        };
        items.chain(hands).chain(presses).sum::<Cost>() + thinks
    }

    /// What it costs in all, at `now`.
    pub(crate) fn total(&self, now: u64, model: &Model) -> Cost {
        self.cost + self.silence(now, model)
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
        let since = now.saturating_sub(self.done);
        self.pay_tempo(&THINKS.map(|clock| model.ends(clock, since)));
    }

    /// A ply is begun before the one before stands, or is not.
    pub(crate) fn pay_early(&mut self, early: bool, model: &Model) {
        self.pay_tempo(&EARLIES.map(|odds| {
            if early {
                model.odds(odds)
            } else {
                model.against(odds)
            }
        }));
    }

    /// Whether something has changed that was not told yet.
    pub(crate) fn owes(&self) -> bool {
        (self.items.all().iter()).any(|item| item.cause == Cause::Debt)
    }

    /// Whether nobody saw the ply end that led to this depth, so that it may have been another.
    pub(crate) fn is_blind(&self, depth: u32) -> bool {
        let behind = self.node.depth.saturating_sub(depth);
        // Three plies that go on from it confirm it.
        behind < 4 && (self.blind | self.owed) >> behind & 1 == 1
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
    pub(crate) fn put(&mut self, square: u8, content: Content) {
        self.phys[usize::from(square)] = content;
        for item in self.items.all_mut() {
            let comes = item.cause == Cause::Lean && item.home == NOWHERE && item.piece == content;
            if comes && is_beside(item.square, square) {
                item.home = square;
            }
        }
        // It stands there no more.
        let gone =
            |item: &Item| item.cause == Cause::Lean && item.home == square && item.piece != content;
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

    pub(crate) fn holds(&self, square: u8) -> Content {
        self.phys[usize::from(square)]
    }

    /// Whether nothing is under way: the board shows the position.
    pub(crate) fn is_quiet(&self) -> bool {
        self.hands.iter().all(Gesture::is_idle)
            && self
                .items
                .all()
                .iter()
                .all(|item| item.cause == Cause::Lean)
    }

    /// What all tokens have in common that have the same future.
    pub(crate) fn key(&self) -> u64 {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        hash.add(self.node.id() as u64);
        hash.add(self.regime as u64);
        if self.regime != Regime::Play {
            return hash.0;
        }
        for eight in self.phys.as_chunks::<8>().0 {
            hash.add(u64::from_le_bytes(*eight));
        }
        for hand in &self.hands {
            let stage = match hand.stage {
                Stage::Idle => 0,
                Stage::Active => 1,
                Stage::Stands => 4,
                Stage::Rests(square, clock) => {
                    2 + (u64::from(square) << 8) + ((clock as u64) << 16)
                }
                Stage::Pawn(square) => 3 + (u64::from(square) << 8),
            };
            hash.add(hand.touched);
            hash.add(stage + (hand.held.map_or(0, |(from, _)| u64::from(from) + 1) << 32));
        }
        // Their order means nothing.
        let items = self.items.all().iter().map(|item| {
            let mut one = Hash(u64::from(item.square));
            one.add((item.cause as u64) << 8 | u64::from(item.piece));
            one.0
        });
        hash.add(items.fold(0, u64::wrapping_add));
        let flag =
            |at: usize| u64::from(self.awaited[at].is_some()) + 2 * u64::from(self.pressed[at]);
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
