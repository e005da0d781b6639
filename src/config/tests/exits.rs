//! What leaves for the world: `[broadcast]` and `[livechess]`.

use super::*;

#[test]
fn in_a_competition_live_boards_are_for_the_arbiter_alone() {
    let livechess = |lines: &str| format!("[livechess]\nenabled = true\n{lines}\n");
    let refused = shown(&livechess(""), &[]);
    assert!(refused.contains("livechess.audience"), "{refused}");
    assert!(refused.contains("audience = \"public\""), "{refused}");
    let public = livechess("audience = \"public\"\nlisten = \"0.0.0.0:1982\"");
    let read = read_with(&public, &[]).unwrap().config.livechess;
    assert_eq!((read.enabled, read.origins.len()), (true, 2));
    // Nor for a page that no one has listed.
    let arbiter = livechess("audience = \"arbiter\"");
    let read = read_with(&arbiter, &[]).unwrap().config.livechess;
    assert_eq!(read.origins, []);
    let open = livechess("audience = \"arbiter\"\nlisten = \"0.0.0.0:1982\"");
    assert!(shown(&open, &[]).contains("can be reached from other computers"));
    let casual = format!("[audience]\nprofile = \"casual\"\n{}", livechess(""));
    let read = read_with(&casual, &[]).unwrap().config.livechess;
    assert_eq!(
        (read.audience, read.origins.len()),
        (LiveChessAudience::Operator, 2)
    );
    // While it is off, nothing is wrong with it.
    assert!(!read_with("", &[]).unwrap().config.livechess.enabled);
}

#[test]
fn pages_of_the_livechess_api_are_origins_and_its_user_has_one_password() {
    let livechess = |lines: &str| format!("[livechess]\n{lines}\n");
    for origin in ["chess.example", "https://chess.example/", "*"] {
        let shown = shown(&livechess(&format!("origins = [\"{origin}\"]")), &[]);
        assert!(shown.contains("is not the origin of a page"), "{shown}");
    }
    let shown_of = |lines: &str| shown(&livechess(lines), &[]);
    assert!(shown_of("listen = \"1982\"").contains("is not an address with its port"));
    assert!(shown_of("password_file = \"/x\"").contains("set livechess.username as well"));
}

#[test]
fn nothing_is_broadcast_unless_it_is_configured() {
    let broadcast = read_with(BOARD, &[]).unwrap().config.broadcast;
    assert!(!broadcast.is_used());
    for lines in [
        "folder = \"/srv/pgn\"",
        "upload_url = \"https://example.org/pgn/\"",
        "lichess = { rounds = [\"AbCdEfGh\"], dry_run = \"/tmp/x\" }",
    ] {
        let text = format!("[broadcast]\n{lines}\n{BOARD}");
        assert!(
            read_with(&text, &[]).unwrap().config.broadcast.is_used(),
            "{lines}"
        );
    }
}

#[test]
fn games_are_served_by_the_pages_alone() {
    let broadcast = format!("[broadcast]\nhttp = true\n{BOARD}");
    assert!(shown(&broadcast, &[]).contains("set http.listen and http.pages as well"));
    let served = format!("[http]\nlisten = \"127.0.0.1:9120\"\n{broadcast}");
    assert!(read_with(&served, &[]).unwrap().config.broadcast.http);
    let bare = format!("[http]\nlisten = \"127.0.0.1:9120\"\npages = false\n{broadcast}");
    assert!(shown(&bare, &[]).contains("the pages that would serve the games are off"));
}

