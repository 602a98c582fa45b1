//! The files that a command reads and writes, by what is known of its program.

use super::matching::options::{Options, subcommand};
use super::shell::{Simple, Word};

/// Programs that read none of the files they name, or name none.
const READS_NOTHING: [&str; 32] = [
    "echo", "printf", "ls", "test", "[", "touch", "mkdir", "rm", "rmdir", "unlink", "basename", "dirname", "true",
    "false", ":", "cd", "pwd", "which", "type", "command", "export", "unset", "set", "exit", "return", "canonry",
    "chmod", "chown", "stat", "alias", "find", "local",
];

/// Subcommands of git that show or take in what lies in a file.
const GIT_READS: [&str; 12] = [
    "add",
    "show",
    "diff",
    "blame",
    "grep",
    "cat-file",
    "archive",
    "stash",
    "annotate",
    "hash-object",
    "difftool",
    "log",
];

/// Programs whose first argument is a pattern or a script, with the options that stand for it.
const PATTERN_FIRST: [(&str, &[&str]); 11] = [
    ("grep", &["-e", "-f", "--regexp", "--file"]),
    ("egrep", &["-e", "-f"]),
    ("fgrep", &["-e", "-f"]),
    ("zgrep", &["-e", "-f"]),
    ("rg", &["-e", "-f", "--files", "--regexp"]),
    ("ag", &[]),
    ("ack", &[]),
    ("sed", &["-e", "-f", "--expression", "--file"]),
    ("awk", &["-f", "--file"]),
    ("gawk", &["-f", "--file"]),
    ("jq", &["-f", "--from-file"]),
];

/// Programs that write none of the files they name.
const WRITES_NOTHING: [&str; 66] = [
    "echo",
    "printf",
    "ls",
    "test",
    "[",
    "cat",
    "bat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "wc",
    "diff",
    "cmp",
    "comm",
    "stat",
    "file",
    "sort",
    "uniq",
    "cut",
    "tr",
    "awk",
    "gawk",
    "jq",
    "nl",
    "od",
    "xxd",
    "hexdump",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "shasum",
    "cksum",
    "tree",
    "du",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "cd",
    "pwd",
    "which",
    "type",
    "true",
    "false",
    ":",
    "export",
    "canonry",
    "find",
    "fd",
    "strings",
    "column",
    "fold",
    "paste",
    "rev",
    "tac",
    "yes",
    "id",
    "code",
];

/// Programs that write, move or delete each file they name.
const WRITES_ALL: [&str; 27] = [
    "rm", "rmdir", "unlink", "shred", "mv", "tee", "sponge", "truncate", "touch", "chmod", "chown", "chgrp", "ln",
    "link", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "patch", "chattr", "setfacl", "trash", "rename",
    "mkfifo",
];

/// Programs that write the last file they name.
const WRITES_LAST: [&str; 6] = ["cp", "install", "rsync", "scp", "ditto", "split"];

/// Subcommands of git that write, move or delete the files they name.
const GIT_WRITES: [&str; 6] = ["checkout", "restore", "rm", "mv", "apply", "update-index"];

/// Options whose values are written.
const OUTPUTS: [&str; 6] = ["-o", "--output", "-O", "--output-document", "--outfile", "--out"];

/// How surely a command writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// It does.
    Surely,
    /// It deletes or moves it, with all that is in it.
    Whole,
    /// What is copied ends there, or in the folder of this name, under its own name.
    Onto,
    /// Nothing is known of the program.
    Perhaps,
}

/// The words that name files which a command reads, each form of a path that a word may hold.
pub fn reads(simple: &Simple) -> Vec<Word> {
    let mut found: Vec<Word> = simple.redirects.iter().filter(|r| !r.writes).map(|r| r.target.clone()).collect();
    // A program that cannot be known reads what it names.
    let program = simple.program().unwrap_or("\0");
    if simple.wraps || READS_NOTHING.contains(&program) || simple.words.is_empty() {
        return found;
    }
    let args = subcommand(program, &simple.words[1..]);
    let sub = args.first().map_or("", |word| word.text.as_str());
    if program == "git" && !GIT_READS.contains(&sub) {
        return found;
    }
    let mut args = args;
    let first;
    if let Some((_, instead)) = PATTERN_FIRST.iter().find(|(name, _)| *name == program)
        && !instead.iter().any(|option| Options::of(program, args).has(option))
    {
        let at = args.iter().position(|word| !word.text.starts_with('-'));
        first =
            args.iter().enumerate().filter(|(i, _)| Some(*i) != at).map(|(_, word)| word.clone()).collect::<Vec<_>>();
        args = &first;
    }
    let mut after_exclusion = false;
    for word in args {
        let excludes = word.text.starts_with("--") && (word.text.contains("exclude") || word.text.contains("ignore"));
        if !after_exclusion && !excludes && !word.text.starts_with(['!', ':'])
            || program == "git" && word.text.starts_with(':')
        {
            found.extend(forms(word));
        }
        after_exclusion = excludes && !word.text.contains('=');
    }
    found
}

