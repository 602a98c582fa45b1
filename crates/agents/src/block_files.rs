//! Plans shared files with a managed block: Markdown, Codex's TOML, and git's line-based files.

use super::block::{self, BlockMarkers};
use super::desired::{ImportLine, PartContent};
use super::managed_part::{ManagedPart, text_id};
use super::mcp::is_same_value;
use super::shared_file::{FileOutcome, PartConflict, SharedFile, deleted, refuse_file};
use super::toml_keys;
use canonry_model::edit::OverwriteMode;
use canonry_text::node::Node;
use canonry_text::{RepoPath, toml};
use serde_json::Value;

/// The desired content of a block.
struct BlockContent {
    text: String,
    canon: RepoPath,
}

/// Plans a Markdown file; `text` is `None` if it does not exist.
pub(super) fn plan_markdown(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let rest = match text.map(|text| block::remove(text, BlockMarkers::Markdown)).transpose() {
        Ok(rest) => rest.unwrap_or_default(),
        Err(error) => return refuse_file(file, text, &error.to_string()),
    };
    let mut content = None;
    let mut unnecessary = 0;
    for part in &file.parts {
        let PartContent::Block { inner, replaced_by } = &part.content else { continue };
        let is_implied = |import: &ImportLine| import.is_implied && rest.trim().is_empty();
        let has_import = |import: &ImportLine| rest.lines().any(|line| line.trim() == import.line);
        if replaced_by.as_ref().is_some_and(has_import) {
            unnecessary += 1;
        } else if !replaced_by.as_ref().is_some_and(is_implied) {
            content = Some(BlockContent { text: inner.clone(), canon: part.canon.clone() });
        }
    }
    let mut outcome = plan_block(file, text, content.as_ref(), BlockMarkers::Markdown);
    outcome.unchanged += unnecessary;
    outcome
}

/// Plans a line-based file of git; `text` is `None` if it does not exist.
pub(super) fn plan_lines(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let content = file.parts.iter().find_map(|part| match &part.content {
        PartContent::Block { inner, .. } => Some(BlockContent { text: inner.clone(), canon: part.canon.clone() }),
        _ => None,
    });
    plan_block(file, text, content.as_ref(), BlockMarkers::Hash)
}

/// Plans a shared file that is a link. A link to the file that an import would name is fine; any other is refused.
pub(super) fn plan_link(file: &SharedFile<'_>, to: Option<&RepoPath>) -> FileOutcome {
    let leads_there = |import: &Option<ImportLine>| import.as_ref().is_some_and(|import| Some(&import.target) == to);
    let is_fine = file.parts.iter().all(|part| match &part.content {
        PartContent::Block { replaced_by, .. } => leads_there(replaced_by),
        _ => false,
    });
    if is_fine && !file.parts.is_empty() {
        return FileOutcome { unchanged: file.parts.len(), ..FileOutcome::default() };
    }
    let to = to.map_or_else(|| "outside the repository".to_owned(), ToString::to_string);
    refuse_file(file, None, &format!("it is a link to {to}, and sync writes only into regular files"))
}

/// Plans a TOML file; `text` is `None` if it does not exist.
pub(super) fn plan_toml(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let rest = match text.map(|text| block::remove(text, BlockMarkers::Hash)).transpose() {
        Ok(rest) => rest.unwrap_or_default(),
        Err(error) => return refuse_file(file, text, &error.to_string()),
    };
    let parse = |text: &str| toml::parse(text.trim_start_matches('\u{feff}'));
    if let Err(error) = parse(&rest) {
        return refuse_file(file, text, &format!("it is not valid TOML: {error}"));
    }
    let mut content: Option<BlockContent> = None;
    let mut refused = Vec::new();
    let mut equal = 0;
    for part in &file.parts {
        let PartContent::Table { path, text } = &part.content else { continue };
        if let Some(own) = value_at(&rest, path) {
            if value_at(text, path).is_some_and(|ours| is_same_value(&part.file, path, &own, &ours)) {
                equal += 1;
                continue;
            }
            let message = format!(
                "your `[{}]` differs from {}; delete it there, because canonry never edits it",
                path.join("."),
                part.canon
            );
            refused.push((PartConflict::Occupied, message));
            continue;
        }
        match &mut content {
            Some(content) => content.text.push_str(&format!("\n{text}")),
            None => content = Some(BlockContent { text: text.clone(), canon: part.canon.clone() }),
        }
    }
    let mut outcome = plan_block(file, text, content.as_ref(), BlockMarkers::Hash);
    toml_keys::plan(file, text, &mut outcome);
    if outcome.text.as_ref().is_some_and(|text| parse(text).is_err()) {
        return refuse_file(file, text, "its content allows no tables at the end");
    }
    outcome.refused.extend(refused);
    outcome.unchanged += equal;
    outcome
}

