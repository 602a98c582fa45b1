//! Files in memory: for tests, fuzzing, and callers that have no repository.

use super::git_source::MAX_LINKS;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{
    Blob, FileMode, FileSource, IgnoreMode, ListedFile, Listing, PathKind, SourceError, TreeEntry,
};
use canonry_text::RepoPath;
use gix::bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files by path. The content of a link is its target.
#[derive(Clone, Debug, Default)]
pub struct MemorySource {
    files: BTreeMap<RepoPath, (FileMode, Vec<u8>)>,
    odd: BTreeSet<RepoPath>,
    unreadable: BTreeMap<RepoPath, IoDiagnosis>,
}

impl MemorySource {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces it.
    pub fn add(&mut self, path: impl Into<RepoPath>, content: impl AsRef<[u8]>) -> &mut Self {
        self.add_mode(path, FileMode::File, content)
    }

    /// Adds a file or a link, or replaces it. The content of a link is its target.
    pub fn add_mode(&mut self, path: impl Into<RepoPath>, mode: FileMode, content: impl AsRef<[u8]>) -> &mut Self {
        self.files.insert(path.into(), (mode, content.as_ref().to_vec()));
        self
    }

    /// Adds a folder that cannot be read.
    pub fn add_unreadable(&mut self, path: impl Into<RepoPath>, reason: IoDiagnosis) -> &mut Self {
        self.unreadable.insert(path.into(), reason);
        self
    }

    /// Whether there are any files below a folder.
    fn has_below(&self, folder: &RepoPath) -> bool {
        let paths = || self.files.keys().chain(&self.odd).chain(self.unreadable.keys());
        folder.is_empty() || paths().any(|path| path != folder && path.is_within(folder))
    }
}

impl FileSource for MemorySource {
    fn list(&self, folder: &RepoPath, _ignored: IgnoreMode) -> Result<Listing, SourceError> {
        let files = self.files.iter().filter(|(path, _)| path.is_within(folder));
        let listed = |(path, (mode, _)): (&RepoPath, &(FileMode, Vec<u8>))| ListedFile {
            entry: TreeEntry { path: path.clone(), mode: *mode },
            identity: Identity::Unknown,
        };
        let unreadable = self.unreadable.iter().filter(|(path, _)| path.is_within(folder));
        Ok(Listing {
            files: files.map(listed).collect(),
            odd: self.odd.iter().filter(|path| path.is_within(folder)).cloned().collect(),
            unreadable: unreadable.map(|(path, reason)| (path.clone(), reason.clone())).collect(),
            repositories: Vec::new(),
        })
    }

    fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        let mut here = path.clone();
        let mut first_target = None;
        for _ in 0..MAX_LINKS {
            let Some((mode, bytes)) = self.files.get(&here) else {
                let is_there = self.has_below(&here) || self.odd.contains(&here);
                return Blob::Missing(match first_target {
                    _ if is_there => BlobError::NotAFile,
                    None => BlobError::Absent,
                    Some(target) => BlobError::Dangling { target },
                });
            };
            match mode {
                FileMode::Submodule => return Blob::Missing(BlobError::NotAFile),
                FileMode::File | FileMode::Executable if bytes.len() as u64 > limit => {
                    return Blob::Missing(BlobError::TooLarge { size: bytes.len() as u64, limit });
                }
                FileMode::File | FileMode::Executable => return Blob::Bytes(bytes.clone()),
                FileMode::Link => {
                    let target = first_target.get_or_insert_with(|| bytes.to_str_lossy().into_owned());
                    match here.resolve_beside(bytes) {
                        Some(to) => here = to,
                        None => return Blob::Missing(BlobError::Outside { target: target.clone() }),
                    }
                }
            }
        }
        Blob::Missing(BlobError::Loop { target: first_target.unwrap_or_default() })
    }

    fn kind(&self, path: &RepoPath) -> PathKind {
        if self.files.contains_key(path) || self.odd.contains(path) {
            PathKind::File
        } else if self.unreadable.contains_key(path) || self.has_below(path) {
            PathKind::Folder
        } else {
            PathKind::Nothing
        }
    }

    fn link_text(&self, path: &RepoPath) -> Option<BString> {
        let (mode, target) = self.files.get(path)?;
        (*mode == FileMode::Link).then(|| BString::from(target.as_slice()))
    }

    fn folders(&self, folder: &RepoPath) -> Vec<String> {
        let below = self.files.keys().filter_map(|path| path.below(folder));
        let names = below.filter_map(|below| below.split_once_str("/")?.0.to_str().ok().map(str::to_owned));
        names.collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// The source is mounted at `/`.
    fn path_of(&self, absolute: &Path) -> Option<RepoPath> {
        super::disk::path_below(Path::new("/"), absolute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> MemorySource {
        let mut source = MemorySource::new();
        source.add("a/b/file.md", "text").add("a/top.md", "");
        source.add_mode("a/link.md", FileMode::Link, "b/file.md").add_mode("a/out", FileMode::Link, "../../x");
        source.add_mode("a/loop", FileMode::Link, "loop").add_mode("a/dangling", FileMode::Link, "b/none");
        source
    }

    #[test]
    fn reads_through_links_inside_the_source() {
        let source = source();
        let read = |path: &str| source.read(&RepoPath::from(path), 100);
        assert_eq!(read("a/link.md"), Blob::Bytes(b"text".to_vec()));
        assert_eq!(read("a/none"), Blob::Missing(BlobError::Absent));
        assert_eq!(read("a/b"), Blob::Missing(BlobError::NotAFile));
        let target = |target: &str| target.to_owned();
        assert_eq!(read("a/out"), Blob::Missing(BlobError::Outside { target: target("../../x") }));
        assert_eq!(read("a/loop"), Blob::Missing(BlobError::Loop { target: target("loop") }));
        assert_eq!(read("a/dangling"), Blob::Missing(BlobError::Dangling { target: target("b/none") }));
        assert_eq!(source.read(&"a/b/file.md".into(), 3), Blob::Missing(BlobError::TooLarge { size: 4, limit: 3 }));
    }

    #[test]
    fn lists_files_and_folders() {
        let source = source();
        let listed = source.list(&"a/b".into(), IgnoreMode::Exclude).unwrap();
        assert_eq!(listed.entries(), [TreeEntry { path: "a/b/file.md".into(), mode: FileMode::File }]);
        assert_eq!(source.folders(&RepoPath::default()), ["a"]);
        assert_eq!(source.folders(&"a".into()), ["b"]);
        let kinds = ["a", "a/link.md", "a/x"].map(|path| source.kind(&path.into()));
        assert_eq!(kinds, [PathKind::Folder, PathKind::File, PathKind::Nothing]);
    }

    #[test]
    fn states_are_git_object_ids() {
        let source = source();
        let listed = source.list(&"a/top.md".into(), IgnoreMode::Include).unwrap().files;
        let state = source.states(&listed)[0].unwrap();
        assert_eq!(state.id, gix::ObjectId::empty_blob(gix::hash::Kind::Sha1));
    }
}
