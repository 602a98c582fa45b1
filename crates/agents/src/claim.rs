//! Finds the managed parts in existing files after the lock was lost: parts that equal the canon, and the containers that
//! hold nothing else.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, PartContent};
use super::json::JsonSettings;
use super::managed_part::{ManagedFormat, ManagedPart, shared_format, text_id, value_id};
use super::plan::{ToolFileContext, ToolFileState};
use super::toml_keys;
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the lock entries of all parts that equal the canon.
pub fn claim_parts(context: &ToolFileContext<'_>) -> Vec<(RepoPath, FileState)> {
    let mut claimed = Vec::new();
    for (file, state) in context.files {
        let ToolFileState::Text { text, .. } = state else { continue };
        let desired: Vec<&DesiredPart> = context.desired.parts.iter().filter(|part| part.file == *file).collect();
        let parts = match shared_format(file) {
            Some(ManagedFormat::Json) => json_parts(text, &desired, context.hash),
            Some(ManagedFormat::Markdown) => block_parts(text, BlockMarkers::Markdown, &desired, context.hash),
            Some(ManagedFormat::Toml) => {
                let mut parts = toml_keys::claim(text, &desired, context.hash);
                parts.extend(block_parts(text, BlockMarkers::Hash, &desired, context.hash));
                parts
            }
            Some(ManagedFormat::Lines) => block_parts(text, BlockMarkers::Hash, &desired, context.hash),
            None => Vec::new(),
        };
        let entry =
            |(part, id): (ManagedPart, ObjectId)| (part.lock_path(file), FileState { id, mode: FileMode::File });
        claimed.extend(parts.into_iter().map(entry));
    }
    claimed
}

fn json_parts(text: &str, desired: &[&DesiredPart], hash: Kind) -> Vec<(ManagedPart, ObjectId)> {
    let Ok(mut settings) = JsonSettings::parse(text) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut containers = BTreeSet::new();
    for part in desired {
        // Removing a value that was just found cannot fail.
        match &part.content {
            PartContent::Key { path, value } if settings.get(path) == Ok(Some(value.clone())) => {
                let _ = settings.remove(path);
                parts.push((ManagedPart::Key(path.clone()), value_id(value, hash)));
                containers.extend((1..path.len()).map(|depth| path[..depth].to_vec()));
            }
            PartContent::Item { path, value, .. } => {
                let Ok(items) = settings.items(path) else { continue };
                let Some(at) = items.iter().position(|item| item == value) else { continue };
                let _ = settings.remove_item(path, at);
                parts.push((ManagedPart::Item(path.clone()), value_id(value, hash)));
                containers.extend((1..=path.len()).map(|depth| path[..depth].to_vec()));
            }
            _ => {}
        }
    }
    // The reverse order visits inner containers before outer ones.
    for path in containers.iter().rev().filter(|_| !parts.is_empty()).cloned().collect::<Vec<_>>() {
        let Ok(Some(empty)) = settings.get(&path) else { continue };
        if settings.is_bare(&path) {
            let _ = settings.remove(&path);
            let id = value_id(&empty, hash);
            parts.push((ManagedPart::CreatedContainer(path, empty), id));
        }
    }
    if !parts.is_empty() && settings.is_empty() {
        parts.push((ManagedPart::CreatedFile, value_id(&Value::Null, hash)));
    }
    parts
}

fn block_parts(
    text: &str,
    markers: BlockMarkers,
    desired: &[&DesiredPart],
    hash: Kind,
) -> Vec<(ManagedPart, ObjectId)> {
    let (Ok(Some(found)), Ok(rest)) = (block::find(text, markers), block::remove(text, markers)) else {
        return Vec::new();
    };
    let inner: Vec<&str> = desired
        .iter()
        .filter_map(|part| match &part.content {
            PartContent::Block { inner, .. } => Some(inner.as_str()),
            PartContent::Table { text, .. } => Some(text.as_str()),
            PartContent::Key { .. } | PartContent::Item { .. } => None,
        })
        .collect();
    if inner.is_empty() || found.inner != inner.join("\n") {
        return Vec::new();
    }
    let block = (ManagedPart::Block, text_id(&found.inner, hash));
    std::iter::once(block).chain(rest.is_empty().then(|| (ManagedPart::CreatedFile, text_id("", hash)))).collect()
}
