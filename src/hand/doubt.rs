//! What may still be said against the move that was settled last.
//!
//! Time, a lever or the opponent's hand settle a move; the board may tell otherwise a
//! moment later: the piece goes on, goes back, or is the first one to be cleared away.

use shakmaty::{Bitboard, Chess, Color, Move, Position, Square};

use super::{
    Hypothesis, Reading, SettledBy,
    castling::is_first_half_of,
    course::Course,
    due::is_king_to_centre,
    order::placed_on,
    present::IDLE_IN_ALL_MS,
    reconsider::Origin,
    sight::Sight,
    story::{ends_of, piece_of, taken_by},
    tracker::{MOST_IN_HAND, Tracker},
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

/// How long after the opponent's hand, his command or the lever has settled a move its piece may
/// still be seen to go on.
const ON_THE_WAY_MS: Millis = 1_500;

/// A piece that has stood for so long is not still being put right by whoever moved it.
const LEFT_STANDING_MS: Millis = 1_500;

/// What may still be said against the last settled move.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    /// The position in which it was made.
    before: Chess,
    /// The move.
    pub(super) was: Move,
    /// When its piece came to stand, as far as that was seen.
    placed_at: Millis,
    /// What settled it.
    by: SettledBy,
    /// A piece that is taken up again later than this may be one that is cleared away.
    until: Millis,
    /// When the board had last changed when the move was revised: what it shows then is read once.
    revised_at: Option<Millis>,
    /// Where it was settled from, if that was by itself and by time alone.
    pub(super) origin: Option<Box<Origin>>,
}

impl Doubt {
    /// Who made the move.
    pub(super) fn mover(&self) -> Color {
        self.before.turn()
    }

    /// What is left of it when the board goes out of sight, having changed last at `changed_at`: its
    /// piece may still have been on its way then.
    pub(super) fn out_of_sight(self, changed_at: Millis) -> Option<Self> {
        (changed_at <= self.until).then_some(Self {
            origin: None,
            ..self
        })
    }
}

impl Tracker {
    /// What may be said against the last move of a line that is being settled, made in the position
    /// `before`.
    pub(super) fn doubt_about(
        &self,
        before: &Chess,
        line: &[Move],
        by: SettledBy,
    ) -> Option<Doubt> {
        let (&was, earlier) = line.split_last()?;
        let wait = match by {
            SettledBy::StoodStill => {
                let settle_ms = self.settings.settle_ms;
                let wait = settle_ms + settle_ms.max(self.settings.castling_hold_ms);
                // The board last changed when the piece was taken up.
                let away = if self.was_unseen(was) {
                    IDLE_IN_ALL_MS
                } else {
                    0
                };
                wait + away
            }
            SettledBy::OpponentLifted | SettledBy::Clock | SettledBy::Answered => ON_THE_WAY_MS,
            SettledBy::Reply | SettledBy::Reconstructed | SettledBy::Assumed => return None,
        };
        Some(Doubt {
            before: before.clone(),
            was,
            placed_at: self.changes.at(placed_on(was)).unwrap_or(self.changed_at),
            by,
            until: self.changed_at + wait,
            revised_at: None,
            origin: (by == SettledBy::StoodStill).then(|| Box::new(self.origin(earlier))),
        })
    }

    /// The move that the board shows instead of the settled one, if nothing else explains
    /// it: the piece has gone on.
    pub(super) fn other_move(&self) -> Option<Move> {
        if self.changed_in_pause() || self.course == Course::Back {
            return None;
        }
        let unread = |doubt: &&Doubt| doubt.revised_at != Some(self.changed_at);
        let doubt = self.doubt.as_ref().filter(unread)?;
        let corrected = self.corrected(doubt.was);
        let late = self.changed_at > doubt.until && !corrected;
        let best = &self.hypotheses[self.choose(self.changed_at).best];
        let in_flight = self.answers_in_flight(best);
        // What is understood as play after it is not the same piece going on.
        let played = !best.line.is_empty() && !corrected && !in_flight;
        let pressed = self.was_pressed_for() && !corrected;
        let exact = best.is_exact() && !in_flight;
        if played || pressed || exact || (late && doubt.by != SettledBy::StoodStill) {
            return None;
        }
        self.only_other(doubt)
    }

