//! Matches commands against policy entries.

pub mod options;
pub mod path;
pub mod pattern;
pub mod push;

use super::shell::{SimpleCommand, Word};
use options::Options;
pub use options::subcommand;

/// Checks whether a command is the one that an entry names: the program, then the first word, then the other words in
/// order, and each option at any position and in any form.
pub fn matches_entry(entry: &[String], simple: &SimpleCommand) -> bool {
    let Some((program, rest)) = entry.split_first() else { return false };
    if simple.program() != Some(program.as_str()) {
        return false;
    }
    let words = subcommand(program, &simple.words[1..]);
    // `git rebase --abort` ends a rebase, it is no rebase; a dry run changes nothing.
    let ends = ["--dry-run", "--abort", "--continue", "--skip", "--quit", "--edit-todo", "--show-current-patch"];
    if program == "git" && words.iter().any(|word| ends.contains(&word.text.as_str()) && !rest.contains(&word.text)) {
        return false;
    }
    let (flags, plain): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| is_option(word));
    let has_flags =
        flags.iter().all(|flag| Options::new(program, words).has(flag) || push::has_effect_of(program, words, flag));
    has_flags && in_order(&plain, words)
}

/// Checks whether a command starts with the words of an entry that allows it. The words must be equal, so that nothing
/// else can be inserted.
pub fn starts_with_words(entry: &[String], simple: &SimpleCommand) -> bool {
    let same = |(word, wanted): (&Word, &String)| word.is_known() && !word.is_glob && word.text == *wanted;
    simple.words.len() >= entry.len() && simple.words.iter().zip(entry).all(same)
}

/// The maximum number of texts that braces may stand for.
const BRACES: usize = 64;

/// Expands `{a,b}`; `None` if there are too many results, or a range.
pub fn braces(text: &str) -> Option<Vec<String>> {
    let mut done = vec![String::new()];
    let mut rest = text;
    while let Some((before, opened)) = rest.split_once('{') {
        let (inner, after) = opened.split_once('}')?;
        let all: Vec<&str> = inner.split(',').collect();
        if inner.contains('{') || all.len() * done.len() > BRACES {
            return None;
        }
        done = done.iter().flat_map(|done| all.iter().map(move |one| format!("{done}{before}{one}"))).collect();
        rest = after;
    }
    done.iter_mut().for_each(|done| done.push_str(rest));
    Some(done)
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The first word must come first, so that `git commit -m push` does not match `git push`.
fn in_order(plain: &[&String], words: &[Word]) -> bool {
    let mut given = words.iter().filter(|word| !is_option(&word.text)).peekable();
    let Some((first, others)) = plain.split_first() else { return true };
    let starts = given.next().is_some_and(|word| could_be(first, word));
    starts && others.iter().all(|wanted| given.any(|word| could_be(wanted, word)))
}

fn could_be(wanted: &str, word: &Word) -> bool {
    word.is_known() && (word.text == wanted || wanted == "*")
}
