//! What Lichess shows of each game, after the pushes that it has taken.
//!
//! A move that a correction has replaced stays on Lichess as a variation until the round is reset.
//!
//! So does a game whose id is no longer pushed, because other people play, or it belongs to another
//! round. Lichess can take the game that follows it for the same one: with the same `Event` and
//! `Site`, and the same position after the last ply that both have. Then it has one game, under the
//! new id. Otherwise the old one is left over.
//!
//! A tag that is no longer pushed stays as well, such as the FIDE id of the player before.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use crate::{files::replace, text::Line};

/// The replaced lines of a game that are kept.
const KEPT: usize = 16;

/// A game that Lichess has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownGame {
    /// The tag `GameId`.
    pub id: String,
    /// The tags `Event` and `Site`.
    #[serde(default)]
    event: String,
    /// The moves in SAN, with a space between them.
    moves: String,
    /// The tags about the players that Lichess has.
    #[serde(default)]
    about: BTreeSet<String>,
    /// The tags about the players that Lichess has and that are no longer pushed.
    #[serde(default)]
    pub stale_tags: BTreeSet<String>,
    /// Whether its id is no longer pushed.
    #[serde(default)]
    pub left_over: bool,
    /// Whole lines that were replaced, oldest first.
    #[serde(default)]
    old: Vec<String>,
    /// How many older ones were forgotten.
    #[serde(default)]
    pub left_out: u32,
    /// When Lichess has taken it last, RFC 3339.
    pub at: String,
}

/// Moves that are no longer played, and that Lichess still shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The ply of the first of them.
    pub ply: u32,
    /// The moves in SAN, with a space between them.
    pub moves: String,
}

impl ShownGame {
    /// The number of plies.
    #[must_use]
    pub fn plies(&self) -> u32 {
        count(self.moves.split_whitespace())
    }

    /// The moves that Lichess shows although they were replaced.
    pub fn replaced(&self) -> impl Iterator<Item = Replaced> {
        self.old.iter().map(|old| {
            let mut line = self.moves.split_whitespace();
            let common = (old.split_whitespace()).take_while(|san| line.next() == Some(san));
            let common = common.count();
            let rest: Vec<&str> = old.split_whitespace().skip(common).collect();
            Replaced {
                ply: u32::try_from(common + 1).unwrap_or(u32::MAX),
                moves: rest.join(" "),
            }
        })
    }

    fn new(line: &Line, at: &str) -> Self {
        Self {
            id: line.id.clone(),
            event: line.event.clone(),
            moves: line.moves.clone(),
            about: line.about.clone(),
            stale_tags: BTreeSet::new(),
            left_over: false,
            old: Vec::new(),
            left_out: 0,
            at: at.to_owned(),
        }
    }

    /// Whether Lichess takes a game with another id for this one.
    fn is_taken_for(&self, line: &Line) -> bool {
        let (one, other) = (&self.moves, &line.moves);
        self.event == line.event && (continues(one, other) || continues(other, one))
    }

    fn take(&mut self, line: &Line, at: &str) {
        self.id.clone_from(&line.id);
        self.event.clone_from(&line.event);
        self.stale_tags = self.about.difference(&line.about).cloned().collect();
        self.about.extend(line.about.iter().cloned());
        if self.moves != line.moves {
            self.replace_moves(&line.moves, at);
        }
    }

    fn replace_moves(&mut self, moves: &str, at: &str) {
        let before = std::mem::replace(&mut self.moves, moves.to_owned());
        self.old.push(before);
        let line = &self.moves;
        self.old.retain(|old| !continues(line, old));
        let old = std::mem::take(&mut self.old);
        for one in old {
            // Of a line and its beginning, the line says it all.
            if !self.old.iter().any(|other| continues(other, &one)) {
                self.old.retain(|other| !continues(&one, other));
                self.old.push(one);
            }
        }
        while self.old.len() > KEPT {
            self.old.remove(0);
            self.left_out = self.left_out.saturating_add(1);
        }
        at.clone_into(&mut self.at);
    }
}

/// Whether a line begins with the moves of another one.
fn continues(line: &str, other: &str) -> bool {
    let mut moves = line.split_whitespace();
    other
        .split_whitespace()
        .all(|san| moves.next() == Some(san))
}

fn count(moves: impl Iterator) -> u32 {
    u32::try_from(moves.count()).unwrap_or(u32::MAX)
}

/// The games of all Lichess rounds, and where they are kept.
#[derive(Debug, Default)]
pub(super) struct Shown {
    directory: Option<PathBuf>,
    games: BTreeMap<(String, BoardId), Vec<ShownGame>>,
}

/// A file, and what it is to hold.
type File = (PathBuf, Option<Vec<u8>>);

#[derive(Serialize, Deserialize)]
struct Kept {
    round: String,
    board: BoardId,
    games: Vec<ShownGame>,
}

