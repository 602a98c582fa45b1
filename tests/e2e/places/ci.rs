//! `canonry install ci`, and the files that CI reads.

use crate::places::tools::{expect, text, yaml};
use crate::support::repo::Repo;
use serde_json::Value;

const WORKFLOW: &str = ".github/workflows/canonry.yml";
const SOURCE: &str = "https://git.example.com/team/canonry@0123456789abcdef0123456789abcdef01234567";
const INSTALL: [&str; 4] = ["install", "ci", "--source", SOURCE];
const UNINSTALL: [&str; 2] = ["uninstall", "ci"];

#[test]
fn installs_and_uninstalls() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&["install", "ci", "--source", SOURCE, "--dry-run"]), 0, &["--- /dev/null", "+name: canonry"]);
    assert!(!repo.path(".github").exists());
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .github/workflows/canonry.yml", "canonry uninstall ci"]);
    expect(&repo.canonry(&INSTALL), 0, &["unchanged"]);
    expect(&repo.canonry(&["install", "ci"]), 0, &["unchanged"]);
    expect(&repo.canonry(&["uninstall", "ci", "--dry-run"]), 0, &["+++ /dev/null"]);
    expect(&repo.canonry(&UNINSTALL), 0, &["removed   .github/workflows/canonry.yml"]);
    assert!(!repo.path(WORKFLOW).exists());
    expect(&repo.canonry(&UNINSTALL), 0, &["Nothing to remove"]);
}

#[test]
fn keeps_an_edited_workflow() {
    let repo = Repo::with_synced_skill();
    repo.canonry(&INSTALL);
    let changed = text(&repo.path(WORKFLOW)).replace("ubuntu-latest", "our-runner");
    repo.write(WORKFLOW, &changed);
    expect(&repo.canonry(&INSTALL), 5, &[WORKFLOW, "our-runner", "ubuntu-latest"]);
    for args in [&INSTALL[..], &UNINSTALL] {
        expect(&repo.canonry(args), 5, &[WORKFLOW, "our-runner"]);
        assert_eq!(text(&repo.path(WORKFLOW)), changed);
    }
}

#[test]
fn needs_a_pinned_source_and_can_change_it() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&["install", "ci"]), 64, &["where to get canonry from", "--source https://"]);
    let branch = "https://git.example.com/team/canonry@main";
    expect(&repo.canonry(&["install", "ci", "--source", branch]), 64, &["`main` is not a full commit id"]);
    assert!(!repo.path(".github").exists());
    repo.canonry(&INSTALL);
    let newer = "https://git.example.com/team/canonry@fedcba9876543210fedcba9876543210fedcba98";
    expect(&repo.canonry(&["install", "ci", "--source", newer]), 0, &["wrote"]);
    assert!(text(&repo.path(WORKFLOW)).contains("--rev fedcba9876543210fedcba9876543210fedcba98 canonry\n"));
    expect(&repo.canonry(&["install", "ci"]), 0, &["unchanged"]);
}

/// git may check the file out with other line ends.
#[test]
fn ignores_line_ends() {
    let repo = Repo::with_synced_skill();
    repo.canonry(&INSTALL);
    let windows = text(&repo.path(WORKFLOW)).replace('\n', "\r\n");
    repo.write(WORKFLOW, &windows);
    expect(&repo.canonry(&INSTALL), 0, &["unchanged"]);
    expect(&repo.canonry(&UNINSTALL), 0, &["removed"]);
}

#[test]
fn writes_nothing_outside_the_repository() {
    let repo = Repo::with_synced_skill();
    let outside = repo.tmp();
    std::os::unix::fs::symlink(&outside, repo.path(".github")).unwrap();
    expect(&repo.canonry(&INSTALL), 5, &["outside the repository"]);
    assert_eq!(std::fs::read_dir(outside).unwrap().count(), 0);
    std::fs::remove_file(repo.path(".github")).unwrap();
    std::fs::create_dir_all(repo.path(WORKFLOW)).unwrap();
    expect(&repo.canonry(&INSTALL), 5, &["a directory"]);
}

fn steps(job: &Value) -> Vec<Value> {
    job["steps"].as_array().unwrap().clone()
}

