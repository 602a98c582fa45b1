use super::*;
use crate::{Clock, Environment};
use canonry_repo::view::Basis;
use canonry_runs::plan::claim::MAX_CLAIM_TTL;
use std::process::{Child, Command, Stdio};

const START: &str = "2026-05-01T12:00:00Z";

/// A repository, and workspaces on it whose clock shows a number of seconds after the start.
struct Clone {
    folder: tempfile::TempDir,
}

impl Clone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        std::fs::create_dir(folder.path().join("agent")).unwrap();
        std::fs::write(folder.path().join("canonry.yaml"), "plans: {claim_ttl: 100s}\n").unwrap();
        Self { folder }
    }

    fn at(&self, seconds: u64) -> Workspace {
        let clock = Clock::Fixed(Timestamp::parse(START).unwrap().plus(Duration::from_secs(seconds)));
        let env = Environment { cwd: self.folder.path().to_owned(), clock, ..Environment::isolated() };
        Workspace::open(&env, &Basis::WorkTree).unwrap()
    }

    /// Rewrites the claim as one that was made on another machine.
    fn move_elsewhere(&self) {
        let workspace = self.at(0);
        let name = ClaimName::new(workspace.view.base(), "p", "s");
        let store = ClaimStore::known(&workspace).unwrap();
        let stored = store.read(&name).unwrap().unwrap();
        let mut claim = stored.claim.unwrap();
        claim.boot = Some("another".to_owned());
        let new = store.store(&claim).unwrap();
        assert_eq!(store.swap(&name, Some(stored.id), Some(new)).unwrap(), Swap::Done);
    }
}

fn worker(name: &str, pid: Option<u32>) -> Holder {
    Holder { name: name.to_owned(), pid }
}

fn take_at(clone: &Clone, seconds: u64, attempt: u64, holder: &Holder) -> Result<ClaimHandle, Error> {
    take(&clone.at(seconds), "p", "s", ClaimFor::Next(attempt), holder, None)
        .map(|(handle, _)| handle)
        .map_err(Error::from)
}

#[track_caller]
fn assert_held(taken: Result<ClaimHandle, Error>, by: &str) {
    let error = taken.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Contention);
    assert!(error.message.starts_with(&format!("`s` is claimed by {by} (attempt ")), "{error}");
}

