//! The semi-static argument: squares that no piece can ever leave for others.
//!
//! For every man the *mobility* says on which squares it may ever stand, whether it
//! may ever be captured, and nothing is forgotten: what the rules in [`rules`] yield is
//! never too small. When on none of the squares that the loser's king may ever visit a
//! mate can come about ([`mate`]), the winner can never mate. Much is too large: a
//! "may" here says nothing.
//!
//! `protocol/dead.md` proves each rule, by induction on the plies of a game.

mod mate;
mod rules;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role, Square};

pub use mate::{Reason, Refuge};

use super::{
    state::{State, castled},
    text,
};

/// A man of the position, and what may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Man {
    /// Whose it is.
    #[serde(with = "text::color")]
    #[schemars(with = "String")]
    pub color: Color,
    /// What it is.
    #[serde(with = "text::role")]
    #[schemars(with = "String")]
    pub role: Role,
    /// Where it stands.
    #[serde(with = "text::square")]
    #[schemars(with = "String")]
    pub home: Square,
    /// Where it may ever stand; a pawn: before it promotes.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub squares: Bitboard,
    /// Where a pawn may ever stand after it has promoted.
    #[serde(
        default,
        with = "text::squares",
        skip_serializing_if = "text::squares::is_empty"
    )]
    #[schemars(with = "Vec<String>")]
    pub promoted: Bitboard,
    /// Whether it may ever be captured.
    pub capturable: bool,
}

impl Man {
    /// Where it may ever stand, as whatever.
    #[must_use]
    pub fn mobility(&self) -> Bitboard {
        self.squares | self.promoted
    }

    /// Whether its home may ever be free of it.
    #[must_use]
    pub fn may_leave(&self) -> bool {
        self.capturable || self.mobility() != Bitboard::from(self.home)
    }

    fn is(&self, color: Color, role: Role) -> bool {
        self.color == color && self.role == role
    }
}

/// A mobility that the rules do not extend, and why it leaves one side no mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// Every man of the position.
    pub men: Vec<Man>,
    /// Homes of anchored men: they never move, though they may be captured. (M9)
    #[serde(
        default,
        with = "text::squares",
        skip_serializing_if = "text::squares::is_empty"
    )]
    #[schemars(with = "Vec<String>")]
    pub anchored: Bitboard,
    /// Every square that the loser's king may ever stand on, with what a mate there lacks.
    pub king: Vec<Refuge>,
}

/// The men of a position with their mobility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mobility {
    pub men: Vec<Man>,
    /// Where a pawn of the side to move can be captured in passing right now.
    pub en_passant: Option<Square>,
    /// Homes of men that never move, as has been shown already. (M9)
    anchored: Bitboard,
    /// The home of a man that is taken to stay there uncaptured, to see whether it could
    /// then be the next to move. (M9)
    kept: Option<Square>,
    /// For the home of each anchored man the homes of those that never leave as long as it is
    /// there. (M9)
    fences: Vec<(Square, Bitboard)>,
}

/// Fewer pairs of pawns face to face than this make no cage.
const FEWEST_RAMS: usize = 2;

impl Mobility {
    /// The least mobility of a position that its rules allow.
    pub fn of(state: &State) -> Self {
        Self::within(state, Bitboard::EMPTY, None)
    }

    /// The same with the men that are anchored, if there are any. (M9)
    pub fn with_anchors(state: &State) -> Option<Self> {
        let pawns = |color| state.pieces(color, Role::Pawn);
        let rams = pawns(Color::White).shift(8) & pawns(Color::Black);
        if rams.count() < FEWEST_RAMS {
            return None;
        }
        let mut mobility = Self::of(state);
        loop {
            let anchored = mobility.anchored;
            let candidates = mobility.men.iter().filter(|man| {
                man.role != Role::King
                    && man.capturable
                    && man.mobility() != Bitboard::from(man.home)
                    && !state.rights().contains(man.home)
            });
            let found = candidates
                .map(|man| man.home)
                .filter(|home| Self::never_moves(state, anchored, *home))
                .fold(anchored, Bitboard::with);
            if found == anchored {
                let fences = anchored.into_iter();
                mobility.fences = fences
                    .map(|home| (home, Self::within(state, anchored, Some(home)).steady()))
                    .collect();
                return (!anchored.is_empty()).then_some(mobility);
            }
            mobility = Self::within(state, found, None);
        }
    }

    /// Whether a man that stays at home uncaptured is never one that can move.
    fn never_moves(state: &State, anchored: Bitboard, home: Square) -> bool {
        let mobility = Self::within(state, anchored, Some(home));
        let man = mobility.men.iter().find(|man| man.home == home);
        man.is_some_and(|man| !mobility.can_move(man))
    }

