//! The configuration as users see it: the example, mistakes, the environment.

mod exits;

use std::{fs, path::PathBuf};

use super::*;
use crate::words::Language;
use remisd_vocabulary::reading::Promotion;

const BOARD: &str = "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"/dev/ttyACM0\"\n";

fn read_with(text: &str, variables: &[(&str, &str)]) -> Result<Configuration, ConfigError> {
    let variables = variables.iter().map(|&(k, v)| (k.into(), v.into()));
    Configuration::parse(
        text,
        "remisd.toml",
        &Environment::new(variables),
        &editions(),
    )
}

fn shown(text: &str, variables: &[(&str, &str)]) -> String {
    read_with(text, variables).unwrap_err().to_string()
}

fn shipped(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("config")
        .join(name)
}

#[test]
fn the_example_holds_every_key_with_its_default() {
    let path = shipped("remisd.toml");
    let text = fs::read_to_string(&path).unwrap();
    let example = read_with(&text, &[]).unwrap();
    let [warning] = &example.warnings[..] else {
        panic!("{:?}", example.warnings);
    };
    assert!(warning.starts_with("audience.delay_ms is 0"), "{warning}");
    let bare = "[[board]]\nid = \"b1\"\nkind = \"dgt\"\n\
                port = \"/dev/serial/by-id/usb-DGT_DGT_Chessboard-if00\"\n";
    assert_eq!(example.config, read_with(bare, &[]).unwrap().config);
    for key in &example.effective {
        let name = key.key.rsplit('.').next().unwrap();
        let written = text.lines().any(|line| {
            line.trim_start_matches("# ")
                .starts_with(&format!("{name} = "))
        });
        assert!(written, "{} is not in the example", key.key);
        let open = key.origin != "default" || text.contains(&format!("\n# {name} = "));
        assert!(open, "{} is neither set nor shown as a comment", key.key);
    }
}

#[test]
fn a_promotion_that_is_not_seen_is_a_queen_or_asked_about() {
    let asked = format!("{BOARD}hand = {{ promotion = \"ask\" }}\n");
    for (text, promotion) in [(BOARD, Promotion::Queen), (&asked, Promotion::Ask)] {
        let read = read_with(text, &[]).unwrap();
        assert_eq!(read.config.boards[0].hand.promotion, promotion);
    }
    let text = format!("{BOARD}hand = {{ promotion = \"rook\" }}\n");
    let refused = shown(&text, &[]);
    assert!(refused.contains("hand.promotion"), "{refused}");
    assert!(refused.contains("queen, ask"), "{refused}");
}

