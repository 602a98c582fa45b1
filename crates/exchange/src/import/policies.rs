//! Rules of tools, imported as AGENTS.md, as rules and as policies.

use super::plan::{ImportPlan, PlannedItem};
use super::quoting::code_list;
use canonry_agents::rule_header::{MATCH_ALL, parse_rule};
use canonry_model::canon::rule_scope::{RuleScope, split_policy};
use canonry_model::tools::tool_formats::RuleHeader;
use canonry_text::{MarkdownFile, RepoPath};

/// A text converted for the canon.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConvertedText {
    /// The text.
    pub text: String,
    /// Differences from the source, one sentence each.
    pub changes: Vec<String>,
}

impl ConvertedText {
    /// A text without changes.
    pub fn unchanged(text: impl Into<String>) -> Self {
        Self { text: text.into(), changes: Vec::new() }
    }
}

/// Imports a text as AGENTS.md.
pub(super) fn import_agents_md(plan: &mut ImportPlan<'_>, from: &RepoPath, converted: ConvertedText) {
    let to = plan.source.layout.map();
    plan.add_text(from, to, converted.text, converted.changes);
}

/// Adds an AGENTS.md if a manager has none: the tools read rules and policies through it.
pub(super) fn add_agents_md(plan: &mut ImportPlan<'_>, from: &str) {
    let layout = plan.source.layout;
    let to = layout.map();
    if plan.provides(&to) || !plan.provides(&layout.rules()) && !plan.provides(&layout.policies()) {
        return;
    }
    let files = plan.text_file("# Instructions\n".to_owned(), to.clone()).into_iter().collect();
    let changes = vec!["a title alone, so that the tools read the rules through it".to_owned()];
    plan.items.push(PlannedItem { files, changes, ..PlannedItem::new(RepoPath::from(from), to) });
}

/// Imports a text as a policy. `name` is its path below the policies.
pub(super) fn import_policy(plan: &mut ImportPlan<'_>, from: &RepoPath, name: &str, converted: ConvertedText) {
    let to = plan.source.layout.policies().join(name);
    add_page(plan, from, to, converted);
}

/// Imports a text as a rule. `name` is its path below the rules.
pub(super) fn import_rule_file(plan: &mut ImportPlan<'_>, from: &RepoPath, name: &str, converted: ConvertedText) {
    let stem = [".instructions.md", ".mdc"].iter().find_map(|end| name.strip_suffix(end));
    let name = stem.map_or(name.to_owned(), |stem| format!("{stem}.md"));
    let to = plan.source.layout.rules().join(name);
    add_page(plan, from, to, converted);
}

/// Adds a page, or unites it with an equal one of another tool.
fn add_page(plan: &mut ImportPlan<'_>, from: &RepoPath, to: RepoPath, converted: ConvertedText) {
    let other = plan.items.iter().position(|item| item.to == to);
    let other_text = other.and_then(|at| plan.planned_text(plan.items[at].files.first()?));
    if let (Some(at), Some(other_text)) = (other, other_text)
        && let Some(united) = united(&other_text, &converted.text)
    {
        if united != other_text {
            plan.items[at].files = plan.text_file(united, to).into_iter().collect();
            plan.items[at].changes.push(format!("took the description of {from}"));
        }
        plan.items[at].also_from.push(from.clone());
        return;
    }
    plan.add_text(from, to, converted.text, converted.changes);
}

/// One policy for two rules that differ at most in a description that only one of them has.
fn united(text: &str, other: &str) -> Option<String> {
    let first = split_policy(text);
    let second = split_policy(other);
    let mut scope = first.scope?;
    let second_scope = second.scope?;
    let is_compatible = first.body.trim() == second.body.trim()
        && scope.globs == second_scope.globs
        && scope.always == second_scope.always
        && (scope.description.is_none() || second_scope.description.is_none())
        && !scope.globs.is_empty();
    if !is_compatible {
        return None;
    }
    match second_scope.description {
        None => Some(text.to_owned()),
        Some(description) => {
            scope.description = Some(description);
            Some(scope.frontmatter() + first.body)
        }
    }
}

/// A body below a frontmatter with its scope.
pub(super) fn with_scope(body: &str, scope: &RuleScope) -> ConvertedText {
    let body = body.trim_start_matches(['\n', '\r']);
    ConvertedText { text: scope.frontmatter() + body, changes: vec!["wrote its scope as the canon does".to_owned()] }
}

