//! The branches that a `git push` updates.

use super::options::Options;
use super::path::glob;
use crate::shell::{SimpleCommand, Word};

/// Options of `git push` that take a value.
const TAKES: [&str; 6] = ["-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"];

/// A parsed `git push`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// The arguments without options: the remote, then the refspecs.
    pub plain: Vec<Word>,
    pub targets: Vec<PushTarget>,
    /// Whether it may replace existing commits.
    pub is_forced: bool,
    /// Whether all branches are pushed.
    pub pushes_all: bool,
}

/// A branch that is pushed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushTarget {
    /// The name; `None` for the branch that is checked out.
    pub branch: Option<Word>,
    pub deletes: bool,
}

impl Push {
    /// Parses a command; `None` if it is no push.
    pub fn parse(simple: &SimpleCommand) -> Option<Self> {
        let words = super::subcommand("git", simple.words.get(1..)?);
        (simple.program() == Some("git") && words.first()?.text == "push").then(|| Self::from_words(words))
    }

    fn from_words(words: &[Word]) -> Self {
        let options = Options::new("git", words);
        let mut plain = Vec::new();
        let mut rest = words.iter().skip(1);
        let mut ended = false;
        while let Some(word) = rest.next() {
            match word.text.as_str() {
                "--" if !ended => ended = true,
                text if !ended && TAKES.contains(&text) => drop(rest.next()),
                text if !ended && text.starts_with('-') => {}
                _ => plain.push(word.clone()),
            }
        }
        let deletes = options.has("--delete");
        let specs = plain.get(1..).unwrap_or_default();
        let mut targets: Vec<PushTarget> = specs.iter().map(|spec| target(spec, deletes)).collect();
        let is_mirror = options.has("--mirror");
        let pushes_all = is_mirror || options.has("--all") || options.has("--branches");
        if targets.is_empty() && !pushes_all && !options.has("--tags") {
            targets.push(PushTarget { branch: None, deletes: false });
        }
        let has_plus = specs.iter().any(|spec| spec.text.starts_with('+'));
        Self { is_forced: has_plus || is_mirror || options.has("--force"), targets, pushes_all, plain }
    }

    /// Checks whether it pushes to a branch that matches a pattern; `None` if that cannot be known.
    pub fn reaches(&self, pattern: &str, checked_out: Option<&str>) -> Option<bool> {
        let mut known = true;
        for target in &self.targets {
            let branch = match &target.branch {
                Some(word) => Some(word.text.as_str()).filter(|_| word.is_known() && !word.text.contains('*')),
                None => checked_out,
            };
            match branch {
                Some(branch) if is_branch(pattern, branch) => return Some(true),
                Some(_) => {}
                None => known = false,
            }
        }
        if self.pushes_all { Some(true) } else { known.then_some(false) }
    }
}

fn target(spec: &Word, deletes: bool) -> PushTarget {
    let text = spec.text.trim_start_matches('+');
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let name = to.strip_prefix("refs/heads/").or_else(|| to.strip_prefix("heads/")).unwrap_or(to);
    let branch = (!matches!(name, "HEAD" | "@")).then(|| Word::new(name));
    PushTarget { branch, deletes: deletes || (from.is_empty() && text.contains(':')) }
}

fn is_branch(pattern: &str, branch: &str) -> bool {
    pattern == branch || glob(pattern).is_some_and(|glob| glob.is_match(branch))
}

/// Checks whether a push has the effect of an option without the option: `+main`, `:main`.
pub(crate) fn has_effect_of(program: &str, words: &[Word], flag: &str) -> bool {
    if program != "git" || words.first().is_none_or(|word| word.text != "push") {
        return false;
    }
    let push = Push::from_words(words);
    match flag {
        "-f" | "--force" | "--force-with-lease" => push.is_forced,
        "-d" | "--delete" => push.targets.iter().any(|target| target.deletes),
        _ => false,
    }
}
