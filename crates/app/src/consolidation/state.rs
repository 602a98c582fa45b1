//! The memory as a dream finds it.

use crate::memory_files::{read_all_rows, read_document, read_lessons, read_optional, refuse_links};
use crate::skill_catalog::SkillCatalog;
use crate::skill_usage::skills_with_advice;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::candidates::{ViolationRow, violations};
use canonry_memory::review::ReviewQueue;
use canonry_memory::skill_usage::UsedSkill;
use canonry_memory::working_memory::{is_stale, is_used};
use canonry_memory::{DreamDecision, DreamParams, Ruleset, consolidate};
use canonry_model::canon::task::Task;
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::{FileState, Layout, memory_file};
use canonry_repo::git::history::last_change;
use canonry_repo::view::log::LogPrefix;
use canonry_repo::view::{Basis, IgnoreMode, View, load};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The memory, without the log that the decision holds.
pub struct MemoryState {
    /// The bytes of the log once the pending rows are in it; `None` if it does not exist and no row is pending.
    pub mark: Option<LogPrefix>,
    /// The rows that name a violated constraint.
    pub violations: Vec<ViolationRow>,
    /// The skills of the canon, if the decision involves any.
    pub skills: KnownSkills,
    /// The skills that need a rewrite or are stale.
    pub used_skills: Vec<UsedSkill>,
    /// The tasks of the canon by id.
    pub tasks: Vec<(String, Task)>,
    /// The lessons; `None` if the file does not exist.
    pub lessons: Option<String>,
    /// The review queue as bytes; `None` if the file does not exist.
    pub review: Option<Vec<u8>>,
    /// The parsed review queue.
    pub queue: ReviewQueue,
    /// The stale files of the working memory.
    pub stale: Vec<StaleFile>,
    /// The files of the working memory that stay because a shallow clone does not know when they changed.
    pub age_unknown: Vec<RepoPath>,
}

/// The skills of the canon.
#[derive(Default)]
pub struct KnownSkills {
    /// The names of their folders.
    pub names: BTreeSet<String>,
    /// The `KNOWLEDGE.md` of the skills with a violated constraint.
    pub knowledge: BTreeMap<String, String>,
}

/// A file of the working memory that has not changed for a while.
pub struct StaleFile {
    /// The path.
    pub path: RepoPath,
    /// The content.
    pub bytes: Vec<u8>,
    /// The template it is reset to.
    pub template: &'static str,
    /// The snapshot it is archived to; `None` if a snapshot has the same content already.
    pub archive: Option<RepoPath>,
}

/// Reads the memory, and decides about the rows of the log.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if a file cannot be read or is a link.
pub fn load(workspace: &Workspace, params: &DreamParams) -> Result<(DreamDecision, MemoryState), Error> {
    refuse_links(workspace)?;
    let review = read_optional(workspace, &workspace.layout.review())?;
    let queue = ReviewQueue::parse(&String::from_utf8_lossy(review.as_deref().unwrap_or_default()));
    let read = read_all_rows(workspace, params.ruleset)?;
    let lessons = read_lessons(workspace)?;
    let mut stale = Vec::new();
    let mut age_unknown = Vec::new();
    find_stale_files(workspace, params, &mut stale, &mut age_unknown)?;
    let mark = read.as_ref().map(|read| read.mark);
    let decision = consolidate(read.map(|read| read.log).unwrap_or_default(), params);
    let violations = violations(&decision);
    let skills = known_skills(workspace, &decision, &violations)?;
    let (used_skills, tasks) = match params.ruleset {
        Ruleset::Seed => (Vec::new(), Vec::new()),
        Ruleset::Current => (
            skills_with_advice(workspace, &decision.log.rows, &queue, params.now)?,
            load::tasks(&workspace.view, &workspace.layout)?,
        ),
    };
    let state =
        MemoryState { mark, violations, skills, used_skills, tasks, lessons, review, queue, stale, age_unknown };
    Ok((decision, state))
}

