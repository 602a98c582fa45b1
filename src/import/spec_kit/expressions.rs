//! Spec Kit's expressions, `{{ inputs.x }}` and `{{ steps.x.output.y }}`, in the words of canonry.
//!
//! Their language: github/spec-kit at 27f50f7e, `src/specify_cli/workflows/expressions.py`.

/// What an expression refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference<'t> {
    Input(&'t str),
    /// A field of a step's output: the step and the field.
    Output(&'t str, &'t str),
    RunId,
    WorkflowFolder,
}

impl<'t> Reference<'t> {
    /// The reference, if the expression is nothing else.
    pub fn parse(expression: &'t str) -> Option<Self> {
        let parts: Vec<&str> = expression.trim().split('.').collect();
        let is_name =
            |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        if !parts.iter().all(is_name) {
            return None;
        }
        match parts.as_slice() {
            ["inputs", name] => Some(Self::Input(name)),
            ["steps", step, "output", field] => Some(Self::Output(step, field)),
            ["context", "run_id"] => Some(Self::RunId),
            ["context", "workflow_dir"] => Some(Self::WorkflowFolder),
            _ => None,
        }
    }
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextPart<'t> {
    Plain(&'t str),
    /// The expression inside `{{ }}`.
    Expression(&'t str),
}

/// Splits a text at its expressions. A `}}` in a quoted argument does not end an expression.
pub(super) fn split(text: &str) -> Vec<TextPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some(length) = closing(&rest[start + 2..]) else { break };
        parts.extend((start > 0).then(|| TextPart::Plain(&rest[..start])));
        parts.push(TextPart::Expression(rest[start + 2..start + 2 + length].trim()));
        rest = &rest[start + 4 + length..];
    }
    parts.extend((!rest.is_empty()).then_some(TextPart::Plain(rest)));
    parts
}

fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if text[at..].starts_with("}}") => return Some(at),
            None => {}
        }
    }
    // Without a balanced quote, the first end counts.
    text.find("}}")
}

/// A condition on the result of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepTest {
    pub step: String,
    pub test: Test,
}

/// What is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// The exit code is 0, or is not.
    Succeeded(bool),
    /// The choice at a gate is this, or is not.
    Chose(String, bool),
}

/// A condition as a test of one step's result. `None` if it is anything else.
pub(super) fn step_test(condition: &str) -> Option<StepTest> {
    let expression = single(condition)?;
    let (left, right, equal) = match (expression.split_once("=="), expression.split_once("!=")) {
        (Some((left, right)), None) => (left, right, true),
        (None, Some((left, right))) => (left, right, false),
        _ => return None,
    };
    let Some(Reference::Output(step, field)) = Reference::parse(left) else { return None };
    let right = right.trim();
    let test = match field {
        "exit_code" if right == "0" => Test::Succeeded(equal),
        "choice" => Test::Chose(string(right)?.to_owned(), equal),
        _ => return None,
    };
    Some(StepTest { step: step.to_owned(), test })
}

/// The expression of a text that is one expression.
pub(super) fn single(text: &str) -> Option<&str> {
    match split(text.trim()).as_slice() {
        [TextPart::Expression(expression)] => Some(expression),
        _ => None,
    }
}

/// The content of a quoted string without quotes inside.
fn string(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(quote)).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_references() {
        for (text, wanted) in [
            ("inputs.spec", Some(Reference::Input("spec"))),
            (" steps.run-tests.output.exit_code ", Some(Reference::Output("run-tests", "exit_code"))),
            ("context.run_id", Some(Reference::RunId)),
            ("context.workflow_dir", Some(Reference::WorkflowFolder)),
            ("inputs.spec | default('x')", None),
            ("item", None),
            ("steps.a.output.list[0]", None),
            ("inputs.", None),
        ] {
            assert_eq!(Reference::parse(text), wanted, "{text}");
        }
    }

    #[test]
    fn splits_texts() {
        use TextPart::{Expression, Plain};
        for (text, wanted) in [
            ("a {{ b }} c", vec![Plain("a "), Expression("b"), Plain(" c")]),
            ("{{a}}{{b}}", vec![Expression("a"), Expression("b")]),
            ("{{ a | default('}}') }}!", vec![Expression("a | default('}}')"), Plain("!")]),
            ("{{ it's }} x", vec![Expression("it's"), Plain(" x")]),
            ("open {{ a", vec![Plain("open {{ a")]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), wanted, "{text}");
        }
    }

    #[test]
    fn reads_tests_of_steps() {
        let test = |text: &str| step_test(text).map(|found| (found.step, found.test));
        let is = |step: &str, test| Some((step.to_owned(), test));
        assert_eq!(test("{{ steps.t.output.exit_code != 0 }}"), is("t", Test::Succeeded(false)));
        assert_eq!(test("{{ steps.t.output.exit_code == 0 }}"), is("t", Test::Succeeded(true)));
        assert_eq!(test("{{ steps.g.output.choice == 'edit' }}"), is("g", Test::Chose("edit".to_owned(), true)));
        for other in [
            "steps.t.output.exit_code == 0",
            "{{ inputs.scope == 'full' }}",
            "{{ steps.t.output.exit_code == 2 }}",
            "{{ steps.g.output.choice == 'a' or inputs.b == 'c' }}",
            "{{ steps.t.output.stdout == 'x' }}",
        ] {
            assert_eq!(test(other), None, "{other}");
        }
    }
}
