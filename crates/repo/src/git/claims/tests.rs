use super::*;
use crate::git::remote::Pushed;
use canonry_model::canon::timestamp::Timestamp;
use canonry_runs::plan::NewClaim;
use canonry_text::RepoPath;

fn repo() -> (tempfile::TempDir, gix::Repository) {
    let folder = tempfile::tempdir().unwrap();
    let repo = gix::init(folder.path()).unwrap();
    (folder, repo)
}

fn name(plan: &str, step: &str) -> ClaimName {
    ClaimName::new(&RepoPath::default(), plan, step)
}

fn stored(repo: &gix::Repository, holder: &str) -> (ObjectId, Claim) {
    let claim = Claim::new(NewClaim {
        plan: "p",
        step: "s",
        holder,
        host: "h".to_owned(),
        boot: None,
        process: None,
        attempt: 1,
        ttl: Duration::from_secs(60),
        time: Timestamp::parse("2026-05-01T12:00:00Z").unwrap(),
        uptime: None,
        renewals: 0,
        nonce: "0123456789abcdef".to_owned(),
    });
    (store(repo, &claim).unwrap(), claim)
}

#[test]
fn a_claim_moves_only_from_the_expected_object() {
    let (_folder, repo) = repo();
    let step = name("p", "s");
    let (one, claim) = stored(&repo, "w1");
    let (two, _) = stored(&repo, "w2");
    assert_eq!(read(&repo, &step).unwrap(), None);
    assert!(matches!(swap(&repo, &step, Some(one), Some(two)), Err(ClaimError::Moved)));
    assert!(matches!(swap(&repo, &step, Some(one), None), Err(ClaimError::Moved)));
    swap(&repo, &step, None, Some(one)).unwrap();
    assert_eq!(read(&repo, &step).unwrap(), Some(StoredClaim { id: one, claim: Some(claim) }));
    for (expected, new) in [(None, Some(two)), (Some(two), Some(two)), (Some(two), None)] {
        assert!(matches!(swap(&repo, &step, expected, new), Err(ClaimError::Moved)), "{expected:?} {new:?}");
    }
    swap(&repo, &step, Some(one), Some(two)).unwrap();
    swap(&repo, &step, Some(two), None).unwrap();
    assert_eq!(read(&repo, &step).unwrap(), None);
}

#[test]
fn ids_that_look_like_files_and_folders_do_not_conflict() {
    let (_folder, repo) = repo();
    let (id, _) = stored(&repo, "w");
    let steps = ["a", "a/b", "A", "a.lock", "..", "x y", "a\nb", &"long".repeat(200)];
    for (plan, step) in steps.iter().flat_map(|step| [("p", step), ("p/a", step)]) {
        swap(&repo, &name(plan, step), None, Some(id)).unwrap();
    }
    assert_eq!(list(&repo, "p").unwrap().len(), steps.len());
    assert_eq!(list(&repo, "p%2fa").unwrap().len(), steps.len());
    assert!(list(&repo, "q").unwrap().is_empty());
}

#[test]
fn other_objects_are_not_claims() {
    let (_folder, repo) = repo();
    for (step, bytes) in [("text", b"no claim".to_vec()), ("large", vec![b' '; 1 << 17])] {
        let id = repo.write_blob(bytes).unwrap().detach();
        swap(&repo, &name("p", step), None, Some(id)).unwrap();
        assert_eq!(read(&repo, &name("p", step)).unwrap(), Some(StoredClaim { id, claim: None }));
    }
    let tree = repo.empty_tree().id;
    repo.write_object(gix::objs::Tree::empty()).unwrap();
    swap(&repo, &name("p", "tree"), None, Some(tree)).unwrap();
    assert!(list(&repo, "p").unwrap().values().all(|stored| stored.claim.is_none()));
}

#[test]
fn a_lock_that_stays_is_named() {
    let (_folder, repo) = repo();
    let (id, _) = stored(&repo, "w");
    let lock = lock_path(&repo, &name("p", "s"));
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "").unwrap();
    let error = swap(&repo, &name("p", "s"), None, Some(id)).unwrap_err();
    assert!(matches!(&error, ClaimError::Locked { lock: named } if *named == lock), "{error:?}");
}

