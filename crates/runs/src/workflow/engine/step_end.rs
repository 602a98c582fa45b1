//! The end of a step: what its tasks come to, and where the run goes.

use super::super::decision::{RouteVerdict, decide, keywords_in};
use super::super::event::{Destination, RunEvent, StepOutcome, TaskEnd, TaskOutcome, TaskRole};
use super::super::expression::evaluate;
use super::super::fan_in::{FanIn, TaskResult, fan_in, rejecting};
use super::super::run_state::{CurrentStep, TaskState};
use super::super::target::{RunAction, StepTarget};
use super::failure::FailureKind;
use super::{Candidates, Engine};
use canonry_model::canon::workflow::{EvaluatorLoop, Route, WorkflowStep};
use canonry_text::printable::tail;
use serde_json::Value;

/// The most bytes of an answer that are recorded as the reason of a rejection.
const REASON: usize = 2_000;

/// Where a step leads.
pub(super) struct StepRoute {
    pub outcome: StepOutcome,
    pub next: Destination,
    pub reason: Option<String>,
    pub keywords: Vec<String>,
}

impl Engine<'_> {
    /// The events that end the step, or its attempt. `None` while tasks are missing.
    pub(super) fn end_step(&self, step: &WorkflowStep, current: &CurrentStep) -> Option<Vec<RunEvent>> {
        if let Some(events) = self.end_excess_visit(step, current) {
            return Some(events);
        }
        if let Some((attempt, Some(problem))) = &current.settled
            && *attempt == current.attempt
        {
            return Some(self.fail(step, current, problem.clone(), FailureKind::Step));
        }
        if let Some(evaluation) = &step.evaluation {
            return self.end_evaluation(step, current, evaluation);
        }
        if !step.fan_out.children.is_empty() || step.fan_out.count().is_some_and(|count| count > 1) {
            return self.end_fan_out(step, current);
        }
        let task = finished(current, TaskRole::Step)?;
        Some(match failure_of(task.end.as_ref()?) {
            Some(reason) => self.fail(step, current, reason, FailureKind::Step),
            None => self.succeed(step, current, Some(task), &task.end.as_ref()?.answer),
        })
    }

    fn end_evaluation(
        &self,
        step: &WorkflowStep,
        current: &CurrentStep,
        evaluation: &EvaluatorLoop,
    ) -> Option<Vec<RunEvent>> {
        let generator = finished(current, TaskRole::Generator)?;
        let product = generator.end.as_ref()?;
        if let Some(reason) = failure_of(product) {
            return Some(self.fail(step, current, reason, FailureKind::Step));
        }
        let evaluator = finished(current, TaskRole::Evaluator)?;
        let verdict = evaluator.end.as_ref()?;
        if verdict.result == TaskOutcome::Failed {
            let reason = format!("the evaluator failed: {}", verdict.error.as_deref().unwrap_or("no reason given"));
            return Some(self.fail(step, current, reason, FailureKind::Step));
        }
        let output = verdict.output.as_ref().or(product.output.as_ref());
        Some(match self.unmet(evaluation, verdict, output) {
            Some(reason) => self.fail(step, current, reason, FailureKind::Step),
            None => self.succeed(step, current, Some(generator), &verdict.answer),
        })
    }

    /// Conditions that the evaluator's output does not meet.
    fn unmet(&self, evaluation: &EvaluatorLoop, verdict: &TaskEnd, output: Option<&Value>) -> Option<String> {
        let rejected = failure_of(verdict);
        if evaluation.thresholds.is_empty() {
            return rejected.or_else(|| output.is_none().then(|| "the evaluator's answer has no output".to_owned()));
        }
        let mut unmet = Vec::new();
        for threshold in &evaluation.thresholds {
            let Some(condition) = &threshold.condition else {
                unmet.push("a quality threshold that canonry does not understand".to_owned());
                continue;
            };
            match evaluate(condition, &|name| self.lookup(name, output), &[]) {
                Ok(true) => {}
                Ok(false) => unmet.push(format!("`{condition}` does not hold")),
                Err(error) => unmet.push(error.to_string()),
            }
        }
        (!unmet.is_empty()).then(|| {
            let says = tail(verdict.answer.trim(), REASON);
            format!("the evaluation is below the threshold: {}. The evaluator says: {says}", unmet.join("; "))
        })
    }

    /// The candidates whose work has to be merged or kept before the attempt ends. `None` while they decide nothing, or if
    /// that was done.
    pub(super) fn unsettled(&self, step: &WorkflowStep, current: &CurrentStep) -> Option<Candidates> {
        let attempt = current.attempt;
        let is_settled = current.settled.as_ref().is_some_and(|(settled, _)| *settled == attempt);
        let has_branch = |task: &&TaskState| task.attempt == attempt && task.branch.is_some();
        if is_settled || !current.tasks.iter().any(|task| has_branch(&task)) {
            return None;
        }
        let events = self.end_step(step, current)?;
        // Work with an answer that leads nowhere is not merged.
        let chosen = events.iter().find_map(|event| match event {
            RunEvent::StepEnded { task, outcome, .. } if *outcome != StepOutcome::Failed => *task,
            _ => None,
        });
        let ended = current.tasks.iter().filter(has_branch).filter(|task| task.is_finished());
        let tasks = ended.map(|task| task.number).collect();
        Some(Candidates { step: step.name.text.clone(), attempt, chosen, tasks })
    }

    fn end_fan_out(&self, step: &WorkflowStep, current: &CurrentStep) -> Option<Vec<RunEvent>> {
        let roles: Vec<TaskRole> = super::tasks(step, current).into_iter().map(|(role, _)| role).collect();
        let names: Vec<String> = roles.iter().map(|role| task_name(step, *role)).collect();
        let ended: Vec<Option<&TaskState>> = roles.iter().map(|role| finished(current, *role)).collect();
        let ends: Vec<Option<&TaskEnd>> = ended.iter().map(|task| task.as_ref()?.end.as_ref()).collect();
        let failures: Vec<Option<String>> = ends.iter().map(|end| failure_of(end.as_ref()?)).collect();
        let result = |at: usize| {
            let end = ends[at]?;
            let failure = failures[at].as_deref();
            Some(TaskResult { name: &names[at], failure, answer: &end.answer, output: end.output.as_ref() })
        };
        let results: Vec<Option<TaskResult<'_>>> = (0..names.len()).map(result).collect();
        match fan_in(&step.fan_out, &results) {
            FanIn::Undecided => None,
            FanIn::Passed { chosen: Some(chosen) } => {
                let task = ended.get(chosen).copied().flatten()?;
                Some(self.succeed(step, current, Some(task), &task.end.as_ref()?.answer))
            }
            FanIn::Passed { chosen: None } => {
                // The decision lines of all children together: contradicting keywords are then ambiguous.
                let is_any = step.fan_out.strategy.as_ref().is_some_and(|strategy| strategy.text == "any");
                let counted = results.iter().flatten().filter(|result| result.failure.is_none() || !is_any);
                let lines: Vec<&str> = counted.filter_map(|result| result.answer.trim().lines().next_back()).collect();
                Some(self.succeed(step, current, None, &lines.join(" ")))
            }
            FanIn::Failed { reason } => {
                let is_fail_fast = step.fan_out.on_any_failure.is_some() && step.fan_out.on_all_failed.is_none();
                let kind = if is_fail_fast { FailureKind::AnyChild } else { FailureKind::AllChildren };
                Some(self.fail(step, current, reason, kind))
            }
            FanIn::Rejected { by, reason } => {
                let rejecting: Vec<&TaskResult<'_>> = by.iter().filter_map(|at| results.get(*at)?.as_ref()).collect();
                let says: Vec<&str> = rejecting.iter().map(|result| tail(result.says(), REASON)).collect();
                let answers: Vec<&str> = rejecting.iter().map(|result| result.answer).collect();
                Some(self.reject(step, current, &answers, format!("{reason}: {}", says.join("\n\n"))))
            }
        }
    }

    /// A step whose work was done: decides where the run goes.
    fn succeed(
        &self,
        step: &WorkflowStep,
        current: &CurrentStep,
        task: Option<&TaskState>,
        answer: &str,
    ) -> Vec<RunEvent> {
        let output = task.and_then(|task| task.end.as_ref()).and_then(|end| end.output.as_ref());
        let mut route = match self.route(step, answer, output) {
            Ok(route) => route,
            Err(undecided) => return self.fail(step, current, undecided, FailureKind::Step),
        };
        if route.outcome == StepOutcome::Done
            && let Some(gate) = self.triggered(&step.name.text, output)
        {
            route.next = Destination::Gate(gate);
        }
        vec![RunEvent::StepEnded {
            step: step.name.text.clone(),
            visit: current.visit,
            outcome: route.outcome,
            output: output.cloned(),
            task: task.map(|task| task.number),
            keywords: route.keywords,
            reason: route.reason,
            next: route.next,
        }]
    }

    /// Where an answer leads: the only place where a step's answer completes a run.
    ///
    /// # Errors
    /// The missing verdict of a worker who had to give one.
    pub(super) fn route(&self, step: &WorkflowStep, answer: &str, output: Option<&Value>) -> Result<StepRoute, String> {
        let decision = decide(step, answer, output, &|name| self.lookup(name, output));
        let keywords = decision.keywords;
        let done = |next: Destination| StepRoute {
            outcome: StepOutcome::Done,
            next,
            reason: None,
            keywords: keywords.clone(),
        };
        Ok(match decision.verdict {
            RouteVerdict::Undecided => return Err(decision.reason.unwrap_or_default()),
            RouteVerdict::Complete => done(Destination::Complete),
            RouteVerdict::Abort => {
                let reason = Some(decision.reason.unwrap_or_else(|| "the answer is ambiguous".to_owned()));
                StepRoute { outcome: StepOutcome::Failed, next: Destination::Abort, reason, keywords }
            }
            RouteVerdict::Continue => {
                let route = decision.route.and_then(|route| step.routes.get(route));
                let Some(target) = route.and_then(|route| route.target.as_ref()) else {
                    return Ok(done(self.proceed(step)));
                };
                let next = self.destination(&target.text, step);
                let is_conditional = route.is_some_and(|route| route.condition.is_some());
                if is_conditional && self.leads_back(step, &next) {
                    let reason = Some(tail(answer.trim(), REASON).to_owned());
                    return Ok(StepRoute { outcome: StepOutcome::Rejected, next, reason, keywords });
                }
                done(next)
            }
        })
    }

    /// Whether a destination is the step itself or an earlier one.
    fn leads_back(&self, step: &WorkflowStep, next: &Destination) -> bool {
        let position = |name: &str| self.definition.steps.iter().position(|step| step.name.text == name);
        match next {
            Destination::Step(name) => position(name) <= position(&step.name.text),
            _ => false,
        }
    }

    /// The rejected work goes where the route of a rejecting keyword leads, first of one that a child used.
    fn reject(&self, step: &WorkflowStep, current: &CurrentStep, answers: &[&str], reason: String) -> Vec<RunEvent> {
        let words = rejecting(&step.fan_out);
        let used: Vec<String> = answers.iter().flat_map(|answer| keywords_in(answer, &words)).collect();
        let has_word = |route: &&Route, is_word: &dyn Fn(&str) -> bool| {
            route.condition.as_ref().is_some_and(|condition| is_word(&condition.text))
        };
        let mut routes = step.routes.iter().filter(|route| has_word(route, &|word| words.contains(&word)));
        let first = routes.clone().next();
        let route = routes.find(|route| has_word(route, &|word| used.iter().any(|used| used == word))).or(first);
        let target = route.and_then(|route| route.target.as_ref()).or(step.on_failure.as_ref());
        let next = target.map_or(Destination::Person, |target| self.destination(&target.text, step));
        vec![self.step_ended(step, current, StepOutcome::Rejected, Some(reason), next)]
    }

    /// The event that ends a step without an output.
    pub(super) fn step_ended(
        &self,
        step: &WorkflowStep,
        current: &CurrentStep,
        outcome: StepOutcome,
        reason: Option<String>,
        next: Destination,
    ) -> RunEvent {
        let keywords = Vec::new();
        let step = step.name.text.clone();
        let visit = current.visit;
        RunEvent::StepEnded { step, visit, outcome, output: None, task: None, keywords, reason, next }
    }

    /// The destination of a name in the definition.
    pub(super) fn destination(&self, name: &str, from: &WorkflowStep) -> Destination {
        match self.graph.resolve(name) {
            Some(StepTarget::Action(action)) => self.action(action, from),
            Some(target) => self.place(target).unwrap_or(Destination::Abort),
            // A definition with unknown targets is not started.
            None => Destination::Person,
        }
    }

    /// The destination of a step, a gate or the end; `None` for an action.
    pub(super) fn place(&self, target: StepTarget) -> Option<Destination> {
        Some(match target {
            StepTarget::Step(at) => Destination::Step(self.definition.steps.get(at)?.name.text.clone()),
            StepTarget::Gate(at) => Destination::Gate(self.definition.gates.get(at)?.id.text.clone()),
            StepTarget::End => Destination::Complete,
            StepTarget::Action(_) => return None,
        })
    }

    /// The destination of an action of the run itself.
    pub(super) fn action(&self, action: RunAction, from: &WorkflowStep) -> Destination {
        match action {
            RunAction::Abort | RunAction::Fail => Destination::Abort,
            RunAction::Continue | RunAction::Skip => self.proceed(from),
            RunAction::Retry => Destination::Step(from.name.text.clone()),
            RunAction::Pause | RunAction::Escalate => Destination::Person,
        }
    }

    /// Where a run goes on after a step without a decision: the unconditional route, otherwise the next step of the file.
    pub(super) fn proceed(&self, step: &WorkflowStep) -> Destination {
        if step.ends {
            return Destination::Complete;
        }
        let fallback = step.routes.iter().rev().find(|route| route.condition.is_none());
        let target = fallback.and_then(|route| self.graph.resolve(&route.target.as_ref()?.text));
        target.and_then(|target| self.place(target)).unwrap_or_else(|| self.following(step))
    }

    /// The next step of the file, or the end.
    pub(super) fn following(&self, step: &WorkflowStep) -> Destination {
        let at = self.definition.steps.iter().position(|other| other.name.text == step.name.text);
        let following = at.and_then(|at| self.definition.steps.get(at + 1));
        following.map_or(Destination::Complete, |step| Destination::Step(step.name.text.clone()))
    }

    /// The value of `field` in an output, or of `step.field` in the last output of a step.
    pub fn lookup(&self, name: &str, output: Option<&Value>) -> Option<Value> {
        let name = ["phases.", "steps."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        if let Some(value) = output.and_then(|output| field(output, name)) {
            return Some(value.clone());
        }
        let (step, rest) = name.split_once('.')?;
        let is_current = self.state.current.as_ref().is_some_and(|current| current.step == step);
        let own = output.filter(|_| is_current).and_then(|output| field(output, rest));
        own.cloned().or_else(|| self.result_field(step, Some(rest)))
    }

    /// A field of a step's last output, or the whole output. A failed step has at least `passed` and `error`; what else
    /// it has is that of an earlier visit.
    pub(super) fn result_field(&self, step: &str, name: Option<&str>) -> Option<Value> {
        let last = self.state.ended_steps.iter().rev().find(|ended| ended.step == step)?;
        let failure = last.failure_output();
        let of_failure = name.and_then(|name| field(failure.as_ref()?, name).cloned());
        let whole = || {
            let output = self.state.output(step).or(failure.as_ref())?;
            name.map_or(Some(output), |name| field(output, name)).cloned()
        };
        of_failure.or_else(whole)
    }
}

