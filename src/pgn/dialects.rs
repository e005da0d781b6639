//! The two dialects that games are written in.
//!
//! | | [`Archive`] | [`Feed`] |
//! |---|---|---|
//! | reader | arbiter, federation, databases | Lichess, chess.com, relays |
//! | offers, claims, rulings | comments | – |
//! | times | `[%clk]` and `[%emt]` | `[%clk]` |
//! | a move that is not legal | named in a comment | the moves end before it |
//! | `TimeControl` | `40/5400+30:1800+30` | the first period, `90+30` |
//! | a game that both lost | `*`, and `{0-0}` | `[Result "0-0"]` |
//! | names of tags | letters, digits, `_` | letters |

use shakmaty::Position as _;

use super::{
    Termination,
    openings::{self, Opening},
    write::{Dialect, ROSTER, Written, time},
};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::{notation, text::OneLine};

/// Everything that is known of a game, in export format.
#[derive(Debug, Clone, Copy, Default)]
pub struct Archive;

/// What the receivers of broadcasts take.
#[derive(Debug, Clone, Copy, Default)]
pub struct Feed {
    /// Whether the tags `WhiteClock` and `BlackClock` have the current remaining times, in place of
    /// the times beside the last two moves. Lichess reads these tags only where the moves have no
    /// times.
    pub running_clock: bool,
}

/// The tags that the writer derives.
const DERIVED: [&str; 4] = ["SetUp", "FEN", "Variant", "Result"];

impl Dialect for Archive {
    fn tags(&self, game: &Written<'_>) -> Vec<(String, String)> {
        let mut tags = given(game, tag_name);
        if let Some(control) = game.time_control() {
            set(&mut tags, "TimeControl", control.to_string());
        }
        let result = match game.result {
            Score::BothLose => Score::None,
            score => score,
        };
        tags.push(pair("Result", result.as_str()));
        let running = (game.result == Score::None).then_some(Termination::Unterminated);
        let ending = game.ending.and_then(|ending| ending.termination);
        let termination = ending.or(running);
        if let Some(termination) = termination {
            set(&mut tags, "Termination", termination.as_str().to_owned());
        }
        let named = |tag: &str| tags.iter().any(|(name, _)| name == tag);
        if !named("ECO")
            && !named("Opening")
            && let Some(opening) = opening(game)
        {
            tags.push(pair("ECO", opening.eco));
            tags.push(pair("Opening", opening.name));
        }
        tags.extend(starting_position(game));
        tags
    }

    fn words(&self, game: &Written<'_>) -> Vec<String> {
        let mut words = Vec::new();
        let legal = game.positions().count();
        let used = times_used(game);
        // Black's move has a number only if something came between.
        let mut interrupted = true;
        remarks(game, 0, &mut words);
        for (index, (san, clock_ms)) in game.moves.iter().enumerate().take(legal) {
            words.extend(game.number(index, interrupted));
            words.push((*san).to_owned());
            let length = words.len();
            if let Some(ms) = clock_ms {
                // Keep this a single word: many programs miss a time that is split over two lines.
                words.push(match used[index] {
                    Some(used) => format!("{{[%clk {}] [%emt {}]}}", time(*ms), time(used)),
                    None => format!("{{[%clk {}]}}", time(*ms)),
                });
            }
            remarks(game, index + 1, &mut words);
            interrupted = words.len() > length;
        }
        if legal < game.moves.len() {
            let rest: Vec<&str> = game.moves[legal..].iter().map(|(san, _)| *san).collect();
            comment(&format!("not legal: {}", rest.join(" ")), &mut words);
        }
        if let Some(ply) = game.missing_since {
            let lost = "entries of the journal are lost: moves may be missing or wrong from ply";
            comment(&format!("{lost} {ply} on"), &mut words);
        }
        if let Some(ply) = game.uncertain_since {
            let perhaps = game.unsettled.map_or_else(String::new, |san| {
                format!(": perhaps {san} was on the board at the end")
            });
            comment(
                &format!("not certain from ply {ply} on{perhaps}"),
                &mut words,
            );
        }
        if let Some(ending) = game.ending {
            comment(&ending.reason, &mut words);
        }
        // PGN has no code for a game lost by both players; it is written as unfinished.
        let result = match game.result {
            Score::BothLose => {
                words.push("{0-0}".to_owned());
                Score::None
            }
            score => score,
        };
        words.push(result.as_str().to_owned());
        words
    }
}

