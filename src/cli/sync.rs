//! `canonry sync`

use super::format::Format;
use super::output::Out;
use super::repositories::{self, RepositoryResult};
use super::status::Status;
use crate::render;
use crate::render::diff;
use crate::render::repositories::{AllCommand, RunSummary};
use canonry_app::sync::{self, AdoptRequest, CanonOutcome, CanonResult, DiffSelection, SyncCommitRequest, SyncMode};
use canonry_app::sync::{PreferredSide, SyncOutcome, SyncRequest, SyncSeverity, WatchEvent};
use canonry_app::{Environment, Error, ErrorKind, Quiet};
use canonry_model::edit::OverwriteMode;
use std::path::PathBuf;

/// Write skills and tool files from the canon
#[derive(Clone, Debug, clap::Args)]
pub struct SyncArgs {
    /// With --all: repositories, or `-` for stdin [default: `repositories` in your user config]
    #[arg(value_name = "REPO", requires = "all", conflicts_with_all = ["adopt", "user"])]
    pub repositories: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a file differs from the canon
    #[arg(long, group = "mode")]
    pub check: bool,
    /// Write nothing; print the changes as a diff
    #[arg(long, group = "mode")]
    pub dry_run: bool,
    /// Print differences as a diff, edits included; alone, write nothing
    #[arg(long)]
    pub diff: bool,
    /// Mirror the staged files and stage the mirrors, for a pre-commit hook
    #[arg(long, conflicts_with_all = ["commit", "adopt", "force"])]
    pub staged: bool,
    /// Sync after each change of the canon, until Ctrl-C
    #[arg(long, conflicts_with_all = ["mode", "diff", "commit", "adopt", "force", "staged", "format"])]
    pub watch: bool,
    /// Commit the canon, the mirrors and the lock, and nothing else
    #[arg(long, conflicts_with = "mode")]
    pub commit: bool,
    /// Skip git's pre-commit and commit-msg hooks
    #[arg(short = 'n', long, requires = "commit")]
    pub no_verify: bool,
    /// Commit message
    #[arg(short, long, value_name = "TEXT", requires = "commit")]
    pub message: Option<String>,
    /// Merge an edited mirror into the canon first (repeatable)
    #[arg(long, value_name = "PATH", num_args = 0..=1, conflicts_with = "check")]
    pub adopt: Option<Vec<PathBuf>>,
    /// With --adopt: in conflicts, keep the canon's lines
    #[arg(long, requires = "adopt", conflicts_with = "theirs")]
    pub ours: bool,
    /// With --adopt: in conflicts, take the mirror's lines
    #[arg(long, requires = "adopt")]
    pub theirs: bool,
    /// Sync several repositories; with --adopt, mark identical copies as managed and change no file
    #[arg(long, conflicts_with_all = ["staged", "diff", "watch"])]
    pub all: bool,
    /// Sync ~/.config/canonry to the directories of tools in your home
    #[arg(long, conflicts_with_all = ["commit", "staged", "watch"])]
    pub user: bool,
    /// Replace edited and foreign files after a backup
    #[arg(long)]
    pub force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

impl SyncArgs {
    fn request(&self) -> Result<SyncRequest, Error> {
        let prefer = match (self.ours, self.theirs) {
            (true, _) => Some(PreferredSide::Canon),
            (_, true) => Some(PreferredSide::Mirror),
            _ => None,
        };
        let adopt = self.adopt.clone().map(|paths| AdoptRequest { paths, claim_equal: self.all, prefer });
        if adopt.as_ref().is_some_and(|adopt| adopt.paths.is_empty() && !adopt.claim_equal) {
            return Err(Error::new(ErrorKind::Usage, "`--adopt` needs a path").help(
                "name a file or a skill's folder in a mirror, or add `--all` to claim every file that equals the canon",
            ));
        }
        let writes = !self.check && !self.dry_run && (!self.diff || self.commit || self.adopt.is_some());
        let diffs = match (self.format, writes) {
            (Format::Json, _) => DiffSelection::None,
            (Format::Human, true) => DiffSelection::Default,
            (Format::Human, false) if self.diff => DiffSelection::All,
            (Format::Human, false) if self.dry_run => DiffSelection::Default,
            (Format::Human, false) => DiffSelection::None,
        };
        Ok(SyncRequest {
            mode: if writes { SyncMode::Write } else { SyncMode::Preview },
            staged: self.staged,
            user: self.user,
            adopt,
            overwrite: if self.force { OverwriteMode::Force } else { OverwriteMode::OwnedOnly },
            commit: self.commit.then(|| SyncCommitRequest { message: self.message.clone() }),
            diffs,
        })
    }
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &SyncArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.all && args.adopt.is_none() {
        return run_in_all(args, env, out);
    }
    if args.watch {
        return watch(env, out);
    }
    let request = args.request()?;
    let env = &env.no_verify(args.no_verify);
    let outcome = sync::run(env, &request, out)?;
    print(args, &request, &outcome, out)?;
    Ok(status(args, &request, &outcome))
}

/// Prints the outcome.
///
/// # Errors
/// The run was interrupted, or the commit failed; whatever was written before is printed.
fn print(args: &SyncArgs, request: &SyncRequest, outcome: &SyncOutcome, out: &Out<'_>) -> Result<(), Error> {
    for canon in &outcome.canons {
        if outcome.has_nested_canons && args.format == Format::Human {
            let heading = render::sync::canon_heading(&canon.folder);
            // The output of `--diff` and `--dry-run` is input for `git apply`.
            if args.dry_run || args.diff { out.remark(&heading) } else { out.result(&heading) }
        }
        match &canon.result {
            CanonResult::Synced(canon) => print_canon(args, request, canon, out),
            CanonResult::NotStaged => out.remark(&render::sync::not_staged(&canon.folder)),
            CanonResult::Failed(error) if error.kind == ErrorKind::Interrupted => return Err(error.clone()),
            CanonResult::Failed(error) => out.remark(&failure(error, out)),
        }
    }
    let has_document = outcome.has_nested_canons || outcome.synced().next().is_some();
    if args.format == Format::Json && has_document {
        out.result(&render::sync::document(outcome));
    }
    let Some(commit) = &outcome.commit else { return Ok(()) };
    out.remark(&render::sync::not_committed(commit));
    if args.format == Format::Human {
        out.message(&render::sync::commit(commit));
    }
    commit.result.as_ref().map(|_| ()).map_err(Clone::clone)
}

fn print_canon(args: &SyncArgs, request: &SyncRequest, canon: &CanonOutcome, out: &Out<'_>) {
    out.remark(&render::sync::remarks_before(canon));
    if args.format == Format::Human {
        match request.mode {
            SyncMode::Write if request.staged => out.result(&render::sync::staged(canon)),
            SyncMode::Write => out.message(&render::sync::applied(canon)),
            SyncMode::Preview => print_preview(args, canon, out),
        }
    }
    // A preview shows the refused differences among the others.
    if request.mode == SyncMode::Write {
        out.excerpt(&render::sync::forced_changes(&canon.refused_diffs));
    }
    out.remark(&render::sync::remarks_after(canon, request.mode));
}

fn print_preview(args: &SyncArgs, canon: &CanonOutcome, out: &Out<'_>) {
    out.result(&diff::patch(canon.diffs.iter().chain(&canon.refused_diffs)));
    if args.check {
        out.message(&render::sync::drift(canon));
    } else {
        out.remark(&render::sync::refused(canon));
    }
    out.remark(&render::sync::to_adopt(canon));
    out.remark(&render::sync::preview_summary(canon));
}

fn status(args: &SyncArgs, request: &SyncRequest, outcome: &SyncOutcome) -> Status {
    let canon_status = |canon: &CanonOutcome| match (request.mode, canon.severity()) {
        (SyncMode::Preview, _) if !args.dry_run => {
            if canon.has_changes() && !canon.never_synced || !canon.refused.is_empty() {
                Status::Findings
            } else {
                Status::Done
            }
        }
        (_, SyncSeverity::Clean) => Status::Done,
        (_, SyncSeverity::Incomplete) => Status::Findings,
        (_, SyncSeverity::Refused) => Status::Refused,
    };
    let errors = outcome.errors().map(|error| Status::from(error.kind));
    let has_drift = outcome.commit.as_ref().is_some_and(|commit| !commit.drift.is_empty());
    let committed = has_drift.then_some(Status::Findings);
    outcome.synced().map(canon_status).chain(errors).chain(committed).fold(Status::Done, Status::and)
}

fn failure(error: &Error, out: &Out<'_>) -> String {
    render::human::error(error, out.style)
}

fn watch(env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    sync::watch(env, out, &|event| match event {
        WatchEvent::Started { canon, has_unwatched_canons } => {
            if has_unwatched_canons {
                out.remark(
                    "Only the repository's own canon is watched; run `canonry -C FOLDER sync --watch` for another.\n",
                );
            }
            out.remark(&format!("Watching {canon}; press Ctrl-C to stop.\n"));
        }
        WatchEvent::Synced(outcome) => out.result(&render::sync::watch_line(outcome)),
        WatchEvent::Refused(outcome) => out.remark(&render::sync::refused(outcome)),
        WatchEvent::Failed(error) => out.remark(&failure(error, out)),
    })?;
    Ok(Status::Interrupted)
}

fn run_in_all(args: &SyncArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.user {
        return Err(Error::new(ErrorKind::Usage, "`--user` syncs your own canon, `--all` those of repositories")
            .help("run one after the other"));
    }
    let request = SyncRequest { diffs: DiffSelection::None, ..args.request()? };
    let command = if request.mode == SyncMode::Write { AllCommand::Sync } else { AllCommand::SyncPreview };
    repositories::run(&args.repositories, command, args.format, &env.no_verify(args.no_verify), out, &|env| {
        let outcome = sync::run(env, &request, &Quiet)?;
        if let Some(error) = outcome.errors().find(|error| error.kind == ErrorKind::Interrupted) {
            return Err(error.clone());
        }
        let (status, error) = match outcome.commit.as_ref().map(|commit| &commit.result) {
            Some(Err(error)) => (Status::from(error.kind), Some(error.clone())),
            _ => (status(args, &request, &outcome), None),
        };
        let document = Some(render::sync::document(&outcome));
        Ok(RepositoryResult { status, document, summary: RunSummary::from_sync(&outcome), error })
    })
}
