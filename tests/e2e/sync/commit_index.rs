//! `sync --commit` and what is staged: the commit has the canon that was mirrored, and its mirrors, however the index, the
//! work tree and HEAD differ before.

use crate::support::repo::{Repo, document};

const CONFIG: &str =
    "targets: [claude, codex]\nfiles:\n  claude: {commands: true, subagents: true, mcp: true, context: copy}\n";

/// Two skills and one file of each other kind, in two mirrors.
fn synced() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", CONFIG);
    repo.write("agent/commands/tidy.md", "---\ndescription: Tidies the code.\n---\n\nTidy it.\n");
    repo.write("agent/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews changes.\n---\n\nReview.\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db-server\"}}}\n");
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.write("src/main.rs", "fn main() {}\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

/// After a sync with a commit, HEAD, the index and the work tree are in order, and a clone of HEAD too.
#[track_caller]
fn assert_committed(repo: &Repo) {
    repo.sync(&["--commit"]).expect(0);
    for view in [&["--rev", "HEAD"][..], &["--staged"], &[]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
    assert_eq!(repo.git(&["status", "--porcelain", "--", "agent", ".claude", ".codex", ".mcp.json", "CLAUDE.md"]), "");
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    let clone = Repo::empty();
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "HEAD"]);
    clone.sync(&["--check"]).expect(0);
}

#[test]
fn staged_removals_of_the_canon_are_committed_with_their_mirrors() {
    for removed in [
        &["-r", "agent/skills/alpha"][..],
        &["agent/skills/alpha/scripts/run.sh"],
        &["agent/skills/alpha/SKILL.md"],
        &["agent/commands/tidy.md"],
        &["agent/agents/reviewer.md"],
        &["agent/mcp.json"],
        &["agent/AGENTS.md"],
        &["-r", "agent/skills/alpha", "agent/commands", "agent/agents", "agent/mcp.json", "agent/AGENTS.md"],
    ] {
        let repo = synced();
        repo.git(&[&["rm", "-q"], removed].concat());
        assert_committed(&repo);
        let left = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        let gone = removed.iter().filter(|path| **path != "-r");
        gone.for_each(|path| assert!(!left.lines().any(|line| line.starts_with(path)), "{path}: {left}"));
    }
}

#[test]
fn staged_moves_of_the_canon_are_committed_with_their_mirrors() {
    for (from, to) in [
        ("agent/skills/alpha", "agent/skills/tools/alpha"),
        ("agent/skills/alpha", "docs/alpha"),
        ("agent/skills/alpha/scripts/run.sh", "agent/skills/alpha/scripts/start.sh"),
        ("agent/commands/tidy.md", "agent/commands/clean.md"),
        ("agent/agents", "docs/agents"),
        ("agent/mcp.json", "agent/mcp.json.off"),
        ("agent/skills/alpha/SKILL.md", "agent/skills/beta/reference.md"),
    ] {
        let repo = synced();
        std::fs::create_dir_all(repo.path(to).parent().unwrap()).unwrap();
        repo.git(&["mv", from, to]);
        repo.sync(&["--commit"]).expect(0);
        repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
        let left = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(!left.lines().any(|line| line.starts_with(from)), "{from}: {left}");
        // What left the canon is staged work of somebody else.
        let is_canon = to.starts_with("agent/skills") || to.ends_with("clean.md");
        assert_eq!(left.contains(to), is_canon, "{to}: {left}");
        assert_eq!(repo.git(&["diff", "--cached", "--name-only"]).is_empty(), is_canon);
    }
}

#[test]
fn a_renamed_skill_with_a_new_name_in_its_document_is_committed_whole() {
    for stages_all in [false, true] {
        let repo = synced();
        repo.git(&["mv", "agent/skills/alpha", "agent/skills/omega"]);
        repo.write("agent/skills/omega/SKILL.md", document("omega"));
        if stages_all {
            repo.git(&["add", "-A"]);
        }
        assert_committed(&repo);
        assert!(repo.exists(".codex/skills/omega/SKILL.md") && !repo.exists(".codex/skills/alpha"));
    }
}

#[test]
fn names_that_differ_only_in_case_are_renamed() {
    let repo = synced();
    repo.git(&["mv", "agent/skills/alpha", "agent/skills/moved"]);
    repo.git(&["mv", "agent/skills/moved", "agent/skills/Alpha"]);
    repo.sync(&["--commit"]);
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!committed.contains("/alpha/") && committed.contains(".claude/skills/Alpha/SKILL.md"), "{committed}");
}

#[test]
fn the_whole_canon_outside_of_the_default_folder_can_move() {
    let repo = synced();
    repo.git(&["mv", "agent", ".agent"]);
    repo.git(&["mv", ".agent/canonry.yaml", "canonry.yaml"]);
    repo.write("canonry.yaml", format!("root: .agent\n{CONFIG}"));
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(
        !committed.contains("\nagent/skills/") && committed.contains(".agent/skills/alpha/SKILL.md"),
        "{committed}"
    );
}

