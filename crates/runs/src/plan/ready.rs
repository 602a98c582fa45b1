//! Which steps of a plan may start now, and what the others wait for.
//!
//! A step may start if all its dependencies are complete. A step without `parallel: true` runs alone. Steps that name the
//! same file never run together.

use canonry_model::canon::plan::{PlanDocument, PlanStep, StepStatus};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::RepoPath;
use std::borrow::Cow;
use std::collections::HashMap;

/// Why a pending step cannot start now. Steps are named by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// These dependencies are not complete.
    Deps(Vec<String>),
    /// A person decides first, for this reason.
    Person(String),
    /// This step is in progress, and one of the two runs alone.
    RunsAlone(String),
    /// This step is in progress and names the same file.
    SharedFile {
        /// The step in progress.
        step: String,
        /// The file.
        file: String,
    },
}

/// The steps of a valid plan with everything that decides whether one may start.
#[derive(Debug)]
pub struct StepStates<'a> {
    steps: &'a [PlanStep],
    graph: Cow<'a, PlanGraph>,
    /// The first step in progress.
    running: Option<usize>,
    /// The first step in progress that runs alone.
    running_alone: Option<usize>,
    /// The files of the steps in progress.
    busy_files: HashMap<RepoPath, usize>,
}

impl<'a> StepStates<'a> {
    /// Indexes the steps.
    pub fn new(steps: &'a [PlanStep]) -> Self {
        Self::with_graph(steps, Cow::Owned(PlanGraph::new(steps)))
    }

    /// Indexes the steps of a plan file.
    pub fn of_document(document: &'a PlanDocument) -> Self {
        Self::with_graph(&document.steps, Cow::Borrowed(document.graph()))
    }

    fn with_graph(steps: &'a [PlanStep], graph: Cow<'a, PlanGraph>) -> Self {
        let running = || steps.iter().enumerate().filter(|(_, step)| step.status == StepStatus::InProgress);
        let mut busy_files = HashMap::new();
        for (at, step) in running() {
            for file in &step.files {
                busy_files.entry(RepoPath::new(&file.text)).or_insert(at);
            }
        }
        Self {
            steps,
            graph,
            running: running().map(|(at, _)| at).next(),
            running_alone: running().find(|(_, step)| !step.parallel).map(|(at, _)| at),
            busy_files,
        }
    }

    /// The index of the step with an id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.graph.position(id)
    }

    /// The status of a step.
    pub fn status(&self, at: usize) -> StepStatus {
        self.steps.get(at).map_or(StepStatus::Unknown, |step| step.status)
    }

    /// The indexes of a step's dependencies.
    pub fn deps(&self, at: usize) -> &[usize] {
        self.graph.deps(at)
    }

    /// Why other steps keep a pending step from starting now; `None` if none does, or it is not pending.
    pub fn obstacle(&self, at: usize) -> Option<WaitReason> {
        let step = self.steps.get(at).filter(|step| step.status == StepStatus::Pending)?;
        let open = self.deps(at).iter().map(|dep| &self.steps[*dep]).filter(|dep| dep.status != StepStatus::Complete);
        let open: Vec<String> = open.map(|dep| dep.id_text().to_owned()).collect();
        if !open.is_empty() {
            return Some(WaitReason::Deps(open));
        }
        if let Some(other) = self.running_alone.or(self.running.filter(|_| !step.parallel)) {
            return Some(WaitReason::RunsAlone(self.steps[other].id_text().to_owned()));
        }
        step.files.iter().find_map(|file| {
            let other = self.busy_files.get(&RepoPath::new(&file.text))?;
            Some(WaitReason::SharedFile { step: self.steps[*other].id_text().to_owned(), file: file.text.clone() })
        })
    }

    /// Whether a step is pending and may start now.
    pub fn is_ready(&self, at: usize) -> bool {
        self.status(at) == StepStatus::Pending && self.obstacle(at).is_none()
    }
}