fn sleeper() -> Child {
    Command::new("sleep").arg("100").stdin(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_claim_is_held_until_its_time_is_over() {
    let clone = Clone::new();
    let w1 = worker("w1", None);
    let w2 = worker("w2", None);
    let mut first = take_at(&clone, 0, 1, &w1).unwrap();
    let held = take_at(&clone, 99, 1, &w2).unwrap_err();
    assert_eq!(
        held.message,
        "`s` is claimed by w1 (attempt 1) since 2026-05-01T12:00:00Z, until 2026-05-01T12:01:40Z unless it is renewed"
    );
    first.renew(&clone.at(99)).unwrap();
    assert_held(take_at(&clone, 198, 1, &w2), "w1");
    assert!(first.is_current(&clone.at(198)).unwrap());
    let second = take_at(&clone, 199, 2, &w2).unwrap();
    // The late worker is fenced, whatever it does.
    assert!(!first.is_current(&clone.at(199)).unwrap() && second.is_current(&clone.at(199)).unwrap());
    let error = first.renew(&clone.at(199)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Contention);
    assert!(error.message.contains("was taken over by w2 (attempt 2)"), "{error}");
    assert_eq!(first.release(&clone.at(199), None).unwrap_err().kind, ErrorKind::Contention);
    second.release(&clone.at(199), None).unwrap();
    assert!(held_ids(&clone, 199).is_empty());
}

fn held_ids(clone: &Clone, seconds: u64) -> Vec<(String, bool)> {
    let claims = super::held(&clone.at(seconds), "p").unwrap();
    claims.into_iter().map(|(step, claim)| (step, claim.is_free())).collect()
}

#[test]
fn a_token_is_the_claim_in_another_process() {
    let clone = Clone::new();
    let mut handle = take_at(&clone, 0, 1, &worker("w1", None)).unwrap();
    let other = ClaimHandle::from_token(&handle.token()).unwrap();
    assert_eq!(other, handle);
    // A renewal does not change the token.
    handle.renew(&clone.at(50)).unwrap();
    assert!(other.is_current(&clone.at(50)).unwrap());
    assert_eq!(handle.token(), other.token());
    other.release(&clone.at(60), None).unwrap();
    assert!(!handle.is_current(&clone.at(60)).unwrap());
    for text in ["", "p/s", "p/s/short", "p/s/x/0123456789abcdef", "../s/0123456789abcdef", "p/S/0123456789abcdef"] {
        assert_eq!(ClaimHandle::from_token(text).unwrap_err().kind, ErrorKind::Usage, "{text}");
    }
}

#[test]
fn the_same_attempt_is_renewed_and_another_one_is_another_claim() {
    let clone = Clone::new();
    let w1 = worker("w1", None);
    let first = take_at(&clone, 0, 1, &w1).unwrap();
    let again = take_at(&clone, 50, 1, &w1).unwrap();
    assert_eq!(first, again);
    assert_held(take_at(&clone, 149, 1, &worker("w2", None)), "w1");
    let next = take_at(&clone, 60, 2, &w1).unwrap();
    assert!(!first.is_current(&clone.at(60)).unwrap() && next.is_current(&clone.at(60)).unwrap());
}

#[test]
#[cfg(target_os = "linux")]
fn a_claim_is_free_at_once_when_its_process_ends() {
    let clone = Clone::new();
    let mut process = sleeper();
    let first = take_at(&clone, 0, 1, &worker("run", Some(process.id()))).unwrap();
    assert_held(take_at(&clone, 1, 1, &worker("w2", None)), "run");
    // A second run with the same name is a rival.
    assert_held(take_at(&clone, 1, 1, &worker("run", Some(std::process::id()))), "run");
    assert_eq!(held_ids(&clone, 1), [("s".to_owned(), false)]);
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(held_ids(&clone, 1), [("s".to_owned(), true)]);
    let second = take_at(&clone, 1, 1, &worker("run", Some(std::process::id()))).unwrap();
    assert!(!first.is_current(&clone.at(1)).unwrap() && second.is_current(&clone.at(1)).unwrap());
}

#[test]
#[cfg(target_os = "linux")]
fn on_another_machine_only_the_time_since_it_was_seen_counts() {
    let clone = Clone::new();
    let mut process = sleeper();
    take_at(&clone, 0, 1, &worker("w1", Some(process.id()))).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    clone.move_elsewhere();
    let w2 = worker("w2", None);
    // Seen here for the first time long after it was made.
    assert_held(take_at(&clone, 5_000, 1, &w2), "w1");
    assert_held(take_at(&clone, 5_099, 1, &w2), "w1");
    // A claim that its holder has renewed meanwhile begins again.
    let name = ClaimName::new(clone.at(0).view.base(), "p", "s");
    let workspace = clone.at(5_099);
    let store = ClaimStore::known(&workspace).unwrap();
    let stored = store.read(&name).unwrap().unwrap();
    let renewed = store.store(&stored.claim.unwrap().renewed(workspace.env.clock.now(), None)).unwrap();
    store.swap(&name, Some(stored.id), Some(renewed)).unwrap();
    assert_eq!(held_ids(&clone, 5_100), [("s".to_owned(), false)]);
    assert_held(take_at(&clone, 5_199, 1, &w2), "w1");
    assert_eq!(held_ids(&clone, 5_200), [("s".to_owned(), true)]);
    take_at(&clone, 5_200, 1, &w2).unwrap();
}

#[test]
fn claims_are_listed_by_step_without_writing() {
    let clone = Clone::new();
    let workspace = clone.at(0);
    let long = "x".repeat(1_000);
    for step in ["a", "a/b", "A", long.as_str()] {
        take(&workspace, "p", step, ClaimFor::Next(3), &worker("w1", None), None).unwrap();
    }
    take(&workspace, "q", "other", ClaimFor::Next(1), &worker("w1", None), None).unwrap();
    let files = || -> Vec<_> {
        let entries = std::fs::read_dir(clone.folder.path().join(".git/canonry")).unwrap().flatten();
        entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = files();
    let claims = known(&workspace, "p").unwrap();
    assert_eq!(claims.keys().collect::<Vec<_>>(), ["A", "a", "a/b", &long]);
    assert!(claims.values().all(|claim| claim.holder.as_deref() == Some("w1") && claim.attempt == Some(3)));
    assert_eq!(files(), before);
}

#[test]
fn the_config_bounds_the_time_to_live() {
    let clone = Clone::new();
    let request = |ttl| {
        let workspace = clone.at(0);
        let holder = worker("w1", None);
        let request = ClaimRequest {
            plan: "p",
            step: "s",
            attempt: ClaimFor::Next(1),
            holder: &holder,
            file: None,
            ttl,
            renews: true,
        };
        acquire(&workspace, &request).unwrap().1.ttl
    };
    assert_eq!(request(Duration::from_secs(5)), 5);
    assert_eq!(request(MAX_CLAIM_TTL * 2), MAX_CLAIM_TTL.as_secs());
}
