//! Taking the last dream back: each file loses what was added to it, or gets what it held, and the log its rows.

use super::cut::{Find, find};
use super::draft::Nowhere;
use super::error::BackError;
use super::journal::{Added, Aim, How, Journal, Trace};
use super::rebuild::{Rebuild, Rebuilt, Rows};
use super::{kept, on_disk};
use crate::apply::ApplyError;
use crate::syntax::RepoPath;
use crate::view::View;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What the last dream did.
pub struct Record {
    folder: PathBuf,
    pub(super) journal: Journal,
}

/// What becomes of a file when a dream is taken back.
#[derive(Debug)]
pub struct Returned {
    /// The file.
    pub path: RepoPath,
    /// In a word.
    pub verb: &'static str,
    /// Rows that it gets or gives, where it is about rows.
    pub rows: Option<usize>,
    /// What it holds, and what it will hold; `None` for nothing. Not of rows.
    pub sides: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

/// What is to be done with one file; the position is that in the journal.
pub(super) struct Step {
    pub at: usize,
    pub path: RepoPath,
    /// BLAKE3 of what stands there.
    pub was: String,
    pub what: What,
}

pub(super) enum What {
    Cut { added: Added, all: bool },
    Restore { bytes: Vec<u8>, modified: Option<(u64, u32)> },
}

impl Record {
    /// That of the last dream; `None` where there is none, or where it was taken back already.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn last(git_dir: &Path) -> Result<Option<Self>, ApplyError> {
        let folder = git_dir.join("canonry");
        let journal = Journal::load_record(&folder).map_err(ApplyError::io(
            super::journal::record(&folder).display(),
            "the record of the last dream cannot be read",
        ))?;
        Ok(journal.map(|journal| Self { folder, journal }))
    }

    /// What the dream said of itself.
    pub fn message(&self) -> &str {
        match &self.journal.aim {
            Aim::Dream(story) => &story.message,
            _ => "",
        }
    }

    /// The commit that the dream made, in hexadecimal.
    pub fn commit(&self) -> Option<&str> {
        match &self.journal.aim {
            Aim::Dream(story) => story.commit.as_deref(),
            _ => None,
        }
    }

    /// The branch that it was committed onto; `None` for the one that was checked out.
    pub fn branch(&self) -> Option<&str> {
        self.journal.commit.as_ref()?.branch.as_deref()
    }

    /// All files that the dream has changed.
    pub fn paths(&self) -> Vec<RepoPath> {
        let files = self.journal.files.iter().filter(|change| change.trace.is_some()).map(|change| &change.path);
        let all = files.chain(self.journal.log.iter().map(|swap| &swap.path));
        all.map(|path| RepoPath::from(path.as_str())).collect()
    }

    /// What taking it back would do.
    ///
    /// # Errors
    /// See [`BackError`].
    pub fn look(&self, view: &View) -> Result<Vec<Returned>, BackError> {
        let steps = self.steps(view)?;
        let rebuilt = self.rebuild(view, &steps)?.map(|rebuild| rebuild.run(&mut Nowhere)).transpose()?;
        self.returned(view, &steps, rebuilt.as_ref())
    }

    pub(super) fn steps(&self, view: &View) -> Result<Vec<Step>, BackError> {
        let mut steps = Vec::new();
        for (at, change) in self.journal.files.iter().enumerate() {
            let path = RepoPath::from(change.path.as_str());
            let done = match &change.trace {
                Some(Trace::Added(added)) => self.cut(view, &path, added)?,
                Some(Trace::Replaced { before, digest, modified }) => {
                    let was = self.unchanged(view, &path, digest)?;
                    Some((was, What::Restore { bytes: self.kept(before)?, modified: *modified }))
                }
                None => None,
            };
            steps.extend(done.map(|(was, what)| Step { at, path, was, what }));
        }
        Ok(steps)
    }

