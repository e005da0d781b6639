//! A board whose journal is written by game and journal directly, without a daemon.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Arc};

use remisd_game::{
    Cause, Claimed, ClockState, Command as Asked, Fact, Game, Input, Role, Rules, SettledBy,
    Stamped, Verb,
};
use remisd_journal::{Append, DaemonSession, Journal};
use remisd_laws::Rate;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::SystemClock};
use tempfile::TempDir;

/// A board whose journal is written while the tests read it.
pub struct Recorded {
    /// The journal's folder.
    pub folder: TempDir,
    /// The journal.
    pub journal: Journal,
    /// The board.
    pub id: BoardId,
    /// The game after the last entry.
    pub game: Game,
    /// The bodies of all entries, oldest first.
    pub bodies: Vec<Vec<u8>>,
}

impl Recorded {
    /// Opens a new journal and begins a game.
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let session = DaemonSession::begin().unwrap();
        let clock = Arc::new(SystemClock::new());
        let (journal, _writer) = Journal::open(folder.path(), session, clock).unwrap();
        let id: BoardId = "b017".parse().unwrap();
        journal.recover(&id).await.unwrap();
        let game = Game::new(Rules::default());
        let mut board = Self {
            folder,
            journal,
            id,
            game,
            bodies: Vec::new(),
        };
        board.begin().await;
        board
    }

    /// Begins a game.
    pub async fn begin(&mut self) {
        let headers = [("White", "Ann"), ("Black", "Bob"), ("Event", "Club")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::from(headers),
            cause: Cause::StartArray,
        })
        .await;
    }

    /// Applies and records an input. Returns its sequence number.
    pub async fn input(&mut self, input: Input) -> EntrySeq {
        let seq = self.game.seq() + 1;
        let millis = 1_700_000_000_000 + i64::try_from(seq.get()).unwrap() * 1_000;
        let time = jiff::Timestamp::from_millisecond(millis).unwrap();
        let stamped = Stamped { seq, time, input };
        let facts = self.game.apply(&stamped);
        let begins_segment = facts.iter().any(|f| matches!(f, Fact::GameStarted { .. }));
        let entry = serde_json::json!({"time": time, "input": stamped.input, "facts": facts});
        let body = serde_json::to_vec(&entry).unwrap();
        if begins_segment {
            self.bodies.clear();
        }
        self.bodies.push(body.clone());
        let append = Append {
            board: self.id.clone(),
            seq,
            body: body.into(),
            begins_segment,
        };
        self.journal.append(append).await.unwrap();
        seq
    }

    /// Plays moves in UCI, separated by blanks.
    pub async fn moves(&mut self, moves: &str, by: SettledBy) {
        for uci in moves.split(' ') {
            let clock = ClockState {
                white_ms: 600_000 - self.game.seq().get() * 1_000,
                black_ms: 500_000,
                running: None,
                flag: None,
            };
            self.input(Input::Move {
                uci: uci.into(),
                by,
                clock: Some(clock),
            })
            .await;
        }
    }

    /// A command. Returns its sequence number.
    pub async fn command(&mut self, role: Role, verb: Verb) -> EntrySeq {
        let id = format!("c{}", self.game.seq());
        let command = Asked {
            id,
            role,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        };
        let seq = self.input(Input::Command(command.clone())).await;
        let answer = self.game.answer(command.role, &command.id).unwrap();
        assert!(answer.ok, "{answer:?}");
        seq
    }

    /// A claim by a player. Returns its sequence number.
    pub async fn claim(&mut self, role: Role, announced: Option<&str>) -> EntrySeq {
        let verb = Verb::Claim {
            player: None,
            kind: Claimed::Threefold,
            announced: announced.map(str::to_owned),
            written: true,
        };
        self.command(role, verb).await
    }

    /// Every file with its length and modification time.
    pub fn files(&self) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
        let mut files = Vec::new();
        for folder in [
            self.folder.path().to_owned(),
            self.folder.path().join("b017"),
        ] {
            for file in fs::read_dir(folder).unwrap() {
                let file = file.unwrap();
                let meta = file.metadata().unwrap();
                files.push((file.path(), meta.len(), meta.modified().unwrap()));
            }
        }
        files.sort();
        files
    }
}
