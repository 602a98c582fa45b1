//! Tools by the names that a text gives them.

use crate::config::{Target, closest_match};
use crate::syntax::Span;
use std::fmt;

/// A name that no tool has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    /// As written.
    pub name: String,
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Target::ALL.map(Target::name);
        match closest_match(&self.name, names) {
            Some(meant) => write!(f, "there is no tool `{}`; did you mean `{meant}`?", self.name),
            None => write!(f, "there is no tool `{}`; there are {}", self.name, names.join(", ")),
        }
    }
}

/// The tools of a list, and the names in it that no tool has.
pub type Named = (Vec<Target>, Vec<(Span, UnknownTool)>);

/// The tool of a name.
pub fn tool(name: &str) -> Option<Target> {
    Target::ALL.into_iter().find(|target| target.name() == name)
}

/// The tools that a list names, with white space or commas between them, and the names that no tool has.
pub(super) fn named(list: &str) -> Named {
    let (mut tools, mut unknown) = (Vec::new(), Vec::new());
    let words = list.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for word in words {
        match tool(word) {
            Some(target) => tools.push(target),
            None => {
                let at = word.as_ptr().addr() - list.as_ptr().addr();
                unknown.push((Span::new(at, at + word.len()), UnknownTool { name: word.to_owned() }));
            }
        }
    }
    (tools, unknown)
}