#[test]
fn one_of_many_threads_takes_a_claim() {
    for _ in 0..20 {
        let (_folder, repo) = repo();
        let repo = repo.into_sync();
        let won: usize = std::thread::scope(|scope| {
            let take = |at: usize| {
                let repo = repo.to_thread_local();
                let (id, _) = stored(&repo, &format!("w{at}"));
                usize::from(swap(&repo, &name("p", "s"), None, Some(id)).is_ok())
            };
            let rivals: Vec<_> = (0..8).map(|at| scope.spawn(move || take(at))).collect();
            rivals.into_iter().map(|rival| rival.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
    }
}

#[test]
fn claims_are_shared_through_a_remote_even_while_a_run_is_interrupted() {
    let (folder, repo) = repo();
    let bare = folder.path().join("bare.git");
    let there = gix::init_bare(&bare).unwrap();
    let config = repo.git_dir().join("config");
    let text = std::fs::read_to_string(&config).unwrap();
    // The log of the reference needs an author, even if git knows none.
    let more = format!("[core]\n\tlogAllRefUpdates = always\n[remote \"up\"]\n\turl = {}\n", bare.display());
    std::fs::write(&config, text + &more).unwrap();
    let repo = gix::open(repo.git_dir()).unwrap();
    let step = name("p", "s");
    let (one, _) = stored(&repo, "w1");
    let (two, _) = stored(&repo, "w2");
    let cancelled = std::sync::atomic::AtomicBool::new(true);
    let remote = ClaimRemote::open(&repo, "up", &cancelled).unwrap();
    remote.fetch("p").unwrap();
    assert_eq!(remote.push(&step, None, Some(one)).unwrap(), Pushed::Accepted);
    assert!(matches!(remote.push(&step, None, Some(two)).unwrap(), Pushed::Rejected { .. }));
    assert!(matches!(remote.push(&step, Some(two), None).unwrap(), Pushed::Rejected { .. }));
    assert_eq!(read(&there, &step).unwrap().map(|stored| stored.id), Some(one));
    assert_eq!(read(&repo, &step).unwrap(), None);
    remote.fetch("p").unwrap();
    assert_eq!(read(&repo, &step).unwrap().map(|stored| stored.id), Some(one));
    follow(&repo, &step, Some(two)).unwrap();
    follow(&repo, &step, None).unwrap();
    follow(&repo, &step, None).unwrap();
    assert_eq!(remote.push(&step, Some(one), Some(two)).unwrap(), Pushed::Accepted);
    assert_eq!(remote.push(&step, Some(two), None).unwrap(), Pushed::Accepted);
    remote.fetch("p").unwrap();
    assert_eq!((read(&repo, &step).unwrap(), read(&there, &step).unwrap()), (None, None));
}

#[test]
fn sightings_last_until_the_object_changes() {
    let (_folder, repo) = repo();
    let at = |text: &str| Timestamp::parse(text).unwrap();
    let early = at("2026-05-01T12:00:00Z");
    let late = at("2026-05-01T13:00:00Z");
    let (one, _) = stored(&repo, "w1");
    let (two, _) = stored(&repo, "w2");
    let step = name("p", "s");
    let other = name("q", "s");
    let mut sightings = Sightings::load(&repo);
    sightings.see(&step, one, late);
    sightings.see(&other, two, late);
    sightings.save().unwrap();
    let mut sightings = Sightings::load(&repo);
    assert_eq!((sightings.first_seen(&step, one), sightings.first_seen(&step, two)), (Some(late), None));
    // The clock was set back: the time begins again.
    sightings.see(&step, one, early);
    sightings.see(&step, one, late);
    assert_eq!(sightings.first_seen(&step, one), Some(early));
    sightings.see(&step, two, late);
    assert_eq!((sightings.first_seen(&step, one), sightings.first_seen(&step, two)), (None, Some(late)));
    sightings.retain("p", |_| false);
    sightings.save().unwrap();
    let sightings = Sightings::load(&repo);
    assert_eq!((sightings.first_seen(&step, two), sightings.first_seen(&other, two)), (None, Some(late)));
}

#[test]
fn the_locks_of_a_killed_process_are_removed() {
    let (_folder, repo) = repo();
    let step = name("p", "s");
    let (one, _) = stored(&repo, "w1");
    let (two, _) = stored(&repo, "w2");
    swap(&repo, &step, None, Some(one)).unwrap();
    let record = repo.common_dir().join("canonry/shared-reference-guard");
    let content = format!("{two}\n");
    std::fs::write(&record, &content).unwrap();
    std::fs::write(lock_path(&repo, &step), &content).unwrap();
    swap(&repo, &step, Some(one), Some(two)).unwrap();
    // It was killed before it wrote into the lock of the packed references.
    let packed = repo.common_dir().join("packed-refs.lock");
    std::fs::write(&record, "pending").unwrap();
    std::fs::write(&packed, "").unwrap();
    if std::fs::metadata(&packed).unwrap().created().is_ok() {
        crate::git::commit::own_locks::remove_left_locks(&repo).unwrap();
        assert!(!packed.exists());
    }
    // Those of others stay.
    std::fs::write(lock_path(&repo, &step), "").unwrap();
    assert!(matches!(swap(&repo, &step, Some(two), None), Err(ClaimError::Locked { .. })));
}
