//! A bare repository with what was fetched from one address, in git's folder that all work trees share. What is in it
//! needs no network.
//!
//! The git binary fetches: it has the user's credential helpers, proxies, certificates and ssh settings, which gix has
//! only in part. gix's own HTTPS would add 47 crates to 302 (tokio, hyper, rustls), or link libcurl. gix reads what was
//! fetched.

mod process;
mod read;

pub use process::FetchError;
pub(in crate::git) use read::read_tree;
pub use read::{list_files, read_file, read_item, read_stored_item};

use crate::fs as writes;
use crate::fs::lock::HeldLock;
use canonry_exchange::remote_skills::is_commit_id;
use gix::ObjectId;
use process::GitProcess;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The folder of all caches, below `canonry/`.
const FOLDER: &str = "sources";
/// References that keep fetched commits from being removed as garbage.
const PINS: &str = "refs/canonry/pins";
/// Where the branches and tags go if a server does not hand out single commits.
const COPIES: &str = "refs/canonry/copies";

/// The commit that a name stands for at the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedReference {
    /// The full name, such as `refs/heads/main`; `None` for a commit that was given by its id.
    pub name: Option<String>,
    pub commit: ObjectId,
}

/// The cache of one address. While it exists, no other process of this clone uses it.
pub struct SourceCache<'a> {
    repo: gix::Repository,
    process: GitProcess<'a>,
    _lock: HeldLock,
}

impl<'a> SourceCache<'a> {
    /// Opens the cache of an address, and creates it if needed. `common_dir` is git's folder of the repository.
    ///
    /// # Errors
    /// See [`FetchError`].
    pub fn open(common_dir: &Path, url: &'a str, cancel: &'a AtomicBool) -> Result<Self, FetchError> {
        let folder = common_dir.join("canonry").join(FOLDER);
        writes::create_dir_all(&folder).map_err(FetchError::io(&folder))?;
        let name = blake3::hash(url.as_bytes()).to_hex();
        let git_dir = folder.join(format!("{}.git", &name[..20]));
        // Waits for nobody: two fetches at the same time are rare.
        let lock = git_dir.with_extension("lock");
        let lock = HeldLock::try_take(&lock).map_err(FetchError::io(&lock))?.ok_or(FetchError::Busy)?;
        let repo = match open_bare(&git_dir) {
            Ok(repo) => repo,
            // Also after a kill while it was created.
            Err(_) => {
                writes::failpoint::reach("init").map_err(FetchError::io(&git_dir))?;
                GitProcess::init(&folder, &git_dir, cancel)?;
                open_bare(&git_dir).map_err(FetchError::git("open the cache"))?
            }
        };
        let process = GitProcess::new(&repo, git_dir, url, cancel);
        Ok(Self { repo, process, _lock: lock })
    }

    /// The repository with the fetched objects.
    pub fn repo(&self) -> &gix::Repository {
        &self.repo
    }

    /// Asks the source what a branch, a tag or a commit is now; `None` is its default branch.
    ///
    /// # Errors
    /// [`FetchError::NoReference`] if there is none, otherwise the source did not answer.
    pub fn resolve(&self, reference: Option<&str>) -> Result<ResolvedReference, FetchError> {
        if let Some(id) = reference.filter(|name| is_commit_id(name)) {
            let commit = ObjectId::from_hex(id.as_bytes()).map_err(|_| FetchError::NoReference(id.to_owned()))?;
            return Ok(ResolvedReference { name: None, commit });
        }
        let names = match reference {
            None => vec!["HEAD".to_owned()],
            Some(name) if name.starts_with("refs/") => vec![name.to_owned()],
            // In the order of `git rev-parse`.
            Some(name) => vec![format!("refs/tags/{name}"), format!("refs/heads/{name}")],
        };
        let advertised = self.process.list_references(&names)?;
        for name in names {
            // The commit that an annotated tag is about comes after the tag, with this ending.
            let peeled = format!("{name}^{{}}");
            if let Some(commit) = advertised.get(&peeled).or_else(|| advertised.get(&name)) {
                return Ok(ResolvedReference { name: Some(name), commit: *commit });
            }
        }
        Err(FetchError::NoReference(reference.unwrap_or("HEAD").to_owned()))
    }

    /// Whether a commit is in the cache.
    pub fn has(&self, commit: ObjectId) -> bool {
        let pin = self.repo.try_find_reference(&pin(commit)).ok().flatten();
        pin.is_some() && self.repo.find_commit(commit).is_ok()
    }

    /// Fetches a commit unless it is in the cache. Returns the commit that the name stands for now: it may have moved
    /// since it was resolved.
    ///
    /// # Errors
    /// [`FetchError::Vanished`] if the source does not have the commit any more, otherwise it did not answer.
    pub fn fetch(&self, wanted: &ResolvedReference) -> Result<ObjectId, FetchError> {
        if self.has(wanted.commit) {
            return Ok(wanted.commit);
        }
        let to = pin(wanted.commit);
        let Some(name) = &wanted.name else { return self.fetch_commit(wanted.commit, &to) };
        self.process.fetch(&[format!("+{name}:{to}")], true)?;
        let mut fetched = self.repo.find_reference(&to).map_err(FetchError::git("find what was fetched"))?;
        let commit = fetched.peel_to_commit().map_err(FetchError::git("read the fetched commit"))?.id;
        if commit != wanted.commit {
            self.process.update_reference(&pin(commit), commit)?;
        }
        Ok(commit)
    }

    fn fetch_commit(&self, commit: ObjectId, to: &str) -> Result<ObjectId, FetchError> {
        let direct = self.process.fetch(&[format!("+{commit}:{to}")], true);
        match direct {
            Ok(()) => {}
            Err(FetchError::Failed { .. }) => {
                // Some servers hand out only what a branch or a tag leads to, and the simplest kind knows no depth.
                let all = [format!("+refs/heads/*:{COPIES}/heads/*"), format!("+refs/tags/*:{COPIES}/tags/*")];
                self.process.fetch(&all, false)?;
                if self.repo.find_commit(commit).is_err() {
                    return Err(FetchError::Vanished(commit));
                }
                self.process.update_reference(to, commit)?;
            }
            Err(error) => return Err(error),
        }
        match self.repo.find_commit(commit) {
            Ok(_) => Ok(commit),
            Err(_) => Err(FetchError::Vanished(commit)),
        }
    }
}

fn pin(commit: ObjectId) -> String {
    format!("{PINS}/{commit}")
}

/// Opens the cache without the user's settings: nothing of them may change how its files are read.
fn open_bare(git_dir: &Path) -> gix::Result<gix::Repository> {
    gix::open_opts(git_dir, gix::open::Options::isolated().open_path_as_is(true))
}
