//! What really happened: the moves with the time of their release, and what became of them.

use crate::Millis;
use shakmaty::{Chess, Move, Position as _};

/// One thing that happened in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A legal move was made: its piece was released.
    Played {
        /// The move.
        m: Move,
        /// Whether any reader of these reports could know it.
        knowable: bool,
    },
    /// The last move was taken back, by consent or by the arbiter.
    TakenBack,
    /// The game is over: what follows on the board is not play.
    Over {
        /// Whether any reader could know it: mate, a sign, a clock that was stopped.
        knowable: bool,
    },
    /// The next game begins.
    NewGame,
}

/// The same with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happened {
    /// When.
    pub at: Millis,
    /// What.
    pub what: What,
}

/// A ply of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub m: Move,
    /// When its piece was released.
    pub released: Millis,
    /// Whether any reader could know it.
    pub knowable: bool,
}

/// What really happened in one stream, which may hold several games.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// In the order of time.
    pub happened: Vec<Happened>,
}

/// The record of all games up to some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The plies of each game.
    pub games: Vec<Vec<Ply>>,
    /// Whether the last game is over.
    pub over: bool,
    /// Whether a reader could know that.
    pub over_knowable: bool,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            games: vec![Vec::new()],
            over: false,
            over_knowable: true,
        }
    }
}

impl Record {
    /// Takes in what happened next.
    ///
    /// # Panics
    ///
    /// Never: there is always a last game.
    pub fn apply(&mut self, happened: &Happened) {
        let game = self.games.last_mut().expect("there is always a game");
        match happened.what {
            What::Played { m, knowable } => game.push(Ply {
                m,
                released: happened.at,
                knowable,
            }),
            What::TakenBack => {
                game.pop();
            }
            What::Over { knowable } => {
                self.over = true;
                self.over_knowable = knowable;
            }
            What::NewGame => {
                self.over = false;
                self.over_knowable = true;
                self.games.push(Vec::new());
            }
        }
    }
}

impl Truth {
    /// Writes down what happened. Times may come in any order; equal ones keep theirs.
    pub fn push(&mut self, at: Millis, what: What) {
        let index = self.happened.partition_point(|other| other.at <= at);
        self.happened.insert(index, Happened { at, what });
    }

    /// The record at `at`.
    #[must_use]
    pub fn at(&self, at: Millis) -> Record {
        let mut record = Record::default();
        for happened in self
            .happened
            .iter()
            .take_while(|happened| happened.at <= at)
        {
            record.apply(happened);
        }
        record
    }

    /// The record in the end.
    #[must_use]
    pub fn last(&self) -> Record {
        self.at(Millis::MAX)
    }

    /// The first move that was not legal when it was made, which a bug alone can bring about.
    #[must_use]
    pub fn illegal(&self) -> Option<Happened> {
        let mut line = vec![Chess::default()];
        for happened in &self.happened {
            match happened.what {
                What::Played { m, .. } => {
                    let mut position = line.last()?.clone();
                    if !position.is_legal(m) {
                        return Some(*happened);
                    }
                    position.play_unchecked(m);
                    line.push(position);
                }
                What::TakenBack => {
                    line.pop();
                }
                What::Over { .. } => {}
                What::NewGame => line = vec![Chess::default()],
            }
        }
        None
    }
}
