//! Commands that run another command: `sudo`, `env`, `xargs`, `sh -c`, `find -exec` and the like.

use super::word::Word;
use super::{SimpleCommand, Stdin};

/// A command that another command runs.
pub(super) enum InnerCommand {
    /// A program with its arguments.
    Words(Vec<Word>),
    /// A command line in a subshell.
    Script(Word),
    /// A command line in the same shell.
    SameShell(Word),
    /// An unknown command, with the reason.
    Unknown(&'static str),
}

/// The commands that a command runs.
#[derive(Default)]
pub(super) struct InnerCommands {
    pub inner: Vec<InnerCommand>,
    pub has_no_other_effect: bool,
}

impl InnerCommands {
    fn only(inner: Vec<InnerCommand>) -> Self {
        Self { has_no_other_effect: !inner.is_empty(), inner }
    }

    fn also(inner: Vec<InnerCommand>) -> Self {
        Self { inner, has_no_other_effect: false }
    }
}

/// Shells with POSIX syntax or something close to it.
pub(in crate::protocol) const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish"];

/// Returns the commands that a command runs. `earlier` are the commands up to and including this one.
pub(super) fn inner(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let Some(program) = simple.program() else { return InnerCommands::default() };
    let rest = &simple.words[1..];
    let text = |at: usize| rest.get(at).map_or("", |word| word.text.as_str());
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == program) {
        return wrapped(wrapper, rest);
    }
    match program {
        program if SHELLS.contains(&program) => shell(simple, earlier),
        "eval" => InnerCommands::only(joined(rest).map(InnerCommand::SameShell).into_iter().collect()),
        "trap" => InnerCommands::also(
            rest.first().filter(|word| word.text != "-").cloned().map(InnerCommand::SameShell).into_iter().collect(),
        ),
        "alias" => InnerCommands::also(rest.iter().filter_map(aliased).collect()),
        "source" | "." if matches!(text(0), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
            InnerCommands::only(stdin_commands(&simple.input, earlier).into_iter().collect())
        }
        "xargs" => xargs(simple, earlier),
        "find" | "fd" | "fdfind" => InnerCommands::also(find(rest)),
        "su" | "script" | "runuser" => InnerCommands::also(
            option_value(rest, &["-c", "--command"]).map(InnerCommand::Script).into_iter().collect(),
        ),
        "watch" => InnerCommands::also(
            joined(after_options(rest, &["-n", "--interval"])).map(InnerCommand::Script).into_iter().collect(),
        ),
        "ssh" => InnerCommands::also(remote(rest)),
        "git" => InnerCommands::also(git(rest)),
        "npx" | "bunx" | "pnpx" | "uvx" => {
            InnerCommands::also(vec![InnerCommand::Words(after_options(rest, &["-p", "--package"]).to_vec())])
        }
        program if RUNNERS.iter().any(|[first, second]| *first == program && *second == text(0)) => {
            InnerCommands::also(vec![InnerCommand::Words(
                after_options(&rest[1..], &["--with", "--python", "-p"]).to_vec(),
            )])
        }
        _ => InnerCommands::default(),
    }
}

fn wrapped(wrapper: &Wrapper, rest: &[Word]) -> InnerCommands {
    // `command -v` only looks up a command.
    let asks = wrapper.name == "command" && rest.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V"));
    if asks {
        return InnerCommands::default();
    }
    if let Some(text) = option_value(rest, &["-S", "--split-string"]).filter(|_| wrapper.name == "env") {
        return InnerCommands::only(vec![InnerCommand::Script(text)]);
    }
    if let Some(text) = option_value(rest, &["-c"]).filter(|_| wrapper.name == "flock") {
        return InnerCommands::only(vec![InnerCommand::Script(text)]);
    }
    let mut inner = after_options(rest, wrapper.takes);
    inner = inner.get(wrapper.own..).unwrap_or_default();
    let assigns = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
    let set = inner.iter().take_while(assigns).count();
    let inner = &inner[set..];
    if inner.is_empty() {
        return InnerCommands::default();
    }
    InnerCommands {
        inner: vec![InnerCommand::Words(inner.to_vec())],
        has_no_other_effect: wrapper.has_no_other_effect && set == 0,
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

/// Skips options.
fn after_options<'w>(words: &'w [Word], takes: &[&str]) -> &'w [Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        at += 1;
        if word.text == "--" {
            break;
        }
        at += usize::from(takes.contains(&word.text.as_str()));
    }
    words.get(at..).unwrap_or_default()
}

