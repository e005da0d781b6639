//! What the world sees, and who sees what.

pub mod payload;
