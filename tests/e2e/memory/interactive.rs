//! `canonry memory review` in a terminal.
#![cfg(target_os = "linux")]

use super::bulk::staged;
use crate::dream::team::LESSONS;
use crate::support::repo::{Repo, binary};
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);

/// A review in a pseudo-terminal, which script(1) of util-linux provides.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    shown: String,
}

/// `canonry memory review` with these arguments in a terminal. The arguments contain no quotes.
fn in_terminal(repo: &Repo, args: &[&str]) -> Command {
    let line = format!("'{}' memory review {}", binary().display(), args.join(" "));
    let mut command = repo.command("script");
    command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
    command
}

impl Terminal {
    fn start(repo: &Repo, args: &[&str], editor: &str) -> Self {
        let mut command = in_terminal(repo, args);
        command.env("GIT_EDITOR", editor).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut reader = child.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, output, shown: String::new() }
    }

    /// Waits for a text, and forgets what was shown up to its end.
    #[track_caller]
    fn until(&mut self, text: &str) -> &mut Self {
        let begin = Instant::now();
        loop {
            if let Some(at) = self.shown.find(text) {
                self.shown.drain(..at + text.len());
                return self;
            }
            let left = LIMIT.saturating_sub(begin.elapsed());
            let Ok(bytes) = self.output.recv_timeout(left) else { panic!("`{text}` not shown: {}", self.shown) };
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Presses a key at the next question.
    #[track_caller]
    fn answer(&mut self, key: &str) -> &mut Self {
        self.until("[q]uit");
        // What is typed before the question is shown completely would be dropped.
        self.until("? ");
        std::thread::sleep(Duration::from_millis(100));
        self.keys.write_all(key.as_bytes()).unwrap();
        self
    }

    #[track_caller]
    fn ends_with(&mut self, status: i32) {
        let begin = Instant::now();
        loop {
            match self.child.try_wait().unwrap() {
                Some(ended) => return assert_eq!(ended.code(), Some(status), "{}", self.shown),
                None if begin.elapsed() > LIMIT => panic!("the review does not end: {}", self.shown),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn one_key_decides_about_each_candidate() {
    let repo = staged(&["use tabs", "run the linter", "keep commits small", "name the owner"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let mut terminal = Terminal::start(&repo, &["--reason", "agreed"], "sed -i.bak s/commits/changes/");
    terminal.until("1/4").until("use tabs").answer("a").until("lesson accepted: use tabs");
    terminal.until("2/4").answer("x").answer("r").until("lesson rejected: run the linter");
    terminal.until("3/4").answer("e").until("lesson accepted: keep changes small");
    terminal.until("4/4").answer("s").until("2 accepted, 1 rejected, 1 still waiting").ends_with(3);
    assert_eq!(repo.git(&["rev-parse", "HEAD~1"]), head);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("3 candidates reviewed: 2 accepted, 1 rejected\n\nagreed\n"), "{message}");
    assert!(repo.text(LESSONS).contains("- keep changes small ("));
    assert_eq!(repo.waiting().len(), 1);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn ctrl_c_and_quit_keep_what_is_decided() {
    for (key, status) in [("\u{3}", 130), ("q", 3), ("\u{4}", 3)] {
        let repo = staged(&["use tabs", "run the linter"]);
        let mut terminal = Terminal::start(&repo, &[], "false");
        terminal.answer("a").until("lesson accepted: use tabs").answer(key).until("1 accepted").ends_with(status);
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{key:?}");
        assert_eq!(repo.waiting().len(), 1, "{key:?}");
    }
}

#[test]
fn a_killed_review_keeps_what_is_decided() {
    let repo = staged(&["use tabs", "run the linter"]);
    let mut terminal = Terminal::start(&repo, &[], "false");
    terminal.answer("a").until("lesson accepted: use tabs").until("2/2");
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
    assert_eq!(repo.waiting().len(), 1);
    assert!(repo.text(LESSONS).contains("- use tabs ("));
}

#[test]
fn a_failed_editor_decides_nothing() {
    let repo = staged(&["use tabs"]);
    let mut terminal = Terminal::start(&repo, &[], "false");
    terminal.answer("e").until("the editor failed").answer("q").until("0 accepted").ends_with(3);
    assert_eq!(repo.waiting().len(), 1);
    let mut terminal = Terminal::start(&repo, &[], "sed -i.bak d");
    terminal.answer("e").until("the text is empty").answer("q").ends_with(3);
}

#[test]
fn without_a_terminal_the_candidates_are_listed() {
    let repo = staged(&["use tabs"]);
    repo.review_command(&["review"]).expect(3).says(&["use tabs", "1 candidate waits"]);
    repo.review_command(&["review", "--interactive"]).expect(64).says(&["terminal", "canonry memory accept"]);
    repo.review_command(&["review", "--interactive", "--list"]).expect(64);
}

#[test]
fn an_agent_with_a_terminal_is_not_asked() {
    let repo = staged(&["use tabs"]);
    let output = in_terminal(&repo, &[]).env("CLAUDECODE", "1").stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(3) && shown.contains("1 candidate waits"), "{shown}");
}
