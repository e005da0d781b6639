//! The tracker's readings as inputs, and the game's facts for the tracker.

use tokio::sync::mpsc;

use super::{super::solver::SolverAnswer, BoardActor};
use remisd_game::{Cause, Fact, Input, SeenSquare, Side, Tracking, Verb, WaitsFor};
use remisd_hand::Tracker;
use remisd_vocabulary::{
    reading::{Confidence, Proposal, Reading, Settled},
    time::Moment,
    written::Written,
};
use shakmaty::uci::UciMove;

impl BoardActor {
    /// Records what the tracker has read.
    pub(super) async fn read_hand(&mut self, answers: &mpsc::Sender<SolverAnswer>) {
        let clock_turned = self.note_clock_side().await;
        let mut readings = self.tracker.readings().into_iter().peekable();
        while let Some(reading) = readings.next() {
            // A move that follows immediately implies that its piece was touched.
            if readings
                .peek()
                .is_some_and(|next| is_move_of(next, &reading))
            {
                continue;
            }
            let open = self.record.game().is_open_to_players();
            if matches!(reading, Reading::Touched { .. }) && !open {
                continue;
            }
            let mode = shakmaty::Position::castles(self.record.game().position()).mode();
            let uci = |m: shakmaty::Move| Written::new(m.to_uci(mode));
            let clock = self.board_clock();
            let input = match reading {
                Reading::Settled(settled) => {
                    self.settling.settled(&settled, self.clock.monotonic());
                    let Settled { m, by } = settled;
                    Input::Move {
                        uci: uci(m),
                        by,
                        clock,
                    }
                }
                Reading::Revised { now } => Input::Revise {
                    uci: uci(now),
                    clock,
                },
                Reading::Withdrawn => Input::Withdraw,
                Reading::Mismatch(mismatch) => Input::Mismatch {
                    reason: mismatch.reason,
                    squares: mismatch.squares.iter().map(SeenSquare::from).collect(),
                    candidates: (mismatch.candidates.iter())
                        .map(|line| line.iter().map(|m| uci(*m)).collect())
                        .collect(),
                    doubted: (self.doubted).with(mismatch.doubted, self.record.game().ply()),
                },
                Reading::Agreed => Input::Agreed,
                Reading::Touched { square, by, sure } => Input::Touched {
                    by: by.into(),
                    square,
                    sure,
                },
                Reading::Unsettled(m) => Input::Unsettled { uci: uci(m) },
                Reading::NewGame => self.start_array(Cause::StartArray),
                Reading::Proposed(Proposal { winner, sign }) => Input::ResultProposed {
                    winner: winner.map(Side::from),
                    sign,
                },
                Reading::Faulty(squares) => Input::Faulty {
                    squares: squares.into_iter().collect(),
                },
            };
            if matches!(input, Input::NewGame { .. }) {
                self.record_pending_differences().await;
            }
            let shown = matches!(input, Input::ResultProposed { .. });
            let written = self.write(input).await;
            self.on_facts(&written.facts, answers);
            // The game already has this result. The tracker still rests, but play may
            // continue while the players do not know that the game is over.
            if shown && written.facts.is_empty() {
                self.follow_game(true, answers);
            }
        }
        let agrees = self.tracker.follows(self.record.game().position())
            && self.tracker.confidence() == Confidence::Certain;
        if agrees {
            self.doubted.forget();
            // A tracker that rested meanwhile does not report the end of its mismatch.
            let game = self.record.game();
            let is_stale = matches!(game.tracking(), Tracking::Mismatch(_));
            if is_stale || game.awaits_agreement() {
                self.write(Input::Agreed).await;
            }
        }
        if clock_turned {
            self.publish_clock_side().await;
        }
    }

    /// Returns the unsettled move on the board if a player acts while it is there.
    pub(super) fn unsettled(&self, verb: &Verb) -> Option<Written<UciMove>> {
        let beside = matches!(
            verb,
            Verb::Offer { .. } | Verb::Claim { .. } | Verb::Resign { .. } | Verb::Pause {}
        );
        beside.then(|| self.next_move(Tracker::likely_move))?
    }

