//! Surveys the files that tools read besides skills: what they should contain, and what they contain.

use super::load::{DOCUMENT_LIMIT, PERMISSIONS_LIMIT};
use super::{IgnoreMode, ListedFile, View, ViewError};
use canonry_agents::managed_part::text_id;
use canonry_agents::request::CanonTextError;
use canonry_agents::sidecar;
use canonry_agents::unenforced::{Unenforced, configured_tools, unenforced};
use canonry_agents::{
    DesiredToolFiles, Executable, GeneratedFile, HoldBack, ManagedPart, ToolFileContext, ToolFileRequest,
    ToolFileSources, ToolFileState, desired_tool_files, executables, generated_folders, is_tool_file_entry,
    looser_subagent, may_be_generated, plan, relevant_files, required_sources,
};
use canonry_mirror::skipped::{SkipReason, Skipped};
use canonry_mirror::{DesiredFile, DesiredMirrors, Lock, MirrorRoot, MirrorState, WithheldSkill};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::inventory::SkillFolder;
use canonry_model::canon::{Blob, FileMode, FileState, Layout};
use canonry_model::config::{Config, Target, ToolFilesConfig, is_mirror_path};
use canonry_model::edit::{Edit, EditContent, OverwriteMode};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet};

/// Subject of a survey.
pub(super) struct ToolFileSurvey<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    pub config: &'a Config,
    /// The configured targets.
    pub configured: &'a [Target],
    /// The targets whose mirrors the view has.
    pub mirrored: &'a [Target],
    /// The targets that skills are mirrored to; none if there are no skills.
    pub targets: &'a [Target],
    /// The canon's skills.
    pub skills: &'a [SkillFolder],
    /// The list of skills for tools without skill support, if it is enabled.
    pub available_skills: Option<String>,
    /// The generated lists of skills, if they are enabled.
    pub registry: Vec<GeneratedFile>,
    /// Whether a person trusts an entry that makes tools execute commands.
    pub trusts: &'a dyn Fn(&Executable) -> bool,
}

/// The tool files that users write too.
#[derive(Debug, Default)]
pub struct ToolFileStates {
    /// Desired content of the files.
    pub desired: DesiredToolFiles,
    /// Actual content, by file.
    pub actual: BTreeMap<RepoPath, ToolFileState>,
}

/// Surveys the tool files. Adds generated files to `desired` and `actual`, as files like those of skills.
///
/// # Errors
/// Git's own files cannot be read.
pub(super) fn survey(
    view: &View,
    request: &ToolFileSurvey<'_>,
    owned: &Lock,
    mirrors: &mut DesiredMirrors,
    mirror_state: &mut MirrorState,
) -> Result<ToolFileStates, ViewError> {
    let files = &request.config.files;
    let mut sources = load_sources(view, request.layout, files)?;
    let desired_from = |sources: &ToolFileSources| {
        desired_tool_files(&ToolFileRequest {
            layout: request.layout,
            files,
            targets: request.targets,
            mirrors: request.configured,
            sources,
            available_skills: request.available_skills.as_deref(),
            hook_failure: request.config.hooks.fail,
        })
    };
    let mut desired = desired_from(&sources);
    let mut untrusted = executables(request.layout, &sources);
    untrusted.retain(|entry| !(request.trusts)(entry));
    if !untrusted.is_empty() {
        sources.withheld.clone_from(&untrusted);
        let without = desired_from(&sources);
        hold_back(view, request.layout, &untrusted, &mut desired, &without)?;
    }
    if files.agents.skills && request.available_skills.is_none() {
        // The skills are not known.
        desired.frozen.insert(RepoPath::from("AGENTS.md"));
    }
    desired.generated.extend(request.registry.iter().cloned());
    keep_stricter_subagents(view, &sources, owned, &mut desired);
    let unenforced = unenforced(request.layout, request.config, &sources, &configured_tools(request.config));
    desired.unenforced.extend(unenforced.iter().flat_map(Unenforced::problems));
    desired.accept(&files.accept_omitted);
    desired.follow_links(|file| file.resolve_beside(&view.link_text(file)?));
    // A file that git ignores is a person's, and cannot decide about a file of the team.
    if !view.list(&RepoPath::from(".claude/CLAUDE.md"), IgnoreMode::Exclude)?.files.is_empty() {
        desired.require_import(&RepoPath::from("CLAUDE.md"));
    }
    let problems = desired.problems.iter();
    mirrors.skipped.extend(problems.map(|problem| unusable(&problem.canon, problem.to_string())));
    mirrors.frozen.extend(desired.frozen.iter().cloned());
    let owned_files = owned_generated_files(request, owned);
    survey_generated_files(view, &desired, &owned_files, mirrors, mirror_state)?;
    if files.tool("codex").sidecar {
        add_sidecars(view, request, mirrors);
    }
    mirrors.files.sort_by(|a, b| a.path.cmp(&b.path));
    mirrors.frozen.sort();
    mirrors.frozen.dedup();
    let files = relevant_files(&desired, owned.entries());
    mirror_state.outside_checkout.extend(files.iter().filter(|file| view.is_outside_checkout(file)).cloned());
    let actual = files.into_iter().map(|file| Ok((file.clone(), tool_file_state(view, &file)?)));
    let actual = actual.collect::<Result<_, ViewError>>()?;
    Ok(ToolFileStates { desired, actual })
}

