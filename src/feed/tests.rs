//! Tests of the room; each file is one thought.

mod folder;
mod following;
mod live_chess;
mod pacing;
mod polling;
mod private;
mod rate_limiter;
mod rewriting;
mod server;
mod streaming;

use std::sync::Arc;

use jiff::Timestamp;

use super::{Follower, SourceGame};
use remisd_game::{Alert, AlertCode, Fact, Game, Input, Rules, Stamped};
use remisd_pgn::Games;

/// A record that follows a source, without daemon and files.
struct Board {
    game: Game,
    follower: Follower,
    source: Option<Arc<SourceGame>>,
    /// Other games of the source have the same number.
    shares_number: bool,
    inputs: Vec<Stamped>,
}

impl Board {
    fn new() -> Self {
        Self {
            game: Game::new(Rules::default()),
            follower: Follower::default(),
            source: None,
            shares_number: false,
            inputs: Vec::new(),
        }
    }

    /// The source has this text now.
    fn reads(&mut self, pgn: &str) -> usize {
        self.source = Some(Arc::new(game(pgn)));
        self.sees(false)
    }

    /// The source has had the same text for long enough.
    fn settles(&mut self) -> usize {
        self.sees(true)
    }

    fn sees(&mut self, is_settled: bool) -> usize {
        let game = self.source.clone().unwrap();
        let shares_number = self.shares_number;
        self.follower
            .see("games.pgn".into(), game, is_settled, shares_number);
        self.follow()
    }

    /// A daemon that was killed begins with the record alone.
    fn restarts(&mut self) {
        let mut again = Game::new(Rules::default());
        for stamped in &self.inputs {
            again.apply(stamped);
        }
        assert_eq!(again, self.game);
        self.follower = Follower::default();
    }

    /// A person gives a command.
    fn commands(&mut self, role: &str, verb: &str, arguments: &serde_json::Value) -> Vec<Fact> {
        let id = format!("{}", self.inputs.len());
        let json = serde_json::json!({
            "type": "command", "id": id, "role": role, "verb": verb, "arguments": arguments,
        });
        self.enters(serde_json::from_value(json).unwrap())
    }

    /// Enters everything that follows; returns how many inputs that were.
    fn follow(&mut self) -> usize {
        for entered in 0.. {
            assert!(entered < 1_000, "the follower does not come to rest");
            let Some(input) = self.follower.next(&self.game) else {
                return entered;
            };
            let facts = self.enters(input);
            let refused = facts
                .iter()
                .find(|fact| matches!(fact, Fact::Refused { .. }));
            assert_eq!(refused, None);
        }
        unreachable!()
    }

    fn enters(&mut self, input: Input) -> Vec<Fact> {
        let seq = self.game.seq().next();
        let time = Timestamp::UNIX_EPOCH;
        let stamped = Stamped { seq, time, input };
        let facts = self.game.apply(&stamped);
        self.inputs.push(stamped);
        facts
    }

    fn sans(&self) -> String {
        let sans: Vec<&str> = self
            .game
            .moves()
            .iter()
            .map(|m| m.text.san.as_str())
            .collect();
        sans.join(" ")
    }

    fn alert(&self, code: AlertCode) -> Option<&Alert> {
        self.game
            .alerts()
            .open()
            .iter()
            .find(|alert| alert.code == code)
    }
}

/// The first game of a text.
fn game(pgn: &str) -> SourceGame {
    let game = Games::new(pgn.as_bytes()).next().unwrap().unwrap();
    SourceGame::read(&game).unwrap()
}
