//! Finds the config: the first file that exists, in the order of precedence. Files are not merged.

use crate::Environment;
use crate::{Error, ErrorKind};
use canonry_lint as rules;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::{Blob, Layout};
use canonry_model::config::Config;
use canonry_model::finding::Location;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::{Basis, View, leads_inside};
use canonry_text::{RepoPath, Source};
use std::path::Path;
use std::sync::Arc;

/// A config, the layout that follows from it, and where it was found.
pub struct Configured {
    /// The config.
    pub config: Config,
    /// The layout of the canon.
    pub layout: Layout,
    /// Where the config was found.
    pub origin: Origin,
}

/// Where a config was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At the top of the repository.
    Top,
    /// In the canon.
    Canon,
    /// Not in the repository: it is the user config, or there is none.
    Elsewhere,
}

/// The config of the canon in a view.
///
/// # Errors
/// The config is invalid, or has a key that is not allowed in its place.
pub fn configure(env: &Environment, view: &View, basis: &Basis) -> Result<Configured, Error> {
    // The local file is not committed, so it does not apply to a commit.
    let local = (!matches!(basis, Basis::Commit(_))).then(|| RepoPath::from(LOCAL));
    let local = match local {
        Some(path) => view.on_disk(&path).map(|at| local_config(view, &path, &at)).transpose()?.flatten(),
        None => None,
    };
    settle(env.user_config.as_deref(), local, &ConfigReader { base: view.base(), read: &|path| in_view(view, path) })
}

/// The config of a canon in a directory of a repository.
///
/// # Errors
/// The config is invalid, or has a key that is not allowed in its place.
pub fn configure_below(view: &View, base: &RepoPath) -> Result<Configured, Error> {
    let read = |path: &RepoPath| in_view(view, &base.join(path.as_bstr()));
    let local = if view.is_work_tree() { read(&RepoPath::from(LOCAL))? } else { None };
    settle(None, local, &ConfigReader { base, read: &read })
}

/// The local config, which is not committed.
const LOCAL: &str = "canonry.local.yaml";

/// The content of a file; `None` if it does not exist.
pub type Read = Result<Option<Vec<u8>>, Error>;

/// Reads the files of the repository of a canon.
pub struct ConfigReader<'a> {
    /// The directory of the canon's repository part; empty for the repository's own canon.
    pub base: &'a RepoPath,
    /// Reads a file by its path relative to `base`.
    pub read: &'a dyn Fn(&RepoPath) -> Read,
}

/// The first config that exists. `local` is the content of the local config.
///
/// # Errors
/// The config is invalid, or has a key that is not allowed in its place.
pub fn settle(
    user_config: Option<&Path>,
    local: Option<Vec<u8>>,
    reader: &ConfigReader<'_>,
) -> Result<Configured, Error> {
    let top = RepoPath::from("canonry.yaml");
    let top = match local {
        Some(text) => Some((text, RepoPath::from(LOCAL))),
        None => (reader.read)(&top)?.map(|text| (text, top)),
    };
    if let Some((text, path)) = top {
        let path = reader.base.join(path.as_bstr());
        let config = parse(&path, text)?;
        is_of_a_repository(&config, reader.base, &path)?;
        let root = config.root.as_deref().map(RepoPath::from);
        let layout = with_plan_folders(root.map_or_else(Layout::default, Layout::new), &config);
        return Ok(Configured { config, layout, origin: Origin::Top });
    }
    let layout = Layout::default();
    let path = layout.config();
    if let Some(text) = (reader.read)(&path)? {
        let path = reader.base.join(path.as_bstr());
        let config = parse(&path, text)?;
        is_of_a_repository(&config, reader.base, &path)?;
        has_no_root(&config, &path)?;
        let layout = with_plan_folders(layout, &config);
        return Ok(Configured { config, layout, origin: Origin::Canon });
    }
    let config = own(user_config)?.unwrap_or_default();
    Ok(Configured { config, layout, origin: Origin::Elsewhere })
}

fn with_plan_folders(layout: Layout, config: &Config) -> Layout {
    let paths = |folders: &[String]| folders.iter().map(RepoPath::new).collect();
    layout.with_plan_folders(paths(&config.plans.roots), paths(&config.plans.reports))
}

