//! The subcommands, one file each.

pub mod ports;
pub mod simulate;
