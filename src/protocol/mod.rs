//! The machine-readable half of `protocol/`, generated from the code.
//!
//! It covers JSON Schemas, the `AsyncAPI` document, `protocol/alerts.md` and the tables of
//! `protocol/mqtt.md`, `protocol/commands.md` and `protocol/laws.md`. These files are in the
//! repository. The tests compare them with the generated ones, and rewrite them with
//! `UPDATE_SCHEMAS=1`. The running daemon uses nothing of this.

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
mod tests;
