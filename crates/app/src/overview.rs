//! `status`: the state of a canon on one screen, and what waits for a person.

use crate::check::{self, CheckRequest};
use crate::doctor::LISTING_BUDGET;
use crate::memory::status::{self as memory_status, MemoryStatusRequest};
use crate::runs::status::{self, RunPhase, RunStatus};
use crate::skills::remote::unfetched::unfetched;
use crate::sync::{self, SyncRefusal, SyncRefusalReason};
use crate::{Environment, Error, Progress, RepoPath, Workspace};
use canonry_memory::nights::NightsOverview;
use canonry_model::canon::inventory::Inventory;
use canonry_model::finding::Severity;
use canonry_repo::view::IgnoreMode;
use canonry_runs::exec::RunKind;

/// The state of a canon. A part that cannot be read has the reason instead.
#[derive(Debug)]
pub struct Overview {
    /// The canon's folder, from the top of the repository.
    pub canon: RepoPath,
    /// Summary of `check`.
    pub check: Result<CheckSummary, String>,
    /// Summary of a `sync` dry run.
    pub mirrors: Result<MirrorSummary, String>,
    /// Sources in `extends` that the canon has nothing from yet.
    pub unfetched: Vec<String>,
    /// The plans, and the runs of workflows that have not ended.
    pub runs: Vec<RunStatus>,
    /// The memory.
    pub memory: Result<MemorySummary, String>,
}

/// The findings of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSummary {
    /// Skills of the canon.
    pub skills: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Tools that do not list all descriptions of skills.
    pub partial_listings: usize,
}

/// The files that a sync would change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorSummary {
    /// Whether there is no lock and no mirror that equals the canon.
    pub never_synced: bool,
    /// Files to write.
    pub written: usize,
    /// Files to remove.
    pub removed: usize,
    /// Files that a sync leaves alone because somebody else wrote them.
    pub refused: usize,
    /// Parts of the canon that cannot be mirrored, or that a tool does not get.
    pub omitted: usize,
    /// Entries that make tools execute commands, which tools lack until a person trusts them.
    pub untrusted: usize,
}

/// The memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySummary {
    /// Episodes in the log.
    pub rows: usize,
    /// Lessons.
    pub lessons: usize,
    /// Candidates that wait for review.
    pub candidates: usize,
    /// The recent dreams.
    pub nights: NightsOverview,
}

/// Something that only a person can move on, and the command for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingItem {
    /// Description of the item.
    pub what: String,
    /// The command line.
    pub command: String,
}

/// Looks at the canon around the current folder. Writes nothing.
///
/// # Errors
/// The repository or its config cannot be read, or there is no canon.
pub fn run(env: &Environment, progress: &dyn Progress) -> Result<Overview, Error> {
    let mut workspace = Workspace::open_canon(env)?;
    // Lists the work tree for all that follows.
    let check = check_summary(&mut workspace, progress).map_err(|e| e.message);
    let mut runs = status::list(&workspace, true)?;
    runs.retain(|run| run.kind == RunKind::Plan || !run.is_ended());
    Ok(Overview {
        canon: workspace.view.full(workspace.layout.root()),
        check,
        mirrors: mirror_summary(&workspace, progress).map_err(|e| e.message),
        unfetched: unfetched(&workspace),
        runs,
        memory: memory_summary(&workspace, progress).map_err(|e| e.message),
    })
}

fn check_summary(workspace: &mut Workspace, progress: &dyn Progress) -> Result<CheckSummary, Error> {
    let report = check::check(workspace, &CheckRequest::default(), progress)?;
    let count = |severity| report.count(severity);
    let skills = skills_in_canon(workspace)?;
    let partial_listings = report.findings.iter().filter(|finding| finding.rule.id == LISTING_BUDGET).count();
    Ok(CheckSummary { skills, errors: count(Severity::Error), warnings: count(Severity::Warning), partial_listings })
}

/// The skills that are mirrored. If the repository itself is the canon, a check finds others beside them.
fn skills_in_canon(workspace: &Workspace) -> Result<usize, Error> {
    let listing = workspace.view.list(&workspace.layout.skills(), IgnoreMode::Exclude)?;
    Ok(Inventory::from_entries(&listing.entries(), &workspace.layout).skills.len())
}

