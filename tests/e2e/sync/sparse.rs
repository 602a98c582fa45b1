//! Sparse checkouts: a file that git leaves out of the work tree still exists.

use crate::support::repo::{Repo, document};

/// Two skills in two mirrors, synced and committed.
fn synced() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

fn sparse(repo: &Repo, args: &[&str]) {
    repo.git(&[&["sparse-checkout", "set"], args].concat());
}

/// Every view says the same about the repository as it is.
fn assert_clean(repo: &Repo) {
    repo.sync(&["--check"]).expect(0);
    repo.sync(&["--check", "--staged"]).expect(0);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
}

#[test]
fn mirrors_of_a_skill_outside_the_checkout_stay() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = synced();
        sparse(&repo, &[index, "agent/skills/alpha", ".claude", ".codex"]);
        assert!(!repo.exists("agent/skills/beta") && repo.exists(".claude/skills/beta/SKILL.md"));
        assert_clean(&repo);
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
        repo.sync(&["--commit"]).expect(0);
        let changed = repo.head_changes();
        assert!(changed.iter().all(|line| line.starts_with("M ") && !line.contains("beta")), "{changed:?}");
        assert_eq!(changed.len(), 4, "{changed:?}");
        assert!(repo.exists(".codex/skills/beta/SKILL.md"));
        assert_clean(&repo);
    }
}

#[test]
fn the_mirrors_of_an_excluded_asset_stay() {
    let repo = synced();
    repo.write("agent/skills/beta/assets/large.bin", [0u8; 64]);
    repo.sync(&[]).expect(0);
    repo.commit_all("asset");
    sparse(&repo, &["--no-cone", "/*", "!/agent/skills/beta/assets/"]);
    assert!(!repo.exists("agent/skills/beta/assets/large.bin"));
    assert_clean(&repo);
    repo.sync(&["--commit"]).expect(0).says(&["Up to date"]);
    assert!(repo.exists(".claude/skills/beta/assets/large.bin"));
}

/// A mirror can be restored although its canonical file is only in git.
#[test]
fn a_lost_mirror_is_written_from_the_index() {
    let repo = synced();
    sparse(&repo, &["agent/skills/alpha", ".claude", ".codex"]);
    repo.remove(".claude/skills/beta");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".claude/skills/beta/SKILL.md"), document("beta"));
    assert_eq!(repo.mode(".claude/skills/beta/scripts/run.sh") & 0o111, 0o111);
    assert_clean(&repo);
}

#[test]
fn a_mirror_outside_the_checkout_is_not_drift_and_follows_an_edit() {
    let repo = synced();
    sparse(&repo, &["agent", ".claude"]);
    assert!(!repo.exists(".codex/skills"));
    assert_clean(&repo);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    assert!(!repo.exists(".codex/skills"));
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    assert_eq!(repo.git(&["show", "HEAD:.codex/skills/alpha/SKILL.md"]) + "\n", document("alpha") + "news\n");
}

#[test]
fn a_mirror_outside_the_checkout_is_not_removed_unseen() {
    let repo = synced();
    sparse(&repo, &["agent", ".claude"]);
    repo.remove("agent/skills/beta");
    let advice = "git sparse-checkout add .codex/skills/beta";
    repo.sync(&[]).expect(5).says(&["outside your sparse checkout", advice]).says_nothing_of(&["--force"]);
    assert!(!repo.exists(".claude/skills/beta"));
    repo.git(&["sparse-checkout", "add", ".codex/skills/beta"]);
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
}

#[test]
fn a_canon_outside_the_checkout_is_not_absent() {
    let repo = synced();
    sparse(&repo, &[".claude"]);
    assert!(!repo.exists("agent"));
    let head = repo.git(&["rev-parse", "HEAD"]);
    let advice = ["agent/ is tracked but outside your sparse checkout", "git sparse-checkout add agent"];
    for args in [&["sync"][..], &["sync", "--commit"], &["sync", "--check"]] {
        repo.canonry(args).expect(65).says(&advice).says_nothing_of(&["canonry init"]);
    }
    repo.canonry(&["init", "--all"]).expect(65).says(&advice);
    assert!(!repo.exists("agent"));
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.git(&["sparse-checkout", "add", "agent"]);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
}

/// `init` completes a canon, but no file that git tracks is replaced.
#[test]
fn init_does_not_replace_what_the_checkout_leaves_out() {
    let repo = synced();
    repo.write("agent/AGENTS.md", "# Ours\n");
    repo.commit_all("instructions");
    sparse(&repo, &["--no-cone", "/agent/skills/alpha/", "/.claude/", "/.codex/"]);
    assert!(!repo.exists("agent/canonry.yaml") && repo.exists("agent/skills/alpha"));
    repo.canonry(&["init", "--all"]).expect(0);
    assert!(!repo.exists("agent/canonry.yaml") && !repo.exists("agent/AGENTS.md"));
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.git(&["show", "HEAD:agent/AGENTS.md"]), "# Ours");
    assert_eq!(repo.git(&["show", "HEAD:agent/canonry.yaml"]), "targets: [claude, codex]");
}

/// Patterns without a cone can leave out files at the top. A tool file that has no source any more is not removed unseen, and
/// nothing fails.
#[test]
fn a_tool_file_outside_the_checkout_is_not_removed_unseen() {
    let repo = Repo::with_skills(&["alpha"]);
    let config = "targets: [claude]\nfiles:\n  claude: {mcp: true, subagents: true, context: copy}\n";
    repo.write("agent/canonry.yaml", config);
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db\"}}}\n");
    repo.write("agent/agents/critic.md", "---\nname: critic\ndescription: Reviews. Use after edits.\n---\n\nReview.\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    sparse(&repo, &["--no-cone", "/agent/", "/.claude/skills/"]);
    assert!(!repo.exists(".mcp.json") && !repo.exists("CLAUDE.md") && !repo.exists(".claude/agents/critic.md"));
    assert_clean(&repo);
    for source in ["agent/mcp.json", "agent/AGENTS.md", "agent/agents/critic.md"] {
        repo.remove(source);
    }
    let advice = ["`git sparse-checkout add .mcp.json`", "`git sparse-checkout add .claude/agents`"];
    for args in [&[][..], &["--commit"], &["--force"]] {
        repo.sync(args).expect(5).says(&advice).says(&["CLAUDE.md: no longer in the canon"]);
    }
    repo.sync(&["--check"]).expect(1).says(&advice);
    repo.check(&[]).expect(1).says(&["mirror-orphan", ".mcp.json", "CLAUDE.md", ".claude/agents/critic.md"]);
    repo.git(&["sparse-checkout", "add", ".mcp.json", "CLAUDE.md", ".claude/agents"]);
    repo.sync(&["--commit"]).expect(0);
    assert!(!repo.exists(".mcp.json") && !repo.exists("CLAUDE.md") && !repo.exists(".claude/agents/critic.md"));
    assert_clean(&repo);
}
