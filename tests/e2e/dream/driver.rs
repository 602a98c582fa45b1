//! Merges of branches that both logged and dreamed, with the real git.

use crate::dream::team::{LESSONS, LOG, SNAPSHOTS, row, rows, team};
use crate::support::repo::{Ran, Repo, binary};
use crate::support::same::assert_same;
use std::process::Output;

const INSTALL: [&str; 2] = ["install", "merge-driver"];
const UNINSTALL: [&str; 2] = ["uninstall", "merge-driver"];

impl Repo {
    /// Runs git with the tested canonry on its PATH.
    fn git_with(&self, args: &[&str]) -> Output {
        let path = std::env::var_os("PATH").unwrap();
        let folders = [binary().parent().unwrap().to_owned()].into_iter().chain(std::env::split_paths(&path));
        self.command("git").args(args).env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap()
    }

    /// Asserts that each row is in the log or in a snapshot, exactly once.
    #[track_caller]
    fn assert_each_once(&self, rows: &[String]) {
        let mut want: Vec<Vec<u8>> = rows.iter().map(|row| row.trim_end().as_bytes().to_vec()).collect();
        want.sort();
        let lines = self.lines();
        let doubled: Vec<_> = lines.iter().filter(|(_, count)| **count != 1).collect();
        assert!(doubled.is_empty(), "{doubled:?}");
        let shown = |rows: &[Vec<u8>]| rows.iter().map(|r| String::from_utf8_lossy(r).into_owned()).collect::<Vec<_>>();
        assert_eq!(shown(&lines.into_keys().collect::<Vec<_>>()), shown(&want));
    }
}

fn all() -> Vec<String> {
    let both = [row("ours", 3, "a", 7), row("theirs", 4, "c", 9), row("theirs2", 4, "c", 9), row("old3", 120, "z", 1)];
    rows().split_inclusive('\n').map(str::to_owned).chain(both).collect()
}

/// Creates two branches, each with its own rows and its own dream.
fn dream_on_two_branches(repo: &Repo) {
    repo.git(&["checkout", "-qb", "other"]);
    repo.write(LOG, rows() + &row("theirs", 4, "c", 9) + &row("theirs2", 4, "c", 9));
    repo.commit_all("theirs");
    repo.dream(&[]).expect(0);
    repo.git(&["checkout", "-q", "main"]);
    repo.write(LOG, rows() + &row("ours", 3, "a", 7) + &row("old3", 120, "z", 1));
    repo.commit_all("ours");
    repo.dream(&[]).expect(0);
}