/// The value at nested keys of a TOML text.
fn value_at(text: &str, path: &[String]) -> Option<Value> {
    let root = toml::parse(text.trim_start_matches('\u{feff}')).ok()?;
    path.iter().try_fold(&root, |node, key| node.get(key)).map(Node::to_json)
}

fn plan_block(
    file: &SharedFile<'_>,
    text: Option<&str>,
    content: Option<&BlockContent>,
    markers: BlockMarkers,
) -> FileOutcome {
    let before = text.unwrap_or_default();
    let found = match block::find(before, markers) {
        Ok(found) => found,
        Err(error) => return refuse_file(file, text, &error.to_string()),
    };
    let id = |text: &str| text_id(text, file.hash);
    let owned: Vec<_> = file.ids(&ManagedPart::Block).collect();
    let mut outcome = FileOutcome { text: text.map(str::to_owned), ..FileOutcome::default() };
    let keep = |outcome: &mut FileOutcome| outcome.owned.clone_from(&file.owned);
    let is_deleted = found.is_none() && text.is_some() && file.is_deleted(&ManagedPart::Block);
    let is_unedited = found.as_ref().is_none_or(|found| owned.contains(&id(&found.inner)));
    match (content, &found) {
        (None, None) => {
            outcome.owned = file.owned.iter().filter(|(part, id)| file.holds(part, *id)).cloned().collect();
            return outcome;
        }
        (Some(content), Some(found)) if found.inner == content.text => {
            outcome.unchanged = 1;
            if !owned.is_empty() {
                keep(&mut outcome);
                outcome.owned.retain(|(part, _)| *part != ManagedPart::Block);
                outcome.owned.push((ManagedPart::Block, id(&content.text)));
            }
            return outcome;
        }
        (None, Some(_)) if file.frozen || owned.is_empty() || file.holds_block() => {
            keep(&mut outcome);
            return outcome;
        }
        (Some(content), None) if is_deleted && file.overwrite == OverwriteMode::OwnedOnly => {
            keep(&mut outcome);
            outcome.refused.push(deleted("the canonry block", &content.canon));
            return outcome;
        }
        _ if !is_unedited && file.overwrite == OverwriteMode::OwnedOnly => {
            keep(&mut outcome);
            outcome.refused.push(refusal(content, owned.is_empty()));
            return outcome;
        }
        _ => {}
    }
    outcome.overrode = !is_unedited || content.is_some() && is_deleted;
    // A file that says nothing else than the canon is a copy of it, and the block replaces it.
    let is_copy = |content: &&BlockContent| {
        let said = |text: &str| text.lines().filter(|line| !is_comment(line, markers)).collect::<Vec<_>>().join("\n");
        found.is_none() && !before.trim().is_empty() && said(&content.text).trim() == said(before).trim()
    };
    let is_replaced = content.as_ref().is_some_and(is_copy);
    let edited = match content {
        Some(content) => block::insert(if is_replaced { "" } else { before }, markers, &content.text),
        None => block::remove(before, markers),
    };
    let Ok(edited) = edited else { return outcome };
    let is_new = text.is_none() || is_replaced || file.owns(&ManagedPart::CreatedFile);
    if let Some(content) = content {
        outcome.owned.push((ManagedPart::Block, id(&content.text)));
        outcome.owned.extend(is_new.then(|| (ManagedPart::CreatedFile, id(""))));
    }
    let is_obsolete = content.is_none() && is_new && edited.is_empty();
    outcome.text = (!is_obsolete).then_some(edited);
    outcome
}

/// Whether a line of Markdown is a comment, such as the name of the program that generated the file.
fn is_comment(line: &str, markers: BlockMarkers) -> bool {
    let line = line.trim();
    markers == BlockMarkers::Markdown && line.starts_with("<!--") && line.ends_with("-->")
}

fn refusal(content: Option<&BlockContent>, is_foreign: bool) -> (PartConflict, String) {
    match (content, is_foreign) {
        (Some(content), true) => {
            (PartConflict::Occupied, format!("sync did not write the canonry block that would hold {}", content.canon))
        }
        (Some(content), false) => (
            PartConflict::Edited,
            format!("the canonry block was edited by hand since the last sync; move the edit to {}", content.canon),
        ),
        (None, _) => {
            (PartConflict::Edited, "the canonry block was edited by hand, and is no longer in the canon".to_owned())
        }
    }
}
