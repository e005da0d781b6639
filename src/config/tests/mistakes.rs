//! How mistakes in the file are shown.

use std::fs;

use super::{super::*, BOARD, read_with, shown};

#[test]
fn all_mistakes_are_shown_together_where_they_were_made() {
    let text = r#"[site]
id = "The Hall"
[mqtt]
url = "http://x"
[laws]
edition = "fide-2099"
rate = "blizt"
[audience]
delay_ms = -5
open = ["hall", "press"]
languages = []
[journal]
dir = "journal"
[[board]]
id = "b1"
kind = "dgx"
port = "ttyACM0"
hand = { mismatch_ms = 600001 }
[[board]]
id = "b1"
kind = "dgt"
"#;
    let shown = shown(text, &[]);
    for expected in [
        "site.id: \"The Hall\" cannot be a level of a topic",
        "remisd.toml:2:6",
        "mqtt://HOST[:PORT]",
        "remisd.toml:6:11",
        "allowed: fide-1997, fide-2001, fide-2005, fide-2009, fide-2014, fide-2017, fide-2018, fide-2023",
        "allowed: standard, rapid, blitz",
        "remisd.toml:9:12",
        "allowed: 0 to 7200000 milliseconds",
        "\"press\" is not known here",
        "only the profile \"club\"",
        "needs at least one language",
        "journal.dir: \"journal\" depends on",
        "board.0.kind: \"dgx\"",
        "board.0.port: \"ttyACM0\"",
        "remisd.toml:18:24",
        "board.1.id: \"b1\" belongs to another board already",
        "used here first",
        "board.1.port: must be set",
        "remisd.toml:19:1",
    ] {
        assert!(shown.contains(expected), "{expected} in\n{shown}");
    }
}

/// A faulty text; the place, what is wrong, and what would be right.
type Fault = (&'static str, &'static str, &'static str, &'static str);