#[test]
fn a_lichess_round_has_an_id_room_for_the_boards_and_a_token() {
    let lichess = |lines: &str| format!("[broadcast.lichess]\n{lines}\n");
    let token = "token_file = \"/etc/remisd/token\"";
    for (rounds, wrong) in [
        ("[\"abc\"]", "\"abc\" is not the id of a Lichess round"),
        (
            "[\"AbCdEfGh+https://x\"]",
            "\"https://x\" is not the id of a Lichess round",
        ),
    ] {
        let text = lichess(&format!("rounds = {rounds}\n{token}"));
        let refused = shown(&format!("{text}{BOARD}"), &[]);
        assert!(refused.contains(wrong), "{refused}");
    }
    let bare = lichess("rounds = [\"AbCdEfGh\"]");
    assert!(shown(&format!("{bare}{BOARD}"), &[]).contains("needs a token"));
    let boards = |count: usize| -> String {
        let board =
            |n| format!("[[board]]\nid = \"b{n}\"\nkind = \"dgt\"\nport = \"/dev/ttyACM{n}\"\n");
        (1..=count).map(board).collect()
    };
    let one = lichess(&format!("rounds = [\"AbCdEfGh\"]\n{token}"));
    assert!(read_with(&format!("{one}{}", boards(100)), &[]).is_ok());
    let refused = shown(&format!("{one}{}", boards(101)), &[]);
    assert!(refused.contains("takes 100 of 101 boards"), "{refused}");
    let two = lichess(&format!("rounds = [\"AbCdEfGh+IjKlMnOp\"]\n{token}"));
    let read = read_with(&format!("{two}{}", boards(101)), &[]).unwrap();
    let lichess = read.config.broadcast.lichess.unwrap();
    assert_eq!(lichess.rounds[&1], ["AbCdEfGh", "IjKlMnOp"]);
}

#[test]
fn a_lichess_round_is_given_once() {
    let token = "token_file = \"/etc/remisd/token\"";
    for rounds in [
        "[\"AbCdEfGh+AbCdEfGh\"]",
        "[\"AbCdEfGh\", \"AbCdEfGh\"]",
        "[\"AbCdEfGh\", \"IjKlMnOp+AbCdEfGh\"]",
        "[\"AbCdEfGh+QrStUvWx\", \"IjKlMnOp+AbCdEfGh\"]",
    ] {
        let text = format!("[broadcast.lichess]\nrounds = {rounds}\n{token}\n{BOARD}");
        let refused = shown(&text, &[]);
        assert!(
            refused.contains("\"AbCdEfGh\" is given twice"),
            "{rounds}: {refused}"
        );
    }
}

#[test]
fn an_upload_has_an_address_and_one_secret() {
    let upload = |lines: &str| format!("[broadcast]\n{lines}\n{BOARD}");
    for address in ["ftp://example.org", "example.org/pgn", "https://a@b/c"] {
        let refused = shown(&upload(&format!("upload_url = \"{address}\"")), &[]);
        assert!(refused.contains("is not a valid address"), "{refused}");
    }
    let both = "upload_url = \"https://example.org\"\nupload_authorization_file = \"/x\"\n\
                upload_authorization_credential = \"x\"";
    let refused = shown(&upload(both), &[]);
    assert!(refused.contains("the secret is given by"), "{refused}");
}

#[test]
fn a_round_is_pushed_to_once_and_a_secret_has_a_use_and_never_leaves_in_clear() {
    let token = "token_file = \"/etc/remisd/token\"";
    let lichess = |lines: &str| shown(&format!("[broadcast.lichess]\n{lines}\n{BOARD}"), &[]);
    for rounds in ["[\"AbCdEfGh\", \"AbCdEfGh\"]", "[\"AbCdEfGh+AbCdEfGh\"]"] {
        let refused = lichess(&format!("rounds = {rounds}\n{token}"));
        assert!(refused.contains("\"AbCdEfGh\" is given twice"), "{refused}");
    }
    assert!(lichess(token).contains("set broadcast.lichess.rounds as well"));
    let clear = format!("rounds = [\"AbCdEfGh\"]\nhost = \"http://lichess.example\"\n{token}");
    assert!(lichess(&clear).contains("unencrypted"));
    let upload = |lines: &str| format!("[broadcast]\n{lines}\n{BOARD}");
    let secret = "upload_authorization_file = \"/x\"";
    let alone = shown(&upload(secret), &[]);
    assert!(
        alone.contains("set broadcast.upload_url as well"),
        "{alone}"
    );
    let clear = format!("upload_url = \"http://example.org\"\n{secret}");
    assert!(shown(&upload(&clear), &[]).contains("unencrypted"));
    for host in [
        "127.evil.example",
        "localhost.example",
        "10.0.0.1",
        "[fd00::1]",
    ] {
        let clear = format!("upload_url = \"http://{host}/pgn\"\n{secret}");
        assert!(
            shown(&upload(&clear), &[]).contains("unencrypted"),
            "{host}"
        );
    }
    for host in ["127.0.0.1:8080", "localhost", "[::1]:8080"] {
        let own = format!("upload_url = \"http://{host}/pgn\"\n{secret}");
        assert!(read_with(&upload(&own), &[]).is_ok(), "{host}");
    }
    let open = "upload_url = \"http://example.org\"";
    assert!(read_with(&upload(open), &[]).is_ok());
}

