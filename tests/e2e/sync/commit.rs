//! `sync --commit` commits the mirrored canon, its mirrors and the lock, and nothing else.

use crate::support::repo::{MIRRORS, Repo, document};

fn assert_sound(repo: &Repo) {
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

/// `agent/skills/…` and its five mirrors, sorted as git prints them.
fn with_mirrors(letter: char, below: &str) -> Vec<String> {
    let roots = MIRRORS.iter().copied().chain(["agent/skills"]);
    roots.map(|root| format!("{letter} {root}/{below}")).collect()
}

fn assert_changes(repo: &Repo, mut expected: Vec<String>) {
    let mut changes = repo.head_changes();
    changes.sort();
    expected.sort();
    assert_eq!(changes, expected);
}

#[test]
fn the_commit_contains_only_canon_mirrors_and_lock() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.write("src/staged.rs", "staged\n");
    repo.write("agent/staged.md", "staged\n");
    repo.git(&["add", "src", "agent/staged.md"]);
    repo.write("src/untracked.rs", "untracked\n");
    repo.sync(&["--commit", "-m", "Mirror alpha"]).expect(0).says(&["Committed"]);
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "Mirror alpha");
    assert_changes(&repo, [with_mirrors('M', "alpha/SKILL.md"), vec!["M agent/mirrors.lock".into()]].concat());
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  agent/staged.md\nA  src/staged.rs\n?? src/untracked.rs");
    assert_sound(&repo);
    repo.sync(&["--commit"]).expect(0).says(&["Nothing to commit"]);
}

#[test]
fn the_commit_contains_deletions_and_renames() {
    let repo = Repo::synced(&["alpha", "beta", "gamma"]);
    repo.remove("agent/skills/alpha");
    repo.rename("agent/skills/beta", "agent/skills/cat/delta");
    repo.write("agent/skills/cat/delta/SKILL.md", document("delta"));
    repo.remove("agent/skills/gamma/scripts");
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_sound(&repo);
}

#[test]
fn the_commit_contains_changes_of_an_earlier_sync() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.remove("agent/skills/alpha");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    repo.skill("gamma");
    repo.sync(&[]).expect(0);
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_sound(&repo);
}

#[test]
fn the_commit_removes_mirrors_of_a_dropped_target() {
    let repo = Repo::synced(&["alpha"]);
    repo.targets(&["claude"]);
    repo.sync(&[]).expect(0);
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["ls-files", ".codex", ".gemini"]), "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "the config defines the mirrors");
}

/// A commit is checked against its own config. A config change that affects mirrors is committed with them; a change of
/// severities is left to the user.
#[test]
fn the_commit_contains_the_config_if_it_affects_mirrors() {
    const CONFIG: &str = "agent/canonry.yaml";
    let repo = Repo::synced(&["alpha"]);
    for (config, is_in) in [
        ("targets: [claude]\n", true),
        ("targets: [claude]\nrules: {name-invalid: error}\n", false),
        ("targets: [claude]\nskills: {alpha: {mode: symlink}}\n", true),
        ("targets: [claude, codex]\nmirrors: {codex: {mode: symlink}}\n", true),
    ] {
        repo.write(CONFIG, config);
        let document = repo.text("agent/skills/alpha/SKILL.md") + "More.\n";
        repo.write("agent/skills/alpha/SKILL.md", document);
        repo.sync(&["--commit"]).expect(0);
        assert_eq!(repo.head_changes().iter().any(|change| change.ends_with(CONFIG)), is_in, "{config}");
        repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&[
            "mirror-missing",
            "mirror-stale",
            "mirror-edited",
            "mirror-orphan",
        ]);
    }
    repo.remove(CONFIG);
    repo.sync(&["--commit"]).expect(0);
    assert!(repo.head_changes().contains(&format!("D {CONFIG}")), "{:?}", repo.head_changes());
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
}

#[test]
fn edited_mirrors_are_not_committed() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    repo.sync(&["--commit"]).expect(5).says(&[".claude/skills/alpha/SKILL.md"]);
    assert_changes(&repo, [with_mirrors('M', "beta/SKILL.md"), vec!["M agent/mirrors.lock".into()]].concat());
    assert_eq!(repo.git(&["status", "--porcelain"]), " M .claude/skills/alpha/SKILL.md");
}

#[test]
fn a_user_skill_is_not_committed() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".claude/skills/mine/SKILL.md", "mine\n");
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain", "-uall"]), "?? .claude/skills/mine/SKILL.md");
    assert_sound(&repo);
}

#[test]
fn the_first_commit_of_a_repository_is_created() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("src/staged.rs", "staged\n");
    repo.git(&["add", "src"]);
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  src/staged.rs");
    assert_sound(&repo);
}

/// Asserts the exit status and that neither the work tree nor git changed.
fn assert_nothing_written(repo: &Repo, status: i32, words: &[&str]) {
    let tree = repo.tree();
    let head = repo.try_git(&["rev-parse", "HEAD"]).stdout;
    repo.sync(&["--commit"]).expect(status).says(words);
    assert_eq!(repo.tree(), tree);
    assert_eq!(repo.try_git(&["rev-parse", "HEAD"]).stdout, head);
}

fn changed() -> Repo {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo
}

#[test]
fn a_held_index_lock_is_contention_and_nothing_is_written() {
    let repo = changed();
    repo.write(".git/index.lock", "someone else's");
    assert_nothing_written(&repo, 4, &["index.lock"]);
    assert_eq!(repo.text(".git/index.lock"), "someone else's");
}

#[test]
fn a_merge_in_progress_is_refused_and_nothing_is_written() {
    let repo = Repo::synced(&["alpha"]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("README.md", "theirs\n");
    repo.commit_all("theirs");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("README.md", "ours\n");
    repo.commit_all("ours");
    assert!(!repo.try_git(&["merge", "other"]).status.success());
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    assert_nothing_written(&repo, 5, &["a merge is in progress"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn a_missing_identity_names_the_settings_and_nothing_is_written() {
    for key in ["user.name", "user.email"] {
        let repo = changed();
        repo.git(&["config", "--unset", key]);
        assert_nothing_written(&repo, 65, &["git config user.name", "user.email", "GIT_AUTHOR_NAME"]);
    }
}

#[test]
fn a_linked_work_tree_commits_to_its_own_branch() {
    let repo = Repo::synced(&["alpha"]);
    let linked = repo.outside("linked");
    std::fs::remove_dir(&linked).unwrap();
    repo.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    let main = repo.git(&["rev-parse", "main"]);
    let news = document("alpha") + "news\n";
    std::fs::write(linked.join("agent/skills/alpha/SKILL.md"), &news).unwrap();
    repo.canonry_in(&linked.join("agent"), &["sync", "--commit"]).expect(0);
    assert_eq!(std::fs::read_to_string(linked.join(".codex/skills/alpha/SKILL.md")).unwrap(), news);
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "other"]), "Sync skills to their mirrors");
    repo.check(&["--rev", "other"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_adopted_edit_is_committed_with_its_mirrors() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.sync(&["--adopt", ".claude/skills/mine", "--commit"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_sound(&repo);
}
