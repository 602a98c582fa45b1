//! The files that steps write.

use crate::canon::plan::SpannedText;
use crate::canon::workflow::{StepOutput, WorkflowDefinition, WorkflowStep};
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// One who writes an output file.
#[derive(Clone, Debug)]
pub struct OutputWriter<'d> {
    /// The step.
    pub step: &'d WorkflowStep,
    /// The file as written.
    pub file: &'d SpannedText,
    /// How many copies of the step write at once.
    pub copies: u64,
}

/// A file that is written twice.
#[derive(Clone, Debug)]
pub enum OutputCollision<'d> {
    /// Two writers name it.
    Two {
        /// The first that names it.
        first: OutputWriter<'d>,
        /// Another one.
        second: OutputWriter<'d>,
    },
    /// The candidates of one step all name it.
    Candidates(OutputWriter<'d>),
}

/// All outputs with a file, in file order.
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

/// Every output file that has two writers; the same file in two spellings is one.
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
    placeholders(file).any(|name| name == "candidate" || name.starts_with("candidate."))
}

/// The names between `{{` and `}}`.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("{{").skip(1).filter_map(|part| part.split_once("}}")).map(|(name, _)| name.trim())
}