/// The user config; `None` if it does not exist.
///
/// # Errors
/// It is invalid, or has a key that is only allowed in a repository.
pub fn own(user_config: Option<&Path>) -> Result<Option<Config>, Error> {
    let Some(path) = user_config else { return Ok(None) };
    let Some(text) = on_disk(path)? else { return Ok(None) };
    let path = RepoPath::new(path.as_os_str().as_encoded_bytes());
    let config = parse(&path, text)?;
    has_no_root(&config, &path)?;
    if !config.canons.is_empty() {
        return Err(misplaced(&path, "canons", "in the config of the repository's own canon"));
    }
    Ok(Some(config))
}

fn has_no_root(config: &Config, path: &RepoPath) -> Result<(), Error> {
    match config.root {
        Some(_) => Err(misplaced(path, "root", "in canonry.yaml at the top of the repository")),
        None => Ok(()),
    }
}

fn is_of_a_repository(config: &Config, base: &RepoPath, path: &RepoPath) -> Result<(), Error> {
    if !config.repositories.is_empty() {
        return Err(misplaced(path, "repositories", "in your user config, ~/.config/canonry/canonry.yaml"));
    }
    if !config.canons.is_empty() && !base.is_empty() {
        return Err(misplaced(path, "canons", "in the config of the repository's own canon"));
    }
    Ok(())
}

fn misplaced(path: &RepoPath, key: &str, place: &str) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: `{key}` is only allowed {place}"))
        .help("move the key there, or remove it")
}

/// The content of a file on disk; `None` if it does not exist. Opens only regular files, so that a pipe never blocks.
///
/// # Errors
/// It cannot be read.
pub fn on_disk(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let bytes = match std::fs::metadata(path) {
        Err(_) if std::fs::symlink_metadata(path).is_err() => return Ok(None),
        Err(e) => Err(e.to_string()),
        Ok(meta) if !meta.is_file() => Err(BlobError::NotAFile.to_string()),
        Ok(_) => canonry_repo::fs::read(path).map_err(|e| e.to_string()),
    };
    bytes.map(Some).map_err(|reason| unreadable_config(path.display(), reason))
}

/// The content of the local config. A link that leaves the repository is refused: a repository from anyone may have
/// committed it, and messages about a config quote it.
fn local_config(view: &View, path: &RepoPath, at: &Path) -> Read {
    let leaves = std::fs::canonicalize(at).is_ok_and(|real| view.inside(&real).is_none());
    if view.link_text(path).is_some() && leaves {
        return Err(unreadable_config(path, "it is a link that leads out of the repository"));
    }
    on_disk(at)
}

fn in_view(view: &View, path: &RepoPath) -> Read {
    let found = match view.read_kept(path, DOCUMENT_LIMIT) {
        Blob::Missing(BlobError::Absent) => return Ok(None),
        found => found,
    };
    let folder = view.on_disk(path).and_then(|at| at.parent().map(Path::to_owned));
    if folder.is_some_and(|folder| !leads_inside(&folder, |real| view.inside(real))) {
        return Err(unreadable_config(path, "a directory above it is a link that leads out of the repository"));
    }
    match found {
        Blob::Bytes(bytes) => Ok(Some(bytes)),
        Blob::Missing(missing) => Err(unreadable_config(path, missing)),
    }
}

/// The error for a config that exists and cannot be read.
pub fn unreadable_config(path: impl std::fmt::Display, reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: {reason}"))
        .help("fix or remove the config; every key has a default")
}

/// Parses a config.
///
/// # Errors
/// It is not UTF-8, or invalid. The message names each unknown key and invalid value with its position.
pub fn parse(path: &RepoPath, bytes: Vec<u8>) -> Result<Config, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let source = Source::from_bytes(path.clone(), bytes).map_err(|e| unreadable(format!("{path}:{}: {e}", e.line)))?;
    let source = Arc::new(source);
    let rules: Vec<&str> = rules::ids().collect();
    Config::parse(&source, &rules).map_err(|problems| {
        let say = |p: &canonry_model::config::ConfigProblem| {
            let at = source.position(p.span.offset);
            format!("{path}:{}:{}: {}", at.line, at.column, p.message)
        };
        let all: Vec<String> = problems.iter().map(say).collect();
        let places = problems.iter().map(|problem| Location::at(&source, problem.span)).collect();
        unreadable(all.join("\n"))
            .places(places)
            .help("`canonry schema config` has all keys and values, `canonry explain --list` all rules")
    })
}
