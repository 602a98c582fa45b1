//! A run that is killed at any of its writes leaves whole files, and the next run ends where it would have ended.

use crate::repo::{Held, Repo, Tree, binary, document};
use crate::same::assert_same;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

/// All that changes a file system. A kill comes when the call is entered.
const WRITES: &str = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat,\
                      write,fsync,chmod,fchmod,fchmodat";

/// One way to run sync, on a repository that is made anew for each kill.
struct Scenario {
    make: fn() -> Repo,
    args: &'static [&'static str],
}

fn can_trace() -> bool {
    let tried = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: strace is not there or not allowed, so no run can be killed at a chosen write");
    }
    can
}

/// A place to kill at: the nth time that a thread enters a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Empty for the main thread, `-f` for whichever comes there first.
    threads: &'static [&'static str],
    call: String,
    nth: usize,
}

fn traced(repo: &Repo, args: &[&str], options: &[&str]) -> ExitStatus {
    let mut command = repo.command("strace");
    // One worker: then the same call is the nth each time.
    command.env("RAYON_NUM_THREADS", "1").args(["-qq", "-e", "signal=none"]).args(options).arg(binary());
    command.arg("sync").args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

/// Every write of a run, on the main thread and on the worker.
fn places(repo: &Repo, args: &[&str]) -> BTreeSet<Place> {
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

/// Runs sync up to a place.
fn kill(repo: &Repo, args: &[&str], place: &Place) {
    let (trace, inject) =
        (format!("trace={}", place.call), format!("inject={}:signal=KILL:when={}", place.call, place.nth));
    let options = [place.threads, &["-o", "/dev/null", "-e", &trace, "-e", &inject]].concat();
    let status = traced(repo, args, &options);
    assert_eq!(status.signal(), Some(9), "{place:?}: {status}");
}

/// Copies with their time stamps, so that the index stays right.
fn copy(template: &Repo) -> Repo {
    let repo = Repo::empty();
    repo.remove("");
    let copied = repo.command("cp").current_dir(repo.home()).arg("-a").args([&template.root, &repo.root]).status();
    assert!(copied.unwrap().success());
    repo
}

fn is_temporary(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with(".canonry-tmp-"))
}

/// Each mirrored file is as it was, or as it will be; its mode may come a moment later.
fn assert_whole(before: &Tree, now: &Tree, after: &Tree, place: &Place) {
    for (path, held) in now.iter().filter(|(path, held)| !is_temporary(path) && **held != Held::Folder) {
        let whole = before.get(path) == Some(held) || after.get(path) == Some(held);
        assert!(whole || path == "agent/mirrors.lock", "{place:?}: {path} is {held:?}");
    }
}

fn kill_everywhere(scenario: &Scenario) {
    if !can_trace() {
        return;
    }
    let template = (scenario.make)();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let places = places(&uninterrupted, scenario.args);
    let after = uninterrupted.tree();
    assert!(before != after && places.len() > 10, "{places:#?}");
    for place in &places {
        let repo = copy(&template);
        kill(&repo, scenario.args, place);
        assert_whole(&before, &repo.tree(), &after, place);
        repo.sync(scenario.args).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {place:?}"));
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{place:?}: {own:?}");
        repo.sync(&["--check"]).expect(0);
    }
}

fn small() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude", "codex"]);
    repo.write("agent/skills/beta/SKILL.md", document("beta"));
    repo.write("agent/skills/cat/gamma/SKILL.md", document("gamma"));
    repo.link("agent/skills/cat/gamma/link", "SKILL.md");
    repo.write(".claude/skills/mine/SKILL.md", "mine\n");
    repo.write(".codex/skills/alpha/mine.md", "mine too\n");
    repo
}

fn small_synced() -> Repo {
    let repo = small();
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

#[test]
fn killed_while_it_writes_for_the_first_time() {
    kill_everywhere(&Scenario { make: small, args: &[] });
}

#[test]
fn killed_while_it_updates() {
    let make = || {
        let repo = small_synced();
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
        repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
        repo.remove("agent/skills/cat/gamma/link");
        repo.link("agent/skills/cat/gamma/link", "other");
        repo
    };
    kill_everywhere(&Scenario { make, args: &[] });
}

#[test]
fn killed_while_it_removes() {
    let make = || {
        let repo = small_synced();
        repo.remove("agent/skills/alpha");
        repo.remove("agent/skills/cat/gamma");
        repo.write("agent/skills/beta/references/new.md", "new\n");
        repo
    };
    kill_everywhere(&Scenario { make, args: &[] });
}

#[test]
fn killed_while_it_adopts() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", document("beta") + "my edit\n");
        repo.write(".claude/skills/mine/SKILL.md", document("mine"));
        repo.write(".claude/skills/mine/notes.md", "notes\n");
        repo
    };
    kill_everywhere(&Scenario { make, args: &["--adopt", ".claude/skills/beta", "--adopt", ".claude/skills/mine"] });
}

#[test]
fn killed_while_it_forces() {
    let make = || {
        let repo = small_synced();
        repo.write(".claude/skills/beta/SKILL.md", "my edit\n");
        repo.write(".codex/skills/alpha/SKILL.md", "an orphan of mine\n");
        repo.remove("agent/skills/alpha");
        repo
    };
    kill_everywhere(&Scenario { make, args: &["--force"] });
}
