//! Selects the files to check: the whole repository, staged changes, or named paths.

use super::exclusion::{Exclusion, FileArea};
use super::generated::GeneratedFiles;
use super::report::CheckNotice;
use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::import::is_workflow_of_another_program;
use canonry_model::canon::context_file::{AGENTS_FILE_NAMES, CONTEXT_PATHS};
use canonry_model::canon::file_kind::{FileKind, is_data, is_plan, is_yaml, may_be_workflow};
use canonry_model::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::plan_form::{has_plan_steps, is_other_data};
use canonry_model::canon::report::{ReportPlace, is_report};
use canonry_model::canon::schema::SchemaKind;
use canonry_model::canon::tool_file::kind::places_at_top;
use canonry_model::canon::tool_file::{PluginFolders, ToolFile};
use canonry_model::canon::workflow::is_workflow_text;
use canonry_model::canon::{FileMode, TreeEntry};
use canonry_model::config::Target;
use canonry_repo::view::load::{DOCUMENT_LIMIT, PLAN_LIMIT};
use canonry_repo::view::survey::mirrored;
use canonry_repo::view::{Basis, IgnoreMode, ListedFile, Listing, PathKind, View, ViewError, load};
use canonry_text::{RepoPath, yaml};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The files to check.
#[derive(Debug, Default)]
pub(super) struct CheckScope {
    /// Skills and other files that are checked one by one.
    pub files: Inventory,
    /// The content that is checked.
    pub basis: Basis,
    /// The whole canon, if rules about the repository apply.
    pub canon: Option<ListedCanon>,
    /// Pipes, sockets and devices.
    pub special_files: Vec<RepoPath>,
    /// Folders that cannot be listed.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// Named files of no kind that can be checked.
    pub unchecked: Vec<RepoPath>,
    pub exclusion: Exclusion,
    /// The number of excluded skills and files by pattern or folder.
    pub excluded: BTreeMap<String, usize>,
    /// Excluded files of the canon. They are in `files`, because rules compare them with others, but their findings are not
    /// reported. A skill counts as one file.
    pub left_out: usize,
    /// Skills among them.
    pub left_out_skills: usize,
    /// The staged changes, if the repository has a canon.
    changed: Option<BTreeSet<RepoPath>>,
    /// The listed folders, if the repository has no canon or the user named paths.
    listed_folders: Vec<RepoPath>,
}

/// The whole canon.
#[derive(Debug)]
pub(super) struct ListedCanon {
    /// Its files.
    pub listed: Vec<ListedFile>,
    /// The skills that are mirrored.
    pub inventory: Inventory,
}

impl CheckScope {
    /// Selects the files for the paths that the user named, or every file of the repository that an agent reads.
    ///
    /// # Errors
    /// The configured canon does not exist, or a named path does not exist.
    pub fn select(
        workspace: &Workspace,
        paths: &[PathBuf],
        basis: &Basis,
        exclusion: &Exclusion,
    ) -> Result<Self, Error> {
        let mut scope = Self { basis: basis.clone(), exclusion: exclusion.clone(), ..Self::default() };
        if !paths.is_empty() {
            return scope.with_paths(workspace, paths);
        }
        workspace.view.keep_listing()?;
        if workspace.expects_canon() {
            scope = scope.with_canon(workspace)?;
        }
        scope.with_rest(workspace)
    }

    /// Whether the whole repository is checked, because it has no canon or its top was named.
    pub fn is_whole_repository(&self) -> bool {
        self.canon.is_none() && self.listed_folders.iter().any(RepoPath::is_empty)
    }

