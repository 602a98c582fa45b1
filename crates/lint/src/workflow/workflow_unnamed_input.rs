//! See `workflow_unnamed_input.md`.

use super::gate_blind_message::is_fact;
use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::{Workflow, WorkflowStep, is_template_path};
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::{variable_source, variables};
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "workflow-unnamed-input",
    summary: "prompt refers to earlier results without naming them",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("workflow_unnamed_input.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let results_are_named = |text: &str| {
        variables(text).iter().any(|(_, name)| is_fact(variable_source(definition, &workflow.files, name), name))
    };
    // An inline step continues in a session that has seen the earlier results.
    let steps = definition.steps.iter().filter(|step| step.owner.is_some() && !names_context(step));
    for step in steps {
        let Some(prompt) = &step.prompt else { continue };
        let template = template(workflow, prompt);
        let text = template.map_or(prompt.text.as_str(), |source| source.text());
        let Some(phrase) = unnamed_reference(text).filter(|_| !results_are_named(text)) else { continue };
        let message =
            format!("the prompt of `{}` says \"{phrase}\", but the step is given no earlier result", step.name.text);
        let finding = RULE.at(Location::at(&document.source, prompt.span), message);
        findings.push(finding.help(if definition.is_durable() {
            "name the fields under `context_inputs`, or include a report: `{{report.STEP}}`"
        } else {
            "include the report of the step that is meant: `{{report.STEP}}`"
        }));
    }
}

fn template<'w>(workflow: &'w Workflow, prompt: &SpannedText) -> Option<&'w canonry_text::Source> {
    Some(prompt).filter(|prompt| is_template_path(&prompt.text))?;
    workflow.files.text(&prompt.text).map(AsRef::as_ref)
}

fn names_context(step: &WorkflowStep) -> bool {
    step.context.mode.is_some() || !step.context.inputs.is_empty()
}

/// Words for a result.
const RESULTS: [&str; 12] = [
    "output",
    "outputs",
    "result",
    "results",
    "report",
    "findings",
    "answer",
    "analysis",
    "response",
    "notes",
    "conclusions",
    "summary",
];
/// Words for an earlier step.
const STEPS: [&str; 4] = ["step", "phase", "agent", "stage"];
/// Words for "earlier".
const EARLIER: [&str; 4] = ["previous", "preceding", "prior", "last"];
/// Phrases that always mean an earlier conversation.
const CONVERSATION: [&str; 4] = ["as discussed", "as we discussed", "as agreed earlier", "as mentioned earlier"];

/// The first phrase that means an earlier result without its name.
///
/// A text with its own numbered steps may mean those, and "above" may mean the text itself, unless it stands in the first
/// line.
fn unnamed_reference(text: &str) -> Option<String> {
    if has_own_steps(text) {
        return None;
    }
    let words: Vec<String> = words(text);
    let phrases = (0..words.len()).find_map(|at| phrase_at(&words[at..]));
    phrases.or_else(|| above_in_first_line(text))
}

fn words(text: &str) -> Vec<String> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}');
    let words = text.split(|c: char| !is_inside(c)).filter(|word| !word.is_empty());
    words.map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect()
}

fn phrase_at(words: &[String]) -> Option<String> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let joined = |count: usize| words.iter().take(count).map(String::as_str).collect::<Vec<_>>().join(" ");
    let conversation = CONVERSATION.iter().find(|phrase| joined(phrase.split(' ').count()) == **phrase);
    if let Some(phrase) = conversation {
        return Some((*phrase).to_owned());
    }
    // "the previous step's output"
    if word(0) == "the" && EARLIER.contains(&word(1)) {
        let owner = word(2).strip_suffix("'s").unwrap_or_default();
        if STEPS.contains(&owner) && RESULTS.contains(&word(3)) {
            return Some(joined(4));
        }
    }
    // "the output of the previous step", "results from the last phase"
    let is_result = RESULTS.contains(&word(0)) && ["of", "from"].contains(&word(1));
    let is_of_step = word(2) == "the" && EARLIER.contains(&word(3)) && STEPS.contains(&word(4));
    (is_result && is_of_step).then(|| joined(5))
}

/// "Summarize the results above" in the first line, which has nothing above it.
fn above_in_first_line(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let words = words(first);
    let at = words.windows(3).position(|part| {
        part[0] == "the"
            && (RESULTS.contains(&part[1].as_str()) && part[2] == "above"
                || part[1] == "above" && RESULTS.contains(&part[2].as_str()))
    })?;
    Some(words[at..at + 3].join(" "))
}

/// Whether a text has steps of its own: a numbered list, or headings such as `## Step 1`.
fn has_own_steps(text: &str) -> bool {
    let is_step = |line: &&str| {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')']);
        let heading = line.trim_start_matches(['#', '*', '-', ' ']).to_ascii_lowercase();
        is_numbered
            || ["step ", "phase ", "stage "].iter().any(|word| {
                heading.strip_prefix(word).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
    };
    text.lines().filter(is_step).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_mean_earlier_results() {
        for (text, want) in [
            ("Use the previous step's output.", Some("the previous step's output")),
            ("Check the output of the previous\nstep.", Some("output of the previous step")),
            ("Fix it as discussed.", Some("as discussed")),
            ("Summarize the results above.", Some("the results above")),
            ("Review the above findings and fix them.", Some("the above findings")),
            ("Use the last phase\u{2019}s results", Some("the last phase's results")),
            ("Read the code.\nSummarize the results above.", None),
            ("1. Run the tests.\n2. Read the output of the previous step.", None),
            ("## Step 1\nRun.\n## Step 2\nUse the previous step's output.", None),
            ("Do not repeat the previous step.", None),
            ("Compare with the output of the previous release.", None),
            ("Write the results to out.md.", None),
            ("The last step is a report.", None),
        ] {
            assert_eq!(unnamed_reference(text).as_deref(), want, "{text}");
        }
    }
}
