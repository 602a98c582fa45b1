//! `canonry log`

use crate::dream::team::LOG;
use crate::support::repo::Repo;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn canon() -> Repo {
    Repo::with_skills(&["alpha"])
}

fn last(repo: &Repo) -> Value {
    serde_json::from_str(repo.text(LOG).lines().last().unwrap()).unwrap()
}

fn piped(repo: &Repo, input: &[u8], args: &[&str]) -> crate::support::repo::Ran {
    let mut child = repo
        .command(crate::support::repo::binary())
        .arg("log")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    crate::support::repo::Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn an_episode_is_appended_as_one_line() {
    let repo = canon();
    let args = ["log", "-s", "deploy", "-a", "rolled\nback", "-r", "failure", "--timestamp", "2026-05-01T00:00:00Z"];
    let ran = repo.canonry(&args).expect(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(
        repo.text(LOG),
        "{\"timestamp\":\"2026-05-01T00:00:00Z\",\"skill\":\"deploy\",\"action\":\"rolled\\nback\",\
         \"result\":\"failure\",\"pain_score\":7,\"importance\":5}\n"
    );
    repo.canonry(&["log", "-a", "b", "-r", "success", "-i", "3", "--pain", "4.5", "--detail", &"é".repeat(600)])
        .expect(0);
    let row = last(&repo);
    assert_eq!((&row["pain_score"], &row["importance"]), (&json!(4.5), &json!(3)));
    assert_eq!(row["detail"].as_str().unwrap().chars().count(), 500);
    assert!(row["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(repo.text(LOG).lines().count(), 2);
}

#[test]
fn a_program_can_log_json_on_stdin() {
    let repo = canon();
    piped(&repo, b"{\"action\": \"a\", \"result\": \"success\", \"mine\": {\"x\": [1]}}", &["--json", "-s", "deploy"])
        .expect(0);
    let row = last(&repo);
    assert_eq!((&row["skill"], &row["pain_score"], &row["mine"]), (&json!("deploy"), &json!(2), &json!({"x": [1]})));
    for bad in [&b""[..], b"[]", b"{\"action\": 1}", b"{} {}", b"\xff", b"{\"action\":\"a\",\"pain_score\":11}"] {
        piped(&repo, bad, &["--json"]).expect(65);
    }
    assert_eq!(repo.text(LOG).lines().count(), 1);
}

#[test]
fn episodes_that_violate_the_schema_are_not_logged() {
    let repo = canon();
    for args in [&["-a", "x", "--pain", "0"][..], &["-a", "x", "--importance", "11"], &["-a", "x", "--id", ""]] {
        repo.canonry(&[&["log"], args].concat()).expect(65).says(&["was not logged"]);
    }
    repo.canonry(&["log", "-a", "x", "--timestamp", "soon"]).expect(64);
    repo.canonry(&["log"]).expect(64);
    repo.canonry(&["log", "-a", "x", "--pain", "much"]).expect(64);
    assert!(!repo.exists(LOG));
    let team =
        r#"{"type": "object", "required": ["skill"], "properties": {"result": {"enum": ["success", "failure"]}}}"#;
    repo.write("agent/schemas/episode-schema.json", team);
    repo.canonry(&["log", "-a", "x", "-s", "s", "-r", "so so"]).expect(65).says(&["episode-schema.json"]);
    repo.canonry(&["log", "-a", "x", "-s", "s", "-r", "success"]).expect(0);
}

#[test]
fn a_row_is_not_appended_to_an_incomplete_line() {
    let repo = canon();
    repo.write(LOG, "{\"timestamp\":\"2026-");
    repo.canonry(&["log", "-a", "x"]).expect(0);
    let text = repo.text(LOG);
    assert_eq!(text.lines().next(), Some("{\"timestamp\":\"2026-"));
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn logging_without_a_canon_or_log_is_refused() {
    let repo = Repo::empty();
    repo.canonry(&["log", "-a", "x"]).expect(65);
    assert!(!repo.exists("agent"));
    let repo = canon();
    repo.link(LOG, repo.outside("elsewhere").join("log"));
    repo.canonry(&["log", "-a", "x"]).expect(65).says(&["link"]);
    let repo = canon();
    repo.link("agent/memory", repo.outside("memory"));
    repo.canonry(&["log", "-a", "x"]).expect(65).says(&["link"]);
    let repo = canon();
    repo.write(&format!("{LOG}/file"), "");
    repo.canonry(&["log", "-a", "x"]).expect(70);
}
