//! `canonry install ci`, and the files that CI reads.

use crate::repo::Repo;
use crate::tools::{expect, text, yaml};
use serde_json::Value;

const WORKFLOW: &str = ".github/workflows/canonry.yml";
const INSTALL: [&str; 2] = ["install", "ci"];
const UNINSTALL: [&str; 2] = ["uninstall", "ci"];

#[test]
fn comes_and_goes() {
    let repo = Repo::synced();
    expect(&repo.run(&["install", "ci", "--dry-run"]), 0, &["--- /dev/null", "+name: canonry"]);
    assert!(!repo.path(".github").exists());
    expect(&repo.run(&INSTALL), 0, &["wrote     .github/workflows/canonry.yml", "canonry uninstall ci"]);
    expect(&repo.run(&INSTALL), 0, &["unchanged"]);
    expect(&repo.run(&["uninstall", "ci", "--dry-run"]), 0, &["+++ /dev/null"]);
    expect(&repo.run(&UNINSTALL), 0, &["removed   .github/workflows/canonry.yml"]);
    assert!(!repo.path(WORKFLOW).exists());
    expect(&repo.run(&UNINSTALL), 0, &["Nothing to take out"]);
}

#[test]
fn what_someone_changed_stays() {
    let repo = Repo::synced();
    repo.run(&INSTALL);
    let changed = text(&repo.path(WORKFLOW)).replace("ubuntu-latest", "our-runner");
    repo.write(WORKFLOW, &changed);
    for args in [INSTALL, UNINSTALL] {
        expect(&repo.run(&args), 5, &[WORKFLOW, "our-runner", "ubuntu-latest"]);
        assert_eq!(text(&repo.path(WORKFLOW)), changed);
    }
}

/// Git may check it out with other line ends.
#[test]
fn line_ends_are_no_change() {
    let repo = Repo::synced();
    repo.run(&INSTALL);
    let windows = text(&repo.path(WORKFLOW)).replace('\n', "\r\n");
    repo.write(WORKFLOW, &windows);
    expect(&repo.run(&INSTALL), 0, &["unchanged"]);
    expect(&repo.run(&UNINSTALL), 0, &["removed"]);
}

#[test]
fn nothing_is_written_outside_the_repository() {
    let repo = Repo::synced();
    let outside = repo.tmp();
    std::os::unix::fs::symlink(&outside, repo.path(".github")).unwrap();
    expect(&repo.run(&INSTALL), 5, &["out of the repository"]);
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0);
    std::fs::remove_file(repo.path(".github")).unwrap();
    std::fs::create_dir_all(repo.path(WORKFLOW)).unwrap();
    expect(&repo.run(&INSTALL), 5, &["a folder"]);
}

fn steps(job: &Value) -> Vec<Value> {
    job["steps"].as_array().unwrap().clone()
}

fn runs(steps: &[Value]) -> String {
    steps.iter().filter_map(|step| step["run"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_workflow_grants_no_more_than_is_needed() {
    let workflow = yaml("src/cli/install/workflow.yml");
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    let (check, dream) = (&workflow["jobs"]["check"], &workflow["jobs"]["dream"]);
    assert_eq!(check["permissions"], serde_json::json!({"contents": "read"}));
    assert_eq!(dream["permissions"], serde_json::json!({"contents": "write"}));
    assert_eq!(steps(check)[0]["with"]["persist-credentials"], Value::Bool(false));
    assert!(runs(&steps(check)).contains("canonry check --rev HEAD"));
    assert!(runs(&steps(check)).contains("canonry sync --check"));
    assert!(runs(&steps(dream)).contains("canonry dream"));
    for job in [check, dream] {
        assert!(job["timeout-minutes"].is_number());
        assert!(runs(&steps(job)).contains("cargo install --locked --root ~/.canonry canonry\n"));
    }
    pinned(&steps(check));
    pinned(&steps(dream));
}

/// `owner/name@v1`: a major version, and nothing that moves with a branch.
fn pinned(steps: &[Value]) {
    for uses in steps.iter().filter_map(|step| step["uses"].as_str()) {
        let (_, version) = uses.split_once('@').unwrap_or_else(|| panic!("{uses}"));
        assert!(version.strip_prefix('v').is_some_and(|major| major.parse::<u8>().is_ok()), "{uses}");
    }
}

/// In a composite action each script names its shell, and none takes an input into its text.
#[test]
fn the_action_is_sound() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    assert_eq!(action["inputs"]["args"]["default"], "check --rev HEAD");
    let steps = steps(&action["runs"]);
    pinned(&steps);
    for step in steps.iter().filter(|step| step["run"].is_string()) {
        assert_eq!(step["shell"], "bash", "{step}");
        assert!(!step["run"].as_str().unwrap().contains("${{"), "{step}");
    }
    assert!(runs(&steps).contains("cargo install --locked --path \"$GITHUB_ACTION_PATH\""));
}

/// The steps of the action, run as a runner would, with a program in the place of the one that is built.
#[test]
fn the_steps_of_the_action_run() {
    let repo = Repo::synced();
    let steps = steps(&yaml("action.yml")["runs"]);
    let home = repo.tmp().with_file_name("home");
    let bin = home.join(".canonry-action/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin!("canonry"), bin.join("canonry")).unwrap();
    let output = repo.tmp().join("output");
    let run = |part: &str| {
        let script = steps.iter().filter_map(|step| step["run"].as_str()).find(|run| run.contains(part)).unwrap();
        let mut bash = repo.command("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        bash.env("GITHUB_ACTION_PATH", crate::tools::root("")).env("GITHUB_OUTPUT", &output);
        bash.env("CANONRY_ARGS", "check --rev HEAD").output().unwrap().into()
    };
    for _ in 0..2 {
        expect(&run("hash-object"), 0, &[]);
    }
    let hashes = text(&output);
    let hashes: Vec<&str> = hashes.lines().collect();
    assert!(hashes[0].starts_with("hash=") && hashes[0].len() == 45 && hashes[0] == hashes[1], "{hashes:?}");
    expect(&run("CANONRY_ARGS"), 0, &["No findings"]);
    expect(&run("sync --check"), 0, &[]);
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    expect(&run("sync --check"), 1, &[]);
}
