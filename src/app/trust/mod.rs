//! `trust`: the user says that a repository's own settings may loosen the guards. The content of the files is pinned: a changed
//! file is not trusted any more.

mod store;

pub use store::TrustedFile;
pub(super) use store::{TrustStore, digest};

use crate::app::plain_repository::{PlainRepository, RepoFile};
use crate::app::{Environment, Error, ErrorKind};
use crate::apply::state_file;
use crate::canon::permissions::{Decision, PermissionSubject, entries};
use crate::protocol::policy::UntrustedFile;
use std::path::PathBuf;

/// Size of the list of what was mentioned, in bytes, from which an older half is dropped.
const MAX_MENTIONS: u64 = 64 << 10;

/// What the user now trusts.
#[derive(Clone, Debug)]
pub struct TrustOutcome {
    /// The top of the repository.
    pub top: PathBuf,
    /// The files, and what counts in each.
    pub files: Vec<PinnedFile>,
}

/// A file that is pinned.
#[derive(Clone, Debug)]
pub struct PinnedFile {
    /// The path relative to the top of the repository.
    pub path: String,
    /// What the file loosens, one line each; empty if it loosens nothing.
    pub loosens: Vec<String>,
}

/// Refuses a command of a person if an agent's tool started the process.
///
/// # Errors
/// [`ErrorKind::Refused`].
pub(super) fn require_person(env: &Environment, command: &str) -> Result<(), Error> {
    match env.agent {
        None => Ok(()),
        Some(variable) => {
            let message = format!("`{command}` is for persons, but an agent's tool started it: {variable} is set");
            Err(Error::new(ErrorKind::Refused, message).help("run it in your own terminal"))
        }
    }
}

/// Trusts the content that the config and `permissions.md` of the repository around the current directory have now.
///
/// # Errors
/// [`ErrorKind::Refused`] if an agent asks for it; [`ErrorKind::Unreadable`] if there is no repository, no such file, or an
/// invalid config; [`ErrorKind::Internal`] if the list cannot be written.
pub fn add(env: &Environment) -> Result<TrustOutcome, Error> {
    require_person(env, "canonry trust")?;
    let mut repository = find(env)?;
    if let Some(error) = repository.config_error.take() {
        return Err(error);
    }
    let config = repository.config_file.clone().map(|file| (loosened(&repository), file));
    let permissions = repository.permissions_file().map(|file| (allowed(&file), file));
    let files: Vec<(Vec<String>, RepoFile)> = config.into_iter().chain(permissions).collect();
    if files.is_empty() {
        let message = format!("{} has no config and no {}", repository.top.display(), repository.layout.permissions());
        return Err(Error::new(ErrorKind::Unreadable, message).help("there is nothing to trust"));
    }
    let identity = repository.identity();
    let pinned = |file: &RepoFile| TrustedFile {
        repository: identity.clone(),
        path: file.path.to_display(),
        digest: digest(&file.bytes),
        time: env.clock.now().to_string(),
    };
    let state = env.state.as_deref();
    let mut store = TrustStore::load(state)?;
    store.add(files.iter().map(|(_, file)| pinned(file)).collect());
    store.save(state)?;
    let files = files.into_iter().map(|(loosens, file)| PinnedFile { path: file.path.to_display(), loosens }).collect();
    Ok(TrustOutcome { top: repository.top, files })
}

/// Trusts the files of the repository around the current directory no longer. Returns how many were trusted.
///
/// # Errors
/// There is no repository, or the list cannot be read or written.
pub fn remove(env: &Environment) -> Result<usize, Error> {
    require_person(env, "canonry trust")?;
    let identity = find(env)?.identity();
    let state = env.state.as_deref();
    let mut store = TrustStore::load(state)?;
    let before = store.files.len();
    store.files.retain(|file| file.repository != identity);
    let removed = before - store.files.len();
    if removed > 0 {
        store.save(state)?;
    }
    Ok(removed)
}

/// All trusted files.
///
/// # Errors
/// The list cannot be read.
pub fn list(env: &Environment) -> Result<Vec<TrustedFile>, Error> {
    TrustStore::load(env.state.as_deref()).map(|store| store.files)
}

/// The messages about untrusted files that `occasion` has not mentioned for their present content; marks them as mentioned.
pub(super) fn not_yet_mentioned(
    env: &Environment,
    repository: &PlainRepository,
    untrusted: &[UntrustedFile],
    occasion: &str,
) -> Vec<String> {
    if untrusted.is_empty() {
        return Vec::new();
    }
    let messages = || untrusted.iter().map(|file| file.message.clone()).collect();
    let Some(state) = &env.state else { return messages() };
    let (path, older) = (state.join("canonry/mentioned"), state.join("canonry/mentioned.old"));
    let known = [&older, &path].map(|path| state_file::read(path, 4 * MAX_MENTIONS).ok().flatten().unwrap_or_default());
    let identity = repository.identity();
    let mut found = Vec::new();
    for file in untrusted {
        let name = digest(format!("{occasion}\n{identity}\n{}\n{}", file.digest, file.message).as_bytes());
        let is_known = known.iter().any(|text| text.split(|byte| *byte == b'\n').any(|line| line == name.as_bytes()));
        if !is_known {
            found.push(file.message.clone());
            let _ = state_file::append_line(&path, &older, MAX_MENTIONS, &name);
        }
    }
    found
}

fn find(env: &Environment) -> Result<PlainRepository, Error> {
    PlainRepository::find(&env.cwd, env)
        .ok_or_else(|| Error::new(ErrorKind::Unreadable, format!("`{}` is not in a git repository", env.cwd.display())))
}

/// The settings of a config that are looser than the user's own.
fn loosened(repository: &PlainRepository) -> Vec<String> {
    repository.loosened_settings().into_iter().map(|key| format!("`{key}`")).collect()
}

/// The entries of a page that allow something.
fn allowed(file: &RepoFile) -> Vec<String> {
    let text = String::from_utf8_lossy(&file.bytes);
    let words = |subject: &PermissionSubject| match subject {
        PermissionSubject::Command(words) => Some(format!("always allowed: `{}`", words.join(" "))),
        PermissionSubject::Flag(text) | PermissionSubject::Read(text) | PermissionSubject::Push(text) => {
            Some(format!("always allowed: `{text}`"))
        }
        PermissionSubject::Edit(text) => Some(format!("always allowed: editing `{text}`")),
        PermissionSubject::Mcp { server, tool } => {
            Some(format!("always allowed: the MCP tool `{server}/{}`", tool.as_deref().unwrap_or("*")))
        }
        PermissionSubject::Action(id) => Some(format!("always allowed: {id}")),
        PermissionSubject::Domain(_) => None,
    };
    let found = entries(&text);
    found.iter().filter(|entry| entry.decision == Decision::Allow).filter_map(|entry| words(&entry.subject)).collect()
}
