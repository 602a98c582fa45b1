//! Alternatives to a call that a guard stops, as data.

use super::verdict::VerdictReason;

/// The rule, a word of the message (empty for every message), and the alternative.
const ALTERNATIVES: &[(&str, &str, &str)] = &[
    ("`delete-root`", "something unknown", "name the paths, without variables whose value is unknown"),
    ("`delete-root`", "outside the repository", "delete only what is inside the repository, or use a temporary folder"),
    ("`delete-root`", "", "delete the single files that you mean, by their paths inside the repository"),
    ("`pipe-to-shell`", "", "download to a file, read it, and let a person run it"),
    ("`secret-read`", "", "read an example such as `.env.example`, or ask the person for what you need to know"),
    ("`force-push`", "everyone builds on", "push a new branch, or undo a published commit with `git revert`"),
    ("`force-push`", "unknown branch", "name the branch, as in `git push --force-with-lease origin my-branch`"),
    ("`force-push`", "", "push a new branch"),
    ("`protected-file`", "", "show the change that you propose, and let a person make it"),
    ("`self-approval`", "", "ask the person to run this in their own terminal"),
    ("`lost-work`", "untracked", "list the files with `git clean -n`, and delete the ones that you mean by name"),
    ("`lost-work`", "stash", "keep the stash, or apply it with `git stash pop`"),
    ("`lost-work`", "branch", "delete merged branches with `git branch -d`"),
    ("`lost-work`", "worktree", "run `git worktree remove` without `--force`; it removes a clean worktree"),
    ("`lost-work`", "history", "keep the old commits reachable: make a branch first"),
    ("`lost-work`", "", "keep the changes with `git stash push` first"),
    ("approved domains", "", "ask the person to add the host under \"Approved domains\""),
    ("hooks.unreadable", "", "write the command out: no `eval`, and no variable as the program"),
    ("hooks.unknown", "", "use a command that permissions.md lists"),
];

impl VerdictReason {
    /// Safer alternative, if there is one.
    pub fn alternative(&self) -> Option<&'static str> {
        let applies = |(rule, word, _): &&(&str, &str, &str)| {
            self.rule.contains(rule) && (word.is_empty() || self.message.contains(word))
        };
        ALTERNATIVES.iter().find(applies).map(|(_, _, alternative)| *alternative)
    }
}
