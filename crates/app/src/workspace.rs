//! Input of every job: files, configuration, layout, and the repository if there is one.

pub use crate::configuration::Origin;
use crate::configuration::{Configured, configure};
use crate::user_canon;
use crate::{Environment, Error, ErrorKind, RepositoryScope};
use canonry_lint::{Finding, Profile};
use canonry_model::canon::Layout;
use canonry_model::config::{Config, Target};
use canonry_model::finding::Severity;
use canonry_repo::apply::first_sync_is_due;
use canonry_repo::apply::pending_log::PendingLog;
use canonry_repo::git::open::OpenError;
use canonry_repo::view::locks::lock_of_mirrors;
use canonry_repo::view::{Basis, DiskSource, GitSource, MemorySource, PathKind, View, ViewError};
use canonry_text::RepoPath;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// An opened canon and its surroundings.
pub struct Workspace {
    /// The surroundings.
    pub env: Environment,
    /// The repository; `None` for files in memory.
    repo: Option<gix::Repository>,
    /// The earlier version of files in memory.
    earlier: Option<Arc<MemorySource>>,
    /// The files.
    pub view: View,
    /// The team's configuration.
    pub config: Config,
    /// Where the canon is.
    pub layout: Layout,
    /// Where the configuration was found.
    pub origin: Origin,
    /// Configured targets that the user's own canon cannot have, because their folder for users is unknown.
    pub placeless: Vec<Target>,
}

impl Workspace {
    /// Opens the repository around the current folder.
    ///
    /// # Errors
    /// There is no repository, no such revision, or the configuration is invalid.
    pub fn open(env: &Environment, basis: &Basis) -> Result<Self, Error> {
        let (repo, layout) = open_repo(env)?;
        Self::with_repo(env, basis, repo, layout)
    }

    /// Opens the repository around the current folder, or else around the first of `paths`. In no repository, the files are read as
    /// they are on disk, below the folder that contains the current one and all paths.
    ///
    /// # Errors
    /// See [`Self::open`]; outside of git there is neither an index nor a commit.
    pub fn open_anywhere(env: &Environment, basis: &Basis, paths: &[PathBuf]) -> Result<Self, Error> {
        if env.scope != RepositoryScope::Discovered {
            return Self::open(env, basis);
        }
        let outside = match canonry_repo::git::open::open(&env.cwd) {
            Ok(repo) => return Self::with_repo(env, basis, repo, None),
            Err(error @ OpenError::NotARepository { .. }) => error,
            Err(error) => return Err(error.into()),
        };
        let Some(named) = paths.first().map(|path| real_path(&env.cwd.join(path))) else {
            return Self::without_repo(env, basis, paths, outside);
        };
        let folder = if named.is_dir() { named.as_path() } else { named.parent().unwrap_or(&named) };
        match canonry_repo::git::open::open(folder) {
            Ok(repo) => Self::with_repo(env, basis, repo, None),
            Err(OpenError::NotARepository { .. }) => Self::without_repo(env, basis, paths, outside),
            Err(error) => Err(error.into()),
        }
    }

    fn without_repo(env: &Environment, basis: &Basis, paths: &[PathBuf], error: OpenError) -> Result<Self, Error> {
        if *basis != Basis::WorkTree {
            return Err(error.into());
        }
        Self::with_view(env, View::new(Arc::new(DiskSource::new(folder_around(&env.cwd, paths)))))
    }

    fn with_repo(
        env: &Environment,
        basis: &Basis,
        repo: gix::Repository,
        layout: Option<Layout>,
    ) -> Result<Self, Error> {
        let view = open_view(&repo, env, basis)?;
        let (configured, placeless) = match layout {
            Some(layout) => user_canon::configure(env, layout)?,
            None => (configure(env, &view, basis)?, Vec::new()),
        };
        let Configured { config, layout, origin } = configured;
        Ok(Self { env: env.clone(), repo: Some(repo), earlier: None, view, config, layout, origin, placeless })
    }

