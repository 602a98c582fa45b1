//! `trust`: the user says that a repository's own settings may loosen the guards and make tools execute commands. The content
//! is pinned: a changed file or entry is not trusted any more.

mod executables;
pub(crate) mod store;

pub(super) use executables::{ExecutableTrust, pin_files, pin_written_here};
pub use store::TrustedFile;
pub(super) use store::{TrustStore, digest};

use crate::canons::{self, Canons};
use crate::plain_repository::{PlainRepository, RepoFile};
use crate::{Environment, Error, ErrorKind, Quiet, Workspace};
use canonry_agents::Executable;
use canonry_guard::policy::UntrustedFile;
use canonry_model::canon::permissions::{Verdict, entries};
use canonry_repo::apply::state_file;
use canonry_repo::view::Basis;
use canonry_repo::view::tool_files::load_executables;
use canonry_text::RepoPath;
use executables::trusted_entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Size of the list of what was mentioned, in bytes, from which an older half is dropped.
const MAX_MENTIONS: u64 = 64 << 10;

/// Files that the user now trusts.
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
    /// The loosened settings and the executed commands, one line each.
    pub effects: Vec<String>,
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

/// Trusts what the config, `hooks.yaml`, `mcp.json` and `permissions.md` of the repository around the current directory say
/// now, with those of nested canons.
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
    let identity = repository.identity();
    let time = env.clock.now().to_string();
    let mut pins: Vec<TrustedFile> = Vec::new();
    let mut effects: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let config = repository.config_file.clone().map(|file| (loosened(&repository), file));
    let permissions = repository.permissions_file().map(|file| (allowed(&file), file));
    for (found, file) in config.into_iter().chain(permissions) {
        let path = file.path.to_display();
        let digest = digest(&file.bytes);
        let pin =
            TrustedFile { repository: identity.clone(), path: path.clone(), digest, entry: None, time: time.clone() };
        pins.push(pin);
        effects.insert(path, found);
    }
    for (path, entry) in executables_of(env)? {
        pins.push(trusted_entry(&identity, &path, &entry, &time));
        let shown = effects.entry(path.to_display()).or_default();
        let line = entry.to_string();
        if !shown.contains(&line) {
            shown.push(line);
        }
    }
    if effects.is_empty() {
        let layout = &repository.layout;
        let names = [layout.hooks(), layout.mcp(), layout.permissions()].map(|path| path.to_display()).join(", ");
        let message = format!("{} has no config and none of {names}", repository.top.display());
        return Err(Error::new(ErrorKind::Unreadable, message).help("there is nothing to trust"));
    }
    let state = env.state.as_deref();
    let mut store = TrustStore::load(state)?;
    store.add(pins);
    store.save(state)?;
    let files = effects.into_iter().map(|(path, effects)| PinnedFile { path, effects }).collect();
    Ok(TrustOutcome { top: repository.top, files })
}

/// The entries of all canons of the repository that make tools execute commands, each with its file.
fn executables_of(env: &Environment) -> Result<Vec<(RepoPath, Executable)>, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let bases = match canons::find(&workspace, &Quiet)? {
        Canons::Own => vec![RepoPath::default()],
        Canons::Nested(base) => vec![RepoPath::default(), base],
        Canons::Every(bases) => bases,
    };
    let mut found = Vec::new();
    for base in bases {
        let nested = Workspace::open(&Environment { base, ..env.clone() }, &Basis::WorkTree)?;
        let view = &nested.view;
        let layout = &nested.layout;
        let entries = load_executables(view, layout).into_iter();
        found.extend(entries.map(|entry| (view.full(&entry.canon(layout)), entry)));
    }
    Ok(found)
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
    let own = store.files.extract_if(.., |file| file.repository == identity);
    let removed: BTreeSet<String> = own.map(|file| file.path).collect();
    if !removed.is_empty() {
        store.save(state)?;
    }
    Ok(removed.len())
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
    let path = state.join("canonry/mentioned");
    let older = state.join("canonry/mentioned.old");
    // A file that cannot be read costs a repeated message.
    let known = [&older, &path].map(|path| state_file::read(path, 4 * MAX_MENTIONS).ok().flatten().unwrap_or_default());
    let identity = repository.identity();
    let mut found = Vec::new();
    for file in untrusted {
        let name = digest(format!("{occasion}\n{identity}\n{}\n{}", file.digest, file.message).as_bytes());
        let is_known = known.iter().any(|text| text.split(|byte| *byte == b'\n').any(|line| line == name.as_bytes()));
        if !is_known {
            found.push(file.message.clone());
            // What cannot be recorded is mentioned again.
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
    let found = entries(&text);
    let allowed = found.into_iter().filter(|entry| entry.decision == Verdict::Allow);
    allowed.map(|entry| Executable::Allowed(entry.subject).to_string()).collect()
}
