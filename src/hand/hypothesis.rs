//! A hypothesis: one explanation of all reports, with its cost.

use std::{ops::Range, sync::Arc};

use shakmaty::Color;

use remisd_vocabulary::time::Moment;

use super::{
    content::{Content, EMPTY, Squares},
    cost::{Cost, either, ln_of},
    gesture::{Gesture, MAX_GESTURES, Stage},
    interpret::is_adjacent,
    item::{Cause, GONE, Item, Items, NOWHERE},
    model::{CONFIRMING_PLIES, Chance, Duration, Model},
    regime,
    tree::Node,
};

/// What the pieces are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regime {
    /// The game is played.
    Play,
    /// The kings are put in the centre to show the result.
    ResultSign,
    /// The pieces are cleared away, or set up for the next game.
    Clearing,
    /// The clock is stopped, and the players may analyse.
    Paused,
    /// Plies are taken back: the pieces return to the position of the node.
    TakeBack,
    /// Nothing is understood.
    Lost,
}

/// One explanation of all reports.
#[derive(Debug, Clone)]
pub(crate) struct Hypothesis {
    /// The cost so far. What is still pending is in [`Hypothesis::survival_cost`].
    pub(crate) cost: Cost,
    pub(crate) regime: Regime,
    pub(crate) node: Arc<Node>,
    /// What is on the board according to this hypothesis.
    pub(crate) physical: Squares,
    pub(crate) gestures: [Gesture; MAX_GESTURES],
    pub(crate) items: Items,
    /// When the last ply was completed. Outside play: when the last event was.
    pub(crate) completed_at: Moment,
    /// Since when a press by White, by Black has been awaited.
    pub(crate) awaited_press: [Option<Moment>; 2],
    /// Which player has pressed before the ply was complete.
    pub(crate) early_press: [bool; 2],
    /// The costs of a fast, a medium and a slow tempo.
    pub(crate) tempo: [Cost; 3],
    /// The piece that the last ply captured.
    pub(crate) captured: Content,
    /// The last plies that ended without a report, the newest in the lowest bit.
    pub(crate) unseen_ends: u8,
    /// The last plies whose end is still to be reported, in the same order.
    pub(crate) pending_ends: u8,
    /// The depths of the plies that were made during outages or pauses, and between them.
    pub(crate) missed_plies: Range<u32>,
}

const THINKS: [Duration; 3] = [Duration::ThinkFast, Duration::Think, Duration::ThinkSlow];
const EARLIES: [Chance; 3] = [Chance::EarlyFast, Chance::EarlyMiddle, Chance::EarlySlow];

