//! What is known of the board itself: whether it answers, how it lies, how it differs.

use shakmaty::Square;

use super::{Fact, Game, LinkDown, Mismatch};
use remisd_vocabulary::sensor::{DownCode, Orientation};

/// The state of the board's line and sensors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sensors {
    /// Whether the board answers; `None` before it was tried.
    link: Option<Result<(), LinkDown>>,
    orientation: Option<Orientation>,
    /// The clock is the other way round from what the board assumes.
    clock_reversed: bool,
    /// How the board differs from the game.
    mismatch: Option<Mismatch>,
    /// How the starting position for the next game is set up wrongly. It says nothing of this game.
    wrong_start: Option<Mismatch>,
    /// Squares whose sensors are ignored.
    faulty: Vec<Square>,
}

impl Sensors {
    pub(super) const fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.as_ref()
    }

    /// The wrong starting position for the next game.
    pub(super) const fn wrong_start(&self) -> Option<&Mismatch> {
        self.wrong_start.as_ref()
    }

    /// Whether the board is known not to answer.
    pub(super) const fn is_lost(&self) -> bool {
        matches!(self.link, Some(Err(_)))
    }

    /// A daemon has started. The board has not been read yet; what differs will be reported again.
    /// The players may have begun from a wrong position, which is not seen again.
    pub(super) fn restart(&mut self) {
        *self = Self {
            orientation: self.orientation,
            clock_reversed: self.clock_reversed,
            wrong_start: self.wrong_start.take(),
            ..Self::default()
        };
    }

    /// The line to the board came up or went down.
    pub(super) fn link_changed(
        &mut self,
        up: bool,
        code: Option<DownCode>,
        reason: Option<String>,
    ) -> Fact {
        self.link = Some(if up {
            Ok(())
        } else {
            let reason = reason.clone().unwrap_or_default();
            Err(LinkDown { code, reason })
        });
        Fact::LinkChanged { up, reason }
    }

    /// The board was found to lie this way.
    const fn turned(&mut self, orientation: Orientation) -> Fact {
        self.orientation = Some(orientation);
        Fact::OrientationChanged { orientation }
    }

    /// The board differs from the game.
    pub(super) fn differ(&mut self, mismatch: Mismatch) -> Fact {
        let (reason, squares) = (mismatch.reason, mismatch.squares.clone());
        self.mismatch = Some(mismatch);
        Fact::TrackingLost { reason, squares }
    }

    /// The board agrees with the game, or no longer has to.
    pub(super) fn forget_mismatch(&mut self) {
        self.mismatch = None;
    }

    /// The starting position for the next game is set up wrongly.
    pub(super) fn note_wrong_start(&mut self, wrong: Mismatch) {
        self.wrong_start = Some(wrong);
    }

    /// The wrong starting position is gone. Returns whether there was one.
    pub(super) fn forget_wrong_start(&mut self) -> bool {
        self.wrong_start.take().is_some()
    }

    /// The sensors of these squares are ignored from now on, and no others.
    pub(super) fn ignore(&mut self, squares: &[Square]) -> Option<Fact> {
        if self.faulty == squares {
            return None;
        }
        self.faulty = squares.to_vec();
        let squares = squares.to_vec();
        Some(Fact::SensorsFaulty { squares })
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(
        &mut self,
        link: Option<Result<(), LinkDown>>,
        orientation: Option<Orientation>,
        clock_reversed: bool,
        faulty: &[Square],
    ) {
        self.link = link;
        self.orientation = orientation.or(self.orientation);
        self.clock_reversed = clock_reversed;
        self.faulty = faulty.to_vec();
    }
}

impl Game {
    /// The board is out of sight. If the game has begun, moves may be missing until the board agrees
    /// with it again.
    pub(super) fn lose_sight(&mut self) {
        // Players who show a result play no moves.
        let plays = self.has_begun() && !self.is_at_rest() && self.proposed_result().is_none();
        if plays && self.judgement.doubts_the_record() {
            self.outcome.lose_sight(self.ply() + 1);
        }
    }

    /// The record has changed, and the board may be out of sight.
    pub(super) fn note_outage(&mut self) {
        if self.sensors.is_lost() {
            self.lose_sight();
        }
    }

    /// The line to the board came up or went down. A board has to agree with the game anew; a program
    /// that writes the game has all of it.
    pub(super) fn line_changed(
        &mut self,
        up: bool,
        code: Option<DownCode>,
        reason: Option<String>,
    ) -> Fact {
        if !up || self.source().is_none() {
            self.lose_sight();
        } else if self.judgement.doubts_the_record() {
            self.outcome.board_agrees();
        }
        self.sensors.link_changed(up, code, reason)
    }

    /// Whether the board answers; `None` before it was tried. The error is the reason.
    #[must_use]
    pub const fn link(&self) -> Option<&Result<(), LinkDown>> {
        self.sensors.link.as_ref()
    }

    /// How the board was found to lie.
    #[must_use]
    pub const fn orientation(&self) -> Option<Orientation> {
        self.sensors.orientation
    }

    /// Whether the clock was found to be the other way round from what its board assumes.
    #[must_use]
    pub const fn clock_is_reversed(&self) -> bool {
        self.sensors.clock_reversed
    }

    /// The board or its clock was found to be the other way round.
    pub(super) fn turned(&mut self, orientation: Orientation, clock_reversed: bool) -> Vec<Fact> {
        let known = self.orientation().unwrap_or_default();
        let is_of_clock = clock_reversed != self.clock_is_reversed();
        self.sensors.clock_reversed = clock_reversed;
        let turned = self.sensors.turned(orientation);
        let is_of_board = known != orientation || !is_of_clock;
        is_of_board.then_some(turned).into_iter().collect()
    }

    /// Squares whose sensors are ignored.
    #[must_use]
    pub fn faulty_squares(&self) -> &[Square] {
        &self.sensors.faulty
    }
}
