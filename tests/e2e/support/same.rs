//! Comparing trees.

use crate::support::repo::Tree;
use std::collections::BTreeSet;

/// Names only the differing paths, because the trees are too large to print.
#[track_caller]
pub fn assert_same(left: &Tree, right: &Tree, what: &str) {
    let differs = |path: &&String| left.get(*path) != right.get(*path);
    let paths: BTreeSet<&String> = left.keys().chain(right.keys()).filter(differs).collect();
    let say = |tree: &Tree, path: &str| tree.get(path).map(|held| format!("{held:?}").chars().take(400).collect());
    let said: Vec<(&String, Option<String>, Option<String>)> =
        paths.into_iter().map(|path| (path, say(left, path), say(right, path))).collect();
    assert!(said.is_empty(), "{what}\n{said:#?}");
}
