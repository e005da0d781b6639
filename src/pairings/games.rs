//! Pairings in PGN: each game with its tags, with or without moves.

use std::collections::HashSet;

use shakmaty::Chess;

use super::{Findings, Pairing, Trouble, player::keep, seating::is_bye};
use crate::pgn::{GAME_TAGS, Game, Games, is_tag_line};
use remisd_vocabulary::notation;

/// Whether a text contains PGN tags.
pub(super) fn is_pgn(text: &str) -> bool {
    text.lines().any(|line| is_tag_line(line.trim_start()))
}

/// Reads every game.
pub(super) fn read(text: &str, findings: &mut Findings) -> Vec<Pairing> {
    let games = Games::new(text.as_bytes()).flatten();
    let mut pairings: Vec<Pairing> = games.filter_map(|game| pairing(&game, findings)).collect();
    take_boards_of_rounds(&mut pairings, findings);
    pairings
}

fn pairing(game: &Game, findings: &mut Findings) -> Option<Pairing> {
    let line = game.line.max(1);
    if let Some(unreadable) = &game.unreadable {
        // Moves are not needed here, but an unreadable tag may have named a player.
        if unreadable.text.starts_with('[') {
            findings.problem(unreadable.line, Trouble::Unreadable, &unreadable.text);
        } else {
            findings.warning(unreadable.line, Trouble::Unreadable, &unreadable.text);
        }
    }
    if game.tag("White").is_none() && game.tag("Black").is_none() {
        findings.warning(line, Trouble::NoPlayers, "");
        return None;
    }
    let mut pairing = Pairing {
        line,
        ..Pairing::default()
    };
    for tag in GAME_TAGS {
        if let Some(value) = game.tag(tag) {
            keep(&mut pairing.headers, tag, value, line, findings);
        }
    }
    let board = game.tag("Board").or_else(|| game.tag("Table"));
    board
        .unwrap_or_default()
        .trim()
        .clone_into(&mut pairing.board);
    match game.start() {
        Ok(start) if start != Chess::default() => pairing.start_fen = Some(notation::fen(&start)),
        Ok(_) => {}
        Err(error) => findings.problem(line, Trouble::Start, &error.to_string()),
    }
    Some(pairing)
}

/// Takes the boards from the tag `Round` if no game names its board: `Round "3.10"` is board 10.
/// Byes need no board. If a number is repeated, it is not the board, and the order of the games
/// decides.
fn take_boards_of_rounds(pairings: &mut [Pairing], findings: &mut Findings) {
    let mut games: Vec<&mut Pairing> = (pairings.iter_mut())
        .filter(|pairing| !is_bye(pairing))
        .collect();
    if games.iter().any(|pairing| !pairing.board.is_empty()) {
        return;
    }
    let mut boards = Vec::with_capacity(games.len());
    let mut seen = HashSet::new();
    for game in &games {
        let board = board_of_round(game);
        if let Some(board) = &board
            && !seen.insert(board.trim_start_matches('0').to_owned())
        {
            findings.warning(game.line, Trouble::BoardTwice, board);
            return;
        }
        boards.push(board);
    }
    for (game, board) in games.iter_mut().zip(boards) {
        game.board = board.unwrap_or_default();
    }
}

fn board_of_round(pairing: &Pairing) -> Option<String> {
    let (_, board) = pairing.headers.get("Round")?.rsplit_once('.')?;
    let is_number = !board.is_empty() && board.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| board.to_owned())
}