#[track_caller]
fn assert_success(output: &Output) {
    let ran = Ran { status: output.status.code().unwrap(), stdout: text(&output.stdout), stderr: text(&output.stderr) };
    ran.expect(0);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn without_the_driver_git_reports_conflicts() {
    let repo = team(rows());
    dream_on_two_branches(&repo);
    assert!(!repo.git_with(&["merge", "-q", "other"]).status.success());
}

#[test]
fn branches_that_both_dreamed_merge_without_conflicts() {
    let repo = team(rows());
    repo.canonry(&INSTALL).expect(0).says(&["wrote     .git/config", "wrote     .gitattributes"]);
    repo.commit_all("attributes");
    dream_on_two_branches(&repo);
    for (from, into) in [("other", "main"), ("main", "other")] {
        repo.git(&["checkout", "-q", into]);
        let before = repo.head();
        assert_success(&repo.git_with(&["merge", "-q", "--no-edit", from]));
        repo.assert_each_once(&all());
        let kept = [row("a1", 1, "a", 9), row("b1", 1, "b", 1), row("a2", 2, "a", 8)].concat();
        let new = [row("theirs", 4, "c", 9), row("theirs2", 4, "c", 9), row("ours", 3, "a", 7)].concat();
        assert_eq!(repo.text(LOG), kept + &new);
        let lessons = repo.text(LESSONS);
        assert_eq!(lessons.matches("\n## 2026-05-01\n").count(), 1, "{lessons}");
        assert_eq!(lessons.matches("- a teaches (episodes: a1, a2").count(), 1, "{lessons}");
        assert_eq!(lessons.matches("- c teaches (episodes: theirs, theirs2").count(), 1, "{lessons}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        // The next dream changes only what the merge itself combined.
        repo.dream(&[]).expect(0).says(&["Nothing new: 6 episodes kept."]);
        assert_eq!(repo.check(&[]).status, 0, "{}", repo.check(&[]).all());
        repo.git(&["reset", "-q", "--hard", &before]);
    }
}

#[test]
fn a_rebase_merges_memory_files_too() {
    let repo = team(rows());
    repo.canonry(&INSTALL).expect(0);
    repo.commit_all("attributes");
    dream_on_two_branches(&repo);
    assert_success(&repo.git_with(&["rebase", "-q", "other"]));
    repo.assert_each_once(&all());
}

/// A clone that has only the committed files.
#[test]
fn without_the_driver_merge_union_applies() {
    let repo = team(rows());
    repo.canonry(&INSTALL).expect(0);
    repo.commit_all("attributes");
    dream_on_two_branches(&repo);
    repo.canonry(&UNINSTALL).expect(0);
    repo.git(&["checkout", "-q", "--", ".gitattributes"]);
    assert!(!repo.exists(".git/info/attributes") || !repo.text(".git/info/attributes").contains("canonry"));
    assert_success(&repo.git_with(&["merge", "-q", "--no-edit", "other"]));
    repo.assert_each_once(&all());
    assert_eq!(repo.text(LESSONS).matches("- c teaches").count(), 1);
}

/// The clone is configured, but canonry was uninstalled afterwards.
#[test]
fn without_the_program_merge_union_applies() {
    let repo = team(rows());
    repo.canonry(&INSTALL).expect(0);
    repo.commit_all("attributes");
    dream_on_two_branches(&repo);
    // Only git and the shell that git needs.
    let bin = repo.outside("bin");
    for name in ["git", "sh"] {
        let found =
            std::env::split_paths(&std::env::var_os("PATH").unwrap()).map(|dir| dir.join(name)).find(|p| p.exists());
        std::os::unix::fs::symlink(found.unwrap(), bin.join(name)).unwrap();
    }
    let merged = repo.command("git").args(["merge", "-q", "--no-edit", "other"]).env("PATH", &bin).output().unwrap();
    assert_success(&merged);
    repo.assert_each_once(&all());
}

#[test]
fn a_lesson_changed_on_both_sides_is_a_conflict() {
    let repo = team(rows());
    repo.canonry(&INSTALL).expect(0);
    repo.dream(&[]).expect(0);
    repo.commit_all("attributes");
    repo.git(&["checkout", "-qb", "other"]);
    let lessons = repo.text(LESSONS);
    for (branch, words) in [("other", "never a"), ("main", "always a")] {
        repo.git(&["checkout", "-q", branch]);
        repo.write(LESSONS, lessons.replace("a teaches", words));
        repo.commit_all(words);
    }
    let merged = repo.git_with(&["merge", "other"]);
    assert_eq!(merged.status.code(), Some(1));
    assert!(text(&merged.stderr).contains(": 1 conflict; choose one side"), "{}", text(&merged.stderr));
    assert_eq!(repo.git(&["status", "--porcelain"]), format!("UU {LESSONS}"));
    let cited = lessons.split_once("a teaches").unwrap().1.trim_end();
    assert!(cited.starts_with(" (episodes: a1, a2; pattern "), "{cited}");
    let said = format!("<<<<<<< ours\n- always a{cited}\n=======\n- never a{cited}\n>>>>>>> theirs\n");
    assert!(repo.text(LESSONS).contains(&said), "{}", repo.text(LESSONS));
    assert_eq!(repo.dream(&[]).status, 5);
}

#[test]
fn installing_and_uninstalling_restores_every_byte() {
    for (attributes, info) in
        [(None, None), (Some("*.md text\r\n"), Some("# mine")), (Some("* -text"), Some("* text\n"))]
    {
        let repo = team(rows());
        let write = |path: &str, text: Option<&str>| text.iter().for_each(|text| repo.write(path, text));
        write(".gitattributes", attributes);
        write(".git/info/attributes", info);
        // The config adds another managed block to .gitattributes, which marks mirrors as generated.
        repo.write("agent/canonry.yaml", "files: {git: {attributes: true}}\n");
        repo.sync(&[]).expect(0);
        let before = [".git/config", ".git/info/attributes", ".gitattributes"]
            .map(|path| repo.exists(path).then(|| repo.read(path)));
        let tree = repo.tree();
        let diff = repo.canonry(&["install", "merge-driver", "--dry-run"]).expect(0);
        diff.says(&["+++ b/.gitattributes", "merge=union", "merge=canonry-memory", "+[merge \"canonry-memory\"]"]);
        assert_same(&repo.tree(), &tree, "a dry run");
        repo.canonry(&INSTALL).expect(0);
        assert_eq!(repo.git(&["config", "merge.canonry-memory.name"]), "canonry memory merge driver");
        let shown =
            repo.git(&["check-attr", "merge", LOG, LESSONS, &format!("{SNAPSHOTS}/2026-01.jsonl"), "README.md"]);
        assert_eq!(shown.matches(": merge: canonry-memory").count(), 3, "{shown}");
        repo.sync(&["--check"]).expect(0);
        repo.canonry(&INSTALL).expect(0).says(&["unchanged .git/config"]).says_nothing_of(&["wrote"]);
        repo.canonry(&UNINSTALL).expect(0);
        let after = [".git/config", ".git/info/attributes", ".gitattributes"]
            .map(|path| repo.exists(path).then(|| repo.read(path)));
        assert_eq!(after, before);
        repo.canonry(&UNINSTALL).expect(0).says(&["Nothing to remove"]);
    }
}

#[test]
fn a_locked_git_config_or_a_broken_block_is_left_unchanged() {
    let repo = team(rows());
    repo.write(".git/config.lock", "");
    repo.canonry(&INSTALL).expect(4).says(&["config.lock"]);
    assert!(!repo.exists(".gitattributes"));
    repo.remove(".git/config.lock");
    repo.write(".gitattributes", "# >>> canonry merge >>>\n");
    repo.canonry(&INSTALL).expect(5).says(&[".gitattributes is unchanged"]);
    assert!(!repo.text(".git/config").contains("canonry"));
}

#[test]
fn the_driver_merges_files_named_on_the_command_line() {
    let repo = team("");
    for (name, text) in [("o", ""), ("a", "x\n"), ("b", "y\n")] {
        repo.write(name, text);
    }
    let run = |path: &str| repo.canonry(&["memory", "merge-driver", "o", "a", "b", path]);
    run("README").expect(64).says(&["not a memory file"]);
    run(LOG).expect(0);
    assert_eq!(repo.text("a"), "x\ny\n");
    repo.remove("b");
    run(LOG).expect(65).says(&["no such file"]);
}
