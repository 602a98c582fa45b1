//! `canonry skills`

use super::commit_args::CommitArgs;
use super::format::Format;
use super::output::Out;
use super::skills_remote::{self, AddArgs, InstallArgs, OutdatedArgs, RemoveArgs, UpdateArgs};
use super::status::Status;
use super::time::parse_now;
use crate::render;
use crate::render::sync::forced_changes;
use canonry_app::skills::{RegistryOutcome, write_registry};
use canonry_app::skills::{
    learn::{self, LearnRequest},
    list, matching, show, stats,
};
use canonry_app::sync::{SyncMode, SyncRefusal};
use canonry_app::{Environment, Error, Workspace};
use canonry_mirror::registry::render_xml;
use canonry_model::edit::OverwriteMode;

/// List, match and show skills, and add skills from elsewhere
#[derive(Debug, clap::Args)]
pub struct SkillsArgs {
    #[command(subcommand)]
    command: SkillsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum SkillsCommand {
    Add(AddArgs),
    Index(IndexArgs),
    Install(InstallArgs),
    Learn(LearnArgs),
    List(SkillsListArgs),
    Match(MatchArgs),
    Outdated(OutdatedArgs),
    Remove(RemoveArgs),
    Show(ShowArgs),
    Stats(StatsArgs),
    Update(UpdateArgs),
}

/// Write `skills/_index.md` and `skills/_manifest.jsonl`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Once the files exist, `canonry sync` updates them. Other content is not overwritten (status 5)."
)]
struct IndexArgs {
    /// Write nothing; exit with 1 if a file is missing or stale
    #[arg(long)]
    check: bool,
    /// Replace edited and foreign files after a backup
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

/// List the skills by name
#[derive(Debug, clap::Args)]
struct SkillsListArgs {
    /// Print an <available_skills> block
    #[arg(long, conflicts_with = "format")]
    xml: bool,
    /// List skills from elsewhere; with SOURCE, the skills that it offers
    #[arg(long, value_name = "SOURCE", num_args = 0..=1, conflicts_with = "xml")]
    remote: Option<Option<String>>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Rank the skills that fit a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Triggers rank first, then words of name, description and instructions.")]
struct MatchArgs {
    /// Task
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'k', long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Show path, frontmatter, files and mirrors of a skill
#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Name of the skill or of its directory
    #[arg(value_name = "NAME")]
    name: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Add an entry to a skill's KNOWLEDGE.md and commit it
#[derive(Debug, clap::Args)]
#[command(after_help = "An entry that the file already has is not added again. Secrets are redacted.")]
struct LearnArgs {
    /// Name of the skill's directory
    #[arg(value_name = "NAME")]
    name: String,
    /// Knowledge, in one sentence
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    #[command(flatten)]
    commit: CommitArgs,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// Count uses, failures and violated constraints of skills
#[derive(Debug, clap::Args)]
#[command(after_help = "`rewrite`: at least five uses, half of them failed; `stale`: not used in the last 90 days.")]
struct StatsArgs {
    /// Name of the skill's directory [default: all skills]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &SkillsArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let env = match &args.command {
        SkillsCommand::Learn(args) => args.commit.environment(env),
        SkillsCommand::Add(AddArgs { accept, .. }) | SkillsCommand::Update(UpdateArgs { accept, .. }) => {
            env.no_verify(accept.commit.no_verify)
        }
        SkillsCommand::Remove(args) => env.no_verify(args.commit.no_verify),
        _ => env.clone(),
    };
    let workspace = Workspace::open_canon(&env)?;
    match &args.command {
        SkillsCommand::Add(args) => skills_remote::run_add(args, &workspace, out),
        SkillsCommand::Install(args) => skills_remote::run_install(args, &workspace, out),
        SkillsCommand::Outdated(args) => skills_remote::run_outdated(args, &workspace, out),
        SkillsCommand::Remove(args) => skills_remote::run_remove(args, &workspace, out),
        SkillsCommand::Update(args) => skills_remote::run_update(args, &workspace, out),
        SkillsCommand::Index(args) => run_index(args, workspace, out),
        SkillsCommand::List(args) => run_list(args, &workspace, out),
        SkillsCommand::Match(args) => run_match(args, &workspace, out),
        SkillsCommand::Learn(args) => run_learn(args, &workspace, out),
        SkillsCommand::Show(args) => run_show(args, &workspace, out),
        SkillsCommand::Stats(args) => run_stats(args, &workspace, out),
    }
}

fn run_list(args: &SkillsListArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    if let Some(source) = &args.remote {
        return skills_remote::run_list(source.as_deref(), args.format, workspace, out);
    }
    let entries = list::run(workspace)?;
    out.result(&match (args.xml, args.format) {
        (true, _) => render_xml(&entries),
        (false, Format::Json) => render::skills::list_to_json(&entries),
        (false, Format::Human) => render::skills::list_to_text(&entries, out.style.width),
    });
    if entries.is_empty() {
        out.remark(&format!("No skills in {}.\n", workspace.layout.skills()));
    }
    Ok(Status::Done)
}

fn run_match(args: &MatchArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = matching::run(workspace, &args.text.join(" "), args.top)?;
    if outcome.matches.is_empty() {
        out.remark("No skill matches.\n");
    } else if !outcome.has_answer {
        out.remark("No skill is clearly about this. Some share words with it:\n");
    }
    out.result(&args.format.render(&outcome, render::skills::matches_to_text, render::skills::matches_to_json));
    Ok(Status::Done)
}

fn run_show(args: &ShowArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = show::run(workspace, &args.name)?;
    out.result(&args.format.render(&outcome, render::skills::skill_to_text, render::skills::skill_to_json));
    Ok(Status::Done)
}

fn run_learn(args: &LearnArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let request = LearnRequest {
        name: args.name.clone(),
        text: args.text.join(" "),
        no_commit: args.commit.no_commit,
        now: parse_now(args.now.as_deref())?,
    };
    let outcome = learn::run(workspace, &request, out)?;
    out.message(&render::skill_use::learned_to_text(&outcome));
    out.remark(&render::skill_use::sync_notice(&outcome));
    Ok(Status::Done)
}

fn run_stats(args: &StatsArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let now = parse_now(args.now.as_deref())?;
    let outcome = stats::run(workspace, args.name.as_deref(), now)?;
    out.result(&match (args.json, args.format) {
        (true, _) | (_, Format::Json) => render::skill_use::stats_to_json(&outcome),
        (false, Format::Human) => render::skill_use::stats_to_text(&outcome),
    });
    Ok(Status::Done)
}

fn run_index(args: &IndexArgs, workspace: Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let mode = if args.check { SyncMode::Preview } else { SyncMode::Write };
    let overwrite = if args.force { OverwriteMode::Force } else { OverwriteMode::OwnedOnly };
    let outcome = write_registry(workspace, mode, overwrite)?;
    print_index(mode, &outcome, out);
    let is_clean = outcome.refused.is_empty();
    Ok(match mode {
        SyncMode::Preview if is_clean && outcome.written.is_empty() => Status::Done,
        SyncMode::Preview => Status::Findings,
        SyncMode::Write if is_clean => Status::Done,
        SyncMode::Write => Status::Refused,
    })
}

fn print_index(mode: SyncMode, outcome: &RegistryOutcome, out: &Out<'_>) {
    let verb = if mode == SyncMode::Write { "wrote" } else { "stale" };
    for path in &outcome.written {
        out.result(&format!("{verb:9} {path}\n"));
    }
    for (path, backup) in &outcome.backups {
        out.result(&format!("backed up {path} to {}\n", backup.display()));
    }
    for SyncRefusal { path, reason } in &outcome.refused {
        out.remark(&format!("refused   {path}: {reason}\n"));
    }
    out.excerpt(&forced_changes(&outcome.refused_diffs));
    if mode == SyncMode::Write && outcome.written.is_empty() && outcome.refused.is_empty() {
        out.result("The skill index is up to date.\n");
    }
}
