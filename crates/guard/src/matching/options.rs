//! Options in all their forms: `-rf`, `-r -f`, `--recursive --force`, `--force=true`.

use crate::shell::Word;
use crate::subcommands;

/// Equivalent short and long options of a program, or of its subcommand.
const SAME: &[(&str, &str, &str, &str)] = &[
    ("git", "push", "-f", "--force"),
    ("git", "push", "-f", "--force-with-lease"),
    ("git", "push", "-d", "--delete"),
    ("git", "commit", "-n", "--no-verify"),
    ("git", "am", "-n", "--no-verify"),
    ("git", "merge", "-n", "--no-verify"),
    ("git", "branch", "-D", "--delete"),
    ("git", "branch", "-d", "--delete"),
    ("git", "checkout", "-f", "--force"),
    ("git", "switch", "-f", "--force"),
    ("git", "switch", "-f", "--discard-changes"),
    ("git", "clean", "-f", "--force"),
    ("git", "rm", "-f", "--force"),
    ("git", "tag", "-d", "--delete"),
    ("git", "tag", "-f", "--force"),
    ("rm", "", "-r", "--recursive"),
    ("rm", "", "-R", "--recursive"),
    ("rm", "", "-r", "-R"),
    ("rm", "", "-f", "--force"),
    ("cp", "", "-r", "--recursive"),
    ("cp", "", "-f", "--force"),
    ("mv", "", "-f", "--force"),
    ("chmod", "", "-R", "--recursive"),
    ("chown", "", "-R", "--recursive"),
    ("chgrp", "", "-R", "--recursive"),
    ("setfacl", "", "-R", "--recursive"),
    ("rmdir", "", "-p", "--parents"),
    ("sed", "", "-i", "--in-place"),
    ("docker", "rm", "-f", "--force"),
];

/// Skips the options before the subcommand.
pub fn subcommand<'w>(program: &str, words: &'w [Word]) -> &'w [Word] {
    &words[subcommands::start(program, words.iter().map(|word| word.text.as_str()))..]
}

/// The options of a command.
pub struct Options<'w> {
    program: &'w str,
    words: &'w [Word],
}

impl<'w> Options<'w> {
    /// Takes the arguments of a program, with the subcommand first.
    pub fn new(program: &'w str, words: &'w [Word]) -> Self {
        Self { program, words }
    }

    /// Checks whether an option is given in any form; `-rf` requires both letters.
    pub fn has(&self, flag: &str) -> bool {
        let letters = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-') && rest.len() > 1);
        match letters {
            Some(letters) if letters.chars().all(|c| c.is_ascii_alphabetic()) && !self.is_given(flag) => {
                letters.chars().all(|letter| self.has_one(&format!("-{letter}")))
            }
            _ => self.has_one(flag),
        }
    }

    fn has_one(&self, flag: &str) -> bool {
        let first = self.words.first().map_or("", |word| word.text.as_str());
        let applies = |(program, sub, _, _): &&(&str, &str, &str, &str)| {
            *program == self.program && (sub.is_empty() || *sub == first)
        };
        // Equivalence is transitive: `--force-with-lease` equals `-f`, which equals `--force`.
        let mut same = vec![flag];
        let mut at = 0;
        while let Some(known) = same.get(at).copied() {
            for (_, _, a, b) in SAME.iter().filter(applies) {
                let other = if *a == known {
                    *b
                } else if *b == known {
                    *a
                } else {
                    continue;
                };
                if !same.contains(&other) {
                    same.push(other);
                }
            }
            at += 1;
        }
        same.iter().any(|flag| self.is_given(flag))
    }

    fn is_given(&self, flag: &str) -> bool {
        let letter = flag.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
        self.words.iter().take_while(|word| word.text != "--").any(|word| {
            let text = word.text.as_str();
            let cluster = || text.starts_with('-') && !text.starts_with("--") && is_cluster(text);
            let in_cluster = |letter: &str| cluster() && text[1..].contains(letter);
            let shortened = || is_shortened(text, flag);
            text == flag
                || text.strip_prefix(flag).is_some_and(|rest| flag.starts_with("--") && rest.starts_with('='))
                || shortened()
                || letter.is_some_and(in_cluster)
        })
    }
}

/// Distinguishes `-rf` from `-name`, a single option of `find`: a cluster has at most five letters.
fn is_cluster(text: &str) -> bool {
    let letters: Vec<char> = text.chars().skip(1).take_while(char::is_ascii_alphabetic).collect();
    letters.len() <= 5 && !letters.is_empty()
}

/// Git and most other programs accept `--forc` for `--force`.
fn is_shortened(text: &str, flag: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    flag.starts_with("--") && name.len() >= 3 && flag.starts_with(name)
}
