//! Files sent by SFTP, version 3 of the protocol, which all servers have.
//!
//! ```text
//!  open round-3/game-1.pgn.tmp ─▶ write … ─▶ fsync ─▶ close ─▶ posix-rename to game-1.pgn
//! ```
//!
//! `posix-rename@openssh.com` replaces a file atomically. A server without it refuses a name that
//! is taken: there the old file is set aside first, see [`exchange`].

use std::{collections::HashMap, sync::Arc, time::Duration};

use russh::{
    AlgorithmKind, Preferred,
    client::{self, KeyboardInteractiveAuthResponse as Prompted},
    keys::{PrivateKeyWithHashAlg, PublicKey, PublicKeyOrCertificate},
};
use russh_sftp::{
    client::{Config, RawSftpSession, error::Error as SftpError},
    protocol::{FileAttributes, OpenFlags, Packet, StatusCode},
};

use super::{
    Address, Connection, HostKeys, Login, Reason, RemoteFile, Server, UploadError,
    exchange::{Names, exchange},
    hostkeys::{fingerprint, is_same_kind},
};

/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(20);
/// After how long without a sign of life the server is asked for one.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// The bytes in one packet: every server takes 32 KiB with the rest of the packet.
const CHUNK: usize = 30 * 1024;
/// Questions that a server may ask before the login fails.
const MOST_PROMPTS: usize = 4;

/// An SFTP server.
#[derive(Debug, Clone)]
pub struct Sftp {
    /// The server, the user and the folder.
    pub address: Address,
    /// How the user logs in.
    pub login: Login,
    /// How the server proves who it is.
    pub host_keys: HostKeys,
}

/// A connection to an SFTP server.
pub struct SftpConnection {
    session: RawSftpSession,
    /// What the server can do besides the standard.
    extensions: HashMap<String, String>,
    address: Address,
    /// Without it, the connection ends.
    _ssh: client::Handle<Guard>,
}

/// Lets only the known server through.
struct Guard(HostKeys);

/// Why there is no connection.
#[derive(Debug)]
enum SshError {
    /// The server shows another key.
    Stranger(PublicKey),
    /// The server shows a certificate, which nobody has asked for.
    Certificate,
    /// Anything else.
    Ssh(russh::Error),
}

impl From<russh::Error> for SshError {
    fn from(error: russh::Error) -> Self {
        Self::Ssh(error)
    }
}

impl client::Handler for Guard {
    type Error = SshError;

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, SshError> {
        match shown {
            PublicKeyOrCertificate::PublicKey { key, .. } if self.0.has(key) => Ok(true),
            PublicKeyOrCertificate::PublicKey { key, .. } => Err(SshError::Stranger(key.clone())),
            PublicKeyOrCertificate::Certificate(_) => Err(SshError::Certificate),
        }
    }
}

impl Server for Sftp {
    type Connection = SftpConnection;

    async fn connect(&self) -> Result<SftpConnection, UploadError> {
        let mut ssh = self.greet().await?;
        self.log_in(&mut ssh).await?;
        let channel = ssh.channel_open_session().await.map_err(lost)?;
        channel
            .request_subsystem(true, "sftp")
            .await
            .map_err(lost)?;
        let config = Config {
            request_timeout_secs: ANSWER.as_secs(),
            ..Config::default()
        };
        let session = RawSftpSession::new_with_config(channel.into_stream(), config);
        let version = session
            .init()
            .await
            .map_err(|error| UploadError::Closed(Reason::new(format_args!("no SFTP: {error}"))))?;
        Ok(SftpConnection {
            session,
            extensions: version.extensions,
            address: self.address.clone(),
            _ssh: ssh,
        })
    }
}

impl Sftp {
    /// Connects to the configured server and to no other.
    ///
    /// A server has keys of several kinds, and shows one of a kind that it is asked for. A
    /// fingerprint does not say its kind. So after a key that is not known, the server is asked for
    /// the kinds that are left.
    async fn greet(&self) -> Result<client::Handle<Guard>, UploadError> {
        let mut kinds = self.host_keys.kinds(&Preferred::default().key);
        let mut strangers = Vec::new();
        loop {
            let config = client::Config {
                keepalive_interval: Some(KEEPALIVE),
                nodelay: true,
                preferred: Preferred {
                    key: kinds.clone().into(),
                    ..Preferred::default()
                },
                ..client::Config::default()
            };
            let server = (self.address.host(), self.address.port());
            let guard = Guard(self.host_keys.clone());
            match client::connect(Arc::new(config), server, guard).await {
                Ok(ssh) => return Ok(ssh),
                Err(SshError::Stranger(key)) => {
                    kinds.retain(|kind| !is_same_kind(kind, &key.algorithm()));
                    strangers.push(key);
                    if kinds.is_empty() {
                        return Err(unknown(&strangers));
                    }
                }
                Err(SshError::Ssh(russh::Error::NoCommonAlgo {
                    kind: AlgorithmKind::Key,
                    ..
                })) if !strangers.is_empty() => return Err(unknown(&strangers)),
                Err(SshError::Ssh(russh::Error::NoCommonAlgo {
                    kind: AlgorithmKind::Key,
                    ..
                })) => {
                    let kinds: Vec<_> = kinds.iter().map(ToString::to_string).collect();
                    let reason = format!("no host key of a known kind: {}", kinds.join(", "));
                    return Err(UploadError::HostKey(Reason::new(reason)));
                }
                Err(error) => return Err(unconnected(error)),
            }
        }
    }

