//! `canonry skills add`, `outdated`, `update`, `install`, `remove` and `list --remote`.

use super::commit_args::OptionalCommitArgs;
use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render::remote_skills as text;
use canonry_app::skills::remote::review::IncomingReview;
use canonry_app::skills::remote::update::UpdateResult;
use canonry_app::skills::remote::{
    Approver, IncomingApproval,
    add::{self, AddSkillsRequest},
    extend, install, list, outdated, remove,
    update::{self, UpdateSkillsRequest},
};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_exchange::remote_skills::SkillChoice;
use canonry_repo::exec::keyboard::{Key, read_key};
use std::io::{self, IsTerminal as _};

/// Add skills from another repository, pinned by commit
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Shows files, scripts, licence and findings, then asks; without a terminal, `--yes` accepts. Errors of security rules need `--allow`."
)]
pub struct AddArgs {
    /// OWNER/REPO[/PATH][@REF], a git address, or a folder
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Skill to add (repeatable)
    #[arg(short, long = "skill", value_name = "NAME", conflicts_with = "all")]
    skills: Vec<String>,
    /// Add all skills
    #[arg(long)]
    all: bool,
    /// Branch, tag or commit
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// Folder in the repository
    #[arg(long, value_name = "DIR")]
    path: Option<String>,
    #[command(flatten)]
    pub accept: AcceptArgs,
}

/// Options for accepting skills.
#[derive(Debug, clap::Args)]
pub struct AcceptArgs {
    /// Accept without a question
    #[arg(short, long)]
    yes: bool,
    /// Security rule whose errors to accept (repeatable)
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Write nothing; show the changes
    #[arg(short = 'n', long, conflicts_with = "commit")]
    dry_run: bool,
    #[command(flatten)]
    pub commit: OptionalCommitArgs,
}

/// List skills with a new version
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 1 if there are new, removed or missing skills.")]
pub struct OutdatedArgs {
    /// Skills [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Update skills, and merge the new versions with local edits
#[derive(Debug, clap::Args)]
#[command(after_help = "A conflict leaves the skill as it is (status 5): settle it with `--ours` or `--theirs`.")]
pub struct UpdateArgs {
    /// Skills [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// In conflicts, keep local edits
    #[arg(long, requires = "names", conflicts_with = "theirs")]
    ours: bool,
    /// In conflicts, take the new version after a backup
    #[arg(long, requires = "names")]
    theirs: bool,
    #[command(flatten)]
    pub accept: AcceptArgs,
}

/// Write missing skills as pinned in `skills.lock`
#[derive(Debug, clap::Args)]
#[command(after_help = "Never changes an existing skill or the lock. Fetched versions need no network.")]
pub struct InstallArgs {
    /// Skills [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Exit with 1 if a skill differs from the lock
    #[arg(long)]
    frozen: bool,
    /// Security rule whose errors to accept (repeatable)
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
}

/// Remove skills without local edits
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Skills
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Also remove edited skills, after a backup
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub commit: OptionalCommitArgs,
}

/// The person at the terminal.
struct Terminal<'a, 'o> {
    env: &'a Environment,
    out: &'a Out<'o>,
    /// Accept without a question.
    accepts: bool,
}

impl Approver for Terminal<'_, '_> {
    fn approve(&mut self, reviews: &[IncomingReview]) -> Result<IncomingApproval, Error> {
        self.out.result(&text::reviews_to_text(reviews));
        let is_person = self.env.agent.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal();
        if self.accepts || reviews.iter().all(|review| !review.blocked.is_empty()) {
            return Ok(IncomingApproval::Accepted);
        }
        if !is_person {
            return Ok(IncomingApproval::NobodyToAsk);
        }
        self.out.result(&text::question(reviews));
        let key = read_key()
            .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot read a key from the terminal: {e}")))?;
        self.out.result("\n");
        Ok(if matches!(key, Key::Char('y' | 'Y')) { IncomingApproval::Accepted } else { IncomingApproval::Declined })
    }
}

/// Runs `skills add`.
///
/// # Errors
/// See [`Error`].
pub fn run_add(args: &AddArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let choice = match (args.all, args.skills.as_slice()) {
        (true, _) => SkillChoice::All,
        (false, []) => SkillChoice::Only,
        (false, names) => SkillChoice::Named(names.to_vec()),
    };
    let AcceptArgs { yes, allow, dry_run, commit, .. } = &args.accept;
    let request = AddSkillsRequest {
        source: args.source.clone(),
        reference: args.reference.clone(),
        path: args.path.clone(),
        choice,
        allow: allow.clone(),
        extends: false,
        dry_run: *dry_run,
        commit: commit.commit,
    };
    let mut approver = Terminal { env: &workspace.env, out, accepts: *yes || *dry_run };
    let outcome = add::run(workspace, &request, &mut approver, out)?;
    out.result(&text::added_to_text(&outcome, *dry_run));
    out.remark(&text::not_added(&outcome));
    let refused = if outcome.refused.is_empty() { Status::Done } else { Status::Refused };
    Ok(approval_status(outcome.approval).and(refused))
}

