//! Files that someone has written to since their new content was made: it is made once more, from what they hold now.

use super::LogTransaction;
use super::cut::{self, Find};
use super::journal::{Added, Change, How, Trace};
use super::kept;
use crate::apply::temporary::open_in;
use crate::canon::FileMode;
use crate::fs as writes;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use tempfile::NamedTempFile;

/// A file and its draft.
type Places<'p> = (&'p Path, &'p Path);

impl LogTransaction<'_> {
    /// What is to be appended goes behind what stands there now.
    pub(super) fn put_behind(&mut self, at: usize, base: u64, (to, made): Places<'_>) -> io::Result<()> {
        let before = match fs::read(to) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            before => Some(before?),
        };
        let mut draft = beside(to)?;
        let bytes = before.as_deref().unwrap_or_default();
        writes::write_all(&mut draft, bytes)?;
        let lead: &[u8] = if bytes.last().is_some_and(|last| *last != b'\n') { b"\n" } else { b"" };
        writes::write_all(&mut draft, lead)?;
        let mut tail = File::open(made)?;
        tail.seek(SeekFrom::Start(base))?;
        writes::copy(&mut tail, &mut draft)?;
        let trace = match &self.journal.files[at].trace {
            Some(Trace::Added(added)) => {
                Some(Trace::Added(self.added_behind(added, before.as_deref(), lead, &mut draft)?))
            }
            trace => trace.clone(),
        };
        let was = before.as_deref().map(hex);
        let change =
            Change { was, how: How::Append { base: bytes.len() as u64 }, trace, ..self.journal.files[at].clone() };
        self.replace_draft(at, change, draft, made)
    }

    fn added_behind(
        &self,
        added: &Added,
        before: Option<&[u8]>,
        lead: &[u8],
        draft: &mut NamedTempFile,
    ) -> io::Result<Added> {
        let offset = before.map_or(0, |bytes| bytes.len() as u64);
        let file = draft.as_file_mut();
        file.seek(SeekFrom::Start(offset))?;
        let mut hasher = blake3::Hasher::new();
        let length = io::copy(file, &mut hasher)?;
        let folder = self.session.folder();
        let longer = |name: &String| kept::keep(folder, &[lead, &kept::kept(folder, name)?].concat());
        Ok(Added {
            offset,
            length,
            digest: hasher.finalize().to_hex().to_string(),
            lead: added.lead + lead.len() as u64,
            created: before.is_none(),
            text: added.text.as_ref().map(longer).transpose()?,
        })
    }

    /// What is to go is looked for in what stands there now; `false` where it is not there as it was.
    pub(super) fn cut_again(&mut self, at: usize, added: &Added, (to, made): Places<'_>) -> io::Result<bool> {
        let text = added.text.as_ref().map(|name| kept::kept(self.session.folder(), name)).transpose()?;
        let Find::At { added, was } = cut::find(to, added, text.as_deref())? else { return Ok(false) };
        let mut draft = beside(to)?;
        let mut file = File::open(to)?;
        writes::copy(&mut (&file).take(added.offset), &mut draft)?;
        file.seek(SeekFrom::Start(added.offset + added.length))?;
        writes::copy(&mut file, &mut draft)?;
        let change = Change { was: Some(was), how: How::Cut(added), ..self.journal.files[at].clone() };
        self.replace_draft(at, change, draft, made)?;
        Ok(true)
    }

    /// The journal learns of the new draft before the old one goes, so that the change happens once.
    fn replace_draft(&mut self, at: usize, change: Change, draft: NamedTempFile, made: &Path) -> io::Result<()> {
        writes::sync_all(draft.as_file())?;
        let path = draft.into_temp_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.journal.files[at] = Change { made: name, ..change };
        self.journal.save(self.session.folder())?;
        drop(path.keep());
        writes::remove_file(made)
    }
}

fn beside(to: &Path) -> io::Result<NamedTempFile> {
    let draft = open_in(to.parent().unwrap_or(Path::new(".")), FileMode::File)?;
    if let Ok(meta) = fs::metadata(to) {
        writes::set_file_permissions(draft.as_file(), meta.permissions())?;
    }
    Ok(draft)
}

fn hex(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
