//! The content of a board's leaves, before access control.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{BoardConnection, SeenSquares, View};
use crate::{
    publish::{
        numbering::game_number,
        payload::{
            self, AutomaticIn, Availability, AvailabilityState, Clock, ComparedAccount, Dealings,
            Draw, DrawNow, DrawPosition, Earlier, FirstEnd, GameMove, Link, LostClaim, Players,
            Squares, Tracker, TrackerState, Uncertain,
        },
        topic::Audience,
    },
    words::{Language, Words},
};
use remisd_game::{Alert, Game, Tracking};
use remisd_vocabulary::{
    notation::{color, fen_without_counters},
    reading::Confidence,
    time::rfc3339,
};

/// The text of an alert, by language code.
pub(super) fn texts(languages: &[Language], alert: &Alert) -> BTreeMap<Cow<'static, str>, String> {
    let texts = languages.iter().map(|language| {
        let text = Words::of(*language).alert(alert);
        (Cow::Borrowed(language.code()), text)
    });
    texts.collect()
}

/// The moves of the game, each with the mover's clock after it.
pub(super) fn moves(game: &Game) -> impl Iterator<Item = GameMove<&str>> {
    let first = shakmaty::Position::turn(game.start());
    (game.moves().iter().enumerate()).map(move |(i, played)| {
        let mover = if i % 2 == 0 { first } else { first.other() };
        let clock = played.clock;
        GameMove {
            uci: played.text.uci.as_str(),
            san: played.text.san.as_str(),
            clock_ms: clock.map(|clock| mover.fold_wb(clock.white_ms, clock.black_ms)),
            reconstructed: played.is_reconstructed(),
        }
    })
}

impl View {
    /// Earlier games, each as the payload that the topic `game` had last; `None` if there are none.
    #[must_use]
    pub fn of_earlier<'a>(games: impl Iterator<Item = &'a Bytes>) -> Option<Self> {
        let games = games.filter_map(|payload| serde_json::from_slice::<&RawValue>(payload).ok());
        let games: Vec<_> = games.collect();
        (!games.is_empty()).then(|| Self::of(&Earlier { games }))?
    }
}

/// The state of the clock; `None` without a clock and without anything to require of it.
pub(super) fn clock(game: &Game) -> Option<Clock> {
    let state = game.clock();
    let paused = game.pause_state();
    let adjustment = game.adjustments().first().cloned();
    let players = players(game);
    let decided = game.decided_by_players();
    let is_quiet = state.is_none() && paused.is_none() && adjustment.is_none();
    if is_quiet && players.is_none() && decided.is_none() {
        return None;
    }
    Some(Clock {
        white_ms: state.map(|clock| clock.white_ms),
        black_ms: state.map(|clock| clock.black_ms),
        running: state.and_then(|clock| clock.running),
        at: game.clock_at().map(rfc3339),
        flag: state.and_then(|clock| clock.flag),
        paused,
        adjustment,
        players,
        decided,
    })
}

/// The players' names, if at least one is known.
fn players(game: &Game) -> Option<Players> {
    let name = |tag: &str| {
        let name = game.headers().get(tag).map(|name| name.trim());
        let name = name.filter(|name| !name.is_empty() && *name != "?");
        name.map(str::to_owned)
    };
    let (white, black) = (name("White"), name("Black"));
    (white.is_some() || black.is_some()).then_some(Players { white, black })
}

/// The players' offers, claims and touched pieces. Lost claims and claims not written down are
/// included only for the arbiter.
pub(super) fn dealings(game: &Game, with_lost: bool) -> Dealings {
    let lost = game.lost_claims().into_iter().flat_map(|lost| {
        let square = lost.touched.map(|touched| touched.square.to_string());
        let claims = lost.claims.into_iter();
        let lost_claims = claims.map(move |claim| LostClaim {
            claim: payload::Claim::new(&claim, &lost.position),
            ply: lost.ply,
            reason: lost.by,
            square: square.clone(),
        });
        lost_claims.collect::<Vec<_>>()
    });
    let unwritten = game.unwritten_claim().filter(|_| with_lost);
    Dealings {
        offer: game.standing_offer().cloned(),
        touched: game.touched().to_vec(),
        claim: game.open_claim().or(unwritten).cloned(),
        must_play: game.must_play().cloned(),
        lost: with_lost.then(|| lost.collect()),
    }
}