impl Shown {
    /// What an earlier run has kept of these Lichess rounds. A file that cannot be read is logged
    /// and left out.
    pub(super) fn load(directory: Option<PathBuf>) -> Self {
        let mut shown = Self {
            directory,
            games: BTreeMap::new(),
        };
        let files = shown.directory.as_ref().map(fs::read_dir);
        let Some(Ok(files)) = files else {
            return shown;
        };
        for file in files.filter_map(Result::ok) {
            let path = file.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read(&path) {
                Ok(kept) => {
                    shown.games.insert((kept.round, kept.board), kept.games);
                }
                Err(error) => tracing::warn!(path = %path.display(), "not restored: {error}"),
            }
        }
        shown
    }

    /// The games of a board that a Lichess round shows.
    pub(super) fn of(&self, round: &str, board: &BoardId) -> &[ShownGame] {
        let games = self.games.get(&(round.to_owned(), board.clone()));
        games.map_or(&[], Vec::as_slice)
    }

    /// The games of all Lichess rounds, by board.
    pub(super) fn all(&self) -> BTreeMap<BoardId, BTreeMap<String, Vec<ShownGame>>> {
        let mut boards: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for ((round, board), games) in &self.games {
            let rounds = boards.entry(board.clone()).or_default();
            rounds.insert(round.clone(), games.clone());
        }
        boards
    }

    /// Notes the games of a board that were pushed, of which Lichess has taken those that `taken`
    /// holds of; returns the file to write, if any.
    pub(super) fn take(
        &mut self,
        round: &str,
        board: &BoardId,
        lines: &[Line],
        taken: impl Fn(usize) -> bool,
        at: &str,
    ) -> Option<File> {
        let games = self.games.entry((round.to_owned(), board.clone()));
        let games = games.or_default();
        let before = games.clone();
        let is_pushed = |game: &ShownGame| lines.iter().any(|line| line.id == game.id);
        for (_, line) in lines.iter().enumerate().filter(|(index, _)| taken(*index)) {
            let same = games.iter().position(|game| game.id == line.id);
            let same = same.or_else(|| {
                let mut games = games.iter();
                games.position(|game| !is_pushed(game) && game.is_taken_for(line))
            });
            match same {
                Some(place) => games[place].take(line, at),
                None => games.push(ShownGame::new(line, at)),
            }
        }
        for game in games.iter_mut() {
            let left_over = !is_pushed(game);
            if left_over && !game.left_over {
                tracing::warn!(%board, round, id = game.id, "Lichess still shows a game of an earlier pairing");
            }
            game.left_over = left_over;
        }
        // A board has few games in a round; its number bounds what a wrong tag could make.
        let surplus = games.len().saturating_sub(KEPT);
        games.drain(..surplus);
        if *games == before {
            return None;
        }
        let kept = Kept {
            round: round.to_owned(),
            board: board.clone(),
            games: games.clone(),
        };
        let content = serde_json::to_vec(&kept).ok();
        Some((self.path(round, board)?, content))
    }

    /// Forgets what a Lichess round shows: it was reset. Returns the files to remove.
    pub(super) fn forget(&mut self, round: &str) -> Vec<File> {
        let boards: Vec<BoardId> = (self.games.keys())
            .filter(|(of, _)| of == round)
            .map(|(_, board)| board.clone())
            .collect();
        self.games.retain(|(of, _), _| of != round);
        let paths = boards.iter().filter_map(|board| self.path(round, board));
        paths.map(|path| (path, None)).collect()
    }

    fn path(&self, round: &str, board: &BoardId) -> Option<PathBuf> {
        let directory = self.directory.as_ref()?;
        Some(directory.join(format!("{round}-{board}.json")))
    }
}

