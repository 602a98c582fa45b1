//! A run that is killed at any of its writes leaves whole files, and the next run ends where it would have ended.

use crate::killing::{Scenario, kill_everywhere};
use crate::repo::{Repo, document};

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
fn killed_while_it_writes_for_the_first_time() {
    kill_everywhere(&Scenario { make: small, args: &["sync"], then: in_step });
}

#[test]
fn killed_while_it_updates() {
    let make = || {
        let repo = small_synced();
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
        repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
        repo.remove("agent/skills/cat/gamma/link");
        repo.link("agent/skills/cat/gamma/link", "other");
        repo
    };
    kill_everywhere(&Scenario { make, args: &["sync"], then: in_step });
}

#[test]
fn killed_while_it_removes() {
    let make = || {
        let repo = small_synced();
        repo.remove("agent/skills/alpha");
        repo.remove("agent/skills/cat/gamma");
        repo.write("agent/skills/beta/references/new.md", "new\n");
        repo
    };
    kill_everywhere(&Scenario { make, args: &["sync"], then: in_step });
}

#[test]
fn killed_while_it_adopts() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", document("beta") + "my edit\n");
        repo.write(".claude/skills/mine/SKILL.md", document("mine"));
        repo.write(".claude/skills/mine/notes.md", "notes\n");
        repo
    };
    let args = &["sync", "--adopt", ".claude/skills/beta", "--adopt", ".claude/skills/mine"];
    kill_everywhere(&Scenario { make, args, then: in_step });
}

#[test]
fn killed_while_it_forces() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", "my edit\n");
        repo.write(".codex/skills/alpha/SKILL.md", "an orphan of mine\n");
        repo.remove("agent/skills/alpha");
        repo
    };
    kill_everywhere(&Scenario { make, args: &["sync", "--force"], then: in_step });
}
