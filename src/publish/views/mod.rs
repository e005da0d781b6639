//! Access control for content: the retained topics of a board, with one view for each audience.
//!
//! Each audience has its own serialiser. What an audience must not know is therefore never put into
//! its payload, rather than removed afterwards. In the profile `competition`, nothing on `player`
//! or `hall` holds eligibility, counters or hints (FIDE 11.3.1, 12.6): no draw state, no ply, no
//! halfmove clock, no move number.

mod leaves;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, cell::OnceCell, collections::BTreeSet};

use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    config::{Audience as Settings, Opened, Profile},
    publish::{
        numbering::game_number,
        operator,
        payload::{
            self, AlertText, Alerts, Content, DrawPosition, EarlierResult, Envelope, GameResult,
            Offer, OfferMark, Tracker, TrackerState,
        },
        topic::{Audience, Leaf},
    },
};
use remisd_game::{AlertCode, Game};
use remisd_vocabulary::{
    notation::{color, fen, fen_without_counters},
    reading::Confidence,
    sensor::{Device, LinkCounters, Placement},
    seq::AudienceSeq,
    time::rfc3339,
};

/// The state of a board's connection, as opposed to its game.
#[derive(Debug, Clone)]
pub struct BoardConnection {
    /// What the board reported about itself.
    pub device: Device,
    /// The error counters of the connection.
    pub counters: LinkCounters,
    /// When the counters were last reported.
    pub last_frame: Option<jiff::Timestamp>,
    /// How well the sensor data is understood.
    pub confidence: Confidence,
    /// The clock was found to be the other way round from what was assumed.
    pub clock_reversed: bool,
    /// What the sensors see; `None` while the board is not seen.
    pub squares: Option<SeenSquares>,
}

/// The squares of a board, as its sensors see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenSquares {
    /// The squares.
    pub placement: Placement,
    /// When one of them last changed.
    pub at: jiff::Timestamp,
}

impl Default for BoardConnection {
    fn default() -> Self {
        Self {
            device: Device::default(),
            counters: LinkCounters::default(),
            last_frame: None,
            confidence: Confidence::Blind,
            clock_reversed: false,
            squares: None,
        }
    }
}

/// The current state of a board, with content that several views share.
#[derive(Debug)]
pub struct BoardSnapshot<'a> {
    game: &'a Game,
    line: &'a BoardConnection,
    moves: OnceCell<Option<Box<RawValue>>>,
}

impl<'a> BoardSnapshot<'a> {
    /// A scene of a game and the state of the board's connection.
    #[must_use]
    pub const fn of(game: &'a Game, line: &'a BoardConnection) -> Self {
        Self {
            game,
            line,
            moves: OnceCell::new(),
        }
    }

    /// The moves as JSON, serialised on first use.
    fn moves(&self) -> Option<&RawValue> {
        let moves = self.moves.get_or_init(|| {
            let moves: Vec<_> = leaves::moves(self.game).collect();
            to_raw_value(&moves).ok()
        });
        moves.as_deref()
    }
}

/// The content of one retained topic: a schema and a JSON object, without the envelope.
///
/// The content is stored as text. After every ply each audience's view is rebuilt and compared with
/// the one published before, which is most of the cost of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The schema's name.
    pub schema: &'static str,
    content: String,
}

impl View {
    fn of<T: Content>(content: &T) -> Option<Self> {
        Self::named(T::SCHEMA, content)
    }

    /// Serialises the content. Payload types are structs of plain fields, which always have a JSON
    /// form. If that ever fails, the topic is left empty rather than wrong.
    fn named(schema: &'static str, content: &impl serde::Serialize) -> Option<Self> {
        let content = serde_json::to_string(content).ok()?;
        (content.starts_with('{')).then_some(Self { schema, content })
    }

