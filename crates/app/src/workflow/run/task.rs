//! One task of a run: its start, and what its worker leaves.

use super::{ActiveTask, Runner};
use crate::plan;
use crate::pull_request::require_tool;
use crate::workers::{WorkerLaunch, WorkerPool, WorkerResult, WorkerStop};
use crate::workflow::task_prompt::{self, PromptError};
use crate::workflow::task_trees::TaskTrees;
use crate::{Error, Timestamp, Workspace, owners};
use canonry_model::canon::owners::{Isolation, Owners};
use canonry_model::canon::workflow::WorkflowDefinition;
use canonry_repo::exec::worker::new_mark;
use canonry_repo::view::{Basis, PathKind};
use canonry_runs::exec::{ExecEvent, PersonRequest, RunEnd};
use canonry_runs::plan::attempts::retry_time;
use canonry_runs::workflow::engine::{TaskReport, TaskSpec, duration, task_name};
use canonry_runs::workflow::event::{RunEvent, TaskEnd, TaskOutcome, TaskRole};
use canonry_runs::workflow::run_state::TaskState;
use std::path::PathBuf;

impl Runner<'_> {
    /// Starts a task. The result says why it cannot be started, so that the run ends.
    pub(super) fn start(
        &mut self,
        spec: TaskSpec,
        workers: &mut WorkerPool<ActiveTask>,
    ) -> Result<Option<RunEnd>, Error> {
        let definition = self.open.definition()?;
        let Some(step) = definition.steps.get(spec.step).cloned() else { return Ok(None) };
        let trees = TaskTrees::new(&self.workspace, &self.open.folder.id);
        let is_isolated = self.is_isolated(&spec);
        // A plan has owners of its own.
        let owner = spec.owner.clone().or_else(|| step.plan.is_none().then(|| "default".to_owned()));
        let role = owner.clone().unwrap_or_default();
        // Whatever happens from here on, a later run can end the worker.
        let mark = new_mark();
        let begin = RunEvent::TaskStarted {
            number: spec.number,
            step: step.name.text.clone(),
            attempt: spec.attempt,
            role: spec.role,
            owner,
            branch: is_isolated.then(|| trees.branch(&step.name.text, spec.number)).transpose()?,
            worker: step.plan.is_none().then(|| mark.clone()),
        };
        if let Some(plan) = &step.plan {
            self.open.record(&self.workspace, vec![begin])?;
            self.show();
            self.clock.count_attempt();
            return self.execute_plan(&spec, &plan.text);
        }
        let owner = match &spec.owner {
            Some(role) => self.owners.as_ref().and_then(|owners| owners.owner(role)),
            None => self.owners.as_ref().and_then(|owners| owners.default.as_ref()),
        };
        let owner = owner.map(|owner| self.clock.choose(owner, self.env.clock.now()));
        let Some(owner) = owner else {
            let reason = "it has no agent, and agent/owners.yaml no default";
            let next = format!("canonry run next {}", self.open.folder.id);
            let request = PersonRequest::with_command(reason, next, "begins it in this session");
            return Ok(Some(RunEnd::NeedsPerson(vec![(step.name.text, request)])));
        };
        let prompt = match task_prompt::build(&self.workspace, &self.open, &spec, is_isolated, true) {
            Ok(prompt) => prompt,
            Err(PromptError::Run(error)) => return Err(error),
            Err(PromptError::Task(problem)) => {
                // No worker can repair a prompt.
                let end = TaskEnd::stopped().failed(problem);
                self.open.record(&self.workspace, vec![begin, RunEvent::TaskEnded { number: spec.number, end }])?;
                return Ok(None);
            }
        };
        if let Some(mut end) = self.earlier_effect(&step, &spec)? {
            if let Some(output) = &end.output
                && let Some(problem) = self.open.save_output(&step.name.text, spec.role, output)?
            {
                end = end.failed(problem);
            }
            let ended = RunEvent::TaskEnded { number: spec.number, end };
            self.open.record(&self.workspace, vec![begin, ended])?;
            return Ok(None);
        }
        if !is_isolated {
            self.open.see_files(&self.workspace)?;
        }
        self.open.record(&self.workspace, vec![begin])?;
        if step.effects.as_ref().is_some_and(|effects| effects.text == "external") {
            self.open.journal.sync()?;
        }
        let timeout = step.timeout.as_ref().and_then(|timeout| duration(&timeout.text));
        let (folder, report) = if is_isolated {
            self.fork(&step.name.text, &spec)?
        } else {
            (self.workspace.top()?, self.open.folder.task_report(spec.number))
        };
        let name = task_name(&step, spec.role);
        let label = if spec.role == TaskRole::Step { name } else { format!("{}: {name}", step.name.text) };
        let run = &self.open.folder;
        run.create_folder(&run.tasks())?;
        let prepared = WorkerLaunch {
            role: &role,
            owner: &owner,
            task: &label,
            attempt: spec.attempt,
            timeout: timeout.or(owner.timeout),
            folder: &folder,
            setup: self.owners.as_ref().and_then(|owners| owners.setup.as_deref()).filter(|_| is_isolated),
            prompt,
            prompt_file: run.prompt(spec.number),
            log: run.task_log(spec.number),
            report,
            other_reports: vec![run.task_report(spec.number)],
            mark,
            variables: vec![
                ("CANONRY_RUN", run.id.clone()),
                ("CANONRY_STEP", step.name.text.clone()),
                ("CANONRY_ATTEMPT", spec.attempt.to_string()),
                ("CANONRY_TASK", spec.number.to_string()),
                ("CANONRY_CANDIDATE", task_prompt::candidate(spec.role)),
            ],
        }
        .prepare()?;
        // Without a worker, the next run ends the task.
        let worker = prepared.start()?;
        let identity = worker.identity();
        let begun = RunEvent::WorkerStarted { number: spec.number, worker: identity };
        self.clock.count_attempt();
        workers.add(ActiveTask { number: spec.number, step: step.name.text, is_isolated }, worker);
        self.open.record(&self.workspace, vec![begun])?;
        Ok(None)
    }

    /// Whether a task has its own work tree: always for a candidate; for the only task of a step, with `isolation: worktree`.
    /// Children and evaluators read uncommitted work.
    fn is_isolated(&self, spec: &TaskSpec) -> bool {
        let owner = self.owners.as_ref().and_then(|owners| match &spec.owner {
            Some(role) => owners.owner(role),
            None => owners.default.as_ref(),
        });
        match spec.role {
            TaskRole::Candidate(_) => true,
            TaskRole::Step => owner.is_some_and(|owner| owner.isolation == Isolation::Worktree),
            TaskRole::Child(_) | TaskRole::Generator | TaskRole::Evaluator => false,
        }
    }

    /// Creates the work tree of a task. Returns the folder that it works in, and the place of its report.
    fn fork(&mut self, step: &str, spec: &TaskSpec) -> Result<(PathBuf, PathBuf), Error> {
        let unseen = TaskTrees::new(&self.workspace, &self.open.folder.id).unseen_changes(step)?;
        if let Some(text) = unseen.filter(|_| matches!(spec.role, TaskRole::Step | TaskRole::Candidate(1))) {
            self.open.record(&self.workspace, vec![RunEvent::Note { text }])?;
        }
        let trees = TaskTrees::new(&self.workspace, &self.open.folder.id);
        trees.create(step, spec.number)?;
        Ok((trees.folder(step, spec.number)?, trees.report(step, spec.number)?))
    }

    /// Executes the plan of a step with the runner of plans.
    fn execute_plan(&mut self, spec: &TaskSpec, id: &str) -> Result<Option<RunEnd>, Error> {
        let request =
            plan::run::RunPlanRequest { plan: Some(id.to_owned()), limits: self.request.limits, ..Default::default() };
        let workspace = Workspace::open(self.env, &Basis::WorkTree)?;
        let (end, problem) = match plan::run::run(&workspace, &request, self.observer) {
            Ok(outcome) => match outcome.end {
                RunEnd::Complete => {
                    let answer = format!("plan `{id}`: {}", outcome.progress());
                    (TaskEnd { result: TaskOutcome::Done, answer, ..TaskEnd::stopped() }, None)
                }
                end @ (RunEnd::Interrupted | RunEnd::WaitingUntil(_) | RunEnd::Limit(_)) => {
                    (TaskEnd::stopped(), Some(end))
                }
                other => (TaskEnd::stopped().failed(format!("the plan `{id}` did not complete: {other}")), None),
            },
            Err(error) => (TaskEnd::stopped().failed(format!("the plan `{id}`: {error}")), None),
        };
        self.open.record(&self.workspace, vec![RunEvent::TaskEnded { number: spec.number, end }])?;
        Ok(problem)
    }

    /// When a task is started again after a usage limit. A tool that does not say it is asked less and less often.
    fn next_try(&self, step: &str, until: Option<Timestamp>) -> Timestamp {
        let current = self.open.journal.state.current.as_ref().filter(|current| current.step == step);
        let is_limit = |task: &&TaskState| task.end.as_ref().is_some_and(|end| end.result == TaskOutcome::Limit);
        let before = current.map_or(0, |current| current.tasks.iter().filter(is_limit).count());
        let limits = u32::try_from(before).unwrap_or(u32::MAX);
        retry_time(limits, self.env.clock.now(), until)
    }

    /// Records what a worker left.
    pub(super) fn end_task(&mut self, work: &ActiveTask, result: &WorkerResult) -> Result<(), Error> {
        let number = work.number;
        let is_stopped = result.stop == WorkerStop::Stopped;
        let report = result.report().or_else(|| serde_json::from_str(result.structured.as_deref()?).ok());
        // It may have finished in the moment in which its time was over. A worker that says itself that it failed has failed,
        // whatever its report claims.
        let is_late = matches!(result.stop, WorkerStop::Timeout(_)) && report.is_some();
        let is_error = result.is_error && !is_late && !is_stopped;
        let error = is_error.then(|| match (result.stop, result.message.trim()) {
            (WorkerStop::Timeout(_), _) | (_, "") => result.describe_end(),
            (_, message) => format!("{}; {}", message, result.describe_end()),
        });
        if let Some(next) = &result.continued_by {
            self.observer.event(&ExecEvent::Notice(format!("{}: usage limit, `{next}` goes on", work.step)));
        }
        let seconds = result.elapsed.as_secs_f64();
        let report = TaskReport { answer: result.answer.clone(), report, error, seconds, usage: result.usage };
        let state = &self.open.journal.state;
        let is_wanted = !state.is_ended() && state.running(number).is_some();
        let is_complete = !is_stopped || self.open.is_whole(&self.workspace, number, &report)?;
        if is_wanted && is_complete && result.limit.is_none() {
            return self.open.end_task(&self.workspace, number, &report);
        }
        let mut end = TaskEnd { seconds, usage: result.usage, ..TaskEnd::stopped() };
        if let Some(limit) = &result.limit {
            let until = match result.continued_by {
                Some(_) => self.env.clock.now(),
                None => self.next_try(&work.step, limit.until),
            };
            end = TaskEnd { result: TaskOutcome::Limit, until: Some(until.to_string()), error: report.error, ..end };
        }
        let trees: &[u64] = if work.is_isolated { &[number] } else { &[] };
        let mut events = self.open.release(&self.workspace, &work.step, trees)?;
        events.push(RunEvent::TaskEnded { number, end });
        self.open.record(&self.workspace, events)
    }
}

