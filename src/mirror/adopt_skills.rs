//! What `init` takes over from the tools' folders: whole skills, each as it stands, or not at all.

use super::adopt::{AdoptContext, AdoptError, AdoptReader, Adoption, adopt_files, unfit};
use super::merge::MergeOutcome;
use super::{MirrorRoot, fold_name};
use crate::canon::inventory::{Inventory, is_skill_document};
use crate::canon::{FileMode, FileState, Layout, TreeEntry};
use crate::config::Target;
use crate::syntax::RepoPath;
use gix::bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// Files named in a reason; the rest is counted.
const NAMED: usize = 3;

/// What is taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillAdoption {
    /// Changes to the canon, and the lock with what is ours from now on.
    pub adoption: Adoption,
    /// The skills that are taken, by name, with the folders in which they are ours from now on.
    pub skills: Vec<(String, Vec<RepoPath>)>,
    /// What is left as it is, and why.
    pub refused: Vec<(RepoPath, SkillAdoptError)>,
    /// The names of all skills in the tools' folders, as [`folded`] gives them.
    pub names: BTreeSet<String>,
}

/// Why a skill of a tool's folder stays there alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillAdoptError {
    /// Another tool, or the canon, has a skill of that name that is not the same.
    #[error("{other} is another skill of that name ({files}); both are kept, and neither is taken over")]
    Differs {
        /// The other one's folder.
        other: RepoPath,
        /// What differs, in words.
        files: String,
    },
    /// The names are the same where case does not count.
    #[error("its name is the same as that of {other} where case does not count")]
    CaseClash {
        /// The other one's folder.
        other: RepoPath,
    },
    /// The same skill, in a category here and not there.
    #[error("{other} is the same skill at another depth; keep it in one place")]
    DifferentDepth {
        /// The other one's folder.
        other: RepoPath,
    },
    /// A file of it that no canon can hold.
    #[error("{path}: {cause}")]
    InvalidFile {
        /// The file.
        path: RepoPath,
        /// Why.
        cause: AdoptError,
    },
    /// A file of it that the file system refuses to give.
    #[error("{path} cannot be read; give yourself the right to read it")]
    Unreadable {
        /// The file.
        path: RepoPath,
    },
    /// A link in a skill's place that leads to nothing.
    #[error("it is a link that leads to nothing")]
    BrokenLink,
}

/// How the take-over looks at what it is given.
pub struct SkillAdoptReader<'a> {
    /// The text of the link at a path; `None` where it is none.
    pub link_text: &'a dyn Fn(&RepoPath) -> Option<BString>,
    /// Whether the link at a path leads to nothing.
    pub is_dead: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether a document, once the file at the second path holds it, is what the tool of the first gets of that.
    pub is_settled: &'a dyn Fn(&RepoPath, &RepoPath) -> bool,
    /// Files that stay where they are, since git would ignore them in the canon.
    pub left_out: &'a BTreeSet<RepoPath>,
    /// The folders of the canon's own skills, by their names as [`folded`] gives them.
    pub canon: &'a BTreeMap<String, RepoPath>,
}

/// A skill in a tool's folder.
struct Unit<'a> {
    folder: RepoPath,
    /// The folder below the tool's root: the name, and a category before it.
    below: BString,
    /// For a link in the skill's place, the link alone.
    files: Vec<&'a (RepoPath, FileState)>,
}

impl Unit<'_> {
    /// What it holds, by the path in it.
    fn content(&self) -> BTreeMap<BString, FileState> {
        let below = |path: &RepoPath| path.below(&self.folder).unwrap_or_default().to_owned();
        self.files.iter().map(|(path, state)| (below(path), *state)).collect()
    }

    fn is_link(&self) -> bool {
        matches!(self.files.as_slice(), [(path, _)] if *path == self.folder)
    }
}

