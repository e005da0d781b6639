//! The semi-static argument: squares that men can never reach.
//!
//! For each man, the *mobility* says on which squares it may ever be and whether it may ever be
//! captured. It is an upper bound: the rules in [`rules`] never yield too little. If no mate is
//! possible on any square that the loser's king may ever visit ([`mate`]), the winner can never
//! mate. The bound is often too large, so a "may" here proves nothing.
//!
//! `protocol/dead.md` proves each rule by induction on the plies of a game.

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

/// A man of the position, with its possible future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Man {
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
    /// Where it may ever be; for a pawn, before it promotes.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub squares: Bitboard,
    /// Where a pawn may ever be after promotion.
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
    /// Where it may ever be, before or after promotion.
    #[must_use]
    pub fn mobility(&self) -> Bitboard {
        self.squares | self.promoted
    }

    /// Whether it may ever leave its home, by a move or by capture.
    #[must_use]
    pub fn may_leave(&self) -> bool {
        self.capturable || self.mobility() != Bitboard::from(self.home)
    }

    fn is(&self, color: Color, role: Role) -> bool {
        self.color == color && self.role == role
    }
}

/// A mobility that is closed under the rules, with the reasons why one side has no mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// All men of the position.
    pub men: Vec<Man>,
    /// Homes of anchored men, which never move but may be captured. (M9)
    #[serde(
        default,
        with = "text::squares",
        skip_serializing_if = "text::squares::is_empty"
    )]
    #[schemars(with = "Vec<String>")]
    pub anchored: Bitboard,
    /// All squares that the loser's king may ever visit, with the reason why there is no mate on
    /// each.
    pub king: Vec<Refuge>,
}

/// The men of a position with their mobility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mobility {
    pub men: Vec<Man>,
    /// The en passant square of the position, if the side to move can capture there.
    pub en_passant: Option<Square>,
    /// Homes of men already shown never to move. (M9)
    anchored: Bitboard,
    /// The home of a man assumed to stay there uncaptured, to test whether it could ever be the
    /// next to move. (M9)
    kept: Option<Square>,
    /// For the home of each anchored man, the homes of the men that never leave while it is there.
    /// (M9)
    fences: Vec<(Square, Bitboard)>,
}

/// Fewer pairs of opposing blocked pawns than this cannot form a cage.
const FEWEST_RAMS: usize = 2;

impl Mobility {
    /// The least mobility of a position that the rules allow.
    pub fn of(state: &State) -> Self {
        Self::within(state, Bitboard::EMPTY, None)
    }

    /// The same with anchored men; `None` if there are none. (M9)
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

    /// Whether a man that stays at home uncaptured can never move.
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

    /// All men at home, plus their squares after castling.
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

    /// The homes of men that never leave them.
    fn steady(&self) -> Bitboard {
        let steady = self.men.iter().filter(|man| !man.may_leave());
        steady.map(|man| man.home).collect()
    }

    /// The homes of men that never leave them while this man is on the board.
    fn fence(&self, man: &Man) -> Option<Bitboard> {
        let mut fences = self.fences.iter();
        let fence = fences.find(|(home, _)| *home == man.home);
        fence.map(|(_, fence)| *fence)
    }

    /// Whether a man is assumed never to move.
    fn stays(&self, man: &Man) -> bool {
        self.anchored.contains(man.home) || self.kept == Some(man.home)
    }

    /// The certificate that `winner` can never mate, if the other king cannot be mated on any
    /// square it may ever visit.
    pub fn certificate(&self, winner: Color) -> Option<Certificate> {
        Some(Certificate {
            king: mate::refuges(self, winner)?,
            men: self.men.clone(),
            anchored: self.anchored,
        })
    }

    /// The squares on which the other king might be mated.
    pub fn chances(&self, winner: Color) -> Vec<mate::Chance> {
        mate::chances(self, winner)
    }

    /// Whether such a certificate exists.
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

    /// White's rook is between king and bishop, and can be captured only there.
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
