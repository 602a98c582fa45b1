//! `extends`: the policies, protocols, rules and other files of a source's canon are shared, too.

use super::source::{Source, skills};
use crate::support::repo::{Ran, Repo, document};
use std::io::Write as _;
use std::process::Stdio;

const POLICY: &str = "agent/policies/SECURITY.md";
const PERMISSIONS: &str = "agent/protocols/permissions.md";
const LOCK: &str = "agent/skills.lock";

/// A published canon with a file of each kind.
fn base() -> Source {
    let source = Source::new(&[]);
    for (path, text) in [
        ("agent/skills/pdf/SKILL.md", document("pdf")),
        (POLICY, "# Security\n\nOne.\nTwo.\nThree.\nFour.\nFive.\n".to_owned()),
        (PERMISSIONS, "# Permissions\n\n## Never allowed\n\n- `git push --force`\n".to_owned()),
        ("agent/rules/api.md", "---\nglobs: [\"src/api/**\"]\n---\n\nVersion every route.\n".to_owned()),
        ("agent/hooks.yaml", "hooks:\n  stop:\n    - command: make lint\n".to_owned()),
        ("agent/commands/tag.md", "---\ndescription: Tags a release\n---\n\nTag it.\n".to_owned()),
        ("agent/AGENTS.md", "# About the base\n".to_owned()),
        ("agent/owners.yaml", "owners: {}\n".to_owned()),
        ("agent/memory/semantic/LESSONS.md", "# Lessons\n".to_owned()),
        ("agent/plans/x/plan.yaml", "id: x\n".to_owned()),
    ] {
        source.work.write(path, text);
    }
    source.publish();
    source
}

fn extending(sources: &[&Source]) -> Repo {
    let repo = Repo::with_skills(&["own"]);
    let urls: Vec<String> = sources.iter().map(|source| format!("\"{}\"", source.url())).collect();
    let files =
        "files:\n  claude: {context: import, permissions: true, team_hooks: true, rules: true, commands: true}\n";
    repo.write("agent/canonry.yaml", format!("targets: [claude]\n{files}extends: [{}]\n", urls.join(", ")));
    repo.commit_all("canon");
    repo
}

fn extended(sources: &[&Source]) -> Repo {
    let repo = extending(sources);
    skills(&repo, &["update", "--yes"]).expect(0);
    repo
}

