//! Which canons of a repository a run works on: its own, and those of folders that its config lists under `canons`.

use crate::app::RepositoryScope;
use crate::app::Workspace;
use crate::app::progress::Progress;
use crate::app::{Error, ErrorKind};
use crate::config::{FolderPattern, Target};
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use crate::view::{PathKind, View};
use std::collections::BTreeSet;

/// What a run in this folder works on.
#[derive(Debug, PartialEq, Eq)]
pub enum Canons {
    /// The canon that was opened.
    Own,
    /// That of the folder around the current one.
    Nested(RepoPath),
    /// All of them, by their folders: the repository's own, which has the empty path, comes first.
    Every(Vec<RepoPath>),
}

/// Finds out. A repository whose config lists none is not looked at any further.
///
/// # Errors
/// What is listed can have no canon of its own.
pub fn find(context: &Workspace, progress: &dyn Progress) -> Result<Canons, Error> {
    let patterns = &context.config.canons;
    if patterns.is_empty() || context.env.scope == RepositoryScope::User || !context.view.base().is_empty() {
        return Ok(Canons::Own);
    }
    let mut bases = BTreeSet::new();
    for pattern in patterns {
        let found = listed(context, pattern)?;
        if found.is_empty() {
            progress.notice(&format!("`canons`: no folder that `{pattern}` names has a canon\n"));
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

/// The innermost of some folders that a path lies in.
pub fn innermost<'a>(bases: &'a [RepoPath], path: &RepoPath) -> Option<&'a RepoPath> {
    bases.iter().filter(|base| path.is_within(base)).max_by_key(|base| base.components().count())
}

/// The folders with a canon that a pattern names.
fn listed(context: &Workspace, pattern: &str) -> Result<Vec<RepoPath>, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let folders = FolderPattern::parse(pattern).map_err(|error| unreadable(error.to_string()))?;
    let view = &context.view;
    let found = folders.expand(RepoPath::default(), |folder, name| folder.join(name), |folder| view.folders(folder));
    let found: Vec<RepoPath> = found.into_iter().filter(|base| has_canon(view, base)).collect();
    for base in &found {
        let odd = if base.is_within(context.layout.root()) || Target::holding(base).is_some() {
            "it lies in the repository's own canon, or in a mirror of it"
        } else if view.root(base) != MirrorRoot::Folder {
            "it is a link, or lies below one"
        } else if view.is_work_tree() && view.kind(&base.join(".git")) != PathKind::Nothing {
            "it is a repository of its own"
        } else {
            continue;
        };
        return Err(unreadable(format!("`canons`: `{base}` cannot have a canon of its own: {odd}"))
            .help(format!("change `{pattern}` so that it does not name it")));
    }
    Ok(found)
}

/// Whether a folder has a canon, or says where it is.
fn has_canon(view: &View, base: &RepoPath) -> bool {
    let says = ["canonry.yaml", "canonry.local.yaml"].iter().any(|name| view.kind(&base.join(name)) == PathKind::File);
    says || view.kind(&base.join("agent")) == PathKind::Folder
}
