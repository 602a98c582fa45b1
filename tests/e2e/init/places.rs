//! Places in which `init` refuses to create a canon, and unusual places in which it creates one.

use crate::init::{assert_clean, json, paths};
use crate::support::repo::{Ran, Repo};
use crate::support::unprivileged::run_unprivileged;
use std::fs;

/// `init` fails and writes nothing.
#[track_caller]
fn refused(repo: &Repo, status: i32, words: &[&str]) -> Ran {
    let before = repo.tree();
    let ran = repo.canonry(&["init", "--all"]).expect(status).says(words);
    assert_eq!(repo.tree(), before);
    ran
}

#[test]
fn without_a_repository_suggests_git_init() {
    let repo = Repo::empty();
    let outside = repo.outside("elsewhere");
    repo.canonry_in(&outside, &["init", "--all"]).expect(65).says(&["not in a git repository", "git init"]);
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn refuses_a_bare_repository() {
    let repo = Repo::empty();
    let bare = repo.outside("bare");
    repo.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    repo.canonry_in(&bare, &["init", "--all"])
        .expect(65)
        .says(&["bare repository", "in a clone"])
        .says_nothing_of(&["--rev"]);
}

#[test]
fn refuses_a_file_or_a_link_in_place_of_the_canon() {
    let repo = Repo::empty();
    repo.write("agent", "a file\n");
    refused(&repo, 65, &["`agent` is a file", "root:"]);
    repo.remove("agent");
    repo.write("agent/skills", "a file\n");
    refused(&repo, 65, &["`agent/skills` is a file"]);
    repo.remove("agent/skills");
    let outside = repo.outside("elsewhere");
    repo.link("agent/skills", &outside);
    refused(&repo, 65, &["`agent/skills` is a symbolic link"]);
    repo.remove("agent/skills");
    repo.remove("agent");
    repo.link("agent", &outside);
    refused(&repo, 65, &["`agent` is a symbolic link"]);
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn creates_the_rest_if_one_path_is_blocked() {
    let repo = Repo::empty();
    let outside = repo.outside("elsewhere");
    repo.link("agent/memory", &outside);
    repo.write("agent/policies", "a file\n");
    repo.write("agent/AGENTS.md/readme", "a folder\n");
    let document = json(&repo, &["--all"], 5);
    let refused = document["refused"].as_array().unwrap();
    assert_eq!(refused.len(), 8 + 1 + 1, "{document:#}");
    assert!(repo.exists("agent/skills/plan/SKILL.md"));
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0, "nothing is written through a link");
}

#[test]
fn refuses_an_ignored_canon() {
    let repo = Repo::empty();
    repo.write(".gitignore", "agent/\n");
    refused(&repo, 65, &["git ignores `agent/skills`", ".gitignore"]);
    repo.write(".gitignore", "policies/\n*.jsonl\n");
    repo.canonry(&["init", "--all"])
        .expect(0)
        .says(&["git ignores agent/policies/WORKFLOW.md", "git ignores agent/memory/episodic/AGENT_LEARNINGS.jsonl"]);
}

#[test]
fn does_not_write_into_a_nested_repository() {
    let repo = Repo::empty();
    fs::create_dir(repo.path("agent")).unwrap();
    repo.git(&["init", "-q", "agent"]);
    refused(&repo, 65, &["`agent` is a separate repository"]);
}

#[test]
fn says_if_the_directory_seems_to_belong_to_another_program() {
    let repo = Repo::empty();
    repo.write("agent/main.py", "print()\n");
    repo.write("agent/lib/a.py", "a = 1\n");
    let note = "agent/ had 2 files of something else; if it belongs to another program, set `root: .agent`";
    repo.canonry(&["init", "--all", "--dry-run"]).expect(0).says(&[note]);
    repo.canonry(&["init", "--all"]).expect(0).says(&[note, "after removing the new files"]);
    repo.canonry(&["init", "--all"]).expect(0).says_nothing_of(&["of something else; if"]);
    let repo = Repo::with_skills(&["alpha"]);
    repo.canonry(&["init", "--all"]).expect(0).says_nothing_of(&["of something else; if"]);
    // As an import leaves it.
    for (path, text) in [("agent/mcp.json", "{}\n"), ("agent/hooks.yaml", "hooks: {}\n"), ("agent/mirrors.lock", "")] {
        let repo = Repo::empty();
        repo.write(path, text);
        repo.canonry(&["init", "--all", "--dry-run"]).expect(0).says_nothing_of(&["of something else; if"]);
    }
}

#[test]
fn works_from_a_subdirectory() {
    let repo = Repo::empty();
    let below = repo.path("src/deep");
    fs::create_dir_all(&below).unwrap();
    repo.canonry_in(&below, &["init", "--all"]).expect(0);
    assert!(repo.exists("agent/AGENTS.md") && fs::read_dir(below).unwrap().count() == 0);
    assert_clean(&repo);
}

#[test]
fn creates_a_canon_at_a_configured_root() {
    let repo = Repo::empty();
    repo.write("canonry.yaml", "root: .canonry\n");
    let written = paths(&json(&repo, &["--all"], 0), "written");
    assert!(written.iter().all(|path| path.starts_with(".canonry/")), "{written:?}");
    assert!(!repo.exists("agent") && !repo.exists(".canonry/canonry.yaml"), "a config there would not be read");
    assert!(repo.text(".canonry/AGENTS.md").contains("`.canonry/policies/WORKFLOW.md`"));
    assert_clean(&repo);
    repo.sync(&[]).expect(0);
    assert_clean(&repo);
}

#[test]
fn skills_beside_the_canon_are_named() {
    let repo = Repo::empty();
    repo.write("skills/alpha/SKILL.md", crate::support::repo::document("alpha"));
    repo.canonry(&["init", "--with", "instructions"])
        .expect(0)
        .says(&["note      1 skill in skills/ is not in the canon", "`root: .`"]);
}

#[test]
fn a_repository_of_skills_is_its_own_canon() {
    let repo = Repo::empty();
    repo.write("skills/alpha/SKILL.md", crate::support::repo::document("alpha"));
    repo.write("canonry.yaml", "root: .\ntargets: [claude, agents]\n");
    repo.canonry(&["init", "--with", "instructions"])
        .expect(0)
        .says(&["git add . && git commit", "Then replace each TODO in AGENTS.md."]);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".agents/skills/alpha/SKILL.md"), repo.text("skills/alpha/SKILL.md"));
    // Mirrors are copies: what is wrong with a skill is reported once.
    repo.write("skills/alpha/SKILL.md", "---\nname: alpha\n---\nDo.\n");
    repo.sync(&[]).expect(0);
    let checked = repo.canonry(&["check", "--format", "concise"]).expect(1);
    checked.says(&["Checked 1 skill "]).says_nothing_of(&[".claude/skills", ".agents/skills"]);
    repo.canonry(&["status"]).expect(0).says(&["./\n", "skills      1;"]);
}

#[test]
fn writes_nothing_with_an_invalid_config() {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", "target: [claude]\n");
    refused(&repo, 65, &["unknown key `target`"]);
}

#[test]
fn writes_nothing_with_a_conflicted_lock() {
    let repo = Repo::empty();
    repo.write("agent/mirrors.lock", "<<<<<<< HEAD\n");
    refused(&repo, 65, &["agent/mirrors.lock"]);
}

#[test]
fn loses_nothing_in_a_read_only_directory() {
    let repo = Repo::empty();
    repo.write("agent/skills/mine/SKILL.md", crate::support::repo::document("mine"));
    repo.chmod("agent", 0o555);
    let before = repo.tree();
    run_unprivileged(&repo, &["init", "--all"]).expect(70).says(&["agent/"]);
    repo.chmod("agent", 0o755);
    crate::init::assert_kept(&before, &repo.tree());
    repo.canonry(&["init", "--all"]).expect(0);
    assert!(repo.exists("agent/AGENTS.md"));
}
