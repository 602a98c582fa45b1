//! Whether the effect of a step has happened: looked at before a step with `idempotency` is executed again after a kill or a
//! usage limit. An attempt that failed by itself is repeated.

use super::Runner;
use crate::command_guard::{CommandGuard, reason};
use crate::workflow::task_prompt::schema_file;
use crate::{Error, ErrorKind};
use canonry_guard::Verdict;
use canonry_model::canon::workflow::WorkflowStep;
use canonry_repo::exec::shell::{ShellEnd, run_shell};
use canonry_runs::workflow::decision::needs_keyword;
use canonry_runs::workflow::engine::{TaskSpec, duration};
use canonry_runs::workflow::event::{RunEvent, TaskEnd, TaskOutcome, TaskRole};
use canonry_runs::workflow::output_contract::{check_output, find_output};
use canonry_runs::workflow::prompt::keywords;
use canonry_runs::workflow::template::render;
use serde_json::{Value, json};
use std::path::{Component, Path};
use std::time::Duration;

/// Time limit of `check` if the step states none.
const CHECK_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// The largest `output_file` that is read.
const OUTPUT: u64 = 1 << 20;

impl Runner<'_> {
    /// The end of a task whose effect an interrupted task of the same attempt has had: all that `idempotency` names shows it.
    /// `None` if the task has to be executed, also if its output or its verdict is not known.
    ///
    /// # Errors
    /// The permissions cannot be read, or the run is stopped.
    pub(super) fn earlier_effect(&mut self, step: &WorkflowStep, spec: &TaskSpec) -> Result<Option<TaskEnd>, Error> {
        let Some(idempotency) = &step.idempotency else { return Ok(None) };
        let mut earlier = self.open.journal.state.current.iter().flat_map(|current| &current.tasks);
        let is_repeated = earlier.any(|task| task.role == spec.role && task.attempt == spec.attempt);
        if spec.role != TaskRole::Step || !is_repeated || needs_keyword(step, keywords(step).len()) {
            return Ok(None);
        }
        let mut outputs = Vec::new();
        let mut evidence = Vec::new();
        if let Some(file) = &idempotency.output_file {
            let Some(file) = self.with_run_id(&file.text) else { return Ok(None) };
            let Some(content) = self.output_file(&file)? else { return Ok(None) };
            outputs.extend(serde_json::from_str::<Value>(&content));
            evidence.push(format!("`{file}` exists"));
        }
        if let Some(check) = &idempotency.check {
            let Some(check) = self.with_run_id(&check.text) else { return Ok(None) };
            let Some(printed) = self.passes(&check, step, spec)? else { return Ok(None) };
            outputs.extend(find_output(&printed));
            evidence.push(format!("`{check}` passed"));
        }
        // A file that denies the effect is no evidence.
        let is_denied = outputs.iter().any(|output| output.get("passed") == Some(&Value::Bool(false)));
        if evidence.is_empty() || is_denied {
            return Ok(None);
        }
        outputs.push(json!({"passed": true}));
        let schema = schema_file(&self.workspace, &self.open, step, spec.role);
        let output = match &step.output {
            Some(contract) => {
                let is_accepted = |output: &Value| check_output(output, &contract.fields, schema.as_ref()).is_ok();
                let Some(output) = outputs.into_iter().find(is_accepted) else { return Ok(None) };
                Some(output)
            }
            None => None,
        };
        let answer = format!("An earlier attempt has done it: {}.", evidence.join(", "));
        Ok(Some(TaskEnd { result: TaskOutcome::Done, output, answer, ..TaskEnd::stopped() }))
    }

    /// Replaces the id of the run. Other variables come from workers, and have no place in a path or a command.
    fn with_run_id(&self, text: &str) -> Option<String> {
        let run = &self.open.folder.id;
        render(text, &|name| matches!(name, "run_id" | "run").then(|| run.clone())).ok()
    }

    /// The text of a file among the outputs of the run, or else in the work tree; `None` if it does not exist.
    fn output_file(&self, file: &str) -> Result<Option<String>, Error> {
        let relative = Path::new(file);
        if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Ok(None);
        }
        let places = [self.open.folder.outputs().join(relative), self.workspace.top()?.join(relative)];
        Ok(places.iter().find_map(|path| {
            let meta = std::fs::metadata(path).ok().filter(|meta| meta.is_file())?;
            // A file that is not text has an effect, and no output.
            let text = if meta.len() > OUTPUT { None } else { canonry_repo::fs::read_to_string(path).ok() };
            Some(text.unwrap_or_default())
        }))
    }

    /// The output of `check`, if it passes. A command that the guard does not let through is not run.
    fn passes(&mut self, check: &str, step: &WorkflowStep, spec: &TaskSpec) -> Result<Option<String>, Error> {
        let found = CommandGuard::load(&self.workspace)?.decide(check);
        if !matches!(found.verdict, Verdict::Allow | Verdict::Unlisted) {
            let text = format!("`{check}` of `{}` is not run: {}", step.name.text, reason(&found));
            self.open.record(&self.workspace, vec![RunEvent::Note { text }])?;
            return Ok(None);
        }
        let run = &self.open.folder;
        run.create_folder(&run.tasks())?;
        let timeout = step.timeout.as_ref().and_then(|timeout| duration(&timeout.text)).unwrap_or(CHECK_TIMEOUT);
        let variables = vec![("CANONRY_RUN".into(), run.id.clone().into())];
        let folder = self.workspace.top()?;
        let ran = run_shell(check, &folder, variables, &run.task_log(spec.number), timeout, &self.env.cancel)
            .map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        if matches!(ran.end, ShellEnd::Cancelled) {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        Ok((ran.code() == 0).then_some(ran.output))
    }
}