    /// How long another move than the settled one must stand to be believed. A piece that has
    /// stood for long and can be taken is sooner taken, and put aside, than moved on.
    pub(super) fn revision_ms(&self, other: Move) -> Millis {
        let taken = self.doubt.as_ref().is_some_and(|doubt| {
            let mut replies = self.root().legal_moves().into_iter();
            let lifted = self.changes.at(placed_on(doubt.was));
            let stood = lifted.is_some_and(|at| at >= doubt.placed_at + LEFT_STANDING_MS);
            let stood = stood && !self.was_unseen(doubt.was);
            let long = stood || self.changed_at > doubt.until;
            long && replies.any(|m| m.to() == doubt.was.to()) && !self.was_played_on(doubt.was)
        });
        let by_look = self.changes.was_told_at_once(other.to());
        let misread = self.may_be_misread(other.to());
        if is_king_to_centre(other) {
            // He may be showing the result.
            self.settings.result_ms
        } else if misread || (taken && !by_look) {
            self.settings.mismatch_ms
        } else {
            self.settings.scan_ms
        }
    }

    /// Whether the clock says that the last settled move was finished when the squares last
    /// changed: who has pressed moves that piece no more, and no sensor is so late. If the
    /// opponent has pressed as well, he has replied.
    fn was_pressed_for(&self) -> bool {
        let root = &self.hypotheses[0];
        let replied = self.presses.surplus(root) > 0;
        let finished = self.presses.last.is_some_and(|turned| {
            turned.to == root.after.turn()
                && turned.at >= self.settled_at
                && self.changed_at > turned.at + 2 * self.settings.scan_ms
        });
        replied || finished
    }

    /// The piece that made the last settled move has gone on: a stop on the way was
    /// taken for the move, or the rook's step for a move instead of castling.
    pub(super) fn revised(&mut self, now: Millis) -> bool {
        let Some(m) = self.other_move() else {
            return false;
        };
        let due = now >= self.changed_at + self.revision_ms(m);
        if due {
            self.revise(m, now);
        }
        due
    }

    /// The move that was settled last was `m`.
    pub(super) fn revise(&mut self, m: Move, now: Millis) {
        let Some(doubt) = self.doubt.clone() else {
            return;
        };
        let late = self.changed_at > doubt.until;
        self.agree();
        if late && self.late_revision.is_none() {
            self.late_revision = Some((doubt.before.clone(), doubt.was));
        }
        // What was told since may be the reply.
        self.replace_last(&doubt.before, m, self.settled_at, now);
        // It may go on yet again, as long as the opponent has not moved.
        self.doubt = Some(Doubt {
            was: m,
            placed_at: self.changes.at(placed_on(m)).unwrap_or(self.changed_at),
            revised_at: Some(self.changed_at),
            origin: None,
            ..doubt
        });
        self.clock_way.lose_ply();
        self.readings.push(Reading::Revised { now: m });
        if !self.hypotheses[0].is_exact() {
            self.explain(now);
        }
    }

    /// Whether all squares told at once have taken back where the settled move ended: no hand
    /// does that, and what was told before was wrong.
    fn corrected(&self, was: Move) -> bool {
        let at = self.changes.at(was.to());
        let in_sight = self.looked_at != self.found_at;
        in_sight && at == Some(self.looked_at) && self.changes.at_once(self.looked_at) > 1
    }