    fn within(state: &State, anchored: Bitboard, kept: Option<Square>) -> Self {
        let mut mobility = Self::at_home(state);
        mobility.anchored = anchored;
        mobility.kept = kept;
        while mobility.grow() {}
        mobility
    }

    /// Every man at home, and where castling can bring it.
    fn at_home(state: &State) -> Self {
        let mut men: Vec<Man> = state
            .occupied()
            .into_iter()
            .filter_map(|home| {
                Some(Man {
                    color: Color::from_white(state.of(Color::White).contains(home)),
                    role: state.role_at(home)?,
                    home,
                    squares: Bitboard::from(home),
                    promoted: Bitboard::EMPTY,
                    capturable: false,
                })
            })
            .collect();
        for rook in state.rights() {
            let color = Color::from_white(state.of(Color::White).contains(rook));
            let (king_to, rook_to) = castled(state.king(color), rook);
            for man in &mut men {
                if man.is(color, Role::King) {
                    man.squares.add(king_to);
                } else if man.home == rook {
                    man.squares.add(rook_to);
                }
            }
        }
        Self {
            men,
            en_passant: state.en_passant(),
            anchored: Bitboard::EMPTY,
            kept: None,
            fences: Vec::new(),
        }
    }

    /// The homes of the men that never leave them.
    fn steady(&self) -> Bitboard {
        let steady = self.men.iter().filter(|man| !man.may_leave());
        steady.map(|man| man.home).collect()
    }

    /// The homes of the men that never leave them as long as this man is on the board.
    fn fence(&self, man: &Man) -> Option<Bitboard> {
        let mut fences = self.fences.iter();
        let fence = fences.find(|(home, _)| *home == man.home);
        fence.map(|(_, fence)| *fence)
    }

    /// Whether a man is taken never to move.
    fn stays(&self, man: &Man) -> bool {
        self.anchored.contains(man.home) || self.kept == Some(man.home)
    }

    /// Why `winner` can never mate, if no square that the other king may ever visit is
    /// one where it can be mated.
    pub fn certificate(&self, winner: Color) -> Option<Certificate> {
        Some(Certificate {
            king: mate::refuges(self, winner)?,
            men: self.men.clone(),
            anchored: self.anchored,
        })
    }

    /// Where the other king might be mated.
    pub fn chances(&self, winner: Color) -> Vec<mate::Chance> {
        mate::chances(self, winner)
    }

    /// Whether there is such a certificate.
    pub fn is_unwinnable(&self, winner: Color) -> bool {
        mate::refuges(self, winner).is_some()
    }

    fn king(&self, color: Color) -> Option<&Man> {
        self.men.iter().find(|man| man.is(color, Role::King))
    }

    fn of_color(&self, color: Color) -> impl Iterator<Item = &Man> {
        self.men.iter().filter(move |man| man.color == color)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, Proof, Refuted, Verdict, Winnability, analyse, verify};
    use remisd_vocabulary::notation::parse_position;

    /// White's rook stands between king and bishop, and can be captured there alone.
    const CAGE: &str = "B2b4/8/8/4k3/1p1p1p1p/1PpP1P1P/K1P4b/RB6 b - - 0 1";

    #[test]
    fn a_rook_in_a_cage_never_moves_though_it_may_be_captured() {
        let position = parse_position(CAGE).unwrap();
        let state = State::from(&position);
        let rook = |mobility: &Mobility| {
            let man = mobility.men.iter().find(|man| man.home == Square::A1);
            *man.unwrap()
        };
        assert!(rook(&Mobility::of(&state)).squares.count() > 1);
        let anchored = rook(&Mobility::with_anchors(&state).unwrap());
        assert_eq!(anchored.squares, Bitboard::from(Square::A1));
        assert!(anchored.capturable);
    }

    #[test]
    fn an_anchor_that_is_none_is_refuted() {
        let position = parse_position(CAGE).unwrap();
        let mut analysis = analyse(&position, true);
        assert_eq!(analysis.verdict(), Verdict::Dead);
        assert_eq!(verify(&position, &analysis), Ok(()));
        let Analysis {
            white: Some(Winnability::Unwinnable(Proof::Mobility(certificate))),
            ..
        } = &mut analysis
        else {
            panic!("{analysis:?}");
        };
        certificate.anchored.add(Square::A8);
        let refuted = Err((Color::White, Refuted::NotAnchored));
        assert_eq!(verify(&position, &analysis), refuted);
    }

    #[test]
    fn a_rook_that_may_castle_is_no_anchor() {
        let fen = "4k3/8/8/8/8/pp1p1p1p/PP1PpP1P/4K2R w K - 0 1";
        let state = State::from(&parse_position(fen).unwrap());
        let anchored = Mobility::with_anchors(&state).map(|mobility| mobility.anchored);
        assert!(!anchored.unwrap_or_default().contains(Square::H1));
    }
}
