//! The git folder of the user's own canon. It has no history: it is where ownership, locks, journals and kept copies of
//! the mirrors below the home live, so that they work as in any repository.

use crate::fs as writes;
use gix::bstr::BString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Why there is none.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be used: {reason}", folder.display())]
pub struct UserError {
    /// The git folder.
    pub folder: PathBuf,
    /// Why.
    pub reason: String,
    /// What the system said, where it did.
    pub source: Option<io::Error>,
}

/// Opens the git folder at `folder`, whose work tree is `home`; makes it where there is none. Nothing of the user's git
/// configuration counts, nor of the environment's.
///
/// # Errors
/// [`UserError`] where it cannot be made or opened.
pub fn open(folder: &Path, home: &Path) -> Result<gix::Repository, UserError> {
    if fs::symlink_metadata(folder).is_err() {
        make(folder, home).map_err(|e| failed(folder, e))?;
    }
    let repo = open_there(folder)?;
    if repo.workdir() == Some(home) {
        return Ok(repo);
    }
    // The home has moved.
    point_to(folder, home).map_err(|e| failed(folder, e))?;
    open_there(folder)
}

/// Temporary folders lie beside the git folder under this prefix.
const PREFIX: &str = ".canonry-tmp-";

/// As one rename, so that a run that is killed leaves none or a whole one; what it leaves beside it the next one removes.
fn make(folder: &Path, home: &Path) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    writes::create_dir_all(parent)?;
    // Held until the end: another run may be at the same.
    let lock = writes::open_or_create(File::options().truncate(false).write(true), &folder.with_extension("lock"))?;
    lock.lock()?;
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
    // Nothing is left to be removed under the old name.
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
        let (git, homes) = (top.join("state/canonry/user.git"), [top.join("home \"a\""), top.join("b")]);
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
