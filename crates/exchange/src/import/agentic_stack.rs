//! `.agent/` of agentic-stack, whose layout resembles the canon's.

use super::formats::parse_object;
use super::plan::{ImportPlan, ListedSkill};
use super::quoting::code_list;
use super::skills::import_skills;
use super::source::ImportSource;
use canonry_model::canon::Layout;
use canonry_model::canon::episode::Episode;
use canonry_text::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = ".agent";
/// The memory files that the canon has too.
const MEMORY_FILES: [&str; 7] = [
    "working/WORKSPACE.md",
    "working/ACTIVE_PLAN.md",
    "episodic/AGENT_LEARNINGS.jsonl",
    "semantic/LESSONS.md",
    "semantic/DECISIONS.md",
    "semantic/DOMAIN_KNOWLEDGE.md",
    "personal/PREFERENCES.md",
];
/// The directories with agentic-stack's own programs.
const PROGRAM_DIRECTORIES: [&str; 3] = ["harness", "tools", "hooks"];
const NO_PLACE: &str = "the canon has no place for it";

/// Whether `.agent/` belongs to agentic-stack. Antigravity also uses a directory of this name.
pub(super) fn exists(source: &ImportSource<'_>) -> bool {
    ["memory", "protocols", "harness"].iter().any(|directory| source.has_below(&format!("{ROOT}/{directory}")))
}

/// Imports `.agent/`.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let layout: Layout = plan.source.layout.clone();
    let all: Vec<RepoPath> = plan.source.below(ROOT).map(|(path, _)| path).collect();
    let mut skipped_directories = BTreeSet::new();
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        match below.split_once('/') {
            Some(("skills", _)) => {}
            None if below == "AGENTS.md" => import_agents_md(plan, path, &layout),
            Some(("memory", name)) => import_memory(plan, path, name, &layout),
            Some(("protocols", name)) => import_protocol(plan, path, name, &layout),
            Some((directory, _)) => {
                skipped_directories.insert(root.join(directory));
            }
            None => plan.skip(path, NO_PLACE, ""),
        }
    }
    for directory in skipped_directories {
        if PROGRAM_DIRECTORIES.iter().any(|name| directory.file_name() == *name) {
            plan.skip(&directory, "programs of agentic-stack: `canonry log` and `canonry dream` replace them", "");
        } else {
            plan.skip(&directory, NO_PLACE, "move what every agent should read to agent/policies");
        }
    }
    plan.listed_skills = listed_skills(plan.source);
    report_registry(plan);
    import_skills(plan, ".agent/skills", |_| false);
}

/// The keys of the list of skills that the document of a skill has below `metadata`, and what separates their values there.
const LISTED_KEYS: [(&str, &str); 6] = [
    ("triggers", ", "),
    ("tools", ", "),
    ("preconditions", "; "),
    ("constraints", "; "),
    ("category", ""),
    ("version", ""),
];

/// Reports what the stack's list of skills says that no skill can.
fn report_registry(plan: &mut ImportPlan<'_>) {
    let manifest = RepoPath::from(".agent/skills/_manifest.jsonl");
    let text = plan.source.text(&manifest).unwrap_or_default();
    let rows = text.lines().filter_map(|line| parse_object(line).ok());
    let keys: BTreeSet<String> = rows.flat_map(|row| row.keys().cloned().collect::<Vec<_>>()).collect();
    let is_known =
        |key: &str| matches!(key, "name" | "description") || LISTED_KEYS.iter().any(|(known, _)| *known == key);
    let lost: Vec<String> = keys.into_iter().filter(|key| !is_known(key)).collect();
    let index = RepoPath::from(".agent/skills/_index.md");
    for path in [&manifest, &index].into_iter().filter(|path| plan.source.files.contains_key(*path)).collect::<Vec<_>>()
    {
        if *path == manifest && !lost.is_empty() {
            let reason = format!("canonry generates its own list of skills, which has no {}", code_list(&lost));
            plan.skip(path, reason, "write what agents need into the descriptions of the skills");
        } else {
            plan.skip(path, "canonry generates its own list of skills", "");
        }
    }
}

