//! Rounds of Lichess broadcasts that boards follow.

use super::*;

/// Boards of this many rounds on Lichess, two of each.
fn rounds(count: u32) -> String {
    let board = |number: u32| {
        let round = number / 2;
        format!(
            "[[board]]\nid = \"b{number}\"\nkind = \"pgn\"\n\
             source = \"https://lichess.org/broadcast/open/round-1/Round{round:03}\"\n"
        )
    };
    (0..2 * count).map(board).collect()
}

#[test]
fn more_rounds_than_lichess_allows_for_an_ip_address_are_refused() {
    assert_eq!(read_with(&rounds(8), &[]).unwrap().config.boards.len(), 16);
    let refused = shown(&rounds(9), &[]);
    assert!(
        refused.contains("board.16.source: Lichess allows 8 rounds at a time"),
        "{refused}"
    );
    assert_eq!(refused.matches("Lichess allows").count(), 1, "{refused}");
    // Other servers say so themselves, if they have such a limit.
    let elsewhere = |at: u32| {
        let path = "api/stream/broadcast/round";
        format!(
            "[[board]]\nid = \"x{at}\"\nkind = \"pgn\"\n\
             source = \"https://chess.example/{path}/Round{at:03}.pgn\"\n"
        )
    };
    let many: String = (0..20).map(elsewhere).collect();
    read_with(&(rounds(8) + &many), &[]).unwrap();
}

#[test]
fn the_token_for_private_rounds_goes_to_one_server_with_tls() {
    let section = "[private_rounds]\n";
    let read = read_with(&format!("{section}token_file = \"/etc/t\"\n"), &[]).unwrap();
    let access = read.config.private_rounds.unwrap();
    assert_eq!(access.host, "https://lichess.org");
    assert_eq!(access.token, SecretSource::File("/etc/t".into()));
    let own =
        format!("{section}token_credential = \"t\"\nhost = \"https://chess.example:8443/\"\n");
    let access = read_with(&own, &[]).unwrap().config.private_rounds.unwrap();
    assert_eq!(access.host, "https://chess.example:8443");
    assert!(matches!(access.token, SecretSource::Credential { .. }));
    assert_eq!(read_with(section, &[]).unwrap().config.private_rounds, None);
    for (keys, expected) in [
        (
            "host = \"http://lichess.org\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"http://127.0.0.1:9663\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"https://lichess.org/api\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"https://schach-m\u{fc}nchen.de\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"https://lichess.org:99999\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"https://[::1\"",
            "not a server that a token can be sent to",
        ),
        (
            "host = \"https://u:hunter2@lichess.org\"",
            "not a valid address",
        ),
        (
            "token_credential = \"t\"",
            "the token is given by private_rounds.token_file already",
        ),
    ] {
        let refused = shown(&format!("{section}token_file = \"/etc/t\"\n{keys}\n"), &[]);
        assert!(refused.contains(expected), "{keys}: {refused}");
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}

#[test]
fn a_token_that_others_can_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "lip_hunter2\n").unwrap();
    let text = format!("[private_rounds]\ntoken_file = \"{}\"\n", file.display());
    let config = read_with(&text, &[]).unwrap().config;
    for (mode, is_safe) in [(0o644, false), (0o600, true)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let unusable = config.unusable_secrets();
        assert_eq!(unusable.is_empty(), is_safe, "{unusable:?}");
        for reason in unusable {
            assert_eq!(reason.key(), "private_rounds.token_file");
            assert!(!reason.to_string().contains("hunter2"), "{reason}");
        }
    }
}