/// The position on the board and the move that led to it. The caller fills in the offer.
pub(super) fn position(game: &Game) -> DrawPosition {
    DrawPosition {
        game: game_number(Audience::Public, game),
        ply: game.ply(),
        turn: Cow::Borrowed(color(game.turn())),
        fen: fen_without_counters(game.position()),
        laws: Cow::Borrowed(game.edition().id),
        last_move: game.moves().last().map(|played| played.text.clone()),
        offer: None,
    }
}

pub(super) fn draw(audience: Audience, game: &Game, dealings: Option<Dealings>) -> Option<View> {
    let last = game.moves().last().map(|played| played.text.clone());
    let mut draw = Draw::new(
        game_number(audience, game).get(),
        game.ply(),
        game.position(),
        last,
        game.draw(),
        game.edition(),
    );
    // The public of a competition learns of an end only when the arbiter has confirmed it.
    let may_know = dealings.is_some() || game.result().is_some_and(|result| result.confirmed);
    let ended = game.ended().filter(|_| may_know);
    draw.automatic = ended
        .filter(|(ply, _)| *ply == game.ply())
        .map(|(_, end)| end.into());
    if may_know && game.result().is_some() {
        // Nothing can be claimed in a game that is over.
        draw.claims.clear();
        draw.arbiter_decides.clear();
    }
    draw.schema = Cow::Borrowed("");
    draw.after_end = ended.is_some_and(|(ply, _)| ply < game.ply());
    draw.dead = game.dead().filter(|_| may_know);
    let now = DrawNow {
        automatic_in: AutomaticIn {
            plies: game.plies_to_seventy_five(),
            occurrences: game.occurrences_to_fivefold(),
        },
        draw,
        first_end: dealings.as_ref().and(FirstEnd::of(game)),
        // The public of a competition sees a position whose turn has passed, so that position is
        // settled.
        uncertain: dealings
            .as_ref()
            .and_then(|_| uncertain(audience, game, true)),
        dealings,
    };
    View::named(Draw::SCHEMA, &now)
}

pub(super) fn plain(state: TrackerState) -> Tracker {
    Tracker {
        state,
        reason: None,
        squares: Vec::new(),
    }
}

pub(super) fn tracker(game: &Game) -> Tracker {
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

/// The first uncertain ply: the board contradicts the game from there on, or a promotion was
/// assumed.
/// Arbiter and operator also learn of a second account that differs.
pub(super) fn uncertain(audience: Audience, game: &Game, counters: bool) -> Option<Uncertain> {
    let since = if matches!(audience, Audience::Arbiter | Audience::Operator) {
        game.doubted_since()?
    } else {
        game.uncertain_since()?
    };
    Some(Uncertain {
        since_ply: counters.then_some(since),
    })
}

pub(super) fn link(game: &Game, line: &BoardConnection) -> Link {
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
        clock_reversed: line.clock_reversed,
        last_frame: line.last_frame.map(rfc3339),
        counters: line.counters,
        confidence: if up {
            line.confidence
        } else {
            Confidence::Blind
        },
        faulty_squares: game
            .faulty_squares()
            .iter()
            .map(ToString::to_string)
            .collect(),
        accounts: ComparedAccount::all_of(game),
    }
}

pub(super) fn squares(seen: &SeenSquares) -> Squares {
    Squares {
        placement: seen.placement.to_string(),
        at: rfc3339(seen.at),
    }
}

pub(super) fn availability(insider: bool, game: &Game) -> Availability {
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
