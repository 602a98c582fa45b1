//! From what a person names to a commit in the cache.

use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::remote_skills::{GivenSource, SkillSource, SkillSourceError};
use canonry_repo::git::open::open_alone;
use canonry_repo::git::source_cache::SourceCache;
use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

impl From<SkillSourceError> for Error {
    fn from(error: SkillSourceError) -> Self {
        Self::new(ErrorKind::Usage, error.to_string()).help(error.help())
    }
}

/// The source that a person names. The second value is a folder of this machine, if that is what it names.
///
/// # Errors
/// It is no source, or a folder outside every repository.
pub fn parse_source(workspace: &Workspace, text: &str) -> Result<(SkillSource, Option<String>), Error> {
    match GivenSource::parse(text)? {
        GivenSource::Remote(source) => Ok((source, None)),
        GivenSource::Folder { folder, reference } => {
            let (url, path) = local_repository(&workspace.env.cwd.join(&folder), &folder)?;
            let source = SkillSource::checked(&url, &path.to_display(), reference.as_deref())?;
            Ok((source, Some(folder)))
        }
    }
}

/// The address of the repository around a folder, and the folder's path in it.
fn local_repository(folder: &Path, shown: &str) -> Result<(String, RepoPath), Error> {
    let unusable = |message: String| {
        Error::new(ErrorKind::Unreadable, message).help(
            "a skill is pinned by a commit: name a folder of a git repository, or copy the folder to the skills of the canon",
        )
    };
    let real = std::fs::canonicalize(folder).map_err(|error| unusable(format!("`{shown}` cannot be read: {error}")))?;
    let repo = open_alone(&real).map_err(|_| unusable(format!("`{shown}` is in no git repository")))?;
    let top = repo.workdir().unwrap_or_else(|| repo.git_dir());
    let top = std::fs::canonicalize(top).map_err(|error| unusable(format!("`{shown}` cannot be read: {error}")))?;
    let below = real.strip_prefix(&top).map(|below| RepoPath::new(below.as_os_str().as_bytes())).unwrap_or_default();
    Ok((file_url(&top), below))
}

/// The address of a local repository.
pub fn file_url(top: &Path) -> String {
    format!("file://{}", encoded(top.as_os_str().as_bytes()))
}

/// A path as part of an address.
fn encoded(path: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' | b',' | b'=' => {
            char::from(*byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    path.iter().map(byte).collect()
}

/// Opens the cache of an address.
///
/// # Errors
/// See [`canonry_repo::git::source_cache::FetchError`].
pub fn open_cache<'a>(workspace: &'a Workspace, url: &'a str) -> Result<SourceCache<'a>, Error> {
    Ok(SourceCache::open(workspace.repo()?.common_dir(), url, &workspace.env.cancel)?)
}

/// The commits that references of one source stand for, each asked once.
#[derive(Default)]
pub struct LatestCommits {
    known: BTreeMap<Option<String>, Result<ObjectId, Error>>,
}

impl LatestCommits {
    /// Fetches the commit that a reference stands for now.
    ///
    /// # Errors
    /// See [`canonry_repo::git::source_cache::FetchError`].
    pub fn fetch(&mut self, cache: &SourceCache<'_>, reference: Option<&str>) -> Result<ObjectId, Error> {
        let fetch = || Ok(cache.fetch(&cache.resolve(reference)?)?);
        self.known.entry(reference.map(str::to_owned)).or_insert_with(fetch).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn an_address_has_no_spaces() {
        assert_eq!(encoded("/a b/ü@1?#%".as_bytes()), "/a%20b/%C3%BC%401%3F%23%25");
    }
}
