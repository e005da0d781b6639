//! The record of moves of one game, from its start or from a position that was set up.

use shakmaty::{Chess, Move, PlayError, Position as _, uci::UciMove};

use super::{ClockState, SettledBy, Side, Touched};
use remisd_laws::{Claim, ClaimKind, DrawState, Edition, History, Ply};
use remisd_vocabulary::notation::{Counters, MoveText};

/// A move that has been made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Both notations.
    pub text: MoveText,
    /// What put it beyond doubt; `None` when it was revised.
    pub by: Option<SettledBy>,
    /// What the clock showed then, or when it was pressed after that.
    pub clock: Option<ClockState>,
    pub(super) m: Move,
    /// What the mover had touched before it and with it, as far as the board saw.
    pub(super) touched: Vec<Touched>,
}

impl Played {
    /// The move itself.
    #[must_use]
    pub const fn played(&self) -> Move {
        self.m
    }

    /// Whether it was made out of sight of the board and reconstructed afterwards.
    #[must_use]
    pub fn is_reconstructed(&self) -> bool {
        self.by == Some(SettledBy::Reconstructed)
    }

    /// Whether it is a promotion whose piece is assumed: the board could not show it with
    /// certainty.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.by == Some(SettledBy::Assumed)
    }
}

/// The moves from the start to the position on the board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    start: Chess,
    /// Which counters the text of the start gave.
    counters: Counters,
    history: History,
    moves: Vec<Played>,
    draw: DrawState,
    /// Earlier repetitions may be missing, and the arbiter has not acknowledged it.
    counts_restarted: bool,
    /// Moves of this game were left out of the record.
    moves_left_out: bool,
    /// For a position that was set up: the moves that each player had made before, where its move
    /// number does not say.
    moves_before: Option<u32>,
    /// Up to which ply the arbiter has seen what was reconstructed.
    reconstructed_seen: Ply,
    /// Up to which ply the arbiter has seen what was assumed.
    assumed_seen: Ply,
}

impl Record {
    /// A game that begins with `start`.
    pub(super) fn new(start: Chess, counters: Counters, edition: &'static Edition) -> Self {
        // No move comes before the usual array if a game begins there.
        let counters = if start == Chess::default() {
            Counters::ALL
        } else {
            counters
        };
        let mut record = Self::begin(start, counters, edition);
        record.counts_restarted = record.may_have_occurred_before();
        record
    }

    fn begin(start: Chess, counters: Counters, edition: &'static Edition) -> Self {
        let history = History::new(start.clone());
        Self {
            draw: history.draw_state(edition),
            start,
            counters,
            history,
            moves: Vec::new(),
            counts_restarted: false,
            moves_left_out: false,
            moves_before: None,
            reconstructed_seen: 0,
            assumed_seen: 0,
        }
    }

    /// The game continues from another position; its count of repetitions restarts.
    pub(super) fn set_up(&mut self, start: Chess, counters: Counters, edition: &'static Edition) {
        let counted = self.ply() > 0;
        let before = if counters.fullmoves {
            0
        } else {
            self.moves_each()
        };
        let mut record = Self::begin(start, counters, edition);
        record.moves_before = Some(before);
        record.moves_left_out = self.moves_left_out || counted;
        record.counts_restarted =
            self.counts_restarted || counted || record.may_have_occurred_before();
        *self = record;
    }

    /// Whether moves were made, or may have been before the record begins.
    pub(super) fn has_begun(&self) -> bool {
        self.ply() > 0 || self.moves_left_out || self.start != Chess::default()
    }

