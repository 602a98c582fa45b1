//! The placeholders of commands in the syntax of each tool.

use crate::support::repo::Repo;
use crate::sync::tools::config;

const ALL: &str = "  claude: {commands: true}\n  gemini: {commands: true}\n  cursor: {commands: true}\n  antigravity: {commands: true}\n";

fn with_command(text: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/commands/c.md", text);
    config(&repo, ALL);
    repo
}

#[test]
fn placeholders_are_translated() {
    let repo =
        with_command("---\ndescription: D\n---\n\nOn !`git branch`, read @docs/a.md, say $ARGUMENTS. It costs \\$5.\n");
    repo.sync(&[]).expect(0);
    let text = repo.text(".gemini/commands/c.toml");
    assert!(text.contains("On !{git branch}, read @{docs/a.md}, say {{args}}. It costs $5."), "{text}");
    for file in [".cursor/commands/c.md", ".agents/workflows/c.md"] {
        let text = repo.text(file);
        assert!(text.contains("On (run `git branch` and use its output), read @docs/a.md"), "{text}");
        assert!(text.contains("It costs $5."), "{text}");
    }
    assert_eq!(repo.read(".claude/commands/c.md"), repo.read("agent/commands/c.md"));
}

#[test]
fn text_that_would_be_active_in_gemini_is_left_out_by_name() {
    for (text, words) in [
        ("Say !{ls}\n", "line 1: `!{` is text for Claude Code"),
        ("a\n\nSay @{f}\n", "line 3: `@{`"),
        ("---\ndescription: D\n---\n\nSay {{args}}\n", "line 5: `{{args}}`"),
        ("---\ndescription: D\n---\n\nIt costs\n$5.\n", "line 6: Gemini CLI does not support `$5`"),
    ] {
        let repo = with_command(text);
        repo.sync(&[]).expect(1).says(&[".gemini/commands/c.toml is not written", words, "`gemini/commands/c`"]);
        assert!(!repo.exists(".gemini/commands/c.toml") && repo.exists(".cursor/commands/c.md"), "{text}");
    }
}
