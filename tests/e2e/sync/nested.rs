//! Canons in folders of a repository, as in a monorepo.

use crate::support::failpoints::{Scenario, interrupt_everywhere};
use crate::support::repo::{Ran, Repo, document};
use serde_json::Value;

const TOP: &str = "canons: ['packages/*']\ntargets: [claude, codex]\n";

/// A canon at the top and one in each of two packages; a third package has no canon.
fn monorepo() -> Repo {
    let repo = Repo::empty();
    repo.write("canonry.yaml", TOP);
    repo.skill("top");
    for name in ["a", "b"] {
        repo.write(&format!("packages/{name}/agent/skills/own-{name}/SKILL.md"), document(&format!("own-{name}")));
        repo.write(&format!("packages/{name}/agent/canonry.yaml"), "targets: [claude]\n");
    }
    repo.write("packages/c/README.md", "x\n");
    repo
}

fn synced() -> Repo {
    let repo = monorepo();
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

fn within(repo: &Repo, folder: &str, args: &[&str]) -> Ran {
    repo.canonry_in(&repo.path(folder), args)
}

const A: &str = "packages/a/.claude/skills/own-a/SKILL.md";

#[test]
fn at_the_top_sync_reports_every_canon() {
    let repo = monorepo();
    let ran = repo.sync(&[]).expect(0);
    assert_eq!(
        ran.stdout,
        "canon     agent\n\
         wrote     .claude/skills/top (2 files)\n\
         wrote     .codex/skills/top (2 files)\n\
         4 files written, 0 removed, 0 refused, 0 unchanged.\n\
         canon     packages/a/agent\n\
         wrote     packages/a/.claude/skills/own-a (1 file)\n\
         1 file written, 0 removed, 0 refused, 0 unchanged.\n\
         canon     packages/b/agent\n\
         wrote     packages/b/.claude/skills/own-b (1 file)\n\
         1 file written, 0 removed, 0 refused, 0 unchanged.\n"
    );
    assert_eq!(repo.text(A), document("own-a"));
    assert!(repo.text("packages/a/agent/mirrors.lock").contains(" .claude/skills/own-a/SKILL.md\n"));
    assert!(!repo.exists(".claude/skills/own-a") && !repo.exists("packages/c/.claude"));
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).expect(0);
    assert_eq!(repo.git(&["status", "--short", "-uall"]).matches("mirrors.lock").count(), 3);
}

#[test]
fn in_a_folder_only_its_canon_is_synced() {
    let repo = monorepo();
    within(&repo, "packages/a/agent/skills", &["sync"]).expect(0).says(&[A.rsplit_once('/').unwrap().0]);
    assert!(repo.exists(A) && !repo.exists(".claude") && !repo.exists("packages/b/.claude"));
    repo.canonry(&["-C", "packages/b", "sync"]).expect(0);
    assert!(repo.exists("packages/b/.claude/skills/own-b") && !repo.exists(".claude"));
    within(&repo, "packages/a", &["check"]).expect(0).says(&["1 skill"]);
    // A folder without a canon uses the one at the top.
    within(&repo, "packages/c", &["sync", "--check", "--format", "json"])
        .expect(0)
        .says(&[".claude/skills/top/SKILL.md"]);
}

#[test]
fn a_commit_contains_every_canon_at_the_top_and_one_in_a_folder() {
    let repo = monorepo();
    repo.git(&["add", "canonry.yaml", "packages/a/agent/canonry.yaml", "packages/b/agent/canonry.yaml"]);
    repo.git(&["commit", "-qm", "configs"]);
    repo.sync(&["--commit"]).expect(0).says(&["Committed 13 files as "]);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(repo.git(&["status", "--short"]), "?? packages/c/");
    for rev in [&["check", "--rev", "HEAD"][..], &["check"], &["sync", "--check"]] {
        repo.canonry(rev).expect(0);
        within(&repo, "packages/a", rev).expect(0);
    }
    repo.write("packages/a/agent/skills/own-a/SKILL.md", document("own-a") + "news\n");
    repo.write("packages/b/agent/skills/own-b/SKILL.md", document("own-b") + "news\n");
    within(&repo, "packages/a", &["sync", "--commit", "-m", "Only a"]).expect(0).says(&["Committed 3 files"]);
    assert_eq!(
        repo.head_changes(),
        [format!("M {A}"), "M packages/a/agent/mirrors.lock".into(), "M packages/a/agent/skills/own-a/SKILL.md".into()]
    );
    within(&repo, "packages/b", &["check", "--rev", "HEAD"]).expect(0);
    assert_eq!(repo.git(&["status", "--short"]).lines().next(), Some(" M packages/b/agent/skills/own-b/SKILL.md"));
    // Removed files are committed as removed.
    repo.remove("packages/a/agent/skills/own-a");
    repo.sync(&["--commit"]).expect(0);
    assert!(repo.head_changes().contains(&format!("D {A}")));
    assert_eq!(repo.git(&["status", "--short"]), "?? packages/c/");
}

