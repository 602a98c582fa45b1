//! Where git looks for hooks.

use gix::lock::acquire::Fail;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a repository's hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HooksFolder {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whose it is.
    pub reach: HooksReach,
}

/// How far a hook reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HooksReach {
    /// This repository and its linked work trees.
    Repository,
    /// The folder lies elsewhere, and others may use it too.
    Beyond,
}

/// Why it is not known.
#[derive(Debug, thiserror::Error)]
pub enum HooksError {
    /// No commit is made there.
    #[error("this is a bare repository, without a work tree: nothing is committed in it")]
    Bare,
    /// The setting leads nowhere.
    #[error("git's setting core.hooksPath cannot be used: {reason}")]
    Setting {
        /// Why.
        reason: String,
    },
    /// A folder on the way is gone or closed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The folder by git's own rule: `core.hooksPath`, relative to the top of the work tree, else `hooks` beside the objects,
/// which linked work trees share.
///
/// # Errors
/// See [`HooksError`].
pub fn hooks_folder(repo: &gix::Repository) -> Result<HooksFolder, HooksError> {
    let (top, common) = (real(repo.workdir().ok_or(HooksError::Bare)?)?, real(repo.common_dir())?);
    let path = configured(repo)?.map_or_else(|| common.join("hooks"), |path| top.join(path));
    let path = real(&path)?;
    // A linked work tree may be told to use the hooks of the main one.
    let main = common.parent().filter(|_| common.ends_with(".git"));
    let mut inside = [Some(top.as_path()), Some(common.as_path()), main].into_iter().flatten();
    let reach = if inside.any(|folder| path.starts_with(folder)) { HooksReach::Repository } else { HooksReach::Beyond };
    Ok(HooksFolder { path, reach })
}

fn configured(repo: &gix::Repository) -> Result<Option<PathBuf>, HooksError> {
    let config = repo.config_snapshot();
    // Git takes an empty value for the current folder, which no one means.
    if config.string("core.hooksPath").is_some_and(|path| path.is_empty()) {
        return Err(HooksError::Setting { reason: "it is empty".to_owned() });
    }
    config.trusted_path("core.hooksPath").map_err(|e| HooksError::Setting { reason: e.to_string() })
}

/// Without links, as far as the path exists.
pub fn real(path: &Path) -> Result<PathBuf, HooksError> {
    let mut missing = Vec::new();
    for above in path.ancestors() {
        match std::fs::canonicalize(above) {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => missing.extend(above.file_name()),
            Err(source) => return Err(HooksError::Io { path: above.to_owned(), source }),
        }
    }
    Ok(path.to_owned())
}

/// Someone else is writing the config.
#[derive(Debug, thiserror::Error)]
#[error("git's config is being written by someone else: {} is there", .lock.display())]
pub struct SettingsLocked {
    /// The lock.
    pub lock: PathBuf,
}

/// Keeps git itself from writing the config for as long as the outcome lives.
///
/// # Errors
/// Someone else is writing it.
pub fn hold(repo: &gix::Repository) -> Result<gix::lock::Marker, SettingsLocked> {
    let config = repo.common_dir().join("config");
    gix::lock::Marker::acquire_to_hold_resource(&config, Fail::Immediately, None, 0)
        .map_err(|_| SettingsLocked { lock: config.with_extension("lock") })
}
