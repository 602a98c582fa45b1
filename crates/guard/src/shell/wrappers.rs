//! Commands that run another command: `sudo`, `env`, `xargs`, `sh -c`, `find -exec` and the like.

use super::inner_command::{InnerCommand, SHELLS, after_options, joined, subcommand};
use super::output::{MAX_FOUND, found, names_in, names_of, output_of};
use super::word::Word;
use super::wrapper_table::{WRAPPERS, Wrapper, WrapperForm};
use super::{SimpleCommand, Stdin, possible};

/// The commands that a command runs.
#[derive(Default)]
pub(super) struct InnerCommands {
    pub inner: Vec<InnerCommand>,
    pub has_no_other_effect: bool,
    /// The folder in which they run, if it is another one.
    pub folder: Option<Word>,
    /// Whether the program is not known to run them.
    pub is_possible: bool,
}

impl InnerCommands {
    fn only(inner: Vec<InnerCommand>) -> Self {
        Self { has_no_other_effect: !inner.is_empty(), inner, ..Self::default() }
    }

    fn also(inner: Vec<InnerCommand>) -> Self {
        Self { inner, ..Self::default() }
    }
}

const PIPED: &str = "it runs commands from a pipe";

/// Returns the commands that a command runs. `earlier` are the commands up to and including this one.
pub(super) fn inner(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let Some(program) = simple.program() else { return InnerCommands::default() };
    let rest = &simple.words[1..];
    if let Some(run) = WRAPPERS.iter().find_map(|wrapper| wrapped(wrapper, program, simple, earlier)) {
        return run;
    }
    match program {
        program if SHELLS.contains(&program) => shell(simple, earlier),
        "eval" => {
            InnerCommands::only(joined(after_options(rest, &[])).map(InnerCommand::SameShell).into_iter().collect())
        }
        "trap" => InnerCommands::also(
            rest.first().filter(|word| word.text != "-").cloned().map(InnerCommand::SameShell).into_iter().collect(),
        ),
        "alias" => InnerCommands::also(rest.iter().filter_map(aliased).collect()),
        "source" | "." => InnerCommands::also(match rest.split_first() {
            Some((file, _)) if is_stdin(&file.text) => stdin_commands(&simple.input, earlier).into_iter().collect(),
            Some((file, args)) => vec![InnerCommand::File(file.clone(), args.to_vec())],
            None => Vec::new(),
        }),
        "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" if !rest.is_empty() => {
            InnerCommands::only(vec![InnerCommand::Unknown("it runs PowerShell, which canonry does not analyse")])
        }
        "xargs" => xargs(simple, earlier),
        "parallel" => parallel(simple, earlier),
        "find" | "fd" | "fdfind" => InnerCommands::also(find(program, rest)),
        // `command -v` only looks up a command.
        "command" | "env" => InnerCommands::default(),
        _ if simple.words[0].text.contains('/') => {
            let mut run = possibly(simple);
            run.inner.insert(0, InnerCommand::File(simple.words[0].clone(), rest.to_vec()));
            run.is_possible = run.inner.len() > 1;
            run
        }
        _ => possibly(simple),
    }
}

fn possibly(simple: &SimpleCommand) -> InnerCommands {
    InnerCommands { is_possible: true, ..InnerCommands::also(possible::commands(simple)) }
}

/// Applies a row of the table; `None` if it is about another program, or finds no command.
fn wrapped(
    wrapper: &Wrapper,
    program: &str,
    simple: &SimpleCommand,
    earlier: &[SimpleCommand],
) -> Option<InnerCommands> {
    let (name, subcommands) = wrapper.name.split_first()?;
    let is_one_of = |names: &str, text: &str| names.split('|').any(|name| name == text);
    if !is_one_of(name, program) {
        return None;
    }
    let mut rest = &simple.words[1..];
    // `command -v` only looks up a command.
    if program == "command" && rest.first().is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return None;
    }
    let all = rest;
    for name in subcommands {
        // Options of the program itself come before the subcommand.
        rest = subcommand(program, rest);
        let at = rest.iter().position(|word| !word.text.starts_with('-'))?;
        if !is_one_of(name, &rest[at].text) {
            return None;
        }
        rest = &rest[at + 1..];
    }
    let folder = option_value(rest, wrapper.folder);
    let inner = match wrapper.form {
        WrapperForm::Option(names) => {
            let line = option_value(all, names)?;
            // `env -S 'rm -rf' /` appends its remaining arguments.
            let after = all.iter().position(|word| word.text.ends_with(&line.text)).map_or(all.len(), |at| at + 1);
            let rest = if program == "env" { &all[after..] } else { &[] };
            let words: Vec<Word> = std::iter::once(line).chain(rest.iter().cloned()).collect();
            joined(&words).map(InnerCommand::Script).into_iter().collect()
        }
        WrapperForm::After(marks) => {
            let at = rest.iter().position(|word| marks.contains(&word.text.as_str()))?;
            words_or_none(&rest[at + 1..])?
        }
        WrapperForm::Stdin => vec![stdin_commands(&simple.input, earlier)?],
        WrapperForm::Arguments | WrapperForm::Line | WrapperForm::EachArgument => {
            let mut words = after_options(rest, wrapper.takes).get(wrapper.own..)?;
            // Some programs have their own arguments before further options: `flock FILE -c`, `docker exec -it C sh`.
            if wrapper.own > 0 {
                words = words.strip_prefix(&[Word::new("--")][..]).unwrap_or(words);
            }
            let assigns = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
            let set = words.iter().take_while(assigns).count();
            let words = &words[set..];
            let inner = match wrapper.form {
                WrapperForm::Line => joined(words).map(InnerCommand::Script).into_iter().collect(),
                WrapperForm::EachArgument => {
                    words.iter().filter(|word| word.is_known()).cloned().map(InnerCommand::Script).collect()
                }
                _ => words_or_none(words)?,
            };
            let has_no_other_effect = wrapper.has_no_other_effect && set == 0;
            let mut run = InnerCommands { has_no_other_effect, folder, ..InnerCommands::also(inner) };
            if program == "ssh" {
                run.inner.extend(local_commands(simple));
            }
            return (!run.inner.is_empty()).then_some(run);
        }
    };
    let has_no_other_effect = wrapper.has_no_other_effect;
    Some(InnerCommands { has_no_other_effect, folder, ..InnerCommands::also(inner) })
}

