//! The command line. Parses arguments, calls `app`, prints what `render` makes of the outcome, and sets the exit
//! status.

mod bench;
mod check;
#[cfg(test)]
mod command_reference;
mod commit_args;
mod completions;
mod context;
mod doctor;
mod dream;
mod explain;
mod format;
mod help;
mod hook;
mod import;
mod init;
mod install;
mod log;
mod man;
mod memory;
mod memory_review;
mod memory_rule;
mod memory_selection;
mod output;
mod overview;
mod pack;
mod process;
mod protocol;
mod recall;
mod repositories;
mod run;
mod schema;
mod skills;
mod skills_remote;
mod status;
mod sync;
mod time;
mod tour;
mod trust;
mod watch;

use canonry_app::ErrorKind;
use canonry_app::{Environment, Error};
use clap::{CommandFactory as _, Parser, Subcommand};
use output::Out;
use process::{process_environment, terminal_style};
pub(crate) use status::Status;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// canonry: one canon for every coding agent.
#[derive(Debug, Parser)]
#[command(name = "canonry", version, about, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit status:\n  \
                  0    done, clean, or nothing to do\n  \
                  1    findings or drift\n  \
                  2    a limit was reached\n  \
                  3    a person is needed\n  \
                  4    another process holds the lock, or another worker the claim\n  \
                  5    refused\n  \
                  64   usage error\n  \
                  65   unreadable input\n  \
                  70   internal error or file system failure\n  \
                  130  interrupted")]
struct Cli {
    /// Run as if canonry was started in this directory
    #[arg(short = 'C', value_name = "DIR", global = true)]
    directory: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Tour(tour::TourArgs),
    Init(init::InitArgs),
    Import(import::ImportArgs),
    Check(check::CheckArgs),
    Explain(explain::ExplainRuleArgs),
    Sync(sync::SyncArgs),
    Dream(dream::DreamArgs),
    Log(log::LogEpisodeArgs),
    Memory(memory::MemoryArgs),
    Run(run::RunArgs),
    Bench(bench::BenchArgs),
    Hook(hook::HookArgs),
    Status(overview::OverviewArgs),
    Doctor(doctor::DoctorArgs),
    Protocol(protocol::ProtocolArgs),
    Trust(trust::TrustArgs),
    Recall(recall::RecallArgs),
    Context(context::ContextArgs),
    Skills(skills::SkillsArgs),
    Pack(pack::PackArgs),
    Schema(schema::SchemaArgs),
    Install(install::IntegrationArgs),
    Uninstall(install::UninstallArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Help(help::HelpArgs),
}

/// Runs the program with the arguments, directory and streams of the process.
pub fn main() -> ExitCode {
    // Report a panic, which is a bug in canonry or a library, on one line and exit with the status for internal errors.
    std::panic::set_hook(Box::new(|panic| {
        let _ =
            writeln!(io::stderr(), "error: internal error: {panic}\n  help: please report this with the command line");
    }));
    let ended = std::panic::catch_unwind(|| {
        let mut stdout = io::stdout();
        let mut stderr = io::stderr();
        let out = Out::new(&mut stdout, &mut stderr, terminal_style());
        match process_environment() {
            Ok(env) => run(std::env::args_os(), env, &out),
            Err(e) => {
                out.remark(&format!("error: the current directory is not accessible: {e}\n"));
                Status::Internal
            }
        }
    });
    ended.unwrap_or(Status::Internal).into()
}

/// Runs one command line.
fn run(args: impl IntoIterator<Item = OsString>, mut env: Environment, out: &Out<'_>) -> Status {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => return usage(&e, out),
    };
    if let Some(directory) = &cli.directory {
        env.cwd = env.cwd.join(directory);
        if !env.cwd.is_dir() {
            let error = Error::new(ErrorKind::Unreadable, format!("`-C {}`: no such directory", directory.display()));
            return fail(&error, out);
        }
    }
    let ended = match &cli.command {
        // The tour runs command lines itself.
        Command::Tour(tour::TourArgs {}) => tour::run(run, &env, out),
        Command::Init(args) => init::run(args, &env, out),
        Command::Import(args) => import::run(args, &env, out),
        Command::Check(args) => check::run(args, &env, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Sync(args) => sync::run(args, &env, out),
        Command::Dream(args) => dream::run(args, &env, out),
        Command::Log(args) => log::run(args, &env, out),
        Command::Memory(args) => memory::run(args, &env, out),
        Command::Run(args) => run::run(args, &env, out),
        Command::Bench(args) => bench::run(args, &env, out),
        Command::Hook(args) => hook::run(args, &env, out),
        Command::Status(args) => overview::run(args, &env, out),
        Command::Doctor(args) => doctor::run(args, &env, out),
        Command::Protocol(args) => protocol::run(args, &env, out),
        Command::Trust(args) => trust::run(args, &env, out),
        Command::Recall(args) => recall::run(args, &env, out),
        Command::Context(args) => context::run(args, &env, out),
        Command::Skills(args) => skills::run(args, &env, out),
        Command::Pack(args) => pack::run(args, &env, out),
        Command::Schema(args) => schema::run(args, out),
        Command::Install(args) => install::run(args, &env, out),
        Command::Uninstall(args) => install::uninstall(args, &env, out),
        // These print the definition of the command line.
        Command::Completions(args) => completions::run(args, Cli::command(), out),
        Command::Man(args) => man::run(args, Cli::command(), &env, out),
        Command::Help(args) => help::run(args, Cli::command(), out),
    };
    ended.unwrap_or_else(|error| fail(&error, out))
}

fn fail(error: &Error, out: &Out<'_>) -> Status {
    out.remark(&crate::render::human::error(error, out.style));
    error.kind.into()
}

/// Prints requested help as a result, and a usage error with status 64 instead of clap's 2.
fn usage(error: &clap::Error, out: &Out<'_>) -> Status {
    let text = error.render().to_string();
    if error.use_stderr() {
        out.remark(&text);
        return Status::Usage;
    }
    out.result(&text);
    Status::Done
}
