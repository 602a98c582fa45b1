//! Unified diffs, through `similar`.

use gix::bstr::ByteSlice;
use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 3;

/// The change of one file, as `git diff` shows it; `None` stands for a file that is not there. Paths are shown as
/// given. Empty where nothing changes.
pub fn unified(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    between((path, old), (path, new))
}

/// The same of a file that is called otherwise afterwards; each side is a path and what it holds.
pub fn between((was, old): (&str, Option<&[u8]>), (now, new): (&str, Option<&[u8]>)) -> String {
    if old == new {
        return String::new();
    }
    let name =
        |side: &str, path: &str, there: bool| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    let (from, to) = (name("a", was, old.is_some()), name("b", now, new.is_some()));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    match (text(old), text(new)) {
        (Some(old), Some(new)) => {
            let diff = TextDiff::from_lines(old, new);
            let hunks = diff.unified_diff().context_radius(CONTEXT).to_string();
            format!("--- {from}\n+++ {to}\n{hunks}")
        }
        _ => format!("Binary files {from} and {to} differ\n"),
    }
}

/// Git's own test: a NUL among the first 8,000 bytes makes a file binary.
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
    fn binary_files_are_only_named() {
        assert_eq!(unified("x", Some(b"\0"), Some(b"a")), "Binary files a/x and b/x differ\n");
        assert_eq!(unified("x", Some(b"\xff"), Some(b"a")), "Binary files a/x and b/x differ\n");
    }
}
