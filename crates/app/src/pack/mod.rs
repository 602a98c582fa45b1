//! `pack`: writes the canon as a plugin that other people can install.

mod content;
mod settings;
mod skills;
mod text_file;
mod tool_files;
mod write;

pub use canonry_exchange::pack::plan::PackRefusal;
pub use canonry_exchange::pack::version::Bump;
pub use semver::Version;

use crate::canons;
use crate::diffs::FileDiff;
use crate::{Environment, Error, Quiet, Workspace, lock_file};
use canonry_exchange::pack::lock::PackLock;
use canonry_exchange::pack::plan::{Actual, PackContent, PackFile, PackInput, PackPlan, may_be_packed};
use canonry_exchange::pack::version::{self, Previous};
use canonry_lint::repo_facts::{PackProblem, StalePack};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::{Blob, FileState};
use canonry_model::config::Target;
use canonry_model::edit::Edit;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::{Basis, PathKind, View};
use canonry_text::RepoPath;
use gix::ObjectId;
use settings::PackSettings;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Options of a pack.
#[derive(Clone, Debug, Default)]
pub struct PackRequest {
    /// The folder of the plugin instead of the configured one, relative to the current folder.
    pub out: Option<PathBuf>,
    /// Part of the version that a change increases.
    pub bump: Bump,
    /// Write nothing.
    pub preview: bool,
}

/// Files that a pack wrote, or would write.
#[derive(Clone, Debug)]
pub struct PackOutcome {
    pub name: String,
    /// The folder of the plugin; empty for the top of the repository.
    pub out: RepoPath,
    pub version: Version,
    /// The version before; `None` if this is the first pack.
    pub previous: Option<Version>,
    /// Names of the packed skills.
    pub skills: Vec<String>,
    pub written: Vec<RepoPath>,
    pub removed: Vec<RepoPath>,
    pub unchanged: usize,
    /// User files in the way. If there is any, nothing is written.
    pub refused: Vec<(RepoPath, PackRefusal)>,
    /// Items that are not in the plugin, or not for every tool, with the reasons.
    pub notes: Vec<String>,
    /// The changes as diffs, in a preview.
    pub diffs: Vec<FileDiff>,
}

impl PackOutcome {
    /// Whether the plugin is what the canon makes of it.
    pub fn is_current(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && self.refused.is_empty()
    }
}

/// Packs the canon of the current folder.
///
/// # Errors
/// There is no canon, a canonical file or the lock cannot be read, or the folder of the plugin is unusable.
pub fn run(env: &Environment, request: &PackRequest) -> Result<PackOutcome, Error> {
    let (workspace, _) = canons::select(Workspace::open(env, &Basis::WorkTree)?, &Basis::WorkTree, &Quiet)?;
    workspace.require_canon()?;
    let lock = load_lock(&workspace)?;
    let settings = PackSettings::resolve(&workspace, request.out.as_deref(), lock.as_ref())?;
    let (content, packed, notes) = content::load(&workspace, &settings)?;
    if request.preview {
        let decided = PreparedPack::build(&workspace, &settings, &content, request, &committed(&workspace)?)?;
        let diffs = decided.plan.edits.iter().map(|edit| FileDiff::from_edit(&workspace.view, edit)).collect();
        return Ok(decided.outcome(&workspace, &settings, packed, notes, diffs));
    }
    let mut session = write::begin(&workspace)?;
    let unfinished: Vec<_> = session.pending().into_iter().chain(committed(&workspace)?).collect();
    let decided = PreparedPack::build(&workspace, &settings, &content, request, &unfinished)?;
    if decided.plan.refused.is_empty() {
        write::write(&workspace, &mut session, &decided)?;
    }
    Ok(decided.outcome(&workspace, &settings, packed, notes, Vec::new()))
}

/// Difference between the packed plugin and a new pack; `None` if they are equal, or nothing was packed.
pub fn drift(workspace: &Workspace, basis: &Basis) -> Option<StalePack> {
    let lock = workspace.layout.pack_lock();
    if workspace.view.kind(&lock) == PathKind::Nothing {
        return None;
    }
    let problem = problem(workspace, basis).unwrap_or_else(|error| Some(PackProblem::Impossible(error.to_string())));
    Some(StalePack { lock, problem: problem? })
}

