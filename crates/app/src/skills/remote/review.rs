//! Review of a skill before it is accepted, and reasons to refuse it.

use super::scripts::{ScriptSummary, summarize};
use crate::check::{self, CheckRequest};
use crate::diffs::{FileContent, FileDiff};
use crate::{Environment, Error, Quiet, Workspace};
use canonry_exchange::remote_skills::{RemoteItem, SkillSource, SkillTree, detect_licence, is_licence_file};
use canonry_lint::{Finding, Rule};
use canonry_model::canon::{FileMode, Layout, TreeEntry};
use canonry_model::finding::Severity;
use canonry_repo::git::source_cache::read_file;
use canonry_repo::view::{IgnoreMode, MemorySource};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use std::collections::BTreeSet;

/// A skill or a file that is about to be written, as its source has it.
#[derive(Clone, Debug)]
pub struct IncomingReview {
    pub item: RemoteItem,
    pub source: SkillSource,
    pub commit: ObjectId,
    /// The id of its content.
    pub content: ObjectId,
    /// The licence, as far as it is stated.
    pub licence: Option<String>,
    /// Its files with their sizes in bytes.
    pub files: Vec<(RepoPath, usize)>,
    /// The files that are not text, which no rule can read.
    pub binaries: Vec<RepoPath>,
    pub scripts: Vec<ScriptSummary>,
    /// The findings of the rules with their default severities. Comments in the skill suppress none of them.
    pub findings: Vec<Finding>,
    /// Why it is refused; empty if it is not.
    pub blocked: Vec<String>,
    /// Other changes of an update.
    pub notes: Vec<String>,
    /// Differences that an update makes in the work tree.
    pub diffs: Vec<FileDiff>,
}

/// A version of a skill or a file at its source.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    pub item: &'a RemoteItem,
    pub source: &'a SkillSource,
    pub commit: ObjectId,
    pub tree: &'a SkillTree,
    /// The version that was accepted before: only what changed since then can block an update.
    pub accepted: Option<&'a SkillTree>,
    /// Security rules whose findings the person accepts.
    pub allow: &'a [String],
    /// Items beside it after the change.
    pub neighbours: &'a Neighbours,
}

/// Files that exist beside an item once it is in the canon: a hook may run a script of the repository, or of a skill that
/// comes with it.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    paths: Vec<RepoPath>,
}

impl Neighbours {
    /// The files of the work tree, if a shared file is among the items. Skills hold what they name.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn load<'i>(workspace: &Workspace, items: impl IntoIterator<Item = &'i RemoteItem>) -> Result<Self, Error> {
        if !items.into_iter().any(RemoteItem::is_file) {
            return Ok(Self::default());
        }
        let files = workspace.view.list(&RepoPath::default(), IgnoreMode::Exclude)?.files.into_iter();
        let mut neighbours = Self::default();
        files.for_each(|file| neighbours.add(&workspace.layout, file.entry.path));
        Ok(neighbours)
    }

    /// Adds a file of the repository, or one that the same run writes.
    pub fn add(&mut self, layout: &Layout, path: RepoPath) {
        let in_canon = path.below(layout.root()).map(|below| Layout::default().root().join(below));
        self.paths.push(in_canon.unwrap_or(path));
    }

    /// Those that a text may name.
    fn named_in(&self, text: &[u8]) -> impl Iterator<Item = &RepoPath> {
        self.paths.iter().filter(move |path| text.contains_str(path.file_name()))
    }
}

/// Checks a skill as it will be in a canon, without the team's config: neither it nor a comment in the skill may hide
/// anything here.
///
/// # Errors
/// The check was interrupted.
pub fn review(
    workspace: &Workspace,
    incoming: &Incoming<'_>,
    licence: Option<String>,
) -> Result<IncomingReview, Error> {
    let Incoming { item, source, commit, tree, .. } = *incoming;
    let problems: Vec<String> = tree.problems().iter().map(|p| format!("{}: {}", p.path, p.reason)).collect();
    // The rules see only paths that are safe to have.
    let findings = if problems.is_empty() { find(workspace, incoming)? } else { Vec::new() };
    let mut blocked = problems;
    blocked.extend(blocking_rules(incoming, &findings));
    let is_binary = |bytes: &[u8]| bytes.contains(&0) || bytes.to_str().is_err();
    let texts = tree.files.iter().filter(|(_, file)| file.mode.is_file());
    Ok(IncomingReview {
        item: item.clone(),
        source: source.clone(),
        commit,
        content: item.content_id(tree),
        licence,
        files: tree.files.iter().map(|(path, file)| (RepoPath::new(path), file.bytes.len())).collect(),
        binaries: texts.filter(|(_, file)| is_binary(&file.bytes)).map(|(path, _)| RepoPath::new(path)).collect(),
        scripts: summarize(tree),
        findings,
        blocked,
        notes: Vec::new(),
        diffs: Vec::new(),
    })
}

/// The folder of the item in the canon that the rules see.
fn checked_folder(item: &RemoteItem) -> RepoPath {
    item.folder(&Layout::default())
}

