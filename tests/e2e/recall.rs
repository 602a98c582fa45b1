//! `canonry recall` and `canonry context`: the part of the memory that an agent reads, and its cost in tokens.

use crate::support::repo::{Ran, Repo};
use serde_json::{Value, json};

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const LESSONS: &str = "agent/memory/semantic/LESSONS.md";
const NOW: &str = "2026-05-01T03:00:00Z";

fn row(id: &str, date: &str, action: &str, pain: u32) -> Value {
    json!({"timestamp": date, "id": id, "skill": "deploy", "action": action, "result": "failure", "pain_score": pain,
           "importance": 8, "reflection": format!("what {id} taught"), "detail": "exit 1"})
}

fn log(repo: &Repo, path: &str, rows: &[Value]) {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    repo.write(path, &lines);
}

/// A canon with every part of a context.
fn full() -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/memory/personal/PREFERENCES.md", "# Preferences\n\n- Short answers.\n");
    repo.write("agent/memory/working/WORKSPACE.md", "# Workspace\n\nMoving the site to the new host.\n");
    repo.write("agent/memory/working/ACTIVE_PLAN.md", "# Active plan\n\nNo plan is active.\n");
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- `git push --force`\n");
    repo.write(
        LESSONS,
        "# Lessons\n\n## 2026-04-01\n\n- warm the cache before traffic moves (episodes: e1)\n- keep notes short\n",
    );
    log(
        &repo,
        LOG,
        &[
            row("e1", "2026-04-20", "moved traffic to a cold cache", 9),
            row("e2", "2026-04-28", "forgot the changelog", 3),
            row("e3", "2026-04-29", "cache keys clashed", 4),
        ],
    );
    repo.write(
        "agent/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys the site. Use when it is to go live.\ntriggers: [deploy the site]\n---\n\n# Deploy\n\nSlowly.\n",
    );
    repo.write("agent/skills/deploy/KNOWLEDGE.md", "# Known\n\nFridays are bad.\n");
    repo.write(
        "agent/skills/rollback/SKILL.md",
        "---\nname: rollback\ndescription: Takes a deployment back.\ntriggers: [site]\npreconditions: [ROLLBACK.md exists]\n---\n\n# Back\n",
    );
    repo
}

fn document(repo: &Repo, args: &[&str]) -> Value {
    let Ran { stdout, stderr, status } = repo.canonry(&[args, &["--format", "json", "--now", NOW]].concat());
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}"))
}

