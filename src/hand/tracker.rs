//! The public face of the decoder: it reads the hands of one game, event by event.

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use remisd_vocabulary::{
    reading::{Confidence, Mismatch, Proposal, Reading, Settings},
    sensor::{LinkReport, Sensed},
    time::{Moment, Span},
};

use super::{
    announcements::{self, Announcements, ONE},
    content::{Squares, sensed},
    decoder::Decoder,
    hypothesis::{Hypothesis, Regime},
    inspect,
    mismatch::MismatchMonitor,
    model::Chance,
    next_start::StartMonitor,
    regime,
    touched_pieces::TouchedPieces,
    tree::Node,
};

/// Reads the moves of one game.
#[derive(Debug)]
pub struct Tracker {
    settings: Settings,
    decoder: Decoder,
    announced: Announcements,
    touches: TouchedPieces,
    monitor: MismatchMonitor,
    proposed: Option<Proposal>,
    /// After the game, only the starting position is awaited. The value says whether it was already
    /// on the board when the game was closed.
    awaiting_start: Option<bool>,
    next_start: StartMonitor,
    /// The starting position was on the board when another position was set up, so it begins no
    /// game.
    ignores_start: bool,
    /// Nothing but the next ply is expected.
    idle: bool,
    /// The time of the last event or tick.
    now: Moment,
    readings: Vec<Reading>,
}

impl Tracker {
    /// Follows a game from `position`.
    #[must_use]
    pub fn new(settings: Settings, position: Chess) -> Self {
        let decoder = Decoder::new(position, settings.learn_clock, Moment::START);
        let root = decoder.beam().hypotheses()[0].node.clone();
        Self {
            settings,
            decoder,
            announced: Announcements::new(root),
            touches: TouchedPieces::default(),
            monitor: MismatchMonitor::default(),
            proposed: None,
            awaiting_start: None,
            next_start: StartMonitor::default(),
            ignores_start: false,
            idle: false,
            now: Moment::START,
            readings: Vec::new(),
        }
    }

    /// Continues the game from another position: a new game, a correction, or a set-up. The last
    /// placement stays known.
    pub fn follow(&mut self, position: Chess, now: Moment) {
        if self.awaiting_start.is_some() {
            self.decoder.continue_clock();
        }
        self.restart(position, now);
        self.announce(now);
    }

    /// Continues the game from a position that is still to be set up. Meanwhile the starting
    /// position begins no game.
    pub fn await_set_up(&mut self, position: Chess, now: Moment) {
        let shows_start = self.decoder.shows_start() && *position.board() != shakmaty::Board::new();
        self.decoder.reset_clock();
        self.restart(position, now);
        self.announce(now);
        self.ignores_start = shows_start;
    }

    fn restart(&mut self, position: Chess, now: Moment) {
        let node = Node::root(position);
        self.decoder.restart_at(node.clone(), now);
        self.announced = Announcements::new(node);
        self.touches = TouchedPieces::default();
        self.awaiting_start = None;
        self.ignores_start = false;
        let was_wrong = self.next_start.forget();
        if self.monitor.forget().is_some() || was_wrong {
            self.readings.push(Reading::Agreed);
        }
    }

    /// Whether it follows a game at `position`.
    #[must_use]
    pub fn follows(&self, position: &Chess) -> bool {
        self.awaiting_start.is_none() && self.announced.last().position == *position
    }

    /// The next move, if it is more likely than not on the board at `now` but not announced yet.
    #[must_use]
    pub fn likely_move(&self, now: Moment) -> Option<Move> {
        let line = self.line_above(ONE / 2, now);
        line.first().copied()
    }

    /// The next move, if a considerable part of the weight at `now` is on lines with it. It is not
    /// announced, so a game that is left or decided now would lose it. `None` during a mismatch,
    /// which lists its candidates itself.
    #[must_use]
    pub fn doubtful_move(&self, now: Moment) -> Option<Move> {
        if !self.sees_play() || self.monitor.mismatch().is_some() {
            return None;
        }
        let position = &self.announced.last().position;
        let mut moves: Vec<(u64, Move)> = Vec::new();
        for (posterior, line) in self.announced.lines(&self.decoder, now) {
            // A rival of the last announced ply begins at an earlier position.
            let Some(&m) = line.first().filter(|m| position.is_legal(**m)) else {
                continue;
            };
            match moves.iter_mut().find(|(_, known)| *known == m) {
                Some((sum, _)) => *sum += posterior,
                None => moves.push((posterior, m)),
            }
        }
        let considerable = ONE - announcements::threshold(&self.decoder, Chance::Doubt);
        let best = moves.into_iter().max_by_key(|(posterior, _)| *posterior);
        best.filter(|(posterior, _)| *posterior > considerable)
            .map(|(_, m)| m)
    }

