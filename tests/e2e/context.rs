//! Context files and canon pages in `check`: which files each view finds, and that each problem is reported once.

use crate::support::repo::Repo;
use serde_json::Value;
use std::os::unix::fs::symlink;

/// `path:line rule` of each finding, except mirror findings.
fn found(repo: &Repo, args: &[&str]) -> Vec<String> {
    let document: Value = serde_json::from_str(&repo.canonry(&[args, &["--format", "json"]].concat()).stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let ours = findings.filter(|finding| !finding["rule"].as_str().unwrap().starts_with("mirror-"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    ours.map(|f| format!("{}:{} {}", text(&f["path"]), f["span"]["line"], text(&f["rule"]))).collect()
}

#[test]
fn context_files_are_checked_in_every_view() {
    let repo = Repo::with_skill();
    repo.write("CLAUDE.md", "# Shop\n\n@gone.md\n");
    repo.write(".cursor/rules/style.md", "Plain.\n");
    repo.write("agent/AGENTS.md", "@also-gone.md\n");
    repo.write("web/CLAUDE.md", "@nowhere.md\n");
    let all = [
        ".cursor/rules/style.md:1 mdc-extension",
        "CLAUDE.md:3 context-import",
        "agent/AGENTS.md:1 context-import",
        "web/CLAUDE.md:1 context-import",
    ];
    assert_eq!(found(&repo, &["check"]), all);
    repo.git(&["add", "-A"]);
    assert_eq!(found(&repo, &["check", "--staged"]), all);
    repo.git(&["commit", "-qm", "x"]);
    assert_eq!(found(&repo, &["check", "--rev", "HEAD"]), all);
    assert_eq!(found(&repo, &["check", "--staged"]), [""; 0]);
    assert_eq!(found(&repo, &["check", "web"]), ["web/CLAUDE.md:1 context-import"]);
    assert_eq!(found(&repo, &["check", "CLAUDE.md"]), [all[1]]);
}

#[test]
fn a_context_file_is_checked_again_when_its_import_is_removed() {
    let repo = Repo::with_skill();
    repo.write("CLAUDE.md", "@docs/style.md\n");
    repo.write("docs/style.md", "# Style\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "x"]);
    assert_eq!(found(&repo, &["check", "--staged"]), [""; 0]);
    repo.git(&["rm", "-q", "docs/style.md"]);
    assert_eq!(found(&repo, &["check", "--staged"]), ["CLAUDE.md:1 context-import"]);
}

#[test]
fn a_finding_in_an_imported_file_is_reported_once() {
    let repo = Repo::with_skill();
    repo.write("AGENTS.md", "@docs/a.md\n");
    repo.write("GEMINI.md", "@AGENTS.md\n");
    repo.write("docs/a.md", "Ask.\n\n@gone.md\n");
    symlink("AGENTS.md", repo.path("CLAUDE.md")).unwrap();
    assert_eq!(found(&repo, &["check"]), ["docs/a.md:3 context-import"]);
}

#[test]
fn ignored_and_disabled_files_have_no_findings() {
    let repo = Repo::with_skill();
    repo.write(".gitignore", "CLAUDE.md\nCLAUDE.local.md\n");
    repo.write("CLAUDE.md", "@gone.md\n");
    repo.write("AGENTS.md", "# Shop\n\nAsk @jane, use @shop/ui and `@old.md`; mine is in @CLAUDE.local.md.\n");
    repo.write(".claude/rules/web.md", "---\npaths: web/**\n---\n\nNo inline styles.\n");
    repo.write(
        ".cursor/rules/all.mdc",
        "---\ndescription: All: always\nglobs: **/*\nalwaysApply: false\n---\n\nBe brief.\n",
    );
    assert_eq!(found(&repo, &["check"]), [""; 0]);
    assert_eq!(found(&repo, &["check", "--profile", "spec"]), [""; 0]);
}

/// Unusual bytes in every kind of file: check does not fail, and reports each file.
#[test]
fn malformed_files_are_reported() {
    let repo = Repo::with_skill();
    let write = |path: &str, bytes: &[u8]| {
        std::fs::create_dir_all(repo.path(path).parent().unwrap()).unwrap();
        std::fs::write(repo.path(path), bytes).unwrap();
    };
    write("CLAUDE.md", b"\xff\xfe@\x00");
    write(".cursor/rules/a.mdc", b"---\r\n:\r\n-\r\n- \r\nglobs\r\n---");
    write("agent/protocols/permissions.md", b"## \n- `\n- ``\n1. \n");
    write("agent/protocols/tool_schemas/x.json", b"");
    write("agent/policies/p.md", b"\xc3\xa9\n## Steps\n\n1.\n2.\n");
    write("agent/workflows/templates/t.md", b"\xc3");
    std::fs::create_dir_all(repo.path("GEMINI.md")).unwrap();
    symlink("/etc/hostname", repo.path("AGENTS.md")).unwrap();
    let found = found(&repo, &["check"]);
    for want in [
        "CLAUDE.md:1 file-unreadable",
        "AGENTS.md:1 symlink-absolute",
        ".cursor/rules/a.mdc:2 mdc-frontmatter",
        "agent/protocols/permissions.md:1 permissions-section-missing",
        "agent/protocols/tool_schemas/x.json:1 tool-schema-invalid",
        "agent/workflows/templates/t.md:1 file-unreadable",
    ] {
        assert!(found.iter().any(|line| line == want), "{want}: {found:#?}");
    }
}

#[test]
fn lessons_are_compared_with_log_and_snapshots() {
    let repo = Repo::with_skill();
    let log = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
    let lessons = "agent/memory/semantic/LESSONS.md";
    for day in ["2026-04-28", "2026-04-30"] {
        let args = [
            "log",
            "-s",
            "deploy",
            "-a",
            "rolled back",
            "-r",
            "failure",
            "--pain",
            "9",
            "-i",
            "9",
            "--reflection",
            "drain before a deploy",
            "--now",
            day,
        ];
        assert_eq!(repo.canonry(&args).status, 0);
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "x"]);
    assert_eq!(repo.canonry(&["dream", "--now", "2026-05-01"]).status, 0);
    assert!(std::fs::read_to_string(repo.path(lessons)).unwrap().contains("(episodes: "));
    assert_eq!(found(&repo, &["check"]), [""; 0]);
    // Episodes in a snapshot count; without the snapshot, the lesson has no evidence.
    let rows = std::fs::read_to_string(repo.path(log)).unwrap();
    let (first, second) = rows.split_once('\n').unwrap();
    repo.write("agent/memory/episodic/snapshots/2026-04.jsonl", format!("{first}\n"));
    repo.write(log, second);
    assert_eq!(found(&repo, &["check"]), [""; 0]);
    std::fs::remove_file(repo.path("agent/memory/episodic/snapshots/2026-04.jsonl")).unwrap();
    let gone = found(&repo, &["check"]);
    assert!(gone.len() == 1 && gone[0].ends_with("lesson-episode-missing"), "{gone:?}");
    // Without a log in the repository, nothing can be compared.
    std::fs::remove_file(repo.path(log)).unwrap();
    assert_eq!(found(&repo, &["check"]), [""; 0]);
}

/// Codex concatenates all `AGENTS.md` files from the top down. A finding names the files and their bytes.
#[test]
fn the_codex_limit_counts_all_files_from_the_top_down() {
    let repo = Repo::with_skill();
    let text = |kib: usize| "x".repeat((kib << 10) - 1) + "\n";
    repo.write("AGENTS.md", text(20));
    repo.write("web/AGENTS.md", text(14));
    repo.write("web/shop/AGENTS.md", text(1));
    repo.write("docs/AGENTS.md", text(12));
    assert_eq!(found(&repo, &["check"]), ["web/AGENTS.md:1 context-too-long"]);
    let document = |args: &[&str]| -> Value {
        serde_json::from_str(&repo.canonry(&[args, &["--format", "json"]].concat()).stdout).unwrap()
    };
    let all = document(&["check", "."]);
    let found: Vec<(&str, u64, Vec<&str>)> = all["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["rule"] == "context-too-long")
        .map(|f| {
            let related = f["related"].as_array().unwrap().iter().map(|r| r["path"].as_str().unwrap()).collect();
            (f["path"].as_str().unwrap(), f["span"]["offset"].as_u64().unwrap(), related)
        })
        .collect();
    // One finding, where the limit is reached; it names the file of the folder below, which is not read at all.
    assert_eq!(found, [("web/AGENTS.md", 12 << 10, vec!["AGENTS.md", "web/shop/AGENTS.md"])]);
    let shown = repo.canonry(&["check", "web/AGENTS.md"]).stdout;
    assert!(shown.contains("34816 bytes") && shown.contains("AGENTS.md:1: 20480 bytes are read first"), "{shown}");
}

#[test]
fn a_longer_file_at_the_top_rechecks_the_files_below() {
    let repo = Repo::with_skill();
    repo.write("AGENTS.md", "# Shop\n");
    repo.write("agent/AGENTS.md", &("x".repeat(20 << 10) + "\n"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "x"]);
    repo.write("AGENTS.md", &("y".repeat(20 << 10) + "\n"));
    repo.git(&["add", "-A"]);
    assert_eq!(found(&repo, &["check", "--staged"]), ["agent/AGENTS.md:1 context-too-long"]);
}
