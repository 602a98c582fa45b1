//! Output of `explain`.

use canonry_lint::{self as rules, Defaults, FAMILIES, Rule};

/// The page of a rule, with its severity, as Markdown.
pub fn page(rule: &Rule) -> String {
    let severity = severities(rule.severity);
    let (title, rest) = rule.docs.split_once('\n').unwrap_or((rule.docs, ""));
    let body: String = rest.split_inclusive('\n').map(|line| example_label(line) + line).collect();
    format!("{title}\n\nSeverity: {severity}\n{body}")
}

/// The words after the language of an example, such as `invalid agent/AGENTS.md`, as a paragraph of their own.
fn example_label(line: &str) -> String {
    let info = line.strip_prefix("```").unwrap_or_default().trim_end();
    match info.split_once(' ') {
        Some((_, label)) => format!("{}:\n\n", label.replacen(' ', ", ", 1)),
        None => String::new(),
    }
}

fn severities(defaults: Defaults) -> String {
    let team = defaults.team.as_str();
    let spec = defaults.spec.as_str();
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
