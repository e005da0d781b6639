//! The games before the one on the board, for readers that have missed their ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Content, Envelope, Game};

/// `remisd/earlier/1`: the games before the one in `game`, as the public saw them last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Earlier<Payload = Envelope<Game>> {
    /// The last payload of each on the topic `game`, oldest game first. Those without a move and
    /// without a result are left out.
    pub games: Vec<Payload>,
}

impl<Payload: Serialize> Content for Earlier<Payload> {
    const SCHEMA: &'static str = "remisd/earlier/1";
}
