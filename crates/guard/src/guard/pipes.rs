//! `pipe-to-shell`: a command runs what another one downloaded or decoded, so that nobody has reviewed it.

use super::GuardInput;
use crate::matching::path::resolve;
use crate::shell::{SHELLS, Script, SimpleCommand, Stdin, Word};
use crate::verdict::{Verdict, VerdictReason};
use std::collections::BTreeSet;

const RULE: &str = "canonry's guard `pipe-to-shell`";
/// Programs that download; a name comes before its own prefix. The last ones are cmdlets of
/// PowerShell and their aliases, whose case does not matter.
pub const FETCH: [&str; 18] = [
    "curl.exe",
    "curl",
    "wget",
    "https",
    "http",
    "xh",
    "aria2c",
    "fetch",
    "lynx",
    "ncat",
    "nc",
    "gh",
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "Invoke-WebRequest",
    "Invoke-RestMethod",
];
/// Interpreters that execute their stdin unless they are given a program.
const INTERPRETERS: [&str; 10] =
    ["python", "python3", "python2", "node", "perl", "ruby", "php", "deno", "bun", "osascript"];
/// Commands that execute the text in their arguments, or on their stdin in PowerShell.
const EVALUATORS: [&str; 3] = ["eval", "iex", "invoke-expression"];
/// The origins of one command that are kept.
const MAX_ORIGINS: usize = 16;

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let deny = |message: &str| vec![VerdictReason::guard(Verdict::Deny, RULE, message)];
    if input.downloads.run_by(input.script, input.at).is_some() {
        return deny("it runs a download without review");
    }
    if input.downloads.file_run_by(input.script, input.at).is_some() {
        return deny("it runs a file that it just downloaded");
    }
    Vec::new()
}

/// The commands from which the output of each command of a line comes.
#[derive(Debug)]
pub struct Origins {
    of: Vec<BTreeSet<usize>>,
    /// The files that they write, each with the command that wrote it.
    files: Vec<(String, usize)>,
}

impl Origins {
    /// Output of a download.
    pub fn of_downloads(script: &Script) -> Self {
        Self::find(script, is_fetch)
    }

    /// Output of a decoder.
    pub fn of_decoded(script: &Script) -> Self {
        Self::find(script, is_decoder)
    }

    fn find(script: &Script, is_source: fn(&SimpleCommand) -> bool) -> Self {
        let mut origins = Self { of: vec![BTreeSet::new(); script.commands.len()], files: Vec::new() };
        if !script.commands.iter().any(is_source) {
            return origins;
        }
        for (at, simple) in script.commands.iter().enumerate() {
            let mut own = if is_source(simple) { BTreeSet::from([at]) } else { BTreeSet::new() };
            if let Stdin::Pipe(places) = &simple.input {
                own.extend(origins.at(places));
            }
            own.extend(origins.at(&simple.holds));
            own.extend(origins.in_files(simple));
            while own.len() > MAX_ORIGINS {
                own.pop_last();
            }
            if !own.is_empty() {
                let written = if is_fetch(simple) { fetched(simple) } else { written(simple) };
                origins.files.extend(written.iter().filter_map(|word| Some((place(simple, word)?, at))));
            }
            origins.of[at] = own;
        }
        origins
    }

    /// The origins of these commands.
    fn at(&self, places: &[usize]) -> BTreeSet<usize> {
        places.iter().filter_map(|at| self.of.get(*at)).flatten().copied().collect()
    }

    /// The origins of the files that a command names.
    fn in_files(&self, simple: &SimpleCommand) -> BTreeSet<usize> {
        if self.files.is_empty() {
            return BTreeSet::new();
        }
        let redirected = simple.redirects.iter().filter(|redirect| !redirect.writes).map(|redirect| &redirect.target);
        let named: Vec<String> =
            simple.words.iter().skip(1).chain(redirected).filter_map(|word| place(simple, word)).collect();
        let writers = self.files.iter().filter(|(file, _)| named.contains(file)).map(|(_, at)| *at);
        self.at(&writers.collect::<Vec<_>>())
    }

    /// The origins of the code that a command runs: from its stdin, or in its arguments.
    pub fn run_by(&self, script: &Script, at: usize) -> Option<BTreeSet<usize>> {
        let simple = script.commands.get(at)?;
        let program = simple.program()?.to_ascii_lowercase();
        let args = &simple.words[1..];
        let mut origins = match &simple.input {
            Stdin::Pipe(from) if simple.is_function || runs_input(&program, args) => self.at(from),
            _ => BTreeSet::new(),
        };
        if runs_substituted(&program, args, &simple.input) {
            origins.extend(self.at(&simple.holds));
        }
        (!origins.is_empty()).then_some(origins)
    }

    /// The name of the file that a command runs, if the line fetched it, also if it was copied.
    pub fn file_run_by(&self, script: &Script, at: usize) -> Option<String> {
        let simple = script.commands.get(at)?;
        let program = simple.program()?;
        let run = if simple.words.iter().skip(1).any(|word| gives_code(program, word)) {
            // The code is an argument, and files are its data.
            None
        } else if runs_files(program) {
            simple.words.iter().skip(1).find(|word| !word.text.starts_with('-'))
        } else {
            simple.words.first().filter(|word| word.text.contains('/'))
        };
        self.fetched_file(script, at, run?)
    }

