//! Pairings in a table: CSV with semicolons, commas, tabs or bars.

use csv::{ReaderBuilder, StringRecord};

use super::{
    FORMULA, Findings, Pairing, Trouble,
    columns::{self, Column},
    player::{is_title as is_title_of_player, is_words, keep},
    seating::number_in,
};
use remisd_vocabulary::notation::{self, parse_position};

/// Number of lines at the beginning that are searched for a heading.
const TITLES: usize = 12;

/// Reads every line that is a game.
pub(super) fn read(text: &str, findings: &mut Findings) -> Vec<Pairing> {
    let (skipped, mark) = mark(text);
    let lines = (1..).zip(text.lines()).skip(skipped);
    let content = lines.filter(|(_, line)| !line.trim().is_empty() && !is_note(line));
    let rows: Vec<(u64, StringRecord)> = content
        .map(|(number, line)| (number, row(line, mark)))
        .collect();
    let columns_of = |(_, row): &(u64, StringRecord)| columns::columns(row.iter());
    let named = rows
        .iter()
        .take(TITLES)
        .position(|row| columns_of(row).is_some());
    let columns = if let Some(at) = named {
        let (line, heading) = &rows[at];
        for name in heading.iter().filter(|name| !columns::is_known(name)) {
            findings.warning(*line, Trouble::Unreadable, name);
        }
        columns_of(&rows[at]).unwrap_or_default()
    } else {
        let titles = rows.iter().take(TITLES);
        if let Some((line, row)) = titles.into_iter().find(|(_, row)| is_heading(row)) {
            let cells: Vec<&str> = row.iter().collect();
            findings.problem(*line, Trouble::Unreadable, &cells.join("; "));
            return Vec::new();
        }
        columns::unnamed(rows.first().map_or(0, |(_, row)| row.len()))
    };
    let guessed = named.is_none();
    let games = rows.iter().skip(named.map_or(0, |at| at + 1));
    let games = games.filter(|(_, row)| row.iter().any(|value| !value.trim().is_empty()));
    let mut games: Vec<&(u64, StringRecord)> = games.collect();
    while let Some((line, row)) = games.pop_if(|(_, row)| is_footer(row, &columns)) {
        let cells: Vec<&str> = row
            .iter()
            .filter(|value| !value.trim().is_empty())
            .collect();
        findings.warning(*line, Trouble::Unreadable, &cells.join("; "));
    }
    games
        .into_iter()
        .filter_map(|(line, row)| {
            if guessed && let Some(value) = misplaced(row, &columns) {
                findings.problem(*line, Trouble::Unreadable, value);
                return None;
            }
            pairing(*line, row, &columns, findings)
        })
        .collect()
}

/// Whether a line is a heading that does not name both players.
fn is_heading(row: &StringRecord) -> bool {
    let known = |name: &&str| name.trim().len() > 1 && columns::column(name) != Column::Other;
    let board = row
        .iter()
        .any(|name| name.trim().len() > 1 && columns::column(name) == Column::Board);
    row.len() > 2 && (board || row.iter().filter(known).count() > 1)
}

/// A value that cannot belong where it is, in a table without a heading: words for a rating, a
/// title for a name.
fn misplaced<'a>(row: &'a StringRecord, columns: &[Column]) -> Option<&'a str> {
    let mut values = columns.iter().zip(row);
    let found = values.find(|(column, value)| match column {
        Column::Tag("WhiteElo" | "BlackElo") => is_words(value),
        Column::Tag("White" | "Black") => is_title_of_player(value),
        _ => false,
    });
    found.map(|(_, value)| value)
}

/// Whether a line at the end is not part of the table: it has no board and no second player.
fn is_footer(row: &StringRecord, columns: &[Column]) -> bool {
    let of = |column| {
        let at = columns.iter().position(|found| *found == column)?;
        row.get(at).map(str::trim).filter(|value| !value.is_empty())
    };
    let players = ["White", "Black"].map(|tag| of(Column::Tag(tag)));
    let players = players.into_iter().flatten().count();
    match (columns.contains(&Column::Board), of(Column::Board)) {
        (true, Some(board)) => number_in(board).is_none() && players == 0,
        (true, None) => players < 2,
        (false, _) => row.len() == 1,
    }
}

