//! Merges the statuses of two versions of a plan. A merge of the lines would conflict if both changed steps that are
//! neighbours in the text.

use super::edit_status;
use canonry_model::canon::plan::{PlanDocument, PlanStep, StepStatus};
use canonry_model::finding::{TextEdit, apply_edits};

/// A merged plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusMerge {
    /// Their text with our statuses.
    pub text: String,
    /// The steps whose status is ours, with the status.
    pub ours: Vec<(String, StepStatus)>,
}

/// Why the statuses cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatusConflict {
    #[error("`{step}` is {status} there")]
    Status { step: String, status: &'static str },
    #[error("`{0}` is no longer in the plan there")]
    Removed(String),
    #[error("the status of `{0}` cannot be changed there without other changes")]
    NoEdit(String),
}

/// Applies the statuses that changed from `base` to `ours` to `theirs`. `None` if ours has other changes too.
///
/// # Errors
/// They changed the status of the same step, removed the step, or wrote its status as an alias.
pub fn merge_statuses(
    base: &PlanDocument,
    ours: &PlanDocument,
    theirs: &PlanDocument,
) -> Result<Option<StatusMerge>, StatusConflict> {
    let changed = changes(base, ours);
    if replay(base, &changed).as_deref() != Some(ours.source.text()) {
        return Ok(None);
    }
    let mut merged = Vec::new();
    let mut edits = Vec::new();
    for (step, before) in changed {
        let id = step.id_text();
        let Some((_, there)) = find(theirs, id) else { return Err(StatusConflict::Removed(id.to_owned())) };
        if there.status == step.status {
            continue;
        }
        if there.status != before.status {
            return Err(StatusConflict::Status { step: id.to_owned(), status: there.status.as_str() });
        }
        edits.push(set(theirs, id, step.status));
        merged.push((id.to_owned(), step.status));
    }
    let first = merged.first().map(|(id, _)| id.clone()).unwrap_or_default();
    let text = with_edits(theirs, edits).ok_or(StatusConflict::NoEdit(first))?;
    Ok(Some(StatusMerge { text, ours: merged }))
}

/// The steps whose status differs, after and before.
fn changes<'d>(before: &'d PlanDocument, after: &'d PlanDocument) -> Vec<(&'d PlanStep, &'d PlanStep)> {
    let both = after.steps.iter().filter_map(|step| Some((step, find(before, step.id_text())?.1)));
    both.filter(|(step, before)| step.status != before.status).collect()
}

/// The text of a plan with changes of statuses.
fn replay(before: &PlanDocument, changes: &[(&PlanStep, &PlanStep)]) -> Option<String> {
    with_edits(before, changes.iter().map(|(step, _)| set(before, step.id_text(), step.status)).collect())
}

fn find<'d>(document: &'d PlanDocument, id: &str) -> Option<(usize, &'d PlanStep)> {
    document.steps.iter().enumerate().find(|(_, step)| step.id_text() == id)
}

fn set(document: &PlanDocument, id: &str, status: StepStatus) -> Option<TextEdit> {
    edit_status(document, find(document, id)?.0, status)
}

/// The text with all edits; `None` if one of them is not possible.
fn with_edits(document: &PlanDocument, edits: Vec<Option<TextEdit>>) -> Option<String> {
    let mut edits: Vec<TextEdit> = edits.into_iter().collect::<Option<_>>()?;
    edits.sort_by_key(|edit| edit.span);
    apply_edits(document.source.text(), &edits)
}
