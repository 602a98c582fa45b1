//! The files that a command reads and writes, derived from what is known about its program.

use super::matching::options::{Options, subcommand};
use super::shell::{SimpleCommand, Word};

/// Programs that do not read the content of the files they name, or name no files.
const READS_NOTHING: [&str; 32] = [
    "echo", "printf", "ls", "test", "[", "touch", "mkdir", "rm", "rmdir", "unlink", "basename", "dirname", "true",
    "false", ":", "cd", "pwd", "which", "type", "command", "export", "unset", "set", "exit", "return", "canonry",
    "chmod", "chown", "stat", "alias", "find", "local",
];

/// Git subcommands that show file content or store it.
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

/// Programs whose first argument is a pattern or a script, with the options that replace it.
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

/// Programs that do not write the files they name.
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

/// Programs that write, move or delete every file they name.
const WRITES_ALL: [&str; 27] = [
    "rm", "rmdir", "unlink", "shred", "mv", "tee", "sponge", "truncate", "touch", "chmod", "chown", "chgrp", "ln",
    "link", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "patch", "chattr", "setfacl", "trash", "rename",
    "mkfifo",
];

/// Programs that write the last file they name.
const WRITES_LAST: [&str; 6] = ["cp", "install", "rsync", "scp", "ditto", "split"];

/// Git subcommands that write, move or delete the files they name.
const GIT_WRITES: [&str; 6] = ["checkout", "restore", "rm", "mv", "apply", "update-index"];

/// Options whose value is an output file.
const OUTPUTS: [&str; 6] = ["-o", "--output", "-O", "--output-document", "--outfile", "--out"];

/// How a command affects a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteEffect {
    /// It writes the file.
    Certain,
    /// It deletes or moves the file, or the folder with its content.
    Removes,
    /// It copies to this path, or into this folder under the source's name.
    CopiesTo,
    /// The program is unknown, so it may write the file.
    Possible,
}

/// Lists the words that name files which a command reads, including paths within a word.
pub fn reads(simple: &SimpleCommand) -> Vec<Word> {
    let mut found: Vec<Word> = simple.redirects.iter().filter(|r| !r.writes).map(|r| r.target.clone()).collect();
    // An unknown program reads everything it names.
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
        && !instead.iter().any(|option| Options::new(program, args).has(option))
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
            found.extend(paths_in(word));
        }
        after_exclusion = excludes && !word.text.contains('=');
    }
    found
}

/// Returns a word and the paths in it: `--file=PATH`, `@PATH`, `name=@PATH`, `HEAD:PATH`, `file://PATH`.
fn paths_in(word: &Word) -> Vec<Word> {
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

/// Lists the words that name files which a command writes.
pub fn writes(simple: &SimpleCommand) -> Vec<(WriteEffect, Word)> {
    let redirected = simple.redirects.iter().filter(|redirect| redirect.writes);
    let mut found: Vec<(WriteEffect, Word)> =
        redirected.map(|redirect| (WriteEffect::Certain, redirect.target.clone())).collect();
    if simple.wraps || simple.words.is_empty() {
        return found;
    }
    let program = simple.program().unwrap_or("\0");
    let args = subcommand(program, &simple.words[1..]);
    let plain: Vec<&Word> = args.iter().filter(|word| !word.text.starts_with('-')).collect();
    found.extend(outputs(args).map(|word| (WriteEffect::Certain, word)));
    let all = |how: WriteEffect, words: &[&Word]| words.iter().map(|word| (how, (*word).clone())).collect::<Vec<_>>();
    let deletes = |how: WriteEffect| {
        if matches!(program, "rm" | "mv" | "trash" | "shred" | "rename") { WriteEffect::Removes } else { how }
    };
    match program {
        "git" => found.extend(git(args, &plain)),
        program if WRITES_ALL.contains(&program) => {
            found.extend(all(deletes(WriteEffect::Certain), &plain));
            if matches!(program, "mv" | "ln") {
                found.extend(plain.last().map(|word| (WriteEffect::CopiesTo, (*word).clone())));
            }
            let folder = named(args, &["-t", "--target-directory"]);
            found.extend(folder.map(|word| (WriteEffect::CopiesTo, word)));
        }
        program if WRITES_LAST.contains(&program) => {
            let folder = named(args, &["-t", "--target-directory"]);
            found.extend(
                folder.or_else(|| plain.last().map(|word| (*word).clone())).map(|word| (WriteEffect::CopiesTo, word)),
            );
        }
        "dd" => found.extend(
            args.iter().filter_map(|word| Some((WriteEffect::Certain, Word::new(word.text.strip_prefix("of=")?)))),
        ),
        "sed" | "perl" if in_place(args) => found.extend(all(WriteEffect::Certain, &plain)),
        "awk" | "gawk" if args.iter().any(|word| word.text == "inplace") => {
            found.extend(all(WriteEffect::Certain, &plain))
        }
        "sed" => {}
        "sort" if Options::new(program, args).has("-o") => found.extend(all(WriteEffect::Certain, &plain)),
        "find" if args.iter().any(|word| word.text == "-delete") => found.extend(all(WriteEffect::Removes, &plain)),
        program if WRITES_NOTHING.contains(&program) => {}
        _ => found.extend(all(WriteEffect::Possible, &plain)),
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

fn git(args: &[Word], plain: &[&Word]) -> Vec<(WriteEffect, Word)> {
    let sub = args.first().map_or("", |word| word.text.as_str());
    if !GIT_WRITES.contains(&sub) {
        return Vec::new();
    }
    plain.iter().skip(1).map(|word| (WriteEffect::Removes, (*word).clone())).collect()
}
