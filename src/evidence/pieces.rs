//! The six pieces as simple outlines, for printing in black and white.
//!
//! Each fits a box of 45 by 45 units. A white piece is an outline with black lines inside; a black
//! piece is filled, with white lines inside.

use maud::{Markup, html};
use shakmaty::{Color, Piece, Role};

/// The base shared by all pieces except the pawn.
const FOOT: &str = "M9.5 34h26v4.5h-26z";

/// A filled outline, and the lines on it.
struct Shape {
    outline: &'static [&'static str],
    lines: &'static str,
}

const fn shape(role: Role) -> Shape {
    match role {
        Role::Pawn => Shape {
            outline: &[
                "M22.5 9a5.5 5.5 0 0 1 3.4 9.8c5 3 7 8 7.6 14.7h-22c.6-6.7 2.6-11.7 7.6-14.7a5.5 5.5 0 0 1 3.4-9.8z",
                "M10.5 33.5h24v5h-24z",
            ],
            lines: "",
        },
        Role::Rook => Shape {
            outline: &[
                "M11 8.5h5.5v4h3.5v-4h5v4h3.5v-4h5.5v9.5l-3.5 3.5v9.5l2 3h-20l2-3v-9.5l-3.5-3.5z",
                FOOT,
            ],
            lines: "M14.5 21.5h16M14.5 30.5h16",
        },
        Role::Knight => Shape {
            outline: &[
                "M13 34c0-6.5 6-8 7.5-13c-3 2-4.5 2.5-6 5l-3 .5c-2-1-2.5-3-2-4.5c2-4 3.5-7 6-9.5l-.5-6l4.5 3c9 .5 15.5 9 15 24.5z",
                FOOT,
            ],
            lines: "M15.8 16.6h1.8M11.6 23.2h1.3M23 13.5c6.5 3.5 8.5 10 8 18",
        },
        Role::Bishop => Shape {
            outline: &[
                "M22.5 5.6a2.7 2.7 0 1 1-.01 0z",
                "M22.5 11c6 4 9.5 8 9.5 12.5c0 3-1.5 5-3.5 6.5h-12c-2-1.5-3.5-3.5-3.5-6.5c0-4.5 3.5-8.5 9.5-12.5z",
                "M16 30h13l2 4h-17z",
                FOOT,
            ],
            lines: "M22.5 16.5v8M18.5 20.5h8",
        },
        Role::Queen => Shape {
            outline: &[
                "M8.5 14.5l6 15.5h16l6-15.5l-7 8l-1-11.5l-3.5 10.5l-2.5-12l-2.5 12l-3.5-10.5l-1 11.5z",
                "M8.5 10.3a2.2 2.2 0 1 1-.01 0zM16 6.8a2.2 2.2 0 1 1-.01 0zM22.5 5.3a2.2 2.2 0 1 1-.01 0zM29 6.8a2.2 2.2 0 1 1-.01 0zM36.5 10.3a2.2 2.2 0 1 1-.01 0z",
                "M14.5 30h16l1 4h-18z",
                FOOT,
            ],
            lines: "M14.5 30h16",
        },
        Role::King => Shape {
            outline: &[
                "M21.3 3.5h2.4v2.8h3v2.4h-3v4.5h-2.4v-4.5h-3v-2.4h3z",
                "M14 30c-8-6-7-14.5.5-14.5c4.5 0 8 3.5 8 7.5c0-4 3.5-7.5 8-7.5c7.5 0 8.5 8.5.5 14.5z",
                "M22.5 12.5c3 3 3 6.5 0 10.5c-3-4-3-7.5 0-10.5z",
                "M14 30h17l1 4h-19z",
                FOOT,
            ],
            lines: "M14 30h17M22.5 23v7",
        },
    }
}

/// The id of a piece's shared drawing: `wN`.
pub fn id(piece: Piece) -> String {
    let color = piece.color.fold_wb('w', 'b');
    format!("{color}{}", piece.role.upper_char())
}

/// The drawings of the twelve pieces, to be placed once in a page before its diagrams.
pub fn definitions() -> Markup {
    html! {
        svg width="0" height="0" class="defs" aria-hidden="true" {
            defs {
                @for color in Color::ALL {
                    @for role in Role::ALL {
                        (symbol(Piece { color, role }))
                    }
                }
            }
        }
    }
}

fn symbol(piece: Piece) -> Markup {
    let shape = shape(piece.role);
    let (fill, line) = piece.color.fold_wb(("#fff", "#000"), ("#000", "#fff"));
    html! {
        symbol id=(id(piece)) viewBox="0 0 45 45" {
            g fill=(fill) stroke="#000" stroke-width="1.7" stroke-linejoin="round" {
                @for path in shape.outline {
                    path d=(path) {}
                }
            }
            path d=(shape.lines) fill="none" stroke=(line) stroke-width="1.6" stroke-linecap="round" {}
        }
    }
}