    async fn log_in(&self, ssh: &mut client::Handle<Guard>) -> Result<(), UploadError> {
        let user = self.address.user();
        let result = match &self.login {
            Login::Key(key) => {
                let hash = ssh.best_supported_rsa_hash().await.map_err(lost)?.flatten();
                let key = PrivateKeyWithHashAlg::new(key.shared(), hash);
                ssh.authenticate_publickey(user, key).await
            }
            Login::Password(password) => ssh.authenticate_password(user, password).await,
        };
        let remaining = match result.map_err(lost)? {
            client::AuthResult::Success => return Ok(()),
            client::AuthResult::Failure {
                remaining_methods, ..
            } => remaining_methods,
        };
        // Some servers take passwords only as the answer to a question.
        if let Login::Password(password) = &self.login
            && remaining.contains(&russh::MethodKind::KeyboardInteractive)
            && answer_prompts(ssh, user, password).await.map_err(lost)?
        {
            return Ok(());
        }
        if ssh.is_closed() {
            return Err(UploadError::Lost(Reason::new(
                "the server closed it during the login",
            )));
        }
        let what = match self.login {
            Login::Password(_) => "password",
            Login::Key(_) => "key",
        };
        let reason = format_args!("the {what} of the user {user} was not accepted");
        Err(UploadError::Login(Reason::new(reason)))
    }
}

/// Answers a server's questions for the password. Returns whether the user is logged in.
async fn answer_prompts(
    ssh: &mut client::Handle<Guard>,
    user: &str,
    password: &str,
) -> Result<bool, russh::Error> {
    let start = ssh.authenticate_keyboard_interactive_start(user, None);
    let mut reply = start.await?;
    for _ in 0..MOST_PROMPTS {
        let answers: Vec<String> = match reply {
            Prompted::Success => return Ok(true),
            Prompted::Failure { .. } => return Ok(false),
            // A question with an echo asks for something else.
            Prompted::InfoRequest { prompts, .. } if prompts.iter().any(|one| one.echo) => {
                return Ok(false);
            }
            Prompted::InfoRequest { prompts, .. } => {
                prompts.iter().map(|_| password.to_owned()).collect()
            }
        };
        let next = ssh.authenticate_keyboard_interactive_respond(answers);
        reply = next.await?;
    }
    Ok(matches!(reply, Prompted::Success))
}

impl Connection for SftpConnection {
    async fn has(&mut self, file: &RemoteFile) -> Result<bool, UploadError> {
        let path = self.address.path(&file.to_string());
        Names::is_file(&mut &self.session, &path)
            .await
            .map_err(failed)
    }

    async fn remove(&mut self, file: &RemoteFile) -> Result<(), UploadError> {
        let path = self.address.path(&file.to_string());
        Names::remove(&mut &self.session, &path)
            .await
            .map_err(failed)
    }

    async fn put(&mut self, file: &RemoteFile, content: &[u8]) -> Result<(), UploadError> {
        let path = self.address.path(&file.to_string());
        let draft = format!("{path}.tmp");
        let handle = match self.create(&draft).await {
            Err(SftpError::Status(status)) if status.status_code == StatusCode::NoSuchFile => {
                self.make_folders(&self.address.path(&file.folder()))
                    .await?;
                self.create(&draft).await
            }
            other => other,
        };
        let handle = handle.map_err(failed)?;
        let written = self.write(&handle, content).await;
        let closed = self.session.close(&handle).await;
        let moved = match written.and(closed.map(drop)) {
            Ok(()) => self.replace(&draft, &path).await,
            Err(error) => Err(error),
        };
        moved.map_err(failed)
    }
}

impl SftpConnection {
    async fn create(&self, path: &str) -> Result<String, SftpError> {
        let flags = OpenFlags::CREATE | OpenFlags::WRITE | OpenFlags::TRUNCATE;
        let handle = self.session.open(path, flags, FileAttributes::empty());
        Ok(handle.await?.handle)
    }

    async fn write(&self, handle: &str, content: &[u8]) -> Result<(), SftpError> {
        let mut offset = 0;
        for chunk in content.chunks(CHUNK) {
            self.session.write(handle, offset, chunk.to_vec()).await?;
            offset += chunk.len() as u64;
        }
        if self.extensions.contains_key("fsync@openssh.com") {
            self.session.fsync(handle).await?;
        }
        Ok(())
    }