    /// The payload: the envelope and the content in the same JSON object.
    #[must_use]
    pub fn within(&self, envelope: &Envelope<()>) -> Published {
        // The envelope holds only text and numbers, so it always has a JSON form.
        let mut payload = serde_json::to_string(envelope).unwrap_or_default();
        payload.reserve_exact(self.content.len());
        payload.pop();
        if self.content != "{}" {
            payload.push(',');
        }
        let content_offset = payload.len();
        payload.push_str(&self.content[1..]);
        Published {
            payload: payload.into(),
            content_offset,
        }
    }

    /// Whether the published view `published` has the same content, whatever its envelope. Schemas need
    /// no comparison, because a topic has only one.
    #[must_use]
    pub fn is_in(&self, published: &Published) -> bool {
        published.payload[published.content_offset..] == self.content.as_bytes()[1..]
    }

    /// The content as a JSON value.
    #[cfg(test)]
    pub(crate) fn content(&self) -> serde_json::Value {
        serde_json::from_str(&self.content).expect("a view is JSON")
    }
}

/// A view as it was published. The sender and the code that looks up topics share one copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The payload.
    pub payload: Bytes,
    /// The number of bytes of the payload before the content.
    content_offset: usize,
}

/// Decides what each audience sees.
#[derive(Debug, Clone)]
pub struct Views {
    settings: Settings,
}

impl Views {
    /// The views under the configured settings.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// The views under a profile, with no additional audience opened.
    #[must_use]
    pub const fn under(profile: Profile) -> Self {
        Self::new(Settings {
            profile,
            delay_ms: 0,
            delay_plies: 0,
            public_draw_after_ms: 900_000,
            operator_draw: false,
            open: BTreeSet::new(),
            languages: Vec::new(),
        })
    }

    /// Whether an audience may know counters, eligibility and hints.
    #[must_use]
    pub fn is_open(&self, audience: Audience) -> bool {
        let opened = match audience {
            Audience::Arbiter => return true,
            Audience::Operator if self.settings.operator_draw => return true,
            Audience::Operator => Opened::Operator,
            Audience::Public => Opened::Public,
            Audience::Hall => Opened::Hall,
            Audience::Player => Opened::Player,
        };
        match self.settings.profile {
            Profile::Competition => false,
            Profile::Club => self.settings.open.contains(&opened),
            Profile::Casual => true,
        }
    }

    /// Whether an audience may know the halfmove clock: arbiter and operator, and the public if its
    /// delay is long enough.
    fn has_counters(&self, audience: Audience) -> bool {
        let waits = audience == Audience::Public && self.settings.delays_draws();
        is_insider(audience) || waits || self.is_open(audience)
    }

    /// Whether plies are numbered for an audience: for arbiter and operator, and for the public,
    /// which is not in the hall.
    fn has_plies(&self, audience: Audience) -> bool {
        is_insider(audience) || audience == Audience::Public || self.is_open(audience)
    }

    /// Whether an audience has this leaf at all.
    ///
    /// This is the interface's table of topics. The draw state is added for audiences to which the
    /// profile opens it.
    #[must_use]
    pub fn has(&self, audience: Audience, leaf: Leaf) -> bool {
        use Audience::{Arbiter, Hall, Operator, Player, Public};
        match leaf {
            Leaf::Game => audience != Player,
            Leaf::Earlier => audience == Public,
            Leaf::Draw => matches!(audience, Arbiter | Operator | Public) || self.is_open(audience),
            Leaf::Offer => audience != Hall,
            Leaf::Clock => !matches!(audience, Public | Hall),
            Leaf::Result | Leaf::Availability => true,
            Leaf::Alerts | Leaf::Link | Leaf::Squares => matches!(audience, Arbiter | Operator),
        }
    }

