//! `remisd journal`: lists, shows and verifies the durable record, and exports its games as PGN.

mod outline;
mod played;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use anyhow::Context as _;
use bytes::Bytes;
use jiff::tz::TimeZone;
use serde_json::Value;

use self::{
    outline::Outline,
    played::{Doubt, Played, doubts_of, played},
};
use super::Outcome;
use crate::{
    config::{Configuration, Environment, editions},
    pgn::{Archive, Ending, Remark, Written, dates, names},
    publish::outbox::{CURSORS, Cursors},
};
use remisd_game::{ClaimDecision, ClaimRecord, ClaimRuling, Game, began};
use remisd_journal::{Contradiction, Entry, OtherRecord, Reader, SegmentFile, SegmentRead};
use remisd_laws::Score;
use remisd_vocabulary::{name::BoardId, notation::color, seq::EntrySeq};

/// Read the durable record: list, show, verify and export its games.
///
/// The journal is only read, so the daemon may be writing to it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The journal's directory; default: the one in the configuration.
    #[arg(long, global = true, value_name = "DIR")]
    journal: Option<PathBuf>,
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// Only this board.
    #[arg(long, global = true, value_name = "ID")]
    board: Option<BoardId>,
    /// Leave out the players' names, numbers, titles, ratings and clubs.
    #[arg(long, global = true)]
    mask_names: bool,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, clap::Subcommand)]
enum Task {
    /// One line per game: its number, start time, players, plies, result.
    List,
    /// The entries of a game, one per line: number, time, input, facts.
    Show {
        /// The game's number, as shown by `list`; default: the newest game of each board.
        #[arg(long, value_name = "N")]
        game: Option<EntrySeq>,
        /// Show the entries as stored, one JSON object per line.
        #[arg(long)]
        json: bool,
        /// Show the raw data on the board's line instead, as far as it was kept: time, sender,
        /// bytes.
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Recompute the chain and name the first broken link. Exit code 1 if one is broken or entries
    /// are lost.
    Verify,
    /// Write games as PGN.
    Export {
        /// The game's number, as shown by `list`; default: all games with moves.
        #[arg(long, value_name = "N")]
        game: Option<EntrySeq>,
        /// The output file; default: standard output.
        #[arg(short, long, value_name = "FILE.pgn")]
        output: Option<PathBuf>,
    },
}

/// Runs the subcommand.
///
/// # Errors
///
/// The journal cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let (directory, configured) = match (&arguments.journal, &arguments.config) {
        (Some(directory), _) => (directory.clone(), Vec::new()),
        (None, file) => {
            let environment = Environment::of_process();
            match Configuration::load(file.as_deref(), &environment, &editions()) {
                Ok(read) => {
                    let boards = read.config.boards.into_iter().map(|board| board.id);
                    (read.config.journal.dir, boards.collect())
                }
                Err(error) => {
                    anstream::eprintln!("{}", error.render(true));
                    anstream::eprintln!("remisd: no directory: --journal DIR names one");
                    return Ok(Outcome::Usage);
                }
            }
        }
    };
    let name = || format!("the journal {}", directory.display());
    let reader = open(&directory)?;
    let mut boards = reader.boards().with_context(name)?;
    add_configured(&mut boards, &directory, configured);
    if let Some(board) = &arguments.board {
        if !boards.contains(board) {
            anstream::eprintln!("remisd: {} has no board {board}", name());
            return Ok(Outcome::Usage);
        }
        boards.retain(|found| found == board);
    }
    let record = Record {
        reader,
        cursors: cursors(&directory),
        boards,
        masks_names: arguments.mask_names,
    };
    let mut out = io::stdout().lock();
    match &arguments.task {
        Task::List => record.list(&mut out),
        Task::Show { game, json, raw } => {
            let form = match (json, raw) {
                (_, true) => Form::Raw,
                (true, false) => Form::Json,
                (false, false) => Form::Words,
            };
            record.show(*game, form, &mut out)
        }
        Task::Verify => record.verify(&mut out),
        Task::Export { game, output } => record.export(*game, output.as_deref(), &mut out),
    }
}

/// Returns a reader of the journal in `directory`, which must hold one.
///
/// # Errors
///
/// The directory cannot be read, or no journal is there.
pub(super) fn open(directory: &Path) -> anyhow::Result<Reader> {
    let name = || format!("the journal {}", directory.display());
    let reader = Reader::new(directory);
    if reader.is_journal().with_context(name)? {
        Ok(reader)
    } else {
        anyhow::bail!("there is no journal in {}", directory.display())
    }
}