/// A word, and what stands in it behind a mark: `--file=PATH`, `@PATH`, `name=@PATH`, `HEAD:PATH`, `file://PATH`.
fn forms(word: &Word) -> Vec<Word> {
    let text = &word.text;
    let mut found = vec![word.clone()];
    let mut add = |text: &str| found.push(Word { text: text.to_owned(), is_glob: word.is_glob });
    for mark in ['=', '@', '<', ':'] {
        if let Some((_, behind)) = text.split_once(mark).filter(|(_, behind)| !behind.is_empty()) {
            add(behind.trim_start_matches(['@', '<']).trim_start_matches("//"));
        }
    }
    if text.starts_with('-') && !text.starts_with("--") && text.len() > 2 && text.is_char_boundary(2) {
        add(text[2..].trim_start_matches('@'));
    }
    found
}

/// The words that name files which a command writes.
pub fn writes(simple: &Simple) -> Vec<(Writes, Word)> {
    let redirected = simple.redirects.iter().filter(|redirect| redirect.writes);
    let mut found: Vec<(Writes, Word)> = redirected.map(|redirect| (Writes::Surely, redirect.target.clone())).collect();
    if simple.wraps || simple.words.is_empty() {
        return found;
    }
    let program = simple.program().unwrap_or("\0");
    let args = subcommand(program, &simple.words[1..]);
    let plain: Vec<&Word> = args.iter().filter(|word| !word.text.starts_with('-')).collect();
    found.extend(outputs(args).map(|word| (Writes::Surely, word)));
    let all = |how: Writes, words: &[&Word]| words.iter().map(|word| (how, (*word).clone())).collect::<Vec<_>>();
    let deletes =
        |how: Writes| if matches!(program, "rm" | "mv" | "trash" | "shred" | "rename") { Writes::Whole } else { how };
    match program {
        "git" => found.extend(git(args, &plain)),
        program if WRITES_ALL.contains(&program) => {
            found.extend(all(deletes(Writes::Surely), &plain));
            if matches!(program, "mv" | "ln") {
                found.extend(plain.last().map(|word| (Writes::Onto, (*word).clone())));
            }
            let folder = named(args, &["-t", "--target-directory"]);
            found.extend(folder.map(|word| (Writes::Onto, word)));
        }
        program if WRITES_LAST.contains(&program) => {
            let folder = named(args, &["-t", "--target-directory"]);
            found.extend(folder.or_else(|| plain.last().map(|word| (*word).clone())).map(|word| (Writes::Onto, word)));
        }
        "dd" => found
            .extend(args.iter().filter_map(|word| Some((Writes::Surely, Word::new(word.text.strip_prefix("of=")?))))),
        "sed" | "perl" if in_place(args) => found.extend(all(Writes::Surely, &plain)),
        "awk" | "gawk" if args.iter().any(|word| word.text == "inplace") => found.extend(all(Writes::Surely, &plain)),
        "sed" => {}
        "sort" if Options::of(program, args).has("-o") => found.extend(all(Writes::Surely, &plain)),
        "find" if args.iter().any(|word| word.text == "-delete") => found.extend(all(Writes::Whole, &plain)),
        program if WRITES_NOTHING.contains(&program) => {}
        _ => found.extend(all(Writes::Perhaps, &plain)),
    }
    found
}

fn in_place(args: &[Word]) -> bool {
    args.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("--in-place")
            || (text.starts_with('-')
                && !text.starts_with("--")
                && text.split('.').next().is_some_and(|o| o.contains('i')))
    })
}

fn outputs(args: &[Word]) -> impl Iterator<Item = Word> {
    let next = args.windows(2).filter(|two| OUTPUTS.contains(&two[0].text.as_str())).map(|two| two[1].clone());
    let glued = args.iter().filter_map(|word| {
        word.text.split_once('=').filter(|(name, _)| OUTPUTS.contains(name)).map(|(_, v)| Word::new(v))
    });
    next.chain(glued).collect::<Vec<_>>().into_iter()
}

fn named(args: &[Word], names: &[&str]) -> Option<Word> {
    let next = args.windows(2).find(|two| names.contains(&two[0].text.as_str())).map(|two| two[1].clone());
    let glued = || {
        args.iter().find_map(|word| {
            word.text.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, v)| Word::new(v))
        })
    };
    next.or_else(glued)
}

fn git(args: &[Word], plain: &[&Word]) -> Vec<(Writes, Word)> {
    let sub = args.first().map_or("", |word| word.text.as_str());
    if !GIT_WRITES.contains(&sub) {
        return Vec::new();
    }
    plain.iter().skip(1).map(|word| (Writes::Whole, (*word).clone())).collect()
}
