//! `canonry memory undo` restores the files of the last dream byte by byte.

use crate::dream::team::{LESSONS, LOG, NOW, QUARANTINE, SNAPSHOTS, WORKSPACE, row, rows, team};
use crate::support::repo::{Held, Repo, Tree};
use crate::support::same::assert_same;

const PLAN: &str = "agent/memory/working/ACTIVE_PLAN.md";
const MESSAGE: &str = "dream cycle: promoted 1, decayed 2, kept 3";

/// Only files: git does not track empty folders.
fn files(repo: &Repo) -> Tree {
    repo.tree().into_iter().filter(|(_, held)| *held != Held::Folder).collect()
}

impl Repo {
    pub fn undo(&self, args: &[&str]) -> crate::support::repo::Ran {
        self.canonry(&[&["memory", "undo"], args].concat())
    }

    fn touch_old(&self, path: &str) {
        let at = std::time::SystemTime::UNIX_EPOCH;
        std::fs::File::options().write(true).open(self.path(path)).unwrap().set_modified(at).unwrap();
    }
}

/// Dreams, undoes it, and dreams again.
#[track_caller]
fn there_and_back(repo: &Repo, what: &str) {
    let before = files(repo);
    repo.dream(&[]).expect(0);
    let dreamt = files(repo);
    assert_ne!(before, dreamt, "{what}: nothing to undo");
    repo.undo(&[]).expect(0);
    assert_same(&files(repo), &before, &format!("{what}: after the undo"));
    repo.dream(&[]).expect(0);
    assert_same(&files(repo), &dreamt, &format!("{what}: dreamt again"));
}

#[test]
fn undo_restores_every_byte_of_the_last_dream() {
    let repo = team(rows() + "oops\n");
    repo.write(LESSONS, "# Ours");
    repo.commit_all("ours");
    let before = files(&repo);
    repo.dream(&[]).expect(0);
    let ran = repo.undo(&[]).expect(0);
    assert_eq!(ran.stdout.lines().next(), Some("undo dream cycle: promoted 1, decayed 2, kept 3"));
    assert_same(&files(&repo), &before, "after the undo");
    assert_eq!(repo.git(&["log", "--format=%s"]), format!("undo {MESSAGE}\n{MESSAGE}\nours\nbegin"));
    assert_eq!(
        repo.head_changes(),
        [
            "M agent/memory/episodic/AGENT_LEARNINGS.jsonl",
            "D agent/memory/episodic/quarantine.txt",
            "D agent/memory/episodic/snapshots/2025-12.jsonl",
            "D agent/memory/episodic/snapshots/2026-01.jsonl",
            "M agent/memory/semantic/LESSONS.md",
        ]
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["diff", "HEAD", "HEAD~2"]), "");
    let said = repo.text(".git/canonry/dreams.log");
    let commit = repo.git(&["rev-parse", "--short=10", "HEAD"]);
    assert!(said.lines().last().unwrap().ends_with(&format!(" undo {MESSAGE} ({commit})")), "{said}");
    // The record is gone: a second undo does not revert the dream before it.
    let head = repo.head();
    repo.undo(&[]).expect(5).says(&["no dream to undo", "git revert"]);
    assert_eq!(repo.head(), head);
    assert!(!repo.exists(".git/canonry/undo.json"));
}

#[test]
fn undo_without_a_dream_is_refused() {
    let repo = team(rows());
    repo.undo(&[]).expect(5).says(&["no dream to undo", "git revert"]);
    repo.undo(&["--dry-run"]).expect(5).says(&["no dream to undo"]);
    // A dream without changes keeps the record of the previous one.
    repo.dream(&[]).expect(0);
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
    assert_eq!(repo.text(LOG), rows());
}

#[test]
fn only_the_last_dream_can_be_undone() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    let before = files(&repo);
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
    repo.undo(&[]).expect(5);
    let kept: Vec<String> = repo.tree_of(&[".git/canonry/undo"]).into_keys().collect();
    assert!(kept.len() <= 1, "{kept:?}");
}

