//! The date and time of a game, as PGN tags.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};

/// Adds the local date on which a game began, and its date and time in UTC, unless the tags have
/// them.
pub fn add(tags: &mut BTreeMap<String, String>, began: Timestamp, zone: &TimeZone) {
    let local = began.to_zoned(zone.clone());
    let utc = began.to_zoned(TimeZone::UTC);
    for (name, value) in [
        ("Date", local.strftime("%Y.%m.%d").to_string()),
        ("UTCDate", utc.strftime("%Y.%m.%d").to_string()),
        ("UTCTime", utc.strftime("%H:%M:%S").to_string()),
    ] {
        let has_date = tags
            .get(name)
            .is_some_and(|date| date.contains(|c: char| c.is_ascii_digit()));
        if !has_date {
            tags.insert(name.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_that_of_the_place_and_none_that_was_given_is_changed() {
        let began: Timestamp = "2026-11-26T23:30:05Z".parse().unwrap();
        let berlin = TimeZone::fixed(jiff::tz::offset(1));
        let mut tags = BTreeMap::from([("Date".to_owned(), "????.??.??".to_owned())]);
        add(&mut tags, began, &berlin);
        let tag = |tags: &BTreeMap<String, String>, name: &str| tags[name].clone();
        assert_eq!(tag(&tags, "Date"), "2026.11.27");
        assert_eq!(tag(&tags, "UTCDate"), "2026.11.26");
        assert_eq!(tag(&tags, "UTCTime"), "23:30:05");
        let mut given = BTreeMap::from([("Date".to_owned(), "2026.11.??".to_owned())]);
        add(&mut given, began, &berlin);
        assert_eq!(tag(&given, "Date"), "2026.11.??");
    }
}
