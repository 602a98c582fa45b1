//! `canonry bench`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::{
    Environment, Error, Workspace,
    bench::{self, BenchRequest},
};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Score the plans that tools write for a task, and test which skill a prompt selects
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Benchmarks are files in agent/benchmarks/. A plan benchmark has a task and the facts expected from its plan; each of \
                  its owners (agent/owners.yaml) plans the task several times, in a copy of the files. Trigger tests have prompts and \
                  the skills that must or must not fire; they test `canonry skills match` and, with --owner, a tool. The exit status \
                  is 1 if a trigger test fails or a mean score is below the benchmark's `min_score`."
)]
pub struct BenchArgs {
    /// Benchmark to run; all by default
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Run only the trigger tests
    #[arg(long)]
    triggers: bool,
    /// Owner to run in place of those that the benchmarks name; may be repeated
    #[arg(long, value_name = "OWNER")]
    owner: Vec<String>,
    /// Runs per owner
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    runs: Option<u32>,
    /// Score the outputs in DIR/<benchmark>/<owner>.<number>.<extension>, and run nothing
    #[arg(long, value_name = "DIR", conflicts_with = "runs")]
    recorded: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`bench::run`].
pub fn run(args: &BenchArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = BenchRequest {
        name: args.name.clone(),
        triggers_only: args.triggers,
        owners: args.owner.clone(),
        runs: args.runs,
        recorded: args.recorded.clone(),
    };
    let outcome = bench::run(&workspace, &request, out)?;
    out.result(&match args.format {
        Format::Json => render::bench::to_json(&outcome),
        Format::Human => render::bench::to_text(&outcome),
    });
    Ok(if outcome.is_failed() { Status::Findings } else { Status::Done })
}