fn approval_status(approval: Option<IncomingApproval>) -> Status {
    match approval {
        Some(IncomingApproval::NobodyToAsk) => Status::Person,
        Some(IncomingApproval::Declined) => Status::Refused,
        Some(IncomingApproval::Accepted) | None => Status::Done,
    }
}

/// Runs `skills update`.
///
/// # Errors
/// See [`Error`].
pub fn run_update(args: &UpdateArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let AcceptArgs { yes, allow, dry_run, commit, .. } = &args.accept;
    let ours = args.ours.then_some(update::PreferredVersion::Ours);
    let prefer = ours.or(args.theirs.then_some(update::PreferredVersion::Theirs));
    let request = UpdateSkillsRequest {
        names: args.names.clone(),
        allow: allow.clone(),
        prefer,
        dry_run: *dry_run,
        commit: commit.commit,
    };
    let mut approver = Terminal { env: &workspace.env, out, accepts: *yes || *dry_run };
    let outcome = update::run(workspace, &request, &mut approver, out)?;
    out.result(&text::updated_to_text(&outcome, *dry_run));
    out.remark(&text::not_updated(&outcome));
    let status = |result: &UpdateResult| match result {
        UpdateResult::UpToDate | UpdateResult::Updated { .. } => Status::Done,
        UpdateResult::Failed(error) => Status::from(error.kind),
        _ => Status::Refused,
    };
    let results = outcome.skills.values().map(status);
    let updated = results.fold(approval_status(outcome.approval), Status::and);
    if !args.names.is_empty() {
        return Ok(updated);
    }
    let mut status = updated;
    extend::run(workspace, &request, &outcome, &mut approver, out, &mut |source, outcome| {
        out.result(&text::extended_to_text(source, outcome, *dry_run));
        out.remark(&text::not_added(outcome));
        let refused = if outcome.refused.is_empty() { Status::Done } else { Status::Refused };
        status = status.and(approval_status(outcome.approval)).and(refused);
    })?;
    Ok(status)
}

/// Runs `skills outdated`.
///
/// # Errors
/// See [`Error`].
pub fn run_outdated(args: &OutdatedArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = outdated::run(workspace, &args.names, out)?;
    out.result(&args.format.render(&outcome, text::outdated_to_text, text::outdated_to_json));
    let status = |fresh: &outdated::Freshness| match fresh {
        outdated::Freshness::Current => Status::Done,
        outdated::Freshness::Outdated { .. } | outdated::Freshness::Gone { .. } => Status::Findings,
        outdated::Freshness::Unknown(error) => Status::from(error.kind),
    };
    let unfetched = if outcome.unfetched.is_empty() { Status::Done } else { Status::Findings };
    Ok(outcome.skills.values().map(|(_, fresh)| status(fresh)).fold(unfetched, Status::and))
}

/// Runs `skills install`.
///
/// # Errors
/// See [`Error`].
pub fn run_install(args: &InstallArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = install::run(workspace, &args.names, &args.allow, out)?;
    out.result(&text::installed_to_text(&outcome));
    out.remark(&text::not_installed(&outcome));
    let drift = if args.frozen && !outcome.edited.is_empty() { Status::Findings } else { Status::Done };
    Ok(outcome.failed.iter().map(|(_, error)| Status::from(error.kind)).fold(drift, Status::and))
}

/// Runs `skills remove`.
///
/// # Errors
/// See [`Error`].
pub fn run_remove(args: &RemoveArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = remove::run(workspace, &args.names, args.force, args.commit.commit, out)?;
    out.result(&text::removed_to_text(&outcome));
    out.remark(&text::not_removed(&outcome));
    Ok(if outcome.edited.is_empty() { Status::Done } else { Status::Refused })
}

/// Runs `skills list --remote`, with or without a source.
///
/// # Errors
/// See [`Error`].
pub fn run_list(source: Option<&str>, format: Format, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    if let Some(source) = source {
        let request = AddSkillsRequest { source: source.to_owned(), ..AddSkillsRequest::default() };
        let offer = add::offer(workspace, &request, out)?;
        out.result(&format.render(&offer, text::offer_to_text, text::offer_to_json));
        return Ok(Status::Done);
    }
    let skills = list::run(workspace)?;
    out.result(&format.render(&skills[..], text::list_to_text, text::list_to_json));
    if skills.is_empty() {
        out.remark("No skills from elsewhere.\n");
    }
    Ok(Status::Done)
}
