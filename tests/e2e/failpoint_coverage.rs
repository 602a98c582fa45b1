//! Traces runs and compares them with the failpoints: a failpoint precedes every system call that changes a file of the
//! repository. Therefore, tests that interrupt a run at each failpoint interrupt it at each write.

use crate::dream::kill::full;
use crate::dream::team::NOW;
use crate::support::repo::{Repo, binary, document};
use std::process::Stdio;

const TRACED: &str = "trace=openat,write,pwrite64,copy_file_range,sendfile,ftruncate,rename,renameat,renameat2,link,linkat,\
                      unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat,fsync,fdatasync,chmod,fchmod,fchmodat,utimensat";

/// The system calls that a failpoint announces. A single call of gix makes several.
fn announced(failpoint: &str) -> Option<&'static [&'static str]> {
    Some(match failpoint {
        "create" => &["openat"],
        "write" => &["write", "pwrite64", "copy_file_range", "sendfile"],
        "truncate" => &["ftruncate"],
        "fsync" => &["fsync", "fdatasync"],
        "utime" => &["utimensat"],
        "chmod" => &["chmod", "fchmod", "fchmodat"],
        "mkdir" => &["mkdir", "mkdirat"],
        "symlink" => &["symlink", "symlinkat"],
        "rename" => &["rename", "renameat", "renameat2", "link", "linkat"],
        "link" => &["link", "linkat"],
        "unlink" => &["unlink", "unlinkat"],
        "rmdir" => &["rmdir", "unlinkat"],
        _ => return None,
    })
}

/// Whether a traced call changes something in the repository.
fn changes_repository(call: &str, line: &str, root: &str) -> bool {
    let failed = line.contains(") = -1 ");
    let within = line.contains(root) || !line.contains("\"/") && !line.contains('<');
    // Without O_EXCL, the file is a lock or a log that usually exists.
    let creates = line.contains("O_CREAT") && line.contains("O_EXCL");
    !failed && within && (call != "openat" || creates)
}

#[track_caller]
fn assert_covered(repo: &Repo, args: &[&str]) {
    let folder = repo.home();
    let trace = folder.join("trace");
    let log = folder.join("failpoints");
    let mut command = repo.command("strace");
    command.env("RAYON_NUM_THREADS", "1").env("CANONRY_FAILPOINT_LOG", &log);
    command.args(["-f", "-qq", "-y", "-s", "64", "-e", "signal=none", "-e", TRACED, "-o"]).arg(&trace);
    let status = command.arg(binary()).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    let root = repo.root.to_str().unwrap();
    let log = log.to_str().unwrap();
    let trace = std::fs::read_to_string(trace).unwrap();
    let mut failpoint = String::new();
    let mut reached = 0;
    let mut uncovered = Vec::new();
    for line in trace.lines().filter(|line| !line.contains("resumed>")) {
        let Some((call, arguments)) = line.split_once('(') else { continue };
        let call = call.rsplit(' ').next().unwrap();
        if line.contains(log) {
            if call == "write" {
                failpoint = arguments.split('"').nth(1).unwrap().trim_end_matches("\\n").to_owned();
                reached += 1;
            }
        } else if changes_repository(call, line, root) {
            let covered = reached > 0 && announced(&failpoint).is_none_or(|calls| calls.contains(&call));
            if !covered {
                uncovered.push(format!("after `{failpoint}`: {line}"));
            }
        }
    }
    // An append to the log is a single write, and so is the release of a claim.
    let least = if ["log", "run"].contains(&args[0]) { 1 } else { 6 };
    assert!(reached >= least, "{args:?}: {reached} failpoints");
    assert!(uncovered.is_empty(), "{args:?}: {uncovered:#?}");
}

fn changed() -> Repo {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
    repo.remove("agent/skills/beta");
    repo.skill("gamma");
    repo.link("agent/skills/gamma/link", "SKILL.md");
    repo
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_each_write_of_a_sync_has_a_failpoint() {
    assert_covered(&changed(), &["sync"]);
    assert_covered(&changed(), &["sync", "--commit"]);
    let repo = changed();
    repo.write(".claude/skills/alpha/SKILL.md", "edited by hand\n");
    assert_covered(&repo, &["sync", "--force"]);
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "edited by hand\n");
    assert_covered(&repo, &["sync", "--adopt", ".claude/skills/alpha"]);
    let repo = changed();
    repo.git(&["add", "agent"]);
    assert_covered(&repo, &["sync", "--staged"]);
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_each_write_of_a_claim_has_a_failpoint() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/plans/p/plan.yaml", "steps: [{id: a, owner: A, criteria: c}]\n");
    assert_covered(&repo, &["run", "claim", "a", "--as", "w1"]);
    assert_covered(&repo, &["run", "claim", "a", "--as", "w1"]);
    assert_covered(&repo, &["run", "release", "a", "--as", "w1"]);
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_each_write_of_an_init_has_a_failpoint() {
    let repo = Repo::empty();
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    assert_covered(&repo, &["init", "--all"]);
}

#[test]
#[ignore = "needs strace"]
fn needs_strace_each_write_of_a_dream_has_a_failpoint() {
    let repo = full();
    assert_covered(&repo, &["dream", "--now", NOW]);
    assert_covered(&repo, &["memory", "undo"]);
    assert_covered(&repo, &["log", "--action", "a"]);
}
