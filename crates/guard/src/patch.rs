//! The files that a patch changes, in the format of Codex's `apply_patch` or as a unified diff.

/// A file that a patch changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    pub path: String,
    pub is_removed: bool,
}

/// The lines of `apply_patch` that name a file, and whether the file is removed.
const MARKS: [(&str, bool); 4] =
    [("*** Update File: ", false), ("*** Add File: ", false), ("*** Delete File: ", true), ("*** Move to: ", false)];

/// Lists the files that a patch names.
pub fn patched_files(text: &str) -> Vec<PatchedFile> {
    text.lines().filter_map(|line| marked(line.trim())).collect()
}

fn marked(line: &str) -> Option<PatchedFile> {
    let (mark, is_removed) = MARKS.iter().find(|(mark, _)| line.starts_with(mark))?;
    Some(PatchedFile { path: line.strip_prefix(mark)?.trim().to_owned(), is_removed: *is_removed })
}

/// Lists the files that a unified diff names. `strip` is the number of leading folders that are removed.
pub fn diffed_files(text: &str, strip: usize) -> Vec<PatchedFile> {
    let mut found: Vec<PatchedFile> = Vec::new();
    for line in text.lines() {
        let marks = ["--- ", "+++ ", "rename to ", "rename from "];
        let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(mark)) else { continue };
        let path = rest.split('\t').next().unwrap_or(rest).trim().trim_matches('"');
        // `rename` lines have no prefix.
        let strip = if line.starts_with("rename") { 0 } else { strip };
        let path = path.splitn(strip + 1, '/').nth(strip).unwrap_or(path);
        if !path.is_empty() && rest.trim() != "/dev/null" && !found.iter().any(|file| file.path == path) {
            found.push(PatchedFile { path: path.to_owned(), is_removed: false });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_files() {
        let text = "*** Begin Patch\n*** Update File: a b.rs\n@@\n-*** x\n*** Move to: c.rs\n*** Delete File: d\n*** End Patch";
        let files = patched_files(text);
        let shown: Vec<(&str, bool)> = files.iter().map(|file| (file.path.as_str(), file.is_removed)).collect();
        assert_eq!(shown, [("a b.rs", false), ("c.rs", false), ("d", true)]);
        let diff = "diff --git a/x/y b/x/y\n--- a/x/y\t2026\n+++ b/x/y\n--- /dev/null\n+++ b/new\n";
        let paths = |strip| diffed_files(diff, strip).into_iter().map(|file| file.path).collect::<Vec<_>>();
        assert_eq!(paths(1), ["x/y", "new"]);
        assert_eq!(paths(0), ["a/x/y", "b/x/y", "b/new"]);
        assert_eq!(diffed_files("", 1), []);
    }
}
