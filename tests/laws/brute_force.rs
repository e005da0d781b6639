//! The Laws of 2023 on draws as directly as they can be written with shakmaty alone:
//! compare with every earlier position, try every legal move. Nothing of remisd is used.

use serde_json::{Value, json};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role, Square,
    fen::Fen, san::SanPlus, uci::UciMove,
};

/// Everything that makes two positions the same (9.2.3).
#[derive(PartialEq, Eq)]
struct Identity {
    board: Board,
    turn: Color,
    castling: Bitboard,
    en_passant: Option<Square>,
}

impl Identity {
    fn of(position: &Chess) -> Self {
        Self {
            board: position.board().clone(),
            turn: position.turn(),
            castling: position.castles().castling_rights(),
            en_passant: capturable_en_passant(position),
        }
    }
}

/// The en-passant square, if at least one legal move captures there.
fn capturable_en_passant(position: &Chess) -> Option<Square> {
    let square = position.ep_square(EnPassantMode::Always)?;
    let captured = |m: &Move| matches!(m, Move::EnPassant { to, .. } if *to == square);
    position
        .legal_moves()
        .iter()
        .any(captured)
        .then_some(square)
}

/// A game, all of whose positions are kept.
pub struct BruteForce {
    positions: Vec<Chess>,
    identities: Vec<Identity>,
    halfmove_clock: u32,
    last_move: Option<Value>,
    ended: bool,
    ends_here: Option<&'static str>,
}

impl BruteForce {
    pub fn new(start: Chess) -> Self {
        let mut game = Self {
            halfmove_clock: start.halfmoves(),
            identities: vec![Identity::of(&start)],
            positions: vec![start],
            last_move: None,
            ended: false,
            ends_here: None,
        };
        game.ends_here = game.end();
        game
    }

    pub fn position(&self) -> &Chess {
        self.positions.last().expect("the start is always there")
    }

    pub fn play(&mut self, m: Move) {
        self.last_move = Some(move_text(self.position(), m));
        self.ended |= self.ends_here.is_some();
        self.halfmove_clock = self.halfmove_clock_after(m);
        let after = self.position().clone().play(m).expect("a legal move");
        self.identities.push(Identity::of(&after));
        self.positions.push(after);
        self.ends_here = self.end();
    }

    /// How often the position on the board has occurred.
    fn count(&self) -> usize {
        self.plies().len()
    }

    /// The line that `remisd replay` must print for the position on the board.
    pub fn line(&self, game: u64) -> Value {
        let end = self.automatic().filter(|_| !self.ended);
        let mut line = json!({
            "schema": "remisd/draw/1",
            "game": game,
            "ply": self.positions.len() - 1,
            "turn": self.turn(),
            "fen": self.fen(),
            "laws": "fide-2023",
            "move": self.last_move,
            "repetition": { "count": self.count(), "plies": self.plies() },
            "halfmove_clock": self.halfmove_clock,
            "claims": self.claims(),
            "automatic": end,
        });
        if self.ended {
            line["after_end"] = json!(true);
        }
        line
    }

    /// The reason why the game is over here, even if it was over before.
    pub fn automatic(&self) -> Option<Value> {
        self.ends_here
            .map(|kind| json!({ "kind": kind, "article": article(kind) }))
    }

    fn claims(&self) -> Vec<Value> {
        let legal = self.position().legal_moves();
        if legal.is_empty() {
            return Vec::new();
        }
        let mut claims = Vec::new();
        let mut appeared = |kind: &str, article: &str| {
            claims.push(json!({
                "by": self.turn(), "kind": kind, "basis": "appeared", "article": article,
            }));
        };
        if self.count() >= 3 {
            appeared("threefold", "9.2.2");
        }
        if self.halfmove_clock >= 100 {
            appeared("fifty_move", "9.3.2");
        }
        let mut moves: Vec<(String, Move)> = legal
            .iter()
            .map(|m| (m.to_uci(self.mode()).to_string(), *m))
            .collect();
        moves.sort_by(|a, b| a.0.cmp(&b.0));
        for (kind, article) in [("threefold", "9.2.1"), ("fifty_move", "9.3.1")] {
            for (_, m) in &moves {
                let after = self.position().clone().play(*m).expect("a legal move");
                let identity = Identity::of(&after);
                let count = 1 + self.identities.iter().filter(|i| **i == identity).count();
                let clock = self.halfmove_clock_after(*m);
                let good = match kind {
                    "threefold" => count >= 3,
                    _ => clock >= 100,
                };
                if !good {
                    continue;
                }
                let mut claim = json!({
                    "by": self.turn(), "kind": kind, "basis": "intended", "article": article,
                    "move": move_text(self.position(), *m),
                });
                if after.legal_moves().is_empty() || count >= 5 || clock >= 150 {
                    claim["ends_game"] = json!(true);
                }
                claims.push(claim);
            }
        }
        claims
    }

    /// Why the game is over here, whether or not it was over before.
    fn end(&self) -> Option<&'static str> {
        let position = self.position();
        if position.legal_moves().is_empty() {
            Some(if position.is_check() {
                "checkmate"
            } else {
                "stalemate"
            })
        } else if self.count() >= 5 {
            Some("fivefold")
        } else if self.halfmove_clock >= 150 {
            Some("seventy_five_move")
        } else {
            None
        }
    }

    fn plies(&self) -> Vec<usize> {
        let here = self.identities.last().expect("the start is always there");
        let same = self.identities.iter().enumerate();
        same.filter(|(_, i)| *i == here)
            .map(|(ply, _)| ply)
            .collect()
    }

    /// Pawn moves and captures set it back; nothing else does.
    fn halfmove_clock_after(&self, m: Move) -> u32 {
        let before = self.position();
        let after = before.clone().play(m).expect("a legal move");
        let pieces = |position: &Chess| position.board().occupied().count();
        if m.role() == Role::Pawn || pieces(&after) < pieces(before) {
            0
        } else {
            self.halfmove_clock + 1
        }
    }

    fn turn(&self) -> &'static str {
        self.position().turn().fold_wb("white", "black")
    }

    fn mode(&self) -> CastlingMode {
        self.position().castles().mode()
    }

    fn fen(&self) -> String {
        let mut setup = self.position().to_setup(EnPassantMode::Always);
        setup.ep_square = capturable_en_passant(self.position());
        setup.halfmoves = self.halfmove_clock;
        Fen::try_from_setup(setup)
            .expect("a position of a game")
            .to_string()
    }
}

/// A move in both notations, each of which must lead back to the move.
fn move_text(position: &Chess, m: Move) -> Value {
    let uci = m.to_uci(position.castles().mode());
    let san = SanPlus::from_move(position.clone(), m);
    let by_uci = uci.to_string().parse::<UciMove>().unwrap();
    let by_san = san.to_string().parse::<SanPlus>().unwrap().san;
    assert_eq!(by_uci.to_move(position).ok(), Some(m));
    assert_eq!(by_san.to_move(position).ok(), Some(m));
    json!({ "uci": uci.to_string(), "san": san.to_string() })
}

fn article(kind: &str) -> &'static str {
    match kind {
        "checkmate" => "5.1.1",
        "stalemate" => "5.2.1",
        "fivefold" => "9.6.1",
        _ => "9.6.2",
    }
}
