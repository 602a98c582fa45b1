//! `check --fix`.

use super::{SKILL, json, rules, skill, summary, text, with};
use crate::support::repo::{COLON, Repo};
use serde_json::Value;

const FIXED: &str =
    "---\nname: triage-bug\ndescription: \"Triage a bug report: reproduce it, name an owner.\"\n---\n\n# Triage\n";

#[test]
fn safe_fixes_are_applied_and_other_findings_reported() {
    let repo = with(&COLON.replace("name: triage-bug", "name: Triage-Bug # ours"));
    let document = json(&repo, &["--fix"]);
    assert_eq!(summary(&document, "fixed"), 1);
    assert!(rules(&document).contains(&"name-invalid"), "{document:#}");
    assert_eq!(text(&repo), FIXED.replace("name: triage-bug", "name: Triage-Bug # ours"));
    let document = json(&repo, &["--fix=unsafe"]);
    assert_eq!((summary(&document, "fixed"), summary(&document, "errors")), (1, 0), "{document:#}");
    assert_eq!(text(&repo), FIXED.replace("name: triage-bug", "name: triage-bug # ours"));
    let before = std::fs::metadata(repo.path(SKILL)).unwrap().modified().unwrap();
    assert_eq!(summary(&json(&repo, &["--fix=unsafe"]), "fixed"), 0);
    assert_eq!(std::fs::metadata(repo.path(SKILL)).unwrap().modified().unwrap(), before, "the file was written again");
}

#[test]
fn findings_uncovered_by_a_fix_are_fixed_in_the_same_run() {
    let odd =
        "\u{feff}--- \nname: triage-bug\ndescription: Triage: of bugs. Use it.\nmetadata:\n  version: 1.0\n---\n# T\n";
    let repo = with(odd);
    assert_eq!(repo.canonry(&["check", "--fix"]).status, 0);
    let want =
        "---\nname: triage-bug\ndescription: \"Triage: of bugs. Use it.\"\nmetadata:\n  version: \"1.0\"\n---\n# T\n";
    assert_eq!(text(&repo), want);
}

#[test]
fn a_dry_run_prints_the_fixes_and_writes_nothing() {
    let repo = with(COLON);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "a mistake"]);
    let diff = repo.canonry(&["check", "--fix", "--dry-run"]);
    assert_eq!((text(&repo).as_str(), diff.status), (COLON, 1));
    assert_eq!(diff.stderr, "Would make 1 fix in 1 file; nothing was written.\n");
    assert_eq!(repo.canonry(&["check", "--fix", "--diff"]).stdout, diff.stdout);
    repo.write("fix.diff", &diff.stdout);
    repo.git(&["apply", "fix.diff"]);
    assert_eq!(text(&repo), FIXED);
    assert_eq!(repo.canonry(&["check", "--fix", "--dry-run"]).stderr, "Nothing to fix.\n");
}

#[test]
fn safe_fixes_are_made_anywhere_in_the_repository() {
    for canon in [false, true] {
        let repo = if canon { Repo::with_skill() } else { Repo::empty() };
        repo.write("elsewhere/triage-bug/SKILL.md", COLON.replace("name: triage-bug", "name: Triage-Bug # ours"));
        repo.write("elsewhere/release/skill.md", skill("", "Text.\n").replace("triage-bug", "release"));
        let document = json(&repo, &["--fix=unsafe", "elsewhere"]);
        assert_eq!(summary(&document, "fixed"), 2, "{document:#}");
        let text = |path: &str| std::fs::read_to_string(repo.path(path)).unwrap();
        let want = FIXED.replace("name: triage-bug", "name: Triage-Bug # ours");
        assert_eq!(text("elsewhere/triage-bug/SKILL.md"), want, "unsafe fixes are made only in a canon");
        assert!(repo.path("elsewhere/release/SKILL.md").is_file() && !repo.path("elsewhere/release/skill.md").exists());
        assert_eq!(summary(&json(&repo, &["--fix=unsafe", "elsewhere"]), "fixed"), 0);
    }
}

