//! What is to happen in one stream: the population, the gestures, the end, the faults.

use crate::Millis;

use crate::person::Manner;

/// Something that happens at one ply instead of, or before, an ordinary move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// An illegal move, taken back.
    Illegal {
        /// It is noticed after the press only.
        pressed: bool,
    },
    /// Another legal move, made and taken back.
    TakenBack {
        /// The arbiter stops the clock; otherwise the players agree.
        arbiter: bool,
    },
    /// Pieces fall and are set up again.
    KnockedOver {
        /// The clock is stopped during it.
        stop: bool,
    },
    /// A dispute about a touched piece; the clock is stopped and the game continues.
    Dispute {
        /// Another move was made already, and is put back.
        moved: bool,
    },
    /// A finger rests on the piece on its way, and moves on.
    LongRest,
    /// The clock is stopped for a while, and nothing is moved.
    Pause,
    /// The clock's cable is out for a while.
    Unplug,
    /// The press is forgotten until the opponent reminds the player.
    Reminded,
}

/// How a pawn is promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Promoting {
    /// A spare piece is at hand.
    #[default]
    Ordinary,
    /// A rook is put down upside down, and played as a queen.
    Inverted,
    /// The same, but the clock is stopped and it is exchanged for a queen.
    InvertedExchanged,
    /// The pawn stands on the last rank, the clock is stopped, a queen is fetched.
    Fetched,
    /// The wrong piece is put down first, and exchanged before the release.
    WrongFirst,
}

/// What follows the last move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// The pieces stay.
    #[default]
    Stays,
    /// The clock is stopped, the pieces stay.
    Stopped,
    /// The players look at other moves.
    Analysis,
    /// The kings are put in the centre, with the result.
    Kings,
    /// The kings' sign, and then the players look at other moves.
    KingsThenAnalysis,
    /// The loser tips the king over.
    Tipped,
    /// The pieces are pushed together.
    Pushed,
    /// The board is cleared.
    Cleared,
    /// The array is set up again.
    NextArray,
    /// The array is set up again and a second game is played.
    SecondGame,
}

/// Something wrong with the board for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The board is out of sight.
    Outage,
    /// One square feels nothing.
    Dead,
    /// Looks at one square give another piece.
    Misread,
}

/// The sensors and the line.
#[derive(Debug, Clone, Default)]
pub struct Wire {
    /// Updates lost on the line, as a probability.
    pub lost: f64,
    /// Faults: the ply about which they begin, and how long they last.
    pub faults: Vec<(usize, Fault, Millis)>,
    /// A board that looks at its squares half as often.
    pub slow: bool,
}

/// What is to happen in one stream.
#[derive(Debug, Clone)]
pub struct Plan {
    /// White's and Black's population.
    pub manners: [Manner; 2],
    /// Gestures at plies, in their order.
    pub gestures: Vec<(usize, Gesture)>,
    /// How pawns are promoted.
    pub promoting: Promoting,
    /// What follows the last move.
    pub ending: Ending,
    /// The sensors and the line.
    pub wire: Wire,
    /// The clock is the wrong way round.
    pub clock_reversed: bool,
    /// From this ply on the players are in a scramble.
    pub scramble_from: Option<usize>,
}

impl Plan {
    /// Two players of the same population, and nothing that is out of the ordinary.
    #[must_use]
    pub fn of(manner: Manner) -> Self {
        Self {
            manners: [manner, manner],
            gestures: Vec::new(),
            promoting: Promoting::Ordinary,
            ending: Ending::Stays,
            wire: Wire::default(),
            clock_reversed: false,
            scramble_from: None,
        }
    }

    /// The gesture of a ply.
    #[must_use]
    pub fn gesture(&self, ply: usize) -> Option<Gesture> {
        self.gestures
            .iter()
            .find(|(at, _)| *at == ply)
            .map(|(_, gesture)| *gesture)
    }
}
