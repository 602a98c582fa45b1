//! git's own hooks around a commit, called as `git commit --only` calls them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Mode};

use super::index::serialized;
use super::plan::CommitPlan;
use super::worktree::{PathOutcome, Staged};
use super::{CommitError, GitHooks};
use crate::exec;
use crate::git::config::hooks_folder;
use crate::git::sparse_index::expand;

/// Set in the environment of hooks, so that a canonry that a hook starts runs no hooks itself.
pub const INSIDE_HOOK: &str = "CANONRY_GIT_HOOK";

/// The hooks of a repository that this commit runs.
pub(super) struct Hooks<'r> {
    repo: &'r gix::Repository,
    mode: GitHooks,
    /// `None` if git would find no hooks.
    folder: Option<PathBuf>,
}

impl<'r> Hooks<'r> {
    pub fn open(repo: &'r gix::Repository, mode: GitHooks) -> Self {
        let folder = match mode {
            GitHooks::Off => None,
            // git runs no hooks either if their folder cannot be found.
            GitHooks::Run | GitHooks::NoVerify => hooks_folder(repo).ok().map(|folder| folder.path),
        };
        Self { repo, mode, folder }
    }

    /// The path of an executable hook.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.as_ref()?.join(name);
        exec::is_executable(&path).then_some(path)
    }

    /// Checks that the hooks which can refuse a commit can be started. What they refuse is known only when there is a commit.
    /// The result names those that are not executable, which git ignores too.
    ///
    /// # Errors
    /// [`CommitError::HookNotRun`].
    pub fn check(&self) -> Result<Vec<PathBuf>, CommitError> {
        let mut ignored = Vec::new();
        for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
            let Some(path) = self.folder.as_ref().map(|folder| folder.join(name)) else { break };
            let is_skipped = self.mode == GitHooks::NoVerify && name != "prepare-commit-msg";
            if is_skipped || !path.is_file() {
                continue;
            }
            if !exec::is_executable(&path) {
                ignored.push(path);
                continue;
            }
            exec::find_interpreter(&path).map_err(|source| CommitError::HookNotRun { name, path, source })?;
        }
        Ok(ignored)
    }

    /// Runs `pre-commit` on an index that holds exactly the commit. Returns what the hook staged there.
    pub fn pre_commit(
        &self,
        index: &gix::index::File,
        tree: ObjectId,
        plan: &CommitPlan,
    ) -> Result<Option<HookChanges>, CommitError> {
        let Some(hook) = self.find("pre-commit").filter(|_| self.mode == GitHooks::Run) else { return Ok(None) };
        let fail = CommitError::git("prepare the index for the pre-commit hook");
        let mut next = self.repo.index_from_tree(&tree).map_err(&fail)?;
        copy_stats(&mut next, index, plan);
        let temporary = self.temporary_index(&serialized(self.repo, &next).map_err(&fail)?)?;
        let path = temporary.path().to_owned();
        self.run("pre-commit", &hook, &[], &path)?;
        let read = gix::index::File::at(&path, self.repo.object_hash(), true, Default::default());
        let after = read.and_then(|after| expand(self.repo, after));
        let after = after.map_err(CommitError::git("read the index that the pre-commit hook left"))?;
        let changes = HookChanges::between(&next, &after);
        Ok((!changes.entries.is_empty()).then_some(changes))
    }

    /// Runs `prepare-commit-msg` and `commit-msg`, which may change the message.
    pub fn message(&self, message: String) -> Result<String, CommitError> {
        let prepare = self.find("prepare-commit-msg");
        let check = self.find("commit-msg").filter(|_| self.mode == GitHooks::Run);
        if prepare.is_none() && check.is_none() {
            return Ok(message);
        }
        // The path that git uses, which some hooks expect.
        let path = self.repo.git_dir().join("COMMIT_EDITMSG");
        let failed = |source| CommitError::File { path: path.clone(), source };
        let mut options = std::fs::OpenOptions::new();
        options.write(true).truncate(true);
        let mut file = crate::fs::open_or_create(&mut options, &path).map_err(failed)?;
        crate::fs::write_all(&mut file, message.as_bytes()).map_err(failed)?;
        drop(file);
        let index = self.repo.index_path();
        if let Some(hook) = prepare {
            self.run("prepare-commit-msg", &hook, &[path.as_os_str(), "message".as_ref()], &index)?;
        }
        if let Some(hook) = check {
            self.run("commit-msg", &hook, &[path.as_os_str()], &index)?;
        }
        let message = crate::fs::read(&path).map_err(failed)?;
        Ok(super::request::clean_message(&message.to_str_lossy()))
    }

    /// Runs `post-commit`. Its failure changes nothing, as in git.
    pub fn post_commit(&self) {
        if let Some(hook) = self.find("post-commit") {
            let _: Result<(), CommitError> = self.run("post-commit", &hook, &[], &self.repo.index_path());
        }
    }

    fn run(&self, name: &'static str, hook: &Path, args: &[&std::ffi::OsStr], index: &Path) -> Result<(), CommitError> {
        let folder = self.repo.workdir().ok_or(CommitError::Bare)?;
        // `GIT_EDITOR=:` is what git sets if it opens no editor.
        let env = [("GIT_INDEX_FILE", index.as_os_str()), ("GIT_EDITOR", ":".as_ref()), (INSIDE_HOOK, name.as_ref())];
        let ran = exec::run_file(hook, args, folder, &env);
        let result = ran.map_err(|source| CommitError::HookNotRun { name, path: hook.to_owned(), source })?;
        if result.success {
            Ok(())
        } else {
            Err(CommitError::HookRefused { name, status: result.status, output: result.output })
        }
    }

    fn temporary_index(&self, bytes: &[u8]) -> Result<tempfile::NamedTempFile, CommitError> {
        let folder = self.repo.git_dir();
        let failed = |source| CommitError::File { path: folder.to_owned(), source };
        let mut builder = tempfile::Builder::new();
        builder.prefix("next-index-").suffix(".lock");
        let mut file = crate::fs::temporary_file(&builder, folder).map_err(failed)?;
        crate::fs::write_all(file.as_file_mut(), bytes).map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(file)
    }
}

