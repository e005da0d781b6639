//! Real servers that files are uploaded to: `OpenSSH`'s `sshd`, and `ProFTPD` with FTPS or SFTP.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command as Now, Stdio},
};

use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{DEADLINE, poll::poll_port, port::free_port};

const SSHD: &str = "/usr/sbin/sshd";
const PROFTPD: &str = "/usr/sbin/proftpd";
const MISSING: &str = "the tests need real file servers: apt-get install openssh-server \
                       proftpd-core proftpd-mod-crypto openssl";

/// The user of a `ProFTPD`.
pub const USER: &str = "club@example.org";
/// That user's password.
pub const PASSWORD: &str = "hunter2 forever";

/// A server on a loopback port. It is killed when it is dropped.
pub struct FileServer {
    port: u16,
    folder: TempDir,
    program: &'static str,
    arguments: Vec<String>,
    child: Option<Child>,
}

impl FileServer {
    /// An `OpenSSH` server that lets the user of this test in with [`client_key`](Self::client_key).
    /// It refuses every password.
    pub async fn sshd() -> Self {
        Self::sshd_with("").await
    }

    /// The same with a second host key, of a kind that clients like less: ECDSA.
    pub async fn sshd_with_two_keys() -> Self {
        Self::sshd_with("ecdsa").await
    }

    async fn sshd_with(second_key: &str) -> Self {
        let mut server = Self::prepared(SSHD);
        let folder = server.folder.path().display().to_string();
        server.make_key("host_key", "ed25519");
        server.make_key("client_key", "ed25519");
        let mut second = String::new();
        if !second_key.is_empty() {
            server.make_key("second_key", second_key);
            second = format!("HostKey {folder}/second_key\n");
        }
        let config = format!(
            "Port {}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\n{second}PidFile none\n\
             AuthorizedKeysFile {folder}/client_key.pub\nStrictModes no\nUsePAM no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin yes\nLogLevel VERBOSE\n\
             Subsystem sftp internal-sftp\n",
            server.port
        );
        let file = server.write("sshd_config", &config);
        server.arguments = vec!["-D".into(), "-e".into(), "-f".into(), file];
        // Root's server wants this folder, which the service's start makes.
        if is_root() {
            fs::create_dir_all("/run/sshd").unwrap();
        }
        server.restart().await;
        server
    }

    /// A `ProFTPD` with TLS, with a certificate and its key. It demands that data connections resume
    /// the session of the control connection.
    pub async fn ftps(certificate: &Path, key: &Path) -> Self {
        Self::ftps_with(certificate, key, "").await
    }

    /// The same with TLS from the first byte.
    pub async fn implicit_ftps(certificate: &Path, key: &Path) -> Self {
        Self::ftps_with(certificate, key, "TLSOptions UseImplicitSSL\n").await
    }

    /// The same as [`ftps`](Self::ftps), but no file is renamed onto another one.
    pub async fn ftps_that_overwrites_nothing(certificate: &Path, key: &Path) -> Self {
        Self::ftps_with(certificate, key, "AllowOverwrite off\n").await
    }

    async fn ftps_with(certificate: &Path, key: &Path, lines: &str) -> Self {
        let lines = format!(
            "LoadModule mod_tls.c\nTLSEngine on\nTLSRequired on\n\
             TLSECCertificateFile {}\nTLSECCertificateKeyFile {}\n{lines}",
            certificate.display(),
            key.display()
        );
        Self::proftpd(&lines).await
    }

    /// A `ProFTPD` with SFTP that takes passwords.
    pub async fn proftpd_sftp() -> Self {
        let server = Self::prepared(PROFTPD);
        server.make_key("host_key", "ed25519");
        let lines = format!(
            "LoadModule mod_sftp.c\nSFTPEngine on\nSFTPAuthMethods password\nSFTPHostKey {}\n",
            server.folder.path().join("host_key").display()
        );
        server.with_proftpd(&lines).await
    }

    async fn proftpd(lines: &str) -> Self {
        Self::prepared(PROFTPD).with_proftpd(lines).await
    }

