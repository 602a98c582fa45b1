//! What to do, given what the mirrors should hold, what they hold, and what of it is ours.

use super::actual::{Actual, Root};
use super::desired::{Desired, Want};
use super::lock::Lock;
use crate::canon::State;
use crate::config::Target;
use crate::edit::Edit;
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

/// What a sync does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Changes, removals first, each part sorted by path.
    pub edits: Vec<Edit>,
    /// Paths that are left as they are although they differ from what is wanted.
    pub refused: Vec<Refusal>,
    /// Files in the mirrors that are neither wanted nor ours.
    pub unowned: Vec<RepoPath>,
    /// Wanted files that stand as they should.
    pub unchanged: usize,
    /// Edits among them that replace or remove what someone else wrote, which must be kept aside first.
    pub forced: Vec<RepoPath>,
    /// The lock once the edits are applied.
    pub lock: Lock,
}

/// A path that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where in the mirror.
    pub path: RepoPath,
    /// Why.
    pub reason: Reason,
    /// What is wanted there; `None` where nothing is.
    pub want: Option<Want>,
    /// What stands there.
    pub actual: Option<State>,
}

/// Why a path is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Ours, and since changed by someone.
    #[error("edited by hand since the last sync")]
    Edited,
    /// Ours, changed by someone, and no longer in the canon.
    #[error("edited by hand, and its file in the canon is gone")]
    EditedOrphan,
    /// Someone's own file stands where ours would.
    #[error("a file that sync did not write stands where {canon} is mirrored")]
    Occupied {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// Not written because another file of the same skill's folder is someone's own.
    #[error("not written: {other} in the same folder was not written by sync")]
    FolderOccupied {
        /// That other file.
        other: RepoPath,
    },
    /// A file or link stands where a folder is needed, or files stand where a file is needed.
    #[error("{by} is in the way")]
    Blocked {
        /// What is in the way.
        by: RepoPath,
    },
    /// The mirror's root is a link to elsewhere.
    #[error("the mirror is a link to `{to}`; sync writes only into real folders of this repository")]
    RootIsLink {
        /// Where it leads.
        to: String,
    },
    /// The mirror's root, or a folder above it, is a file.
    #[error("{by} is not a folder")]
    RootIsFile {
        /// The file.
        by: RepoPath,
    },
}

/// What the user allows beyond the rule that only what is ours is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Consent {
    /// Nothing.
    #[default]
    Ours,
    /// What stands where the canon wants its own may be replaced; it is kept aside first.
    Force,
}

/// Decides. `desired` and `actual` are sorted by path; `lock` is what is ours.
pub fn decide(desired: &Desired, actual: &Actual, lock: &Lock, consent: Consent) -> Decision {
    let mut run = Run { actual, lock, consent, decision: Decision::default(), kept: Vec::new(), gone: BTreeSet::new() };
    let (wants, refused_roots) = reachable(desired, actual);
    run.refuse_roots(refused_roots);
    run.leftovers(desired, &wants);
    for group in wants.chunk_by(|a, b| a.folder == b.folder) {
        run.folder(group);
    }
    run.finish()
}

struct Run<'a> {
    actual: &'a Actual,
    lock: &'a Lock,
    consent: Consent,
    decision: Decision,
    /// The next lock.
    kept: Vec<(RepoPath, State)>,
    /// Paths that this run removes.
    gone: BTreeSet<RepoPath>,
}

/// The wants whose target is a real folder, in path order, and one refusal for each target that is not.
fn reachable<'a>(desired: &'a Desired, actual: &Actual) -> (Vec<&'a Want>, Vec<Refusal>) {
    let mut refused = Vec::new();
    let mut skipped: Vec<RepoPath> = Vec::new();
    for (target, root) in &actual.roots {
        let path = target.skills_root();
        let first = desired.wants.iter().find(|w| w.path.is_within(&path));
        let reason = match root {
            Root::Folder => continue,
            Root::LinkInside(to) if leads_to_skills(&path, to, desired, actual) => None,
            Root::LinkInside(to) => Some(Reason::RootIsLink { to: to.to_display() }),
            Root::LinkOutside(to) => Some(Reason::RootIsLink { to: to.clone() }),
            Root::NotAFolder(by) => Some(Reason::RootIsFile { by: by.clone() }),
        };
        if let (Some(reason), Some(_)) = (reason, first) {
            refused.push(Refusal { path: path.clone(), reason, want: None, actual: None });
        }
        skipped.push(path);
    }
    let open = |want: &&Want| !skipped.iter().any(|root| want.path.is_within(root));
    (desired.wants.iter().filter(open).collect(), refused)
}

