//! See `benchmark_unknown_skill.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::benchmark::Benchmark;
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;

pub(super) static RULE: Rule = Rule {
    id: "benchmark-unknown-skill",
    summary: "trigger test names a skill that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("benchmark_unknown_skill.md"),
    check: Check::Benchmark(check),
};

fn check(benchmark: &Benchmark, findings: &mut Vec<Finding>) {
    let (Ok(document), Some(skills)) = (&benchmark.document, &benchmark.skills) else { return };
    for named in document.named_skills().into_iter().filter(|named| !skills.contains(&named.text)) {
        let message = format!("no skill is named `{}`", named.text);
        let help = match closest_match(&named.text, skills.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "write the name of a skill in the canon, or `none`".to_owned(),
        };
        findings.push(RULE.at(Location::at(&document.source, named.span), message).help(help));
    }
}
