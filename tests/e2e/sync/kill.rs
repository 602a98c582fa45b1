//! A run killed at any of its writes leaves only complete files, and the next run reaches the state of an uninterrupted
//! run.

use crate::support::failpoints::{Scenario, copy, failpoints, for_each_failpoint, holds, interrupt_everywhere, kill};
use crate::support::repo::{Repo, document};

fn in_step(repo: &Repo) {
    repo.sync(&["--check"]).expect(0);
}

fn small() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "codex"]);
    repo.write("agent/skills/beta/SKILL.md", document("beta"));
    repo.write("agent/skills/cat/gamma/SKILL.md", document("gamma"));
    repo.link("agent/skills/cat/gamma/link", "SKILL.md");
    repo.write(".claude/skills/mine/SKILL.md", "mine\n");
    repo.write(".codex/skills/alpha/mine.md", "mine too\n");
    repo
}

fn small_synced() -> Repo {
    let repo = small();
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

#[test]
fn a_first_sync_survives_a_kill_at_any_write() {
    interrupt_everywhere(&Scenario {
        make: small,
        args: &["sync"],
        precious: &["mine\n", "mine too\n"],
        then: in_step,
    });
}

#[test]
fn an_update_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small_synced();
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
        repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
        repo.remove("agent/skills/cat/gamma/link");
        repo.link("agent/skills/cat/gamma/link", "other");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["mine\n", "mine too\n"], then: in_step });
}

#[test]
fn a_removal_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small_synced();
        repo.remove("agent/skills/alpha");
        repo.remove("agent/skills/cat/gamma");
        repo.write("agent/skills/beta/references/new.md", "new\n");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["mine\n", "mine too\n"], then: in_step });
}

#[test]
fn converting_copies_to_links_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small_synced();
        repo.write("agent/canonry.yaml", "targets: [claude, codex]\nmirrors: {claude: {mode: symlink}}\n");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["mine\n", "mine too\n"], then: in_step });
}

#[test]
fn converting_links_to_copies_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small();
        repo.write("agent/canonry.yaml", "targets: [claude, codex]\nmirrors: {claude: {mode: symlink}}\n");
        repo.sync(&["--commit"]).expect(0);
        repo.write("agent/canonry.yaml", "targets: [claude, codex]\n");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["mine\n", "mine too\n"], then: in_step });
}

#[test]
fn an_adoption_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", document("beta") + "my edit\n");
        repo.write(".claude/skills/mine/SKILL.md", document("mine"));
        repo.write(".claude/skills/mine/notes.md", "notes\n");
        repo
    };
    let args = &["sync", "--adopt", ".claude/skills/beta", "--adopt", ".claude/skills/mine"];
    interrupt_everywhere(&Scenario { make, args, precious: &["my edit\n", "notes\n"], then: in_step });
}

#[test]
fn a_forced_run_survives_a_kill_at_any_write() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", "my edit\n");
        repo.write(".codex/skills/alpha/SKILL.md", "an orphan of mine\n");
        repo.remove("agent/skills/alpha");
        repo
    };
    let precious = &["my edit\n", "an orphan of mine\n"];
    interrupt_everywhere(&Scenario { make, args: &["sync", "--force"], precious, then: in_step });
}

/// One skill in one mirror: the middle changed in the canon, the end changed in the mirror.
fn diverged() -> Repo {
    let text = |first: &str, last: &str| format!("{}{first}\n\nMiddle.\n\n{last}\n", document("beta"));
    let repo = Repo::empty();
    repo.targets(&["claude", "codex"]);
    repo.write("agent/skills/beta/SKILL.md", text("First.", "Last."));
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.write("agent/skills/beta/SKILL.md", text("By the canon.", "Last."));
    repo.write(".claude/skills/beta/SKILL.md", text("First.", "By hand."));
    repo
}

#[test]
fn a_merge_survives_a_kill_at_any_write() {
    let args = &["sync", "--adopt", ".claude/skills/beta"];
    interrupt_everywhere(&Scenario {
        make: diverged,
        args,
        precious: &["By the canon.\n", "By hand.\n"],
        then: in_step,
    });
}

#[test]
fn resolving_a_lock_survives_a_kill_at_any_write() {
    let make = || {
        let repo = Repo::empty();
        repo.targets(&["claude"]);
        repo.skill("beta");
        repo.sync(&[]).expect(0);
        repo.commit_all("synced");
        for (branch, skill) in [("other", "ant"), ("main", "alpha")] {
            repo.git(&["checkout", "-q", "-B", branch, if branch == "main" { "main" } else { "HEAD" }]);
            repo.skill(skill);
            repo.sync(&[]).expect(0);
            repo.commit_all(branch);
        }
        assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["news\n"], then: in_step });
}

/// Between the kill and the next run, a user edits a mirror and the canon, and adds a file.
#[test]
fn user_edits_between_a_kill_and_the_next_run_are_preserved() {
    let make = || {
        let repo = diverged();
        repo.write(".claude/skills/beta/SKILL.md", repo.read(".codex/skills/beta/SKILL.md"));
        repo.skill("alpha");
        repo
    };
    let edited = ".claude/skills/beta/SKILL.md";
    let added = ".codex/skills/alpha/notes.md";
    let template = make();
    let failpoints = failpoints(&copy(&template), &["sync"]);
    assert!(failpoints.len() > 10, "{failpoints:?}");
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &["sync"], failpoint);
        let complete = repo.text(".claude/skills/beta/SKILL.md") == repo.text("agent/skills/beta/SKILL.md")
            && repo.text("agent/mirrors.lock").contains("/alpha/")
            && !repo.exists(".git/canonry/journal");
        repo.write(edited, "edited in between\n");
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news in between\n");
        if repo.exists(".codex/skills/alpha") {
            repo.write(added, "added in between\n");
        }
        repo.sync(&[]).expect(5).says(&[&format!("{edited}: edited by hand")]);
        assert_eq!(repo.text(edited), "edited in between\n", "{failpoint:?}");
        assert!(!repo.exists(added) || repo.text(added) == "added in between\n", "{failpoint:?}");
        repo.assert_copied("beta", ".codex/skills/beta");
        repo.assert_copied("alpha", ".claude/skills/alpha");
        assert_eq!(
            repo.read(".codex/skills/alpha/SKILL.md"),
            repo.read("agent/skills/alpha/SKILL.md"),
            "{failpoint:?}"
        );
        if complete {
            return;
        }
        // The user may have edited the old or the new version: both are possible, so nothing may be merged.
        repo.sync(&["--adopt", edited]).expect(5);
        assert!(holds(&repo, "By the canon.\n"), "{failpoint:?}");
        repo.sync(&["--force"]).expect(0).says(&["backed up "]);
        assert!(holds(&repo, "edited in between\n"), "{failpoint:?}");
    });
}