/// The owners, if a step needs one.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if `owners.yaml` is missing or names no owner for a role.
pub(super) fn required_owners(workspace: &Workspace, definition: &WorkflowDefinition) -> Result<Option<Owners>, Error> {
    let mut roles: Vec<(&str, &str)> = Vec::new();
    for step in &definition.steps {
        let evaluation = step.evaluation.iter().flat_map(|evaluation| [&evaluation.generator, &evaluation.evaluator]);
        let children = step.fan_out.children.iter().filter_map(|child| child.owner.as_ref());
        let own = step.owner.iter().filter(|_| step.fan_out.children.is_empty());
        roles.extend(own.chain(children).chain(evaluation).map(|role| (step.name.text.as_str(), role.text.as_str())));
    }
    let owners = match owners::load(workspace) {
        Ok(given) => given,
        // Without roles, the calling session does every step.
        Err(_) if roles.is_empty() && workspace.view.kind(&workspace.layout.owners()) == PathKind::Nothing => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    for (step, role) in roles {
        owners::require(workspace, &owners, role, step)?;
    }
    // Only candidates and isolated steps have branches.
    let proposers = definition.steps.iter().filter_map(|step| {
        let owner = step.owner.as_ref().map_or(owners.default.as_ref(), |role| owners.owner(&role.text))?;
        (step.fan_out.candidates.is_some() || owner.isolation == Isolation::Worktree).then_some(owner)
    });
    require_tool(workspace, proposers)?;
    Ok(Some(owners))
}