fn words_or_none(words: &[Word]) -> Option<Vec<InnerCommand>> {
    (!words.is_empty()).then(|| vec![InnerCommand::Words(words.to_vec())])
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

/// Returns the value of an option: `--opt V`, `--opt=V`, `-o V`, `-oV`, or the last letter of `-xo V`.
fn option_value(words: &[Word], names: &[&str]) -> Option<Word> {
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.text.as_str();
        let long = names.iter().filter(|name| name.starts_with("--"));
        let mut glued = long.filter_map(|name| text.strip_prefix(name)?.strip_prefix('='));
        let next = || words.get(at + 1).cloned();
        if let Some(value) = glued.next() {
            return Some(Word::new(value));
        }
        if names.contains(&text) {
            return next();
        }
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let short = names.iter().filter_map(|name| name.strip_prefix('-')).filter(|name| name.len() == 1);
        short.into_iter().find_map(|letter| match letters.split_once(letter) {
            // Letters before it are options without a value.
            Some((before, "")) if before.len() < 4 => next(),
            Some(("" | "v" | "i" | "q", value)) => Some(Word::new(value)),
            _ => None,
        })
    })
}

fn aliased(word: &Word) -> Option<InnerCommand> {
    word.text.split_once('=').map(|(_, value)| InnerCommand::Script(Word::new(value)))
}

