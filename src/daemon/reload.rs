//! Applies a changed configuration without a restart.
//!
//! User, password, certificates and key take effect at the next connection to the broker.
//! Everything else determines what is on the boards or in the topics; a change to it is logged as
//! needing a restart.

use anyhow::Context as _;
use tokio::sync::watch;

use crate::{
    config::{Config, Mqtt},
    publish::mqtt::{Access, Credentials},
};

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

/// Applies each new configuration as far as possible.
pub(super) async fn apply_changes(
    mut config: watch::Receiver<Config>,
    access_to: watch::Sender<Access>,
) {
    let mut in_force = config.borrow_and_update().clone();
    while config.changed().await.is_ok() {
        let new = config.borrow_and_update().clone();
        for section in needs_restart(&in_force, &new) {
            tracing::warn!("{section} has changed: restart to take it up");
        }
        match access(&new.mqtt) {
            Ok(renewed) => {
                access_to.send_replace(renewed);
                in_force.mqtt.clone_from(&new.mqtt);
                tracing::info!(
                    "user, password and certificates are taken up with the next connection to the broker"
                );
            }
            Err(error) => tracing::error!("nothing is taken up, the old stays in force: {error:#}"),
        }
    }
}

/// Returns the changed sections that only a restart can apply.
fn needs_restart(old: &Config, new: &Config) -> Vec<&'static str> {
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
    let changed = [
        ("[site]", *site != new.site),
        ("mqtt.url or mqtt.client_id", broker),
        ("mqtt.home_assistant", home_assistant),
        ("[laws]", *laws != new.laws),
        ("[audience]", *audience != new.audience),
        ("[limits]", *limits != new.limits),
        ("[journal]", *journal != new.journal),
        ("[http]", *http != new.http),
        ("[broadcast]", *broadcast != new.broadcast),
        ("[livechess]", *livechess != new.livechess),
        ("[private_rounds]", *private_rounds != new.private_rounds),
        ("[[notify]]", *notify != new.notify),
        ("[[tournament]]", *tournaments != new.tournaments),
        ("[[board]]", *boards != new.boards),
    ];
    let changed = changed.into_iter().filter(|(_, changed)| *changed);
    changed.map(|(section, _)| section).collect()
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
        assert!(needs_restart(&old, &old).is_empty());
        let user = config("[mqtt]\nusername = \"u\"\npassword = \"p\"\n");
        assert!(needs_restart(&old, &user).is_empty());
        let laws = config("[laws]\nrate = \"blitz\"\n[mqtt]\nurl = \"mqtt://other\"\n");
        let named = needs_restart(&old, &laws);
        assert_eq!(named, ["mqtt.url or mqtt.client_id", "[laws]"]);
    }

    #[tokio::test]
    async fn a_password_is_taken_up_and_a_bad_file_changes_nothing() {
        let (sender, receiver) = watch::channel(config(""));
        let (access_to, mut renewed) = watch::channel(Access::default());
        let task = tokio::spawn(apply_changes(receiver, access_to));
        tokio::task::yield_now().await;
        sender.send_replace(config(
            "[mqtt]\nusername = \"u\"\npassword_file = \"/nowhere\"\n",
        ));
        tokio::task::yield_now().await;
        assert!(!renewed.has_changed().unwrap());
        sender.send_replace(config("[mqtt]\nusername = \"u\"\npassword = \"p\"\n"));
        renewed.changed().await.unwrap();
        let access = renewed.borrow().clone();
        assert_eq!(access.credentials.unwrap().password, "p");
        drop(sender);
        task.await.unwrap();
    }
}
