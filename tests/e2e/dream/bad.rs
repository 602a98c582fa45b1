//! Logs with unusual or invalid content.

use crate::dream::team::{LESSONS, LOG, NOW, QUARANTINE, row, rows, team};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use crate::support::small::{Small, fill};
use serde_json::json;

#[test]
fn an_empty_log_stays_unchanged() {
    for log in ["", "\n", " \n\t\n\r\n"] {
        let repo = team(log);
        let head = repo.head();
        assert_eq!(repo.dream_json(&[])["entries"], json!(0));
        assert_eq!((repo.text(LOG).as_str(), repo.head()), (log, head));
    }
}

#[test]
fn rows_of_a_megabyte_are_processed() {
    let huge = "x".repeat(1 << 20);
    let repo = team(
        row("huge", 1, &huge, 9) + &row("huge2", 1, &huge, 9) + &row("old", 100, &huge, 1) + &huge + "\n" + &rows(),
    );
    let did = repo.dream_json(&[]);
    assert_eq!((&did["written"], &did["archived"]), (&json!(["huge", "a1"]), &json!(["old", "old1", "old2"])));
    assert!(repo.text(LESSONS).len() < 5_000);
    assert!(repo.read(QUARANTINE).len() > 1 << 20);
    assert_eq!(repo.dream_json(&[])["written"], json!([]));
}

#[test]
fn rows_with_unusual_bytes_are_kept_or_quarantined() {
    let separators = row("sep", 1, "a\u{2028}b\u{85}c", 9) + &row("sep2", 1, "a\u{2028}b\u{85}c", 9);
    let crlf = row("crlf", 1, "c", 1).replace('\n', "\r\n");
    let nul = "{\"timestamp\": \"2026-05-01\", \"action\": \"\0\"}\n";
    let repo = team(separators.clone() + &crlf + nul + "\0\0\0\n" + &row("old", 100, "o", 1).replace('\n', "\r\n"));
    let did = repo.dream_json(&[]);
    let reasons: Vec<&str> =
        did["invalid"].as_array().unwrap().iter().map(|bad| bad["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["a NUL byte at byte 40 of the line", "a NUL byte at byte 1 of the line"]);
    assert_eq!(repo.text(LOG), separators + &crlf);
    let lessons = repo.text(LESSONS);
    assert!(lessons.contains("- a b c teaches (episodes: sep, sep2; pattern "), "{lessons}");
}

#[test]
fn valid_timestamps_are_archived_by_their_utc_month_and_invalid_ones_quarantined() {
    let at = |stamp: &str| format!("{{\"timestamp\": \"{stamp}\", \"action\": \"{stamp}\", \"pain_score\": 1}}\n");
    let log = [
        at("2026-01-01T00:00:00"),
        at("2026-01-01T00:00:00Z"),
        at("2026-01-01T00:00:00+14:00"),
        at("2099-01-01T00:00:00Z"),
        at("2026-01-01"),
        at("last week"),
        at("0000-00-00T00:00:00Z"),
        at("2026-02-30T00:00:00Z"),
    ];
    let repo = team(log.concat());
    let did = repo.dream_json(&[]);
    assert_eq!((did["archived"].as_array().unwrap().len(), did["kept"].clone()), (4, json!(1)));
    assert_eq!(did["invalid"].as_array().unwrap().len(), 3);
    // Each row is archived in the file of its UTC month.
    assert_eq!(repo.text("agent/memory/episodic/snapshots/2025-12.jsonl"), log[2]);
}

#[test]
fn scores_that_are_not_finite_numbers_are_invalid() {
    let row = |score: &str| format!("{{\"timestamp\": \"2026-04-30\", \"action\": \"a\", \"pain_score\": {score}}}\n");
    let log: String = ["\"8\"", "null", "true", "[]", "1e999", "-5", "0.1", "99999999999999999999"].map(row).concat();
    let did = team(log).dream_json(&["--dry-run"]);
    assert_eq!((&did["entries"], did["invalid"].as_array().unwrap().len()), (&json!(4), 4));
}

#[test]
fn unreadable_lessons_stop_a_dream_without_changes() {
    let repo = team(rows());
    repo.write(LESSONS, b"# Ours\n\xff\n");
    repo.dream(&[]).expect(65).says(&["LESSONS.md:2", "UTF-8"]);
    assert_eq!(repo.text(LOG), rows());
    let repo = team(rows());
    repo.write(&format!("{LESSONS}/file"), "");
    repo.dream(&[]).expect(65);
    let repo = team("");
    repo.remove(LOG);
    repo.write(&format!("{LOG}/file"), "");
    repo.dream(&[]).expect(65).says(&[LOG, "is a directory"]);
}

#[test]
fn an_invalid_config_stops_a_dream_without_changes() {
    let repo = team(rows());
    repo.write("agent/canonry.yaml", "memory: {half_life_days: -1}\n");
    repo.dream(&[]).expect(65).says(&["half_life_days"]);
    repo.write("agent/canonry.yaml", "memory: {promote_art: 1}\n");
    repo.dream(&[]).expect(65).says(&["promote_at"]);
}

#[test]
fn a_journal_of_another_version_stops_a_dream() {
    let repo = team(rows());
    repo.write(".git/canonry/journal", "log {\"files\": 7}\n");
    repo.dream(&[]).expect(70).says(&["canonry/journal"]);
    assert_eq!(repo.text(LOG), rows());
}

#[test]
#[ignore = "needs root, to mount a file system"]
fn needs_mount_a_full_disk_loses_no_row() {
    let small = Small::mount("4m");
    let repo = Repo::at(tempfile::tempdir_in(small.0.path()).unwrap());
    repo.skill("alpha");
    let old: String = (0..2_000).map(|n| row(&format!("o{n}"), 100, "old", 1)).collect();
    repo.write(LOG, old.clone() + &rows());
    repo.commit_all("begin");
    let ballast = repo.home().join("ballast");
    fill(&ballast);
    // Less space than the snapshot needs, then about as much as the whole run needs, so that it may fail anywhere.
    for free in [0_u64, 60, 200, 340, 380, 420, 460, 500, 600] {
        let kept = ballast.metadata().unwrap().len().saturating_sub(free * 1024);
        std::fs::File::options().write(true).open(&ballast).unwrap().set_len(kept).unwrap();
        let ran = repo.canonry(&["dream", "--now", NOW]);
        assert!(ran.status == 70 || free > 300 && ran.status == 0, "{free}: {ran:?}");
        assert!(repo.lines().values().all(|count| *count == 1), "{free}");
        assert_eq!(repo.lines().len(), 2_005, "{free}");
    }
    std::fs::remove_file(&ballast).unwrap();
    repo.canonry(&["dream", "--now", NOW]).expect(0);
    assert_eq!(repo.lines().len(), 2_005);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["log", "--format=%s"]), "dream cycle: promoted 1, decayed 2002, kept 3\nbegin");
}

