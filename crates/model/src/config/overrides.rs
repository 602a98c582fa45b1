//! Severities for parts of the repository.

use super::problem::{ConfigProblem, ValueError, severities};
use crate::finding::Severity;
use canonry_text::RepoPath;
use canonry_text::closest_match;
use canonry_text::node::Node;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Severities for some paths.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeverityOverride {
    /// The paths that it applies to.
    pub paths: PathPatterns,
    /// Severity by rule id.
    #[serde(deserialize_with = "severities")]
    pub rules: BTreeMap<String, Severity>,
}

/// Path patterns from the top of the repository. A pattern that matches a folder also matches everything below it.
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
    type Error = ValueError;

    fn try_from(patterns: Vec<String>) -> Result<Self, ValueError> {
        let mut set = GlobSetBuilder::new();
        for pattern in &patterns {
            set.add(glob_of(pattern)?);
            set.add(glob(&format!("{}/**", pattern.trim_end_matches('/')))?);
        }
        Ok(Self { set: set.build().map_err(|e| invalid_glob(&patterns.join(", "), &e))?, patterns })
    }
}

impl PathPatterns {
    /// Whether a pattern matches `path`.
    pub fn contain(&self, path: &RepoPath) -> bool {
        gix_path::from_bstr(path.as_bstr()).is_ok_and(|path| self.set.is_match(path.as_ref()))
    }
}

fn glob(pattern: &str) -> Result<globset::Glob, ValueError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    glob.map_err(|e| invalid_glob(pattern, &e))
}

fn invalid_glob(pattern: &str, error: &globset::Error) -> ValueError {
    ValueError::InvalidGlob { pattern: pattern.to_owned(), reason: error.kind().to_string() }
}

/// The glob of a pattern. Patterns are errors that can never match a path of the repository.
pub(super) fn glob_of(pattern: &str) -> Result<globset::Glob, ValueError> {
    if pattern.starts_with(['/', '!']) || pattern.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(ValueError::NotRelative { pattern: pattern.to_owned() });
    }
    glob(pattern.trim_end_matches('/'))
}

/// Rules that do not exist, in the config and its overrides.
pub(super) fn unknown_rules(root: &Node, rules: &[&str]) -> Vec<ConfigProblem> {
    let overrides = root.get("overrides").and_then(Node::as_sequence).unwrap_or_default();
    let entries = std::iter::once(root).chain(overrides).flat_map(|node| node.entries_at("rules"));
    let problem = |key: &str| match closest_match(key, rules.iter().copied()) {
        Some(like) => format!("unknown rule `{key}`; did you mean `{like}`?"),
        None => format!("unknown rule `{key}`"),
    };
    let unknown = entries.filter(|entry| !rules.contains(&entry.key.as_str()));
    unknown.map(|entry| ConfigProblem { span: entry.key_span, message: problem(&entry.key) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use canonry_text::Source;

    const RULES: [&str; 2] = ["broken-link", "name-invalid"];

    fn parse(text: &str) -> Result<Config, Vec<(String, String)>> {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let located = |p: ConfigProblem| (source.slice(p.span).to_owned(), p.message);
        Config::parse(&source, &RULES).map_err(|problems| problems.into_iter().map(located).collect())
    }

    #[test]
    fn last_entry_for_a_rule_takes_precedence() {
        let text = "rules: {broken-link: error, name-invalid: info}\noverrides:\n\
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
            assert_eq!(severity("name-invalid", path), Some(Severity::Info));
        }
        assert_eq!(severity("yaml-invalid", "agent"), None);
    }

    #[test]
    fn reports_invalid_entries() {
        let entry =
            |paths: &str, rules: &str| parse(&format!("overrides:\n- paths: [{paths}]\n  rules: {{{rules}}}\n"));
        let wrong = |result: Result<Config, Vec<(String, String)>>| result.unwrap_err().swap_remove(0);
        let (at, message) = wrong(entry("'a[b'", "name-invalid: info"));
        assert_eq!(at, "'a[b'");
        assert!(message.starts_with("`a[b` is not a valid glob: "), "{message}");
        assert_eq!(wrong(entry("/agent", "name-invalid: info")).0, "/agent");
        assert_eq!(wrong(entry("../agent", "name-invalid: info")).0, "../agent");
        assert_eq!(wrong(entry("agent", "name-cas: info")).0, "name-cas");
        assert_eq!(wrong(entry("agent", "name-invalid: loud")).0, "loud");
        assert!(entry("", "name-invalid: info").is_err());
        let unknown = wrong(parse("overrides:\n- path: [a]\n  paths: [a]\n  rules: {}\n"));
        assert_eq!(unknown.1, "unknown key `path`; did you mean `paths`?");
    }
}
