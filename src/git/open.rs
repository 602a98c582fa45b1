//! Finding and opening the repository that a command works in.

use gix::sec::trust::DefaultForLevel;
use std::path::{Path, PathBuf};

/// Why no repository could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither the folder nor one above it is a git repository.
    #[error("`{}` is not in a git repository; run `git init` there, or go to a repository", dir.display())]
    NotARepository {
        /// Where the search began.
        dir: PathBuf,
    },
    /// Its references are stored in a format that gix cannot read.
    #[error(
        "the repository of `{}` stores its references as reftable, which is not supported; \
         run `git refs migrate --ref-format=files` in it", dir.display()
    )]
    Reftable {
        /// Where the search began.
        dir: PathBuf,
    },
    /// There is a repository, but it cannot be opened.
    #[error("the git repository of `{}` cannot be opened; `git status` there says more", dir.display())]
    Broken {
        /// Where the search began.
        dir: PathBuf,
        /// What gix says.
        source: gix::Error,
    },
}

/// Opens the repository that `dir` lies in, as git finds it: upwards, with `GIT_DIR`, `GIT_WORK_TREE`,
/// `GIT_INDEX_FILE` and their kin taking precedence, which hooks depend on.
///
/// # Errors
///
/// [`OpenError::NotARepository`] where there is none, [`OpenError::Reftable`] and [`OpenError::Broken`] where it cannot
/// be read.
pub fn open(dir: &Path) -> Result<gix::Repository, OpenError> {
    usable(discover(dir), dir)
}

/// The same, whatever `GIT_DIR` and its kin say: they are meant for one repository, and this is one of several.
///
/// # Errors
///
/// As of [`open`].
pub fn open_alone(dir: &Path) -> Result<gix::Repository, OpenError> {
    let mut trust: gix::sec::trust::Mapping<gix::open::Options> = Default::default();
    if LOCAL.iter().any(|name| std::env::var_os(name).is_some()) {
        let deaf = |options: &mut gix::open::Options, mut permissions: gix::open::Permissions| {
            // There is no switch for these variables alone.
            permissions.env.git_prefix = gix::sec::Permission::Deny;
            options.modify(|options| options.permissions(permissions));
        };
        deaf(&mut trust.full, DefaultForLevel::default_for_level(gix::sec::Trust::Full));
        deaf(&mut trust.reduced, DefaultForLevel::default_for_level(gix::sec::Trust::Reduced));
    }
    let found = gix::ThreadSafeRepository::discover_opts(dir, upwards(), trust);
    usable(found.map(Into::into), dir)
}

/// What git tells its hooks of the one repository that they run in.
const LOCAL: [&str; 4] = ["GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_SHALLOW_FILE", "GIT_NAMESPACE"];

/// What was found, or why it is of no use.
fn usable(found: gix::Result<gix::Repository>, dir: &Path) -> Result<gix::Repository, OpenError> {
    let repo = found.map_err(|source| {
        let dir = dir.to_owned();
        match source.is_not_found() {
            true => OpenError::NotARepository { dir },
            false => OpenError::Broken { dir, source },
        }
    })?;
    let format = repo.config_snapshot().string("extensions.refStorage");
    // gix opens it all the same, and then reads the HEAD that git has left there to be invalid.
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
        // A ceiling that is not above `dir` has no effect in git either.
        match_ceiling_dir_or_error: false,
        ..Default::default()
    }
}
