//! The payloads on a board's topics, except the draw state.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Automatic, Claim, ComparedAccount, Draw};
use remisd_game::{
    AlertCode, AnnouncedMove, ClaimRecord, ClockState, Game as Played, Level, MismatchReason,
    MustPlay, ProposedResult, ResultReason, Score, SeenSquare, Side, StandingOffer, Touched,
};
use remisd_laws::{LostBy, Ply, Rate};
use remisd_vocabulary::{
    notation::MoveText,
    reading::Confidence,
    sensor::{LinkCounters, Orientation},
    seq::AudienceSeq,
};

/// The envelope around the content of every payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope<T> {
    /// The schema's name, such as `remisd/game/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The board's name.
    pub board: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// The number of the newest journal entry that this is based on, as the audience counts.
    pub seq: AudienceSeq,
    /// The time of that entry, RFC 3339 UTC.
    pub time: String,
    /// The content.
    #[serde(flatten)]
    pub content: T,
}

/// The content of a payload that has its own schema.
pub trait Content: Serialize {
    /// The schema's name.
    const SCHEMA: &'static str;
}

/// `remisd/game/1`: the game as far as the audience may see it.
// The moves are the same for every audience, so they are serialised once for several views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Game<Moves = Vec<GameMove>> {
    /// The `seq` of the entry with which the game began; it grows with every game at this board.
    pub game: AudienceSeq,
    /// The PGN tags.
    pub headers: BTreeMap<String, String>,
    /// The edition of the Laws.
    pub laws: Cow<'static, str>,
    /// The rate of play.
    pub rate: Rate,
    /// The starting position; only the first four FEN fields where counters must not be known.
    pub start_fen: String,
    /// The position on the board; only the first four FEN fields where counters must not be known.
    pub fen: String,
    /// Halfmoves made; absent where counters must not be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// The player having the move.
    pub turn: Cow<'static, str>,
    /// All moves, the first one first.
    pub moves: Moves,
    /// The marks (=) in the score sheet; absent where offers must not be known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<OfferMark>,
    /// The last state that the clock reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClockState>,
    /// When the clock reported that state; the running side has less time since. Absent without a
    /// clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks_at: Option<String>,
    /// Whether the board is understood.
    pub tracker: Tracker,
    /// Set while the board does not agree with the game, whose last plies may be missing, or while
    /// a promotion is only assumed. It stays if the game was decided in this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<Uncertain>,
    /// The result that the players have shown on the board, until the arbiter has dealt with it.
    /// For arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_result: Option<ProposedResult>,
    /// The result, once it may be published.
    pub result: Option<GameResult>,
    /// Results that earlier games at this board got, or that were confirmed, after they were left,
    /// oldest game first. Not for the hall.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_results: Vec<EarlierResult>,
}

/// The result of an earlier game at the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierResult {
    /// The number of that game, as it was in `game`.
    pub game: AudienceSeq,
    /// Its result.
    pub result: GameResult,
}

impl<Moves: Serialize> Content for Game<Moves> {
    const SCHEMA: &'static str = "remisd/game/1";
}

/// A mark (=) in the score sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferMark {
    /// The ply after which it was made.
    pub ply: Ply,
    /// The player who offered.
    pub by: Side,
}

/// A move of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameMove<Text = String> {
    /// The move in UCI.
    pub uci: Text,
    /// Standard algebraic notation in English letters.
    pub san: Text,
    /// The mover's remaining time in milliseconds when the move was read, or when the clock was
    /// pressed after that; if there was a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// The move was not seen by the board and was reconstructed afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reconstructed: bool,
}

/// The uncertain end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Uncertain {
    /// The first ply that is not settled, is only assumed, or is in doubt because the board
    /// contradicts the game. Absent where counters must not be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ply: Option<Ply>,
}

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tracker {
    /// The state of tracking.
    pub state: TrackerState,
    /// Why no legal move explains the board; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<MismatchReason>,
    /// The squares that differ; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub squares: Vec<SeenSquare>,
}

