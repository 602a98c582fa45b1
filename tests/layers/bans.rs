//! What the lower floors must not do: they are given bytes, time and settings, and give back findings, edits and text.

use crate::layers::floor;
use crate::parse::Named;
use crate::tree::{File, Tree};

/// The floor of `view`, `apply`, `git` and `exec`.
const OUTSIDE: usize = 5;
/// The floor of `cli`.
const COMMANDS: usize = 8;

const BANNED: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "env"],
    &["std", "process"],
    &["std", "net"],
    &["std", "time", "SystemTime"],
    &["std", "time", "Instant"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
    &["gix", "open"],
    &["gix", "init"],
    &["gix", "discover"],
    &["ignore"],
    &["tempfile"],
    &["walkdir"],
    &["signal_hook"],
];

/// Methods of `Path` that ask the disk.
const ASKS_THE_DISK: [&str; 10] = [
    "exists",
    "try_exists",
    "is_file",
    "is_dir",
    "is_symlink",
    "metadata",
    "symlink_metadata",
    "canonicalize",
    "read_link",
    "read_dir",
];

const PRINTS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

pub fn violations(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in tree.files() {
        let Some(floor) = floor(&file.path) else { continue };
        let prints = file.parsed.macros.iter().filter(|(name, _)| PRINTS.contains(&name.as_str()));
        if floor < COMMANDS {
            found.extend(prints.map(|(name, line)| format!("{}:{line}: prints with {name}!", file.path)));
        }
        if floor < OUTSIDE {
            found.extend(reaches_out(tree, file));
        }
    }
    found
}

fn reaches_out(tree: &Tree, file: &File) -> Vec<String> {
    let imports = file.parsed.imports.iter().map(|import| &import.named);
    let mut found = Vec::new();
    let mut knows_paths = false;
    for named in imports.chain(&file.parsed.paths) {
        let full = tree.written_out(file, named);
        knows_paths |= full.starts_with(&["std".to_owned(), "path".to_owned()]);
        if is_banned(&full) {
            found.push(said(file, named, &full));
        }
    }
    let asks = file.parsed.methods.iter().filter(|(name, _)| knows_paths && ASKS_THE_DISK.contains(&name.as_str()));
    found.extend(asks.map(|(name, line)| format!("{}:{line}: asks the disk with .{name}()", file.path)));
    found
}

fn said(file: &File, named: &Named, full: &[String]) -> String {
    format!("{}:{}: {} belongs on floor {OUTSIDE} or above", file.path, named.line, full.join("::"))
}

fn is_banned(full: &[String]) -> bool {
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let now = full.first() == Some(&"jiff") && full.last() == Some(&"now");
    let listed = BANNED.iter().any(|ban| match full.split_last() {
        // `use std::*` takes in all of it.
        Some((&"*", outer)) => ban.starts_with(outer) || full.starts_with(ban),
        _ => full.starts_with(ban),
    });
    now || listed
}
