//! A table that tests sit at: the game, what is played and said there, and how it is begun.

use super::*;
use remisd_laws::{self as laws, AgreementRule, Edition, QuickplayDecision, Regulations};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

pub(super) const WHITE: Role = Role::White;
pub(super) const BLACK: Role = Role::Black;
pub(super) const ARBITER: Role = Role::Arbiter;

/// Both knights out and back: the same position again.
pub(super) const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8";
/// Black mates.
pub(super) const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";
pub(super) const ROOK: &str = "4k3/8/8/8/8/8/8/4K2R w - - 3 40";

pub(super) const ACCEPT: Verb = Verb::Accept { player: None };
pub(super) const DECLINE: Verb = Verb::Decline { player: None };
/// A claim by the position on the board.
pub(super) const THREEFOLD: Verb = Verb::Claim {
    player: None,
    kind: Claimed::Threefold,
    announced: None,
    written: true,
};
pub(super) const CORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: true,
    admissible: true,
});
pub(super) const INCORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: false,
    admissible: true,
});
/// The arbiter lets the game continue.
pub(super) const PLAY_ON: Verb = Verb::Result {
    score: Score::None,
    game: None,
};

pub(super) struct Table {
    pub(super) game: Game,
    pub(super) facts: Vec<Fact>,
}

impl Table {
    pub(super) fn new(confirm: Confirm) -> Self {
        Self::under(Rules {
            confirm,
            ..Rules::default()
        })
    }

    pub(super) fn under(rules: Rules) -> Self {
        let (laws, rate) = (rules.regulations.edition.id, rules.regulations.rate);
        let mut table = Self {
            game: Game::new(rules),
            facts: vec![],
        };
        table.input(Input::NewGame {
            start_fen: None,
            laws: laws.into(),
            rate,
            headers: BTreeMap::new(),
            cause: Cause::Startup,
        });
        table
    }

    pub(super) fn input(&mut self, input: Input) -> Vec<Fact> {
        let seq = self.game.seq() + 1;
        let time = Timestamp::from_second(i64::try_from(seq.get()).unwrap()).unwrap();
        let facts = self.game.apply(&Stamped { seq, time, input });
        self.facts.extend(facts.clone());
        facts
    }

    pub(super) fn moves(&mut self, moves: &str) {
        for uci in moves.split(' ') {
            let facts = self.input(Input::Move {
                uci: uci.into(),
                by: SettledBy::Reply,
                clock: None,
            });
            assert!(
                matches!(facts[0], Fact::MoveMade { .. }),
                "{uci}: {facts:?}"
            );
        }
    }

    /// Both players move their knights out and back this many times.
    pub(super) fn shuffle(&mut self, times: usize) {
        self.moves(&vec![SHUFFLE; times].join(" "));
    }

    pub(super) fn command(&mut self, id: &str, role: Role, verb: Verb) -> Answer {
        self.command_at(id, role, verb, None)
    }

    /// The same while a move is on the board that is not settled yet.
    pub(super) fn ask_over(
        &mut self,
        move_on_board: &str,
        role: Role,
        verb: Verb,
    ) -> Option<RefusalCode> {
        let id = format!("command-{}", self.game.seq());
        let facts = self.input(Input::Command(Command {
            id,
            role,
            by: None,
            if_seq: None,
            unsettled: Some(move_on_board.into()),
            verb,
        }));
        facts.into_iter().find_map(|fact| match fact {
            Fact::Answered(answer) => answer.code,
            _ => None,
        })
    }

    pub(super) fn command_at(
        &mut self,
        id: &str,
        role: Role,
        verb: Verb,
        if_seq: Option<AudienceSeq>,
    ) -> Answer {
        let id = id.to_owned();
        let facts = self.input(Input::Command(Command {
            id,
            role,
            by: None,
            if_seq,
            unsettled: None,
            verb,
        }));
        let answered = facts.into_iter().find_map(|fact| match fact {
            Fact::Answered(answer) => Some(answer),
            _ => None,
        });
        answered.expect("every command is answered")
    }

    pub(super) fn codes(&self) -> Vec<AlertCode> {
        let open = self.game.alerts().open().iter();
        open.map(|alert| alert.code).collect()
    }

    /// The open alert with this code.
    pub(super) fn alert(&self, code: AlertCode) -> Option<Alert> {
        let mut open = self.game.alerts().open().iter();
        open.find(|alert| alert.code == code).cloned()
    }

