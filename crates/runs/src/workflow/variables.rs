//! The variables of prompts, templates, messages and file names: `{{name}}`.

use super::inputs::may_provide;
use super::template;
use canonry_model::canon::workflow::{WorkflowDefinition, WorkflowFiles};

/// Variables that a run sets for every step.
pub const RUN_VARIABLES: [&str; 9] =
    ["task", "run_id", "run", "iteration", "candidate", "attempt", "step", "agent", "owner"];

/// The fields that every step provides when it fails.
const FAILURE_FIELDS: [&str; 2] = ["passed", "error"];

/// Source of a variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSource {
    /// The run: its task, its id, the number of the candidate or of the attempt.
    Run,
    /// A report, or the output of a step.
    Result,
    /// A parameter of the workflow, or a value of the `config.yaml` beside it.
    Parameter,
}

/// Source of a variable's value; `None` if nothing sets it.
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

/// Whether a step, a child of a step or a report has this name. The extension may be left out.
fn is_report(definition: &WorkflowDefinition, name: &str) -> bool {
    let is_name = |report: &str| report == name || report.rsplit_once('.').is_some_and(|(stem, _)| stem == name);
    definition.steps.iter().any(|step| {
        let reports = step.fan_out.children.iter().flat_map(|child| [&child.report, &child.name]);
        let mut reports = reports.chain([&step.report]).flatten();
        step.name.text == name || reports.any(|report| is_name(&report.text))
    })
}

/// Whether a name is `step`, `step.field`, `phases.step.field`, or the id of a gate.
fn is_output(definition: &WorkflowDefinition, files: &WorkflowFiles, name: &str) -> bool {
    let name = ["phases.", "steps."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let (outer, field) = name.split_once('.').map_or((name, None), |(outer, field)| (outer, Some(field)));
    if definition.gates.iter().any(|gate| gate.id.text == outer) {
        return true;
    }
    let Some(step) = definition.steps.iter().position(|step| step.name.text == outer) else { return false };
    let has_field = |field: &str| {
        FAILURE_FIELDS.contains(&field) || !definition.is_durable() || may_provide(definition, files, step, field)
    };
    field.is_none_or(has_field)
}

/// The variables of a text with the position of their names.
pub fn variables(text: &str) -> Vec<(usize, &str)> {
    let base = text.as_ptr() as usize;
    template::variables(text).into_iter().map(|(name, _)| (name.as_ptr() as usize - base, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::Layout;
    use canonry_model::canon::blob::BlobError;
    use canonry_model::canon::schema::Schemas;
    use canonry_model::canon::workflow::Workflow;
    use canonry_text::RepoPath;

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
        for name in [
            "report.a",
            "reports.notes",
            "report.notes.md",
            "a.passed",
            "a.bug.trace",
            "phases.a.passed",
            "b.x",
            "a",
            "g",
        ] {
            assert_eq!(source(name), Some(VariableSource::Result), "{name}");
        }
        for name in ["lang", "params.tone", "team", "out"] {
            assert_eq!(source(name), Some(VariableSource::Parameter), "{name}");
        }
        for name in ["report.x", "a.other", "c.x", "phases.x.y", "language", "tone.x", "tasks"] {
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
