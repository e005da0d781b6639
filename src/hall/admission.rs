//! Whom the broker admits: where it asks for no password, the hall asks for none either.

use std::time::Duration;

use tokio::{sync::Mutex, time::Instant};

use super::{Hall, line_name, upstream::Line};
use crate::publish::{
    mqtt::{Credentials, client::AskError},
    topic::Audience,
};

/// How long an answer is cached, and how long a failure to get one.
const KNOWN_FOR: Duration = Duration::from_secs(30);
const UNKNOWN_FOR: Duration = Duration::from_secs(3);

/// The last answer, with its time.
#[derive(Debug, Default)]
pub(super) struct Admission(Mutex<Option<(Instant, Option<Admits>)>>);

/// Whom the broker admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admits {
    /// Anyone, with every right.
    Open,
    /// Anyone who gives a user name.
    AnyPassword,
    /// Only users known to the broker.
    Guarded,
}

impl Admission {
    /// Whom the broker admits; `None` if that is unknown at the moment.
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
    // A broker that admits a random user name checks no passwords.
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