const FAULTS: &[Fault] = &[
    // A board whose game another program writes.
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\n",
        "1:1",
        "board.0.source: must be set",
        "this board has no `source`",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"games\"\n",
        "4:10",
        "board.0.source: \"games\" depends on",
        "a path that begins with /",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv\"\nport = \"/dev/ttyACM0\"\n",
        "5:8",
        "board.0.port: does not belong to a board of the kind \"pgn\"",
        "leave it out",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"/dev/ttyACM0\"\nsource = \"/srv\"\n",
        "5:10",
        "board.0.source: does not belong to a board of the kind \"dgt\"",
        "set kind = \"pgn\"",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv\"\nnumber = 2\n\
         [[board]]\nid = \"b2\"\nkind = \"pgn\"\nsource = \"/srv\"\nnumber = 2\n",
        "10:10",
        "board.1.number: another board of this source has the number 2",
        "must be different",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"ftp://example.org/round.pgn?key=hunter2\"\n",
        "4:10",
        "board.0.source: \"ftp://example.org/round.pgn\" is not an address that begins with https://",
        "a path that begins with /, or an address that begins with https:// or http://",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"https://u:hunter2@example.org/a.pgn\"\n",
        "4:10",
        "board.0.source: \"https://…@example.org/a.pgn\" is not an address without a user",
        "allowed:",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"https://lichess.org/broadcast/open/AbCd1234\"\n",
        "4:10",
        "is not the address of a round: open the round on Lichess",
        "allowed:",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"https://example.org/a.pgn\"\npoll_ms = 500\n",
        "5:11",
        "board.0.poll_ms: every 500 ms is too often for an address",
        "allowed: 1000 to 600000 milliseconds",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\n\
         source = \"https://lichess.org/broadcast/open/round-1/AbCd1234\"\npoll_ms = 5000\n",
        "5:11",
        "board.0.poll_ms: a broadcast on Lichess sends its games by itself",
        "leave it out",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\n\
         source = \"https://lichess.org/broadcast/open/round-1/AbCd1234\"\nnumber = 2\n\
         [[board]]\nid = \"b2\"\nkind = \"pgn\"\n\
         source = \"https://lichess.org/api/stream/broadcast/round/AbCd1234.pgn\"\nnumber = 2\n",
        "10:10",
        "board.1.number: another board of this source has the number 2",
        "must be different",
    ),
    // The second account of a game.
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv/x\"\n\
         [board.compare]\nsource = \"/srv/x/\"\n",
        "6:10",
        "board.0.compare.source: this is the game that the board itself has",
        "name another source, or set another number",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"commands\"\n[board.compare]\nboard = \"b1\"\n",
        "5:9",
        "board.0.compare.board: a board cannot be compared with itself",
        "the id of another board",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"commands\"\n[board.compare]\nboard = \"b2\"\n",
        "5:9",
        "board.0.compare.board: there is no board \"b2\"",
        "the id of another board",
    ),
    // Keys that a board has no use for.
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv\"\nnew_game = \"command\"\n",
        "5:12",
        "board.0.new_game: does not belong to a board of the kind \"pgn\"",
        "taken as they come",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv\"\norientation = \"auto\"\n",
        "5:15",
        "board.0.orientation: does not belong to a board of the kind \"pgn\"",
        "leave it out",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"pgn\"\nsource = \"/srv\"\nhand = { mismatch_ms = 600 }\n",
        "5:24",
        "board.0.hand.mismatch_ms: does not belong to a board of the kind \"pgn\"",
        "leave it out",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"livechess\"\nsource = \"ws://127.0.0.1\"\nserial = \"1\"\n\
         dgt = { quiet_ms = 5 }\n",
        "6:20",
        "board.0.dgt.quiet_ms: does not belong to a board of the kind \"livechess\"",
        "set kind = \"dgt\"",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"/dev/ttyACM0\"\npoll_ms = 500\n",
        "5:11",
        "board.0.poll_ms: does not belong to a board of the kind \"dgt\"",
        "set kind = \"pgn\"",
    ),
    // Values of another kind.
    (
        "[site]\nid = 5\n",
        "2:6",
        "site.id: a number is not allowed here",
        "a text in quotes",
    ),
    (
        "[limits]\nplayer = \"5\"\n",
        "2:10",
        "limits.player: a text in quotes",
        "a whole number, without quotes",
    ),
    (
        "[limits]\nplayer = 1.5\n",
        "2:10",
        "a number with a decimal point",
        "a whole number",
    ),
    (
        "[limits]\nplayer = 99999999999999999999\n",
        "2:10",
        "a number that is too large",
        "a whole number",
    ),
    (
        "[http]\npages = \"yes\"\n",
        "2:9",
        "http.pages: a text",
        "true or false, without quotes",
    ),
    (
        "[http]\nsites = [\"Club B\"]\n",
        "2:9",
        "http.sites: \"Club B\" cannot be a level of a topic",
        "1 to 32 of a-z, 0-9 and -",
    ),
    (
        "[site]\nid = \"club-a\"\n[http]\nsites = [\"club-b\", \"club-a\"]\n",
        "4:9",
        "http.sites: \"club-a\" is listed twice",
        "each site once, and not site.id",
    ),
    (
        "[http]\nsites = [\"club-b\", \"club-b\"]\n",
        "2:9",
        "http.sites: \"club-b\" is listed twice",
        "each site once",
    ),
    (
        "[audience]\nlanguages = \"de\"\n",
        "2:13",
        "audience.languages: a text",
        "a list of texts",
    ),
    (
        "[audience]\nlanguages = [\"de\", 5]\n",
        "2:20",
        "audience.languages: a number",
        "a list of texts",
    ),
    (
        "[journal]\nkeep_days = 2026-01-01\n",
        "2:13",
        "a date or a time",
        "a whole number",
    ),
    // Keys and sections.
    (
        "[site]\nnaam = \"x\"\n",
        "2:1",
        "site.naam: there is no such key",
        "keys: id, node",
    ),
    (
        "[site]\nrate = \"blitz\"\n",
        "2:1",
        "site.rate: this key does not belong here",
        "`rate` belongs in [laws]",
    ),
    (
        "port = \"/dev/x\"\n",
        "1:1",
        "port: this key does not belong here",
        "in a [[board]]",
    ),
    (
        "[web]\n",
        "1:2",
        "web: there is no such section",
        "sections: audience, board, broadcast, http",
    ),
    (
        "site = \"hall\"\n",
        "1:1",
        "site: this is a section, not a key",
        "write [site], with its keys in the lines below",
    ),
    (
        "[[site]]\nid = \"a\"\n",
        "1:3",
        "site: this section is allowed once",
        "write [site], in single brackets",
    ),
    (
        "[board]\nid = \"b1\"\n",
        "1:2",
        "board: each board is a section",
        "write [[board]], in double brackets",
    ),
    (
        "[[board]]\ndgt = { gap_ms = 1 }\n",
        "2:9",
        "board.0.dgt.gap_ms: there is no such key",
        "command_gap_ms",
    ),
    (
        "[[board]]\nhand = 900\n",
        "2:1",
        "board.0.hand: this is a section",
        "write [board.hand]",
    ),
    (
        "[site]\nid = \"a\"\nid = \"b\"\n",
        "3:1",
        "is defined twice",
        "only [[board]], [[notify]] and [[tournament]] are repeated",
    ),
    (
        "[site]\n[site]\n",
        "2:2",
        "is defined twice",
        "each one is allowed once",
    ),
    (
        "[[board]]\nid = \"b1\"\nkind = \"dgt\"\n",
        "1:1",
        "board.0.port: must be set",
        "has no `port`",
    ),
    // Values that mean nothing.
    (
        "[limits]\nplayer = 0\n",
        "2:10",
        "limits.player: 0",
        "1 to 1000",
    ),
    (
        "[audience]\ndelay_ms = -1\n",
        "2:12",
        "audience.delay_ms: -1",
        "0 to 7200000 milliseconds",
    ),
    (
        "[laws]\nrate = \"blizt\"\n",
        "2:8",
        "laws.rate: \"blizt\"",
        "standard, rapid, blitz",
    ),
    (
        "[audience]\nlanguages = []\n",
        "2:13",
        "at least one language",
        "allowed: en",
    ),
    // What is not TOML.
    (
        "[site\n",
        "1:6",
        "the section is not closed",
        "for example: [site]",
    ),
    (
        "[[board]\n",
        "1:9",
        "the section is not closed",
        "for example: [[board]]",
    ),
    (
        "[site]\nid \"x\"\n",
        "2:4",
        "there is no `=`",
        "key = value",
    ),
    (
        "[site]\nid = \n",
        "2:6",
        "the key has no value",
        "a text in straight quotes",
    ),
    (
        "[site]\nid = hall\n",
        "2:6",
        "this is not a value",
        "a text in straight quotes",
    ),
    (
        "[site]\nid = \u{201c}hall\u{201d}\n",
        "2:6",
        "this is not a value",
        "straight quotes",
    ),
    (
        "[site]\nid = \"hall\n",
        "2:11",
        "the text is not closed",
        "ends with the quote",
    ),
    (
        "[journal]\ndir = \"C:\\q\"\n",
        "2:11",
        "is followed by something",
        "single quotes",
    ),
    (
        "[limits]\nplayer = 05\n",
        "2:10",
        "this is not a number",
        "a whole number",
    ),
    (
        "[limits]\nplayer = 5,\n",
        "2:11",
        "does not belong after the value",
        "one key in each line",
    ),
    (
        "[http]\npages = tru\n",
        "2:9",
        "this is not a value",
        "true or false",
    ),
    (
        "[http]\nnames = [\"a\"\n",
        "2:13",
        "the list is not closed",
        "for example: [",
    ),
    (
        "größe = 1\n",
        "1:3",
        "not the name of a key",
        "letters from a to z",
    ),
    // A byte order mark is not a part of the first line.
    (
        "\u{feff}[web]\n",
        "1:2",
        "web: there is no such section",
        "sections: ",
    ),
];

