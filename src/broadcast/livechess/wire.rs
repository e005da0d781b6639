//! The messages: what clients send and what they receive.
//!
//! ```text
//! request  {"call":NAME,"id":ID,"param":ANY}                    param: absent, null or an object
//! answer   {"response":"call","id":ID,"param":ANY,"time":MS}    ID as it was sent, MS since 1970
//! feed     {"response":"feed","id":FEED,"param":ANY,"time":MS}  FEED as the client chose it
//! error    {"response":"error","id":ID,"param":{"message":TEXT},"time":MS}
//! ```
//!
//! | call | param | answer | known from |
//! |---|---|---|---|
//! | `eboards` | – | array of [`Eboard`] | capture |
//! | `sources` | – | array of [`Source`]; further keys unknown | one client |
//! | `subscribe` | `{"feed":"eboardevent","id":FEED,"param":{"serialnr":TEXT}}` | null | capture |
//! | `call` | `{"id":FEED,"method":"setup","param":{"fen":TEXT}}` | null | two clients |
//! | `call` | `{"id":FEED,"method":"flip","param":{"flip":BOOL}}` | null | one client |
//! | `call` | `{"id":FEED,"method":"setup","param":{"flip":BOOL}}` | as `flip` | one client's slip |
//! | `unsubscribe` | `{"id":FEED}`, or FEED alone; which of them is unknown | null | one client |
//!
//! Not known of the original: the texts of errors, and what it does with a request that it cannot
//! read. Here every such request is answered with an error, and the socket stays open.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The longest message that is read from a client, in bytes.
pub const LONGEST: usize = 16 * 1024;
/// The longest id, in bytes.
const LONGEST_ID: usize = 64;
/// The feed that exists.
const FEED: &str = "eboardevent";

/// An id that a client has chosen, as it wrote it: `7` and `"7"` are different ids.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>);

impl Id {
    /// The id of the answer to a request without a readable id.
    fn none() -> Self {
        // A number is a JSON text.
        Self(RawValue::from_string("0".to_owned()).expect("a number"))
    }

    /// Reads a number or a text.
    fn read(raw: Option<&RawValue>) -> Option<Self> {
        let raw = raw?;
        let is_plain = raw.get().starts_with(['"', '-']) || raw.get().starts_with(char::is_numeric);
        (is_plain && raw.get().len() <= LONGEST_ID).then(|| Self(raw.to_owned()))
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for Id {}

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// All boards.
    Eboards,
    /// The ports of the boards.
    Sources,
    /// The events of a board.
    Subscribe {
        /// The client's name for the feed.
        feed: Id,
        /// The board.
        serialnr: String,
    },
    /// Moves from this position on.
    Setup {
        /// The feed.
        feed: Id,
        /// The position.
        fen: String,
    },
    /// The board seen from its other side.
    Flip {
        /// The feed.
        feed: Id,
        /// Whether it is turned.
        flip: bool,
    },
    /// No more events.
    Unsubscribe {
        /// The feed.
        feed: Id,
    },
}

/// A request with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The id that the answer repeats.
    pub id: Id,
    /// The call, or the text of the error that answers it.
    pub call: Result<Call, &'static str>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    call: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    param: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[allow(
    clippy::struct_field_names,
    reason = "the names are those of the protocol"
)]
struct Param<'a, T> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    feed: String,
    #[serde(default)]
    method: String,
    param: T,
}

#[derive(Deserialize)]
struct Serial {
    serialnr: String,
}

#[derive(Deserialize)]
struct Method {
    fen: Option<String>,
    flip: Option<bool>,
}

impl Request {
    /// Reads a request. One that cannot be understood becomes a request for its error.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
            return Self {
                id: Id::none(),
                call: Err("not a JSON object with call, id and param"),
            };
        };
        Self {
            id: Id::read(envelope.id).unwrap_or_else(Id::none),
            call: Call::read(&envelope),
        }
    }
}

impl Call {
    fn read(envelope: &Envelope<'_>) -> Result<Self, &'static str> {
        let name = envelope.call.map_or("", RawValue::get);
        let name: String = serde_json::from_str(name).map_err(|_| "call is not a text")?;
        match &*name {
            "eboards" => Ok(Self::Eboards),
            "sources" => Ok(Self::Sources),
            "subscribe" => Self::subscribe(envelope.param),
            "call" => Self::method(envelope.param),
            "unsubscribe" => Self::unsubscribe(envelope.param),
            _ => Err("unknown call"),
        }
    }

    fn subscribe(param: Option<&RawValue>) -> Result<Self, &'static str> {
        const WANTED: &str = "subscribe needs feed, id and param.serialnr";
        let param = param.ok_or(WANTED)?;
        let param: Param<'_, Serial> = serde_json::from_str(param.get()).map_err(|_| WANTED)?;
        if param.feed != FEED {
            return Err("unknown feed");
        }
        Ok(Self::Subscribe {
            feed: Id::read(param.id).ok_or(WANTED)?,
            serialnr: param.param.serialnr,
        })
    }

