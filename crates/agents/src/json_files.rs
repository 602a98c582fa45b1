//! Plans shared JSON files: managed keys and list items.

use super::desired::{DesiredPart, PartContent};
use super::hooks::is_our_command;
use super::json::{CreatedContainer, JsonPathError, JsonSettings};
use super::managed_part::{ManagedPart, value_id};
use super::mcp::is_same_value;
use super::permissions::claude_entry_includes;
use super::shared_file::{FileOutcome, PartConflict, SharedFile, deleted, refuse_file};
use canonry_model::edit::OverwriteMode;
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use serde_json::Value;

/// Keys that a tool has in two forms: the file, the key that sync writes, the other one, and the tool of the latter. A tool
/// does not say what it does with both.
const OTHER_FORMS: [(&str, &str, &str, &str); 1] = [("opencode.json", "permission", "permissions", "OpenCode 2")];

/// Keys that a tool adds to its settings at each start if they lack it, which changes a committed file. A new file has them, and
/// they belong to the tool (Qwen Code 0.24.4 and OpenCode 1.18.33, `needs_clients_plan`). The value is JSON.
const STAMPS: [(&str, &str, &str); 2] =
    [(".qwen/settings.json", "$version", "4"), ("opencode.json", "$schema", "\"https://opencode.ai/config.json\"")];

/// Plans a JSON file; `text` is `None` if it does not exist.
pub(super) fn plan(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let settings = match text.map(JsonSettings::parse) {
        None => new_settings(file),
        Some(Ok(settings)) => settings,
        Some(Err(error)) => return refuse_file(file, text, &format!("it is not valid JSON: {error}")),
    };
    let mut planner = JsonPlanner { file, settings, removed: Vec::new(), outcome: FileOutcome::default() };
    planner.remove_obsolete();
    for part in &file.parts {
        match &part.content {
            PartContent::Key { path, value } => planner.plan_key(part, path, value),
            PartContent::Item { path, value, marker } => planner.plan_item(part, path, value, marker.as_deref()),
            PartContent::Block { .. } | PartContent::Table { .. } => {}
        }
    }
    planner.finish(text)
}

fn new_settings(file: &SharedFile<'_>) -> JsonSettings {
    let mut settings = JsonSettings::empty();
    let is_in = |path: &str| file.parts.first().is_some_and(|part| part.file.as_bstr() == path);
    if let Some((_, key, value)) = STAMPS.iter().find(|(path, ..)| is_in(path)) {
        let value = serde_json::from_str(value).expect("the values are JSON");
        settings.set(&[(*key).to_owned()], &value).expect("new settings are an empty object");
    }
    settings
}

/// Whether a hook runs `canonry hook`.
pub(super) fn runs_canonry(item: &Value) -> bool {
    runs_our_command(item)
        || item.get("hooks").and_then(Value::as_array).is_some_and(|all| all.iter().any(runs_our_command))
}

fn runs_our_command(hook: &Value) -> bool {
    hook.get("command").and_then(Value::as_str).is_some_and(is_our_command)
}

/// A hook without our commands; `None` if it then runs nothing.
fn without_our_commands(item: &Value) -> Option<Value> {
    let mut rest = item.clone();
    let all = rest.get_mut("hooks")?.as_array_mut()?;
    all.retain(|hook| !runs_our_command(hook));
    (!all.is_empty()).then_some(rest)
}

/// A key, or the item of a list if that is a text.
fn part_name(path: &[String], item: Option<&Value>) -> String {
    match item.map(Value::as_str) {
        None => format!("`{}`", path.join(".")),
        Some(Some(text)) => format!("`{text}` in `{}`", path.join(".")),
        Some(None) => format!("canonry's entry in `{}`", path.join(".")),
    }
}

struct JsonPlanner<'a> {
    file: &'a SharedFile<'a>,
    settings: JsonSettings,
    /// The items that this plan removes from lists, with the paths of these.
    removed: Vec<(Vec<String>, Value)>,
    outcome: FileOutcome,
}