/// Writes or removes the files.
///
/// # Errors
///
/// The error of the file system.
pub(super) fn write(files: &[File]) -> io::Result<()> {
    for (path, content) in files {
        match content {
            Some(content) => {
                if let Some(directory) = path.parent() {
                    fs::create_dir_all(directory)?;
                }
                replace(path, content)?;
            }
            None => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            },
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<Kept> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, event: &str, moves: &str) -> Line {
        Line {
            id: id.to_owned(),
            event: event.to_owned(),
            moves: moves.to_owned(),
            ..Line::default()
        }
    }

    #[test]
    fn a_game_whose_id_is_no_longer_pushed_is_left_over_unless_another_one_continues_it() {
        let board: BoardId = "b1".parse().unwrap();
        // The pushed games, and what is shown then; a game that is left over has a star.
        for (pushes, expected) in [
            (
                vec![vec![("a", "E", "e4")], vec![("b", "E", "e4 e5")]],
                vec!["b"],
            ),
            (
                vec![vec![("a", "E", "e4")], vec![("b", "E", "")]],
                vec!["b"],
            ),
            (
                vec![vec![("a", "E", "e4")], vec![("b", "E", "d4")]],
                vec!["a*", "b"],
            ),
            (
                vec![vec![("a", "E", "e4")], vec![("b", "F", "e4")]],
                vec!["a*", "b"],
            ),
            (
                vec![
                    vec![("a", "E", "e4")],
                    vec![("b", "F", "e4")],
                    vec![("a", "E", "e4")],
                ],
                vec!["a", "b*"],
            ),
            (
                vec![
                    vec![("a", "E", "e4")],
                    vec![("a", "E", "e4"), ("b", "E", "e4")],
                ],
                vec!["a", "b"],
            ),
            (vec![vec![("a", "E", "e4")], vec![]], vec!["a*"]),
            // A game that is refused neither continues another one nor is left over.
            (
                vec![vec![("a", "E", "e4")], vec![("b", "E", "refused")]],
                vec!["a*"],
            ),
            (
                vec![vec![("a", "E", "e4")], vec![("a", "E", "refused")]],
                vec!["a"],
            ),
        ] {
            let mut shown = Shown::default();
            for games in &pushes {
                let lines: Vec<Line> = games
                    .iter()
                    .map(|(id, event, moves)| line(id, event, moves))
                    .collect();
                shown.take(
                    "r",
                    &board,
                    &lines,
                    |index| lines[index].moves != "refused",
                    "t",
                );
            }
            let found = shown.of("r", &board).iter();
            let found: Vec<String> = found
                .map(|game| format!("{}{}", game.id, if game.left_over { "*" } else { "" }))
                .collect();
            assert_eq!(found, expected, "{pushes:?}");
        }
    }

    #[test]
    fn tags_that_are_no_longer_pushed_are_named_until_they_are_pushed_again() {
        let board: BoardId = "b1".parse().unwrap();
        let mut shown = Shown::default();
        let mut stale = |tags: &[&str]| {
            let about = tags.iter().map(|&tag| tag.to_owned()).collect();
            let line = Line {
                about,
                ..line("g", "E", "e4")
            };
            shown.take("r", &board, &[line], |_| true, "t");
            let stale = shown.of("r", &board)[0].stale_tags.iter();
            stale.cloned().collect::<Vec<_>>()
        };
        assert!(stale(&["WhiteElo", "WhiteFideId"]).is_empty());
        assert_eq!(stale(&["WhiteElo"]), ["WhiteFideId"]);
        assert_eq!(stale(&["BlackElo"]), ["WhiteElo", "WhiteFideId"]);
        assert_eq!(stale(&["BlackElo", "WhiteFideId"]), ["WhiteElo"]);
    }

    fn shown(lines: &[&str]) -> Vec<(u32, String)> {
        let board: BoardId = "b1".parse().unwrap();
        let mut shown = Shown::default();
        for moves in lines {
            shown.take("r", &board, &[line("g", "", moves)], |_| true, "t");
        }
        let replaced = shown.of("r", &board)[0].replaced();
        replaced.map(|one| (one.ply, one.moves)).collect()
    }

    #[test]
    fn replaced_moves_are_named_until_they_are_played_again() {
        assert_eq!(shown(&["", "e4", "e4 e5"]), []);
        let corrected = ["e4 e5 Nf3", "e4 c5"];
        assert_eq!(shown(&corrected), [(2, "e5 Nf3".to_owned())]);
        // A record that was shortened: Lichess still shows the rest.
        assert_eq!(shown(&["e4 e5 Nf3", "e4"]), [(2, "e5 Nf3".to_owned())]);
        assert_eq!(shown(&["e4 e5 Nf3", "e4", "e4 e5", "e4 e5 Nf3 d6"]), []);
        let thrice = ["e4 e5", "e4 e5 Nf3", "e4", "d4", "d4 d5"];
        assert_eq!(shown(&thrice), [(1, "e4 e5 Nf3".to_owned())]);
    }

    #[test]
    fn what_is_shown_survives_a_restart_until_the_round_is_reset() {
        let place = tempfile::tempdir().unwrap();
        let board: BoardId = "b1".parse().unwrap();
        let directory = Some(place.path().join("shown"));
        let mut before = Shown::load(directory.clone());
        for moves in ["e4", "d4"] {
            let file = before.take("r", &board, &[line("g", "", moves)], |_| true, "t");
            write(&file.into_iter().collect::<Vec<_>>()).unwrap();
        }
        let mut after = Shown::load(directory.clone());
        assert_eq!(after.of("r", &board), before.of("r", &board));
        assert_eq!(after.of("r", &board)[0].replaced().count(), 1);
        write(&after.forget("r")).unwrap();
        assert!(Shown::load(directory).of("r", &board).is_empty());
    }
}
