//! The README and some documentation pages: their commands run, and their console blocks show the actual output.
//!
//! `cargo xtask docs` updates the console blocks.

use crate::support::generated::assert_current;
use crate::support::repo::{Ran, Repo};
use std::path::{Path, PathBuf};

const SET_UP: [&str; 2] = ["cargo run --locked -- tour", "cargo test --locked"];

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(file(path)).unwrap()
}

#[test]
fn the_readme_has_two_setup_commands_and_ci_runs_the_same_tests() {
    let readme = read("README.md");
    let block = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block.lines().collect::<Vec<_>>(), SET_UP);
    assert!(read(".ci/run").lines().any(|line| line.trim_start().starts_with(SET_UP[1])));
    assert!(read(".github/workflows/ci.yml").contains("- run: .ci/run\n"));
}

/// Compares the rows of the table with the lines at the end of the help.
#[test]
fn exit_statuses_in_the_readme_equal_those_in_the_help() {
    let page = read("docs/reference/output.md");
    let table = page.split("| exit status | meaning |\n|---|---|\n").nth(1).unwrap();
    let rows = table.lines().map_while(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<String> = rows.map(|row| row.replace(" | ", " ")).collect();
    let help = Repo::without_git().canonry(&["--help"]).stdout;
    let lines = help.split("Exit status:\n").nth(1).unwrap().lines();
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(rows, lines.collect::<Vec<_>>());
    // The binary has the same statuses.
    let source = read("src/cli/status.rs");
    let code = source.split("pub fn code").nth(1).unwrap().split("fn ").next().unwrap();
    let known = code.lines().filter_map(|line| line.trim().strip_suffix(',')?.split(" => ").nth(1));
    let quoted = rows.iter().map(|row| row.split(' ').next().unwrap());
    assert_eq!(quoted.collect::<Vec<_>>(), known.collect::<Vec<_>>());
}

/// Runs every `canonry …` command in the text with `--help` appended, so that an invalid command is a usage error.
#[test]
fn every_command_in_the_text_parses() {
    let repo = Repo::without_git();
    let readme = read("README.md");
    let inline: Vec<&str> = readme.split('`').filter(|part| part.starts_with("canonry ")).collect();
    assert!(inline.len() > 5, "{inline:?}");
    for line in inline {
        let args: Vec<&str> = line.split(' ').skip(1).chain(["--help"]).collect();
        assert_eq!(repo.canonry(&args).status, 0, "{line}");
    }
}

#[test]
fn the_example_config_is_valid() {
    let readme = read("README.md");
    let repo = Repo::with_skill();
    repo.write("agent/canonry.yaml", readme.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap());
    let ran = repo.canonry(&["sync", "--format", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains(".agents/skills/") && !ran.stdout.contains(".codex/"), "{}", ran.stdout);
}

/// Replays a page in one repository: runs `<!-- run: … -->` silently, and replaces the output after `$ …` lines.
fn replayed(readme: &str) -> String {
    let repo = Repo::empty();
    let mut text = String::new();
    let mut in_console = false;
    for line in readme.lines() {
        let hidden = line.strip_prefix("<!-- run: ").and_then(|line| line.strip_suffix(" -->"));
        match (in_console, line) {
            (false, "```console") => in_console = true,
            (true, "```") => in_console = false,
            (true, line) if !line.starts_with("$ ") => continue,
            _ => {}
        }
        text.push_str(line);
        text.push('\n');
        if let Some(command) = hidden {
            assert_eq!(shell(&repo, command, &[]).stdout, "", "{command}");
        } else if in_console && let Some(command) = line.strip_prefix("$ ") {
            let ran = shell(&repo, command, &[]);
            assert!(![64, 127].contains(&ran.status), "{command}: {}", ran.stdout);
            text.push_str(&without_times(&ran.stdout));
        }
    }
    text
}

/// Times differ from run to run.
pub fn without_times(text: &str) -> String {
    let shape = "0000-00-00T00:00:00";
    let is_time = |at: usize| {
        let bytes = text.as_bytes().get(at..at + shape.len());
        bytes.is_some_and(|bytes| {
            bytes
                .iter()
                .zip(shape.bytes())
                .all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { *byte == like })
        })
    };
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if is_time(at) {
            at += shape.len();
            at += text[at..].find('Z').map_or(0, |end| end + 1);
            out.push_str("2026-05-01T12:00:00Z");
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

/// Runs a command with stdout and stderr combined, as on a terminal.
pub fn shell(repo: &Repo, command: &str, variables: &[(&str, &str)]) -> Ran {
    let canonry = Path::new(assert_cmd::cargo::cargo_bin!("canonry")).parent().unwrap();
    let path = std::env::join_paths(
        [canonry.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = repo.command("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).env("PATH", path.unwrap()).env("EXAMPLES", file("examples"));
    shell.envs(variables.iter().copied());
    shell.output().unwrap().into()
}

#[test]
fn generated_console_blocks_show_the_actual_output() {
    for page in [
        "README.md",
        "docs/linter.md",
        "docs/tutorial.md",
        "docs/troubleshooting.md",
        "docs/how-to/edited-mirrors.md",
        "docs/how-to/skills-per-tool.md",
        "docs/how-to/several.md",
        "docs/how-to/run-workflows.md",
    ] {
        let written = read(page);
        let now = replayed(&written);
        assert_current(page, &now);
    }
}
