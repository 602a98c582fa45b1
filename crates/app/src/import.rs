//! `import`: copies the files that other tools keep for agents into the canon.

use crate::canon_location::open_for_canon;
use crate::config_change::ConfigChange;
use crate::configuration::Origin;
use crate::diffs::FileDiff;
use crate::{Environment, Error, ErrorKind, Workspace, file_edits, trust};
use canonry_agents::ManagedPart;
pub use canonry_exchange::import::{GeneratedConfig, ImportRefusal, ImportedItem, SkippedItem, SourceKind};
use canonry_exchange::import::{ImportResult, ImportSource, is_tool_file};
use canonry_mirror::{Lock, MirrorRoot};
use canonry_model::canon::file_kind::FileKind;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::presence::is_document;
use canonry_model::canon::{FileMode, FileState, PathKind};
use canonry_model::config::{Target, is_mirror_path};
use canonry_model::edit::Edit;
use canonry_repo::apply::WritePlan;
use canonry_repo::view::load::LOG_LIMIT;
use canonry_repo::view::tool_files::{may_be_owned, without_managed_parts};
use canonry_repo::view::{IgnoreMode, View};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Items that a run imported, or would import in a dry run.
#[derive(Debug, Default)]
pub struct ImportOutcome {
    /// The source; `None` if there is nothing to import.
    pub source: Option<SourceKind>,
    /// The other sources in the repository.
    pub other_sources: Vec<SourceKind>,
    /// New files of the canon.
    pub written: Vec<RepoPath>,
    /// New files that git ignores.
    pub ignored: BTreeSet<RepoPath>,
    /// The items, and what the user has to do.
    pub result: ImportResult,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The new files as diffs; only in a dry run.
    pub diffs: Vec<FileDiff>,
}

/// Imports a source, or the one that is detected. Never overwrites a file, and never changes the source.
///
/// # Errors
/// The canon's directory is not usable, the source does not exist or is ambiguous, a sync was interrupted, or a file
/// system error.
pub fn run(environment: &Environment, source: Option<SourceKind>, dry_run: bool) -> Result<ImportOutcome, Error> {
    let workspace = open_for_canon(environment)?;
    let session = if dry_run { None } else { Some(file_edits::begin(&workspace, |path| !may_be_owned(path))?) };
    let state = ImportState::load(&workspace)?;
    let detected = state.detected_sources();
    let Some(kind) = choose_source(source, &detected)? else {
        return Ok(ImportOutcome { dry_run, ..ImportOutcome::default() });
    };
    let mut result = canonry_exchange::import::import(kind, &state.source());
    result.next_steps.extend(foreign_files_step(&workspace, &state).filter(|_| !result.edits.is_empty()));
    add_document(&workspace, &mut result);
    connect_tools(&workspace, &mut result)?;
    let ignored = unignore(&workspace, &mut result)?;
    let view = &workspace.view;
    let diffs =
        if dry_run { result.edits.iter().map(|edit| FileDiff::from_edit(view, edit)).collect() } else { Vec::new() };
    let conflicts = match session {
        Some(mut session) => {
            let plan = WritePlan { edits: &result.edits, back_up: &[], locks: Vec::new() };
            let conflicts = session.apply(view, &plan, &environment.cancel)?.conflicts;
            let corrected = corrected_sources(&state, &result, &conflicts);
            if !corrected.is_empty() {
                session.remember_imported(&corrected)?;
            }
            conflicts
        }
        None => Vec::new(),
    };
    refuse_conflicts(&mut result, &conflicts);
    let other_sources = detected.into_iter().filter(|other| *other != kind).collect();
    let paths = result.edits.iter().map(Edit::path);
    let written: Vec<RepoPath> = paths.filter(|path| !conflicts.contains(path)).cloned().collect();
    if !dry_run {
        trust::pin_files(&workspace, &written)?;
    }
    Ok(ImportOutcome { source: Some(kind), other_sources, written, ignored, result, dry_run, diffs })
}

/// The step to keep the canon apart from the files of a program that is called `agent`.
fn foreign_files_step(workspace: &Workspace, state: &ImportState<'_>) -> Option<String> {
    let root = workspace.layout.root();
    let is_foreign = |path: &&RepoPath| FileKind::from_path(path, &workspace.layout).is_none();
    let file = state.canon.keys().find(is_foreign).filter(|_| !workspace.expects_canon())?;
    Some(format!(
        "{root}/ also has files of its own, such as {file}. To keep the canon apart, remove what this import wrote, write \
         `root: canon` to canonry.yaml, and import again"
    ))
}

/// Adds an empty log if nothing else makes the folder of the imported files a canon.
fn add_document(workspace: &Workspace, result: &mut ImportResult) {
    let layout = &workspace.layout;
    let makes_canon = |edit: &Edit| is_document(edit.path(), layout);
    if result.edits.is_empty() || workspace.expects_canon() || result.edits.iter().any(makes_canon) {
        return;
    }
    let hash = workspace.view.object_hash();
    result.edits.push(Edit::write(layout.log(), Vec::new(), None, FileMode::File, hash));
    result.edits.sort_by(|a, b| a.path().cmp(b.path()));
}

