//! What the Laws say about the position on the board: possible claims and automatic ends.

use shakmaty::{Chess, Color, Move, Position};

use super::{Edition, Fivefold, ForcedKingMove, History, Occurrences, Ply};

/// An edition's verdict on the position on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawState {
    /// When the position occurred.
    pub repetition: Occurrences,
    /// Halfmoves since the last pawn move or capture.
    pub halfmove_clock: u32,
    /// All claims with which the player having the move would succeed. They are ordered: appeared
    /// before intended, threefold before fifty moves, intended moves by their UCI text.
    pub claims: Vec<Claim>,
    /// Claims of threefold repetition that succeed only if a castling right that could not be kept
    /// is ignored, in the same order. The arbiter decides them. Empty except under an edition that
    /// has been read both ways.
    pub disputed: Vec<Claim>,
    /// The end of the game in this position, if it is over. The first reason counts, in the order
    /// checkmate, stalemate, fivefold, 75 moves. The game may have ended earlier.
    pub automatic: Option<AutomaticEnd>,
}

/// A claim of a draw that would succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The player having the move.
    pub by: Color,
    /// What is claimed.
    pub kind: ClaimKind,
    /// The basis of the claim.
    pub basis: Basis,
    /// The article that allows it.
    pub article: &'static str,
}

/// The kind of a claim.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// The same position for at least the third time (9.2).
    Threefold,
    /// Fifty moves by each player without a pawn move or capture (9.3).
    FiftyMove,
}

impl ClaimKind {
    /// The name used in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threefold => "threefold",
            Self::FiftyMove => "fifty_move",
        }
    }
}

/// The basis of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// The position that has just appeared.
    Appeared,
    /// A move that the player writes down and declares.
    Intended(Intended),
}

/// A move declared for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intended {
    /// The move.
    pub m: Move,
    /// Whether the move would itself end the game (mate, stalemate, fivefold, 75 moves). Announcing
    /// it is still formally valid.
    pub ends_game: bool,
}

/// An end of the game that requires no claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutomaticEnd {
    /// Why the game is over.
    pub kind: AutomaticKind,
    /// The article that says so.
    pub article: &'static str,
}

/// Why a game is over without a claim.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AutomaticKind {
    /// The king of the player having the move is attacked and cannot be saved.
    Checkmate,
    /// The player having the move has no legal move and is not in check.
    Stalemate,
    /// Neither player can mate by any series of legal moves.
    DeadPosition,
    /// The same position for at least the fifth time.
    Fivefold,
    /// 75 moves by each player without a pawn move or capture.
    SeventyFiveMove,
}

impl AutomaticKind {
    /// The name used in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::DeadPosition => "dead_position",
            Self::Fivefold => "fivefold",
            Self::SeventyFiveMove => "seventy_five_move",
        }
    }

    /// This end, with the edition's article.
    #[must_use]
    pub const fn under(self, edition: &Edition) -> AutomaticEnd {
        let articles = &edition.articles;
        let article = match self {
            Self::Checkmate => articles.checkmate,
            Self::Stalemate => articles.stalemate,
            Self::DeadPosition => articles.dead_position,
            Self::Fivefold => articles.fivefold,
            Self::SeventyFiveMove => articles.seventy_five,
        };
        AutomaticEnd {
            kind: self,
            article,
        }
    }
}

pub(super) fn draw_state(history: &History, edition: &Edition) -> DrawState {
    let position = history.position();
    let repetition = history.occurrences();
    let occurrences = repetition.number();
    let halfmove_clock = position.halfmoves();
    let legal = position.legal_moves();

    let natural = legal.is_empty().then(|| {
        if position.is_check() {
            AutomaticKind::Checkmate
        } else {
            AutomaticKind::Stalemate
        }
    });
    let automatic = natural
        .or_else(|| by_count(edition, &repetition.plies, halfmove_clock))
        .map(|kind| kind.under(edition));

    let (claims, disputed) = if natural.is_some() {
        (Vec::new(), Vec::new())
    } else {
        let mut claims = appeared(position, edition, occurrences);
        claims.extend(intended(history, edition, &legal));
        (claims, disputed(history, edition, &legal))
    };

    DrawState {
        repetition,
        halfmove_clock,
        claims,
        disputed,
        automatic,
    }
}

/// Fivefold repetition and 75 moves (9.6); fivefold wins if both apply. `plies` are those of the
/// position to judge, the present one last.
fn by_count(edition: &Edition, plies: &[Ply], halfmove_clock: u32) -> Option<AutomaticKind> {
    let seventy_five = edition
        .automatic_halfmoves
        .is_some_and(|limit| halfmove_clock >= limit);
    if edition.fivefold.is_some_and(|rule| rule.is_met(plies)) {
        Some(AutomaticKind::Fivefold)
    } else if seventy_five {
        Some(AutomaticKind::SeventyFiveMove)
    } else {
        None
    }
}

impl Fivefold {
    /// Whether a position that occurred at these plies ends the game.
    #[must_use]
    pub fn is_met(self, plies: &[Ply]) -> bool {
        let needed = self.occurrences() as usize;
        match self {
            Self::AnySpacing { .. } => plies.len() >= needed,
            Self::Consecutive { plies_apart, .. } => {
                let newest = plies.len().checked_sub(needed).map(|i| &plies[i..]);
                newest.is_some_and(|plies| {
                    plies
                        .windows(2)
                        .all(|pair| pair[1] - pair[0] == plies_apart)
                })
            }
        }
    }

