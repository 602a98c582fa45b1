//! Whatever a file holds: no panic, no hang, and every span lies in its text.
//!
//! Inputs are the fixtures' own files with bytes, lines and tokens moved, doubled, cut and put in. Each target runs for
//! `CANONRY_FUZZ_SECONDS` (1 by default; CI gives it more), from a seed of its own, so that what fails fails again.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[path = "../common/mod.rs"]
mod common;
mod mutate;

use canonry::canon::episode::Episode;
use canonry::config::Config;
use canonry::memory::lessons::{Candidate, append};
use canonry::memory::{Chunk, Dialect, scan};
use canonry::mirror::Lock;
use canonry::rules::Profile;
use canonry::syntax::{RepoPath, Source, Span, frontmatter, json, markdown, yaml};
use common::memory::Files;
use mutate::Mutator;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longer than this on one input of some kilobytes is a hang, on any machine.
const HANG: Duration = Duration::from_secs(20);

fn seconds() -> u64 {
    std::env::var("CANONRY_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1)
}

/// Runs a target on one input after the other; one that does not come back is told with its input.
fn fuzz(seeds: &[Vec<u8>], seed: u64, target: fn(&[u8])) {
    let mut mutator = Mutator::new(seeds, seed);
    let end = Instant::now() + Duration::from_secs(seconds());
    let (to, inputs) = mpsc::channel::<Vec<u8>>();
    let (done, ends) = mpsc::channel();
    // The stack of a worker of the program itself, not that of a main thread.
    let worker = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for input in inputs {
            target(&input);
            done.send(()).unwrap();
        }
    });
    let mut count = 0_u64;
    while Instant::now() < end {
        let input = mutator.input();
        to.send(input.clone()).unwrap();
        match ends.recv_timeout(HANG) {
            Ok(()) => count += 1,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs on {:?}", input.escape_ascii().to_string()),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("panics on {:?}", input.escape_ascii().to_string()),
        }
    }
    drop(to);
    worker.unwrap().join().unwrap();
    eprintln!("{count} inputs");
}

/// Files of the fixtures whose path ends so, at most some kilobytes each.
fn seeds(ends: &[&str]) -> Vec<Vec<u8>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let wanted = files.filter(|file| {
        file.file_type().is_file()
            && ends.iter().any(|end| file.path().to_str().is_some_and(|path| path.ends_with(end)))
    });
    let read = wanted.map(|file| std::fs::read(file.path()).unwrap()).filter(|bytes| bytes.len() < 8_000);
    let seeds: Vec<Vec<u8>> = read.collect();
    assert!(!seeds.is_empty(), "{ends:?}");
    seeds
}

#[track_caller]
fn inside(span: Span, text: &str) {
    assert!(span.end() <= text.len(), "{span:?} of {}", text.len());
    assert!(text.is_char_boundary(span.offset) && text.is_char_boundary(span.end()), "{span:?}");
}

/// All that the rules say of a repository with this file.
fn judged(path: &str, bytes: &[u8]) {
    let mut files = Files::default();
    files.add(path, bytes);
    for profile in [Profile::Team, Profile::Spec] {
        for finding in files.findings(profile) {
            let places = finding.draft.related.iter().map(|related| &related.place);
            for place in places.chain([&finding.draft.place]) {
                assert!(place.position.line > 0 && place.position.column > 0);
                if let Some(source) = &place.source {
                    inside(place.span, source.text());
                }
            }
        }
    }
}

fn text(bytes: &[u8], check: impl Fn(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        check(text);
    }
}

#[test]
fn skills() {
    fuzz(&seeds(&["SKILL.md"]), 1, |bytes| judged("agent/skills/release-notes/SKILL.md", bytes));
}

#[test]
fn plans() {
    fuzz(&seeds(&["plan.yaml"]), 2, |bytes| judged("agent/plans/p/plan.yaml", bytes));
}

#[test]
fn reports() {
    fuzz(&seeds(&[".1.json"]), 3, |bytes| judged("agent/reports/p/step.1.json", bytes));
}

#[test]
fn logs() {
    fuzz(&seeds(&[".jsonl"]), 4, |bytes| {
        judged("agent/memory/episodic/AGENT_LEARNINGS.jsonl", bytes);
        for dialect in [Dialect::Repaired, Dialect::Seed] {
            let chunk = Chunk { bytes, offset: 0, lines: 0 };
            let extents: u64 = scan(chunk, dialect)
                .iter()
                .map(|line| line.as_ref().map_or_else(|bad| bad.extent, |row| row.extent).length)
                .sum();
            assert!(extents <= bytes.len() as u64);
        }
        bytes.split(|b| *b == b'\n').for_each(|line| drop(Episode::parse(line)));
    });
}

#[test]
fn memory() {
    fuzz(&seeds(&["LESSONS.md", "WORKFLOW.md"]), 5, |bytes| {
        judged("agent/memory/semantic/LESSONS.md", bytes);
        text(bytes, |text| {
            let candidates = [Candidate { text: text.to_owned(), ids: vec!["1".to_owned()] }];
            let added = append(text, &candidates, "2026-05-01", Dialect::Repaired);
            let again = append(&(text.to_owned() + &added.text), &candidates, "2026-05-01", Dialect::Repaired);
            assert_eq!(again.text, "", "a lesson is written once");
        });
    });
}

#[test]
fn schemas() {
    fuzz(&seeds(&["schema.json"]), 6, |bytes| text(bytes, |_| judged("agent/schemas/plan-schema.json", bytes)));
}

#[test]
fn yaml_and_frontmatter() {
    fuzz(&seeds(&[".yaml", "SKILL.md"]), 7, |bytes| {
        text(bytes, |text| {
            match yaml::parse(text, 0) {
                Ok(document) => inside(document.root.span, text),
                Err(error) => inside(error.span, text),
            }
            drop(frontmatter::split(text));
        });
    });
}

#[test]
fn json_texts() {
    fuzz(&seeds(&[".json", ".jsonl"]), 8, |bytes| {
        text(bytes, |text| match json::parse(text, 0) {
            Ok(document) => inside(document.root.span, text),
            Err(error) => inside(error.span, text),
        });
    });
}

#[test]
fn markdown_bodies() {
    fuzz(&seeds(&[".md"]), 9, |bytes| {
        text(bytes, |text| {
            let outline = markdown::outline(text, 0);
            outline.links.iter().for_each(|link| inside(link.span, text));
            outline.comments.iter().for_each(|span| inside(*span, text));
            markdown::is_plain_item(text);
        });
    });
}

#[test]
fn configs() {
    let seeds = [b"root: .agent\ntargets: [claude, agents]\nrules:\n  broken-link: 'off'\nmemory: {half_life_days: 3, weights: {pain: 2}}\n".to_vec()];
    fuzz(&seeds, 10, |bytes| {
        text(bytes, |text| {
            let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
            for problem in Config::parse(&source, &["broken-link"]).err().into_iter().flatten() {
                inside(problem.span, text);
            }
        });
    });
}

#[test]
fn locks() {
    let id = "5b8c1d0e6f0a4b3c2d1e0f9a8b7c6d5e4f3a2b1c";
    let seeds =
        [format!("# head\n{id} 100644 .claude/skills/a/SKILL.md\n{id} 120000 .codex/skills/b/x\n").into_bytes()];
    fuzz(&seeds, 11, |bytes| {
        if let Ok(lock) = Lock::parse(bytes) {
            assert_eq!(Lock::parse(&lock.to_text()).ok().map(|again| again.to_text()), Some(lock.to_text()));
        }
    });
}
