//! `skills add`: takes skills from another repository into the canon; for `extends`, the files that can be shared, too.

use super::local::{self, LocalSkill, SkillFolders};
use super::pins::load_lock;
use super::review::{Incoming, IncomingReview, LicenceFiles, Neighbours, diffs, review};
use super::source::{LatestCommits, open_cache, parse_source};
use super::write::{SkillChanges, Written, check_commit, recover, write};
use super::{Approver, IncomingApproval, ask};
use crate::{Error, ErrorKind, Progress, Workspace, trust};
use canonry_exchange::remote_skills::{
    ChosenSkills, DiscoveredSkill, PinnedSkill, RemoteItem, SkillChoice, SkillSource, SkillTree, SkillsLock, choose,
    find_shared_files, find_skills,
};
use canonry_model::canon::TreeEntry;
use canonry_repo::git::source_cache::{SourceCache, list_files, read_file, read_item};
use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;

/// Source and choice of the skills to add.
#[derive(Clone, Debug, Default)]
pub struct AddSkillsRequest {
    /// `OWNER/REPO[/PATH][@REF]`, an address, or a folder.
    pub source: String,
    /// The branch, tag or commit, in place of the one in the source.
    pub reference: Option<String>,
    /// The folder in the repository, in place of the one in the source.
    pub path: Option<String>,
    /// Which skills.
    pub choice: SkillChoice,
    /// Security rules whose errors are accepted.
    pub allow: Vec<String>,
    /// Take all skills and all files that can be shared; what the canon has already takes precedence.
    pub extends: bool,
    /// Only show what would be added.
    pub dry_run: bool,
    /// Commit what was written.
    pub commit: bool,
}

/// Added, known and refused items.
#[derive(Clone, Debug, Default)]
pub struct AddedSkills {
    /// New items with their folders.
    pub added: Vec<(RemoteItem, RepoPath)>,
    /// Items that the lock has already, from the same source.
    pub already: Vec<RemoteItem>,
    /// Refused items, with the reasons.
    pub refused: Vec<(RemoteItem, Vec<String>)>,
    /// Items that the canon has from elsewhere, or as its own (`None`), which take precedence.
    pub own: Vec<(RemoteItem, Option<SkillSource>)>,
    /// Whether the person was asked, and the answer.
    pub approval: Option<IncomingApproval>,
    pub written: Written,
}

/// The skills that a source offers.
#[derive(Clone, Debug)]
pub struct Offer {
    pub source: SkillSource,
    pub commit: ObjectId,
    pub skills: Vec<DiscoveredSkill>,
}

/// A skill or a file that the source has.
struct OfferedItem {
    item: RemoteItem,
    /// Its path at the source.
    path: RepoPath,
}

/// Item that passed the checks of the canon and waits for approval.
struct AddCandidate {
    item: RemoteItem,
    pin: PinnedSkill,
    tree: SkillTree,
    local: LocalSkill,
    review: IncomingReview,
}

/// Lists the skills of a source without adding any.
///
/// # Errors
/// The source is invalid or does not answer.
pub fn offer(workspace: &Workspace, request: &AddSkillsRequest, progress: &dyn Progress) -> Result<Offer, Error> {
    let source = resolve_source(workspace, request, progress)?;
    let cache = open_cache(workspace, &source.url)?;
    let commit = LatestCommits::default().fetch(&cache, source.reference.as_deref())?;
    let skills = offered(&cache, commit, &source, &list_files(cache.repo(), commit)?);
    Ok(Offer { source: source.clone(), commit, skills })
}

/// Prepares a change: checks the request, and clears what a killed run left.
///
/// # Errors
/// A rule in `allow` is unknown, or no commit is possible.
pub(super) fn prepare(workspace: &Workspace, allow: &[String], commit: bool) -> Result<(), Error> {
    check_allowed(allow)?;
    recover(workspace)?;
    check_commit(workspace, commit)
}

