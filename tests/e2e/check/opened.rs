//! A check reads each file of the work tree and each blob of a commit only once, and no job lists a folder twice.

use crate::support::repo::Repo;
use std::collections::BTreeMap;
use std::process::Stdio;

/// A synced canon with every kind of file, after one dream, committed as loose objects.
fn everything() -> Repo {
    let repo = Repo::empty();
    for args in [
        &["init", "--all"][..],
        &["sync", "--commit"],
        &["log", "--skill", "plan", "--action", "planned the release", "--result", "success"],
        &["dream"],
    ] {
        let ran = repo.canonry(args);
        assert_eq!(ran.status, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "all"]);
    // Files newer than the index may have changed since it was written, so git and canonry would have to read them.
    let mut find = repo.command("find");
    find.args([".", "-type", "f", "-not", "-path", "./.git/*"]);
    let touched = find.args(["-exec", "touch", "-d", "2023-01-01T00:00:00Z", "{}", "+"]).status().unwrap();
    assert!(touched.success());
    repo.git(&["update-index", "-q", "--refresh"]);
    repo
}

/// Counts how often a run opens each path for reading.
fn opened(repo: &Repo, args: &[&str]) -> BTreeMap<String, usize> {
    let log = repo.tmp().join("trace");
    let mut command = repo.command("strace");
    command.args(["-f", "-qq", "-s", "4096", "-e", "trace=open,openat", "-o"]).arg(&log);
    command.arg(assert_cmd::cargo::cargo_bin!("canonry")).args(args).stdout(Stdio::null());
    assert_eq!(command.status().unwrap().code(), Some(0));
    let mut counts = BTreeMap::new();
    let top = format!("{}/", std::fs::canonicalize(&repo.root).unwrap().display());
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let failed = line.contains("= -1 ");
        let path = line.split('"').nth(1).and_then(|path| path.strip_prefix(&top).or(path.strip_prefix("./")));
        if let Some(path) = path.filter(|_| !failed && !line.contains("O_DIRECTORY")) {
            *counts.entry(path.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Counts how often a run lists each folder of the work tree.
fn listed(repo: &Repo, args: &[&str]) -> BTreeMap<String, usize> {
    let log = repo.tmp().join("listings");
    std::fs::write(&log, "").unwrap();
    let mut command = repo.command(assert_cmd::cargo::cargo_bin!("canonry"));
    command.args(args).env("CANONRY_LISTING_LOG", &log).stdout(Stdio::null());
    assert_eq!(command.status().unwrap().code(), Some(0), "{args:?}");
    let mut counts = BTreeMap::new();
    for folder in std::fs::read_to_string(&log).unwrap().lines() {
        *counts.entry(folder.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn no_folder_is_listed_twice_and_none_for_the_index() {
    let repo = everything();
    repo.write(".gitignore", "node_modules/\n");
    repo.write("node_modules/tool/skills/pdf/SKILL.md", "ignored\n");
    for args in [&["check"][..], &["status"], &["sync"], &["sync", "--check"]] {
        let listed = listed(&repo, args);
        let mirrors = listed.keys().filter(|folder| folder.contains("/.claude/skills/")).count();
        assert!(mirrors > 0, "{args:?}: {listed:#?}");
        let twice: Vec<_> = listed.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "{args:?}: {twice:#?}");
    }
    for args in [&["check", "--staged"][..], &["check", "--rev", "HEAD"]] {
        assert_eq!(listed(&repo, args), BTreeMap::new(), "{args:?}");
    }
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_no_file_is_opened_twice() {
    let repo = everything();
    let opened = opened(&repo, &["check"]);
    let files: Vec<_> = opened.iter().filter(|(path, _)| path.starts_with("agent/")).collect();
    assert!(files.len() > 20, "{opened:#?}");
    // The log is read a second time for the episodes cited by lessons, because it may be too large to keep in memory.
    let is_log = |path: &str| path.ends_with("AGENT_LEARNINGS.jsonl");
    let twice: Vec<_> = files.into_iter().filter(|(path, count)| **count > 1 + usize::from(is_log(path))).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_no_blob_of_a_commit_is_read_twice() {
    let repo = everything();
    let opened = opened(&repo, &["check", "--rev", "HEAD"]);
    let id = |path: &str| path.strip_prefix(".git/objects/").map(|rest| rest.replace('/', ""));
    let objects: Vec<_> = opened.iter().filter_map(|(path, count)| Some((id(path)?, *count))).collect();
    let is_blob = |id: &str| repo.git(&["cat-file", "-t", id]) == "blob";
    let blobs: Vec<_> = objects.into_iter().filter(|(id, _)| is_blob(id)).collect();
    assert!(blobs.len() > 20, "{opened:#?}");
    // The index says how large the files are, so no header is read.
    let twice: Vec<_> = blobs.into_iter().filter(|(_, count)| *count > 1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

/// The lock records the output per tool, so that no document of a skill has to be read for its tool sections.
#[test]
#[ignore = "needs strace"]
fn needs_strace_an_up_to_date_sync_reads_no_document() {
    let repo = everything();
    let opened = opened(&repo, &["sync", "--check"]);
    assert!(opened.contains_key("agent/mirrors.lock"), "{opened:#?}");
    let documents: Vec<_> = opened.keys().filter(|path| path.contains("/skills/") && path.ends_with(".md")).collect();
    assert!(documents.is_empty(), "{documents:#?}");
}
