//! Boards on a terminal, from what a broker publishes: a log of changes, or a picture in place.

mod account;
mod picture;
mod terminal;
mod words;

pub use self::{
    account::{Account, News},
    picture::{Row, Style, overview, picture},
    terminal::{Terminal, print},
    words::{lines, printable},
};
