//! Servers of the Model Context Protocol, from each tool's words into those of the canon.

use super::basket::{File, ImportPlan, Piece};
use super::outcome::Refused;
use super::{json, secrets};
use crate::edit::EditContent;
use crate::syntax::RepoPath;
use serde_json::{Map, Value};

/// Keys of a server in the canon.
const KNOWN: [&str; 6] = ["type", "command", "args", "env", "url", "headers"];
/// What the others are called elsewhere: an address that streams, and the kind of it.
const ADDRESSES: [(&str, &str); 2] = [("httpUrl", "http"), ("serverUrl", "http")];

/// Collects servers from several files; of two with one name the first counts.
#[derive(Default)]
pub(super) struct Servers {
    all: Map<String, Value>,
    from: Vec<(String, RepoPath)>,
    told: Vec<String>,
    /// Whether the origin itself goes by the first of two with one name.
    first_counts: bool,
}

impl Servers {
    /// Of an origin that goes by the first itself.
    pub fn of_which_the_first_counts() -> Self {
        Self { first_counts: true, ..Self::default() }
    }

    /// Takes the servers of a file with `mcpServers`. Says whether it has them.
    pub fn file(&mut self, basket: &mut ImportPlan<'_>, from: &RepoPath) -> bool {
        let Some(text) = basket.read(from) else { return false };
        match json::object(&text) {
            Ok(object) => match object.get("mcpServers") {
                Some(Value::Object(servers)) => {
                    servers.iter().for_each(|(name, value)| self.add(basket, from, name, value));
                    return true;
                }
                Some(_) => basket.unreadable(from, "`mcpServers` is no object"),
                None => {}
            },
            Err(why) => basket.unreadable(from, why),
        }
        false
    }

    /// Takes one.
    pub fn add(&mut self, basket: &mut ImportPlan<'_>, from: &RepoPath, name: &str, value: &Value) {
        let mut told = Vec::new();
        let server = match normal(name, value, &mut told) {
            Ok(server) => Value::Object(server),
            Err((why, advice)) => return basket.leave(from, format!("server `{name}`: {why}"), advice),
        };
        match self.all.get(name) {
            Some(there) if *there == server => {}
            Some(_) => {
                let other =
                    self.from.iter().find(|(of, _)| of == name).map(|(_, path)| path.to_string()).unwrap_or_default();
                match self.first_counts {
                    true => basket.leave(from, format!("server `{name}`: the one in {other} counts"), ""),
                    false => {
                        refuse(basket, from, format!("server `{name}` is not the same as in {other}, which was taken"));
                    }
                }
            }
            None => {
                self.told.extend(told.into_iter().map(|told| format!("server `{name}`: {told}")));
                self.from.push((name.to_owned(), from.clone()));
                self.all.insert(name.to_owned(), server);
            }
        }
    }

    /// Makes the canon's file of them.
    pub fn finish(mut self, basket: &mut ImportPlan<'_>) {
        let to = basket.ground.layout.mcp();
        let there = basket.ground.canon.get(&to).copied();
        if there.is_some() {
            self.hold_against(basket, &to);
        }
        let Some((_, from)) = self.from.first().cloned() else { return };
        let mut document = Map::new();
        document.insert("mcpServers".to_owned(), Value::Object(self.all.clone()));
        let text = serde_json::to_string_pretty(&Value::Object(document)).unwrap_or_default() + "\n";
        let file = match there {
            Some(state) => Some(File { path: to.clone(), content: EditContent::Bytes(Vec::new()), state }),
            None => basket.file_with(text, to.clone()),
        };
        let mut changes = self.told;
        let sources: std::collections::BTreeSet<&RepoPath> = self.from.iter().map(|(_, path)| path).collect();
        if sources.len() > 1 {
            let others: Vec<String> =
                sources.into_iter().filter(|path| **path != from).map(ToString::to_string).collect();
            changes.push(format!("with the servers of {}", others.join(", ")));
        }
        basket.pieces.push(Piece { from, to, files: file.into_iter().collect(), changes, is_skill: false });
    }

