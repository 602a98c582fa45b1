//! `sync --staged`: a commit contains the staged canon, its mirrors and the lock, whichever git command creates it.

use crate::support::failpoints::{assert_whole, copy, failpoints, for_each_failpoint, kill};
use crate::support::repo::{MIRRORS, Ran, Repo, binary, document};
use crate::support::same::assert_same;
use crate::sync::tools::SERVERS;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

const SKILL: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";
const LOCK: &str = "agent/mirrors.lock";

/// A synced repository whose hook runs `sync --staged`.
fn hooked(names: &[&str]) -> Repo {
    let repo = Repo::synced(names);
    hook(&repo);
    repo
}

fn hook(repo: &Repo) {
    repo.write(".git/hooks/pre-commit", format!("#!/bin/sh\nexec '{}' sync --staged\n", binary().display()));
    repo.chmod(".git/hooks/pre-commit", 0o755);
}

#[track_caller]
fn commit(repo: &Repo, args: &[&str]) -> Ran {
    Ran::from(repo.try_git(&[&["commit", "-qm", "message"], args].concat()))
}

fn at(repo: &Repo, rev: &str, path: &str) -> String {
    repo.git(&["show", &format!("{rev}:{path}")])
}

/// Asserts that every mirror in a commit, or in the index (empty revision), equals its canon and matches the lock.
#[track_caller]
fn assert_in_step(repo: &Repo, rev: &str, names: &[&str]) {
    let list = |folder: &str| {
        let listed = match rev {
            "" => repo.git(&["ls-files", "-s", "--", folder]),
            rev => repo.git(&["ls-tree", "-r", rev, "--", folder]),
        };
        let line = |line: &str| {
            let (state, path) = line.split_once('\t').unwrap();
            let words: Vec<&str> = state.split(' ').collect();
            let id = if rev.is_empty() { words[1] } else { words[2] };
            (path[folder.len()..].to_owned(), format!("{id} {}", words[0]))
        };
        listed.lines().map(line).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    for name in names {
        let canon = list(&format!("agent/skills/{name}"));
        assert!(!canon.is_empty(), "{name}");
        for mirror in MIRRORS {
            let folder = format!("{mirror}/{name}");
            assert_eq!(list(&folder), canon, "{rev}: {folder}");
            rows.extend(canon.iter().map(|(path, state)| (format!("{folder}{path}"), state.clone())));
        }
    }
    rows.sort();
    let rows: Vec<String> = rows.into_iter().map(|(path, state)| format!("{state} {path}")).collect();
    let lock = at(repo, rev, LOCK);
    let (parts, files): (Vec<&str>, Vec<&str>) = lock.lines().partition(|line| line.contains(".agents/skills.json#"));
    assert_eq!(files, rows);
    // The lock also has an entry for the Antigravity pointer.
    assert_eq!(parts.len(), 3, "{lock}");
    assert!(at(repo, rev, ".agents/skills.json").contains(".antigravity/skills"));
}

fn status(repo: &Repo) -> String {
    repo.git(&["status", "--porcelain"])
}

#[test]
fn a_commit_contains_canon_mirrors_and_lock() {
    let repo = hooked(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    repo.skill("beta");
    repo.write("other.txt", "not staged\n");
    repo.git(&["add", "agent"]);
    commit(&repo, &[]).expect(0).says(&["staged    .claude/skills/alpha (1 file)"]);
    assert_in_step(&repo, "HEAD", &["alpha", "beta"]);
    repo.assert_mirrored(&["alpha", "beta"]);
    assert_eq!(status(&repo), "?? other.txt");
    repo.sync(&["--check"]).expect(0);
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn the_first_commit_contains_mirrors_and_lock() {
    let repo = Repo::with_skills(&["alpha"]);
    hook(&repo);
    repo.git(&["add", "agent"]);
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(status(&repo), "");
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
}

/// Git locks the index, and gives the hook the file that will replace it.
#[test]
fn commit_all_includes_the_mirrors() {
    let repo = hooked(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    commit(&repo, &["-a"]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(status(&repo), "");
}

/// The commit uses a temporary index; the next index must contain the mirrors too, and keep other staged changes.
#[test]
fn commit_of_a_path_includes_its_mirrors() {
    for option in [&["--"][..], &["--only", "--"], &["--include", "--"]] {
        let repo = hooked(&["alpha", "beta"]);
        repo.write("other.txt", "staged\n");
        repo.git(&["add", "other.txt"]);
        repo.write(SKILL, document("alpha") + "news\n");
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "unstaged\n");
        commit(&repo, &[option, &[SKILL]].concat()).expect(0);
        assert_in_step(&repo, "HEAD", &["alpha", "beta"]);
        assert!(at(&repo, "HEAD", MIRROR).ends_with("news"));
        let other = if option[0] == "--include" { "" } else { "A  other.txt\n" };
        assert_eq!(
            format!("{}\n", status(&repo)),
            format!(" {}{other}", "M agent/skills/beta/SKILL.md\n"),
            "{option:?}"
        );
    }
}

/// Changes staged for a later commit stay staged, including their mirrors.
#[test]
fn commit_of_a_path_keeps_another_skill_staged() {
    let repo = hooked(&["alpha", "beta"]);
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "staged\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    let staged = status(&repo);
    repo.write(SKILL, document("alpha") + "news\n");
    commit(&repo, &["--", SKILL]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha", "beta"]);
    assert!(!at(&repo, "HEAD", "agent/skills/beta/SKILL.md").contains("staged"));
    assert_eq!(
        status(&repo).lines().filter(|line| line.contains("beta")).collect::<Vec<_>>(),
        staged.lines().filter(|line| line.contains("beta")).collect::<Vec<_>>()
    );
    // The next commit contains both.
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha", "beta"]);
    assert_eq!(status(&repo), "");
    repo.sync(&["--check"]).expect(0);
}

/// Staged hunk by hunk, while git locks the index.
#[test]
fn commit_patch_mirrors_only_the_chosen_hunks() {
    let repo = hooked(&["alpha"]);
    let lines = |first: &str, last: &str| document("alpha") + first + &"line\n".repeat(20) + last;
    repo.write(SKILL, lines("1\n", "1\n"));
    commit(&repo, &["-a"]).expect(0);
    repo.write(SKILL, lines("2\n", "2\n"));
    let mut git = repo.command("git");
    git.args(["commit", "-qpm", "message"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut git = git.spawn().unwrap();
    git.stdin.take().unwrap().write_all(b"y\nn\n").unwrap();
    assert!(git.wait().unwrap().success());
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(at(&repo, "HEAD", MIRROR), lines("2\n", "1\n").trim_end());
    assert_eq!((status(&repo), repo.text(SKILL)), (format!(" M {SKILL}"), lines("2\n", "2\n")));
}

#[test]
fn commit_amend_includes_the_mirrors() {
    let repo = hooked(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    commit(&repo, &["--amend", "-a"]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!((status(&repo).as_str(), repo.git(&["rev-list", "--count", "HEAD"]).as_str()), ("", "1"));
}

#[test]
fn works_in_a_linked_work_tree() {
    let repo = hooked(&["alpha"]);
    let linked = repo.outside("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let git =
        |args: &[&str]| Ran::from(repo.command("git").current_dir(&linked).args(args).output().unwrap()).expect(0);
    for (text, args) in [("one\n", &["-a"][..]), ("two\n", &["--", SKILL]), ("three\n", &["-a", "--amend"])] {
        std::fs::write(linked.join(SKILL), document("alpha") + text).unwrap();
        git(&[&["commit", "-qm", text], args].concat());
        let mirror = git(&["show", &format!("HEAD:{MIRROR}")]).stdout;
        assert_eq!(mirror, document("alpha") + text);
        assert_eq!(std::fs::read_to_string(linked.join(MIRROR)).unwrap(), mirror);
        assert_eq!(git(&["status", "--porcelain"]).stdout, "");
    }
    // Sync does not read the main work tree.
    assert_eq!((status(&repo).as_str(), repo.text(MIRROR)), ("", document("alpha")));
}

/// Git runs hooks from the top even if the command starts in a folder.
#[test]
fn works_from_a_subfolder() {
    let repo = hooked(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    let mut git = repo.command("git");
    git.current_dir(repo.path("agent/skills")).args(["commit", "-qam", "message"]);
    Ran::from(git.output().unwrap()).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(status(&repo), "");
}

/// The mirror in the index equals the staged canon; unstaged changes stay in the work tree.
#[test]
fn a_partly_staged_skill_is_mirrored_as_staged() {
    for synced in [false, true] {
        let repo = hooked(&["alpha"]);
        repo.write(SKILL, document("alpha") + "staged\n");
        repo.git(&["add", SKILL]);
        repo.write(SKILL, document("alpha") + "staged\nunstaged\n");
        if synced {
            repo.sync(&[]).expect(0);
        }
        commit(&repo, &[]).expect(0);
        assert_in_step(&repo, "HEAD", &["alpha"]);
        assert!(at(&repo, "HEAD", MIRROR).ends_with("\nstaged"));
        assert!(repo.text(SKILL).ends_with("staged\nunstaged\n"));
        let mirror = if synced { "staged\nunstaged\n" } else { "\nstaged\n" };
        assert!(repo.text(MIRROR).ends_with(mirror), "{synced}: {}", repo.text(MIRROR));
        repo.sync(&[]).expect(0);
        repo.git(&["add", "-A"]);
        commit(&repo, &[]).expect(0);
        assert_in_step(&repo, "HEAD", &["alpha"]);
        assert_eq!(status(&repo), "");
    }
}

#[test]
fn a_user_edit_of_a_mirror_in_the_work_tree_is_preserved() {
    let repo = hooked(&["alpha"]);
    repo.write(MIRROR, "mine\n");
    repo.write(SKILL, document("alpha") + "news\n");
    repo.git(&["add", SKILL]);
    commit(&repo, &[]).expect(0).says(&[&format!("left      {MIRROR}")]);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(repo.text(MIRROR), "mine\n");
    // Check still reports it as a user edit.
    repo.sync(&[]).expect(5).says(&["edited by hand", MIRROR]);
    assert_eq!(repo.text(MIRROR), "mine\n");
}

#[test]
fn a_staged_edit_of_a_mirror_is_refused() {
    let repo = hooked(&["alpha"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.write(MIRROR, "mine\n");
    repo.git(&["add", MIRROR]);
    let before = repo.tree();
    repo.sync(&["--staged"]).expect(5).says(&["edited by hand", MIRROR]);
    commit(&repo, &[]).expect(1).says(&["edited by hand"]);
    assert_eq!((repo.git(&["rev-parse", "HEAD"]), at(&repo, "", MIRROR)), (head, "mine".to_owned()));
    assert_eq!(repo.tree(), before);
}

#[test]
fn removed_skills_take_their_mirrors_with_them() {
    let repo = hooked(&["alpha", "beta"]);
    repo.git(&["rm", "-rq", "agent/skills/beta"]);
    commit(&repo, &[]).expect(0).says(&["removed   .claude/skills/beta (2 files)"]);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert!(!repo.exists(".claude/skills/beta"));
    assert_eq!(status(&repo), "");
    // Removed from the index only: the file in the work tree belongs to the user.
    repo.git(&["rm", "-rq", "--cached", "agent/skills/alpha/scripts"]);
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert!(repo.exists(".claude/skills/alpha/scripts/run.sh") && repo.exists("agent/skills/alpha/scripts/run.sh"));
}

#[test]
fn modes_and_links_are_mirrored_as_staged() {
    let repo = hooked(&["alpha"]);
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
    repo.chmod(SKILL, 0o755);
    repo.link("agent/skills/alpha/LATEST.md", "SKILL.md");
    repo.git(&["add", "-A"]);
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(status(&repo), "");
    repo.assert_mirrored(&["alpha"]);
}

/// Without a change, sync neither writes the index nor waits for a lock.
#[test]
fn without_a_change_the_index_is_not_written() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("other.txt", "x\n");
    repo.git(&["add", "-A"]);
    let index = repo.read(".git/index");
    repo.write(".git/index.lock", "");
    let lock = File::options().write(true).open(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(repo.sync(&["--staged"]).expect(0).stdout, "");
    assert_eq!(repo.read(".git/index"), index);
    // A branch without a canon, and a repository without a commit.
    Repo::empty().sync(&["--staged"]).expect(0).says(&["Nothing to mirror"]);
}

#[test]
fn a_lock_of_another_process_is_contention() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    repo.git(&["add", SKILL]);
    let tree = repo.tree();
    let index = repo.read(".git/index");
    repo.write(".git/index.lock", "");
    repo.sync(&["--staged"]).expect(4).says(&["index.lock"]);
    repo.remove(".git/index.lock");
    let lock = File::options().write(true).open(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    repo.sync(&["--staged"]).expect(4).says(&["another canonry run"]);
    assert_eq!((repo.tree(), repo.read(".git/index")), (tree, index));
    lock.unlock().unwrap();
    repo.sync(&["--staged"]).expect(0);
    assert_in_step(&repo, "", &["alpha"]);
}

#[test]
fn check_staged_writes_nothing() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    repo.sync(&["--staged", "--check"]).expect(0);
    repo.git(&["add", SKILL]);
    let tree = repo.tree();
    let index = repo.read(".git/index");
    repo.sync(&["--staged", "--check"]).expect(1).says(&["to write  .claude/skills/alpha (1 file)"]);
    repo.sync(&["--staged", "--dry-run"]).expect(0).says(&["+news"]);
    assert_eq!((repo.tree(), repo.read(".git/index")), (tree, index));
    for wrong in [["--staged", "--commit"], ["--staged", "--force"], ["--staged", "--adopt"]] {
        repo.sync(&wrong).expect(64);
    }
}

/// A team that ignores its mirrors does not want them in a commit.
#[test]
fn ignored_mirrors_are_not_staged() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".gitignore", ".gemini/\n.cursor/\n.codex/\n.antigravity/\n");
    hook(&repo);
    repo.git(&["add", "-A"]);
    commit(&repo, &[]).expect(0);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(committed.contains(MIRROR) && committed.contains(LOCK) && !committed.contains(".gemini"), "{committed}");
    assert_eq!(status(&repo), "");
    repo.assert_mirrored(&["alpha"]);
    let index = repo.read(".git/index");
    repo.sync(&["--staged"]).expect(0).says(&["Git ignores .gemini/skills"]).says_nothing_of(&["staged."]);
    assert_eq!(repo.read(".git/index"), index);
}

/// The user ran sync and staged the result without the lock, or without some mirrors.
#[test]
fn a_partly_staged_sync_is_completed() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.sync(&[]).expect(0);
    hook(&repo);
    repo.git(&["add", "agent/skills", ".claude", ".gemini"]);
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!(status(&repo), "");
}

/// A broken config in the work tree does not affect the staged one.
#[test]
fn an_unreadable_work_tree_is_left_alone() {
    let repo = hooked(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    repo.git(&["add", SKILL]);
    let broken = "targets: [claude\n";
    repo.write("agent/canonry.yaml", broken);
    commit(&repo, &[]).expect(0).says(&["The mirrors in the work tree are unchanged"]);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert_eq!((repo.text("agent/canonry.yaml").as_str(), repo.text(MIRROR)), (broken, document("alpha")));
}

/// The staged text is written as git would check it out, even if the canon in the work tree differs.
#[test]
fn staged_text_is_written_with_checkout_line_endings() {
    let repo = hooked(&["alpha"]);
    repo.write(".gitattributes", "*.md text eol=crlf\n");
    repo.git(&["add", "--renormalize", "-A", "."]);
    repo.git(&["add", "-A"]);
    commit(&repo, &[]).expect(0);
    repo.write(SKILL, document("alpha") + "staged\n");
    repo.git(&["add", SKILL]);
    repo.write(SKILL, document("alpha") + "unstaged\n");
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha"]);
    assert!(repo.text(MIRROR).ends_with("\r\nstaged\r\n"), "{:?}", repo.text(MIRROR));
    assert_eq!(status(&repo).lines().count(), 1, "{}", status(&repo));
}

#[test]
fn works_in_the_middle_of_a_merge() {
    let repo = hooked(&["alpha", "beta"]);
    for (branch, skill) in [("ours", "alpha"), ("theirs", "beta")] {
        repo.git(&["checkout", "-qb", branch, "main"]);
        repo.write(&format!("agent/skills/{skill}/SKILL.md"), document(skill) + branch + "\n");
        repo.write("conflict.txt", branch);
        repo.git(&["add", "-A"]);
        commit(&repo, &[]).expect(0);
    }
    // Take either side of the lock: the hook corrects it.
    assert!(!repo.try_git(&["merge", "-q", "ours"]).status.success());
    repo.git(&["checkout", "--theirs", "--", LOCK]);
    repo.write("conflict.txt", "both");
    repo.git(&["add", "-A"]);
    commit(&repo, &[]).expect(0);
    assert_in_step(&repo, "HEAD", &["alpha", "beta"]);
    assert_eq!((status(&repo).as_str(), repo.git(&["log", "-1", "--format=%p"]).split(' ').count()), ("", 2));
}

#[test]
fn the_json_document_equals_that_of_a_sync() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(SKILL, document("alpha") + "news\n");
    repo.git(&["add", SKILL]);
    let ran = repo.sync(&["--staged", "--format", "json"]).expect(0);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (document["schema"].as_str(), document["written"].as_array().unwrap().len()),
        (Some("canonry/sync/v1"), 5)
    );
    assert!(Path::new(&repo.path(MIRROR)).exists());
}

/// The index is written last, atomically: after a kill the next run reaches the uninterrupted state. If the killed
/// process left a lock on the index, the next run removes it.
#[test]
fn sync_staged_survives_a_kill_at_any_write() {
    let template = Repo::with_skills(&["alpha", "beta"]);
    template.targets(&["claude", "codex"]);
    template.sync(&[]).expect(0);
    template.commit_all("synced");
    template.write(SKILL, document("alpha") + "staged\n");
    template.git(&["rm", "-rq", "agent/skills/beta"]);
    template.git(&["add", "agent"]);
    template.write(SKILL, document("alpha") + "staged\nunstaged\n");
    let index = |repo: &Repo| repo.git(&["ls-files", "-s"]);
    let args = &["sync", "--staged"];
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, args);
    assert!(failpoints.len() > 10 && index(&template) != index(&uninterrupted), "{failpoints:#?}");
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, args, failpoint);
        assert_whole(&template.tree(), &repo.tree(), &uninterrupted.tree(), failpoint);
        let now = index(&repo);
        assert!(now == index(&template) || now == index(&uninterrupted), "{failpoint:?}: {now}");
        repo.canonry(args).expect(0);
        assert_same(&repo.tree(), &uninterrupted.tree(), &format!("after a kill at {failpoint:?}"));
        assert_eq!(index(&repo), index(&uninterrupted), "{failpoint:?}");
    });
}

#[test]
fn the_managed_part_of_a_user_file_is_staged_and_written() {
    let repo = hooked(&["alpha"]);
    repo.write(".mcp.json", "{\"mcpServers\": {\"mine\": {\"command\": \"x\"}}}\n");
    repo.write("agent/mcp.json", SERVERS);
    repo.write("agent/canonry.yaml", "files:\n  claude: {mcp: true}\n");
    repo.git(&["add", ".mcp.json", "agent"]);
    commit(&repo, &[]).expect(0);
    let committed = at(&repo, "HEAD", ".mcp.json");
    assert!(committed.contains("mine") && committed.contains("db"), "{committed}");
    assert_eq!(repo.text(".mcp.json").trim_end(), committed);
    assert_eq!(status(&repo), "");
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_user_file_with_unstaged_edits_is_not_written_in_the_work_tree() {
    let repo = hooked(&["alpha"]);
    repo.write(".mcp.json", "{}\n");
    repo.write("agent/mcp.json", SERVERS);
    repo.write("agent/canonry.yaml", "files:\n  claude: {mcp: true}\n");
    repo.git(&["add", ".mcp.json", "agent"]);
    let mine = "{\"mine\": 1} // not staged\n";
    repo.write(".mcp.json", mine);
    commit(&repo, &[]).expect(0).says(&[".mcp.json"]);
    assert!(at(&repo, "HEAD", ".mcp.json").contains("db"));
    assert_eq!(repo.text(".mcp.json"), mine);
    // The next sync adds the managed part next to the edit.
    repo.sync(&[]).expect(0);
    let both = repo.text(".mcp.json");
    assert!(both.contains("db") && both.contains("// not staged"), "{both}");
    repo.sync(&["--check"]).expect(0);
}

/// The journal also records parts of files: an ordinary sync after a kill produces the lock of an uninterrupted run.
#[test]
fn sync_staged_survives_a_kill_while_writing_a_user_file() {
    let template = Repo::with_skills(&["alpha"]);
    template.write("agent/canonry.yaml", "targets: [claude]\n");
    template.write(".mcp.json", "{\"mcpServers\": {\"mine\": {\"command\": \"x\"}}}\n");
    template.sync(&[]).expect(0);
    template.commit_all("synced");
    template.write("agent/mcp.json", SERVERS);
    template.write("agent/canonry.yaml", "targets: [claude]\nfiles:\n  claude: {mcp: true}\n");
    template.git(&["add", "agent"]);
    let args = &["sync", "--staged"];
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, args);
    assert!(uninterrupted.text(LOCK).contains(".mcp.json#/mcpServers/db"), "{}", uninterrupted.text(LOCK));
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, args, failpoint);
        assert_whole(&template.tree(), &repo.tree(), &uninterrupted.tree(), failpoint);
        repo.sync(&[]).expect(0);
        assert_same(&repo.tree(), &uninterrupted.tree(), &format!("after a kill at {failpoint:?}"));
    });
}
