//! The editions of the Laws that may be configured.
//!
//! This is the one place to change when the table of the laws is wired in: the
//! configuration is handed a list and asks nobody else.

/// The names of the editions, oldest first.
pub const EDITIONS: &[&str] = &[
    "fide-1997",
    "fide-2001",
    "fide-2005",
    "fide-2009",
    "fide-2014",
    "fide-2017",
    "fide-2018",
    "fide-2023",
];
