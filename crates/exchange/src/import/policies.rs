//! Rules of tools, imported as AGENTS.md, as rules and as policies.

use super::frontmatter::MarkdownFile;
use super::plan::{ImportPlan, PlannedItem};
use super::prompts::code_list;
use canonry_model::canon::rule_scope::{RuleScope, split_globs, split_policy};
use canonry_text::mdc::MdcHeader;
use canonry_text::{RepoPath, frontmatter};

/// The keys of every tool that say when a rule applies.
const SCOPE_KEYS: [&str; 9] =
    ["description", "globs", "alwaysApply", "paths", "trigger", "applyTo", "inclusion", "fileMatchPattern", "name"];
/// Globs that match every file.
const MATCH_ALL: [&str; 4] = ["**/*", "**", "*", "**/*.*"];

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

/// The tool whose format a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleFormat {
    /// `description`, `globs` and `alwaysApply`; applies only by name without any of them.
    Cursor,
    /// `paths`; always applies without them.
    Claude,
    /// `trigger`, `description` and `globs`; also that of Windsurf.
    Antigravity,
    /// `applyTo` and `description`; applies only by name without any of them.
    Copilot,
    /// `inclusion`, `fileMatchPattern` and `description`; always applies without them.
    Kiro,
}

/// Converts a rule of a tool. Reads the frontmatter as Cursor does, which is not YAML.
pub(super) fn convert_tool_rule(text: &str, format: RuleFormat) -> ConvertedText {
    let is_always = matches!(format, RuleFormat::Claude | RuleFormat::Kiro);
    let default = RuleScope { always: Some(is_always), ..RuleScope::default() };
    let Ok(parts) = frontmatter::split(text) else {
        return match format {
            RuleFormat::Cursor | RuleFormat::Claude | RuleFormat::Copilot | RuleFormat::Kiro => {
                with_scope(text, &default)
            }
            RuleFormat::Antigravity => ConvertedText::unchanged(text),
        };
    };
    let head = MdcHeader::parse(&text[parts.yaml.range()], parts.yaml.offset);
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    let field = |key: &str| head.get(key).map(|field| plain(&field.value)).filter(|value| !value.is_empty());
    let globs = ["globs", "paths", "applyTo", "fileMatchPattern"].iter().find_map(|key| head.get(key));
    let globs: Vec<String> = match globs {
        Some(field) if !field.items.is_empty() => field.items.iter().map(|item| plain(item)).collect(),
        Some(field) => split_globs(&field.value),
        None => Vec::new(),
    };
    let mut globs: Vec<String> = globs.into_iter().filter(|glob| !glob.is_empty()).collect();
    let always = match format {
        RuleFormat::Cursor => field("alwaysApply").as_deref() == Some("true"),
        RuleFormat::Claude => globs.is_empty(),
        RuleFormat::Antigravity => field("trigger").as_deref() == Some("always_on"),
        RuleFormat::Copilot => globs.iter().any(|glob| MATCH_ALL.contains(&glob.as_str())),
        RuleFormat::Kiro => field("inclusion").is_none_or(|mode| mode == "always"),
    };
    if always && format == RuleFormat::Copilot {
        globs.clear();
    }
    let is_manual = ["trigger", "inclusion"].iter().any(|key| field(key).as_deref() == Some("manual"));
    let description = field("description").filter(|_| !is_manual);
    let mut converted = with_scope(&text[parts.body.range()], &RuleScope { description, globs, always: Some(always) });
    let names = head.fields.iter().map(|field| &field.key);
    let others: Vec<String> = names.filter(|key| !SCOPE_KEYS.contains(&key.as_str())).cloned().collect();
    if !others.is_empty() {
        converted.changes.push(format!("removed {}: rules of the canon have no such keys", code_list(&others)));
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
            assert_eq!(converted(text, RuleFormat::Cursor), want);
        }
        let paths = "---\npaths:\n  - \"src/**\"\n---\n# T\n";
        assert_eq!(converted(paths, RuleFormat::Claude), "---\nglobs: [\"src/**\"]\nalwaysApply: false\n---\n\n# T\n");
        assert_eq!(converted("# T\n", RuleFormat::Claude), "---\nalwaysApply: true\n---\n\n# T\n");
        for (text, format, want) in [
            (
                "---\napplyTo: \"src/**,*.js\"\ndescription: D\n---\n# T\n",
                RuleFormat::Copilot,
                "---\ndescription: \"D\"\nglobs: [\"src/**\", \"*.js\"]\nalwaysApply: false\n---\n\n# T\n",
            ),
            ("---\napplyTo: \"**\"\n---\n# T\n", RuleFormat::Copilot, "---\nalwaysApply: true\n---\n\n# T\n"),
            ("# T\n", RuleFormat::Kiro, "---\nalwaysApply: true\n---\n\n# T\n"),
            (
                "---\ninclusion: fileMatch\nfileMatchPattern: \"*.rs\"\n---\n# T\n",
                RuleFormat::Kiro,
                "---\nglobs: [\"*.rs\"]\nalwaysApply: false\n---\n\n# T\n",
            ),
            ("---\ninclusion: manual\n---\n# T\n", RuleFormat::Kiro, "---\nalwaysApply: false\n---\n\n# T\n"),
        ] {
            assert_eq!(converted(text, format), want);
        }
        let manual = "---\ntrigger: manual\ndescription: D\n---\n# T\n";
        assert_eq!(converted(manual, RuleFormat::Antigravity), "---\nalwaysApply: false\n---\n\n# T\n");
    }
}
