//! A mirror that holds what an earlier sync wrote is not an edit, whatever happened to canon and lock since.

use crate::support::repo::{Repo, document};

const CANON: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";
const TEAM: &str = "alpha-team";

fn text(line: &str) -> String {
    document("alpha") + line + "\n"
}

/// A repository whose mirrors the team's own `.gitignore` leaves out, and a clone of it.
fn team() -> (Repo, Repo) {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "codex"]);
    repo.write(".gitignore", ".claude/\n.codex/\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", TEAM]);
    let clone = Repo::empty();
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone.sync(&[]).expect(0);
    clone.assert_copied("alpha", ".claude/skills/alpha");
    (repo, clone)
}

fn commit(repo: &Repo, message: &str) {
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", message]);
}

/// No view and no command takes the mirrors for edited ones; a sync updates them.
fn assert_simply_synced(repo: &Repo) {
    repo.check(&[]).says_nothing_of(&["mirror-edited", "mirror-occupied", "edited"]);
    repo.sync(&["--check"]).expect(1).says(&["to write"]).says_nothing_of(&["refused  ", "edited"]);
    repo.sync(&[]).expect(0).says_nothing_of(&["refused  ", "edited", "backed up"]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    repo.assert_copied("alpha", ".codex/skills/alpha");
    repo.sync(&["--check"]).expect(0);
    let rules = ["mirror-edited", "mirror-stale", "mirror-missing", "mirror-orphan", "mirror-lock"];
    repo.check(&[]).expect(0).says_nothing_of(&rules);
}

/// A stash brings back a mirror that was written from a canon which nobody committed, and removed by a later sync.
#[test]
fn what_a_stash_brings_back_is_not_called_an_edit() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    repo.sync(&[]).expect(0);
    commit(&repo, "synced");
    repo.write(CANON, text("never committed"));
    repo.sync(&[]).expect(0);
    repo.git(&["stash", "push", "-q", "--", ".claude"]);
    repo.git(&["rm", "-rqf", "agent/skills/alpha"]);
    repo.sync(&["--force"]).expect(0);
    assert!(!repo.exists(MIRROR));
    repo.git(&["restore", "--source", "HEAD", "--staged", "--worktree", "agent", ".claude"]);
    repo.git(&["stash", "pop", "-q"]);
    assert_eq!(repo.text(MIRROR), text("never committed"));
    for ran in [repo.sync(&["--check"]), repo.check(&[])] {
        ran.expect(1).says(&[MIRROR]).says_nothing_of(&["edited by hand"]);
    }
    assert_eq!(repo.text(MIRROR), text("never committed"));
}

#[test]
fn a_pull_with_ignored_mirrors_is_synced() {
    let (repo, clone) = team();
    repo.write(CANON, text("by B"));
    repo.sync(&[]).expect(0);
    commit(&repo, "by B");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    assert_eq!(clone.text(MIRROR), document("alpha"));
    assert_simply_synced(&clone);
    assert_eq!(clone.text(MIRROR), text("by B"));
}

#[test]
fn adopting_an_older_sync_changes_nothing_in_the_canon() {
    let (repo, clone) = team();
    repo.write(CANON, text("by B"));
    repo.sync(&[]).expect(0);
    commit(&repo, "by B");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert_eq!(clone.text(CANON), text("by B"));
    clone.assert_copied("alpha", ".claude/skills/alpha");
}

#[test]
fn the_canon_of_another_branch_is_synced() {
    let (repo, _) = team();
    repo.git(&["checkout", "-qb", "other"]);
    repo.write(CANON, text("other"));
    repo.sync(&[]).expect(0);
    commit(&repo, "other");
    repo.git(&["checkout", "-q", "main"]);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(MIRROR), document("alpha"));
    repo.git(&["checkout", "other", "--", "agent"]);
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert_eq!(repo.text(CANON), text("other"));
    repo.git(&["checkout", "main", "--", "agent"]);
    assert_simply_synced(&repo);
    assert_eq!(repo.text(MIRROR), document("alpha"));
}

/// A skill that the pull removed goes from the ignored mirrors too, but not a skill that a person put there.
#[test]
fn a_skill_that_a_pull_removed_goes_from_ignored_mirrors() {
    let (repo, clone) = team();
    repo.skill("beta");
    repo.sync(&[]).expect(0);
    commit(&repo, "beta");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone.sync(&[]).expect(0);
    clone.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.remove("agent/skills/beta");
    repo.sync(&[]).expect(0);
    commit(&repo, "without beta");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    assert!(clone.exists(".claude/skills/beta"));
    assert_simply_synced(&clone);
    assert!(!clone.exists(".claude/skills/beta") && !clone.exists(".codex/skills/beta"));
    assert!(clone.exists(".claude/skills/mine/SKILL.md"));
    // A sync removed it. What a person puts back is theirs.
    clone.write(".claude/skills/beta/SKILL.md", document("beta"));
    clone.sync(&[]).expect(0).says(&["not ours"]);
    assert!(clone.exists(".claude/skills/beta/SKILL.md"));
}

