//! What the tools read besides skills, seen through a view: the canon's side, and what stands there.

use super::load::DOCUMENT_LIMIT;
use super::{IgnoreMode, ListedFile, View, ViewError};
use crate::canon::blob::BlobError;
use crate::canon::inventory::SkillFolder;
use crate::canon::{Blob, FileMode, FileState, Layout};
use crate::config::{Target, ToolFilesConfig};
use crate::edit::{Edit, EditContent, OverwriteMode};
use crate::mirror::desired::{SkipReason, Skipped};
use crate::mirror::{DesiredFile, DesiredMirrors, Lock, MirrorRoot, MirrorState, WithheldSkill};
use crate::syntax::RepoPath;
use crate::toolfiles::managed_part::text_id;
use crate::toolfiles::request::SourceError;
use crate::toolfiles::sidecar;
use crate::toolfiles::{
    DesiredToolFiles, GeneratedFile, ManagedPart, ToolFileContext, ToolFileRequest, ToolFileSources, ToolFileState,
    desired_tool_files, is_tool_file_entry, may_be_generated, plan, relevant_files, required_sources,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is to be looked at.
pub(super) struct Sight<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// What is switched on.
    pub files: &'a ToolFilesConfig,
    /// The configured targets, and those of them whose mirrors this view has.
    pub mirrors: (&'a [Target], &'a [Target]),
    /// The targets that a skill is mirrored to; none where there is no skill.
    pub targets: &'a [Target],
    /// The canon's skills.
    pub skills: &'a [SkillFolder],
    /// The lists of them, where they are kept.
    pub registry: Vec<GeneratedFile>,
}

/// Files that are shared with people: what should stand in them, and what does.
#[derive(Debug, Default)]
pub struct Shared {
    /// What should.
    pub wanted: DesiredToolFiles,
    /// What does, by file.
    pub standing: BTreeMap<RepoPath, ToolFileState>,
}

/// Looks. Whole files become wants like those of skills.
///
/// # Errors
/// [`ViewError::Git`] where git's own files cannot be read.
pub(super) fn look(
    view: &View,
    sight: &Sight<'_>,
    ours: &Lock,
    (desired, actual): (&mut DesiredMirrors, &mut MirrorState),
) -> Result<Shared, ViewError> {
    let sources = sources(view, sight)?;
    let wish = ToolFileRequest {
        layout: sight.layout,
        files: sight.files,
        targets: sight.targets,
        mirrors: sight.mirrors.0,
        sources: &sources,
    };
    let mut wanted = desired_tool_files(&wish);
    wanted.generated.extend(sight.registry.iter().cloned());
    let skipped = wanted.problems.iter().map(|problem| Skipped {
        path: problem.canon.clone(),
        reason: SkipReason::UnusableSource(problem.message.clone()),
    });
    desired.skipped.extend(skipped);
    desired.frozen.extend(wanted.frozen.iter().cloned());
    wholes(view, &wanted, &owned(sight, ours), (desired, actual))?;
    if sight.files.codex.sidecar {
        sidecars(view, sight, desired);
    }
    desired.files.sort_by(|a, b| a.path.cmp(&b.path));
    desired.frozen.sort();
    desired.frozen.dedup();
    let files = relevant_files(&wanted, ours.entries());
    let standing = files.into_iter().map(|file| Ok((file.clone(), standing(view, &file)?)));
    let standing = standing.collect::<Result<_, ViewError>>()?;
    Ok(Shared { wanted, standing })
}

fn sources(view: &View, sight: &Sight<'_>) -> Result<ToolFileSources, ViewError> {
    let mut sources = ToolFileSources::default();
    for path in required_sources(sight.layout, sight.files) {
        let listing = view.list(&path, IgnoreMode::Exclude)?;
        for (path, reason) in listing.unreadable {
            sources.add(path, Err(SourceError::Unreadable(reason.message)));
        }
        for file in listing.files {
            let path = file.entry.path;
            match view.read(&path, DOCUMENT_LIMIT) {
                Blob::Bytes(bytes) => sources.add(path, Ok(bytes)),
                Blob::Missing(BlobError::Absent) => {}
                Blob::Missing(missing) => sources.add(path, Err(SourceError::Unreadable(missing.to_string()))),
            }
        }
    }
    Ok(sources)
}