    /// Makes a folder and those above it, as far as they are missing.
    async fn make_folders(&self, path: &str) -> Result<(), UploadError> {
        let ends = path
            .match_indices('/')
            .map(|(at, _)| at)
            .filter(|at| *at > 0);
        for end in ends.chain([path.len()]) {
            let made = self
                .session
                .mkdir(&path[..end], FileAttributes::empty())
                .await;
            match made {
                // It is there, or the file cannot be created either.
                Ok(_) | Err(SftpError::Status(_)) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }

    /// Gives a draft its name.
    async fn replace(&self, draft: &str, path: &str) -> Result<(), SftpError> {
        if self.extensions.contains_key(POSIX_RENAME) {
            let names = [string(draft), string(path)].concat();
            return match self.session.extended(POSIX_RENAME, names).await? {
                Packet::Status(status) if status.status_code == StatusCode::Ok => Ok(()),
                Packet::Status(status) => Err(status.into()),
                _ => Err(SftpError::UnexpectedPacket),
            };
        }
        match self.session.rename(draft, path).await {
            Err(refused @ SftpError::Status(_)) => {
                exchange(&mut &self.session, draft, path, refused).await
            }
            other => other.map(drop),
        }
    }
}

impl Names for &RawSftpSession {
    type Error = SftpError;

    async fn rename(&mut self, from: &str, to: &str) -> Result<(), SftpError> {
        RawSftpSession::rename(self, from, to).await.map(drop)
    }

    async fn remove(&mut self, path: &str) -> Result<(), SftpError> {
        RawSftpSession::remove(self, path).await.map(drop)
    }

    async fn is_file(&mut self, path: &str) -> Result<bool, SftpError> {
        match self.lstat(path).await {
            Ok(found) => Ok(found.attrs.file_type().is_file()),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Whether an error says that a file is not there.
fn is_absent(error: &SftpError) -> bool {
    matches!(error, SftpError::Status(status) if status.status_code == StatusCode::NoSuchFile)
}

/// Replaces a file, unlike the standard's rename (OpenSSH's `PROTOCOL`, 4.3).
const POSIX_RENAME: &str = "posix-rename@openssh.com";

/// A string of the protocol: its length in four bytes, then its bytes.
fn string(text: &str) -> Vec<u8> {
    // A path of the configuration is far shorter than 4 GiB.
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], text.as_bytes()].concat()
}

/// The server shows keys that are not known.
fn unknown(keys: &[PublicKey]) -> UploadError {
    let shown = keys
        .iter()
        .map(|key| format!("{} ({})", fingerprint(key), key.algorithm()));
    let shown: Vec<_> = shown.collect();
    let reason = format!("its host key is {}", shown.join(" and "));
    UploadError::HostKey(Reason::new(reason))
}

fn unconnected(error: SshError) -> UploadError {
    match error {
        SshError::Stranger(key) => unknown(&[key]),
        SshError::Certificate => UploadError::HostKey(Reason::new(
            "it presents a certificate instead of a host key",
        )),
        SshError::Ssh(russh::Error::NoCommonAlgo { kind, .. }) => UploadError::Unreachable(
            Reason::new(format_args!("there is no algorithm in common for {kind:?}")),
        ),
        SshError::Ssh(error) => UploadError::Unreachable(Reason::new(error)),
    }
}

fn lost(error: russh::Error) -> UploadError {
    UploadError::Lost(Reason::new(error))
}

fn failed(error: SftpError) -> UploadError {
    match error {
        SftpError::Status(status) => match status.status_code {
            StatusCode::NoConnection | StatusCode::ConnectionLost => {
                UploadError::Lost(Reason::new(status.error_message))
            }
            code => {
                let code = code.to_string();
                let said = status.error_message;
                let reason = if said.is_empty() || said.eq_ignore_ascii_case(&code) {
                    Reason::new(code)
                } else {
                    Reason::new(format_args!("{code}: {said}"))
                };
                UploadError::Refused(reason)
            }
        },
        SftpError::Timeout => UploadError::Timeout(ANSWER.as_secs()),
        error => UploadError::Lost(Reason::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_its_length_before_it() {
        assert_eq!(string("ab"), [0, 0, 0, 2, b'a', b'b']);
    }

    #[test]
    fn only_a_missing_file_is_absent() {
        let answer = |code| {
            let status = russh_sftp::protocol::Status {
                id: 1,
                status_code: code,
                error_message: String::new(),
                language_tag: String::new(),
            };
            is_absent(&SftpError::Status(status))
        };
        assert!(answer(StatusCode::NoSuchFile));
        let unclear = [
            StatusCode::PermissionDenied,
            StatusCode::Failure,
            StatusCode::OpUnsupported,
        ];
        assert!(!unclear.into_iter().any(answer));
        assert!(!is_absent(&SftpError::Timeout));
    }
}
