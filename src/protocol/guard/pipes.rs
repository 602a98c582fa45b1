//! `pipe-to-shell`: a download is executed without review.

use super::GuardInput;
use crate::protocol::matching::path::resolve;
use crate::protocol::shell::{SHELLS, Script, SimpleCommand, Stdin, Word};
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
    let fetches = |places: &[usize]| places.iter().any(|at| input.downloads.get(*at).is_some_and(|is| *is));
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

/// Returns for each command of a line whether what it prints or writes comes from a download.
pub fn downloads(script: &Script) -> Vec<bool> {
    let mut found = vec![false; script.commands.len()];
    if !script.commands.iter().any(is_fetch) {
        return found;
    }
    let mut files: Vec<String> = Vec::new();
    for (at, simple) in script.commands.iter().enumerate() {
        let place = |word: &Word| resolve(simple.cwd.as_deref(), &word.text).filter(|_| word.is_known());
        let from = |places: &[usize]| places.iter().any(|at| found.get(*at).is_some_and(|is| *is));
        let piped = matches!(&simple.input, Stdin::Pipe(places) if from(places));
        let reads_file = || {
            let mut named =
                simple.words.iter().skip(1).chain(simple.redirects.iter().filter(|r| !r.writes).map(|r| &r.target));
            !files.is_empty() && named.any(|word| place(word).is_some_and(|path| files.contains(&path)))
        };
        found[at] = is_fetch(simple) || piped || from(&simple.holds) || reads_file();
        if found[at] {
            let written = if is_fetch(simple) { fetched(simple) } else { written(simple) };
            files.extend(written.iter().filter_map(place));
        }
    }
    found
}

fn written(simple: &SimpleCommand) -> Vec<Word> {
    crate::protocol::files::writes(simple).into_iter().map(|(_, word)| word).collect()
}

fn is_fetch(simple: &SimpleCommand) -> bool {
    simple.program().is_some_and(|program| FETCH.contains(&program)) && !simple.wraps
}

fn runs_input(program: &str, args: &[Word]) -> bool {
    let plain = args.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
    let has_text = args.iter().any(|word| matches!(word.text.as_str(), "-c" | "-e" | "-m"));
    let reads_stdin = args.iter().any(|word| matches!(word.text.as_str(), "-s" | "-" | "/dev/stdin"));
    if SHELLS.contains(&program) || INTERPRETERS.contains(&program) {
        reads_stdin || (plain.is_none_or(|word| word.text == "-") && !has_text)
    } else {
        matches!(program, "source" | ".") && plain.is_some_and(|word| word.text == "/dev/stdin")
    }
}

/// Checks for `curl -o x.sh …; sh x.sh`, also if the file was copied.
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
    let earlier = input.script.commands.iter().zip(input.downloads).take(input.at).filter(|(_, is)| **is);
    let mut files = earlier.flat_map(|(other, _)| {
        let files = if is_fetch(other) { fetched(other) } else { written(other) };
        files.into_iter().map(|word| resolve(other.cwd.as_deref(), &word.text))
    });
    own.is_some() && files.any(|file| file == own)
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
