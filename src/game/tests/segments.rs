//! Segments of the journal, replayed: a restart gives back the whole state of a board.

use super::{
    table::{ARBITER, BLACK, WHITE, claim, offer},
    *,
};
use remisd_vocabulary::seq::EntrySeq;

/// A game whose inputs are written down.
struct Written {
    game: Game,
    /// What the journal keeps: numbers and texts.
    entries: Vec<(EntrySeq, String)>,
}

impl Written {
    fn new(rules: Rules) -> Self {
        Self {
            game: Game::new(rules),
            entries: Vec::new(),
        }
    }

    fn input(&mut self, input: Input) {
        let seq = self.game.seq() + 1;
        let time = Timestamp::from_second(i64::try_from(seq.get()).unwrap() * 100).unwrap();
        let stamped = Stamped { seq, time, input };
        let facts = self.game.apply(&stamped);
        let begins = |fact: &Fact| matches!(fact, Fact::GameStarted { .. });
        let carried = facts.iter().any(begins).then(|| self.game.carried());
        let Stamped { input, .. } = stamped;
        let entry = serde_json::json!({
            "time": time, "input": input, "carried": carried, "facts": facts,
            "numbers": self.game.numbers(), "judgement": Judgement::CURRENT,
        });
        self.entries.push((seq, entry.to_string()));
    }

    fn command(&mut self, role: Role, verb: Verb) {
        let id = format!("command-{}", self.game.seq());
        let if_seq = Some(self.game.seq_for(role));
        let by = Some("someone".to_owned());
        self.input(Input::Command(Command {
            id,
            role,
            by,
            if_seq,
            unsettled: None,
            verb,
        }));
    }

    fn moves(&mut self, moves: &str) {
        for uci in moves.split(' ') {
            let (uci, by, clock) = (uci.into(), SettledBy::Reply, None);
            self.input(Input::Move { uci, by, clock });
        }
    }

    fn begins(&mut self) {
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::new(),
            cause: Cause::StartArray,
        });
    }

    /// The newest segment, as it is read from the disk.
    fn read(&self) -> Game {
        let entries = self.entries.iter();
        let entries = entries.map(|(seq, text)| (*seq, serde_json::from_str(text).unwrap()));
        let entries: Vec<(EntrySeq, Remembered)> = entries.collect();
        let first = entries
            .iter()
            .rposition(|(_, entry)| entry.carried.is_some());
        let mut game = Game::new(Rules::default());
        for (seq, entry) in &entries[first.unwrap()..] {
            let replayed = game.replay(*seq, entry);
            if entry.carried.is_none() {
                assert_eq!(replayed.likeness, Likeness::Same, "{seq}: {replayed:#?}");
            } else {
                assert_ne!(replayed.likeness, Likeness::Other, "{seq}: {replayed:#?}");
            }
        }
        game
    }

    fn is_as_read(&self) {
        assert_eq!(format!("{:#?}", self.game), format!("{:#?}", self.read()));
    }
}

fn link(up: bool) -> Input {
    let reason = (!up).then(|| "unplugged".to_owned());
    let code = None;
    Input::Link { up, code, reason }
}

#[test]
fn a_game_that_begins_while_the_disk_is_full_is_as_it_was_written() {
    let mut written = Written::new(Rules::default());
    written.begins();
    written.moves("e2e4");
    let down = JournalDown {
        code: JournalFault::Full,
        reason: "no space".to_owned(),
    };
    written.input(Input::Journal { down: Some(down) });
    written.begins();
    written.moves("d2d4");
    written.is_as_read();
    written.input(Input::Journal { down: None });
    written.is_as_read();
}

#[test]
fn a_restart_gives_back_the_whole_state_of_a_board() {
    let mut table = Written::new(Rules {
        escalate_ms: 5_000,
        ..Rules::default()
    });
    table.begins();
    table.input(link(true));
    table.moves(&[SHUFFLE; 4].join(" "));
    table.command(BLACK, Verb::Resign { player: None });
    table.is_as_read();

    // An end that no one has confirmed, and a board that does not answer.
    table.begins();
    table.input(link(false));
    table.input(Input::Faulty {
        squares: vec![shakmaty::Square::A1],
    });
    let lost = |alert: &&Alert| alert.code == AlertCode::BoardLost;
    let lost = table.game.alerts().open().iter().find(lost).unwrap();
    let alert = lost.id.clone();
    table.command(ARBITER, Verb::Ack { alert });
    table.is_as_read();
    table.moves(&[SHUFFLE; 2].join(" "));
    table.command(WHITE, claim(Claimed::Threefold, None));
    table.is_as_read();

    // What was open is left, and no one answers that, when an arbiter begins the next game.
    table.begins();
    table.input(Input::Overdue);
    table.is_as_read();
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 99 80".to_owned();
    table.command(
        ARBITER,
        Verb::NewGame {
            start_fen: Some(fen),
            laws: Some("fide-2009".into()),
            rate: Some(Rate::Rapid),
            headers: BTreeMap::from([("White".to_owned(), "A".to_owned())]),
        },
    );
    let open = table.game.alerts().open();
    assert!(open.iter().any(|alert| alert.escalated), "{open:#?}");
    assert!(open.iter().any(|alert| alert.acknowledged_by.is_some()));
    assert!(
        open.iter()
            .any(|alert| alert.since.as_second() < table.game.seq().get().cast_signed() * 100)
    );
    table.is_as_read();
    table.input(link(true));
    table.moves("h1h2");
    table.command(BLACK, offer());
    table.is_as_read();
}
