//! The key `targets`: a list of names, or a map that may also have rows of the team's own.

use super::Config;
use super::problem::ConfigProblem;
use super::target::{MIRROR_DEPTH, Target};
use crate::tools::{TOOLS, tool_row};
use canonry_text::Span;
use canonry_text::closest_match;
use canonry_text::node::{MappingEntry, Node};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// The folder of the canon if the config does not name another one.
const DEFAULT_ROOT: &str = "agent";

/// The value of a name in the map.
#[derive(Deserialize)]
#[serde(untagged)]
enum RowValue {
    /// `true`: the row of the table.
    Known(#[expect(dead_code, reason = "serde needs the type of the value")] bool),
    Row(CustomRow),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomRow {
    skills: Option<String>,
    #[expect(dead_code, reason = "`files` reads it from the document")]
    mcp: Option<IgnoredAny>,
    #[expect(dead_code, reason = "`files` reads it from the document")]
    context: Option<IgnoredAny>,
}

/// Deserializes `targets`. Several tools that read one mirror are one target.
pub(super) fn targets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Target>, D::Error> {
    struct Targets;
    impl<'de> Visitor<'de> for Targets {
        type Value = Vec<Target>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of targets, or a map from target to `{skills: FOLDER}`")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut targets = Vec::new();
            while let Some(target) = seq.next_element::<Target>()? {
                add(&mut targets, target);
            }
            Ok(targets)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut targets = Vec::new();
            while let Some((name, row)) = map.next_entry::<String, Option<RowValue>>()? {
                let mirror = match row {
                    Some(RowValue::Row(CustomRow { skills, .. })) => skills.unwrap_or_default(),
                    Some(RowValue::Known(_)) | None => String::new(),
                };
                let mirror = mirror.trim_end_matches('/');
                add(&mut targets, Target::of_tool(&name).unwrap_or_else(|| Target::custom(&name, mirror)));
            }
            Ok(targets)
        }
    }
    deserializer.deserialize_any(Targets)
}

fn add(targets: &mut Vec<Target>, target: Target) {
    if !targets.contains(&target) {
        targets.push(target);
    }
}

impl Config {
    /// Gives every name of a row of this config the mirror of that row.
    pub(super) fn resolve_targets(&mut self) {
        let own: BTreeMap<&str, Target> =
            self.targets.iter().filter(|target| target.is_custom()).map(|target| (target.name(), *target)).collect();
        if own.is_empty() {
            return;
        }
        self.resolve_settings(|target: Target| own.get(target.name()).copied().unwrap_or(target));
    }

    /// Replaces the targets in the settings of mirrors and skills.
    fn resolve_settings(&mut self, resolve: impl Fn(Target) -> Target) {
        self.mirrors.resolve(&resolve);
        let versions = std::mem::take(&mut self.versions).into_iter();
        self.versions = versions.map(|(target, own)| (resolve(target), own)).collect();
        for skill in self.skills.values_mut() {
            skill.targets.iter_mut().flatten().for_each(|target| *target = resolve(*target));
            let requires = std::mem::take(&mut skill.requires).into_iter();
            skill.requires = requires.map(|(target, own)| (resolve(target), own)).collect();
        }
    }

    /// The config with other folders for its targets. Targets with the same folder become one.
    #[must_use]
    pub fn with_mirrors(mut self, mirror: impl Fn(Target) -> Target) -> Self {
        let mut targets = Vec::new();
        self.targets.iter().for_each(|target| add(&mut targets, mirror(*target)));
        self.targets = targets;
        self.resolve_settings(mirror);
        self
    }
}

/// Problems with targets that the schema cannot find.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let canon = canon(root);
    let rows = root.entries_at("targets");
    let mut found = Vec::new();
    let mut mirrors: BTreeMap<String, &str> = BTreeMap::new();
    for row in rows {
        found.extend(row_problem(row, canon, &mut mirrors));
    }
    let own: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    let is_known = |name: &str| own.contains(&name) || Target::ALL.iter().any(|target| target.name() == name);
    for mirror in root.entries_at("mirrors").iter().filter(|mirror| !is_known(&mirror.key)) {
        let message = format!("unknown key `{}`{}", mirror.key, suggestion(&mirror.key, &own));
        found.push(ConfigProblem { span: mirror.key_span, message });
    }
    for skill in root.entries_at("skills") {
        for name in skill.value.get("targets").and_then(Node::as_sequence).unwrap_or_default() {
            if let Some(text) = name.as_str().filter(|text| !is_known(text)) {
                found.push(ConfigProblem { span: name.span, message: unknown(text, &own) });
            }
        }
    }
    found
}

/// The folder of the canon that a config names.
pub(super) fn canon(root: &Node) -> &str {
    root.get("root").and_then(Node::as_str).unwrap_or(DEFAULT_ROOT).trim_matches('/')
}

