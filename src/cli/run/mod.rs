//! `canonry run`: plans and workflows.

mod begin;
mod decide;
mod exec;
mod look;
mod options;
mod steps;

use super::output::Out;
use super::status::Status;
use canonry_app::{Environment, Error, ErrorKind};
use canonry_runs::exec::RunEnd;
use clap::{Command, Subcommand as _};
use std::fmt::Write as _;

/// Execute plans and workflows
#[derive(Debug, clap::Args)]
#[command(help_template = help_template())]
pub struct RunArgs {
    #[command(subcommand)]
    command: RunCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    New(begin::NewArgs),
    Check(begin::CheckArgs),
    Show(look::ShowArgs),
    Start(begin::StartArgs),
    Exec(exec::ExecArgs),
    Verify(exec::VerifyArgs),
    Export(exec::ExportArgs),
    Next(steps::NextArgs),
    Claim(steps::ClaimArgs),
    Release(steps::ReleaseArgs),
    Set(steps::SetArgs),
    Finish(steps::FinishArgs),
    /// Approve a step of a plan, or answer a question of a workflow
    #[command(
        override_usage = "canonry run approve [OPTIONS] [TARGET] [STEP]",
        after_help = "The approval of a step is recorded in agent/approvals/; a step that changes must be approved again. A decision in a workflow is recorded in its journal; a second one is refused (status 5)."
    )]
    Approve(decide::DecisionArgs),
    /// Reject a step of a plan, or what a workflow asks for
    #[command(
        override_usage = "canonry run reject --reason <TEXT> [TARGET] [STEP]",
        after_help = "A rejected step is blocked. The next prompt of the workflow contains the reason."
    )]
    Reject(decide::DecisionArgs),
    Abort(decide::AbortArgs),
    Status(look::StatusArgs),
    Log(look::LogArgs),
    Report(look::ReportArgs),
}

/// The subcommands by purpose.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Begin", &["new", "check", "show", "start"]),
    ("Execute with workers", &["exec", "verify", "export"]),
    ("Work on a step yourself", &["next", "claim", "release", "set", "finish"]),
    ("Decide", &["approve", "reject", "abort"]),
    ("Watch", &["status", "log", "report"]),
];

/// Explanation of the arguments that most subcommands have.
const TARGETS: &str = "\
TARGET is a plan (id, file, or folder in agent/plans), a workflow (name or
file), or the id of a run. It is optional where only one can be meant.";

fn help_template() -> String {
    let commands = RunCommand::augment_subcommands(Command::new("run"));
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (purpose, names) in GROUPS {
        let _ = writeln!(text, "\n{purpose}:");
        for name in names {
            let about = commands.find_subcommand(name).and_then(Command::get_about);
            let _ = writeln!(text, "  {name:<8}  {}", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    text + "\nOptions:\n{options}\n\n" + TARGETS
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &RunArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        RunCommand::New(args) => begin::new(args, env, out),
        RunCommand::Check(args) => begin::check(args, env, out),
        RunCommand::Show(args) => look::show(args, env, out),
        RunCommand::Start(args) => begin::start(args, env, out),
        RunCommand::Exec(args) => exec::exec(args, env, out),
        RunCommand::Verify(args) => exec::verify(args, env, out),
        RunCommand::Export(args) => exec::export(args, env, out),
        RunCommand::Next(args) => steps::next(args, env, out),
        RunCommand::Claim(args) => steps::claim(args, env, out),
        RunCommand::Release(args) => steps::release(args, env, out),
        RunCommand::Set(args) => steps::set(args, env, out),
        RunCommand::Finish(args) => steps::finish(args, env, out),
        RunCommand::Approve(args) => decide::decide(args, false, env, out),
        RunCommand::Reject(args) => decide::decide(args, true, env, out),
        RunCommand::Abort(args) => decide::abort(args, env, out),
        RunCommand::Status(args) => look::status(args, env, out),
        RunCommand::Log(args) => look::log(args, env, out),
        RunCommand::Report(args) => look::report(args, env, out),
    }
}

/// Refuses options that the target does not have. `kind` is the one that has them.
fn only_for(kind: &str, options: &[(&str, bool)]) -> Result<(), Error> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Error::new(ErrorKind::Usage, format!("`{option}` is an option for {kind}"))),
        None => Ok(()),
    }
}

/// The exit status after the end of an execution.
fn end_status(end: &RunEnd) -> Status {
    match end {
        RunEnd::Complete => Status::Done,
        RunEnd::Aborted(_) => Status::Findings,
        RunEnd::Limit(_) | RunEnd::WaitingUntil(_) => Status::Limit,
        RunEnd::NeedsPerson(_) | RunEnd::Asks(_) | RunEnd::SameFailure(_) => Status::Person,
        RunEnd::HeldElsewhere(_) => Status::Contention,
        RunEnd::NotReady(_) => Status::Refused,
        RunEnd::Interrupted => Status::Interrupted,
    }
}

fn step_required(plan: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("name a step of the plan `{plan}`"))
        .help(format!("run `canonry run show {plan}` to see all steps"))
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, RunCommand};
    use clap::{Command, Subcommand as _};

    #[test]
    fn each_subcommand_is_in_one_group_and_its_help_fits() {
        let commands = RunCommand::augment_subcommands(Command::new("run"));
        let mut known: Vec<&str> = commands.get_subcommands().map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(known, grouped);
        assert!(super::help_template().lines().all(|line| line.chars().count() <= 80));
    }
}
