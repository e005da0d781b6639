//! What an older version has left on a disk is read, and its games go on.
//!
//! `tests/data/upgrades/record` stores a version. A stored version is never changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use remisd::simulate::score;
use remisd_testkit::{
    mosquitto::Mosquitto,
    remisd::{Home, output, word},
    witness::Witness,
};
use serde_json::{Value, json};

use super::{Stage, moves};

/// The folders of the stored versions.
fn versions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/upgrades");
    let found = fs::read_dir(folder).unwrap();
    let mut found: Vec<PathBuf> = found.map(|file| file.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    assert!(!found.is_empty());
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let target = to.join(file.file_name());
        if file.path().is_dir() {
            copy(&file.path(), &target);
        } else {
            fs::copy(file.path(), target).unwrap();
        }
    }
}

/// A home with the settings and the files of state of a stored version.
fn home_of(version: &Path, broker: &Mosquitto) -> Home {
    let home = Home::new(&broker.url(), "", &[], "");
    let folder = home.config().parent().unwrap().to_owned();
    let settings = fs::read_to_string(version.join("remisd.toml")).unwrap();
    let settings = settings
        .replace("@HOME@", word(&folder))
        .replace("@BROKER@", &broker.url());
    fs::write(home.config(), settings).unwrap();
    copy(&version.join("journal"), &home.journal());
    home
}

/// Each game of a PGN text: its moves in UCI, its players, its result.
fn read(pgn: &str) -> Vec<(Vec<String>, [String; 3])> {
    let games = score::read(pgn).unwrap().into_iter().map(Result::unwrap);
    let tags = |game: &score::Score| {
        let known = [&game.white, &game.black, &game.result];
        known.map(String::clone)
    };
    games
        .map(|game| {
            let tags = tags(&game);
            let moves = game.plies.into_iter().map(|ply| ply.uci);
            (moves.collect(), tags)
        })
        .collect()
}

/// The program with these words about this home succeeds. Returns what it printed.
async fn succeeds(words: &[&str]) -> String {
    let done = output(words).await;
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{words:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_record_of_each_stored_version_are_read() {
    let broker = Mosquitto::start().await;
    for version in versions() {
        let home = home_of(&version, &broker);
        let (config, journal) = (home.config(), home.journal());
        succeeds(&["check", "--config", word(&config)]).await;
        succeeds(&["journal", "verify", "--journal", word(&journal)]).await;
        let now = succeeds(&["journal", "export", "--journal", word(&journal)]).await;
        let then = fs::read_to_string(version.join("games.pgn")).unwrap();
        assert_eq!(read(&now), read(&then), "{}", version.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_an_older_version_has_begun_goes_on() {
    for version in versions() {
        let broker = Mosquitto::start().await;
        let home = home_of(&version, &broker);
        let before = home.entries("b2");
        let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
        let mut stage = Stage {
            daemon: home.start(),
            witness: witness.checking(),
            broker,
            home,
        };
        stage.is_online().await;
        // The board with sensors is not there: its game is.
        assert_eq!(
            moves(&stage.has_moves("b1", 12).await)[..2],
            ["e2e4", "e7e5"]
        );

        let game = stage.has_moves("b2", 3).await;
        let enter = json!({"id": "next", "ply": 4, "move": "e6", "by": "tablet 2"});
        let answer = stage.command("board", "b2", "move", &enter).await;
        assert_eq!(answer["ok"], true, "{answer}");
        let continued = stage.has_moves("b2", 4).await;
        assert_eq!(continued["game"], game["game"]);
        let last = before.last().unwrap()["seq"].as_u64().unwrap();
        let events = stage.events("b2").await;
        assert!(
            events
                .iter()
                .any(|event| event["seq"].as_u64() > Some(last))
        );

        // The broadcast still has the game of the first round.
        let folder = stage.home.config().with_file_name("pgn");
        let public = "chess/v1/hall/public/b2/game";
        let seen = |game: &Value| (moves(game).len() == 4).then_some(());
        stage.witness.retained(public, seen).await;
        for (round, moves) in [(1, 7), (3, 4)] {
            let file = folder.join(format!("round-{round}")).join("game-2.pgn");
            remisd_testkit::poll::poll_until(
                remisd_testkit::PATIENCE,
                || format!("{} has no {moves} moves", file.display()),
                || fs::read_to_string(&file).is_ok_and(|text| read(&text)[0].0.len() == moves),
            )
            .await;
        }
        assert!(stage.daemon.is_running());
        let log = stage.daemon.log();
        assert!(!log.contains("ERROR"), "{log}");
    }
}
