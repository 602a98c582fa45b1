//! Tool names in texts, and unknown names.

use canonry_model::config::{Target, tool_row};
use canonry_text::Span;
use canonry_text::closest_match;
use std::fmt;

/// A name that no tool has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    pub name: String,
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Target::ALL.map(Target::name);
        match (tool_row(&self.name), closest_match(&self.name, names)) {
            (Some(row), _) => write!(f, "{} reads `{}`: write `agents`", row.name, row.skills.mirror),
            (None, Some(meant)) => write!(f, "unknown tool `{}`; did you mean `{meant}`?", self.name),
            (None, None) => write!(f, "unknown tool `{}`; known tools are {}", self.name, names.join(", ")),
        }
    }
}

/// The parsed form of a list of tool names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolList {
    pub tools: Vec<Target>,
    pub unknown: Vec<(Span, UnknownTool)>,
}

/// Returns the target with a name, in the table or among `configured`, which may have rows of the config.
pub fn tool(name: &str, configured: &[Target]) -> Option<Target> {
    Target::ALL.into_iter().chain(configured.iter().copied()).find(|target| target.name() == name)
}

impl ToolList {
    /// Parses names that are separated by white space or commas; `configured` are the targets of the config.
    pub(super) fn parse(list: &str, configured: &[Target]) -> Self {
        let mut parsed = Self::default();
        let words = list.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        for word in words {
            match tool(word, configured) {
                Some(target) => parsed.tools.push(target),
                None => {
                    let at = word.as_ptr().addr() - list.as_ptr().addr();
                    let unknown = UnknownTool { name: word.to_owned() };
                    parsed.unknown.push((Span::new(at, at + word.len()), unknown));
                }
            }
        }
        parsed
    }
}
