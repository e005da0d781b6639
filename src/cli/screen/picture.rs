//! The picture of one board or several: board, moves, draw state and alerts.

use std::{fmt::Write as _, iter::repeat_n};

use shakmaty::{Board, Color, File, Rank, Role, Square};

use super::{
    account::{Account, claims_of},
    words::{self, half_moves, number, printable},
};
use crate::publish::payload::Draw;
use remisd_game::Level;

/// Width of a line that never wraps: the narrowest usual terminal.
const WIDTH: usize = 80;
/// Width of the label column.
const LABEL: usize = 13;
/// Maximum number of lines for claims, and for alerts.
const LIST: usize = 3;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const LIGHT: &str = "\x1b[38;5;16;48;5;223m";
const DARK: &str = "\x1b[38;5;16;48;5;180m";
const LAST: &str = "\x1b[38;5;16;48;5;149m";

/// How the display is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Whether colours are allowed.
    pub colour: bool,
    /// Width of the terminal, in columns.
    pub columns: usize,
}

/// A line that tracks its own width.
struct Line {
    style: Style,
    text: String,
    room: usize,
}

impl Line {
    fn new(style: Style) -> Self {
        Self {
            style,
            text: String::new(),
            room: style.columns.min(WIDTH),
        }
    }

    /// Adds as much of the text as fits.
    fn add(&mut self, paint: &str, words: &str) {
        let words = printable(words);
        let length = words.chars().count();
        let cut = length > self.room;
        let shown: String = if cut {
            let kept = words.chars().take(self.room.saturating_sub(1));
            kept.chain(repeat_n('…', usize::from(self.room > 0)))
                .collect()
        } else {
            words.into_owned()
        };
        self.room -= length.min(self.room);
        if self.style.colour && !paint.is_empty() {
            self.text.extend([paint, &shown, RESET]);
        } else {
            self.text.push_str(&shown);
        }
    }

    fn of(style: Style, label: &str, paint: &str, words: &str) -> String {
        let mut line = Self::new(style);
        line.add(DIM, &format!(" {label:<12}"));
        line.add(paint, words);
        line.text
    }
}

/// The lines of the display. `title` names the players, `warning` says why the picture may be out of
/// date, and `hint` what the user can do.
pub fn picture(
    account: &Account,
    title: &str,
    warning: &str,
    hint: &str,
    style: Style,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = Line::new(style);
    line.add(BOLD, &format!(" {title}"));
    lines.push(line.text);
    let mut line = Line::new(style);
    if !warning.is_empty() {
        line.add(RED, &format!(" {warning}"));
    }
    lines.push(line.text);
    lines.extend(board_and_moves(account, style));
    lines.push(String::new());
    lines.extend(state(account, style));
    lines.extend(claims(account, style));
    lines.extend(alerts(account, style));
    let result = match &account.result {
        Some(result) => words::result(result),
        None => "none yet".to_owned(),
    };
    let paint = if account.result.is_some() { BOLD } else { "" };
    lines.push(Line::of(style, "Result", paint, &result));
    let mut line = Line::new(style);
    line.add(DIM, &format!(" {hint}"));
    lines.push(line.text);
    lines
}

/// A board in the overview.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The board's name.
    pub id: &'a str,
    /// The players.
    pub title: &'a str,
    /// Why the row may be out of date; empty if it is not.
    pub warning: &'a str,
    /// The known state of the board.
    pub account: &'a Account,
}

