//! The floors: a module imports only from lower ones, no circle, and no way past `view`, `apply`, `git` and `exec` to
//! the disk, the clock, the environment or another process.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod bans;
mod circles;
mod layers;
mod parse;
mod sample;
mod tree;

use std::collections::BTreeSet;
use std::path::Path;
use tree::Tree;

/// Lines of a file at which it is time to think of splitting it, and at which it must be.
const LONG: usize = 300;
const TOO_LONG: usize = 500;

/// What is known to be wrong and must be mended. A line that no longer holds fails the test, so that the list only gets
/// shorter.
const KNOWN: &[&str] = &[];

fn source() -> Tree {
    Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn check(found: Vec<String>, known: &[&str]) {
    let found: BTreeSet<String> = found.into_iter().collect();
    let new: Vec<&String> = found.iter().filter(|line| !known.contains(&line.as_str())).collect();
    let mended: Vec<&&str> = known.iter().filter(|line| !found.contains(**line)).collect();
    assert!(new.is_empty(), "{} violations:\n{new:#?}", new.len());
    assert!(mended.is_empty(), "mended; take them off the list of what is known:\n{mended:#?}");
}

/// The checks would hold of an empty tree, too.
#[test]
fn the_source_is_read() {
    let edges = source().edges();
    let known =
        [("app/workspace.rs", "view/mod.rs"), ("cli/check/args.rs", "rules/rule.rs"), ("main.rs", "cli/mod.rs")];
    for (from, to) in known {
        assert!(edges.iter().any(|edge| edge.from == from && edge.to == to), "{from} does not import {to}");
    }
    assert!(edges.len() > 300, "only {} imports", edges.len());
}

#[test]
fn imports_lead_down() {
    check(layers::violations(&source()), &[]);
}

#[test]
fn no_circles() {
    check(circles::violations(&source()), KNOWN);
}

#[test]
fn the_core_is_pure() {
    check(bans::violations(&source()), &[]);
}

#[test]
fn files_are_short() {
    let mut too_long = Vec::new();
    for file in source().files() {
        match file.lines {
            lines if lines > TOO_LONG => too_long.push(format!("{}: {lines} lines", file.path)),
            lines if lines > LONG => println!("long: {}: {lines} lines", file.path),
            _ => {}
        }
        if file.path == "main.rs" && file.lines >= 30 {
            too_long.push(format!("main.rs: {} lines, and it holds nothing but the call", file.lines));
        }
    }
    check(too_long, &[]);
}
