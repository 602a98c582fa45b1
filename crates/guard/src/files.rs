//! The files that a command reads and writes, derived from what is known about its program.

use super::matching::options::{Options, subcommand};
use super::patch::{diffed_files, patched_files};
use super::scripts::{awk_files, sed_files};
use super::shell::{SimpleCommand, Stdin, Word, argument_file};

/// Programs that do not read the content of the files they name, or name no files.
const READS_NOTHING: [&str; 31] = [
    "echo", "printf", "ls", "test", "[", "touch", "mkdir", "rm", "rmdir", "unlink", "basename", "dirname", "true",
    "false", ":", "cd", "pwd", "which", "command", "export", "unset", "set", "exit", "return", "canonry", "chmod",
    "chown", "stat", "alias", "find", "local",
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
const WRITES_ALL: [&str; 30] = [
    "rm", "rmdir", "unlink", "shred", "mv", "tee", "sponge", "truncate", "touch", "chmod", "chown", "chgrp", "ln",
    "link", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "patch", "chattr", "setfacl", "trash", "rename",
    "mkfifo", "mknod", "mount", "umount",
];

/// Programs that write the last file they name.
const WRITES_LAST: [&str; 6] = ["cp", "install", "rsync", "scp", "ditto", "split"];

/// Git subcommands that write, move or delete the files they name.
const GIT_WRITES: [&str; 7] = ["checkout", "restore", "rm", "mv", "apply", "update-index", "clean"];

/// Options whose value is an output file.
const OUTPUTS: [&str; 6] = ["-o", "--output", "-O", "--output-document", "--outfile", "--out"];

/// Effect of a command on a file.
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
    found.extend(argument_file(simple));
    if simple.wraps || READS_NOTHING.contains(&program) || simple.words.is_empty() {
        return found;
    }
    let args = subcommand(program, &simple.words[1..]);
    let sub = args.first().map_or("", |word| word.text.as_str());
    if program == "git" && !GIT_READS.contains(&sub) {
        // `commit` and `tag` read their message from a file.
        found.extend(named(args, &["-F", "--file"]).filter(|_| matches!(sub, "commit" | "tag" | "notes" | "merge")));
        return found;
    }
    let texts = args.iter().map(|word| word.text.as_str());
    match program {
        "sed" | "gsed" => found.extend(texts.flat_map(|text| sed_files(text, ['r', 'R'])).map(Word::new)),
        "awk" | "gawk" | "mawk" => found.extend(texts.flat_map(|text| awk_files(text, '<')).map(Word::new)),
        _ => {}
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
    // The destination of a copy is not read.
    let plain = || args.iter().filter(|word| !word.text.starts_with('-'));
    let into = named(args, &["-t", "--target-directory"]).is_none().then(|| plain().next_back()).flatten();
    let into = into.filter(|_| matches!(program, "cp" | "mv" | "install" | "ln") && plain().count() > 1);
    let is_destination = |word: &Word| into.is_some_and(|into| std::ptr::eq(into, word));
    let mut after_exclusion = false;
    for word in args.iter().filter(|word| !is_destination(word)) {
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
    let mut add = |text: &str| found.push(Word { text: text.to_owned(), ..word.clone() });
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
    // Without access to its folder, or behind a mount, a file is as good as removed.
    let deletes = |how: WriteEffect| match program {
        "rm" | "mv" | "trash" | "shred" | "rename" => WriteEffect::Removes,
        "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" | "mount" | "umount" => WriteEffect::Removes,
        _ => how,
    };
    found.extend(patched(simple, program, args));
    match program {
        "git" => found.extend(git(args, &plain)),
        "apply_patch" | "applypatch" => {}
        program if WRITES_ALL.contains(&program) => {
            found.extend(all(deletes(WriteEffect::Certain), &plain));
            if matches!(program, "mv" | "ln") {
                let into = if plain.len() == 1 { None } else { plain.last() };
                found.extend(into.map(|word| (WriteEffect::CopiesTo, (*word).clone())));
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
        "sed" => {
            let files = args.iter().flat_map(|word| sed_files(&word.text, ['w', 'W']));
            found.extend(files.map(|file| (WriteEffect::Certain, Word::new(file))));
        }
        "awk" | "gawk" | "mawk" => {
            let files = args.iter().flat_map(|word| awk_files(&word.text, '>'));
            found.extend(files.map(|file| (WriteEffect::Certain, Word::new(file))));
        }
        // An archive may contain any file.
        "tar" | "bsdtar" | "unzip" | "cpio" | "7z" => {
            let folder = named(args, &["-C", "-d", "-D", "--directory"]);
            found.extend(folder.map(|word| (WriteEffect::Removes, word)));
        }
        // The second file is the output.
        "uniq" => found.extend(plain.get(1).map(|word| (WriteEffect::Certain, (*word).clone()))),
        "wget" => {
            let folder = named(args, &["-P", "--directory-prefix"]);
            found.extend(folder.map(|word| (WriteEffect::CopiesTo, word)));
            found.extend(named(args, &["-a", "--append-output"]).map(|word| (WriteEffect::Certain, word)));
        }
        "sort" if Options::new(program, args).has("-o") => found.extend(all(WriteEffect::Certain, &plain)),
        "find" => {
            let outputs = ["-fprint", "-fprint0", "-fprintf", "-fls"];
            let files = args.windows(2).filter(|two| outputs.contains(&two[0].text.as_str()));
            found.extend(files.map(|two| (WriteEffect::Certain, two[1].clone())));
            if args.iter().any(|word| word.text == "-delete") {
                found.extend(super::shell::found(args).into_iter().map(|word| (WriteEffect::Removes, word)));
            }
        }
        program if WRITES_NOTHING.contains(&program) => {}
        _ => found.extend(all(WriteEffect::Possible, &plain)),
    }
    found
}

/// Lists the files that a patch on stdin or in an argument changes.
fn patched(simple: &SimpleCommand, program: &str, args: &[Word]) -> Vec<(WriteEffect, Word)> {
    let applies = program == "git" && args.first().is_some_and(|sub| matches!(sub.text.as_str(), "apply" | "am"));
    let input = match &simple.input {
        Stdin::Text(text) => text.as_str(),
        _ => "",
    };
    let files = match program {
        "apply_patch" | "applypatch" => {
            let texts = args.iter().map(|word| word.text.as_str()).chain([input]);
            texts.flat_map(patched_files).collect()
        }
        "patch" => diffed_files(input, stripped(args).unwrap_or(0)),
        "git" if applies => diffed_files(input, stripped(args).unwrap_or(1)),
        _ => Vec::new(),
    };
    let effect = |is_removed| if is_removed { WriteEffect::Removes } else { WriteEffect::Certain };
    files.into_iter().map(|file| (effect(file.is_removed), Word::new(file.path))).collect()
}

/// Returns the number of `-p1`.
fn stripped(args: &[Word]) -> Option<usize> {
    args.iter()
        .find_map(|word| word.text.strip_prefix("-p").or_else(|| word.text.strip_prefix("--strip="))?.parse().ok())
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
    // `-oFILE`
    let short = args.iter().filter_map(|word| word.text.strip_prefix("-o").filter(|v| !v.is_empty()).map(Word::new));
    next.chain(glued).chain(short).collect::<Vec<_>>().into_iter()
}

fn named(args: &[Word], names: &[&str]) -> Option<Word> {
    let next = args.windows(2).find(|two| names.contains(&two[0].text.as_str())).map(|two| two[1].clone());
    let glued = || {
        args.iter().find_map(|word| {
            let long = word.text.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, v)| v);
            let short = || names.iter().filter(|name| name.len() == 2).find_map(|name| word.text.strip_prefix(name));
            long.or_else(short).filter(|value| !value.is_empty()).map(Word::new)
        })
    };
    next.or_else(glued)
}

fn git(args: &[Word], plain: &[&Word]) -> Vec<(WriteEffect, Word)> {
    let sub = args.first().map_or("", |word| word.text.as_str());
    let has = |flags: &[&str]| args.iter().any(|word| flags.contains(&word.text.as_str()));
    // Only the index changes.
    let is_index_only = sub == "restore" && has(&["--staged", "-S"]) && !has(&["--worktree", "-W"])
        || sub == "rm" && has(&["--cached"])
        || sub == "checkout" && has(&["-b", "-B", "--orphan"]);
    if !GIT_WRITES.contains(&sub) || is_index_only || has(&["--dry-run", "--check", "--stat"]) {
        return Vec::new();
    }
    let is_dry = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('n');
    if sub == "clean" && args.iter().any(is_dry) {
        return Vec::new();
    }
    if sub == "clean" && plain.len() == 1 {
        return vec![(WriteEffect::Possible, Word::new("."))];
    }
    plain.iter().skip(1).map(|word| (WriteEffect::Removes, (*word).clone())).collect()
}
