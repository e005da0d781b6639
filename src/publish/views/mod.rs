//! Who sees what: the retained topics of a board, one view for each audience.
//!
//! Each audience has its own serialiser, so that what it must not know is never put
//! into its payload, rather than taken out again. In the profile `competition` nothing
//! that reaches `player` or `hall` holds eligibility, counters or hints (FIDE 11.3.1,
//! 12.6): no draw state, no ply, no halfmove clock, no move number.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    board::event::{Device, LinkCounters},
    config::{Audience as Settings, Opened, Profile},
    game::{Alert, AlertCode, Game, Tracking},
    hand::Confidence,
    notation::{color, fen},
    publish::{
        operator,
        payload::{
            self, AlertText, Alerts, AutomaticIn, Availability, AvailabilityState, Clock, Content,
            Dealings, Draw, DrawNow, FirstEnd, GameMove, GameResult, Link, LostClaim, Offer,
            OfferMark, Tracker, TrackerState, Uncertain,
        },
        topic::{Audience, Leaf},
    },
    time::rfc3339,
    words::{Language, Words},
};

/// What is known of a board beside the game.
#[derive(Debug, Clone)]
pub struct Line {
    /// What the board said of itself.
    pub device: Device,
    /// How clean the line is.
    pub counters: LinkCounters,
    /// When the counters were told.
    pub last_frame: Option<jiff::Timestamp>,
    /// How well what the board shows is understood.
    pub confidence: Confidence,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            device: Device::default(),
            counters: LinkCounters::default(),
            last_frame: None,
            confidence: Confidence::Blind,
        }
    }
}

/// The content of one retained topic: a schema and a JSON object, without the envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The schema's name.
    pub schema: &'static str,
    /// The content as a JSON object.
    pub content: serde_json::Value,
}

impl View {
    fn of<T: Content>(content: &T) -> Option<Self> {
        Self::named(T::SCHEMA, content)
    }

    /// Every payload type is a struct of plain fields, which always has a JSON form;
    /// should one ever not have, its topic is left empty rather than wrong.
    fn named(schema: &'static str, content: &impl serde::Serialize) -> Option<Self> {
        let mut content = serde_json::to_value(content).ok()?;
        // The name stands in the envelope; an object that has it already has it once.
        content.as_object_mut()?.remove("schema");
        Some(Self { schema, content })
    }
}

/// Decides what each audience sees.
#[derive(Debug, Clone)]
pub struct Views {
    settings: Settings,
}

impl Views {
    /// Views under the configured profile.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
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

    /// Whether an audience has this leaf at all: the table of the interface, and the
    /// draw state for whomever the profile opens it to.
    #[must_use]
    pub fn has(&self, audience: Audience, leaf: Leaf) -> bool {
        use Audience::{Arbiter, Hall, Operator, Player, Public};
        match leaf {
            Leaf::Game => audience != Player,
            Leaf::Draw => matches!(audience, Arbiter | Operator | Public) || self.is_open(audience),
            Leaf::Offer => audience != Hall,
            Leaf::Clock => !matches!(audience, Public | Hall),
            Leaf::Result | Leaf::Availability => true,
            Leaf::Alerts | Leaf::Link => matches!(audience, Arbiter | Operator),
        }
    }

    /// The content of a leaf for an audience now; `None` when there is none.
    #[must_use]
    pub fn view(&self, audience: Audience, leaf: Leaf, game: &Game, line: &Line) -> Option<View> {
        use Audience::{Arbiter, Operator};
        if !self.has(audience, leaf) {
            return None;
        }
        match (leaf, audience) {
            (Leaf::Game, _) => View::of(&self.game(audience, game)),
            // For the public of a competition see `passed_draw`.
            (Leaf::Draw, _) if self.is_open(audience) => {
                draw(game, Some(dealings(game, audience == Arbiter)))
            }
            (Leaf::Offer, _) => self.offer(audience, game).as_ref().and_then(View::of),
            (Leaf::Clock, _) => clock(game).as_ref().and_then(View::of),
            (Leaf::Result, _) => self.result(audience, game).as_ref().and_then(View::of),
            (Leaf::Alerts, Arbiter) => View::of(&self.alerts(game, true)),
            // Operators look after the equipment; claims are the arbiter's alone.
            (Leaf::Alerts, Operator) => View::of(&self.alerts(game, self.is_open(Operator))),
            (Leaf::Link, _) => View::of(&link(game, line)),
            (Leaf::Availability, _) => View::of(&availability(audience, game)),
            _ => None,
        }
    }

