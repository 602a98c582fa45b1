//! What taking a mirror's files into the canon means.

use super::desired::link_to;
use super::{Actual, Desired, Lock, Want};
use crate::canon::State;
use crate::config::Target;
use crate::edit::{Content, Edit};
use crate::syntax::RepoPath;
use gix::bstr::{BString, ByteSlice};
use std::collections::BTreeMap;

/// What an adoption changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Changes to the canon.
    pub edits: Vec<Edit>,
    /// What cannot be adopted, and why; then nothing is.
    pub refused: Vec<(RepoPath, Cause)>,
    /// The lock with the adopted files in it.
    pub lock: Lock,
}

/// Why something cannot be adopted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The path is not below a mirror's root, or nothing stands there.
    #[error("nothing to adopt: no file of a mirror is there")]
    NotInAMirror,
    /// The path is in the folder of a tool that the canon is not mirrored for.
    #[error("`{}` is not among the targets, so {} is no mirror", .target.name(), .target.skills_root())]
    NotATarget {
        /// The tool.
        target: Target,
        /// The targets there are.
        targets: Vec<Target>,
    },
    /// A name that a line of the lock cannot hold.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// A link that leaves the repository.
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside {
        /// The link's text.
        target: String,
    },
    /// The mirror and the canon both changed since the last sync, or were never the same.
    #[error("both this file and {canon} hold something of their own")]
    BothChanged {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// The file is no copy: the canon's has another form.
    #[error("it is made from {canon}, which has another form")]
    Made {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// Two of the paths are to become the same file of the canon, and differ.
    #[error("{other} would become the same file of the canon, and differs")]
    Ambiguous {
        /// The other path.
        other: RepoPath,
    },
}

impl Cause {
    /// What to do.
    pub fn help(&self) -> String {
        match self {
            Self::NotInAMirror => "name a file or a skill's folder in a mirror, such as .claude/skills/NAME".to_owned(),
            Self::NotATarget { target, targets } => {
                let names: Vec<&str> = targets.iter().chain([target]).map(|target| target.name()).collect();
                format!(
                    "say `targets: [{}]` in the config, then adopt it; or move the skill into the canon yourself",
                    names.join(", ")
                )
            }
            Self::ControlCharacters => "rename the file, then adopt it".to_owned(),
            Self::LinkOutside { .. } => "put what it leads to in its place, then adopt it".to_owned(),
            Self::BothChanged { canon } => format!(
                "bring what you want to keep into {canon} yourself (`canonry sync --diff` shows the difference), then run `canonry sync --force`"
            ),
            Self::Made { canon } => {
                format!("carry what you want to keep over into {canon}, then run `canonry sync --force`")
            }
            Self::Ambiguous { .. } => "adopt one of them, then the other".to_owned(),
        }
    }
}

/// What adoption looks at: the canon and the mirrors at one moment.
pub struct Seen<'a> {
    /// What the mirrors should hold.
    pub desired: &'a Desired,
    /// What they hold.
    pub actual: &'a Actual,
    /// Texts of the mirrors' links.
    pub lock: &'a Lock,
}

/// Adopts every file at or below `paths`. A file that was edited replaces the canon's where the canon has not changed
/// since the last sync; a file that is not ours becomes part of the canon; one that equals the canon becomes ours.
pub fn adopt(
    paths: &[RepoPath],
    seen: &Seen<'_>,
    skills: &RepoPath,
    link_text: impl Fn(&RepoPath) -> Option<BString>,
) -> Adoption {
    let mut run = Run::new(seen, skills);
    for path in paths {
        let mut found = seen.actual.files.iter().filter(|(file, _)| file.is_within(path)).peekable();
        if found.peek().is_none() {
            run.refused.push((path.clone(), run.nothing_there(path)));
        }
        for (file, state) in found {
            run.file(file, *state, &link_text);
        }
    }
    run.finish()
}

/// Adopts these files of mirrors, each as [`adopt`] does.
pub fn adopt_files<'f>(
    files: impl Iterator<Item = &'f (RepoPath, State)>,
    seen: &Seen<'_>,
    skills: &RepoPath,
    link_text: impl Fn(&RepoPath) -> Option<BString>,
) -> Adoption {
    let mut run = Run::new(seen, skills);
    files.for_each(|(file, state)| run.file(file, *state, &link_text));
    run.finish()
}

/// Claims every mirrored file that equals the canon.
pub fn claim_all(seen: &Seen<'_>) -> Adoption {
    let equal = |want: &&Want| seen.actual.state(&want.path) == Some(want.state);
    let claimed = seen.desired.wants.iter().filter(equal).map(|want| (want.path.clone(), want.state));
    Adoption { lock: replaced(seen.lock, claimed.collect()), ..Adoption::default() }
}

struct Run<'a> {
    seen: &'a Seen<'a>,
    skills: &'a RepoPath,
    /// By the canon's path: where it is taken from, and the edit.
    edits: BTreeMap<RepoPath, (RepoPath, Edit)>,
    refused: Vec<(RepoPath, Cause)>,
    claimed: Vec<(RepoPath, State)>,
}

impl<'a> Run<'a> {
    fn new(seen: &'a Seen<'a>, skills: &'a RepoPath) -> Self {
        Self { seen, skills, edits: BTreeMap::new(), refused: Vec::new(), claimed: Vec::new() }
    }

