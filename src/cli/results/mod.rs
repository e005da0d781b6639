//! `remisd results`: the results of a round, as a table, as PGN, or filled into a report.

mod report;
mod round;
mod table;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write as _},
    path::PathBuf,
    str::FromStr,
};

use anyhow::{Context as _, bail};
use jiff::{civil::Date, tz::TimeZone};
use remisd_laws::Score;
use remisd_trf::Report;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, text::OneLine};

use self::round::{Round, Standing, games_of, score_text, tag, title};
use super::{
    Outcome,
    journal::{self, Pgn, Recorded, RecordedGames, replace},
};
use crate::pgn::{Ending, dates};

/// How much of a tag Round without a number is shown.
const LONGEST_ROUND: usize = 40;
/// How much of a player's name is shown.
const LONGEST_NAME: usize = 80;

/// Write the results of a round: as a table, as PGN, or filled into a tournament report.
///
/// The journal is only read, so the daemon may be running. A result that is not confirmed, or that
/// follows from moves that are not certain, is never written as one: it is named on stderr. So is a
/// finished game whose tag Round has no number. It is in no round's results, and the exit code is 1
/// without --incomplete.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The format: `csv`; `pgn`, with everything that is recorded; or `trf`, which needs --report.
    #[arg(long, value_enum)]
    format: Format,
    /// The journal's directory; default: the one in the configuration.
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE", conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// The number of the round; default: that of the newest game.
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// The tag Event of the games; default: that of the newest game of the round.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Leave out games that began before this day, such as those of the last season.
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<Date>,
    /// Leave out this game: the board and the number that `remisd journal list` shows.
    #[arg(long, value_name = "BOARD/N")]
    without: Vec<GameName>,
    /// The report with the pairings of the round. It is not changed: see --output.
    #[arg(long, value_name = "FILE.trf", required_if_eq("format", "trf"))]
    report: Option<PathBuf>,
    /// The game at this board was not played: the report gets the codes `+` and `-`.
    #[arg(long, value_name = "BOARD", requires = "report")]
    forfeit: Vec<BoardId>,
    /// Leave out games whose players are both not in the report, such as those of other sections.
    #[arg(long, requires = "report")]
    skip_others: bool,
    /// Write the results although games are missing, because boards cannot be read or games have no
    /// number of a round.
    #[arg(long)]
    incomplete: bool,
    /// The output file; default: standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table with semicolons.
    Csv,
    /// The games.
    Pgn,
    /// The report with the results filled in.
    Trf,
}

/// A game by its board and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GameName {
    board: BoardId,
    number: EntrySeq,
}

impl FromStr for GameName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let game = parts.and_then(|(board, number)| {
            let (board, number) = (board.parse().ok()?, number.parse().ok()?);
            Some(Self { board, number })
        });
        game.ok_or_else(|| format!("\"{text}\" is not a board and a number, such as b4/17"))
    }
}

/// Writes the results.
///
/// # Errors
///
/// The journal or the report cannot be read, they do not fit together, or the output cannot be
/// written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let (journal, config) = (arguments.journal.as_deref(), arguments.config.as_deref());
    let Some(selection) = journal::select(journal, config)? else {
        return Ok(Outcome::Usage);
    };
    let zone = TimeZone::system();
    let found = selection.recorded(|tags, began| {
        let round = Round::of(tags).map(|round| round.number);
        let day = began.map(|began| began.to_zoned(zone.clone()).date());
        // A game without a number of a round may be of this one.
        round.is_none_or(|round| arguments.round.is_none_or(|wanted| wanted == round))
            && arguments
                .since
                .is_none_or(|since| day.is_none_or(|day| day >= since))
    })?;
    let RecordedGames {
        games,
        unread,
        mut outcome,
    } = found;
    if !unread.is_empty() {
        anstream::eprintln!("remisd: {}", missing(&unread));
        if !arguments.incomplete {
            anstream::eprintln!("remisd: nothing is written; with --incomplete the rest is");
            return Ok(Outcome::Failed);
        }
    }
    let mut text = Vec::new();
    let Written { notes, is_whole } = write(arguments, games, &zone, &mut text)?;
    for note in notes {
        anstream::eprintln!("remisd: {note}");
    }
    if !is_whole && !arguments.incomplete {
        outcome = outcome.or(Outcome::Failed);
    }
    match &arguments.output {
        Some(path) => replace(path, &text).with_context(|| path.display().to_string())?,
        None => io::stdout().lock().write_all(&text)?,
    }
    Ok(outcome)
}

