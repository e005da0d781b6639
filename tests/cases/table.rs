//! A board with its game, driven as the daemon drives it: inputs, and the solver's answers to the
//! game's questions.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use remisd_dead::{self as dead, Winnability};
use remisd_game::{
    Answer, CanMate, Cause, ClockState, Command, Fact, Game, Input, Role, Rules, Score, SettledBy,
    Side, Stamped, Verb,
};
use remisd_laws::{Rate, Regulations};
use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _, san::SanPlus};

/// A quiet position: queen and knight moves, one capture, no checks.
pub const QUIET: &str = "1n4k1/3p4/8/8/8/8/8/3QK1N1 w - - 0 40";

/// One game at one board.
#[derive(Clone)]
pub struct Table {
    pub game: Game,
    pub facts: Vec<Fact>,
    /// The moves to make next.
    pub planned: VecDeque<Move>,
    regulations: Regulations,
    clock: ClockState,
    commands: u32,
    seen: Vec<Chess>,
}

impl Table {
    pub fn new(regulations: Regulations) -> Self {
        let rules = Rules {
            regulations: regulations.clone(),
            ..Rules::default()
        };
        let mut table = Self {
            game: Game::new(rules),
            facts: Vec::new(),
            planned: VecDeque::new(),
            regulations,
            clock: ClockState {
                white_ms: 600_000,
                black_ms: 600_000,
                running: Some(Side::White),
                flag: None,
            },
            commands: 0,
            seen: Vec::new(),
        };
        table.begin(None);
        table
    }

    /// Starts a new game from this position.
    pub fn begin_at(&mut self, fen: &str) {
        self.begin(Some(fen));
        self.settle();
    }

    fn begin(&mut self, fen: Option<&str>) {
        self.input(Input::NewGame {
            start_fen: fen.map(str::to_owned),
            laws: self.regulations.edition.id.into(),
            rate: self.regulations.rate,
            headers: BTreeMap::new(),
            cause: Cause::StartArray,
        });
        self.seen = vec![self.game.position().clone()];
        let running = Side::from(self.game.turn());
        self.show_clock(|clock| clock.running = Some(running));
    }

    pub fn input(&mut self, input: Input) {
        let seq = self.game.seq() + 1;
        let time = Timestamp::UNIX_EPOCH;
        let facts = self.game.apply(&Stamped { seq, time, input });
        self.facts.extend(facts);
    }

    pub fn command(&mut self, role: Role, verb: Verb) -> Answer {
        self.commands += 1;
        let id = self.commands.to_string();
        let command = Command {
            id: id.clone(),
            role,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        };
        self.input(Input::Command(command));
        self.game.answer(role, &id).expect("an answer").clone()
    }

    /// Gives a command that must succeed.
    pub fn ok(&mut self, role: Role, verb: Verb) {
        let named = format!("{verb:?}");
        let answer = self.command(role, verb);
        assert!(answer.ok, "{named}: {:?}", answer.message);
    }

    pub fn player(&mut self, player: Color, verb: Verb) -> Answer {
        self.command(player.fold_wb(Role::White, Role::Black), verb)
    }

    /// Changes the clock.
    pub fn show_clock(&mut self, change: impl FnOnce(&mut ClockState)) {
        change(&mut self.clock);
        let clock = Some(self.clock);
        self.input(Input::Clock { clock });
    }

    /// Answers the questions that the daemon would pass to the solver.
    pub fn settle(&mut self) {
        let (ply, position) = (self.game.ply(), self.game.position_seq());
        if self.game.dead().is_none() {
            let verdict = dead::analyse(self.game.position(), false).verdict();
            self.input(Input::Dead {
                ply,
                position,
                verdict,
                since: None,
                proofs: None,
            });
        }
        if self.game.wants_winnability() {
            let analysis = dead::analyse(self.game.position(), true);
            let can = |side: Option<Winnability>| match side? {
                Winnability::Winnable { .. } => Some(true),
                Winnability::Unwinnable(_) => Some(false),
                Winnability::Unknown => None,
            };
            let can_mate = CanMate {
                white: can(analysis.white),
                black: can(analysis.black),
            };
            self.input(Input::Winnability {
                ply,
                position,
                can_mate,
            });
        }
    }

