//! `--compat seed` against the golden rows of the oracle.

use crate::dream::team::{LOG, team};
use crate::support::repo::Repo;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("CANONRY_SHARED").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let has_python = Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if folder.join("bench/gen_episodes.py").is_file() && has_python {
        return Some(folder);
    }
    eprintln!("skipped: the oracle, or python3, is not here");
    None
}

fn generate(shared: &std::path::Path, args: &[&str]) -> Vec<u8> {
    let made = Command::new("python3").arg(shared.join("bench/gen_episodes.py")).args(args).output().unwrap();
    assert!(made.status.success());
    made.stdout
}

/// The count, and the first digits of the SHA-256 of the ids, one a line.
fn told(ids: &[String]) -> String {
    let mut python = Command::new("python3")
        .args(["-c", "import hashlib,sys;print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:8])"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()).unwrap();
    let out = python.wait_with_output().unwrap();
    format!("{}:{}", ids.len(), String::from_utf8(out.stdout).unwrap().trim())
}

fn ids(value: &serde_json::Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// From the files as they are after a real run.
fn kept(repo: &Repo) -> Vec<String> {
    let log = repo.read(LOG);
    let id = |(at, line): (usize, &[u8])| {
        let row: serde_json::Value = serde_json::from_slice(line).unwrap();
        row["id"].as_str().map_or_else(|| format!("L{}", at + 1), str::to_owned)
    };
    log.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()).map(id).collect()
}

#[test]
fn every_golden_row() {
    let Some(shared) = shared() else { return };
    let table = std::fs::read_to_string(shared.join("cases/memory/expected_oracle.tsv")).unwrap();
    // Rows for the clamped variant expect what the plain ones do.
    let mut rows: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for line in table.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (wanted, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.contains('='));
        rows.push((words[..2].to_vec(), wanted));
    }
    assert_eq!(rows.len(), 20);
    rows.sort();
    for same in rows.chunk_by(|a, b| a.0 == b.0) {
        assert!(same.iter().all(|row| row.1 == same[0].1));
        let [style, count] = same[0].0[..] else { panic!("{same:?}") };
        let args: &[&str] = if style == "dirty" { &[count, "--dirty"] } else { &[count, "--style", style] };
        let repo = team(generate(&shared, args));
        let did = repo.dreamt(&["--compat", "seed"]);
        let invalid: Vec<String> =
            did["invalid"].as_array().unwrap().iter().map(|b| format!("L{}", b["line"])).collect();
        for wanted in &same[0].1 {
            let (field, want) = wanted.split_once('=').unwrap();
            let got = match field {
                "kept" => told(&kept(&repo)),
                "invalid" => told(&invalid),
                field => told(&ids(&did[field])),
            };
            assert_eq!(got, want, "{style} {count}: {field}");
        }
        let counts = ["promoted", "archived"].map(|field| did[field].as_array().unwrap().len());
        let message = format!("dream cycle: promoted {}, decayed {}, kept {}", counts[0], counts[1], did["kept"]);
        assert_eq!(repo.git(&["log", "-1", "--format=%s"]), message);
    }
}

/// Other seeds, without ids, with lessons there already.
#[test]
fn the_oracle_itself() {
    let Some(shared) = shared() else { return };
    for (seed, style) in [("1", "mixed"), ("2", "curated"), ("3", "hook"), ("4", "unique")] {
        let log = generate(&shared, &["4000", "--dirty", "--no-id", "--full", "--seed", seed, "--style", style]);
        let repo = team(log);
        let lessons = "- run the failing test alone before touching the fix because the\n- Edited\n";
        repo.write(crate::dream::team::LESSONS, lessons);
        let mut oracle = Command::new("python3");
        oracle.arg(shared.join("bench/oracle_dream.py")).arg(repo.path(LOG)).args([
            "--now",
            crate::dream::team::NOW,
            "--ids",
        ]);
        let out = oracle.arg("--lessons").arg(repo.path(crate::dream::team::LESSONS)).output().unwrap();
        let want: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let got = repo.dreamt(&["--compat", "seed", "--dry-run"]);
        for field in ["promoted", "written", "archived"] {
            assert_eq!(got[field], want[field]["ids"], "{seed} {style} {field}");
        }
        assert_eq!(got["message"], want["commit"]);
        assert_eq!(got["kept"], want["kept"]["count"]);
    }
}
