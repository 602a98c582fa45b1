//! The effects of a dream on a repository.

use crate::dream::team::{LESSONS, LOG, NOW, QUARANTINE, SNAPSHOTS, row, rows, team};
use crate::support::repo::{Repo, binary};
use crate::support::same::assert_same;
use serde_json::json;

#[test]
fn a_dream_writes_lessons_and_snapshots_in_one_commit() {
    let repo = team(rows());
    let ran = repo.dream(&[]).expect(0);
    assert_eq!(ran.stdout.lines().next(), Some("1 lesson learned, 2 old episodes archived."));
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "dream cycle: promoted 1, decayed 2, kept 3");
    assert_eq!(
        repo.head_changes(),
        [
            "M agent/memory/episodic/AGENT_LEARNINGS.jsonl",
            "A agent/memory/episodic/snapshots/2025-12.jsonl",
            "A agent/memory/episodic/snapshots/2026-01.jsonl",
            "A agent/memory/semantic/LESSONS.md",
        ]
    );
    assert_eq!(repo.text(LOG), [row("a1", 1, "a", 9), row("b1", 1, "b", 1), row("a2", 2, "a", 8)].concat());
    assert_eq!(repo.text("agent/memory/episodic/snapshots/2025-12.jsonl"), row("old2", 150, "y", 1));
    assert!(repo.text(LESSONS).contains("\n## 2026-05-01\n\n- a teaches (episodes: a1, a2; pattern "));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_second_dream_changes_nothing() {
    for args in [&[][..], &["--compat", "seed"]] {
        let repo = team(rows());
        repo.dream(args).expect(0);
        let tree = repo.tree();
        let head = repo.head();
        repo.dream(args).expect(0);
        assert_same(&repo.tree(), &tree, "after a second run");
        assert_eq!(repo.head(), head, "{args:?}");
    }
}

/// A night has places for ten of the twelve patterns.
#[test]
fn a_second_dream_over_similar_patterns_changes_nothing() {
    let log: String = (0..240)
        .map(|n: i64| {
            let kind = n % 12;
            let skill = n % 3;
            row(&format!("e{n}"), n % 60, &format!("always check kind{kind} before part{kind}"), 5 + (n % 5) as u8)
                .replace("\"skill\": \"s\"", &format!("\"skill\": \"s{skill}\""))
        })
        .collect();
    let repo = team(log);
    let did = repo.dream_json(&[]);
    assert!(!did["written"].as_array().unwrap().is_empty(), "{did}");
    let tree = repo.tree();
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_same(&repo.tree(), &tree, "after a second run");
    assert_eq!(repo.head(), head);
}

