//! A repository from anyone: what it commits never leads hooks out of it.

use super::{begun, decided, hook};
use crate::support::repo::Repo;
use std::os::unix::fs::symlink;

const SECRET: &str = "xyzzy of another folder";

/// A canon, and a file and a folder outside of its repository with a secret in every file that agents read.
fn surrounded() -> Repo {
    let repo = begun();
    let row = format!(
        r#"{{"timestamp": "2026-05-01T00:00:00Z", "action": "{SECRET}", "result": "failure", "pain_score": 9, "importance": 9, "context": "session s1, claude"}}"#
    );
    for path in [
        "AGENTS.md",
        "memory/semantic/LESSONS.md",
        "memory/personal/PREFERENCES.md",
        "memory/working/WORKSPACE.md",
        "memory/working/ACTIVE_PLAN.md",
        "protocols/permissions.md",
        "protocols/tool_schemas/xyzzy.schema.json",
        "protocols/tool_schemas/plain.schema.json",
        "canonry.yaml",
    ] {
        repo.write(&format!("../outside/{path}"), format!("# Page\n\n- {SECRET}\n"));
    }
    repo.write("../outside/memory/episodic/AGENT_LEARNINGS.jsonl", format!("{row}\n"));
    repo
}

/// The canon is read alike for each tool, so that one tool per link is enough.
const TOOLS: [&str; 4] = ["claude", "cursor", "gemini", "codex"];

fn says_nothing(repo: &Repo, tool: &str, what: &str) {
    for event in ["session-start", "stop", "pre-tool", "failure"] {
        let input = r#"{"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "make"}, "error": "no"}"#;
        let ran = hook(repo, &[event, "--tool", tool, "--now", "2026-05-02T00:00:00Z"], input);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains("xyzzy"), "{what}, {event} of {tool}: {said}");
    }
    for args in [&["context", "--now", "2026-05-02"][..], &["context", "--for", "make", "--now", "2026-05-02"]] {
        let ran = repo.canonry(args);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("xyzzy"), "{what}: {}{}", ran.stdout, ran.stderr);
    }
    // The guards still judge.
    assert_eq!(decided(repo, "rm -rf /"), Some("deny".to_owned()), "{what}");
}

fn replace(repo: &Repo, path: &str, target: &std::path::Path) {
    let at = repo.path(path);
    if at.is_dir() {
        std::fs::remove_dir_all(&at).unwrap();
    } else if at.exists() {
        std::fs::remove_file(&at).unwrap();
    }
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(target, &at).unwrap();
}

#[test]
fn links_to_files_outside_are_not_followed() {
    let mut tools = TOOLS.into_iter().cycle();
    for path in [
        "AGENTS.md",
        "memory/semantic/LESSONS.md",
        "memory/personal/PREFERENCES.md",
        "memory/working/WORKSPACE.md",
        "memory/working/ACTIVE_PLAN.md",
        "memory/episodic/AGENT_LEARNINGS.jsonl",
        "protocols/permissions.md",
        "protocols/tool_schemas/plain.schema.json",
        "canonry.yaml",
    ] {
        for is_absolute in [true, false] {
            let repo = surrounded();
            let outside = repo.path("../outside").canonicalize().unwrap().join(path);
            let up = "../".repeat(path.split('/').count() + 1);
            let target = if is_absolute { outside } else { format!("{up}outside/{path}").into() };
            assert!(repo.path("agent").join(path).parent().unwrap().join(&target).exists() || is_absolute, "{path}");
            replace(&repo, &format!("agent/{path}"), &target);
            says_nothing(&repo, tools.next().unwrap(), path);
        }
    }
}

/// Messages about a config quote its keys.
#[test]
fn a_config_outside_is_not_read() {
    let mut tools = TOOLS.into_iter().cycle();
    for path in ["canonry.yaml", "canonry.local.yaml", "agent/canonry.yaml"] {
        let repo = surrounded();
        repo.write("../outside/canonry.yaml", "xyzzy: 1\n");
        replace(&repo, path, &repo.path("../outside/canonry.yaml").canonicalize().unwrap());
        says_nothing(&repo, tools.next().unwrap(), path);
    }
    let repo = surrounded();
    repo.write("../outside/canonry.yaml", "xyzzy: 1\n");
    replace(&repo, "agent", &repo.path("../outside").canonicalize().unwrap());
    says_nothing(&repo, tools.next().unwrap(), "the config of agent/");
}

#[test]
fn links_to_folders_outside_are_not_followed() {
    let mut tools = TOOLS.into_iter().cycle();
    for folder in ["memory", "memory/semantic", "memory/working", "memory/personal", "memory/episodic", "protocols", ""]
    {
        let repo = surrounded();
        let target = repo.path("../outside").canonicalize().unwrap().join(folder);
        replace(&repo, format!("agent/{folder}").trim_end_matches('/'), &target);
        says_nothing(&repo, tools.next().unwrap(), &format!("agent/{folder}"));
        // A link inside the repository that leads to one that leaves it.
        let repo = surrounded();
        replace(&repo, "away", &target);
        replace(&repo, format!("agent/{folder}").trim_end_matches('/'), &repo.path("away"));
        says_nothing(&repo, tools.next().unwrap(), &format!("away for agent/{folder}"));
    }
}

#[test]
fn links_into_gits_folder_are_not_followed() {
    let repo = begun();
    let config = std::fs::read_to_string(repo.path(".git/config")).unwrap();
    std::fs::write(repo.path(".git/config"), config + "[remote \"origin\"]\n\turl = https://u:xyzzy@example.com/x\n")
        .unwrap();
    std::fs::create_dir_all(repo.path(".git/x")).unwrap();
    std::fs::write(repo.path(".git/x/LESSONS.md"), "- an xyzzy\n").unwrap();
    replace(&repo, "agent/AGENTS.md", std::path::Path::new("../.git/config"));
    replace(&repo, "agent/memory/semantic", std::path::Path::new("../../.git/x"));
    TOOLS.into_iter().for_each(|tool| says_nothing(&repo, tool, "git's folder"));
}

#[test]
fn links_inside_the_repository_are_followed() {
    let repo = begun();
    repo.write("docs/map.md", "# The map of docs\n");
    repo.write("docs/semantic/LESSONS.md", "# Lessons\n\n- a lesson of docs\n");
    replace(&repo, "agent/AGENTS.md", std::path::Path::new("../docs/map.md"));
    replace(&repo, "agent/memory/semantic", std::path::Path::new("../../docs/semantic"));
    let ran = hook(&repo, &["session-start", "--tool", "claude"], "{}");
    assert!(ran.stdout.contains("The map of docs") && ran.stdout.contains("a lesson of docs"), "{}", ran.stdout);
    assert!(repo.canonry(&["context"]).stdout.contains("a lesson of docs"));
    // Also if the repository itself is reached by a link.
    symlink(&repo.root, repo.path("../link")).unwrap();
    let mut run = repo.canonry_command();
    run.current_dir(repo.path("../link")).arg("context");
    assert!(String::from_utf8(run.output().unwrap().stdout).unwrap().contains("a lesson of docs"));
    let input = serde_json::json!({"cwd": repo.path("../link")}).to_string();
    let ran = hook(&repo, &["session-start", "--tool", "claude"], &input);
    assert!(ran.stdout.contains("a lesson of docs"), "{}{}", ran.stdout, ran.stderr);
}
