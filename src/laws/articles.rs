//! The article numbers of an edition.

/// The articles in which an edition states its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Articles {
    /// Checkmate.
    pub checkmate: &'static str,
    /// Resignation.
    pub resignation: &'static str,
    /// Stalemate.
    pub stalemate: &'static str,
    /// Dead position.
    pub dead_position: &'static str,
    /// A draw agreed by the players.
    pub agreement: &'static str,
    /// When and how a draw is offered.
    pub offer: &'static str,
    /// Restrictions by the event; empty where the edition has no such article.
    pub restriction: &'static str,
    /// The mark (=) on the scoresheet.
    pub offer_mark: &'static str,
    /// A claim is also an offer; empty where the edition has no such article.
    pub claim_is_offer: &'static str,
    /// Distracting the opponent, which repeated offers do.
    pub distraction: &'static str,
    /// Bringing the game into disrepute, as a draw without play may.
    pub disrepute: &'static str,
    /// Threefold repetition by an intended move.
    pub threefold_intended: &'static str,
    /// Threefold repetition on the board.
    pub threefold_appeared: &'static str,
    /// When positions count as the same.
    pub same_position: &'static str,
    /// Fifty moves by an intended move.
    pub fifty_intended: &'static str,
    /// Fifty completed moves.
    pub fifty_appeared: &'static str,
    /// How the right to claim is lost.
    pub right_lost: &'static str,
    /// How a claim is made.
    pub claim: &'static str,
    /// The consequences of a correct claim.
    pub claim_correct: &'static str,
    /// The consequences of an incorrect claim.
    pub claim_incorrect: &'static str,
    /// Fivefold repetition; empty where the edition has none.
    pub fivefold: &'static str,
    /// The 75-move rule; empty where the edition has none.
    pub seventy_five: &'static str,
    /// Flag fall.
    pub flag_fall: &'static str,
    /// Both flags fallen, in a period followed by another one.
    pub both_flags: &'static str,
    /// Both flags fallen, in the last period.
    pub both_flags_last: &'static str,
    /// Both flags fallen, in rapid and blitz without adequate supervision; empty where the edition
    /// has no such article.
    pub both_flags_unsupervised: &'static str,
    /// Illegal moves and their penalties.
    pub illegal_move: &'static str,
    /// An illegal position that remains on the board; empty where the edition has no such article.
    pub illegal_position: &'static str,
    /// The claim in the last two minutes.
    pub quickplay: &'static str,
    /// The request for an increment; empty where the edition has no such article.
    pub quickplay_increment: &'static str,
    /// The ban on intervention by the arbiter.
    pub no_intervention: &'static str,
}
