//! The decoder: what is told goes in, and weighed accounts of it come out.

use std::sync::Arc;

use shakmaty::{Chess, Color};

use remisd_vocabulary::{
    reading::{Proposal, Sign},
    sensor::ClockReading,
    time::Millis,
};

use super::{
    beam::Beam,
    explain::{self, Scene},
    fixed::Cost,
    gap,
    lever::{self, Running},
    model::{Model, Odds, SCAN_MS},
    regime,
    token::{Cause, Regime, Token},
    tree::{Content, EMPTY, Node, OCCUPIED, RESULTS, Squares, agrees},
    way::Way,
};

/// Tokens from which play is left, and lines from which an outage is searched.
const SEEDS: usize = 6;

/// Weighs all accounts of what is told of one game.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: &'static Model,
    beam: Beam,
    /// What the board shows; `None` while it is out of sight.
    shown: Option<Squares>,
    kinds: bool,
    lever: Option<Color>,
    running: Running,
    way: Option<Way>,
    /// When something was told last.
    changed: Millis,
    /// When each square was told to have changed last.
    times: [Millis; 64],
    /// When a lost game was searched for last.
    searched: Millis,
}

impl Decoder {
    pub(crate) fn new(position: Chess, learns_clock: bool, now: Millis) -> Self {
        Self {
            model: Model::of(true),
            beam: Beam::new(Token::new(Node::root(position), now)),
            shown: None,
            kinds: true,
            lever: None,
            running: Running::default(),
            way: learns_clock.then(Way::default),
            changed: now,
            times: [now; 64],
            searched: 0,
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

    pub(crate) const fn changed(&self) -> Millis {
        self.changed
    }

    pub(crate) const fn kinds(&self) -> bool {
        self.kinds
    }

    /// Whose time runs, by the lever.
    pub(crate) fn lever(&self) -> Option<Color> {
        self.lever.map(|side| self.player(side))
    }

    /// Whose side of the clock is meant by the one that is taken for this player's.
    fn player(&self, side: Color) -> Color {
        (self.way.as_ref()).map_or(side, |way| way.player(side))
    }

    pub(crate) const fn has_lever(&self) -> bool {
        self.lever.is_some() && self.running.ran && !self.running.stands
    }

    /// Whether the clock has run, and stands.
    pub(crate) const fn stands(&self) -> bool {
        self.running.stands
    }

    fn scene(&self, now: Millis, deep: bool) -> Scene {
        Scene {
            model: self.model,
            now,
            kinds: self.kinds,
            lever: self.has_lever(),
            stands: self.stands(),
            deep,
        }
    }

    /// Goes on from a position that somebody has named.
    pub(crate) fn stand_at(&mut self, node: Arc<Node>, now: Millis) {
        let mut tokens = vec![Token::new(node, now)];
        if let Some(shown) = self.shown {
            tokens = self.seen_from(&tokens, &shown, now);
        }
        self.changed = now;
        self.beam.keep(tokens, now, self.model);
    }

    /// Accounts of what is shown, where nothing is known of how it came to be.
    fn seen_from(&self, seeds: &[Token], shown: &Squares, now: Millis) -> Vec<Token> {
        let scene = self.scene(now, false);
        let mut found = Vec::new();
        for seed in seeds {
            gap::lines(&scene, seed, shown, &mut found);
            let mut lost = Vec::new();
            regime::leaves_play(&scene, seed, &mut lost);
            lost.retain(|token| token.regime == Regime::Lost);
            // Every square that is not understood costs.
            let squares = Cost::try_from(self.differing(&seed.node).len()).unwrap_or(0);
            for mut token in lost {
                token.cost += squares * scene.odds(Odds::OtherStep);
                found.push(token);
            }
        }
        // Whose time runs has the move.
        if let Some(turn) = self.lever().filter(|_| scene.lever) {
            for token in found.iter_mut().filter(|token| token.node.turn() != turn) {
                token.cost += scene.odds(Odds::Unpressed);
            }
        }
        found
    }

    /// One square shows something else.
    pub(crate) fn square(&mut self, square: u8, seen: Content, now: Millis) {
        let Some(shown) = &mut self.shown else { return };
        let before = std::mem::replace(&mut shown[usize::from(square)], seen);
        if before == seen {
            return;
        }
        let shown = *shown;
        self.changed = now;
        self.times[usize::from(square)] = now;
        let event = (square, seen);
        let (shallow, deep) = (self.scene(now, false), self.scene(now, true));
        let mut left = 0;
        self.beam.extend(now, self.model, |token, is_good, out| {
            if token.regime != Regime::Play {
                regime::explain(&shallow, token, false, event, out);
                regime::finds(&shallow, &shown, out);
                if token.regime != Regime::Sign {
                    return;
                }
                // What follows a sign may be the way to the next game.
                let mut clear = token.clone();
                clear.regime = Regime::Clear;
                clear.cost += shallow.odds(Odds::SignStep);
                regime::explain(&shallow, &clear, false, event, out);
                return;
            }
            explain::explain(
                if is_good { &deep } else { &shallow },
                token,
                square,
                seen,
                out,
            );
            if left < SEEDS && is_good {
                left += 1;
                let mut others = Vec::new();
                regime::leaves_play(&shallow, token, &mut others);
                regime::takes_back(&shallow, token, &mut others);
                for other in &others {
                    regime::explain(&shallow, other, true, event, out);
                }
            }
        });
    }

    /// All squares at once.
    pub(crate) fn look(&mut self, squares: &Squares, now: Millis) {
        let Some(shown) = self.shown else {
            return self.found(squares, now);
        };
        for square in 0..64_u8 {
            let seen = squares[usize::from(square)];
            if shown[usize::from(square)] != seen {
                self.square(square, seen, now);
            }
        }
        self.contradicts(now);
        self.searches_lost(now);
    }

    /// The board is in sight for the first time, or again.
    fn found(&mut self, squares: &Squares, now: Millis) {
        self.kinds = !squares.contains(&OCCUPIED);
        self.model = Model::of(self.kinds);
        self.shown = Some(*squares);
        self.changed = now;
        let seeds: Vec<Token> = (self.beam.nodes(SEEDS).into_iter())
            .map(|(token, _)| token.clone())
            .collect();
        let found = self.seen_from(&seeds, squares, now);
        self.beam.keep(found, now, self.model);
    }

    /// A full look shows what an account says is not told, or is told wrongly.
    fn contradicts(&mut self, now: Millis) {
        let model = self.model;
        self.beam.each(|token| {
            let mut more = 0;
            for item in token.items.all_mut() {
                let leans = item.cause == Cause::Lean;
                if leans || item.contradicted || now < item.since + SCAN_MS {
                    continue;
                }
                more += match item.cause {
                    Cause::Debt => model.odds(Odds::Dead),
                    Cause::Noise => model.odds(Odds::Misread),
                    Cause::Away | Cause::Aside | Cause::Lean => continue,
                };
                item.contradicted = true;
            }
            token.cost += more;
        });
    }

    /// Where nothing is understood, the game may go on a few plies later.
    fn searches_lost(&mut self, now: Millis) {
        let Some(shown) = self.shown else { return };
        let best = self.beam.tokens().first().map(|token| token.regime);
        let moved = self.changed > self.searched;
        if best != Some(Regime::Lost) || !moved || now < self.changed + 4 * SCAN_MS {
            return;
        }
        self.searched = now;
        let scene = self.scene(now, false);
        let mut tokens = self.beam.tokens().to_vec();
        let lost: Vec<Token> = (tokens.iter())
            .filter(|token| token.regime == Regime::Lost)
            .take(SEEDS)
            .cloned()
            .collect();
        for mut seed in lost {
            seed.cost += scene.odds(Odds::Finds);
            gap::lines(&scene, &seed, &shown, &mut tokens);
        }
        self.beam.keep(tokens, now, self.model);
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, now: Millis) {
        self.beam.weigh(now, self.model);
        self.searches_lost(now);
    }

    /// Weighs all accounts, before much is asked of them.
    pub(crate) fn weigh(&mut self, now: Millis) {
        self.beam.weigh(now, self.model);
    }

    /// The clock was told.
    pub(crate) fn clock(&mut self, reading: &ClockReading, now: Millis) {
        let before = std::mem::replace(&mut self.lever, reading.lever);
        let stood = self.stands();
        self.running.hear(before, reading);
        let stands = self.stands();
        let scene = self.scene(now, true);
        if stands != stood || reading.lever.is_none() {
            self.beam.each(|token| lever::stops(&scene, token));
        }
        if let Some(shown) = self.shown.filter(|_| stood && !stands) {
            let shallow = self.scene(now, false);
            self.beam.extend(now, self.model, |token, is_good, out| {
                let scene = if is_good { &scene } else { &shallow };
                regime::goes_on(scene, token, &shown, out);
            });
        }
        if let (Some(before), Some(to)) = (before, reading.lever)
            && before != to
            && scene.lever
        {
            self.press(to.other(), now);
        }
    }

    /// The lever was turned on this player's side, if the clock stands as it is taken to.
    fn press(&mut self, side: Color, now: Millis) {
        let (deep, shallow) = (self.scene(now, true), self.scene(now, false));
        if let Some(way) = &mut self.way {
            let least = |by: Color| {
                let mut out = Vec::new();
                for token in self.beam.tokens().iter().take(SEEDS) {
                    lever::presses(&shallow, token, by, &mut out);
                }
                let totals = out.iter().map(|token| token.total(now, self.model));
                totals.min().unwrap_or_default()
            };
            let by = way.player(side);
            way.hear(least(by) - least(by.other()), self.model);
        }
        let by = self.player(side);
        self.beam.extend(now, self.model, |token, is_good, out| {
            lever::presses(if is_good { &deep } else { &shallow }, token, by, out);
        });
    }

    /// Whether the clock was found to stand the other way round than it was taken to.
    pub(crate) fn clock_is_reversed(&self) -> bool {
        self.way.as_ref().is_some_and(Way::is_reversed)
    }

    /// What legal lines lead to what is shown from where play stopped.
    pub(crate) fn lines_from_pause(&self, now: Millis) -> Vec<Arc<Node>> {
        let paused = |token: &&Token| token.regime == Regime::Paused;
        let seed = self.beam.tokens().first().filter(paused);
        let (Some(seed), Some(shown)) = (seed, &self.shown) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        gap::lines(&self.scene(now, false), seed, shown, &mut found);
        let exact = found.into_iter().filter(Token::is_quiet);
        std::iter::once(seed.node.clone())
            .chain(exact.map(|token| token.node))
            .collect()
    }

    /// The board is out of sight.
    pub(crate) fn blind(&mut self) {
        self.shown = None;
        self.lever = None;
    }

    /// The result that is shown, if one is.
    pub(crate) fn sign(&self) -> Option<Proposal> {
        let shown = self.shown.as_ref()?;
        let best = self.beam.tokens().first()?;
        let assumed = !self.kinds && best.regime == Regime::Sign;
        let kings = regime::kings_show(if assumed { &best.phys } else { shown });
        let piece = RESULTS.iter().position(|piece| shown.contains(piece));
        let winner = piece.map(|piece| [None, Some(Color::White), Some(Color::Black)][piece]);
        winner
            .map(|winner| (winner, Sign::ResultPiece))
            .or_else(|| kings.map(|shown| (shown.0, Sign::Kings)))
            .map(|(winner, sign)| Proposal { winner, sign })
    }

    /// Whether the board shows the array at the start of a game.
    pub(crate) fn shows_start(&self) -> bool {
        (self.shown.as_ref()).is_some_and(|shown| regime::shows(shown, regime::start()))
    }

    /// How many squares differ from a position.
    pub(crate) fn differing(&self, node: &Node) -> Vec<u8> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        (0..64_u8)
            .filter(|&at| !agrees(shown[usize::from(at)], node.board[usize::from(at)]))
            .collect()
    }

    /// The part of the weight of all accounts that this holds for, of 65 536.
    pub(crate) fn part(&self, now: Millis, holds: impl Fn(&Token) -> bool) -> u64 {
        let weights = self.beam.weights(now, self.model);
        let tokens = self.beam.tokens().iter().zip(&weights.each);
        let held: u64 = tokens
            .filter(|(t, _)| holds(t))
            .map(|(_, weight)| weight)
            .sum();
        held * 65_536 / weights.whole
    }

    /// Since when the squares that contradict a position do so.
    pub(crate) fn contradicted_since(&self, node: &Node) -> Option<Millis> {
        let squares = self.differing(node).into_iter();
        squares.map(|at| self.times[usize::from(at)]).min()
    }

    /// What a square shows, if the board is in sight.
    pub(crate) fn seen(&self, square: u8) -> Content {
        self.shown.map_or(EMPTY, |shown| shown[usize::from(square)])
    }
}
