//! Skills, imported byte for byte except for the smallest changes that make them valid.

use super::plan::{ImportPlan, ListedSkill, PlannedFile, PlannedItem};
use super::prompts::{REPAIRED, read_leniently};
use super::quoting::{code_list, quoted};
use canonry_model::canon::FileMode;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::config::Target;
use canonry_text::node::MappingEntry;
use canonry_text::{HeaderError, MarkdownFile, RepoPath, TextEdit};
use std::collections::BTreeSet;

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 64;
/// Length of a generated description, in characters.
const MAX_DESCRIPTION: usize = 200;

/// The key of a skill that only a person calls.
const MANUAL_KEY: &str = "disable-model-invocation";

/// Whether a frontmatter key belongs to the source, so that no tool reads it.
pub(super) type IsSourceKey = fn(&MappingEntry) -> bool;

/// Imports the skills below a directory. Returns their directories.
pub(super) fn import_skills(plan: &mut ImportPlan<'_>, root: &str, is_source_key: IsSourceKey) -> Vec<RepoPath> {
    let all: Vec<(RepoPath, FileMode)> = plan.source.below(root).collect();
    let root = RepoPath::from(root);
    let documents = all.iter().filter(|(path, _)| is_skill_document(path));
    let folders: BTreeSet<RepoPath> = documents.filter_map(|(path, _)| path.parent()).filter(|f| *f != root).collect();
    // A skill inside another skill's directory belongs to the outer one.
    let is_nested = |folder: &RepoPath| folders.iter().any(|other| other != folder && folder.is_within(other));
    let skills: Vec<RepoPath> = folders.iter().filter(|folder| !is_nested(folder)).cloned().collect();
    for folder in &skills {
        let below = folder.below(&root).unwrap_or_default().to_string();
        match canon_components(&below) {
            Some(components) => {
                let files: Vec<RepoPath> =
                    all.iter().map(|(path, _)| path).filter(|path| path.is_within(folder)).cloned().collect();
                import_skill(plan, folder, &components, &files, is_source_key);
            }
            None => plan.skip(folder, "it is hidden: hidden skills belong to the tool", ""),
        }
    }
    let other_entries: BTreeSet<RepoPath> = all
        .iter()
        .filter(|(path, _)| !skills.iter().any(|skill| path.is_within(skill)))
        .filter_map(|(path, _)| top_entry(path, &root))
        .filter(|path| !plan.skipped.iter().any(|skipped| skipped.path == *path))
        .collect();
    for path in other_entries {
        if plan.source.mirrored_skills.contains(&path) {
            let own: Vec<String> =
                all.iter().filter_map(|(file, _)| file.below(&path)).map(|name| format!("`{name}`")).collect();
            let reason = format!("it is canonry's own mirror of a skill, and sync did not write {}", own.join(", "));
            plan.skip(&path, reason, format!("to take it into the canon, run `canonry sync --adopt {path}`"));
        } else if plan.source.files.get(&path).is_none_or(|state| state.mode.is_file()) {
            plan.skip(
                &path,
                "it does not belong to a skill: there is no SKILL.md next to it",
                "move it by hand if you need it",
            );
        } else {
            // Reports a link. Links to skill directories are common, and the target is often imported itself.
            plan.is_file(&path);
        }
    }
    skills
}

/// The entry of `root` that contains a path.
fn top_entry(path: &RepoPath, root: &RepoPath) -> Option<RepoPath> {
    let below = RepoPath::new(path.below(root)?);
    below.components().next().map(|first| root.join(first))
}

/// The path below `skills/` with valid names; `None` for a hidden directory. `.curated` contains downloaded skills, which
/// are imported like the others.
fn canon_components(below: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = below.split('/').filter(|part| *part != ".curated").collect();
    if parts.iter().any(|part| part.starts_with('.')) {
        return None;
    }
    Some(parts.into_iter().map(valid_name).collect())
}

/// The closest name that the specification allows.
pub(super) fn valid_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let name: String = parts.join("-").chars().take(MAX_NAME).collect();
    let name = name.trim_end_matches('-').to_owned();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

