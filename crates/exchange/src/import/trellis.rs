//! `.trellis/` of Trellis.

use super::formats::parse_object;
use super::plan::{ImportPlan, PlannedItem};
use canonry_model::canon::Layout;
use canonry_text::RepoPath;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = ".trellis";

/// Imports `.trellis/`.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let all: Vec<RepoPath> = plan.source.below(ROOT).map(|(path, _)| path).collect();
    let mut skipped = BTreeSet::new();
    let mut tasks: BTreeMap<RepoPath, Vec<RepoPath>> = BTreeMap::new();
    // Tasks may be in folders such as `active/`, which have no files of their own.
    let folders: BTreeSet<RepoPath> = all.iter().filter_map(RepoPath::parent).collect();
    let is_group = |group: &str| !folders.contains(&root.join("tasks").join(group));
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        let parts: Vec<&str> = below.split('/').collect();
        match parts.as_slice() {
            ["spec", ..] if below.ends_with(".md") => plan.add_copy(path, target(plan, &below)),
            ["spec", ..] => plan.skip(path, "only Markdown files can be pages of the spec", ""),
            ["tasks", "archive", ..] => drop(skipped.insert(root.join("tasks/archive"))),
            ["tasks", group, id, _, ..] if is_group(group) => {
                tasks.entry(root.join("tasks").join(*group).join(*id)).or_default().push(path.clone());
            }
            ["tasks", id, _, ..] => tasks.entry(root.join("tasks").join(*id)).or_default().push(path.clone()),
            ["workspace", person, name] if name.ends_with(".md") => {
                let to = plan.source.layout.journals().join(*person).join(*name);
                plan.add_copy(path, to);
            }
            // Trellis' own bookkeeping.
            [name] if name.starts_with('.') => {}
            ["tasks" | "workspace", ..] | [_] => drop(skipped.insert(path.clone())),
            [directory, ..] => drop(skipped.insert(root.join(*directory))),
            [] => {}
        }
    }
    for (folder, files) in tasks {
        import_task(plan, &folder, &files);
    }
    for path in skipped {
        let SkipNote { reason, advice } = skip_note(&path.file_name_lossy());
        plan.skip(&path, reason, advice);
    }
    if !plan.items.is_empty() {
        plan.next_steps.push(
            "add `globs:` to the pages of agent/spec/ that apply to some files only; `canonry context --file` selects by them"
                .to_owned(),
        );
    }
    plan.next_steps.push(
        "run `canonry import --from tools` for your own files in the directories of tools; it skips Trellis' files"
            .to_owned(),
    );
}

/// The path in the canon of a page of the spec or a file of a task.
fn target(plan: &ImportPlan<'_>, below: &str) -> RepoPath {
    plan.source.layout.root().join(below)
}

/// Imports a task: `task.json` and the lists of context files become `task.yaml`; Markdown files are copied.
fn import_task(plan: &mut ImportPlan<'_>, from: &RepoPath, files: &[RepoPath]) {
    let id = from.file_name_lossy();
    let folder = plan.source.layout.tasks().join(&id);
    let mut task = ImportedTask::default();
    let mut read = Vec::new();
    let mut changes = Vec::new();
    for path in files {
        let name = path.below(from).unwrap_or_default().to_string();
        match name.as_str() {
            "task.json" => {
                if let Some(object) = plan.read_as(path, parse_object) {
                    changes.extend(task.read(&object));
                    read.push(path.clone());
                }
            }
            name if name.ends_with(".jsonl") && !name.contains('/') => {
                if let Some(text) = plan.read(path) {
                    let left_out = task.read_context(&text, plan.source.layout);
                    changes
                        .extend((left_out > 0).then(|| format!("left out {left_out} lines of {path} without a file")));
                    read.push(path.clone());
                }
            }
            name if name.ends_with(".md") => plan.add_copy(path, folder.join(name)),
            _ => plan.skip(path, "only Markdown files can be files of a task", ""),
        }
    }
    if task.title.is_empty() {
        task.title = id;
    }
    if read.is_empty() {
        let pages = files.iter().filter_map(|path| path.below(from)).map(|name| name.to_string());
        let pages: Vec<String> = pages.filter(|name| name.ends_with(".md")).collect();
        if pages.is_empty() {
            return plan.skip(from, "it has no task.json", format!("write {folder}/task.yaml to keep it as a task"));
        }
        // Without task.json, its folder says whether somebody works on it.
        let is_active = from.parent().is_some_and(|group| group.file_name() == "active");
        task.status = if is_active { "in_progress" } else { "planned" };
        let others = pages.iter().filter(|name| *name != "prd.md");
        task.context.extend(others.map(|name| (folder.join(name.as_str()).to_display(), String::new())));
        changes.push("added task.yaml, because it has no task.json".to_owned());
        read.push(from.clone());
    } else {
        changes.insert(0, "wrote it as the canon does".to_owned());
    }
    let (first, others) = read.split_first().expect("one was read or added");
    let to = folder.join("task.yaml");
    let files = plan.text_file(task.to_yaml(), to.clone()).into_iter().collect();
    plan.items.push(PlannedItem { files, changes, also_from: others.to_vec(), ..PlannedItem::new(first.clone(), to) });
}

/// Imported parts of a task.
#[derive(Default)]
struct ImportedTask {
    title: String,
    status: &'static str,
    owner: String,
    files: Vec<String>,
    /// Files and reasons.
    context: Vec<(String, String)>,
}

