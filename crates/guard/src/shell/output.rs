//! The output of commands, as far as it follows from their arguments.

use super::inner_command::{after_options, joined, subcommand};
use super::word::Word;
use super::{SimpleCommand, Stdin, escapes};

/// Programs whose output is meant for `eval`: they print settings of the shell.
const PRINTS_SETTINGS: [&str; 13] = [
    "ssh-agent",
    "direnv",
    "brew",
    "pyenv",
    "rbenv",
    "nodenv",
    "starship",
    "zoxide",
    "fnm",
    "mise",
    "opam",
    "dircolors",
    "conda",
];

/// Returns the output of a command, if it can be known.
pub(super) fn output_of(simple: &SimpleCommand) -> Option<Word> {
    let rest = simple.words.get(1..)?;
    match simple.program()? {
        "echo" => {
            let flags = rest.iter().take_while(|word| is_echo_flag(&word.text)).count();
            let text = joined(&rest[flags..])?;
            let decodes = rest[..flags].iter().any(|word| word.text.contains('e'));
            Some(if decodes { Word { text: escapes::decode(&text.text), ..text } } else { text })
        }
        "printf" => {
            let words = after_options(rest, &[]);
            let (template, arguments) = words.split_first()?;
            let arguments: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
            escapes::format(&template.text, &arguments).map(Word::new)
        }
        "ls" => joined(after_options(rest, &[])),
        "cat" if rest.is_empty() => match &simple.input {
            Stdin::Text(text) => Some(Word::new(text.clone())),
            _ => None,
        },
        "pwd" => simple.cwd.clone().map(Word::new),
        "which" | "command" | "type" => {
            let name = rest.iter().rfind(|word| !word.text.starts_with('-'))?;
            let is_name = name.is_known() && !name.text.contains('/');
            Some(if is_name { Word::new(format!("/usr/bin/{}", name.text)) } else { name.clone() })
        }
        "mktemp" => Some(temporary(rest)),
        program if PRINTS_SETTINGS.contains(&program) => Some(Word::new(":")),
        _ => None,
    }
}

fn is_echo_flag(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
}

/// Returns a path that `mktemp` may create.
fn temporary(rest: &[Word]) -> Word {
    let template = rest.iter().rfind(|word| word.text.contains("XXX"));
    let is_in_tmp = rest.iter().any(|word| matches!(word.text.as_str(), "-t" | "--tmpdir"));
    match template {
        Some(word) if !is_in_tmp => word.clone(),
        _ => Word::new("/tmp/tmp.XXXXXXXXXX"),
    }
}

/// Returns the names that a command prints, one per word; `None` if nothing is known about them.
pub(super) fn names_of(simple: &SimpleCommand) -> Option<Vec<Word>> {
    let rest = simple.words.get(1..)?;
    let args = subcommand(simple.program()?, rest);
    match (simple.program()?, args.first().map_or("", |word| word.text.as_str())) {
        ("find", _) => Some(found(rest)),
        ("git", "ls-files") => {
            let folders = args.iter().skip(1).filter(|word| !word.text.starts_with('-'));
            Some(folders.map(|word| Word { is_glob: true, ..Word::new(format!("{}/**", word.text)) }).collect())
        }
        _ => output_of(simple).map(|word| names_in(&word.text)),
    }
}

/// Returns the names that a command prints as one text, if it prints only names that are known.
pub(super) fn names_as_text(simple: &SimpleCommand) -> Option<Word> {
    let names = names_of(simple)?;
    joined(&names).filter(|text| text.is_known() && !names.iter().any(|name| name.text.contains(' ')))
}

/// Splits a text into names, as `xargs` does.
pub(super) fn names_in(text: &str) -> Vec<Word> {
    let name = |text: &str| Word::pattern(text.to_owned());
    text.split_whitespace().map(name).collect()
}

/// The maximum number of names that `find` may pass on, for all its folders and patterns.
pub(super) const MAX_FOUND: usize = 1_024;

/// Returns the names that `find` may pass on: its patterns below its folders, or everything below them.
pub(crate) fn found(rest: &[Word]) -> Vec<Word> {
    let starts = find_starts(rest);
    let tests = ["-name", "-iname"];
    let paths = ["-path", "-wholename", "-ipath"];
    let after = |names: &[&str]| -> Vec<String> {
        rest.windows(2).filter(|two| names.contains(&two[0].text.as_str())).map(|two| two[1].text.clone()).collect()
    };
    let named = after(&tests);
    if starts.len().saturating_mul(named.len()) > MAX_FOUND {
        return vec![Word::unknown()];
    }
    let mut names: Vec<Word> = Vec::new();
    for start in &starts {
        let start = start.trim_end_matches('/');
        names.extend(named.iter().map(|name| Word { is_glob: true, ..Word::new(format!("{start}/**/{name}")) }));
        if !selects(rest) {
            names.push(Word { is_glob: true, ..Word::new(format!("{start}/**")) });
        }
    }
    let plain = named.into_iter().chain(after(&paths));
    names.extend(plain.map(Word::pattern));
    names
}

/// Lists the folders that `find` searches.
pub(crate) fn find_starts(rest: &[Word]) -> Vec<String> {
    // `-H`, `-L`, `-P`, `-D x` and `-O1` come before the folders.
    let mut rest = rest;
    while let Some(first) = rest.first() {
        let skipped = match first.text.as_str() {
            "-H" | "-L" | "-P" => 1,
            "-D" => 2,
            text if text.starts_with("-O") => 1,
            _ => break,
        };
        rest = rest.get(skipped..).unwrap_or_default();
    }
    let is_start = |word: &&Word| !word.text.starts_with(['-', '(', '!']) || word.text.starts_with("-\0");
    let starts: Vec<String> = rest.iter().take_while(is_start).map(|word| word.text.clone()).collect();
    if starts.is_empty() { vec![".".to_owned()] } else { starts }
}

/// Checks whether the tests of `find` select only some files: by a name, or empty ones. Times, sizes and types can hold
/// for every file.
pub(crate) fn selects(rest: &[Word]) -> bool {
    let text = |at: usize| rest.get(at).map_or("", |word| word.text.as_str());
    let names = ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"];
    (0..rest.len()).any(|at| {
        let is_negated = at > 0 && matches!(text(at - 1), "!" | "-not");
        let is_name = names.contains(&text(at)) && text(at + 1).chars().filter(|c| c.is_alphanumeric()).count() > 0;
        !is_negated && (is_name || text(at) == "-empty" || matches!(text(at), "-samefile" | "-inum"))
    })
}