/// Adds the configured boards in whose place something else than a directory is. Reading it fails.
fn add_configured(boards: &mut Vec<BoardId>, directory: &Path, configured: Vec<BoardId>) {
    let is_there = |board: &BoardId| directory.join(board.as_str()).symlink_metadata().is_ok();
    boards.extend(configured.into_iter().filter(is_there));
    boards.sort();
    boards.dedup();
}

/// Reports for each board whether its record is intact.
///
/// # Errors
///
/// The directory cannot be read, or the output cannot be written.
pub(super) fn verify(directory: &Path, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let reader = open(directory)?;
    let boards = reader.boards()?;
    let record = Record {
        reader,
        cursors: cursors(directory),
        boards,
        masks_names: false,
    };
    record.verify(out)
}

/// Loads the cursors stored beside the journal: what the broker has confirmed. A file that cannot
/// be read is reported.
pub(super) fn cursors(directory: &Path) -> Option<Cursors> {
    let read = Cursors::load(&directory.join(CURSORS));
    read.inspect_err(|error| {
        anstream::eprintln!(
            "remisd: whether the end of the record is missing is not known: {error}"
        );
    })
    .ok()
}

/// Maps `work` over the segments in order, on as many threads as there are cores.
fn in_order<T: Send>(
    segments: &[SegmentFile],
    work: impl Fn(&SegmentFile) -> io::Result<T> + Sync,
) -> Vec<io::Result<T>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = segments.len().div_ceil(cores).max(1);
    let work = &work;
    thread::scope(|scope| {
        let shares: Vec<_> = segments
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(work).collect::<Vec<_>>()))
            .collect();
        let done = shares.into_iter().map(thread::ScopedJoinHandle::join);
        // Propagate a panic of a thread.
        done.flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// Reports the doubts about a game.
fn tell(board: &BoardId, doubts: &[Doubt]) -> Outcome {
    for Doubt { seq, to, what } in doubts {
        let up_to = if to > seq {
            format!(" (up to {to})")
        } else {
            String::new()
        };
        anstream::eprintln!("remisd: board {board}, entry {seq}: {what}{up_to}");
    }
    if doubts.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Failed
    }
}

/// Reports a board that cannot be read.
fn failed(board: &BoardId, error: &anyhow::Error) -> Outcome {
    anstream::eprintln!("remisd: board {board}: {error:#}");
    Outcome::Failed
}

/// Marks the line of a game with missing entries.
const MARK: &str = "  ENTRIES MISSING";
/// Marks the line of a game whose file contradicts another one.
const CONTRADICTS: &str = "  CONTRADICTS ";

/// Marks the line of a file that is of another record.
const OF_OTHER_RECORD: &str = "  OF ANOTHER RECORD";

/// The format in which entries are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One readable line each.
    Words,
    /// As stored.
    Json,
    /// The raw data on the board's line instead of the entries.
    Raw,
}

/// The selected boards of a journal.
struct Record {
    reader: Reader,
    /// What the broker has confirmed; `None` if the file cannot be read.
    cursors: Option<Cursors>,
    boards: Vec<BoardId>,
    masks_names: bool,
}