    /// The name of a file, if an earlier command of the line fetched it.
    pub fn fetched_file(&self, script: &Script, at: usize, file: &Word) -> Option<String> {
        let own = place(script.commands.get(at)?, file)?;
        let is_own = self.files.iter().any(|(file, writer)| *writer < at && *file == own);
        is_own.then(|| own.rsplit('/').next().unwrap_or(&own).to_owned())
    }
}

/// The path of a known word.
fn place(simple: &SimpleCommand, word: &Word) -> Option<String> {
    resolve(simple.cwd.as_deref(), &word.text).filter(|_| word.is_known())
}

fn written(simple: &SimpleCommand) -> Vec<Word> {
    crate::files::writes(simple).into_iter().map(|(_, word)| word).collect()
}

fn is_fetch(simple: &SimpleCommand) -> bool {
    let fetches = |program: &str| FETCH.iter().any(|fetch| fetch.eq_ignore_ascii_case(program));
    simple.program().is_some_and(fetches) && !simple.wraps
}

/// Whether a command decodes a text.
fn is_decoder(simple: &SimpleCommand) -> bool {
    let has = |names: &[&str]| simple.words.iter().skip(1).any(|word| names.contains(&word.text.as_str()));
    match simple.program() {
        Some("base64" | "base32" | "gbase64") => has(&["-d", "-D", "-di", "--decode"]),
        Some("openssl") => has(&["base64", "enc", "-base64"]) && has(&["-d"]),
        Some("xxd") => has(&["-r", "-rp", "-ps"]) && has(&["-r", "-rp"]),
        Some("uudecode") => true,
        _ => false,
    }
}

/// Whether a program runs a file that is its first argument.
fn runs_files(program: &str) -> bool {
    SHELLS.contains(&program) || INTERPRETERS.contains(&program) || matches!(program, "source" | ".")
}

fn runs_input(program: &str, args: &[Word]) -> bool {
    let plain = args.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
    let has_text = args.iter().any(|word| matches!(word.text.as_str(), "-c" | "-e" | "-m"));
    let reads_stdin = args.iter().any(|word| matches!(word.text.as_str(), "-s" | "-" | "/dev/stdin"));
    if SHELLS.contains(&program) || INTERPRETERS.contains(&program) {
        return reads_stdin || (plain.is_none_or(|word| word.text == "-") && !has_text);
    }
    matches!(program, "source" | ".") && plain.is_some_and(|word| word.text == "/dev/stdin")
        || EVALUATORS.contains(&program) && program != "eval" && plain.is_none()
}

/// Whether a program runs what is substituted in its arguments, or in a text on its stdin.
fn runs_substituted(program: &str, args: &[Word], input: &Stdin) -> bool {
    let is_substituted = |word: &Word| !word.is_known() || word.text.starts_with("/dev/fd/");
    if EVALUATORS.contains(&program) {
        return args.iter().any(is_substituted);
    }
    if program == "env" {
        return args.iter().any(|word| is_substituted(word) && !word.text.contains('='));
    }
    if !runs_files(program) {
        return false;
    }
    if matches!(input, Stdin::Text(_)) && runs_input(program, args) {
        return true;
    }
    let code = match args.iter().position(|word| gives_code(program, word)) {
        Some(at) => args.get(at + 1),
        None => args.iter().find(|word| !word.text.starts_with('-')),
    };
    code.is_some_and(is_substituted)
}

/// Whether the next argument of a shell or an interpreter is code, as in `sh -ec CODE` and `perl -ne CODE`.
fn gives_code(program: &str, option: &Word) -> bool {
    let letters: &[char] = match program {
        "php" => &['r'],
        "node" | "bun" | "deno" => &['e', 'p'],
        "perl" | "ruby" | "osascript" => &['e', 'E'],
        _ => &['c'],
    };
    let is_short = option.text.starts_with('-') && !option.text.starts_with("--");
    runs_files(program) && is_short && option.text.ends_with(letters)
}

/// Lists the files that a download writes.
fn fetched(fetch: &SimpleCommand) -> Vec<Word> {
    let mut files = written(fetch);
    let names = |word: &&Word| word.text.contains("://");
    let last = |word: &Word| {
        word.text
            .split(['?', '#'])
            .next()
            .expect("split is never empty")
            .rsplit('/')
            .next()
            .expect("a split has at least one part")
            .to_owned()
    };
    let names: Vec<String> = fetch.words.iter().filter(names).map(last).collect();
    // The name of the URL, in the folder of `-P` or `--output-dir`.
    let folders = fetch
        .words
        .windows(2)
        .filter(|two| matches!(two[0].text.as_str(), "-P" | "--directory-prefix" | "--output-dir"));
    for folder in folders {
        files.extend(names.iter().map(|name| Word::new(format!("{}/{name}", folder[1].text.trim_end_matches('/')))));
    }
    files.extend(names.into_iter().map(Word::new));
    files
}
