//! The known top-level keys of the frontmatter and the tools that read them.

use crate::config::Target;

/// A reader of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Every tool: the specification defines the key.
    Specification,
    /// One tool, identified by its target.
    Tool(Target),
    /// The nightly-memory stack, which reads the canon itself. Tools ignore the key.
    Canon,
}

/// A key and its readers.
#[derive(Clone, Copy, Debug)]
pub struct KnownKey {
    /// The key.
    pub key: &'static str,
    /// Its readers.
    pub readers: &'static [Reader],
}

const SPECIFICATION: &[Reader] = &[Reader::Specification];
const CLAUDE: &[Reader] = &[Reader::Tool(Target::Claude)];
const CURSOR: &[Reader] = &[Reader::Tool(Target::Cursor)];
const CLAUDE_AND_CURSOR: &[Reader] = &[Reader::Tool(Target::Claude), Reader::Tool(Target::Cursor)];
const CANON: &[Reader] = &[Reader::Canon];

const fn known(key: &'static str, readers: &'static [Reader]) -> KnownKey {
    KnownKey { key, readers }
}

/// All known keys, those of the specification first.
pub static KNOWN_KEYS: &[KnownKey] = &[
    known("name", SPECIFICATION),
    known("description", SPECIFICATION),
    known("license", SPECIFICATION),
    known("compatibility", SPECIFICATION),
    known("metadata", SPECIFICATION),
    known("allowed-tools", SPECIFICATION),
    known("when_to_use", CLAUDE),
    known("argument-hint", CLAUDE),
    known("arguments", CLAUDE),
    known("disable-model-invocation", CLAUDE_AND_CURSOR),
    known("user-invocable", CLAUDE),
    known("disallowed-tools", CLAUDE),
    known("model", CLAUDE),
    known("effort", CLAUDE),
    known("context", CLAUDE),
    known("agent", CLAUDE),
    known("background", CLAUDE),
    known("hooks", CLAUDE),
    known("shell", CLAUDE),
    known("paths", CLAUDE_AND_CURSOR),
    known("globs", CURSOR),
    known("version", CANON),
    known("triggers", CANON),
    known("tools", CANON),
    known("preconditions", CANON),
    known("constraints", CANON),
    known("category", CANON),
];

/// Looks up a key.
pub fn find(key: &str) -> Option<&'static KnownKey> {
    KNOWN_KEYS.iter().find(|known| known.key == key)
}

impl KnownKey {
    /// Whether a tool reads it.
    pub fn is_read_by(&self, target: Target) -> bool {
        self.readers.iter().any(|reader| matches!(reader, Reader::Specification) || *reader == Reader::Tool(target))
    }

    /// The names of its readers, for a message.
    pub fn reader_names(&self) -> String {
        let names: Vec<&str> = self.readers.iter().map(|reader| reader.name()).collect();
        names.join(" and ")
    }
}

impl Reader {
    fn name(self) -> &'static str {
        match self {
            Self::Specification => "the specification",
            Self::Canon => "the nightly-memory stack",
            Self::Tool(Target::Claude) => "Claude Code",
            Self::Tool(Target::Gemini) => "Gemini CLI",
            Self::Tool(Target::Cursor) => "Cursor",
            Self::Tool(Target::Codex) => "Codex",
            Self::Tool(Target::Antigravity) => "Antigravity",
            Self::Tool(Target::Agents) => "tools that read .agents",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::SchemaKind;

    #[test]
    fn specified_keys_match_the_built_in_schema() {
        let text = SchemaKind::Skill.built_in_text();
        let schema: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let of_schema: Vec<&str> =
            schema["properties"].as_object().map(|keys| keys.keys().map(String::as_str).collect()).unwrap_or_default();
        let specified = |known: &&KnownKey| known.readers.contains(&Reader::Specification);
        let of_table: Vec<&str> = KNOWN_KEYS.iter().filter(specified).map(|known| known.key).collect();
        assert_eq!(of_table, of_schema);
    }

    #[test]
    fn tools_read_their_own_and_the_specified_keys() {
        let reads = |key: &str, target| find(key).is_some_and(|known| known.is_read_by(target));
        assert!(reads("name", Target::Codex));
        assert!(reads("paths", Target::Cursor));
        assert!(!reads("model", Target::Gemini));
        assert!(!reads("triggers", Target::Claude));
    }
}