#[test]
fn the_schema_is_current_and_the_example_fits_it() {
    let path = shipped("remisd.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept == current, "run the tests once with UPDATE_SCHEMAS=1");

    let validator = jsonschema::validator_for(&schema()).unwrap();
    let fits = |text: &str| {
        let value: toml::Value = toml::from_str(text).unwrap();
        validator.is_valid(&serde_json::to_value(value).unwrap())
    };
    assert!(fits(&fs::read_to_string(shipped("remisd.toml")).unwrap()));
    for bad in [
        "[site]\nid = \"A\"",
        "[site]\nname = \"a\"",
        "[laws]\nrate = \"fast\"",
        "[audience]\ndelay_ms = -1",
        "[web]",
        "[laws]\nedition = \"fide-2099\"",
        "[[board]]\nid = \"b1\"",
    ] {
        assert!(!fits(bad), "{bad}");
    }
}

#[test]
fn all_mistakes_are_shown_at_once_where_they_were_made() {
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
    // Values of another kind.
    (
        "[site]\nid = 5\n",
        "2:6",
        "site.id: a number cannot stand here",
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
        "`rate` belongs into [laws]",
    ),
    (
        "port = \"/dev/x\"\n",
        "1:1",
        "port: this key does not belong here",
        "into a [[board]]",
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
        "as: [site]",
    ),
    (
        "[[site]]\nid = \"a\"\n",
        "1:3",
        "site: this section is allowed once",
        "as: [site]",
    ),
    (
        "[board]\nid = \"b1\"\n",
        "1:2",
        "board: each board is a section",
        "as: [[board]]",
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
        "as: [board.hand]",
    ),
    (
        "[site]\nid = \"a\"\nid = \"b\"\n",
        "3:1",
        "for the second time",
        "only [[board]], [[notify]] and [[tournament]] are repeated",
    ),
    (
        "[site]\n[site]\n",
        "2:2",
        "for the second time",
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
    ("[site\n", "1:6", "the section is not closed", "as: [site]"),
    (
        "[[board]\n",
        "1:9",
        "the section is not closed",
        "as: [[board]]",
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
        "as: [",
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
fn each_fault_says_where_it_is_what_is_wrong_and_what_would_be_right() {
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
fn all_mistakes_of_form_are_shown_at_once() {
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
        "board.1.port: a number cannot stand here",
        "audience.delay_ms: ",
    ] {
        assert!(shown.contains(expected), "{expected} in\n{shown}");
    }
    // A key that was refused is not also missing.
    assert_eq!(shown.matches("board.1.port").count(), 1, "{shown}");
}

#[test]
fn a_misplaced_key_is_told_every_section_in_which_it_would_be_right() {
    let shown = shown(
        "[laws]\ntls_cert = \"/a\"\ndir = \"/b\"\nid = \"b1\"\n",
        &[],
    );
    assert!(shown.contains("`dir` belongs into [journal]"), "{shown}");
    let both = "`id` belongs into a [[board]] or [site]";
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

#[test]
fn the_environment_stands_over_the_file() {
    let text = format!("[site]\nid = \"a\"\n[laws]\nrate = \"rapid\"\n{BOARD}");
    let read = read_with(
        &text,
        &[
            ("REMISD_SITE_ID", "b"),
            ("REMISD_AUDIENCE_PROFILE", "club"),
            ("REMISD_AUDIENCE_OPEN", "hall, player"),
            ("REMISD_AUDIENCE_OPERATOR_DRAW", "true"),
            ("REMISD_BOARD_0_DGT_ANSWER_MS", "2000"),
            ("REMISD_BOARD_1_ID", "b2"),
            ("REMISD_BOARD_1_KIND", "dgt"),
            ("REMISD_BOARD_1_PORT", "/dev/ttyACM1"),
            ("STATE_DIRECTORY", "/var/lib/private/remisd:/other"),
            ("REMISD_CONFIG", "/x"),
            ("REMISD_LOG", "debug"),
            ("HOME", "/root"),
        ],
    )
    .unwrap();
    let config = read.config;
    assert_eq!(config.site.id.as_str(), "b");
    assert_eq!(config.laws.regulations.rate, remisd_laws::Rate::Rapid);
    let open: Vec<Opened> = config.audience.open.into_iter().collect();
    assert_eq!(open, [Opened::Player, Opened::Hall]);
    assert!(config.audience.operator_draw);
    assert_eq!(config.boards[0].dgt.answer_ms, 2_000);
    assert_eq!(config.boards[1].id.as_str(), "b2");
    assert_eq!(config.mqtt.client_id, None);
    let expected = PathBuf::from("/var/lib/private/remisd/journal");
    assert_eq!(config.journal.dir, expected);
}

#[test]
fn every_key_has_a_variable_and_every_variable_a_key() {
    let mut file = raw::File {
        board: vec![toml::Spanned::new(0..0, raw::Board::default())],
        ..raw::File::default()
    };
    let mut names = Vec::new();
    file.walk("", &mut |path, _| names.push(environment::variable(path)));
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "no two keys share a variable");
    for name in names {
        // Even if the value is invalid, the name must be accepted.
        if let Err(error) = read_with(BOARD, &[(&name, "1")]) {
            let shown = error.to_string();
            assert!(
                shown.contains(&name) && !shown.contains("is not known\n"),
                "{shown}"
            );
        }
    }
    for unknown in [
        "REMISD_SITE_NAME",
        "REMISD_",
        "REMISD_BOARD_5_ID",
        "REMISD_HTTP_PORT",
    ] {
        let shown = shown(BOARD, &[(unknown, "1")]);
        let expected = format!("the environment variable {unknown} is not known");
        assert!(shown.contains(&expected), "{shown}");
    }
    let shown = shown("", &[("REMISD_AUDIENCE_DELAY_MS", "soon")]);
    assert!(shown.contains("REMISD_AUDIENCE_DELAY_MS") && shown.contains("a whole number"));
}

#[test]
fn a_password_has_one_place_and_a_user() {
    let both = "[mqtt]\nusername = \"u\"\npassword_file = \"/x\"\npassword_credential = \"y\"\n";
    assert!(shown(both, &[]).contains("one of password, password_file, password_credential"));
    let nobody = "[mqtt]\npassword_file = \"/x\"\n";
    assert!(shown(nobody, &[]).contains("there is a password but no user"));
    let climbing = "[mqtt]\nusername = \"u\"\npassword_credential = \"../x\"\n";
    assert!(shown(climbing, &[]).contains("is not a credential's name"));
    let text = "[mqtt]\nusername = \"u\"\npassword_credential = \"y\"\n";
    let read = read_with(text, &[("CREDENTIALS_DIRECTORY", "/run/c")]).unwrap();
    let expected = SecretSource::Credential {
        name: "y".to_owned(),
        directory: Some("/run/c".into()),
    };
    assert_eq!(read.config.mqtt.password, Some(expected));
}

#[test]
fn health_alone_is_for_this_computer_and_pages_may_be_for_others() {
    let listen = |address: &str| format!("[http]\nlisten = \"{address}\"\n");
    for address in [
        "127.0.0.1:9120",
        "[::1]:9120",
        "0.0.0.0:9120",
        "192.0.2.1:80",
    ] {
        let read = read_with(&listen(address), &[]).unwrap();
        assert_eq!(read.config.http.listen, Some(address.parse().unwrap()));
    }
    for address in ["0.0.0.0:9120", "192.0.2.1:80", "[::]:80"] {
        let shown = shown(&format!("{}pages = false\n", listen(address)), &[]);
        assert!(
            shown.contains("can be reached from other computers"),
            "{shown}"
        );
    }
    assert!(shown(&listen("9120"), &[]).contains("is not an address with its port"));
    assert_eq!(read_with("", &[]).unwrap().config.http.listen, None);
}

#[test]
fn pages_have_names_of_computers_and_a_reader_with_one_password() {
    let read = read_with("[http]\nnames = [\"chess.example\"]\n", &[]).unwrap();
    assert_eq!(read.config.http.names, ["chess.example"]);
    for name in ["http://chess.example", "chess.example:80", ""] {
        let shown = shown(&format!("[http]\nnames = [\"{name}\"]\n"), &[]);
        assert!(shown.contains("is not the name of a computer"), "{shown}");
    }
    let nobody = "[http]\npublic_password_file = \"/x\"\n";
    assert!(shown(nobody, &[]).contains("set http.public_username as well"));
    let both = "[http]\npublic_username = \"public\"\npublic_password_file = \"/x\"\n\
                public_password_credential = \"y\"\n";
    let allowed = "one of public_password_file, public_password_credential";
    assert!(shown(both, &[]).contains(allowed));
}

#[test]
fn tls_wants_a_certificate_with_its_key_and_a_broker_that_speaks_it() {
    let url = "[mqtt]\nurl = \"mqtts://broker.example\"\n";
    let plain = "[mqtt]\nca_file = \"/ca.pem\"\n";
    assert!(shown(plain, &[]).contains("is a broker without TLS"));
    let no_key = format!("{url}cert_file = \"/c.pem\"\n");
    assert!(shown(&no_key, &[]).contains("there is a certificate but no private key"));
    let no_certificate = format!("{url}key_credential = \"k\"\n");
    assert!(shown(&no_certificate, &[]).contains("there is a private key but no certificate"));
    let two = format!("{url}cert_file = \"/c\"\nkey_file = \"/k\"\nkey_credential = \"k\"\n");
    assert!(shown(&two, &[]).contains("one of key_file, key_credential"));
    let relative = format!("{url}ca_file = \"ca.pem\"\n");
    assert!(shown(&relative, &[]).contains("depends on where the daemon was started"));

    let whole =
        format!("{url}ca_file = \"/ca.pem\"\ncert_file = \"/c.pem\"\nkey_file = \"/k.pem\"\n");
    let read = read_with(&whole, &[("RUNTIME_DIRECTORY", "/run/remisd:/run/x")]).unwrap();
    let mqtt = read.config.mqtt;
    assert_eq!(
        (mqtt.url.server_name(), mqtt.url.port()),
        ("broker.example", 8883)
    );
    let tls = mqtt.tls.unwrap();
    assert_eq!(tls.runtime_dir, PathBuf::from("/run/remisd"));
    assert_eq!(tls.ca_file, Some("/ca.pem".into()));
    let identity = tls.identity.unwrap();
    assert_eq!(identity.certificates, PathBuf::from("/c.pem"));
    assert_eq!(identity.key, SecretSource::File("/k.pem".into()));
    assert_eq!(read_with("", &[]).unwrap().config.mqtt.tls, None);
}

#[test]
fn the_flag_goes_before_the_variable_and_a_named_file_must_be_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = dir.path().join(name);
        fs::write(&path, format!("[site]\nid = \"{name}\"\n")).unwrap();
        path
    };
    let (flag, variable) = (file("flag"), file("variable"));
    let pairs = [(
        "REMISD_CONFIG".to_owned(),
        variable.to_string_lossy().into_owned(),
    )];
    let environment = Environment::new(pairs);
    let site = |chosen| {
        let read = Configuration::load(chosen, &environment, &editions()).unwrap();
        read.config.site.id.to_string()
    };
    assert_eq!(site(Some(flag.as_path())), "flag");
    assert_eq!(site(None), "variable");
    let gone = dir.path().join("gone");
    let error = Configuration::load(Some(&gone), &environment, &editions()).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

#[test]
fn texts_can_be_in_swiss_german() {
    let text = format!("[audience]\nlanguages = [\"de-ch\", \"nl\"]\n{BOARD}");
    let config = read_with(&text, &[]).unwrap().config;
    assert_eq!(config.audience.languages, [Language::DeCh, Language::Nl]);
    let text = text.replace("de-ch", "de-at");
    let shown = shown(&text, &[]);
    assert!(shown.contains("allowed: en, de, de-ch, nl"), "{shown}");
}

#[test]
fn what_the_journal_cannot_keep_is_told() {
    let wrong = r#"[journal]
dir = "/var/lib/remisd/journal"
mount = "/mnt/journal"
raw_kib = 600
raw_board_kib = 599
keep_days = -1
names = "hide"
"#;
    let told = shown(wrong, &[]);
    for expected in [
        "journal.mount: \"/mnt/journal\" is not on the way to the journal's directory",
        "journal.raw_board_kib: is less than what one game may have",
        "journal.keep_days: -1 is out of range",
        "allowed: keep, mask",
    ] {
        assert!(told.contains(expected), "{expected} in\n{told}");
    }
    let good = "[journal]\ndir = \"/mnt/disk/journal\"\nmount = \"/mnt/disk\"\nraw_kib = 0\n";
    let journal = read_with(&format!("{good}{BOARD}"), &[])
        .unwrap()
        .config
        .journal;
    assert_eq!(journal.mount, Some("/mnt/disk".into()));
    assert_eq!((journal.raw.game, journal.keep_days), (0, 0));
    assert_eq!(journal.names, Names::Keep);
}

#[test]
fn a_competition_with_a_short_delay_is_warned_of() {
    for (audience, warned) in [
        ("", true),
        ("delay_ms = 899999\n", true),
        ("delay_ms = 900000\n", false),
        ("delay_ms = 60000\npublic_draw_after_ms = 60000\n", false),
        ("profile = \"club\"\n", false),
        ("profile = \"casual\"\n", false),
    ] {
        let read = read_with(&format!("[audience]\n{audience}{BOARD}"), &[]).unwrap();
        let found = read.warnings.iter().any(|warning| {
            warning.starts_with("audience.delay_ms is") && warning.contains("public_draw_after_ms")
        });
        assert_eq!(found, warned, "{audience}");
    }
}

#[test]
fn phones_need_an_address_and_ntfy_a_topic() {
    let good = "[audience]\nlanguages = [\"nl\", \"en\"]\n\
                [[notify]]\nkind = \"ntfy\"\nurl = \"https://ntfy.example\"\ntopic = \"x-7\"\n\
                [[notify]]\nkind = \"webhook\"\nurl = \"http://10.0.0.7/a?key=s3cret\"\n\
                min_severity = \"amber\"\nlanguage = \"de\"\n";
    let read = read_with(good, &[]).unwrap();
    let [ntfy, webhook] = &read.config.notify[..] else {
        panic!("{:?}", read.config.notify);
    };
    assert_eq!(ntfy.language, Language::Nl);
    assert_eq!(webhook.language, Language::De);
    assert_eq!(webhook.least, remisd_game::Level::Amber);
    let effective: Vec<&str> = (read.effective.iter())
        .filter_map(|key| key.value.as_deref())
        .collect();
    let is_shown = |secret: &str| effective.iter().any(|value| value.contains(secret));
    assert!(!is_shown("s3cret") && !is_shown("x-7") && !is_shown("ntfy.example"));
    let ntfy = "[[notify]]\nkind = \"ntfy\"\n";
    for (text, expected) in [
        (
            "[[notify]]\nkind = \"ntfy\"\n",
            "this receiver has no `url`",
        ),
        (
            "[[notify]]\nurl = \"https://x\"\n",
            "this receiver has no `kind`",
        ),
        (&*format!("{ntfy}url = \"https://x\"\n"), "has no `topic`"),
        (
            &*format!("{ntfy}url = \"https://x\"\ntopic = \"a b\"\n"),
            "this is not a topic",
        ),
        (
            &*format!("{ntfy}url = \"ftp://x\"\ntopic = \"a\"\n"),
            "not such an address",
        ),
        (
            &*format!("{ntfy}url = \"http://x\"\ntopic = \"a\"\ntoken_file = \"/t\"\n"),
            "in clear",
        ),
        ("[notify]\nkind = \"ntfy\"\n", "as: [[notify]]"),
        ("[[notify]]\nkinds = \"ntfy\"\n", "keys: board_per_minute"),
    ] {
        let refused = shown(text, &[]);
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    // The section of the example, with one of the two ways to give a token.
    let example = fs::read_to_string(shipped("remisd.toml")).unwrap();
    let (_, section) = example.split_once("# [[notify]]\n").unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    let keys = section.lines().filter_map(|line| line.strip_prefix("# "));
    let keys = keys.filter(|line| line.contains(" = ") && !line.starts_with("token_credential"));
    let keys: Vec<&str> = keys.collect();
    let text = format!("[[notify]]\n{}\n", keys.join("\n"));
    let shown_example = read_with(&text, &[]).unwrap();
    let set = (shown_example.effective.iter())
        .filter(|key| key.key.starts_with("notify.0.") && key.origin != "default")
        .count();
    assert_eq!(set, keys.len(), "{keys:?}");
    assert_eq!(keys.len(), 11, "every key but token_credential");
    let variables = [
        ("REMISD_NOTIFY_0_KIND", "webhook"),
        ("REMISD_NOTIFY_0_URL", "https://x.example"),
    ];
    assert_eq!(read_with("", &variables).unwrap().config.notify.len(), 1);
}

#[test]
fn a_tournament_has_an_id_of_its_own_and_a_report() {
    let good = "[[tournament]]\nid = \"open-a\"\nfile = \"/srv/a.trf\"\npublished_rounds = 3\n\
                [[tournament]]\nid = \"open-b\"\nfile = \"/srv/b.trf\"\n";
    let read = read_with(good, &[]).unwrap();
    let [first, second] = &read.config.tournaments[..] else {
        panic!("{:?}", read.config.tournaments);
    };
    assert_eq!(
        (first.id.as_str(), first.published_rounds),
        ("open-a", Some(3))
    );
    assert_eq!(
        (second.id.as_str(), second.published_rounds),
        ("open-b", None)
    );
    for (text, expected) in [
        (
            "[[tournament]]\nid = \"a\"\n",
            "this tournament has no `file`",
        ),
        (
            "[[tournament]]\nfile = \"/a\"\n",
            "this tournament has no `id`",
        ),
        (
            "[[tournament]]\nid = \"a\"\nfile = \"a.trf\"\n",
            "depends on where",
        ),
        (
            "[[tournament]]\nid = \"a\"\nfile = \"/a\"\npublished_rounds = -1\n",
            "out of range",
        ),
        (
            &*good.replace("open-b", "open-a"),
            "also the id of another tournament",
        ),
    ] {
        let refused = shown(text, &[]);
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    let variables = [
        ("REMISD_TOURNAMENT_0_ID", "open"),
        ("REMISD_TOURNAMENT_0_FILE", "/srv/open.trf"),
    ];
    let read = read_with("", &variables).unwrap();
    assert_eq!(read.config.tournaments.len(), 1);
}
