//! Conditions of a run that are checked before a worker starts.

use super::run;
use super::run::{ONCE, WORKTREES, project};
use crate::support::repo::Repo;
use crate::support::small::Small;
use std::os::unix::fs::PermissionsExt as _;

const ONE: &str = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}\n";
const PAIR: &str = "steps:
  - {id: a, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/b\"], files: [out/b]}
";

fn hook(repo: &Repo, name: &str, text: &str, mode: u32) {
    let path = format!(".git/hooks/{name}");
    repo.write(&path, text);
    std::fs::set_permissions(repo.path(&path), std::fs::Permissions::from_mode(mode)).unwrap();
}

fn has_started(repo: &Repo) -> bool {
    repo.path(".git/canonry/attempts/build/a.1.log").exists()
}

#[test]
fn a_hook_that_cannot_start_is_found_before_a_worker_starts() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        for (first, missing) in [("/no/such/sh", "/no/such/sh"), ("/usr/bin/env no-such-sh", "no-such-sh")] {
            let repo = project(ONE, ONCE);
            hook(&repo, name, &format!("#!{first}\n"), 0o755);
            let ran = repo.canonry(&["run", "exec"]);
            assert_ne!(ran.status, 0);
            let words = format!(
                "hooks/{name}` cannot be run; check its first line and its permissions: there is no `{missing}`"
            );
            assert!(ran.stderr.contains(&words), "{}", ran.stderr);
            assert!(!has_started(&repo));
        }
    }
    // As git does.
    let repo = project(ONE, ONCE);
    hook(&repo, "pre-commit", "#!/bin/sh\nexit 1\n", 0o644);
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains(".git/hooks/pre-commit is not executable, so no commit runs it"), "{}", ran.stderr);
}

#[test]
#[ignore = "needs root, to mount a file system"]
fn needs_mount_a_full_disk_is_found_before_a_worker_starts() {
    let small = Small::mount("24m");
    let repo = Repo::at(tempfile::tempdir_in(small.0.path()).unwrap());
    let other = project(PAIR, WORKTREES);
    for path in ["agent/owners.yaml", "agent/plans/build/plan.yaml", ".gitignore"] {
        repo.write(path, std::fs::read(other.path(path)).unwrap());
    }
    repo.write("large", "x".repeat(6 << 20));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "state"]);
    let ran = run(&repo, &["exec"], 5);
    assert!(
        ran.stderr.contains("3 work trees need 19 MiB, and ") && ran.stderr.contains(" MiB left"),
        "{}",
        ran.stderr
    );
    assert!(!has_started(&repo));
    run(&repo, &["exec", "--workers", "1"], 0);
}
