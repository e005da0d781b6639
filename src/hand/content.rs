//! The content of squares, as sensors report it and as hypotheses hold it.

use shakmaty::{Color, Piece, Role};

use remisd_vocabulary::sensor::Seen;

/// The content of a square: empty, one of twelve pieces, an unknown piece, or a special piece.
pub(crate) type Content = u8;
pub(crate) const EMPTY: Content = 0;
pub(crate) const OCCUPIED: Content = 13;
/// Result pieces: a draw, White's win, Black's win.
pub(crate) const RESULTS: [Content; 3] = [14, 17, 18];
/// Inverted rooks that stand for a queen of White, of Black. The board reports a rook.
pub(crate) const INVERTED: [Content; 2] = [15, 16];

const ROOK: Content = Role::Rook as u8;

/// The content for a piece.
pub(crate) const fn content(piece: Piece) -> Content {
    let color = if piece.color.is_white() { 0 } else { 6 };
    piece.role as u8 + color
}

/// The piece of a content, if it is one.
pub(crate) fn piece(content: Content) -> Option<Piece> {
    if let Some(black) = INVERTED.iter().position(|&queen| queen == content) {
        return Some(Role::Queen.of(Color::from_white(black == 0)));
    }
    let role = Role::ALL
        .get(usize::from(content.checked_sub(1)? % 6))
        .copied()?;
    (content <= 12).then(|| role.of(Color::from_white(content <= 6)))
}

/// The colour of the piece.
pub(crate) const fn color(content: Content) -> Option<Color> {
    match content {
        1..=6 | 15 => Some(Color::White),
        7..=12 | 16 => Some(Color::Black),
        _ => None,
    }
}

/// The content that a sensor reports.
pub(crate) fn sensed(seen: Seen) -> Content {
    match seen {
        Seen::Empty => EMPTY,
        Seen::Piece(piece) => content(piece),
        Seen::Occupied => OCCUPIED,
        Seen::ResultPiece(piece) => RESULTS[piece as usize],
    }
}

/// Whether a square that shows `seen` may hold `content`.
pub(crate) const fn agrees(seen: Content, content: Content) -> bool {
    seen == content
        || (seen == OCCUPIED && content != EMPTY)
        || (seen == ROOK && content == INVERTED[0])
        || (seen == ROOK + 6 && content == INVERTED[1])
}

pub(crate) const fn bit(square: u8) -> u64 {
    1 << square
}

/// The squares of a set, from a1 to h8.
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = u8::try_from(set.trailing_zeros())
            .ok()
            .filter(|&s| s < 64)?;
        set &= set - 1;
        Some(square)
    })
}

/// The contents of all squares.
pub(crate) type Squares = [Content; 64];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_piece_agrees_with_every_piece_and_not_with_an_empty_square() {
        assert!((1..=12).all(|content| agrees(OCCUPIED, content)));
        assert!(!agrees(OCCUPIED, EMPTY));
    }
}
