//! The git attributes and the git config that select the merge driver of the memory files.

use canonry_model::canon::Layout;
use canonry_text::RepoPath;

/// The name of the driver in git's attributes and config.
const NAME: &str = "canonry-memory";

/// A merge driver of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeDriver {
    /// git's built-in union of the lines of both sides; available in every clone.
    Union,
    /// canonry's driver; works only in clones whose config defines it.
    Canonry,
}

/// The attributes of the memory files. `folder` is the directory of the canon's layout in the repository.
pub fn attributes(layout: &Layout, folder: &RepoPath, driver: MergeDriver) -> String {
    let value = match driver {
        MergeDriver::Union => "union",
        MergeDriver::Canonry => NAME,
    };
    let files = [layout.log(), layout.quarantine(), layout.lessons()].map(|path| pattern(&folder.join(path.as_bstr())));
    let snapshots = pattern(&folder.join(layout.snapshots().as_bstr()));
    let [log, quarantine, lessons] = files;
    // The review queue is append-only and every line counts once, so git's union is the right merge for it.
    let review = pattern(&folder.join(layout.review().as_bstr()));
    let patterns = [log, quarantine, format!("{snapshots}/*.jsonl"), lessons];
    let mut text = patterns.map(|pattern| format!("{} merge={value}\n", quoted(&pattern))).concat();
    text.push_str(&format!("{} merge=union\n", quoted(&review)));
    text
}

/// A path from the top of the work tree, with the wildcards of gitattributes escaped.
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

/// Quotes a pattern that contains white space, which otherwise ends it.
fn quoted(pattern: &str) -> String {
    if pattern.contains(|c: char| c.is_whitespace() || c == '"') {
        return format!("\"{}\"", pattern.replace('\\', "\\\\").replace('"', "\\\""));
    }
    pattern.to_owned()
}

/// The section of git's config. It falls back to git's union if canonry is not installed: a driver that cannot run would
/// leave a file that looks merged but contains only one side.
pub fn config_section() -> String {
    format!(
        "[merge \"{NAME}\"]\n\
         \tname = canonry memory merge driver\n\
         \tdriver = \"if command -v canonry >/dev/null 2>&1; then canonry memory merge-driver %O %A %B %P; \
         else git merge-file -q --union %A %O %B; fi\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_one_line_per_file() {
        let text = attributes(&Layout::default(), &RepoPath::default(), MergeDriver::Union);
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
    fn quotes_unusual_directories() {
        let text = attributes(&Layout::new("our [agent]".into()), &RepoPath::from("a"), MergeDriver::Canonry);
        assert!(text.starts_with("\"/a/our \\\\[agent]/memory/"), "{text}");
        assert!(text.contains("/snapshots/*.jsonl\" merge=canonry-memory\n"), "{text}");
    }
}
