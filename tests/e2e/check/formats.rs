//! SARIF and GitHub workflow commands.

use super::{json, skill, with};
use crate::support::repo::{COLON, LINK, Repo};
use serde_json::Value;

/// Findings of every kind: fixable, suppressed, baselined, with related locations, for a whole file.
fn sample() -> Repo {
    let repo = with(COLON);
    repo.write("agent/skills/old/SKILL.md", "---\nname: old\ndescription: Use it. It is old: very.\n---\n");
    repo.canonry(&["check", "--write-baseline"]);
    repo.write("agent/skills/triage-bug/SKILL.md", COLON.replace("Triage a", "Triages a"));
    repo.write("agent/skills/deploy-check/SKILL.md", LINK);
    repo.write("agent/skills/twice é/SKILL.md", "---\nname: twice\nname: twice\ndescription: Use it twice.\n---\n");
    repo.write("agent/skills/fine/SKILL.md", skill("our-tier: 2 # canonry: allow skill-schema ours\n", ""));
    repo
}

fn log(repo: &Repo) -> Value {
    serde_json::from_str(&repo.canonry(&["check", "--format", "sarif"]).stdout).unwrap()
}

#[test]
fn sarif_matches_the_public_schema() {
    let schema: Value = serde_json::from_str(include_str!("../public/sarif-2.1.0.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let mut log = log(&sample());
    let errors: Vec<String> = schema.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let having = |key: &str| results.iter().filter(|result| result.get(key).is_some()).count();
    assert!(having("fixes") > 0 && having("relatedLocations") > 0 && having("suppressions") >= 2, "{results:#?}");
    // The schema must reject invalid documents, too.
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = Value::from(0);
    assert!(!schema.is_valid(&log));
}

#[test]
fn sarif_has_the_same_findings_as_json() {
    let repo = sample();
    let log = log(&repo);
    let document = json(&repo, &[]);
    let findings = document["findings"].as_array().unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let counted: Vec<&Value> = results.iter().filter(|result| result.get("suppressions").is_none()).collect();
    assert_eq!(counted.len(), findings.len());
    for (result, finding) in counted.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["rule"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], finding["span"]["line"]);
    }
    // The limits for an upload to GitHub.
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        assert!(rule["properties"]["tags"].as_array().unwrap().len() <= 10, "{rule}");
    }
}

#[test]
fn github_prints_one_command_per_finding_and_a_summary() {
    let repo = sample();
    let ran = repo.canonry(&["check", "--format", "github"]);
    let findings = json(&repo, &[])["findings"].as_array().unwrap().len();
    let commands: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!((commands.len(), ran.status), (findings, 1), "{}", ran.stdout);
    let want =
        "::error file=agent/skills/triage-bug/SKILL.md,line=3,endLine=3,col=34,endColumn=35,title=yaml-invalid::";
    assert!(commands.iter().any(|command| command.starts_with(want)), "{commands:#?}");
    let behind = ran.stdout.lines().skip_while(|line| line.starts_with("::"));
    assert!(behind.clone().next().is_some_and(|line| line.contains("Checked")) && behind.count() > 1, "{}", ran.stdout);
}

#[test]
fn a_branch_without_a_canon_produces_an_empty_document() {
    let repo = Repo::empty();
    let document: Value =
        serde_json::from_str(&repo.canonry(&["check", "--staged", "--format", "sarif"]).stdout).unwrap();
    assert_eq!(document["runs"][0]["results"], serde_json::json!([]));
}
