//! The games of `tests/data/claims` as files that grow: each alert is raised by the ply that the
//! table names, and cleared by the ply that takes the claim away.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use remisd_laws::Ply;
use remisd_testkit::claims::{ClaimCase, Expected};
use serde_json::Value;
use shakmaty::{Color, Position as _, san::SanPlus};

use super::{Stage, alert, feeds::overwrite};

/// Files grow by so many plies while nothing can be claimed, and otherwise ply by ply.
const STEP: usize = 24;
/// The alerts that the table is about.
const CODES: [&str; 6] = [
    "threefold_claimable",
    "fifty_move_claimable",
    "repetition_disputed",
    "fivefold",
    "seventy_five_move",
    "game_over",
];

/// Open alerts, with the article of each.
type Open = BTreeMap<String, String>;

/// The text of a game after so many plies, while it is played.
fn text(case: &ClaimCase, plies: usize) -> String {
    let tags = case.text.split("\n\n").next().unwrap();
    let mut text = String::new();
    for tag in tags.lines() {
        let is_result = tag.starts_with("[Result ");
        let tag = if is_result { "[Result \"*\"]" } else { tag };
        writeln!(text, "{tag}").unwrap();
    }
    let mut position = case.start.clone();
    for (at, m) in case.moves.iter().take(plies).enumerate() {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => write!(text, "\n{number}.").unwrap(),
            Color::Black if at == 0 => write!(text, "\n{number}...").unwrap(),
            Color::Black => {}
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut position, *m);
        write!(text, " {san}").unwrap();
    }
    text + "\n*\n"
}

/// The alerts that must be open after a ply.
fn expected(game: &Expected<'_>, ply: Ply, articles: &remisd_laws::Articles) -> Open {
    let mut open = Open::new();
    let mut put = |code: &str, article: &str| open.insert(code.to_owned(), article.to_owned());
    if let Some((end, kind)) = game.end().filter(|(end, _)| *end <= ply) {
        assert_eq!(end, ply, "nothing is listed after the end");
        match kind {
            "fivefold" => put("fivefold", articles.fivefold),
            "seventy_five_move" => put("seventy_five_move", articles.seventy_five),
            _ => put("game_over", articles.checkmate),
        };
        return open;
    }
    for (code, columns, articles) in [
        (
            "threefold_claimable",
            ["threefold_appeared", "threefold_intended"],
            [articles.threefold_appeared, articles.threefold_intended],
        ),
        (
            "fifty_move_claimable",
            ["fifty_appeared", "fifty_intended"],
            [articles.fifty_appeared, articles.fifty_intended],
        ),
    ] {
        let is_in = |column: &&str| game.plies(column).contains(&ply);
        if let Some(at) = columns.iter().position(is_in) {
            put(code, articles[at]);
        }
    }
    if game.plies("disputed").contains(&ply) {
        // Its article depends on the claim that is in dispute.
        put("repetition_disputed", "");
    }
    open
}

/// The open alerts as the arbiter sees them. Those of claims must be of this ply.
fn shown(alerts: &Value, ply: usize) -> Open {
    let open = alerts["alerts"].as_array().into_iter().flatten();
    let open = open.filter_map(|alert| {
        let code = alert["code"].as_str().unwrap();
        let at = &alert["arguments"]["ply"];
        let is_of_ply = *at == ply || code == "game_over";
        let article = alert["article"].as_str();
        let article = article.filter(|_| code != "repetition_disputed");
        let article = article.unwrap_or_default().to_owned();
        (CODES.contains(&code) && is_of_ply).then(|| (code.to_owned(), article))
    });
    open.collect()
}

/// The codes of the open alerts after each ply, by the entry that made it. The first is ply 0.
fn raised(events: &[Value]) -> Vec<BTreeSet<String>> {
    let mut by_id: BTreeMap<String, String> = BTreeMap::new();
    let mut plies = Vec::new();
    for event in events {
        let facts = event["facts"].as_array().unwrap();
        let mut is_ply = false;
        for fact in facts {
            let text = |name: &str| fact[name].as_str().unwrap_or_default().to_owned();
            match fact["type"].as_str().unwrap() {
                "game_started" => {
                    plies.clear();
                    is_ply = true;
                }
                "move_made" => is_ply = true,
                "move_retracted" => panic!("{event}"),
                "alert_raised" => {
                    by_id.insert(text("id"), text("code"));
                }
                "alert_cleared" => {
                    by_id.remove(&text("id"));
                }
                _ => {}
            }
        }
        if is_ply {
            let open = by_id.values().filter(|code| CODES.contains(&code.as_str()));
            plies.push(open.cloned().collect());
        }
    }
    plies
}