/// Leaves out what a person does not trust, unless the tools have it already.
fn hold_back(
    view: &View,
    layout: &Layout,
    untrusted: &BTreeSet<Executable>,
    desired: &mut DesiredToolFiles,
    without: &DesiredToolFiles,
) -> Result<(), ViewError> {
    let mut files = BTreeMap::new();
    for file in relevant_files(desired, &[]) {
        files.insert(file.clone(), tool_file_state(view, &file)?);
    }
    let is_written = |file: &GeneratedFile| match (view.read(&file.path, DOCUMENT_LIMIT), &file.text) {
        (Blob::Bytes(now), Some(text)) => now == text.as_bytes(),
        _ => false,
    };
    let context = HoldBack {
        layout,
        untrusted,
        files: &files,
        is_written: &is_written,
        is_tracked: &|path| view.is_tracked(path),
        hash: view.object_hash(),
    };
    context.apply(desired, without);
    Ok(())
}

/// The canonical files with entries that make tools execute commands, whatever the config turns on.
pub fn load_executables(view: &View, layout: &Layout) -> BTreeSet<Executable> {
    let mut sources = ToolFileSources::default();
    for path in [layout.hooks(), layout.mcp(), layout.permissions()] {
        let limit = if path == layout.permissions() { PERMISSIONS_LIMIT } else { DOCUMENT_LIMIT };
        if let Blob::Bytes(bytes) = view.read(&path, limit) {
            sources.add(path, Ok(bytes));
        }
    }
    executables(layout, &sources)
}

/// Leaves out the subagents that would replace a stricter file of a user, even by force.
fn keep_stricter_subagents(view: &View, sources: &ToolFileSources, owned: &Lock, desired: &mut DesiredToolFiles) {
    let mut kept = Vec::new();
    let looser = |file: &GeneratedFile| {
        if owned.owns(&file.path) {
            return None;
        }
        let existing = view.read(&file.path, DOCUMENT_LIMIT).into_bytes()?;
        let copy = || sources.get(&file.canon).and_then(Result::ok);
        let text = file.text.as_deref().or_else(copy)?;
        looser_subagent(&file.path, std::str::from_utf8(&existing).ok()?, text)
    };
    let is_subagent =
        |file: &GeneratedFile| may_be_generated(&file.path) && file.path.as_bstr().contains_str("/agents/");
    for file in std::mem::take(&mut desired.generated) {
        match Some(&file).filter(|file| is_subagent(file)).and_then(looser) {
            Some(looser) => {
                desired.frozen.insert(file.path.clone());
                desired.add_omission(&file.canon, looser.part, looser.message);
            }
            None => kept.push(file),
        }
    }
    desired.generated = kept;
}

fn unusable(path: &RepoPath, reason: String) -> Skipped {
    Skipped { path: path.clone(), reason: SkipReason::UnusableSource(reason) }
}

/// Reads the canonical files that tool files are made from.
///
/// # Errors
/// Git's own files cannot be read.
pub fn load_sources(view: &View, layout: &Layout, files: &ToolFilesConfig) -> Result<ToolFileSources, ViewError> {
    let mut sources = ToolFileSources::default();
    for path in required_sources(layout, files) {
        let listing = view.list(&path, IgnoreMode::Exclude)?;
        for (path, reason) in listing.unreadable {
            sources.add(path, Err(CanonTextError::Unreadable(reason.message)));
        }
        for file in listing.files {
            let path = file.entry.path;
            let limit = if path == layout.permissions() { PERMISSIONS_LIMIT } else { DOCUMENT_LIMIT };
            match view.read_kept(&path, limit) {
                Blob::Bytes(bytes) => sources.add(path, Ok(bytes)),
                Blob::Missing(BlobError::Absent) => {}
                Blob::Missing(error) => sources.add(path, Err(CanonTextError::Unreadable(error.to_string()))),
            }
        }
    }
    Ok(sources)
}

