use super::*;
use crate::{
    cli::setup::{
        answers::{BoardForm, Form},
        users::DEVICES,
    },
    config::{Configuration, Environment, Profile, editions},
    words::Language,
};

fn boards(ids: &[&str]) -> Vec<BoardPort> {
    let board = |id: &&str| BoardPort {
        id: (*id).to_owned(),
        port: format!("/dev/a\"{id}"),
        found: true,
    };
    ids.iter().map(board).collect()
}

/// Answers for these boards and addresses.
fn answers(ids: &[&str], mqtt: &str, http: &str) -> Answers {
    let board = |id: &&str| BoardForm {
        id: (*id).to_owned(),
        port: format!("/dev/a\"{id}"),
    };
    let form = Form {
        site: "hall".to_owned(),
        language: "en".to_owned(),
        profile: "competition".to_owned(),
        open: Vec::new(),
        boards: ids.iter().map(board).collect(),
        mqtt: mqtt.to_owned(),
        http: http.to_owned(),
    };
    form.answers().unwrap()
}

#[test]
fn one_board_has_the_shipped_access_list() {
    let (shipped, device) = ACCESS.split_once(MOVE_DEVICE).unwrap();
    assert_eq!(access_list("hall", &boards(&["b1"])), shipped);
    assert_eq!(
        device.matches("user ").count(),
        1,
        "no other device is left out"
    );
}

#[test]
fn the_access_list_has_the_rules_of_its_own_site_alone() {
    let list = access_list("club", &boards(&["b1"]));
    let rules: Vec<&str> = list
        .lines()
        .filter(|line| line.starts_with("topic write "))
        .collect();
    let of_site = rules
        .iter()
        .filter(|rule| rule.contains("chess/v1/club/cmd/"));
    assert!(of_site.count() > 20, "{list}");
    assert!(!rules.iter().any(|rule| rule.contains("chess/v1/hall/")));
    assert!(list.contains("topic read chess/v1/+/hall/#"), "{list}");
}

