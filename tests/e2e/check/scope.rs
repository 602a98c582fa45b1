//! Which files `check` checks: without a canon, excluded and ignored ones, and files of other kinds.

use super::{json, rules, skill, summary};
use crate::support::repo::{COLON, Repo};

/// A repository without a canon, with a valid skill in each of these folders.
fn with_skills(folders: &[&str]) -> Repo {
    let repo = Repo::empty();
    for folder in folders {
        let text = skill("", "").replace("triage-bug", folder.rsplit('/').next().unwrap());
        repo.write(&format!("{folder}/SKILL.md"), &text);
    }
    repo
}

const FOLDERS: [&str; 7] = [
    "skills/one",
    "backups/2026/skills/two",
    "web/node_modules/tool/skills/three",
    "tests/fixtures/four",
    ".claude/skills/build",
    "skills/dist",
    "local/five",
];

fn checked(repo: &Repo, args: &[&str]) -> (u64, u64) {
    let document = json(repo, args);
    (summary(&document, "skills"), summary(&document, "excluded"))
}

#[test]
fn conventional_folders_and_ignored_paths_are_checked_only_if_they_are_named() {
    let repo = with_skills(&FOLDERS);
    repo.write(".gitignore", "/local/\n");
    for (args, want) in [
        (&[][..], (3, 3)),
        (&["."], (3, 3)),
        (&["--no-exclude"], (7, 0)),
        (&["--no-exclude", "."], (7, 0)),
        (&["backups"], (1, 0)),
        (&["backups/2026/skills/two"], (1, 0)),
        (&["backups/2026/skills/two/SKILL.md"], (1, 0)),
        (&["web"], (0, 1)),
        (&["web/node_modules"], (1, 0)),
        (&["local"], (1, 0)),
        (&["local/five"], (1, 0)),
        (&["local/five/SKILL.md"], (1, 0)),
    ] {
        assert_eq!(checked(&repo, args), want, "{args:?}");
    }
    let shown = repo.canonry(&["check"]).stdout;
    let want = "3 skills and files are excluded (1 in `backups`, 1 in `node_modules`, 1 in `tests`); name a path";
    assert!(shown.contains(want), "{shown}");
}

#[test]
fn the_config_and_the_command_line_exclude_and_include_paths() {
    let repo = with_skills(&FOLDERS);
    repo.write("canonry.yaml", "exclude: [skills/one, '!fixtures', 'loc*']\n");
    for (args, want) in [
        // `skills/dist`, `.claude/skills/build` and the fixture.
        (&[][..], (3, 4)),
        (&["--exclude", ".claude"], (2, 5)),
        (&["--exclude", "!/skills/one"], (4, 3)),
        (&["--exclude", "!skills"], (6, 1)),
        (&["--no-exclude"], (7, 0)),
        (&["--no-exclude", "--exclude", "skills"], (2, 5)),
        (&["skills/one"], (1, 0)),
        (&["skills/one/SKILL.md"], (1, 0)),
        (&["skills"], (1, 1)),
    ] {
        assert_eq!(checked(&repo, args), want, "{args:?}");
    }
    let ran = repo.canonry(&["check", "--exclude", "../x"]);
    assert!(ran.status == 64 && ran.stderr.contains("`--exclude`: `../x` matches no path"), "{}", ran.stderr);
}

#[test]
fn findings_in_excluded_paths_of_a_canon_are_not_reported() {
    let repo = Repo::with_synced_skill();
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.write("agent/skills/build/SKILL.md", skill("", "[a](a.md)\n").replace("triage-bug", "build"));
    assert_eq!(repo.canonry(&["check"]).status, 1);
    let document = json(&repo, &[]);
    assert!(rules(&document).contains(&"broken-link"), "convention does not apply to a canon: {document:#}");
    let args = ["--exclude", "triage-bug", "--exclude", "agent/skills/build"];
    let document = json(&repo, &args);
    assert_eq!((summary(&document, "skills"), summary(&document, "excluded")), (1, 2));
    let in_skills = |path: &str| path.starts_with("agent/skills/");
    let findings = document["findings"].as_array().unwrap();
    assert!(!findings.iter().any(|finding| in_skills(finding["path"].as_str().unwrap())), "{document:#}");
    // The mirrors still lack them.
    assert_eq!(repo.canonry(&["sync", "--check"]).status, 1);
    repo.write("agent/canonry.yaml", "exclude: [triage-bug]\n");
    assert!(!repo.canonry(&["check"]).stdout.contains("yaml-invalid"));
    assert!(repo.canonry(&["check", "agent/skills/triage-bug"]).stdout.contains("yaml-invalid"));
    assert!(repo.canonry(&["check", "--no-exclude"]).stdout.contains("yaml-invalid"));
}

