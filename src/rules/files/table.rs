//! Paths in Markdown tables, which may be examples or files of something else.

use crate::canon::skill::Skill;
use crate::syntax::Source;

/// Rows that are searched for the start of a table.
const MAX_ROWS: usize = 64;

/// Whether the text before a path on its line starts a table row.
pub(super) fn is_row(before: &str) -> bool {
    before.trim_start().starts_with('|')
}

/// Whether the header of the column that contains this offset says that it has examples.
pub(super) fn is_example(source: &Source, offset: usize) -> bool {
    let Some((before, rows)) = rows_above(source, offset) else { return false };
    let column = before.matches('|').count();
    let header = rows.last().and_then(|header| header.split('|').nth(column)).unwrap_or_default();
    header.trim().to_lowercase().starts_with("example")
}

/// Whether the line above the table names another owner of the files: "The deployment of `site-tools`:".
pub(super) fn is_elsewhere(skill: &Skill, source: &Source, offset: usize) -> bool {
    let Some((before, rows)) = rows_above(source, offset) else { return false };
    let length = before.len() + rows.iter().map(|row| row.len() + 1).sum::<usize>();
    let above = source.text().get(..offset.saturating_sub(length)).unwrap_or_default();
    let Some(line) = above.lines().rev().find(|line| !line.trim().is_empty()) else { return false };
    let own = skill.folder.path.file_name_lossy();
    ["in `", "of `", "from `"].iter().any(|word| {
        let name = line.split_once(word).and_then(|(_, rest)| rest.split_once('`')).map_or("", |(name, _)| name);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        !name.is_empty() && name.chars().all(is_name) && name != own && line.trim_end().ends_with(':')
    })
}

/// The text before this offset in its row, and the rows above, the nearest first.
fn rows_above(source: &Source, offset: usize) -> Option<(&str, Vec<&str>)> {
    let line = source.line_span(offset);
    let before = source.text().get(line.offset..offset)?;
    let above = source.text()[..line.offset].lines().rev().take(MAX_ROWS);
    is_row(before).then(|| (before, above.take_while(|row| is_row(row)).collect()))
}
