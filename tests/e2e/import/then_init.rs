//! Takeover of an import's results by `init` and `sync`.

use super::{changes, json, left};
use crate::support::repo::{Repo, document};
use serde_json::Value;

#[test]
fn a_skill_that_the_import_corrected_is_mirrored() {
    for next in ["init", "sync"] {
        let repo = Repo::empty();
        repo.write(".claude/skills/plain/SKILL.md", "# Rules\n\nDo it.\n");
        repo.write(".claude/skills/other/SKILL.md", document("other"));
        json(&repo, &["--from", "tools"], 0);
        if next == "init" {
            repo.canonry(&["init", "--with", "instructions"]).expect(0).says_nothing_of(&["refused   "]);
        }
        repo.sync(&[]).expect(0).says_nothing_of(&["refused   "]);
        assert_eq!(repo.text(".claude/skills/plain/SKILL.md"), repo.text("agent/skills/plain/SKILL.md"));
        assert!(repo.text("agent/skills/plain/SKILL.md").starts_with("---\nname: plain\n"));
    }
    // The person's file stays if the canon's skill goes again.
    let repo = Repo::with_skills(&["own"]);
    repo.sync(&[]).expect(0);
    repo.write(".claude/skills/plain/SKILL.md", "# Rules\n\nDo it.\n");
    json(&repo, &["--from", "tools"], 0);
    repo.remove("agent/skills/plain");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".claude/skills/plain/SKILL.md"), "# Rules\n\nDo it.\n");
    // An edit after the import is the person's.
    let repo = Repo::empty();
    repo.write(".claude/skills/plain/SKILL.md", "# Rules\n\nDo it.\n");
    json(&repo, &["--from", "tools"], 0);
    repo.append(".claude/skills/plain/SKILL.md", "Mine.\n");
    repo.sync(&[]).expect(5).says(&["refused   .claude/skills/plain/SKILL.md"]);
    assert!(repo.text(".claude/skills/plain/SKILL.md").ends_with("Mine.\n"));
}

#[test]
fn permissions_of_an_unknown_form_are_named() {
    let repo = Repo::empty();
    repo.write(
        ".claude/settings.json",
        r#"{"permissions": {"bash": {"allow": ["awk"]}, "additionalDirectories": ["../x"]}}"#,
    );
    let document = json(&repo, &["--from", "tools"], 0);
    let lost = left(&document, ".claude/settings.json").join("\n");
    assert!(lost.contains("settings of permissions that the canon cannot express: `permissions.bash`"), "{document:#}");
    assert!(!lost.contains("additionalDirectories"), "{lost}");
}

#[test]
fn a_denied_name_at_the_top_is_said_to_apply_everywhere() {
    let repo = Repo::empty();
    repo.write(".claude/settings.json", r#"{"permissions": {"deny": ["Read(./build)", "Read(.env)"]}}"#);
    let document = json(&repo, &["--from", "tools"], 0);
    let said = changes(&document, "agent/protocols/permissions.md");
    assert!(said.contains("the canon denies these names in every folder: `Read(./build)`"), "{said}");
    assert!(!said.contains(".env"), "{said}");
}

#[test]
fn a_refused_context_file_is_not_called_imported() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "# Ours\n");
    repo.write("CLAUDE.md", "# Claude\n");
    repo.write("agent/AGENTS.md", "# The canon's\n");
    repo.write(".claude/skills/a/SKILL.md", document("a"));
    let ran = repo.canonry(&["import", "--from", "tools"]).expect(5);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    assert!(text.contains("CLAUDE.md: it differs from AGENTS.md, which takes precedence"), "{text}");
    assert!(!text.contains("which was imported") && !text.contains("until then both files contain the text"), "{text}");
}

#[test]
fn a_second_import_knows_where_links_lead() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "# Ours\n");
    repo.link("CLAUDE.md", "AGENTS.md");
    repo.write(".claude/skills/a/SKILL.md", document("a"));
    std::fs::create_dir_all(repo.path(".gemini/skills")).unwrap();
    repo.link(".gemini/skills/b", "../../.claude/skills/a");
    let first = json(&repo, &["--from", "tools"], 0);
    assert_eq!(left(&first, ".gemini/skills/b"), ["it is a link to .claude/skills/a, which is imported itself"]);
    repo.canonry(&["sync", "--adopt", "--all"]);
    let second = json(&repo, &["--from", "tools"], 0);
    assert_eq!(left(&second, ".gemini/skills/b"), ["it is a link to .claude/skills/a, which the canon has already"]);
}

