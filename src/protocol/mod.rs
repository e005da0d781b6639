//! The machine-readable half of `protocol/`, made from the code.
//!
//! JSON Schemas, the `AsyncAPI` document, `protocol/alerts.md` and the tables of
//! `protocol/mqtt.md`, `protocol/commands.md` and `protocol/laws.md` stand in the repository; the tests compare them with what is made
//! here, and write them anew with `UPDATE_SCHEMAS=1`. Nothing here is used while the daemon runs.

mod alerts;
mod asyncapi;
mod laws;
mod schemas;
mod specimens;
mod tables;

pub use alerts::alerts_page;
pub use asyncapi::asyncapi;
pub use laws::{LAWS_TABLES, edition_fields, laws_table};
pub use schemas::schemas;
pub use specimens::{Specimen, specimens};
pub use tables::{COMMAND_TABLES, TABLES, table};

#[cfg(test)]
mod laws_tests;
#[cfg(test)]
mod tests;
