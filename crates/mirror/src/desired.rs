//! Desired content of the mirrors.

use super::canon_file::{CanonFile, unfit};
use super::canon_skill::{CanonSkill, Delivery, WithheldSkill};
use super::name_clash::{clashes, differ_in_form, files_clash};
use super::skipped::{SkipReason, Skipped};
use super::target_override::{OverrideFile, RenderSource, TargetOverride};
use bstr::{BStr, ByteSlice};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::{ExclusionReason, Target};
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use gix_hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// The desired content of all mirrors, and what cannot be mirrored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesiredMirrors {
    /// The mirrors that this run updates.
    pub targets: Vec<Target>,
    /// Sorted by path.
    pub files: Vec<DesiredFile>,
    /// Skills and files that cannot be mirrored.
    pub skipped: Vec<Skipped>,
    /// Folders in mirrors that should be a link to the canonical skill.
    pub links: BTreeSet<RepoPath>,
    /// The files that copies would hold below `links`, sorted by path.
    pub linked_files: Vec<DesiredFile>,
    /// Skills that a target does not get.
    pub withheld: Vec<WithheldSkill>,
    /// Paths in mirrors whose desired content is unknown. They and everything below them stay unchanged.
    pub frozen: Vec<RepoPath>,
    /// Skill folders in mirrors with content that differs from the canon, each with the canonical skill.
    pub overridden: BTreeMap<RepoPath, RepoPath>,
    /// Sources of the rendered documents among `files`.
    pub rendered: BTreeMap<RepoPath, RenderSource>,
}

/// A file that a mirror should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredFile {
    /// The path in the mirror.
    pub path: RepoPath,
    pub state: FileState,
    pub content: EditContent,
    /// The canonical file.
    pub canon: RepoPath,
    /// The folder of the skill in the mirror.
    pub folder: RepoPath,
}

/// The state of a skill's folder in a mirror before anything is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderStatus {
    /// Sync owns nothing in it.
    New,
    /// Sync owns at least one file in it.
    PartlyOwned,
    /// It is known to equal the canon, so nothing needs to be planned.
    InSync,
}

/// A skill's folder in a mirror.
struct DesiredSkillFolder<'a> {
    target: Target,
    path: RepoPath,
    delivery: Option<&'a Delivery>,
    target_override: Option<&'a TargetOverride>,
}

