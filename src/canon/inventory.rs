//! What a listing of files holds: skills, plans, workflows, schema files.

use super::{Entry, Layout, Mode};
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::BTreeMap;

/// What there is to judge and to mirror, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Folders that hold a `SKILL.md`, those nested in others included.
    pub skills: Vec<SkillFolder>,
    /// Links that stand where a skill's folder would.
    pub linked_skills: Vec<Entry>,
    /// Plan files.
    pub plans: Vec<Entry>,
    /// Workflow files.
    pub workflows: Vec<Entry>,
    /// Schema files.
    pub schemas: Vec<Entry>,
}

/// A folder with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder.
    pub path: RepoPath,
    /// Its `SKILL.md`, in whatever case it is written.
    pub document: Entry,
    /// All files in it, the document and nested skills included, sorted by path.
    pub files: Vec<Entry>,
    /// The skill whose folder this one lies in: then it is part of that one's mirror and has none of its own.
    pub nested_in: Option<RepoPath>,
}

impl Inventory {
    /// Sorts out `entries`, which are sorted by path.
    pub fn of(entries: &[Entry], layout: &Layout) -> Self {
        let skills = skill_folders(entries);
        let linked_skills = linked_skills(entries, &skills, layout);
        let pick = |wanted: &dyn Fn(&RepoPath) -> bool| {
            let picked = entries.iter().filter(|e| e.mode.is_file() && wanted(&e.path));
            picked.cloned().collect::<Vec<_>>()
        };
        let schemas_folder = layout.schemas();
        let is_schema = |path: &RepoPath| path.is_within(&schemas_folder) && path.as_bstr().ends_with(b".json");
        // A link among them as well: one that leads nowhere is a workflow that cannot be read.
        let is_one = |e: &&Entry| e.mode != Mode::Submodule && is_workflow(&e.path, layout);
        let workflows = entries.iter().filter(is_one).cloned().collect();
        let is_plan = |path: &RepoPath| is_plan(path) && !is_workflow(path, layout);
        Self { plans: pick(&is_plan), workflows, schemas: pick(&is_schema), skills, linked_skills }
    }
}

/// Whether a file is a plan by its name: `plan.yaml`, `plan-7.yml`, `plan.json`; `plan-schema.json` is none.
pub fn is_plan(path: &RepoPath) -> bool {
    let name = path.file_name();
    if name.ends_with(b"schema.json") {
        return false;
    }
    let Some(stem) = [".yaml", ".yml", ".json"].iter().find_map(|ext| name.strip_suffix(ext.as_bytes())) else {
        return false;
    };
    let rest = stem.strip_prefix(b"plan");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'-' | b'_' | b'.')))
}

/// Whether a file is a workflow by its place: YAML in the canon's `workflows/`, but for what lies among the templates.
pub fn is_workflow(path: &RepoPath, layout: &Layout) -> bool {
    let folder = layout.workflows();
    path.is_within(&folder) && !path.is_within(&folder.join("templates")) && is_yaml(path)
}

/// Whether a file elsewhere may be a workflow by its name or its folder; only its keys tell. What git's hosts run lies in
/// folders of that name as well.
pub fn may_be_workflow(path: &RepoPath) -> bool {
    let name = path.file_name();
    let named = [&b"workflow"[..], b"wf"].iter().any(|word| {
        let rest = name.strip_prefix(*word);
        rest.is_some_and(|rest| matches!(rest.first(), Some(b'-' | b'_' | b'.')))
    });
    let in_folder = path.parent().is_some_and(|folder| folder.file_name() == "workflows");
    is_yaml(path) && (named || in_folder)
}

fn is_yaml(path: &RepoPath) -> bool {
    let name = path.file_name();
    name.ends_with(b".yaml") || name.ends_with(b".yml")
}

/// Whether a file is a skill's document, in whatever case.
pub fn is_skill_document(path: &RepoPath) -> bool {
    path.file_name().eq_ignore_ascii_case(b"SKILL.md")
}

fn skill_folders(entries: &[Entry]) -> Vec<SkillFolder> {
    let mut documents: BTreeMap<RepoPath, &Entry> = BTreeMap::new();
    for document in entries.iter().filter(|e| e.mode != Mode::Submodule && is_skill_document(&e.path)) {
        let Some(folder) = document.path.parent() else { continue };
        // Two spellings side by side: the right one is the document, the other an ordinary file.
        let known = documents.entry(folder).or_insert(document);
        if document.path.file_name() == "SKILL.md" {
            *known = document;
        }
    }
    let folder = |(path, document): (&RepoPath, &&Entry)| SkillFolder {
        path: path.clone(),
        document: (*document).clone(),
        files: within(entries, path).to_vec(),
        nested_in: outermost(path, |above| documents.contains_key(above)),
    };
    documents.iter().map(folder).collect()
}

