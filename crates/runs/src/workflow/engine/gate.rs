//! Gates, steps that a person does, and failures that the workflow leaves to a person.

use super::super::event::{Destination, Question, QuestionKind, RunEvent, StepOutcome};
use super::super::expression::evaluate;
use super::super::run_state::APPROVE;
use super::super::target::{GateAnswer, GateTimeout, RunAction, StepTarget};
use super::super::template::render;
use super::{Engine, RunnerAction, end};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::workflow::{WorkflowGate, WorkflowStep};
use serde_json::Value;
use std::time::Duration;

/// The answers to the question how to go on after a failure.
pub(super) const FAILURE_OPTIONS: [&str; 3] = ["retry", "skip", "abort"];
/// The answers to the question whether a step is done, besides the keywords of its conditions.
pub(super) const STEP_OPTIONS: [&str; 3] = ["done", "reject", "abort"];

/// The answers to the question whether the work of a step may begin.
pub(super) const APPROVAL_OPTIONS: [&str; 3] = [APPROVE, "reject", "abort"];

impl Engine<'_> {
    /// Asks a person, or waits for the answer.
    pub(super) fn ask(&self, question: impl FnOnce() -> Question) -> RunnerAction {
        match &self.state.question {
            Some(asked) => RunnerAction::AskPerson(asked.clone()),
            None => RunnerAction::Record(vec![RunEvent::PersonAsked(question())]),
        }
    }

    pub(super) fn at_gate(&self, id: &str, from: Option<&str>, now: Timestamp) -> RunnerAction {
        let Some(gate) = self.gate(id) else {
            return RunnerAction::Record(vec![end(false, Some(format!("the workflow has no gate `{id}` any more")))]);
        };
        if gate.kind.as_ref().is_some_and(|kind| kind.text == "notification") {
            let option = gate.default_option().and_then(|option| self.option_destination(gate, option, from));
            let next = option.unwrap_or_else(|| self.past_gate(gate, from));
            return RunnerAction::Record(vec![RunEvent::Notified {
                gate: id.to_owned(),
                message: self.message(gate),
                next,
            }]);
        }
        let Some(asked) = &self.state.question else {
            let visit = self.state.visits.get(id).map_or(1, |visits| visits + 1);
            let deadline = gate.timeout.as_ref().and_then(|timeout| duration(&timeout.text));
            let question = Question {
                name: id.to_owned(),
                kind: QuestionKind::Gate,
                visit,
                from: from.map(str::to_owned),
                message: self.message_after(gate, from),
                options: gate.choices.iter().filter_map(|choice| Some(choice.value.as_ref()?.text.clone())).collect(),
                deadline: deadline.map(|length| now.plus(length).to_string()),
            };
            return RunnerAction::Record(vec![RunEvent::PersonAsked(question)]);
        };
        let is_late = asked.deadline.as_deref().and_then(Timestamp::parse).is_some_and(|deadline| deadline <= now);
        match self.timeout_destination(gate, from).filter(|_| is_late) {
            Some((action, next)) => {
                let name = id.to_owned();
                let visit = asked.visit;
                RunnerAction::Record(vec![RunEvent::GateExpired { name, visit, action, next }])
            }
            None => RunnerAction::AskPerson(asked.clone()),
        }
    }

    /// Asks how to go on where the workflow does not say it: after a failure of a step, or after a decision at a gate.
    pub(super) fn undecided(&self, step: &str, gate: Option<&str>) -> RunnerAction {
        self.ask(|| {
            let last = self.state.ended_steps.last();
            let reasons = self.state.failures.get(step).map_or(&[][..], Vec::as_slice);
            let tried: Vec<String> =
                reasons.iter().enumerate().map(|(at, reason)| format!("{}. {reason}", at + 1)).collect();
            let chosen = gate.and_then(|gate| self.state.answers.iter().rev().find(|answer| answer.name == gate));
            let message = match (chosen, tried.len()) {
                (Some(chosen), _) => format!(
                    "`{}` was chosen at `{}`, and the workflow does not say where it leads: \
                     repeat `{step}`, go on after the gate, or abort?",
                    chosen.option, chosen.name
                ),
                (None, 0) => format!("`{step}` needs a decision"),
                (None, 1) => format!("`{step}` failed: {}", reasons[0]),
                (None, count) => format!("`{step}` failed {count} times:\n{}", tried.join("\n")),
            };
            Question {
                name: step.to_owned(),
                kind: QuestionKind::Failure,
                visit: last.map_or(1, |last| last.visit),
                from: Some(step.to_owned()),
                message,
                options: FAILURE_OPTIONS.map(str::to_owned).to_vec(),
                deadline: None,
            }
        })
    }

    pub(super) fn step_question(&self, step: &WorkflowStep) -> Question {
        let name = &step.name.text;
        let human = step.human.as_ref().map(|human| human.text.as_str()).filter(|human| *human != "true");
        let needs_approval = step.needs_approval();
        let text = match human {
            Some(text) => self.rendered(text),
            None if needs_approval => {
                let owner = step.owner.as_ref().map_or("the calling session", |owner| &owner.text);
                let prompt = step.prompt.as_ref().map(|prompt| format!(":\n{}", self.rendered(&prompt.text)));
                format!("`{name}` is executed by {owner} after an approval{}", prompt.unwrap_or_default())
            }
            None => format!("`{name}` is done by a person"),
        };
        // The keywords of a step with work are those of its worker.
        let words = step.routes.iter().filter_map(|route| Some(route.condition.as_ref()?.text.clone()));
        let words = words.chain(STEP_OPTIONS.map(str::to_owned));
        let options = if needs_approval { APPROVAL_OPTIONS.map(str::to_owned).to_vec() } else { words.collect() };
        Question {
            name: name.clone(),
            kind: QuestionKind::Step,
            visit: self.state.visits.get(name).map_or(1, |visits| visits + 1),
            from: self.state.ended_steps.last().map(|last| last.step.clone()),
            message: text,
            options,
            deadline: None,
        }
    }

    pub(super) fn gate(&self, id: &str) -> Option<&WorkflowGate> {
        self.definition.gates.iter().find(|gate| gate.id.text == id)
    }

    /// The first gate that no route leads to and whose condition on the output of this step holds.
    pub(super) fn triggered(&self, step: &str, output: Option<&Value>) -> Option<String> {
        let ended = self.graph.node(step)?;
        let mut gates = self.definition.gates.iter().enumerate();
        let (_, gate) = gates.find(|(at, gate)| {
            self.graph.triggers(*at).contains(&ended)
                && gate.trigger.as_ref().is_some_and(|condition| {
                    evaluate(&condition.text, &|name| self.lookup(name, output), &[]).unwrap_or(false)
                })
        })?;
        Some(gate.id.text.clone())
    }

    /// Destination of a timeout; `None` if the run goes on waiting.
    fn timeout_destination(&self, gate: &WorkflowGate, from: Option<&str>) -> Option<(String, Destination)> {
        let action = gate.timeout_action.as_ref().map(|action| action.text.clone()).unwrap_or_default();
        let next = match self.graph.resolve_timeout(self.gate_index(gate)?)? {
            GateTimeout::Pause => return None,
            GateTimeout::Abort => Destination::Abort,
            GateTimeout::Choose(option) => self.option_destination(gate, option, from)?,
        };
        Some((action, next))
    }

    fn gate_index(&self, gate: &WorkflowGate) -> Option<usize> {
        self.definition.gates.iter().position(|other| other.id.text == gate.id.text)
    }

    /// Where an option of a gate leads.
    pub(super) fn option_destination(
        &self,
        gate: &WorkflowGate,
        option: usize,
        from: Option<&str>,
    ) -> Option<Destination> {
        let step = from.and_then(|from| self.step(from));
        let again = || step.map_or(Destination::Abort, |step| Destination::Step(step.name.text.clone()));
        let Some(answer) = self.graph.resolve_option(self.gate_index(gate)?, option) else {
            // Nothing is guessed from a word that the workflow gives no target.
            return Some(if step.is_some() { Destination::Person } else { Destination::Abort });
        };
        Some(match answer {
            GateAnswer::Approve | GateAnswer::Go(StepTarget::Action(RunAction::Continue | RunAction::Skip)) => {
                self.past_gate(gate, from)
            }
            GateAnswer::Reject | GateAnswer::Go(StepTarget::Action(RunAction::Retry)) => again(),
            GateAnswer::Go(StepTarget::Action(RunAction::Abort | RunAction::Fail)) => Destination::Abort,
            // The run stays at the gate.
            GateAnswer::Go(StepTarget::Action(RunAction::Pause | RunAction::Escalate)) => {
                Destination::Gate(gate.id.text.clone())
            }
            GateAnswer::Go(target) => self.place(target)?,
        })
    }

    /// Where a run goes on after a gate: where the step before it would have led.
    pub(super) fn past_gate(&self, gate: &WorkflowGate, from: Option<&str>) -> Destination {
        let Some(step) = from.and_then(|from| self.step(from)) else { return Destination::Complete };
        let here = Destination::Gate(gate.id.text.clone());
        let ended = self.state.last_end(&step.name.text);
        let routed = ended.and_then(|ended| Some(self.route(step, &ended.answer, ended.output.as_ref()).ok()?.next));
        let candidates = routed.into_iter().chain([self.proceed(step), self.following(step)]);
        let mut onward = candidates.filter(|next| *next != here && !matches!(next, Destination::Abort));
        onward.next().unwrap_or(Destination::Complete)
    }

    /// The message of a gate. After a failure, the facts in it are those of an earlier visit: the failure is named.
    fn message_after(&self, gate: &WorkflowGate, from: Option<&str>) -> String {
        let message = self.message(gate);
        let last = self.state.ended_steps.last().filter(|last| Some(last.step.as_str()) == from);
        match last.filter(|last| last.outcome == StepOutcome::Failed) {
            Some(failed) => {
                let reason = failed.reason.as_deref().unwrap_or("no reason given");
                format!("{message}\n`{}` failed: {reason}", failed.step)
            }
            None => message,
        }
    }

    fn message(&self, gate: &WorkflowGate) -> String {
        let text = gate.message.as_ref().map_or("", |message| message.text.trim());
        if text.is_empty() { format!("the gate `{}` needs a decision", gate.id.text) } else { self.rendered(text) }
    }

    /// A text with the facts of the run. One with unknown variables stays as it is: a person can read it.
    fn rendered(&self, text: &str) -> String {
        render(text, &|name| self.variable(name)).unwrap_or_else(|_| text.to_owned())
    }

    /// The value of a template variable, as far as the run itself knows it.
    pub fn variable(&self, name: &str) -> Option<String> {
        let start = &self.state.start;
        match name {
            "task" => return Some(start.task.clone()),
            "run_id" | "run" => return Some(start.run.clone()),
            "iteration" => return Some(self.state.iteration.to_string()),
            _ => {}
        }
        let bare = ["parameters.", "config.", "params."].iter().find_map(|prefix| name.strip_prefix(prefix));
        if let Some(value) = start.parameters.get(bare.unwrap_or(name)) {
            return Some(value.clone());
        }
        let name = ["phases.", "steps."].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        let (step, rest) = name.split_once('.').map_or((name, None), |(step, rest)| (step, Some(rest)));
        if self.gate(step).is_some() {
            let answer = self.state.answers.iter().rev().find(|answer| answer.name == step)?;
            return Some(answer.option.clone());
        }
        let value = self.result_field(step, rest)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

/// A duration as workflows write them: `90s`, `1h 30m`, `2d`.
pub fn duration(text: &str) -> Option<Duration> {
    let span: jiff::Span = text.parse().ok()?;
    let start = jiff::civil::date(2026, 1, 1);
    Duration::try_from(span.to_duration(start).ok()?).ok()
}