fn import_skill(
    plan: &mut ImportPlan<'_>,
    folder: &RepoPath,
    components: &[String],
    paths: &[RepoPath],
    is_source_key: IsSourceKey,
) {
    let name = components.last().cloned().unwrap_or_default();
    let to = components.iter().fold(plan.source.layout.skills(), |to, component| to.join(component));
    let mut changes = Vec::new();
    if folder.file_name() != name.as_str() {
        changes.push(format!(
            "renamed its directory to `{name}`: a skill's name contains lower-case letters, digits and hyphens"
        ));
        plan.superseded.extend(Target::holding(folder).map(|_| folder.clone()));
    }
    let mut files: Vec<PlannedFile> = Vec::new();
    for path in paths {
        if !plan.is_file(path) {
            continue;
        }
        let target = to.join(path.below(folder).unwrap_or_default());
        let is_document = is_skill_document(path) && path.parent().as_ref() == Some(folder);
        // A document that is not text is copied as it is, and `check` reports it.
        let text = if is_document { plan.source.text(path).ok() } else { None };
        let known = plan.listed_skills.get(&name);
        let corrected = text.and_then(|text| corrected_document(&text, &name, known, is_source_key, &mut changes));
        files.extend(match corrected {
            Some(text) => plan.text_file(text, target),
            None => plan.copied_file(path, target),
        });
    }
    if !files.iter().any(|file| is_skill_document(&file.path)) {
        let reason = "its SKILL.md is a link, and links are not followed";
        return plan.skip(folder, reason, "replace it with a copy of its target");
    }
    plan.items.push(PlannedItem { files, changes, is_skill: true, ..PlannedItem::new(folder.clone(), to) });
}

/// The corrected text of a `SKILL.md`; `None` if it stays unchanged. `known` is what a list of the source says.
fn corrected_document(
    text: &str,
    name: &str,
    known: Option<&ListedSkill>,
    is_source_key: IsSourceKey,
    changes: &mut Vec<String>,
) -> Option<String> {
    let metadata = known.map(|known| known.metadata.as_slice()).unwrap_or_default();
    let known = known.and_then(|known| known.description.as_deref());
    let repaired = read_leniently(text);
    let file = match MarkdownFile::editable(repaired.as_deref().unwrap_or(text)) {
        Ok(file) => file,
        Err(HeaderError::Missing) => {
            let (description, origin) = description(text, name, known);
            changes.push(format!("it has no frontmatter: added `name`, and a `description` {origin}"));
            let text = text.trim_start_matches('\u{feff}');
            let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n{text}");
            let with_metadata = MarkdownFile::editable(&text).ok().and_then(|file| {
                let edit = listed_metadata(&file, metadata, changes)?;
                Some(file.apply(vec![edit]))
            });
            return Some(with_metadata.unwrap_or(text));
        }
        Err(error) => {
            changes.push(format!("imported unchanged: {error}; run `canonry check` for help"));
            return None;
        }
    };
    if repaired.is_some() {
        changes.push(REPAIRED.to_owned());
    }
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    let mut lost = Vec::new();
    let mut is_manual = false;
    for entry in file.entries().iter().filter(|entry| is_source_key(entry)) {
        edits.extend(file.remove(&entry.key));
        removed.push(format!("`{}`", entry.key));
        for own in entry.value.as_mapping().map(|section| section.entries.as_slice()).unwrap_or_default() {
            // A person alone calls it: dropping this would give it to the model.
            let is_on = own.value.as_scalar().is_some_and(|scalar| scalar.text.trim() == "true");
            if own.key == MANUAL_KEY && is_on && file.get(MANUAL_KEY).is_none() {
                if !is_manual {
                    edits.push(file.set(MANUAL_KEY, "true"));
                }
                is_manual = true;
                changes.push(format!("moved `{MANUAL_KEY}` of `{}` to the top level", entry.key));
            } else {
                lost.push(format!("{}.{}", entry.key, own.key));
            }
        }
    }
    if !removed.is_empty() {
        let has_section = file.entries().iter().any(|entry| is_source_key(entry) && entry.value.as_mapping().is_some());
        let advice = if has_section { "; agent/overlays/TOOL/skills can contain settings for one tool" } else { "" };
        changes.push(format!("removed {} from its frontmatter{advice}", removed.join(", ")));
        if !lost.is_empty() {
            changes.push(format!("lost {}", code_list(&lost)));
        }
    }
    if file.field("name").as_deref() != Some(name) {
        let old = file.field("name").map_or("missing".to_owned(), |old| format!("`{old}`"));
        changes.push(format!("set `name` to `{name}`, the name of its directory; it was {old}"));
        edits.push(file.set("name", name));
    }
    if file.field("description").is_none() && file.get("description").is_none_or(|node| node.is_null()) {
        let (description, origin) = description(file.body(), name, known);
        changes.push(format!("added a `description` {origin}"));
        edits.push(file.set("description", &description));
    }
    edits.extend(listed_metadata(&file, metadata, changes));
    (repaired.is_some() || !edits.is_empty()).then(|| file.apply(edits))
}

