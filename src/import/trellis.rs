//! `.trellis/`, as Trellis keeps it.

use super::basket::ImportPlan;
use super::{json, rules};
use crate::syntax::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = ".trellis";

/// Takes it.
pub(super) fn take(basket: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let all: Vec<RepoPath> = basket.ground.below(ROOT).map(|(path, _)| path).collect();
    let mut rest = BTreeSet::new();
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        match below.split_once('/') {
            Some(("spec", name)) if name.ends_with(".md") => {
                if let Some(text) = basket.read(path) {
                    rules::policy(basket, path, name, (&text, Vec::new()));
                }
            }
            Some(("spec", _)) => basket.leave(path, "a policy is Markdown", ""),
            Some((folder, _)) => {
                rest.insert(root.join(folder));
            }
            // Of its own bookkeeping there is nothing to say.
            None if below.starts_with('.') => {}
            None => {
                rest.insert(path.clone());
            }
        }
    }
    for path in rest {
        let (why, advice) = about(&path.file_name_lossy());
        basket.leave(&path, why, advice);
    }
    if !basket.pieces.is_empty() {
        basket.next.push("name the policies that matter in agent/AGENTS.md: nothing else points at them".to_owned());
    }
    let advice = "what you wrote yourself in the tools' folders is for `canonry import --from tools`, which leaves Trellis' own files";
    basket.next.push(advice.to_owned());
}

fn about(name: &str) -> (&'static str, &'static str) {
    match name {
        "workflow.md" => (
            "it tells how to work with Trellis' own scripts",
            "put what holds without them into agent/policies/WORKFLOW.md",
        ),
        "tasks" => (
            "tasks have another form than the canon's plans",
            "write an agent/plans/ID/plan.yaml for what is not done yet",
        ),
        "workspace" | "agent-traces" => (
            "journals of single developers; the canon's memory has one log, a row an episode",
            "log what is worth keeping with `canonry log`",
        ),
        "scripts" => ("programs of Trellis", ""),
        "config.yaml" | "worktree.yaml" => ("settings of Trellis", ""),
        _ => ("the canon has no place for it", ""),
    }
}

/// The files that Trellis put into the tools' folders, each with the SHA-256 of what it put there.
pub(super) fn templates(text: &str) -> BTreeMap<RepoPath, String> {
    let object = json::object(text).unwrap_or_default();
    // The first version of the file had no `hashes` around them.
    let hashes = object.get("hashes").and_then(Value::as_object).unwrap_or(&object);
    let pair = |(path, hash): (&String, &Value)| Some((RepoPath::from(path.as_str()), hash.as_str()?.to_owned()));
    hashes.iter().filter_map(pair).collect()
}

/// The SHA-256 of what a file holds, as Trellis writes it.
pub(super) fn sha256(bytes: &[u8]) -> Option<String> {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
    hasher.update(bytes);
    hasher.try_finalize().ok().map(|id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read_in_both_forms() {
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
