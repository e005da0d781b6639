//! Prints one game: the acts of the hand, the reports of the board, the output of the tracker.

use std::fmt::Write as _;

use remisd::simulate::{play::Mark, score::Score};
use remisd_hand::Reading;
use remisd_vocabulary::sensor::{LinkReport, Placement, Seen, Sensed};
use shakmaty::{CastlingMode, Chess, Color, Move, Piece, Position as _, san::SanPlus};

use crate::{Account, Entry, Grade, Setting};

/// The account of a game as text.
pub fn show(score: &Score, setting: Setting, account: &Account) -> String {
    let mut page = Page {
        score,
        text: String::new(),
        made: Vec::new(),
        seen: Placement::empty(),
        lever: None,
    };
    let lever = if setting.lever { "lever" } else { "no lever" };
    let _ = writeln!(
        page.text,
        "{} – {}, {} plies, {}; {}, {}, {lever}, seed {}\n",
        score.white,
        score.black,
        score.plies.len(),
        score.result,
        setting.profile,
        setting.sensing.name(),
        setting.seed,
    );
    let _ = writeln!(
        page.text,
        "{:>9}  {:<16}{:<30}tracker",
        "seconds", "hand", "board"
    );
    for (at, entry) in &account.log {
        page.entry(*at, entry);
    }
    let grade = Grade::of(score, account);
    let _ = writeln!(page.text, "\n{:?}", grade.outcome);
    if let Some(ply) = grade.differs {
        let _ = writeln!(page.text, "differs first at ply {}", ply + 1);
    }
    page.text
}

struct Page<'a> {
    score: &'a Score,
    text: String,
    /// The moves settled so far.
    made: Vec<Move>,
    seen: Placement,
    lever: Option<Color>,
}

