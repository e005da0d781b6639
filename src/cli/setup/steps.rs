//! The next steps after a configuration has been written, as text for a terminal.

use std::{fmt::Write as _, net::SocketAddr};

use super::{layout::Layout, loopback, plan::Written};

/// Describes what was written, and the next steps.
pub fn text(layout: &Layout, written: &Written) -> String {
    let answers = &written.answers;
    let mut text = String::from("Written:\n");
    for file in &written.files {
        line(&mut text, &format!("  {}", file.display()));
    }
    line(&mut text, "\nNext:");
    for step in layout.start() {
        line(&mut text, &format!("  {step}"));
    }
    if let Some((needed, limit)) = layout.open_files(answers) {
        let how = if layout.is_directory() {
            format!("run `ulimit -n {limit}` before you start it.")
        } else {
            format!("run `systemctl edit mosquitto`, and put LimitNOFILE={limit} under [Service].")
        };
        let hint = format!("  The broker needs up to {needed} connections: {how}");
        line(&mut text, &hint);
    }
    let pages = reachable(answers.http);
    line(&mut text, &format!("  open http://{pages}/arbiter"));
    let passwords = layout.passwords();
    line(
        &mut text,
        &format!(
            "\nThe users and their passwords are in {}: sign in as arbiter.",
            passwords.display()
        ),
    );
    line(
        &mut text,
        "Hand them out, then delete that file: neither daemon nor broker reads it.",
    );
    let missing = without_port(written);
    if !missing.is_empty() {
        line(
            &mut text,
            &format!(
                "\nNo port is known yet for {}. `remisd ports --probe` lists the ports; put them into\n{}.",
                missing.join(", "),
                layout.config().display()
            ),
        );
    }
    if !answers.mqtt.ip().is_loopback() {
        line(
            &mut text,
            "\nThe broker listens on the network without encryption: give its listener a certificate.",
        );
    }
    if !answers.http.ip().is_loopback() {
        line(
            &mut text,
            "\nThe pages listen on the network without encryption: put a web server with TLS in front.",
        );
    }
    if layout.runs_as_root() {
        line(
            &mut text,
            "\nYou are root, so the broker of this directory runs as root. For a hall, install \
             the packages and leave out --dir.",
        );
    }
    text
}

/// The boards whose port is not known yet.
pub fn without_port(written: &Written) -> Vec<&str> {
    let boards = written.answers.boards.iter();
    let missing = boards.filter(|board| !board.found);
    missing.map(|board| board.id.as_str()).collect()
}

fn line(text: &mut String, words: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{words}");
}

/// An address to connect to; replaces the unspecified address ("all addresses") with the local one.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        loopback(address.port())
    } else {
        address
    }
}
