//! `--all`: several repositories in one run, each independent, and one summary.

use crate::support::repo::{GOOD, LINK, Ran, Repo};
use serde_json::Value;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Repositories next to each other in a home folder.
struct Many {
    /// Provides the common home; its own repository is not used.
    base: Repo,
}

impl Many {
    fn new(names: &[&str]) -> Self {
        let many = Self { base: Repo::without_git() };
        names.iter().for_each(|name| many.repository(name));
        many
    }

    fn at(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(&self.base.root).unwrap().join(name)
    }

    /// A repository with one skill that is not mirrored yet.
    fn repository(&self, name: &str) {
        self.write(&format!("{name}/agent/skills/release-notes/SKILL.md"), GOOD);
        self.write(&format!("{name}/agent/skills/release-notes/references/format.md"), "# The format\n");
        self.git(name, &["init", "-q", "-b", "main", "."]);
        self.git(name, &["config", "user.name", "U"]);
        self.git(name, &["config", "user.email", "u@example.com"]);
    }

    fn write(&self, path: &str, text: &str) {
        self.base.write(path, text);
    }

    fn git(&self, name: &str, args: &[&str]) -> String {
        let ran: Ran = self.base.command("git").current_dir(self.at(name)).args(args).output().unwrap().into();
        assert_eq!(ran.status, 0, "git {args:?}: {}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.base.canonry(args)
    }

    /// Writes the user config.
    fn configure(&self, text: &str) {
        let file = self.base.root.join("../home/.config/canonry/canonry.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// The output without temporary paths.
    fn shown(&self, ran: &Ran) -> String {
        let text = format!("{}{}", ran.stdout, ran.stderr);
        text.replace(&format!("{}/", self.at("").display().to_string().trim_end_matches('/')), "")
    }

    fn document(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(args);
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/all.schema.json")).unwrap();
        let schema = serde_json::from_str(&text).unwrap();
        assert!(jsonschema::meta::is_valid(&schema));
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {}", ran.stderr));
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}");
        (ran.status, document)
    }
}

#[test]
fn every_repository_is_synced_and_reported_in_one_line() {
    let many = Many::new(&["a", "b", "c"]);
    many.write("b/.claude/skills/release-notes/SKILL.md", "user text\n");
    let first = many.run(&["sync", "--all", "c", "a", "b"]);
    assert_eq!(
        many.shown(&first),
        "wrote     a: 11 files written, 0 removed, 0 refused, 0 unchanged\n\
         refused   b: 9 files written, 0 removed, 2 refused, 0 unchanged\n\
         wrote     c: 11 files written, 0 removed, 0 refused, 0 unchanged\n\
         3 repositories: 1 refused, 2 wrote.\n"
    );
    assert_eq!(first.status, 5);
    for name in ["a", "c"] {
        let mirrored = std::fs::read_to_string(many.at(name).join(".codex/skills/release-notes/SKILL.md")).unwrap();
        assert_eq!(mirrored, GOOD);
    }
    let kept = std::fs::read_to_string(many.at("b/.claude/skills/release-notes/SKILL.md")).unwrap();
    assert_eq!(kept, "user text\n");
    let again = many.run(&["sync", "--all", "a", "c"]);
    let text = many.shown(&again);
    assert_eq!((again.status, text.matches("unchanged").count()), (0, 3), "{text}");
}

/// A folder without a repository, an invalid config, and a held lock are reported; other repositories are synced.
#[test]
fn one_failing_repository_does_not_stop_the_others() {
    let many = Many::new(&["a", "broken", "busy", "z"]);
    many.write("broken/canonry.yaml", "targets: [vim]\n");
    std::fs::create_dir(many.at("none")).unwrap();
    std::fs::create_dir_all(many.at("busy/.git/canonry")).unwrap();
    let lock = File::create(many.at("busy/.git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    let ran = many.run(&["sync", "--all", "a", "broken", "busy", "gone", "none", "z"]);
    let text = many.shown(&ran);
    for line in [
        "wrote     a: ",
        "failed    broken: canonry.yaml:1:11: ",
        "failed    busy: another canonry run is active in this repository",
        "failed    gone: no such folder\n",
        "failed    none: `none` is not in a git repository",
        "wrote     z: ",
        "6 repositories: 4 failed, 2 wrote.\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(ran.status, 65);
    assert!(many.at("z/.claude/skills/release-notes/SKILL.md").is_file());
    assert_eq!(many.run(&["sync", "--all", "a", "busy"]).status, 4);
}

#[test]
fn repositories_come_from_patterns_and_from_stdin() {
    let many = Many::new(&["work/a", "work/b", "work/.hidden", "other"]);
    // A folder, a repository without a canon, and a file: these matches of a pattern are no failures.
    std::fs::create_dir(many.at("work/notes")).unwrap();
    std::fs::create_dir(many.at("work/plain")).unwrap();
    many.git("work/plain", &["init", "-q", "."]);
    many.write("work/README.md", "x\n");
    let lines = |ran: &Ran| many.shown(ran).lines().map(str::to_owned).collect::<Vec<_>>();
    let by_pattern = many.run(&["sync", "--all", "--check", "work/*"]);
    assert_eq!(
        lines(&by_pattern),
        [
            "differs   work/a: 11 files to write, 0 to remove, 0 refused, 0 unchanged",
            "differs   work/b: 11 files to write, 0 to remove, 0 refused, 0 unchanged",
            "2 repositories: 2 differs; 1 more without a canon.",
        ]
    );
    let mut child = many.base.canonry_command();
    child.args(["sync", "--all", "--dry-run", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // The same repository twice, the second time by a folder in it.
    child.stdin.take().unwrap().write_all(b"other\n\nwork/a\nwork/a/agent\n").unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    let lines = lines(&ran);
    assert!(lines.len() == 3 && lines[0].contains("other: ") && lines[1].contains("work/a: "), "{lines:?}");
    assert!(!many.at("work/a/.claude").exists(), "a dry run wrote files");
}

#[test]
fn the_user_config_lists_repositories() {
    let many = Many::new(&["a"]);
    let ran = many.run(&["sync", "--all"]);
    assert_eq!(ran.status, 64);
    assert!(ran.stderr.contains("has no repositories") && ran.stderr.contains("repositories:"), "{}", ran.stderr);
    many.configure("repositories: ['~/../repo/*']\n");
    assert_eq!(many.run(&["sync", "--all"]).status, 65);
    let home = std::fs::canonicalize(many.base.root.join("../home")).unwrap();
    std::os::unix::fs::symlink(many.at(""), home.join("code")).unwrap();
    many.configure("repositories: ['~/code/*']\ntargets: [claude]\n");
    let ran = many.run(&["sync", "--all"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(
        many.shown(&ran),
        "wrote     a: 2 files written, 0 removed, 0 refused, 0 unchanged\n1 repository: 1 wrote.\n"
    );
    // The key is not allowed in a repository's config.
    many.write("a/canonry.yaml", "repositories: ['~/code/*']\n");
    let ran = many.run(&["-C", "a", "check"]);
    assert_eq!(ran.status, 65);
    assert!(ran.stderr.contains("`repositories` is only allowed in your user config"), "{}", ran.stderr);
}

/// The git environment of a hook applies to a single repository.
#[test]
fn the_git_environment_does_not_affect_other_repositories() {
    let many = Many::new(&["a", "b"]);
    let ran: Ran = many
        .base
        .canonry_command()
        .args(["sync", "--all", "a", "b"])
        .env("GIT_DIR", many.at("a/.git"))
        .env("GIT_WORK_TREE", many.at("a"))
        .env("GIT_INDEX_FILE", many.at("a/.git/index"))
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(many.at("b/.claude/skills/release-notes/SKILL.md").is_file());
}

#[test]
fn each_repository_gets_its_own_commit() {
    let many = Many::new(&["a", "b"]);
    let (status, document) = many.document(&["sync", "--all", "a", "b", "--commit", "-m", "Share", "--format", "json"]);
    assert_eq!((status, &document["summary"]["done"]), (0, &Value::from(2)));
    for (at, name) in ["a", "b"].iter().enumerate() {
        let head = many.git(name, &["rev-parse", "HEAD"]);
        assert_eq!(document["repositories"][at]["document"]["commit"], head);
        assert_eq!(many.git(name, &["log", "-1", "--format=%s"]), "Share");
        assert_eq!(many.git(name, &["status", "--short"]), "");
    }
}

#[test]
fn one_json_document_contains_all_repositories() {
    let many = Many::new(&["a"]);
    let (status, document) = many.document(&["sync", "--all", "a", "gone", "--format", "json"]);
    assert_eq!(status, 65);
    assert_eq!(document["repositories"][0]["document"]["schema"], "canonry/sync/v1");
    assert_eq!(document["repositories"][0]["document"]["written"].as_array().unwrap().len(), 11);
    assert_eq!(document["repositories"][1]["error"]["message"], "no such folder");
    assert_eq!(document["summary"]["failed"], 1);
}

#[test]
fn check_all_reports_every_repository() {
    let many = Many::new(&["a", "b"]);
    many.write("b/agent/skills/lint-code/SKILL.md", LINK);
    let ran = many.run(&["check", "--all", "a", "b"]);
    assert_eq!(many.shown(&ran).lines().last(), Some("2 repositories: 1 findings, 1 passed."), "{}", many.shown(&ran));
    assert_eq!(ran.status, 1);
    let (status, document) = many.document(&["check", "--all", "a", "b", "--format", "json"]);
    assert_eq!((status, &document["command"]), (1, &Value::from("check")));
    assert_eq!(document["repositories"][1]["document"]["schema"], "canonry/findings/v1");
    assert_eq!(many.run(&["check", "--all", "a", "--format", "sarif"]).status, 64);
}

#[test]
fn incompatible_options_are_usage_errors() {
    let many = Many::new(&["a"]);
    for args in [
        &["sync", "a"][..],
        &["sync", "--all", "a", "--staged"],
        &["sync", "--all", "a", "--diff"],
        &["sync", "--adopt", "--all", "a"],
        &["sync", "--all", "--user"],
        &["check", "--all", "a", "--fix"],
        &["sync", "--all", "a/**/b"],
    ] {
        assert_eq!(many.run(args).status, 64, "{args:?}");
    }
    assert!(!many.at("a/.claude").exists());
}
