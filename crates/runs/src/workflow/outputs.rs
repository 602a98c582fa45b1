//! The output files of steps.

use super::template::variables;
use canonry_model::canon::workflow::{StepOutput, WorkflowDefinition, WorkflowStep};
use canonry_text::RepoPath;
use canonry_text::node::SpannedText;
use std::collections::BTreeMap;

/// A step that writes an output file.
#[derive(Clone, Debug)]
pub struct OutputWriter<'d> {
    pub step: &'d WorkflowStep,
    /// The path as written.
    pub file: &'d SpannedText,
    /// The number of candidates that write it at the same time.
    pub copies: u64,
}

/// A file with several writers.
#[derive(Clone, Debug)]
pub enum OutputCollision<'d> {
    /// Two steps write it.
    Two { first: OutputWriter<'d>, second: OutputWriter<'d> },
    /// Parallel candidates of one step write it.
    Candidates(OutputWriter<'d>),
}

/// All output files in file order.
pub fn writers(definition: &WorkflowDefinition) -> Vec<OutputWriter<'_>> {
    let mut found = Vec::new();
    for step in &definition.steps {
        let copies = step.fan_out.count().unwrap_or(1);
        let file = |output: &'_ Option<StepOutput>| output.as_ref().and_then(|output| output.file.as_ref()).is_some();
        let outputs = std::iter::once((&step.output, copies));
        let outputs = outputs.chain(step.fan_out.children.iter().map(|child| (&child.output, 1)));
        for (output, copies) in outputs.filter(|(output, _)| file(output)) {
            let Some(file) = output.as_ref().and_then(|output| output.file.as_ref()) else { continue };
            found.push(OutputWriter { step, file, copies });
        }
    }
    found
}

/// The output files with several writers. Different spellings of a path count as one file.
pub fn collisions(definition: &WorkflowDefinition) -> Vec<OutputCollision<'_>> {
    let mut first: BTreeMap<RepoPath, OutputWriter<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for writer in writers(definition) {
        if writer.copies > 1 && !names_candidate(&writer.file.text) {
            found.push(OutputCollision::Candidates(writer.clone()));
        }
        let file = RepoPath::from("run.yaml").resolve_beside(writer.file.text.as_bytes());
        match first.entry(file.unwrap_or_else(|| RepoPath::new(&writer.file.text))) {
            std::collections::btree_map::Entry::Occupied(known) => {
                found.push(OutputCollision::Two { first: known.get().clone(), second: writer });
            }
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(writer);
            }
        }
    }
    found
}

fn names_candidate(file: &str) -> bool {
    variables(file).iter().any(|(name, _)| *name == "candidate" || name.starts_with("candidate."))
}
