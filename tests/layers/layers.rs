//! Which module may import which.

use crate::tree::{EdgeKind, Tree};

/// The layers, lowest first, as in `docs/architecture.md`.
const LAYERS: [(usize, &[&str]); 11] = [
    (0, &["syntax"]),
    (1, &["canon"]),
    (2, &["finding", "edit", "config"]),
    (
        3,
        &[
            "mirror",
            "memory",
            "plan",
            "workflow",
            "protocol",
            "scaffold",
            "install",
            "toolfiles",
            "import",
            "registry",
            "remote_skills",
            "pack",
        ],
    ),
    (4, &["rules"]),
    (5, &["view", "apply", "fs", "git", "exec"]),
    (6, &["app"]),
    (7, &["render"]),
    (8, &["cli"]),
    (9, &["lib"]),
    (10, &["main"]),
];

/// Allowed imports between modules of one layer, each with its reason. Capabilities (layer 3) never import each other.
const SIDEWAYS: [(&str, &str); 8] = [
    // A config sets the severity of rules.
    ("config", "finding"),
    // Before the writer replaces a file, it asks the view whether the file has changed since the decision.
    ("apply", "view"),
    // Every write goes through `fs`.
    ("apply", "fs"),
    ("git", "fs"),
    // A view opens only regular files, as `fs` does.
    ("view", "fs"),
    // A commit runs git's hooks.
    ("git", "exec"),
    // A view reads a sparse index as a commit does.
    ("view", "git"),
    // The log of a worker is created like every other file.
    ("exec", "fs"),
];

/// The top-level module of a file: `rules` for `rules/skill/mod.rs`, `config` for `config.rs`.
pub fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

pub fn layer(path: &str) -> Option<usize> {
    LAYERS.iter().find(|(_, modules)| modules.contains(&top(path))).map(|(layer, _)| *layer)
}

pub fn violations(tree: &Tree) -> Vec<String> {
    let unassigned = tree.files().iter().filter(|file| layer(&file.path).is_none());
    let mut found: Vec<String> =
        unassigned.map(|file| format!("{}: its module has no layer; add it to LAYERS", file.path)).collect();
    for edge in tree.edges() {
        let (Some(from), Some(to)) = (layer(&edge.from), layer(&edge.to)) else { continue };
        let source = top(&edge.from);
        let target = top(&edge.to);
        let allowed = source == target || SIDEWAYS.contains(&(source, target));
        let what = match from.cmp(&to) {
            std::cmp::Ordering::Less => "imports from a higher layer,",
            std::cmp::Ordering::Equal if !allowed => "imports from the same layer,",
            _ => continue,
        };
        // Within a module, a re-export is not a dependency.
        let line = edge.line;
        let file = &edge.from;
        if source != target || edge.kind == EdgeKind::Import {
            found.push(format!("{file}:{line}: {source} (layer {from}) {what} {target} (layer {to})"));
        }
    }
    found
}
