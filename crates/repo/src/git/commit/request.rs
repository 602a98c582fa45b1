//! The input and output of a commit.

use gix::ObjectId;
use gix::bstr::BString;

/// The paths to commit.
#[derive(Clone, Copy)]
pub enum CommitSelection<'a> {
    /// Exactly these files, relative to the top of the work tree with `/` as separator; neither patterns nor folders.
    /// Paths that do not exist in work tree, index and HEAD are skipped, as are ignored untracked files. The cost
    /// depends on the number of paths, not on the size of the repository.
    Literal(&'a [BString]),
    /// The same, and an edit of one more file.
    Edited { paths: &'a [BString], edit: ContentEdit<'a> },
    /// Git pathspecs, relative to the current folder if it is in the work tree, otherwise to the top. Includes
    /// untracked files that match and are not ignored. An empty list selects nothing.
    Pathspecs(&'a [BString]),
}

/// An edit that a commit makes to the content of a file in HEAD, whatever the work tree has. What a person has staged there gets
/// the same edit and stays staged.
#[derive(Clone, Copy)]
pub struct ContentEdit<'a> {
    /// The file, which is not part of the commit if HEAD does not have it.
    pub path: &'a BString,
    /// The new content; `None` if the edit is not possible in this content, which then stays.
    pub apply: &'a dyn Fn(&[u8]) -> Option<Vec<u8>>,
}

/// Which of git's hooks a commit runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GitHooks {
    /// All that `git commit` runs: `pre-commit`, `prepare-commit-msg`, `commit-msg`, `post-commit`.
    #[default]
    Run,
    /// Without those that can refuse the commit, as `git commit --no-verify`.
    NoVerify,
    /// None. For a process that a hook started: it could start itself again.
    Off,
}

/// A commit to make.
#[derive(Clone, Copy)]
pub struct CommitRequest<'a> {
    pub selection: CommitSelection<'a>,
    /// The commit message. White space is cleaned up as in git.
    pub message: &'a str,
    pub hooks: GitHooks,
}

/// A change of a commit at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedChange {
    /// Relative to the top of the work tree, with `/` as separator.
    pub path: BString,
    pub kind: ChangeKind,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    /// The content, the type or the executable bit changed.
    Modified,
    Deleted,
}

/// A new commit, which HEAD points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    pub id: ObjectId,
    pub tree: ObjectId,
    /// The changes sorted by path, never empty. Includes the files of a folder that a file replaces.
    pub changes: Vec<CommittedChange>,
}

/// Cleans a message like git does for `-m`: no trailing white space, no empty lines at the start and end, no
/// consecutive empty lines, and one final line feed. Empty if nothing remains.
pub(in crate::git) fn clean_message(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 1);
    let mut gap = false;
    for line in raw.lines().map(str::trim_ascii_end) {
        if line.is_empty() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push('\n');
        }
        gap = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::clean_message;

    #[test]
    fn cleans_messages_like_git() {
        assert_eq!(clean_message("one"), "one\n");
        assert_eq!(clean_message("\n\n one \n\n\n\ntwo\t\n\n"), " one\n\ntwo\n");
        assert_eq!(clean_message(" \n\t\n"), "");
        assert_eq!(clean_message("# kept\r\nnext"), "# kept\nnext\n");
    }
}