/// Names boards whose games are missing.
fn missing(unread: &[BoardId]) -> String {
    let names: Vec<&str> = unread.iter().map(BoardId::as_str).collect();
    format!(
        "boards that cannot be read, whose games are missing: {}",
        names.join(", ")
    )
}

/// What was written.
#[derive(Debug)]
struct Written {
    /// What the arbiter should know.
    notes: Vec<String>,
    /// Whether no finished game is missing that may be of the round.
    is_whole: bool,
}

/// Writes the wanted round.
fn write(
    arguments: &Arguments,
    mut recorded: Vec<Recorded>,
    zone: &TimeZone,
    text: &mut Vec<u8>,
) -> anyhow::Result<Written> {
    recorded.retain(|game| {
        let is_named =
            |name: &GameName| name.board == game.board && name.number == game.game.number();
        !arguments.without.iter().any(is_named)
    });
    let round = wanted(arguments, &recorded)?;
    let mut notes = others(&round, &recorded);
    let without_round = without_round(arguments, &recorded);
    let is_whole = without_round.is_empty();
    notes.extend(without_round);
    let games = games_of(&round, recorded);
    notes.extend(at_several_boards(&games));
    match arguments.format {
        Format::Csv => table::write(&round, &games, text)?,
        Format::Pgn => {
            for game in &games {
                write_game(game, zone, text)?;
            }
        }
        Format::Trf => {
            let path = arguments.report.as_deref().context("--report is missing")?;
            let name = || path.display().to_string();
            let mut report =
                Report::read(&fs::read(path).with_context(name)?).with_context(name)?;
            let forfeits: BTreeSet<_> = arguments.forfeit.iter().cloned().collect();
            let filled = report::fill(
                &mut report,
                &round,
                &games,
                &forfeits,
                arguments.skip_others,
            );
            match filled {
                Ok(left_out) => {
                    let left_out = left_out.into_iter();
                    notes.extend(left_out.map(|game| format!("{game}: not of this report")));
                }
                Err(wrong) => bail!(
                    "{}: nothing is written, because it does not fit round {}:\n  {}",
                    name(),
                    round.number,
                    wrong.join("\n  ")
                ),
            }
            notes.extend(games.iter().filter_map(|game| unplayed(game, &forfeits)));
            text.extend(report.write());
        }
    }
    notes.extend(games.iter().filter_map(not_certain));
    Ok(Written { notes, is_whole })
}

/// The round that is wanted: that of the newest game that fits.
fn wanted(arguments: &Arguments, recorded: &[Recorded]) -> anyhow::Result<Round> {
    let fits = |round: &Round| {
        arguments
            .event
            .as_ref()
            .is_none_or(|event| *event == round.event)
    };
    let rounds = recorded.iter().filter_map(|game| {
        let round = Round::of(game.game.headers()).filter(fits)?;
        Some((game.began, round))
    });
    let newest = rounds.max_by_key(|(began, _)| *began);
    let Some((_, round)) = newest else {
        let number = arguments
            .round
            .map_or_else(String::new, |round| format!(" {round}"));
        let event = arguments.event.as_ref();
        let event = event.map_or_else(String::new, |event| format!(" of \"{event}\""));
        bail!("no game has a round{number}{event}: `remisd journal list` shows all games");
    };
    Ok(round)
}

/// Names the other events that have games of the round.
fn others(round: &Round, recorded: &[Recorded]) -> Vec<String> {
    let rounds = recorded
        .iter()
        .filter_map(|game| Round::of(game.game.headers()));
    let others = rounds.filter(|other| other.number == round.number && other.event != round.event);
    let events: BTreeSet<String> = others.map(|other| other.event).collect();
    let note = |event| {
        let number = round.number;
        format!("round {number} of another event is left out: --event \"{event}\"")
    };
    events.into_iter().map(note).collect()
}

