//! The face of the decoder: one game's hands, event by event.

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use remisd_vocabulary::{
    reading::{Confidence, Mismatch, Proposal, Reading, Settings, Settled, SettledBy},
    sensor::{LinkReport, Sensed},
    time::Millis,
};

use super::{
    announcements::{self, Announcements, ONE},
    decoder::Decoder,
    inspect,
    mismatch::MismatchMonitor,
    model::Chance,
    regime,
    token::Regime,
    touched_pieces::TouchedPieces,
    tree::{Node, Squares, sensed},
};

/// Follows the hands of one game.
#[derive(Debug)]
pub struct Tracker {
    settings: Settings,
    decoder: Decoder,
    announced: Announcements,
    touches: TouchedPieces,
    mismatch: MismatchMonitor,
    proposed: Option<Proposal>,
    /// Only the array of the next game is waited for; it stood already when the game was closed.
    resting: Option<bool>,
    /// The array stood when the game was set up at another position: it begins no game.
    start_stood: bool,
    /// Nothing but the next ply is waited for.
    idle: bool,
    /// Time has passed until then.
    now: Millis,
    readings: Vec<Reading>,
}

impl Tracker {
    /// Follows a game that stands at `position`.
    #[must_use]
    pub fn new(settings: Settings, position: Chess) -> Self {
        let decoder = Decoder::new(position, settings.learn_clock, 0);
        let root = decoder.beam().tokens()[0].node.clone();
        Self {
            settings,
            decoder,
            announced: Announcements::new(root),
            touches: TouchedPieces::default(),
            mismatch: MismatchMonitor::default(),
            proposed: None,
            resting: None,
            start_stood: false,
            idle: false,
            now: 0,
            readings: Vec::new(),
        }
    }

    fn hand_time(&self, now: Millis) -> Millis {
        now.saturating_mul(self.settings.speed.max(1))
    }

    /// Takes up the game at another position: a new game, a correction, a set-up. What
    /// was seen to go on from there is kept in mind.
    pub fn follow(&mut self, position: Chess, now: Millis) {
        let now = self.hand_time(now);
        self.restart(position, now);
        self.read_out(now);
    }

    /// Takes up the game at a position that is still to be set up on the board. The start
    /// array that stands meanwhile, and from which the pieces are taken, begins no game.
    pub fn await_set_up(&mut self, position: Chess, now: Millis) {
        let stands = self.decoder.shows_start() && *position.board() != shakmaty::Board::new();
        self.follow(position, now);
        self.start_stood = stands;
    }

    fn restart(&mut self, position: Chess, now: Millis) {
        let node = Node::root(position);
        self.decoder.restart_at(node.clone(), now);
        self.announced = Announcements::new(node);
        self.touches = TouchedPieces::default();
        self.resting = None;
        self.start_stood = false;
        if self.mismatch.forget().is_some() {
            self.readings.push(Reading::Agreed);
        }
    }

    /// Whether it is following a game that stands at `position`.
    #[must_use]
    pub fn follows(&self, position: &Chess) -> bool {
        self.resting.is_none() && self.announced.last().position == *position
    }

    /// The move that stands on the board beyond doubt if nothing is sensed until `now`,
    /// although it is not settled yet: the next one of the game.
    #[must_use]
    pub fn standing(&self, now: Millis) -> Option<Move> {
        self.standing_line(self.hand_time(now)).first().copied()
    }

    /// The line that is beyond doubt, although it may still be gone on with.
    fn standing_line(&self, now: Millis) -> Vec<Move> {
        if self.resting.is_some() || self.decoder.shown().is_none() {
            return Vec::new();
        }
        let lines = self.announced.lines(&self.decoder, now);
        let enough = announcements::threshold(&self.decoder, Chance::Doubt);
        let best = lines.into_iter().next().filter(|(part, _)| *part > enough);
        best.map(|(_, line)| line).unwrap_or_default()
    }

