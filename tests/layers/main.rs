//! The architecture, as far as the compiler does not check it: the pure crates use no file system, clock, environment or
//! process, imports have no cycle, and files are short. And the dialect: plain Rust, described by nouns.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod bans;
mod cycles;
mod dialect;
mod parse;
mod sample;
mod tree;

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tree::Tree;

/// The longest source file.
const MAX_LINES: usize = 600;

/// Crates of pure functions, from bytes to findings, edits and text.
const PURE: [&str; 9] = ["text", "model", "agents", "guard", "lint", "mirror", "memory", "runs", "exchange"];
/// Crates with modules that import each other in one direction only.
const WITH_MODULES: [&str; 5] = ["model", "mirror", "runs", "exchange", "repo"];

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source of each crate by its folder, parsed once for all tests. The binary has no name.
fn crates() -> &'static BTreeMap<String, Tree> {
    static CRATES: OnceLock<BTreeMap<String, Tree>> = OnceLock::new();
    CRATES.get_or_init(|| {
        let folders = std::fs::read_dir(top().join("crates")).unwrap().map(|entry| entry.unwrap().path());
        let crates = folders.map(|folder| {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            (name, Tree::read(&folder.join("src")))
        });
        crates.chain([(String::new(), Tree::read(&top().join("src")))]).collect()
    })
}

/// Runs a check on the crates with these names, and names the crate in each violation.
fn check_crates(names: &[&str], find: impl Fn(&Tree) -> Vec<String>) {
    let found =
        names.iter().flat_map(|name| find(&crates()[*name]).into_iter().map(move |line| format!("{name}: {line}")));
    check(found.collect());
}

fn names() -> Vec<&'static str> {
    crates().keys().map(String::as_str).collect()
}

fn check(violations: Vec<String>) {
    assert!(violations.is_empty(), "{} violations:\n{violations:#?}", violations.len());
}

/// Without this test, the others would pass on empty trees.
#[test]
fn the_source_is_read() {
    let known = [
        ("repo", "apply/writer.rs", "fs/mod.rs"),
        ("app", "check/mod.rs", "workspace.rs"),
        ("", "main.rs", "cli/mod.rs"),
    ];
    for (name, from, to) in known {
        let edges = crates()[name].edges();
        assert!(edges.iter().any(|edge| edge.from == from && edge.to == to), "{name}: {from} does not import {to}");
    }
    assert!(PURE.iter().all(|name| crates()[*name].files().len() > 10));
}

#[test]
fn imports_have_no_cycle() {
    check_crates(&names(), cycles::between_files);
    check_crates(&WITH_MODULES, cycles::between_modules);
}

#[test]
fn pure_crates_have_no_side_effects() {
    check_crates(&PURE, bans::side_effects);
}

#[test]
fn writes_reach_the_failpoints() {
    check_crates(&["repo"], bans::direct_writes);
}

#[test]
fn only_the_binary_prints() {
    let names: Vec<&str> = names().into_iter().filter(|name| !name.is_empty()).collect();
    check_crates(&names, bans::prints);
}

#[test]
fn files_are_short() {
    check_crates(&names(), |tree| {
        let mut too_long = Vec::new();
        for file in tree.files() {
            let limit = if file.path == "main.rs" { 30 } else { MAX_LINES };
            if file.lines > limit {
                too_long.push(format!("{}: {} lines, at most {limit}", file.path, file.lines));
            }
        }
        too_long
    });
}

#[test]
fn the_code_is_plain_rust() {
    let files = ["crates", "src", "testing", "tests", "benches", "xtask", "build.rs"]
        .into_iter()
        .flat_map(|name| walkdir::WalkDir::new(top().join(name)));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.unwrap().into_path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    let found = paths.par_iter().flat_map(|path| {
        let name = path.strip_prefix(top()).unwrap().display().to_string();
        dialect::violations(&name, &std::fs::read_to_string(path).unwrap())
    });
    check(found.collect());
}
