//! The Laws through the built binary and the library: real games and random shuffling against a
//! brute-force reading of the articles. The collected cases are in `tests/cases`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod brute_force;
mod claims;
mod command_line;
mod games;
mod shuffling;

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
    thread,
};

use serde_json::Value;

/// A file of the repository's test data.
fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn remisd(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remisd"));
    command.args(arguments).env_remove("REMISD_LOG");
    command
}

/// Runs the binary to completion with `input` on stdin.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = remisd(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // It may exit before reading everything; the caller judges that.
    let writer = thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Every line of the output as JSON.
fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
