//! Owners: the command lines that execute the steps of plans, in `owners.yaml`.

use super::duration::parse_duration;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use canonry_text::node::Node;
use canonry_text::yaml::{self, ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Who executes steps, and the limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The owners by role.
    pub owners: BTreeMap<String, Owner>,
    /// The owner of every other role.
    pub default: Option<Owner>,
    /// The shell command that prepares a fresh work tree, for example `npm ci`.
    pub setup: Option<String>,
    /// The shell command that is run when a person is needed and when a run ends.
    pub notify: Option<String>,
    pub budget: Budget,
}

/// Execution of the steps of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The program and its arguments; never empty.
    pub argv: Vec<String>,
    pub prompt: PromptDelivery,
    /// The longest time of one attempt.
    pub timeout: Option<Duration>,
    /// The longest time without output.
    pub idle_timeout: Option<Duration>,
    /// Attempts after the first failure.
    pub retries: u32,
    pub isolation: Isolation,
    pub integration: Integration,
    /// The next owners of the role, for when this one is at its usage limit. They have no alternatives of their own.
    pub alternatives: Vec<Self>,
}

/// Delivery of a worker's prompt. The path of a file with the prompt is in its environment in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptDelivery {
    #[default]
    Stdin,
    /// Only as the file.
    File,
    /// As the last argument.
    Argument,
}

/// Where a worker works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// In the work tree of the run.
    #[default]
    None,
    /// In a worktree and on a branch of its own.
    Worktree,
}

/// The way of verified work into the branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integration {
    /// canonry merges it.
    #[default]
    Merge,
    /// A person merges a pull request.
    PullRequest,
}

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most workers at a time.
    pub workers: usize,
    /// The most minutes.
    pub minutes: u64,
    /// The most attempts at all steps together.
    pub attempts: u64,
    /// The most tokens, as far as tools report them.
    pub tokens: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { workers: 4, minutes: 240, attempts: 40, tokens: None }
    }
}

/// Attempts after the first failure, if the owner does not say it.
const DEFAULT_RETRIES: u32 = 2;

/// The first error in `owners.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OwnersError {
    pub span: Span,
    /// The line, from 1.
    pub line: usize,
    pub message: String,
}

/// The parsed file `owners.yaml`.
#[derive(Debug)]
pub struct OwnersFile {
    pub path: RepoPath,
    pub document: Result<OwnersDocument, DocumentError>,
}

/// `owners.yaml` with its text.
#[derive(Debug)]
pub struct OwnersDocument {
    pub source: Arc<Source>,
    /// The YAML, or its first syntax error.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Violations of the schema.
    pub violations: Vec<Violation>,
}

impl OwnersFile {
    /// Parses the file.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = blob.into_source(&path).map(OwnersDocument::parse);
        Self { path, document }
    }
}

impl OwnersDocument {
    /// Parses the text.
    pub fn parse(source: Arc<Source>) -> Self {
        let yaml = yaml::parse_file(source.text());
        let root = yaml.as_ref().ok().map(|document| &document.root).filter(|root| !root.is_null());
        let violations = root.map_or_else(Vec::new, |root| Schemas::default().validate(SchemaKind::Owners, root));
        Self { source, yaml, violations }
    }

    /// The owners.
    ///
    /// # Errors
    /// The first error in the file.
    pub fn owners(&self) -> Result<Owners, OwnersError> {
        let error =
            |span: Span, message: String| OwnersError { span, line: self.source.position(span.offset).line, message };
        let document = self.yaml.as_ref().map_err(|e| error(e.span, format!("invalid YAML: {}", e.message)))?;
        if let Some(duplicate) = document.duplicates.first() {
            return Err(error(duplicate.span, format!("duplicate key `{}`", duplicate.key)));
        }
        if let Some(violation) = self.violations.first() {
            let at = violation.pointer.replace("~1", "/").replace("~0", "~");
            let message = if at.is_empty() {
                violation.message.clone()
            } else {
                format!("`{}`: {}", at.trim_start_matches('/'), violation.message)
            };
            return Err(error(violation.span, message));
        }
        Ok(Owners::from_node(&document.root))
    }
}