/// A root that leads to the canon's own skills, or to another target's mirror, needs nothing written.
fn leads_to_skills(root: &RepoPath, to: &RepoPath, desired: &Desired, actual: &Actual) -> bool {
    let is_skill = |want: &Want| want.path.below(root).is_some_and(|below| to.join(below) == want.canon);
    desired.wants.iter().any(is_skill) || leads_to_mirror(to, desired, actual)
}

/// Whether links lead, one after the other, to a real folder that this run mirrors into.
fn leads_to_mirror(to: &RepoPath, desired: &Desired, actual: &Actual) -> bool {
    let mut to = to;
    for _ in Target::ALL {
        let Some(target) = Target::ALL.iter().find(|target| target.skills_root() == *to) else { return false };
        match actual.root(*target) {
            Root::Folder => return desired.wants.iter().any(|want| want.path.is_within(to)),
            Root::LinkInside(next) => to = next,
            Root::LinkOutside(_) | Root::NotAFolder(_) => return false,
        }
    }
    false
}

impl Run<'_> {
    fn refuse_roots(&mut self, refused: Vec<Refusal>) {
        let roots: Vec<RepoPath> = refused.iter().map(|r| r.path.clone()).collect();
        let ours = self.lock.entries().iter().filter(|(p, _)| roots.iter().any(|root| p.is_within(root)));
        self.kept.extend(ours.cloned());
        self.decision.refused.extend(refused);
    }

    /// What stands in the mirrors, or in the lock, without being wanted.
    fn leftovers(&mut self, desired: &Desired, wants: &[&Want]) {
        let wanted = |path: &RepoPath| wants.binary_search_by(|w| w.path.cmp(path)).is_ok();
        let frozen = |path: &RepoPath| {
            let mut above = std::iter::successors(Some(path.clone()), RepoPath::parent);
            above.any(|folder| desired.frozen.binary_search(&folder).is_ok())
        };
        for (path, state) in &self.actual.files {
            if wanted(path) {
                continue;
            }
            if !self.lock.owns(path) {
                self.decision.unowned.push(path.clone());
            } else if frozen(path) {
                self.kept.extend(self.lock.states(path).map(|state| (path.clone(), state)));
            } else if self.is_ours(path, *state) || self.consent == Consent::Force {
                self.note_forced(path, *state);
                self.gone.insert(path.clone());
                self.decision.edits.push(Edit::Remove { path: path.clone(), was: *state });
            } else {
                self.keep_refused(path, Reason::EditedOrphan, None);
            }
        }
    }

    fn is_ours(&self, path: &RepoPath, state: State) -> bool {
        // A mode that differs is no one's text: the content decides.
        self.lock
            .states(path)
            .any(|ours| ours.id == state.id && (ours.mode == state.mode || ours.mode.is_file() && state.mode.is_file()))
    }

    fn folder(&mut self, wants: &[&Want]) {
        let Some(first) = wants.first() else { return };
        if self.stands_for_canon(first) {
            self.decision.unchanged += wants.len();
            return;
        }
        let ours = self.consent == Consent::Force || self.lock.owns_below(&first.folder);
        match wants.iter().find(|want| !ours && self.is_foreign(want)) {
            Some(foreign) => self.refuse_folder(wants, foreign),
            None => wants.iter().for_each(|want| self.want(want)),
        }
    }

    /// Whether the folder is a link to the skill in the canon itself.
    fn stands_for_canon(&self, want: &Want) -> bool {
        let Some(to) = self.actual.links.get(&want.folder) else { return false };
        let below = want.path.below(&want.folder).filter(|below| !below.is_empty());
        below.is_some_and(|below| to.join(below) == want.canon)
    }

    fn is_foreign(&self, want: &Want) -> bool {
        match self.actual.state(&want.path) {
            Some(state) => state != want.state && !self.lock.owns(&want.path),
            None => self.in_the_way(want).is_some(),
        }
    }

    fn refuse_folder(&mut self, wants: &[&Want], foreign: &Want) {
        for want in wants {
            let actual = self.actual.state(&want.path);
            if actual == Some(want.state) {
                self.decision.unchanged += 1;
                continue;
            }
            let reason = match (self.in_the_way(want), actual) {
                (Some(by), None) => Reason::Blocked { by },
                (_, Some(_)) => Reason::Occupied { canon: want.canon.clone() },
                (None, None) => Reason::FolderOccupied { other: foreign.path.clone() },
            };
            self.keep_refused(&want.path, reason, Some(want));
        }
    }

    fn want(&mut self, want: &Want) {
        let path = &want.path;
        let owned = self.lock.owns(path);
        let may = self.consent == Consent::Force;
        match self.actual.state(path) {
            Some(state) if state == want.state => {
                self.decision.unchanged += 1;
                if owned {
                    self.kept.push((path.clone(), want.state));
                }
            }
            Some(state) if owned && (self.is_ours(path, state) || state.id == want.state.id) || may => {
                self.write(want, Some(state));
            }
            Some(_) if owned => self.keep_refused(path, Reason::Edited, Some(want)),
            Some(_) => self.keep_refused(path, Reason::Occupied { canon: want.canon.clone() }, Some(want)),
            None => match self.in_the_way(want) {
                Some(by) => self.keep_refused(path, Reason::Blocked { by }, Some(want)),
                None => self.write(want, None),
            },
        }
    }

    fn note_forced(&mut self, path: &RepoPath, was: State) {
        if !self.is_ours(path, was) {
            self.decision.forced.push(path.clone());
        }
    }

    fn write(&mut self, want: &Want, was: Option<State>) {
        if let Some(was) = was.filter(|was| was.id != want.state.id) {
            self.note_forced(&want.path, was);
        }
        self.kept.push((want.path.clone(), want.state));
        self.decision.edits.push(Edit::Write {
            path: want.path.clone(),
            content: want.content.clone(),
            was,
            now: want.state,
        });
    }

    fn keep_refused(&mut self, path: &RepoPath, reason: Reason, want: Option<&Want>) {
        self.kept.extend(self.lock.states(path).map(|state| (path.clone(), state)));
        let actual = self.actual.state(path);
        self.decision.refused.push(Refusal { path: path.clone(), reason, want: want.cloned(), actual });
    }

    /// A file above the path, or files below it, that this run does not remove.
    fn in_the_way(&self, want: &Want) -> Option<RepoPath> {
        let stays = |path: &RepoPath| !self.gone.contains(path);
        let above = std::iter::successors(want.path.parent(), RepoPath::parent)
            .find(|above| self.actual.state(above).is_some() && stays(above));
        above.or_else(|| {
            let mut prefix = want.path.as_bstr().to_vec();
            prefix.push(b'/');
            let files = &self.actual.files;
            let start = files.partition_point(|(p, _)| p.as_bstr() < prefix.as_slice());
            let below = files[start..].iter().take_while(|(p, _)| p.as_bstr().starts_with(&prefix));
            below.map(|(p, _)| p).find(|p| stays(p)).cloned()
        })
    }

    fn finish(mut self) -> Decision {
        let removal_first = |edit: &Edit| (edit.now().is_some(), edit.path().clone());
        if !self.decision.edits.is_sorted_by_key(removal_first) {
            self.decision.edits.sort_by_cached_key(removal_first);
        }
        self.decision.refused.sort_by(|a, b| a.path.cmp(&b.path));
        self.decision.lock = Lock::new(self.kept);
        self.decision
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