    /// Notices for the user about the selection.
    pub fn notices(&self, workspace: &Workspace) -> Vec<CheckNotice> {
        let view = &workspace.view;
        let mut notices = Vec::new();
        if !self.unchecked.is_empty() {
            notices.push(CheckNotice::NotChecked(self.unchecked.iter().map(|path| view.full(path)).collect()));
        }
        let is_empty = self.files.skills.is_empty() && self.files.file_lists().iter().all(Vec::is_empty);
        // Without staged changes, there is nothing to check in a canon; and other canons may have something to check.
        let is_alone = self.basis != Basis::Index && !self.exclusion.has_nested_canons();
        if is_empty && self.unchecked.is_empty() && is_alone {
            let excluded = self.excluded.values().sum();
            notices.push(CheckNotice::NothingChecked { ignored: self.ignored(workspace, excluded), excluded });
        }
        notices
    }

    /// The number of skills and files in the listed folders that git ignores.
    fn ignored(&self, workspace: &Workspace, excluded: usize) -> usize {
        let count = |folder: &RepoPath| {
            let Ok(listing) = workspace.view.list(folder, IgnoreMode::Include) else { return 0 };
            let found = Inventory::from_entries(&listing.entries(), &workspace.layout);
            found.skills.len() + found.files(FileKind::Context).len()
        };
        self.listed_folders.iter().map(count).sum::<usize>().saturating_sub(excluded)
    }

    fn with_canon(self, workspace: &Workspace) -> Result<Self, Error> {
        workspace.require_canon()?;
        let view = &workspace.view;
        let layout = &workspace.layout;
        let list = || -> Result<_, ViewError> {
            let listing = view.list(layout.root(), IgnoreMode::Exclude)?;
            let mut entries = listing.entries();
            if layout.root().is_empty() {
                // The mirrors are in the canon, and their skills are those of `skills/`.
                entries.retain(|entry| Target::holding(&entry.path).is_none());
            }
            let all = Inventory::from_entries(&entries, layout);
            Ok((listing, entries, all))
        };
        let staged_changes = || (self.basis == Basis::Index).then(|| view.staged_changes()).flatten();
        let (listed, changed) = rayon::join(list, staged_changes);
        let (listing, entries, mut all) = listed?;
        add_log_folder(workspace, layout.root(), &mut all);
        add_context_files(workspace, &mut all)?;
        add_tool_files(workspace, &mut all)?;
        add_plan_folders(workspace, &mut all)?;
        remove_other_data(workspace, &mut all);
        let files = match &changed {
            Some(changed) => changed_files(workspace, &all, changed),
            None => all.clone(),
        };
        let inventory = mirrored(&entries, all, layout);
        let (excluded, left_out_skills) = self.excluded_from_canon(workspace, &files);
        Ok(Self {
            files,
            left_out: excluded.values().sum(),
            left_out_skills,
            excluded,
            canon: Some(ListedCanon { listed: listing.files, inventory }),
            special_files: listing.odd,
            unreadable: listing.unreadable,
            changed,
            ..self
        })
    }

    /// The excluded files of the canon by pattern, and the number of skills among them.
    fn excluded_from_canon(&self, workspace: &Workspace, files: &Inventory) -> (BTreeMap<String, usize>, usize) {
        let mut excluded = BTreeMap::new();
        let top = RepoPath::default();
        let mut is_excluded = |path: &RepoPath| {
            let reason = self.exclusion.reason(&workspace.view, path, &top, FileArea::Canon);
            reason.map(|reason| *excluded.entry(reason).or_default() += 1).is_some()
        };
        let skills = files.skills.iter().filter(|skill| is_excluded(&skill.document.path)).count();
        files.file_lists().iter().flatten().for_each(|entry| {
            is_excluded(&entry.path);
        });
        (excluded, skills)
    }

