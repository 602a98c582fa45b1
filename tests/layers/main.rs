//! The architecture: modules import only from lower layers, imports have no cycle, and only layer 5 and above use the
//! file system, the clock, the environment and other processes. And the dialect: plain Rust, described by nouns.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod bans;
mod cycles;
mod dialect;
mod layers;
mod parse;
mod sample;
mod tree;

use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tree::Tree;

/// The longest source file.
const MAX_LINES: usize = 600;

/// The source, parsed once for all tests.
fn source() -> &'static Tree {
    static SOURCE: OnceLock<Tree> = OnceLock::new();
    SOURCE.get_or_init(|| Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")))
}

fn check(violations: Vec<String>) {
    assert!(violations.is_empty(), "{} violations:\n{violations:#?}", violations.len());
}

/// Without this test, the others would pass on an empty tree.
#[test]
fn the_source_is_read() {
    let edges = source().edges();
    let known = [("app/workspace.rs", "view/mod.rs"), ("cli/check.rs", "app/check/mod.rs"), ("main.rs", "cli/mod.rs")];
    for (from, to) in known {
        assert!(edges.iter().any(|edge| edge.from == from && edge.to == to), "{from} does not import {to}");
    }
    assert!(edges.len() > 300, "only {} imports", edges.len());
}

#[test]
fn modules_import_only_from_lower_layers() {
    check(layers::violations(source()));
}

#[test]
fn imports_have_no_cycle() {
    check(cycles::violations(source()));
}

#[test]
fn lower_layers_have_no_side_effects() {
    check(bans::violations(source()));
}

#[test]
fn files_are_short() {
    let mut too_long = Vec::new();
    for file in source().files() {
        let limit = if file.path == "main.rs" { 30 } else { MAX_LINES };
        if file.lines > limit {
            too_long.push(format!("{}: {} lines, at most {limit}", file.path, file.lines));
        }
    }
    check(too_long);
}

#[test]
fn the_code_is_plain_rust() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files =
        ["src", "tests", "benches", "build.rs"].into_iter().flat_map(|name| walkdir::WalkDir::new(top.join(name)));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.unwrap().into_path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    let found = paths.par_iter().flat_map(|path| {
        let name = path.strip_prefix(top).unwrap().display().to_string();
        dialect::violations(&name, &std::fs::read_to_string(path).unwrap())
    });
    check(found.collect());
}
