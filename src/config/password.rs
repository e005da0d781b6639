//! Secrets that a section names by a file or a credential, and passwords, which need a user.

use super::{
    problem::Problem,
    secret::SecretSource,
    validate::{Check, span},
    value::{Key, Origin},
};

/// One of several keys for a secret: its path, origin and value.
pub(super) type Given<'a> = (&'a str, &'a Origin, Option<SecretSource>);

/// A key with its path in the configuration.
pub(super) type Named<'a> = (&'a str, &'a Key<String>);

impl Check<'_> {
    /// Returns the secret in a file or a credential, with the key that names it. Refuses both at
    /// once.
    pub(super) fn secret<'a>(
        &mut self,
        what: &str,
        (file_path, file): Named<'a>,
        (credential_path, credential): Named<'a>,
    ) -> Option<Given<'a>> {
        let in_file = self.text(file_path, file);
        let in_file = in_file.map(|file| SecretSource::File(file.into()));
        let as_credential = self.credential(credential_path, credential);
        self.one_of(
            what,
            [
                (file_path, &file.origin, in_file),
                (credential_path, &credential.origin, as_credential),
            ],
        )
    }

    /// Returns the first of the alternative keys that is set, and refuses any further one.
    pub(super) fn one_of<'a, const N: usize>(
        &mut self,
        what: &str,
        keys: [Given<'a>; N],
    ) -> Option<Given<'a>> {
        let allowed: Vec<&str> = (keys.iter())
            .map(|(key, ..)| key.rsplit_once('.').map_or(*key, |(_, name)| name))
            .collect();
        let allowed = format!("allowed: one of {}", allowed.join(", "));
        let mut given = keys.into_iter().filter(|(_, _, source)| source.is_some());
        let first = given.next()?;
        for (key, origin, _) in given {
            self.problems.push(Problem {
                key: key.to_owned(),
                origin: origin.clone(),
                message: format!("{what} is given by {} already", first.0),
                allowed: allowed.clone(),
                beside: span(first.1).map(|span| (span, "given here")),
            });
        }
        Some(first)
    }

    /// Returns the password of a user, in a file or a credential. Refuses one without a user.
    pub(super) fn password(
        &mut self,
        user: Named<'_>,
        file: Named<'_>,
        credential: Named<'_>,
    ) -> Option<SecretSource> {
        let (key, origin, source) = self.secret("the password", file, credential)?;
        self.needs_user(key, origin, user);
        source
    }

    /// Refuses a password without a user.
    pub(super) fn needs_user(&mut self, key: &str, origin: &Origin, (path, user): Named<'_>) {
        if user.value.is_none() {
            self.is_alone(key, origin, "there is a password but no user", path);
        }
    }

    /// Refuses a secret that nothing would use.
    pub(super) fn lacks(&mut self, key: &str, origin: &Origin, path: &str) {
        self.is_alone(key, origin, "it has no effect alone", path);
    }

    fn is_alone(&mut self, key: &str, origin: &Origin, message: &str, path: &str) {
        self.problems.push(Problem {
            key: key.to_owned(),
            origin: origin.clone(),
            message: message.to_owned(),
            allowed: format!("set {path} as well"),
            beside: None,
        });
    }
}