    /// The draw state of a position for the public of a competition: to be shown only
    /// after its turn has passed, when no claim can rest on it any more.
    #[must_use]
    pub fn passed_draw(game: &Game) -> Option<View> {
        draw(game, None)
    }

    fn game(&self, audience: Audience, game: &Game) -> payload::Game {
        let counters = audience == Audience::Operator
            || audience == Audience::Public
            || self.is_open(audience);
        let position = |position| {
            let full = fen(position);
            if counters {
                full
            } else {
                without_counters(&full)
            }
        };
        let white_begins = game.start();
        let first = shakmaty::Position::turn(white_begins);
        let moves = game.moves().iter().enumerate().map(|(i, played)| {
            let mover = if i % 2 == 0 { first } else { first.other() };
            GameMove {
                uci: played.text.uci.clone(),
                san: played.text.san.clone(),
                clock_ms: played
                    .clock
                    .map(|clock| mover.fold_wb(clock.white_ms, clock.black_ms)),
                reconstructed: played.is_reconstructed(),
            }
        });
        payload::Game {
            game: game.number(),
            headers: game.headers().clone(),
            laws: Cow::Borrowed(game.edition().id),
            rate: game.rate(),
            start_fen: position(game.start()),
            fen: position(game.position()),
            ply: counters.then(|| game.ply()),
            turn: Cow::Borrowed(color(game.turn())),
            moves: moves.collect(),
            offers: if audience == Audience::Hall && !counters {
                Vec::new()
            } else {
                let marks = game.offer_marks().iter();
                marks.map(|&(ply, by)| OfferMark { ply, by }).collect()
            },
            clocks: game.clock(),
            tracker: self.tracker(audience, game),
            uncertain: uncertain(game, counters),
            proposed_result: game.proposed_result().filter(|_| is_insider(audience)),
            result: self.result(audience, game),
        }
    }

    /// The result as far as the audience may know it: the arbiter and the operator at
    /// once, the others when it is confirmed.
    fn result(&self, audience: Audience, game: &Game) -> Option<GameResult> {
        let result = game.result()?;
        let insider = is_insider(audience);
        if !result.confirmed && !insider {
            return None;
        }
        let counters = insider || audience == Audience::Public || self.is_open(audience);
        Some(GameResult {
            score: result.score,
            reason: result.reason,
            article: result.article.clone(),
            ply: counters.then_some(result.ply),
            announced: result.announced.clone(),
            confirmed: result.confirmed,
        })
    }

    /// Whether the board is understood; why not, arbiter and operator are told. So is that
    /// the players have shown a result, or that the game has one which is not confirmed.
    fn tracker(&self, audience: Audience, game: &Game) -> Tracker {
        let told = tracker(game);
        if is_insider(audience) {
            return told;
        }
        let over = game.status().is_closed() && self.result(audience, game).is_some();
        let state = match told.state {
            TrackerState::Resting if !over => TrackerState::Following,
            state => state,
        };
        plain(state)
    }

    /// The standing offer: to the player without counters.
    fn offer(&self, audience: Audience, game: &Game) -> Option<Offer> {
        let insider = is_insider(audience);
        let offer = if insider {
            game.standing_offer()?
        } else {
            game.offer_at_the_board()?
        };
        let counters = insider || audience == Audience::Public || self.is_open(audience);
        Some(Offer {
            by: offer.by,
            by_claim: offer.by_claim,
            ply: counters.then_some(offer.ply),
            regular: offer.regular.filter(|_| insider),
            times: insider.then_some(offer.times),
        })
    }

