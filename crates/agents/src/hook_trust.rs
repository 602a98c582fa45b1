//! Whether a tool trusts the hooks of a repository, as far as its own files in the user's home say so.

use canonry_model::tools::tool_formats::TrustRecord;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;

/// Whether a tool runs the hooks of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The tool's files say that it does.
    Trusted,
    /// The tool's files say that a person must do something first; the text says what is missing.
    Untrusted(String),
    /// The tool's files do not say; the text says why.
    Unknown(String),
}

/// Files that record the trust of a tool.
pub struct TrustFiles {
    /// The text of the file that [`canonry_model::config::HookTrust::Recorded`] names.
    pub record: Option<String>,
    /// The text of the file with the hooks.
    pub hooks: Option<String>,
    /// The top of the repository, and that of the main checkout if its trust counts, with and without links.
    pub tops: Vec<PathBuf>,
}

impl Trust {
    /// Trust that a tool records.
    pub fn of_record(form: TrustRecord, files: &TrustFiles) -> Self {
        let TrustFiles { record, hooks, tops } = files;
        let record = record.as_deref();
        match form {
            TrustRecord::Claude => claude_trust(record, tops),
            TrustRecord::Gemini => gemini_trust(record, tops),
            TrustRecord::Codex => codex_trust(record, hooks.as_deref(), tops),
            TrustRecord::Grok => grok_trust(record, tops),
        }
    }
}

/// Trust in Claude Code: `projects.FOLDER.hasTrustDialogAccepted` in `~/.claude.json`, also of a folder around it.
fn claude_trust(text: Option<&str>, tops: &[PathBuf]) -> Trust {
    let Some(text) = text else { return Trust::Unknown("there is no ~/.claude.json".to_owned()) };
    let Ok(file) = serde_json::from_str::<Value>(text) else {
        return Trust::Unknown("~/.claude.json is not valid JSON".to_owned());
    };
    let is_accepted = |folder: &Path| {
        let project = file.get("projects").and_then(|projects| projects.get(folder.to_str()?));
        project.and_then(|project| project.get("hasTrustDialogAccepted")) == Some(&Value::Bool(true))
    };
    if tops.iter().flat_map(|top| top.ancestors()).any(is_accepted) {
        Trust::Trusted
    } else {
        Trust::Untrusted("nobody has accepted its question about this folder yet".to_owned())
    }
}

/// Trust in Gemini CLI: an entry of `~/.gemini/trustedFolders.json`, for the folder or one around it.
fn gemini_trust(text: Option<&str>, tops: &[PathBuf]) -> Trust {
    let unlisted = || Trust::Unknown("~/.gemini/trustedFolders.json does not name this folder".to_owned());
    let Some(text) = text else { return unlisted() };
    let Ok(Value::Object(folders)) = serde_json::from_str(text) else {
        return Trust::Unknown("~/.gemini/trustedFolders.json is not a JSON object".to_owned());
    };
    let is_for = |folder: &Path| tops.iter().any(|top| top.starts_with(folder));
    let mut nearest: Option<(usize, bool)> = None;
    for (folder, trust) in &folders {
        let folder = Path::new(folder);
        let (is_match, is_trusted) = match trust.as_str() {
            Some("TRUST_FOLDER") => (is_for(folder), true),
            Some("TRUST_PARENT") => (folder.parent().is_some_and(is_for), true),
            Some("DO_NOT_TRUST") => (is_for(folder), false),
            _ => continue,
        };
        let length = folder.components().count();
        if is_match && nearest.is_none_or(|(longest, _)| length > longest) {
            nearest = Some((length, is_trusted));
        }
    }
    match nearest {
        None => unlisted(),
        Some((_, true)) => Trust::Trusted,
        Some((_, false)) => Trust::Untrusted("a person chose not to trust this folder".to_owned()),
    }
}