/// Adds the settings to an existing config, or shows the lines to add.
fn connect_tools(workspace: &Workspace, result: &mut ImportResult) -> Result<(), Error> {
    let Some(config) = result.config.as_mut().filter(|config| !config.is_written) else { return Ok(()) };
    let change = ConfigChange::add_files(workspace, config.sections.files.clone())?;
    if let Some(edit) = change.edit {
        config.sections.files.clear();
        config.is_written = true;
        result.edits.push(edit);
        result.edits.sort_by(|a, b| a.path().cmp(b.path()));
    }
    let rest = config.sections.without_head(&workspace.config.targets);
    config.by_hand = (!rest.is_empty()).then_some(rest);
    if !config.is_written && config.by_hand.is_none() {
        result.config = None;
    }
    Ok(())
}

/// Makes git take what it would ignore, such as the canon's AGENTS.md where a manager generated all files of this name. Returns
/// the files that git ignores nevertheless.
fn unignore(workspace: &Workspace, result: &mut ImportResult) -> Result<BTreeSet<RepoPath>, Error> {
    let root = workspace.layout.root();
    let paths: Vec<RepoPath> = result.edits.iter().map(|edit| edit.path().clone()).collect();
    let ignored = workspace.view.ignored(&paths)?;
    let path = root.join(".gitignore");
    if ignored.is_empty() || workspace.view.kind(&path) != PathKind::Nothing {
        return Ok(ignored);
    }
    let text: String = ignored.iter().filter_map(|path| Some(format!("!/{}\n", path.below(root)?))).collect();
    let names = ignored.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    result.next_steps.push(format!("git ignored {names}: {path} makes git take them"));
    let hash = workspace.view.object_hash();
    result.edits.push(Edit::write(path, text.into_bytes(), None, FileMode::File, hash));
    result.edits.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(BTreeSet::new())
}

/// The files in the directories of tools that an import converted for the canon. What they say is in the canon, so that sync
/// may replace them.
fn corrected_sources(
    state: &ImportState<'_>,
    result: &ImportResult,
    conflicts: &[RepoPath],
) -> Vec<(RepoPath, FileState)> {
    let mut corrected = Vec::new();
    for item in result.imported.iter().filter(|item| item.to.is_within(&state.workspace.layout.skills())) {
        let document = item.to.join("SKILL.md");
        let written = result.edits.iter().find(|edit| *edit.path() == document && !conflicts.contains(&document));
        let Some(now) = written.and_then(Edit::now) else { continue };
        let sources = item.from.iter().map(|folder| folder.join("SKILL.md")).filter(is_mirror_path);
        let states = sources.filter_map(|path| state.files.get(&path).map(|at| (path.clone(), *at)));
        corrected.extend(states.filter(|(_, at)| *at != now));
    }
    // Rules, commands and subagents are one file each, and each tool has a form of its own.
    for item in result.imported.iter().filter(|item| !conflicts.contains(&item.to)) {
        corrected.extend(item.from.iter().filter_map(|path| Some((path.clone(), *state.files.get(path)?))));
    }
    corrected.sort_by(|a, b| a.0.cmp(&b.0));
    corrected
}

/// Refuses the files that another process created in the meantime.
fn refuse_conflicts(result: &mut ImportResult, conflicts: &[RepoPath]) {
    for path in conflicts {
        let item = result.imported.iter_mut().find(|item| path.is_within(&item.to));
        let from = item.map_or_else(RepoPath::default, |item| {
            item.new_files = item.new_files.saturating_sub(1);
            item.from.first().cloned().unwrap_or_default()
        });
        let reason = "another process created it in the meantime; check it and run this again".to_owned();
        result.refused.push(ImportRefusal { from, to: path.clone(), reason });
    }
}

/// The source to import; `None` if there is none.
fn choose_source(requested: Option<SourceKind>, detected: &[SourceKind]) -> Result<Option<SourceKind>, Error> {
    if let Some(kind) = requested {
        if detected.contains(&kind) {
            return Ok(Some(kind));
        }
        let message = format!("there is nothing of {} here: looked for {}", kind.name(), kind.paths().join(", "));
        return Err(Error::new(ErrorKind::Unreadable, message)
            .help("run this at the top of the repository with these files, or omit --from"));
    }
    // The files in the directories of tools are mostly generated by these sources.
    let managers: Vec<SourceKind> = detected.iter().copied().filter(|kind| kind.generates_tool_files()).collect();
    match managers.as_slice() {
        [] => Ok(detected.first().copied()),
        [one] => Ok(Some(*one)),
        several => {
            let names: Vec<&str> = several.iter().map(|kind| kind.name()).collect();
            let message = format!("there are several sources: {}; nothing was written", names.join(", "));
            let help = format!(
                "choose the one that takes precedence, for example `canonry import --from {}`; a second import adds what the first one did not",
                names[0]
            );
            Err(Error::new(ErrorKind::Usage, message).help(help))
        }
    }
}

