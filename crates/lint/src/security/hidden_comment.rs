//! See `hidden_comment.md`.

use super::instructions;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::markdown::MarkdownOutline;
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "hidden-comment",
    summary: "HTML comment with instructions for an agent",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("hidden_comment.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

const HELP: &str = "remove the comment, or move its instructions to the visible text";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    for (source, outline) in skill.all_texts() {
        findings.extend(outline.into_iter().flat_map(|outline| find(source, outline)));
    }
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(text.outline.iter().flat_map(|outline| find(&text.source, outline)));
}

fn find(source: &Arc<Source>, outline: &MarkdownOutline) -> Vec<Finding> {
    let finding = |comment: &Span| {
        let what = instructions::find(source.slice(*comment))?;
        let message = format!("this hidden comment {what}");
        Some(RULE.at(Location::at(source, *comment), message).help(HELP))
    };
    outline.comments.iter().filter_map(finding).collect()
}
