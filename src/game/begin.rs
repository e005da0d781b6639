//! How a game begins: anew, from a position that was set up, with what is remembered.

use std::collections::BTreeMap;

use shakmaty::Chess;

use super::{Carried, Cause, Fact, Game, Input, Stamped, headers::check_headers, offer::OfferBook};
use crate::{
    laws::{self, History, Rate},
    notation::fen,
};

/// A command of the journal as it was judged when it came: where earlier entries are not
/// replayed, the number that it names says nothing. One that was refused as stale stays so.
///
/// `facts` are those of its entry.
pub fn judged(input: &mut Input, facts: &serde_json::Value) {
    let Input::Command(command) = input else {
        return;
    };
    let mut facts = facts.as_array().into_iter().flatten();
    let stale = facts.any(|fact| fact["code"] == "stale");
    command.if_seq = command.if_seq.filter(|_| stale).map(|_| u64::MAX);
}

impl Game {
    /// Applies an entry of a journal again. The one that begins a segment holds what was
    /// remembered of the board before it, which its input cannot know.
    pub fn replay(&mut self, stamped: &Stamped, carried: Option<&Carried>) -> Vec<Fact> {
        let Some(carried) = carried else {
            return self.apply(stamped);
        };
        self.rules = carried.rules.clone();
        let mut facts = self.apply(stamped);
        self.carry(carried);
        facts.extend(self.reconcile_alerts(stamped.time));
        facts
    }

    /// Takes up what is remembered of the board beyond one game.
    fn carry(&mut self, carried: &Carried) {
        self.regulations = carried.regulations.clone();
        self.unconfirmed.clone_from(&carried.unconfirmed);
        self.left_undecided.clone_from(&carried.left_undecided);
        self.clock = carried.clock.or(self.clock);
        self.known_flag = carried.flag;
        self.link = carried.link.as_ref().map(Into::into);
        self.faulty.clone_from(&carried.faulty);
        self.alerts.take_up(&carried.alerts);
        if !carried.answers.is_empty() {
            self.answers = carried.answers.iter().cloned().collect();
        }
        self.draw = self.history.draw_state(self.regulations.edition);
        self.orientation = carried.orientation.or(self.orientation);
    }

    pub(super) fn new_game(
        &mut self,
        start_fen: Option<&str>,
        laws: Option<&str>,
        rate: Option<Rate>,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, String> {
        let start = match start_fen {
            Some(text) => laws::parse_position(text).map_err(|error| error.to_string())?,
            None => Chess::default(),
        };
        let event = &self.rules.regulations;
        let edition = match laws {
            Some(id) => laws::find(id).map_err(|error| error.to_string())?,
            None => event.edition,
        };
        let rate = rate.unwrap_or(event.rate);
        check_headers(headers.iter())?;
        let regulations = event.under(edition, rate);
        let mut facts = Vec::new();
        if self.status().result().is_none() && self.ply() > 0 {
            facts.push(Fact::GameLeft {
                game: self.number,
                ply: self.ply(),
            });
        }
        facts.extend(self.leave_undecided());
        self.keep_unconfirmed();
        self.number = self.seq;
        self.regulations = regulations;
        self.headers = headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.offers = OfferBook::default();
        self.claims.clear();
        self.adjustments.clear();
        self.illegal_moves = (0, 0);
        self.begin_at(start);
        self.counts_restarted = false;
        self.earlier_unknown = false;
        self.end_before_setup = None;
        self.claimed_in = None;
        // The clock may show it until somebody sets it: it is no news in this game.
        if let Some(flag) = self.clock.as_mut().and_then(|clock| clock.flag.take()) {
            self.known_flag = Some(flag);
        }
        self.taken_up = false;
        facts.push(Fact::GameStarted {
            game: self.number,
            start_fen: fen(&self.start),
            laws: edition.id.to_owned(),
            rate,
            cause: None,
        });
        facts.extend(self.end_on_the_board());
        Ok(facts)
    }

    /// Empties the record of moves: the game begins, or goes on, with `start`.
    pub(super) fn begin_at(&mut self, start: Chess) {
        self.position_seq = self.seq;
        self.history = History::new(start.clone());
        self.start = start;
        self.moves.clear();
        self.ended = None;
        self.first_end = None;
        self.overruled.clear();
        self.acted_after_end = false;
        self.decided_after_end = None;
        self.sign_shown = false;
        self.play_after_end_seen = None;
        self.result = None;
        self.dead = None;
        self.can_mate = None;
        self.pending_loss = None;
        self.mismatch = None;
        self.reconstructed_seen = 0;
        self.assumed_seen = 0;
        self.offers.begin_anew();
        self.lost.clear();
        self.must_play = None;
        self.broken_announcement = None;
        self.touched.clear();
        self.adjusting = None;
        self.pause = None;
        self.draw = self.history.draw_state(self.regulations.edition);
    }

    /// The game goes on from another position; its count of repetitions begins anew.
    pub(super) fn set_up(&mut self, start: Chess) -> Vec<Fact> {
        let counted = self.ply() > 0;
        let checked = self.unruled_claim().is_some();
        let pause = self.pause.filter(|_| checked);
        let first_end = self.end_before_setup.or(self.first_end);
        self.begin_at(start);
        self.pause = pause;
        self.end_before_setup = first_end;
        self.counts_restarted |= counted;
        self.earlier_unknown |= counted;
        self.reconsider_claim();
        self.taken_up = true;
        vec![Fact::PositionSet {
            fen: fen(&self.start),
        }]
    }
}

pub(super) fn with_cause(mut facts: Vec<Fact>, why: Cause) -> Vec<Fact> {
    for fact in &mut facts {
        if let Fact::GameStarted { cause, .. } = fact {
            *cause = Some(why);
        }
    }
    facts
}