    /// How many of the occurrences at these plies count towards the end.
    #[must_use]
    pub fn so_far(self, plies: &[Ply]) -> u32 {
        let count = match self {
            Self::AnySpacing { .. } => plies.len(),
            Self::Consecutive { plies_apart, .. } => {
                let apart = |pair: &&[Ply]| pair[1] - pair[0] == plies_apart;
                plies.windows(2).rev().take_while(apart).count() + usize::from(!plies.is_empty())
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The required number of occurrences, including the present one.
    #[must_use]
    pub const fn occurrences(self) -> u32 {
        match self {
            Self::AnySpacing { occurrences } | Self::Consecutive { occurrences, .. } => occurrences,
        }
    }
}

/// Claims based on the position that has just appeared (9.2.2, 9.3.2).
fn appeared(position: &Chess, edition: &Edition, occurrences: u32) -> Vec<Claim> {
    let by = position.turn();
    let mut claims = Vec::new();
    if occurrences >= edition.claimable_occurrences {
        claims.push(Claim {
            by,
            kind: ClaimKind::Threefold,
            basis: Basis::Appeared,
            article: edition.articles.threefold_appeared,
        });
    }
    if position.halfmoves() >= edition.claimable_halfmoves {
        claims.push(Claim {
            by,
            kind: ClaimKind::FiftyMove,
            basis: Basis::Appeared,
            article: edition.articles.fifty_appeared,
        });
    }
    claims
}

/// Claims based on each legal move that could be declared (9.2.1, 9.3.1).
fn intended(history: &History, edition: &Edition, legal: &[Move]) -> Vec<Claim> {
    let position = history.position();
    let by = position.turn();
    let repeatable = history.any_occurred(by.other(), edition.claimable_occurrences - 1);
    let countable = position.halfmoves().saturating_add(1) >= edition.claimable_halfmoves;
    if !repeatable && !countable {
        return Vec::new();
    }

    let mut threefold = Vec::new();
    let mut fifty = Vec::new();
    for &m in legal.iter().filter(|m| !m.is_zeroing()) {
        let mut after = position.clone();
        after.play_unchecked(m);
        let occurrences = history.last_occurrence(&after) + 1;
        let third = occurrences >= edition.claimable_occurrences;
        if !third && !countable {
            continue;
        }
        let ends_game = {
            let mut plies = if occurrences > 1 {
                history.plies_of(&after)
            } else {
                Vec::new()
            };
            plies.push(history.ply() + 1);
            by_count(edition, &plies, after.halfmoves()).is_some() || after.legal_moves().is_empty()
        };
        let uci = m.to_uci(position.castles().mode()).to_string();
        let basis = Basis::Intended(Intended { m, ends_game });
        if third {
            let article = edition.articles.threefold_intended;
            let kind = ClaimKind::Threefold;
            threefold.push((
                uci.clone(),
                Claim {
                    by,
                    kind,
                    basis: basis.clone(),
                    article,
                },
            ));
        }
        if countable {
            let article = edition.articles.fifty_intended;
            let kind = ClaimKind::FiftyMove;
            fifty.push((
                uci,
                Claim {
                    by,
                    kind,
                    basis,
                    article,
                },
            ));
        }
    }
    threefold.sort_by(|a, b| a.0.cmp(&b.0));
    fifty.sort_by(|a, b| a.0.cmp(&b.0));
    threefold
        .into_iter()
        .chain(fifty)
        .map(|(_, claim)| claim)
        .collect()
}

/// Claims of threefold repetition that succeed only if a castling right that could not be kept is
/// ignored. Empty unless the edition leaves this open.
fn disputed(history: &History, edition: &Edition, legal: &[Move]) -> Vec<Claim> {
    if edition.forced_king_move != ForcedKingMove::Disputed || !history.any_right_lost() {
        return Vec::new();
    }
    let position = history.position();
    let needed = edition.claimable_occurrences as usize;
    let claim = |basis, article| Claim {
        by: position.turn(),
        kind: ClaimKind::Threefold,
        basis,
        article,
    };
    let mut claims = Vec::new();
    let open = |strict: usize, lenient: usize| strict < needed && lenient >= needed;
    let lenient = history.plies_of_leniently(position).len();
    if open(history.plies_of(position).len(), lenient) {
        claims.push(claim(Basis::Appeared, edition.articles.threefold_appeared));
    }
    let mut intended: Vec<(String, Claim)> = Vec::new();
    for &m in legal.iter().filter(|m| !m.is_zeroing()) {
        let mut after = position.clone();
        after.play_unchecked(m);
        let lenient = history.plies_of_leniently(&after).len() + 1;
        let strict = history.plies_of(&after).len() + 1;
        if open(strict, lenient) {
            let ends_game = after.legal_moves().is_empty();
            let basis = Basis::Intended(Intended { m, ends_game });
            let uci = m.to_uci(position.castles().mode()).to_string();
            intended.push((uci, claim(basis, edition.articles.threefold_intended)));
        }
    }
    intended.sort_by(|a, b| a.0.cmp(&b.0));
    claims.extend(intended.into_iter().map(|(_, claim)| claim));
    claims
}

#[cfg(test)]
mod tests {
    use remisd_vocabulary::notation::parse_position;
    use shakmaty::Position as _;

    use crate::{self as laws, History};

    #[test]
    fn a_halfmove_clock_at_the_end_of_its_range_is_only_a_long_one() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 4294967295 4294967295";
        let mut history = History::new(parse_position(fen).unwrap());
        for _ in 0..2 {
            let state = history.draw_state(laws::newest());
            assert_eq!(state.halfmove_clock, u32::MAX);
            assert!(state.claims.len() > 2, "{:?}", state.claims);
            let quiet = history.position().legal_moves()[0];
            history.play(quiet).unwrap();
        }
    }
}
