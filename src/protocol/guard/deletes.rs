//! `delete-root`: a whole system, a home, or all of the repository. `device-write`: a disk as a whole.

use super::GuardInput;
use crate::protocol::matching::options::Options;
use crate::protocol::matching::path::PathScope;
use crate::protocol::shell::Word;
use crate::protocol::verdict::{Verdict, VerdictReason};

const ROOT: &str = "canonry's guard `delete-root`";
const DEVICE: &str = "canonry's guard `device-write`";

pub(super) fn check(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = devices(case);
    let simple = case.simple;
    let Some(program) = simple.program() else { return found };
    let args = &simple.words[1..];
    let options = Options::of(program, args);
    let goes_down = match program {
        "rm" => options.has("-r") || options.has("-R"),
        "chmod" | "chown" | "chgrp" => options.has("-R"),
        "find" => args.iter().any(|word| word.text == "-delete"),
        "mv" | "shred" => true,
        _ => false,
    };
    if !goes_down {
        return found;
    }
    let plain = args.iter().filter(|word| !word.text.starts_with('-'));
    let targets: Vec<&Word> = match program {
        "find" => args.iter().take_while(|word| !word.text.starts_with('-')).collect(),
        "chmod" | "chown" | "chgrp" => plain.skip(1).collect(),
        "mv" => plain.clone().take(plain.count().saturating_sub(1)).collect(),
        _ => plain.collect(),
    };
    found.extend(targets.into_iter().filter_map(|target| judged(case, program, target)));
    found
}

fn judged(case: &GuardInput<'_>, program: &str, target: &Word) -> Option<VerdictReason> {
    let verb = match program {
        "chmod" | "chown" | "chgrp" => "changes",
        "mv" => "moves",
        _ => "deletes",
    };
    let reason = |verdict, what: &str| Some(VerdictReason::guard(verdict, ROOT, format!("it {verb} {what}")));
    // All that lies in a folder is as good as the folder.
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
        return if begins && program != "find" { reason(Verdict::Ask, "what cannot be known") } else { None };
    }
    match case.around.roots.place(case.simple.cwd.as_deref(), text) {
        PathScope::Inside(path) if path.is_empty() && !chooses(case) => reason(Verdict::Deny, "the whole repository"),
        PathScope::Inside(path) if path == ".git" || path.starts_with(".git/") => {
            reason(Verdict::Deny, "git's own folder")
        }
        PathScope::Inside(_) | PathScope::Unresolved(_) => None,
        PathScope::Outside(path) => {
            outside(&path, &case.around.roots.top).and_then(|(verdict, what)| reason(verdict, what))
        }
    }
}

/// Whether `find` takes only some of what there is.
fn chooses(case: &GuardInput<'_>) -> bool {
    let tests = ["-name", "-iname", "-path", "-regex", "-empty", "-newer", "-mtime", "-size"];
    case.simple.program() == Some("find") && case.simple.words.iter().any(|word| tests.contains(&word.text.as_str()))
}

/// Of a path outside the repository.
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
        () if depth <= 1 && !path.starts_with('~') => Some((Verdict::Deny, "a folder of the system")),
        () if depth == 2 && (path.starts_with("/home/") || path.starts_with("/Users/")) => {
            Some((Verdict::Deny, "a home folder"))
        }
        () => Some((Verdict::Ask, "what lies outside the repository")),
    }
}

fn devices(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = case.simple;
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
    hits.then(|| VerdictReason::guard(Verdict::Deny, DEVICE, "it writes a disk as a whole")).into_iter().collect()
}
