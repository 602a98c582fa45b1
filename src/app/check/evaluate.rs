//! What the rules say of all that is in scope of a check.

use super::citations;
use super::overlays::{Overlays, overlays};
use super::suppressions::Comments;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::check::mirrors;
use crate::app::check::scope::{self, Scope, Whole};
use crate::app::configuration::Origin;
use crate::app::progress::Progress;
use crate::canon::file_kind::FileKind;
use crate::canon::inventory::{Inventory, SkillFolder};
use crate::canon::report::ReportName;
use crate::canon::report::StepAttempt;
use crate::canon::schema::Schemas;
use crate::canon::suppression::Suppression;
use crate::canon::{Layout, TreeEntry};
use crate::finding::{RawFinding, Severity};
use crate::git::history::unchanged_since;
use crate::rules::repo_context::{CanonContext, RepoContext, SkillConfig, SkillSummary, StaleRegistry, UNTOUCHED_DAYS};
use crate::rules::{self, Profile};
use crate::syntax::{RepoPath, Source};
use crate::view::registry::{self, Skills, Stale};
use crate::view::survey::Looks;
use crate::view::{IgnoreMode, PathKind, View, load};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How much was looked at.
pub struct Judged {
    /// Files and skills.
    pub files: usize,
    /// Skills among them.
    pub skills: usize,
    /// What their comments allow.
    pub suppressions: Vec<Suppression>,
}

/// What the rules say, by rule.
pub type RawFindings = Vec<(&'static str, RawFinding)>;

/// Judges all that is in scope.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn evaluate(context: &Workspace, scope: &Scope, progress: &dyn Progress) -> Result<(RawFindings, Judged), Error> {
    let (mut drafts, schemas) = check_schemas(context, &scope.judged)?;
    let comments = Comments::default();
    let (of_skills, skills) = check_skills(context, &scope.judged, &schemas, &comments, progress);
    drafts.extend(of_skills);
    drafts.extend(check_others(context, &scope.judged, &schemas, &comments));
    drafts.extend(check_workflows(context, scope, &schemas, &comments));
    let view = &context.view;
    let dead_link = |link: &TreeEntry| Some((link.path.clone(), view.dead_link(&link.path)?));
    // What is judged by itself is reported as a file without content.
    let is_judged = |path: &RepoPath| scope.judged.file_lists().into_iter().flatten().any(|entry| entry.path == *path);
    let mut facts = RepoContext {
        dead_skill_links: scope.judged.linked_skills.iter().filter_map(dead_link).collect(),
        special_files: scope.odd.iter().filter(|path| !is_judged(path)).cloned().collect(),
        unreadable_folders: scope.unreadable.clone(),
        ..RepoContext::default()
    };
    if let Some(whole) = &scope.whole {
        let looks = skills
            .iter()
            .map(|card| (card.folder.clone(), Looks { broken: card.broken, marked: card.may_differ }))
            .collect();
        facts.mirrors =
            Some(mirrors::mirrors(context, whole, &mirrors::Known { looks: &looks, unreadable: &scope.unreadable })?);
        let Overlays { unused, unusable } = overlays(context, whole);
        (facts.unused_overlays, facts.unusable_overlays) = (unused, unusable);
        let outermost = |card: &SkillSummary| scope::is_outermost(&whole.inventory, &card.folder);
        // Of what is staged: where neither the lessons nor the log changed, the log is not read.
        if scope.judged.files(FileKind::Memory).iter().any(|e| e.path == context.layout.lessons())
            || !scope.judged.files(FileKind::Log).is_empty()
        {
            facts.missing_episodes = citations::lost_episodes(context);
        }
        facts.stale_registries = stale_lists(context, whole);
        facts.skills = skills.into_iter().filter(outermost).collect();
        let all = whole.inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).count();
        // Where only what changed is judged, likeness and budgets would be told of a part.
        facts.canon = (facts.skills.len() == all).then(|| {
            let linked = whole.inventory.linked_skills.iter().map(|link| link.path.file_name_lossy()).collect();
            CanonContext { linked, ..canon(context, &facts.skills) }
        });
    }
    drafts.extend(rules::check(&facts));
    let inventory = &scope.judged;
    let files = inventory.skills.len() + inventory.file_lists().iter().map(Vec::len).sum::<usize>();
    let suppressions = comments.suppressions(&drafts);
    Ok((drafts, Judged { files, skills: inventory.skills.len(), suppressions }))
}

fn stale_lists(context: &Workspace, whole: &Whole) -> Vec<StaleRegistry> {
    let skills = Skills { layout: &context.layout, listed: &whole.listed, inventory: &whole.inventory };
    let list = |Stale { path, text, wanted }: Stale| {
        let source = text.map(|text| Arc::new(Source::new(path.clone(), text)));
        StaleRegistry { path, source, wanted }
    };
    registry::stale(&context.view, skills, &context.config).into_iter().map(list).collect()
}