#[test]
fn logs_and_lessons_of_every_shape_are_restored() {
    let crlf = rows().replace('\n', "\r\n");
    let unended = rows().trim_end().to_owned();
    let old_at_the_end = row("a1", 1, "a", 9) + row("old1", 100, "x", 1).trim_end();
    let bad = "oops\n".to_owned() + &rows() + "[]\n\u{0}\n" + "{\"timestamp\": ";
    let gone = row("old1", 100, "x", 1) + &row("old2", 150, "y", 1);
    let twins = row("old1", 100, "x", 1).repeat(3) + &row("b", 1, "b", 1) + &row("old1", 100, "x", 1);
    let blank = "\n\n".to_owned() + &rows() + "\n";
    let cases = [&rows(), &crlf, &unended, &old_at_the_end, &bad, &gone, &twins, &blank];
    let all = [None, Some("# Ours\r\n\r\n- mine\r\n"), Some("- mine, without an end"), Some("")];
    for (at, log) in cases.iter().enumerate() {
        // All lessons with the first log, then one of them with each other log.
        for lessons in if at == 0 { &all[..] } else { &all[at % 4..=at % 4] } {
            let repo = team(log);
            if let Some(lessons) = lessons {
                repo.write(LESSONS, lessons);
            }
            there_and_back(&repo, &format!("log {at}, lessons {lessons:?}"));
        }
    }
}

#[test]
fn generated_logs_are_restored() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for at in 0..4 {
        let mut log = String::new();
        for number in 0..20 + random(60) {
            let action = ["a", "b", "x", "run", "y"][random(5) as usize];
            log += &match random(10) {
                0 => "torn {\n".to_owned(),
                1 => row("same", 120, "same", 1),
                2 => row(&format!("r{number}"), random(3) as i64, action, 9).replace('\n', "\r\n"),
                _ => row(&format!("r{number}"), random(200) as i64, action, 1 + random(9) as u8),
            };
        }
        if random(2) == 0 {
            log.pop();
        }
        log += &row("sure", 300, "sure", 1);
        let repo = team("");
        repo.write(LOG, &log);
        if random(2) == 0 {
            repo.write(&format!("{SNAPSHOTS}/2026-01.jsonl"), "{\"id\": \"earlier\"}");
        }
        if random(2) == 0 {
            repo.write(QUARANTINE, "# mine");
        }
        there_and_back(&repo, &format!("log {at}"));
    }
}

#[test]
fn undo_restores_the_working_memory() {
    let repo = team(rows());
    repo.write(WORKSPACE, "# Busy\r\n");
    repo.write(PLAN, "1. dig");
    for path in [WORKSPACE, PLAN] {
        repo.touch_old(path);
    }
    there_and_back(&repo, "the working memory");
    // The user has started something new in the meantime.
    repo.write(WORKSPACE, "# New\n");
    let tree = repo.tree();
    repo.undo(&[]).expect(5).says(&[WORKSPACE, "changed since"]);
    assert_same(&repo.tree(), &tree, "refused");
}

