//! `remisd evidence`: the evidence sheet for a claim, as one printable HTML file.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    num::NonZeroU64,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context as _, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};
use shakmaty::{Chess, Color, Position as _};

use super::Outcome;
use crate::{
    evidence::{
        Doubt, Evidence, FindError, MoveRefused, Record, Source, Times, find,
        page::{Style, page},
        recall::{RecallError, Wanted, hex},
    },
    pgn::{self, Games},
    words::Language,
};
use remisd_game::Claimed;
use remisd_journal::Reader;
use remisd_laws::{self as laws, Edition, Ply, Rate, Regulations};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Make the evidence sheet for a draw claim: one HTML page for the arbiter to print.
///
/// The source is a board's journal (which is only read, so the daemon may be running) or a PGN
/// file. Without --claim, the sheet shows the newest claim of the board's newest game, or else the
/// position on the board. For a PGN file it shows the position after the last move.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The journal's directory.
    #[arg(
        long,
        value_name = "DIR",
        requires = "board",
        conflicts_with = "pgn",
        required_unless_present = "pgn"
    )]
    journal: Option<PathBuf>,
    /// The board in the journal.
    #[arg(long, value_name = "ID", requires = "journal", conflicts_with = "pgn")]
    board: Option<BoardId>,
    /// A PGN file; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The game: in a PGN file counted from 1, in a journal its number as listed by `remisd journal
    /// list`.
    #[arg(long, value_name = "N")]
    game: Option<NonZeroU64>,
    /// The claim: `KIND[:MOVE][@PLY]` for a PGN file, a number for a journal.
    ///
    /// KIND is threefold or `fifty_move`. MOVE is the intended move in SAN or UCI; without it the
    /// claim is about the position on the board. PLY is the ply after which the claim is made,
    /// counted from 1; without it the last one. Examples: threefold, threefold:Ra4@51,
    /// `fifty_move@180`. For a journal, give the claim's number: `id` in the topics `draw` and
    /// `event`.
    #[arg(long, value_name = "CLAIM")]
    claim: Option<ClaimArgument>,
    /// The edition of the Laws; default: the journal's, or the newest for a PGN file.
    #[arg(long, value_name = "EDITION")]
    laws: Option<&'static Edition>,
    /// The rate of play: standard, rapid or blitz; default: the journal's, or standard for a PGN
    /// file.
    #[arg(long)]
    rate: Option<Rate>,
    /// The language of the sheet.
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = languages())]
    lang: Language,
    /// The file to write; `-` writes to standard output.
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
}

fn languages() -> impl clap::builder::TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.map(Language::code)).map(|code| {
        let mut all = Language::ALL.into_iter();
        // The parser accepts only these codes.
        all.find(|language| language.code() == code)
            .unwrap_or(Language::En)
    })
}

/// The value of `--claim`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClaimArgument {
    /// The number of a claim in a journal.
    Number(EntrySeq),
    /// A claim on a game's moves.
    Made {
        kind: Claimed,
        announced: Option<String>,
        ply: Option<Ply>,
    },
}

impl FromStr for ClaimArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        let (rest, ply) = match text.rsplit_once('@') {
            None => (text, None),
            Some((rest, ply)) => {
                let number = ply.parse::<Ply>();
                let number = number.map_err(|_| format!("\"{ply}\" after @ is not a ply"))?;
                (rest, Some(number))
            }
        };
        let (kind, announced) = match rest.split_once(':') {
            None => (rest, None),
            Some((_, "")) => return Err("there is no move after the colon".to_owned()),
            Some((kind, announced)) => (kind, Some(announced.to_owned())),
        };
        let kind = match kind {
            "threefold" => Claimed::Threefold,
            "fifty_move" => Claimed::FiftyMove,
            other => {
                return Err(format!(
                    "\"{other}\" is not a kind of claim: threefold or fifty_move, or the number of a claim in a journal"
                ));
            }
        };
        Ok(Self::Made {
            kind,
            announced,
            ply,
        })
    }
}

/// The arguments name something that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Reads the record, works out the evidence and writes the sheet.
///
/// # Errors
///
/// A journal or file cannot be read, a game cannot be played, or the sheet cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let record = match (&arguments.journal, &arguments.board, &arguments.pgn) {
        (Some(directory), Some(board), _) => of_journal(arguments, directory, board),
        (_, _, Some(file)) => of_pgn(arguments, file),
        // clap accepts no other combination.
        _ => Err(Usage("either --journal and --board or --pgn".to_owned()).into()),
    };
    let record = match record {
        Ok(record) => record,
        Err(error) if error.is::<Usage>() => {
            anstream::eprintln!("remisd: {error:#}");
            return Ok(Outcome::Usage);
        }
        Err(error) => return Err(error),
    };
    let style = Style {
        language: arguments.lang,
        zone: TimeZone::system(),
    };
    let sheet = page(&record, &Evidence::of(&record), &style);
    if arguments.output.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(sheet.as_bytes())?;
        out.flush()?;
    } else {
        let name = || arguments.output.display().to_string();
        fs::write(&arguments.output, sheet).with_context(name)?;
    }
    Ok(Outcome::Fine)
}

