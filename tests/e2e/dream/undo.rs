//! A dream that is taken back: the files are as they were, to the byte.

use crate::dream::team::{LESSONS, LOG, NOW, QUARANTINE, SNAPSHOTS, WORKSPACE, row, rows, team};
use crate::support::repo::{Held, Repo, Tree};
use crate::support::same::assert_same;

const PLAN: &str = "agent/memory/working/ACTIVE_PLAN.md";
const MESSAGE: &str = "dream cycle: promoted 1, decayed 2, kept 3";

/// The files alone: a folder that is empty is nothing to git.
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

/// There, back, and there again.
#[track_caller]
fn there_and_back(repo: &Repo, what: &str) {
    let before = files(repo);
    repo.dream(&[]).expect(0);
    let dreamt = files(repo);
    assert_ne!(before, dreamt, "{what}: nothing to take back");
    repo.undo(&[]).expect(0);
    assert_same(&files(repo), &before, &format!("{what}: after the undo"));
    repo.dream(&[]).expect(0);
    assert_same(&files(repo), &dreamt, &format!("{what}: dreamt again"));
}

#[test]
fn the_last_dream_is_taken_back_to_the_byte() {
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
    // It is gone, and a second undo does not take back the one before.
    let head = repo.head();
    repo.undo(&[]).expect(5).says(&["no dream to undo", "git revert"]);
    assert_eq!(repo.head(), head);
    assert!(!repo.exists(".git/canonry/undo.json"));
}

#[test]
fn there_is_none() {
    let repo = team(rows());
    repo.undo(&[]).expect(5).says(&["no dream to undo", "git revert"]);
    repo.undo(&["--dry-run"]).expect(5).says(&["no dream to undo"]);
    // A dream that changes nothing takes nothing from the one before.
    repo.dream(&[]).expect(0);
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
    assert_eq!(repo.text(LOG), rows());
}

#[test]
fn only_the_last() {
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
fn logs_of_every_kind() {
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
        // All lessons with the first log, then each in turn.
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
fn random_logs() {
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
fn the_working_memory_comes_back() {
    let repo = team(rows());
    repo.write(WORKSPACE, "# Busy\r\n");
    repo.write(PLAN, "1. dig");
    for path in [WORKSPACE, PLAN] {
        repo.touch_old(path);
    }
    there_and_back(&repo, "the working memory");
    // Someone has begun something new there since.
    repo.write(WORKSPACE, "# New\n");
    let tree = repo.tree();
    repo.undo(&[]).expect(5).says(&[WORKSPACE, "changed since"]);
    assert_same(&repo.tree(), &tree, "refused");
}

/// What is put back is as old as it was: in git's history, and on disk.
#[test]
fn the_working_memory_does_not_become_young() {
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
        // A commit since then that is about something else.
        repo.write("other", "x");
        repo.git(&["add", "other"]);
        run(&repo, "git".as_ref(), &["commit", "-qm", "other"], NOW);
        repo.remove("other");
        run(&repo, binary.as_ref(), &["dream", "--now", NOW], NOW);
        assert_same(&files(&repo), &dreamt, &format!("dreamt again, committed: {committed}"));
        // One that a person has put back is new.
        repo.write(WORKSPACE, "# Busy\n");
        repo.git(&["add", "-A"]);
        run(&repo, "git".as_ref(), &["commit", "-qm", "busy again"], NOW);
        assert_eq!(repo.dreamt(&["--dry-run"])["workspace_archived"], serde_json::json!(false));
    }
}

#[test]
fn rows_that_came_since_stay() {
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
fn edits_by_hand_elsewhere_stay() {
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
fn what_the_dream_wrote_has_been_changed_since() {
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
        let (tree, head) = (repo.tree(), repo.head());
        for args in [&["--dry-run"][..], &[]] {
            repo.undo(args).expect(5).says(&[path]);
            assert_same(&repo.tree(), &tree, &format!("change {at} was refused"));
        }
        assert_eq!(repo.head(), head);
        // Put back, it can be taken back.
        repo.git(&["checkout", "-q", "--", "."]);
        repo.undo(&[]).expect(0);
        assert_eq!(repo.text(LOG), rows());
    }
}

#[test]
fn without_a_commit() {
    let repo = team("");
    repo.write(LOG, rows());
    let (before, head) = (files(&repo), repo.head());
    // Rows of the day that were not committed are not committed by an undo either.
    repo.dream(&["--no-commit"]).expect(0);
    repo.undo(&[]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
    assert_eq!(repo.head(), head);
    // What someone has committed since is.
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
fn what_is_staged_stays_staged_in_an_undo() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.write("agent/skills/alpha/SKILL.md", "half done\n");
    repo.undo(&[]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), " M agent/skills/alpha/SKILL.md\nA  mine.txt");
}

#[test]
fn a_merge_comes_before_an_undo() {
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
fn a_look_at_it_writes_nothing() {
    let repo = team(rows() + "oops\n");
    repo.write(LESSONS, "# Ours\n");
    repo.write(WORKSPACE, "# Busy\n");
    repo.touch_old(WORKSPACE);
    repo.dream(&[]).expect(0);
    let (tree, own) = (repo.tree(), repo.tree_of(&[".git/canonry"]));
    let ran = repo.undo(&["--dry-run"]).expect(0);
    assert_same(&repo.tree(), &tree, "after a look");
    assert_eq!(repo.tree_of(&[".git/canonry"]), own);
    insta::assert_snapshot!("undo_dry_run", ran.stdout);
}

#[test]
fn an_undo_and_another_run_at_the_same_time() {
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
fn links_are_not_followed_by_an_undo() {
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
fn a_record_that_cannot_be_read() {
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.write(".git/canonry/undo.json", "{");
    repo.undo(&[]).expect(70).says(&["undo.json"]);
    let repo = team(rows());
    repo.dream(&[]).expect(0);
    repo.remove(".git/canonry/undo");
    repo.undo(&[]).expect(70).says(&["undo"]);
    // The next dream is not held up by it.
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.write(".git/canonry/undo.json", "{");
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
}

#[test]
fn the_seeds_dream_is_taken_back_too() {
    let repo = team(rows());
    repo.write(WORKSPACE, "# Busy\n");
    repo.touch_old(WORKSPACE);
    let before = files(&repo);
    repo.dream(&["--compat", "seed"]).expect(0);
    repo.undo(&[]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
}
