//! Assigns games to boards.

use std::collections::{HashMap, HashSet};

use super::{Findings, Pairing, Seat, Trouble, player};

/// Assigns a board to each pairing; if no pairing names one, the order of the boards decides.
pub(super) fn seat(pairings: Vec<Pairing>, boards: &[&str], findings: &mut Findings) -> Vec<Seat> {
    let mut games = pairings.iter().filter(|pairing| !is_bye(pairing));
    let by_order = games.all(|pairing| pairing.board.is_empty());
    let numbers: HashMap<&str, u32> = boards.iter().copied().zip(numbers(boards)).collect();
    let mut in_order = boards.iter();
    let mut taken = HashSet::new();
    let mut players = HashMap::new();
    let mut seats = Vec::new();
    for pairing in pairings {
        if !has_both(&pairing, findings) {
            continue;
        }
        let line = pairing.line;
        for tag in ["White", "Black"] {
            let Some(name) = pairing.headers.get(tag) else {
                continue;
            };
            if players.insert(name.to_lowercase(), line).is_some() {
                findings.warning(line, Trouble::PlayerTwice, name);
            }
        }
        let board = if by_order {
            in_order.next().copied()
        } else {
            called(&pairing.board, boards)
        };
        match board {
            None if pairing.board.is_empty() && !by_order => {
                let [white, black] = names(&pairing).map(Option::unwrap_or_default);
                let detail = format!("{white} - {black}: no number of a board");
                findings.warning(line, Trouble::Unreadable, &detail);
            }
            None if pairing.board.is_empty() => findings.warning(line, Trouble::NoBoard, ""),
            None => findings.warning(line, Trouble::UnknownBoard, &pairing.board),
            Some(board) if !taken.insert(board) => {
                findings.problem(line, Trouble::BoardTwice, board);
            }
            Some(board) => seats.push(seat_at(board, numbers[board], pairing)),
        }
    }
    seats
}

fn seat_at(board: &str, number: u32, pairing: Pairing) -> Seat {
    let mut headers = pairing.headers;
    let written = if pairing.board.is_empty() {
        number.to_string()
    } else {
        pairing.board
    };
    headers.insert("Board".to_owned(), written);
    Seat {
        board: board.to_owned(),
        line: pairing.line,
        headers,
        start_fen: pairing.start_fen,
    }
}

/// The numbers of the boards as people count. They are those at the ends of their names, if each
/// board has one of its own. Else they are their places in the order.
fn numbers(boards: &[&str]) -> Vec<u32> {
    let of_name = |board: &&str| trailing_number(board).filter(|number| *number > 0);
    let named: Vec<u32> = boards.iter().filter_map(of_name).collect();
    let distinct: HashSet<&u32> = named.iter().collect();
    if distinct.len() == boards.len() {
        named
    } else {
        (1..).take(boards.len()).collect()
    }
}

fn names(pairing: &Pairing) -> [Option<&str>; 2] {
    ["White", "Black"].map(|tag| pairing.headers.get(tag).map(String::as_str))
}

/// Whether one of the players has no opponent.
pub(super) fn is_bye(pairing: &Pairing) -> bool {
    names(pairing).into_iter().flatten().any(player::is_bye)
}

/// Whether the game has two players. A bye is reported and gets no seat.
fn has_both(pairing: &Pairing, findings: &mut Findings) -> bool {
    let line = pairing.line;
    let [white, black] = names(pairing);
    match (white, black) {
        (white, black) if is_bye(pairing) => {
            let player = [white, black]
                .into_iter()
                .flatten()
                .find(|name| !player::is_bye(name));
            findings.warning(line, Trouble::Bye, player.unwrap_or_default());
            false
        }
        (None, None) => {
            findings.problem(line, Trouble::NoPlayers, &pairing.board);
            false
        }
        (None, Some(black)) => {
            findings.problem(line, Trouble::NoWhite, black);
            false
        }
        (Some(white), None) => {
            findings.problem(line, Trouble::NoBlack, white);
            false
        }
        (Some(_), Some(_)) => true,
    }
}

/// Finds a board by its name, or by a number at the end of exactly one name.
fn called<'a>(written: &str, boards: &[&'a str]) -> Option<&'a str> {
    let wanted = written.trim().to_lowercase();
    if let Some(board) = boards.iter().find(|board| **board == wanted) {
        return Some(board);
    }
    let number = number_in(&wanted)?;
    let mut numbered = boards
        .iter()
        .filter(|board| trailing_number(board) == Some(number));
    match (numbered.next(), numbered.next()) {
        (Some(board), None) => Some(board),
        _ => None,
    }
}

/// The number in `3`, `03`, `3.`, `Brett 3`, `#3`: a single run of digits, optionally after words.
/// `3.10` is board 10 of round 3, as in a PGN file.
pub(super) fn number_in(written: &str) -> Option<u32> {
    let text = written.trim().trim_end_matches(['.', ')', ' ']);
    if let Some((round, board)) = text.split_once('.')
        && round.parse::<u32>().is_ok()
    {
        return board.parse().ok();
    }
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (words, digits) = text.split_at(start);
    // `-1` is not a board number; `Brett-1` is.
    let minus = words.ends_with('-') && !words.contains(char::is_alphabetic);
    let before = !minus
        && words
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '#' | '-' | ':'));
    let number = digits.parse().ok()?;
    before.then_some(number)
}

fn trailing_number(board: &str) -> Option<u32> {
    let words = board.trim_end_matches(|c: char| c.is_ascii_digit());
    board[words.len()..].parse().ok()
}
