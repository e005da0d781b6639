//! Explains why a side can never mate, in terms that can be checked on the board.
//!
//! A [`Proof`] is for a program that verifies it. A person wants to know which pawns are blocked,
//! which pieces can never leave which squares, and how much was examined. [`Ground`] extracts that
//! from a proof and its position. `src/words` puts it into words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Board, Chess, Color, Position as _, Role, Square};

use super::{Album, Certificate, Lack, Man, Proof, Proofs, Reason, text};

/// Why neither side can mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grounds {
    /// Why White cannot mate.
    pub white: Ground,
    /// Why Black cannot mate.
    pub black: Ground,
}

/// Why one side, the winner, can never mate the other, the loser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ground {
    /// The basis of the proof.
    #[serde(flatten)]
    pub why: Why,
    /// Pawns of both colours that can neither move nor be captured.
    #[serde(
        default,
        with = "text::squares",
        skip_serializing_if = "text::squares::is_empty"
    )]
    #[schemars(with = "Vec<String>")]
    pub blocked: Bitboard,
    /// The other men that never leave certain squares: pieces of both colours, and pawns that are
    /// not completely blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confined: Vec<Confined>,
}

/// The kind of a ground.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Why {
    /// The game is over on the board.
    GameOver,
    /// The remaining material is insufficient.
    Material {
        /// What is missing.
        lack: Lack,
        /// The winner's men.
        men: Vec<Confined>,
    },
    /// All reachable positions were examined.
    Closure {
        /// The number of positions.
        positions: u32,
        /// The number of positions that were not expanded, because the men are blocked for good.
        leaves: u32,
    },
    /// All arrangements of the relevant men were examined, wherever the others are.
    Sketches {
        /// The number of arrangements.
        sketches: u32,
    },
    /// The men can never reach the squares needed for a mate.
    Mobility {
        /// Squares on which the loser's king can never be in check.
        #[serde(with = "text::squares")]
        #[schemars(with = "Vec<String>")]
        no_check: Bitboard,
        /// Squares on which it can be in check but can always flee.
        #[serde(with = "text::squares")]
        #[schemars(with = "Vec<String>")]
        flight: Bitboard,
        /// Squares on which it can be in check, but its own men cannot occupy all flight squares.
        #[serde(with = "text::squares")]
        #[schemars(with = "Vec<String>")]
        too_few: Bitboard,
    },
}

/// A man and the squares that it never leaves while it is on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confined {
    /// The man's colour.
    #[serde(with = "text::color")]
    #[schemars(with = "String")]
    pub color: Color,
    /// The man's role.
    #[serde(with = "text::role")]
    #[schemars(with = "String")]
    pub role: Role,
    /// The man's current square.
    #[serde(with = "text::square")]
    #[schemars(with = "String")]
    pub home: Square,
    /// Where it may ever be; empty where that was not determined.
    #[serde(
        default,
        with = "text::squares",
        skip_serializing_if = "text::squares::is_empty"
    )]
    #[schemars(with = "Vec<String>")]
    pub squares: Bitboard,
}

impl Grounds {
    /// The grounds of a dead position; `None` if a proof is missing.
    #[must_use]
    pub fn of(position: &Chess, proofs: &Proofs) -> Option<Self> {
        let ground = |winner, proof: &Option<Proof>| {
            let proof = proof.as_ref()?;
            Some(Ground::of(position, winner, proof))
        };
        Some(Self {
            white: ground(Color::White, &proofs.white)?,
            black: ground(Color::Black, &proofs.black)?,
        })
    }
}

impl Ground {
    /// Whether the proof is based on where the men can go.
    #[must_use]
    pub const fn is_by_mobility(&self) -> bool {
        matches!(self.why, Why::Mobility { .. })
    }

