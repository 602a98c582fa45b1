//! A GitHub Actions workflow with one job per step.
//!
//! There is no matrix: its jobs share their `needs`, and a failed one ends the others. Texts of the plan reach a job only as
//! values of environment variables.

use super::jobs::{ExportJob, ExportJobs};
use super::{ExportError, ExportHeader, MAX_GITHUB_JOBS, comment};
use crate::plan::quote::quoted;
use std::fmt::Write as _;

/// The action that every workflow of canonry uses, pinned to a commit, because a tag can move.
pub const CHECKOUT: &str = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";

/// The step that downloads a release of canonry. The attestation proves that this repository's workflow built the installer,
/// which checks the archive against its own checksum and adds canonry to the PATH of later steps.
pub fn install_step(version: &str) -> String {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let name = repository.trim_start_matches("https://github.com/");
    format!(
        "      - env:\n          GH_TOKEN: ${{{{ github.token }}}}\n        run: |\n          cd \"$RUNNER_TEMP\"\n          \
         curl -fsSLO --retry 3 {repository}/releases/download/v{version}/canonry-installer.sh\n          \
         gh attestation verify canonry-installer.sh --repo {name}\n          sh canonry-installer.sh\n"
    )
}

/// The environment whose protection rules are the gate of a step that needs approval.
const ENVIRONMENT: &str = "canonry-approval";

pub fn workflow(header: &ExportHeader, jobs: &ExportJobs<'_>) -> Result<String, ExportError> {
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
        write_job(header, &plan, jobs, job, &mut text);
    }
    Ok(text)
}

fn write_job(header: &ExportHeader, plan: &str, jobs: &ExportJobs<'_>, job: &ExportJob<'_>, text: &mut String) {
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
         with:\n          ref: ${{{{ github.ref }}}}\n          fetch-depth: 0\n{}      - run: |\n          \
         git config user.name \"github-actions[bot]\"\n          \
         git config user.email \"41898282+github-actions[bot]@users.noreply.github.com\"\n",
        header.options.timeout_minutes(),
        install_step(header.options.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"))),
    );
    if job.approval.is_some() {
        let _ = write!(
            text,
            "      # Status 5: it is approved already.\n      \
             - run: canonry run approve --reason \"approved in the environment {ENVIRONMENT}\" -- \"$PLAN\" \"$STEP\" || [ $? -eq 5 ]\n"
        );
    }
    text.push_str("      - run: canonry run exec --push -- \"$PLAN\" \"$STEP\"\n");
    if !header.options.secrets.is_empty() {
        text.push_str("        env:\n");
    }
    for name in &header.options.secrets {
        let _ = writeln!(text, "          {name}: ${{{{ secrets.{name} }}}}");
    }
}

/// A text as a value that the engine does not evaluate: `${{` would begin an expression.
fn value(text: &str) -> String {
    quoted(&text.replace("${{", "${{ '${{' }}"))
}