#[test]
fn a_log_of_dreams_that_cannot_be_read_is_reported() {
    let repo = team(rows());
    std::fs::create_dir_all(repo.path(".git/canonry/dreams.log")).unwrap();
    let says = "the log of dreams cannot be read";
    repo.memory(&["status"]).expect(65).says(&[says]);
    let checked = repo.canonry(&["check"]);
    assert!(checked.stderr.contains(says), "{}", checked.stderr);
}

/// The night itself cannot say it: cron's mail may go nowhere.
#[test]
fn a_night_with_an_invalid_config_is_reported_once_the_config_is_valid() {
    let repo = team(rows());
    repo.write("agent/canonry.yaml", "memory: {half_life_days: -1}\n");
    repo.dream(&["--dry-run"]).expect(65);
    assert!(!repo.path(".git/canonry/dreams.log").exists());
    let before = repo.tree();
    repo.dream(&[]).expect(65);
    assert_same(&repo.tree(), &before, "a refused night");
    let record = repo.text(".git/canonry/dreams.log");
    assert!(record.starts_with("2026-05-01T03:00:00Z failed (unreadable input): "), "{record}");
    assert!(record.lines().count() == 1 && record.contains("half_life_days"), "{record}");
    repo.write("agent/canonry.yaml", "memory: {half_life_days: 30}\n");
    let status = repo.memory(&["status"]).expect(0).stdout;
    assert!(status.contains("half_life_days"), "{status}");
    let checked = repo.canonry(&["check"]);
    assert!(checked.stderr.contains("half_life_days"), "{}", checked.stderr);
    repo.dream(&[]).expect(0);
    let status = repo.memory(&["status"]).expect(0).stdout;
    assert!(!status.contains("half_life_days"), "{status}");
}
