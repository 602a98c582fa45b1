//! The hooks folder and the config file of a repository.

use gix::lock::acquire::Fail;
use std::io;
use std::path::{Path, PathBuf};

/// The hooks folder of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HooksFolder {
    /// The folder, which need not exist.
    pub path: PathBuf,
    pub reach: HooksReach,
}

/// Which repositories a hooks folder affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HooksReach {
    /// This repository and its linked work trees.
    Repository,
    /// A folder elsewhere, which other repositories may use too.
    Beyond,
}

/// Why the hooks folder is unknown.
#[derive(Debug, thiserror::Error)]
pub enum HooksError {
    #[error("this is a bare repository without a work tree, in which nothing can be committed")]
    Bare,
    #[error("git's setting core.hooksPath is invalid: {reason}")]
    Setting { reason: String },
    /// A folder on the path does not exist or is not accessible.
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The hooks folder by git's rules: `core.hooksPath` relative to the top of the work tree, or `hooks` in the common
/// git directory, which linked work trees share.
pub fn hooks_folder(repo: &gix::Repository) -> Result<HooksFolder, HooksError> {
    let top = real(repo.workdir().ok_or(HooksError::Bare)?)?;
    let common = real(repo.common_dir())?;
    let path = configured(repo)?.map_or_else(|| common.join("hooks"), |path| top.join(path));
    let path = real(&path)?;
    // A linked work tree may be configured to use the hooks of the main work tree.
    let main = common.parent().filter(|_| common.ends_with(".git"));
    let mut inside = [Some(top.as_path()), Some(common.as_path()), main].into_iter().flatten();
    let reach = if inside.any(|folder| path.starts_with(folder)) { HooksReach::Repository } else { HooksReach::Beyond };
    Ok(HooksFolder { path, reach })
}

fn configured(repo: &gix::Repository) -> Result<Option<PathBuf>, HooksError> {
    let config = repo.config_snapshot();
    // Git resolves an empty value to the current folder, which is never intended.
    if config.string("core.hooksPath").is_some_and(|path| path.is_empty()) {
        return Err(HooksError::Setting { reason: "it is empty".to_owned() });
    }
    config.trusted_path("core.hooksPath").map_err(|e| HooksError::Setting { reason: e.to_string() })
}

/// The editor of git's setting `core.editor`, from a file that the user trusts.
pub fn core_editor(repo: &gix::Repository) -> Option<String> {
    // A setting that cannot be resolved counts as none: the editors of the environment follow.
    let line = repo.config_snapshot().trusted_program("core.editor").ok()??;
    Some(line.to_string_lossy().into_owned())
}

/// Resolves links as far as the path exists.
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

/// Another process is writing the config.
#[derive(Debug, thiserror::Error)]
#[error("git's config is locked by another process: {} exists", .lock.display())]
pub struct SettingsLocked {
    /// The lock file.
    pub lock: PathBuf,
}

/// Locks the config against changes by git while the returned marker exists.
///
/// # Errors
/// Another process holds the lock.
pub fn hold(repo: &gix::Repository) -> Result<gix::lock::Marker, SettingsLocked> {
    let config = repo.common_dir().join("config");
    gix::lock::Marker::acquire_to_hold_resource(&config, Fail::Immediately, None, 0)
        .map_err(|_| SettingsLocked { lock: config.with_extension("lock") })
}