/// Whole files that are ours; whatever a lock says, nothing else is taken for one.
fn owned(sight: &Sight<'_>, ours: &Lock) -> Vec<RepoPath> {
    let registry = sight.layout.registry();
    let paths = ours.entries().iter().map(|(path, _)| path);
    paths.filter(|path| may_be_generated(path) || registry.contains(path)).cloned().collect()
}

/// Whole files that are wanted or ours, beside the mirrors of skills.
fn wholes(
    view: &View,
    wanted: &DesiredToolFiles,
    ours: &[RepoPath],
    (desired, actual): (&mut DesiredMirrors, &mut MirrorState),
) -> Result<(), ViewError> {
    let mut paths: Vec<RepoPath> = wanted.generated.iter().map(|whole| whole.path.clone()).collect();
    paths.extend_from_slice(ours);
    paths.sort();
    paths.dedup();
    let mut listed: Vec<ListedFile> = Vec::new();
    for path in &paths {
        match view.root(&path.parent().unwrap_or_default()) {
            MirrorRoot::Folder => listed.extend(view.list(path, IgnoreMode::Include)?.files),
            // What lies behind a link is not ours to look at.
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) | MirrorRoot::NotAFolder(_) => {
                desired.frozen.push(path.clone())
            }
        }
    }
    let states = view.states(&listed);
    for (file, state) in listed.into_iter().zip(states) {
        let unknown = FileState { id: gix::ObjectId::null(view.object_hash()), mode: file.entry.mode };
        actual.files.push((file.entry.path, state.unwrap_or(unknown)));
    }
    actual.files.sort_by(|a, b| a.0.cmp(&b.0));
    actual.files.dedup();
    for whole in &wanted.generated {
        match view.root(&whole.path.parent().unwrap_or_default()) {
            MirrorRoot::Folder => desired.files.extend(want(view, whole)?),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
                let why = format!("{} is not written: its folder is a link", whole.path);
                desired.skipped.push(Skipped { path: whole.canon.clone(), reason: SkipReason::UnusableSource(why) });
            }
            MirrorRoot::NotAFolder(by) => {
                let why = format!("{} is not written: {by} is not a folder", whole.path);
                desired.skipped.push(Skipped { path: whole.canon.clone(), reason: SkipReason::UnusableSource(why) });
            }
        }
    }
    Ok(())
}

/// Beside each skill that is mirrored to where Codex looks, unless it has a sidecar of its own.
fn sidecars(view: &View, sight: &Sight<'_>, desired: &mut DesiredMirrors) {
    let read_by_codex = |target: &&Target| matches!(target, Target::Codex | Target::Agents);
    let (_, mirrors) = sight.mirrors;
    let targets: Vec<Target> = mirrors.iter().filter(read_by_codex).copied().collect();
    // Those of skills are sorted; those of whole files stand behind them.
    desired.files.sort_by(|a, b| a.path.cmp(&b.path));
    let folder_of = |gate: &WithheldSkill| gate.target.skills_root().join(gate.skill.file_name());
    let gated: BTreeSet<RepoPath> = desired.withheld.iter().map(folder_of).collect();
    let mut found = Vec::new();
    for skill in sight.skills.iter().filter(|skill| skill.nested_in.is_none()) {
        let own = skill.path.join(sidecar::PATH);
        if skill.files.iter().any(|file| file.path == own) {
            continue;
        }
        let document = &skill.document.path;
        let text = sidecar_of(view.read(document, DOCUMENT_LIMIT));
        for folder in targets.iter().map(|target| target.skills_root().join(skill.path.file_name())) {
            let path = folder.join(sidecar::PATH);
            // Codex may have another document, or a sidecar, from an overlay.
            let wanted = |path: &RepoPath| desired.files.binary_search_by(|want| want.path.cmp(path)).ok();
            if desired.frozen.contains(&folder) || gated.contains(&folder) || wanted(&path).is_some() {
                continue;
            }
            let own = wanted(&folder.join(document.file_name())).map(|at| &desired.files[at].content);
            let text = match own.filter(|_| desired.overridden.contains_key(&folder)) {
                Some(EditContent::Bytes(bytes)) => sidecar_of(Blob::Bytes(bytes.clone())),
                Some(EditContent::CopyOf(path)) => sidecar_of(view.read(path, DOCUMENT_LIMIT)),
                Some(EditContent::Link(_)) | None => text.clone(),
            };
            match text {
                None => desired.frozen.push(path),
                Some(text) => {
                    let state = FileState { id: text_id(&text, view.object_hash()), mode: FileMode::File };
                    let content = EditContent::Bytes(text.into_bytes());
                    found.push(DesiredFile { path, state, content, canon: document.clone(), folder });
                }
            }
        }
    }
    desired.files.extend(found);
}