/// A restored workspace keeps its age: in the git history and on disk.
#[test]
fn a_restored_workspace_keeps_its_age() {
    let run = |repo: &Repo, program: &std::ffi::OsStr, args: &[&str], date: &str| {
        let ran = repo.command(program).args(args).env("GIT_COMMITTER_DATE", date).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    let binary = crate::support::repo::binary();
    for committed in [true, false] {
        let repo = team("");
        repo.write(WORKSPACE, "# Busy\n");
        repo.touch_old(WORKSPACE);
        if committed {
            repo.git(&["add", "-A"]);
            run(&repo, "git".as_ref(), &["commit", "-qm", "busy"], "2026-04-01T00:00:00Z");
        }
        let before = files(&repo);
        run(&repo, binary.as_ref(), &["dream", "--now", NOW], NOW);
        let dreamt = files(&repo);
        assert!(dreamt.contains_key(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01.md")));
        run(&repo, binary.as_ref(), &["memory", "undo"], NOW);
        assert_same(&files(&repo), &before, "after the undo");
        assert_eq!(repo.path(WORKSPACE).metadata().unwrap().modified().unwrap(), std::time::SystemTime::UNIX_EPOCH);
        // A later commit that does not touch it.
        repo.write("other", "x");
        repo.git(&["add", "other"]);
        run(&repo, "git".as_ref(), &["commit", "-qm", "other"], NOW);
        repo.remove("other");
        run(&repo, binary.as_ref(), &["dream", "--now", NOW], NOW);
        assert_same(&files(&repo), &dreamt, &format!("dreamt again, committed: {committed}"));
        // A workspace that the user restored counts as new.
        repo.write(WORKSPACE, "# Busy\n");
        repo.git(&["add", "-A"]);
        run(&repo, "git".as_ref(), &["commit", "-qm", "busy again"], NOW);
        assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], serde_json::json!(false));
    }
}

#[test]
fn rows_logged_after_the_dream_are_kept() {
    for (log, glue) in [(rows(), ""), (row("a1", 1, "a", 9) + row("old1", 100, "x", 1).trim_end(), "\n")] {
        let repo = team(&log);
        repo.dream(&[]).expect(0);
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        let late = repo.text(LOG).lines().last().unwrap().to_owned() + "\n";
        assert!(late.contains("\"late\""));
        repo.undo(&[]).expect(0);
        assert_eq!(repo.text(LOG), log + glue + &late);
        assert!(repo.lines().values().all(|count| *count == 1), "{:?}", repo.lines());
    }
}

#[test]
fn hand_edits_outside_of_the_dreams_changes_are_kept() {
    let repo = team(rows());
    repo.write(LESSONS, "# Ours\n");
    repo.dream(&[]).expect(0);
    let dreamt = repo.text(LESSONS);
    let edited = dreamt.replacen("# Ours\n", "# Ours, with more above\n\n- mine\n", 1) + "- and below\n";
    repo.write(LESSONS, &edited);
    let snapshot = format!("{SNAPSHOTS}/2025-12.jsonl");
    repo.write(&snapshot, repo.text(&snapshot) + "{\"id\": \"more\"}\n");
    repo.undo(&[]).expect(0);
    assert_eq!(repo.text(LESSONS), "# Ours, with more above\n\n- mine\n- and below\n");
    assert_eq!(repo.text(&snapshot), "{\"id\": \"more\"}\n");
    assert_eq!(repo.text(LOG), rows());
}

#[test]
fn undo_is_refused_if_the_text_written_by_the_dream_changed() {
    let snapshot = format!("{SNAPSHOTS}/2025-12.jsonl");
    type Edit = fn(&Repo, &str);
    let changes: [(&str, Edit); 7] = [
        (LESSONS, |repo, path| repo.write(path, repo.text(path).replace("a teaches", "A, in my words"))),
        (LESSONS, |repo, path| repo.write(path, repo.text(path).repeat(2).replacen("# ", "#  ", 1))),
        (&snapshot, |repo, path| repo.write(path, repo.text(path).replace("old2", "new2"))),
        (&snapshot, |repo, path| repo.remove(path)),
        (LOG, |repo, path| repo.write(path, repo.text(path).replace("b1", "b2"))),
        (LOG, |repo, path| repo.write(path, "")),
        (LOG, |repo, path| repo.remove(path)),
    ];
    for (at, (path, change)) in changes.iter().enumerate() {
        let repo = team(rows());
        repo.write(LESSONS, "# Ours\n");
        repo.dream(&[]).expect(0);
        change(&repo, path);
        let tree = repo.tree();
        let head = repo.head();
        for args in [&["--dry-run"][..], &[]] {
            repo.undo(args).expect(5).says(&[path]);
            assert_same(&repo.tree(), &tree, &format!("change {at} was refused"));
        }
        assert_eq!(repo.head(), head);
        // With the original text restored, undo succeeds.
        repo.git(&["checkout", "-q", "--", "."]);
        repo.undo(&[]).expect(0);
        assert_eq!(repo.text(LOG), rows());
    }
}

#[test]
fn an_uncommitted_dream_is_undone_without_a_commit() {
    let repo = team("");
    repo.write(LOG, rows());
    let before = files(&repo);
    let head = repo.head();
    // Rows that were not committed before the dream are not committed by its undo either.
    repo.dream(&["--no-commit"]).expect(0);
    repo.undo(&[]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
    assert_eq!(repo.head(), head);
    // If the user committed the dream, undo commits too.
    repo.dream(&["--no-commit"]).expect(0);
    repo.commit_all("by hand");
    repo.undo(&[]).expect(0);
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), format!("undo {MESSAGE}"));
    repo.dream(&[]).expect(0);
    let head = repo.head();
    repo.undo(&["--no-commit"]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
    assert_eq!(repo.head(), head);
    assert!(repo.git(&["status", "--porcelain"]).contains(LOG));
}

#[test]
fn undo_keeps_staged_changes_staged() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.write("agent/skills/alpha/SKILL.md", "half done\n");
    repo.undo(&[]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), " M agent/skills/alpha/SKILL.md\nA  mine.txt");
}

