use super::*;
use canonry_model::canon::Blob;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::schema::Schemas;
use canonry_text::{RepoPath, yaml};

fn steps(text: &str) -> Vec<PlanStep> {
    let plan = Plan::parse(RepoPath::from("p.yaml"), Blob::Bytes(text.as_bytes().to_vec()), &Schemas::default());
    plan.document.unwrap().steps.clone()
}

fn header(to: ExportTarget) -> ExportHeader {
    let options = ExportOptions {
        version: Some("0.0.1".to_owned()),
        image: Some("registry.example.com/canonry:1".to_owned()),
        repository: Some("https://git.example.com/team/app".to_owned()),
        secrets: vec!["API_KEY".to_owned()],
        ..ExportOptions::default()
    };
    ExportHeader {
        plan: "login".to_owned(),
        path: "agent/plans/login/plan.yaml".to_owned(),
        to,
        options,
        digest: String::new(),
    }
}

fn exported(to: ExportTarget, text: &str) -> String {
    export(&header(to), &steps(text)).unwrap()
}

const DIAMOND: &str = "steps:
- {id: 1, owner: A, parallel: true}
- {id: api, owner: A, deps: [1], parallel: true, files: [a]}
- {id: API, owner: A, deps: [1], parallel: true, files: [./a]}
- {id: ui, owner: A, deps: [1], parallel: true, approval: true}
- {id: docs, owner: A, deps: [api, API, ui]}
";

fn needs(text: &str) -> Vec<(String, Vec<String>)> {
    let steps = steps(text);
    let jobs = ExportJobs::new(&steps);
    let names = |list: &[usize]| list.iter().map(|at| jobs.name(*at).to_owned()).collect();
    jobs.jobs.iter().map(|job| (job.name.clone(), names(&job.needs))).collect()
}

#[test]
fn jobs_need_what_must_not_run_with_them() {
    let of = |text: &str| -> String {
        needs(text).iter().map(|(name, needs)| format!("{name}({}) ", needs.join(","))).collect()
    };
    assert_eq!(of(DIAMOND), "step-1() api(step-1) api-2(step-1,api) ui(step-1) docs(api,api-2,ui) ");
    // Steps that run alone follow each other in the order of the file.
    assert_eq!(of("steps: [{id: b}, {id: a}, {id: c, deps: [b]}]"), "b() a(b) c(b,a) ");
    // A parallel step does not start before an earlier step that runs alone, nor that one before parallel steps end.
    assert_eq!(
        of(
            "steps: [{id: p, parallel: true}, {id: q, parallel: true}, {id: alone}, {id: r, parallel: true}, {id: s, parallel: true, deps: [r]}]"
        ),
        "p() q() alone(p,q) r(alone) s(r) "
    );
    assert_eq!(of("steps: [{id: late, deps: [early]}, {id: early}]"), "early() late(early) ");
}

#[test]
fn no_two_jobs_that_run_alone_or_share_a_file_are_unordered() {
    let mut text = "steps:\n".to_owned();
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for at in 0..60 {
        let deps: Vec<String> = (0..at).filter(|_| random(12) == 0).map(|dep| format!("s{dep}")).collect();
        text += &format!(
            "- {{id: s{at}, parallel: {}, files: [f{}], deps: [{}]}}\n",
            random(4) > 0,
            random(10),
            deps.join(", ")
        );
    }
    let steps = steps(&text);
    let jobs = ExportJobs::new(&steps);
    let mut before: Vec<std::collections::HashSet<usize>> = Vec::new();
    for job in &jobs.jobs {
        let mut all = std::collections::HashSet::new();
        for need in &job.needs {
            assert!(*need < before.len());
            all.insert(*need);
            all.extend(before[*need].iter().copied());
        }
        before.push(all);
    }
    for (at, job) in jobs.jobs.iter().enumerate() {
        for (other, earlier) in jobs.jobs.iter().enumerate().take(at) {
            let conflict =
                !job.step.parallel || !earlier.step.parallel || job.step.files[0].text == earlier.step.files[0].text;
            assert!(!conflict || before[at].contains(&other), "{} and {}", earlier.name, job.name);
        }
    }
}

