//! What is wanted, what stands there and what of it is ours, path by path.

use super::desired::DesiredFile;
use super::lock::Lock;
use super::state::MirrorState;
use crate::canon::{FileMode, FileState};
use crate::syntax::RepoPath;

/// Entries of the lock for one path.
pub type Owned = [(RepoPath, FileState)];

/// A want with what stands there and what of it is ours.
pub struct ComparedFile<'a> {
    /// What is wanted.
    pub want: &'a DesiredFile,
    /// What stands there.
    pub actual: Option<FileState>,
    /// What sync wrote there.
    pub ours: &'a Owned,
}

/// What stands in a mirror without being wanted.
pub struct ExtraFile<'a> {
    /// Where.
    pub path: &'a RepoPath,
    /// What stands there.
    pub actual: FileState,
    /// What sync wrote there.
    pub ours: &'a Owned,
}

/// Whether sync wrote what stands at a path. A mode that differs is no one's text: the content decides.
pub fn is_owned(ours: &Owned, state: FileState) -> bool {
    let both_files = |mode: FileMode| mode.is_file() && state.mode.is_file();
    ours.iter().any(|(_, own)| own.id == state.id && (own.mode == state.mode || both_files(own.mode)))
}

/// Walks the three sorted lists in step, so that the cost is linear.
pub fn compare<'a>(
    wants: &[&'a DesiredFile],
    actual: &'a MirrorState,
    lock: &'a Lock,
) -> (Vec<ComparedFile<'a>>, Vec<ExtraFile<'a>>) {
    let (mut files, mut owned) = (actual.files.as_slice(), lock.entries());
    let (mut aligned, mut leftovers) = (Vec::with_capacity(wants.len()), Vec::new());
    for want in wants {
        let mut here = None;
        while let Some(((path, state), rest)) = files.split_first().filter(|((path, _), _)| *path <= want.path) {
            files = rest;
            let ours = take_owned(&mut owned, path);
            match *path == want.path {
                true => here = Some((*state, ours)),
                false => leftovers.push(ExtraFile { path, actual: *state, ours }),
            }
        }
        let (actual, ours) = match here {
            Some((state, ours)) => (Some(state), ours),
            None => (None, take_owned(&mut owned, &want.path)),
        };
        aligned.push(ComparedFile { want, actual, ours });
    }
    let rest = files.iter().map(|(path, state)| (path, *state, take_owned(&mut owned, path)));
    leftovers.extend(rest.map(|(path, actual, ours)| ExtraFile { path, actual, ours }));
    (aligned, leftovers)
}

/// The entries of `path`, with all before it dropped.
fn take_owned<'a>(owned: &mut &'a Owned, path: &RepoPath) -> &'a Owned {
    let skip = owned.iter().take_while(|(p, _)| p < path).count();
    let same = owned[skip..].iter().take_while(|(p, _)| p == path).count();
    let (taken, rest) = owned[skip..].split_at(same);
    *owned = rest;
    taken
}