/// The highest folder above `path` that `is_skill`.
fn outermost(path: &RepoPath, is_skill: impl Fn(&RepoPath) -> bool) -> Option<RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent).filter(|above| is_skill(above)).last()
}

/// The run of `entries` below `folder`; they are sorted, so it is one slice but for names such as `a-b` beside
/// `a/b`, which sort between.
fn within<'a>(entries: &'a [Entry], folder: &RepoPath) -> &'a [Entry] {
    if folder.is_empty() {
        return entries;
    }
    let prefix = folder.join("");
    let mut inside = prefix.as_bstr().to_vec();
    inside.push(b'/');
    let start = entries.partition_point(|e| e.path.as_bstr().as_bytes() < inside.as_slice());
    let length = entries[start..].partition_point(|e| e.path.as_bstr().starts_with(&inside));
    &entries[start..start + length]
}

/// A link counts as a skill where no skill's folder holds it and it does not look like a file.
fn linked_skills(entries: &[Entry], skills: &[SkillFolder], layout: &Layout) -> Vec<Entry> {
    let root = layout.skills();
    let is_skill = |path: &RepoPath| skills.binary_search_by(|s| s.path.cmp(path)).is_ok();
    let is_one = |e: &&Entry| {
        e.mode == Mode::Link
            && e.path.is_within(&root)
            && !e.path.file_name().contains(&b'.')
            && outermost(&e.path, is_skill).is_none()
    };
    entries.iter().filter(is_one).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(paths: &[&str]) -> Vec<Entry> {
        let mut entries: Vec<Entry> =
            paths.iter().map(|p| Entry { path: RepoPath::from(*p), mode: Mode::File }).collect();
        entries.sort();
        entries
    }

    #[test]
    fn nested_skills_belong_to_the_outer_one() {
        let list = entries(&[
            "agent/skills/a/SKILL.md",
            "agent/skills/a/assets/inner/SKILL.md",
            "agent/skills/a-b/SKILL.md",
            "agent/skills/cat/c/SKILL.md",
            "agent/skills/readme.md",
        ]);
        let inventory = Inventory::of(&list, &Layout::default());
        let found: Vec<_> = inventory
            .skills
            .iter()
            .map(|s| (s.path.to_display(), s.files.len(), s.nested_in.as_ref().map(RepoPath::to_display)))
            .collect();
        assert_eq!(
            found,
            [
                ("agent/skills/a".to_owned(), 2, None),
                ("agent/skills/a-b".to_owned(), 1, None),
                ("agent/skills/a/assets/inner".to_owned(), 1, Some("agent/skills/a".to_owned())),
                ("agent/skills/cat/c".to_owned(), 1, None),
            ]
        );
    }

    #[test]
    fn the_right_spelling_wins() {
        let list = entries(&["s/SKILL.md", "s/skill.md"]);
        let inventory = Inventory::of(&list, &Layout::default());
        assert_eq!(inventory.skills.len(), 1);
        assert_eq!(inventory.skills[0].document.path, RepoPath::from("s/SKILL.md"));
    }

    #[test]
    fn workflows_go_by_place() {
        for (path, place, name) in [
            ("agent/workflows/triage.yaml", true, true),
            ("agent/workflows/night/triage.yml", true, false),
            ("agent/workflows/plan.yaml", true, true),
            ("agent/workflows/templates/step.yaml", false, false),
            ("agent/workflows/README.md", false, false),
            ("cases/wf-triage.yaml", false, true),
            ("cases/workflow.yaml", false, true),
            ("cases/wfx.yaml", false, false),
            ("agent/schemas/workflow-schema.json", false, false),
        ] {
            let path = RepoPath::from(path);
            assert_eq!((is_workflow(&path, &Layout::default()), may_be_workflow(&path)), (place, name), "{path}");
        }
    }

    #[test]
    fn plans_go_by_name() {
        for (path, want) in [
            ("agent/plans/x/plan.yaml", true),
            ("plan-01-linear.yaml", true),
            ("plan.json", true),
            ("planner.yaml", false),
            ("plan.md", false),
            ("agent/schemas/plan-schema.json", false),
            ("schemas/plan.schema.json", false),
        ] {
            assert_eq!(is_plan(&RepoPath::from(path)), want, "{path}");
        }
    }
}
