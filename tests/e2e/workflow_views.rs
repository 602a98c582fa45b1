//! `canonry run show`, `status`, `log` and `report`: what people and programs see of runs.

use crate::plan::show::assert_valid;
use crate::support::html::assert_self_contained;
use crate::support::repo::{Ran, Repo};
use insta::assert_snapshot;
use serde_json::Value;

const EVIL: &str = "</pre><script>alert(1)</script><img src=http://x/y onerror=z>";

/// A rejection, parallel parts and a question to a person.
const NOTES: &str = r"name: notes
steps:
  - name: draft
    agent: Writer
    prompt: Draft {{task}}.
    next: review
  - name: review
    check: all
    reject: [REJECTED]
    parallel:
      - {agent: Security, prompt: Check secrets.}
      - {agent: Style, prompt: Check the style.}
    conditions:
      - {keyword: REJECTED, goto: draft}
    next: confirm
  - name: confirm
    human: Is {{task}} good?
    conditions:
      - {keyword: CHANGES, goto: draft}
    next: publish
  - name: publish
    agent: Publisher
    prompt: Publish it.
    end: true
";

/// A gate, retries and routes for failures.
const SHIP: &str = r#"workflow: ship
workflow_version: 1.0.0
steps:
  build:
    owner: Coder
    prompt: Build it.
    context_mode: accumulate
    timeout: 10m
    retry_strategy: serial
    max_retries: 1
    feedback_mode: include_prev_error
    on_max_retries_exceeded: ask
    on_failure: abort
    output: {file: build.json, schema: {passed: bool, score: 'number[0..10]'}}
    next:
      - if: score >= 7
        goto: publish
      - goto: ask
  publish:
    owner: Releaser
    prompt: Publish.
    context_mode: last_only
    timeout: 10m
    on_failure: abort
    output: {file: publish.json, schema: {passed: bool}}
    next: [{goto: end}]
gates:
  - gate_id: ask
    type: interrupt
    trigger_condition: score < 7
    message: Release with score {{build.score}}?
    options:
      - {value: release, goto: publish, default: true}
      - {value: rework, goto: build}
      - {value: stop, goto: abort}
    timeout: 24h
    timeout_action: pause
"#;

fn repo() -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/workflows/notes.yaml", NOTES);
    repo.write("agent/workflows/ship.yaml", SHIP);
    repo
}

#[track_caller]
fn run(repo: &Repo, args: &[&str], status: i32) -> Ran {
    let ran = repo.canonry(&[&["run"], args].concat());
    assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran
}

#[track_caller]
fn valid(repo: &Repo, schema: &str, args: &[&str]) -> Value {
    let text = run(repo, &[args, &["--format", "json"]].concat(), 0).stdout;
    let document = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"));
    assert_valid(schema, &document);
    document
}

