//! What a `git push` pushes where.

use super::options::Options;
use super::path::glob;
use crate::protocol::shell::{Simple, Word};

/// Options of `git push` that are followed by a value.
const TAKES: [&str; 6] = ["-o", "--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"];

/// A push, as far as it can be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// Arguments that are no options: the remote, then what is pushed.
    pub plain: Vec<Word>,
    /// Where it pushes to.
    pub targets: Vec<Target>,
    /// Whether it may replace commits that are there.
    pub is_forced: bool,
    /// Whether every branch is pushed.
    pub is_all: bool,
}

/// A branch that is pushed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name; `None` where it is the one that is checked out.
    pub branch: Option<Word>,
    /// Whether it is deleted.
    pub deletes: bool,
}

impl Push {
    /// `None` where a command is none.
    pub fn of(simple: &Simple) -> Option<Self> {
        let words = super::subcommand("git", simple.words.get(1..)?);
        (simple.program() == Some("git") && words.first()?.text == "push").then(|| Self::of_words(words))
    }

    fn of_words(words: &[Word]) -> Self {
        let options = Options::of("git", words);
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
        let mut targets: Vec<Target> = specs.iter().map(|spec| target(spec, deletes)).collect();
        let is_mirror = options.has("--mirror");
        let is_all = is_mirror || options.has("--all") || options.has("--branches");
        if targets.is_empty() && !is_all && !options.has("--tags") {
            targets.push(Target { branch: None, deletes: false });
        }
        let has_plus = specs.iter().any(|spec| spec.text.starts_with('+'));
        Self { is_forced: has_plus || is_mirror || options.has("--force"), targets, is_all, plain }
    }

    /// Whether it pushes to a branch of this pattern: `None` where that cannot be known.
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
        if self.is_all { Some(true) } else { known.then_some(false) }
    }
}

fn target(spec: &Word, deletes: bool) -> Target {
    let text = spec.text.trim_start_matches('+');
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let name = to.strip_prefix("refs/heads/").or_else(|| to.strip_prefix("heads/")).unwrap_or(to);
    let branch = (!matches!(name, "HEAD" | "@")).then(|| Word::new(name));
    Target { branch, deletes: deletes || (from.is_empty() && text.contains(':')) }
}

fn is_branch(pattern: &str, branch: &str) -> bool {
    pattern == branch || glob(pattern).is_some_and(|glob| glob.is_match(branch))
}

/// Whether a push does what an option would, in another way: `+main`, `:main`.
pub(in crate::protocol) fn means(program: &str, words: &[Word], flag: &str) -> bool {
    if program != "git" || words.first().is_none_or(|word| word.text != "push") {
        return false;
    }
    let push = Push::of_words(words);
    match flag {
        "-f" | "--force" | "--force-with-lease" => push.is_forced,
        "-d" | "--delete" => push.targets.iter().any(|target| target.deletes),
        _ => false,
    }
}
