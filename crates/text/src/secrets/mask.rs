//! Masks the secrets of a file whose lines are shown to a person, such as in a diff.

use super::search::find;
use super::settings::{find_in_arguments, find_in_setting, is_variable};
use super::table::Confidence;
use crate::node::Node;
use crate::{json, toml};
use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, parse_to_ast};
use std::borrow::Cow;
use std::ops::Range;

/// The text in place of a secret.
const MASK: &str = "[secret]";
/// Keys whose values are given to a program or sent to a server, whatever their names.
const PASSED_ON: [&str; 4] = ["env", "environment", "headers", "http_headers"];
/// Keys whose values name environment variables.
const VARIABLE_NAMES: [&str; 3] = ["env_vars", "env_http_headers", "bearer_token_env_var"];

/// The text of a file in which each secret is masked. The lines stay: a masked text has as many as the file. In a settings
/// file (JSON or TOML), every value that a program or a server gets counts, unless it is a reference to a variable.
pub fn mask<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let certain = find(text, Confidence::Named).into_iter();
    let mut found: Vec<Range<usize>> = certain.map(|secret| secret.span.range()).collect();
    found.extend(in_settings(path, text));
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| range.start);
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for range in found {
        if range.start >= done {
            masked.push_str(&text[done..range.start]);
            masked.push_str(MASK);
        }
        let new = range.start.max(done)..range.end.max(done);
        masked.extend(text[new.clone()].chars().filter(|c| matches!(c, '\n' | '\r')));
        done = new.end;
    }
    masked.push_str(&text[done..]);
    Cow::Owned(masked)
}

fn in_settings(path: &str, text: &str) -> Vec<Range<usize>> {
    let mut search = Search { text, found: Vec::new() };
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.ends_with(".toml") {
        if let Ok(root) = toml::parse(text) {
            search.visit(&Setting::from_node(&root), "", false);
        }
    } else if name.ends_with(".json") || name.ends_with(".jsonc") {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &json::jsonc_options());
        if let Some(root) = parsed.ok().and_then(|parsed| parsed.value) {
            search.visit(&Setting::from_json(&root), "", false);
        }
    }
    search.found
}

/// A value of a settings file.
enum Setting<'a> {
    Map(Vec<(&'a str, Setting<'a>)>),
    List(Vec<Setting<'a>>),
    /// A text or a number, and where it is.
    Scalar(Cow<'a, str>, Range<usize>),
    /// A switch, or nothing.
    Other,
}

impl<'a> Setting<'a> {
    fn from_json(value: &'a Value<'a>) -> Self {
        match value {
            Value::Object(object) => Self::Map(
                object.properties.iter().map(|own| (own.name.as_str(), Self::from_json(&own.value))).collect(),
            ),
            Value::Array(array) => Self::List(array.elements.iter().map(Self::from_json).collect()),
            Value::StringLit(text) => Self::Scalar(Cow::Borrowed(&text.value), text.range.start..text.range.end),
            Value::NumberLit(number) => Self::Scalar(Cow::Borrowed(number.value), number.range.start..number.range.end),
            Value::BooleanLit(_) | Value::NullKeyword(_) => Self::Other,
        }
    }

    fn from_node(node: &'a Node) -> Self {
        if let Some(map) = node.as_mapping() {
            Self::Map(map.entries.iter().map(|entry| (entry.key.as_str(), Self::from_node(&entry.value))).collect())
        } else if let Some(items) = node.as_sequence() {
            Self::List(items.iter().map(Self::from_node).collect())
        } else {
            match node.as_scalar() {
                Some(scalar) if !matches!(scalar.text.as_str(), "true" | "false") => {
                    Self::Scalar(Cow::Borrowed(&scalar.text), node.span.range())
                }
                _ => Self::Other,
            }
        }
    }
}

struct Search<'t> {
    text: &'t str,
    found: Vec<Range<usize>>,
}

