//! Finds the lessons that are older than a change of what they are about, in the log and git's history.

use crate::memory_files::{read_document, read_log_tail};
use crate::skill_catalog::SkillCatalog;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::outdated_lessons::{OutdatedLesson, Subject, lesson_subjects, outdated_lessons};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::git::last_changes::last_changes;
use canonry_repo::view::IgnoreMode;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Files that define the behaviour of a skill. A folder is compared by its tree id. `KNOWLEDGE.md` is not part of it:
/// it holds lessons itself.
const SKILL_PARTS: [&str; 4] = ["SKILL.md", "scripts", "references", "assets"];

/// The lessons of the team that are older than the last committed change of their skill with its scripts and references, policy or
/// protocol. Empty without git.
///
/// # Errors
/// The lessons exist and cannot be read, or git's own files cannot be read.
pub fn find(workspace: &Workspace) -> Result<Vec<OutdatedLesson>, Error> {
    let layout = &workspace.layout;
    let lessons = read_document(&workspace.view, &layout.lessons())?;
    let Ok(repo) = workspace.repo() else { return Ok(Vec::new()) };
    if lessons.trim().is_empty() {
        return Ok(Vec::new());
    }
    let subjects = subjects(workspace)?;
    let log = read_log_tail(&workspace.view, &layout.log(), workspace.pending_log().as_ref());
    let lessons = lesson_subjects(&lessons, &log, &subjects);
    let Some(since) = lessons.iter().map(|lesson| lesson.until).min() else { return Ok(Vec::new()) };
    let about: BTreeSet<usize> = lessons.iter().flat_map(|lesson| lesson.subjects.iter().copied()).collect();
    let of_subject = |at: usize| subjects[at].paths.iter().map(move |path| (workspace.view.full(path), at));
    let files: BTreeMap<RepoPath, usize> = about.into_iter().flat_map(of_subject).collect();
    let paths: Vec<RepoPath> = files.keys().cloned().collect();
    let changes = last_changes(repo, &paths, since.to_jiff().as_second())
        .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot read git's history: {e}")))?;
    let mut newest: BTreeMap<usize, Timestamp> = BTreeMap::new();
    for (path, seconds) in changes {
        if let (Some(at), Ok(time)) = (files.get(&path), jiff::Timestamp::from_second(seconds)) {
            let known = newest.entry(*at).or_insert_with(|| Timestamp::from(time));
            *known = (*known).max(Timestamp::from(time));
        }
    }
    Ok(outdated_lessons(lessons, &subjects, &newest))
}

/// The skills, and the pages of policies and protocols.
fn subjects(workspace: &Workspace) -> Result<Vec<Subject>, Error> {
    let skills = SkillCatalog::load(workspace)?.inventory.skills;
    let skill = |path: &RepoPath| Subject {
        name: path.file_name_lossy(),
        paths: SKILL_PARTS.iter().map(|part| path.join(*part)).collect(),
    };
    let mut subjects: Vec<Subject> = skills.iter().map(|found| skill(&found.path)).collect();
    for folder in [workspace.layout.policies(), workspace.layout.protocols()] {
        let files = workspace.view.list(&folder, IgnoreMode::Exclude)?.files.into_iter().map(|file| file.entry.path);
        let pages = files.filter(|path| path.as_bstr().ends_with(b".md"));
        subjects.extend(pages.map(|path| Subject { name: path.file_name_lossy(), paths: vec![path] }));
    }
    Ok(subjects)
}
