//! Plans the adoption of whole skills from tool folders, for `init`. A skill is adopted completely or not at all.

use super::adopt::{AdoptContext, AdoptReader, Adoption, adopt_files, unfit};
use super::adopt_error::AdoptError;
use super::merge::MergeError;
use super::{MirrorRoot, fold_name};
use bstr::BString;
use canonry_model::canon::inventory::{Inventory, is_skill_document};
use canonry_model::canon::{FileMode, FileState, Layout, TreeEntry};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The number of files that an error names; the rest is counted.
const MAX_NAMED_FILES: usize = 3;

/// The changes of an adoption of skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillAdoption {
    /// Changes to the canon, and the new lock.
    pub adoption: Adoption,
    /// The adopted skills by name, with the tool folders that become owned.
    pub skills: Vec<(String, Vec<RepoPath>)>,
    /// Skills that stay in their tool folder.
    pub refused: Vec<(RepoPath, SkillAdoptError)>,
    /// The folded names of all skills in tool folders, see [`fold_name`].
    pub names: BTreeSet<String>,
}

/// Why a skill is not adopted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillAdoptError {
    /// Another tool, or the canon, has a different skill of the same name.
    #[error("{other} is a different skill of the same name ({files}); both stay where they are")]
    Differs {
        other: RepoPath,
        /// The names of the files that differ.
        files: String,
    },
    #[error("its name equals that of {other} if case is ignored")]
    CaseClash { other: RepoPath },
    /// The same skill is in a category in only one of the two folders.
    #[error("{other} is the same skill at another depth; keep it in one place")]
    DifferentDepth { other: RepoPath },
    #[error("{path}: {error}")]
    InvalidFile { path: RepoPath, error: AdoptError },
    #[error("{path} cannot be read; check its permissions")]
    Unreadable { path: RepoPath },
    #[error("it is a broken link")]
    BrokenLink,
}

/// Access to file content.
pub struct SkillAdoptReader<'a> {
    /// Returns the text of the link at a path; `None` for anything else.
    pub link_text: &'a dyn Fn(&RepoPath) -> Option<BString>,
    /// Checks whether the link at a path is broken.
    pub is_broken_link: &'a dyn Fn(&RepoPath) -> bool,
    /// Checks whether the tool would get the document at the first path unchanged if the second path held it.
    pub renders_unchanged: &'a dyn Fn(&RepoPath, &RepoPath) -> bool,
    /// Files that stay in the tool folder, because git would ignore them in the canon.
    pub excluded: &'a BTreeSet<RepoPath>,
    /// The folders of the canonical skills by folded name, see [`fold_name`].
    pub canon: &'a BTreeMap<String, RepoPath>,
}

/// A skill in a tool folder.
struct ToolSkill<'a> {
    folder: RepoPath,
    /// The path below the root of the tool: the name, with a category before it.
    below: BString,
    /// For a linked skill, only the link.
    files: Vec<&'a (RepoPath, FileState)>,
}

impl ToolSkill<'_> {
    /// Returns the file states by path below the folder.
    fn content(&self) -> BTreeMap<BString, FileState> {
        let below = |path: &RepoPath| path.below(&self.folder).unwrap_or_default().to_owned();
        self.files.iter().map(|(path, state)| (below(path), *state)).collect()
    }

    fn is_link(&self) -> bool {
        matches!(self.files.as_slice(), [(path, _)] if *path == self.folder)
    }
}