    /// The only move of the same hand that the board shows instead of the settled one.
    fn only_other(&self, doubt: &Doubt) -> Option<Move> {
        let sight = self.sight.as_ref()?;
        let ignored = self.faults.squares();
        let to = placed_on(doubt.was);
        let left = self.changes.at(to).is_some_and(|at| at > self.settled_at);
        if sight.unknown().contains(to) && !left && !self.was_unseen(doubt.was) {
            return None;
        }
        let opponent = self.root().turn();
        // Who has put a piece down has not only taken one up, unless it stands where it stood.
        let stood = self.root().board();
        let landed = (self.changes.since(self.hypotheses[0].told)).any(|change| {
            let his = matches!(change.seen, Seen::Piece(piece) if piece.color == opponent);
            let piece = sight.pieces().piece_at(change.square);
            his && (piece.is_none() || piece != stood.piece_at(change.square))
        });
        // Nor one up to capture the piece, which was put aside.
        let captors: Bitboard = (self.root().legal_moves().into_iter())
            .filter(|m| taken_by(*m) == Some(doubt.was.to()))
            .filter_map(Move::from)
            .collect();
        let taken_up_after =
            |square| !captors.contains(square) && self.changed_after(doubt.was, square);
        let mut others = doubt.before.legal_moves().into_iter().filter(|&m| {
            if m == doubt.was || (m.from() != doubt.was.from() && !is_first_half_of(doubt.was, m)) {
                return false;
            }
            let mut after = doubt.before.clone();
            after.play_unchecked(m);
            let differs = sight.difference(after.board()).without(ignored);
            if !self.shows_itself(m) {
                return false;
            }
            let lifted = differs.missing;
            let seen = doubt.by != SettledBy::StoodStill
                || self.corrected(doubt.was)
                || (!landed && lifted.into_iter().all(taken_up_after));
            let replying = seen && lifted.count() <= MOST_IN_HAND && lifted.is_subset(after.us());
            let answered = || {
                after.legal_moves().into_iter().any(|reply| {
                    let mut next = after.clone();
                    next.play_unchecked(reply);
                    let stands = sight.difference(next.board()).without(ignored).is_none();
                    // The reply has come to stand after what it answers.
                    let came = |m: Move| self.changes.at(m.to());
                    let in_turn = came(m) <= came(reply).map(|at| at + self.settings.scan_ms);
                    let shown = self.was_seen_to_be_taken(m, doubt.before.turn(), reply)
                        || self.corrected(doubt.was);
                    stands && in_turn && shown && self.made_after(doubt.was, reply)
                })
            };
            differs.is_none() || (differs.foreign.is_empty() && replying) || answered()
        });
        match (others.next(), others.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// Whether a line begins with a reply to the last settled move although its piece had been
    /// taken up again before: it was still on its way to another square.
    pub(super) fn answers_in_flight(&self, hypothesis: &Hypothesis) -> bool {
        let (Some(doubt), Some((&reply, later))) = (&self.doubt, hypothesis.line.split_first())
        else {
            return false;
        };
        if (self.sight.as_ref()).is_some_and(|sight| sight.unknown().any()) {
            return false;
        }
        // What has changed again since does not tell when the reply was made.
        let ends = ends_of(reply).0 | ends_of(reply).1;
        let again = (later.iter()).any(|&m| ((ends_of(m).0 | ends_of(m).1) & ends).any());
        // It may have been taken up to be captured.
        let taken = taken_by(reply) == Some(doubt.was.to());
        let in_flight = !taken && !again && self.made_after(doubt.was, reply);
        in_flight && self.only_other(doubt).is_some()
    }

    /// Whether the opponent has taken a piece up since that of the move `was` was taken up again.
    fn was_played_on(&self, was: Move) -> bool {
        let mut pieces = self.root().us().into_iter();
        pieces.any(|square| self.changed_after(was, square))
    }

    /// Whether a move was begun, and ended, clearly after the piece of the move `was` had been
    /// taken up again.
    fn made_after(&self, was: Move, reply: Move) -> bool {
        let from = reply.from();
        from.is_some_and(|from| self.changed_after(was, from))
            && self.changed_after(was, reply.to())
    }

    /// Whether `square` changed clearly later than that where the move `was` ended, which has
    /// been empty since.
    fn changed_after(&self, was: Move, square: Square) -> bool {
        let to = placed_on(was);
        let empty = |sight: &Sight| sight.get(to) == Seen::Empty;
        match (self.changes.at(to), self.changes.at(square)) {
            (Some(lifted), Some(left)) => {
                self.sight.as_ref().is_some_and(empty) && lifted + 2 * self.settings.scan_ms < left
            }
            _ => false,
        }
    }

    /// Whether nobody saw the piece of a move come to where it ends: on a board that knows no kinds it
    /// has taken what stands there, or is still in the hand.
    pub(super) fn was_unseen(&self, m: Move) -> bool {
        let unknown = |sight: &Sight| sight.unknown().contains(m.to());
        let left = m.from().and_then(|from| self.changes.at(from));
        self.sight.as_ref().is_some_and(unknown)
            && left.is_some_and(|left| self.changes.landings(m.to(), left) == 0)
    }

    /// Whether something was seen where the move ends since the last one was settled. On
    /// a board that knows no pieces, any piece stands for any other.
    fn shows_itself(&self, m: Move) -> bool {
        let known = self
            .sight
            .as_ref()
            .is_some_and(|sight| !sight.unknown().contains(m.to()));
        known
            || self
                .changes
                .at(m.to())
                .is_some_and(|at| at > self.settled_at)
    }

    /// Whether a reply takes another piece than that of a move made by `mover`, or that one was seen
    /// where it is taken: the captor alone may only have stopped there. Where kinds are not known,
    /// two pieces were seen to come.
    fn was_seen_to_be_taken(&self, m: Move, mover: Color, reply: Move) -> bool {
        let piece = Seen::Piece(piece_of(m).of(mover));
        let shown = (self.changes.since(self.hypotheses[0].told)).any(|change| {
            change.square == m.to() && change.seen == piece && change.at > self.settled_at
        });
        let unknown = self.sight.as_ref().map_or(Bitboard::EMPTY, Sight::unknown);
        let came = || self.changes.landings(m.to(), self.settled_at + 1);
        taken_by(reply) != Some(m.to()) || shown || (unknown.contains(m.to()) && came() > 1)
    }

    /// The last settled move was `m`; what has happened since `from` may belong to the next.
    fn replace_last(&mut self, before: &Chess, m: Move, from: Millis, now: Millis) {
        let mut after = before.clone();
        after.play_unchecked(m);
        self.contested.replace_last(m, before.turn(), now);
        self.stand_at(after, from);
        self.unexplained_since = None;
        self.weigh(now);
    }

    /// The board shows the position before the last move again: it was put back at once.
    pub(super) fn taken_back(&mut self, now: Millis) -> bool {
        if let Some(doubt) = self.doubt.clone()
            && self.may_be_put_back()
            && !self.changed_in_pause()
        {
            self.agree();
            self.past.pop_back();
            self.contested.withdraw();
            self.presses.settle(-1);
            self.doubt = None;
            self.stand_at(doubt.before, now);
            self.unexplained_since = None;
            self.weigh(now);
            self.clock_way.lose_ply();
            self.readings.push(Reading::Withdrawn);
            return true;
        }
        false
    }

    /// Whether the piece that has just been moved stands where it stood before, and may be put
    /// somewhere else: its player has not let go of it.
    pub(super) fn may_be_put_back(&self) -> bool {
        let (Some(sight), Some(doubt)) = (&self.sight, &self.doubt) else {
            return false;
        };
        let soon = doubt.by == SettledBy::StoodStill && self.changed_at <= doubt.until;
        soon && sight.is(doubt.before.board())
    }

    /// What seemed to go on after a long rest was the first step of clearing the board:
    /// the move was the one that had stood.
    pub(super) fn undo_late_revision(&mut self) {
        if let Some((before, was)) = self.late_revision.take() {
            self.replace_last(&before, was, self.changed_at, self.changed_at);
            self.doubt = None;
            self.clock_way.lose_ply();
            self.readings.push(Reading::Revised { now: was });
        }
    }
}
