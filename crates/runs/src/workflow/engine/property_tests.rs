//! Random small workflows with random workers and people: a run always ends, and a resumed run decides as the whole one.

use super::*;
use crate::workflow::event::{JOURNAL_SCHEMA, JournalEntry, RunStart, TaskEnd};
use crate::workflow::journal;
use crate::workflow::run_state::TaskState;
use canonry_model::canon::Blob;
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::workflow::Workflow;
use canonry_text::RepoPath;
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MAX_STEPS: u64 = 12;
/// More actions than a run of so many steps, attempts and answers can take.
const ACTIONS: usize = 2_000;

/// A step of a random workflow. Numbers stand for steps, gates, the end and actions.
#[derive(Clone, Debug)]
struct RandomStep {
    conditional: Option<u8>,
    next: u8,
    on_failure: Option<u8>,
    retries: u8,
    shape: u8,
    human: bool,
}

fn random_step() -> impl Strategy<Value = RandomStep> {
    let target = || any::<u8>();
    (proptest::option::of(target()), target(), proptest::option::of(target()), 0_u8..3, 0_u8..6, 0_u8..8).prop_map(
        |(conditional, next, on_failure, retries, shape, human)| RandomStep {
            conditional,
            next,
            on_failure,
            retries,
            shape,
            human: human == 0,
        },
    )
}

fn target(number: u8, steps: usize) -> String {
    match usize::from(number) % (steps + 5) {
        at if at < steps => format!("s{at}"),
        at => ["g", "h", "end", "abort", "human_escalation"][at - steps].to_owned(),
    }
}

fn definition(steps: &[RandomStep], gate: u8) -> WorkflowDefinition {
    let mut text = format!("workflow: w\nworkflow_version: 1.0.0\nmax_steps: {MAX_STEPS}\nsteps:\n");
    for (at, step) in steps.iter().enumerate() {
        let next = target(step.next, steps.len());
        let conditional = step.conditional.map(|to| format!("{{if: again, goto: {}}}, ", target(to, steps.len())));
        text.push_str(&format!(
            "  s{at}:\n    owner: A\n    next: [{}{{goto: {next}}}]\n",
            conditional.unwrap_or_default()
        ));
        if let Some(to) = step.on_failure {
            text.push_str(&format!("    on_failure: {}\n", target(to, steps.len())));
        }
        if step.retries > 0 {
            text.push_str(&format!("    retry_strategy: serial\n    max_retries: {}\n", step.retries));
        }
        text.push_str(match step.shape {
            1 => "    parallel_candidates: 3\n    fan_in_strategy: collect-all\n    selection_criteria: passed\n",
            2 => "    parallel: [{owner: A}, {owner: B}]\n    fan_in_strategy: collect-all\n",
            3 => "    parallel: [{owner: A}, {owner: B}]\n    fan_in_strategy: fail-fast\n    on_any_failure: abort\n",
            4 => "    generator: A\n    evaluator: B\n    quality_threshold: 0.5\n",
            _ => "    output: {schema: {passed: bool, again: bool}}\n",
        });
        if step.human {
            // With a prompt, a person approves it, and then it is executed.
            text.push_str(if step.next % 2 == 0 {
                "    human: Is it done?\n"
            } else {
                "    human: true\n    prompt: p\n"
            });
        }
    }
    let action = ["pause", "abort", "continue"][usize::from(gate) % 3];
    text.push_str(&format!(
        "gates:
  - {{gate_id: g, type: approval, options: [{{value: yes, default: true}}, {{value: reject}}, {{value: stop}}], timeout: 1m, timeout_action: {action}}}
  - {{gate_id: h, type: notification, options: [{{value: go, goto: s0, default: true}}]}}
"
    ));
    let workflow = Workflow::parse(RepoPath::from("w.yaml"), Blob::Bytes(text.into_bytes()), &Schemas::default());
    workflow.document.unwrap().definition().unwrap().clone()
}

fn start() -> RunEvent {
    RunEvent::RunStarted(RunStart { schema: JOURNAL_SCHEMA.to_owned(), run: "r".to_owned(), ..RunStart::default() })
}