#[test]
fn each_fault_names_its_place_the_error_and_the_allowed_values() {
    for (text, place, wrong, right) in FAULTS {
        let shown = shown(text, &[]);
        for expected in [
            format!("remisd.toml:{place}\n"),
            (*wrong).to_owned(),
            (*right).to_owned(),
        ] {
            assert!(
                shown.contains(&expected),
                "{text:?}: {expected} in\n{shown}"
            );
        }
        assert!(!shown.contains("hunter2"), "{shown}");
        // The parser's and the deserialiser's own words.
        for foreign in [
            "expected",
            "invalid type",
            "i64",
            "untagged",
            "map",
            "literal",
            "unquoted",
        ] {
            assert!(!shown.contains(foreign), "{foreign} in\n{shown}");
        }
    }
    assert!(read_with(&format!("\u{feff}{BOARD}"), &[]).is_ok());
}

#[test]
fn all_mistakes_of_form_are_shown_together() {
    let shown = shown(
        "[site]\nid = 5\nnaam = 1\n[web]\n[[board]]\nport = 1\n",
        &[],
    );
    for expected in ["site.id", "site.naam", "web", "board.0.port"] {
        assert!(
            shown.contains(&format!("{expected}: ")),
            "{expected} in\n{shown}"
        );
    }
}

