//! The answers to commands, so that a command that is sent twice is executed once.

use std::collections::VecDeque;

use super::{Answer, Role, RoleAnswer};
use remisd_vocabulary::seq::EntrySeq;

/// Answers that are remembered.
const ANSWERS: usize = 1024;
/// Approximate bytes of answers that are carried into a new segment of the journal. Entries are
/// published as well, and must fit into a message.
const CARRIED: usize = 64 * 1024;

/// The newest answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Answers(VecDeque<RoleAnswer>);

impl Answers {
    /// Remembers an answer. Where there are too many, the oldest one of the role with most answers
    /// goes: no role can displace the answers to another one.
    pub(super) fn remember(&mut self, role: Role, answer: Answer) {
        if self.0.len() >= ANSWERS {
            let count = |role| self.0.iter().filter(|one| one.role == role).count();
            let most = Role::ALL.into_iter().max_by_key(|role| count(*role));
            let oldest = self.0.iter().position(|one| Some(one.role) == most);
            self.0.remove(oldest.unwrap_or(0));
        }
        self.0.push_back(RoleAnswer {
            role,
            answer,
            number: None,
        });
    }

    /// The answer of the entry `seq`, if it has one.
    pub(super) fn of_entry(&mut self, seq: EntrySeq) -> Option<&mut RoleAnswer> {
        self.0.back_mut().filter(|newest| newest.answer.seq == seq)
    }

    /// The answer to the command with this id.
    pub(super) fn find(&self, role: Role, id: &str) -> Option<&RoleAnswer> {
        let mut answers = self.0.iter();
        answers.find(|known| known.role == role && known.answer.id == id)
    }

    /// The newest answers, as many as may be carried.
    pub(super) fn to_carry(&self) -> Vec<RoleAnswer> {
        let mut bytes = 0;
        let fits = |answer: &&RoleAnswer| {
            bytes += answer.size();
            bytes <= CARRIED
        };
        let newest = self.0.iter().rev().take_while(fits).cloned();
        let mut answers: Vec<RoleAnswer> = newest.collect();
        answers.reverse();
        answers
    }

    /// Takes up the answers that were carried, if there were any.
    pub(super) fn take_up(&mut self, carried: &[RoleAnswer]) {
        if !carried.is_empty() {
            self.0 = carried.iter().cloned().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_role_displaces_the_answers_to_another() {
        let mut answers = Answers::default();
        let mut remember = |role, seq: EntrySeq| {
            let answer = Answer {
                id: seq.to_string(),
                ok: true,
                seq,
                code: None,
                message: None,
            };
            answers.remember(role, answer);
        };
        remember(Role::Arbiter, EntrySeq::ZERO);
        for seq in (1..=2000).map(EntrySeq::new) {
            remember(Role::White, seq);
        }
        assert!(answers.find(Role::Arbiter, "0").is_some());
        assert!(answers.find(Role::White, "2000").is_some());
        assert!(answers.find(Role::White, "1").is_none());
        assert_eq!(answers.0.len(), ANSWERS);
    }
}
