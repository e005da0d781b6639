//! Draws a position as a diagram: inline SVG without chess fonts, colours or external resources.

use maud::{Markup, html};
use shakmaty::{Chess, File, Position as _, Rank, Square};

use super::pieces;
use remisd_vocabulary::notation;

/// The side of a square, in drawing units.
const SIDE: u32 = 45;

/// The marks on a diagram.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The origin and destination squares of the last move.
    pub moved: Option<(Square, Square)>,
    /// The squares that make the difference.
    pub ringed: Vec<Square>,
}

/// Draws a position from White's side.
///
/// A disc beside the board shows the side to move: white at the bottom, black at the top. `label`
/// is the text alternative; the FEN is appended to it.
pub fn diagram(position: &Chess, marks: &Marks, label: &str) -> Markup {
    let board = position.board();
    let label = format!("{label} FEN: {}", notation::fen(position));
    let (disc_y, disc) = position.turn().fold_wb((338, "#fff"), (22, "#000"));
    html! {
        svg class="board" viewBox="-22 -3 412 388" role="img" aria-label=(label) {
            rect x="0" y="0" width="360" height="360" fill="#fff" {}
            @for square in Square::ALL {
                @if square.is_dark() {
                    rect x=(left(square)) y=(top(square)) width=(SIDE) height=(SIDE) fill="#d0d0d0" {}
                }
            }
            @if let Some((from, to)) = marks.moved {
                (frame(from, true))
                (frame(to, false))
            }
            @for (square, piece) in board {
                use href={ "#" (pieces::id(piece)) } x=(left(square)) y=(top(square)) width=(SIDE) height=(SIDE) {}
            }
            @for square in &marks.ringed {
                circle cx=(left(*square) + 22) cy=(top(*square) + 22) r="20" fill="none" stroke="#000" stroke-width="3" stroke-dasharray="5 4" {}
            }
            rect x="0" y="0" width="360" height="360" fill="none" stroke="#000" stroke-width="3" {}
            g font-family="sans-serif" font-size="19" text-anchor="middle" {
                @for rank in Rank::ALL {
                    text x="-12" y=(top(Square::from_coords(File::A, rank)) + 30) { (rank.char()) }
                }
                @for file in File::ALL {
                    text x=(left(Square::from_coords(file, Rank::First)) + 22) y="380" { (file.char()) }
                }
            }
            circle cx="376" cy=(disc_y) r="10" fill=(disc) stroke="#000" stroke-width="3" {}
        }
    }
}

/// A frame inside a square: dashed for the origin of the move, solid for its destination.
fn frame(square: Square, broken: bool) -> Markup {
    let dashes = broken.then_some("7 5");
    html! {
        rect x=(left(square) + 2) y=(top(square) + 2) width="41" height="41" fill="none" stroke="#000" stroke-width="2.5" stroke-dasharray=[dashes] {}
    }
}

fn left(square: Square) -> u32 {
    SIDE * u32::from(square.file())
}

fn top(square: Square) -> u32 {
    SIDE * (7 - u32::from(square.rank()))
}
