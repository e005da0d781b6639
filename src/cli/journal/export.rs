//! `remisd journal export`: the games as PGN.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::Context as _;
use jiff::tz::TimeZone;

use super::{
    later::{Gathered, LaterResults, gather, results_in},
    played::{Doubt, Played, played},
    selection::{Selection, found, in_order, report},
};
use crate::{
    cli::Outcome,
    pgn::{Archive, Ending, Remark, Written, dates, names},
};
use remisd_game::{ClaimDecision, ClaimRecord, ClaimRuling, Game, began};
use remisd_journal::{OtherRecord, SegmentRead};
use remisd_laws::Score;
use remisd_vocabulary::{name::BoardId, notation::color, seq::EntrySeq};

impl Selection {
    pub(super) fn export(
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
        // Later segments may hold its result.
        segments.retain(|segment| number.is_none_or(|number| number <= segment.first()));
        let games = in_order(&segments, |segment| {
            let read = segment.read()?;
            let decided = results_in(&read);
            if number.is_some_and(|number| number != segment.first()) {
                return Ok(((Vec::new(), Vec::new()), decided));
            }
            let game = self.game_text(board, &read, number.is_some(), None)?;
            Ok((game, decided))
        });
        let Gathered { read, later, error } = gather(games);
        for (segment, (game, doubts)) in segments.iter().zip(read) {
            outcome = outcome.or(report(board, &doubts));
            let is_asked = number.is_none_or(|number| number == segment.first());
            if is_asked && later.of(segment.first()).is_some() {
                let read = segment.read()?;
                let (game, _) = self.game_text(board, &read, true, Some(&later))?;
                text.extend(game);
            } else {
                text.extend(game);
            }
        }
        match error {
            Some(error) => Err(error.into()),
            None => Ok(outcome),
        }
    }

    /// The game of a segment as PGN, with the result that `later` entries give it, and the doubts
    /// about it. Without moves it has no text, unless it is `wanted`.
    fn game_text(
        &self,
        board: &BoardId,
        segment: &SegmentRead,
        wanted: bool,
        later: Option<&LaterResults>,
    ) -> io::Result<(Vec<u8>, Vec<Doubt>)> {
        let Played { game, doubts } = played(segment);
        let mut text = Vec::new();
        if let Some(mut game) = game.filter(|game| game.has_begun() || wanted) {
            if let Some(later) = later {
                later.decide(&mut game);
            }
            let mut tags = self.tags_of(&game);
            if let Some(began) = began(segment.entries.iter().map(|entry| &entry.body[..])) {
                dates::add(&mut tags, began, &TimeZone::system());
            }
            Pgn::of(board, &game, tags).write_to(&mut text)?;
        }
        Ok((text, doubts))
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

/// Replaces a file atomically.
///
/// # Errors
///
/// The error of the file system.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".draft");
    fs::write(&draft, text)?;
    fs::rename(&draft, path)
}

fn score(game: &Game) -> Score {
    game.result().map_or(Score::None, |result| result.score)
}

/// The parts of a game in PGN.
pub struct Pgn<'a> {
    tags: Vec<(String, String)>,
    game: &'a Game,
    /// Why the game is written without its result.
    without_result: Option<String>,
}

impl<'a> Pgn<'a> {
    /// A game at a board, with these tags.
    pub fn of(board: &BoardId, game: &'a Game, tags: BTreeMap<String, String>) -> Self {
        let mut tags: Vec<_> = tags.into_iter().collect();
        if !game.headers().contains_key("Board") {
            tags.push(("Board".to_owned(), board.to_string()));
        }
        Self {
            tags,
            game,
            without_result: None,
        }
    }

    /// The game without its result, with the reason as its last comment.
    pub fn without_result(mut self, why: String) -> Self {
        self.without_result = Some(why);
        self
    }

    /// Writes the game, with an empty line at its end.
    ///
    /// # Errors
    ///
    /// The error of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut turn = shakmaty::Position::turn(self.game.start());
        let mut moves = Vec::new();
        for made in self.game.moves() {
            let clock = made.clock;
            let left = clock.map(|clock| turn.fold_wb(clock.white_ms, clock.black_ms));
            moves.push((made.text.san.as_str(), left));
            turn = turn.other();
        }
        let mut remarks = remarks(self.game);
        let mut result = score(self.game);
        if let Some(why) = &self.without_result {
            result = Score::None;
            remarks.push(Remark {
                ply: self.game.ply(),
                text: why.clone(),
            });
        }
        let ending = self.game.result().filter(|_| result != Score::None);
        let ending = ending.map(|end| Ending::of(end.reason, end.article.as_deref()));
        let written = Written {
            tags: &self.tags,
            moves: &moves,
            remarks: &remarks,
            uncertain_since: self.game.doubted_if_left(),
            unsettled: self.game.unsettled_move().map(|m| m.san.as_str()),
            missing_since: self.game.missing_since(),
            result,
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
