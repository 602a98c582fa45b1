#![allow(clippy::unwrap_used)]

use super::*;
use crate::finding::{RawFinding, TextEdit, resolve};
use crate::rules::ResolvedFindings;
use serde_json::Value;
use std::sync::Arc;

fn written(settled: &ResolvedFindings, most: usize) -> Value {
    let report = Report { settled, files: 1, skills: 1, fixed: 0 };
    serde_json::from_str(&log(&report, most)).unwrap()
}

fn sample() -> ResolvedFindings {
    let source = Arc::new(Source::new(RepoPath::from("a b/é.md"), "é: x: y\n".to_owned()));
    let draft = |from: usize, to: usize| RawFinding::new(Location::at(&source, Span::new(from, to)), "m");
    let fix = Fix::safe("quote it", vec![TextEdit::new(Span::new(4, 8), "\"x: y\"")]);
    let unsafely = Fix::unsafe_edits("guess", vec![TextEdit::new(Span::new(0, 2), "e")]);
    let one = |rule, draft| resolve(vec![(rule, draft)], |_, _| Severity::Error);
    let related = draft(4, 5).fix(fix).help("quote").related(Location::file(&RepoPath::from("c")), "there");
    ResolvedFindings {
        findings: [one("yaml-invalid", related), one("name-case", draft(0, 2).fix(unsafely))].concat(),
        allowed: one("broken-link", draft(0, 0)),
        baselined: one("broken-link", draft(0, 8)),
        stale_baseline_entries: 0,
    }
}

#[test]
fn says_where_what_and_how_to_mend_it() {
    let log = written(&sample(), RESULTS);
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
fn of_too_many_the_most_severe_are_kept_and_the_rest_is_told() {
    let at = |path: &str| RawFinding::new(Location::file(&RepoPath::from(path)), "m");
    let drafts = vec![("a", at("1")), ("b", at("2")), ("c", at("3")), ("d", at("4"))];
    let severity = |rule: &'static str, _: &RepoPath| match rule {
        "a" => Severity::Info,
        "c" => Severity::Warning,
        _ => Severity::Error,
    };
    let settled = ResolvedFindings { findings: resolve(drafts, severity), ..sample() };
    let log = written(&settled, 3);
    let ids: Vec<&Value> = log["runs"][0]["results"].as_array().unwrap().iter().map(|r| &r["ruleId"]).collect();
    assert_eq!(ids, ["b", "d", "c"]);
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(told.as_str().unwrap().starts_with("3 results are left out"), "{told}");
}
