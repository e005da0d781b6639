//! FTP over TLS.

use std::{fs, path::PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use remisd_broadcast::upload::{Authorities, Ftps, Session};
use remisd_testkit::file_server::{FileServer, PASSWORD, USER};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{
    Pushed, arrives_whole_and_then_the_change_alone, goes_on_after_a_refused_file,
    keeps_games_and_removes_left_over_files,
};

/// A certificate authority with a certificate for a name, as PEM files.
struct Certified {
    folder: TempDir,
}

impl Certified {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let certified = Self { folder };
        fs::write(certified.file("ca"), issuer.pem()).unwrap();
        fs::write(certified.file("certificate"), certificate.pem()).unwrap();
        fs::write(certified.file("key"), key.serialize_pem()).unwrap();
        certified
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn server(&self) -> FileServer {
        FileServer::ftps(&self.file("certificate"), &self.file("key")).await
    }

    /// The server, as one whose certificates come from this authority.
    fn ftps(&self, server: &FileServer) -> Ftps {
        let (address, folder) = (server.address(), server.files());
        let address = format!("ftps://{USER}@{address}{}", folder.display());
        Ftps {
            address: address.parse().unwrap(),
            password: PASSWORD.to_owned(),
            authorities: Authorities::in_file(&self.file("ca")).unwrap(),
        }
    }
}

#[tokio::test]
async fn proftpd_gets_the_whole_round_and_then_the_change_alone() {
    let certified = Certified::new("127.0.0.1");
    let server = certified.server().await;
    let mut settings = certified.ftps(&server);
    let address = format!("ftps://{USER}@{}/~/www/pgn", server.address());
    settings.address = address.parse().unwrap();
    let folder = server.files().join("www/pgn");
    arrives_whole_and_then_the_change_alone(Session::new(settings), &folder).await;
    let log = server.log();
    assert_eq!(
        log.matches("\"USER ").count(),
        1,
        "one connection is kept:\n{log}"
    );
    assert!(log.contains("PROT P"), "data is encrypted:\n{log}");
}

#[tokio::test]
async fn a_server_that_overwrites_nothing_gets_the_change_all_the_same() {
    let certified = Certified::new("127.0.0.1");
    let (certificate, key) = (certified.file("certificate"), certified.file("key"));
    let server = FileServer::ftps_that_overwrites_nothing(&certificate, &key).await;
    let mut pushed = Pushed::start(Session::new(certified.ftps(&server)), &["one\n"]);
    pushed.has(&server.files(), &["one\n"]).await;
    pushed.show(&["two\n"]);
    pushed.has(&server.files(), &["two\n"]).await;
    let log = server.log();
    assert!(log.contains("game-1.pgn.old"), "it was set aside:\n{log}");
    let names = fs::read_dir(server.files().join("round-3")).unwrap();
    assert_eq!(names.count(), 2, "nothing is left behind");
}

#[tokio::test]
async fn a_handshake_that_breaks_off_is_no_matter_of_identity() {
    let certified = Certified::new("127.0.0.1");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            socket.write_all(b"220 hello\r\n").await.unwrap();
            let mut line = [0; 64];
            assert!(socket.read(&mut line).await.unwrap() > 0);
            socket.write_all(b"234 go on\r\n").await.unwrap();
        }
    });
    let settings = Ftps {
        address: format!("ftps://{USER}@{address}/pgn").parse().unwrap(),
        password: PASSWORD.to_owned(),
        authorities: Authorities::in_file(&certified.file("ca")).unwrap(),
    };
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    let error = pushed.error().await;
    assert!(error.contains("the server cannot be reached"), "{error}");
    assert!(error.contains("no TLS connection"), "{error}");
}

#[tokio::test]
async fn a_refused_file_holds_back_no_other() {
    let certified = Certified::new("127.0.0.1");
    let server = certified.server().await;
    let session = Session::new(certified.ftps(&server));
    goes_on_after_a_refused_file(session, &server.files()).await;
}

#[tokio::test]
async fn games_are_kept_and_left_over_files_are_removed() {
    let certified = Certified::new("127.0.0.1");
    let server = certified.server().await;
    let session = Session::new(certified.ftps(&server));
    keeps_games_and_removes_left_over_files(session, &server.files()).await;
}

#[tokio::test]
async fn a_server_with_another_certificate_gets_nothing() {
    let (certified, other) = (Certified::new("127.0.0.1"), Certified::new("127.0.0.1"));
    let misnamed = Certified::new("other.example");
    let server = certified.server().await;
    let named_otherwise = misnamed.server().await;
    for (server, settings) in [
        (&server, other.ftps(&server)),
        (&named_otherwise, misnamed.ftps(&named_otherwise)),
    ] {
        let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
        let error = pushed.error().await;
        assert!(
            error.contains("the server is not the configured one"),
            "{error}"
        );
        assert_eq!(fs::read_dir(server.files()).unwrap().count(), 0);
        let log = server.log();
        assert!(log.contains("FTP session opened"), "it was asked:\n{log}");
        for command in ["USER ", "PASS "] {
            assert!(!log.contains(command), "it has heard of no user:\n{log}");
        }
    }
}

#[tokio::test]
async fn tls_from_the_first_byte_encrypts_data_as_well() {
    let certified = Certified::new("127.0.0.1");
    let (certificate, key) = (certified.file("certificate"), certified.file("key"));
    let server = FileServer::implicit_ftps(&certificate, &key).await;
    let settings = certified.ftps(&server);
    let implicit = Ftps {
        address: settings.address.clone().with_tls_from_the_first_byte(),
        ..settings
    };
    arrives_whole_and_then_the_change_alone(Session::new(implicit), &server.files()).await;
    let log = server.log();
    assert!(log.contains("PROT P"), "data is encrypted:\n{log}");
    assert!(!log.contains("AUTH TLS"), "{log}");
}

#[tokio::test]
async fn a_wrong_password_is_reported_and_not_shown() {
    let certified = Certified::new("127.0.0.1");
    let server = certified.server().await;
    let settings = Ftps {
        password: "wrong pass".to_owned(),
        ..certified.ftps(&server)
    };
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    let error = pushed.error().await;
    assert!(
        error.contains("the server refuses the login: 530"),
        "{error}"
    );
    assert!(!error.contains("wrong pass"), "{error}");
    assert_eq!(fs::read_dir(server.files()).unwrap().count(), 0);
}

#[tokio::test]
async fn everything_arrives_after_a_restart_of_the_server() {
    let certified = Certified::new("127.0.0.1");
    let mut server = certified.server().await;
    let mut pushed = Pushed::start(Session::new(certified.ftps(&server)), &["one\n"]);
    pushed.has(&server.files(), &["one\n"]).await;
    server.kill().await;
    pushed.show(&["one\n", "two\n"]);
    let error = pushed.error().await;
    assert!(error.contains("the server cannot be reached"), "{error}");
    server.restart().await;
    pushed.has(&server.files(), &["one\n", "two\n"]).await;
}
