//! The plies that were announced to the game. The posterior decides: a ply is announced when it is
//! nearly certain, and withdrawn when another line wins.

use std::sync::Arc;

use shakmaty::{Move, Position as _, Role};

use remisd_vocabulary::{
    reading::{Promotion, Reading, Settings, Settled, SettledBy},
    time::Moment,
};

use super::{
    content::piece,
    cost::weight,
    decoder::Decoder,
    gesture::Stage,
    hypothesis::{Hypothesis, Regime},
    leaning::LeaningPlies,
    model::{CONFIRMING_PLIES, Chance, UNDERPROMOTED, USUAL},
    tree::Node,
};

/// Certainty. Posteriors are parts of this.
pub(crate) const ONE: u64 = 65_536;
/// The line that was announced.
#[derive(Debug)]
pub(crate) struct Announcements {
    /// The position before the first announced ply, and the position after each of them.
    nodes: Vec<Arc<Node>>,
    /// The time at which each node was announced.
    times: Vec<Moment>,
    leaning: LeaningPlies,
}

impl Announcements {
    pub(crate) fn new(root: Arc<Node>) -> Self {
        Self {
            nodes: vec![root],
            times: vec![Moment::START],
            leaning: LeaningPlies::default(),
        }
    }

    /// The last announced position.
    pub(crate) fn last(&self) -> &Arc<Node> {
        &self.nodes[self.nodes.len() - 1]
    }

    pub(crate) fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    fn posterior(decoder: &Decoder, node: &Arc<Node>, now: Moment) -> u64 {
        decoder.posterior(now, |hypothesis| {
            hypothesis
                .node
                .at(node.depth)
                .is_some_and(|at| Arc::ptr_eq(at, node))
        })
    }

    /// The number of plies announced since a moment.
    pub(crate) fn since(&self, moment: Moment) -> usize {
        let times = self.times[1..].iter().rev();
        times.take_while(|at| **at >= moment).count()
    }

    /// The number of last plies in doubt, counted back to the first doubtful one.
    pub(crate) fn doubted(&self, decoder: &Decoder, now: Moment) -> usize {
        let doubt = threshold(decoder, Chance::Doubt);
        let posteriors = self.posteriors(decoder, now);
        let unsure = posteriors[1..].iter().rev();
        let unsure = unsure.take_while(|posterior| **posterior < doubt).count();
        let depth = self.last().depth;
        let unseen = decoder.beam().hypotheses().first().map_or(0, |best| {
            let plies_ago = (0..CONFIRMING_PLIES)
                .filter(|plies_ago| depth > *plies_ago && best.ended_unseen(depth - plies_ago));
            plies_ago
                .max()
                .map_or(0, |plies_ago| plies_ago as usize + 1)
        });
        unsure
            .max(unseen)
            .max(self.leaning())
            .min(self.nodes.len() - 1)
    }

    /// The posterior of each node. A hypothesis counts for all nodes up to where its line leaves
    /// the announced one.
    fn posteriors(&self, decoder: &Decoder, now: Moment) -> Vec<u64> {
        let mut weights = vec![0; self.nodes.len()];
        let of_hypotheses = decoder.beam().weights(now, decoder.model());
        let first = self.nodes[0].depth;
        for (hypothesis, weight) in decoder.beam().hypotheses().iter().zip(&of_hypotheses.each) {
            let line = std::iter::successors(Some(&hypothesis.node), |node| node.parent.as_ref());
            let mut line = line.take_while(|node| node.depth >= first);
            let shared = line.find_map(|node| {
                let index = (node.depth - first) as usize;
                let known = self.nodes.get(index)?;
                Arc::ptr_eq(known, node).then_some(index)
            });
            if let Some(index) = shared {
                weights[index] += weight;
            }
        }
        let mut sum = 0;
        for weight in weights.iter_mut().rev() {
            sum += *weight;
            *weight = sum * ONE / of_hypotheses.sum;
        }
        weights
    }

