//! Passes the events of a case to a game, one command each.

use remisd_dead::Verdict;
use remisd_game::{Answer, Claimed, Input, Role, Ruling, Score, Side, Verb};
use remisd_laws::{Finding, QuickplayDecision};
use serde_json::Value;
use shakmaty::{Chess, Color, Piece, Position as _, Square};

use super::{procedure::player, table::Table};

/// What happened, as far as the game alone does not show it.
pub struct Story<'a> {
    pub case: &'a Value,
    pub table: Table,
    /// The move that a player has written down.
    pub written: Option<String>,
    /// The answers to the last acceptance, claim, withdrawal and flag command.
    pub accepted: Option<Answer>,
    pub claimed: Option<Answer>,
    pub withdrawn: Option<Answer>,
    pub flagged: Option<Answer>,
    /// Whether a claim was still open after the last event.
    pub open_to_the_end: bool,
}

/// The square of a player's piece of this role, or else of any other piece except the king.
fn square(position: &Chess, color: Color, role: shakmaty::Role) -> Square {
    let board = position.board();
    let own = board.by_piece(Piece { color, role });
    let others = board.by_color(color) & !board.kings();
    let square: Option<Square> = own.first().or(others.first());
    square.expect("a piece")
}

impl Story<'_> {
    pub fn happens(&mut self, event: &str) {
        let Some(by) = player(event) else {
            return self.expect_event(event);
        };
        let what = event.split_once(' ').unwrap().1;
        let named = Some(Side::from(by));
        match what {
            "offers" | "offers draw" | "offers draw if board 2 is drawn" => {
                let condition = what.split_once("if ").map(|(_, text)| text.to_owned());
                let offer = Verb::Offer {
                    player: None,
                    condition,
                };
                assert!(self.table.player(by, offer).ok, "{event}");
            }
            "accepts" => {
                let accept = Verb::Accept { player: None };
                self.accepted = Some(self.table.player(by, accept));
            }
            "says no" => {
                let decline = Verb::Decline { player: None };
                assert!(self.table.player(by, decline).ok);
            }
            "withdraws" | "withdraws offer" => {
                let decline = Verb::Decline { player: None };
                self.withdrawn = Some(self.table.player(by, decline));
            }
            "says j'adoube" => {
                let adjust = Verb::Adjust { player: None };
                assert!(self.table.player(by, adjust).ok);
            }
            "adjusts piece" | "touches own knight (intent)" => {
                self.lift(by, by, shakmaty::Role::Knight);
            }
            "touches own knight (accident)" => {
                self.lift(by, by, shakmaty::Role::Knight);
                self.table.ok(Role::Arbiter, Verb::Adjust { player: named });
            }
            "touches own rook (intent)" => self.lift(by, by, shakmaty::Role::Rook),
            "touches opponent's knight (intent)" => {
                let square = square(self.position(), by.other(), shakmaty::Role::Knight);
                let touch = Verb::Touch {
                    player: by.into(),
                    square: remisd_vocabulary::written::Written::new(square),
                };
                self.table.ok(Role::Arbiter, touch);
            }
            "makes a move" => {
                self.rule();
                self.table.make_a_move();
            }
            "presses clock" => {
                self.table
                    .show_clock(|clock| clock.running = Some(by.other().into()));
            }
            "resigns" => {
                assert!(self.table.player(by, Verb::Resign { player: None }).ok);
            }
            "flag falls" => self.flag_falls(by),
            "checkmates" => self.table.play_san("Ra8#"),
            "stalemates" => self.table.play_san("Qf7"),
            "claims 10.2" | "claims G.5" | "claims III.5" | "claims G.5 / III.5" => {
                self.claim(by, Claimed::Quickplay, None);
            }
            "wants Qd3" => self.claim(by, Claimed::Threefold, Some("Qd3")),
            _ => match what.split_once(' ') {
                Some(("writes" | "enters", what)) => {
                    let san = what.strip_prefix("illegal ").unwrap_or(what);
                    let san = san.split(' ').next().unwrap();
                    self.written = Some(san.to_owned());
                }
                Some(("plays", san)) => self.table.play_san(san),
                _ if what.starts_with("claims") => {
                    self.rule();
                    if !what.contains("clock running") {
                        self.table.show_clock(|clock| clock.running = None);
                    }
                    let kind = if what.starts_with("claims 9.3") {
                        Claimed::FiftyMove
                    } else {
                        Claimed::Threefold
                    };
                    let written = self.written.take();
                    self.claim(by, kind, written.as_deref());
                }
                _ => panic!("{event}: what is that?"),
            },
        }
    }

    /// Handles an event that names neither player.
    fn expect_event(&mut self, event: &str) {
        match event {
            "arbiter agrees" => self.decide(QuickplayDecision::Draw),
            "arbiter postpones" => self.decide(QuickplayDecision::Postpone),
            "arbiter rejects" => self.decide(QuickplayDecision::Reject),
            "arbiter consents" => self.ruling(Ruling::Agreement { consent: true }),
            "claim found incorrect" | "claim incorrect" => {
                self.ruling(Ruling::Claim {
                    correct: false,
                    admissible: true,
                });
            }
            "illegal move completed" => self.illegal_move(false),
            "opponent claims" => self.illegal_move(true),
            "arbiter waits one move" => self.ruling(Ruling::IllegalPosition {}),
            "arbiter notices flag" | "(clock not stopped) w flag falls" => {
                self.flag_falls(Color::White);
            }
            "arbiter sees flag" => {
                self.table
                    .show_clock(|clock| clock.flag = Some(Side::White));
            }
            "record shows fivefold at ply 90" => {
                let (ply, _) = self.table.game.ended().expect("an end");
                assert_eq!(ply, 90);
            }
            "dead position appears" => {
                let fen = self.case["given"]["fen"].as_str().unwrap().to_owned();
                self.table.ok(Role::Arbiter, Verb::Setup { fen });
                self.table.settle();
                assert_eq!(self.table.game.dead(), Some(Verdict::Dead));
            }
            "fivefold appears" => {
                let cycle = self.table.cycle();
                for m in cycle.iter().cycle().take(16) {
                    self.table.play(*m);
                }
                assert_eq!(self.table.game.draw().repetition.count(), 5);
            }
            "seventy-five appears" => {
                let [quiet, ..] = self.table.cycle();
                self.table.play(quiet);
                assert_eq!(self.table.game.draw().halfmove_clock, 150);
            }
            "mate" => self.table.play_san("Ra8#"),
            // The flag claim carries the clock times.
            "claim" | "scoresheets signed" => {}
            "both clocks at 0" => {
                self.no_time_left();
                let ruling = Ruling::Flag {
                    player: Side::White,
                };
                self.flagged = Some(self.table.command(Role::Arbiter, Verb::Ruling(ruling)));
            }
            // A clock shows which flag fell first. If that is unknown, nothing follows
            // automatically: the arbiter rules.
            "both flags down, order unknown" => {
                self.no_time_left();
                assert_eq!(self.table.score(), None);
                let last_period = self.case["given"]["last_period"] == true;
                self.ruling(Ruling::BothFlags { last_period });
            }
            "claim 9.2 accepted" => {
                self.claim(self.table.game.turn(), Claimed::Threefold, None);
                self.ruling(Ruling::Claim {
                    correct: true,
                    admissible: true,
                });
                assert_eq!(self.table.score(), Some(Score::Draw));
            }
            "arbiter re-checks: claim wrong" => {
                let claim = &self.table.game.claims()[0];
                assert_eq!(claim.finding, Some(Finding::Incorrect));
                self.enter(Score::None);
            }
            _ => panic!("{event}: what is that?"),
        }
    }

    fn position(&self) -> &Chess {
        self.table.game.position()
    }

    /// The sensors see a piece lifted, for an unknown reason.
    fn lift(&mut self, by: Color, of: Color, role: shakmaty::Role) {
        let square = square(self.position(), of, role);
        let by = by.into();
        self.table.input(Input::Touched {
            by,
            square,
            sure: true,
        });
    }

    fn claim(&mut self, by: Color, kind: Claimed, announced: Option<&str>) {
        let claim = Verb::Claim {
            player: None,
            kind,
            announced: announced.map(str::to_owned),
            written: true,
        };
        self.claimed = Some(self.table.player(by, claim));
    }

    fn ruling(&mut self, ruling: Ruling) {
        self.table.ok(Role::Arbiter, Verb::Ruling(ruling));
    }

    fn decide(&mut self, decision: QuickplayDecision) {
        self.ruling(Ruling::Quickplay {
            decision,
            bonus: false,
            player: None,
        });
    }

    fn enter(&mut self, score: Score) {
        self.table
            .ok(Role::Arbiter, Verb::Result { score, game: None });
    }

    fn no_time_left(&mut self) {
        self.table.show_clock(|clock| {
            (clock.white_ms, clock.black_ms, clock.running) = (0, 0, None);
        });
    }

    /// The flag falls and the arbiter declares it.
    fn flag_falls(&mut self, by: Color) {
        let player = Side::from(by);
        self.table.show_clock(|clock| clock.flag = Some(player));
        self.table.settle();
        let ruling = Verb::Ruling(Ruling::Flag { player });
        self.flagged = Some(self.table.command(Role::Arbiter, ruling));
    }

    /// The given number of illegal moves by this player. If the arbiter waits for a claim, the move
    /// counts once the claim is made.
    fn illegal_move(&mut self, claimed: bool) {
        let on_claim = self.table.game.regulations().illegal_moves().on_claim;
        if claimed && !on_claim {
            return;
        }
        let given = &self.case["given"];
        let player = given["player"].as_str().and_then(player);
        let player = Side::from(player.unwrap_or(Color::White));
        for _ in 0..given["n"].as_u64().unwrap() {
            self.table.facts.clear();
            let ruling = Verb::Ruling(Ruling::IllegalMove {
                player,
                claimed,
                withdrawn: false,
            });
            let answer = self.table.command(Role::Arbiter, ruling);
            let waits = on_claim && !claimed;
            assert_eq!(answer.ok, !waits, "{answer:?}");
            self.table.settle();
        }
    }

    /// The arbiter rules according to the record, unless a touch must be weighed.
    pub fn rule(&mut self) {
        let Some(claim) = self.table.game.open_claim() else {
            return;
        };
        if claim.contested.is_some() {
            return;
        }
        match claim.finding {
            Some(Finding::Correct) => self.ruling(Ruling::Claim {
                correct: true,
                admissible: true,
            }),
            Some(Finding::Incorrect) => self.ruling(Ruling::Claim {
                correct: false,
                admissible: true,
            }),
            _ => {}
        }
    }
}