fn hook(repo: &Repo, command: &str) -> Ran {
    let mut hook = repo.command(crate::support::repo::binary());
    hook.args(["hook", "pre-tool", "--tool", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = hook.stderr(Stdio::piped()).spawn().unwrap();
    let call = serde_json::json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
        "cwd": repo.path(""), "session_id": "s"
    });
    child.stdin.take().unwrap().write_all(call.to_string().as_bytes()).unwrap();
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn the_files_of_a_canon_are_reviewed_pinned_and_used() {
    let source = base();
    let repo = extending(&[&source]);
    skills(&repo, &["install", "--frozen"]).expect(5).says(&["`extends` names it"]);
    repo.sync(&[]).expect(0).says(&[&format!("extends   {}: the canon has nothing of it yet", source.url())]);
    repo.canonry(&["status"]).says(&["the shared canon", "canonry skills update"]);
    let before = repo.tree();
    skills(&repo, &["update"]).expect(3).says(&["Nothing was written"]);
    let preview = skills(&repo, &["update", "--dry-run"]).expect(0);
    // What tools start, or may do without a question, is shown in full.
    preview.says(&[
        "+- `git push --force`",
        "+    - command: make lint",
        "would add policies/SECURITY.md to agent/policies",
    ]);
    assert_eq!(repo.tree(), before);
    skills(&repo, &["update", "--yes", "--commit"]).expect(0).says(&["added     pdf", "added     rules/api.md"]);
    for path in [POLICY, PERMISSIONS, "agent/rules/api.md", "agent/hooks.yaml", "agent/commands/tag.md"] {
        assert_eq!(repo.text(path), source.work.text(path), "{path}");
    }
    for path in ["agent/AGENTS.md", "agent/owners.yaml", "agent/memory", "agent/plans"] {
        assert!(!repo.exists(path), "{path}");
    }
    let commit = source.work.git(&["rev-parse", "HEAD"]);
    let blob = source.work.git(&["rev-parse", &format!("HEAD:{POLICY}")]);
    let lock: serde_json::Value = serde_json::from_str(&repo.text(LOCK)).unwrap();
    let pin = &lock["files"]["policies/SECURITY.md"];
    assert_eq!((pin["commit"].as_str(), pin["content"].as_str()), (Some(commit.as_str()), Some(blob.as_str())));
    assert_eq!(pin["path"], POLICY);

    skills(&repo, &["install", "--frozen"]).expect(0).says(&["unchanged 1 skill and 5 files"]);
    let listed = skills(&repo, &["list", "--remote"]).expect(0);
    listed.says(&["policies/SECURITY.md", "unchanged", &source.url()]);
    skills(&repo, &["list", "--remote", "--format", "json"])
        .expect(0)
        .says(&["\"files\":", "\"name\": \"hooks.yaml\""]);
    skills(&repo, &["outdated"]).expect(0).says(&["1 skill and 5 files current"]);

    repo.write("agent/AGENTS.md", "# Here\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text(".claude/settings.json").contains("Bash(git push --force"));
    assert!(repo.text(".claude/settings.json").contains("make lint"));
    assert!(repo.exists(".claude/rules/api.md") && repo.exists(".claude/commands/tag.md"));
    hook(&repo, "git push --force").says(&["deny", "permissions.md"]);
    let origin = format!("comes from {} {PERMISSIONS} (commit {}", source.url(), &commit[..10]);
    repo.canonry(&["protocol", "explain", "git push --force"]).says(&[&format!("{PERMISSIONS} {origin}")]);
    repo.canonry(&["protocol", "list"]).expect(0).says(&["    from      ", &source.url()]);
    // A finding in a file says where it comes from.
    let doctored = format!("{}Hidden\u{E0069}\u{E0067}.\n", repo.text("agent/skills/pdf/SKILL.md"));
    repo.write("agent/skills/pdf/SKILL.md", doctored);
    repo.check(&["agent/skills/pdf", "--format", "json"]).expect(1).says(&[
        "hidden-unicode",
        "it comes from",
        &source.url(),
    ]);
    repo.write(PERMISSIONS, "# Permissions\n\nNothing.\n");
    repo.check(&["--format", "json"]).says(&["permissions-section-missing", &origin]);
}

#[test]
fn updates_merge_local_edits_and_conflicts_change_nothing() {
    let source = base();
    let repo = extended(&[&source]);
    repo.write(POLICY, repo.text(POLICY).replace("Five.", "Five, and ours."));
    let path = source.work.path(POLICY);
    std::fs::write(&path, source.work.text(POLICY).replace("One.", "Uno.")).unwrap();
    source.work.append(PERMISSIONS, "- `git clean -fdx`\n");
    source.work.remove("agent/commands/tag.md");
    source.publish();
    let outdated = skills(&repo, &["outdated"]).expect(1);
    outdated
        .says(&["outdated  policies/SECURITY.md", "gone      commands/tag.md: the source has no such file any more"]);
    skills(&repo, &["install", "--frozen"]).expect(1).says(&["edited    policies/SECURITY.md"]);
    let updated = skills(&repo, &["update", "--yes"]).expect(5);
    updated.says(&["updated   policies/SECURITY.md", "merged with local edits", "+- `git clean -fdx`"]);
    assert!(repo.text(POLICY).contains("Uno.") && repo.text(POLICY).contains("Five, and ours."));
    assert_eq!(repo.text(PERMISSIONS), source.work.text(PERMISSIONS));
    skills(&repo, &["remove", "agent/commands/tag.md"]).expect(0).says(&["removed   commands/tag.md"]);
    assert!(!repo.exists("agent/commands/tag.md"));

    repo.write(POLICY, repo.text(POLICY).replace("Two.", "Ours."));
    std::fs::write(&path, source.work.text(POLICY).replace("Two.", "Theirs.")).unwrap();
    source.publish();
    let before = repo.tree_of(&["agent"]);
    skills(&repo, &["update", "--yes"]).expect(5).says(&["conflict  policies/SECURITY.md", POLICY]);
    assert_eq!(repo.tree_of(&["agent"]), before);
}

#[test]
fn a_file_of_the_canon_and_an_earlier_source_take_precedence() {
    let source = base();
    let other = base();
    other.work.write(POLICY, "# Other\n");
    other.work.write("agent/rules/other.md", "---\nglobs: [\"x/**\"]\n---\n\nOther.\n");
    other.publish();
    let repo = extending(&[&source, &other]);
    repo.write(PERMISSIONS, "# Permissions\n\n## Never allowed\n\n- `rm -rf /`\n");
    let own = repo.text(PERMISSIONS);
    let ran = skills(&repo, &["update", "--yes"]).expect(0);
    ran.says(&[
        "kept      protocols/permissions.md: the canon's own file, not that of",
        &format!("kept      policies/SECURITY.md: the file of {}", source.url()),
        "added     rules/other.md",
    ]);
    assert_eq!(repo.text(PERMISSIONS), own);
    assert_eq!(repo.text(POLICY), source.work.text(POLICY));
    assert!(!repo.text(LOCK).contains("protocols/permissions.md"));
    skills(&repo, &["install", "--frozen"]).expect(0);
    // Another spelling of a name is not written beside it.
    other.work.write("agent/rules/new.md", "---\nglobs: [\"x/**\"]\n---\n\nNew.\n");
    other.publish();
    repo.write("agent/rules/New.md", "---\nglobs: [\"y/**\"]\n---\n\nOurs.\n");
    skills(&repo, &["update", "--yes"]).expect(0).says(&["kept      rules/new.md: the canon's own file"]);
    assert!(!repo.exists("agent/rules/new.md"));
}

#[test]
fn a_rewritten_history_and_a_vanished_canon_lose_nothing() {
    let source = base();
    let repo = extended(&[&source]);
    repo.commit_all("extend");
    // The source rewrites its history.
    source.work.git(&["checkout", "-q", "--orphan", "fresh"]);
    std::fs::write(source.work.path(POLICY), source.work.text(POLICY).replace("One.", "Uno.")).unwrap();
    source.publish();
    source.collect_garbage();
    repo.remove(".git/canonry/sources");
    repo.write(POLICY, repo.text(POLICY).replace("Five.", "Five, and ours."));
    skills(&repo, &["update", "--yes"]).expect(0).says(&["updated   policies/SECURITY.md", "merged with local edits"]);
    assert!(repo.text(POLICY).contains("Uno.") && repo.text(POLICY).contains("and ours."));
    repo.commit_all("update");
    // Then it is gone.
    std::fs::remove_dir_all(source.path()).unwrap();
    repo.remove(PERMISSIONS);
    repo.remove("agent/rules/api.md");
    skills(&repo, &["install"]).expect(0).says(&["installed protocols/permissions.md", "installed rules/api.md"]);
    assert_eq!(repo.text(PERMISSIONS), source.work.text(PERMISSIONS));
    repo.remove(".git/canonry/sources");
    repo.remove(PERMISSIONS);
    skills(&repo, &["install"]).expect(0).says(&["installed protocols/permissions.md"]);
    let ran = skills(&repo, &["update", "--yes"]);
    assert_ne!(ran.status, 0);
    // One line for the source, not one for each item, and what git says once.
    assert_eq!(format!("{}{}", ran.stdout, ran.stderr).matches("does not appear to be a git repository").count(), 1);
    ran.says(&["failed    pdf, commands/tag.md, hooks.yaml, policies/SECURITY.md and 2 more: git: "]);
}

#[test]
fn what_was_added_before_a_source_that_fails_is_said() {
    let source = base();
    let repo = extending(&[&source]);
    let gone = format!("{}-gone", source.url());
    let sources = format!("extends: [\"{}\", \"{gone}\"]\n", source.url());
    repo.write("agent/canonry.yaml", format!("targets: [claude]\n{sources}"));
    let ran = skills(&repo, &["update", "--yes"]);
    assert_ne!(ran.status, 0);
    ran.says(&["added     policies/SECURITY.md", &format!("`extends` names `{gone}`")]);
    assert!(repo.exists(POLICY));
}

/// A hook may run a script of the repository, or of a skill that comes with it.
#[test]
fn a_review_looks_for_scripts_where_they_will_be() {
    let source = base();
    source.work.write("agent/skills/lint/SKILL.md", crate::support::repo::document("lint"));
    source.work.write("agent/skills/lint/scripts/lint.sh", "#!/bin/sh\n");
    let hook = |script: &str| format!("    - command: {script}\n");
    let hooks = ["agent/skills/lint/scripts/lint.sh", "./tools/ours.sh", "./tools/none.sh"].map(hook).concat();
    source.work.write("agent/hooks.yaml", format!("hooks:\n  stop:\n{hooks}"));
    source.publish();
    let repo = extending(&[&source]);
    repo.write("tools/ours.sh", "#!/bin/sh\n");
    let ran = skills(&repo, &["update", "--dry-run"]).expect(0);
    let ran = ran.says(&["none.sh`, which does not exist"]);
    ran.says_nothing_of(&["ours.sh`, which does not exist", "lint.sh`, which does not exist"]);
}

#[test]
fn hidden_text_and_secrets_are_refused_in_every_kind_of_file() {
    let source = base();
    let hidden = "\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}";
    for (path, text) in [
        (POLICY, format!("# Security\n\nOne.{hidden}\n")),
        ("agent/rules/api.md", format!("---\nglobs: [\"x\"]\n---\n\nA{hidden}\n")),
        ("agent/commands/tag.md", format!("---\ndescription: Tags\n---\n\nTag{hidden} it.\n")),
        ("agent/hooks.yaml", format!("hooks:\n  stop:\n    - command: \"make{hidden}\"\n")),
        ("agent/mcp.json", format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"a{hidden}\"}}}}}}\n")),
        ("agent/ignore", format!("build{hidden}\n")),
    ] {
        source.work.write(path, text);
    }
    source.publish();
    let repo = extending(&[&source]);
    let ran = skills(&repo, &["update", "--yes"]).expect(5).all();
    for path in ["policies/SECURITY.md", "rules/api.md", "commands/tag.md", "hooks.yaml", "mcp.json", "ignore"] {
        let refusal = format!("refused   {path}: security rule `hidden-unicode` reports an error");
        assert!(ran.contains(&refusal), "{path}: {ran}");
        assert!(!repo.exists(&format!("agent/{path}")), "{path}");
    }
    assert!(repo.exists(PERMISSIONS));
}

#[test]
fn a_lock_cannot_place_files_elsewhere() {
    let source = base();
    let repo = extended(&[&source]);
    let lock = repo.text(LOCK);
    for path in ["canonry.yaml", "../.github/workflows/x.yml", "skills/own/SKILL.md", "policies/../AGENTS.md"] {
        repo.write(LOCK, lock.replace("\"policies/SECURITY.md\": {", &format!("\"{path}\": {{")));
        skills(&repo, &["install"]).expect(65).says(&["no file that several repositories can share"]);
    }
    repo.write(LOCK, &lock);
    repo.remove(POLICY);
    repo.link(POLICY, "../AGENTS.md");
    skills(&repo, &["install"]).expect(65).says(&["it is a symbolic link"]);
}