/// Takes over every skill in the tools' folders that is not ours yet. A skill that several tools have with the same
/// content is taken once and is ours in all of them; one that differs from tool to tool, or from the canon's, is not
/// taken.
pub fn adopt_skills(seen: &AdoptContext<'_>, layout: &Layout, look: &SkillAdoptReader<'_>) -> SkillAdoption {
    let mut over = SkillAdoption::default();
    let mut groups: BTreeMap<String, Vec<Unit<'_>>> = BTreeMap::new();
    for unit in units(seen, layout, look) {
        groups.entry(fold_name(unit.folder.file_name())).or_default().push(unit);
    }
    over.names = groups.keys().cloned().collect();
    let (mut files, mut links) = (Vec::new(), Vec::new());
    for group in groups.into_values() {
        let ours = |unit: &Unit<'_>| seen.lock.owns_below(&unit.folder) || seen.lock.owns(&unit.folder);
        let group = group.into_iter().filter(|unit| !ours(unit) && !leads_to_canon(unit, seen, look));
        let (aliases, group): (Vec<_>, Vec<_>) = group.partition(|unit| leads_to_tool(unit, seen));
        let Some(first) = group.first().or(aliases.first()) else { continue };
        let obstacles = obstacles(&group, seen, look);
        if obstacles.is_empty() {
            let folders = group.iter().chain(&aliases).map(|unit| unit.folder.clone()).collect();
            over.skills.push((first.folder.file_name_lossy(), folders));
            files.extend(group.iter().flat_map(|unit| unit.files.iter().copied()));
            links.extend(aliases.iter().flat_map(|unit| unit.files.iter().map(|file| (*file).clone())));
        }
        over.refused.extend(obstacles);
    }
    // What differs from the canon is an obstacle, so that nothing is left to merge.
    let reads = AdoptReader {
        link_text: look.link_text,
        merge: &|_, _, _| MergeOutcome::Impossible,
        is_settled: look.is_settled,
    };
    over.adoption = adopt_files(files.into_iter(), seen, &layout.skills(), &reads);
    over.adoption.lock = over.adoption.lock.with(links);
    let odd = std::mem::take(&mut over.adoption.refused).into_iter();
    over.refused.extend(odd.map(|(path, cause)| (path.clone(), SkillAdoptError::InvalidFile { path, cause })));
    over
}

/// The skills in the tools' folders: the outermost folders with a document, and links in a skill's place. A document
/// in a tool's root would make one skill of all the others, and is none.
fn units<'a>(seen: &AdoptContext<'a>, layout: &Layout, look: &SkillAdoptReader<'_>) -> Vec<Unit<'a>> {
    let mut units = Vec::new();
    for target in Target::ALL.into_iter().filter(|target| *seen.actual.root(*target) == MirrorRoot::Folder) {
        let root = target.skills_root();
        let beside = |path: &RepoPath| path.parent().as_ref() == Some(&root);
        let meant = |path: &RepoPath| path.is_within(&root) && !(beside(path) && is_skill_document(path));
        let files: Vec<&(RepoPath, FileState)> = seen.actual.files.iter().filter(|(path, _)| meant(path)).collect();
        let entries: Vec<TreeEntry> =
            files.iter().map(|(path, state)| TreeEntry { path: path.clone(), mode: state.mode }).collect();
        for skill in
            Inventory::from_entries(&entries, layout).skills.into_iter().filter(|skill| skill.nested_in.is_none())
        {
            let start = files.partition_point(|(path, _)| *path < skill.path);
            let inside = files[start..].iter().take_while(|(path, _)| path.as_bstr().starts_with(skill.path.as_bstr()));
            let inside = inside.filter(|(path, _)| path.is_within(&skill.path) && !look.left_out.contains(path));
            let below = skill.path.below(&root).unwrap_or_default().to_owned();
            units.push(Unit { below, files: inside.copied().collect(), folder: skill.path });
        }
        let is_skill = |path: &RepoPath| beside(path) && !path.file_name().contains(&b'.');
        let linked = files.iter().filter(|(path, state)| state.mode == FileMode::Link && is_skill(path));
        units.extend(linked.map(|file| Unit {
            folder: file.0.clone(),
            below: file.0.file_name().to_owned(),
            files: vec![file],
        }));
    }
    units
}

/// Where the link in a skill's place leads, over others where need be, if the skill there has the same name.
fn leads_to<'a>(unit: &'a Unit<'_>, seen: &'a AdoptContext<'_>) -> Option<&'a RepoPath> {
    let first = seen.actual.links.get(&unit.folder).filter(|_| unit.is_link())?;
    let last = std::iter::successors(Some(first), |to| seen.actual.links.get(*to)).take(Target::ALL.len()).last()?;
    (last.file_name() == unit.folder.file_name() && *last != unit.folder).then_some(last)
}

/// Such a link stands for the skill of the canon itself: sync takes it for a mirror as it is.
fn leads_to_canon(unit: &Unit<'_>, seen: &AdoptContext<'_>, look: &SkillAdoptReader<'_>) -> bool {
    leads_to(unit, seen).is_some_and(|to| look.canon.values().any(|folder| folder == to))
}

