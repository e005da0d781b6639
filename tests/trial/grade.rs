//! Grades how well a game was read.

use remisd::simulate::score::Score;
use shakmaty::Move;

use crate::Account;

/// The verdict on one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every move is right and undoubted, and no square is mismatched at the end.
    Exact,
    /// Every error is flagged as doubtful.
    Flagged,
    /// The reading differs from the game without any flag.
    Wrong,
}

/// The result sign on the board, compared with the proposed result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// No sign was shown and no result was proposed.
    None,
    /// The proposed result is the one that was shown.
    Right,
    /// A different result was proposed, or one that was not shown.
    Wrong,
    /// A sign was shown, but no result was proposed.
    Missing,
}

/// The measurements of a game.
#[derive(Debug, Clone)]
pub struct Grade {
    /// How the tracker read the game.
    pub outcome: Outcome,
    /// The first ply at which the reading differs from the game.
    pub differs: Option<usize>,
    /// How the baseline read it.
    pub naive: Outcome,
    /// The result sign.
    pub sign: Sign,
    /// From the release of a ply's last piece to its settling, in milliseconds.
    pub settling: Vec<u64>,
    /// The same, measured from the ply's last reported event.
    pub after: Vec<u64>,
}

impl Grade {
    /// Compares an account with the game that was played.
    pub fn of(score: &Score, account: &Account) -> Self {
        let truth: Vec<Move> = score.plies.iter().map(|ply| ply.played).collect();
        let read: Vec<Move> = account.moves.iter().map(|made| made.m).collect();
        let settling = (account.moves.iter().zip(&truth).zip(&account.released))
            .take_while(|((made, truth), _)| made.m == **truth)
            .map(|((made, _), released)| made.at.saturating_sub(*released))
            .collect();
        let right =
            (account.moves.iter().zip(&truth)).take_while(|(made, truth)| made.m == **truth);
        let after = right.map(|(made, _)| made.after).collect();
        let naive = if account.naive == truth {
            Outcome::Exact
        } else if truth.starts_with(&account.naive) {
            Outcome::Flagged
        } else {
            Outcome::Wrong
        };
        let differs = (0..truth.len().max(read.len())).find(|&i| truth.get(i) != read.get(i));
        Self {
            outcome: outcome(&truth, account),
            differs,
            naive,
            sign: sign(account),
            settling,
            after,
        }
    }
}

fn outcome(truth: &[Move], account: &Account) -> Outcome {
    let moves = &account.moves;
    let stopped = account.stopped || account.mismatch;
    let read = moves.iter().map(|made| made.m);
    let right = (read.zip(truth))
        .take_while(|(read, played)| read == *played)
        .count();
    // A wrong ply is in doubt, and so are all that follow.
    let doubted = account
        .undoubted
        .is_some_and(|undoubted| right >= undoubted);
    if stopped && right < moves.len() && doubted {
        return Outcome::Flagged;
    }
    let agree = right == moves.len().min(truth.len());
    // On a board that cannot identify pieces, a promotion is marked as assumed.
    let assumed = (moves.iter().zip(truth))
        .find(|(made, played)| made.m != **played)
        .is_some_and(|(made, played)| {
            made.assumed && (made.m.from(), made.m.to()) == (played.from(), played.to())
        });
    if assumed {
        return Outcome::Flagged;
    }
    if !agree || moves.len() > truth.len() {
        return Outcome::Wrong;
    }
    if moves.len() < truth.len() && !stopped {
        return Outcome::Wrong;
    }
    if moves.len() < truth.len() || account.mismatch {
        Outcome::Flagged
    } else {
        Outcome::Exact
    }
}

fn sign(account: &Account) -> Sign {
    match (&account.shown[..], &account.proposed[..]) {
        ([], []) => Sign::None,
        ([_, ..], []) => Sign::Missing,
        ([shown, ..], proposed) if proposed.iter().all(|one| one == shown) => Sign::Right,
        (_, _) => Sign::Wrong,
    }
}
