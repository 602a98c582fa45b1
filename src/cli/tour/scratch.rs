//! The scratch repository that the tour works in.

use super::example::{FILES, Kind, Mend};
use crate::app::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The scratch repository.
pub struct Scratch {
    /// Its top, without links in the path.
    pub top: PathBuf,
}

/// What a commit holds, in figures.
pub struct Head {
    /// The first digits of its id.
    pub id: String,
    /// Its first line.
    pub title: String,
    /// Its files below `agent/`.
    pub canon: usize,
    /// Its other files, which are the mirrors.
    pub mirrored: usize,
    /// The folders of one skill by the first digits of their trees' ids, that of the canon first.
    pub folders: BTreeMap<String, Vec<String>>,
}

/// Git's own settings of the repository: someone to commit as, and nothing of the user's that would change the outcome.
const CONFIG: &str = "[user]\n\tname = Canonry Tour\n\temail = tour@example.com\n[core]\n\tautocrlf = false\n\texcludesFile = /dev/null\n[commit]\n\tgpgSign = false\n";

impl Scratch {
    /// A new repository in the folder for temporary files, with the example in it.
    ///
    /// # Errors
    /// The file system refused, or the environment points git to another repository.
    pub fn create() -> Result<Self, Error> {
        let made = tempfile::Builder::new().prefix("canonry-tour-").tempdir().map_err(failed("make a folder"))?;
        let top = fs::canonicalize(made.path()).map_err(failed("make a folder"))?;
        let repo = gix::init(&top).map_err(failed("make a git repository"))?;
        append(&repo.git_dir().join("config"), CONFIG)?;
        let scratch = Self { top };
        scratch.is_what_commands_see()?;
        for file in &FILES {
            scratch.write(file.path, file.text)?;
            if file.kind == Kind::Script {
                let executable = fs::Permissions::from_mode(0o755);
                fs::set_permissions(scratch.at(file.path), executable).map_err(failed("make the script executable"))?;
            }
        }
        // From here on it is the user's to look at; where something failed before, it goes away again.
        let _ = made.keep();
        Ok(scratch)
    }

    /// With `GIT_DIR` and its kin, every command would work in the repository that they name.
    fn is_what_commands_see(&self) -> Result<(), Error> {
        let repo = crate::git::open::open(&self.top)?;
        let ours = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path.starts_with(&self.top));
        let index = repo.index_path();
        let inside = [repo.workdir(), Some(repo.git_dir()), index.parent(), Some(repo.objects.store_ref().path())];
        if inside.iter().all(|path| path.is_some_and(ours)) {
            return Ok(());
        }
        let message =
            "the environment names another git repository (GIT_DIR or its kin), and the tour would work there";
        Err(Error::new(ErrorKind::Unreadable, message).help("run it without those variables, such as in a new shell"))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    /// Puts a file of the example in place.
    ///
    /// # Errors
    /// The file system refused.
    pub fn write(&self, path: &str, text: &str) -> Result<(), Error> {
        let path = self.at(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed("unpack the example"))?;
        }
        fs::write(path, text).map_err(failed("unpack the example"))
    }

    /// Changes a line, as a person would in an editor.
    ///
    /// # Errors
    /// The file system refused.
    pub fn mend(&self, mend: &Mend) -> Result<(), Error> {
        let text = fs::read_to_string(self.at(mend.path)).map_err(failed("read the example"))?;
        self.write(mend.path, &text.replacen(mend.was, mend.now, 1))
    }

    /// Adds a line at the end of a file.
    ///
    /// # Errors
    /// The file system refused.
    pub fn append(&self, path: &str, line: &str) -> Result<(), Error> {
        append(&self.at(path), &format!("{line}\n"))
    }

    /// The last line of a file.
    ///
    /// # Errors
    /// The file system refused.
    pub fn last_line(&self, path: &str) -> Result<String, Error> {
        let text = fs::read_to_string(self.at(path)).map_err(failed("read the example"))?;
        Ok(text.lines().last().unwrap_or_default().to_owned())
    }

    /// What was committed last; `skill` is the folder whose ids are told.
    ///
    /// # Errors
    /// There is no commit, or it cannot be read.
    pub fn head(&self, skill: &str) -> Result<Head, Error> {
        let repo = crate::git::open::open(&self.top)?;
        let commit = repo.head_commit().map_err(failed("read the commit"))?;
        let message = commit.message_raw().map_err(failed("read the commit"))?;
        let tree = commit.tree().map_err(failed("read the commit"))?;
        let entries = tree.traverse().breadthfirst.files().map_err(failed("read the commit"))?;
        let (files, folders): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| !entry.mode.is_tree());
        let canon = files.iter().filter(|entry| entry.filepath.starts_with(b"agent/")).count();
        let of_skill = folders.iter().filter(|entry| entry.filepath.ends_with(format!("/skills/{skill}").as_bytes()));
        let mut by_id: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in of_skill {
            by_id.entry(entry.oid.to_hex_with_len(10).to_string()).or_default().push(entry.filepath.to_string());
        }
        by_id.values_mut().for_each(|folders| folders.sort_by_key(|path| !path.starts_with("agent/")));
        let title = message.to_string().lines().next().unwrap_or_default().to_owned();
        let id = commit.id().to_hex_with_len(10).to_string();
        Ok(Head { id, title, canon, mirrored: files.len() - canon, folders: by_id })
    }
}

fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = fs::OpenOptions::new().append(true).open(path).map_err(failed("write into the example"))?;
    file.write_all(text.as_bytes()).map_err(failed("write into the example"))
}

/// Whatever fails here fails on a repository that was just made: a fault of the system or of canonry.
fn failed<E: Display>(what: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::new(ErrorKind::Internal, format!("the tour could not {what}: {error}"))
}