#[test]
fn a_check_of_nothing_is_a_warning_with_its_reason() {
    let repo = with_skills(&["dist/one", "local/two", "local/three"]);
    repo.write(".gitignore", "/local/\n");
    repo.write("docs/a.txt", "text\n");
    for (args, want) in [
        (&["docs"][..], "there is no skill and no other file that canonry checks"),
        (&["."], "1 skill or file is excluded, and git ignores 2 skills and files"),
        (&["--exclude", "local", "local/two/..", "docs"], ""),
    ] {
        let ran = repo.canonry(&[&["check"], args].concat());
        assert_eq!(ran.status, 0, "{args:?}");
        match want {
            "" => assert!(ran.stdout.starts_with("Checked 2 skills: no findings."), "{}{}", ran.stdout, ran.stderr),
            want => {
                assert!(ran.stderr.contains(&format!("warning: nothing was checked: {want}\n")), "{}", ran.stderr);
                assert!(ran.stdout.starts_with("Nothing was checked.\n"), "{}", ran.stdout);
            }
        }
    }
    std::fs::remove_dir_all(repo.path("dist")).unwrap();
    let ran = repo.canonry(&["check"]);
    assert!(ran.stderr.contains("git ignores 2 skills and files; name a folder"), "{}", ran.stderr);
}

#[test]
fn a_repository_without_a_canon_is_checked_as_a_whole() {
    let repo = with_skills(&["skills/one"]);
    repo.write("skills/two/SKILL.md", COLON);
    repo.write("docs/guide.md", "text\n");
    for args in [&["check"][..], &["check", "--rev", "HEAD"], &["-C", "docs", "check"]] {
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "--allow-empty", "-m", "skills"]);
        let ran = repo.canonry(args);
        assert_eq!(ran.status, 1, "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr, "", "a user of the linter reads nothing about canons");
        assert!(ran.stdout.contains("[yaml-invalid]") && ran.stdout.contains("Checked 2 skills"), "{}", ran.stdout);
    }
    // Paths say what to check.
    assert!(!repo.canonry(&["check", "skills"]).stderr.contains("note:"));
    let ran = repo.canonry(&["check", "--write-baseline"]);
    assert!(ran.status == 64 && !repo.path("agent").exists(), "{}", ran.stderr);
    assert_eq!(repo.canonry(&["check", "--write-baseline", "--baseline", "known.json"]).status, 0);
    assert_eq!(repo.canonry(&["check", "--baseline", "known.json"]).status, 0);
    // A canon that the config names must exist.
    repo.write("canonry.yaml", "root: .agent\n");
    let ran = repo.canonry(&["check"]);
    assert!(ran.status == 65 && ran.stderr.contains(".agent"), "{}", ran.stderr);
}

/// Broken files that agents read, outside of any canon.
const BROKEN: [(&str, &str, &str); 4] = [
    (".claude/skills/triage-bug/SKILL.md", COLON, "yaml-invalid"),
    (
        "skills/other/SKILL.md",
        "---\nname: other\ndescription: Sorts. Use when: sorting\n---\n\nSort.\n",
        "yaml-invalid",
    ),
    ("web/CLAUDE.md", "# Web\n\n@nowhere.md\n", "context-import"),
    (".cursor/rules/style.md", "Plain.\n", "mdc-extension"),
];