/// Plans the adoption of every skill in the tool folders that is not owned yet. A skill that several tools have with the
/// same content is adopted once and becomes owned in all of them. A skill that differs between tools, or from the canon, is
/// refused.
pub fn adopt_skills(context: &AdoptContext<'_>, layout: &Layout, reader: &SkillAdoptReader<'_>) -> SkillAdoption {
    let mut result = SkillAdoption::default();
    let mut groups: BTreeMap<String, Vec<ToolSkill<'_>>> = BTreeMap::new();
    for skill in tool_skills(context, layout, reader) {
        groups.entry(fold_name(skill.folder.file_name())).or_default().push(skill);
    }
    result.names = groups.keys().cloned().collect();
    let mut files = Vec::new();
    let mut links = Vec::new();
    for group in groups.into_values() {
        let is_owned =
            |skill: &ToolSkill<'_>| context.lock.owns_below(&skill.folder) || context.lock.owns(&skill.folder);
        let group = group.into_iter().filter(|skill| !is_owned(skill) && !leads_to_canon(skill, context, reader));
        let (aliases, group): (Vec<_>, Vec<_>) = group.partition(|skill| leads_to_tool(skill, context));
        let Some(first) = group.first().or(aliases.first()) else { continue };
        let errors = errors(&group, context, reader);
        if errors.is_empty() {
            let folders = group.iter().chain(&aliases).map(|skill| skill.folder.clone()).collect();
            result.skills.push((first.folder.file_name_lossy(), folders));
            files.extend(group.iter().flat_map(|skill| skill.files.iter().copied()));
            links.extend(aliases.iter().flat_map(|skill| skill.files.iter().map(|file| (*file).clone())));
        }
        result.refused.extend(errors);
    }
    // A difference to the canon is an error, so there is never anything to merge.
    let adopt_reader = AdoptReader {
        link_text: reader.link_text,
        merge: &|_, _, _| Err(MergeError::Impossible),
        renders_unchanged: reader.renders_unchanged,
        canon_state: &|_| None,
        renamed: &|_| None,
    };
    result.adoption = adopt_files(files.into_iter(), context, &layout.skills(), &adopt_reader);
    result.adoption.lock = result.adoption.lock.with(links);
    let refused = std::mem::take(&mut result.adoption.refused).into_iter();
    let refused = refused.map(|(path, error)| (path.clone(), SkillAdoptError::InvalidFile { path, error }));
    result.refused.extend(refused);
    result
}

/// Lists the skills in the tool folders: the outermost folders with a document, and links in place of a skill. A document
/// directly in the root of a tool does not count, because it would make all other skills part of one.
fn tool_skills<'a>(context: &AdoptContext<'a>, layout: &Layout, reader: &SkillAdoptReader<'_>) -> Vec<ToolSkill<'a>> {
    let mut skills = Vec::new();
    let state = context.state;
    let targets = Target::with_all(context.desired.targets.iter().copied());
    for target in targets.into_iter().filter(|target| *state.root(*target) == MirrorRoot::Folder) {
        let root = target.skills_root();
        let is_at_root = |path: &RepoPath| path.parent().as_ref() == Some(&root);
        let counts = |path: &RepoPath| path.is_within(&root) && !(is_at_root(path) && is_skill_document(path));
        let files: Vec<&(RepoPath, FileState)> = state.files.iter().filter(|(path, _)| counts(path)).collect();
        let entries: Vec<TreeEntry> =
            files.iter().map(|(path, state)| TreeEntry { path: path.clone(), mode: state.mode }).collect();
        let inventory = Inventory::from_entries(&entries, layout);
        for skill in inventory.skills.into_iter().filter(|skill| skill.nested_in.is_none()) {
            let start = files.partition_point(|(path, _)| *path < skill.path);
            let inside = files[start..].iter().take_while(|(path, _)| path.as_bstr().starts_with(skill.path.as_bstr()));
            let inside = inside.filter(|(path, _)| path.is_within(&skill.path) && !reader.excluded.contains(path));
            let below = skill.path.below(&root).unwrap_or_default().to_owned();
            skills.push(ToolSkill { below, files: inside.copied().collect(), folder: skill.path });
        }
        let is_skill = |path: &RepoPath| is_at_root(path) && !path.file_name().contains(&b'.');
        let linked = files.iter().filter(|(path, state)| state.mode == FileMode::Link && is_skill(path));
        skills.extend(linked.map(|file| ToolSkill {
            folder: file.0.clone(),
            below: file.0.file_name().to_owned(),
            files: vec![file],
        }));
    }
    skills
}

/// Follows a link in place of a skill to its final destination, if the folder there has the same name.
fn destination<'a>(skill: &'a ToolSkill<'_>, context: &'a AdoptContext<'_>) -> Option<&'a RepoPath> {
    let links = &context.state.links;
    let first = links.get(&skill.folder).filter(|_| skill.is_link())?;
    let last = std::iter::successors(Some(first), |to| links.get(*to)).take(links.len()).last()?;
    (last.file_name() == skill.folder.file_name() && *last != skill.folder).then_some(last)
}

/// Checks for a link to the canonical skill. Sync accepts such a link as a mirror.
fn leads_to_canon(skill: &ToolSkill<'_>, context: &AdoptContext<'_>, reader: &SkillAdoptReader<'_>) -> bool {
    destination(skill, context).is_some_and(|to| reader.canon.values().any(|folder| folder == to))
}

