//! `check` and `sync` agree on what is wrong and on the status, and no remedy is offered that is refused.

use crate::support::repo::{Repo, document};

fn with_targets(targets: &[&str]) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(targets);
    repo
}

#[test]
fn a_file_in_the_place_of_a_folder() {
    let repo = with_targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.remove(".claude/skills/alpha");
    repo.write(".claude/skills/alpha", "mine\n");
    let reason = "the file .claude/skills/alpha stands where a folder is needed; move it away";
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(5).says(&[reason]).says_nothing_of(&["`--force`", "--force` backs"]);
    }
    let place = "the file `.claude/skills/alpha` stands in the mirror's place";
    repo.check(&[]).expect(1).says(&["mirror-occupied", place]).says_nothing_of(&["user files"]);
    let adopted = repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(5);
    adopted.says(&["this is a file, but agent/skills/alpha is a folder in the canon", "rename it first"]);
    assert_eq!(repo.text(".claude/skills/alpha"), "mine\n");
}

#[test]
fn a_folder_in_the_place_of_a_file() {
    let repo = with_targets(&["claude"]);
    repo.sync(&[]).expect(0);
    repo.remove(".claude/skills/alpha/SKILL.md");
    repo.write(".claude/skills/alpha/SKILL.md/mine.md", "mine\n");
    repo.sync(&["--force"]).expect(5).says(&["a folder stands where a file is needed"]);
    repo.check(&[]).expect(1).says(&["the folder `.claude/skills/alpha/SKILL.md` blocks"]);
    repo.sync(&["--adopt", ".claude/skills/alpha/SKILL.md"]).expect(5).says(&["agent/skills/alpha/SKILL.md is a file"]);
}

#[test]
fn force_is_offered_only_where_it_helps() {
    let repo = with_targets(&["claude", "codex"]);
    repo.write(".claude/skills", "a file\n");
    repo.sync(&[]).expect(5).says(&["is not a folder"]).says_nothing_of(&["--force", "--adopt"]);
    repo.write(".codex/skills/alpha/SKILL.md", "edited\n");
    repo.sync(&[]).expect(5).says(&["--adopt PATH", "`--force` backs it up"]);
}

#[test]
fn a_filter_of_git_that_is_not_installed() {
    let repo = with_targets(&["claude"]);
    repo.write(".gitattributes", "*.bin filter=lfs\n");
    repo.git(&["config", "filter.lfs.clean", "canonry-test-no-such-program"]);
    repo.git(&["config", "filter.lfs.required", "true"]);
    repo.write("agent/skills/alpha/assets/large.bin", "content");
    let reason = "git's filter `lfs` failed for this file; install it";
    repo.sync(&[]).expect(1).says(&["agent/skills/alpha/assets/large.bin", reason]);
    repo.sync(&["--check"]).expect(1).says(&[reason]);
    repo.check(&[]).expect(1).says(&["mirror-skipped", "agent/skills/alpha/assets/large.bin"]);
}

#[test]
fn a_checkout_without_links() {
    let repo = with_targets(&["claude"]);
    repo.write("agent/canonry.yaml", "targets: [claude, codex]\nmirrors: {codex: {mode: symlink}}\n");
    repo.git(&["config", "core.symlinks", "false"]);
    repo.sync(&[]).expect(1).says(&["core.symlinks"]);
    repo.sync(&["--check"]).expect(1).says(&["core.symlinks"]);
    repo.check(&[]).expect(1).says(&["mirror-skipped", "core.symlinks"]);
}

