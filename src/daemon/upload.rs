//! The upload of PGN files as the configuration wants it.

use std::{pin::Pin, sync::Arc};

use tokio::sync::watch;

use crate::config::{
    Broadcast, HostKeySource, SshLogin, UPLOAD_AUTHORIZATION, UPLOAD_KEY, UPLOAD_PASSWORD,
    Unusable, Upload as Configured,
};
use remisd_broadcast::{
    ExitReport,
    http::Published,
    upload::{Authorities, Ftps, HostKeys, HttpPut, Login, Session, Sftp, Upload},
};
use remisd_transport::Https;
use remisd_vocabulary::time::Clock;

/// The way to the configured server.
pub(super) enum Way {
    Put(HttpPut<Https>),
    Sftp(Session<Sftp>),
    Ftps(Session<Ftps>),
}

impl Way {
    /// Reads the secrets, the keys and the certificates.
    ///
    /// # Errors
    ///
    /// The key that names one which cannot be used.
    fn of(upload: &Configured) -> Result<Self, Unusable> {
        Ok(match upload {
            Configured::Http { url, authorization } => {
                let authorization = authorization.as_ref();
                Self::Put(HttpPut {
                    transport: Https::new()
                        .map_err(|error| Unusable::new("broadcast.upload_url", &error))?,
                    url: url.clone(),
                    authorization: authorization
                        .map(|source| source.token_of(UPLOAD_AUTHORIZATION))
                        .transpose()?,
                })
            }
            Configured::Sftp {
                address,
                login,
                host_keys,
            } => {
                // What lies in the open is read first: `remisd check` may have no credentials.
                let host_keys = match host_keys {
                    HostKeySource::Fingerprints(list) => HostKeys::with_fingerprints(list.clone()),
                    HostKeySource::KnownHosts(file) => HostKeys::in_file(file, address)
                        .map_err(|error| Unusable::new("broadcast.upload_known_hosts", &error))?,
                };
                let login = match login {
                    SshLogin::Password(source) => {
                        Login::Password(source.read_of(UPLOAD_PASSWORD)?.reveal().to_owned())
                    }
                    SshLogin::Key(source) => Login::Key(source.ssh_key_of(UPLOAD_KEY)?),
                };
                Self::Sftp(Session::new(Sftp {
                    address: address.clone(),
                    login,
                    host_keys,
                }))
            }
            Configured::Ftps {
                address,
                password,
                ca_file,
            } => {
                let authorities = match ca_file {
                    Some(file) => Authorities::in_file(file),
                    None => Authorities::of_the_system(),
                };
                let authorities = authorities
                    .map_err(|error| Unusable::new("broadcast.upload_ca_file", &error))?;
                Self::Ftps(Session::new(Ftps {
                    address: address.clone(),
                    password: password.read_of(UPLOAD_PASSWORD)?.reveal().to_owned(),
                    authorities,
                }))
            }
        })
    }

    /// The configured upload, if there is one.
    ///
    /// # Errors
    ///
    /// The key that names something which cannot be used.
    pub(super) fn configured(broadcast: &Broadcast) -> Result<Option<Self>, Unusable> {
        broadcast.upload.as_ref().map(Self::of).transpose()
    }

    /// Uploads until the sender of `texts` is gone.
    pub(super) fn run(
        self,
        upload: Upload,
        texts: watch::Receiver<Published>,
        report: watch::Sender<ExitReport>,
        clock: Arc<dyn Clock>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        match self {
            Self::Put(put) => Box::pin(upload.run(put, texts, report, clock)),
            Self::Sftp(session) => Box::pin(upload.run(session, texts, report, clock)),
            Self::Ftps(session) => Box::pin(upload.run(session, texts, report, clock)),
        }
    }
}

/// What the upload needs and cannot be used.
#[must_use]
pub fn unusable_upload(broadcast: &Broadcast) -> Option<Unusable> {
    Way::configured(broadcast).err()
}