#[test]
fn mistakes_of_form_hide_no_wrong_value() {
    let shown = shown(
        "[site]\nnaam = 1\n[web]\nx = 1\n[laws]\nrate = \"blizt\"\n\
         [[board]]\nid = \"B 1\"\nkind = \"dgt\"\nprot = \"/dev/a\"\n\
         [[board]]\nid = \"b2\"\nkind = \"dgx\"\nport = 5\n",
        &[("REMISD_AUDIENCE_DELAY_MS", "-1")],
    );
    for expected in [
        "site.naam: there is no such key",
        "web: there is no such section",
        "remisd.toml:6:8",
        "board.0.id: ",
        "board.0.prot: ",
        "board.1.kind: ",
        "board.1.port: a number is not allowed here",
        "audience.delay_ms: ",
    ] {
        assert!(shown.contains(expected), "{expected} in\n{shown}");
    }
    // A key that was refused is not also missing.
    assert_eq!(shown.matches("board.1.port").count(), 1, "{shown}");
}

#[test]
fn a_misplaced_key_lists_every_section_that_accepts_it() {
    let shown = shown(
        "[laws]\ntls_cert = \"/a\"\ndir = \"/b\"\nid = \"b1\"\n",
        &[],
    );
    assert!(shown.contains("`dir` belongs in [journal]"), "{shown}");
    let both = "`id` belongs in a [[board]] or [site]";
    assert!(shown.contains(both), "{shown}");
}

#[test]
fn a_file_that_is_not_utf8_is_shown_at_its_first_wrong_character() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("remisd.toml");
    let shown = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let read = Configuration::load(Some(&path), &Environment::default(), &editions());
        read.unwrap_err().to_string()
    };
    let latin1 = shown(b"[site]\nid = \"h\xe4ll\"\n");
    assert!(latin1.contains("remisd.toml:2:8"), "{latin1}");
    assert!(
        latin1.contains("not UTF-8") && latin1.contains("save the file as UTF-8"),
        "{latin1}"
    );
    let utf16 = shown(b"\xff\xfe[\0s\0");
    assert!(utf16.contains("the file is UTF-16"), "{utf16}");
}

#[test]
fn a_mistake_never_shows_a_password() {
    for text in [
        "[mqtt]\npassword = hunter2\n",
        "[mqtt]\npassword = \"hunter2\n",
        "[mqtt]\npassword = \"hunter2\"\n",
        "mqtt = { password = \"hunter2\", x = 1 }\n",
        "[mqtt]\npassword = \"hunter2\"\npassword_file = \"/x\"\n",
        "[mqtt]\nurl = \"mqtt://u:hunter2@x\"\npassword = 4711\n",
        "[mqtt]\nusername = \"u\"\npassword = 4711\n",
        "[mqtt]\nurl = \"mqtt://u:hunter2@x\"\n",
    ] {
        let shown = shown(text, &[]);
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(!shown.contains("4711"), "{shown}");
    }
}