impl Hypothesis {
    /// The game is at `node`, and the board shows it.
    pub(crate) fn new(node: Arc<Node>, now: Moment) -> Self {
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
            // All are equally likely.
            tempo: [ln_of(3); 3],
            captured: EMPTY,
            unseen_ends: 0,
            pending_ends: 0,
            missed_plies: 0..0,
        }
    }

    /// The cost of everything pending: nothing of it has ended until `now`.
    pub(crate) fn survival_cost(&self, now: Moment, model: &Model) -> Cost {
        match self.regime {
            Regime::Play => {}
            Regime::Clearing | Regime::TakeBack => {
                return model.survival(Duration::ClearingStep, now - self.completed_at);
            }
            // A complete sign may stay for any time.
            Regime::ResultSign if regime::king_sign(&self.physical).is_none() => {
                return model.survival(Duration::SignStep, now - self.completed_at);
            }
            Regime::ResultSign => return 0,
            // No one acts, whatever the pieces are used for.
            Regime::Lost | Regime::Paused => {
                let since = now - self.completed_at;
                return self.mixed(&THINKS.map(|duration| model.survival(duration, since)));
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
        // A ply that was answered must be reported within a scan.
        let replied = match self.gestures[1] {
            Gesture {
                stage: Stage::Idle, ..
            } => None,
            // Neither of its squares has been reported.
            hand if self.gestures[0].is_idle() => Some((hand.first_touch, 2)),
            hand => hand.placed_at.map(|placed_at| (placed_at, 1)),
        };
        let thinks = if let Some((since, squares)) = replied {
            squares * model.survival(Duration::ReportDelay, now - since)
        } else if self.gestures[0].is_idle() {
            let since = now - self.completed_at;
            self.mixed(&THINKS.map(|duration| model.survival(duration, since)))
        } else {
            0
        };
        items.chain(hands).sum::<Cost>() + self.missing_press_cost(now, model) + thinks
    }

    /// The cost of the presses that have not come. If two are missing, the lever did not turn for
    /// the first, and so not for the second.
    pub(crate) fn missing_press_cost(&self, now: Moment, model: &Model) -> Cost {
        self.awaited_press
            .iter()
            .flatten()
            .min()
            .map_or(0, |since| {
                let lasts = model.survival(Duration::Press, now - *since);
                either(lasts, model.cost(Chance::ForgottenPress))
            })
    }

    /// The total cost at `now`.
    pub(crate) fn total_cost(&self, now: Moment, model: &Model) -> Cost {
        self.cost + self.survival_cost(now, model)
    }

    /// The mean over the tempos.
    fn mixed(&self, costs: &[Cost; 3]) -> Cost {
        let of = |i: usize| self.tempo[i] + costs[i];
        either(either(of(0), of(1)), of(2))
    }

    /// Pays what depends on the tempo, and updates the tempo.
    fn pay_tempo(&mut self, costs: &[Cost; 3], model: &Model) {
        let mean = self.mixed(costs);
        self.cost += mean;
        for (tempo, cost) in self.tempo.iter_mut().zip(costs) {
            // The bound keeps every tempo possible.
            *tempo = (*tempo + cost - mean).min(model.cost(Chance::TempoFloor));
        }
    }

    /// Pays for the thought before a ply that begins after the last one was complete.
    pub(crate) fn pay_thought(&mut self, now: Moment, model: &Model) {
        let since = now - self.completed_at;
        self.pay_tempo(
            &THINKS.map(|duration| model.density(duration, since)),
            model,
        );
    }

    /// Pays for a ply that begins `early`, before the last one is complete, or does not.
    pub(crate) fn pay_early(&mut self, early: bool, model: &Model) {
        self.pay_tempo(
            &EARLIES.map(|chance| {
                if early {
                    model.cost(chance)
                } else {
                    model.cost_of_not(chance)
                }
            }),
            model,
        );
    }

    /// Whether a report is still expected.
    pub(crate) fn has_unreported(&self) -> bool {
        (self.items.all().iter()).any(|item| item.cause == Cause::Unreported)
    }

    /// Whether the ply to this depth ended without a report, so that it may have been another one.
    pub(crate) fn ended_unseen(&self, depth: u32) -> bool {
        let plies_ago = self.node.depth.saturating_sub(depth);
        // Later plies confirm it.
        plies_ago < CONFIRMING_PLIES && (self.unseen_ends | self.pending_ends) >> plies_ago & 1 == 1
    }

    /// The player who makes this gesture.
    pub(crate) fn side(&self, gesture: usize) -> Color {
        if gesture.is_multiple_of(2) {
            self.node.turn()
        } else {
            self.node.turn().other()
        }
    }

    /// Sets the content of a square.
    pub(crate) fn set_content(&mut self, square: u8, content: Content) {
        self.physical[usize::from(square)] = content;
        for item in self.items.all_mut() {
            let comes =
                item.cause == Cause::Leaning && item.home == NOWHERE && item.piece == content;
            if comes && is_adjacent(item.square, square) {
                item.home = square;
            }
        }
        // The leaning piece has left its square.
        let gone = |item: &Item| {
            item.cause == Cause::Leaning && item.home == square && item.piece != content
        };
        if let Some(index) = self.items.all().iter().position(gone) {
            let item = &mut self.items.all_mut()[index];
            if item.contradicted {
                // The neighbouring square still shows it.
                item.home = GONE;
            } else {
                self.items.remove(index);
            }
        }
    }

    pub(crate) fn content_at(&self, square: u8) -> Content {
        self.physical[usize::from(square)]
    }

    /// Whether nothing is pending, so that the board shows the position.
    pub(crate) fn is_quiet(&self) -> bool {
        self.gestures.iter().all(Gesture::is_idle)
            && self
                .items
                .all()
                .iter()
                .all(|item| item.cause == Cause::Leaning)
    }

    /// A hash of everything that the future of a hypothesis depends on. Hypotheses with equal keys
    /// are merged.
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
                Stage::Resting(square, duration) => {
                    2 + (u64::from(square) << 8) + ((duration as u64) << 16)
                }
                Stage::AwaitsPiece(square) => 3 + (u64::from(square) << 8),
            };
            hash.add(hand.touched);
            hash.add(stage + (hand.carried.map_or(0, |(from, _)| u64::from(from) + 1) << 32));
        }
        // Their order does not matter.
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
