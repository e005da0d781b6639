//! How a game begins: anew, or from a position that was set up.

use remisd_vocabulary::notation::parse_position;
use std::collections::BTreeMap;

use shakmaty::{Chess, Position as _};

use super::{Cause, Fact, Game, Pause, Role, headers::check_headers, offer::OfferBook};
use remisd_laws::{self as laws, ClaimKind, History, Rate};
use remisd_vocabulary::notation::{Counters, fen};

impl Game {
    pub(super) fn new_game(
        &mut self,
        start_fen: Option<&str>,
        laws: Option<&str>,
        rate: Option<Rate>,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, String> {
        let start = match start_fen {
            Some(text) => parse_position(text).map_err(|error| error.to_string())?,
            None => Chess::default(),
        };
        let given = start_fen.map_or(Counters::ALL, Counters::given_in);
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
                uncertain_since: self.uncertain_since(),
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
        self.groundless_seen = (0, 0);
        self.adjustments.clear();
        self.illegal_moves = (0, 0);
        self.illegal_rulings.clear();
        self.claim_penalty = None;
        self.wrong_clock_since = None;
        // Nothing comes before the usual array, if a game begins there.
        let given = if start == Chess::default() {
            Counters::ALL
        } else {
            given
        };
        self.begin_at(start, given);
        self.moves_left_out = false;
        self.counts_restarted = self.may_have_stood_before();
        self.end_before_setup = None;
        self.claimed_in = None;
        // The clock may show it until somebody sets it: it is no news in this game.
        if let Some(flag) = self.clock.as_mut().and_then(|clock| clock.flag.take()) {
            self.known_flag = Some(flag);
        }
        self.taken_up = false;
        self.moves_before = 0;
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
    fn begin_at(&mut self, start: Chess, given: Counters) {
        self.start_counters = given;
        self.position_seq = self.seq;
        self.record_seq = self.seq;
        self.history = History::new(start.clone());
        self.start = start;
        self.moves.clear();
        self.ended = None;
        self.end_behind_claim = None;
        self.first_end = None;
        self.overruled.clear();
        self.acted_after_end = false;
        self.decided_after_end = None;
        self.sign_shown = false;
        self.play_after_end_seen = None;
        self.result = None;
        self.dead = None;
        self.grounds = None;
        self.can_mate = None;
        self.pending_loss = None;
        self.held_resignation = None;
        self.mismatch = None;
        self.missing_since = None;
        self.reconstructed_seen = 0;
        self.assumed_seen = 0;
        self.offers.begin_anew();
        self.lost.clear();
        self.unwritten = None;
        self.must_play = None;
        self.broken_announcement = None;
        self.announcement_seen = None;
        self.touched.clear();
        self.adjusting = None;
        self.pause = None;
        self.draw = self.history.draw_state(self.regulations.edition);
    }

    /// The game goes on from another position; its count of repetitions begins anew.
    pub(super) fn set_up(&mut self, start: Chess, given: Counters) -> Vec<Fact> {
        let counted = self.ply() > 0;
        // Where the position does not say how many moves were made, the game does.
        let played = self.moves_each();
        self.moves_before = if given.fullmoves { 0 } else { played };
        let checked = self.unruled_claim().is_some();
        let arbiters = |pause: &Pause| pause.by == Some(Role::Arbiter);
        let pause = self.pause.filter(|pause| checked || arbiters(pause));
        let first_end = self.end_before_setup.or(self.first_end);
        self.begin_at(start, given);
        self.pause = pause.map(|pause| Pause { after: 0, ..pause });
        self.end_before_setup = first_end;
        self.moves_left_out |= counted;
        self.counts_restarted |= counted || self.may_have_stood_before();
        self.reconsider_claim();
        self.taken_up = true;
        vec![Fact::PositionSet {
            fen: fen(&self.start),
        }]
    }

    /// Whether the start of this record may have stood on the board before, for all that is
    /// known: nobody has said that it came about by a pawn move or a capture.
    fn may_have_stood_before(&self) -> bool {
        !self.start_counters.halfmoves || self.start.halfmoves() > 0
    }

    /// Whether what a claim of this kind counts may have happened before the record began.
    /// What stood before a pawn move or a capture cannot stand again.
    pub(super) fn began_too_late_for(&self, kind: ClaimKind) -> bool {
        let reaches_back = self.draw.halfmove_clock >= self.ply();
        let unknown = match kind {
            ClaimKind::Threefold => self.may_have_stood_before(),
            ClaimKind::FiftyMove => !self.start_counters.halfmoves,
        };
        reaches_back && (self.moves_left_out || unknown)
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