impl Record {
    /// Does `work` for each board. One that cannot be read is reported, and the others are done.
    /// What `work` has written before an error is output.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    fn each_board(
        &self,
        out: &mut dyn Write,
        mut work: impl FnMut(&BoardId, &mut Vec<u8>) -> anyhow::Result<Outcome>,
    ) -> io::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        for board in &self.boards {
            let mut text = Vec::new();
            let done = work(board, &mut text);
            out.write_all(&text)?;
            outcome = outcome.or(done.unwrap_or_else(|error| failed(board, &error)));
        }
        Ok(outcome)
    }

    fn list(&self, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let listed = self.each_board(out, |board, out| {
            let mut outcome = self.is_cut_off(board)?;
            let contradictions = self.contradictions(board);
            if contradictions.is_none() {
                outcome = Outcome::Failed;
            }
            let segments = self.segments(board)?;
            let lines = in_order(&segments, |segment| {
                let segment = segment.read()?;
                let doubts = doubts_of(&segment);
                let line = self.listed(board, &segment, !doubts.is_empty());
                Ok((segment.first, line, doubts))
            });
            for read in lines {
                let (first, mut line, doubts) = read?;
                outcome = outcome.or(tell(board, &doubts));
                let mut contradictions = contradictions.iter().flatten();
                if let Some(found) = contradictions.find(|found| found.first == first) {
                    if line.is_empty() {
                        line = format!("{board}  {first:>8}  no game was begun");
                    }
                    line = format!("{}{CONTRADICTS}{}\n", line.trim_end(), found.other);
                    outcome = outcome.or(Outcome::Failed);
                }
                out.write_all(line.as_bytes())?;
            }
            for OtherRecord { file, first, .. } in self.reader.other_record(board)? {
                writeln!(out, "{board}  {first:>8}  {file}{OF_OTHER_RECORD}")?;
                outcome = Outcome::Failed;
            }
            Ok(outcome)
        });
        Ok(listed?)
    }

    /// The line of a game, marked if entries are missing; empty if no game was begun.
    fn listed(&self, board: &BoardId, segment: &SegmentRead, damaged: bool) -> String {
        let Some(mut game) = Outline::of(segment) else {
            let first = segment.first;
            return if damaged {
                format!("{board}  {first:>8}  nothing is left of this game{MARK}\n")
            } else {
                String::new()
            };
        };
        if self.masks_names {
            game.tags = names::masked_tags(&game.tags);
        }
        let player = |name| game.tags.get(name).map_or("?", String::as_str);
        format!(
            "{board}  {:>8}  {}  {} - {}  {} plies  {}{}\n",
            segment.first,
            game.time,
            player("White"),
            player("Black"),
            game.plies,
            game.score.as_str(),
            if damaged { MARK } else { "" },
        )
    }

    fn show(
        &self,
        game: Option<EntrySeq>,
        form: Form,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let mut shown = false;
        let outcome = self.each_board(out, |board, out| {
            let segments = self.segments(board)?;
            let wanted = match game {
                Some(number) => segments.iter().find(|segment| segment.first() == number),
                None => segments.last(),
            };
            let Some(segment) = wanted else {
                return Ok(Outcome::Fine);
            };
            shown = true;
            if form == Form::Raw {
                let raw = self.reader.raw(board, segment.first())?;
                out.write_all(raw.as_bytes())?;
                return Ok(Outcome::Fine);
            }
            let segment = segment.read()?;
            let outcome = tell(board, &doubts_of(&segment));
            for mut entry in segment.entries {
                if self.masks_names {
                    entry.body = without_names(&entry.body);
                }
                if form == Form::Json {
                    out.write_all(&entry.body)?;
                    writeln!(out)?;
                } else {
                    writeln!(out, "{board}  {}", in_words(&entry))?;
                }
            }
            Ok(outcome)
        })?;
        if outcome == Outcome::Failed && !shown {
            return Ok(outcome);
        }
        Ok(outcome.or(found(shown, game)))
    }

    fn verify(&self, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        if self.cursors.is_none() {
            outcome = Outcome::Failed;
            writeln!(
                out,
                "{CURSORS}: BROKEN: whether the end of a record is missing is not known"
            )?;
        }
        let verified = self.each_board(out, |board, out| {
            let mut verified = match self.reader.verify(board) {
                Ok(verified) => verified,
                Err(error) => {
                    writeln!(out, "{board}: {error}")?;
                    return Ok(Outcome::Failed);
                }
            };
            let given = self.given(board);
            verified.compare_with(given);
            let contradictions = self.contradictions(board);
            let all_compared = contradictions.is_some();
            verified.add_contradictions(contradictions.into_iter().flatten());
            for finding in &verified.findings {
                let kind = match &finding.what {
                    what if what.is_break() => "BROKEN",
                    what if what.is_loss() => "LOST",
                    _ => "note",
                };
                writeln!(out, "{board}: {kind}: {finding}")?;
            }
            let has_loss = verified.findings.iter().any(|found| found.what.is_loss());
            let whole = verified.first_break().is_none() && !has_loss && all_compared;
            writeln!(
                out,
                "{board}: {}, {} entries in {} files, up to {}, chain {}",
                if whole { "whole" } else { "NOT WHOLE" },
                verified.entries,
                verified.segments,
                verified.last_seq,
                verified.link,
            )?;
            if whole && self.verify_raw(board, out)? {
                Ok(Outcome::Fine)
            } else {
                Ok(Outcome::Failed)
            }
        })?;
        Ok(outcome.or(verified))
    }

    /// Checks whether the available raw data matches its seals.
    fn verify_raw(&self, board: &BoardId, out: &mut dyn Write) -> anyhow::Result<bool> {
        let raw = self.reader.verify_raw(board)?;
        for found in &raw.breaks {
            writeln!(out, "{board}: raw: BROKEN: {found}")?;
        }
        if raw.files > 0 || raw.missing > 0 {
            let (blocks, files) = (raw.blocks, raw.files);
            writeln!(out, "{board}: raw: {blocks} blocks in {files} files")?;
        }
        if raw.missing > 0 {
            let missing = raw.missing;
            writeln!(
                out,
                "{board}: raw: note: {missing} blocks that entries seal are not here: removed for room, or taken by a power cut"
            )?;
        }
        Ok(raw.breaks.is_empty())
    }

    fn export(
        &self,
        number: Option<EntrySeq>,
        output: Option<&Path>,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let mut text = Vec::new();
        let mut all_read = true;
        let outcome = self.each_board(&mut text, |board, text| {
            let exported = self.export_board(board, number, text);
            all_read &= exported.is_ok();
            exported
        })?;
        if text.is_empty() && number.is_some() && all_read {
            return Ok(found(false, number));
        }
        match output {
            Some(path) if !all_read => {
                anstream::eprintln!("remisd: {} is left as it is", path.display());
            }
            Some(path) => replace(path, &text).with_context(|| path.display().to_string())?,
            None => out.write_all(&text)?,
        }
        Ok(outcome)
    }

    /// Appends a board's games to `text`.
    fn export_board(
        &self,
        board: &BoardId,
        number: Option<EntrySeq>,
        text: &mut Vec<u8>,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = self.is_cut_off(board)?;
        for OtherRecord { file, .. } in self.reader.other_record(board)? {
            anstream::eprintln!(
                "remisd: board {board}: {file} is of another record: its game is left out"
            );
        }
        let mut segments = self.segments(board)?;
        segments.retain(|segment| number.is_none_or(|number| number == segment.first()));
        let games = in_order(&segments, |segment| {
            let read = segment.read()?;
            let Played { game, doubts } = played(&read);
            let has_moves = |game: &Game| game.ply() > 0 || game.missing_since().is_some();
            let wanted = |game: &Game| has_moves(game) || number.is_some();
            let mut text = Vec::new();
            if let Some(game) = game.filter(wanted) {
                let mut tags = self.tags_of(&game);
                if let Some(began) = began(read.entries.iter().map(|entry| &entry.body[..])) {
                    dates::add(&mut tags, began, &TimeZone::system());
                }
                pgn(board, &game, tags).write_to(&mut text)?;
            }
            Ok((text, doubts))
        });
        for game in games {
            let (game, doubts) = game?;
            outcome = outcome.or(tell(board, &doubts));
            text.extend(game);
        }
        Ok(outcome)
    }

    /// The last of a board's entries that the broker has confirmed.
    fn given(&self, board: &BoardId) -> EntrySeq {
        let cursors = self.cursors.as_ref();
        cursors
            .and_then(|cursors| cursors.get(board))
            .unwrap_or_default()
    }

    /// A board's segments, with what is known about the end of the newest.
    fn segments(&self, board: &BoardId) -> io::Result<Vec<SegmentFile>> {
        self.reader.each_segment_up_to(board, self.given(board))
    }

    /// The files of a board that contradict others; `None` if that is not known, which is reported.
    fn contradictions(&self, board: &BoardId) -> Option<Vec<Contradiction>> {
        let found = self.reader.contradictions(board, self.given(board));
        found
            .inspect_err(|error| {
                anstream::eprintln!(
                    "remisd: board {board}: whether files contradict each other is not known: {error}"
                );
            })
            .ok()
    }

    /// Checks whether entries are missing at the end of a board's record, and reports it.
    fn is_cut_off(&self, board: &BoardId) -> anyhow::Result<Outcome> {
        let last = self.reader.last_number(board)?;
        let given = self.given(board);
        if given <= last {
            return Ok(Outcome::Fine);
        }
        anstream::eprintln!(
            "remisd: board {board}: the record is cut off after entry {last}: entries up to {given} were recorded"
        );
        Ok(Outcome::Failed)
    }

    /// A game's tags, masked if requested.
    fn tags_of(&self, game: &Game) -> BTreeMap<String, String> {
        if self.masks_names {
            names::masked_tags(game.headers())
        } else {
            game.headers().clone()
        }
    }
}

