//! The frontmatter of a rule file in the format of each tool, parsed and rendered.

use super::policies::one_line;
use canonry_model::canon::rule_scope::{RuleMode, RuleScope, split_globs};
use canonry_model::tools::tool_formats::RuleHeader;
use canonry_text::mdc::MdcHeader;
use canonry_text::node::Node;
use canonry_text::{frontmatter, yaml};
use serde_json::json;

/// The keys of every tool that say when a rule applies.
const SCOPE_KEYS: [&str; 9] = [
    "description",
    "globs",
    "alwaysApply",
    "paths",
    TRIGGERS.key,
    COPILOT_PATTERNS,
    INCLUSIONS.key,
    INCLUSIONS.patterns,
    "name",
];

/// A tool's key for the mode of a rule, and its values.
pub struct RuleModes {
    pub key: &'static str,
    /// In the order of [`RuleMode`].
    pub names: [&'static str; 4],
    /// The key with the globs of a rule in the mode [`RuleMode::Files`].
    pub patterns: &'static str,
}

/// Windsurf documentation, "Memories & Rules", activation modes (2026-11). Antigravity has the same.
pub const TRIGGERS: RuleModes =
    RuleModes { key: "trigger", names: ["always_on", "glob", "model_decision", "manual"], patterns: "globs" };
/// Kiro documentation, "Steering", inclusion modes (2026-11).
pub const INCLUSIONS: RuleModes =
    RuleModes { key: "inclusion", names: ["always", "fileMatch", "auto", "manual"], patterns: "fileMatchPattern" };
/// The key with the globs of `.instructions.md` files: VS Code documentation, "Use custom instructions" (2026-11).
pub const COPILOT_PATTERNS: &str = "applyTo";

impl RuleModes {
    pub fn name(&self, mode: RuleMode) -> &'static str {
        self.names[mode as usize]
    }

    fn line(&self, mode: RuleMode) -> String {
        format!("{}: {}\n", self.key, self.name(mode))
    }
}

/// Globs that match every file.
pub const MATCH_ALL: [&str; 4] = ["**/*", "**", "*", "**/*.*"];

/// A rule of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedRule<'t> {
    /// `None` for a text without a frontmatter that the tool requires.
    pub scope: Option<RuleScope>,
    pub body: &'t str,
    /// Keys that the canon does not have.
    pub lost: Vec<String>,
}

/// Parses a rule.
pub fn parse_rule(form: RuleHeader, text: &str) -> ParsedRule<'_> {
    let Ok(parts) = frontmatter::split(text) else {
        let default = RuleScope { always: Some(applies_by_default(form)), ..RuleScope::default() };
        return ParsedRule { scope: (form != RuleHeader::Trigger).then_some(default), body: text, lost: Vec::new() };
    };
    let header = &text[parts.yaml.range()];
    let fields = if form == RuleHeader::Cursor { None } else { yaml_fields(header) };
    let fields = fields.unwrap_or_else(|| mdc_fields(header));
    let find = |key: &str| fields.iter().find(|field| field.key == key);
    let field = |key: &str| find(key).map(|field| field.text.as_str()).filter(|text| !text.is_empty());
    let globs = [TRIGGERS.patterns, "paths", COPILOT_PATTERNS, INCLUSIONS.patterns].into_iter().find_map(find);
    let has_mode = |modes: &RuleModes, mode: RuleMode| field(modes.key) == Some(modes.name(mode));
    let mut globs: Vec<String> = match globs {
        Some(field) if !field.items.is_empty() => field.items.clone(),
        Some(field) => split_globs(&field.text),
        None => Vec::new(),
    };
    globs.retain(|glob| !glob.is_empty());
    let always = match form {
        RuleHeader::Cursor => field("alwaysApply") == Some("true"),
        RuleHeader::Paths => globs.is_empty(),
        RuleHeader::Trigger => has_mode(&TRIGGERS, RuleMode::Always),
        RuleHeader::Copilot => globs.iter().any(|glob| MATCH_ALL.contains(&glob.as_str())),
        RuleHeader::Kiro => field(INCLUSIONS.key).is_none() || has_mode(&INCLUSIONS, RuleMode::Always),
    };
    if always && form == RuleHeader::Copilot {
        globs.clear();
    }
    let is_manual = [TRIGGERS, INCLUSIONS].iter().any(|modes| has_mode(modes, RuleMode::Manual));
    let description = field("description").filter(|_| !is_manual).map(str::to_owned);
    let lost = fields.iter().map(|field| &field.key).filter(|key| !SCOPE_KEYS.contains(&key.as_str())).cloned();
    ParsedRule {
        scope: Some(RuleScope { description, globs, always: Some(always) }),
        body: &text[parts.body.range()],
        lost: lost.collect(),
    }
}