    async fn with_proftpd(mut self, lines: &str) -> Self {
        let (user, group) = (id("-un"), id("-gn"));
        let folder = self.folder.path().display().to_string();
        let hash = run("openssl", &["passwd", "-6", PASSWORD]);
        let home = self.files().display().to_string();
        let entry = format!(
            "{USER}:{}:{}:{}::{home}:/bin/sh\n",
            hash.trim(),
            id("-u"),
            id("-g")
        );
        let users = self.write("users", &entry);
        fs::set_permissions(&users, fs::Permissions::from_mode(0o600)).unwrap();
        let overwrite = if lines.contains("AllowOverwrite") {
            ""
        } else {
            "AllowOverwrite on\n"
        };
        let config = format!(
            "ModulePath /usr/lib/proftpd\n{lines}ServerName test\nServerType standalone\n\
             DefaultAddress 127.0.0.1\nPort {}\nUseIPv6 off\nUser {user}\nGroup {group}\n\
             PidFile {folder}/pid\nScoreboardFile {folder}/scores\nDelayEngine off\n\
             WtmpLog off\nUseReverseDNS off\nRootLogin on\nRequireValidShell off\n\
             AuthOrder mod_auth_file.c\nAuthUserFile {users}\n{overwrite}\
             SystemLog {folder}/system.log\nExtendedLog {folder}/commands.log ALL\n",
            self.port
        );
        let file = self.write("proftpd.conf", &config);
        self.arguments = vec!["-n".into(), "-c".into(), file];
        self.restart().await;
        self
    }

    fn prepared(program: &'static str) -> Self {
        assert!(Path::new(program).exists(), "{MISSING}");
        let server = Self {
            port: free_port(),
            folder: tempfile::tempdir().unwrap(),
            program,
            arguments: Vec::new(),
            child: None,
        };
        fs::create_dir(server.files()).unwrap();
        server
    }

    /// Starts it on the same port.
    pub async fn restart(&mut self) {
        self.kill().await;
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.log_file())
            .unwrap();
        let child = Command::new(self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn();
        self.child = Some(child.expect(MISSING));
        let failed = || format!("{} does not start:\n{}", self.program, self.log());
        poll_port(DEADLINE, failed, self.address()).await;
    }

    /// Kills it with all its connections.
    pub async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let connections = child.id().map(children_of).unwrap_or_default();
            child.kill().await.unwrap();
            for connection in connections {
                // It may have ended by itself.
                Now::new("kill")
                    .args(["-KILL", &connection])
                    .output()
                    .unwrap();
            }
        }
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The folder that files are uploaded to.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    /// The private key of an `OpenSSH` server's user.
    pub fn client_key(&self) -> PathBuf {
        self.folder.path().join("client_key")
    }

    /// The fingerprint of an SSH server's host key.
    pub fn fingerprint(&self) -> String {
        self.fingerprint_of("host_key.pub")
    }

    /// The fingerprint of its second host key.
    pub fn second_fingerprint(&self) -> String {
        self.fingerprint_of("second_key.pub")
    }

    /// The second host key as in `known_hosts`.
    pub fn second_key(&self) -> String {
        fs::read_to_string(self.folder.path().join("second_key.pub")).unwrap()
    }

    fn fingerprint_of(&self, key: &str) -> String {
        let key = self.folder.path().join(key);
        let shown = run("ssh-keygen", &["-l", "-f", &key.display().to_string()]);
        shown.split(' ').nth(1).unwrap().to_owned()
    }

    /// A file in the form of `known_hosts` with an SSH server's host key.
    pub fn known_hosts(&self) -> PathBuf {
        let key = fs::read_to_string(self.folder.path().join("host_key.pub")).unwrap();
        let file = self.folder.path().join("known_hosts");
        fs::write(&file, format!("[127.0.0.1]:{} {key}", self.port)).unwrap();
        file
    }

    /// Everything that it has logged: connections, and the commands of FTP.
    pub fn log(&self) -> String {
        let files = [
            self.log_file(),
            self.folder.path().join("system.log"),
            self.folder.path().join("commands.log"),
        ];
        let texts = files
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        texts.collect()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn write(&self, name: &str, text: &str) -> String {
        let file = self.folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    fn make_key(&self, name: &str, kind: &str) {
        let file = self.folder.path().join(name).display().to_string();
        run("ssh-keygen", &["-q", "-t", kind, "-N", "", "-f", &file]);
    }
}

/// The user of this test.
pub fn own_user() -> String {
    id("-un")
}

fn is_root() -> bool {
    id("-u") == "0"
}

fn id(what: &str) -> String {
    run("id", &[what]).trim().to_owned()
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Now::new(program).args(arguments).output().expect(MISSING);
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The ids of a process's children.
fn children_of(parent: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let of_parent = processes.filter_map(|process| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        (line.trim() == parent.to_string())
            .then(|| process.file_name().to_string_lossy().into_owned())
    });
    of_parent.collect()
}
