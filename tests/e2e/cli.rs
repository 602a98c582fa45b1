//! Snapshots of the output of every command: stdout, stderr and exit status.
//!
//! To accept a change: `INSTA_UPDATE=always cargo test --test e2e cli`, then read `git diff tests/e2e/snapshots`.

use crate::support::repo::{COLON, LINK, Ran, Repo};
use insta::assert_snapshot;
use std::io::Read as _;
use std::process::Stdio;

/// A valid skill and two invalid ones.
fn with_mistakes() -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.write("agent/skills/deploy-check/SKILL.md", LINK);
    repo
}

const MIRRORED: &str = ".claude/skills/release-notes/SKILL.md";
const CANON: &str = "agent/skills/release-notes/SKILL.md";

#[test]
fn check_with_findings() {
    assert_snapshot!(with_mistakes().shown(&["check"]));
}

#[test]
fn check_clean() {
    assert_snapshot!(Repo::with_synced_skill().shown(&["check"]));
}

#[test]
fn check_before_the_first_sync() {
    assert_snapshot!(Repo::with_skill().shown(&["check"]));
}

#[test]
fn check_of_a_path() {
    assert_snapshot!(with_mistakes().shown(&["check", "agent/skills/triage-bug"]));
}

#[test]
fn check_of_staged_changes() {
    let repo = Repo::with_synced_skill();
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.git(&["add", "-A"]);
    // Fixed in the work tree, but not staged: the commit would still contain the error.
    repo.write("agent/skills/triage-bug/SKILL.md", COLON.replace(": reproduce", ", reproduce"));
    assert_snapshot!(repo.shown(&["check", "--staged"]));
}

#[test]
fn check_of_a_commit() {
    let repo = Repo::with_synced_skill();
    repo.append(CANON, "- Be brief.\n");
    repo.git(&["commit", "-qam", "edit"]);
    assert_snapshot!(repo.shown(&["check", "--rev", "HEAD"]));
}

#[test]
fn check_of_an_edited_mirror() {
    let repo = Repo::with_synced_skill();
    repo.append(MIRRORED, "- Be brief.\n");
    assert_snapshot!(repo.shown(&["check"]));
}

/// Imported, changed, skipped and refused items, and the next steps.
#[test]
fn import_and_again() {
    let repo = Repo::empty();
    repo.write("agent/policies/style.md", "# Ours\n");
    repo.write(".ruler/AGENTS.md", "# The project\n\nBe kind.\n");
    repo.write(".ruler/style.md", "# Theirs\n");
    repo.write(".ruler/notes.txt", "Notes.\n");
    repo.write(".ruler/skills/pdf/SKILL.md", "# Reads PDF files\n");
    repo.write(".ruler/skills/pdf/references/pages.md", "# Pages\n");
    repo.write(
        ".ruler/ruler.toml",
        "default_agents = [\"claude\"]\n\n[mcp_servers.db]\ncommand = \"db\"\nenv = { DB_TOKEN = \"x\" }\n",
    );
    repo.write(".claude/commands/mine.md", "Mine.\n");
    let runs = [&["import", "--dry-run"][..], &["import"], &["import"]].map(|args| repo.shown(args));
    assert_snapshot!(runs.join("\n"));
}