    fn with_paths(mut self, workspace: &Workspace, paths: &[PathBuf]) -> Result<Self, Error> {
        let tops = paths.iter().map(|given| workspace.inside(given)).collect::<Result<Vec<_>, _>>()?;
        self.exclusion = self.exclusion.with_tops(tops.clone());
        for (given, path) in paths.iter().zip(tops) {
            match workspace.view.kind(&path) {
                PathKind::Nothing => {
                    let message = format!("{} does not exist", given.display());
                    let help = "name a file or a folder of this repository";
                    return Err(Error::new(ErrorKind::Unreadable, message).help(help));
                }
                PathKind::Folder => self.add_folder(workspace, &path, |_| true)?,
                PathKind::File => self.add_file(workspace, &path)?,
            }
        }
        self.sort_files();
        Ok(self)
    }

    /// Adds what agents read outside of the canon, except the mirrors and the files that sync wrote.
    fn with_rest(mut self, workspace: &Workspace) -> Result<Self, Error> {
        let top = RepoPath::default();
        if self.canon.is_some() && workspace.layout.root().is_empty() {
            return Ok(self);
        }
        let exclusion = self.exclusion.clone();
        let is_elsewhere =
            |path: &RepoPath| path.is_within(workspace.layout.root()) || exclusion.is_in_nested_canon(path);
        if self.changed.as_ref().is_some_and(|changed| changed.iter().all(is_elsewhere)) {
            return Ok(self);
        }
        let Some(generated) = self.canon.as_ref().map(|canon| GeneratedFiles::new(workspace, &canon.inventory)) else {
            self.add_folder(workspace, &top, |path| !exclusion.is_in_nested_canon(path))?;
            if let Some(changed) = (self.basis == Basis::Index).then(|| workspace.view.staged_changes()).flatten() {
                self.files = changed_files(workspace, &self.files, &changed);
            }
            return Ok(self);
        };
        let is_outside = |path: &RepoPath| !is_elsewhere(path) && !generated.contains(path);
        if self.changed.as_ref().is_some_and(|changed| !changed.iter().any(is_outside)) {
            return Ok(self);
        }
        let mut rest = Self { basis: self.basis.clone(), exclusion: self.exclusion.clone(), ..Self::default() };
        rest.add_folder(workspace, &top, is_outside)?;
        if let Some(changed) = &self.changed {
            rest.files = changed_files(workspace, &rest.files, changed);
        }
        self.special_files.append(&mut rest.special_files);
        self.unreadable.append(&mut rest.unreadable);
        for (reason, count) in rest.excluded {
            *self.excluded.entry(reason).or_default() += count;
        }
        self.files.skills.append(&mut rest.files.skills);
        self.files.linked_skills.append(&mut rest.files.linked_skills);
        for (list, more) in self.files.file_lists_mut().iter_mut().zip(rest.files.file_lists_mut()) {
            list.append(more);
        }
        self.sort_files();
        Ok(self)
    }

    fn sort_files(&mut self) {
        self.files.skills.sort_by(|a, b| a.path.cmp(&b.path));
        self.files.skills.dedup();
        self.files.linked_skills.sort();
        self.files.linked_skills.dedup();
        for list in self.files.file_lists_mut() {
            list.sort();
            list.dedup();
        }
    }

