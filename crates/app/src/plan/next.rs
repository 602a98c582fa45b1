//! The next step of a plan that is ready, and a claim on it.

use super::StepStatus;
use super::claim::{ClaimTerms, Claimant, TakenClaim, take};
use super::claims::{TakeError, default_holder, held};
use super::gate::Gates;
use super::load::LoadedPlan;
use super::status::blocked_reason;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::plan::StepStates;
use canonry_text::node::SpannedText;

/// Maximum number of reads of a plan that changes while its steps are claimed.
const ATTEMPTS: u32 = 10;

/// The next step, or why no step is ready.
#[derive(Clone, Debug)]
pub struct NextStepOutcome {
    /// The plan's id.
    pub plan: String,
    /// The plan's file, from the top of the repository.
    pub path: RepoPath,
    pub next: NextStep,
}

/// Next action in a plan.
#[derive(Clone, Debug)]
pub enum NextStep {
    /// The first ready step in file order; if it is to be claimed, the first that no other worker has claimed.
    Ready(Box<ReadyStep>),
    /// Nothing is ready while these steps are in progress.
    InProgress(Vec<String>),
    /// Nothing is ready or in progress until a person unblocks one of these steps or decides about it, for these reasons.
    NeedsPerson(Vec<(String, String)>),
    /// Every step is complete.
    Complete,
}

/// A step that may start now.
#[derive(Clone, Debug)]
pub struct ReadyStep {
    /// The id.
    pub id: String,
    /// The role that executes the step.
    pub owner: String,
    /// The description; may be empty.
    pub description: String,
    /// The acceptance criteria.
    pub criteria: Vec<String>,
    /// `Run: …` and `Read: …`.
    pub commands: Vec<String>,
    /// The files that the step writes.
    pub files: Vec<String>,
    /// Where the report on the next attempt belongs; `None` if the plan has no reports folder.
    pub report: Option<RepoPath>,
    /// The claim that was taken.
    pub claim: Option<TakenClaim>,
}

/// Finds the next step of a plan, by default the only one, and claims it for the claimant.
///
/// # Errors
/// The plan is not found, or it has errors; [`ErrorKind::Contention`] if other workers have claimed all ready steps, or the
/// configured remote does not answer.
pub fn run(workspace: &Workspace, plan: Option<&str>, claimant: Option<&Claimant>) -> Result<NextStepOutcome, Error> {
    let Some(claimant) = claimant else {
        let loaded = LoadedPlan::load_with_reports(workspace, plan)?;
        let ready = ready_steps(workspace, &loaded)?;
        let next = match ready.steps.first() {
            Some(at) => ready_step(workspace, &loaded, *at, None)?,
            None => waiting(&loaded, ready)?,
        };
        let path = workspace.view.full(&loaded.plan.path);
        let plan = loaded.id.clone();
        return Ok(NextStepOutcome { next, path, plan });
    };
    let terms = ClaimTerms::new(workspace, claimant)?;
    for _ in 0..ATTEMPTS {
        let loaded = LoadedPlan::load_with_reports(workspace, plan)?;
        let ready = ready_steps(workspace, &loaded)?;
        let next = match claim_first(workspace, &loaded, &ready.steps, &terms)? {
            Claimed::Step(at, claim) => ready_step(workspace, &loaded, at, Some(claim))?,
            Claimed::Changed => continue,
            Claimed::NothingReady => waiting(&loaded, ready)?,
        };
        return Ok(NextStepOutcome { next, path: workspace.view.full(&loaded.plan.path), plan: loaded.id });
    }
    Err(Error::new(ErrorKind::Contention, "the plan changes all the time").help("run this again"))
}

/// The steps that may start.
#[derive(Default)]
struct ReadySteps {
    /// Their indexes.
    steps: Vec<usize>,
    /// Those that need a person first, with the reasons.
    needs_person: Vec<(String, String)>,
}

fn ready_steps(workspace: &Workspace, loaded: &LoadedPlan) -> Result<ReadySteps, Error> {
    let document = loaded.document()?;
    let states = StepStates::of_document(document);
    let gates = Gates::new(workspace, &loaded.id);
    let mut ready = ReadySteps::default();
    for (at, step) in document.steps.iter().enumerate().filter(|(at, _)| states.is_ready(*at)) {
        match gates.gate(step)?.obstacle() {
            None => ready.steps.push(at),
            Some(reason) => ready.needs_person.push((step.id_text().to_owned(), reason)),
        }
    }
    Ok(ready)
}

