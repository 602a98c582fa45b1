//! Severities that hold below some paths only.

use super::problem::{ConfigProblem, closest_match, severities};
use crate::finding::Severity;
use crate::syntax::RepoPath;
use crate::syntax::node::Node;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Severities below some paths.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeverityOverride {
    /// Where it holds.
    pub paths: PathPatterns,
    /// Severity by rule id.
    #[serde(deserialize_with = "severities")]
    pub rules: BTreeMap<String, Severity>,
}

/// Patterns of paths from the top of the repository. What lies below a path that one of them names is meant too.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct PathPatterns {
    patterns: Vec<String>,
    set: GlobSet,
}

impl PartialEq for PathPatterns {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl TryFrom<Vec<String>> for PathPatterns {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in &patterns {
            let plain = usable(pattern)?;
            for pattern in [plain.to_owned(), format!("{plain}/**")] {
                set.add(glob(&pattern)?);
            }
        }
        Ok(Self { set: set.build().map_err(|e| e.kind().to_string())?, patterns })
    }
}

impl PathPatterns {
    /// Whether a path is meant.
    pub fn hold(&self, path: &RepoPath) -> bool {
        gix::path::from_bstr(path.as_bstr()).is_ok_and(|path| self.set.is_match(path.as_ref()))
    }
}

fn glob(pattern: &str) -> Result<globset::Glob, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    glob.map_err(|e| format!("`{pattern}` is no pattern: {}", e.kind()))
}

/// The pattern without what it ends on; why it could never name a path, where it could not.
fn usable(pattern: &str) -> Result<&str, String> {
    if pattern.starts_with(['/', '!']) || pattern.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(format!(
            "`{pattern}` names no path: patterns count from the top of the repository, as in `agent/skills/**`"
        ));
    }
    Ok(pattern.trim_end_matches('/'))
}

/// What is wrong with rules and patterns, which the schema cannot know.
pub(super) fn problems(root: &Node, rules: &[&str]) -> Vec<ConfigProblem> {
    let mut found = unknown_rules(root, rules);
    for entry in root.get("overrides").and_then(Node::as_sequence).unwrap_or_default() {
        found.extend(unknown_rules(entry, rules));
        for pattern in entry.get("paths").and_then(Node::as_sequence).unwrap_or_default() {
            let Some(text) = pattern.as_str() else { continue };
            let problem = usable(text).and_then(glob).err();
            found.extend(problem.map(|message| ConfigProblem { span: pattern.span, message }));
        }
    }
    found.sort_by_key(|problem| problem.span);
    found
}

fn unknown_rules(node: &Node, rules: &[&str]) -> Vec<ConfigProblem> {
    let named = node.get("rules").and_then(Node::as_mapping).map_or(&[][..], |mapping| &mapping.entries);
    let unknown = named.iter().filter(|entry| !rules.contains(&entry.key.as_str()));
    let problem = |key: &str| match closest_match(key, rules.iter().copied()) {
        Some(like) => format!("there is no rule `{key}`; did you mean `{like}`?"),
        None => format!("there is no rule `{key}`"),
    };
    unknown.map(|entry| ConfigProblem { span: entry.key_span, message: problem(&entry.key) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::syntax::Source;

    const RULES: [&str; 2] = ["broken-link", "name-case"];

    fn parse(text: &str) -> Result<Config, Vec<(String, String)>> {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let said = |p: ConfigProblem| (source.slice(p.span).to_owned(), p.message);
        Config::parse(&source, &RULES).map_err(|problems| problems.into_iter().map(said).collect())
    }

    #[test]
    fn the_last_entry_that_speaks_of_a_rule_holds() {
        let text = "rules: {broken-link: error, name-case: info}\noverrides:\n\
                    - {paths: [agent/skills/legacy/], rules: {broken-link: 'off'}}\n\
                    - {paths: ['agent/skills/*/SKILL.md', 'agent/**/old-*'], rules: {broken-link: warning}}\n";
        let config = parse(text).unwrap();
        let severity = |rule: &str, path: &str| config.severity(rule, &RepoPath::from(path));
        for (path, want) in [
            ("agent/skills/legacy/a/SKILL.md", Severity::Off),
            ("agent/skills/legacy", Severity::Off),
            ("agent/skills/legacy-b/c/SKILL.md", Severity::Error),
            ("agent/skills/b/SKILL.md", Severity::Warning),
            ("agent/skills/legacy/SKILL.md", Severity::Warning),
            ("agent/x/old-b/deep/SKILL.md", Severity::Warning),
        ] {
            assert_eq!(severity("broken-link", path), Some(want), "{path}");
            assert_eq!(severity("name-case", path), Some(Severity::Info));
        }
        assert_eq!(severity("yaml-invalid", "agent"), None);
    }

    #[test]
    fn points_at_what_is_wrong() {
        let entry =
            |paths: &str, rules: &str| parse(&format!("overrides:\n- paths: [{paths}]\n  rules: {{{rules}}}\n"));
        let wrong = |result: Result<Config, Vec<(String, String)>>| result.unwrap_err().swap_remove(0);
        let (at, message) = wrong(entry("'a[b'", "name-case: info"));
        assert_eq!(at, "'a[b'");
        assert!(message.starts_with("`a[b` is no pattern: "), "{message}");
        assert_eq!(wrong(entry("/agent", "name-case: info")).0, "/agent");
        assert_eq!(wrong(entry("../agent", "name-case: info")).0, "../agent");
        assert_eq!(wrong(entry("agent", "name-cas: info")).0, "name-cas");
        assert_eq!(wrong(entry("agent", "name-case: loud")).0, "loud");
        assert!(entry("", "name-case: info").is_err());
        let unknown = wrong(parse("overrides:\n- path: [a]\n  paths: [a]\n  rules: {}\n"));
        assert_eq!(unknown.1, "unknown key `path`; did you mean `paths`?");
    }
}