impl Dialect for Feed {
    fn tags(&self, game: &Written<'_>) -> Vec<(String, String)> {
        let mut tags = given(game, |name| {
            // A digit or an underscore in a name spoils the whole header for Lichess.
            let letters = name.bytes().all(|byte| byte.is_ascii_alphabetic());
            if letters {
                name.to_owned()
            } else {
                String::new()
            }
        });
        tags.retain(|(name, _)| name != "TimeControl");
        if let Some(control) = game.time_control().and_then(|control| control.in_minutes()) {
            tags.push(("TimeControl".to_owned(), control));
        }
        tags.push(pair("Result", game.result.as_str()));
        if let Some(termination) = game.ending.and_then(|ending| ending.termination) {
            set(&mut tags, "Termination", termination.as_str().to_owned());
        }
        if let Some(clocks) = game.clocks.filter(|_| self.has_running_clock(game)) {
            tags.push(("WhiteClock".to_owned(), time(clocks.white)));
            tags.push(("BlackClock".to_owned(), time(clocks.black)));
        }
        tags.extend(starting_position(game));
        tags
    }

    fn words(&self, game: &Written<'_>) -> Vec<String> {
        let mut words = Vec::new();
        let legal = game.positions().count();
        let timed = if self.has_running_clock(game) {
            legal.saturating_sub(2)
        } else {
            legal
        };
        for (index, (san, clock_ms)) in game.moves.iter().enumerate().take(legal) {
            words.extend(game.number(index, index == 0));
            words.push((*san).to_owned());
            if let Some(ms) = clock_ms.filter(|_| index < timed) {
                words.push(format!("{{[%clk {}]}}", time(ms)));
            }
        }
        // Readers take `0-0` here for castling.
        words.push(match game.result {
            Score::BothLose => "*".to_owned(),
            score => score.as_str().to_owned(),
        });
        words
    }
}

impl Feed {
    fn has_running_clock(self, game: &Written<'_>) -> bool {
        self.running_clock && game.result == Score::None && game.clocks.is_some()
    }
}

/// The given tags that have a name and a value and are not derived.
fn given(game: &Written<'_>, name: impl Fn(&str) -> String) -> Vec<(String, String)> {
    let tags = game.tags.iter().map(|(tag, value)| (name(tag), value));
    let kept = tags.filter(|(tag, value)| {
        let known = ROSTER.iter().any(|(known, _)| known == tag);
        !tag.is_empty() && !DERIVED.contains(&tag.as_str()) && (known || !value.is_empty())
    });
    kept.map(|(tag, value)| (tag, value.clone())).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Sets a tag, in place of what was given.
fn set(tags: &mut Vec<(String, String)>, name: &str, value: String) {
    tags.retain(|(given, _)| given != name);
    tags.push((name.to_owned(), value));
}

fn starting_position(game: &Written<'_>) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    if game.start.castles().mode().is_chess960() {
        tags.push(pair("Variant", "Chess960"));
    }
    if *game.start != shakmaty::Chess::default() {
        tags.push(pair("SetUp", "1"));
        tags.push(("FEN".to_owned(), notation::fen(game.start)));
    }
    tags
}

/// The opening of a game from the starting array.
fn opening(game: &Written<'_>) -> Option<Opening> {
    if *game.start != shakmaty::Chess::default() {
        return None;
    }
    let named = game.positions().take(openings::LONGEST);
    named.filter_map(|position| Opening::at(&position)).last()
}

/// The time that each move took. It is unknown where the clock before the move is, or where the
/// clock gained more than the increment: a new period began, or the arbiter adjusted it.
fn times_used(game: &Written<'_>) -> Vec<Option<u64>> {
    let Some(control) = game.time_control() else {
        return vec![None; game.moves.len()];
    };
    let increment = control
        .periods()
        .first()
        .map_or(0, |first| first.increment_ms);
    let mut before = [Some(control.start_ms()); 2];
    let moves = game.moves.iter().enumerate();
    let used = moves.map(|(index, (_, clock))| {
        let before = std::mem::replace(&mut before[index % 2], *clock);
        (before? + increment).checked_sub((*clock)?)
    });
    used.collect()
}

/// The remarks after a ply.
fn remarks(game: &Written<'_>, ply: usize, words: &mut Vec<String>) {
    let here = |remark: &&super::Remark| Ply::try_from(ply).is_ok_and(|ply| remark.ply == ply);
    for remark in game.remarks.iter().filter(here) {
        comment(&remark.text, words);
    }
}

/// The words of a comment. A brace would end it.
fn comment(text: &str, words: &mut Vec<String>) {
    let text = OneLine::new(text);
    let text = text.as_str().replace('{', "(").replace('}', ")");
    words.extend(format!("{{{text}}}").split_whitespace().map(str::to_owned));
}

/// The characters allowed in a tag's name; the name comes from outside, so drop all others.
fn tag_name(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    name.chars().filter(allowed).collect()
}

#[cfg(test)]
mod tests;