    /// The open alerts; with `draws` also those that tell of possible claims, and what
    /// the moves of the game say to a claim that was made.
    fn alerts(&self, game: &Game, draws: bool) -> Alerts {
        let open = game.alerts().open().iter();
        let open = open.filter(|alert| draws || !tells_draws(alert.code));
        let told = open.map(|alert| {
            let mut alert = alert.clone();
            if !draws && alert.code == AlertCode::ClaimMade {
                operator::hide_finding(&mut alert.arguments);
            }
            alert
        });
        let alerts = told.map(|alert| AlertText {
            id: alert.id.clone(),
            level: alert.level,
            code: alert.code,
            arguments: alert.arguments.clone(),
            article: alert.article.clone(),
            text: texts(&self.settings.languages, &alert),
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

/// The text of an alert by the code of the language.
fn texts(languages: &[Language], alert: &Alert) -> BTreeMap<Cow<'static, str>, String> {
    let texts = languages.iter().map(|language| {
        let text = Words::of(*language).alert(alert);
        (Cow::Borrowed(language.code()), text)
    });
    texts.collect()
}

/// What the Laws ask of the clock, if there is one or something to be asked.
fn clock(game: &Game) -> Option<Clock> {
    let state = game.clock();
    let paused = game.pause_state();
    let adjustment = game.adjustments().first().cloned();
    if state.is_none() && paused.is_none() && adjustment.is_none() {
        return None;
    }
    Some(Clock {
        white_ms: state.map(|clock| clock.white_ms),
        black_ms: state.map(|clock| clock.black_ms),
        running: state.and_then(|clock| clock.running),
        flag: state.and_then(|clock| clock.flag),
        paused,
        adjustment,
    })
}

/// What players have said and done about a draw; lost claims for the arbiter alone.
fn dealings(game: &Game, with_lost: bool) -> Dealings {
    let lost = game.lost_claims().into_iter().flat_map(|lost| {
        let square = lost.touched.map(|touched| touched.square);
        let claims = lost.claims.into_iter();
        let told = claims.map(move |claim| LostClaim {
            claim: payload::Claim::new(&claim, &lost.position),
            ply: lost.ply,
            reason: lost.by,
            square: square.clone(),
        });
        told.collect::<Vec<_>>()
    });
    Dealings {
        offer: game.standing_offer().cloned(),
        touched: game.touched().to_vec(),
        claim: game.open_claim().cloned(),
        must_play: game.must_play().cloned(),
        lost: with_lost.then(|| lost.collect()),
    }
}

/// The first four fields: no halfmove clock, no move number.
fn without_counters(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    fields.join(" ")
}

fn draw(game: &Game, dealings: Option<Dealings>) -> Option<View> {
    let last = game.moves().last().map(|played| played.text.clone());
    let mut draw = Draw::new(
        game.number(),
        game.ply(),
        game.position(),
        last,
        game.draw(),
        game.edition(),
    );
    let ended = game.ended();
    draw.automatic = ended
        .filter(|(ply, _)| *ply == game.ply())
        .map(|(_, end)| end.into());
    draw.after_end = ended.is_some_and(|(ply, _)| ply < game.ply());
    draw.dead = game.dead();
    let now = DrawNow {
        automatic_in: AutomaticIn {
            plies: game.plies_to_seventy_five(),
            occurrences: game.occurrences_to_fivefold(),
        },
        draw,
        first_end: dealings.as_ref().and(game.first_end()).map(FirstEnd::from),
        // The public of a competition sees a position whose turn has passed: it is settled.
        uncertain: dealings.as_ref().and_then(|_| uncertain(game, true)),
        dealings,
    };
    View::named(Draw::SCHEMA, &now)
}

/// Who is told what is for those who look after game and board.
fn is_insider(audience: Audience) -> bool {
    matches!(audience, Audience::Arbiter | Audience::Operator)
}

fn plain(state: TrackerState) -> Tracker {
    Tracker {
        state,
        reason: None,
        squares: Vec::new(),
    }
}

fn tracker(game: &Game) -> Tracker {
    let blind = !matches!(game.link(), Some(Ok(())));
    match game.tracking() {
        Tracking::Resting => plain(TrackerState::Resting),
        Tracking::Mismatch(mismatch) => Tracker {
            state: TrackerState::Mismatch,
            reason: Some(mismatch.reason),
            squares: mismatch.squares,
        },
        Tracking::Following if blind => plain(TrackerState::Blind),
        Tracking::Following => plain(TrackerState::Following),
    }
}

/// From where on the game is not certain, while the board does not agree with it.
fn uncertain(game: &Game, counters: bool) -> Option<Uncertain> {
    let Tracking::Mismatch(mismatch) = game.tracking() else {
        return None;
    };
    Some(Uncertain {
        since_ply: counters.then_some(mismatch.since_ply),
    })
}

/// Whether an alert tells that a draw could be claimed.
fn tells_draws(code: AlertCode) -> bool {
    operator::CLAIMABLE.contains(&code)
}

fn link(game: &Game, line: &Line) -> Link {
    let up = matches!(game.link(), Some(Ok(())));
    Link {
        up,
        reason: match game.link() {
            Some(Err(down)) => Some(down.reason.clone()),
            _ => None,
        },
        kind: Cow::Borrowed(line.device.kind),
        port: line.device.port.clone(),
        serial: line.device.serial.clone(),
        version: line.device.version.clone(),
        battery: line.device.battery,
        orientation: game.orientation().unwrap_or_default(),
        last_frame: line.last_frame.map(rfc3339),
        counters: line.counters,
        confidence: if up {
            line.confidence
        } else {
            Confidence::Blind
        },
        faulty_squares: game.faulty_squares().to_vec(),
    }
}

fn availability(audience: Audience, game: &Game) -> Availability {
    let insider = is_insider(audience);
    match game.link() {
        None => Availability {
            state: AvailabilityState::Unconfigured,
            reason: None,
        },
        Some(Ok(())) => Availability {
            state: AvailabilityState::Online,
            reason: None,
        },
        Some(Err(down)) => Availability {
            state: AvailabilityState::Offline,
            reason: insider.then(|| down.reason.clone()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::{Command, Input, Role, Rules, Score, SettledBy, Stamped, Verb},
        protocol::specimens,
    };

    fn competition() -> Views {
        Views::new(Settings {
            profile: Profile::Competition,
            delay_ms: 0,
            operator_draw: false,
            open: std::collections::BTreeSet::new(),
            languages: Vec::new(),
        })
    }

    /// A game at whose end the position has occurred five times, and what follows.
    fn fivefold(then: Option<Verb>) -> Game {
        let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(4);
        let moves = moves.into_iter().map(|uci| Input::Move {
            uci: uci.to_owned(),
            by: SettledBy::Reply,
            clock: None,
        });
        let then = then.map(|verb| {
            Input::Command(Command {
                id: "1".to_owned(),
                role: Role::Arbiter,
                by: None,
                if_seq: None,
                verb,
            })
        });
        let mut game = Game::new(Rules::default());
        for (seq, input) in (1..).zip(moves.chain(then)) {
            let time = jiff::Timestamp::UNIX_EPOCH;
            game.apply(&Stamped { seq, time, input });
        }
        game
    }

    #[test]
    fn the_first_end_is_told_to_the_arbiter_although_he_overruled_it() {
        let score = Score::None;
        let game = fivefold(Some(Verb::Result { score, game: None }));
        let views = competition();
        let draw = views
            .view(Audience::Arbiter, Leaf::Draw, &game, &Line::default())
            .unwrap();
        let first = serde_json::json!({"ply": 16, "kind": "fivefold", "article": "9.6.1"});
        assert_eq!(draw.content["first_end"], first);
        let public = Views::passed_draw(&game).unwrap();
        assert_eq!(public.content.get("first_end"), None);
    }

    #[test]
    fn players_see_an_offer_that_only_the_arbiter_knows_to_be_void() {
        let player = Some(crate::game::Side::White);
        let condition = None;
        let game = fivefold(Some(Verb::Offer { player, condition }));
        let views = competition();
        let offer = |audience| views.view(audience, Leaf::Offer, &game, &Line::default());
        assert!(offer(Audience::Player).is_some());
        assert!(offer(Audience::Arbiter).is_none());
    }

    #[test]
    fn an_alert_has_a_text_in_every_language_that_is_configured() {
        let alert = &specimens(AlertCode::ThreefoldClaimable)[0].alert;
        let texts = texts(&[Language::Nl, Language::DeCh], alert);
        let said: Vec<(&str, &str)> = texts
            .iter()
            .map(|(k, v)| (k.as_ref(), v.as_str()))
            .collect();
        let german = "Remisantrag wegen dreimaliger Stellungswiederholung möglich (Art. 9.2.1): \
                      Schwarz am Zug. Nicht eingreifen.";
        let dutch = "Remiseclaim wegens driemaal dezelfde stelling mogelijk (art. 9.2.1): \
                     zwart aan zet. Niet ingrijpen.";
        assert_eq!(said, [("de-ch", german), ("nl", dutch)]);
    }
}
