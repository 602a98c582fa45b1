//! The number of findings per rule.

use canonry_lint::Finding;
use canonry_model::finding::{Applicability, Severity};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The findings of one rule with one severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RuleCount {
    pub rule: &'static str,
    pub severity: Severity,
    pub findings: usize,
    /// Findings with a fix.
    pub fixable: usize,
    /// Findings with a safe fix.
    pub safely_fixable: usize,
}

/// Counts findings by rule, the most severe and the most frequent first.
pub(super) fn count_by_rule<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<RuleCount> {
    let mut counts: BTreeMap<(Reverse<Severity>, &'static str), RuleCount> = BTreeMap::new();
    for finding in findings {
        let rule = finding.rule.id;
        let severity = finding.severity;
        let none = RuleCount { rule, severity, findings: 0, fixable: 0, safely_fixable: 0 };
        let count = counts.entry((Reverse(severity), rule)).or_insert(none);
        let applicability = finding.fix.as_ref().map(|fix| fix.applicability);
        count.findings += 1;
        count.fixable += usize::from(applicability.is_some());
        count.safely_fixable += usize::from(applicability == Some(Applicability::Safe));
    }
    let mut counts: Vec<RuleCount> = counts.into_values().collect();
    counts.sort_by_key(|count| (Reverse(count.severity), Reverse(count.findings)));
    counts
}

/// One line per rule: the number of findings, severity, rule, and how many can be fixed.
pub(super) fn table(counts: &[RuleCount]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let rule_width = counts.iter().map(|count| count.rule.len()).max().unwrap_or_default();
    let line = |count: &RuleCount| {
        let fixable = match (count.safely_fixable, count.fixable - count.safely_fixable) {
            (0, 0) => String::new(),
            (safe, 0) => format!("{safe} fixable"),
            (0, others) => format!("{others} fixable with --fix=unsafe"),
            (safe, others) => format!("{safe} fixable, {others} more with --fix=unsafe"),
        };
        let severity = count.severity.as_str();
        let line = format!("{:>6}  {severity:<7}  {:<rule_width$}  {fixable}", count.findings, count.rule);
        format!("{}\n", line.trim_end())
    };
    counts.iter().map(line).chain(["\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::finding::{Fix, Location};
    use canonry_text::RepoPath;

    #[test]
    fn rules_are_counted_by_severity_and_number() {
        let at = |rule: &str| canonry_lint::find(rule).unwrap().at(Location::file(&RepoPath::from("a")), "m");
        let found = [
            at("home-path"),
            at("key-dropped").fix(Fix::safe("t", Vec::new())),
            at("key-dropped").fix(Fix::unsafe_edits("t", Vec::new())),
            at("key-dropped"),
            at("secret"),
            at("seen-twice").fix(Fix::unsafe_edits("t", Vec::new())),
        ];
        let want = "     1  error    secret\n     3  warning  key-dropped  1 fixable, 1 more with --fix=unsafe\n     \
                    1  warning  home-path\n     1  warning  seen-twice   1 fixable with --fix=unsafe\n\n";
        assert_eq!(table(&count_by_rule(&found)), want);
        assert_eq!(table(&[]), "");
    }
}