impl Owners {
    /// Parses the text of `owners.yaml`.
    ///
    /// # Errors
    /// The first error in the text.
    pub fn parse(source: Arc<Source>) -> Result<Self, OwnersError> {
        OwnersDocument::parse(source).owners()
    }

    /// The owner of a role: its own, or the default.
    pub fn owner(&self, role: &str) -> Option<&Owner> {
        self.owners.get(role).or(self.default.as_ref())
    }

    /// Reads a valid document.
    fn from_node(root: &Node) -> Self {
        let integration = Integration::from_node(root).unwrap_or_default();
        let owners = root
            .entries_at("owners")
            .iter()
            .filter_map(|role| Some((role.key.clone(), Owner::from_node(&role.value, integration)?)));
        let command = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_owned);
        Self {
            owners: owners.collect(),
            default: root.get("default").and_then(|owner| Owner::from_node(owner, integration)),
            setup: command("setup"),
            notify: command("notify"),
            budget: root.get("budget").map(Budget::from_node).unwrap_or_default(),
        }
    }
}

impl Integration {
    fn from_node(node: &Node) -> Option<Self> {
        match node.get("integrate")?.as_str()? {
            "pull-request" => Some(Self::PullRequest),
            _ => Some(Self::Merge),
        }
    }
}

impl Owner {
    /// The command lines of the role, in the order in which they are used.
    pub fn choices(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.alternatives)
    }

    /// Reads an owner, or a list of them.
    fn from_node(node: &Node, integration: Integration) -> Option<Self> {
        if let Some(list) = node.as_sequence() {
            let mut choices = list.iter().filter_map(|owner| Self::from_node(owner, integration));
            let first = choices.next()?;
            return Some(Self { alternatives: choices.collect(), ..first });
        }
        let argv: Vec<String> =
            node.get("argv")?.as_sequence()?.iter().filter_map(Node::as_str).map(str::to_owned).collect();
        let word = |key: &str| node.get(key).and_then(Node::as_str);
        Some(Self {
            argv,
            prompt: match word("prompt") {
                Some("file") => PromptDelivery::File,
                Some("argument") => PromptDelivery::Argument,
                _ => PromptDelivery::Stdin,
            },
            timeout: word("timeout").and_then(parse_duration),
            idle_timeout: word("idle_timeout").and_then(parse_duration),
            retries: number(node, "retries").and_then(|n| u32::try_from(n).ok()).unwrap_or(DEFAULT_RETRIES),
            isolation: match word("isolation") {
                Some("worktree") => Isolation::Worktree,
                _ => Isolation::None,
            },
            integration: Integration::from_node(node).unwrap_or(integration),
            alternatives: Vec::new(),
        })
    }
}

impl Budget {
    fn from_node(node: &Node) -> Self {
        let default = Self::default();
        Self {
            workers: number(node, "workers").and_then(|n| usize::try_from(n).ok()).unwrap_or(default.workers),
            minutes: number(node, "minutes").unwrap_or(default.minutes),
            attempts: number(node, "attempts").unwrap_or(default.attempts),
            tokens: number(node, "tokens"),
        }
    }
}