/// Reports a requested game that was not found.
fn found(found: bool, game: Option<EntrySeq>) -> Outcome {
    if found {
        return Outcome::Fine;
    }
    match game {
        Some(number) => anstream::eprintln!("remisd: no board has a game {number}: see `list`"),
        None => anstream::eprintln!("remisd: nothing was recorded"),
    }
    Outcome::Failed
}

/// Replaces a file atomically.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".draft");
    fs::write(&draft, text)?;
    fs::rename(&draft, path)
}

fn score(game: &Game) -> Score {
    game.result().map_or(Score::None, |result| result.score)
}

/// The parts of a game in PGN.
struct Pgn<'a> {
    tags: Vec<(String, String)>,
    game: &'a Game,
}

/// The body of an entry without anything that identifies a player.
fn without_names(body: &Bytes) -> Bytes {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else {
        return body.clone();
    };
    names::mask_headers(&mut json);
    let by_player = matches!(json["input"]["role"].as_str(), Some("white" | "black"));
    if by_player && let Some(input) = json["input"].as_object_mut() {
        input.remove("by");
    }
    Bytes::from(json.to_string())
}

fn pgn<'a>(board: &BoardId, game: &'a Game, tags: BTreeMap<String, String>) -> Pgn<'a> {
    let mut tags: Vec<_> = tags.into_iter().collect();
    if !game.headers().contains_key("Board") {
        tags.push(("Board".to_owned(), board.to_string()));
    }
    Pgn { tags, game }
}

