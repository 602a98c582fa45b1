//! Which module may import which.

use crate::tree::{EdgeKind, Tree};

/// The table of the design.
const FLOORS: [(usize, &[&str]); 11] = [
    (0, &["syntax"]),
    (1, &["canon"]),
    (2, &["finding", "edit", "config"]),
    (
        3,
        &["mirror", "memory", "plan", "workflow", "protocol", "scaffold", "install", "toolfiles", "import", "registry"],
    ),
    (4, &["rules"]),
    (5, &["view", "apply", "fs", "git", "exec"]),
    (6, &["app"]),
    (7, &["render"]),
    (8, &["cli"]),
    (9, &["lib"]),
    (10, &["main"]),
];

/// Imports between modules of one floor, which is more than the table allows; each stands here with its reason, and a
/// new one fails. Capabilities (floor 3) never import each other.
const SIDEWAYS: [(&str, &str); 4] = [
    // Severities are what a config gives to rules.
    ("config", "finding"),
    // Before it replaces a file, the writer asks the view whether it is still what was decided about.
    ("apply", "view"),
    // Every write goes through `fs`.
    ("apply", "fs"),
    ("git", "fs"),
];

/// The top-level module of a file: `rules` for `rules/skill/mod.rs`, `config` for `config.rs`.
pub fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

pub fn floor(path: &str) -> Option<usize> {
    FLOORS.iter().find(|(_, modules)| modules.contains(&top(path))).map(|(floor, _)| *floor)
}

pub fn violations(tree: &Tree) -> Vec<String> {
    let homeless = tree.files().iter().filter(|file| floor(&file.path).is_none());
    let mut found: Vec<String> =
        homeless.map(|file| format!("{}: its module stands on no floor; give it one", file.path)).collect();
    for edge in tree.edges() {
        let (Some(from), Some(to)) = (floor(&edge.from), floor(&edge.to)) else { continue };
        let (source, target) = (top(&edge.from), top(&edge.to));
        let allowed = source == target || SIDEWAYS.contains(&(source, target));
        let what = match from.cmp(&to) {
            std::cmp::Ordering::Less => "climbs",
            std::cmp::Ordering::Equal if !allowed => "leads sideways",
            _ => continue,
        };
        // A re-export is no need of its own within a module, but across modules it is an import like any other.
        let (line, file) = (edge.line, &edge.from);
        if source != target || edge.kind == EdgeKind::Import {
            found.push(format!("{file}:{line}: {what} from {source} (floor {from}) to {target} (floor {to})"));
        }
    }
    found
}
