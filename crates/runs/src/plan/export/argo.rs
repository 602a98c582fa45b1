//! An Argo Workflow with a DAG of the steps.
//!
//! Texts of the plan reach a container only as values of environment variables.

use super::jobs::ExportJobs;
use super::{ExportError, ExportHeader, comment};
use crate::plan::quote::quoted;
use crate::plan::slug::slug;
use std::fmt::Write as _;

/// The same for every step; the environment says which one.
const SCRIPT: &str = "\
set -eu
cd \"$(mktemp -d)\"
git clone -- \"$REPOSITORY\" .
git checkout \"$REVISION\" --
git config user.name >/dev/null || git config user.name canonry
git config user.email >/dev/null || git config user.email canonry@localhost
if [ \"$APPROVED\" = yes ]; then
  # Status 5: it is approved already.
  canonry run approve --reason 'approved in Argo' -- \"$PLAN\" \"$STEP\" || [ $? -eq 5 ]
fi
exec canonry run exec --push -- \"$PLAN\" \"$STEP\"
";

pub fn workflow(header: &ExportHeader, jobs: &ExportJobs<'_>) -> Result<String, ExportError> {
    let (Some(image), Some(repository)) = (&header.options.image, &header.options.repository) else {
        return Err(ExportError::NoImage);
    };
    let texts = [&header.plan, image, repository].into_iter().map(String::as_str);
    let ids = jobs.jobs.iter().map(|job| job.step.id_text());
    if let Some(text) = texts.chain(ids).find(|text| text.contains("{{")) {
        return Err(ExportError::ArgoTag(text.to_owned()));
    }
    // The name of a workflow is also a label, which has at most 63 characters.
    let name: String = slug(&header.plan).chars().take(40).collect();
    let mut text = comment(header);
    let _ = write!(
        text,
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata:\n  generateName: canonry-plan{}{}-\nspec:\n  entrypoint: plan\n  \
         arguments:\n    parameters:\n      - name: image\n        value: {}\n      - name: repository\n        value: {}\n      \
         - name: revision\n        value: main\n  templates:\n    - name: plan\n      dag:\n        tasks:\n",
        if name.is_empty() { "" } else { "-" },
        name.trim_end_matches('-'),
        quoted(image),
        quoted(repository),
    );
    for job in &jobs.jobs {
        let mut needs: Vec<&str> = job.needs.iter().map(|at| jobs.name(*at)).collect();
        if let Some(approval) = &job.approval {
            let _ = writeln!(text, "          - name: {approval}\n            template: approval");
            write_dependencies(&needs, &mut text);
            needs = vec![approval];
        }
        let _ = writeln!(text, "          - name: {}\n            template: exec", job.name);
        write_dependencies(&needs, &mut text);
        let _ = write!(
            text,
            "            arguments:\n              parameters:\n                - name: step\n                  value: {}\n                \
             - name: approved\n                  value: {}\n",
            quoted(job.step.id_text()),
            if job.approval.is_some() { "\"yes\"" } else { "\"no\"" },
        );
    }
    let seconds = u64::from(header.options.timeout_minutes()) * 60;
    let _ = write!(
        text,
        "    # Resume the workflow to approve the step.\n    - name: approval\n      suspend: {{}}\n    - name: exec\n      inputs:\n        \
         parameters:\n          - name: step\n          - name: approved\n      # Failed attempts are repeated by canonry, within its \
         bounds; this repeats a lost container.\n      retryStrategy:\n        limit: \"2\"\n        retryPolicy: OnError\n      \
         activeDeadlineSeconds: \"{seconds}\"\n      container:\n        image: \"{{{{workflow.parameters.image}}}}\"\n        env:\n"
    );
    for (name, value) in [
        ("PLAN", quoted(&header.plan)),
        ("STEP", "\"{{inputs.parameters.step}}\"".to_owned()),
        ("APPROVED", "\"{{inputs.parameters.approved}}\"".to_owned()),
        ("REPOSITORY", "\"{{workflow.parameters.repository}}\"".to_owned()),
        ("REVISION", "\"{{workflow.parameters.revision}}\"".to_owned()),
    ] {
        let _ = writeln!(text, "          - name: {name}\n            value: {value}");
    }
    for name in &header.options.secrets {
        let _ = write!(
            text,
            "          - name: {name}\n            valueFrom:\n              secretKeyRef:\n                name: canonry\n                key: {name}\n"
        );
    }
    let _ = write!(text, "        command: [sh, -c]\n        args:\n          - |\n{}", indented(SCRIPT));
    Ok(text)
}

fn write_dependencies(needs: &[&str], text: &mut String) {
    if !needs.is_empty() {
        let _ = writeln!(text, "            dependencies: [{}]", needs.join(", "));
    }
}

/// The script as the lines of a block in `args`.
fn indented(script: &str) -> String {
    script.lines().map(|line| format!("            {line}\n")).collect()
}