/// Returns the value of an option.
fn option_value(words: &[Word], names: &[&str]) -> Option<Word> {
    words.iter().enumerate().find_map(|(at, word)| {
        let long = names.iter().filter(|name| name.starts_with("--"));
        let glued = long.filter_map(|name| word.text.strip_prefix(name)?.strip_prefix('=')).next();
        let next = || names.contains(&word.text.as_str()).then(|| words.get(at + 1).cloned()).flatten();
        glued.map(Word::new).or_else(next)
    })
}

fn joined(words: &[Word]) -> Option<Word> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    (!texts.is_empty()).then(|| Word::new(texts.join(" ")))
}

fn aliased(word: &Word) -> Option<InnerCommand> {
    word.text.split_once('=').map(|(_, value)| InnerCommand::Script(Word::new(value)))
}

fn shell(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let rest = &simple.words[1..];
    let valued = |word: &Word| matches!(word.text.as_str(), "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
    let is_c = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c');
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        if is_c(word) {
            let behind = &rest[at + 1..];
            // A text with several words is no option, even if it starts with `-`.
            let is_text = |word: &&Word| word.text.contains(char::is_whitespace);
            let script = behind.first().filter(is_text).or(after_options(behind, &["-o", "-O"]).first());
            return InnerCommands::only(script.cloned().map(InnerCommand::Script).into_iter().collect());
        }
        at += 1 + usize::from(valued(word));
    }
    let from_stdin =
        rest.get(at..).unwrap_or_default().is_empty() || rest.iter().any(|word| word.text == "-s" || word.text == "-");
    if !from_stdin {
        return InnerCommands::default();
    }
    InnerCommands::only(stdin_commands(&simple.input, earlier).into_iter().collect())
}

/// Returns the commands that a shell reads from stdin.
fn stdin_commands(input: &Stdin, earlier: &[SimpleCommand]) -> Option<InnerCommand> {
    match input {
        Stdin::Inherited => None,
        Stdin::Text(text) => Some(InnerCommand::Script(Word::new(text.clone()))),
        Stdin::Pipe(from) => match &from[..] {
            [one] => {
                Some(earlier.get(*one).and_then(output_of).map_or(InnerCommand::Unknown(PIPED), InnerCommand::Script))
            }
            _ => Some(InnerCommand::Unknown(PIPED)),
        },
    }
}

const PIPED: &str = "it runs commands from a pipe";

