//! `targets` in the frontmatter of a rule, a subagent or a command: the only tools that get it.

use canonry_text::node::Node;

/// The tools that get a page, by the names that `files` in the config has for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTargets {
    /// `None` for every tool.
    names: Option<Vec<String>>,
}

impl PageTargets {
    /// Reads a list, or names between commas and white space. `*` is every tool.
    pub fn from_frontmatter(root: &Node) -> Self {
        let Some(node) = root.get("targets") else { return Self::default() };
        let text = |node: &Node| node.as_scalar().map(|scalar| scalar.text.trim().to_owned());
        let names: Vec<String> = match node.as_sequence() {
            Some(items) => items.iter().filter_map(text).collect(),
            None => {
                let list = text(node).unwrap_or_default();
                list.split([',', ' ', '\t']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
            }
        };
        let is_every_tool = names.iter().any(|name| name == "*");
        Self { names: (!is_every_tool).then_some(names) }
    }

    pub fn includes(&self, tool: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|name| name == tool))
    }

    /// The names; none if every tool gets the page.
    pub fn names(&self) -> &[String] {
        self.names.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    #[test]
    fn names_are_a_list_or_words() {
        for (yaml, claude, cursor) in [
            ("a: b\n", true, true),
            ("targets: [claude]\n", true, false),
            ("targets: claude, codex\n", true, false),
            ("targets: [\"*\"]\n", true, true),
            ("targets: []\n", false, false),
        ] {
            let targets = PageTargets::from_frontmatter(&yaml::parse(yaml, 0).unwrap().root);
            assert_eq!((targets.includes("claude"), targets.includes("cursor")), (claude, cursor), "{yaml}");
        }
    }
}
