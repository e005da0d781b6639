//! Tests of whole streams.
