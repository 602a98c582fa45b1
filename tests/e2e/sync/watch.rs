//! `sync --watch`, as a separate process that watches a user's edits.

use crate::support::repo::{Repo, binary, document};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const SKILL: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";
/// Longer than any test machine needs.
const LONG: Duration = Duration::from_secs(60);

struct Watching<'r> {
    repo: &'r Repo,
    child: Child,
    lines: Receiver<String>,
}

impl<'r> Watching<'r> {
    /// Starts the process and waits until it watches for edits.
    fn new(repo: &'r Repo) -> Self {
        Self::with(repo, &["sync", "--watch"])
    }

    fn with(repo: &'r Repo, args: &[&str]) -> Self {
        let mut command = repo.command(binary());
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let errors = sender.clone();
        let stdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(Result::ok).all(|l| sender.send(l).is_ok())
        });
        std::thread::spawn(move || {
            BufReader::new(stderr).lines().map_while(Result::ok).all(|l| errors.send(l).is_ok())
        });
        let watching = Self { repo, child, lines };
        watching.until("Watching");
        watching
    }

    /// Returns the lines up to the next one with these words.
    #[track_caller]
    fn until(&self, words: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LONG).unwrap_or_else(|e| panic!("{e}: no `{words}` in {before:#?}"));
            before.push(line);
            if before.last().unwrap().contains(words) {
                return before;
            }
        }
    }

    #[track_caller]
    fn until_mirrored(&self, text: &str) {
        let begin = Instant::now();
        while !self.repo.exists(MIRROR) || self.repo.text(MIRROR) != text {
            assert!(begin.elapsed() < LONG, "never mirrored; output: {:#?}", self.lines.try_iter().collect::<Vec<_>>());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The lines printed while nobody edits.
    fn at_rest(&self) -> Vec<String> {
        std::thread::sleep(Duration::from_millis(600));
        self.lines.try_iter().collect()
    }

    fn signal(&mut self, signal: &str) -> Option<i32> {
        let killed = self.repo.command("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn with_several_canons_the_one_of_the_current_folder_is_watched() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("canonry.yaml", "canons: [packages/a]\ntargets: [claude]\n");
    repo.write("packages/a/canonry.yaml", "targets: [claude]\n");
    repo.write("packages/a/agent/skills/own/SKILL.md", document("own"));
    let watching = Watching::with(&repo, &["-C", "packages/a", "sync", "--watch"]);
    watching.until("synced    own: 1 file written");
    repo.write("packages/a/agent/skills/own/SKILL.md", document("own") + "more\n");
    watching.until("synced    own: 1 file written");
    assert_eq!(repo.text("packages/a/.claude/skills/own/SKILL.md"), document("own") + "more\n");
    assert!(!repo.exists(".claude"));
    drop(watching);
    let top = Watching::new(&repo);
    top.until("synced    alpha");
}

#[test]
fn each_edit_is_mirrored_and_reported_in_one_line() {
    let repo = Repo::with_skills(&["alpha"]);
    let mut watching = Watching::new(&repo);
    // The first sync runs without an edit.
    assert_eq!(watching.until("synced"), ["synced    alpha: 11 files written, 0 removed, 0 refused, 0 unchanged"]);
    assert_eq!(watching.at_rest(), [""; 0], "its own writes do not count as edits");
    for text in ["one\n", "two\n"] {
        let text = document("alpha") + text;
        repo.write(SKILL, &text);
        assert_eq!(watching.until("synced").len(), 1);
        assert_eq!(repo.text(MIRROR), text);
    }
    repo.skill("beta");
    watching.until("synced    beta");
    repo.remove("agent/skills/beta");
    watching.until("0 files written, 10 removed");
    assert_eq!(watching.at_rest(), [""; 0]);
    assert_eq!(watching.signal("-INT"), Some(130));
    repo.sync(&["--check"]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

/// One save causes several events: a temporary file, a rename over the old one, or a replaced folder after a checkout.
#[test]
fn saves_by_rename_and_a_replaced_canon_are_mirrored() {
    let repo = Repo::synced(&["alpha"]);
    let watching = Watching::new(&repo);
    for n in 0..5 {
        let text = document("alpha") + &format!("{n}\n");
        repo.write("agent/skills/alpha/.SKILL.md.swp", &text);
        repo.rename("agent/skills/alpha/.SKILL.md.swp", SKILL);
        watching.until_mirrored(&text);
    }
    assert!(!repo.exists(".claude/skills/alpha/.SKILL.md.swp"));
    for n in 0..3 {
        watching.at_rest();
        repo.rename("agent", "away");
        watching.until("no canon found");
        repo.rename("away", "agent");
        let text = document("alpha") + &format!("version {n}\n");
        repo.write(SKILL, &text);
        watching.until_mirrored(&text);
    }
}

#[test]
fn a_broken_intermediate_state_is_reported_once_and_does_not_stop_the_watch() {
    let repo = Repo::synced(&["alpha"]);
    let mut watching = Watching::new(&repo);
    repo.write("agent/skills/new/SKILL.md", "---\nname: [\n");
    watching.until("refused   agent/skills/new");
    repo.write("agent/canonry.yaml", "targets: [claude\n");
    watching.until("agent/canonry.yaml");
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    watching.until("synced");
    repo.write(MIRROR, "mine\n");
    repo.write(SKILL, document("alpha") + "news\n");
    watching.until("edited by hand");
    assert_eq!(repo.text(MIRROR), "mine\n");
    repo.remove(MIRROR);
    repo.write("agent/skills/new/SKILL.md", document("new"));
    watching.until("synced");
    watching.until_mirrored(&(document("alpha") + "news\n"));
    assert_eq!(watching.signal("-TERM"), Some(130));
}

#[test]
fn waits_for_another_run() {
    let repo = Repo::synced(&["alpha"]);
    let watching = Watching::new(&repo);
    let lock = std::fs::File::options().write(true).open(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    let text = document("alpha") + "news\n";
    repo.write(SKILL, &text);
    assert_eq!(watching.at_rest(), [""; 0]);
    assert_eq!(repo.text(MIRROR), document("alpha"));
    lock.unlock().unwrap();
    watching.until_mirrored(&text);
}

#[test]
fn watch_needs_a_canon_and_conflicts_with_other_sync_options() {
    let repo = Repo::empty();
    repo.sync(&["--watch"]).expect(65).says(&["no canon found"]);
    for other in ["--check", "--dry-run", "--diff", "--commit", "--force", "--staged", "--format=json"] {
        repo.sync(&["--watch", other]).expect(64);
    }
}

#[test]
fn overlay_edits_are_mirrored() {
    let repo = Repo::with_skills(&["alpha"]);
    let watching = Watching::new(&repo);
    watching.until_mirrored(&document("alpha"));
    repo.write("agent/overlays/claude/skills/alpha/SKILL.md", "---\nmodel: opus\n---\n");
    watching.until_mirrored(&document("alpha").replace("asked for.\n", "asked for.\nmodel: opus\n"));
    repo.remove("agent/overlays");
    watching.until_mirrored(&document("alpha"));
}