/// Adds what a list of skills says and the document does not.
fn listed_metadata(
    file: &MarkdownFile<'_>,
    listed: &[(&'static str, String)],
    changes: &mut Vec<String>,
) -> Option<TextEdit> {
    let has = |key: &str| file.get(key).is_some() || file.get("metadata").is_some_and(|node| node.get(key).is_some());
    let is_new = |key: &str| !(has(key) || key == "tools" && has("allowed-tools"));
    let entries: Vec<(&str, String)> = listed.iter().filter(|(key, _)| is_new(key)).cloned().collect();
    if entries.is_empty() {
        return None;
    }
    let names = entries.iter().map(|(key, _)| (*key).to_owned()).collect::<Vec<_>>();
    let edit = file.add_to_section("metadata", &entries);
    changes.push(match edit {
        Some(_) => format!("added {} from the list of skills to its `metadata`", code_list(&names)),
        None => format!("lost {} of the list of skills: its `metadata` is no block", code_list(&names)),
    });
    edit
}

/// A description in quotes, and where it is from.
fn description(text: &str, name: &str, known: Option<&str>) -> (String, &'static str) {
    match known {
        Some(known) => (quoted(known), "from the list of skills"),
        None => (quoted(&first_words(text, name)), "from its first line; describe there when to use the skill"),
    }
}

/// The first line with text, without Markdown markers.
fn first_words(text: &str, name: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim_start_matches(['#', '>', ' ']).trim());
    let line = lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or(name);
    line.chars().take(MAX_DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_names_valid() {
        for (name, want) in [
            ("pdf", "pdf"),
            ("My Skill_2", "my-skill-2"),
            ("--a--b-", "a-b"),
            ("…", "unnamed"),
            ("Überblick", "überblick"),
        ] {
            assert_eq!(valid_name(name), want);
        }
    }

    #[test]
    fn changes_a_document_as_little_as_possible() {
        let corrected =
            |text: &str| corrected_document(text, "a", None, |entry| entry.key == "targets", &mut Vec::new());
        assert_eq!(corrected("---\nname: a\ndescription: D.\nother: 1\n---\n"), None);
        let want = Some("---\nname: a\ndescription: D.\n---\n".to_owned());
        assert_eq!(corrected("---\nname: a\ntargets:\n  - x\ndescription: D.\n---\n"), want);
        assert_eq!(corrected("---\nname: B\ndescription: D.\n---\n"), want);
        assert_eq!(corrected("---\n- a: b: c\n---\n"), None, "an invalid frontmatter stays unchanged");
        let repaired = corrected("---\nname: a\ndescription: D: e\n---\n");
        assert_eq!(repaired.as_deref(), Some("---\nname: a\ndescription: \"D: e\"\n---\n"));
        let made = corrected("# Say: hello\n\nMore.\n").unwrap();
        assert_eq!(made, "---\nname: a\ndescription: \"Say: hello\"\n---\n\n# Say: hello\n\nMore.\n");
    }
}
