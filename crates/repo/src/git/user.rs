//! The git directory of the user's own canon. It has no history; it stores the ownership, locks, journals and backups
//! of the mirrors in the home folder, so that they work as in any repository.

use crate::fs as writes;
use crate::fs::lock::HeldLock;
use gix::bstr::BString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why the git directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be used: {reason}", folder.display())]
pub struct UserError {
    pub folder: PathBuf,
    pub reason: String,
    /// The error of the system, if there was one.
    pub source: Option<io::Error>,
}

/// Opens the git directory at `folder` with the work tree `home`, and creates it if it does not exist. Git
/// configuration and environment of the user are ignored.
///
/// # Errors
/// The git directory cannot be created or opened.
pub fn open(folder: &Path, home: &Path) -> Result<gix::Repository, UserError> {
    if fs::symlink_metadata(folder).is_err() {
        make(folder, home).map_err(|e| failed(folder, e))?;
    }
    let repo = open_there(folder)?;
    if repo.workdir() == Some(home) {
        return Ok(repo);
    }
    // The home folder has moved.
    point_to(folder, home).map_err(|e| failed(folder, e))?;
    open_there(folder)
}

/// The prefix of temporary folders next to the git directory.
const PREFIX: &str = ".canonry-tmp-";

/// Creates the git directory with one rename, so that a killed run leaves nothing or all of it. The next run deletes
/// leftovers.
fn make(folder: &Path, home: &Path) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    // Held until the end, because another run may create the directory at the same time.
    let _lock = HeldLock::take(&folder.with_extension("lock"))?;
    if folder.is_dir() {
        return Ok(());
    }
    let is_left = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
    for left in fs::read_dir(parent)?.flatten().filter(is_left) {
        writes::remove_dir_all(&left.path())?;
    }
    let made = writes::temporary_dir(tempfile::Builder::new().prefix(PREFIX), parent)?;
    writes::failpoint::reach("git init")?;
    gix::init_bare(made.path()).map_err(|e| io::Error::other(e.to_string()))?;
    point_to(made.path(), home)?;
    writes::rename(made.path(), folder)?;
    // The directory has moved, so there is nothing to delete.
    let _ = made.keep();
    Ok(())
}

fn point_to(folder: &Path, home: &Path) -> io::Result<()> {
    let path = folder.join("config");
    let other = |e: gix::Error| io::Error::other(e.to_string());
    let source = gix::config::Source::Local;
    let mut config = gix::config::File::from_path_no_includes(path.clone(), source).map_err(other)?;
    let home: BString = gix::path::into_bstr(home).map_err(other)?.into_owned();
    config.set_raw_value("core.bare", "false").map_err(other)?;
    config.set_raw_value("core.worktree", home).map_err(other)?;
    let mut file = writes::temporary_file(tempfile::Builder::new().prefix(PREFIX), folder)?;
    writes::failpoint::reach("write")?;
    config.write_to(&mut file)?;
    writes::sync_all(file.as_file())?;
    writes::persist(file.into_temp_path(), &path)
}

fn open_there(folder: &Path) -> Result<gix::Repository, UserError> {
    let options = gix::open::Options::isolated().open_path_as_is(true);
    gix::open_opts(folder, options).map_err(|e| UserError {
        folder: folder.to_owned(),
        reason: e.to_string(),
        source: None,
    })
}

fn failed(folder: &Path, source: io::Error) -> UserError {
    UserError { folder: folder.to_owned(), reason: source.to_string(), source: Some(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_made_once_and_follows_the_home() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let git = top.join("state/canonry/user.git");
        let homes = [top.join("home \"a\""), top.join("b")];
        homes.iter().for_each(|home| fs::create_dir(home).unwrap());
        for home in [&homes[0], &homes[0], &homes[1]] {
            let repo = open(&git, home).unwrap();
            assert_eq!((repo.workdir(), repo.git_dir()), (Some(home.as_path()), git.as_path()));
        }
        assert_eq!(fs::read_dir(git.parent().unwrap()).unwrap().count(), 2, "more is left than it and its lock");
        fs::remove_file(git.join("HEAD")).unwrap();
        assert!(open(&git, &homes[0]).unwrap_err().to_string().contains("user.git"));
    }
}