/// Trust in Codex CLI: `projects.FOLDER.trust_level` in `~/.codex/config.toml`, and there a `trusted_hash` for each hook.
/// `hooks` is the text of `.codex/hooks.json`.
fn codex_trust(config: Option<&str>, hooks: Option<&str>, tops: &[PathBuf]) -> Trust {
    let Ok(config) = config.unwrap_or_default().parse::<DocumentMut>() else {
        return Trust::Unknown("~/.codex/config.toml is not valid TOML".to_owned());
    };
    let setting = |path: [&str; 3]| config.get(path[0])?.get(path[1])?.get(path[2]);
    let level = |top: &PathBuf| setting(["projects", top.to_str()?, "trust_level"])?.as_str();
    if !tops.iter().any(|top| level(top) == Some("trusted")) {
        return Trust::Untrusted("it does not trust this project yet".to_owned());
    }
    let state = config.get("hooks").and_then(|hooks| hooks.get("state"));
    let reviewed = |hook: &CodexHook, top: &PathBuf| {
        let key = format!("{}:{}", top.join(".codex/hooks.json").to_str()?, hook.key);
        state?.get(&key)?.get("trusted_hash")?.as_str().map(str::to_owned)
    };
    let mut unreviewed = 0_usize;
    let mut changed = 0_usize;
    for hook in hooks.map(codex_hooks).unwrap_or_default() {
        let hashes: Vec<String> = tops.iter().filter_map(|top| reviewed(&hook, top)).collect();
        match hashes.first() {
            None => unreviewed += 1,
            Some(_) if hook.hash.is_some() && hashes.iter().any(|hash| Some(hash) == hook.hash.as_ref()) => {}
            Some(_) => changed += 1,
        }
    }
    match (unreviewed, changed) {
        (0, 0) => Trust::Trusted,
        (0, _) => Trust::Unknown("its hooks were reviewed, perhaps with another content".to_owned()),
        (n, _) => Trust::Untrusted(format!("{n} of its hooks {} not reviewed", if n == 1 { "is" } else { "are" })),
    }
}

/// Trust in Grok Build: `folders.FOLDER.trusted` in `~/.grok/trusted_folders.toml`. A folder around the repository does not
/// count.
fn grok_trust(text: Option<&str>, tops: &[PathBuf]) -> Trust {
    let Ok(file) = text.unwrap_or_default().parse::<DocumentMut>() else {
        return Trust::Unknown("~/.grok/trusted_folders.toml is not valid TOML".to_owned());
    };
    let is_trusted = |top: &PathBuf| file.get("folders")?.get(top.to_str()?)?.get("trusted")?.as_bool();
    if tops.iter().any(|top| is_trusted(top) == Some(true)) {
        Trust::Trusted
    } else {
        Trust::Untrusted("it does not trust this folder yet".to_owned())
    }
}

/// A hook of Codex CLI that runs canonry.
struct CodexHook {
    /// `EVENT:GROUP:HOOK`, with which Codex CLI names it.
    key: String,
    /// Its hash, computed as by Codex CLI 0.169; `None` if the hook has settings whose place in the hash is unknown.
    hash: Option<String>,
}

fn codex_hooks(text: &str) -> Vec<CodexHook> {
    // Codex CLI loads no hooks from a file that it cannot parse.
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let events = file.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for (event, groups) in events {
        let event = snake_case(event);
        for (group, entry) in list(Some(groups)).iter().enumerate() {
            for (index, hook) in list(entry.get("hooks")).iter().enumerate() {
                let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
                if command.contains("canonry hook ") {
                    found.push(CodexHook {
                        key: format!("{event}:{group}:{index}"),
                        hash: codex_hash(&event, entry, hook),
                    });
                }
            }
        }
    }
    found
}

/// SHA-256 of the hook as compact JSON with sorted keys.
fn codex_hash(event: &str, group: &Value, hook: &Value) -> Option<String> {
    let has_only = |value: &Value, known: &[&str]| {
        value.as_object().is_some_and(|map| map.keys().all(|key| known.contains(&key.as_str())))
    };
    if !has_only(group, &["hooks"]) || !has_only(hook, &["type", "command", "timeout"]) {
        return None;
    }
    // Written key by key: the order must be sorted, whatever the order of a JSON map is.
    let text = format!(
        "{{\"event_name\":{},\"hooks\":[{{\"async\":false,\"command\":{},\"timeout\":{},\"type\":\"command\"}}]}}",
        json!(event),
        hook.get("command")?,
        hook.get("timeout")?.as_u64()?,
    );
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha256);
    hasher.update(text.as_bytes());
    Some(format!("sha256:{}", hasher.try_finalize().expect("only a hash with SHA-1 can fail")))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (at, char) in name.char_indices() {
        if char.is_ascii_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(char.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
#[path = "hook_trust_tests.rs"]
mod tests;
