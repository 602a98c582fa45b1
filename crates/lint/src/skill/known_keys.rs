//! The known top-level keys of the frontmatter and the tools that read them.

use canonry_model::config::{TOOLS, Target, tool_row};
use std::sync::LazyLock;

/// A reader of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyReader {
    /// Every tool: the specification defines the key.
    Specification,
    /// One tool, by its id in the table.
    Tool(&'static str),
    /// The nightly-memory stack, which reads the canon itself. Tools ignore the key.
    Canon,
}

/// A key and its readers.
#[derive(Clone, Debug)]
pub struct KnownKey {
    /// The key.
    pub key: &'static str,
    /// Its readers.
    pub readers: Vec<KeyReader>,
}

const SPECIFICATION: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const CANON: [&str; 6] = ["version", "triggers", "tools", "preconditions", "constraints", "category"];

/// All known keys: those of the specification, of the tools in the order of the table, and of the canon.
pub static KNOWN_KEYS: LazyLock<Vec<KnownKey>> = LazyLock::new(|| {
    let mut known: Vec<KnownKey> = Vec::new();
    let mut add = |key: &'static str, reader: KeyReader| match known.iter_mut().find(|known| known.key == key) {
        Some(known) => known.readers.push(reader),
        None => known.push(KnownKey { key, readers: vec![reader] }),
    };
    SPECIFICATION.into_iter().for_each(|key| add(key, KeyReader::Specification));
    for tool in TOOLS {
        tool.keys.iter().for_each(|key| add(key, KeyReader::Tool(tool.id)));
    }
    CANON.into_iter().for_each(|key| add(key, KeyReader::Canon));
    known
});

/// Looks up a key.
pub fn find(key: &str) -> Option<&'static KnownKey> {
    KNOWN_KEYS.iter().find(|known| known.key == key)
}

impl KnownKey {
    /// Whether a tool reads it.
    pub fn is_read_by(&self, target: Target) -> bool {
        self.readers.iter().any(|reader| match reader {
            KeyReader::Specification => true,
            KeyReader::Tool(id) => Target::of_tool(id) == Some(target),
            KeyReader::Canon => false,
        })
    }

    /// The names of its readers, for a message.
    pub fn reader_names(&self) -> String {
        let names: Vec<&str> = self.readers.iter().map(|reader| reader.name()).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }
}

impl KeyReader {
    fn name(self) -> &'static str {
        match self {
            Self::Specification => "the specification",
            Self::Canon => "the nightly-memory stack",
            Self::Tool(id) => tool_row(id).map_or(id, |row| row.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::schema::SchemaKind;

    #[test]
    fn specified_keys_match_the_built_in_schema() {
        let text = SchemaKind::Skill.built_in_text();
        let schema: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let of_schema: Vec<&str> =
            schema["properties"].as_object().map(|keys| keys.keys().map(String::as_str).collect()).unwrap_or_default();
        let specified = |known: &&KnownKey| known.readers.contains(&KeyReader::Specification);
        let of_table: Vec<&str> = KNOWN_KEYS.iter().filter(specified).map(|known| known.key).collect();
        assert_eq!(of_table, of_schema);
    }

    #[test]
    fn tools_read_their_own_and_the_specified_keys() {
        let reads = |key: &str, target| find(key).is_some_and(|known| known.is_read_by(target));
        assert!(reads("name", Target::CODEX));
        assert!(reads("paths", Target::CURSOR));
        assert!(!reads("model", Target::GEMINI));
        assert!(!reads("triggers", Target::CLAUDE));
    }
}
