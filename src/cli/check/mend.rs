//! Fixing: what is found is fixed in memory and judged anew until nothing is left to fix, then written at once.

use super::asked::Check;
use crate::app::Workspace;
use crate::app::check::scope::Scope;
use crate::app::diffs::FileDiff;
use crate::app::{Error, ErrorKind};
use crate::apply::{Session, WritePlan};
use crate::canon::inventory::Inventory;
use crate::canon::{Blob, FileState};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::edit::{Edit, EditContent};
use crate::finding::{Applicability, Finding, Fix, apply_fixes as mend_text};
use crate::render::{counted, diff};
use crate::rules::ResolvedFindings;
use crate::syntax::{RepoPath, Source};
use crate::view::View;
use crate::view::load::DOCUMENT_LIMIT;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Each round fixes what the one before uncovered or could not reach; no real file needs more than a few.
const ROUNDS: usize = 10;

/// What the fixes come to.
pub struct Mended {
    /// Texts that change, then files that get another name.
    edits: Vec<Edit>,
    /// How many fixes there are in each file.
    counts: BTreeMap<RepoPath, usize>,
    /// Files that are no longer what was judged.
    overtaken: Vec<RepoPath>,
}

/// What was written.
pub struct Fixed {
    /// How many fixes were made.
    pub count: usize,
    /// Files that got another name, each with that.
    pub renamed: Vec<(RepoPath, RepoPath)>,
}

/// A file that is being fixed.
struct File {
    before: Arc<Source>,
    text: String,
    count: usize,
}

/// All that is being fixed.
#[derive(Default)]
struct Files {
    texts: BTreeMap<RepoPath, File>,
    /// The names that files get.
    names: BTreeMap<RepoPath, String>,
}

/// Works the fixes out; the view is left as it was.
///
/// # Errors
/// As of judging.
pub fn mend(
    check: &Check<'_>,
    context: &mut Workspace,
    scope: Scope,
    settled: &ResolvedFindings,
    most: Applicability,
) -> Result<Mended, Error> {
    let mut files = Files::default();
    let mut judged = scope.judged;
    let mut changed = round(&settled.findings, most, &mut files);
    for _ in 1..ROUNDS {
        if changed.is_empty() {
            break;
        }
        for path in &changed {
            let text = files.texts.get(path).map(|file| file.text.clone()).unwrap_or_default();
            context.view.set_overlay(path.clone(), text.into_bytes());
        }
        keep(&mut judged, &changed);
        let again = Scope { judged: judged.clone(), ..Scope::default() };
        changed = round(&check.judge(context, &again)?.settled.findings, most, &mut files);
    }
    context.view.clear_overlay();
    Ok(edits(&context.view, files))
}

/// Makes the fixes of some findings once; the files that changed.
fn round(findings: &[Finding], most: Applicability, files: &mut Files) -> BTreeSet<RepoPath> {
    let mut changed = BTreeSet::new();
    for of_file in findings.chunk_by(|a, b| a.raw.location.path == b.raw.location.path) {
        let mut fixes: Vec<&Fix> = of_file.iter().filter_map(|finding| finding.raw.fix.as_ref()).collect();
        fixes.retain(|fix| fix.applicability <= most);
        if let (Some(name), Some(first)) = (fixes.iter().find_map(|fix| fix.rename.as_ref()), of_file.first()) {
            files.names.insert(first.raw.location.path.clone(), name.clone());
        }
        fixes.retain(|fix| fix.rename.is_none());
        let source = of_file.iter().find_map(|finding| finding.raw.location.source.as_ref());
        let Some(source) = source.filter(|_| !fixes.is_empty()) else { continue };
        // Where two overlap, the one that is safe is made first.
        fixes.sort_by_key(|fix| fix.applicability);
        let mended = mend_text(source.text(), fixes);
        if mended.text != source.text() {
            let new = || File { before: Arc::clone(source), text: String::new(), count: 0 };
            let file = files.texts.entry(source.path().clone()).or_insert_with(new);
            file.text = mended.text;
            file.count += mended.count;
            changed.insert(source.path().clone());
        }
    }
    changed
}

/// Leaves only what has changed to be judged again.
fn keep(judged: &mut Inventory, changed: &BTreeSet<RepoPath>) {
    judged.skills.retain(|skill| changed.contains(&skill.document.path));
    judged.linked_skills.clear();
    for list in judged.file_lists_mut() {
        list.retain(|entry| changed.contains(&entry.path));
    }
}

