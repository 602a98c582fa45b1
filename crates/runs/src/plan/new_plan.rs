//! The text of a new plan: one step per acceptance criterion of its intake, or a copy of another plan.

use super::intake::Intake;
use super::quote::quoted;
use super::slug::UniqueNames;
use super::status_edit::replace;
use canonry_model::canon::plan::{PlanDocument, StepStatus};
use canonry_model::finding::{TextEdit, apply_edits};
use std::fmt::Write as _;

/// The owner of a step until a person names one.
pub const UNKNOWN_OWNER: &str = "TODO";

/// Words of a criterion that make the id of its step.
const ID_WORDS: usize = 6;

/// Why a text is no plan id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plan's id is lower-case words with hyphens, such as `rate-limit-uploads`, of at most 60 characters")]
pub struct PlanIdError;

/// Checks the id of a new plan, which is the name of its folder.
///
/// # Errors
/// It is not lower-case words with hyphens.
pub fn check_plan_id(id: &str) -> Result<(), PlanIdError> {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if id.len() <= 60 && id.split('-').all(is_word) { Ok(()) } else { Err(PlanIdError) }
}

/// The text of a plan with one step per criterion. A person must name the owners, files and commands.
pub fn plan_from_intake(id: &str, intake: &Intake) -> String {
    let mut text = format!(
        "# Made from the intake. For each step: name the owner, the files, and a command that proves it.\ntitle: {}\n",
        quoted(&title(id))
    );
    if let Some(goal) = intake.goal() {
        let _ = writeln!(text, "goal: {}", quoted(goal));
    }
    text.push_str("steps:\n");
    let mut names = UniqueNames::default();
    for criterion in intake.criteria() {
        let words: Vec<&str> = criterion.split_whitespace().take(ID_WORDS).collect();
        let _ = write!(
            text,
            "  - id: {}\n    description: {}\n    owner: {UNKNOWN_OWNER}\n    criteria:\n      - {}\n    \
             # commands: [\"Run: make test\"]\n    # files: []\n    # deps: []\n",
            plain(&names.add(&words.join(" "), "step")),
            quoted(criterion),
            quoted(criterion),
        );
    }
    text
}

/// A name without quotes, unless YAML would read a boolean or a null.
fn plain(name: &str) -> String {
    if ["true", "false", "null", "yes", "no", "on", "off"].contains(&name) { quoted(name) } else { name.to_owned() }
}

/// The text of a plan with every step pending; `None` if a status cannot be changed.
pub fn plan_from_template(document: &PlanDocument) -> Option<String> {
    let text = document.source.text();
    let started = document.steps.iter().filter(|step| step.status != StepStatus::Pending);
    let edit = |span| replace(&document.source, span, StepStatus::Pending.as_str());
    let edits: Vec<TextEdit> = started.map(|step| step.status_span.map(edit)).collect::<Option<_>>()?;
    apply_edits(text, &edits)
}

/// `Rate limit uploads` for `rate-limit-uploads`.
fn title(id: &str) -> String {
    let words = id.replace('-', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_ids_cannot_lead_out_of_the_plans() {
        for id in ["login", "rate-limit-uploads", "v2", "2026-plan"] {
            assert_eq!(check_plan_id(id), Ok(()), "{id}");
        }
        for id in ["", "Login", "a_b", "a--b", "-a", "a-", "../x", "a/b", "a b", ".", "ä", &"a".repeat(61)] {
            assert_eq!(check_plan_id(id), Err(PlanIdError), "{id}");
        }
    }
}
