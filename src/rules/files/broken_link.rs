//! See `broken_link.md`.

use super::target::{Named, Target, targets};
use crate::canon::Mode;
use crate::canon::skill::Skill;
use crate::finding::{Draft, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};
use crate::syntax::{RepoPath, Source};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "broken-link",
    summary: "a link or path that leads to no file of the skill",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("broken_link.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(source) = skill.source() else { return };
    for named in targets(skill) {
        let Target::Inside(path) = &named.target else { continue };
        if !exists(skill, path) {
            drafts.push(draft(skill, source, &named, path));
        }
    }
}

/// The files that broken links most likely mean, by their paths in the skill.
pub(super) fn meant_by_broken_links(skill: &Skill) -> Vec<String> {
    let broken = targets(skill).into_iter().filter_map(|named| match named.target {
        Target::Inside(path) if !exists(skill, &path) => Some(path),
        _ => None,
    });
    broken.filter_map(|path| meant(skill, &path)).collect()
}

/// What lies behind a link to a folder, or in another repository, is not among the skill's files: it is not judged.
fn exists(skill: &Skill, path: &RepoPath) -> bool {
    let leads_away =
        |above: &RepoPath| skill.file(above).is_some_and(|e| matches!(e.mode, Mode::Link | Mode::Submodule));
    skill.file(path).is_some()
        || skill.has_folder(path)
        || std::iter::successors(path.parent(), RepoPath::parent).any(|above| leads_away(&above))
}

fn draft(skill: &Skill, source: &Arc<Source>, named: &Named<'_>, path: &RepoPath) -> Draft {
    let draft = named.draft(source, format!("`{}` leads to no file of the skill", named.text));
    draft.help(match meant(skill, path) {
        Some(file) => format!("did you mean `{file}`?"),
        None => "add the file, or correct the path; it counts from the skill's folder".to_owned(),
    })
}

/// The file that differs only in case, else the only one of the same name in another folder, else one with a slip of
/// one letter (paths share folders and extensions, so that more says nothing).
fn meant(skill: &Skill, path: &RepoPath) -> Option<String> {
    let folder = &skill.folder.path;
    let inside = |path: &RepoPath| path.below(folder).map(ToString::to_string);
    let wanted = inside(path)?;
    let files: Vec<String> = skill.folder.files.iter().filter_map(|e| inside(&e.path)).collect();
    let same_letters = files.iter().find(|file| file.eq_ignore_ascii_case(&wanted));
    let mut same_name =
        skill.folder.files.iter().filter(|e| e.path.file_name() == path.file_name()).filter_map(|e| inside(&e.path));
    let only = same_name.next().filter(|_| same_name.next().is_none());
    let near = || files.iter().find(|file| strsim::damerau_levenshtein(file, &wanted) == 1);
    same_letters.cloned().or(only).or_else(|| near().cloned())
}
