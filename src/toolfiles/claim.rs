//! What is ours once more after a lost lock: what equals the canon, and the containers that hold nothing else.

use super::block::{self, Marks};
use super::decide::{Seen, Standing};
use super::json::Settings;
use super::part::{Form, Part, form, id_of_text, id_of_value};
use super::piece::{Piece, Place};
use crate::canon::{FileState, Mode};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::hash::Kind;
use serde_json::Value;
use std::collections::BTreeSet;

/// Every part that stands as it should, for the lock.
pub fn claim(seen: &Seen<'_>) -> Vec<(RepoPath, FileState)> {
    let mut claimed = Vec::new();
    for (file, standing) in seen.standing {
        let Standing::Text { text, .. } = standing else { continue };
        let pieces: Vec<&Piece> = seen.wanted.pieces.iter().filter(|piece| piece.file == *file).collect();
        let parts = match form(file) {
            Some(Form::Json) => keys(text, &pieces, seen.hash),
            Some(Form::Markdown) => blocks(text, Marks::Markdown, &pieces, seen.hash),
            Some(Form::Toml | Form::Lines) => blocks(text, Marks::Hash, &pieces, seen.hash),
            None => Vec::new(),
        };
        let entry = |(part, id): (Part, ObjectId)| (part.of(file), FileState { id, mode: Mode::File });
        claimed.extend(parts.into_iter().map(entry));
    }
    claimed
}

fn keys(text: &str, pieces: &[&Piece], hash: Kind) -> Vec<(Part, ObjectId)> {
    let Ok(mut settings) = Settings::parse(text) else { return Vec::new() };
    let (mut parts, mut containers) = (Vec::new(), BTreeSet::new());
    for piece in pieces {
        // What was found a moment ago can be taken out.
        match &piece.place {
            Place::Key { path, value } if settings.get(path) == Ok(Some(value.clone())) => {
                let _ = settings.remove(path);
                parts.push((Part::Key(path.clone()), id_of_value(value, hash)));
                containers.extend((1..path.len()).map(|depth| path[..depth].to_vec()));
            }
            Place::Item { path, value, .. } => {
                let Ok(items) = settings.items(path) else { continue };
                let Some(at) = items.iter().position(|item| item == value) else { continue };
                let _ = settings.remove_item(path, at);
                parts.push((Part::Item(path.clone()), id_of_value(value, hash)));
                containers.extend((1..=path.len()).map(|depth| path[..depth].to_vec()));
            }
            _ => {}
        }
    }
    // The inner ones come last.
    for path in containers.iter().rev().filter(|_| !parts.is_empty()).cloned().collect::<Vec<_>>() {
        let Ok(Some(empty)) = settings.get(&path) else { continue };
        if settings.is_bare(&path) {
            let _ = settings.remove(&path);
            let id = id_of_value(&empty, hash);
            parts.push((Part::Made(path, empty), id));
        }
    }
    if !parts.is_empty() && settings.is_empty() {
        parts.push((Part::New, id_of_value(&Value::Null, hash)));
    }
    parts
}

fn blocks(text: &str, marks: Marks, pieces: &[&Piece], hash: Kind) -> Vec<(Part, ObjectId)> {
    let (Ok(Some(found)), Ok(rest)) = (block::find(text, marks), block::take_out(text, marks)) else {
        return Vec::new();
    };
    let inner: Vec<&str> = pieces
        .iter()
        .filter_map(|piece| match &piece.place {
            Place::Block { inner, .. } => Some(inner.as_str()),
            Place::Table { text, .. } => Some(text.as_str()),
            Place::Key { .. } | Place::Item { .. } => None,
        })
        .collect();
    if inner.is_empty() || found.inner != inner.join("\n") {
        return Vec::new();
    }
    let block = (Part::Block, id_of_text(&found.inner, hash));
    std::iter::once(block).chain(rest.is_empty().then(|| (Part::New, id_of_text("", hash)))).collect()
}