/// A repository that was taken over may have dozens of files for one cause.
#[test]
fn many_refusals_for_one_cause_are_one_line() {
    let repo = Repo::empty();
    for at in 0..12 {
        repo.write(&format!(".claude/rules/r{at}.md"), format!("---\nmodified: x\n---\n\n# R{at}\n"));
    }
    json(&repo, &["--from", "tools"], 0);
    let ran = repo.sync(&[]).expect(5);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(text.matches("refused   ").count(), 1, "{text}");
    assert!(text.contains(" and 7 more: sync did not write these files"), "{text}");
}

/// The config of an import lists only the folders of skills that a tool needs.
#[test]
fn copies_of_imported_skills_are_no_obstacle() {
    let repo = Repo::empty();
    for root in [".agents", ".codex"] {
        repo.write(&format!("{root}/skills/alpha/SKILL.md"), document("alpha"));
        repo.write(&format!("{root}/skills/plain/SKILL.md"), "# Rules\n\nDo it.\n");
    }
    repo.write(".agents/skills/alpha/run.sh", "#!/bin/sh\n");
    std::fs::create_dir_all(repo.path(".claude/skills")).unwrap();
    repo.link(".claude/skills/alpha", "../../.agents/skills/alpha");
    repo.commit_all("before");
    json(&repo, &[], 0);
    assert!(repo.text("agent/canonry.yaml").contains("\ntargets: [agents]\n"));
    repo.canonry(&["init"]).expect(0).says_nothing_of(&["refused   "]);
    repo.sync(&[]).expect(0);
    repo.canonry(&["init"]).expect(0).says_nothing_of(&["refused   "]);
    assert_eq!(repo.text(".codex/skills/plain/SKILL.md"), "# Rules\n\nDo it.\n");
    // A change that the canon does not have is one.
    repo.append(".codex/skills/alpha/SKILL.md", "Mine.\n");
    repo.canonry(&["init"]).expect(5).says(&["refused   .codex/skills: `codex` is not among the targets"]);
}

/// As a second `init` does.
#[test]
fn the_config_of_init_is_connected() {
    let repo = Repo::empty();
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha"));
    repo.write(".claude/commands/go.md", "Go.\n");
    repo.write(".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\n\n# A\n");
    repo.commit_all("before");
    repo.canonry(&["init"]).expect(0);
    repo.append("agent/canonry.yaml", "# ours\n");
    let dry = repo.canonry(&["import", "--dry-run"]).expect(0);
    dry.says(&["to change agent/canonry.yaml: the settings for the tools", "-# files: {}\n+files:\n"]);
    let document = json(&repo, &[], 0);
    let config = repo.text("agent/canonry.yaml");
    let files = "\nfiles:\n  claude: {commands: true}\n  cursor: {rules: true}\n";
    assert!(config.contains(files) && config.ends_with("# ours\n"), "{config}");
    assert_eq!(document["config"]["written"], true);
    assert_eq!(document["config"]["by_hand"], Value::Null);
    repo.sync(&[]).expect(0);
    repo.commit_all("take over");
    repo.canonry(&["check", "--rev", "HEAD"]).expect(0);
    // A person's own settings stay.
    repo.write(".gemini/commands/new.toml", "prompt = \"New.\"\n");
    let ran = repo.canonry(&["import"]).expect(0);
    ran.says(&["note      add to the config to write for the same tools as before:\n            files:\n"]);
    assert_eq!(repo.text("agent/canonry.yaml"), config);
}

#[test]
fn targets_that_the_config_has_are_not_to_add() {
    let repo = Repo::empty();
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha"));
    repo.canonry(&["init"]).expect(0);
    repo.write(".claude/skills/beta/SKILL.md", document("beta"));
    let document = json(&repo, &[], 0);
    assert_eq!(document["config"], Value::Null, "{document:#}");
}