/// The result does not depend on the number of threads, on hash seeds, or on the order in which files were created.
#[test]
fn the_same_log_and_time_produce_the_same_bytes() {
    let words = ["cache", "token", "index", "queue"];
    let log: String = (0..400_i64)
        .map(|n| row(&format!("e{n}"), n % 190, &format!("fix the {} of part {}", words[n as usize % 4], n % 7), 9))
        .collect();
    let older = [("2025-11.jsonl", row("o1", 170, "o", 1)), ("2026-01.jsonl", row("o2", 110, "p", 1))];
    let mut nights = Vec::new();
    for threads in ["1", "2", "7"] {
        let repo = team(&log);
        let mut older = older.to_vec();
        if threads == "2" {
            older.reverse();
        }
        older.iter().for_each(|(name, row)| repo.write(&format!("{SNAPSHOTS}/{name}"), row));
        let dream = repo
            .command(binary())
            .args(["dream", "--no-commit", "--now", NOW, "--format", "json"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        nights.push((repo.tree(), String::from_utf8(dream.stdout).unwrap()));
    }
    assert!(nights[0].1.contains("\"written\"") && nights[0].0.len() > 8, "{}", nights[0].1);
    for (tree, output) in &nights[1..] {
        assert_same(tree, &nights[0].0, "with other threads");
        assert_eq!(output, &nights[0].1);
    }
}

#[test]
fn a_dry_run_reports_exactly_what_a_run_does() {
    let repo = team(rows() + "oops\n");
    let tree = repo.tree();
    let output = repo.dream(&["--dry-run"]).expect(0).stdout;
    assert_same(&repo.tree(), &tree, "after a dry run");
    let mut output: serde_json::Value = serde_json::from_str(&output).unwrap();
    let did = repo.dream_json(&[]);
    assert_eq!(did["commit"], json!(repo.head()));
    output["commit"] = did["commit"].clone();
    assert_eq!(output, did);
    let want = json!({
        "schema": "canonry/dream/v1",
        "now": "2026-05-01T03:00:00Z",
        "entries": 5,
        "promoted": ["a1"],
        "written": ["a1"],
        "staged": [],
        "deferred": 0,
        "archived": ["old1", "old2"],
        "kept": 3,
        "invalid": [{"line": 6, "reason": "not JSON: expected value at byte 1"}],
        "workspace_archived": false,
        "commit": did["commit"],
        "message": "dream cycle: promoted 1, decayed 2, kept 3",
    });
    assert_eq!(did, want);
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../schemas/dream.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_eq!(validator.iter_errors(&did).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert!(!validator.is_valid(&json!({"schema": "canonry/dream/v1"})));
}

#[test]
fn no_commit_leaves_the_changes_uncommitted() {
    let repo = team(rows());
    let head = repo.head();
    repo.dream(&["--no-commit"]).expect(0);
    assert_eq!(repo.head(), head);
    assert!(repo.git(&["status", "--porcelain", "-uall"]).contains(LESSONS));
}

#[test]
fn staged_changes_stay_staged() {
    let repo = team(rows());
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.write("agent/skills/alpha/SKILL.md", "half done\n");
    repo.dream(&[]).expect(0);
    assert!(!repo.head_changes().iter().any(|path| path.contains("mine") || path.contains("skills")));
    assert_eq!(repo.git(&["status", "--porcelain"]), " M agent/skills/alpha/SKILL.md\nA  mine.txt");
}

#[test]
fn uncommitted_rows_are_committed_with_their_lesson() {
    let repo = team("");
    repo.write(LOG, row("a1", 1, "a", 9) + &row("a2", 2, "a", 8));
    repo.dream(&[]).expect(0);
    assert_eq!(
        repo.head_changes(),
        ["M agent/memory/episodic/AGENT_LEARNINGS.jsonl", "A agent/memory/semantic/LESSONS.md"]
    );
}

#[test]
fn hand_written_lessons_are_preserved() {
    let repo = team(rows());
    let mine = "Mine \r\n\tall mine, without an end";
    repo.write(LESSONS, mine);
    repo.dream(&[]).expect(0);
    assert!(repo.text(LESSONS).starts_with(mine));
    // A reworded lesson still counts as the same lesson.
    let reworded = repo.text(LESSONS).replace("a teaches", "A, as we know, teaches");
    repo.write(LESSONS, &reworded);
    assert_eq!(repo.dream_json(&[])["written"], json!([]));
    assert_eq!(repo.text(LESSONS), reworded);
}

#[test]
fn invalid_rows_are_quarantined_verbatim_with_line_and_reason() {
    let bad: [&[u8]; 4] = [b"[1, 2]", b"\xff\xfe", b"{\"timestamp\": \"2026-01", b"<<<<<<< HEAD"];
    let log = [&b"\n"[..], bad[0], b"\n", rows().as_bytes(), bad[1], b"\n", bad[3], b"\n", bad[2]].concat();
    let repo = team(log);
    repo.dream(&[]).expect(0).says(&["expected a JSON object, found a list", "not UTF-8", "merge conflict marker"]);
    let kept = repo.read(QUARANTINE);
    let lines: Vec<&[u8]> = kept.split(|b| *b == b'\n').collect();
    let at = |line: usize| (String::from_utf8_lossy(lines[line]).into_owned(), lines[line + 1]);
    assert_eq!(at(2), ("# 2026-05-01 line 2: expected a JSON object, found a list".to_owned(), bad[0]));
    assert_eq!(at(4), ("# 2026-05-01 line 8: not UTF-8 at byte 1 of the line".to_owned(), bad[1]));
    assert_eq!(at(6), ("# 2026-05-01 line 9: a merge conflict marker".to_owned(), bad[3]));
    assert_eq!(at(8), ("# 2026-05-01 line 10: not JSON: EOF while parsing a string at byte 22".to_owned(), bad[2]));
    assert_eq!(repo.head_changes().iter().filter(|path| path.contains("quarantine")).count(), 1);
    // The blank line and all valid rows are unchanged.
    assert_eq!(
        repo.text(LOG),
        "\n".to_owned() + &[row("a1", 1, "a", 9), row("b1", 1, "b", 1), row("a2", 2, "a", 8)].concat()
    );
}

#[test]
fn an_ignored_file_is_not_committed() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".gitignore", "agent/memory/episodic/\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "begin"]);
    repo.write(LOG, rows());
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head_changes(), ["A agent/memory/semantic/LESSONS.md"]);
    repo.write(LOG, row("a1", 1, "a", 9));
    repo.dream(&[]).expect(0);
}

#[test]
fn thresholds_come_from_the_config() {
    let repo = team(rows());
    repo.write("agent/canonry.yaml", "memory: {promote_at: 30, archive_after_days: 120}\n");
    let did = repo.dream_json(&["--dry-run"]);
    assert_eq!((&did["promoted"], &did["archived"]), (&json!([]), &json!(["old2"])));
    repo.write("agent/canonry.yaml", "memory: {weights: {pain: 0}}\n");
    assert_eq!(repo.dream_json(&["--dry-run", "--no-commit"])["promoted"], json!(["a1"]));
    // `--compat seed` ignores the config.
    repo.write("agent/canonry.yaml", "memory: {promote_at: 30}\n");
    assert_eq!(repo.dream_json(&["--dry-run", "--compat", "seed"])["promoted"], json!(["a1"]));
}

#[test]
fn a_dream_works_in_a_linked_work_tree() {
    let repo = team(rows());
    repo.git(&["worktree", "add", "-q", "../other", "-b", "night"]);
    let other = repo.root.parent().unwrap().join("other");
    repo.canonry_in(&other, &["dream", "--now", crate::dream::team::NOW]).expect(0);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "night"]), "dream cycle: promoted 1, decayed 2, kept 3");
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "begin");
}

