//! Whether a bare path in the text means a file of the skill.
//!
//! `scripts/deploy.sh` in a sentence may as well be a script of the repository, a file of another skill or an example.
//! Only where the text speaks plainly is a path held to the skill's files.

use crate::canon::skill::Skill;
use crate::syntax::Source;
use crate::syntax::markdown::MarkdownLink;

/// Words before a path that make it an example.
const EXAMPLE: [&str; 5] = ["e.g.", "for example", "for instance", "such as", "imagine"];
/// Words behind a path that place it elsewhere: "`references/a.md` in the `other` skill".
const ELSEWHERE: [&str; 8] = ["in the `", "of the `", "from the `", "in `", "of `", "from `", "in the [", "in your "];
/// Owners before a path, but for the skill itself.
const OWNER: [&str; 4] = ["'s", "’s", "your", "project"];

/// Whether the skill's own file is meant.
pub(super) fn is_meant(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let line = source.line_span(link.span.offset);
    let text = source.text();
    let before = text.get(line.offset..link.span.offset).unwrap_or_default().to_lowercase();
    let behind = text.get(link.span.end()..line.end()).unwrap_or_default();
    let behind = behind.trim_start_matches(['`', '*', '"', ' ', ')']);
    if EXAMPLE.iter().any(|word| before.contains(word)) || ELSEWHERE.iter().any(|word| behind.starts_with(word)) {
        return false;
    }
    let owner = before.trim_end_matches(['`', '*', '"', ' ', '.', '/']);
    if OWNER.iter().any(|word| owner.ends_with(word)) && !owner.ends_with("skill's") {
        return false;
    }
    let folder = link.target.split('/').next().unwrap_or_default();
    folder == "references" || skill.has_folder(&skill.folder.path.join(folder)) || leads_its_line(&before)
}

/// A list, table or heading that starts with the path describes what the skill brings along.
fn leads_its_line(before: &str) -> bool {
    before.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "-*+|#>`.:[]/".contains(c))
}
