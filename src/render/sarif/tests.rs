#![allow(clippy::unwrap_used)]

use super::*;
use canonry_model::finding::TextEdit;
use std::sync::Arc;

fn parsed_log(report: &CheckReport, max_results: usize) -> Value {
    serde_json::from_str(&log(report, max_results)).unwrap()
}

fn sample() -> CheckReport {
    let source = Arc::new(Source::new(RepoPath::from("a b/é.md"), "é: x: y\n".to_owned()));
    let at = |rule: &str, from: usize, to: usize| {
        rules::find(rule).unwrap().at(Location::at(&source, Span::new(from, to)), "m")
    };
    let one = |finding| rules::resolve(vec![finding], |_| Severity::Error);
    let fix = Fix::safe("quote it", vec![TextEdit::new(Span::new(4, 8), "\"x: y\"")]);
    let unsafely = Fix::unsafe_edits("guess", vec![TextEdit::new(Span::new(0, 2), "e")]);
    let related =
        at("yaml-invalid", 4, 5).fix(fix).help("quote").related(Location::file(&RepoPath::from("c")), "there");
    CheckReport {
        findings: [one(related), one(at("name-invalid", 0, 2).fix(unsafely))].concat(),
        suppressed: one(at("broken-link", 0, 0)),
        baselined: one(at("broken-link", 0, 8)),
        ..CheckReport::default()
    }
}

#[test]
fn results_have_location_message_and_fix() {
    let log = parsed_log(&sample(), MAX_RESULTS);
    let run = &log["runs"][0];
    let first = &run["results"][0];
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%A9.md");
    let region = serde_json::json!({"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 5});
    assert_eq!(place["region"], region);
    assert_eq!(first["relatedLocations"][0]["physicalLocation"]["region"], serde_json::json!({"startLine": 1}));
    let replaced = &first["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replaced["insertedContent"]["text"], "\"x: y\"");
    assert_eq!(replaced["deletedRegion"]["endColumn"], 8);
    assert_eq!(run["results"][1].get("fixes"), None, "an unsafe fix is not offered");
    let kinds: Vec<&Value> = [2, 3].iter().map(|at| &run["results"][at]["suppressions"][0]["kind"]).collect();
    assert_eq!(kinds, ["external", "inSource"]);
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert_eq!(result["partialFingerprints"][FINGERPRINT].as_str().unwrap().len(), 32);
    }
}

#[test]
fn most_severe_results_are_kept_if_there_are_too_many() {
    let at = |rule: &str| rules::find(rule).unwrap().at(Location::file(&RepoPath::from("a")), "m");
    let findings = ["orphan-file", "secret", "home-path", "plan-cycle"].map(at).to_vec();
    let report = CheckReport { findings, ..sample() };
    let log = parsed_log(&report, 3);
    let ids: Vec<&Value> = log["runs"][0]["results"].as_array().unwrap().iter().map(|r| &r["ruleId"]).collect();
    assert_eq!(ids, ["secret", "plan-cycle", "home-path"]);
    let text = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(text.as_str().unwrap().starts_with("dropped 3 results"), "{text}");
}
