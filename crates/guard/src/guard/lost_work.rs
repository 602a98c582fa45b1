//! `lost-work`: git commands that discard work which is in no commit, or commits that nothing else reaches.

use super::GuardInput;
use crate::matching::subcommand;
use crate::shell::Word;
use crate::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `lost-work`";
/// Short options of git whose value follows in the same word, so that the letters after them are no options.
const TAKE_VALUES: &str = "bBcCse";

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    if simple.program() != Some("git") {
        return Vec::new();
    }
    let args = Args { words: subcommand("git", &simple.words[1..]) };
    let reason = |message| VerdictReason::guard(Verdict::Ask, RULE, message);
    lost(&args, &simple.words).map(reason).into_iter().collect()
}

/// Name of the lost work.
fn lost(args: &Args<'_>, all: &[Word]) -> Option<&'static str> {
    let changes = "it discards changes that are in no commit";
    let is_lost = |lost: bool, what: &'static str| lost.then_some(what);
    match args.name() {
        "clean" => {
            let is_dry = args.has('n', "--dry-run") || args.has('i', "--interactive");
            let is_forced = args.has('f', "--force") || all.iter().any(|word| is_without_force(&word.text));
            is_lost(is_forced && !is_dry, "it deletes untracked files, which are in no commit")
        }
        "checkout" => is_lost(args.has('f', "--force") || checks_out_files(args), changes),
        "switch" => is_lost(args.has('f', "--force") || args.has('f', "--discard-changes"), changes),
        "restore" => {
            let is_staged = args.has('S', "--staged");
            let is_worktree = args.has('W', "--worktree") || !is_staged;
            is_lost(is_worktree && !args.paths().is_empty(), changes)
        }
        "rm" => {
            let is_tree = args.paths().iter().any(|path| is_tree(path));
            let is_forced = args.has('f', "--force") && !args.has('n', "--dry-run") && !args.has('\0', "--cached");
            is_lost(is_forced && is_tree, changes)
        }
        "checkout-index" => is_lost(args.has('f', "--force"), changes),
        "read-tree" => is_lost(args.has('\0', "--reset") && args.has('u', "-u"), changes),
        "stash" => {
            let sub = args.plain().nth(1).unwrap_or_default();
            is_lost(matches!(sub, "drop" | "clear"), "it deletes a stash, which is in no branch")
        }
        "branch" => {
            let is_deleted = args.has('D', "-D") || args.has('d', "--delete") && args.has('f', "--force");
            is_lost(is_deleted, "it deletes a branch whose commits may be in no other branch")
        }
        "worktree" => {
            let is_removed = args.plain().nth(1) == Some("remove") && args.has('f', "--force");
            is_lost(is_removed, "it deletes a worktree with its uncommitted changes")
        }
        "filter-branch" | "filter-repo" => Some("it rewrites the history of whole branches"),
        "reflog" => {
            let sub = args.plain().nth(1).unwrap_or_default();
            is_lost(
                matches!(sub, "expire" | "delete") && !args.has('n', "--dry-run"),
                "it deletes history: lost commits cannot be found again",
            )
        }
        "gc" => {
            let prunes =
                |word: &Word| word.text.strip_prefix("--prune=").is_some_and(|age| matches!(age, "now" | "all" | "0"));
            is_lost(args.words.iter().any(prunes), "it deletes history: lost commits cannot be found again")
        }
        "prune" => is_lost(!args.has('n', "--dry-run"), "it deletes history: lost commits cannot be found again"),
        "update-ref" => {
            is_lost(args.has('d', "--delete"), "it deletes a branch whose commits may be in no other branch")
        }
        _ => None,
    }
}

/// `git -c clean.requireForce=false clean`
fn is_without_force(text: &str) -> bool {
    text.to_lowercase().ends_with("clean.requireforce=false")
}

/// Checks whether `checkout` replaces files, and not only switches to a branch.
fn checks_out_files(args: &Args<'_>) -> bool {
    if args.has('b', "-b") || args.has('B', "-B") || args.has('\0', "--orphan") {
        return false;
    }
    if args.has('\0', "--ours") || args.has('\0', "--theirs") {
        return false;
    }
    let after_dashes = args.words.iter().skip_while(|word| word.text != "--").nth(1).is_some();
    let plain: Vec<&str> = args.plain().skip(1).collect();
    let from_file = args.words.iter().any(|word| word.text.starts_with("--pathspec-from-file"));
    // `git checkout TREE PATH`
    let is_tree_and_path = plain.len() > 1 && !args.has('t', "--track");
    after_dashes || from_file || is_tree_and_path || plain.iter().any(|word| is_tree(word))
}

/// Checks for a path that stands for many files.
fn is_tree(path: &str) -> bool {
    let path = path.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(path);
    matches!(path, "." | ".." | "./" | "/") || path.starts_with(':') || path.ends_with('/') || path.contains('*')
}

/// The arguments of git, with the subcommand first.
struct Args<'w> {
    words: &'w [Word],
}

impl<'w> Args<'w> {
    fn name(&self) -> &'w str {
        self.words.first().map_or("", |word| word.text.as_str())
    }

    /// Checks for a short option, alone or among others, or a long one, which git accepts shortened.
    fn has(&self, letter: char, long: &str) -> bool {
        let options = self.words.iter().take_while(|word| word.text != "--").map(|word| word.text.as_str());
        options.filter(|text| text.starts_with('-')).any(|text| {
            if text.starts_with("--") {
                let name = text.split('=').next().unwrap_or(text);
                return name.len() > 3 && long.starts_with(name);
            }
            let letters = text.chars().skip(1).take_while(|c| c.is_ascii_alphabetic());
            let mut is_value = false;
            letters.into_iter().any(|c| {
                let found = !is_value && c == letter;
                is_value |= TAKE_VALUES.contains(c);
                found
            })
        })
    }

    /// The words that are no options, and those after `--`.
    fn plain(&self) -> impl Iterator<Item = &'w str> {
        let mut is_behind = false;
        self.words.iter().map(|word| word.text.as_str()).filter(move |text| {
            let is_dashes = *text == "--" && !is_behind;
            is_behind |= is_dashes;
            !is_dashes && (is_behind || !text.starts_with('-') || *text == "-")
        })
    }

    /// The words after the subcommand that are no options, and those in a file.
    fn paths(&self) -> Vec<&'w str> {
        let from_file =
            self.words.iter().map(|word| word.text.as_str()).filter(|text| text.starts_with("--pathspec-from-file"));
        self.plain().skip(1).chain(from_file).collect()
    }
}