#[test]
fn a_merge_in_progress_defers_an_undo() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.git(&["checkout", "-qb", "other", "HEAD~1"]);
    repo.write("x", "theirs");
    repo.commit_all("theirs");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("x", "ours");
    repo.commit_all("ours");
    assert!(!repo.try_git(&["merge", "other"]).status.success());
    let tree = repo.tree();
    repo.undo(&[]).expect(5).says(&["a merge is in progress"]);
    repo.undo(&["--no-commit"]).expect(5);
    assert_same(&repo.tree(), &tree, "deferred");
}

#[test]
fn undo_dry_run_writes_nothing() {
    let repo = team(rows() + "oops\n");
    repo.write(LESSONS, "# Ours\n");
    repo.write(WORKSPACE, "# Busy\n");
    repo.touch_old(WORKSPACE);
    repo.dream(&[]).expect(0);
    let tree = repo.tree();
    let own = repo.tree_of(&[".git/canonry"]);
    let ran = repo.undo(&["--dry-run"]).expect(0);
    assert_same(&repo.tree(), &tree, "after a dry run");
    assert_eq!(repo.tree_of(&[".git/canonry"]), own);
    insta::assert_snapshot!("undo_dry_run", ran.stdout);
}

#[test]
fn a_concurrent_run_defers_an_undo() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    let lock = std::fs::File::create(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    repo.undo(&[]).expect(4).says(&["another canonry run is active"]);
    drop(lock);
    repo.write(".git/index.lock", "");
    repo.undo(&[]).expect(4);
    repo.remove(".git/index.lock");
    repo.undo(&[]).expect(0);
}

#[test]
fn undo_does_not_follow_links() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    let target = repo.outside("elsewhere").join("LESSONS.md");
    std::fs::rename(repo.path(LESSONS), &target).unwrap();
    repo.link(LESSONS, &target);
    let was = std::fs::read(&target).unwrap();
    repo.undo(&[]).expect(65).says(&["link"]);
    assert_eq!(std::fs::read(&target).unwrap(), was);
}

#[test]
fn a_corrupt_record_is_reported() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.write(".git/canonry/undo.json", "{");
    repo.undo(&[]).expect(70).says(&["undo.json"]);
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.remove(".git/canonry/undo");
    repo.undo(&[]).expect(70).says(&["undo"]);
    // It does not stop the next dream.
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.write(".git/canonry/undo.json", "{");
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
}

#[test]
fn a_dream_with_compat_seed_can_be_undone() {
    let repo = team(rows());
    repo.write(WORKSPACE, "# Busy\n");
    repo.touch_old(WORKSPACE);
    let before = files(&repo);
    repo.dream(&["--compat", "seed"]).expect(0);
    repo.undo(&[]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
}