    /// Adds the files below a folder, of those that are wanted.
    fn add_folder(
        &mut self,
        workspace: &Workspace,
        path: &RepoPath,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> Result<(), Error> {
        let listing = self.list(workspace, path)?;
        let mut entries = listing.entries();
        entries.retain(|entry| is_wanted(&entry.path));
        let mut found = Inventory::from_entries(&entries, &workspace.layout);
        if is_wanted(&workspace.layout.log()) {
            add_log_folder(workspace, path, &mut found);
        }
        let mut candidates: Vec<TreeEntry> =
            entries.into_iter().filter(|entry| is_workflow_candidate(workspace, entry)).collect();
        self.remove_excluded(workspace, path, &mut found);
        candidates.retain(|entry| self.exclusion_of(workspace, &entry.path, path).is_none());
        remove_other_data(workspace, &mut found);
        remove_other_tool_files(workspace, &mut found);
        add_workflows(workspace, candidates, &mut found);
        for (list, more) in self.files.file_lists_mut().iter_mut().zip(found.file_lists_mut()) {
            list.append(more);
        }
        self.files.skills.extend(found.skills);
        self.files.linked_skills.extend(found.linked_skills);
        let is_included =
            |path_of: &RepoPath| is_wanted(path_of) && self.exclusion_of(workspace, path_of, path).is_none();
        let odd: Vec<RepoPath> = listing.odd.into_iter().filter(is_included).collect();
        let unreadable: Vec<_> = listing.unreadable.into_iter().filter(|(folder, _)| is_included(folder)).collect();
        self.special_files.extend(odd);
        self.unreadable.extend(unreadable);
        self.listed_folders.push(path.clone());
        Ok(())
    }

    /// The files below a named folder. If git ignores all of them, the user means them nevertheless.
    fn list(&self, workspace: &Workspace, folder: &RepoPath) -> Result<Listing, Error> {
        if self.exclusion.includes_all() {
            return Ok(workspace.view.list(folder, IgnoreMode::Include)?);
        }
        let listing = workspace.view.list(folder, IgnoreMode::Exclude)?;
        if listing.files.is_empty() && !folder.is_empty() {
            return Ok(workspace.view.list(folder, IgnoreMode::Include)?);
        }
        Ok(listing)
    }

    /// Why a file below a named folder is excluded.
    fn exclusion_of(&self, workspace: &Workspace, path: &RepoPath, top: &RepoPath) -> Option<String> {
        let place = if path.is_within(workspace.layout.root()) { FileArea::Canon } else { FileArea::Repository };
        self.exclusion.reason(&workspace.view, path, top, place)
    }

    /// Removes and counts the excluded skills and files below a named folder.
    fn remove_excluded(&mut self, workspace: &Workspace, top: &RepoPath, found: &mut Inventory) {
        let mut excluded = std::mem::take(&mut self.excluded);
        let mut is_included = |path: &RepoPath| match self.exclusion_of(workspace, path, top) {
            Some(reason) => {
                *excluded.entry(reason).or_default() += 1;
                false
            }
            None => true,
        };
        found.skills.retain(|skill| is_included(&skill.document.path));
        found.linked_skills.retain(|link| is_included(&link.path));
        // The name of a plan is no proof that a file is one, so excluded files with that name are not counted.
        found.files_mut(FileKind::Plan).retain(|entry| self.exclusion_of(workspace, &entry.path, top).is_none());
        for list in found.file_lists_mut() {
            list.retain(|entry| is_included(&entry.path));
        }
        self.excluded = excluded;
    }

    /// Adds a named file: by its kind, as part of the skill it belongs to, or by its content.
    fn add_file(&mut self, workspace: &Workspace, path: &RepoPath) -> Result<(), Error> {
        let entry = TreeEntry { path: path.clone(), mode: FileMode::File };
        let is_named_schema = || SchemaKind::from_team_file(path).is_some();
        let plugins = plugin_folders(workspace);
        let kind = FileKind::from_path(path, &workspace.layout).filter(|kind| match kind {
            FileKind::Plan => false,
            FileKind::ToolFile => ToolFile::kind_at(path, &plugins).is_some(),
            _ => true,
        });
        if let Some(kind) = kind.or_else(|| is_named_schema().then_some(FileKind::Schema)) {
            self.files.files_mut(kind).push(entry);
        } else if let Some(skill) = skill_around(workspace, path)? {
            self.exclusion.add_top(skill.path.clone());
            self.files.skills.push(skill);
        } else if let Some(kind) = data_kind(workspace, path) {
            self.files.files_mut(kind).push(entry);
        } else {
            self.unchecked.push(path.clone());
        }
        Ok(())
    }

    /// The same files reduced to those that changed, for a check of fixed files.
    pub fn reduced_to(&self, changed: &BTreeSet<RepoPath>) -> Self {
        let mut files = self.files.clone();
        files.skills.retain(|skill| changed.contains(&skill.document.path));
        files.linked_skills.clear();
        for list in files.file_lists_mut() {
            list.retain(|entry| changed.contains(&entry.path));
        }
        Self { files, basis: self.basis.clone(), exclusion: self.exclusion.clone(), ..Self::default() }
    }
}

impl ListedCanon {
    /// Whether a folder is a skill that is not nested in another one.
    pub fn is_outermost_skill(&self, folder: &RepoPath) -> bool {
        let skills = &self.inventory.skills;
        let at = skills.binary_search_by(|skill| skill.path.cmp(folder));
        at.is_ok_and(|at| skills[at].nested_in.is_none())
    }
}

/// The files to check for staged changes. A skill is checked again if any of its files changed, everything if a schema
/// changed.
fn changed_files(workspace: &Workspace, all: &Inventory, changed: &BTreeSet<RepoPath>) -> Inventory {
    if all.files(FileKind::Schema).iter().any(|entry| changed.contains(&entry.path)) {
        return all.clone();
    }
    let is_touched = |skill: &&SkillFolder| {
        let inside = changed.range(skill.path.clone()..).take_while(|p| p.as_bstr().starts_with(skill.path.as_bstr()));
        inside.into_iter().any(|path| path.is_within(&skill.path))
    };
    // Sync skips skills of the canon whose folders have the same name, also if none of them changed.
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let name = |skill: &SkillFolder| skill.path.file_name_lossy().to_lowercase();
    let has_canon = workspace.has_canon();
    let is_synced = |skill: &&SkillFolder| has_canon && skill.path.is_within(workspace.layout.root());
    all.skills.iter().filter(is_synced).for_each(|skill| *names.entry(name(skill)).or_default() += 1);
    let is_clashing =
        |skill: &&SkillFolder| is_synced(skill) && names.get(&name(skill)).is_some_and(|count| *count > 1);
    let mut files = Inventory::default();
    files.skills = all.skills.iter().filter(|skill| is_touched(skill) || is_clashing(skill)).cloned().collect();
    files.linked_skills.clone_from(&all.linked_skills);
    for (list, all) in files.file_lists_mut().iter_mut().zip(all.file_lists()) {
        list.extend(all.iter().filter(|entry| changed.contains(&entry.path)).cloned());
    }
    // A plan may contradict a report that was added or removed. The content of a report in no folder of a plan names it.
    let layout = &workspace.layout;
    let places = changed.iter().map(|path| ReportPlace::from_path(path, layout));
    let places: Vec<ReportPlace> = places.filter(|place| *place != ReportPlace::Outside).collect();
    let reported: BTreeSet<&str> = places.iter().filter_map(ReportPlace::plan).collect();
    let is_any_reported = places.contains(&ReportPlace::Flat);
    let is_reported = |plan: &TreeEntry| {
        layout.plan_id(&plan.path).is_some_and(|id| is_any_reported || reported.contains(id.as_str()))
    };
    let plans = all.files(FileKind::Plan).iter();
    *files.files_mut(FileKind::Plan) =
        plans.filter(|entry| changed.contains(&entry.path) || is_reported(entry)).cloned().collect();
    // A context file may import a removed file, and what Codex reads with an `AGENTS.md` depends on those above it.
    let is_removed =
        |path: &RepoPath| path.as_bstr().ends_with(b".md") && workspace.view.kind(path) == PathKind::Nothing;
    let is_agents_file = |path: &RepoPath| AGENTS_FILE_NAMES.iter().any(|name| path.file_name() == *name);
    if changed.iter().any(|path| is_removed(path) || is_agents_file(path)) {
        *files.files_mut(FileKind::Context) = all.files(FileKind::Context).to_vec();
    }
    files
}

/// A folder in place of the log is no file of that kind, but the log's rules report it.
fn add_log_folder(workspace: &Workspace, folder: &RepoPath, files: &mut Inventory) {
    let path = workspace.layout.log();
    if path.is_within(folder) && workspace.view.kind(&path) == PathKind::Folder {
        files.files_mut(FileKind::Log).push(TreeEntry { path, mode: FileMode::File });
    }
}

/// Adds the context files outside the canon that every session in the repository reads. Those of other folders are
/// checked only if they are named.
fn add_context_files(workspace: &Workspace, files: &mut Inventory) -> Result<(), Error> {
    let contexts = files.files_mut(FileKind::Context);
    for place in CONTEXT_PATHS.map(RepoPath::from) {
        if workspace.view.kind(&place) == PathKind::Nothing || place.is_within(workspace.layout.root()) {
            continue;
        }
        let listing = workspace.view.list(&place, IgnoreMode::Exclude)?;
        contexts
            .extend_from_slice(Inventory::from_entries(&listing.entries(), &workspace.layout).files(FileKind::Context));
    }
    contexts.sort();
    contexts.dedup();
    Ok(())
}

/// Adds the tool files at the top of the repository. Those of other folders are checked only if they are named.
fn add_tool_files(workspace: &Workspace, files: &mut Inventory) -> Result<(), Error> {
    let mut found = Inventory::default();
    for place in places_at_top().map(RepoPath::from) {
        if workspace.view.kind(&place) == PathKind::Nothing || place.is_within(workspace.layout.root()) {
            continue;
        }
        let listing = workspace.view.list(&place, IgnoreMode::Exclude)?;
        let mut here = Inventory::from_entries(&listing.entries(), &workspace.layout);
        found.files_mut(FileKind::ToolFile).append(here.files_mut(FileKind::ToolFile));
    }
    remove_other_tool_files(workspace, &mut found);
    let tool_files = files.files_mut(FileKind::ToolFile);
    tool_files.append(found.files_mut(FileKind::ToolFile));
    tool_files.sort();
    tool_files.dedup();
    Ok(())
}

/// Removes files whose path has a meaning only in a plugin, and that are in none.
fn remove_other_tool_files(workspace: &Workspace, files: &mut Inventory) {
    let plugins = plugin_folders(workspace);
    files.files_mut(FileKind::ToolFile).retain(|entry| ToolFile::kind_at(&entry.path, &plugins).is_some());
}

/// The plugins of the repository, and what exists in it.
pub(super) fn plugin_folders(workspace: &Workspace) -> PluginFolders<'_> {
    let view = &workspace.view;
    PluginFolders::new(move |path| exists(view, path), move |path| view.read_kept(path, DOCUMENT_LIMIT))
        .with_canon(workspace.has_canon().then(|| workspace.layout.root().clone()))
}

