//! Finds positions that look the same but differ (9.2.3 of 2023).

use shakmaty::{Color, Position as _, Square};

use super::{Occurrence, PositionAtPly, castling_rooks};

/// A position with all pieces on the same squares as in the claimed position that nevertheless
/// differs from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlike {
    /// The place in the game.
    pub place: PositionAtPly,
    /// The differences; never empty.
    pub differences: Vec<Difference>,
}

/// A difference between two positions that look the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The other player had the move.
    Turn(Color),
    /// This player could castle with these rooks then but cannot in the claimed position.
    CastlingThen(Color, Vec<Square>),
    /// This player can castle with these rooks in the claimed position but could not then.
    CastlingNow(Color, Vec<Square>),
    /// A pawn could be captured en passant on this square then.
    EnPassantThen(Square),
    /// A pawn can be captured en passant on this square in the claimed position.
    EnPassantNow(Square),
}

impl Difference {
    /// The squares involved.
    #[must_use]
    pub fn squares(&self) -> Vec<Square> {
        match self {
            Self::Turn(_) => Vec::new(),
            Self::CastlingThen(_, rooks) | Self::CastlingNow(_, rooks) => rooks.clone(),
            Self::EnPassantThen(square) | Self::EnPassantNow(square) => vec![*square],
        }
    }
}

/// Finds the positions in `all` that look like the claimed one but do not count as `occurrences`.
/// Disputed occurrences are included.
pub fn find(
    all: &[PositionAtPly],
    claimed: &PositionAtPly,
    occurrences: &[Occurrence],
) -> Vec<Unlike> {
    let counts = |place: &PositionAtPly| {
        let same = |o: &&Occurrence| o.place.ply == place.ply;
        occurrences.iter().find(same).is_some_and(|o| !o.disputed)
    };
    let board = claimed.position.board();
    all.iter()
        .filter(|place| place.position.board() == board && place.ply != claimed.ply)
        .filter(|place| !counts(place))
        .map(|place| Unlike {
            differences: differences(place, claimed),
            place: place.clone(),
        })
        .filter(|unlike| !unlike.differences.is_empty())
        .collect()
}

fn differences(then: &PositionAtPly, now: &PositionAtPly) -> Vec<Difference> {
    let (then, now) = (&then.position, &now.position);
    let mut found = Vec::new();
    if then.turn() != now.turn() {
        found.push(Difference::Turn(then.turn()));
    }
    for color in Color::ALL {
        let (had, has) = (castling_rooks(then, color), castling_rooks(now, color));
        let without = |these: &[Square], those: &[Square]| -> Vec<Square> {
            let only = these.iter().filter(|rook| !those.contains(rook));
            only.copied().collect()
        };
        let (lost, gained) = (without(&had, &has), without(&has, &had));
        if !lost.is_empty() {
            found.push(Difference::CastlingThen(color, lost));
        }
        if !gained.is_empty() {
            found.push(Difference::CastlingNow(color, gained));
        }
    }
    let (could, can) = (then.legal_ep_square(), now.legal_ep_square());
    if could != can {
        found.extend(could.map(Difference::EnPassantThen));
        found.extend(can.map(Difference::EnPassantNow));
    }
    found
}