fn sidecar_of(document: Blob) -> Option<String> {
    match document {
        Blob::Bytes(bytes) => String::from_utf8(bytes).ok().and_then(|text| sidecar::sidecar(&text)),
        Blob::Missing(_) => None,
    }
}

fn want(view: &View, whole: &GeneratedFile) -> Result<Option<DesiredFile>, ViewError> {
    let (content, state) = match &whole.text {
        Some(text) => {
            let state = FileState { id: text_id(text, view.object_hash()), mode: FileMode::File };
            (EditContent::Bytes(text.clone().into_bytes()), state)
        }
        None => {
            let files = view.list(&whole.canon, IgnoreMode::Include)?.files;
            let Some(Some(state)) = view.states(&files).pop() else { return Ok(None) };
            (EditContent::CopyOf(whole.canon.clone()), state)
        }
    };
    let (path, canon) = (whole.path.clone(), whole.canon.clone());
    Ok(Some(DesiredFile { folder: path.clone(), path, state, content, canon }))
}

fn standing(view: &View, file: &RepoPath) -> Result<ToolFileState, ViewError> {
    match view.root(&file.parent().unwrap_or_default()) {
        MirrorRoot::Folder => {}
        MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
            return Ok(ToolFileState::Unusable("its folder is a link".to_owned()));
        }
        MirrorRoot::NotAFolder(by) => return Ok(ToolFileState::Unusable(format!("{by} is not a folder"))),
    }
    if let Some(text) = view.link_text(file) {
        return Ok(ToolFileState::Link(file.resolve_beside(&text)));
    }
    let files = view.list(file, IgnoreMode::Include)?.files;
    let state = view.states(&files).into_iter().zip(&files).find(|(_, listed)| listed.entry.path == *file);
    Ok(match (view.read(file, DOCUMENT_LIMIT), state) {
        (Blob::Missing(BlobError::Absent), _) => ToolFileState::Missing,
        (Blob::Missing(missing), _) => ToolFileState::Unusable(missing.to_string()),
        (Blob::Bytes(_), None | Some((None, _))) => ToolFileState::Unusable("it cannot be read".to_owned()),
        (Blob::Bytes(bytes), Some((Some(state), _))) => match String::from_utf8(bytes) {
            Ok(text) => ToolFileState::Text { state, text },
            Err(_) => ToolFileState::Unusable("it is not UTF-8".to_owned()),
        },
    })
}

/// Whether sync may have written a path, whatever a lock says: a mirror's file, or one of the tools' files.
pub fn may_be_ours(path: &RepoPath) -> bool {
    Target::holding(path).is_some() || is_tool_file_entry(path) || Layout::may_be_registry(path)
}

/// What a shared file holds besides what is ours, with `\n` as line ends; `None` where that is nothing, not even a file.
pub fn without_ours(view: &View, file: &RepoPath, lock: &Lock) -> Option<String> {
    let standing = standing(view, file).ok()?;
    let text = match &standing {
        ToolFileState::Text { text, .. } => text.clone(),
        ToolFileState::Missing | ToolFileState::Link(_) | ToolFileState::Unusable(_) => return None,
    };
    let (wanted, standing) = (DesiredToolFiles::default(), BTreeMap::from([(file.clone(), standing)]));
    let ours: Vec<(RepoPath, FileState)> =
        lock.entries().iter().filter(|(path, _)| names_part_of(path, file)).cloned().collect();
    let verdict = plan(
        &ToolFileContext { desired: &wanted, files: &standing, owned: &ours, hash: view.object_hash() },
        OverwriteMode::OwnedOnly,
    );
    let left = match verdict.edits.into_iter().next() {
        None => text,
        Some(Edit::Write { content: EditContent::Bytes(bytes), .. }) => String::from_utf8_lossy(&bytes).into_owned(),
        Some(Edit::Write { .. } | Edit::Remove { .. } | Edit::Rename { .. }) => return None,
    };
    Some(left.replace("\r\n", "\n"))
}

fn names_part_of(path: &RepoPath, file: &RepoPath) -> bool {
    ManagedPart::from_lock_path(path).is_some_and(|(of, _)| of == *file)
}