/// Takes over stat data and the sparse flags, so that tools that the hook runs need not read every file.
fn copy_stats(next: &mut gix::index::File, index: &gix::index::File, plan: &CommitPlan) {
    let (entries, paths) = next.entries_mut_and_pathbacking();
    for entry in entries {
        let path = entry.path_in(paths);
        if let Some(PathOutcome::Put(staged)) = plan.outcomes.get(path) {
            entry.stat = staged.stat;
        } else if let Some(known) = index.entry_by_path(path) {
            if known.id == entry.id && known.mode == entry.mode {
                entry.stat = known.stat;
            }
            if known.flags.contains(Flags::SKIP_WORKTREE) {
                entry.flags.insert(Flags::SKIP_WORKTREE | Flags::EXTENDED);
            }
        }
    }
}

/// Entries that a pre-commit hook staged: for each path the entry before and after.
pub(super) struct HookChanges {
    entries: BTreeMap<BString, (Option<Entry>, Option<Staged>)>,
}

type Entry = (ObjectId, Mode);

impl HookChanges {
    fn between(before: &gix::index::File, after: &gix::index::File) -> Self {
        let mut old: HashMap<BString, Entry> = HashMap::with_capacity(before.entries().len());
        old.extend(before.entries().iter().map(|entry| (entry.path(before).to_owned(), (entry.id, entry.mode))));
        let mut entries = BTreeMap::new();
        for entry in after.entries() {
            let path = entry.path(after).to_owned();
            let was = old.remove(&path);
            if was == Some((entry.id, entry.mode)) {
                continue;
            }
            if let Some(mode) = entry.mode.to_tree_entry_mode() {
                let staged = Staged::new(entry.id, mode.kind(), entry.stat);
                entries.insert(path, (was, Some(staged)));
            }
        }
        entries.extend(old.into_iter().map(|(path, was)| (path, (Some(was), None))));
        Self { entries }
    }

    /// The changed paths.
    pub fn paths(&self) -> Vec<BString> {
        self.entries.keys().cloned().collect()
    }

    /// Puts the changes into the plan. Returns the paths for which the user has staged something else, which the index
    /// keeps.
    pub fn apply(
        self,
        index: &gix::index::File,
        base: &mut super::head::CommitBase<'_>,
        plan: &mut CommitPlan,
    ) -> Result<BTreeSet<BString>, CommitError> {
        let mut staged_by_user = BTreeSet::new();
        for (path, (before, after)) in self.entries {
            let staged = index.entry_by_path(path.as_bstr()).map(|entry| (entry.id, entry.mode));
            if !plan.outcomes.contains_key(&path) && staged != before {
                staged_by_user.insert(path.clone());
            }
            let outcome = after.map_or(PathOutcome::Gone, PathOutcome::Put);
            let head = base.leaf(path.as_bstr())?;
            plan.changes.remove(&path);
            plan.record(path.as_bstr(), head, outcome);
        }
        Ok(staged_by_user)
    }
}