impl Search<'_> {
    /// `is_passed_on`: whether everything in the value is given to a program or a server.
    fn visit(&mut self, setting: &Setting<'_>, name: &str, is_passed_on: bool) {
        match setting {
            Setting::Map(entries) => {
                for (key, value) in entries.iter().filter(|(key, _)| !VARIABLE_NAMES.contains(key)) {
                    self.visit(value, key, is_passed_on || PASSED_ON.contains(key));
                }
            }
            Setting::List(items) if name == "args" && !is_passed_on => self.arguments(items),
            Setting::List(items) => items.iter().for_each(|item| self.visit(item, name, is_passed_on)),
            Setting::Scalar(value, at) if is_passed_on && !value.is_empty() && !is_reference(value) => {
                self.add(value, at, 0..value.len());
            }
            Setting::Scalar(value, at) => {
                for secret in find_in_setting(name, value) {
                    self.add(value, at, secret.range);
                }
            }
            Setting::Other => {}
        }
    }

    fn arguments(&mut self, items: &[Setting<'_>]) {
        let scalars = items.iter().filter_map(|item| match item {
            Setting::Scalar(value, at) => Some((value, at)),
            Setting::Map(_) | Setting::List(_) | Setting::Other => None,
        });
        let scalars: Vec<_> = scalars.collect();
        let texts: Vec<String> = scalars.iter().map(|(value, _)| value.to_string()).collect();
        for (index, secret) in find_in_arguments(&texts) {
            let (value, at) = scalars[index];
            self.add(value, at, secret.range);
        }
    }

    /// Adds a part of a value at this place of the file; all of it if the file has the value in another form.
    fn add(&mut self, value: &str, at: &Range<usize>, part: Range<usize>) {
        let Some(raw) = self.text.get(at.clone()) else { return };
        let start = at.start + raw.find(|c| !matches!(c, '"' | '\'')).unwrap_or(raw.len());
        let end = at.start + raw.rfind(|c| !matches!(c, '"' | '\'')).map_or(0, |last| last + 1);
        let range = if self.text.get(start..end) == Some(value) {
            start + part.start..start + part.end
        } else {
            start..end.max(start)
        };
        let is_whole = self.text.is_char_boundary(range.start) && self.text.is_char_boundary(range.end);
        self.found.push(if is_whole { range } else { at.clone() });
    }
}

/// Whether a value only refers to an environment variable, in the syntax of any tool.
fn is_reference(value: &str) -> bool {
    is_variable(value) || value.contains("{env:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_what_a_program_or_a_server_gets() {
        let text = r#"{
  // The team's servers.
  "mcpServers": {
    "db": {
      "command": "npx",
      "args": ["-y", "db", "--api-key", "hunter2hunter2", "--port=80", "--token=abc-def"],
      "env": {"DB_URL": "plain words", "HOME_DIR": "${HOME}", "PIN": 1234},
    },
    "docs": {
      "url": "https://user:passw0rd@example.com/x?token=abcdef",
      "headers": {"X-Team": "blue", "Authorization": "Bearer ${TOKEN}"}
    },
    "open": {"environment": {"A": "{env:A}", "B": "a\"b"}}
  }
}
"#;
        let masked = mask(".mcp.json", text);
        for secret in ["hunter2", "abc-def", "plain words", "1234", "passw0rd", "abcdef", "blue", "a\\\"b"] {
            assert!(!masked.contains(secret), "{secret}\n{masked}");
        }
        for kept in
            ["// The team's", "\"npx\"", "--port=80", "--token=[secret]", "${HOME}", "Bearer ${TOKEN}", "{env:A}"]
        {
            assert!(masked.contains(kept), "{kept}\n{masked}");
        }
        assert_eq!(masked.lines().count(), text.lines().count());
    }

    #[test]
    fn masks_tables_of_toml() {
        let text = "[mcp_servers.db]\ncommand = \"db\"\nbearer_token_env_var = \"TOKEN\"\n\n[mcp_servers.db.env]\nKEY = 'plain'\n\
                    LONG = \"\"\"\none\ntwo\"\"\"\n";
        let masked = mask(".codex/config.toml", text);
        assert!(masked.contains("KEY = '[secret]'") && masked.contains("\"TOKEN\""), "{masked}");
        assert!(!masked.contains("one") && !masked.contains("two"), "{masked}");
        assert_eq!(masked.lines().count(), text.lines().count());
    }

    #[test]
    fn other_files_lose_only_what_is_certain() {
        for (path, text) in [
            ("a/SKILL.md", "Set `env: {TOKEN: x}` and `password: hunter2`.\n"),
            ("agent/mirrors.lock", "4b825dc642cb6eb9a060e54bf8d69288fbee4904 100644 .claude/skills/a/SKILL.md\n"),
            (".mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"-v\"]}}}\n"),
            (".mcp.json", "{\n"),
        ] {
            assert_eq!(mask(path, text), text);
        }
        let key = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
        let text = format!("Call it with {key} today.\r\n");
        assert!(!mask("a/SKILL.md", &text).contains(&key));
    }
}