    /// Opens files in memory. They are read as a commit would be: there is no work tree, so nothing can be written.
    ///
    /// # Errors
    /// The configuration in the files is invalid.
    pub fn in_memory(env: &Environment, files: MemorySource) -> Result<Self, Error> {
        Self::with_view(env, View::new(Arc::new(files)))
    }

    fn with_view(env: &Environment, view: View) -> Result<Self, Error> {
        let Configured { config, layout, origin } = configure(env, &view, &Basis::WorkTree)?;
        Ok(Self { env: env.clone(), repo: None, earlier: None, view, config, layout, origin, placeless: Vec::new() })
    }

    /// Sets the version before files in memory, which some rules compare them with.
    #[must_use]
    pub fn with_earlier(self, files: MemorySource) -> Self {
        Self { earlier: Some(Arc::new(files)), ..self }
    }

    /// Opens the version before the basis: `HEAD` for the work tree and the index, the first parent for a commit. `None`
    /// if there is no such version.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn open_earlier(&self, basis: &Basis) -> Result<Option<View>, Error> {
        if let Some(files) = &self.earlier {
            return Ok(Some(View::new(Arc::<MemorySource>::clone(files))));
        }
        Ok(self.view.open_before(basis)?)
    }

    /// Opens the commit at which the basis and another branch parted.
    ///
    /// # Errors
    /// There is no such revision, or the files are in memory.
    pub fn open_base(&self, basis: &Basis, base: &str) -> Result<View, Error> {
        let tip = match basis {
            Basis::WorkTree | Basis::Index => "HEAD",
            Basis::Commit(revision) => revision,
        };
        let repo = self.repo()?;
        let parted = canonry_repo::git::history::merge_base(repo, base, tip)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot read git's history: {e}")))?;
        self.open_view(&Basis::Commit(parted.map_or_else(|| base.to_owned(), |id| id.to_string())))
    }

    /// The repository.
    ///
    /// # Errors
    /// The files are in memory.
    pub fn repo(&self) -> Result<&gix::Repository, Error> {
        self.repo.as_ref().ok_or_else(|| Error::new(ErrorKind::Unreadable, "these files are in no git repository"))
    }

    /// The folder for canonry's own state: git's folder, or a folder in it if the canon is that of a nested folder.
    ///
    /// # Errors
    /// The files are in memory.
    pub fn git_dir(&self) -> Result<PathBuf, Error> {
        Ok(state_dir(self.repo()?.git_dir(), self.view.base()))
    }

    /// The pending log of the canon; `None` if the files are in no work tree of a repository.
    pub fn pending_log(&self) -> Option<PendingLog> {
        let repo = self.repo.as_ref().filter(|_| self.view.is_work_tree())?;
        Some(PendingLog::new(&state_dir(repo.common_dir(), self.view.base())))
    }

    /// [`Self::git_dir`] of a workspace that cannot be opened, for example because its configuration is invalid. `None` if
    /// there is no repository that can be opened.
    pub fn find_git_dir(env: &Environment) -> Option<PathBuf> {
        open_repo(env).ok().map(|(repo, _)| state_dir(repo.git_dir(), &env.base))
    }

    /// Opens another view of the same repository.
    ///
    /// # Errors
    /// See [`ViewError`]; also if the files are in memory.
    pub fn open_view(&self, basis: &Basis) -> Result<View, Error> {
        Ok(open_view(self.repo()?, &self.env, basis)?)
    }

    /// The folder on disk that the paths of the canon start from.
    ///
    /// # Errors
    /// The files are in memory, or the repository has no work tree.
    pub fn top(&self) -> Result<PathBuf, Error> {
        self.view.on_disk(&RepoPath::default()).ok_or_else(|| {
            Error::new(ErrorKind::Unreadable, "this repository has no work tree").help("run this in a clone with one")
        })
    }

    /// The severity of a rule's finding: the configured one, otherwise the profile's default.
    pub fn severity(&self, finding: &Finding, profile: Profile) -> Severity {
        let configured = self.config.severity(finding.rule.id, &finding.location.path);
        configured.unwrap_or_else(|| finding.default_severity(profile))
    }

    /// The path in the repository of a path that the user gave, relative to the current folder or absolute.
    ///
    /// # Errors
    /// The path is outside the repository.
    pub fn inside(&self, given: &Path) -> Result<RepoPath, Error> {
        let absolute = self.env.cwd.join(given);
        let is_in_memory = self.repo.is_none() && self.view.on_disk(&RepoPath::default()).is_none();
        let real = if is_in_memory { lexical(&absolute) } else { real_path(&absolute) };
        self.view.inside(&real).ok_or_else(|| {
            let base = self.view.base();
            let whole = if base.is_empty() { "the repository".to_owned() } else { format!("the canon of `{base}`") };
            Error::new(ErrorKind::Unreadable, format!("{} is outside {whole}", given.display()))
                .help("name a path inside it, or add `-C` with a folder of the other repository")
        })
    }

    /// Whether `init` created the canon in this work tree and no sync has followed.
    pub fn first_sync_is_due(&self) -> bool {
        let lock = || self.view.read(&self.layout.lock(), u64::MAX).into_bytes();
        self.view.is_work_tree() && self.git_dir().is_ok_and(|git_dir| first_sync_is_due(&git_dir, lock))
    }

    /// Whether the lock of the mirrors is missing: nothing has been synced.
    pub fn is_unsynced(&self) -> bool {
        self.view.kind(&lock_of_mirrors(&self.view, &self.layout, &self.config.files)) == PathKind::Nothing
    }

    /// Checks that a sparse checkout does not leave the whole canon out.
    ///
    /// # Errors
    /// It does.
    pub fn require_checked_out(&self) -> Result<(), Error> {
        let root = self.layout.root();
        if !self.view.is_outside_checkout(root) {
            return Ok(());
        }
        let root = self.view.full(root);
        Err(Error::new(
            ErrorKind::Unreadable,
            format!("{root}/ is tracked but outside your sparse checkout: `git sparse-checkout add {root}`"),
        ))
    }
}

