//! `canonry install ci`, and the files that CI reads.

use crate::places::tools::{canonry_folder, expect, path_with, program, root, text, yaml};
use crate::support::repo::Repo;
use serde_json::Value;

const WORKFLOW: &str = ".github/workflows/canonry.yml";
const INSTALL: [&str; 2] = ["install", "ci"];
const UNINSTALL: [&str; 2] = ["uninstall", "ci"];

#[test]
fn installs_and_uninstalls() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&["install", "ci", "--dry-run"]), 0, &["--- /dev/null", "+name: canonry"]);
    assert!(!repo.path(".github").exists());
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .github/workflows/canonry.yml", "canonry uninstall ci"]);
    expect(&repo.canonry(&INSTALL), 0, &["unchanged"]);
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
    for args in [&INSTALL, &UNINSTALL] {
        expect(&repo.canonry(args), 5, &[WORKFLOW, "our-runner"]);
        assert_eq!(text(&repo.path(WORKFLOW)), changed);
    }
}

/// A workflow of another version is replaced; what it runs stays.
#[test]
fn updates_the_workflow_and_keeps_its_jobs() {
    let repo = Repo::with_synced_skill();
    repo.canonry(&["install", "ci", "--dream"]);
    let written = text(&repo.path(WORKFLOW));
    let (head, body) = written.split_once("name: canonry").unwrap();
    let body = format!("name: canonry{body}").replace("timeout-minutes: 10", "timeout-minutes: 9");
    let header = head.split_once("# Checksum").unwrap().0;
    let checksum = &blake3::hash(body.as_bytes()).to_hex()[..16];
    repo.write(WORKFLOW, format!("{header}# Checksum: {checksum}\n{body}"));
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .github/workflows/canonry.yml\n", "`canonry dream`"]);
    assert_eq!(text(&repo.path(WORKFLOW)), written);
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

/// The installed workflow.
fn installed(args: &[&str]) -> Value {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&[&INSTALL, args].concat()), 0, &[]);
    serde_yaml::from_str(&text(&repo.path(WORKFLOW))).unwrap()
}

/// The workflow only reads, runs once for a pull request, and downloads the release of this version.
#[test]
fn workflow_has_minimal_permissions() {
    let workflow = installed(&[]);
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    assert_eq!(workflow["on"], serde_json::json!({"push": {"branches": ["main", "master"]}, "pull_request": null}));
    assert_eq!(workflow["jobs"].as_object().unwrap().len(), 1);
    let check = &workflow["jobs"]["check"];
    assert_eq!((&check["permissions"], &check["if"]), (&serde_json::json!({"contents": "read"}), &Value::Null));
    assert_eq!(steps(check)[0]["with"]["persist-credentials"], Value::Bool(false));
    let release = format!("{}/releases/download/v{}/", env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_VERSION"));
    for part in [&release, "gh attestation verify", "canonry check --rev HEAD", "canonry sync --check"] {
        assert!(runs(&steps(check)).contains(part), "{part}");
    }
}

/// The job that writes comes only on request.
#[test]
fn workflow_dreams_on_request() {
    let workflow = installed(&["--dream"]);
    let [check, dream] = ["check", "dream"].map(|job| &workflow["jobs"][job]);
    assert_eq!(check["permissions"], serde_json::json!({"contents": "read"}));
    assert_eq!(dream["permissions"], serde_json::json!({"contents": "write"}));
    assert_eq!([&check["if"], &dream["if"]], ["github.event_name != 'schedule'", "github.event_name == 'schedule'"]);
    assert!(workflow["on"]["schedule"][0]["cron"].is_string());
    assert!(runs(&steps(dream)).contains("canonry dream\ngit push"));
    for job in [check, dream] {
        assert!(job["timeout-minutes"].is_number());
        pinned(&steps(job));
    }
}

/// The steps of canonry's own workflows and of its action use other actions at commits, because a tag can move.
#[test]
fn actions_are_pinned() {
    let folder = std::fs::read_dir(root(".github/workflows")).unwrap();
    for file in folder.map(|entry| entry.unwrap().path()) {
        let workflow: Value = serde_yaml::from_str(&text(&file)).unwrap();
        for job in workflow["jobs"].as_object().unwrap().values().filter(|job| job["steps"].is_array()) {
            pinned(&steps(job));
        }
    }
    pinned(&steps(&yaml("action.yml")["runs"]));
}

fn pinned(steps: &[Value]) {
    for uses in steps.iter().filter_map(|step| step["uses"].as_str()).filter(|uses| *uses != "./") {
        let commit = uses.split_once('@').map(|(_, commit)| commit);
        assert!(commit.is_some_and(|id| id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit())), "{uses}");
    }
}

