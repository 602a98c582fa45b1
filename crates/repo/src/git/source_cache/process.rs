//! The git processes that talk to a source.

use crate::exec::git::{FETCH, GitError, GitLimits, GitOutput, run_git_with, silence};
use crate::fs as writes;
use crate::git::ssh::without_questions;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of one git command.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Variables that apply to the repository of a hook that started canonry, and not to the cache.
const LOCAL_VARIABLES: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// Settings of every command: no hook and no other program of the user's settings runs, and no server can send the
/// request elsewhere with a bundle.
const SETTINGS: [&str; 4] =
    ["core.hooksPath=/dev/null", "transfer.bundleURI=false", "fetch.recurseSubmodules=false", "gc.auto=0"];

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("another process fetches from this source")]
    Busy,
    #[error("the source has no branch or tag `{0}`")]
    NoReference(String),
    #[error("the source does not have the commit {0} any more")]
    Vanished(ObjectId),
    #[error(transparent)]
    Exec(#[from] GitError),
    /// git ended with an error.
    #[error("git: {message}")]
    Failed { message: String },
    #[error("`{}` cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot {doing}: {source}")]
    Git { doing: &'static str, source: gix::Error },
}

impl FetchError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }

    /// For `map_err` on calls of gix; `doing` completes "cannot …".
    pub(in crate::git) fn git(doing: &'static str) -> impl Fn(gix::Error) -> Self {
        move |source| Self::Git { doing, source }
    }
}

/// Runs git on one cache and for one address.
pub(super) struct GitProcess<'a> {
    git_dir: PathBuf,
    url: &'a str,
    ssh: Option<&'static str>,
    silence: Duration,
    cancel: &'a AtomicBool,
}

impl<'a> GitProcess<'a> {
    pub fn new(repo: &gix::Repository, git_dir: PathBuf, url: &'a str, cancel: &'a AtomicBool) -> Self {
        // The cache is opened without the user's settings, which decide about ssh. git reports invalid settings.
        let configured = gix::open(repo.git_dir()).ok();
        let ssh = configured.as_ref().and_then(without_questions);
        let silence = silence(&configured.as_ref().unwrap_or(repo).config_snapshot());
        Self { git_dir, url, ssh, silence, cancel }
    }

    /// Creates an empty bare repository, or completes one.
    pub fn init(folder: &Path, git_dir: &Path, cancel: &AtomicBool) -> Result<(), FetchError> {
        let options = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--ref-format=files"];
        let mut args: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        args.push(git_dir.as_os_str());
        let limits = GitLimits { timeout: TIMEOUT, silence: TIMEOUT, cancel };
        let output = run(folder, &args, "", limits)?;
        if output.success { Ok(()) } else { Err(failed(output)) }
    }

    /// The references of the source with exactly these names, and the commits of annotated tags as `NAME^{}`.
    pub fn list_references(&self, names: &[String]) -> Result<BTreeMap<String, ObjectId>, FetchError> {
        let patterns: Vec<String> = names.iter().flat_map(|name| [name.clone(), format!("{name}^{{}}")]).collect();
        let mut args = vec!["ls-remote", "--quiet", "--end-of-options", self.url];
        args.extend(patterns.iter().map(String::as_str));
        let output = self.run(&args)?;
        if !output.success {
            return Err(failed(output));
        }
        let lines = output.stdout.lines().filter_map(|line| line.split_once('\t'));
        // A pattern also matches the end of a longer name.
        let wanted = lines.filter(|(_, name)| patterns.iter().any(|pattern| pattern == name));
        Ok(wanted.filter_map(|(id, name)| Some((name.to_owned(), ObjectId::from_hex(id.as_bytes()).ok()?))).collect())
    }

    /// Fetches references; `shallow` without their history, as far as the source can.
    pub fn fetch(&self, specs: &[String], shallow: bool) -> Result<(), FetchError> {
        writes::failpoint::reach("fetch").map_err(FetchError::io(&self.git_dir))?;
        let mut args = FETCH.to_vec();
        if shallow {
            args.push("--depth=1");
        }
        args.extend(["--end-of-options", self.url]);
        args.extend(specs.iter().map(String::as_str));
        let output = self.run(&args)?;
        match output {
            GitOutput { success: true, .. } => Ok(()),
            // A server with plain files only.
            output if shallow && output.stderr.contains("shallow capabilities") => self.fetch(specs, false),
            output => Err(failed(output)),
        }
    }

    /// Sets a reference of the cache.
    pub fn update_reference(&self, name: &str, commit: ObjectId) -> Result<(), FetchError> {
        writes::failpoint::reach("ref").map_err(FetchError::io(&self.git_dir))?;
        let output = self.run(&["update-ref", "--end-of-options", name, &commit.to_string()])?;
        if output.success { Ok(()) } else { Err(failed(output)) }
    }

    fn run(&self, args: &[&str]) -> Result<GitOutput, FetchError> {
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(&self.git_dir);
        let mut all: Vec<&OsStr> = vec![&git_dir];
        for setting in SETTINGS.iter().chain(&self.ssh) {
            all.extend(["-c", setting].map(OsStr::new));
        }
        all.extend(args.iter().map(OsStr::new));
        let limits = GitLimits { timeout: TIMEOUT, silence: self.silence, cancel: self.cancel };
        run(&self.git_dir, &all, self.url, limits)
    }
}

fn run(folder: &Path, args: &[&OsStr], url: &str, limits: GitLimits<'_>) -> Result<GitOutput, FetchError> {
    let mut variables: Vec<(&str, Option<&str>)> = LOCAL_VARIABLES.iter().map(|name| (*name, None)).collect();
    // Also for the addresses that a server redirects to, and those that the user's settings put in place of others.
    let protocols = match url.split_once("://") {
        Some(("file", _)) => "file",
        Some(("http", _)) => "http",
        _ => "https:ssh",
    };
    variables.push(("GIT_ALLOW_PROTOCOL", Some(protocols)));
    Ok(run_git_with(folder, args, &variables, limits)?)
}

fn failed(output: GitOutput) -> FetchError {
    let message = match without_general_advice(&output.stderr) {
        "" => "it failed without a message".to_owned(),
        message => message.to_owned(),
    };
    FetchError::Failed { message }
}

/// Message of git before the sentences that it adds to every failure to read from a source.
fn without_general_advice(stderr: &str) -> &str {
    match stderr.split_once("fatal: Could not read from remote repository.") {
        Some((before, _)) if !before.trim().is_empty() => before.trim_end(),
        _ => stderr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_said_once() {
        let general = "fatal: Could not read from remote repository. Please make sure you have the correct access rights and the repository exists.";
        for (stderr, want) in [
            (
                format!("fatal: '/x' does not appear to be a git repository {general}"),
                "fatal: '/x' does not appear to be a git repository",
            ),
            (general.to_owned(), general),
            ("fatal: repository 'https://x/' not found".to_owned(), "fatal: repository 'https://x/' not found"),
        ] {
            assert_eq!(without_general_advice(&stderr), want);
        }
    }
}
