//! The state of a game, to be read; [`super::apply`] changes it.

use std::collections::{BTreeMap, VecDeque};

use shakmaty::{Chess, Color, Position as _};

use super::{Alerts, Answer, ClockState, GameResult, ResultReason, SeenSquare, SettledBy};
use crate::{
    board::event::Orientation,
    dead::Verdict,
    hand::MismatchReason,
    laws::{self, AutomaticEnd, DrawState, Edition, Fivefold, History, Ply, Rate},
    notation::MoveText,
};

/// Answers that are remembered, so that a command sent twice is done once.
pub(super) const ANSWERS: usize = 1024;

/// Under which rules the games at a board are played, unless a command says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The edition of the Laws.
    pub edition: &'static Edition,
    /// The rate of play.
    pub rate: Rate,
    /// Who makes an automatic end public.
    pub confirm: Confirm,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            edition: laws::newest(),
            rate: Rate::Standard,
            confirm: Confirm::Arbiter,
        }
    }
}

/// Who makes the end of a game public. In law the game is over either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// The arbiter, by acknowledging the alert.
    Arbiter,
    /// Nobody: it is published at once.
    Automatic,
}

/// A move that has been made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Both notations.
    pub text: MoveText,
    /// What put it beyond doubt; `None` when it was revised.
    pub by: Option<SettledBy>,
    /// What the clock showed then.
    pub clock: Option<ClockState>,
}

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracking {
    /// Every square agrees with the game, as far as is known.
    Following,
    /// No legal move explains the squares.
    Mismatch {
        /// Why.
        reason: MismatchReason,
        /// The squares.
        squares: Vec<SeenSquare>,
        /// The last ply before that.
        since_ply: Ply,
    },
    /// The game is over and the board is not watched for moves.
    Resting,
}

/// The game at one board.
#[derive(Debug, Clone)]
pub struct Game {
    pub(super) rules: Rules,
    /// The number of the last input.
    pub(super) seq: u64,
    /// The number of the input that brought the position on the board.
    pub(super) position_seq: u64,
    pub(super) number: u64,
    pub(super) edition: &'static Edition,
    pub(super) rate: Rate,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) start: Chess,
    pub(super) history: History,
    pub(super) moves: Vec<Played>,
    pub(super) draw: DrawState,
    /// The first automatic end; kept even if play goes on.
    pub(super) ended: Option<(Ply, AutomaticEnd)>,
    pub(super) result: Option<GameResult>,
    pub(super) dead: Option<Verdict>,
    pub(super) clock: Option<ClockState>,
    pub(super) mismatch: Option<(MismatchReason, Vec<SeenSquare>, Ply)>,
    pub(super) link: Option<Result<(), String>>,
    pub(super) orientation: Option<Orientation>,
    pub(super) alerts: Alerts,
    pub(super) answers: VecDeque<Answer>,
}

impl Game {
    /// A board at which nothing has happened yet: the start array, number 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let start = Chess::default();
        let history = History::new(start.clone());
        let draw = history.draw_state(rules.edition);
        Self {
            rules,
            seq: 0,
            position_seq: 0,
            number: 0,
            edition: rules.edition,
            rate: rules.rate,
            headers: BTreeMap::new(),
            start,
            history,
            moves: Vec::new(),
            draw,
            ended: None,
            result: None,
            dead: None,
            clock: None,
            mismatch: None,
            link: None,
            orientation: None,
            alerts: Alerts::default(),
            answers: VecDeque::new(),
        }
    }

    /// The number of the last input; 0 when there was none.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The number of the input that brought the position on the board. The ply alone
    /// does not name a position: a set-up begins at 0 again, a revised ply keeps its number.
    #[must_use]
    pub const fn position_seq(&self) -> u64 {
        self.position_seq
    }

    /// The game's number: the `seq` of the input that began it.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The edition this game is played under.
    #[must_use]
    pub const fn edition(&self) -> &'static Edition {
        self.edition
    }

    /// The rate this game is played at.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// PGN tags.
    #[must_use]
    pub const fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// The starting position.
    #[must_use]
    pub const fn start(&self) -> &Chess {
        &self.start
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        self.history.position()
    }

    /// Halfmoves made.
    #[must_use]
    pub const fn ply(&self) -> Ply {
        self.history.ply()
    }

    /// The moves made.
    #[must_use]
    pub fn moves(&self) -> &[Played] {
        &self.moves
    }

    /// What the edition says about the position on the board.
    #[must_use]
    pub const fn draw(&self) -> &DrawState {
        &self.draw
    }

    /// The first automatic end and its ply.
    #[must_use]
    pub const fn ended(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ended
    }

    /// The result, if there is one.
    #[must_use]
    pub const fn result(&self) -> Option<&GameResult> {
        self.result.as_ref()
    }

    /// Whether either side can still mate; `None` while nobody has found out.
    #[must_use]
    pub const fn dead(&self) -> Option<Verdict> {
        self.dead
    }

    /// What the clock shows.
    #[must_use]
    pub const fn clock(&self) -> Option<ClockState> {
        self.clock
    }

    /// Whether the board answers; `None` before it was tried. The error is the reason.
    #[must_use]
    pub const fn link(&self) -> Option<&Result<(), String>> {
        self.link.as_ref()
    }

    /// How the board was found to lie.
    #[must_use]
    pub const fn orientation(&self) -> Option<Orientation> {
        self.orientation
    }

    /// The open alerts.
    #[must_use]
    pub const fn alerts(&self) -> &Alerts {
        &self.alerts
    }

    /// Whether the board is understood.
    #[must_use]
    pub fn tracking(&self) -> Tracking {
        if self.is_closed() {
            return Tracking::Resting;
        }
        match &self.mismatch {
            Some((reason, squares, since_ply)) => Tracking::Mismatch {
                reason: *reason,
                squares: squares.clone(),
                since_ply: *since_ply,
            },
            None => Tracking::Following,
        }
    }

    /// Whether the arbiter has closed the game: moves on the board are no longer its.
    /// An automatic end alone does not close it: if it is overlooked, play goes on.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.result.as_ref().is_some_and(|result| {
            result.confirmed
                && (result.reason == ResultReason::Arbiter
                    || self.rules.confirm == Confirm::Arbiter)
        })
    }

    /// The answer that a command with this id has already had.
    #[must_use]
    pub fn answer(&self, id: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.id == id)
    }

    /// Plies until 75 moves end the game, if the edition has such a rule.
    #[must_use]
    pub fn plies_to_seventy_five(&self) -> Option<u32> {
        self.edition
            .automatic_halfmoves
            .map(|limit| limit.saturating_sub(self.draw.halfmove_clock))
    }

    /// Further occurrences of this position until fivefold repetition ends the game,
    /// if the edition has such a rule.
    #[must_use]
    pub fn occurrences_to_fivefold(&self) -> Option<u32> {
        let Fivefold::AnySpacing { occurrences } = self.edition.fivefold?;
        let count = u32::try_from(self.draw.repetition.count()).unwrap_or(u32::MAX);
        Some(occurrences.saturating_sub(count))
    }

    /// Takes up the numbering after `seq` where earlier entries are not replayed.
    pub fn skip_to(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
    }

    /// The player having the move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}
