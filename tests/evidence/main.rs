//! `remisd evidence`: the sheet from a journal and from PGN, in every language, and in print.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod journal;
mod pgn;
mod print;

use std::{
    fs,
    process::{Command, Output},
};

use tempfile::TempDir;

const KARPOV_MILES: &str = "[Event \"Interpolis 10th\"]
[Site \"Tilburg NED\"]
[Date \"1986.11.04\"]
[Round \"12\"]
[White \"Karpov, Anatoly\"]
[Black \"Miles, Anthony J.\"]
[Result \"1/2-1/2\"]

1. d4 Nf6 2. c4 c5 3. d5 b5 4. cxb5 a6 5. e3 Bb7 6. Nc3 Qa5 7. Bd2 axb5 8. Bxb5 Qb6 9. Qb3 e6
10. e4 Nxe4 11. Nxe4 Bxd5 12. Qd3 Qb7 13. f3 c4 14. Bxc4 Bxc4 15. Qxc4 d5 16. Qc2 dxe4
17. Qxe4 Qxe4+ 18. fxe4 Nd7 19. Ne2 Nc5 20. Nc3 Nd3+ 21. Ke2 Nxb2 22. Nb5 Ra4 23. Nc3 Ra8
24. Nb5 Ra4 25. Nc3 Ra8 26. Nb5 1/2-1/2
";

fn evidence(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remisd"))
        .arg("evidence")
        .args(arguments)
        .env("TZ", "UTC")
        .env_remove("REMISD_LOG")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The sheet on stdout.
fn sheet(arguments: &[&str]) -> String {
    let output = evidence(&[arguments, &["-o", "-"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A refusal: the exit code and the message.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = evidence(&[arguments, &["-o", "-"]].concat());
    assert!(output.stdout.is_empty());
    (output.status.code().unwrap(), text(&output.stderr))
}

/// A folder with a PGN file in it.
fn folder(pgn: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    fs::write(&file, pgn).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

#[track_caller]
fn says(html: &str, facts: &[&str]) {
    for fact in facts {
        assert!(html.contains(fact), "{fact}\n{html}");
    }
}

/// Whether the tags of the sheet are properly nested.
fn is_well_formed(html: &str) -> bool {
    let void = ["meta", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let style = html.find("<style>").unwrap()..html.find("</style>").unwrap();
    for (at, _) in html.match_indices('<') {
        if style.contains(&at) && at != style.start {
            continue;
        }
        let inside = html[at + 1..].split('>').next().unwrap();
        if let Some(name) = inside.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
            continue;
        }
        let name = inside.split([' ', '\n']).next().unwrap();
        if !void.contains(&name) {
            open.push(name);
        }
    }
    open.is_empty()
}

struct Hexed<'a>(&'a [u8]);

impl std::fmt::LowerHex for Hexed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
