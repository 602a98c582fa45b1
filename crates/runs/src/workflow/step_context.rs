//! Context of a step from earlier steps: exactly what its `context_mode` says, and nothing else.

use super::output_contract::value_at;
use canonry_model::canon::workflow::{StepInput, WorkflowStep};
use serde_json::Value as Json;
use std::collections::HashMap;

/// A step that has run.
#[derive(Clone, Copy, Debug)]
pub struct EarlierOutput<'a> {
    pub step: &'a str,
    pub output: Option<&'a Json>,
    pub answer: &'a str,
}

/// A part of what a step sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextPart {
    /// The step that provides it.
    pub source: String,
    /// The field; `None` for the whole output, or for the answer of a step without one.
    pub field: Option<String>,
    pub text: String,
}

/// An input that no earlier step provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingInputError {
    pub source: String,
    /// The field; `None` if the whole output is wanted.
    pub field: Option<String>,
    pub reason: MissingInputReason,
}

/// Why an input is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingInputReason {
    /// The source has not run.
    Run,
    /// The step sees only the directly preceding step, which is another one.
    NotPreceding,
    /// The source's output does not have the field.
    Field,
}

impl std::error::Error for MissingInputError {}

impl std::fmt::Display for MissingInputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.field {
            Some(field) => write!(f, "the field `{field}` of `{}` is missing: ", self.source)?,
            None => write!(f, "the output of `{}` is missing: ", self.source)?,
        }
        f.write_str(match self.reason {
            MissingInputReason::Run => "the step has not run",
            MissingInputReason::NotPreceding => {
                "`last_only` is limited to the step directly before, which is another one"
            }
            MissingInputReason::Field => "the output of the step does not have it",
        })
    }
}