    /// Settles what stands on the board beyond doubt at `now`, because somebody has answered
    /// it: a player, what was played up to his opponent's last move; without one, everything.
    /// Tells whether that was anything.
    pub fn answered(&mut self, player: Option<Color>, now: Millis) -> bool {
        let now = self.hand_time(now);
        let mut line = self.standing_line(now);
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
        let mut position = self.announced.last().position.clone();
        for &m in &line {
            if !position.is_legal(m) {
                return false;
            }
            position.play_unchecked(m);
            let by = SettledBy::Answered;
            self.readings.push(Reading::Settled(Settled { m, by }));
        }
        if !line.is_empty() {
            self.restart(position, now);
        }
        !line.is_empty()
    }

    /// Stops following: the game is over. Only the start array is looked for.
    pub fn rest(&mut self) {
        let stands = self.decoder.shows_start();
        self.mismatch.forget();
        if stands {
            // The first move from it begins the next game.
            let array = Node::root(Chess::default());
            self.decoder.restart_at(array.clone(), self.now);
            self.announced = Announcements::new(array);
        }
        self.resting = Some(stands);
    }

    /// What has been read since the last call, in order.
    pub fn readings(&mut self) -> Vec<Reading> {
        std::mem::take(&mut self.readings)
    }

    /// Whether squares are unexplained at the moment.
    #[must_use]
    pub const fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.mismatch()
    }

    /// The squares whose sensors contradict the moves of the game.
    #[must_use]
    pub const fn faulty(&self) -> Bitboard {
        self.mismatch.faulty()
    }

    /// Whether the clock was found to stand the other way round than it was taken to.
    #[must_use]
    pub fn clock_is_reversed(&self) -> bool {
        self.decoder.clock_is_reversed()
    }

    /// The lines that are held possible, each with its part of 65,536.
    #[must_use]
    pub fn lines(&self) -> Vec<(u64, Vec<Move>)> {
        self.announced.lines(&self.decoder, self.now)
    }

    /// The last plies that are not quite certain, announced or not, each with its part of 65,536.
    /// An arbiter may hear of a ply before it is announced to all.
    #[must_use]
    pub fn plies(&self) -> Vec<(u64, Move)> {
        self.announced.plies(&self.decoder, self.now)
    }

    /// The best accounts of what was told, with what each of their terms costs, as text.
    #[must_use]
    pub fn show(&self, most: usize) -> String {
        inspect::show(&self.decoder, self.now, most)
    }

    /// How well what is seen is understood.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        let best = self.decoder.beam().tokens().first();
        if self.decoder.shown().is_none() {
            Confidence::Blind
        } else if self.mismatch.mismatch().is_some() {
            Confidence::Uncertain
        } else if self.resting.is_none() && best.is_some_and(|best| !best.is_quiet()) {
            Confidence::Moving
        } else {
            Confidence::Certain
        }
    }

    /// When [`Tracker::tick`] has something to do, if nothing is sensed before.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let waits = self.decoder.shows_start() || self.decoder.result_sign().is_some();
        let idle = !waits && (self.idle || self.resting == Some(false));
        self.decoder.shown().filter(|_| !idle)?;
        let since = self.now.saturating_sub(self.decoder.last_change());
        let step = match since {
            0..1_500 => 100,
            1_500..10_000 => 250,
            10_000..40_000 => 1_000,
            _ => return None,
        };
        Some((self.now + step).div_ceil(self.settings.speed.max(1)))
    }

    /// Lets time pass: nothing has been sensed until `now`.
    pub fn tick(&mut self, now: Millis) {
        let now = self.hand_time(now).max(self.now);
        self.decoder.tick(now);
        self.read_out(now);
    }

    /// Takes in one event that was heard at `now`.
    pub fn sense(&mut self, event: &Sensed, now: Millis) {
        let now = self.hand_time(now).max(self.now);
        let start_stands = self.decoder.shows_start();
        let was_seen = self.decoder.shown().is_some();
        match event {
            Sensed::Square(square, seen) => {
                if start_stands && self.may_begin_anew() {
                    self.begin_new_game(now);
                }
                self.decoder.square(*square as u8, sensed(*seen), now);
            }
            Sensed::Placement(placement) => {
                let squares: Squares =
                    std::array::from_fn(|at| sensed(placement.get(shakmaty::Square::ALL[at])));
                self.decoder.placement(&squares, now);
            }
            Sensed::Clock(reading) => self.decoder.clock(reading, now),
            Sensed::Link(LinkReport::Up(_) | LinkReport::Down { .. }) => self.decoder.lose_sight(),
            Sensed::Orientation(_)
            | Sensed::Link(LinkReport::Device(_) | LinkReport::Counters(_)) => {}
        }
        self.read_out(now);
        // What a lift has settled comes before it; who lifted what is missing after an outage is
        // not known.
        let board = matches!(event, Sensed::Square(..) | Sensed::Placement(_));
        if board && was_seen && self.resting.is_none() {
            (self.touches).announce_lifts(&self.decoder, &self.announced, now, &mut self.readings);
        }
    }

    /// Says what has become clear.
    fn read_out(&mut self, now: Millis) {
        self.now = now;
        self.idle = false;
        self.decoder.weigh(now);
        self.start_stood &= self.decoder.shows_start();
        let stood = now >= self.decoder.last_change() + self.settings.new_game_ms;
        if stood && self.may_begin_anew() {
            self.begin_new_game(now);
        }
        if self.decoder.shown().is_none() {
            return;
        }
        if let Some(stood) = self.resting {
            if stood {
                self.begins_unnoticed(now);
            }
            self.propose(now);
            return;
        }
        (self.announced).update(&self.decoder, &self.settings, now, &mut self.readings);
        self.touches
            .announce_sure(now, self.settings.touch_ms, &mut self.readings);
        self.propose(now);
        let begin_new_game = self.may_begin_anew();
        let view = (&self.decoder, &self.announced, &self.settings);
        self.mismatch
            .update(view, begin_new_game, now, &mut self.readings);
        let alarmed = self.mismatch.mismatch().is_some();
        self.idle = !alarmed && self.announced.is_calm(&self.decoder, now);
    }

    /// The array stood when the game was closed: the first move from it begins the next one.
    fn begins_unnoticed(&mut self, now: Millis) {
        if !self.settings.new_games {
            return;
        }
        let mut begun = Vec::new();
        (self.announced).update(&self.decoder, &self.settings, now, &mut begun);
        if !begun.is_empty() {
            self.resting = None;
            self.proposed = None;
            self.readings.push(Reading::NewGame);
            self.readings.append(&mut begun);
        } else if self
            .decoder
            .posterior(now, |token| token.regime == Regime::Play)
            < ONE / 2
        {
            self.resting = Some(false);
        }
    }

    /// Whether the start array stands, and is no position of this game.
    fn may_begin_anew(&self) -> bool {
        if !self.settings.new_games || self.start_stood || !self.decoder.shows_start() {
            return false;
        }
        if let Some(stood) = self.resting {
            return !stood;
        }
        let start = regime::start();
        // A position that was taken back to may be the array of the next game.
        let last = self.announced.last();
        let plays = |token: &super::token::Token| {
            token.regime == Regime::Play
                && token.physical == *start
                && token.node.depth >= last.depth
        };
        last.board != *start && self.decoder.posterior(self.now, plays) < ONE / 2
    }

    fn begin_new_game(&mut self, now: Millis) {
        if self.resting.is_none() {
            // The last plies may have been the first steps of clearing the board.
            (self.announced).update(&self.decoder, &self.settings, now, &mut self.readings);
        }
        self.mismatch.forget();
        self.proposed = None;
        self.readings.push(Reading::NewGame);
        self.restart(Chess::default(), now);
    }

    /// A result that is shown for long enough is a proposal.
    fn propose(&mut self, now: Millis) {
        if !self.settings.result_signs || now < self.decoder.last_change() + self.settings.result_ms
        {
            return;
        }
        let new = self
            .decoder
            .result_sign()
            .filter(|sign| self.proposed != Some(*sign));
        // Kings that were played there show nothing.
        let played = self
            .decoder
            .differing_squares(self.announced.last())
            .is_empty();
        if played && self.decoder.result_sign().is_none() && self.proposed.take().is_some() {
            // The sign was taken away, and may be given again.
            if self.resting.is_none() && self.mismatch.mismatch().is_none() {
                self.readings.push(Reading::Agreed);
            }
        }
        if let Some(proposal) = new.filter(|_| !played) {
            self.proposed = Some(proposal);
            self.readings.push(Reading::Proposed(proposal));
        }
    }
}
