//! Answers one question within a budget.

use shakmaty::Chess;

use super::{SolverAnswer, SolverQuestion};
use remisd_dead::{self as dead, Analysis, Budget, Proofs, Verdict, Watch, Winnability};
use remisd_game::CanMate;
use remisd_laws::Ply;

/// Examines the newest position with `analyse` and, if it is dead, finds the first ply after which
/// the game was dead. There is no answer if the question was stopped meanwhile.
pub(super) fn look(
    question: &SolverQuestion,
    budget: Budget,
    analyse: impl FnOnce(&Chess, bool, Budget) -> Analysis,
) -> (Analysis, Option<SolverAnswer>) {
    let unknown = Analysis {
        white: Some(Winnability::Unknown),
        black: Some(Winnability::Unknown),
    };
    let Some((newest, before)) = question.positions.split_last() else {
        return (unknown, None);
    };
    let analysis = analyse(newest, question.both, budget);
    let verdict = analysis.verdict();
    let (since, proofs) = match verdict {
        Verdict::Dead => first_dead(question, before, newest, budget),
        Verdict::Alive | Verdict::Unknown => (question.asked.ply, None),
    };
    let answer = SolverAnswer {
        asked: question.asked,
        verdict,
        since,
        proofs,
        can_mate: question.both.then(|| can_mate(&analysis)),
    };
    (analysis, (!question.is_stopped()).then_some(answer))
}

/// Finds the first ply after which the game was dead, and the proofs: several plies may have been
/// settled together. A dead position stays dead, so the oldest positions come first.
fn first_dead(
    question: &SolverQuestion,
    before: &[Chess],
    newest: &Chess,
    budget: Budget,
) -> (Ply, Option<Proofs>) {
    let mut watch = Watch::new();
    let mut ago = Ply::try_from(before.len()).unwrap_or(Ply::MAX);
    for position in before {
        let analysis = watch.look(position, false, budget, &question.stop);
        if analysis.verdict() == Verdict::Dead {
            let since = question.asked.ply.saturating_sub(ago);
            return (since, proofs(question, position, budget));
        }
        ago = ago.saturating_sub(1);
    }
    (question.asked.ply, proofs(question, newest, budget))
}

/// The proofs for exactly this position, not for an earlier one of the game.
fn proofs(question: &SolverQuestion, position: &Chess, budget: Budget) -> Option<Proofs> {
    let analysis = dead::analyse_within(position, true, budget, &question.stop);
    analysis
        .proofs()
        .filter(|_| analysis.verdict() == Verdict::Dead)
}

fn can_mate(analysis: &Analysis) -> CanMate {
    let side = |side: &Option<Winnability>| match side {
        Some(Winnability::Winnable { .. }) => Some(true),
        Some(Winnability::Unwinnable(_)) => Some(false),
        Some(Winnability::Unknown) | None => None,
    };
    CanMate {
        white: side(&analysis.white),
        black: side(&analysis.black),
    }
}
