//! A repository read from the plain disk, without git's index and objects: opening those would take longer than a hook has.

use crate::app::Error;
use crate::app::configuration::{self, Configured, Reader, settle};
use crate::apply::constraint_cache as constraints;
use crate::canon::blob::BlobError;
use crate::canon::{Blob, FileSource, Layout};
use crate::config::Config;
use crate::protocol::matching::path::PathRoots;
use crate::protocol::{CallContext, Policy, ToolCall};
use crate::syntax::RepoPath;
use crate::view::DiskSource;
use crate::view::load::DOCUMENT_LIMIT;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A repository with a work tree.
pub struct PlainRepository {
    /// The top of its work tree.
    pub top: PathBuf,
    /// The git directory of this work tree.
    pub git_dir: PathBuf,
    /// The layout of the canon.
    pub layout: Layout,
    /// The config; the defaults if it is invalid.
    pub config: Config,
    /// Why the config is invalid.
    pub config_error: Option<Error>,
}

impl PlainRepository {
    /// Finds the repository around a directory, as git does; `None` if there is none.
    ///
    /// # Errors
    /// `.git` is a file that cannot be read.
    pub fn find(from: &Path, user_config: Option<&Path>) -> io::Result<Option<Self>> {
        for top in from.ancestors() {
            let dot_git = top.join(".git");
            let Ok(meta) = fs::metadata(&dot_git) else { continue };
            let git_dir = if meta.is_dir() { dot_git } else { linked_git_dir(top, &fs::read_to_string(&dot_git)?) };
            let read = |path: &RepoPath| configuration::on_disk(&top.join(path.to_display()));
            let reader = Reader { base: &RepoPath::default(), read: &read };
            let configured = read(&"canonry.local.yaml".into()).and_then(|local| settle(user_config, local, &reader));
            let (config, layout, config_error) = match configured {
                Ok(Configured { config, layout, .. }) => (config, layout, None),
                Err(error) => (Config::default(), Layout::default(), Some(error)),
            };
            return Ok(Some(Self { top: top.to_owned(), git_dir, layout, config, config_error }));
        }
        Ok(None)
    }

    /// Whether the repository has a canon.
    pub fn has_canon(&self) -> bool {
        self.path_on_disk(self.layout.root()).is_dir()
    }

    /// The path of a file on disk.
    pub fn path_on_disk(&self, path: &RepoPath) -> PathBuf {
        self.top.join(path.to_display())
    }

    /// The team's protocols and the constraints of skills, as far as they can apply to a call: a constraint names commands.
    pub fn policy_for(&self, call: &ToolCall) -> Policy {
        let mut policy = self.policy();
        if matches!(call, ToolCall::Shell { .. }) {
            self.add_constraints(&mut policy);
        }
        policy
    }

    /// Adds the constraints of skills.
    pub fn add_constraints(&self, policy: &mut Policy) {
        let skills = self.layout.skills();
        for (path, constraint) in constraints::load(&self.top, &skills, &self.git_dir) {
            policy.add_constraint(&path, &constraint);
        }
    }

    /// The team's protocols. Unreadable files are listed in [`Policy::load_errors`].
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new(self.layout.clone(), self.config.hooks.clone());
        let files = DiskSource::new(&self.top);
        let permissions = self.layout.permissions();
        match files.read(&permissions, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => match String::from_utf8(bytes) {
                Ok(text) => policy.add_permissions(text),
                Err(_) => policy.load_errors.push(format!("{permissions}: it is not UTF-8")),
            },
            Blob::Missing(BlobError::Absent) => {}
            Blob::Missing(error) => policy.load_errors.push(format!("{permissions}: {error}")),
        }
        for path in self.tool_schemas() {
            match files.read(&path, DOCUMENT_LIMIT) {
                Blob::Bytes(bytes) => policy.add_tool_schema(path, bytes),
                Blob::Missing(BlobError::Absent) => {}
                Blob::Missing(error) => policy.load_errors.push(format!("{path}: {error}")),
            }
        }
        policy.load_errors.extend(self.config_error.as_ref().map(|error| error.message.clone()));
        policy
    }

    /// The schemas directly in the directory of tool schemas and beside the permissions, by name.
    fn tool_schemas(&self) -> Vec<RepoPath> {
        let folders = [(self.layout.tool_schemas(), ".json"), (self.layout.protocols(), ".schema.json")];
        let mut found = Vec::new();
        for (folder, end) in folders {
            let entries = fs::read_dir(self.path_on_disk(&folder)).into_iter().flatten().flatten();
            let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.retain(|name| name.ends_with(end));
            names.sort();
            found.extend(names.iter().map(|name| folder.join(name)));
        }
        found
    }

    /// The surroundings of a tool call that is made in `cwd`.
    pub fn call_context(&self, cwd: &Path, home: Option<&Path>) -> CallContext {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let top = text(&self.top);
        let real = fs::canonicalize(&self.top).ok().map(|real| text(&real)).filter(|real| *real != top);
        let roots = PathRoots { top, real, home: home.map(text) };
        let head = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
        CallContext { roots, cwd: text(cwd), branch }
    }
}

/// The git directory that the `.git` file of a linked work tree or a submodule names.
fn linked_git_dir(top: &Path, text: &str) -> PathBuf {
    let path = text.trim().strip_prefix("gitdir:").unwrap_or_default().trim();
    top.join(path)
}