#[test]
fn staged_changes_are_mirrored_and_checked_in_every_canon() {
    let repo = synced();
    for (path, name) in [("agent/skills/top", "top"), ("packages/a/agent/skills/own-a", "own-a")] {
        repo.write(&format!("{path}/SKILL.md"), document(name) + "staged\n");
        repo.git(&["add", path]);
        repo.write(&format!("{path}/SKILL.md"), document(name) + "later\n");
    }
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale", A, ".claude/skills/top/SKILL.md"]);
    within(&repo, "packages/b", &["check", "--staged"]).expect(0);
    repo.sync(&["--staged"]).expect(0).says(&["staged    packages/a/.claude/skills/own-a (1 file)"]);
    assert_eq!(repo.git(&["show", &format!(":{A}")]) + "\n", document("own-a") + "staged\n");
    assert_eq!(repo.text(A), document("own-a") + "staged\n");
    repo.check(&["--staged"]).expect(0);
    repo.sync(&["--staged"]).expect(0).says_nothing_of(&["staged    "]);
    repo.git(&["commit", "-qm", "staged"]);
    assert_eq!(repo.head_changes().len(), 7);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.check(&[]).expect(1);
}

#[test]
fn findings_have_paths_relative_to_the_repository() {
    let repo = synced();
    let broken = "---\nname: own-a\ndescription: Does this: that. Use it.\n---\n\n# A\n";
    repo.write("packages/a/agent/skills/own-a/SKILL.md", broken);
    repo.write("packages/b/.claude/skills/own-b/SKILL.md", "by hand\n");
    let ran = repo.check(&[]).expect(1);
    ran.says(&[
        "[packages/a/agent/skills/own-a/SKILL.md:3:",
        "description: Does this: that.",
        "packages/b/.claude/skills/own-b/SKILL.md",
    ]);
    let paths = |ran: &Ran| -> Vec<String> {
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = document["findings"].as_array().unwrap().iter();
        findings.map(|finding| finding["path"].as_str().unwrap().to_owned()).collect()
    };
    let everywhere = paths(&repo.check(&["--format", "json"]));
    assert!(everywhere.contains(&"packages/a/agent/skills/own-a/SKILL.md".to_owned()), "{everywhere:?}");
    assert!(everywhere.contains(&"packages/b/.claude/skills/own-b/SKILL.md".to_owned()), "{everywhere:?}");
    let in_b = paths(&within(&repo, "packages/b", &["check", "--format", "json"]));
    assert_eq!(in_b, ["packages/b/.claude/skills/own-b/SKILL.md"]);
    within(&repo, "packages/b", &["check", "../../agent/skills/top"]).expect(0).says(&["1 skill"]);
    for format in ["sarif", "github"] {
        repo.check(&["--format", format]).expect(1).says(&["packages/a/agent/skills/own-a/SKILL.md"]);
    }
    repo.check(&["--fix"]).expect(1);
    assert!(repo.text("packages/a/agent/skills/own-a/SKILL.md").contains("description: \"Does this: that. Use it.\""));
    repo.check(&["--write-baseline"]).expect(1);
    assert!(repo.exists("packages/a/agent/baseline.json") && repo.exists("agent/baseline.json"));
    repo.check(&["--baseline", "agent/baseline.json"]).expect(64);
}