    /// The number of last plies since the first whose piece leans over two possible squares.
    pub(crate) fn leaning(&self) -> usize {
        let last = self.last();
        let first = self.leaning.first_depth(last);
        first.map_or(0, |first| (last.depth - first) as usize + 1)
    }

    /// Withdraws the plies that another line has beaten, and announces those that are beyond doubt.
    pub(crate) fn update(
        &mut self,
        decoder: &Decoder,
        settings: &Settings,
        now: Moment,
        readings: &mut Vec<Reading>,
    ) {
        let last = self.last().clone();
        self.leaning
            .update(decoder, &last, settings.fault_after, now);
        let keep = threshold(decoder, Chance::Keep);
        let mut withdrawn = 0;
        let stays = self.is_taken_back(decoder);
        while !stays && self.nodes.len() > 1 && Self::posterior(decoder, self.last(), now) < keep {
            self.nodes.pop();
            self.times.pop();
            withdrawn += 1;
        }
        let mut announced: Vec<Settled> = Vec::new();
        while let Some((node, by)) = self.next(decoder, settings, now) {
            self.nodes.push(node.clone());
            self.times.push(now);
            announced.extend(node.m.map(|m| Settled { m, by }));
        }
        // A revision does not say how its ply was settled: it counts as seen.
        let is_seen = announced.first().is_some_and(|first| first.by.is_seen());
        if withdrawn == 1 && is_seen {
            let now = announced.remove(0).m;
            readings.push(Reading::Revised { now });
            withdrawn = 0;
        }
        readings.extend(std::iter::repeat_n(Reading::Withdrawn, withdrawn));
        readings.extend(announced.into_iter().map(Reading::Settled));
    }

    /// Announces the next plies, which a person has confirmed. All hypotheses have them.
    pub(crate) fn confirm(
        &mut self,
        decoder: &Decoder,
        settings: &Settings,
        plies: usize,
        now: Moment,
    ) -> Vec<Settled> {
        let best = decoder.beam().hypotheses().first();
        let depth = self.last().depth;
        let line = (depth + 1..).take(plies);
        let nodes = line.filter_map(|depth| best.and_then(|best| best.node.at(depth)).cloned());
        let mut confirmed = Vec::new();
        for node in nodes {
            let by = match Self::settled_by(decoder, settings.promotion, &node) {
                SettledBy::Assumed => SettledBy::Assumed,
                _ => SettledBy::Answered,
            };
            confirmed.extend(node.m.map(|m| Settled { m, by }));
            self.nodes.push(node);
            self.times.push(now);
        }
        confirmed
    }

    /// Whether the hypotheses expect nothing but the next ply.
    pub(crate) fn expects_only_next_ply(&self, decoder: &Decoder, now: Moment) -> bool {
        let share = decoder.posterior(now, |hypothesis| {
            let idle = hypothesis.is_quiet() && hypothesis.awaited_press == [None; 2];
            hypothesis.regime == Regime::Play && idle && Arc::ptr_eq(&hypothesis.node, self.last())
        });
        share > threshold(decoder, Chance::Certain)
    }

    /// Whether a considerable part of the weight is on other positions than the last announced one.
    pub(crate) fn is_open(&self, decoder: &Decoder, now: Moment) -> bool {
        let ends_here =
            decoder.posterior(now, |hypothesis| Arc::ptr_eq(&hypothesis.node, self.last()));
        ends_here < threshold(decoder, Chance::Doubt)
    }

    /// Whether the players are returning the pieces to an earlier announced position. The announced
    /// plies stay until a ply is made from there.
    pub(crate) fn is_taken_back(&self, decoder: &Decoder) -> bool {
        let best = decoder.beam().hypotheses().first();
        best.is_some_and(|hypothesis| {
            let back = match hypothesis.regime {
                Regime::Play => hypothesis.gestures[0].is_idle(),
                Regime::TakeBack => true,
                Regime::ResultSign | Regime::Clearing | Regime::Paused | Regime::Lost => false,
            };
            let earlier = &self.nodes[..self.nodes.len() - 1];
            back && earlier
                .iter()
                .any(|node| Arc::ptr_eq(node, &hypothesis.node))
        })
    }