    pub fn score(&self) -> Option<Score> {
        self.game.result().map(|result| result.score)
    }

    pub fn play(&mut self, m: Move) {
        let uci = m.to_uci(CastlingMode::Standard).to_string();
        let ply = self.game.ply();
        self.input(Input::Move {
            uci: uci.into(),
            by: SettledBy::Clock,
            clock: None,
        });
        assert_eq!(self.game.ply(), ply + 1, "{m:?} is made");
        self.seen.push(self.game.position().clone());
    }

    pub fn play_san(&mut self, san: &str) {
        let san: SanPlus = san.parse().unwrap();
        let m = san.san.to_move(self.game.position()).unwrap();
        self.play(m);
    }

    /// Makes the planned move, or any move to a new position.
    pub fn make_a_move(&mut self) {
        match self.planned.pop_front() {
            Some(m) => self.play(m),
            None => self.quiet_move(),
        }
    }

    /// Plays this many plies without capture, castling, repetition or end, and rarely with a pawn.
    pub fn wander(&mut self, plies: u32) {
        for _ in 0..plies {
            self.quiet_move();
        }
        let running = Side::from(self.game.turn());
        self.show_clock(|clock| clock.running = Some(running));
    }

    fn quiet_move(&mut self) {
        let position = self.game.position();
        let pawns = position.board().pawns().count();
        let pawn_is_due = position.halfmoves() > 40 && pawns > 8;
        let fits = |m: &&Move| {
            let after = after(position, **m);
            !m.is_capture()
                && !m.is_castle()
                && (m.role() == shakmaty::Role::Pawn) == pawn_is_due
                && !after.legal_moves().is_empty()
                && !after.is_check()
                && !self.seen.contains(&after)
        };
        let legal = position.legal_moves();
        let fitting: Vec<&Move> = legal.iter().filter(fits).collect();
        let nth = self.seen.len() * 7 % fitting.len().max(1);
        let m = **fitting.get(nth).expect("a quiet move");
        self.play(m);
    }

    /// Four moves that lead back to the position on the board.
    pub fn cycle(&self) -> [Move; 4] {
        let start = self.game.position();
        for out in quiet(start) {
            let second = after(start, out);
            for answer in quiet(&second) {
                let third = after(&second, answer);
                let Some(back) = reverse(&third, out) else {
                    continue;
                };
                let fourth = after(&third, back);
                let Some(home) = reverse(&fourth, answer) else {
                    continue;
                };
                if after(&fourth, home) == *start {
                    return [out, answer, back, home];
                }
            }
        }
        panic!("nothing can go to and fro");
    }
}

fn after(position: &Chess, m: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(m);
    after
}

/// Reversible moves without check.
fn quiet(position: &Chess) -> Vec<Move> {
    let legal = position.legal_moves();
    let quiet = |m: &&Move| !m.is_zeroing() && !m.is_castle() && !after(position, **m).is_check();
    legal.iter().filter(quiet).copied().collect()
}

fn reverse(position: &Chess, m: Move) -> Option<Move> {
    let back = |back: &Move| back.from() == Some(m.to()) && Some(back.to()) == m.from();
    quiet(position).into_iter().find(back)
}

/// The rate of play with this name.
pub fn rate(name: &str) -> Rate {
    name.parse().unwrap()
}

/// Converts seconds, possibly with a fraction, to milliseconds.
pub fn milliseconds(seconds: &Value) -> u64 {
    let text = seconds.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction: u64 = format!("{fraction:0<3}").parse().unwrap();
    whole.parse::<u64>().unwrap() * 1_000 + fraction
}
