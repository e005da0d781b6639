//! Generates `protocol/access.md`: what the broker was observed to allow.

use std::{fmt::Write as _, fs, path::Path};

use crate::expected::USERS;

/// The observation for a topic: whether each of [`USERS`] can read and write it.
pub struct Seen {
    pub topic: String,
    pub reads: Vec<bool>,
    pub writes: Vec<bool>,
}

const HEAD: &str = "# Who may read and write what

<!-- made from what a broker does: UPDATE_SCHEMAS=1 cargo nextest run --test access -->

What a Mosquitto with [`remisd.conf`](../config/mosquitto/remisd.conf) and
[`acl`](../config/mosquitto/acl) allows to each of its users. A test connects as each user, and
writes and reads every topic: retained, live and through a shared subscription. It compares the
result with the purpose of the topics ([mqtt.md](mqtt.md)) and with this page. **r**: reads, **w**:
writes, –: neither.

- `stranger` has a password but is not in the list. `nobody` connects without a name and is refused.
- The broker does not block a leaf that an audience never gets: the daemon does not publish it
  there.
- A role writes its verbs ([commands.md](commands.md)) and `sign_in`, which the pages use to ask
  whether a user has the role. `explode` is a verb that does not exist.
- The broker separates topics; the daemon decides their content. Nothing that a role receives may
  depend on what it must not know, numbers and times included ([mqtt.md](mqtt.md#who-sees-what)).
- Users read on every site of a broker, and write on the site that the list names, `hall`. So only
  the daemon can leave retained messages under an unlimited number of names.

";

/// Renders the page.
pub fn page(seen: &[Seen]) -> String {
    let mut page = HEAD.to_owned();
    write!(page, "| topic | {} |\n|---|", USERS.join(" | ")).unwrap();
    page += &"---|".repeat(USERS.len());
    page += "\n";
    // Adjacent topics with the same rights share a line.
    let mut groups: Vec<(&str, Vec<&str>, String)> = Vec::new();
    for row in seen {
        let (parent, leaf) = row.topic.rsplit_once('/').unwrap_or(("", &row.topic));
        let rights = rights(row);
        match groups.last_mut() {
            Some((before, leaves, same)) if *before == parent && *same == rights => {
                leaves.push(leaf);
            }
            _ => groups.push((parent, vec![leaf], rights)),
        }
    }
    for (parent, leaves, rights) in groups {
        let slash = if parent.is_empty() { "" } else { "/" };
        let leaves: Vec<String> = leaves.iter().map(|leaf| format!("`{leaf}`")).collect();
        let topic = if let [leaf] = &leaves[..] {
            format!("`{parent}{slash}{}`", leaf.trim_matches('`'))
        } else {
            format!("`{parent}/` {}", leaves.join(" "))
        };
        writeln!(page, "| {topic} | {rights} |").unwrap();
    }
    page
}

fn rights(row: &Seen) -> String {
    let cells = row.reads.iter().zip(&row.writes).map(|may| match may {
        (true, true) => "rw",
        (true, false) => "r",
        (false, true) => "w",
        (false, false) => "–",
    });
    cells.collect::<Vec<_>>().join(" | ")
}

/// Compares the page with the checked-in one, or updates it.
pub fn is_current(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/access.md");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&path, page).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "{}: run this test once with UPDATE_SCHEMAS=1",
        path.display()
    );
}
