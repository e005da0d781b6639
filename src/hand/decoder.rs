//! The decoder: it takes in reports, and keeps the beam of hypotheses that explain them.

use std::sync::Arc;

use shakmaty::{Chess, Color, Move};

use remisd_vocabulary::{
    reading::{Proposal, Sign},
    sensor::ClockReading,
    time::Moment,
};

use super::{
    beam::Beam,
    clock::{self, ClockState},
    clock_orientation::ClockOrientation,
    content::{Content, EMPTY, OCCUPIED, RESULTS, Squares, agrees},
    cost::Cost,
    hypothesis::{Hypothesis, Regime},
    interpret::{self, Context},
    item::Cause,
    line_search,
    model::{Chance, Model, SCAN},
    regime,
    tree::Node,
};

/// The hypotheses that may leave play, and the nodes from which a line search starts: a bound on
/// time.
const SEEDS: usize = 6;

/// A lost game is searched for after a silence of this many scans, once per change: a bound on
/// time. The search itself assumes nothing about durations.
const QUIET_SCANS: u32 = 4;

/// Explains the reports of one game.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: &'static Model,
    beam: Beam,
    /// What the board shows; `None` during an outage.
    shown: Option<Squares>,
    identifies_pieces: bool,
    lever: Option<Color>,
    clock_state: ClockState,
    orientation: Option<ClockOrientation>,
    /// When the clock was last stopped.
    stopped_at: Moment,
    /// When the first placement came, or the first after an outage.
    sighted_at: Moment,
    /// The time of the last reported change.
    last_change: Moment,
    /// The time of the last reported change of each square.
    changed_at: [Moment; 64],
    /// The time of the last search from a lost hypothesis.
    last_searched: Moment,
}

impl Decoder {
    pub(crate) fn new(position: Chess, learns_clock: bool, now: Moment) -> Self {
        Self {
            model: Model::of(true),
            beam: Beam::new(Hypothesis::new(Node::root(position), now)),
            shown: None,
            identifies_pieces: true,
            lever: None,
            clock_state: ClockState::default(),
            orientation: learns_clock.then(ClockOrientation::default),
            stopped_at: Moment::START,
            sighted_at: now,
            last_change: now,
            changed_at: [now; 64],
            last_searched: Moment::START,
        }
    }

    pub(crate) const fn shown(&self) -> Option<&Squares> {
        self.shown.as_ref()
    }

    pub(crate) const fn beam(&self) -> &Beam {
        &self.beam
    }

