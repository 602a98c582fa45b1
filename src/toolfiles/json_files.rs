//! JSON settings: keys and items of lists.

use super::desired::{DesiredPart, PartContent};
use super::json::{CreatedContainer, JsonPathError, JsonSettings};
use super::managed_part::{ManagedPart, value_id};
use super::shared_file::{FileOutcome, PartConflict, SharedFile, unfit};
use crate::edit::OverwriteMode;
use gix::ObjectId;
use serde_json::Value;

/// Decides about one file; `None` where there is none yet.
pub(super) fn plan(file: &SharedFile<'_>, text: Option<&str>) -> FileOutcome {
    let settings = match text.map(JsonSettings::parse) {
        None => JsonSettings::empty(),
        Some(Ok(settings)) => settings,
        Some(Err(problem)) => return unfit(file, text, &format!("it cannot be read as JSON: {problem}")),
    };
    let mut run = Run { file, settings, outcome: FileOutcome::default() };
    run.remove();
    for piece in &file.pieces {
        match &piece.place {
            PartContent::Key { path, value } => run.key(piece, path, value),
            PartContent::Item { path, value, known_by } => run.item(piece, path, (value, known_by.as_deref())),
            PartContent::Block { .. } | PartContent::Table { .. } => {}
        }
    }
    run.finish(text)
}

struct Run<'a> {
    file: &'a SharedFile<'a>,
    settings: JsonSettings,
    outcome: FileOutcome,
}