fn runs(steps: &[Value]) -> String {
    steps.iter().filter_map(|step| step["run"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn workflow_has_minimal_permissions() {
    let workflow = yaml("crates/app/src/install_text/ci_workflow.yml");
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    let check = &workflow["jobs"]["check"];
    let dream = &workflow["jobs"]["dream"];
    assert_eq!(check["permissions"], serde_json::json!({"contents": "read"}));
    assert_eq!(dream["permissions"], serde_json::json!({"contents": "write"}));
    assert_eq!(steps(check)[0]["with"]["persist-credentials"], Value::Bool(false));
    assert!(runs(&steps(check)).contains("canonry check --rev HEAD"));
    assert!(runs(&steps(check)).contains("canonry sync --check"));
    assert!(runs(&steps(dream)).contains("canonry dream"));
    for job in [check, dream] {
        assert!(job["timeout-minutes"].is_number());
        assert!(runs(&steps(job)).contains("cargo install --locked --root ~/.canonry <source> canonry\n"));
    }
    for uses in [steps(check), steps(dream)].concat().iter().filter_map(|step| step["uses"].as_str()) {
        let commit = uses.split_once('@').map(|(_, commit)| commit);
        assert!(commit.is_some_and(|id| id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit())), "{uses}");
    }
}

/// `owner/name@v1`: actions are pinned to a major version, not to a branch.
fn pinned(steps: &[Value]) {
    for uses in steps.iter().filter_map(|step| step["uses"].as_str()) {
        let (_, version) = uses.split_once('@').unwrap_or_else(|| panic!("{uses}"));
        assert!(version.strip_prefix('v').is_some_and(|major| major.parse::<u8>().is_ok()), "{uses}");
    }
}

/// Each script of a composite action names its shell, and none interpolates an input.
#[test]
fn action_is_valid() {
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

/// Runs the scripts of the action as a runner does, with the tested binary instead of an installed one.
struct Runner {
    repo: Repo,
    steps: Vec<Value>,
}

impl Runner {
    fn new() -> Self {
        let repo = Repo::with_synced_skill();
        let bin = repo.tmp().with_file_name("home").join(".canonry-action/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin!("canonry"), bin.join("canonry")).unwrap();
        Self { repo, steps: steps(&yaml("action.yml")["runs"]) }
    }

    /// The first step whose script contains these words.
    fn run(&self, part: &str, args: &str) -> crate::support::repo::Ran {
        let script = self.steps.iter().filter_map(|step| step["run"].as_str()).find(|run| run.contains(part)).unwrap();
        let mut bash = self.repo.command("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        bash.env("GITHUB_ACTION_PATH", crate::places::tools::root("")).env("RUNNER_TEMP", self.repo.tmp());
        bash.env("GITHUB_OUTPUT", self.file("output")).env("GITHUB_STEP_SUMMARY", self.file("summary"));
        bash.env("CANONRY_ARGS", args).output().unwrap().into()
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.repo.tmp().join(name)
    }
}

const CHECK: &str = "canonry.txt";
const SYNC: &str = "sync --check";

#[test]
fn action_steps_run() {
    let runner = Runner::new();
    for _ in 0..2 {
        expect(&runner.run("hash-object", ""), 0, &[]);
    }
    let hashes = text(&runner.file("output"));
    let hashes: Vec<&str> = hashes.lines().collect();
    assert!(hashes[0].starts_with("hash=") && hashes[0].len() == 45 && hashes[0] == hashes[1], "{hashes:?}");
    expect(&runner.run(CHECK, "check --rev HEAD"), 0, &["no findings"]);
    expect(&runner.run(SYNC, ""), 0, &[]);
    let summary = text(&runner.file("summary"));
    assert!(summary.starts_with("### canonry check --rev HEAD: passed\n``````````text\n"), "{summary}");
    assert!(summary.contains("no findings") && !summary.contains("sync"), "{summary}");
    runner.repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    expect(&runner.run(CHECK, "check --rev HEAD"), 0, &["no findings"]);
    expect(&runner.run(CHECK, "check"), 1, &["mirror-edited"]);
    expect(&runner.run(SYNC, ""), 1, &["edited by hand"]);
    let summary = text(&runner.file("summary"));
    assert!(summary.contains("### canonry check: failed with 1") && summary.contains("mirror-edited"), "{summary}");
    assert!(summary.contains("### canonry sync --check: failed with 1"), "{summary}");
    assert_eq!(summary.matches("``````````").count() % 2, 0);
}

/// Findings do not prevent their upload; a failed check uploads nothing.
#[test]
fn action_uploads_findings() {
    let runner = Runner::new();
    runner.repo.write("agent/skills/triage-bug/SKILL.md", crate::support::repo::COLON);
    expect(&runner.run("--format sarif", "check"), 0, &[]);
    let file = runner.file("canonry.sarif");
    assert_eq!(text(&runner.file("output")), format!("file={}\n", file.display()));
    let sarif: Value = serde_json::from_str(&text(&file)).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "yaml-invalid");
    std::fs::remove_file(runner.file("output")).unwrap();
    expect(&runner.run("--format sarif", "check --rev nowhere"), 0, &["nowhere"]);
    assert!(!runner.file("output").exists());
    expect(&runner.run(CHECK, "check --rev nowhere"), 65, &["nowhere"]);
    let action = yaml("action.yml");
    assert_eq!(action["inputs"]["sarif"]["default"], "false");
    let upload = steps(&action["runs"]).into_iter().find(|step| step["with"]["sarif_file"].is_string()).unwrap();
    assert_eq!(upload["if"], "steps.sarif.outputs.file != ''");
}
