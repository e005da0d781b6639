//! The broker user that reads for the public pages, and why those show nothing without it.
//!
//! It is the one of `http.public_username`, and not that of `[mqtt]`. All sites share it.

use super::{Hall, upstream::ConnectionState};

/// The address, or the broker itself.
const UNREACHABLE: &str = "unreachable";
/// The broker admits nobody without a user.
const NO_USER: &str = "no_public_user";
/// The broker refuses the user or the password.
const REFUSED: &str = "public_user_refused";
/// What does not work without the user, for the log.
const COST: &str =
    "start page, overlays, standings and PGN show no game; pages with a sign-in work";

/// Why the public's topics are not read, as `api/site` says it; `None` if they are.
pub(super) fn fault(hall: &Hall) -> Option<&'static str> {
    match *hall.public.state().borrow() {
        ConnectionState::Up => None,
        ConnectionState::Connecting | ConnectionState::Lost(_) => Some(UNREACHABLE),
        ConnectionState::Refused(_) if user(hall).is_none() => Some(NO_USER),
        ConnectionState::Refused(_) => Some(REFUSED),
    }
}

/// Logs who reads for the public, and once why the broker does not admit that user.
pub(super) async fn report(hall: &Hall) {
    if let Some(user) = user(hall) {
        tracing::info!("the public pages read the broker as {user:?}");
    } else {
        tracing::info!(
            "the public pages read the broker without a user: http.public_username is not set"
        );
    }
    let (mut access, mut state) = (hall.settings.access.clone(), hall.public.state());
    let (mut is_refused, mut is_reported) = (false, false);
    loop {
        tokio::select! {
            () = access.changed() => {
                is_reported = false;
                continue;
            }
            changed = state.changed() => if changed.is_err() {
                return;
            }
        }
        let now = state.borrow_and_update().clone();
        match now {
            ConnectionState::Refused(why) => {
                is_refused = true;
                if !is_reported {
                    warn(user(hall), &why);
                }
                is_reported = true;
            }
            ConnectionState::Up if is_refused => {
                (is_refused, is_reported) = (false, false);
                tracing::info!("the broker admits the public pages again");
            }
            _ => {}
        }
    }
}

fn warn(user: Option<String>, why: &str) {
    if let Some(user) = user {
        tracing::warn!(
            "the broker refuses {user:?}, the user of http.public_username, or its password \
             ({why}): {COST}"
        );
    } else {
        tracing::warn!(
            "the broker admits nobody without a user ({why}), and http.public_username is not \
             set: {COST}"
        );
    }
}

fn user(hall: &Hall) -> Option<String> {
    let credentials = hall.settings.access.get().credentials;
    credentials.map(|credentials| credentials.username)
}
