//! Pairings in a tournament report (TRF): the first round without a result, or else the last one.

use remisd_laws::Score;
use remisd_trf::{Outcome, Player, Report};
use shakmaty::Color;

use super::{Findings, Pairing, Trouble, player::keep};

/// A score as a tournament report has it; `None` while there is no result.
#[must_use]
pub const fn outcome(score: Score) -> Option<Outcome> {
    match score {
        Score::WhiteWins => Some(Outcome::WhiteWins),
        Score::BlackWins => Some(Outcome::BlackWins),
        Score::Draw => Some(Outcome::Draw),
        Score::BothLose => Some(Outcome::BothLose),
        Score::None => None,
    }
}

/// Whether a text is a tournament report.
pub(super) fn is_report(text: &str) -> bool {
    Report::is_report(text)
}

/// Reads the games of the round that is to be played, in the order of the boards as FIDE's rules give it.
///
/// A report has no numbers of boards, so a warning asks for a look at their order.
pub(super) fn read(text: &str, findings: &mut Findings) -> Vec<Pairing> {
    let report = match Report::read(text.as_bytes()) {
        Ok(report) => report,
        Err(error) => {
            let detail = format!("column {}: {}", error.column, error.what);
            findings.problem(error.line, Trouble::Unreadable, &detail);
            return Vec::new();
        }
    };
    for finding in report.findings() {
        let detail = format!("column {}: {}", finding.column, finding.what);
        findings.warning(finding.line, Trouble::Unreadable, &detail);
    }
    let round = report.next_round();
    let pairs = report.pairs(round);
    if let Some(first) = pairs.first() {
        let line = report.player(first.white).map_or(1, |player| player.line);
        findings.warning(line, Trouble::BoardOrder, &round.to_string());
    }
    let byes = report.players().iter().filter(|player| {
        let cell = player.cell(round);
        cell.code.is_some() && cell.opponent.is_none()
    });
    for player in byes {
        findings.warning(player.line, Trouble::Bye, &player.name);
    }
    let games = pairs.into_iter().filter_map(|pair| {
        let white = report.player(pair.white)?;
        let black = report.player(pair.black)?;
        if pair.has_result {
            findings.warning(white.line, Trouble::HasResult, &white.name);
        }
        let line = white.line;
        let mut pairing = Pairing {
            line,
            ..Pairing::default()
        };
        let mut put = |tag: &str, value: &str| {
            if !value.is_empty() {
                keep(&mut pairing.headers, tag, value, line, findings);
            }
        };
        put("Event", report.record("012").unwrap_or_default());
        put("Site", report.record("022").unwrap_or_default());
        put("Round", &round.to_string());
        put("Date", &report.date(round).unwrap_or_default());
        for (color, player) in [(Color::White, white), (Color::Black, black)] {
            for (tag, value) in tags(color, player) {
                put(&tag, &value);
            }
        }
        Some(pairing)
    });
    games.collect()
}

fn tags(color: Color, player: &Player) -> [(String, String); 5] {
    let side = color.fold_wb("White", "Black");
    let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    [
        (side.to_owned(), player.name.clone()),
        (format!("{side}Title"), player.title.clone()),
        (format!("{side}Elo"), number(player.rating.map(u64::from))),
        (format!("{side}Fed"), player.federation.clone()),
        (format!("{side}FideId"), number(player.fide_id)),
    ]
}

#[cfg(test)]
mod tests {
    use crate::pairings::{Trouble, read};

    const FILE: &str = "\
012 Town Open\r
022 Utrecht\r
132                                                                                        26/11/28  26/11/29\r
001    1 m GM Alpha, Anna                       2500 NED     1000001 1990/01/01  1.0    1     4 w 1     3 b  \r
001    2   IM Müller, Jürgen                    2400 GER     1000002             1.0    2     3 b 1     4 w  \r
001    3      Gamma, G                               NED                         0.0    3     2 w 0     1 w  \r
001    4      Delta, D                          2200 NED     1000004             0.0    4     1 b 0     2 b  \r
001    5      Epsilon, E                        2100 NED     1000005             1.0    5  0000 - U  0000 - H\r
";

    #[test]
    fn the_last_paired_round_of_a_report_is_seated_in_fides_order() {
        let read = read(FILE.as_bytes(), &["b1", "b2", "b3"]);
        assert_eq!(read.problems, []);
        let players: Vec<[&str; 3]> = (read.seats.iter())
            .map(|seat| {
                [&seat.board, &seat.headers["White"], &seat.headers["Black"]].map(String::as_str)
            })
            .collect();
        assert_eq!(
            players,
            [
                ["b1", "Gamma, G", "Alpha, Anna"],
                ["b2", "Müller, Jürgen", "Delta, D"],
            ]
        );
        let headers = &read.seats[0].headers;
        for (tag, value) in [
            ("Round", "2"),
            ("Date", "2026.11.29"),
            ("Board", "1"),
            ("Event", "Town Open"),
            ("BlackTitle", "GM"),
            ("BlackElo", "2500"),
            ("BlackFideId", "1000001"),
            ("WhiteFed", "NED"),
        ] {
            assert_eq!(headers[tag], value, "{tag}");
        }
        assert!(!headers.contains_key("WhiteElo"));
        let troubles: Vec<Trouble> = read.warnings.iter().map(|found| found.trouble).collect();
        assert_eq!(troubles, [Trouble::BoardOrder, Trouble::Bye]);
    }

    #[test]
    fn of_a_round_robin_with_all_its_rounds_the_next_one_is_seated() {
        let text = FILE.replace("3 b  \r", "3 b        2 w  \r");
        let text = text.replace("4 w  \r", "4 w        1 b  \r");
        let read = read(text.as_bytes(), &["b1", "b2"]);
        let rounds: Vec<&str> = read
            .seats
            .iter()
            .map(|seat| &*seat.headers["Round"])
            .collect();
        assert_eq!(rounds, ["2", "2"]);
    }

    #[test]
    fn a_round_with_results_and_a_broken_report_are_reported() {
        let played = FILE.replace("3 b  \r", "3 b 1\r");
        let found = read(played.as_bytes(), &["b1", "b2"]);
        assert!(
            found
                .warnings
                .iter()
                .any(|found| found.trouble == Trouble::HasResult)
        );
        let broken = FILE.replace("001    4", "001    3");
        let found = read(broken.as_bytes(), &["b1", "b2"]);
        assert_eq!(
            (found.problems[0].line, found.problems[0].trouble),
            (7, Trouble::Unreadable)
        );
        assert!(found.seats.is_empty());
    }
}
