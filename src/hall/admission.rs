//! Whom the broker lets in: where it asks for no password, nor do we.

use std::time::Duration;

use tokio::{sync::Mutex, time::Instant};

use super::{Hall, line_name, upstream::Line};
use crate::publish::{
    mqtt::{Credentials, client::AskError},
    topic::Audience,
};

/// How long it is remembered whom the broker lets in, and that this is not known.
const KNOWN_FOR: Duration = Duration::from_secs(30);
const UNKNOWN_FOR: Duration = Duration::from_secs(3);

/// Whom the broker let in when that was last tried, and when it was.
#[derive(Debug, Default)]
pub(super) struct Admission(Mutex<Option<(Instant, Option<Admits>)>>);

/// Whom the broker lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admits {
    /// Anybody, to do anything.
    Open,
    /// Anybody who gives himself a name.
    AnyPassword,
    /// Those whom it knows.
    Guarded,
}

impl Admission {
    /// Whom the broker lets in; `None` if that cannot be known now.
    pub(super) async fn admits(&self, hall: &Hall) -> Option<Admits> {
        let mut known = self.0.lock().await;
        if let Some((asked, answer)) = *known {
            let lasts = answer.map_or(UNKNOWN_FOR, |_| KNOWN_FOR);
            if asked.elapsed() < lasts {
                return answer;
            }
        }
        let answer = ask(hall).await;
        *known = Some((Instant::now(), answer));
        answer
    }
}

async fn ask(hall: &Hall) -> Option<Admits> {
    let nobody = hall.pool(None, Audience::Player, None).ok()?;
    match nobody.welcome().await {
        Line::Up => match nobody.may_command("arbiter", None).await {
            Ok(()) => return Some(Admits::Open),
            Err(AskError::Refused(_)) => {}
            Err(AskError::NoBroker | AskError::TooMany) => return None,
        },
        Line::Refused(_) => {}
        Line::Connecting | Line::Lost(_) => return None,
    }
    // Whoever lets in a user that nobody has ever named checks no password.
    let stranger = Credentials {
        username: line_name().ok()?,
        password: line_name().ok()?,
    };
    let stranger = hall.pool(Some(stranger), Audience::Player, None).ok()?;
    match stranger.welcome().await {
        Line::Up => Some(Admits::AnyPassword),
        Line::Refused(_) => Some(Admits::Guarded),
        Line::Connecting | Line::Lost(_) => None,
    }
}