fn problem(workspace: &Workspace, basis: &Basis) -> Result<Option<PackProblem>, Error> {
    let settings = PackSettings::resolve(workspace, None, load_lock(workspace)?.as_ref())?;
    let (content, ..) = content::load(workspace, &settings)?;
    let decided = PreparedPack::build(workspace, &settings, &content, &PackRequest::default(), &[])?;
    let Some(before) = &decided.before else { return Ok(None) };
    let edits = decided.plan.edits.iter().map(Edit::path);
    let files = || edits.chain(decided.plan.refused.iter().map(|(path, _)| path)).cloned().collect::<Vec<_>>();
    if before.content != decided.after.content {
        let next = decided.after.version.to_string();
        let version = before.version.to_string();
        return Ok(Some(PackProblem::Outdated { version, next, files: files() }));
    }
    if !decided.plan.edits.is_empty() || !decided.plan.refused.is_empty() {
        return Ok(Some(PackProblem::Edited { files: files() }));
    }
    let earlier = workspace.open_earlier(basis)?;
    let Some(Blob::Bytes(bytes)) = earlier.map(|view| view.read(&workspace.layout.pack_lock(), DOCUMENT_LIMIT)) else {
        return Ok(None);
    };
    // A lock that cannot be read states no version.
    let earlier = std::str::from_utf8(&bytes).ok().and_then(|text| PackLock::parse(text).ok());
    let is_same_version =
        earlier.is_some_and(|earlier| earlier.version == before.version && earlier.content != before.content);
    Ok(is_same_version.then(|| PackProblem::SameVersion { version: before.version.to_string() }))
}

/// Planned changes of a pack.
pub(crate) struct PreparedPack {
    plan: PackPlan,
    /// The lock before and after.
    before: Option<PackLock>,
    after: PackLock,
    previous: Option<Version>,
}

impl PreparedPack {
    fn build(
        workspace: &Workspace,
        settings: &PackSettings,
        content: &PackContent,
        request: &PackRequest,
        unfinished: &[(RepoPath, FileState)],
    ) -> Result<Self, Error> {
        let hash = workspace.view.object_hash();
        let before = load_lock(workspace)?;
        let id = content_id(content, settings, hash);
        let previous = previous(workspace, settings, content, before.as_ref(), id)?;
        let version = version::next(previous.as_ref(), settings.lowest.as_ref(), request.bump);
        let desired = content::with_version(content, settings, &version, hash);
        let owned = owned(workspace, before.as_ref());
        let actual = actual(workspace, desired.keys().chain(owned.keys()));
        let input = PackInput { desired: &desired, actual: &actual, owned: &owned, unfinished };
        let plan = PackPlan::build(&input);
        let files = desired.iter().map(|(path, file)| (path.clone(), file.state)).collect();
        let name = Some(settings.metadata.name.clone());
        let out = settings.named_out.clone();
        let after = PackLock { name, out, version, content: id, files };
        Ok(Self { plan, before, after, previous: previous.map(|previous| previous.version) })
    }

    fn outcome(
        self,
        workspace: &Workspace,
        settings: &PackSettings,
        skills: Vec<String>,
        notes: Vec<String>,
        diffs: Vec<FileDiff>,
    ) -> PackOutcome {
        let view = &workspace.view;
        let mut written = Vec::new();
        let mut removed = Vec::new();
        for edit in &self.plan.edits {
            match edit {
                Edit::Remove { path, .. } => removed.push(view.full(path)),
                Edit::Write { path, .. } | Edit::Rename { path, .. } => written.push(view.full(path)),
            }
        }
        if self.plan.edits.is_empty() && self.plan.refused.is_empty() && self.before.as_ref() != Some(&self.after) {
            written.push(view.full(&workspace.layout.pack_lock()));
        }
        PackOutcome {
            name: settings.metadata.name.clone(),
            out: view.full(&settings.out),
            version: self.after.version,
            previous: self.previous,
            skills,
            written,
            removed,
            unchanged: self.plan.unchanged,
            refused: self.plan.refused.into_iter().map(|(path, refusal)| (view.full(&path), refusal)).collect(),
            notes,
            diffs,
        }
    }
}

/// The id of the content with a fixed version, and with paths from the folder of the plugin: the same plugin in another
/// folder is not a new version.
fn content_id(content: &PackContent, settings: &PackSettings, hash: gix::hash::Kind) -> ObjectId {
    let fixed = PackSettings { out: RepoPath::default(), marketplace: RepoPath::default(), ..settings.clone() };
    let files = content::with_version(content, settings, &Version::new(0, 0, 0), hash);
    let below = |path: &RepoPath| path.below(&settings.out).map(RepoPath::new);
    let mut own: BTreeMap<RepoPath, FileState> =
        files.iter().filter_map(|(path, file)| Some((below(path)?, file.state))).collect();
    // Marketplaces name the folder.
    own.retain(|path, _| !path.as_bstr().ends_with(b"marketplace.json"));
    own.extend(
        content::marketplaces(&content.metadata, &fixed, hash).into_iter().map(|(path, file)| (path, file.state)),
    );
    version::content_id(own.iter().map(|(path, state)| (path, *state)), hash)
}