    pub(crate) const fn model(&self) -> &'static Model {
        self.model
    }

    pub(crate) const fn last_change(&self) -> Moment {
        self.last_change
    }

    /// When the first placement came, or the first after an outage.
    pub(crate) const fn sighted_at(&self) -> Moment {
        self.sighted_at
    }

    /// When a square last reported a change.
    pub(crate) const fn changed_at(&self, square: u8) -> Moment {
        self.changed_at[square as usize]
    }

    pub(crate) const fn identifies_pieces(&self) -> bool {
        self.identifies_pieces
    }

    /// The player whose clock runs, by the lever.
    pub(crate) fn lever(&self) -> Option<Color> {
        self.lever.map(|side| self.player(side))
    }

    /// The player whose side of the clock this is.
    fn player(&self, side: Color) -> Color {
        (self.orientation.as_ref()).map_or(side, |orientation| orientation.player(side))
    }

    pub(crate) const fn has_lever(&self) -> bool {
        self.lever.is_some() && self.clock_state.ran() && !self.clock_state.is_stopped()
    }

    /// Whether the clock has run, and is stopped.
    pub(crate) const fn clock_stopped(&self) -> bool {
        self.clock_state.is_stopped()
    }

    fn context(&self, now: Moment, deep: bool) -> Context {
        Context {
            model: self.model,
            now,
            identifies_pieces: self.identifies_pieces,
            lever: self.has_lever(),
            clock_stopped: self.clock_stopped(),
            deep,
        }
    }

    /// Restarts at a position that a person has named.
    pub(crate) fn restart_at(&mut self, node: Arc<Node>, now: Moment) {
        let mut hypotheses = vec![Hypothesis::new(node, now)];
        if let Some(shown) = self.shown {
            hypotheses = self.hypotheses_for_shown(&hypotheses, &shown, now);
        }
        self.last_change = now;
        self.beam.keep(hypotheses, now, self.model);
    }

    /// Drops the hypotheses that do not have these moves after `node`: a person has confirmed them.
    pub(crate) fn keep_line(&mut self, node: &Arc<Node>, line: &[Move], now: Moment) {
        let has = |hypothesis: &Hypothesis| {
            let at = |depth| hypothesis.node.at(depth);
            let follows = at(node.depth).is_some_and(|at| Arc::ptr_eq(at, node));
            let mut moves = (node.depth + 1..).zip(line);
            follows && moves.all(|(depth, &m)| at(depth).is_some_and(|at| at.m == Some(m)))
        };
        let kept = self
            .beam
            .hypotheses()
            .iter()
            .filter(|hypothesis| has(hypothesis));
        let kept = kept.cloned().collect();
        self.beam.keep(kept, now, self.model);
    }

    /// The clock is used for another game.
    pub(crate) fn reset_clock(&mut self) {
        self.clock_state.begin_game();
    }

    /// The clock is used for the game before again.
    pub(crate) fn continue_clock(&mut self) {
        self.clock_state.continue_game();
    }

    /// Hypotheses for a placement that no hypothesis led to.
    fn hypotheses_for_shown(
        &self,
        seeds: &[Hypothesis],
        shown: &Squares,
        now: Moment,
    ) -> Vec<Hypothesis> {
        let context = self.context(now, false);
        let mut found = Vec::new();
        for seed in seeds {
            if seed.regime == Regime::Paused && context.clock_stopped {
                // What was moved while the clock was stopped is not play.
                let mut paused = seed.clone();
                paused.physical = *shown;
                found.push(paused);
                continue;
            }
            line_search::search(&context, seed, shown, &mut found);
            let mut lost = Vec::new();
            regime::leave_play(&context, seed, &mut lost);
            lost.retain(|hypothesis| hypothesis.regime == Regime::Lost);
            // Every unexplained square has a cost.
            let squares = Cost::try_from(self.differing_squares(&seed.node).len()).unwrap_or(0);
            for mut hypothesis in lost {
                hypothesis.cost += squares * context.cost(Chance::AimlessStep);
                found.push(hypothesis);
            }
        }
        let turn = self.lever().filter(|_| context.lever);
        charge_turn(&context, turn, &mut found);
        found
    }

    /// One square reports a new content.
    pub(crate) fn square(&mut self, square: u8, seen: Content, now: Moment) {
        let Some(shown) = &mut self.shown else { return };
        let before = std::mem::replace(&mut shown[usize::from(square)], seen);
        if before == seen {
            return;
        }
        let shown = *shown;
        self.last_change = now;
        self.changed_at[usize::from(square)] = now;
        let event = (square, seen);
        let (mut shallow, mut deep) = (self.context(now, false), self.context(now, true));
        // Within a scan after the stop, what was done before it is still being reported.
        let late = now <= self.stopped_at + SCAN;
        (shallow.clock_stopped, deep.clock_stopped) =
            (shallow.clock_stopped && !late, deep.clock_stopped && !late);
        let mut left = 0;
        self.beam
            .extend(now, self.model, |hypothesis, is_good, out| {
                if hypothesis.regime != Regime::Play {
                    regime::interpret(&shallow, hypothesis, false, event, out);
                    regime::find_again(&shallow, &shown, out);
                    if hypothesis.regime != Regime::ResultSign {
                        return;
                    }
                    // After a result sign, the players may clear the board.
                    let mut clearing = hypothesis.clone();
                    clearing.regime = Regime::Clearing;
                    clearing.cost += shallow.cost(Chance::SignStep);
                    regime::interpret(&shallow, &clearing, false, event, out);
                    return;
                }
                interpret::interpret(
                    if is_good { &deep } else { &shallow },
                    hypothesis,
                    square,
                    seen,
                    out,
                );
                if left < SEEDS && is_good {
                    left += 1;
                    let mut others = Vec::new();
                    regime::leave_play(&shallow, hypothesis, &mut others);
                    regime::take_back(&shallow, hypothesis, &mut others);
                    for other in &others {
                        regime::interpret(&shallow, other, true, event, out);
                    }
                }
            });
    }

    /// All squares are reported at once.
    pub(crate) fn placement(&mut self, squares: &Squares, now: Moment) {
        let Some(shown) = self.shown else {
            return self.regain_sight(squares, now);
        };
        for square in 0..64_u8 {
            let seen = squares[usize::from(square)];
            if shown[usize::from(square)] != seen {
                self.square(square, seen, now);
            }
        }
        self.charge_contradictions(now);
        self.search_from_lost(now);
    }

    /// The first placement, or the first after an outage.
    fn regain_sight(&mut self, squares: &Squares, now: Moment) {
        self.identifies_pieces = !squares.contains(&OCCUPIED);
        self.model = Model::of(self.identifies_pieces);
        self.shown = Some(*squares);
        (self.sighted_at, self.last_change) = (now, now);
        let seeds: Vec<Hypothesis> = (self.beam.nodes(SEEDS).into_iter())
            .map(|(hypothesis, _)| hypothesis.clone())
            .collect();
        let found = self.hypotheses_for_shown(&seeds, squares, now);
        self.beam.keep(found, now, self.model);
    }

    /// A placement that contradicts a hypothesis makes its unreported changes and misreadings less
    /// likely.
    fn charge_contradictions(&mut self, now: Moment) {
        let model = self.model;
        self.beam.each(|hypothesis| {
            let mut more = 0;
            for item in hypothesis.items.all_mut() {
                let leaning = item.cause == Cause::Leaning;
                if leaning || item.contradicted || now < item.since + SCAN {
                    continue;
                }
                more += match item.cause {
                    Cause::Unreported => model.cost(Chance::DeadSquare),
                    Cause::Misreading => model.cost(Chance::MisreadAgain),
                    Cause::Away | Cause::Aside | Cause::Leaning => continue,
                };
                item.contradicted = true;
            }
            hypothesis.cost += more;
        });
    }

    /// If nothing is understood, the game may continue some plies later.
    fn search_from_lost(&mut self, now: Moment) {
        let Some(shown) = self.shown else { return };
        let best = self
            .beam
            .hypotheses()
            .first()
            .map(|hypothesis| hypothesis.regime);
        let moved = self.last_change > self.last_searched;
        if best != Some(Regime::Lost) || !moved || now < self.last_change + SCAN * QUIET_SCANS {
            return;
        }
        self.last_searched = now;
        let context = self.context(now, false);
        let mut hypotheses = self.beam.hypotheses().to_vec();
        let lost: Vec<Hypothesis> = (hypotheses.iter())
            .filter(|hypothesis| hypothesis.regime == Regime::Lost)
            .take(SEEDS)
            .cloned()
            .collect();
        for mut seed in lost {
            seed.cost += context.cost(Chance::FoundAgain);
            line_search::search(&context, &seed, &shown, &mut hypotheses);
        }
        self.beam.keep(hypotheses, now, self.model);
    }

    /// Lets time pass.
    pub(crate) fn tick(&mut self, now: Moment) {
        self.beam.weigh(now, self.model);
        self.search_from_lost(now);
    }

    /// Weighs all hypotheses, so that the following queries are cheap.
    pub(crate) fn weigh(&mut self, now: Moment) {
        self.beam.weigh(now, self.model);
    }

    /// Takes in a report of the clock.
    pub(crate) fn clock(&mut self, reading: &ClockReading, now: Moment) {
        let before = std::mem::replace(&mut self.lever, reading.lever);
        let was_stopped = self.clock_stopped();
        self.clock_state.update(before, reading);
        let stopped = self.clock_stopped();
        let context = self.context(now, true);
        if stopped && !was_stopped {
            self.stopped_at = now;
        }
        if stopped != was_stopped || reading.lever.is_none() {
            self.beam
                .each(|hypothesis| clock::interpret_stop(&context, hypothesis));
        }
        if let Some(shown) = self.shown.filter(|_| was_stopped && !stopped) {
            let mut paused = 0;
            let turn = self.lever().filter(|_| context.lever);
            self.beam.extend(now, self.model, |hypothesis, _, out| {
                paused += usize::from(hypothesis.regime == Regime::Paused);
                let resumed = out.len();
                regime::resume(&context, hypothesis, &shown, paused <= SEEDS, out);
                charge_turn(&context, turn, &mut out[resumed..]);
            });
        }
        if let (Some(before), Some(to)) = (before, reading.lever)
            && before != to
            && context.lever
        {
            self.press(to.other(), now);
        }
    }

    /// Interprets a press. `side` is the player's whose side it is unless the clock is reversed.
    fn press(&mut self, side: Color, now: Moment) {
        let (deep, shallow) = (self.context(now, true), self.context(now, false));
        if let Some(orientation) = &mut self.orientation {
            let least = |by: Color| {
                let mut out = Vec::new();
                for hypothesis in self.beam.hypotheses().iter().take(SEEDS) {
                    clock::interpret_press(&shallow, hypothesis, by, &mut out);
                }
                let totals = out
                    .iter()
                    .map(|hypothesis| hypothesis.total_cost(now, self.model));
                totals.min().unwrap_or_default()
            };
            let by = orientation.player(side);
            orientation.update(least(by) - least(by.other()), self.model);
        }
        let by = self.player(side);
        self.beam
            .extend(now, self.model, |hypothesis, is_good, out| {
                clock::interpret_press(if is_good { &deep } else { &shallow }, hypothesis, by, out);
            });
    }

    /// Takes the clock to be reversed, unless its sides were set.
    pub(crate) fn reverse_clock(&mut self) {
        if let Some(orientation) = &mut self.orientation {
            orientation.reverse();
        }
    }

    /// Whether the clock was found to be reversed.
    pub(crate) fn clock_is_reversed(&self) -> bool {
        self.orientation
            .as_ref()
            .is_some_and(ClockOrientation::is_reversed)
    }

    /// The nodes that explain what the board shows, since the clock was stopped.
    pub(crate) fn lines_since_pause(&self, now: Moment) -> Vec<Arc<Node>> {
        let paused = |hypothesis: &&Hypothesis| hypothesis.regime == Regime::Paused;
        let seed = self.beam.hypotheses().first().filter(paused);
        let (Some(seed), Some(shown)) = (seed, &self.shown) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        line_search::search(&self.context(now, false), seed, shown, &mut found);
        let exact = found.into_iter().filter(Hypothesis::is_quiet);
        std::iter::once(seed.node.clone())
            .chain(exact.map(|hypothesis| hypothesis.node))
            .collect()
    }

    /// An outage begins.
    pub(crate) fn lose_sight(&mut self) {
        self.shown = None;
        self.lever = None;
    }

    /// The result that the board shows, if any.
    pub(crate) fn result_sign(&self) -> Option<Proposal> {
        let shown = self.shown.as_ref()?;
        let best = self.beam.hypotheses().first()?;
        let assumed = !self.identifies_pieces && best.regime == Regime::ResultSign;
        let kings = regime::king_sign(if assumed { &best.physical } else { shown });
        let piece = RESULTS.iter().position(|piece| shown.contains(piece));
        let winner = piece.map(|piece| [None, Some(Color::White), Some(Color::Black)][piece]);
        winner
            .map(|winner| (winner, Sign::ResultPiece))
            .or_else(|| kings.map(|shown| (shown.0, Sign::Kings)))
            .map(|(winner, sign)| Proposal { winner, sign })
    }

    /// Whether the board shows the starting position.
    pub(crate) fn shows_start(&self) -> bool {
        (self.shown.as_ref()).is_some_and(|shown| regime::matches(shown, regime::start()))
    }

    /// The squares that differ from a position.
    pub(crate) fn differing_squares(&self, node: &Node) -> Vec<u8> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        (0..64_u8)
            .filter(|&at| !agrees(shown[usize::from(at)], node.board[usize::from(at)]))
            .collect()
    }

    /// The posterior of all hypotheses for which `holds` is true, in parts of 65,536.
    pub(crate) fn posterior(&self, now: Moment, holds: impl Fn(&Hypothesis) -> bool) -> u64 {
        let weights = self.beam.weights(now, self.model);
        let hypotheses = self.beam.hypotheses().iter().zip(&weights.each);
        let held: u64 = hypotheses
            .filter(|(t, _)| holds(t))
            .map(|(_, weight)| weight)
            .sum();
        held * 65_536 / weights.sum
    }

    /// Since when the board has contradicted a position.
    pub(crate) fn contradicted_since(&self, node: &Node) -> Option<Moment> {
        let squares = self.differing_squares(node).into_iter();
        squares.map(|at| self.changed_at[usize::from(at)]).min()
    }

    /// What a square shows; empty during an outage.
    pub(crate) fn seen(&self, square: u8) -> Content {
        self.shown.map_or(EMPTY, |shown| shown[usize::from(square)])
    }
}

