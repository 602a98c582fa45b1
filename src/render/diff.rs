//! Unified diffs.

use canonry_app::{FileContent, FileDiff};
use canonry_text::RepoPath;
use canonry_text::secrets::mask;
use gix::bstr::ByteSlice;
use similar::{DiffableStr, TextDiff};
use std::borrow::Cow;

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;
/// Lines of one file's diff that an excerpt shows.
const EXCERPT_LINES: usize = 30;

/// The differences as a patch, which `git apply` accepts unless a secret is masked in it.
pub fn patch<'d>(diffs: impl IntoIterator<Item = &'d FileDiff>) -> String {
    diffs.into_iter().map(file_patch).collect()
}

/// The first lines of each difference; empty if there is none.
pub fn excerpts(diffs: &[FileDiff]) -> String {
    diffs.iter().map(|diff| excerpt(&file_patch(diff))).collect()
}

fn excerpt(patch: &str) -> String {
    let lines = patch.lines().count();
    let mut text: String = patch.split_inclusive('\n').take(EXCERPT_LINES).collect();
    if lines > EXCERPT_LINES {
        text.push_str(&format!("… {} more lines; run `canonry sync --diff` to see all\n", lines - EXCERPT_LINES));
    }
    text
}

fn file_patch(diff: &FileDiff) -> String {
    match diff {
        FileDiff::Changed { path, old, new } => change_patch(path, old.as_ref(), new.as_ref()),
        FileDiff::Renamed { path, to, contents } => {
            let hunks = contents.as_ref().map(|(old, new)| {
                unified_rename((&path.to_display(), Some(old.as_slice())), (&to.to_display(), Some(new.as_slice())))
            });
            let similarity = if hunks.is_none() { "similarity index 100%\n" } else { "" };
            let hunks = hunks.unwrap_or_default();
            format!("diff --git a/{path} b/{to}\n{similarity}rename from {path}\nrename to {to}\n{hunks}")
        }
    }
}

/// Git's extended header is included, so that mode changes and empty files appear too.
fn change_patch(path: &RepoPath, old: Option<&FileContent>, new: Option<&FileContent>) -> String {
    let modes = match (old, new) {
        // Git shows a file that becomes a link as removed and created.
        (Some(old), Some(new)) if old.mode.is_file() != new.mode.is_file() => {
            return change_patch(path, Some(old), None) + &change_patch(path, None, Some(new));
        }
        (None, Some(new)) => format!("new file mode {}\n", new.mode),
        (Some(old), None) => format!("deleted file mode {}\n", old.mode),
        (Some(old), Some(new)) if old.mode != new.mode => format!("old mode {}\nnew mode {}\n", old.mode, new.mode),
        _ => String::new(),
    };
    let hunks = hunks(path, old, new);
    if modes.is_empty() && hunks.is_empty() {
        return String::new();
    }
    format!("diff --git a/{path} b/{path}\n{modes}{hunks}")
}

/// Empty if only the mode changes, or if an empty file is created or removed.
fn hunks(path: &RepoPath, old: Option<&FileContent>, new: Option<&FileContent>) -> String {
    let shown = path.to_display();
    let is_unread = |side: Option<&FileContent>| side.is_some_and(|side| side.bytes.is_none());
    if is_unread(old) || is_unread(new) {
        return format!("Binary files a/{shown} and b/{shown} differ\n");
    }
    let bytes = |side: Option<&FileContent>| side.and_then(|side| side.bytes.clone());
    let old = bytes(old);
    let new = bytes(new);
    if old.as_ref().is_none_or(Vec::is_empty) && new.as_ref().is_none_or(Vec::is_empty) {
        return String::new();
    }
    unified(&shown, old.as_deref(), new.as_deref())
}

/// The change of one file as `git diff` shows it, without git's extended header. `None` means that the file does not
/// exist. Empty if nothing changes.
pub fn unified(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    unified_rename((path, old), (path, new))
}

/// The same for a file that also gets another name. Each side is a path and its content.
fn unified_rename((old_path, old): (&str, Option<&[u8]>), (new_path, new): (&str, Option<&[u8]>)) -> String {
    if old == new {
        return String::new();
    }
    let name = |side: &str, path: &str, exists: bool| {
        if exists { format!("{side}/{path}") } else { "/dev/null".to_owned() }
    };
    let from = name("a", old_path, old.is_some());
    let to = name("b", new_path, new.is_some());
    match (text(old.unwrap_or_default()), text(new.unwrap_or_default())) {
        (Some(old), Some(new)) => {
            let diff = TextDiff::from_lines(old, new);
            let hunks = hunks_without_secrets(&diff, mask(old_path, old), mask(new_path, new));
            format!("--- {from}\n+++ {to}\n{hunks}")
        }
        _ => format!("Binary files {from} and {to} differ\n"),
    }
}

/// The hunks of a diff, with the lines of the masked texts. The texts themselves are compared, so that a secret that changes is
/// still a change.
fn hunks_without_secrets(diff: &TextDiff<'_, '_, str>, old: Cow<'_, str>, new: Cow<'_, str>) -> String {
    let mut hunks = diff.unified_diff();
    let hunks = hunks.context_radius(CONTEXT_LINES);
    if let (Cow::Borrowed(_), Cow::Borrowed(_)) = (&old, &new) {
        return hunks.to_string();
    }
    let old = old.tokenize_lines();
    let new = new.tokenize_lines();
    let mut text = String::new();
    for hunk in hunks.iter_hunks() {
        text.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let line = match (change.old_index(), change.new_index()) {
                (Some(at), None) => old.get(at),
                (_, Some(at)) => new.get(at),
                (None, None) => None,
            };
            text.push_str(&format!("{}{}", change.tag(), line.copied().unwrap_or_default()));
            if change.missing_newline() {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// `None` for a binary file. Like git, this looks for a NUL among the first 8,000 bytes.
fn text(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(8000)];
    if head.contains(&0) { None } else { bytes.to_str().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_changes_additions_and_removals() {
        assert_eq!(unified("x", Some(b"a\nb\n"), Some(b"a\nc\n")), "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert!(unified("x", None, Some(b"a\n")).starts_with("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"));
        assert!(unified("x", Some(b"a\n"), None).contains("+++ /dev/null\n"));
        assert_eq!(unified("x", Some(b"a"), Some(b"a")), "");
    }

    #[test]
    fn secrets_are_masked_and_their_changes_are_shown() {
        let text = |key: &str| format!("{{\"mcpServers\": {{\n\"a\": {{\n\"env\": {{\"K\": \"{key}\"}}\n}}}}}}");
        let old = text("one-one");
        let new = text("two-two");
        let shown = unified(".mcp.json", Some(old.as_bytes()), Some(new.as_bytes()));
        assert_eq!(
            shown,
            "--- a/.mcp.json\n+++ b/.mcp.json\n@@ -1,4 +1,4 @@\n {\"mcpServers\": {\n \"a\": {\n-\"env\": {\"K\": \"[secret]\"}\n\
             +\"env\": {\"K\": \"[secret]\"}\n }}}\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn binary_files_are_only_named() {
        assert_eq!(unified("x", Some(b"\0"), Some(b"a")), "Binary files a/x and b/x differ\n");
        assert_eq!(unified("x", Some(b"\xff"), Some(b"a")), "Binary files a/x and b/x differ\n");
    }
}