/// Why nothing is ready.
fn waiting(loaded: &LoadedPlan, ready: ReadySteps) -> Result<NextStep, Error> {
    let steps = &loaded.document()?.steps;
    let with_status = |status: StepStatus| -> Vec<String> {
        steps.iter().filter(|step| step.status == status).map(|step| step.id_text().to_owned()).collect()
    };
    let in_progress = with_status(StepStatus::InProgress);
    let blocked = steps.iter().filter(|step| step.status == StepStatus::Blocked);
    let blocked: Vec<_> =
        blocked.map(|step| (step.id_text().to_owned(), blocked_reason(loaded, step).reason)).collect();
    Ok(if !in_progress.is_empty() {
        NextStep::InProgress(in_progress)
    } else if !ready.needs_person.is_empty() {
        NextStep::NeedsPerson(ready.needs_person)
    } else if !blocked.is_empty() {
        NextStep::NeedsPerson(blocked)
    } else {
        NextStep::Complete
    })
}

enum Claimed {
    Step(usize, TakenClaim),
    /// The plan has changed since it was read.
    Changed,
    NothingReady,
}

/// Claims the first ready step that no other worker holds.
fn claim_first(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    ready: &[usize],
    terms: &ClaimTerms,
) -> Result<Claimed, Error> {
    if ready.is_empty() {
        return Ok(Claimed::NothingReady);
    }
    let steps = &loaded.document()?.steps;
    let claims = held(workspace, &loaded.id)?;
    let id = |at: usize| steps.get(at).map_or("", PlanStep::id_text);
    let is_open = |at: &usize| {
        let claim = claims.get(id(*at));
        claim.is_none_or(|claim| claim.is_free() || claim.holder.as_deref().is_some_and(|name| terms.may_renew(name)))
    };
    let mut decided = None;
    for at in ready.iter().copied().filter(is_open) {
        match take(workspace, loaded, at, terms) {
            Ok(claim) => return Ok(Claimed::Step(at, claim)),
            Err(TakeError::Held(_)) => {}
            Err(TakeError::Decided(error)) => decided = decided.or(Some(error)),
            Err(TakeError::Failed(error)) if error.kind == ErrorKind::Refused => {
                workspace.view.forget();
                return Ok(Claimed::Changed);
            }
            Err(TakeError::Failed(error)) => return Err(error),
        }
    }
    if let Some(error) = decided {
        return Err(error);
    }
    let holder = |at: usize| claims.get(id(at)).and_then(|claim| claim.holder.as_deref()).unwrap_or("another worker");
    let message = match ready {
        [one] if holder(*one) == default_holder() => {
            let id = id(*one);
            let message =
                format!("`{id}` is ready, and you or another session of yours ({}) has claimed it", holder(*one));
            return Err(Error::new(ErrorKind::Contention, message)
                .help(format!("go on with its token, or run `canonry run release {} {id}`", loaded.id)));
        }
        [one] => format!("`{}` is ready, but {} has claimed it", id(*one), holder(*one)),
        all => format!("{} steps are ready, but other workers have claimed all of them", all.len()),
    };
    Err(Error::new(ErrorKind::Contention, message).help("run `canonry run show` to see who holds the claims"))
}

fn ready_step(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    at: usize,
    claim: Option<TakenClaim>,
) -> Result<NextStep, Error> {
    let steps = &loaded.document()?.steps;
    let step = steps.get(at).ok_or_else(|| Error::new(ErrorKind::Internal, "the step does not exist"))?;
    let texts = |texts: &[SpannedText]| texts.iter().map(|text| text.text.clone()).collect();
    let next = loaded.next_report(&workspace.layout, step).map(|(path, _)| path);
    let report = match &claim {
        Some(claim) => loaded.report_path(&workspace.layout, step.id_text(), claim.attempt),
        None => next,
    };
    Ok(NextStep::Ready(Box::new(ReadyStep {
        id: step.id_text().to_owned(),
        owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
        description: step.description.clone(),
        criteria: step.criteria.clone(),
        commands: texts(&step.commands),
        files: texts(&step.files),
        report: report.map(|path| workspace.view.full(&path)),
        claim,
    })))
}
