//! The jobs as a JSON document, for any other engine.

use super::jobs::ExportJobs;
use super::{EXPORT_SCHEMA, ExportHeader};
use serde::Serialize;

#[derive(Serialize)]
struct ExportDocument<'a> {
    schema: &'static str,
    export: &'a ExportHeader,
    jobs: Vec<JobDocument<'a>>,
}

#[derive(Serialize)]
struct JobDocument<'a> {
    name: &'a str,
    step: &'a str,
    owner: &'a str,
    description: &'a str,
    deps: Vec<&'a str>,
    needs: Vec<&'a str>,
    level: usize,
    parallel: bool,
    approval: bool,
    files: Vec<&'a str>,
    command: [&'a str; 7],
}

pub fn document(header: &ExportHeader, jobs: &ExportJobs<'_>) -> String {
    let names = |list: &[usize]| list.iter().map(|at| jobs.name(*at)).collect();
    let document = ExportDocument {
        schema: EXPORT_SCHEMA,
        export: header,
        jobs: jobs
            .jobs
            .iter()
            .map(|job| JobDocument {
                name: &job.name,
                step: job.step.id_text(),
                owner: job.step.owner.as_ref().map_or("", |owner| &owner.text),
                description: &job.step.description,
                deps: names(&job.deps),
                needs: names(&job.needs),
                level: job.level,
                parallel: job.step.parallel,
                approval: job.step.approval,
                files: job.step.files.iter().map(|file| file.text.as_str()).collect(),
                command: ["canonry", "run", "exec", "--push", "--", &header.plan, job.step.id_text()],
            })
            .collect(),
    };
    serde_json::to_string_pretty(&document).expect("texts and numbers have a JSON form") + "\n"
}