/// Returns the output of a command, if it can be known.
pub(super) fn output_of(simple: &SimpleCommand) -> Option<Word> {
    let rest = simple.words.get(1..)?;
    match simple.program()? {
        "echo" => joined(after_options(rest, &[])),
        "ls" => joined(after_options(rest, &[])),
        "printf" => joined(rest).map(|word| Word::new(word.text.replace("\\n", "\n"))),
        "cat" if rest.is_empty() => match &simple.input {
            Stdin::Text(text) => Some(Word::new(text.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn xargs(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let takes =
        ["-n", "-P", "-L", "-l", "-s", "-d", "-a", "-E", "-I", "--max-args", "--max-procs", "--delimiter", "--replace"];
    let mut words = after_options(&simple.words[1..], &takes).to_vec();
    if words.is_empty() {
        return InnerCommands::default();
    }
    let from = match &simple.input {
        Stdin::Pipe(from) => from.last().and_then(|at| earlier.get(*at)),
        _ => None,
    };
    let names = from.and_then(|from| match from.program()? {
        "find" => Some(found(&from.words[1..])),
        _ => output_of(from).map(|word| word.text.split_whitespace().map(Word::new).collect()),
    });
    match (names, &simple.input) {
        (Some(names), _) => words.extend(names),
        (None, Stdin::Inherited) => {}
        (None, _) => words.push(Word::unknown()),
    }
    InnerCommands::only(vec![InnerCommand::Words(words)])
}

/// Returns the names that `find` may pass on: its patterns, or its folders and unknown names in them.
fn found(rest: &[Word]) -> Vec<Word> {
    let starts: Vec<&Word> = rest.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect();
    let tests = ["-name", "-iname", "-path", "-wholename", "-ipath"];
    let named = rest.windows(2).filter(|two| tests.contains(&two[0].text.as_str())).map(|two| two[1].text.clone());
    let mut names: Vec<Word> = named.map(|text| Word { is_glob: text.contains(['*', '?', '[']), text }).collect();
    if names.is_empty() {
        names.push(Word::unknown());
        names.extend(starts.into_iter().cloned());
    }
    names
}

fn find(rest: &[Word]) -> Vec<InnerCommand> {
    let mut inner = Vec::new();
    let runs =
        |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec");
    for at in rest.iter().enumerate().filter(|(_, word)| runs(word)).map(|(at, _)| at + 1) {
        let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
        let words = rest[at..].iter().take_while(ends);
        let put = |word: &Word| if word.text == "{}" { found(rest) } else { vec![word.clone()] };
        inner.push(InnerCommand::Words(words.flat_map(put).collect()));
    }
    inner
}

fn remote(rest: &[Word]) -> Vec<InnerCommand> {
    let takes = [
        "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-e", "-m", "-w", "-W", "-E", "-I", "-O",
        "-Q", "-S",
    ];
    let command = after_options(rest, &takes).get(1..).unwrap_or_default();
    let local = rest.iter().filter_map(|word| word.text.split_once("Command="));
    let local = local.filter(|(name, _)| name.ends_with("Proxy") || name.ends_with("Local"));
    let local = local.map(|(_, command)| Word::new(command));
    joined(command).into_iter().chain(local).map(InnerCommand::Script).collect()
}

fn git(rest: &[Word]) -> Vec<InnerCommand> {
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let after = |words: [&str; 2]| texts.windows(2).position(|two| two == words).map(|at| &rest[at + 2..]);
    let exec = option_value(rest, &["-x", "--exec"]).filter(|_| texts.contains(&"rebase")).map(InnerCommand::Script);
    let bisect = after(["bisect", "run"]).map(|words| InnerCommand::Words(words.to_vec()));
    let each =
        after(["submodule", "foreach"]).and_then(|words| joined(after_options(words, &[]))).map(InnerCommand::Script);
    exec.into_iter().chain(bisect).chain(each).collect()
}

/// A program that runs the command after its own arguments.
pub(super) struct Wrapper {
    pub name: &'static str,
    /// Options that take a value.
    pub takes: &'static [&'static str],
    /// The number of its own arguments that are no options.
    pub own: usize,
    /// Whether it has no other effect.
    pub has_no_other_effect: bool,
}

const fn transparent(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, has_no_other_effect: true }
}

const fn with_effect(name: &'static str, takes: &'static [&'static str], own: usize) -> Wrapper {
    Wrapper { name, takes, own, has_no_other_effect: false }
}

pub(super) const WRAPPERS: &[Wrapper] = &[
    transparent("env", &["-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0"], 0),
    transparent("nohup", &[], 0),
    transparent("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    transparent("gtimeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    transparent("nice", &["-n", "--adjustment"], 0),
    transparent("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    transparent("setsid", &[], 0),
    transparent("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    transparent("unbuffer", &[], 0),
    transparent("caffeinate", &["-t", "-w"], 0),
    transparent("time", &["-f", "--format", "-o", "--output"], 0),
    transparent("command", &[], 0),
    transparent("builtin", &[], 0),
    transparent("exec", &["-a"], 0),
    transparent("coproc", &[], 0),
    transparent("busybox", &[], 0),
    transparent("toybox", &[], 0),
    transparent("taskset", &[], 1),
    transparent("chrt", &[], 1),
    transparent("flock", &["-w", "--timeout", "-E"], 1),
    transparent("strace", &["-o", "-e", "-s", "-p", "-P", "-u"], 0),
    transparent("ltrace", &["-o", "-e", "-s", "-u"], 0),
    with_effect(
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir", "--prompt"],
        0,
    ),
    with_effect("doas", &["-u", "-C"], 0),
    with_effect("pkexec", &["--user"], 0),
    with_effect("chroot", &[], 1),
    with_effect("unshare", &[], 0),
    with_effect("fakeroot", &[], 0),
    with_effect("parallel", &["-j", "--jobs", "-a", "--arg-file", "-S", "--sshlogin"], 0),
    with_effect("entr", &[], 0),
    with_effect("watchexec", &["-w", "-e", "-i"], 0),
];

/// Pairs of words that run the rest of the command line.
pub(super) const RUNNERS: [[&str; 2]; 10] = [
    ["uv", "run"],
    ["poetry", "run"],
    ["pipenv", "run"],
    ["pdm", "run"],
    ["hatch", "run"],
    ["bundle", "exec"],
    ["npm", "exec"],
    ["pnpm", "exec"],
    ["rye", "run"],
    ["mise", "exec"],
];