/// By the lever, this player has the move. Where it is the other's turn, a press was forgotten.
fn charge_turn(context: &Context, turn: Option<Color>, hypotheses: &mut [Hypothesis]) {
    let Some(turn) = turn else { return };
    for hypothesis in hypotheses
        .iter_mut()
        .filter(|hypothesis| hypothesis.node.turn() != turn)
    {
        hypothesis.cost += context.cost(Chance::ForgottenPress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_pause_only_the_best_hypotheses_search_for_plies() {
        let mut decoder = Decoder::new(Chess::default(), false, Moment::from_millis(0));
        decoder.placement(regime::start(), Moment::from_millis(0));
        let mut reading = ClockReading {
            white_ms: 1,
            black_ms: 1,
            running: Some(Color::White),
            lever: Some(Color::White),
            flag: None,
            low_battery: false,
        };
        decoder.clock(&reading, Moment::from_millis(0));
        (reading.running, reading.lever) = (Some(Color::Black), Some(Color::Black));
        decoder.clock(&reading, Moment::from_millis(1_000));
        reading.running = None;
        decoder.clock(&reading, Moment::from_millis(2_000));
        assert!(decoder.clock_stopped());

        let root = Node::root(Chess::default());
        let nodes: Vec<Arc<Node>> = (0..root.effects().len()).map(|i| root.child(i)).collect();
        let paused = nodes.iter().map(|node| {
            let mut hypothesis = Hypothesis::new(node.clone(), Moment::from_millis(2_000));
            hypothesis.regime = Regime::Paused;
            hypothesis
        });
        decoder
            .beam
            .keep(paused.collect(), Moment::from_millis(2_000), decoder.model);
        reading.running = Some(Color::Black);
        decoder.clock(&reading, Moment::from_millis(3_000));
        let searched = nodes.iter().filter(|node| node.is_expanded()).count();
        assert_eq!(searched, SEEDS);
    }
}
