//! Prompts of just-do-it as templates.
//!
//! just-do-it puts the task before every prompt, and a prompt names the reports of earlier steps by their files.

use super::super::workflow_files::Notes;
use std::collections::{BTreeMap, BTreeSet};

/// Names that the prompts of a workflow may refer to.
pub(super) struct PromptContext<'a> {
    /// The names of the reports that steps write.
    pub reports: BTreeSet<String>,
    /// Settings that prompts may use, with their values as YAML.
    pub parameters: &'a BTreeMap<String, String>,
}

/// A prompt as a template. Adds the parameters that it uses to `used`.
pub(super) fn template(
    prompt: &str,
    line: usize,
    context: &PromptContext<'_>,
    used: &mut BTreeSet<String>,
    notes: &mut Notes,
) -> String {
    let mut reports = BTreeSet::new();
    let text = replace_report_files(prompt.trim_end(), context, &mut reports, line, notes);
    for name in placeholders(&text) {
        let parameter = name.strip_prefix("config.").or_else(|| name.strip_prefix("parameters.")).unwrap_or(name);
        if context.parameters.contains_key(parameter) {
            used.insert(parameter.to_owned());
        } else if name != "task" && name != "run_id" && !name.starts_with("report.") {
            notes.add(line, format!("`{{{{{name}}}}}` has no counterpart: no step or setting provides it"));
        }
    }
    if text.contains("{task_id}") {
        notes.add(line, "`{task_id}` has no counterpart: a run has an id, `{{run_id}}`, and a task is a text");
    }
    let mut text = text.replace("{{config.", "{{").replace("{{parameters.", "{{");
    if !text.contains("{{task}}") {
        text = format!("## Task\n\n{{{{task}}}}\n\n## Step\n\n{text}");
    }
    for report in
        reports.iter().filter(|report| !text.contains(&format!("{{{{report.{report}}}}}"))).cloned().collect::<Vec<_>>()
    {
        text.push_str(&format!("\n\n## Report {report}\n\n{{{{report.{report}}}}}"));
    }
    text + "\n"
}

/// Replaces `.jdi/reports/{task_id}/NAME.md` and `reports/NAME.md` with the name of the report: a run has its own
/// folder, and a worker may have no access to it.
fn replace_report_files(
    text: &str,
    context: &PromptContext<'_>,
    found: &mut BTreeSet<String>,
    line: usize,
    notes: &mut Notes,
) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("reports/") {
        let (before, from) = rest.split_at(at);
        let after = &from["reports/".len()..];
        let after = after.strip_prefix("{task_id}/").or_else(|| after.strip_prefix("{{task_id}}/")).unwrap_or(after);
        let length = after.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(after.len());
        let (name, end) = after.split_at(length);
        let Some(end) = end.strip_prefix(".md") else {
            out.push_str(before);
            out.push_str("reports/");
            rest = &from["reports/".len()..];
            continue;
        };
        match report_name(name, &context.reports) {
            Some(report) => {
                out.push_str(before.strip_suffix(".jdi/").unwrap_or(before));
                out.push_str(&format!("the report `{report}` below"));
                found.insert(report);
            }
            None => {
                out.push_str(before);
                out.push_str(&from[..from.len() - end.len()]);
                notes.add(line, format!("the prompt names reports/{name}.md, which no step writes"));
            }
        }
        rest = end;
    }
    out + rest
}

/// The report of a file: `review.md`, or `review_0.md` for an agent of a parallel step.
fn report_name(file: &str, reports: &BTreeSet<String>) -> Option<String> {
    let of_child = file.rsplit_once('_').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    [Some(file), of_child.map(|(name, _)| name)]
        .into_iter()
        .flatten()
        .find(|name| reports.contains(*name))
        .map(str::to_owned)
}

/// The names in `{{ }}`.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("{{").skip(1).filter_map(|part| Some(part.split_once("}}")?.0.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(prompt: &str) -> (String, Vec<String>) {
        let parameters = BTreeMap::from([("team".to_owned(), "core".to_owned())]);
        let reports = BTreeSet::from(["plan".to_owned(), "review".to_owned()]);
        let mut used = BTreeSet::new();
        let mut notes = Notes::default();
        let context = PromptContext { reports, parameters: &parameters };
        let text = template(prompt, 1, &context, &mut used, &mut notes);
        (text, used.into_iter().collect())
    }

    #[test]
    fn reports_become_sections() {
        for prompt in ["Do .jdi/reports/{task_id}/plan.md now.", "Do reports/plan.md now."] {
            let (text, _) = converted(prompt);
            assert_eq!(
                text,
                "## Task\n\n{{task}}\n\n## Step\n\nDo the report `plan` below now.\n\n## Report plan\n\n{{report.plan}}\n"
            );
        }
        let (text, _) = converted("{{task}}: fix reports/review_0.md and reports/review_1.md, not reports/else.md");
        assert_eq!(
            text,
            "{{task}}: fix the report `review` below and the report `review` below, not reports/else.md\n\n## Report review\n\n{{report.review}}\n"
        );
    }

    #[test]
    fn settings_become_parameters() {
        let (text, used) = converted("{{task}} for {{config.team}} and {{team}}");
        assert_eq!(text, "{{task}} for {{team}} and {{team}}\n");
        assert_eq!(used, ["team"]);
    }
}
