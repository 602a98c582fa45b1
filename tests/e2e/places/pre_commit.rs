//! The hooks for pre-commit and prek, tested with both frameworks if they are installed.

use crate::places::tools::{SKILL, canonry_folder, expect, path_with, root, text, yaml};
use crate::support::repo::{COLON, GOOD, Ran, Repo};
use serde_json::Value;
use std::path::{Path, PathBuf};

const MIRROR: &str = ".claude/skills/release-notes/SKILL.md";

fn hooks() -> Vec<Value> {
    yaml(".pre-commit-hooks.yaml").as_array().unwrap().clone()
}

fn words(hook: &Value) -> Vec<String> {
    let entry = hook["entry"].as_str().unwrap().split(' ').map(str::to_owned);
    let args = hook["args"].as_array().into_iter().flatten().map(|arg| arg.as_str().unwrap().to_owned());
    entry.chain(args).collect()
}

#[test]
fn every_hook_runs_an_existing_command() {
    let outside = Repo::without_git();
    let mut ids = Vec::new();
    for hook in hooks() {
        let id = hook["id"].as_str().unwrap().to_owned();
        let words = words(&hook);
        assert!(words[0] == "canonry" || words[0].starts_with("ghcr.io/"), "{id}");
        let mut args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        args.push("--help");
        expect(&outside.canonry(&args), 0, &[]);
        let languages = [("-docker", "docker_image"), ("-rust", "rust"), ("-system", "system")];
        let language = languages.into_iter().find(|(suffix, _)| id.ends_with(suffix));
        assert_eq!(hook["language"], language.map_or("python", |(_, language)| language), "{id}");
        assert_eq!((&hook["pass_filenames"], &hook["always_run"]), (&false.into(), &true.into()));
        ids.push(id);
    }
    let flavours = |kind: &str| ["", "-rust", "-docker", "-system"].map(|flavour| format!("canonry-{kind}{flavour}"));
    assert_eq!(ids, [flavours("check"), flavours("sync")].concat());
}

/// The programs in `CANONRY_PRE_COMMIT` and `CANONRY_PREK`, or those on PATH.
fn frameworks() -> [PathBuf; 2] {
    let folders = std::env::var_os("PATH").unwrap();
    [("CANONRY_PRE_COMMIT", "pre-commit"), ("CANONRY_PREK", "prek")].map(|(variable, name)| {
        let on_path = || std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
        let program = std::env::var_os(variable).map(PathBuf::from).or_else(on_path);
        program.unwrap_or_else(|| panic!("{name} is neither on PATH nor named by {variable}"))
    })
}

/// A repository with the framework's hook, which runs a hook from this checkout.
struct Framed {
    repo: Repo,
    program: PathBuf,
    /// A folder with wheels that pip and uv use as if PyPI had them.
    wheels: Option<PathBuf>,
}

impl Framed {
    /// One for each installed framework. `changed` replaces keys of the manifest.
    fn each(id: &str, changed: &Value) -> Vec<Self> {
        let mut hook = hooks().into_iter().find(|hook| hook["id"] == id).unwrap();
        let changed = changed.as_object().unwrap().clone();
        hook.as_object_mut().unwrap().extend(changed);
        frameworks().into_iter().map(|program| Self::with(program, &hook)).collect()
    }

    fn with(program: PathBuf, hook: &Value) -> Self {
        Self::within(Repo::with_synced_skill(), program, hook)
    }

    fn within(repo: Repo, program: PathBuf, hook: &Value) -> Self {
        let framed = Self { repo, program, wheels: None };
        // `repo: local` uses this checkout without a commit.
        framed.configure(&serde_json::json!({"repo": "local", "hooks": [hook]}));
        framed
    }

    /// Installs the framework's hook for this repository of hooks, and commits.
    fn configure(&self, hooks: &Value) {
        self.repo.write(".pre-commit-config.yaml", serde_json::json!({"repos": [hooks]}).to_string());
        let ran = self.command(&self.program, &["install"]);
        expect(&ran, 0, &[".git/hooks/pre-commit"]);
        self.repo.git(&["add", "-A"]);
        expect(&self.commit(&[]), 0, &["Passed"]);
    }

    fn name(&self) -> &str {
        self.program.file_name().unwrap().to_str().unwrap()
    }

    fn command(&self, program: &Path, args: &[&str]) -> Ran {
        let mut command = self.repo.command(program);
        let home = self.repo.tmp().join("framework");
        command.args(args).env("PRE_COMMIT_HOME", &home).env("PREK_HOME", &home);
        if let Some(wheels) = &self.wheels {
            command.env("PIP_FIND_LINKS", wheels).env("UV_FIND_LINKS", wheels).env("UV_SYSTEM_CERTS", "true");
        }
        command.env("PATH", path_with(&[&canonry_folder(), self.program.parent().unwrap()])).output().unwrap().into()
    }

