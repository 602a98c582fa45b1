//! Creates a draft again if its file changed since, from the file's current content.

use super::LogTransaction;
use super::added_range::{FoundRange, find};
use super::undo_store;
use crate::apply::journal::{AddedRange, FileReplacement, ReplaceMethod, UndoInfo};
use crate::apply::temporary::temporary_file;
use crate::fs as writes;
use canonry_model::canon::FileMode;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use tempfile::NamedTempFile;

impl LogTransaction<'_> {
    /// Appends the draft's new bytes, those after `base`, to the current content of the file `to`.
    pub(super) fn rebase_append(&mut self, at: usize, base: u64, to: &Path, draft: &Path) -> io::Result<()> {
        let before = crate::fs::read_if_exists(to)?;
        let mut new_draft = draft_beside(to)?;
        let bytes = before.as_deref().unwrap_or_default();
        writes::write_all(&mut new_draft, bytes)?;
        let lead: &[u8] = if bytes.last().is_some_and(|last| *last != b'\n') { b"\n" } else { b"" };
        writes::write_all(&mut new_draft, lead)?;
        let mut added = crate::fs::open(draft)?;
        added.seek(SeekFrom::Start(base))?;
        writes::copy(&mut added, &mut new_draft)?;
        let undo = match &self.entry.files[at].undo {
            Some(UndoInfo::Added(range)) => {
                Some(UndoInfo::Added(self.rebased_range(range, before.as_deref(), lead, &mut new_draft)?))
            }
            undo => undo.clone(),
        };
        let was = before.as_deref().map(|bytes| blake3::hash(bytes).to_hex().to_string());
        let method = ReplaceMethod::Append { base: bytes.len() as u64 };
        let file = FileReplacement { was, method, undo, ..self.entry.files[at].clone() };
        self.replace_draft(at, file, new_draft, draft)
    }

    fn rebased_range(
        &self,
        range: &AddedRange,
        before: Option<&[u8]>,
        lead: &[u8],
        draft: &mut NamedTempFile,
    ) -> io::Result<AddedRange> {
        let offset = before.map_or(0, |bytes| bytes.len() as u64);
        let file = draft.as_file_mut();
        file.seek(SeekFrom::Start(offset))?;
        let mut hasher = blake3::Hasher::new();
        let length = io::copy(file, &mut hasher)?;
        let folder = self.session.folder();
        let with_lead = |name: &String| undo_store::put(folder, &[lead, &undo_store::get(folder, name)?].concat());
        Ok(AddedRange {
            offset,
            length,
            digest: hasher.finalize().to_hex().to_string(),
            lead: range.lead + lead.len() as u64,
            created: before.is_none(),
            text: range.text.as_ref().map(with_lead).transpose()?,
        })
    }

    /// Removes a range from the current content of the file `to`; `false` if the range was changed.
    pub(super) fn rebase_removal(
        &mut self,
        at: usize,
        range: &AddedRange,
        to: &Path,
        draft: &Path,
    ) -> io::Result<bool> {
        let folder = self.session.folder();
        let text = range.text.as_ref().map(|name| undo_store::get(folder, name)).transpose()?;
        let FoundRange::At { range, file_digest } = find(to, range, text.as_deref())? else { return Ok(false) };
        let mut new_draft = draft_beside(to)?;
        let mut file = crate::fs::open(to)?;
        writes::copy(&mut (&file).take(range.offset), &mut new_draft)?;
        file.seek(SeekFrom::Start(range.offset + range.length))?;
        writes::copy(&mut file, &mut new_draft)?;
        let method = ReplaceMethod::Remove(range);
        let file = FileReplacement { was: Some(file_digest), method, ..self.entry.files[at].clone() };
        self.replace_draft(at, file, new_draft, draft)?;
        Ok(true)
    }

    /// The journal is updated before the old draft is removed, so that the change is made exactly once.
    fn replace_draft(
        &mut self,
        at: usize,
        file: FileReplacement,
        new_draft: NamedTempFile,
        old_draft: &Path,
    ) -> io::Result<()> {
        writes::sync_all(new_draft.as_file())?;
        let path = new_draft.into_temp_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.entry.files[at] = FileReplacement { draft: name, ..file };
        self.session.save_log(Some(&self.entry))?;
        drop(path.keep());
        writes::remove_file(old_draft)
    }
}

fn draft_beside(to: &Path) -> io::Result<NamedTempFile> {
    let draft = temporary_file(to.parent().unwrap_or(Path::new(".")), FileMode::File)?;
    if let Ok(meta) = fs::metadata(to) {
        writes::set_file_permissions(draft.as_file(), meta.permissions())?;
    }
    Ok(draft)
}
