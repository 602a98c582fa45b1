//! Floor 2: `canonry.yaml`.

use crate::canon::schema::{SchemaKind, Schemas, Violation};
use crate::finding::Severity;
use crate::syntax::{RepoPath, Source, Span, yaml};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A tool that skills are mirrored for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// `.claude/skills`
    Claude,
    /// `.gemini/skills`
    Gemini,
    /// `.cursor/skills`
    Cursor,
    /// `.codex/skills`
    Codex,
    /// `.antigravity/skills`
    Antigravity,
    /// `.agents/skills`, which Codex, Gemini, Cursor and Antigravity read
    Agents,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity, Self::Agents];
    /// The targets of a repository that configures none.
    pub const DEFAULT: [Self; 5] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity];

    /// Its name in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
            Self::Antigravity => "antigravity",
            Self::Agents => "agents",
        }
    }

    /// The folder its skills are mirrored into.
    pub fn skills_root(self) -> RepoPath {
        RepoPath::new(format!(".{}/skills", self.name()))
    }
}

/// What a team configures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The canon's folder; only a file at the top of the repository may say it.
    pub root: Option<String>,
    /// Where skills are mirrored to.
    pub targets: Vec<Target>,
    /// Severity by rule id.
    #[serde(deserialize_with = "severities")]
    pub rules: BTreeMap<String, Severity>,
}

impl Default for Config {
    fn default() -> Self {
        Self { root: None, targets: Target::DEFAULT.to_vec(), rules: BTreeMap::new() }
    }
}

/// Something in a config that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl Config {
    /// Reads a config's text.
    ///
    /// # Errors
    /// Every unknown key and wrong value with its place, or the first place where it is no YAML.
    pub fn parse(source: &Source) -> Result<Self, Vec<ConfigProblem>> {
        let one = |span, message: String| vec![ConfigProblem { span, message }];
        let document = yaml::parse(source.text(), 0).map_err(|e| one(e.span, e.message))?;
        if let Some(duplicate) = document.duplicates.first() {
            return Err(one(duplicate.span, format!("the key `{}` stands twice", duplicate.key)));
        }
        if document.root.as_scalar().is_some_and(|s| s.text.is_empty()) {
            return Ok(Self::default());
        }
        let violations = Schemas::default().validate(SchemaKind::Config, &document.root);
        if !violations.is_empty() {
            return Err(violations.iter().map(problem).collect());
        }
        let root = document.root.get("root").and_then(|node| Some((node.span, &node.as_scalar()?.text)));
        if let Some((span, root)) = root.filter(|(_, root)| leaves_repository(root)) {
            return Err(one(span, format!("`root: {root}` is no folder of this repository")));
        }
        serde_yaml::from_str(source.text()).map_err(|e| one(Span::default(), e.to_string()))
    }
}

/// Or leads into git's own folder.
fn leaves_repository(root: &str) -> bool {
    root.starts_with('/') || root.split('/').any(|part| part == ".." || part.eq_ignore_ascii_case(".git"))
}

fn problem(violation: &Violation) -> ConfigProblem {
    let at = violation.pointer.trim_start_matches('/').replace('/', ".");
    let message = match (&violation.key, at.as_str()) {
        (Some(key), _) => did_you_mean(&violation.message, key),
        (None, "") => violation.message.clone(),
        (None, at) => format!("`{at}`: {}", violation.message),
    };
    ConfigProblem { span: violation.span, message }
}

fn did_you_mean(message: &str, key: &str) -> String {
    match closest(key, ["root", "targets", "rules"]) {
        Some(known) => format!("{message}; did you mean `{known}`?"),
        None => message.to_owned(),
    }
}

/// The known word that a misspelt one most likely means: Damerau-Levenshtein distance of at most a third of its length.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, k)| k)
}

fn severities<'de, D: serde::Deserializer<'de>>(de: D) -> Result<BTreeMap<String, Severity>, D::Error> {
    let words = BTreeMap::<String, String>::deserialize(de)?;
    words
        .into_iter()
        .map(|(rule, word)| match Severity::from_word(&word) {
            Some(severity) => Ok((rule, severity)),
            None => Err(serde::de::Error::custom(format!("`{word}` is no severity"))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, Vec<String>> {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let say = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
        Config::parse(&source).map_err(|problems| problems.into_iter().map(say).collect())
    }

    #[test]
    fn every_key_has_a_default() {
        assert_eq!(parse(""), Ok(Config::default()));
        assert_eq!(parse("# nothing\n"), Ok(Config::default()));
    }

    #[test]
    fn reads_keys() {
        let config = parse("targets: [claude, agents]\nrules: {broken-link: 'off'}\n");
        let want = Config {
            targets: vec![Target::Claude, Target::Agents],
            rules: BTreeMap::from([("broken-link".to_owned(), Severity::Off)]),
            ..Config::default()
        };
        assert_eq!(config, Ok(want));
    }

    #[test]
    fn points_at_what_is_wrong() {
        assert_eq!(
            parse("target: [claude]\n"),
            Err(vec!["target: unknown key `target`; did you mean `targets`?".to_owned()])
        );
        let wrong = parse("targets: [vim]\n").unwrap_err();
        assert!(wrong[0].starts_with("vim: `targets.0`: "), "{wrong:?}");
        assert!(parse("a: b: c\n").is_err());
        assert!(parse("root: a\nroot: b\n").is_err());
    }
}