/// The files of the sources and of the canon.
struct ImportState<'a> {
    workspace: &'a Workspace,
    files: BTreeMap<RepoPath, FileState>,
    canon: BTreeMap<RepoPath, FileState>,
    /// The texts of files that contain parts written by sync, without those parts.
    shared_texts: BTreeMap<RepoPath, String>,
    other_tool_files: Vec<RepoPath>,
    /// The directories of skills in mirrors.
    mirrored_skills: BTreeSet<RepoPath>,
    /// The files that sync wrote, or wrote parts of.
    synced: BTreeSet<RepoPath>,
    ignored_mirrors: BTreeSet<Target>,
}

impl<'a> ImportState<'a> {
    fn load(workspace: &'a Workspace) -> Result<Self, Error> {
        let view = &workspace.view;
        let lock = view.read(&workspace.layout.lock(), u64::MAX).into_bytes();
        // Without a valid lock, no mirror is known as one: its files are imported like any others.
        let lock = lock.and_then(|bytes| Lock::parse(&bytes).ok()).unwrap_or_default();
        let mut files = BTreeMap::new();
        for path in SourceKind::ALL.iter().flat_map(|kind| kind.paths()) {
            let path = RepoPath::from(*path);
            // Files below a link may belong to another project. The link itself is reported.
            if view.root(&path.parent().unwrap_or_default()) == MirrorRoot::Folder {
                files.extend(view.states_below(&path)?);
            }
        }
        // Mirrors come from the canon.
        files.retain(|path, _| !lock.owns(path) && !path.is_within(workspace.layout.root()));
        let is_shared = |path: &RepoPath| {
            let mut parts = lock.entries().iter().filter_map(|(entry, _)| ManagedPart::from_lock_path(entry));
            parts.any(|(file, _)| file == *path)
        };
        let shared: Vec<RepoPath> = files.keys().filter(|path| is_shared(path)).cloned().collect();
        let mut shared_texts = BTreeMap::new();
        for path in shared {
            match without_managed_parts(view, &path, &lock).filter(|text| !text.trim().is_empty()) {
                Some(text) => drop(shared_texts.insert(path, text)),
                // Nothing remains without the parts that sync wrote.
                None => drop(files.remove(&path)),
            }
        }
        let canon = view.states_below(workspace.layout.root())?.into_iter().collect();
        let other_tool_files = other_tool_files(workspace, &lock)?;
        let owned = lock.entries().iter().map(|(path, _)| path);
        let documents = owned.filter(|path| is_mirror_path(path) && is_skill_document(path));
        let mirrored_skills = documents.filter_map(RepoPath::parent).collect();
        let file_of =
            |path: &RepoPath| ManagedPart::from_lock_path(path).map_or_else(|| path.clone(), |(file, _)| file);
        let synced = lock.entries().iter().map(|(path, _)| file_of(path)).collect();
        let ignored_mirrors = ignored_mirrors(view)?;
        Ok(Self { workspace, files, canon, shared_texts, other_tool_files, mirrored_skills, synced, ignored_mirrors })
    }

    fn source(&self) -> ImportSource<'_> {
        ImportSource {
            layout: &self.workspace.layout,
            hash: self.workspace.view.object_hash(),
            files: &self.files,
            other_tool_files: &self.other_tool_files,
            mirrored_skills: &self.mirrored_skills,
            synced: &self.synced,
            canon: &self.canon,
            contents: &self.workspace.view,
            shared_texts: &self.shared_texts,
            max_file_size: LOG_LIMIT,
            ignored_mirrors: &self.ignored_mirrors,
            is_configured: self.workspace.origin != Origin::Elsewhere,
        }
    }

    fn detected_sources(&self) -> Vec<SourceKind> {
        let source = self.source();
        SourceKind::ALL.into_iter().filter(|kind| kind.exists(&source)).collect()
    }
}

/// The targets in whose mirrors git ignores a skill.
fn ignored_mirrors(view: &View) -> Result<BTreeSet<Target>, Error> {
    let document = |target: Target| target.skills_root().join("name/SKILL.md");
    let documents: Vec<RepoPath> = Target::ALL.into_iter().map(document).collect();
    let ignored = view.ignored(&documents)?;
    Ok(Target::ALL.into_iter().filter(|target| ignored.contains(&document(*target))).collect())
}

/// The files of tools in the whole repository that git does not ignore and that sync did not write.
fn other_tool_files(workspace: &Workspace, lock: &Lock) -> Result<Vec<RepoPath>, Error> {
    let view = &workspace.view;
    let is_in_canon = |path: &RepoPath| path.is_within(workspace.layout.root());
    let is_own = |path: &RepoPath| {
        let mut parts = lock.entries().iter().filter_map(|(entry, _)| ManagedPart::from_lock_path(entry));
        let is_shared = parts.any(|(file, _)| file == *path);
        is_shared && without_managed_parts(view, path, lock).is_none_or(|text| text.trim().is_empty())
    };
    let listing = view.list(&RepoPath::default(), IgnoreMode::Exclude)?;
    let paths = listing.files.into_iter().map(|file| file.entry.path);
    Ok(paths.filter(|path| is_tool_file(path) && !is_in_canon(path) && !lock.owns(path) && !is_own(path)).collect())
}