fn unknown(name: &str, own: &[&str]) -> String {
    match tool_row(name) {
        Some(row) => format!("{} reads `{}`: write `agents`", row.name, row.skills.mirror),
        None => format!("unknown target `{name}`{}", suggestion(name, own)),
    }
}

fn suggestion(name: &str, own: &[&str]) -> String {
    let known = Target::ALL.iter().map(|target| target.name()).chain(own.iter().copied());
    closest_match(name, known).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// Problem of a row; `mirrors` are the folders of the rows before it, in lower case, with their names.
fn row_problem<'a>(
    row: &'a MappingEntry,
    canon: &str,
    mirrors: &mut BTreeMap<String, &'a str>,
) -> Option<ConfigProblem> {
    let name = row.key.as_str();
    let problem = |span: Span, message: String| Some(ConfigProblem { span, message });
    if row.value.as_scalar().is_some_and(|value| value.text == "false") {
        return problem(row.value.span, format!("remove the line instead of setting `{name}` to `false`"));
    }
    let folder = row.value.get("skills").and_then(|node| Some((node.span, node.as_str()?)));
    let Some((span, folder)) = folder else {
        let message = || {
            let known = closest_match(name, TOOLS.iter().map(|row| row.id));
            let meant = known.map(|meant| format!("did you mean `{meant}`? Otherwise ")).unwrap_or_default();
            format!("unknown tool `{name}`; {meant}name the folder that it reads: `{name}: {{skills: .{name}/skills}}`")
        };
        return tool_row(name).is_none().then(|| ConfigProblem { span: row.key_span, message: message() });
    };
    if let Some(known) = tool_row(name) {
        let mirror = known.skills.mirror;
        let is_same = folder.trim_end_matches('/') == mirror;
        let message = format!("`{name}` reads `{mirror}`; choose another name for a row of your own");
        return (!is_same).then_some(ConfigProblem { span, message });
    }
    let is_kebab = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !is_kebab {
        return problem(row.key_span, format!("`{name}`: use lowercase letters, digits and hyphens"));
    }
    if let Some(reason) = folder_problem(folder, canon) {
        return problem(span, format!("`skills: {folder}` {reason}"));
    }
    let folded = folder.trim_end_matches('/').to_lowercase();
    if let Some(tool) = TOOLS.iter().find(|tool| tool.skills.mirror == folded) {
        let is_same = folder.trim_end_matches('/') == tool.skills.mirror;
        let is = if is_same { "is" } else { "differs only in case from" };
        return problem(
            span,
            format!("`skills: {folder}` {is} the mirror of `{}`: write `{}: true`", tool.id, tool.id),
        );
    }
    if let Some(other) = mirrors.insert(folded, name) {
        return problem(span, format!("`skills: {folder}` is the folder of `{other}` too; each mirror needs its own"));
    }
    None
}

/// Why nothing can be written to a path; `kind` is a file or a folder.
pub(super) fn place_problem(path: &str, canon: &str, kind: &str) -> Option<String> {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    if path.starts_with(['/', '~', '\\']) || parts.contains(&"..") || path.contains(':') {
        return Some(format!("is not a {kind} in this repository"));
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return Some("is in git's own folder".to_owned());
    }
    let is_canon = |part: &&str| part.eq_ignore_ascii_case(canon);
    let is_below = path.to_lowercase().starts_with(&format!("{canon}/").to_lowercase());
    (parts.first().is_some_and(is_canon) || is_below).then(|| format!("is in the canon's own folder, `{canon}`"))
}

/// Why a folder cannot be a mirror. The form is strict, so that a lock alone tells mirrors from other files, and no mirror
/// can contain another one, the canon, or the code.
fn folder_problem(folder: &str, canon: &str) -> Option<String> {
    if let Some(problem) = place_problem(folder, canon, "folder") {
        return Some(problem);
    }
    let parts: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    let is_name = |name: &str| !matches!(name, "" | "." | "skills") && is_plain(name);
    match parts.as_slice() {
        [tool, between @ .., "skills"]
            if tool.starts_with('.')
                && is_name(tool)
                && between.len() <= MIRROR_DEPTH - 2
                && between.iter().all(|name| is_name(name)) =>
        {
            // Files of the other columns are there.
            let owner = TOOLS.iter().find(|row| !between.is_empty() && row.has_folder(tool));
            owner.map(|row| format!("is in the folder of `{}`; only `.NAME/skills` is possible there", row.id))
        }
        _ => Some("does not have the form `.NAME/skills` or `.NAME/FOLDER/skills`, as in `.foo/skills`".to_owned()),
    }
}

pub(super) fn is_plain(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

/// The files other than skills of the rows of a config.
#[cfg(test)]
#[path = "custom_target_tests.rs"]
mod tests;
