//! What git is told of the mirrors: not to commit them, or that they are generated.

use super::desired::{DesiredPart, DesiredToolFiles, ImportLine, PartContent};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let mirrors: Vec<RepoPath> = wish.mirrors.iter().map(|target| target.skills_root()).collect();
    let git = wish.files.git;
    if git.ignore {
        // What stands in a mirror, and not the mirror, so that a line of people's below the block can take a skill of
        // theirs out again.
        let ignored = mirrors.iter().map(|mirror| mirror.join("*")).chain([wish.layout.local_lock()]);
        add_block(wanted, wish, ".gitignore", ignored.map(|path| format!("/{path}\n")).collect());
    }
    if git.attributes {
        let committed = mirrors.iter().filter(|_| !git.ignore).map(|mirror| mirror.join("**"));
        let generated = committed.chain([wish.layout.lock()]);
        let inner = generated.map(|path| format!("/{path} linguist-generated\n")).collect();
        add_block(wanted, wish, ".gitattributes", inner);
    }
}

fn add_block(wanted: &mut DesiredToolFiles, wish: &ToolFileRequest<'_>, file: &str, inner: String) {
    let place = PartContent::Block { inner, unless: None::<ImportLine> };
    wanted.parts.push(DesiredPart { file: RepoPath::from(file), canon: wish.layout.config(), place });
}
