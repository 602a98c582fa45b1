//! `delete-root` guards the file system, home folders and the whole repository; `device-write` guards whole disks.

use super::GuardInput;
use crate::protocol::matching::options::Options;
use crate::protocol::matching::path::PathScope;
use crate::protocol::shell::Word;
use crate::protocol::verdict::{Verdict, VerdictReason};

const ROOT: &str = "canonry's guard `delete-root`";
const DEVICE: &str = "canonry's guard `device-write`";

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = devices(input);
    let simple = input.simple;
    let Some(program) = simple.program() else { return found };
    let args = &simple.words[1..];
    let options = Options::new(program, args);
    let is_recursive = match program {
        "rm" => options.has("-r") || options.has("-R"),
        "chmod" | "chown" | "chgrp" => options.has("-R"),
        "find" => args.iter().any(|word| word.text == "-delete"),
        "mv" | "shred" => true,
        _ => false,
    };
    if !is_recursive {
        return found;
    }
    let plain = args.iter().filter(|word| !word.text.starts_with('-'));
    let targets: Vec<&Word> = match program {
        "find" => args.iter().take_while(|word| !word.text.starts_with('-')).collect(),
        "chmod" | "chown" | "chgrp" => plain.skip(1).collect(),
        "mv" => plain.clone().take(plain.count().saturating_sub(1)).collect(),
        _ => plain.collect(),
    };
    found.extend(targets.into_iter().filter_map(|target| check_target(input, program, target)));
    found
}

fn check_target(input: &GuardInput<'_>, program: &str, target: &Word) -> Option<VerdictReason> {
    let verb = match program {
        "chmod" | "chown" | "chgrp" => "changes",
        "mv" => "moves",
        _ => "deletes",
    };
    let reason = |verdict, what: &str| Some(VerdictReason::guard(verdict, ROOT, format!("it {verb} {what}")));
    // Deleting everything in a folder is like deleting the folder.
    let text = target.text.strip_suffix("/*").or(target.text.strip_suffix("/.")).unwrap_or(&target.text);
    let text = if text.is_empty() {
        "/"
    } else if text == "*" {
        "."
    } else {
        text
    };
    if !target.is_known() {
        let begins = target.text.starts_with('\0');
        return if begins && program != "find" { reason(Verdict::Ask, "something unknown") } else { None };
    }
    match input.context.roots.locate(input.simple.cwd.as_deref(), text) {
        PathScope::Inside(path) if path.is_empty() && !is_selective(input) => {
            reason(Verdict::Deny, "the whole repository")
        }
        PathScope::Inside(path) if path == ".git" || path.starts_with(".git/") => {
            reason(Verdict::Deny, "the .git folder")
        }
        PathScope::Inside(_) | PathScope::Unresolved(_) => None,
        PathScope::Outside(path) => {
            outside(&path, &input.context.roots.top).and_then(|(verdict, what)| reason(verdict, what))
        }
    }
}

/// Checks whether `find` selects only some files.
fn is_selective(input: &GuardInput<'_>) -> bool {
    let tests = ["-name", "-iname", "-path", "-regex", "-empty", "-newer", "-mtime", "-size"];
    input.simple.program() == Some("find") && input.simple.words.iter().any(|word| tests.contains(&word.text.as_str()))
}

/// Returns the verdict on deleting a path outside the repository.
fn outside(path: &str, top: &str) -> Option<(Verdict, &'static str)> {
    let is_temporary =
        ["/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/"].iter().any(|folder| path.starts_with(folder));
    let depth = path.split('/').filter(|part| !part.is_empty()).count();
    match () {
        () if path == "/" => Some((Verdict::Deny, "the root of the file system")),
        () if path == "~" => Some((Verdict::Deny, "a home folder")),
        () if top == path || top.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) => {
            Some((Verdict::Deny, "a folder above the repository"))
        }
        () if is_temporary => None,
        () if depth <= 1 && !path.starts_with('~') => Some((Verdict::Deny, "a system folder")),
        () if depth == 2 && (path.starts_with("/home/") || path.starts_with("/Users/")) => {
            Some((Verdict::Deny, "a home folder"))
        }
        () => Some((Verdict::Ask, "a path outside the repository")),
    }
}

fn devices(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let is_disk = |word: &Word| {
        let text = word.text.as_str();
        let kinds = ["sd", "hd", "nvme", "disk", "rdisk", "vd", "xvd", "mmcblk", "mapper/"];
        text.strip_prefix("/dev/").is_some_and(|name| kinds.iter().any(|kind| name.starts_with(kind)))
    };
    let written = crate::protocol::files::writes(simple);
    let formats = simple
        .program()
        .is_some_and(|program| program.starts_with("mkfs") || matches!(program, "wipefs" | "fdisk" | "parted"));
    let hits = written.iter().any(|(_, word)| is_disk(word)) || formats;
    hits.then(|| VerdictReason::guard(Verdict::Deny, DEVICE, "it overwrites a disk")).into_iter().collect()
}