/// Checks for a link to the skill in another tool folder. Such a link becomes a copy.
fn leads_to_tool(skill: &ToolSkill<'_>, context: &AdoptContext<'_>) -> bool {
    let is_skill = |to: &RepoPath| context.state.files.iter().any(|(path, _)| path != to && path.is_within(to));
    destination(skill, context).is_some_and(is_skill)
}

/// Returns why the skills of one name are not adopted; empty if they are.
fn errors(
    group: &[ToolSkill<'_>],
    context: &AdoptContext<'_>,
    reader: &SkillAdoptReader<'_>,
) -> Vec<(RepoPath, SkillAdoptError)> {
    let Some(first) = group.first() else { return Vec::new() };
    let content = first.content();
    let mut found: Vec<(RepoPath, SkillAdoptError)> = Vec::new();
    for skill in group {
        let other = || first.folder.clone();
        let error = invalid_file(skill, reader).or_else(|| canon_conflict(skill, context, reader));
        let error = error.or_else(|| {
            if skill.folder.file_name() != first.folder.file_name() {
                Some(SkillAdoptError::CaseClash { other: other() })
            } else if skill.content() != content {
                let files = describe_differences(&skill.content(), &content);
                Some(SkillAdoptError::Differs { other: other(), files })
            } else if skill.below != first.below {
                Some(SkillAdoptError::DifferentDepth { other: other() })
            } else {
                None
            }
        });
        found.extend(error.map(|error| (skill.folder.clone(), error)));
    }
    found
}

fn invalid_file(skill: &ToolSkill<'_>, reader: &SkillAdoptReader<'_>) -> Option<SkillAdoptError> {
    if skill.is_link() && (reader.is_broken_link)(&skill.folder) {
        return Some(SkillAdoptError::BrokenLink);
    }
    skill.files.iter().find_map(|(path, state)| match unfit(path, reader.link_text) {
        Some(error) => Some(SkillAdoptError::InvalidFile { path: path.clone(), error }),
        // The survey gives unreadable files a null id.
        None => state.id.is_null().then(|| SkillAdoptError::Unreadable { path: path.clone() }),
    })
}

/// Compares with the canonical skill of the same name, which never changes: the tool's copy must have no other files and no
/// other content.
fn canon_conflict(
    skill: &ToolSkill<'_>,
    context: &AdoptContext<'_>,
    reader: &SkillAdoptReader<'_>,
) -> Option<SkillAdoptError> {
    let name = fold_name(skill.folder.file_name());
    let other = reader.canon.get(&name)?;
    if other.file_name() != skill.folder.file_name() {
        return Some(SkillAdoptError::CaseClash { other: other.clone() });
    }
    let desired = &context.desired.files;
    let desired = &desired[desired.partition_point(|file| file.path < skill.folder)..];
    let desired = desired.iter().take_while(|file| file.path.as_bstr().starts_with(skill.folder.as_bstr()));
    let desired = desired.filter(|file| file.path.is_within(&skill.folder));
    let canon: BTreeMap<BString, FileState> =
        desired.map(|file| (file.path.below(&skill.folder).unwrap_or_default().to_owned(), file.state)).collect();
    // An interrupted run may have recorded a canonical file that it did not write yet. It is written now.
    let is_pending = |below: &BString| context.lock.owns(&other.join(below));
    let is_same =
        |(below, state): &(BString, FileState)| canon.get(below).map_or_else(|| is_pending(below), |own| own == state);
    let different: BTreeMap<BString, FileState> = skill.content().into_iter().filter(|file| !is_same(file)).collect();
    (!different.is_empty()).then(|| SkillAdoptError::Differs {
        other: other.clone(),
        files: describe_differences(&different, &BTreeMap::new()),
    })
}

/// Names the files that differ, such as `SKILL.md, notes.md differ`.
fn describe_differences(one: &BTreeMap<BString, FileState>, other: &BTreeMap<BString, FileState>) -> String {
    let all: BTreeSet<&BString> = one.keys().chain(other.keys()).collect();
    let different: Vec<&BString> = all.into_iter().filter(|below| one.get(*below) != other.get(*below)).collect();
    let name =
        |below: &&BString| if below.is_empty() { "a link".to_owned() } else { RepoPath::new(below).to_display() };
    let mut words: Vec<String> = different.iter().take(MAX_NAMED_FILES).map(name).collect();
    if different.len() > MAX_NAMED_FILES {
        words.push(format!("{} more", different.len() - MAX_NAMED_FILES));
    }
    format!("{} {}", words.join(", "), if different.len() == 1 { "differs" } else { "differ" })
}

#[cfg(test)]
#[path = "adopt_skills_tests.rs"]
mod tests;