/// The number of lines that only declare the delimiter (`sep=;`), and the delimiter.
fn mark(text: &str) -> (usize, u8) {
    let first = text.lines().next().unwrap_or_default();
    if let Some([mark]) = first.trim().strip_prefix("sep=").map(str::as_bytes) {
        return (1, *mark);
    }
    let mut lines = text.lines().filter(|line| !is_note(line)).take(TITLES);
    let marks = [b';', b'\t', b',', b'|'];
    // Titles above the table do not contain the delimiter.
    let found = lines.find_map(|line| {
        let stands = |mark: &u8| line.as_bytes().contains(mark) && !is_title(line, *mark);
        marks.into_iter().find(stands)
    });
    (0, found.unwrap_or(b','))
}

/// Whether a line is a note, such as `# made by hand`; `#3;A;B` is not.
fn is_note(line: &str) -> bool {
    let note = line.trim_start().strip_prefix('#');
    note.is_some_and(|note| !note.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a line is a title that contains a comma.
fn is_title(line: &str, mark: u8) -> bool {
    mark == b',' && line.split(',').count() < 3 && columns::columns(line.split(',')).is_none()
}

/// The values of a line. A quote that is never closed ends with the line.
fn row(line: &str, mark: u8) -> StringRecord {
    let line = tight(line, mark);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(mark)
        .buffer_capacity(1024)
        .from_reader(line.as_bytes());
    // The input is UTF-8 and in memory, so reading cannot fail.
    reader.records().flatten().next().unwrap_or_default()
}

/// Removes spaces between a delimiter and a quote, because they would make the quote part of the
/// value. Delimiters inside quotes do not count.
fn tight(line: &str, mark: u8) -> String {
    let mark = char::from(mark);
    let mut tight = String::with_capacity(line.len());
    let (mut begins, mut quoted) = (true, false);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if begins {
            let trimmed = rest.trim_start_matches(' ');
            if let Some(inside) = trimmed.strip_prefix('"') {
                (begins, quoted) = (false, true);
                tight.push('"');
                rest = inside;
                continue;
            }
        }
        // A doubled quote closes the quotes and opens them again.
        if c == '"' && (quoted || tight.ends_with('"')) {
            quoted = !quoted;
        }
        begins = !quoted && c == mark;
        tight.push(c);
        rest = &rest[c.len_utf8()..];
    }
    tight
}

/// A value without the apostrophe that keeps spreadsheets from running it.
fn without_mark(value: &str) -> &str {
    let marked = value.trim_start().strip_prefix('\'');
    marked
        .filter(|text| text.starts_with(FORMULA))
        .unwrap_or(value)
}

fn pairing(
    line: u64,
    row: &StringRecord,
    columns: &[Column],
    findings: &mut Findings,
) -> Option<Pairing> {
    let further = row
        .iter()
        .skip(columns.len())
        .find(|value| !value.trim().is_empty());
    if let Some(value) = further {
        findings.problem(line, Trouble::Unreadable, value);
        return None;
    }
    let mut pairing = Pairing {
        line,
        ..Pairing::default()
    };
    for (column, value) in columns.iter().zip(row.iter().map(without_mark)) {
        match column {
            Column::Board => value.trim().clone_into(&mut pairing.board),
            Column::Title(tag) if is_title_of_player(value) => {
                keep(&mut pairing.headers, tag, value, line, findings);
            }
            Column::Tag(tag) => keep(&mut pairing.headers, tag, value, line, findings),
            Column::Fen if !value.trim().is_empty() => match parse_position(value) {
                Ok(start) => pairing.start_fen = Some(notation::fen(&start)),
                Err(error) => findings.problem(line, Trouble::Start, &error.to_string()),
            },
            Column::Fen | Column::Title(_) | Column::Number | Column::Each(_) | Column::Other => {}
        }
    }
    Some(pairing)
}
