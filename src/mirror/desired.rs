//! What the mirrors should hold.

use super::clash::{clashes, files_clash};
use super::skill::{CanonFile, CanonSkill, Flaw};
use super::variant::{Gate, Variant};
use crate::canon::blob::Missing;
use crate::canon::{Mode, State};
use crate::config::Target;
use crate::edit::Content;
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// A file that a mirror should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// Where in the mirror.
    pub path: RepoPath,
    /// What it shall hold.
    pub state: State,
    /// Where its bytes come from.
    pub content: Content,
    /// The file of the canon it mirrors.
    pub canon: RepoPath,
    /// Its skill's folder in the mirror.
    pub folder: RepoPath,
}

/// All that the mirrors should hold, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Desired {
    /// The mirrors of this run.
    pub targets: Vec<Target>,
    /// Sorted by path.
    pub wants: Vec<Want>,
    /// What cannot be mirrored, and why.
    pub left_out: Vec<LeftOut>,
    /// Folders in mirrors in whose place a link to the skill in the canon is wanted.
    pub links: BTreeSet<RepoPath>,
    /// What copies would hold where such a link is wanted, sorted by path.
    pub linked: Vec<Want>,
    /// Skills that are kept from a target, as configured.
    pub gates: Vec<Gate>,
    /// Paths in mirrors of which the canon cannot say what they should hold: they, and what lies below, stay as it is.
    pub frozen: Vec<RepoPath>,
}

/// A skill or a file that is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The skill's folder, or the file.
    pub path: RepoPath,
    /// Why.
    pub why: Why,
}

/// Why something is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// No tool could read the skill, and it was not mirrored before.
    #[error("its SKILL.md has no frontmatter that can be read; `canonry check` says why")]
    Broken,
    /// Another skill would have the same folder in a mirror, at least where case does not count.
    #[error("its folder's name is the same as that of {other}, at least where case does not count; rename one")]
    Clash {
        /// The other skill.
        other: RepoPath,
    },
    /// Two of its files would be one where case does not count.
    #[error("the names of {file} and {other} are the same where case does not count; rename one")]
    FilesClash {
        /// One file.
        file: RepoPath,
        /// The other.
        other: RepoPath,
    },
    /// A link in a skill's place that leads to nothing.
    #[error("{0}")]
    DeadLink(Missing),
    /// A merge is not resolved yet.
    #[error("{file} holds the conflict of a merge; resolve it, then run `canonry sync` again")]
    Unmerged {
        /// The file.
        file: RepoPath,
    },
    /// The file system refuses, or it is no file.
    #[error(
        "it cannot be read; put a plain file there and give yourself the right to read it, or take it out of the canon"
    )]
    Unreadable,
    /// A link that leaves the repository.
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside {
        /// The link's text.
        target: String,
    },
    /// A link is wanted where git checks out none.
    #[error(
        "a link to it is wanted, and this checkout has no links (`core.symlinks` is false); say `mode: copy` in the config, \
         or allow links in the system, then `git config core.symlinks true`"
    )]
    NoLinks,
    /// A name with control characters.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// A commit of another repository.
    #[error("it is a submodule")]
    Submodule,
    /// A file of the canon of which a tool's file cannot be made.
    #[error("{0}")]
    Unusable(String),
}

/// How a skill's folder in a mirror stands before anything is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing in it is ours.
    New,
    /// Sync owns a part of it.
    Before,
    /// It is known to hold what the canon holds: there is nothing to decide about it.
    InStep,
}

/// What `targets` should hold of `skills`, given how each folder in a mirror stands.
pub fn desired(
    skills: &[CanonSkill],
    targets: &[Target],
    hash: Kind,
    standing: impl Fn(&RepoPath) -> Standing,
) -> Desired {
    let mut desired = Desired { targets: targets.to_vec(), ..Desired::default() };
    let clashes = clashes(skills);
    for skill in skills {
        let folders = desired.admitted(skill);
        if let Some(why) = left_out(skill, &clashes) {
            desired.leave_out(&skill.path, why);
            desired.frozen.extend(folders.into_iter().map(|(folder, _)| folder));
            continue;
        }
        let standings = folders.into_iter().map(|(folder, variant)| (standing(&folder), folder, variant));
        let mut standings = standings.filter(|(standing, ..)| *standing != Standing::InStep).collect::<Vec<_>>();
        if skill.flaw.is_some() && standings.iter().any(|(standing, ..)| *standing == Standing::New) {
            desired.leave_out(&skill.path, Why::Broken);
            standings.retain(|(standing, ..)| *standing == Standing::Before);
        }
        let (links, copies): (Vec<_>, Vec<_>) = standings.into_iter().partition(|(.., variant)| variant.is_some());
        let folders = |list: Vec<(Standing, RepoPath, _)>| list.into_iter().map(|(_, folder, _)| folder).collect();
        let (links, mut copies): (Vec<RepoPath>, Vec<RepoPath>) = (folders(links), folders(copies));
        if may_be_linked(skill) {
            desired.link(skill, &links, hash)
        } else {
            copies.extend(links)
        }
        desired.add(skill, &copies, hash);
    }
    for wants in [&mut desired.wants, &mut desired.linked] {
        wants.sort_by(|a, b| a.path.cmp(&b.path));
    }
    desired.frozen.sort();
    desired.frozen.dedup();
    desired
}

