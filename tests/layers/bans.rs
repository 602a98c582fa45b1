//! Bans in pure crates: they take bytes, times and settings, and return findings, edits and text.

use crate::parse::Named;
use crate::tree::{File, Tree};

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

/// Methods of `Path` that read the disk.
const READS_THE_DISK: [&str; 10] = [
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

/// Modules that write only through `crate::fs`, whose failpoints the tests interrupt runs at.
const WRITERS: [&str; 3] = ["apply/", "git/", "view/"];

/// Functions of `std::fs` that write.
const WRITES: [&str; 10] = [
    "copy",
    "create_dir",
    "create_dir_all",
    "hard_link",
    "remove_dir",
    "remove_dir_all",
    "remove_file",
    "rename",
    "set_permissions",
    "write",
];

const PRINTS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// Macros that print: only the binary does.
pub fn prints(tree: &Tree) -> Vec<String> {
    let files = tree.files().iter();
    let all = files.flat_map(|file| file.parsed.macros.iter().map(move |(name, line)| (file, name, line)));
    let prints = all.filter(|(_, name, _)| PRINTS.contains(&name.as_str()));
    prints.map(|(file, name, line)| format!("{}:{line}: prints with {name}!", file.path)).collect()
}

/// Uses of the file system, the environment, processes and clocks.
pub fn side_effects(tree: &Tree) -> Vec<String> {
    tree.files().iter().flat_map(|file| effects_of(tree, file)).collect()
}

/// Writes past the failpoints, at which the tests interrupt runs.
pub fn direct_writes(tree: &Tree) -> Vec<String> {
    let files = tree.files().iter().filter(|file| WRITERS.iter().any(|module| file.path.starts_with(module)));
    files.flat_map(|file| writes_of(tree, file)).collect()
}

fn effects_of(tree: &Tree, file: &File) -> Vec<String> {
    let imports = file.parsed.imports.iter().map(|import| &import.named);
    let mut found = Vec::new();
    let mut knows_paths = false;
    for named in imports.chain(&file.parsed.paths) {
        let full = tree.written_out(file, named);
        knows_paths |= full.starts_with(&["std".to_owned(), "path".to_owned()]);
        if is_banned(&full) {
            found.push(message(file, named, &full));
        }
    }
    let reads = file.parsed.methods.iter().filter(|(name, _)| knows_paths && READS_THE_DISK.contains(&name.as_str()));
    found.extend(reads.map(|(name, line)| format!("{}:{line}: reads the disk with .{name}()", file.path)));
    found
}

fn writes_of(tree: &Tree, file: &File) -> Vec<String> {
    let imports = file.parsed.imports.iter().map(|import| &import.named);
    let all = imports.chain(&file.parsed.paths).map(|named| (named, tree.written_out(file, named)));
    let writes = all.filter(|(_, full)| matches!(&full[..], [std, fs, name] if std == "std" && fs == "fs" && WRITES.contains(&name.as_str())));
    writes
        .map(|(named, full)| format!("{}:{}: {}: write through crate::fs", file.path, named.line, full.join("::")))
        .collect()
}

fn message(file: &File, named: &Named, full: &[String]) -> String {
    format!("{}:{}: {} belongs in `repo` or `app`", file.path, named.line, full.join("::"))
}

fn is_banned(full: &[String]) -> bool {
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let now = full.first() == Some(&"jiff") && full.last() == Some(&"now");
    let listed = BANNED.iter().any(|ban| match full.split_last() {
        // `use std::*` imports all of it.
        Some((&"*", outer)) => ban.starts_with(outer) || full.starts_with(ban),
        _ => full.starts_with(ban),
    });
    now || listed
}
