//! A closed pipe on stdout, and Ctrl-C.

use crate::support::repo::{Repo, binary, document};
use std::process::{Child, Stdio};

#[test]
fn a_closed_stdout_is_not_an_error() {
    let repo = Repo::with_skills(&["alpha"]);
    for n in 0..300 {
        repo.write(&format!("agent/skills/bad-{n}/SKILL.md"), "no frontmatter\n");
    }
    for (args, status) in [(&["check"][..], 1), (&["check", "--format", "json"], 1), (&["sync", "--dry-run"], 1)] {
        let mut child =
            repo.command(binary()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        assert!(!stderr.contains("internal error"), "{stderr}");
    }
}

/// Sends Ctrl-C as soon as a file exists. A separate process waits for the file, because starting a process takes
/// longer than the run to interrupt.
fn interrupt_at(child: &Child, file: &std::path::Path) -> Child {
    let script = "while [ ! -e \"$1\" ]; do :; done; kill -INT \"$2\"";
    let mut waiting = std::process::Command::new("sh");
    waiting.args(["-c", script, "sh"]).arg(file).arg(child.id().to_string()).stderr(Stdio::null()).spawn().unwrap()
}

/// Sends Ctrl-C when the first file of a mirror exists; repeats if the run was already complete.
#[test]
fn ctrl_c_stops_between_two_files_and_the_next_run_converges() {
    let names: Vec<String> = (0..400).map(|n| format!("skill-{n:04}")).collect();
    let repo = Repo::empty();
    names.iter().for_each(|name| repo.write(&format!("agent/skills/{name}/SKILL.md"), document(name)));
    let mut ended = None;
    for _ in 0..20 {
        // Run on one core with the lowest priority, so that the signal arrives in time on a busy machine.
        let mut command = repo.command("nice");
        command.args(["-n", "19"]).arg(binary()).arg("sync").env("RAYON_NUM_THREADS", "1");
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut waiting = interrupt_at(&child, &repo.path(".claude/skills/skill-0000/SKILL.md"));
        let output = child.wait_with_output().unwrap();
        let _ = waiting.kill();
        waiting.wait().unwrap();
        ended = output.status.code();
        if ended == Some(130) {
            assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
            break;
        }
        assert_eq!(ended, Some(0));
        [".claude", ".gemini", ".cursor", ".codex", ".antigravity"].iter().for_each(|folder| repo.remove(folder));
    }
    assert_eq!(ended, Some(130));
    for (path, held) in repo.mirrors() {
        let crate::support::repo::Held::File { bytes, .. } = held else { continue };
        // The Antigravity pointer is next to the mirrors.
        let Some(name) = path.split('/').nth(2) else { continue };
        assert_eq!(String::from_utf8(bytes).unwrap(), document(name), "{path}");
    }
    repo.sync(&[]).expect(0);
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    repo.assert_mirrored(&all);
    repo.sync(&["--check"]).expect(0);
}

/// The clean filter of the first file sends the signal, so that it always arrives at the same point.
#[test]
fn ctrl_c_before_the_first_write_writes_nothing() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".gitattributes", "*.stop filter=stop\n");
    repo.git(&["config", "filter.stop.clean", "kill -INT $PPID; sleep 0.2; cat"]);
    repo.write("agent/skills/alpha/x.stop", "x\n");
    let before = repo.tree();
    repo.sync(&[]).expect(130).says(&["interrupted", "run this again"]);
    assert_eq!(repo.tree(), before);
    repo.git(&["config", "filter.stop.clean", "cat"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}