/// The state in which the tracking of a board is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackerState {
    /// The board cannot be seen; the last known state is published.
    Blind,
    /// Every square agrees with the game, as far as known.
    Following,
    /// No legal move explains the squares.
    Mismatch,
    /// The game is over or the players have shown a result: moves on the board no longer count.
    Resting,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameResult {
    /// The score.
    pub score: Score,
    /// The reason.
    pub reason: ResultReason,
    /// The article, if the Laws ended the game without a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The ply at which the game ended; absent where counters must not be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// The move announced for a correct claim and not made on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<AnnouncedMove>,
    /// False until the arbiter confirms the result. Under the Laws the game is over either way.
    pub confirmed: bool,
}

impl Content for GameResult {
    const SCHEMA: &'static str = "remisd/result/1";
}

/// `remisd/draw/1` on a topic: the object of `replay` for the position on the board, with the
/// fields that exist only during a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawNow {
    /// The draw state.
    #[serde(flatten)]
    pub draw: Draw,
    /// How far away the automatic ends are.
    pub automatic_in: AutomaticIn,
    /// Set while the board does not agree with the game, whose last plies may be missing, or while
    /// a promotion is only assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<Uncertain>,
    /// The first automatic end in this game, even if play has gone on since. Absent wherever the
    /// offers and claims are absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_end: Option<FirstEnd>,
    /// The players' offers and claims; absent for the public of a competition, which sees positions
    /// only after their turn.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub dealings: Option<Dealings>,
}

/// `remisd/draw/1` for the public of a competition whose delay is too short for counters and
/// claims.
///
/// It holds a position whose turn has passed, and the standing offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawPosition {
    /// The game.
    pub game: AudienceSeq,
    /// Halfmoves since the starting position.
    pub ply: Ply,
    /// The player who had the move.
    pub turn: Cow<'static, str>,
    /// The position; only the first four FEN fields.
    pub fen: String,
    /// The edition of the Laws applied.
    pub laws: Cow<'static, str>,
    /// The move that led here; null for the starting position.
    #[serde(rename = "move")]
    pub last_move: Option<MoveText>,
    /// The standing offer.
    pub offer: Option<Offer>,
}

impl DrawPosition {
    /// The schema's name.
    pub const SCHEMA: &'static str = Draw::SCHEMA;
}

/// The payload on the topic `draw`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DrawTopic {
    /// The draw state.
    State(Box<DrawNow>),
    /// Only the position and the offer.
    Position(DrawPosition),
}

/// The first automatic end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstEnd {
    /// The ply at which it came.
    pub ply: Ply,
    /// The kind of end.
    #[serde(flatten)]
    pub end: Automatic,
    /// A position has been set up since, and the ply refers to the record before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_setup: bool,
}

impl FirstEnd {
    /// The first automatic end of a game, if there was one.
    #[must_use]
    pub fn of(game: &Played) -> Option<Self> {
        let before = game.end_before_setup();
        let (ply, end) = before.or(game.first_end())?;
        Some(Self {
            ply,
            end: end.into(),
            before_setup: before.is_some(),
        })
    }
}

/// How far away the automatic ends are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutomaticIn {
    /// Plies until the 75-move rule applies; null where the edition has no such rule.
    pub plies: Option<u32>,
    /// Further occurrences until fivefold repetition; null where the edition has no such rule.
    pub occurrences: Option<u32>,
}

/// The players' offers, claims and touched pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dealings {
    /// The standing offer.
    pub offer: Option<StandingOffer>,
    /// The pieces that the player having the move has touched since the last move.
    pub touched: Vec<Touched>,
    /// The claim under examination.
    pub claim: Option<ClaimRecord>,
    /// The move that must be made because it was announced for an incorrect claim.
    pub must_play: Option<MustPlay>,
    /// Claims that were possible and were lost; for the arbiter alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Vec<LostClaim>>,
}

