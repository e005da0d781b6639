//! The binary `remisd`; it only calls [`remisd::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    remisd::cli::main()
}
