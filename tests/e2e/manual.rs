//! Completions and manual pages, which are generated from the command line and cover every command.

use crate::support::repo::Repo;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// The commands in `--help`, including subcommands such as `install cron`.
fn commands(repo: &Repo) -> Vec<String> {
    let mut all = named(repo, &["--help"]);
    for nested in ["install", "uninstall", "hook", "memory", "protocol", "run", "skills"]
        .iter()
        .filter(|name| all.contains(&(**name).to_owned()))
        .collect::<Vec<_>>()
    {
        all.extend(named(repo, &[nested, "--help"]).into_iter().map(|name| format!("{nested} {name}")));
    }
    all
}

fn named(repo: &Repo, args: &[&str]) -> Vec<String> {
    let help = repo.canonry(args).stdout;
    let lists = help.split("\n\n").filter_map(|part| part.split_once(":\n"));
    let lists = lists.filter(|(title, _)| !["Options", "Exit status"].contains(title));
    // Names start in the third column; wrapped descriptions start further right.
    let lines =
        lists.flat_map(|(_, list)| list.lines()).filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Runs a program on a text.
fn fed(program: &str, args: &[&str], text: &str) -> Output {
    let child =
        Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|e| panic!("{program}: {e}"));
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A program may exit before it has read everything.
    let _ = writer.join().unwrap();
    output
}

#[test]
fn completions_name_every_command() {
    let repo = Repo::without_git();
    let commands = commands(&repo);
    assert!(commands.len() >= 6, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = repo.canonry(&["completions", shell]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{shell}");
        for word in commands.iter().flat_map(|command| command.split(' ')) {
            assert!(ran.stdout.contains(word), "{shell}: no `{word}`");
        }
    }
}

fn assert_parses(shell: &str, args: &[&str]) {
    let script = Repo::without_git().canonry(&["completions", shell]).stdout;
    let output = fed(shell, args, &script);
    assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn bash_parses_its_completions() {
    assert_parses("bash", &["-n"]);
}

#[test]
#[ignore = "needs zsh"]
fn needs_zsh_it_parses_its_completions() {
    assert_parses("zsh", &["-n"]);
}

#[test]
#[ignore = "needs fish"]
fn needs_fish_it_parses_its_completions() {
    assert_parses("fish", &["--no-execute", "/dev/stdin"]);
}

/// The completions that bash offers.
#[test]
fn bash_completes_commands_and_their_options() {
    let repo = Repo::without_git();
    let script = repo.canonry(&["completions", "bash"]).stdout;
    for (words, offered) in
        [("canonry s", "sync"), ("canonry check --st", "--staged"), ("canonry completions f", "fish")]
    {
        let count = words.split(' ').count();
        let last = words.split(' ').next_back().unwrap();
        let before = words.split(' ').nth(count - 2).unwrap();
        let ask = format!(
            "{script}\nCOMP_WORDS=({words})\nCOMP_CWORD={}\n_canonry canonry '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            count - 1
        );
        let output = fed("bash", &["--norc"], &ask);
        let replies = String::from_utf8(output.stdout).unwrap();
        assert!(replies.lines().any(|line| line == offered), "{words}: {replies:?}");
    }
}

#[test]
fn rejects_an_unknown_shell() {
    let ran = Repo::without_git().canonry(&["completions", "tcsh"]);
    assert_eq!(ran.status, 64);
    assert!(ran.stderr.contains("bash, elvish, fish, powershell, zsh"), "{}", ran.stderr);
}

fn page_name(command: &str) -> String {
    format!("canonry-{}", command.replace(' ', "-"))
}

#[test]
fn manual_has_a_page_for_every_command() {
    let repo = Repo::without_git();
    let manual = repo.canonry(&["man"]);
    assert_eq!((manual.status, manual.stderr.as_str()), (0, ""));
    assert!(manual.stdout.contains(".TH canonry 1"), "no page of the program");
    let commands = commands(&repo);
    for command in &commands {
        assert!(manual.stdout.contains(&format!(".TH {} 1", page_name(command))), "no page of {command}");
    }
    assert_eq!(manual.stdout.matches(".TH ").count(), commands.len() + 1);
}

/// groff formats the pages without a warning.
#[test]
#[ignore = "needs groff"]
fn needs_groff_it_formats_the_manual_without_a_warning() {
    let manual = Repo::without_git().canonry(&["man"]).stdout;
    let output = fed("groff", &["-man", "-Tutf8", "-ww"], &manual);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.stdout.len() > 2000);
}

#[test]
fn writes_pages_into_a_directory() {
    let repo = Repo::without_git();
    for _ in 0..2 {
        let ran = repo.canonry(&["man", "--dir", "share/man1"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    let mut names: Vec<String> = std::fs::read_dir(repo.path("share/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected: Vec<String> = commands(&repo).iter().map(|command| format!("{}.1", page_name(command))).collect();
    expected.push("canonry.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    repo.write("file", "");
    let ran = repo.canonry(&["man", "--dir", "file"]);
    assert_eq!(ran.status, 70, "{}", ran.stderr);
    assert!(ran.stderr.contains("file/canonry.1"), "{}", ran.stderr);
}
