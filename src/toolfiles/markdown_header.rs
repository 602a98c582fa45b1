//! The frontmatter of a Markdown file, as far as the tools' files are made from it.

use crate::syntax::node::Node;
use crate::syntax::{frontmatter, yaml};

/// The frontmatter and what follows it.
pub(super) struct MarkdownHeader<'t> {
    root: Option<Node>,
    pub body: &'t str,
}

impl<'t> MarkdownHeader<'t> {
    /// Reads it; a file without one is all body.
    pub fn of(text: &'t str) -> Result<Self, String> {
        let parts = match frontmatter::split(text) {
            Ok(parts) => parts,
            Err(frontmatter::FrontmatterError::Unclosed { .. }) => return Err("its frontmatter has no end".to_owned()),
            Err(_) => return Ok(Self { root: None, body: text }),
        };
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset);
        let document = document.map_err(|error| format!("its frontmatter is not valid YAML: {}", error.message))?;
        Ok(Self { root: Some(document.root), body: &text[parts.body.range()] })
    }

    /// A text that is not empty, by the keys that lead to it.
    pub fn field(&self, keys: &[&str]) -> Option<String> {
        let mut here = self.root.as_ref()?;
        for key in keys {
            here = here.get(key)?;
        }
        here.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}