fn canon(context: &Workspace, skills: &[SkillSummary]) -> CanonContext {
    let config = match context.origin {
        Origin::Top => load::source(&context.view, &RepoPath::from("canonry.yaml")),
        Origin::Canon => load::source(&context.view, &context.layout.config()),
        Origin::Elsewhere => None,
    };
    let canon = CanonContext::new(context.layout.skills(), context.config.clone(), config);
    // History is read for one rule alone, which is off by default.
    let is_asked = skills.iter().any(|card| {
        let document = card.folder.join("SKILL.md");
        context.severity("skill-untouched", &document, Profile::Team) != Severity::Off
    });
    CanonContext { untouched: if is_asked { untouched(context, skills) } else { Vec::new() }, ..canon }
}

/// What history does not tell is not told: a check does not fail for it.
fn untouched(context: &Workspace, skills: &[SkillSummary]) -> Vec<RepoPath> {
    let since = jiff::Timestamp::now().as_second() - i64::from(UNTOUCHED_DAYS) * 86_400;
    let folders: Vec<RepoPath> = skills.iter().map(|card| context.view.full(&card.folder)).collect();
    let Ok(repo) = context.repo() else { return Vec::new() };
    let found = unchanged_since(repo, context.view.revision(), &folders, since).unwrap_or_default();
    found.iter().filter_map(|folder| folder.below(context.view.base()).map(RepoPath::new)).collect()
}

/// The team's schemas bind whatever is judged, also where they are not judged themselves.
fn check_schemas(context: &Workspace, judged: &Inventory) -> Result<(RawFindings, Schemas), Error> {
    let mut schemas = Schemas::default();
    let mut drafts = Vec::new();
    let listing = context.view.list(&context.layout.schemas(), IgnoreMode::Exclude)?;
    let own = listing.files.into_iter().map(|file| file.entry).filter(|e| e.path.as_bstr().ends_with(b".json"));
    let mut entries: Vec<_> = own.chain(judged.files(FileKind::Schema).iter().cloned()).collect();
    entries.sort();
    entries.dedup();
    for entry in entries {
        let Some(file) = load::schema_file(&context.view, &entry.path) else { continue };
        if let (Some(kind), Ok(schema)) = (file.kind, &file.schema) {
            schemas.add_team(kind, entry.path.clone(), Arc::clone(schema));
        }
        if judged.files(FileKind::Schema).contains(&entry) {
            drafts.extend(rules::check(&file));
        }
    }
    Ok((drafts, schemas))
}

/// Plans, reports, logs and other files of the memory.
fn check_others(context: &Workspace, judged: &Inventory, schemas: &Schemas, comments: &Comments) -> RawFindings {
    let (view, layout) = (&context.view, &context.layout);
    let plan = |entry: &TreeEntry| {
        let plan = load::plan(view, &entry.path, schemas).with_attempts(attempts((view, layout), &entry.path, schemas));
        comments.note(plan.document.as_ref().ok().map(|document| &document.source));
        rules::check(&plan)
    };
    let memory = |entry: &TreeEntry| {
        let file = load::memory_file(view, &entry.path);
        comments.note(file.document.as_ref().ok());
        rules::check(&file)
    };
    let mut drafts: RawFindings = judged.files(FileKind::Plan).par_iter().flat_map_iter(plan).collect();
    drafts.extend(check_reports(context, judged.files(FileKind::Report), schemas));
    drafts.par_extend(judged.files(FileKind::Memory).par_iter().flat_map_iter(memory));
    drafts.extend(check_pages(context, judged));
    drafts.extend(check_contexts(view, judged.files(FileKind::Context)));
    // One after the other: a log is judged by all cores, and held in memory as a whole.
    for entry in judged.files(FileKind::Log).iter().take_while(|_| !context.env.cancel.load(Ordering::Relaxed)) {
        drafts.extend(rules::check(&load::log(view, &entry.path, schemas)));
    }
    drafts
}

/// Policies, protocols, templates and schemas of tools.
fn check_pages(context: &Workspace, judged: &Inventory) -> RawFindings {
    let (view, layout) = (&context.view, &context.layout);
    let pages = judged.files(FileKind::Page).par_iter().filter_map(|entry| load::page(view, &entry.path, layout));
    let mut drafts: RawFindings = pages.flat_map_iter(|page| rules::check(&page)).collect();
    let schemas = judged.files(FileKind::ToolSchema).par_iter().map(|entry| load::tool_schema(view, &entry.path));
    drafts.par_extend(schemas.flat_map_iter(|schema| rules::check(&schema)));
    drafts
}

