//! Tests of the checks themselves, on small sources with violations.

use crate::tree::Tree;
use crate::{bans, cycles, dialect};

#[track_caller]
fn assert_found(found: Vec<String>, wanted: &[&str]) {
    assert_eq!(found, wanted);
}

fn tree(texts: &[(&str, &str)]) -> Tree {
    Tree::of(texts)
}

#[test]
fn every_spelling_of_an_import_is_found() {
    let spellings = [
        "use crate::view::View;",
        "use crate::{edit::Edit, view::{View, Kind}};",
        "pub use super::view::View;",
        "use super::view as eyes;",
        "fn f(view: &crate::view::View) {}",
        "fn f() { crate::view::open() }",
        "fn f() { matches!(1, crate::view::ONE) }",
        "fn f() -> Vec<Option<super::view::View>> { Vec::new() }",
        "impl crate::view::Read for X {}",
        "mod inner { use super::super::view::View; }",
        "use crate as all; fn f() { all::view::open() }",
    ];
    for spelling in spellings {
        let tree = tree(&[("view/mod.rs", ""), ("edit.rs", ""), ("rules.rs", spelling)]);
        let found = tree.edges().into_iter().any(|edge| edge.from == "rules.rs" && edge.to == "view/mod.rs");
        assert!(found, "{spelling}");
    }
}

#[test]
fn cycles_between_modules_are_found() {
    let tree = tree(&[("view/mod.rs", "use crate::apply::A;"), ("apply/mod.rs", "use crate::view::V;")]);
    assert_found(cycles::between_modules(&tree), &["apply -> view -> apply"]);
}

#[test]
fn cycles_between_files_are_found() {
    let tree = tree(&[
        ("view/mod.rs", "mod a; mod b; mod c;"),
        ("view/a.rs", "use super::b::B;"),
        ("view/b.rs", "fn f() { crate::view::c::g() }"),
        ("view/c.rs", "use super::a;"),
    ]);
    assert_found(cycles::between_files(&tree), &["view/a.rs -> view/b.rs -> view/c.rs -> view/a.rs"]);
}

#[test]
fn a_child_may_import_from_its_parent() {
    let tree = tree(&[("view/mod.rs", "mod a; fn f() { a::g() } pub struct V;"), ("view/a.rs", "use super::V;")]);
    assert_found(cycles::between_files(&tree), &[]);
}

#[test]
fn re_exports_of_a_parent_are_not_a_cycle() {
    let tree = tree(&[
        ("view/mod.rs", "mod a; mod b; pub use a::A; pub(crate) use b::B;"),
        ("view/a.rs", "pub struct A;"),
        ("view/b.rs", "use super::A; pub struct B;"),
    ]);
    assert_found(cycles::between_files(&tree), &[]);
    let edges: Vec<(String, String)> = tree.edges().into_iter().map(|edge| (edge.from, edge.to)).collect();
    assert!(edges.contains(&("view/b.rs".to_owned(), "view/a.rs".to_owned())), "{edges:?}");
}

#[test]
fn side_effects_are_found() {
    let spellings = [
        ("use std::fs;", "std::fs"),
        ("use std::fs as x;", "std::fs"),
        ("use std::{fmt, env::{self, var}};", "std::env"),
        ("fn f() { std::process::exit(1) }", "std::process::exit"),
        ("use std::time; fn f() { time::Instant::now(); }", "std::time::Instant::now"),
        ("use std as s; fn f() { s::fs::read(p); }", "std::fs::read"),
        ("use jiff::Timestamp; fn f() { Timestamp::now(); }", "jiff::Timestamp::now"),
        ("use std::time::*;", "std::time::*"),
        ("use std::io::{self}; fn f() { writeln!(io::stdout(), x); }", "std::io::stdout"),
        ("use walkdir::WalkDir;", "walkdir::WalkDir"),
    ];
    for (spelling, named) in spellings {
        let found = bans::side_effects(&tree(&[("mirror/mod.rs", spelling)]));
        assert_eq!(found.first(), Some(&format!("mirror/mod.rs:1: {named} belongs in `repo` or `app`")), "{spelling}");
    }
    let asks = "use std::path::Path; fn f(p: &Path) -> bool { p.exists() }";
    assert_found(
        bans::side_effects(&tree(&[("plan/mod.rs", asks)])),
        &["plan/mod.rs:1: reads the disk with .exists()"],
    );
    assert_found(
        bans::prints(&tree(&[("git/mod.rs", "fn f() { println!(); }")])),
        &["git/mod.rs:1: prints with println!"],
    );
}

#[test]
fn test_code_is_ignored() {
    let tree = tree(&[
        (
            "plan/mod.rs",
            "#[cfg(test)] #[path = \"plan_tests.rs\"] mod tests; #[cfg(test)] mod sample; #[cfg(test)] mod t { use std::fs; }",
        ),
        ("plan/plan_tests.rs", "use crate::view::V;"),
        ("plan/sample.rs", "use crate::cli::C;"),
        ("view/mod.rs", ""),
        ("cli/mod.rs", ""),
    ]);
    assert!(tree.edges().is_empty());
    assert_found(bans::side_effects(&tree), &[]);
    // Code that may be compiled into the product is not ignored.
    let shipped = Tree::of(&[("plan/mod.rs", "#[cfg(any(test, unix))] use std::fs;")]);
    assert_eq!(bans::side_effects(&shipped).len(), 1);
}

#[test]
fn the_dialect_is_found() {
    let forms = [
        ("fn f() { match () { () if a => b, () => c } }", "`match ()`: write `if` and `else`"),
        ("fn f() { g(match a { true => b, _ => c }) }", "`match` on a bool: write `if` and `else`"),
        ("fn f() { vec![match a { true if b => c, false => d }] }", "`match` on a bool: write `if` and `else`"),
        (
            "fn f() { let (a, mut b): (A, B) = (c, d); }",
            "a tuple is built only to be taken apart: write a `let` for each part",
        ),
        (
            "fn f() { if let (a, Some(b)) = (c, d) {} }",
            "a tuple is built only to be taken apart: write a `let` for each part",
        ),
        ("fn f() -> Result<Result<A, B>, C> {}", "`Result<Result<…>>`: write an enum whose variants have names"),
        ("struct S(Vec<Option<Option<A>>>);", "`Option<Option<…>>`: write an enum whose variants have names"),
        ("/// What it is.\nstruct S;", "a doc comment begins with `What`: name the thing with a noun"),
        ("m! { /// How it is.\nstruct S; }", "a doc comment begins with `How`: name the thing with a noun"),
    ];
    for (text, message) in forms {
        assert_eq!(dialect::violations("a.rs", text), [format!("a.rs:1: {message}")], "{text}");
    }
    let plain = "//! One.\n//! What follows.\n
        fn f() {
            match (a, b) { (true, false) => c, _ => d };
            let (Some(a), Some(b), None) = (c, d, e) else { return };
            let (a, b) = f();
        }
        struct S { #[arg(long)] a: Option<Option<String>>, b: Option<Result<A, B>> }";
    assert_found(dialect::violations("a.rs", plain), &[]);
}
