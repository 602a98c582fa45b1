//! `canonry check`

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::scope::{self, Scope};
use super::status::Status;
use super::{Format, drift};
use crate::canon::Entry;
use crate::canon::inventory::{Inventory, SkillFolder};
use crate::canon::schema::Schemas;
use crate::finding::{Draft, Severity, settle};
use crate::render::{Report, human, json};
use crate::rules::facts::{Facts, SkillCard};
use crate::rules::{self, Profile};
use crate::view::{Basis, Ignored, View, load};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Judges the canon, or the paths that are named.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Skill folders, SKILL.md, plan, workflow or schema files, or folders to search; by default the whole canon and its mirrors
    pub paths: Vec<PathBuf>,
    /// Judge what is staged instead of what lies in the work tree
    #[arg(long, conflicts_with = "rev")]
    pub staged: bool,
    /// Judge a commit, such as HEAD
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// Which severities apply by default
    #[arg(long, value_enum, default_value_t = ProfileArg::Team)]
    pub profile: ProfileArg,
    /// How the findings are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// The profiles by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProfileArg {
    /// Errors for what is broken, warnings for what a tool would drop
    Team,
    /// The specification to the letter, for skills that are to be published
    Spec,
}

impl From<ProfileArg> for Profile {
    fn from(arg: ProfileArg) -> Self {
        match arg {
            ProfileArg::Team => Self::Team,
            ProfileArg::Spec => Self::Spec,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let basis = match (&args.rev, args.staged) {
        (Some(rev), _) => Basis::Commit(rev.clone()),
        (None, true) => Basis::Index,
        (None, false) => Basis::WorkTree,
    };
    let context = Context::open(env, &basis)?;
    let scope = scope::of(&context, &args.paths, &basis)?;
    for path in &scope.passed_over {
        out.remark(&format!("{path}: neither a skill, a plan, a workflow nor a schema; not judged\n"));
    }
    let (drafts, judged) = judge(&context, &scope)?;
    if env.cancel.load(Ordering::Relaxed) {
        return Err(CliError::new(Status::Interrupted, "interrupted; nothing was changed"));
    }
    let profile = Profile::from(args.profile);
    let findings = settle(drafts, |rule| context.severity(rule, profile));
    let report = Report { findings: &findings, files: judged.files, skills: judged.skills };
    match args.format {
        Format::Human => out.result(&human::findings(&report, env.style)),
        Format::Json => out.result(&json::findings(&report)),
    }
    let failed = report.count(Severity::Error) > 0;
    Ok(if failed { Status::Findings } else { Status::Done })
}

/// How much was looked at.
struct Judged {
    files: usize,
    skills: usize,
}

type Drafts = Vec<(&'static str, Draft)>;

fn judge(context: &Context<'_>, scope: &Scope) -> Result<(Drafts, Judged), CliError> {
    let (mut drafts, schemas) = judge_schemas(context, &scope.judged)?;
    let (of_skills, skills) = judge_skills(context, &scope.judged, &schemas);
    drafts.extend(of_skills);
    let view = &context.view;
    let plans = scope
        .judged
        .plans
        .par_iter()
        .flat_map_iter(|entry| rules::judge_plan(&load::plan(view, &entry.path, &schemas)));
    drafts.extend(plans.collect::<Vec<_>>());
    drafts.extend(judge_workflows(context, scope, &schemas));
    let dead_link = |link: &Entry| Some((link.path.clone(), view.dead_link(&link.path)?));
    let mut facts = Facts {
        dead_links: scope.judged.linked_skills.iter().filter_map(dead_link).collect(),
        odd: scope.odd.clone(),
        unreadable: scope.unreadable.clone(),
        ..Facts::default()
    };
    if let Some(whole) = &scope.whole {
        let broken = skills.iter().filter(|card| card.broken).map(|card| card.folder.clone()).collect();
        facts.mirrors =
            Some(drift::mirrors(context, whole, &drift::Known { broken: &broken, unreadable: &scope.unreadable })?);
        let outermost = |card: &SkillCard| scope::is_outermost(&whole.inventory, &card.folder);
        facts.skills = skills.into_iter().filter(outermost).collect();
    }
    drafts.extend(rules::judge_repo(&facts));
    let inventory = &scope.judged;
    let files = inventory.skills.len() + inventory.plans.len() + inventory.workflows.len() + inventory.schemas.len();
    Ok((drafts, Judged { files, skills: inventory.skills.len() }))
}

/// Each workflow beside the version before it, which its version number answers for.
fn judge_workflows(context: &Context<'_>, scope: &Scope, schemas: &Schemas) -> Drafts {
    let workflows = &scope.judged.workflows;
    if workflows.is_empty() {
        return Vec::new();
    }
    let view = &context.view;
    // A first commit has none before it.
    let earlier = View::open(&context.repo, &scope.basis.before()).ok();
    let one = |entry: &Entry| rules::judge_workflow(&load::workflow(view, earlier.as_ref(), &entry.path, schemas));
    workflows.par_iter().flat_map_iter(one).collect()
}

/// The team's schemas bind whatever is judged, also where they are not judged themselves.
fn judge_schemas(context: &Context<'_>, judged: &Inventory) -> Result<(Drafts, Schemas), CliError> {
    let mut schemas = Schemas::default();
    let mut drafts = Vec::new();
    let listing = context.view.list(&context.layout.schemas(), Ignored::LeftOut)?;
    let own = listing.files.into_iter().map(|file| file.entry).filter(|e| e.path.as_bstr().ends_with(b".json"));
    let mut entries: Vec<_> = own.chain(judged.schemas.iter().cloned()).collect();
    entries.sort();
    entries.dedup();
    for entry in entries {
        let Some(file) = load::schema_file(&context.view, &entry.path) else { continue };
        if let (Some(kind), Ok(schema)) = (file.kind, &file.schema) {
            schemas.add_team(kind, entry.path.clone(), Arc::clone(schema));
        }
        if judged.schemas.contains(&entry) {
            drafts.extend(rules::judge_schema_file(&file));
        }
    }
    Ok((drafts, schemas))
}

fn judge_skills(context: &Context<'_>, judged: &Inventory, schemas: &Schemas) -> (Drafts, Vec<SkillCard>) {
    let (view, cancel) = (&context.view, &context.env.cancel);
    let one = |folder: &SkillFolder| {
        if cancel.load(Ordering::Relaxed) {
            return (Vec::new(), None);
        }
        let skill = load::skill(view, folder, schemas);
        (rules::judge_skill(&skill), Some(SkillCard::of(&skill)))
    };
    let all: Vec<(Drafts, Option<SkillCard>)> = judged.skills.par_iter().map(one).collect();
    let (drafts, cards): (Vec<Drafts>, Vec<Option<SkillCard>>) = all.into_iter().unzip();
    (drafts.into_iter().flatten().collect(), cards.into_iter().flatten().collect())
}
