//! Who may certify servers.

use std::{
    fmt, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use suppaftp::tokio::AsyncRustlsConnector;
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        },
        crypto::ring,
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
        version::TLS12,
    },
};

/// Who may certify servers.
#[derive(Clone)]
pub struct Authorities {
    config: Arc<ClientConfig>,
    verifier: Arc<Verifier>,
}

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorities")
    }
}

impl Authorities {
    /// Those of the operating system.
    ///
    /// # Errors
    ///
    /// Fails if there are none.
    pub fn of_the_system() -> io::Result<Self> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        // Certificates that cannot be used are of no consequence if others can.
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            let error = "the operating system has no certificates (package ca-certificates)";
            return Err(io::Error::other(error));
        }
        Self::with(roots)
    }

    /// Those in a PEM file, and no others.
    ///
    /// # Errors
    ///
    /// Fails if the file has none that can be used.
    pub fn in_file(file: &Path) -> io::Result<Self> {
        let error =
            |error: &dyn fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
        let mut roots = RootCertStore::empty();
        let certificates = CertificateDer::pem_file_iter(file).map_err(|e| error(&e))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|e| error(&e))?;
            roots.add(certificate).map_err(|e| error(&e))?;
        }
        if roots.is_empty() {
            return Err(error(&"the file has no certificate"));
        }
        Self::with(roots)
    }

    fn with(roots: RootCertStore) -> io::Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let webpki =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let verifier = Arc::new(Verifier {
            webpki: webpki.build().map_err(io::Error::other)?,
            has_refused: AtomicBool::new(false),
        });
        let config = ClientConfig::builder_with_provider(provider)
            // Servers demand that data connections resume the session of the control connection. A
            // ticket of TLS 1.3 serves once, and new ones are never read from a connection that
            // only sends. A session of TLS 1.2 is resumed any number of times.
            .with_protocol_versions(&[&TLS12])
            .map_err(io::Error::other)?
            // "Dangerous" is any verifier from outside. This one only remembers the answer.
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&verifier) as Arc<dyn ServerCertVerifier>)
            .with_no_client_auth();
        // The configuration remembers the sessions, so all connections share it.
        let config = Arc::new(config);
        Ok(Self { config, verifier })
    }

    /// Connects with TLS, one connection after the other.
    pub(super) fn connector(&self) -> AsyncRustlsConnector {
        self.verifier.has_refused.store(false, Ordering::Relaxed);
        TlsConnector::from(Arc::clone(&self.config)).into()
    }

    /// Whether the server of the newest connection has failed to prove who it is. Any other failure
    /// is one of the network or of TLS.
    pub(super) fn have_refused(&self) -> bool {
        self.verifier.has_refused.load(Ordering::Relaxed)
    }
}

/// The usual verifier, which remembers whether it has refused a server.
#[derive(Debug)]
struct Verifier {
    webpki: Arc<WebPkiServerVerifier>,
    has_refused: AtomicBool,
}

impl Verifier {
    fn note<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.has_refused.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.note(
            self.webpki
                .verify_server_cert(certificate, between, name, ocsp, now),
        )
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            self.webpki
                .verify_tls12_signature(message, certificate, signed),
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(
            self.webpki
                .verify_tls13_signature(message, certificate, signed),
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}