impl JsonPlanner<'_> {
    fn id(&self, value: &Value) -> ObjectId {
        value_id(value, self.file.hash)
    }

    /// Removes owned parts that are no longer desired.
    fn remove_obsolete(&mut self) {
        let file = self.file;
        for (part, id) in &file.owned {
            match part {
                ManagedPart::Key(_) | ManagedPart::Item(_) if self.is_held(part, *id) => {
                    self.outcome.owned.push((part.clone(), *id));
                }
                ManagedPart::Key(path) if !self.is_desired_key(path) => self.remove_key(path, *id),
                ManagedPart::Item(path) if !self.is_desired_item(path, *id) => self.remove_item(path, *id),
                _ => {}
            }
        }
    }

    /// Whether an owned part stays because another one waits for trust. Our own hooks never wait.
    fn is_held(&self, part: &ManagedPart, id: ObjectId) -> bool {
        let is_replaced = match part {
            ManagedPart::Key(path) => self.is_desired_key(path),
            ManagedPart::Item(path) => {
                // A value that is no list has no items.
                let items = self.settings.items(path).unwrap_or_default();
                let is_ours = items.iter().any(|item| self.id(item) == id && runs_canonry(item));
                is_ours || self.is_desired_item(path, id)
            }
            ManagedPart::CreatedContainer(..) | ManagedPart::CreatedFile | ManagedPart::Block => true,
        };
        !is_replaced && self.file.holds(part, id)
    }

    fn is_desired_key(&self, path: &[String]) -> bool {
        let is_it = |part: &&DesiredPart| matches!(&part.content, PartContent::Key { path: key, .. } if key == path);
        self.file.parts.iter().any(is_it)
    }

    fn is_desired_item(&self, path: &[String], id: ObjectId) -> bool {
        let is_it = |part: &&DesiredPart| match &part.content {
            PartContent::Item { path: list, value, .. } => list == path && self.id(value) == id,
            _ => false,
        };
        self.file.parts.iter().any(is_it)
    }

    fn remove_key(&mut self, path: &[String], id: ObjectId) {
        let part = ManagedPart::Key(path.to_vec());
        let Ok(Some(current)) = self.settings.get(path) else { return };
        let is_unedited = self.file.ids(&part).any(|owned| owned == self.id(&current));
        if self.file.frozen {
            self.outcome.owned.push((part, id));
        } else if is_unedited || self.file.overwrite == OverwriteMode::Force {
            self.outcome.overrode |= !is_unedited;
            // Removing a value that was just found cannot fail.
            let _ = self.settings.remove(path);
        } else if !self.outcome.owned.contains(&(part.clone(), id)) {
            let message = format!("{part} was edited by hand, and is no longer in the canon");
            self.outcome.refused.push((PartConflict::Edited, message));
            self.outcome.owned.extend(self.file.ids(&part).map(|id| (part.clone(), id)));
        }
    }

    fn remove_item(&mut self, path: &[String], id: ObjectId) {
        let Ok(items) = self.settings.items(path) else { return };
        let Some(at) = items.iter().position(|item| self.id(item) == id) else {
            // A missing item was removed or edited by a user. Only a hook that still runs canonry is managed.
            return self.remove_edited_hooks(path, &items);
        };
        if self.file.frozen {
            self.outcome.owned.push((ManagedPart::Item(path.to_vec()), id));
        } else {
            let _ = self.settings.remove_item(path, at);
            self.removed.extend(items.get(at).map(|item| (path.to_vec(), item.clone())));
        }
    }

    /// Removes our commands from edited hooks, and hooks that then run nothing: a switched-off hook must not run.
    fn remove_edited_hooks(&mut self, path: &[String], items: &[Value]) {
        // A hook that is still desired is refused as edited, not replaced.
        // The team's own hooks, which have no marker, say nothing about ours.
        let is_on = |part: &&DesiredPart| matches!(&part.content, PartContent::Item { path: list, marker: Some(_), .. } if list == path);
        if path.first().is_none_or(|key| key != "hooks") || self.file.frozen || self.file.parts.iter().any(is_on) {
            return;
        }
        for (at, item) in items.iter().enumerate().rev().filter(|(_, item)| runs_canonry(item)) {
            if self.is_desired_item(path, self.id(item)) {
                continue;
            }
            let rest = without_our_commands(item);
            self.outcome.overrode = true;
            // The item was just found.
            let _ = match rest {
                Some(rest) => self.settings.set_item(path, at, &rest),
                None => self.settings.remove_item(path, at),
            };
        }
    }

    fn plan_key(&mut self, desired: &DesiredPart, path: &[String], value: &Value) {
        let part = ManagedPart::Key(path.to_vec());
        let id = self.id(value);
        if let Some((other, tool)) = self.other_form(&desired.file, path) {
            let message = format!(
                "{part} is not written beside `{other}`, its form for {tool}: move its entries to {}, then remove it",
                desired.canon
            );
            self.outcome.owned.extend(self.file.ids(&part).map(|id| (part.clone(), id)));
            return self.outcome.refused.push((PartConflict::Occupied, message));
        }
        match self.settings.get(path) {
            Err(error) => self.refuse_path(desired, &part, &error),
            Ok(Some(current)) if self.id(&current) == id => self.note_unchanged(part, id),
            Ok(Some(current)) if !self.file.owns(&part) && is_same_value(&desired.file, path, &current, value) => {
                self.outcome.unchanged += 1
            }
            Ok(current) => {
                let is_deleted = current.is_none() && self.file.is_deleted(&part);
                if is_deleted && self.file.overwrite == OverwriteMode::OwnedOnly {
                    self.outcome.refused.push(deleted(&part_name(path, None), &desired.canon));
                    self.outcome.owned.extend(self.file.ids(&part).map(|id| (part.clone(), id)));
                    return;
                }
                self.outcome.overrode |= is_deleted;
                let may_write =
                    current.as_ref().is_none_or(|current| self.file.ids(&part).any(|owned| owned == self.id(current)));
                if !may_write && self.file.overwrite == OverwriteMode::OwnedOnly {
                    return self.refuse(desired, part);
                }
                self.outcome.overrode |= !may_write;
                match self.settings.set(path, value) {
                    Ok(created) => self.note_written(part, id, created),
                    Err(error) => self.refuse_path(desired, &part, &error),
                }
            }
        }
    }

    /// The same key in its other form, if the file has it.
    fn other_form(&self, file: &RepoPath, path: &[String]) -> Option<(&'static str, &'static str)> {
        let [key] = path else { return None };
        let found = OTHER_FORMS.iter().find(|(name, written, ..)| file.as_bstr() == *name && key == written);
        let (_, _, other, tool) = found?;
        let is_there = matches!(self.settings.get(&[(*other).to_owned()]), Ok(Some(_)));
        is_there.then_some((*other, *tool))
    }

    fn plan_item(&mut self, desired: &DesiredPart, path: &[String], value: &Value, marker: Option<&str>) {
        let part = ManagedPart::Item(path.to_vec());
        let id = self.id(value);
        let items = match self.settings.items(path) {
            Ok(items) => items,
            Err(error) => return self.refuse_path(desired, &part, &error),
        };
        let includes = |item: &Value| {
            item.as_str().zip(value.as_str()).is_some_and(|(item, value)| claude_entry_includes(item, value))
        };
        if items.iter().any(|item| self.id(item) == id || includes(item)) {
            let is_owned = items.contains(value) && self.file.owned.contains(&(part.clone(), id));
            self.outcome.unchanged += 1;
            self.outcome.owned.extend(is_owned.then_some((part, id)));
            return;
        }
        let edited = marker.and_then(|marker| items.iter().position(|item| item.to_string().contains(marker)));
        let deleted_ids = match edited {
            None => self.deleted_items(path, id, &items, marker),
            Some(_) => Vec::new(),
        };
        if !deleted_ids.is_empty() && self.file.overwrite == OverwriteMode::OwnedOnly {
            self.outcome.refused.push(deleted(&part_name(path, Some(value)), &desired.canon));
            self.outcome.owned.extend(deleted_ids.into_iter().map(|id| (part.clone(), id)));
            return;
        }
        self.outcome.overrode |= !deleted_ids.is_empty();
        let changed = match edited {
            Some(_) if self.file.overwrite == OverwriteMode::OwnedOnly => return self.refuse(desired, part),
            Some(at) => {
                self.outcome.overrode = true;
                self.settings.set_item(path, at, value).map(|()| Vec::new())
            }
            None => self.settings.push(path, value),
        };
        match changed {
            Ok(created) => self.note_written(part, id, created),
            Err(error) => self.refuse_path(desired, &part, &error),
        }
    }

    /// The ids of an item that sync wrote and somebody deleted. A hook of ours, which has a marker, may have been written in
    /// an older form, and is not deleted where this plan replaces that.
    fn deleted_items(&self, path: &[String], id: ObjectId, items: &[Value], marker: Option<&str>) -> Vec<ObjectId> {
        let part = ManagedPart::Item(path.to_vec());
        let is_replaced = marker.is_some_and(|marker| {
            self.removed.iter().any(|(list, item)| list == path && item.to_string().contains(marker))
        });
        let is_older_form = |owned: ObjectId| {
            let is_there = items.iter().any(|item| self.id(item) == owned);
            marker.is_some() && !is_there && !self.is_desired_item(path, owned)
        };
        let is_deleted = |owned: &ObjectId| {
            (*owned == id || !is_replaced && is_older_form(*owned)) && (self.file.was_there)(&part, *owned)
        };
        self.file.ids(&part).filter(is_deleted).collect()
    }

    /// A part with the desired value is owned only if sync wrote it.
    fn note_unchanged(&mut self, part: ManagedPart, id: ObjectId) {
        self.outcome.unchanged += 1;
        if self.file.owns(&part) {
            self.outcome.owned.push((part, id));
        }
    }

    fn note_written(&mut self, part: ManagedPart, id: ObjectId, created: Vec<CreatedContainer>) {
        for CreatedContainer { path, empty } in created {
            let id = value_id(&empty, self.file.hash);
            self.outcome.owned.push((ManagedPart::CreatedContainer(path, empty), id));
        }
        self.outcome.owned.push((part, id));
    }

    fn refuse(&mut self, desired: &DesiredPart, part: ManagedPart) {
        let owned: Vec<ObjectId> = self.file.ids(&part).collect();
        let canon = &desired.canon;
        self.outcome.refused.push(if owned.is_empty() {
            (PartConflict::Occupied, format!("{part} was set by hand, but {canon} has another value"))
        } else {
            (PartConflict::Edited, format!("{part} was edited by hand since the last sync; move the edit to {canon}"))
        });
        self.outcome.owned.extend(owned.into_iter().map(|id| (part.clone(), id)));
    }

    fn refuse_path(&mut self, desired: &DesiredPart, part: &ManagedPart, error: &JsonPathError) {
        let message = format!("{part} of {} cannot be written: {error}", desired.canon);
        self.outcome.refused.push((PartConflict::Occupied, message));
        self.outcome.owned.extend(self.file.ids(part).map(|id| (part.clone(), id)));
    }

    /// Removes containers that sync created and that are now empty, inner ones first, and finally the file.
    fn finish(mut self, before: Option<&str>) -> FileOutcome {
        let mut created: Vec<(Vec<String>, Value, ObjectId)> = Vec::new();
        for (part, id) in &self.file.owned {
            if let ManagedPart::CreatedContainer(path, empty) = part {
                created.push((path.clone(), empty.clone(), *id));
            }
        }
        created.sort_by_key(|(path, ..)| std::cmp::Reverse(path.len()));
        for (path, empty, id) in created {
            let part = ManagedPart::CreatedContainer(path.clone(), empty.clone());
            if self.file.holds(&part, id) && !self.outcome.owned.contains(&(part.clone(), id)) {
                self.outcome.owned.push((part, id));
            } else if self.settings.is_bare(&path) {
                let _ = self.settings.remove(&path);
            } else if self.settings.get(&path).is_ok_and(|there| there.is_some()) && self.contains_owned(&path) {
                self.outcome.owned.push((ManagedPart::CreatedContainer(path, empty), id));
            }
        }
        let is_new = before.is_none() || self.file.owns(&ManagedPart::CreatedFile);
        let mut rest = self.settings.clone();
        for (_, key, stamp) in STAMPS {
            let path = [key.to_owned()];
            // A newer version counts on. A file with the key twice was edited by hand, and stays.
            if let Ok(Some(value)) = rest.get(&path)
                && (value.is_u64() || serde_json::from_str::<Value>(stamp).is_ok_and(|stamp| stamp == value))
            {
                let _ = rest.remove(&path);
            }
        }
        let is_obsolete = rest.is_empty() && is_new;
        self.outcome.text = (!is_obsolete).then(|| self.settings.text());
        let is_held = self.file.owns(&ManagedPart::CreatedFile) && !self.file.held.is_empty();
        if is_held || is_new && !is_obsolete && !self.outcome.owned.is_empty() {
            self.outcome.owned.push((ManagedPart::CreatedFile, value_id(&Value::Null, self.file.hash)));
        }
        self.outcome
    }

    fn contains_owned(&self, path: &[String]) -> bool {
        self.outcome.owned.iter().any(|(part, _)| match part {
            ManagedPart::Key(inner) | ManagedPart::Item(inner) | ManagedPart::CreatedContainer(inner, _) => {
                inner.starts_with(path)
            }
            ManagedPart::CreatedFile | ManagedPart::Block => false,
        })
    }
}
