//! Merges the statuses of two versions of a plan. A merge of the lines would conflict if both changed steps that are
//! neighbours in the text.

use super::with_statuses;
use canonry_model::canon::plan::{PlanDocument, PlanStep, StepStatus};

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
    let statuses = changed.iter().map(|(step, _)| (step.id_text(), step.status));
    if with_statuses(base, statuses).as_deref() != Some(ours.source.text()) {
        return Ok(None);
    }
    let mut merged = Vec::new();
    for (step, before) in changed {
        let id = step.id_text();
        let Some(there) = find(theirs, id) else { return Err(StatusConflict::Removed(id.to_owned())) };
        if there.status == step.status {
            continue;
        }
        if there.status != before.status {
            return Err(StatusConflict::Status { step: id.to_owned(), status: there.status.as_str() });
        }
        merged.push((id.to_owned(), step.status));
    }
    let text = with_statuses(theirs, merged.iter().map(|(id, status)| (id.as_str(), *status)));
    let first = merged.first().map(|(id, _)| id.clone()).unwrap_or_default();
    Ok(Some(StatusMerge { text: text.ok_or(StatusConflict::NoEdit(first))?, ours: merged }))
}

/// The steps whose status differs, after and before.
fn changes<'d>(before: &'d PlanDocument, after: &'d PlanDocument) -> Vec<(&'d PlanStep, &'d PlanStep)> {
    let both = after.steps.iter().filter_map(|step| Some((step, find(before, step.id_text())?)));
    both.filter(|(step, before)| step.status != before.status).collect()
}

fn find<'d>(document: &'d PlanDocument, id: &str) -> Option<&'d PlanStep> {
    document.steps.iter().find(|step| step.id_text() == id)
}