/// Lists the skills, if the decision involves any. A `KNOWLEDGE.md` that cannot be read is empty; `check` reports it.
fn known_skills(
    workspace: &Workspace,
    decision: &DreamDecision,
    violations: &[ViolationRow],
) -> Result<KnownSkills, Error> {
    if decision.repeated.is_empty() && violations.is_empty() {
        return Ok(KnownSkills::default());
    }
    let mut known = KnownSkills::default();
    for folder in SkillCatalog::load(workspace)?.inventory.skills {
        let name = folder.path.file_name_lossy();
        if violations.iter().any(|violation| violation.skill == name) {
            let knowledge = read_document(&workspace.view, &Layout::knowledge(&folder.path)).unwrap_or_default();
            known.knowledge.insert(name.clone(), knowledge);
        }
        known.names.insert(name);
    }
    Ok(known)
}

fn find_stale_files(
    workspace: &Workspace,
    params: &DreamParams,
    stale: &mut Vec<StaleFile>,
    age_unknown: &mut Vec<RepoPath>,
) -> Result<(), Error> {
    let layout = &workspace.layout;
    let mut files = vec![(layout.workspace(), memory_file::WORKSPACE)];
    // The seed has no active plan.
    if params.ruleset == Ruleset::Current {
        files.push((layout.active_plan(), memory_file::ACTIVE_PLAN));
    }
    for (path, template) in files {
        let Some(bytes) = read_optional(workspace, &path)? else { continue };
        if !is_used(&String::from_utf8_lossy(&bytes), template) {
            continue;
        }
        let changed = last_changed(workspace, &path, params)?;
        if changed.is_some_and(|changed| is_stale(changed, params.now, &params.policy)) {
            let archive = archive_path(workspace, &path, &bytes, params.now)?;
            stale.push(StaleFile { path, bytes, template, archive });
        } else if workspace.repo()?.is_shallow().unwrap_or(false) {
            age_unknown.push(path);
        }
    }
    Ok(())
}

/// When a file last changed: according to git if the memory's branch or HEAD has the same content, otherwise according to its
/// modification time, which a fresh clone resets.
fn last_changed(workspace: &Workspace, path: &RepoPath, params: &DreamParams) -> Result<Option<Timestamp>, Error> {
    let branch = workspace.config.memory.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    for rev in branch.as_deref().into_iter().chain(["HEAD"]) {
        if params.ruleset != Ruleset::Current || !is_unchanged_since(workspace, rev, path)? {
            continue;
        }
        let limit = params.now.minus_days(params.policy.stale_after_days).to_jiff().as_second();
        let time = last_change(workspace.repo()?, rev, path.as_bstr(), limit)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("{path}: cannot read git's history: {e}")))?;
        if let Some(moment) = time.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()) {
            return Ok(Some(Timestamp::from(moment)));
        }
    }
    let modified = workspace.view.on_disk(path).and_then(|at| std::fs::metadata(at).ok()?.modified().ok());
    Ok(modified.and_then(|time| jiff::Timestamp::try_from(time).ok()).map(Timestamp::from))
}

/// Whether a revision has a file with the same content and mode.
///
/// # Errors
/// The files cannot be listed.
pub fn is_unchanged_since(workspace: &Workspace, rev: &str, path: &RepoPath) -> Result<bool, Error> {
    let Ok(commit) = workspace.open_view(&Basis::Commit(rev.to_owned())) else { return Ok(false) };
    let committed = file_state(&commit, path)?;
    Ok(committed.is_some() && committed == file_state(&workspace.view, path)?)
}

fn file_state(view: &View, path: &RepoPath) -> Result<Option<FileState>, Error> {
    let listing = view.list(path, IgnoreMode::Include)?;
    Ok(view.states(&listing.files).into_iter().next().flatten())
}

/// `snapshots/WORKSPACE-2026-05-01.md`, with a number if that has other content; `None` if a snapshot has the same content.
///
/// # Errors
/// A snapshot cannot be read.
pub fn archive_path(
    workspace: &Workspace,
    path: &RepoPath,
    bytes: &[u8],
    now: Timestamp,
) -> Result<Option<RepoPath>, Error> {
    let stem = path.file_name_lossy().trim_end_matches(".md").to_owned();
    let date = now.date();
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let snapshot = workspace.layout.snapshots().join(format!("{stem}-{date}{suffix}.md").as_str());
        match read_optional(workspace, &snapshot)? {
            None => return Ok(Some(snapshot)),
            Some(existing) if existing == bytes => return Ok(None),
            Some(_) => {}
        }
    }
    Ok(None)
}