/// The index differs from both HEAD and the work tree.
#[test]
fn a_partly_staged_file_is_committed_as_it_was_mirrored() {
    let repo = synced();
    let file = "agent/skills/alpha/SKILL.md";
    let text = document("alpha");
    repo.write(file, format!("{text}staged\n"));
    repo.git(&["add", file]);
    repo.write(file, format!("{text}staged\nin the work tree\n"));
    repo.write("src/main.rs", "fn main() { staged() }\n");
    repo.git(&["add", "src"]);
    repo.write("src/main.rs", "fn main() { staged(); unstaged() }\n");
    assert_committed(&repo);
    assert!(repo.git(&["show", "HEAD:.codex/skills/alpha/SKILL.md"]).ends_with("in the work tree"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "MM src/main.rs", "staged work elsewhere stays staged");
}

#[test]
fn files_removed_from_the_index_alone_count_as_in_the_work_tree() {
    let repo = synced();
    repo.git(&["rm", "-rq", "--cached", "agent/skills/alpha", "agent/mcp.json"]);
    repo.append("agent/skills/beta/SKILL.md", "edited\n");
    assert_committed(&repo);
    assert!(repo.git(&["ls-files", "agent"]).contains("agent/skills/alpha/SKILL.md"));
    // With an ignore rule, they are no part of the canon any more.
    repo.git(&["rm", "-rq", "--cached", "agent/skills/alpha"]);
    repo.write(".gitignore", "/agent/skills/alpha/\n");
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    assert!(repo.exists("agent/skills/alpha/SKILL.md") && !repo.exists(".claude/skills/alpha"));
    assert!(!repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("alpha"));
}

#[test]
fn files_that_are_intended_to_be_added_are_committed() {
    let repo = synced();
    repo.skill("gamma");
    repo.write("agent/commands/new.md", "---\ndescription: New.\n---\n\nNew.\n");
    repo.git(&["add", "-N", "agent"]);
    assert_committed(&repo);
    assert!(repo.git(&["show", "HEAD:.claude/commands/new.md"]).contains("New."));
}

/// A source that stays, but of which nothing is left for a tool.
#[test]
fn a_source_without_content_is_committed() {
    let repo = synced();
    repo.write("agent/mcp.json", "{\"mcpServers\": {}}\n");
    repo.git(&["add", "agent/mcp.json"]);
    assert_committed(&repo);
    assert_eq!(repo.git(&["show", "HEAD:agent/mcp.json"]), "{\"mcpServers\": {}}");
}

/// The file cannot be committed whole, so that HEAD is not in order, which the status says.
#[test]
fn a_shared_file_with_changes_of_a_person_is_named_until_it_is_committed() {
    let repo = synced();
    repo.append("CLAUDE.md", "\nMine, not done.\n");
    repo.write("agent/AGENTS.md", "# Map\n\nChanged.\n");
    let said = ["not committed: CLAUDE.md", "not in order in HEAD: CLAUDE.md"];
    repo.sync(&["--commit"]).expect(1).says(&said);
    repo.check(&["--rev", "HEAD"]).expect(1);
    repo.sync(&["--commit"]).expect(1).says(&said);
    repo.git(&["commit", "-qam", "mine"]);
    assert_committed(&repo);
}

/// A person saves between the sync and the commit; the hook stands for the person.
#[test]
fn a_save_during_the_commit_is_mirrored_before_it_is_committed() {
    let repo = synced();
    hook(
        &repo,
        "pre-commit",
        "#!/bin/sh\n[ -e saved ] && exit 0\n: > saved\necho saved >> agent/skills/alpha/SKILL.md\n",
    );
    repo.append("agent/skills/alpha/SKILL.md", "edited\n");
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
}

fn hook(repo: &Repo, name: &str, script: &str) {
    repo.write(&format!(".git/hooks/{name}"), script);
    repo.chmod(&format!(".git/hooks/{name}"), 0o755);
}

/// As lint-staged does: formats the staged files that match, and stages them again.
fn formats(patterns: &str) -> String {
    format!(
        "#!/bin/sh\necho run >> \"$HOME/runs\"\nfor file in $(git diff --cached --name-only --diff-filter=d -- {patterns}); do\n  \
         sed -i 's/  */ /g; s/[ \\t]*$//' \"$file\"\n  git add \"$file\"\ndone\n"
    )
}

#[test]
fn what_a_hook_formats_is_committed_with_equal_mirrors() {
    for patterns in ["'*.md'", "'agent/*.md'", "'agent/skills/*.md' '.claude/*.md'"] {
        let repo = synced();
        hook(&repo, "pre-commit", &formats(patterns));
        repo.append("agent/skills/alpha/SKILL.md", "two  spaces\n");
        repo.git(&["mv", "agent/skills/beta", "agent/skills/tools-beta"]);
        repo.write("agent/skills/tools-beta/SKILL.md", document("tools-beta") + "three   spaces\n");
        assert_committed(&repo);
        for mirror in ["agent/skills", ".claude/skills", ".codex/skills"] {
            let text = repo.git(&["show", &format!("HEAD:{mirror}/alpha/SKILL.md")]);
            assert!(text.ends_with("two spaces"), "{patterns}: {mirror}: {text}");
        }
        assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2", "one commit");
    }
}

#[test]
fn a_hook_that_formats_only_mirrors_is_named_and_nothing_is_committed() {
    let repo = synced();
    let head = repo.git(&["rev-parse", "HEAD"]);
    hook(&repo, "pre-commit", &formats("'.claude/*.md'"));
    repo.append("agent/skills/alpha/SKILL.md", "two  spaces\n");
    let said = ["nothing was committed", "`pre-commit`", ".claude/skills/alpha/SKILL.md"];
    repo.sync(&["--commit"]).expect(5).says(&said);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    assert!(repo.text("agent/skills/alpha/SKILL.md").ends_with("two  spaces\n"));
}