#[test]
fn yaml_exports_are_valid_yaml_with_a_job_per_step() {
    let text = exported(ExportTarget::GithubActions, DIAMOND);
    let root = yaml::parse(&text, 0).unwrap().root;
    let jobs = root.get("jobs").unwrap().as_mapping().unwrap();
    let names: Vec<&str> = jobs.entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(names, ["step-1", "api", "api-2", "ui", "docs"]);
    // A later version does not make the file stale.
    assert!(text.contains("/releases/download/v0.0.1/canonry-installer.sh"), "{text}");
    let ui = root.get("jobs").unwrap().get("ui").unwrap();
    assert_eq!(ui.get("environment").unwrap().as_str(), Some("canonry-approval"));
    assert_eq!(ui.get("env").unwrap().get("STEP").unwrap().as_str(), Some("ui"));
    let text = exported(ExportTarget::Argo, DIAMOND);
    let root = yaml::parse(&text, 0).unwrap().root;
    let templates = root.get("spec").unwrap().get("templates").unwrap().as_sequence().unwrap();
    let tasks = templates[0].get("dag").unwrap().get("tasks").unwrap().as_sequence().unwrap();
    let names: Vec<&str> = tasks.iter().map(|task| task.get("name").unwrap().as_str().unwrap()).collect();
    assert_eq!(names, ["step-1", "api", "api-2", "approve-ui", "ui", "docs"]);
}

#[test]
fn texts_of_a_plan_never_reach_a_shell_line_or_an_expression() {
    let evil = "\"$(touch x)`id`; ${{ secrets.TOKEN }} \\n'#\\u2028- run: id\"";
    let text = exported(ExportTarget::GithubActions, &format!("steps: [{{id: {evil}, owner: A, approval: true}}]"));
    let root = yaml::parse(&text, 0).unwrap().root;
    let job = &root.get("jobs").unwrap().as_mapping().unwrap().entries[0];
    assert_eq!(job.key, "touch-x-id-secrets-token-run-id");
    let want = "$(touch x)`id`; ${{ '${{' }} secrets.TOKEN }} \n'#\u{2028}- run: id";
    assert_eq!(job.value.get("env").unwrap().get("STEP").unwrap().as_str(), Some(want));
    for step in job.value.get("steps").unwrap().as_sequence().unwrap() {
        let run = step.get("run").and_then(|run| run.as_str()).unwrap_or_default();
        assert!(!run.contains("touch") && !run.contains("${{"), "{run}");
    }
    let steps = steps("steps: [{id: '{{x}}', owner: A}]");
    assert_eq!(export(&header(ExportTarget::Argo), &steps), Err(ExportError::ArgoTag("{{x}}".to_owned())));
    let mut bad = header(ExportTarget::Json);
    bad.options.secrets = vec!["A }} B".to_owned()];
    assert!(matches!(export(&bad, &steps), Err(ExportError::Secret(_))));
    let mut odd = header(ExportTarget::GithubActions);
    odd.plan = "a\nb\u{85}c\u{2028}on: push".to_owned();
    let text = export(&odd, &steps).unwrap();
    assert!(text.is_ascii(), "{text}");
    assert_eq!(header_of(&text).unwrap().plan, odd.plan);
}

#[test]
fn an_export_says_whether_it_was_edited() {
    for to in [ExportTarget::GithubActions, ExportTarget::Argo, ExportTarget::Json] {
        let text = exported(to, DIAMOND);
        assert_eq!(text, exported(to, DIAMOND));
        assert!(is_unedited(&text) && is_unedited(&text.replace('\n', "\r\n")), "{text}");
        assert!(!is_unedited(&text.replace("docs", "dogs")));
        let found = header_of(&text).unwrap();
        assert_eq!(ExportHeader { digest: String::new(), ..found.clone() }, header(to));
        assert_eq!(export(&found, &steps(DIAMOND)).unwrap(), text);
        // A status does not matter.
        assert_eq!(exported(to, &DIAMOND.replace("owner: A", "owner: A, status: complete")), text);
    }
    assert_eq!((header_of("on: push\n"), is_unedited("")), (None, false));
}

#[test]
fn too_many_steps_are_refused() {
    let many: String = (0..300).map(|at| format!("- {{id: s{at}, owner: A, parallel: true}}\n")).collect();
    let steps = steps(&format!("steps:\n{many}"));
    let of = |to| export(&header(to), &steps);
    assert_eq!(of(ExportTarget::GithubActions), Err(ExportError::TooManyJobs(300)));
    assert!(of(ExportTarget::Argo).is_ok() && of(ExportTarget::Json).is_ok());
    assert_eq!(export(&header(ExportTarget::Json), &[]), Err(ExportError::NoSteps));
}
