//! The tour: its output, the directories it writes to, and its independence of the user's settings.

use crate::support::repo::{Ran, Repo};
use std::path::PathBuf;

fn scratches(repo: &Repo) -> Vec<PathBuf> {
    std::fs::read_dir(repo.tmp()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs without an identity, a repository or a terminal, and with git settings that would break a commit.
#[test]
fn works_without_any_configuration() {
    let outside = Repo::without_git();
    let home = outside.tmp().with_file_name("home");
    std::fs::write(home.join("ignored"), ".claude/\n").unwrap();
    let config = format!(
        "[core]\nexcludesFile = {}\nautocrlf = true\n[commit]\ngpgSign = true\n",
        home.join("ignored").display()
    );
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    let Ran { stdout, stderr, status } = outside.canonry(&["tour"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "colours without a terminal");
    assert!(stdout.lines().count() <= 180, "{} lines are too many to read", stdout.lines().count());
    for part in [
        "$ canonry check",
        "yaml-invalid",
        "broken-link",
        "Committed 38 files",
        "edited by hand",
        "adopted",
        "dream cycle: promoted 1, decayed 1, kept 3",
        "draft: attempt 1 failed and may be tried again: `grep -q '^## Fixed' notes/RELEASE.md` exited 1",
        "release: 4 of 4 steps complete, 5 attempts in this run",
        "release: 4 commands passed in a clean checkout",
    ] {
        assert!(stdout.contains(part), "no `{part}` in:\n{stdout}");
    }
    assert_eq!(std::fs::read_dir(&outside.root).unwrap().count(), 0, "written outside of the temporary folder");
    let [scratch] = scratches(&outside).try_into().unwrap();
    let git = |args: &[&str]| {
        let output = outside.command("git").current_dir(&scratch).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["fsck", "--strict", "--no-dangling"]), "");
    let log = git(&["log", "--format=%an %s"]);
    let first = "Canonry Tour Plan the release notes\n\
                 Canonry Tour dream cycle: promoted 1, decayed 1, kept 3, staged 1\nCanonry Tour Add our skills\n";
    assert!(log.ends_with(first), "{log}");
    // The work that was refused is kept.
    assert_eq!(git(&["worktree", "list"]).lines().count(), 2);
    let script = git(&["ls-tree", "HEAD", ".claude/skills/release-notes/scripts/collect.sh"]);
    assert!(script.starts_with("100755 "), "{script}");
    let last = stdout.rfind("stays at").unwrap();
    assert!(stdout[last..].contains(std::fs::canonicalize(&scratch).unwrap().to_str().unwrap()), "{stdout}");
}

/// The commands at the end of the tour work.
#[test]
fn next_commands_work() {
    let repo = Repo::with_skill();
    let tour = repo.canonry(&["tour"]).stdout;
    let next: Vec<&str> = tour.lines().filter_map(|line| line.strip_prefix("    canonry ")).collect();
    assert_eq!(next.len(), 5, "{tour}");
    for line in next {
        let command = line.split("  ").next().unwrap();
        let args: Vec<&str> = command.split(' ').collect();
        assert_eq!(repo.canonry(&args).status, 0, "{command}");
    }
}

/// In a git hook, every git program works in the repository of the variables.
#[test]
fn refuses_to_work_in_another_repository() {
    let repo = Repo::with_skill();
    let git_dir = repo.path(".git");
    for (name, value) in [("GIT_DIR", git_dir.clone()), ("GIT_INDEX_FILE", git_dir.join("index"))] {
        let ran: Ran = repo.canonry_command().arg("tour").env(name, value).output().unwrap().into();
        assert_eq!(ran.status, 65, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("another git repository"), "{}", ran.stderr);
    }
    assert_eq!(scratches(&repo), Vec::<PathBuf>::new(), "the temporary repository must be removed");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? agent/");
}