/// Adds skills. What is there already is never overwritten: a folder with other content is refused.
///
/// # Errors
/// [`ErrorKind::Usage`] if the source or the choice is wrong; [`ErrorKind::Unreadable`] if the source does not answer;
/// see also [`write`].
pub fn run(
    workspace: &Workspace,
    request: &AddSkillsRequest,
    approver: &mut dyn Approver,
    progress: &dyn Progress,
) -> Result<AddedSkills, Error> {
    prepare(workspace, &request.allow, request.commit && !request.dry_run)?;
    let source = resolve_source(workspace, request, progress)?;
    let lock = load_lock(workspace)?;
    let cache = open_cache(workspace, &source.url)?;
    let commit = LatestCommits::default().fetch(&cache, source.reference.as_deref())?;
    let entries = list_files(cache.repo(), commit)?;
    let found = offered(&cache, commit, &source, &entries);
    let files = if request.extends {
        find_shared_files(&entries, &source.path, |path| read_file(cache.repo(), commit, path))
    } else {
        Vec::new()
    };
    let chosen = if found.is_empty() && !files.is_empty() {
        ChosenSkills::default()
    } else {
        choose(&found, &request.choice, &source.path).map_err(|message| {
            Error::new(ErrorKind::Usage, format!("{source}: {message}"))
                .help("choose with `--skill NAME` or `--all`; `canonry skills list --remote SOURCE` lists all of them")
        })?
    };
    let skills =
        chosen.skills.into_iter().map(|skill| OfferedItem { item: RemoteItem::Skill(skill.name), path: skill.path });
    let files = files.into_iter().map(|file| OfferedItem { item: RemoteItem::File(file.below), path: file.path });
    let items: Vec<OfferedItem> = skills.chain(files).collect();
    let folders = SkillFolders::load(workspace)?;
    let mut outcome = AddedSkills::default();
    let mut candidates = Vec::new();
    outcome.refused.extend(chosen.ambiguous.into_iter().map(|(name, reason)| (RemoteItem::Skill(name), vec![reason])));
    progress.start("skills", items.len());
    let neighbours = neighbours(workspace, &folders, &items, &entries)?;
    let at =
        SkillOrigin { cache: &cache, source: &source, commit, licences: LicenceFiles::select(&entries), neighbours };
    let mut spellings = BTreeMap::new();
    for offered in &items {
        let item = &offered.item;
        let first = spellings.entry((item.is_file(), item.to_string().to_lowercase())).or_insert(item);
        if *first != item {
            let reason = format!("the source also has `{first}`, whose name differs only in case");
            outcome.refused.push((item.clone(), vec![reason]));
            continue;
        }
        match candidate(workspace, &lock, &folders, &at, offered, request)? {
            Standing::Candidate(candidate) => candidates.push(*candidate),
            Standing::Already => outcome.already.push(item.clone()),
            Standing::Own(from) => outcome.own.push((item.clone(), from)),
            Standing::Refused(reasons) => outcome.refused.push((item.clone(), reasons)),
        }
        progress.advance(1);
    }
    progress.finish();
    if candidates.is_empty() {
        return Ok(outcome);
    }
    let (blocked, approval) = ask(&mut candidates, |candidate| &candidate.review, approver)?;
    outcome.refused.extend(blocked.into_iter().map(|candidate| (candidate.item, candidate.review.blocked)));
    outcome.approval = Some(approval);
    if candidates.is_empty() || approval != IncomingApproval::Accepted {
        return Ok(outcome);
    }
    outcome.added = candidates.iter().map(|each| (each.item.clone(), each.local.folder.clone())).collect();
    if request.dry_run {
        return Ok(outcome);
    }
    let mut changes = SkillChanges::default();
    let mut after = lock.clone();
    let mut texts = workspace.view.texts();
    for candidate in candidates {
        changes.replace(workspace, &mut texts, &candidate.local, &candidate.tree)?;
        after.items.insert(candidate.item, candidate.pin);
    }
    let subject = request.commit.then(|| message(&outcome.added, &source));
    outcome.written = write(workspace, &changes, &lock, &after, subject, progress)?;
    trust::pin_files(workspace, &outcome.written.paths)?;
    Ok(outcome)
}

/// Checks that `--allow` names rules that exist.
///
/// # Errors
/// It does not.
pub fn check_allowed(allow: &[String]) -> Result<(), Error> {
    match allow.iter().find(|id| canonry_lint::find(id).is_none()) {
        Some(id) => Err(Error::new(ErrorKind::Usage, format!("there is no rule `{}`", id.escape_debug()))
            .help("run `canonry explain --list` to see all rules")),
        None => Ok(()),
    }
}

fn resolve_source(
    workspace: &Workspace,
    request: &AddSkillsRequest,
    progress: &dyn Progress,
) -> Result<SkillSource, Error> {
    let (source, folder) = parse_source(workspace, &request.source)?;
    if let Some(folder) = folder {
        progress.notice(&format!(
            "{folder} is used as it is committed, not as it is on disk, and its address holds on this machine only.\n"
        ));
    }
    Ok(source.with_options(request.path.as_deref(), request.reference.as_deref())?)
}

fn offered(
    cache: &SourceCache<'_>,
    commit: ObjectId,
    source: &SkillSource,
    entries: &[TreeEntry],
) -> Vec<DiscoveredSkill> {
    let document = |path: &RepoPath| read_file(cache.repo(), commit, path);
    find_skills(entries, &source.path, source.repository_name(), document)
}

