//! Git's own config file of a repository, while it is written.

use gix::lock::acquire::Fail;
use std::path::PathBuf;

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
