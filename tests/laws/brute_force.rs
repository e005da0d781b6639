//! The Laws on draws in the most direct form, with shakmaty alone: compare with every earlier
//! position, try every legal move. No code of remisd is used.

use serde_json::{Value, json};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role, Square,
    fen::Fen, san::SanPlus, uci::UciMove,
};

/// The rules of one edition, written down a second time.
pub struct Rules {
    pub id: &'static str,
    /// Whether arbiters have ruled both ways on a castling right that could not be kept.
    disputed: bool,
    fivefold: Fivefold,
    seventy_five: bool,
    articles: Articles,
}

#[derive(PartialEq, Eq)]
enum Fivefold {
    Never,
    /// Each of the five occurs exactly four plies after the one before.
    FourPliesApart,
    AnySpacing,
}

struct Articles {
    threefold: [&'static str; 2],
    fifty: [&'static str; 2],
    checkmate: &'static str,
    stalemate: &'static str,
    fivefold: &'static str,
    seventy_five: &'static str,
}

/// Before 2014 only mate and stalemate end a game among the ends counted here.
const fn without_automatic_ends(id: &'static str, disputed: bool) -> Rules {
    Rules {
        id,
        disputed,
        fivefold: Fivefold::Never,
        seventy_five: false,
        articles: LETTERS,
    }
}

const fn since_2017(id: &'static str, threefold: [&'static str; 2]) -> Rules {
    Rules {
        id,
        disputed: false,
        fivefold: Fivefold::AnySpacing,
        seventy_five: true,
        articles: Articles {
            threefold,
            fifty: ["9.3.1", "9.3.2"],
            checkmate: "5.1.1",
            stalemate: "5.2.1",
            fivefold: "9.6.1",
            seventy_five: "9.6.2",
        },
    }
}

const LETTERS: Articles = Articles {
    threefold: ["9.2a", "9.2b"],
    fifty: ["9.3a", "9.3b"],
    checkmate: "5.1",
    stalemate: "5.2",
    fivefold: "9.6a",
    seventy_five: "9.6b",
};

/// All editions, oldest first.
pub const RULES: [Rules; 8] = [
    without_automatic_ends("fide-1997", true),
    without_automatic_ends("fide-2001", true),
    without_automatic_ends("fide-2005", true),
    without_automatic_ends("fide-2009", false),
    Rules {
        id: "fide-2014",
        disputed: false,
        fivefold: Fivefold::FourPliesApart,
        seventy_five: true,
        articles: LETTERS,
    },
    since_2017("fide-2017", ["9.2.1.1", "9.2.1.2"]),
    since_2017("fide-2018", ["9.2.1.1", "9.2.1.2"]),
    since_2017("fide-2023", ["9.2.1", "9.2.2"]),
];

/// Everything that makes two positions the same.
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

    /// The same, ignoring the castling rights of a player who is in check and can move only the
    /// king.
    fn leniently(position: &Chess) -> Self {
        let mut identity = Self::of(position);
        let legal = position.legal_moves();
        let king_only = legal.iter().all(|m| m.role() == Role::King);
        if position.is_check() && !legal.is_empty() && king_only {
            identity.castling &= position.them();
        }
        identity
    }
}

/// The en passant square, if at least one legal move captures there.
fn capturable_en_passant(position: &Chess) -> Option<Square> {
    let square = position.ep_square(EnPassantMode::Always)?;
    let captured = |m: &Move| matches!(m, Move::EnPassant { to, .. } if *to == square);
    position
        .legal_moves()
        .iter()
        .any(captured)
        .then_some(square)
}

/// A game with all its positions.
pub struct BruteForce {
    positions: Vec<Chess>,
    identities: Vec<Identity>,
    lenient: Vec<Identity>,
    halfmove_clock: u32,
    last_move: Option<Value>,
    here: Look,
    /// Whether the game was already over, under each edition.
    ended: [bool; RULES.len()],
}