/// Where the skills of one run come from.
struct SkillOrigin<'a> {
    cache: &'a SourceCache<'a>,
    source: &'a SkillSource,
    commit: ObjectId,
    licences: LicenceFiles,
    neighbours: Neighbours,
}

/// The files of the repository, and those that come with the items.
fn neighbours(
    workspace: &Workspace,
    folders: &SkillFolders<'_>,
    items: &[OfferedItem],
    entries: &[TreeEntry],
) -> Result<Neighbours, Error> {
    let mut neighbours = Neighbours::load(workspace, items.iter().map(|offered| &offered.item))?;
    if items.iter().any(|offered| offered.item.is_file()) {
        for OfferedItem { item, path } in items {
            let folder = folders.folder(item);
            match item {
                RemoteItem::File(_) => neighbours.add(&workspace.layout, item.listed(&folder)),
                RemoteItem::Skill(_) => {
                    let below = entries.iter().filter_map(|entry| entry.path.below(path));
                    below.for_each(|below| neighbours.add(&workspace.layout, folder.join(below)));
                }
            }
        }
    }
    Ok(neighbours)
}

/// Whether a skill can be added.
enum Standing {
    Candidate(Box<AddCandidate>),
    Already,
    /// The canon has one of this name, perhaps from another source, which takes precedence.
    Own(Option<SkillSource>),
    Refused(Vec<String>),
}

fn candidate(
    workspace: &Workspace,
    lock: &SkillsLock,
    folders: &SkillFolders<'_>,
    origin: &SkillOrigin<'_>,
    OfferedItem { item, path }: &OfferedItem,
    request: &AddSkillsRequest,
) -> Result<Standing, Error> {
    let refused = |reason: String| Ok(Standing::Refused(vec![reason]));
    let source = SkillSource { path: path.clone(), ..origin.source.clone() };
    let tree = read_item(origin.cache.repo(), origin.commit, item, path)?.unwrap_or_default();
    if let Some(pinned) = lock.items.get(item) {
        return if pinned.source.url == source.url && pinned.source.path == source.path {
            Ok(Standing::Already)
        } else if request.extends {
            Ok(Standing::Own(Some(pinned.source.clone())))
        } else {
            refused(format!(
                "the lock has a skill with this name from {}; remove it first with `canonry skills remove {}`",
                pinned.source, item
            ))
        };
    }
    if let Some(other) = folders.clash(item)? {
        if request.extends {
            return Ok(Standing::Own(None));
        }
        return refused(format!(
            "the canon has {other}, whose name differs only in case; rename it, then add this again"
        ));
    }
    let folder = folders.folder(item);
    let local = local::load(workspace, item, &folder, &[&tree])?;
    // Files with the same content may be there already: from an earlier run that was killed, or a copy by hand.
    if let Some(path) = local.tree.foreign_paths(&tree).first() {
        if request.extends {
            return Ok(Standing::Own(None));
        }
        return refused(format!(
            "{} exists and has other content; move it away or rename it, then add this again",
            folder.join(path.as_bstr())
        ));
    }
    let licence = origin.licences.licence(origin.cache.repo(), origin.commit, path, &tree);
    let incoming = Incoming {
        item,
        source: &source,
        commit: origin.commit,
        tree: &tree,
        accepted: None,
        allow: &request.allow,
        neighbours: &origin.neighbours,
    };
    let mut review = review(workspace, &incoming, licence.clone())?;
    if is_shown_whole(item) {
        review.diffs = diffs(&workspace.view.full(&folder), &local.tree, &tree);
    }
    let pin = PinnedSkill { source, commit: origin.commit, content: item.content_id(&tree), licence };
    let item = item.clone();
    Ok(Standing::Candidate(Box::new(AddCandidate { item, pin, tree, local, review })))
}

/// Whether a person reads a file in full before it is accepted: it says what tools start or may do without a question.
fn is_shown_whole(item: &RemoteItem) -> bool {
    let RemoteItem::File(path) = item else { return false };
    ["hooks.yaml", "mcp.json", "protocols/permissions.md"].iter().any(|shown| *path == RepoPath::from(*shown))
}

fn message(added: &[(RemoteItem, RepoPath)], source: &SkillSource) -> String {
    match added {
        [(item, _)] => format!("skills: add {item}\n\nFrom {source}."),
        _ => {
            let names: Vec<String> = added.iter().map(|(item, _)| item.to_string()).collect();
            let what = if added.iter().any(|(item, _)| item.is_file()) { "skills and shared files" } else { "skills" };
            format!("skills: add {} {what}\n\nFrom {source}: {}.", added.len(), names.join(", "))
        }
    }
}