/// Exactly what `context_mode` says. `accumulate`: all earlier steps in order. `last_only`: the directly preceding step. With
/// `context_inputs`, both are limited to these. `explicit`, and steps without a mode: only `context_inputs`, so that a step of
/// an orchestrator dialect sees nothing but what its prompt names.
///
/// If a source has run several times, its last output counts.
///
/// # Errors
/// The first input whose source has not run, or does not provide the field.
pub fn step_context(step: &WorkflowStep, earlier: &[EarlierOutput<'_>]) -> Result<Vec<ContextPart>, MissingInputError> {
    let inputs = &step.context.inputs;
    match step.context.mode.as_ref().map(|mode| mode.text.as_str()) {
        Some("accumulate") if inputs.is_empty() => Ok(earlier.iter().map(whole).collect()),
        Some("last_only") => {
            let Some(last) = earlier.last() else { return select(inputs, earlier, MissingInputReason::Run) };
            if inputs.is_empty() {
                return Ok(vec![whole(last)]);
            }
            select(inputs, std::slice::from_ref(last), MissingInputReason::NotPreceding)
        }
        _ => select(inputs, earlier, MissingInputReason::Run),
    }
}

fn select(
    inputs: &[StepInput],
    earlier: &[EarlierOutput<'_>],
    absent: MissingInputReason,
) -> Result<Vec<ContextPart>, MissingInputError> {
    let latest: HashMap<&str, &EarlierOutput<'_>> = earlier.iter().map(|output| (output.step, output)).collect();
    let mut parts = Vec::new();
    for input in inputs {
        // The schema reports an input without a source.
        let Some(source) = &input.source else { continue };
        let missing = |field: Option<&str>, reason| MissingInputError {
            source: source.text.clone(),
            field: field.map(str::to_owned),
            reason,
        };
        let Some(output) = latest.get(source.text.as_str()) else {
            return Err(missing(input.fields.first().map(|field| field.text.as_str()), absent));
        };
        if input.fields.is_empty() {
            parts.push(whole(output));
        }
        for field in &input.fields {
            let value = output.output.and_then(|output| value_at(output, &field.text));
            let value = value.ok_or_else(|| missing(Some(&field.text), MissingInputReason::Field))?;
            let source = source.text.clone();
            let field = Some(field.text.clone());
            parts.push(ContextPart { source, field, text: value_text(value) });
        }
    }
    Ok(parts)
}

fn whole(earlier: &EarlierOutput<'_>) -> ContextPart {
    let text = earlier.output.map_or_else(|| earlier.answer.to_owned(), value_text);
    ContextPart { source: earlier.step.to_owned(), field: None, text }
}

/// A value for a prompt: a text as it is, everything else as JSON.
pub fn value_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(_) | Json::Object(_) => format!("{value:#}"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::schema::Schemas;
    use canonry_model::canon::workflow::Workflow;
    use canonry_text::RepoPath;
    use proptest::prelude::*;
    use serde_json::json;

    fn step(rest: &str) -> WorkflowStep {
        let text = format!("workflow: w\nsteps: {{s: {{owner: A, {rest}}}}}\n");
        let workflow = Workflow::parse(RepoPath::from("w.yaml"), Blob::Bytes(text.into_bytes()), &Schemas::default());
        workflow.document.unwrap().definition().unwrap().steps[0].clone()
    }

    #[test]
    fn a_step_sees_exactly_what_its_mode_says() {
        let old = json!({"x": "old"});
        let new = json!({"x": "new", "deep": {"list": [1]}, "n": null});
        let earlier = [
            EarlierOutput { step: "a", output: Some(&old), answer: "A1" },
            EarlierOutput { step: "b", output: None, answer: "B" },
            EarlierOutput { step: "a", output: Some(&new), answer: "A2" },
        ];
        let pretty = |value: &Json| format!("{value:#}");
        for (rest, want) in [
            ("context_mode: accumulate", vec![("a", pretty(&old)), ("b", "B".into()), ("a", pretty(&new))]),
            ("context_mode: accumulate, context_inputs: [b, a.x]", vec![("b", "B".into()), ("a", "new".into())]),
            ("context_mode: last_only", vec![("a", pretty(&new))]),
            ("context_mode: last_only, context_inputs: [a.x]", vec![("a", "new".into())]),
            ("context_mode: explicit", vec![]),
            ("context_mode: explicit, context_inputs: [b, a.x]", vec![("b", "B".into()), ("a", "new".into())]),
            (
                "context_mode: explicit, context_inputs: [{source: a, fields: [x, n]}]",
                vec![("a", "new".into()), ("a", "null".into())],
            ),
            ("context_inputs: [phases.a.deep.list]", vec![("a", pretty(&json!([1])))]),
            ("context_mode: everything", vec![]),
            ("timeout: 1m", vec![]),
        ] {
            let parts = step_context(&step(rest), &earlier).expect(rest);
            let brief: Vec<(&str, String)> =
                parts.iter().map(|part| (part.source.as_str(), part.text.clone())).collect();
            assert_eq!(brief, want, "{rest}");
        }
        assert_eq!(step_context(&step("context_mode: last_only"), &[]), Ok(vec![]));
    }

    #[test]
    fn missing_inputs_name_source_and_field() {
        let output = json!({"x": 1});
        let earlier = [
            EarlierOutput { step: "a", output: Some(&output), answer: "" },
            EarlierOutput { step: "b", output: None, answer: "x: 1" },
        ];
        for (rest, source, field, reason) in [
            ("context_inputs: [gone.x]", "gone", Some("x"), MissingInputReason::Run),
            ("context_inputs: [gone]", "gone", None, MissingInputReason::Run),
            ("context_inputs: [a.y]", "a", Some("y"), MissingInputReason::Field),
            ("context_inputs: [a.x.y]", "a", Some("x.y"), MissingInputReason::Field),
            ("context_inputs: [b.x]", "b", Some("x"), MissingInputReason::Field),
            ("context_mode: last_only, context_inputs: [a.x]", "a", Some("x"), MissingInputReason::NotPreceding),
        ] {
            let error = step_context(&step(rest), &earlier).expect_err(rest);
            let want = MissingInputError { source: source.into(), field: field.map(str::to_owned), reason };
            assert_eq!(error, want, "{rest}");
            let message = error.to_string();
            assert!(message.contains(source) && message.contains(field.unwrap_or_default()), "{message}");
        }
        let error =
            step_context(&step("context_mode: last_only, context_inputs: [a.x]"), &[]).expect_err("nothing ran");
        assert_eq!(error.reason, MissingInputReason::Run);
    }

    proptest! {
        #[test]
        fn explicit_steps_never_see_other_fields(
            fields in proptest::collection::btree_map("[a-d]", "[e-z]{1,5}", 1..4), wanted in "[a-d]"
        ) {
            let output = json!(fields);
            let earlier = [EarlierOutput { step: "a", output: Some(&output), answer: "secret" }];
            let found = step_context(&step(&format!("context_inputs: [a.{wanted}]")), &earlier);
            match fields.get(&wanted) {
                Some(text) => prop_assert_eq!(found.unwrap().remove(0).text, text.clone()),
                None => prop_assert_eq!(found.unwrap_err().field, Some(wanted)),
            }
        }
    }
}