    /// The content of a leaf for an audience now; `None` if there is none.
    #[must_use]
    pub fn view(&self, audience: Audience, leaf: Leaf, scene: &BoardSnapshot<'_>) -> Option<View> {
        use Audience::Arbiter;
        if !self.has(audience, leaf) {
            return None;
        }
        let game = scene.game;
        match (leaf, audience) {
            (Leaf::Game, _) => View::of(&self.game(audience, game, scene.moves()?)),
            // For the public of a competition, see `delayed_draw` and `delayed_position`.
            (Leaf::Draw, _) if self.is_open(audience) => {
                let dealings = leaves::dealings(game, audience == Arbiter);
                leaves::draw(audience, game, Some(dealings))
            }
            (Leaf::Offer, _) => self.offer(audience, game).as_ref().and_then(View::of),
            (Leaf::Clock, _) => leaves::clock(game).as_ref().and_then(View::of),
            (Leaf::Result, _) => self.result(audience, game).as_ref().and_then(View::of),
            // Operators look after the equipment; possible claims are for the arbiter alone.
            (Leaf::Alerts, _) => View::of(&self.alerts(audience, game)),
            (Leaf::Link, _) => View::of(&leaves::link(game, scene.line)),
            (Leaf::Squares, _) => View::of(&leaves::squares(scene.line.squares.as_ref()?)),
            (Leaf::Availability, _) => View::of(&leaves::availability(is_insider(audience), game)),
            _ => None,
        }
    }

    /// The draw state for the public of a competition.
    ///
    /// It must not be shown until the turn it belongs to has passed. `None` if the delay is too
    /// short for counters and claims: then the public gets only the
    /// [position](Self::delayed_position).
    #[must_use]
    pub fn delayed_draw(&self, game: &Game) -> Option<View> {
        leaves::draw(Audience::Public, game, None).filter(|_| self.has_counters(Audience::Public))
    }

    /// The position on the board for the public of a competition.
    ///
    /// As with [`Self::delayed_draw`], the turn it belongs to must have passed.
    #[must_use]
    pub fn delayed_position(game: &Game) -> DrawPosition {
        leaves::position(game)
    }

    /// A passed position with the standing offer.
    #[must_use]
    pub fn position_and_offer(&self, position: &DrawPosition, game: &Game) -> Option<View> {
        let position = DrawPosition {
            offer: self.offer(Audience::Public, game),
            ..position.clone()
        };
        View::named(DrawPosition::SCHEMA, &position)
    }

    /// How many of a game's alerts operators see.
    #[must_use]
    pub fn alerts_for_operators(&self, game: &Game) -> usize {
        let open = self.is_open(Audience::Operator);
        let alerts = game.alerts().open().iter();
        let seen = alerts.filter(|alert| open || !alert.code.reveals_claims());
        seen.count()
    }

    fn game<Moves>(&self, audience: Audience, game: &Game, moves: Moves) -> payload::Game<Moves> {
        let counters = self.has_counters(audience);
        let plies = self.has_plies(audience);
        let position = |position| {
            if counters {
                fen(position)
            } else {
                fen_without_counters(position)
            }
        };
        payload::Game {
            game: game_number(audience, game),
            headers: game.headers().clone(),
            laws: Cow::Borrowed(game.edition().id),
            rate: game.rate(),
            start_fen: position(game.start()),
            fen: position(game.position()),
            ply: plies.then(|| game.ply()),
            turn: Cow::Borrowed(color(game.turn())),
            moves,
            offers: if audience == Audience::Hall && !plies {
                Vec::new()
            } else {
                let marks = game.offer_marks().iter();
                marks.map(|&(ply, by)| OfferMark { ply, by }).collect()
            },
            clocks: game.clock(),
            clocks_at: game.clock_at().map(rfc3339),
            tracker: self.tracker(audience, game),
            uncertain: leaves::uncertain(audience, game, plies)
                .filter(|_| is_insider(audience) || !game.shows_known_sign()),
            proposed_result: game.proposed_result().filter(|_| is_insider(audience)),
            result: self.result(audience, game),
            earlier_results: self.earlier_results(audience, game),
        }
    }