/// Generated files in the lock. A lock entry of any other path is ignored.
fn owned_generated_files(request: &ToolFileSurvey<'_>, owned: &Lock) -> Vec<RepoPath> {
    let below = |folder: &str| owned.below(&RepoPath::from(folder)).iter().map(|(path, _)| path.clone());
    let registry = request.layout.registry().into_iter().filter(|path| owned.owns(path));
    // Tools can share a folder.
    let paths: BTreeSet<RepoPath> = generated_folders().flat_map(below).chain(registry).collect();
    paths.into_iter().collect()
}

/// Adds the generated files that are desired or owned.
fn survey_generated_files(
    view: &View,
    desired: &DesiredToolFiles,
    owned: &[RepoPath],
    mirrors: &mut DesiredMirrors,
    mirror_state: &mut MirrorState,
) -> Result<(), ViewError> {
    let mut paths: Vec<RepoPath> = desired.generated.iter().map(|file| file.path.clone()).collect();
    paths.extend_from_slice(owned);
    paths.sort();
    paths.dedup();
    let mut listed: Vec<ListedFile> = Vec::new();
    for path in &paths {
        match view.root(&path.parent().unwrap_or_default()) {
            MirrorRoot::Folder => listed.extend(view.list(path, IgnoreMode::Include)?.files),
            // The target of a link is not ours to read.
            MirrorRoot::LinkInside(_)
            | MirrorRoot::LinkOutside(_)
            | MirrorRoot::NotAFolder(_)
            | MirrorRoot::Submodule(_) => {
                mirrors.frozen.push(path.clone());
            }
        }
    }
    let states = view.states(&listed);
    for (file, state) in listed.into_iter().zip(states) {
        let unknown = FileState { id: gix::ObjectId::null(view.object_hash()), mode: file.entry.mode };
        if view.is_outside_checkout(&file.entry.path) {
            mirror_state.outside_checkout.insert(file.entry.path.clone());
        }
        mirror_state.files.push((file.entry.path, state.unwrap_or(unknown)));
    }
    mirror_state.files.sort_by(|a, b| a.0.cmp(&b.0));
    mirror_state.files.dedup();
    for file in &desired.generated {
        match view.root(&file.path.parent().unwrap_or_default()) {
            MirrorRoot::Folder => mirrors.files.extend(desired_file(view, file)?),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
                let reason = format!("{} is not written: its folder is a link", file.path);
                mirrors.skipped.push(unusable(&file.canon, reason));
            }
            MirrorRoot::Submodule(parent) => {
                let reason = format!("{} is not written: {parent} is a submodule or another repository", file.path);
                mirrors.skipped.push(unusable(&file.canon, reason));
            }
            MirrorRoot::NotAFolder(parent) => {
                let reason = format!("{} is not written: {parent} is not a folder", file.path);
                mirrors.skipped.push(unusable(&file.canon, reason));
            }
        }
    }
    Ok(())
}

/// Adds a sidecar to each skill in the mirrors that Codex reads, unless the skill has its own.
fn add_sidecars(view: &View, request: &ToolFileSurvey<'_>, mirrors: &mut DesiredMirrors) {
    let is_read_by_codex = |target: &&Target| matches!(**target, Target::CODEX | Target::AGENTS);
    let targets: Vec<Target> = request.mirrored.iter().filter(is_read_by_codex).copied().collect();
    // The generated files at the end are not sorted yet.
    mirrors.files.sort_by(|a, b| a.path.cmp(&b.path));
    let folder = |withheld: &WithheldSkill| withheld.target.skills_root().join(withheld.skill.file_name());
    let withheld: BTreeSet<RepoPath> = mirrors.withheld.iter().map(folder).collect();
    let mut found = Vec::new();
    for skill in request.skills.iter().filter(|skill| skill.nested_in.is_none()) {
        let own = skill.path.join(sidecar::PATH);
        if skill.files.iter().any(|file| file.path == own) {
            continue;
        }
        let document = &skill.document.path;
        let text = sidecar_text(view.read(document, DOCUMENT_LIMIT));
        for folder in targets.iter().map(|target| target.skills_root().join(skill.path.file_name())) {
            let path = folder.join(sidecar::PATH);
            let position = |path: &RepoPath| mirrors.files.binary_search_by(|file| file.path.cmp(path)).ok();
            // An overlay for Codex may have a sidecar, or another document.
            if mirrors.frozen.contains(&folder) || withheld.contains(&folder) || position(&path).is_some() {
                continue;
            }
            let mirrored = position(&folder.join(document.file_name())).map(|at| &mirrors.files[at].content);
            let text = match mirrored.filter(|_| mirrors.overridden.contains_key(&folder)) {
                Some(EditContent::Bytes(bytes)) => sidecar_text(Blob::Bytes(bytes.clone())),
                Some(EditContent::CopyOf(path)) => sidecar_text(view.read(path, DOCUMENT_LIMIT)),
                Some(EditContent::Link(_)) | None => text.clone(),
            };
            match text {
                None => mirrors.frozen.push(path),
                Some(text) => {
                    let state = FileState { id: text_id(&text, view.object_hash()), mode: FileMode::File };
                    let content = EditContent::Bytes(text.into_bytes());
                    found.push(DesiredFile { path, state, content, canon: document.clone(), folder });
                }
            }
        }
    }
    mirrors.files.extend(found);
}