/// A body below its scope, or the body alone if it has none. Globs that match every file are left out; a rule with no
/// others always applies.
pub(super) fn with_optional_scope(
    body: &str,
    globs: &[String],
    description: Option<String>,
    always: Option<bool>,
) -> ConvertedText {
    let narrow: Vec<String> = globs.iter().filter(|glob| !MATCH_ALL.contains(&glob.as_str())).cloned().collect();
    let always = always.or((narrow.is_empty() && !globs.is_empty()).then_some(true));
    if narrow.is_empty() && description.is_none() && always.is_none() {
        return ConvertedText::unchanged(body);
    }
    with_scope(body, &RuleScope { description, globs: narrow, always: Some(always == Some(true)) })
}

/// Converts a rule of a tool.
pub(super) fn convert_tool_rule(text: &str, form: RuleHeader) -> ConvertedText {
    let rule = parse_rule(form, text);
    let Some(scope) = rule.scope else { return ConvertedText::unchanged(text) };
    let mut converted = with_scope(rule.body, &scope);
    if !rule.lost.is_empty() {
        converted.changes.push(format!("removed {}: rules of the canon have no such keys", code_list(&rule.lost)));
    }
    converted
}

/// The body of a file, with the removed frontmatter keys as a change.
pub(super) fn without_frontmatter(file: &MarkdownFile<'_>) -> ConvertedText {
    let keys: Vec<String> = file.entries().iter().map(|entry| entry.key.clone()).collect();
    let removed = format!("removed its frontmatter: {}", code_list(&keys));
    let changes = if keys.is_empty() { Vec::new() } else { vec![removed] };
    ConvertedText { text: file.body().trim_start_matches(['\n', '\r']).to_owned(), changes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_scope_of_a_rule() {
        let converted = |text: &str, format| convert_tool_rule(text, format).text;
        for (text, want) in [
            (
                "---\ndescription: Use a: b\nglobs: **/*.{ts,tsx}, src/**\nalwaysApply: false\n---\n\n# T\n",
                "---\ndescription: \"Use a: b\"\nglobs: [\"**/*.{ts,tsx}\", \"src/**\"]\nalwaysApply: false\n---\n\n# T\n",
            ),
            (
                "---\nglobs: **/*\nalwaysApply: true\n---\n# T\n",
                "---\nglobs: [\"**/*\"]\nalwaysApply: true\n---\n\n# T\n",
            ),
            ("---\ndescription:\nglobs:\nalwaysApply: false\n---\n# T\n", "---\nalwaysApply: false\n---\n\n# T\n"),
            ("# T\n", "---\nalwaysApply: false\n---\n\n# T\n"),
        ] {
            assert_eq!(converted(text, RuleHeader::Cursor), want);
        }
        let paths = "---\npaths:\n  - \"src/**\"\n---\n# T\n";
        assert_eq!(converted(paths, RuleHeader::Paths), "---\nglobs: [\"src/**\"]\nalwaysApply: false\n---\n\n# T\n");
        assert_eq!(converted("# T\n", RuleHeader::Paths), "---\nalwaysApply: true\n---\n\n# T\n");
        for (text, format, want) in [
            (
                "---\napplyTo: \"src/**,*.js\"\ndescription: D\n---\n# T\n",
                RuleHeader::Copilot,
                "---\ndescription: \"D\"\nglobs: [\"src/**\", \"*.js\"]\nalwaysApply: false\n---\n\n# T\n",
            ),
            ("---\napplyTo: \"**\"\n---\n# T\n", RuleHeader::Copilot, "---\nalwaysApply: true\n---\n\n# T\n"),
            ("# T\n", RuleHeader::Kiro, "---\nalwaysApply: true\n---\n\n# T\n"),
            (
                "---\ninclusion: fileMatch\nfileMatchPattern: \"*.rs\"\n---\n# T\n",
                RuleHeader::Kiro,
                "---\nglobs: [\"*.rs\"]\nalwaysApply: false\n---\n\n# T\n",
            ),
            ("---\ninclusion: manual\n---\n# T\n", RuleHeader::Kiro, "---\nalwaysApply: false\n---\n\n# T\n"),
        ] {
            assert_eq!(converted(text, format), want);
        }
        let manual = "---\ntrigger: manual\ndescription: D\n---\n# T\n";
        assert_eq!(converted(manual, RuleHeader::Trigger), "---\nalwaysApply: false\n---\n\n# T\n");
    }
}