fn ids(document: &Value) -> Vec<&str> {
    document["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap_or("lesson")).collect()
}

#[test]
fn recall_finds_lessons_and_episodes_for_a_question() {
    let repo = full();
    insta::assert_snapshot!("recall", repo.shown(&["recall", "--now", NOW, "is the cache warm?"]));
    insta::assert_snapshot!("recall_nothing", repo.shown(&["recall", "--now", NOW, "quantum"]));
    assert_eq!(ids(&document(&repo, &["recall", "cache"])), ["lesson", "e1", "e3"]);
    assert_eq!(ids(&document(&repo, &["recall", "-k", "1", "changelogs"])), ["e2"]);
}

/// Commits everything at a time.
fn commit(repo: &Repo, at: &str) {
    repo.git(&["add", "-A"]);
    let done = repo.command("git").args(["commit", "-qm", "change"]).env("GIT_COMMITTER_DATE", at).status();
    assert!(done.unwrap().success());
}

#[test]
fn lessons_older_than_a_change_of_their_skill_are_flagged_and_rank_last() {
    let repo = full();
    repo.write(
        LESSONS,
        "# Lessons\n\n## 2026-04-20\n\n- warm the cache before traffic moves (episodes: e1)\n- cold caches are slow\n\
         - ask before a forced push, permissions.md is strict\n\n## 2026-04-29\n\n- the cache is per region (episodes: e2)\n",
    );
    repo.write("agent/skills/deploy/scripts/warm.sh", "#!/bin/sh\n");
    commit(&repo, "2026-04-20T10:00:00Z");
    let outdated = || {
        let found = document(&repo, &["recall", "cache"]);
        let hits = found["hits"].as_array().unwrap().clone();
        let lessons = hits.into_iter().filter(|hit| hit["kind"] == "lesson");
        lessons.map(|hit| (hit["text"].as_str().unwrap().to_owned(), hit["outdated"].clone())).collect::<Vec<_>>()
    };
    assert!(outdated().iter().all(|(_, change)| change.is_null()), "{:?}", outdated());
    // Neither a change that is not about the instructions nor one on the day of the lesson counts.
    repo.write("agent/skills/deploy/KNOWLEDGE.md", "# Known\n\nMondays are fine.\n");
    commit(&repo, "2026-04-27T10:00:00Z");
    assert!(outdated().iter().all(|(_, change)| change.is_null()), "{:?}", outdated());
    // A script of the skill counts like its instructions.
    repo.write("agent/skills/deploy/scripts/warm.sh", "#!/bin/sh\ncurl --fail \"$1\"\n");
    repo.append("agent/protocols/permissions.md", "- `git push --mirror`\n");
    commit(&repo, "2026-04-28T10:00:00Z");
    let flagged: Vec<(String, Value)> = outdated().into_iter().filter(|(_, change)| !change.is_null()).collect();
    let text = "warm the cache before traffic moves [older than the change of deploy on 2026-04-28]";
    assert_eq!(flagged, [(text.to_owned(), json!({"subject": "deploy", "changed": "2026-04-28"}))]);
    assert_eq!(outdated().last().unwrap().0, text);
    let context = repo.canonry(&["context", "--now", NOW]).stdout;
    let [old, new] = [text, "the cache is per region"].map(|lesson| context.find(lesson).expect(lesson));
    assert!(new < old && context.contains("[older than the change of permissions.md on 2026-04-28]"), "{context}");
    let status = document(&repo, &["memory", "status"]);
    assert_eq!(status["outdated"].as_array().unwrap().len(), 2, "{status}");
    assert_eq!(status["outdated"][0]["subject"], "deploy");
}

#[test]
fn snapshots_are_searched_on_request() {
    let repo = full();
    log(&repo, "agent/memory/episodic/snapshots/2025-01.jsonl", &[row("old", "2025-01-03", "cache burnt", 10)]);
    assert!(!ids(&document(&repo, &["recall", "cache"])).contains(&"old"));
    assert!(ids(&document(&repo, &["recall", "--snapshots", "cache"])).contains(&"old"));
}

#[test]
fn secrets_are_redacted() {
    let repo = full();
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    log(&repo, LOG, &[row("e1", "2026-04-20", &format!("cache with {token}"), 9)]);
    repo.write(LESSONS, format!("- cache {token}\n"));
    repo.write("agent/memory/personal/PREFERENCES.md", format!("My token is {token}.\n"));
    repo.write("agent/skills/deploy/KNOWLEDGE.md", format!("It is {token}.\n"));
    for args in [&["recall", "cache"][..], &["context", "--for", "deploy the site"]] {
        for format in ["human", "json"] {
            let ran = repo.canonry(&[args, &["--now", NOW, "--format", format]].concat());
            assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{args:?}");
            assert!(ran.stdout.contains(", redacted]"), "{args:?}: {}", ran.stdout);
        }
    }
}

#[test]
fn output_stays_within_its_budget() {
    let repo = full();
    // What is never allowed is not cut.
    std::fs::remove_file(repo.path("agent/protocols/permissions.md")).unwrap();
    for budget in [0_usize, 1, 7, 20, 40, 60, 90, 130, 200, 400] {
        let text = budget.to_string();
        let recalled = repo.canonry(&["recall", "--now", NOW, "--budget", &text, "cache traffic"]).stdout;
        let context = repo.canonry(&["context", "--now", NOW, "--budget", &text, "--for", "deploy the site"]).stdout;
        for printed in [recalled, context] {
            assert!(printed.chars().count().div_ceil(4) <= budget, "{budget}: {printed}");
        }
    }
}

#[test]
fn context_contains_all_parts_and_their_costs() {
    let repo = full();
    insta::assert_snapshot!("context", repo.shown(&["context", "--now", NOW, "--for", "deploy the site, warm cache"]));
    insta::assert_snapshot!(
        "context_small",
        repo.shown(&["context", "--now", NOW, "--for", "deploy the site", "--budget", "70"])
    );
    let document = document(&repo, &["context"]);
    let parts: Vec<&str> = document["parts"].as_array().unwrap().iter().map(|p| p["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["personal", "workspace", "prohibitions", "lessons", "episodes", "rewrite"]);
    let costs: u64 = document["parts"].as_array().unwrap().iter().map(|part| part["cost"].as_u64().unwrap()).sum();
    assert!(costs >= document["used"].as_u64().unwrap());
    repo.write("ROLLBACK.md", "# How\n");
    let text = repo.canonry(&["context", "--now", NOW, "--for", "the site"]).stdout;
    assert!(text.contains("## rollback"), "{text}");
}

#[test]
fn unreadable_memory_files_are_reported() {
    let repo = full();
    repo.append(LOG, "<<<<<<< HEAD\n{\"a\": 1}\n");
    let ran = repo.canonry(&["recall", "--now", NOW, "changelog"]);
    assert_eq!((ran.status, ran.stdout.lines().count()), (0, 1));
    assert!(ran.stderr.contains("2 invalid lines"), "{}", ran.stderr);
    assert_eq!(repo.canonry(&["recall", "--now", "soon", "cache"]).status, 64);
    std::fs::remove_file(repo.path(LOG)).unwrap();
    std::fs::create_dir(repo.path(LOG)).unwrap();
    let ran = repo.canonry(&["recall", "cache"]);
    assert_eq!(ran.status, 65, "{}", ran.stderr);
    assert!(ran.stderr.contains(LOG), "{}", ran.stderr);
    assert_eq!(repo.canonry(&["context"]).status, 65);
    assert_eq!(Repo::empty().canonry(&["context"]).status, 65);
}

#[test]
fn recall_and_context_write_nothing() {
    let repo = full();
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "all"]);
    repo.canonry(&["recall", "cache"]);
    repo.canonry(&["context", "--for", "deploy the site"]);
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]), "");
}
