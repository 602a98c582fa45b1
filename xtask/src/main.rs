//! Tasks of the project's maintainers: `cargo xtask TASK`.

use clap::Parser;
use std::process::{Command, ExitCode};

#[derive(Parser)]
enum Task {
    /// Write everything that is generated: reference pages, console blocks of the documentation, snapshots of fixtures.
    /// Read `git diff` afterwards.
    Docs,
}

fn main() -> ExitCode {
    let Task::Docs = Task::parse();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments =
        ["test", "--locked", "--quiet", "--workspace", "--lib", "--test", "e2e", "--", "generated_", "rule_fixtures::"];
    let status = Command::new(cargo)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("UPDATE_DOCS", "1")
        .env("INSTA_UPDATE", "always")
        .status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