impl Run<'_> {
    fn id(&self, value: &Value) -> ObjectId {
        value_id(value, self.file.hash)
    }

    /// Takes out what is ours and no longer wanted.
    fn remove(&mut self) {
        let file = self.file;
        for (part, id) in &file.owned {
            match part {
                ManagedPart::Key(path) if !self.wants_key(path) => self.remove_key(path, *id),
                ManagedPart::Item(path) if !self.wants_item(path, *id) => self.remove_item(path, *id),
                _ => {}
            }
        }
    }

    fn wants_key(&self, path: &[String]) -> bool {
        self.file
            .pieces
            .iter()
            .any(|piece| matches!(&piece.place, PartContent::Key { path: wanted, .. } if wanted == path))
    }

    fn wants_item(&self, path: &[String], id: ObjectId) -> bool {
        let is_it = |piece: &&DesiredPart| match &piece.place {
            PartContent::Item { path: wanted, value, .. } => wanted == path && self.id(value) == id,
            _ => false,
        };
        self.file.pieces.iter().any(is_it)
    }

    fn remove_key(&mut self, path: &[String], id: ObjectId) {
        let part = ManagedPart::Key(path.to_vec());
        let Ok(Some(there)) = self.settings.get(path) else { return };
        let as_we_left_it = self.file.ids(&part).any(|ours| ours == self.id(&there));
        if self.file.frozen {
            self.outcome.parts.push((part, id));
        } else if as_we_left_it || self.file.stance == OverwriteMode::Force {
            self.outcome.overrode |= !as_we_left_it;
            // What was found a moment ago can be removed.
            let _ = self.settings.remove(path);
        } else if !self.outcome.parts.contains(&(part.clone(), id)) {
            let words = format!("{} was edited by hand, and is gone from the canon", part.in_words());
            self.outcome.refused.push((PartConflict::Edited, words));
            self.outcome.parts.extend(self.file.ids(&part).map(|id| (part.clone(), id)));
        }
    }

    fn remove_item(&mut self, path: &[String], id: ObjectId) {
        let Ok(items) = self.settings.items(path) else { return };
        // One that is not there was taken out, or changed, by someone: then it is theirs.
        let Some(at) = items.iter().position(|item| self.id(item) == id) else { return };
        if self.file.frozen {
            self.outcome.parts.push((ManagedPart::Item(path.to_vec()), id));
        } else {
            let _ = self.settings.remove_item(path, at);
        }
    }

    fn key(&mut self, piece: &DesiredPart, path: &[String], value: &Value) {
        let (part, id) = (ManagedPart::Key(path.to_vec()), self.id(value));
        match self.settings.get(path) {
            Err(no_way) => self.no_way(piece, &part, &no_way),
            Ok(Some(there)) if self.id(&there) == id => self.stands(part, id),
            Ok(there) => {
                let ours = there.as_ref().is_none_or(|there| self.file.ids(&part).any(|ours| ours == self.id(there)));
                if !ours && self.file.stance == OverwriteMode::OwnedOnly {
                    return self.refuse(piece, part);
                }
                self.outcome.overrode |= !ours;
                match self.settings.set(path, value) {
                    Ok(made) => self.written(part, id, made),
                    Err(no_way) => self.no_way(piece, &part, &no_way),
                }
            }
        }
    }

    fn item(&mut self, piece: &DesiredPart, path: &[String], (value, known_by): (&Value, Option<&str>)) {
        let (part, id) = (ManagedPart::Item(path.to_vec()), self.id(value));
        let items = match self.settings.items(path) {
            Ok(items) => items,
            Err(no_way) => return self.no_way(piece, &part, &no_way),
        };
        if items.iter().any(|item| self.id(item) == id) {
            let owned = self.file.owned.contains(&(part.clone(), id));
            self.outcome.unchanged += 1;
            self.outcome.parts.extend(owned.then_some((part, id)));
            return;
        }
        let like = known_by.and_then(|words| items.iter().position(|item| item.to_string().contains(words)));
        let changed = match like {
            Some(_) if self.file.stance == OverwriteMode::OwnedOnly => return self.refuse(piece, part),
            Some(at) => {
                self.outcome.overrode = true;
                self.settings.set_item(path, at, value).map(|()| Vec::new())
            }
            None => self.settings.push(path, value),
        };
        match changed {
            Ok(made) => self.written(part, id, made),
            Err(no_way) => self.no_way(piece, &part, &no_way),
        }
    }

    /// What stands as it should is only ours where we put it there.
    fn stands(&mut self, part: ManagedPart, id: ObjectId) {
        self.outcome.unchanged += 1;
        if self.file.owns(&part) {
            self.outcome.parts.push((part, id));
        }
    }

    fn written(&mut self, part: ManagedPart, id: ObjectId, made: Vec<CreatedContainer>) {
        let made = made.into_iter().map(|(path, empty)| {
            let id = value_id(&empty, self.file.hash);
            (ManagedPart::CreatedContainer(path, empty), id)
        });
        let made: Vec<(ManagedPart, ObjectId)> = made.collect();
        self.outcome.parts.extend(made);
        self.outcome.parts.push((part, id));
    }

    fn refuse(&mut self, piece: &DesiredPart, part: ManagedPart) {
        let owned: Vec<ObjectId> = self.file.ids(&part).collect();
        let (what, canon) = (part.in_words(), &piece.canon);
        self.outcome.refused.push(match owned.is_empty() {
            true => (PartConflict::Occupied, format!("{what} was set by hand, where {canon} says something else")),
            false => (
                PartConflict::Edited,
                format!("{what} was edited by hand since sync wrote it; carry the edit over into {canon}"),
            ),
        });
        self.outcome.parts.extend(owned.into_iter().map(|id| (part.clone(), id)));
    }

    fn no_way(&mut self, piece: &DesiredPart, part: &ManagedPart, no_way: &JsonPathError) {
        let words = format!("{} of {} cannot be written: {no_way}", part.in_words(), piece.canon);
        self.outcome.refused.push((PartConflict::Occupied, words));
        self.outcome.parts.extend(self.file.ids(part).map(|id| (part.clone(), id)));
    }

    /// Takes out the containers that were made for what is gone, the inner ones first, and at last the file.
    fn finish(mut self, before: Option<&str>) -> FileOutcome {
        let mut made: Vec<(Vec<String>, Value, ObjectId)> = Vec::new();
        for (part, id) in &self.file.owned {
            if let ManagedPart::CreatedContainer(path, empty) = part {
                made.push((path.clone(), empty.clone(), *id));
            }
        }
        made.sort_by_key(|(path, ..)| std::cmp::Reverse(path.len()));
        for (path, empty, id) in made {
            if self.settings.is_bare(&path) {
                let _ = self.settings.remove(&path);
            } else if self.settings.get(&path).is_ok_and(|there| there.is_some()) && self.holds_ours(&path) {
                self.outcome.parts.push((ManagedPart::CreatedContainer(path, empty), id));
            }
        }
        let is_new = before.is_none() || self.file.owns(&ManagedPart::CreatedFile);
        let gone = self.settings.is_empty() && is_new;
        self.outcome.text = (!gone).then(|| self.settings.text());
        if is_new && !gone && !self.outcome.parts.is_empty() {
            self.outcome.parts.push((ManagedPart::CreatedFile, value_id(&Value::Null, self.file.hash)));
        }
        self.outcome
    }

    fn holds_ours(&self, path: &[String]) -> bool {
        self.outcome.parts.iter().any(|(part, _)| match part {
            ManagedPart::Key(inner) | ManagedPart::Item(inner) | ManagedPart::CreatedContainer(inner, _) => {
                inner.starts_with(path)
            }
            ManagedPart::CreatedFile | ManagedPart::Block => false,
        })
    }
}
