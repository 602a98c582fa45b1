//! `.agent/`, as agentic-stack keeps it: a layout that is close to the canon's.

use super::basket::ImportPlan;
use super::{Ground, skills};
use crate::canon::Layout;
use crate::canon::episode::Episode;
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

const ROOT: &str = ".agent";
/// What of its memory the canon keeps as well.
const MEMORY: [&str; 7] = [
    "working/WORKSPACE.md",
    "working/ACTIVE_PLAN.md",
    "episodic/AGENT_LEARNINGS.jsonl",
    "semantic/LESSONS.md",
    "semantic/DECISIONS.md",
    "semantic/DOMAIN_KNOWLEDGE.md",
    "personal/PREFERENCES.md",
];

/// Told from other folders of the name, such as Antigravity's.
pub(super) fn is_there(ground: &Ground<'_>) -> bool {
    ["memory", "protocols", "harness"].iter().any(|folder| ground.has_below(&format!("{ROOT}/{folder}")))
}

/// Takes it.
pub(super) fn take(basket: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let layout: Layout = basket.ground.layout.clone();
    let all: Vec<RepoPath> = basket.ground.below(ROOT).map(|(path, _)| path).collect();
    let mut programs = BTreeSet::new();
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        match below.split_once('/') {
            Some(("skills", _)) => {}
            None if below == "AGENTS.md" => map(basket, path, &layout),
            Some(("memory", name)) => memory(basket, path, name, &layout),
            Some(("protocols", name)) => protocol(basket, path, name, &layout),
            Some((folder @ ("harness" | "tools" | "hooks"), _)) => {
                programs.insert(root.join(folder));
            }
            Some((folder, _)) => {
                programs.insert(root.join(folder));
            }
            None => basket.leave(path, "the canon has no place for it", ""),
        }
    }
    for folder in programs {
        let is_program = ["harness", "tools", "hooks"].iter().any(|name| folder.file_name() == *name);
        match is_program {
            true => basket.leave(
                &folder,
                "programs of agentic-stack: `canonry log` and `canonry dream` are in their place",
                "",
            ),
            false => basket.leave(
                &folder,
                "the canon has no place for it",
                "what every agent should read fits into agent/policies",
            ),
        }
    }
    skills::take(basket, ".agent/skills", &|_| false);
}

fn map(basket: &mut ImportPlan<'_>, path: &RepoPath, layout: &Layout) {
    let Some(text) = basket.read(path) else { return };
    basket.copy(path, layout.map());
    let count = text.matches(".agent/").count();
    if let (1.., Some(piece)) = (count, basket.pieces.last_mut()) {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        piece.changes.push(format!("as it is; it names `.agent/` {times}: bring that up to date"));
    }
}

fn memory(basket: &mut ImportPlan<'_>, path: &RepoPath, name: &str, layout: &Layout) {
    let to = layout.memory().join(name);
    let is_snapshot = name.starts_with("episodic/snapshots/") && (name.ends_with(".jsonl") || name.ends_with(".md"));
    if MEMORY.contains(&name) || is_snapshot {
        basket.copy(path, to.clone());
        if to == layout.log() {
            rows(basket, path);
        }
        return;
    }
    match name {
        "semantic/lessons.jsonl" => {
            basket.leave(
                path,
                "LESSONS.md is made from it, and is what counts in the canon",
                "keep it until you have looked at agent/memory/semantic/LESSONS.md",
            );
        }
        _ if name.ends_with(".py") => {
            basket.leave(path, "a program of agentic-stack: `canonry dream` is in its place", "")
        }
        _ if name.ends_with(".gitkeep") => {}
        _ if name.starts_with("working/") => {
            basket.leave(path, "notes on work under way, in a form that the canon does not have", "")
        }
        _ => basket.leave(path, "the memory of the canon has no such file", ""),
    }
}

/// How many rows of the log a dream would set aside.
fn rows(basket: &mut ImportPlan<'_>, path: &RepoPath) {
    let Ok(bytes) = basket.ground.look.read(path) else { return };
    let rows: Vec<&[u8]> = bytes.split(|b| *b == b'\n').filter(|row| !row.trim_ascii().is_empty()).collect();
    let bad = rows.iter().filter(|row| Episode::parse(row.trim_ascii_end()).is_err()).count();
    if let (1.., Some(piece)) = (bad, basket.pieces.last_mut()) {
        piece.changes.push(format!(
            "as it is; {bad} of its {} rows cannot be read: `canonry check` names them, `canonry dream` sets them aside",
            rows.len()
        ));
    }
}

fn protocol(basket: &mut ImportPlan<'_>, path: &RepoPath, name: &str, layout: &Layout) {
    let is_schema = name.starts_with("tool_schemas/") && name.ends_with(".json");
    if name.ends_with(".md") || is_schema {
        return basket.copy(path, layout.protocols().join(name));
    }
    basket.leave(path, "a protocol is Markdown, or a schema in tool_schemas", "");
}