impl DesiredMirrors {
    /// Builds the desired content of the mirrors of `targets`. `status` returns the status of a folder in a mirror.
    pub fn build(
        skills: &[CanonSkill],
        targets: &[Target],
        hash: Kind,
        status: impl Fn(&RepoPath) -> FolderStatus,
    ) -> Self {
        let mut desired = Self { targets: targets.to_vec(), ..Self::default() };
        // By target the files are almost in order, so that sorting them is cheap.
        let mut copies: BTreeMap<Target, Vec<DesiredFile>> = BTreeMap::new();
        let clashes = clashes(skills);
        for skill in skills {
            let folders = desired.folders_of(skill);
            if let Some(reason) = skip_reason(skill, &clashes) {
                desired.skip(&skill.path, reason);
                desired.frozen.extend(folders.into_iter().map(|folder| folder.path));
                continue;
            }
            let folders = folders.into_iter().map(|folder| (status(&folder.path), folder));
            let mut folders = folders.filter(|(status, _)| *status != FolderStatus::InSync).collect::<Vec<_>>();
            if skill.defect.is_some() && folders.iter().any(|(status, _)| *status == FolderStatus::New) {
                desired.skip(&skill.path, SkipReason::InvalidFrontmatter);
                folders.retain(|(status, _)| *status == FolderStatus::PartlyOwned);
            }
            let may_be_linked = may_be_linked(skill);
            let is_link = |folder: &DesiredSkillFolder<'_>| {
                may_be_linked && folder.delivery.is_some() && folder.target_override.is_none()
            };
            let folders = folders.into_iter().map(|(_, folder)| folder);
            let (links, copied): (Vec<DesiredSkillFolder<'_>>, Vec<DesiredSkillFolder<'_>>) =
                folders.partition(is_link);
            desired.add_links(skill, &links, hash);
            desired.add_copies(skill, &copied, hash, &mut copies);
        }
        desired.files.extend(copies.into_values().flatten());
        for files in [&mut desired.files, &mut desired.linked_files] {
            files.sort_by(|a, b| a.path.cmp(&b.path));
        }
        desired.frozen.sort();
        desired.frozen.dedup();
        desired
    }

    /// Lists the canonical files that appear in a mirror, as a copy, through a link, or as the source of a document.
    pub fn sources(&self) -> impl Iterator<Item = &RepoPath> {
        let copies = self.files.iter().filter(|file| !self.links.contains(&file.path));
        let keys = self.rendered.values().filter_map(|source| source.keys.as_ref());
        copies.chain(&self.linked_files).map(|file| &file.canon).chain(keys)
    }

    /// Returns the file that should be at a path, or that a copy would put there in place of a link.
    pub fn copy_at(&self, path: &RepoPath) -> Option<&DesiredFile> {
        let find = |files: &'_ [DesiredFile]| files.binary_search_by(|file| file.path.cmp(path)).ok();
        find(&self.files)
            .map(|at| &self.files[at])
            .or_else(|| find(&self.linked_files).map(|at| &self.linked_files[at]))
    }

    /// Lists the skill's folders in the mirrors, and notes the targets that do not get the skill.
    fn folders_of<'a>(&mut self, skill: &'a CanonSkill) -> Vec<DesiredSkillFolder<'a>> {
        let mut folders = Vec::with_capacity(self.targets.len());
        let mut links_unsupported = false;
        for target in self.targets.clone() {
            let path = target.skills_root().join(skill.path.file_name());
            let withheld =
                |reason: &ExclusionReason| WithheldSkill { skill: skill.path.clone(), target, reason: reason.clone() };
            match (skill.deliveries.get(&target), skill.overrides.get(&target)) {
                (Some(Delivery::Withheld(reason)), _) => self.withheld.push(withheld(reason)),
                (_, Some(TargetOverride::Excluded)) => self.withheld.push(withheld(&ExclusionReason::Document)),
                (_, Some(TargetOverride::Invalid { file, message })) => {
                    let reason = SkipReason::InvalidOverride { file: file.clone(), message: message.clone() };
                    // Report a problem that concerns all tools only once.
                    if self.skipped.last().is_none_or(|last| last.path != skill.path || last.reason != reason) {
                        self.skip(&skill.path, reason);
                    }
                    self.frozen.push(path);
                }
                (Some(Delivery::LinkUnsupported), None) if may_be_linked(skill) => {
                    links_unsupported = true;
                    self.frozen.push(path);
                }
                (delivery, target_override) => {
                    folders.push(DesiredSkillFolder { target, path, delivery, target_override })
                }
            }
        }
        if links_unsupported {
            self.skip(&skill.path, SkipReason::LinksUnsupported);
        }
        folders
    }

    fn skip(&mut self, path: &RepoPath, reason: SkipReason) {
        self.skipped.push(Skipped { path: path.clone(), reason });
    }

    fn add_links(&mut self, skill: &CanonSkill, folders: &[DesiredSkillFolder<'_>], hash: Kind) {
        for folder in folders.iter().map(|folder| &folder.path) {
            let Some((content, state)) = link_to(&skill.path, folder, hash) else { continue };
            let canon = skill.path.clone();
            let path = folder.clone();
            self.files.push(DesiredFile { path, state, content, canon, folder: folder.clone() });
            self.links.insert(folder.clone());
            let files = skill.files.iter().map(|file| MirrorSource::from_skill(file, skill));
            self.linked_files.extend(files.map(|source| source.desired_file(folder, hash)));
        }
    }

    fn add_copies(
        &mut self,
        skill: &CanonSkill,
        folders: &[DesiredSkillFolder<'_>],
        hash: Kind,
        copies: &mut BTreeMap<Target, Vec<DesiredFile>>,
    ) {
        let shows = |folder: &&DesiredSkillFolder<'_>, file: &RepoPath| {
            !folder.target_override.is_some_and(|own| own.replaces(file, &skill.path))
        };
        for path in &skill.unreadable {
            self.skip(path, SkipReason::Unreadable);
            let below = path.below(&skill.path).unwrap_or_default();
            let shown = folders.iter().filter(|folder| shows(folder, path));
            self.frozen.extend(shown.map(|folder| folder.path.join(below)));
        }
        for file in &skill.files {
            if let Some(reason) = unfit(file) {
                self.skip(&file.path, reason);
                continue;
            }
            let source = MirrorSource::from_skill(file, skill);
            for folder in folders.iter().filter(|folder| shows(folder, &file.path)) {
                copies.entry(folder.target).or_default().push(source.desired_file(&folder.path, hash));
            }
        }
        folders.iter().for_each(|folder| self.add_overrides(skill, folder, hash));
    }

    fn add_overrides(&mut self, skill: &CanonSkill, folder: &DesiredSkillFolder<'_>, hash: Kind) {
        let files = folder.target_override.map(TargetOverride::files).unwrap_or_default();
        if !files.is_empty() {
            self.overridden.insert(folder.path.clone(), skill.path.clone());
        }
        for file in files {
            let desired = MirrorSource::from_override(file).desired_file(&folder.path, hash);
            if let Some(text) = &file.rendered {
                let source = RenderSource { target: folder.target, document: text.document, keys: text.keys.clone() };
                self.rendered.insert(desired.path.clone(), source);
            }
            self.files.push(desired);
        }
    }
}

