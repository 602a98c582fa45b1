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

/// Test which skill a prompt selects, and score plans
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Benchmarks are files in agent/benchmarks/. Exits with 1 if a trigger test fails or a mean score is below `min_score`."
)]
pub struct BenchArgs {
    /// Benchmark to run [default: all]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Run only trigger tests
    #[arg(long)]
    triggers: bool,
    /// Run this owner instead of those in the benchmarks (repeatable)
    #[arg(long, value_name = "OWNER")]
    owner: Vec<String>,
    /// Runs per owner
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    runs: Option<u32>,
    /// Score recorded outputs instead of running tools
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
    out.result(&args.format.render(&outcome, render::bench::to_text, render::bench::to_json));
    Ok(if outcome.is_failed() { Status::Findings } else { Status::Done })
}