    /// The array of the next game is set up.
    pub(super) fn start_array(&mut self) -> Vec<Fact> {
        self.input(Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::new(),
            cause: Cause::StartArray,
        })
    }

    pub(super) fn count(&self, wanted: impl Fn(&Fact) -> bool) -> usize {
        self.facts.iter().filter(|fact| wanted(fact)).count()
    }

    /// Does what `verb` asks for and gives the refusal, if it is refused.
    pub(super) fn ask(&mut self, role: Role, verb: Verb) -> Option<RefusalCode> {
        let id = format!("command-{}", self.game.seq());
        self.command(&id, role, verb).code
    }

    pub(super) fn clock(&mut self, white_ms: u64, black_ms: u64, running: Option<Side>) {
        let clock = Some(ClockState {
            white_ms,
            black_ms,
            running,
            flag: None,
        });
        self.input(Input::Clock { clock });
    }

    /// The clock shows that a flag has fallen.
    pub(super) fn flag(&mut self, flag: Side) {
        let clock = Some(ClockState {
            white_ms: if flag == Side::White { 0 } else { 60_000 },
            black_ms: if flag == Side::Black { 0 } else { 60_000 },
            running: Some(flag),
            flag: Some(flag),
        });
        self.input(Input::Clock { clock });
    }

    /// The solver has proven that the position on the board is dead.
    pub(super) fn found_dead(&mut self) -> Vec<Fact> {
        self.input(Input::Dead {
            ply: self.game.ply(),
            position: self.game.position_seq(),
            verdict: Verdict::Dead,
            since: None,
            proofs: None,
        })
    }

    pub(super) fn touch(&mut self, by: Side, square: &str) {
        self.lift(by, square, true);
    }

    pub(super) fn lift(&mut self, by: Side, square: &str, sure: bool) {
        let square = square.parse().unwrap();
        self.input(Input::Touched { by, square, sure });
    }
}

pub(super) fn under(edition: &'static Edition, confirm: Confirm) -> Table {
    Table::under(Rules {
        regulations: Regulations::new(edition, Rate::Standard),
        confirm,
        ..Rules::default()
    })
}

/// A board after a restart, with what the entry that began its newest game has carried.
pub(super) fn restarted(carried: &Carried) -> Table {
    let mut game = Game::new(Rules::default());
    let input = Input::NewGame {
        start_fen: None,
        laws: carried.regulations.edition.id.into(),
        rate: carried.regulations.rate,
        headers: BTreeMap::new(),
        cause: Cause::StartArray,
    };
    let entry = Remembered {
        time: Timestamp::UNIX_EPOCH,
        input,
        carried: Some(carried.clone()),
        numbers: None,
        judgement: Judgement::CURRENT,
        facts: WrittenFacts::default(),
    };
    let facts = game.replay(EntrySeq::new(1), &entry).facts;
    Table { game, facts }
}

pub(super) fn offer() -> Verb {
    Verb::Offer {
        player: None,
        condition: None,
    }
}

pub(super) fn claim(kind: Claimed, announced: Option<&str>) -> Verb {
    Verb::Claim {
        player: None,
        kind,
        announced: announced.map(str::to_owned),
        written: true,
    }
}

/// A claim by a move that is not written down.
pub(super) fn unwritten() -> Verb {
    Verb::Claim {
        player: None,
        kind: Claimed::Threefold,
        announced: Some("Qe2".into()),
        written: false,
    }
}

pub(super) fn new_game() -> Verb {
    Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    }
}

pub(super) fn correct(to_ply: u32, moves: &[&str]) -> Verb {
    let moves = moves.iter().map(|text| (*text).to_owned()).collect();
    Verb::Correct { to_ply, moves }
}

pub(super) fn setup(fen: &str) -> Verb {
    let fen = fen.to_owned();
    Verb::Setup { fen }
}

/// A decision in the last two minutes.
pub(super) fn decide(decision: QuickplayDecision) -> Verb {
    decide_on(decision, None)
}

/// The same on the claim of one player.
pub(super) fn decide_on(decision: QuickplayDecision, player: Option<Side>) -> Verb {
    Verb::Ruling(Ruling::Quickplay {
        decision,
        bonus: false,
        player,
    })
}

/// White has 1:40 left in a game of standard play for which the rule was announced.
pub(super) fn short_of_time(edition: &'static Edition) -> Table {
    let mut table = Table::under(Rules {
        regulations: Regulations {
            quickplay_announced: true,
            ..Regulations::new(edition, Rate::Standard)
        },
        ..Rules::default()
    });
    table.moves("e2e4 e7e5");
    table.clock(100_000, 300_000, Some(Side::White));
    table
}

/// His claim there, on which the decision is postponed.
pub(super) fn postponed(edition: &'static Edition) -> Table {
    let mut table = short_of_time(edition);
    assert_eq!(table.ask(WHITE, claim(Claimed::Quickplay, None)), None);
    let later = decide(QuickplayDecision::Postpone);
    assert_eq!(table.ask(ARBITER, later), None);
    table
}

/// No draw is agreed without the arbiter.
pub(super) fn restricted() -> Table {
    Table::under(Rules {
        regulations: Regulations {
            agreement: AgreementRule::Never,
            ..Regulations::default()
        },
        ..Rules::default()
    })
}

/// White has offered there after his second move, Black has accepted.
pub(super) fn accepted() -> Table {
    let mut table = restricted();
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    table
}

/// White has announced Qe2 in the position after e4 e5.
pub(super) fn announced() -> Table {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let announces = claim(Claimed::Threefold, Some("Qe2"));
    assert_eq!(table.ask(WHITE, announces), None);
    table
}

/// Whether another move was made than the announced one.
pub(super) fn broken(table: &Table) -> bool {
    table.alert(AlertCode::AnnouncedMoveNotPlayed).is_some()
}
