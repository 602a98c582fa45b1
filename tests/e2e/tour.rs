//! The tour: its output, the directories it writes to, and its independence of the user's settings.

use crate::support::repo::{Ran, Repo};
use std::path::PathBuf;

fn scratches(repo: &Repo) -> Vec<PathBuf> {
    std::fs::read_dir(repo.tmp()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs without an identity, a repository or a terminal, and with git settings that would break a commit.
#[test]
fn works_without_any_configuration() {
    let outside = Repo::without_git();
    let home = outside.tmp().with_file_name("home");
    std::fs::write(home.join("ignored"), ".claude/\n").unwrap();
    let config = format!(
        "[core]\nexcludesFile = {}\nautocrlf = true\n[commit]\ngpgSign = true\n",
        home.join("ignored").display()
    );
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    let ran: Ran = outside.canonry_command().arg("tour").env("COLUMNS", "80").output().unwrap().into();
    let Ran { stdout, stderr, status } = ran;
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    assert_eq!(std::fs::read_dir(&outside.root).unwrap().count(), 0, "written outside of the temporary folder");
    let [scratch] = scratches(&outside).try_into().unwrap();
    let scratch = std::fs::canonicalize(scratch).unwrap();
    let shown = masked(&stdout, scratch.to_str().unwrap());
    insta::assert_snapshot!(shown);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "a line is too wide");
    let git = |args: &[&str]| {
        let output = outside.command("git").current_dir(scratch.join("project")).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(
        git(&["log", "--format=%an: %s"]),
        "Canonry Tour: skills: add release-notes\n\
         Canonry Tour: plan: notes of release is complete\n\
         Canonry Tour: notes: attempt 2 of plan release\n\
         Canonry Tour: plan: notes of release is pending\n\
         Canonry Tour: Plan the release notes\n\
         Canonry Tour: dream cycle: promoted 1, decayed 0, kept 3\n\
         Canonry Tour: Sync skills to their mirrors\n"
    );
    let script = git(&["ls-tree", "HEAD", ".claude/skills/release-notes/scripts/collect.sh"]);
    assert!(script.starts_with("100755 "), "{script}");
    // The tour leaves a canon without findings.
    let ran: Ran = outside.canonry_command().current_dir(scratch.join("project")).arg("check").output().unwrap().into();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Checked 2 skills and 6 other files: no findings.\n"));
}

/// The output of the tour with a fixed path and fixed commit ids.
pub fn masked(output: &str, scratch: &str) -> String {
    let output = output.replace(scratch, "/tmp/canonry-tour-x1y2z3");
    let mask = |word: &str| {
        let digits = word.trim_end_matches('.');
        let is_id = [10, 40].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id { word.replace(digits, &"0".repeat(digits.len())) } else { word.to_owned() }
    };
    let mask_line = |line: &str| line.split(' ').map(mask).collect::<Vec<_>>().join(" ");
    output.lines().map(mask_line).collect::<Vec<_>>().join("\n")
}

/// The repository of the team has an address, in which a space is encoded.
#[test]
fn works_in_a_folder_with_a_space() {
    let outside = Repo::without_git();
    let tmp = outside.tmp().join("a b");
    std::fs::create_dir(&tmp).unwrap();
    let ran: Ran = outside.canonry_command().arg("tour").env("TMPDIR", &tmp).output().unwrap().into();
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
}

/// The commands at the end of the tour work.
#[test]
fn next_commands_work() {
    let repo = Repo::with_skill();
    let tour = repo.canonry(&["tour"]).stdout;
    let next: Vec<&str> = tour.lines().filter_map(|line| line.strip_prefix("    canonry ")).collect();
    assert_eq!(next.len(), 3, "{tour}");
    for line in next {
        let command = line.split("  ").next().unwrap();
        let args: Vec<&str> = command.split(' ').collect();
        assert_eq!(repo.canonry(&args).status, 0, "{command}");
    }
}

/// In a git hook, every git program works in the repository of the variables.
#[test]
fn refuses_to_work_in_another_repository() {
    let repo = Repo::with_skill();
    let git_dir = repo.path(".git");
    for (name, value) in [("GIT_DIR", git_dir.clone()), ("GIT_INDEX_FILE", git_dir.join("index"))] {
        let ran: Ran = repo.canonry_command().arg("tour").env(name, value).output().unwrap().into();
        assert_eq!(ran.status, 65, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("another git repository"), "{}", ran.stderr);
    }
    assert_eq!(scratches(&repo), Vec::<PathBuf>::new(), "the temporary repository must be removed");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? agent/");
}
