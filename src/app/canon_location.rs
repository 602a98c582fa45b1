//! Opens a repository in which a canon can be created or completed.

use crate::app::{Environment, Error, ErrorKind, Workspace};
use crate::mirror::MirrorRoot;
use crate::view::{Basis, PathKind};

/// Opens the work tree, and checks that the canon's directory can be created in it.
///
/// # Errors
/// The repository is bare, something blocks the canon's directory, or git ignores it.
pub fn open_for_canon(environment: &Environment) -> Result<Workspace, Error> {
    let unusable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if crate::git::open::open(&environment.cwd)?.workdir().is_none() {
        return Err(unusable("this is a bare repository: a canon needs a work tree".to_owned())
            .help("run this in a clone of the repository"));
    }
    let workspace = Workspace::open(environment, &Basis::WorkTree)?;
    workspace.require_checked_out()?;
    let root = workspace.layout.root();
    let skills = workspace.layout.skills();
    // The repository itself can be the canon.
    if !root.is_empty() && workspace.view.kind(&root.join(".git")) != PathKind::Nothing {
        return Err(unusable(format!(
            "`{root}` is a separate repository: a canon belongs to the repository around it"
        ))
        .help("choose another directory with `root:` in a canonry.yaml at the top of the repository"));
    }
    for directory in [root, &skills] {
        let (message, help) = match workspace.view.root(directory) {
            MirrorRoot::Folder => continue,
            MirrorRoot::Submodule(by) => (
                format!("`{by}` is a submodule: a canon belongs to the repository around it"),
                "choose another directory with `root:` in a canonry.yaml at the top",
            ),
            MirrorRoot::NotAFolder(by) => (
                format!("`{by}` is a file: a canon needs a directory there"),
                "rename the file, or choose another directory with `root:` in a canonry.yaml at the top",
            ),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => (
                format!("`{directory}` is a link, or below one: a canon needs a real directory"),
                "replace the link with the directory, or choose another one with `root:` in a canonry.yaml at the top",
            ),
        };
        return Err(unusable(message).help(help));
    }
    if !workspace.view.ignored(&[skills.join("plan/SKILL.md")])?.is_empty() {
        return Err(unusable(format!("git ignores `{skills}`, so the canon would not be committed")).help(
            "remove the pattern from .gitignore (`git check-ignore -v` shows it), or choose another directory with `root:` in a canonry.yaml at the top",
        ));
    }
    Ok(workspace)
}
