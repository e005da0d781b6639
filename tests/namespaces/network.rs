//! A private network: a switch in the middle and a computer at each of its ports.

use std::process::Stdio;

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

use remisd_testkit::PATIENCE;

/// The broker's address for the other computers.
pub const BROKER: &str = "10.77.0.1";
const SWITCH: &str = "switch";
const SWITCH_MAC: &str = "02:00:00:00:00:01";

/// Runs a system program, which must succeed.
async fn run(program: &str, words: &str) {
    let done = Command::new(program).args(words.split(' ')).output().await;
    let done = done.unwrap_or_else(|error| panic!("{program} {words}: {error}"));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program} {words}: {errors}");
}

async fn ip(words: &str) {
    run("ip", words).await;
}

/// Creates the switch, to which the test itself and the broker are connected.
pub async fn switch() {
    ip("link set lo up").await;
    ip(&format!("link add {SWITCH} type bridge")).await;
    ip(&format!("link set {SWITCH} address {SWITCH_MAC} up")).await;
    ip(&format!("addr add {BROKER}/24 dev {SWITCH}")).await;
}

/// A computer at a port of the switch.
pub struct Computer {
    port: String,
    id: u32,
    // Its network lives as long as this process.
    _holder: Child,
}

impl Computer {
    pub async fn new(number: u8) -> Self {
        let mut holder = Command::new("unshare");
        holder.args(["--net", "sh", "-c", "echo here; exec sleep infinity"]);
        let mut holder = (holder.stdin(Stdio::null()).stdout(Stdio::piped()))
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        let here = timeout(PATIENCE, lines.next_line()).await.unwrap();
        assert_eq!(here.unwrap().as_deref(), Some("here"));
        let computer = Self {
            port: format!("port{number}"),
            id: holder.id().unwrap(),
            _holder: holder,
        };
        let Self { port, id, .. } = &computer;
        ip(&format!(
            "link add {port} type veth peer name eth0 netns {id}"
        ))
        .await;
        ip(&format!("link set {port} master {SWITCH} up")).await;
        let (address, mac) = (
            format!("10.77.0.{}", 10 + number),
            format!("02:00:00:00:01:{number:02}"),
        );
        computer.ip("link set lo up").await;
        computer
            .ip(&format!("link set eth0 address {mac} up"))
            .await;
        computer
            .ip(&format!("addr add {address}/24 dev eth0"))
            .await;
        // Static neighbour entries: without address resolution, it cannot reveal a missing peer.
        computer
            .ip(&format!(
                "neigh replace {BROKER} lladdr {SWITCH_MAC} dev eth0"
            ))
            .await;
        ip(&format!(
            "neigh replace {address} lladdr {mac} dev {SWITCH}"
        ))
        .await;
        computer
    }

    /// A command that runs inside this computer's namespace.
    pub fn inside(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--net=/proc/{}/ns/net", self.id))
            .arg(program);
        command
    }

    async fn ip(&self, words: &str) {
        let done = self
            .inside("ip")
            .args(words.split(' '))
            .output()
            .await
            .unwrap();
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "ip {words}: {errors}");
    }

    /// Pulls the cable, which the computer notices, or plugs it in.
    pub async fn cable(&self, plugged: bool) {
        let way = if plugged { "up" } else { "down" };
        ip(&format!("link set {} {way}", self.port)).await;
    }

    /// Makes the switch drop every packet silently, or forward packets again.
    pub async fn passed_on(&self, passed: bool) {
        let port = &self.port;
        let way = if passed {
            format!("master {SWITCH}")
        } else {
            "nomaster".to_owned()
        };
        ip(&format!("link set {port} {way}")).await;
    }
}