/// The skills in the stack's lists: the manifest, and what only the index says. Lines of another form describe nothing, and
/// neither does a list that cannot be read: a skill without a description is a finding of `check`.
fn listed_skills(source: &ImportSource<'_>) -> BTreeMap<String, ListedSkill> {
    let mut listed = manifest(source);
    let index = source.text(&RepoPath::from(".agent/skills/_index.md")).unwrap_or_default();
    // Each skill is a heading, a description, and lines such as `Triggers: "a", "b"`.
    for section in index.split("\n## ").skip(1) {
        let (name, lines) = section.split_once('\n').unwrap_or((section, ""));
        let skill = listed.entry(name.trim().to_owned()).or_default();
        let mut description = Vec::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let key = |(key, _): &&(&'static str, &str)| line.to_ascii_lowercase().starts_with(&format!("{key}:"));
            match LISTED_KEYS.iter().find(key) {
                None => description.push(line),
                Some((key, _)) if skill.metadata.iter().any(|(known, _)| known == key) => {}
                Some((key, _)) => skill.metadata.push((key, line[key.len() + 1..].replace('"', "").trim().to_owned())),
            }
        }
        let description = Some(description.join(" ")).filter(|text| !text.is_empty());
        skill.description = skill.description.take().or(description);
    }
    listed
}

fn manifest(source: &ImportSource<'_>) -> BTreeMap<String, ListedSkill> {
    let text = source.text(&RepoPath::from(".agent/skills/_manifest.jsonl")).unwrap_or_default();
    let listed = |line: &str| {
        let row = parse_object(line).ok()?;
        let text = |key: &str| row.get(key)?.as_str().map(str::to_owned);
        let value = |(key, separator): &(&'static str, &str)| {
            let items =
                row.get(*key)?.as_array().map(|items| items.iter().filter_map(Value::as_str).collect::<Vec<_>>());
            let value = items.map_or_else(|| text(key), |items| Some(items.join(separator)))?;
            (!value.is_empty()).then_some((*key, value))
        };
        let metadata = LISTED_KEYS.iter().filter_map(value).collect();
        Some((text("name")?, ListedSkill { description: text("description"), metadata }))
    };
    text.lines().filter_map(listed).collect()
}

fn import_agents_md(plan: &mut ImportPlan<'_>, path: &RepoPath, layout: &Layout) {
    let Some(text) = plan.read(path) else { return };
    plan.add_copy(path, layout.map());
    let count = text.matches(".agent/").count();
    if let (1.., Some(item)) = (count, plan.items.last_mut()) {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        item.changes.push(format!("imported unchanged, but it names `.agent/` {times}: update these paths"));
    }
}

fn import_memory(plan: &mut ImportPlan<'_>, path: &RepoPath, name: &str, layout: &Layout) {
    let to = layout.memory().join(name);
    let is_snapshot = name.starts_with("episodic/snapshots/") && (name.ends_with(".jsonl") || name.ends_with(".md"));
    if MEMORY_FILES.contains(&name) || is_snapshot {
        plan.add_copy(path, to.clone());
        if to == layout.log() {
            report_invalid_rows(plan, path);
        }
        return;
    }
    match name {
        "semantic/lessons.jsonl" => {
            let advice = "keep it until you have reviewed agent/memory/semantic/LESSONS.md";
            plan.skip(path, "LESSONS.md is generated from it, and the canon uses LESSONS.md", advice);
        }
        _ if name.ends_with(".py") => plan.skip(path, "a program of agentic-stack: `canonry dream` replaces it", ""),
        _ if name.ends_with(".gitkeep") => {}
        _ if name.starts_with("working/") => {
            plan.skip(path, "notes on work in progress, in a form that the canon does not have", "");
        }
        _ => plan.skip(path, "the canon's memory has no such file", ""),
    }
}

/// Reports the rows of the log that a dream would quarantine.
fn report_invalid_rows(plan: &mut ImportPlan<'_>, path: &RepoPath) {
    let Ok(bytes) = plan.source.read(path) else { return };
    let rows: Vec<&[u8]> = bytes.split(|b| *b == b'\n').filter(|row| !row.trim_ascii().is_empty()).collect();
    let invalid = rows.iter().filter(|row| Episode::parse(row.trim_ascii_end()).is_err()).count();
    if let (1.., Some(item)) = (invalid, plan.items.last_mut()) {
        item.changes.push(format!(
            "imported unchanged, but {invalid} of its {} rows are invalid: `canonry check` lists them, `canonry dream` quarantines them",
            rows.len()
        ));
    }
}

fn import_protocol(plan: &mut ImportPlan<'_>, path: &RepoPath, name: &str, layout: &Layout) {
    let is_schema = name.starts_with("tool_schemas/") && name.ends_with(".json");
    if name.ends_with(".md") || is_schema {
        return plan.add_copy(path, layout.protocols().join(name));
    }
    plan.skip(path, "a protocol is Markdown, or a schema in tool_schemas", "");
}
