//! The `canonry` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    canonry::cli::main()
}