/// A number without a fraction. JSON Schema counts `4.0` as an integer.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the schema bounds the number")]
fn number(node: &Node, key: &str) -> Option<u64> {
    node.get(key)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Owners, OwnersError> {
        let source = Source::from_bytes(RepoPath::from("agent/owners.yaml"), text.as_bytes().to_vec()).unwrap();
        Owners::parse(Arc::new(source))
    }

    #[test]
    fn reads_owners_and_budget() {
        let owners = parse(
            "owners:\n  Backend-Agent: {argv: [claude, -p], prompt: stdin, timeout: 30m, retries: 0, isolation: worktree}\n  \
             QA-Agent:      {argv: [codex, exec, \"-\"], timeout: 90s, prompt: argument}\n\
             default: {argv: [claude, -p], prompt: file, timeout: 2h}\nsetup: npm ci\nbudget: {workers: 2.0, attempts: 9}\n",
        )
        .unwrap();
        let backend = owners.owner("Backend-Agent").unwrap();
        assert_eq!(backend.argv, ["claude", "-p"]);
        assert_eq!(
            (backend.prompt, backend.isolation, backend.retries),
            (PromptDelivery::Stdin, Isolation::Worktree, 0)
        );
        let seconds = |role: &str| owners.owner(role).unwrap().timeout.unwrap().as_secs();
        assert_eq!([seconds("Backend-Agent"), seconds("QA-Agent"), seconds("Anyone")], [1800, 90, 7200]);
        assert_eq!(
            (owners.owner("QA-Agent").unwrap().retries, owners.owner("Anyone").unwrap().prompt),
            (2, PromptDelivery::File)
        );
        assert_eq!(owners.budget, Budget { workers: 2, minutes: 240, attempts: 9, tokens: None });
        assert_eq!(owners.setup.as_deref(), Some("npm ci"));
    }

    #[test]
    fn a_role_has_alternatives() {
        let owners = parse(
            "integrate: pull-request\nnotify: notify-send canonry\nbudget: {tokens: 5000}\nowners:\n  A:\n    \
             - {argv: [claude], retries: 1, idle_timeout: 10m}\n    - {argv: [codex], integrate: merge}\n",
        )
        .unwrap();
        let owner = owners.owner("A").unwrap();
        let choices: Vec<_> = owner.choices().map(|owner| (owner.argv[0].as_str(), owner.integration)).collect();
        assert_eq!(choices, [("claude", Integration::PullRequest), ("codex", Integration::Merge)]);
        assert_eq!((owner.retries, owner.idle_timeout), (1, Some(Duration::from_secs(600))));
        assert_eq!((owners.notify.as_deref(), owners.budget.tokens), (Some("notify-send canonry"), Some(5000)));
    }

    #[test]
    fn an_empty_file_defines_no_owner() {
        for text in ["", "# nobody\n", "{}", "owners: {}\n"] {
            let owners = parse(text).unwrap();
            assert_eq!((owners.owner("A"), owners.budget), (None, Budget::default()), "{text}");
        }
    }

    #[test]
    fn errors_have_a_line_and_name_the_key() {
        for (text, line, words) in [
            ("owners:\n  A: {argv: []}\n", 2, "`owners/A/argv`: "),
            ("owners:\n  A: {argv: [\"\"]}\n", 2, "argv/0"),
            ("owners:\n  A: {}\n", 2, "argv"),
            ("owners:\n  A: {argv: claude}\n", 2, "argv"),
            ("default:\n  argv: [a]\n  timeout: 30\n", 3, "timeout"),
            ("default:\n  argv: [a]\n  timeout: 0m\n", 3, "timeout"),
            ("default:\n  argv: [a]\n  shell: true\n", 3, "shell"),
            ("default: {argv: [a]}\ndefault: {argv: [b]}\n", 2, "duplicate key `default`"),
            ("owners:\n  A:\n    - {argv: [a]}\n    - {argv: []}\n", 4, "`owners/A/1/argv`: "),
            ("owners: {A: []}\n", 1, "`owners/A`: "),
            ("owners: {A: claude}\n", 1, "`owners/A`: "),
            ("default: {argv: [a], integrate: rebase}\n", 1, "integrate"),
            ("budget: {workers: 0}\n", 1, "workers"),
            ("owners: [\n", 1, "invalid YAML"),
            ("- a\n", 1, "mapping"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(words), "{text}: {error:?}");
            // The parser reports an unclosed bracket at the end of the text.
            assert!(error.line == line || text.ends_with("[\n"), "{text}: {error:?}");
        }
    }
}
