//! `.trellis/` of Trellis.

use super::formats::parse_object;
use super::plan::ImportPlan;
use super::policies::{ConvertedText, import_policy};
use crate::syntax::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = ".trellis";

/// Imports `.trellis/`.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let all: Vec<RepoPath> = plan.source.below(ROOT).map(|(path, _)| path).collect();
    let mut skipped = BTreeSet::new();
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        match below.split_once('/') {
            Some(("spec", name)) if name.ends_with(".md") => {
                if let Some(text) = plan.read(path) {
                    import_policy(plan, path, name, ConvertedText::unchanged(text));
                }
            }
            Some(("spec", _)) => plan.skip(path, "only Markdown files can be policies", ""),
            Some((directory, _)) => {
                skipped.insert(root.join(directory));
            }
            // Trellis' own bookkeeping.
            None if below.starts_with('.') => {}
            None => {
                skipped.insert(path.clone());
            }
        }
    }
    for path in skipped {
        let SkipNote { reason, advice } = skip_note(&path.file_name_lossy());
        plan.skip(&path, reason, advice);
    }
    if !plan.items.is_empty() {
        plan.next_steps.push("name the important policies in agent/AGENTS.md: no other file refers to them".to_owned());
    }
    plan.next_steps.push(
        "run `canonry import --from tools` for your own files in the directories of tools; it skips Trellis' files"
            .to_owned(),
    );
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
        "tasks" => ("tasks differ from the canon's plans", "write an agent/plans/ID/plan.yaml for unfinished tasks"),
        "workspace" | "agent-traces" => (
            "journals of single developers; the canon's memory is one log with a row per episode",
            "log what is worth keeping with `canonry log`",
        ),
        "scripts" => ("programs of Trellis", ""),
        "config.yaml" | "worktree.yaml" => ("settings of Trellis", ""),
        _ => ("the canon has no place for it", ""),
    };
    SkipNote { reason, advice }
}

/// The files that Trellis copied to the directories of tools, with the SHA-256 of their original content.
pub(super) fn templates(text: &str) -> BTreeMap<RepoPath, String> {
    let object = parse_object(text).unwrap_or_default();
    // The first version of the file has no `hashes` key.
    let hashes = object.get("hashes").and_then(Value::as_object).unwrap_or(&object);
    let pair = |(path, hash): (&String, &Value)| Some((RepoPath::from(path.as_str()), hash.as_str()?.to_owned()));
    hashes.iter().filter_map(pair).collect()
}

/// The SHA-256 of a file's content in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> Option<String> {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    hasher.update(bytes);
    hasher.try_finalize().ok().map(|id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_versions_of_the_file() {
        let hash = sha256(b"").unwrap();
        assert_eq!(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        for text in [
            format!(r#"{{"__version": 2, "hashes": {{".claude/a.md": "{hash}"}}}}"#),
            format!(r#"{{".claude/a.md": "{hash}"}}"#),
        ] {
            assert_eq!(templates(&text), BTreeMap::from([(RepoPath::from(".claude/a.md"), hash.clone())]));
        }
    }
}