    /// Returns a move that is perhaps on the board, as the input that records it when the game is
    /// decided or left.
    pub(super) fn left_unsettled(&self) -> Option<Input> {
        let uci = self.next_move(Tracker::doubtful_move)?;
        Some(Input::Unsettled { uci })
    }

    /// Returns the move after the last one of the record, if the tracker follows the record and
    /// `read` finds one.
    fn next_move(
        &self,
        read: impl FnOnce(&Tracker, Moment) -> Option<shakmaty::Move>,
    ) -> Option<Written<UciMove>> {
        let position = self.record.game().position();
        if !self.tracker.follows(position) {
            return None;
        }
        let m = read(&self.tracker, self.hands_time())?;
        let mode = shakmaty::Position::castles(position).mode();
        Some(Written::new(m.to_uci(mode)))
    }

    /// Returns the time of the hands that the tracker reads.
    pub(super) fn hands_time(&self) -> Moment {
        self.time_scale.scale(self.clock.monotonic())
    }

    pub(super) fn start_array(&self, cause: Cause) -> Input {
        Input::NewGame {
            start_fen: None,
            laws: Written::new(self.rules.regulations.edition),
            rate: self.rules.regulations.rate,
            headers: std::collections::BTreeMap::new(),
            cause,
        }
    }

    /// Passes new facts on to the tracker and the solver.
    pub(super) fn on_facts(&mut self, facts: &[Fact], answers: &mpsc::Sender<SolverAnswer>) {
        self.doubted.on_facts(facts);
        let mut ply_changed = false;
        let mut replaced = false;
        let mut commanded = false;
        let mut set_up = false;
        for fact in facts {
            if is_of_another_record(fact) {
                self.alive = None;
            }
            match fact {
                Fact::MoveMade { .. } | Fact::MoveRetracted { .. } => ply_changed = true,
                Fact::Answered(_) => commanded = true,
                Fact::GameStarted { cause: None, .. } | Fact::PositionSet { .. } => set_up = true,
                Fact::Corrected { .. }
                | Fact::ResultSet(_)
                | Fact::ResultConfirmed { .. }
                | Fact::DecidedAfterEnd(_)
                | Fact::ResultProposed(_)
                | Fact::ProposalDeclined { .. }
                | Fact::Refused { .. } => replaced = true,
                // A resignation that waits for a move leaves that move to be read.
                Fact::ResignationHeld(held) => replaced |= held.waits_for == WaitsFor::Claim,
                _ => {}
            }
        }
        if commanded || set_up {
            self.wake_feed();
        }
        let game = self.record.game();
        if set_up && !game.status().is_closed() {
            let now = self.hands_time();
            self.tracker.await_set_up(game.position().clone(), now);
            self.ask_solver(answers);
        } else if set_up || replaced {
            self.follow_game(commanded, answers);
        } else if ply_changed {
            self.ask_solver(answers);
        }
    }

    /// Sets the tracker to the game's position. With `anew`, also if it is there already, since a
    /// command may have changed what the board should show.
    pub(super) fn follow_game(&mut self, anew: bool, answers: &mpsc::Sender<SolverAnswer>) {
        let game = self.record.game();
        if game.is_at_rest() || game.proposed_result().is_some() {
            self.tracker.close();
        } else if anew || !self.tracker.follows(game.position()) {
            let now = self.hands_time();
            self.tracker.follow(game.position().clone(), now);
        }
        self.ask_solver(answers);
    }
}

/// Returns whether a fact invalidates what was known about earlier plies.
const fn is_of_another_record(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::GameStarted { .. } | Fact::PositionSet { .. } | Fact::MoveRetracted { .. }
    )
}

/// Returns whether a reading is the move of the piece that another reading reports as surely
/// touched.
fn is_move_of(reading: &Reading, touch: &Reading) -> bool {
    match (reading, touch) {
        (Reading::Settled(settled), Reading::Touched { square, sure, .. }) => {
            *sure && settled.m.from() == Some(*square)
        }
        _ => false,
    }
}