    /// The result as far as the audience may know it: arbiter and operator without delay, the
    /// others once it is confirmed.
    fn result(&self, audience: Audience, game: &Game) -> Option<GameResult> {
        let result = game.result()?;
        if !result.confirmed && !is_insider(audience) {
            return None;
        }
        Some(self.shown_result(audience, result))
    }

    fn shown_result(&self, audience: Audience, result: &remisd_game::GameResult) -> GameResult {
        let plies = self.has_plies(audience);
        GameResult {
            score: result.score,
            reason: result.reason,
            article: result.article.clone(),
            ply: plies.then_some(result.ply),
            announced: result.announced.clone(),
            confirmed: result.confirmed,
        }
    }

    /// The results that earlier games got after they were left.
    fn earlier_results(&self, audience: Audience, game: &Game) -> Vec<EarlierResult> {
        let results = game.earlier_results().filter_map(|left| {
            let number = match audience {
                Audience::Arbiter => AudienceSeq::of_entry(left.game),
                Audience::Operator => left.operator,
                Audience::Public => left.public?,
                Audience::Hall | Audience::Player => return None,
            };
            Some(EarlierResult {
                game: number,
                result: self.shown_result(audience, left.result.as_ref()?),
            })
        });
        results.collect()
    }

    /// The tracker state. Only arbiter and operator learn why the board is not understood, that the
    /// players have shown a result, or that the result is not yet confirmed.
    fn tracker(&self, audience: Audience, game: &Game) -> Tracker {
        let tracker = leaves::tracker(game);
        if is_insider(audience) {
            return tracker;
        }
        let over = game.status().is_closed() && self.result(audience, game).is_some();
        let state = match tracker.state {
            TrackerState::Resting if !over => TrackerState::Following,
            // Otherwise they would see that moves on the board are no longer followed.
            _ if game.shows_known_sign() && !over => TrackerState::Following,
            state => state,
        };
        leaves::plain(state)
    }

    /// The standing offer; players see it without counters.
    fn offer(&self, audience: Audience, game: &Game) -> Option<Offer> {
        let insider = is_insider(audience);
        let offer = if insider {
            game.standing_offer()?
        } else {
            game.offer_at_the_board()?
        };
        let plies = self.has_plies(audience);
        Some(Offer {
            by: offer.by,
            by_claim: offer.by_claim,
            ply: plies.then_some(offer.ply),
            regular: offer.regular.filter(|_| insider),
            times: insider.then_some(offer.times),
        })
    }

    /// The open alerts. Alerts about possible claims, and the findings of a claim, are included
    /// only where the draw state is open.
    fn alerts(&self, audience: Audience, game: &Game) -> Alerts {
        let draws = self.is_open(audience);
        let open = game.alerts().open().iter();
        let open = open.filter(|alert| draws || !alert.code.reveals_claims());
        let visible = open.map(|alert| {
            let mut alert = alert.clone();
            if !draws && alert.code == AlertCode::ClaimMade {
                operator::hide_finding(&mut alert.arguments);
            }
            if audience == Audience::Operator {
                operator::renumber_alert(&mut alert, game);
            }
            alert
        });
        let alerts = visible.map(|alert| AlertText {
            id: alert.id.clone(),
            level: alert.level,
            code: alert.code,
            arguments: alert.arguments.clone(),
            article: alert.article.clone(),
            text: leaves::texts(&self.settings.languages, &alert),
            since: rfc3339(alert.since),
            acknowledged_by: alert.acknowledged_by.clone(),
            acknowledged_at: alert.acknowledged_at.map(rfc3339),
            escalated: alert.escalated,
        });
        Alerts {
            alerts: alerts.collect(),
        }
    }
}

/// Whether the audience looks after the game and the board.
fn is_insider(audience: Audience) -> bool {
    matches!(audience, Audience::Arbiter | Audience::Operator)
}