/// The lengths at which the file of a game is written.
fn lengths(case: &ClaimCase, game: &Expected<'_>) -> Vec<usize> {
    let columns = [
        "threefold_appeared",
        "threefold_intended",
        "fifty_appeared",
        "fifty_intended",
        "disputed",
    ];
    let mut near = BTreeSet::new();
    let end = game.end().map(|(ply, _)| ply);
    for plies in columns.map(|column| game.plies(column)) {
        let changes = |ply: &Ply| {
            let before = ply
                .checked_sub(1)
                .is_some_and(|before| plies.contains(&before));
            !before || !plies.contains(&(ply + 1))
        };
        near.extend(plies.iter().copied().filter(changes));
    }
    near.extend(end);
    let around = near.iter().flat_map(|ply| ply.saturating_sub(1)..=ply + 1);
    let steps = (0..case.moves.len()).step_by(STEP);
    let lengths: BTreeSet<usize> = around.map(|ply| ply as usize).chain(steps).collect();
    let lengths = lengths
        .into_iter()
        .filter(|length| *length < case.moves.len());
    lengths.collect()
}

/// Writes all games move by move under an edition, and compares the alerts after each ply.
async fn follow(edition: &str) {
    let laws = remisd_laws::find(edition).unwrap();
    let cases = ClaimCase::all();
    let folder = tempfile::tempdir().unwrap();
    let mut sections = format!("[laws]\nedition = \"{edition}\"\n");
    for number in 1..=cases.len() {
        let source = folder.path().display();
        let board = format!(
            "[[board]]\nid = \"b{number}\"\nkind = \"pgn\"\nsource = \"{source}\"\npoll_ms = 100\n"
        );
        sections += &board;
    }
    let file = |number: usize| folder.path().join(format!("game-{number}.pgn"));
    let stage = Stage::set(&sections, &[]).await;
    let lengths: Vec<Vec<usize>> = cases
        .iter()
        .map(|case| lengths(case, &case.under(edition)))
        .collect();
    let longest = lengths.iter().map(Vec::len).max().unwrap();
    for round in 0..longest {
        let growing = || (1..).zip(cases.iter().zip(&lengths));
        for (number, (case, lengths)) in growing() {
            if let Some(length) = lengths.get(round) {
                overwrite(&file(number), &text(case, *length));
            }
        }
        for (number, (case, lengths)) in growing() {
            let Some(length) = lengths.get(round).copied() else {
                continue;
            };
            let board = format!("b{number}");
            stage.has_moves(&board, length).await;
            let ply = Ply::try_from(length).unwrap();
            let game = case.under(edition);
            if game.end().is_none_or(|(end, _)| ply <= end) {
                let wanted = expected(&game, ply, &laws.articles);
                let is_shown = |alerts: &Value| (shown(alerts, length) == wanted).then_some(());
                let topic = format!("chess/v1/hall/arbiter/{board}/alerts");
                stage.witness.retained(&topic, is_shown).await;
            }
        }
    }
    // At last, each file is as it is in the folder: with its result, its variations, or cut off.
    for (number, case) in (1..).zip(&cases) {
        fs::write(file(number), &case.text).unwrap();
    }
    for (number, case) in (1..).zip(&cases) {
        let board = format!("b{number}");
        stage.has_moves(&board, case.moves.len()).await;
        let game = case.under(edition);
        let found = raised(&stage.events(&board).await);
        let last = game
            .end()
            .map_or(case.line["plies"].as_u64(), |(ply, _)| Some(ply.into()));
        for (ply, found) in (0..=last.unwrap()).zip(&found) {
            let ply = Ply::try_from(ply).unwrap();
            let wanted = expected(&game, ply, &laws.articles);
            let wanted: BTreeSet<String> = wanted.into_keys().collect();
            assert_eq!(*found, wanted, "{}, {edition}, ply {ply}", case.file);
        }
        assert_eq!(found.len(), case.moves.len() + 1, "{}", case.file);
    }
    let cut_off = cases
        .iter()
        .position(|case| case.file.contains("interrupted"));
    let topic = format!("chess/v1/hall/arbiter/b{}/alerts", cut_off.unwrap() + 1);
    let doubt = |alerts: &Value| alert(alerts, "source_uncertain").map(|_| ());
    stage.witness.retained(&topic, doubt).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn growing_files_raise_the_alerts_of_1997() {
    follow("fide-1997").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn growing_files_raise_the_alerts_of_2001() {
    follow("fide-2001").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn growing_files_raise_the_alerts_of_2014() {
    follow("fide-2014").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn growing_files_raise_the_alerts_of_2023() {
    follow("fide-2023").await;
}