fn of_journal(arguments: &Arguments, directory: &Path, board: &BoardId) -> anyhow::Result<Record> {
    let wanted = match (&arguments.claim, arguments.game) {
        (None, None) => Wanted::Newest,
        (None, Some(game)) => Wanted::Game(EntrySeq::new(game.get())),
        (Some(ClaimArgument::Number(id)), None) => Wanted::Claim(*id),
        (Some(ClaimArgument::Number(_)), Some(_)) => {
            let text = "with --journal, --claim names the game as well: leave --game out";
            return Err(Usage(text.to_owned()).into());
        }
        (Some(ClaimArgument::Made { .. }), _) => {
            let text = "with --journal, --claim takes the number of a claim";
            return Err(Usage(text.to_owned()).into());
        }
    };
    let reader = super::journal::open(directory)?;
    // Read this before the entries, because the broker may confirm more of them in the meantime.
    let cursors = super::journal::cursors(directory);
    let given = cursors
        .and_then(|cursors| cursors.get(board))
        .unwrap_or_default();
    let name = || format!("the journal {}", directory.display());
    let boards = reader.boards().with_context(name)?;
    if !boards.contains(board) {
        let boards: Vec<&str> = boards.iter().map(BoardId::as_str).collect();
        let text = format!("{} has no board {board}: {}", name(), boards.join(", "));
        return Err(Usage(text).into());
    }
    let found = find(
        &reader,
        board,
        &[],
        wanted,
        given,
        arguments.laws,
        arguments.rate,
    );
    let record = match found {
        Ok(record) => record,
        Err(FindError::Missing(RecallError::Empty)) => {
            bail!("{}: board {board}: {}", name(), RecallError::Empty)
        }
        Err(FindError::Missing(error)) => {
            return Err(Usage(format!("board {board}: {error}")).into());
        }
        Err(FindError::Unreadable(error)) => return Err(error).with_context(name),
    };
    for doubt in &record.doubts {
        if let Doubt::MissingEntries { from, to } = doubt {
            anstream::eprintln!(
                "remisd: board {board}: entries {from} to {to} are missing in the journal: the sheet says so"
            );
        }
    }
    if wanted == Wanted::Newest && record.claim.is_none() && record.moves.is_empty() {
        hint_at_earlier(&reader, board).with_context(name)?;
    }
    Ok(record)
}

/// Suggests the previous game. Players set up the pieces after a game, which begins a new one, so
/// the wanted claim may be in the game before.
fn hint_at_earlier(reader: &Reader, board: &BoardId) -> io::Result<()> {
    let games = reader.segments(board)?;
    let Some(earlier) = games.iter().rev().nth(1) else {
        return Ok(());
    };
    let record = find(
        reader,
        board,
        &[],
        Wanted::Game(*earlier),
        EntrySeq::ZERO,
        None,
        None,
    )
    .ok();
    if let Some(id) = record.and_then(|record| record.claim?.id) {
        anstream::eprintln!(
            "remisd: the newest game of {board} has no move yet; the one before it has a claim: --claim {id}"
        );
    }
    Ok(())
}

fn of_pgn(arguments: &Arguments, path: &Path) -> anyhow::Result<Record> {
    let (name, text) = read(path)?;
    let number = arguments.game.map_or(1, NonZeroU64::get);
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let mut found = 0;
    let mut game = None;
    for next in Games::new(text.as_slice()).take(number) {
        game = Some(next.with_context(|| name.clone())?);
        found += 1;
    }
    let game = match game {
        Some(game) if found == number => game,
        None => bail!("{name}: there is no game in it"),
        Some(_) => {
            let text = format!("{name}: --game {number}: the file holds {found} games");
            return Err(Usage(text).into());
        }
    };
    let at = format!("{name}, game {number}");
    let start = game.start().with_context(|| at.clone())?;
    let edition = arguments.laws.unwrap_or_else(laws::newest);
    let rate = arguments.rate.unwrap_or_default();
    let mut record = Record::new(start.clone(), Regulations::new(edition, rate));
    record.source = Some(Source::Pgn {
        file: name,
        game: number,
        sha256: hex(&Sha256::digest(&text)),
    });
    record.tags.clone_from(&game.tags);
    let (claim, last) = match &arguments.claim {
        None => (None, None),
        Some(ClaimArgument::Made {
            kind,
            announced,
            ply,
        }) => (Some((*kind, announced.as_deref())), *ply),
        Some(ClaimArgument::Number(_)) => {
            let text = "with --pgn, --claim takes KIND[:MOVE][@PLY], such as threefold or threefold:Ra4@51";
            return Err(Usage(text.to_owned()).into());
        }
    };
    play(&mut record, &game, last).with_context(|| at.clone())?;
    if start != Chess::default() {
        let halfmoves = start.halfmoves();
        record.doubts.push(Doubt::StartGiven { halfmoves });
    }
    if let Some((kind, announced)) = claim {
        record.claim(kind, announced).map_err(|error| {
            let MoveRefused { text, reason, .. } = error;
            Usage(format!("--claim: \"{text}\": {reason}"))
        })?;
    }
    Ok(record)
}