    fn file(&mut self, path: &RepoPath, state: State, link_text: &impl Fn(&RepoPath) -> Option<BString>) {
        if let Some(cause) = unfit(path, link_text) {
            self.refused.push((path.clone(), cause));
            return;
        }
        let wants = &self.seen.desired.wants;
        let want = wants.binary_search_by(|w| w.path.cmp(path)).ok().map(|at| &wants[at]);
        let (canon, was) = match want {
            Some(want) if want.state == state => {
                self.claimed.push((path.clone(), state));
                return;
            }
            Some(want) if is_made(want) => {
                let canon = want.canon.clone();
                self.refused.push((path.clone(), Cause::Made { canon }));
                return;
            }
            Some(want) => {
                // The canon is as it was when sync last wrote: then the edit is the only change there is.
                let only_edit = self.seen.lock.states(path).any(|ours| ours == want.state);
                if !only_edit {
                    let canon = want.canon.clone();
                    self.refused.push((path.clone(), Cause::BothChanged { canon }));
                    return;
                }
                (want.canon.clone(), Some(want.state))
            }
            None => match self.canonical(path) {
                Some(canon) => (canon, None),
                None => {
                    self.refused.push((path.clone(), Cause::NotInAMirror));
                    return;
                }
            },
        };
        let (content, now) = match link_text(path) {
            Some(text) => self.link(path, &canon, (text, state)),
            None => (Content::CopyOf(path.clone()), state),
        };
        let edit = Edit::Write { path: canon.clone(), content, was, now };
        match self.edits.get(&canon) {
            Some((other, known)) if known.now() != edit.now() => {
                let other = other.clone();
                self.refused.push((path.clone(), Cause::Ambiguous { other }));
            }
            _ => {
                self.edits.insert(canon, (path.clone(), edit));
                self.claimed.push((path.clone(), state));
            }
        }
    }

    /// The link that leads from `canon` to where the one at `path` does. Where that is a file of a mirror, the canon's is
    /// meant.
    fn link(&self, path: &RepoPath, canon: &RepoPath, (text, state): (BString, State)) -> (Content, State) {
        let target = path.resolve_beside(&text).map(|target| self.canonical(&target).unwrap_or(target));
        match target {
            Some(target) if canon.resolve_beside(&text).as_ref() != Some(&target) => {
                link_to(&target, canon, state.id.kind())
            }
            _ => None,
        }
        .unwrap_or((Content::Link(text), state))
    }

    /// Why nothing is at or below a path.
    fn nothing_there(&self, path: &RepoPath) -> Cause {
        let targets = &self.seen.desired.targets;
        let meant = |target: &Target| {
            let root = target.skills_root();
            !targets.contains(target) && (path.is_within(&root) || root.is_within(path))
        };
        match Target::ALL.into_iter().find(meant) {
            Some(target) if !path.is_empty() => Cause::NotATarget { target, targets: targets.clone() },
            _ => Cause::NotInAMirror,
        }
    }

    /// Where a file that the canon does not know belongs: into the skill whose mirror its folder is, else into a new
    /// one of that name.
    fn canonical(&self, path: &RepoPath) -> Option<RepoPath> {
        let root = Target::ALL.iter().map(|t| t.skills_root()).find(|root| path.is_within(root))?;
        let mut parts = path.below(&root)?.split(|b| *b == b'/');
        let folder = root.join(parts.next().filter(|name| !name.is_empty())?);
        let below = path.below(&folder)?;
        let is_of_it = |want: &&Want| want.folder == folder && want.path != folder && !is_made(want);
        let known = self.seen.desired.wants.iter().find(is_of_it);
        let skill = known.and_then(|want| {
            let depth = want.path.below(&folder)?.split(|b| *b == b'/').count();
            std::iter::successors(Some(want.canon.clone()), RepoPath::parent).nth(depth)
        });
        Some(skill.unwrap_or_else(|| self.skills.join(folder.file_name())).join(below))
    }

    fn finish(self) -> Adoption {
        let lock = replaced(self.seen.lock, self.claimed);
        Adoption { edits: self.edits.into_values().map(|(_, edit)| edit).collect(), refused: self.refused, lock }
    }
}

/// Whether a wanted file is made from the canon's, and is neither a copy of it nor a link.
fn is_made(want: &Want) -> bool {
    matches!(want.content, Content::Bytes(_))
}

/// Why a file can stand in no canon.
pub(super) fn unfit(path: &RepoPath, link_text: &impl Fn(&RepoPath) -> Option<BString>) -> Option<Cause> {
    if path.has_control_bytes() {
        return Some(Cause::ControlCharacters);
    }
    let text = link_text(path)?;
    let leaves = path.resolve_beside(&text).is_none();
    leaves.then(|| Cause::LinkOutside { target: text.to_str_lossy().into_owned() })
}

/// The lock with these states instead of what it says of their paths.
fn replaced(lock: &Lock, claimed: Vec<(RepoPath, State)>) -> Lock {
    let claimed: BTreeMap<RepoPath, State> = claimed.into_iter().collect();
    let others = lock.entries().iter().filter(|(path, _)| !claimed.contains_key(path)).cloned();
    let mut entries: Vec<(RepoPath, State)> = others.collect();
    entries.extend(claimed);
    Lock::new(entries)
}

#[cfg(test)]
#[path = "adopt_tests.rs"]
mod tests;
