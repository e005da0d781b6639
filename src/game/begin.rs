//! How a game begins, or continues from a position that was set up.

use std::collections::BTreeMap;

use shakmaty::Chess;

use super::{
    Cause, Fact, Game,
    account::Accounts,
    announced::Announcements,
    claim_book::ClaimBook,
    dead::Solved,
    ends::Ends,
    headers::{HeaderError, check_headers},
    illegal::IllegalMoves,
    offer::OfferBook,
    outcome::Outcome,
    record::Record,
    touch::Touches,
};
use remisd_laws::{Edition, Rate, UnknownEdition};
use remisd_vocabulary::{
    notation::{Counters, PositionTextError, fen, parse_position},
    written::Written,
};

/// Why a game cannot begin.
#[derive(Debug, thiserror::Error)]
pub(super) enum NewGameError {
    #[error(transparent)]
    Position(#[from] PositionTextError),
    #[error(transparent)]
    Edition(#[from] UnknownEdition),
    #[error(transparent)]
    Headers(#[from] HeaderError),
}

impl Game {
    pub(super) fn new_game(
        &mut self,
        start_fen: Option<&str>,
        laws: Option<&Written<&'static Edition>>,
        rate: Option<Rate>,
        headers: &BTreeMap<String, String>,
    ) -> Result<Vec<Fact>, NewGameError> {
        let start = match start_fen {
            Some(text) => parse_position(text)?,
            None => Chess::default(),
        };
        let given = start_fen.map_or(Counters::ALL, Counters::given_in);
        let event = &self.rules.regulations;
        let edition = match laws {
            Some(laws) => laws.read()?,
            None => event.edition,
        };
        let rate = rate.unwrap_or(event.rate);
        check_headers(headers.iter())?;
        let regulations = event.under(edition, rate);
        let mut facts = Vec::new();
        if self.status().result().is_none() && self.has_begun() {
            facts.push(Fact::GameLeft {
                game: self.number,
                ply: self.ply(),
                uncertain_since: self.doubted_if_left(),
            });
        }
        facts.extend(self.leave_undecided());
        self.keep_unconfirmed();
        if let Some(left) = self.as_earlier() {
            self.backlog.keep_game(&left);
        }
        self.source.next_game(self.ply());
        self.number = self.seq();
        self.regulations = regulations;
        self.headers = headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        self.record = Record::new(start, given, edition);
        self.ends = Ends::default();
        self.offers = OfferBook::default();
        self.claims = ClaimBook::default();
        self.illegal_moves = IllegalMoves::default();
        self.clock.begin_game();
        self.journal.begin_game();
        self.begin_record();
        facts.push(Fact::GameStarted {
            game: self.number,
            start_fen: fen(self.start()),
            laws: edition,
            rate,
            cause: None,
        });
        facts.extend(self.end_on_the_board());
        Ok(facts)
    }

    /// Forgets what belongs to the moves of the record before.
    fn begin_record(&mut self) {
        self.sequence.record_begins();
        self.outcome = Outcome::default();
        self.solved = Solved::default();
        self.announced = Announcements::default();
        self.touches = Touches::default();
        self.claims.lose(Vec::new());
        self.shown.forget_known();
        self.source.take_back_to(0);
        self.accounts = Accounts::default();
        self.sensors.forget_mismatch();
        self.sensors.forget_wrong_start();
        self.journal.begin_record();
    }

    /// The game continues from another position; its count of repetitions restarts.
    pub(super) fn set_up(&mut self, start: Chess, given: Counters) -> Vec<Fact> {
        let checking = self.unruled_claim().is_some();
        self.correct_source(0, true);
        self.record.set_up(start, given, self.regulations.edition);
        self.ends.set_up();
        self.offers.begin_anew();
        self.clock.set_up(checking);
        self.begin_record();
        self.note_outage();
        self.source_corrected();
        self.reconsider_claim();
        vec![Fact::PositionSet {
            fen: fen(self.start()),
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
