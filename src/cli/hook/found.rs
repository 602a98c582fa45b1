//! What a hook needs of a repository, read straight from the disk: opening git's own data would take longer than the answer.

use crate::app::Error;
use crate::app::configuration::{Configured, Reader, settle};
use crate::canon::Layout;
use crate::config::Config;
use crate::protocol::matching::path::PathRoots;
use crate::protocol::{CallContext, Policy};
use crate::syntax::RepoPath;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of a page or a schema that are read at most.
const LIMIT: u64 = 4 << 20;

/// A repository with a canon.
pub struct Found {
    /// The top of its work tree.
    pub top: PathBuf,
    /// Git's own folder for this work tree.
    pub git_dir: PathBuf,
    /// Where the canon is.
    pub layout: Layout,
    /// What the team configures; the defaults where it cannot be read.
    pub config: Config,
    /// Why the config cannot be read.
    pub trouble: Option<Error>,
}

/// The repository around a folder, as git finds it; `None` where there is none.
///
/// # Errors
/// A `.git` that cannot be read.
pub fn find(from: &Path, user_config: Option<&Path>) -> io::Result<Option<Found>> {
    for top in from.ancestors() {
        let dot = top.join(".git");
        let Ok(meta) = fs::metadata(&dot) else { continue };
        let git_dir = if meta.is_dir() { dot } else { linked(top, &fs::read_to_string(&dot)?) };
        let read = |path: &RepoPath| on_disk(&top.join(path.to_display()));
        let local = read(&"canonry.local.yaml".into());
        let reader = Reader { base: &RepoPath::default(), read: &read };
        let settled = local.and_then(|local| settle(user_config, local, &reader));
        let (config, layout, trouble) = match settled {
            Ok(Configured { config, layout, .. }) => (config, layout, None),
            Err(error) => (Config::default(), Layout::default(), Some(error)),
        };
        return Ok(Some(Found { top: top.to_owned(), git_dir, layout, config, trouble }));
    }
    Ok(None)
}

/// Of a linked work tree, or a submodule.
fn linked(top: &Path, text: &str) -> PathBuf {
    let named = text.trim().strip_prefix("gitdir:").unwrap_or_default().trim();
    top.join(named)
}

fn on_disk(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    crate::app::configuration::on_disk(path)
}

impl Found {
    /// A file of the canon; `None` where it is not there.
    ///
    /// # Errors
    /// It cannot be read, or is larger than such a file can be.
    pub fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, String> {
        let at = self.top.join(path.to_display());
        match fs::metadata(&at) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(format!("{path}: {e}")),
            Ok(meta) if !meta.is_file() => Err(format!("{path}: it is not a file")),
            Ok(meta) if meta.len() > LIMIT => Err(format!("{path}: it is larger than 4 MiB")),
            Ok(_) => fs::read(&at).map(Some).map_err(|e| format!("{path}: {e}")),
        }
    }

    /// The same as text.
    pub fn text(&self, path: &RepoPath) -> Result<Option<String>, String> {
        let bytes = self.read(path)?;
        bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| format!("{path}: it is not UTF-8"))).transpose()
    }

    /// Whether there is a canon.
    pub fn has_canon(&self) -> bool {
        self.top.join(self.layout.root().to_display()).is_dir()
    }

    /// What the team has written down; what cannot be read is among its troubles.
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new(self.layout.clone(), self.config.hooks.clone());
        match self.text(&self.layout.permissions()) {
            Ok(Some(text)) => policy.permissions(text),
            Ok(None) => {}
            Err(why) => policy.troubles.push(why),
        }
        let folder = self.layout.tool_schemas();
        let listed = fs::read_dir(self.top.join(folder.to_display())).into_iter().flatten().flatten();
        let mut names: Vec<String> = listed.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| name.ends_with(".json"));
        names.sort();
        for path in names.iter().map(|name| folder.join(name)) {
            match self.read(&path) {
                Ok(Some(bytes)) => policy.tool(path, bytes),
                Ok(None) => {}
                Err(why) => policy.troubles.push(why),
            }
        }
        policy.troubles.extend(self.trouble.as_ref().map(|error| error.message.clone()));
        policy
    }

    /// Where a call is made from.
    pub fn surroundings(&self, cwd: &Path) -> CallContext {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let real = fs::canonicalize(&self.top).ok().map(|real| text(&real)).filter(|real| *real != text(&self.top));
        let home = std::env::var_os("HOME").map(|home| text(Path::new(&home)));
        let roots = PathRoots { top: text(&self.top), real, home };
        let head = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
        CallContext { roots, cwd: text(cwd), branch }
    }
}
