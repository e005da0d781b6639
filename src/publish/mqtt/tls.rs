//! TLS to the broker.
//!
//! The client library's own TLS support depends on releases with known vulnerabilities. Instead,
//! the library connects to a Unix socket in a private directory, and a bridge carries that traffic
//! over our own TLS connection:
//!
//! ```text
//! client library ── Unix socket (0700) ── bridge ══ TLS 1.2, 1.3 ══ broker
//! ```
//!
//! The broker's certificate must be valid for the name in its URL. This check cannot be disabled.

use std::{
    fmt,
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpStream, UnixListener},
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{
            CertificateDer, PrivateKeyDer, ServerName,
            pem::{self, PemObject as _},
        },
    },
};

use super::BrokerUrl;

/// The TLS settings for the broker. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    /// The directory for sockets, each in its own subdirectory.
    runtime_dir: PathBuf,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tls(…, {})", self.runtime_dir.display())
    }
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A certificate file cannot be used.
    #[error("cannot use the certificates in {}: {why}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// This host has no trusted root certificates.
    #[error("this computer has no certificates of its own to trust ({0}): set mqtt.ca_file")]
    NoRoots(String),
    /// The private key cannot be used or does not match the certificate.
    #[error("cannot use the private key of the client's certificate: {0}")]
    Key(String),
    /// The TLS versions or ciphers are incompatible.
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

/// The client certificate presented to the broker.
pub struct Identity<'a> {
    /// The certificate and its chain, in PEM.
    pub certificates: &'a Path,
    /// The private key, in PEM.
    pub key: &'a str,
}

impl Tls {
    /// Trusts the authorities in `ca_file`, or else those that this host trusts.
    ///
    /// Presents `identity` to a broker that asks for a client certificate. Sockets are created
    /// below `runtime_dir`.
    ///
    /// # Errors
    ///
    /// Returns a [`TlsError`]; its text never contains the key.
    pub fn new(
        ca_file: Option<&Path>,
        identity: Option<&Identity<'_>>,
        runtime_dir: PathBuf,
    ) -> Result<Self, TlsError> {
        let setup = |error: &dyn fmt::Display| TlsError::Setup(error.to_string());
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| setup(&error))?
            .with_root_certificates(roots(ca_file)?);
        let config = match identity {
            None => config.with_no_client_auth(),
            Some(identity) => {
                let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes())
                    .map_err(|error| TlsError::Key(in_words(&error).to_owned()))?;
                config
                    .with_client_auth_cert(certificates(identity.certificates)?, key)
                    .map_err(|error| TlsError::Key(error.to_string()))?
            }
        };
        Ok(Self {
            config: Arc::new(config),
            runtime_dir,
        })
    }

    /// Connects to the broker within `patience`.
    ///
    /// # Errors
    ///
    /// Returns why the broker cannot be reached or is not trusted, in words for the operator.
    pub(super) async fn connect(
        &self,
        url: &BrokerUrl,
        patience: Duration,
    ) -> Result<Broker, String> {
        let name = ServerName::try_from(url.server_name().to_owned()).map_err(|_| {
            format!(
                "\"{}\" is not a name that a certificate can have",
                url.server_name()
            )
        })?;
        let reach = async {
            let address = (url.server_name(), url.port());
            let stream = TcpStream::connect(address)
                .await
                .map_err(|error| error.to_string())?;
            stream
                .set_nodelay(true)
                .map_err(|error| error.to_string())?;
            let connector = TlsConnector::from(Arc::clone(&self.config));
            let stream = connector.connect(name, stream).await;
            stream.map_err(|error| format!("TLS: {error}"))
        };
        let reached = timeout(patience, reach).await;
        reached.unwrap_or_else(|_| Err("the broker does not answer".to_owned()))
    }

    /// A socket that no other user can reach.
    pub(super) fn socket(&self) -> io::Result<Socket> {
        Socket::create(&self.runtime_dir)
    }
}

