//! Accepting a lesson as a rule, and undoing it, in repositories on disk.

use super::*;
use crate::memory::decide::{
    self, AcceptOptions, CandidateSelection, DecideCandidatesRequest, DecidedCandidates, ReviewVerdict,
};
use crate::memory::undo::{self, UndoRequest};
use crate::{Environment, Quiet};
use canonry_repo::view::Basis;
use canonry_testing::markdown::documents;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const CANDIDATE: &str = "4f0c1a2b3c4d5e6f";
const STAGED: &str = "{\"event\":\"staged\",\"candidate\":\"4f0c1a2b3c4d5e6f\",\"kind\":\"lesson\",\"date\":\"2026-05-01\",\"text\":\"Use tabs.\",\"episodes\":[\"a1\"],\"of\":1}";

fn repository(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    gix::init(folder.path()).unwrap();
    let config = folder.path().join(".git/config");
    let settings = fs::read_to_string(&config).unwrap();
    fs::write(config, settings + "[user]\n\tname = Ann\n\temail = ann@example.com\n").unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn open(folder: &Path) -> Workspace {
    let env = Environment { cwd: folder.to_owned(), ..Environment::isolated() };
    Workspace::open(&env, &Basis::WorkTree).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder.join("agent")).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().display().to_string(), fs::read(entry.path()).unwrap())).collect()
}

fn accept(folder: &Path, destination: RuleDestination) -> Result<DecidedCandidates, Error> {
    let [action, scope, root_cause] = ["Use tabs.", "makefiles", "make reads spaces as text"].map(str::to_owned);
    let placement = Placement { destination, file: None, rule: LessonRule { action, scope, root_cause } };
    let options = AcceptOptions { placement: Some(placement), ..AcceptOptions::default() };
    let request = DecideCandidatesRequest {
        selection: CandidateSelection::Named(vec![CANDIDATE.to_owned()]),
        verdict: ReviewVerdict::Accept(options),
        reason: "agreed".to_owned(),
        no_commit: true,
        now: None,
    };
    decide::run(&open(folder), &request, &Quiet)
}

fn undo_last(folder: &Path) {
    undo::run(&open(folder), &UndoRequest { dry_run: false, no_commit: true }, &Quiet).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(canonry_testing::cases(24)))]

    #[test]
    fn accepting_and_undoing_restores_every_byte(text in documents(), queue_is_open in any::<bool>(), at in 0..3usize) {
        let queue = if queue_is_open { STAGED.to_owned() } else { format!("{STAGED}\n") };
        let path = ["agent/policies/WORKFLOW.md", "agent/AGENTS.md", "agent/skills/deploy/KNOWLEDGE.md"][at];
        let destination = [RuleDestination::Policy, RuleDestination::Agents, RuleDestination::Skill("deploy".to_owned())][at].clone();
        let skill = "---\nname: deploy\ndescription: Deploy.\n---\n\nDeploy.\n";
        let folder = repository(&[
            ("agent/skills/deploy/SKILL.md", skill.as_bytes()),
            ("agent/memory/semantic/REVIEW.jsonl", queue.as_bytes()),
            (path, text.as_bytes()),
        ]);
        let folder = folder.path();
        let before = files(folder);
        match accept(folder, destination.clone()) {
            Ok(outcome) => {
                let placed = outcome.decided[0].placed.clone().unwrap();
                let now = fs::read_to_string(folder.join(path)).unwrap();
                prop_assert_eq!(placed.existing_line.is_some(), now == text);
                prop_assert_eq!(accept(folder, destination).unwrap_err().kind, ErrorKind::Refused);
                // A later edit elsewhere stays.
                fs::write(folder.join(path), format!("{now}later\n")).unwrap();
                undo_last(folder);
                prop_assert_eq!(fs::read_to_string(folder.join(path)).unwrap(), format!("{text}later\n"));
                fs::write(folder.join(path), &text).unwrap();
            }
            Err(error) => prop_assert_eq!(error.kind, ErrorKind::Refused, "{}", error),
        }
        prop_assert_eq!(files(folder), before);
    }
}

#[test]
fn decisions_are_undone_one_by_one() {
    let second = STAGED.replace(CANDIDATE, "4f0c1a2b3c4d5e70").replace("Use tabs", "Add tests");
    let queue = format!("{STAGED}\n{second}\n");
    let folder = repository(&[
        ("agent/AGENTS.md", b"# Map\n"),
        ("agent/policies/WORKFLOW.md", b"# Workflow\n"),
        ("agent/memory/semantic/REVIEW.jsonl", queue.as_bytes()),
    ]);
    let folder = folder.path();
    fs::create_dir_all(folder.join("agent/skills")).unwrap();
    let before = files(folder);
    accept(folder, RuleDestination::Agents).unwrap();
    let first = files(folder);
    let placement = Placement {
        destination: RuleDestination::Policy,
        file: Some("agent/policies/WORKFLOW.md".to_owned()),
        rule: LessonRule { action: "Add tests".into(), scope: "changes".into(), root_cause: "no tests".into() },
    };
    let request = DecideCandidatesRequest {
        selection: CandidateSelection::Named(vec!["4f0c1a2b3c4d5e70".to_owned()]),
        verdict: ReviewVerdict::Accept(AcceptOptions { placement: Some(placement), ..AcceptOptions::default() }),
        reason: "agreed".to_owned(),
        no_commit: true,
        now: None,
    };
    decide::run(&open(folder), &request, &Quiet).unwrap();
    assert_ne!(files(folder), first);
    undo_last(folder);
    assert_eq!(files(folder), first);
    undo_last(folder);
    assert_eq!(files(folder), before);
    let nothing = undo::run(&open(folder), &UndoRequest::default(), &Quiet);
    assert_eq!(nothing.err().map(|error| error.kind), Some(ErrorKind::Refused));
}
