//! Recognises what an older sync wrote: from the canon in the index and in git's history, from the record of this clone,
//! and from earlier locks. Reads nothing until a file is neither what the canon nor what the lock says.

use super::{GitSource, View};
use canonry_agents::ManagedPart;
use canonry_mirror::Lock;
use canonry_mirror::written::{self, WrittenStates};
use canonry_model::canon::{FileState, Layout};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A file of a mirror with a state that is neither desired nor in the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFile {
    pub path: RepoPath,
    pub state: FileState,
    /// The canonical file that it is a copy of.
    pub canon: Option<RepoPath>,
    /// Whether sync would write another content there.
    pub is_desired: bool,
    /// Whether only the record decides: a file that no skill has and no lock names is usually a user file.
    pub record_only: bool,
}

/// Recognition of such files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// Files that an older sync wrote.
    pub written: Vec<(RepoPath, FileState)>,
    /// Files whose author is unknown.
    pub unproved: BTreeSet<RepoPath>,
}

/// Content that sync wrote in the past.
pub struct WrittenHistory {
    git: Option<Arc<GitSource>>,
    record: Option<PathBuf>,
    /// Files of mirrors that an import took into the canon, in the form of the record.
    imported: Option<PathBuf>,
    layout: Layout,
    /// The record; `None` if there is none.
    text: OnceLock<Option<Vec<u8>>>,
}

impl std::fmt::Debug for WrittenHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WrittenHistory").field("record", &self.record).finish_non_exhaustive()
    }
}

impl WrittenHistory {
    /// `git_dir` is the folder with canonry's own state; `None` for a commit, whose mirrors do not depend on the clone.
    pub fn new(view: &View, layout: &Layout, git_dir: Option<PathBuf>) -> Self {
        let record = git_dir.as_ref().map(|folder| folder.join("canonry/written"));
        let imported = git_dir.map(|folder| folder.join("canonry/imported"));
        Self { git: view.git.clone(), record, imported, layout: layout.clone(), text: OnceLock::new() }
    }

    /// Finds out which of the files an older sync wrote.
    pub fn recognise(&self, mut unknown: Vec<UnknownFile>) -> Recognition {
        let mut found = Recognition::default();
        let Some(git) = self.git.as_ref().filter(|_| !unknown.is_empty()) else { return found };
        let recorded = self.recorded(&unknown);
        let is_staged = |file: &UnknownFile| {
            !file.record_only && file.canon.as_ref().is_some_and(|canon| git.staged_state(canon) == Some(file.state))
        };
        let is_recorded =
            |file: &UnknownFile| recorded.get(&file.path).is_some_and(|known| known.states.contains(&file.state));
        let imported = self.imported(&unknown);
        // Only where the canon has a file: it is a person's, and stays if the canon does not have it any more. A file in the
        // form of a tool may have said more than the canon's file, so that git must have it.
        let is_imported = |file: &UnknownFile| {
            let is_kept = file.canon.is_some() || git.staged_state(&file.path) == Some(file.state);
            let known = imported.get(&file.path).filter(|_| file.is_desired && is_kept);
            known.is_some_and(|known| known.states.contains(&file.state))
        };
        take(&mut unknown, &mut found, |file| is_staged(file) || is_recorded(file) || is_imported(file));
        unknown.retain(|file| !file.record_only);
        if unknown.is_empty() {
            return found;
        }
        self.search_history(git, &mut unknown, &mut found);
        let merged = self.search_merges(git, &mut unknown, &mut found);
        // Nothing says who wrote what a commit has: a clone may commit a mirror without the canon that it is a copy of.
        let is_proved = |file: &UnknownFile| {
            let was_written = recorded.get(&file.path).is_some_and(|known| !known.states.is_empty());
            let is_staged = git.staged_state(&file.path) == Some(file.state);
            let is_from_git =
                git.committed_state(&file.path) == Some(file.state) || is_staged && merged.contains(&file.path);
            was_written && !is_from_git
        };
        found.unproved.extend(unknown.iter().filter(|file| !is_proved(file)).map(|file| file.path.clone()));
        found
    }

    /// Whether a sync of this clone wrote a part of a shared file, and none has removed it since.
    pub fn wrote_part(&self, part: &RepoPath) -> bool {
        let is_it = |path: &[u8]| path == part.as_bstr().as_bytes();
        self.text().is_some_and(|text| written::find(text, is_it).values().any(|known| !known.states.is_empty()))
    }

    /// A file in the index, if it is text.
    pub fn staged_text(&self, path: &RepoPath) -> Option<(FileState, String)> {
        let git = self.git.as_ref()?;
        let state = git.staged_state(path)?;
        Some((state, String::from_utf8(git.blob(state.id)?).ok()?))
    }