fn task_end(choice: u8, now: Timestamp) -> TaskEnd {
    let until = (choice % 8 == 7).then(|| now.plus(Duration::from_secs(3)).to_string());
    TaskEnd {
        result: match choice % 8 {
            0..=3 => TaskOutcome::Done,
            4 | 5 => TaskOutcome::Failed,
            6 => TaskOutcome::Stopped,
            _ => TaskOutcome::Limit,
        },
        output: Some(json!({"passed": choice % 8 != 3, "again": choice & 16 != 0, "score": f64::from(choice) / 255.0})),
        answer: "done".to_owned(),
        error: (choice % 8 == 4).then(|| format!("the tool says {}", choice % 5)),
        until,
        seconds: 1.0,
        usage: Default::default(),
    }
}

/// End of a simulated run.
#[derive(Clone, Debug, PartialEq)]
enum SimulationEnd {
    Ended,
    StepLimit,
    NeedsPerson,
}

/// A run in memory.
struct Simulation<'d> {
    definition: &'d WorkflowDefinition,
    entries: Vec<JournalEntry>,
    choices: &'d [u8],
    now: Timestamp,
}

impl Simulation<'_> {
    fn choice(&self) -> u8 {
        // From the journal alone, so that a resumed run meets the same world.
        self.choices[self.entries.len() % self.choices.len()]
    }

    fn append(&mut self, events: &[RunEvent]) {
        let last = self.entries.last().map_or(0, |entry| entry.seq);
        self.now = Timestamp::parse("2026-05-01T12:00:00Z").unwrap().plus(Duration::from_secs(last));
        self.entries.extend(journal::lines(events, last, 0, self.now).1);
    }

    /// Continues until the run ends, or nobody answers any more.
    fn run(&mut self) -> SimulationEnd {
        let mut answers = 0;
        for _ in 0..ACTIONS {
            // Derived from all entries each time: nothing is kept beside the journal.
            let state = RunState::from_entries(self.entries.iter().cloned());
            let graph = WorkflowGraph::new(self.definition);
            let engine = Engine::new(self.definition, &graph, &state);
            match engine.next(self.now) {
                RunnerAction::Record(events) => {
                    assert!(!events.is_empty());
                    self.append(&events);
                }
                RunnerAction::Start(specs) => {
                    let Some(spec) = specs.first() else { panic!("nothing to start") };
                    assert!(spec.number == state.tasks + 1);
                    let step = self.definition.steps[spec.step].name.text.clone();
                    let number = spec.number;
                    let attempt = spec.attempt;
                    let role = spec.role;
                    let owner = spec.owner.clone();
                    let branch = matches!(role, TaskRole::Candidate(_)).then(|| format!("b{number}"));
                    self.append(&[RunEvent::TaskStarted { number, step, attempt, role, owner, branch, worker: None }]);
                }
                RunnerAction::SettleCandidates(Candidates { step, attempt, chosen, tasks }) => {
                    assert!(chosen.is_none_or(|chosen| tasks.contains(&chosen)), "{chosen:?}, {tasks:?}");
                    let error = chosen.filter(|_| self.choice().is_multiple_of(5)).map(|_| "a conflict".to_owned());
                    let commit = chosen.filter(|_| error.is_none()).map(|task| format!("c{task}"));
                    let kept = Vec::new();
                    let settled = RunEvent::CandidatesSettled { step, attempt, task: chosen, commit, error, kept };
                    self.append(&[settled]);
                }
                RunnerAction::Wait => {
                    let current = state.current.as_ref().unwrap();
                    let running = current.tasks.iter().find(|task| task.end.is_none());
                    let number = running.expect("a run waits for a task").number;
                    // A tool is not at its limit for ever.
                    let is_idle = |task: &&TaskState| task.end.is_some() && !task.is_finished();
                    let idle = current.tasks.iter().filter(is_idle).count();
                    let end = task_end(if idle < 4 { self.choice() } else { self.choice() & !7 }, self.now);
                    self.append(&[RunEvent::TaskEnded { number, end }]);
                }
                RunnerAction::WaitUntil(until) => {
                    assert!(until > self.now);
                    self.append(&[RunEvent::Note { text: "a second passes".to_owned() }]);
                }
                RunnerAction::AskPerson(question) => {
                    answers += 1;
                    if answers > 10 || question.options.is_empty() {
                        return SimulationEnd::NeedsPerson;
                    }
                    let option = &question.options[usize::from(self.choice()) % question.options.len()];
                    let decided = Decided { name: None, option, by: "U", why: Some("because") };
                    let event = answer(&engine, decided).unwrap();
                    self.append(&[event]);
                }
                RunnerAction::StepLimit(limit) => {
                    assert_eq!(limit, MAX_STEPS);
                    return SimulationEnd::StepLimit;
                }
                RunnerAction::Ended => return SimulationEnd::Ended,
            }
        }
        panic!("the run does not end: {:?}", self.entries.last());
    }
}

