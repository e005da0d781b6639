//! `remisd check`: validates the configuration and prints the effective keys.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::{
    config::{Configuration, Environment, Service, editions},
    daemon::unusable_upload,
};

/// The configuration is valid.
const FINE: u8 = 0;
/// The configuration has errors or cannot be read.
const WRONG: u8 = 2;

/// Reads the configuration as `remisd run` would and returns the exit code.
///
/// Each effective key goes to `out` as TOML, with its origin. Errors and warnings go to `err`, in
/// colour if it is `styled`.
///
/// # Errors
///
/// The operating system's error on `out` or `err`.
pub fn check(
    file: Option<&Path>,
    environment: &Environment,
    out: &mut dyn Write,
    err: &mut dyn Write,
    styled: bool,
) -> io::Result<u8> {
    let read = match Configuration::load(file, environment, &editions()) {
        Ok(read) => read,
        Err(error) => {
            writeln!(err, "{}", error.render(styled))?;
            return Ok(WRONG);
        }
    };
    for warning in read.warnings_for(Service::Run) {
        writeln!(err, "warning: {warning}")?;
    }
    // A credential exists only inside the systemd unit; its absence here proves nothing.
    let unusable = read.config.unusable_secrets();
    let (absent, wrong): (Vec<_>, Vec<_>) = unusable.iter().partition(|one| one.is_absent());
    for unusable in &absent {
        writeln!(err, "warning: {unusable}")?;
    }
    for unusable in &wrong {
        writeln!(err, "error: {unusable}")?;
    }
    let upload = unusable_upload(&read.config.broadcast);
    let upload = upload.filter(|upload| unusable.iter().all(|other| other.key() != upload.key()));
    if let Some(unusable) = &upload {
        writeln!(err, "error: {unusable}")?;
    }
    let mut tried = read.config.mqtt.clone();
    let is_unread = unusable.iter().any(|one| one.key().starts_with("mqtt.key"));
    if is_unread && let Some(tls) = &mut tried.tls {
        tls.identity = None;
    }
    let tls = tried.read_tls().err();
    if let Some(error) = &tls {
        writeln!(err, "error: {error}")?;
    }
    if !wrong.is_empty() || upload.is_some() || tls.is_some() {
        return Ok(WRONG);
    }
    for key in &read.effective {
        match &key.value {
            Some(value) => writeln!(out, "{} = {value}  # {}", key.key, key.origin)?,
            None => writeln!(out, "# {} is not set", key.key)?,
        }
    }
    Ok(FINE)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    const BOARD: &str = "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"/dev/ttyACM0\"\n";

    /// The exit code, and the output on stdout and stderr.
    fn run(text: &str, variables: &[(&str, &str)]) -> (u8, String, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("remisd.toml");
        let password = dir.path().join("password");
        fs::write(&password, "hunter2").unwrap();
        fs::set_permissions(&password, fs::Permissions::from_mode(0o644)).unwrap();
        let text = text.replace("PASSWORD_FILE", &password.to_string_lossy());
        fs::write(&path, text).unwrap();
        let variables = variables.iter().map(|&(k, v)| (k.into(), v.into()));
        let environment = Environment::new(variables);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = check(Some(&path), &environment, &mut out, &mut err, false).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (code, text(out), text(err))
    }

    #[test]
    fn what_is_in_force_is_shown_with_where_it_comes_from() {
        let text = format!("[laws]\nrate = \"rapid\"\n{BOARD}");
        let (code, out, err) = run(&text, &[("REMISD_BOARD_0_HAND_MISMATCH_MS", "700")]);
        assert_eq!(code, 0);
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.starts_with("warning: audience.delay_ms is 0"), "{err}");
        for line in [
            "site.id = \"hall\"  # default",
            "remisd.toml:2",
            "board.0.hand.mismatch_ms = 700  # environment REMISD_BOARD_0_HAND_MISMATCH_MS",
            "# mqtt.username is not set",
        ] {
            assert!(out.contains(line), "{line} in\n{out}");
        }
    }

    #[test]
    fn mistakes_end_with_2_and_leave_stdout_empty() {
        let (code, out, err) = run("[laws]\nrate = \"fast\"\n", &[]);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains("remisd.toml:2:8"), "{err}");
    }

    #[test]
    fn a_computer_without_boards_is_told_for_which_service_that_matters() {
        let (code, _, err) = run("", &[]);
        assert_eq!(code, 0);
        assert!(err.contains("`remisd run` has nothing to read"), "{err}");
        let nothing = Environment::default();
        let read = Configuration::parse("", "remisd.toml", &nothing, &editions()).unwrap();
        let mut of_pages = read.warnings_for(Service::Hall);
        assert!(!of_pages.any(|warning| warning.contains("[[board]]")));
    }

    #[test]
    fn an_exposed_password_file_is_a_mistake() {
        let text = "[mqtt]\nusername = \"u\"\npassword_file = \"PASSWORD_FILE\"\n";
        let (code, _, err) = run(text, &[]);
        assert!(code == 2 && err.contains("chmod 600"), "{err}");
        let text = "[mqtt]\nusername = \"u\"\npassword_credential = \"mqtt-password\"\n";
        let (code, _, err) = run(text, &[]);
        assert!(
            code == 0 && err.contains("LoadCredential=mqtt-password"),
            "{err}"
        );
    }

    #[test]
    fn every_secret_that_cannot_be_used_is_named_with_its_key_and_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            path.display().to_string()
        };
        let text = format!(
            "[http]\npublic_username = \"p\"\npublic_password_file = \"/nowhere/public\"\n\
             [broadcast]\nupload_url = \"sftp://u@h/x\"\nupload_key_file = \"{}\"\n\
             upload_known_hosts = \"/nowhere/known_hosts\"\n\
             [broadcast.lichess]\nrounds = [\"AbCdEfGh\"]\ntoken_file = \"{}\"\n\
             [[notify]]\nkind = \"webhook\"\nurl = \"https://x\"\ntoken_file = \"{}\"\n",
            file("key", "hunter2"),
            file("token", "lip_\u{fc}"),
            file("empty", ""),
        );
        let (code, out, err) = run(&text, &[]);
        assert_eq!((code, out.as_str()), (2, ""));
        for line in [
            "error: http.public_password_file: cannot read the secret in /nowhere/public",
            "error: broadcast.upload_key_file: not a private key",
            "error: broadcast.upload_known_hosts: cannot read /nowhere/known_hosts",
            "error: broadcast.lichess.token_file: the secret is empty or contains characters",
            "error: notify.0.token_file: the secret in",
        ] {
            assert!(err.contains(line), "{line} in\n{err}");
        }
        assert!(!err.contains("hunter2"), "{err}");
        let text = "[broadcast]\nupload_url = \"ftps://u@h\"\nupload_ca_file = \"/nowhere/ca\"\n\
                    upload_password_credential = \"p\"\n";
        let (code, _, err) = run(text, &[]);
        assert!(
            code == 2 && err.contains("error: broadcast.upload_ca_file: /nowhere/ca"),
            "{err}"
        );
        assert!(
            err.contains("warning: broadcast.upload_password_credential: "),
            "{err}"
        );
    }

    #[test]
    fn a_password_is_never_shown() {
        let text = "[mqtt]\nusername = \"u\"\npassword = \"hunter2\"\n";
        let (code, out, err) = run(text, &[]);
        assert_eq!(code, 0);
        assert!(err.contains("in plain text"), "{err}");
        assert!(!out.contains("hunter2") && !err.contains("hunter2"));
    }
}