const FINGERPRINT: &str = "SHA256:uNiVztksCsDhcc0u9e8BrrHXVr0hPVm1hL9ivWS0Kzk";

#[test]
fn sftp_needs_a_login_and_the_server_s_key() {
    let upload = |lines: &str| format!("[broadcast]\n{lines}\n{BOARD}");
    let url = "upload_url = \"sftp://club@files.example:2222/var/www\"";
    let keys = format!("upload_host_keys = [\"{FINGERPRINT}\"]");
    for login in [
        "upload_password_file = \"/x\"",
        "upload_key_file = \"/x\"",
        "upload_key_credential = \"x\"",
    ] {
        for keys in [&keys, "upload_known_hosts = \"/y\""] {
            let text = upload(&format!("{url}\n{login}\n{keys}"));
            let read = read_with(&text, &[]).unwrap().config.broadcast;
            assert!(matches!(read.upload, Some(Upload::Sftp { .. })), "{text}");
        }
    }
    let key = "upload_key_file = \"/x\"";
    for (lines, wrong) in [
        (
            format!("{url}\n{keys}"),
            "needs a password or a private key",
        ),
        (
            format!("{url}\n{key}"),
            "anyone could pretend to be the server",
        ),
        (
            format!("{url}\n{key}\nupload_password_file = \"/y\"\n{keys}"),
            "a password and a private key",
        ),
        (
            format!("{url}\n{key}\n{keys}\nupload_known_hosts = \"/y\""),
            "the server's keys are given twice",
        ),
        (
            format!("{url}\n{key}\nupload_host_keys = [\"MD5:00:11\"]"),
            "is not the fingerprint of a host key",
        ),
        (
            format!("{url}\n{key}\n{keys}\nupload_ca_file = \"/y\""),
            "it does not apply to sftp://",
        ),
        (format!("{key}\n{keys}"), "set broadcast.upload_url as well"),
        (
            format!("upload_url = \"https://x.example\"\n{key}"),
            "it does not apply to https://",
        ),
    ] {
        let refused = shown(&upload(&lines), &[]);
        assert!(refused.contains(wrong), "{lines}: {refused}");
    }
}

#[test]
fn ftps_needs_a_password() {
    let upload = |lines: &str| format!("[broadcast]\n{lines}\n{BOARD}");
    let password = "upload_password_file = \"/x\"";
    for url in [
        "ftps://a@b.example@c/pgn",
        "ftpes://a@c",
        "ftps://a@c:990/~/x",
    ] {
        let url = format!("upload_url = \"{url}\"");
        let refused = shown(&upload(&url), &[]);
        assert!(refused.contains("the server needs a password"), "{refused}");
        let text = upload(&format!("{url}\n{password}\nupload_ca_file = \"/ca\""));
        let read = read_with(&text, &[]).unwrap().config.broadcast;
        assert!(matches!(read.upload, Some(Upload::Ftps { .. })), "{text}");
    }
}

#[test]
fn a_password_in_an_address_is_refused_and_not_shown() {
    for (scheme, reason) in [
        ("sftp://", "an address without a password"),
        ("ftps://", "an address without a password"),
        ("https://", "is not a valid address"),
        ("", "is not a valid address"),
    ] {
        let url = format!("upload_url = \"{scheme}club:hunter2@files.example/x\"");
        let refused = shown(&format!("[broadcast]\n{url}\n{BOARD}"), &[]);
        assert!(refused.contains(reason), "{refused}");
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}