/// The innermost folder that contains the current folder and all paths.
fn folder_around(cwd: &Path, paths: &[PathBuf]) -> PathBuf {
    let mut around = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    for path in paths {
        let path = real_path(&cwd.join(path));
        while !path.starts_with(&around) && around.pop() {}
    }
    around
}

/// Resolves links, except in the last component: a link that is named is meant itself.
fn real_path(absolute: &Path) -> PathBuf {
    let parent = absolute.parent().map_or_else(|| absolute.to_owned(), Path::to_path_buf);
    match (std::fs::canonicalize(&parent), absolute.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => std::fs::canonicalize(absolute).unwrap_or_else(|_| lexical(absolute)),
    }
}

/// Resolves `.` and `..` by the text of the path, without the disk.
fn lexical(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

/// The repository, and for the user's own canon its place in it.
fn open_repo(env: &Environment) -> Result<(gix::Repository, Option<Layout>), Error> {
    Ok(match env.scope {
        RepositoryScope::Discovered => (canonry_repo::git::open::open(&env.cwd)?, None),
        RepositoryScope::Standalone => (canonry_repo::git::open::open_alone(&env.cwd)?, None),
        RepositoryScope::User => user_canon::open(env).map(|(repo, layout)| (repo, Some(layout)))?,
    })
}

fn state_dir(git_dir: &Path, base: &RepoPath) -> PathBuf {
    match gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, base.as_bstr()) {
        // Named by a hash, because the folder's path may be longer than a file name can be.
        Ok(id) if !base.is_empty() => git_dir.join("canonry/nested").join(id.to_hex_with_len(16).to_string()),
        _ => git_dir.to_owned(),
    }
}

fn open_view(repo: &gix::Repository, env: &Environment, basis: &Basis) -> Result<View, ViewError> {
    let source = GitSource::open(repo, basis, &env.base)?;
    // The ignore rules of a repository in the home do not apply to the virtual repository of the home.
    let source = if env.scope == RepositoryScope::User { source.include_ignored() } else { source };
    Ok(View::from_git(source, &env.base))
}