#[test]
fn each_board_has_all_the_rules_of_the_first_and_nothing_of_it() {
    let begins = ACCESS.find(FIRST_DEVICE).unwrap();
    let rules = |text: &str| {
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (shipped, _) = ACCESS.split_once(MOVE_DEVICE).unwrap();
    let first = rules(&shipped[begins..]);
    let both = access_list("hall", &boards(&["b1", "b12"]));
    let both = rules(&both[begins..]);
    let (one, other) = both.split_at(first.len());
    assert_eq!(one, first);
    let expected: Vec<_> = first.iter().map(|line| line.replace("b1", "b12")).collect();
    assert_eq!(other, expected);
    let users = both.iter().filter(|line| line.starts_with("user "));
    assert_eq!(users.count(), 2 * DEVICES.len());
    for device in DEVICES {
        assert!(both.contains(&format!("user b12-{device}")));
    }
}

#[test]
fn the_brokers_configuration_is_the_shipped_one_with_its_own_places() {
    let mqtt = "127.0.0.1:1884".parse().unwrap();
    let layout = Layout::in_directory(Path::new("/srv/my club")).unwrap();
    let http = "127.0.0.1:9120".parse().unwrap();
    let text = layout.broker_conf(2, mqtt, http);
    let lines: Vec<&str> = text.lines().collect();
    for line in [
        "password_file /srv/my club/mosquitto.passwd",
        "acl_file /srv/my club/mosquitto.acl",
        "listener 1884 127.0.0.1",
        "persistence_location /srv/my club/broker/",
        "allow_anonymous false",
    ] {
        assert!(lines.contains(&line), "{line} in\n{text}");
    }
    assert!(!text.contains("/etc/mosquitto/remisd"), "{text}");
}

#[test]
fn the_daemons_configuration_is_read_as_it_was_meant() {
    let layout = Layout::in_directory(Path::new("/srv/my \"club\"")).unwrap();
    let answers = Answers {
        site: "club".parse().unwrap(),
        language: Language::DeCh,
        profile: Profile::Club,
        open: vec![Opened::Player, Opened::Hall],
        ..answers(&["b1", "b2"], "0.0.0.0:1884", "127.0.0.1:9121")
    };
    let text = layout.daemon_config(&answers);
    let nothing = Environment::default();
    let read = Configuration::parse(&text, "remisd.toml", &nothing, &editions());
    let read = read.unwrap_or_else(|error| panic!("{}\n{text}", error.render(false)));
    let config = read.config;
    assert_eq!(config.http.listen, Some(answers.http));
    assert_eq!(config.site.id, answers.site);
    assert_eq!(config.audience.profile, Profile::Club);
    assert!(config.audience.open.into_iter().eq(answers.open));
    assert_eq!(config.audience.languages, [Language::DeCh]);
    assert_eq!(config.journal.dir, Path::new("/srv/my \"club\"/journal"));
    let ports: Vec<String> = config
        .boards
        .iter()
        .map(crate::config::Board::place)
        .collect();
    assert_eq!(ports, ["/dev/a\"b1", "/dev/a\"b2"]);
    assert_eq!(config.mqtt.brokers.to_string(), "mqtt://127.0.0.1:1885");
}

#[test]
fn each_listener_has_a_limit_and_the_daemon_one_of_its_own() {
    let layout = Layout::in_directory(Path::new("/srv/club")).unwrap();
    for (mqtt, listeners) in [
        ("127.0.0.1:1884", &["listener 1884 127.0.0.1"][..]),
        (
            "192.0.2.1:1884",
            &["listener 1885 127.0.0.1", "listener 1884 192.0.2.1"],
        ),
        // A broker of the system may have the usual port.
        (
            "192.0.2.1:1883",
            &["listener 1884 127.0.0.1", "listener 1883 192.0.2.1"],
        ),
        (
            "[2001:db8::1]:1883",
            &["listener 1884 127.0.0.1", "listener 1883 2001:db8::1"],
        ),
        (
            "0.0.0.0:1884",
            &["listener 1885 127.0.0.1", "listener 1884 0.0.0.0"],
        ),
        // The pages have the next port.
        (
            "0.0.0.0:9119",
            &["listener 9121 127.0.0.1", "listener 9119 0.0.0.0"],
        ),
        (
            "0.0.0.0:65535",
            &["listener 65534 127.0.0.1", "listener 65535 0.0.0.0"],
        ),
    ] {
        let http = "127.0.0.1:9120".parse().unwrap();
        let text = layout.broker_conf(20, mqtt.parse().unwrap(), http);
        let lines: Vec<&str> = text.lines().collect();
        let found = lines.iter().filter(|line| line.starts_with("listener "));
        assert_eq!(
            found.collect::<Vec<_>>(),
            listeners.iter().collect::<Vec<_>>()
        );
        for pair in lines.windows(2).filter(|pair| listeners.contains(&pair[0])) {
            assert_eq!(pair[1], MAX_CONNECTIONS, "{mqtt}: {}", pair[0]);
        }
    }
}

#[test]
fn the_systems_broker_keeps_its_port_on_this_computer() {
    let layout = Layout {
        dir: None,
        ..Layout::in_directory(Path::new("/srv/club")).unwrap()
    };
    let http = "127.0.0.1:9120".parse().unwrap();
    for (mqtt, own) in [
        ("192.0.2.1:1883", "127.0.0.1:1883"),
        ("0.0.0.0:1883", "127.0.0.1:1884"),
        ("127.0.0.1:1883", "127.0.0.1:1883"),
    ] {
        let own_listener = layout.own_listener(mqtt.parse().unwrap(), http);
        assert_eq!(own_listener, own.parse().unwrap(), "{mqtt}");
    }
}

#[test]
fn the_limit_of_connections_grows_with_the_boards() {
    let layout = Layout::in_directory(Path::new("/srv/club")).unwrap();
    let [mqtt, http] = ["192.0.2.1:1884", "127.0.0.1:9120"].map(|at| at.parse().unwrap());
    for (boards, limit) in [(1, 256), (28, 256), (62, 528), (999, 8024)] {
        let text = layout.broker_conf(boards, mqtt, http);
        let lines = text
            .lines()
            .filter(|line| line.starts_with("max_connections "));
        let limit = format!("max_connections {limit}");
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [&limit, &limit],
            "{boards} boards"
        );
    }
    let ids: Vec<String> = (1..=62).map(|number| format!("b{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let opened = |count: usize, mqtt| {
        let http = "127.0.0.1:9120";
        layout.open_files(&answers(&ids[..count], mqtt, http))
    };
    assert_eq!(opened(28, "192.0.2.1:1884"), None);
    assert_eq!(opened(62, "127.0.0.1:1884"), None);
    assert_eq!(opened(62, "192.0.2.1:1884"), Some((1056, 1180)));
}

#[test]
fn a_directory_that_cannot_stand_in_a_configuration_is_refused() {
    let refused = Layout::in_directory(Path::new("/srv/a\nb")).unwrap_err();
    assert!(
        refused.to_string().contains("cannot be written"),
        "{refused}"
    );
}
