//! Jobs on unsaved text, as an editor's language server runs them.

use canonry_app::check::{CheckRequest, check};
use canonry_app::recall::{self, RecallRequest};
use canonry_app::{Environment, MemorySource, Quiet, Workspace};

const SKILL: &str = "agent/skills/deploy/SKILL.md";

fn workspace() -> Workspace {
    let mut files = MemorySource::new();
    files.add(SKILL, "---\nname: deploy\ndescription: Deploys the service. Use it for releases.\n---\nRun `make`.\n");
    Workspace::in_memory(&Environment::isolated(), files).unwrap()
}

fn rules(workspace: &mut Workspace) -> Vec<&'static str> {
    let request = CheckRequest { paths: vec![SKILL.into()], ..CheckRequest::default() };
    check(workspace, &request, &Quiet).unwrap().findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn check_reads_unsaved_text() {
    let mut workspace = workspace();
    assert_eq!(rules(&mut workspace), [""; 0]);
    workspace.set_unsaved(SKILL.into(), "---\nname: deploy\n---\nRun `make`.\n");
    assert_eq!(rules(&mut workspace), ["skill-schema"]);
}

#[test]
fn recall_reads_unsaved_text() {
    let mut workspace = workspace();
    workspace
        .set_unsaved("agent/memory/semantic/LESSONS.md".into(), "# Lessons\n\n- Tag a release before the deploy.\n");
    let request = RecallRequest { text: "release tag".to_owned(), top: 3, budget: 200, snapshots: false, now: None };
    let outcome = recall::run(&workspace, &request, &Quiet).unwrap();
    assert_eq!((outcome.searched, outcome.hits.len()), (1, 1), "{outcome:?}");
}
