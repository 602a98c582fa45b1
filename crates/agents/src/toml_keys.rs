//! Managed keys at the root of a TOML file. They are lines at the top, because a block at the end may be in a table.

use super::desired::{DesiredPart, PartContent};
use super::managed_part::{ManagedPart, text_id, value_id};
use super::shared_file::{FileOutcome, PartConflict, SharedFile, deleted};
use canonry_model::edit::OverwriteMode;
use gix_hash::Kind;
use gix_hash::ObjectId;
use serde_json::{Value, json};
use std::ops::Range;
use toml_edit::DocumentMut;

/// Plans the keys of a file whose block is planned. `before` is the text of the file, if it exists.
pub(super) fn plan(file: &SharedFile<'_>, before: Option<&str>, outcome: &mut FileOutcome) {
    let is_key = |part: &ManagedPart| matches!(part, ManagedPart::Key(_));
    let owned: Vec<(ManagedPart, ObjectId)> = file.owned.iter().filter(|(part, _)| is_key(part)).cloned().collect();
    let desired: Vec<(&DesiredPart, &str, &Value)> = file.parts.iter().filter_map(|part| key_of(part)).collect();
    if owned.is_empty() && desired.is_empty() {
        return;
    }
    outcome.owned.retain(|(part, _)| !is_key(part));
    let mut text = outcome.text.clone().unwrap_or_default();
    for (part, id) in &owned {
        let ManagedPart::Key(path) = part else { continue };
        let [key] = path.as_slice() else { continue };
        if desired.iter().any(|(_, wanted, _)| wanted == key) {
            continue;
        }
        if file.holds(part, *id) {
            outcome.owned.push((part.clone(), *id));
            continue;
        }
        let Some((line, value)) = find(&text, key) else { continue };
        let is_unedited = value_id(&value, file.hash) == *id;
        if file.frozen {
            outcome.owned.push((part.clone(), *id));
        } else if is_unedited || file.overwrite == OverwriteMode::Force {
            outcome.overrode |= !is_unedited;
            text.replace_range(line, "");
        } else {
            let message = format!("{part} was edited by hand, and is no longer in the canon");
            outcome.refused.push((PartConflict::Edited, message));
            outcome.owned.push((part.clone(), *id));
        }
    }
    // The last key that is inserted comes first.
    for (wanted, key, value) in desired.iter().rev() {
        plan_key(file, wanted, key, value, &mut text, outcome);
    }
    let is_new = before.is_none() || file.owns(&ManagedPart::CreatedFile);
    let has_created = outcome.owned.iter().any(|(part, _)| *part == ManagedPart::CreatedFile);
    if is_new && !has_created && outcome.owned.iter().any(|(part, _)| is_key(part)) {
        outcome.owned.push((ManagedPart::CreatedFile, text_id("", file.hash)));
    }
    outcome.text = (before.is_some() && !is_new || !text.is_empty()).then_some(text);
}

fn plan_key(
    file: &SharedFile<'_>,
    wanted: &DesiredPart,
    key: &str,
    value: &Value,
    text: &mut String,
    outcome: &mut FileOutcome,
) {
    let part = ManagedPart::Key(vec![key.to_owned()]);
    let id = value_id(value, file.hash);
    let found = find(text, key);
    match &found {
        Some((_, current)) if current == value => {
            outcome.unchanged += 1;
            outcome.owned.extend(file.owns(&part).then_some((part, id)));
            return;
        }
        Some((_, current)) => {
            let is_unedited = file.ids(&part).any(|owned| owned == value_id(current, file.hash));
            if !is_unedited && file.overwrite == OverwriteMode::OwnedOnly {
                let canon = &wanted.canon;
                outcome.refused.push(if file.owns(&part) {
                    (
                        PartConflict::Edited,
                        format!("{part} was edited by hand since the last sync; move the edit to {canon}"),
                    )
                } else {
                    (PartConflict::Occupied, format!("{part} was set by hand, but {canon} has another value"))
                });
                outcome.owned.extend(file.ids(&part).map(|id| (part.clone(), id)));
                return;
            }
            outcome.overrode |= !is_unedited;
        }
        None if !defines(text, key) && file.is_deleted(&part) => {
            if file.overwrite == OverwriteMode::OwnedOnly {
                outcome.refused.push(deleted(&part.to_string(), &wanted.canon));
                outcome.owned.extend(file.ids(&part).map(|id| (part.clone(), id)));
                return;
            }
            outcome.overrode = true;
        }
        None if defines(text, key) => {
            let message = format!("{part} is set in a form that canonry does not edit");
            outcome.refused.push((PartConflict::Occupied, message));
            return;
        }
        None => {}
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("{key} = {value}{end}");
    match found {
        Some((range, _)) => text.replace_range(range, &line),
        None => text.insert_str(start(text), &line),
    }
    outcome.owned.push((part, id));
}

/// The keys in a file that equal the canon.
pub(super) fn claim(text: &str, desired: &[&DesiredPart], hash: Kind) -> Vec<(ManagedPart, ObjectId)> {
    let equal = desired
        .iter()
        .filter_map(|part| key_of(part))
        .filter(|(_, key, value)| find(text, key).is_some_and(|(_, current)| current == **value));
    equal.map(|(_, key, value)| (ManagedPart::Key(vec![key.to_owned()]), value_id(value, hash))).collect()
}

fn key_of(part: &DesiredPart) -> Option<(&DesiredPart, &str, &Value)> {
    match &part.content {
        PartContent::Key { path, value } => match path.as_slice() {
            [key] => Some((part, key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Where the first line of a text begins: after the byte order mark and the line that names a schema.
fn start(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    match text[mark..].split_inclusive('\n').next() {
        Some(line) if line.starts_with("#:schema") && line.ends_with('\n') => mark + line.len(),
        _ => mark,
    }
}

fn defines(text: &str, key: &str) -> bool {
    let document = text.trim_start_matches('\u{feff}').parse::<DocumentMut>();
    document.is_ok_and(|document| document.contains_key(key))
}

/// The line that sets a key at the root to a text, and its value.
fn find(text: &str, key: &str) -> Option<(Range<usize>, Value)> {
    let document = text.trim_start_matches('\u{feff}').parse::<DocumentMut>().ok()?;
    let value = document.get(key)?.as_str()?;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let plain = line.trim_start_matches('\u{feff}').trim_start();
        if plain.starts_with('[') {
            return None;
        }
        let is_it = plain.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        if is_it {
            // A value in several lines is not ours, and neither is the line if it means something else.
            let own = line.trim_start_matches('\u{feff}').parse::<DocumentMut>().ok()?;
            let from = range.start + line.len() - line.trim_start_matches('\u{feff}').len();
            return (own.get(key)?.as_str()? == value).then(|| (from..range.end, json!(value)));
        }
    }
    None
}