/// Begins the next task of a run and answers it.
#[track_caller]
fn answer(repo: &Repo, id: &str, text: &str) {
    run(repo, &["next", id], 0);
    let ran = repo.canonry(&["run", "finish", id, "--details", text]);
    assert!([0, 1, 3].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
}

/// A run of `notes` that was rejected once and waits for a person.
pub fn rejected() -> Repo {
    let repo = repo();
    run(&repo, &["start", "notes", "--task", EVIL], 0);
    for text in [EVIL, "Fine.\nAPPROVED", "A secret in line 3.\nREJECTED", "Second draft.", "APPROVED", "APPROVED"] {
        answer(&repo, "notes-1", text);
    }
    // The question is recorded once somebody wants to go on.
    assert!(run(&repo, &["status", "notes-1"], 0).stdout.contains("confirm waits for a person"));
    run(&repo, &["next", "notes-1"], 3);
    repo
}

/// A run of `ship` whose first answer was invalid, and which waits at its gate.
pub fn shipped() -> Repo {
    let repo = repo();
    run(&repo, &["start", "ship"], 0);
    for text in ["not JSON", "{\"passed\": true, \"score\": 3}"] {
        answer(&repo, "ship-1", text);
    }
    repo
}

/// Without times, which differ in every run, and paths of the test.
fn undated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_time = rest.as_bytes().get(10) == Some(&b'T') && rest.starts_with("20") && rest.get(4..5) == Some("-");
        if is_time {
            let end = rest.find('Z').map_or(rest.len(), |end| end + 1);
            out.push_str("TIME");
            rest = &rest[end..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    // Durations differ under load.
    (0..600).fold(out, |text, tenths| {
        let seconds = f64::from(tenths) / 10.0;
        let text = text.replace(&format!(" after {seconds} s"), " after N s");
        text.replace(&format!("| {seconds} s |"), "| N s |")
    })
}

#[test]
fn a_graph_has_conditions_parts_and_ends() {
    let repo = repo();
    for name in ["notes", "ship"] {
        assert_snapshot!(format!("graph_{name}"), run(&repo, &["show", name], 0).stdout);
        assert_snapshot!(format!("graph_{name}_mermaid"), run(&repo, &["show", name, "--format", "mermaid"], 0).stdout);
        valid(&repo, "run-show.schema.json", &["show", name]);
        let svg = run(&repo, &["show", name, "--format", "svg"], 0).stdout;
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
        let is_dashed = svg.contains("stroke-dasharray=\"5 4\"");
        assert_eq!(is_dashed, name == "ship", "failure routes are dashed: {svg}");
    }
    run(&repo, &["show", "nothing"], 65);
    assert!(!repo.path("agent/runs").exists(), "reading creates nothing");
}

#[test]
fn the_graph_of_a_run_shows_its_path() {
    let repo = rejected();
    assert_snapshot!("graph_run", run(&repo, &["show", "notes-1"], 0).stdout);
    assert_snapshot!("graph_run_mermaid", run(&repo, &["show", "notes-1", "--format", "mermaid"], 0).stdout);
    let shown = valid(&repo, "run-show.schema.json", &["show", "notes-1"]);
    assert_eq!((&shown["kind"], &shown["steps"][0]["status"]), (&"workflow".into(), &"complete".into()));
    let svg = run(&repo, &["show", "notes-1", "--format", "svg"], 0).stdout;
    for shown in ["waiting · person", "complete · 2 visits · Writer", "stroke=\"#2563eb\"", ">REJECTED<"] {
        assert!(svg.contains(shown), "{shown}: {svg}");
    }
}

#[test]
fn a_status_says_what_a_run_waits_for() {
    let repo = repo();
    assert_eq!(run(&repo, &["status"], 0).stdout, "no plan or run is open\n");
    let repo = rejected();
    assert_snapshot!("status_person", undated(&run(&repo, &["status", "notes-1"], 0).stdout));
    let document = valid(&repo, "run-status.schema.json", &["status", "notes-1"]);
    assert_eq!(document["runs"][0]["state"], "needs_person");
    assert_eq!(document["runs"][0]["question"]["name"], "confirm");
    let outcomes: Vec<_> =
        document["runs"][0]["workflow"]["ended"].as_array().unwrap().iter().map(|step| &step["status"]).collect();
    assert_eq!(outcomes, ["complete", "rejected", "complete", "complete"]);
    run(&repo, &["start", "ship"], 0);
    run(&repo, &["next", "ship-1"], 0);
    assert_snapshot!("status_lines", undated(&run(&repo, &["status"], 0).stdout));
    let document = valid(&repo, "run-status.schema.json", &["status", "ship-1"]);
    assert_eq!(document["runs"][0]["state"], "working");
    assert_eq!(document["runs"][0]["attempts"][0]["state"], "running");
    run(&repo, &["abort", "ship-1", "--reason", "enough"], 0);
    assert!(run(&repo, &["status", "ship-1", "--watch"], 0).stdout.contains("aborted\n  reason: enough\n"));
    // A damaged journal hides no other run.
    repo.write("agent/runs/ship-1/events.jsonl", "{\n{\n");
    let document = valid(&repo, "run-status.schema.json", &["status", "--all"]);
    assert_eq!(
        (&document["runs"][0]["name"], &document["runs"][0]["state"]),
        (&"notes-1".into(), &"needs_person".into())
    );
    assert_eq!((&document["runs"][1]["name"], &document["runs"][1]["state"]), (&"ship-1".into(), &"unreadable".into()));
    run(&repo, &["status", "ship-1"], 65);
}

#[test]
fn a_log_has_a_line_per_entry() {
    let repo = rejected();
    assert_snapshot!("log", undated(&run(&repo, &["log"], 0).stdout));
    let lines = run(&repo, &["log", "notes-1", "--format", "json"], 0).stdout;
    assert_eq!(lines, std::fs::read_to_string(repo.path("agent/runs/notes-1/events.jsonl")).unwrap());
    for line in lines.lines() {
        assert_valid("workflow-journal.schema.json", &serde_json::from_str(line).unwrap());
    }
    run(&repo, &["abort", "notes-1"], 0);
    let followed = run(&repo, &["log", "notes-1", "--follow"], 0).stdout;
    assert!(followed.ends_with(" run aborted\n") || followed.contains(" run aborted: "), "{followed}");
}

#[test]
fn documents_of_the_calling_session_match_their_schemas() {
    let repo = repo();
    valid(&repo, "workflow-start.schema.json", &["start", "notes", "--task", "t"]);
    let task = valid(&repo, "workflow-step.schema.json", &["next", "notes-1"]);
    assert_eq!((&task["status"], &task["task"]), (&"TASK".into(), &1.into()));
    let decided = valid(&repo, "workflow-decide.schema.json", &["finish", "notes-1", "--details", "Done."]);
    assert_eq!((&decided["status"], &decided["next"]), (&"STEP_COMPLETE".into(), &"review".into()));
}

#[test]
fn the_page_of_a_run_is_self_contained_and_escapes_every_text() {
    let repo = rejected();
    run(&repo, &["approve", "notes-1", "--option", "CHANGES", "--reason", EVIL], 0);
    let html = run(&repo, &["report", "--format", "html"], 0).stdout;
    assert_self_contained(&html);
    let escaped = html.matches("src=http://x/y onerror=z&gt;").count();
    assert_eq!(html.to_lowercase().matches("http").count(), escaped + html.matches("http-equiv").count());
    for shown in [
        "<h2>Path</h2>",
        "class=\"timeline\"",
        "<td><code>CHANGES</code></td>",
        "<summary>Input</summary>",
        "A secret in line 3.",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(shown), "{shown}");
    }
    run(&repo, &["report", "--output", "page.html"], 0);
    run(&repo, &["report", "--output", "page.html"], 0);
    repo.write("mine.html", "<p>mine</p>\n");
    run(&repo, &["report", "--output", "mine.html"], 5);
    run(&repo, &["report", "--output", "page.txt"], 64);
}

#[test]
fn a_report_is_also_text_markdown_and_a_document() {
    let repo = rejected();
    run(&repo, &["approve", "notes-1", "--option", "CHANGES", "--reason", "too long"], 0);
    assert_snapshot!("report", undated(&run(&repo, &["report"], 0).stdout));
    let page = run(&repo, &["report", "--format", "markdown"], 0).stdout;
    assert_snapshot!("report_markdown", undated(&page));
    let document = valid(&repo, "run-report.schema.json", &["report"]);
    assert_eq!(document["decisions"][0]["option"], "CHANGES");
    let results = document["reports"].as_array().unwrap();
    assert_eq!(results.len(), 6);
    assert!(results.iter().all(|result| result["prompt"].is_string() && result["details"].is_string()), "{document:#}");
}

#[test]
fn the_events_of_workers_match_their_schema() {
    let repo = repo();
    let owner = |name: &str| format!("  {name}: {{argv: [sh, -c, 'cat >/dev/null; echo Done.'], timeout: 20s}}\n");
    let owners: String = ["Writer", "Security", "Style", "Publisher"].map(owner).concat();
    repo.write("agent/owners.yaml", format!("owners:\n{owners}"));
    run(&repo, &["start", "notes", "--task", "t"], 0);
    let events = run(&repo, &["exec", "notes-1", "--format", "json"], 3).stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(|event| assert_valid("run-event.schema.json", event));
    assert_eq!(events[0]["event"], "budget");
    assert_eq!(events.last().unwrap()["status"], "HUMAN_REQUIRED");
    // The prompts of workers are in the report, and their time on the timeline.
    let report = valid(&repo, "run-report.schema.json", &["report"]);
    assert!(report["reports"].as_array().unwrap().iter().all(|result| result["prompt"].is_string()), "{report:#}");
    run(&repo, &["approve", "notes-1", "--option", "done"], 0);
    run(&repo, &["exec", "notes-1"], 0);
    let svg = run(&repo, &["show", "notes-1", "--format", "svg"], 0).stdout;
    assert_eq!(svg.matches("<g class=\"complete\">").count(), 8, "{svg}");
    assert_eq!(valid(&repo, "run-status.schema.json", &["status", "notes-1"])["runs"][0]["state"], "complete");
}
