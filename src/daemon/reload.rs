//! Applies a changed configuration without a restart.
//!
//! User, password, certificates and key take effect at the next connection to the broker: those of
//! the daemon's session, and those of the readers of the public's topics. Everything else determines
//! what is on the boards, in the topics or on the pages; a change to it is logged as needing a
//! restart.

use anyhow::Context as _;
use tokio::sync::watch;

use crate::{
    config::{Config, Http, Mqtt, Service},
    hall::public_access,
    publish::mqtt::{Access, Credentials, CurrentAccess},
};

/// What the readers of the public's topics present to the broker, or why that cannot be read.
pub(crate) type PublicAccess = Result<CurrentAccess, String>;

/// Reads the credentials and the TLS settings for the broker from the configuration.
///
/// # Errors
///
/// Fails if a password, a certificate or a key cannot be read.
pub(super) fn access(mqtt: &Mqtt) -> anyhow::Result<Access> {
    let credentials = match (&mqtt.username, &mqtt.password) {
        (Some(username), password) => Some(Credentials {
            username: username.clone(),
            password: match password {
                Some(source) => source.read_of("mqtt.password")?.reveal().to_owned(),
                None => String::new(),
            },
        }),
        (None, _) => None,
    };
    let tls = mqtt.read_tls().context("TLS to the broker")?;
    Ok(Access { credentials, tls })
}

/// Reads what the readers of the public's topics present to the broker, and returns where to send
/// what they are to present later. Without it they do not start.
pub(crate) fn public(config: &Config) -> (Option<watch::Sender<Access>>, PublicAccess) {
    match public_access(config) {
        Ok(access) => {
            let (to, access) = watch::channel(access);
            (Some(to), Ok(CurrentAccess::following(access)))
        }
        Err(error) => (None, Err(error.to_string())),
    }
}

/// Where changed access settings go.
#[derive(Debug)]
pub(crate) struct Renewal {
    /// To the daemon's session; `None` for the pages alone.
    pub(crate) session: Option<watch::Sender<Access>>,
    /// To the readers of the public's topics; `None` if they could not start.
    pub(crate) public: Option<watch::Sender<Access>>,
}

impl Renewal {
    /// Applies each new configuration as far as possible. `in_force` is the one that the service has
    /// started with; one that came meanwhile is applied, too.
    pub(crate) async fn follow(
        self,
        in_force: Config,
        mut config: watch::Receiver<Config>,
        service: Service,
    ) {
        while config.changed().await.is_ok() {
            let new = config.borrow_and_update().clone();
            for section in needs_restart(&in_force, &new, service) {
                tracing::warn!("{section} has changed: restart to apply it");
            }
            self.take_up(&new);
        }
    }

    fn take_up(&self, new: &Config) {
        if let Some(session) = &self.session {
            renew(
                "user, password and certificates",
                access(&new.mqtt),
                session,
            );
        }
        if let Some(public) = &self.public {
            let access = public_access(new).map_err(anyhow::Error::from);
            renew(
                "the public pages' user, password and certificates",
                access,
                public,
            );
        } else {
            tracing::warn!("the reader of the public topics has not started: restart to try again");
        }
    }
}

fn renew(what: &str, access: anyhow::Result<Access>, to: &watch::Sender<Access>) {
    match access {
        Ok(renewed) => {
            to.send_replace(renewed);
            tracing::info!("{what} apply from the next connection to the broker");
        }
        Err(error) => {
            tracing::error!("{what} are not applied, the old ones stay in force: {error:#}");
        }
    }
}

