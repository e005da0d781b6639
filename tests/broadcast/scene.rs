//! A daemon with one board, its exits, and who watches them.

use std::{net::SocketAddr, path::Path};

use jiff::{SignedDuration, Timestamp};
use remisd_testkit::{
    PATIENCE, mosquitto::Mosquitto, port::free_port, remisd::Home, witness::Witness,
};
use serde_json::Value;
use tokio::{task::JoinSet, time::timeout};

use super::{
    TUNING,
    exits::{self, Exits, Sightings},
};

/// Long enough for a restart while moves wait in it.
pub const DELAY: SignedDuration = SignedDuration::from_secs(10);
/// The arbiter's topic with the game.
const GAME: &str = "chess/v1/hall/arbiter/b1/game";

/// The exits of a daemon, with ports and a folder of their own.
fn exits_in(place: &Path, broker: &Mosquitto) -> Exits {
    Exits {
        folder: place.join("pgn"),
        pages: free_port(),
        livechess: free_port(),
        broker: broker.address(),
    }
}

/// The configuration of these exits, and of an upload.
pub fn sections(exits: &Exits, upload: &SocketAddr) -> String {
    format!("[audience]\ndelay_ms = {}\n", DELAY.as_millis()) + &without_delay(exits, upload)
}

/// The same without a delay.
pub fn without_delay(exits: &Exits, upload: &SocketAddr) -> String {
    format!(
        "[http]\nlisten = \"127.0.0.1:{}\"\n\
         [livechess]\nenabled = true\nlisten = \"127.0.0.1:{}\"\naudience = \"public\"\n\
         [broadcast]\nfolder = \"{}\"\nhttp = true\nupload_url = \"http://{upload}/pgn\"\n",
        exits.pages,
        exits.livechess,
        exits.folder.display(),
    )
}

/// A board, its exits and who watches them.
pub struct Scene {
    pub sightings: Sightings,
    pub broker: Mosquitto,
    pub home: Home,
    arbiter: Witness,
    _place: tempfile::TempDir,
    _tasks: JoinSet<()>,
}

impl Scene {
    pub async fn set(sections: impl Fn(&Exits, &SocketAddr) -> String) -> Self {
        Self::watched(Sightings::new(), JoinSet::new(), sections).await
    }

    /// A scene of which `tasks` already watch a part.
    pub async fn watched(
        sightings: Sightings,
        mut tasks: JoinSet<()>,
        sections: impl Fn(&Exits, &SocketAddr) -> String,
    ) -> Self {
        let upload = exits::pushed_to("upload", exits::takes_all(), &sightings, &mut tasks).await;
        let place = tempfile::tempdir().unwrap();
        let broker = Mosquitto::start().await;
        let exits = exits_in(place.path(), &broker);
        let sections = sections(&exits, &upload);
        let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
        exits::watch(exits, &sightings, &mut tasks).await;
        let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
        Self {
            sightings,
            broker,
            home,
            arbiter,
            _place: place,
            _tasks: tasks,
        }
    }

    /// Waits until all these exits have shown all these texts at a time.
    pub async fn shows(&self, exits: &[&str], texts: &[&str]) {
        let has_all = |shown: &str| texts.iter().all(|text| shown.contains(text));
        let missing = self.wait(exits, has_all).await;
        assert!(missing.is_empty(), "{texts:?} is not on {missing:?}");
    }

    /// Waits until all these exits have shown one of these texts.
    pub async fn shows_any(&self, exits: &[&str], texts: &[&str]) {
        let has_any = |shown: &str| texts.iter().any(|text| shown.contains(text));
        let missing = self.wait(exits, has_any).await;
        assert!(missing.is_empty(), "none of {texts:?} is on {missing:?}");
    }

    /// Waits until all these exits have shown such a text, and returns those that have not in time.
    async fn wait(&self, exits: &[&str], has: impl Fn(&str) -> bool) -> Vec<String> {
        let mut news = self.sightings.listen();
        let missing = || {
            let seen = self.sightings.all();
            let shows = |exit: &&&str| {
                let mut of_exit = seen.iter().filter(|one| one.exit == **exit);
                of_exit.any(|one| has(&one.text))
            };
            let missing = exits.iter().filter(|exit| !shows(exit));
            missing.map(|exit| (*exit).to_owned()).collect::<Vec<_>>()
        };
        let shown = timeout(PATIENCE, async {
            while !missing().is_empty() {
                news.changed().await.unwrap();
            }
        });
        if shown.await.is_ok() {
            Vec::new()
        } else {
            missing()
        }
    }

    /// Waits for a game with this many moves, and returns its number.
    pub async fn recorded(&self, count: usize) -> u64 {
        let is = |game: &Value| {
            let enough = game["moves"].as_array()?.len() == count;
            enough.then(|| game["game"].as_u64().unwrap())
        };
        self.arbiter.retained(GAME, is).await
    }

    /// Waits for another game than this one.
    pub async fn leaves(&self, game: u64) {
        let is_next = |now: &Value| (now["game"] != game).then_some(());
        self.arbiter.retained(GAME, is_next).await;
    }

    pub async fn send(&self, verb: &str, command: Value) {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        self.arbiter.publish(&topic, command.to_string()).await;
    }

    /// What was seen of `text` before the delay had passed since an entry with `mark`.
    pub fn early(&self, text: &str, mark: &str) -> Vec<String> {
        let entries = self.home.entries("b1");
        let entry = entries
            .iter()
            .find(|entry| entry["input"].to_string().contains(mark));
        let entered: Timestamp = entry.unwrap()["time"].as_str().unwrap().parse().unwrap();
        let seen = self.sightings.all().into_iter();
        let early = seen.filter(|one| one.text.contains(text) && one.at < entered + DELAY);
        early
            .map(|one| format!("{} {}", one.exit, one.text))
            .collect()
    }
}