#[test]
fn links_generated_files_and_other_repositories_are_not_fixed() {
    let repo = Repo::with_synced_skill();
    repo.write("shared/SKILL.md", COLON);
    std::fs::create_dir(repo.path("agent/skills/triage-bug")).unwrap();
    std::os::unix::fs::symlink("../../../shared/SKILL.md", repo.path(SKILL)).unwrap();
    repo.write("vendored/.git/HEAD", "ref: refs/heads/main\n");
    repo.write("vendored/skills/triage-bug/SKILL.md", COLON);
    repo.write("packages/a/agent/mirrors.lock", "");
    repo.write("packages/a/.claude/skills/triage-bug/SKILL.md", COLON);
    // A mirror: the same file is fixed in the canon.
    let number = skill("metadata:\n  version: 1.0\n", "Text.\n").replace("triage-bug", "release-notes");
    repo.write("agent/skills/release-notes/SKILL.md", &number);
    let ran = repo.canonry(&["sync"]);
    let mirror = std::fs::read_to_string(repo.path(".claude/skills/release-notes/SKILL.md")).unwrap();
    assert!(mirror.contains("version: 1.0"), "{}{}", ran.stdout, ran.stderr);
    for path in ["agent/skills/triage-bug", "vendored", "vendored/skills/triage-bug/SKILL.md", "packages", ".claude"] {
        let document = json(&repo, &["--fix=unsafe", path]);
        assert_eq!(summary(&document, "fixed"), 0, "{path}");
        let findings = document["findings"].as_array().unwrap();
        let is_left = |finding: &Value| finding["fixable"] == false;
        assert!(!findings.is_empty() && findings.iter().all(is_left), "{path}: {document:#}");
    }
    assert_eq!(std::fs::read_to_string(repo.path("shared/SKILL.md")).unwrap(), COLON);
    assert!(repo.path(SKILL).is_symlink());
    // A skill that only one tool has is nobody's copy.
    repo.write(".claude/skills/triage-bug/SKILL.md", COLON);
    assert_eq!(summary(&json(&repo, &["--fix", ".claude/skills/triage-bug"]), "fixed"), 1);
}

#[test]
fn suppressed_baselined_and_disabled_findings_are_not_fixed() {
    let front = "metadata:\n  version: 1.0 # canonry: allow skill-schema as it was\n";
    let repo = with(&skill(front, "Text.\n"));
    assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 0);
    let repo = with(&skill("metadata:\n  version: 1.0\n", "Text.\n"));
    repo.write("agent/canonry.yaml", "rules: {skill-schema: off}\n");
    assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 0);
    repo.write("agent/canonry.yaml", "");
    assert_eq!(repo.canonry(&["check", "--write-baseline"]).status, 0);
    assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 0);
    std::fs::remove_file(repo.path("agent/baseline.json")).unwrap();
    assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 1);
}

#[test]
fn fixes_keep_file_modes_and_other_files() {
    use std::os::unix::fs::PermissionsExt;
    let repo = with(COLON);
    repo.write("agent/skills/triage-bug/notes.md", "mine\n");
    std::fs::set_permissions(repo.path(SKILL), std::fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(&["add", "-A"]);
    let before = repo.git(&["write-tree"]);
    assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 1);
    assert_eq!(repo.git(&["write-tree"]), before, "the index belongs to the user");
    let mode = std::fs::metadata(repo.path(SKILL)).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    assert_eq!(repo.git(&["diff", "--name-only"]), SKILL);
}