fn read(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin()
            .read_to_end(&mut text)
            .context("standard input")?;
        return Ok(("-".to_owned(), text));
    }
    let shown = || path.display().to_string();
    let text = fs::read(path).with_context(shown)?;
    let name = path.file_name();
    let name = name.map_or_else(shown, |name| name.to_string_lossy().into_owned());
    Ok((name, text))
}

/// Plays the game up to `last`, or to its end.
fn play(record: &mut Record, game: &pgn::Game, last: Option<Ply>) -> anyhow::Result<()> {
    let wanted = last.map_or(usize::MAX, |ply| usize::try_from(ply).unwrap_or(usize::MAX));
    let mut times = Times {
        white_ms: None,
        black_ms: None,
    };
    let mut unreadable = game.unreadable.as_ref().map(ToString::to_string);
    // Moves after the claim are not part of the evidence, but unreadable ones are reported.
    let mut behind: Option<Record> = None;
    for written in &game.moves {
        let is_behind = record.moves.len() >= wanted;
        let game = if is_behind {
            behind.get_or_insert_with(|| record.clone())
        } else {
            &mut *record
        };
        let m = match written.to_move(game.position()) {
            Ok(m) => m,
            Err(error) => {
                unreadable = Some(format!("ply {}, {error}", game.moves.len() + 1));
                break;
            }
        };
        let mover = game.position().turn();
        let made = game.make(m);
        if is_behind {
            continue;
        }
        made.clock_ms = written.clock_ms;
        match mover {
            Color::White => times.white_ms = written.clock_ms.or(times.white_ms),
            Color::Black => times.black_ms = written.clock_ms.or(times.black_ms),
        }
    }
    let played = record.moves.len();
    match unreadable {
        Some(text) if played >= wanted => record.doubts.push(Doubt::Unreadable(text)),
        Some(text) => bail!(text),
        None if last.is_some() && played < wanted => {
            let text = format!("--claim: the game has {played} plies, not {wanted}");
            return Err(Usage(text).into());
        }
        None => {}
    }
    if times.white_ms.or(times.black_ms).is_some() {
        record.times = Some(times);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::notation::MoveError;

    #[test]
    fn claims_are_read() {
        let made = |kind, announced: Option<&str>, ply| ClaimArgument::Made {
            kind,
            announced: announced.map(str::to_owned),
            ply,
        };
        let table = [
            ("377", ClaimArgument::Number(EntrySeq::new(377))),
            ("threefold", made(Claimed::Threefold, None, None)),
            (
                "threefold:Ra4@51",
                made(Claimed::Threefold, Some("Ra4"), Some(51)),
            ),
            ("fifty_move@180", made(Claimed::FiftyMove, None, Some(180))),
            (
                "fifty_move:e8=Q+",
                made(Claimed::FiftyMove, Some("e8=Q+"), None),
            ),
        ];
        for (text, claim) in table {
            assert_eq!(text.parse::<ClaimArgument>().unwrap(), claim, "{text}");
        }
        for text in [
            "",
            "fivefold",
            "threefold:",
            "threefold@",
            "threefold@x",
            "threefold@-1",
            "3x",
        ] {
            assert!(text.parse::<ClaimArgument>().is_err(), "{text}");
        }
    }

    #[test]
    fn illegal_moves_can_be_announced_and_rubbish_cannot() {
        let mut record = Record::new(Chess::default(), Regulations::default());
        assert!(record.claim(Claimed::Threefold, Some("Ra4")).is_ok());
        let error = record.claim(Claimed::Threefold, Some("xx")).unwrap_err();
        assert_eq!(error.reason, MoveError::NoMove);
    }
}
