//! An open run: its journal, and the definition that it uses.

use super::load::{LoadedWorkflow, content_id};
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::{Error, ErrorKind, Workspace, task_queue};
use canonry_model::canon::workflow::{WorkflowDefinition, WorkflowStep};
use canonry_runs::exec::{PersonRequest, RunEnd, RunLimit};
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::decision::keywords_in;
use canonry_runs::workflow::engine::{Engine, RunnerAction, task_name};
use canonry_runs::workflow::event::{RunEvent, WorkflowEnd};
use canonry_runs::workflow::log_line::{EndedTask, task_details};
use canonry_runs::workflow::prompt::keywords;
use canonry_runs::workflow::run_state::RunState;
use canonry_text::RepoPath;

/// A run with its definition.
#[derive(Debug)]
pub(super) struct OpenRun {
    pub folder: RunFolder,
    pub journal: RunJournal,
    pub workflow: LoadedWorkflow,
    /// Number of entries in the readable log, once it is known.
    logged: Option<usize>,
    /// The pull request that a person has to merge before the run continues, in words.
    pub proposed: Option<String>,
}

impl OpenRun {
    /// Opens a run by its id.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if there is no such run or its journal is damaged.
    pub fn open(workspace: &Workspace, id: &str) -> Result<Self, Error> {
        let (folder, journal) = run_journal(workspace, id)?;
        let workflow = snapshot(workspace, &folder, &journal.state.start.workflow)?;
        Ok(Self { folder, journal, workflow, logged: None, proposed: None })
    }

    pub fn definition(&self) -> Result<&WorkflowDefinition, Error> {
        self.workflow.definition()
    }

    /// The step with a name.
    pub fn step(&self, name: &str) -> Result<&WorkflowStep, Error> {
        let step = self.definition()?.steps.iter().find(|step| step.name.text == name);
        step.ok_or_else(|| Error::new(ErrorKind::Unreadable, format!("the workflow has no step `{name}`")))
    }

    /// Calls `look` with the engine.
    ///
    /// # Errors
    /// The definition is not readable.
    pub fn with_engine<T>(&self, look: impl FnOnce(&Engine<'_>) -> T) -> Result<T, Error> {
        let definition = self.definition()?;
        let graph = WorkflowGraph::new(definition);
        Ok(look(&Engine::new(definition, &graph, &self.journal.state)))
    }

    /// Records the events that are due, and says what they were or what has to happen instead.
    ///
    /// # Errors
    /// See [`RunJournal::update`].
    pub fn advance_once(&mut self, workspace: &Workspace) -> Result<RunnerAction, Error> {
        let now = workspace.env.clock.now();
        let definition = self.workflow.definition()?;
        let graph = WorkflowGraph::new(definition);
        // Decided under the lock: a person may decide at the same time.
        let action = self.journal.update(now, |state| {
            let action = Engine::new(definition, &graph, state).next(now);
            let events = if let RunnerAction::Record(events) = &action { events.clone() } else { Vec::new() };
            Ok((events, action))
        })?;
        match action {
            RunnerAction::Record(_) => self.log()?,
            RunnerAction::SettleCandidates(candidates) => {
                self.proposed = self.propose(workspace, &candidates)?;
                if self.proposed.is_some() {
                    return Ok(RunnerAction::SettleCandidates(candidates));
                }
                self.settle(workspace, &candidates)?;
                return Ok(RunnerAction::Record(Vec::new()));
            }
            _ => {}
        }
        Ok(action)
    }

    /// Records events until something outside has to happen, and says what.
    ///
    /// # Errors
    /// See [`RunJournal::update`].
    pub fn advance(&mut self, workspace: &Workspace) -> Result<RunnerAction, Error> {
        loop {
            match self.advance_once(workspace)? {
                RunnerAction::Record(_) => {}
                action => return Ok(action),
            }
        }
    }

    /// Why nothing goes on after an action; `None` if tasks run or are to be started.
    pub fn end_at(&self, action: &RunnerAction) -> Option<RunEnd> {
        Some(match action {
            RunnerAction::Record(_) | RunnerAction::Start(_) | RunnerAction::Wait => return None,
            RunnerAction::SettleCandidates(candidates) => {
                let next = Some(format!("canonry run exec {}", self.folder.id));
                let request = PersonRequest { reason: self.proposed.clone()?, next };
                RunEnd::NeedsPerson(vec![(candidates.step.clone(), request)])
            }
            RunnerAction::WaitUntil(until) => RunEnd::WaitingUntil(*until),
            RunnerAction::AskPerson(question) => RunEnd::Asks(question.clone()),
            RunnerAction::StepLimit(limit) => RunEnd::Limit(RunLimit::MaxSteps(*limit)),
            RunnerAction::Ended => match &self.journal.state.end {
                Some((WorkflowEnd::Complete, _)) => RunEnd::Complete,
                Some((WorkflowEnd::Aborted, Some(reason))) => RunEnd::Aborted(reason.clone()),
                Some((WorkflowEnd::Aborted, None)) | None => RunEnd::Aborted("no reason given".to_owned()),
            },
        })
    }

    /// Appends events, and brings the readable log up to date.
    ///
    /// # Errors
    /// See [`RunJournal::update`].
    pub fn record(&mut self, workspace: &Workspace, events: Vec<RunEvent>) -> Result<(), Error> {
        self.journal.append(workspace.env.clock.now(), events)?;
        self.log()
    }

    /// Brings the summary and the readable log up to date: a process can be killed between the journal and these.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn catch_up(&mut self) -> Result<(), Error> {
        self.journal.write_state()?;
        self.log()
    }