#[test]
fn a_restored_canon_is_synced() {
    let restore: [(&str, &[&str]); 3] = [
        ("restore", &["restore", "agent"]),
        ("stash", &["stash", "push", "-q", "--", "agent"]),
        ("checkout", &["checkout", "HEAD", "--", "agent"]),
    ];
    for (name, args) in restore {
        let repo = Repo::with_skills(&["alpha"]);
        repo.targets(&["claude", "codex"]);
        repo.sync(&[]).expect(0);
        repo.commit_all("synced");
        repo.write(CANON, text("discarded"));
        repo.sync(&[]).expect(0);
        repo.git(args);
        assert_eq!(repo.text(CANON), document("alpha"), "{name}");
        assert_simply_synced(&repo);
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{name}");
    }
}

#[test]
fn the_discarded_text_is_not_adopted() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(CANON, text("discarded"));
    repo.sync(&[]).expect(0);
    repo.git(&["restore", "agent"]);
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert_eq!(repo.text(CANON), document("alpha"));
    repo.assert_mirrored(&["alpha"]);
}

/// A clone in which no sync ever ran knows older syncs from the history of the lock.
#[test]
fn an_older_mirror_from_git_is_synced_in_a_clone_that_never_ran_a_sync() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("first");
    for line in ["second", "third"] {
        repo.write(CANON, text(line));
        repo.sync(&[]).expect(0);
        repo.commit_all(line);
    }
    for rev in ["HEAD~1", "HEAD~2"] {
        let clone = Repo::empty();
        clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
        clone.git(&["checkout", rev, "--", ".claude", ".codex"]);
        assert_simply_synced(&clone);
        assert_eq!(clone.text(MIRROR), text("third"));
    }
}

#[test]
fn an_edit_after_all_that_is_still_an_edit() {
    let (repo, clone) = team();
    clone.write(MIRROR, text("by hand"));
    clone.sync(&[]).expect(5).says(&[&format!("{MIRROR}: edited by hand")]);
    repo.write(CANON, text("by B"));
    repo.sync(&[]).expect(0);
    commit(&repo, "by B");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone.check(&[]).expect(1).says(&["mirror-edited"]);
    clone.sync(&[]).expect(5).says(&[&format!("{MIRROR}: edited by hand")]);
    assert_eq!(clone.text(MIRROR), text("by hand"));
    assert_eq!(clone.text(".codex/skills/alpha/SKILL.md"), text("by B"));
}

/// Without a record and without history nobody knows.
#[test]
fn what_cannot_be_proved_is_not_called_an_edit() {
    let (repo, clone) = team();
    repo.write(CANON, text("by B"));
    repo.sync(&[]).expect(0);
    commit(&repo, "by B");
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone.write(MIRROR, text("by someone"));
    clone.remove(".git/canonry/written");
    let unproved = "differs from canon and lock. If you restored or pulled `agent/`, this is an older sync; if you edited \
                    it: `--adopt`";
    clone.sync(&[]).expect(5).says(&[&format!("{MIRROR}: {unproved}")]).says_nothing_of(&["edited by hand"]);
    clone.check(&[]).expect(1).says(&["mirror-edited", "differs from canon and lock"]);
    assert_eq!(clone.text(MIRROR), text("by someone"));
}

/// The managed block of a tool file follows a restored canon as well.
#[test]
fn a_restored_canon_updates_tool_files() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {claude: {context: copy, mcp: true}}\n");
    repo.write("agent/AGENTS.md", "# Map\n\nOne.\n");
    repo.write("agent/mcp.json", r#"{"mcpServers": {"db": {"command": "db", "args": ["1"]}}}"#);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    let before = repo.tree();
    repo.write("agent/AGENTS.md", "# Map\n\nTwo.\n");
    repo.write("agent/mcp.json", r#"{"mcpServers": {"db": {"command": "db", "args": ["2"]}}}"#);
    repo.sync(&[]).expect(0);
    repo.git(&["restore", "agent"]);
    repo.check(&[]).says_nothing_of(&["mirror-edited"]);
    repo.sync(&[]).expect(0).says_nothing_of(&["edited"]);
    assert_eq!(repo.tree(), before);
}

/// As where a person switches between two branches.
#[test]
fn the_record_stays_small() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    for number in 0..70 {
        repo.write(CANON, text(&(number % 2).to_string()));
        repo.sync(&[]).expect(0);
    }
    let record = repo.text(".git/canonry/written");
    let lines = record.lines().filter(|line| line.ends_with(MIRROR)).count();
    assert!((2..30).contains(&lines), "{record}");
    repo.git(&["add", "-A"]);
    repo.write(CANON, text("0"));
    repo.write("agent/mirrors.lock", "");
    repo.sync(&[]).expect(0);
}
