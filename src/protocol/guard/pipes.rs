//! `pipe-to-shell`: a download is executed without review.

use super::GuardInput;
use crate::protocol::matching::path::resolve;
use crate::protocol::shell::{SHELLS, SimpleCommand, Stdin, Word};
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `pipe-to-shell`";
/// Programs that download.
const FETCH: [&str; 11] = ["curl", "wget", "http", "https", "xh", "aria2c", "fetch", "lynx", "nc", "ncat", "gh"];
/// Interpreters that execute their stdin unless they are given a program.
const INTERPRETERS: [&str; 10] =
    ["python", "python3", "python2", "node", "perl", "ruby", "php", "deno", "bun", "osascript"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let Some(program) = simple.program() else { return Vec::new() };
    let deny = |message: &str| vec![VerdictReason::guard(Verdict::Deny, RULE, message)];
    let fetches = |places: &[usize]| places.iter().filter_map(|at| input.script.commands.get(*at)).any(is_fetch);
    let piped = match &simple.input {
        Stdin::Pipe(from) => fetches(from),
        _ => false,
    };
    if piped && (runs_input(program, &simple.words[1..]) || simple.is_function) {
        return deny("it runs a download without review");
    }
    let runs_words = SHELLS.contains(&program)
        || matches!(program, "eval" | "source" | "." | "env")
        || INTERPRETERS.contains(&program);
    if runs_words && fetches(&simple.holds) {
        return deny("it runs a download without review");
    }
    if runs_fetched(input, program) {
        return deny("it runs a file that it just downloaded");
    }
    Vec::new()
}

fn is_fetch(simple: &SimpleCommand) -> bool {
    simple.program().is_some_and(|program| FETCH.contains(&program)) && !simple.wraps
}

fn runs_input(program: &str, args: &[Word]) -> bool {
    let plain = args.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
    let has_text = args.iter().any(|word| matches!(word.text.as_str(), "-c" | "-e" | "-m"));
    let reads_stdin = args.iter().any(|word| matches!(word.text.as_str(), "-s" | "-" | "/dev/stdin"));
    match () {
        () if SHELLS.contains(&program) || INTERPRETERS.contains(&program) => {
            reads_stdin || (plain.is_none_or(|word| word.text == "-") && !has_text)
        }
        () => matches!(program, "source" | ".") && plain.is_some_and(|word| word.text == "/dev/stdin"),
    }
}

/// Checks for `curl -o x.sh …; sh x.sh`.
fn runs_fetched(input: &GuardInput<'_>, program: &str) -> bool {
    let simple = input.simple;
    let run = match program {
        program
            if SHELLS.contains(&program) || INTERPRETERS.contains(&program) || matches!(program, "source" | ".") =>
        {
            simple.words.iter().skip(1).find(|word| !word.text.starts_with('-'))
        }
        _ => simple.words.first().filter(|word| word.text.contains('/')),
    };
    let Some(run) = run.filter(|word| word.is_known()) else { return false };
    let own = resolve(simple.cwd.as_deref(), &run.text);
    let earlier =
        input.script.commands.iter().take_while(|other| !std::ptr::eq(*other, simple)).filter(|other| is_fetch(other));
    let mut files =
        earlier.flat_map(|fetch| fetched(fetch).into_iter().map(|word| resolve(fetch.cwd.as_deref(), &word.text)));
    own.is_some() && files.any(|file| file == own)
}

/// Lists the files that a download writes.
fn fetched(fetch: &SimpleCommand) -> Vec<Word> {
    let mut files: Vec<Word> = crate::protocol::files::writes(fetch).into_iter().map(|(_, word)| word).collect();
    let names = |word: &&Word| word.text.contains("://");
    let last = |word: &Word| {
        Word::new(word.text.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default())
    };
    files.extend(fetch.words.iter().filter(names).map(last));
    files
}