/// What two context files import is followed from both, and told once.
fn check_contexts(view: &View, contexts: &[TreeEntry]) -> RawFindings {
    let files = contexts.par_iter().filter_map(|entry| load::context_file(view, &entry.path));
    let mut drafts: RawFindings = files.flat_map_iter(|file| rules::check(&file)).collect();
    let mut told = BTreeSet::new();
    drafts.retain(|(rule, draft)| told.insert((*rule, draft.location.path.clone(), draft.location.span)));
    drafts
}

/// Each workflow beside the version before it, which its version number answers for.
fn check_workflows(context: &Workspace, scope: &Scope, schemas: &Schemas, comments: &Comments) -> RawFindings {
    let workflows = scope.judged.files(FileKind::Workflow);
    if workflows.is_empty() {
        return Vec::new();
    }
    let view = &context.view;
    // A first commit has none before it.
    let before = |repo: &gix::Repository| View::open_before(repo, &scope.basis, context.view.base()).ok();
    let earlier = context.repo().ok().and_then(before);
    let one = |entry: &TreeEntry| {
        let workflow = load::workflow(view, earlier.as_ref(), &entry.path, schemas);
        comments.note(workflow.document.as_ref().ok().map(|document| &document.source));
        rules::check(&workflow)
    };
    workflows.par_iter().flat_map_iter(one).collect()
}

/// A report is held against its plan, wherever the plan is judged itself.
fn check_reports(context: &Workspace, reports: &[TreeEntry], schemas: &Schemas) -> RawFindings {
    let (view, layout) = (&context.view, &context.layout);
    let names = reports.iter().filter_map(|entry| ReportName::from_path(&entry.path, layout)).map(|name| name.plan);
    let plans: BTreeSet<String> = names.collect();
    let steps: BTreeMap<String, Vec<String>> = plans
        .into_par_iter()
        .filter_map(|plan| steps_of(view, &layout.plans().join(&plan), schemas).map(|steps| (plan, steps)))
        .collect();
    let one = |entry: &TreeEntry| {
        let report = load::report(view, &entry.path, schemas, layout);
        let steps = report.name.as_ref().and_then(|name| steps.get(&name.plan)).cloned();
        rules::check(&report.among(steps))
    };
    reports.par_iter().flat_map_iter(one).collect()
}

/// The reports on a plan's steps, wherever they are judged themselves. What cannot be listed has none.
fn attempts((view, layout): (&View, &Layout), plan: &RepoPath, schemas: &Schemas) -> Vec<StepAttempt> {
    let Some(folder) = layout.reports_on(plan) else { return Vec::new() };
    let listed = view.list(&folder, IgnoreMode::Exclude).map(|listing| listing.files).unwrap_or_default();
    let named = listed.iter().filter(|file| ReportName::from_path(&file.entry.path, layout).is_some());
    named.filter_map(|file| load::report(view, &file.entry.path, schemas, layout).attempt()).collect()
}

/// The ids of a plan's steps; `None` where there is no plan that can be read.
fn steps_of(view: &View, folder: &RepoPath, schemas: &Schemas) -> Option<Vec<String>> {
    let files = Layout::plan_files(folder);
    let file = files.iter().find(|file| view.kind(file) == PathKind::File)?;
    let document = load::plan(view, file, schemas).document.ok()?;
    document.yaml.is_ok().then(|| document.steps.iter().map(|step| step.id_text().to_owned()).collect())
}

fn check_skills(
    context: &Workspace,
    judged: &Inventory,
    schemas: &Schemas,
    comments: &Comments,
    progress: &dyn Progress,
) -> (RawFindings, Vec<SkillSummary>) {
    progress.start("skills checked", judged.skills.len());
    let (view, cancel) = (&context.view, &context.env.cancel);
    let config = &context.config;
    let root = context.layout.skills();
    let one = |folder: &SkillFolder| {
        if cancel.load(Ordering::Relaxed) {
            return (Vec::new(), None);
        }
        let skill = load::skill(view, folder, schemas);
        comments.note(skill.source());
        progress.advance(1);
        let setting = if folder.path.is_within(&root) {
            SkillConfig::from_config(config, &folder.path)
        } else {
            SkillConfig::default()
        };
        (rules::check_skill(&skill, &setting), Some(SkillSummary::new(&skill)))
    };
    let all: Vec<(RawFindings, Option<SkillSummary>)> = judged.skills.par_iter().map(one).collect();
    progress.finish();
    let (drafts, cards): (Vec<RawFindings>, Vec<Option<SkillSummary>>) = all.into_iter().unzip();
    (drafts.into_iter().flatten().collect(), cards.into_iter().flatten().collect())
}