#[test]
fn a_staged_check_needs_no_canon() {
    let repo = Repo::empty();
    let staged = || repo.canonry(&["check", "--staged"]);
    repo.write("README.md", "# Shop\n");
    repo.git(&["add", "-A"]);
    assert_eq!(staged().status, 0);
    repo.git(&["commit", "-qm", "start"]);
    for (path, text, rule) in BROKEN {
        repo.write(path, text);
        assert_eq!(staged().status, 0, "{path} is not staged");
        repo.git(&["add", path]);
        let ran = staged();
        assert!(ran.stdout.contains(rule) && ran.stdout.contains(path), "{path}: {}{}", ran.stdout, ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("canon "), "{}{}", ran.stdout, ran.stderr);
        // The work tree is not committed.
        repo.write(path, "");
        assert!(staged().stdout.contains(rule), "{path}");
        repo.git(&["commit", "-qm", "broken"]);
        assert_eq!(staged().status, 0, "{path} is committed");
        let committed = repo.canonry(&["check", "--rev", "HEAD"]);
        assert!(committed.stdout.contains(path) && committed.status == 1, "{}", committed.stdout);
    }
    // The framework passes the names of changed files, staged or not.
    for (path, text, rule) in BROKEN {
        repo.write(path, text);
        let ran = repo.canonry(&["check", path, "README.md"]);
        assert!(ran.stdout.contains(rule), "{path}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_staged_check_leaves_committed_copies_of_a_skill_alone() {
    let repo = Repo::empty();
    for folder in ["skills/sort", ".claude/skills/sort"] {
        repo.write(&format!("{folder}/SKILL.md"), "---\nname: sort\n---\n\nSort.\n");
    }
    repo.commit_all("a defect in both");
    repo.canonry(&["check", "--rev", "HEAD"]).expect(1);
    repo.canonry(&["check", "--staged"]).expect(0);
    repo.append("skills/sort/SKILL.md", "By date.\n");
    repo.git(&["add", "-A"]);
    let report = json(&repo, &["--staged"]);
    let paths: Vec<&str> = report["findings"].as_array().unwrap().iter().filter_map(|f| f["path"].as_str()).collect();
    assert_eq!(paths, ["skills/sort/SKILL.md"]);
}

#[test]
fn a_canon_adds_to_what_is_checked_and_takes_nothing_away() {
    let repo = Repo::with_synced_skill();
    let skills = |args: &[&str]| summary(&json(&repo, args), "skills");
    assert_eq!(skills(&[]), 1, "mirrors are not checked again");
    for (path, text, _) in BROKEN {
        repo.write(path, text);
    }
    let expect = |args: &[&str]| {
        let document = json(&repo, args);
        let findings = document["findings"].as_array().unwrap();
        for (path, _, rule) in BROKEN {
            let of_file = findings.iter().filter(|finding| finding["path"] == path && finding["rule"] == rule).count();
            assert_eq!(of_file, 1, "{args:?} {path}: {document:#}");
        }
    };
    expect(&[]);
    assert_eq!(skills(&[]), 3);
    repo.git(&["add", "-A"]);
    expect(&["--staged"]);
    assert_eq!(skills(&["--staged"]), 2);
    repo.git(&["commit", "-qm", "broken"]);
    expect(&["--rev", "HEAD"]);
    assert_eq!(skills(&["--staged"]), 0);
}

#[test]
fn a_folder_in_no_repository_is_checked() {
    let repo = Repo::without_git();
    for (path, text, _) in BROKEN {
        repo.write(path, text);
    }
    repo.write("fine/notes/SKILL.md", skill("", "").replace("triage-bug", "notes"));
    let ran = |folder: &str, args: &[&str]| -> crate::support::repo::Ran {
        repo.canonry_command().current_dir(repo.path(folder)).arg("check").args(args).output().unwrap().into()
    };
    let whole = ran("", &[]);
    assert_eq!(whole.status, 1, "{}", whole.stderr);
    for (path, _, rule) in BROKEN {
        assert!(whole.stdout.contains(path) && whole.stdout.contains(rule), "{path}: {}", whole.stdout);
        let named = ran("", &[path]);
        assert!(named.stdout.contains(rule) && named.stdout.contains(path), "{path}: {}", named.stdout);
        // From elsewhere, by an absolute and by a relative path.
        let absolute = repo.path(path);
        assert!(ran("fine", &[absolute.to_str().unwrap()]).stdout.contains(rule), "{path}");
        assert!(ran("fine", &[&format!("../{path}")]).stdout.contains(rule), "{path}");
    }
    assert_eq!(ran("", &[".claude"]).status, 1);
    let fine = ran("", &["fine"]);
    assert!(
        fine.status == 0 && fine.stdout.starts_with("Checked 1 skill: no findings."),
        "{}{}",
        fine.stdout,
        fine.stderr
    );
    assert_eq!(ran("fine/notes", &[]).status, 0);
    assert_eq!(ran("", &["gone"]).status, 65);
    for view in [&["--staged"][..], &["--rev", "HEAD"]] {
        let refused = ran("", view);
        assert!(refused.status == 65 && refused.stderr.contains("not in a git repository"), "{}", refused.stderr);
    }
    // A path in a repository is checked there.
    repo.git(&["init", "-q", "fine"]);
    repo.write("fine/.gitignore", "notes\n");
    let ran = ran("", &["fine"]);
    assert!(ran.status == 0 && ran.stderr.contains("git ignores"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn data_files_of_other_formats_are_not_checked() {
    let repo = Repo::empty();
    let files = [
        ("package.json", "{\"name\": \"x\", \"scripts\": {}}\n"),
        ("tsconfig.json", "{ // a comment\n}\n"),
        ("pipeline.yml", "steps: [{script: make}]\n"),
        ("deploy.yaml", "a: 1\n---\nb: 2\n"),
        ("broken.json", "{\n"),
        ("terraform/plan.json", "{\"format_version\": \"1.2\", \"resource_changes\": []}\n"),
        (".github/workflows/ci.yml", "on: push\njobs: {a: {runs-on: x, steps: [{run: make}]}}\n"),
    ];
    for (path, text) in files {
        repo.write(path, text);
    }
    let names: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let ran = repo.canonry(&[&["check"], &names[..]].concat());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Nothing was checked.\n"));
    let want = "7 files not checked, because they are not a skill, plan, workflow, report, schema or memory file: \
                package.json and 6 more\n";
    assert_eq!(ran.stderr, want);
    // A plan is checked, wherever it is.
    repo.write("todo.yaml", "steps:\n- {id: a, owner: Coder, deps: [b]}\n");
    let ran = repo.canonry(&["check", "package.json", "todo.yaml"]);
    assert!(ran.stdout.contains("todo.yaml") && ran.stderr.starts_with("package.json: not checked"), "{}", ran.stdout);
}