/// Returns why the desired content of a skill's mirrors is unknown.
fn skip_reason(skill: &CanonSkill, clashes: &BTreeMap<RepoPath, RepoPath>) -> Option<SkipReason> {
    match (clashes.get(&skill.path), &skill.defect) {
        (Some(other), _) if differ_in_form(skill.path.file_name(), other.file_name()) => {
            Some(SkipReason::UnicodeClash { other: other.clone() })
        }
        (Some(other), _) => Some(SkipReason::NameClash { other: other.clone() }),
        (None, Some(defect)) if *defect != SkipReason::InvalidFrontmatter => Some(defect.clone()),
        (None, _) => files_clash(skill).map(|(file, other)| {
            if differ_in_form(file.as_bstr(), other.as_bstr()) {
                SkipReason::FileUnicodeClash { file: file.clone(), other: other.clone() }
            } else {
                SkipReason::FileNameClash { file: file.clone(), other: other.clone() }
            }
        }),
    }
}

/// A canonical file as a source of mirror files.
struct MirrorSource<'a> {
    file: &'a CanonFile,
    /// The path below the folder of the skill.
    below: &'a BStr,
    /// Links that stay within this folder keep their text.
    link_base: &'a RepoPath,
    /// The rendered content.
    rendered: Option<&'a [u8]>,
}

impl<'a> MirrorSource<'a> {
    fn from_skill(file: &'a CanonFile, skill: &'a CanonSkill) -> Self {
        let below = file.path.below(&skill.path).unwrap_or_default();
        Self { file, below, link_base: &skill.path, rendered: None }
    }

    fn from_override(own: &'a OverrideFile) -> Self {
        let OverrideFile { file, below, link_base, rendered, .. } = own;
        let rendered = rendered.as_ref().map(|text| text.bytes.as_slice());
        Self { file, below: below.as_bstr(), link_base, rendered }
    }

    /// Returns the file that a skill's folder in a mirror should hold.
    fn desired_file(&self, folder: &RepoPath, hash: Kind) -> DesiredFile {
        let path = folder.join(self.below);
        let (content, state) = match self.rendered {
            Some(bytes) => (EditContent::Bytes(bytes.to_vec()), self.file.state),
            None => self.content(&path, hash),
        };
        DesiredFile { path, state, content, canon: self.file.path.clone(), folder: folder.clone() }
    }

    /// A link that stays in its skill is copied unchanged. A link that leaves the skill would lead elsewhere from the mirror,
    /// so its text is adjusted to lead to the same file.
    fn content(&self, path: &RepoPath, hash: Kind) -> (EditContent, FileState) {
        let file = self.file;
        let Some(text) = &file.link else { return (EditContent::CopyOf(file.path.clone()), file.state) };
        let same = (EditContent::Link(text.clone()), file.state);
        let Some(target) = file.path.resolve_beside(text) else { return same };
        let inside = file.path != *self.link_base && target.is_within(self.link_base);
        if inside || path.resolve_beside(text).as_ref() == Some(&target) {
            return same;
        }
        link_to(&target, path, hash).unwrap_or(same)
    }
}

/// Returns a link from `path` to `target`.
pub(super) fn link_to(target: &RepoPath, path: &RepoPath, hash: Kind) -> Option<(EditContent, FileState)> {
    let text = target.relative_to(&path.parent()?);
    // Hashing fails only on a detected SHA-1 collision.
    let id = gix_object::compute_hash(hash, gix_object::Kind::Blob, &text).ok()?;
    Some((EditContent::Link(text), FileState { id, mode: FileMode::Link }))
}

/// Checks whether a link to a skill shows a tool the same files as a copy.
fn may_be_linked(skill: &CanonSkill) -> bool {
    let is_link = skill.files.iter().any(|file| file.path == skill.path);
    !is_link && skill.unreadable.is_empty() && skill.files.iter().all(|file| unfit(file).is_none())
}