impl ImportedTask {
    /// Reads `task.json`; returns a sentence about the keys that a task of the canon does not have.
    fn read(&mut self, object: &Map<String, Value>) -> Option<String> {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        self.title = [text("title"), text("name")].into_iter().find(|title| !title.is_empty()).unwrap_or_default();
        self.status = match text("status").as_str() {
            "completed" | "done" => "done",
            "in_progress" | "review" => "in_progress",
            _ => "planned",
        };
        self.owner = text("assignee");
        let related = object.get("relatedFiles").and_then(Value::as_array);
        self.files = related.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(object) => object.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        const KNOWN: [&str; 6] = ["id", "name", "title", "status", "assignee", "relatedFiles"];
        let others = object.iter().filter(|(key, value)| !KNOWN.contains(&key.as_str()) && !is_empty(value));
        let others: Vec<String> = others.map(|(key, _)| format!("`{key}`")).collect();
        (!others.is_empty()).then(|| format!("left out {}", others.join(", ")))
    }

    /// Reads a list of context files, one JSON object per line; returns the number of lines without a file. Paths in
    /// `.trellis/` become those of the canon.
    fn read_context(&mut self, text: &str, layout: &Layout) -> usize {
        let mut left_out = 0;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        // A line of another form names no file, and counts as left out.
        for object in lines.map(|line| parse_object(line).unwrap_or_default()) {
            let value = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let file = value("file");
            let moved = [("spec", layout.spec()), ("tasks", layout.tasks()), ("workspace", layout.journals())];
            let moved = moved.iter().find_map(|(folder, to)| {
                let below = file.strip_prefix(&format!("{ROOT}/{folder}/"))?;
                Some(to.join(below).to_display())
            });
            let file = moved.unwrap_or(file);
            if file.is_empty() {
                left_out += 1;
            } else if self.context.iter().any(|(known, _)| *known == file) {
            } else {
                self.context.push((file, value("reason")))
            }
        }
        left_out
    }

    fn to_yaml(&self) -> String {
        // A JSON string is a YAML string.
        let quoted = |text: &str| Value::from(text).to_string();
        let mut yaml = format!("title: {}\nstatus: {}\n", quoted(&self.title), self.status);
        if !self.owner.is_empty() {
            yaml.push_str(&format!("owner: {}\n", quoted(&self.owner)));
        }
        if !self.files.is_empty() {
            yaml.push_str("files:\n");
            yaml.extend(self.files.iter().map(|file| format!("  - {}\n", quoted(file))));
        }
        if !self.context.is_empty() {
            yaml.push_str("context:\n");
            yaml.extend(self.context.iter().map(|(file, reason)| {
                let reason =
                    if reason.is_empty() { String::new() } else { format!("\n    reason: {}", quoted(reason)) };
                format!("  - file: {}{reason}\n", quoted(file))
            }));
        }
        yaml
    }
}

/// Why an entry of `.trellis/` is skipped, and what to do.
struct SkipNote {
    reason: &'static str,
    advice: &'static str,
}

fn skip_note(name: &str) -> SkipNote {
    let (reason, advice) = match name {
        "workflow.md" => (
            "it describes how to work with Trellis' scripts",
            "move what applies without them to agent/policies/WORKFLOW.md",
        ),
        "archive" => ("finished tasks stay in the archive", "copy what you need"),
        "agent-traces" => ("recordings of sessions", "log what is worth keeping with `canonry log`"),
        "scripts" => ("programs of Trellis", ""),
        "config.yaml" | "worktree.yaml" => ("settings of Trellis", ""),
        _ => ("the canon has no place for it", ""),
    };
    SkipNote { reason, advice }
}

/// The files that Trellis copied to the directories of tools, with the SHA-256 of their original content.
pub(super) fn templates(text: &str) -> BTreeMap<RepoPath, String> {
    // Without a readable list, no file is known to be Trellis' own, and all of them are imported.
    let object = parse_object(text).unwrap_or_default();
    // The first version of the file has no `hashes` key.
    let hashes = object.get("hashes").and_then(Value::as_object).unwrap_or(&object);
    let pair = |(path, hash): (&String, &Value)| Some((RepoPath::from(path.as_str()), hash.as_str()?.to_owned()));
    hashes.iter().filter_map(pair).collect()
}

/// The SHA-256 of a file's content in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha256);
    hasher.update(bytes);
    hasher.try_finalize().expect("only a hash with SHA-1 can fail").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_keeps_its_text() {
        let object = parse_object(
            r#"{"title": "Say: \"hi\"", "status": "completed", "assignee": "ann", "relatedFiles": ["src/a.rs"], "branch": "b", "notes": ""}"#,
        );
        let mut task = ImportedTask::default();
        assert_eq!(task.read(&object.unwrap()).as_deref(), Some("left out `branch`"));
        let left_out = task.read_context(
            "{\"file\": \".trellis/spec/a.md\", \"reason\": \"rules\"}\n{\"_example\": 1}\nnot JSON\n{\"file\": \"src/b.rs\"}\n",
            &Layout::default(),
        );
        assert_eq!(left_out, 2);
        assert_eq!(
            task.to_yaml(),
            "title: \"Say: \\\"hi\\\"\"\nstatus: done\nowner: \"ann\"\nfiles:\n  - \"src/a.rs\"\ncontext:\n  - file: \
             \"agent/spec/a.md\"\n    reason: \"rules\"\n  - file: \"src/b.rs\"\n"
        );
    }

    #[test]
    fn reads_both_versions_of_the_file() {
        let hash = sha256(b"");
        assert_eq!(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        for text in [
            format!(r#"{{"__version": 2, "hashes": {{".claude/a.md": "{hash}"}}}}"#),
            format!(r#"{{".claude/a.md": "{hash}"}}"#),
        ] {
            assert_eq!(templates(&text), BTreeMap::from([(RepoPath::from(".claude/a.md"), hash.clone())]));
        }
    }
}
