//! See `broken_link.md`.

use super::target::{Named, Target, path_of, targets, targets_of_text};
use crate::canon::FileMode;
use crate::canon::skill::Skill;
use crate::canon::skill_text::SkillText;
use crate::finding::{RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{RepoPath, Source};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "broken-link",
    summary: "a link or path that leads to no file of the skill",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("broken_link.md"),
    check: Check::Skill(check),
};

const HELP: &str = "add the file, or correct the path; it counts from the skill's folder";
const HELP_IN_TEXT: &str = "add the file, or correct the path; it counts from the folder of the file that it stands in";

fn check(skill: &Skill, findings: &mut RawFindings) {
    if let Some(source) = skill.source() {
        for named in targets(skill) {
            let Target::Inside(path) = &named.target else { continue };
            if !exists(skill, path) {
                let meant = meant(skill, path);
                findings.push(finding(source, &named, HELP, meant));
            }
        }
    }
    for text in skill.texts.iter().filter(|text| is_for_the_agent(skill, text)) {
        findings.extend(of_text(skill, text));
    }
}

/// The links of a text beside the document. They count from the text; those that hold from the skill's folder, as the
/// specification counts, are found by agents too.
fn of_text(skill: &Skill, text: &SkillText) -> Vec<RawFinding> {
    let here = text.source.path().parent().unwrap_or_default();
    let from_folder = |named: &Named<'_>| skill.path().resolve_beside(&path_of(named.text)?);
    let one = |named: &Named<'_>| {
        let Target::Inside(path) = &named.target else { return None };
        if exists(skill, path) || from_folder(named).is_some_and(|path| exists(skill, &path)) {
            return None;
        }
        let meant = meant(skill, path).map(|file| skill.folder.path.join(file).relative_to(&here).to_string());
        Some(finding(&text.source, named, HELP_IN_TEXT, meant))
    };
    targets_of_text(skill, text).iter().filter_map(one).collect()
}

/// Words of folders and of files whose texts are for somewhere else: what is made of them has its own files beside it.
const FOR_ELSEWHERE: [&str; 8] = ["asset", "template", "example", "sample", "expected", "fixture", "test", "eval"];

/// Whether a text is one that the agent reads on its way through the skill.
fn is_for_the_agent(skill: &Skill, text: &SkillText) -> bool {
    let Some(below) = text.source.path().below(&skill.folder.path) else { return false };
    let below = below.to_string().to_lowercase();
    let mut words = below.split(|c: char| !c.is_alphanumeric());
    !words.any(|word| FOR_ELSEWHERE.iter().any(|other| word == *other || word.strip_suffix('s') == Some(other)))
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
        |above: &RepoPath| skill.file(above).is_some_and(|e| matches!(e.mode, FileMode::Link | FileMode::Submodule));
    skill.file(path).is_some()
        || skill.has_folder(path)
        || std::iter::successors(path.parent(), RepoPath::parent).any(|above| leads_away(&above))
}

fn finding(source: &Arc<Source>, named: &Named<'_>, help: &str, meant: Option<String>) -> RawFinding {
    let finding = named.finding(source, format!("`{}` leads to no file of the skill", named.text));
    finding.help(match meant {
        Some(file) => format!("did you mean `{file}`?"),
        None => help.to_owned(),
    })
}

/// Among more files no guess is made: it would be one look at each of them for each broken link.
const MOST_FILES: usize = 1000;

/// The file that differs only in case, else the only one of the same name in another folder, else one with a slip of
/// one letter (paths share folders and extensions, so that more says nothing).
fn meant(skill: &Skill, path: &RepoPath) -> Option<String> {
    if skill.folder.files.len() > MOST_FILES {
        return None;
    }
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
