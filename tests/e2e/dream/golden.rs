//! `--compat seed` compared with a second implementation of its rules, on generated logs.

use crate::dream::team::{LESSONS, LOG, NOW, team};
use crate::support::episodes::{self, Options, Style};
use crate::support::repo::Repo;
use crate::support::seed_oracle;
use serde_json::Value;

fn ids(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// The ids of the rows that remain in the log after a run.
fn ids_in_log(repo: &Repo) -> Vec<String> {
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    repo.text(LOG).lines().map(id).collect()
}

#[test]
fn dream_with_compat_seed_equals_the_oracle() {
    for (style, rows) in [(Style::Mixed, 10_000), (Style::Curated, 2_000), (Style::Hook, 2_000)] {
        for dirty in [false, true] {
            let log = episodes::log(&Options { dirty, ..Options::new(rows, style) });
            let expected = seed_oracle::dream(std::str::from_utf8(&log).unwrap(), "", NOW);
            assert!(expected.promoted.len() > 2 && expected.archived.len() > 500, "{style:?}: {}", expected.message());
            let repo = team(log);
            let did = repo.dream_json(&["--compat", "seed"]);
            assert_eq!(ids(&did["promoted"]), expected.promoted, "{style:?}");
            assert_eq!(ids(&did["archived"]), expected.archived, "{style:?}");
            assert_eq!(ids_in_log(&repo), expected.kept, "{style:?}");
            let invalid = did["invalid"].as_array().unwrap().iter();
            let invalid: Vec<usize> = invalid.map(|bad| bad["line"].as_u64().unwrap() as usize).collect();
            assert_eq!(invalid, expected.invalid, "{style:?}");
            assert_eq!(repo.git(&["log", "-1", "--format=%s"]), expected.message());
        }
    }
}

#[test]
fn dry_run_with_lessons_and_rows_without_ids_equals_the_oracle() {
    for (seed, style) in [(1, Style::Mixed), (2, Style::Curated), (3, Style::Hook), (4, Style::Unique)] {
        let options = Options { seed, ids: false, source: true, dirty: true, ..Options::new(2_000, style) };
        let log = episodes::log(&options);
        let lessons = "- write the check before the change because a default\n- Edited\n- Ran: make check -C docs\n";
        let expected = seed_oracle::dream(std::str::from_utf8(&log).unwrap(), lessons, NOW);
        let repo = team(log);
        repo.write(LESSONS, lessons);
        let did = repo.dream_json(&["--compat", "seed", "--dry-run"]);
        assert_eq!(ids(&did["promoted"]), expected.promoted, "{style:?}");
        assert_eq!(ids(&did["written"]), expected.written, "{style:?}");
        assert_eq!(ids(&did["archived"]), expected.archived, "{style:?}");
        assert_eq!(did["kept"], expected.kept.len());
        assert_eq!(did["message"], expected.message());
    }
}
