//! The binary `remisd`: hands over to [`remisd::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    remisd::cli::main()
}