    /// Keeps the servers that the canon has just so, and refuses the others: its file is a person's.
    fn hold_against(&mut self, basket: &mut ImportPlan<'_>, path: &RepoPath) {
        let there = basket.ground.text(path).and_then(|text| json::object(&text)).unwrap_or_default();
        let there = there.get("mcpServers").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, from) in std::mem::take(&mut self.from) {
            match there.get(&name) {
                Some(server) if self.all.get(&name) == Some(server) => self.from.push((name, from)),
                Some(_) => refuse(basket, &from, format!("{path} has another server `{name}`")),
                None => refuse(basket, &from, format!("{path} is there, and has no server `{name}`: add it by hand")),
            }
        }
    }
}

fn refuse(basket: &mut ImportPlan<'_>, from: &RepoPath, why: String) {
    let to = basket.ground.layout.mcp();
    basket.refused.push(Refused { from: from.clone(), to, why });
}

type NotTaken = (String, &'static str);

/// A server as the canon has it.
fn normal(name: &str, value: &Value, told: &mut Vec<String>) -> Result<Map<String, Value>, NotTaken> {
    let no = |why: &str, advice| Err((why.to_owned(), advice));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return no("its name has more than letters, digits, `-` and `_`, which not every tool takes", "rename it");
    }
    let Some(given) = value.as_object() else { return no("it is no object", "") };
    if given.get("disabled") == Some(&Value::Bool(true)) || given.get("enabled") == Some(&Value::Bool(false)) {
        return no("it is switched off", "add it to agent/mcp.json if it is wanted again");
    }
    let mut server = Map::new();
    let mut lost = Vec::new();
    for (key, value) in given {
        match (key.as_str(), ADDRESSES.iter().find(|(other, _)| other == key)) {
            (_, Some((_, kind))) => {
                told.push(format!("`{key}` is `url`"));
                server.insert("type".to_owned(), Value::from(*kind));
                server.insert("url".to_owned(), value.clone());
            }
            ("transport", _) if !given.contains_key("type") => {
                told.push("`transport` is `type`".to_owned());
                server.insert("type".to_owned(), value.clone());
            }
            (known, None) if KNOWN.contains(&known) => {
                server.insert(key.clone(), value.clone());
            }
            ("disabled" | "enabled", None) => {}
            _ => lost.push(format!("`{key}`")),
        }
    }
    if !lost.is_empty() {
        told.push(format!("{} left out: the canon has no word for it", lost.join(", ")));
    }
    match server.get("type").and_then(Value::as_str) {
        Some("streamable-http" | "streamableHttp" | "streamable_http") => {
            server.insert("type".to_owned(), Value::from("http"));
        }
        // It says no more than that there is a command.
        Some("stdio" | "local") => {
            server.shift_remove("type");
        }
        _ => {}
    }
    if server.contains_key("command") == server.contains_key("url") {
        return no("it has neither or both of `command` and `url`", "mend it, then run this again");
    }
    if server.contains_key("url") {
        let env = server.shift_remove("env");
        if env.as_ref().and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
            told.push("`env` left out: nothing is started for an address".to_owned());
        }
    }
    are_texts(&server)?;
    hidden(name, &mut server, told)?;
    Ok(server)
}

/// What the canon's reader asks of the values.
fn are_texts(server: &Map<String, Value>) -> Result<(), NotTaken> {
    let is_fine = |(key, value): (&String, &Value)| match key.as_str() {
        "args" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        "env" | "headers" => value.as_object().is_some_and(|pairs| pairs.values().all(Value::is_string)),
        _ => value.is_string(),
    };
    match server.iter().find(|pair| !is_fine(*pair)) {
        None => Ok(()),
        Some((key, _)) => {
            Err((format!("`{key}` is not of the form that it has to be"), "mend it, then run this again"))
        }
    }
}