/// The lines of an overview of several boards, two per board.
pub fn overview(rows: &[Row<'_>], hint: &str, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = rows.iter().flat_map(|row| board_rows(row, style)).collect();
    lines.push(String::new());
    let mut line = Line::new(style);
    line.add(DIM, &format!(" {hint}"));
    lines.push(line.text);
    lines
}

/// The players and the last move; below, a warning, the result, or the newest claim or repetition.
fn board_rows(row: &Row<'_>, style: Style) -> [String; 2] {
    let draw = row.account.draw.as_ref().map(|now| &now.draw);
    let played = row.account.game.as_ref().and_then(words::last_move);
    let played = draw.and_then(words::numbered_move).or(played);
    let played = played.unwrap_or_default();
    let mut first = Line::new(style);
    first.add(BOLD, &format!(" {:<4}", row.id));
    first.add("", &format!("{:<52}", row.title));
    first.add("", &played);
    let claim = draw.and_then(|draw| claims_of(draw).first());
    let mut second = Line::new(style);
    second.add("", "     ");
    if !row.warning.is_empty() {
        second.add(RED, row.warning);
        return [first.text, second.text];
    }
    match (&row.account.result, claim, draw) {
        (Some(result), _, _) => second.add(BOLD, &words::result(result)),
        (None, Some(claim), _) => second.add(BOLD, &words::claim(claim)),
        (None, None, Some(draw)) => second.add(DIM, &repetition(draw)),
        (None, None, None) => {}
    }
    [first.text, second.text]
}

fn board_and_moves(account: &Account, style: Style) -> Vec<String> {
    let fen = account.game.as_ref().map_or("", |game| &game.fen);
    let board: Board = fen
        .split(' ')
        .next()
        .and_then(|placement| placement.parse().ok())
        .unwrap_or_else(Board::empty);
    let last = account.game.as_ref().and_then(|game| game.moves.last());
    let last = last.map_or([None; 2], |last| squares(&last.uci));
    let moves = moves(account);
    let ranks = Rank::ALL.into_iter().rev().zip(moves);
    let mut lines: Vec<String> = ranks
        .map(|(rank, [first, second])| {
            let mut line = Line::new(style);
            line.add(DIM, &format!(" {rank} "));
            for file in File::ALL {
                square(&mut line, &board, Square::from_coords(file, rank), last);
            }
            line.add("", &format!("   {first:<25}{second}"));
            line.text
        })
        .collect();
    let mut line = Line::new(style);
    line.add(DIM, "    a  b  c  d  e  f  g  h");
    lines.push(line.text);
    lines
}

fn square(line: &mut Line, board: &Board, square: Square, last: [Option<Square>; 2]) {
    let moved = last.contains(&Some(square));
    let paint = match (moved, square.is_light()) {
        (true, _) => LAST,
        (false, true) => LIGHT,
        (false, false) => DARK,
    };
    let piece = match board.piece_at(square) {
        Some(piece) => glyph(piece.color, piece.role),
        None if line.style.colour || square.is_light() => ' ',
        None => '·',
    };
    if moved && !line.style.colour {
        line.add(paint, &format!("[{piece}]"));
    } else {
        line.add(paint, &format!(" {piece} "));
    }
}

const fn glyph(color: Color, role: Role) -> char {
    match (color, role) {
        (Color::White, Role::King) => '♔',
        (Color::White, Role::Queen) => '♕',
        (Color::White, Role::Rook) => '♖',
        (Color::White, Role::Bishop) => '♗',
        (Color::White, Role::Knight) => '♘',
        (Color::White, Role::Pawn) => '♙',
        (Color::Black, Role::King) => '♚',
        (Color::Black, Role::Queen) => '♛',
        (Color::Black, Role::Rook) => '♜',
        (Color::Black, Role::Bishop) => '♝',
        (Color::Black, Role::Knight) => '♞',
        (Color::Black, Role::Pawn) => '♟',
    }
}

/// The origin and destination squares of a UCI move.
fn squares(uci: &str) -> [Option<Square>; 2] {
    [0..2, 2..4].map(|part| uci.get(part).and_then(|square| square.parse().ok()))
}

/// The last 16 numbered moves, in two columns of eight.
fn moves(account: &Account) -> [[String; 2]; 8] {
    let mut pairs: Vec<String> = Vec::new();
    if let Some(game) = &account.game {
        let first = half_moves(&game.start_fen);
        for (at, played) in game.moves.iter().enumerate() {
            let (number, dots) = number(first + at);
            match pairs.last_mut() {
                Some(pair) if dots == "..." => {
                    let _ = write!(pair, "{}", played.san);
                }
                _ if dots == "..." => pairs.push(format!("{number:>3}. …       {}", played.san)),
                _ => pairs.push(format!("{number:>3}. {:<8}", played.san)),
            }
        }
    }
    let skip = pairs.len().saturating_sub(16);
    let mut pairs = pairs.into_iter().skip(skip).collect::<Vec<_>>().into_iter();
    let mut moves = [const { [const { String::new() }; 2] }; 8];
    for column in 0..2 {
        for (row, pair) in moves.iter_mut().zip(pairs.by_ref().take(8)) {
            row[column] = pair;
        }
    }
    moves
}

fn state(account: &Account, style: Style) -> Vec<String> {
    let draw = account.draw.as_ref();
    let turn = account.game.as_ref().map(|game| words::side(&game.turn));
    let turn = turn.unwrap_or_default();
    let tracking = account
        .game
        .as_ref()
        .map(|game| words::word(&game.tracker.state));
    let link = match &account.link {
        Some(link) if link.up => "up",
        Some(_) => "down",
        None => "?",
    };
    let now = format!(
        "ply {}, {turn} to move   tracking: {}   line: {link}",
        account.ply(),
        tracking.as_deref().unwrap_or("?"),
    );
    let repetition = draw.map_or_else(String::new, |now| repetition(&now.draw));
    let clock = draw.map_or_else(String::new, |now| {
        let left = now.automatic_in.plies;
        let left = left.map_or_else(String::new, |plies| format!(", {plies} more to 75 moves"));
        format!(
            "{} halfmoves without pawn or capture{left}",
            now.draw.halfmove_clock
        )
    });
    vec![
        Line::of(style, "Now", BOLD, &now),
        Line::of(style, "Repetition", "", &repetition),
        Line::of(style, "Progress", "", &clock),
    ]
}

fn repetition(draw: &Draw) -> String {
    match draw.repetition.count {
        0 | 1 => "the position is new".to_owned(),
        count => format!(
            "on the board for the {} time: plies {}",
            words::ordinal(count),
            words::plies(draw)
        ),
    }
}

fn claims(account: &Account, style: Style) -> Vec<String> {
    let draw = account.draw.as_ref().map(|now| &now.draw);
    let claims = draw.map_or(&[][..], claims_of).iter();
    let claims: Vec<_> = claims.map(|claim| (BOLD, words::claim(claim))).collect();
    list(style, "Claims now", &claims)
}

fn alerts(account: &Account, style: Style) -> Vec<String> {
    let alerts = account.alerts.iter().map(|alert| {
        let paint = match alert.level {
            Level::Red => RED,
            Level::Amber => "\x1b[33m",
            Level::Grey => DIM,
        };
        (paint, words::alert(alert))
    });
    list(style, "Alerts", &alerts.collect::<Vec<_>>())
}

/// Returns a fixed number of lines, so that nothing below moves.
fn list(style: Style, label: &str, entries: &[(&str, String)]) -> Vec<String> {
    let room = style.columns.min(WIDTH).saturating_sub(LABEL).max(20);
    let mut lines: Vec<(&str, String)> = entries
        .iter()
        .flat_map(|(paint, words)| wrapped(words, room).into_iter().map(|line| (*paint, line)))
        .collect();
    if lines.len() > LIST {
        lines.truncate(LIST - 1);
        lines.push((DIM, "… and more".to_owned()));
    }
    if lines.is_empty() {
        lines.push((DIM, "none".to_owned()));
    }
    lines.resize(LIST, ("", String::new()));
    let labels = std::iter::once(label).chain(repeat_n("", LIST));
    labels
        .zip(lines)
        .map(|(label, (paint, words))| Line::of(style, label, paint, &words))
        .collect()
}

/// Wraps a text between words; an overlong word stays whole.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(account: &Account, columns: usize) -> Vec<String> {
        let style = Style {
            colour: false,
            columns,
        };
        picture(account, "A\x1b[2J – B", "W\x1b[2J", "hint", style)
    }

    #[test]
    fn the_picture_keeps_its_size_whatever_is_in_it() {
        let mut account = Account::new("a/", "n");
        let empty = shown(&account, 80);
        let alerts: Vec<_> = (0..9)
            .map(|id| {
                let text = "long ".repeat(60);
                format!(
                    r#"{{"id":"{id}","level":"grey","code":"board_lost","arguments":{{}},"article":null,
                        "text":{{"en":"{text}"}},"since":"x","acknowledged_by":null}}"#
                )
            })
            .collect();
        let alerts = format!(r#"{{"alerts":[{}]}}"#, alerts.join(","));
        assert_eq!(account.take("a/alerts", alerts.as_bytes()).len(), 9);
        for columns in [20, 80, 300] {
            let lines = shown(&account, columns);
            assert_eq!(lines.len(), empty.len());
            let widest = lines.iter().map(|line| line.chars().count()).max();
            assert!(widest <= Some(columns.min(80)), "{lines:#?}");
            assert!(!lines.concat().contains('\x1b'));
        }
        assert!(empty.len() < 24);
    }

    #[test]
    fn the_overview_has_two_lines_for_each_board_and_ends_with_the_hint() {
        let mut account = Account::new("a/", "n");
        let claim = r#"{"by":"white","kind":"threefold","basis":"appeared","article":"9.2.2"}"#;
        let draw = format!(
            r#"{{"schema":"remisd/draw/1","seq":7,"game":1,"ply":8,"turn":"white","laws":"fide-2023",
                "fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 5",
                "move":{{"uci":"f6g8","san":"Ng8"}},"repetition":{{"count":3,"plies":[0,4,8]}},
                "halfmove_clock":8,"claims":[{claim}],"automatic":null,
                "automatic_in":{{"plies":142,"occurrences":2}}}}"#
        );
        account.take("a/draw", draw.as_bytes());
        let row = Row {
            id: "b1",
            title: "A – B",
            warning: "",
            account: &account,
        };
        let style = Style {
            colour: false,
            columns: 80,
        };
        let lines = overview(&[row, row], "http://127.0.0.1/", style);
        assert_eq!(lines.len(), 6, "{lines:#?}");
        assert!(
            lines[0].contains("b1") && lines[0].ends_with("4... Ng8"),
            "{lines:#?}"
        );
        assert!(lines[1].contains("White can claim a draw"), "{lines:#?}");
        assert!(lines.last().unwrap().ends_with("http://127.0.0.1/"));
    }
}