#[test]
fn init_and_again() {
    let repo = Repo::empty();
    assert_snapshot!([&["init"][..], &["init"], &["init", "--all"]].map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn init_adopts_skills() {
    let repo = Repo::empty();
    for tool in [".claude", ".gemini"] {
        repo.write(&format!("{tool}/skills/own/SKILL.md"), "---\nname: own\ndescription: Use when asked.\n---\n");
        repo.write(&format!("{tool}/skills/odd/SKILL.md"), tool);
    }
    repo.write("agent/AGENTS.md", "# Ours\n");
    assert_snapshot!(repo.shown(&["init"]));
}

#[test]
fn sync_and_commit() {
    let repo = Repo::with_skill();
    let steps: [&[&str]; 4] = [&["sync", "--check"], &["sync"], &["sync", "--commit"], &["sync", "--commit"]];
    assert_snapshot!(steps.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn sync_check_with_drift() {
    let repo = Repo::with_synced_skill();
    repo.append(CANON, "- Be brief.\n");
    std::fs::remove_file(repo.path("agent/skills/release-notes/references/format.md")).unwrap();
    assert_snapshot!(repo.shown(&["sync", "--check"]));
}

#[test]
fn sync_dry_run() {
    let repo = Repo::with_synced_skill();
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.append(CANON, "- Be brief.\n");
    assert_snapshot!(repo.shown(&["sync", "--dry-run"]));
}

#[test]
fn sync_refused() {
    let repo = Repo::with_synced_skill();
    repo.append(MIRRORED, "- Be brief.\n");
    assert_snapshot!(repo.shown(&["sync"]));
}

#[test]
fn sync_adopts_an_edit() {
    let repo = Repo::with_synced_skill();
    repo.append(MIRRORED, "- Be brief.\n");
    assert_snapshot!(repo.shown(&["sync", "--adopt", MIRRORED]));
    assert!(std::fs::read_to_string(repo.path(CANON)).unwrap().ends_with("- Be brief.\n"));
}

#[test]
fn sync_adopts_a_skill_that_only_a_mirror_has() {
    let repo = Repo::with_synced_skill();
    repo.write(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: Use when asked.\n---\n");
    let steps: [&[&str]; 2] = [&["sync"], &["sync", "--adopt", ".claude/skills/own"]];
    assert_snapshot!(steps.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn sync_refuses_two_edits_of_the_same_file() {
    let repo = Repo::with_synced_skill();
    repo.append(MIRRORED, "- Be brief.\n");
    repo.append(CANON, "- Be exact.\n");
    assert_snapshot!(repo.shown(&["sync", "--adopt", MIRRORED]));
}

#[test]
fn generated_explain() {
    let outside = Repo::without_git();
    assert_snapshot!("explain_a_rule", outside.shown(&["explain", "yaml-invalid"]));
    let list = outside.shown(&["explain", "--list"]);
    assert_snapshot!("explain_list", list.lines().take(12).collect::<Vec<_>>().join("\n"));
}

#[test]
fn help() {
    let outside = Repo::without_git();
    let pages: [&[&str]; 4] = [&["--help"], &["init", "--help"], &["check", "--help"], &["sync", "--help"]];
    assert_snapshot!(pages.map(|args| outside.shown(args)).join("\n"));
}

#[test]
fn install_and_uninstall() {
    let repo = Repo::with_synced_skill();
    let steps: [&[&str]; 6] = [
        &["install", "--help"],
        &["install", "cron", "--help"],
        &["uninstall", "--help"],
        &["install", "git-hooks", "--dry-run"],
        &["install", "git-hooks"],
        &["uninstall", "git-hooks"],
    ];
    assert_snapshot!(steps.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn errors_of_usage() {
    let repo = Repo::with_skill();
    let lines: [&[&str]; 10] = [
        &["chekc"],
        &["check", "--fix", "--staged"],
        &["check", "--dry-run"],
        &["completions", "bsh"],
        &["install"],
        &["install", "cron", "--at", "3 o'clock"],
        &["check", "--staged", "--rev", "HEAD"],
        &["sync", "--adopt"],
        &["sync", "-m", "message"],
        &["explain", "yaml-invaild"],
    ];
    assert_snapshot!(lines.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn errors_of_input() {
    let repo = Repo::with_skill();
    let lines: [&[&str]; 4] =
        [&["check", "--rev", "nosuch"], &["check", "nosuch"], &["check", "../elsewhere"], &["check", "-C", "nosuch"]];
    assert_snapshot!(lines.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn errors_without_a_repository_or_a_canon() {
    let outside = Repo::without_git();
    assert_snapshot!("not_a_repository", outside.shown(&["check", "--staged"]));
    let empty = Repo::empty();
    let shown = [&["check"], &["sync"]].map(|args| empty.shown(args)).join("\n");
    assert_snapshot!("no_canon", shown);
}

#[test]
fn generated_errors_of_a_config() {
    let configs = [
        "target: [claude]\n",
        "targets: [claude, emacs]\n",
        "rules:\n  broken-lnk: off\n",
        "rules:\n  broken-link: fatal\n",
        "targets: [claude\n",
        "root: .agent\n",
        "overrides:\n  - paths: [\"agent/**\"]\n    rule: {}\n",
        "overrides:\n  - paths: [\"[\"]\n    rules: {broken-lnk: off}\n",
    ];
    let shown = configs.map(|config| {
        let repo = Repo::with_skill();
        repo.write("agent/canonry.yaml", config);
        format!("{config}{}", repo.shown(&["check"]))
    });
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn errors_of_a_lock() {
    let repo = Repo::with_synced_skill();
    repo.append("agent/mirrors.lock", "<<<<<<< HEAD\n");
    assert_snapshot!(repo.shown(&["sync"]));
}

#[test]
fn errors_before_a_commit() {
    let repo = Repo::with_skill();
    repo.git(&["config", "--unset", "user.email"]);
    assert_snapshot!(repo.shown(&["sync", "--commit"]));
    assert!(!repo.path(".claude").exists(), "it must fail before the first write");
}

#[test]
fn check_fixes_and_baselines() {
    let repo = with_mistakes();
    let steps: [&[&str]; 5] = [
        &["check", "--fix", "--dry-run"],
        &["check", "--fix"],
        &["check", "--fix=unsafe", "agent/skills/deploy-check"],
        &["check", "--write-baseline"],
        &["check"],
    ];
    assert_snapshot!(steps.map(|args| repo.shown(args)).join("\n"));
}

#[test]
fn check_for_github() {
    assert_snapshot!(with_mistakes().shown(&["check", "--format", "github"]));
}

#[test]
fn json_of_a_check() {
    assert_snapshot!(with_mistakes().shown(&["check", "--format", "json"]));
}

#[test]
fn json_of_a_sync() {
    let repo = Repo::with_synced_skill();
    repo.append(MIRRORED, "- Be brief.\n");
    repo.append("agent/skills/release-notes/references/format.md", "Be brief.\n");
    repo.write(".claude/skills/own/SKILL.md", "mine\n");
    assert_snapshot!(repo.shown(&["sync", "--format", "json"]));
}

/// The reader closes the pipe early: the exit status stays the same, and there is no message.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let repo = with_mistakes();
    for (args, status) in [(&["explain", "--list"][..], 0), (&["check"], 1), (&["check", "--format", "json"], 1)] {
        let mut child =
            repo.canonry_command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(status), ""), "{args:?}");
    }
}

#[test]
fn colours_are_used_on_terminals_and_on_request() {
    let repo = with_mistakes();
    let run = |set: &[(&str, &str)]| -> Ran {
        repo.canonry_command().arg("check").envs(set.iter().copied()).output().unwrap().into()
    };
    assert!(!run(&[]).stdout.contains('\u{1b}'));
    assert!(run(&[("CLICOLOR_FORCE", "1")]).stdout.contains('\u{1b}'));
    assert_eq!(run(&[("NO_COLOR", "1")]).stdout, run(&[]).stdout);
}

#[test]
fn each_listed_schema_is_printed() {
    let repo = Repo::empty();
    let listed = repo.canonry(&["schema"]).stdout;
    assert!(listed.lines().count() > 10, "{listed}");
    for kind in listed.lines() {
        let file = format!("{}/schemas/{kind}.schema.json", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(repo.canonry(&["schema", kind]).stdout, std::fs::read_to_string(file).unwrap());
    }
    let unknown = repo.canonry(&["schema", "plna"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (64, ""));
    assert!(unknown.stderr.contains("did you mean `plan`?"), "{}", unknown.stderr);
}

#[test]
fn texts_of_a_repository_cannot_control_the_terminal() {
    const ERASE: &str = "\u{1b}[1A\u{1b}[2K\u{202e}\u{9b}8m\u{7}";
    let repo = Repo::with_skill();
    assert_eq!(repo.canonry(&["init", "--all"]).status, 0);
    repo.append(
        "agent/protocols/permissions.md",
        &format!("\n## Never allowed\n\n- `curl`{ERASE} anything {ERASE}`x{ERASE}`\n"),
    );
    repo.append("agent/AGENTS.md", &format!("\n- {ERASE}be kind\n"));
    repo.append("agent/memory/semantic/LESSONS.md", &format!("\n- deploy {ERASE}slowly\n"));
    repo.append("agent/skills/release-notes/SKILL.md", &format!("\nSee [x](missing{ERASE}.md).\n"));
    repo.write(
        &format!("agent/skills/a{ERASE}/SKILL.md"),
        format!("---\nname: b{ERASE}\ndescription: c{ERASE}\n---\n"),
    );
    repo.write("agent/canonry.local.yaml", format!("x{ERASE}: 1\n"));
    repo.write("agent/plans/p.yaml", format!("id: x{ERASE}\nsteps:\n  - id: {ERASE}\n"));
    let mut said = 0;
    for args in [
        &["protocol", "list"][..],
        &["protocol", "explain", &format!("curl {ERASE}")],
        &["context"],
        &["doctor"],
        &["status"],
        &["check"],
        &["check", "--format", "concise"],
        &["check", "--format", "json"],
        &["check", "--format", "github"],
        &["check", "--format", "sarif"],
        &["sync", "--diff"],
        &["sync", "--check"],
        &["sync"],
        &["skills", "list"],
        &["skills", "show", &format!("b{ERASE}")],
        &["recall", "deploy"],
        &["run", "show", &format!("x{ERASE}")],
        &["memory", "status"],
        &[&format!("x{ERASE}")],
        &["trust"],
    ] {
        for (stream, text) in [("stdout", repo.canonry(args).stdout), ("stderr", repo.canonry(args).stderr)] {
            let is_raw = |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || *c == '\u{202e}';
            assert!(!text.contains(|c| is_raw(&c)), "{args:?}, {stream}: {text:?}");
            said += usize::from(text.contains("202e") || text.contains("202E"));
            if args.contains(&"json") && stream == "stdout" {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            }
        }
    }
    assert!(said > 8, "{said}");
}
