//! The user's own memory, `~/.config/canonry/memory`: preferences and lessons that apply in every repository and are never
//! committed to one.

use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::state_file;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use std::io;
use std::path::{Path, PathBuf};

/// The texts of the user's memory; empty where there is none.
#[derive(Clone, Debug, Default)]
pub struct UserMemory {
    /// The folder, for people.
    pub folder: String,
    /// `PREFERENCES.md`.
    pub preferences: String,
    /// `LESSONS.md`.
    pub lessons: String,
}

impl UserMemory {
    /// Reads the memory. `repository` is the top of the work tree: its files do not speak for the user, so a link that leads into
    /// it is refused.
    ///
    /// # Errors
    /// A file exists and cannot be read, or leads into the repository or out of the user's home.
    pub fn load(env: &Environment, repository: Option<&Path>) -> Result<Self, Error> {
        let Some(folder) = env.user_config.as_deref().and_then(Path::parent).map(|config| config.join("memory")) else {
            return Ok(Self::default());
        };
        let read = |name: &str| read(&folder.join(name), env.home.as_deref(), repository);
        Ok(Self {
            preferences: read("PREFERENCES.md")?,
            lessons: read("LESSONS.md")?,
            folder: folder.display().to_string(),
        })
    }
}

fn read(path: &Path, home: Option<&Path>, repository: Option<&Path>) -> Result<String, Error> {
    let refused = |reason: String| {
        Err(Error::new(ErrorKind::Unreadable, format!("{}: {reason}", path.display()))
            .help("this is your own memory: fix the file, or remove it"))
    };
    let real = match std::fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return refused(error.to_string()),
        Ok(real) => real,
    };
    if !real.is_file() {
        return refused("is not a file".to_owned());
    }
    let real_folder = |folder: &Path| std::fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder));
    let parent = path.parent().map(real_folder);
    let is_linked = parent.as_deref() != real.parent();
    if repository.is_some_and(|top| is_below(&real, &real_folder(top), home)) {
        return refused("leads into this repository, which does not speak for you".to_owned());
    }
    if is_linked && !home.is_some_and(|home| real.starts_with(real_folder(home))) {
        return refused("is a link that leads out of your home directory".to_owned());
    }
    match state_file::read(&real, DOCUMENT_LIMIT) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
        }
        Err(error) => refused(error.to_string()),
    }
}

/// Whether a file is in a repository. A repository that is the home directory itself, as for dotfiles, is the user's own.
fn is_below(file: &Path, top: &Path, home: Option<&Path>) -> bool {
    file.starts_with(top)
        && !home.is_some_and(|home| std::fs::canonicalize(home).is_ok_and(|home| home.starts_with(top)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct MemoryFolder {
        folder: tempfile::TempDir,
    }

    impl MemoryFolder {
        fn new() -> Self {
            let place = Self { folder: tempfile::tempdir().unwrap() };
            fs::create_dir_all(place.at("home/.config/canonry/memory")).unwrap();
            fs::create_dir_all(place.at("repo")).unwrap();
            place
        }

        fn at(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }

        fn load(&self) -> Result<UserMemory, Error> {
            let env = Environment {
                home: Some(self.at("home")),
                user_config: Some(self.at("home/.config/canonry/canonry.yaml")),
                ..Environment::isolated()
            };
            UserMemory::load(&env, Some(&self.at("repo")))
        }
    }

    #[test]
    fn reads_both_files() {
        let place = MemoryFolder::new();
        assert_eq!(place.load().unwrap().preferences, "");
        fs::write(place.at("home/.config/canonry/memory/PREFERENCES.md"), "Short.\r\n").unwrap();
        fs::write(place.at("home/.config/canonry/memory/LESSONS.md"), "- x\n").unwrap();
        let memory = place.load().unwrap();
        assert_eq!((memory.preferences.as_str(), memory.lessons.as_str()), ("Short.\n", "- x\n"));
    }

    #[test]
    fn links_count_only_within_the_home() {
        let place = MemoryFolder::new();
        let link = place.at("home/.config/canonry/memory/LESSONS.md");
        for (target, is_read) in [("home/dotfiles.md", true), ("repo/LESSONS.md", false), ("elsewhere.md", false)] {
            fs::write(place.at(target), "- x\n").unwrap();
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(place.at(target), &link).unwrap();
            assert_eq!(place.load().is_ok(), is_read, "{target}");
        }
        fs::remove_file(&link).unwrap();
        fs::create_dir(&link).unwrap();
        assert!(place.load().is_err());
    }
}
