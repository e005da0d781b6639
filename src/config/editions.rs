//! The editions of the Laws that may be configured: those in the table of the `laws` crate.

use remisd_laws::EDITIONS;

/// The names of the editions, oldest first.
#[must_use]
pub fn editions() -> Vec<&'static str> {
    EDITIONS.iter().map(|edition| edition.id).collect()
}
