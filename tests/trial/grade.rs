//! How well a game was read.

use remisd::simulate::score::Score;
use shakmaty::Move;

use super::Account;

/// The verdict on one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every move, beyond doubt, and nothing said against the squares at the end.
    Exact,
    /// Where it is not right it says so.
    Flagged,
    /// It differs from what was played, and nothing says so.
    Wrong,
}

/// The result that was shown on the board, and what was made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Nothing was shown and nothing proposed.
    None,
    Right,
    /// Another result was proposed, or one that nobody showed.
    Wrong,
    Missing,
}

/// What is counted of a game.
#[derive(Debug, Clone)]
pub struct Grade {
    pub outcome: Outcome,
    /// Where the reading first differs from what was played, as an index of plies.
    pub differs: Option<usize>,
    pub naive: Outcome,
    pub sign: Sign,
    /// From the release of a ply's last piece to its settling, in milliseconds.
    pub settling: Vec<u64>,
    /// The same from when the last event of the ply was told.
    pub after: Vec<u64>,
}

impl Grade {
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
    // What is wrong is in doubt, as is all that follows.
    let doubted = account
        .undoubted
        .is_some_and(|undoubted| right >= undoubted);
    if stopped && right < moves.len() && doubted {
        return Outcome::Flagged;
    }
    let agree = right == moves.len().min(truth.len());
    // What a pawn has become on a board that does not know its pieces is said to be assumed.
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
