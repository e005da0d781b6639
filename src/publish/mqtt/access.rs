//! What a client presents to the broker, which may change while it runs.

use std::{fmt, future::pending};

use tokio::sync::watch;

use super::tls::Tls;

/// The credentials presented to the broker.
#[derive(Clone)]
pub struct Credentials {
    /// The user name.
    pub username: String,
    /// The password; never shown.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({}, …)", self.username)
    }
}

/// The access settings, which may change while the daemon runs.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The credentials, if the broker requires any.
    pub credentials: Option<Credentials>,
    /// The TLS settings; `None` for a broker without TLS.
    pub tls: Option<Tls>,
}

/// The access settings of a client. Each connection takes the latest ones.
#[derive(Debug, Clone)]
pub struct CurrentAccess {
    latest: watch::Receiver<Access>,
    user: User,
}

/// Who connects.
#[derive(Debug, Clone)]
enum User {
    OfSettings,
    Other(Option<Credentials>),
}

impl CurrentAccess {
    /// Settings that may change.
    #[must_use]
    pub fn following(latest: watch::Receiver<Access>) -> Self {
        Self {
            latest,
            user: User::OfSettings,
        }
    }

    /// Settings that never change.
    #[must_use]
    pub fn fixed(access: Access) -> Self {
        Self::following(watch::channel(access).1)
    }

    /// The same for another user, or for nobody: TLS still follows.
    #[must_use]
    pub fn of_user(&self, credentials: Option<Credentials>) -> Self {
        Self {
            latest: self.latest.clone(),
            user: User::Other(credentials),
        }
    }

    /// The latest settings.
    #[must_use]
    pub fn get(&self) -> Access {
        let mut access = self.latest.borrow().clone();
        if let User::Other(credentials) = &self.user {
            access.credentials.clone_from(credentials);
        }
        access
    }

    /// Waits for a change since the last one that was waited for. Cancel-safe.
    pub async fn changed(&mut self) {
        if self.latest.changed().await.is_err() {
            pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(user: &str) -> Credentials {
        Credentials {
            username: user.to_owned(),
            password: "secret".to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_reaches_clients_and_leaves_another_user_alone() {
        let (to, latest) = watch::channel(Access::default());
        let mut own = CurrentAccess::following(latest);
        let other = own.of_user(Some(credentials("arbiter")));
        assert!(own.get().credentials.is_none());
        to.send_replace(Access {
            credentials: Some(credentials("public")),
            tls: None,
        });
        own.changed().await;
        let users = [&own, &other].map(|access| access.get().credentials.unwrap().username);
        assert_eq!(users, ["public", "arbiter"]);
        drop(to);
        let never = tokio::time::timeout(std::time::Duration::from_mins(1), own.changed());
        assert!(never.await.is_err(), "nothing changes any more");
    }
}
