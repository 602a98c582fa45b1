//! A baseline lets a team with many existing findings fail only on new ones.

use super::{SKILL, json, rules, skill, summary, with};
use crate::support::repo::{COLON, Repo};

fn path(at: usize) -> String {
    format!("agent/skills/skill-{at}/SKILL.md")
}

fn broken(at: usize) -> String {
    format!("---\nname: skill-{at}\ndescription: Does {at}: this. Use it.\n---\n")
}

#[test]
fn baselined_findings_pass_and_a_new_one_fails() {
    let repo = Repo::with_synced_skill();
    for at in 0..100 {
        repo.write(&path(at), broken(at));
    }
    assert_eq!(repo.canonry(&["check"]).status, 1);
    let written = repo.canonry(&["check", "--write-baseline"]);
    assert_eq!(written.stderr, "Wrote 100 findings to agent/baseline.json.\n");
    let again = repo.canonry(&["check"]);
    assert_eq!((again.status, again.stdout.lines().last()), (0, Some("Not shown: 100 in the baseline.")));
    let text = std::fs::read_to_string(repo.path("agent/baseline.json")).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("fingerprint")).count(), 100);
    repo.write(&path(100), broken(100));
    let document = json(&repo, &[]);
    assert_eq!((summary(&document, "errors"), summary(&document, "baselined")), (1, 100));
    repo.canonry(&["check", "--write-baseline"]);
    let longer = std::fs::read_to_string(repo.path("agent/baseline.json")).unwrap();
    assert!(text.lines().all(|line| longer.contains(line.trim_end_matches(','))), "existing entries are unchanged");
}

#[test]
fn findings_on_moved_lines_stay_baselined_and_changed_lines_are_new() {
    let repo = with(&skill("", "[a](a.md)\n\n[b](b.md)\n"));
    repo.canonry(&["check", "--write-baseline"]);
    let counts = |body: &str| {
        repo.write(SKILL, skill("license: MIT\n", body));
        let document = json(&repo, &["agent/skills"]);
        (summary(&document, "warnings"), summary(&document, "baselined"))
    };
    assert_eq!(counts("More.\n\n  [a](a.md)\n\n[b](b.md)\n"), (0, 2));
    assert_eq!(counts("[b](b.md)\n\n[c](c.md)\n\n[a](a.md)\n"), (1, 2));
    assert_eq!(counts("[b](b.md)\n\nMore: [a](a.md)\n"), (1, 1));
}

#[test]
fn fixed_findings_are_reported_and_removed_from_the_baseline() {
    let repo = with(COLON);
    repo.canonry(&["check", "--write-baseline"]);
    repo.write(SKILL, skill("", "Text.\n"));
    let stdout = repo.canonry(&["check"]).stdout;
    assert!(stdout.contains("1 baseline entry has no finding any more"), "{stdout}");
    for part in [&["check", "agent/skills/release-notes"][..], &["check", "--staged"]] {
        assert!(!repo.canonry(part).stdout.contains("baseline entry"), "{part:?} is too narrow to know");
    }
    assert_eq!(repo.canonry(&["check", "--write-baseline"]).stderr, "Wrote 0 findings to agent/baseline.json.\n");
    assert!(!repo.canonry(&["check"]).stdout.contains("baseline"));
}

#[test]
fn drift_cannot_be_baselined() {
    let repo = Repo::with_synced_skill();
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    repo.canonry(&["check", "--write-baseline"]);
    assert!(rules(&json(&repo, &[])).contains(&"mirror-edited"));
}

#[test]
fn each_view_has_its_own_baseline() {
    let repo = with(COLON);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "a mistake"]);
    repo.canonry(&["check", "--write-baseline"]);
    let errors = |args: &[&str]| summary(&json(&repo, args), "errors");
    assert_eq!((errors(&[]), errors(&["--rev", "HEAD"])), (0, 1));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "baseline"]);
    assert_eq!(errors(&["--rev", "HEAD"]), 0);
}

#[test]
fn baseline_option_selects_another_file() {
    let repo = with(COLON);
    let outside = repo.tmp().join("baseline.json");
    for file in ["ours/known.json", outside.to_str().unwrap()] {
        assert_eq!(repo.canonry(&["check", "--baseline", file]).status, 65, "{file} does not exist");
        assert_eq!(repo.canonry(&["check", "--write-baseline", "--baseline", file]).status, 0);
        assert_eq!(summary(&json(&repo, &["--baseline", file]), "baselined"), 1);
        assert_eq!(summary(&json(&repo, &[]), "baselined"), 0);
    }
    let own = repo.canonry(&["check", "--write-baseline", "--baseline", SKILL]);
    assert_eq!(own.status, 5, "a user file is not overwritten");
    assert_eq!(super::text(&repo), COLON);
}

#[test]
fn an_invalid_baseline_stops_the_check_and_can_be_rewritten() {
    let repo = with(COLON);
    repo.write("agent/baseline.json", "<<<<<<< HEAD\n");
    let ran = repo.canonry(&["check"]);
    assert_eq!(ran.status, 65);
    assert!(ran.stderr.contains("agent/baseline.json: ") && ran.stderr.contains("--write-baseline"), "{}", ran.stderr);
    assert_eq!(repo.canonry(&["check", "--write-baseline"]).status, 0);
    for args in [&["check", "--write-baseline", "agent/skills"][..], &["check", "--write-baseline", "--staged"]] {
        assert_eq!(repo.canonry(args).status, 64, "{args:?}");
    }
}
