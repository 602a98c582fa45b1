//! Which repositories `--all` means.

use crate::app::Workspace;
use crate::app::configuration::own;
use crate::app::{Environment, RepositoryScope};
use crate::app::{Error, ErrorKind};
use crate::config::FolderPattern;
use crate::view::{Basis, PathKind};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Default)]
pub struct Found {
    /// The tops of the repositories, each once.
    pub repositories: BTreeSet<PathBuf>,
    /// Folders that were named and are no repository that can be opened, and why.
    pub failed: Vec<(PathBuf, Error)>,
    /// How many repositories a pattern found that have no canon.
    pub without_canon: usize,
}

/// A folder that may be a repository.
struct Candidate {
    path: PathBuf,
    /// Whether it was named itself: then it must be one.
    is_named: bool,
}

/// Those that are given, or those that the user's own config lists.
///
/// # Errors
/// None is named, a pattern that cannot be read, or a config that cannot.
pub fn find(given: &[PathBuf], env: &Environment) -> Result<Found, Error> {
    let candidates = if given.is_empty() { configured(env)? } else { named(given, env)? };
    let mut found = Found::default();
    let opened: Vec<Opened> = candidates.par_iter().map(|candidate| open(candidate, env)).collect();
    for opened in opened {
        match opened {
            Opened::Repository(top) => drop(found.repositories.insert(top)),
            Opened::Failed(path, error) => found.failed.push((path, error)),
            Opened::WithoutCanon => found.without_canon += 1,
        }
    }
    if candidates.is_empty() {
        return Err(Error::new(ErrorKind::Usage, "no folder is meant by what `--all` was given")
            .help("name repositories, or patterns that some folders match"));
    }
    Ok(found)
}

fn configured(env: &Environment) -> Result<Vec<Candidate>, Error> {
    let patterns = own(env.user_config.as_deref())?.unwrap_or_default().repositories;
    if patterns.is_empty() {
        let file = env.user_config.as_deref().unwrap_or(Path::new("~/.config/canonry/canonry.yaml"));
        let help = format!("name repositories after `--all`, or list them under `repositories:` in {}", file.display());
        return Err(Error::new(ErrorKind::Usage, "`--all` knows of no repository").help(help));
    }
    let mut candidates = Vec::new();
    for pattern in &patterns {
        let (top, below) = match (pattern.strip_prefix("~/"), &env.home) {
            (Some(below), Some(home)) => (home.clone(), below),
            (Some(_), None) => {
                return Err(Error::new(ErrorKind::Unreadable, format!("`{pattern}`: nothing says where your home is"))
                    .help("set HOME"));
            }
            (None, _) => (PathBuf::from("/"), pattern.trim_start_matches('/')),
        };
        candidates.extend(matches(top, below)?);
    }
    Ok(candidates)
}

fn named(given: &[PathBuf], env: &Environment) -> Result<Vec<Candidate>, Error> {
    let mut paths = Vec::new();
    for path in given {
        match path.as_os_str() == "-" {
            true => paths.extend(listed()?),
            false => paths.push(path.clone()),
        }
    }
    let mut candidates = Vec::new();
    for path in paths {
        let at = env.cwd.join(&path);
        let text = path.to_str().filter(|text| text.contains(['*', '?', '[', '{']) && !at.exists());
        match text {
            None => candidates.push(Candidate { path: at, is_named: true }),
            // `.` and `..` before a pattern are folders like any other.
            Some(text) => {
                let names: Vec<&str> = text.split('/').collect();
                let plain = names.iter().take_while(|name| !name.contains(['*', '?', '[', '{'])).count();
                let top = env.cwd.join(if text.starts_with('/') { "/" } else { "" }).join(names[..plain].join("/"));
                candidates.extend(matches(top, &names[plain..].join("/"))?);
            }
        }
    }
    Ok(candidates)
}

/// Paths on stdin, one a line.
fn listed() -> Result<Vec<PathBuf>, Error> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(|e| {
        Error::new(ErrorKind::Unreadable, format!("the list of repositories on stdin cannot be read: {e}"))
    })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}

/// The folders that a pattern names below `top`. Of those that it finds only git repositories count.
fn matches(top: PathBuf, pattern: &str) -> Result<Vec<Candidate>, Error> {
    let pattern = FolderPattern::parse(pattern).map_err(|message| Error::new(ErrorKind::Usage, message))?;
    let is_named = !pattern.is_glob();
    let found = pattern.expand(top, |folder, name| folder.join(name), |folder| folders(folder));
    let counts = |path: &PathBuf| is_named || path.join(".git").exists();
    Ok(found.into_iter().filter(counts).map(|path| Candidate { path, is_named }).collect())
}

fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().is_dir()).filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// What a candidate turned out to be.
enum Opened {
    Repository(PathBuf),
    Failed(PathBuf, Error),
    WithoutCanon,
}

fn open(candidate: &Candidate, env: &Environment) -> Opened {
    let path = &candidate.path;
    let alone = Environment { cwd: path.clone(), scope: RepositoryScope::Standalone, ..env.clone() };
    let context = match path.is_dir() {
        true => Workspace::open(&alone, &Basis::WorkTree),
        false => Err(Error::new(ErrorKind::Unreadable, "there is no such folder")),
    };
    match context {
        Err(error) => Opened::Failed(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()), error),
        Ok(context) if !candidate.is_named && !has_canon(&context) => Opened::WithoutCanon,
        Ok(context) => Opened::Repository(context.view.top().map_or_else(|| path.clone(), Path::to_owned)),
    }
}

/// Its own, or those of folders of it.
fn has_canon(context: &Workspace) -> bool {
    !context.config.canons.is_empty() || context.view.kind(context.layout.root()) == PathKind::Folder
}
