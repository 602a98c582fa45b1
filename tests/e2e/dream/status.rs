//! `canonry memory status`, `report` and `explain`.

use crate::dream::team::{LOG, NOW, row, rows, team};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use serde_json::{Value, json};

impl Repo {
    #[track_caller]
    pub fn memory(&self, args: &[&str]) -> crate::support::repo::Ran {
        self.canonry(&[&["memory"], args, &["--now", NOW]].concat())
    }

    #[track_caller]
    fn status(&self, args: &[&str]) -> Value {
        let ran = self.memory(&[&["status", "--format", "json"], args].concat()).expect(0);
        let document = serde_json::from_str(&ran.stdout).unwrap();
        let schema: Value = serde_json::from_str(include_str!("../../../schemas/memory-status.schema.json")).unwrap();
        assert!(jsonschema::meta::is_valid(&schema));
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert_eq!(validator.iter_errors(&document).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
        for (pointer, wrong) in [("/schema", json!("x")), ("/log/rows", json!(-1)), ("/thresholds", json!({}))] {
            let mut other = document.clone();
            *other.pointer_mut(pointer).unwrap() = wrong;
            assert!(!validator.is_valid(&other), "{pointer}");
        }
        document
    }
}

fn many() -> Repo {
    let repo = team(rows() + &row("a3", 20, "a", 2) + "oops\n");
    repo.dream(&[]).expect(0);
    repo.write(LOG, repo.text(LOG) + &row("c1", 10, "c", 6) + &row("c2", 11, "c", 6));
    repo
}

#[test]
fn status_lists_contents_and_patterns() {
    let repo = many();
    let tree = repo.tree();
    let seen = repo.status(&[]);
    assert_same(&repo.tree(), &tree, "looking");
    assert_eq!((&seen["now"], &seen["folder"]), (&json!("2026-05-01T03:00:00Z"), &json!("agent/memory")));
    assert_eq!(seen["log"]["rows"], 6);
    assert_eq!((&seen["log"]["oldest"], &seen["log"]["newest"]), (&json!("2026-04-11"), &json!("2026-04-30")));
    assert_eq!(seen["log"]["bytes"], repo.read(LOG).len());
    assert_eq!((&seen["snapshots"]["rows"], &seen["snapshots"]["files"]), (&json!(2), &json!(2)));
    assert_eq!((&seen["lessons"]["lessons"], &seen["quarantined"]), (&json!(1), &json!(1)));
    // The message of the next dream equals that of `dream --dry-run`.
    assert_eq!(seen["next_dream"], repo.dream_json(&["--dry-run"])["message"]);
    let patterns = seen["patterns"].as_array().unwrap();
    assert_eq!(
        patterns.iter().map(|p| (&p["id"], &p["rows"], &p["promoted"])).collect::<Vec<_>>(),
        [(&json!("a1"), &json!(3), &json!(true)), (&json!("c1"), &json!(2), &json!(true)),]
    );
    let weight = patterns[0]["salience"].as_f64().unwrap();
    assert!((weight - 10.0 * (-1.0f64 / 30.0).exp2() * 0.9 * 3.0).abs() < 1e-9, "{weight}");
    let weeks = seen["weeks"].as_array().unwrap();
    assert_eq!(weeks.len(), 12);
    assert_eq!(weeks.last().unwrap(), &json!({"start": "2026-04-27", "rows": 3, "archived": 0}));
    assert_eq!(weeks.iter().map(|week| week["rows"].as_u64().unwrap()).sum::<u64>(), 6);
    let first = repo.status(&["--top", "1"]);
    assert_eq!((first["patterns"].as_array().unwrap().len(), &first["patterns_in_all"]), (1, &json!(2)));
}

#[test]
fn status_as_text() {
    let repo = many();
    insta::assert_snapshot!(repo.memory(&["status"]).expect(0).stdout);
    let empty = Repo::with_skills(&["alpha"]);
    empty.memory(&["status"]).expect(0).says(&["log         0 rows", "A dream now: nothing new."]);
    Repo::empty().memory(&["status"]).expect(65).says(&["no canon found"]);
}

#[test]
fn report_writes_a_self_contained_page() {
    let repo = many();
    let script = |id: &str| row(id, 1, "<script>alert(1)</script>", 5);
    repo.write(LOG, repo.text(LOG) + &script("x1") + &script("x2"));
    repo.memory(&["status", "--html", "report.html"]).expect(0).says(&["wrote     report.html"]);
    let page = repo.text("report.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<h2>Rows by week").count(), 1);
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"), "{page}");
    // Overwrites its own page, but no user file.
    repo.memory(&["status", "--html", "report.html"]).expect(0);
    repo.write("notes.html", "mine");
    repo.memory(&["status", "--html", "notes.html"]).expect(5).says(&["was not written by canonry"]);
    assert_eq!(repo.text("notes.html"), "mine");
    repo.memory(&["status", "--html", "agent"]).expect(5);
    repo.canonry(&["memory", "status", "--now", "noon"]).expect(64);
}

fn explained(repo: &Repo, id: &str) -> Value {
    let ran = repo.memory(&["explain", id, "--format", "json"]).expect(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../../schemas/memory-explain.schema.json")).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_eq!(validator.iter_errors(&document).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert!(!validator.is_valid(&json!({"schema": "canonry/memory-explain/v1"})));
    document
}

#[test]
fn explain_shows_each_factor_of_a_salience() {
    let repo = many();
    let best = explained(&repo, "a1");
    let terms = ["recency", "pain", "importance", "recurrence"].map(|term| best["terms"][term].as_f64().unwrap());
    assert_eq!(terms[1..], [0.9, 1.0, 3.0]);
    assert_eq!(terms.iter().product::<f64>(), best["salience"].as_f64().unwrap());
    assert_eq!(best["pattern"]["rows"], json!(["a1", "a2", "a3"]));
    assert_eq!((&best["pattern"]["promoted"], &best["archived"]), (&json!(true), &json!(false)));
    // A row that does not represent its pattern has a salience of its own.
    let other = explained(&repo, "a3");
    assert_eq!((&other["pattern"]["best"], &other["terms"]["recurrence"]), (&json!("a1"), &json!(1.0)));
    assert_eq!(explained(&repo, "b1")["pattern"], Value::Null);
}

#[test]
fn explain_a_row_as_text() {
    let repo = many();
    repo.write(LOG, repo.text(LOG) + &row("gone", 200, "g", 1));
    let shown = ["a1", "a3", "b1", "gone", "old1"].map(|id| repo.memory(&["explain", id]).expect(0).stdout);
    insta::assert_snapshot!(shown.join("\n"));
    repo.memory(&["explain", "nobody"]).expect(65).says(&["no row `nobody`"]);
}

#[test]
fn decisions_are_due_from_their_date_on() {
    let repo = team(rows());
    let decision = |title: &str, date: &str| {
        format!("## {title}\n\nStatus: accepted\nDecision: x\nRationale: y\nAlternatives: z\nRevisit: {date}\n\n")
    };
    let [due, later] = [decision("Use one queue", "2026-05-01"), decision("Keep the monolith", "2026-05-02")];
    repo.write("agent/memory/semantic/DECISIONS.md", format!("# Decisions\n\n{due}{later}"));
    assert_eq!(repo.status(&[])["due_decisions"], json!([{"title": "Use one queue", "date": "2026-05-01"}]));
    let text = repo.memory(&["status"]).expect(0).stdout;
    assert!(text.contains("revisit     the decision \"Use one queue\", due since 2026-05-01"), "{text}");
    assert!(!text.contains("monolith"), "{text}");
}
