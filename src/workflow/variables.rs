//! The variables of prompts, templates, messages and file names: `{{name}}`.

use super::inputs::may_provide;
use super::template;
use crate::canon::workflow::{WorkflowDefinition, WorkflowFiles};

/// Variables that a run sets for every step.
pub const RUN_VARIABLES: [&str; 9] =
    ["task", "run_id", "run", "iteration", "candidate", "attempt", "step", "agent", "owner"];

/// What sets a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSource {
    /// The run: its task, its id, the number of the candidate or of the attempt.
    Run,
    /// A report, or the output of a step.
    Result,
    /// A parameter of the workflow, or a value of the `config.yaml` beside it.
    Parameter,
}

/// What sets a variable; `None` if nothing does.
pub fn variable_source(definition: &WorkflowDefinition, files: &WorkflowFiles, name: &str) -> Option<VariableSource> {
    if RUN_VARIABLES.contains(&name) {
        return Some(VariableSource::Run);
    }
    let below = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    if let Some(report) = below(&["report.", "reports."]) {
        return is_report(definition, report).then_some(VariableSource::Result);
    }
    let parameter = below(&["parameters.", "config.", "params."]).unwrap_or(name);
    let is_declared = definition.parameters.iter().any(|declared| declared.name.text == parameter);
    if is_declared || files.parameters.contains(parameter) {
        return Some(VariableSource::Parameter);
    }
    if is_output(definition, files, name) {
        return Some(VariableSource::Result);
    }
    files.has_unreadable_config.then_some(VariableSource::Parameter)
}

/// Whether a step or its report has this name. The extension of a report may be left out.
fn is_report(definition: &WorkflowDefinition, name: &str) -> bool {
    let bare = |name: &str| name.strip_suffix(".md").unwrap_or(name).to_owned();
    let reports = definition.steps.iter().flat_map(|step| [Some(&step.name), step.report.as_ref()]).flatten();
    reports.map(|report| bare(&report.text)).any(|report| report == bare(name))
}

/// Whether a name is `step.field` or `phases.step.field`.
fn is_output(definition: &WorkflowDefinition, files: &WorkflowFiles, name: &str) -> bool {
    let name = ["phases.", "steps."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let Some((outer, field)) = name.split_once('.') else { return false };
    let Some(step) = definition.steps.iter().position(|step| step.name.text == outer) else { return false };
    !definition.is_durable() || may_provide(definition, files, step, field)
}

/// The variables of a text with the position of their name. `\{{` is not one.
pub fn variables(text: &str) -> Vec<(usize, String)> {
    let at = |name: &str, braces: usize| braces + text[braces..].find(name).unwrap_or_default();
    template::variables(text).into_iter().map(|(name, braces)| (at(&name, braces), name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::Blob;
    use crate::canon::Layout;
    use crate::canon::blob::BlobError;
    use crate::canon::schema::Schemas;
    use crate::canon::workflow::Workflow;
    use crate::syntax::RepoPath;

    #[test]
    fn something_sets_each_variable() {
        let text = "workflow: w\nparameters: {lang: de, tone: null}\nsteps:\n  a: {owner: A, report: notes.md, output: {file: a.json, schema: {passed: bool, bug: object}}}\n  b: {owner: B, output: {file: b.json, schema: b.schema.json}}\n  c: {owner: B}\ngates: [{gate_id: g}]\n";
        let read = |path: &RepoPath| match path.to_display().as_str() {
            "agent/workflows/config.yaml" => Blob::Bytes("team: x\nw: {out: y}\n".into()),
            _ => Blob::Missing(BlobError::Absent),
        };
        let path = RepoPath::from("agent/workflows/w.yaml");
        let workflow = Workflow::parse(path, Blob::Bytes(text.into()), &Schemas::default());
        let workflow = workflow.with_files(&Layout::default(), &read);
        let document = workflow.document.as_ref().unwrap();
        let source = |name| variable_source(document.definition().unwrap(), &workflow.files, name);
        for name in ["task", "run_id", "candidate", "attempt", "step"] {
            assert_eq!(source(name), Some(VariableSource::Run), "{name}");
        }
        for name in
            ["report.a", "reports.notes", "report.notes.md", "a.passed", "a.bug.trace", "phases.a.passed", "b.x"]
        {
            assert_eq!(source(name), Some(VariableSource::Result), "{name}");
        }
        for name in ["lang", "params.tone", "team", "out"] {
            assert_eq!(source(name), Some(VariableSource::Parameter), "{name}");
        }
        for name in ["report.x", "a.other", "c.x", "phases.x.y", "language", "tone.x", "tasks", "a", "g"] {
            assert_eq!(source(name), None, "{name}");
        }
    }

    #[test]
    fn variables_have_a_position() {
        let text = "Do {{task}} in {{ lang }}: \\{{escaped}} {{}} {{open";
        let found = variables(text);
        let found: Vec<&str> = found.iter().map(|(at, name)| &text[*at..at + name.len()]).collect();
        assert_eq!(found, ["task", "lang"]);
    }
}