/// Each script of a composite action names its shell, and none interpolates an input.
#[test]
fn action_is_valid() {
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"], "composite");
    assert_eq!(action["inputs"]["args"]["default"], "check --rev HEAD");
    let steps = steps(&action["runs"]);
    for step in steps.iter().filter(|step| step["run"].is_string()) {
        assert_eq!(step["shell"], "bash", "{step}");
        assert!(!step["run"].as_str().unwrap().contains("${{"), "{step}");
    }
}

/// Runs the scripts of the action as a runner does, with the tested binary on PATH.
struct Runner {
    repo: Repo,
    steps: Vec<Value>,
}

impl Runner {
    fn new() -> Self {
        Self { repo: Repo::with_synced_skill(), steps: steps(&yaml("action.yml")["runs"]) }
    }

    /// The first step whose script contains these words.
    fn run(&self, part: &str, args: &str) -> crate::support::repo::Ran {
        let script = self.steps.iter().filter_map(|step| step["run"].as_str()).find(|run| run.contains(part)).unwrap();
        let mut bash = self.repo.command("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        bash.env("PATH", path_with(&[&self.file("bin"), &canonry_folder()]));
        bash.env("GITHUB_ACTION_PATH", root("")).env("GITHUB_SERVER_URL", "https://github.com");
        bash.env("RUNNER_TEMP", self.repo.tmp()).env("RUNNER_TOOL_CACHE", self.file("tools")).env("RUNNER_ARCH", "X64");
        bash.env("GITHUB_OUTPUT", self.file("output")).env("GITHUB_STEP_SUMMARY", self.file("summary"));
        bash.env("GITHUB_PATH", self.file("path")).env("CANONRY_ARGS", args).output().unwrap().into()
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.repo.tmp().join(name)
    }
}

/// The action installs the release of its own version, verified, and downloads it once.
#[test]
fn action_installs_its_release() {
    let runner = Runner::new();
    let log = runner.file("log");
    let installer = "mkdir -p \"$CANONRY_UNMANAGED_INSTALL\" && cp \"$0\" \"$CANONRY_UNMANAGED_INSTALL/canonry\" && \
                     chmod +x \"$CANONRY_UNMANAGED_INSTALL/canonry\"";
    program(
        &runner.file("bin/curl"),
        &format!("#!/bin/sh\necho curl \"$@\" >> {0}\necho '{installer}' > canonry-installer.sh\n", log.display()),
    );
    program(&runner.file("bin/gh"), &format!("#!/bin/sh\necho gh \"$@\" >> {}\n", log.display()));
    for _ in 0..2 {
        expect(&runner.run("canonry-installer.sh", ""), 0, &[]);
    }
    let version = env!("CARGO_PKG_VERSION");
    let repository = env!("CARGO_PKG_REPOSITORY");
    let name = repository.strip_prefix("https://github.com/").unwrap();
    assert_eq!(
        text(&log),
        format!(
            "curl -fsSLO --retry 3 {repository}/releases/download/v{version}/canonry-installer.sh\n\
             gh attestation verify canonry-installer.sh --repo {name}\n"
        )
    );
    let folder = runner.file("tools").join(format!("canonry/{version}/X64"));
    assert!(folder.join("canonry").exists());
    assert_eq!(text(&runner.file("path")), format!("{0}\n{0}\n", folder.display()));
    // A release that is not there, and one that another workflow built.
    std::fs::remove_dir_all(runner.file("tools")).unwrap();
    program(&runner.file("bin/gh"), "#!/bin/sh\nexit 1\n");
    expect(&runner.run("canonry-installer.sh", ""), 1, &[]);
    program(&runner.file("bin/curl"), "#!/bin/sh\nexit 22\n");
    expect(&runner.run("canonry-installer.sh", ""), 1, &["::error::https://", "at the tag of a release"]);
    assert!(!folder.exists());
}

const CHECK: &str = "canonry.txt";
const SYNC: &str = "sync --check";

#[test]
fn action_steps_run() {
    let runner = Runner::new();
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
