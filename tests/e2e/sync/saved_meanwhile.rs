//! A person who saves a file at any moment of a sync finds the text in the file or in a backup.

use crate::support::failpoints::{Failpoint, copy, fail, failpoints, for_each_failpoint, holds, run_with, sample};
use crate::support::repo::{Repo, document};
use std::collections::HashSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Ways in which an editor or a shell saves.
const STYLES: [&str; 3] = [
    // Truncate and write.
    "printf 'saved by a person\\n' > FILE",
    // Write another file and rename it.
    "printf 'saved by a person\\n' > FILE.new && mv FILE.new FILE",
    // Append.
    "printf 'saved by a person\\n' >> FILE",
];

const TOOL_FILES: &str = "targets: [claude]\nfiles:\n  agents: {context: full}\n  claude: {mcp: true}\n";

/// A sync, and a file that a person saves during it.
struct Saving {
    make: fn() -> Repo,
    args: &'static [&'static str],
    file: &'static str,
}

impl Saving {
    /// Saves before each write of the sync.
    fn try_each_write(&self) {
        let template = (self.make)();
        let writes = failpoints(&copy(&template), self.args);
        for style in STYLES {
            for_each_failpoint(&sample(writes.clone()), |write| self.try_write(&template, write, style));
        }
    }

    fn try_write(&self, template: &Repo, write: &Failpoint, style: &str) {
        let repo = copy(template);
        // A folder may be gone already.
        let script = format!("mkdir -p $(dirname FILE) && {style}").replace("FILE", self.file);
        let status = run_with(&repo, self.args, write, &script);
        let code = status.code().unwrap_or(-1);
        let at = format!("{} {:?} with {style} at {write:?}, status {code}", self.file, self.args);
        assert!([0, 4, 5, 65].contains(&code), "{at}");
        assert!(holds(&repo, "saved by a person\n"), "{at}: lost");
        repo.sync(&[]);
        repo.sync(&[]);
        assert!(holds(&repo, "saved by a person\n"), "{at}: lost by the next sync");
        let left = repo.tree().into_keys().find(|path| path.contains(".canonry-tmp-"));
        assert_eq!(left, None, "{at}");
    }
}

fn edited_mirror() -> Repo {
    let repo = Repo::empty();
    repo.targets(&["claude"]);
    repo.skill("alpha");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "news from the mirror\n");
    repo
}

fn changed_canon() -> Repo {
    let repo = Repo::empty();
    repo.targets(&["claude"]);
    repo.skill("alpha");
    repo.skill("beta");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.append("agent/skills/alpha/SKILL.md", "news\n");
    repo.remove("agent/skills/beta");
    repo
}

fn changed_tool_files() -> Repo {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", TOOL_FILES);
    repo.skill("alpha");
    repo.write("agent/AGENTS.md", "# Rules\n\nBe kind.\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db\"}}}\n");
    repo.write("AGENTS.md", "# Ours\n");
    repo.write(".mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.append("agent/AGENTS.md", "Be quick.\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db2\"}}}\n");
    repo
}

#[test]
fn a_save_in_the_canon_survives_an_adoption() {
    let args = &["sync", "--adopt", ".claude/skills/alpha"];
    Saving { make: edited_mirror, args, file: "agent/skills/alpha/SKILL.md" }.try_each_write();
}

#[test]
fn a_save_in_a_mirror_survives_a_sync() {
    for file in [".claude/skills/alpha/SKILL.md", ".claude/skills/beta/SKILL.md", ".claude/skills/alpha/scripts/run.sh"]
    {
        Saving { make: changed_canon, args: &["sync"], file }.try_each_write();
    }
}

#[test]
fn a_save_in_a_shared_file_survives_a_sync() {
    for file in ["AGENTS.md", ".mcp.json", "agent/mirrors.lock"] {
        Saving { make: changed_tool_files, args: &["sync"], file }.try_each_write();
    }
}

/// The canon is saved between the plan and the copy: no mirror looks edited afterwards.
#[test]
fn a_save_in_the_canon_during_a_sync_is_not_an_edit_of_a_mirror() {
    let template = changed_canon();
    let writes = failpoints(&copy(&template), &["sync"]);
    for_each_failpoint(&writes, |write| {
        let repo = copy(&template);
        run_with(&repo, &["sync"], write, "printf 'saved by a person\\n' >> agent/skills/alpha/SKILL.md");
        repo.sync(&[]).expect(0).says_nothing_of(&["by hand", "refused   "]);
        repo.sync(&["--check"]).expect(0);
        repo.assert_copied("alpha", ".claude/skills/alpha");
        assert!(repo.text(".claude/skills/alpha/SKILL.md").ends_with("saved by a person\n"), "{write:?}");
    });
}

