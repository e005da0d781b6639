//! What stands on a board's topics, besides the draw state.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Automatic, Claim, Draw};
use remisd_game::{
    Adjustment, AlertCode, AnnouncedMove, ClaimRecord, ClockState, Decided, Game as Played, Level,
    MismatchReason, MustPlay, Pause, ProposedResult, ResultReason, Score, SeenSquare, Side,
    StandingOffer, Touched,
};
use remisd_hand::Confidence;
use remisd_laws::{LostBy, Ply, Rate};
use remisd_vocabulary::{
    notation::MoveText,
    sensor::{LinkCounters, Orientation},
};

/// What every payload carries around its own content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope<T> {
    /// The schema's name: `remisd/game/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The board.
    pub board: String,
    /// New for every start of the daemon.
    pub session: String,
    /// The number of the newest journal entry that this rests on, as the audience counts.
    pub seq: u64,
    /// When that was, RFC 3339 UTC.
    pub time: String,
    /// The content.
    #[serde(flatten)]
    pub content: T,
}

/// A content that knows the name of its schema.
pub trait Content: Serialize {
    /// The schema's name.
    const SCHEMA: &'static str;
}

/// `remisd/game/1`: the game as far as the audience may see it.
// The moves are the same for every audience: whoever publishes them for several writes them
// down once, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Game<Moves = Vec<GameMove>> {
    /// The `seq` of the entry with which it began: grows with every game at this board.
    pub game: u64,
    /// PGN tags.
    pub headers: BTreeMap<String, String>,
    /// The edition of the Laws.
    pub laws: Cow<'static, str>,
    /// The rate of play.
    pub rate: Rate,
    /// The starting position; four fields only where counters must not be told.
    pub start_fen: String,
    /// The position on the board; four fields only where counters must not be told.
    pub fen: String,
    /// Halfmoves made; absent where counters must not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// The player having the move.
    pub turn: Cow<'static, str>,
    /// Every move, the first one first.
    pub moves: Moves,
    /// Where the mark (=) stands in the score; absent where offers must not be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<OfferMark>,
    /// What the clock showed when something last happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClockState>,
    /// When the clock showed that: the running side has less since. Absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks_at: Option<String>,
    /// Whether the board is understood.
    pub tracker: Tracker,
    /// Set while the board does not agree with the game, whose last plies may be missing, or
    /// while a promotion is only assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<Uncertain>,
    /// The result that the players have shown on the board, until the arbiter has dealt
    /// with it; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_result: Option<ProposedResult>,
    /// The result, once it may be told.
    pub result: Option<GameResult>,
}

impl<Moves: Serialize> Content for Game<Moves> {
    const SCHEMA: &'static str = "remisd/game/1";
}

/// A mark (=) in the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferMark {
    /// After which ply.
    pub ply: Ply,
    /// Who offered.
    pub by: Side,
}

/// A move of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameMove<Text = String> {
    /// UCI.
    pub uci: Text,
    /// Standard algebraic notation in English letters.
    pub san: Text,
    /// The mover's remaining time in milliseconds, if there was a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// It was made out of sight of the board and worked out afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reconstructed: bool,
}

/// From where on the game is not certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Uncertain {
    /// The first ply that is not settled, is only assumed, or may have been read wrongly as the board
    /// contradicts the game; absent where counters must not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ply: Option<Ply>,
}

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tracker {
    /// In which state.
    pub state: TrackerState,
    /// Why no legal move explains the board; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<MismatchReason>,
    /// The squares that differ; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub squares: Vec<SeenSquare>,
}

/// In which state the tracking of a board is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackerState {
    /// The board cannot be seen: what is published is the last that was known.
    Blind,
    /// Every square agrees with the game, as far as is known.
    Following,
    /// No legal move explains the squares.
    Mismatch,
    /// The game is over, or the players have shown a result: moves on the board are not
    /// the game's.
    Resting,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameResult {
    /// The score.
    pub score: Score,
    /// Why.
    pub reason: ResultReason,
    /// The article, where the Laws ended the game by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The ply at which it was over; absent where counters must not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// The move that was announced for a correct claim and not made on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<AnnouncedMove>,
    /// False while the arbiter's word is awaited. In law the game is over either way.
    pub confirmed: bool,
}

impl Content for GameResult {
    const SCHEMA: &'static str = "remisd/result/1";
}

/// `remisd/draw/1` on a topic: the object of `replay` for the position on the board,
/// and what only a game in progress has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawNow {
    /// The draw state.
    #[serde(flatten)]
    pub draw: Draw,
    /// How far the automatic ends are.
    pub automatic_in: AutomaticIn,
    /// Set while the board does not agree with the game, whose last plies may be missing, or
    /// while a promotion is only assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<Uncertain>,
    /// The first end by the Laws alone in this game, also if play has gone on since; absent
    /// where the dealings are not told either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_end: Option<FirstEnd>,
    /// What players have said and done; absent for the public of a competition, to whom
    /// positions are told after their turn.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub dealings: Option<Dealings>,
}

/// `remisd/draw/1` for the public of a competition whose delay is too short for counters and
/// claims: a position whose turn has passed, and the offer that stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawPosition {
    /// The game.
    pub game: u64,
    /// Halfmoves since the starting position.
    pub ply: Ply,
    /// The player who had the move.
    pub turn: Cow<'static, str>,
    /// The position, four fields only.
    pub fen: String,
    /// The edition applied.
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

