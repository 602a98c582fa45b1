//! Tasks of the project's maintainers: `cargo xtask TASK`.

mod site;

use clap::Parser;
use std::error::Error;
use std::process::{Command, ExitCode};

#[derive(Parser)]
enum Task {
    /// Write everything that is generated: reference pages, console blocks and terminal pictures of the documentation,
    /// snapshots of fixtures. Read `git diff` afterwards.
    Docs,
    /// Start the clients of `CANONRY_CLIENTS`, and write the files that they read to tests/clients/probes.json. Run
    /// `cargo xtask docs` afterwards.
    Probe,
    /// Build the site with mdBook in target/site/book.
    Site,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let is_done = match Task::parse() {
        // These schemas come first: they are compiled into what writes the rest.
        Task::Docs => {
            generate(&["--lib"], &["generated_config_schema", "generated_hooks_schema"])
                && generate(&["--lib", "--test", "e2e"], &["generated_", "rule_fixtures::"])
        }
        Task::Probe => generate(&["--test", "clients"], &["--ignored", "needs_clients_probe"]),
        Task::Site => {
            site::build()?;
            true
        }
    };
    Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
