//! Whom the broker admits: where it needs no password, the pages need none either.

use std::time::Duration;

use tokio::{sync::Mutex, time::Instant};

use super::{Hall, connection_name, upstream::ConnectionState};
use crate::publish::{
    mqtt::{Credentials, client::SendError},
    topic::Audience,
};

/// How long an answer is cached, and how long a failure to get one.
const KNOWN_FOR: Duration = Duration::from_secs(30);
const UNKNOWN_FOR: Duration = Duration::from_secs(3);

/// The last answer, with its time.
#[derive(Debug, Default)]
pub(super) struct AccessProbe(Mutex<Option<(Instant, Option<BrokerAccess>)>>);

/// Whom the broker admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BrokerAccess {
    /// Anyone, with every right.
    Open,
    /// Anyone who gives a user name.
    AnyPassword,
    /// Only users known to the broker.
    Guarded,
}

impl AccessProbe {
    /// Whom the broker admits; `None` if that is unknown at the moment.
    pub(super) async fn admits(&self, hall: &Hall) -> Option<BrokerAccess> {
        let mut known = self.0.lock().await;
        if let Some((checked, answer)) = *known {
            let lasts = answer.map_or(UNKNOWN_FOR, |_| KNOWN_FOR);
            if checked.elapsed() < lasts {
                return answer;
            }
        }
        let answer = ask(hall).await;
        *known = Some((Instant::now(), answer));
        answer
    }
}

async fn ask(hall: &Hall) -> Option<BrokerAccess> {
    let anonymous = hall.pool(None, Audience::Player, None).ok()?;
    match anonymous.welcome().await {
        ConnectionState::Up => match anonymous.may_command("arbiter", None).await {
            Ok(()) => return Some(BrokerAccess::Open),
            Err(SendError::Refused(_)) => {}
            Err(SendError::NoBroker | SendError::TooMany) => return None,
        },
        ConnectionState::Refused(_) => {}
        ConnectionState::Connecting | ConnectionState::Lost(_) => return None,
    }
    // A broker that admits a random user name checks no passwords.
    let stranger = Credentials {
        username: connection_name().ok()?,
        password: connection_name().ok()?,
    };
    let stranger = hall.pool(Some(stranger), Audience::Player, None).ok()?;
    match stranger.welcome().await {
        ConnectionState::Up => Some(BrokerAccess::AnyPassword),
        ConnectionState::Refused(_) => Some(BrokerAccess::Guarded),
        ConnectionState::Connecting | ConnectionState::Lost(_) => None,
    }
}