    fn cut(&self, view: &View, path: &RepoPath, added: &Added) -> Result<Option<(String, What)>, BackError> {
        let text = added.text.as_ref().map(|name| self.kept(name)).transpose()?;
        let at = on_disk(view, path)?;
        match find(&at, added, text.as_deref()).map_err(ApplyError::io(path, "cannot be read"))? {
            Find::At { added, was } => {
                let length = fs::metadata(&at).map_err(ApplyError::io(path, "cannot be read"))?.len();
                let all = added.created && length == added.length;
                Ok(Some((was, What::Cut { added, all })))
            }
            // Where it was not before. Rows that went with it are missed when the log is made.
            Find::Gone if added.created => Ok(None),
            Find::Gone => Err(BackError::Gone { path: path.clone() }),
            Find::Changed => Err(BackError::Changed { path: path.clone() }),
        }
    }

    fn unchanged(&self, view: &View, path: &RepoPath, digest: &str) -> Result<String, BackError> {
        let there = super::finish::content(&on_disk(view, path)?).map_err(ApplyError::io(path, "cannot be read"))?;
        match there {
            Some(there) if there == digest => Ok(there),
            Some(_) => Err(BackError::Changed { path: path.clone() }),
            None => Err(BackError::Gone { path: path.clone() }),
        }
    }

    fn kept(&self, name: &str) -> Result<Vec<u8>, ApplyError> {
        let place = self.folder.join("undo");
        kept::kept(&self.folder, name)
            .map_err(ApplyError::io(place.display(), "the record of the last dream cannot be read"))
    }

    pub(super) fn rebuild<'a>(&'a self, view: &'a View, steps: &'a [Step]) -> Result<Option<Rebuild<'a>>, BackError> {
        let Some(swap) = &self.journal.log else { return Ok(None) };
        let mut from: BTreeMap<usize, Rows<'a>> = BTreeMap::new();
        for (at, change) in self.journal.files.iter().enumerate() {
            // What was added by rows has no text that is kept, and is not what a whole file was made of.
            let Some(Trace::Added(added)) = change.trace.as_ref().filter(|_| matches!(change.how, How::Append { .. }))
            else {
                continue;
            };
            if added.text.is_some() {
                continue;
            }
            let path = RepoPath::from(change.path.as_str());
            if !steps.iter().any(|step| step.at == at) {
                return Err(BackError::Gone { path });
            }
            from.insert(at, Rows { path, added });
        }
        Ok(Some(Rebuild { folder: &self.folder, view, swap, from }))
    }

    pub(super) fn returned(
        &self,
        view: &View,
        steps: &[Step],
        rebuilt: Option<&Rebuilt>,
    ) -> Result<Vec<Returned>, BackError> {
        let mut all = Vec::new();
        if let (Some(swap), Some(rebuilt)) = (&self.journal.log, rebuilt) {
            let (path, rows) = (RepoPath::from(swap.path.as_str()), Some(rebuilt.rows.values().sum()));
            all.push(Returned { path, verb: "returned", rows, sides: None });
        }
        for step in steps {
            let rows = rebuilt.and_then(|rebuilt| rebuilt.rows.get(&step.at)).copied();
            let verb = match &step.what {
                What::Cut { all: true, .. } => "removed",
                What::Cut { .. } => "cut",
                What::Restore { .. } => "restored",
            };
            let sides = if rows.is_some() { None } else { Some(sides(view, step)?) };
            all.push(Returned { path: step.path.clone(), verb, rows, sides });
        }
        Ok(all)
    }
}

fn sides(view: &View, step: &Step) -> Result<(Vec<u8>, Option<Vec<u8>>), ApplyError> {
    let now = fs::read(on_disk(view, &step.path)?).map_err(ApplyError::io(&step.path, "cannot be read"))?;
    let then = match &step.what {
        What::Restore { bytes, .. } => Some(bytes.clone()),
        What::Cut { all: true, .. } => None,
        What::Cut { added, .. } => {
            let start = usize::try_from(added.offset).unwrap_or(usize::MAX).min(now.len());
            let end = usize::try_from(added.offset + added.length).unwrap_or(usize::MAX).min(now.len());
            Some([&now[..start], &now[end..]].concat())
        }
    };
    Ok((now, then))
}