fn edits(view: &View, files: Files) -> Mended {
    let mut mended = Mended { edits: Vec::new(), counts: BTreeMap::new(), overtaken: Vec::new() };
    let mut probe = view.probe();
    for (path, file) in files.texts {
        // Asked before the bytes are compared: what changes in between is noticed before it is written over.
        let was = probe.state(&path).filter(|state| state.mode.is_file());
        let is_same = view.read(&path, DOCUMENT_LIMIT) == Blob::Bytes(file.before.text().as_bytes().to_vec());
        let id = gix::objs::compute_hash(view.object_hash(), gix::objs::Kind::Blob, file.text.as_bytes());
        match (was, id) {
            (Some(was), Ok(id)) if is_same => {
                mended.counts.insert(path.clone(), file.count);
                let content = EditContent::Bytes(file.text.into_bytes());
                mended.edits.push(Edit::Write { path, content, was: Some(was), now: FileState { id, mode: was.mode } });
            }
            _ => mended.overtaken.push(path),
        }
    }
    for (path, name) in files.names {
        // What it holds once the texts are written.
        let written = mended.edits.iter().find(|edit| *edit.path() == path).and_then(Edit::now);
        let Some(was) = written.or_else(|| probe.state(&path)).filter(|state| state.mode.is_file()) else { continue };
        let to = path.parent().unwrap_or_default().join(&name);
        *mended.counts.entry(path.clone()).or_default() += 1;
        mended.edits.push(Edit::Rename { path, to, was });
    }
    mended
}

impl Mended {
    /// Prints what a run would change.
    pub fn foreseen(&self, context: &Workspace, out: &Out<'_>) -> Status {
        let diffs: Vec<FileDiff> = self.edits.iter().filter_map(|edit| self.diff_of(&context.view, edit)).collect();
        out.result(&diff::patch(&diffs));
        let count = self.counts.values().sum();
        let would = match count {
            0 => "Nothing to fix.\n".to_owned(),
            _ => format!("{} in {}; nothing is written.\n", fixes(count), counted(self.counts.len(), "file")),
        };
        out.remark(&would);
        if count > 0 { Status::Findings } else { Status::Done }
    }

    /// A file that changes and gets another name is one change, as git takes it.
    fn diff_of(&self, view: &View, edit: &Edit) -> Option<FileDiff> {
        let of_same = |other: &&Edit| other.path() == edit.path() && *other != edit;
        match (edit, self.edits.iter().find(of_same)) {
            (Edit::Rename { path, to, .. }, text) => Some(FileDiff::from_rename(view, path, to, text)),
            (_, Some(_)) => None,
            (_, None) => Some(FileDiff::from_edit(view, edit)),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// Another run is at work, an unfinished one is to be finished first, or the file system refused.
    pub fn write(mut self, context: &Workspace, out: &Out<'_>) -> Result<Fixed, Error> {
        let mut renamed = Vec::new();
        if !self.edits.is_empty() {
            let mut session = Session::begin(&context.git_dir()?)?;
            if !session.pending().is_empty() {
                // Its journal tells that run's own work from a person's; ours would take its place.
                let error = Error::new(ErrorKind::Refused, "a sync was cut off and is to be finished first");
                return Err(error.help("run `canonry sync`, then this again"));
            }
            let plan = WritePlan { edits: &self.edits, back_up: &[], locks: Vec::new() };
            let applied = session.apply(&context.view, &plan, &context.env.cancel)?;
            self.overtaken.extend(applied.conflicts);
            context.view.forget();
            renamed = applied.renamed;
        }
        for path in &self.overtaken {
            self.counts.remove(path);
            let path = context.view.full(path);
            out.remark(&format!("{path}: changed while it was judged; left as it is\n"));
        }
        Ok(Fixed { count: self.counts.values().sum(), renamed })
    }
}

impl Fixed {
    /// A path that was named, by the name that it has now.
    pub fn follow(&self, context: &Workspace, given: &Path) -> PathBuf {
        let path = context.inside(given).ok();
        let new = self.renamed.iter().find(|(was, _)| Some(was) == path.as_ref());
        new.map_or_else(|| given.to_owned(), |(_, now)| given.with_file_name(now.file_name_lossy()))
    }

    /// Git takes both spellings for one name where it ignores case, and has to be told.
    pub fn remark(&self, context: &Workspace, out: &Out<'_>) {
        if context.repo().ok().and_then(|repo| repo.config_snapshot().boolean("core.ignoreCase")) != Some(true) {
            return;
        }
        for (was, now) in self.renamed.iter().filter(|(was, _)| context.view.is_tracked(was)) {
            let (was, now) = (context.view.full(was), context.view.full(now));
            out.remark(&format!(
                "{was}: git ignores case here; tell it with `git rm --cached {was} && git add {now}`\n"
            ));
        }
    }
}

fn fixes(count: usize) -> String {
    if count == 1 { "1 fix".to_owned() } else { format!("{count} fixes") }
}