fn sidecar_text(document: Blob) -> Option<String> {
    sidecar::sidecar(&document.into_text()?)
}

fn desired_file(view: &View, file: &GeneratedFile) -> Result<Option<DesiredFile>, ViewError> {
    let (content, state) = match &file.text {
        Some(text) => {
            let state = FileState { id: text_id(text, view.object_hash()), mode: FileMode::File };
            (EditContent::Bytes(text.clone().into_bytes()), state)
        }
        None => {
            let files = view.list(&file.canon, IgnoreMode::Include)?.files;
            let Some(Some(state)) = view.states(&files).pop() else { return Ok(None) };
            (EditContent::CopyOf(file.canon.clone()), state)
        }
    };
    let path = file.path.clone();
    let canon = file.canon.clone();
    Ok(Some(DesiredFile { folder: path.clone(), path, state, content, canon }))
}

fn tool_file_state(view: &View, file: &RepoPath) -> Result<ToolFileState, ViewError> {
    match view.root(&file.parent().unwrap_or_default()) {
        MirrorRoot::Folder => {}
        MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
            return Ok(ToolFileState::Unusable("its folder is a link".to_owned()));
        }
        MirrorRoot::Submodule(parent) => {
            return Ok(ToolFileState::Unusable(format!("{parent} is a submodule or another repository")));
        }
        MirrorRoot::NotAFolder(parent) => return Ok(ToolFileState::Unusable(format!("{parent} is not a folder"))),
    }
    if let Some(text) = view.link_text(file) {
        return Ok(ToolFileState::Link(file.resolve_beside(&text)));
    }
    let files = view.list(file, IgnoreMode::Include)?.files;
    let state = view.states(&files).into_iter().zip(&files).find(|(_, listed)| listed.entry.path == *file);
    Ok(match (view.read_kept(file, DOCUMENT_LIMIT), state) {
        (Blob::Missing(BlobError::Absent), _) => ToolFileState::Missing,
        (Blob::Missing(error), _) => ToolFileState::Unusable(error.to_string()),
        (Blob::Bytes(_), None | Some((None, _))) => ToolFileState::Unusable("it cannot be read".to_owned()),
        (Blob::Bytes(bytes), Some((Some(state), _))) => match String::from_utf8(bytes) {
            Ok(text) => ToolFileState::Text { state, text },
            Err(_) => ToolFileState::Unusable("it is not UTF-8".to_owned()),
        },
    })
}

/// Whether sync can own a path at all: a file of a mirror, or a tool file. Whatever else a lock says is ignored.
pub fn may_be_owned(path: &RepoPath) -> bool {
    is_mirror_path(path) || is_tool_file_entry(path) || Layout::may_be_registry(path)
}

/// The content of a shared file without the managed parts, with `\n` as line ends; `None` if nothing else is left.
pub fn without_managed_parts(view: &View, file: &RepoPath, lock: &Lock) -> Option<String> {
    let state = tool_file_state(view, file).ok()?;
    let text = match &state {
        ToolFileState::Text { text, .. } => text.clone(),
        ToolFileState::Missing | ToolFileState::Link(_) | ToolFileState::Unusable(_) => return None,
    };
    let is_part = |path: &RepoPath| ManagedPart::from_lock_path(path).is_some_and(|(of, _)| of == *file);
    let owned: Vec<(RepoPath, FileState)> = lock.entries().iter().filter(|(path, _)| is_part(path)).cloned().collect();
    let desired = DesiredToolFiles::default();
    let files = BTreeMap::from([(file.clone(), state)]);
    let context = ToolFileContext {
        desired: &desired,
        files: &files,
        owned: &owned,
        was_there: &|_, _| false,
        hash: view.object_hash(),
    };
    let left = match plan(&context, OverwriteMode::OwnedOnly).edits.into_iter().next() {
        None => text,
        Some(Edit::Write { content: EditContent::Bytes(bytes), .. }) => String::from_utf8_lossy(&bytes).into_owned(),
        Some(Edit::Write { .. } | Edit::Remove { .. } | Edit::Rename { .. }) => return None,
    };
    Some(left.replace("\r\n", "\n"))
}