    /// Whether a game is followed and its board is seen.
    fn sees_play(&self) -> bool {
        self.awaiting_start.is_none() && self.decoder.shown().is_some()
    }

    /// The moves whose posterior is above `enough`, although the last piece may still move on.
    fn line_above(&self, enough: u64, now: Moment) -> Vec<Move> {
        if !self.sees_play() {
            return Vec::new();
        }
        let lines = self.announced.lines(&self.decoder, now);
        let best = lines
            .into_iter()
            .next()
            .filter(|(posterior, _)| *posterior > enough);
        let line = best.map(|(_, line)| line).unwrap_or_default();
        // A rival of the last announced ply begins at an earlier position.
        let mut position = self.announced.last().position.clone();
        for &m in &line {
            if !position.is_legal(m) {
                return Vec::new();
            }
            position.play_unchecked(m);
        }
        line
    }

    /// Announces the moves that are beyond doubt at `now`, because a person has confirmed them. A
    /// `player` confirms the moves up to the opponent's last one; `None` confirms all. Returns
    /// whether any move was announced.
    pub fn confirm(&mut self, player: Option<Color>, now: Moment) -> bool {
        let beyond_doubt = announcements::threshold(&self.decoder, Chance::Doubt);
        let enough = if player.is_some() {
            beyond_doubt
        } else {
            // The person knows that the game is over, so a result sign and clearing gain weight.
            let over = self.decoder.posterior(now, |hypothesis| {
                matches!(hypothesis.regime, Regime::ResultSign | Regime::Clearing)
            });
            let over = over * ONE / announcements::threshold(&self.decoder, Chance::LeavesPlay);
            beyond_doubt * (ONE + over) / ONE
        };
        let mut line = self.line_above(enough, now);
        if let Some(player) = player {
            let first = self.announced.last().turn();
            let by = |ply: usize| {
                if ply.is_multiple_of(2) {
                    first
                } else {
                    first.other()
                }
            };
            while !line.is_empty() && by(line.len() - 1) == player {
                line.pop();
            }
        }
        if !line.is_empty() {
            self.decoder.keep_line(self.announced.last(), &line, now);
            let confirmed =
                (self.announced).confirm(&self.decoder, &self.settings, line.len(), now);
            let confirmed = confirmed.into_iter().map(Reading::Settled);
            self.readings.extend(confirmed);
            // A doubt about these plies has ended.
            self.announce(now);
        }
        !line.is_empty()
    }

    /// Stops following, because the game is over. Only the starting position is awaited.
    pub fn close(&mut self) {
        if self.awaiting_start == Some(true) {
            // The next game may have begun.
            return;
        }
        let shows_start = self.decoder.shows_start();
        self.monitor.forget();
        self.decoder.reset_clock();
        if shows_start {
            if self.next_start.forget() {
                self.readings.push(Reading::Agreed);
            }
            // The first move from it begins the next game.
            let start = Node::root(Chess::default());
            self.decoder.restart_at(start.clone(), self.now);
            self.announced = Announcements::new(start);
        }
        if self.awaiting_start.is_none() {
            self.next_start.watch(self.decoder.shown().is_some());
        }
        self.awaiting_start = Some(shows_start);
    }

    /// The readings since the last call, in order.
    pub fn readings(&mut self) -> Vec<Reading> {
        std::mem::take(&mut self.readings)
    }

    /// The mismatch that was announced and has not ended.
    #[must_use]
    pub const fn mismatch(&self) -> Option<&Mismatch> {
        self.monitor.mismatch()
    }

    /// The squares whose sensors contradict the moves of the game.
    #[must_use]
    pub const fn faulty(&self) -> Bitboard {
        self.monitor.faulty()
    }