/// A file that stays open for appending while it is replaced.
#[test]
fn what_is_appended_to_a_file_that_was_open_before_the_sync_survives() {
    let repo = changed_tool_files();
    let mut open = std::fs::OpenOptions::new().append(true).open(repo.path("AGENTS.md")).unwrap();
    repo.sync(&[]).expect(0);
    open.write_all(b"appended late\n").unwrap();
    repo.sync(&[]).expect(0).says(&["backed up AGENTS.md"]);
    assert!(holds(&repo, "appended late\n"));
    open.write_all(b"appended even later\n").unwrap();
    assert!(holds(&repo, "appended even later\n"), "the backup is the open file");
}

/// Without an exchange by the file system, the file is compared again just before it is replaced.
#[test]
fn a_file_system_without_exchange_is_enough() {
    let template = changed_tool_files();
    let writes = failpoints(&copy(&template), &["sync"]);
    for_each_failpoint(&writes, |write| {
        let repo = copy(&template);
        let status = fail(&repo, &["sync"], write, "EINVAL");
        let code = status.code().unwrap_or(-1);
        assert!([0, 5, 70].contains(&code), "{write:?}: {code}");
        repo.sync(&[]).expect(0);
        repo.sync(&["--check"]).expect(0);
        assert!(repo.text("AGENTS.md").contains("Be quick.") && repo.text("AGENTS.md").starts_with("# Ours\n"));
    });
}

/// A sync records each state before it writes it, and every one of these syncs fails.
#[test]
fn failed_syncs_do_not_make_the_block_of_an_older_one_an_edit() {
    let repo = changed_tool_files();
    repo.sync(&[]).expect(0);
    repo.git(&["checkout", "-q", "agent/mirrors.lock"]);
    for round in 0..30 {
        repo.write("agent/AGENTS.md", format!("# Rules\n\nRound {round}.\n"));
        let writes = failpoints(&copy(&repo), &["sync"]);
        // The journal comes first.
        let write = writes.iter().filter(|write| write.write == "fsync").nth(1).expect("AGENTS.md is flushed");
        let status = fail(&repo, &["sync"], write, "ENOSPC");
        assert_eq!(status.code(), Some(70), "round {round}");
    }
    repo.sync(&[]).expect(0).says_nothing_of(&["by hand"]);
    assert!(repo.text("AGENTS.md").contains("Round 29."));
}

/// Lines that may be appended in a round, in turn: enough for several syncs in a row to give up, and a rest. All rounds
/// together stay below the size that a tool file may have.
const LINES_PER_ROUND: [usize; 10] = [300, 300, 300, 300, 300, 0, 0, 0, 0, 0];

/// Two processes: one syncs, the other saves.
fn race(rounds: usize) {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", TOOL_FILES);
    repo.skill("alpha");
    repo.write("agent/AGENTS.md", "# Rules\n");
    repo.write("AGENTS.md", "# Ours\n");
    repo.sync(&[]).expect(0);
    let is_done = AtomicBool::new(false);
    let lines_allowed = AtomicUsize::new(0);
    let (appended, statuses) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                std::thread::sleep(std::time::Duration::from_micros(300));
                if count >= lines_allowed.load(Ordering::Relaxed) {
                    continue;
                }
                let mut file = std::fs::OpenOptions::new().append(true).open(repo.path("AGENTS.md")).unwrap();
                file.write_all(format!("line {count} of a person\n").as_bytes()).unwrap();
                count += 1;
            }
            count
        });
        let statuses: Vec<i32> = (0..rounds)
            .map(|round| {
                lines_allowed.fetch_add(LINES_PER_ROUND[round % LINES_PER_ROUND.len()], Ordering::Relaxed);
                repo.write("agent/AGENTS.md", format!("# Rules\n\nRound {round}.\n"));
                repo.sync(&[]).status
            })
            .collect();
        is_done.store(true, Ordering::Relaxed);
        (writer.join().unwrap(), statuses)
    });
    assert!(statuses.iter().all(|status| [0, 5].contains(status)), "{statuses:?}");
    repo.sync(&[]).expect(0);
    let kept = repo.tree_of(&["AGENTS.md", ".git/canonry/kept"]);
    let texts: Vec<String> = kept
        .into_values()
        .filter_map(|held| match held {
            crate::support::repo::Held::File { bytes, .. } => Some(String::from_utf8_lossy(&bytes).into_owned()),
            _ => None,
        })
        .collect();
    let held: HashSet<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let lines = (0..appended).map(|n| format!("line {n} of a person"));
    let lost: Vec<String> = lines.filter(|line| !held.contains(line.as_str())).collect();
    assert!(lost.is_empty(), "{} of {appended} lines: {lost:?}", lost.len());
}

#[test]
fn lines_that_are_appended_during_syncs_survive() {
    race(25);
}

#[test]
#[ignore = "slow"]
fn nightly_lines_that_are_appended_during_many_syncs_survive() {
    race(1000);
}