/// Whether there is anything at a path, or its absence says nothing.
pub(super) fn exists(view: &View, path: &RepoPath) -> bool {
    let is_below_submodule =
        || std::iter::successors(path.parent(), RepoPath::parent).any(|folder| view.is_submodule(&folder));
    view.kind(path) != PathKind::Nothing || view.is_outside_checkout(path) || is_below_submodule()
}

/// Adds the configured folders with plans and reports that are outside the canon.
fn add_plan_folders(workspace: &Workspace, files: &mut Inventory) -> Result<(), Error> {
    let layout = &workspace.layout;
    for root in layout.plan_roots().iter().chain(layout.report_roots()) {
        if root.is_within(layout.root()) {
            continue;
        }
        let listing = workspace.view.list(root, IgnoreMode::Exclude)?;
        let mut found = Inventory::from_entries(&listing.entries(), layout);
        for kind in [FileKind::Plan, FileKind::Report, FileKind::PhaseArtifact] {
            files.files_mut(kind).append(found.files_mut(kind));
        }
    }
    for kind in [FileKind::Plan, FileKind::Report, FileKind::PhaseArtifact] {
        files.files_mut(kind).sort();
        files.files_mut(kind).dedup();
    }
    Ok(())
}

/// Removes files that have the name of a plan, are outside the folders with plans, and clearly are something else.
fn remove_other_data(workspace: &Workspace, files: &mut Inventory) {
    let is_plan = |path: &RepoPath| workspace.layout.is_in_plans(path) || may_be_plan(workspace, path);
    files.files_mut(FileKind::Plan).retain(|entry| is_plan(&entry.path));
}

