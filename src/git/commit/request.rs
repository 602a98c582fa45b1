//! What is asked of a commit, and what it gives back.

use gix::ObjectId;
use gix::bstr::BString;

/// Which paths to commit.
#[derive(Debug, Clone, Copy)]
pub enum Selection<'a> {
    /// Exactly these files, relative to the top of the work tree and separated by `/`. They are never read as patterns
    /// or as folders. What is not there, neither in the work tree nor in the index nor in HEAD, is passed over; so is an
    /// untracked file that git ignores. This costs as much as there are paths, however large the repository is.
    Literal(&'a [BString]),
    /// Git's pathspecs, relative to the current folder if that lies in the work tree, else to its top. Untracked files
    /// that match and are not ignored belong to them. No pathspec selects nothing.
    Pathspecs(&'a [BString]),
}

/// What to commit.
#[derive(Debug, Clone, Copy)]
pub struct CommitRequest<'a> {
    /// The paths.
    pub selection: Selection<'a>,
    /// The commit message; white space is cleaned up as git does.
    pub message: &'a str,
}

/// How a commit differs from its parent at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedChange {
    /// Relative to the top of the work tree, separated by `/`.
    pub path: BString,
    /// What happened there.
    pub kind: ChangeKind,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The parent does not have it.
    Added,
    /// Its content, its type or its executable bit differs from the parent's.
    Modified,
    /// Only the parent has it.
    Deleted,
}

/// A commit that was made; HEAD points to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The commit.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// All that it changes, sorted by path; never empty. If a file takes the place of a folder, then what was in that
    /// folder is part of it.
    pub changes: Vec<CommittedChange>,
}

/// Cleans `raw` as git's default for a message given on the command line does: no white space at line ends, no empty
/// lines at the begin and the end, never two of them in a row, and one line feed at the end. Empty if nothing is left.
pub(super) fn clean_message(raw: &str) -> String {
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