/// Whether a rule without a header always applies. Elsewhere, a person names it.
fn applies_by_default(form: RuleHeader) -> bool {
    matches!(form, RuleHeader::Paths | RuleHeader::Kiro)
}

/// A key of a header.
struct HeaderField {
    key: String,
    text: String,
    items: Vec<String>,
}

fn yaml_fields(header: &str) -> Option<Vec<HeaderField>> {
    let text = |node: &Node| node.as_scalar().map(|scalar| scalar.text.trim().to_owned()).unwrap_or_default();
    let root = yaml::parse(header, 0).ok()?.root;
    let entries = root.as_mapping()?.entries.iter().map(|entry| HeaderField {
        key: entry.key.clone(),
        text: text(&entry.value),
        items: entry.value.as_sequence().into_iter().flatten().map(text).collect(),
    });
    Some(entries.collect())
}

/// The fields as Cursor reads them, line by line: `globs: **/*` is not YAML.
fn mdc_fields(header: &str) -> Vec<HeaderField> {
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    let fields = MdcHeader::parse(header, 0).fields.into_iter().map(|field| HeaderField {
        key: field.key,
        text: plain(&field.value),
        items: field.items.iter().map(|item| plain(item)).collect(),
    });
    fields.collect()
}

/// The number of characters that Antigravity and Windsurf read of a rule.
pub(super) const TRIGGER_LIMIT: usize = 12_000;

/// The header of a rule. `name` identifies a rule that the agent chooses.
pub(super) fn header(form: RuleHeader, scope: &RuleScope, name: &str) -> String {
    match form {
        RuleHeader::Cursor => cursor_header(scope),
        RuleHeader::Copilot => copilot_header(scope),
        RuleHeader::Kiro => kiro_header(scope, name),
        RuleHeader::Paths => paths_header(scope),
        RuleHeader::Trigger => trigger_header(scope),
    }
}

/// Whether a tool has no form for a rule that applies only if a person names it.
pub(super) fn has_no_form(form: RuleHeader, scope: &RuleScope) -> bool {
    form == RuleHeader::Paths && scope.mode() == RuleMode::Manual
}

pub(super) fn no_form(rule: &str, tool: &str) -> String {
    format!("`{rule}` is not written for {tool}, which has no rules that apply only if a person names them")
}

/// A line that says when a rule applies, for tools whose agent cannot choose it.
pub(super) fn note(form: RuleHeader, scope: &RuleScope) -> String {
    let is_for_agent = form == RuleHeader::Paths && scope.mode() == RuleMode::Agent;
    let description = scope.description.as_deref().filter(|_| is_for_agent);
    description.map(|text| format!("> {}\n\n", one_line(text))).unwrap_or_default()
}

/// Cursor reads its header line by line, so that no value is quoted.
fn cursor_header(scope: &RuleScope) -> String {
    let mut text = "---\n".to_owned();
    if let Some(description) = &scope.description {
        text.push_str(&format!("description: {}\n", one_line(description)));
    }
    if !scope.globs.is_empty() {
        text.push_str(&format!("globs: {}\n", scope.globs.join(",")));
    }
    text + &format!("alwaysApply: {}\n---\n\n", scope.always == Some(true))
}

/// The header of Antigravity and Windsurf.
fn trigger_header(scope: &RuleScope) -> String {
    let description = scope.description.as_deref().map(|text| format!("description: {}\n", plain(text)));
    let description = description.unwrap_or_default();
    let more = match scope.mode() {
        RuleMode::Always | RuleMode::Manual => String::new(),
        RuleMode::Files => format!("{description}{}: {}\n", TRIGGERS.patterns, scope.globs.join(",")),
        RuleMode::Agent => description,
    };
    format!("---\n{}{more}---\n\n", TRIGGERS.line(scope.mode()))
}

/// The header of Claude Code and Cline; empty for a rule that always applies. Neither has a form for the other modes.
fn paths_header(scope: &RuleScope) -> String {
    match scope.mode() {
        RuleMode::Files => {
            let globs: String = scope.globs.iter().map(|glob| format!("  - {}\n", json!(glob))).collect();
            format!("---\npaths:\n{globs}---\n\n")
        }
        RuleMode::Always | RuleMode::Agent | RuleMode::Manual => String::new(),
    }
}

/// The header of GitHub Copilot. Instructions without `applyTo` are used if the agent or a person chooses them.
fn copilot_header(scope: &RuleScope) -> String {
    let description = scope.description.as_deref().map(|text| format!("description: {}\n", json!(one_line(text))));
    let apply_to = match scope.mode() {
        RuleMode::Always => format!("{COPILOT_PATTERNS}: {}\n", json!("**")),
        RuleMode::Files => format!("{COPILOT_PATTERNS}: {}\n", json!(scope.globs.join(","))),
        RuleMode::Agent | RuleMode::Manual => String::new(),
    };
    match description.unwrap_or_default() + &apply_to {
        empty if empty.is_empty() => empty,
        keys => format!("---\n{keys}---\n\n"),
    }
}

