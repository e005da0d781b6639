//! The games of a round, and how certain each result is.

use std::collections::BTreeMap;

use remisd_game::{GameResult, ResultReason, Version};
use remisd_laws::Score;
use remisd_vocabulary::text::OneLine;

use crate::cli::journal::Recorded;

/// A round: its number and its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) event: String,
}

impl Round {
    /// The round in the tags of a game; `None` if they have none.
    pub(super) fn of(tags: &BTreeMap<String, String>) -> Option<Self> {
        let round = tags.get("Round")?.trim();
        let end = round.find(|c: char| !c.is_ascii_digit());
        let number = round[..end.unwrap_or(round.len())].parse().ok()?;
        let event = tags.get("Event").map(|event| event.trim().to_owned());
        Some(Self {
            number,
            event: event.unwrap_or_default(),
        })
    }
}

/// What the record says about the result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// There is no result.
    Open,
    /// It still has to be confirmed.
    Unconfirmed(Score),
    /// It follows from moves that are not certain, or the record is damaged.
    Uncertain(Score),
    /// It is certain.
    Confirmed(Score),
}

impl Standing {
    pub(super) fn of(recorded: &Recorded) -> Self {
        let result = recorded.game.result();
        let Some(result) = result.filter(|result| result.score != Score::None) else {
            return Self::Open;
        };
        let game = &recorded.game;
        let mut open = game.open_differences();
        // Where only one game is over, the other one may have another result.
        let other_result = open.any(|(_, difference)| {
            difference.result.is_some()
                || difference.from > game.ply()
                || difference.version() == Some(Version::Over)
        });
        let doubted = game.doubted_since().is_some() && follows_from_moves(result);
        let doubted = doubted || other_result;
        if !result.confirmed {
            Self::Unconfirmed(result.score)
        } else if recorded.is_doubted || doubted {
            Self::Uncertain(result.score)
        } else {
            Self::Confirmed(result.score)
        }
    }

    /// The result, if it is certain.
    pub(super) const fn certain(self) -> Score {
        match self {
            Self::Confirmed(score) => score,
            _ => Score::None,
        }
    }

    /// The result that is not certain.
    pub(super) const fn provisional(self) -> Option<Score> {
        match self {
            Self::Unconfirmed(score) | Self::Uncertain(score) => Some(score),
            Self::Open | Self::Confirmed(_) => None,
        }
    }

    /// The word for it in tables and messages.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unconfirmed(_) => "unconfirmed",
            Self::Uncertain(_) => "uncertain",
            Self::Confirmed(_) => "confirmed",
        }
    }
}

/// Whether another move would make another result. What players and arbiter decide stays.
const fn follows_from_moves(result: &GameResult) -> bool {
    use ResultReason as R;
    match result.reason {
        R::Checkmate
        | R::Stalemate
        | R::DeadPosition
        | R::Fivefold
        | R::SeventyFiveMove
        | R::ThreefoldClaim
        | R::FiftyMoveClaim
        | R::FlagFall => true,
        R::Agreement
        | R::Resignation
        | R::IllegalMove
        | R::IllegalPosition
        | R::Quickplay
        | R::Arbiter => false,
    }
}

/// The score as in PGN.
pub(super) const fn score_text(score: Score) -> &'static str {
    match score {
        Score::WhiteWins => "1-0",
        Score::BlackWins => "0-1",
        Score::Draw => "1/2-1/2",
        Score::BothLose => "0-0",
        Score::None => "*",
    }
}

/// A tag of a game, or nothing.
pub(super) fn tag<'a>(recorded: &'a Recorded, name: &str) -> &'a str {
    let value = recorded.game.headers().get(name);
    value.map_or("", String::as_str)
}

/// A game in a message: board and players.
pub(super) fn title(recorded: &Recorded) -> String {
    let player = |name| match tag(recorded, name) {
        "" => "?",
        name => name,
    };
    let title = format!(
        "{}: {} - {}",
        recorded.board,
        player("White"),
        player("Black")
    );
    OneLine::new(&title).into()
}

/// The games of the wanted round, in the order of the boards' numbers.
///
/// A game without moves and without a result is left out if its board has another one.
pub(super) fn games_of(round: &Round, recorded: Vec<Recorded>) -> Vec<Recorded> {
    let is_of_round = |game: &Recorded| Round::of(game.game.headers()).as_ref() == Some(round);
    let mut games: Vec<Recorded> = recorded.into_iter().filter(is_of_round).collect();
    let is_begun = |game: &Recorded| game.game.ply() > 0 || game.game.result().is_some();
    let mut boards: BTreeMap<_, usize> = BTreeMap::new();
    for game in games.iter().filter(|game| is_begun(game)) {
        *boards.entry(game.board.clone()).or_default() += 1;
    }
    let mut kept: Vec<Recorded> = Vec::with_capacity(games.len());
    for game in games.drain(..) {
        let others = kept
            .iter()
            .any(|kept| kept.board == game.board && !is_begun(kept));
        if !is_begun(&game) && (boards.contains_key(&game.board) || others) {
            continue;
        }
        kept.push(game);
    }
    kept.sort_by_cached_key(|game| (number(game), game.board.clone(), game.game.number()));
    kept
}

/// The number of a game's board: its tag, or the number in the name of the board.
fn number(recorded: &Recorded) -> u32 {
    let digits = |text: &str| {
        let digits = text
            .trim()
            .trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.parse().ok()
    };
    let number = digits(tag(recorded, "Board"));
    number
        .or_else(|| digits(recorded.board.as_str()))
        .unwrap_or(u32::MAX)
}