fn is_stdin(text: &str) -> bool {
    matches!(text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn shell(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let rest = &simple.words[1..];
    let valued = |word: &Word| matches!(word.text.as_str(), "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
    let is_c = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c');
    let mut at = 0;
    let mut reads_stdin = false;
    while let Some(word) = rest.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        if is_c(word) {
            let behind = &rest[at + 1..];
            // A text with several words is no option, even if it starts with `-`.
            let is_text = |word: &&Word| word.text.contains(char::is_whitespace);
            let behind = if behind.first().is_some_and(|word| is_text(&word)) {
                behind
            } else {
                after_options(behind, &["-o", "-O"])
            };
            let Some((script, args)) = behind.split_first() else { return InnerCommands::default() };
            return InnerCommands::only(vec![InnerCommand::ScriptWith(script.clone(), args.to_vec())]);
        }
        reads_stdin |=
            word.text == "-" || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('s');
        at += 1 + usize::from(valued(word));
    }
    let rest = rest.get(at..).unwrap_or_default();
    match rest.split_first() {
        Some((file, args)) if !reads_stdin && !is_stdin(&file.text) => {
            InnerCommands::also(vec![InnerCommand::File(file.clone(), args.to_vec())])
        }
        _ => InnerCommands::only(stdin_commands(&simple.input, earlier).into_iter().collect()),
    }
}

/// Returns the commands that a shell reads from stdin.
pub(super) fn stdin_commands(input: &Stdin, earlier: &[SimpleCommand]) -> Option<InnerCommand> {
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

/// Returns the names that a program reads from stdin, or from a file; `None` if they are unknown.
fn names_read(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> Option<Vec<Word>> {
    if argument_file(simple).is_some() || simple.redirects.iter().any(|redirect| !redirect.writes) {
        return None;
    }
    match &simple.input {
        Stdin::Pipe(from) => names_of(earlier.get(*from.last()?)?),
        Stdin::Text(text) => Some(names_in(text)),
        Stdin::Inherited => Some(Vec::new()),
    }
}

/// Options with a value of `xargs`, https://www.gnu.org/software/findutils/manual/html_node/find_html/xargs-options.html
const XARGS_TAKES: [&str; 12] =
    ["-n", "-P", "-L", "-s", "-d", "-a", "-E", "-I", "--max-args", "--max-procs", "--delimiter", "--arg-file"];

/// Options with a value of `parallel`, https://www.gnu.org/software/parallel/man.html
const PARALLEL_TAKES: [&str; 11] =
    ["-j", "--jobs", "-a", "--arg-file", "-S", "--sshlogin", "-n", "-N", "--colsep", "-C", "--delay"];

/// The file from which `xargs` or `parallel` reads arguments.
pub(crate) fn argument_file(simple: &SimpleCommand) -> Option<Word> {
    let takes = match simple.program()? {
        "xargs" => &XARGS_TAKES[..],
        "parallel" => &PARALLEL_TAKES[..],
        _ => return None,
    };
    let rest = &simple.words[1..];
    let own = &rest[..rest.len() - after_options(rest, takes).len()];
    option_value(own, &["-a", "--arg-file"])
}

fn xargs(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let rest = &simple.words[1..];
    let words = after_options(rest, &XARGS_TAKES);
    if words.is_empty() {
        return InnerCommands::default();
    }
    let own = &rest[..rest.len() - words.len()];
    let mark = option_value(own, &["-I", "--replace"]);
    let mark = mark.or_else(|| own.iter().any(|word| word.text == "-i").then(|| Word::new("{}")));
    let names = names_read(simple, earlier).unwrap_or_else(|| vec![Word::unknown()]);
    InnerCommands::only(match mark {
        Some(mark) => {
            let names = if names.is_empty() { vec![Word::unknown()] } else { names };
            names.iter().take(16).map(|name| InnerCommand::Words(substituted(words, &mark.text, name))).collect()
        }
        None => vec![InnerCommand::Words(words.iter().cloned().chain(names).collect())],
    })
}

fn substituted(words: &[Word], mark: &str, name: &Word) -> Vec<Word> {
    words.iter().map(|word| word.replaced(mark, name)).collect()
}

/// `parallel COMMAND ::: ARGUMENTS`; without a command, the arguments are commands.
fn parallel(simple: &SimpleCommand, earlier: &[SimpleCommand]) -> InnerCommands {
    let words = after_options(&simple.words[1..], &PARALLEL_TAKES);
    let is_mark = |word: &Word| word.text.starts_with(":::");
    let at = words.iter().position(is_mark).unwrap_or(words.len());
    let command = &words[..at];
    let is_listed = at < words.len();
    if command.is_empty() {
        let listed = words[at..].iter().filter(|word| !is_mark(word)).cloned().map(InnerCommand::Script);
        let piped = if is_listed { None } else { stdin_commands(&simple.input, earlier) };
        return InnerCommands::also(listed.chain(piped).collect());
    }
    let names = if is_listed {
        words[at..].iter().filter(|word| !is_mark(word)).cloned().collect()
    } else {
        names_read(simple, earlier).unwrap_or_else(|| vec![Word::unknown()])
    };
    let has_mark = command.iter().any(|word| word.text.contains("{}"));
    let is_line = matches!(command, [one] if one.text.contains(char::is_whitespace));
    let run = |name: &Word| {
        let mut words = substituted(command, "{}", name);
        if !has_mark {
            words.push(name.clone());
        }
        match joined(&words).filter(|line| is_line && line.is_known()) {
            Some(line) => InnerCommand::Script(line),
            None => InnerCommand::Words(words),
        }
    };
    InnerCommands::also(names.iter().take(16).map(run).collect())
}

fn find(program: &str, rest: &[Word]) -> Vec<InnerCommand> {
    let mut inner = Vec::new();
    let runs = |word: &Word| match program {
        "find" => matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"),
        _ => matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"),
    };
    let names = if program == "find" { found(rest) } else { Vec::new() };
    let marks = rest.iter().filter(|word| word.text == "{}").count();
    let names = if names.len() * marks > MAX_FOUND { vec![Word::unknown()] } else { names };
    for at in rest.iter().enumerate().filter(|(_, word)| runs(word)).map(|(at, _)| at + 1) {
        let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
        let words: Vec<&Word> = rest[at..].iter().take_while(ends).collect();
        let put = |word: &&Word| match word.text.as_str() {
            "{}" if names.is_empty() => vec![Word::unknown()],
            "{}" => names.clone(),
            text if text.contains("{}") => vec![Word::new(text.replace("{}", "\0"))],
            _ => vec![(*word).clone()],
        };
        inner.push(InnerCommand::Words(words.iter().flat_map(put).collect()));
    }
    inner
}

/// Returns the commands that `ssh` runs on this machine.
fn local_commands(simple: &SimpleCommand) -> Vec<InnerCommand> {
    let options = simple.words.iter().filter_map(|word| word.text.split_once("Command="));
    let local = options.filter(|(name, _)| name.ends_with("Proxy") || name.ends_with("Local"));
    local.map(|(_, command)| InnerCommand::Script(Word::new(command))).collect()
}
