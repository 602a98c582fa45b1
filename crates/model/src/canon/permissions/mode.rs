//! The mode in which agents start: `defaultMode` in the frontmatter of the permissions page.

use canonry_text::{Span, frontmatter};

/// The key in the frontmatter.
const MODE_KEY: &str = "defaultMode";

/// A mode, with the names of Claude Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefaultMode {
    /// Edits and commands that no permission allows require approval.
    Default,
    /// Edits need no approval.
    AcceptEdits,
    /// The agent plans, and changes nothing.
    Plan,
    /// Everything that no permission allows is denied.
    DontAsk,
    /// Nothing requires approval.
    BypassPermissions,
}

impl DefaultMode {
    pub const ALL: [Self; 5] = [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk, Self::BypassPermissions];

    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether agents then do things for which a person would otherwise be asked.
    pub fn skips_approvals(self) -> bool {
        matches!(self, Self::AcceptEdits | Self::BypassPermissions)
    }
}

/// The mode that a page sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeSetting {
    /// The mode, or the text that names none.
    pub mode: Result<DefaultMode, String>,
    /// The value.
    pub span: Span,
}

/// The mode that a page sets; `None` if it sets none.
pub fn default_mode(text: &str) -> Option<ModeSetting> {
    let root = frontmatter::root(text)?;
    let node = root.get(MODE_KEY)?;
    let name = node.as_scalar().map(|scalar| scalar.text.trim().to_owned()).unwrap_or_default();
    Some(ModeSetting { mode: DefaultMode::from_name(&name).ok_or(name), span: node.span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_sets_the_mode() {
        let mode = |text: &str| default_mode(text).map(|setting| setting.mode);
        assert_eq!(mode("# Permissions\n"), None);
        assert_eq!(mode("---\ntitle: a\n---\n# Permissions\n"), None);
        for known in DefaultMode::ALL {
            assert_eq!(mode(&format!("---\ndefaultMode: {}\n---\n# P\n", known.name())), Some(Ok(known)));
        }
        assert_eq!(mode("---\ndefaultMode: auto\n---\n# P\n"), Some(Err("auto".to_owned())));
        assert_eq!(mode("---\ndefaultMode: [a]\n---\n# P\n"), Some(Err(String::new())));
    }
}
