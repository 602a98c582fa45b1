//! The dependency graph of a plan as Mermaid and as DOT, with a colour per status.

use super::one_line;
use crate::app::plan::StepStatus;
use crate::app::plan::show::Outcome;
use std::fmt::Write as _;

/// The fill colour of a status; all have enough contrast to black text.
pub(super) fn colour(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending | StepStatus::Unknown => "#e5e7eb",
        StepStatus::InProgress => "#93c5fd",
        StepStatus::Complete => "#86efac",
        StepStatus::Blocked => "#fca5a5",
    }
}

/// A Mermaid flowchart. An arrow leads from a step to the steps that depend on it.
pub fn to_mermaid(outcome: &Outcome) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for (at, step) in outcome.steps.iter().enumerate() {
        let _ = writeln!(text, "    s{at}[\"{}\"]:::{}", mermaid_label(&step.id), step.status.as_str());
    }
    for (at, step) in outcome.steps.iter().enumerate() {
        for dep in &step.deps {
            let _ = writeln!(text, "    s{dep} --> s{at}");
        }
    }
    for status in StepStatus::VALID {
        let _ = writeln!(text, "    classDef {} fill:{},color:#000", status.as_str(), colour(status));
    }
    text
}

/// Everything but letters, digits and a few marks becomes a numeric entity, because labels can contain Markdown and HTML.
fn mermaid_label(id: &str) -> String {
    let escaped = |c: char| match c {
        c if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ') => c.to_string(),
        c => format!("#{};", u32::from(c)),
    };
    one_line(id).chars().map(escaped).collect()
}

/// A DOT digraph. An arrow leads from a step to the steps that depend on it.
pub fn to_dot(outcome: &Outcome) -> String {
    let mut text = format!(
        "digraph \"{}\" {{\n    node [shape=box, style=filled, fontcolor=\"#000000\"];\n",
        dot_string(&outcome.plan)
    );
    for (at, step) in outcome.steps.iter().enumerate() {
        let _ =
            writeln!(text, "    s{at} [label=\"{}\", fillcolor=\"{}\"];", dot_string(&step.id), colour(step.status));
    }
    for (at, step) in outcome.steps.iter().enumerate() {
        for dep in &step.deps {
            let _ = writeln!(text, "    s{dep} -> s{at};");
        }
    }
    text.push_str("}\n");
    text
}

fn dot_string(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_leave_their_quotes() {
        assert_eq!(mermaid_label("a\"]; click `b` <i>#"), "a#34;#93;#59; click #96;b#96; #60;i#62;#35;");
        assert_eq!(dot_string("a\"\\\n"), "a\\\"\\\\\\\\n");
    }
}
