//! Killing a run at each of its writes.

use crate::support::repo::{Held, Repo, Tree, binary};
use crate::support::same::assert_same;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// All that changes a file system. A kill comes when the call is entered.
const WRITES: &str = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat,\
                      write,fsync,chmod,fchmod,fchmodat";

/// Kills that are tried at the same time.
const AT_ONCE: usize = 3;

/// One command line, on a repository that is made anew for each kill.
pub struct Scenario {
    pub make: fn() -> Repo,
    pub args: &'static [&'static str],
    /// What a person wrote, which is somewhere at any time.
    pub precious: &'static [&'static str],
    /// What must hold once the run after the kill is through.
    pub then: fn(&Repo),
}

pub fn can_trace() -> bool {
    let tried = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: strace is not there or not allowed, so no run can be killed at a chosen write");
    }
    can
}

/// A place to kill at: the nth time that a thread enters a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Empty for the main thread, `-f` for whichever comes there first.
    threads: &'static [&'static str],
    call: String,
    nth: usize,
}

fn traced(repo: &Repo, args: &[&str], options: &[&str]) -> ExitStatus {
    let mut command = repo.command("strace");
    // One worker: then the same call is the nth each time.
    command.env("RAYON_NUM_THREADS", "1").args(["-qq", "-e", "signal=none"]).args(options).arg(binary());
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

/// Every write of a run, on the main thread and on the worker.
pub fn places(repo: &Repo, args: &[&str]) -> BTreeSet<Place> {
    let log = repo.home().join("trace");
    let status = traced(repo, args, &["-f", "-e", &format!("trace={WRITES}"), "-o", log.to_str().unwrap()]);
    assert_eq!(status.code(), Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut places = BTreeSet::new();
    let main = log.split_whitespace().next().unwrap_or_default();
    for line in log.lines().filter(|line| line.contains('(') && !line.contains("resumed>")) {
        let (thread, call) = line.split_once(char::is_whitespace).unwrap();
        let call = call.trim_start().split('(').next().unwrap();
        let nth = counts.entry((thread, call)).or_default();
        *nth += 1;
        let threads: &[&str] = if thread == main { &[] } else { &["-f"] };
        places.insert(Place { threads, call: call.to_owned(), nth: *nth });
    }
    places
}

/// Runs up to a place.
pub fn kill(repo: &Repo, args: &[&str], place: &Place) {
    let status = inject(repo, args, place, "signal=KILL");
    assert_eq!(status.signal(), Some(9), "{place:?}: {status}");
}

/// Runs with something injected at a place, such as `error=ENOSPC`.
pub fn inject(repo: &Repo, args: &[&str], place: &Place, what: &str) -> ExitStatus {
    let (trace, inject) = (format!("trace={}", place.call), format!("inject={}:{what}:when={}", place.call, place.nth));
    let options = [place.threads, &["-o", "/dev/null", "-e", &trace, "-e", &inject]].concat();
    traced(repo, args, &options)
}

/// Whether a text stands anywhere: in the work tree, or among what a run has kept aside.
pub fn holds(repo: &Repo, text: &str) -> bool {
    let has = |held: &Held| match held {
        Held::File { bytes, .. } => bytes.windows(text.len()).any(|window| window == text.as_bytes()),
        Held::Folder | Held::Link(_) => false,
    };
    repo.tree().values().chain(repo.tree_of(&[".git/canonry/kept"]).values()).any(has)
}

/// Copies with their time stamps, so that the index stays right.
pub fn copy(template: &Repo) -> Repo {
    let repo = Repo::nowhere(tempfile::tempdir().unwrap());
    let copied = repo.command("cp").current_dir(repo.home()).arg("-a").args([&template.root, &repo.root]).status();
    assert!(copied.unwrap().success());
    repo
}

/// Several at a time: a run waits for the disk more than it works.
pub fn at_each(places: &BTreeSet<Place>, try_it: impl Fn(&Place) + Sync) {
    let (places, next): (Vec<&Place>, _) = (places.iter().collect(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_it(place);
                }
            });
        }
    });
}

pub fn is_temporary(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with(".canonry-tmp-"))
}

/// Each mirrored file is as it was, or as it will be; its mode may come a moment later.
pub fn assert_whole(before: &Tree, now: &Tree, after: &Tree, place: &Place) {
    for (path, held) in now.iter().filter(|(path, held)| !is_temporary(path) && **held != Held::Folder) {
        let whole = before.get(path) == Some(held) || after.get(path) == Some(held);
        assert!(whole || path == "agent/mirrors.lock", "{place:?}: {path} is {held:?}");
    }
}

pub fn kill_everywhere(scenario: &Scenario) {
    if !can_trace() {
        return;
    }
    let template = (scenario.make)();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let places = places(&uninterrupted, scenario.args);
    let after = uninterrupted.tree();
    assert!(before != after && places.len() > 10, "{places:#?}");
    at_each(&places, |place| {
        let repo = copy(&template);
        kill(&repo, scenario.args, place);
        assert_whole(&before, &repo.tree(), &after, place);
        let kept = |when: &str| {
            let lost = scenario.precious.iter().find(|text| !holds(&repo, text));
            assert!(lost.is_none(), "{place:?}: {lost:?} is nowhere {when}");
        };
        kept("after the kill");
        repo.canonry(scenario.args).expect(0);
        kept("after the next run");
        assert_same(&repo.tree(), &after, &format!("after a kill at {place:?}"));
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{place:?}: {own:?}");
        (scenario.then)(&repo);
    });
}