/// Why nobody can say what the mirrors of a skill should hold.
fn left_out(skill: &CanonSkill, clashes: &BTreeMap<RepoPath, RepoPath>) -> Option<Why> {
    match (clashes.get(&skill.path), &skill.flaw) {
        (Some(other), _) => Some(Why::Clash { other: other.clone() }),
        (None, Some(Flaw::DeadLink(missing))) => Some(Why::DeadLink(missing.clone())),
        (None, Some(Flaw::Unmerged(file))) => Some(Why::Unmerged { file: file.clone() }),
        (None, None | Some(Flaw::Broken)) => {
            files_clash(skill).map(|(file, other)| Why::FilesClash { file: file.clone(), other: other.clone() })
        }
    }
}

/// What a copy of a file holds.
fn want(file: &CanonFile, skill: &CanonSkill, folder: &RepoPath, hash: Kind) -> Want {
    let below = file.path.below(&skill.path).unwrap_or_default();
    let path = folder.join(below);
    let (content, state) = content(file, skill, &path, hash);
    Want { path, state, content, canon: file.path.clone(), folder: folder.clone() }
}

impl Desired {
    /// A skill's folders in the mirrors that the config lets it into, each with how it gets there; those that it is kept
    /// from are noted.
    fn admitted(&mut self, skill: &CanonSkill) -> Vec<(RepoPath, Option<Variant>)> {
        let mut folders = Vec::with_capacity(self.targets.len());
        let frozen = self.frozen.len();
        for target in self.targets.clone() {
            let folder = target.skills_root().join(skill.path.file_name());
            match skill.variants.get(&target) {
                Some(Variant::LeftOut) => self.gates.push(Gate { skill: skill.path.clone(), target }),
                Some(Variant::NoLink) if may_be_linked(skill) => self.frozen.push(folder),
                variant => folders.push((folder, variant.copied())),
            }
        }
        if self.frozen.len() > frozen {
            self.leave_out(&skill.path, Why::NoLinks);
        }
        folders
    }

    /// Links in some folders' places, and what copies would hold there.
    fn link(&mut self, skill: &CanonSkill, folders: &[RepoPath], hash: Kind) {
        for folder in folders {
            let Some((content, state)) = link_to(&skill.path, folder, hash) else { continue };
            let (path, canon) = (folder.clone(), skill.path.clone());
            self.wants.push(Want { path, state, content, canon, folder: folder.clone() });
            self.links.insert(folder.clone());
            self.linked.extend(skill.files.iter().map(|file| want(file, skill, folder, hash)));
        }
    }

    /// Every file of the canon that some mirror shows, as a copy or through a link.
    pub fn sources(&self) -> impl Iterator<Item = &RepoPath> {
        let copies = self.wants.iter().filter(|want| !self.links.contains(&want.path));
        copies.chain(&self.linked).map(|want| &want.canon)
    }

    /// What is wanted at a path, or would be if a copy were.
    pub fn copy_at(&self, path: &RepoPath) -> Option<&Want> {
        let find = |wants: &'_ [Want]| wants.binary_search_by(|want| want.path.cmp(path)).ok();
        find(&self.wants).map(|at| &self.wants[at]).or_else(|| find(&self.linked).map(|at| &self.linked[at]))
    }

    fn leave_out(&mut self, path: &RepoPath, why: Why) {
        self.left_out.push(LeftOut { path: path.clone(), why });
    }

    fn add(&mut self, skill: &CanonSkill, folders: &[RepoPath], hash: Kind) {
        for path in &skill.unreadable {
            self.leave_out(path, Why::Unreadable);
            let below = path.below(&skill.path).unwrap_or_default();
            self.frozen.extend(folders.iter().map(|folder| folder.join(below)));
        }
        for file in &skill.files {
            if let Some(why) = unfit(file) {
                self.leave_out(&file.path, why);
                continue;
            }
            self.wants.extend(folders.iter().map(|folder| want(file, skill, folder, hash)));
        }
    }
}

fn unfit(file: &CanonFile) -> Option<Why> {
    if file.path.has_control_bytes() {
        return Some(Why::ControlCharacters);
    }
    match (&file.link, file.state.mode) {
        (_, Mode::Submodule) => Some(Why::Submodule),
        (Some(target), _) if file.path.resolve_beside(target).is_none() => {
            Some(Why::LinkOutside { target: target.to_str_lossy().into_owned() })
        }
        _ => None,
    }
}

/// A link that stays in its skill is the same in the mirror. One that leaves it would lead elsewhere from there, so it
/// gets the text that leads to the same file.
fn content(file: &CanonFile, skill: &CanonSkill, path: &RepoPath, hash: Kind) -> (Content, State) {
    let Some(text) = &file.link else { return (Content::CopyOf(file.path.clone()), file.state) };
    let same = (Content::Link(text.clone()), file.state);
    let Some(target) = file.path.resolve_beside(text) else { return same };
    let inside = file.path != skill.path && target.is_within(&skill.path);
    if inside || path.resolve_beside(text).as_ref() == Some(&target) {
        return same;
    }
    link_to(&target, path, hash).unwrap_or(same)
}

/// A link that leads from `path` to `target`.
pub(super) fn link_to(target: &RepoPath, path: &RepoPath, hash: Kind) -> Option<(Content, State)> {
    let text = target.relative_to(&path.parent()?);
    let id = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &text).ok()?;
    Some((Content::Link(text), State { id, mode: Mode::Link }))
}

/// Whether a link to a skill shows a tool what a copy would: nothing of it is left out, and it is a folder of its own.
fn may_be_linked(skill: &CanonSkill) -> bool {
    let is_link = skill.files.iter().any(|file| file.path == skill.path);
    !is_link && skill.unreadable.is_empty() && skill.files.iter().all(|file| unfit(file).is_none())
}
