//! Runs a job in several repositories at once, each with its own lock, journal and config.

use crate::configuration::own;
use crate::{Environment, Error, ErrorKind, RepositoryScope, Workspace};
use canonry_model::config::FolderPattern;
use canonry_repo::view::Basis;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The repositories that paths and patterns name.
#[derive(Debug, Default)]
pub struct Repositories {
    /// The top folders of the repositories.
    pub folders: BTreeSet<PathBuf>,
    /// Folders that cannot be opened as a repository.
    pub failed: Vec<(PathBuf, Error)>,
    /// Number of repositories that match a pattern and have no canon.
    pub without_canon: usize,
}

/// A job's result in one repository.
#[derive(Debug)]
pub struct RepositoryRun<T> {
    /// The repository's top folder, or the path that could not be opened.
    pub folder: PathBuf,
    /// The job's result.
    pub result: Result<T, Error>,
}

/// Runs a job in every repository, in parallel. The results are sorted by folder and include the folders that could not
/// be opened; a failure or a panic in one repository does not stop the others.
pub fn run_in_each<T: Send>(
    repositories: &Repositories,
    env: &Environment,
    job: &(dyn Fn(&Environment) -> Result<T, Error> + Sync),
) -> Vec<RepositoryRun<T>> {
    let run = |folder: &PathBuf| {
        let result = catch_unwind(AssertUnwindSafe(|| job(&standalone(env, folder))));
        let result = result
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "internal error; please report this as a bug")));
        RepositoryRun { folder: folder.clone(), result }
    };
    let mut runs: Vec<RepositoryRun<T>> = repositories.folders.par_iter().map(run).collect();
    let failed = repositories.failed.iter();
    runs.extend(failed.map(|(folder, error)| RepositoryRun { folder: folder.clone(), result: Err(error.clone()) }));
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    runs
}

fn standalone(env: &Environment, folder: &Path) -> Environment {
    Environment { cwd: folder.to_owned(), scope: RepositoryScope::Standalone, ..env.clone() }
}

/// A folder that may be a repository.
struct RepositoryCandidate {
    path: PathBuf,
    /// Whether it was named without a pattern; then it must be a repository.
    is_literal: bool,
}

/// Finds the repositories that `given` names by paths or patterns; if it is empty, those in the user's own config.
///
/// # Errors
/// No repository is named, or a pattern or the config is invalid.
pub fn find(given: &[PathBuf], env: &Environment) -> Result<Repositories, Error> {
    let candidates = if given.is_empty() { configured(env)? } else { expand(given, env)? };
    if candidates.is_empty() {
        return Err(Error::new(ErrorKind::Usage, "the arguments of `--all` match no folder")
            .help("name repositories, or patterns that match at least one folder"));
    }
    let mut found = Repositories::default();
    let opened: Vec<Opened> = candidates.par_iter().map(|candidate| open(candidate, env)).collect();
    for opened in opened {
        match opened {
            Opened::Repository(folder) => drop(found.folders.insert(folder)),
            Opened::Failed(path, error) => found.failed.push((path, error)),
            Opened::WithoutCanon => found.without_canon += 1,
        }
    }
    Ok(found)
}

fn configured(env: &Environment) -> Result<Vec<RepositoryCandidate>, Error> {
    let patterns = own(env.user_config.as_deref())?.unwrap_or_default().repositories;
    if patterns.is_empty() {
        let file = env.user_config.as_deref().unwrap_or(Path::new("~/.config/canonry/canonry.yaml"));
        let help = format!("name repositories after `--all`, or list them under `repositories:` in {}", file.display());
        return Err(Error::new(ErrorKind::Usage, "`--all` has no repositories").help(help));
    }
    let mut candidates = Vec::new();
    for pattern in &patterns {
        let (top, below) = match (pattern.strip_prefix("~/"), &env.home) {
            (Some(below), Some(home)) => (home.clone(), below),
            (Some(_), None) => {
                let message = format!("`{pattern}`: the home folder is not known");
                return Err(Error::new(ErrorKind::Unreadable, message).help("set HOME"));
            }
            (None, _) => (PathBuf::from("/"), pattern.trim_start_matches('/')),
        };
        candidates.extend(matching(top, below)?);
    }
    Ok(candidates)
}

fn expand(given: &[PathBuf], env: &Environment) -> Result<Vec<RepositoryCandidate>, Error> {
    let is_glob = |text: &str| text.contains(['*', '?', '[', '{']);
    let mut candidates = Vec::new();
    for path in given {
        let full = env.cwd.join(path);
        match path.to_str().filter(|text| is_glob(text) && !full.exists()) {
            None => candidates.push(RepositoryCandidate { path: full, is_literal: true }),
            Some(text) => {
                // The part before the first pattern may contain `.` and `..`.
                let names: Vec<&str> = text.split('/').collect();
                let plain = names.iter().take_while(|name| !is_glob(name)).count();
                let top = env.cwd.join(if text.starts_with('/') { "/" } else { "" }).join(names[..plain].join("/"));
                candidates.extend(matching(top, &names[plain..].join("/"))?);
            }
        }
    }
    Ok(candidates)
}

/// The folders below `top` that match a pattern. Unless the pattern is a plain path, only git repositories count.
fn matching(top: PathBuf, pattern: &str) -> Result<Vec<RepositoryCandidate>, Error> {
    let pattern = FolderPattern::parse(pattern).map_err(|error| Error::new(ErrorKind::Usage, error.to_string()))?;
    let is_literal = !pattern.is_glob();
    let found = pattern.expand(top, |folder, name| folder.join(name), |folder| folders(folder));
    let counts = |path: &PathBuf| is_literal || path.join(".git").exists();
    Ok(found.into_iter().filter(counts).map(|path| RepositoryCandidate { path, is_literal }).collect())
}

/// The folders in a folder; none if it cannot be listed, as in a shell.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().is_dir()).filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The result of opening a candidate.
enum Opened {
    Repository(PathBuf),
    Failed(PathBuf, Error),
    WithoutCanon,
}

fn open(candidate: &RepositoryCandidate, env: &Environment) -> Opened {
    let path = &candidate.path;
    let workspace = if path.is_dir() {
        Workspace::open(&standalone(env, path), &Basis::WorkTree)
    } else {
        Err(Error::new(ErrorKind::Unreadable, "no such folder"))
    };
    match workspace {
        Err(error) => Opened::Failed(std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()), error),
        Ok(workspace) if !candidate.is_literal && !has_canon(&workspace) => Opened::WithoutCanon,
        Ok(workspace) => Opened::Repository(workspace.view.top().map_or_else(|| path.clone(), Path::to_owned)),
    }
}

/// Whether the repository has a canon of its own, or nested ones.
fn has_canon(workspace: &Workspace) -> bool {
    !workspace.config.canons.is_empty() || workspace.has_canon()
}