    /// Extracts the ground from a proof about a position.
    fn of(position: &Chess, winner: Color, proof: &Proof) -> Self {
        let (why, blocked, confined) = match proof {
            Proof::GameOver => (Why::GameOver, Bitboard::EMPTY, Vec::new()),
            Proof::Material { lack } => {
                let men = men(position.board(), winner);
                let why = Why::Material { lack: *lack, men };
                (why, Bitboard::EMPTY, Vec::new())
            }
            Proof::Closure {
                positions, leaves, ..
            } => {
                let why = Why::Closure {
                    positions: *positions,
                    leaves: *leaves,
                };
                (why, Bitboard::EMPTY, Vec::new())
            }
            Proof::Mobility(certificate) => {
                let on = |reason| {
                    let squares = certificate.king.iter();
                    let squares = squares.filter(|refuge| refuge.reason == reason);
                    squares.map(|refuge| refuge.square).collect()
                };
                let why = Why::Mobility {
                    no_check: on(Reason::NoCheck),
                    flight: on(Reason::Flight),
                    too_few: on(Reason::TooFew),
                };
                (why, blocked(certificate), confined(certificate))
            }
            Proof::Sketches(album) => {
                let why = Why::Sketches {
                    sketches: album.sketches,
                };
                (why, Bitboard::EMPTY, roaming(album))
            }
        };
        Self {
            why,
            blocked,
            confined,
        }
    }
}

/// The men of one side, king first.
fn men(board: &Board, side: Color) -> Vec<Confined> {
    let roles = [
        Role::King,
        Role::Queen,
        Role::Rook,
        Role::Bishop,
        Role::Knight,
        Role::Pawn,
    ];
    let men = roles.into_iter().flat_map(|role| {
        let homes = board.by_piece(role.of(side)).into_iter();
        homes.map(move |home| Confined {
            color: side,
            role,
            home,
            squares: Bitboard::EMPTY,
        })
    });
    men.collect()
}

fn blocked(certificate: &Certificate) -> Bitboard {
    let pawns = certificate.men.iter();
    let pawns = pawns.filter(|man| man.role == Role::Pawn && !man.may_leave());
    pawns.map(|man| man.home).collect()
}

/// The men that were assumed to be anywhere on certain squares.
fn roaming(album: &Album) -> Vec<Confined> {
    let homes = album.loose.iter();
    let homes = homes.filter_map(|man| Some((man, man.home.first()?)));
    let men = homes.map(|(man, home)| Confined {
        color: man.color,
        role: man.role,
        home,
        squares: man.squares,
    });
    men.collect()
}

/// The men other than blocked pawns, kings first, unless they can go everywhere.
fn confined(certificate: &Certificate) -> Vec<Confined> {
    let listed = |man: &&Man| man.may_leave() || man.role != Role::Pawn;
    let mut confined: Vec<Confined> = certificate
        .men
        .iter()
        .filter(listed)
        .map(|man| Confined {
            color: man.color,
            role: man.role,
            home: man.home,
            squares: man.mobility(),
        })
        .collect();
    confined.sort_by_key(|man| (man.role != Role::King, man.color != Color::White));
    confined
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;
    use crate::analyse;

    fn grounds(fen: &str) -> Grounds {
        let position = fen.parse::<Fen>().unwrap();
        let position: Chess = position.into_position(CastlingMode::Standard).unwrap();
        Grounds::of(&position, &analyse(&position, true).proofs().unwrap()).unwrap()
    }

    #[test]
    fn material_names_the_men() {
        let Grounds { white, black } = grounds("8/8/4k3/8/8/3K1B2/8/8 w - - 0 1");
        let Why::Material { lack, men } = white.why else {
            panic!("{white:?}");
        };
        assert_eq!(lack, Lack::Bishops);
        let men: Vec<(Role, Square)> = men.iter().map(|man| (man.role, man.home)).collect();
        assert_eq!(men, [(Role::King, Square::D3), (Role::Bishop, Square::F3)]);
        let lack = Lack::BareKing;
        assert!(matches!(black.why, Why::Material { lack: found, .. } if found == lack));
    }

    #[test]
    fn a_wall_names_its_pawns_and_where_the_kings_stay() {
        let Grounds { white, .. } = grounds("8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1");
        assert_eq!(white.blocked.count(), 8);
        let king = white.confined[0];
        assert_eq!((king.role, king.color), (Role::King, Color::White));
        assert!(king.squares.contains(Square::H1) && !king.squares.contains(Square::B6));
        let Why::Mobility { no_check, .. } = white.why else {
            panic!("{white:?}");
        };
        assert!(
            no_check.contains(Square::B6),
            "a pawn that stays gives no check"
        );
    }

    #[test]
    fn grounds_come_back_from_json() {
        for fen in [
            "8/8/4k3/8/8/3K1B2/8/8 w - - 0 1",
            "8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let grounds = grounds(fen);
            let json = serde_json::to_string(&grounds).unwrap();
            let back: Grounds = serde_json::from_str(&json).unwrap();
            assert_eq!(back, grounds, "{json}");
        }
    }
}
