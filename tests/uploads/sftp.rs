//! SFTP.

use std::{fs, path::Path};

use remisd_broadcast::upload::{HostKeys, Login, PrivateKey, Session, Sftp};
use remisd_testkit::file_server::{FileServer, PASSWORD, USER, own_user};

use super::{
    Pushed, arrives_whole_and_then_the_change_alone, goes_on_after_a_refused_file,
    keeps_games_and_removes_left_over_files,
};

/// The configured server with its fingerprint, and a folder in it.
fn sftp(server: &FileServer, user: &str, folder: &Path, login: Login) -> Sftp {
    let (address, folder) = (server.address(), folder.display());
    let address = format!("sftp://{user}@{address}{folder}");
    let fingerprint = server.fingerprint().parse().unwrap();
    Sftp {
        address: address.parse().unwrap(),
        login,
        host_keys: HostKeys::with_fingerprints(vec![fingerprint]),
    }
}

fn key_of(server: &FileServer) -> Login {
    let key = fs::read_to_string(server.client_key()).unwrap();
    Login::Key(PrivateKey::new(&key).unwrap())
}

fn openssh(server: &FileServer, folder: &Path) -> Sftp {
    sftp(server, &own_user(), folder, key_of(server))
}

fn with_password(server: &FileServer, password: &str) -> Sftp {
    let login = Login::Password(password.to_owned());
    sftp(server, USER, &server.files(), login)
}

#[tokio::test]
async fn openssh_gets_the_whole_round_and_then_the_change_alone() {
    let server = FileServer::sshd().await;
    let folder = server.files().join("www/pgn");
    let session = Session::new(openssh(&server, &folder));
    arrives_whole_and_then_the_change_alone(session, &folder).await;
    let logins = server.log().matches("Accepted publickey").count();
    assert_eq!(logins, 1, "one connection is kept:\n{}", server.log());
}

#[tokio::test]
async fn proftpd_gets_the_whole_round_with_a_password() {
    let server = FileServer::proftpd_sftp().await;
    let session = Session::new(with_password(&server, PASSWORD));
    arrives_whole_and_then_the_change_alone(session, &server.files()).await;
}

#[tokio::test]
async fn a_refused_file_holds_back_no_other() {
    let server = FileServer::sshd().await;
    let session = Session::new(openssh(&server, &server.files()));
    goes_on_after_a_refused_file(session, &server.files()).await;
}

#[tokio::test]
async fn games_are_kept_and_left_over_files_are_removed() {
    let server = FileServer::sshd().await;
    let session = Session::new(openssh(&server, &server.files()));
    keeps_games_and_removes_left_over_files(session, &server.files()).await;
}

#[tokio::test]
async fn known_hosts_names_the_server() {
    let server = FileServer::sshd().await;
    let mut settings = openssh(&server, &server.files());
    settings.host_keys = HostKeys::in_file(&server.known_hosts(), &settings.address).unwrap();
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    pushed.has(&server.files(), &["one\n"]).await;
}

#[tokio::test]
async fn a_server_is_known_by_any_of_its_host_keys() {
    let server = FileServer::sshd_with_two_keys().await;
    let mut settings = openssh(&server, &server.files());
    let second = server.second_fingerprint().parse().unwrap();
    settings.host_keys = HostKeys::with_fingerprints(vec![second]);
    let mut pushed = Pushed::start(Session::new(settings.clone()), &["one\n"]);
    pushed.has(&server.files(), &["one\n"]).await;

    // A server without a key of the kind in `known_hosts` is named with that kind.
    let other = FileServer::sshd().await;
    let known = format!(
        "[127.0.0.1]:{} {}",
        other.address().port(),
        server.second_key()
    );
    let file = other.files().with_file_name("known");
    fs::write(&file, known).unwrap();
    let mut settings = openssh(&other, &other.files());
    settings.host_keys = HostKeys::in_file(&file, &settings.address).unwrap();
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    let error = pushed.error().await;
    assert!(
        error.contains("no host key of a known kind: ecdsa-sha2-nistp256"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_with_another_host_key_gets_nothing() {
    let (server, other) = (FileServer::sshd().await, FileServer::sshd().await);
    let mut settings = openssh(&server, &server.files());
    let expected = other.fingerprint().parse().unwrap();
    settings.host_keys = HostKeys::with_fingerprints(vec![expected]);
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    let error = pushed.error().await;
    assert!(
        error.contains("the server is not the configured one"),
        "{error}"
    );
    assert!(error.contains(&server.fingerprint()), "{error}");
    assert_eq!(fs::read_dir(server.files()).unwrap().count(), 0);
    let log = server.log();
    assert!(log.contains("127.0.0.1"), "it was asked:\n{log}");
    for login in ["Accepted", "Failed", "authenticating"] {
        assert!(!log.contains(login), "it has heard of no user:\n{log}");
    }
}

#[tokio::test]
async fn a_wrong_password_is_reported_and_not_shown() {
    let (openssh, proftpd) = (FileServer::sshd().await, FileServer::proftpd_sftp().await);
    for server in [&openssh, &proftpd] {
        let settings = with_password(server, "wrong pass");
        let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
        let error = pushed.error().await;
        assert!(error.contains("the server refuses the login"), "{error}");
        assert!(!error.contains("wrong pass"), "{error}");
        assert_eq!(fs::read_dir(server.files()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn an_unknown_key_is_reported() {
    let (server, other) = (FileServer::sshd().await, FileServer::sshd().await);
    let settings = Sftp {
        login: key_of(&other),
        ..openssh(&server, &server.files())
    };
    let mut pushed = Pushed::start(Session::new(settings), &["one\n"]);
    let error = pushed.error().await;
    assert!(error.contains("the key of the user"), "{error}");
}

#[tokio::test]
async fn everything_arrives_after_a_restart_of_the_server() {
    let mut server = FileServer::sshd().await;
    let session = Session::new(openssh(&server, &server.files()));
    let mut pushed = Pushed::start(session, &["one\n"]);
    pushed.has(&server.files(), &["one\n"]).await;
    server.kill().await;
    pushed.show(&["one\n", "two\n"]);
    let error = pushed.error().await;
    assert!(error.contains("the server cannot be reached"), "{error}");
    server.restart().await;
    pushed.has(&server.files(), &["one\n", "two\n"]).await;
    // A connection that was lost while nothing was sent is opened again without a wait.
    server.restart().await;
    pushed.show(&["one\n", "three\n"]);
    pushed.has(&server.files(), &["one\n", "three\n"]).await;
}
