//! The place of a canon: whether a directory of the repository can be one.

use crate::{Environment, Error, ErrorKind, RepositoryScope, Workspace};
use canonry_mirror::MirrorRoot;
use canonry_repo::view::{Basis, PathKind};

/// Opens the work tree, and checks that the canon's directory can be created in it.
///
/// # Errors
/// The repository is bare, something blocks the canon's directory, or git ignores it.
pub fn open_for_canon(environment: &Environment) -> Result<Workspace, Error> {
    let unusable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if canonry_repo::git::open::open(&environment.cwd)?.workdir().is_none() {
        return Err(unusable("this is a bare repository: a canon needs a work tree".to_owned())
            .help("run this in a clone of the repository"));
    }
    let workspace = Workspace::open(environment, &Basis::WorkTree)?;
    workspace.require_checked_out()?;
    check_place(&workspace)?;
    let skills = workspace.layout.skills();
    if !workspace.view.ignored(&[skills.join("plan/SKILL.md")])?.is_empty() {
        return Err(unusable(format!("git ignores `{skills}`, so the canon would not be committed")).help(
            "remove the pattern from .gitignore (`git check-ignore -v` shows it), or choose another directory with `root:` in a canonry.yaml at the top of the repository",
        ));
    }
    Ok(workspace)
}

/// Checks that the canon's directory is, or can be, a directory of this repository.
///
/// # Errors
/// It is a link, a file, a submodule or another repository. Git stores nothing below a link, and its target may be anyone's.
pub fn check_place(workspace: &Workspace) -> Result<(), Error> {
    let view = &workspace.view;
    let root = workspace.layout.root();
    let skills = workspace.layout.skills();
    for directory in [root, &skills] {
        let place = view.full(directory);
        let (message, help) = match view.root(directory) {
            MirrorRoot::Folder => continue,
            MirrorRoot::Submodule(by) => {
                let what = if view.is_submodule(&by) { "a submodule" } else { "a separate repository" };
                (
                    format!("`{}` is {what}: a canon belongs to the repository around it", view.full(&by)),
                    "run canonry inside it, or choose another directory with `root:` in a canonry.yaml at the top",
                )
            }
            MirrorRoot::NotAFolder(by) => (
                format!("`{}` is a file: a canon needs a directory there", view.full(&by)),
                "rename the file, or choose another directory with `root:` in a canonry.yaml at the top",
            ),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => (
                format!("`{place}` is a symbolic link or below one; a canon must be a real folder"),
                match workspace.env.scope {
                    RepositoryScope::User => "move the skills to the place of the link",
                    RepositoryScope::Discovered | RepositoryScope::Standalone => {
                        "set `root:` in canonry.yaml at the top to the real folder, or move the skills to the place of the link"
                    }
                },
            ),
        };
        return Err(Error::new(ErrorKind::Unreadable, message).help(help));
    }
    // The repository itself can be the canon.
    if !root.is_empty() && view.kind(&root.join(".git")) != PathKind::Nothing {
        let root = view.full(root);
        let message = format!("`{root}` is a separate repository: a canon belongs to the repository around it");
        return Err(Error::new(ErrorKind::Unreadable, message)
            .help("run canonry inside it, or choose another directory with `root:` in a canonry.yaml at the top"));
    }
    Ok(())
}