/// Such a link becomes a copy like the others.
fn leads_to_tool(unit: &Unit<'_>, seen: &AdoptContext<'_>) -> bool {
    let is_skill = |to: &RepoPath| seen.actual.files.iter().any(|(path, _)| path != to && path.is_within(to));
    leads_to(unit, seen).is_some_and(is_skill)
}

/// Why the skills of one name are not taken over; nothing where they are.
fn obstacles(
    group: &[Unit<'_>],
    seen: &AdoptContext<'_>,
    look: &SkillAdoptReader<'_>,
) -> Vec<(RepoPath, SkillAdoptError)> {
    let Some(first) = group.first() else { return Vec::new() };
    let content = first.content();
    let mut found: Vec<(RepoPath, SkillAdoptError)> = Vec::new();
    for unit in group {
        let other = || first.folder.clone();
        let obstacle = unfit_file(unit, look).or_else(|| against_canon(unit, seen, look)).or_else(|| match () {
            () if unit.folder.file_name() != first.folder.file_name() => {
                Some(SkillAdoptError::CaseClash { other: other() })
            }
            () if unit.content() != content => {
                Some(SkillAdoptError::Differs { other: other(), files: differing(&unit.content(), &content) })
            }
            () if unit.below != first.below => Some(SkillAdoptError::DifferentDepth { other: other() }),
            () => None,
        });
        found.extend(obstacle.map(|obstacle| (unit.folder.clone(), obstacle)));
    }
    found
}

fn unfit_file(unit: &Unit<'_>, look: &SkillAdoptReader<'_>) -> Option<SkillAdoptError> {
    if unit.is_link() && (look.is_dead)(&unit.folder) {
        return Some(SkillAdoptError::BrokenLink);
    }
    unit.files.iter().find_map(|(path, state)| match unfit(path, look.link_text) {
        Some(cause) => Some(SkillAdoptError::InvalidFile { path: path.clone(), cause }),
        // As the survey marks what it could not read.
        None => state.id.is_null().then(|| SkillAdoptError::Unreadable { path: path.clone() }),
    })
}

/// A skill of the canon stays as it is: what a tool has of it must be the same, and no file beyond it.
fn against_canon(unit: &Unit<'_>, seen: &AdoptContext<'_>, look: &SkillAdoptReader<'_>) -> Option<SkillAdoptError> {
    let name = fold_name(unit.folder.file_name());
    let other = look.canon.get(&name)?;
    if other.file_name() != unit.folder.file_name() {
        return Some(SkillAdoptError::CaseClash { other: other.clone() });
    }
    let wants = &seen.desired.files[seen.desired.files.partition_point(|want| want.path < unit.folder)..];
    let wants = wants.iter().take_while(|want| want.path.as_bstr().starts_with(unit.folder.as_bstr()));
    let wants = wants.filter(|want| want.path.is_within(&unit.folder));
    let canon: BTreeMap<BString, FileState> =
        wants.map(|want| (want.path.below(&unit.folder).unwrap_or_default().to_owned(), want.state)).collect();
    // What an unfinished run was about to write is ours as well, and is written now.
    let due = |below: &BString| seen.lock.owns(&other.join(below));
    let same = |(below, state): &(BString, FileState)| canon.get(below).map_or_else(|| due(below), |own| own == state);
    let strange: BTreeMap<BString, FileState> = unit.content().into_iter().filter(|file| !same(file)).collect();
    (!strange.is_empty())
        .then(|| SkillAdoptError::Differs { other: other.clone(), files: differing(&strange, &BTreeMap::new()) })
}

/// `SKILL.md, notes.md differ`
fn differing(one: &BTreeMap<BString, FileState>, other: &BTreeMap<BString, FileState>) -> String {
    let all: BTreeSet<&BString> = one.keys().chain(other.keys()).collect();
    let different: Vec<&BString> = all.into_iter().filter(|below| one.get(*below) != other.get(*below)).collect();
    let name =
        |below: &&BString| if below.is_empty() { "a link".to_owned() } else { RepoPath::new(below).to_display() };
    let mut words: Vec<String> = different.iter().take(NAMED).map(name).collect();
    if different.len() > NAMED {
        words.push(format!("{} more", different.len() - NAMED));
    }
    format!("{} {}", words.join(", "), if different.len() == 1 { "differs" } else { "differ" })
}

#[cfg(test)]
#[path = "adopt_skills_tests.rs"]
mod tests;
