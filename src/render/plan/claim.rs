//! A claim that was taken.

use super::one_line;
use crate::render::json;
use canonry_app::plan::StepStatus;
use canonry_app::plan::claim::{ClaimedStep, TakenClaim};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The document `canonry/plan-claim/v1`.
#[derive(Serialize)]
struct ClaimDocument<'a> {
    schema: &'static str,
    plan: &'a str,
    step: &'a str,
    status: &'static str,
    claim: TakenClaimDocument<'a>,
    report: Option<String>,
}

/// A claim with everything that its holder needs to know.
#[derive(Serialize)]
pub(super) struct TakenClaimDocument<'a> {
    holder: &'a str,
    attempt: u64,
    time: String,
    until: String,
    token: &'a str,
}

impl<'a> TakenClaimDocument<'a> {
    pub fn new(claim: &'a TakenClaim) -> Self {
        Self {
            holder: &claim.holder,
            attempt: claim.attempt,
            time: claim.time.to_string(),
            until: claim.until.to_string(),
            token: &claim.token,
        }
    }
}

/// The document `canonry/plan-claim/v1`.
pub fn to_json(outcome: &ClaimedStep) -> String {
    json::to_text(&ClaimDocument {
        schema: "canonry/plan-claim/v1",
        plan: &outcome.plan,
        step: &outcome.step,
        status: outcome.status.as_str(),
        claim: TakenClaimDocument::new(&outcome.claim),
        report: outcome.report.as_ref().map(|path| path.to_display()),
    })
}

/// The claim, and what to do next.
pub fn to_text(outcome: &ClaimedStep) -> String {
    let plan = word(&outcome.plan);
    let step = word(&outcome.step);
    let mut text = taken(&outcome.step, &outcome.claim);
    if outcome.status != StepStatus::InProgress {
        let _ = writeln!(text, "start: canonry plan set {plan} {step} in_progress");
    }
    if let Some(report) = &outcome.report {
        let _ = writeln!(text, "report: {report}");
    }
    let _ = writeln!(text, "finish: canonry plan finish {plan} {step} --claim {}", outcome.claim.token);
    let _ = writeln!(text, "release: canonry plan release {plan} {step} --token {}", outcome.claim.token);
    text
}

/// Who claimed a step, and the token.
pub(super) fn taken(step: &str, claim: &TakenClaim) -> String {
    let TakenClaim { holder, attempt, until, token, .. } = claim;
    let step = one_line(step);
    let holder = one_line(holder);
    format!("claimed {step} for {holder} (attempt {attempt}) until {until}\ntoken: {token}\n")
}

/// A word of a command line that can be copied into a shell.
fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", one_line(text).replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(word("step-1.2"), "step-1.2");
        assert_eq!(word("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(word(""), "''");
    }
}
