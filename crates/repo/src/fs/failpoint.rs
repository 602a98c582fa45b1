//! Stops the process before a chosen write.
//!
//! - `CANONRY_FAILPOINT=kill@N` aborts the process before its N-th write, without running any destructor.
//! - `CANONRY_FAILPOINT=ENOSPC@N` (or `EACCES@N`, `EINVAL@N`) makes the N-th write fail.
//! - `CANONRY_FAILPOINT=FILE@N` runs the script `FILE` before the N-th write, as somebody else who works at the same time.
//! - `CANONRY_FAILPOINT_LOG=FILE` appends the name of each write to `FILE`.
//! - `CANONRY_LISTING_LOG=FILE` appends the path of each folder that is listed to `FILE`.
//!
//! Only builds with debug assertions read these variables.

use std::io;

/// Marks a write that is about to happen: a system call, or a call of gix that writes objects, references or the index.
///
/// # Errors
/// The error that `CANONRY_FAILPOINT` asks for at this write.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn reach(_write: &'static str) -> io::Result<()> {
    Ok(())
}

/// Marks a folder that is about to be listed: the one at `below` in `top`.
///
/// # Errors
/// The log cannot be written.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn list(_top: &std::path::Path, _below: &std::path::Path) -> io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub use active::{list, reach};

#[cfg(debug_assertions)]
mod active {
    use super::io;
    use rustix::io::Errno;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    enum Action {
        Kill,
        Fail(Errno),
        Run(PathBuf),
    }

    struct Settings {
        failpoint: Option<(Action, usize)>,
        log: Option<PathBuf>,
        listings: Option<PathBuf>,
    }

    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    static REACHED: AtomicUsize = AtomicUsize::new(0);

    /// See the release version of this function.
    pub fn reach(write: &'static str) -> io::Result<()> {
        let settings = SETTINGS.get_or_init(Settings::from_env);
        let number = REACHED.fetch_add(1, Ordering::SeqCst) + 1;
        append(settings.log.as_ref(), write)?;
        match &settings.failpoint {
            Some((action, at)) if *at == number => action.perform(),
            _ => Ok(()),
        }
    }

    /// See the release version of this function.
    pub fn list(top: &Path, below: &Path) -> io::Result<()> {
        let folder: PathBuf = top.components().chain(below.components()).collect();
        append(SETTINGS.get_or_init(Settings::from_env).listings.as_ref(), &folder.to_string_lossy())
    }

    fn append(log: Option<&PathBuf>, line: &str) -> io::Result<()> {
        let Some(log) = log else { return Ok(()) };
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(log)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    impl Action {
        fn perform(&self) -> io::Result<()> {
            match self {
                Self::Kill => std::process::abort(),
                Self::Fail(error) => Err((*error).into()),
                Self::Run(script) => std::process::Command::new("sh").arg(script).status().map(drop),
            }
        }
    }

    impl Settings {
        fn from_env() -> Self {
            let failpoint = std::env::var("CANONRY_FAILPOINT").ok();
            Self {
                failpoint: failpoint.as_deref().and_then(parse),
                log: std::env::var_os("CANONRY_FAILPOINT_LOG").map(PathBuf::from),
                listings: std::env::var_os("CANONRY_LISTING_LOG").map(PathBuf::from),
            }
        }
    }

    fn parse(text: &str) -> Option<(Action, usize)> {
        let (action, at) = text.rsplit_once('@')?;
        let action = match action {
            "kill" => Action::Kill,
            "ENOSPC" => Action::Fail(Errno::NOSPC),
            "EACCES" => Action::Fail(Errno::ACCESS),
            "EINVAL" => Action::Fail(Errno::INVAL),
            script if script.starts_with('/') => Action::Run(PathBuf::from(script)),
            _ => return None,
        };
        Some((action, at.parse().ok()?))
    }
}
