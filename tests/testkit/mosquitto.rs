//! A real Mosquitto broker as a child process, killed when dropped.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::MetadataExt,
    path::Path,
    process::Stdio,
};

use super::{
    DEADLINE,
    poll::{poll, poll_until},
    port::free_port,
};
use tempfile::TempDir;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
};

const PROGRAM: &str = "/usr/sbin/mosquitto";
const MISSING: &str = "the tests need a real broker and /usr/sbin/mosquitto is not there; \
                       install it: apt-get install mosquitto";

/// A broker on its own loopback port, without persistence.
pub struct Mosquitto {
    port: u16,
    folder: TempDir,
    child: Option<Child>,
    /// Whether it logs every packet.
    verbose: bool,
}

impl Mosquitto {
    /// Starts a broker that lets everyone do everything.
    pub async fn start() -> Self {
        Self::start_with("allow_anonymous true\n", None).await
    }

    /// Starts a broker with these lines in its configuration and, if given, this ACL.
    pub async fn start_with(lines: &str, acl: Option<&str>) -> Self {
        let mut broker = Self::prepared(lines, acl);
        broker.restart().await;
        broker
    }

    fn prepared(lines: &str, acl: Option<&str>) -> Self {
        Self::configured(|port, folder| {
            let mut config = format!("listener {port} 127.0.0.1\npersistence false\n{lines}");
            if let Some(acl) = acl {
                let path = folder.join("acl");
                fs::write(&path, acl).unwrap();
                config = format!("{config}acl_file {}\n", path.display());
            }
            config
        })
    }

    /// A broker that is not started yet, with the configuration that `config` makes of its port and
    /// folder.
    fn configured(config: impl FnOnce(u16, &Path) -> String) -> Self {
        assert!(Path::new(PROGRAM).exists(), "{MISSING}");
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let mut config = config(port, folder.path());
        if folder.path().metadata().unwrap().uid() == 0 {
            config += "user root\n"; // otherwise it could not read its temporary folder
        }
        fs::write(folder.path().join("mosquitto.conf"), config).unwrap();
        Self {
            port,
            folder,
            child: None,
            verbose: true,
        }
    }

    /// The same without logging each packet, which would slow the broker down.
    pub async fn start_quiet(lines: &str) -> Self {
        let quiet = "log_type error\nlog_type warning\n";
        let mut broker = Self::prepared(&format!("{quiet}{lines}"), None);
        broker.verbose = false;
        broker.restart().await;
        broker
    }

    /// Starts a broker with the shipped configuration and access list, and with `password` for each
    /// of `users`.
    pub async fn start_guarded(users: &[&str], password: &str) -> Self {
        Self::start_guarded_by(&shipped("acl"), users, password).await
    }

    /// The same with another access list.
    pub async fn start_guarded_by(acl: &str, users: &[&str], password: &str) -> Self {
        let mut broker = Self::guarded(acl, users, password, None);
        broker.restart().await;
        broker
    }

    /// The same with the shipped listener of a hall as well, without TLS; returns where that is.
    pub async fn start_guarded_in_a_hall(users: &[&str], password: &str) -> (Self, SocketAddr) {
        let hall = (Ipv4Addr::LOCALHOST, free_port()).into();
        let mut broker = Self::guarded(&shipped("acl"), users, password, Some(hall));
        broker.restart().await;
        (broker, hall)
    }

    fn guarded(acl: &str, users: &[&str], password: &str, hall: Option<SocketAddr>) -> Self {
        Self::configured(|port, folder| {
            let passwords = folder.join("passwords");
            write_passwords(&passwords, users, password);
            let list = folder.join("acl");
            fs::write(&list, acl).unwrap();
            let mut config = shipped("remisd.conf");
            for (installed, here) in [
                (
                    "/etc/mosquitto/remisd.passwd",
                    passwords.display().to_string(),
                ),
                ("/etc/mosquitto/remisd.acl", list.display().to_string()),
                (
                    "listener 1883 127.0.0.1",
                    format!("listener {port} 127.0.0.1"),
                ),
                ("persistence true", "persistence false".to_owned()),
                (
                    "# listener 8883 192.0.2.1\n# max_connections 256",
                    hall.map_or_else(String::new, |hall| {
                        format!(
                            "listener {} {}\nmax_connections 256",
                            hall.port(),
                            hall.ip()
                        )
                    }),
                ),
            ] {
                let line = |text: &str| format!("{text}\n");
                let before = config.clone();
                config = config.replace(&line(installed), &line(&here));
                assert_ne!(config, before, "{installed} is not in remisd.conf any more");
            }
            config
        })
    }

    /// Restarts the broker on the same port, with no memory of before.
    pub async fn restart(&mut self) {
        self.kill().await;
        let log = fs::File::create(self.log()).unwrap();
        let child = Command::new(PROGRAM)
            .args(self.verbose.then_some("-v"))
            .arg("-c")
            .arg(self.folder.path().join("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .expect(MISSING);
        self.child = Some(child);
        let log = self.log();
        let failed = || {
            let log = fs::read_to_string(&log).unwrap_or_default();
            format!("mosquitto does not start:\n{log}")
        };
        let address = self.address();
        let child = self.child.as_mut().unwrap();
        poll(DEADLINE, failed, async || {
            let exited = child.try_wait().unwrap();
            assert_eq!(exited, None, "{}", failed());
            TcpStream::connect(address).await.ok()
        })
        .await;
    }

    /// Refuses a user of a guarded broker from its next start on.
    pub fn dismiss(&self, user: &str) {
        let passwords = self.folder.path().join("passwords");
        let listed = fs::read_to_string(&passwords).unwrap();
        let his = format!("{user}:");
        let lines = listed.split_inclusive('\n');
        let others: String = lines.filter(|line| !line.starts_with(&his)).collect();
        assert_ne!(others, listed, "{user} has no password");
        fs::write(&passwords, others).unwrap();
    }

    /// Replaces the access list while the broker runs, as `systemctl reload mosquitto` does.
    pub async fn reload_with(&self, acl: &str) {
        fs::write(self.folder.path().join("acl"), acl).unwrap();
        self.signal("-HUP").await;
        self.has_logged("Reloading config").await;
    }

    /// Kills the broker, like a power cut.
    pub async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
        }
    }

    /// Freezes the broker with its connections open, or lets it continue.
    pub async fn freeze(&self, frozen: bool) {
        self.signal(if frozen { "-STOP" } else { "-CONT" }).await;
    }

    async fn signal(&self, signal: &str) {
        let id = self.child.as_ref().unwrap().id().unwrap();
        let mut kill = Command::new("kill");
        kill.args([signal, &id.to_string()]);
        assert!(kill.status().await.unwrap().success());
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Its address as a URL for the daemon.
    pub fn url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.port)
    }

    /// Waits until the broker has logged this text since its last start.
    pub async fn has_logged(&self, text: &str) {
        let log = || fs::read_to_string(self.log()).unwrap_or_default();
        let missing = || format!("no {text:?} in\n{}", log());
        poll_until(DEADLINE, missing, || log().contains(text)).await;
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("mosquitto.log")
    }
}

/// A file of `config/mosquitto`.
pub fn shipped(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/mosquitto");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn write_passwords(file: &Path, users: &[&str], password: &str) {
    fs::File::create(file).unwrap();
    for user in users {
        let mut command = std::process::Command::new("mosquitto_passwd");
        let done = command.arg("-b").arg(file).args([user, password]).output();
        assert!(done.unwrap().status.success());
    }
}