    fn method(param: Option<&RawValue>) -> Result<Self, &'static str> {
        const WANTED: &str = "call needs id, method and param";
        let param = param.ok_or(WANTED)?;
        let param: Param<'_, Method> = serde_json::from_str(param.get()).map_err(|_| WANTED)?;
        let feed = Id::read(param.id).ok_or(WANTED)?;
        match (&*param.method, param.param) {
            (
                "setup",
                Method {
                    fen: Some(fen),
                    flip: _,
                },
            ) => Ok(Self::Setup { feed, fen }),
            (
                "flip" | "setup",
                Method {
                    flip: Some(flip), ..
                },
            ) => Ok(Self::Flip { feed, flip }),
            ("setup", _) => Err("setup needs param.fen"),
            ("flip", _) => Err("flip needs param.flip"),
            _ => Err("unknown method"),
        }
    }

    fn unsubscribe(param: Option<&RawValue>) -> Result<Self, &'static str> {
        const WANTED: &str = "unsubscribe needs the id of a feed";
        #[derive(Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
        }
        let param = param.ok_or(WANTED)?;
        let named = serde_json::from_str::<Named<'_>>(param.get());
        let feed = Id::read(Some(named.map_or(param, |named| named.id)));
        Ok(Self::Unsubscribe {
            feed: feed.ok_or(WANTED)?,
        })
    }
}

/// A message to a client.
#[derive(Debug, Serialize)]
pub struct Message<'a, T> {
    response: &'static str,
    id: &'a Id,
    param: T,
    time: i64,
}

#[derive(Debug, Serialize)]
struct ErrorText<'a> {
    message: &'a str,
}

/// Writes the answer to a call.
#[must_use]
pub fn answer<T: Serialize>(id: &Id, param: T, time: i64) -> String {
    write("call", id, param, time)
}

/// Writes an error.
#[must_use]
pub fn error(id: &Id, message: &str, time: i64) -> String {
    write("error", id, ErrorText { message }, time)
}

/// Writes a message of a feed.
#[must_use]
pub fn feed(id: &Id, event: &BoardEvent<'_>, time: i64) -> String {
    write("feed", id, event, time)
}

fn write<T: Serialize>(response: &'static str, id: &Id, param: T, time: i64) -> String {
    let message = Message {
        response,
        id,
        param,
        time,
    };
    // Structs of texts and numbers always have a JSON form.
    serde_json::to_string(&message).unwrap_or_default()
}

/// A board, in the array of `eboards`.
///
/// | key | value | known from |
/// |---|---|---|
/// | `serialnr` | the board's serial number, or its name in the configuration | capture |
/// | `source` | the port without `/dev/`; null: absent | capture |
/// | `state` | [`State`]; null: never seen | types of the maker |
/// | `battery` | `84%`; null: no battery | capture |
/// | `comment` | the operator's remark; here the board's name | types of the maker |
/// | `board` | the first field of a FEN; null: never seen | capture |
/// | `flipped` | always false: remisd knows how its boards lie | capture |
/// | `clock` | [`Clock`]; null: none | capture |
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Eboard {
    /// The unique key.
    pub serialnr: String,
    /// The port.
    pub source: Option<String>,
    /// Whether it can be read.
    pub state: Option<State>,
    /// Its charge.
    pub battery: Option<String>,
    /// The operator's remark.
    pub comment: Option<String>,
    /// What is on it.
    pub board: Option<String>,
    /// Whether it lies turned.
    pub flipped: bool,
    /// Its clock.
    pub clock: Option<Clock>,
}

/// Whether a board can be read.
///
/// The original also knows `NOTRESPONDING` and `DELAYED`. Clients look for the two states here: a
/// board that was lost is `INACTIVE`, so that those who watch it notice, and web pages accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// It is read.
    Active,
    /// It is not.
    Inactive,
}

/// A clock.
///
/// | key | value | known from |
/// |---|---|---|
/// | `white`, `black` | seconds left | types of the maker, capture |
/// | `run` | true: White's time runs; false: Black's; null: it is stopped | two clients |
/// | `time` | when it was read, in milliseconds since 1970: clients count on from there | two clients |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Clock {
    /// White's seconds.
    pub white: u64,
    /// Black's seconds.
    pub black: u64,
    /// Whose time runs.
    pub run: Option<bool>,
    /// When it was read.
    pub time: i64,
}

/// A port, in the array of `sources`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The port, as in [`Eboard`].
    pub device: String,
}

/// What has happened on a board, in the messages of a feed.
///
/// | key | present | known from |
/// |---|---|---|
/// | `serialnr`, `flipped` | always | capture |
/// | `board` | first, and on every change of the squares, lifted pieces included | capture |
/// | `clock` | first, and on every change; null: no clock | capture |
/// | `start` | first after `setup`: the FEN from which moves are found | two clients |
/// | `san` | always after `setup`: all moves since `start` | two clients |
/// | `match` | always after `setup`: the board shows the position after them | two clients |
#[allow(
    clippy::option_option,
    reason = "no clock is news as well, and differs from no news"
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoardEvent<'a> {
    /// The board.
    pub serialnr: &'a str,
    /// Whether the client has turned it.
    pub flipped: bool,
    /// What is on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Its clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Option<Clock>>,
    /// The first position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<&'a str>,
    /// The moves since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub san: Option<Vec<&'a str>>,
    /// Whether the board agrees.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
}

#[cfg(test)]
mod tests;