fn mirror_summary(workspace: &Workspace, progress: &dyn Progress) -> Result<MirrorSummary, Error> {
    let outcome = sync::preview_in(workspace, progress)?;
    let mut summary = MirrorSummary::default();
    for canon in outcome.synced() {
        summary.never_synced |= canon.never_synced;
        summary.written += canon.written.len();
        summary.removed += canon.removed.len();
        summary.untrusted += canon.untrusted.values().map(Vec::len).sum::<usize>();
        let is_mirror = |refusal: &&SyncRefusal| {
            matches!(refusal.reason, SyncRefusalReason::Mirror(_) | SyncRefusalReason::ChangedMeanwhile)
        };
        let refused = canon.refused.iter().filter(is_mirror).count();
        summary.refused += refused;
        summary.omitted += canon.refused.len() - refused;
    }
    match outcome.canons.into_iter().find_map(|canon| match canon.result {
        sync::CanonResult::Failed(error) => Some(error),
        _ => None,
    }) {
        Some(error) => Err(error),
        None => Ok(summary),
    }
}

fn memory_summary(workspace: &Workspace, progress: &dyn Progress) -> Result<MemorySummary, Error> {
    let overview = memory_status::run(workspace, &MemoryStatusRequest { now: None, top: 0 }, progress)?;
    Ok(MemorySummary {
        rows: overview.log.rows,
        lessons: overview.lessons.lessons,
        candidates: overview.waiting,
        nights: overview.nights,
    })
}

impl Overview {
    /// Items that wait for a person, the most urgent first.
    pub fn waiting(&self) -> Vec<WaitingItem> {
        let mut items = Vec::new();
        let mut add = |what: String, command: String| items.push(WaitingItem { what, command });
        if let Ok(check) = &self.check
            && check.errors > 0
        {
            add(format!("{} in the canon", plural(check.errors, "error", "errors")), "canonry check".to_owned());
        }
        if let Ok(CheckSummary { partial_listings: tools @ 1.., .. }) = self.check {
            let what = "that does not list all descriptions of skills";
            let several = "that do not list all descriptions of skills";
            let what = plural(tools, &format!("tool {what}"), &format!("tools {several}"));
            add(what, format!("canonry check --select {LISTING_BUDGET}"));
        }
        for source in &self.unfetched {
            add(format!("the shared canon {source}"), "canonry skills update".to_owned());
        }
        for run in &self.runs {
            let name = &run.name;
            for (step, _) in &run.unapproved {
                let command = format!("canonry run approve {name} {step} --reason WHY");
                add(format!("the approval of `{step}` in plan `{name}`"), command);
            }
            for (step, _) in &run.blocked {
                add(format!("`{step}` in plan `{name}` is blocked"), format!("canonry run show {name}"));
            }
            match (&run.phase, run.kind) {
                (RunPhase::NeedsPerson | RunPhase::StepLimit { .. }, RunKind::Workflow) => {
                    add(format!("a decision in run `{name}`"), format!("canonry run status {name}"));
                }
                (RunPhase::Unreadable { .. }, RunKind::Plan) => {
                    add(format!("plan `{name}` cannot be used"), run.next_command());
                }
                (RunPhase::Unreadable { .. }, RunKind::Workflow) => {
                    add(format!("run `{name}` cannot be read"), run.next_command());
                }
                _ => {}
            }
        }
        if let Ok(mirrors) = &self.mirrors {
            if mirrors.refused > 0 {
                let refused =
                    plural(mirrors.refused, "edited or foreign mirror file", "edited or foreign mirror files");
                add(refused, "canonry sync --check --diff".to_owned());
            }
            if mirrors.omitted > 0 {
                let what = "of the canon that a tool does not get";
                add(
                    plural(mirrors.omitted, &format!("part {what}"), &format!("parts {what}")),
                    "canonry sync --check".to_owned(),
                );
            }
            if mirrors.untrusted > 0 {
                let what = "with commands that no tool runs before you trust it";
                let several = "with commands that no tool runs before you trust them";
                let what = plural(mirrors.untrusted, &format!("entry {what}"), &format!("entries {several}"));
                add(what, "canonry trust".to_owned());
            }
            if mirrors.written + mirrors.removed > 0 {
                add("mirrors that are behind the canon".to_owned(), "canonry sync".to_owned());
            }
        }
        if let Ok(memory) = &self.memory {
            if memory.candidates > 0 {
                let what = plural(memory.candidates, "candidate for the memory", "candidates for the memory");
                add(what, "canonry memory review".to_owned());
            }
            if memory.nights.failed > 0 || memory.nights.skipped > 0 {
                add("nights without a dream".to_owned(), "canonry dream".to_owned());
            }
        }
        items
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