    fn commit(&self, args: &[&str]) -> Ran {
        self.command(Path::new("git"), &[&["commit", "-qm", "message"], args].concat())
    }

    fn stage(&self, path: &str, text: &str) {
        self.repo.write(path, text);
        self.repo.git(&["add", path]);
    }

    fn committed(&self, path: &str) -> String {
        self.repo.git(&["show", &format!("HEAD:{path}")])
    }
}

fn none() -> Value {
    serde_json::json!({})
}

#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_accepts_the_manifest() {
    for program in frameworks() {
        let repo = Repo::empty();
        let mut run = repo.command(program);
        run.arg("validate-manifest").arg(root(".pre-commit-hooks.yaml"));
        expect(&run.output().unwrap().into(), 0, &[]);
    }
}

#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_blocks_a_bad_skill_and_lets_a_good_one_through() {
    for framed in Framed::each("canonry-check-system", &none()) {
        let path = "agent/skills/triage-bug/SKILL.md";
        let good = COLON.replace(": reproduce", ", reproduce");
        framed.stage(path, COLON);
        let words = ["canonry check", "Failed", "exit code: 1", "yaml-invalid", &format!("{path}:3:33")];
        expect(&framed.commit(&[]), 1, &words);
        // Fixed but not staged: the commit would still contain the error.
        framed.repo.write(path, &good);
        expect(&framed.commit(&[]), 1, &["Failed", "yaml-invalid"]);
        assert_eq!(text(&framed.repo.path(path)), good);
        // The staged version is correct; the work tree is not committed.
        expect(&framed.repo.canonry(&["sync"]), 0, &[]);
        framed.repo.git(&["add", "-A"]);
        framed.repo.write(path, COLON);
        expect(&framed.commit(&[]), 0, &["Passed"]);
        assert_eq!(text(&framed.repo.path(path)), COLON);
        assert_eq!(framed.committed(path), good.trim_end());
    }
}

/// Repositories that use canonry as a linter only; with the names of the files, too.
#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_checks_without_a_canon() {
    for changed in [none(), serde_json::json!({"entry": "canonry check", "pass_filenames": true})] {
        let mut hook = hooks().into_iter().find(|hook| hook["id"] == "canonry-check-system").unwrap();
        hook.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
        for program in frameworks() {
            let repo = Repo::empty();
            repo.write("README.md", "# Shop\n");
            let framed = Framed::within(repo, program, &hook);
            let path = ".claude/skills/triage-bug/SKILL.md";
            framed.stage(path, COLON);
            let words = ["canonry check", "Failed", "exit code: 1", "yaml-invalid", &format!("{path}:3:33")];
            expect(&framed.commit(&[]), 1, &words);
            framed.stage(path, &COLON.replace(": reproduce", ", reproduce"));
            expect(&framed.commit(&[]), 0, &["Passed"]);
        }
    }
}

/// The framework does not pass deleted files to hooks.
#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_checks_a_deletion() {
    for framed in Framed::each("canonry-check-system", &none()) {
        framed.repo.git(&["rm", "-q", "agent/skills/release-notes/references/format.md"]);
        expect(&framed.commit(&[]), 1, &["Failed", "broken-link"]);
    }
}

#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_compares_the_mirrors() {
    for framed in Framed::each("canonry-sync-system", &none()) {
        framed.stage(SKILL, &GOOD.replace("Sort", "Order"));
        expect(&framed.commit(&[]), 1, &["canonry sync", "Failed", ".claude/skills/release-notes"]);
        expect(&framed.repo.canonry(&["sync"]), 0, &[]);
        framed.repo.git(&["add", "-A"]);
        expect(&framed.commit(&[]), 0, &["Passed"]);
    }
}

/// The framework allows a hook to stage files if the work tree and the index change in the same way.
#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_commits_the_mirrors() {
    for framed in Framed::each("canonry-sync-system", &serde_json::json!({"args": ["--staged"]})) {
        for (n, args) in [&[][..], &["-a"], &["--", SKILL], &["--amend", "-a"]].into_iter().enumerate() {
            let text = GOOD.replace("Sort", &format!("Order {n}"));
            framed.repo.write(SKILL, &text);
            if args.is_empty() {
                framed.repo.git(&["add", SKILL]);
            }
            expect(&framed.commit(args), 0, &["Passed"]);
            assert_eq!(framed.committed(MIRROR), text.trim_end(), "{} {args:?}", framed.name());
            assert_eq!(framed.repo.git(&["status", "--porcelain"]), "", "{} {args:?}", framed.name());
        }
        // Partially staged: the framework stashes the unstaged changes while hooks run.
        let staged = GOOD.replace("Sort", "Staged");
        let unstaged = GOOD.replace("Sort", "Unstaged");
        framed.stage(SKILL, &staged);
        framed.repo.write(SKILL, &unstaged);
        expect(&framed.commit(&[]), 0, &["Passed"]);
        assert_eq!(framed.committed(MIRROR), staged.trim_end());
        assert_eq!(text(&framed.repo.path(SKILL)), unstaged);
        expect(&framed.repo.canonry(&["sync"]), 0, &[]);
    }
}

