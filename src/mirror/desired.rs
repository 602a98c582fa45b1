//! What the mirrors should hold.

use crate::canon::blob::Missing;
use crate::canon::{Mode, State};
use crate::config::Target;
use crate::edit::Content;
use crate::syntax::RepoPath;
use gix::bstr::{BString, ByteSlice};
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// A canonical skill with what its files hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonSkill {
    /// Its folder, or the link that stands for it.
    pub path: RepoPath,
    /// Its files, sorted by path; for a linked skill the link alone.
    pub files: Vec<CanonFile>,
    /// Files in it whose content cannot be read.
    pub unreadable: Vec<RepoPath>,
    /// What is wrong with it as a whole.
    pub flaw: Option<Flaw>,
}

/// Why a skill is of no use to any tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// No tool could read it: then it is mirrored only where it has been before.
    Broken,
    /// It is a link that leads to nothing: then its mirrors stay as they are.
    DeadLink(Missing),
    /// Git has left the conflict of a merge in this file of it: then its mirrors stay as they are.
    Unmerged(RepoPath),
}

/// A file of a canonical skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonFile {
    /// Where.
    pub path: RepoPath,
    /// What it holds.
    pub state: State,
    /// For a link: its text.
    pub link: Option<BString>,
}

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
    /// A name with control characters.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// A commit of another repository.
    #[error("it is a submodule")]
    Submodule,
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
        let folders = targets.iter().map(|target| target.skills_root().join(skill.path.file_name()));
        if let Some(why) = left_out(skill, &clashes) {
            desired.leave_out(&skill.path, why);
            desired.frozen.extend(folders);
            continue;
        }
        let mut standings = folders.map(|folder| (standing(&folder), folder)).collect::<Vec<_>>();
        standings.retain(|(standing, _)| *standing != Standing::InStep);
        if skill.flaw.is_some() && standings.iter().any(|(standing, _)| *standing == Standing::New) {
            desired.leave_out(&skill.path, Why::Broken);
            standings.retain(|(standing, _)| *standing == Standing::Before);
        }
        let folders: Vec<RepoPath> = standings.into_iter().map(|(_, folder)| folder).collect();
        desired.add(skill, &folders, hash);
    }
    desired.wants.sort_by(|a, b| a.path.cmp(&b.path));
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

/// Two files of a skill that would be one on some file system.
fn files_clash(skill: &CanonSkill) -> Option<(&RepoPath, &RepoPath)> {
    // ASCII names of different lengths are apart, as in nearly every skill; only else are they folded.
    let length = |file: &CanonFile| file.path.as_bstr().is_ascii().then(|| file.path.as_bstr().len());
    let lengths: Option<BTreeSet<usize>> = skill.files.iter().map(length).collect();
    if lengths.is_some_and(|lengths| lengths.len() == skill.files.len()) {
        return None;
    }
    let mut seen: BTreeMap<String, &RepoPath> = BTreeMap::new();
    skill.files.iter().find_map(|file| {
        let name = folded(file.path.below(&skill.path).unwrap_or_default());
        seen.insert(name, &file.path).map(|other| (other, &file.path))
    })
}

impl Desired {
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
            for folder in folders {
                let below = file.path.below(&skill.path).unwrap_or_default();
                let path = folder.join(below);
                let (content, state) = content(file, skill, &path, hash);
                self.wants.push(Want { path, state, content, canon: file.path.clone(), folder: folder.clone() });
            }
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

/// The form under which two names are the same folder on some file system: NFKC, then lower case.
pub fn folded(name: &[u8]) -> String {
    if name.is_ascii() {
        return name.to_str_lossy().to_ascii_lowercase();
    }
    name.to_str_lossy().nfkc().collect::<String>().to_lowercase()
}

/// For each skill whose folder's name another one has too: that other one.
fn clashes(skills: &[CanonSkill]) -> BTreeMap<RepoPath, RepoPath> {
    let mut by_name: BTreeMap<String, Vec<&RepoPath>> = BTreeMap::new();
    for skill in skills {
        by_name.entry(folded(skill.path.file_name())).or_default().push(&skill.path);
    }
    let mut clashes = BTreeMap::new();
    for paths in by_name.values().filter(|paths| paths.len() > 1) {
        for path in paths {
            if let Some(other) = paths.iter().find(|other| other != &path) {
                clashes.insert((*path).clone(), (*other).clone());
            }
        }
    }
    clashes
}
