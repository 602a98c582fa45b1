//! Which folders of a repository are plugins of Claude Code.

use super::local_plugins::local_plugins;
use super::references::path_nodes;
use super::{MARKETPLACE, PLUGIN_MANIFEST};
use crate::canon::Blob;
use canonry_text::node::Node;
use canonry_text::{RepoPath, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Finds the plugins around files. A plugin has a manifest, or the entry of a marketplace takes its place. Claude Code
/// then reads the same folders ("Plugins reference", "Plugin marketplaces", 2.1.240).
pub struct PluginFolders<'a> {
    exists: Box<dyn Fn(&RepoPath) -> bool + Sync + 'a>,
    read: Box<dyn Fn(&RepoPath) -> Blob + Sync + 'a>,
    /// The local plugins of the marketplaces that were looked for, by the folder of the marketplace.
    listed: Mutex<HashMap<RepoPath, Arc<Vec<ListedPlugin>>>>,
    /// The folder of the canon.
    canon: Option<RepoPath>,
}

/// A plugin that a marketplace lists, by its folder.
struct ListedPlugin {
    folder: RepoPath,
    /// The folders and files that its entry names instead of default folders, by key.
    named: Vec<(&'static str, Vec<RepoPath>)>,
    /// Whether the entry is the entire definition of a plugin that shares its folder with the marketplace: then other
    /// files there mostly belong to the project.
    is_partial: bool,
}

/// Default folders, and the keys that replace them.
const DEFAULT_FOLDERS: [(&str, &str); 3] =
    [("agents", "agents"), ("commands", "commands"), ("output-styles", "outputStyles")];

impl<'a> PluginFolders<'a> {
    /// `exists` says whether there is anything at a path, `read` returns the content of a file.
    pub fn new(exists: impl Fn(&RepoPath) -> bool + Sync + 'a, read: impl Fn(&RepoPath) -> Blob + Sync + 'a) -> Self {
        Self { exists: Box::new(exists), read: Box::new(read), listed: Mutex::default(), canon: None }
    }

    /// Sets the folder of the canon, whose config may be elsewhere.
    #[must_use]
    pub fn with_canon(mut self, root: Option<RepoPath>) -> Self {
        self.canon = root;
        self
    }

    /// Whether a folder is a canon. Any other than the known one has a config, or the lock of its mirrors. A config at the
    /// top may name a folder.
    pub fn is_canon(&self, folder: &RepoPath) -> bool {
        self.canon.as_ref() == Some(folder)
            || !folder.is_empty() && self.exists(&folder.join("canonry.yaml"))
            || self.exists(&folder.join("mirrors.lock"))
    }

    /// Whether there is anything at a path.
    pub fn exists(&self, path: &RepoPath) -> bool {
        (self.exists)(path)
    }

    /// Whether a folder is a plugin that reads a file at this path, if its kind is one of plugins.
    pub fn reads(&self, folder: &RepoPath, path: &RepoPath) -> bool {
        if self.exists(&folder.join(PLUGIN_MANIFEST)) {
            return true;
        }
        let is_in_plugins = folder.parent().filter(|above| above.file_name() == "plugins");
        let top = is_in_plugins.and_then(|plugins| plugins.parent());
        if top.is_some_and(|top| self.exists(&top.join(MARKETPLACE))) {
            return true;
        }
        let above = std::iter::successors(folder.parent(), RepoPath::parent);
        std::iter::once(folder.clone())
            .chain(above)
            .any(|top| self.listed(&top).iter().any(|plugin| plugin.folder == *folder && plugin.reads(path)))
    }

    /// The innermost plugin around a file.
    pub fn around(&self, path: &RepoPath) -> Option<RepoPath> {
        std::iter::successors(path.parent(), RepoPath::parent).find(|folder| self.reads(folder, path))
    }

    /// The local plugins of the marketplace in a folder; empty without a marketplace.
    fn listed(&self, top: &RepoPath) -> Arc<Vec<ListedPlugin>> {
        let known = || self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(top) {
            return Arc::clone(found);
        }
        let found = Arc::new(self.read_marketplace(top).unwrap_or_default());
        known().insert(top.clone(), Arc::clone(&found));
        found
    }

    fn read_marketplace(&self, top: &RepoPath) -> Option<Vec<ListedPlugin>> {
        let path = top.join(MARKETPLACE);
        if !self.exists(&path) {
            return None;
        }
        let bytes = (self.read)(&path).into_bytes()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let root = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text), 0).ok()?.root;
        let plugins = local_plugins(&root, top, &self.exists).into_iter();
        Some(plugins.map(|(entry, source)| ListedPlugin::new(entry, source.path, top)).collect())
    }
}

impl ListedPlugin {
    fn new(entry: &Node, folder: RepoPath, top: &RepoPath) -> Self {
        let paths = |key: &str| {
            let nodes = path_nodes(entry.get(key)?).into_iter();
            Some(nodes.filter_map(|node| folder.join("x").resolve_beside(node.as_str()?.as_bytes())).collect())
        };
        let named = DEFAULT_FOLDERS.iter().filter_map(|(_, key)| Some((*key, paths(key)?))).collect();
        let is_strict = entry.get("strict").and_then(Node::as_bool);
        Self { is_partial: is_strict == Some(false) && folder == *top, named, folder }
    }

    fn reads(&self, path: &RepoPath) -> bool {
        let key = DEFAULT_FOLDERS.iter().find(|(default, _)| path.is_within(&self.folder.join(default)));
        let named = key.and_then(|(_, key)| self.named.iter().find(|(named, _)| named == key));
        named.map_or(!self.is_partial, |(_, paths)| paths.iter().any(|named| path.is_within(named)))
    }
}
