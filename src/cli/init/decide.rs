//! What a run adds, given what there is.

use super::tools::Found;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::configuration::Origin;
use crate::app::sync::reverse_merge::renders_unchanged;
use crate::app::sync::state::SyncState;
use crate::canon::Layout;
use crate::canon::file_kind::is_plan;
use crate::canon::inventory::SkillFolder;
use crate::canon::schema::{SchemaKind, Schemas};
use crate::config::Target;
use crate::mirror::adopt::{self, AdoptError};
use crate::mirror::adopt_skills::{SkillAdoptReader, SkillAdoption, adopt_skills};
use crate::mirror::{Lock, MirrorRoot, RefusalReason, fold_name};
use crate::rules::repo_context::SkillSummary;
use crate::scaffold::{
    PathStatus, Scaffold, ScaffoldPart, ScaffoldRequest, ScaffoldSize, plan_scaffold, scaffold_paths,
};
use crate::syntax::RepoPath;
use crate::view::tools::may_be_ours;
use crate::view::{IgnoreMode, PathKind, View, load};
use std::collections::{BTreeMap, BTreeSet};

/// What a run adds, and what it leaves as it is.
pub struct Decided {
    /// What is taken over from the tools' folders.
    pub over: SkillAdoption,
    /// What is put beside it.
    pub scaffold: Scaffold,
    /// What is left as it is, and why.
    pub refused: Vec<(RepoPath, String)>,
    /// New files that git ignores.
    pub ignored: BTreeSet<RepoPath>,
    /// Whether no sync has run so far.
    pub never_synced: bool,
}

/// Decides.
///
/// # Errors
/// Git's own files cannot be read.
pub fn decide(context: &Workspace, seen: &SyncState, found: &Found, extent: ScaffoldSize) -> Result<Decided, Error> {
    let canon = canon_skills(context, seen);
    let over = tools(context, seen, &canon)?;
    let own = Own::of(context, seen, &over)?;
    let standing = |path: &RepoPath| standing(&context.view, path);
    let scaffold = plan_scaffold(&ScaffoldRequest {
        extent,
        layout: &context.layout,
        hash: context.view.object_hash(),
        targets: found.to_configure.as_deref(),
        standing: &standing,
        has_own: &|part| own.has(part),
    });
    let mut refused: Vec<(RepoPath, String)> =
        over.refused.iter().map(|(path, obstacle)| (path.clone(), obstacle.to_string())).collect();
    refused.extend(roots(context, seen));
    refused.extend(found.strangers.iter().map(|target| {
        let cause = AdoptError::NotATarget { target: *target, targets: found.targets.clone() };
        (target.skills_root(), format!("{cause}; {}", cause.help()))
    }));
    refused.extend(scaffold.blocked.iter().map(|(path, by)| (path.clone(), format!("{by} is in the way"))));
    refused.sort();
    let new: Vec<RepoPath> = scaffold.edits.iter().map(|edit| edit.path().clone()).collect();
    let never_synced = context.is_unsynced() || context.first_sync_is_due();
    Ok(Decided { ignored: context.view.ignored(&new)?, over, scaffold, refused, never_synced })
}

/// The folders of the canon's skills by their names.
fn canon_skills(context: &Workspace, seen: &SyncState) -> BTreeMap<String, RepoPath> {
    let folders = seen.inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).map(|skill| &skill.path);
    let links = seen.inventory.linked_skills.iter().map(|link| &link.path);
    let direct = |path: &&RepoPath| path.parent().as_ref() == Some(&context.layout.skills());
    // Two of one name are a finding already; the one that stands directly in the folder is meant.
    let (direct, deep): (Vec<_>, Vec<_>) = folders.chain(links).partition(direct);
    deep.into_iter().chain(direct).map(|path| (fold_name(path.file_name()), path.clone())).collect()
}

fn tools(context: &Workspace, seen: &SyncState, canon: &BTreeMap<String, RepoPath>) -> Result<SkillAdoption, Error> {
    let survey = &seen.survey;
    let now = adopt::AdoptContext { desired: &survey.desired, actual: &survey.actual, lock: &survey.lock };
    let link_text = |path: &RepoPath| seen.link_text(&context.view, path);
    let look = SkillAdoptReader {
        link_text: &link_text,
        is_dead: &|path| context.view.dead_link(path).is_some(),
        is_settled: &|path, canon| renders_unchanged(&context.view, seen, path, canon),
        left_out: &ignored_in_canon(context, seen)?,
        canon,
    };
    let mut over = adopt_skills(&now, &context.layout, &look);
    // What an unfinished run was about to write into the canon is in the journal too, and is no mirror.
    let entries = over.adoption.lock.entries().iter().filter(|(path, _)| may_be_ours(path));
    over.adoption.lock = Lock::new(entries.cloned().collect());
    Ok(over)
}