/// A field of an output; dots lead into objects.
pub(super) fn field<'v>(output: &'v Value, name: &str) -> Option<&'v Value> {
    output.get(name).or_else(|| name.split('.').try_fold(output, |value, part| value.get(part)))
}

/// The finished task of this attempt with a role.
fn finished(current: &CurrentStep, role: TaskRole) -> Option<&TaskState> {
    current.task(role).filter(|task| task.is_finished())
}

/// Why the work of a task does not count; `None` if it does.
pub(super) fn failure_of(end: &TaskEnd) -> Option<String> {
    let failed = |fallback: &str| Some(end.error.clone().unwrap_or_else(|| fallback.to_owned()));
    match (end.result, end.output.as_ref().and_then(|output| output.get("passed"))) {
        (TaskOutcome::Done, Some(Value::Bool(false))) => {
            let error = end.output.as_ref().and_then(|output| output.get("error")).and_then(Value::as_str);
            let error = error.filter(|error| !error.trim().is_empty());
            Some(error.map_or_else(|| "the output says `passed: false`".to_owned(), str::to_owned))
        }
        (TaskOutcome::Done, _) => None,
        (TaskOutcome::Failed, _) => failed("the worker failed"),
        (TaskOutcome::Limit | TaskOutcome::Stopped, _) => failed("the worker was stopped"),
    }
}

/// The name of a task for people.
pub fn task_name(step: &WorkflowStep, role: TaskRole) -> String {
    match role {
        TaskRole::Step => step.name.text.clone(),
        TaskRole::Child(at) => {
            let child = step.fan_out.children.get(at);
            let name = child.and_then(|child| child.name.as_ref().or(child.owner.as_ref()));
            name.map_or_else(|| format!("{}.{}", step.name.text, at + 1), |name| name.text.clone())
        }
        TaskRole::Candidate(number) => format!("candidate {number}"),
        TaskRole::Generator => "generator".to_owned(),
        TaskRole::Evaluator => "evaluator".to_owned(),
    }
}