/// Variables as the canon writes them, and no secret among the values.
fn hidden(name: &str, server: &mut Map<String, Value>, told: &mut Vec<String>) -> Result<(), NotTaken> {
    let advice = "put a variable such as ${API_KEY} in its place, then run this again";
    for (key, value) in server.iter_mut() {
        match value {
            Value::String(text) => *text = spelt(text),
            Value::Array(items) => items.iter_mut().for_each(|item| {
                if let Value::String(text) = item {
                    *text = spelt(text);
                }
            }),
            Value::Object(pairs) => {
                for (inner, value) in pairs.iter_mut() {
                    let Value::String(text) = value else { continue };
                    *text = spelt(text);
                    if secrets::is_secret(inner, text) {
                        let variable = if key == "env" { inner.clone() } else { secrets::variable(name, inner) };
                        let bearer = if text.starts_with("Bearer ") { "Bearer " } else { "" };
                        *text = format!("{bearer}${{{variable}}}");
                        told.push(format!("`{key}.{inner}` looks like a secret, so that its value was not taken: it is `${{{variable}}}` now; set {variable} in the environment"));
                    }
                }
            }
            _ => {}
        }
    }
    let text = |key: &str| server.get(key).and_then(Value::as_str).unwrap_or_default();
    let args = json::texts(server.get("args"));
    if secrets::in_address(text("url")) || secrets::looks_like_one(text("command")) || secrets::in_arguments(&args) {
        return Err(("its address or its arguments hold what looks like a secret".to_owned(), advice));
    }
    let foreign =
        |text: &str| text.contains("${input:") || text.contains("${command:") || text.contains("${workspaceFolder");
    if serde_json::to_string(server).is_ok_and(|text| foreign(&text)) {
        return Err((
            "it has a variable that only its editor knows".to_owned(),
            "put a variable of the environment in its place, then run this again",
        ));
    }
    Ok(())
}

/// `${env:NAME}` and `$NAME` as `${NAME}`.
fn spelt(text: &str) -> String {
    let text = text.replace("${env:", "${");
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.strip_prefix('$') {
        Some(name) if is_name(name) => format!("${{{name}}}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(value: Value) -> (Value, Vec<String>) {
        let mut told = Vec::new();
        let server = normal("my-db", &value, &mut told).unwrap();
        (Value::Object(server), told)
    }

    #[test]
    fn servers_get_the_words_of_the_canon() {
        let (server, told) =
            made(json!({"httpUrl": "https://x.example/mcp", "headers": {"X-Trace": "1"}, "timeout": 5}));
        assert_eq!(server, json!({"type": "http", "url": "https://x.example/mcp", "headers": {"X-Trace": "1"}}));
        assert_eq!(told, ["`httpUrl` is `url`", "`timeout` left out: the canon has no word for it"]);
        let (server, told) = made(json!({"type": "stdio", "command": "x", "args": ["${env:A}"], "env": {"B": "$B"}}));
        assert_eq!(server, json!({"command": "x", "args": ["${A}"], "env": {"B": "${B}"}}));
        assert!(told.is_empty());
    }

    #[test]
    fn no_secret_is_taken() {
        let (server, told) = made(json!({"command": "x", "env": {"API_KEY": "abc", "MODE": "y"}}));
        assert_eq!(server, json!({"command": "x", "env": {"API_KEY": "${API_KEY}", "MODE": "y"}}));
        assert!(told[0].contains("env.API_KEY") && !told[0].contains("abc"), "{told:?}");
        let (server, _) = made(json!({"url": "https://x.example", "headers": {"Authorization": "Bearer abc"}}));
        assert_eq!(server["headers"]["Authorization"], "Bearer ${MY_DB_AUTHORIZATION}");
        for value in [
            json!({"url": "https://u:p@x.example"}),
            json!({"command": "x", "args": ["--token=ghp_0123456789abcdef"]}),
            json!({"command": "x", "disabled": true}),
            json!({"command": "x", "url": "y"}),
            json!({"command": "x", "args": [1]}),
            json!({"command": "x", "env": {"A": "${input:a}"}}),
        ] {
            assert!(normal("a", &value, &mut Vec::new()).is_err(), "{value}");
        }
    }
}
