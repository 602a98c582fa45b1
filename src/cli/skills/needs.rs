//! Whether what a skill's preconditions name is there.

use crate::app::Workspace;
use crate::registry::{Requirement, parse_requirements};
use crate::syntax::RepoPath;
use crate::view::PathKind;
use std::ffi::OsString;
use std::path::Path;

/// Looks for files and commands.
pub struct Needs<'a> {
    context: &'a Workspace,
    path: Option<OsString>,
}

impl<'a> Needs<'a> {
    /// In a repository, and on the path of this process.
    pub fn of(context: &'a Workspace) -> Self {
        Self { context, path: std::env::var_os("PATH") }
    }

    /// What the preconditions name and is not there, in words. What names nothing that can be looked for is for the reader.
    pub fn missing(&self, preconditions: &[String]) -> Vec<String> {
        let mut missing: Vec<String> = preconditions
            .iter()
            .flat_map(|said| parse_requirements(said))
            .filter_map(|need| self.lacks(&need))
            .collect();
        missing.dedup();
        missing
    }

    fn lacks(&self, need: &Requirement) -> Option<String> {
        match need {
            Requirement::File(name) => {
                let roots = [RepoPath::default(), self.context.layout.root().clone()];
                let stands = |root: &RepoPath| self.context.view.kind(&root.join(name)) != PathKind::Nothing;
                (!roots.iter().any(stands)).then(|| format!("there is no `{name}`"))
            }
            Requirement::Command(name) => {
                let folders = self.path.as_ref().map(|path| std::env::split_paths(path).collect::<Vec<_>>());
                let found = folders.unwrap_or_default().iter().any(|folder| is_program(&folder.join(name)));
                (!found).then(|| format!("the command `{name}` is not on the path"))
            }
        }
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