/// A position that is, or would be, on the board.
struct Look {
    /// The plies at which it occurred, including this one.
    plies: Vec<usize>,
    /// The same, ignoring castling rights that could not be kept.
    lenient_plies: Vec<usize>,
    clock: u32,
    /// Mate or stalemate.
    over: Option<&'static str>,
}

impl Look {
    /// Why the game is over here, even if it was over earlier.
    fn end(&self, rules: &Rules) -> Option<&'static str> {
        let fivefold = match rules.fivefold {
            Fivefold::Never => false,
            Fivefold::AnySpacing => self.plies.len() >= 5,
            Fivefold::FourPliesApart => {
                let last = self.plies[self.plies.len() - 1];
                (1..5).all(|n| last >= 4 * n && self.plies.contains(&(last - 4 * n)))
                    && self.plies.iter().filter(|ply| **ply + 16 >= last).count() == 5
            }
        };
        if self.over.is_some() {
            self.over
        } else if fivefold {
            Some("fivefold")
        } else if rules.seventy_five && self.clock >= 150 {
            Some("seventy_five_move")
        } else {
            None
        }
    }
}

impl BruteForce {
    pub fn new(start: Chess) -> Self {
        let mut game = Self {
            halfmove_clock: start.halfmoves(),
            identities: Vec::new(),
            lenient: Vec::new(),
            positions: Vec::new(),
            last_move: None,
            here: Look {
                plies: Vec::new(),
                lenient_plies: Vec::new(),
                clock: 0,
                over: None,
            },
            ended: [false; RULES.len()],
        };
        game.stand(start);
        game
    }

    pub fn position(&self) -> &Chess {
        self.positions.last().expect("the start is always there")
    }

    pub fn play(&mut self, m: Move) {
        self.last_move = Some(move_text(self.position(), m));
        for (ended, rules) in self.ended.iter_mut().zip(&RULES) {
            *ended |= self.here.end(rules).is_some();
        }
        self.halfmove_clock = self.halfmove_clock_after(m);
        let after = self.position().clone().play(m).expect("a legal move");
        self.stand(after);
    }

    fn stand(&mut self, position: Chess) {
        self.here = self.look(&position, self.halfmove_clock);
        self.identities.push(Identity::of(&position));
        self.lenient.push(Identity::leniently(&position));
        self.positions.push(position);
    }

    /// Evaluates a position that would be next on the board.
    fn look(&self, position: &Chess, clock: u32) -> Look {
        let plies = |all: &[Identity], identity: &Identity| {
            let same = all.iter().enumerate().filter(|(_, i)| *i == identity);
            let mut plies: Vec<usize> = same.map(|(ply, _)| ply).collect();
            plies.push(all.len());
            plies
        };
        let none = position.legal_moves().is_empty();
        let why = if position.is_check() {
            "checkmate"
        } else {
            "stalemate"
        };
        Look {
            plies: plies(&self.identities, &Identity::of(position)),
            lenient_plies: plies(&self.lenient, &Identity::leniently(position)),
            clock,
            over: none.then_some(why),
        }
    }

    /// The line that `remisd replay` must print for the position on the board, under each edition.
    pub fn lines(&self, game: u64) -> Vec<Value> {
        let intended = self.intended();
        let of = RULES.iter().zip(self.ended);
        of.map(|(rules, ended)| {
            let mut line = json!({
                "schema": "remisd/draw/1",
                "game": game,
                "ply": self.positions.len() - 1,
                "turn": self.turn(),
                "fen": self.fen(),
                "laws": rules.id,
                "move": self.last_move,
                "repetition": { "count": self.here.plies.len(), "plies": self.here.plies },
                "halfmove_clock": self.halfmove_clock,
                "claims": self.claims(rules, &intended),
                "automatic": self.automatic(rules).filter(|_| !ended),
            });
            if ended {
                line["after_end"] = json!(true);
            }
            let disputed = self.disputed(rules, &intended);
            if !disputed.is_empty() {
                line["arbiter_decides"] = json!(disputed);
            }
            line
        })
        .collect()
    }

