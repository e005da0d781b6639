//! The binary `remisd`.
fn main() {}
