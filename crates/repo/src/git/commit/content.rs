//! Stores files as objects, through the filters that git applies.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
use gix::index::fs::Metadata;
use gix::objs::tree::EntryKind;
use gix::worktree::stack::state::{attributes, ignore};

use super::CommitError;
use crate::fs::failpoint;

/// Stores files of the work tree. Loads attributes and ignore rules on first use.
pub(in crate::git) struct WorktreeContent<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::File,
    root: PathBuf,
    fs: gix::fs::Capabilities,
    filters: Option<gix::filter::Pipeline<'a>>,
    ignored: Option<gix::AttributeStack<'a>>,
}

impl<'a> WorktreeContent<'a> {
    pub fn new(repo: &'a gix::Repository, index: &'a gix::index::File) -> Result<Self, CommitError> {
        let fail = CommitError::git("read the configuration of the file system");
        Ok(Self {
            repo,
            index,
            root: repo.workdir().ok_or(CommitError::Bare)?.to_owned(),
            fs: repo.filesystem_options().map_err(fail)?,
            filters: None,
            ignored: None,
        })
    }

    /// The configured capabilities of the file system.
    pub fn fs(&self) -> gix::fs::Capabilities {
        self.fs
    }

    /// The path on disk.
    pub fn absolute(&self, path: &BStr) -> Result<PathBuf, CommitError> {
        Ok(self.root.join(on_disk(path)?))
    }

    /// Kind of the file on disk as git would record it if it was recorded as `known` before. `None` if it cannot be
    /// recorded. Attributes that the file system cannot represent stay as known.
    pub fn kind(&self, disk: &Metadata, known: Option<EntryKind>) -> Option<EntryKind> {
        use EntryKind::{Blob, BlobExecutable, Commit, Link};
        if disk.is_symlink() {
            return Some(Link);
        }
        if disk.is_dir() {
            return Some(Commit).filter(|_| known == Some(Commit));
        }
        if !disk.is_file() {
            return None;
        }
        Some(match known {
            Some(Link) if !self.fs.symlink => Link,
            Some(BlobExecutable) if !self.fs.executable_bit => BlobExecutable,
            _ if self.fs.executable_bit && disk.is_executable() => BlobExecutable,
            _ => Blob,
        })
    }

    /// Stores the file at `path` and returns its id; `None` for a submodule that is not checked out.
    pub fn store(&mut self, path: &BStr, disk: &Metadata, kind: EntryKind) -> Result<Option<ObjectId>, CommitError> {
        let file = self.absolute(path)?;
        if kind == EntryKind::Commit {
            return Ok(self.submodule_head(file));
        }
        if disk.is_symlink() {
            return self.store_link(file).map(Some);
        }
        self.store_file(path, file).map(Some)
    }

    /// The id that [`Self::store`] would return for a file or a link, without storing anything.
    pub fn hash(&mut self, path: &BStr, disk: &Metadata) -> Result<ObjectId, CommitError> {
        let file = self.absolute(path)?;
        let filtered = |source| CommitError::Filter { path: path.to_owned(), source };
        let read = |source| CommitError::File { path: file.clone(), source };
        let repo = self.repo;
        let bytes = if disk.is_symlink() {
            let target = std::fs::read_link(&file).map_err(read)?;
            gix::path::into_bstr(target).map_err(CommitError::git("read the target of a link"))?.into_owned().into()
        } else {
            let open = crate::fs::open(&file).map_err(read)?;
            let relative = on_disk(path)?;
            let index = self.index;
            let mut bytes = Vec::new();
            match self.filters()?.convert_to_git(open, &relative, index).map_err(filtered)? {
                ToGitOutcome::Unchanged(mut file) => file.read_to_end(&mut bytes).map(drop),
                ToGitOutcome::Buffer(mut buffer) => buffer.read_to_end(&mut bytes).map(drop),
                ToGitOutcome::Process(mut output) => output.read_to_end(&mut bytes).map(drop),
            }
            .map_err(read)?;
            bytes
        };
        gix::objs::compute_hash(repo.object_hash(), gix::objs::Kind::Blob, &bytes)
            .map_err(|error| CommitError::git("hash a file")(gix::Error::from_error(error)))
    }

    /// `None` also for a submodule that is broken: the commit keeps its entry.
    fn submodule_head(&self, at: PathBuf) -> Option<ObjectId> {
        let submodule = gix::open_opts(at, self.repo.open_options().clone()).ok()?;
        let head = submodule.head_id().ok()?;
        Some(head.detach())
    }

    fn store_link(&self, file: PathBuf) -> Result<ObjectId, CommitError> {
        let target = std::fs::read_link(&file).map_err(|source| CommitError::File { path: file, source })?;
        let fail = CommitError::git("store the target of a link");
        let target = gix::path::into_bstr(target).map_err(&fail)?;
        failpoint::reach("object").map_err(CommitError::git_io("store the target of a link"))?;
        self.repo.write_blob(target.as_bytes()).map(|id| id.detach()).map_err(fail)
    }

    fn store_file(&mut self, path: &BStr, file: PathBuf) -> Result<ObjectId, CommitError> {
        let filtered = |source| CommitError::Filter { path: path.to_owned(), source };
        let stored = CommitError::git("store the content of a file");
        let open = crate::fs::open(&file).map_err(|source| CommitError::File { path: file, source })?;
        let relative = on_disk(path)?;
        let repo = self.repo;
        let index = self.index;
        let converted = self.filters()?.convert_to_git(open, &relative, index).map_err(filtered)?;
        failpoint::reach("object").map_err(CommitError::git_io("store the content of a file"))?;
        let id = match converted {
            ToGitOutcome::Unchanged(mut file) => repo.write_blob_stream(&mut file).map_err(stored),
            ToGitOutcome::Buffer(bytes) => repo.write_blob(bytes).map_err(stored),
            ToGitOutcome::Process(mut output) => repo.write_blob_stream(&mut output).map_err(filtered),
        };
        id.map(|id| id.detach())
    }

    fn filters(&mut self) -> Result<&mut gix::filter::Pipeline<'a>, CommitError> {
        let fail = CommitError::git("read attributes and filters");
        let filters = match self.filters.take() {
            Some(filters) => filters,
            None => {
                let source = attributes::Source::WorktreeThenIdMapping;
                let attributes = self.repo.attributes_only(self.index, source).map_err(&fail)?;
                gix::filter::Pipeline::new(self.repo, attributes.detach()).map_err(&fail)?
            }
        };
        Ok(self.filters.insert(filters))
    }

    /// Whether ignore rules exclude `path`, which must not be tracked.
    pub fn is_ignored(&mut self, path: &BStr) -> Result<bool, CommitError> {
        let fail = CommitError::git("read the ignore rules");
        let mut rules = match self.ignored.take() {
            Some(rules) => rules,
            None => {
                let source = ignore::Source::WorktreeThenIdMappingIfNotSkipped;
                self.repo.excludes(self.index, None, source).map_err(&fail)?
            }
        };
        let answer =
            rules.at_entry(path, Some(gix::index::entry::Mode::FILE)).map(|place| place.is_excluded()).map_err(fail);
        self.ignored = Some(rules);
        answer
    }
}

pub(in crate::git) fn on_disk(path: &BStr) -> Result<Cow<'_, Path>, CommitError> {
    gix::path::from_bstr(path).map_err(CommitError::git("represent a path on this system"))
}
