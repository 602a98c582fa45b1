//! The report: formats for lines and numbers, the selection of rules, and the limits of the default output.

use super::{json, rules, skill, summary, with};
use crate::support::repo::{COLON, Repo};
use insta::assert_snapshot;

/// Two errors with fixes, warnings, and infos in several files.
fn sample() -> Repo {
    let repo = Repo::empty();
    let odd = skill("our-tier: 2\n", "[a](a.md) and [b](b.md)\n").replace("name: triage-bug", "name: triage-bugs");
    repo.write("skills/b/SKILL.md", &odd);
    repo.write("skills/a/SKILL.md", skill("", "[a](a.md)\n").replace("triage-bug", "a"));
    repo.write("skills/a/notes.md", "Nobody reads them.\n");
    repo.write("skills/triage-bug/SKILL.md", COLON);
    repo
}

#[test]
fn concise_prints_one_line_per_finding() {
    let repo = sample();
    let ran = repo.canonry(&["check", "skills", "--format", "concise"]);
    let findings = json(&repo, &["skills"])["findings"].as_array().unwrap().clone();
    let want: Vec<String> = findings
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap();
            let line = &finding["span"]["line"];
            let column = &finding["span"]["column"];
            format!("{}:{line}:{column}: {}[{}] {}", text("path"), text("severity"), text("rule"), text("message"))
        })
        .collect();
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), want);
    assert!(ran.status == 1 && ran.stderr.starts_with("Checked 3 skills: "), "{}", ran.stderr);
}

#[test]
fn statistics_count_findings_by_rule() {
    let repo = sample();
    assert_snapshot!(repo.shown(&["check", "skills", "--statistics"]));
    let document = json(&repo, &["skills", "--statistics"]);
    let rows = document["statistics"].as_array().unwrap();
    let total: u64 = rows.iter().map(|row| row["findings"].as_u64().unwrap()).sum();
    assert_eq!(total, document["findings"].as_array().unwrap().len() as u64);
    assert!(json(&repo, &["skills"]).get("statistics").is_none());
    let table = repo.canonry(&["check", "skills", "--statistics"]).stdout;
    assert_eq!(repo.canonry(&["check", "skills", "--statistics", "--format", "concise"]).stdout, table);
    assert_eq!(repo.canonry(&["check", "skills", "--statistics", "--format", "sarif"]).status, 64);
}

#[test]
fn rules_and_severities_can_be_selected() {
    let repo = sample();
    let found = |args: &[&str]| {
        let document = json(&repo, &[&["skills"], args].concat());
        let mut found: Vec<String> = rules(&document).into_iter().map(str::to_owned).collect();
        found.dedup();
        found.sort();
        found.dedup();
        found
    };
    for (args, want) in [
        (&["--select", "broken-link"][..], &["broken-link"][..]),
        (&["--select", "broken-link,yaml-invalid"], &["broken-link", "yaml-invalid"]),
        (&["--select", "broken-*", "--select", "yaml-*"], &["broken-link", "yaml-invalid"]),
        (&["--select", "skill", "--min-severity", "error"], &["name-directory-mismatch", "yaml-invalid"]),
        (&["--select", "yaml-*", "--ignore", "yaml-invalid"], &[]),
        (&["--select", "security"], &[]),
    ] {
        assert_eq!(found(args), want, "{args:?}");
    }
    // Only reported errors decide the exit status.
    let status = |args: &[&str]| repo.canonry(&[&["check", "skills"], args].concat()).status;
    assert_eq!(status(&["--ignore", "yaml-invalid,name-directory-mismatch"]), 0);
    assert_eq!((status(&["--min-severity", "error"]), status(&["--select", "broken-link"])), (1, 0));
    let ran = repo.canonry(&["check", "--select", "broken-lnk"]);
    assert!(ran.status == 64 && ran.stderr.contains("did you mean `broken-link`?"), "{}", ran.stderr);
    assert_eq!(status(&["--min-severity", "loud"]), 64);
}

#[test]
fn only_selected_findings_are_fixed() {
    let repo = sample();
    assert_eq!(summary(&json(&repo, &["--fix", "--select", "broken-link"]), "fixed"), 0);
    assert_eq!(summary(&json(&repo, &["--fix", "--ignore", "yaml-invalid"]), "fixed"), 0);
    assert_eq!(summary(&json(&repo, &["--fix", "--select", "yaml-invalid"]), "fixed"), 1);
}

#[test]
fn a_selection_says_nothing_about_the_baseline_and_writes_none() {
    let repo = with(COLON);
    assert_eq!(repo.canonry(&["check", "--write-baseline"]).status, 0);
    let shown = repo.canonry(&["check", "--select", "broken-link"]).stdout;
    assert!(!shown.contains("no finding any more"), "{shown}");
    for option in ["--select=broken-link", "--ignore=broken-link", "--min-severity=error", "--exclude=old"] {
        assert_eq!(repo.canonry(&["check", "--write-baseline", option]).status, 64, "{option}");
    }
}

/// Grouped by file, errors first, infos counted.
#[test]
fn findings_are_grouped_by_file() {
    assert_snapshot!(sample().shown(&["check"]));
}

#[test]
fn long_lines_are_cut_and_hidden_characters_escaped() {
    let repo = Repo::empty();
    let body =
        format!("{}[a](a.md) {}\n\nSafe\u{202e}txet\u{202c} here.\n", "many words ".repeat(40), "and more ".repeat(40));
    repo.write("skills/triage-bug/SKILL.md", skill("", &body));
    assert_snapshot!(repo.shown(&["check", "skills"]));
}

#[test]
fn a_long_report_ends_with_the_number_of_findings_per_rule() {
    let repo = Repo::empty();
    let links: String = (0..60).map(|at| format!("[a](a{at}.md)\n\n")).collect();
    repo.write("skills/a/SKILL.md", skill("", &links).replace("triage-bug", "a"));
    repo.write("skills/z/SKILL.md", skill("", ""));
    let shown = repo.canonry(&["check"]).stdout;
    let findings =
        |shown: &str| shown.lines().filter(|line| line.starts_with("  × [") || line.starts_with("  ⚠ [")).count();
    assert_eq!(findings(&shown), 11, "one error, and ten findings of the other rule");
    assert!(shown.contains("… and 50 more of broken-link\n"), "{shown}");
    assert!(shown.starts_with("skills/z/SKILL.md\n\n  × [name-directory-mismatch]"), "the error comes first: {shown}");
    let tail = shown.split_once("11 of 61 findings are shown. All by rule:\n\n").expect(&shown).1;
    assert_snapshot!(tail);
    let full = repo.canonry(&["check", "--full"]).stdout;
    assert!(findings(&full) == 61 && !full.contains("are shown"), "{full}");
}
