//! Where a canon can be made, and where not.

use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use crate::view::{Basis, PathKind};

/// Opens a repository in whose work tree a canon can be made.
///
/// # Errors
/// There is no work tree, something is in the way of the canon's folder, or git ignores it.
pub fn open(env: &Environment) -> Result<Workspace, Error> {
    let unusable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if crate::git::open::open(&env.cwd)?.workdir().is_none() {
        return Err(unusable("this is a bare repository, without a work tree for a canon to stand in".to_owned())
            .help("run this in a clone of it"));
    }
    let context = Workspace::open(env, &Basis::WorkTree)?;
    let root = context.layout.root();
    if context.view.kind(&root.join(".git")) != PathKind::Nothing {
        return Err(unusable(format!("`{root}` is a repository of its own; a canon is a folder of this one"))
            .help("name another folder with `root:` in a canonry.yaml at the top of the repository"));
    }
    for folder in [root.clone(), context.layout.skills()] {
        let (what, help) = match context.view.root(&folder) {
            MirrorRoot::Folder => continue,
            MirrorRoot::NotAFolder(by) => (
                format!("`{by}` is a file, and a canon needs a folder there"),
                "move the file away, or name another folder with `root:` in a canonry.yaml at the top",
            ),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => (
                format!("`{folder}` is a link, or lies below one; a canon is a folder of the repository itself"),
                "put the folder itself in the link's place, or name another one with `root:` in a canonry.yaml at the top",
            ),
        };
        return Err(unusable(what).help(help));
    }
    let skill = context.layout.skills().join("plan/SKILL.md");
    if !context.view.ignored(&[skill])?.is_empty() {
        return Err(unusable(format!("git ignores `{}`, so that nothing in it would be part of the canon", skills(&context)))
            .help("take the pattern out of .gitignore (`git check-ignore -v` finds it), or name another folder with `root:` in a canonry.yaml at the top"));
    }
    Ok(context)
}

fn skills(context: &Workspace) -> RepoPath {
    context.layout.skills()
}