/// Each night adds rows of one pattern with other reflections, and one of them has the highest salience so far.
#[test]
fn twelve_dreams_over_a_growing_pattern_write_one_lesson() {
    let repo = team(String::new());
    let mut log = String::new();
    for night in 0..12u8 {
        let row = |nth: u8| {
            format!(
                "{{\"id\":\"n{night}-{nth}\",\"timestamp\":\"2026-04-{:02}\",\"skill\":\"s\",\"action\":\"Reran the flaky \
                 test\",\"pain_score\":10,\"importance\":10,\"reflection\":\"night {night} row {nth} taught this\"}}\n",
                18 + night
            )
        };
        log += &(row(1) + &row(2));
        repo.write(LOG, &log);
        let dreamt = repo.dream_json(&["--no-commit"]);
        let written = usize::from(night == 0);
        assert_eq!(dreamt["written"].as_array().unwrap().len(), written, "night {night}: {dreamt}");
        assert_eq!(dreamt["promoted"].as_array().unwrap().len(), 1, "night {night}");
        // Remove the cited rows from the log: the lesson is still recognised by its pattern id.
        log = log.lines().skip(usize::from(night % 2)).map(|line| format!("{line}\n")).collect();
    }
    assert_eq!(repo.text(LESSONS).matches("(episodes: ").count(), 1);
}

#[test]
fn each_run_adds_one_line_to_the_run_log() {
    let repo = team(rows());
    repo.dream(&["--dry-run"]).expect(0);
    repo.dream(&[]).expect(0);
    let commit = repo.git(&["rev-parse", "--short=10", "HEAD"]);
    repo.dream(&[]).expect(0);
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.dream(&["--no-commit"]).expect(0);
    repo.write(".git/index.lock", "");
    repo.dream(&[]).expect(4);
    let said = repo.text(".git/canonry/dreams.log");
    let lines: Vec<&str> = said.lines().map(|line| line.strip_prefix("2026-05-01T03:00:00Z ").unwrap()).collect();
    assert_eq!(
        lines[..3],
        [
            format!("dream cycle: promoted 1, decayed 2, kept 3 ({commit})").as_str(),
            "dream cycle: promoted 0, decayed 0, kept 3 (nothing to do)",
            "dream cycle: promoted 0, decayed 1, kept 3 (not committed)",
        ]
    );
    assert!(lines.len() == 4 && lines[3].starts_with("failed (contention): another process holds"), "{said}");
    assert_eq!(
        repo.git(&["log", "--format=%s", "--", "agent/memory"]),
        "dream cycle: promoted 1, decayed 2, kept 3\nbegin"
    );
}