/// Returns the changed sections that only a restart can apply, of those that the service uses.
fn needs_restart(old: &Config, new: &Config, service: Service) -> Vec<&'static str> {
    let Config {
        site,
        mqtt,
        laws,
        audience,
        limits,
        journal,
        http,
        broadcast,
        livechess,
        private_rounds,
        notify,
        tournaments,
        boards,
    } = old;
    let broker = (&mqtt.brokers, &mqtt.client_id) != (&new.mqtt.brokers, &new.mqtt.client_id);
    let home_assistant = mqtt.home_assistant != new.mqtt.home_assistant;
    let pages = with_public_user_of(http, &new.http) != new.http;
    let of_both = [
        ("[site]", *site != new.site),
        ("mqtt.url or mqtt.client_id", broker),
        ("[audience]", *audience != new.audience),
        ("[journal]", *journal != new.journal),
        ("[http]", pages),
        ("[[tournament]]", *tournaments != new.tournaments),
    ];
    let of_daemon = [
        ("mqtt.home_assistant", home_assistant),
        ("[laws]", *laws != new.laws),
        ("[limits]", *limits != new.limits),
        ("[broadcast]", *broadcast != new.broadcast),
        ("[livechess]", *livechess != new.livechess),
        ("[private_rounds]", *private_rounds != new.private_rounds),
        ("[[notify]]", *notify != new.notify),
        ("[[board]]", *boards != new.boards),
    ];
    let of_daemon = of_daemon.into_iter().filter(|_| service == Service::Run);
    let changed = of_both
        .into_iter()
        .chain(of_daemon)
        .filter(|(_, changed)| *changed);
    changed.map(|(section, _)| section).collect()
}

/// The section `[http]` with another public user, whose change needs no restart.
fn with_public_user_of(http: &Http, other: &Http) -> Http {
    Http {
        public_username: other.public_username.clone(),
        public_password: other.public_password.clone(),
        ..http.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Configuration, Environment, editions};

    fn config(text: &str) -> Config {
        let nothing = Environment::default();
        Configuration::parse(text, "remisd.toml", &nothing, &editions())
            .unwrap()
            .config
    }

    #[test]
    fn what_wants_a_restart_is_named() {
        let old = config("");
        assert!(needs_restart(&old, &old, Service::Run).is_empty());
        let user = "[mqtt]\nusername = \"u\"\npassword = \"p\"\n\
                    [http]\npublic_username = \"public\"\npublic_password_file = \"/p\"\n";
        assert!(needs_restart(&old, &config(user), Service::Run).is_empty());
        let laws = config("[laws]\nrate = \"blitz\"\n[mqtt]\nurl = \"mqtt://other\"\n");
        let named = needs_restart(&old, &laws, Service::Run);
        assert_eq!(named, ["mqtt.url or mqtt.client_id", "[laws]"]);
        let named = needs_restart(&old, &laws, Service::Hall);
        assert_eq!(named, ["mqtt.url or mqtt.client_id"], "pages have no laws");
        let sites = config("[http]\nsites = [\"club-b\"]\n");
        for service in [Service::Run, Service::Hall] {
            assert_eq!(needs_restart(&old, &sites, service), ["[http]"]);
        }
    }

    #[tokio::test]
    async fn a_password_is_taken_up_and_a_bad_file_changes_nothing() {
        let (sender, receiver) = watch::channel(config(""));
        let (access_to, mut renewed) = watch::channel(Access::default());
        let (public_to, mut public) = watch::channel(Access::default());
        let renewal = Renewal {
            session: Some(access_to),
            public: Some(public_to),
        };
        // This one comes while the service starts.
        sender.send_replace(config("[mqtt]\nusername = \"u\"\npassword = \"first\"\n"));
        let task = tokio::spawn(renewal.follow(config(""), receiver, Service::Run));
        renewed.changed().await.unwrap();
        let access = renewed.borrow_and_update().clone();
        assert_eq!(access.credentials.unwrap().password, "first");
        public.borrow_and_update();
        sender.send_replace(config(
            "[mqtt]\nusername = \"u\"\npassword_file = \"/nowhere\"\n",
        ));
        tokio::task::yield_now().await;
        assert!(!renewed.has_changed().unwrap());
        assert!(
            public.has_changed().unwrap(),
            "the public's user is another one"
        );
        sender.send_replace(config("[mqtt]\nusername = \"u\"\npassword = \"p\"\n"));
        renewed.changed().await.unwrap();
        let access = renewed.borrow().clone();
        assert_eq!(access.credentials.unwrap().password, "p");
        drop(sender);
        task.await.unwrap();
    }
}
