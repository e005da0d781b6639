//! Bytes of a smart board ⇄ sensor events.

pub mod event;
