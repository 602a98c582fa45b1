//! The files that agents do not read: a block in the ignore file of each tool, and denied reads in Claude Code.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::permissions::claude_path;
use super::policies::with_final_newline;
use super::request::ToolFileRequest;
use canonry_text::RepoPath;
use serde_json::json;

const CLAUDE_SETTINGS: &str = ".claude/settings.json";

/// Adds the list for the configured tools.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let canon = request.layout.ignore();
    let Some(text) = request.sources.get(&canon) else { return };
    let in_table = files.tools_with(|tool| tool.ignore).filter_map(|row| row.ignore);
    let ignore_files: Vec<&str> = in_table.chain(files.tool("gemini").aiexclude.then_some(".aiexclude")).collect();
    let freeze = |desired: &mut DesiredToolFiles| {
        desired.frozen.extend(ignore_files.iter().map(|file| RepoPath::from(*file)));
        desired.frozen.extend(files.tool("claude").ignore.then(|| RepoPath::from(CLAUDE_SETTINGS)));
    };
    let text = match text {
        Ok(text) => with_final_newline(text),
        Err(error) => {
            freeze(desired);
            return desired.add_problem(&canon, error.to_string());
        }
    };
    if block::find(&text, BlockMarkers::Hash) != Ok(None) {
        freeze(desired);
        return desired.add_problem(&canon, "it contains the markers of a canonry block, so it cannot be put into one");
    }
    let patterns: Vec<IgnorePattern> = text.lines().filter_map(IgnorePattern::parse).collect();
    if patterns.is_empty() {
        return;
    }
    for file in &ignore_files {
        let content = PartContent::Block { inner: text.clone(), replaced_by: None };
        desired.parts.push(DesiredPart { file: RepoPath::from(*file), canon: canon.clone(), content });
    }
    if files.tool("claude").ignore {
        add_claude(&patterns, &canon, desired);
    }
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IgnorePattern {
    /// Files that are not read, as patterns of Claude Code's permissions.
    Ignored(Vec<String>),
    /// An exception to the lines above.
    Exception(String),
}

impl IgnorePattern {
    /// Parses a line; `None` for a comment or an empty line.
    fn parse(line: &str) -> Option<Self> {
        let trimmed = line.trim_end();
        // A backslash keeps one space at the end.
        let line =
            if trimmed.ends_with('\\') && trimmed.len() < line.len() { &line[..=trimmed.len()] } else { trimmed };
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        if line.starts_with('!') {
            return Some(Self::Exception(line.to_owned()));
        }
        let line = line.strip_prefix('\\').filter(|rest| rest.starts_with(['#', '!'])).unwrap_or(line);
        let path = line.trim_end_matches('/');
        let is_folder = path.len() < line.len();
        // A slash anywhere but at the end ties the pattern to the top.
        let base = if path.contains('/') { format!("./{}", path.trim_start_matches('/')) } else { path.to_owned() };
        // A pattern with a wildcard at the end names files.
        let may_be_folder = is_folder || !base.rsplit('/').next().is_some_and(|name| name.contains('*'));
        let file = (!is_folder).then(|| claude_path(&base));
        let folder = may_be_folder.then(|| claude_path(&format!("{base}/")));
        Some(Self::Ignored(file.into_iter().chain(folder).collect()))
    }
}

/// Claude Code has no exceptions from a denial. Without them, it reads less than the list allows.
fn add_claude(patterns: &[IgnorePattern], canon: &RepoPath, desired: &mut DesiredToolFiles) {
    for pattern in patterns {
        match pattern {
            IgnorePattern::Ignored(patterns) => {
                for pattern in patterns {
                    let entry = json!(format!("Read({pattern})"));
                    desired.add_item(CLAUDE_SETTINGS, &["permissions", "deny"], entry, canon);
                }
            }
            IgnorePattern::Exception(line) => {
                let message = format!(
                    "`{line}` is not written for Claude Code, which has no exceptions; the file stays unreadable"
                );
                desired.add_omission(canon, format!("claude/ignore/{line}"), message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_become_patterns_of_claude_code() {
        for (line, want) in [
            ("*.pem", &["/**/*.pem"][..]),
            (".env", &["/**/.env", "/**/.env/**"]),
            ("/secrets", &["/secrets", "/secrets/**"]),
            ("build/", &["/**/build/**"]),
            ("/build/", &["/build/**"]),
            ("config/prod.yaml", &["/config/prod.yaml", "/config/prod.yaml/**"]),
            ("logs/*.log", &["/logs/*.log"]),
            ("\\#odd", &["/**/#odd", "/**/#odd/**"]),
        ] {
            let want: BTreeSet<&str> = want.iter().copied().collect();
            let Some(IgnorePattern::Ignored(found)) = IgnorePattern::parse(line) else { panic!("{line}") };
            assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), want, "{line}");
        }
        assert_eq!(IgnorePattern::parse("!keep.pem"), Some(IgnorePattern::Exception("!keep.pem".to_owned())));
        for line in ["", "  ", "# note"] {
            assert_eq!(IgnorePattern::parse(line), None);
        }
    }
}