#[test]
fn fixes_wait_for_no_lock_and_keep_concurrent_edits() {
    let repo = with(COLON);
    let folder = repo.path(".git/canonry");
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!((repo.canonry(&["check", "--fix"]).status, text(&repo).as_str()), (4, COLON));
    lock.unlock().unwrap();
    let id = "0".repeat(40);
    std::fs::write(folder.join("journal"), format!("file {id} 100644 {id} 100644 .claude/skills/x/SKILL.md\n"))
        .unwrap();
    let journal = std::fs::read(folder.join("journal")).unwrap();
    let ran = repo.canonry(&["check", "--fix"]);
    if ran.status == 5 {
        assert_eq!(text(&repo), COLON);
        assert_eq!(std::fs::read(folder.join("journal")).unwrap(), journal);
    } else {
        panic!("the journal was not read as one: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn only_the_work_tree_can_be_fixed() {
    let repo = with(COLON);
    for args in [
        &["check", "--fix", "--staged"][..],
        &["check", "--fix", "--rev", "HEAD"],
        &["check", "--diff"],
        &["check", "--fix=all"],
    ] {
        assert_eq!(repo.canonry(args).status, 64, "{args:?}");
    }
    assert_eq!(text(&repo), COLON);
}

const LOWER: &str = "agent/skills/triage-bug/skill.md";

fn with_lower(text: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write(LOWER, text);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "in lower case"]);
    repo
}

#[test]
fn a_misnamed_document_is_renamed_and_git_detects_the_rename() {
    for name in ["skill.md", "Skill.md", "SKILL.MD"] {
        let repo = Repo::with_skill();
        repo.write(&format!("agent/skills/triage-bug/{name}"), skill("", "Text.\n"));
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-qm", name]);
        let ran = repo.canonry(&["check", "--fix"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        assert!(ran.stdout.contains("Fixed 1 finding."), "{}", ran.stdout);
        assert_eq!(repo.git(&["diff", "--cached"]), "", "the index belongs to the user");
        repo.git(&["add", "-A"]);
        let renamed = format!("R100\tagent/skills/triage-bug/{name}\t{SKILL}");
        assert_eq!(repo.git(&["diff", "--cached", "--name-status", "-M"]), renamed);
        assert_eq!(summary(&json(&repo, &["--fix"]), "fixed"), 0);
    }
}

#[test]
fn a_document_is_fixed_and_renamed_in_one_run() {
    for path in [None, Some("agent/skills/triage-bug"), Some(LOWER)] {
        let repo = with_lower(COLON);
        let args: Vec<&str> = ["--fix"].into_iter().chain(path).collect();
        let document = json(&repo, &args);
        let left = ["errors", "warnings"].map(|key| summary(&document, key));
        assert_eq!((summary(&document, "fixed"), left), (2, [0, 0]), "{document:#}");
        assert_eq!(text(&repo), FIXED);
        assert!(!repo.path(LOWER).exists());
    }
}

#[test]
fn the_diff_of_a_rename_can_be_applied_by_git() {
    let repo = with_lower(COLON);
    let diff = repo.canonry(&["check", "--fix", "--dry-run"]);
    assert_eq!((diff.status, diff.stderr.as_str()), (1, "Would make 2 fixes in 1 file; nothing was written.\n"));
    assert!(repo.path(LOWER).exists());
    repo.write("fix.diff", &diff.stdout);
    repo.git(&["apply", "fix.diff"]);
    assert_eq!(text(&repo), FIXED);
    assert!(!repo.path(LOWER).exists());
}

#[test]
fn a_document_is_never_renamed_over_another_file() {
    let repo = with_lower(&skill("", "Text.\n"));
    std::fs::create_dir(repo.path(SKILL)).unwrap();
    let ran = repo.canonry(&["check", "--fix"]);
    assert!(ran.stderr.contains(LOWER) && !ran.stdout.contains("Fixed"), "{}{}", ran.stdout, ran.stderr);
    assert!(repo.path(LOWER).is_file() && repo.path(SKILL).is_dir());
}

#[test]
fn the_git_commands_for_a_rename_are_printed_if_git_ignores_case() {
    let repo = with_lower(&skill("", "Text.\n"));
    repo.git(&["config", "core.ignorecase", "true"]);
    let ran = repo.canonry(&["check", "--fix"]);
    let command = format!("git rm --cached {LOWER} && git add {SKILL}");
    assert!(ran.stderr.contains(&command), "{}", ran.stderr);
    for part in command.split(" && ") {
        repo.git(&part.split(' ').skip(1).collect::<Vec<_>>());
    }
    let renamed = format!("R100\t{LOWER}\t{SKILL}");
    assert_eq!(repo.git(&["diff", "--cached", "--name-status", "-M"]), renamed);
}
