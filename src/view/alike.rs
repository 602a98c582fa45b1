//! Mirrored files that hold what the canon says although git's filters give them other ids, as where attributes match
//! the canon alone.

use super::Hasher;
use super::View;
use crate::canon::{FileState, Layout};
use crate::config::Target;
use crate::edit::EditContent;
use crate::mirror::state::{ComparedFile, ExtraFile, compare, is_owned};
use crate::mirror::{DesiredFile, DesiredMirrors, Lock, MirrorState};
use crate::syntax::RepoPath;
use gix::ObjectId;
use rayon::prelude::*;

/// A file of a mirror that is neither what is wanted there nor, by its id, what was written there.
struct Odd<'a> {
    path: &'a RepoPath,
    /// The file of the canon, or where it was.
    canon: RepoPath,
    state: FileState,
    want: Option<&'a DesiredFile>,
    ours: &'a [(RepoPath, FileState)],
}

/// What a closer look at an odd file gave.
enum Found {
    /// It holds what the canon does: by these ids it is seen as the same.
    Same(RepoPath, FileState),
    /// It holds what was written there.
    Ours(RepoPath, FileState),
}

impl View {
    /// Makes equal in `actual` what is equal, and gives the lock with the states that are ours too. Only files whose ids
    /// tell nothing are read.
    pub(super) fn look_closer(
        &self,
        desired: &DesiredMirrors,
        actual: &mut MirrorState,
        lock: Lock,
        layout: &Layout,
    ) -> Lock {
        let Some(git) = self.git().filter(|git| git.is_work_tree()) else { return lock };
        let found: Vec<Found> = {
            let wants: Vec<&DesiredFile> = desired.files.iter().collect();
            let (aligned, leftovers) = compare(&wants, actual, &lock);
            let odd = aligned.iter().filter_map(of_want);
            let odd: Vec<Odd<'_>> = odd.chain(leftovers.iter().filter_map(|l| of_leftover(l, layout))).collect();
            let new = || Hasher::new(git);
            odd.par_iter().map_init(new, |hasher, odd| self.judge(odd, hasher)).flatten_iter().collect()
        };
        let mut ours = Vec::new();
        for found in found {
            match found {
                Found::Same(path, state) => actual.set(&path, state),
                Found::Ours(path, state) => ours.push((path, state)),
            }
        }
        if ours.is_empty() { lock } else { lock.with(ours) }
    }

    fn judge(&self, odd: &Odd<'_>, hasher: &mut Hasher<'_>) -> Option<Found> {
        let bytes = std::fs::read(self.on_disk(odd.path)?).ok()?;
        let same_bytes = || std::fs::read(self.on_disk(&odd.canon)?).ok().filter(|canon| *canon == bytes);
        // The canon's attributes, and none: those of the time of writing may have been either.
        let ids = [hasher.id_at(&odd.canon, odd.path), hasher.hash(&bytes)];
        let has = |id: ObjectId| ids.contains(&Some(id));
        if let Some(want) = odd.want
            && (has(want.state.id) || same_bytes().is_some())
        {
            return Some(Found::Same(odd.path.clone(), FileState { id: want.state.id, ..odd.state }));
        }
        let written = odd.ours.iter().any(|(_, ours)| has(ours.id) && ours.mode.is_file());
        written.then(|| Found::Ours(odd.path.clone(), odd.state))
    }
}

fn of_want<'a>(aligned: &ComparedFile<'a>) -> Option<Odd<'a>> {
    let ComparedFile { desired: want, current: actual, owned: ours } = *aligned;
    let told = |state: &FileState| state.id == want.state.id || is_owned(ours, *state);
    let state = actual.filter(|state| !told(state) && state.mode.is_file())?;
    let copied = matches!(want.content, EditContent::CopyOf(_));
    copied.then(|| Odd { path: &want.path, canon: want.canon.clone(), state, want: Some(want), ours })
}

/// The canon does not know it any more: it was mirrored from the skill of that name, if not from within a category.
fn of_leftover<'a>(leftover: &ExtraFile<'a>, layout: &Layout) -> Option<Odd<'a>> {
    let ExtraFile { path, current: state, owned: ours } = *leftover;
    if ours.is_empty() || is_owned(ours, state) || !state.mode.is_file() {
        return None;
    }
    let root = Target::holding(path)?.skills_root();
    let canon = layout.skills().join(path.below(&root)?);
    Some(Odd { path, canon, state, want: None, ours })
}
