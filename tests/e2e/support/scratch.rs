//! Folders for repositories that live only as long as a test.

use rustix::fs::{StatVfsMountFlags, statvfs};
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

const MEMORY: &str = "/dev/shm";
const ENOUGH: u64 = 1 << 30;

/// A temporary folder, in memory where possible: on a disk, creating and deleting so many files costs a tenth of the
/// suite's CPU time, and each write of a commit waits. `TMPDIR` chooses another place.
pub fn folder() -> TempDir {
    if in_memory() { tempfile::tempdir_in(MEMORY) } else { tempfile::tempdir() }.unwrap()
}

/// Containers often have 64 MB there, or a mount on which git's hooks cannot run.
fn in_memory() -> bool {
    static IN_MEMORY: OnceLock<bool> = OnceLock::new();
    *IN_MEMORY.get_or_init(|| {
        let is_suitable = || {
            let system = statvfs(MEMORY).ok()?;
            let free = system.f_bavail.saturating_mul(system.f_frsize);
            Some(free >= ENOUGH && !system.f_flag.contains(StatVfsMountFlags::NOEXEC))
        };
        std::env::var_os("TMPDIR").is_none() && Path::new(MEMORY).is_dir() && is_suitable().unwrap_or(false)
    })
}