    /// The next ply, if it is beyond doubt.
    fn next(
        &self,
        decoder: &Decoder,
        settings: &Settings,
        now: Moment,
    ) -> Option<(Arc<Node>, SettledBy)> {
        let depth = self.last().depth + 1;
        let best = decoder.beam().hypotheses().iter().find_map(|hypothesis| {
            let at = hypothesis.node.at(depth)?;
            at.parent
                .as_ref()
                .filter(|parent| Arc::ptr_eq(parent, self.last()))?;
            Some(at.clone())
        })?;
        let unseen = decoder.beam().hypotheses().first();
        let unseen = unseen.is_some_and(|hypothesis| hypothesis.ended_unseen(depth));
        let (best, posterior) = if !best.m.is_some_and(Move::is_promotion) {
            let posterior = Self::posterior(decoder, &best, now);
            (best, posterior)
        } else if decoder.identifies_pieces() {
            self.promotion_in_sight(decoder, best, now)
        } else {
            let posterior = Self::promoted(decoder, &best, settings.promotion, now);
            (best, posterior)
        };
        // An end that no report showed is never as certain as one that was reported.
        let floor = if unseen {
            threshold(decoder, Chance::UnseenFloor)
        } else {
            0
        };
        // After a long silence, a lower posterior is enough: the reports that could decide have not
        // come. A ply that ends the game ends the reading as well, so it waits longer.
        let rested = now >= decoder.last_change() + settings.mismatch_after;
        let was_seen = decoder.identifies_pieces()
            && (decoder.beam().hypotheses().first())
                .is_some_and(|hypothesis| !hypothesis.missed_plies.contains(&depth));
        let plays =
            (decoder.beam().hypotheses().first()).is_some_and(|best| best.regime == Regime::Play);
        let enough = match (plays && best.position.is_game_over(), rested) {
            (true, false) => Chance::Certain,
            (_, true) if was_seen => Chance::Doubt,
            _ => Chance::Announce,
        };
        let enough = threshold(decoder, enough);
        let certain = posterior.saturating_sub(floor) >= enough;
        (certain || Self::meets_its_rivals(decoder, &best, enough, now)).then(|| {
            let by = Self::settled_by(decoder, settings.promotion, &best);
            (best, by)
        })
    }

    /// Whether all likely lines meet the line of this ply at a later position, and play has continued
    /// from there. The game continues in any case, so the ply is announced, in doubt.
    fn meets_its_rivals(decoder: &Decoder, ply: &Arc<Node>, enough: u64, now: Moment) -> bool {
        let hypotheses = decoder.beam().hypotheses();
        let Some(end) = hypotheses.first().map(|hypothesis| &hypothesis.node) else {
            return false;
        };
        let is_on_line = end.at(ply.depth).is_some_and(|at| Arc::ptr_eq(at, ply));
        // Without identified pieces, a likely line rests on assumptions, and so does the piece of a
        // promotion. No later position confirms them.
        let assumes = !decoder.identifies_pieces() || ply.m.is_some_and(Move::is_promotion);
        if !is_on_line || assumes {
            return false;
        }
        (ply.depth..end.depth).any(|depth| {
            let meets = |hypothesis: &Hypothesis| {
                let at = hypothesis.node.at(depth).zip(end.at(depth));
                at.is_some_and(|(at, here)| {
                    Arc::ptr_eq(at, here) || at.board == here.board && at.position == here.position
                })
            };
            decoder.posterior(now, meets) >= enough
        })
    }