fn find(workspace: &Workspace, incoming: &Incoming<'_>) -> Result<Vec<Finding>, Error> {
    let Incoming { item, tree, neighbours, .. } = *incoming;
    let folder = checked_folder(item);
    let mut files = MemorySource::new();
    if let (true, Some(file)) = (item.is_file(), tree.files.values().next()) {
        for path in neighbours.named_in(&file.bytes) {
            files.add_mode(path.clone(), FileMode::Executable, b"");
        }
    }
    for (path, file) in tree.files.iter().filter(|(_, file)| file.mode != FileMode::Submodule) {
        files.add_mode(folder.join(path), file.mode, &file.bytes);
    }
    if let (true, Some(file)) = (item.is_file(), tree.files.values().next()) {
        let copy = scanned_copy(item);
        files.add_mode(copy, FileMode::File, &file.bytes);
        let document = RemoteItem::Skill("scanned".to_owned()).folder(&Layout::default()).join("SKILL.md");
        files.add_mode(document, FileMode::File, b"---\nname: scanned\ndescription: Holds a file.\n---\n");
    }
    let env =
        Environment { clock: workspace.env.clock, cancel: workspace.env.cancel.clone(), ..Environment::isolated() };
    let mut checked = Workspace::in_memory(&env, files)?;
    let request = CheckRequest { no_exclude: true, ..CheckRequest::default() };
    let report = check::check(&mut checked, &request, &Quiet)?;
    let all: Vec<Finding> = report.findings.into_iter().chain(report.suppressed).collect();
    let listed = item.listed(&folder);
    let is_in = |finding: &Finding, path: &RepoPath| finding.location.path.is_within(path);
    let mut findings: Vec<Finding> = all.iter().filter(|finding| is_in(finding, &listed)).cloned().collect();
    if item.is_file() {
        let scanned = scanned_copy(item);
        for mut finding in all.into_iter().filter(|f| is_in(f, &scanned) && is_security_rule(f.rule)) {
            let line = finding.location.position.line;
            let is_known = |f: &Finding| f.rule.id == finding.rule.id && f.location.position.line == line;
            if !findings.iter().any(is_known) {
                finding.location.path = listed.clone();
                findings.push(finding);
            }
        }
    }
    findings.sort_by(Finding::order);
    Ok(findings)
}

/// Where the rules see a shared file a second time: the security rules read every file of a skill, but not every file of
/// a canon.
fn scanned_copy(item: &RemoteItem) -> RepoPath {
    let skill = RemoteItem::Skill("scanned".to_owned()).folder(&Layout::default());
    let name = item.listed(&RepoPath::from("references")).to_display();
    // These rules skip files that are not text by their name.
    skill.join(format!("{name}.md"))
}

fn is_security_rule(rule: &Rule) -> bool {
    rule.family() == "security"
}

/// The security rules with errors in files that are new or changed.
fn blocking_rules(incoming: &Incoming<'_>, findings: &[Finding]) -> Vec<String> {
    let folder = checked_folder(incoming.item);
    let is_new = |path: &RepoPath| {
        let Some(below) = path.below(&folder).map(BString::from) else { return true };
        incoming.accepted.is_none_or(|accepted| accepted.files.get(&below) != incoming.tree.files.get(&below))
    };
    let errors = findings.iter().filter(|finding| {
        finding.severity == Severity::Error && is_security_rule(finding.rule) && is_new(&finding.location.path)
    });
    let rules: BTreeSet<&str> = errors.map(|finding| finding.rule.id).collect();
    let not_allowed = rules.into_iter().filter(|rule| !incoming.allow.iter().any(|allowed| allowed == rule));
    not_allowed.map(|rule| format!("security rule `{rule}` reports an error")).collect()
}

/// The licence files of a commit.
#[derive(Debug, Default)]
pub struct LicenceFiles {
    paths: Vec<RepoPath>,
}

impl LicenceFiles {
    /// Selects the licence files of a listing.
    pub fn select(entries: &[TreeEntry]) -> Self {
        let paths = entries.iter().filter(|entry| entry.mode.is_file()).map(|entry| &entry.path);
        Self { paths: paths.filter(|path| is_licence_file(path)).cloned().collect() }
    }

    /// The licence that a skill states, or that of the nearest licence file.
    pub fn licence(
        &self,
        repo: &gix::Repository,
        commit: ObjectId,
        folder: &RepoPath,
        tree: &SkillTree,
    ) -> Option<String> {
        let document = tree.files.get(BStr::new("SKILL.md")).map(|file| file.bytes.as_slice()).unwrap_or_default();
        let above = || std::iter::successors(Some(folder.clone()), RepoPath::parent);
        let in_folder = |folder: RepoPath| self.paths.iter().find(|path| path.parent().unwrap_or_default() == folder);
        detect_licence(document, None).or_else(|| {
            let nearest = above().find_map(in_folder)?;
            detect_licence(document, Some((nearest, &read_file(repo, commit, nearest)?)))
        })
    }
}

/// The changes that an update makes to a folder of the work tree.
pub fn diffs(folder: &RepoPath, before: &SkillTree, after: &SkillTree) -> Vec<FileDiff> {
    let content = |tree: &SkillTree, path: &RepoPath| {
        let file = tree.files.get(path.as_bstr())?;
        Some(FileContent { mode: file.mode, bytes: Some(file.bytes.clone()) })
    };
    let diff = |path: RepoPath| FileDiff::Changed {
        old: content(before, &path),
        new: content(after, &path),
        path: folder.join(path.as_bstr()),
    };
    before.changed_paths(after).into_iter().map(diff).collect()
}