impl Pgn<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut turn = shakmaty::Position::turn(self.game.start());
        let mut moves = Vec::new();
        for made in self.game.moves() {
            let clock = made.clock;
            let left = clock.map(|clock| turn.fold_wb(clock.white_ms, clock.black_ms));
            moves.push((made.text.san.as_str(), left));
            turn = turn.other();
        }
        let remarks = remarks(self.game);
        let ending = self.game.result();
        let ending = ending.map(|end| Ending::of(end.reason, end.article.as_deref()));
        let written = Written {
            tags: &self.tags,
            moves: &moves,
            remarks: &remarks,
            uncertain_since: self.game.uncertain_since(),
            missing_since: self.game.missing_since(),
            result: score(self.game),
            ending: ending.as_ref(),
            ..Written::of(self.game.start())
        };
        written.write(&Archive, out)
    }
}

/// The offers, and the claims with what was ruled on them, in the order of the game.
fn remarks(game: &Game) -> Vec<Remark> {
    let offers = game.offer_marks().iter();
    let mut remarks: Vec<_> = offers.map(|&(ply, _)| Remark::offer(ply)).collect();
    remarks.extend(game.claims().iter().map(|claim| Remark {
        ply: claim.ply,
        text: claim_in_words(claim),
    }));
    remarks.sort_by_key(|remark| remark.ply);
    remarks
}

fn claim_in_words(claim: &ClaimRecord) -> String {
    let by = color(claim.by.into());
    let (kind, article) = (claim.kind.as_str(), &claim.article);
    let announced = claim.announced.as_ref();
    let announced = announced.map_or(String::new(), |made| format!(" with {}", made.san()));
    let ruling = match claim.ruling.as_ref().map(ClaimRuling::decision) {
        Some(ClaimDecision::Correct) => ": correct",
        Some(ClaimDecision::Incorrect) => ": incorrect",
        Some(ClaimDecision::NotAdmissible) => ": not admissible",
        None => "",
    };
    format!("{by} claims {kind}{announced}, article {article}{ruling}")
}

/// An entry on one line.
fn in_words(entry: &Entry) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(&entry.body) else {
        return format!("{:>8}  (cannot be read)", entry.seq);
    };
    let time = body["time"].as_str().unwrap_or("?");
    let facts = body["facts"].as_array().into_iter().flatten();
    let facts: Vec<String> = facts.map(named).collect();
    let mut line = format!("{:>8}  {time}  {}", entry.seq, named(&body["input"]));
    if !facts.is_empty() {
        line.push_str("  =>  ");
        line.push_str(&facts.join("; "));
    }
    line
}

/// An input or a fact: its type, then its values.
fn named(value: &Value) -> String {
    let Some(object) = value.as_object() else {
        return value.to_string();
    };
    let mut words = vec![
        object
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("?")
            .to_owned(),
    ];
    for (name, value) in object.iter().filter(|(name, _)| *name != "type") {
        let value = match value {
            Value::Null => continue,
            Value::String(text) if !text.contains([' ', '"']) => text.clone(),
            other => other.to_string(),
        };
        words.push(format!("{name}={value}"));
    }
    words.join(" ")
}