    /// The history after a move.
    ///
    /// # Errors
    ///
    /// The move is not legal.
    #[expect(
        clippy::result_large_err,
        reason = "the error of shakmaty holds the position"
    )]
    pub(super) fn after(&self, m: Move) -> Result<History, PlayError<Chess>> {
        let mut history = self.history.clone();
        history.play(m).map(|()| history)
    }

    /// Appends a move that leads to `history`; returns the claims that could be made before it.
    pub(super) fn advance(
        &mut self,
        played: Played,
        history: History,
        edition: &'static Edition,
    ) -> Vec<Claim> {
        self.history = history;
        self.moves.push(played);
        std::mem::replace(&mut self.draw, self.history.draw_state(edition)).claims
    }

    /// Takes moves back to after `to_ply`; returns them, the last one first.
    pub(super) fn take_back_to(&mut self, to_ply: Ply, edition: &'static Edition) -> Vec<Played> {
        let kept = self.moves.len().min(to_ply as usize);
        let removed = self.moves.drain(kept..).rev().collect();
        self.history = self.replayed(to_ply);
        self.reconstructed_seen = self.reconstructed_seen.min(to_ply);
        self.assumed_seen = self.assumed_seen.min(to_ply);
        self.judge_under(edition);
        removed
    }

    /// Applies the rules of another edition to the position on the board.
    pub(super) fn judge_under(&mut self, edition: &'static Edition) {
        self.draw = self.history.draw_state(edition);
    }

    pub(super) const fn start(&self) -> &Chess {
        &self.start
    }

    pub(super) const fn history(&self) -> &History {
        &self.history
    }

    pub(super) const fn position(&self) -> &Chess {
        self.history.position()
    }

    pub(super) const fn ply(&self) -> Ply {
        self.history.ply()
    }

    pub(super) fn moves(&self) -> &[Played] {
        &self.moves
    }

    pub(super) const fn draw(&self) -> &DrawState {
        &self.draw
    }

    /// The clock shows something else, and ran for a player until then. If he has made the last
    /// move and pressed it now, after the move was read, his time is the one that it shows now.
    pub(super) fn note_press(&mut self, ran_for: Option<Side>, shown: Option<ClockState>) {
        let turn = Side::from(self.position().turn());
        let mover = Side::from(self.position().turn().other());
        let runs_for = |clock: Option<ClockState>| clock.and_then(|clock| clock.running);
        if let Some(last) = self.moves.last_mut()
            && ran_for == Some(mover)
            && runs_for(last.clock) == Some(mover)
            && runs_for(shown) == Some(turn)
        {
            last.clock = shown;
        }
    }

    /// A move as UCI; castling is written as in Chess960 if the start has such rights.
    pub(super) fn uci(&self, m: Move) -> UciMove {
        m.to_uci(self.start.castles().mode())
    }

    /// The history up to a ply.
    pub(super) fn replayed(&self, to_ply: Ply) -> History {
        let mut history = History::new(self.start.clone());
        for played in self.moves.iter().take(to_ply as usize) {
            // These moves were legal when they were made from the same start.
            history.play(played.m).ok();
        }
        history
    }

    /// The positions after each ply from this one on; the one on the board at least.
    pub(super) fn positions_from(&self, first: Ply) -> Vec<Chess> {
        if first >= self.ply() {
            return vec![self.position().clone()];
        }
        let mut history = self.replayed(first);
        let mut positions = vec![history.position().clone()];
        for played in self.moves.iter().skip(first as usize) {
            if history.play(played.m).is_err() {
                break;
            }
            positions.push(history.position().clone());
        }
        positions
    }

    /// Moves that both players have made: the smaller number. A position that was set up brings its
    /// move number with it.
    pub(super) fn moves_each(&self) -> u32 {
        self.moves_before.map_or(self.ply() / 2, |before| {
            before.saturating_add(self.position().fullmoves().get() - 1)
        })
    }

    /// Whether the start of this record may have been on the board before: nothing says that a
    /// pawn move or a capture produced it.
    fn may_have_occurred_before(&self) -> bool {
        !self.counters.halfmoves || self.start.halfmoves() > 0
    }

    /// Whether what a claim of this kind counts may have happened before the record began.
    /// A position before a pawn move or a capture cannot occur again.
    pub(super) fn began_too_late_for(&self, kind: ClaimKind) -> bool {
        let reaches_back = self.draw.halfmove_clock >= self.ply();
        let unknown = match kind {
            ClaimKind::Threefold => self.may_have_occurred_before(),
            ClaimKind::FiftyMove => !self.counters.halfmoves,
        };
        reaches_back && (self.moves_left_out || unknown)
    }

    /// Whether repetitions may be missing that the arbiter has not acknowledged.
    pub(super) const fn counts_restarted(&self) -> bool {
        self.counts_restarted
    }

    /// The arbiter knows that earlier repetitions may be missing.
    pub(super) const fn acknowledge_restart(&mut self) {
        self.counts_restarted = false;
    }

    /// The arbiter has seen which plies are reconstructed.
    pub(super) const fn acknowledge_reconstructed(&mut self) {
        self.reconstructed_seen = self.ply();
    }

    /// The arbiter has seen which promotions are assumed.
    pub(super) const fn acknowledge_assumed(&mut self) {
        self.assumed_seen = self.ply();
    }

    /// The reconstructed plies that the arbiter has not seen yet.
    pub(super) fn reconstructed(&self) -> Vec<Ply> {
        let plies = (1..).zip(&self.moves);
        plies
            .filter(|(ply, played)| *ply > self.reconstructed_seen && played.is_reconstructed())
            .map(|(ply, _)| ply)
            .collect()
    }

    /// The assumed promotions that the arbiter has not seen yet.
    pub(super) fn assumed(&self) -> impl Iterator<Item = (Ply, &Played)> {
        let plies = (1..).zip(&self.moves);
        plies.filter(|(ply, played)| *ply > self.assumed_seen && played.is_assumed())
    }

    /// Whether a ply since the last pawn move or capture was not seen.
    ///
    /// Reconstruction takes the shortest way, so repetitions and moves may be missing. The same
    /// holds after an assumed promotion, which may have been made in a gap.
    pub(super) fn unseen_in_run(&self) -> bool {
        // The move that began the run may itself have been made at another time.
        let run = usize::try_from(self.draw.halfmove_clock).unwrap_or(usize::MAX);
        let mut run = self.moves.iter().rev().take(run.saturating_add(1));
        run.any(|played| played.is_reconstructed() || played.is_assumed())
    }

    /// What was touched before each ply after `to_ply`.
    pub(super) fn touched_since(&self, to_ply: Ply) -> Vec<Vec<Touched>> {
        let since = self.moves.iter().skip(to_ply as usize);
        since.map(|played| played.touched.clone()).collect()
    }

    /// The moves after `to_ply` were corrected; what the players touched there, they still did.
    pub(super) fn keep_touched(
        &mut self,
        to_ply: Ply,
        touched: &mut impl Iterator<Item = Vec<Touched>>,
    ) {
        for played in self.moves.iter_mut().skip(to_ply as usize) {
            played.touched = touched.next().unwrap_or_default();
        }
    }
}