/// What stands on the topic `draw`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DrawTopic {
    /// The draw state.
    State(Box<DrawNow>),
    /// The position and the offer alone.
    Position(DrawPosition),
}

/// The first end of a game by the Laws alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstEnd {
    /// The ply at which it came.
    pub ply: Ply,
    /// What it was.
    #[serde(flatten)]
    pub end: Automatic,
    /// A position has been set up since: the ply is that of the record before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_setup: bool,
}

impl FirstEnd {
    /// The first end of a game, if there was one.
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

/// How far the automatic ends are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutomaticIn {
    /// Plies until 75 moves; null where the edition has no such rule.
    pub plies: Option<u32>,
    /// Further occurrences until fivefold; null where the edition has no such rule.
    pub occurrences: Option<u32>,
}

/// What players have said and done about a draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dealings {
    /// The standing offer.
    pub offer: Option<StandingOffer>,
    /// Pieces that the player having the move has touched since the last move.
    pub touched: Vec<Touched>,
    /// The claim that is being checked.
    pub claim: Option<ClaimRecord>,
    /// The move that must be made because it was announced for an incorrect claim.
    pub must_play: Option<MustPlay>,
    /// Claims that could have been made and were lost; for the arbiter alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Vec<LostClaim>>,
}

/// A claim that could have been made (9.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostClaim {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// After which ply it could be made.
    pub ply: Ply,
    /// What lost it. A touch is what the sensors say: the arbiter decides what it meant.
    pub reason: LostBy,
    /// The square of the piece that was touched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub square: Option<String>,
}

/// `remisd/offer/1`: the standing draw offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// Who offers.
    pub by: Side,
    /// Whether it is a claim that counts as an offer.
    pub by_claim: bool,
    /// After which ply; absent where counters must not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// Whether it came at the moment the Laws ask for; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regular: Option<bool>,
    /// How often he has offered since his opponent last did; for arbiter and operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

impl Content for Offer {
    const SCHEMA: &'static str = "remisd/offer/1";
}

/// `remisd/clock/1`: what the Laws ask of the clock now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// White's remaining time in milliseconds; null where no clock tells it.
    pub white_ms: Option<u64>,
    /// Black's.
    pub black_ms: Option<u64>,
    /// Whose time is running; null while the clock is stopped.
    pub running: Option<Side>,
    /// When the clock showed that: the running side has less since. Absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Whose flag has fallen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Side>,
    /// Set while the clock is to be stopped.
    pub paused: Option<Pause>,
    /// The oldest change of the times that the clock has not made yet. It says that it has
    /// with `adjusted` in `clock_state`.
    pub adjustment: Option<Adjustment>,
    /// Who plays; absent while neither name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// What the players have decided between themselves, so that the clock is to stop; absent
    /// while they play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
}

/// The names of the players, as the tags `White` and `Black` have them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Players {
    /// White's name; null where it is not known.
    pub white: Option<String>,
    /// Black's.
    pub black: Option<String>,
}

impl Content for Clock {
    const SCHEMA: &'static str = "remisd/clock/1";
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
    /// Unique on its board.
    pub id: String,
    /// How urgent it is.
    pub level: Level,
    /// What it is about.
    pub code: AlertCode,
    /// What the text is made of.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The article it rests on.
    pub article: Option<String>,
    /// The text by language.
    pub text: BTreeMap<Cow<'static, str>, String>,
    /// Since when, RFC 3339 UTC.
    pub since: String,
    /// By whom it was acknowledged; null while nobody has.
    pub acknowledged_by: Option<String>,
    /// When, RFC 3339 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<String>,
    /// It is red and was not acknowledged in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
}

/// `remisd/link/1`: the device and its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Whether the board answers.
    pub up: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The family of boards.
    pub kind: Cow<'static, str>,
    /// The port.
    pub port: String,
    /// The board's own serial number.
    pub serial: Option<String>,
    /// The version of its firmware.
    pub version: Option<String>,
    /// The battery's charge in percent.
    pub battery: Option<u8>,
    /// How the board lies.
    pub orientation: Orientation,
    /// Who moves has shown that the clock stands the other way round than `clock_white = "auto"`
    /// assumes; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock_reversed: bool,
    /// When the counters were last told, RFC 3339 UTC.
    pub last_frame: Option<String>,
    /// How clean the line is.
    pub counters: LinkCounters,
    /// How well what the board shows is understood; told at most once a second.
    pub confidence: Confidence,
    /// Squares whose sensors contradict the game and are not listened to.
    pub faulty_squares: Vec<String>,
}

impl Content for Link {
    const SCHEMA: &'static str = "remisd/link/1";
}

/// `remisd/availability/1`: whether the board is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Availability {
    /// In which state.
    pub state: AvailabilityState,
    /// Why, for those who look after boards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Content for Availability {
    const SCHEMA: &'static str = "remisd/availability/1";
}

/// Whether a board is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AvailabilityState {
    /// It answers.
    Online,
    /// It does not.
    Offline,
    /// Nobody has tried yet.
    Unconfigured,
    /// The daemon cannot keep its record.
    Fault,
}
