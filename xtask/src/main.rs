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
    // The schema of the config comes first: it is compiled into what writes the rest.
    let is_written = generate(&["--lib"], &["generated_config_schema"])
        && generate(&["--lib", "--test", "e2e"], &["generated_", "rule_fixtures::"]);
    if is_written { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the tests that write what they check.
fn generate(targets: &[&str], filters: &[&str]) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--locked", "--quiet", "--workspace"])
        .args(targets)
        .arg("--")
        .args(filters)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("UPDATE_DOCS", "1")
        .env("INSTA_UPDATE", "always")
        .status();
    status.is_ok_and(|status| status.success())
}