    /// The reason why the game is over here, even if it was over earlier.
    pub fn automatic(&self, rules: &Rules) -> Option<Value> {
        let articles = &rules.articles;
        self.here.end(rules).map(|kind| {
            let article = match kind {
                "checkmate" => articles.checkmate,
                "stalemate" => articles.stalemate,
                "fivefold" => articles.fivefold,
                _ => articles.seventy_five,
            };
            json!({ "kind": kind, "article": article })
        })
    }

    /// Every legal move in text form, with the position after it.
    fn intended(&self) -> Vec<(Value, Look)> {
        let mut moves: Vec<(String, Value, Look)> = Vec::new();
        for m in self.position().legal_moves() {
            let uci = m.to_uci(self.mode()).to_string();
            let after = self.position().clone().play(m).expect("a legal move");
            let look = self.look(&after, self.halfmove_clock_after(m));
            moves.push((uci, move_text(self.position(), m), look));
        }
        moves.sort_by(|a, b| a.0.cmp(&b.0));
        moves.into_iter().map(|(_, m, look)| (m, look)).collect()
    }

    fn claim(&self, kind: &str, article: &str, m: Option<&Value>, ends_game: bool) -> Value {
        let basis = if m.is_some() { "intended" } else { "appeared" };
        let mut claim = json!({
            "by": self.turn(), "kind": kind, "basis": basis, "article": article,
        });
        if let Some(m) = m {
            claim["move"] = m.clone();
        }
        if ends_game {
            claim["ends_game"] = json!(true);
        }
        claim
    }

    fn claims(&self, rules: &Rules, intended: &[(Value, Look)]) -> Vec<Value> {
        if self.here.over.is_some() {
            return Vec::new();
        }
        let good = |kind: &str, look: &Look| match kind {
            "threefold" => look.plies.len() >= 3,
            _ => look.clock >= 100,
        };
        let kinds = [
            ("threefold", rules.articles.threefold),
            ("fifty_move", rules.articles.fifty),
        ];
        let mut claims = Vec::new();
        for (kind, [_, article]) in kinds {
            if good(kind, &self.here) {
                claims.push(self.claim(kind, article, None, false));
            }
        }
        for (kind, [article, _]) in kinds {
            for (m, look) in intended.iter().filter(|(_, look)| good(kind, look)) {
                let ends_game = look.end(rules).is_some();
                claims.push(self.claim(kind, article, Some(m), ends_game));
            }
        }
        claims
    }

    /// Claims of repetition that only the lenient reading allows.
    fn disputed(&self, rules: &Rules, intended: &[(Value, Look)]) -> Vec<Value> {
        if self.here.over.is_some() || !rules.disputed {
            return Vec::new();
        }
        let open = |look: &Look| look.plies.len() < 3 && look.lenient_plies.len() >= 3;
        let [by_move, appeared] = rules.articles.threefold;
        let mut claims = Vec::new();
        if open(&self.here) {
            claims.push(self.claim("threefold", appeared, None, false));
        }
        for (m, look) in intended.iter().filter(|(_, look)| open(look)) {
            let ends_game = look.end(rules).is_some();
            claims.push(self.claim("threefold", by_move, Some(m), ends_game));
        }
        claims
    }

    /// Only pawn moves and captures reset it.
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

/// A move in both notations, each of which must parse back to the move.
fn move_text(position: &Chess, m: Move) -> Value {
    let uci = m.to_uci(position.castles().mode());
    let san = SanPlus::from_move(position.clone(), m);
    let by_uci = uci.to_string().parse::<UciMove>().unwrap();
    let by_san = san.to_string().parse::<SanPlus>().unwrap().san;
    assert_eq!(by_uci.to_move(position).ok(), Some(m));
    assert_eq!(by_san.to_move(position).ok(), Some(m));
    json!({ "uci": uci.to_string(), "san": san.to_string() })
}