    /// A promotion and its posterior. A rook counts as a rook (Article 4.4.4) until it has moved
    /// like a queen, although some players use an inverted rook for a queen.
    fn promotion_in_sight(
        &self,
        decoder: &Decoder,
        best: Arc<Node>,
        now: Moment,
    ) -> (Arc<Node>, u64) {
        let posterior = Self::posterior(decoder, &best, now);
        let like = |node: &Arc<Node>| {
            let parent = node.parent.as_ref();
            let ends = |node: &Node| node.m.map(|m| (m.from(), m.to()));
            parent.is_some_and(|parent| Arc::ptr_eq(parent, self.last()))
                && ends(node) == ends(&best)
        };
        let role = best.m.and_then(Move::promotion);
        let shows_rook = best.m.is_some_and(|m| {
            let seen = piece(decoder.seen(m.to() as u8));
            seen.is_some_and(|seen| seen.role == Role::Rook && seen.color == best.turn().other())
        });
        let other = match role {
            Some(Role::Queen) if shows_rook => Role::Rook,
            Some(Role::Rook) if shows_rook => Role::Queen,
            _ => return (best, posterior),
        };
        let other = decoder.beam().hypotheses().iter().find_map(|hypothesis| {
            let at = hypothesis.node.at(best.depth).filter(|at| like(at))?;
            (at.m.and_then(Move::promotion) == Some(other)).then(|| at.clone())
        });
        let Some(other) = other else {
            return (best, posterior);
        };
        let rival = Self::posterior(decoder, &other, now);
        if role == Some(Role::Rook) {
            (best, posterior + rival)
        } else if rival > ONE - threshold(decoder, Chance::Announce) {
            (other, posterior + rival)
        } else {
            (best, posterior)
        }
    }

    /// The posterior of a promotion on a board that does not identify pieces. With
    /// [`Promotion::Queen`] it covers all roles. With [`Promotion::Ask`] all roles are equally
    /// likely until play decides.
    fn promoted(decoder: &Decoder, node: &Arc<Node>, promotion: Promotion, now: Moment) -> u64 {
        let ends = |m: Move| (m.from(), m.to());
        let of = |role: Option<Role>| {
            decoder.posterior(now, |hypothesis| {
                let at = hypothesis.node.at(node.depth).and_then(|node| node.m);
                let same = at.map(ends) == node.m.map(ends);
                same && (role.is_none() || at.and_then(Move::promotion) == role)
            })
        };
        let all = of(None);
        if promotion == Promotion::Queen {
            return all;
        }
        let fair = |role: Role| {
            of(Some(role))
                * u64::from(if role == Role::Queen {
                    1
                } else {
                    USUAL / UNDERPROMOTED
                })
        };
        let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let sum: u64 = roles.into_iter().map(fair).sum();
        let this = node.m.and_then(Move::promotion).map_or(0, fair);
        all * this / sum.max(1)
    }

    fn settled_by(decoder: &Decoder, promotion: Promotion, node: &Arc<Node>) -> SettledBy {
        let mut all = decoder.beam().hypotheses().iter();
        let of_line = |hypothesis: &&Hypothesis| {
            let at = hypothesis.node.at(node.depth);
            at.is_some_and(|at| Arc::ptr_eq(at, node))
        };
        let Some(hypothesis) = all.find(of_line) else {
            return SettledBy::StoodStill;
        };
        let promoted = node.m.and_then(Move::promotion);
        // A rook on the last rank may be an inverted one that stands for a queen, so the arbiter is
        // asked.
        let assumed = promoted.is_some_and(|role| {
            let queen = !decoder.identifies_pieces() && promotion == Promotion::Queen;
            queen || decoder.identifies_pieces() && role == Role::Rook
        });
        let mover = usize::from(node.turn().is_white());
        if assumed {
            SettledBy::Assumed
        } else if hypothesis.missed_plies.contains(&node.depth) {
            SettledBy::Reconstructed
        } else if hypothesis.node.depth > node.depth {
            SettledBy::Reply
        } else if hypothesis.gestures[0].stage != Stage::Idle {
            SettledBy::OpponentLifted
        } else if decoder.clock_stopped()
            || decoder.has_lever() && hypothesis.awaited_press[mover].is_none()
        {
            SettledBy::Clock
        } else {
            SettledBy::StoodStill
        }
    }

