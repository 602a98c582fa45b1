//! Unreadable and malformed logs, reports and memory files.

use crate::support::repo::Repo;

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const GOOD: &str = "{\"timestamp\": \"2026-05-01T09:30:00Z\", \"action\": \"drafted the notes\"}";

fn with_log(log: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(LOG, log);
    repo
}

#[test]
fn check_reports_each_kind_of_invalid_row() {
    let huge = GOOD.replace("drafted", &"x".repeat(1 << 20));
    let long = GOOD.replace('}', &format!(", \"detail\": \"{}\"}}", "x".repeat(1 << 20)));
    let deep =
        GOOD.replace('}', &format!(", \"x\": {}{}}}", "{\"x\":".repeat(20_000), "1".to_owned() + &"}".repeat(20_000)));
    let unclosed = "[".repeat(100_000);
    for (row, status, words) in [
        (huge.as_bytes(), 0, &[][..]),
        (long.as_bytes(), 0, &["episode-schema", ":2: ", "at most 500"]),
        (deep.as_bytes(), 0, &["episode-schema", ":2: ", "nested deeper than"]),
        (
            deep.replace("notes\"", "notes\", \"id\": 7").as_bytes(),
            0,
            &["episode-schema", ":2: ", "nested deeper than"],
        ),
        (unclosed.as_bytes(), 1, &["file-unreadable", ":2: ", "not JSON"]),
        (b"\0\0\0\0", 1, &["file-unreadable", ":2: ", "NUL"]),
        (b"[1, 2, 3]", 1, &["file-unreadable", ":2: ", "a list"]),
        (b"\xff", 1, &["file-unreadable", ":2: ", "not UTF-8"]),
        (&GOOD.as_bytes()[..30], 1, &["file-unreadable", ":2: ", "cut off"]),
        ("\u{2028}".as_bytes(), 1, &["file-unreadable", ":2: "]),
        (GOOD.replace("notes", "\u{2028}\u{85}").as_bytes(), 0, &[]),
        (b"\r", 0, &[]),
    ] {
        // The rows before and after are valid; the last one may lack its newline.
        for (before, behind) in [
            (format!("{GOOD}\n"), format!("\n{}\n", GOOD.replace("notes", "plan"))),
            (format!("{GOOD}\r\n"), String::new()),
        ] {
            let repo = with_log([before.as_bytes(), row, behind.as_bytes()].concat());
            let well = if words.is_empty() { &["no findings"][..] } else { words };
            repo.check(&[LOG]).expect(status).says(well);
        }
    }
}

#[test]
fn a_log_that_is_not_a_regular_file_is_reported() {
    for place in ["a folder", "a full folder", "a pipe", "a link out", "a link to nothing", "a link to itself"] {
        let repo = Repo::with_skills(&["alpha"]);
        repo.write("agent/memory/episodic/notes.md", "x\n");
        match place {
            "a folder" => std::fs::create_dir(repo.path(LOG)).unwrap(),
            "a full folder" => repo.write(&format!("{LOG}/x"), "x\n"),
            "a pipe" => assert!(repo.command("mkfifo").arg(LOG).status().unwrap().success()),
            "a link out" => repo.link(LOG, "/etc/hostname"),
            "a link to nothing" => repo.link(LOG, "nothing"),
            _ => repo.link(LOG, "AGENT_LEARNINGS.jsonl"),
        }
        for args in [&[][..], &[LOG], &["agent/memory"]] {
            repo.check(args).expect(1).says(&["file-unreadable", LOG]).says_nothing_of(&["git does not store it"]);
        }
    }
}

#[test]
fn check_staged_and_check_rev_read_memory_files_from_git() {
    let repo = with_log(format!("{GOOD}\n"));
    repo.write("agent/memory/semantic/LESSONS.md", "# Lessons\n");
    repo.write("agent/reports/x/y.1.json", "{\n");
    repo.write("agent/memory/personal/PREFERENCES.md", b"Ren\xe9\n");
    repo.sync(&[]);
    repo.commit_all("all");
    // The other files have no staged change, so a commit would not affect them.
    repo.write(LOG, "[]\n");
    repo.git(&["add", LOG]);
    repo.write(LOG, format!("{GOOD}\n"));
    repo.check(&["--staged"]).expect(1).says(&["file-unreadable", "a list"]).says_nothing_of(&["report-schema"]);
    let all = ["report-schema", "PREFERENCES.md", "file-unreadable"];
    for args in [&[][..], &["--rev", "HEAD"]] {
        repo.check(args).expect(1).says(&all).says_nothing_of(&["a list"]);
    }
    repo.link("agent/memory/semantic/DECISIONS.md", "/etc/hostname");
    repo.check(&[]).expect(1).says(&["file-unreadable", "DECISIONS.md", "`/etc/hostname`, outside the"]);
}

#[test]
fn check_reports_each_kind_of_invalid_report() {
    let report = "agent/reports/x/y.1.json";
    let deep = "[".repeat(30_000) + &"]".repeat(30_000);
    for (text, words) in [
        (&b""[..], "invalid JSON"),
        (b"\0", "invalid JSON"),
        (b"[]", "must be a mapping, but is a list"),
        (b"{\"step_id\": \"y\", \"step_id\": 7}", "duplicate key"),
        (b"{\"step_id\": \"\xff\"}", "not UTF-8"),
        (deep.as_bytes(), "nested deeper than"),
    ] {
        let repo = Repo::with_skills(&["alpha"]);
        repo.write(report, text);
        repo.check(&[report]).expect(1).says(&[report, words]);
    }
}

/// The plan is read from the same view as the report, even if the plan itself is not checked.
#[test]
fn a_report_on_a_step_missing_in_its_plan_is_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    let report = "agent/reports/x/apl.1.json";
    repo.write("agent/plans/x/plan.yml", "steps:\n  - {id: api, owner: Coder, criteria: the tests pass}\n");
    repo.sync(&[]);
    repo.commit_all("plan");
    let text = "{\"step_id\": \"apl\", \"outcome\": \"blocked\", \"details\": \"\", \"artifacts\": [], \"timestamp\": \"now\"}";
    repo.write(report, text);
    repo.git(&["add", report]);
    let words = ["report-step-mismatch", report, "no step `apl`", "did you mean `api`?"];
    for args in [&[][..], &["--staged"], &[report], &["agent/reports"]] {
        repo.check(args).expect(0).says(&words);
    }
    // The plan in the work tree has the step, which does not affect the check of the commit.
    repo.commit_all("report");
    repo.write("agent/plans/x/plan.yml", "steps:\n  - {id: apl, owner: Coder, criteria: the tests pass}\n");
    repo.check(&["--rev", "HEAD"]).expect(0).says(&words);
    repo.check(&[]).expect(0).says_nothing_of(&["report-step-mismatch"]);
}