#[test]
fn an_edit_is_refused_adopted_or_backed_up_by_its_own_canon() {
    let repo = synced();
    repo.write(A, document("own-a") + "by hand\n");
    repo.write(".claude/skills/top/SKILL.md", document("top") + "by hand\n");
    let ran = repo.sync(&[]).expect(5);
    ran.says(&["refused   packages/a/.claude/skills/own-a/SKILL.md: edited", &format!("--- a/{A}\n")]);
    within(&repo, "packages/b", &["sync"]).expect(0);
    repo.sync(&["--adopt", "packages/b/agent"]).expect(5);
    // Only the named canon adopts the edit.
    repo.sync(&["--adopt", A]).expect(5).says(&["adopted   packages/a/agent/skills/own-a/SKILL.md"]);
    assert!(repo.text("packages/a/agent/skills/own-a/SKILL.md").ends_with("by hand\n"));
    assert!(!repo.text("agent/skills/top/SKILL.md").contains("by hand"));
    repo.write(A, document("own-a") + "another\n");
    within(&repo, "packages/a/.claude", &["sync", "--adopt", "skills/own-a"]).expect(0);
    assert!(repo.text("packages/a/agent/skills/own-a/SKILL.md").ends_with("another\n"));
    repo.write(A, "third\n");
    repo.sync(&["--force"]).expect(0).says(&[&format!("backed up {A} to ")]);
    let kept = repo.tree_of(&[".git/canonry/kept"]);
    assert!(kept.keys().any(|path| path.ends_with(&format!("/{A}"))), "{:?}", kept.keys());
    repo.remove("packages/a/agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0).says(&["claimed   1 file equal to the canon"]);
    repo.check(&[]).expect(0);
}

/// The result of several canons is one JSON document and one diff that git can apply.
#[test]
fn several_canons_print_one_document_and_one_diff() {
    let repo = monorepo();
    let ran = repo.sync(&["--format", "json"]).expect(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let written: Vec<&str> = document["written"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((written.len(), written.contains(&A)), (6, true), "{written:?}");
    repo.commit_all("synced");
    repo.write("packages/a/agent/skills/own-a/SKILL.md", document_of("own-a"));
    repo.write("agent/skills/top/SKILL.md", document_of("top"));
    let diff = repo.sync(&["--dry-run"]).expect(0).stdout;
    repo.write("diff", &diff);
    repo.git(&["apply", "diff"]);
    assert_eq!(repo.text(A), document_of("own-a"));
    assert_eq!(repo.text(".codex/skills/top/SKILL.md"), document_of("top"));
}

fn document_of(name: &str) -> String {
    document(name) + "news\n"
}

/// Attributes and ignore patterns are relative to the top of the repository, and a link must not leave the folder.
#[test]
fn git_attributes_and_ignore_rules_apply_from_the_top() {
    let repo = monorepo();
    repo.write(".gitattributes", "packages/a/.claude/** text eol=crlf\n");
    repo.write(".gitignore", "/packages/a/agent/skills/draft/\n/agent/skills/hidden/\n");
    repo.write("packages/a/agent/skills/draft/SKILL.md", document("draft"));
    repo.write("packages/a/agent/skills/hidden/SKILL.md", document("hidden"));
    repo.link("packages/a/agent/skills/own-a/outside.md", "../../../../b/agent/skills/own-b/SKILL.md");
    repo.sync(&[]).expect(1).says(&["packages/a/agent/skills/own-a/outside.md", "outside the repository"]);
    assert!(!repo.exists("packages/a/.claude/skills/draft") && repo.exists("packages/a/.claude/skills/hidden"));
    assert!(!repo.exists("packages/a/.claude/skills/own-a/outside.md"));
    repo.remove("packages/a/agent/skills/own-a/outside.md");
    repo.remove("packages/a/agent/skills/draft");
    repo.commit_all("synced");
    repo.write(A, document("own-a").replace('\n', "\r\n"));
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).expect(0);
    repo.remove("packages/a/.claude");
    repo.git(&["checkout", "packages/a/.claude"]);
    assert!(repo.text(A).contains("\r\n"));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_conflict_in_the_lock_of_a_folder_is_resolved() {
    let repo = synced();
    for (branch, skill) in [("other", "ant"), ("main", "alpha")] {
        repo.git(&["checkout", "-q", "-B", branch, if branch == "main" { "main" } else { "HEAD" }]);
        repo.write(&format!("packages/a/agent/skills/{skill}/SKILL.md"), document(skill));
        repo.sync(&[]).expect(0);
        repo.commit_all(branch);
    }
    assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
    repo.check(&[]).expect(1).says(&["packages/a"]);
    repo.sync(&[]).expect(0).says(&["git add packages/a/agent/mirrors.lock"]);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "merged"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn folders_that_cannot_have_a_canon_are_reported() {
    let repo = monorepo();
    let expect = |canons: &str, status: i32, words: &[&str]| {
        repo.write("canonry.yaml", format!("canons: [{canons}]\ntargets: [claude]\n"));
        repo.sync(&["--check"]).expect(status).says(words);
    };
    expect("packages/c", 0, &["no directory that matches `packages/c` has a canon"]);
    expect("'nothing/*'", 0, &["no directory that matches `nothing/*`"]);
    expect("agent/skills/x, 'packages/*'", 0, &["`agent/skills/x`"]);
    repo.write("agent/skills/top/agent/canonry.yaml", "");
    expect("'agent/skills/*'", 65, &["`agent/skills/top` cannot have its own canon"]);
    repo.remove("agent/skills/top/agent");
    repo.link("linked", "packages/a");
    expect("linked", 65, &["`linked` cannot", "link"]);
    repo.git(&["init", "-q", "packages/b"]);
    expect("packages/b", 65, &["`packages/b` cannot", "a separate repository"]);
    repo.write("packages/a/agent/canonry.yaml", "canons: [x]\n");
    expect("packages/a", 65, &["packages/a/agent/canonry.yaml: `canons` is only allowed in the config of"]);
    // An unreadable canon does not stop the others from syncing.
    repo.write("packages/a/agent/canonry.yaml", "targets: [vim]\n");
    repo.write("canonry.yaml", "canons: [packages/a]\ntargets: [claude]\n");
    repo.sync(&[]).expect(65).says(&["packages/a/agent/canonry.yaml:1:11: "]);
    assert!(repo.exists(".claude/skills/top") && !repo.exists("packages/a/.claude"));
}

#[test]
fn a_repository_without_a_top_level_canon_is_synced() {
    let repo = monorepo();
    repo.remove("agent");
    repo.sync(&["--commit"]).expect(0).says(&["canon     packages/a/agent"]).says_nothing_of(&["canon     agent"]);
    repo.check(&[]).expect(0).says(&["2 skills"]).says_nothing_of(&["canon found", "Nothing", "nothing was checked"]);
    repo.check(&["--staged"]).expect(0);
    // Files outside of the canons are checked, each file once.
    repo.write(".claude/skills/mine/SKILL.md", "no frontmatter\n");
    repo.check(&[]).expect(1).says(&["3 skills: 1 error", ".claude/skills/mine/SKILL.md:1:1"]);
}

/// A folder that is not committed yet, and a repository without a work tree.
#[test]
fn an_uncommitted_canon_and_a_bare_repository_are_checked() {
    let repo = monorepo();
    repo.git(&["add", "canonry.yaml", "agent", "packages/c"]);
    repo.git(&["commit", "-qm", "before"]);
    within(&repo, "packages/a", &["check", "--rev", "HEAD"]).expect(0).says(&["1 skill"]);
    repo.git(&["add", "packages/a"]);
    repo.check(&["--staged"]).expect(0);
    repo.sync(&["--staged"]).expect(0).says(&["staged    packages/a/.claude/skills/own-a (1 file)"]);
    within(&repo, "packages/a", &["sync", "--commit"]).expect(0);
    assert!(repo.head_changes().contains(&format!("A {A}")));
    repo.commit_all("all");
    let bare = repo.outside("bare");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    repo.canonry_in(&bare, &["check", "--rev", "HEAD"]).expect(0).says(&["3 skills"]);
    repo.canonry_in(&bare, &["check", "--rev", "HEAD~2"]).expect(0).says(&["1 skill"]);
}

#[test]
fn sync_of_several_canons_survives_a_kill() {
    let make = || {
        let repo = Repo::empty();
        repo.write("canonry.yaml", "canons: [packages/a]\ntargets: [claude]\n");
        repo.write("packages/a/canonry.yaml", "targets: [claude]\n");
        for folder in ["agent/skills/own", "packages/a/agent/skills/own"] {
            repo.write(&format!("{folder}/SKILL.md"), document("own"));
        }
        repo.write("packages/a/.claude/skills/mine/SKILL.md", "mine\n");
        repo
    };
    let then = |repo: &Repo| {
        repo.sync(&["--check"]).expect(0);
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| !path.ends_with("/journal") && !path.contains(".canonry-tmp-")), "{own:?}");
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &["mine\n"], then });
}