/// Names the finished games that have no number of a round, and so are in no round's results. Those
/// of an event that is not the wanted one are left out.
fn without_round(arguments: &Arguments, recorded: &[Recorded]) -> Vec<String> {
    let is_wanted = |game: &&Recorded| {
        let event = tag(game, "Event").trim();
        let wanted = arguments.event.as_deref();
        event.is_empty() || wanted.is_none_or(|wanted| wanted == event)
    };
    let without = recorded
        .iter()
        .filter(|game| Round::of(game.game.headers()).is_none());
    let names = without.filter(is_wanted).filter_map(|game| {
        let score = match Standing::of(game) {
            Standing::Open => return None,
            Standing::Confirmed(score)
            | Standing::Unconfirmed(score)
            | Standing::Uncertain(score) => score_text(score),
        };
        let round = match OneLine::bounded(tag(game, "Round"), LONGEST_ROUND) {
            round if round.as_str().is_empty() => "has no tag Round".to_owned(),
            round => format!("has \"{round}\" as its Round"),
        };
        let (title, number) = (title(game), game.game.number());
        Some(format!(
            "{title}: {score} is left out, because game {number} {round}"
        ))
    });
    names.collect()
}

/// Names the players who are at more than one board: a pairing or a tag is wrong.
fn at_several_boards(games: &[Recorded]) -> Vec<String> {
    let mut boards: BTreeMap<&str, BTreeSet<&BoardId>> = BTreeMap::new();
    for game in games {
        for player in ["White", "Black"].map(|name| tag(game, name)) {
            if player.contains(char::is_alphanumeric) {
                boards.entry(player).or_default().insert(&game.board);
            }
        }
    }
    let several = boards.into_iter().filter(|(_, boards)| boards.len() > 1);
    let names = several.map(|(player, boards)| {
        let boards: Vec<&str> = boards.into_iter().map(BoardId::as_str).collect();
        let player = OneLine::bounded(player, LONGEST_NAME);
        format!("{player} is at more than one board: {}", boards.join(", "))
    });
    names.collect()
}

/// Names a game whose result is not written.
fn not_certain(recorded: &Recorded) -> Option<String> {
    let standing = Standing::of(recorded);
    let what = match standing {
        Standing::Confirmed(_) => return None,
        Standing::Open => "no result".to_owned(),
        Standing::Unconfirmed(score) => format!("{} is not confirmed", score_text(score)),
        Standing::Uncertain(score) => format!("{} is not certain", score_text(score)),
    };
    Some(format!("{}: {what}", title(recorded)))
}

/// Names a game that may not have been played: that is another code in the report.
fn unplayed(recorded: &Recorded, forfeits: &BTreeSet<BoardId>) -> Option<String> {
    let is_decided = Standing::of(recorded).certain() != Score::None;
    let is_strange = is_decided && recorded.game.ply() == 0 && !forfeits.contains(&recorded.board);
    is_strange.then(|| {
        let board = &recorded.board;
        format!(
            "{}: no move was recorded; if it was not played: --forfeit {board}",
            title(recorded)
        )
    })
}

fn write_game(recorded: &Recorded, zone: &TimeZone, text: &mut Vec<u8>) -> io::Result<()> {
    let game = &recorded.game;
    let mut tags = game.headers().clone();
    if let Some(began) = recorded.began {
        dates::add(&mut tags, began, zone);
    }
    let pgn = Pgn::of(&recorded.board, game, tags);
    let standing = Standing::of(recorded);
    let why = standing.provisional().map(|score| {
        let result = game.result();
        let ending = result.map(|end| Ending::of(end.reason, end.article.as_deref()));
        let reason = ending.map_or_else(String::new, |ending| format!(", {}", ending.reason));
        format!("{}: {}{reason}", standing.word(), score_text(score))
    });
    match why {
        Some(why) => pgn.without_result(why).write_to(text),
        None => pgn.write_to(text),
    }
}
