//! The hooks for the pre-commit framework, and the framework itself where it is installed.

use crate::repo::{COLON, GOOD, Ran, Repo};
use crate::tools::{SKILL, canonry_folder, expect, path_with, root, yaml};
use std::path::{Path, PathBuf};

#[test]
fn every_hook_runs_a_command_that_there_is() {
    let outside = Repo::without_git();
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_array().unwrap();
    let ids: Vec<&str> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["canonry-check", "canonry-check-system", "canonry-sync", "canonry-sync-system"]);
    for hook in hooks {
        let mut entry: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        assert_eq!(entry.remove(0), "canonry");
        entry.push("--help");
        expect(&outside.run(&entry), 0, &[]);
        let language = if hook["id"].as_str().unwrap().ends_with("-system") { "system" } else { "rust" };
        assert_eq!(hook["language"], language);
        assert_eq!((&hook["pass_filenames"], &hook["always_run"]), (&false.into(), &true.into()));
    }
}

/// What `CANONRY_PRE_COMMIT` names, or what is on PATH.
fn framework() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CANONRY_PRE_COMMIT") {
        return Some(named.into());
    }
    let folders = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("pre-commit")).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("skipped: pre-commit is neither on PATH nor named by CANONRY_PRE_COMMIT");
    }
    found
}

/// A repository with the framework's hook, which runs one of ours from this folder.
struct Framed {
    repo: Repo,
    program: PathBuf,
}

impl Framed {
    fn new(id: &str) -> Option<Self> {
        let program = framework()?;
        let framed = Self { repo: Repo::synced(), program };
        // Of this folder as it stands; `repo: local` needs no commit of it.
        let hooks = yaml(".pre-commit-hooks.yaml");
        let hook = hooks.as_array().unwrap().iter().find(|hook| hook["id"] == id).unwrap().clone();
        let config = serde_json::json!({"repos": [{"repo": "local", "hooks": [hook]}]});
        framed.repo.write(".pre-commit-config.yaml", &config.to_string());
        let ran = framed.command(&framed.program, &["install"]);
        expect(&ran, 0, &["pre-commit installed at"]);
        framed.repo.git(&["add", "-A"]);
        expect(&framed.commit(), 0, &["Passed"]);
        Some(framed)
    }

    fn command(&self, program: &Path, args: &[&str]) -> Ran {
        let mut command = self.repo.command(program);
        command.args(args).env("PRE_COMMIT_HOME", self.repo.tmp().join("pre-commit"));
        command.env("PATH", path_with(&[&canonry_folder(), self.program.parent().unwrap()])).output().unwrap().into()
    }

    fn commit(&self) -> Ran {
        self.command(Path::new("git"), &["commit", "-qm", "message"])
    }

    fn stage(&self, path: &str, text: &str) {
        self.repo.write(path, text);
        self.repo.git(&["add", path]);
    }
}

#[test]
fn the_framework_accepts_the_manifest() {
    let Some(program) = framework() else { return };
    let repo = Repo::new();
    let mut run = repo.command(program);
    run.arg("validate-manifest").arg(root(".pre-commit-hooks.yaml"));
    expect(&run.output().unwrap().into(), 0, &[]);
}

#[test]
fn the_framework_blocks_a_bad_skill_and_lets_a_good_one_through() {
    let Some(framed) = Framed::new("canonry-check-system") else { return };
    let path = "agent/skills/triage-bug/SKILL.md";
    let good = COLON.replace(": reproduce", ", reproduce");
    framed.stage(path, COLON);
    expect(&framed.commit(), 1, &["canonry check", "Failed", "exit code: 1", "yaml-invalid", &format!("{path}:3:33")]);
    // Mended, but not staged: what would be committed is still wrong.
    framed.repo.write(path, &good);
    expect(&framed.commit(), 1, &["Failed", "yaml-invalid"]);
    assert_eq!(std::fs::read_to_string(framed.repo.path(path)).unwrap(), good);
    // Staged well; what lies in the work tree is not committed.
    expect(&framed.repo.run(&["sync"]), 0, &[]);
    framed.repo.git(&["add", "-A"]);
    framed.repo.write(path, COLON);
    expect(&framed.commit(), 0, &["Passed"]);
    assert_eq!(std::fs::read_to_string(framed.repo.path(path)).unwrap(), COLON);
    assert_eq!(framed.repo.git(&["show", &format!("HEAD:{path}")]), good.trim_end());
}

/// Deleted files are not among those that the framework would give to a hook.
#[test]
fn the_framework_judges_a_deletion() {
    let Some(framed) = Framed::new("canonry-check-system") else { return };
    framed.repo.git(&["rm", "-q", "agent/skills/release-notes/references/format.md"]);
    expect(&framed.commit(), 1, &["Failed", "broken-link"]);
}

#[test]
fn the_framework_compares_the_mirrors() {
    let Some(framed) = Framed::new("canonry-sync-system") else { return };
    framed.stage(SKILL, &GOOD.replace("Sort", "Order"));
    expect(&framed.commit(), 1, &["canonry sync --check", "Failed", ".claude/skills/release-notes"]);
    expect(&framed.repo.run(&["sync"]), 0, &[]);
    framed.repo.git(&["add", "-A"]);
    expect(&framed.commit(), 0, &["Passed"]);
}

/// Its hook is its own to write: canonry leaves it alone, and says where to go.
#[test]
fn the_frameworks_hook_is_left_to_it() {
    let Some(framed) = Framed::new("canonry-check-system") else { return };
    let hook = framed.repo.path(crate::tools::HOOK);
    let before = std::fs::read(&hook).unwrap();
    expect(&framed.repo.run(&["install", "git-hooks"]), 5, &["made by pre-commit", ".pre-commit-config.yaml"]);
    assert_eq!(std::fs::read(&hook).unwrap(), before);
}

/// It moves a hook that was there aside, and runs it as well; there, too, the block is found.
#[test]
fn the_framework_keeps_our_hook_and_it_can_be_taken_out() {
    let Some(program) = framework() else { return };
    let framed = Framed { repo: Repo::synced(), program };
    expect(&framed.repo.run(&["install", "git-hooks"]), 0, &[]);
    framed.stage(".pre-commit-config.yaml", "repos: []\n");
    expect(&framed.command(&framed.program, &["install"]), 0, &["migration mode"]);
    framed.stage("agent/skills/triage-bug/SKILL.md", COLON);
    expect(&framed.commit(), 1, &["yaml-invalid"]);
    expect(&framed.repo.run(&["uninstall", "git-hooks"]), 0, &["removed   .git/hooks/pre-commit.legacy"]);
    expect(&framed.commit(), 0, &[]);
}