/// A TLS connection to the broker.
pub(super) type Broker = TlsStream<TcpStream>;

fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    if let Some(path) = ca_file {
        for certificate in certificates(path)? {
            store
                .add(certificate)
                .map_err(|error| TlsError::Certificates {
                    path: path.to_owned(),
                    why: error.to_string(),
                })?;
        }
        return Ok(store);
    }
    let found = rustls_native_certs::load_native_certs();
    // An unreadable certificate does not invalidate the others.
    store.add_parsable_certificates(found.certs);
    if store.is_empty() {
        let why = found
            .errors
            .first()
            .map_or_else(|| "none found".to_owned(), ToString::to_string);
        return Err(TlsError::NoRoots(why));
    }
    Ok(store)
}

/// Describes a PEM error. The library's own message repeats the input, which may be a key.
fn in_words(error: &pem::Error) -> &'static str {
    match error {
        pem::Error::MissingSectionEnd { .. } => "a -----BEGIN …----- has no -----END …-----",
        pem::Error::IllegalSectionStart { .. } => "a line -----BEGIN …----- is not whole",
        pem::Error::Base64Decode(_) => "the text between BEGIN and END is not base64",
        pem::Error::NoItemsFound => "there is none in it, in PEM",
        _ => "not PEM",
    }
}

/// All certificates in a PEM file; at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let refuse = |why: String| TlsError::Certificates {
        path: path.to_owned(),
        why,
    };
    let text = fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| refuse(in_words(&error).to_owned()))?;
    if found.is_empty() {
        return Err(refuse(
            "there is none in it (PEM, -----BEGIN CERTIFICATE-----)".to_owned(),
        ));
    }
    Ok(found)
}

/// A Unix socket in its own directory; both are removed on drop.
pub(super) struct Socket {
    listener: UnixListener,
    directory: PathBuf,
}

/// Numbers the directories of this process.
static SOCKETS: AtomicU64 = AtomicU64::new(0);
/// How many directory names are tried.
const TRIES: usize = 100;

impl Socket {
    fn create(runtime_dir: &Path) -> io::Result<Self> {
        let mut directory = PathBuf::new();
        let mut made = Err(io::ErrorKind::AlreadyExists.into());
        for _ in 0..TRIES {
            let number = SOCKETS.fetch_add(1, Ordering::Relaxed);
            directory = runtime_dir.join(format!("remisd-{}-{number}", std::process::id()));
            // `create` fails if the directory exists, so it cannot be one that another user
            // prepared.
            made = DirBuilder::new().mode(0o700).create(&directory);
            match &made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                _ => break,
            }
        }
        made?;
        match UnixListener::bind(directory.join(SOCKET)) {
            Ok(listener) => Ok(Self {
                listener,
                directory,
            }),
            Err(error) => {
                fs::remove_dir(&directory).ok();
                Err(error)
            }
        }
    }

    /// The path of the socket.
    pub(super) fn path(&self) -> PathBuf {
        self.directory.join(SOCKET)
    }

    /// Copies data between the socket and the broker until either side closes it cleanly.
    ///
    /// # Errors
    ///
    /// Returns what broke the connection.
    pub(super) async fn bridge(self, mut broker: Broker) -> Result<(), String> {
        let accepted = self.listener.accept().await;
        // Accept a single connection: remove the socket.
        drop(self);
        let (mut client, _) = accepted.map_err(|error| error.to_string())?;
        match copy_bidirectional(&mut client, &mut broker).await {
            Ok(_) => Ok(()),
            // A broker that rejects our certificate reports it only now (RFC 8446, 4.4.2).
            Err(error) => Err(format!("TLS: {error}")),
        }
    }
}

/// The name of the socket in its directory.
const SOCKET: &str = "mqtt";

impl Drop for Socket {
    fn drop(&mut self) {
        fs::remove_file(self.path()).ok();
        fs::remove_dir(&self.directory).ok();
    }
}
