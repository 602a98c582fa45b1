//! Restrictions in a subagent's frontmatter, in the terms of Claude Code.

use crate::tools::agent_tools::{self, AgentTool};
use canonry_text::list::split_at_commas;
use canonry_text::node::Node;
use std::collections::BTreeMap;

/// The restrictions of a subagent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubagentLimits {
    /// The tools it may use; `None` for all.
    pub tools: Option<Vec<String>>,
    /// The tools it may not use.
    pub denied_tools: Vec<String>,
    /// It may only read.
    pub is_read_only: bool,
    /// Restrictions that Claude Code does not know, by key.
    pub foreign: Vec<String>,
}

/// Permission modes of Claude Code that restrict nothing that other tools would allow.
const OPEN_MODES: [&str; 6] = ["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "delegate"];
/// Keys of other tools that restrict a subagent.
const FOREIGN_KEYS: [&str; 4] = ["readonly", "sandbox_mode", "sandbox", "read_only"];

impl SubagentLimits {
    /// Reads the restrictions in the canon's frontmatter.
    pub fn from_frontmatter(root: &Node) -> Self {
        let mode = root.get("permissionMode").and_then(Node::as_str).map(str::trim);
        let mut limits = Self {
            tools: root
                .get("tools")
                .filter(|node| !node.is_null())
                .map(names)
                .filter(|tools| !tools.contains(&"*".into())),
            denied_tools: root.get("disallowedTools").map(names).unwrap_or_default(),
            is_read_only: mode == Some("plan"),
            foreign: Vec::new(),
        };
        if mode.is_some_and(|mode| mode != "plan" && !OPEN_MODES.contains(&mode)) {
            limits.foreign.push("permissionMode".to_owned());
        }
        let is_set = |key: &&&str| {
            let scalar = root.get(key).and_then(|node| node.as_scalar().map(|scalar| scalar.text.trim()));
            scalar.is_some_and(|text| !matches!(text, "" | "false" | "workspace-write" | "danger-full-access"))
        };
        limits.foreign.extend(FOREIGN_KEYS.iter().filter(is_set).map(|key| (*key).to_owned()));
        limits
    }

    /// Whether the subagent may do everything.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the subagent can change nothing: it is in a read-only mode, or all of its tools only read files.
    pub fn only_reads(&self) -> bool {
        let reads = |tool: &String| agent_tools::by_claude_name(tool).is_some_and(AgentTool::only_reads);
        self.is_read_only || self.tools.as_ref().is_some_and(|tools| !tools.is_empty() && tools.iter().all(reads))
    }

    /// Restricts further, so that nothing is allowed that either forbids.
    pub fn restrict(&mut self, other: &Self) {
        self.is_read_only |= other.is_read_only;
        self.tools = match (self.tools.take(), &other.tools) {
            (Some(mine), Some(theirs)) => Some(mine.into_iter().filter(|tool| theirs.contains(tool)).collect()),
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        };
        for tool in &other.denied_tools {
            if !self.denied_tools.contains(tool) {
                self.denied_tools.push(tool.clone());
            }
        }
    }

    /// Names the restrictions as the frontmatter has them.
    pub fn described(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.tools.as_ref().map(|tools| format!("`tools: {}`", tools.join(", "))));
        let denied = Some(&self.denied_tools).filter(|tools| !tools.is_empty());
        parts.extend(denied.map(|tools| format!("`disallowedTools: {}`", tools.join(", "))));
        parts.extend(self.is_read_only.then(|| "`permissionMode: plan`".to_owned()));
        parts.extend(self.foreign.iter().map(|key| format!("`{key}`")));
        parts.join(" and ")
    }
}

/// The key with the model of each tool besides Claude Code, whose own key is `model`: their names differ.
pub const MODELS_KEY: &str = "models";

/// The models by tool.
pub fn models(root: &Node) -> BTreeMap<String, String> {
    let named = root.entries_at(MODELS_KEY).iter().filter_map(|entry| {
        let name = entry.value.as_scalar()?.text.trim();
        (!name.is_empty()).then(|| (entry.key.clone(), name.to_owned()))
    });
    named.collect()
}

/// A list of names: a sequence, or a text with commas. A comma inside of parentheses separates nothing.
fn names(node: &Node) -> Vec<String> {
    let texts: Vec<String> = match node.as_sequence() {
        Some(items) => items.iter().filter_map(|item| item.as_scalar().map(|scalar| scalar.text.clone())).collect(),
        None => node.as_scalar().map(|scalar| split_at_commas(&scalar.text, '(', ')')).unwrap_or_default(),
    };
    texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    fn limits(text: &str) -> SubagentLimits {
        SubagentLimits::from_frontmatter(&yaml::parse(text, 0).unwrap().root)
    }

    #[test]
    fn reads_restrictions() {
        for (text, is_open, only_reads, described) in [
            ("name: a\nmodel: x\n", true, false, ""),
            ("permissionMode: acceptEdits\n", true, false, ""),
            ("tools: \"*\"\n", true, false, ""),
            (
                "tools: Read, Grep\npermissionMode: plan\n",
                false,
                true,
                "`tools: Read, Grep` and `permissionMode: plan`",
            ),
            ("tools: [Read, Bash(git log, git diff)]\n", false, false, "`tools: Read, Bash(git log, git diff)`"),
            ("disallowedTools: Write\n", false, false, "`disallowedTools: Write`"),
            ("readonly: true\n", false, false, "`readonly`"),
            ("readonly: false\nsandbox_mode: read-only\n", false, false, "`sandbox_mode`"),
            ("permissionMode: locked\n", false, false, "`permissionMode`"),
        ] {
            let limits = limits(text);
            let found = (limits.is_open(), limits.only_reads(), limits.described());
            assert_eq!(found, (is_open, only_reads, described.to_owned()), "{text}");
        }
        assert_eq!(limits("tools:\n"), SubagentLimits::default());
    }

    #[test]
    fn restricting_allows_nothing_more() {
        let mut first = limits("tools: Read, Bash\n");
        first.restrict(&limits("tools: Read, Write\npermissionMode: plan\ndisallowedTools: Bash\n"));
        assert_eq!(first.described(), "`tools: Read` and `disallowedTools: Bash` and `permissionMode: plan`");
    }
}
