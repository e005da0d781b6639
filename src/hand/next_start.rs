//! Notices that the starting position for the next game is set up wrongly. Games begin only from
//! the right one, so all moves of the next game would be missing.
//!
//! A wrong one has nearly all men on their home ranks. For example, two are exchanged, one stands
//! beside its square or is not seen, or the pieces stand as in Chess960. It is announced when it
//! has stood for long, or when play has continued from it for as long.
//!
//! A board that one legal first move makes is not a wrong one while the board stays in sight: after a
//! game, players also look at openings. So a pawn or knight of White that stands where it may go
//! first is not noticed. If the board was out of sight, the next game may have begun meanwhile.

use shakmaty::{Chess, Color};

use remisd_vocabulary::{
    reading::{DifferingSquare, Mismatch, MismatchReason, Reading, Settings},
    time::{Moment, Span},
};

use super::{
    content::{EMPTY, OCCUPIED, Squares, agrees, color},
    decoder::Decoder,
    mismatch::differences,
    regime,
    tree::Node,
};

/// The men of a starting position on their home ranks, at least, and those on other ranks, at most.
/// Kings in the centre are two on other ranks.
const MIN_HOME: usize = 30;
const MAX_STRAYS: usize = 1;
/// With no more men than this on their home ranks, the players have begun from a wrong starting
/// position.
const MAX_HOME_PLAYED: usize = 28;
/// With fewer men than this, the board is being cleared.
const MIN_MEN: usize = 16;

/// Watches the board of a game that is over.
#[derive(Debug, Default)]
pub(crate) struct StartMonitor {
    /// Since when a wrong starting position has been set up, and how it differed.
    wrong: Option<(Moment, Vec<DifferingSquare>)>,
    /// How the wrong one differs that is announced.
    announced: Option<Vec<DifferingSquare>>,
    /// When time alone may change something.
    due: Option<Moment>,
    /// Whether the board was in sight since the game was closed.
    in_sight: bool,
}

/// How the men of a board stand.
struct Men {
    home: usize,
    strays: usize,
}

impl Men {
    /// Counts the men, seen from one side of the board.
    fn count(shown: &Squares, is_turned: bool) -> Self {
        let mut men = Self { home: 0, strays: 0 };
        for (at, &content) in shown.iter().enumerate() {
            let rank = if is_turned { 7 - at / 8 } else { at / 8 };
            let is_home = match (content, color(content)) {
                (EMPTY, _) => continue,
                (_, Some(Color::White)) => rank < 2,
                (_, Some(Color::Black)) => rank > 5,
                (_, None) => content == OCCUPIED && !(2..6).contains(&rank),
            };
            if is_home {
                men.home += 1;
            } else {
                men.strays += 1;
            }
        }
        men
    }
}

impl StartMonitor {
    /// Whether a wrong starting position is announced.
    pub(crate) const fn is_announced(&self) -> bool {
        self.announced.is_some()
    }

    /// When [`StartMonitor::update`] must be called, if no event comes before.
    pub(crate) const fn due(&self) -> Option<Moment> {
        self.due
    }

    /// Another game begins, or the game is continued. Returns whether a wrong starting position was
    /// announced.
    pub(crate) fn forget(&mut self) -> bool {
        std::mem::take(self).is_announced()
    }

    /// The game is closed, and the board is in sight or not.
    pub(crate) const fn watch(&mut self, in_sight: bool) {
        self.in_sight = in_sight;
    }

    /// The board is out of sight.
    pub(crate) const fn lose_sight(&mut self) {
        self.in_sight = false;
    }

    /// Announces a wrong starting position, and its end when the board is empty. `last` is the last
    /// position of the game.
    pub(crate) fn update(
        &mut self,
        (decoder, last, settings): (&Decoder, &Node, &Settings),
        now: Moment,
        readings: &mut Vec<Reading>,
    ) {
        self.due = None;
        let Some(shown) = decoder.shown() else { return };
        let [men, turned] = [false, true].map(|is_turned| Men::count(shown, is_turned));
        let men = if men.home >= turned.home { men } else { turned };
        if men.home + men.strays < MIN_MEN || decoder.result_sign().is_some() {
            self.wrong = None;
            if men.home + men.strays == 0 && self.announced.take().is_some() {
                readings.push(Reading::Agreed);
            }
            return;
        }
        let is_set_up = men.home >= MIN_HOME
            && men.strays <= MAX_STRAYS
            && !(self.in_sight && is_first_move(shown));
        if is_set_up && !was_only_lifted(shown, &last.board) {
            let stood = decoder.last_change() + settings.new_game_after;
            if now < stood {
                self.due = Some(stood);
            } else {
                let start = Node::root(Chess::default());
                self.differs(differences(decoder, &start), decoder.last_change());
            }
        }
        let Some((since, squares)) = &self.wrong else {
            return;
        };
        let long = *since + patience(settings);
        if now < long {
            self.due = Some(self.due.map_or(long, |due| due.min(long)));
            return;
        }
        let is_played = men.home <= MAX_HOME_PLAYED;
        let is_known = self.announced.as_ref() == Some(squares);
        if (is_set_up || is_played) && !is_known {
            readings.push(Reading::Mismatch(Mismatch {
                reason: MismatchReason::StartArray,
                squares: squares.clone(),
                candidates: Vec::new(),
                doubted: 0,
            }));
            self.announced = Some(squares.clone());
        }
    }

    /// A wrong starting position has stood. Moves from it do not change which squares are wrong.
    fn differs(&mut self, squares: Vec<DifferingSquare>, since: Moment) {
        match &mut self.wrong {
            Some((_, known)) if squares.len() > known.len() => {}
            Some((_, known)) => *known = squares,
            None => self.wrong = Some((since, squares)),
        }
    }
}

/// How long a wrong starting position may stand: players also pause while they set up the pieces.
fn patience(settings: &Settings) -> Span {
    settings.in_hand_after * 2
}

/// Whether one legal first move from the right starting position makes this board.
fn is_first_move(shown: &Squares) -> bool {
    let start = Node::root(Chess::default());
    (0..start.effects().len()).any(|index| regime::matches(shown, &start.child(index).board))
}

/// Whether every man stands where it stood at the end of the game: some may have been taken away.
fn was_only_lifted(shown: &Squares, last: &Squares) -> bool {
    let mut both = shown.iter().zip(last);
    both.all(|(&seen, &content)| seen == EMPTY || agrees(seen, content))
}
