//! Tasks, the spec and journals: what `context` prints of them, and how learnings reach the spec.

use crate::hook::piped;
use crate::support::repo::{Ran, Repo};
use serde_json::Value;

const TASK: &str = "title: Add a login form\nstatus: in_progress\nowner: ann\nfiles: [src/login/form.rs]\ncontext:\n  \
                    - {file: agent/spec/security.md, reason: passwords}\n  - {file: src/login/mod.rs, reason: the entry point}\n\
                    learnings:\n  - {text: Count failed logins per account., spec: backend/login.md}\n";

fn repo() -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/tasks/login/task.yaml", TASK);
    repo.write("agent/tasks/login/prd.md", "# Login\n\nUsers can log in.\n");
    repo.write("agent/spec/security.md", "# Security\n\nHash passwords.\n");
    repo.write(
        "agent/spec/backend/login.md",
        "---\nglobs: src/login/**\n---\n\n# Login\n\nSessions end after a day.\n",
    );
    repo.write("agent/spec/frontend.md", "---\nglobs: web/**\n---\n\n# Frontend\n\nUse the form kit.\n");
    repo.write("src/login/mod.rs", "pub mod form;\n");
    let entries: String = (1..=5).map(|day| format!("\n## 2026-11-0{day}\n\nDid {day}.\n")).collect();
    repo.write("agent/journals/ann/2026-11.md", format!("# November\n{entries}"));
    repo.write("agent/journals/ann/2026-10.md", "# October\n\nOld.\n");
    repo
}

fn run(repo: &Repo, args: &[&str], status: i32) -> Ran {
    let ran = repo.canonry(args);
    assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran
}

#[test]
fn context_prints_a_task_with_its_spec_files_and_journal() {
    let repo = repo();
    let args = ["context", "--task", "login", "--now", "2026-11-20T00:00:00Z"];
    let text = run(&repo, &args, 0).stdout;
    for part in [
        "# Task (agent/tasks/login)\n\nAdd a login form (in_progress, owner ann)\n\n# Login\n\nUsers can log in.\n",
        "## agent/spec/security.md: passwords\n\n# Security\n",
        "## agent/spec/backend/login.md\n\n# Login\n\nSessions end after a day.\n",
        "## src/login/mod.rs: the entry point\n\npub mod form;\n",
        "# Journal (agent/journals/ann/2026-11.md)\n\n## 2026-11-03\n",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    assert!(!text.contains("Frontend") && !text.contains("Did 2.") && !text.contains("Old."), "{text}");
    assert!(text.find("security.md") < text.find("backend/login.md"), "the task's own order comes first");
    assert_eq!(run(&repo, &args, 0).stdout, text);
    let small = run(&repo, &["context", "--task", "login", "--budget", "150"], 0);
    assert!(small.stdout.len() <= 600 && small.stdout.contains("Users can log in."), "{}", small.stdout);
    assert_eq!(run(&repo, &["check"], 0).stderr, "");
}

#[test]
fn files_select_pages_of_the_spec() {
    let repo = repo();
    let text = run(&repo, &["context", "--file", "web/app.ts"], 0).stdout;
    assert!(text.contains("# Frontend") && !text.contains("Sessions end"), "{text}");
    assert!(!run(&repo, &["context"], 0).stdout.contains("Spec"), "nothing is added unasked");
    assert!(run(&repo, &["context", "--task", "logn"], 65).stderr.contains("did you mean `login`?"));
    repo.write("agent/tasks/login/task.yaml", "titel: a\n");
    let broken = run(&repo, &["context", "--task", "login"], 65).stderr;
    assert!(broken.contains("agent/tasks/login/task.yaml:1: "), "{broken}");
}

#[test]
fn a_session_starts_with_the_task_in_progress() {
    let repo = repo();
    let start = || {
        let mut command = repo.canonry_command();
        command.args(["hook", "session-start", "--tool", "claude"]);
        let ran = piped(command, br#"{"session_id": "s", "source": "startup"}"#);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    let text = start();
    for part in ["Add a login form (in_progress, owner ann)", "Users can log in.", "Hash passwords.", "## 2026-11-05"] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    repo.write("agent/tasks/search/task.yaml", "title: Search\nstatus: in_progress\n");
    let several = start();
    assert!(several.contains("Tasks in progress: login, search. `canonry context --task ID`"), "{several}");
    assert!(!several.contains("Users can log in."), "{several}");
    for task in ["login", "search"] {
        repo.write(&format!("agent/tasks/{task}/task.yaml"), "title: Done\nstatus: done\n");
    }
    assert!(!start().contains("Task"), "{}", start());
}

#[test]
fn learnings_of_a_finished_task_reach_the_spec_through_review() {
    let repo = repo();
    repo.write("agent/memory/episodic/AGENT_LEARNINGS.jsonl", "");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "Canon"]);
    // The status of a review is 3 while candidates wait.
    let candidates = || -> Vec<Value> {
        let document: Value =
            serde_json::from_str(&repo.canonry(&["memory", "review", "--format", "json"]).stdout).unwrap();
        document["candidates"].as_array().unwrap().clone()
    };
    run(&repo, &["dream"], 0);
    assert_eq!(candidates(), Vec::<Value>::new(), "the task is not done");
    repo.write("agent/tasks/login/task.yaml", TASK.replace("in_progress", "done"));
    run(&repo, &["dream"], 0);
    run(&repo, &["dream"], 0);
    let staged = candidates();
    assert_eq!((staged.len(), &staged[0]["kind"]), (1, &"spec".into()), "{staged:#?}");
    let id = staged[0]["candidate"].as_str().unwrap();
    let before = std::fs::read_to_string(repo.path("agent/spec/backend/login.md")).unwrap();
    run(&repo, &["memory", "accept", id, "--reason", "true", "--now", "2026-11-20T00:00:00Z"], 0);
    let after = std::fs::read_to_string(repo.path("agent/spec/backend/login.md")).unwrap();
    assert_eq!(after, before + "\n## Learnings\n\n- Count failed logins per account. (task login, 2026-11-20, U)\n");
    assert!(repo.git(&["show", "--stat", "--format=", "HEAD"]).contains("spec/backend/login.md"));
    run(&repo, &["memory", "accept", id, "--reason", "again"], 0);
    assert!(!std::fs::read_to_string(repo.path("agent/spec/backend/login.md")).unwrap().contains("again"));
    run(&repo, &["dream"], 0);
    assert_eq!(candidates(), Vec::<Value>::new());
}
