//! When a policy applies: the optional frontmatter of a policy, which tools with rule files use.

use super::page_targets::PageTargets;
use canonry_text::list::split_at_commas;
use canonry_text::node::Node;
use canonry_text::{frontmatter, yaml};

/// When a tool shows a policy to an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleScope {
    /// For an agent, which decides by it.
    pub description: Option<String>,
    /// The files that it applies to.
    pub globs: Vec<String>,
    /// Whether it always applies; `None` if the policy does not say.
    pub always: Option<bool>,
}

/// The mode of a rule in tools with rule files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleMode {
    Always,
    /// With files that match the globs.
    Files,
    /// If an agent decides so by the description.
    Agent,
    /// If a person names it.
    Manual,
}

/// A policy, split into its scope and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedPolicy<'t> {
    /// The scope; `None` without frontmatter.
    pub scope: Option<RuleScope>,
    pub targets: PageTargets,
    pub body: &'t str,
}

impl RuleScope {
    /// Reads the keys `description`, `globs` and `alwaysApply`.
    fn from_frontmatter(root: &Node) -> Self {
        let text = |node: &Node| node.as_scalar().map(|scalar| scalar.text.trim().to_owned());
        let globs = match root.get("globs") {
            Some(node) => match node.as_sequence() {
                Some(items) => items.iter().filter_map(text).collect(),
                None => text(node).map(|list| split_globs(&list)).unwrap_or_default(),
            },
            None => Vec::new(),
        };
        Self {
            description: root.get("description").and_then(text).filter(|text| !text.is_empty()),
            globs: globs.into_iter().filter(|glob| !glob.is_empty()).collect(),
            always: root.get("alwaysApply").and_then(text).map(|text| text == "true"),
        }
    }

    /// The mode of the rule. As in Cursor, `alwaysApply: true` wins over globs, and globs over a description.
    pub fn mode(&self) -> RuleMode {
        if self.always == Some(true) {
            RuleMode::Always
        } else if !self.globs.is_empty() {
            RuleMode::Files
        } else if self.description.is_some() {
            RuleMode::Agent
        } else {
            RuleMode::Manual
        }
    }

    /// The frontmatter that is read back as this scope.
    pub fn frontmatter(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut text = "---\n".to_owned();
        if let Some(description) = &self.description {
            text.push_str(&format!("description: {}\n", quoted(description)));
        }
        if !self.globs.is_empty() {
            let globs: Vec<String> = self.globs.iter().map(|glob| quoted(glob)).collect();
            text.push_str(&format!("globs: [{}]\n", globs.join(", ")));
        }
        text + &format!("alwaysApply: {}\n---\n\n", self.always == Some(true))
    }
}

/// Splits a policy. A frontmatter without `targets` and any key of a scope belongs to the text.
pub fn split_policy(text: &str) -> ScopedPolicy<'_> {
    let whole = ScopedPolicy { scope: None, targets: PageTargets::default(), body: text };
    let Ok(parts) = frontmatter::split(text) else { return whole };
    let Ok(document) = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset) else { return whole };
    let has = |keys: &[&str]| keys.iter().any(|key| document.root.get(key).is_some());
    let has_scope = has(&["description", "globs", "alwaysApply"]);
    if !has_scope && !has(&["targets"]) {
        return whole;
    }
    let body = text[parts.body.range()].trim_start_matches('\n');
    let scope = has_scope.then(|| RuleScope::from_frontmatter(&document.root));
    ScopedPolicy { scope, targets: PageTargets::from_frontmatter(&document.root), body }
}

/// Splits a list at commas, except inside of braces.
pub fn split_globs(list: &str) -> Vec<String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let items = split_at_commas(list, '{', '}');
    items.into_iter().map(|item| item.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_back() {
        for (scope, mode) in [
            (RuleScope { always: Some(true), ..RuleScope::default() }, RuleMode::Always),
            (
                RuleScope {
                    description: Some("Use: \"a\"".to_owned()),
                    globs: vec!["src/**/*.{ts,tsx}".to_owned(), "*.js".to_owned()],
                    always: Some(false),
                },
                RuleMode::Files,
            ),
            (RuleScope { description: Some("D".to_owned()), globs: vec![], always: Some(false) }, RuleMode::Agent),
            (RuleScope { always: Some(false), ..RuleScope::default() }, RuleMode::Manual),
        ] {
            let text = scope.frontmatter() + "# T\n";
            let targets = PageTargets::default();
            assert_eq!(split_policy(&text), ScopedPolicy { scope: Some(scope.clone()), targets, body: "# T\n" });
            assert_eq!(scope.mode(), mode);
        }
        for text in ["# T\n", "---\nowner: a\n---\n# T\n", "---\nglobs: : :\n---\n"] {
            assert_eq!(split_policy(text), ScopedPolicy { scope: None, targets: PageTargets::default(), body: text });
        }
        let only = split_policy("---\ntargets: [claude]\n---\n\n# T\n");
        assert_eq!((only.scope, only.targets.includes("cursor"), only.body), (None, false, "# T\n"));
        assert_eq!(split_globs("a/{b,c}.ts, \"d\""), ["a/{b,c}.ts", "d"]);
    }
}