    /// Whether a version of the canon had both folders. Then one of them is not the other under a new name.
    pub fn had_both(&self, one: &RepoPath, other: &RepoPath) -> bool {
        let mut found = false;
        if let Some(git) = &self.git {
            git.visit_versions(self.layout.root(), |version| {
                found = version.has_folder(one) && version.has_folder(other);
                if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        found
    }

    /// Parts that older syncs wrote into shared files, as the lock would name them.
    pub fn managed_parts(&self) -> Lock {
        let is_part = |path: &[u8]| path.contains(&b'#');
        let mut parts = Lock::default();
        if let Some(text) = self.text() {
            let found = written::find(text, is_part).into_iter();
            parts = parts.with(found.flat_map(|(path, known)| {
                known.states.into_iter().map(move |state| (path.clone(), state)).collect::<Vec<_>>()
            }));
        }
        let Some(git) = &self.git else { return parts };
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        git.visit_versions(self.layout.root(), |version| {
            if let Some(lock) = version.file(&self.layout.lock()).filter(|lock| seen.insert(lock.id)) {
                // A lock that cannot be read owns no parts, so that none is removed because of it.
                let lock = version.bytes(lock.id).and_then(|text| Lock::parse(&text).ok()).unwrap_or_default();
                let is_part = |(path, _): &&(RepoPath, FileState)| ManagedPart::from_lock_path(path).is_some();
                entries.extend(lock.entries().iter().filter(is_part).cloned());
            }
            ControlFlow::Continue(())
        });
        parts.with(entries)
    }

    /// Without the record, files that an older sync wrote count as edited, and stay.
    fn text(&self) -> Option<&Vec<u8>> {
        self.text.get_or_init(|| crate::fs::read(self.record.as_ref()?).ok()).as_ref()
    }

    fn imported(&self, unknown: &[UnknownFile]) -> HashMap<RepoPath, WrittenStates> {
        let text = self.imported.as_ref().and_then(|path| crate::fs::read(path).ok());
        text.map(|text| find_all(&text, unknown)).unwrap_or_default()
    }

    fn recorded(&self, unknown: &[UnknownFile]) -> HashMap<RepoPath, WrittenStates> {
        let Some(text) = self.text() else { return HashMap::new() };
        find_all(text, unknown)
    }

    /// Takes out the files whose content is a merge of two versions that sync wrote. Returns those that a merge may have
    /// changed otherwise, such as where a person resolved a conflict.
    fn search_merges(
        &self,
        git: &GitSource,
        unknown: &mut Vec<UnknownFile>,
        found: &mut Recognition,
    ) -> BTreeSet<RepoPath> {
        let mut merged = BTreeSet::new();
        if unknown.is_empty() {
            return merged;
        }
        git.visit_merges(|merge| {
            let made = |file: &UnknownFile| merge.may_have_made(&file.path, file.state);
            take(unknown, found, |file| made(file) && merge.is_of_written(&file.path, file.state, &self.layout.lock()));
            merged.extend(unknown.iter().filter(|file| made(file)).map(|file| file.path.clone()));
            if unknown.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        merged
    }

    /// Takes out the files that an earlier version of the canon or of the lock knows.
    fn search_history(&self, git: &GitSource, unknown: &mut Vec<UnknownFile>, found: &mut Recognition) {
        let mut locks = HashSet::new();
        let mut left = std::mem::take(unknown);
        git.visit_versions(self.layout.root(), |version| {
            let lock = version.file(&self.layout.lock()).filter(|lock| locks.insert(lock.id));
            let lock = lock.and_then(|lock| version.bytes(lock.id)).map(|text| {
                let paths: HashSet<&[u8]> = left.iter().map(|file| file.path.as_bstr().as_bytes()).collect();
                written::find(&text, |path| paths.contains(path))
            });
            take(&mut left, found, |file| {
                let is_locked = lock.as_ref().and_then(|lock| lock.get(&file.path));
                let is_locked = is_locked.is_some_and(|known| known.states.contains(&file.state));
                is_locked || file.canon.as_ref().and_then(|canon| version.file(canon)) == Some(file.state)
            });
            if left.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        *unknown = left;
    }
}

/// Entries of a record about the files.
fn find_all(text: &[u8], unknown: &[UnknownFile]) -> HashMap<RepoPath, WrittenStates> {
    let paths: HashSet<&[u8]> = unknown.iter().map(|file| file.path.as_bstr().as_bytes()).collect();
    written::find(text, |path| paths.contains(path))
}

fn take(unknown: &mut Vec<UnknownFile>, found: &mut Recognition, mut is_known: impl FnMut(&UnknownFile) -> bool) {
    unknown.retain(|file| {
        let is_known = is_known(file);
        if is_known {
            found.written.push((file.path.clone(), file.state));
        }
        !is_known
    });
}