impl Page<'_> {
    fn entry(&mut self, at: u64, entry: &Entry) {
        match entry {
            Entry::Hand(square, None) => self.line(at, &format!("-{square}"), "", ""),
            Entry::Hand(square, Some(piece)) => {
                self.line(at, &format!("{}{square}", piece.char()), "", "");
            }
            Entry::Done(what) => self.line(at, what, "", ""),
            Entry::Mark(Mark::Made { ply }) => {
                let san = &self.score.plies[*ply].san;
                let number = format!("{}{}", ply / 2 + 1, if ply % 2 == 0 { "." } else { "…" });
                let _ = writeln!(
                    self.text,
                    "{:>9}  ── ply {} played: {number} {san} ──",
                    "",
                    ply + 1
                );
            }
            Entry::Mark(Mark::After) => {
                let _ = writeln!(self.text, "{:>9}  ══ the game is over ══", "");
            }
            Entry::Mark(Mark::Shown(winner)) => {
                self.line(at, &format!("shows {winner:?}"), "", "");
            }
            Entry::Sensed(sensed) => {
                if let Some(report) = self.described(sensed) {
                    self.line(at, "", &report, "");
                }
            }
            Entry::Read(reading) => {
                let text = self.reading(reading);
                self.line(at, "", "", &text);
            }
            Entry::Accounts(text) => {
                for line in text.lines() {
                    let _ = writeln!(self.text, "{:>40}{line}", "");
                }
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "one game's seconds fit")]
    fn line(&mut self, at: u64, hand: &str, board: &str, tracker: &str) {
        let seconds = at as f64 / 1e6;
        let line = format!("{seconds:>9.3}  {hand:<16}{board:<30}{tracker}");
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    fn described(&mut self, sensed: &Sensed) -> Option<String> {
        Some(match sensed {
            Sensed::Square(square, seen) => {
                self.seen.set(*square, *seen);
                format!("{}{square}", letter(*seen))
            }
            Sensed::Placement(placement) => {
                let differing: Vec<String> = (placement.differing(&self.seen))
                    .map(|square| format!("{}{square}", letter(placement.get(square))))
                    .collect();
                self.seen = placement.clone();
                match differing.len() {
                    0 => "dump".to_owned(),
                    1..=6 => format!("dump: {}", differing.join(" ")),
                    many => format!("dump: {many} squares differ"),
                }
            }
            Sensed::Clock(reading) => {
                let before = std::mem::replace(&mut self.lever, reading.lever);
                if before == reading.lever {
                    return None;
                }
                let to_move = reading
                    .lever
                    .map_or("neither".to_owned(), |c| c.to_string());
                format!("lever: {to_move} to move")
            }
            Sensed::Orientation(orientation) => format!("{orientation:?}"),
            Sensed::Link(LinkReport::Up(_)) => "line up".to_owned(),
            Sensed::Link(LinkReport::Down { .. }) => "line down".to_owned(),
            Sensed::Link(LinkReport::Device(_) | LinkReport::Counters(_)) => return None,
        })
    }

    fn reading(&mut self, reading: &Reading) -> String {
        match reading {
            Reading::Settled(settled) => {
                let moved = self.moved(settled.m);
                format!("{moved} by {:?}", settled.by)
            }
            Reading::Revised { now } => {
                self.made.pop();
                format!("revised: {}", self.moved(*now))
            }
            Reading::Withdrawn => {
                self.made.pop();
                "withdrawn".to_owned()
            }
            Reading::Mismatch(mismatch) => {
                let squares: Vec<String> = (mismatch.squares.iter())
                    .map(|one| {
                        let (seen, expected) = (letter(one.seen), piece(one.expected));
                        format!("{} {seen} for {expected}", one.square)
                    })
                    .collect();
                format!(
                    "MISMATCH {:?}: {}{}",
                    mismatch.reason,
                    squares.join(", "),
                    candidates(&mismatch.candidates)
                )
            }
            Reading::Touched { square, .. } => format!("touched {square}"),
            Reading::Proposed(proposal) => format!("proposed {:?}", proposal.winner),
            Reading::Faulty(squares) => format!("faulty {squares:?}"),
            Reading::Agreed => "agreed".to_owned(),
            Reading::Unsettled(m) => format!("perhaps {m}"),
            Reading::NewGame => "NEW GAME".to_owned(),
        }
    }

    /// A settled move, and whether it is the one played.
    fn moved(&mut self, m: Move) -> String {
        let index = self.made.len();
        let mut position: Chess = self.score.start.clone();
        for made in &self.made {
            match position.clone().play(*made) {
                Ok(after) => position = after,
                Err(_) => return format!("{m:?} after what is not legal"),
            }
        }
        self.made.push(m);
        let legal = position.is_legal(m);
        let san = if legal {
            SanPlus::from_move(position, m).to_string()
        } else {
            format!("{} (ILLEGAL)", uci(&[m]))
        };
        match self.score.plies.get(index) {
            Some(ply) if ply.played == m => format!("{san} ✓"),
            Some(ply) => format!("{san} ✗✗✗ ply {} was {}", index + 1, ply.san),
            None => format!("{san} ✗✗✗ nothing was played"),
        }
    }
}

/// The first few possible lines.
fn candidates(lines: &[Vec<Move>]) -> String {
    let shown: Vec<String> = lines.iter().take(4).map(|line| uci(line)).collect();
    let more = lines.len().saturating_sub(shown.len());
    match more {
        0 => shown.join(" | "),
        more => format!("{} and {more} more", shown.join(" | ")),
    }
}

fn uci(line: &[Move]) -> String {
    let words: Vec<String> = line
        .iter()
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .collect();
    words.join(" ")
}

fn letter(seen: Seen) -> char {
    match seen {
        Seen::Empty => '-',
        Seen::Piece(piece) => piece.char(),
        Seen::Occupied => '#',
        Seen::ResultPiece(_) => '!',
    }
}

fn piece(piece: Option<Piece>) -> char {
    piece.map_or('-', Piece::char)
}