/// Whether a file with the name of a plan is one. A plan with errors is still a plan.
fn may_be_plan(workspace: &Workspace, path: &RepoPath) -> bool {
    let Some(text) = data_text(workspace, path) else { return true };
    !is_other_data(&text)
}

/// The kind of a named YAML or JSON file: by its folder, by its content, or by the name of a plan.
fn data_kind(workspace: &Workspace, path: &RepoPath) -> Option<FileKind> {
    if !is_data(path) || workspace.layout.is_in_plans(path) {
        return FileKind::from_path(path, &workspace.layout);
    }
    let text = data_text(workspace, path);
    let document = text.as_ref().and_then(|text| yaml::parse(text, 0).ok());
    let root = document.as_ref().map(|document| &document.root);
    if root.is_some_and(has_plan_steps) {
        Some(FileKind::Plan)
    } else if root.is_some_and(is_report) {
        Some(FileKind::Report)
    } else if is_plan(path) && text.is_none_or(|text| !is_other_data(&text)) {
        Some(FileKind::Plan)
    } else {
        (is_yaml(path) && is_workflow(workspace, path)).then_some(FileKind::Workflow)
    }
}

fn data_text(workspace: &Workspace, path: &RepoPath) -> Option<String> {
    workspace.view.read_kept(path, PLAN_LIMIT).into_text()
}