#[test]
fn marks_of_a_block_in_the_canonical_context_file() {
    let repo = with_targets(&["claude"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {claude: {context: copy}}\n");
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.sync(&[]).expect(0);
    let block = repo.text("CLAUDE.md");
    repo.write("agent/AGENTS.md", format!("# Map\n\n{block}"));
    let sync = repo.sync(&["--check"]);
    let check = repo.check(&[]);
    assert_eq!((sync.status, check.status), (1, 1), "{}\n{}", sync.all(), check.all());
}

#[test]
fn names_that_differ_only_in_unicode_form() {
    let repo = with_targets(&["claude"]);
    repo.skill("beta");
    repo.write("agent/skills/alpha/references/caf\u{e9}.md", "one\n");
    repo.write("agent/skills/alpha/references/cafe\u{301}.md", "two\n");
    repo.sync(&[]).expect(5).says(&["differ only in Unicode form"]).says_nothing_of(&["case"]);
    repo.check(&[]).expect(1).says(&["differ only in Unicode form"]);
}

#[test]
fn a_revision_beyond_the_border_of_a_shallow_clone() {
    let origin = Repo::synced(&["alpha"]);
    origin.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    origin.sync(&["--commit"]).expect(0);
    let clone = Repo::empty();
    let from = format!("file://{}", origin.root.display());
    clone.git(&["fetch", "-q", "--depth", "1", &from, "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    clone.check(&["--rev", "HEAD~1"]).expect(65).says(&["shallow clone", "HEAD~1 is missing", "git fetch --unshallow"]);
    clone.check(&["--rev", "no-such-branch"]).expect(65).says_nothing_of(&["shallow"]);
}

#[test]
fn a_table_of_a_persons_in_the_config_of_codex() {
    let repo = with_targets(&["codex"]);
    repo.write("agent/canonry.yaml", "targets: [codex]\nfiles: {codex: {mcp: true}}\n");
    repo.write("agent/mcp.json", r#"{"mcpServers": {"docs": {"command": "docs"}}}"#);
    repo.write(".codex/config.toml", "[mcp_servers.docs]\ncommand = \"mine\"\n");
    let reason =
        "your `[mcp_servers.docs]` differs from agent/mcp.json; delete it there, because canonry never edits it";
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(5).says(&[reason]).says_nothing_of(&["--force"]);
    }
}

#[test]
fn mirrors_that_the_team_ignores() {
    let repo = with_targets(&["claude", "codex"]);
    repo.write(".gitignore", ".claude/\n.codex/\n");
    repo.commit_all("ignore");
    let advice = "files: {git: {ignore: true}}";
    let said = ["Git ignores .claude/skills, .codex/skills", advice, "not in order in HEAD"];
    repo.sync(&["--commit"]).expect(1).says(&said);
    for view in [&["--staged"][..], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-missing", advice]);
    }
    repo.write("agent/canonry.yaml", "targets: [claude, codex]\nfiles: {git: {ignore: true}}\n");
    repo.sync(&["--commit"]).expect(0).says_nothing_of(&["Git ignores"]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
}

/// Many rules are one line, and single files are not called folders.
#[test]
fn files_of_one_folder_are_folded() {
    let repo = with_targets(&["claude"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {cursor: {rules: true}, claude: {commands: true}}\n");
    for number in 0..6 {
        repo.write(&format!("agent/rules/r{number}.md"), "# R\n");
        repo.write(&format!("agent/commands/g{number}/c.md"), "C\n");
    }
    repo.sync(&[]).expect(0).says(&["wrote     .cursor/rules (6 files)\n"]).says_nothing_of(&["r0.mdc"]);
    for number in 0..25 {
        repo.write(&format!("agent/commands/h{number}/c.md"), "C\n");
    }
    repo.sync(&[]).expect(0).says(&["wrote     5 more folders (5 files)\n"]);
}

/// Only a file of a skill's mirror can be copied back and adopted.
#[test]
fn a_backup_of_a_tool_file_is_not_offered_for_adoption() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {claude: {mcp: true}}\n");
    repo.write("agent/mcp.json", r#"{"mcpServers": {"docs": {"command": "docs"}}}"#);
    repo.sync(&[]).expect(0);
    let edited = repo.text(".mcp.json").replace("\"docs\"\n", "\"mine\"\n");
    repo.write(".mcp.json", &edited);
    repo.sync(&[]).expect(5);
    repo.sync(&["--force"]).expect(0).says(&["backed up .mcp.json", "move what you want to keep to the canon"]);
    repo.write(".mcp.json", &edited);
    repo.sync(&["--force"]).expect(0).says_nothing_of(&["--adopt"]);
    repo.append(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.sync(&["--force"]).expect(0).says(&["copy it back and run `canonry sync --adopt PATH`"]);
}
