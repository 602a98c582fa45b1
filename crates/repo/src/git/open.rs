//! Finds and opens the repository of a command.

use gix::sec::trust::DefaultForLevel;
use std::path::{Path, PathBuf};

/// Why no repository could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("`{}` is not in a git repository; run `git init` there, or go to a repository", dir.display())]
    NotARepository {
        /// Where the search began.
        dir: PathBuf,
    },
    /// gix cannot read the reference storage.
    #[error(
        "the repository of `{}` stores its references as reftable, which is not supported; \
         run `git refs migrate --ref-format=files` in it", dir.display()
    )]
    Reftable {
        /// Where the search began.
        dir: PathBuf,
    },
    /// `core.worktree` names a folder that the search did not begin in.
    #[error(
        "the work tree of the repository of `{}` is `{}` (`core.worktree`), which does not contain that directory; \
         go there, or run `git config --unset core.worktree`", dir.display(), top.display()
    )]
    Elsewhere {
        /// Where the search began.
        dir: PathBuf,
        /// The work tree.
        top: PathBuf,
    },
    /// The repository exists but cannot be opened.
    #[error("the git repository of `{}` cannot be opened; run `git status` there for details", dir.display())]
    Broken {
        /// Where the search began.
        dir: PathBuf,
        source: gix::Error,
    },
}

/// Opens the repository of `dir` as git does: searches upwards unless `GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE` and
/// similar variables are set, which hooks depend on.
///
/// # Errors
/// There is no repository, or it cannot be read.
pub fn open(dir: &Path) -> Result<gix::Repository, OpenError> {
    let is_explicit = ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| std::env::var_os(name).is_some());
    if is_explicit {
        return usable(discover(dir), dir);
    }
    open_around(dir, &discover)
}

/// Opens the repository of `dir` and ignores `GIT_DIR` and similar variables, which apply to one repository only. For
/// commands on several repositories.
///
/// # Errors
/// See [`open`].
pub fn open_alone(dir: &Path) -> Result<gix::Repository, OpenError> {
    open_around(dir, &|dir| gix::ThreadSafeRepository::discover_opts(dir, upwards(), alone()).map(Into::into))
}

/// Options that ignore the variables of one repository.
fn alone() -> gix::sec::trust::Mapping<gix::open::Options> {
    let mut trust: gix::sec::trust::Mapping<gix::open::Options> = Default::default();
    if LOCAL.iter().any(|name| std::env::var_os(name).is_some()) {
        let without_environment = |options: &mut gix::open::Options, mut permissions: gix::open::Permissions| {
            // gix has no option for these variables alone.
            permissions.env.git_prefix = gix::sec::Permission::Deny;
            options.modify(|options| options.permissions(permissions));
        };
        without_environment(&mut trust.full, DefaultForLevel::default_for_level(gix::sec::Trust::Full));
        without_environment(&mut trust.reduced, DefaultForLevel::default_for_level(gix::sec::Trust::Reduced));
    }
    trust
}

/// Opens the repository that a search finds, if its work tree contains `dir`.
///
/// A folder with `HEAD`, `config`, `objects` and `refs` is a repository wherever it is, and a commit of another repository can
/// contain one. Its `core.worktree` may be any folder, so such a repository is passed over, as git does with
/// `safe.bareRepository=explicit` (<https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository>).
fn open_around(
    dir: &Path,
    search: &dyn Fn(&Path) -> gix::Result<gix::Repository>,
) -> Result<gix::Repository, OpenError> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut from = dir.to_owned();
    loop {
        let repo = usable(search(&from), dir)?;
        let Some(top) = repo.workdir().map(real) else { return Ok(repo) };
        let git_dir = real(repo.git_dir());
        let is_embedded = real(&from).starts_with(&git_dir) && git_dir.file_name().is_none_or(|name| name != ".git");
        if !is_embedded {
            let contains_dir = real(dir).starts_with(&top);
            return if contains_dir { Ok(repo) } else { Err(OpenError::Elsewhere { dir: dir.to_owned(), top }) };
        }
        match git_dir.parent() {
            Some(above) => from = above.to_owned(),
            None => return Err(OpenError::NotARepository { dir: dir.to_owned() }),
        }
    }
}

/// Variables that git sets for hooks of one repository.
const LOCAL: [&str; 4] = ["GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_SHALLOW_FILE", "GIT_NAMESPACE"];

/// Checks that the repository can be used.
fn usable(found: gix::Result<gix::Repository>, dir: &Path) -> Result<gix::Repository, OpenError> {
    let repo = found.map_err(|source| {
        let dir = dir.to_owned();
        if source.is_not_found() { OpenError::NotARepository { dir } } else { OpenError::Broken { dir, source } }
    })?;
    let format = repo.config_snapshot().string("extensions.refStorage");
    // gix opens such a repository, but then finds its placeholder HEAD invalid.
    if format.is_some_and(|format| format.eq_ignore_ascii_case(b"reftable")) {
        return Err(OpenError::Reftable { dir: dir.to_owned() });
    }
    Ok(repo)
}

fn discover(dir: &Path) -> gix::Result<gix::Repository> {
    let trust = Default::default();
    gix::ThreadSafeRepository::discover_with_environment_overrides_opts(dir, upwards(), trust).map(Into::into)
}

fn upwards() -> gix::discover::upwards::Options<'static> {
    gix::discover::upwards::Options {
        // As in git, a ceiling that is not above `dir` has no effect.
        match_ceiling_dir_or_error: false,
        ..Default::default()
    }
}
