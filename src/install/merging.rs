//! How git is told to merge the memory's files: an attribute for each, and the driver that it names.

use crate::canon::Layout;
use crate::syntax::RepoPath;

/// What the attribute and the section of git's config are called.
const NAME: &str = "canonry-memory";

/// Who merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Git's own way of taking the lines of both sides, which every clone has.
    Union,
    /// Ours, which only a clone has whose config names it.
    Canonry,
}

/// The attributes of the memory's files; the layout's paths are below `folder`.
pub fn attributes(layout: &Layout, folder: &RepoPath, driver: Driver) -> String {
    let value = match driver {
        Driver::Union => "union",
        Driver::Canonry => NAME,
    };
    let files = [layout.log(), layout.quarantine(), layout.lessons()].map(|path| pattern(&folder.join(path.as_bstr())));
    let snapshots = pattern(&folder.join(layout.snapshots().as_bstr()));
    let [log, quarantine, lessons] = files;
    // Lines are only ever added to the queue, and each counts once: git's own way is right for it.
    let review = pattern(&folder.join(layout.review().as_bstr()));
    let patterns = [log, quarantine, format!("{snapshots}/*.jsonl"), lessons];
    let mut text = patterns.map(|pattern| format!("{} merge={value}\n", quoted(&pattern))).concat();
    text.push_str(&format!("{} merge=union\n", quoted(&review)));
    text
}

/// A path from the top, with what git reads as more than itself escaped.
fn pattern(path: &RepoPath) -> String {
    let mut text = String::from("/");
    for c in path.to_display().chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Git takes a blank for the end of a pattern, unless it stands in quotes.
fn quoted(pattern: &str) -> String {
    if pattern.contains(|c: char| c.is_whitespace() || c == '"') {
        return format!("\"{}\"", pattern.replace('\\', "\\\\").replace('"', "\\\""));
    }
    pattern.to_owned()
}

/// The section of git's config. Where the program is gone, git's own union takes its place: a driver that cannot be run
/// would leave a file that looks merged and holds one side.
pub fn section() -> String {
    format!(
        "[merge \"{NAME}\"]\n\
         \tname = canonry's merge of a memory\n\
         \tdriver = \"if command -v canonry >/dev/null 2>&1; then canonry memory merge-driver %O %A %B %P; \
         else git merge-file -q --union %A %O %B; fi\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_line() {
        let text = attributes(&Layout::default(), &RepoPath::default(), Driver::Union);
        assert_eq!(
            text,
            "/agent/memory/episodic/AGENT_LEARNINGS.jsonl merge=union\n\
             /agent/memory/episodic/quarantine.txt merge=union\n\
             /agent/memory/episodic/snapshots/*.jsonl merge=union\n\
             /agent/memory/semantic/LESSONS.md merge=union\n\
             /agent/memory/semantic/REVIEW.jsonl merge=union\n"
        );
    }

    #[test]
    fn odd_folders_are_quoted() {
        let text = attributes(&Layout::new("our [agent]".into()), &RepoPath::from("a"), Driver::Canonry);
        assert!(text.starts_with("\"/a/our \\\\[agent]/memory/"), "{text}");
        assert!(text.contains("/snapshots/*.jsonl\" merge=canonry-memory\n"), "{text}");
    }
}
