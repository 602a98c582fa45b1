//! Proposals in a repository on disk.

use super::*;
use crate::Environment;
use canonry_repo::view::Basis;
use std::fs;
use std::path::Path;

const NOW: &str = "2026-05-02T03:00:00Z";

fn workspace(folder: &Path) -> Workspace {
    if gix::discover(folder).is_err() {
        gix::init(folder).unwrap();
        fs::create_dir_all(folder.join("agent/skills")).unwrap();
    }
    let env = Environment { cwd: folder.to_owned(), ..Environment::isolated() };
    Workspace::open(&env, &Basis::WorkTree).unwrap()
}

fn occurrence(run: &str, at: &str, reason: &str) -> Occurrence {
    let at = Timestamp::parse(at).unwrap();
    Occurrence { run: run.to_owned(), step: "review".to_owned(), at, reason: reason.to_owned() }
}

fn propose(folder: &Path, text: &str, occurrences: &[Occurrence]) -> ProposedLessons {
    let proposals = vec![LessonProposal { text: text.to_owned(), occurrences: occurrences.to_vec() }];
    let request = ProposeLessonsRequest { proposals, no_commit: true, now: Timestamp::parse(NOW) };
    run(&workspace(folder), &request, &Quiet).unwrap()
}

fn rows(folder: &Path, path: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(path)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const QUEUE: &str = "agent/memory/semantic/REVIEW.jsonl";

#[test]
fn a_proposal_is_staged_with_its_episodes_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let twice = [
        occurrence("r1", "2026-05-01T03:00:00Z", "no tests"),
        occurrence("r2", "2026-05-01T04:00:00Z", "the tests are missing"),
    ];
    let first = propose(folder, "Add tests before\nthe review.", &twice);
    assert_eq!((first.logged, first.lessons[0].state), (2, ProposalState::Staged));
    assert_eq!(first.lessons[0].text, "Add tests before the review.");
    let log = rows(folder, LOG);
    let queue = rows(folder, QUEUE);
    assert_eq!((log.len(), queue.len()), (2, 1));
    assert_eq!(log[0]["detail"], "no tests");
    assert_eq!(log[0]["reflection"], "Add tests before\nthe review.");
    assert_eq!(queue[0]["episodes"], serde_json::json!([log[1]["id"], log[0]["id"]]), "the latest comes first");
    assert_eq!((&queue[0]["kind"], &queue[0]["of"]), (&"lesson".into(), &2.into()));
    assert_eq!(queue[0]["candidate"], first.lessons[0].candidate);

    let again = propose(folder, "add tests before the review", &twice);
    assert_eq!((again.logged, again.lessons[0].state), (0, ProposalState::Pending));
    assert_eq!((rows(folder, LOG), rows(folder, QUEUE)), (log, queue));
    let third = [occurrence("r3", "2026-05-01T05:00:00Z", "no tests")];
    let more = propose(folder, "Add tests before the review.", &third);
    assert_eq!((more.logged, more.lessons[0].state, rows(folder, QUEUE).len()), (1, ProposalState::Pending, 1));
}

#[test]
fn an_archived_episode_is_not_logged_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let old = [occurrence("r1", "2026-01-31T23:00:00Z", "no tests")];
    propose(folder, "Add tests.", &old);
    let snapshots = folder.join("agent/memory/episodic/snapshots");
    fs::create_dir_all(&snapshots).unwrap();
    fs::rename(folder.join(LOG), snapshots.join("2026-01.jsonl")).unwrap();
    assert_eq!(propose(folder, "Add tests.", &old).logged, 0);
    assert_eq!(rows(folder, LOG).len(), 0);
}

#[test]
fn a_lesson_that_is_decided_or_written_is_not_staged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("agent/memory/semantic")).unwrap();
    fs::write(folder.join("agent/memory/semantic/LESSONS.md"), "# Lessons\n\n- Use tabs.\n").unwrap();
    let known = propose(folder, "use tabs", &[]);
    assert_eq!((known.lessons[0].state, rows(folder, QUEUE).len()), (ProposalState::Accepted, 0));
    let name = propose(folder, "Add tests.", &[]).lessons[0].candidate.clone();
    let rejected = format!(
        "{{\"event\":\"rejected\",\"candidate\":\"{name}\",\"timestamp\":\"{NOW}\",\"by\":\"a\",\"reason\":\"no\"}}\n"
    );
    let queue = fs::read_to_string(folder.join(QUEUE)).unwrap();
    fs::write(folder.join(QUEUE), queue + &rejected).unwrap();
    assert_eq!(propose(folder, "Add tests.", &[]).lessons[0].state, ProposalState::Rejected);
}

#[test]
fn secrets_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let token = ["gh", "p_", &"a1B2c3D4e5".repeat(4)[..36]].concat();
    let reason = occurrence("r1", "2026-05-01T03:00:00Z", &format!("it printed {token}"));
    propose(folder, &format!("Never print {token}."), &[reason]);
    for path in [LOG, QUEUE] {
        assert!(!fs::read_to_string(folder.join(path)).unwrap().contains(&token), "{path}");
    }
}
