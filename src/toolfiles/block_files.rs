//! Texts with a marked block: Markdown, Codex's TOML, and the lines of git's files.

use super::block::{self, BlockMarkers};
use super::desired::{ImportLine, PartContent};
use super::managed_part::{ManagedPart, text_id};
use super::shared_file::{FileOutcome, PartConflict, SharedFile, unfit};
use crate::edit::OverwriteMode;
use crate::syntax::RepoPath;
use toml_edit::{DocumentMut, Item};

/// What stands in a block that is wanted.
struct Inner {
    text: String,
    canon: RepoPath,
}

/// Decides about a Markdown file; `None` where there is none yet.
pub(super) fn markdown(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let rest = match text.map(|text| block::take_out(text, BlockMarkers::Markdown)).transpose() {
        Ok(rest) => rest.unwrap_or_default(),
        Err(torn) => return unfit(file, text, &torn.to_string()),
    };
    let mut inner = None;
    let mut needless = 0;
    for piece in &file.pieces {
        let PartContent::Block { inner: wanted, unless } = &piece.place else { continue };
        let said = |unless: &ImportLine| rest.lines().any(|line| line.trim() == unless.line);
        match unless.as_ref().is_some_and(said) {
            true => needless += 1,
            false => inner = Some(Inner { text: wanted.clone(), canon: piece.canon.clone() }),
        }
    }
    let mut outcome = settle(file, text, inner.as_ref(), BlockMarkers::Markdown);
    outcome.unchanged += needless;
    outcome
}

/// Decides about one of git's files, in which each line stands for itself; `None` where there is none yet.
pub(super) fn lines(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let inner = file.pieces.iter().find_map(|piece| match &piece.place {
        PartContent::Block { inner, .. } => Some(Inner { text: inner.clone(), canon: piece.canon.clone() }),
        _ => None,
    });
    settle(file, text, inner.as_ref(), BlockMarkers::Hash)
}

/// A link in the place of a shared file: fine where it leads to what an import would name.
pub(super) fn linked(file: &SharedFile<'_>, to: Option<&RepoPath>) -> FileOutcome {
    let leads_there = |unless: &Option<ImportLine>| unless.as_ref().is_some_and(|unless| Some(&unless.target) == to);
    let fine = file.pieces.iter().all(|piece| match &piece.place {
        PartContent::Block { unless, .. } => leads_there(unless),
        _ => false,
    });
    if fine && !file.pieces.is_empty() {
        return FileOutcome { unchanged: file.pieces.len(), ..FileOutcome::default() };
    }
    let to = to.map_or_else(|| "outside the repository".to_owned(), ToString::to_string);
    unfit(file, None, &format!("it is a link to {to}, and sync writes only into files of their own"))
}

/// Decides about a TOML file; `None` where there is none yet.
pub(super) fn toml(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let rest = match text.map(|text| block::take_out(text, BlockMarkers::Hash)).transpose() {
        Ok(rest) => rest.unwrap_or_default(),
        Err(torn) => return unfit(file, text, &torn.to_string()),
    };
    let document = match rest.trim_start_matches('\u{feff}').parse::<DocumentMut>() {
        Ok(document) => document,
        Err(error) => {
            let first = error.message().lines().next().unwrap_or_default().to_owned();
            return unfit(file, text, &format!("it cannot be read as TOML: {first}"));
        }
    };
    let mut inner: Option<Inner> = None;
    let mut refused = Vec::new();
    for piece in &file.pieces {
        let PartContent::Table { path, text } = &piece.place else { continue };
        if stands(document.as_item(), path) {
            let words = format!("`{}` was set by hand, where {} says something", path.join("."), piece.canon);
            refused.push((PartConflict::Occupied, words));
            continue;
        }
        match &mut inner {
            Some(inner) => inner.text.push_str(&format!("\n{text}")),
            None => inner = Some(Inner { text: text.clone(), canon: piece.canon.clone() }),
        }
    }
    let mut outcome = settle(file, text, inner.as_ref(), BlockMarkers::Hash);
    let parses = |text: &String| text.trim_start_matches('\u{feff}').parse::<DocumentMut>().is_ok();
    if !outcome.text.as_ref().is_none_or(parses) {
        return unfit(file, text, "what stands there leaves no room for tables at its end");
    }
    outcome.refused.extend(refused);
    outcome
}

fn stands(item: &Item, path: &[String]) -> bool {
    let mut here = item;
    path.iter().all(|key| match here.get(key) {
        Some(next) => {
            here = next;
            true
        }
        None => false,
    })
}

/// Brings the block to what is wanted.
fn settle(file: &SharedFile<'_>, text: Option<&str>, inner: Option<&Inner>, marks: BlockMarkers) -> FileOutcome {
    let before = text.unwrap_or_default();
    let found = match block::find(before, marks) {
        Ok(found) => found,
        Err(torn) => return unfit(file, text, &torn.to_string()),
    };
    let id = |text: &str| text_id(text, file.hash);
    let owned: Vec<_> = file.ids(&ManagedPart::Block).collect();
    let mut outcome = FileOutcome { text: text.map(str::to_owned), ..FileOutcome::default() };
    let keep = |outcome: &mut FileOutcome| outcome.parts.clone_from(&file.owned);
    let as_we_left_it = found.as_ref().is_none_or(|found| owned.contains(&id(&found.inner)));
    match (inner, &found) {
        (None, None) => return outcome,
        (Some(inner), Some(found)) if found.inner == inner.text => {
            outcome.unchanged = 1;
            if !owned.is_empty() {
                keep(&mut outcome);
                outcome.parts.retain(|(part, _)| *part != ManagedPart::Block);
                outcome.parts.push((ManagedPart::Block, id(&inner.text)));
            }
            return outcome;
        }
        (None, Some(_)) if file.frozen || owned.is_empty() => {
            keep(&mut outcome);
            return outcome;
        }
        _ if !as_we_left_it && file.stance == OverwriteMode::OwnedOnly => {
            keep(&mut outcome);
            outcome.refused.push(refusal(inner, owned.is_empty()));
            return outcome;
        }
        _ => {}
    }
    outcome.overrode = !as_we_left_it;
    let made = match inner {
        Some(inner) => block::put(before, marks, &inner.text),
        None => block::take_out(before, marks),
    };
    let Ok(made) = made else { return outcome };
    let is_new = text.is_none() || file.owns(&ManagedPart::CreatedFile);
    if let Some(inner) = inner {
        outcome.parts.push((ManagedPart::Block, id(&inner.text)));
        outcome.parts.extend(is_new.then(|| (ManagedPart::CreatedFile, id(""))));
    }
    let gone = inner.is_none() && is_new && made.is_empty();
    outcome.text = (!gone).then_some(made);
    outcome
}

fn refusal(inner: Option<&Inner>, foreign: bool) -> (PartConflict, String) {
    match (inner, foreign) {
        (Some(inner), true) => (
            PartConflict::Occupied,
            format!("a block of canonry's that sync did not write stands where {} goes", inner.canon),
        ),
        (Some(inner), false) => (
            PartConflict::Edited,
            format!("canonry's block was edited by hand since sync wrote it; carry the edit over into {}", inner.canon),
        ),
        (None, _) => {
            (PartConflict::Edited, "canonry's block was edited by hand, and is gone from the canon".to_owned())
        }
    }
}
