//! TLS to a real Mosquitto: which certificates are trusted, and what is reported otherwise.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use remisd::publish::{
    BrokerStatus, ConnectionState,
    mqtt::{Access, Identity, SessionSettings, Tls, TlsError},
    outbox::Cursors,
};
use remisd_testkit::{
    mosquitto::Mosquitto,
    session::{Daemon, settings},
};
use tempfile::TempDir;
use tokio::sync::watch;

/// A certificate authority and its certificates, as PEM files.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let authority = Self {
            issuer: CertifiedIssuer::self_signed(params, key).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(authority.file("ca.pem"), authority.issuer.pem()).unwrap();
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A certificate for `name` that expires in `year`. Returns its file and its key's file.
    fn vouch(&self, name: &str, year: i32) -> (PathBuf, PathBuf) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let (file, key_file) = (
            self.file(&format!("{name}-{year}.pem")),
            self.file(&format!("{name}-{year}.key")),
        );
        fs::write(&file, certificate.pem()).unwrap();
        fs::write(&key_file, key.serialize_pem()).unwrap();
        (file, key_file)
    }

    /// A broker with the certificate for `name`; with `clients` it requires one of its clients,
    /// too.
    async fn broker(&self, name: &str, year: i32, clients: bool) -> Mosquitto {
        let (certificate, key) = self.vouch(name, year);
        let lines = format!(
            "allow_anonymous true\ncafile {}\ncertfile {}\nkeyfile {}\nrequire_certificate {clients}\n",
            self.file("ca.pem").display(),
            certificate.display(),
            key.display(),
        );
        Mosquitto::start_with(&lines, None).await
    }
}

/// Settings for a broker called `name`.
fn secure(broker: &Mosquitto, name: &str, tls: Tls) -> SessionSettings {
    let access = Access {
        tls: Some(tls),
        ..Access::default()
    };
    SessionSettings {
        brokers: format!("mqtts://{name}:{}", broker.address().port())
            .parse()
            .unwrap(),
        access: watch::channel(access).1,
        ..settings("mqtt://localhost")
    }
}

fn trusting(ca: &Path, runtime: &TempDir) -> Tls {
    Tls::new(Some(ca), None, runtime.path().to_owned()).unwrap()
}

/// The reason why the daemon cannot connect.
async fn refusal(settings: SessionSettings) -> String {
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    let is_reported = |status: &BrokerStatus| match &status.link {
        ConnectionState::Down { why, .. } => why.contains("TLS"),
        ConnectionState::Up { .. } => false,
    };
    let status = daemon.wait_for(is_reported).await;
    let ConnectionState::Down { why, .. } = status.link else {
        panic!("it is down");
    };
    why
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_with_the_right_name_is_talked_to() {
    let authority = Authority::new("Hall");
    let mut broker = authority.broker("localhost", 2099, false).await;
    let runtime = tempfile::tempdir().unwrap();
    let tls = trusting(&authority.file("ca.pem"), &runtime);
    let daemon = Daemon::start_with(
        secure(&broker, "localhost", tls),
        Cursors::default(),
        Arc::default(),
    );
    for _ in 0..50 {
        daemon.event("b1");
    }
    daemon.retain("t1", "before");
    daemon.all_sent().await;
    broker.restart().await;
    daemon.retain("t1", "after");
    let again = |status: &BrokerStatus| status.reconnects > 0 && status.is_up();
    daemon
        .wait_for(|status| again(status) && status.outbox_depth == 0)
        .await;
    daemon.stop().await;
    let left = fs::read_dir(runtime.path()).unwrap().count();
    assert_eq!(left, 0, "no socket is left behind");

    // Otherwise the broker would assume a lost connection and publish the will over our "offline".
    broker
        .has_logged("Received DISCONNECT from remisd-hall-n1")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn untrusted_brokers_are_refused() {
    let (authority, other) = (Authority::new("Hall"), Authority::new("Somebody"));
    let runtime = tempfile::tempdir().unwrap();
    let ca = authority.file("ca.pem");

    let broker = authority.broker("hall.example", 2099, false).await;
    let why = refusal(secure(&broker, "localhost", trusting(&ca, &runtime))).await;
    assert!(why.contains("not valid for name"), "{why}");

    let expired = authority.broker("localhost", 2021, false).await;
    let why = refusal(secure(&expired, "localhost", trusting(&ca, &runtime))).await;
    assert!(why.contains("expired"), "{why}");

    let stranger = other.broker("localhost", 2099, false).await;
    let why = refusal(secure(&stranger, "localhost", trusting(&ca, &runtime))).await;
    assert!(why.contains("UnknownIssuer"), "{why}");

    let plain = Mosquitto::start().await;
    let why = refusal(secure(&plain, "localhost", trusting(&ca, &runtime))).await;
    assert!(why.contains("TLS"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_wants_a_certificate_gets_ours() {
    let authority = Authority::new("Hall");
    let runtime = tempfile::tempdir().unwrap();
    let ca = authority.file("ca.pem");
    let broker = authority.broker("localhost", 2099, true).await;
    let why = refusal(secure(&broker, "localhost", trusting(&ca, &runtime))).await;
    assert!(
        why.contains("CertificateRequired") || why.contains("certificate"),
        "{why}"
    );

    let (certificates, key) = authority.vouch("remisd", 2099);
    let key = fs::read_to_string(key).unwrap();
    let identity = Identity {
        certificates: &certificates,
        key: &key,
    };
    let tls = Tls::new(Some(&ca), Some(&identity), runtime.path().to_owned()).unwrap();
    let daemon = Daemon::start_with(
        secure(&broker, "localhost", tls),
        Cursors::default(),
        Arc::default(),
    );
    daemon.event("b1");
    assert!(daemon.all_sent().await.is_up());
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_meant_for_tls_is_never_sent_in_the_open() {
    let broker = Mosquitto::start().await;
    let url = format!("mqtts://localhost:{}", broker.address().port());
    let why = refusal(settings(&url)).await;
    assert!(why.contains("nothing says how"), "{why}");
}

#[test]
fn files_that_are_no_certificates_are_named() {
    let authority = Authority::new("Hall");
    let new = |ca: &Path, identity: Option<&Identity<'_>>| {
        Tls::new(Some(ca), identity, PathBuf::new())
            .map(|_| ())
            .unwrap_err()
    };
    let absent = authority.file("absent.pem");
    assert!(new(&absent, None).to_string().contains("absent.pem"));
    let empty = authority.file("empty.pem");
    fs::write(&empty, "no certificate\n").unwrap();
    let error = new(&empty, None);
    assert!(matches!(error, TlsError::Certificates { .. }), "{error}");

    let ca = authority.file("ca.pem");
    let (certificates, _) = authority.vouch("remisd", 2099);
    let (_, other_key) = authority.vouch("other", 2099);
    let other_key = fs::read_to_string(other_key).unwrap();
    let one_line = other_key.replace('\n', " ");
    let cut = other_key.replace("-----END", "----END");
    let torn = other_key.replacen("PRIVATE KEY-----", "PRIVATE KEY----", 1);
    for key in ["", "no key", &other_key, &one_line, &cut, &torn] {
        let identity = Identity {
            certificates: &certificates,
            key,
        };
        let error = new(&ca, Some(&identity));
        assert!(matches!(error, TlsError::Key(_)), "{error}");
        // The library quotes unknown bytes as a list of numbers.
        let error = error.to_string();
        assert!(
            error.len() < 200 && !error.contains("80, 82, 73"),
            "{error}"
        );
    }
}