/// Whether a file of no other kind could be a workflow.
fn is_workflow_candidate(workspace: &Workspace, entry: &TreeEntry) -> bool {
    may_be_workflow(&entry.path)
        && entry.mode.is_file()
        && !is_workflow_of_another_program(&entry.path)
        && FileKind::from_path(&entry.path, &workspace.layout).is_none()
}

/// Adds workflows outside the canon's `workflows/`, which only their keys identify.
fn add_workflows(workspace: &Workspace, candidates: Vec<TreeEntry>, files: &mut Inventory) {
    let workflows = candidates.into_iter().filter(|entry| is_workflow(workspace, &entry.path));
    files.files_mut(FileKind::Workflow).extend(workflows);
}

/// Whether a file has the keys of a workflow.
fn is_workflow(workspace: &Workspace, path: &RepoPath) -> bool {
    let source = load::source(&workspace.view, path);
    source.is_some_and(|source| is_workflow_text(source.text()))
}

/// The innermost skill whose folder contains a path.
fn skill_around(workspace: &Workspace, path: &RepoPath) -> Result<Option<SkillFolder>, Error> {
    for folder in std::iter::successors(path.parent(), RepoPath::parent) {
        let is_document = |name: &&str| workspace.view.kind(&folder.join(name)) == PathKind::File;
        let is_named = is_skill_document(path) && path.parent().as_ref() == Some(&folder);
        if !is_named && !["SKILL.md", "skill.md"].iter().any(is_document) {
            continue;
        }
        // At the top of a repository, only the document itself names the skill.
        if folder.is_empty() && !is_named {
            break;
        }
        let list = |mode| workspace.view.list(&folder, mode).map(|listing| listing.entries());
        let mut entries = list(IgnoreMode::Exclude)?;
        // A named document is checked even if git ignores it, with the files that it refers to.
        if is_named && entries.binary_search_by(|entry| entry.path.cmp(path)).is_err() {
            entries = list(IgnoreMode::Include)?;
        }
        let skills = Inventory::from_entries(&entries, &workspace.layout).skills;
        return Ok(skills.into_iter().find(|skill| skill.path == folder));
    }
    Ok(None)
}
