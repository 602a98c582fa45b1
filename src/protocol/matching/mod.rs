//! Whether a command is one that an entry names.

pub mod options;
pub mod path;
pub mod push;

use super::shell::{Simple, Word};
use options::Options;
pub use options::subcommand;

/// Whether a command is what an entry asks for or forbids: the program, its first word, then the others in this order,
/// and each option wherever it stands, in whatever form.
pub fn is_named(entry: &[String], simple: &Simple) -> bool {
    let Some((program, rest)) = entry.split_first() else { return false };
    if simple.program() != Some(program.as_str()) {
        return false;
    }
    let words = subcommand(program, &simple.words[1..]);
    let (flags, plain): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| is_option(word));
    let has_flags = flags.iter().all(|flag| Options::of(program, words).has(flag) || push::means(program, words, flag));
    has_flags && in_order(&plain, words)
}

/// Whether a command begins as an entry that allows it: word by word, so that nothing else slips in.
pub fn begins_so(entry: &[String], simple: &Simple) -> bool {
    let same = |(word, wanted): (&Word, &String)| word.is_known() && !word.is_glob && word.text == *wanted;
    simple.words.len() >= entry.len() && simple.words.iter().zip(entry).all(same)
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The first has to stand first, so that `git commit -m push` is no `git push`.
fn in_order(plain: &[&String], words: &[Word]) -> bool {
    let mut given = words.iter().filter(|word| !is_option(&word.text)).peekable();
    let Some((first, others)) = plain.split_first() else { return true };
    let starts = given.next().is_some_and(|word| could_be(first, word));
    starts && others.iter().all(|wanted| given.any(|word| could_be(wanted, word)))
}

fn could_be(wanted: &str, word: &Word) -> bool {
    word.is_known() && (word.text == wanted || wanted == "*")
}