/// Files in the tools' folders that would be no part of the canon, since git ignores them there.
fn ignored_in_canon(context: &Workspace, seen: &SyncState) -> Result<BTreeSet<RepoPath>, Error> {
    let skills = context.layout.skills();
    let below = |path: &RepoPath| {
        let root = Target::holding(path)?.skills_root();
        Some(skills.join(path.below(&root)?))
    };
    let pairs: Vec<(RepoPath, RepoPath)> =
        seen.survey.actual.files.iter().filter_map(|(path, _)| Some((path.clone(), below(path)?))).collect();
    let ignored = context.view.ignored(&pairs.iter().map(|(_, canon)| canon.clone()).collect::<Vec<_>>())?;
    Ok(pairs.into_iter().filter(|(_, canon)| ignored.contains(canon)).map(|(path, _)| path).collect())
}

/// Tools' folders that no skill can be taken from or mirrored into.
fn roots(context: &Workspace, seen: &SyncState) -> Vec<(RepoPath, String)> {
    let skills = context.layout.skills();
    let is_mirror = |to: &RepoPath| Target::holding(to).is_some_and(|target| target.skills_root() == *to);
    let refused = seen.survey.actual.roots.iter().filter_map(|(target, root)| {
        let reason = match root {
            MirrorRoot::Folder => return None,
            MirrorRoot::LinkInside(to) if *to == skills || is_mirror(to) => return None,
            MirrorRoot::LinkInside(to) => RefusalReason::RootIsLink { to: to.to_display() },
            MirrorRoot::LinkOutside(to) => RefusalReason::RootIsLink { to: to.clone() },
            MirrorRoot::NotAFolder(by) => RefusalReason::RootIsFile { by: by.clone() },
        };
        Some((target.skills_root(), reason.to_string()))
    });
    refused.collect()
}

fn standing(view: &View, path: &RepoPath) -> PathStatus {
    let folder = path.parent().unwrap_or_default();
    match (view.root(&folder), view.kind(path)) {
        (MirrorRoot::NotAFolder(by), _) => PathStatus::Blocked(by),
        (MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_), _) => PathStatus::Blocked(folder),
        (MirrorRoot::Folder, PathKind::Nothing) => PathStatus::Free,
        (MirrorRoot::Folder, PathKind::File) => PathStatus::Taken,
        (MirrorRoot::Folder, PathKind::Folder) => PathStatus::Blocked(path.clone()),
    }
}

/// What the team has of its own, so that ours would be in its way.
struct Own {
    /// Names of skills, as [`fold_name`] gives them.
    skills: BTreeSet<String>,
    /// All else.
    parts: Vec<ScaffoldPart>,
}

impl Own {
    fn of(context: &Workspace, seen: &SyncState, over: &SkillAdoption) -> Result<Self, Error> {
        let mut skills = over.names.clone();
        let layout = &context.layout;
        for folder in &seen.inventory.skills {
            skills.insert(fold_name(folder.path.file_name()));
            skills.extend(declared_name(&context.view, folder));
        }
        skills.extend(seen.inventory.linked_skills.iter().map(|link| fold_name(link.path.file_name())));
        // Whatever stands in a skill's place is someone's, also where it is no skill yet.
        let ours = |part: &ScaffoldPart| matches!(part, ScaffoldPart::Skill(name) if context.view.kind(&layout.skills().join(name)) != PathKind::Nothing);
        let taken = scaffold_paths(layout).map(|(_, part)| part).filter(ours);
        skills.extend(
            taken.filter_map(|part| if let ScaffoldPart::Skill(name) = part { Some(name.to_owned()) } else { None }),
        );
        let files = context.view.list(layout.root(), IgnoreMode::Include)?.files;
        let example: BTreeSet<RepoPath> =
            scaffold_paths(layout).filter(|(_, part)| *part == ScaffoldPart::Example).map(|(path, _)| path).collect();
        let theirs = |wanted: &dyn Fn(&RepoPath) -> bool| {
            files.iter().any(|file| wanted(&file.entry.path) && !example.contains(&file.entry.path))
        };
        let (in_plans, in_reports) = (layout.plans(), reports(layout));
        let mut parts = Vec::new();
        // What was written before may not be as our schemas ask for.
        if theirs(&|path| path.is_within(&in_plans) || is_plan(path)) {
            parts.extend([ScaffoldPart::Example, ScaffoldPart::Schema(SchemaKind::Plan)]);
        }
        if theirs(&|path| path.is_within(&in_reports)) {
            parts.extend([ScaffoldPart::Example, ScaffoldPart::Schema(SchemaKind::Report)]);
        }
        // A config at the top is used alone, so that one in the canon would not be read.
        if context.origin == Origin::Top {
            parts.push(ScaffoldPart::Config);
        }
        Ok(Self { skills, parts })
    }

    fn has(&self, part: ScaffoldPart) -> bool {
        match part {
            ScaffoldPart::Skill(name) => self.skills.contains(name),
            part => self.parts.contains(&part),
        }
    }
}

fn reports(layout: &Layout) -> RepoPath {
    layout.root().join("reports")
}

/// The name that a skill gives itself, which may not be its folder's.
fn declared_name(view: &View, folder: &SkillFolder) -> Option<String> {
    let card = SkillSummary::new(&load::skill(view, folder, &Schemas::default()));
    card.name.map(|name| fold_name(name.as_bytes()))
}
