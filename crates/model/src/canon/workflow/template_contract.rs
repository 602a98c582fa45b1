//! The output contract in a template: a section whose code block names the fields of the answer.
//!
//! ````markdown
//! ## Output Contract
//!
//! ```json
//! {"passed": true, "error": null, "score": "number[0..1]"}
//! ```
//! ````

use super::WorkflowFiles;
use super::model::{OutputField, StepOutput, WorkflowDefinition};
use canonry_text::node::{Node, ScalarKind, SpannedText};
use canonry_text::{Span, markdown, yaml};

/// The heading of the section, in any case.
const HEADING: &str = "output contract";

impl WorkflowDefinition {
    /// Gives steps without an `output` that of their template.
    pub(super) fn read_contracts(&mut self, files: &WorkflowFiles) {
        for step in &mut self.steps {
            let children = step.fan_out.children.iter_mut().map(|child| (&child.prompt, &mut child.output));
            for (prompt, output) in children.chain([(&step.prompt, &mut step.output)]) {
                if let (Some(prompt), None) = (prompt, &output) {
                    *output = files.text(&prompt.text).and_then(|source| output_of(source.text(), prompt.span));
                }
            }
        }
    }
}

/// The fields that a template declares, in a JSON or YAML mapping of names to types or examples. They are found at the place
/// of the template's path.
fn output_of(template: &str, span: Span) -> Option<StepOutput> {
    let block = markdown::first_block_below(template, HEADING)?;
    let document = yaml::parse(&block, 0).ok()?;
    let fields = document.root.as_mapping()?.entries.iter().map(|entry| OutputField {
        name: SpannedText { text: entry.key.clone(), span },
        kind: SpannedText { text: kind_of(&entry.value).to_owned(), span },
    });
    Some(StepOutput { span, file: None, schema_file: None, fields: fields.collect() })
}

/// The type of a field: as written, or that of its example. A type that canonry does not know accepts any value.
fn kind_of(value: &Node) -> &str {
    match value.as_scalar() {
        Some(scalar) => match scalar.kind {
            ScalarKind::Bool(_) => "bool",
            ScalarKind::Number(_) => "number",
            ScalarKind::Null | ScalarKind::String => &scalar.text,
        },
        None if value.as_mapping().is_some() => "object",
        None => "list",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_types_or_those_of_their_examples() {
        let fields = |template: &str| -> Option<Vec<(String, String)>> {
            let output = output_of(template, Span::new(0, 0))?;
            Some(output.fields.into_iter().map(|field| (field.name.text, field.kind.text)).collect())
        };
        let json = "# Logs\n\nRead `x`.\n\n### Output contract\n\nAnswer with:\n\n```json\n{\"passed\": true, \"error\": null, \"files\": [\"a\"],\n \"score\": \"number[0..1]\"}\n```\n";
        let wanted = [("passed", "bool"), ("error", "null"), ("files", "list"), ("score", "number[0..1]")];
        let wanted: Vec<_> = wanted.map(|(name, kind)| (name.to_owned(), kind.to_owned())).into();
        assert_eq!(fields(json), Some(wanted));
        let yaml = "## OUTPUT CONTRACT\n~~~yaml\npassed: bool\nbug: {summary: string}\n~~~\n";
        let wanted = [("passed", "bool"), ("bug", "object")].map(|(name, kind)| (name.to_owned(), kind.to_owned()));
        assert_eq!(fields(yaml), Some(wanted.into()));
        for none in [
            "Answer with `passed`.",
            "## Output Contract\n\nOne sentence.\n",
            "## Output Contract\n\n```\nno: [mapping\n```\n",
            "## Output Contract\n\n## Example\n\n```json\n{\"passed\": true}\n```\n",
            "## Example\n\n```json\n{\"passed\": true}\n```\n\n## Output Contract\n",
        ] {
            assert_eq!(fields(none), None, "{none}");
        }
    }
}