/// The events without times, which differ in nothing else.
fn events(entries: &[JournalEntry]) -> Vec<RunEvent> {
    entries.iter().map(|entry| entry.event.clone()).collect()
}

/// Each end follows its own start, and nothing starts inside a step at work.
fn assert_ordered(entries: &[JournalEntry]) {
    let mut open: Option<(&str, u64)> = None;
    let mut ended = false;
    for entry in entries {
        assert!(!ended, "{:?} follows the end", entry.event);
        match &entry.event {
            RunEvent::StepStarted { step, visit } => assert_eq!(open.replace((step, *visit)), None),
            RunEvent::StepEnded { step, visit, .. } => assert_eq!(open.take(), Some((step.as_str(), *visit))),
            RunEvent::TaskStarted { step, .. } => assert_eq!(open.map(|(open, _)| open), Some(step.as_str())),
            RunEvent::RunEnded { .. } => ended = true,
            _ => {}
        }
    }
}

/// No route leads to a step more often than its `max_retries` allows, until a person decides.
fn assert_bounded(definition: &WorkflowDefinition, entries: &[JournalEntry]) {
    let mut attempts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut counted: BTreeSet<(&str, u64, u64)> = BTreeSet::new();
    let mut visit = 0;
    for entry in entries {
        match &entry.event {
            RunEvent::StepStarted { visit: begun, .. } => visit = *begun,
            RunEvent::TaskStarted { step, attempt, .. } if counted.insert((step, visit, *attempt)) => {
                *attempts.entry(step).or_default() += 1;
            }
            RunEvent::PersonAnswered { .. } => attempts.clear(),
            _ => {}
        }
        for step in &definition.steps {
            let done = attempts.get(step.name.text.as_str()).copied().unwrap_or_default();
            assert!(step.retry.bound().is_none_or(|bound| done <= bound + 1), "{}: {done}", step.name.text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_run_ends_and_a_resumed_run_decides_as_the_whole_one(
        steps in proptest::collection::vec(random_step(), 1..6),
        gate in any::<u8>(),
        choices in proptest::collection::vec(any::<u8>(), 1..40),
        cut in any::<proptest::sample::Index>(),
    ) {
        let definition = definition(&steps, gate);
        let now = Timestamp::parse("2026-05-01T12:00:00Z").unwrap();
        let mut whole = Simulation { definition: &definition, entries: Vec::new(), choices: &choices, now };
        whole.append(&[start()]);
        let end = whole.run();
        assert_ordered(&whole.entries);
        assert_bounded(&definition, &whole.entries);
        let taken = whole.entries.iter().filter(|entry| matches!(entry.event, RunEvent::StepStarted { .. })).count();
        prop_assert!(taken as u64 <= MAX_STEPS);
        if end == SimulationEnd::NeedsPerson {
            return Ok(());
        }
        // Killed after any entry, and continued from what the journal says.
        let kept = 1 + cut.index(whole.entries.len());
        let entries = whole.entries[..kept].to_vec();
        let now = Timestamp::parse(&entries[kept - 1].at).unwrap();
        let mut resumed = Simulation { definition: &definition, entries, choices: &choices, now };
        prop_assert_eq!(resumed.run(), end);
        prop_assert_eq!(events(&resumed.entries), events(&whole.entries));
    }
}