    /// Sets the task of the canon that a complete run has to `done`. Can be repeated.
    ///
    /// # Errors
    /// See [`task_queue::finish`].
    pub fn finish_task(&self, workspace: &Workspace) -> Result<(), Error> {
        let state = &self.journal.state;
        let is_complete = matches!(state.end, Some((WorkflowEnd::Complete, _)));
        state.start.task_id.iter().filter(|_| is_complete).try_for_each(|id| task_queue::finish(workspace, id))
    }

    fn log(&mut self) -> Result<(), Error> {
        let definition = self.workflow.definition().ok();
        let entries = &self.journal.entries;
        let details = |event: &RunEvent| {
            let RunEvent::TaskEnded { number: ended, end } = event else { return String::new() };
            let started = entries.iter().rev().find_map(|entry| match &entry.event {
                RunEvent::TaskStarted { number, step, role, owner, .. } if number == ended => {
                    Some((step, *role, owner))
                }
                _ => None,
            });
            let step = started
                .zip(definition)
                .and_then(|((name, ..), definition)| definition.steps.iter().find(|step| step.name.text == *name));
            let (Some((_, role, owner)), Some(step)) = (started, step) else { return String::new() };
            // An answer that is too long to be shown has an end.
            let answer = self.folder.answer(*ended).unwrap_or_else(|| end.answer.clone());
            let task = EndedTask {
                name: &task_name(step, role),
                owner: owner.as_deref(),
                seconds: end.seconds,
                keywords: &keywords_in(&answer, &keywords(step)),
                answer: &answer,
            };
            task_details(&task)
        };
        self.folder.write_log(entries, &mut self.logged, details)
    }
}

/// The definition that a run uses.
pub(super) fn snapshot(workspace: &Workspace, folder: &RunFolder, name: &str) -> Result<LoadedWorkflow, Error> {
    let (path, bytes) = read_snapshot(workspace, folder)?;
    LoadedWorkflow::parse(workspace, name.to_owned(), path, bytes)
}

/// The definition that a run uses, for a look at the run: not checked again if it is the one that the journal names, which
/// was checked when the run started or resumed with it.
pub(super) fn snapshot_for_look(
    workspace: &Workspace,
    folder: &RunFolder,
    state: &RunState,
) -> Result<LoadedWorkflow, Error> {
    let (path, bytes) = read_snapshot(workspace, folder)?;
    let name = state.start.workflow.clone();
    if content_id(&bytes)? == state.definition {
        LoadedWorkflow::parse_checked(workspace, name, path, bytes)
    } else {
        LoadedWorkflow::parse(workspace, name, path, bytes)
    }
}

fn read_snapshot(workspace: &Workspace, folder: &RunFolder) -> Result<(RepoPath, Vec<u8>), Error> {
    let path = folder.definition();
    let bytes = canonry_repo::fs::read(&path)
        .map_err(|e| Error::new(ErrorKind::Unreadable, format!("{}: {e}", path.display())))
        .map_err(|error| error.help("restore the file from a backup, or start a new run"))?;
    Ok((workspace.layout.runs().join(folder.id.as_str()).join("definition.yaml"), bytes))
}

/// The folder and the journal of a run by its id.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is no such run or its journal is damaged.
pub(super) fn run_journal(workspace: &Workspace, id: &str) -> Result<(RunFolder, RunJournal), Error> {
    let folder = RunFolder::named(workspace, id)?;
    let journal = RunJournal::open(&folder)?;
    Ok((folder, journal))
}

/// The ids of all runs.
///
/// # Errors
/// See [`RunFolder::all`].
pub(crate) fn run_ids(workspace: &Workspace) -> Result<Vec<String>, Error> {
    Ok(RunFolder::all(workspace)?.into_iter().map(|run| run.id).collect())
}

/// The ids of the runs that have not ended.
///
/// # Errors
/// See [`RunFolder::all`].
pub(crate) fn open_run_ids(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let open = readable(workspace)?.into_iter().filter(|(_, state)| !state.is_ended());
    Ok(open.map(|(run, _)| run.id).collect())
}

/// The ids of the open runs of a workflow.
///
/// # Errors
/// See [`RunFolder::all`].
pub(super) fn open_runs(workspace: &Workspace, workflow: &str) -> Result<Vec<String>, Error> {
    let is_open = |state: &RunState| state.start.workflow == workflow && !state.is_ended();
    Ok(readable(workspace)?.into_iter().filter(|(_, state)| is_open(state)).map(|(run, _)| run.id).collect())
}

/// The only open run of a workflow, otherwise its last run.
///
/// # Errors
/// [`ErrorKind::Usage`] if several are open.
pub(crate) fn last_run(workspace: &Workspace, workflow: &str) -> Result<Option<String>, Error> {
    match open_runs(workspace, workflow)?.as_slice() {
        [] => {
            let mut runs = readable(workspace)?.into_iter().filter(|(_, state)| state.start.workflow == workflow);
            Ok(runs.next_back().map(|(run, _)| run.id))
        }
        [only] => Ok(Some(only.clone())),
        several => Err(Error::new(ErrorKind::Usage, format!("{} runs are open: name one", several.len()))
            .help(format!("the open runs are {}", several.join(", ")))),
    }
}

/// The workflow of a run.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is no such run, or its journal is damaged.
pub(crate) fn of_run(workspace: &Workspace, id: &str) -> Result<String, Error> {
    Ok(RunJournal::read_state(&RunFolder::named(workspace, id)?)?.start.workflow)
}

/// The runs with their states. A damaged journal is reported when its run is named.
fn readable(workspace: &Workspace) -> Result<Vec<(RunFolder, RunState)>, Error> {
    let all = RunFolder::all(workspace)?.into_iter();
    Ok(all.filter_map(|run| RunJournal::read_state(&run).ok().map(|state| (run, state))).collect())
}