/// canonry does not change the framework's hook, and explains how to configure it instead.
#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_hook_of_the_framework_is_left_unchanged() {
    for framed in Framed::each("canonry-check-system", &none()) {
        let hook = framed.repo.path(crate::places::tools::HOOK);
        let before = std::fs::read(&hook).unwrap();
        let made = format!("{} generates it", framed.name());
        expect(&framed.repo.canonry(&["install", "git-hooks"]), 5, &[&made, ".pre-commit-config.yaml"]);
        assert_eq!(std::fs::read(&hook).unwrap(), before);
    }
}

/// The framework renames an existing hook and runs it; canonry finds its block there too.
#[test]
#[ignore = "needs pre-commit and prek"]
fn needs_pre_commit_the_framework_keeps_the_block_and_it_can_be_removed() {
    for program in frameworks() {
        let framed = Framed { repo: Repo::with_synced_skill(), program, wheels: None };
        expect(&framed.repo.canonry(&["install", "git-hooks"]), 0, &[]);
        let hook = "{id: fine, name: fine, entry: 'true', language: system, always_run: true}";
        framed.stage(".pre-commit-config.yaml", &format!("repos: [{{repo: local, hooks: [{hook}]}}]\n"));
        expect(&framed.command(&framed.program, &["install"]), 0, &["pre-commit.legacy"]);
        framed.stage("agent/skills/triage-bug/SKILL.md", COLON);
        expect(&framed.commit(&[]), 1, &["yaml-invalid"]);
        expect(&framed.repo.canonry(&["uninstall", "git-hooks"]), 0, &["removed   .git/hooks/pre-commit.legacy"]);
        expect(&framed.commit(&[]), 0, &[]);
    }
}

/// The framework installs the wheel of this version, as from PyPI, and runs it.
#[test]
#[ignore = "needs pre-commit, prek, and a wheel that CANONRY_WHEEL names"]
fn needs_wheel_the_framework_runs_the_wheel() {
    let wheel = PathBuf::from(std::env::var_os("CANONRY_WHEEL").unwrap());
    let released = Repo::empty();
    for file in [".pre-commit-hooks.yaml", "pyproject.toml"] {
        released.write(file, text(&root(file)));
    }
    released.commit_all("release");
    let rev = released.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for program in frameworks() {
        let mut framed = Framed { repo: Repo::with_synced_skill(), program, wheels: None };
        framed.wheels = Some(wheel.parent().unwrap().to_owned());
        let hooks = serde_json::json!([{"id": "canonry-check"}]);
        framed.configure(&serde_json::json!({"repo": released.root, "rev": rev, "hooks": hooks}));
        framed.stage("agent/skills/triage-bug/SKILL.md", COLON);
        expect(&framed.commit(&[]), 1, &["Failed", "yaml-invalid"]);
        framed.repo.git(&["rm", "-qrf", "agent/skills/triage-bug"]);
        framed.stage("other.txt", "other\n");
        expect(&framed.commit(&[]), 0, &["Passed"]);
    }
}

/// The image and the published crate contain the inputs of the build.
#[test]
fn image_contains_the_build_inputs() {
    // The manifest names targets in these directories, so Cargo needs them, but the binary does not depend on them.
    const TARGETS: [&str; 5] = ["benches", "testing", "tests", "examples", "xtask"];
    let dockerfile = text(&root("Dockerfile"));
    let ignored = text(&root(".dockerignore"));
    let manifest = text(&root("Cargo.toml"));
    let copies =
        dockerfile.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.contains("--from"));
    let copied: Vec<&str> = copies
        .flat_map(|line| line.rsplit_once(' ').unwrap().0.split(' '))
        .filter(|path| !TARGETS.contains(path))
        .collect();
    for path in copied.iter().chain(&TARGETS) {
        assert!(root(path).exists(), "{path}");
        assert!(ignored.lines().any(|line| line == format!("!{path}")), "{path}");
    }
    let files = ["src", "crates"].into_iter().flat_map(|folder| walkdir::WalkDir::new(root(folder)));
    for entry in files.map(Result::unwrap) {
        let path = entry.path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        // Neither the image nor a user builds test code.
        let is_test = path.components().any(|part| part.as_os_str() == "tests")
            || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
        let source = if is_source && !is_test { text(path) } else { continue };
        for folder in ["docs", "fixtures"].into_iter().filter(|folder| source.contains(&format!("../{folder}/"))) {
            assert!(copied.contains(&folder), "{} takes in {folder}, the image does not", path.display());
            assert!(
                manifest.contains(&format!("\"/{folder}/")),
                "{} takes in {folder}, Cargo.toml does not",
                path.display()
            );
        }
    }
}
