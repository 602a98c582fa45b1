//! No file content causes a panic, a hang, or a span outside of the text.
//!
//! Inputs are mutated fixtures: bytes, lines and tokens are moved, duplicated, removed and inserted. Each target has
//! a fixed seed, so a failure is reproducible. `.ci/nightly` runs each target for a minute.

mod hooks;
mod mutate;
mod review;

use crate::tests::files::Files;
use canonry_agents::json::JsonSettings;
use canonry_agents::{ToolFileRequest, ToolFileSources, block, desired_tool_files, sidecar};
use canonry_lint::Profile;
use canonry_memory::lessons::{LessonCandidate, append_lessons, select_new};
use canonry_memory::{ParsedLog, Ruleset};
use canonry_mirror::Lock;
use canonry_model::canon::Layout;
use canonry_model::canon::episode::Episode;
use canonry_model::config::Config;
use canonry_text::{RepoPath, Source, Span, frontmatter, json, markdown, yaml};
use mutate::Mutator;
use serde_json::Value;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A longer run on one input of a few kilobytes is a hang on any machine.
const HANG: Duration = Duration::from_secs(20);

/// Inputs per target, unless `CANONRY_FUZZ_SECONDS` sets a time instead.
const INPUTS: usize = 100;

fn time_limit() -> Option<Duration> {
    let seconds = std::env::var("CANONRY_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().unwrap()))
}

/// Runs a target on one input after another. Reports the input of a panic or a hang.
fn fuzz(seeds: &[Vec<u8>], seed: u64, target: fn(&[u8])) {
    let mut mutator = Mutator::new(seeds, seed);
    let begin = Instant::now();
    let limit = time_limit();
    let (to, inputs) = mpsc::channel::<Vec<u8>>();
    let (done, ends) = mpsc::channel();
    // The product's workers have stacks of this size, too.
    let worker = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for input in inputs {
            target(&input);
            done.send(()).unwrap();
        }
    });
    let mut count = 0;
    while limit.map_or(count < INPUTS, |limit| begin.elapsed() < limit) {
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
}

/// Fixture files with one of these path suffixes, up to some kilobytes each.
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

/// Checks a repository with this file, and the locations of all findings.
fn check(path: &str, bytes: &[u8]) {
    let mut files = Files::default();
    files.add(path, bytes);
    for profile in [Profile::Team, Profile::Spec] {
        for finding in files.findings(profile) {
            let places = finding.related.iter().map(|related| &related.location);
            for place in places.chain([&finding.location]) {
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
    fuzz(&seeds(&["SKILL.md"]), 1, |bytes| check("agent/skills/release-notes/SKILL.md", bytes));
}

#[test]
fn plans() {
    fuzz(&seeds(&["plan.yaml"]), 2, |bytes| check("agent/plans/p/plan.yaml", bytes));
}

#[test]
fn reports() {
    fuzz(&seeds(&[".1.json"]), 3, |bytes| check("agent/reports/p/step.1.json", bytes));
}

#[test]
fn logs() {
    fuzz(&seeds(&[".jsonl"]), 4, |bytes| {
        check("agent/memory/episodic/AGENT_LEARNINGS.jsonl", bytes);
        for dialect in [Ruleset::Current, Ruleset::Seed] {
            let log = ParsedLog::parse(bytes, dialect);
            let rows = log.rows.iter().map(|row| row.extent);
            let extents = rows.chain(log.invalid.iter().map(|line| line.extent));
            assert!(extents.map(|extent| extent.length).sum::<u64>() <= bytes.len() as u64);
        }
        bytes.split(|b| *b == b'\n').for_each(|line| drop(Episode::parse(line)));
    });
}

#[test]
fn memory() {
    fuzz(&seeds(&["LESSONS.md", "WORKFLOW.md"]), 5, |bytes| {
        check("agent/memory/semantic/LESSONS.md", bytes);
        text(bytes, |text| {
            let candidates = [LessonCandidate {
                text: text.to_owned(),
                episodes: vec!["1".to_owned()],
                total: 1,
                pattern: None,
                salience: None,
            }];
            let append = |text: &str| {
                append_lessons(text, &candidates, select_new(text, &candidates, Ruleset::Current), "2026-05-01")
            };
            let added = append(text);
            let again = append(&(text.to_owned() + &added.text));
            assert_eq!(again.text, "", "a lesson is added once");
        });
    });
}

#[test]
fn schemas() {
    fuzz(&seeds(&["schema.json"]), 6, |bytes| text(bytes, |_| check("agent/schemas/plan-schema.json", bytes)));
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

/// User settings: removing an inserted value restores the text, and unreadable text is left alone.
#[test]
fn settings() {
    let odd: &[u8] = b"\xef\xbb\xbf// x\r\n{\r\n\t\"a\": {\"b\": [1, /* c */ 2,],}, // d\r\n\t\"hooks\": []\r\n}";
    let seeds = [seeds(&[".schema.json", ".1.json"]), vec![odd.to_vec()]].concat();
    fuzz(&seeds, 20, |bytes| {
        text(bytes, |text| {
            let Ok(mut settings) = JsonSettings::parse(text) else { return };
            let path = ["canonry-fuzz".to_owned(), "x".to_owned()];
            let made = settings.set(&path, &Value::from("v")).unwrap();
            settings.remove(&path).unwrap();
            made.iter().rev().for_each(|created| settings.remove(&created.path).unwrap());
            assert_eq!(settings.text(), text);
        });
    });
}

/// Canon files that tool files are generated from, and texts with a managed block.
#[test]
fn tool_file_sources() {
    let servers: &[u8] = br#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${K:-d}"}}, "b": {"url": "u", "headers": {"A": "Bearer ${T}"}}}}"#;
    let block: &[u8] = b"# Mine\r\n\r\n<!-- >>> canonry >>> -->\r\n@AGENTS.md\r\n<!-- <<< canonry <<< -->\r\n";
    let seeds = [seeds(&["permissions.md", "SKILL.md"]), vec![servers.to_vec(), block.to_vec()]].concat();
    fuzz(&seeds, 21, |bytes| {
        let on = "files: {claude: {context: copy, mcp: true, permissions: true, subagents: true, commands: true}, \
                  gemini: {mcp: true, permissions: true, subagents: true, commands: true}, codex: {mcp: true, permissions: true, \
                  subagents: true}, cursor: {context: true, mcp: true, permissions: true}, antigravity: {context: true, mcp: true}}";
        let config = Config::parse(&Source::new(RepoPath::from("canonry.yaml"), on.to_owned()), &[]).unwrap();
        let layout = Layout::default();
        let mut sources = ToolFileSources::default();
        for path in
            ["AGENTS.md", "mcp.json", "protocols/permissions.md", "policies/a.md", "agents/a.md", "commands/a.md"]
        {
            sources.add(RepoPath::from("agent").join(path), Ok(bytes.to_vec()));
        }
        desired_tool_files(&ToolFileRequest {
            layout: &layout,
            files: &config.files,
            targets: &[],
            mirrors: &[],
            sources: &sources,
            available_skills: None,
            hook_failure: canonry_model::config::HookFailMode::Closed,
        });
        drop(sidecar::sidecar(&String::from_utf8_lossy(bytes)));
        text(bytes, |text| {
            if let Ok(made) = block::insert(text, block::BlockMarkers::Markdown, "x\n") {
                assert_eq!(block::find(&made, block::BlockMarkers::Markdown).unwrap().unwrap().inner, "x\n");
                block::remove(&made, block::BlockMarkers::Markdown).unwrap();
            }
        });
    });
}
