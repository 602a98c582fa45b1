//! Output of `explain`.

use crate::rules::{self, Defaults, FAMILIES, FormerRule, Rule};

/// The page of a rule, with its aliases.
pub fn page(rule: &Rule) -> String {
    let severity = severities(rule.severity);
    let alias = |former: &FormerRule| match former.severity == rule.severity {
        true => former.id.to_owned(),
        false => format!("{} ({})", former.id, severities(former.severity)),
    };
    let aliases: Vec<String> = rule.former_rules().iter().map(alias).collect();
    let aliases = if aliases.is_empty() { String::new() } else { format!("Aliases: {}\n", aliases.join(", ")) };
    let (title, rest) = rule.docs.split_once('\n').unwrap_or((rule.docs, ""));
    format!("{title}\n\nSeverity: {severity}\n{aliases}{rest}")
}

fn severities(defaults: Defaults) -> String {
    let (team, spec) = (defaults.team.as_str(), defaults.spec.as_str());
    if team == spec { team.to_owned() } else { format!("{team}; {spec} under `--profile spec`") }
}

/// All rules by family, one per line.
pub fn list() -> String {
    let width = rules::all().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (family, rules) in &FAMILIES {
        text.push_str(&format!("{family}\n"));
        for rule in *rules {
            let severity = rule.severity.team.as_str();
            text.push_str(&format!("  {:width$}  {severity:7}  {}\n", rule.id, rule.summary));
        }
    }
    text
}