/// The header of Kiro. `name` identifies a rule that the agent chooses.
fn kiro_header(scope: &RuleScope, name: &str) -> String {
    let more = match scope.mode() {
        RuleMode::Always | RuleMode::Manual => String::new(),
        RuleMode::Files => {
            let globs: Vec<String> = scope.globs.iter().map(|glob| json!(glob).to_string()).collect();
            format!("{}: [{}]\n", INCLUSIONS.patterns, globs.join(", "))
        }
        RuleMode::Agent => {
            let description = one_line(scope.description.as_deref().unwrap_or_default());
            format!("name: {}\ndescription: {}\n", json!(name), json!(description))
        }
    };
    format!("---\n{}{more}---\n\n", INCLUSIONS.line(scope.mode()))
}

/// A text as YAML that needs no quotes.
pub(super) fn plain(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_alphanumeric() || " -_.,()/".contains(c) { c } else { ' ' }).collect();
    one_line(&plain).trim_start_matches(['-', '.', ',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    fn scope(description: Option<&str>, globs: &[&str], always: Option<bool>) -> RuleScope {
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        RuleScope { description: description.map(str::to_owned), globs, always }
    }

    #[test]
    fn every_mode_in_every_tools_format() {
        let always = scope(Some("D"), &[], Some(true));
        let files = scope(Some("Use: \"a\""), &["src/**/*.{ts,tsx}", "*.js"], None);
        let agent = scope(Some("Use: \"a\""), &[], None);
        let manual = scope(None, &[], Some(false));
        let head = |keys: &str| format!("---\n{keys}---\n\n");
        for (scope, copilot, kiro, paths, trigger) in [
            (
                &always,
                head("description: \"D\"\napplyTo: \"**\"\n"),
                head("inclusion: always\n"),
                String::new(),
                head("trigger: always_on\n"),
            ),
            (
                &files,
                head("description: \"Use: \\\"a\\\"\"\napplyTo: \"src/**/*.{ts,tsx},*.js\"\n"),
                head("inclusion: fileMatch\nfileMatchPattern: [\"src/**/*.{ts,tsx}\", \"*.js\"]\n"),
                head("paths:\n  - \"src/**/*.{ts,tsx}\"\n  - \"*.js\"\n"),
                head("trigger: glob\ndescription: Use a\nglobs: src/**/*.{ts,tsx},*.js\n"),
            ),
            (
                &agent,
                head("description: \"Use: \\\"a\\\"\"\n"),
                head("inclusion: auto\nname: \"x\"\ndescription: \"Use: \\\"a\\\"\"\n"),
                String::new(),
                head("trigger: model_decision\ndescription: Use a\n"),
            ),
            (&manual, String::new(), head("inclusion: manual\n"), String::new(), head("trigger: manual\n")),
        ] {
            assert_eq!(
                (copilot_header(scope), kiro_header(scope, "x"), paths_header(scope), trigger_header(scope)),
                (copilot, kiro, paths, trigger)
            );
        }
    }

    proptest! {
        /// Claude Code and Cline have two modes. There, a rule that the agent chooses always applies, with a note.
        #[test]
        fn a_written_rule_means_the_same(
            form in select(vec![
                RuleHeader::Cursor, RuleHeader::Copilot, RuleHeader::Kiro, RuleHeader::Paths, RuleHeader::Trigger,
            ]),
            description in proptest::option::of(select(vec!["D", "Use: \"a\" or [b]"])),
            globs in subsequence(vec!["src/**/*.{ts,tsx}", "*.js", "a b/**"], 0..3),
            always in any::<bool>(),
        ) {
            let scope = scope(description, &globs, Some(always));
            let text = format!("{}# T\n", header(form, &scope, "x"));
            let parsed = parse_rule(form, &text);
            prop_assert_eq!(parsed.lost, Vec::<String>::new());
            prop_assert_eq!(parsed.body.trim_start(), "# T\n");
            // Without a header, it is a text of no scope.
            let found = parsed.scope.unwrap();
            match scope.mode() {
                RuleMode::Agent | RuleMode::Manual if form == RuleHeader::Paths => {
                    prop_assert_eq!(found.mode(), RuleMode::Always);
                }
                mode => prop_assert_eq!(found.mode(), mode, "{}", text),
            }
            if scope.mode() == RuleMode::Files {
                prop_assert_eq!(&found.globs, &scope.globs, "{}", text);
            }
            if scope.mode() == RuleMode::Agent && !matches!(form, RuleHeader::Paths | RuleHeader::Trigger | RuleHeader::Cursor) {
                prop_assert_eq!(&found.description, &scope.description, "{}", text);
            }
        }
    }
}