    /// Takes the clock to be reversed, as another tracker has found it in this game. Does nothing
    /// unless [`Settings::learn_clock`] is set.
    pub fn reverse_clock(&mut self) {
        self.decoder.reverse_clock();
    }

    /// Whether the clock was found to be reversed.
    #[must_use]
    pub fn clock_is_reversed(&self) -> bool {
        self.decoder.clock_is_reversed()
    }

    /// The possible lines, each with its posterior in parts of 65,536.
    #[must_use]
    pub fn lines(&self) -> Vec<(u64, Vec<Move>)> {
        self.announced.lines(&self.decoder, self.now)
    }

    /// The uncertain last plies, announced or not, each with its posterior in parts of 65,536. An
    /// arbiter may see a ply before it is announced to all.
    #[must_use]
    pub fn plies(&self) -> Vec<(u64, Move)> {
        self.announced.plies(&self.decoder, self.now)
    }

    /// The best hypotheses with their costs, as text.
    #[must_use]
    pub fn inspect(&self, most: usize) -> String {
        inspect::table(&self.decoder, self.now, most)
    }

    /// How well the board is understood.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        let best = self.decoder.beam().hypotheses().first();
        if self.decoder.shown().is_none() {
            Confidence::Blind
        } else if self.monitor.mismatch().is_some() || self.next_start.is_announced() {
            Confidence::Uncertain
        } else if self.awaiting_start.is_none() && !best.is_some_and(|best| self.agrees(best)) {
            Confidence::Moving
        } else {
            Confidence::Certain
        }
    }

    /// Whether nothing is under way, and the board shows the last announced position.
    fn agrees(&self, hypothesis: &Hypothesis) -> bool {
        hypothesis.regime == Regime::Play
            && hypothesis.is_quiet()
            && self
                .decoder
                .differing_squares(self.announced.last())
                .is_empty()
    }

    /// When [`Tracker::tick`] must be called, if no event comes before.
    #[must_use]
    pub fn deadline(&self) -> Option<Moment> {
        let waits = self.decoder.shows_start() || self.decoder.result_sign().is_some();
        self.decoder.shown()?;
        if !waits && self.awaiting_start == Some(false) {
            return self.next_start.due();
        }
        if !waits && self.idle {
            return None;
        }
        let since = self.now - self.decoder.last_change();
        // Only how often the costs of waiting are evaluated. After the last step they hardly
        // change.
        let step = match since.as_millis() {
            0..1_500 => 100,
            1_500..10_000 => 250,
            10_000..40_000 => 1_000,
            _ => return None,
        };
        Some(self.now + Span::from_millis(step))
    }

    /// Lets time pass until `now`, without an event.
    pub fn tick(&mut self, now: Moment) {
        let now = now.max(self.now);
        self.decoder.tick(now);
        self.announce(now);
    }

    /// Takes in one event that was received at `now`.
    pub fn sense(&mut self, event: &Sensed, now: Moment) {
        let now = now.max(self.now);
        let start_stands = self.decoder.shows_start();
        let was_seen = self.decoder.shown().is_some();
        match event {
            Sensed::Square(square, seen) => {
                if start_stands && self.may_begin_new_game() {
                    self.begin_new_game(now);
                }
                self.decoder.square(*square as u8, sensed(*seen), now);
            }
            Sensed::Placement(placement) => {
                let squares: Squares =
                    std::array::from_fn(|at| sensed(placement.get(shakmaty::Square::ALL[at])));
                let differs = self.decoder.shown() != Some(&squares);
                if differs && start_stands && self.may_begin_new_game() {
                    self.begin_new_game(now);
                }
                self.decoder.placement(&squares, now);
            }
            Sensed::Clock(reading) => self.decoder.clock(reading, now),
            Sensed::Link(LinkReport::Up(_) | LinkReport::Down { .. }) => {
                self.decoder.lose_sight();
                self.next_start.lose_sight();
            }
            Sensed::Orientation(_)
            | Sensed::Link(LinkReport::Device(_) | LinkReport::Counters(_)) => {}
        }
        self.announce(now);
        // Announced plies come before the lift that confirmed them. After an outage, no one knows
        // who lifted a missing piece.
        let board = matches!(event, Sensed::Square(..) | Sensed::Placement(_));
        if board && was_seen && self.awaiting_start.is_none() {
            (self.touches).announce_lifts(&self.decoder, &self.announced, now, &mut self.readings);
        }
    }

    /// Announces what has become clear.
    fn announce(&mut self, now: Moment) {
        self.now = now;
        self.idle = false;
        self.decoder.weigh(now);
        self.ignores_start &= self.decoder.shows_start();
        let stood = now >= self.decoder.last_change() + self.settings.new_game_after;
        if stood && self.may_begin_new_game() {
            self.begin_new_game(now);
        }
        if self.decoder.shown().is_none() {
            return;
        }
        if let Some(stood) = self.awaiting_start {
            if stood {
                self.begin_from_standing_start(now);
            } else if self.settings.new_games {
                let last = self.announced.last();
                let view = (&self.decoder, &**last, &self.settings);
                (self.next_start).update(view, now, &mut self.readings);
            }
            self.propose(now);
            return;
        }
        (self.announced).update(&self.decoder, &self.settings, now, &mut self.readings);
        self.touches
            .announce_sure(now, self.settings.touch_after, &mut self.readings);
        self.propose(now);
        let begin_new_game = self.may_begin_new_game();
        let view = (&self.decoder, &self.announced, &self.settings);
        self.monitor
            .update(view, begin_new_game, now, &mut self.readings);
        let calm = self.monitor.is_calm() && self.monitor.mismatch().is_none();
        self.idle = calm && self.announced.expects_only_next_ply(&self.decoder, now);
    }

    /// The starting position was on the board when the game was closed, so the first move from it
    /// begins the next game.
    fn begin_from_standing_start(&mut self, now: Moment) {
        if !self.settings.new_games {
            return;
        }
        let mut begun = Vec::new();
        (self.announced).update(&self.decoder, &self.settings, now, &mut begun);
        if !begun.is_empty() {
            self.awaiting_start = None;
            self.proposed = None;
            self.readings.push(Reading::NewGame);
            self.readings.append(&mut begun);
        } else if self
            .decoder
            .posterior(now, |hypothesis| hypothesis.regime == Regime::Play)
            < ONE / 2
        {
            self.awaiting_start = Some(false);
        }
    }

    /// Whether the starting position is on the board, and is not a position of this game.
    fn may_begin_new_game(&self) -> bool {
        if !self.settings.new_games || self.ignores_start || !self.decoder.shows_start() {
            return false;
        }
        if let Some(stood) = self.awaiting_start {
            return !stood;
        }
        let start = regime::start();
        // If the game was taken back to the start, this may still be the next game.
        let last = self.announced.last();
        let plays = |hypothesis: &Hypothesis| {
            hypothesis.regime == Regime::Play
                && hypothesis.physical == *start
                && hypothesis.node.depth >= last.depth
        };
        last.board != *start && self.decoder.posterior(self.now, plays) < ONE / 2
    }

    fn begin_new_game(&mut self, now: Moment) {
        if self.awaiting_start.is_none() {
            // The last plies may have been the first steps of clearing the board.
            (self.announced).update(&self.decoder, &self.settings, now, &mut self.readings);
            let doubtful = self.doubtful_move(now);
            self.readings.extend(doubtful.map(Reading::Unsettled));
        }
        self.monitor.forget();
        self.next_start.forget();
        self.proposed = None;
        self.readings.push(Reading::NewGame);
        self.decoder.reset_clock();
        self.restart(Chess::default(), now);
    }

    /// Proposes a result that has been shown for long enough.
    fn propose(&mut self, now: Moment) {
        if !self.settings.result_signs
            || now < self.decoder.last_change() + self.settings.result_after
        {
            return;
        }
        let new = self
            .decoder
            .result_sign()
            .filter(|sign| self.proposed != Some(*sign));
        // Kings that moved to the centre in play show nothing.
        let played = self
            .decoder
            .differing_squares(self.announced.last())
            .is_empty();
        if played && self.decoder.result_sign().is_none() && self.proposed.take().is_some() {
            // The sign was removed, and may be shown again.
            if self.awaiting_start.is_none() && self.monitor.mismatch().is_none() {
                self.readings.push(Reading::Agreed);
            }
        }
        if let Some(proposal) = new.filter(|_| !played) {
            self.proposed = Some(proposal);
            self.readings.push(Reading::Proposed(proposal));
        }
    }
}
