//! A run that is killed at any of its writes leaves whole files, and the next run ends where it would have ended.

use crate::repo::{Held, Repo, Tree, document};
use crate::same::assert_same;
use crate::strace::{Place, can_trace, copy, is_temporary, kill, places};

/// One way to run sync, on a repository that is made anew for each kill.
struct Scenario {
    make: fn() -> Repo,
    args: &'static [&'static str],
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
    let line = [&["sync"], scenario.args].concat();
    let template = (scenario.make)();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let places = places(&uninterrupted, &line);
    let after = uninterrupted.tree();
    assert!(before != after && places.len() > 10, "{places:#?}");
    for place in &places {
        let repo = copy(&template);
        kill(&repo, &line, place);
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