/// A claim that was possible and was lost (9.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostClaim {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// The ply after which the claim was possible.
    pub ply: Ply,
    /// What lost it. A touch is only what the sensors report; the arbiter decides what it meant.
    pub reason: LostBy,
    /// The square of the touched piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub square: Option<String>,
}

/// `remisd/offer/1`: the standing draw offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// The player who offers.
    pub by: Side,
    /// Whether this is a claim, which counts as an offer.
    pub by_claim: bool,
    /// The ply after which it was made; absent where counters must not be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// Whether it was made at the moment that the Laws prescribe; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regular: Option<bool>,
    /// How often this player has offered since the opponent's last offer; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

impl Content for Offer {
    const SCHEMA: &'static str = "remisd/offer/1";
}

/// `remisd/alerts/1`: the open alerts, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alerts {
    /// The alerts.
    pub alerts: Vec<AlertText>,
}

impl Content for Alerts {
    const SCHEMA: &'static str = "remisd/alerts/1";
}

/// An open alert with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlertText {
    /// The id, unique on its board.
    pub id: String,
    /// How urgent it is.
    pub level: Level,
    /// The kind of alert.
    pub code: AlertCode,
    /// The values that the text is made from.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The article it rests on.
    pub article: Option<String>,
    /// The text, by language code.
    pub text: BTreeMap<Cow<'static, str>, String>,
    /// When it was raised, RFC 3339 UTC.
    pub since: String,
    /// Who acknowledged it; null while it is not acknowledged.
    pub acknowledged_by: Option<String>,
    /// When it was acknowledged, RFC 3339 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<String>,
    /// The alert is red and was not acknowledged in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
}

/// `remisd/link/1`: the device and its connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Whether the board responds.
    pub up: bool,
    /// Why it does not respond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The family of boards it belongs to.
    pub kind: Cow<'static, str>,
    /// The port.
    pub port: String,
    /// The board's own serial number.
    pub serial: Option<String>,
    /// The version of its firmware.
    pub version: Option<String>,
    /// The battery's charge in percent.
    pub battery: Option<u8>,
    /// The orientation of the board.
    pub orientation: Orientation,
    /// The moves have shown that the clock is the other way round from what `clock_white = "auto"`
    /// assumes; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock_reversed: bool,
    /// When the counters were last updated, RFC 3339 UTC.
    pub last_frame: Option<String>,
    /// The error counters of the connection.
    pub counters: LinkCounters,
    /// How well the sensor data is understood; published at most once a second.
    pub confidence: Confidence,
    /// Squares whose sensors contradict the game and are ignored.
    pub faulty_squares: Vec<String>,
    /// The second accounts with which the record is compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<ComparedAccount>,
}

impl Content for Link {
    const SCHEMA: &'static str = "remisd/link/1";
}

/// `remisd/squares/1`: what the sensors see, lifted pieces included.
///
/// Published on change, at most ten times a second; the last value always comes out. Empty while
/// the board is not seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Squares {
    /// The squares as the first field of a FEN. `?` is a piece that the board cannot identify. A
    /// piece that declares a result counts as an empty square.
    pub placement: String,
    /// When a square last changed, RFC 3339 UTC.
    pub at: String,
}

impl Content for Squares {
    const SCHEMA: &'static str = "remisd/squares/1";
}

/// `remisd/availability/1`: whether the board is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Availability {
    /// The state.
    pub state: AvailabilityState,
    /// The reason, for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Content for Availability {
    const SCHEMA: &'static str = "remisd/availability/1";
}

/// Whether a board is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AvailabilityState {
    /// The board responds.
    Online,
    /// The board does not respond.
    Offline,
    /// No connection has been tried yet.
    Unconfigured,
    /// The daemon cannot keep its record.
    Fault,
}
