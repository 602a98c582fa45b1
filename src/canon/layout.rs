//! Where things stand below the canon's root.

use crate::syntax::RepoPath;

/// The folder that is the canon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: RepoPath,
}

impl Default for Layout {
    fn default() -> Self {
        Self { root: RepoPath::from("agent") }
    }
}

impl Layout {
    /// A canon in `root`.
    pub fn new(root: RepoPath) -> Self {
        Self { root }
    }

    /// The canon's folder.
    pub fn root(&self) -> &RepoPath {
        &self.root
    }

    /// `skills/`
    pub fn skills(&self) -> RepoPath {
        self.root.join("skills")
    }

    /// `plans/`
    pub fn plans(&self) -> RepoPath {
        self.root.join("plans")
    }

    /// `schemas/`
    pub fn schemas(&self) -> RepoPath {
        self.root.join("schemas")
    }

    /// `mirrors.lock`
    pub fn lock(&self) -> RepoPath {
        self.root.join("mirrors.lock")
    }

    /// `canonry.yaml` inside the canon
    pub fn config(&self) -> RepoPath {
        self.root.join("canonry.yaml")
    }
}