/// The last pack. Without a lock, the manifest in the plugin's folder says its version.
fn previous(
    workspace: &Workspace,
    settings: &PackSettings,
    content: &PackContent,
    lock: Option<&PackLock>,
    id: ObjectId,
) -> Result<Option<Previous>, Error> {
    if let Some(lock) = lock {
        return Ok(Some(Previous { version: lock.version.clone(), is_same: lock.content == id }));
    }
    let Blob::Bytes(bytes) = workspace.view.read(&settings.out.join("plugin.json"), DOCUMENT_LIMIT) else {
        return Ok(None);
    };
    // A file that is no manifest states no version.
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let Some(version) = manifest["version"].as_str().and_then(|text| Version::parse(text).ok()) else {
        return Ok(None);
    };
    let desired = content::with_version(content, settings, &version, workspace.view.object_hash());
    let actual = actual(workspace, desired.keys());
    let is_there = |(path, file): (&RepoPath, &PackFile)| actual.get(path) == Some(&Actual::File(file.state));
    Ok(Some(Previous { version, is_same: desired.iter().all(is_there) }))
}

/// The files of the committed pack: `git checkout` of the plugin's folder alone brings them back. A commit without a
/// readable lock says nothing.
fn committed(workspace: &Workspace) -> Result<Vec<(RepoPath, FileState)>, Error> {
    let head = workspace.open_earlier(&Basis::WorkTree)?;
    let blob = head.map(|head| head.read(&workspace.layout.pack_lock(), DOCUMENT_LIMIT));
    let Some(Blob::Bytes(bytes)) = blob else { return Ok(Vec::new()) };
    let lock = std::str::from_utf8(&bytes).ok().and_then(|text| PackLock::parse(text).ok());
    Ok(lock.map_or_else(Vec::new, |lock| lock.files.into_iter().collect()))
}

fn load_lock(workspace: &Workspace) -> Result<Option<PackLock>, Error> {
    let help = "after a merge, take either side of it and run `canonry pack`, which finds the next version";
    lock_file::load(workspace, &workspace.layout.pack_lock(), help, PackLock::parse)
}

/// The files of the last pack. Files that no pack writes stay, whatever the lock says.
fn owned(workspace: &Workspace, lock: Option<&PackLock>) -> BTreeMap<RepoPath, FileState> {
    let files = lock.map(|lock| lock.files.clone()).unwrap_or_default();
    files.into_iter().filter(|(path, _)| is_pack_path(workspace, path)).collect()
}

/// Whether a pack can have written a path.
pub(crate) fn is_pack_path(workspace: &Workspace, path: &RepoPath) -> bool {
    may_be_packed(path) && !path.is_within(workspace.layout.root()) && Target::holding(path).is_none()
}

fn actual<'p>(workspace: &Workspace, paths: impl Iterator<Item = &'p RepoPath>) -> BTreeMap<RepoPath, Actual> {
    let mut probe = workspace.view.probe();
    let mut folders: BTreeMap<RepoPath, Option<String>> = BTreeMap::new();
    let mut states = BTreeMap::new();
    for path in paths {
        let folder = path.parent().unwrap_or_default();
        let blocked = folders.entry(folder.clone()).or_insert_with(|| blocked(&workspace.view, &folder));
        let state = match (blocked, probe.state(path)) {
            (Some(reason), _) => Actual::Blocked(reason.clone()),
            (None, Some(state)) => Actual::File(state),
            (None, None) if workspace.view.kind(path) == PathKind::Nothing => Actual::Missing,
            (None, None) => Actual::Blocked("it is a folder".to_owned()),
        };
        states.insert(path.clone(), state);
    }
    states
}

/// Why nothing can be written into a folder.
fn blocked(view: &View, folder: &RepoPath) -> Option<String> {
    match view.root(folder) {
        MirrorRoot::Folder => None,
        MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => Some("its folder is a link".to_owned()),
        MirrorRoot::NotAFolder(parent) => Some(format!("{parent} is not a folder")),
        MirrorRoot::Submodule(parent) => Some(format!("{parent} is a submodule or another repository")),
    }
}
