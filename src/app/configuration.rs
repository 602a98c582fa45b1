//! The config of a command: the first file there is, by the order of the design. Files are not merged.

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::canon::blob::BlobError;
use crate::canon::{Blob, Layout};
use crate::config::Config;
use crate::rules;
use crate::syntax::{RepoPath, Source};
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::{Basis, View};
use std::path::Path;

/// What is configured, where the canon is, and where that was said.
pub struct Configured {
    /// What is configured.
    pub config: Config,
    /// Where the canon is.
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
    /// Nowhere in the repository: it is the user's own, or there is none.
    Elsewhere,
}

/// Of the canon that a view looks at.
///
/// # Errors
/// A config that cannot be read, or that says what it must not say there.
pub fn configure(env: &Environment, view: &View, basis: &Basis) -> Result<Configured, Error> {
    // The local file is not committed, so that it says nothing about a commit.
    let local = (!matches!(basis, Basis::Commit(_))).then(|| RepoPath::from(LOCAL));
    let local = match local {
        Some(path) => view.on_disk(&path).map(|at| on_disk(&at)).transpose()?.flatten(),
        None => None,
    };
    settle(env.user_config.as_deref(), local, &Reader { base: view.base(), read: &|path| in_view(view, path) })
}

/// The config that is not committed.
const LOCAL: &str = "canonry.local.yaml";

/// What a file of a repository holds; `None` where there is none.
pub type Read = Result<Option<Vec<u8>>, Error>;

/// Reads the files of a canon's repository.
pub struct Reader<'a> {
    /// The folder whose canon it is; empty for the repository's own.
    pub base: &'a RepoPath,
    /// Reads a file by its path from there.
    pub read: &'a dyn Fn(&RepoPath) -> Read,
}

/// The first config there is, by the order of the design. `local`: what the file holds that is not committed.
///
/// # Errors
/// A config that cannot be read, or that says what it must not say there.
pub fn settle(user_config: Option<&Path>, local: Option<Vec<u8>>, reader: &Reader<'_>) -> Result<Configured, Error> {
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
        let layout = root.map_or_else(Layout::default, Layout::new);
        return Ok(Configured { config, layout, origin: Origin::Top });
    }
    let layout = Layout::default();
    let path = layout.config();
    if let Some(text) = (reader.read)(&path)? {
        let path = reader.base.join(path.as_bstr());
        let config = parse(&path, text)?;
        is_of_a_repository(&config, reader.base, &path)?;
        has_no_root(&config, &path)?;
        return Ok(Configured { config, layout, origin: Origin::Canon });
    }
    let config = own(user_config)?.unwrap_or_default();
    Ok(Configured { config, layout, origin: Origin::Elsewhere })
}

/// The user's own config; `None` where there is none.
///
/// # Errors
/// It cannot be read, or says what only a repository's config may say.
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
        return Err(misplaced(path, "repositories", "in your own config, ~/.config/canonry/canonry.yaml"));
    }
    if !config.canons.is_empty() && !base.is_empty() {
        return Err(misplaced(path, "canons", "in the config of the repository's own canon"));
    }
    Ok(())
}

fn misplaced(path: &RepoPath, key: &str, place: &str) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: `{key}` can only be said {place}"))
        .help("move the key there, or take it out")
}

/// A file's bytes; `None` where nothing stands. Only a file is opened, so that a pipe is never waited for.
///
/// # Errors
/// It cannot be read.
pub fn on_disk(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let bytes = match std::fs::metadata(path) {
        Err(_) if std::fs::symlink_metadata(path).is_err() => return Ok(None),
        Err(e) => Err(e.to_string()),
        Ok(meta) if !meta.is_file() => Err(BlobError::NotAFile.to_string()),
        Ok(_) => std::fs::read(path).map_err(|e| e.to_string()),
    };
    bytes.map(Some).map_err(|reason| no_config(path.display(), reason))
}

fn in_view(view: &View, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
    match view.read_kept(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Ok(Some(bytes)),
        Blob::Missing(BlobError::Absent) => Ok(None),
        Blob::Missing(missing) => Err(no_config(path, missing)),
    }
}

fn no_config(path: impl std::fmt::Display, reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: {reason}"))
        .help("mend the config or take it away; every key has a default")
}

/// Reads a config's bytes.
///
/// # Errors
/// It is not UTF-8, or no config: each unknown key and wrong value is named with its place.
pub fn parse(path: &RepoPath, bytes: Vec<u8>) -> Result<Config, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let source = Source::from_bytes(path.clone(), bytes).map_err(|e| unreadable(format!("{path}:{}: {e}", e.line)))?;
    let rules: Vec<&str> = rules::ids().collect();
    Config::parse(&source, &rules).map_err(|problems| {
        let say = |p: &crate::config::ConfigProblem| {
            let at = source.position(p.span.offset);
            format!("{path}:{}:{}: {}", at.line, at.column, p.message)
        };
        let all: Vec<String> = problems.iter().map(say).collect();
        let keys = crate::config::top_level_keys().join(", ");
        unreadable(all.join("\n")).help(format!("valid keys: {keys}; run `canonry explain --list` for the rules"))
    })
}