    /// The uncertain plies, announced or expected, each with its posterior. Each audience applies
    /// its own threshold.
    pub(crate) fn plies(&self, decoder: &Decoder, now: Moment) -> Vec<(u64, Move)> {
        let certain = threshold(decoder, Chance::Certain);
        let posterior = |node: &Arc<Node>| Some((Self::posterior(decoder, node, now), node.m?));
        let posteriors = self.posteriors(decoder, now);
        let announced = posteriors.into_iter().zip(&self.nodes).skip(1).rev();
        let mut plies: Vec<_> = announced
            .take_while(|(posterior, _)| *posterior < certain)
            .filter_map(|(posterior, node)| Some((posterior, node.m?)))
            .collect();
        plies.reverse();
        let best = decoder
            .beam()
            .hypotheses()
            .first()
            .map(|hypothesis| &hypothesis.node);
        let follows = |node: &&Arc<Node>| node.depth > self.last().depth;
        let line = std::iter::successors(best, |node| node.parent.as_ref()).take_while(follows);
        let mut next: Vec<_> = line.filter_map(posterior).collect();
        next.reverse();
        let rival = best.and_then(|best| best.at(self.last().depth));
        if rival.is_some_and(|at| Arc::ptr_eq(at, self.last())) {
            plies.append(&mut next);
        }
        plies
    }

    /// The posterior of the last announced ply.
    pub(crate) fn last_posterior(&self, decoder: &Decoder, now: Moment) -> u64 {
        Self::posterior(decoder, self.last(), now)
    }

    /// The lines that continue the announced line or compete with it, each with its posterior.
    pub(crate) fn lines(&self, decoder: &Decoder, now: Moment) -> Vec<(u64, Vec<Move>)> {
        let weights = decoder.beam().weights(now, decoder.model());
        let sum = weights.sum;
        let mut lines: Vec<(u64, Arc<Node>)> = Vec::new();
        for (hypothesis, weight) in decoder.beam().hypotheses().iter().zip(&weights.each) {
            if hypothesis.regime == Regime::Lost {
                continue;
            }
            match lines
                .iter_mut()
                .find(|(_, node)| Arc::ptr_eq(node, &hypothesis.node))
            {
                Some((sum, _)) => *sum += weight,
                None => lines.push((*weight, hypothesis.node.clone())),
            }
        }
        // Two nodes may have the same moves: one with a queen, one with an inverted rook.
        let mut moves: Vec<(u64, Vec<Move>)> = Vec::new();
        for (weight, node) in lines {
            let (posterior, line) = (weight * ONE / sum, self.line(&node));
            match moves.iter_mut().find(|(_, known)| *known == line) {
                Some((sum, _)) => *sum += posterior,
                None => moves.push((posterior, line)),
            }
        }
        moves.sort_by_key(|(posterior, _)| std::cmp::Reverse(*posterior));
        moves
    }

    /// The moves from the announced line to a node.
    pub(crate) fn line(&self, node: &Arc<Node>) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut at = Some(node.clone());
        while let Some(node) = at {
            if self
                .nodes
                .iter()
                .rev()
                .any(|known| Arc::ptr_eq(known, &node))
            {
                break;
            }
            moves.extend(node.m);
            let parent = node.parent.clone();
            at = parent;
        }
        moves.reverse();
        moves
    }
}

/// A decision threshold of the table, in parts of [`ONE`].
pub(crate) fn threshold(decoder: &Decoder, chance: Chance) -> u64 {
    weight(decoder.model().cost(chance)) >> 16
}
