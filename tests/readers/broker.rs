//! Messages from a broker.

use std::str::FromStr as _;

use bytes::Bytes;
use jiff::Timestamp;
use remisd::{
    hall::mirror::{Mirror, Selection, Version},
    publish::{
        CommandMessage, command,
        topic::{self, Audience},
    },
};
use remisd_game::{Game, Input, Rules, Stamped};
use remisd_vocabulary::{name::SiteId, seq::EntrySeq};

use crate::{line, text};

fn site() -> SiteId {
    SiteId::from_str("hall").expect("a name")
}

/// Commands, each with one line for its topic and one for its payload; they are executed.
pub fn command(data: &[u8]) -> usize {
    let mut game = Game::new(Rules::default());
    let (mut rest, mut seq) = (data, 0);
    while !rest.is_empty() && seq < 64 {
        let (about, after) = line(rest);
        let (payload, after) = line(after);
        rest = after;
        let message = CommandMessage {
            topic: text(about),
            payload: Bytes::copy_from_slice(payload),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        };
        if let Some(to) = command::reply_topic(&message) {
            let fits = topic::is_reply(&site(), &message.topic, &to);
            assert!(!fits || to.starts_with("chess/v1/hall/reply/"), "{to}");
        }
        if command::is_question(&message) {
            if let Err(refusal) = command::question(&message) {
                assert!(refusal.message.len() < 2_000, "{}", refusal.message);
            }
            continue;
        }
        match command::parse(&message) {
            Ok(command) => {
                let (role, ..) = topic::parse_command(&message.topic).expect("it was one");
                assert_eq!(
                    command.role.as_str(),
                    role,
                    "the topic alone gives the role"
                );
                seq += 1;
                let time = Timestamp::from_second(i64::try_from(seq).expect("it is small"));
                let time = time.expect("it is small");
                game.apply(&Stamped {
                    seq: EntrySeq::new(seq),
                    time,
                    input: Input::Command(command),
                });
            }
            Err(refusal) => assert!(refusal.message.len() < 2_000, "{}", refusal.message),
        }
    }
    usize::try_from(seq).expect("it is small")
}

/// Topics as the page server receives them, each with a line for its payload.
pub fn mirror(data: &[u8]) -> usize {
    let mirror = Mirror::new(&site(), Audience::Arbiter);
    mirror.begin();
    let mut rest = data;
    while !rest.is_empty() {
        let (about, after) = line(rest);
        let (payload, after) = line(after);
        rest = after;
        mirror.take(&text(about), &Bytes::copy_from_slice(payload), None);
    }
    mirror.complete();
    let mut understood = 0;
    for tiles in [false, true] {
        let selection = Selection {
            boards: None,
            tiles,
        };
        for frame in mirror.since(Version::default(), &selection, false).frames {
            // Half a surrogate pair is valid JSON for browsers, but no text for us.
            let whole = serde_json::from_str::<&serde_json::value::RawValue>(frame.as_str());
            assert!(whole.is_ok(), "{}", frame.as_str());
            understood += 1;
        }
    }
    understood
}
