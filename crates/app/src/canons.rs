//! Selects the canons that a run works on: the repository's own canon, and the nested ones that its config lists in
//! `canons`.

use crate::RepositoryScope;
use crate::Workspace;
use crate::configuration::{Configured, configure_below};
use crate::progress::Progress;
use crate::{Basis, Environment, Error, ErrorKind};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::Layout;
use canonry_model::canon::presence::is_canon;
use canonry_model::config::FolderPattern;
use canonry_repo::view::{IgnoreMode, PathKind};
use canonry_text::RepoPath;
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
    let own = context.has_canon();
    if bases.is_empty() {
        return Ok(Canons::Own);
    }
    let own = own.then(RepoPath::default);
    Ok(Canons::Every(own.into_iter().chain(bases).collect()))
}

/// Selects the canons, and opens the nested one around the current directory instead of the workspace. Returns the directories
/// if there are several canons.
///
/// # Errors
/// See [`find`]; the nested canon cannot be opened.
pub fn select(
    workspace: Workspace,
    basis: &Basis,
    progress: &dyn Progress,
) -> Result<(Workspace, Option<Vec<RepoPath>>), Error> {
    Ok(match find(&workspace, progress)? {
        Canons::Own => (workspace, None),
        Canons::Nested(base) => (Workspace::open(&Environment { base, ..workspace.env }, basis)?, None),
        Canons::Every(bases) => (workspace, Some(bases)),
    })
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
    let found: Vec<RepoPath> = found.into_iter().filter(|base| has_canon(context, base)).collect();
    for base in &found {
        let reason = if base.is_within(context.layout.root()) || context.config.is_in_mirror(base) {
            "it is inside the repository's own canon or a mirror"
        } else if let MirrorRoot::Submodule(_) = view.root(base) {
            "it is a submodule or a separate repository, or in one"
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

/// Whether a directory has a canon. An invalid config counts, so that it is reported.
fn has_canon(context: &Workspace, base: &RepoPath) -> bool {
    let view = &context.view;
    match configure_below(view, base) {
        Ok(Configured { config, layout, .. }) => {
            let root = base.join(layout.root().as_bstr());
            let is_named = config.root.is_some() && view.kind(&root) == PathKind::Folder;
            is_named || is_canon(view, &Layout::new(root))
        }
        Err(_) => true,
    }
}

/// Directories below that have a canon, in a repository that lists none: those with a folder `agent` or a config.
pub fn unlisted(context: &Workspace) -> Vec<RepoPath> {
    if !context.config.canons.is_empty() || context.env.scope == RepositoryScope::User {
        return Vec::new();
    }
    // Only the help of an error names them.
    let listing = context.view.list(&RepoPath::default(), IgnoreMode::Exclude).unwrap_or_default();
    let mut bases = BTreeSet::new();
    for path in listing.files.iter().map(|file| &file.entry.path) {
        if path.file_name() == "canonry.yaml" {
            bases.extend(path.parent());
        }
        let above = std::iter::successors(path.parent(), RepoPath::parent);
        bases.extend(above.filter(|folder| folder.file_name() == "agent").filter_map(|folder| folder.parent()));
    }
    let is_own = |base: &RepoPath| base.is_empty() || base.is_within(context.layout.root());
    bases.into_iter().filter(|base| !is_own(base) && has_canon(context, base)).collect()
}
