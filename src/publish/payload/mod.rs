//! The published JSON objects, as documented in `protocol/`: those about boards are in
//! [`remisd_topics`], those about the daemon itself are here.

mod broadcast;
mod daemon;

pub use broadcast::{
    DelayState, ExitState, LichessBoard, LichessGame, LichessOrder, LichessRound, LichessState,
    NodeBroadcast, PhoneState, PhoneTest, ReplacedMoves,
};
pub use daemon::{
    BoardHealth, BrokerHealth, ConfiguredBoard, Event, Health, NodeBoards, NodeInfo, NodeState,
    Reply,
};
pub use remisd_topics::{
    AlertText, Alerts, Automatic, AutomaticIn, Availability, AvailabilityState, Claim, Clock,
    ComparedAccount, ComparedState, Content, Dead, Dealings, Draw, DrawNow, DrawPosition,
    DrawTopic, Earlier, EarlierResult, Envelope, Error, FirstEnd, Game, GameMove, GameResult,
    Helpmates, Link, LostClaim, Offer, OfferMark, Players, Repetition, SideVerdict, Squares,
    Tracker, TrackerState, Uncertain,
};
