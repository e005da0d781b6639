//! The results of a round, filled into the tournament report with its pairings.

use std::collections::BTreeSet;

use remisd_laws::Score;
use remisd_trf::{Published, Report};
use remisd_vocabulary::name::BoardId;

use super::round::{Round, Standing, score_text, tag, title};
use crate::{cli::journal::Recorded, pairings};

/// Fills the certain results into the report. Others stay as they are.
///
/// Games of `forfeits` were not played. With `skip_others`, games whose players are both not in the
/// report are left out; their titles are returned.
///
/// # Errors
///
/// The games that do not fit the report, each with the reason. The report may have changed.
pub(super) fn fill(
    report: &mut Report,
    round: &Round,
    games: &[Recorded],
    forfeits: &BTreeSet<BoardId>,
    skip_others: bool,
) -> Result<Vec<String>, Vec<String>> {
    let (mut wrong, mut left_out) = (Vec::new(), Vec::new());
    let Ok(number) = u16::try_from(round.number) else {
        return Err(vec![format!("a report has no round {}", round.number)]);
    };
    // Of the players alone.
    let players = Published::of(report, 0);
    let mut seen: Vec<((u16, u16), Score, String)> = Vec::new();
    for recorded in games {
        let find = |side: &str| {
            let id = tag(recorded, &format!("{side}FideId"));
            players.find(id.trim().parse().ok(), tag(recorded, side))
        };
        let (white, black) = match (find("White"), find("Black")) {
            (Some(white), Some(black)) => (white, black),
            (None, None) if skip_others => {
                left_out.push(title(recorded));
                continue;
            }
            (white, _) => {
                let side = if white.is_none() { "White" } else { "Black" };
                let name = match tag(recorded, side) {
                    "" => "a player without a name",
                    name => name,
                };
                wrong.push(format!("{}: {name} is not in the report", title(recorded)));
                continue;
            }
        };
        let score = Standing::of(recorded).certain();
        // A game without a move was only set up. A second one that was played may be the replay of
        // the first, whose result then counts no more.
        let is_empty = score == Score::None && recorded.game.ply() == 0;
        let known = seen
            .iter()
            .find(|(pair, other, _)| *pair == (white, black) && *other != score && !is_empty);
        if let Some((_, other, game)) = known {
            wrong.push(format!(
                "{}: {} here and {} in {game}; leave one out with --without",
                title(recorded),
                score_text(score),
                score_text(*other)
            ));
            continue;
        }
        let name = format!("{}/{}", recorded.board, recorded.game.number());
        if !is_empty {
            seen.push(((white, black), score, name));
        }
        let by_forfeit = forfeits.contains(&recorded.board);
        let filled = match pairings::outcome(score) {
            // The pairing is checked, and nothing is filled in.
            None => report.check_pairing(number, white, black),
            Some(outcome) => report.fill_result(number, white, black, outcome, by_forfeit),
        };
        if let Err(error) = filled {
            wrong.push(format!("{}: {error}", title(recorded)));
        }
    }
    if wrong.is_empty() {
        Ok(left_out)
    } else {
        Err(wrong)
    }
}
