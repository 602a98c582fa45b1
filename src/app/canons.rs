//! Selects the canons that a run works on: the repository's own canon, and the nested ones that its config lists in
//! `canons`.

use crate::app::RepositoryScope;
use crate::app::Workspace;
use crate::app::progress::Progress;
use crate::app::{Error, ErrorKind};
use crate::config::FolderPattern;
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use crate::view::{PathKind, View};
use std::collections::BTreeSet;

/// The canons that a run works on.
#[derive(Debug, PartialEq, Eq)]
pub enum Canons {
    /// The canon of the workspace.
    Own,
    /// The nested canon around the current directory.
    Nested(RepoPath),
    /// All canons by their directories. The repository's own canon, with the empty path, comes first.
    Every(Vec<RepoPath>),
}

/// Selects the canons for the current directory. Does nothing else if the config lists no nested canons.
///
/// # Errors
/// A listed directory cannot have its own canon.
pub fn find(context: &Workspace, progress: &dyn Progress) -> Result<Canons, Error> {
    let patterns = &context.config.canons;
    if patterns.is_empty() || context.env.scope == RepositoryScope::User || !context.view.base().is_empty() {
        return Ok(Canons::Own);
    }
    let mut bases = BTreeSet::new();
    for pattern in patterns {
        let found = listed(context, pattern)?;
        if found.is_empty() {
            progress.notice(&format!("`canons`: no directory that matches `{pattern}` has a canon\n"));
        }
        bases.extend(found);
    }
    let here = std::fs::canonicalize(&context.env.cwd).ok().and_then(|cwd| context.view.inside(&cwd));
    let around = bases.iter().filter(|base| here.as_ref().is_some_and(|here| here.is_within(base)));
    if let Some(base) = around.max_by_key(|base| base.components().count()) {
        return Ok(Canons::Nested(base.clone()));
    }
    let own = context.view.kind(context.layout.root()) == PathKind::Folder;
    if bases.is_empty() {
        return Ok(Canons::Own);
    }
    let own = own.then(RepoPath::default);
    Ok(Canons::Every(own.into_iter().chain(bases).collect()))
}

/// The innermost of the directories that contain a path.
pub fn innermost<'a>(bases: &'a [RepoPath], path: &RepoPath) -> Option<&'a RepoPath> {
    bases.iter().filter(|base| path.is_within(base)).max_by_key(|base| base.components().count())
}

/// The directories that match a pattern and have a canon.
fn listed(context: &Workspace, pattern: &str) -> Result<Vec<RepoPath>, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let folders = FolderPattern::parse(pattern).map_err(|error| unreadable(error.to_string()))?;
    let view = &context.view;
    let found = folders.expand(RepoPath::default(), |folder, name| folder.join(name), |folder| view.folders(folder));
    let found: Vec<RepoPath> = found.into_iter().filter(|base| has_canon(view, base)).collect();
    for base in &found {
        let reason = if base.is_within(context.layout.root()) || context.config.is_in_mirror(base) {
            "it is inside the repository's own canon or a mirror"
        } else if view.root(base) != MirrorRoot::Folder {
            "it is a link, or below one"
        } else if view.is_work_tree() && view.kind(&base.join(".git")) != PathKind::Nothing {
            "it is a separate repository"
        } else {
            continue;
        };
        return Err(unreadable(format!("`canons`: `{base}` cannot have its own canon: {reason}"))
            .help(format!("change `{pattern}` so that it does not match")));
    }
    Ok(found)
}

/// Whether a directory has a canon, or a config that locates one.
fn has_canon(view: &View, base: &RepoPath) -> bool {
    let has_config =
        ["canonry.yaml", "canonry.local.yaml"].iter().any(|name| view.kind(&base.join(name)) == PathKind::File);
    has_config || view.kind(&base.join("agent")) == PathKind::Folder
}
