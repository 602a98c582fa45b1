//! A GitHub Actions workflow with one job per step.
//!
//! There is no matrix: its jobs share their `needs`, and a failed one ends the others. Texts of the plan reach a job only as
//! values of environment variables.

use super::jobs::{ExportJob, ExportJobs};
use super::{ExportError, ExportHeader, MAX_GITHUB_JOBS, comment};
use crate::plan::quote::quoted;
use std::fmt::Write as _;

/// Pinned like those of `canonry install ci`.
pub const CHECKOUT: &str = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
pub const CACHE: &str = "actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5";

/// The environment whose protection rules are the gate of a step that needs approval.
const ENVIRONMENT: &str = "canonry-approval";

pub fn workflow(header: &ExportHeader, install: &str, jobs: &ExportJobs<'_>) -> Result<String, ExportError> {
    if jobs.jobs.len() > MAX_GITHUB_JOBS {
        return Err(ExportError::TooManyJobs(jobs.jobs.len()));
    }
    let plan = value(&header.plan);
    let mut text = comment(header);
    let _ = write!(
        text,
        "name: {}\non:\n  workflow_dispatch:\n\n# Each job declares the permissions that it needs.\npermissions: {{}}\n\n\
         # Two runs of the plan never overlap.\nconcurrency:\n  group: {}\n  cancel-in-progress: false\n\njobs:\n",
        value(&format!("plan {}", header.plan)),
        value(&format!("canonry-plan-{}", header.plan)),
    );
    for job in &jobs.jobs {
        write_job(header, install, &plan, jobs, job, &mut text);
    }
    Ok(text)
}

fn write_job(
    header: &ExportHeader,
    install: &str,
    plan: &str,
    jobs: &ExportJobs<'_>,
    job: &ExportJob<'_>,
    text: &mut String,
) {
    let step = value(job.step.id_text());
    let _ = writeln!(text, "  {}:\n    name: {step}", job.name);
    if !job.needs.is_empty() {
        let needs: Vec<&str> = job.needs.iter().map(|at| jobs.name(*at)).collect();
        let _ = writeln!(text, "    needs: [{}]", needs.join(", "));
    }
    if job.approval.is_some() {
        let _ = writeln!(text, "    # Its required reviewers approve the step.\n    environment: {ENVIRONMENT}");
    }
    let runs_on = value(header.options.runs_on.as_deref().unwrap_or("ubuntu-latest"));
    let _ = write!(
        text,
        "    runs-on: {runs_on}\n    timeout-minutes: {}\n    permissions:\n      contents: write\n    env:\n      PLAN: {plan}\n      \
         STEP: {step}\n    steps:\n      # The tip of the branch, with the work of earlier jobs.\n      - uses: {CHECKOUT}\n        \
         with:\n          ref: ${{{{ github.ref }}}}\n          fetch-depth: 0\n      - id: week\n        \
         run: echo \"week=$(date -u +%G-%V)\" >> \"$GITHUB_OUTPUT\"\n      - uses: {CACHE}\n        with:\n          \
         path: ~/.canonry\n          key: canonry-${{{{ runner.os }}}}-${{{{ runner.arch }}}}-${{{{ steps.week.outputs.week }}}}\n      \
         - run: cargo install --locked --root ~/.canonry {install} canonry\n      - run: |\n          \
         git config user.name \"github-actions[bot]\"\n          \
         git config user.email \"41898282+github-actions[bot]@users.noreply.github.com\"\n",
        header.options.timeout_minutes(),
    );
    if job.approval.is_some() {
        let _ = write!(
            text,
            "      # Status 5: it is approved already.\n      \
             - run: ~/.canonry/bin/canonry plan approve --reason \"approved in the environment {ENVIRONMENT}\" -- \"$PLAN\" \"$STEP\" || [ $? -eq 5 ]\n"
        );
    }
    text.push_str("      - run: ~/.canonry/bin/canonry plan exec -- \"$PLAN\" \"$STEP\"\n");
    if !header.options.secrets.is_empty() {
        text.push_str("        env:\n");
    }
    for name in &header.options.secrets {
        let _ = writeln!(text, "          {name}: ${{{{ secrets.{name} }}}}");
    }
    text.push_str(
        "      # Also the report on a failed attempt. Jobs that run at the same time may push in between.\n      \
         - if: ${{ !cancelled() }}\n        run: |\n          for attempt in 1 2 3 4 5; do\n            \
         git pull --no-rebase --no-edit && git push && exit 0\n            sleep \"$attempt\"\n          done\n          exit 1\n",
    );
}

/// A text as a value that the engine does not evaluate: `${{` would begin an expression.
fn value(text: &str) -> String {
    quoted(&text.replace("${{", "${{ '${{' }}"))
}
