//! The configuration as users see it: the example, mistakes, the environment.

mod exits;
mod mistakes;
mod rounds;

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
fn an_unseen_promotion_is_a_queen_or_left_to_the_arbiter() {
    let ask = format!("{BOARD}hand = {{ promotion = \"ask\" }}\n");
    for (text, promotion) in [(BOARD, Promotion::Queen), (&ask, Promotion::Ask)] {
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
fn the_environment_overrides_the_file() {
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
    let no_user = "[mqtt]\npassword_file = \"/x\"\n";
    assert!(shown(no_user, &[]).contains("there is a password but no user"));
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
    let no_user = "[http]\npublic_password_file = \"/x\"\n";
    assert!(shown(no_user, &[]).contains("set http.public_username as well"));
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
        (
            mqtt.brokers.first().server_name(),
            mqtt.brokers.first().port()
        ),
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
fn settings_that_the_journal_cannot_keep_are_refused() {
    let wrong = r#"[journal]
dir = "/var/lib/remisd/journal"
mount = "/mnt/journal"
raw_kib = 600
raw_board_kib = 599
keep_days = -1
names = "hide"
"#;
    let error = shown(wrong, &[]);
    for expected in [
        "journal.mount: \"/mnt/journal\" does not contain the journal's directory",
        "journal.raw_board_kib: is smaller than journal.raw_kib, the limit for one game",
        "journal.keep_days: -1 is out of range",
        "allowed: keep, mask",
    ] {
        assert!(error.contains(expected), "{expected} in\n{error}");
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
            "not a valid address",
        ),
        (
            &*format!("{ntfy}url = \"http://x\"\ntopic = \"a\"\ntoken_file = \"/t\"\n"),
            "unencrypted",
        ),
        ("[notify]\nkind = \"ntfy\"\n", "write [[notify]]"),
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
